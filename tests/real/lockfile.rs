//! What a lockfile holds, read and verified without any code of this project's.
//!
//! `toml` reads the file, `serde_json` the definitions, and an RFC 8785 crate makes the text that a digest is taken of.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toml::Table;

use crate::capture::{Capture, Kind, Listing};

/// The blocks of each kind, and the key that says which one it is, with the member of the object that it stands for.
const BLOCKS: [(Kind, &str, &str, &str); 5] = [
    (Kind::Tool, "tool", "name", "name"),
    (Kind::Prompt, "prompt", "name", "name"),
    (Kind::Resource, "resource", "uri", "uri"),
    (Kind::Template, "template", "uri_template", "uriTemplate"),
    (Kind::Interface, "ui", "uri", "uri"),
];

/// What a lockfile holds of one server.
pub(crate) struct Pinned {
    pub(crate) protocol: String,
    pub(crate) instructions: Option<String>,
    /// Whether its resources are pinned though it declares that they change.
    pins_changing_resources: bool,
    /// Whole objects, put together again. A kind of which there is nothing is absent.
    pub(crate) items: BTreeMap<Kind, Listing>,
    pub(crate) digests: BTreeMap<Kind, BTreeMap<String, String>>,
}

/// Reads the blocks of one server.
pub(crate) fn pinned(lockfile: &str, server: &str) -> Pinned {
    let document: Table = lockfile.parse().expect("a lockfile is TOML");
    let block = blocks(&document, "server").find(|block| block["name"].as_str() == Some(server));
    let block = block.unwrap_or_else(|| panic!("no block of {server} in:\n{lockfile}"));
    let mut pinned = Pinned {
        protocol: text(block, "protocol").expect("a protocol"),
        instructions: text(block, "instructions"),
        pins_changing_resources: block.get("pin_resources").is_some_and(|value| value.as_bool() == Some(true)),
        items: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    for (kind, block_name, key, identity) in BLOCKS {
        for block in blocks(&document, block_name).filter(|block| block["server"].as_str() == Some(server)) {
            let name = text(block, key).expect("a name");
            let definition = text(block, "definition").expect("a definition");
            let mut item: Value = serde_json::from_str(&definition).expect("a definition is JSON");
            for (key, member) in [(key, identity), ("title", "title"), ("description", "description")] {
                if let Some(text) = text(block, key) {
                    let members = item.as_object_mut().expect("a definition is an object");
                    assert_eq!(members.insert(member.to_owned(), text.into()), None, "{name} holds its {member} twice");
                }
            }
            let digest = text(block, "digest").expect("a digest");
            pinned.digests.entry(kind).or_default().insert(name.clone(), digest);
            let known = pinned.items.entry(kind).or_default().insert(name.clone(), item);
            assert_eq!(known, None, "{name} is pinned twice");
        }
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
    /// How many items of each kind there are, the kinds of which there are none left out.
    pub(crate) fn counts(&self) -> BTreeMap<Kind, usize> {
        self.items.iter().map(|(&kind, listing)| (kind, listing.len())).collect()
    }

    /// It is what the server really said: every member of every item of every kind, and digests of just that.
    #[track_caller]
    pub(crate) fn expect(&self, raw: &Capture) {
        assert_eq!(self.instructions, raw.instructions);
        let expected = self.expected(raw);
        let names = |items: &BTreeMap<Kind, Listing>| {
            let names = |listing: &Listing| listing.keys().cloned().collect::<Vec<_>>();
            items.iter().map(|(&kind, listing)| (kind, names(listing))).collect::<Vec<_>>()
        };
        assert_eq!(names(&self.items), names(&expected));
        for (kind, listing) in &expected {
            for (name, item) in listing {
                assert_eq!(&self.items[kind][name], item, "{kind:?} {name}");
                assert_eq!(self.digests[kind][name], digest(item), "{kind:?} {name}");
            }
        }
    }

    /// What is to be pinned of what a server said: all of it but for resources that change by themselves, if nobody asked
    /// for them, and bodies of user interfaces by their digest.
    fn expected(&self, raw: &Capture) -> BTreeMap<Kind, Listing> {
        let mut items = raw.items.clone();
        let resources = &raw.capabilities["resources"];
        let change = resources["listChanged"] == true || resources["subscribe"] == true;
        if change && !self.pins_changing_resources {
            items.remove(&Kind::Resource);
        }
        for (uri, answer) in items.get_mut(&Kind::Interface).into_iter().flatten() {
            let mut contents = answer["contents"].take();
            for content in contents.as_array_mut().expect("contents") {
                for member in ["text", "blob"] {
                    if let Some(body) = content.get_mut(member) {
                        *body = sha256(body.as_str().expect("a body").as_bytes()).into();
                    }
                }
            }
            *answer = json!({ "uri": uri, "contents": contents });
        }
        items
    }
}

/// The digest of an item, by the rule of the lockfile's format.
fn digest(item: &Value) -> String {
    sha256(&serde_json_canonicalizer::to_vec(item).expect("serializable"))
}

fn sha256(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(bytes)))
}
