//! What differs between two schemas.
//!
//! A walk over both at once that always knows whether it stands at a schema, at a map of schemas or at data, and whether
//! accepting less here means accepting less as a whole. References aren't followed: what they point to within the
//! document is compared where it stands.

mod align;
mod keyword;
mod limit;
mod movement;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use align::align;
pub(super) use keyword::visit;
use keyword::{Keyword, declares_parameters, holds_text, is_prose, schema_holds_text};
use movement::{Move, Sense};

use super::values::{common_prefix, common_suffix, leaves};
use crate::finding::{Finding, Rule, rule};
use crate::json::{Object, Pointer, Value};

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// What a tool takes.
    Input,
    /// What a tool returns.
    Output,
}

/// What it means that a schema is there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It narrows.
    Limit,
    /// It widens.
    Alternative,
    /// It describes a parameter.
    Parameter,
    /// Others may refer to it.
    Definition,
}

/// The most differences of one schema that are told apart: more say no more to a reader, and a hostile one has millions.
const MOST: usize = 1_000;

/// Names every difference between two schemas, either of which may be missing or no schema at all; none exactly when
/// they are equal. Those beyond [`MOST`] are one finding of the worst rule among them, with both schemas whole.
pub(super) fn differences(purpose: Purpose, old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let mut walk = Walk { purpose, findings: Vec::new(), more: 0, worst: None };
    walk.schema(old, new, at, Sense::Same, Role::Limit);
    let mut findings = walk.findings;
    if let Some(rule) = walk.worst {
        let rest = Finding::new(rule).at(at.clone()).between(old.cloned(), new.cloned());
        findings.push(rest.noting(format!("{} more differences in this schema", walk.more)));
    }
    findings
}

struct Walk {
    purpose: Purpose,
    findings: Vec<Finding>,
    /// How many differences there are beyond [`MOST`].
    more: usize,
    /// The worst rule among those.
    worst: Option<&'static Rule>,
}

impl Walk {
    /// Puts down one difference. What a tool returns has one rule for all that is neither text nor order.
    fn tell(&mut self, rule: &'static Rule, at: &Pointer, old: Option<&Value>, new: Option<&Value>) {
        let common = [rule::SCHEMA_TEXT_CHANGED.id, rule::ORDER_CHANGED.id];
        let rule = if self.purpose == Purpose::Input || common.contains(&rule.id) {
            rule
        } else {
            &rule::OUTPUT_SCHEMA_CHANGED
        };
        if self.findings.len() < MOST {
            self.findings.push(Finding::new(rule).at(at.clone()).between(old.cloned(), new.cloned()));
        } else {
            self.more += 1;
            self.worst = self.worst.filter(|worst| worst.change >= rule.change).or(Some(rule));
        }
    }

    /// A difference of values that are no schemas: what holds text is text.
    fn values(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer) {
        for leaf in leaves(old, new, at) {
            let key_is_new = leaf.old.is_none() || leaf.new.is_none();
            let text = leaf.old.is_some_and(holds_text)
                || leaf.new.is_some_and(holds_text)
                || (key_is_new && ends_in_prose(&leaf.pointer));
            let rule = if text { &rule::SCHEMA_TEXT_CHANGED } else { &rule::SCHEMA_CHANGED };
            self.tell(rule, &leaf.pointer, leaf.old, leaf.new);
        }
    }

