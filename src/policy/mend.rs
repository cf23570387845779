//! One object in two readings, and what of it is ignored put from one into the other.

use super::model::Ignore;
use super::pattern::{Volatile, agree};
use super::places::{at, brings_hidden, with};
use crate::json::{Pointer, Value};

/// An entry and its index among all.
pub(super) type Numbered<'i> = (usize, &'i Ignore);

/// Two objects after each got from the other what is ignored.
pub(super) struct Mended {
    /// The new one with what is ignored as the old one has it.
    pub(super) compared: Value,
    /// The old one with what is ignored as the new one has it.
    pub(super) only: Value,
    /// The places, each with the index of an entry.
    pub(super) places: Vec<(usize, Pointer)>,
}

impl Mended {
    /// Puts each into the other.
    pub(super) fn of(ignores: &[Numbered<'_>], old: &Value, new: Value) -> Self {
        let mut mended = Self { compared: new, only: old.clone(), places: Vec::new() };
        for (index, ignore) in ignores.iter().filter(|(_, ignore)| ignore.pattern.is_none()) {
            let place = ignore.pointer.segments();
            let (before, after) = (at(old, place), at(&mended.compared, place));
            if before != after && !brings_hidden(before, after) {
                mended.exchange(*index, &ignore.pointer, before.cloned(), after.cloned());
            }
        }
        let patterns: Vec<Numbered<'_>> =
            ignores.iter().filter(|(_, ignore)| ignore.pattern.is_some()).copied().collect();
        if !patterns.is_empty() {
            let mut found = Vec::new();
            differing_texts(&patterns, old, &mended.compared, &Pointer::root(), &mut found);
            for Text { ignores, pointer, old, new } in found {
                for index in ignores {
                    mended.exchange(index, &pointer, Some(Value::from(old.as_str())), Some(Value::from(new.as_str())));
                }
            }
        }
        mended
    }

    /// Exchanges a place, if it can be, and notes it once it is as the old object has it.
    fn exchange(&mut self, ignore: usize, pointer: &Pointer, old: Option<Value>, new: Option<Value>) {
        let place = pointer.segments();
        let compared = with(std::mem::replace(&mut self.compared, Value::Null), place, old.as_ref());
        self.compared = compared;
        if at(&self.compared, place) == old.as_ref() {
            let only = std::mem::replace(&mut self.only, Value::Null);
            self.only = with(only, place, new.as_ref());
            self.places.push((ignore, pointer.clone()));
        }
    }
}

/// A text that differs only in what patterns cover.
struct Text {
    /// The entries whose patterns cover some of it.
    ignores: Vec<usize>,
    pointer: Pointer,
    old: String,
    new: String,
}

/// Finds the texts that stand in the same place of both and differ only in what the patterns for that place cover.
fn differing_texts(patterns: &[Numbered<'_>], old: &Value, new: &Value, place: &Pointer, found: &mut Vec<Text>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::String(before), Value::String(after)) => {
            let here = |ignore: &Ignore| place.segments().starts_with(ignore.pointer.segments());
            let (indices, here): (Vec<usize>, Vec<&Volatile>) = patterns
                .iter()
                .filter(|(_, ignore)| here(ignore))
                .filter_map(|(index, ignore)| Some((*index, ignore.pattern.as_ref()?)))
                .filter(|(_, pattern)| pattern.covers_some_of(after))
                .unzip();
            if agree(&here, before, after) {
                let (old, new) = (before.clone(), after.clone());
                found.push(Text { ignores: indices, pointer: place.clone(), old, new });
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                differing_texts(patterns, before, after, &place.join(index), found);
            }
        }
        (Value::Object(before), Value::Object(after)) => {
            for (key, before) in before.iter() {
                if let Some(after) = after.get(key) {
                    differing_texts(patterns, before, after, &place.join(key), found);
                }
            }
        }
        _ => {}
    }
}
