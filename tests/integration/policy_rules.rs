//! What a policy makes of findings and of servers, what it never softens, and how one is refused.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, tool};
use crate::policy::{DAY, json_check, on, search, searching, softened};
use crate::told::{failing, findings, marked, server, with};

#[track_caller]
fn expect_broken(finished: &Finished, parts: &[&str]) {
    finished.expect_status(2).expect_stderr(parts).expect_nowhere(&["in sync"]);
}

#[test]
fn effects_are_by_rule_server_and_tool_and_the_last_one_counts() {
    let before = listing(&[tool("debug_dump", "Dumps."), tool("lookup", "Looks up.")]);
    let after = listing(&[
        with(tool("debug_dump", "Dumps all."), json!({ "title": "Dump" })),
        with(tool("lookup", "Looks up."), json!({ "title": "Look up" })),
    ]);
    let project = Project::with_server("crm", &before);
    project.pin();
    project.script("crm", &after);
    project.write(
        "mcp-pin.toml",
        "[[rule]]\nrules = [\"title-changed\"]\neffect = \"allow\"\nreason = \"titles are ours\"\n\
         [[rule]]\nserver = \"crm\"\ntool = \"debug_*\"\neffect = \"warn\"\n",
    );
    let finished = project.check();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&[
        "warned[description-changed] `crm` tool `debug_dump` at /description\n",
        "+ Dumps all.\n".replace("Dumps all.", "Dumps{+ all+}.").as_str(),
        "  = by: mcp-pin.toml:5\n",
        "allowed[title-changed] `crm` tool `lookup` at /title",
        "  = by: mcp-pin.toml:1: titles are ours\n",
    ]);
    project.write("mcp-pin.toml", "[[rule]]\ntool = \"debug_*\"\neffect = \"warn\"\n[[rule]]\nrules = [\"description-changed\"]\neffect = \"deny\"\n");
    let report = json_check(&project, 1);
    assert_eq!(
        failing(&report, "crm"),
        ["change title-changed lookup /title", "danger description-changed debug_dump /description"]
    );
    assert_eq!(softened(&report, "crm"), ["warned title-changed debug_dump /title by mcp-pin.toml:1"]);
}

#[test]
fn a_denied_notice_fails() {
    let face = |version: &str| with(search("Search."), json!({ "server": { "name": "s", "version": version } }));
    let project = Project::with_server("search", &face("1.0.0"));
    project.pin();
    project.script("search", &face("1.1.0"));
    project.check().expect_status(0);
    project.write("mcp-pin.toml", "[[rule]]\nrules = [\"release-changed\"]\neffect = \"deny\"\n");
    let finished = project.check();
    finished
        .expect_status(1)
        .expect_stdout(&["change[release-changed] `search`", "mcp-pin.toml:1 denies what is a notice"]);
}

#[test]
fn nothing_softens_another_launch_an_unpinned_server_two_of_one_name_or_two_answers() {
    let all = "[[rule]]\neffect = \"allow\"\n";
    let mut project = searching(&marked(search("Search."), "started"), all);
    project.configure("late", json!({ "command": "late" }));
    let report = json_check(&project, 1);
    assert_eq!(failing(&report, "late"), ["danger server-unpinned"]);
    project.configure("search", json!({ "command": "other" }));
    assert_eq!(
        failing(&json_check(&project, 1), "search"),
        ["danger launch-changed /args", "danger launch-changed /command"]
    );

    let twice = listing(&[tool("web_search", "Search."), tool("web_search", "Search more.")]);
    assert_eq!(failing(&json_check(&searching(&twice, all), 1), "search"), ["danger duplicate-name web_search"]);

    let other = json!({"tools": [tool("web_search", "Search the web. Today is 2026-11-30.")], "x": 1});
    let rules = json!([{"method": "tools/list", "do": [{"answer": true}, {"reply": other}]}]);
    let report = json_check(&searching(&with(on("2026-11-30"), json!({ "on": rules })), all), 1);
    assert!(failing(&report, "search").iter().any(|told| told.starts_with("danger ambiguous-answer")), "{report:#}");
}

#[test]
fn a_damaged_lockfile_is_2_whatever_the_policy_says() {
    let project = searching(&on("2026-11-30"), "[[rule]]\neffect = \"allow\"\n");
    project.write("mcp-tools.lock", project.lockfile().replace("Search the web", "Search it"));
    project.check().expect_refused(&["lock entry inconsistent"]);
}

#[test]
fn what_a_check_tolerates_by_rule_is_not_pinned_for_that() {
    let project = searching(&search("It is $TIME."), "[[rule]]\neffect = \"warn\"\n");
    project.check().expect_status(0).expect_stdout(&["warned[unstable-listing]"]);
    let lockfile = project.lockfile();
    project.run(&["pin"]).finish().expect_status(2).expect_stdout(&["unstable-listing", "nothing was written"]);
    assert_eq!(project.lockfile(), lockfile);
}

