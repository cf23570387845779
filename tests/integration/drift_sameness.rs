//! What may differ without being drift: order, layout, escapes, the spelling of numbers. And that a check changes nothing.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::{drift, findings, stamp};

/// A script that lists these tools, each sent to the byte.
fn verbatim(tools: &[&str]) -> Value {
    json!({ "tools": tools })
}

/// Pins one spelling and expects another to be in sync, with nothing to tell, and to pin to the same bytes.
#[track_caller]
fn expect_the_same(one: &Value, other: &Value) {
    let project = Project::with_server("crm", one);
    project.pin();
    let lockfile = stamp(&project, "mcp-tools.lock");
    project.script("crm", other);
    let finished = project.run(&["check", "--format", "json"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    assert_eq!(findings(&finished.json(), "crm"), Vec::<String>::new());
    project.run(&["pin", "--yes"]).finish().expect_status(0).expect_stdout(&["mcp-tools.lock is unchanged"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), lockfile, "a pin that changes nothing doesn't touch the file");
}

#[test]
fn the_order_of_tools_means_nothing_on_one_page_or_several() {
    let (a, b, c) = (tool("a", "A."), tool("b", "B."), tool("c", "C."));
    expect_the_same(&listing(&[a.clone(), b.clone(), c.clone()]), &listing(&[c.clone(), a.clone(), b.clone()]));
    expect_the_same(&listing(&[a.clone(), b.clone(), c.clone()]), &json!({ "listings": [[[c], [], [b, a]]] }));
}

#[test]
fn the_order_of_keys_and_the_layout_mean_nothing() {
    expect_the_same(
        &verbatim(&[r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":{},"y":{}},"$defs":{"p":{},"q":{}}}}"#]),
        &verbatim(&["{\n  \"inputSchema\" : { \"$defs\": {\"q\": {}, \"p\": {}},\t\"properties\": {\"y\": {}, \"x\": {}},\r\n \"type\": \"object\" },\n \"name\": \"a\" }".replace(['\n', '\r'], " ").as_str()]),
    );
}

#[test]
fn the_spelling_of_characters_means_nothing() {
    expect_the_same(
        &verbatim(&[r#"{"name":"a","description":"café / 👋","inputSchema":{"type":"object"}}"#]),
        &verbatim(&[r#"{"name":"\u0061","description":"caf\u00e9 \/ \ud83d\udc4b","inputSchema":{"type":"object"}}"#]),
    );
}

#[test]
fn the_spelling_of_numbers_means_nothing() {
    let of = |one: &str, most: &str, zero: &str| {
        format!(
            r#"{{"name":"a","inputSchema":{{"type":"object","properties":{{"p":{{"default":{one},"maximum":{most},"minimum":{zero}}}}}}}}}"#
        )
    };
    expect_the_same(&verbatim(&[&of("1.0", "1e3", "-0")]), &verbatim(&[&of("1", "1000", "0")]));
}

#[test]
fn numbers_that_doubles_confuse_are_told_apart() {
    let of = |numbers: [&str; 3]| {
        let numbers = numbers.iter().enumerate();
        let tools: Vec<String> = numbers
            .map(|(index, number)| {
                format!(r#"{{"name":"t{index}","inputSchema":{{"type":"object","x-id":{number}}}}}"#)
            })
            .collect();
        verbatim(&tools.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let project = Project::with_server("crm", &of(["9007199254740993", "1e998", "0.1"]));
    project.pin();
    project.script("crm", &of(["9007199254740992", "1e999", "0.10000000000000000001"]));
    project.check().expect_status(1).expect_stderr(&[]).expect_stdout(&[
        "change[schema-changed] `crm` tool `t0` at /inputSchema/x-id\n  - 9007199254740993\n  + 9007199254740992\n",
        "change[schema-changed] `crm` tool `t1` at /inputSchema/x-id\n  - 1e+{-998-}\n  + 1e+{+999+}\n",
        "change[schema-changed] `crm` tool `t2` at /inputSchema/x-id\n",
        "10000000000000000001",
    ]);
}

#[test]
fn the_order_of_required_names_and_of_types_is_a_notice() {
    let of = |required: Value, types: Value| {
        let schema = json!({ "type": "object", "required": required, "properties": { "a": { "type": types } } });
        listing(&[json!({ "name": "t", "inputSchema": schema })])
    };
    let project = Project::with_server("crm", &of(json!(["a", "b", "c"]), json!(["string", "null"])));
    project.pin();
    project.script("crm", &of(json!(["c", "a", "b"]), json!(["null", "string"])));
    project.check().expect_status(0).expect_stdout(&["in sync: `crm`, 1 tool"]).expect_stderr(&[]);
    let report = project.run(&["check", "--format", "json"]).finish().json();
    assert_eq!(
        findings(&report, "crm"),
        ["notice order-changed t /inputSchema/properties/a/type", "notice order-changed t /inputSchema/required"]
    );
}

#[test]
fn the_order_where_it_means_something_is_drift() {
    let of =
        |key: &str, values: Value| listing(&[json!({ "name": "t", "inputSchema": { "type": "object", key: values } })]);
    for key in ["anyOf", "allOf", "prefixItems"] {
        let schemas = |one: u8, other: u8| of(key, json!([{ "minimum": one }, { "minimum": other }]));
        let (finished, _) = drift(&schemas(1, 2), &schemas(2, 1));
        finished.expect_status(1);
    }
    let (finished, report) = drift(&of("examples", json!([1, 2])), &of("examples", json!([2, 1])));
    finished.expect_status(1);
    assert!(
        findings(&report, "crm").iter().all(|told| told.starts_with("change schema-changed t /inputSchema/examples"))
    );
}

#[test]
fn the_order_of_accepted_values_is_a_notice_of_its_own() {
    let of = |values: Value| listing(&[json!({ "name": "t", "inputSchema": { "type": "object", "enum": values } })]);
    let (finished, report) = drift(&of(json!(["a", "b"])), &of(json!(["b", "a"])));
    finished.expect_status(0);
    assert_eq!(findings(&report, "crm"), ["notice enum-order-changed t /inputSchema/enum"]);
}

#[test]
fn a_second_check_says_the_same_and_no_check_writes() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let lockfile = stamp(&project, "mcp-tools.lock");
    project.script("crm", &listing(&[tool("a", "A. And more.")]));
    let first = project.check();
    let second = project.check();
    first.expect_status(1);
    second.expect_status(1);
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(stamp(&project, "mcp-tools.lock"), lockfile);
}

#[test]
fn the_machine_s_language_means_nothing() {
    let spoken = json!({ "tools": [tool("a", "In $ENV:LANG and $ENV:LC_ALL at $ENV:TZ.")] });
    let project = Project::with_server("crm", &spoken);
    let run = |command: &[&str], language: &str| {
        project.run(command).env("LANG", language).env("LC_ALL", language).env("TZ", "Asia/Tokyo").finish()
    };
    run(&["pin", "--yes"], "zh_CN.UTF-8").expect_status(0);
    run(&["check"], "C.UTF-8").expect_status(0).expect_stdout(&["in sync: `crm`"]).expect_stderr(&[]);
    assert!(project.lockfile().contains("In C.UTF-8 and C.UTF-8 at UTC."), "{}", project.lockfile());
}

#[test]
fn what_a_tool_does_when_it_is_called_is_not_judged_and_none_is_called() {
    let project = Project::with_server("crm", &json!({ "tools": [tool("a", "A.")], "log": "log" }));
    project.pin();
    let finished = project.check();
    finished.expect_status(0).expect_stdout(&["definitions match mcp-tools.lock, behaviour isn't checked"]);
    assert!(!project.read("log").contains("tools/call"));
}
