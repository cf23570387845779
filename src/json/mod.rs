//! JSON as a hostile server may send it, and the one form that we digest and store.
//!
//! [`Reader`] reads text strictly: a repeated key, half a surrogate pair, a number or a nesting beyond the limits is an
//! error with a place, never a value. [`Value`] is what was meant, with object members in the order of RFC 8785,
//! so that two values are equal exactly when their canonical texts are. [`canonical`] and [`pretty`] write it.
//! This leaf knows nothing of MCP, files or terminals.

mod canonical;
mod double;
mod error;
mod number;
mod pointer;
mod reader;
mod value;

pub use canonical::{canonical, pretty};
pub use error::{Error, ErrorKind};
pub use number::Number;
pub use pointer::Pointer;
pub(crate) use reader::utf8;
pub use reader::{Kind, Reader, parse, parse_bytes, parse_stored};
pub use value::{Object, Value};

/// How many levels of arrays and objects a value may have, itself counted as the first.
pub const MAX_DEPTH: usize = 128;
