//! `mcp-pin check --base REV`: a pull request edits everything but what it is compared with.

use serde_json::{Value, json};

use crate::common::{Finished, HttpServer, MCP_PIN, Project, listing, scripted_server, tool};
use crate::repository::{commit, git, initialise};
use crate::told::{failing, finding, marked, server, with};

/// A repository whose one server leaves a mark whenever it is started.
pub(crate) fn stdio() -> Project {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "crm.started"));
    project.write("lib/deep.mjs", "export {}\n");
    project.write("README.md", "# Read me\n");
    project.pin();
    initialise(&project);
    unmark(&project);
    project
}

/// A repository with a server over HTTP, which can say something else without any file that differs.
fn http(before: &str) -> (Project, HttpServer) {
    let mut project = Project::new();
    let server = project.http_server("crm", &with(said(before), json!({ "reread": true })));
    project.pin();
    initialise(&project);
    (project, server)
}

fn said(description: &str) -> Value {
    listing(&[tool("a", description)])
}

/// Gives the server over HTTP another face.
fn say(project: &Project, description: &str) {
    project.script("crm", &with(said(description), json!({ "reread": true })));
}

pub(crate) fn unmark(project: &Project) {
    let _ = std::fs::remove_file(project.path("crm.started"));
}

pub(crate) fn check(project: &Project, more: &[&str]) -> Finished {
    project.run(&[&["check", "--base", "main"], more].concat()).finish()
}

/// What a check against `main` tells programs.
#[track_caller]
pub(crate) fn report(project: &Project, status: i32) -> Value {
    let finished = check(project, &["--format", "json"]);
    finished.expect_status(status).expect_stderr(&[]);
    finished.json()
}

#[test]
fn what_differs_from_nothing_is_in_sync() {
    let project = stdio();
    check(&project, &[])
        .expect_status(0)
        .expect_stderr(&[])
        .expect_stdout(&["in sync: `crm`, 1 tool", "definitions match main:mcp-tools.lock (commit "]);
    assert!(project.exists("crm.started"));
    let head = git(&project, &["rev-parse", "HEAD"]).stdout;
    let sha256 = crate::told::sha256(project.lockfile().as_bytes());
    project.write("mcp-tools.lock", project.lockfile().replace("A.", "B."));
    assert_eq!(check(&project, &["--format", "json"]).status, 2, "a damaged lockfile of the work tree");
    git(&project, &["checkout", "-q", "mcp-tools.lock"]).expect_status(0);
    let told = report(&project, 0);
    assert_eq!(told["base"], json!({ "revision": "main", "commit": head.trim() }));
    assert_eq!((&told["lockfile"], &told["lockfile_sha256"]), (&json!("main:mcp-tools.lock"), &json!(sha256)));
}

#[test]
fn edits_of_lockfile_policy_and_configuration_change_nothing_of_the_comparison() {
    let (mut project, _server) = http("Old.");
    say(&project, "New.");
    project.pin();
    project.write("mcp-pin.toml", "[[rule]]\neffect = \"allow\"\n");
    project.server("late", &said("Late."));
    project.run(&["check", "crm"]).finish().expect_status(0);
    let told = report(&project, 1);
    assert_eq!(
        failing(&told, "crm"),
        ["danger description-changed a /description", "danger policy-loosened /policy/rule"]
    );
    let changed = finding(&told, "crm", "description-changed");
    assert_eq!(
        (&changed["old"], &changed["new"], &changed["proposed"]),
        (&json!("Old."), &json!("New."), &json!(true))
    );
    assert!(finding(&told, "crm", "policy-loosened").get("proposed").is_none());
    assert_eq!(failing(&told, "late"), ["danger server-unpinned"]);
    assert!(finding(&told, "late", "server-unpinned").get("proposed").is_none());
    // It may as well be committed.
    git(&project, &["checkout", "-q", "-b", "change"]).expect_status(0);
    commit(&project);
    assert_eq!(report(&project, 1)["servers"], told["servers"]);
}

