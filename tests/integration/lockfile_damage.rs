//! A lockfile that can't be trusted is "could not check" (2), never an empty one: nothing is started, nothing is written.

use crate::common::{Project, listing, tool};
use crate::told::{folder, marked, stamp};

/// A pinned server whose marker is gone, so that a start would show.
fn pinned() -> Project {
    let mut look = tool("look", "Look up a customer.");
    look["title"] = "Look".into();
    let project =
        Project::with_server("crm", &marked(listing(&[look, tool("send", "Send a mail.\nTo all.")]), "started"));
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

/// With these bytes as its lockfile, no command but a help starts, writes or calls anything in sync; each says these words.
#[track_caller]
fn expect_unusable(project: &Project, bytes: &[u8], parts: &[&str]) {
    project.write("mcp-tools.lock", bytes);
    let before = stamp(project, "mcp-tools.lock");
    for command in [&["check"][..], &["verify"], &["pin", "--yes"], &["pin", "--yes", "crm", "--keep-going"]] {
        let finished = project.run(command).finish();
        finished.expect_refused(parts).expect_told(&["mcp-tools.lock", "help: "]);
        finished.expect_nowhere(&["in sync"]);
    }
    for command in [&["list"][..], &["fmt"]] {
        let finished = project.run(command).finish();
        assert_eq!((finished.status, finished.stdout.as_str()), (2, ""), "{command:?}: {}", finished.stderr);
        finished.expect_stderr(parts);
    }
    assert_eq!(stamp(project, "mcp-tools.lock"), before);
    assert!(!project.exists("started"), "a server was started");
}

/// As [`expect_unusable`], where `fmt` would mend it: only the spelling is another.
#[track_caller]
fn expect_another_spelling(project: &Project, text: &str, line: usize) {
    let good = project.lockfile();
    project.write("mcp-tools.lock", text);
    let before = stamp(project, "mcp-tools.lock");
    for command in [&["check"][..], &["verify"], &["pin", "--yes"]] {
        let finished = project.run(command).finish();
        finished.expect_refused(&["not the one spelling", &format!("mcp-tools.lock:{line}"), "mcp-pin fmt"]);
        assert_eq!(stamp(project, "mcp-tools.lock"), before);
    }
    assert!(!project.exists("started"), "a server was started");
    project.run(&["fmt"]).finish().expect_status(0).expect_stdout(&["rewrote mcp-tools.lock"]).expect_stderr(&[]);
    assert_eq!(project.lockfile(), good);
}

#[test]
fn a_lost_baseline_is_no_first_run() {
    let project = pinned();
    for bytes in ["", "\n", " \n\t\n", "\u{feff}", "\u{feff}\r\n"] {
        expect_unusable(&project, bytes.as_bytes(), &["empty", "baseline is lost"]);
    }
}

#[test]
fn a_file_cut_anywhere_but_between_blocks_is_unusable() {
    let project = pinned();
    let text = project.lockfile();
    let cuts = [
        "version",
        "= 1\n\n[[server]]",
        "command",
        ".json\"]",
        "about",
        "\"serverInfo\"",
        "[[tool]]",
        "digest",
        "look",
        "Send a",
        "\"type\"",
    ];
    for cut in cuts {
        let at = text.find(cut).unwrap_or_else(|| panic!("{cut}: {text}")) + cut.len() - 1;
        project.write("mcp-tools.lock", &text[..at]);
        let finished = project.check();
        finished.expect_refused(&["mcp-tools.lock", "help: "]).expect_nowhere(&["in sync"]);
        project.run(&["pin", "--yes"]).finish().expect_status(2);
        assert_eq!(project.lockfile(), text[..at], "{cut}");
    }
    assert!(!project.exists("started"));
}

#[test]
fn a_file_cut_at_a_block_s_end_is_drift_and_never_in_sync() {
    let project = pinned();
    let text = project.lockfile();
    let last = text.rfind("\n[[tool]]").expect("two tools");
    project.write("mcp-tools.lock", &text[..last]);
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["danger[tool-added] `crm` tool `send`"]).expect_stderr(&[]);
}

#[test]
fn an_edited_text_under_its_old_digest_is_inconsistent_though_the_server_agrees() {
    let project = pinned();
    let text = project.lockfile();
    for (old, new) in [
        ("Look up a customer.", "Look up a friend."),
        ("title = \"Look\"", "title = \"Lock\""),
        ("name = \"send\"", "name = \"mail\""),
        ("    \"type\": \"object\"", "    \"type\": \"string\""),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        expect_unusable(
            &project,
            text.replacen(old, new, 1).as_bytes(),
            &["lock entry inconsistent", "approve neither"],
        );
    }
}

