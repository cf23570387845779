//! One thing that a server offers, as it was sent.

use std::fmt;

use super::Digest;
use crate::json::{self, Object, Value};

/// The kinds of items, in the order in which the lockfile holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An entry of `tools/list` (2025-11-25, Server Features, Tools).
    Tool,
    /// An entry of `prompts/list` (2025-11-25, Server Features, Prompts).
    Prompt,
    /// An entry of `resources/list` (2025-11-25, Server Features, Resources).
    Resource,
    /// An entry of `resources/templates/list` (2025-11-25, Server Features, Resources).
    Template,
    /// What `resources/read` gives for a user interface that a tool points to; see [`super::interface`].
    Interface,
}

impl Kind {
    /// Every kind, in order.
    pub const ALL: [Kind; 5] = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::Template, Kind::Interface];

    /// The kind's word, which is also the name of its blocks in the lockfile.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Tool => "tool",
            Kind::Prompt => "prompt",
            Kind::Resource => "resource",
            Kind::Template => "template",
            Kind::Interface => "ui",
        }
    }

    /// What one such item is called in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Interface => "user interface",
            other => other.as_str(),
        }
    }

    /// The member of an item's object that tells it from the others of its kind, a string: what a client asks for it by.
    pub fn identity(self) -> &'static str {
        match self {
            Kind::Tool | Kind::Prompt => "name",
            Kind::Resource | Kind::Interface => "uri",
            Kind::Template => "uriTemplate",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One item: its text as it was sent, and the digest of what that text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What kind of thing it is.
    pub kind: Kind,
    /// The member that is its [`Kind::identity`], compared byte for byte.
    pub name: String,
    /// The JSON object, as written by its sender.
    raw: Box<str>,
    /// The digest of the object's canonical text, all its members included.
    pub digest: Digest,
}

/// Why a text is no item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemError {
    /// The text breaks a rule of the strict reader.
    Json(json::Error),
    /// The text is JSON but no object.
    NotAnObject,
    /// The object has no such member that is a string, by which this kind of item is called.
    NoName(&'static str),
    /// An answer to `resources/read` has no array `contents`.
    NoContents,
    /// An answer says of itself that it isn't complete.
    Incomplete,
}

impl Item {
    /// An item from the text of its object.
    ///
    /// # Errors
    /// When the text isn't strict JSON, no object, or has no name.
    pub fn from_raw(kind: Kind, raw: &str) -> Result<Self, ItemError> {
        let value = json::parse(raw).map_err(ItemError::Json)?;
        let object = value.as_object().ok_or(ItemError::NotAnObject)?;
        let name = object.get(kind.identity()).and_then(Value::as_str);
        let name = name.ok_or(ItemError::NoName(kind.identity()))?.to_owned();
        Ok(Self { kind, name, raw: raw.into(), digest: Digest::of(&value) })
    }

    /// An item from its members, as the lockfile keeps them.
    pub fn from_object(kind: Kind, name: &str, mut object: Object) -> Self {
        object.insert(kind.identity(), Value::from(name));
        let value = Value::Object(object);
        Self { kind, name: name.to_owned(), raw: json::canonical(&value).into(), digest: Digest::of(&value) }
    }

    /// The members, read anew from the text: trees are large and are not kept.
    pub fn object(&self) -> Object {
        match json::parse_stored(&self.raw) {
            Ok(Value::Object(object)) => object,
            // The constructors accept nothing else.
            _ => Object::new(),
        }
    }

    /// The text of the object as its sender wrote it.
    pub fn raw(&self) -> &str {
        &self.raw
    }
}

impl std::error::Error for ItemError {}

impl fmt::Display for ItemError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItemError::Json(error) => write!(formatter, "{error}"),
            ItemError::NotAnObject => formatter.write_str("expected an object"),
            ItemError::Incomplete => formatter.write_str("its \"resultType\" isn't \"complete\""),
            ItemError::NoContents => formatter.write_str("expected \"contents\" that is an array"),
            ItemError::NoName(member) => write!(formatter, "expected a \"{member}\" that is a string"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_counts_and_spelling_does_not() {
        let item = |raw| Item::from_raw(Kind::Tool, raw).expect(raw);
        let one = item(r#"{"name":"t","x-unknown":1}"#);
        assert_eq!(one.digest, item(r#"{ "x-unknown": 1.0, "name": "\u0074" }"#).digest);
        assert_ne!(one.digest, item(r#"{"name":"t"}"#).digest);
        assert_ne!(one.digest, item(r#"{"name":"t","x-unknown":null}"#).digest);
        assert_eq!(one.raw(), r#"{"name":"t","x-unknown":1}"#);
    }

    #[test]
    fn mistyped_members_are_no_reason_to_refuse() {
        assert!(Item::from_raw(Kind::Tool, r#"{"name":"t","title":null,"inputSchema":true}"#).is_ok());
    }

    #[test]
    fn an_item_needs_a_name() {
        for (raw, expected) in [
            ("[]", ItemError::NotAnObject),
            ("{}", ItemError::NoName("name")),
            (r#"{"name":null}"#, ItemError::NoName("name")),
            (r#"{"name":1}"#, ItemError::NoName("name")),
        ] {
            assert_eq!(Item::from_raw(Kind::Tool, raw), Err(expected), "{raw}");
        }
        assert!(matches!(Item::from_raw(Kind::Tool, r#"{"name":"a","name":"b"}"#), Err(ItemError::Json(_))));
    }

    #[test]
    fn each_kind_is_called_by_its_own_member() {
        let raw = r#"{"name":"n","uri":"u:1","uriTemplate":"u:{x}"}"#;
        for (kind, name) in [(Kind::Tool, "n"), (Kind::Prompt, "n"), (Kind::Resource, "u:1"), (Kind::Template, "u:{x}")]
        {
            assert_eq!(Item::from_raw(kind, raw).expect(raw).name, name);
        }
        assert_eq!(Item::from_raw(Kind::Template, r#"{"name":"n"}"#), Err(ItemError::NoName("uriTemplate")));
    }

    #[test]
    fn the_lockfile_s_members_make_the_same_item() {
        let sent = Item::from_raw(Kind::Tool, r#"{"name":"t","a":[1e0]}"#).expect("valid");
        let mut members = sent.object();
        members.remove("name");
        assert_eq!(Item::from_object(Kind::Tool, "t", members).digest, sent.digest);
    }

    #[test]
    fn members_of_an_item_from_the_lockfile_are_kept_however_long_their_numbers() {
        let raw = format!(r#"{{"name":"t","a":{}}}"#, "9".repeat(1_000));
        let sent = Item::from_raw(Kind::Tool, &raw).expect("valid");
        let locked = Item::from_object(Kind::Tool, "t", sent.object());
        assert_eq!(locked.object(), sent.object());
        assert_eq!(locked.digest, sent.digest);
    }
}
