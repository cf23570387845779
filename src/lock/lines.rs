//! Where in a lockfile's text a thing is written, for reports that point at lines.
//!
//! Pure: the text is the one that the writer gives, and a lockfile that could be read has no other.

use std::collections::HashMap;

use toml::de::{DeTable, DeValue};

use super::Lockfile;
use super::write::{self, Block};
use crate::json::{self, Value};
use crate::surface::Kind;

/// What is looked for: a place in an item of a server, or without an item in what is pinned of the server itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The item's kind and name.
    pub item: Option<(Kind, &'a str)>,
    /// The way to the place, as a finding's pointer has it.
    pub segments: &'a [String],
}

/// The lines, from 1, in the order of what is wanted: of the place or of what is nearest around it, else of the item's block
/// or of its server's; `None` where the lockfile doesn't hold the server.
pub fn lines(lockfile: &Lockfile, wanted: &[Wanted<'_>]) -> Vec<Option<usize>> {
    let mut found = vec![None; wanted.len()];
    if wanted.is_empty() {
        return found;
    }
    let mut of_servers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, one) in wanted.iter().enumerate() {
        of_servers.entry(one.server).or_default().push(index);
    }
    let mut of_items: HashMap<(&str, Kind, &str), Vec<usize>> = HashMap::new();
    for (index, one) in wanted.iter().enumerate() {
        if let Some((kind, name)) = one.item {
            of_items.entry((one.server, kind, name)).or_default().push(index);
        }
    }
    let mut next = 1;
    for (block, text) in write::blocks(lockfile) {
        let line = next;
        next += line_feeds(&text);
        match block {
            Block::Head => {}
            Block::Server(name) => {
                let Some(indices) = of_servers.get(name) else { continue };
                let keys = Keys::of(&text);
                for &index in indices {
                    let within =
                        if wanted[index].item.is_none() { of_server(&keys, wanted[index].segments) } else { 0 };
                    found[index] = Some(line + within.max(1));
                }
            }
            Block::Item(server, item) => {
                let key = (server, item.kind, item.name.as_str());
                let Some(indices) = of_items.get(&key) else { continue };
                let keys = Keys::of(&text);
                for &index in indices {
                    found[index] = Some(line + of_item(&keys, wanted[index].segments).max(1));
                }
            }
        }
    }
    found
}

fn line_feeds(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The keys of one block.
struct Keys<'t>(HashMap<String, Key<'t>>);

struct Key<'t> {
    /// How many lines after the block's first, which is blank, it stands.
    line: usize,
    /// Its value's lines, as they are written.
    value: Vec<&'t str>,
}

impl<'t> Keys<'t> {
    fn of(text: &'t str) -> Self {
        // The writer has made it, so there is nothing that can't be parsed.
        Self(Self::parse(text).unwrap_or_default())
    }

    fn parse(text: &'t str) -> Option<HashMap<String, Key<'t>>> {
        // The block is the only element of the only array.
        let DeValue::Array(blocks) = DeTable::parse(text).ok()?.into_inner().into_iter().next()?.1.into_inner() else {
            return None;
        };
        let DeValue::Table(keys) = blocks.into_iter().next()?.into_inner() else { return None };
        let keys = keys.iter().filter_map(|(name, value)| {
            let line = line_feeds(text.get(..name.span().start)?);
            let value = text.get(value.span())?.split('\n').collect();
            Some((name.get_ref().to_string(), Key { line, value }))
        });
        Some(keys.collect())
    }

    /// The line of a key.
    fn line(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|key| key.line)
    }

    /// The line of a place in a key's JSON, or of what is nearest around it.
    fn within(&self, name: &str, segments: &[String]) -> Option<usize> {
        self.0.get(name).map(|key| key.line + within(&key.value, segments))
    }
}

/// How many lines after its first a block of a server has this place.
fn of_server(keys: &Keys<'_>, segments: &[String]) -> usize {
    let Some((first, rest)) = segments.split_first() else { return 0 };
    let direct = match (first.as_str(), rest) {
        ("protocolVersion", _) => keys.line("protocol"),
        ("serverInfo", [version]) if version == "version" => keys.line("release"),
        ("options", rest) => keys.within("options", rest),
        (direct, _) => keys.line(direct),
    };
    direct.or_else(|| keys.within("about", segments)).unwrap_or_default()
}

/// The same for a block of an item.
fn of_item(keys: &Keys<'_>, segments: &[String]) -> usize {
    let direct = match segments.first().map(String::as_str) {
        None => Some(0),
        Some(member @ ("title" | "description" | "name" | "uri")) => keys.line(member),
        Some("uriTemplate") => keys.line("uri_template"),
        _ => None,
    };
    direct.or_else(|| keys.within("definition", segments)).unwrap_or_default()
}

