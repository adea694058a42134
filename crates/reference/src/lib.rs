//! Published contact methods, kept for comparison, and the JSON query of `granum contact`.
//!
//! The simulation does not need this crate. It holds what exists only to compare granum with
//! publications: [`methods`] by name, the roots of a [`quartic`], and the [`query`] that runs a
//! method on one pair of bodies.

pub mod benchmark;
pub mod methods;
pub mod quartic;
pub mod query;
