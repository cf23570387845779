//! Which project is compared: the one that the revision has where the user starts, wherever the pull request moves it.

use serde_json::json;

use crate::common::{Finished, Project, scripted_server};
use crate::repository::{commit, git, initialise};
use crate::told::marked;

/// A repository with a project in its root and, pinned beside it, in each of these folders.
fn projects(folders: &[&str]) -> Project {
    let project = Project::new();
    for folder in std::iter::once(&"").chain(folders) {
        let name = format!("{folder}/").trim_start_matches('/').to_owned();
        let tool = crate::common::tool(&format!("of_{folder}"), "A.");
        project.script(&format!("{name}crm"), &marked(crate::common::listing(&[tool]), "crm.started"));
        let entry = json!({ "command": scripted_server(), "args": ["crm.json"] });
        project.write(&format!("{name}.mcp.json"), json!({ "mcpServers": { "crm": entry } }).to_string());
        let at = if folder.is_empty() { "." } else { folder };
        project.run(&["-C", at, "pin", "--yes"]).finish().expect_status(0);
        std::fs::remove_file(project.path(&format!("{name}crm.started"))).expect("started");
    }
    initialise(&project);
    git(&project, &["checkout", "-q", "-b", "change"]).expect_status(0);
    project
}

fn check_in(project: &Project, folder: &str) -> Finished {
    project.run(&["-C", folder, "check", "--base", "refs/heads/main"]).finish()
}

fn remove(project: &Project, files: &[&str]) {
    files.iter().for_each(|file| std::fs::remove_file(project.path(file)).expect("removed"));
}

#[test]
fn a_project_that_is_gone_does_not_make_way_for_another() {
    let project = projects(&["sub"]);
    project.write("sub/deep/keep", "");
    commit(&project);
    check_in(&project, "sub/deep").expect_status(2).expect_nowhere(&["has the project in"]);
    remove(&project, &["sub/mcp-tools.lock", "sub/.mcp.json"]);
    commit(&project);
    for folder in ["sub", "sub/deep", "sub/../sub"] {
        let finished = check_in(&project, folder);
        finished.expect_status(2).expect_stderr(&[
            "refs/heads/main has the project in sub, the work tree in the repository's root",
            "help: read what became of its lockfile and configuration",
        ]);
        let diff = project.run(&["-C", folder, "diff", "main", "HEAD"]).finish();
        diff.expect_status(2).expect_stderr(&["main has the project in sub"]);
    }
    assert!(!project.exists("crm.started"));
    check_in(&project, ".").expect_nowhere(&["has the project in"]);
    // What is named is meant.
    let named = ["-C", "sub", "diff", "main:sub/mcp-tools.lock", "HEAD:sub/mcp-tools.lock"];
    project.run(&named).finish().expect_status(1).expect_stdout(&["server-removed"]);
    let named = ["-C", "sub", "diff", "main", "HEAD", "--lockfile", "mcp-tools.lock"];
    project.run(&named).finish().expect_status(1).expect_stdout(&["server-removed"]);
}

#[test]
fn a_configuration_that_is_named_is_searched_from_its_folder() {
    let project = projects(&["sub"]);
    remove(&project, &["sub/mcp-tools.lock"]);
    std::fs::rename(project.path("sub/.mcp.json"), project.path("sub/other.json")).expect("renamed");
    let words = ["check", "--config", "sub/other.json", "--base", "refs/heads/main"];
    project.run(&words).finish().expect_status(2).expect_stderr(&["has the project in sub"]);
}

#[test]
fn a_project_that_is_new_nearer_to_the_start_is_another_one_too() {
    let project = projects(&[]);
    project.write("sub/.mcp.json", project.read(".mcp.json"));
    let words = ["-C", "sub", "check", "--base", "refs/heads/main", "--lockfile", "../mcp-tools.lock"];
    let told = "refs/heads/main has the project in the repository's root, the work tree in sub";
    project.run(&words).finish().expect_status(2).expect_stderr(&[told]);
    assert!(!project.exists("sub/crm.started"));
    project.write("sub/mcp-tools.lock", project.lockfile());
    let diff = project.run(&["-C", "sub", "diff", "refs/heads/main", "mcp-tools.lock"]).finish();
    diff.expect_stderr(&["note: there is no file refs/heads/main:sub/mcp-tools.lock"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_not_followed() {
    let project = projects(&["a", "b"]);
    std::fs::rename(project.path("a"), project.path("was")).expect("moved");
    std::os::unix::fs::symlink("b", project.path("a")).expect("a link");
    commit(&project);
    let told = ["[project]/a is a link", "help: name the folder itself, if it is meant: [project]/b"];
    for folder in ["a", "./a", "b/../a"] {
        check_in(&project, folder).expect_status(2).expect_stderr(&told);
        project.run(&["-C", folder, "diff", "main", "HEAD"]).finish().expect_status(2).expect_stderr(&told);
    }
    let by_shell = |shell: &str| {
        let mut command = project.run(&["check", "--base", "refs/heads/main"]).env("PWD", shell).command();
        command.current_dir(project.path("a")).output().expect("run")
    };
    let output = by_shell(project.path("a").to_str().expect("text"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/a is a link"), "{output:?}");
    assert_eq!(output.status.code(), Some(2));
    // A variable that tells of another folder tells nothing.
    let output = by_shell(project.path("was").to_str().expect("text"));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("is a link"), "{output:?}");
    assert!(!project.exists("a/crm.started"));
}

#[test]
fn a_folder_that_became_a_repository_of_somebody_else_is_refused() {
    let project = projects(&["sub"]);
    let other = projects(&[]);
    git(&other, &["branch", "-f", "main", "HEAD"]).expect_status(0);
    let url = other.path(".git");
    std::fs::remove_dir_all(project.path("sub")).expect("removed");
    git(&project, &["clone", "-q", "-b", "main", url.to_str().expect("text"), "sub"]).expect_status(0);
    let refused = || {
        for words in [&["check", "--base", "main"][..], &["diff", "main", "HEAD"]] {
            let finished = project.run(&[&["-C", "sub"], words].concat()).finish();
            finished
                .expect_status(2)
                .expect_stderr(&["[project]/sub lies in another one, which decides what is there"]);
        }
        assert!(!project.exists("sub/crm.started"));
    };
    // The index holds files there, then a submodule, then nothing where main still has files.
    refused();
    git(&project, &["rm", "-rq", "--cached", "sub"]).expect_status(0);
    refused();
    git(&project, &["add", "sub"]).expect_status(0);
    refused();
}

#[test]
fn a_clone_that_no_repository_holds_and_a_work_tree_are_repositories_of_their_own() {
    let project = projects(&[]);
    git(&project, &["worktree", "add", "-q", "trees/main", "main"]).expect_status(0);
    check_in(&project, "trees/main").expect_status(0);
    let url = project.path(".git");
    git(&project, &["clone", "-q", "-b", "main", url.to_str().expect("text"), "clone"]).expect_status(0);
    check_in(&project, "clone").expect_status(0);
    // A folder of git's name alone is no repository.
    let outer = Project::new();
    outer.write("empty/.git/keep", "");
    git(&outer, &["clone", "-q", "-b", "main", url.to_str().expect("text"), "empty/clone"]).expect_status(0);
    check_in(&outer, "empty/clone").expect_status(0);
}
