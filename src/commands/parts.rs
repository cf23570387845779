//! Parts of what a server says, as a user names them: to accept some of it and leave the rest as it was approved.

use std::collections::BTreeSet;

use super::selection::shown;
use crate::cli::PartsArguments;
use crate::finding::Finding;
use crate::invocation;
use crate::lock::{self, Accepted, LockedServer, Lockfile, Part, Refusal};
use crate::problem::Problem;
use crate::report::{ServerReport, State};
use crate::surface::{Kind, Surface};
use crate::text;

const STEP: &str = "accepting parts";

/// What the arguments accept: parts if any is named, else everything.
pub(super) fn accepted(arguments: &PartsArguments) -> Accepted {
    let PartsArguments { tools, prompts, resources, templates, interfaces, about } = arguments;
    let of_kinds = [
        (Kind::Tool, tools),
        (Kind::Prompt, prompts),
        (Kind::Resource, resources),
        (Kind::Template, templates),
        (Kind::Interface, interfaces),
    ];
    let items =
        of_kinds.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| Part::Item(kind, name.clone())));
    let parts: BTreeSet<Part> = items.chain(about.then_some(Part::About)).collect();
    if parts.is_empty() { Accepted::Everything } else { Accepted::Parts(parts) }
}

/// The part that a finding is about.
pub(super) fn of(finding: &Finding) -> Part {
    finding.item.as_ref().map_or(Part::About, |item| Part::Item(item.kind, item.name.clone()))
}

/// The option that accepts this part, as a user types it.
pub(super) fn option(part: &Part) -> String {
    match part {
        Part::About => "--about".to_owned(),
        Part::Item(kind, name) => text::shell_option(&format!("--{}", kind.as_str()), name),
    }
}

/// A part as messages name it.
pub(super) fn name(part: &Part) -> String {
    match part {
        Part::About => "what the server says of itself".to_owned(),
        Part::Item(kind, name) => format!("{} {}", kind.noun(), shown(name)),
    }
}

/// The first of many parts, and how many more there are.
pub(super) fn names(parts: &BTreeSet<Part>) -> String {
    const MOST: usize = 10;
    let names: Vec<String> = parts.iter().take(MOST).map(name).collect();
    match parts.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// What is approved of a server that is reached and read as `read` says, if parts of it can be accepted.
///
/// # Errors
/// When it isn't the server that was approved.
pub(super) fn approved<'a>(
    lockfile: &'a Lockfile,
    server: &str,
    read: &LockedServer,
) -> Result<&'a LockedServer, Problem> {
    lock::accepts_parts(lockfile, server, read).map_err(|refusal| refused(server, &refusal, &Surface::default()))
}

/// Why parts of a server that says this can't be accepted, and what to do instead.
pub(super) fn refused(server: &str, refusal: &Refusal, says: &Surface) -> Problem {
    let mcp_pin = invocation::words("mcp-pin");
    let whole = format!("{mcp_pin} pin {}", text::shell_word(server));
    let help = match refusal {
        Refusal::Unpinned | Refusal::LaunchChanged => format!("read all of it, then pin it whole: {whole}"),
        Refusal::ReadOtherwise => format!("leave those options out, or pin it whole: {whole}"),
        Refusal::ResourcesUnpinned(_) => format!("pin them all: {whole} --pin-resources"),
        Refusal::NoSuchItem(kind, name) => {
            let names = says.items.iter().filter(|item| item.kind == *kind).map(|item| item.name.as_str());
            match text::nearest(name, names) {
                Some(nearest) => format!("did you mean {}?", shown(nearest)),
                None => format!("see its names: {mcp_pin} check {}", text::shell_word(server)),
            }
        }
    };
    Problem::new(STEP, format!("server \"{server}\": {refusal}"), help)
}

/// Leaves in a report what is accepted, and says what is not: with that the server still differs.
pub(super) fn only_accepted(report: &mut ServerReport, accepted: &Accepted) {
    let Accepted::Parts(parts) = accepted else { return };
    let is_left = |finding: &Finding| finding.level.fails() && !parts.contains(&of(finding));
    let left: BTreeSet<Part> = report.findings.iter().filter(|finding| is_left(finding)).map(of).collect();
    report.findings.retain(|finding| parts.contains(&of(finding)));
    if !left.is_empty() {
        report.state = State::Drift;
        report.context.push(format!("not accepted, so it stays as it was approved: {}", names(&left)));
    }
}
