//! What a change of a schema means: its rule and its level, by its direction and by what the schema is for.
//!
//! For what a tool takes, wider is a danger (it can be given what nobody has approved) and narrower breaks callers. For
//! what it returns it is the other way round, and neither is a danger: whoever uses the result meets something that it
//! doesn't expect, or misses something. Text is a danger in both, for a model reads both.

use std::cmp::Reverse;

use super::Purpose;
use super::fact::{Brings, Fact, What};
use super::movement::Move;
use crate::finding::{Level, RULES, Rule, rule};

/// What a fact was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The rule.
    pub(super) rule: &'static Rule,
    /// The level, in this case.
    pub(super) level: Level,
    /// What the rule alone doesn't say.
    pub(super) note: Option<&'static str>,
}

impl Judgement {
    /// How much it matters, the most first: by its level, then as the table of rules has them.
    pub(super) fn weight(&self) -> (Reverse<Level>, usize) {
        let place = RULES.iter().position(|listed| listed.id == self.rule.id);
        (Reverse(self.level), place.unwrap_or(RULES.len()))
    }
}

/// Judges one fact.
pub(super) fn judge(purpose: Purpose, fact: &Fact<'_>) -> Judgement {
    let rule = rule_of(purpose, fact);
    let input = purpose == Purpose::Input;
    let raised = match fact.what {
        What::Additional => input && fact.movement == Move::Wider,
        What::Default => fact.brings == Some(Brings::Text),
        What::Reference => fact.new.and_then(|new| new.as_str()).is_some_and(|target| !target.starts_with('#')),
        _ => false,
    };
    let level = rule.otherwise.as_ref().filter(|_| raised).map_or(rule.change, |otherwise| otherwise.level);
    let note = match (fact.what, fact.movement) {
        (What::Additional, Move::Wider) if rule == &rule::ADDITIONAL_PROPERTIES_CHANGED => {
            Some("members that no parameter declares were refused, or limited more, and now are accepted")
        }
        (What::Additional, Move::Narrower) if rule == &rule::ADDITIONAL_PROPERTIES_CHANGED => {
            Some("members that no parameter declares were accepted, or limited less, and now are refused")
        }
        (What::Reference, _) if level == Level::Danger => Some("it points out of the schema, to what isn't pinned"),
        _ => None,
    };
    Judgement { rule, level, note }
}

fn rule_of(purpose: Purpose, fact: &Fact<'_>) -> &'static Rule {
    let input = purpose == Purpose::Input;
    let brings = match fact.brings {
        Some(Brings::Parameters) if input => Some(&rule::PARAMETER_ADDED),
        // Text among the parameters that a result declares was looked for.
        Some(Brings::Parameters) | None => None,
        Some(Brings::Text) => Some(&rule::SCHEMA_TEXT_CHANGED),
    };
    match fact.what {
        What::Parameter if input && fact.old.is_none() => &rule::PARAMETER_ADDED,
        What::Parameter if input => &rule::PARAMETER_REMOVED,
        What::Parameter if fact.new.is_none() => &rule::OUTPUT_NARROWED,
        What::Parameter => brings.unwrap_or(&rule::OUTPUT_WIDENED),
        What::Required if input && fact.new.is_some() && fact.movement == Move::Narrower => {
            brings.unwrap_or(&rule::PARAMETER_REQUIRED)
        }
        // Where widening is a danger of its own, it says more than that there is text.
        What::Limit if input && fact.movement == Move::Wider => &rule::PARAMETER_LOOSENED,
        What::Schema | What::Limit | What::Required => brings.unwrap_or_else(|| rule_of_move(purpose, fact.movement)),
        What::Additional => brings.unwrap_or(&rule::ADDITIONAL_PROPERTIES_CHANGED),
        What::SetOrder => &rule::ORDER_CHANGED,
        What::MemberOrder => &rule::ENUM_ORDER_CHANGED,
        What::Default => &rule::DEFAULT_CHANGED,
        What::Reference => &rule::SCHEMA_REFERENCE_CHANGED,
        What::Dialect => &rule::SCHEMA_DIALECT_CHANGED,
        What::RepeatedTitle => &rule::REPEATED_TITLE_CHANGED,
        What::Text => &rule::SCHEMA_TEXT_CHANGED,
        What::Shape => &rule::SCHEMA_SHAPE_CHANGED,
        What::SchemaOrder | What::Other => brings.unwrap_or_else(|| rule_of_move(purpose, Move::Unknown)),
    }
}

fn rule_of_move(purpose: Purpose, movement: Move) -> &'static Rule {
    match (purpose, movement) {
        (_, Move::Same) => &rule::SCHEMA_SHAPE_CHANGED,
        (Purpose::Input, Move::Wider | Move::Aside) => &rule::PARAMETER_LOOSENED,
        (Purpose::Input, Move::Narrower) => &rule::PARAMETER_TIGHTENED,
        (Purpose::Input, Move::Unknown) => &rule::SCHEMA_CHANGED,
        (Purpose::Output, Move::Wider | Move::Aside) => &rule::OUTPUT_WIDENED,
        (Purpose::Output, Move::Narrower) => &rule::OUTPUT_NARROWED,
        (Purpose::Output, Move::Unknown) => &rule::OUTPUT_SCHEMA_CHANGED,
    }
}
