//! No secret reaches the lockfile or any output, and no launch is pinned that holds one.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, scripted_server, tool};
use crate::told::{marked, stamp};

/// A value that nothing but a secret's name gives away.
const SECRET: &str = "s3cr3t-Val/ue+42";

/// `pin` in both formats refuses, shows this form, and prints the value nowhere; nothing was started or written.
#[track_caller]
fn expect_refused(project: &Project, value: &str, parts: &[&str]) {
    for format in ["human", "json"] {
        let finished = project.run(&["pin", "--yes", "--format", format]).finish();
        finished.expect_status(2).expect_nowhere(&[value]);
        finished.expect_told(parts);
    }
    assert!(!project.exists("started"), "it was started");
    assert!(!project.exists("mcp-tools.lock"));
}

fn project_with(entry: Value) -> Project {
    let mut project = Project::new();
    project.script("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    project.configure("crm", entry);
    project
}

fn stdio(more: Value) -> Value {
    crate::told::with(json!({ "command": scripted_server(), "args": ["crm.json"] }), more)
}

#[test]
fn a_literal_under_a_secret_s_name_is_refused_with_the_form_to_write() {
    let project = project_with(stdio(json!({ "env": { "API_TOKEN": SECRET } })));
    expect_refused(
        &project,
        SECRET,
        &["`crm`".trim_matches('`'), "env.API_TOKEN", "${API_TOKEN}", "--unverified API_TOKEN"],
    );
}

#[test]
fn a_literal_header_is_refused_with_the_form_to_write() {
    let project = project_with(
        json!({ "url": "https://crm.example/mcp", "headers": { "Authorization": format!("Bearer {SECRET}") } }),
    );
    expect_refused(&project, SECRET, &["headers.Authorization", "Bearer ${"]);
}

#[test]
fn a_value_that_looks_like_a_secret_is_refused_wherever_it_stands() {
    let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    for (entry, place) in [
        (stdio(json!({ "env": { "WHATEVER": token } })), "env.WHATEVER"),
        (json!({ "command": scripted_server(), "args": ["crm.json", token] }), "args"),
        (json!({ "command": scripted_server(), "args": ["crm.json", format!("--token={token}")] }), "args"),
        (json!({ "url": format!("https://crm.example/mcp?key={token}") }), "url"),
        (json!({ "url": format!("https://user:{token}@crm.example/mcp") }), "url"),
    ] {
        expect_refused(&project_with(entry), token, &[place, "${"]);
    }
}

#[test]
fn a_secret_within_a_longer_text_is_refused_wherever_it_stands() {
    let secret = "hunter2secret";
    let args = |args: Value| json!({ "command": scripted_server(), "args": args });
    for (entry, place) in [
        (args(json!(["crm.json", "--header", format!("apikey:{secret}")])), "apikey:${APIKEY}"),
        (args(json!(["-c", format!("npx -y srv --api-key {secret}")])), "--api-key ${API_KEY}"),
        (args(json!(["-c", format!("export API_TOKEN=\"{secret}\"; npx x")])), "API_TOKEN="),
        (args(json!([format!("jdbc:postgresql://localhost/db?user=me&password={secret}")])), "password=${PASSWORD}"),
        (args(json!([format!("root:{secret}@tcp(127.0.0.1:3306)/app")])), "root:${PASSWORD}@tcp"),
        (args(json!([format!("${{API_KEY:-{secret}}}")])), "${API_KEY}"),
        (stdio(json!({ "env": { "EXTRA_ARGS": format!("--api-key {secret}") } })), "env.EXTRA_ARGS"),
        (stdio(json!({ "env": { "KUBE": format!("user:\n  token: {secret}\n") } })), "env.KUBE"),
    ] {
        expect_refused(&project_with(entry), secret, &[place]);
    }
}

#[test]
fn all_secrets_of_all_servers_are_named_at_once() {
    let mut project = project_with(stdio(json!({ "env": { "API_TOKEN": SECRET, "DB_PASSWORD": "hunter2-and-more" } })));
    project
        .configure("web", json!({ "url": "https://web.example/mcp", "headers": { "X-Api-Key": "0a1b2c3d4e5f-zz" } }));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_told(&["env.API_TOKEN", "env.DB_PASSWORD", "headers.X-Api-Key", "\"web\""]);
    finished.expect_nowhere(&[SECRET, "hunter2", "0a1b2c3d"]);
}

#[test]
fn a_path_below_a_variable_and_what_is_about_secrets_is_none() {
    let env = json!({
        "SSH_KEY": "${FOLDER}/.ssh/id_ed25519_2024", "API_KEY_HEADER": "X-Api-Key", "STOP_TOKENS": "</s>,[INST]",
        "PASSWORD": "keyring", "KEYS": "ctrl+shift+p", "DESCRIPTION": "Token: see the docs",
    });
    let project = project_with(stdio(json!({ "env": env })));
    project.run(&["pin", "--yes"]).env("FOLDER", "/srv/a-folder-1").finish().expect_status(0);
}

#[test]
fn a_url_a_path_or_an_option_is_no_secret_whatever_its_name() {
    let env = json!({ "TOKEN_URL": "https://auth.example/token", "PASSWORD_FILE": "/run/secrets/pw", "AUTH_MODE": "none", "MAX_TOKENS": "4096", "TOKEN": "" });
    let project = project_with(stdio(json!({ "env": env })));
    project.run(&["pin", "--yes"]).finish().expect_status(0);
    assert!(project.lockfile().contains("PASSWORD_FILE = \"/run/secrets/pw\""), "{}", project.lockfile());
}

#[test]
fn unverified_keeps_the_name_and_not_the_value_and_every_report_says_so() {
    let project = project_with(stdio(json!({ "env": { "API_TOKEN": SECRET, "LEVEL": "info" } })));
    let finished = project.run(&["pin", "--yes", "--unverified", "API_TOKEN"]).finish();
    finished.expect_status(0).expect_nowhere(&[SECRET]).expect_stderr(&["API_TOKEN: literal value, not pinned"]);
    let lockfile = project.lockfile();
    assert!(lockfile.contains("unverified = [\"API_TOKEN\"]") && !lockfile.contains(SECRET), "{lockfile}");
    for command in ["check", "verify"] {
        let finished = project.run(&[command]).finish();
        finished.expect_status(0).expect_nowhere(&[SECRET]);
        assert!(
            finished.stdout.contains("API_TOKEN"),
            "{command} must say that the value isn't pinned: {}",
            finished.stdout
        );
    }
    // It stays unverified, and another value of it is no drift.
    project.run(&["pin"]).finish().expect_status(0);
    assert_eq!(project.lockfile(), lockfile);
}

/// A server that was pinned with `API_TOKEN` from the environment, as one that follows this script now.
fn pinned_with_token(script: &Value) -> Project {
    let project = project_with(stdio(json!({ "env": { "API_TOKEN": "${API_TOKEN}" } })));
    run(&project, &["pin", "--yes"]).expect_status(0);
    project.script("crm", script);
    project
}

fn run(project: &Project, arguments: &[&str]) -> Finished {
    project.run(arguments).env("API_TOKEN", SECRET).finish()
}

#[test]
fn a_variable_goes_to_the_server_and_not_into_the_lockfile() {
    let project = pinned_with_token(
        &json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": [{ "dump": "dump.json" }] }] }),
    );
    assert!(project.lockfile().contains("API_TOKEN = \"${API_TOKEN}\""));
    run(&project, &["check"]).expect_status(0).expect_stderr(&[]);
    assert!(project.read("dump.json").contains(SECRET), "the server was given the value");
    assert!(!project.lockfile().contains(SECRET));
}

#[test]
fn a_definition_that_repeats_the_environment_is_refused_and_only_its_place_is_named() {
    let base64 = "czNjcjN0LVZhbC91ZSs0Mg";
    let percent = "s3cr3t-Val%2Fue%2B42";
    for (what, script, place) in [
        ("plain", listing(&[tool("a", "Uses $ENV:API_TOKEN now.")]), "/description"),
        ("base64", listing(&[tool("a", &format!("Uses {base64}== now."))]), "/description"),
        ("percent", listing(&[tool("a", &format!("Uses {percent} now."))]), "/description"),
        (
            "default",
            listing(&[
                json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "k": { "default": "$ENV:API_TOKEN" } } } }),
            ]),
            "/inputSchema/properties/k/default",
        ),
        ("instructions", json!({ "instructions": "Use $ENV:API_TOKEN.", "tools": [tool("a", "A.")] }), "/instructions"),
    ] {
        let project = pinned_with_token(&script);
        let before = stamp(&project, "mcp-tools.lock");
        for format in ["human", "json"] {
            let finished = run(&project, &["pin", "--yes", "--format", format]);
            finished.expect_status(2).expect_nowhere(&[SECRET, base64, percent]).expect_told(&[place]);
        }
        assert_eq!(stamp(&project, "mcp-tools.lock"), before, "{what}");
    }
}

