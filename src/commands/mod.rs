//! The commands: thin, and the only place that sees every stage.

mod again;
mod approval;
mod base;
mod check;
mod client;
mod command_line;
mod demo;
mod diff;
mod explain;
mod export;
mod fmt;
mod folder;
mod inspect;
mod judge;
mod list;
mod live;
mod lockfiles;
mod manifest;
mod merge_driver;
mod other_clients;
mod output;
mod parts;
mod pin;
mod policing;
mod progress;
mod proposal;
mod reach;
#[cfg(test)]
mod reach_tests;
mod reading;
mod record;
mod report_file;
mod report_places;
mod review;
mod runner;
mod saved;
mod schema;
mod selection;
mod shells;
mod show;
mod standing;
mod verify;
mod workspace;

use crate::cli::{Cli, Command};
use crate::connect::watchdog;
use crate::exit::Outcome;
use crate::invocation;
use crate::problem::Problem;

/// Runs what was asked for.
pub fn run(cli: Cli) -> Outcome {
    invocation::begin(cli.directory.as_deref());
    // As with git and make: everything that follows counts from there.
    if let Some(folder) = &cli.directory
        && let Err(error) = std::env::set_current_dir(folder)
    {
        let cause = match folder.is_dir() {
            true => format!("{}: {error}", folder.display()),
            false => format!("{} is no folder", folder.display()),
        };
        output::problem(&Problem::new("changing the folder", cause, "correct the folder after -C"));
        return Outcome::NotChecked;
    }
    if let Some(refused) = report_places::refuse(&cli.command) {
        return refused;
    }
    match cli.command {
        Command::Pin(arguments) => pin::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::MergeDriver(arguments) => merge_driver::run(&arguments),
        Command::Completions(arguments) => shells::completions(&arguments),
        Command::Man(arguments) => shells::man(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Watchdog => {
            watchdog::run();
            Outcome::InSync
        }
        Command::DemoServer(arguments) => demo::serve(&arguments),
    }
}
