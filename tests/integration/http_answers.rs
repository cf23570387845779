//! Statuses, types and bodies of HTTP answers: what is retried, what ends at once, and what is said.

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Project, Run};
use crate::served::{Over, Served, check, clean, clean_but, clean_tool, expect_in_sync, expect_not_checked, with};

const TOKEN: &str = "tok-5f7e-9a1b-very-secret";

/// A project whose server needs an Authorization header, which is configured as a variable.
fn with_header(header: &str, script: &Value) -> (Project, crate::common::HttpServer) {
    let mut project = Project::new();
    let server = project.http_server("crm", &with(script.clone(), "reread", json!(true)));
    let value = if header == "Authorization" { "Bearer ${CRM_TOKEN}" } else { "${CRM_TOKEN}" };
    project.configure("crm", json!({"type": "http", "url": server.url(), "headers": {header: value}}));
    (project, server)
}

fn with_token(run: Run<'_>) -> crate::common::Finished {
    run.env("CRM_TOKEN", TOKEN).finish()
}

/// The list is answered like this at first, `times` times, then as always.
fn at_first(response: &Value, times: usize) -> Value {
    let rule = |nth| json!({"method": "tools/list", "nth": nth, "per": "process", "do": [{"http": response}]});
    with(clean_but(Value::Array((1..=times).map(rule).collect())), "log", json!("crm.log"))
}

#[test]
fn json_and_event_answers_are_the_same_listing() {
    let served = Served::new(Over::Http, &with(clean(), "http", json!({"answer": "json"})));
    served.pin();
    let lockfile = served.lockfile();
    for http in [
        json!({"answer": "sse"}),
        json!({"answer": "sse", "prime": true}),
        json!({"answer": "sse", "split": true, "keepalive": "keepalive"}),
        json!({"answer": "sse", "leave_open": true}),
        json!({"answer": "sse", "chunked": false}),
        json!({"session": false}),
        json!({"session": false, "answer": "sse"}),
        json!({"get": "stream"}),
        json!({"get": 404}),
        json!({"get": 406}),
        json!({"get": 400}),
        json!({"get": 500}),
        json!({"accepted": 200}),
        json!({"accepted": 204}),
        json!({"accepted": 400}),
        json!({"delete": 405}),
        json!({"delete": 500}),
        json!({"headers": {"content-type": "application/json; charset=utf-8"}}),
        json!({"headers": {"content-type": "Application/JSON"}}),
        json!({"headers": {"content-encoding": "Identity"}}),
    ] {
        served.turn_into(&with(clean(), "http", http.clone()));
        let finished = served.check();
        assert_eq!(finished.status, 0, "{http}: {finished:?}");
        expect_in_sync(&finished, &["1 tool"]);
        assert!(finished.took < Duration::from_secs(4), "{http}: {:?}", finished.took);
    }
    served.pin();
    assert_eq!(served.lockfile(), lockfile);
}

#[test]
fn both_types_are_accepted_and_the_session_is_given_back_and_ended() {
    let served = Served::pinned(Over::Http, &with(clean(), "log", json!("crm.log")));
    expect_in_sync(&served.check(), &[]);
    let log = served.log("crm.log");
    let posts: Vec<&Value> = log.iter().filter(|entry| entry["method"] == "POST").collect();
    for post in &posts {
        let accept = post["headers"]["accept"].as_str().unwrap_or_default();
        assert!(accept.contains("application/json") && accept.contains("text/event-stream"), "{post}");
        let first = post["message"]["method"] == "initialize";
        assert_eq!(post["headers"]["mcp-session-id"].is_null(), first, "{post}");
        assert!(first || post["headers"]["mcp-protocol-version"] == "2025-11-25", "{post}");
    }
    let session = &posts.last().expect("a list")["headers"]["mcp-session-id"];
    let ended = log.iter().find(|entry| entry["method"] == "DELETE").expect("the session is ended");
    assert_eq!(&ended["headers"]["mcp-session-id"], session);
}

