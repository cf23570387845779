//! `inspect`: what servers say, and what of it needs no baseline, without any lockfile.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};
use crate::output_hostile::{HOSTILE, expect_tame};
use crate::told::{finding, findings, folder, marked, server};

fn inspect(project: &Project) -> crate::common::Finished {
    project.run(&["inspect", "--yes"]).finish()
}

#[test]
fn a_server_is_read_and_shown_and_nothing_is_written() {
    let script = json!({ "tools": [tool("a", "Does A.")], "instructions": "Be kind." });
    let project = Project::with_server("crm", &script);
    let before = folder(&project);
    let finished = inspect(&project);
    finished.expect_status(0).expect_stderr(&["new launch of crm (.mcp.json):"]).expect_stdout(&[
        "read: `crm`, 1 tool\n",
        "\nserver `crm`\n  client        mcp-pin/1\n  protocol      2025-11-25\n",
        "  instructions  Be kind.\n",
        "\ntool `a`\n  digest        sha256-",
        "  description   Does A.\n",
        "\ninspect: 1 server, 1 read; nothing was compared or written\n",
        "next: read what stands above; only if all of it is meant: mcp-pin pin --expect sha256-",
    ]);
    assert_eq!(folder(&project), before);
}

#[test]
fn the_next_command_pins_exactly_what_was_shown() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Does A.")]));
    let report = project.run(&["inspect", "crm", "--yes", "--format", "json"]).finish().json();
    let digest = server(&report, "crm")["surface"].as_str().expect("a digest").to_owned();
    assert!(report["next"][0].as_str().expect("a command").ends_with(&format!("mcp-pin pin crm --expect {digest}")));
    project.run(&["pin", "crm", "--yes", "--expect", &digest]).finish().expect_status(0);
}

#[test]
fn no_lockfile_is_needed_and_a_damaged_one_is_no_concern() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Does A.")]));
    project.write("mcp-tools.lock", "<<<<<<< not a lockfile");
    inspect(&project).expect_status(0).expect_stdout(&["read: `crm`, 1 tool"]);
    assert_eq!(project.lockfile(), "<<<<<<< not a lockfile");
}

#[test]
fn nothing_is_started_without_consent() {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    for input in ["", "y\n"] {
        let finished = project.run(&["inspect"]).stdin(input).finish();
        finished.expect_status(2).expect_stderr(&["new launch of crm (.mcp.json):", "asking for consent", "--yes"]);
    }
    assert!(!project.exists("started"));
    // An approved launch is a lockfile's matter, and none is read.
    project.pin();
    project.run(&["inspect"]).finish().expect_status(2);
}

#[test]
fn a_launch_given_by_hand_is_read_without_a_configuration() {
    let project = Project::new();
    project.script("hand", &listing(&[tool("a", "A.")]));
    let program = scripted_server().display().to_string();
    let finished = project.run(&["inspect", "hand", "--yes", "--", &program, "hand.json"]).finish();
    finished.expect_status(0).expect_stdout(&["read: `hand`, 1 tool", "mcp-pin pin hand --expect sha256-", " -- "]);
    let http = project.unconfigured_http_server("web", &listing(&[tool("w", "W.")]));
    let finished = project.run(&["inspect", "web", "--yes", "--url", &http.url()]).finish();
    finished.expect_status(0).expect_stdout(&["read: `web`, 1 tool", "tool `w`"]);
}

#[test]
fn without_anything_to_read_it_says_what_to_type() {
    let project = Project::new();
    project.run(&["inspect"]).finish().expect_refused(&["no servers found", "mcp-pin inspect NAME -- COMMAND"]);
    let project = Project::with_server("crm", &listing(&[]));
    project.run(&["inspect", "crn"]).finish().expect_refused(&["no server is called \"crn\"", "did you mean \"crm\"?"]);
}

#[test]
fn every_server_is_told_and_one_that_hangs_is_2() {
    let mut project = Project::with_server("good", &listing(&[tool("a", "A.")]));
    project.server("hangs", &json!({ "on": [{ "method": "tools/list", "do": [{ "hang": true }] }] }));
    project.configure("unset", json!({ "command": scripted_server(), "args": ["${NOT_SET_AT_ALL}"] }));
    let finished = project.run(&["inspect", "--yes", "--request-timeout", "0.5"]).finish();
    finished.expect_status(2).expect_stdout(&[
        "read: `good`, 1 tool",
        "could not check `hangs`: listing tools, page 1: no answer within 0.5 s",
        "could not check `unset`: filling in variables",
        "tool `a`",
        "inspect: 3 servers, 1 read, 2 not checked",
    ]);
    assert!(!finished.stdout.contains("mcp-pin pin"), "{}", finished.stdout);
}

