//! Percussions: many collisions at one instant as one convex program (A-CD2). The equations are in this folder's README.

mod builder;
pub mod certificate;
mod collision;
mod correction;
mod field;
mod flight;
mod island;
mod law;
pub mod problem;
pub mod solver;
pub(crate) mod step;

pub use field::{Field, Part};
pub use law::{Friction, Percussion, PercussionLaw, Rebound, Record, Slip, Solver, TOLERANCE};