#[test]
fn a_missing_authorisation_ends_at_once_and_says_what_to_set() {
    for status in [401, 403] {
        for method in ["initialize", "tools/list", "http-post"] {
            let response = json!({"status": status, "headers": {"www-authenticate": "Bearer"}, "body": "<login>"});
            let finished = check(Over::Http, &clean_but(json!([{"method": method, "do": [{"http": response}]}])), &[]);
            expect_not_checked(
                &finished,
                &[
                    "authentication required",
                    &format!("HTTP {status}"),
                    "\"headers\"",
                    "${TOKEN}",
                    "never opens a browser",
                ],
            );
            assert!(finished.took < Duration::from_secs(3), "{:?}", finished.took);
        }
    }
}

#[test]
fn a_configured_header_is_sent_with_every_request() {
    let mut script = with(clean(), "log", json!("crm.log"));
    script["http"] = json!({"require_header": {"authorization": format!("Bearer {TOKEN}")}, "get": "stream"});
    let (project, _server) = with_header("Authorization", &script);
    with_token(project.run(&["pin", "--yes"])).expect_status(0).expect_nowhere(&[TOKEN]);
    assert!(!project.lockfile().contains(TOKEN));
    with_token(project.run(&["check"])).expect_status(0).expect_nowhere(&[TOKEN]);
    for entry in project.log("crm.log").iter().filter(|entry| entry["event"] == "http") {
        assert_eq!(entry["headers"]["authorization"], format!("Bearer {TOKEN}"), "{entry}");
    }
}

#[test]
fn a_rejected_header_is_told_without_its_value() {
    for header in ["Authorization", "X-Api-Key"] {
        let (project, _server) = with_header(header, &clean());
        with_token(project.run(&["pin", "--yes"])).expect_status(0);
        for status in [401, 403] {
            let body = json!({"error": format!("bad credentials $HEADER:{}", header.to_lowercase())}).to_string();
            let response = json!({"status": status, "headers": {"content-type": "application/json"}, "body": body});
            project.script(
                "crm",
                &with(clean_but(json!([{"method": "http-post", "do": [{"http": response}]}])), "reread", json!(true)),
            );
            let finished = with_token(project.run(&["check"]));
            expect_not_checked(&finished, &["rejected", header, &format!("HTTP {status}")]).expect_nowhere(&[TOKEN]);
            assert!(finished.took < Duration::from_secs(3), "{:?}", finished.took);
        }
    }
}

#[test]
fn an_overloaded_server_is_asked_again() {
    for status in [429, 502, 503, 504] {
        for headers in [json!({"retry-after": "0"}), json!({})] {
            let served = Served::pinned(Over::Http, &at_first(&json!({"status": status, "headers": headers}), 1));
            let finished = served.check();
            expect_in_sync(&finished, &["1 tool"]);
            assert!(finished.took < Duration::from_secs(4), "{status}: {:?}", finished.took);
        }
    }
}

#[test]
fn a_server_may_ask_for_patience() {
    let response = json!({"status": 429, "headers": {"retry-after": "1"}});
    let finished = check(Over::Http, &at_first(&response, 1), &[]);
    expect_in_sync(&finished, &["1 tool"]);
    assert!(finished.took >= Duration::from_secs(1), "{:?}", finished.took);
}

#[test]
fn a_server_that_stays_overloaded_is_given_up_after_a_few_attempts() {
    let served = Served::pinned(Over::Http, &at_first(&json!({"status": 503, "body": "we are sorry"}), 100));
    let finished = served.check();
    expect_not_checked(&finished, &["HTTP 503", "we are sorry", "try again later"]);
    assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    let lists = served.methods("crm.log").iter().filter(|&method| method == "tools/list").count();
    assert!((2..=6).contains(&lists), "{lists} attempts");
}

#[test]
fn too_much_patience_is_bounded_by_the_limits() {
    let response = json!({"status": 429, "headers": {"retry-after": "86400"}});
    let finished = check(Over::Http, &at_first(&response, 100), &["--request-timeout", "1"]);
    expect_not_checked(&finished, &["no answer within 1 s", "--request-timeout"]);
    assert!(finished.took < Duration::from_secs(5), "{:?}", finished.took);
}

#[test]
fn other_failures_end_at_once_with_what_the_server_said() {
    for status in [400, 405, 406, 410, 418, 500, 501] {
        let response =
            json!({"status": status, "body": "the reason\nin two lines", "headers": {"content-type": "text/plain"}});
        let served = Served::pinned(Over::Http, &at_first(&response, 100));
        let lockfile = served.lockfile();
        let finished = served.check();
        expect_not_checked(&finished, &[&format!("HTTP {status}"), "the reason", "in two lines"]);
        assert!(finished.took < Duration::from_secs(3), "{status}: {:?}", finished.took);
        served.run(&["pin"]).finish().expect_status(2).expect_stdout(&["nothing was written"]);
        assert_eq!(served.lockfile(), lockfile);
    }
}

