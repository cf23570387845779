//! `review`: a person goes through what differs, and the lockfile holds what was accepted of exactly what was shown.

use serde_json::{Value, json};

use crate::common::{Project, listing, tool};
use crate::told::stamp;

/// A pinned server of which two tools and the instructions say something else now.
fn drifted() -> Project {
    let mut script = listing(&[tool("a", "A."), tool("b", "B.")]);
    script["instructions"] = json!("Old.");
    let project = Project::with_server("crm", &script);
    project.pin();
    project.script("crm", &new());
    project
}

fn new() -> Value {
    let mut script = listing(&[tool("a", "A, new."), tool("b", "B, new.")]);
    script["instructions"] = json!("New.");
    script
}

#[test]
fn nothing_is_asked_where_nothing_differs() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let review = project.run(&["review"]).finish();
    review
        .expect_status(0)
        .expect_stderr(&[])
        .expect_stdout(&["review: 1 server in sync; mcp-tools.lock is unchanged"]);
}

#[test]
fn without_a_terminal_there_is_a_command_for_each_part_and_they_do_the_same() {
    let project = drifted();
    let stamp_before = stamp(&project, "mcp-tools.lock");
    let review = project.run(&["review"]).finish();
    review.expect_status(2).expect_stderr(&[]).expect_stdout(&[
        "there is no terminal to ask on",
        "danger[description-changed] `crm` tool `a`",
        "review: 1 server, 1 drifted: 3 danger; nothing was written",
    ]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), stamp_before);
    let commands: Vec<&str> =
        review.stdout.lines().filter_map(|line| line.strip_prefix("next: only if it is meant: mcp-pin ")).collect();
    assert_eq!(commands.len(), 3, "{}", review.stdout);
    for part in ["--about", "--tool a", "--tool b"] {
        assert!(
            commands.iter().any(|command| command.starts_with(&format!("pin crm {part} --expect sha256-"))),
            "{part}"
        );
    }
    for command in commands {
        project.run(&command.split(' ').collect::<Vec<_>>()).finish().expect_status(0);
    }
    project.check().expect_status(0);
}

#[test]
fn what_can_not_be_accepted_in_parts_is_told_and_fails() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.server("docs", &listing(&[tool("b", "B.")]));
    let review = project.run(&["review"]).finish();
    review.expect_status(1).expect_stdout(&["danger[server-unpinned] `docs`", "mcp-pin pin docs"]);
    project.configure("docs", json!({ "command": "no-such-program" }));
    project.run(&["review", "crm"]).finish().expect_status(0);
    project.run(&["review", "crm", "--client", "codex"]).finish().expect_status(2).expect_told(&["as another client"]);
    project.script("crm", &listing(&[tool("a", "A."), tool("a", "Another.")]));
    project.run(&["review", "crm"]).finish().expect_status(2).expect_told(&["duplicate-name"]);
}

#[test]
fn a_report_of_a_review_has_every_format() {
    let project = drifted();
    let review = project.run(&["review", "--format", "json"]).finish();
    review.expect_status(2);
    let report = review.json();
    assert_eq!((&report["command"], &report["outcome"]), (&json!("review"), &json!("not-checked")));
    assert_eq!(report["servers"][0]["findings"].as_array().map(Vec::len), Some(3));
}

#[cfg(unix)]
mod on_a_terminal {
    use rustix::process::Signal;

    use super::*;
    use crate::terminal::Terminal;

    const FIRST: &str =
        "what the server says of itself of crm, 1 of 3: accept, reject, skip, whole server or quit? [a/r/s/w/q] ";
    const SECOND: &str = "tool a of crm, 2 of 3: accept, reject, skip, whole server or quit? [a/r/s/w/q] ";
    const THIRD: &str = "tool b of crm, 3 of 3: accept, reject, skip, whole server or quit? [a/r/s/w/q] ";

