//! Servers that repeat what they were given: no value that came from the environment is shown or stored, in any
//! encoding.

use serde_json::{Value, json};

use crate::common::{Finished, HttpServer, Project, tool};
use crate::served::{clean, clean_but, with};

const SECRET: &str = "s3cr3t/\"quoted\"+value=42";

/// The value in every form in which a server may repeat it.
fn forms() -> Vec<String> {
    let percent: String = SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let json = json!(SECRET).to_string();
    let json = json.trim_matches('"').to_owned();
    vec![SECRET.to_owned(), percent, json, base64(SECRET.as_bytes()), "s3cr3t".to_owned(), "value=42".to_owned()]
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number =
            chunk.iter().fold(0_usize, |number, &byte| number << 8 | usize::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(ALPHABET[number >> (18 - 6 * place) & 63]));
        }
    }
    text
}

/// A stdio server that knows the secret and is pinned.
fn project(script: &Value) -> Project {
    let mut project = Project::new();
    project.script("crm", &clean());
    let entry = json!({
        "command": crate::common::scripted_server(), "args": ["crm.json"], "env": {"CRM_TOKEN": "${CRM_TOKEN}"},
    });
    project.configure("crm", entry);
    run(&project, &["pin", "--yes"]).expect_status(0);
    project.script("crm", script);
    project
}

/// The same over HTTP, where the secret is a header.
fn over_http(script: &Value) -> (Project, HttpServer) {
    let mut project = Project::new();
    let server = project.http_server("crm", &with(clean(), "reread", json!(true)));
    project.configure("crm", json!({"url": server.url(), "headers": {"X-Api-Key": "${CRM_TOKEN}"}}));
    run(&project, &["pin", "--yes"]).expect_status(0);
    project.script("crm", &with(script.clone(), "reread", json!(true)));
    (project, server)
}

fn run(project: &Project, arguments: &[&str]) -> Finished {
    project.run(arguments).env("CRM_TOKEN", SECRET).finish()
}

/// Nothing of the secret is in any output of any command, nor in the lockfile.
#[track_caller]
fn expect_silence(project: &Project, status: i32) {
    let lockfile = project.lockfile();
    for arguments in
        [&["check"][..], &["check", "-v", "--full"], &["check", "--format", "json"], &["pin", "--yes", "-v"]]
    {
        let finished = run(project, arguments);
        if arguments[0] == "check" {
            finished.expect_status(status);
        }
        for form in forms() {
            finished.expect_nowhere(&[&form]);
            assert!(!project.lockfile().contains(&form), "{form} is in {}", project.lockfile());
        }
    }
    if status == 2 {
        assert_eq!(project.lockfile(), lockfile);
    }
}

#[test]
fn a_secret_on_standard_error_is_masked() {
    let texts = [
        "token=$ENV:CRM_TOKEN\n".to_owned(),
        format!("{}\n", forms().join(" ")),
        format!("Basic {}\n", base64(format!("user:{SECRET}").as_bytes())),
    ];
    for text in texts {
        let project = project(&clean_but(json!([{"method": "start", "do": [{"stderr": text}, {"exit": 1}]}])));
        run(&project, &["check"]).expect_status(2).expect_stdout(&["[masked]"]);
        let finished = run(&project, &["check"]);
        for form in &forms()[..4] {
            finished.expect_nowhere(&[form]);
        }
    }
}

/// A value whose Base64 the `base64` command and others break into lines, and that Base64.
fn long_secret() -> (String, String) {
    let secret: String = (0..30).map(|index| format!("{}x{:02}", char::from(b'A' + index % 26), index)).collect();
    let encoded = base64(format!("{secret}\n").as_bytes());
    let lines: Vec<&str> = (0..encoded.len()).step_by(76).map(|at| &encoded[at..encoded.len().min(at + 76)]).collect();
    (secret, lines.join("\n"))
}

#[test]
fn a_secret_in_base64_of_several_lines_is_masked_and_never_pinned() {
    let (secret, encoded) = long_secret();
    let parts: Vec<&str> = encoded.lines().map(|line| &line[..line.len().min(8)]).collect();
    let run = |project: &Project, arguments: &[&str]| {
        let finished = project.run(arguments).env("CRM_TOKEN", &secret).finish();
        finished.expect_nowhere(&parts);
        finished
    };
    let told =
        project(&clean_but(json!([{"method": "start", "do": [{"stderr": format!("{encoded}\n")}, {"exit": 1}]}])));
    for format in ["human", "json"] {
        run(&told, &["check", "--format", format]).expect_status(2).expect_stdout(&["[masked]"]);
    }
    for description in [encoded.clone(), format!("As JSON: {}", json!(encoded))] {
        let project = project(&with(clean(), "tools", json!([tool("lookup", &description)])));
        run(&project, &["pin"]).expect_status(2).expect_stdout(&["repeats a value that came from a variable"]);
        run(&project, &["check", "--full"]).expect_status(1).expect_stdout(&["[masked]"]);
    }
}

