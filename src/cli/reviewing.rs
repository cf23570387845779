//! What a reviewer types: parts of a server, two lockfiles, a baseline that a pull request can't edit.

use std::path::PathBuf;

use clap::Args;

use super::{OutputArguments, ProjectArguments, ReadArguments};

/// What a check compares with in a review.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Review")]
pub struct BaselineArguments {
    /// Take lockfile and policy from this git revision, such as refs/remotes/origin/main, and not from the work tree, whose
    /// author may have edited them. A server isn't started if its launch, or a file that the launch can reach, differs from it. What the
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

/// The options that name parts.
pub(super) const PARTS: [&str; 6] = ["tools", "prompts", "resources", "templates", "interfaces", "about"];

/// Parts of what a server says.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Parts of the one pinned SERVER; the rest stays as it was approved")]
pub struct PartsArguments {
    /// Only this tool, as it is now or that it is gone (repeatable, like those below)
    #[arg(long = "tool", value_name = "NAME")]
    pub tools: Vec<String>,
    /// Only this prompt
    #[arg(long = "prompt", value_name = "NAME")]
    pub prompts: Vec<String>,
    /// Only this resource
    #[arg(long = "resource", value_name = "URI")]
    pub resources: Vec<String>,
    /// Only this template of resources
    #[arg(long = "template", value_name = "TEMPLATE")]
    pub templates: Vec<String>,
    /// Only this user interface
    #[arg(long = "ui", value_name = "URI")]
    pub interfaces: Vec<String>,
    /// Only what it says of itself: its name, capabilities and instructions
    #[arg(long)]
    pub about: bool,
}

/// `mcp-pin review`
#[derive(Debug, Args)]
pub struct ReviewArguments {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: ReadArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
}
