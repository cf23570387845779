//! Servers that stop answering, or answer too slowly: each ends in time, and the message names the limit and its flag.

use std::time::Duration;

use serde_json::json;

use crate::common::{Finished, Project, scripted_server};
use crate::served::{Over, Served, check, clean, clean_but, expect_in_sync, expect_not_checked, with};

const HALF_A_SECOND: [&str; 2] = ["--start-timeout", "0.5"];

/// The run ended about when its limit struck, and had the time to end a server that hangs.
#[track_caller]
fn expect_in_time(finished: &Finished) {
    assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
}

#[test]
fn a_server_that_hangs_before_it_reads_is_given_up() {
    let finished = check(Over::Stdio, &clean_but(json!([{"method": "start", "do": [{"hang": true}]}])), &HALF_A_SECOND);
    expect_not_checked(&finished, &["starting the server: no answer within 0.5 s", "--start-timeout SECONDS"]);
    expect_in_time(&finished);
}

#[test]
fn a_server_that_never_answers_initialize_is_given_up() {
    for over in Over::BOTH {
        let rules = json!([{"method": "initialize", "do": [{"hang": true}]}]);
        let finished = check(over, &clean_but(rules), &HALF_A_SECOND);
        expect_not_checked(&finished, &["starting the server: no answer within 0.5 s", "--start-timeout SECONDS"]);
        expect_in_time(&finished);
    }
}