    /// Two values where schemas belong.
    fn schema(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense, role: Role) {
        match (old, new) {
            (old, new) if old == new => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) => self.keywords(before, after, at, sense),
            (None, Some(schema)) => {
                let rule = self.rule_of_new(schema, at, sense, role);
                self.tell(rule, at, None, Some(schema));
            }
            (Some(schema), None) => {
                let rule = rule_of_gone(schema, sense, role);
                self.tell(rule, at, Some(schema), None);
            }
            (Some(before @ (Value::Bool(_) | Value::Object(_))), Some(after @ (Value::Bool(_) | Value::Object(_)))) => {
                let movement = match (accepts_all(before), accepts_all(after)) {
                    (true, true) => Move::Unknown,
                    (true, false) => Move::Narrower,
                    (false, true) => Move::Wider,
                    (false, false) if before == &Value::Bool(false) => Move::Wider,
                    (false, false) => Move::Narrower,
                };
                let rule = self.reach_of(after).unwrap_or(rule_of_move(sense.of(movement)));
                self.tell(rule, at, old, new);
            }
            (old, new) => self.values(old, new, at),
        }
    }

    /// What a schema brings with it that is dangerous wherever it stands.
    fn reach_of(&self, schema: &Value) -> Option<&'static Rule> {
        if self.purpose == Purpose::Input && declares_parameters(schema) {
            Some(&rule::PARAMETER_ADDED)
        } else {
            schema_holds_text(schema).then_some(&rule::SCHEMA_TEXT_CHANGED)
        }
    }

    fn rule_of_new(&self, schema: &Value, at: &Pointer, sense: Sense, role: Role) -> &'static Rule {
        if role == Role::Parameter && self.purpose == Purpose::Input {
            return &rule::PARAMETER_ADDED;
        }
        if let Some(reach) = self.reach_of(schema) {
            return reach;
        }
        match role {
            Role::Parameter | Role::Definition if ends_in_prose(at) => &rule::SCHEMA_TEXT_CHANGED,
            Role::Parameter => &rule::PARAMETER_ADDED,
            Role::Definition => &rule::SCHEMA_CHANGED,
            Role::Limit if accepts_all(schema) => &rule::SCHEMA_CHANGED,
            Role::Limit => rule_of_move(sense.of(Move::Narrower)),
            Role::Alternative => rule_of_move(sense.of(Move::Wider)),
        }
    }

    /// Two schemas that are objects, keyword by keyword.
    fn keywords(&mut self, old: &Object, new: &Object, at: &Pointer, sense: Sense) {
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (before, after) = (old.get(key), new.get(key));
            if before != after {
                self.keyword(key, before, after, &at.join(key), sense);
            }
        }
    }

    fn keyword(&mut self, key: &str, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        match Keyword::of(key) {
            Keyword::Parameters => self.schemas_by_name(old, new, at, sense, Role::Parameter),
            Keyword::Definitions => self.schemas_by_name(old, new, at, sense, Role::Definition),
            Keyword::Conditional => self.schemas_by_name(old, new, at, sense, Role::Limit),
            Keyword::Schema if is_array(old) || is_array(new) => self.schemas_by_position(old, new, at, sense),
            Keyword::Schema => self.schema(old, new, at, sense, Role::Limit),
            Keyword::Not if old.is_some() && new.is_some() => {
                self.schema(old, new, at, sense.opposite(), Role::Limit);
            }
            Keyword::Not => self.schema(old, new, at, sense, Role::Limit),
            Keyword::If => self.schema(old, new, at, Sense::Unclear, Role::Definition),
            Keyword::AllOf => self.schemas_in_any_order(old, new, at, sense, Role::Limit),
            Keyword::AnyOf => self.schemas_in_any_order(old, new, at, sense, Role::Alternative),
            Keyword::Names => self.names(old, new, at, sense),
            Keyword::Dependencies => self.dependencies(old, new, at, sense),
            Keyword::Type => self.types(old, new, at, sense),
            Keyword::Members => self.members(old, new, at, sense),
            Keyword::Const => self.limit(movement::constant(old, new), old, new, at, sense),
            Keyword::LowerBound => self.limit(movement::lower_bound(old, new), old, new, at, sense),
            Keyword::UpperBound => self.limit(movement::upper_bound(old, new), old, new, at, sense),
            Keyword::Limit => self.word(movement::limit(old, new), old, new, at, sense),
            Keyword::Token => self.word(Move::Unknown, old, new, at, sense),
            Keyword::Other => self.values(old, new, at),
        }
    }

    fn schemas_by_name(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense, role: Role) {
        let none = Object::new();
        let (Some(before), Some(after)) = (members_or(old, &none), members_or(new, &none)) else {
            return self.values(old, new, at);
        };
        if before == after {
            // `{}` came or went.
            return self.tell(&rule::SCHEMA_CHANGED, at, old, new);
        }
        let names: BTreeSet<&str> = before.keys().chain(after.keys()).collect();
        for name in names {
            self.schema(before.get(name), after.get(name), &at.join(name), sense, role);
        }
    }

    fn schemas_by_position(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
            return self.whole_list(old, new, at, sense);
        };
        let start = common_prefix(before, after);
        let tail = common_suffix(&before[start..], &after[start..]);
        let end = before.len().max(after.len()) - tail;
        for index in start..end {
            let within = |list: &[Value]| (index < list.len() - tail).then_some(index);
            let (before, after) =
                (within(before).and_then(|index| before.get(index)), within(after).and_then(|index| after.get(index)));
            self.schema(before, after, &at.join(index), sense, Role::Limit);
        }
    }

    fn schemas_in_any_order(
        &mut self,
        old: Option<&Value>,
        new: Option<&Value>,
        at: &Pointer,
        sense: Sense,
        role: Role,
    ) {
        let (Some(Value::Array(before)), Some(Value::Array(after))) = (old, new) else {
            return self.whole_list(old, new, at, sense);
        };
        let alignment = align(before, after);
        for index in 0..alignment.gone.len().max(alignment.come.len()) {
            let (gone, come) = (alignment.gone.get(index), alignment.come.get(index));
            let Some(place) = come.or(gone) else { continue };
            let (before, after) = (gone.map(|place| &before[place.index]), come.map(|place| &after[place.index]));
            self.schema(before, after, &at.join(place.index), sense, role);
        }
        if alignment.reordered {
            self.tell(&rule::SCHEMA_CHANGED, at, old, new);
        }
    }

    /// A list of schemas of which one side is no list: there is nothing to match its elements with.
    fn whole_list(&mut self, old: Option<&Value>, new: Option<&Value>, at: &Pointer, sense: Sense) {
        let schemas = match new {
            Some(Value::Array(schemas)) => schemas.as_slice(),
            other => other.map(std::slice::from_ref).unwrap_or_default(),
        };
        let movement = match (old, new) {
            (None, _) => Move::Narrower,
            (_, None) => Move::Wider,
            _ => Move::Unknown,
        };
        let rule = schemas.iter().find_map(|schema| self.reach_of(schema));
        self.tell(rule.unwrap_or(rule_of_move(sense.of(movement))), at, old, new);
    }
}

