//! The walk over two schemas at once that puts down the facts.
//!
//! It always knows whether it stands at a schema, at a map of schemas or at data, and whether accepting less here means
//! accepting less as a whole. What each fact means it doesn't know.

use std::collections::BTreeSet;

use super::Purpose;
use super::change::Change;
use super::fact::{Brings, Fact, What};
use super::judge::{Judgement, judge};
use super::keyword::{
    Keyword, declares_parameters, ends_in_prose, holds_prose, holds_text, is_prose, schema_holds_text,
};
use super::movement::{self, Move, Sense};
use super::reference::{Documents, Side};
use super::sense::Senses;
use super::title::repeats;
use crate::drift::values::leaves;
use crate::json::{Object, Pointer, Value};

/// What it means that a schema is there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It narrows.
    Limit,
    /// It narrows, even if it accepts everything.
    Demand,
    /// It widens.
    Alternative,
    /// It widens, but for what another one accepts too.
    Exclusive,
    /// It describes a parameter.
    Parameter,
    /// Others may refer to it.
    Definition,
    /// It decides which others hold.
    Condition,
}

/// The most differences of one schema that are told apart: more say no more to a reader, and a hostile one has millions.
pub(super) const MOST: usize = 1_000;

/// The keywords of two schemas: what each side has under a key.
pub(super) type Keywords<'k, 'v> = &'k dyn Fn(Side, &str) -> Option<&'v Value>;

/// What a walk knows and has found.
pub(super) struct Walk<'w, 'v> {
    /// What the schemas are for.
    pub(super) purpose: Purpose,
    /// What the schemas as a whole are called.
    pub(super) name: &'w str,
    /// The whole schemas, in which references lead somewhere.
    pub(super) documents: &'w Documents<'v>,
    /// Where those stand.
    pub(super) root: &'w Pointer,
    /// What a movement is for the whole where references lead to; nothing in a walk over what they lead to.
    pub(super) senses: Option<&'w Senses>,
    /// How deep the walk began, counting what was followed.
    pub(super) depth: usize,
    /// What was found.
    pub(super) facts: Vec<Fact<'v>>,
    /// Schemas of other shapes that differ, and in what.
    pub(super) folded: Vec<Told<'v>>,
    /// Definitions that came or went; what that means shows in the end.
    pub(super) definitions: Vec<Fact<'v>>,
    /// What there is beyond [`MOST`].
    pub(super) more: Option<More>,
}

/// A fact and what it was found to be.
#[derive(Debug)]
pub(super) struct Told<'v> {
    /// What it was found to be.
    pub(super) judgement: Judgement,
    /// What else is known.
    pub(super) note: Option<String>,
    /// The fact.
    pub(super) fact: Fact<'v>,
}

/// Facts that weren't put down one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    /// How many.
    pub(super) count: usize,
    /// The worst of them.
    pub(super) worst: Judgement,
}

impl<'w, 'v> Walk<'w, 'v> {
    /// A walk that has found nothing yet.
    pub(super) fn new(purpose: Purpose, name: &'w str, documents: &'w Documents<'v>, root: &'w Pointer) -> Self {
        let (facts, folded, definitions) = (Vec::new(), Vec::new(), Vec::new());
        Self { purpose, name, documents, root, senses: None, depth: 0, facts, folded, definitions, more: None }
    }

    /// What was found, judged.
    pub(super) fn finish(mut self) -> (Vec<Told<'v>>, Option<More>) {
        for fact in std::mem::take(&mut self.definitions) {
            let fact = self.fact_of_definition(fact);
            self.tell(fact);
        }
        let judged = std::mem::take(&mut self.facts).into_iter().map(|fact| {
            let judgement = judge(self.purpose, &fact);
            Told { judgement, note: judgement.note.map(str::to_owned), fact }
        });
        let mut told: Vec<Told<'v>> = judged.collect();
        told.append(&mut self.folded);
        (told, self.more)
    }

