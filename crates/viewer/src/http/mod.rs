//! The server: requests without a body on the loopback address, a thread per connection.

mod request;
mod response;
mod router;
mod server;

pub use request::Request;
pub use response::{POLICY, Response};
pub use router::{Viewer, answer};
pub use server::Server;