#[test]
fn a_server_that_hangs_after_the_handshake_is_given_up() {
    let rules = json!([{"method": "initialized", "do": [{"hang": true}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &["--request-timeout", "0.5"]);
    expect_not_checked(
        &finished,
        &["listing tools, page 1: no answer within 0.5 s", "allow more time with --request-timeout SECONDS"],
    );
    expect_in_time(&finished);
}

#[test]
fn a_server_that_never_accepts_the_end_of_the_handshake_over_http_is_given_up() {
    let rules = json!([{"method": "initialized", "do": [{"hang": true}]}]);
    let finished = check(Over::Http, &clean_but(rules), &["--start-timeout", "0.5", "--request-timeout", "0.5"]);
    expect_not_checked(&finished, &["no answer within 0.5 s"]);
    expect_in_time(&finished);
}

#[test]
fn a_server_that_never_answers_the_first_page_is_given_up() {
    for over in Over::BOTH {
        let rules = json!([{"method": "tools/list", "do": [{"hang": true}]}]);
        let finished = check(over, &clean_but(rules), &["--request-timeout", "0.5"]);
        expect_not_checked(
            &finished,
            &["listing tools, page 1: no answer within 0.5 s", "allow more time with --request-timeout SECONDS"],
        );
        expect_in_time(&finished);
    }
}

#[test]
fn a_server_that_never_answers_the_second_page_is_given_up_and_the_first_page_is_not_taken_for_the_list() {
    for over in Over::BOTH {
        let mut script = clean_but(json!([{"method": "tools/list", "nth": 2, "do": [{"hang": true}]}]));
        script = with(script, "listings", json!([[[crate::served::clean_tool()], []]]));
        let finished = check(over, &script, &["--request-timeout", "1"]);
        expect_not_checked(&finished, &["listing tools, page 2: no answer within 1 s", "--request-timeout SECONDS"]);
        expect_in_time(&finished);
    }
}

#[test]
fn many_slow_answers_are_ended_by_the_limit_of_the_whole_server() {
    for over in Over::BOTH {
        let mut script = clean_but(json!([{"method": "tools/list", "do": [{"sleep_ms": 300}, {"answer": true}]}]));
        script["endless"] = json!("new");
        let finished = check(over, &script, &["--server-timeout", "1"]);
        expect_not_checked(&finished, &["no answer within 1 s", "allow more time with --server-timeout SECONDS"]);
        expect_in_time(&finished);
    }
}

#[test]
fn an_answer_of_a_byte_a_second_is_given_up() {
    for over in Over::BOTH {
        let rules = json!([{"method": "tools/list", "do": [{"answer": {"drip_ms": 1000}}]}]);
        let finished = check(over, &clean_but(rules), &["--request-timeout", "0.5"]);
        expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s", "--request-timeout SECONDS"]);
        expect_in_time(&finished);
    }
}

#[test]
fn an_event_of_a_byte_a_second_is_given_up() {
    let rules = json!([{"method": "tools/list", "do": [{"answer": {"drip_ms": 1000}}]}]);
    let script = with(clean_but(rules), "http", json!({"answer": "sse"}));
    let finished = check(Over::Http, &script, &["--request-timeout", "0.5"]);
    expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s", "--request-timeout SECONDS"]);
    expect_in_time(&finished);
}

#[test]
fn a_handshake_of_a_byte_a_second_is_given_up() {
    for over in Over::BOTH {
        let rules = json!([{"method": "initialize", "do": [{"answer": {"drip_ms": 1000}}]}]);
        let finished = check(over, &clean_but(rules), &HALF_A_SECOND);
        expect_not_checked(&finished, &["starting the server: no answer within 0.5 s", "--start-timeout SECONDS"]);
        expect_in_time(&finished);
    }
}

#[test]
fn a_body_that_stalls_is_given_up() {
    let rules = json!([{"method": "tools/list", "do": [
        {"http_head": {"status": 200, "headers": {"content-type": "application/json", "content-length": 500}}},
        {"send": "{\"jsonrpc\":"},
        {"leave_open": true},
    ]}]);
    let finished = check(Over::Http, &clean_but(rules), &["--request-timeout", "0.5"]);
    expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s", "--request-timeout SECONDS"]);
    expect_in_time(&finished);
}

#[test]
fn keepalives_for_ever_are_no_answer() {
    let rules = json!([{"method": "tools/list", "do": [
        {"sse_event": {"comment": "keepalive"}},
        {"drip": {"text": ": keepalive\n\n".repeat(50), "ms": 20}},
    ]}]);
    let finished = check(Over::Http, &clean_but(rules), &["--request-timeout", "0.5"]);
    expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s", "--request-timeout SECONDS"]);
    expect_in_time(&finished);
}

#[test]
fn text_for_ever_on_standard_output_is_no_answer() {
    let rules = json!([{"method": "tools/list", "do": [{"forever": "still working\n"}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &["--request-timeout", "0.5"]);
    expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s", "--request-timeout SECONDS"]);
    expect_in_time(&finished);
}

#[test]
fn notifications_for_ever_are_no_answer() {
    for over in Over::BOTH {
        let one = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
        let mut actions = vec![json!({"notify": "notifications/tools/list_changed"})];
        actions.push(match over {
            Over::Stdio => json!({"forever": format!("{one}\n")}),
            Over::Http => json!({"forever": format!("data: {one}\n\n")}),
        });
        let rules = json!([{"method": "tools/list", "do": actions}]);
        let finished = check(over, &clean_but(rules), &["--request-timeout", "0.5", "--max-listing", "10GiB"]);
        expect_not_checked(&finished, &["listing tools, page 1: no answer within 0.5 s"]);
        expect_in_time(&finished);
    }
}

#[test]
fn a_slow_server_is_read_when_its_limits_allow_it() {
    for over in Over::BOTH {
        let rules = json!([
            {"method": "initialize", "do": [{"sleep_ms": 700}, {"answer": true}]},
            {"method": "tools/list", "do": [{"sleep_ms": 700}, {"answer": true}]},
        ]);
        let served = Served::pinned(over, &clean_but(rules));
        expect_in_sync(&served.check_with(&["--start-timeout", "20", "--request-timeout", "20"]), &[]);
        expect_not_checked(&served.check_with(&HALF_A_SECOND), &["no answer within 0.5 s", "--start-timeout SECONDS"]);
        let by_variable = served.run(&["check"]).env("MCP_PIN_REQUEST_TIMEOUT", "0.5").finish();
        expect_not_checked(&by_variable, &["no answer within 0.5 s", "--request-timeout SECONDS"]);
    }
}

#[test]
fn an_installer_that_asks_on_standard_input_is_given_up_with_a_hint() {
    let mut project = Project::new();
    project.script("crm", &clean_but(json!([{"method": "start", "do": [{"wait_for_line": true}, {"hang": true}]}])));
    let npx = format!("#!/bin/sh\nexec '{}' crm.json\n", scripted_server().display());
    project.write("bin/npx", npx);
    #[cfg(unix)]
    std::fs::set_permissions(project.path("bin/npx"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("made executable");
    project.configure("crm", json!({"command": "bin/npx", "args": ["some-server@1.0.0"]}));
    let finished = project.run(&["pin", "--yes", "--start-timeout", "0.5"]).finish();
    finished.expect_status(2).expect_stdout(&["could not check `crm`", "no answer within 0.5 s", "-y"]);
    assert!(!project.exists("mcp-tools.lock"));
    expect_in_time(&finished);
}

#[test]
fn a_pin_of_a_server_that_hangs_writes_nothing() {
    for over in Over::BOTH {
        let served = Served::new(over, &clean_but(json!([{"method": "tools/list", "nth": 2, "do": [{"hang": true}]}])));
        let finished = served.run(&["pin", "--yes", "--request-timeout", "1"]).finish();
        finished.expect_status(2).expect_stdout(&[
            "could not check `crm`",
            "no answer within 1 s",
            "nothing was written",
        ]);
        assert!(!served.exists("mcp-tools.lock"));
        served.turn_into(&clean());
        served.pin();
    }
}
