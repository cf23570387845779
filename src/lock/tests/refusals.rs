//! Every way in which a lockfile may be wrong has its own message, place and help.

use super::*;
use crate::lock::{BlockName, parse_any_spelling, parse_bytes, to_text};
use crate::problem::Problem;

/// The one problem that an error comes to.
fn only_problem(error: &LockError) -> Problem {
    let mut problems = error.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

/// The example with one part of its text exchanged.
fn with(part: &str, replacement: &str) -> String {
    let text = to_text(&example());
    assert!(text.contains(part), "{part}");
    text.replacen(part, replacement, 1)
}

/// What the message says, without the file and the line.
fn message(text: &str) -> String {
    kinds(text).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn crm() -> BlockName {
    BlockName::Server(Some("crm".to_owned()))
}

fn lookup() -> BlockName {
    BlockName::Item { kind: Kind::Tool, server: Some("crm".to_owned()), name: Some("lookup_customer".to_owned()) }
}

#[test]
fn an_empty_file_is_a_lost_baseline() {
    for text in ["", " \n\t\r\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(kinds(text), [FaultKind::Empty], "{text:?}");
    }
    let problem = only_problem(&refusal(""));
    assert!(problem.help.contains("`git checkout -- mcp-tools.lock`"), "{problem:?}");
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let kind = |bytes: &[u8]| parse_bytes(bytes, FILE).expect_err("no text").faults.remove(0);
    let utf16: Vec<u8> = "\u{feff}version = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(kind(&utf16).kind, FaultKind::Utf16);
    assert_eq!(kind(&utf16[2..]).kind, FaultKind::Nul);
    assert_eq!(kind(b"\xfe\xff\0v").kind, FaultKind::Utf16);
    assert_eq!(kind(&[0; 4096]).kind, FaultKind::Nul);
    let latin1 = kind(b"version = 1\n# caf\xe9\n");
    assert_eq!((latin1.kind, latin1.line), (FaultKind::NotUtf8, Some(2)));
}

#[test]
fn conflict_markers_are_named_with_their_line() {
    for marker in ["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"] {
        for part in ["version = 1\n", "Fails when"] {
            let text = with(part, &format!("\n{marker}\n{part}"));
            let error = refusal(&text);
            assert_eq!(error.faults[0].kind, FaultKind::Conflict);
            assert_eq!(error.faults[0].line, text.lines().position(|line| line == marker).map(|line| line + 1));
        }
    }
    assert!(only_problem(&refusal("<<<<<<< a")).help.contains("git checkout --ours"));
}

#[test]
fn a_marker_in_a_description_is_no_conflict() {
    let items = vec![tool(r#"{"name":"a","description":"Title\n=======\n<<<<<<< x"}"#)];
    let locked = lockfile([("crm", server(stdio("node"), items))]);
    assert!(same(&parse(&to_text(&locked), FILE).expect("valid"), &locked));
}

#[test]
fn text_that_is_no_toml_is_named_with_line_and_column() {
    let error = refusal(&with("name = \"crm\"", "name = \"crm"));
    assert!(matches!(error.faults[0].kind, FaultKind::Syntax { .. }));
    assert_eq!(error.faults[0].line, Some(6));
    let repeated = refusal(&with("name = \"crm\"", "name = \"crm\"\nname = \"crm\""));
    assert_eq!(repeated.to_string(), "mcp-tools.lock:7: no valid TOML: duplicate key (column 1)");
    for text in ["a\rb = 1", "version = 1\nx = \"\u{1}\"", "}"] {
        assert!(matches!(kinds(text)[..], [FaultKind::Syntax { .. }]), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    for text in [
        format!("version = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("version = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)),
        format!("version = 1\n{}b = 1", "a.".repeat(100_000)),
        format!("version = 1\n[{}b]\n", "a.".repeat(100_000)),
        with("{\n  \"annotations\"", &format!("{{\"x\":{}", "[".repeat(100_000))),
    ] {
        assert!(parse(&text, FILE).is_err());
    }
}

#[test]
fn the_version_is_read_before_anything_else() {
    let version = |text: &str| kinds(&with("version = 1", &format!("{text}\nnovel = true")));
    assert_eq!(version("# version = 1"), [FaultKind::NoVersion]);
    assert_eq!(version("version = 2"), [FaultKind::NewerVersion("2".to_owned())]);
    let huge = "99999999999999999999";
    assert_eq!(version(&format!("version = {huge}")), [FaultKind::NewerVersion(huge.to_owned())]);
    for older in ["0", "-1", "-99999999999999999999"] {
        assert_eq!(version(&format!("version = {older}")), [FaultKind::UnknownVersion(older.to_owned())]);
    }
    assert_eq!(message("version = \"1\""), "\"version\" in the file's head is a string, not an integer");
    let problem = only_problem(&refusal(&with("version = 1", "version = 2")));
    assert!(problem.cause.contains("written by a newer version of mcp-pin"), "{problem:?}");
    assert!(problem.help.starts_with("upgrade"), "{problem:?}");
}

#[test]
fn unknown_keys_are_named_with_the_key_that_was_meant() {
    assert_eq!(
        message(&with("version = 1", "version = 1\nversoin = 1")),
        "unknown key \"versoin\" in the file's head; did you mean \"version\"?"
    );
    assert_eq!(
        message(&with("args = ", "arg = ")),
        "unknown key \"arg\" in [[server]] \"crm\"; did you mean \"args\"?"
    );
    assert_eq!(
        message(&with("definition = ", "novel = 1\ndefinition = ")),
        "unknown key \"novel\" in [[tool]] \"lookup_customer\" of server \"crm\""
    );
    assert_eq!(message(&with("[[tool]]", "[[novel]]")), "unknown key \"novel\" in the file's head");
}

#[test]
fn missing_keys_are_named_all_of_them() {
    let text = "version = 1\n\n[[server]]\ncommand = \"x\"\n\n[[tool]]\nserver = \"crm\"\n";
    let mut missing: Vec<&str> = Vec::new();
    for kind in kinds(text) {
        match kind {
            FaultKind::MissingKey { key, .. } => missing.push(key),
            other => assert!(matches!(other, FaultKind::NoSuchServer { .. }), "{other}"),
        }
    }
    assert_eq!(missing, ["name", "client", "protocol", "about", "name", "digest", "definition"]);
    assert_eq!(message(&with("protocol = \"2025-11-25\"\n", "")), "missing key \"protocol\" in [[server]] \"crm\"");
}

#[test]
fn values_of_another_type_are_named() {
    for (part, replacement, expected) in [
        ("name = \"crm\"", "name = 1", "\"name\" in [[server]] is an integer, not a string"),
        (
            "args = [\"server.mjs\"]",
            "args = \"x\"",
            "\"args\" in [[server]] \"crm\" is a string, not an array of strings",
        ),
        ("\"server.mjs\"", "true", "\"args\" in [[server]] \"crm\" is a boolean, not an array of strings"),
        ("\"info\"", "1.5", "\"env\" in [[server]] \"crm\" is a float, not a table of strings"),
        ("\"2025-11-25\"", "2025-11-25", "\"protocol\" in [[server]] \"crm\" is a date, not a string"),
        (
            "\"2025-11-25\"",
            "\"2025-11-2x\"",
            "\"protocol\" in [[server]] \"crm\" is another text, not a revision such as",
        ),
        ("\"2025-11-25\"", "\"x\"", "\"protocol\" in [[server]] \"crm\" is another text, not a revision such as"),
    ] {
        assert!(message(&with(part, replacement)).contains(expected), "{}", message(&with(part, replacement)));
    }
    assert_eq!(
        message("version = 1\nserver = 1"),
        "\"server\" in the file's head is an integer, not an array of tables"
    );
    assert_eq!(message("version = 1\ntool = [1]"), "\"tool\" in the file's head is an integer, not an array of tables");
    assert_eq!(message("version = 1\n[tool]"), "\"tool\" in the file's head is a table, not an array of tables");
}

#[test]
fn a_second_block_of_one_server_or_one_tool_is_refused() {
    let text = to_text(&example());
    let blocks = text.find("[[server]]").expect("a server");
    let tool = text.find("[[tool]]").expect("a tool");
    assert_eq!(
        kinds(&format!("{text}\n{}", &text[blocks..tool])),
        [FaultKind::RepeatedServer { name: "crm".to_owned(), first: 5 }]
    );
    assert_eq!(kinds(&format!("{text}\n{}", &text[tool..])), [FaultKind::RepeatedItem { block: lookup(), first: 26 }]);
}

#[test]
fn an_item_without_its_server_s_block_is_refused() {
    let error = refusal(&with("server = \"crm\"", "server = \"CRM\""));
    assert_eq!(
        error.to_string(),
        "mcp-tools.lock:26: [[tool]] \"lookup_customer\" of server \"CRM\" belongs to a server that has no block"
    );
}

#[test]
fn a_launch_is_of_one_kind() {
    assert_eq!(
        kinds(&with("command = \"node\"", "command = \"node\"\nurl = \"https://x\"")),
        [FaultKind::BothTransports { block: crm() }]
    );
    assert_eq!(kinds(&with("command = \"node\"\n", "")), [FaultKind::NoTransport { block: crm() }]);
    let other = |key, transport| FaultKind::OtherTransport { block: crm(), key, transport };
    assert_eq!(
        kinds(&with("command = \"node\"", "url = \"https://x\"\ncwd = \".\"")),
        [other("args", "url"), other("env", "url"), other("cwd", "url")]
    );
    assert_eq!(kinds(&with("command", "headers = {}\ncommand")), [other("headers", "command")]);
}

#[test]
fn a_digest_must_look_like_one() {
    for digest in ["", "sha256-", "sha512-67hm7Ak9MV6menZgrTeYeUPDAeXWSEOIizCmrubgdzA=", "sha256-AAAA"] {
        let text = with("sha256-67hm7Ak9MV6menZgrTeYeUPDAeXWSEOIizCmrubgdzA=", digest);
        assert_eq!(kinds(&text), [FaultKind::BadDigest { block: lookup() }], "{digest}");
    }
}

#[test]
fn json_that_is_not_strict_is_named_with_its_place_in_the_file() {
    let text = with("\"readOnlyHint\": true", "\"readOnlyHint\": true, \"readOnlyHint\": false");
    assert_eq!(
        refusal(&text).to_string(),
        "mcp-tools.lock:37: \"definition\" in [[tool]] \"lookup_customer\" of server \"crm\" is no strict JSON: \
         repeated key \"readOnlyHint\" in /annotations (line 37, column 27)"
    );
    assert_eq!(text.lines().nth(36), Some("    \"readOnlyHint\": true, \"readOnlyHint\": false"));
    assert!(message(&with("\"demo-crm\"", "\"\\ud800\"")).contains("half a surrogate pair in /serverInfo/name"));
    assert!(message(&with("\"tools\": {}", "\"tools\": NaN")).contains("\"about\" in [[server]] \"crm\""));
}

#[test]
fn json_that_is_no_object_is_refused() {
    for json in ["[]", "null", "\"x\""] {
        let text = with("client = ", &format!("options = '{json}'\nclient = "));
        assert_eq!(kinds(&text), [FaultKind::NotAnObject { block: crm(), key: "options" }]);
    }
}

#[test]
fn what_has_a_key_of_its_own_stands_nowhere_else() {
    let misplaced = |block, key, member| [FaultKind::Misplaced { block, key, member }];
    for (member, json) in [
        ("name", "\"name\": \"lookup_customer\""),
        ("name", "\"name\": 1"),
        ("title", "\"title\": \"x\""),
        ("title", "\"title\": null"),
        ("description", "\"description\": []"),
    ] {
        let text = with("  \"inputSchema\"", &format!("  {json},\n  \"inputSchema\""));
        assert_eq!(kinds(&text), misplaced(lookup(), "definition", member), "{json}");
    }
    let text = with("  \"capabilities\"", "  \"instructions\": null,\n  \"capabilities\"");
    assert_eq!(kinds(&text), misplaced(crm(), "about", "instructions"));
    let text = with("\"name\": \"demo-crm\"", "\"name\": \"demo-crm\", \"version\": \"1\"");
    assert_eq!(kinds(&text.replace("release = \"1.0.0\"\n", "")), misplaced(crm(), "about", "version"));
}

#[test]
fn text_and_digest_must_belong_together() {
    let error = refusal(&with("Fails when", "Never fails, even when"));
    let [fault] = &error.faults[..] else { panic!("{error}") };
    assert!(matches!(&fault.kind, FaultKind::Inconsistent { block, .. } if *block == lookup()), "{error}");
    assert_eq!(fault.line, Some(26));
    let text = error.to_string();
    assert!(
        text.contains("lock entry inconsistent: text and digest of [[tool]] \"lookup_customer\" of server \"crm\""),
        "{text}"
    );
    assert!(only_problem(&error).help.starts_with("approve neither the text nor the digest"));
    for (part, replacement) in [
        ("sha256-67", "sha256-77"),
        ("name = \"lookup_customer\"", "name = \"lookup\""),
        ("title = \"Look up customer\"\n", ""),
        ("\"readOnlyHint\": true", "\"readOnlyHint\": false"),
    ] {
        assert!(matches!(kinds(&with(part, replacement))[..], [FaultKind::Inconsistent { .. }]), "{part}");
    }
}

#[test]
fn all_inconsistent_entries_are_reported() {
    let items = (0..30).map(|index| tool(&format!(r#"{{"name":"t{index:02}","description":"honest"}}"#))).collect();
    let text = to_text(&lockfile([("crm", server(stdio("node"), items))])).replace("honest", "poisoned");
    let error = refusal(&text);
    assert_eq!(error.faults.len(), 30);
    let problem = only_problem(&error);
    assert_eq!(problem.cause.lines().count(), 21);
    assert!(problem.cause.ends_with("mcp-tools.lock: 10 more like these"), "{}", problem.cause);
    assert_eq!(problem.help.lines().count(), 1);
}

#[test]
fn another_spelling_is_refused_with_the_first_line_that_differs() {
    let error = refusal(&with("[[server]]\nname = \"crm\"", "[[server]] # all fine\nname = \"\\u0063rm\""));
    assert_eq!(
        error.to_string(),
        "mcp-tools.lock:5: not the one spelling of a lockfile, from column 11\n  \
         found:    `[[server]] # all fine`\n  expected: `[[server]]`"
    );
    assert!(only_problem(&error).help.starts_with("`mcp-pin fmt` rewrites it"));
    for (part, replacement) in [
        ("version = 1", "version = 0x1"),
        ("# Review", "#  Review"),
        ("\"crm\"", "'crm'"),
        ("\"crm\"", "\"c\\x72m\""),
        ("args = [\"server.mjs\"]", "args = [ \"server.mjs\", ]"),
        ("client = ", "options = '{}'\nclient = "),
        ("client = ", "unverified = []\nclient = "),
        ("env = { CRM_TOKEN = \"${CRM_TOKEN}\", ", "env = { \"CRM_TOKEN\" = \"${CRM_TOKEN}\", "),
        ("\"readOnlyHint\": true", "\"readOnlyHint\":true"),
        ("Look up a customer record", "Look up a\\u0020customer record"),
        ("\n[[tool]]", "\n\n[[tool]]"),
    ] {
        assert!(matches!(kinds(&with(part, replacement))[..], [FaultKind::Spelling { .. }]), "{replacement}");
    }
}

#[test]
fn the_end_of_the_file_is_spelled_too() {
    let text = to_text(&example());
    assert!(message(text.trim_end()).ends_with("found:    `'''` without a line feed\n  expected: `'''`"));
    assert!(message(&format!("{text}\n")).ends_with("found:    ``\n  expected: the end of the file"));
    assert!(message(&format!("{text}# ok")).contains("found:    `# ok` without a line feed"));
}

#[test]
fn a_long_line_is_shown_around_the_difference() {
    let items = vec![tool(&format!(r#"{{"name":"a","description":"{}"}}"#, "é".repeat(100_000)))];
    let text = to_text(&lockfile([("crm", server(stdio("node"), items))]));
    let at = text.find("ééé").expect("there") + 'é'.len_utf8() * 50_000;
    let changed = format!("{}\\u00E9{}", &text[..at], &text[at + 'é'.len_utf8()..]);
    let shown = message(&changed);
    assert!(shown.contains("éé\\u00E9éé") && shown.chars().count() < 400, "{shown}");
}

#[test]
fn another_spelling_can_be_read_to_be_rewritten_but_not_another_content() {
    let text = with("[[server]]\n", "[[server]] # note\n\n").replace("\"crm\"", "'crm'");
    let read = parse_any_spelling(text.as_bytes(), FILE).expect("valid but for its spelling");
    assert!(same(&read, &example()));
    for text in [with("Fails when", "Never fails when"), with("client = ", "novel = 1\nclient = "), String::new()] {
        assert_eq!(parse_any_spelling(text.as_bytes(), FILE), Err(refusal(&text)));
    }
}

#[test]
fn foreign_names_stay_on_one_line_of_a_message() {
    let items = vec![tool(r#"{"name":"a\nmcp-tools.lock:1: \u001b[2Jfine","description":"honest"}"#)];
    let text = to_text(&lockfile([("crm", server(stdio("node"), items))])).replace("honest", "poisoned");
    let problem = only_problem(&refusal(&text));
    assert_eq!(problem.cause.lines().count(), 1, "{}", problem.cause);
    assert!(problem.cause.contains(r#""a\nmcp-tools.lock:1: \u001B[2Jfine""#), "{}", problem.cause);
    let text = with("\"readOnlyHint\": true", "\"a\\nb\": 1, \"a\\nb\": 2");
    assert_eq!(only_problem(&refusal(&text)).cause.lines().count(), 1);
}

#[test]
fn commands_in_help_quote_the_file_s_name() {
    let help = |file| only_problem(&parse("", file).expect_err("empty")).help;
    assert!(help("my locks/a'b.lock").contains(r"`git checkout -- 'my locks/a'\''b.lock'`"));
    let spelled = parse(&format!("{}\n", to_text(&example())), "ci/tools.lock").expect_err("a line too many");
    assert!(only_problem(&spelled).help.starts_with("`mcp-pin fmt --lockfile ci/tools.lock`"));
}

#[test]
fn faults_that_need_other_help_are_problems_of_their_own() {
    let text = with("Fails when", "Never fails when").replace("protocol = \"2025-11-25\"\n", "");
    let problems = refusal(&text).problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].cause.starts_with("mcp-tools.lock:5: missing key"), "{problems:?}");
    assert!(problems[1].cause.starts_with("mcp-tools.lock:25: lock entry inconsistent"), "{problems:?}");
}
