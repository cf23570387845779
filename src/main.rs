//! The `mcp-pin` binary: parse, run, exit code.

use std::panic::catch_unwind;
use std::process::ExitCode;

use mcp_pin::cli::Cli;
use mcp_pin::commands;
use mcp_pin::connect::Descendants;
use mcp_pin::exit::Outcome;

fn main() -> ExitCode {
    let cli = Cli::of_process();
    // Whatever happens inside, no descendant is left, and a panic is "could not check".
    let outcome = catch_unwind(|| {
        let _descendants = Descendants::adopt();
        commands::run(cli)
    });
    outcome.unwrap_or(Outcome::NotChecked).into()
}
