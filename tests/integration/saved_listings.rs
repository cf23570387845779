//! `--from FILE`: listings that another program has fetched and saved.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::{failing, findings, with};

fn project(listing: &Value) -> Project {
    let project = Project::new();
    project.write("listing.json", listing.to_string());
    project
}

fn tools() -> Value {
    json!([tool("a", "A."), with(tool("b", "B."), json!({ "annotations": { "readOnlyHint": true } }))])
}

#[test]
fn a_saved_listing_is_pinned_and_checked_without_starting_anything() {
    for listing in
        [tools(), json!({ "tools": tools() }), json!({ "jsonrpc": "2.0", "id": 7, "result": { "tools": tools() } })]
    {
        let project = project(&listing);
        let pin = project.run(&["pin", "crm", "--from", "listing.json"]).finish();
        pin.expect_status(0).expect_stdout(&["new: `crm`, 2 tools", "wrote mcp-tools.lock"]).expect_stderr(&[]);
        let lockfile = project.lockfile();
        assert!(lockfile.contains("\n[[server]]\nname = \"crm\"\nsaved_listing = true\n\n[[tool]]\n"), "{lockfile}");
        for _ in 0..2 {
            let check = project.run(&["check", "crm", "--from", "listing.json"]).finish();
            check.expect_status(0).expect_stdout(&["in sync: `crm`, 2 tools"]).expect_stderr(&[]);
        }
        let again = project.run(&["pin", "crm", "--from", "listing.json"]).finish();
        again.expect_status(0).expect_stdout(&["unchanged"]);
        assert_eq!(project.lockfile(), lockfile);
        project.run(&["verify"]).finish().expect_status(0);
        project.run(&["list"]).finish().expect_status(0).expect_stdout(&["a saved listing"]);
        project.run(&["fmt"]).finish().expect_status(0);
        let export = project.run(&["export", "--format", "json", "crm"]).finish();
        export.expect_status(0).expect_stdout(&["readOnlyHint"]);
    }
}

#[test]
fn each_difference_of_a_saved_listing_is_drift_as_a_server_s_is() {
    let project = project(&tools());
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    project.write("listing.json", json!([tool("a", "A. Obey."), tool("c", "C.")]).to_string());
    let check = project.run(&["check", "crm", "--from", "listing.json", "--format", "json"]).finish();
    check.expect_status(1).expect_stderr(&[]);
    let told = failing(&check.json(), "crm");
    assert_eq!(told, ["change tool-removed b", "danger description-changed a /description", "danger tool-added c"]);
    let shown = project.run(&["check", "crm", "--from", "listing.json"]).finish();
    let accept = shown.stdout.lines().find(|line| line.contains("only if all of it is meant")).expect("a command");
    let words: Vec<&str> = accept.split("mcp-pin ").nth(1).expect("a command").split(' ').collect();
    assert!(words.contains(&"--from") && words.contains(&"--expect"), "{accept}");
    project.run(&words).finish().expect_status(0);
    project.run(&["check", "crm", "--from", "listing.json"]).finish().expect_status(0);
}

#[test]
fn standard_input_and_pages_as_lines_are_read() {
    let project = Project::new();
    let pages = "{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"2\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"b\"}]}}\n";
    project.run(&["pin", "crm", "--from", "-"]).stdin(pages).finish().expect_status(0).expect_stdout(&["2 tools"]);
    let check = |text: &str| project.run(&["check", "crm", "--from", "-"]).stdin(text).finish();
    check(pages).expect_status(0);
    check("[{\"name\":\"b\"},{\"name\":\"a\"}]").expect_status(0);
    check("[{\"name\":\"b\"}]").expect_status(1).expect_stdout(&["tool-removed"]);
}

#[test]
fn what_is_no_whole_listing_could_not_be_checked_and_nothing_is_removed() {
    let project = project(&tools());
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    let lockfile = project.lockfile();
    for (text, cause) in [
        ("", "there is nothing in it"),
        ("{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"2\"}", "the listing isn't complete"),
        ("[{\"name\":\"a\",\"name\":\"b\"}]", "\"name\""),
        ("{\"result\":{\"tools\":[]},\"result\":{\"tools\":[{\"name\":\"a\"}]}}", "\"result\""),
        ("{\"error\":{\"code\":-32603,\"message\":\"\\u001b[2J\"}}", "refused"),
        ("[{\"name\":\"a\"", "document 1"),
        ("\u{0}", "document 1"),
    ] {
        for command in ["check", "pin"] {
            let finished = project.run(&[command, "crm", "--from", "-"]).stdin(text).finish();
            finished.expect_status(2).expect_told(&["reading the saved listing", cause]);
            finished.expect_nowhere(&["drift:", "removed]", "\u{1b}"]);
        }
    }
    for path in ["missing.json", "."] {
        let finished = project.run(&["check", "crm", "--from", path]).finish();
        finished.expect_status(2).expect_told(&["reading the saved listing"]);
    }
    assert_eq!(project.lockfile(), lockfile);
}

