//! What must be settled before `pin` starts a server, and before it writes what the server said.

use super::judge;
use super::output;
use super::selection::shown;
use crate::cli::PinArguments;
use crate::config::ConfiguredServer;
use crate::json::{Pointer, Value};
use crate::launch::{Launch, Protected, Transport, literal_secrets};
use crate::lock::LockedServer;
use crate::problem::Problem;
use crate::report::{Report, ServerReport};
use crate::surface::{Kind, Surface};
use crate::text;

/// A problem for each secret that a launch holds literally and that the lockfile would then hold too.
pub(super) fn secrets(server: &ConfiguredServer, launch: &Launch) -> Vec<Problem> {
    let in_server = |problem: Problem| Problem {
        cause: format!("server \"{}\" in {}: {}", server.name, server.origin(), problem.cause),
        ..problem
    };
    literal_secrets(launch).iter().map(|secret| in_server(Problem::from(secret))).collect()
}

/// Whether a person has agreed to start what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// By `--yes`.
    Given,
    /// Not yet.
    Unasked,
}

impl Consent {
    /// What `--yes` says.
    pub(super) fn of(yes: bool) -> Self {
        if yes { Consent::Given } else { Consent::Unasked }
    }
}

/// Shows the launches that the lockfile doesn't hold, or holds otherwise, and asks whether they may be started.
pub(super) fn ask(
    servers: &[(&ConfiguredServer, &Launch, Option<&LockedServer>)],
    consent: Consent,
) -> Result<(), Problem> {
    let mut texts = Vec::new();
    for (server, launch, locked) in servers {
        let word = match locked {
            None => "new",
            Some(locked) if judge::launch_findings(locked, server).is_empty() => continue,
            Some(_) => "changed",
        };
        texts.push(format!(
            "{} launch of {} ({}):\n{}",
            word,
            shown(&server.name),
            text::terminal_line(server.origin()),
            lines(launch)
        ));
    }
    if texts.is_empty() {
        return Ok(());
    }
    output::message(&format!("{}\n", texts.join("\n")));
    if consent == Consent::Given {
        return Ok(());
    }
    let question = if texts.len() == 1 { "start it?" } else { "start them?" };
    match output::ask(question) {
        Some(true) => Ok(()),
        Some(false) => Err(Problem::new(
            "asking for consent",
            "declined; nothing was started",
            "read the launch again, then run the command again",
        )),
        None => Err(Problem::new(
            "asking for consent",
            "new or changed launches are not started without consent, and there is no terminal to ask on; \
             nothing was started and nothing was written",
            "read the launches above, then run the command again with --yes",
        )),
    }
}

/// A launch as a person reads it, one thing a line.
fn lines(launch: &Launch) -> String {
    let mut lines = Vec::new();
    let launch = launch.without_secrets();
    match &launch.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let words: Vec<String> = std::iter::once(command).chain(args).map(|word| text::shell_word(word)).collect();
            lines.push(words.join(" "));
            lines.extend(env.iter().map(|(name, value)| format!("env {name}={value}")));
            lines.extend(cwd.iter().map(|cwd| format!("in {cwd}")));
        }
        Transport::Saved => {}
        Transport::Http { url, headers } => {
            lines.push(url.clone());
            lines.extend(headers.iter().map(|(name, value)| format!("header {name}: {value}")));
        }
    }
    lines.extend(launch.unverified.iter().map(|name| format!("{name}: literal value, not pinned")));
    lines.extend(
        launch.options.iter().map(|(name, value)| format!("option {name} = {}", crate::json::canonical(value))),
    );
    lines.iter().map(|line| format!("  | {}\n", text::terminal_line(line))).collect()
}

