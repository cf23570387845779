//! One run told in every format: the same servers, findings, levels and exit code in each.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, scripted_server, tool};
use crate::output_hostile::{HOSTILE, expect_tame};
use crate::told::{server, with};

/// The formats, each with the file that it is written to here.
const FILES: [(&str, &str); 6] = [
    ("human", "report.txt"),
    ("json", "report.json"),
    ("sarif", "report.sarif"),
    ("github", "report.github"),
    ("junit", "report.xml"),
    ("markdown", "report.md"),
];

/// A run with a file in each format.
fn run(project: &Project, arguments: &[&str]) -> Finished {
    let files = FILES.map(|(format, file)| format!("--output={format}={file}"));
    let words: Vec<&str> = arguments.iter().copied().chain(files.iter().map(String::as_str)).collect();
    project.run(&words).finish()
}

/// The document that the last run has written.
fn document(project: &Project) -> Value {
    serde_json::from_str(&project.read("report.json")).expect("one document")
}

/// Runs the command and compares what each format says of it.
#[track_caller]
fn compare(project: &Project, arguments: &[&str], status: i32) -> Value {
    let finished = run(project, arguments);
    finished.expect_status(status);
    expect_tame(&finished);
    let report = document(project);
    assert_eq!(report["exit_code"], status);
    expect_shape(project, &report);
    let totals = &report["totals"];
    let total = |name: &str| usize::try_from(totals[name].as_u64().expect("a count")).expect("small");
    let servers = report["servers"].as_array().expect("servers");
    for (level, sarif_level) in [("danger", "error"), ("change", "warning"), ("notice", "note")] {
        let told = servers.iter().flat_map(|server| server["findings"].as_array().expect("findings"));
        assert_eq!(told.filter(|finding| finding["level"] == level).count(), total(level), "{level}");
        assert_eq!(sarif_results(project).iter().filter(|told| told["level"] == sarif_level).count(), total(level));
    }
    compare_sarif(project, &report);
    compare_junit(project, servers);
    compare_pages(project, &report, servers);
    if finished.stdout.is_empty() {
        assert!(servers.is_empty(), "a run that came to servers has a result");
    } else {
        assert_eq!(
            finished.stdout,
            project.read("report.txt").replace(&*project.path("").to_string_lossy(), "[project]/")
        );
    }
    report
}

/// The report has the shape that the program publishes.
#[track_caller]
fn expect_shape(project: &Project, report: &Value) {
    let schema = project.run(&["schema", "report"]).finish();
    schema.expect_status(0).expect_stderr(&[]);
    let validator = jsonschema::validator_for(&schema.json()).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(report).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{report:#}");
}

fn sarif(project: &Project) -> Value {
    let log: Value = serde_json::from_str(&project.read("report.sarif")).expect("one document");
    assert_eq!((&log["version"], log["runs"].as_array().map(Vec::len)), (&json!("2.1.0"), Some(1)));
    log["runs"][0].clone()
}

fn sarif_results(project: &Project) -> Vec<Value> {
    sarif(project)["results"].as_array().expect("results").clone()
}

/// Server, item, rule, pointer and line of each finding.
type Told = BTreeSet<[String; 5]>;

#[track_caller]
fn compare_sarif(project: &Project, report: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut in_json = Told::new();
    for server in report["servers"].as_array().expect("servers") {
        for finding in server["findings"].as_array().expect("findings") {
            let line = finding.get("line").map_or("1".to_owned(), Value::to_string);
            let item = text(&finding["item"]["name"]);
            in_json.insert([text(&server["name"]), item, text(&finding["rule"]), text(&finding["pointer"]), line]);
        }
    }
    let run = sarif(project);
    let mut in_sarif = Told::new();
    for result in sarif_results(project) {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a reference");
        assert!(!uri.starts_with('/') && !uri.contains(':') && !uri.is_empty(), "{uri}");
        let properties = &result["properties"];
        let line = place["region"]["startLine"].to_string();
        let item = text(&properties["item"]);
        in_sarif.insert([
            text(&properties["server"]),
            item,
            text(&result["ruleId"]),
            text(&properties["pointer"]),
            line,
        ]);
    }
    assert_eq!(in_sarif, in_json);
    let servers = report["servers"].as_array().expect("servers");
    let failed = servers.iter().filter(|server| server.get("problem").is_some()).count();
    let problems = report["problems"].as_array().expect("problems").len();
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], failed + problems == 0);
    assert_eq!(invocation["exitCode"], report["exit_code"]);
    let notifications = invocation["toolExecutionNotifications"].as_array().expect("notifications");
    assert_eq!(notifications.iter().filter(|told| told["level"] == "error").count(), failed + problems);
    assert_eq!(run["artifacts"][0]["hashes"]["sha-256"], report.get("lockfile_sha256").cloned().unwrap_or_default());
    assert!(!project.read("report.sarif").contains(&*project.path("").to_string_lossy()), "no path of this machine");
}

