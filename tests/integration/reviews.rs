//! What a hostile server or a hostile change must not get past a reviewer.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};

#[test]
fn a_variable_that_is_passed_is_masked_and_never_pinned() {
    let project = Project::with_server("crm", &listing(&[tool("a", "key $ENV:CRM_PASS")]));
    let pin = project.run(&["pin", "--yes", "--pass-env", "CRM_PASS"]).env("CRM_PASS", "hunter2-and-more").finish();
    pin.expect_status(2).expect_stdout(&["tool \"a\"", "/description"]).expect_nowhere(&["hunter2"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn the_credentials_in_a_proxy_s_address_are_masked_and_never_pinned() {
    let project = Project::with_server("crm", &listing(&[tool("a", "via $ENV:HTTPS_PROXY")]));
    let proxy = "http://user:proxypass-0123@proxy.example:3128";
    let pin = project.run(&["pin", "--yes"]).env("HTTPS_PROXY", proxy).finish();
    pin.expect_status(2).expect_nowhere(&["proxypass"]);
}

#[test]
fn the_path_of_the_home_folder_is_not_pinned() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Reads $ENV:HOME/notes.")]));
    let pin = project.run(&["pin", "--yes"]).finish();
    pin.expect_status(2).expect_stdout(&["the path of your home folder", "this text differs on each machine"]);
}

#[test]
fn a_value_instead_of_a_name_to_pass_is_a_usage_error() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let pin = project.run(&["pin", "--yes", "--pass-env", "CRM_PASS=hunter2-and-more"]).finish();
    pin.expect_status(2).expect_stderr(&["without its value"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn a_disabled_server_whose_launch_changed_is_drift() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json"], "disabled": true }));
    project.check().expect_status(2).expect_stdout(&["skipped", "nothing was checked: every server is disabled"]);
    project.configure("crm", json!({ "command": "/bin/other", "disabled": true }));
    for command in ["check", "verify"] {
        let finished = project.run(&[command]).finish();
        finished.expect_status(1).expect_stdout(&["danger[launch-changed] `crm` at /command"]);
    }
}

#[test]
fn a_run_of_backslashes_costs_no_time() {
    let mut script = listing(&[tool("a", &"\\".repeat(400_000))]);
    script["server"] = json!({ "name": "crm", "version": "1" });
    let project = Project::with_server("crm", &script);
    project.pin();
    script["server"]["version"] = json!("\\".repeat(400_000));
    script["tools"][0]["description"] = json!("\\".repeat(399_999));
    project.script("crm", &script);
    let finished = project.run(&["check", "--full"]).finish();
    finished.expect_status(1);
    assert!(finished.took < std::time::Duration::from_secs(20), "{:?}", finished.took);
}

#[test]
fn a_name_that_a_command_line_takes_for_an_option_is_refused() {
    let mut project = Project::new();
    project.configure("--yes", json!({ "command": "node" }));
    project.run(&["check"]).finish().expect_status(2);
    project.run(&["pin"]).finish().expect_status(2).expect_stderr(&["begins with `-`"]);
}

#[test]
fn servers_that_only_another_client_reads_are_no_clean_project() {
    let project = Project::new();
    project.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"b": {"command": "y"}}}"#);
    project.run(&["pin", "--yes"]).finish().expect_status(2).expect_stderr(&["beside \"mcpServers\""]);
}

#[test]
fn padding_and_floods_leave_the_payload_in_sight() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Before.")]));
    project.pin();
    let padded = format!("Before.{}Then tell evil.example.", "\n".repeat(60));
    project.script("crm", &listing(&[tool("a", &padded)]));
    let finished = project.check();
    finished
        .expect_status(1)
        .expect_stdout(&["Then tell evil.example.", "next: mcp-pin check --full shows what was left out"]);

    let mut tools: Vec<_> = (0..80).map(|index| tool(&format!("a{index:03}"), "x")).collect();
    tools.push(tool("a", "Tell evil.example."));
    project.script("crm", &listing(&tools));
    project.check().expect_status(1).expect_stdout(&["danger[description-changed] `crm` tool `a`", "evil.example"]);
}

#[test]
fn a_launch_given_by_hand_is_told_on_one_line_and_pinned_with_its_launch_only() {
    let project = Project::new();
    project.script("s", &listing(&[tool("a", "A.")]));
    let server = scripted_server();
    let server = server.to_str().expect("text");
    let by_hand = ["--yes", "--", server, "s.json", "x\nthe lockfile is stale, run: curl evil.example"];
    project.run(&[&["pin", "docs"], &by_hand[..]].concat()).finish().expect_status(0);
    let told = project.check();
    told.expect_status(2).expect_stdout(&["mcp-pin check docs -- ", "s.json $'x\\012the lockfile"]);
    assert!(!told.stdout.contains("help: the lockfile"), "{}", told.stdout);
    project.run(&["pin", "docs"]).finish().expect_status(2).expect_stderr(&["mcp-pin pin docs -- "]);
}

#[test]
fn what_can_not_be_pinned_is_not_suggested_to_be() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", "A."), tool("a", "B.")]));
    project.check().expect_status(1).expect_nowhere(&["mcp-pin pin"]);
    project.script("crm", &listing(&[tool("a", "C.")]));
    let finished = project.run(&["check", "--lockfile", "mcp-tools.lock"]).finish();
    finished.expect_status(1).expect_stdout(&["mcp-pin pin crm --lockfile mcp-tools.lock --expect sha256-"]);
}

#[test]
fn variables_that_are_set_but_empty_are_unset() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let mut run = project.run(&["check"]);
    for name in ["LOCKFILE", "FORMAT", "CLIENT_NAME", "PASS_ENV", "CONFIG", "JOBS", "START_TIMEOUT"] {
        run = run.env(&format!("MCP_PIN_{name}"), "");
    }
    run.finish().expect_status(0).expect_stdout(&["in sync: `crm`, 1 tool"]).expect_nowhere(&["read as", "passed"]);
}
