//! What a reviewer types: parts of a server, two lockfiles, a baseline that a pull request can't edit.

use std::path::PathBuf;

use clap::Args;

use super::OutputArguments;

/// What a check compares with in a review.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Review")]
pub struct ReviewArguments {
    /// Take lockfile and policy from this git revision, such as origin/main, and not from the work tree, whose author may
    /// have edited them. A server isn't started if its launch, or a file that the launch can reach, differs from it. What the
    /// work tree's lockfile already holds is marked `proposed`, and fails all the same
    #[arg(long, value_name = "REV", conflicts_with = "from")]
    pub base: Option<String>,
    /// Start servers although files that they can reach differ from REV, and those with another launch that the work tree's
    /// lockfile approves: what the work tree's author wrote then runs
    #[arg(long, requires = "base")]
    pub run_changed: bool,
}

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
