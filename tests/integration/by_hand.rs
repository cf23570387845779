//! Servers that no configuration names: `pin NAME -- COMMAND`, `pin NAME --url URL`, and the plain check that meets them.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, scripted_server, tool};
use crate::told::{findings, marked};

fn program() -> String {
    scripted_server().display().to_string()
}

/// A project without a configuration, with the script of a server `hand`.
fn project() -> Project {
    let project = Project::new();
    project.script("hand", &marked(listing(&[tool("a", "A.")]), "started"));
    project
}

fn run(project: &Project, before: &[&str], after: &[&str]) -> Finished {
    let program = program();
    let mut arguments = before.to_vec();
    arguments.extend(["--", &program, "hand.json"]);
    arguments.extend(after);
    project.run(&arguments).finish()
}

fn pinned() -> Project {
    let project = project();
    run(&project, &["pin", "hand", "--yes"], &[]).expect_status(0).expect_stdout(&["new: `hand`, 1 tool"]);
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

#[test]
fn a_launch_given_by_hand_is_pinned_and_checked_when_it_is_given_again() {
    let project = pinned();
    assert!(!project.lockfile().contains("config = "), "{}", project.lockfile());
    run(&project, &["check", "hand"], &[])
        .expect_status(0)
        .expect_stdout(&["in sync: `hand`, 1 tool"])
        .expect_stderr(&[]);
    assert!(project.exists("started"));
    project.script("hand", &listing(&[tool("a", "Changed.")]));
    run(&project, &["check", "hand"], &[]).expect_status(1).expect_stdout(&["description-changed"]);
}

#[test]
fn another_launch_given_by_hand_is_drift_and_is_not_started() {
    let project = pinned();
    let finished = run(&project, &["check", "hand"], &["--more"]);
    finished.expect_status(1).expect_stdout(&["danger[launch-changed] `hand` at /args"]).expect_stderr(&[]);
    let finished = run(&project, &["check", "hand", "--env", "LEVEL=1"], &[]);
    finished.expect_status(1).expect_stdout(&["danger[launch-changed] `hand` at /env/LEVEL"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_launch_given_by_hand_needs_consent_to_be_pinned() {
    let project = project();
    let finished = run(&project, &["pin", "hand"], &[]);
    finished.expect_status(2).expect_stderr(&["new launch of hand (the command line):", "scripted-server hand.json"]);
    assert!(!project.exists("started") && !project.exists("mcp-tools.lock"));
}

#[test]
fn a_launch_that_nobody_pinned_is_drift_in_a_check_and_is_not_started() {
    let mut project = project();
    project.server("crm", &listing(&[tool("c", "C.")]));
    project.pin();
    let finished = run(&project, &["check", "hand"], &[]);
    finished.expect_status(1).expect_stdout(&["danger[server-unpinned] `hand`"]).expect_nowhere(&["`crm`"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_plain_check_says_what_to_type_and_runs_nothing() {
    let project = project();
    let pin = ["pin", "hand", "--yes", "--env", "API_TOKEN=${API_TOKEN}", "--cwd", "."];
    let program = program();
    let mut arguments = pin.to_vec();
    arguments.extend(["--", &program, "hand.json", "two words"]);
    project.run(&arguments).env("API_TOKEN", "abcdefgh-1").finish().expect_status(0);
    std::fs::remove_file(project.path("started")).expect("pinned");
    for command in [&["check"][..], &["check", "hand"]] {
        let finished = project.run(command).env("API_TOKEN", "abcdefgh-1").finish();
        finished.expect_status(2).expect_stderr(&[]).expect_told(&[
            "could not check `hand`",
            "mcp-pin check hand --env 'API_TOKEN=${API_TOKEN}' --cwd . -- ",
            "hand.json 'two words'",
            ".mcp.json",
        ]);
        assert!(!project.exists("started"), "the lockfile alone starts nothing");
    }
}

#[test]
fn a_plain_check_of_others_is_2_beside_a_server_given_by_hand() {
    let mut project = pinned();
    project.server("crm", &listing(&[tool("c", "C.")]));
    project.pin();
    let finished = project.check();
    finished.expect_status(2).expect_told(&["in sync: `crm`", "could not check `hand`"]);
    project.run(&["check", "crm"]).finish().expect_status(0).expect_nowhere(&["hand"]);
    run(&project, &["check", "hand"], &[]).expect_status(0).expect_nowhere(&["`crm`"]);
}

#[test]
fn variables_and_the_folder_of_a_launch_reach_the_server() {
    let project = Project::new();
    let script = json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": [{ "dump": "dump.json" }] }] });
    project.write("deep/hand.json", script.to_string());
    let pin = ["pin", "hand", "-y", "--env", "LEVEL=info", "--env", "TEAM=${TEAM:-red=1}", "--cwd", "deep"];
    run(&project, &pin, &["--flag", "-x"]).expect_status(0);
    let given: Value = serde_json::from_str(&project.read("deep/dump.json")).expect("a dump");
    assert_eq!(given["args"], json!(["hand.json", "--flag", "-x"]));
    assert_eq!((&given["env"]["LEVEL"], &given["env"]["TEAM"]), (&json!("info"), &json!("red=1")));
    assert!(project.lockfile().contains("cwd = \"deep\""), "{}", project.lockfile());
}

#[test]
fn a_literal_secret_given_by_hand_is_refused() {
    let project = project();
    let finished = run(&project, &["pin", "hand", "--yes", "--env", "API_TOKEN=s3cr3t-by-hand"], &[]);
    finished.expect_status(2).expect_told(&["${API_TOKEN}"]).expect_nowhere(&["s3cr3t"]);
    assert!(!project.exists("started") && !project.exists("mcp-tools.lock"));
}

#[test]
fn an_address_given_by_hand_is_pinned_and_met_again() {
    let mut project = Project::new();
    project.script("web", &listing(&[tool("a", "A.")]));
    let mut server = std::process::Command::new(scripted_server())
        .args(["web.json", "--http", "port"])
        .current_dir(project.path(""))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
    crate::common::eventually("it listens", || project.exists("port"));
    let url = format!("http://127.0.0.1:{}/mcp", project.read("port").trim());
    let header = "X-Team: ${TEAM:-red}";
    let given = ["web", "--url", &url, "--header", header];
    let run = |before: &[&str], given: &[&str]| {
        let mut arguments = before.to_vec();
        arguments.extend(given);
        project.run(&arguments).finish()
    };
    run(&["pin", "--yes"], &given).expect_status(0).expect_stdout(&["new: `web`, 1 tool"]);
    run(&["check"], &given).expect_status(0).expect_stderr(&[]);
    let other = run(&["check"], &["web", "--url", &url]);
    other.expect_status(1).expect_stdout(&["danger[launch-changed] `web` at /headers/X-Team"]);
    let plain = project.check();
    plain.expect_status(2).expect_told(&["mcp-pin check web --url", "--header 'X-Team: ${TEAM:-red}'"]);
    project.configure("web", json!({ "url": url, "headers": { "X-Team": "${TEAM:-red}" } }));
    let moved = project.run(&["check", "--format", "json"]).finish();
    moved.expect_status(1);
    assert_eq!(findings(&moved.json(), "web"), ["danger launch-changed /config"]);
    drop(server.stdin.take());
    server.wait().expect("ended");
}

#[test]
fn a_name_that_is_configured_is_not_taken_for_a_launch_given_by_hand() {
    let mut project = project();
    project.server("crm", &listing(&[tool("c", "C.")]));
    let finished = run(&project, &["pin", "crm", "--yes"], &[]);
    finished.expect_refused(&["server \"crm\" is configured in .mcp.json", "help: "]);
    assert!(!project.exists("started"));
}

#[test]
fn a_launch_needs_one_name_and_its_options_need_a_launch() {
    let project = project();
    let program = program();
    for arguments in [
        &["pin", "--yes", "--", &program][..],
        &["pin", "a", "b", "--yes", "--", &program],
        &["check", "a", "--env", "A=b"],
        &["check", "a", "--cwd", "."],
        &["check", "a", "--header", "A: b"],
        &["check", "a", "--env", "novalue", "--", &program],
        &["check", "a", "--url", "https://h.example", "--", &program],
    ] {
        let finished = project.run(arguments).finish();
        assert_eq!(finished.status, 2, "{arguments:?}: {}{}", finished.stdout, finished.stderr);
        assert!(finished.stdout.contains("error: ") || finished.stderr.contains("error: "), "{arguments:?}");
    }
    assert!(!project.exists("started") && !project.exists("mcp-tools.lock"));
}