#[track_caller]
fn compare_junit(project: &Project, servers: &[Value]) {
    let xml = project.read("report.xml");
    let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    assert!(suites.len() >= servers.len(), "{xml}");
    for (suite, server) in suites.iter().zip(servers) {
        let count = |tag: &str| suite.descendants().filter(|node| node.has_tag_name(tag)).count();
        let findings = server["findings"].as_array().expect("findings");
        let failing: BTreeSet<String> = findings
            .iter()
            .filter(|finding| finding["level"] != "notice")
            .map(|finding| finding["item"].to_string())
            .collect();
        assert_eq!(count("failure"), failing.len(), "{xml}");
        assert_eq!(count("error"), usize::from(server.get("problem").is_some()), "{xml}");
        let items = usize::try_from(server["items"].as_u64().unwrap_or_default()).expect("small");
        assert!(count("testcase") > items, "one for the server, one for each item:\n{xml}");
        match server["state"].as_str() {
            Some("skipped") => assert!(count("skipped") > 0, "{xml}"),
            Some("not-checked") => {}
            _ => assert_eq!(count("skipped"), 0, "{xml}"),
        }
    }
}

#[track_caller]
fn compare_pages(project: &Project, report: &Value, servers: &[Value]) {
    let markdown = project.read("report.md");
    for server in servers {
        let findings = server["findings"].as_array().expect("findings");
        let count = |level: &str| findings.iter().filter(|finding| finding["level"] == level).count();
        let state = server["state"].as_str().expect("a state");
        let counts = format!(" | {state} | {} | {} | {} |\n", count("danger"), count("change"), count("notice"));
        assert!(markdown.contains(&counts), "no {counts} in:\n{markdown}");
    }
    let github = project.read("report.github");
    let command = format!("{}: ", report["command"].as_str().expect("a command"));
    let summary = github.lines().find(|line| line.starts_with(&command)).expect("a line of counts");
    for (file, page) in [("report.txt", project.read("report.txt")), ("report.md", markdown)] {
        assert!(page.contains(summary), "no {summary:?} in {file}:\n{page}");
    }
    for server in servers {
        for finding in server["findings"].as_array().expect("findings") {
            let command = match finding["level"].as_str() {
                Some("danger") => "::error ",
                Some("change") => "::warning ",
                // Not every notice is shown to people.
                _ => continue,
            };
            let rule = format!("[{}]", finding["rule"].as_str().expect("a rule"));
            let told = github.lines().any(|line| line.starts_with(command) && line.contains(&rule));
            assert!(told, "no {command}of {rule} in:\n{github}");
        }
    }
    let problems = servers.iter().filter(|server| server.get("problem").is_some()).count();
    let problems = problems + report["problems"].as_array().expect("problems").len();
    let dangers = usize::try_from(report["totals"]["danger"].as_u64().expect("a count")).expect("small");
    let errors = github.lines().filter(|line| line.starts_with("::error ")).count();
    assert!(errors >= usize::from(problems + dangers > 0) && errors <= (problems + dangers).min(10), "{github}");
}

fn dead() -> Value {
    json!({ "on": [{ "method": "start", "do": [{ "stderr": "out of coffee" }, { "exit": 3 }] }] })
}

