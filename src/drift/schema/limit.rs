//! The keywords that limit without holding schemas.

use std::collections::BTreeSet;

use super::align::{Alignment, align};
use super::keyword::{holds_text, is_prose, is_type};
use super::movement::{self, Move, Sense};
use super::{Purpose, Role, Walk, is_array, members_or, rule_of_move};
use crate::finding::{Rule, rule};
use crate::json::{Object, Pointer, Value};

impl Walk {
    /// Names that must be given, in an order that means nothing.
    pub(super) fn names(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let (Some(before), Some(after)) = (elements_or_none(old), elements_or_none(new)) else {
            return self.values(old, new, at);
        };
        let alignment = align(before, after);
        if alignment.is_complete() {
            // `[]` came or went, or the order changed.
            let rule = if before == after { &rule::SCHEMA_CHANGED } else { &rule::ORDER_CHANGED };
            return self.tell(rule, at, old, new);
        }
        let gone = |_: &Value| rule_of_move(sense.of(Move::Wider));
        let come = |name: &Value| match name {
            Value::String(name) if !is_prose(name) => &rule::PARAMETER_REQUIRED,
            _ => &rule::SCHEMA_TEXT_CHANGED,
        };
        self.unmatched(&alignment, before, after, at, gone, come);
    }

    /// The accepted values, each of which is told by itself.
    pub(super) fn members(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
            let movement = if old.is_none() { Move::Narrower } else { Move::Wider };
            return self.limit(movement, old, new, at, sense);
        };
        let alignment = align(before, after);
        let purpose = self.purpose;
        let gone = |_: &Value| rule_of_move(sense.of(Move::Narrower));
        let come = |member: &Value| rule_of_limit(purpose, sense.of(Move::Wider), Some(member));
        self.unmatched(&alignment, before, after, at, gone, come);
        if alignment.reordered {
            self.tell(&rule::SCHEMA_CHANGED, at, old, new);
        }
    }

    /// The elements of two lists that the other list has not. One that the other list has, though not as often, widens
    /// and narrows nothing.
    fn unmatched(
        &mut self,
        alignment: &Alignment,
        old: &[Value],
        new: &[Value],
        at: &Pointer,
        rule_of_gone: impl Fn(&Value) -> &'static Rule,
        rule_of_come: impl Fn(&Value) -> &'static Rule,
    ) {
        for place in &alignment.gone {
            let element = &old[place.index];
            let rule = if place.repeated { &rule::SCHEMA_CHANGED } else { rule_of_gone(element) };
            self.tell(rule, &at.join(place.index), Some(element), None);
        }
        for place in &alignment.come {
            let element = &new[place.index];
            let rule = if place.repeated { &rule::SCHEMA_CHANGED } else { rule_of_come(element) };
            self.tell(rule, &at.join(place.index), None, Some(element));
        }
    }

    /// Names, or a schema, by the parameter that makes them hold.
    pub(super) fn dependencies(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let none = Object::new();
        let (Some(before), Some(after)) = (members_or(old, &none), members_or(new, &none)) else {
            return self.values(old, new, at);
        };
        if before == after {
            return self.tell(&rule::SCHEMA_CHANGED, at, old, new);
        }
        let names: BTreeSet<&str> = before.keys().chain(after.keys()).collect();
        for name in names {
            let (before, after) = (before.get(name), after.get(name));
            let at = at.join(name);
            if before == after {
                continue;
            } else if before.is_none() && is_prose(name) {
                self.tell(&rule::SCHEMA_TEXT_CHANGED, &at, before, after);
            } else if is_array(before) || is_array(after) {
                self.names(before, after, &at, sense);
            } else {
                self.schema(before, after, &at, sense, Role::Limit);
            }
        }
    }

    /// One type, or several whose order means nothing.
    pub(super) fn types(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let (before, after) = (old.map(words), new.map(words));
        let (Some(before), Some(after)) = (before.unwrap_or(Some(Vec::new())), after.unwrap_or(Some(Vec::new())))
        else {
            return self.values(old, new, at);
        };
        let rule = if after.iter().any(|word| !is_type(word) && !before.contains(word)) {
            &rule::SCHEMA_TEXT_CHANGED
        } else {
            match (old, new) {
                (None, _) => rule_of_move(sense.of(Move::Narrower)),
                (_, None) => rule_of_move(sense.of(Move::Wider)),
                (Some(Value::Array(one)), Some(Value::Array(other))) if align(one, other).is_complete() => {
                    &rule::ORDER_CHANGED
                }
                _ => rule_of_move(sense.of(movement::types(&before, &after))),
            }
        };
        self.tell(rule, at, old, new);
    }

    /// A limit whose value may be text that a model reads.
    pub(super) fn limit(
        &mut self,
        movement: Move,
        old: Option<&Value>,
        new: Option<&Value>,
        at: &Pointer,
        sense: Sense,
    ) {
        self.tell(rule_of_limit(self.purpose, sense.of(movement), new), at, old, new);
    }

    /// A limit or an address that is a word for machines, unless it is prose.
    pub(super) fn word(
        &mut self,
        movement: Move,
        old: Option<&Value>,
        new: Option<&Value>,
        at: &Pointer,
        sense: Sense,
    ) {
        let is_word = |side: &Value| match side {
            Value::String(word) => !is_prose(word),
            other => !holds_text(other),
        };
        let words = old.is_none_or(is_word) && new.is_none_or(is_word);
        let rule = if words { rule_of_move(sense.of(movement)) } else { &rule::SCHEMA_TEXT_CHANGED };
        self.tell(rule, at, old, new);
    }
}

/// The rule of a limit's new value. Where widening is a danger of its own it says more than that there is text.
fn rule_of_limit(purpose: Purpose, movement: Move, new: Option<&Value>) -> &'static Rule {
    let widens = movement == Move::Wider && purpose == Purpose::Input;
    if !widens && new.is_some_and(holds_text) { &rule::SCHEMA_TEXT_CHANGED } else { rule_of_move(movement) }
}

/// The elements of a list, none if there is nothing; `None` if it is something else.
fn elements_or_none(side: Option<&Value>) -> Option<&[Value]> {
    side.map_or(Some(&[]), Value::as_array)
}

/// The words of a `type`; `None` if it is neither a word nor a list of words.
fn words(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(word) => Some(vec![word]),
        Value::Array(words) => words.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
