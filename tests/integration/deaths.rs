//! Servers that can't be started, or die before, in or after an answer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, tool};
use crate::served::{Over, Served, check, clean, clean_but, expect_in_sync, expect_not_checked};

/// A death is noticed at once, not when a limit strikes.
#[track_caller]
fn expect_at_once(finished: &Finished) {
    assert!(finished.took < Duration::from_millis(3500), "{:?}", finished.took);
}

/// The first run of a server with this entry, which must fail and write nothing.
fn refused_pin(entry: Value) -> Finished {
    let mut project = Project::new();
    project.configure("crm", entry);
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["error: could not check `crm`: starting the server", "help: "]);
    assert!(!project.exists("mcp-tools.lock"));
    finished
}

#[test]
fn a_server_that_dies_at_its_start_is_told_with_its_status_and_its_standard_error() {
    let rules = json!([{"method": "start", "do": [{"stderr": "missing API key\nset CRM_KEY\n"}, {"exit": 3}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &[]);
    expect_not_checked(
        &finished,
        &[
            "the server ended before it answered (exit status: 3)",
            "its standard error ends with:",
            "  | missing API key",
            "  | set CRM_KEY",
        ],
    );
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn a_first_pin_of_a_server_that_dies_at_its_start_is_told_as_fast() {
    let rules = json!([{"method": "start", "do": [{"stderr": "missing API key"}, {"exit": 3}]}]);
    let served = Served::new(Over::Stdio, &clean_but(rules));
    let finished = served.run(&["pin", "--yes"]).env("CRM_KEY", "unseen-value").finish();
    finished
        .expect_status(2)
        .expect_stdout(&[
            "exit status: 3",
            "missing API key",
            "--pass-env",
            "not passed: CRM_KEY",
            "nothing was written",
        ])
        .expect_nowhere(&["unseen-value"]);
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn only_the_end_of_a_long_standard_error_is_shown() {
    let rules = json!([{"method": "start", "do": [
        {"stderr": "the very beginning\n"}, {"stderr_repeat": {"text": "filler line\n", "times": 2000}},
        {"stderr": "the very end\n"}, {"exit": 1},
    ]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &[]);
    expect_not_checked(&finished, &["the very end"]).expect_nowhere(&["the very beginning"]);
    assert!(finished.stdout.len() < 20_000, "{}", finished.stdout.len());
}

#[test]
fn nothing_of_a_secret_is_left_where_a_long_standard_error_is_cut() {
    const SECRET: &str = "Kp2_Lm9-qR7_tU5-vW3_xY1-zA8_bC6-dE4_fG2-hI0_jK9-lM7_nO5-pQ3_rS1-t";
    // Wherever the cut falls, and whatever takes more room than the value itself.
    let escaped: String = SECRET.bytes().map(|byte| format!("\\u00{byte:02x}")).collect();
    for line in ["$ENV:TOK\n".to_owned(), "$ENV:TOK".to_owned(), "token $ENV:TOK!\n".to_owned(), escaped] {
        let rules = json!([{"method": "start", "do": [{"stderr_repeat": {"text": line, "times": 2000}}, {"exit": 3}]}]);
        let mut project = Project::new();
        project.script("crm", &clean_but(rules));
        let program = crate::common::scripted_server();
        project.configure("crm", json!({"command": program, "args": ["crm.json"], "env": {"TOK": "${TOK}"}}));
        for length in 60..=SECRET.len() {
            let finished = project.run(&["pin", "--yes"]).env("TOK", &SECRET[..length]).finish();
            let parts: Vec<&str> = (0..length - 4).map(|start| &SECRET[start..start + 4]).collect();
            if !line.starts_with('\\') {
                finished.expect_status(2).expect_stdout(&["exit status: 3", "[masked]"]).expect_nowhere(&parts);
            } else if length == SECRET.len() {
                finished.expect_status(2).expect_stdout(&["exit status: 3", "[masked]"]).expect_nowhere(&["u004b"]);
            }
        }
    }
}

#[test]
fn a_server_that_a_signal_kills_is_told_with_the_signal() {
    let rules = json!([{"method": "tools/list", "do": [{"signal": "KILL"}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &[]);
    expect_not_checked(&finished, &["listing tools, page 1: the server ended before it answered (signal: 9"]);
    expect_at_once(&finished);
}

#[test]
fn a_server_that_dies_instead_of_answering_is_noticed_at_every_step() {
    for method in ["initialize", "initialized", "tools/list"] {
        let rules = json!([{"method": method, "do": [{"stderr": "out of luck"}, {"exit": 4}]}]);
        let finished = check(Over::Stdio, &clean_but(rules), &[]);
        expect_not_checked(&finished, &["the server ended before it answered (exit status: 4)", "out of luck"]);
        expect_at_once(&finished);
    }
}

#[test]
fn a_server_that_dies_on_the_second_page_is_not_checked() {
    let mut script = clean_but(json!([{"method": "tools/list", "nth": 2, "do": [{"exit": 0}]}]));
    script["listings"] = json!([[[crate::served::clean_tool()], []]]);
    let finished = check(Over::Stdio, &script, &[]);
    expect_not_checked(&finished, &["listing tools, page 2: the server ended before it answered (exit status: 0)"]);
    expect_at_once(&finished);
}

#[test]
fn a_server_that_dies_in_the_middle_of_an_answer_is_not_checked() {
    for cut in [1, 20, 60, 120] {
        let rules = json!([{"method": "tools/list", "do": [{"answer": {"cut": cut}}, {"exit": 5}]}]);
        let finished = check(Over::Stdio, &clean_but(rules), &[]);
        expect_not_checked(&finished, &["listing tools, page 1", "(exit status: 5)"]);
        expect_at_once(&finished);
    }
    let rules = json!([{"method": "tools/list", "do": [{"answer": {"cut": 60}}, {"exit": 5}]}]);
    expect_not_checked(
        &check(Over::Stdio, &clean_but(rules), &[]),
        &["the server ended in the middle of an answer (exit status: 5)"],
    );
}

#[test]
fn a_whole_answer_without_its_line_end_counts() {
    let rules = json!([{"method": "tools/list", "do": [{"send": "$ANSWER"}, {"exit": 0}]}]);
    expect_in_sync(&check(Over::Stdio, &clean_but(rules), &[]), &["1 tool"]);
}

#[test]
fn a_connection_that_ends_in_the_middle_of_an_answer_is_not_checked() {
    for answer in ["json", "sse"] {
        let rules = json!([{"method": "tools/list", "do": [{"answer": {"cut": 60}}, {"drop": true}]}]);
        let mut script = clean_but(rules);
        script["http"] = json!({"answer": answer});
        let finished = check(Over::Http, &script, &[]);
        expect_not_checked(&finished, &[]);
        assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    }
}

#[test]
fn a_connection_that_ends_before_an_answer_is_not_checked() {
    for method in ["initialize", "tools/list"] {
        let rules = json!([{"method": method, "do": [{"drop": true}]}]);
        let finished = check(Over::Http, &clean_but(rules), &[]);
        expect_not_checked(&finished, &[]);
        assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    }
}

#[test]
fn a_server_that_dies_after_its_last_answer_was_checked() {
    let rules = json!([{"method": "tools/list", "do": [{"answer": true}, {"exit": 1}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &[]);
    expect_in_sync(&finished, &["1 tool"]);
    expect_at_once(&finished);
}

#[test]
fn a_drift_of_a_server_that_dies_before_the_second_reading_is_not_called_fine() {
    let rules = json!([{"method": "tools/list", "do": [{"answer": true}, {"exit": 1}]}]);
    let mut script = listing(&[crate::served::poisoned_tool()]);
    script["on"] = rules;
    let finished = check(Over::Stdio, &script, &[]);
    expect_not_checked(&finished, &["(exit status: 1)"]);
}

#[test]
fn a_server_that_closes_its_output_is_noticed_at_once() {
    for method in ["initialize", "tools/list"] {
        let rules = json!([{"method": method, "do": [{"close_stdout": true}]}]);
        let finished = check(Over::Stdio, &clean_but(rules), &[]);
        expect_not_checked(&finished, &["before it answered"]);
        expect_at_once(&finished);
    }
}

#[test]
fn a_command_that_does_not_exist_is_told() {
    refused_pin(json!({"command": "no-such-program-anywhere"}))
        .expect_stdout(&["command not found: no-such-program-anywhere", "help: install no-such-program-anywhere"]);
    refused_pin(json!({"command": "./bin/missing"})).expect_stdout(&["command not found: ./bin/missing"]);
}

#[test]
fn a_whole_command_line_in_command_is_told_how_to_write_it() {
    let mut project = Project::new();
    project.configure("crm", json!({"command": "npx -y some-server@1.0.0", "args": []}));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished
        .expect_status(2)
        .expect_stderr(&["server \"crm\"", "\"command\": \"npx\", \"args\": [\"-y\", \"some-server@1.0.0\"]"]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
#[cfg(unix)]
fn a_path_with_blanks_is_one_command() {
    let mut project = Project::new();
    project.script("crm", &clean());
    let program = crate::common::scripted_server();
    std::fs::create_dir(project.path("My App")).expect("made");
    std::os::unix::fs::symlink(program, project.path("My App/server")).expect("linked");
    project.configure("crm", json!({"command": "./My App/server", "args": ["crm.json"]}));
    project.pin();
    expect_in_sync(&project.check(), &["1 tool"]);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_not_executable_is_told() {
    let mut project = Project::new();
    project.write("server.sh", "#!/bin/sh\n");
    project.configure("crm", json!({"command": "./server.sh"}));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["starting the server", "./server.sh", "make ./server.sh executable"]);
}

#[test]
fn a_folder_that_does_not_exist_is_told() {
    let program = crate::common::scripted_server();
    refused_pin(json!({"command": program, "args": ["crm.json"], "cwd": "nowhere"})).expect_stdout(&[
        "the folder it is to start in doesn't exist",
        "nowhere",
        "correct \"cwd\"",
    ]);
}

#[test]
fn a_megabyte_on_standard_error_does_not_block_a_server() {
    for line in ["a line of a hundred bytes or so, again and again, as loggers write it\n", "x"] {
        let times = (1 << 20) / line.len();
        let rules = json!([
            {"method": "start", "do": [{"stderr_repeat": {"text": line, "times": times}}]},
            {"method": "tools/list", "do": [{"stderr_repeat": {"text": line, "times": times}}, {"answer": true}]},
        ]);
        let finished = check(Over::Stdio, &clean_but(rules), &[]);
        expect_in_sync(&finished, &["1 tool"]).expect_nowhere(&["again and again", "xxxxx"]);
    }
}

#[test]
fn a_dead_server_is_never_a_server_without_tools() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let lockfile = project.lockfile();
    project.server("crm", &json!({"on": [{"method": "start", "do": [{"exit": 1}]}]}));
    for command in ["check", "pin"] {
        let finished = project.run(&[command]).finish();
        finished.expect_status(2).expect_stdout(&["could not check `crm`"]).expect_nowhere(&["tool-removed"]);
    }
    assert_eq!(project.lockfile(), lockfile);
}
