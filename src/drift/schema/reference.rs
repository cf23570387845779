//! What a `$ref` within the document points to (2020-12 core, section 8.2.3.1), followed with a bound.
//!
//! Only references by JSON Pointer, `#/…`: what those of two documents point to is compared when the references differ. A
//! reference to elsewhere, or to an anchor, is a word like any other.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use super::judge::Judgement;
use super::keyword::visit;
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
    compared: RefCell<HashMap<(&'v str, &'v str), Known>>,
    /// Definitions of which it is known that the other document says the same in their place.
    alike: RefCell<HashSet<*const Value>>,
    referred: OnceCell<HashSet<&'v str>>,
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
        }
    }

    fn root(&self, side: Side) -> Option<&'v Value> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// What a reference points to; `None` where that isn't in the document, or too much was followed already.
    pub(super) fn follow(&self, side: Side, reference: &'v str) -> Option<&'v Value> {
        let mut targets = self.targets.borrow_mut();
        let target = targets.entry((side, reference)).or_insert_with(|| {
            let target = at_pointer(self.root(side)?, reference)?;
            Some((target, weight(target)))
        });
        let (target, weight) = (*target)?;
        self.left.set(self.left.get().checked_sub(weight)?);
        Some(target)
    }

    /// Whether what stands beside a reference means nothing, as up to draft 7 (section 8.3 of its core).
    pub(super) fn ignores_siblings(&self, side: Side) -> bool {
        let dialect = self.root(side).and_then(|root| root.get("$schema")).and_then(Value::as_str);
        dialect.is_some_and(|dialect| dialect.contains("/draft-0"))
    }

    /// What two references are known to differ in; the first who asks has to find out.
    pub(super) fn known(&self, old: &'v str, new: &'v str) -> Known {
        let mut compared = self.compared.borrow_mut();
        match compared.get(&(old, new)) {
            Some(known) => known.clone(),
            None => {
                compared.insert((old, new), Known::Circle);
                Known::Nothing
            }
        }
    }

    /// Puts down what two references were found to differ in.
    pub(super) fn learn(&self, old: &'v str, new: &'v str, different: &[Different]) {
        self.compared.borrow_mut().insert((old, new), Known::Different(different.to_vec()));
    }

    /// Puts down that the other document says the same in the place of a definition.
    pub(super) fn found_alike(&self, definition: &'v Value) {
        self.alike.borrow_mut().insert(definition);
    }

    /// Whether the other document is known to say the same in the place of a definition.
    pub(super) fn is_alike(&self, definition: &Value) -> bool {
        self.alike.borrow().contains(&std::ptr::from_ref(definition))
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

/// The part of a document that a reference by JSON Pointer names (RFC 6901, section 6).
fn at_pointer<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    let pointer = decoded(reference.strip_prefix('#')?)?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut value = root;
    for segment in pointer.strip_prefix('/')?.split('/') {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        value = match value {
            Value::Object(object) => object.get(&segment)?,
            Value::Array(elements) => elements.get(segment.parse::<usize>().ok()?)?,
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
