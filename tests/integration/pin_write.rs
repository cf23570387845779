//! What `pin` writes, what it leaves alone, and what it does when it may not write.

use serde_json::{Value, json};

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::{folder, stamp};

fn entry(name: &str) -> Value {
    json!({ "command": scripted_server(), "args": [format!("{name}.json")] })
}

fn dead() -> Value {
    json!({ "on": [{ "method": "start", "do": [{ "exit": 3 }] }] })
}

/// Two pinned servers, `a` and `b`.
fn two() -> Project {
    let mut project = Project::new();
    project.server("a", &listing(&[tool("one", "Of a.")]));
    project.server("b", &listing(&[tool("two", "Of b.")]));
    project.pin();
    project
}

/// The blocks of one server, as they stand in the lockfile.
fn blocks(lockfile: &str, server: &str) -> Vec<String> {
    let of_server = |block: &&str| {
        block.contains(&format!("[[server]]\nname = \"{server}\"\n"))
            || block.contains(&format!("]]\nserver = \"{server}\"\n"))
    };
    let starts: Vec<usize> = lockfile.match_indices("\n[[").map(|(at, _)| at + 1).chain([lockfile.len()]).collect();
    starts.windows(2).map(|pair| lockfile[pair[0]..pair[1]].trim_end()).filter(of_server).map(str::to_owned).collect()
}