    /// What it means that a definition came or went: nothing by itself where what referred to it, or refers to it, was
    /// found to say the same.
    fn fact_of_definition(&self, fact: Fact<'v>) -> Fact<'v> {
        let shape = |fact: Fact<'v>| Fact { what: What::Shape, ..fact };
        match (fact.old, fact.new) {
            (None, Some(schema)) if self.documents.is_alike(schema) => shape(fact),
            (None, Some(_)) if self.documents.has_moved(self.steps_to(&fact.at)) => shape(fact),
            (None, Some(schema)) => {
                let (at, sense) = (fact.at, Sense::SAME);
                self.fact_of_new(schema, &Change { old: None, new: fact.new, at, sense }, Role::Definition)
            }
            (Some(_), None) => {
                let place = format!("#{}", Pointer::of(self.steps_to(&fact.at).iter().map(String::as_str)));
                if self.documents.is_referred_to(&place) { fact } else { shape(fact) }
            }
            _ => fact,
        }
    }

    /// The steps from the whole schemas to a place within them.
    fn steps_to<'p>(&self, at: &'p Pointer) -> &'p [String] {
        at.segments().strip_prefix(self.root.segments()).unwrap_or_default()
    }

    /// Puts down one fact.
    pub(super) fn tell(&mut self, fact: Fact<'v>) {
        if self.facts.len() + self.folded.len() < MOST {
            self.facts.push(fact);
        } else {
            self.count(judge(self.purpose, &fact));
        }
    }

    /// Puts down that there is one fact more than can be told.
    pub(super) fn count(&mut self, judgement: Judgement) {
        let more = self.more.get_or_insert(More { count: 0, worst: judgement });
        more.count += 1;
        if judgement.weight() < more.worst.weight() {
            more.worst = judgement;
        }
    }

    /// A difference of values that are no schemas: what holds text is text.
    pub(super) fn values(&mut self, change: &Change<'v>) {
        for leaf in leaves(change.old, change.new, &change.at) {
            let key_is_new = leaf.old.is_none() || leaf.new.is_none();
            let text = leaf.old.is_some_and(holds_text)
                || leaf.new.is_some_and(holds_text)
                || (key_is_new && ends_in_prose(&leaf.pointer));
            let what = if text { What::Text } else { What::Other };
            self.tell(Fact::new(what, &leaf.pointer, leaf.old, leaf.new));
        }
    }

    /// A value that stands for one that isn't given. Several words are text, one word is a value that a model reads.
    fn defaults(&mut self, change: &Change<'v>) {
        for leaf in leaves(change.old, change.new, &change.at) {
            let prose = [leaf.old, leaf.new].into_iter().flatten().any(holds_prose) || ends_in_prose(&leaf.pointer);
            let what = if prose { What::Text } else { What::Default };
            let says = |value: &Value| holds_text(value) && value.as_str() != Some("");
            let brings = leaf.new.is_some_and(says).then_some(Brings::Text);
            self.tell(Fact::new(what, &leaf.pointer, leaf.old, leaf.new).bringing(brings));
        }
    }

    /// A name for people. One that says no more than the name of what it stands for is what a generator writes.
    fn title(&mut self, change: &Change<'v>) {
        let place = change.at.segments();
        let steps = place.strip_prefix(self.root.segments()).unwrap_or(place);
        let repeated = |title: &Value| {
            title.as_str().is_some_and(|title| match steps {
                [_] => repeats(title, self.name),
                [.., name, _] => repeats(title, name),
                [] => false,
            })
        };
        if change.all(repeated) {
            return self.tell(change.fact(What::RepeatedTitle));
        }
        self.values(change);
    }

    /// Two values where schemas belong.
    pub(super) fn schema(&mut self, change: &Change<'v>, role: Role) {
        if change.old == change.new {
            return;
        }
        let change = &self.in_its_sense(change, role);
        match (change.old, change.new) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => self.objects((old, new), change),
            (None, Some(_)) | (Some(_), None) if role == Role::Definition => {
                self.definitions.push(change.fact(What::Schema));
            }
            (None, Some(schema)) => {
                let fact = self.fact_of_new(schema, change, role);
                self.tell(fact);
            }
            (Some(schema), None) => self.tell(fact_of_gone(schema, change, role)),
            (Some(old @ (Value::Bool(_) | Value::Object(_))), Some(new @ (Value::Bool(_) | Value::Object(_)))) => {
                let brings = self.brought_by(new);
                self.tell(change.moved(What::Schema, movement_of_whole(old, new)).bringing(brings));
            }
            _ => self.values(change),
        }
    }

    /// The same change in the sense of all the places from which it is referred to.
    fn in_its_sense(&self, change: &Change<'v>, role: Role) -> Change<'v> {
        let sense = self.senses.and_then(|senses| senses.at(self.steps_to(&change.at)));
        match sense {
            None => change.clone(),
            Some(sense) if role == Role::Definition => change.in_sense(sense),
            Some(sense) => change.in_sense(change.sense.and(sense)),
        }
    }

    /// What a schema brings with it that matters wherever it stands.
    pub(super) fn brought_by(&self, schema: &Value) -> Option<Brings> {
        if self.purpose == Purpose::Input && declares_parameters(schema) {
            Some(Brings::Parameters)
        } else {
            schema_holds_text(schema).then_some(Brings::Text)
        }
    }

    /// What it means that a schema came.
    fn fact_of_new(&self, schema: &'v Value, change: &Change<'v>, role: Role) -> Fact<'v> {
        let named = matches!(role, Role::Parameter | Role::Definition);
        let text_of_name = (named && ends_in_prose(&change.at)).then_some(Brings::Text);
        let what = if role == Role::Parameter { What::Parameter } else { What::Schema };
        let movement = match role {
            Role::Parameter | Role::Alternative | Role::Exclusive => Move::Wider,
            Role::Definition | Role::Condition => Move::Unknown,
            Role::Limit if accepts_all(schema) => Move::Same,
            Role::Limit | Role::Demand => Move::Narrower,
        };
        let brings = self.brought_by(schema).or(text_of_name);
        change.moved(what, movement).bringing(brings)
    }

    /// Two schemas that are objects, keyword by keyword.
    fn objects(&mut self, (old, new): (&'v Object, &'v Object), change: &Change<'v>) {
        let mut done = self.shapes((old, new), change);
        if done.is_empty() {
            done.extend(self.spellings((old, new), change));
        }
        let get = |side: Side, key: &str| match side {
            Side::Old => old.get(key),
            Side::New => new.get(key),
        };
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).filter(|key| !done.contains(key)).collect();
        for key in keys {
            self.keyword(key, &get, &change.at, change.sense);
        }
    }

    /// One keyword of two schemas.
    pub(super) fn keyword(&mut self, key: &str, get: Keywords<'_, 'v>, at: &Pointer, sense: Sense) {
        let (old, new) = (get(Side::Old, key), get(Side::New, key));
        if old == new {
            return;
        }
        let change = &Change { old, new, at: at.join(key), sense };
        match Keyword::of(key) {
            Keyword::Parameters if key == "patternProperties" => self.patterns(get, change),
            Keyword::Parameters => self.schemas_by_name(change, Role::Parameter),
            Keyword::Definitions => self.schemas_by_name(change, Role::Definition),
            Keyword::Conditional => self.schemas_by_name(change, Role::Limit),
            Keyword::Schema if change.has_list() => self.schemas_by_position(get, change, key),
            Keyword::Schema if key == "contains" && is_on_both(get, "maxContains") => {
                // What fewer elements match, more lists contain few enough of.
                self.schema(&change.in_sense(Sense::UNCLEAR), Role::Demand);
            }
            Keyword::Schema if key == "contains" => self.schema(change, Role::Demand),
            Keyword::Schema => self.schema(change, Role::Limit),
            Keyword::Additional => self.additional(change),
            Keyword::Not if old.is_some() && new.is_some() => {
                self.schema(&change.in_sense(sense.opposite()), Role::Limit);
            }
            Keyword::Not => self.schema(change, Role::Demand),
            // Without a condition, nothing holds that depends on it.
            Keyword::If if new.is_none() && decides(get) => self.schema(change, Role::Demand),
            Keyword::If => self.schema(&change.in_sense(Sense::UNCLEAR), Role::Condition),
            Keyword::AllOf => self.schemas_in_any_order(change, Role::Limit),
            Keyword::AnyOf if key == "oneOf" => self.one_of(change),
            Keyword::AnyOf => self.schemas_in_any_order(change, Role::Alternative),
            Keyword::Names => self.required(get, change),
            Keyword::Dependencies => self.dependencies(change),
            Keyword::Type => self.types(change),
            Keyword::Members => self.members(get, change),
            Keyword::Const => self.limit(movement::constant(old, new), change),
            Keyword::LowerBound if key == "minContains" => self.limit(movement::least_contained(old, new), change),
            Keyword::LowerBound | Keyword::UpperBound if has_two_bounds(get, key) => {
                let (inclusive, exclusive) = if key.ends_with("inimum") {
                    ("minimum", "exclusiveMinimum")
                } else {
                    ("maximum", "exclusiveMaximum")
                };
                let of = |side: Side| (get(side, inclusive), get(side, exclusive));
                self.limit(movement::bounds(inclusive, of(Side::Old), of(Side::New)), change);
            }
            Keyword::LowerBound => self.limit(movement::smallest(key, old, new), change),
            Keyword::UpperBound => self.limit(movement::upper_bound(old, new), change),
            Keyword::Limit if key == "pattern" => self.word(movement::pattern(old, new), change),
            Keyword::Limit => self.word(movement::limit(old, new), change),
            Keyword::Reference => self.token(What::Reference, change),
            Keyword::Dialect => self.token(What::Dialect, change),
            Keyword::Token => self.token(What::Other, change),
            Keyword::Default => self.defaults(change),
            Keyword::Title => self.title(change),
            Keyword::Other => self.values(change),
        }
    }

    /// A schema for what no name or pattern declares; where there is none, everything is accepted.
    fn additional(&mut self, change: &Change<'v>) {
        if !change.all(|side| matches!(side, Value::Bool(_) | Value::Object(_))) {
            return self.values(change);
        }
        let Change { old, new, .. } = *change;
        let is_open = |side: Option<&Value>| side.is_none_or(accepts_all);
        if let (Some(Value::Object(_)), Some(Value::Object(_))) = (old, new)
            && !is_open(old)
            && !is_open(new)
        {
            return self.schema(change, Role::Limit);
        }
        let all = &Value::Bool(true);
        let movement = movement_of_whole(old.unwrap_or(all), new.unwrap_or(all));
        let brings = new.and_then(|schema| self.brought_by(schema));
        self.tell(change.moved(What::Additional, movement).bringing(brings));
    }

    /// A word for machines that limits nothing, unless it is prose.
    fn token(&mut self, what: What, change: &Change<'v>) {
        self.tell(change.fact(if change.all(is_word) { what } else { What::Text }));
    }
}

