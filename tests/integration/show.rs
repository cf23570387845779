//! `show`: one definition whole, from the lockfile without asking any server, or with `--live` from the server.

use serde_json::{Value, json};

use crate::common::{Project, listing, scripted_server, tool};
use crate::output_hostile::{HOSTILE, expect_tame};
use crate::told::marked;

fn lookup() -> Value {
    json!({
        "name": "lookup",
        "title": "Look up",
        "description": "Finds a customer.\nFails when there is none.",
        "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } } },
        "annotations": { "readOnlyHint": true }
    })
}

fn pinned() -> Project {
    let script = json!({ "tools": [lookup(), tool("other", "Another.")], "instructions": "Be kind." });
    let project = Project::with_server("crm", &marked(script, "started"));
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

#[test]
fn a_definition_is_shown_whole_without_asking_the_server() {
    let project = pinned();
    let finished = project.run(&["show", "crm/lookup"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "tool `lookup`\n  digest        sha256-",
        "  title         Look up\n",
        "    | Finds a customer.\n    | Fails when there is none.\n",
        "  parameters\n    | {\n    |   \"properties\": {\n",
        "  rest\n    | {\n    |   \"annotations\": {\n    |     \"readOnlyHint\": true\n",
        "\nfrom mcp-tools.lock, no server was asked\n",
    ]);
    finished.expect_nowhere(&["other", "instructions"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_server_is_shown_with_what_it_says_of_itself_and_all_items() {
    let project = pinned();
    let finished = project.run(&["show", "crm"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "server `crm`\n  client        mcp-pin/1\n  protocol      2025-11-25\n  release       1.0.0\n  about\n    | {\n",
        "  instructions  Be kind.\n",
        "\ntool `lookup`\n",
        "\ntool `other`\n",
    ]);
}

#[test]
fn json_is_the_object_as_the_server_sent_it() {
    let project = pinned();
    let finished = project.run(&["show", "crm/lookup", "--format", "json"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    assert_eq!(finished.json(), lookup());
    assert!(finished.stdout.starts_with("{\n  \"annotations\": {\n"), "{}", finished.stdout);
    let server = project.run(&["show", "crm", "--format", "json"]).finish().json();
    assert_eq!(server["instructions"], "Be kind.");
    assert_eq!(server["items"][0]["definition"], lookup());
    assert_eq!((&server["items"][0]["kind"], &server["items"][0]["name"]), (&json!("tool"), &json!("lookup")));
}

#[test]
fn numbers_and_hidden_characters_are_exact_in_json() {
    let raw = r#"{"name":"t","description":"a\u200bb","x":9007199254740993,"inputSchema":{"type":"object"}}"#;
    let project = Project::with_server("crm", &json!({ "tools": [raw] }));
    project.pin();
    let finished = project.run(&["show", "crm/t", "--format", "json"]).finish();
    finished.expect_status(0).expect_stdout(&[r#""description": "a\u200bb""#, r#""x": 9007199254740993"#]);
}

#[test]
fn names_with_slashes_are_found_by_the_longest_server() {
    let mut project = Project::with_server("a", &listing(&[tool("b/c", "Of a."), tool("x/y", "Of a, too.")]));
    project.script("slash", &listing(&[tool("c", "Of a/b.")]));
    project.configure("a/b", json!({ "command": scripted_server(), "args": ["slash.json"] }));
    project.pin();
    project.run(&["show", "a/b/c"]).finish().expect_status(0).expect_stdout(&["Of a/b."]);
    project.run(&["show", "a/x/y"]).finish().expect_status(0).expect_stdout(&["Of a, too."]);
    project.run(&["show", "a/b"]).finish().expect_status(0).expect_stdout(&["server `a/b`"]);
}

#[test]
fn an_unknown_server_or_tool_is_2_with_the_nearest_name() {
    let project = pinned();
    for (wanted, cause, help) in [
        ("crn/lookup", "no pinned server is called \"crn/lookup\"", "did you mean \"crm\"?"),
        ("nothing-like-it", "no pinned server is called", "mcp-pin list"),
        ("crm/lokup", "crm has no item called \"lokup\"", "did you mean \"lookup\"?"),
        ("crm/", "crm has no item called \"\"", "mcp-pin list crm"),
    ] {
        let finished = project.run(&["show", wanted]).finish();
        finished.expect_status(2).expect_stderr(&["error: ", cause, "help: ", help]);
        assert_eq!(finished.stdout, "", "{wanted}");
    }
    for usage in [&["show"][..], &["show", "a", "b"], &["show", "crm", "--yes"], &["show", "crm", "--", "program"]] {
        project.run(usage).finish().expect_status(2);
    }
    Project::new().run(&["show", "crm"]).finish().expect_status(2).expect_stderr(&["mcp-tools.lock"]);
}

#[test]
fn live_reads_the_server_and_says_as_whom() {
    let project = pinned();
    project.script("crm", &listing(&[tool("lookup", "Says something else now.")]));
    let finished = project.run(&["show", "crm/lookup", "--live"]).finish();
    // The launch is approved, so nobody is asked.
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "Says something else now.",
        "from the server, read as mcp-pin/1 in protocol 2025-11-25; compared with nothing\n",
    ]);
    project.run(&["show", "crm/lookup"]).finish().expect_stdout(&["Finds a customer."]);
    project
        .run(&["show", "crm/other", "--live"])
        .finish()
        .expect_status(2)
        .expect_stderr(&["no item called \"other\""]);
}

#[test]
fn live_reads_as_the_client_that_was_pinned() {
    let project = Project::with_server("crm", &listing(&[tool("a", "For $CLIENT.")]));
    project.run(&["pin", "--yes", "--client-name", "agent"]).finish().expect_status(0);
    let finished = project.run(&["show", "crm/a", "--live"]).finish();
    finished.expect_status(0).expect_stdout(&["For agent.", "read as mcp-pin/1 named agent in protocol"]);
    let finished = project.run(&["show", "crm/a", "--live", "--client-name", "other"]).finish();
    finished.expect_status(0).expect_stdout(&["For other."]);
    let unknown = project.lockfile().replace("client = \"mcp-pin/1\"", "client = \"mcp-pin/9\"");
    project.write("mcp-tools.lock", unknown);
    project.run(&["show", "crm/a", "--live"]).finish().expect_status(2).expect_stderr(&["mcp-pin/9", "update mcp-pin"]);
    project.run(&["show", "crm"]).finish().expect_status(0).expect_stdout(&["  client        mcp-pin/9 named agent\n"]);
}

#[test]
fn live_starts_nothing_new_without_consent() {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    let finished = project.run(&["show", "crm", "--live"]).finish();
    finished.expect_status(2).expect_stderr(&["new launch of crm", "--yes"]);
    assert!(!project.exists("started"));
    project.run(&["show", "crm/a", "--live", "--yes"]).finish().expect_status(0).expect_stdout(&["tool `a`"]);
    assert!(project.exists("started") && !project.exists("mcp-tools.lock"));
}

#[test]
fn live_takes_a_launch_given_by_hand() {
    let project = Project::new();
    project.script("hand", &listing(&[tool("a", "A.")]));
    let program = scripted_server().display().to_string();
    let finished = project.run(&["show", "hand/a", "--live", "--yes", "--", &program, "hand.json"]).finish();
    finished.expect_status(0).expect_stdout(&["tool `a`"]);
}

#[test]
fn live_tells_that_readings_differ_and_that_a_server_failed() {
    let script = json!({ "listings": [[[tool("a", "One.")]], [[tool("a", "Two.")]]] });
    let project = Project::with_server("crm", &script);
    let finished = project.run(&["show", "crm", "--live", "--yes"]).finish();
    finished.expect_status(0).expect_stdout(&["its readings differ, see mcp-pin inspect crm"]);
    project.script("crm", &json!({ "on": [{ "method": "tools/list", "do": [{ "exit": 3 }] }] }));
    project.run(&["show", "crm", "--live", "--yes"]).finish().expect_status(2).expect_stderr(&["error: ", "help: "]);
}

#[test]
fn hostile_text_stays_text() {
    let hostile = json!({
        "name": HOSTILE, "title": HOSTILE, "description": HOSTILE, HOSTILE: [HOSTILE],
        "inputSchema": { "type": "object", "properties": { HOSTILE: { "description": HOSTILE } } }
    });
    let server = json!({ "name": HOSTILE, "version": HOSTILE });
    let project =
        Project::with_server("crm", &json!({ "tools": [hostile], "instructions": HOSTILE, "server": server }));
    project.pin();
    // A NUL can't be given on a command line, so the tool is seen with its server.
    for arguments in [&["show", "crm"][..], &["show", "crm", "--format", "json"], &["show", "crm", "--live"]] {
        let finished = project.run(arguments).finish();
        finished.expect_status(0);
        expect_tame(&finished);
    }
    project.run(&["show", "\u{1b}[2J\n::error::x"]).finish().expect_status(2).expect_nowhere(&["\u{1b}", "\n::"]);
}

#[test]
fn a_secret_that_a_server_repeats_is_masked_in_what_is_shown() {
    let mut project = Project::new();
    project.script("crm", &listing(&[tool("a", "The token is $ENV:CRM_TOKEN.")]));
    let env = json!({ "CRM_TOKEN": "${CRM_TOKEN}" });
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json"], "env": env }));
    for format in ["human", "json"] {
        let run = project.run(&["show", "crm/a", "--live", "--yes", "--format", format]);
        let finished = run.env("CRM_TOKEN", "tok-0123456789").finish();
        finished.expect_status(0).expect_stdout(&["The token is [masked]."]).expect_nowhere(&["tok-0123456789"]);
    }
}
