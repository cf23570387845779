//! `pin` of parts: what is named is taken as it is now, the rest stays as it was approved.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, tool};
use crate::told::stamp;

fn before() -> Value {
    let mut script = listing(&[tool("a", "A."), tool("b", "B."), tool("gone", "Gone.")]);
    script["instructions"] = json!("Old.");
    script["capabilities"] = json!({ "tools": {}, "prompts": {} });
    script["prompts"] = json!([[[{ "name": "a", "description": "A prompt." }]]]);
    script
}

fn after() -> Value {
    let mut script = listing(&[tool("a", "A, new."), tool("b", "B, new."), tool("new", "New.")]);
    script["instructions"] = json!("New.");
    script["capabilities"] = json!({ "tools": {}, "prompts": {} });
    script["prompts"] = json!([[[{ "name": "a", "description": "A new prompt." }]]]);
    script
}

/// A pinned server that says something else now.
fn drifted() -> Project {
    let project = Project::with_server("crm", &before());
    project.pin();
    project.script("crm", &after());
    project
}

fn pin(project: &Project, parts: &[&str]) -> Finished {
    project.run(&[&["pin", "crm"], parts].concat()).finish()
}

#[test]
fn a_named_tool_is_accepted_and_nothing_else() {
    let project = drifted();
    let accepted = pin(&project, &["--tool", "a"]);
    accepted.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "A{+, new+}.",
        "not accepted, so it stays as it was approved: what the server says of itself, tool b",
        "wrote mcp-tools.lock",
    ]);
    accepted.expect_nowhere(&["B{+, new+}."]);
    let lockfile = project.lockfile();
    assert!(
        lockfile.contains("A, new.") && lockfile.contains("\"B.\"") && lockfile.contains("\"Gone.\""),
        "{lockfile}"
    );
    assert!(lockfile.contains("\"A prompt.\"") && lockfile.contains("\"Old.\""), "{lockfile}");
    let check = project.check();
    check.expect_status(1).expect_stdout(&["tool `b`", "tool `new`", "tool `gone`", "prompt `a`"]);
    check.expect_nowhere(&["tool `a`"]);
}

#[test]
fn all_parts_one_after_the_other_come_to_the_same_as_all_at_once() {
    let project = drifted();
    for parts in
        [&["--tool", "a", "--tool", "gone"][..], &["--tool", "b", "--prompt", "a"], &["--tool", "new", "--about"]]
    {
        pin(&project, parts).expect_status(0);
    }
    let by_parts = project.lockfile();
    project.check().expect_status(0);
    let whole = drifted();
    whole.pin();
    assert_eq!(by_parts, whole.lockfile());
}

#[test]
fn a_part_that_is_as_it_was_approved_changes_no_byte() {
    let project = Project::with_server("crm", &before());
    project.pin();
    let stamp_before = stamp(&project, "mcp-tools.lock");
    pin(&project, &["--tool", "b"]).expect_status(0).expect_stdout(&["mcp-tools.lock is unchanged"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), stamp_before);
}

#[test]
fn a_dry_run_of_a_part_says_what_would_change_and_writes_nothing() {
    let project = drifted();
    let stamp_before = stamp(&project, "mcp-tools.lock");
    pin(&project, &["--tool", "a", "--dry-run"]).expect_status(1).expect_stdout(&["mcp-tools.lock would change"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), stamp_before);
}

#[track_caller]
fn refuses(project: &Project, arguments: &[&str], told: &[&str]) {
    let exists = project.exists("mcp-tools.lock");
    let before = exists.then(|| stamp(project, "mcp-tools.lock"));
    project.run(arguments).finish().expect_status(2).expect_told(told);
    assert_eq!(exists.then(|| stamp(project, "mcp-tools.lock")), before);
    assert_eq!(project.exists("mcp-tools.lock"), exists);
}

#[test]
fn parts_of_an_unpinned_server_are_refused_before_it_is_started() {
    let mut script = before();
    script["log"] = json!("log");
    let project = Project::with_server("crm", &script);
    let told = ["the server isn't pinned yet", "help: read all of it, then pin it whole: mcp-pin pin crm"];
    refuses(&project, &["pin", "crm", "--yes", "--tool", "a"], &told);
    assert!(project.methods("log").is_empty());
}

#[test]
fn parts_of_a_server_whose_launch_changed_are_refused_before_it_is_started() {
    let mut project = drifted();
    let mut script = after();
    script["log"] = json!("log");
    project.script("crm", &script);
    let command = crate::common::scripted_server();
    project.configure("crm", json!({ "command": command, "args": ["crm.json"], "env": { "A": "b" } }));
    refuses(&project, &["pin", "crm", "--yes", "--tool", "a"], &["its launch isn't the approved one"]);
    assert!(project.methods("log").is_empty());
}

#[test]
fn parts_read_as_another_client_are_refused() {
    let project = drifted();
    let told = ["as another client, or with other variables", "help: leave those options out"];
    refuses(&project, &["pin", "crm", "--tool", "a", "--client", "codex"], &told);
    refuses(&project, &["pin", "crm", "--tool", "a", "--pass-env", "REGION"], &told);
}

#[test]
fn parts_need_exactly_one_server_and_a_name_that_there_is() {
    let mut project = drifted();
    refuses(&project, &["pin", "--tool", "a"], &["parts are of exactly one server", "mcp-pin pin NAME --tool TOOL"]);
    project.server("docs", &before());
    refuses(&project, &["pin", "crm", "docs", "--tool", "a"], &["parts are of exactly one server"]);
    let told = ["neither the server nor the lockfile has the tool \"nwe\"", "did you mean new?"];
    refuses(&project, &["pin", "crm", "--tool", "nwe"], &told);
    refuses(
        &project,
        &["pin", "crm", "--prompt", "other"],
        &["the prompt \"other\"", "see its names: mcp-pin check crm"],
    );
}

