//! One block of a lockfile while it is read: its keys by type, each taken once, and what was wrong with them.
//!
//! A method that records a fault gives a stand-in back, so that the rest of the block is still read and all its faults
//! are found. [`super::read`] gives no lockfile where there is a fault, so no stand-in gets out. This part knows TOML and
//! JSON, and nothing of which keys a block has.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{BlockName, Fault, FaultKind};
use crate::json::{self, Object, Value};
use crate::text::{self, Source};

/// A block that is being read.
pub(super) struct Block<'t, 'f> {
    source: &'t Source<'t>,
    name: BlockName,
    line: usize,
    keys: DeTable<'t>,
    /// The keys that were asked for: the ones that such a block may have.
    known: Vec<&'static str>,
    faults: &'f mut Vec<Fault>,
}

impl<'t, 'f> Block<'t, 'f> {
    pub(super) fn new(
        source: &'t Source<'t>,
        name: BlockName,
        table: Spanned<DeTable<'t>>,
        faults: &'f mut Vec<Fault>,
    ) -> Self {
        let line = source.line(table.span().start);
        Self { source, name, line, keys: table.into_inner(), known: Vec::new(), faults }
    }

    /// How the block is called in messages.
    pub(super) fn name(&self) -> &BlockName {
        &self.name
    }

    /// The line of its head, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// How many faults were found so far, in this block and before.
    pub(super) fn fault_count(&self) -> usize {
        self.faults.len()
    }

    /// Records a fault of the block as a whole.
    pub(super) fn fault(&mut self, kind: FaultKind) {
        let line = Some(self.line);
        self.faults.push(Fault { kind, line });
    }

    /// Whether the block has a key, which may be asked for later.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// A string that every such block has.
    pub(super) fn text(&mut self, key: &'static str) -> String {
        self.required(key);
        self.optional_text(key).unwrap_or_default()
    }

    /// A string that a block may have.
    pub(super) fn optional_text(&mut self, key: &'static str) -> Option<String> {
        const EXPECTED: &str = "a string";
        let value = self.take(key)?;
        let line = self.source.line(value.span().start);
        match value.into_inner() {
            DeValue::String(text) => Some(text.into_owned()),
            other => self.wrong_type(key, EXPECTED, &other, line),
        }
    }

    /// A boolean; false if the block has none.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        let Some(value) = self.take(key) else { return false };
        let line = self.source.line(value.span().start);
        match value.into_inner() {
            DeValue::Boolean(flag) => flag,
            other => self.wrong_type(key, "a boolean", &other, line).unwrap_or_default(),
        }
    }

    /// An array of strings; empty if the block has none.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<String> {
        const EXPECTED: &str = "an array of strings";
        let Some(value) = self.take(key) else { return Vec::new() };
        let line = self.source.line(value.span().start);
        let elements = match value.into_inner() {
            DeValue::Array(elements) => elements,
            other => return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default(),
        };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            match element.into_inner() {
                DeValue::String(text) => texts.push(text.into_owned()),
                other => return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default(),
            }
        }
        texts
    }

    /// A table of strings; empty if the block has none.
    pub(super) fn table(&mut self, key: &'static str) -> BTreeMap<String, String> {
        const EXPECTED: &str = "a table of strings";
        let Some(value) = self.take(key) else { return BTreeMap::new() };
        let line = self.source.line(value.span().start);
        let members = match value.into_inner() {
            DeValue::Table(members) => members,
            other => return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default(),
        };
        let mut table = BTreeMap::new();
        for (name, member) in members {
            match member.into_inner() {
                DeValue::String(text) => table.insert(name.into_inner().into_owned(), text.into_owned()),
                other => return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default(),
            };
        }
        table
    }

    /// A JSON object that every such block has.
    pub(super) fn object(&mut self, key: &'static str) -> Object {
        self.required(key);
        self.optional_object(key)
    }

    /// A JSON object; empty if the block has none.
    pub(super) fn optional_object(&mut self, key: &'static str) -> Object {
        let span = self.keys.get(key).map(Spanned::span).unwrap_or_default();
        let Some(text) = self.optional_text(key) else { return Object::new() };
        let line = self.source.line(span.start);
        let block = self.name.clone();
        let (kind, line) = match json::parse_stored(&text) {
            Ok(Value::Object(object)) => return object,
            Ok(_) => (FaultKind::NotAnObject { block, key }, line),
            Err(mut error) => {
                // As the writer lays it out, the JSON's first line is the one after the delimiter's.
                error.line += line;
                let line = error.line;
                (FaultKind::Json { block, key, error: Box::new(error) }, line)
            }
        };
        self.faults.push(Fault { kind, line: Some(line) });
        Object::new()
    }

    /// The blocks of an array of tables; none if there are none.
    pub(super) fn blocks(&mut self, key: &'static str) -> Vec<Spanned<DeTable<'t>>> {
        const EXPECTED: &str = "an array of tables";
        let Some(value) = self.take(key) else { return Vec::new() };
        let line = self.source.line(value.span().start);
        let elements = match value.into_inner() {
            DeValue::Array(elements) => elements,
            other => return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default(),
        };
        let mut blocks = Vec::with_capacity(elements.len());
        for element in elements {
            let span = element.span();
            match element.into_inner() {
                DeValue::Table(table) => blocks.push(Spanned::new(span, table)),
                other => {
                    let line = self.source.line(span.start);
                    return self.wrong_type(key, EXPECTED, &other, line).unwrap_or_default();
                }
            }
        }
        blocks
    }

    /// Takes a key's value, of whatever type.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'t>>> {
        self.known.push(key);
        self.keys.remove(key)
    }

    /// Records every key that nobody asked for.
    pub(super) fn finish(self) {
        for key in self.keys.keys() {
            let line = Some(self.source.line(key.span().start));
            let key = key.get_ref().to_string();
            let nearest = text::nearest(&key, self.known.iter().copied()).map(str::to_owned);
            self.faults.push(Fault { kind: FaultKind::UnknownKey { block: self.name.clone(), key, nearest }, line });
        }
    }

    fn required(&mut self, key: &'static str) {
        if !self.has(key) {
            self.fault(FaultKind::MissingKey { block: self.name.clone(), key });
        }
    }

    /// Records a value of another type and gives nothing back, for the caller to stand something in.
    fn wrong_type<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        found: &DeValue<'_>,
        line: usize,
    ) -> Option<T> {
        let kind = FaultKind::WrongType { block: self.name.clone(), key, expected, found: type_of(found) };
        self.faults.push(Fault { kind, line: Some(line) });
        None
    }
}

/// A value's type, with its article.
pub(super) fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
