//! `pin` starts nothing that nobody has agreed to, and shows before it asks.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::marked;

fn marked_project() -> Project {
    Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"))
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_started() {
    let project = marked_project();
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(2).expect_told(&["asking for consent", "--yes", "nothing was written"]);
    finished.expect_stderr(&["new launch of crm (.mcp.json):", " crm.json"]);
    assert!(!project.exists("started"), "it was started");
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn an_answer_that_is_piped_in_is_no_consent() {
    let project = marked_project();
    project.run(&["pin"]).stdin("y\ny\nyes\n").finish().expect_status(2);
    assert!(!project.exists("started") && !project.exists("mcp-tools.lock"));
}

#[test]
fn a_dry_run_needs_consent_too_for_it_starts_servers() {
    let project = marked_project();
    project.run(&["pin", "--dry-run"]).finish().expect_status(2);
    assert!(!project.exists("started"));
}

#[test]
fn with_yes_the_launch_is_shown_and_started() {
    let project = marked_project();
    let finished = project.run(&["pin", "-y"]).finish();
    finished.expect_status(0).expect_stderr(&["new launch of crm (.mcp.json):"]);
    finished.expect_stdout(&[
        "new: `crm`, 1 tool",
        "pin: 1 server, 1 new; wrote mcp-tools.lock",
        "next: read mcp-tools.lock, then commit it",
    ]);
    assert!(project.exists("started"));
}

#[test]
fn a_launch_that_is_pinned_already_needs_no_consent() {
    let project = marked_project();
    project.pin();
    project.script("crm", &listing(&[tool("a", "Another text.")]));
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(0).expect_stdout(&["wrote mcp-tools.lock"]).expect_stderr(&[]);
}

#[test]
fn a_changed_launch_needs_consent_again() {
    let mut project = marked_project();
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    let lockfile = project.lockfile();
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json", "--more"] }));
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(2).expect_told(&["--yes"]).expect_stderr(&["changed launch of crm", "--more"]);
    assert!(!project.exists("started"));
    assert_eq!(project.lockfile(), lockfile);
    project.run(&["pin", "--yes"]).finish().expect_status(0);
    assert!(project.lockfile().contains("--more"));
}

#[test]
fn one_new_launch_keeps_all_servers_from_being_started() {
    let mut project = marked_project();
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project.server("late", &marked(listing(&[tool("b", "B.")]), "late-started"));
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(2).expect_stderr(&["new launch of late"]);
    assert!(!finished.stderr.contains("launch of crm"), "only what is new is shown: {}", finished.stderr);
    assert!(!project.exists("started") && !project.exists("late-started"));
}

#[test]
fn everything_that_a_launch_would_do_is_shown_before_it_is_done() {
    let mut project = Project::new();
    project.script("crm", &listing(&[tool("a", "A.")]));
    project.write("sub/keep", "");
    project.configure(
        "crm",
        json!({ "command": scripted_server(), "args": ["../crm.json", "a b"], "cwd": "sub", "env": { "LEVEL": "${LEVEL:-info}" }, "alwaysAllow": ["a"] }),
    );
    project.configure("web", json!({ "url": "https://web.example/mcp", "headers": { "X-Team": "${TEAM:-a}" } }));
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(2).expect_stderr(&[
        "../crm.json 'a b'",
        "env LEVEL=${LEVEL:-info}",
        "in sub",
        "option alwaysAllow = [\"a\"]",
        "https://web.example/mcp",
        "header X-Team: ${TEAM:-a}",
    ]);
}
