//! The walk over two schemas at once that puts down the facts.
//!
//! It always knows whether it stands at a schema, at a map of schemas or at data, and whether accepting less here means
//! accepting less as a whole. What each fact means it doesn't know.

use std::collections::BTreeSet;

use super::Purpose;
use super::fact::{Brings, Fact, What};
use super::judge::{Judgement, judge};
use super::keyword::{
    Keyword, declares_parameters, ends_in_prose, holds_prose, holds_text, is_prose, schema_holds_text,
};
use super::movement::{self, Move, Sense};
use super::reference::{Documents, Side};
use super::title::repeats;
use crate::drift::values::leaves;
use crate::json::{Object, Pointer, Value};

/// What it means that a schema is there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It narrows.
    Limit,
    /// It widens.
    Alternative,
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
        Self { purpose, name, documents, root, depth: 0, facts, folded, definitions, more: None }
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
            (None, Some(schema)) => self.fact_of_new(schema, &fact.at, Sense::Same, Role::Definition),
            (Some(_), None) => {
                let steps = fact.at.segments().strip_prefix(self.root.segments()).unwrap_or_default();
                let place = format!("#{}", Pointer::of(steps.iter().map(String::as_str)));
                if self.documents.is_referred_to(&place) { fact } else { shape(fact) }
            }
            _ => fact,
        }
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
    pub(super) fn values(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer) {
        for leaf in leaves(old, new, at) {
            let key_is_new = leaf.old.is_none() || leaf.new.is_none();
            let text = leaf.old.is_some_and(holds_text)
                || leaf.new.is_some_and(holds_text)
                || (key_is_new && ends_in_prose(&leaf.pointer));
            let what = if text { What::Text } else { What::Other };
            self.tell(Fact::new(what, &leaf.pointer, leaf.old, leaf.new));
        }
    }

    /// A value that stands for one that isn't given. Several words are text, one word is a value that a model reads.
    fn defaults(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer) {
        for leaf in leaves(old, new, at) {
            let prose = [leaf.old, leaf.new].into_iter().flatten().any(holds_prose) || ends_in_prose(&leaf.pointer);
            let what = if prose { What::Text } else { What::Default };
            let says = |value: &Value| holds_text(value) && value.as_str() != Some("");
            let brings = leaf.new.is_some_and(says).then_some(Brings::Text);
            self.tell(Fact::new(what, &leaf.pointer, leaf.old, leaf.new).bringing(brings));
        }
    }

    /// A name for people. One that says no more than the name of what it stands for is what a generator writes.
    fn title(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer) {
        let steps = at.segments().strip_prefix(self.root.segments()).unwrap_or(at.segments());
        let repeated = |title: &Value| {
            title.as_str().is_some_and(|title| match steps {
                [_] => repeats(title, self.name),
                [.., name, _] => repeats(title, name),
                [] => false,
            })
        };
        if [old, new].into_iter().flatten().all(repeated) {
            return self.tell(Fact::new(What::RepeatedTitle, at, old, new));
        }
        self.values(old, new, at);
    }

    /// Two values where schemas belong.
    pub(super) fn schema(
        &mut self,
        old: Option<&'v Value>,
        new: Option<&'v Value>,
        at: &Pointer,
        sense: Sense,
        role: Role,
    ) {
        match (old, new) {
            (old, new) if old == new => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                self.objects((before, after), (old, new), at, sense);
            }
            (None, Some(_)) | (Some(_), None) if role == Role::Definition => {
                self.definitions.push(Fact::new(What::Schema, at, old, new));
            }
            (None, Some(schema)) => {
                let fact = self.fact_of_new(schema, at, sense, role);
                self.tell(fact);
            }
            (Some(schema), None) => self.tell(fact_of_gone(schema, at, sense, role)),
            (Some(before @ (Value::Bool(_) | Value::Object(_))), Some(after @ (Value::Bool(_) | Value::Object(_)))) => {
                let movement = sense.of(movement_of_whole(before, after));
                let brings = self.brought_by(after);
                self.tell(Fact::new(What::Schema, at, old, new).moving(movement).bringing(brings));
            }
            (old, new) => self.values(old, new, at),
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
    pub(super) fn fact_of_new(&self, schema: &'v Value, at: &Pointer, sense: Sense, role: Role) -> Fact<'v> {
        let named = matches!(role, Role::Parameter | Role::Definition);
        let text_of_name = (named && ends_in_prose(at)).then_some(Brings::Text);
        let what = if role == Role::Parameter { What::Parameter } else { What::Schema };
        let movement = match role {
            Role::Parameter | Role::Alternative => Move::Wider,
            Role::Definition | Role::Condition => Move::Unknown,
            Role::Limit if accepts_all(schema) => Move::Same,
            Role::Limit => Move::Narrower,
        };
        let brings = self.brought_by(schema).or(text_of_name);
        Fact::new(what, at, None, Some(schema)).moving(sense.of(movement)).bringing(brings)
    }

    /// Two schemas that are objects, keyword by keyword.
    fn objects(
        &mut self,
        (old, new): (&'v Object, &'v Object),
        whole: (Option<&'v Value>, Option<&'v Value>),
        at: &Pointer,
        sense: Sense,
    ) {
        let done = self.shapes((old, new), whole, at, sense);
        let get = |side: Side, key: &str| match side {
            Side::Old => old.get(key),
            Side::New => new.get(key),
        };
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).filter(|key| !done.contains(key)).collect();
        for key in keys {
            self.keyword(key, &get, at, sense);
        }
    }

    /// One keyword of two schemas.
    pub(super) fn keyword(&mut self, key: &str, get: Keywords<'_, 'v>, at: &Pointer, sense: Sense) {
        let (old, new) = (get(Side::Old, key), get(Side::New, key));
        if old == new {
            return;
        }
        let at = &at.join(key);
        match Keyword::of(key) {
            Keyword::Parameters => self.schemas_by_name(old, new, at, sense, Role::Parameter),
            Keyword::Definitions => self.schemas_by_name(old, new, at, sense, Role::Definition),
            Keyword::Conditional => self.schemas_by_name(old, new, at, sense, Role::Limit),
            Keyword::Schema if is_array(old) || is_array(new) => self.schemas_by_position(old, new, at, sense),
            Keyword::Schema => self.schema(old, new, at, sense, Role::Limit),
            Keyword::Additional => self.additional(old, new, at, sense),
            Keyword::Not if old.is_some() && new.is_some() => {
                self.schema(old, new, at, sense.opposite(), Role::Limit);
            }
            Keyword::Not => self.schema(old, new, at, sense, Role::Limit),
            Keyword::If => self.schema(old, new, at, Sense::Unclear, Role::Condition),
            Keyword::AllOf => self.schemas_in_any_order(old, new, at, sense, Role::Limit),
            Keyword::AnyOf => self.schemas_in_any_order(old, new, at, sense, Role::Alternative),
            Keyword::Names => self.required(get, at, sense),
            Keyword::Dependencies => self.dependencies(old, new, at, sense),
            Keyword::Type => self.types(old, new, at, sense),
            Keyword::Members => self.members(old, new, at, sense),
            Keyword::Const => self.limit(movement::constant(old, new), old, new, at, sense),
            Keyword::LowerBound => self.limit(movement::smallest(key, old, new), old, new, at, sense),
            Keyword::UpperBound => self.limit(movement::upper_bound(old, new), old, new, at, sense),
            Keyword::Limit if key == "pattern" => self.word(movement::pattern(old, new), old, new, at, sense),
            Keyword::Limit => self.word(movement::limit(old, new), old, new, at, sense),
            Keyword::Reference => self.token(What::Reference, old, new, at),
            Keyword::Dialect => self.token(What::Dialect, old, new, at),
            Keyword::Token => self.token(What::Other, old, new, at),
            Keyword::Default => self.defaults(old, new, at),
            Keyword::Title => self.title(old, new, at),
            Keyword::Other => self.values(old, new, at),
        }
    }

    /// A schema for what no name or pattern declares; where there is none, everything is accepted.
    fn additional(&mut self, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer, sense: Sense) {
        let is_schema = |side: &Value| matches!(side, Value::Bool(_) | Value::Object(_));
        if !old.is_none_or(is_schema) || !new.is_none_or(is_schema) {
            return self.values(old, new, at);
        }
        let is_open = |side: Option<&Value>| side.is_none_or(accepts_all);
        if let (Some(Value::Object(_)), Some(Value::Object(_))) = (old, new)
            && !is_open(old)
            && !is_open(new)
        {
            return self.schema(old, new, at, sense, Role::Limit);
        }
        let all = &Value::Bool(true);
        let movement = movement_of_whole(old.unwrap_or(all), new.unwrap_or(all));
        let brings = new.and_then(|schema| self.brought_by(schema));
        self.tell(Fact::new(What::Additional, at, old, new).moving(sense.of(movement)).bringing(brings));
    }

    /// A word for machines that limits nothing, unless it is prose.
    fn token(&mut self, what: What, old: Option<&'v Value>, new: Option<&'v Value>, at: &Pointer) {
        let is_word = |side: &Value| match side {
            Value::String(word) => !is_prose(word),
            other => !holds_text(other),
        };
        let words = old.is_none_or(is_word) && new.is_none_or(is_word);
        self.tell(Fact::new(if words { what } else { What::Text }, at, old, new));
    }
}

/// What it means that a schema went.
fn fact_of_gone<'v>(schema: &'v Value, at: &Pointer, sense: Sense, role: Role) -> Fact<'v> {
    let what = if role == Role::Parameter { What::Parameter } else { What::Schema };
    let movement = match role {
        Role::Parameter | Role::Alternative => Move::Narrower,
        Role::Definition | Role::Condition => Move::Unknown,
        Role::Limit if accepts_all(schema) => Move::Same,
        Role::Limit => Move::Wider,
    };
    Fact::new(what, at, Some(schema), None).moving(sense.of(movement))
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

/// Whether a side is a list.
pub(super) fn is_array(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Array(_)))
}
