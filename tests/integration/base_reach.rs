//! Which servers `mcp-pin check --base REV` starts: none that can reach what a pull request has edited.

use serde_json::json;

use crate::base::{check, stdio, unmark};
use crate::common::{Project, listing, scripted_server, tool};
use crate::repository::{commit, git, initialise};

/// The server isn't started, for these files.
#[track_caller]
fn expect_kept_from_starting(project: &Project, files: &[&str]) {
    unmark(project);
    let finished = check(project, &[]);
    finished.expect_status(2).expect_stdout(files).expect_stdout(&[
        "error: could not check `crm`: starting the server: its launch can reach ",
        "  help: read what differs, then let it run: mcp-pin check crm --base main --run-changed\n",
    ]);
    assert!(!project.exists("crm.started"), "it was started:\n{}", finished.stdout);
}

#[test]
fn a_server_that_can_reach_a_file_that_differs_is_not_started() {
    let project = stdio();
    project.write("lib/deep.mjs", "export default 1\n");
    expect_kept_from_starting(&project, &["lib/deep.mjs, which differs from main"]);
    git(&project, &["add", "-A"]).expect_status(0);
    expect_kept_from_starting(&project, &["lib/deep.mjs"]);
    commit(&project);
    check(&project, &[]).expect_status(0);
    let finished = project.run(&["check", "--base", "HEAD~1"]).finish();
    finished.expect_status(2).expect_stdout(&["lib/deep.mjs, which differs from HEAD~1"]);

    unmark(&project);
    project.write("lib/deep.mjs", "export default 2\n");
    let told = check(&project, &["--run-changed"]);
    told.expect_status(0).expect_stdout(&["in sync: `crm`"]);
    assert!(project.exists("crm.started"));
}

#[test]
fn no_way_to_change_a_file_hides_it() {
    let project = stdio();
    let reset = || {
        git(&project, &["reset", "-q", "--hard"]).expect_status(0);
        git(&project, &["clean", "-q", "-f", "-d"]).expect_status(0);
    };
    project.write("lib/new.mjs", "");
    expect_kept_from_starting(&project, &["lib/new.mjs"]);
    reset();
    std::fs::remove_file(project.path("lib/deep.mjs")).expect("removed");
    expect_kept_from_starting(&project, &["lib/deep.mjs"]);
    reset();
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        git(&project, &["update-index", flag, "lib/deep.mjs"]).expect_status(0);
        project.write("lib/deep.mjs", "other\n");
        assert_eq!(git(&project, &["status", "--porcelain"]).stdout, "");
        expect_kept_from_starting(&project, &["lib/deep.mjs"]);
        git(&project, &["update-index", &flag.replace("--", "--no-"), "lib/deep.mjs"]).expect_status(0);
        reset();
    }
    project.write(".env.local", "NODE_OPTIONS=--require ./x\n");
    project.write("package.json", "{}");
    expect_kept_from_starting(&project, &[".env.local, package.json"]);
    reset();
    // A filter that gives back what was committed.
    project.write(".git/info/attributes", "*.mjs filter=lie\n");
    git(&project, &["config", "filter.lie.clean", "git show HEAD:lib/deep.mjs"]).expect_status(0);
    project.write("lib/deep.mjs", "other\n");
    expect_kept_from_starting(&project, &["lib/deep.mjs"]);
}

#[test]
fn the_reports_of_an_earlier_run_do_not_keep_a_server_from_starting() {
    let project = stdio();
    let output = ["--output", "junit=mcp-pin.xml", "--output", "sarif=out/mcp-pin.sarif"];
    std::fs::create_dir(project.path("out")).expect("a folder");
    for _ in 0..2 {
        check(&project, &output).expect_status(0);
    }
    expect_kept_from_starting(&project, &["files that differ from main: mcp-pin.xml, out/mcp-pin.sarif\n"]);
    git(&project, &["add", "mcp-pin.xml"]).expect_status(0);
    check(&project, &output).expect_status(2).expect_stdout(&["can reach mcp-pin.xml, which differs from main\n"]);
}

