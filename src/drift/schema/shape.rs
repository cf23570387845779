//! The shapes in which generators write one schema, brought into one.
//!
//! Pydantic, zod and their kind write "a text or null" as `type: [string, null]` or as `anyOf` of two types, write a model
//! out or refer to it under `$defs`, and turn from one to the other with a release. Two schemas whose shapes differ are
//! compared as [`View`]s, one level at a time: nothing below a rewritten keyword is copied.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::border::crosses;
use super::disjoint::{are_disjoint, type_of};
use super::keyword::{Scope, is_type, scope};
use super::movement::Move;
use super::reference::{Documents, Side};
use crate::json::{Object, Value};

/// The most rewritings of one schema, within one that is tried out too: generators need three, and each that is tried in
/// vain can be tried again after the next.
const MOST: usize = 8;

/// A schema, its outermost keywords brought into the common shape.
#[derive(Debug)]
pub(super) struct View<'v> {
    keywords: BTreeMap<&'v str, Cow<'v, Value>>,
    /// What was rewritten.
    steps: Vec<Step<'v>>,
    /// The definitions that stand in it now.
    definitions: Vec<&'v Value>,
    /// The reference that was all of it.
    reference: Option<&'v str>,
}

/// One rewriting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'v> {
    /// What a reference points to was put in its place.
    Reference(&'v str),
    /// The only schema of a list was put in its place.
    Single(&'v str),
    /// A schema or null became one schema.
    Nullable(&'v str),
    /// Types became a list of types.
    Types(&'v str),
    /// Accepted values became one list of them.
    Members(&'v str),
}

/// How the keywords of one schema stand beside those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// All of them are there afterwards.
    Whole,
    /// Some that only describe give way.
    Shadowed,
    /// Both limit the same thing.
    Not,
}

/// Two schemas that were brought into one shape, and the keywords that have to be compared in it.
pub(super) struct Pair<'v> {
    /// What was approved.
    pub(super) old: View<'v>,
    /// What is said now.
    pub(super) new: View<'v>,
    /// The keywords that were rewritten on either side.
    pub(super) keywords: BTreeSet<&'v str>,
    /// Which way `oneOf` and `anyOf` instead of each other move what is accepted, where more than one may match.
    pub(super) overlapping: Option<Move>,
}

/// The keywords of which other shapes are known.
const SHAPED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "const", "enum"];

/// Brings two schemas into one shape; `None` if they have the same shape as they are.
pub(super) fn pair<'v>(documents: &Documents<'v>, old: &'v Object, new: &'v Object) -> Option<Pair<'v>> {
    if SHAPED.iter().all(|key| !old.contains_key(key) && !new.contains_key(key)) {
        return None;
    }
    let mut pair = Pair {
        old: View::of(documents, Side::Old, old, Some(new), 0),
        new: View::of(documents, Side::New, new, Some(old), 0),
        keywords: BTreeSet::new(),
        overlapping: None,
    };
    if pair.old.steps == pair.new.steps {
        // The same rewriting on both sides says nothing, and where it led to is compared where that stands.
        pair.old = View::plain(old);
        pair.new = View::plain(new);
    }
    let mut changed = pair.old.steps != pair.new.steps;
    let matched = if pair.old.match_alternatives(&pair.new) {
        Some((Move::Wider, &pair.old, Side::Old))
    } else if pair.new.match_alternatives(&pair.old) {
        Some((Move::Narrower, &pair.new, Side::New))
    } else {
        None
    };
    changed |= matched.is_some();
    pair.overlapping = matched
        .filter(|(_, view, side)| {
            let list = view.written("anyOf").and_then(Value::as_array);
            !list.is_some_and(|schemas| are_disjoint(documents, *side, schemas))
        })
        .map(|(movement, ..)| movement);
    changed |= pair.old.match_constant(&pair.new) || pair.new.match_constant(&pair.old);
    let implied = pair.old.match_implied_type(&pair.new) || pair.new.match_implied_type(&pair.old);
    if !changed && !implied {
        return None;
    }
    pair.keywords = pair.old.rewritten(old);
    pair.keywords.extend(pair.new.rewritten(new));
    // Where one side says nothing of the matter, it came or went, whatever its shape.
    let says_something = |view: &View<'v>| pair.keywords.iter().any(|key| view.get(key).is_some());
    // Where nothing was written differently, a reference leads to something else, which is told where that stands.
    let differ = pair.keywords.iter().any(|key| old.get(key) != new.get(key));
    let comparable = implied || (says_something(&pair.old) && says_something(&pair.new));
    (differ && comparable).then_some(pair)
}

