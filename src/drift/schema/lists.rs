//! Maps and lists of schemas.

use std::collections::BTreeSet;

use super::align::{align, partners};
use super::change::Change;
use super::fact::What;
use super::movement::Move;
use super::walk::{Role, Walk};
use crate::drift::values::{common_prefix, common_suffix};
use crate::json::Value;

impl<'v> Walk<'_, 'v> {
    /// Schemas by name.
    pub(super) fn schemas_by_name(&mut self, change: &Change<'v>, role: Role) {
        let Some(names) = names_of(change) else { return self.values(change) };
        if names.is_empty() {
            // `{}` came or went.
            return self.tell(change.fact(What::Shape));
        }
        for name in names {
            self.schema(&change.member(name), role);
        }
    }

    /// Schemas each of which is for an element of its own place.
    pub(super) fn schemas_by_position(&mut self, change: &Change<'v>) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (change.old, change.new) else {
            return self.whole_list(change);
        };
        let start = common_prefix(before, after);
        let tail = common_suffix(&before[start..], &after[start..]);
        let end = before.len().max(after.len()) - tail;
        for index in start..end {
            let within = |list: &'v [Value]| (index < list.len() - tail).then(|| list.get(index)).flatten();
            self.schema(&change.element(index, within(before), within(after)), Role::Limit);
        }
    }

    /// Schemas whose place in the list says nothing of what they are for: matched by what they say, then by what they are
    /// called, then by their order.
    pub(super) fn schemas_in_any_order(&mut self, change: &Change<'v>, role: Role) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (change.old, change.new) else {
            return self.whole_list(change);
        };
        let alignment = align(before, after);
        let index = |places: &[super::align::Place]| -> Vec<usize> { places.iter().map(|place| place.index).collect() };
        let (gone, come) = (index(&alignment.gone), index(&alignment.come));
        for (gone, come) in partners(before, after, &gone, &come) {
            let (one, other) = (gone.map(|index| &before[index]), come.map(|index| &after[index]));
            match (one, other, come.or(gone)) {
                // Beside another place of the list, what the whole schema was stands nowhere.
                (Some(one), Some(other), Some(place)) if gone != come && self.is_told_whole(one, other) => {
                    self.schema(&change.element(gone.unwrap_or(place), Some(one), None), role);
                    self.schema(&change.element(place, None, Some(other)), role);
                }
                (one, other, Some(place)) => self.schema(&change.element(place, one, other), role),
                (_, _, None) => {}
            }
        }
        if alignment.reordered {
            self.tell(change.fact(What::SchemaOrder));
        }
    }

    /// Whether a difference of two schemas would be told of them as a whole.
    fn is_told_whole(&self, old: &'v Value, new: &'v Value) -> bool {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.have_other_shapes(old, new),
            _ => true,
        }
    }

    /// A list of schemas of which one side is no list: there is nothing to match its elements with.
    fn whole_list(&mut self, change: &Change<'v>) {
        let schemas = match change.new {
            Some(Value::Array(schemas)) => schemas.as_slice(),
            other => other.map(std::slice::from_ref).unwrap_or_default(),
        };
        let movement = match (change.old, change.new) {
            (None, _) => Move::Narrower,
            (_, None) => Move::Wider,
            _ => Move::Unknown,
        };
        let brings = schemas.iter().find_map(|schema| self.brought_by(schema));
        self.tell(change.moved(What::Schema, movement).bringing(brings));
    }
}

/// The names on both sides, each of which may be missing; `None` if one is no object.
pub(super) fn names_of<'v>(change: &Change<'v>) -> Option<BTreeSet<&'v str>> {
    let of = |side: Option<&'v Value>| match side {
        None => Some(BTreeSet::new()),
        Some(side) => side.as_object().map(|object| object.keys().collect()),
    };
    let (mut names, more): (BTreeSet<&str>, BTreeSet<&str>) = (of(change.old)?, of(change.new)?);
    names.extend(more);
    Some(names)
}
