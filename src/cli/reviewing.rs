//! What a reviewer types: parts of a server, two lockfiles, a baseline that a pull request can't edit.

use std::path::PathBuf;

use clap::Args;

use super::{OutputArguments, ProjectArguments, ReadArguments};

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
