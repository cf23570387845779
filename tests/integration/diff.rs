//! `mcp-pin diff`: two lockfiles, by the rules of a check and without any server.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};
use crate::repository::{commit, git, initialise};
use crate::told::{failing, finding, findings, marked, with};

/// A repository with two commits: a tool of the second says something else.
fn changed() -> Project {
    let project = Project::with_server("crm", &listing(&[tool("a", "Old."), tool("b", "Stays.")]));
    project.pin();
    initialise(&project);
    project.script("crm", &listing(&[tool("a", "New."), tool("b", "Stays.")]));
    project.pin();
    commit(&project);
    project
}

#[test]
fn a_commit_of_the_lockfile_is_reviewed_with_the_rules_of_a_check() {
    let project = changed();
    let finished = project.run(&["diff", "HEAD~1", "HEAD"]).finish();
    finished.expect_status(1).expect_stderr(&[]).expect_stdout(&[
        "danger[description-changed] `crm` tool `a` at /description",
        "  - \"{-Old-}.\"",
        "  + \"{+New+}.\"",
        "diff: 1 server, 1 drifted: 1 danger; compared with HEAD~1:mcp-tools.lock",
        "whoever approves HEAD:mcp-tools.lock approves all of it",
    ]);
    project.run(&["diff", "HEAD", "HEAD"]).finish().expect_status(0).expect_stdout(&["diff: 1 server in sync"]);
}

#[test]
fn files_standard_input_and_revisions_mean_the_same() {
    let project = changed();
    let old = git(&project, &["show", "main~1:mcp-tools.lock"]).stdout;
    project.write("old.lock", &old);
    git(&project, &["tag", "v1", "HEAD~1"]).expect_status(0);
    for (old_side, new_side) in [
        ("old.lock", "mcp-tools.lock"),
        ("./old.lock", "main"),
        ("main~1:mcp-tools.lock", "HEAD"),
        ("HEAD~1:./mcp-tools.lock", "refs/heads/main"),
        ("-", "mcp-tools.lock"),
        ("v1", "mcp-tools.lock"),
    ] {
        let finished = project.run(&["diff", old_side, new_side, "--format", "json"]).stdin(&old).finish();
        finished.expect_status(1);
        assert_eq!(failing(&finished.json(), "crm"), ["danger description-changed a /description"], "{old_side}");
    }
}

#[test]
fn servers_launches_clients_and_variables_are_compared_too() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.server("gone", &listing(&[tool("a", "A.")]));
    project.pin();
    project.write("old.lock", project.lockfile());
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json", "--more"] }));
    project.server("late", &listing(&[tool("l", "Late, and never read.")]));
    project
        .run(&["pin", "--yes", "--client", "cursor", "--pass-env", "EXTRA", "crm", "late"])
        .finish()
        .expect_status(0);
    let lockfile = project.lockfile();
    let (gone, late) = (lockfile.find("[[server]]\nname = \"gone\""), lockfile.find("[[server]]\nname = \"late\""));
    project.write("new.lock", [&lockfile[..gone.expect("gone")], &lockfile[late.expect("late")..]].concat());
    let finished = project.run(&["diff", "old.lock", "new.lock", "--format", "json"]).finish();
    finished.expect_status(1);
    let report = finished.json();
    let told = failing(&report, "crm");
    for expected in
        ["danger launch-changed /args", "change reading-changed /client", "change reading-changed /pass_env"]
    {
        assert!(told.iter().any(|told| told == expected), "{told:?}");
    }
    assert_eq!(failing(&report, "gone"), ["change server-removed"]);
    assert_eq!(failing(&report, "late"), ["danger server-unpinned"]);
    let human = project.run(&["diff", "old.lock", "new.lock"]).finish();
    human.expect_status(1).expect_stdout(&["it is new in the lockfile", "Late, and never read."]);
}

#[test]
fn nothing_is_started_and_nothing_written() {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    project.pin();
    initialise(&project);
    std::fs::remove_file(project.path("started")).expect("pinned");
    let before = crate::told::folder(&project);
    project.run(&["diff", "HEAD", "mcp-tools.lock"]).finish().expect_status(0);
    assert_eq!(crate::told::folder(&project), before);
}

#[test]
fn a_revision_without_the_file_is_an_empty_lockfile_and_says_so() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    initialise(&project);
    project.pin();
    commit(&project);
    let finished = project.run(&["diff", "HEAD~1", "HEAD"]).finish();
    finished
        .expect_status(1)
        .expect_stdout(&["danger[server-unpinned] `crm`", "tool `a`"])
        .expect_stderr(&["note: there is no file HEAD~1:mcp-tools.lock; it counts as an empty lockfile"]);
    let nothing = project.run(&["diff", "HEAD~1", "HEAD~1"]).finish();
    nothing.expect_status(2).expect_stderr(&["there is no lockfile in HEAD~1:mcp-tools.lock, nor in"]);
}

#[test]
fn a_damaged_lockfile_is_2_on_either_side() {
    let project = changed();
    project.write("mcp-tools.lock", project.lockfile().replace("New.", "Newer."));
    commit(&project);
    for words in [["HEAD~1", "HEAD"], ["HEAD", "HEAD~1"], ["HEAD~1", "mcp-tools.lock"]] {
        let finished = project.run(&["diff", words[0], words[1]]).finish();
        finished.expect_status(2).expect_stdout(&[]).expect_stderr(&["mcp-tools.lock", "digest"]);
    }
}

