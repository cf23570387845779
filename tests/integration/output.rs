//! Reports: the same in every form, what they must say, and how much of it.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::{failing, with};

/// A server with 60 tools of which one parameter changes, one that is in sync, and one that died.
fn mixed() -> Project {
    let mut project = Project::new();
    let tools = |maximum: u32| -> Vec<Value> {
        (0..60)
            .map(|n| {
                let maximum = if n == 41 { maximum } else { 5 };
                let parameters = json!({ "count": { "type": "integer", "maximum": maximum } });
                json!({ "name": format!("t{n:02}"), "inputSchema": { "type": "object", "properties": parameters } })
            })
            .collect()
    };
    project.server("big", &listing(&tools(10)));
    project.server("dead", &listing(&[tool("d", "D.")]));
    project.server("good", &listing(&[tool("g", "G.")]));
    project.pin();
    project.script("big", &listing(&tools(99)));
    project.script(
        "dead",
        &json!({ "on": [{ "method": "start", "do": [{ "stderr": "out of coffee" }, { "exit": 3 }] }] }),
    );
    project
}

#[test]
fn a_report_says_which_file_server_tool_and_field_what_was_and_is_and_what_to_type() {
    let project = mixed();
    let finished = project.check();
    finished.expect_status(1).expect_stderr(&[]).expect_stdout(&[
        "danger[parameter-loosened] `big` tool `t41` at /inputSchema/properties/count/maximum\n  - 10\n  + 99\n",
        "error: could not check `dead`",
        "out of coffee",
        "in sync: `good`, 1 tool",
        "check: 3 servers, 1 in sync, 1 drifted, 1 not checked: 1 danger; compared with mcp-tools.lock\n",
        "mcp-pin pin big",
    ]);
    let reading = finished.stdout.find("next: read what differs").expect("reading comes first");
    let accepting = finished.stdout.find("mcp-pin pin big").expect("then accepting");
    assert!(reading < accepting);
    finished.expect_nowhere(&["`t40`", "`t42`"]);
}

#[test]
fn people_and_programs_are_told_the_same_in_every_mode() {
    let project = mixed();
    let document = project.run(&["check", "--format", "json"]).finish();
    document.expect_status(1).expect_stderr(&[]);
    let report = document.json();
    assert_eq!(failing(&report, "big"), ["danger parameter-loosened t41 /inputSchema/properties/count/maximum"]);
    assert_eq!(report["lockfile"], "mcp-tools.lock");
    let totals = &report["totals"];
    let total = |name: &str| totals[name].as_u64().unwrap_or_else(|| panic!("{name} in {totals}"));
    assert_eq!(["in_sync", "drift", "not_checked", "danger", "change"].map(total), [1, 1, 1, 1, 0]);
    for mode in [&["check", "-q"][..], &["check", "-v"], &["check", "--full"], &["check", "--color", "always"]] {
        let finished = project.run(mode).finish();
        // A verbose run tells how long each server took.
        finished.expect_status(1).expect_stderr(if mode.contains(&"-v") { &[" was read in "] } else { &[] });
        finished.expect_stdout(&[
            "parameter-loosened",
            "t41",
            "could not check",
            "1 in sync, 1 drifted, 1 not checked: 1 danger",
        ]);
    }
    let rule = &report["rules"]["parameter-loosened"];
    assert!(rule["why"].is_string() && rule["todo"].is_string(), "{rule}");
}

#[test]
fn quiet_says_nothing_when_there_is_nothing_to_say() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    for command in [&["check", "-q"][..], &["verify", "--quiet"]] {
        let finished = project.run(command).finish();
        assert_eq!((finished.status, finished.stdout.as_str(), finished.stderr.as_str()), (0, "", ""), "{command:?}");
    }
    project.run(&["check", "-q", "-v"]).finish().expect_status(2);
}

#[test]
fn verbose_tells_every_notice() {
    let project = Project::with_server("crm", &json!({ "tools": [{ "name": "odd" }] }));
    project.pin();
    project.check().expect_status(0).expect_nowhere(&["malformed-member"]);
    project
        .run(&["check", "-v"])
        .finish()
        .expect_status(0)
        .expect_stdout(&["notice[malformed-member] `crm` tool `odd`"]);
}

#[test]
fn colour_comes_when_it_is_asked_for_and_changes_no_word() {
    let project = mixed();
    let plain = project.run(&["check"]).finish();
    plain.expect_nowhere(&["\u{1b}"]);
    let coloured = project.run(&["check", "--color", "always"]).finish();
    assert!(coloured.stdout.contains("\u{1b}["));
    let mut without = String::new();
    for part in coloured.stdout.split("\u{1b}[") {
        without.push_str(if without.is_empty() && coloured.stdout.starts_with(part) {
            part
        } else {
            part.split_once('m').map_or(part, |(_, rest)| rest)
        });
    }
    assert_eq!(without, plain.stdout);
    for (name, value, colour) in [("NO_COLOR", "1", false), ("CLICOLOR_FORCE", "1", true)] {
        let finished = project.run(&["check"]).env(name, value).finish();
        assert_eq!(finished.stdout.contains('\u{1b}'), colour, "{name}");
    }
    let document = project.run(&["check", "--format", "json", "--color", "always"]).finish();
    document.expect_nowhere(&["\u{1b}"]).json();
}

