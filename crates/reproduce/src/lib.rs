//! The published experiments of the methods in granum, beside its own results
//! (`granum reproduce`).
//!
//! An [`Experiment`] is one file under `experiments/` and one line in [`experiments::ALL`]. It
//! computes its parts in a [`Session`], which stores them, and returns a [`Page`]: text, tables and
//! pictures, and for each published result a [`Comparison`] with a [`Verdict`]. The [`book`] runs
//! experiments and writes their pages as Markdown and as self-contained HTML.

pub mod book;
pub mod experiments;
mod page;
mod session;

pub use experiments::Experiment;
pub use page::{Block, Comparison, Page, Table, Verdict};
pub use session::{Observer, Session, Stopped};
