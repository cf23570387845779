//! Where the project is: `-C`, subfolders, several configurations, and names in two of them.

use serde_json::{Value, json};

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::folder;

fn entry(script: &str) -> Value {
    json!({ "command": scripted_server(), "args": [script] })
}

fn config(servers: Value) -> String {
    json!({ "mcpServers": servers }).to_string()
}

/// A repository with a pinned server and folders below.
fn repository() -> Project {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.write(".git/HEAD", "");
    project.write("deep/below/file", "");
    project.pin();
    project
}

/// A run in a folder of the project.
fn run_in(project: &Project, name: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = project.run(arguments).command().current_dir(project.path(name)).output().expect("ended");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_subfolder_belongs_to_the_project_above() {
    let project = repository();
    for command in [&["check"][..], &["verify"], &["list"], &["pin"], &["fmt"]] {
        let (status, stdout, stderr) = run_in(&project, "deep/below", command);
        assert_eq!(status, 0, "{command:?}: {stdout}{stderr}");
    }
    assert_eq!(folder(&project), [".git", ".mcp.json", "crm.json", "deep", "mcp-tools.lock"]);
    assert!(!project.exists("deep/below/mcp-tools.lock"));
}

#[test]
fn nothing_is_looked_for_beyond_the_repository() {
    let project = repository();
    project.write("deep/.git/HEAD", "");
    let (status, stdout, stderr) = run_in(&project, "deep/below", &["check"]);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("there is no .mcp.json in"), "{stderr}");
}

#[test]
fn another_folder_is_where_it_starts_with_capital_c() {
    let project = repository();
    project.write("other/file", "");
    for command in [&["check", "-C", ".."][..], &["-C", "..", "check"], &["-C", "../deep/below", "verify"]] {
        let (status, stdout, stderr) = run_in(&project, "other", command);
        assert_eq!(status, 0, "{command:?}: {stdout}{stderr}");
    }
    let finished = project.run(&["check", "-C", "none"]).finish();
    finished.expect_refused(&["none is no folder", "-C"]);
}

#[test]
fn a_configuration_elsewhere_is_named_relative_to_the_lockfile() {
    let project = repository();
    project.write("conf/crm.json", listing(&[tool("c", "C.")]).to_string());
    project.write("conf/servers.json", config(json!({ "conf": entry("crm.json") })));
    project.run(&["pin", "--yes", "--config", "conf/servers.json"]).finish().expect_status(0);
    assert!(project.lockfile().contains("config = \"conf/servers.json\""), "{}", project.lockfile());
    let (status, stdout, stderr) = run_in(&project, "conf", &["check", "conf", "--config", "servers.json"]);
    assert_eq!(status, 0, "{stdout}{stderr}");
}

#[test]
fn two_configurations_are_read_together() {
    let project = repository();
    project.write("more.json", config(json!({ "more": entry("more-script.json") })));
    project.write("more-script.json", listing(&[tool("m", "M.")]).to_string());
    let both = ["--config", ".mcp.json", "--config", "more.json"];
    let run = |before: &[&str]| {
        let mut arguments = before.to_vec();
        arguments.extend(both);
        project.run(&arguments).finish()
    };
    run(&["pin", "--yes"]).expect_status(0);
    run(&["check"]).expect_status(0).expect_stdout(&["check: 2 servers in sync"]).expect_stderr(&[]);
    // Without the second one its server is gone from the configuration.
    project.check().expect_status(1).expect_stdout(&["change[server-removed] `more`"]);
}

#[test]
fn one_name_for_two_launches_is_two_servers_the_later_with_its_file() {
    let project = repository();
    project.script("other", &listing(&[tool("o", "O.")]));
    project.write("more.json", config(json!({ "crm": entry("other.json") })));
    let run = |before: &[&str]| {
        let mut arguments = before.to_vec();
        arguments.extend(["--config", ".mcp.json", "--config", "more.json"]);
        project.run(&arguments).finish()
    };
    run(&["pin", "--yes"]).expect_status(0).expect_stdout(&["new: `crm@more.json`"]);
    run(&["check"]).expect_status(0).expect_stdout(&["in sync: `crm`, 1 tool", "in sync: `crm@more.json`, 1 tool"]);
    run(&["check", "crm@more.json"]).expect_status(0).expect_stdout(&["check: 1 server in sync"]);
    project.script("other", &listing(&[tool("o", "Changed.")]));
    let finished = run(&["check"]);
    finished.expect_status(1).expect_stdout(&["in sync: `crm`", "description-changed] `crm@more.json` tool `o`"]);
}

#[test]
fn one_name_for_one_launch_in_two_files_is_one_server() {
    let project = repository();
    project.write("more.json", config(json!({ "crm": entry("crm.json") })));
    let finished = project.run(&["check", "--config", ".mcp.json", "--config", "more.json"]).finish();
    finished.expect_status(0).expect_stdout(&["check: 1 server in sync"]).expect_stderr(&[]);
}

#[test]
fn configurations_of_two_projects_need_a_lockfile_that_is_named() {
    let project = Project::new();
    project.write(".git/HEAD", "");
    for name in ["a", "b"] {
        project.write(&format!("{name}/{name}.json"), listing(&[tool(name, "T.")]).to_string());
        project.write(&format!("{name}/.mcp.json"), config(json!({ name: entry(&format!("{name}.json")) })));
    }
    let both = ["--config", "a/.mcp.json", "--config", "b/.mcp.json"];
    let run = |before: &[&str]| {
        let mut arguments = before.to_vec();
        arguments.extend(both);
        project.run(&arguments).finish()
    };
    run(&["pin", "--yes"]).expect_refused(&["--lockfile", "help: "]);
    run(&["pin", "--yes", "--lockfile", "all.lock"]).expect_status(0);
    let lockfile = project.read("all.lock");
    assert!(
        lockfile.contains("config = \"a/.mcp.json\"") && lockfile.contains("config = \"b/.mcp.json\""),
        "{lockfile}"
    );
    run(&["check", "--lockfile", "all.lock"]).expect_status(0).expect_stdout(&["2 servers in sync"]).expect_stderr(&[]);
}

#[test]
fn a_mistyped_name_gets_the_nearest_and_starts_nothing() {
    let project = repository();
    let finished = project.run(&["check", "crn", "cmr", "database"]).finish();
    finished.expect_refused(&[
        "no server is called \"crn\"",
        "did you mean \"crm\"?",
        "no server is called \"database\"",
        "known servers: crm",
    ]);
    project.run(&["pin", "crn"]).finish().expect_refused(&["did you mean \"crm\"?"]);
}

#[test]
fn a_configuration_may_be_named_by_a_variable() {
    let project = repository();
    project.write("conf.json", project.read(".mcp.json"));
    let finished = project.run(&["check"]).env("MCP_PIN_CONFIG", "conf.json").finish();
    finished.expect_status(1).expect_stdout(&["danger[launch-changed] `crm` at /config"]);
}