#[test]
fn in_sync_is_the_same_in_every_format() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A."), tool("b", "B.")]));
    project.pin();
    let report = compare(&project, &["check"], 0);
    assert_eq!(report["totals"]["in_sync"], 1);
    assert_eq!(project.read("report.xml").matches("<testcase ").count(), 3);
}

#[test]
fn notices_are_the_same_in_every_format() {
    let project = Project::with_server("crm", &json!({ "tools": [{ "name": "odd" }] }));
    project.pin();
    let report = compare(&project, &["check"], 0);
    assert_ne!(report["totals"]["notice"], 0);
    assert!(!project.read("report.github").contains("::notice "));
    compare(&project, &["check", "-v"], 0);
    assert!(project.read("report.github").contains("::notice "));
}

#[test]
fn danger_and_change_are_the_same_in_every_format_and_point_at_their_lines() {
    let old = with(tool("a", "Old text."), json!({ "title": "Old" }));
    let project = Project::with_server("crm", &listing(&[old, tool("gone", "G.")]));
    project.pin();
    let new = with(tool("a", "New text."), json!({ "title": "New" }));
    project.script("crm", &listing(&[new, tool("came", "C.")]));
    let report = compare(&project, &["check"], 1);
    assert_ne!((&report["totals"]["danger"], &report["totals"]["change"]), (&json!(0), &json!(0)));
    let lockfile = project.lockfile();
    let line_of = |rule: &str| {
        let findings = server(&report, "crm")["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|finding| finding["rule"] == rule).expect(rule);
        let line = usize::try_from(finding["line"].as_u64().expect("a line")).expect("small");
        lockfile.lines().nth(line - 1).expect("a line")
    };
    assert_eq!(line_of("description-changed"), "description = \"Old text.\"");
    assert_eq!(line_of("title-changed"), "title = \"Old\"");
    assert_eq!(line_of("tool-removed"), "[[tool]]");
    assert_eq!(line_of("tool-added"), "[[server]]");
    let annotation = format!(
        "file=mcp-tools.lock,line={},",
        1 + lockfile.lines().position(|line| line.starts_with("description = ")).expect("a line")
    );
    assert!(project.read("report.github").contains(&annotation), "{}", project.read("report.github"));
}

#[test]
fn drift_and_failure_and_a_skipped_server_are_the_same_in_every_format() {
    let mut project = Project::new();
    for name in ["dead", "drifts", "off"] {
        project.server(name, &listing(&[tool("a", "A.")]));
    }
    project.pin();
    project.script("dead", &dead());
    project.script("drifts", &listing(&[tool("a", "Changed.")]));
    project.configure("off", json!({ "command": scripted_server(), "args": ["off.json"], "disabled": true }));
    project.server("unpinned", &listing(&[tool("a", "A.")]));
    let report = compare(&project, &["check"], 1);
    assert_eq!(report["launches"]["started"], json!(["dead", "drifts"]));
    let why = &report["launches"]["not_started"];
    assert_eq!(
        *why,
        json!([
            { "server": "off", "why": "it is disabled" },
            { "server": "unpinned", "why": "nobody has approved it" },
        ])
    );
    assert_eq!(server(&report, "drifts")["client"], "mcp-pin/1");
    assert_eq!(server(&report, "dead")["readings"], 0);
    assert!(server(&report, "drifts")["readings"].as_u64() >= Some(2));
    assert_eq!(report["configurations"], json!([".mcp.json"]));
}

#[test]
fn what_could_not_be_checked_is_the_same_in_every_format() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &dead());
    compare(&project, &["check"], 2);
    project.write("mcp-tools.lock", "version = 1\n<<<<<<<\n");
    let report = compare(&project, &["check"], 2);
    assert_eq!(report["servers"], json!([]));
    assert!(project.read("report.xml").contains("<error "), "{}", project.read("report.xml"));
}

