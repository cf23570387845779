//! `mcp-pin show`: one definition, or all of a server, whole. From the lockfile, or from the server itself.

use super::approval::Consent;
use super::client;
use super::live::{self, Live, Wanted};
use super::output;
use super::policing::Policing;
use super::progress::Times;
use super::selection::{Selection, shown};
use super::workspace::{Workspace, both};
use crate::cli::{ReadArguments, ShowArguments, ShowFormat};
use crate::config::State as Configured;
use crate::exit::Outcome;
use crate::invocation;
use crate::json::{Value, pretty};
use crate::problem::Problem;
use crate::report::definitions::{Definition, Definitions, without_commands};
use crate::report::human::Values;
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &ShowArguments) -> Outcome {
    let shown = if arguments.live { from_server(arguments) } else { from_lockfile(arguments) };
    match shown {
        Ok(text) => output::result(&text),
        Err(problems) => {
            problems.iter().for_each(output::problem);
            Outcome::NotChecked
        }
    }
}

fn from_lockfile(arguments: &ShowArguments) -> Result<String, Vec<Problem>> {
    let read = &arguments.read;
    if !read.command.is_empty() || read.url.is_some() || !read.environment.is_empty() || read.cwd.is_some() {
        let help = "add --live to read the server, or leave the launch out";
        return Err(vec![Problem::new(STEP, "a launch is given and no server is read", help)]);
    }
    let workspace = Workspace::open(&arguments.project)?;
    let (lockfile, _) = workspace.load()?;
    let wanted = word(read);
    let names: Vec<&str> = lockfile.servers.keys().map(String::as_str).collect();
    let target = Target::of(wanted, &names, "pinned").map_err(|problem| vec![problem])?;
    let Some(locked) = lockfile.servers.get(target.server) else { return Err(vec![unknown(wanted, &names, "pinned")]) };
    let definitions = Definitions::of(target.server, &locked.client, &locked.surface);
    let origin = format!("from {}, no server was asked", text::terminal_line(&workspace.lockfile.shown()));
    rendered(&definitions, &target, arguments.format, &origin).map_err(|problem| vec![problem])
}

fn from_server(arguments: &ShowArguments) -> Result<String, Vec<Problem>> {
    let one = |problem| vec![problem];
    let workspace = Workspace::open(&arguments.project)?;
    let ((lockfile, _), configured) = both(workspace.load_or_new(), workspace.servers())?;
    let wanted = word(&arguments.read).to_owned();
    // A launch given by hand has no name yet but this one.
    let by_hand = !arguments.read.command.is_empty() || arguments.read.url.is_some();
    let hand_name = wanted.split('/').next().unwrap_or_default();
    let names: Vec<&str> = match by_hand {
        true => vec![hand_name],
        false => configured.iter().map(|server| server.name.as_str()).collect(),
    };
    let target = Target::of(&wanted, &names, "configured").map_err(one)?;
    let read = ReadArguments { servers: vec![target.server.to_owned()], ..arguments.read.clone() };
    let selection = Selection::of(&read, &workspace.folder).map_err(one)?;
    let mut selected = selection.apply(configured.clone(), &lockfile)?;
    let Some(server) = selected.pop() else { return Err(vec![unknown(&wanted, &names, "configured")]) };
    if server.state == Configured::Disabled {
        let cause = format!("\"{}\" is disabled in {}", server.name, server.origin());
        return Err(vec![Problem::new(STEP, cause, "enable it in the configuration, or show what is pinned")]);
    }
    let locked = lockfile.servers.get(&server.name);
    let policing = Policing::of(&workspace)?;
    let client =
        client::of(&policing.reading(target.server, &read), locked.map(|locked| &locked.client)).map_err(one)?;
    let wanted = vec![Wanted { server, client, locked }];
    let live = live::read(wanted, &read, &policing, Consent::of(arguments.yes), Times::Untold)?;
    let Some(Live { server, client, protected, result, .. }) = live.into_iter().next() else { return Err(Vec::new()) };
    let readings = result.map_err(|problem| vec![live::masked(problem, &protected)])?;
    let definitions = Definitions::of(&server.name, &client, &readings.surface).masked(&protected);
    let steady = match readings.earlier.is_empty() && readings.ambiguous.is_empty() {
        true => String::new(),
        false => {
            let mcp_pin = invocation::words("mcp-pin");
            format!("; its readings differ, see {mcp_pin} inspect {}", text::shell_word(&server.name))
        }
    };
    let (client, protocol) = (client.to_string(), &readings.surface.protocol);
    let origin = format!("from the server, read as {client} in protocol {protocol}; compared with nothing{steady}");
    rendered(&definitions, &target, arguments.format, &text::terminal_line(&origin)).map_err(one)
}