#[test]
fn a_check_shows_a_definition_that_repeats_the_environment_without_the_value() {
    let project = pinned_with_token(&listing(&[tool("a", "Uses $ENV:API_TOKEN now.")]));
    for arguments in [&["check"][..], &["check", "--full", "-v"], &["check", "--format", "json"]] {
        let finished = run(&project, arguments);
        finished.expect_status(1).expect_stdout(&["description-changed", "[masked]"]).expect_nowhere(&[SECRET]);
    }
}

#[test]
fn names_keys_and_releases_that_repeat_the_environment_are_shown_without_the_value() {
    let project = pinned_with_token(&json!({
        "server": { "name": "of $ENV:API_TOKEN", "version": "$ENV:API_TOKEN" },
        "tools": [
            tool("a", "A."),
            tool("named $ENV:API_TOKEN", "B."),
            json!({ "name": "c", "inputSchema": { "type": "object", "properties": { "$ENV:API_TOKEN": {} } } }),
        ],
    }));
    for arguments in [&["check", "--full", "-v"][..], &["check", "-q"], &["check", "--format", "json"]] {
        run(&project, arguments).expect_status(1).expect_nowhere(&[SECRET]);
    }
    let pin = run(&project, &["pin", "--yes"]);
    pin.expect_status(2).expect_nowhere(&[SECRET]);
}

