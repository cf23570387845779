//! What a `$ref` within the document points to (2020-12 core, section 8.2.3.1), followed with a bound.
//!
//! Only references by JSON Pointer, `#/…`: what those of two documents point to is compared when the references differ. A
//! reference to elsewhere, or to an anchor, is a word like any other.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use super::judge::Judgement;
use super::keyword::visit;
use super::movement::Sense;
use crate::json::{Pointer, Value};

/// The most that references may lead to in one comparison, in values and bytes of text: a hostile schema can lead to the
/// same definition from everywhere.
const MOST: usize = 2_000_000;

/// Which of the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// What was approved.
    Old,
    /// What is said now.
    New,
}

/// Two schemas as documents, and what is known of their references.
pub(super) struct Documents<'v> {
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    /// How much more references may lead to.
    left: Cell<usize>,
    targets: RefCell<Targets<'v>>,
    /// What is known of two references.
    compared: RefCell<HashMap<Compared<'v>, Known>>,
    /// Definitions of which it is known that the other document says the same in their place.
    alike: RefCell<HashSet<*const Value>>,
    referred: OnceCell<HashSet<&'v str>>,
    /// Lists of schemas of which it is known whether more than one may match.
    exclusive: RefCell<HashMap<*const Value, bool>>,
    /// How much more may be looked at to find that out.
    left_for_exclusive: Cell<usize>,
}

/// What is known of how the targets of two references differ.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// Nothing: who asks has to find out.
    Nothing,
    /// It is being found out: who asks has come round in a circle, in which nothing differs that isn't found on the way.
    Circle,
    /// In this, the worst first.
    Different(Vec<Different>),
}

/// Two references, and the sense in which their targets are compared.
pub(super) type Compared<'v> = (&'v str, &'v str, Sense);

/// What references were found to lead to, and how much that is.
type Targets<'v> = HashMap<(Side, &'v str), Option<(&'v Value, usize)>>;

/// A difference behind another shape, and where it is from there.
#[derive(Clone, Debug)]
pub(super) struct Different {
    /// What it was found to be.
    pub(super) judgement: Judgement,
    /// The place, from the schema that has another shape.
    pub(super) at: Pointer,
}

impl<'v> Documents<'v> {
    /// Two documents of which nothing is known yet.
    pub(super) fn new(old: Option<&'v Value>, new: Option<&'v Value>) -> Self {
        Self {
            old,
            new,
            left: Cell::new(MOST),
            targets: RefCell::default(),
            compared: RefCell::default(),
            alike: RefCell::default(),
            referred: OnceCell::new(),
            exclusive: RefCell::default(),
            left_for_exclusive: Cell::new(MOST),
        }
    }

    /// The whole document.
    pub(super) fn root(&self, side: Side) -> Option<&'v Value> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// What a reference points to; `None` where that isn't in the document, or too much was followed already.
    pub(super) fn follow(&self, side: Side, reference: &'v str) -> Option<&'v Value> {
        let mut targets = self.targets.borrow_mut();
        let target = targets.entry((side, reference)).or_insert_with(|| {
            let target = after(self.root(side)?, &steps(reference)?)?;
            Some((target, weight(target)))
        });
        let (target, weight) = (*target)?;
        self.left.set(self.left.get().checked_sub(weight)?);
        Some(target)
    }

    /// Where in its document a reference leads, and to what, uncounted.
    pub(super) fn place(&self, side: Side, reference: &str) -> Option<(Vec<String>, &'v Value)> {
        let steps = steps(reference)?;
        let target = after(self.root(side)?, &steps)?;
        Some((steps, target))
    }

    /// What is known of whether just one of these schemas may match, or else what is found out.
    pub(super) fn are_exclusive(&self, schemas: &'v [Value], find_out: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.exclusive.borrow().get(&schemas.as_ptr()) {
            return *known;
        }
        let found = find_out();
        self.exclusive.borrow_mut().insert(schemas.as_ptr(), found);
        found
    }

    /// Whether so much more may be looked at to find out whether just one schema may match.
    pub(super) fn can_afford(&self, effort: usize) -> bool {
        match self.left_for_exclusive.get().checked_sub(effort) {
            None => false,
            Some(left) => {
                self.left_for_exclusive.set(left);
                true
            }
        }
    }

    /// Whether a document declares draft 7 or one before it, where what stands beside a reference means nothing (section
    /// 8.3 of its core).
    pub(super) fn is_of_an_early_draft(&self, side: Side) -> bool {
        let dialect = self.root(side).and_then(|root| root.get("$schema")).and_then(Value::as_str);
        dialect.is_some_and(|dialect| dialect.contains("/draft-0"))
    }

    /// What two references are known to differ in; the first who asks has to find out.
    pub(super) fn known(&self, asked: Compared<'v>) -> Known {
        let mut compared = self.compared.borrow_mut();
        match compared.get(&asked) {
            Some(known) => known.clone(),
            None => {
                compared.insert(asked, Known::Circle);
                Known::Nothing
            }
        }
    }

    /// Puts down what two references were found to differ in.
    pub(super) fn learn(&self, compared: Compared<'v>, different: &[Different]) {
        self.compared.borrow_mut().insert(compared, Known::Different(different.to_vec()));
    }

    /// Puts down that the other document says the same in the place of a definition.
    pub(super) fn found_alike(&self, definition: &'v Value) {
        self.alike.borrow_mut().insert(definition);
    }

    /// Whether the other document is known to say the same in the place of a definition.
    pub(super) fn is_alike(&self, definition: &Value) -> bool {
        self.alike.borrow().contains(&std::ptr::from_ref(definition))
    }

    /// Whether the definition in a place of the new document stood in the old one where earlier or later drafts keep it.
    pub(super) fn has_moved(&self, place: &[String]) -> bool {
        let [above @ .., key, name] = place else { return false };
        let other = match key.as_str() {
            "$defs" => "definitions",
            "definitions" => "$defs",
            _ => return false,
        };
        let before: Vec<String> = above.iter().cloned().chain([other.to_owned(), name.clone()]).collect();
        let (old, new) = (self.old.and_then(|root| after(root, &before)), self.new.and_then(|root| after(root, place)));
        matches!((old, new), (Some(old), Some(new)) if is_same_but_for_definitions(old, new))
    }

    /// Whether the new document refers to this place, written as a reference.
    pub(super) fn is_referred_to(&self, place: &str) -> bool {
        let referred = self.referred.get_or_init(|| {
            let mut found = HashSet::new();
            if let Some(root) = self.new {
                visit(root, &Pointer::root(), &mut |schema, _| {
                    found.extend(schema.get("$ref").and_then(Value::as_str));
                });
            }
            found
        });
        referred.contains(place)
    }
}

/// Whether two schemas are the same but for where the definitions stand that they refer to.
fn is_same_but_for_definitions(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let is_same = |(key, old): (&str, &Value), new: &Value| match (key, old, new) {
                ("$ref", Value::String(old), Value::String(new)) => {
                    old.replacen("#/definitions/", "#/$defs/", 1) == new.replacen("#/definitions/", "#/$defs/", 1)
                }
                _ => is_same_but_for_definitions(old, new),
            };
            old.len() == new.len()
                && old.iter().all(|(key, value)| new.get(key).is_some_and(|other| is_same((key, value), other)))
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same_but_for_definitions(old, new))
        }
        (old, new) => old == new,
    }
}

