//! The state of a simulation: plain data that can be saved.
//!
//! [`World`] is closed: its parts are read through methods and changed through methods that keep
//! the clock, the contacts and the energy balance consistent. Scratch data are in the `Workspace`
//! (`simulation.rs`); they may be discarded at any time (docs/adr/0013-state-and-scratch.md).

mod add;
pub(crate) mod bodies;
mod body_spec;
mod change;
mod check;
mod clock;
pub(crate) mod contact;
pub(crate) mod contacts;
mod drive;
mod error;
mod flow;
mod inherit;
mod material;
mod place;
mod record;
mod wall_motion;
pub(crate) mod wear;
mod world;

pub use bodies::{Account, MotionKind, Twist, Wrench};
pub use body_spec::{BodyId, BodySpec, Motion, ShapeId};
pub use change::Group;
pub(crate) use clock::Clock;
pub use contact::{Contact, ContactLosses, Phase, RollingState, StoredPercussion};
pub use drive::{Course, Drive, Turning};
pub use error::WorldError;
pub(crate) use flow::FlowMeter;
pub use flow::{FlowCount, FlowPlane, FlowState};
pub use inherit::Inherited;
pub use material::{Elasticity, LawTable, Material, MaterialId, MaterialPairTable};
pub use record::BodyRecord;
pub(crate) use wall_motion::GuideState;
pub use wall_motion::{Guide, GuideKind, WallMotion};
pub use wear::{SurfaceWear, TriangleWear};
pub(crate) use wear::{WearEntry, WearRecord};
pub use world::World;
pub(crate) use world::{DrivenBody, Evaluation, Owner};
