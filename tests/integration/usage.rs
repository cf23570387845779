//! The command line itself, and `mcp-pin demo`.

use crate::common::{Project, listing, tool};
use crate::told::folder;

#[test]
fn a_usage_error_is_2_and_not_drift() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    for arguments in [
        &[][..],
        &["check", "--bogus"],
        &["bogus"],
        &["check", "--jobs", "0"],
        &["check", "--start-timeout", "soon"],
        &["check", "--max-message", "lots"],
        &["check", "--format", "xml"],
        &["check", "--color", "red"],
        &["check", "--yes"],
        &["pin", "--expect"],
    ] {
        let finished = project.run(arguments).finish();
        assert_eq!((finished.status, finished.stdout.as_str()), (2, ""), "{arguments:?}: {}", finished.stderr);
        assert!(
            finished.stderr.contains("Usage:") || finished.stderr.contains("--help"),
            "{arguments:?}: {}",
            finished.stderr
        );
    }
}

#[test]
fn a_variable_that_is_wrong_is_a_usage_error_too() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    for (name, value) in [
        ("MCP_PIN_JOBS", "none"),
        ("MCP_PIN_START_TIMEOUT", "-1"),
        ("MCP_PIN_FORMAT", "xml"),
        ("MCP_PIN_MAX_LISTING", "x"),
    ] {
        let finished = project.run(&["check"]).env(name, value).finish();
        finished.expect_status(2).expect_stderr(&[value]);
        assert_eq!(finished.stdout, "", "{name}");
    }
}

#[test]
fn options_can_come_from_variables() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let finished = project.run(&["check"]).env("MCP_PIN_FORMAT", "json").env("MCP_PIN_JOBS", "2").finish();
    finished.expect_status(0);
    assert_eq!(finished.json()["outcome"], "in-sync");
}

#[test]
fn help_names_the_commands_and_the_exit_codes() {
    let project = Project::new();
    let finished = project.run(&["--help"]).finish();
    finished.expect_status(0).expect_stderr(&[]);
    finished.expect_stdout(&[
        "pin",
        "check",
        "verify",
        "list",
        "fmt",
        "demo",
        "Exit codes: 0 in sync, 1 drift, 2 could not check",
    ]);
    finished.expect_nowhere(&["demo-server"]);
    for command in ["pin", "check", "verify", "list", "fmt", "demo"] {
        let finished = project.run(&[command, "--help"]).finish();
        finished.expect_status(0).expect_stdout(&["Usage: mcp-pin", command]).expect_stderr(&[]);
    }
    let version = project.run(&["--version"]).finish();
    version.expect_status(0).expect_stdout(&[env!("CARGO_PKG_VERSION")]).expect_stderr(&[]);
    assert_eq!(folder(&project), Vec::<String>::new());
}

#[test]
fn every_command_that_a_help_names_exists() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.write("mcp-tools.lock", format!("<<<<<<< a\n{}", project.lockfile()));
    let finished = project.check();
    finished.expect_status(2);
    let commands = project.run(&["--help"]).finish().stdout;
    for (at, _) in finished.stdout.match_indices("`mcp-pin ") {
        let command = finished.stdout[at + "`mcp-pin ".len()..].split([' ', '`']).next().expect("a word");
        assert!(commands.contains(&format!("\n  {command} ")), "there is no mcp-pin {command}:\n{}", finished.stdout);
    }
}

#[test]
fn the_demo_catches_three_of_three_and_leaves_nothing() {
    let project = Project::new();
    project.write("temporary/keep", "");
    let temporary = project.path("temporary").display().to_string();
    let run = project.run(&["demo"]).env("TMPDIR", &temporary).env("TMP", &temporary).env("TEMP", &temporary);
    let finished = run.finish();
    finished.expect_status(0).expect_stdout(&[
        "lookup_customer",
        "sync_contacts",
        "export_report",
        "danger[description-changed] `crm` tool `lookup_customer` at /description",
        "[read-only-hint-changed] `crm` tool `sync_contacts`",
        "[destructive-hint-changed] `crm` tool `sync_contacts`",
        "[output-widened] `crm` tool `export_report`",
        "caught 3 of 3 changed tools",
        "would have seen 1 of 3",
        "mcp-pin check exits with 1",
    ]);
    let left: Vec<_> = std::fs::read_dir(project.path("temporary")).expect("there").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(folder(&project), ["temporary"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_demo_leaves_no_process() {
    let project = Project::new();
    let mark = project.path("the-demo-of-this-test").display().to_string();
    std::fs::create_dir(&mark).expect("made");
    project.run(&["demo"]).env("TMPDIR", &mark).finish().expect_status(0);
    // Its server's folder and switch are below the temporary folder, so they would show where it works.
    let of_ours = |process: &std::fs::DirEntry| {
        std::fs::read_link(process.path().join("cwd")).is_ok_and(|folder| folder.starts_with(&mark))
    };
    let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    assert_eq!(processes.filter(of_ours).count(), 0);
}

#[test]
fn the_demo_is_not_led_astray_by_variables() {
    let project = Project::new();
    let run = project.run(&["demo"]).env("MCP_PIN_CONFIG", "other.json").env("MCP_PIN_LOCKFILE", "other.lock");
    let finished = run.env("MCP_PIN_FORMAT", "json").finish();
    finished.expect_status(0).expect_stdout(&["caught 3 of 3 changed tools"]);
}
