//! Frames for ParaView: `.vtp` files and the `.pvd` that lists them. They are the frames of granum itself, too: what is
//! needed to know a body or a contact is written as it is in memory, and read back to the last bit.
//!
//! A file is XML for the names and sizes, then the arrays as they are in memory, little endian, each after its length
//! ("appended raw"): fast to write, and read by everything that uses VTK.

pub(crate) mod bodies;
pub(crate) mod collection;
pub(crate) mod contacts;
mod number;
pub(crate) mod poly_data;
pub(crate) mod read;
pub(crate) mod surfaces;
