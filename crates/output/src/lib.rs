//! What a run leaves behind, and how it is read back. One file a format; a recorder sees a
//! [`granum_engine::Snapshot`] and nothing else.

mod catalogue;
mod energy_table;
mod export;
mod frame_surfaces;
mod frame_table;
mod frame_writer;
pub mod run_folder;
mod stl;
mod summary;
mod vtk;
mod whole_file;

pub use catalogue::Catalogue;
pub use energy_table::{EnergyRow, EnergyTable};
pub use export::{ExportFormat, Exporter};
pub use frame_surfaces::{bounds, surfaces};
pub use frame_writer::{FrameOptions, FrameWriter};
pub use run_folder::{Frame, FrameEntry, ReadError, RunFolder};
pub use summary::{Status, Summary};
