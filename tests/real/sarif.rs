//! SARIF logs are valid by the standard's published schema, as a package carries it.

use serde_json::{Value, json};

use crate::common::{Project, listing, scripted_server, tool};
use crate::skipped;

/// The schema of SARIF 2.1.0 in the package that checks logs of other tools by it.
const SCHEMA: &str = "tests/real/npm/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";

const FAULTY: &str = "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$";

fn validator() -> jsonschema::Validator {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(SCHEMA);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{SCHEMA}: {error}"));
    // Two patterns of languages have a bracket too many, which lenient engines alone bear; we write no such member.
    assert_eq!(text.matches(FAULTY).count(), 2);
    let schema: Value = serde_json::from_str(&text.replace(FAULTY, "^[a-zA-Z]{2}")).expect("a document");
    assert!(schema["title"].as_str().is_some_and(|title| title.contains("Version 2.1.0")), "{schema}");
    jsonschema::validator_for(&schema).expect("a schema")
}

#[track_caller]
fn expect_valid(validator: &jsonschema::Validator, project: &Project, arguments: &[&str], status: i32) -> Value {
    let finished = project.run(&[arguments, &["--format", "sarif"]].concat()).finish();
    finished.expect_status(status);
    let log: Value = serde_json::from_str(&finished.stdout).expect("one document");
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{}", finished.stdout);
    log
}

#[test]
fn logs_of_every_outcome_are_valid() {
    if skipped() {
        return;
    }
    let validator = validator();
    let mut project = Project::new();
    project.server("crm", &listing(&[tool("a", "A."), tool("gone", "G.")]));
    project.server("dead", &listing(&[tool("d", "D.")]));
    project.server("off", &listing(&[tool("o", "O.")]));
    expect_valid(&validator, &project, &["inspect", "--yes"], 0);
    expect_valid(&validator, &project, &["pin", "--yes"], 0);
    expect_valid(&validator, &project, &["check"], 0);
    expect_valid(&validator, &project, &["verify"], 0);
    let hostile = "\u{1b}[2J\u{0}\u{202e}\u{fffe}[x](https://evil.example) {0} @all\n\n::error::x";
    project.script("crm", &listing(&[tool("a", hostile), tool(hostile, "New.")]));
    project.script("dead", &json!({ "on": [{ "method": "start", "do": [{ "exit": 3 }] }] }));
    project.configure("off", json!({ "command": scripted_server(), "args": ["off.json"], "disabled": true }));
    project.server("unpinned", &listing(&[tool("u", "U.")]));
    let log = expect_valid(&validator, &project, &["check"], 1);
    assert!(log["runs"][0]["results"].as_array().is_some_and(|results| results.len() > 3), "{log:#}");
    project.write("mcp-tools.lock", "no lockfile");
    expect_valid(&validator, &project, &["check"], 2);
}

#[test]
fn a_log_that_had_no_room_for_all_findings_is_valid() {
    if skipped() {
        return;
    }
    let tools = |description: &str| -> Vec<Value> { (0..5_002).map(|n| tool(&format!("t{n}"), description)).collect() };
    let project = Project::with_server("crm", &listing(&tools("A.")));
    project.pin();
    project.script("crm", &listing(&tools("Changed.")));
    let log = expect_valid(&validator(), &project, &["check"], 1);
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(5_000));
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert!(told[0]["message"]["text"].as_str().is_some_and(|told| told.starts_with("2 findings more")), "{told}");
}

#[test]
fn the_schema_refuses_what_is_no_log() {
    if skipped() {
        return;
    }
    let validator = validator();
    assert!(validator.is_valid(&json!({ "version": "2.1.0", "runs": [] })));
    let result = json!({ "message": { "text": "x" }, "level": "danger" });
    let log = json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "x" } }, "results": [result] }] });
    assert!(!validator.is_valid(&log));
}
