//! Where the lockfile lies: missing, a folder, read-only, a link, standard input, another path. `check` never writes.

use serde_json::json;

use crate::common::{Project, listing, tool};
use crate::told::{folder, marked, stamp};

fn pinned() -> Project {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

#[test]
fn without_a_lockfile_nothing_is_checked_and_none_is_made() {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    for (ci, command) in [("", "check"), ("true", "check"), ("", "verify"), ("true", "verify")] {
        let run = project.run(&[command]);
        let finished = if ci.is_empty() { run } else { run.env("CI", ci) }.finish();
        finished.expect_refused(&["there is no lockfile", "mcp-tools.lock", "mcp-pin pin"]);
    }
    assert_eq!(folder(&project), [".mcp.json", "crm.json"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_folder_in_the_lockfile_s_place_is_named() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.write("mcp-tools.lock/inside", "");
    for command in [&["check"][..], &["verify"], &["pin", "--yes"]] {
        project.run(command).finish().expect_refused(&["this is a folder, not a lockfile", "help: "]);
    }
    project.run(&["fmt"]).finish().expect_status(2).expect_stderr(&["this is a folder"]);
    assert!(project.exists("mcp-tools.lock/inside"));
}

#[cfg(unix)]
fn set_mode(project: &Project, name: &str, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(project.path(name), permissions).expect("set");
}

/// Whether modes bind us: they don't bind root.
#[cfg(unix)]
fn modes_bind(project: &Project) -> bool {
    std::fs::write(project.path("probe-of-modes"), "").is_err()
}

#[cfg(unix)]
#[test]
fn in_a_read_only_folder_nothing_is_written_and_that_is_said() {
    let project = pinned();
    let before = stamp(&project, "mcp-tools.lock");
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    set_mode(&project, "", 0o555);
    let bound = modes_bind(&project);
    let finished = project.run(&["pin", "--yes"]).finish();
    set_mode(&project, "", 0o755);
    if bound {
        finished.expect_status(2).expect_stdout(&["writing the lockfile", "nothing was written", "writable"]);
        assert_eq!(stamp(&project, "mcp-tools.lock"), before);
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_lockfile_is_respected_and_checked() {
    let project = pinned();
    let before = stamp(&project, "mcp-tools.lock");
    set_mode(&project, "mcp-tools.lock", 0o444);
    project.check().expect_status(0).expect_stderr(&[]);
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["writing the lockfile", "read-only", "nothing was written"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}

#[cfg(unix)]
#[test]
fn an_unreadable_lockfile_is_no_missing_one() {
    let project = pinned();
    set_mode(&project, "mcp-tools.lock", 0o000);
    let bound = std::fs::read(project.path("mcp-tools.lock")).is_err();
    let finished = project.run(&["pin", "--yes"]).finish();
    set_mode(&project, "mcp-tools.lock", 0o644);
    if bound {
        finished.expect_refused(&["can't be read", "help: "]);
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one_and_its_target_is_written() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.write("shared/keep", "");
    std::os::unix::fs::symlink("shared/real.lock", project.path("mcp-tools.lock")).expect("a link");
    project.pin();
    assert!(project.read("shared/real.lock").contains("[[tool]]"));
    let link = std::fs::symlink_metadata(project.path("mcp-tools.lock")).expect("there");
    assert!(link.file_type().is_symlink());
    project.check().expect_status(0).expect_stderr(&[]);
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    project.pin();
    assert!(project.read("shared/real.lock").contains("Changed."));
    assert!(std::fs::symlink_metadata(project.path("mcp-tools.lock")).expect("there").file_type().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_lockfile_s_place_does_not_hang() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let made = std::process::Command::new("mkfifo").arg(project.path("mcp-tools.lock")).status().expect("mkfifo");
    assert!(made.success());
    let finished = project.check();
    finished.expect_refused(&["no ordinary file"]);
    assert!(finished.took.as_secs() < 5);
}

#[test]
fn a_baseline_on_standard_input_is_compared_and_never_written() {
    let project = pinned();
    let lockfile = project.lockfile();
    std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
    for command in ["check", "verify"] {
        let finished = project.run(&[command, "--lockfile", "-"]).stdin(&lockfile).finish();
        finished.expect_status(0).expect_stdout(&["1 server in sync"]).expect_stderr(&[]);
    }
    project.script("crm", &listing(&[tool("a", "Changed.")]));
    let finished = project.run(&["check", "--lockfile", "-"]).stdin(&lockfile).finish();
    finished.expect_status(1).expect_stdout(&["description-changed"]).expect_stderr(&[]);
    assert!(!project.exists("mcp-tools.lock") && !project.exists("-"));
}

#[test]
fn a_damaged_baseline_on_standard_input_is_2_and_starts_nothing() {
    let project = pinned();
    for input in [String::new(), project.lockfile().replace("A.", "B."), "nonsense".to_owned()] {
        let finished = project.run(&["check", "--lockfile", "-"]).stdin(input).finish();
        finished.expect_refused(&["standard input", "help: "]);
    }
    assert!(!project.exists("started"));
}

#[test]
fn standard_input_can_not_be_written() {
    let project = pinned();
    project.run(&["pin", "--yes", "--lockfile", "-"]).finish().expect_refused(&["can be read but not written"]);
    project.run(&["fmt", "--lockfile", "-"]).finish().expect_status(2).expect_stderr(&["can be read but not written"]);
    assert!(!project.exists("started"));
}

#[test]
fn a_lockfile_elsewhere_is_used_and_its_configurations_count_from_it() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.write("locks/keep", "");
    project
        .run(&["pin", "--yes", "--lockfile", "locks/team.lock"])
        .finish()
        .expect_status(0)
        .expect_stdout(&["locks/team.lock"]);
    assert!(!project.exists("mcp-tools.lock"));
    let finished = project.run(&["check", "--lockfile", "locks/team.lock"]).finish();
    finished.expect_status(0).expect_stdout(&["definitions match locks/team.lock"]).expect_stderr(&[]);
    project.run(&["verify"]).env("MCP_PIN_LOCKFILE", "locks/team.lock").finish().expect_status(0);
    project.run(&["check"]).finish().expect_status(2);
}

#[test]
fn a_folder_that_is_missing_is_named_when_the_lockfile_is_written() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    let finished = project.run(&["pin", "--yes", "--lockfile", "none/team.lock"]).finish();
    finished.expect_status(2).expect_stdout(&["none/team.lock", "nothing was written", "make the folder"]);
}

#[test]
fn a_lockfile_that_changes_while_servers_are_read_is_not_checked() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let waiting = json!({ "tools": [tool("a", "A.")], "on": [{ "method": "tools/list", "nth": 1, "do": [{ "touch": "asked" }, { "wait_for_file": "go" }, { "answer": true }] }] });
    project.script("crm", &waiting);
    for command in [&["check"][..], &["pin", "--yes"]] {
        let _ = std::fs::remove_file(project.path("asked"));
        let _ = std::fs::remove_file(project.path("go"));
        let before = project.lockfile();
        let changed = before.replace("release = \"1.0.0\"", "release = \"0.9.0\"");
        let child = project.run(command).command().spawn().expect("started");
        crate::common::eventually("it is asked", || project.exists("asked"));
        project.write("mcp-tools.lock", &changed);
        project.write("go", "");
        let output = child.wait_with_output().expect("ended");
        let stdout = String::from_utf8_lossy(&output.stdout);
        if command[0] == "check" {
            assert_eq!(output.status.code(), Some(2), "{stdout}");
            assert!(stdout.contains("mcp-tools.lock changed while"), "{stdout}");
            assert!(
                stdout.contains("check: 1 server compared, but none of it counts: see the error above"),
                "{stdout}"
            );
            assert!(!stdout.contains("check: 1 server in sync"), "{stdout}");
            project.write("mcp-tools.lock", &before);
        } else {
            assert_eq!(project.lockfile(), changed, "{stdout}");
        }
    }
}

#[test]
fn fmt_says_when_there_is_nothing_to_do_and_starts_nothing() {
    let project = pinned();
    let before = stamp(&project, "mcp-tools.lock");
    project
        .run(&["fmt"])
        .finish()
        .expect_status(0)
        .expect_stdout(&["mcp-tools.lock is in its one spelling already"])
        .expect_stderr(&[]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
    assert!(!project.exists("started"));
}

#[test]
fn a_server_is_never_reached_by_what_only_the_lockfile_names() {
    let project = pinned();
    // Somebody edits launch and configuration apart: the lockfile's command is another program.
    let other = project.lockfile().replace("args = [\"crm.json\"]", "args = [\"evil.json\"]");
    project.script("evil", &marked(listing(&[tool("a", "A.")]), "evil-started"));
    project.write("mcp-tools.lock", other);
    project.check().expect_status(1).expect_stdout(&["danger[launch-changed] `crm` at /args"]).expect_stderr(&[]);
    assert!(!project.exists("evil-started") && !project.exists("started"));
}