#[test]
fn an_address_that_is_no_endpoint_is_told() {
    for status in [404, 405] {
        let rules = json!([{"method": "http-post", "do": [{"http": {"status": status}}]}]);
        let finished = check(Over::Http, &clean_but(rules), &[]);
        expect_not_checked(
            &finished,
            &[&format!("HTTP {status}"), "Streamable HTTP endpoint", "HTTP+SSE transport isn't supported"],
        );
        assert!(finished.took < Duration::from_secs(3), "{:?}", finished.took);
    }
}

#[test]
fn a_json_rpc_error_with_another_status_is_told_as_what_it_is() {
    let body = json!({"jsonrpc": "2.0", "id": "$ID", "error": {"code": -32603, "message": "database is down"}});
    for status in [400, 404, 500] {
        let rules = json!([{"method": "tools/list", "do": [{"http": {"status": status, "json": body}}]}]);
        let script = with(clean_but(rules), "http", json!({"session": false}));
        let finished = check(Over::Http, &script, &[]);
        expect_not_checked(&finished, &["-32603", "database is down"]);
    }
}

#[test]
fn a_web_page_is_no_answer() {
    for method in ["initialize", "tools/list"] {
        for headers in [json!({"content-type": "text/html"}), json!({})] {
            let response = json!({"status": 200, "headers": headers, "body": "<html>Please sign in</html>"});
            let rules = json!([{"method": method, "do": [{"http": response}]}]);
            let finished = check(Over::Http, &clean_but(rules), &[]);
            expect_not_checked(&finished, &["instead of JSON or an event stream", "not of a web page or a login"]);
            assert!(finished.took < Duration::from_secs(3), "{:?}", finished.took);
        }
    }
}

