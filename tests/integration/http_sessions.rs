//! Redirects and lost sessions: where requests may go, and what may be mixed.

use serde_json::{Value, json};

use crate::common::{HttpServer, Project, tool};
use crate::served::{Over, Served, clean, clean_but, clean_tool, expect_in_sync, expect_not_checked, with};

const TOKEN: &str = "tok-5f7e-9a1b-very-secret";

#[test]
fn redirects_to_the_same_origin_are_followed_with_their_headers() {
    for status in [301, 302, 307, 308] {
        for location in ["/mcp/", "http://127.0.0.1:$PORT/mcp/"] {
            let rules = json!([
                {"method": "http-post", "path": "/mcp", "do": [{"http": {"status": status, "headers": {"location": location}}}]},
            ]);
            let mut script = with(clean_but(rules), "log", json!("crm.log"));
            script["http"] = json!({"paths": ["/mcp/"], "require_header": {"x-api-key": TOKEN}});
            let mut project = Project::new();
            let server = project.http_server("crm", &script);
            project.configure("crm", json!({"url": server.url(), "headers": {"X-Api-Key": "${CRM_TOKEN}"}}));
            let run = |arguments: &[&str]| project.run(arguments).env("CRM_TOKEN", TOKEN).finish();
            run(&["pin", "--yes"]).expect_status(0);
            expect_in_sync(&run(&["check"]), &["1 tool"]);
            assert!(project.log("crm.log").iter().any(|entry| entry["path"] == "/mcp/"));
        }
    }
}

/// A server that redirects to another, which records all that reaches it.
fn redirecting(status: u16, method: &str, location: &str) -> (Project, HttpServer, HttpServer) {
    let mut project = Project::new();
    let other = project.unconfigured_http_server("other", &with(clean(), "log", json!("other.log")));
    let location = location.replace("$OTHER", &other.port().to_string());
    let rule = json!({"method": method, "do": [{"http": {"status": status, "headers": {"location": location}}}]});
    let server = project.http_server("crm", &with(clean_but(json!([rule])), "log", json!("crm.log")));
    let headers = json!({"Authorization": "Bearer ${CRM_TOKEN}"});
    project.configure("crm", json!({"url": server.url(), "headers": headers}));
    (project, server, other)
}

#[test]
fn a_redirect_to_another_origin_is_refused_and_nothing_reaches_it() {
    for (status, location) in [
        (301, "http://127.0.0.1:$OTHER/mcp"),
        (302, "http://127.0.0.1:$OTHER/mcp"),
        (303, "http://127.0.0.1:$OTHER/mcp"),
        (307, "http://127.0.0.1:$OTHER/mcp"),
        (308, "http://127.0.0.1:$OTHER/mcp"),
        (307, "http://localhost:$OTHER/mcp"),
        (308, "//127.0.0.1:$OTHER/mcp"),
        (308, "http://user:pw@127.0.0.1:$OTHER/mcp"),
    ] {
        for method in ["http-post", "tools/list"] {
            let (project, _server, other) = redirecting(status, method, location);
            let finished = project.run(&["pin", "--yes"]).env("CRM_TOKEN", TOKEN).finish();
            finished
                .expect_status(2)
                .expect_stdout(&["could not check `crm`", "redirects to another origin", &format!(":{}", other.port())])
                .expect_nowhere(&[TOKEN]);
            assert!(project.log("other.log").is_empty(), "{:?}", project.log("other.log"));
            assert!(!project.exists("mcp-tools.lock"));
        }
    }
}

#[test]
fn a_redirect_to_a_host_that_holds_a_secret_is_told_without_the_host() {
    const SECRET: &str = "Kp2Lm9-qR7tU5-vW3xY1";
    for location in [format!("http://{SECRET}.evil.example/"), "https://x.$HEADER:x-token.evil.example/mcp".to_owned()]
    {
        let (mut project, server, _other) = redirecting(307, "http-post", &location);
        let headers = json!({"Authorization": "Bearer ${CRM_TOKEN}", "X-Token": "${CRM_TOKEN}"});
        project.configure("crm", json!({"url": server.url(), "headers": headers}));
        let finished = project.run(&["pin", "--yes"]).env("CRM_TOKEN", SECRET).finish();
        finished
            .expect_status(2)
            .expect_stdout(&["redirects to another origin", "holds a protected value", "nothing was sent there"])
            .expect_nowhere(&[SECRET, &SECRET.to_lowercase(), "evil.example"]);
    }
}

#[test]
fn a_redirect_of_the_streams_and_of_the_end_of_a_session_is_not_followed_either() {
    for method in ["http-get", "http-delete"] {
        let (project, _server, _other) = redirecting(307, method, "http://127.0.0.1:$OTHER/mcp");
        project.run(&["pin", "--yes"]).env("CRM_TOKEN", TOKEN).finish().expect_status(0);
        assert!(project.log("other.log").is_empty(), "{:?}", project.log("other.log"));
    }
}

#[test]
fn a_redirect_to_another_scheme_is_another_origin() {
    let (project, server, _other) = redirecting(307, "http-post", "https://127.0.0.1:$PORT/mcp");
    let finished = project.run(&["pin", "--yes"]).env("CRM_TOKEN", TOKEN).finish();
    finished.expect_status(2).expect_stdout(&["another origin", &format!("https://127.0.0.1:{}", server.port())]);
    let (project, _server, _other) = redirecting(307, "http-post", "file:///etc/passwd");
    let finished = project.run(&["pin", "--yes"]).env("CRM_TOKEN", TOKEN).finish();
    finished.expect_status(2).expect_stdout(&["could not check `crm`"]).expect_nowhere(&["root:"]);
}

