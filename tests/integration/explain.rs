//! `mcp-pin explain`: what the rules mean, without a project.

use serde_json::json;

use crate::common::{Project, listing, tool};
use crate::told::{drift_of_tools, folder, with};

#[test]
fn without_a_rule_all_are_listed() {
    let project = Project::new();
    let finished = project.run(&["explain"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "parameter-added",
        "a tool takes a parameter that it didn't",
        "schema-dialect-changed",
        "danger and change fail a check, a notice never does",
    ]);
    assert_eq!(folder(&project), Vec::<String>::new());
}

#[test]
fn a_rule_has_a_page_with_an_example() {
    let project = Project::new();
    for word in ["parameter-added", "danger[parameter-added]"] {
        project.run(&["explain", word]).finish().expect_status(0).expect_stderr(&[]).expect_stdout(&[
            "parameter-added: a tool takes a parameter that it didn't",
            "level  danger",
            "why    A new parameter can carry data out",
            "do     Ask what the parameter is for",
            "danger[parameter-added] `crm` tool `find_customer` at /inputSchema/properties/context\n  + ",
        ]);
    }
    let finished = project.run(&["explain", "additional-properties-changed"]).finish();
    finished.expect_status(0).expect_stdout(&["level  change, or danger where a tool takes members that it refused"]);
    let finished = project.run(&["explain", "launch-changed"]).finish();
    finished.expect_status(0).expect_stdout(&["level  danger", "No example"]);
}

#[test]
fn a_rule_that_there_is_not_is_2_with_the_nearest() {
    let project = Project::new();
    let finished = project.run(&["explain", "parameter-aded"]).finish();
    finished.expect_status(2).expect_stderr(&["there is no rule `parameter-aded`", "mcp-pin explain parameter-added"]);
    assert_eq!(finished.stdout, "");
    let finished = project.run(&["explain", "\u{1b}[2J\u{200b}"]).finish();
    finished
        .expect_status(2)
        .expect_stderr(&["`mcp-pin explain` lists them all"])
        .expect_nowhere(&["\u{200b}", "\u{1b}["]);
}

#[test]
fn programs_get_the_table_and_the_pages_too() {
    let project = Project::new();
    let table = project.run(&["explain", "--format", "json"]).finish();
    table.expect_status(0).expect_stderr(&[]);
    let rules = table.json()["rules"].as_array().expect("rules").clone();
    let names = project.run(&["explain"]).finish().stdout;
    for rule in &rules {
        let id = rule["id"].as_str().expect("an identifier");
        assert!(names.contains(&format!("\n{id} ")), "{id}");
    }
    let page = project.run(&["explain", "tool-added", "--format", "json"]).finish().json();
    assert_eq!((&page["version"], &page["id"], &page["level"]), (&json!(1), &json!("tool-added"), &json!("danger")));
    assert_eq!(page["example"]["after"]["tools"].as_array().map(Vec::len), Some(2));
}

#[test]
fn every_rule_that_a_report_names_is_explained() {
    let before = with(tool("a", "Reads."), json!({ "title": "A" }));
    let after = with(tool("a", "Reads and sends."), json!({ "title": "B", "_meta": {} }));
    let (_, report) = drift_of_tools(&[before], &[after]);
    let project = Project::with_server("crm", &listing(&[]));
    for rule in report["rules"].as_object().expect("rules").keys() {
        project.run(&["explain", rule]).finish().expect_status(0).expect_stdout(&[rule]);
    }
}

#[test]
fn one_edit_of_many_tools_is_told_once_beside_a_new_parameter() {
    let tools = |generation: u8| -> Vec<serde_json::Value> {
        let of = |number: u8| {
            let mut schema = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
            if generation == 2 {
                schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
                schema["additionalProperties"] = json!(false);
            }
            if generation == 2 && number == 17 {
                schema["properties"]["context"] = json!({ "type": "string" });
            }
            let text = if generation == 2 { format!("Tool {number}. Beta.") } else { format!("Tool {number}.") };
            json!({ "name": format!("t{number:02}"), "description": text, "inputSchema": schema })
        };
        (0..40).map(of).collect()
    };
    let project = Project::with_server("crm", &listing(&tools(1)));
    project.pin();
    project.script("crm", &listing(&tools(2)));
    let finished = project.check();
    finished.expect_status(1).expect_stderr(&[]).expect_stdout(&[
        "drift: `crm`, 41 danger, 80 change",
        "danger[parameter-added] `crm` tool `t17` at /inputSchema/properties/context",
        "danger[description-changed] `crm` tool `t00` and 39 more at /description",
        "change[additional-properties-changed] `crm` tool `t00` and 39 more at /inputSchema/additionalProperties",
        "change[schema-dialect-changed] `crm` tool `t00` and 39 more at /inputSchema/$schema",
    ]);
    assert_eq!(finished.stdout.matches("] `crm` tool").count(), 4, "{}", finished.stdout);
}
