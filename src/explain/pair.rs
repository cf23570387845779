//! One example of each rule: what a server says before and after, from `fixtures/pairs`.
//!
//! A pair is two surfaces in JSON: `server` is the answer that opens a session, `tools`, `prompts`, `resources` and
//! `templates` are what is listed, `interfaces` are answers to `resources/read` by address. Where nothing was approved
//! before, that side is `null`.

use crate::drift::{self, Offer};
use crate::finding::{Finding, Rule, rule};
use crate::json::{self, Object, Value};
use crate::surface::{About, Item, Kind, Resources, Surface, interface};

/// What a server says before and after.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The rule's identifier.
    id: &'static str,
    /// What was approved.
    pub before: &'static str,
    /// What is said now.
    pub after: &'static str,
}

macro_rules! pairs {
    ($($id:literal)*) => {
        /// The pair of every rule that two surfaces can show.
        pub static PAIRS: &[Pair] = &[$(Pair {
            id: $id,
            before: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pairs/", $id, "/before.json")),
            after: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pairs/", $id, "/after.json")),
        }),*];
    };
}

pairs! {
    "unstable-listing"
    "client-differs"
    "duplicate-name"
    "name-collision"
    "identity-changed"
    "hidden-characters"
    "read-only-hint-changed"
    "destructive-hint-changed"
    "open-world-hint-changed"
    "idempotent-hint-changed"
    "tool-added"
    "template-added"
    "interface-added"
    "interface-changed"
    "parameter-added"
    "parameter-loosened"
    "meta-changed"
    "instructions-changed"
    "description-changed"
    "schema-text-changed"
    "default-changed"
    "additional-properties-changed"
    "schema-reference-changed"
    "prompt-added"
    "resource-added"
    "icons-changed"
    "execution-changed"
    "unknown-member-changed"
    "output-schema-changed"
    "title-changed"
    "annotation-changed"
    "argument-changed"
    "content-type-changed"
    "parameter-removed"
    "parameter-required"
    "parameter-tightened"
    "output-widened"
    "output-narrowed"
    "schema-changed"
    "repeated-title-changed"
    "schema-dialect-changed"
    "schema-shape-changed"
    "tool-removed"
    "prompt-removed"
    "resource-removed"
    "template-removed"
    "interface-removed"
    "order-changed"
    "enum-order-changed"
    "release-changed"
    "protocol-changed"
    "capabilities-changed"
    "listing-dynamic"
    "malformed-member"
    "remote-reference"
    "unpinned-content"
    "nonconforming-name"
    "header-misuse"
    "long-instructions"
    "resources-unpinned"
    "resource-updated"
    "no-tools"
}

/// The listings of a pair, and what their entries are.
const LISTS: [(&str, Kind); 4] =
    [("tools", Kind::Tool), ("prompts", Kind::Prompt), ("resources", Kind::Resource), ("templates", Kind::Template)];

/// What a server of a pair says of itself where the pair doesn't say it.
const SERVER: &str = r#"{"serverInfo":{"name":"crm","version":"1.0.0"},"capabilities":{"tools":{}}}"#;

/// The revision of the protocol where the pair doesn't say it.
const PROTOCOL: &str = "2025-11-25";

impl Pair {
    /// A rule's pair; `None` if it takes more than two surfaces to show it.
    pub fn of(rule: &Rule) -> Option<&'static Pair> {
        PAIRS.iter().find(|pair| pair.id == rule.id)
    }

    /// Both sides as values.
    ///
    /// # Errors
    /// When one is no JSON, which a test rules out.
    pub fn values(&self) -> Result<(Value, Value), json::Error> {
        Ok((json::parse(self.before)?, json::parse(self.after)?))
    }

    /// What the two come to, in a check; where nothing was approved before, at the first look.
    ///
    /// # Errors
    /// When one is no surface, which a test rules out.
    pub fn findings(&self) -> Result<Vec<Finding>, String> {
        let (before, after) = self.values().map_err(|error| error.to_string())?;
        let approved = surface(&before)?;
        let now = surface(&after)?.ok_or("nothing is said afterwards")?;
        let mut findings = match &approved {
            None => drift::inspect(&now),
            // What two readings, or two clients, are told is compared as a lockfile and a reading are.
            Some(approved) if self.id == rule::UNSTABLE_LISTING.id => drift::unstable(approved, &now),
            Some(approved) if self.id == rule::CLIENT_DIFFERS.id => drift::clients(approved, &now),
            Some(approved) => drift::surfaces(approved, &now),
        };
        let offer = Offer { server: "crm", surface: &now, approved: approved.as_ref() };
        findings.extend(drift::collisions(&[offer]).into_iter().flatten());
        drift::sort(&mut findings);
        Ok(findings)
    }
}

/// The surface that one side stands for; `None` for `null`.
fn surface(side: &Value) -> Result<Option<Surface>, String> {
    let side = match side {
        Value::Null => return Ok(None),
        Value::Object(side) => side,
        _ => return Err("a side is an object or null".to_owned()),
    };
    let own = json::parse(SERVER).map_err(|error| error.to_string())?;
    let server = side.get("server").unwrap_or(&own);
    let about = About::from_answer(server.as_object().ok_or("`server` is no object")?);
    let protocol = side.get("protocol").and_then(Value::as_str).unwrap_or(PROTOCOL);
    let resources = if about.resources_change() { Resources::Changing } else { Resources::Pinned };
    Ok(Some(Surface::new(protocol.to_owned(), about, items(side)?).with_resources(resources)))
}

fn items(side: &Object) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    for (key, kind) in LISTS {
        for entry in side.get(key).and_then(Value::as_array).unwrap_or_default() {
            items.push(Item::from_raw(kind, &json::canonical(entry)).map_err(|error| error.to_string())?);
        }
    }
    if let Some(Value::Object(interfaces)) = side.get("interfaces") {
        for (uri, answer) in interfaces.iter() {
            let item = interface::from_answer(uri, &json::canonical(answer), &[]).map_err(|error| error.to_string())?;
            items.push(item);
        }
    }
    Ok(items)
}
