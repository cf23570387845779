//! Where results and everything else go.

use std::io::{self, IsTerminal, Write};

use crate::cli::{Color, Format, OutputArguments};
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::report::definitions::Definitions;
use crate::report::{Report, human, json};

/// Writes a result to standard output. A reader that has gone away (`| head`) is no error; a result that nobody can have
/// got is one, whatever it was.
pub(super) fn result(text: &str) -> Outcome {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let cause = format!("standard output: {error}");
            problem(&Problem::new("writing the result", cause, "free some space, or write it elsewhere"));
            Outcome::NotChecked
        }
        _ => Outcome::InSync,
    }
}

/// Writes a message to standard error; whoever doesn't read it misses it.
pub(super) fn message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a problem to standard error.
pub(super) fn problem(problem: &Problem) {
    let colour = match anstream::AutoStream::choice(&io::stderr()) {
        anstream::ColorChoice::Never => human::Colour::Plain,
        _ => human::Colour::Ansi,
    };
    message(&human::problem(problem, colour));
}

/// Writes a report as the arguments ask.
pub(super) fn report(report: &Report, arguments: &OutputArguments) -> Outcome {
    report_with(report, &[], arguments)
}

/// Writes a report with what its servers say.
pub(super) fn report_with(report: &Report, definitions: &[Definitions], arguments: &OutputArguments) -> Outcome {
    match arguments.format {
        // A run that came to no server has no result to show.
        Format::Human if report.servers.is_empty() => {
            report.problems.iter().for_each(problem);
            Outcome::InSync
        }
        Format::Human => result(&human::render_with(report, definitions, &style(arguments))),
        Format::Json => result(&json::render_with(report, definitions)),
    }
}

fn style(arguments: &OutputArguments) -> human::Style {
    human::Style {
        values: if arguments.full { human::Values::Full } else { human::Values::Short },
        colour: colour(arguments.color),
        detail: match (arguments.quiet, arguments.verbose) {
            (true, _) => human::Detail::Quiet,
            (_, true) => human::Detail::Verbose,
            _ => human::Detail::Normal,
        },
    }
}

/// Whether standard output gets colour: as asked, else as NO_COLOR, CLICOLOR_FORCE and the terminal say.
pub(super) fn colour(asked: Color) -> human::Colour {
    let choice = match asked {
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
        Color::Auto => anstream::AutoStream::choice(&io::stdout()),
    };
    if choice == anstream::ColorChoice::Never { human::Colour::Plain } else { human::Colour::Ansi }
}

/// Asks a person on the terminal; `None` where there is none.
pub(super) fn ask(question: &str) -> Option<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    message(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