#[test]
fn two_tools_of_one_name_and_an_empty_listing_are_not_pinned() {
    let project = project(&json!([tool("a", "A."), tool("a", "B.")]));
    let pin = |more: &[&str]| {
        let arguments: Vec<&str> = ["pin", "crm", "--from", "listing.json"].iter().chain(more).copied().collect();
        project.run(&arguments).finish()
    };
    pin(&[]).expect_status(2).expect_stdout(&["duplicate-name"]);
    project.write("listing.json", tools().to_string());
    pin(&[]).expect_status(0);
    project.write("listing.json", "[]");
    pin(&[]).expect_status(2).expect_stdout(&["--allow-empty"]);
    pin(&["--allow-empty", "--dry-run"]).expect_status(1);
    pin(&["--allow-empty"]).expect_status(0);
}

#[test]
fn a_saved_listing_of_a_live_server_is_compared_with_its_tools_alone() {
    let script = with(
        listing(&[tool("a", "A.")]),
        json!({
            "capabilities": { "tools": {}, "prompts": {} }, "prompts": [[[{ "name": "p" }]]], "instructions": "Be kind."
        }),
    );
    let project = Project::with_server("crm", &script);
    project.pin();
    project.write("listing.json", json!([tool("a", "A.")]).to_string());
    let check = project.run(&["check", "crm", "--from", "listing.json"]).finish();
    check.expect_status(0).expect_stdout(&["in sync: `crm`", "its tools, and nothing else"]).expect_stderr(&[]);
    project.write("listing.json", json!([tool("a", "Other.")]).to_string());
    let check = project.run(&["check", "crm", "--from", "listing.json", "--format", "json"]).finish();
    check.expect_status(1);
    assert_eq!(findings(&check.json(), "crm"), ["danger description-changed a /description"]);
    // Its pin is more than a listing can say.
    let pin = project.run(&["pin", "crm", "--from", "listing.json"]).finish();
    pin.expect_status(2).expect_told(&["is configured in .mcp.json"]);
    project.check().expect_status(0);
}

#[test]
fn a_server_of_a_saved_listing_is_never_started_and_a_check_of_all_says_so() {
    let project = project(&tools());
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    for arguments in [&["check"][..], &["check", "crm"]] {
        let finished = project.run(arguments).finish();
        finished.expect_status(2).expect_told(&["saved listing", "mcp-pin check crm --from FILE"]);
    }
    // The configuration that comes later is another launch than the one that was approved.
    let mut project = project;
    project.server("crm", &listing(&[tool("a", "A.")]));
    project.check().expect_status(1).expect_stdout(&["launch-changed"]);
}

#[test]
fn where_a_saved_listing_does_not_reach_is_said() {
    let project = project(
        &json!([{ "name": "a", "inputSchema": { "type": "object" }, "_meta": { "ui": { "resourceUri": "ui://x" } } }]),
    );
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    let check = project.run(&["check", "crm", "--from", "listing.json"]).finish();
    check.expect_status(0).expect_stdout(&["its tools, and nothing else", "notice[unpinned-content] `crm` tool `a`"]);
    project.run(&["list"]).finish().expect_status(0).expect_nowhere(&["unknown release", "mcp-pin/1"]);
    let other = project.run(&["check", "crm", "--from", "listing.json", "--client", "vscode"]).finish();
    other.expect_status(2).expect_stderr(&["cannot be used with"]);
}

#[test]
fn a_listing_that_nobody_pinned_is_unpinned_and_one_server_is_named() {
    let project = project(&tools());
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    let other = project.run(&["check", "other", "--from", "listing.json"]).finish();
    other.expect_status(1).expect_stdout(&["server-unpinned"]);
    for arguments in [&["check", "--from", "listing.json"][..], &["pin", "a", "b", "--from", "listing.json"]] {
        project.run(arguments).finish().expect_status(2).expect_told(&["exactly one server"]);
    }
    project.run(&["check", "crm", "--from", "x", "--", "true"]).finish().expect_status(2);
}

#[test]
fn a_saved_listing_s_block_has_no_other_key() {
    let project = project(&tools());
    project.run(&["pin", "crm", "--from", "listing.json"]).finish().expect_status(0);
    let lockfile = project.lockfile();
    for (from, to) in [
        ("saved_listing = true", "saved_listing = false"),
        ("saved_listing = true", "saved_listing = 1"),
        ("saved_listing = true", "saved_listing = true\ncommand = \"x\""),
        ("saved_listing = true", "saved_listing = true\nprotocol = \"2025-11-25\""),
        ("saved_listing = true\n", ""),
    ] {
        project.write("mcp-tools.lock", lockfile.replace(from, to));
        project.run(&["check", "crm", "--from", "listing.json"]).finish().expect_status(2).expect_nowhere(&["in sync"]);
    }
}
