//! The simulation: a [`World`] of bodies, materials and contacts, moved by a [`Simulation`].
//!
//! This crate does no input or output. Read `src/step.rs` first: it is the whole time step on one
//! screen.
//!
//! **Same bits.** A result depends neither on the number of threads nor on the storage order of the
//! bodies nor on the neighbour list: each contact writes its own force, and each body adds the
//! forces of its contacts in the order of its partners' ids. The neighbour list, its skin and the
//! storage order may therefore change at any time, also by a restart, without changing one bit of
//! the motion or of the energy balance.

#[cfg(test)]
extern crate self as granum_engine; // the worlds of `tests/common` are shared with unit tests

mod energy;
mod execution;
pub mod guard;
pub mod percussion;
mod pipeline;
mod rotation;
mod rows;
mod simulation;
pub mod smooth;
mod snapshot;
mod state;
mod step;
mod thread_choice;
mod time_step;
mod tunnelling;
mod user_force;
mod wear_log;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod test_worlds;

pub use energy::Energy;
pub use guard::{Guards, Violation};
pub use rotation::free_rotation::FreeRotation;
pub use simulation::{Simulation, StageSeconds};
pub use smooth::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
pub use snapshot::{BodyState, ContactState, ContactView, Snapshot, WorldStatus};
pub use state::{
    BodyId, BodySpec, Course, Drive, Elasticity, FlowCount, FlowPlane, FlowState, Group, Guide, GuideKind, Inherited,
    Material, MaterialId, Motion, ShapeId, SurfaceWear, TriangleWear, Turning, Twist, WallMotion, World, WorldError,
    Wrench,
};
pub use time_step::{IncomingGrains, TimeStepAdvice};
pub use tunnelling::{Passage, PassageKind, Passages};
pub use user_force::{UserForce, UserForces};

/// The stored numbers of bodies and contacts, as [`World::ordered_body_records`] and
/// [`World::ordered_contact_records`] return them: for checksums of the state.
pub mod record {
    pub use crate::state::{Account, BodyRecord, Contact, ContactLosses, Phase, RollingState, StoredPercussion};
}