#[test]
fn a_word_in_a_connection_string_and_the_login_in_a_header_are_masked() {
    let mut project = Project::new();
    let rules = json!([{"method": "start", "do": [{"stderr": "dialing root with horsebattery\n"}, {"exit": 1}]}]);
    project.script("crm", &clean_but(rules));
    for (place, value) in [
        (json!({"env": {"DB": "root:${PW}@tcp(h)/db"}}), "horsebattery"),
        (json!({"env": {"DB": "${PW}"}}), "jdbc:mysql://h/db?password=horsebattery"),
        (json!({"env": {"API_KEYS": "${PW}"}}), "first-1234,horsebattery"),
        (json!({"env": {"AUTHORIZATION": "Basic ${PW}"}}), "bWU6aG9yc2ViYXR0ZXJ5"),
    ] {
        let entry = json!({"command": crate::common::scripted_server(), "args": ["crm.json"]});
        project.configure("crm", crate::told::with(entry, place));
        let finished = project.run(&["pin", "--yes"]).env("PW", value).finish();
        finished.expect_status(2).expect_told(&["with [masked]"]).expect_nowhere(&["horsebattery"]);
    }
}

#[test]
fn a_secret_that_the_end_of_standard_error_cuts_in_two_is_masked() {
    // The last 8 KiB begin in the middle of the secret.
    let filler = (8 << 10) - SECRET.len() / 2;
    let actions = json!([{"stderr": SECRET}, {"stderr_repeat": {"text": "x", "times": filler}}, {"exit": 1}]);
    let project = project(&clean_but(json!([{"method": "start", "do": actions}])));
    let finished = run(&project, &["check", "--full"]);
    finished.expect_status(2).expect_nowhere(&["+value=42", "value=42", "alue=42"]);
}

#[test]
fn a_secret_in_an_error_message_is_masked() {
    let error = json!({"code": -32603, "message": "bad token $ENV:CRM_TOKEN"});
    for method in ["initialize", "tools/list"] {
        expect_silence(&project(&clean_but(json!([{"method": method, "do": [{"error": error}]}]))), 2);
    }
    let error = json!({"code": -32603, "message": "bad token $HEADER:x-api-key"});
    for method in ["initialize", "tools/list"] {
        let (project, _server) = over_http(&clean_but(json!([{"method": method, "do": [{"error": error}]}])));
        expect_silence(&project, 2);
    }
}

#[test]
fn a_secret_in_an_http_error_body_is_masked() {
    for status in [400, 401, 403, 404, 500] {
        let response =
            json!({"status": status, "body": "you sent $HEADER:x-api-key", "headers": {"content-type": "text/plain"}});
        for method in ["initialize", "tools/list"] {
            let (project, _server) = over_http(&clean_but(json!([{"method": method, "do": [{"http": response}]}])));
            expect_silence(&project, 2);
        }
    }
}

#[test]
fn a_secret_in_a_header_of_the_answer_is_masked() {
    for headers in [
        json!({"content-type": "text/$HEADER:x-api-key"}),
        json!({"content-type": "application/json", "content-encoding": "$HEADER:x-api-key"}),
    ] {
        let response = json!({"status": 200, "headers": headers, "body": "x"});
        let (project, _server) = over_http(&clean_but(json!([{"method": "tools/list", "do": [{"http": response}]}])));
        expect_silence(&project, 2);
    }
}

#[test]
fn a_secret_in_the_target_of_a_redirect_is_masked() {
    let mut project = Project::new();
    let server = project.http_server("crm", &with(clean(), "reread", json!(true)));
    project.configure("crm", json!({"url": server.url(), "headers": {"X-Api-Key": "${CRM_TOKEN}"}}));
    let run = |arguments: &[&str]| project.run(arguments).env("CRM_TOKEN", "secret-token-42-abc").finish();
    run(&["pin", "--yes"]).expect_status(0);
    let headers = json!({"location": "http://$HEADER:x-api-key.evil.example/"});
    let rules = json!([{"method": "http-post", "do": [{"http": {"status": 307, "headers": headers}}]}]);
    project.script("crm", &with(clean_but(rules), "reread", json!(true)));
    run(&["check"]).expect_status(2).expect_stdout(&["another origin"]).expect_nowhere(&["secret-token-42-abc"]);
}

