//! `mcp-pin demo`: the main job with nothing to set up. A server changes behind our back and is caught.

use clap::Parser;
use serde_json::{Value, json};

use super::{check, output, pin};
use crate::cli::{CheckArguments, Cli, Color, Command, DemoArguments, DemoServerArguments, PinArguments};
use crate::demo::{self, Face};
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::report::Report;

const PINNING: &str = "\
$ mcp-pin pin
a customer database with three tools is pinned, over a real pipe and the real protocol:

";
const CHANGING: &str = "
a week later the same server, same command, same release, has changed:

$ mcp-pin check
";

/// Runs the command.
pub(super) fn run(arguments: &DemoArguments) -> Outcome {
    match demonstrate(arguments) {
        Ok(outcome) => outcome,
        Err(problem) => {
            output::problem(&problem);
            Outcome::NotChecked
        }
    }
}

/// Runs the demo's server.
pub(super) fn serve(arguments: &DemoServerArguments) -> Outcome {
    match demo::serve(&arguments.switch) {
        Ok(()) => Outcome::InSync,
        Err(_) => Outcome::NotChecked,
    }
}

fn demonstrate(arguments: &DemoArguments) -> Result<Outcome, Problem> {
    let failed = |error: std::io::Error| {
        Problem::new("setting up the demo", error.to_string(), "free some disk space and try again")
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let configuration = json!({
        "mcpServers": { "crm": { "command": program, "args": ["demo-server", "changed"] } }
    });
    std::fs::write(folder.path().join(".mcp.json"), configuration.to_string()).map_err(failed)?;

    // As the user would stand in it; the folder goes when the demo ends.
    std::env::set_current_dir(folder.path()).map_err(failed)?;

    output::result(PINNING);
    let pinned = pin::run(&pin_arguments(arguments.color)?);
    if pinned != Outcome::InSync {
        return Ok(Outcome::NotChecked);
    }
    std::fs::write(folder.path().join("changed"), "").map_err(failed)?;
    output::result(CHANGING);
    let checking = check_arguments(arguments.color)?;
    let report = check::report(&checking);
    output::report(&report, &checking.output);

    let caught = tools_caught(&report);
    let seen = tools_that_a_short_digest_sees();
    output::result(&format!(
        "\nmcp-pin check exits with {} and caught {caught} of {} changed tools.\n\
         A digest of description, input schema and title alone would have seen {seen} of {}.\n\
         It compares what a server says, not what its tools do; `mcp-pin --help` shows how to begin.\n",
        report.outcome.code(),
        demo::TOOLS,
        demo::TOOLS
    ));
    Ok(if caught == demo::TOOLS && report.outcome == Outcome::Drift { Outcome::InSync } else { Outcome::NotChecked })
}

fn tools_caught(report: &Report) -> usize {
    let findings = report.servers.iter().flat_map(|server| &server.findings).filter(|finding| finding.level.fails());
    findings
        .filter_map(|finding| finding.item.as_ref())
        .map(|item| &item.name)
        .collect::<std::collections::BTreeSet<_>>()
        .len()
}

/// How many of the changes show in the three members that other tools digest.
fn tools_that_a_short_digest_sees() -> usize {
    let short = |tool: &Value| ["description", "inputSchema", "title"].map(|member| tool[member].clone());
    let tools = |face: Face| face.listing()["tools"].as_array().cloned().unwrap_or_default();
    tools(Face::Reviewed).iter().zip(&tools(Face::Changed)).filter(|(old, new)| short(old) != short(new)).count()
}

fn pin_arguments(color: Color) -> Result<PinArguments, Problem> {
    match parse("pin", color, &["--yes"])? {
        Command::Pin(arguments) => Ok(arguments),
        _ => Err(misread()),
    }
}

fn check_arguments(color: Color) -> Result<CheckArguments, Problem> {
    match parse("check", color, &[])? {
        Command::Check(arguments) => Ok(arguments),
        _ => Err(misread()),
    }
}

/// The arguments as a user would type them, but for what a user's environment may set.
fn parse(command: &str, color: Color, more: &[&str]) -> Result<Command, Problem> {
    let color = match color {
        Color::Auto => "auto",
        Color::Always => "always",
        Color::Never => "never",
    };
    let files = ["--lockfile", crate::config::LOCKFILE, "--config", ".mcp.json"];
    let words = ["mcp-pin", command, "--format", "human", "--color", color].into_iter().chain(files);
    let words = words.chain(more.iter().copied());
    Cli::try_parse_from(words).map(|cli| cli.command).map_err(|_| misread())
}

fn misread() -> Problem {
    Problem::new("setting up the demo", "the command line was not understood", "report this as a bug")
}
