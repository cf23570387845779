//! Maps and lists of schemas.

use std::collections::BTreeSet;

use super::align::{Place, align, partners};
use super::change::Change;
use super::disjoint::are_disjoint;
use super::fact::What;
use super::movement::Move;
use super::reference::Side;
use super::walk::{Keywords, Role, Walk, role_beside};
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

    /// Schemas by the pattern of the names that they are for. Without one, such names are like any other.
    pub(super) fn patterns(&mut self, get: Keywords<'_, 'v>, change: &Change<'v>) {
        let Some(patterns) = names_of(change).filter(|patterns| !patterns.is_empty()) else {
            return self.schemas_by_name(change, Role::Parameter);
        };
        let rest = get(Side::New, "additionalProperties").or_else(|| get(Side::New, "unevaluatedProperties"));
        let is_named = ["properties", "patternProperties"]
            .into_iter()
            .any(|key| get(Side::New, key).is_some_and(|map| map.as_object().is_none_or(|map| !map.is_empty())));
        let gone = match role_beside(rest) {
            // Such a name may be declared otherwise.
            Role::Alternative if is_named => Role::Condition,
            role => role,
        };
        for pattern in patterns {
            let change = change.member(pattern);
            let role = if change.new.is_none() { gone } else { Role::Parameter };
            self.schema(&change, role);
        }
    }

    /// Schemas each of which is for an element of its own place. Without one, the element is one of the rest.
    pub(super) fn schemas_by_position(&mut self, get: Keywords<'_, 'v>, change: &Change<'v>, key: &str) {
        let rest = |side: Side| {
            let of = |key: &str| get(side, key);
            match key {
                "prefixItems" => of("items").or_else(|| of("unevaluatedItems")),
                // Where no schemas by position are, it says nothing.
                "items" if of("items").is_some_and(|items| items.as_array().is_some()) => {
                    of("additionalItems").or_else(|| of("unevaluatedItems"))
                }
                _ => None,
            }
        };
        let (come, gone) = (role_beside(rest(Side::Old)), role_beside(rest(Side::New)));
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (change.old, change.new) else {
            return self.whole_list(change, if change.old.is_none() { come } else { gone });
        };
        for index in 0..before.len().max(after.len()) {
            let change = change.element(index, before.get(index), after.get(index));
            let role = if change.old.is_none() { come } else { gone };
            self.schema(&change, role);
        }
    }

    /// Schemas of which just one may match.
    pub(super) fn one_of(&mut self, change: &Change<'v>) {
        let is_alternative = |side: Side, schemas: Option<&'v Value>| {
            schemas.and_then(Value::as_array).is_none_or(|schemas| are_disjoint(self.documents, side, schemas))
        };
        let sense = if is_alternative(Side::Old, change.old) && is_alternative(Side::New, change.new) {
            change.sense
        } else {
            change.sense.among_exclusive()
        };
        match (change.old, change.new) {
            (Some(Value::Array(_)), Some(Value::Array(_))) => {
                self.schemas_in_any_order(&change.in_sense(sense), Role::Exclusive);
            }
            _ => self.whole_list(change, Role::Limit),
        }
    }

    /// Schemas whose place in the list says nothing of what they are for: matched by what they say, then by what they are
    /// called, then by their order.
    pub(super) fn schemas_in_any_order(&mut self, change: &Change<'v>, role: Role) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (change.old, change.new) else {
            return self.whole_list(change, Role::Limit);
        };
        let alignment = align(before, after);
        // Twice the same says it once, unless just one may match.
        let counts = |place: &&Place| !place.repeated || role == Role::Exclusive;
        let index =
            |places: &[Place]| -> Vec<usize> { places.iter().filter(counts).map(|place| place.index).collect() };
        let (gone, come) = (index(&alignment.gone), index(&alignment.come));
        for (places, list) in [(&alignment.gone, before), (&alignment.come, after)] {
            for place in places.iter().filter(|place| !counts(place)) {
                let schema = list.get(place.index);
                let (old, new) = if std::ptr::eq(places, &alignment.gone) { (schema, None) } else { (None, schema) };
                self.tell(change.element(place.index, old, new).moved(What::Schema, Move::Same));
            }
        }
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
    fn whole_list(&mut self, change: &Change<'v>, role: Role) {
        let schemas = match change.new {
            Some(Value::Array(schemas)) => schemas.as_slice(),
            other => other.map(std::slice::from_ref).unwrap_or_default(),
        };
        let movement = match (change.old, change.new, role) {
            (Some(_), Some(_), _) | (_, _, Role::Condition) => Move::Unknown,
            (None, _, Role::Limit) | (_, None, Role::Alternative) => Move::Narrower,
            _ => Move::Wider,
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
