//! Updates of published servers that changed tools, pinned before and checked after.
//!
//! What an update changed is taken from two raw captures. Both releases run under one launch, so that nothing but the
//! server differs.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::symlink;
use std::sync::LazyLock;
use std::thread;

use serde_json::Value;

use crate::capture::{Capture, Client, Kind, Listing};
use crate::common::Project;
use crate::servers::{self, Server};
use crate::{lockfile, processes, skipped};

/// The top-level members that differ, by tool.
type Changes = BTreeMap<String, BTreeSet<String>>;

/// Two releases of a server, and what each really says.
struct Update {
    old: (Server, Capture),
    new: (Server, Capture),
}

static FILESYSTEM: LazyLock<Update> =
    LazyLock::new(|| Update::between(servers::filesystem_2026_1_14(), servers::filesystem_2026_7_10()));
static MEMORY: LazyLock<Update> = LazyLock::new(|| Update::between(servers::memory_2026_1_26(), servers::memory()));
static GIT: LazyLock<Update> = LazyLock::new(|| Update::between(servers::git_2026_1_14(), servers::git_2026_6_16()));

#[test]
fn filesystem_2026_7_10_changed_all_14_tools_13_in_annotations_only() {
    if skipped() {
        return;
    }
    let mut changes = FILESYSTEM.changes();
    assert_eq!(changes.remove("read_media_file"), Some(set(&["annotations", "description", "outputSchema"])));
    expect_annotations_only(&changes, 13);
    is_caught(&FILESYSTEM);
}

#[test]
fn memory_2026_8_31_changed_all_9_tools_in_annotations_only() {
    if skipped() {
        return;
    }
    expect_annotations_only(&MEMORY.changes(), 9);
    is_caught(&MEMORY);
}

#[test]
fn git_2026_6_16_changed_all_12_tools_in_annotations_only() {
    if skipped() {
        return;
    }
    expect_annotations_only(&GIT.changes(), 12);
    is_caught(&GIT);
}

#[test]
fn a_digest_of_description_input_schema_and_title_sees_1_of_these_35() {
    if skipped() {
        return;
    }
    let changes = [&FILESYSTEM, &MEMORY, &GIT].map(|update| update.changes());
    let changed = changes.iter().flat_map(Changes::values);
    let digested = set(&["description", "inputSchema", "title"]);
    let seen = changed.clone().filter(|members| !members.is_disjoint(&digested));
    assert_eq!((seen.count(), changed.count()), (1, 35));
}

#[test]
fn an_update_of_memory_is_accepted_part_by_part() {
    if skipped() {
        return;
    }
    let ((old, _), (new, after)) = (&MEMORY.old, &MEMORY.new);
    let mut project = Project::new();
    project.configure(old.name, old.entry_of("./server"));
    install(old, &project);
    project.pin();
    install(new, &project);
    let review = project.run(&["review", "--format", "json"]).finish();
    review.expect_status(2).expect_stderr(&[]);
    let report: Value = serde_json::from_str(&review.stdout).expect("a report is JSON");
    let next = report["next"].as_array().expect("commands").iter().filter_map(Value::as_str);
    let commands = next.filter_map(|text| text.strip_prefix("only if it is meant: mcp-pin "));
    let commands: Vec<Vec<&str>> = commands.map(|command| command.split(' ').collect()).collect();
    // Its nine tools, and the resource that it came with.
    assert_eq!(commands.len(), 9 + after.of(Kind::Resource).len(), "{}", review.stdout);
    let (last, others) = commands.split_last().expect("commands");
    for command in others {
        project.run(command).finish().expect_status(0);
    }
    let left = project.check();
    left.expect_status(1).expect_stdout(&["1 drifted"]);
    project.run(last).finish().expect_status(0);
    project.check().expect_status(0);
    processes::expect_none(&project);
}

#[test]
fn an_update_in_a_pull_request_starts_only_where_that_is_allowed() {
    if skipped() {
        return;
    }
    let (old, new) = (&MEMORY.old.0, &MEMORY.new.0);
    let mut project = Project::new();
    project.configure(old.name, old.entry_of("./server"));
    install(old, &project);
    project.pin();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(project.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.invalid"]).args(arguments);
        assert!(command.output().expect("git runs").status.success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "pinned"]);
    let check = |arguments: &[&str]| project.run(&[&["check", "--base", "main"], arguments].concat()).finish();
    check(&[]).expect_status(0).expect_stderr(&[]);
    install(new, &project);
    check(&[]).expect_status(2).expect_stdout(&["its launch can reach server, which differs from main"]);
    let proposed = check(&["--run-changed"]);
    proposed.expect_status(1).expect_nowhere(&["(proposed)"]);
    project.pin();
    check(&["--run-changed"]).expect_status(1).expect_stdout(&["(proposed)", "1 drifted"]);
    processes::expect_none(&project);
}

#[track_caller]
fn expect_annotations_only(changes: &Changes, tools: usize) {
    assert_eq!(changes.len(), tools);
    for (name, members) in changes {
        assert_eq!(members, &set(&["annotations"]), "{name}");
    }
}

fn set(members: &[&str]) -> BTreeSet<String> {
    members.iter().map(|&member| member.to_owned()).collect()
}

