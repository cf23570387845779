//! `mcp-pin completions` and `mcp-pin man`: the command line, told to shells and to readers of manuals.

use clap::{Command, CommandFactory};
use clap_complete::generate;
use clap_mangen::Man;

use super::output;
use crate::cli::{Cli, CompletionsArguments, ManArguments};
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::text;

/// Runs `mcp-pin completions`.
pub(super) fn completions(arguments: &CompletionsArguments) -> Outcome {
    let mut script = Vec::new();
    generate(arguments.shell, &mut for_people(&Cli::command()), "mcp-pin", &mut script);
    // For bash, clap_complete spells a name with a hyphen in two ways and finds no command again (clap-rs/clap#6421).
    let script = String::from_utf8_lossy(&script).replace("mcp__subcmd__pin__", "mcp__pin__");
    output::result(&script)
}

/// The command line without what only mcp-pin itself types, which shells would offer all the same.
fn for_people(whole: &Command) -> Command {
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("mcp-pin")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(whole.get_arguments().cloned())
        .subcommands(shown)
}

/// Runs `mcp-pin man`.
pub(super) fn man(arguments: &ManArguments) -> Outcome {
    match page(arguments.command.as_deref()) {
        Ok(page) => output::result(&page),
        Err(problem) => {
            output::problem(&problem);
            Outcome::NotChecked
        }
    }
}

/// The page of a command, or of mcp-pin itself.
fn page(command: Option<&str>) -> Result<String, Problem> {
    let mut told = Cli::command();
    // Gives the subcommands their whole names and the options that all have.
    told.build();
    let told = match command {
        None => told,
        Some(name) => {
            let found = told.get_subcommands().find(|known| known.get_name() == name && !known.is_hide_set());
            found.cloned().ok_or_else(|| unknown(name))?
        }
    };
    let mut page = Vec::new();
    let name = told.get_display_name().unwrap_or("mcp-pin").to_owned();
    // A date would make another page of each build.
    let written = Man::new(told.display_name(name)).render(&mut page);
    written.map_err(|error| Problem::new("writing the page", error.to_string(), "report this as a bug"))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn unknown(name: &str) -> Problem {
    let cause = format!("there is no command {}", text::identifier(name));
    Problem::new("finding the page", cause, "see mcp-pin --help for the commands")
}
