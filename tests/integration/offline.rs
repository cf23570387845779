//! `verify` and `list` ask no server: they start nothing, contact nothing, and say so.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::{findings, marked, stamp, with};

fn pinned() -> Project {
    let mut project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    let read =
        with(tool("read", "Reads."), json!({ "annotations": { "readOnlyHint": true, "destructiveHint": false } }));
    let script = json!({ "tools": [read, tool("write", "Writes.")], "instructions": "Be kind." });
    project.server("files", &marked(script, "started"));
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

#[test]
fn a_sound_lockfile_and_the_pinned_launches_are_in_sync_though_no_server_was_asked() {
    let project = pinned();
    let before = stamp(&project, "mcp-tools.lock");
    // What the servers would say now is no concern of it, nor that their program is gone.
    project.script("crm", &marked(listing(&[tool("a", "Poisoned.")]), "started"));
    let finished = project.run(&["verify"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    finished.expect_stdout(&["verify: 2 servers in sync; launches match mcp-tools.lock, no server was asked"]);
    assert!(!project.exists("started"));
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn a_variable_that_nobody_sets_is_no_concern_of_verify() {
    let mut project = pinned();
    let entry = json!({ "command": scripted_server(), "args": ["crm.json"], "env": { "API_TOKEN": "${API_TOKEN}" } });
    project.configure("crm", entry);
    project.run(&["pin", "--yes"]).env("API_TOKEN", "abcdefgh-1").finish().expect_status(0);
    project.run(&["verify"]).finish().expect_status(0).expect_stderr(&[]);
}

#[test]
fn a_changed_an_added_and_a_removed_launch_are_drift() {
    let mut project = pinned();
    project.configure("crm", json!({ "command": scripted_server(), "args": ["other.json"] }));
    project.configure("late", json!({ "command": "late" }));
    let text = project.read(".mcp.json").replace("\"files\"", "\"files2\"");
    project.write(".mcp.json", text);
    let finished = project.run(&["verify"]).finish();
    finished.expect_status(1).expect_stderr(&[]).expect_stdout(&[
        "danger[launch-changed] `crm` at /args",
        "danger[server-unpinned] `late`",
        "danger[server-unpinned] `files2`",
        "change[server-removed] `files`",
    ]);
    let finished = project.run(&["verify", "--format", "json"]).finish();
    finished.expect_status(1);
    assert_eq!(findings(&finished.json(), "crm"), ["danger launch-changed /args"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_damaged_lockfile_is_2_for_verify_and_list() {
    let project = pinned();
    project.write("mcp-tools.lock", project.lockfile().replace("A.", "B."));
    project.run(&["verify"]).finish().expect_refused(&["lock entry inconsistent"]);
    let finished = project.run(&["list"]).finish();
    finished.expect_status(2).expect_stderr(&["lock entry inconsistent", "help: "]);
    assert_eq!(finished.stdout, "");
}

#[test]
fn a_selected_server_is_verified_alone_and_a_mistyped_one_is_2() {
    let mut project = pinned();
    project.configure("crm", json!({ "command": "other" }));
    project.run(&["verify", "files"]).finish().expect_status(0).expect_nowhere(&["crm"]);
    project.run(&["verify", "crm"]).finish().expect_status(1);
    project
        .run(&["verify", "fils"])
        .finish()
        .expect_refused(&["no server is called \"fils\"", "did you mean \"files\"?"]);
}

#[test]
fn a_server_given_by_hand_is_sound_for_verify() {
    let project = pinned();
    project.script("hand", &listing(&[tool("h", "H.")]));
    let server = scripted_server().display().to_string();
    project.run(&["pin", "hand", "--yes", "--", &server, "hand.json"]).finish().expect_status(0);
    project.run(&["verify"]).finish().expect_status(0).expect_stdout(&["3 servers in sync"]).expect_stderr(&[]);
}

#[test]
fn list_shows_servers_launches_tools_hints_and_how_much_text_each_brings() {
    let project = pinned();
    let finished = project.run(&["list"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "server crm (.mcp.json)",
        "server files (.mcp.json)",
        "crm.json",
        "protocol 2025-11-25",
        "client        mcp-pin/1",
        "instructions  8 characters",
        "tool read  ",
        "(read-only, not destructive)",
        "tool write  ",
        "2 servers, 3 tools pinned; no server was asked",
    ]);
    // "a", "A." and {"type":"object"} are what goes to a model.
    finished.expect_stdout(&["tool a  20 characters"]);
    assert!(!project.exists("started"));
}

#[test]
fn list_shows_one_server_alone_and_counts_with_grammar() {
    let project = pinned();
    let finished = project.run(&["list", "crm"]).finish();
    finished
        .expect_status(0)
        .expect_stderr(&[])
        .expect_stdout(&["server crm", "1 server, 1 tool pinned; no server was asked"]);
    finished.expect_nowhere(&["files"]);
}

#[test]
fn list_of_an_unknown_server_gets_the_nearest_name() {
    let project = pinned();
    let finished = project.run(&["list", "flies"]).finish();
    finished.expect_status(2).expect_stderr(&["no server is called \"flies\"", "did you mean \"files\"?"]);
    assert_eq!(finished.stdout, "");
}

#[test]
fn list_without_a_lockfile_says_how_to_begin() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let finished = project.run(&["list"]).finish();
    finished.expect_status(2).expect_stderr(&["there is no lockfile", "mcp-pin pin"]);
    assert_eq!(finished.stdout, "");
}

#[test]
fn list_needs_no_configuration() {
    let project = pinned();
    std::fs::remove_file(project.path(".mcp.json")).expect("removed");
    project.run(&["list"]).finish().expect_status(0).expect_stdout(&["server crm"]).expect_stderr(&[]);
}

#[test]
fn hostile_text_in_a_lockfile_stays_text_in_a_list() {
    let project = Project::with_server("crm\u{1b}[2J", &listing(&[tool("\u{202e}::error::", "A.")]));
    project.pin();
    let finished = project.run(&["list"]).finish();
    finished.expect_status(0);
    assert!(
        !finished.stdout.chars().any(|character| character != '\n' && character.is_control()),
        "{:?}",
        finished.stdout
    );
    finished.expect_nowhere(&["\u{202e}"]).expect_stdout(&["\\u{1b}", "\\u{202e}"]);
}
