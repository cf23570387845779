//! The keywords that limit without holding schemas.

use super::align::{Alignment, align};
use super::fact::{Brings, Fact, What};
use super::keyword::{holds_text, is_prose, is_type};
use super::lists::names_of;
use super::movement::{self, Move, Sense};
use super::reference::Side;
use super::walk::{Keywords, Role, Walk, is_array};
use crate::json::{Pointer, Value};

impl<'v> Walk<'_, 'v> {
    /// The names that must be given. One that goes with its parameter frees nobody from giving it.
    pub(super) fn required(&mut self, get: Keywords<'_, 'v>, at: &Pointer, sense: Sense) {
        let declares = |side: Side, name: &str| get(side, "properties").and_then(|map| map.get(name)).is_some();
        let went =
            |name: &Value| name.as_str().is_some_and(|name| declares(Side::Old, name) && !declares(Side::New, name));
        self.names(get(Side::Old, "required"), get(Side::New, "required"), at, sense, &went);
    }

    /// Names in an order that means nothing, of which some went with what they name.
    fn names(
        &mut self,
        old: Option<&'v Value>,
        new: Option<&'v Value>,
        at: &Pointer,
        sense: Sense,
        went: &dyn Fn(&Value) -> bool,
    ) {
        let (Some(before), Some(after)) = (elements_or_none(old), elements_or_none(new)) else {
            return self.values(old, new, at);
        };
        let alignment = align(before, after);
        if alignment.is_complete() {
            // `[]` came or went, or the order changed.
            let what = if before == after { What::Shape } else { What::SetOrder };
            return self.tell(Fact::new(what, at, old, new));
        }
        self.unmatched(&alignment, before, after, at, &|fact| match (fact.old, fact.new) {
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
    pub(super) fn members(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer, sense: Sense) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
            let movement = if old.is_none() { Move::Narrower } else { Move::Wider };
            return self.limit(movement, old, new, at, sense);
        };
        let alignment = align(before, after);
        self.unmatched(&alignment, before, after, at, &|fact| {
            let movement = if fact.new.is_some() { Move::Wider } else { Move::Narrower };
            let brings = fact.new.is_some_and(holds_text).then_some(Brings::Text);
            fact.moving(sense.of(movement)).bringing(brings)
        });
        if alignment.reordered {
            self.tell(Fact::new(What::MemberOrder, at, old, new));
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
    pub(super) fn dependencies(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer, sense: Sense) {
        let Some(names) = names_of(old, new) else { return self.values(old, new, at) };
        if names.is_empty() {
            return self.tell(Fact::new(What::Shape, at, old, new));
        }
        for name in names {
            let get = |side: Option<&'v Value>| side.and_then(|side| side.get(name));
            let (before, after) = (get(old), get(new));
            let at = at.join(name);
            if before == after {
                continue;
            } else if before.is_none() && is_prose(name) {
                self.tell(Fact::new(What::Text, &at, before, after));
            } else if is_array(before) || is_array(after) {
                self.names(before, after, &at, sense, &|_| false);
            } else {
                self.schema(before, after, &at, sense, Role::Limit);
            }
        }
    }

    /// One type, or several whose order means nothing.
    pub(super) fn types(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer, sense: Sense) {
        let (before, after) = (old.map(words), new.map(words));
        let (Some(before), Some(after)) = (before.unwrap_or(Some(Vec::new())), after.unwrap_or(Some(Vec::new())))
        else {
            return self.values(old, new, at);
        };
        if after.iter().any(|word| !is_type(word) && !before.contains(word)) {
            return self.tell(Fact::new(What::Text, at, old, new));
        }
        let movement = match (old, new) {
            (None, _) => Move::Narrower,
            (_, None) => Move::Wider,
            (Some(Value::Array(one)), Some(Value::Array(other))) if align(one, other).is_complete() => {
                return self.tell(Fact::new(What::SetOrder, at, old, new));
            }
            _ => movement::types(&before, &after),
        };
        self.tell(Fact::new(What::Limit, at, old, new).moving(sense.of(movement)));
    }

    /// A limit whose value may be text that a model reads.
    pub(super) fn limit(
        &mut self,
        movement: Move,
        old: Option<&'v Value>,
        new: Option<&'v Value>,
        at: &Pointer,
        sense: Sense,
    ) {
        let brings = new.is_some_and(holds_text).then_some(Brings::Text);
        self.tell(Fact::new(What::Limit, at, old, new).moving(sense.of(movement)).bringing(brings));
    }

    /// A limit that is a word for machines, unless it is prose.
    pub(super) fn word(
        &mut self,
        movement: Move,
        old: Option<&'v Value>,
        new: Option<&'v Value>,
        at: &Pointer,
        sense: Sense,
    ) {
        let is_word = |side: &Value| match side {
            Value::String(word) => !is_prose(word),
            other => !holds_text(other),
        };
        let words = old.is_none_or(is_word) && new.is_none_or(is_word);
        let what = if words { What::Limit } else { What::Text };
        self.tell(Fact::new(what, at, old, new).moving(sense.of(movement)));
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
