//! What a lockfile holds, read and verified without any code of this project's.
//!
//! `toml` reads the file, `serde_json` the definitions, and an RFC 8785 crate makes the text that a digest is taken of.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use toml::Table;

use crate::capture::Capture;

/// What a lockfile holds of one server.
pub(crate) struct Pinned {
    pub(crate) protocol: String,
    pub(crate) instructions: Option<String>,
    /// Whole tools by name, put together again.
    pub(crate) tools: BTreeMap<String, Value>,
    pub(crate) digests: BTreeMap<String, String>,
}

/// Reads the blocks of one server.
pub(crate) fn pinned(lockfile: &str, server: &str) -> Pinned {
    let document: Table = lockfile.parse().expect("a lockfile is TOML");
    let block = blocks(&document, "server").find(|block| block["name"].as_str() == Some(server));
    let block = block.unwrap_or_else(|| panic!("no block of {server} in:\n{lockfile}"));
    let mut pinned = Pinned {
        protocol: text(block, "protocol").expect("a protocol"),
        instructions: text(block, "instructions"),
        tools: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    for block in blocks(&document, "tool").filter(|block| block["server"].as_str() == Some(server)) {
        let name = text(block, "name").expect("a name");
        let definition = text(block, "definition").expect("a definition");
        let mut tool: Value = serde_json::from_str(&definition).expect("a definition is JSON");
        for member in ["name", "title", "description"] {
            if let Some(text) = text(block, member) {
                let members = tool.as_object_mut().expect("a definition is an object");
                assert_eq!(members.insert(member.to_owned(), text.into()), None, "{name} holds its {member} twice");
            }
        }
        pinned.digests.insert(name.clone(), text(block, "digest").expect("a digest"));
        assert_eq!(pinned.tools.insert(name.clone(), tool), None, "{name} is pinned twice");
    }
    pinned
}

fn blocks<'d>(document: &'d Table, kind: &str) -> impl Iterator<Item = &'d Table> {
    document.get(kind).and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_table)
}

fn text(block: &Table, key: &str) -> Option<String> {
    Some(block.get(key)?.as_str().unwrap_or_else(|| panic!("{key} is no string")).to_owned())
}

impl Pinned {
    /// It is what the server really said: every member of every tool, and digests of just that.
    #[track_caller]
    pub(crate) fn expect(&self, raw: &Capture) {
        assert_eq!(self.instructions, raw.instructions);
        let names = |tools: &BTreeMap<String, Value>| tools.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&self.tools), names(&raw.tools));
        for (name, tool) in &raw.tools {
            assert_eq!(&self.tools[name], tool, "{name}");
            assert_eq!(self.digests[name], digest(tool), "{name}");
        }
    }
}

/// The digest of a tool, by the rule of the lockfile's format.
fn digest(tool: &Value) -> String {
    let canonical = serde_json_canonicalizer::to_vec(tool).expect("serializable");
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(canonical)))
}