#[test]
fn hostile_texts_are_the_same_in_every_format() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let more = "|`</details><img src=x>@all #1 https://evil.example ]]> %0A::error::x ``` [x](http://evil.example)";
    let hostile = format!("{HOSTILE}{more}");
    let changed = json!({ "name": "a", "description": hostile, "inputSchema": { "type": "object", "properties": { &hostile: { "description": hostile } } } });
    project.script("crm", &listing(&[changed, tool(&hostile, &hostile)]));
    compare(&project, &["check"], 1);
    for (format, file) in FILES {
        let text = project.read(file);
        let finished = Finished { status: 0, stdout: text, stderr: String::new(), took: std::time::Duration::ZERO };
        let command = |line: &str| ["::error ", "::warning ", "::notice "].iter().any(|word| line.starts_with(word));
        match format {
            "github" => {
                let others: Vec<&str> = finished.stdout.lines().filter(|line| !command(line)).collect();
                assert!(
                    others.iter().all(|line| line.starts_with("check: ") || line.starts_with("next: ")),
                    "{others:?}"
                );
            }
            _ => expect_tame(&finished),
        }
    }
    project.run(&["pin", "--yes"]).finish().expect_status(0);
    compare(&project, &["check"], 0);
}

#[test]
fn a_pin_a_verify_and_an_inspection_are_told_in_every_format_too() {
    let mut project = Project::new();
    project.server("crm", &listing(&[tool("a", "A.")]));
    let inspected = compare(&project, &["inspect", "--yes"], 0);
    assert_eq!(inspected["totals"]["read"], 1);
    let pinned = compare(&project, &["pin", "--yes"], 0);
    assert_eq!((&pinned["totals"]["new"], &pinned["done"]), (&json!(1), &json!("wrote mcp-tools.lock")));
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    compare(&project, &["pin", "--yes", "--dry-run"], 1);
    let verified = compare(&project, &["verify"], 0);
    assert_eq!(verified["launches"]["not_started"], json!([{ "server": "crm", "why": "no server is asked" }]));
    project.configure("crm", json!({ "command": "other" }));
    let verified = compare(&project, &["verify"], 1);
    assert_eq!(verified["launches"]["not_started"][0]["why"], "its launch is not the approved one");
    project.script("crm", &dead());
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json"] }));
    compare(&project, &["pin", "--yes"], 2);
}

#[test]
fn a_report_says_which_bytes_it_was_compared_with() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let expected = {
        use sha2::Digest;
        sha2::Sha256::digest(project.lockfile()).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    for command in ["check", "verify", "pin"] {
        let report = project.run(&[command, "--format", "json"]).finish().json();
        assert_eq!(report["lockfile_sha256"], expected, "{command}");
        assert_eq!(report["tool"]["version"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn no_format_shows_the_value_of_a_variable() {
    const SECRET: &str = "s3cr3t-value-0123456789";
    let mut project = Project::new();
    project.script("crm", &listing(&[tool("a", "A.")]));
    let entry = json!({ "command": scripted_server(), "args": ["crm.json"], "env": { "CRM_TOKEN": "${CRM_TOKEN}" } });
    project.configure("crm", entry);
    let files = FILES.map(|(format, file)| format!("--output={format}={file}"));
    let run = |arguments: &[&str], status: i32| {
        let words: Vec<&str> = arguments.iter().copied().chain(files.iter().map(String::as_str)).collect();
        let finished = project.run(&words).env("CRM_TOKEN", SECRET).finish();
        finished.expect_status(status).expect_nowhere(&[SECRET]);
        for (_, file) in FILES {
            let text = project.read(file);
            assert!(!text.contains(SECRET), "{file}:\n{text}");
        }
    };
    run(&["pin", "--yes"], 0);
    let repeats = json!({ "name": SECRET, "title": SECRET, "description": SECRET, SECRET: SECRET, "inputSchema": {} });
    project.script("crm", &json!({ "tools": [tool("a", SECRET), repeats], "instructions": SECRET }));
    run(&["check", "-v", "--full"], 1);
    run(&["inspect", "--yes"], 0);
    run(&["pin", "--yes"], 2);
    project.script("crm", &json!({ "on": [{ "method": "start", "do": [{ "stderr": SECRET }, { "exit": 3 }] }] }));
    run(&["check"], 2);
}