/// A problem if a server repeats a value that came from our environment: the lockfile would leak it, or differ on each
/// machine.
pub(super) fn protected_value(surface: &Surface, protected: &Protected) -> Option<Problem> {
    let found = |whose: String, pointer: &Pointer| {
        Problem::new(
            "pinning",
            format!("{whose}: the text at {} repeats a value that came from a variable", place(pointer)),
            "this text differs on each machine or tells a secret; ask the server's author, or start it with another value",
        )
    };
    let instructions = surface.about.instructions.as_deref().map(Value::from);
    let about = Value::Object(surface.about.members.clone());
    if let Some(pointer) = instructions.and_then(|text| holding(&text, Pointer::of(["instructions"]), protected)) {
        return Some(found("the server".to_owned(), &pointer));
    }
    if surface.about.release.as_deref().is_some_and(|release| protected.find(release)) {
        return Some(found("the server".to_owned(), &Pointer::of(["serverInfo", "version"])));
    }
    if let Some(pointer) = holding(&about, Pointer::root(), protected) {
        return Some(found("the server".to_owned(), &pointer));
    }
    surface.items.iter().find_map(|item| {
        let pointer = holding(&Value::Object(item.object()), Pointer::root(), protected)?;
        Some(found(format!("{} \"{}\"", item.kind, item.name), &pointer))
    })
}

/// A problem if a server repeats the path of the home folder: its definition would differ on each machine.
pub(super) fn home_folder(surface: &Surface) -> Option<Problem> {
    let mut home = Protected::default();
    home.add_from_environment(&std::env::var("HOME").ok()?);
    let problem = protected_value(surface, &home)?;
    let cause = problem.cause.replace("a value that came from a variable", "the path of your home folder");
    let help = "this text differs on each machine; give the server another folder, or a relative path";
    Some(Problem::new(problem.step, cause, help))
}

fn place(pointer: &Pointer) -> String {
    if pointer.is_root() { "its root".to_owned() } else { pointer.to_string() }
}

/// The first place of a value whose text, or whose key, holds a protected value.
fn holding(value: &Value, pointer: Pointer, protected: &Protected) -> Option<Pointer> {
    match value {
        Value::String(text) => protected.find(text).then_some(pointer),
        Value::Array(elements) => {
            elements.iter().enumerate().find_map(|(index, element)| holding(element, pointer.join(index), protected))
        }
        Value::Object(object) => object.iter().find_map(|(key, member)| {
            if protected.find(key) { Some(pointer.clone()) } else { holding(member, pointer.join(key), protected) }
        }),
        _ => None,
    }
}

/// A problem if a server lists nothing although it declares tools, or had some, and nobody said that this is meant.
pub(super) fn empty_listing(
    locked: Option<&LockedServer>,
    surface: &Surface,
    arguments: &PinArguments,
) -> Option<Problem> {
    let had_some = locked.is_some_and(|locked| locked.surface.has(Kind::Tool));
    let suspicious = !surface.has(Kind::Tool) && (surface.about.declares("tools") || had_some);
    (suspicious && !arguments.allow_empty).then(|| {
        let cause =
            if had_some { "the server lists no tools any more" } else { "the server declares tools and lists none" };
        Problem::new(
            "pinning",
            cause,
            "make sure that it is configured and signed in; if it is meant, add --allow-empty",
        )
    })
}

/// Whether a server says what the user was shown, or the user doesn't say what that was.
pub(super) fn is_expected(report: &ServerReport, arguments: &PinArguments) -> bool {
    let expected = arguments.expect.as_deref();
    expected.is_none_or(|expected| report.surface.as_ref().is_some_and(|read| read.as_str() == expected))
}

/// A problem if the one server that was read says something else than what the user was shown.
pub(super) fn unexpected(report: &Report, arguments: &PinArguments) -> Option<Problem> {
    let (server, read) = report.servers.iter().find_map(|server| Some((server, server.surface.as_ref()?)))?;
    (!is_expected(server, arguments)).then(|| {
        Problem::new(
            "pinning",
            format!("the server says something else than what you were shown: {read}"),
            "nothing was written; check it again and read what it says now",
        )
    })
}

/// The names of what a server that is new to the lockfile offers.
pub(super) fn names(surface: &Surface) -> String {
    const MOST: usize = 30;
    let names: Vec<String> = surface.items.iter().take(MOST).map(|item| shown(&item.name)).collect();
    match (names.len(), surface.items.len() - names.len()) {
        (0, _) => "it offers nothing".to_owned(),
        (_, 0) => names.join(", "),
        (_, more) => format!("{} and {more} more", names.join(", ")),
    }
}