#[test]
fn what_is_no_lockfile_anywhere_is_2() {
    let project = changed();
    std::fs::create_dir(project.path("folder")).expect("a folder");
    project.write("folder/keep", "");
    commit(&project);
    for (word, told) in [
        ("nowhere", "\"nowhere\" is no commit of this repository, nor a file here"),
        ("nowhere:mcp-tools.lock", "\"nowhere\" is no commit"),
        ("--upload-pack=touch started", "unexpected argument"),
        ("HEAD:../mcp-tools.lock", "no path of this repository"),
        ("HEAD:/etc/passwd", "names no path of the repository"),
        ("HEAD:folder", "is no ordinary file there"),
        ("HEAD..main", "is no commit"),
        ("", "is no commit"),
    ] {
        let finished = project.run(&["diff", word, "mcp-tools.lock"]).finish();
        finished.expect_status(2).expect_stderr(&[told]);
        assert_eq!(finished.stdout, "", "{word}");
    }
    let option = project.run(&["diff", "--", "--upload-pack=touch started", "HEAD"]).finish();
    option.expect_status(2).expect_stderr(&["is no commit of this repository"]);
    assert!(!project.exists("started"));
    let both = project.run(&["diff", "-", "-"]).finish();
    both.expect_status(2).expect_stderr(&["both lockfiles are standard input"]);
}

#[test]
fn a_file_that_is_called_like_a_branch_is_not_taken_for_it() {
    let project = changed();
    project.write("main", project.lockfile());
    let finished = project.run(&["diff", "main", "HEAD"]).finish();
    finished.expect_status(2).expect_stderr(&[
        "\"main\" is both a file and a revision",
        "help: write ./main for the file; name the revision in another way, as refs/heads/… or refs/remotes/… in full",
    ]);
    // It is no file's either if it could be of two commits, or if a path follows.
    git(&project, &["tag", "main", "main~1"]).expect_status(0);
    project.write("main:mcp-tools.lock", project.lockfile());
    project.write("HEAD", project.lockfile());
    for name in ["main", "main:mcp-tools.lock", "HEAD"] {
        let finished = project.run(&["diff", name, "HEAD~1"]).finish();
        finished.expect_status(2).expect_stderr(&["is both a file and a revision"]);
    }
    project.run(&["diff", "./main", "@"]).finish().expect_status(0);
    project.run(&["diff", "refs/heads/main", "@"]).finish().expect_status(0);
}

#[test]
fn outside_a_repository_files_can_be_compared() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.run(&["diff", "mcp-tools.lock", "mcp-tools.lock"]).finish().expect_status(0);
    let finished = project.run(&["diff", "HEAD", "mcp-tools.lock"]).finish();
    finished.expect_status(2).expect_stderr(&["\"HEAD\" is no file, and", "is in no git repository"]);
}

#[test]
fn another_revision_of_the_protocol_is_another_reading_and_told_once() {
    let project = changed();
    let lockfile = project.lockfile();
    assert!(lockfile.contains("protocol = \"2025-11-25\""), "{lockfile}");
    let older = lockfile.replace("protocol = \"2025-11-25\"", "protocol = \"2024-11-05\"");
    project.write("mcp-tools.lock", &older);
    let finished = project.run(&["diff", "HEAD", "mcp-tools.lock", "--format", "json"]).finish();
    finished.expect_status(1);
    assert_eq!(findings(&finished.json(), "crm"), ["change reading-changed /protocol"]);
    // The server agrees on the approved one, so that only the lockfile tells of the other.
    let check = project.run(&["check", "--base", "main", "--format", "json"]).finish();
    check.expect_status(1);
    assert_eq!(findings(&check.json(), "crm"), ["change reading-changed /protocol"]);
    assert_eq!(finding(&check.json(), "crm", "reading-changed")["proposed"], true);
    project.write("mcp-tools.lock", lockfile.replace("protocol = \"2025-11-25\"", "protocol = \"newest\""));
    let finished = project.run(&["diff", "HEAD", "mcp-tools.lock"]).finish();
    finished.expect_status(2).expect_stderr(&["\"protocol\" in [[server]] \"crm\" is another text, not a revision"]);
}

#[test]
fn a_server_that_agrees_on_what_is_proposed_is_told_of_once() {
    let says = |protocol: &str| with(listing(&[tool("a", "A.")]), json!({ "protocol": protocol, "reread": true }));
    let mut project = Project::new();
    let _server = project.http_server("crm", &says("2025-06-18"));
    project.pin();
    initialise(&project);
    project.script("crm", &says("2025-03-26"));
    let check = || project.run(&["check", "--base", "main", "--format", "json"]).finish().json();
    assert_eq!(findings(&check(), "crm"), ["notice protocol-changed /protocolVersion"]);
    project.pin();
    let told = check();
    assert_eq!(findings(&told, "crm"), ["change reading-changed /protocol"]);
    assert_eq!(finding(&told, "crm", "reading-changed")["note"], "the server agrees on that too");
}