#[test]
fn a_disabled_server_is_skipped_unless_it_is_named() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.configure("off", json!({ "command": "off", "disabled": true }));
    inspect(&project).expect_status(0).expect_stdout(&["skipped: `off`, \"disabled\": true in .mcp.json"]);
    project.run(&["inspect", "off", "--yes"]).finish().expect_status(2).expect_stdout(&["it is disabled"]);
}

#[test]
fn findings_stand_before_the_definitions_and_do_not_change_the_code() {
    let hidden = tool("a", "Does A.\u{200b} And more.");
    let project = Project::with_server("crm", &listing(&[hidden]));
    let finished = inspect(&project);
    finished.expect_status(0).expect_stdout(&["read: `crm`, 1 danger", "danger[hidden-characters] `crm` tool `a`"]);
    finished.expect_stdout(&["  description   Does A.\\u{200b} And more.", "1 read: 1 danger; nothing was compared"]);
    let place = |part: &str| finished.stdout.find(part).expect("in the report");
    assert!(place("danger[hidden-characters]") < place("tool `a`\n  digest"));
}

#[test]
fn names_that_clients_clean_to_one_are_danger_within_a_server() {
    let project = Project::with_server("crm", &listing(&[tool("get.user", "One."), tool("get_user", "Other.")]));
    let finished = project.run(&["inspect", "--yes", "--format", "json"]).finish();
    finished.expect_status(0);
    let report = finished.json();
    let expected = ["danger name-collision get.user /name", "danger name-collision get_user /name"];
    assert_eq!(findings(&report, "crm"), expected);
    let note = finding(&report, "crm", "name-collision")["note"].as_str().expect("a note");
    assert_eq!(note, "clients call it `mcp__crm__get_user`, and so they call `get_user`");
    // It is told once, when it is new, and what was approved is no drift.
    let pin = project.run(&["pin", "--yes", "--format", "json"]).finish();
    pin.expect_status(0);
    assert_eq!(findings(&pin.json(), "crm"), expected);
    assert_eq!(findings(&project.run(&["check", "--format", "json"]).finish().json(), "crm"), Vec::<String>::new());
    assert_eq!(findings(&project.run(&["pin", "--format", "json"]).finish().json(), "crm"), Vec::<String>::new());
}

