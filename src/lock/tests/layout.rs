//! The one spelling, by example.

use super::*;
use crate::lock::to_text;

const EXAMPLE: &str = r#"# MCP tool definitions that this project has approved. Written by `mcp-pin pin`.
# Review a change of this file as you would review code: it is what your agents will be told.
version = 1

[[server]]
name = "crm"
config = ".mcp.json"
command = "node"
args = ["server.mjs"]
env = { CRM_TOKEN = "${CRM_TOKEN}", LOG_LEVEL = "info" }
client = "mcp-pin/1"
protocol = "2025-11-25"
release = "1.0.0"
about = '''
{
  "capabilities": {
    "tools": {}
  },
  "serverInfo": {
    "name": "demo-crm"
  }
}
'''
instructions = "A customer database."

[[tool]]
server = "crm"
name = "lookup_customer"
digest = "sha256-67hm7Ak9MV6menZgrTeYeUPDAeXWSEOIizCmrubgdzA="
title = "Look up customer"
description = """
Look up a customer record by ID.
Fails when the ID is unknown."""
definition = '''
{
  "annotations": {
    "readOnlyHint": true
  },
  "inputSchema": {
    "type": "object"
  }
}
'''
"#;

#[test]
fn the_documented_example_is_what_the_writer_writes() {
    // The digest is from Python's json, hashlib and base64.
    assert_eq!(to_text(&example()), EXAMPLE);
    assert!(same(&parse(EXAMPLE, FILE).expect("valid"), &example()));
}

#[test]
fn a_lockfile_without_servers_is_its_head() {
    let text = to_text(&Lockfile::default());
    assert!(text.ends_with("told.\nversion = 1\n"), "{text}");
    assert_eq!(parse(&text, FILE), Ok(Lockfile::default()));
}

#[test]
fn every_key_of_a_server_has_its_place() {
    let mut crm = server(stdio("node"), Vec::new());
    crm.config = None;
    crm.launch.transport = Transport::Http {
        url: "https://crm.example/mcp".to_owned(),
        headers: BTreeMap::from([
            ("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned()),
            ("X Odd".to_owned(), "\u{200b}".to_owned()),
        ]),
    };
    crm.launch.options = object(r#"{"timeout":30,"note":"it's '''quoted'''"}"#);
    crm.launch.unverified = BTreeSet::from(["b".to_owned(), "a".to_owned()]);
    crm.client.name = Some("claude-code".to_owned());
    crm.surface.about = About::default();
    let text = to_text(&lockfile([("c\"r\nm", crm)]));
    let block = text.split("\n\n").nth(1).expect("a block");
    assert_eq!(
        block,
        r#"[[server]]
name = "c\"r\nm"
url = "https://crm.example/mcp"
headers = { Authorization = "Bearer ${TOKEN}", "X Odd" = "\u200B" }
options = '''
{
  "note": "it's ''\u0027quoted''\u0027",
  "timeout": 30
}
'''
unverified = ["a", "b"]
client = "mcp-pin/1"
client_name = "claude-code"
protocol = "2025-11-25"
about = '''
{}
'''
"#
    );
}

#[test]
fn members_that_are_no_text_stay_in_the_definition_and_an_empty_one_is_written() {
    let items = vec![tool(r#"{"name":"b","title":null,"description":["x"]}"#), tool(r#"{"name":"a"}"#)];
    let text = to_text(&lockfile([("crm", server(stdio("node"), items))]));
    let blocks: Vec<&str> = text.split("\n[[tool]]\n").skip(1).collect();
    assert!(blocks[0].starts_with("server = \"crm\"\nname = \"a\"\ndigest = "), "{text}");
    assert!(blocks[0].ends_with("=\"\ndefinition = '''\n{}\n'''\n"), "{text}");
    assert!(
        blocks[1]
            .ends_with("=\"\ndefinition = '''\n{\n  \"description\": [\n    \"x\"\n  ],\n  \"title\": null\n}\n'''\n"),
        "{text}"
    );
}

#[test]
fn servers_and_items_are_sorted_by_bytes_and_stay_together() {
    let items = || vec![tool(r#"{"name":"z"}"#), tool(r#"{"name":"Z"}"#), tool(r#"{"name":"é"}"#)];
    let text = to_text(&lockfile([("b", server(stdio("node"), items())), ("B", server(stdio("node"), items()))]));
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("name = ")).collect();
    assert_eq!(names, [r#""B""#, r#""Z""#, r#""z""#, r#""é""#, r#""b""#, r#""Z""#, r#""z""#, r#""é""#]);
}

#[test]
fn items_in_another_order_give_the_same_text() {
    let mut locked = lockfile([("crm", server(stdio("node"), vec![tool(r#"{"name":"a"}"#), tool(r#"{"name":"b"}"#)]))]);
    let text = to_text(&locked);
    locked.servers.get_mut("crm").expect("there").surface.items.reverse();
    assert_eq!(to_text(&locked), text);
}

#[test]
fn a_text_that_imitates_blocks_stays_a_text() {
    let raw = r#"{"name":"a","description":"x\n'''\n\"\"\"\n\n[[tool]]\nserver = \"crm\"\nname = \"b\"\n"}"#;
    let locked = lockfile([("crm", server(stdio("node"), vec![tool(raw)]))]);
    let read = parse(&to_text(&locked), FILE).expect("valid");
    assert!(same(&read, &locked));
    assert_eq!(read.servers["crm"].surface.items.len(), 1);
}
