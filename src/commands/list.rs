//! `mcp-pin list`: what the lockfile holds. No server is asked.

use std::fmt::Write;

use super::output;
use super::selection::{Selection, shown};
use super::workspace::Workspace;
use crate::cli::ListArguments;
use crate::exit::Outcome;
use crate::json::{Object, Value, canonical};
use crate::launch::Transport;
use crate::lock::{LockedServer, Lockfile};
use crate::problem::Problem;
use crate::surface::Counts;
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &ListArguments) -> Outcome {
    match listed(arguments) {
        Ok(text) => output::result(&text),
        Err(problems) => {
            problems.iter().for_each(output::problem);
            Outcome::NotChecked
        }
    }
}

fn listed(arguments: &ListArguments) -> Result<String, Vec<Problem>> {
    let workspace = Workspace::open(&arguments.project)?;
    let (lockfile, _) = workspace.load()?;
    let selection = Selection::named(&arguments.servers);
    selection.apply(Vec::new(), &lockfile)?;
    Ok(render(&lockfile, &selection))
}

fn render(lockfile: &Lockfile, selection: &Selection) -> String {
    let mut out = String::new();
    let mut counts = Vec::new();
    let mut servers = 0;
    for (name, server) in lockfile.servers.iter().filter(|(name, _)| selection.includes(name)) {
        servers += 1;
        counts.push(Counts::of(&server.surface.items));
        render_server(name, server, &mut out);
    }
    // Writing to a String can't fail, here and below.
    let servers = format!("{servers} server{}", if servers == 1 { "" } else { "s" });
    let _ = writeln!(out, "{servers}, {} pinned; no server was asked", counts.into_iter().sum::<Counts>());
    out
}

fn render_server(name: &str, server: &LockedServer, out: &mut String) {
    let surface = &server.surface;
    let _ = writeln!(
        out,
        "server {} ({})",
        shown(name),
        server.config.as_deref().map_or_else(|| "given on the command line".to_owned(), text::terminal_line)
    );
    let launch = match &server.launch.without_secrets().transport {
        Transport::Stdio { command, args, .. } => {
            std::iter::once(command).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Transport::Http { url, .. } => url.clone(),
        Transport::Saved => "none, a saved listing".to_owned(),
    };
    let _ = writeln!(out, "  launch        {}", text::terminal_line(&launch));
    if server.launch.transport != Transport::Saved {
        let release = surface.about.release.as_deref().unwrap_or("unknown release");
        let _ = writeln!(
            out,
            "  release       {} (protocol {})",
            text::terminal_line(release),
            text::terminal_line(&surface.protocol)
        );
        let _ = writeln!(out, "  client        {}", text::terminal_line(&server.client.to_string()));
    }
    if let Some(instructions) = &surface.about.instructions {
        let _ = writeln!(out, "  instructions  {} characters", instructions.chars().count());
    }
    for item in &surface.items {
        let object = item.object();
        let _ = writeln!(
            out,
            "  {} {}  {}{}",
            item.kind,
            shown(&item.name),
            characters(text_for_the_model(&object)),
            hints(&object)
        );
    }
    let _ = writeln!(out);
}

fn characters(number: usize) -> String {
    format!("{} character{}", text::count(number), if number == 1 { "" } else { "s" })
}

/// How many characters of an item go to the model: what it is called, its description and its input schema.
fn text_for_the_model(object: &Object) -> usize {
    ["name", "uri", "uriTemplate", "description", "inputSchema"]
        .iter()
        .filter_map(|member| object.get(member))
        .map(|value| match value {
            Value::String(text) => text.chars().count(),
            other => canonical(other).chars().count(),
        })
        .sum()
}

/// The hints that a tool gives, as it gives them.
fn hints(object: &Object) -> String {
    const HINTS: [(&str, &str, &str); 4] = [
        ("readOnlyHint", "read-only", "not read-only"),
        ("destructiveHint", "destructive", "not destructive"),
        ("idempotentHint", "idempotent", "not idempotent"),
        ("openWorldHint", "open world", "closed world"),
    ];
    let annotations = object.get("annotations");
    let given: Vec<&str> = HINTS
        .iter()
        .filter_map(|(name, yes, no)| Some(if annotations?.get(name)?.as_bool()? { *yes } else { *no }))
        .collect();
    if given.is_empty() { String::new() } else { format!("  ({})", given.join(", ")) }
}
