//! The commands: thin, and the only place that sees every stage.

mod approval;
mod check;
mod demo;
mod fmt;
mod judge;
mod list;
mod merge_driver;
mod output;
mod pin;
mod progress;
mod reading;
mod selection;
mod standing;
mod verify;
mod workspace;

use crate::cli::{Cli, Command};
use crate::exit::Outcome;

/// Runs what was asked for.
pub fn run(cli: Cli) -> Outcome {
    match cli.command {
        Command::Pin(arguments) => pin::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::MergeDriver(arguments) => merge_driver::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::DemoServer(arguments) => demo::serve(&arguments),
    }
}
