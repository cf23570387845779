//! `${VAR}` and `${VAR:-default}`: filled in when a server is started, never before it is compared.

use serde_json::{Value, json};

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::{marked, server};

/// A script that dumps what it was given, with a marker.
fn dumping() -> Value {
    json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": [{ "touch": "started" }, { "dump": "dump.json" }] }] })
}

fn dump(project: &Project) -> Value {
    serde_json::from_str(&project.read("dump.json")).expect("a dump")
}

#[test]
fn variables_are_filled_in_everywhere_and_the_lockfile_keeps_them_as_written() {
    let mut project = Project::new();
    project.script("crm", &dumping());
    project.configure(
        "crm",
        json!({
            "command": "${SERVER}",
            "args": ["${SCRIPT}", "--level=${LEVEL:-info}", "$PLAIN", "${EMPTY:-full}"],
            "env": { "PLACE": "${PLACE}/x", "EMPTY": "${EMPTY}" },
        }),
    );
    let server = scripted_server().display().to_string();
    let run = |arguments: &[&str]| {
        let run = project.run(arguments).env("SERVER", &server).env("SCRIPT", "crm.json");
        run.env("PLACE", "somewhere").env("EMPTY", "").finish()
    };
    run(&["pin", "--yes"]).expect_status(0);
    let given = dump(&project);
    assert_eq!(given["args"], json!(["crm.json", "--level=info", "$PLAIN", "full"]));
    assert_eq!((&given["env"]["PLACE"], &given["env"]["EMPTY"]), (&json!("somewhere/x"), &json!("")));
    let lockfile = project.lockfile();
    for written in ["command = \"${SERVER}\"", "\"--level=${LEVEL:-info}\"", "PLACE = \"${PLACE}/x\""] {
        assert!(lockfile.contains(written), "{written}: {lockfile}");
    }
    assert!(!lockfile.contains("somewhere") && !lockfile.contains(&server), "{lockfile}");
    run(&["check"]).expect_status(0).expect_stderr(&[]);
}

/// Two pinned servers, of which `needs` needs two variables.
fn needy() -> Project {
    let mut project = Project::new();
    project.server("good", &marked(listing(&[tool("g", "G.")]), "good-started"));
    project.script("needs", &marked(listing(&[tool("n", "N.")]), "needs-started"));
    let entry = json!({ "command": scripted_server(), "args": ["needs.json", "${FIRST_ARG}"], "env": { "API_TOKEN": "${API_TOKEN}" } });
    project.configure("needs", entry);
    let pin = project.run(&["pin", "--yes"]).env("FIRST_ARG", "x").env("API_TOKEN", "t0ken-of-the-pin");
    pin.finish().expect_status(0);
    for name in ["good-started", "needs-started"] {
        std::fs::remove_file(project.path(name)).expect("pinned");
    }
    project
}

#[test]
fn an_unset_variable_keeps_its_server_from_being_checked_and_the_others_are_read() {
    let project = needy();
    let finished = project.check();
    finished.expect_status(2).expect_stderr(&[]).expect_stdout(&[
        "in sync: `good`",
        "could not check `needs`",
        "FIRST_ARG",
        "args[1]",
        "API_TOKEN",
        "env.API_TOKEN",
        "help: ",
    ]);
    assert!(project.exists("good-started") && !project.exists("needs-started"));
    let report = project.run(&["check", "--format", "json"]).finish().json();
    assert_eq!(server(&report, "needs")["state"], "not-checked");
}

#[test]
fn an_unset_variable_keeps_a_pin_from_starting_anything() {
    let project = needy();
    let lockfile = project.lockfile();
    for command in [&["pin", "--yes"][..], &["pin", "--yes", "--keep-going"], &["pin", "--yes", "--dry-run"]] {
        let finished = project.run(command).env("FIRST_ARG", "x").finish();
        finished.expect_status(2).expect_told(&["server \"needs\"", "API_TOKEN", "env.API_TOKEN"]);
        finished.expect_nowhere(&["FIRST_ARG"]);
        assert!(!project.exists("good-started") && !project.exists("needs-started"));
    }
    assert_eq!(project.lockfile(), lockfile);
}

#[test]
fn a_variable_that_is_set_but_empty_is_set() {
    let project = needy();
    let run = project.run(&["check", "needs"]).env("FIRST_ARG", "").env("API_TOKEN", "");
    run.finish().expect_status(0).expect_stdout(&["in sync: `needs`"]).expect_stderr(&[]);
}

#[test]
fn no_request_is_made_with_an_unset_header() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("set");
    let mut project = Project::new();
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    project.configure("web", json!({ "url": url, "headers": { "Authorization": "Bearer ${WEB_TOKEN}" } }));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_told(&["server \"web\"", "headers.Authorization", "WEB_TOKEN"]);
    assert!(listener.accept().is_err(), "it was contacted");
}

#[test]
fn a_changed_launch_is_told_though_its_variable_is_unset() {
    let mut project = needy();
    let entry = json!({ "command": scripted_server(), "args": ["needs.json", "${OTHER_ARG}"], "env": { "API_TOKEN": "${API_TOKEN}" } });
    project.configure("needs", entry);
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["danger[launch-changed] `needs` at /args"]).expect_stderr(&[]);
    assert!(!project.exists("needs-started"));
}

#[test]
fn another_value_of_a_variable_is_no_drift() {
    let project = needy();
    let run = project.run(&["check"]).env("FIRST_ARG", "y").env("API_TOKEN", "another-t0ken-1");
    run.finish().expect_status(0).expect_stdout(&["2 servers in sync"]).expect_stderr(&[]);
}

#[test]
fn another_client_s_form_of_a_variable_is_explained() {
    let mut project = Project::new();
    project.configure("crm", json!({ "command": "x", "env": { "A": "${env:A}" } }));
    project.run(&["pin", "--yes"]).finish().expect_refused(&["env.A", "another client's way", "${NAME}"]);
}

#[test]
fn a_working_folder_counts_from_the_configuration_s() {
    let mut project = Project::new();
    project.write("deep/crm.json", dumping().to_string());
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json"], "cwd": "deep" }));
    project.pin();
    assert!(project.exists("deep/started"));
    let given: Value = serde_json::from_str(&project.read("deep/dump.json")).expect("a dump");
    let folder = std::fs::canonicalize(project.path("deep")).expect("there");
    assert_eq!(given["cwd"], json!(folder));
}
