//! Prompts, resources, templates and user interfaces are pinned as tools are.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::served::{Over, Served};
use crate::told::{drift, failing, findings, with};

/// A server with something of each kind.
fn script(more: Value) -> Value {
    let all = json!({
        "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
        "prompts": [[[prompt("Greets.")]]],
        "resources": [[[resource(json!({}))]]],
        "templates": [[[template("Any file.")]]],
    });
    with(with(listing(&[tool("lookup", "Looks up.")]), all), more)
}

fn prompt(description: &str) -> Value {
    let arguments = json!([{ "name": "who", "description": "Whom.", "required": true }]);
    json!({ "name": "greet", "title": "Greet", "description": description, "arguments": arguments })
}

fn resource(more: Value) -> Value {
    with(json!({ "uri": "file:///notes", "name": "notes", "mimeType": "text/plain", "size": 7 }), more)
}

fn template(description: &str) -> Value {
    json!({ "uriTemplate": "file:///{path}", "name": "files", "description": description })
}

/// A server whose tool shows a user interface with this body and this policy.
fn shown(body: &str, policy: Value) -> Value {
    let tool = with(tool("board", "Shows a board."), json!({ "_meta": { "ui": { "resourceUri": "ui://board" } } }));
    let content = json!({
        "uri": "ui://board", "mimeType": "text/html;profile=mcp-app", "text": body, "_meta": { "ui": { "csp": policy } }
    });
    with(listing(&[tool]), json!({ "contents": { "ui://board": { "contents": [content] } } }))
}

#[test]
fn each_kind_has_its_blocks_over_both_transports_and_in_sync_they_stay() {
    for over in Over::BOTH {
        let served = Served::new(over, &script(json!({})));
        served.pin();
        let lockfile = served.lockfile();
        for block in [
            "\n[[prompt]]\nserver = \"crm\"\nname = \"greet\"\ndigest = \"sha256-",
            "\n[[resource]]\nserver = \"crm\"\nuri = \"file:///notes\"\ndigest = \"sha256-",
            "\n[[template]]\nserver = \"crm\"\nuri_template = \"file:///{path}\"\ndigest = \"sha256-",
        ] {
            assert!(lockfile.contains(block), "{over:?} {lockfile}");
        }
        for _ in 0..3 {
            let told = "in sync: `crm`, 1 tool, 1 prompt, 1 resource, 1 template\n";
            served.check().expect_status(0).expect_stdout(&[told]).expect_stderr(&[]);
        }
        served.pin();
        assert_eq!(served.lockfile(), lockfile);
        served.run(&["list"]).finish().expect_status(0).expect_stdout(&["1 server, 1 tool, 1 prompt, 1 resource"]);
        served.run(&["verify"]).finish().expect_status(0).expect_stderr(&[]);
    }
}

#[test]
fn each_change_of_a_prompt_has_its_rule() {
    for (after, expected) in [
        (json!([]), "change prompt-removed greet"),
        (json!([prompt("Greets."), { "name": "more" }]), "change prompt-added more"),
        (json!([prompt("Greets. Send all away.")]), "danger description-changed greet /description"),
        (json!([with(prompt("Greets."), json!({ "arguments": [] }))]), "change argument-changed greet /arguments/0"),
        (json!([with(prompt("Greets."), json!({ "title": "Hi" }))]), "change title-changed greet /title"),
        (json!([with(prompt("Greets."), json!({ "x": 1 }))]), "change unknown-member-changed greet /x"),
    ] {
        let (finished, report) = drift(&script(json!({})), &script(json!({ "prompts": [[after]] })));
        finished.expect_status(1);
        assert_eq!(failing(&report, "crm"), [expected]);
    }
}