#[test]
fn an_edited_digest_is_inconsistent() {
    let project = pinned();
    let text = project.lockfile();
    let at = text.find("sha256-").expect("a digest") + "sha256-".len();
    let other = if text[at..].starts_with('A') { "B" } else { "A" };
    let edited = format!("{}{other}{}", &text[..at], &text[at + 1..]);
    let line = text[..text.find("[[tool]]").expect("a tool")].matches('\n').count() + 1;
    expect_unusable(
        &project,
        edited.as_bytes(),
        &["lock entry inconsistent", "[[tool]] \"look\" of server \"crm\"", &format!("mcp-tools.lock:{line}")],
    );
    for digest in ["", "sha256-", "sha512-AAAA", "md5-AAAA", "AAAA"] {
        let end = at + text[at..].find('"').expect("its end");
        let edited = format!("{}{digest}{}", &text[..at - "sha256-".len()], &text[end..]);
        expect_unusable(&project, edited.as_bytes(), &["is no digest"]);
    }
}

#[test]
fn a_text_and_its_digest_edited_together_are_drift() {
    let project = pinned();
    let text = project.lockfile();
    let other = pinned();
    other.script(
        "crm",
        &marked(listing(&[tool("look", "Poisoned."), tool("send", "Send a mail.\nTo all.")]), "started"),
    );
    other.pin();
    // The lockfile of somebody who approved another text.
    project.write("mcp-tools.lock", other.lockfile());
    assert_ne!(project.lockfile(), text);
    project.check().expect_status(1).expect_stdout(&["description-changed", "Poisoned"]).expect_stderr(&[]);
}

#[test]
fn another_spelling_is_unusable_until_it_is_formatted() {
    let project = pinned();
    let text = project.lockfile();
    let lines = |before: &str| text[..text.find(before).expect("there")].matches('\n').count() + 1;
    expect_another_spelling(&project, &text.replacen("version = 1", "version  = 1", 1), 3);
    expect_another_spelling(&project, &format!("# reviewed\n{text}"), 1);
    expect_another_spelling(&project, &text.replacen("[[server]]", "\n[[server]]", 1), lines("[[server]]"));
    expect_another_spelling(&project, &text.replacen("client = ", "'client' = ", 1), lines("client = "));
    expect_another_spelling(&project, &text.replacen("Look up", "\\u004cook up", 1), lines("Look up"));
    expect_another_spelling(&project, text.trim_end(), text.matches('\n').count());
    expect_another_spelling(&project, &format!("{text}\n"), text.matches('\n').count() + 1);
    expect_another_spelling(&project, &format!("{text}# end\n"), text.matches('\n').count() + 1);
}

#[test]
fn carriage_returns_and_a_byte_order_mark_of_an_editor_are_fine() {
    let project = pinned();
    let text = project.lockfile();
    for bytes in
        [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), format!("\u{feff}{}", text.replace('\n', "\r\n"))]
    {
        project.write("mcp-tools.lock", &bytes);
        project.check().expect_status(0).expect_stdout(&["in sync: `crm`, 2 tools"]).expect_stderr(&[]);
        project.run(&["verify"]).finish().expect_status(0);
        project.run(&["pin"]).finish().expect_status(0).expect_stdout(&["is unchanged"]);
        assert_eq!(project.lockfile(), bytes, "a pin that changes nothing leaves the line ends to git");
    }
    project.run(&["fmt"]).finish().expect_status(0);
    assert_eq!(project.lockfile(), text, "fmt writes line feeds");
}

#[test]
fn another_encoding_is_named() {
    let project = pinned();
    let text = project.lockfile();
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    expect_unusable(&project, &utf16, &["UTF-16"]);
    let swapped: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    expect_unusable(&project, &swapped, &["UTF-16"]);
    let mut latin = text.into_bytes();
    latin[10] = 0xff;
    expect_unusable(&project, &latin, &["no UTF-8"]);
    latin[10] = 0;
    expect_unusable(&project, &latin, &["NUL"]);
}