#[test]
fn line_ends_that_git_converts_are_no_difference_and_other_conversions_are_told() {
    let project = stdio();
    for n in 0..40 {
        project.write(&format!("lib/{n}.txt"), "a line\n".repeat(n));
    }
    commit(&project);
    git(&project, &["config", "core.autocrlf", "true"]).expect_status(0);
    std::fs::remove_dir_all(project.path("lib")).expect("removed");
    git(&project, &["checkout", "-q", "lib"]).expect_status(0);
    assert_eq!(project.read("lib/deep.mjs"), "export {}\r\n");
    check(&project, &[]).expect_status(0);
    project.write("lib/deep.mjs", "export {}\r\n\n");
    expect_kept_from_starting(
        &project,
        &["lib/deep.mjs, which differs from main; only on the disk: edited and not added"],
    );
    // Who says how files are converted could say it of any.
    project.write("lib/deep.mjs", "export {}\r\n");
    project.write(".gitattributes", "* text eol=crlf\n");
    git(&project, &["add", ".gitattributes"]).expect_status(0);
    expect_kept_from_starting(&project, &["lib/1.txt, "]);
    git(&project, &["rm", "-q", "-f", ".gitattributes"]).expect_status(0);
    // Committed with these line ends, it is another file.
    git(&project, &["config", "core.autocrlf", "false"]).expect_status(0);
    project.write("lib/deep.mjs", "export {}\r\n");
    git(&project, &["add", "lib/deep.mjs"]).expect_status(0);
    expect_kept_from_starting(&project, &["lib/deep.mjs, which differs from main\n"]);
    git(&project, &["reset", "-q", "--hard"]).expect_status(0);
    git(&project, &["sparse-checkout", "set", "--no-cone", "/*", "!/lib/"]).expect_status(0);
    assert!(!project.exists("lib/deep.mjs"));
    expect_kept_from_starting(&project, &["converted or left out by git"]);
}

#[cfg(unix)]
#[test]
fn links_modes_and_hostile_names_differ_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = stdio();
    project.write("docs/outside.md", "export {}\n");
    std::fs::remove_file(project.path("lib/deep.mjs")).expect("removed");
    symlink("../docs/outside.md", project.path("lib/deep.mjs")).expect("a link");
    expect_kept_from_starting(&project, &["lib/deep.mjs"]);
    git(&project, &["reset", "-q", "--hard"]).expect_status(0);
    std::fs::set_permissions(project.path("lib/deep.mjs"), PermissionsExt::from_mode(0o755)).expect("a mode");
    // A launch that searches a folder would find it now.
    expect_kept_from_starting(&project, &["lib/deep.mjs"]);
    git(&project, &["reset", "-q", "--hard"]).expect_status(0);
    check(&project, &[]).expect_status(0);
    std::fs::remove_file(project.path("README.md")).expect("removed");
    symlink("lib/deep.mjs", project.path("README.md")).expect("a link");
    expect_kept_from_starting(&project, &["README.md"]);
    git(&project, &["reset", "-q", "--hard"]).expect_status(0);
    symlink("notes.md", project.path("prompt.txt")).expect("a link");
    project.write("notes.md", "One.");
    commit(&project);
    check(&project, &[]).expect_status(0);
    project.write("notes.md", "Two.");
    expect_kept_from_starting(&project, &["notes.md, which differs from main"]);
    git(&project, &["reset", "-q", "--hard"]).expect_status(0);
    project.write("\u{1b}[2J\n::error::x", "");
    let finished = check(&project, &[]);
    finished.expect_status(2).expect_stdout(&["\\u{1b}[2J"]).expect_nowhere(&["\u{1b}", "\n::error"]);
    check(&project, &["--format", "github"]).expect_status(2).expect_nowhere(&["\n::error::x"]);
}

#[test]
fn documents_and_what_is_compared_by_itself_are_within_nobody_s_reach() {
    let mut project = stdio();
    project.write("README.md", "# Another\n");
    project.write("docs/new.MD", "");
    project.write(".github/workflows/x.yml", "on: push\n");
    project.write(".gitattributes", "*.png binary\n");
    project.write("LICENSE", "");
    project.write("mcp-pin.toml", "[server.crm]\nstart_timeout = 90\n");
    project.configure("web", json!({ "type": "http", "url": "http://127.0.0.1:1/mcp" }));
    project.write("mcp-tools.lock", project.lockfile());
    let finished = check(&project, &["crm"]);
    finished.expect_status(0).expect_stdout(&["in sync: `crm`"]);
    // Node loads any file as a script.
    project.write("lib/code.md", "");
    project.write("docs/code.txt", "");
    let finished = check(&project, &["crm"]);
    finished.expect_status(2).expect_stdout(&["files that differ from main: docs/code.txt, lib/code.md\n"]);
}