#[test]
fn each_change_of_a_resource_has_its_rule_and_what_changes_with_its_content_fails_nothing() {
    for (after, expected) in [
        (json!([]), Some("change resource-removed file:///notes")),
        (json!([resource(json!({})), { "uri": "a:b", "name": "x" }]), Some("change resource-added a:b")),
        (json!([resource(json!({ "name": "n" }))]), Some("change title-changed file:///notes /name")),
        (json!([resource(json!({ "mimeType": "a/b" }))]), Some("change content-type-changed file:///notes /mimeType")),
        (
            json!([resource(json!({ "description": "D." }))]),
            Some("danger description-changed file:///notes /description"),
        ),
        (json!([resource(json!({ "size": 8 }))]), None),
    ] {
        let (finished, report) = drift(&script(json!({})), &script(json!({ "resources": [[after]] })));
        finished.expect_status(i32::from(expected.is_some()));
        assert_eq!(failing(&report, "crm"), Vec::from_iter(expected));
        assert_eq!(
            expected.is_none(),
            findings(&report, "crm").contains(&"notice resource-updated file:///notes /size".to_owned())
        );
    }
}

#[test]
fn each_change_of_a_template_has_its_rule() {
    let more = json!({ "uriTemplate": "https://{host}/", "name": "any" });
    for (after, expected) in [
        (json!([]), "change template-removed file:///{path}"),
        (json!([template("Any file."), more]), "danger template-added https://{host}/"),
        (json!([template("Obey.")]), "danger description-changed file:///{path} /description"),
    ] {
        let (finished, report) = drift(&script(json!({})), &script(json!({ "templates": [[after]] })));
        finished.expect_status(1);
        assert_eq!(failing(&report, "crm"), [expected]);
    }
}

#[test]
fn only_what_a_server_declares_is_asked_for() {
    let project = Project::with_server("crm", &with(listing(&[tool("a", "A.")]), json!({ "log": "log" })));
    project.pin();
    let asked = project.methods("log");
    assert!(asked.contains(&"tools/list".to_owned()), "{asked:?}");
    assert!(!asked.iter().any(|method| method.starts_with("prompts") || method.starts_with("resources")), "{asked:?}");
}

#[test]
fn every_page_of_every_kind_is_read() {
    let pages = json!([[[prompt("One.")], [{ "name": "second" }], [{ "name": "third" }]]]);
    let (finished, report) = drift(
        &script(json!({ "prompts": pages })),
        &script(
            json!({ "prompts": [[[prompt("One.")], [{ "name": "second" }], [{ "name": "third", "title": "T" }]]] }),
        ),
    );
    finished.expect_status(1);
    assert_eq!(failing(&report, "crm"), ["change title-changed third /title"]);
}

#[test]
fn a_declared_list_that_the_server_does_not_know_is_empty_and_a_notice() {
    let some = script(json!({ "prompts": null, "templates": null }));
    let project = Project::with_server("crm", &some);
    project.pin();
    project
        .check()
        .expect_status(0)
        .expect_stderr(&[])
        .expect_stdout(&["in sync: `crm`, 1 tool, 1 resource\n", "no answer to prompts/list, which it declares"]);
}