impl<'v> Pair<'v> {
    /// The definitions that were put in the place of references.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &'v Value> {
        self.old.definitions.iter().chain(&self.new.definitions).copied()
    }
}

impl<'v> View<'v> {
    fn plain(schema: &'v Object) -> Self {
        let keywords = schema.iter().map(|(key, value)| (key, Cow::Borrowed(value))).collect();
        Self { keywords, steps: Vec::new(), definitions: Vec::new(), reference: None }
    }

    /// The view of a schema that is compared with another one. Lists that both have are compared as they are.
    fn of(documents: &Documents<'v>, side: Side, schema: &'v Object, other: Option<&'v Object>, depth: usize) -> Self {
        let is_alone = |key: &&str| other.is_none_or(|other| !other.contains_key(key));
        let mut view = Self::plain(schema);
        view.reference = (schema.len() == 1).then(|| schema.get("$ref").and_then(Value::as_str)).flatten();
        while view.steps.len() + depth < MOST {
            let stepped = view.step_reference(documents, side)
                || ["allOf", "anyOf", "oneOf"].into_iter().filter(is_alone).any(|key| view.step_single(key))
                || ["anyOf", "oneOf"].into_iter().filter(is_alone).any(|key| {
                    view.step_types(key) || view.step_members(key) || view.step_nullable(documents, side, key, depth)
                });
            if !stepped {
                break;
            }
        }
        view
    }

