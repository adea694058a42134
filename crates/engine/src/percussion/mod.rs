//! The percussion response: all collisions of a step at one instant as convex programs (the A-CD2
//! method \[Fremond1995, Dimnet2002, Leon2016\]). The equations are in the README of this folder.

mod builder;
pub mod certificate;
mod collision;
mod field;
mod flight;
mod guided;
mod island;
mod law;
mod position_correction;
pub mod profile;
pub mod program;
pub mod solver;
pub(crate) mod step;

pub use field::{CutVolume, Field};
pub use law::{Friction, Percussion, PercussionLaw, Rebound, Slip, Solver, SolverStatistics, TOLERANCE};