#[test]
fn redirects_in_a_circle_and_without_a_target_end() {
    for (headers, cause) in [
        (json!({"location": "/mcp"}), "redirects"),
        (json!({}), "without a usable location"),
        (json!({"location": "http://["}), "location"),
    ] {
        let rules = json!([{"method": "http-post", "do": [{"http": {"status": 307, "headers": headers}}]}]);
        let served = Served::pinned(Over::Http, &clean_but(rules));
        let finished = served.check();
        expect_not_checked(&finished, &[cause]);
        assert!(finished.took.as_secs() < 4, "{:?}", finished.took);
    }
}

/// The n-th of these requests of the process finds its session forgotten.
fn forgotten_at(method: &str, nth: usize) -> Value {
    let rule = json!({"method": method, "nth": nth, "per": "process", "do": [{"forget_session": true}, {"http": {"status": 404}}]});
    with(clean_but(json!([rule])), "log", json!("crm.log"))
}

fn handshakes(served: &Served) -> usize {
    served.methods("crm.log").iter().filter(|&method| method == "initialize").count()
}

#[test]
fn a_session_that_is_lost_once_is_begun_anew_once() {
    for method in ["tools/list", "initialized"] {
        let served = Served::pinned(Over::Http, &forgotten_at(method, 1));
        expect_in_sync(&served.check(), &["1 tool"]);
        assert_eq!(handshakes(&served), 2, "{method}");
    }
}

#[test]
fn a_session_that_is_always_lost_is_told() {
    let rule = json!({"method": "tools/list", "do": [{"forget_session": true}, {"http": {"status": 404}}]});
    let served = Served::pinned(Over::Http, &with(clean_but(json!([rule])), "log", json!("crm.log")));
    let lockfile = served.lockfile();
    let finished = served.check();
    expect_not_checked(
        &finished,
        &["keeping the session: the server has forgotten the session (HTTP 404)", "replicas"],
    );
    assert_eq!(handshakes(&served), 2);
    served.run(&["pin"]).finish().expect_status(2).expect_stdout(&["forgotten the session"]);
    assert_eq!(served.lockfile(), lockfile);
}

#[test]
fn pages_of_two_sessions_are_never_mixed() {
    let pages = |first: &str| json!({"listings": [[[tool(first, "T.")], [tool("b", "B.")]]], "log": "crm.log"});
    let served = Served::new(Over::Http, &pages("a"));
    served.pin();
    assert_eq!(handshakes(&served), 2);
    // The pin has begun two sessions. The third lists another first page and is lost before the second.
    let mut lost = pages("only-in-the-lost-session");
    let forget = json!([{"forget_session": true}, {"http": {"status": 404}}]);
    lost["on"] = json!([{"method": "tools/list", "nth": 2, "do": forget}]);
    let mut script = pages("a");
    script["faces"] = json!({"3": lost});
    served.turn_into(&script);
    expect_in_sync(&served.check(), &["2 tools"]).expect_nowhere(&["only-in-the-lost-session"]);
    assert_eq!(handshakes(&served), 4);
}

#[test]
fn a_session_that_is_lost_at_the_second_reading_is_begun_anew() {
    let mut script = forgotten_at("tools/list", 2);
    script["tools"] = json!([crate::served::poisoned_tool()]);
    let served = Served::pinned(Over::Http, &script);
    served.check().expect_status(1).expect_stdout(&["description-changed"]).expect_nowhere(&["unstable-listing"]);
}

#[test]
fn a_session_is_ended_after_a_failure_too() {
    for reply in [json!({"tools": 7}), json!({"tools": [crate::served::poisoned_tool()]})] {
        let rules = json!([{"method": "tools/list", "do": [{"reply": reply}]}]);
        let served = Served::pinned(Over::Http, &with(clean_but(rules), "log", json!("crm.log")));
        assert_ne!(served.check().status, 0);
        let log = served.log("crm.log");
        assert_eq!(log.iter().filter(|entry| entry["method"] == "DELETE").count(), 1, "{log:?}");
    }
}

#[test]
fn an_unknown_address_is_no_lost_session() {
    let rules = json!([{"method": "tools/list", "do": [{"http": {"status": 404, "body": "no such page"}}]}]);
    let script = with(with(clean_but(rules), "http", json!({"session": false})), "log", json!("crm.log"));
    let served = Served::pinned(Over::Http, &script);
    expect_not_checked(&served.check(), &["HTTP 404", "no such page"]);
    assert_eq!(handshakes(&served), 1);
}

#[test]
fn a_listing_with_a_token_is_not_that_without_one() {
    let mut script = clean();
    script["http"] = json!({
        "require_header": {"authorization": format!("Bearer {TOKEN}")},
        "anonymous": {"tools": []},
    });
    let mut project = Project::new();
    let server = project.http_server("crm", &script);
    project.configure("crm", json!({"url": server.url(), "headers": {"Authorization": "Bearer ${CRM_TOKEN:-none}"}}));
    project.run(&["pin", "--yes"]).env("CRM_TOKEN", TOKEN).finish().expect_status(0);
    assert_eq!(project.lockfile().matches(&clean_tool()["name"].to_string()).count(), 1);
    project.run(&["check"]).env("CRM_TOKEN", TOKEN).finish().expect_status(0);
    project.check().expect_status(1).expect_stdout(&["tool-removed"]);
}