#[test]
fn three_hundred_changed_tools_are_counted_and_not_poured_out() {
    // Each edit is another one: equal ones are told once.
    let tools = |text: &str| -> Vec<Value> {
        (0..300)
            .map(|n| {
                tool(&format!("t{n:03}"), &if text.is_empty() { "Does it.".to_owned() } else { format!("{text}{n}.") })
            })
            .collect()
    };
    let project = Project::with_server("crm", &listing(&tools("")));
    project.pin();
    project.script("crm", &listing(&tools("Will not do ")));
    let finished = project.check();
    finished.expect_status(1).expect_stderr(&[]);
    finished.expect_stdout(&[
        "drift: `crm`, 300 danger",
        "1 drifted: 300 danger",
        "and 250 danger more of `crm`; --full shows all",
    ]);
    assert!(finished.stdout.lines().count() < 400, "{}", finished.stdout.lines().count());
    let first = finished.stdout.lines().next().expect("a line");
    assert!(first.contains("300 danger"), "the count comes first: {first}");
    let full = project.run(&["check", "--full"]).finish();
    full.expect_status(1).expect_stdout(&["`t000`", "`t150`", "`t299`"]).expect_nowhere(&["more of `crm`"]);
    let report = project.run(&["check", "--format", "json"]).finish().json();
    assert_eq!(failing(&report, "crm").len(), 300);
}

#[test]
fn one_edit_of_many_tools_is_told_once_and_counted_in_full() {
    let tools =
        |more: &str| -> Vec<Value> { (0..9).map(|n| tool(&format!("t{n}"), &format!("Does {n}.{more}"))).collect() };
    let project = Project::with_server("crm", &listing(&tools("")));
    project.pin();
    project.script("crm", &listing(&tools(" Copy audit.")));
    let finished = project.check();
    finished
        .expect_status(1)
        .expect_stderr(&[])
        .expect_stdout(&["tool `t0` and 8 more at /description", "1 drifted: 9 danger"]);
    assert_eq!(finished.stdout.matches("danger[").count(), 1);
    let report = project.run(&["check", "--format", "json"]).finish().json();
    assert_eq!(failing(&report, "crm").len(), 9);
}

#[test]
fn a_text_of_200_kilobytes_is_cut_with_a_count_and_a_hint() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Short.")]));
    project.pin();
    let long = "A line that says a little.\n".repeat(8_000);
    project.script("crm", &listing(&[tool("a", &long)]));
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["description-changed", "more", "--full"]).expect_stderr(&[]);
    assert!(finished.stdout.len() < 8_000, "{}", finished.stdout.len());
    let full = project.run(&["check", "--full"]).finish();
    assert!(full.stdout.len() > 200_000);
}

#[test]
fn the_gravest_findings_come_first_and_wording_does_not_bury_them() {
    let of = |text: &str, destructive: bool, n: usize| {
        with(
            tool(&format!("t{n:02}"), "Does."),
            json!({ "title": format!("{text} {n}"), "annotations": { "destructiveHint": destructive } }),
        )
    };
    let tools = |changed: bool| -> Vec<Value> {
        (0..60).map(|n| of(if changed { "New" } else { "Old" }, !(changed && n == 59), n)).collect()
    };
    let project = Project::with_server("crm", &listing(&tools(false)));
    project.pin();
    project.script("crm", &listing(&tools(true)));
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["drift: `crm`, 1 danger, 60 change"]);
    let first = finished.stdout.lines().find(|line| line.contains("[")).expect("a finding");
    assert!(first.starts_with("danger[destructive-hint-changed] `crm` tool `t59`"), "{first}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let tools = |text: &str| -> Vec<Value> {
        (0..300).map(|n| tool(&format!("t{n}"), &format!("{text} {n} {}", "and more ".repeat(60)))).collect()
    };
    let project = Project::with_server("crm", &listing(&tools("Old")));
    project.pin();
    project.script("crm", &listing(&tools("New")));
    for arguments in [&["check", "--full"][..], &["check", "--format", "json"], &["list"]] {
        let mut child = project.run(arguments).command().spawn().expect("started");
        drop(child.stdin.take());
        let mut byte = [0];
        let mut stdout = child.stdout.take().expect("a pipe");
        std::io::Read::read_exact(&mut stdout, &mut byte).expect("a byte");
        drop(stdout);
        let output = child.wait_with_output().expect("ended");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        let expected = if arguments[0] == "list" { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(expected), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_no_panic() {
    let project = mixed();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "\"$0\" check >&-; echo status $?", crate::common::MCP_PIN]).current_dir(project.path(""));
    let output = command.output().expect("ended");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(stdout.contains("status 1") || stdout.contains("status 2"), "{stdout}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pin_whose_report_cannot_be_printed_says_that_the_lockfile_was_written() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let run = |arguments: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("\"$0\" {arguments} >/dev/full"), crate::common::MCP_PIN]);
        let output = command.current_dir(project.path("")).output().expect("ended");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (arguments, told) in [
        ("pin --yes --format json", "a report could not be written; wrote mcp-tools.lock"),
        ("pin --yes", "a report could not be written; mcp-tools.lock is unchanged"),
    ] {
        let (status, stderr) = run(arguments);
        assert_eq!(status, Some(2), "{stderr}");
        assert!(stderr.contains("standard output: No space left") && stderr.contains(told), "{stderr}");
        assert!(project.exists("mcp-tools.lock"));
    }
}
