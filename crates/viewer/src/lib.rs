//! Interactive view of a run in the browser.
//!
//! [`http::Server`] sends the page and the data of a run folder, and of a running simulation through
//! [`Live`]. [`html::write`] writes the page with its data to one file, and [`glb`] writes frames as
//! glTF.

pub mod data;
pub mod glb;
pub mod html;
pub mod http;
mod live;
pub mod page;

pub use data::Run;
pub use http::{Server, Viewer};
pub use live::{Live, Order};
