//! A server's text, a configuration's and a lockfile's act on no terminal and on no log of continuous integration.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, scripted_server, tool};

/// Text that would act: screen, title, link, colour, C1, return, direction, hidden, and commands of build systems.
pub(crate) const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]8;;http://evil.example\u{1b}\\link\u{9b}31m\rover\u{8}\u{202e}live\u{2066}\u{200b}\u{e0041}\n::error::x\n  ::set-output name=a::b\n\t##[error]y\n##vso[task.complete]z\nend\u{7f}\u{0}";

/// Nothing in either output acts on a terminal or a log.
#[track_caller]
pub(crate) fn expect_tame(finished: &Finished) {
    for (name, text) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        for character in text.chars() {
            let acts = (character.is_control() && character != '\n')
                || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
            assert!(!acts, "{character:?} in {name}:\n{text:?}");
        }
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::"), "a command in {name}: {line:?}\n{text}");
            assert!(!line.contains("##[") && !line.contains("##vso["), "a command in {name}: {line:?}\n{text}");
        }
    }
}

#[track_caller]
fn expect_all_tame(project: &Project, status: i32) {
    for mode in [&["check"][..], &["check", "-v", "--full"], &["check", "-q"], &["check", "--format", "json"]] {
        let finished = project.run(mode).finish();
        finished.expect_status(status);
        expect_tame(&finished);
    }
}

#[test]
fn names_descriptions_and_schemas_stay_text() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A."), tool("gone", HOSTILE)]));
    project.pin();
    let hostile_tool = json!({
        "name": HOSTILE,
        "title": HOSTILE,
        "description": HOSTILE,
        "inputSchema": { "type": "object", "properties": { HOSTILE: { "description": HOSTILE } } },
    });
    let changed = json!({ "name": "a", "description": HOSTILE, "inputSchema": { "type": "object", HOSTILE: [HOSTILE], "properties": { HOSTILE: { "enum": [HOSTILE] } } } });
    let server = json!({ "name": HOSTILE, "version": HOSTILE });
    project.script("crm", &json!({ "tools": [changed, hostile_tool], "instructions": HOSTILE, "server": server }));
    expect_all_tame(&project, 1);
    let pin = project.run(&["pin", "--yes"]).finish();
    pin.expect_status(0);
    expect_tame(&pin);
    expect_all_tame(&project, 0);
    let list = project.run(&["list"]).finish();
    list.expect_status(0);
    expect_tame(&list);
    let odd = project.lockfile().chars().find(|&character| character.is_control() && character != '\n');
    assert_eq!(odd, None, "the lockfile is tame too");
}

#[test]
fn what_was_said_is_still_told_as_escapes() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", "A.\u{1b}[2J\u{202e}")]));
    project.check().expect_status(1).expect_stdout(&["\\u{1b}[2J\\u{202e}"]);
}

#[test]
fn a_server_s_last_words_and_errors_stay_text() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let words: String = HOSTILE.chars().filter(|&character| character != '\u{0}').collect();
    for deeds in [
        json!([{ "stderr": words }, { "exit": 1 }]),
        json!([{ "error": { "code": -32000, "message": words, "data": words } }]),
    ] {
        let method = if deeds[0].get("stderr").is_some() { "start" } else { "tools/list" };
        project.script("crm", &json!({ "on": [{ "method": method, "do": deeds }] }));
        expect_all_tame(&project, 2);
    }
}