#[test]
fn a_pin_that_changes_nothing_keeps_the_bytes_and_the_time() {
    let project = two();
    let before = stamp(&project, "mcp-tools.lock");
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    finished.expect_stdout(&["pin: 2 servers in sync; mcp-tools.lock is unchanged"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn two_pins_on_different_days_and_machines_write_the_same_bytes() {
    let (one, other) = (two(), two());
    let first = one.lockfile();
    assert_eq!(first, other.lockfile());
    for word in ["time", "date", "user", "host", env!("CARGO_PKG_VERSION"), "generated"] {
        assert!(!first.replace(&scripted_server().display().to_string(), "").contains(word), "{word}:\n{first}");
    }
}

#[test]
fn nothing_but_the_lockfile_is_left_in_the_folder() {
    let project = two();
    assert_eq!(folder(&project), [".mcp.json", "a.json", "b.json", "mcp-tools.lock"]);
}

#[test]
fn a_dry_run_says_whether_something_would_change_and_writes_nothing() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let finished = project.run(&["pin", "--yes", "--dry-run"]).finish();
    finished.expect_status(1).expect_stdout(&["new: `crm`", "mcp-tools.lock would change, nothing was written"]);
    assert!(!project.exists("mcp-tools.lock"));
    project.pin();
    let before = stamp(&project, "mcp-tools.lock");
    project.run(&["pin", "--dry-run"]).finish().expect_status(0).expect_stdout(&["would stay as it is"]);
    project.script("crm", &listing(&[tool("a", "Another text.")]));
    let finished = project.run(&["pin", "--dry-run"]).finish();
    finished.expect_status(1).expect_stdout(&["danger[description-changed]", "would change"]).expect_stderr(&[]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn a_dry_run_that_could_not_read_a_server_is_2_and_with_a_change_seen_too() {
    let project = two();
    project.script("b", &dead());
    let before = stamp(&project, "mcp-tools.lock");
    project.run(&["pin", "--dry-run"]).finish().expect_status(2).expect_stdout(&["could not check `b`"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn what_changed_is_shown_when_it_is_pinned() {
    let project = two();
    project.script("a", &listing(&[tool("one", "Of a, and more."), tool("three", "New.")]));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "danger[description-changed] `a` tool `one` at /description",
        "and more",
        "danger[tool-added] `a` tool `three`",
        "wrote mcp-tools.lock",
        "git diff mcp-tools.lock",
    ]);
    project.check().expect_status(0);
}

#[test]
fn a_pin_of_one_server_changes_its_blocks_only_and_needs_no_other() {
    let project = two();
    let before = project.lockfile();
    project.script("a", &listing(&[tool("one", "Changed.")]));
    project.script("b", &dead());
    project.run(&["pin", "a"]).finish().expect_status(0).expect_stdout(&["pin: 1 server"]).expect_stderr(&[]);
    let after = project.lockfile();
    assert_eq!(blocks(&after, "b"), blocks(&before, "b"));
    assert_eq!(blocks(&before, "b").len(), 2);
    assert_ne!(blocks(&after, "a"), blocks(&before, "a"));
    assert_eq!(after.replace("Changed.", "Of a.").len(), before.len(), "nothing else moved");
}

#[test]
fn a_tool_that_is_gone_leaves_the_lockfile_and_is_listed() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A."), tool("old", "Old.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", "A.")]));
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(0).expect_stdout(&["change[tool-removed] `crm` tool `old`"]).expect_stderr(&[]);
    assert!(!project.lockfile().contains("\"old\""));
    project.check().expect_status(0);
}

#[test]
fn a_server_that_left_the_configuration_is_listed_and_stays_until_it_is_pruned() {
    let project = two();
    let before = project.lockfile();
    project.write(".mcp.json", json!({ "mcpServers": { "a": entry("a") } }).to_string());
    let finished = project.run(&["pin"]).finish();
    finished
        .expect_status(0)
        .expect_stdout(&["change[server-removed] `b`", "--prune", "is unchanged"])
        .expect_stderr(&[]);
    assert_eq!(project.lockfile(), before);
    let finished = project.run(&["pin", "--prune"]).finish();
    finished.expect_status(0).expect_stdout(&["`b`", "wrote mcp-tools.lock"]).expect_stderr(&[]);
    assert_eq!(blocks(&project.lockfile(), "b"), Vec::<String>::new());
    assert_eq!(blocks(&project.lockfile(), "a"), blocks(&before, "a"));
    project.check().expect_status(0).expect_nowhere(&["`b`"]);
}

#[test]
fn pruning_keeps_disabled_servers_and_those_given_by_hand() {
    let mut project = two();
    let server = scripted_server().display().to_string();
    project.script("hand", &listing(&[tool("h", "H.")]));
    project.run(&["pin", "hand", "--yes", "--", &server, "hand.json"]).finish().expect_status(0);
    project.configure("b", json!({ "command": server, "args": ["b.json"], "disabled": true }));
    let before = project.lockfile();
    project.run(&["pin", "--prune"]).finish().expect_status(0);
    assert_eq!(project.lockfile(), before);
}

#[test]
fn one_server_that_fails_keeps_everything_from_being_written() {
    let project = two();
    let before = stamp(&project, "mcp-tools.lock");
    project.script("a", &listing(&[tool("one", "Changed.")]));
    project.script("b", &dead());
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stderr(&[]);
    finished.expect_stdout(&["could not check `b`", "nothing was written", "--keep-going"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn keep_going_writes_what_could_be_read_and_still_ends_with_2() {
    let project = two();
    let before = project.lockfile();
    project.script("a", &listing(&[tool("one", "Changed.")]));
    project.script("b", &dead());
    let finished = project.run(&["pin", "--yes", "--keep-going"]).finish();
    finished.expect_status(2).expect_stdout(&["could not check `b`", "wrote mcp-tools.lock"]);
    assert_eq!(blocks(&project.lockfile(), "b"), blocks(&before, "b"), "its blocks stay as they were");
    assert!(project.lockfile().contains("Changed."));
}

#[test]
fn an_empty_listing_where_tools_were_pinned_needs_allow_empty() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let before = stamp(&project, "mcp-tools.lock");
    project.script("crm", &listing(&[]));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["lists no tools any more", "--allow-empty", "nothing was written"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
    project.run(&["pin", "--yes", "--allow-empty"]).finish().expect_status(0).expect_stdout(&["tool-removed"]);
    project.check().expect_status(0).expect_stdout(&["in sync: `crm`, 0 tools"]);
}

#[test]
fn a_first_pin_of_a_server_that_declares_tools_and_lists_none_needs_allow_empty() {
    let project = Project::with_server("crm", &listing(&[]));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["declares tools and lists none", "--allow-empty"]);
    assert!(!project.exists("mcp-tools.lock"));
    project.run(&["pin", "--yes", "--allow-empty"]).finish().expect_status(0);
}

#[test]
fn a_server_without_the_tools_capability_is_pinned_with_none() {
    let project = Project::with_server("crm", &json!({ "capabilities": {}, "listings": [null] }));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(0).expect_stdout(&["new: `crm`, 0 tools", "it offers nothing"]);
    project.check().expect_status(0).expect_stdout(&["in sync: `crm`, 0 tools"]).expect_stderr(&[]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_stdout(&["notice[no-tools] `crm`"]);
}

#[test]
fn two_servers_may_have_a_tool_of_one_name() {
    let mut project = Project::new();
    project.server("a", &listing(&[tool("search", "Searches a.")]));
    project.server("b", &listing(&[tool("search", "Searches b.")]));
    project.pin();
    project.check().expect_status(0).expect_stdout(&["check: 2 servers in sync"]).expect_stderr(&[]);
    project.script("b", &listing(&[tool("search", "Searches a.")]));
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["in sync: `a`", "description-changed] `b` tool `search`"]);
}

#[test]
fn a_pin_is_what_a_terminal_and_a_program_are_told() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let finished = project.run(&["pin", "--yes", "--format", "json"]).finish();
    finished.expect_status(0);
    let report = finished.json();
    assert_eq!((&report["command"], &report["exit_code"]), (&json!("pin"), &json!(0)));
    assert_eq!(report["servers"][0]["state"], "new");
}