#[test]
fn options_that_are_about_whole_servers_do_not_go_with_parts() {
    let project = drifted();
    for option in ["--prune", "--pin-resources", "--unverified=A"] {
        refuses(&project, &["pin", "crm", "--tool", "a", option], &["cannot be used with"]);
    }
}

#[test]
fn a_name_that_looks_like_an_option_is_taken_as_a_name() {
    let names = ["--yes", "-q", "--tool=--yes"];
    let project = Project::with_server("crm", &listing(&names.map(|name| tool(name, "A."))));
    project.pin();
    project.script("crm", &listing(&names.map(|name| tool(name, "B."))));
    let review = project.run(&["review"]).finish();
    let commands = review.stdout.lines().filter_map(|line| line.strip_prefix("next: only if it is meant: mcp-pin "));
    let commands: Vec<Vec<&str>> = commands.map(|command| command.split(' ').collect()).collect();
    assert_eq!(commands.len(), 3, "{}", review.stdout);
    for command in commands {
        project.run(&command).finish().expect_status(0);
    }
    project.check().expect_status(0);
}

#[test]
fn a_server_that_still_differs_is_not_called_in_sync() {
    let project = drifted();
    project.script("crm", &{
        let mut script = before();
        script["tools"][0]["description"] = json!("A, new.");
        script
    });
    let pin = pin(&project, &["--tool", "b"]);
    pin.expect_status(0)
        .expect_stdout(&["1 drifted", "tool a", "mcp-tools.lock is unchanged"])
        .expect_nowhere(&["in sync"]);
}

#[test]
fn a_part_is_pinned_only_if_the_server_says_what_was_shown() {
    let project = drifted();
    let check = project.check();
    let at = check.stdout.find("--expect ").expect("shown");
    let digest = check.stdout[at..].split_whitespace().nth(1).expect("a digest").to_owned();
    let mut poisoned = after();
    poisoned["tools"][1]["description"] = json!("B, poisoned.");
    project.script("crm", &poisoned);
    pin(&project, &["--tool", "a", "--expect", &digest])
        .expect_status(1)
        .expect_stdout(&["nothing was written", "poisoned"]);
    project.script("crm", &after());
    pin(&project, &["--tool", "a", "--expect", &digest]).expect_status(0);
}

#[test]
fn what_can_not_be_pinned_can_not_be_accepted_in_part() {
    let project = drifted();
    project.script("crm", &listing(&[tool("a", "A, new."), tool("b", "B."), tool("b", "Another B.")]));
    refuses(&project, &["pin", "crm", "--tool", "a"], &["duplicate-name"]);
}

#[test]
fn a_secret_in_a_part_that_is_left_is_no_reason_to_refuse_another() {
    let mut project = Project::with_server("crm", &before());
    let command = crate::common::scripted_server();
    project
        .configure("crm", json!({ "command": command, "args": ["crm.json"], "env": { "CRM_TOKEN": "${CRM_TOKEN}" } }));
    let run = |arguments: &[&str]| project.run(arguments).env("CRM_TOKEN", "sesame-0815-open").finish();
    run(&["pin", "--yes"]).expect_status(0);
    let mut leaking = after();
    leaking["tools"][1]["description"] = json!("Uses sesame-0815-open.");
    project.script("crm", &leaking);
    run(&["pin", "crm", "--tool", "a"]).expect_status(0).expect_nowhere(&["sesame"]);
    let refused = run(&["pin", "crm", "--tool", "b"]);
    refused.expect_status(2).expect_told(&["repeats a value that came from a variable"]).expect_nowhere(&["sesame"]);
    assert!(!project.lockfile().contains("sesame"));
}

#[test]
fn a_part_is_read_in_the_revision_in_which_the_server_is_pinned() {
    let mut old = before();
    old["protocol"] = json!("2025-06-18");
    let project = Project::with_server("crm", &old);
    project.pin();
    let protocol = |lockfile: &str| lockfile.lines().find(|line| line.starts_with("protocol")).map(str::to_owned);
    let pinned = protocol(&project.lockfile());
    let mut new = after();
    new["log"] = json!("log");
    project.script("crm", &new);
    pin(&project, &["--tool", "a"]).expect_status(0);
    assert_eq!(protocol(&project.lockfile()), pinned);
    let log = project.log("log");
    let initialize = log.iter().find(|entry| entry["message"]["method"] == "initialize").expect("logged");
    let offered = &initialize["message"]["params"]["protocolVersion"];
    assert_eq!(pinned.as_deref(), Some(format!("protocol = {offered}").as_str()));
}

#[test]
fn a_saved_listing_is_accepted_in_parts_too() {
    let project = Project::new();
    project.write("one.json", json!([tool("a", "A."), tool("b", "B.")]).to_string());
    project.write("two.json", json!([tool("a", "A, new."), tool("b", "B, new.")]).to_string());
    project.run(&["pin", "saved", "--from", "one.json"]).finish().expect_status(0);
    project.run(&["pin", "saved", "--from", "two.json", "--tool", "a"]).finish().expect_status(0);
    assert!(project.lockfile().contains("A, new.") && project.lockfile().contains("\"B.\""));
    project.run(&["check", "saved", "--from", "two.json"]).finish().expect_status(1).expect_nowhere(&["tool `a`"]);
}
