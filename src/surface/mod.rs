//! What a server says: of itself, and in its items.
//!
//! A [`Surface`] is what `pin` stores and `check` compares. It is built by [`About::from_answer`] and [`Item::from_raw`]
//! from the text that came over the wire, and from a lockfile by `lock`. This leaf knows JSON and nothing of transports,
//! files or reports.

mod about;
mod client;
mod counts;
mod digest;
pub mod interface;
mod item;

use crate::json::Value;

pub use about::About;
pub use client::Client;
pub use counts::Counts;
pub use digest::Digest;
pub use item::{Item, ItemError, Kind};

/// All that one server says to one client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// The protocol version that was agreed on, such as `2025-11-25`.
    pub protocol: String,
    /// What the server says of itself.
    pub about: About,
    /// Its items, sorted by kind, name and digest; two of one name are both here.
    pub items: Vec<Item>,
    /// Whether its resources are among them.
    pub resources: Resources,
}

/// Whether the resources that a server lists are items of its surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resources {
    /// Each of them is.
    #[default]
    Pinned,
    /// None is: the server declares that its list changes by itself.
    Changing,
}

impl Surface {
    /// A surface with its items in order, and each of its resources among them.
    pub fn new(protocol: String, about: About, mut items: Vec<Item>) -> Self {
        items.sort_by(|a, b| (a.kind, &a.name, &a.digest).cmp(&(b.kind, &b.name, &b.digest)));
        Self { protocol, about, items, resources: Resources::Pinned }
    }

    /// The same with its resources said to be pinned or not.
    #[must_use]
    pub fn with_resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Whether both say the same, whatever release and revision of the protocol they name.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let identity = |item: &Item| (item.kind, item.name.clone(), item.digest.clone());
        self.about.instructions == other.about.instructions
            && self.about.members == other.about.members
            && self.items.iter().map(identity).eq(other.items.iter().map(identity))
    }

    /// The digest of all that [`Surface::agrees_with`] compares: what a person was shown, in one word.
    pub fn digest(&self) -> Digest {
        let items = self.items.iter().map(|item| {
            let words = [item.kind.as_str(), item.name.as_str(), item.digest.as_str()];
            Value::Array(words.into_iter().map(Value::from).collect())
        });
        let members = [
            ("about", Value::Object(self.about.members.clone())),
            ("instructions", self.about.instructions.as_deref().map_or(Value::Null, Value::from)),
            ("items", Value::Array(items.collect())),
        ];
        Digest::of(&Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    }

    /// Whether it has an item of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.items.iter().any(|item| item.kind == kind)
    }

    /// Whether its resources are items although the server declares that they change by themselves.
    pub fn pins_changing_resources(&self) -> bool {
        self.resources == Resources::Pinned && self.about.resources_change()
    }

    /// The first name, if any, that two items of one kind share.
    pub fn repeated_name(&self) -> Option<&Item> {
        self.items
            .windows(2)
            .find(|pair| pair[0].kind == pair[1].kind && pair[0].name == pair[1].name)
            .map(|pair| &pair[0])
    }
}
