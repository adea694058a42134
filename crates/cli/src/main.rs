//! The granum program.
fn main() {}