/// The steps of a reference by JSON Pointer within its document (RFC 6901, section 6).
fn steps(reference: &str) -> Option<Vec<String>> {
    let pointer = decoded(reference.strip_prefix('#')?)?;
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    Some(steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect())
}

/// What stands in a document after these steps.
fn after<'v>(root: &'v Value, steps: &[String]) -> Option<&'v Value> {
    let mut value = root;
    for step in steps {
        value = match value {
            Value::Object(object) => object.get(step)?,
            Value::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// A fragment without percent-encoding (RFC 3986, section 2.1); `None` if that is broken.
fn decoded(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                bytes.push(u8::try_from(high * 16 + low).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// How many values and bytes of text a value holds.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len(),
        Value::Array(elements) => 1 + elements.iter().map(weight).sum::<usize>(),
        Value::Object(object) => 1 + object.iter().map(|(key, member)| key.len() + weight(member)).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{canonical, parse};

    #[test]
    fn references_by_pointer_are_followed() {
        let document = parse(r#"{"$defs":{"a/b":{"x":[1,2]},"c d":3,"~":4}}"#).expect("valid");
        let documents = Documents::new(Some(&document), None);
        let target = |reference| documents.follow(Side::Old, reference).map(canonical);
        assert_eq!(target("#/$defs/a~1b/x/1").as_deref(), Some("2"));
        assert_eq!(target("#/$defs/c%20d").as_deref(), Some("3"));
        assert_eq!(target("#/%24defs/~0").as_deref(), Some("4"));
        assert!(target("#").is_some());
        for nowhere in ["#/$defs/x", "#anchor", "other.json#/a", "#/$defs/%", "#/$defs/a~1b/x/-1"] {
            assert_eq!(target(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn what_is_followed_is_bounded() {
        let document = parse(&format!(r#"{{"a":"{}"}}"#, "x".repeat(MOST / 2))).expect("valid");
        let documents = Documents::new(Some(&document), None);
        assert!(documents.follow(Side::Old, "#/a").is_some());
        assert!(documents.follow(Side::Old, "#/a").is_none());
        assert!(documents.follow(Side::New, "#/a").is_none());
    }
}
