//! What a reviewer types: parts of a server, two lockfiles, a baseline that a pull request can't edit.

use std::path::PathBuf;

use clap::Args;

use super::OutputArguments;

/// `mcp-pin diff`
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The lockfile before: a file, `-`, or a git revision such as HEAD~1 or main:mcp-tools.lock
    pub old: String,
    /// The lockfile after
    pub new: String,
    /// The lockfile that a revision without a path means
    #[arg(long, value_name = "FILE", env = "MCP_PIN_LOCKFILE")]
    pub lockfile: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
}
