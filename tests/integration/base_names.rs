//! What a revision's name means: one commit, whoever has pushed tags.

use crate::base::stdio;
use crate::common::{Project, listing, tool};
use crate::repository::{commit, git, initialise};

/// A repository whose second commit proposes what its first didn't approve, with the first as `origin/main`.
fn proposed() -> Project {
    let project = Project::with_server("crm", &listing(&[tool("a", "Old.")]));
    project.pin();
    initialise(&project);
    git(&project, &["remote", "add", "origin", "nowhere"]).expect_status(0);
    git(&project, &["update-ref", "refs/remotes/origin/main", "HEAD"]).expect_status(0);
    git(&project, &["checkout", "-q", "-b", "change"]).expect_status(0);
    project.script("crm", &listing(&[tool("a", "New.")]));
    project.pin();
    commit(&project);
    project
}

fn tag(project: &Project, name: &str) {
    git(project, &["update-ref", &format!("refs/tags/{name}"), "HEAD"]).expect_status(0);
}

#[test]
fn a_tag_that_is_called_like_a_branch_is_refused() {
    let project = proposed();
    project.run(&["diff", "origin/main", "HEAD"]).finish().expect_status(1);
    tag(&project, "origin/main");
    tag(&project, "main");
    tag(&project, "refs/remotes/origin/main");
    for words in [
        &["check", "--base", "origin/main", "--run-changed"][..],
        &["check", "--base", "origin/main~0"],
        &["diff", "origin/main", "HEAD"],
        &["diff", "origin/main:mcp-tools.lock", "HEAD"],
    ] {
        project.run(words).finish().expect_status(2).expect_stderr(&[
            "\"origin/main\" is ambiguous: refs/tags/origin/main and refs/remotes/origin/main",
            "help: write the one that is meant in full, as refs/remotes/origin/main",
        ]);
    }
    project
        .run(&["diff", "main", "HEAD"])
        .finish()
        .expect_status(2)
        .expect_stderr(&["refs/tags/main and refs/heads/main"]);
    for full in ["refs/remotes/origin/main", "refs/heads/main"] {
        project.run(&["diff", full, "HEAD"]).finish().expect_status(1);
    }
}

#[test]
fn a_name_in_full_is_that_reference_or_nothing() {
    let project = proposed();
    tag(&project, "refs/remotes/origin/main");
    tag(&project, "origin/main");
    git(&project, &["update-ref", "-d", "refs/remotes/origin/main"]).expect_status(0);
    let told = |name: &str, told: &str| {
        project.run(&["check", "--base", name]).finish().expect_status(2).expect_stderr(&[told]);
    };
    told("refs/remotes/origin/main", "there is no refs/remotes/origin/main in this repository");
    told("origin/main", "\"origin/main\" is refs/tags/origin/main, and no branch of origin");
}

#[test]
fn a_reference_that_is_called_like_an_object_is_refused() {
    let project = proposed();
    let main = git(&project, &["rev-parse", "main"]).stdout.trim().to_owned();
    let short = &main[..10];
    project.run(&["diff", short, "HEAD"]).finish().expect_status(1);
    git(&project, &["update-ref", &format!("refs/heads/{short}"), "HEAD"]).expect_status(0);
    git(&project, &["update-ref", &format!("refs/heads/{main}"), "HEAD"]).expect_status(0);
    let finished = project.run(&["diff", short, "HEAD"]).finish();
    finished.expect_status(2).expect_stderr(&["is ambiguous: refs/heads/", "and the beginning of an object's name"]);
    project.run(&["diff", &main, "HEAD"]).finish().expect_status(1);
    // Digits alone are no object.
    git(&project, &["branch", "deadbeef", "main"]).expect_status(0);
    project.run(&["diff", "deadbeef", "HEAD"]).finish().expect_status(1);
}

#[test]
fn names_of_one_commit_are_clear() {
    let project = proposed();
    git(&project, &["tag", "-a", "-m", "first", "main", "main"]).expect_status(0);
    tag(&project, "HEAD");
    for name in ["main", "heads/main", "HEAD~1", "@~1", "main@{0}", "main^{commit}", "tags/main"] {
        project.run(&["diff", name, "HEAD"]).finish().expect_status(1);
    }
    let finished = project.run(&["diff", "@{-1}", "HEAD"]).finish();
    finished.expect_status(2).expect_stderr(&["is a branch by its place in a history"]);
}

#[test]
fn a_report_names_the_commit_that_it_compares_with() {
    let project = stdio();
    let head = git(&project, &["rev-parse", "--short=10", "HEAD"]).stdout;
    let shown = format!("main:mcp-tools.lock (commit {})", head.trim());
    let check = || project.run(&["check", "--base", "main"]).finish();
    check().expect_status(0).expect_stdout(&[&format!("definitions match {shown}, behaviour")]);
    project.write("mcp-pin.toml", "[[rule]]\neffect = \"allow\"\n");
    check().expect_status(1).expect_stdout(&[&format!("; compared with {shown}")]);
}