fn rule_of_gone(schema: &Value, sense: Sense, role: Role) -> &'static Rule {
    match role {
        Role::Parameter => &rule::PARAMETER_REMOVED,
        Role::Definition => &rule::SCHEMA_CHANGED,
        Role::Limit if accepts_all(schema) => &rule::SCHEMA_CHANGED,
        Role::Limit => rule_of_move(sense.of(Move::Wider)),
        Role::Alternative => rule_of_move(sense.of(Move::Narrower)),
    }
}

fn rule_of_move(movement: Move) -> &'static Rule {
    match movement {
        Move::Wider => &rule::PARAMETER_LOOSENED,
        Move::Narrower => &rule::PARAMETER_TIGHTENED,
        Move::Unknown => &rule::SCHEMA_CHANGED,
    }
}

fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(keywords) => keywords.is_empty(),
        _ => false,
    }
}

fn is_array(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Array(_)))
}

/// The last step of a place, if it is prose.
fn ends_in_prose(at: &Pointer) -> bool {
    at.segments().last().is_some_and(|segment| is_prose(segment))
}

/// The members of an object, `none` if there is nothing; `None` if it is something else.
fn members_or<'a>(side: Option<&'a Value>, none: &'a Object) -> Option<&'a Object> {
    side.map_or(Some(none), Value::as_object)
}