#[test]
fn what_the_lockfile_does_not_hold_is_not_proposed() {
    let (project, _server) = http("Old.");
    say(&project, "Proposed.");
    project.pin();
    say(&project, "Said.");
    let told = report(&project, 1);
    let of_crm = server(&told, "crm")["findings"].as_array().expect("findings");
    let values: Vec<(&Value, bool)> =
        of_crm.iter().map(|finding| (&finding["new"], finding.get("proposed").is_some())).collect();
    assert_eq!(values, [(&json!("Said."), false), (&json!("Proposed."), true)]);
    say(&project, "Old.");
    let human = check(&project, &[]);
    human.expect_status(1).expect_stdout(&[
        "danger[description-changed] `crm` tool `a` at /description (proposed)",
        "= note: the lockfile of the work tree says so, and the server doesn't",
        "next: read what differs above; whoever approves the commit approves what is proposed",
    ]);
    human.expect_nowhere(&["mcp-pin pin"]);
}

#[test]
fn what_the_author_must_still_pin_is_told() {
    let (project, _server) = http("Old.");
    say(&project, "New.");
    let finished = check(&project, &[]);
    finished.expect_status(1).expect_nowhere(&["(proposed)"]).expect_stdout(&[
        "check: 1 server, 1 drifted: 1 danger; compared with main:mcp-tools.lock",
        "next: read what differs above\n",
        "next: what isn't proposed and is meant, its author pins: mcp-pin pin crm --expect sha256-",
    ]);
}

#[test]
fn every_format_marks_what_is_proposed() {
    let (project, _server) = http("Old.");
    say(&project, "New.");
    project.pin();
    for (format, mark) in [
        ("human", "at /description (proposed)"),
        ("json", "\"proposed\": true"),
        ("sarif", "\"proposed\": true"),
        ("github", "tool `a` at /description (proposed)::"),
        ("junit", "danger[description-changed] at /description (proposed)"),
        ("markdown", "at `/description` (proposed)"),
    ] {
        let finished = check(&project, &["--format", format]);
        finished.expect_status(1).expect_stdout(&[mark]).expect_stderr(&[]);
        project.run(&["check", "--format", format]).finish().expect_status(0).expect_nowhere(&["proposed"]);
    }
}

#[test]
fn an_ignored_part_is_neither_a_difference_nor_a_proposal() {
    let (project, _server) = http("Day 1.");
    let entry = "[[ignore]]\nserver = \"crm\"\ntool = \"a\"\npattern = 'Day \\d+'\nreason = \"a day\"\n";
    project.write("mcp-pin.toml", entry);
    commit(&project);
    say(&project, "Day 2. More.");
    project.pin();
    say(&project, "Day 3. More.");
    let told = report(&project, 1);
    assert_eq!(failing(&told, "crm"), ["danger description-changed a /description"]);
    assert_eq!(finding(&told, "crm", "description-changed")["proposed"], true);
}

#[test]
fn servers_that_come_and_go_are_told_as_in_a_check() {
    let mut project = stdio();
    project.server("late", &said("Late."));
    project.pin();
    let told = report(&project, 1);
    assert_eq!(failing(&told, "late"), ["danger server-unpinned"]);
    assert_eq!(finding(&told, "late", "server-unpinned")["proposed"], true);
    check(&project, &[]).expect_stdout(&["mcp-pin diff main ./mcp-tools.lock shows what is proposed of a new server"]);
    // Of another launch than the configured one the lockfile says nothing.
    project.configure("late", json!({ "command": "/bin/other" }));
    assert!(finding(&report(&project, 1), "late", "server-unpinned").get("proposed").is_none());

    project.write(".mcp.json", json!({ "mcpServers": { "late": { "command": "/bin/other" } } }).to_string());
    let told = report(&project, 1);
    assert_eq!(failing(&told, "crm"), ["change server-removed"]);
    assert!(finding(&told, "crm", "server-removed").get("proposed").is_none());
    let human = check(&project, &[]);
    human.expect_stdout(&["next: only if a server is gone for good, its author drops it: mcp-pin pin --prune\n"]);
    human.expect_nowhere(&["mcp-pin pin crm"]);
    project.run(&["pin", "--prune", "--dry-run"]).finish();
    project.write("mcp-tools.lock", lockfile_without(&project.lockfile(), "crm"));
    assert_eq!(finding(&report(&project, 1), "crm", "server-removed")["proposed"], true);
}

/// The lockfile without the blocks of its first server.
fn lockfile_without(lockfile: &str, name: &str) -> String {
    let start = lockfile.find(&format!("[[server]]\nname = \"{name}\"")).expect("its block");
    let end = lockfile[start + 1..].find("[[server]]").expect("another block") + start + 1;
    [&lockfile[..start], &lockfile[end..]].concat()
}

