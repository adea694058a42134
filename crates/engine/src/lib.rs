//! The simulation: a [`World`] of bodies, materials and contacts, moved by [`Simulation`].
//!
//! This crate knows no files. Read [`step`] first: it is the whole pipeline on one screen.
//!
//! **Same bits.** A result depends neither on the number of threads nor on how bodies are stored or listed:
//! contacts write their own forces, and each body adds those of its contacts in the order of its partners' ids.
//! So the neighbour list, its skin and the storage order may change at any time, a restart included, without
//! changing one bit of the motion or of the energy ledger.

pub mod broad_phase;
pub mod elliptic;
pub mod energy;
pub mod free_rotation;
pub mod guard;
pub mod integrate;
pub mod law;
pub mod narrow_phase;
pub mod observe;
pub mod pair_list;
pub mod percussion;
pub mod response;
pub mod rotation;
mod rotation_series;
pub mod simulation;
pub mod step;
pub mod time_step;
pub mod world;

pub use energy::Energy;
pub use guard::{Guards, Violation};
pub use law::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
pub use observe::{BodyState, ContactState, Glance, Snapshot};
pub use simulation::{Simulation, StageSeconds};
pub use time_step::{Coming, TimeStepAdvice};
pub use world::{BodyId, BodySpec, Drive, Group, Material, MaterialId, Motion, ShapeId, World, WorldError};