/// Whether both sides have a keyword.
fn is_on_both(get: Keywords<'_, '_>, key: &str) -> bool {
    get(Side::Old, key).is_some() && get(Side::New, key).is_some()
}

/// Whether a bound and the one that excludes its value both changed, so that only together they say which way.
fn has_two_bounds(get: Keywords<'_, '_>, key: &str) -> bool {
    let changed = |key: &str| get(Side::Old, key) != get(Side::New, key);
    match key {
        "minimum" | "exclusiveMinimum" => changed("minimum") && changed("exclusiveMinimum"),
        "maximum" | "exclusiveMaximum" => changed("maximum") && changed("exclusiveMaximum"),
        _ => false,
    }
}

/// Whether anything depended on the condition that there was.
fn decides(get: Keywords<'_, '_>) -> bool {
    ["then", "else"].into_iter().any(|key| get(Side::Old, key).is_some())
}

/// What a schema is for where another one, or nothing, takes its place without it.
pub(super) fn role_beside(rest: Option<&Value>) -> Role {
    match rest {
        Some(Value::Bool(false)) => Role::Alternative,
        Some(schema) if !accepts_all(schema) => Role::Condition,
        _ => Role::Limit,
    }
}

/// What it means that a schema went.
fn fact_of_gone<'v>(schema: &'v Value, change: &Change<'v>, role: Role) -> Fact<'v> {
    let what = if role == Role::Parameter { What::Parameter } else { What::Schema };
    let movement = match role {
        Role::Parameter | Role::Alternative | Role::Exclusive => Move::Narrower,
        Role::Definition | Role::Condition => Move::Unknown,
        Role::Limit if accepts_all(schema) => Move::Same,
        Role::Limit | Role::Demand => Move::Wider,
    };
    change.moved(what, movement)
}

/// The movement from one schema to another, of which not both are more than all or nothing.
fn movement_of_whole(old: &Value, new: &Value) -> Move {
    match (accepts_all(old), accepts_all(new)) {
        (true, true) => Move::Same,
        (true, false) => Move::Narrower,
        (false, true) => Move::Wider,
        (false, false) if old == &Value::Bool(false) => Move::Wider,
        (false, false) => Move::Narrower,
    }
}

fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(keywords) => keywords.is_empty(),
        _ => false,
    }
}

/// Whether a value is no text, but for a word for machines.
pub(super) fn is_word(value: &Value) -> bool {
    match value {
        Value::String(word) => !is_prose(word),
        other => !holds_text(other),
    }
}
