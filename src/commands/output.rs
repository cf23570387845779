//! Where results and everything else go.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use super::report_file;
use crate::cli::{Color, Format, OutputArguments};
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::report::definitions::Definitions;
use crate::report::{Report, github, human, json, junit, markdown, sarif};

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

/// Writes a report with what its servers say, first to the files that are asked for: one that can't be written is a problem
/// of the report itself.
pub(super) fn report_with(report: &Report, definitions: &[Definitions], arguments: &OutputArguments) -> Outcome {
    let (amended, outcome) = to_files(report, definitions, arguments);
    outcome.and(print(amended.as_ref().unwrap_or(report), definitions, arguments))
}

/// Prints a report with what its servers say, and writes no file.
pub(super) fn print(report: &Report, definitions: &[Definitions], arguments: &OutputArguments) -> Outcome {
    match arguments.format {
        // A run that came to no server has no result to show.
        Format::Human if report.servers.is_empty() => {
            report.problems.iter().for_each(problem);
            Outcome::InSync
        }
        format => result(&rendered(report, definitions, format, &style(arguments, colour(arguments.color)))),
    }
}

/// Writes the files. Where some can't be written, the others are written once more with that in them.
fn to_files(report: &Report, definitions: &[Definitions], arguments: &OutputArguments) -> (Option<Report>, Outcome) {
    let style = style(arguments, in_file(arguments.color));
    let write = |report: &Report, format: Format, path: &Path| {
        report_file::write(path, &rendered(report, definitions, format, &style))
    };
    let (mut written, mut problems) = (Vec::new(), Vec::new());
    for (format, path) in &arguments.files {
        match write(report, *format, path) {
            Ok(()) => written.push((*format, path)),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        return (None, Outcome::InSync);
    }
    let amended = problems.into_iter().fold(report.clone(), Report::with_problem);
    for (format, path) in written {
        if let Err(failed) = write(&amended, format, path) {
            problem(&failed);
        }
    }
    (Some(amended), Outcome::NotChecked)
}

fn rendered(report: &Report, definitions: &[Definitions], format: Format, style: &human::Style) -> String {
    match format {
        Format::Human => human::render_with(report, definitions, style),
        Format::Json => json::render_with(report, definitions),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report, style.detail),
        Format::Junit => junit::render(report),
        Format::Markdown => markdown::render(report, style.detail),
    }
}

/// Colour in a file only where it is demanded.
fn in_file(asked: Color) -> human::Colour {
    match asked {
        Color::Always => human::Colour::Ansi,
        Color::Auto | Color::Never => human::Colour::Plain,
    }
}

fn style(arguments: &OutputArguments, colour: human::Colour) -> human::Style {
    human::Style {
        values: if arguments.full { human::Values::Full } else { human::Values::Short },
        colour,
        detail: match (arguments.quiet, arguments.verbose) {
            (true, _) => human::Detail::Quiet,
            (_, true) => human::Detail::Verbose,
            _ => human::Detail::Normal,
        },
    }
}

/// How a report is written that goes to standard error, among questions.
pub(super) fn style_of_messages(arguments: &OutputArguments) -> human::Style {
    style(arguments, colour_on(arguments.color, &io::stderr()))
}

/// Whether standard output gets colour: as asked, else as NO_COLOR, CLICOLOR_FORCE and the terminal say.
pub(super) fn colour(asked: Color) -> human::Colour {
    colour_on(asked, &io::stdout())
}

fn colour_on(asked: Color, stream: &impl anstream::stream::RawStream) -> human::Colour {
    let choice = match asked {
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
        Color::Auto => anstream::AutoStream::choice(stream),
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
