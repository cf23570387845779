//! One table of a policy while it is read: its keys by type, each taken once, and what was wrong with them.
//!
//! A method that records a fault gives a stand-in back, so that all faults are found; [`super::parse`] gives no policy
//! where there is one.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Date;
use super::error::{Fault, FaultKind};
use crate::text::{self, Source};

/// A table that is being read.
pub(super) struct Table<'t, 'f> {
    source: &'t Source<'t>,
    /// What it is called in messages.
    block: &'static str,
    line: usize,
    keys: DeTable<'t>,
    known: Vec<&'static str>,
    faults: &'f mut Vec<Fault>,
}

impl<'t, 'f> Table<'t, 'f> {
    pub(super) fn new(
        source: &'t Source<'t>,
        block: &'static str,
        table: Spanned<DeTable<'t>>,
        faults: &'f mut Vec<Fault>,
    ) -> Self {
        let line = source.line(table.span().start);
        Self { source, block, line, keys: table.into_inner(), known: Vec::new(), faults }
    }

    /// What it is called in messages.
    pub(super) fn block(&self) -> &'static str {
        self.block
    }

    /// The line of its head, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Records a fault of the table as a whole.
    pub(super) fn fault(&mut self, kind: FaultKind) {
        self.fault_at(self.line, kind);
    }

    /// Records a fault at a line.
    pub(super) fn fault_at(&mut self, line: usize, kind: FaultKind) {
        self.faults.push(Fault { kind, line: Some(line) });
    }

    /// A string that every such table has, and why it must.
    pub(super) fn text(&mut self, key: &'static str, why: &'static str) -> (String, usize) {
        if !self.keys.contains_key(key) {
            self.fault(FaultKind::MissingKey { block: self.block, key, why });
        }
        self.optional_text(key).unwrap_or_default()
    }

    /// A string that such a table may have, which isn't empty, and its line.
    pub(super) fn optional_text(&mut self, key: &'static str) -> Option<(String, usize)> {
        const EXPECTED: &str = "a string that says something";
        let (value, line) = self.take(key)?;
        match value {
            DeValue::String(text) if text.trim().is_empty() => self.wrong(key, EXPECTED, "empty", line),
            DeValue::String(text) => Some((text.into_owned(), line)),
            other => self.wrong(key, EXPECTED, type_of(&other), line),
        }
    }

    /// An array of strings, each with its line; empty if there is none.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<(String, usize)> {
        const EXPECTED: &str = "an array of strings that isn't empty";
        let Some((value, line)) = self.take(key) else { return Vec::new() };
        let elements = match value {
            DeValue::Array(elements) if !elements.is_empty() => elements,
            DeValue::Array(_) => return self.wrong(key, EXPECTED, "empty", line).unwrap_or_default(),
            other => return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default(),
        };
        let mut texts = Vec::new();
        for element in elements {
            let line = self.source.line(element.span().start);
            match element.into_inner() {
                DeValue::String(text) => texts.push((text.into_owned(), line)),
                other => return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default(),
            }
        }
        texts
    }

    /// A boolean; false if there is none.
    pub(super) fn flag(&mut self, key: &'static str) -> bool {
        match self.take(key) {
            None => false,
            Some((DeValue::Boolean(flag), _)) => flag,
            Some((other, line)) => self.wrong(key, "a boolean", type_of(&other), line).unwrap_or_default(),
        }
    }

    /// A number of seconds above 0, at most a week.
    pub(super) fn seconds(&mut self, key: &'static str) -> Option<Duration> {
        const EXPECTED: &str = "a number of seconds above 0, at most a week";
        let (value, line) = self.take(key)?;
        let seconds: Option<f64> = match &value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            other => return self.wrong(key, EXPECTED, type_of(other), line),
        };
        let within = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= 7.0 * 24.0 * 3600.0);
        match within.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(duration) => Some(duration),
            None => self.wrong(key, EXPECTED, "another number", line),
        }
    }

    /// A day.
    pub(super) fn date(&mut self, key: &'static str) -> Option<Date> {
        const EXPECTED: &str = "a date such as 2027-01-31, without quotes";
        let (value, line) = self.take(key)?;
        match value {
            DeValue::Datetime(date) => match (date.date, date.time, date.offset) {
                (Some(date), None, None) => Some(Date { year: i64::from(date.year), month: date.month, day: date.day }),
                _ => self.wrong(key, EXPECTED, "a time", line),
            },
            other => self.wrong(key, EXPECTED, type_of(&other), line),
        }
    }

    /// The tables of an array of tables.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Spanned<DeTable<'t>>> {
        const EXPECTED: &str = "an array of tables, each under its [[…]]";
        let Some((value, line)) = self.take(key) else { return Vec::new() };
        let elements = match value {
            DeValue::Array(elements) => elements,
            other => return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default(),
        };
        let mut tables = Vec::new();
        for element in elements {
            let span = element.span();
            match element.into_inner() {
                DeValue::Table(table) => tables.push(Spanned::new(span, table)),
                other => {
                    let line = self.source.line(span.start);
                    return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default();
                }
            }
        }
        tables
    }

    /// The tables of a table, by name.
    pub(super) fn named_tables(&mut self, key: &'static str) -> Vec<(String, Spanned<DeTable<'t>>)> {
        const EXPECTED: &str = "a table of tables, as in [server.crm]";
        let Some((value, line)) = self.take(key) else { return Vec::new() };
        let members = match value {
            DeValue::Table(members) => members,
            other => return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default(),
        };
        let mut tables = Vec::new();
        for (name, member) in members {
            let span = member.span();
            let line = self.source.line(name.span().start);
            match member.into_inner() {
                DeValue::Table(table) => tables.push((name.into_inner().into_owned(), Spanned::new(span, table))),
                other => return self.wrong(key, EXPECTED, type_of(&other), line).unwrap_or_default(),
            }
        }
        tables
    }

    /// Records every key that nobody asked for.
    pub(super) fn finish(self) {
        for key in self.keys.keys() {
            let line = Some(self.source.line(key.span().start));
            let key = key.get_ref().to_string();
            let nearest = text::nearest(&key, self.known.iter().copied()).map(str::to_owned);
            self.faults.push(Fault { kind: FaultKind::UnknownKey { block: self.block, key, nearest }, line });
        }
    }

    fn take(&mut self, key: &'static str) -> Option<(DeValue<'t>, usize)> {
        self.known.push(key);
        let value = self.keys.remove(key)?;
        let line = self.source.line(value.span().start);
        Some((value.into_inner(), line))
    }

    fn wrong<T>(&mut self, key: &'static str, expected: &'static str, found: &'static str, line: usize) -> Option<T> {
        self.fault_at(line, FaultKind::WrongType { block: self.block, key, expected, found });
        None
    }
}

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