#[test]
fn an_empty_or_foreign_body_is_no_answer() {
    for body in
        ["", "null", "[]", "{}", "<html>", "{\"jsonrpc\":\"2.0\"", r#"{"jsonrpc":"2.0","id":99,"result":{"tools":[]}}"#]
    {
        let response = json!({"status": 200, "headers": {"content-type": "application/json"}, "body": body});
        let rules = json!([{"method": "tools/list", "do": [{"http": response}]}]);
        let finished = check(Over::Http, &clean_but(rules), &[]);
        expect_not_checked(&finished, &["answer"]);
        assert!(finished.took < Duration::from_secs(3), "{body}: {:?}", finished.took);
    }
}

#[test]
fn an_accepted_request_without_an_answer_is_told_at_once() {
    for (status, words) in [(202, "HTTP 202 Accepted"), (204, "HTTP 204 No Content")] {
        for headers in [json!({}), json!({"content-type": "application/json"})] {
            for method in ["initialize", "tools/list"] {
                let response = json!({"status": status, "headers": headers});
                let rules = json!([{"method": method, "do": [{"http": response}]}]);
                let finished = check(Over::Http, &clean_but(rules), &[]);
                expect_not_checked(&finished, &[words, "without an answer to the request"]);
                assert!(finished.took < Duration::from_secs(4), "{:?}", finished.took);
            }
        }
    }
}

#[test]
fn an_accepted_request_with_an_answer_is_answered() {
    let answer = json!({"jsonrpc": "2.0", "id": "$ID", "result": {"tools": [clean_tool()]}});
    let event =
        json!({"http_head": {"status": 202, "headers": {"content-type": "text/event-stream"}, "chunked": true}});
    for actions in [
        json!([{"http": {"status": 202, "headers": {"content-type": "application/json"}, "json": answer}}]),
        json!([event, {"send": "data: $ANSWER\n\n"}]),
    ] {
        let rules = json!([{"method": "tools/list", "do": actions}]);
        expect_in_sync(&check(Over::Http, &clean_but(rules), &["--request-timeout", "3"]), &["1 tool"]);
    }
}

#[test]
fn a_wrong_length_is_no_answer() {
    for length in [20, 5_000] {
        let body = json!({"jsonrpc": "2.0", "id": "$ID", "result": {"tools": [clean_tool()]}});
        let headers = json!({"content-type": "application/json", "content-length": length, "connection": "close"});
        let actions = json!([{"http": {"status": 200, "headers": headers, "json": body}}, {"drop": true}]);
        let finished = check(Over::Http, &clean_but(json!([{"method": "tools/list", "do": actions}])), &[]);
        expect_not_checked(&finished, &["answer"]);
        assert!(finished.took < Duration::from_secs(4), "{length}: {:?}", finished.took);
    }
}

#[test]
fn what_is_no_http_is_told() {
    let rules = json!([{"method": "tools/list", "do": [{"send": "SSH-2.0-OpenSSH_9.6\r\n"}, {"drop": true}]}]);
    let finished = check(Over::Http, &clean_but(rules), &[]);
    expect_not_checked(&finished, &["contacting the server"]);
}

#[test]
fn a_server_that_does_not_listen_is_told() {
    let mut project = Project::new();
    let server = project.http_server("crm", &clean());
    project.pin();
    let lockfile = project.lockfile();
    drop(server);
    let finished = project.check();
    expect_not_checked(&finished, &["contacting the server", "refused", "make sure that the server runs"]);
    assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    project.run(&["pin"]).finish().expect_status(2);
    assert_eq!(project.lockfile(), lockfile);
}

#[test]
fn a_host_that_does_not_exist_is_told() {
    let mut project = Project::new();
    project.configure("crm", json!({"type": "http", "url": "http://no-such-host.invalid/mcp"}));
    let finished = project.run(&["pin", "--yes", "--start-timeout", "8"]).finish();
    finished.expect_status(2).expect_stdout(&["could not check `crm`"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn an_address_that_is_none_is_told() {
    for url in ["not a url", "ftp://127.0.0.1/mcp", "http://", "127.0.0.1:80/mcp"] {
        let mut project = Project::new();
        project.configure("crm", json!({"type": "http", "url": url}));
        let finished = project.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_told(&["url"]);
        assert!(!project.exists("mcp-tools.lock"), "{url}");
    }
}

#[test]
fn a_port_that_is_none_is_told() {
    let mut project = Project::new();
    project.configure("crm", json!({"type": "http", "url": "http://127.0.0.1:99999/mcp"}));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_told(&["\"url\" isn't an http or https address: invalid port number"]);
}

#[test]
fn a_proxy_that_cannot_be_used_is_told_by_its_variable_and_without_its_credentials() {
    let mut project = Project::new();
    project.configure("crm", json!({"type": "http", "url": "http://127.0.0.1:9/mcp"}));
    for proxy in ["http://[bad", "ftp://user:pa55w0rd-of-it@127.0.0.1:9", "socks5://user:pa55w0rd-of-it@127.0.0.1:9"] {
        for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
            let finished = project.run(&["pin", "--yes"]).env(variable, proxy).finish();
            finished
                .expect_status(2)
                .expect_stdout(&[
                    &format!("{variable} holds no address of a proxy that can be used"),
                    &format!("help: correct {variable}"),
                ])
                .expect_nowhere(&["pa55w0rd"]);
        }
    }
}

#[test]
fn a_proxy_is_used_unless_the_host_is_exempt() {
    let mut project = Project::new();
    let script =
        with(with(clean(), "http", json!({"paths": ["http://crm.invalid/mcp", "/mcp"]})), "log", json!("crm.log"));
    let server = project.http_server("crm", &script);
    project.configure("crm", json!({"type": "http", "url": "http://crm.invalid/mcp"}));
    let proxy = format!("http://127.0.0.1:{}", server.port());
    let run = |arguments: &[&str]| project.run(arguments).env("HTTP_PROXY", &proxy).env("http_proxy", &proxy).finish();
    run(&["pin", "--yes"]).expect_status(0);
    expect_in_sync(&run(&["check"]), &["1 tool"]);
    let mut direct = Project::new();
    let server = direct.http_server("crm", &clean());
    let nowhere = "http://127.0.0.1:9";
    let exempt = direct.run(&["pin", "--yes"]).env("http_proxy", nowhere).env("no_proxy", "127.0.0.1").finish();
    exempt.expect_status(0);
    drop(server);
}
