//! The stages of a step that both responses share: integration, neighbour search, contact search.

pub mod broad_phase;
pub mod guided;
pub mod integrate;
pub mod narrow_phase;
pub mod pair_list;
mod separation;