#[test]
fn the_values_of_an_address_are_never_printed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://${{WHO}}:${{PASS}}@{}/mcp?k=${{K}}", listener.local_addr().expect("an address"));
    drop(listener);
    let project = project_with(json!({ "url": url }));
    let values = ["annaX", "qwertz9", "zzy7q"];
    let run = |arguments: &[&str]| {
        project.run(arguments).env("WHO", values[0]).env("PASS", values[1]).env("K", values[2]).finish()
    };
    run(&["pin", "--yes"]).expect_status(2).expect_nowhere(&values).expect_told(&["could not check `crm`"]);
    run(&["pin", "--yes", "--format", "json"]).expect_status(2).expect_nowhere(&values);
}

#[test]
fn a_server_s_last_words_are_shown_without_the_value() {
    let words = "login with $ENV:API_TOKEN failed, czNjcjN0LVZhbC91ZSs0Mg== too\n";
    let project =
        pinned_with_token(&json!({ "on": [{ "method": "start", "do": [{ "stderr": words }, { "exit": 1 }] }] }));
    for format in ["human", "json"] {
        let finished = run(&project, &["check", "--format", format]);
        finished.expect_status(2).expect_told(&["login with [masked] failed"]);
        finished.expect_nowhere(&[SECRET, "czNjcjN0"]);
    }
}

#[test]
fn an_error_of_the_server_is_shown_without_the_value() {
    let error = json!({ "error": { "code": -32000, "message": "bad key $ENV:API_TOKEN", "data": "$ENV:API_TOKEN" } });
    let project = pinned_with_token(&json!({ "on": [{ "method": "tools/list", "do": [error] }] }));
    let finished = run(&project, &["check"]);
    finished.expect_status(2).expect_told(&["bad key [masked]"]).expect_nowhere(&[SECRET]);
}

#[test]
fn a_changed_secret_in_the_configuration_is_drift_and_neither_value_is_shown() {
    let mut project = pinned_with_token(&listing(&[tool("a", "A.")]));
    project.configure("crm", stdio(json!({ "env": { "API_TOKEN": "0therS3cr3t-value" } })));
    for command in ["check", "verify"] {
        let finished = run(&project, &[command]);
        finished.expect_status(1).expect_stdout(&["launch-changed", "/env/API_TOKEN"]);
        finished.expect_nowhere(&["0therS3cr3t", SECRET]);
    }
    project.configure("crm", json!({ "url": "https://user:p4ss-w0rd-x@h.example/mcp?token=0therS3cr3t-value" }));
    run(&project, &["check"]).expect_status(1).expect_nowhere(&["0therS3cr3t", "p4ss-w0rd-x"]);
}

#[test]
fn the_literal_values_in_an_address_are_pinned_and_never_printed() {
    let mut project = Project::new();
    let server = project.http_server("crm", &crate::told::with(listing(&[tool("a", "A.")]), json!({ "reread": true })));
    let address = |value: &str| json!({ "url": format!("{}?x={value}&y=${{Y}}#f={value}", server.url()) });
    let secret = "hunter2secret";
    let run = |project: &Project, arguments: &[&str]| {
        let finished = project.run(arguments).env("Y", "why").finish();
        finished.expect_nowhere(&[secret, "0thersecret"]);
        finished
    };
    project.configure("crm", address(secret));
    run(&project, &["pin", "--yes"]).expect_status(0).expect_stderr(&["?x=…&y=${Y}#f=…"]);
    assert!(project.lockfile().contains(&format!("?x={secret}&y=${{Y}}")), "{}", project.lockfile());
    run(&project, &["check", "-v"]).expect_status(0);
    run(&project, &["list"]).expect_status(0).expect_stdout(&["?x=…&y=${Y}"]);
    project.configure("crm", address("0thersecret"));
    for command in ["check", "verify"] {
        run(&project, &[command]).expect_status(1).expect_stdout(&["launch-changed", "/url", "its query"]);
    }
    run(&project, &["pin", "--yes"]).expect_status(0).expect_stderr(&["changed launch", "?x=…&y=${Y}"]);
}