#[test]
fn a_secret_on_standard_output_is_masked() {
    for line in ["starting with $ENV:CRM_TOKEN".to_owned(), format!("{}$ENV:CRM_TOKEN", "x".repeat(70))] {
        expect_silence(&project(&clean_but(json!([{"method": "start", "do": [{"line": line}]}]))), 0);
    }
}

#[test]
fn a_secret_in_a_version_or_in_the_place_of_an_error_is_masked() {
    let protocol = with(clean(), "protocol", json!("$ENV:CRM_TOKEN"));
    expect_silence(&project(&protocol), 2);
    let key = r#"{"tools":[{"$ENV:CRM_TOKEN":1,"$ENV:CRM_TOKEN":2}]}"#;
    expect_silence(&project(&clean_but(json!([{"method": "tools/list", "do": [{"reply_raw": key}]}]))), 2);
    let place = r#"{"tools":[{"name":"a","$ENV:CRM_TOKEN":{"x":"\ud800"}}]}"#;
    expect_silence(&project(&clean_but(json!([{"method": "tools/list", "do": [{"reply_raw": place}]}]))), 2);
    let mut modern = with(clean(), "era", json!("modern"));
    modern["supported"] = json!(["$ENV:CRM_TOKEN"]);
    expect_silence(&project(&modern), 2);
}

/// A drifted server that repeats the secret in this place.
fn repeating(member: &str, value: Value) -> Value {
    with(clean(), member, value)
}

#[test]
fn a_secret_in_a_definition_is_masked_and_never_pinned() {
    for script in [
        repeating("tools", json!([tool("lookup", "Use $ENV:CRM_TOKEN.")])),
        repeating("tools", json!([tool("lookup", &base64(SECRET.as_bytes()))])),
        repeating(
            "tools",
            json!([{"name": "lookup", "inputSchema": {"type": "object", "properties": {"$ENV:CRM_TOKEN": {}}}}]),
        ),
        repeating(
            "tools",
            json!([{"name": "lookup", "inputSchema": {"type": "object"}, "_meta": {"a": ["x$ENV:CRM_TOKEN"]}}]),
        ),
        repeating("instructions", json!("Use $ENV:CRM_TOKEN.")),
        repeating("server", json!({"name": "$ENV:CRM_TOKEN", "version": "1.0.0"})),
        repeating("capabilities", json!({"tools": {}, "experimental": {"x": "$ENV:CRM_TOKEN"}})),
    ] {
        let project = project(&script);
        let lockfile = project.lockfile();
        let finished = run(&project, &["pin"]);
        finished.expect_status(2).expect_stdout(&["repeats a value that came from a variable", "nothing was written"]);
        assert_eq!(project.lockfile(), lockfile);
        let status = run(&project, &["check"]).status;
        expect_silence(&project, status);
        assert!(status < 2);
    }
}

#[test]
fn a_secret_in_a_tools_name_is_masked_and_never_pinned() {
    let project = project(&repeating("tools", json!([tool("lookup-$ENV:CRM_TOKEN", "Text.")])));
    let lockfile = project.lockfile();
    run(&project, &["pin"]).expect_status(2).expect_stdout(&["nothing was written"]);
    assert_eq!(project.lockfile(), lockfile);
    expect_silence(&project, 1);
}

#[test]
fn a_secret_in_the_release_is_masked_and_never_pinned() {
    let project = project(&repeating("server", json!({"name": "scripted", "version": "1.0.0-$ENV:CRM_TOKEN"})));
    expect_silence(&project, 0);
    let lockfile = project.lockfile();
    for form in forms() {
        assert!(!lockfile.contains(&form), "{lockfile}");
    }
}

#[test]
fn the_credentials_and_the_query_of_an_address_are_never_shown() {
    let mut project = Project::new();
    let server = project.http_server("crm", &with(clean(), "reread", json!(true)));
    let url = format!("http://user:${{CRM_TOKEN}}@127.0.0.1:{}/mcp?key=${{CRM_TOKEN}}", server.port());
    project.configure("crm", json!({"url": url}));
    let token = "secret-token-42-abc";
    let run = |arguments: &[&str]| project.run(arguments).env("CRM_TOKEN", token).finish();
    run(&["pin", "--yes", "-v"]).expect_status(0).expect_nowhere(&[token]);
    assert!(!project.lockfile().contains(token));
    run(&["check", "-v"]).expect_status(0).expect_nowhere(&[token]);
    drop(server);
    run(&["check", "-v"]).expect_status(2).expect_stdout(&["contacting the server"]).expect_nowhere(&[token]);
}
