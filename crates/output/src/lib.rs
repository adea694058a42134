//! Output of a run and reading it back. Each format has its own file. A recorder receives a
//! [`granum_engine::Snapshot`] and nothing else.

mod catalogue;
pub mod checkpoint;
pub mod durable;
mod energy_table;
mod export;
mod frame_surfaces;
mod frame_table;
mod frame_writer;
mod guard_report;
pub mod measure;
mod query_line;
mod recorder;
pub mod run_folder;
mod state_hash;
mod stl;
mod summary;
mod vtk;
mod whole_file;

pub use catalogue::Catalogue;
pub use checkpoint::{Books, Checkpoint, Checkpoints};
pub use energy_table::{EnergyRow, EnergyTable};
pub use export::{ExportFormat, Exporter};
pub use frame_surfaces::{bounds, surfaces};
pub use frame_writer::{FrameOptions, FrameWriter};
pub use guard_report::GuardReport;
pub use recorder::Recorder;
pub use run_folder::{Frame, FrameEntry, ReadError, RunFolder};
pub use state_hash::state_hash;
pub use summary::{Status, Summary};
