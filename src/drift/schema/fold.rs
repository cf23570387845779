//! Schemas of different shapes, told as one difference: what of their content differs too stands in its note.

use std::collections::BTreeSet;

use super::change::Change;
use super::fact::{Fact, What};
use super::judge::judge;
use super::movement::Sense;
use super::reference::{Different, Documents, Known, Side};
use super::shape::{self, Pair};
use super::walk::{MOST, Told, Walk};
use crate::finding::rule;
use crate::json::{Object, Pointer};
use crate::text;

/// How many steps deep references are followed: recursive ones have no end.
const DEEPEST: usize = 256;
/// The most differences that a note names.
const MOST_NAMED: usize = 5;
/// The most characters of the place of one.
const MOST_OF_A_PLACE: usize = 100;

impl<'v> Walk<'_, 'v> {
    /// Whether two schemas have different shapes.
    pub(super) fn have_other_shapes(&self, old: &'v Object, new: &'v Object) -> bool {
        shape::pair(self.documents, old, new).is_some()
    }

    /// Compares the keywords of two schemas whose shapes differ, and tells of those as one; returns them.
    pub(super) fn shapes(&mut self, (old, new): (&'v Object, &'v Object), change: &Change<'v>) -> BTreeSet<&'v str> {
        let Change { at, sense, .. } = change;
        let is_deep = self.depth + at.segments().len() > DEEPEST;
        let Some(pair) = shape::pair(self.documents, old, new).filter(|_| !is_deep) else { return BTreeSet::new() };
        let mut is_circle = false;
        let different = match (pair.old.reference(), pair.new.reference()) {
            (Some(old), Some(new)) => match self.documents.known((old, new, *sense)) {
                Known::Different(different) => different,
                Known::Circle => {
                    is_circle = true;
                    Vec::new()
                }
                Known::Nothing => {
                    let different = self.different(&pair, at, *sense);
                    self.documents.learn((old, new, *sense), &different);
                    different
                }
            },
            _ => self.different(&pair, at, *sense),
        };
        if different.is_empty() && !is_circle {
            pair.definitions().for_each(|definition| self.documents.found_alike(definition));
        }
        let fact = change.fact(What::Shape);
        let (judgement, note) = match different.first() {
            None => (judge(self.purpose, &fact), "it says and accepts the same in another shape".to_owned()),
            Some(worst) => (worst.judgement, note_of(&different)),
        };
        if self.facts.len() + self.folded.len() < MOST {
            self.folded.push(Told { judgement, note: Some(note), fact });
        } else {
            self.count(judgement);
        }
        pair.keywords
    }

    /// What two schemas differ in beside their shape, the worst first.
    fn different(&self, pair: &Pair<'v>, at: &Pointer, sense: Sense) -> Vec<Different> {
        let root = Pointer::root();
        let name = at.segments().last().map_or(self.name, String::as_str);
        let depth = self.depth + at.segments().len();
        let mut written = Walk::new(self.purpose, name, self.documents, &root);
        written.depth = depth;
        // What was made here is types and accepted values, in which no reference leads anywhere.
        let nothing = Documents::new(None, None);
        let mut made = Walk::new(self.purpose, name, &nothing, &root);
        let as_written = |side: Side, key: &str| match side {
            Side::Old => pair.old.written(key),
            Side::New => pair.new.written(key),
        };
        let as_made = |side: Side, key: &str| match side {
            Side::Old => pair.old.get(key),
            Side::New => pair.new.get(key),
        };
        for key in &pair.keywords {
            if pair.old.is_made(key) || pair.new.is_made(key) {
                made.keyword(key, &as_made, &root, sense);
            } else {
                written.keyword(key, &as_written, &root, sense);
            }
        }
        if let Some(movement) = pair.overlapping {
            let fact = Fact::new(What::Schema, &root.join("anyOf"), None, None);
            written.tell(fact.moving(sense.of(movement)));
        }
        let mut different = differences(written);
        different.extend(differences(made));
        different.sort_by_cached_key(|one| one.judgement.weight());
        different.truncate(MOST_NAMED + 1);
        different
    }
}

fn differences(walk: Walk<'_, '_>) -> Vec<Different> {
    let (told, more) = walk.finish();
    let rest = more.map(|more| Different { judgement: more.worst, at: Pointer::root() });
    let told = told.into_iter().map(|told| Different { judgement: told.judgement, at: told.fact.at });
    // What fails nothing and says the same is no difference beside another shape.
    let matters = |one: &Different| one.judgement.level.fails() && one.judgement.rule != &rule::SCHEMA_SHAPE_CHANGED;
    told.chain(rest).filter(matters).collect()
}

fn note_of(different: &[Different]) -> String {
    let named = different.iter().take(MOST_NAMED).map(|one| {
        let place = one.at.to_string();
        let place = text::shorten(&place, MOST_OF_A_PLACE).text;
        match place {
            "" => one.judgement.rule.id.to_owned(),
            place => format!("{} at {}", one.judgement.rule.id, text::terminal_line(place)),
        }
    });
    let named: Vec<String> = named.collect();
    let more = if different.len() > MOST_NAMED { " and more" } else { "" };
    format!("it has another shape, and in it: {}{more}", named.join(", "))
}
