//! What a server finds in its environment, and in its folder and arguments.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::common::{Project, Run, listing, scripted_server, tool};
use crate::served::{clean_but, with};

/// A project whose server, configured with this entry beside its command, writes what it finds to `dump.json`.
fn dumping(entry: Value) -> Project {
    let mut project = Project::new();
    project
        .script("crm", &clean_but(json!([{"method": "initialize", "do": [{"dump": "dump.json"}, {"answer": true}]}])));
    let script = project.path("crm.json");
    let mut all = json!({"command": scripted_server(), "args": [script, "one argument", "$HOME", "*"]});
    all.as_object_mut().expect("an entry").extend(entry.as_object().expect("an entry").clone());
    project.configure("crm", all);
    project
}

fn dump(project: &Project) -> Value {
    serde_json::from_str(&project.read("dump.json")).expect("a dump")
}

fn environment(project: &Project) -> BTreeMap<String, String> {
    serde_json::from_value(dump(project)["env"].clone()).expect("variables")
}

/// A pin in the environment of a runner.
fn on_a_runner<'a>(project: &'a Project, arguments: &[&str]) -> Run<'a> {
    let mut all = vec!["pin", "--yes"];
    all.extend(arguments);
    let mut run = project.run(&all);
    for (name, value) in [
        ("CI", "true"),
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_TOKEN", "ghs_0123456789abcdefghij"),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI0K7MDENG"),
        ("AWS_ACCESS_KEY_ID", "AKIA0123456789ABCDEF"),
        ("NPM_TOKEN", "npm_0123456789abcdef"),
        ("NODE_AUTH_TOKEN", "npm_fedcba9876543210"),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "eyJ0123456789"),
        ("SSH_AUTH_SOCK", "/tmp/agent.sock"),
        ("CRM_REGION", "eu-central-1"),
        ("XDG_CACHE_HOME", "/tmp/cache"),
        ("HTTPS_PROXY", "http://127.0.0.1:9"),
        ("NODE_EXTRA_CA_CERTS", "/etc/ca.pem"),
        ("npm_config_registry", "https://registry.example"),
        ("UV_CACHE_DIR", "/tmp/uv"),
        ("DOCKER_HOST", "unix:///tmp/docker.sock"),
        ("JAVA_HOME", "/opt/java"),
        ("LANG", "zh_CN.UTF-8"),
        ("LC_ALL", "zh_CN.UTF-8"),
        ("LC_MESSAGES", "zh_CN.UTF-8"),
        ("LANGUAGE", "zh"),
        ("TZ", "Asia/Shanghai"),
        ("PYTHONHASHSEED", "random"),
        ("MCP_PIN_JOBS", "3"),
        ("XDG_SECRET_TOKEN", "not for servers"),
    ] {
        run = run.env(name, value);
    }
    run
}

#[test]
fn the_runners_secrets_and_ci_stay_outside_and_the_usual_variables_are_there() {
    let project = dumping(json!({}));
    on_a_runner(&project, &[]).finish().expect_status(0);
    let found = environment(&project);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    let expected = [
        "DOCKER_HOST",
        "HOME",
        "HTTPS_PROXY",
        "JAVA_HOME",
        "LANG",
        "LC_ALL",
        "NODE_EXTRA_CA_CERTS",
        "PATH",
        "PYTHONHASHSEED",
        "TZ",
        "UV_CACHE_DIR",
        "XDG_CACHE_HOME",
        "npm_config_registry",
    ];
    let usual: Vec<&str> = names.iter().copied().filter(|name| *name != "TMPDIR").collect();
    assert_eq!(usual, expected);
    assert_eq!(found["HTTPS_PROXY"], "http://127.0.0.1:9");
    assert_eq!(found["HOME"], project.path("home").to_string_lossy());
}

#[test]
fn the_locale_the_time_zone_and_pythons_hash_seed_are_the_same_everywhere() {
    let project = dumping(json!({}));
    on_a_runner(&project, &[]).finish().expect_status(0);
    let found = environment(&project);
    for (name, value) in [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("PYTHONHASHSEED", "0")] {
        assert_eq!(found[name], value);
    }
    project.run(&["check"]).env("LANG", "de_DE.UTF-8").finish().expect_status(0);
    assert_eq!(environment(&project)["LANG"], "C.UTF-8");
}