#[test]
fn each_way_to_loosen_the_policy_is_told_and_nothing_softens_it() {
    let project = stdio();
    let deny = "[[rule]]\nrules = [\"tool-added\"]\neffect = \"deny\"\n";
    let required = "[server.crm]\nrequired = true\n";
    let before = format!("[[rule]]\neffect = \"warn\"\n{deny}{required}");
    project.write("mcp-pin.toml", &before);
    commit(&project);
    let ignore = "[[ignore]]\nserver = \"crm\"\npointer = \"/instructions\"\nreason = \"\\u001b[2J\"\n";
    for (after, told) in [
        (
            before.replace("warn", "allow"),
            "mcp-pin.toml:1: this entry is new, or milder than before; it is about every",
        ),
        (before.replace(deny, ""), "main:mcp-pin.toml:3: this entry is gone, or milder now"),
        (before.replace(required, ""), "main:mcp-pin.toml:6 requires it, mcp-pin.toml doesn't"),
        (format!("{before}{ignore}"), "mcp-pin.toml:8: this entry is new, and ignores more"),
        (String::new(), "main:mcp-pin.toml:3: this entry is gone"),
    ] {
        project.write("mcp-pin.toml", &after);
        let finished = check(&project, &[]);
        finished
            .expect_status(1)
            .expect_nowhere(&["\u{1b}"])
            .expect_stdout(&["danger[policy-loosened] `crm` at /policy/", told]);
    }
    project.write("mcp-pin.toml", format!("{before}[[rule]]\neffect = \"deny\"\n"));
    check(&project, &[]).expect_status(0).expect_nowhere(&["policy-loosened"]);
    std::fs::remove_file(project.path("mcp-pin.toml")).expect("removed");
    assert_eq!(failing(&report(&project, 1), "crm").len(), 2);
    check(&project, &[]).expect_stdout(&["main:mcp-pin.toml:6 requires it, mcp-pin.toml doesn't"]);
    for wrong in ["[[rules]]\n", "[[rule]]\nrules = [\"policy-loosened\"]\neffect = \"warn\"\n"] {
        project.write("mcp-pin.toml", wrong);
        check(&project, &[]).expect_status(2).expect_stderr(&["reading the policy: mcp-pin.toml:"]);
    }
}

#[test]
fn how_the_work_tree_s_policy_reads_servers_is_told_and_not_done() {
    let script = json!({ "client_faces": { "cursor-vscode": said("For cursor.") } });
    let mut project = Project::new();
    let _server = project.http_server("crm", &with(said("A."), script));
    project.pin();
    initialise(&project);
    project.write("mcp-pin.toml", "[server.crm]\nclient = \"cursor\"\npass_env = [\"REGION\"]\n[server.other]\n");
    let told = report(&project, 1);
    let expected = ["change reading-changed /policy/server/client", "change reading-changed /policy/server/pass_env"];
    assert_eq!(failing(&told, "crm"), expected);
    let words = "the policy says so; it was read as main says";
    assert_eq!(finding(&told, "crm", "reading-changed")["note"], words);
}

#[test]
fn a_baseline_that_there_is_not_is_2_with_help() {
    let project = Project::with_server("crm", &said("A."));
    project.pin();
    check(&project, &[]).expect_status(2).expect_stderr(&["is in no git repository", "help: run it in a checkout"]);
    let lockfile = project.lockfile();
    std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
    initialise(&project);
    project.write("mcp-tools.lock", &lockfile);
    check(&project, &[])
        .expect_status(2)
        .expect_stderr(&["there is no lockfile main:mcp-tools.lock: nothing is approved there"]);
    commit(&project);
    for (words, told) in [
        (&["--base", "nowhere"][..], "\"nowhere\" is no commit of this repository"),
        (&["--base=-p"], "help: name a commit, as in HEAD~1 or refs/remotes/origin/main"),
        (&["--base=main:mcp-tools.lock"], "help: name a commit"),
        (&["--base", "main", "--lockfile", "-"], "both --base and --lockfile - say where the lockfile is"),
        (&["--base", "main", "--lockfile", "../x.lock"], "is no path of this repository"),
        (&["crm", "--base", "main", "--from", "x.json"], "cannot be used with"),
        (&["--run-changed"], "--base <REV>"),
    ] {
        let finished = project.run(&[&["check"], words].concat()).finish();
        finished.expect_status(2).expect_stderr(&[told]);
        assert_eq!(finished.stdout, "", "{words:?}");
    }
    let damaged = lockfile.replace("A.", "B.");
    project.write("mcp-tools.lock", &damaged);
    commit(&project);
    project.write("mcp-tools.lock", &lockfile);
    check(&project, &[]).expect_status(2).expect_stderr(&["main:mcp-tools.lock", "digest"]);
}