impl Update {
    fn between(old: Server, new: Server) -> Self {
        let (before, after) = thread::scope(|scope| {
            let before = scope.spawn(|| old.capture(Client::FULL));
            let after = new.capture(Client::FULL);
            (before.join().expect("captured"), after)
        });
        Self { old: (old, before), new: (new, after) }
    }

    /// What the update changed; no tool came or went.
    fn changes(&self) -> Changes {
        let (old, new) = (self.old.1.tools(), self.new.1.tools());
        assert_eq!(old.keys().collect::<Vec<_>>(), new.keys().collect::<Vec<_>>());
        let changes = old.iter().map(|(name, before)| (name.clone(), differing_members(before, &new[name])));
        changes.filter(|(_, members)| !members.is_empty()).collect()
    }
}

fn differing_members(old: &Value, new: &Value) -> BTreeSet<String> {
    let members = |tool: &Value| tool.as_object().expect("a tool is an object").clone();
    let (old, new) = (members(old), members(new));
    old.keys().chain(new.keys()).filter(|&key| old.get(key) != new.get(key)).cloned().collect()
}

/// Pins the old release, checks the new one, and accepts it.
fn is_caught(update: &Update) {
    let ((old, before), (new, after)) = (&update.old, &update.new);
    let mut project = Project::new();
    project.configure(old.name, old.entry_of("./server"));
    install(old, &project);
    project.pin();
    let text = project.lockfile();
    lockfile::pinned(&text, old.name).expect(before);

    install(new, &project);
    let check = project.run(&["check", "--format", "json"]).finish();
    check.expect_status(1).expect_stderr(&[]);
    processes::expect_none(&project);
    assert_eq!(project.lockfile(), text);
    expect_reported(update, &check.stdout);

    // The command that the report names. The launch is the approved one, so nobody has to say yes.
    let report: Value = serde_json::from_str(&check.stdout).expect("a report is JSON");
    let next = report["next"].as_array().expect("commands").iter().filter_map(Value::as_str);
    let mut commands = next.filter_map(|text| text.strip_prefix("only if all of it is meant: mcp-pin "));
    let words: Vec<&str> = commands.next().expect("a command").split(' ').collect();
    project.run(&words).finish().expect_status(0);
    lockfile::pinned(&project.lockfile(), new.name).expect(after);
    project.check().expect_status(0);
    processes::expect_none(&project);
}

/// A report in JSON names each difference of an update and nothing else.
fn expect_reported(update: &Update, report: &str) {
    let (before, after) = (update.old.1.tools(), update.new.1.tools());
    let report: Value = serde_json::from_str(report).expect("a report is JSON");
    assert_eq!(report["outcome"], "drift");
    assert_eq!(report["servers"].as_array().map(Vec::len), Some(1));
    let mut resources = Listing::new();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for finding in report["servers"][0]["findings"].as_array().expect("findings") {
        let Some(name) = finding["item"]["name"].as_str() else {
            // About the server itself, of which these updates changed nothing that may fail.
            assert_eq!(finding["level"], "notice", "{finding}");
            continue;
        };
        if finding["item"]["kind"] == "resource" {
            // Of these updates only memory's came with one.
            assert_eq!((&finding["rule"], &finding["pointer"]), (&"resource-added".into(), &"".into()));
            resources.insert(name.to_owned(), finding["new"].clone());
            continue;
        }
        assert_eq!(finding["item"]["kind"], "tool", "{finding}");
        let pointer = finding["pointer"].as_str().expect("a pointer");
        assert_eq!(finding.get("old"), before[name].pointer(pointer), "{name} {pointer}");
        assert_eq!(finding.get("new"), after[name].pointer(pointer), "{name} {pointer}");
        places.entry(name).or_default().push(pointer);
    }
    assert_eq!(update.old.1.of(Kind::Resource), &Listing::new());
    assert_eq!(update.new.1.of(Kind::Resource), &resources);
    let member = |pointer: &&str| pointer.split('/').nth(1).expect("a member").to_owned();
    let reported = places.iter().map(|(&tool, pointers)| (tool.to_owned(), pointers.iter().map(member).collect()));
    assert_eq!(reported.collect::<Changes>(), update.changes());
    for (&tool, pointers) in &places {
        let (old, new) = (&before[tool], &after[tool]);
        for place in lost(old, new).into_iter().chain(lost(new, old)) {
            let within = |pointer: &&str| {
                place.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            assert!(pointers.iter().any(within), "{tool}: {place} differs, reported are {pointers:?}");
        }
    }
}

/// The places of all scalars and empty containers of one tool that another hasn't.
fn lost(tool: &Value, other: &Value) -> Vec<String> {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    let mut places = Vec::new();
    let mut open = vec![(String::new(), tool)];
    while let Some((place, value)) = open.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                open.extend(members.iter().map(|(key, member)| (format!("{place}/{}", escaped(key)), member)));
            }
            Value::Array(elements) if !elements.is_empty() => {
                open.extend(elements.iter().enumerate().map(|(index, element)| (format!("{place}/{index}"), element)));
            }
            leaf if other.pointer(&place) != Some(leaf) => places.push(place),
            _ => {}
        }
    }
    places
}

/// Makes a release the one that the project's launch runs.
fn install(server: &Server, project: &Project) {
    let link = project.path("server");
    if link.is_symlink() {
        std::fs::remove_file(&link).expect("removed");
    }
    symlink(&server.program, link).expect("linked");
}
