//! What code scanning reads.

use serde_json::Value as Json;

use super::sarif::render;
use super::{Report, ServerReport, State};
use crate::finding::{Finding, Level, RULES, rule};
use crate::json::{Pointer, Value};
use crate::problem::Problem;
use crate::surface::Kind;

fn log(servers: Vec<ServerReport>) -> Json {
    let mut report = Report::new("check", "mcp-tools.lock".to_owned(), servers, Vec::new());
    report.record.artifact = "a b/mcp-tools.lock".to_owned();
    serde_json::from_str(&render(&report)).expect("one document")
}

fn drift(finding: Finding) -> Json {
    drift_of(vec![finding])
}

fn drift_of(findings: Vec<Finding>) -> Json {
    log(vec![ServerReport { findings, ..ServerReport::new("crm", State::Drift) }])["runs"][0].clone()
}

fn changed(new: &str) -> Finding {
    let finding = Finding::new(&rule::DESCRIPTION_CHANGED).of_item(Kind::Tool, "a").at(Pointer::of(["description"]));
    Finding { line: Some(33), ..finding.between(Some(Value::from("old")), Some(Value::from(new))) }
}

#[test]
fn a_result_points_at_a_line_of_the_lockfile() {
    let run = drift(changed("new"));
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "description-changed");
    assert_eq!(
        run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize]["id"],
        result["ruleId"]
    );
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"],
        serde_json::json!({ "uri": "a%20b/mcp-tools.lock", "uriBaseId": "%SRCROOT%" })
    );
    assert_eq!(place["region"]["startLine"], 33);
    let logical = &result["locations"][0]["logicalLocations"][0];
    assert_eq!((&logical["fullyQualifiedName"], &logical["kind"]), (&Json::from("crm/a"), &Json::from("tool")));
    let text = result["message"]["text"].as_str().expect("a text");
    assert!(
        text.starts_with("`crm` tool `a` at /description\n- ") && text.contains(rule::DESCRIPTION_CHANGED.todo),
        "{text}"
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["invocations"][0]["exitCode"], 1);
}

#[test]
fn every_rule_says_why_it_matters_and_what_to_do() {
    let run = log(Vec::new())["runs"][0].clone();
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), RULES.len());
    for (told, rule) in rules.iter().zip(RULES) {
        let help = told["help"]["text"].as_str().expect("a text");
        assert!(told["id"] == rule.id && help.contains(rule.why) && help.contains(rule.todo), "{told}");
        let level = match rule.change {
            Level::Danger => "error",
            Level::Change => "warning",
            Level::Notice => "note",
        };
        assert_eq!(told["defaultConfiguration"]["level"], level);
    }
}

#[test]
fn what_could_not_be_checked_is_no_result_but_a_failed_invocation() {
    let problem = Some(Problem::new("starting the server", "out of coffee", "brew"));
    let dead = ServerReport { problem, ..ServerReport::new("dead", State::NotChecked) };
    let skipped = ServerReport { context: vec!["off".to_owned()], ..ServerReport::new("off", State::Skipped) };
    let run = log(vec![dead, skipped])["runs"][0].clone();
    assert_eq!(run["results"], serde_json::json!([]));
    let invocation = &run["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&Json::from(false), &Json::from(2)));
    let notifications = invocation["toolExecutionNotifications"].as_array().expect("notifications");
    let told: Vec<_> = notifications.iter().map(|told| (&told["level"], told["message"]["text"].as_str())).collect();
    let dead = "could not check `dead`: starting the server\nout of coffee\nhelp: brew";
    assert_eq!(told, [(&Json::from("error"), Some(dead)), (&Json::from("note"), Some("skipped `off`: off"))]);
}

#[test]
fn a_fingerprint_is_the_same_in_every_run_and_another_for_the_next_change() {
    let fingerprint =
        |finding: Finding| drift(finding)["results"][0]["partialFingerprints"]["primaryLocationLineHash"].clone();
    let one = fingerprint(changed("new"));
    assert!(one.is_string());
    assert_eq!(fingerprint(Finding { line: Some(99), ..changed("new").noting("x") }), one);
    assert_ne!(fingerprint(changed("newer")), one);
    let unstable = |new: &str| fingerprint(Finding { rule: &rule::UNSTABLE_LISTING, ..changed(new) });
    assert_eq!(unstable("12:00"), unstable("12:01"));
}

#[test]
fn the_worst_five_thousand_results_are_written_and_the_others_counted() {
    let findings = |level: Level, many: usize| -> Vec<Finding> {
        (0..many).map(|n| changed(&format!("{n}")).at_level(level)).collect()
    };
    let server = |name: &str, findings| ServerReport { findings, ..ServerReport::new(name, State::Drift) };
    let run = |of_a: usize, of_b: usize| {
        let (a, b) = (findings(Level::Change, of_a), findings(Level::Danger, of_b));
        log(vec![server("a", a), server("b", b)])["runs"][0].clone()
    };
    assert_eq!(run(4_000, 1_000)["invocations"][0]["toolExecutionNotifications"], serde_json::json!([]));

    let run = run(4_000, 2_234);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 5_000);
    let of_b = results.iter().take_while(|result| result["level"] == "error" && result["properties"]["server"] == "b");
    assert_eq!(of_b.count(), 2_234);
    let invocation = &run["invocations"][0];
    let told = &invocation["toolExecutionNotifications"];
    assert_eq!(told.as_array().map(Vec::len), Some(1));
    assert_eq!(told[0]["level"], "warning");
    let words = "1,234 findings more, which had no room here: mcp-pin check shows them all";
    assert_eq!(told[0]["message"]["text"], words);
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&Json::from(true), &Json::from(1)));
}

#[test]
fn a_name_without_end_leaves_room_for_what_else_is_found() {
    let long = changed("new").of_item(Kind::Tool, &"\u{4e00}".repeat(600_000));
    let run = drift_of(vec![long, changed("new")]);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.iter().map(|result| &result["properties"]["item"]).collect::<Vec<_>>(), ["a"]);
    let told = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(told, "1 finding more, which had no room here: mcp-pin check shows them all");
}