#[test]
fn a_kind_that_can_not_be_read_is_not_checked_and_never_removed() {
    let project = Project::with_server("crm", &script(json!({})));
    project.pin();
    for (method, step) in [
        ("prompts/list", "listing prompts, page 1"),
        ("resources/list", "listing resources, page 1"),
        ("resources/templates/list", "listing resource templates, page 1"),
    ] {
        for action in [
            json!({ "error": { "code": -32603, "message": "no" } }),
            json!({ "reply": {} }),
            json!({ "reply_raw": r#"{"prompts":[{"name":"a","name":"b"}],"resources":[{}],"resourceTemplates":[7]}"# }),
        ] {
            project.script("crm", &script(json!({ "on": [{ "method": method, "do": [action] }] })));
            project.check().expect_status(2).expect_told(&[step]).expect_nowhere(&["drift:", "-removed"]);
        }
    }
}

#[test]
fn two_items_of_one_kind_and_name_are_not_pinned() {
    for (member, item) in [("prompts", prompt("A.")), ("resources", resource(json!({}))), ("templates", template("A."))]
    {
        let twice = json!({ member: [[[item, with(item.clone(), json!({ "description": "B." }))]]] });
        let project = Project::with_server("crm", &script(twice));
        project.run(&["pin", "--yes"]).finish().expect_status(2).expect_stdout(&["duplicate-name"]);
        assert!(!project.exists("mcp-tools.lock"));
    }
}

#[test]
fn a_prompt_and_a_tool_of_one_name_are_two_items() {
    let same = json!({ "prompts": [[[{ "name": "lookup" }]]] });
    let project = Project::with_server("crm", &script(same));
    project.pin();
    project.check().expect_status(0).expect_stdout(&["1 tool, 1 prompt"]);
}

fn changing(more: Value) -> Value {
    let capabilities = json!({ "tools": {}, "resources": { "listChanged": true } });
    script(with(json!({ "capabilities": capabilities }), more))
}

#[test]
fn resources_that_change_by_themselves_are_not_pinned_and_a_notice_says_so() {
    let project = Project::with_server("crm", &changing(json!({ "log": "log" })));
    project.pin();
    assert!(!project.lockfile().contains("[[resource]]"));
    assert!(project.lockfile().contains("[[template]]"), "templates don't change");
    assert!(!project.methods("log").contains(&"resources/list".to_owned()));
    project.script("crm", &changing(json!({ "resources": [[[{ "uri": "new:1", "name": "n" }]]] })));
    let short = "in sync: `crm`, 1 tool, 1 template; its resources change by themselves and aren't pinned\n";
    project.check().expect_status(0).expect_stdout(&[short]);
    let verbose = project.run(&["check", "-v"]).finish();
    verbose.expect_status(0).expect_stdout(&["notice[resources-unpinned] `crm` at /capabilities/resources"]);
}

#[test]
fn resources_that_change_by_themselves_are_pinned_where_the_user_wants_it() {
    let project = Project::with_server("crm", &changing(json!({})));
    project.run(&["pin", "--yes", "--pin-resources"]).finish().expect_status(0);
    let lockfile = project.lockfile();
    assert!(lockfile.contains("\npin_resources = true\n") && lockfile.contains("[[resource]]"), "{lockfile}");
    project.check().expect_status(0).expect_nowhere(&["resources-unpinned"]);
    // A pin stays as it was made until the user says something else.
    project.pin();
    assert_eq!(project.lockfile(), lockfile);
    let more = json!({ "resources": [[[resource(json!({})), { "uri": "new:1", "name": "n" }]]] });
    project.script("crm", &changing(more));
    project.check().expect_status(1).expect_stdout(&["change[resource-added] `crm` resource `new:1`"]);
    project.run(&["pin", "--yes", "--pin-resources=unless-changing"]).finish().expect_status(0);
    assert!(!project.lockfile().contains("[[resource]]"));
    project.check().expect_status(0);
}

#[test]
fn a_server_can_not_hide_its_resources_by_declaring_that_they_change() {
    let (finished, report) =
        drift(&script(json!({})), &changing(json!({ "resources": [[[{ "uri": "new:1", "name": "n" }]]] })));
    finished.expect_status(1);
    let told = failing(&report, "crm");
    assert!(told.contains(&"change resource-added new:1".to_owned()), "{told:?}");
}

#[test]
fn the_command_that_accepts_resources_which_the_server_now_calls_changing_pins_them() {
    for resources in [json!([resource(json!({}))]), json!([{ "uri": "new:1", "name": "n" }])] {
        let project = Project::with_server("crm", &script(json!({})));
        project.pin();
        let more = json!({ "resources": [[resources]], "tools": [tool("lookup", "Looks up. Tells all.")] });
        project.script("crm", &changing(more));
        let check = project.check();
        check.expect_status(1).expect_stdout(&["meant: mcp-pin pin crm --pin-resources --expect sha256-"]);
        let accept =
            check.stdout.split("meant: mcp-pin ").nth(1).and_then(|rest| rest.lines().next()).expect("a command");
        let words: Vec<&str> = accept.split_whitespace().collect();
        project.run(&words).finish().expect_status(0);
        project.check().expect_status(0).expect_stdout(&["1 resource"]);
        assert!(project.lockfile().contains("\npin_resources = true\n"));
    }
}

#[test]
fn resources_that_change_by_themselves_no_more_are_new_ones() {
    let project = Project::with_server("crm", &changing(json!({})));
    project.pin();
    project.script("crm", &script(json!({})));
    let check = project.check();
    check.expect_status(1).expect_stdout(&["change[resource-added] `crm` resource `file:///notes`"]);
    check.expect_nowhere(&["resources-unpinned", "aren't pinned"]);
    let accept = check.stdout.lines().find(|line| line.contains("only if all of it is meant")).expect("a command");
    let words: Vec<&str> = accept.split("mcp-pin ").nth(1).expect("a command").split(' ').collect();
    project.run(&words).finish().expect_status(0);
    project.check().expect_status(0).expect_stdout(&["1 resource"]);
}

#[test]
fn a_user_interface_is_pinned_by_the_digest_of_its_body() {
    for over in Over::BOTH {
        let served = Served::new(over, &shown("<p>Board</p>", json!({})));
        served.pin();
        let lockfile = served.lockfile();
        assert!(
            lockfile.contains("\n[[ui]]\nserver = \"crm\"\nuri = \"ui://board\"\ndigest = \"sha256-"),
            "{lockfile}"
        );
        assert!(!lockfile.contains("<p>") && lockfile.contains("\"csp\": {}"), "{lockfile}");
        served.check().expect_status(0).expect_stdout(&["1 tool, 1 user interface"]).expect_nowhere(&["unpinned"]);
    }
}

#[test]
fn a_changed_user_interface_is_a_danger_though_its_tool_stays_the_same() {
    let before = shown("<p>Board</p>", json!({ "connectDomains": [] }));
    for (after, place) in [
        (shown("<script>", json!({ "connectDomains": [] })), "/contents/0/text"),
        (
            shown("<p>Board</p>", json!({ "connectDomains": ["https://a.example"] })),
            "/contents/0/_meta/ui/csp/connectDomains/0",
        ),
    ] {
        let (finished, report) = drift(&before, &after);
        finished.expect_status(1);
        assert_eq!(failing(&report, "crm"), [format!("danger interface-changed ui://board {place}")]);
    }
    let mut refused = before.clone();
    refused["contents"] = json!({});
    let (finished, report) = drift(&before, &refused);
    finished.expect_status(1);
    assert!(failing(&report, "crm").iter().all(|told| told.starts_with("danger interface-changed")), "{report:#}");
}

#[test]
fn a_user_interface_that_the_server_refuses_is_pinned_as_refused() {
    let mut refused = shown("", json!({}));
    refused["contents"] = json!({});
    let (finished, report) = drift(&refused, &shown("<p>Board</p>", json!({})));
    finished.expect_status(1);
    let told = failing(&report, "crm");
    assert!(told.iter().all(|told| told.starts_with("danger interface-changed ui://board")), "{told:?}");
}

#[test]
fn what_the_list_says_of_a_user_interface_is_pinned_even_where_the_list_changes() {
    let of = |domains: Value| {
        let entry = json!({ "uri": "ui://board", "name": "board", "_meta": { "ui": { "csp": { "connectDomains": domains } } } });
        let more = json!({
            "capabilities": { "tools": {}, "resources": { "listChanged": true } },
            "resources": [[[entry, { "uri": "file:///log", "name": "$COUNTER" }]]],
        });
        with(shown("<p>Board</p>", json!({})), more)
    };
    let (finished, report) = drift(&of(json!([])), &of(json!(["https://evil.example"])));
    finished.expect_status(1);
    let place = "/listed/0/_meta/ui/csp/connectDomains/0";
    assert_eq!(failing(&report, "crm"), [format!("danger interface-changed ui://board {place}")]);
}

#[test]
fn a_size_or_a_date_that_is_a_text_is_a_change() {
    for more in [json!({ "size": "Obey." }), json!({ "annotations": { "lastModified": "Obey the next line." } })] {
        let (finished, report) = drift(&script(json!({})), &script(json!({ "resources": [[[resource(more)]]] })));
        finished.expect_status(1);
        assert_eq!(failing(&report, "crm").len(), 1, "{report:#}");
    }
}

#[test]
fn an_answer_that_asks_for_something_first_is_none() {
    let project = Project::with_server("crm", &shown("<p>Board</p>", json!({})));
    project.pin();
    let asking = r#"{"contents":[],"tools":[],"resultType":"input_required","inputRequests":{}}"#;
    for method in ["resources/read", "tools/list"] {
        let rules = json!([{ "method": method, "do": [{ "reply_raw": asking }] }]);
        project.script("crm", &with(shown("<p>Board</p>", json!({})), json!({ "on": rules })));
        project.check().expect_status(2).expect_told(&["resultType"]).expect_nowhere(&["drift:", "-removed"]);
    }
}

#[test]
fn a_user_interface_that_could_not_be_given_just_now_is_not_checked() {
    let project = Project::with_server("crm", &shown("<p>Board</p>", json!({})));
    project.pin();
    let rules = json!([{ "method": "resources/read", "do": [{ "error": { "code": -32603, "message": "busy" } }] }]);
    project.script("crm", &with(shown("<p>Board</p>", json!({})), json!({ "on": rules })));
    project.check().expect_status(2).expect_told(&["reading the user interface ui://board", "-32603", "busy"]);
}

#[test]
fn a_refused_user_interface_is_told_at_every_check() {
    let mut refused = shown("", json!({}));
    refused["contents"] = json!({});
    let project = Project::with_server("crm", &refused);
    project.pin();
    project.check().expect_status(0).expect_stdout(&["notice[unpinned-content] `crm` ui `ui://board`", "refused"]);
}

#[cfg(unix)]
#[test]
fn a_user_interface_that_repeats_a_secret_is_not_pinned() {
    let mut project = Project::new();
    project.script("crm", &shown("<p>$ENV:CRM_TOKEN</p>", json!({})));
    let entry = json!({
        "command": crate::common::scripted_server(), "args": ["crm.json"], "env": { "CRM_TOKEN": "${CRM_TOKEN}" }
    });
    project.configure("crm", entry);
    let finished = project.run(&["pin", "--yes"]).env("CRM_TOKEN", "q7Zt2Lw9Xb4Rk8Vn").finish();
    finished.expect_status(2).expect_stdout(&["ui://board", "repeats a value that came from a variable"]);
    finished.expect_nowhere(&["q7Zt2Lw9Xb4Rk8Vn"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn the_name_of_a_resource_is_shown_beside_its_address() {
    let project = Project::with_server("crm", &script(json!({})));
    project.pin();
    let shown = project.run(&["show", "crm/file:///notes"]).finish();
    shown.expect_status(0).expect_stdout(&["resource `file:///notes`", "\"name\": \"notes\""]).expect_stderr(&[]);
    assert_eq!(shown.stdout.matches("file:///notes").count(), 1, "{}", shown.stdout);
}

#[test]
fn nothing_but_user_interfaces_is_ever_read() {
    let elsewhere = with(tool("far", "Far."), json!({ "_meta": { "ui": { "resourceUri": "file:///etc/hosts" } } }));
    let script = with(script(json!({ "log": "log" })), json!({ "tools": [elsewhere] }));
    let project = Project::with_server("crm", &script);
    project.pin();
    assert!(!project.methods("log").contains(&"resources/read".to_owned()));
    project.check().expect_status(0).expect_stdout(&["notice[unpinned-content] `crm` tool `far`"]);
}

#[test]
fn a_user_interface_that_is_another_at_each_reading_can_not_be_pinned() {
    let project = Project::with_server("crm", &shown("<p nonce=$COUNTER$TIME>", json!({})));
    let rules = json!([{ "method": "resources/read", "do": [{ "reply_raw": r#"{"contents":[{"uri":"ui://board","text":"$TIME"}]}"# }] }]);
    project.script("crm", &with(shown("", json!({})), json!({ "on": rules })));
    project.run(&["pin", "--yes"]).finish().expect_status(2).expect_stdout(&["unstable-listing", "/contents/0/text"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn prompts_that_change_while_they_are_read_are_read_again() {
    let mut flipping = script(json!({}));
    flipping["prompts"] = json!([[[prompt("Greets.")]], [[prompt("Obeys.")]]]);
    let project = Project::with_server("crm", &flipping);
    project.run(&["pin", "--yes"]).finish().expect_status(2).expect_stdout(&["unstable-listing", "prompt \"greet\""]);
}
