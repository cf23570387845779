//! Every server: pinned as it really is, then in sync whoever checks it, and no process stays.

use std::collections::BTreeMap;
use std::thread;

use crate::capture::{Client, Kind};
use crate::common::{Finished, Project};
use crate::servers::{self, Server};
use crate::{lockfile, processes, skipped};

/// What the environments of three people who check the same lockfile have beside a path and a home.
const CHECKERS: [&[(&str, &str)]; 3] = [
    &[],
    &[("TZ", "Asia/Tokyo"), ("LANG", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("PYTHONHASHSEED", "7")],
    &[("CI", "true"), ("GITHUB_ACTIONS", "true"), ("TZ", "America/New_York"), ("PYTHONHASHSEED", "random")],
];

#[test]
fn everything_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::everything);
}

#[test]
fn filesystem_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::filesystem);
}

#[test]
fn memory_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::memory);
}

#[test]
fn sequential_thinking_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::sequential_thinking);
}

#[test]
fn playwright_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::playwright);
}

#[test]
fn git_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::git);
}

#[test]
fn time_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::time);
}

#[test]
fn fetch_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::fetch);
}

#[test]
fn atlassian_is_pinned_as_it_is_and_stays_in_sync() {
    stays_in_sync(servers::atlassian);
}

#[test]
fn the_resource_of_memory_is_pinned_as_it_is_where_the_user_wants_it() {
    if skipped() {
        return;
    }
    let server = servers::memory();
    let mut project = Project::new();
    project.configure(server.name, server.entry());
    let raw = server.capture(Client::FULL);
    project.run(&["pin", "--yes", "--pin-resources"]).finish().expect_status(0);
    let pinned = lockfile::pinned(&project.lockfile(), server.name);
    pinned.expect(&raw);
    assert_eq!(pinned.counts(), BTreeMap::from([(Kind::Tool, 9), (Kind::Resource, 1)]));
    project.check().expect_status(0).expect_stdout(&["in sync: `memory`, 9 tools, 1 resource"]).expect_stderr(&[]);
    processes::expect_none(&project);
}

// Without the variables that mcp-pin fixes, the checks would find drift.

#[test]
fn the_time_zone_is_in_the_listing_of_time() {
    if skipped() {
        return;
    }
    assert!(differing(&servers::time(), ("TZ", "Asia/Tokyo")) > 0);
}

#[test]
fn the_hash_seed_is_in_the_listing_of_atlassian() {
    if skipped() {
        return;
    }
    assert!(differing(&servers::atlassian(), ("PYTHONHASHSEED", "7")) > 0);
}

fn stays_in_sync(server: fn() -> Server) {
    if skipped() {
        return;
    }
    let server = server();
    let mut project = Project::new();
    project.configure(server.name, server.entry());
    let raw = thread::scope(|scope| {
        let raw = scope.spawn(|| server.capture(Client::FULL));
        expect_status_0(
            &server,
            processes::expect_started_and_ended(&project, &server.program, || {
                server.run(&project, &["pin", "--yes"]).finish()
            }),
        );
        raw.join().expect("captured")
    });
    let text = project.lockfile();
    let pinned = lockfile::pinned(&text, server.name);
    pinned.expect(&raw);
    assert_eq!((pinned.counts(), pinned.protocol.as_str()), (server.counts(), server.protocol));
    for (name, value) in &server.secrets {
        assert!(!text.contains(value), "the value of {name} is in the lockfile");
    }

    for variables in CHECKERS {
        let run = variables.iter().fold(server.run(&project, &["check"]), |run, (name, value)| run.env(name, value));
        let finished = expect_status_0(&server, run.finish());
        finished.expect_stderr(&[]);
        let told = format!("in sync: `{}`, {}", server.name, in_words(&server.counts()));
        let rest = finished.stdout.strip_prefix(&told).unwrap_or_else(|| panic!("no {told} in {}", finished.stdout));
        let ends = ["\n", ", which may change", "; its resources change by themselves"];
        assert!(ends.iter().any(|end| rest.starts_with(end)), "{}", finished.stdout);
        processes::expect_none(&project);
    }

    // Every launch is approved, so nobody has to say yes.
    expect_status_0(&server, server.run(&project, &["pin"]).finish());
    processes::expect_none(&project);
    assert_eq!(project.lockfile(), text);
}

/// As a check tells them.
fn in_words(counts: &BTreeMap<Kind, usize>) -> String {
    let words = counts.iter().map(|(kind, count)| {
        let noun = match kind {
            Kind::Tool => "tool",
            Kind::Prompt => "prompt",
            Kind::Resource => "resource",
            Kind::Template => "template",
            Kind::Interface => "user interface",
        };
        format!("{count} {noun}{}", if *count == 1 { "" } else { "s" })
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The run succeeded and showed no secret.
#[track_caller]
fn expect_status_0(server: &Server, run: Finished) -> Finished {
    let secrets: Vec<&str> = server.secrets.iter().map(|&(_, value)| value).collect();
    run.expect_status(0).expect_nowhere(&secrets);
    run
}

/// How many tools a variable's other value changes.
fn differing(server: &Server, variable: (&str, &str)) -> usize {
    let (fixed, other) = thread::scope(|scope| {
        let fixed = scope.spawn(|| server.capture(Client::FULL));
        let other = server.capture_with(Client::FULL, &[variable]);
        (fixed.join().expect("captured"), other)
    });
    assert_eq!(fixed.tools().len(), other.tools().len());
    fixed.tools().iter().filter(|&(name, tool)| other.tools()[name] != *tool).count()
}
