//! Output of a run and reading it back. Each format has its own file. A recorder receives a
//! [`granum_engine::Snapshot`] and nothing else.

pub mod asc;
pub mod atomic_file;
pub mod body_table;
mod catalogue;
pub mod checkpoint;
mod energy_table;
mod export;
mod flow_table;
mod frame_surfaces;
mod frame_table;
mod frame_writer;
mod guard_report;
pub mod measure;
pub mod overwrite;
mod query_line;
mod recorder;
pub mod run_folder;
mod state_hash;
pub mod stl;
mod summary;
mod table_file;
mod vtk;
mod wall_table;

pub use catalogue::Catalogue;
pub use checkpoint::{Books, Checkpoint, Checkpoints};
pub use energy_table::{EnergyRow, EnergyTable};
pub use export::{ExportFormat, Exporter};
pub use flow_table::{FlowRow, FlowTable};
pub use frame_surfaces::{bounds, surfaces};
pub use frame_writer::{FrameOptions, FrameWriter};
pub use guard_report::GuardReport;
pub use recorder::Recorder;
pub use run_folder::{Frame, FrameEntry, ReadError, RunFolder};
pub use state_hash::state_hash;
pub use summary::{Status, Summary};
pub use wall_table::{WallRow, WallTable};
