//! What a run leaves behind. One file a format; a recorder sees a [`granum_engine::Snapshot`] and nothing else.

pub mod checkpoint;
pub mod durable;
mod energy_table;
mod guard_report;
mod recorder;
mod state_hash;
mod summary;

pub use checkpoint::{Books, Checkpoint, Checkpoints};
pub use energy_table::EnergyTable;
pub use guard_report::GuardReport;
pub use recorder::Recorder;
pub use state_hash::state_hash;
pub use summary::{Status, Summary};