    /// A keyword's value.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.keywords.get(key).map(Cow::as_ref)
    }

    /// Whether a keyword's value was made here.
    pub(super) fn is_made(&self, key: &str) -> bool {
        matches!(self.keywords.get(key), Some(Cow::Owned(_)))
    }

    /// The reference that was the whole schema.
    pub(super) fn reference(&self) -> Option<&'v str> {
        self.reference
    }

    /// The keywords that aren't as they were written.
    fn rewritten(&self, schema: &'v Object) -> BTreeSet<&'v str> {
        let as_written = |key: &str| match (schema.get(key), self.keywords.get(key)) {
            (Some(value), Some(Cow::Borrowed(kept))) => std::ptr::eq(value, *kept),
            _ => false,
        };
        schema.keys().chain(self.keywords.keys().copied()).filter(|key| !as_written(key)).collect()
    }

    /// The value as it was written, unless it was made here.
    pub(super) fn written(&self, key: &str) -> Option<&'v Value> {
        match self.keywords.get(key)? {
            Cow::Borrowed(value) => Some(value),
            Cow::Owned(_) => None,
        }
    }

    /// The key as the schema or we write it.
    fn key(&self, key: &str) -> Option<&'v str> {
        self.keywords.get_key_value(key).map(|(&key, _)| key)
    }

    /// The list of two or more schemas under a key, all of them objects.
    fn alternatives(&self, key: &str) -> Option<Vec<&'v Object>> {
        let schemas: Option<Vec<_>> = self.written(key)?.as_array()?.iter().map(Value::as_object).collect();
        schemas.filter(|schemas| schemas.len() >= 2)
    }

    fn step_reference(&mut self, documents: &Documents<'v>, side: Side) -> bool {
        let Some(reference) = self.written("$ref").and_then(Value::as_str) else { return false };
        if self.steps.contains(&Step::Reference(reference)) {
            return false;
        }
        let Some(definition) = documents.follow(side, reference) else { return false };
        let Value::Object(target) = definition else { return false };
        if documents.is_of_an_early_draft(side) && !self.only_describes("$ref") {
            return false;
        }
        match self.fit(target, "$ref") {
            Fit::Not => return false,
            Fit::Whole => self.definitions.push(definition),
            // What isn't compared here is told where the definition stands.
            Fit::Shadowed => {}
        }
        self.replace("$ref", target);
        self.steps.push(Step::Reference(reference));
        true
    }

    fn step_single(&mut self, key: &str) -> bool {
        let Some(key) = self.key(key) else { return false };
        let Some([Value::Object(schema)]) = self.written(key).and_then(Value::as_array) else { return false };
        if self.fit(schema, key) != Fit::Whole {
            return false;
        }
        self.replace(key, schema);
        self.steps.push(Step::Single(key));
        true
    }

    /// `anyOf: [{type: a}, {type: b}]` is `type: [a, b]`.
    fn step_types(&mut self, key: &str) -> bool {
        let (Some(key), Some(schemas), None) = (self.key(key), self.alternatives(key), self.get("type")) else {
            return false;
        };
        let mut types = Vec::new();
        for schema in &schemas {
            match types_of(schema.get("type")) {
                Some(more) if schema.len() == 1 => types.extend(more),
                _ => return false,
            }
        }
        let distinct: BTreeSet<&str> = types.iter().copied().collect();
        // Of `oneOf`, what two alternatives accept is refused.
        if distinct.len() < types.len() || (distinct.contains("integer") && distinct.contains("number")) {
            return false;
        }
        self.keywords.remove(key);
        self.keywords.insert("type", Cow::Owned(Value::Array(types.into_iter().map(Value::from).collect())));
        self.steps.push(Step::Types(key));
        true
    }

    /// `anyOf: [{const: a}, {const: b}]` is `enum: [a, b]`.
    fn step_members(&mut self, key: &str) -> bool {
        let (Some(key), Some(schemas), None) = (self.key(key), self.alternatives(key), self.get("enum")) else {
            return false;
        };
        let mut members: Vec<Value> = Vec::new();
        for schema in &schemas {
            let Some(accepted) = members_of(schema) else { return false };
            let others = schema.keys().filter(|key| !matches!(*key, "type" | "const" | "enum")).count();
            let implied = schema.get("type").is_none_or(|word| implies(&accepted, word));
            if others > 0 || !implied {
                return false;
            }
            members.extend(accepted.into_iter().cloned());
        }
        let distinct: std::collections::HashSet<&Value> = members.iter().collect();
        if distinct.len() < members.len() {
            return false;
        }
        self.keywords.remove(key);
        self.keywords.insert("enum", Cow::Owned(Value::Array(members)));
        self.steps.push(Step::Members(key));
        true
    }

    /// `anyOf: [{type: a, …}, {type: null}]` is `type: [a, null], …` where the rest means nothing for null.
    fn step_nullable(&mut self, documents: &Documents<'v>, side: Side, key: &str, depth: usize) -> bool {
        let (Some(key), Some(schemas)) = (self.key(key), self.alternatives(key)) else { return false };
        let is_null = |schema: &Object| schema.len() == 1 && schema.get("type").and_then(Value::as_str) == Some("null");
        let one = match schemas.as_slice() {
            [one, null] | [null, one] if is_null(null) => *one,
            _ => return false,
        };
        let inner = View::of(documents, side, one, None, depth + self.steps.len() + 1);
        let Some(types) = types_of(inner.get("type")) else { return false };
        let fits = |key: &str| match scope(key) {
            Scope::Null => matches!(key, "type" | "enum"),
            Scope::Others | Scope::Annotation => true,
        };
        let is_free = |key: &str| !self.keywords.contains_key(key);
        if crosses(&inner.beside(""), &self.beside(key)) {
            return false;
        }
        if types.contains(&"null") || !inner.keywords.keys().all(|key| fits(key) && is_free(key)) {
            return false;
        }
        let types = types.into_iter().chain(["null"]).map(Value::from).collect();
        self.keywords.remove(key);
        self.steps.push(Step::Nullable(key));
        self.steps.extend(inner.steps);
        self.definitions.extend(inner.definitions);
        for (key, value) in inner.keywords {
            let value = match (key, value.as_ref()) {
                ("enum", Value::Array(members)) => {
                    Cow::Owned(Value::Array(members.iter().cloned().chain([Value::Null]).collect()))
                }
                _ => value,
            };
            self.keywords.insert(key, value);
        }
        self.keywords.insert("type", Cow::Owned(Value::Array(types)));
        true
    }

    /// The keywords beside the one under `key`.
    fn beside(&self, key: &str) -> Vec<(&str, &Value)> {
        let others = self.keywords.iter().filter(|(other, _)| **other != key);
        others.map(|(other, value)| (*other, value.as_ref())).collect()
    }

    /// Whether what stands beside the keyword under `key` refuses nothing.
    fn only_describes(&self, key: &str) -> bool {
        let refuses_nothing = |other: &str| scope(other) == Scope::Annotation || is_definitions(other);
        self.beside(key).iter().all(|(other, _)| refuses_nothing(other) || *other == "$schema")
    }

    /// How a schema's keywords can stand beside the others, in the place of the one under `key`.
    fn fit(&self, schema: &Object, key: &str) -> Fit {
        let inner: Vec<(&str, &Value)> = schema.iter().collect();
        if crosses(&inner, &self.beside(key)) {
            return Fit::Not;
        }
        let mut fit = Fit::Whole;
        for (inner, value) in schema.iter().filter(|(inner, _)| *inner != key) {
            match self.get(inner) {
                _ if is_definitions(inner) => fit = fit.max(Fit::Shadowed),
                Some(outer) if outer != value && scope(inner) == Scope::Annotation => fit = fit.max(Fit::Shadowed),
                Some(outer) if outer != value => return Fit::Not,
                _ => {}
            }
        }
        fit
    }

    /// Puts a schema's keywords into the place of the one under `key`. Of what describes, the outer has the word.
    fn replace(&mut self, key: &str, schema: &'v Object) {
        self.keywords.remove(key);
        for (inner, value) in schema.iter().filter(|(inner, _)| !is_definitions(inner)) {
            self.keywords.entry(inner).or_insert(Cow::Borrowed(value));
        }
    }

    /// `oneOf` is compared with `anyOf` where each side has but one of them. The first accepts less where more than one
    /// schema matches.
    fn match_alternatives(&mut self, other: &Self) -> bool {
        let has = |view: &Self, key: &str| view.keywords.contains_key(key);
        if !has(self, "oneOf") || has(self, "anyOf") || !has(other, "anyOf") || has(other, "oneOf") {
            return false;
        }
        let Some(value) = self.keywords.remove("oneOf") else { return false };
        self.keywords.insert("anyOf", value);
        true
    }

    /// `const: a` is compared with `enum` as `enum: [a]`.
    fn match_constant(&mut self, other: &Self) -> bool {
        let has = |view: &Self, key: &str| view.keywords.contains_key(key);
        if !has(self, "const") || has(self, "enum") || !has(other, "enum") || has(other, "const") {
            return false;
        }
        let Some(value) = self.keywords.remove("const") else { return false };
        self.keywords.insert("enum", Cow::Owned(Value::Array(vec![value.into_owned()])));
        true
    }

    /// A type that the accepted values have anyway says nothing more beside a schema without it.
    fn match_implied_type(&mut self, other: &Self) -> bool {
        let implied = self.get("type").is_some_and(|word| {
            let accepted = match (self.get("enum"), self.get("const")) {
                (Some(Value::Array(members)), None) if !members.is_empty() => members.iter().collect(),
                (None, Some(member)) => vec![member],
                _ => return false,
            };
            implies(&accepted, word)
        });
        let other_limits = other.get("enum").is_some() || other.get("const").is_some();
        if !implied || !other_limits || other.get("type").is_some() {
            return false;
        }
        self.keywords.remove("type");
        true
    }
}

fn is_definitions(key: &str) -> bool {
    matches!(key, "$defs" | "definitions")
}

/// The words of a `type`, each of them one of the specification's.
fn types_of(value: Option<&Value>) -> Option<Vec<&str>> {
    let words: Vec<&str> = match value? {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    words.iter().all(|word| is_type(word)).then_some(words)
}

/// The values that a schema accepts, where it lists them.
fn members_of(schema: &Object) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(member), None) => Some(vec![member]),
        (None, Some(Value::Array(members))) if !members.is_empty() => Some(members.iter().collect()),
        _ => None,
    }
}

/// Whether all these values are of one of these types (2020-12 validation, section 6.1.1). Whether a number is an
/// integer isn't looked into.
fn implies(members: &[&Value], types: &Value) -> bool {
    let Some(types) = types_of(Some(types)) else { return false };
    members.iter().all(|member| types.contains(&type_of(member)))
}
