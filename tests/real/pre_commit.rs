//! Our hook, run by a real pre-commit in a scratch repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Finished, MCP_PIN, Project, listing, tool};
use crate::skipped;

/// A program in the project folder, with the binary under test first on its PATH and pre-commit's files in a home of
/// its own.
fn run(project: &Project, program: &Path, arguments: &[&str]) -> Finished {
    let binaries = Path::new(MCP_PIN).parent().expect("a folder").to_owned();
    let own = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(binaries).chain(std::env::split_paths(&own))).expect("a PATH");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(project.path(""))
        .env_clear()
        .env("PATH", path)
        .env("HOME", project.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "test")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "test@example.invalid")))
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    Finished {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        took: std::time::Duration::ZERO,
    }
}

fn git(project: &Project, arguments: &[&str]) -> Finished {
    run(project, Path::new("git"), arguments)
}

fn pre_commit(project: &Project, arguments: &[&str]) -> Finished {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/pypi/.venv-pre-commit/bin/pre-commit");
    assert!(program.exists(), "run .ci/install-real-servers first");
    run(project, &program, arguments)
}

/// A repository of hooks that holds nothing but our file.
fn hooks(project: &Project) -> PathBuf {
    let folder = project.path("hooks");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::copy(file, folder.join(".pre-commit-hooks.yaml")).expect("copied");
    let folder = folder.display().to_string();
    for arguments in
        [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "hooks"], &["tag", "v1"]]
    {
        git(project, &[&["-C", &folder], arguments].concat()).expect_status(0);
    }
    folder.into()
}

#[test]
fn a_commit_of_a_launch_that_nobody_pinned_is_stopped() {
    if skipped() {
        return;
    }
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    git(&project, &["init", "-q", "-b", "main"]).expect_status(0);
    project.write(".gitignore", "home\nhooks\n");
    let hooks = hooks(&project);
    let configuration = format!("repos:\n- repo: {}\n  rev: v1\n  hooks:\n  - id: mcp-pin-verify\n", hooks.display());
    project.write(".pre-commit-config.yaml", configuration);
    pre_commit(&project, &["install"]).expect_status(0);

    git(&project, &["add", "-A"]).expect_status(0);
    let first = git(&project, &["commit", "-m", "pinned"]);
    first.expect_status(0).expect_told(&["mcp-pin verify", "Passed"]);

    // What has nothing to do with it isn't held up, not even by a hook that would fail.
    project.server("billing", &listing(&[tool("b", "B.")]));
    project.write("notes.md", "Notes.");
    git(&project, &["add", "notes.md"]).expect_status(0);
    git(&project, &["commit", "-m", "notes"]).expect_status(0).expect_told(&["mcp-pin verify", "Skipped"]);

    git(&project, &["add", "-A"]).expect_status(0);
    let stopped = git(&project, &["commit", "-m", "another server"]);
    stopped.expect_status(1).expect_told(&["Failed", "exit code: 1", "billing"]);
    project.pin();
    git(&project, &["add", "-A"]).expect_status(0);
    git(&project, &["commit", "-m", "another server"]).expect_status(0).expect_told(&["Passed"]);

    project.write("mcp-tools.lock", project.lockfile().replace("A.", "B."));
    git(&project, &["add", "-A"]).expect_status(0);
    let damaged = git(&project, &["commit", "-m", "by hand"]);
    damaged.expect_status(1).expect_told(&["Failed", "exit code: 2", "digest"]);
}