/// The line of pretty JSON, laid out by `json::pretty`, where the last of the steps that there are leads to. The first line
/// is the delimiter, the second opens the object.
fn within(lines: &[&str], segments: &[String]) -> usize {
    const STEP: usize = 2;
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let (mut at, mut depth) = (1, 0);
    for (level, segment) in segments.iter().enumerate() {
        let inner = depth + STEP;
        let of_container = || {
            let rest = lines.iter().enumerate().skip(at + 1);
            rest.take_while(|(_, line)| indentation(line) >= inner).filter(|(_, line)| indentation(line) == inner)
        };
        let is_array = lines.get(at).is_some_and(|line| line.ends_with('['));
        let next = if is_array {
            let begins_element = |line: &&str| !matches!(line.trim_start().as_bytes().first(), Some(b'}' | b']'));
            let index: Option<usize> = segment.parse().ok();
            index.and_then(|index| of_container().filter(|(_, line)| begins_element(line)).nth(index))
        } else {
            let key = format!("{}{}: ", " ".repeat(inner), json::pretty(&Value::from(segment.as_str())));
            of_container().find(|(_, line)| line.starts_with(&key))
        };
        match next {
            Some((line, _)) => (at, depth) = (line, inner),
            // Nothing of it is there: the key itself is nearer than the brace that follows it.
            None if level == 0 => return 0,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::launch::{Launch, Transport};
    use crate::lock::{LockedServer, to_text};
    use crate::surface::{About, Client, Item, Surface};

    const TOOL: &str = r#"{"name":"a","title":"definition = '''\ndefinition = 1","description":"One.\ntitle = 2",
        "inputSchema":{"properties":{"x":{"enum":[{"y":1},[],"z"]},"y":{}},"type":"object"},"x":{}}"#;

    fn lockfile() -> Lockfile {
        let server = |raw: &str| LockedServer {
            config: Some(".mcp.json".to_owned()),
            launch: Launch {
                transport: Transport::Stdio {
                    command: "node".to_owned(),
                    args: vec!["a".to_owned()],
                    env: [("A".to_owned(), "${A}".to_owned())].into(),
                    cwd: None,
                },
                options: [("o".to_owned(), Value::from("1"))].into_iter().collect(),
                unverified: BTreeSet::new(),
            },
            client: Client::default(),
            pass_env: BTreeSet::new(),
            surface: Surface::new(
                "2025-11-25".to_owned(),
                About {
                    release: Some("1".to_owned()),
                    members: [("serverInfo".to_owned(), json::parse(r#"{"name":"x"}"#).expect("valid"))]
                        .into_iter()
                        .collect(),
                    instructions: Some("Two\nlines".to_owned()),
                },
                vec![Item::from_raw(Kind::Tool, raw).expect("an item")],
            ),
        };
        let servers = [("crm".to_owned(), server(TOOL)), ("other".to_owned(), server(r#"{"name":"b"}"#))];
        Lockfile { servers: servers.into() }
    }

    /// The line that is found, as it is written.
    fn found(server: &str, item: Option<&str>, path: &[&str]) -> Option<String> {
        let lockfile = lockfile();
        let segments: Vec<String> = path.iter().map(|&segment| segment.to_owned()).collect();
        let wanted = Wanted { server, item: item.map(|name| (Kind::Tool, name)), segments: &segments };
        let line = lines(&lockfile, &[wanted])[0]?;
        Some(to_text(&lockfile).lines().nth(line - 1).expect("a line").to_owned())
    }

    #[test]
    fn a_member_is_found_where_it_is_written() {
        for (path, line) in [
            (&[][..], "[[tool]]"),
            (&["title"], r#"title = """"#),
            (&["description"], r#"description = """"#),
            (&["inputSchema"], r#"  "inputSchema": {"#),
            (&["inputSchema", "properties", "y"], r#"      "y": {}"#),
            (&["inputSchema", "properties", "x", "enum", "0", "y"], r#"            "y": 1"#),
            (&["inputSchema", "properties", "x", "enum", "1"], "          [],"),
            (&["inputSchema", "properties", "x", "enum", "2"], r#"          "z""#),
            (&["inputSchema", "properties", "new"], r#"    "properties": {"#),
            (&["annotations", "readOnlyHint"], "definition = '''"),
        ] {
            assert_eq!(found("crm", Some("a"), path).as_deref(), Some(line), "{path:?}");
        }
    }

    #[test]
    fn what_is_said_of_a_server_is_found_too() {
        for (path, line) in [
            (&[][..], "[[server]]"),
            (&["command"], r#"command = "node""#),
            (&["args"], r#"args = ["a"]"#),
            (&["env", "A"], r#"env = { A = "${A}" }"#),
            (&["options", "o"], r#"  "o": "1""#),
            (&["protocolVersion"], r#"protocol = "2025-11-25""#),
            (&["serverInfo", "version"], r#"release = "1""#),
            (&["serverInfo", "name"], r#"    "name": "x""#),
            (&["instructions"], r#"instructions = """"#),
        ] {
            assert_eq!(found("crm", None, path).as_deref(), Some(line), "{path:?}");
        }
    }

    #[test]
    fn what_is_not_pinned_is_told_by_its_server_s_block() {
        assert_eq!(found("other", Some("new"), &["description"]).as_deref(), Some("[[server]]"));
        assert_eq!(found("unpinned", None, &[]), None);
    }
}
