//! What differs between two lockfiles: the rules of a check, without any server.

use std::collections::BTreeSet;

use super::judge;
use crate::drift;
use crate::finding::{Finding, rule};
use crate::json::{Pointer, Value};
use crate::lock::{LockedServer, Lockfile};
use crate::report::{ServerReport, State};
use crate::surface::Counts;
use crate::text;

/// Each server of either lockfile, with what a reviewer of the new one must know.
pub(super) fn differences(old: &Lockfile, new: &Lockfile) -> Vec<ServerReport> {
    let names: BTreeSet<&String> = old.servers.keys().chain(new.servers.keys()).collect();
    names.into_iter().map(|name| of_server(name, old.servers.get(name), new.servers.get(name))).collect()
}

fn of_server(name: &str, old: Option<&LockedServer>, new: Option<&LockedServer>) -> ServerReport {
    let mut report = match (old, new) {
        (Some(old), Some(new)) => {
            let mut findings = drift::launches(&old.launch, &new.launch);
            findings.extend(judge::config_finding(old.config.as_deref(), new.config.as_deref()));
            findings.extend(readings(old, new));
            let surfaces = drift::surfaces(&old.surface, &new.surface);
            // Here it isn't what a server agreed on, but what a check offers to it.
            findings.extend(surfaces.into_iter().filter(|finding| finding.rule != &rule::PROTOCOL_CHANGED));
            findings.extend(drift::novelties(&old.surface, &new.surface));
            judge::found(name, findings)
        }
        (None, Some(new)) => {
            let unpinned = Finding::new(&rule::SERVER_UNPINNED).noting("it is new in the lockfile");
            let mut findings = vec![unpinned];
            findings.extend(drift::inspect(&new.surface));
            judge::found(name, findings)
        }
        (Some(old), None) => {
            let config = old.config.as_deref().map(Value::from);
            let removed = Finding::new(&rule::SERVER_REMOVED).between(config, None);
            judge::found(name, vec![removed.noting("the new lockfile doesn't hold it")])
        }
        (None, None) => judge::blank(name, State::InSync),
    };
    report.items = new.map(|new| Counts::of(&new.surface.items));
    report.context.extend(new.and_then(|new| judge::unverified_context(&new.launch)));
    report
}

/// How a server is read: what it says may depend on each of these.
fn readings(old: &LockedServer, new: &LockedServer) -> Vec<Finding> {
    let passed = |server: &LockedServer| {
        let names = server.pass_env.iter().map(|name| name.as_str().into());
        (!server.pass_env.is_empty()).then(|| Value::Array(names.collect()))
    };
    let client = |server: &LockedServer| Some(text::terminal_line(&server.client.to_string()).as_str().into());
    let protocol = |server: &LockedServer| Some(server.surface.protocol.as_str().into());
    // A saved listing has none.
    let is_asked = |server: &LockedServer| !server.surface.protocol.is_empty();
    let same_protocol = old.surface.protocol == new.surface.protocol || !is_asked(old) || !is_asked(new);
    let resources = |server: &LockedServer| server.surface.pins_changing_resources().then_some(Value::Bool(true));
    [
        ("client", client(old), client(new), old.client == new.client),
        ("protocol", protocol(old), protocol(new), same_protocol),
        ("pass_env", passed(old), passed(new), old.pass_env == new.pass_env),
        ("pin_resources", resources(old), resources(new), resources(old) == resources(new)),
    ]
    .into_iter()
    .filter(|(.., same)| !same)
    .map(|(key, old, new, _)| Finding::new(&rule::READING_CHANGED).at(Pointer::of([key])).between(old, new))
    .collect()
}
