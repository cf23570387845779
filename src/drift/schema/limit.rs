//! The keywords that limit without holding schemas.

use super::align::{Alignment, align};
use super::change::Change;
use super::fact::{Brings, Fact, What};
use super::keyword::{holds_text, is_prose, is_type};
use super::lists::names_of;
use super::movement::{self, Move};
use super::reference::Side;
use super::walk::{Keywords, Role, Walk, is_word};
use crate::json::{Pointer, Value};

/// Keywords that say in a list what the accepted values mean, each in the same place.
const LABELS: [&str; 8] = [
    "enumNames",
    "enumDescriptions",
    "markdownEnumDescriptions",
    "x-enumNames",
    "x-enumDescriptions",
    "x-enum-names",
    "x-enum-varnames",
    "x-enum-descriptions",
];

impl<'v> Walk<'_, 'v> {
    /// The names that must be given. One that goes with its parameter frees nobody from giving it.
    pub(super) fn required(&mut self, get: Keywords<'_, 'v>, change: &Change<'v>) {
        let declares = |side: Side, name: &str| get(side, "properties").and_then(|map| map.get(name)).is_some();
        let went =
            |name: &Value| name.as_str().is_some_and(|name| declares(Side::Old, name) && !declares(Side::New, name));
        self.names(change, &went);
    }

    /// Names in an order that means nothing, of which some went with what they name.
    fn names(&mut self, change: &Change<'v>, went: &dyn Fn(&Value) -> bool) {
        let (Some(before), Some(after)) = (elements_or_none(change.old), elements_or_none(change.new)) else {
            return self.values(change);
        };
        let sense = change.sense;
        let alignment = align(before, after);
        if alignment.is_complete() {
            // `[]` came or went, or the order changed.
            let what = if before == after { What::Shape } else { What::SetOrder };
            return self.tell(change.fact(what));
        }
        self.unmatched(&alignment, before, after, &change.at, &|fact| match (fact.old, fact.new) {
            (Some(name), _) if went(name) => Fact { what: What::Parameter, ..fact }.moving(sense.of(Move::Narrower)),
            (_, Some(name)) => {
                let is_name = name.as_str().is_some_and(|name| !is_prose(name));
                let brings = (!is_name).then_some(Brings::Text);
                Fact { what: What::Required, ..fact }.moving(sense.of(Move::Narrower)).bringing(brings)
            }
            _ => Fact { what: What::Required, ..fact }.moving(sense.of(Move::Wider)),
        });
    }

    /// The accepted values, each of which is told by itself.
    pub(super) fn members(&mut self, get: Keywords<'_, 'v>, change: &Change<'v>) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (change.old, change.new) else {
            let movement = if change.old.is_none() { Move::Narrower } else { Move::Wider };
            return self.limit(movement, change);
        };
        let alignment = align(before, after);
        self.unmatched(&alignment, before, after, &change.at, &|fact| {
            let movement = if fact.new.is_some() { Move::Wider } else { Move::Narrower };
            let brings = fact.new.is_some_and(holds_text).then_some(Brings::Text);
            fact.moving(change.sense.of(movement)).bringing(brings)
        });
        if alignment.reordered {
            let is_labelled = LABELS.iter().any(|key| get(Side::Old, key).is_some() && get(Side::New, key).is_some());
            self.tell(change.fact(if is_labelled { What::Text } else { What::MemberOrder }));
        }
    }

    /// The elements of two lists that the other list has not, each as `of` sees it. One that the other list has, though
    /// not as often, widens and narrows nothing.
    fn unmatched(
        &mut self,
        alignment: &Alignment,
        old: &'v [Value],
        new: &'v [Value],
        at: &Pointer,
        of: &dyn Fn(Fact<'v>) -> Fact<'v>,
    ) {
        let gone = alignment.gone.iter().map(|place| (place, Side::Old));
        let come = alignment.come.iter().map(|place| (place, Side::New));
        for (place, side) in gone.chain(come) {
            let at = at.join(place.index);
            let fact = match side {
                Side::Old => Fact::new(What::Limit, &at, old.get(place.index), None),
                Side::New => Fact::new(What::Limit, &at, None, new.get(place.index)),
            };
            self.tell(if place.repeated { fact.moving(Move::Same) } else { of(fact) });
        }
    }

    /// Names, or a schema, by the parameter that makes them hold.
    pub(super) fn dependencies(&mut self, change: &Change<'v>) {
        let Some(names) = names_of(change) else { return self.values(change) };
        if names.is_empty() {
            return self.tell(change.fact(What::Shape));
        }
        for name in names {
            let change = &change.member(name);
            if change.old == change.new {
                continue;
            } else if change.old.is_none() && is_prose(name) {
                self.tell(change.fact(What::Text));
            } else if change.has_list() {
                self.names(change, &|_| false);
            } else {
                self.schema(change, Role::Limit);
            }
        }
    }

    /// One type, or several whose order means nothing.
    pub(super) fn types(&mut self, change: &Change<'v>) {
        let (before, after) = (change.old.map(words), change.new.map(words));
        let (Some(before), Some(after)) = (before.unwrap_or(Some(Vec::new())), after.unwrap_or(Some(Vec::new())))
        else {
            return self.values(change);
        };
        if after.iter().any(|word| !is_type(word) && !before.contains(word)) {
            return self.tell(change.fact(What::Text));
        }
        let movement = match (change.old, change.new) {
            (None, _) => Move::Narrower,
            (_, None) => Move::Wider,
            (Some(Value::Array(one)), Some(Value::Array(other))) if align(one, other).is_complete() => {
                return self.tell(change.fact(What::SetOrder));
            }
            _ => movement::types(&before, &after),
        };
        self.tell(change.moved(What::Limit, movement));
    }

    /// A limit whose value may be text that a model reads.
    pub(super) fn limit(&mut self, movement: Move, change: &Change<'v>) {
        let brings = change.new.is_some_and(holds_text).then_some(Brings::Text);
        self.tell(change.moved(What::Limit, movement).bringing(brings));
    }

    /// A limit that is a word for machines, unless it is prose.
    pub(super) fn word(&mut self, movement: Move, change: &Change<'v>) {
        let what = if change.all(is_word) { What::Limit } else { What::Text };
        self.tell(change.moved(what, movement));
    }
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
