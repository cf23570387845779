//! Reports on standard output in every format, and in files.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::{Project, listing, tool};
use crate::told::folder;

fn drifted() -> Project {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    project
}

#[test]
fn each_format_goes_to_standard_output_with_the_same_exit_code() {
    let project = drifted();
    for (format, beginning) in [
        ("human", "drift: `crm`"),
        ("json", "{\n"),
        ("sarif", "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\""),
        ("github", "::error file=mcp-tools.lock,line="),
        ("junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mcp-pin check\""),
        ("markdown", "### MCP tools differ from the lockfile\n"),
    ] {
        let finished = project.run(&["check", "--format", format]).finish();
        finished.expect_status(1).expect_stderr(&[]);
        assert!(finished.stdout.starts_with(beginning), "{format}:\n{}", finished.stdout);
        let of_variable = project.run(&["check"]).env("MCP_PIN_FORMAT", format).finish();
        assert_eq!(of_variable.stdout, finished.stdout);
    }
}

#[test]
fn files_are_written_beside_what_is_printed_and_nothing_else_is() {
    let project = drifted();
    let before = folder(&project);
    project.write("old.json", "an older report");
    let arguments = ["check", "--output", "json=old.json", "--output", "junit=a=b.xml", "--output", "sarif=x.sarif"];
    let finished = project.run(&arguments).finish();
    finished.expect_status(1).expect_stdout(&["danger[description-changed]"]).expect_stderr(&[]);
    let report: Value = serde_json::from_str(&project.read("old.json")).expect("one document");
    assert_eq!(report["exit_code"], 1);
    assert!(project.read("a=b.xml").contains("<failure "));
    let mut expected = before;
    expected.extend(["a=b.xml", "old.json", "x.sarif"].map(str::to_owned));
    expected.sort();
    assert_eq!(folder(&project), expected);
}

#[test]
fn a_file_that_cannot_be_written_is_a_problem_of_the_run() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let arguments = [
        "check",
        "--format",
        "json",
        "--output",
        "json=whole.json",
        "--output",
        "junit=none/x.xml",
        "--output",
        "sarif=home",
    ];
    std::fs::create_dir(project.path("home")).expect("a folder");
    let finished = project.run(&arguments).finish();
    finished.expect_status(2).expect_stderr(&[]);
    let report = finished.json();
    assert_eq!((&report["exit_code"], &report["outcome"]), (&json!(2), &json!("not-checked")));
    let problems = report["problems"].as_array().expect("problems");
    assert_eq!(problems.len(), 2, "{report:#}");
    assert_eq!(problems[0]["step"], "writing the report");
    assert!(problems[0]["cause"].as_str().is_some_and(|cause| cause.starts_with("none/x.xml: ")), "{report:#}");
    let whole: Value = serde_json::from_str(&project.read("whole.json")).expect("one document");
    assert_eq!(whole, report, "the file that could be written tells it too");

    let people = project.run(&["check", "--output", "junit=none/x.xml"]).finish();
    people.expect_status(2).expect_stdout(&[
        "error: writing the report: none/x.xml: ",
        "help: make the folder of none/x.xml",
        "check: 1 server in sync; not all reports could be written\n",
    ]);

    project.script("crm", &listing(&[tool("a", "Changed.")]));
    project.run(&["check", "--output", "junit=none/x.xml"]).finish().expect_status(1);
    project.run(&["pin", "--yes", "--output", "junit=none/x.xml"]).finish().expect_status(2);
}

#[test]
fn a_report_is_never_written_over_what_the_run_reads() {
    let project = drifted();
    project.write("mcp-pin.toml", "");
    let mut script = listing(&[tool("a", "Changed.")]);
    script["log"] = json!("crm.log");
    project.script("crm", &script);
    let before = ["mcp-tools.lock", ".mcp.json", "mcp-pin.toml"].map(|file| project.read(file));
    for command in ["check", "verify", "pin"] {
        for (file, what) in [
            ("mcp-tools.lock", "mcp-tools.lock is the lockfile"),
            ("./mcp-tools.lock", "./mcp-tools.lock is the lockfile"),
            (".mcp.json", ".mcp.json is a configuration"),
            ("mcp-pin.toml", "mcp-pin.toml is the policy"),
        ] {
            let finished = project.run(&[command, "--output", &format!("json={file}")]).finish();
            finished.expect_status(2).expect_stderr(&[
                &format!("error: reading the command line: {what}\n"),
                "help: name another file with --output\n",
            ]);
            assert_eq!(finished.stdout, "");
        }
    }
    assert_eq!(["mcp-tools.lock", ".mcp.json", "mcp-pin.toml"].map(|file| project.read(file)), before);
    assert!(!project.exists("crm.log"), "nothing was started");
}

