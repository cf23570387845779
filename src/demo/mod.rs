//! A server with two faces, for `mcp-pin demo`: a small customer database whose tools change once a file exists.

mod faces;
mod server;

pub use faces::{Face, TOOLS};
pub use server::serve;
