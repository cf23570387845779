//! The commands that tell shells and readers of manuals what can be typed.

use clap::Args;
use clap_complete::Shell;

/// `mcp-pin completions`
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell that completes
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `mcp-pin man`
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The page of this command; without it, the page of mcp-pin
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// What `--version` says, and `-V` in its first line.
pub(super) const FACTS: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("MCP_PIN_COMMIT"),
    "\ntarget: ",
    env!("MCP_PIN_TARGET"),
    "\nlockfile format: 1",
);

#[cfg(test)]
mod tests {
    use super::FACTS;
    use crate::lock;

    #[test]
    fn the_facts_name_the_format_that_is_written() {
        assert!(FACTS.ends_with(&format!("\nlockfile format: {}", lock::VERSION)), "{FACTS}");
    }
}