#[test]
fn two_reports_never_go_to_one_file() {
    let project = drifted();
    std::fs::create_dir(project.path("inner")).expect("a folder");
    project.write("there.json", "an older report");
    for (one, other) in [("x", "x"), ("x", "./x"), ("x", "inner/../x"), ("there.json", "./there.json")] {
        let arguments = ["check", "--output", &format!("json={one}"), "--output", &format!("junit={other}")];
        let finished = project.run(&arguments).finish();
        let told = format!("error: reading the command line: {other} is the file of another report: {one}\n");
        finished.expect_status(2).expect_stderr(&[&told, "help: name another file with --output\n"]);
        assert_eq!(finished.stdout, "");
    }
    assert_eq!(project.read("there.json"), "an older report");
    assert!(!project.exists("x"));
    let arguments = ["check", "--format", "json", "--output", "json=x", "--output", "sarif=x", "--output", "human=x"];
    let report = project.run(&arguments).finish().json();
    assert_eq!((&report["exit_code"], report["problems"].as_array().map(Vec::len)), (&json!(2), Some(2)));
}

#[cfg(unix)]
#[test]
fn a_link_is_no_other_file_and_a_device_takes_any_number_of_reports() {
    let project = drifted();
    project.write("there.json", "an older report");
    std::os::unix::fs::symlink("there.json", project.path("link")).expect("a link");
    let finished = project.run(&["check", "--output", "json=there.json", "--output", "junit=link"]).finish();
    finished.expect_status(2).expect_stderr(&["link is the file of another report: there.json"]);
    std::os::unix::fs::symlink("mcp-tools.lock", project.path("lock")).expect("a link");
    let finished = project.run(&["verify", "--output", "json=lock"]).finish();
    finished.expect_status(2).expect_stderr(&["lock is the lockfile"]);
    let arguments = ["check", "--output", "json=/dev/null", "--output", "junit=/dev/null"];
    project.run(&arguments).finish().expect_status(1).expect_stderr(&[]);
}

#[test]
fn a_comparison_is_never_written_over_what_it_compares() {
    let project = drifted();
    project.write("old.lock", project.lockfile());
    let finished = project.run(&["diff", "old.lock", "mcp-tools.lock", "--output", "json=old.lock"]).finish();
    finished.expect_status(2).expect_stderr(&["old.lock is one of the lockfiles"]);
    assert_eq!(project.read("old.lock"), project.lockfile());
}

#[test]
fn a_run_that_comes_to_no_server_is_told_in_files_too() {
    let project = Project::new();
    let finished = project.run(&["check", "--output", "json=x.json", "--output", "markdown=x.md"]).finish();
    finished.expect_status(2).expect_stderr(&["error: "]);
    let report: Value = serde_json::from_str(&project.read("x.json")).expect("one document");
    assert_eq!(report["exit_code"], 2);
    assert!(project.read("x.md").contains("### MCP tools could not be checked\n"), "{}", project.read("x.md"));
}

#[test]
fn a_wrong_output_is_a_usage_error() {
    let project = drifted();
    for wrong in ["x.json", "xml=x", "json=", "=x"] {
        let finished = project.run(&["check", "--output", wrong]).finish();
        finished.expect_status(2).expect_stderr(&["--output"]);
        assert_eq!(finished.stdout, "");
    }
}

/// The shape of version 1 is a promise. New members may be described in it: then put the new digest here. A member that goes
/// or means something else needs another version.
#[test]
fn the_published_shape_is_frozen() {
    let finished = Project::new().run(&["schema", "report"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    let schema = finished.json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(jsonschema::meta::is_valid(&schema));
    let digest: String = Sha256::digest(&finished.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        digest, "44af795e1ae4c216e574d8da95e3339ba5a82522280ae9fe1c8a705c404a0d9f",
        "read what stands above this test"
    );
}
