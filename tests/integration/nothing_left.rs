//! No process of a server, nor any that it started, outlives a run, however the run ends (Linux).
#![cfg(target_os = "linux")]

use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Project, eventually, listing, lives, scripted_server, tool};
use crate::served::{Over, Served, clean, clean_but, with};

/// A server that writes its process id where its log is.
fn server_process(project: &Project) -> u32 {
    let log = project.log("crm.log");
    let id = log.iter().rev().find(|entry| entry["event"] == "start").expect("a start")["pid"].as_u64();
    u32::try_from(id.expect("a process id")).expect("a process id")
}

#[track_caller]
fn expect_gone(process_id: u32) {
    let deadline = Instant::now() + Duration::from_millis(300);
    while lives(process_id) {
        assert!(Instant::now() < deadline, "process {process_id} is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A pinned server with a log that does this.
fn served(rules: Value) -> Served {
    Served::pinned(Over::Stdio, &with(clean_but(rules), "log", json!("crm.log")))
}

/// A child that outlives end of input and SIGTERM.
fn spawn(setsid: bool, inherit: bool) -> Value {
    json!({"spawn": {"pid_file": "child.pid", "seconds": 100, "setsid": setsid, "inherit": inherit}})
}

#[test]
fn a_server_is_gone_after_success_failure_and_time_out() {
    for (rules, status) in [
        (json!([]), 0),
        (json!([{"method": "tools/list", "do": [{"reply": {"tools": 7}}]}]), 2),
        (json!([{"method": "initialize", "do": [{"error": {"code": 1, "message": "no"}}]}]), 2),
        (json!([{"method": "tools/list", "do": [{"hang": true}]}]), 2),
        (json!([{"method": "initialize", "do": [{"hang": true}]}]), 2),
    ] {
        let served = served(rules);
        let finished = served.check_with(&["--request-timeout", "0.5", "--start-timeout", "0.5"]);
        finished.expect_status(status);
        expect_gone(server_process(&served));
    }
}

#[test]
fn a_server_that_ignores_everything_but_a_kill_is_gone_in_time() {
    let mut script = with(clean_but(json!([{"method": "eof", "do": [{"hang": true}]}])), "log", json!("crm.log"));
    script["ignore_sigterm"] = json!(true);
    let served = Served::pinned(Over::Stdio, &script);
    let finished = served.check();
    finished.expect_status(0);
    assert!(finished.took > Duration::from_secs(3) && finished.took < Duration::from_secs(7), "{:?}", finished.took);
    expect_gone(server_process(&served));
}

#[test]
fn a_server_that_cleans_up_at_the_end_of_its_input_gets_the_time() {
    let rules = json!([{"method": "eof", "do": [{"sleep_ms": 900}, {"touch": "cleaned-up"}]}]);
    let served = served(rules);
    served.check().expect_status(0);
    assert!(served.exists("cleaned-up"));
    let mut with_failure = json!([{"method": "tools/list", "do": [{"reply": {"tools": 7}}]}]);
    with_failure
        .as_array_mut()
        .expect("rules")
        .push(json!({"method": "eof", "do": [{"sleep_ms": 900}, {"touch": "too"}]}));
    let served = self::served(with_failure);
    served.check().expect_status(2);
    assert!(served.exists("too"));
}

#[test]
fn children_are_gone_whether_they_left_the_group_or_not() {
    for setsid in [false, true] {
        for inherit in [false, true] {
            let served = served(json!([{"method": "initialize", "do": [spawn(setsid, inherit), {"answer": true}]}]));
            let finished = served.check();
            finished.expect_status(0).expect_stdout(&["in sync: `crm`"]).expect_stderr(&[]);
            assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
            expect_gone(served.process_id("child.pid"));
            expect_gone(server_process(&served));
        }
    }
}

#[test]
fn children_are_gone_after_a_failure() {
    for setsid in [false, true] {
        let served = served(json!([{"method": "start", "do": [spawn(setsid, true), {"exit": 1}]}]));
        let finished = served.check();
        finished.expect_status(2);
        assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
        expect_gone(served.process_id("child.pid"));
    }
}

#[test]
fn children_are_gone_after_a_time_out() {
    for setsid in [false, true] {
        let served = served(json!([{"method": "tools/list", "do": [spawn(setsid, true), {"hang": true}]}]));
        let finished = served.check_with(&["--request-timeout", "1"]);
        finished.expect_status(2);
        assert!(finished.took < Duration::from_secs(10), "{:?}", finished.took);
        expect_gone(served.process_id("child.pid"));
        expect_gone(server_process(&served));
    }
}

#[test]
fn a_server_behind_a_shell_is_gone() {
    for line in [
        "exec 3<&0; \"$0\" crm.json <&3 & wait",
        "\"$0\" crm.json; true",
        "exec \"$0\" crm.json",
        "sleep 97 & \"$0\" crm.json",
    ] {
        let mut project = Project::new();
        let hanging = clean_but(json!([{"method": "eof", "do": [{"hang": true}]}]));
        project.script("crm", &with(hanging, "log", json!("crm.log")));
        project.configure("crm", json!({"command": "sh", "args": ["-c", line, scripted_server()]}));
        let finished = project.run(&["pin", "--yes"]).finish();
        finished.expect_status(0);
        expect_gone(server_process(&project));
    }
}

/// Starts a check, waits until the server is in the middle of it, sends a signal, and gives the run's end.
fn interrupted(served: &Served, arguments: &[&str], signal: &str) -> (i32, String, Duration) {
    let child = served.run(arguments).command().spawn().expect("started");
    eventually("the server is asked", || served.exists("asked"));
    let sent = Instant::now();
    send(&child, signal);
    let output = child.wait_with_output().expect("ended");
    let stdout = String::from_utf8(output.stdout).expect("text");
    (output.status.code().unwrap_or(-1), stdout, sent.elapsed())
}

fn send(child: &Child, signal: &str) {
    let status = std::process::Command::new("sh")
        .args(["-c", "kill -s \"$0\" \"$1\"", signal, &child.id().to_string()])
        .status()
        .expect("sent");
    assert!(status.success());
}

#[test]
fn an_interrupted_check_ends_soon_and_leaves_nothing() {
    for signal in ["INT", "TERM", "HUP"] {
        let served =
            served(json!([{"method": "tools/list", "do": [spawn(false, true), {"touch": "asked"}, {"hang": true}]}]));
        let (status, stdout, took) = interrupted(&served, &["check"], signal);
        assert_eq!(status, 2, "{signal}: {stdout}");
        assert!(stdout.contains("could not check `crm`") && stdout.contains("interrupted"), "{stdout}");
        assert!(took < Duration::from_secs(7), "{signal}: {took:?}");
        expect_gone(server_process(&served));
        expect_gone(served.process_id("child.pid"));
    }
}

#[test]
fn an_interrupted_start_ends_soon_and_leaves_nothing() {
    let served = served(json!([{"method": "initialize", "do": [{"touch": "asked"}, {"hang": true}]}]));
    let (status, stdout, took) = interrupted(&served, &["check"], "INT");
    assert_eq!(status, 2, "{stdout}");
    assert!(took < Duration::from_secs(7), "{took:?}");
    expect_gone(server_process(&served));
}

#[test]
fn an_interrupted_pin_writes_nothing() {
    for over in Over::BOTH {
        let rules = json!([{"method": "tools/list", "nth": 2, "do": [{"touch": "asked"}, {"sleep_ms": 20000}]}]);
        let served = Served::new(over, &clean_but(rules));
        let (status, stdout, took) = interrupted(&served, &["pin", "--yes"], "TERM");
        assert_eq!(status, 2, "{stdout}");
        assert!(took < Duration::from_secs(7), "{took:?}");
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn an_interrupt_while_an_empty_list_settles_ends_soon() {
    let rules = json!([{"method": "tools/list", "nth": 4, "do": [{"touch": "asked"}, {"answer": true}]}]);
    let served = Served::pinned(Over::Stdio, &with(with(listing(&[]), "on", rules), "log", json!("crm.log")));
    let (status, stdout, took) = interrupted(&served, &["check"], "INT");
    assert_eq!(status, 2, "{stdout}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn the_limit_of_a_server_holds_while_an_empty_list_settles() {
    let served = Served::pinned(Over::Stdio, &listing(&[]));
    let finished = served.check_with(&["--server-timeout", "1"]);
    finished.expect_status(2).expect_stdout(&["--server-timeout"]);
    assert!(finished.took < Duration::from_secs(3), "{:?}", finished.took);
}

#[test]
fn an_interrupted_check_of_many_servers_leaves_nothing_of_any() {
    let mut project = Project::new();
    for name in ["a", "b", "c"] {
        project.server(name, &listing(&[tool("t", "T.")]));
    }
    project.pin();
    for name in ["a", "b", "c"] {
        let child =
            json!({"spawn": {"pid_file": format!("{name}.pid"), "seconds": 100, "setsid": true, "inherit": true}});
        let rules =
            json!([{"method": "tools/list", "do": [child, {"touch": format!("{name}.asked")}, {"hang": true}]}]);
        project.script(name, &clean_but(rules));
    }
    let child = project.run(&["check"]).command().spawn().expect("started");
    eventually("all are asked", || ["a", "b", "c"].iter().all(|name| project.exists(&format!("{name}.asked"))));
    send(&child, "INT");
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(2));
    for name in ["a", "b", "c"] {
        expect_gone(project.process_id(&format!("{name}.pid")));
    }
}

#[test]
fn a_killed_run_takes_its_servers_along() {
    let served = served(json!([{"method": "tools/list", "do": [{"touch": "asked"}, {"hang": true}]}]));
    let (status, _, _) = interrupted(&served, &["check"], "KILL");
    assert_eq!(status, -1);
    expect_gone(server_process(&served));
}

#[test]
fn output_that_nobody_reads_ends_quietly() {
    let served = Served::pinned(Over::Stdio, &clean());
    let mut child = served.run(&["check"]).command().spawn().expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert_ne!(output.status.code(), Some(101));
}

#[test]
fn a_child_that_holds_the_pipes_does_not_keep_a_pipeline_waiting() {
    let served = served(json!([{"method": "initialize", "do": [spawn(true, true), {"answer": true}]}]));
    let started = Instant::now();
    let command = format!("'{}' check 2>&1 | tail -1", crate::common::MCP_PIN);
    let mut shell = served.run(&[]).command();
    let path = shell.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).map(ToOwned::to_owned);
    shell = std::process::Command::new("sh");
    shell.args(["-c", &command]).current_dir(served.path(""));
    shell.env_clear().envs(path.map(|path| ("PATH", path)));
    let output = shell.output().expect("ended");
    assert!(String::from_utf8_lossy(&output.stdout).contains("check: 1 server in sync"), "{output:?}");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    expect_gone(served.process_id("child.pid"));
}