#[test]
fn noise_on_a_server_s_stdout_stays_text() {
    let noise = json!([{ "line": "::error::noise \u{1b}[2J" }, { "line": "##[error]noise\u{202e}" }]);
    let project =
        Project::with_server("crm", &json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": noise }] }));
    let pin = project.run(&["pin", "--yes"]).finish();
    pin.expect_status(0);
    expect_tame(&pin);
    expect_all_tame(&project, 0);
}

#[test]
fn names_launches_and_options_of_a_configuration_stay_text() {
    let mut project = Project::new();
    project.script("crm", &listing(&[tool("a", "A.")]));
    let name = HOSTILE.replace('\u{0}', "");
    let entry = json!({ "command": scripted_server(), "args": ["crm.json", name], "env": { "LEVEL": name }, "note": HOSTILE, HOSTILE: [HOSTILE] });
    project.configure(&name, entry);
    let consent = project.run(&["pin"]).finish();
    consent.expect_status(2);
    expect_tame(&consent);
    let pin = project.run(&["pin", "--yes"]).finish();
    pin.expect_status(0);
    expect_tame(&pin);
    expect_all_tame(&project, 0);
    project.configure(&name, json!({ "command": format!("other {name}/x"), "args": [name], "x": HOSTILE }));
    expect_all_tame(&project, 1);
    let verify = project.run(&["verify"]).finish();
    verify.expect_status(1);
    expect_tame(&verify);
}

#[test]
fn names_on_the_command_line_stay_text() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    for arguments in [
        &["check", "::error::\u{1b}[2J\u{202e}"][..],
        &["list", "\n::error::x"],
        &["check", "--config", "\n::error::\u{1b}"],
        &["check", "-C", "\n##[x\u{1b}"],
        &["check", "--lockfile", "\n::x\u{9b}"],
    ] {
        let finished = project.run(arguments).finish();
        finished.expect_status(2);
        expect_tame(&finished);
    }
}

#[test]
fn hostile_text_of_a_damaged_lockfile_stays_text() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let text = project.lockfile();
    for damaged in [
        text.replacen("version = 1", "version = 1\n\"\\u001b[2J\\n::error::\\u202e\" = 1", 1),
        text.replacen("name = \"crm\"", "name = \"\\u001b[2J\\n::error::\\u202e\"", 1),
        text.replacen("version = 1", "version = \u{1b}[2J\u{202e}\n::error::x", 1),
        text.replacen("version = 1", "# \u{202e}::error::\u{200b}\nversion = 1", 1),
        format!("::error::x\u{9b}\n##[y\n{text}"),
    ] {
        project.write("mcp-tools.lock", damaged);
        expect_all_tame(&project, 2);
        // Last what may mend it.
        for command in ["list", "fmt"] {
            expect_tame(&project.run(&[command]).finish());
        }
        project.write("mcp-tools.lock", &text);
    }
}

#[test]
fn a_json_report_is_printable_ascii_and_gives_every_text_back() {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", HOSTILE)]));
    let finished = project.run(&["check", "--format", "json"]).finish();
    finished.expect_status(1).expect_stderr(&[]);
    assert!(finished.stdout.chars().all(|character| character == '\n' || (' '..='~').contains(&character)));
    let report: Value = finished.json();
    assert_eq!(crate::told::finding(&report, "crm", "description-changed")["new"], json!(HOSTILE));
}

#[test]
fn last_words_of_a_server_begin_no_line_in_any_format() {
    let words = "::add-mask::e\n::stop-commands::x\n  ::error::y\n";
    let dying = json!({ "tools": [], "on": [{ "method": "tools/list", "do": [{ "stderr": words }, { "exit": 3 }] }] });
    let error = json!({ "error": { "code": -1, "message": words } });
    let refusing = json!({ "tools": [], "on": [{ "method": "tools/list", "do": [error] }] });
    for script in [dying, refusing] {
        let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
        project.pin();
        project.script("crm", &script);
        for format in ["human", "json", "sarif", "junit", "markdown"] {
            let finished = project.run(&["check", "--format", format]).finish();
            finished.expect_status(2).expect_stdout(&["add-mask"]);
            expect_tame(&finished);
        }
        // An annotation is such a line itself.
        let annotations = project.run(&["check", "--format", "github"]).finish();
        let own = |line: &&str| line.starts_with("::error ") || line.starts_with("::notice ");
        for line in annotations.stdout.lines().filter(|line| !own(line)) {
            assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
    }
}
