//! Every server: pinned as it really is, then in sync whoever checks it, and no process stays.

use std::thread;

use crate::capture::ClientKind;
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
        let raw = scope.spawn(|| server.capture(ClientKind::Full));
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
    assert_eq!((pinned.tools.len(), pinned.protocol.as_str()), (server.tools, server.protocol));
    for (name, value) in &server.secrets {
        assert!(!text.contains(value), "the value of {name} is in the lockfile");
    }

    for variables in CHECKERS {
        let run = variables.iter().fold(server.run(&project, &["check"]), |run, (name, value)| run.env(name, value));
        let tools = if server.tools == 1 { "1 tool".to_owned() } else { format!("{} tools", server.tools) };
        expect_status_0(&server, run.finish())
            .expect_stdout(&[&format!("in sync: `{}`, {tools}", server.name)])
            .expect_stderr(&[]);
        processes::expect_none(&project);
    }

    // Every launch is approved, so nobody has to say yes.
    expect_status_0(&server, server.run(&project, &["pin"]).finish());
    processes::expect_none(&project);
    assert_eq!(project.lockfile(), text);
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
        let fixed = scope.spawn(|| server.capture(ClientKind::Full));
        let other = server.capture_with(ClientKind::Full, &[variable]);
        (fixed.join().expect("captured"), other)
    });
    assert_eq!(fixed.tools.len(), other.tools.len());
    fixed.tools.iter().filter(|&(name, tool)| other.tools[name] != *tool).count()
}
