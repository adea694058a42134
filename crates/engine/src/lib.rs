//! The simulation: a [`World`] of bodies, materials and contacts, moved by [`Simulation`].
//!
//! This crate knows no files. Read [`step`] first: it is the whole pipeline on one screen.
//!
//! **Same bits.** A result depends neither on the number of threads nor on how bodies are stored or listed:
//! contacts write their own forces, and each body adds those of its contacts in the order of its partners' ids.
//! So the neighbour list, its skin and the storage order may change at any time, a restart included, without
//! changing one bit of the motion or of the energy ledger.

pub mod energy;
pub mod guard;
pub mod percussion;
pub mod pipeline;
pub mod rotation;
pub mod simulation;
pub mod smooth;
pub mod snapshot;
pub mod state;
pub mod step;
pub mod time_step;

pub use energy::Energy;
pub use guard::{Guards, Violation};
pub use simulation::{Simulation, StageSeconds};
pub use smooth::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
pub use snapshot::{BodyState, ContactState, Snapshot, WorldStatus};
pub use state::{BodyId, BodySpec, Drive, Elasticity, Group, Material, MaterialId, Motion, ShapeId, World, WorldError};
pub use time_step::{IncomingGrains, TimeStepAdvice};
