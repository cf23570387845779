//! The lockfile: what a project has approved.
//!
//! [`Lockfile`] is the model. [`parse`] reads a text, proves that its definitions and digests belong together and accepts
//! one spelling only: the one that [`to_text`] gives. [`accept`] is how a reading gets into it. [`store`] moves the file from
//! and to the disk, whole or not at all. This stage knows the leaves and the disk: nothing in a lockfile is executed, contacted or expanded here.

mod accept;
mod block;
mod error;
pub mod lines;
mod merge;
mod model;
mod read;
mod spelling;
pub mod store;
mod write;

#[cfg(test)]
mod tests;

pub use accept::{Accepted, Part, Refusal, accept, accepts_parts};
pub use error::{BlockName, Fault, FaultKind, LockError};
pub use merge::{Merged, merge};
pub use model::{LockedServer, Lockfile};
pub use read::{parse, parse_any_spelling, parse_bytes};
pub use write::to_text;

/// The version of the format that this program reads and writes: the key `version`.
pub const VERSION: i64 = 1;

/// The largest lockfile that is read, in bytes: four times the most that one server may list.
pub const MAX_SIZE: u64 = 256 * 1024 * 1024;
