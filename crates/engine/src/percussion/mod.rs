//! Percussions: many collisions at one instant as one convex program (A-CD2). The equations are in this folder's README.

mod answer;
pub mod block_descent;
mod blocks;
mod body_matrix;
mod builder;
pub mod certificate;
mod collision;
mod correction;
mod factor;
mod field;
mod flight;
mod incomplete;
pub mod interior_point;
mod island;
mod law;
mod newton;
pub mod problem;
mod rows;
pub mod step;
pub mod uzawa;

pub use field::{Field, Load, OwnForce, Part};
pub use law::{Friction, Percussion, PercussionLaw, Rebound, Record, Slip, Solver, TOLERANCE};
