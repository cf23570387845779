//! `mcp-pin fmt`: rewrites the lockfile in its one spelling.

use super::output;
use super::workspace::{Place, Workspace};
use crate::cli::FmtArguments;
use crate::exit::Outcome;
use crate::lock::{self, store};
use crate::problem::Problem;

/// Runs the command.
pub(super) fn run(arguments: &FmtArguments) -> Outcome {
    match rewritten(arguments) {
        Ok(message) => output::result(&message),
        Err(problems) => {
            problems.iter().for_each(output::problem);
            Outcome::NotChecked
        }
    }
}

fn rewritten(arguments: &FmtArguments) -> Result<String, Vec<Problem>> {
    let workspace = Workspace::open(&arguments.project)?;
    let shown = crate::text::terminal_line(&workspace.lockfile.shown());
    let Place::File(path) = &workspace.lockfile else {
        let help = "name a file with --lockfile, or leave the option out";
        return Err(vec![Problem::new("opening the lockfile", "`-` can be read but not written", help)]);
    };
    let loaded = store::load_any_spelling(path).map_err(|error| workspace.told(error))?;
    let saved =
        store::save(path, &lock::to_text(&loaded.lockfile), Some(&loaded.seen)).map_err(|problem| vec![problem])?;
    Ok(match saved {
        store::Saved::Unchanged => format!("{shown} is in its one spelling already\n"),
        store::Saved::Written => format!("rewrote {shown}; every digest holds\n"),
    })
}
