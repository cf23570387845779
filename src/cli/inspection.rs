//! The commands that show what servers say and judge nothing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{OutputArguments, ProjectArguments, ReadArguments};

/// `mcp-pin show`
#[derive(Debug, Args)]
#[command(mut_arg("servers", what_to_show), mut_arg("command", |argument| argument.index(2)))]
pub struct ShowArguments {
    /// Read the server now instead of the lockfile
    #[arg(long)]
    pub live: bool,
    /// Start a new or changed launch without asking
    #[arg(short, long, requires = "live")]
    pub yes: bool,
    /// How the definition is written; json is the object itself
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: ShowFormat,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: ReadArguments,
}

/// How a definition is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ShowFormat {
    /// For people
    #[default]
    Human,
    /// The object itself
    Json,
}

/// `mcp-pin inspect`
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// Start the servers without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Read this configuration instead of the project's .mcp.json (repeatable)
    #[arg(long = "config", value_name = "FILE", env = "MCP_PIN_CONFIG", value_delimiter = None)]
    pub configs: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: ReadArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
}

/// The word that names a server or an item of it; clap wants both positions told once one of them is.
fn what_to_show(argument: clap::Arg) -> clap::Arg {
    argument
        .index(1)
        .value_name("SERVER[/ITEM]")
        .required(true)
        .num_args(1)
        .action(clap::ArgAction::Set)
        .help("A server, or one of its items; of several servers that the word can mean, the one with the longest name")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Cli, Command};

    #[test]
    fn one_word_says_what_to_show() {
        let cli = Cli::parse_from(["mcp-pin", "show", "crm/lookup", "--live", "--", "node", "server.mjs"]);
        let Command::Show(arguments) = cli.command else { panic!("not show") };
        assert_eq!(arguments.read.servers, ["crm/lookup"]);
        assert_eq!(arguments.read.command, ["node", "server.mjs"]);
        for wrong in [&["mcp-pin", "show"][..], &["mcp-pin", "show", "a", "b"], &["mcp-pin", "show", "a", "--yes"]] {
            assert!(Cli::try_parse_from(wrong).is_err(), "{wrong:?}");
        }
    }
}