#[test]
fn a_broken_policy_is_2_before_anything_starts() {
    let project = searching(&marked(on("2026-11-30"), "started"), "[[ignores]]\n");
    for command in ["check", "pin", "verify", "inspect"] {
        let finished = project.run(&[command]).finish();
        expect_broken(
            &finished,
            &[
                "mcp-pin.toml:1: unknown key \"ignores\" in the policy; did you mean \"ignore\"?",
                "mcp-pin schema policy",
            ],
        );
    }
    for (policy, told) in [
        ("[[ignore]]\nserver = \"search\"\npointer = \"/a\"\n", "mcp-pin.toml:1: missing key \"reason\" in [[ignore]]"),
        (
            "[[rule]]\nrules = [\"launch-changed\"]\neffect = \"warn\"\n",
            "mcp-pin.toml:2: nothing softens \"launch-changed\"",
        ),
        ("[server.search]\nclient = \"vim\"\n", "mcp-pin.toml:1: there is no client \"vim\""),
        ("[server.search\n", "mcp-pin.toml:1: no valid TOML"),
        ("[[rule]]\neffect = \"\u{1b}[2J\"\n", "mcp-pin.toml:2: no valid TOML"),
    ] {
        project.write("mcp-pin.toml", policy);
        expect_broken(&project.check(), &[told]);
    }
    project.write("mcp-pin.toml", b"\xff");
    expect_broken(&project.check(), &["no UTF-8"]);
    std::fs::remove_file(project.path("mcp-pin.toml")).expect("removed");
    std::fs::create_dir(project.path("mcp-pin.toml")).expect("a folder");
    expect_broken(&project.check(), &["no ordinary file"]);
    // Nobody needs a policy to look at the lockfile.
    project.run(&["list"]).finish().expect_status(0);
    assert!(!project.exists("started"));
}

#[test]
fn a_required_server_that_is_missing_or_disabled_fails() {
    let required = "[server.search]\nrequired = true\n[server.late]\nrequired = true\n";
    let mut project = searching(&on("2026-11-30"), required);
    let entry: Value = serde_json::from_str(&project.read(".mcp.json")).expect("JSON");
    project.configure("search", with(entry["mcpServers"]["search"].clone(), json!({ "disabled": true })));
    for command in ["check", "verify"] {
        let finished = project.run(&[command]).finish();
        finished.expect_status(1).expect_stderr(&[]).expect_stdout(&[
            "danger[required-server] `search`",
            "mcp-pin.toml:1 requires it; it is disabled in .mcp.json",
            "danger[required-server] `late`",
            "mcp-pin.toml:3 requires it; no configuration names it",
        ]);
        finished.expect_nowhere(&["mcp-pin pin"]);
    }
    project.run(&["check", "search"]).finish().expect_status(2).expect_stdout(&["it is disabled"]);
    project.configure("search", entry["mcpServers"]["search"].clone());
    project.write("mcp-pin.toml", "[server.search]\nrequired = true\n");
    project.check().expect_status(0);
}

#[test]
fn a_server_that_is_gone_can_be_tolerated_and_is_never_called_in_sync() {
    let mut project = searching(&on("2026-11-30"), "[[rule]]\nrules = [\"server-removed\"]\neffect = \"warn\"\n");
    project.server("crm", &search("Search."));
    project.pin();
    let text = project.read(".mcp.json");
    let mut entries: Value = serde_json::from_str(&text).expect("JSON");
    entries["mcpServers"].as_object_mut().expect("servers").remove("search");
    project.write(".mcp.json", entries.to_string());
    let report = json_check(&project, 0);
    assert_eq!(server(&report, "search")["state"], "skipped");
    assert_eq!(softened(&report, "search"), ["warned server-removed by mcp-pin.toml:1"]);
    let policy = project.read("mcp-pin.toml").replace("warn", "allow");
    project.write("mcp-pin.toml", policy);
    let alone = project.run(&["check", "search"]).finish();
    alone.expect_status(2).expect_stdout(&[
        "allowed[server-removed] `search`: The lockfile holds a server that no configuration names any more.",
        "every server is disabled or not configured any more",
        "mcp-pin pin --prune",
    ]);
}

