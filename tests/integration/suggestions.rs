//! Commands that messages suggest are about the project that was meant: what was typed stands in them.

use serde_json::json;

use crate::common::{Finished, Project, listing, scripted_server, tool};
use crate::repository::initialise;

/// A repository with a pinned project in `my sub`, whose server says something else by now; and another in its root.
fn drifted() -> Project {
    let project = Project::with_server("crm", &listing(&[tool("a", "Other.")]));
    project.pin();
    project.script("my sub/crm", &listing(&[tool("a", "Old.")]));
    let entry = json!({ "command": scripted_server(), "args": ["crm.json"] });
    project.write("my sub/.mcp.json", json!({ "mcpServers": { "crm": entry } }).to_string());
    in_sub(&project, &["pin", "--yes"]).expect_status(0);
    initialise(&project);
    project.script("my sub/crm", &listing(&[tool("a", "New."), tool("b", "New.")]));
    project
}

fn in_sub(project: &Project, words: &[&str]) -> Finished {
    project.run(&[&["-C", "my sub"], words].concat()).finish()
}

/// Runs the command after these words of an output, as a shell takes it.
fn pasted(project: &Project, finished: &Finished, after: &str) -> Finished {
    let told = format!("{}{}", finished.stdout, finished.stderr);
    let line = told.lines().find_map(|line| line.split_once(after)).unwrap_or_else(|| panic!("no {after:?} in {told}"));
    let words: Vec<&str> = line.1.strip_prefix("mcp-pin -C 'my sub' ").expect("the folder").split(' ').collect();
    in_sub(project, &words)
}

#[test]
fn a_check_s_commands_start_where_it_did() {
    let project = drifted();
    let finished = in_sub(&project, &["check"]);
    finished.expect_status(1).expect_stdout(&[
        "git -C 'my sub' log -p mcp-tools.lock",
        "if only some of it is meant: mcp-pin -C 'my sub' review asks part by part",
    ]);
    let root = project.lockfile();
    pasted(&project, &finished, "only if all of it is meant: ").expect_status(0);
    assert_eq!(project.lockfile(), root);
    in_sub(&project, &["check"]).expect_status(0);
    project.write("my sub/.mcp.json", project.read("my sub/.mcp.json").replace("\"crm\"", "\"other\""));
    in_sub(&project, &["check"]).expect_stdout(&["mcp-pin -C 'my sub' pin --prune"]);
    project.write("my sub/mcp-tools.lock", project.lockfile().replace("Other.", "Else."));
    in_sub(&project, &["check"]).expect_stderr(&["`git -C 'my sub' log -p -- mcp-tools.lock`"]);
}

#[test]
fn what_lets_a_server_run_repeats_what_was_typed() {
    let project = drifted();
    let check = ["check", "--base", "main"];
    let finished = in_sub(&project, &check);
    finished.expect_status(2);
    pasted(&project, &finished, "read what differs, then let it run: ").expect_status(1).expect_stdout(&["tool `b`"]);
    std::fs::copy(project.path("my sub/mcp-tools.lock"), project.path("my sub/ci.lock")).expect("copied");
    crate::repository::commit(&project);
    project.script("my sub/crm", &listing(&[tool("c", "New.")]));
    let more = [
        "--lockfile",
        "ci.lock",
        "--config",
        ".mcp.json",
        "--client",
        "cursor",
        "--pass-env",
        "X",
        "--clients",
        "vscode",
    ];
    let told = "then let it run: mcp-pin -C 'my sub' check crm --config .mcp.json --lockfile ci.lock --base main \
                --run-changed --client cursor --pass-env X --clients vscode\n";
    in_sub(&project, &[&check[..], &more].concat()).expect_status(2).expect_stdout(&[told]);
}

#[test]
fn a_launch_given_by_hand_is_suggested_with_what_it_is_compared_with() {
    let project = drifted();
    let server = scripted_server();
    let by_hand = ["--", server.to_str().expect("text"), "notes.json"];
    project.script("my sub/notes", &listing(&[tool("n", "N.")]));
    in_sub(&project, &[&["pin", "notes", "--yes"], &by_hand[..]].concat()).expect_status(0);
    crate::repository::commit(&project);
    let check = ["check", "notes", "--base", "main"];
    let finished = in_sub(&project, &check);
    finished.expect_status(2);
    pasted(&project, &finished, "read this command, then run it: ").expect_status(0);
    project.script("my sub/notes", &listing(&[tool("n", "Else.")]));
    let finished = in_sub(&project, &[&check[..], &by_hand].concat());
    finished.expect_status(2);
    pasted(&project, &finished, "read what differs, then let it run: ").expect_status(1);
    // Without the option nothing is said of a folder.
    project.run(&["check"]).finish().expect_nowhere(&[" -C "]);
}
