//! Shapes and the contact of any two of them.
//!
//! This crate contains geometry only: no time, no forces, no files. Its conventions hold everywhere
//! in granum:
//!
//! - SI units, `f64`, world axes unless a name ends in `_a` or `_b` (body axes);
//! - a contact normal is a unit vector from body *a* to body *b*;
//! - a gap is a signed distance: negative where the bodies overlap;
//! - a body's origin is its centre of mass and its axes are its principal axes of inertia.

pub mod aabb;
pub mod contact;
pub mod hull;
pub mod mass;
pub mod mesh;
pub mod message;
pub mod numeric;
pub mod pose;
pub mod random;
pub mod shape;
pub mod surface;

pub use aabb::Aabb;
pub use contact::manifold::{Manifold, Status};
pub use contact::point::{ContactPatch, ContactPoint, GapJacobian, GeneralisedOverlap};
pub use contact::region::OverlapRegion;
pub use contact::surface::free_distance;
pub use contact::{CollideFn, Measure, Pair, PairTable, Routine, collide, overlap_region};
pub use mass::MassProperties;
pub use mesh::Mesh;
pub use pose::Pose;
pub use shape::{Convex, InvalidShape, Kind, Realm, Shape};
pub use surface::TriangleMesh;
