//! Values of keys: quantities with units, distributions and orientations.

pub mod distribution;
pub mod orientation;
pub mod quantity;
pub mod units;
