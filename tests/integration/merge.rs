//! Merges of lockfiles by a real git.

use crate::common::{MCP_PIN, Project, listing, tool};
use crate::repository::{commit, git};

/// A repository whose lockfile is merged by the binary.
fn repository(project: &Project) {
    git(project, &["init", "-q", "-b", "main"]).expect_status(0);
    git(project, &["config", "merge.mcp-pin.driver", &format!("'{MCP_PIN}' merge-driver %O %A %B")]).expect_status(0);
    project.write(".gitattributes", "mcp-tools.lock merge=mcp-pin\n");
    project.write(".gitignore", "home\n");
}

/// Pins `edit` on a branch of its own.
fn on_branch(project: &mut Project, name: &str, edit: impl Fn(&mut Project)) {
    git(project, &["checkout", "-q", "-b", name, "main"]).expect_status(0);
    edit(project);
    project.pin();
    commit(project);
}

fn faces(project: &Project, name: &str, description: &str) {
    project.script(name, &listing(&[tool("a", description), tool("b", "Stays.")]));
}

#[test]
fn re_pins_of_neighbours_merge_and_the_result_is_in_sync() {
    let mut project = Project::new();
    project.server("one", &listing(&[tool("a", "Old."), tool("b", "Stays.")]));
    project.server("two", &listing(&[tool("a", "Old."), tool("b", "Stays.")]));
    repository(&project);
    project.pin();
    commit(&project);
    on_branch(&mut project, "left", |project| faces(project, "one", "New of one."));
    on_branch(&mut project, "right", |project| faces(project, "two", "New of two."));
    git(&project, &["merge", "-q", "left", "-m", "merged"]).expect_status(0);
    project.check().expect_status(0).expect_stdout(&["2 servers in sync"]);
    assert!(project.lockfile().contains("New of one.") && project.lockfile().contains("New of two."));
}

#[test]
fn first_pins_on_both_sides_merge() {
    let mut project = Project::new();
    repository(&project);
    commit(&project);
    on_branch(&mut project, "left", |project| project.server("one", &listing(&[tool("a", "One.")])));
    git(&project, &["checkout", "-q", "main"]).expect_status(0);
    let mut other = Project::new();
    other.server("two", &listing(&[tool("a", "Two.")]));
    other.pin();
    git(&project, &["checkout", "-q", "-b", "right"]).expect_status(0);
    project.write("mcp-tools.lock", other.lockfile());
    commit(&project);
    git(&project, &["merge", "-q", "left", "-m", "merged"]).expect_status(0);
    project.run(&["list"]).finish().expect_status(0).expect_stdout(&["server one", "server two", "2 servers"]);
}

#[test]
fn a_block_that_both_sides_changed_stays_a_conflict() {
    let mut project = Project::new();
    project.server("one", &listing(&[tool("a", "Old."), tool("b", "Stays.")]));
    repository(&project);
    project.pin();
    commit(&project);
    on_branch(&mut project, "left", |project| faces(project, "one", "Left."));
    on_branch(&mut project, "right", |project| faces(project, "one", "Right."));
    // The scripts conflict as well, which is no concern of ours.
    git(&project, &["merge", "-q", "left", "-m", "merged"]).expect_status(1);
    let lockfile = project.lockfile();
    for part in ["<<<<<<< ours\n", "Right.", "=======\n", "Left.", ">>>>>>> theirs\n"] {
        assert!(lockfile.contains(part), "no {part:?} in {lockfile}");
    }
    assert_eq!(lockfile.matches("Stays.").count(), 1, "{lockfile}");
    project.run(&["verify"]).finish().expect_status(2).expect_stderr(&["conflict"]);
}

#[test]
fn a_server_that_one_side_dropped_and_the_other_changed_is_a_conflict() {
    let mut project = Project::new();
    project.server("one", &listing(&[tool("a", "Old."), tool("b", "Stays.")]));
    project.server("two", &listing(&[tool("a", "Stays.")]));
    project.pin();
    project.write("base", project.lockfile());
    faces(&project, "one", "New.");
    project.pin();
    project.write("theirs", project.lockfile());
    let kept = project.read("base");
    let two = kept.find("[[server]]\nname = \"two\"").expect("server two");
    let one = kept.find("[[server]]\nname = \"one\"").expect("server one");
    project.write("ours", [&kept[..one], &kept[two..]].concat());
    let merged = project.run(&["merge-driver", "base", "ours", "theirs"]).finish();
    merged.expect_status(1).expect_stderr(&["both sides changed 1 block"]);
    assert!(project.read("ours").contains("<<<<<<< ours\n=======\n[[server]]\nname = \"one\""));

    project.write("ours", [&kept[..one], &kept[two..]].concat());
    project.run(&["merge-driver", "base", "ours", "base"]).finish().expect_status(0).expect_stderr(&[]);
    assert!(!project.read("ours").contains("name = \"one\""));
}

#[test]
fn a_side_that_cannot_be_read_leaves_ours_as_it_is() {
    let project = Project::with_server("one", &listing(&[tool("a", "Old.")]));
    project.pin();
    project.write("broken", "version = 1\n[[tool]]\n");
    project.write("ours", project.lockfile());
    let merged = project.run(&["merge-driver", "ours", "ours", "broken"]).finish();
    merged.expect_status(2).expect_stderr(&["the other side"]);
    assert_eq!(project.read("ours"), project.lockfile());
}

#[test]
fn a_side_that_was_lost_is_not_taken_for_a_wish_to_remove_everything() {
    let project = Project::with_server("one", &listing(&[tool("a", "Old.")]));
    project.pin();
    let whole = project.lockfile();
    for (ours, theirs, told) in [
        ("", whole.as_str(), &["our side is empty"][..]),
        (&whole, "", &["the other side is empty"]),
        ("", "", &["our side is empty", "the other side is empty"]),
    ] {
        project.write("base", &whole);
        project.write("ours", ours);
        project.write("theirs", theirs);
        let merged = project.run(&["merge-driver", "base", "ours", "theirs"]).finish();
        merged.expect_status(2).expect_stdout(&[]).expect_stderr(told).expect_stderr(&["nothing was written"]);
        assert_eq!(project.read("ours"), ours);
    }
    project.write("base", "");
    project.write("ours", &whole);
    project.write("theirs", &whole);
    project.run(&["merge-driver", "base", "ours", "theirs"]).finish().expect_status(0).expect_stderr(&[]);
    assert_eq!(project.read("ours"), whole);
}