#[test]
fn a_baseline_that_has_moved_on_is_told() {
    let project = stdio();
    let words = "next: main may have moved on since the branch began: git merge-base main HEAD names what both share\n";
    project.write("lib/deep.mjs", "export default 1\n");
    check(&project, &[]).expect_status(2).expect_nowhere(&["moved on"]);
    git(&project, &["checkout", "-q", "-b", "change"]).expect_status(0);
    commit(&project);
    check(&project, &[]).expect_status(2).expect_nowhere(&["moved on"]);
    git(&project, &["checkout", "-q", "main"]).expect_status(0);
    project.write("README.md", "# Moved on\n");
    commit(&project);
    git(&project, &["checkout", "-q", "change"]).expect_status(0);
    check(&project, &[]).expect_status(2).expect_stdout(&[words]);
    project.write("mcp-pin.toml", "[[rule]]\neffect = \"allow\"\n");
    check(&project, &["--run-changed"]).expect_status(1).expect_stdout(&["next: read what differs above\n", words]);
}

#[test]
fn a_lockfile_that_is_gone_is_never_fine() {
    let project = stdio();
    std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
    check(&project, &[]).expect_status(2).expect_stdout(&[
        "error: reading the base: the work tree has no lockfile any more, main has one",
        "help: put it back: git checkout main -- :/mcp-tools.lock",
    ]);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_file_is_2() {
    for name in ["mcp-tools.lock", "mcp-pin.toml", ".mcp.json"] {
        let project = stdio();
        if project.exists(name) {
            std::fs::rename(project.path(name), project.path("elsewhere")).expect("moved");
        } else {
            project.write("elsewhere", "");
        }
        std::os::unix::fs::symlink("elsewhere", project.path(name)).expect("a link");
        let finished = check(&project, &[]);
        finished
            .expect_status(2)
            .expect_stderr(&[&format!("{name} is no path of this repository, or leads through a link")]);
        assert!(!project.exists("crm.started"));
    }
}

#[test]
fn a_launch_given_by_hand_is_compared_too() {
    let project = stdio();
    let server = scripted_server();
    let by_hand = ["--", server.to_str().expect("text"), "notes.json"];
    project.script("notes", &said("N."));
    project.run(&[&["pin", "notes", "--yes"], &by_hand[..]].concat()).finish().expect_status(0);
    commit(&project);
    let check = || project.run(&[&["check", "notes", "--base", "main"], &by_hand[..]].concat()).finish();
    check().expect_status(0).expect_stdout(&["in sync: `notes`"]);
    project.script("notes", &said("Other."));
    check().expect_status(2).expect_stdout(&["notes.json, which differs from main"]);
}

#[test]
fn it_works_from_a_folder_below_the_root() {
    let project = Project::new();
    project.script("sub/crm", &marked(said("A."), "crm.started"));
    let entry = json!({ "command": scripted_server(), "args": ["crm.json"] });
    project.write("sub/.mcp.json", json!({ "mcpServers": { "crm": entry } }).to_string());
    project.run(&["-C", "sub", "pin", "--yes"]).finish().expect_status(0);
    initialise(&project);
    let check = || project.run(&["-C", "sub", "check", "--base", "main"]).finish();
    check().expect_status(0).expect_stdout(&["definitions match main:sub/mcp-tools.lock"]);
    // Outside of the project, and yet within reach of its server.
    project.write("shared/x.mjs", "");
    check().expect_status(2).expect_stdout(&["shared/x.mjs"]);
}

#[cfg(unix)]
#[test]
fn a_git_of_the_repository_is_never_run() {
    let project = stdio();
    project.write("git", "#!/bin/sh\ntouch crm.started\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.path("git"), mode).expect("executable");
    for path in [".", "", ".:./bin"] {
        let output = std::process::Command::new(MCP_PIN)
            .args(["check", "--base", "main"])
            .current_dir(project.path(""))
            .env_clear()
            .env("PATH", path)
            .output()
            .expect("started");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("git isn't installed"), "{output:?}");
        assert!(!project.exists("crm.started"));
    }
}
