//! The exit code, for every combination of what can become of servers: 0 in sync, 1 drift, 2 could not check.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::{marked, server};

/// What becomes of a server at the check.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    InSync,
    Drift,
    Fails,
    Disabled,
}

use Fate::{Disabled, Drift, Fails, InSync};

fn pinned(name: &str) -> Value {
    listing(&[tool("a", name)])
}

/// A project whose servers were pinned and then met their fate; they are called after it, with a number.
fn project_of(fates: &[Fate]) -> (Project, Vec<String>) {
    let names: Vec<String> = fates.iter().enumerate().map(|(index, fate)| format!("s{index}-{fate:?}")).collect();
    let mut project = Project::new();
    for name in &names {
        project.server(name, &pinned(name));
    }
    project.pin();
    for (name, fate) in names.iter().zip(fates) {
        match fate {
            InSync => {}
            Drift => project.script(name, &listing(&[tool("a", "Another text.")])),
            Fails => project
                .script(name, &json!({ "on": [{ "method": "start", "do": [{ "stderr": "no key" }, { "exit": 3 }] }] })),
            Disabled => {
                let command = crate::common::scripted_server();
                let entry = json!({ "command": command, "args": [format!("{name}.json")], "disabled": true });
                project.configure(name, entry);
            }
        }
    }
    (project, names)
}

/// How a report begins the part of a server.
fn heading(name: &str, fate: Fate) -> String {
    match fate {
        InSync => format!("in sync: `{name}`"),
        Drift => format!("drift: `{name}`"),
        Fails => format!("could not check `{name}`"),
        Disabled => format!("skipped: `{name}`"),
    }
}

#[test]
fn every_combination_has_its_exit_code_and_tells_of_every_server() {
    let fates = [InSync, Drift, Fails];
    let (project, names) = project_of(&fates);
    for (chosen, status) in
        [(&[0][..], 0), (&[1], 1), (&[2], 2), (&[0, 1], 1), (&[0, 2], 2), (&[2, 1], 1), (&[2, 0, 1], 1)]
    {
        let mut arguments = vec!["check"];
        arguments.extend(chosen.iter().map(|&index: &usize| names[index].as_str()));
        let finished = project.run(&arguments).finish();
        finished.expect_status(status).expect_stderr(&[]);
        for (index, (name, fate)) in names.iter().zip(fates).enumerate() {
            if chosen.contains(&index) {
                finished.expect_stdout(&[&heading(name, fate)]);
            } else {
                finished.expect_nowhere(&[name]);
            }
        }
    }
}

#[test]
fn a_disabled_server_changes_no_exit_code() {
    for (fates, status) in [(&[InSync, Disabled][..], 0), (&[Fails, Disabled], 2), (&[Drift, Fails, Disabled], 1)] {
        let (project, names) = project_of(fates);
        let finished = project.check();
        finished.expect_status(status).expect_stderr(&[]);
        for (name, fate) in names.iter().zip(fates) {
            finished.expect_stdout(&[&heading(name, *fate)]);
        }
    }
}

#[test]
fn drift_and_a_failure_together_are_drift_and_both_are_listed_in_every_mode() {
    let (project, names) = project_of(&[Drift, Fails, InSync]);
    for mode in [&["check"][..], &["check", "-q"], &["check", "-v"], &["check", "--full"]] {
        let finished = project.run(mode).finish();
        // A verbose run tells how long each server took.
        finished.expect_status(1).expect_stderr(if mode.contains(&"-v") { &[" was read in "] } else { &[] });
        finished.expect_stdout(&["description-changed", &format!("could not check `{}`", names[1]), "no key"]);
        finished.expect_stdout(&["1 drifted", "1 not checked"]);
    }
    let finished = project.run(&["check", "--format", "json"]).finish();
    finished.expect_status(1).expect_stderr(&[]);
    let report = finished.json();
    assert_eq!((&report["outcome"], &report["exit_code"]), (&json!("drift"), &json!(1)));
    let states: Vec<&Value> = names.iter().map(|name| &server(&report, name)["state"]).collect();
    assert_eq!(states, ["drift", "not-checked", "in-sync"]);
    let problem = &server(&report, &names[1])["problem"];
    assert!(problem["cause"].as_str().is_some_and(|cause| cause.contains("no key")), "{problem}");
    assert!(problem["help"].as_str().is_some_and(|help| !help.is_empty()), "{problem}");
}

