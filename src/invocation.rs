//! How this process was started: what a suggested command repeats, and the folder as it was typed.
//!
//! Like the working folder itself this is the process's, and set once, before anything else happens.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::text;

/// What was typed.
struct Invocation {
    /// The folder after `-C`.
    directory: Option<PathBuf>,
    /// The folder that the run starts in, through links if it was named so.
    start: PathBuf,
}

static INVOCATION: OnceLock<Invocation> = OnceLock::new();

/// Keeps what was typed, before the working folder changes.
pub fn begin(directory: Option<&Path>) {
    let here = std::env::current_dir().unwrap_or_default();
    // A shell says by which links it came here.
    let told = std::env::var_os("PWD").map(PathBuf::from).filter(|told| {
        let is_here = || matches!((told.canonicalize(), here.canonicalize()), (Ok(told), Ok(here)) if told == here);
        told.is_absolute() && is_here()
    });
    let start = told.unwrap_or(here).join(directory.unwrap_or(Path::new("")));
    let _ = INVOCATION.set(Invocation { directory: directory.map(Path::to_owned), start });
}

/// The folder that the run starts in, as it was typed: absolute, perhaps through links and with `..`.
pub fn start() -> PathBuf {
    INVOCATION.get().map_or_else(|| std::env::current_dir().unwrap_or_default(), |typed| typed.start.clone())
}

/// The first words of a command that a user can paste: `mcp-pin`, or `mcp-pin -C sub`; the same for git.
pub fn words(program: &str) -> String {
    match INVOCATION.get().and_then(|typed| typed.directory.as_ref()) {
        Some(directory) => format!("{program} -C {}", text::shell_word(&directory.display().to_string())),
        None => program.to_owned(),
    }
}
