//! Two values in one place of two schemas.

use super::fact::{Fact, What};
use super::movement::{Move, Sense};
use crate::json::{Pointer, Value};

/// What stands in one place of two schemas.
#[derive(Clone, Debug)]
pub(super) struct Change<'v> {
    /// What stood there.
    pub(super) old: Option<&'v Value>,
    /// What stands there.
    pub(super) new: Option<&'v Value>,
    /// The place.
    pub(super) at: Pointer,
    /// What a movement there is for the whole.
    pub(super) sense: Sense,
}

impl<'v> Change<'v> {
    /// What stands under a name within both.
    pub(super) fn member(&self, name: &str) -> Self {
        let get = |side: Option<&'v Value>| side.and_then(|side| side.get(name));
        Self { old: get(self.old), new: get(self.new), at: self.at.join(name), sense: self.sense }
    }

    /// What stands in an element's place, of which either side may have none.
    pub(super) fn element(&self, index: usize, old: Option<&'v Value>, new: Option<&'v Value>) -> Self {
        Self { old, new, at: self.at.join(index), sense: self.sense }
    }

    /// The same in another sense.
    pub(super) fn in_sense(&self, sense: Sense) -> Self {
        Self { sense, ..self.clone() }
    }

    /// Whether either side is a list.
    pub(super) fn has_list(&self) -> bool {
        [self.old, self.new].into_iter().flatten().any(|side| matches!(side, Value::Array(_)))
    }

    /// Whether each side is as asked, or isn't there.
    pub(super) fn all(&self, is: impl Fn(&Value) -> bool) -> bool {
        [self.old, self.new].into_iter().flatten().all(is)
    }

    /// The fact that both differ.
    pub(super) fn fact(&self, what: What) -> Fact<'v> {
        Fact::new(what, &self.at, self.old, self.new)
    }

    /// The fact that both differ, by a movement here.
    pub(super) fn moved(&self, what: What, movement: Move) -> Fact<'v> {
        self.fact(what).moving(self.sense.of(movement))
    }
}
