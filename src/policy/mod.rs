//! What a project tolerates: `mcp-pin.toml`, which is committed beside the lockfile and reviewed like it.
//!
//! The stage stands beside the flow. It knows the leaves (what a surface and a finding are) and TOML; it knows nothing of
//! servers, of the lockfile or of how a difference is found, and touches no file but the one that [`load`] reads.
//! [`parse`] reads a policy from wherever it comes. The rest is pure: [`tolerate`] puts back what is ignored before two
//! surfaces are compared, [`apply`] says what findings come to,
//! [`loosened`] what one policy lets pass and another doesn't. Neither asks what day it is.

mod apply;
mod date;
mod error;
mod loosened;
mod mend;
mod model;
mod pattern;
mod places;
mod read;
mod schema;
mod table;
mod tolerate;

use std::io::{ErrorKind, Read};
use std::path::Path;

pub use apply::{Applied, apply};
pub use date::Date;
pub use error::{Fault, FaultKind, PolicyError};
pub use loosened::{Loosened, loosened};
pub use model::{Effect, Effects, Ignore, Policy, Presence, ServerPolicy, is_softenable};
pub use pattern::{Items, Volatile};
pub use read::parse;
pub use schema::schema;
pub use tolerate::{Tolerated, Use, covers, tolerate, without_ignored};

/// The policy's name in the project folder.
pub const POLICY: &str = "mcp-pin.toml";
/// The most bytes that a policy may have.
pub const MAX_SIZE: u64 = 1 << 20;

/// Reads the policy at a path, which is called `shown` in messages; without the file, the one that changes nothing.
///
/// # Errors
/// When the file is there and isn't a policy to the last key.
pub fn load(path: &Path, shown: &str) -> Result<Policy, PolicyError> {
    let unreadable = |error: std::io::Error| PolicyError::of(shown, FaultKind::Unreadable(error.to_string()));
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        // A link that leads nowhere is a policy that somebody meant to be there.
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => return Ok(Policy::default()),
        Err(error) => return Err(unreadable(error)),
    };
    if !metadata.is_file() {
        return Err(PolicyError::of(shown, FaultKind::NotAFile));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    parse_bytes(bytes, shown)
}

/// Reads the bytes of a policy; `file` is its name in messages and reports.
///
/// # Errors
/// When they aren't a policy to the last key.
pub fn parse_bytes(bytes: Vec<u8>, file: &str) -> Result<Policy, PolicyError> {
    if bytes.len() as u64 > MAX_SIZE {
        return Err(PolicyError::of(file, FaultKind::TooLarge(MAX_SIZE)));
    }
    let text = String::from_utf8(bytes).map_err(|_| PolicyError::of(file, FaultKind::NotUtf8))?;
    parse(&text, file)
}
