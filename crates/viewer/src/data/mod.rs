//! The messages that the page reads.

pub mod forms;
pub mod frame;
mod grain;
mod message;
pub mod quantities;
mod room;
mod run;

pub use frame::Contents;
pub use message::Message;
pub use run::{Missing, Run};

pub(crate) use grain::grain;
pub(crate) use room::room;
pub(crate) use run::middle;
