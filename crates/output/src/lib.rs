//! What a run leaves behind. One file a format; a recorder sees a [`granum_engine::Snapshot`] and nothing else.

mod energy_table;
mod summary;

pub use energy_table::EnergyTable;
pub use summary::{Status, Summary};