const STEP: &str = "choosing what to show";

/// The one word that says what is wanted.
fn word(arguments: &ReadArguments) -> &str {
    arguments.servers.first().map(String::as_str).unwrap_or_default()
}

/// What a word of the command line means.
#[derive(Debug, PartialEq)]
struct Target<'a> {
    server: &'a str,
    /// The item's name; without one, all of the server.
    item: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// Both kinds of names may hold slashes: of the servers that can be meant, it is the one with the longest name.
    fn of(wanted: &'a str, servers: &[&str], origin: &str) -> Result<Self, Problem> {
        let matching = servers.iter().filter_map(|server| match wanted.strip_prefix(server)? {
            "" => Some((wanted, None)),
            rest => Some((&wanted[..server.len()], Some(rest.strip_prefix('/')?))),
        });
        let longest = matching.max_by_key(|(server, _)| server.len());
        longest.map(|(server, item)| Self { server, item }).ok_or_else(|| unknown(wanted, servers, origin))
    }
}

fn unknown(wanted: &str, servers: &[&str], origin: &str) -> Problem {
    let parts = [wanted, wanted.split('/').next().unwrap_or_default()];
    let near = parts.into_iter().find_map(|part| text::nearest(part, servers.iter().copied()));
    let mcp_pin = invocation::words("mcp-pin");
    let help = match near {
        Some(near) => format!("did you mean \"{near}\"? {mcp_pin} list shows what is pinned"),
        None if origin == "pinned" => format!("{mcp_pin} list shows what is pinned"),
        None => format!("configured: {}", servers.join(", ")),
    };
    Problem::new(STEP, format!("no {origin} server is called \"{wanted}\""), help)
}

/// What is wanted of a server, as a person or a program reads it.
fn rendered(
    definitions: &Definitions,
    target: &Target<'_>,
    format: ShowFormat,
    origin: &str,
) -> Result<String, Problem> {
    let Some(item) = target.item else {
        return Ok(match format {
            ShowFormat::Json => json(&definitions.value()),
            ShowFormat::Human => format!("{}\n{origin}\n", definitions.text(Values::Full).text),
        });
    };
    let of_name: Vec<&Definition> = definitions.items.iter().filter(|definition| definition.name == item).collect();
    if of_name.is_empty() {
        let cause = format!("{} has no item called \"{item}\"", shown(target.server));
        let near = text::nearest(item, definitions.items.iter().map(|definition| definition.name.as_str()));
        let list =
            format!("{} list {} shows what is pinned", invocation::words("mcp-pin"), text::shell_word(target.server));
        let help = match near {
            Some(near) => format!("did you mean \"{near}\"? {list}"),
            None => list,
        };
        return Err(Problem::new(STEP, cause, help));
    }
    Ok(match (format, of_name.as_slice()) {
        (ShowFormat::Json, [only]) => json(&Value::Object(only.object.clone())),
        (ShowFormat::Json, all) => {
            json(&Value::Array(all.iter().map(|one| Value::Object(one.object.clone())).collect()))
        }
        (ShowFormat::Human, _) => {
            let texts = of_name.iter().map(|definition| definition.text(Values::Full).text + "\n");
            format!("{}{origin}\n", texts.collect::<String>())
        }
    })
}

/// A document for programs in which nothing acts on a terminal or a log.
fn json(value: &Value) -> String {
    without_commands(&pretty(value)) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_server_s_name_is_meant() {
        let servers = ["a", "a/b", "c"];
        let target = |wanted| Target::of(wanted, &servers, "pinned").map(|target| (target.server, target.item));
        assert_eq!(target("a"), Ok(("a", None)));
        assert_eq!(target("a/b"), Ok(("a/b", None)));
        assert_eq!(target("a/b/c/d"), Ok(("a/b", Some("c/d"))));
        assert_eq!(target("a/x/y"), Ok(("a", Some("x/y"))));
        assert_eq!(target("a/"), Ok(("a", Some(""))));
    }

    #[test]
    fn an_unknown_server_gets_the_nearest() {
        let help = |wanted| Target::of(wanted, &["github"], "pinned").map_err(|problem| problem.help);
        assert_eq!(help("githup"), Err("did you mean \"github\"? mcp-pin list shows what is pinned".to_owned()));
        assert_eq!(help("githup/search"), Err("did you mean \"github\"? mcp-pin list shows what is pinned".to_owned()));
        assert_eq!(help("zzz"), Err("mcp-pin list shows what is pinned".to_owned()));
    }
}
