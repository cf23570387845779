//! What can't be pinned is refused by name and place, and the lockfile stays as it was.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::{stamp, with};

/// Pins a good server, gives it this script, and expects `pin` to refuse it with these words.
#[track_caller]
fn expect_refused(script: &Value, parts: &[&str]) {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let before = stamp(&project, "mcp-tools.lock");
    project.script("crm", script);
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stderr(&[]).expect_stdout(&["could not check `crm`", "nothing was written"]);
    finished.expect_stdout(parts);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn a_listing_that_differs_within_one_session_is_refused_and_the_places_named() {
    let one = [
        tool("a", "A 1."),
        json!({ "name": "b", "inputSchema": { "type": "object", "properties": { "p": { "default": 1 } } } }),
    ];
    let other = [
        tool("a", "A 2."),
        json!({ "name": "b", "inputSchema": { "type": "object", "properties": { "p": { "default": 2 } } } }),
    ];
    expect_refused(
        &json!({ "listings": [[one], [other]] }),
        &["unstable-listing", "/description", "/inputSchema/properties/p/default"],
    );
}

#[test]
fn a_listing_that_differs_at_each_start_is_refused_and_the_place_named() {
    let face = |text: &str| json!({ "tools": [tool("a", text)] });
    let script =
        json!({ "start_counter": "starts", "faces": { "1": face("A."), "2": face("A."), "3+": face("Poisoned.") } });
    // The first start was that of the pin before; this one's second is the third.
    let project = Project::with_server("crm", &with(script, json!({})));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(0);
    let before = stamp(&project, "mcp-tools.lock");
    project.write("starts", "1");
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["unstable-listing", "/description", "nothing was written"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[test]
fn what_changes_by_the_clock_or_the_process_is_unstable() {
    for text in ["It is $TIME.", "Process $PID."] {
        expect_refused(&listing(&[tool("clock", text)]), &["unstable-listing", "clock", "/description"]);
    }
}

#[test]
fn a_tool_that_appears_between_two_readings_is_unstable_when_another_went() {
    expect_refused(
        &json!({ "listings": [[[tool("a", "A."), tool("b", "B.")]], [[tool("a", "A."), tool("c", "C.")]]] }),
        &["unstable-listing", "`c`".trim_matches('`')],
    );
}

#[test]
fn instructions_that_differ_at_each_start_are_refused() {
    let script = json!({ "tools": [tool("a", "A.")], "instructions": "Session of $PID." });
    expect_refused(&script, &["unstable-listing", "/instructions"]);
}

#[test]
fn an_answer_that_is_given_twice_differently_is_refused() {
    let twice = json!([{ "answer": true }, { "reply": { "tools": [tool("a", "Other.")] } }]);
    let script = with(listing(&[tool("a", "A.")]), json!({ "on": [{ "method": "tools/list", "do": twice }] }));
    expect_refused(&script, &["ambiguous-answer"]);
}

#[test]
fn a_tool_without_a_name_is_refused() {
    for tool in
        [json!({ "inputSchema": {} }), json!({ "name": null, "inputSchema": {} }), json!({ "name": 7 }), json!("a")]
    {
        // A string would be sent verbatim by the script, so a number stands for what is no object.
        let tool = if tool.is_string() { json!(7) } else { tool };
        expect_refused(&listing(&[tool]), &["help:"]);
    }
}

#[test]
fn two_tools_of_one_name_are_refused_by_their_name() {
    expect_refused(&listing(&[tool("a", "A."), tool("a", "B.")]), &["duplicate-name", "tool \"a\""]);
}

#[test]
fn a_listing_that_is_none_is_refused_and_not_called_empty() {
    for tools in ["{}", "null", "\"none\"", "[1]", "[null]"] {
        expect_refused(&json!({ "listings": [[tools]] }), &["help:"]);
    }
}

#[test]
fn a_server_that_dies_answers_an_error_or_stops_halfway_is_refused() {
    for deed in [
        json!({ "exit": 3 }),
        json!({ "error": { "code": -32603, "message": "database is down" } }),
        json!({ "answer": { "cut": 40 } }),
    ] {
        let mut deeds = vec![deed.clone()];
        if deed.get("answer").is_some() {
            deeds.push(json!({ "exit": 0 }));
        }
        expect_refused(&json!({ "on": [{ "method": "tools/list", "do": deeds }] }), &["help:"]);
    }
}

#[test]
fn a_mistyped_member_is_pinned_as_it_is_with_a_notice() {
    let odd = json!([
        { "name": "none" },
        { "name": "null", "title": null, "inputSchema": { "type": "object" } },
        { "name": "boolean", "inputSchema": true },
        { "name": "array", "description": ["a"], "inputSchema": [] },
    ]);
    let project = Project::with_server("crm", &json!({ "tools": odd }));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(0).expect_stdout(&["notice[malformed-member] `crm`", "wrote mcp-tools.lock"]);
    let report = project.run(&["check", "--format", "json"]).finish().expect_status(0).json();
    let told = crate::told::findings(&report, "crm");
    for place in
        ["none /inputSchema", "null /title", "boolean /inputSchema", "array /description", "array /inputSchema"]
    {
        assert!(told.contains(&format!("notice malformed-member {place}")), "{place}: {told:?}");
    }
}