/// A folder with package runners that leave a mark and are the scripted server, and a PATH that begins with it.
#[cfg(unix)]
fn runners() -> (Project, String) {
    let tools = Project::new();
    tools.script("face", &listing(&[tool("a", "A.")]));
    let face = tools.path("face.json");
    let script = format!("#!/bin/sh\ntouch crm.started\nexec '{}' '{}'\n", scripted_server().display(), face.display());
    for name in ["npx", "uvx"] {
        tools.write(name, &script);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(tools.path(name), mode).expect("executable");
    }
    let path = format!("{}:/usr/bin:/bin", tools.path("").display());
    (tools, path)
}

#[cfg(unix)]
#[test]
fn code_that_a_package_runner_is_told_to_run_is_within_reach_whatever_names_it() {
    let (_tools, path) = runners();
    for (command, args, file, new) in [
        ("uvx", "--with six python -m srv", "srv.py", "json.py"),
        ("uvx", "--from mcp-server-time python -m mcp_server_time", "x.py", "mcp_server_time.py"),
        ("npx", "-y tsx server", "server.js", "new.js"),
        ("npx", "-y tsx@4 server", "server.js", "new.js"),
        ("uvx", "prog server:app", "server.py", "new.py"),
    ] {
        let mut project = Project::new();
        let args: Vec<&str> = args.split(' ').collect();
        project.configure("crm", json!({ "command": command, "args": args }));
        project.write(file, "1");
        project.run(&["pin", "--yes"]).env("PATH", &path).finish().expect_status(0);
        initialise(&project);
        unmark(&project);
        let check = || project.run(&["check", "--base", "main"]).env("PATH", &path).finish();
        let kept = |file: &str| {
            check().expect_status(2).expect_stdout(&[&format!("its launch can reach {file}, which differs")]);
            assert!(!project.exists("crm.started"), "{args:?}: {file}");
        };
        project.write(file, "2");
        kept(file);
        std::fs::remove_file(project.path(file)).expect("removed");
        kept(file);
        project.write(file, "1");
        project.write(new, "");
        kept(new);
        std::fs::remove_file(project.path(new)).expect("removed");
        check().expect_status(0);
    }
}

#[cfg(unix)]
#[test]
fn a_package_runner_that_names_nothing_of_the_checkout_reaches_its_own_files_only() {
    let (_tools, path) = runners();
    let mut project = Project::new();
    project.configure("crm", json!({ "command": "npx", "args": ["-y", "pkg@1.0.0", "--zone", "UTC"] }));
    project.run(&["pin", "--yes"]).env("PATH", &path).finish().expect_status(0);
    project.write("src/main.rs", "");
    project.write("shared/rc", "");
    std::os::unix::fs::symlink("shared/rc", project.path(".yarnrc.yml")).expect("a link");
    initialise(&project);
    let check = |status: i32| {
        unmark(&project);
        let finished = project.run(&["check", "--base", "main"]).env("PATH", &path).finish();
        finished.expect_status(status);
        assert_eq!(project.exists("crm.started"), status == 0);
        finished
    };
    project.write("src/main.rs", "fn main() {}");
    check(0);
    project.write("shared/rc", "yarnPath: x\n");
    check(2).expect_stdout(&["shared/rc, which differs from main"]);
    project.write("shared/rc", "");
    project.write("node_modules/.bin/pkg", "");
    check(2).expect_stdout(&["node_modules/.bin/pkg"]);
    std::fs::remove_dir_all(project.path("node_modules")).expect("removed");
    project.write(".npmrc", "registry=http://127.0.0.1:1\n");
    check(2).expect_stdout(&["its launch can reach .npmrc, which differs from main"]);
    std::fs::remove_file(project.path(".npmrc")).expect("removed");
    project.write("pkg@1.0.0/x", "");
    check(2).expect_stdout(&["src/main.rs"]);
}

#[test]
fn a_changed_launch_is_not_started_unless_the_lockfile_of_the_author_approves_it_and_the_user_too() {
    let mut project = stdio();
    project.configure("crm", json!({ "command": scripted_server(), "args": ["crm.json", "--more"] }));
    for more in [&[][..], &["--run-changed"]] {
        let finished = check(&project, more);
        finished.expect_status(1).expect_stdout(&["danger[launch-changed] `crm` at /args\n"]);
        assert!(!project.exists("crm.started"));
    }
    project.pin();
    unmark(&project);
    let finished = check(&project, &[]);
    finished.expect_status(1).expect_stdout(&["danger[launch-changed] `crm` at /args (proposed)"]);
    assert!(!project.exists("crm.started"));
    let finished = check(&project, &["--run-changed"]);
    finished.expect_status(1).expect_stdout(&[
        "danger[launch-changed] `crm` at /args (proposed)",
        "= note: it was started all the same, for --run-changed",
    ]);
    assert!(project.exists("crm.started"));
}