#[test]
fn a_variable_is_passed_when_it_is_asked_for() {
    for arguments in [
        &["--pass-env", "CRM_REGION"][..],
        &["--pass-env", "crm:CRM_REGION"],
        &["--pass-env", "other:CRM_REGION", "--pass-env", "CRM_REGION"],
    ] {
        let project = dumping(json!({}));
        on_a_runner(&project, arguments).finish().expect_status(0);
        assert_eq!(environment(&project)["CRM_REGION"], "eu-central-1");
        assert!(!project.lockfile().contains("eu-central-1"));
    }
    let project = dumping(json!({}));
    on_a_runner(&project, &[]).env("MCP_PIN_PASS_ENV", "UNSET,crm:CRM_REGION").finish().expect_status(0);
    assert_eq!(environment(&project)["CRM_REGION"], "eu-central-1");
    let project = dumping(json!({}));
    on_a_runner(&project, &["--pass-env", "other:CRM_REGION"]).finish().expect_status(0);
    assert!(!environment(&project).contains_key("CRM_REGION"));
}

#[test]
fn a_secret_is_passed_only_by_its_name_and_never_shown() {
    let project = dumping(json!({}));
    let finished = on_a_runner(&project, &["--pass-env", "GITHUB_TOKEN", "-v"]).finish();
    finished.expect_status(0).expect_nowhere(&["ghs_0123456789abcdefghij"]);
    assert_eq!(environment(&project)["GITHUB_TOKEN"], "ghs_0123456789abcdefghij");
    assert!(!project.lockfile().contains("ghs_0123456789abcdefghij"));
}

#[test]
fn what_the_configuration_names_wins() {
    let env =
        json!({"LANG": "fr_FR.UTF-8", "CRM_REGION": "us", "PATH": "/nowhere", "EMPTY": "", "FROM": "${CRM_REGION}"});
    let project = dumping(json!({"env": env}));
    on_a_runner(&project, &["--pass-env", "CRM_REGION", "--pass-env", "LANG"]).finish().expect_status(0);
    let found = environment(&project);
    let expected =
        [("LANG", "fr_FR.UTF-8"), ("CRM_REGION", "us"), ("PATH", "/nowhere"), ("EMPTY", ""), ("FROM", "eu-central-1")];
    for (name, value) in expected {
        assert_eq!(found[name], value);
    }
}

#[test]
fn arguments_and_folder_arrive_as_they_are_written() {
    let project = dumping(json!({"cwd": "sub folder"}));
    std::fs::create_dir(project.path("sub folder")).expect("made");
    on_a_runner(&project, &[]).finish().expect_status(0);
    let found = dump(&project);
    assert_eq!(found["args"].as_array().expect("arguments")[1..], [json!("one argument"), json!("$HOME"), json!("*")]);
    let folder = std::fs::canonicalize(project.path("sub folder")).expect("a folder");
    assert_eq!(found["cwd"], folder.to_string_lossy().as_ref());
}

#[test]
fn a_server_that_answers_by_its_locale_is_the_same_everywhere() {
    let mut project =
        Project::with_server("crm", &with(json!({}), "tools", json!([crate::common::tool("a", "$ENV:LANG $ENV:TZ")])));
    project.run(&["pin", "--yes"]).env("LANG", "zh_CN.UTF-8").env("TZ", "Asia/Shanghai").finish().expect_status(0);
    assert!(project.lockfile().contains("C.UTF-8 UTC"));
    project.run(&["check"]).env("LANG", "C.UTF-8").env("TZ", "UTC").finish().expect_status(0);
    project.server("other", &json!({}));
    project.run(&["check", "crm"]).env("LC_ALL", "C").finish().expect_status(0);
}

#[test]
fn a_server_that_tells_its_environment_tells_no_secret_of_the_runner() {
    let project = Project::with_server("crm", &json!({"tools": [crate::common::tool("a", "$ENV")]}));
    let secrets = ["ghs_", "wJalr", "npm_0123", "npm_fedc", "AKIA", "eyJ0123", "not for servers", "GITHUB_", "CI="];
    // The path of a home folder would be refused, for it differs on each machine.
    let run = on_a_runner(&project, &["-v", "--full"]).env("HOME", "/h");
    run.finish().expect_status(0).expect_nowhere(&secrets);
    let lockfile = project.lockfile();
    assert!(lockfile.contains("PYTHONHASHSEED=0"), "{lockfile}");
    for secret in secrets {
        assert!(!lockfile.contains(secret), "{lockfile}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_leads_a_session_of_its_own_so_it_has_no_terminal_to_write_on() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    // The sixth field is the session (proc(5)).
    let script = "cut -d' ' -f6 /proc/$$/stat >session; echo $$ >process; exec \"$0\" crm.json";
    project.configure("crm", json!({ "command": "sh", "args": ["-c", script, scripted_server()] }));
    project.pin();
    assert_eq!(project.read("session"), project.read("process"));
}