#[test]
fn a_server_that_fails_is_never_said_to_have_lost_its_tools() {
    let (project, names) = project_of(&[Fails]);
    let finished = project.check();
    finished.expect_refused(&[&format!("could not check `{}`", names[0]), "3", "no key"]);
    finished.expect_stdout(&["check: 1 server, 1 not checked; nothing is known of what could not be checked"]);
}

#[test]
fn a_program_that_does_not_exist_is_a_server_not_checked() {
    let mut project = Project::new();
    project.server("crm", &pinned("crm"));
    project.pin();
    let lockfile = project.lockfile();
    // The pinned launch itself is gone, so the lockfile agrees with the configuration.
    let gone = lockfile.replace("scripted-server", "scripted-server-that-is-gone");
    project.write("mcp-tools.lock", &gone);
    project.write(".mcp.json", project.read(".mcp.json").replace("scripted-server", "scripted-server-that-is-gone"));
    let finished = project.check();
    finished.expect_refused(&["could not check `crm`", "scripted-server-that-is-gone", "help:"]);
    assert_eq!(project.lockfile(), gone);
}

#[test]
fn an_address_where_nobody_listens_is_a_server_not_checked() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    drop(listener);
    let mut project = Project::with_server("crm", &pinned("crm"));
    project.pin();
    project.configure("crm", json!({ "url": url }));
    let lockfile = project.lockfile();
    let start = lockfile.find("command = ").expect("a launch");
    let end = lockfile.find("client = ").expect("a client");
    project.write("mcp-tools.lock", format!("{}url = \"{url}\"\n{}", &lockfile[..start], &lockfile[end..]));
    let finished = project.check();
    finished.expect_refused(&["could not check `crm`", "help:"]);
}

#[test]
fn an_answer_with_a_repeated_key_could_not_be_checked_and_its_place_is_named() {
    for (what, text) in [
        ("tool", r#"{"name":"a","description":"poison","description":"a","inputSchema":{"type":"object"}}"#),
        ("schema", r#"{"name":"a","description":"a","inputSchema":{"type":"object","type":"object"}}"#),
        ("escaped", r#"{"name":"a","description":"a","inputSchema":{"type":"object","\u0074ype":"object"}}"#),
    ] {
        let project = Project::with_server("crm", &listing(&[tool("a", "a")]));
        project.pin();
        let lockfile = project.lockfile();
        project.script("crm", &json!({ "tools": [text] }));
        project.check().expect_refused(&["could not check `crm`", "repeated key"]);
        let pin = project.run(&["pin", "--yes"]).finish();
        pin.expect_status(2).expect_stdout(&["repeated key", "nothing was written"]);
        assert_eq!(project.lockfile(), lockfile, "{what}");
    }
}

#[test]
fn only_the_selected_servers_decide_and_are_started() {
    let mut project = Project::new();
    project.server("good", &marked(pinned("good"), "good-started"));
    project.server("bad", &marked(pinned("bad"), "bad-started"));
    project.pin();
    std::fs::remove_file(project.path("bad-started")).expect("pinned");
    project.script("bad", &marked(listing(&[tool("a", "Other.")]), "bad-started"));
    let finished = project.run(&["check", "good"]).finish();
    finished.expect_status(0).expect_stdout(&["check: 1 server in sync"]).expect_stderr(&[]);
    finished.expect_nowhere(&["bad"]);
    assert!(!project.exists("bad-started"));
    project.run(&["check", "good", "bad"]).finish().expect_status(1);
}

#[test]
fn a_disabled_server_is_skipped_but_not_when_it_is_named() {
    let (project, names) = project_of(&[InSync, Disabled]);
    let lockfile = project.lockfile();
    let finished = project.check();
    finished.expect_status(0).expect_stderr(&[]);
    finished.expect_stdout(&[&format!("skipped: `{}`", names[1]), "\"disabled\": true", "1 in sync, 1 skipped"]);
    for command in [&["check", &names[1]][..], &["verify", &names[1]], &["pin", "--yes", &names[1]]] {
        let finished = project.run(command).finish();
        finished.expect_status(2).expect_stdout(&[&format!("could not check `{}`", names[1]), "disabled"]);
    }
    project.pin();
    assert_eq!(project.lockfile(), lockfile, "its pins stay as they are");
}

#[test]
fn a_project_whose_servers_are_all_disabled_says_that_nothing_was_checked() {
    let (project, names) = project_of(&[Disabled]);
    let finished = project.check();
    finished.expect_stderr(&[]).expect_stdout(&[&format!("skipped: `{}`", names[0]), "1 skipped"]);
    finished.expect_nowhere(&["in sync"]);
}