#[test]
fn two_servers_with_one_tool_s_name_are_a_notice_and_a_check_is_silent() {
    let mut project = Project::with_server("a", &listing(&[tool("search", "Searches A.")]));
    project.server("b", &listing(&[tool("search", "Searches B.")]));
    let report = project.run(&["inspect", "--yes", "--format", "json"]).finish().json();
    for name in ["a", "b"] {
        assert_eq!(findings(&report, name), ["notice name-collision search /name"]);
    }
    let finished = project.run(&["pin", "a", "--yes"]).finish();
    finished.expect_status(0).expect_nowhere(&["name-collision"]);
    // The other one is pinned already, and this is what is new beside it.
    let finished = project.run(&["pin", "b", "--yes"]).finish();
    finished.expect_status(0).expect_stdout(&["notice[name-collision] `b` tool `search` at /name", "`search` of `a`"]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_stdout(&["in sync"]).expect_nowhere(&["notice["]);
}

#[test]
fn a_name_that_clients_rewrite_is_told_when_it_is_new() {
    let project = Project::with_server("crm", &listing(&[tool("get user", "A."), tool("plain", "B.")]));
    inspect(&project).expect_status(0).expect_stdout(&[
        "notice[nonconforming-name] `crm` tool `get user` at /name: The name isn't",
        "(it holds a blank)",
    ]);
    let pin = project.run(&["pin", "--yes"]).finish();
    pin.expect_status(0).expect_stdout(&["notice[nonconforming-name] `crm` tool `get user`"]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_nowhere(&["nonconforming-name"]);
    let added = [tool("get user", "A."), tool("plain", "B."), tool("a/b", "C.")];
    project.script("crm", &listing(&added));
    let pin = project.run(&["pin", "--yes", "--format", "json"]).finish();
    pin.expect_status(0);
    assert_eq!(findings(&pin.json(), "crm"), ["danger tool-added a/b", "notice nonconforming-name a/b /name"]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_nowhere(&["nonconforming-name"]);
}

#[test]
fn a_header_against_the_rules_is_told_with_its_place_and_why() {
    let property = json!({ "type": "array", "x-mcp-header": "X Y" });
    let good = json!({ "type": "string", "x-mcp-header": "Region" });
    let schema = json!({ "type": "object", "properties": { "p": property, "region": good } });
    let bad = json!({ "name": "a", "inputSchema": schema });
    let project = Project::with_server("crm", &listing(&[bad]));
    inspect(&project).expect_status(0).expect_stdout(&[
        "notice[header-misuse] `crm` tool `a` at /inputSchema/properties/p/x-mcp-header: \"X Y\"",
        "it holds characters that no header's name has; its parameter's type isn't string, integer or boolean",
    ]);
    project.run(&["pin", "--yes"]).finish().expect_status(0).expect_stdout(&["notice[header-misuse]"]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_nowhere(&["header-misuse"]);
}

#[test]
fn instructions_that_clients_cut_are_told_when_they_are_new() {
    let script = |text: &str| json!({ "tools": [tool("a", "A.")], "instructions": text.repeat(3_000) });
    let project = Project::with_server("crm", &script("x"));
    let finished = inspect(&project);
    finished.expect_status(0).expect_stdout(&[
        "notice[long-instructions] `crm` at /instructions",
        "3000 characters; some clients cut after 2048 bytes",
        "  instructions  3,000 characters\n    | xxx",
        "… 2,700 more characters\n",
        "next: mcp-pin inspect --full shows what was left out above",
    ]);
    let full = project.run(&["inspect", "--yes", "--full"]).finish();
    full.expect_status(0).expect_stdout(&[&"x".repeat(3_000)]).expect_nowhere(&["left out"]);
    project.run(&["pin", "--yes"]).finish().expect_status(0).expect_stdout(&["notice[long-instructions]"]);
    project.run(&["check", "-v"]).finish().expect_status(0).expect_nowhere(&["long-instructions"]);
    project.script("crm", &script("y"));
    let changed = project.run(&["check"]).finish();
    changed.expect_status(1).expect_stdout(&["danger[instructions-changed]", "notice[long-instructions]"]);
}

#[test]
fn a_listing_that_changes_by_itself_is_seen() {
    let script = json!({ "listings": [[[tool("a", "One.")]], [[tool("a", "Two.")]]] });
    let project = Project::with_server("crm", &script);
    let finished = inspect(&project);
    finished
        .expect_status(0)
        .expect_stdout(&["danger[unstable-listing] `crm`", "pin would refuse it: unstable-listing"]);
    assert!(!finished.stdout.contains("mcp-pin pin"), "{}", finished.stdout);
}

#[test]
fn json_is_the_report_of_a_check_with_the_definitions() {
    let script = json!({ "tools": [tool("a", "Does A.")], "instructions": "Be kind." });
    let project = Project::with_server("crm", &script);
    let finished = project.run(&["inspect", "--yes", "--format", "json"]).finish();
    finished.expect_status(0);
    let report = finished.json();
    assert_eq!(
        (&report["command"], &report["exit_code"], &report["version"]),
        (&json!("inspect"), &json!(0), &json!(1))
    );
    let crm = server(&report, "crm");
    assert_eq!((&crm["state"], &crm["items"], &crm["findings"]), (&json!("read"), &json!(1), &json!([])));
    let definitions = &crm["definitions"];
    assert_eq!(definitions["protocol"], "2025-11-25");
    assert_eq!(definitions["release"], "1.0.0");
    assert_eq!(definitions["instructions"], "Be kind.");
    assert_eq!(definitions["about"]["serverInfo"]["name"], "scripted");
    assert_eq!(definitions["items"][0]["definition"], tool("a", "Does A."));
}

#[test]
fn a_secret_in_the_launch_is_no_reason_to_refuse_and_is_shown_nowhere() {
    let mut project = Project::new();
    project.script("crm", &listing(&[tool("a", "Token $ENV:API_KEY and $ENV:CRM_TOKEN.")]));
    let env = json!({ "API_KEY": "literal-0123456789abcdef", "CRM_TOKEN": "${CRM_TOKEN}" });
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json"], "env": env }));
    for format in ["human", "json"] {
        let run = project.run(&["inspect", "--yes", "--full", "--format", format]);
        let finished = run.env("CRM_TOKEN", "tok-0123456789").finish();
        finished.expect_status(0).expect_stdout(&["Token [masked] and [masked].", "pin would refuse it: "]);
        finished.expect_stderr(&["env API_KEY=[masked]", "env CRM_TOKEN=${CRM_TOKEN}"]);
        finished.expect_nowhere(&["literal-0123456789abcdef", "tok-0123456789"]);
    }
}

#[test]
fn hostile_text_stays_text_and_a_flood_is_counted() {
    let mut tools: Vec<_> = (0..200).map(|number| tool(&format!("{HOSTILE}{number}"), HOSTILE)).collect();
    tools.push(tool("long", &"\u{202e}::error::x\n".repeat(100_000)));
    let server = json!({ "name": HOSTILE, "version": HOSTILE });
    let project = Project::with_server("crm", &json!({ "tools": tools, "instructions": HOSTILE, "server": server }));
    for mode in [&[][..], &["-q"], &["-v", "--full"], &["--format", "json"]] {
        let finished = project.run(&[&["inspect", "--yes"], mode].concat()).finish();
        finished.expect_status(0);
        expect_tame(&finished);
    }
    let finished = inspect(&project);
    finished.expect_stdout(&["    … 151 more items, --full shows all\n", "--full shows what was left out above"]);
    assert!(finished.stdout.len() < 400_000, "{} bytes", finished.stdout.len());
}
