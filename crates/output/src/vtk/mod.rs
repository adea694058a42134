//! Frames for ParaView: `.vtp` files and the `.pvd` collection. granum reads the same files back:
//! the state of bodies and contacts is stored with all bits.
//!
//! A file has an XML header with names and sizes, followed by the binary arrays (little endian,
//! each after its length; "appended raw"). This is fast to write, and every VTK program reads it.

pub(crate) mod bodies;
pub(crate) mod collection;
pub(crate) mod contacts;
pub(crate) mod mesh;
mod number;
pub(crate) mod poly_data;
pub(crate) mod read;
pub(crate) mod surfaces;
pub(crate) mod walls;