#[test]
fn conflict_markers_are_named_wherever_they_stand() {
    let project = pinned();
    let text = project.lockfile();
    let block = text.find("[[tool]]").expect("a tool");
    let inside = text.find("{\n  \"inputSchema\"").expect("a definition");
    for at in [0, block, inside] {
        let conflict = format!("{}<<<<<<< HEAD\n=======\n>>>>>>> other\n{}", &text[..at], &text[at..]);
        let line = text[..at].matches('\n').count() + 1;
        expect_unusable(&project, conflict.as_bytes(), &["merge conflict", &format!("mcp-tools.lock:{line}")]);
    }
}

#[test]
fn a_newer_version_is_left_as_it_is_with_the_way_to_upgrade() {
    let project = pinned();
    let text = project.lockfile().replacen("version = 1", "version = 2", 1);
    expect_unusable(&project, text.as_bytes(), &["written by a newer version of mcp-pin", "cargo install mcp-pin"]);
    let unknown = text.replacen("version = 2", "version = 2\nnew = [1]", 1);
    expect_unusable(&project, unknown.as_bytes(), &["written by a newer version"]);
    let ancient = text.replacen("version = 2", "version = 0", 1);
    expect_unusable(&project, ancient.as_bytes(), &["version 0"]);
}

#[test]
fn unknown_and_missing_keys_and_blocks_without_a_server_are_named() {
    let project = pinned();
    let text = project.lockfile();
    for (old, new, parts) in [
        ("version = 1", "version = 1\nchecksum = \"x\"", ["unknown key \"checksum\"", "mcp-tools.lock:4"]),
        ("client = ", "clientt = ", ["unknown key \"clientt\"", "did you mean \"client\""]),
        ("client = \"mcp-pin/1\"\n", "", ["missing key \"client\"", "[[server]] \"crm\""]),
        ("version = 1\n", "", ["missing key \"version\"", "mcp-tools.lock"]),
        (
            "[[server]]\nname = \"crm\"",
            "[[server]]\nname = \"crn\"",
            ["belongs to a server that has no block", "\"crm\""],
        ),
        ("[[tool]]", "[[tol]]", ["unknown key \"tol\"", "mcp-tools.lock:"]),
        ("protocol = \"2025-11-25\"", "protocol = 20251125", ["\"protocol\"", "not a string"]),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        expect_unusable(&project, text.replacen(old, new, 1).as_bytes(), &parts);
    }
}

#[test]
fn repeated_blocks_and_hidden_second_places_are_named() {
    let project = pinned();
    let text = project.lockfile();
    let tool = &text[text.find("[[tool]]").expect("a tool")..text.rfind("[[tool]]").expect("a tool")];
    expect_unusable(&project, format!("{text}\n{}", tool.trim_end()).as_bytes(), &["a second [[tool]] \"look\""]);
    let server = &text[text.find("[[server]]").expect("a server")..text.find("[[tool]]").expect("a tool")];
    expect_unusable(&project, format!("{text}\n{}", server.trim_end()).as_bytes(), &["a second [[server]]"]);
    let misplaced = text.replacen("{\n  \"inputSchema\"", "{\n  \"description\": \"hidden\",\n  \"inputSchema\"", 1);
    expect_unusable(&project, misplaced.as_bytes(), &["holds \"description\""]);
}

#[test]
fn a_message_names_the_lockfile_as_one_would_type_it() {
    let project = pinned();
    project.write("mcp-tools.lock", format!("# a comment\n{}", project.lockfile()));
    let finished = project.check();
    finished.expect_refused(&[
        "| mcp-tools.lock:1: not the one spelling",
        "`mcp-pin fmt` rewrites it",
        "`git diff -- mcp-tools.lock`",
    ]);
    finished.expect_nowhere(&["[project]"]);
}

#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let project = pinned();
    let text = project.lockfile().replace("digest = \"sha256-", "digest = \"md5-");
    project.write("mcp-tools.lock", text);
    let finished = project.check();
    finished.expect_refused(&["[[tool]] \"look\"", "[[tool]] \"send\""]);
}

#[test]
fn a_damaged_lockfile_and_a_damaged_configuration_are_both_told() {
    let project = pinned();
    project.write("mcp-tools.lock", "");
    project.write(".mcp.json", "{");
    project.check().expect_refused(&["baseline is lost", "reading .mcp.json"]);
}

#[test]
fn a_check_leaves_nothing_behind() {
    let project = pinned();
    let before = folder(&project);
    project.check().expect_status(0);
    let mut after = folder(&project);
    after.retain(|name| name != "started");
    assert_eq!(after, before);
}