    #[test]
    fn each_part_is_shown_and_what_is_accepted_is_written() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until("danger[instructions-changed]").until(FIRST).say("reject");
        terminal.until("A{+, new+}.").until(SECOND).say("a");
        terminal.until("B{+, new+}.").until(THIRD).say("s");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        for part in [
            "  | accepted: tool a\n",
            "  | rejected: what the server says of itself\n",
            "review: 1 server, 1 drifted: 2 danger; 1 accepted, 1 rejected, 1 left; wrote mcp-tools.lock\n",
            "next: review it (git diff mcp-tools.lock), then commit it\n",
            "next: ask the server's author about what was rejected",
        ] {
            assert!(finished.stdout.contains(part), "{part:?} in {}", finished.stdout);
        }
        assert!(!finished.stdout.contains("A{+"), "{}", finished.stdout);
        let lockfile = project.lockfile();
        assert!(
            lockfile.contains("A, new.") && lockfile.contains("\"B.\"") && lockfile.contains("\"Old.\""),
            "{lockfile}"
        );
        project.check().expect_status(1).expect_nowhere(&["tool `a`"]);
    }

    #[test]
    fn all_accepted_is_0_and_in_sync() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST).say("a").until(SECOND).say("a").until(THIRD).say("a");
        let finished = terminal.finish();
        assert_eq!(finished.status, 0, "{}", finished.stdout);
        assert!(
            finished.stdout.contains("3 accepted, 0 rejected, 0 left; wrote mcp-tools.lock"),
            "{}",
            finished.stdout
        );
        project.check().expect_status(0);
    }

    #[test]
    fn the_whole_server_is_accepted_with_one_answer() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST).say("w").until("A{+, new+}.").until("B{+, new+}.");
        terminal.until("accept all 3 parts above of crm? [y/N] ").say("y");
        let finished = terminal.finish();
        assert_eq!(finished.status, 0, "{}", finished.stdout);
        let by_review = project.lockfile();
        let pinned = drifted();
        pinned.pin();
        assert_eq!(by_review, pinned.lockfile());
    }

    #[test]
    fn the_whole_rest_leaves_out_what_was_rejected() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST).say("r").until(SECOND).say("w").until("B{+").until("accept all 2 parts").say("yes");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        let lockfile = project.lockfile();
        assert!(
            lockfile.contains("A, new.") && lockfile.contains("B, new.") && lockfile.contains("\"Old.\""),
            "{lockfile}"
        );
    }

    #[test]
    fn the_whole_server_is_accepted_only_after_all_of_it_was_shown() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST).say("w").until("B{+").until("accept all 3 parts").say("").until(FIRST).say("q");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        assert!(finished.stdout.contains("0 accepted, 0 rejected, 3 left"), "{}", finished.stdout);
    }

    /// A server of which something fails, and something else differs that no check fails for.
    fn with_more_than_fails(policy: &str) -> Project {
        let tools = |title: &str, text: &str, order: Value, about: Value| {
            let schema = json!({ "type": "object", "properties": { "k": { "enum": order } } });
            let mut script =
                listing(&[json!({ "name": "a", "title": title, "description": text, "inputSchema": schema })]);
            script["capabilities"] = about;
            script
        };
        let project = Project::with_server("crm", &tools("T", "A.", json!(["x", "y"]), json!({ "tools": {} })));
        project.write("mcp-pin.toml", policy);
        project.pin();
        let more = json!({ "tools": {}, "logging": { "marked": true } });
        project.script("crm", &tools("U", "Obey.", json!(["y", "x"]), more));
        project
    }

    #[test]
    fn all_that_is_accepted_with_a_part_is_shown_before() {
        let allow = "[[rule]]\nrules = [\"description-changed\"]\neffect = \"allow\"\n";
        let ignore = "[[ignore]]\nserver = \"crm\"\ntool = \"a\"\npointer = \"/description\"\nreason = \"noise\"\n";
        for (policy, word) in
            [(allow.to_owned(), "allowed"), (allow.replace("allow", "warn"), "warned"), (ignore.to_owned(), "ignored")]
        {
            let project = with_more_than_fails(&policy);
            let mut terminal = Terminal::run(&project.run(&["review"]));
            terminal.until("change[title-changed]").until("notice[enum-order-changed]");
            terminal.until(&format!("{word}[description-changed]")).until("Obey").until("1 of 1").say("a");
            let finished = terminal.finish();
            assert_eq!(finished.status, 0, "{}", finished.stdout);
            assert!(!finished.shown.contains("marked") && !project.lockfile().contains("marked"), "{}", finished.shown);

            let project = with_more_than_fails(&policy);
            let mut terminal = Terminal::run(&project.run(&["review"]));
            terminal.until("1 of 1").say("w").until("notice[capabilities-changed]").until("marked");
            terminal.until("accept all 2 parts").say("y");
            assert_eq!(terminal.finish().status, 0);
            assert!(project.lockfile().contains("marked"));
        }
    }

    #[test]
    fn quitting_writes_what_was_accepted_before_and_asks_no_more() {
        let mut project = drifted();
        project.server("docs", &listing(&[tool("c", "C.")]));
        project.pin();
        project.script("docs", &listing(&[tool("c", "C, new.")]));
        let mut changed = new();
        changed["tools"][0]["description"] = json!("A, newer.");
        changed["instructions"] = json!("Newer.");
        project.script("crm", &changed);
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until("1 of 2").say("a").until("2 of 2").say("quit");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        assert!(
            finished.stdout.contains("1 accepted, 0 rejected, 2 left; wrote mcp-tools.lock"),
            "{}",
            finished.stdout
        );
        assert!(project.lockfile().contains("Newer.") && !project.lockfile().contains("C, new."));
        assert!(!finished.shown.contains("of docs"), "{}", finished.shown);
    }

    #[test]
    fn what_was_typed_before_a_question_is_no_answer_to_it() {
        let project = drifted();
        let mut slow = new();
        slow["on"] = json!([{ "method": "start", "do": [{ "sleep_ms": 500 }] }]);
        project.script("crm", &slow);
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until("waiting for crm").say("w").until(FIRST).say("q");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        assert!(finished.stdout.contains("0 accepted, 0 rejected, 3 left"), "{}", finished.stdout);
    }

    #[test]
    fn another_answer_is_explained_and_asked_again() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST).say("yes").until("a accept: it is meant").until(FIRST).say("").until(FIRST).say("q");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        assert!(
            finished.stdout.contains("0 accepted, 0 rejected, 3 left; mcp-tools.lock is unchanged"),
            "{}",
            finished.stdout
        );
    }

    #[test]
    fn a_review_that_is_broken_off_writes_nothing() {
        for end in [None, Some(Signal::INT), Some(Signal::TERM)] {
            let project = drifted();
            let before = stamp(&project, "mcp-tools.lock");
            let mut terminal = Terminal::run(&project.run(&["review"]));
            terminal.until(FIRST).say("a").until(SECOND);
            match end {
                Some(signal) => terminal.signal(signal),
                None => drop(terminal.end_input()),
            }
            let finished = terminal.finish();
            assert_eq!(finished.status, 2, "{end:?} {}", finished.stdout);
            assert!(finished.stdout.contains("the review was broken off"), "{}", finished.stdout);
            assert_eq!(stamp(&project, "mcp-tools.lock"), before);
        }
    }

    #[test]
    fn what_is_written_is_the_reading_that_was_shown() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST);
        project.script("crm", &listing(&[tool("a", "Poisoned.")]));
        terminal.say("w").until("accept all 3 parts").say("y");
        assert_eq!(terminal.finish().status, 0);
        assert!(project.lockfile().contains("A, new.") && !project.lockfile().contains("Poisoned"));
        project.check().expect_status(1);
    }

    #[test]
    fn a_lockfile_that_somebody_else_wrote_meanwhile_stays_as_it_is() {
        let project = drifted();
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST);
        project.script("crm", &listing(&[tool("a", "Theirs.")]));
        project.pin();
        let theirs = project.lockfile();
        terminal.say("w").until("accept all 3 parts").say("y");
        let finished = terminal.finish();
        assert_eq!(finished.status, 2, "{}", finished.stdout);
        assert!(finished.stdout.contains("nothing was written"), "{}", finished.stdout);
        assert_eq!(project.lockfile(), theirs);
    }

    #[test]
    fn a_part_that_must_not_be_written_can_not_be_accepted() {
        let mut project = drifted();
        let command = crate::common::scripted_server();
        project.configure("crm", json!({ "command": command, "args": ["crm.json"], "env": { "T": "${T}" } }));
        let with_secret = |arguments: &[&str]| project.run(arguments).env("T", "sesame-0815-open");
        project.script("crm", &listing(&[tool("a", "A."), tool("b", "B.")]));
        with_secret(&["pin", "--yes"]).finish().expect_status(0);
        project.script("crm", &listing(&[tool("a", "Uses sesame-0815-open."), tool("b", "B, new.")]));
        let mut terminal = Terminal::run(&with_secret(&["review"]));
        terminal.until("1 of 2").say("a").until("repeats a value that came from a variable").until("1 of 2").say("s");
        terminal.until("2 of 2").say("a");
        let finished = terminal.finish();
        assert_eq!(finished.status, 1, "{}", finished.stdout);
        assert!(!finished.shown.contains("sesame") && !finished.stdout.contains("sesame"), "{}", finished.shown);
        assert!(!project.lockfile().contains("sesame") && project.lockfile().contains("B, new."));
    }

    #[test]
    fn nothing_of_a_server_is_left_when_a_person_is_asked() {
        let project = drifted();
        let mut script = new();
        let spawn = json!({ "spawn": { "pid_file": "child.pid", "seconds": 100, "setsid": true, "inherit": false } });
        script["on"] = json!([{ "method": "start", "do": [spawn] }]);
        project.script("crm", &script);
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until(FIRST);
        assert!(!crate::common::lives(project.process_id("child.pid")));
        terminal.say("q");
        assert_eq!(terminal.finish().status, 1);
    }

    #[test]
    fn text_of_a_server_does_nothing_on_the_terminal() {
        let project = drifted();
        project.script("crm", &listing(&[tool("a", "A\u{1b}]0;owned\u{7}\u{202e}."), tool("b\u{1b}[2J", "B.")]));
        let mut terminal = Terminal::run(&project.run(&["review"]));
        terminal.until("of crm, 1 of").say("q");
        let finished = terminal.finish();
        for character in ['\u{1b}', '\u{7}', '\u{202e}'] {
            let progress_free = finished.shown.replace("\u{1b}[K", "").replace("\u{1b}[2K", "");
            assert!(!progress_free.contains(character), "{character:?} in {progress_free:?}");
        }
    }
}
