//! What version control does to lockfiles: textual merges of what two people pinned.

use std::process::Command;

use super::*;
use crate::lock::to_text;

fn three_servers(edit: impl Fn(&str) -> Vec<Item>) -> Lockfile {
    lockfile(["a", "b", "c"].map(|name| (name, server(stdio(name), edit(name)))))
}

fn described(name: &str, description: &str) -> Item {
    tool(&format!(r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object"}}}}"#))
}

/// What `git merge-file` makes of two sides, and how many conflicts it leaves.
fn merged(base: &Lockfile, ours: &Lockfile, theirs: &Lockfile) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [("ours", ours), ("base", base), ("theirs", theirs)].map(|(name, locked)| {
        let path = folder.path().join(name);
        std::fs::write(&path, to_text(locked)).expect("written");
        path
    });
    let output = Command::new("git").args(["merge-file", "-p"]).args(paths).output().expect("git runs");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
}

#[test]
fn pins_of_two_servers_that_are_no_neighbours_merge_as_text() {
    let base = three_servers(|_| vec![described("x", "old"), described("y", "old")]);
    let side = |changed: &'static str| {
        three_servers(move |name| {
            let text = if name == changed { "new" } else { "old" };
            let mut items = vec![described("x", text), described("y", "old")];
            if name == changed {
                items.push(described("z", "added"));
            }
            items
        })
    };
    let (text, conflicts) = merged(&base, &side("a"), &side("c"));
    assert_eq!(conflicts, Some(0), "{text}");
    let read = parse(&text, FILE).expect(&text);
    assert!(same(&only(&read, "a"), &only(&side("a"), "a")));
    assert!(same(&only(&read, "b"), &only(&base, "b")));
    assert!(same(&only(&read, "c"), &only(&side("c"), "c")));
}

fn only(locked: &Lockfile, name: &'static str) -> Lockfile {
    lockfile([(name, locked.servers[name].clone())])
}

#[test]
fn a_server_added_and_another_removed_merge_as_text() {
    let base = three_servers(|_| vec![described("x", "old")]);
    let mut ours = base.clone();
    ours.servers.insert("d".to_owned(), server(stdio("d"), vec![described("x", "old")]));
    let mut theirs = base.clone();
    theirs.servers.remove("a");
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!(conflicts, Some(0), "{text}");
    assert_eq!(parse(&text, FILE).expect(&text).servers.keys().collect::<Vec<_>>(), ["b", "c", "d"]);
}

#[test]
fn two_pins_of_one_tool_conflict_and_the_conflict_is_named() {
    let side = |text: &'static str| three_servers(move |_| vec![described("x", text)]);
    let (text, conflicts) = merged(&side("old"), &side("ours"), &side("theirs"));
    assert_eq!(conflicts, Some(3));
    let error = refusal(&text);
    let line = text.lines().position(|line| line.starts_with("<<<<<<<")).expect("a marker") + 1;
    assert_eq!((error.faults[0].kind.clone(), error.faults[0].line), (FaultKind::Conflict, Some(line)));
}

#[test]
fn sides_that_were_joined_line_by_line_do_not_pass() {
    // What `merge=union` makes of two descriptions.
    let text = to_text(&three_servers(|_| vec![described("x", "old")]));
    let union = text.replace("description = \"old\"\n", "description = \"old\"\ndescription = \"new\"\n");
    assert!(matches!(kinds(&union)[..], [FaultKind::Syntax { .. }]));
}
