//! A project in a git repository, by a real git that sees nothing of the machine's configuration.

use std::process::Command;

use crate::common::{Finished, Project};

/// Runs git in the project's folder.
pub(crate) fn git(project: &Project, arguments: &[&str]) -> Finished {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(project.path(""))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", project.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "test")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "test@example.invalid")))
        .output()
        .expect("git runs");
    Finished {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        took: std::time::Duration::ZERO,
    }
}

/// Commits all that lies in the project.
pub(crate) fn commit(project: &Project) {
    git(project, &["add", "-A"]).expect_status(0);
    git(project, &["commit", "-q", "--allow-empty", "-m", "state"]).expect_status(0);
}

/// Makes the project a repository and commits it to `main`; files called `started` or `*.log` are ignored.
pub(crate) fn initialise(project: &Project) {
    git(project, &["init", "-q", "-b", "main"]).expect_status(0);
    project.write(".gitignore", "home\n*started\n*.log\n");
    commit(project);
}
