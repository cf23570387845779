//! One difference, and the table of what differences mean.
//!
//! Every difference is an instance of exactly one [`Rule`]. The table is the only place that knows levels and reasons;
//! `drift` decides which rule a difference falls under, `report` renders it.

mod rules;
mod softened;

use crate::json::{Pointer, Value};
use crate::surface::Kind;

pub use rules::{Otherwise, RULES, Rule, rule};
pub use softened::{Softened, Softening};

/// How much a difference matters. Danger and change fail a check; a notice never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Notice,
    /// A difference from what was approved.
    Change,
    /// A difference that adds reach or weakens an approval.
    Danger,
}

impl Level {
    /// The level's word in every format.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Notice => "notice",
            Level::Change => "change",
            Level::Danger => "danger",
        }
    }

    /// Whether a finding of this level makes a check fail.
    pub fn fails(self) -> bool {
        self >= Level::Change
    }
}

/// Which item a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName {
    /// Its kind.
    pub kind: Kind,
    /// Its name: foreign text.
    pub name: String,
}

/// One reported difference of one server. Its names and values are foreign text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is an instance of.
    pub rule: &'static Rule,
    /// How much it matters here: the rule's level, unless the case is known to be worse or milder.
    pub level: Level,
    /// The item, or `None` for the server itself.
    pub item: Option<ItemName>,
    /// The place in the item's object, or in what the server says of itself.
    pub pointer: Pointer,
    /// What the lockfile holds; `None` if nothing.
    pub old: Option<Value>,
    /// What the server says now; `None` if nothing.
    pub new: Option<Value>,
    /// What else is known, in our words and with foreign text already escaped for a terminal.
    pub note: Option<String>,
    /// The line of the lockfile, from 1, where what differs is written, once that was looked up.
    pub line: Option<usize>,
    /// Whether the lockfile of the work tree holds what is new here, while it is compared with that of another revision.
    pub proposed: bool,
}

impl Finding {
    /// A finding of the server itself, at the rule's level in a change.
    pub fn new(rule: &'static Rule) -> Self {
        let (pointer, level) = (Pointer::root(), rule.change);
        Self { rule, level, item: None, pointer, old: None, new: None, note: None, line: None, proposed: false }
    }

    /// The same finding about an item.
    pub fn of_item(mut self, kind: Kind, name: &str) -> Self {
        self.item = Some(ItemName { kind, name: name.to_owned() });
        self
    }

    /// The same finding at a place.
    pub fn at(mut self, pointer: Pointer) -> Self {
        self.pointer = pointer;
        self
    }

    /// The same finding between two values.
    pub fn between(mut self, old: Option<Value>, new: Option<Value>) -> Self {
        self.old = old;
        self.new = new;
        self
    }

    /// The same finding at another level.
    pub fn at_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The same finding with a note.
    pub fn noting(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}