#[test]
fn a_policy_says_how_a_server_is_read_and_the_command_line_wins() {
    let project = Project::with_server("crm", &search("For $CLIENT in $ENV:CRM_REGION."));
    project.write("mcp-pin.toml", "[server.crm]\nclient = \"claude-code\"\npass_env = [\"CRM_REGION\"]\n");
    project
        .run(&["pin", "--yes"])
        .env("CRM_REGION", "region-of-test-1")
        .finish()
        .expect_status(2)
        .expect_stdout(&["repeats a value"]);
    project.script("crm", &search("For $CLIENT."));
    project.run(&["pin", "--yes"]).env("CRM_REGION", "region-of-test-1").finish().expect_status(0);
    let lockfile = project.lockfile();
    assert!(lockfile.contains("client = \"claude-code/1\"\npass_env = [\"CRM_REGION\"]\n"), "{lockfile}");
    project
        .run(&["check"])
        .env("CRM_REGION", "region-of-test-1")
        .finish()
        .expect_status(0)
        .expect_nowhere(&["read as", "passed"]);
    let finished = project.run(&["check", "--client", "cursor"]).env("CRM_REGION", "region-of-test-1").finish();
    finished.expect_status(1).expect_stdout(&["read as cursor/1, pinned as claude-code/1"]);
}

#[test]
fn a_time_out_of_the_policy_counts_unless_the_command_line_has_one() {
    let project = searching(&with(on("2026-11-30"), json!({ "on": [{ "method": "tools/list", "do": [] }] })), "");
    project.write("mcp-pin.toml", "[server.search]\nrequest_timeout = 0.3\n");
    let finished = project.check();
    finished.expect_status(2).expect_stdout(&["0.3 s"]);
    assert!(finished.took.as_secs() < 20, "{:?}", finished.took);
    project.run(&["check", "--request-timeout", "0.2"]).finish().expect_status(2).expect_stdout(&["0.2 s"]);
}

/// A policy as JSON, dates as their texts.
fn as_json(policy: &str) -> Value {
    fn value(of: toml::Value) -> Value {
        match of {
            toml::Value::Table(table) => table.into_iter().map(|(key, one)| (key, value(one))).collect(),
            toml::Value::Array(all) => all.into_iter().map(value).collect(),
            toml::Value::Datetime(date) => date.to_string().into(),
            toml::Value::String(text) => text.into(),
            toml::Value::Integer(number) => number.into(),
            toml::Value::Float(number) => number.into(),
            toml::Value::Boolean(flag) => flag.into(),
        }
    }
    value(toml::Value::Table(policy.parse().expect("TOML")))
}

#[test]
fn the_published_schema_takes_what_a_check_takes() {
    let project = searching(&on("2026-11-30"), "");
    let schema = project.run(&["schema", "policy"]).finish();
    schema.expect_status(0).expect_stderr(&[]);
    let schema = schema.json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let ignore = "[[ignore]]\nserver = \"search\"\nreason = \"r\"\n";
    for (policy, expected) in [
        (String::new(), true),
        (DAY.to_owned(), true),
        (format!("{DAY}until = 2027-01-31\n"), true),
        ("[[rule]]\nrules = [\"title-changed\"]\nui = \"*\"\neffect = \"allow\"\n".to_owned(), true),
        ("[server.search]\nrequired = true\npass_env = [\"A\"]\nserver_timeout = 1.5\n".to_owned(), true),
        (ignore.to_owned(), false),
        (format!("{ignore}pointer = \"description\"\n"), false),
        (format!("{ignore}pointer = \"/a~2\"\n"), false),
        (format!("{ignore}pattern = 'a'\nuntil = \"soon\"\n"), false),
        (format!("{ignore}pattern = 'a'\ntool = \"a\"\nui = \"b\"\n"), false),
        (DAY.replace("reason", "because"), false),
        ("[[rule]]\neffect = \"ignore\"\n".to_owned(), false),
        ("[[rule]]\nrules = [\"titles-changed\"]\neffect = \"warn\"\n".to_owned(), false),
        ("[[rule]]\nrules = []\neffect = \"warn\"\n".to_owned(), false),
        ("[server.search]\npass_env = [\"A=B\"]\n".to_owned(), false),
        ("[server.search]\nstart_timeout = 0\n".to_owned(), false),
        ("[server.search]\nreadings = 2\n".to_owned(), false),
        ("version = 1\n".to_owned(), false),
    ] {
        assert_eq!(validator.is_valid(&as_json(&policy)), expected, "{policy}");
        project.write("mcp-pin.toml", &policy);
        assert_eq!(project.run(&["verify"]).finish().status == 0, expected, "{policy}");
    }
}

#[test]
fn a_check_without_a_policy_and_with_an_empty_one_say_the_same() {
    let project = searching(&search("Search all."), "");
    let with_empty = project.check();
    std::fs::remove_file(project.path("mcp-pin.toml")).expect("removed");
    assert_eq!(project.check().stdout, with_empty.stdout);
    assert_eq!(findings(&json_check(&project, 1), "search"), ["danger description-changed web_search /description"]);
}
