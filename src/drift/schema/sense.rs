//! What a movement is for the whole in the places that references lead to.
//!
//! A definition narrows where it is referred to, unless that stands within `not` or `if`.

use std::collections::{HashMap, HashSet};

use super::disjoint::are_disjoint;
use super::keyword::{Keyword, visit};
use super::movement::Sense;
use super::reference::{Documents, Side};
use crate::json::{Object, Pointer, Value};

/// The most schemas that are gone through, each again for every place that leads to it.
const MOST: usize = 1_000_000;

/// The sense of each place that something in either document refers to.
pub(super) struct Senses {
    places: HashMap<Vec<String>, Sense>,
    /// Whether not everything was gone through.
    is_cut: bool,
}

impl Senses {
    /// Goes through both documents.
    pub(super) fn of(documents: &Documents<'_>) -> Self {
        let mut senses = Self { places: HashMap::new(), is_cut: false };
        for side in [Side::Old, Side::New] {
            let Some(root) = documents.root(side) else { continue };
            let named = named(root);
            let mut search = Search {
                documents,
                side,
                named,
                senses: &mut senses,
                queue: Vec::new(),
                gone_through: HashSet::new(),
                left: MOST,
            };
            search.schema(root, Sense::SAME);
            while let Some((schema, sense)) = search.queue.pop() {
                search.schema(schema, sense);
            }
        }
        senses
    }

    /// The sense of a place, if anything refers to it, or may.
    pub(super) fn at(&self, place: &[String]) -> Option<Sense> {
        if self.is_cut { Some(Sense::SAME.and(Sense::UNCLEAR)) } else { self.places.get(place).copied() }
    }
}

/// Schemas by the names that they give themselves, written as references.
fn named(root: &Value) -> HashMap<String, (Vec<String>, &Value)> {
    let mut named = HashMap::new();
    visit(root, &Pointer::root(), &mut |schema, at| {
        let anchors = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(|key| schema.get(key)?.as_str());
        let anchors = anchors.map(|anchor| format!("#{anchor}"));
        let ids = ["$id", "id"].into_iter().filter_map(|key| schema.get(key)?.as_str()).map(str::to_owned);
        for name in anchors.chain(ids) {
            let found = at.segments().iter().try_fold(root, |value, step| match value {
                Value::Array(elements) => elements.get(step.parse::<usize>().ok()?),
                other => other.get(step),
            });
            if let Some(found) = found {
                named.insert(name, (at.segments().to_vec(), found));
            }
        }
    });
    named
}

/// What one document's references lead to.
struct Search<'s, 'v> {
    documents: &'s Documents<'v>,
    side: Side,
    named: HashMap<String, (Vec<String>, &'v Value)>,
    senses: &'s mut Senses,
    /// Schemas that were referred to, in a sense in which they weren't gone through.
    queue: Vec<(&'v Value, Sense)>,
    gone_through: HashSet<(Vec<String>, Sense)>,
    left: usize,
}

impl<'v> Search<'_, 'v> {
    fn schema(&mut self, schema: &'v Value, sense: Sense) {
        let Value::Object(object) = schema else { return };
        let Some(left) = self.left.checked_sub(1) else {
            self.senses.is_cut = true;
            return;
        };
        self.left = left;
        for (key, value) in object.iter() {
            match (Keyword::of(key), value) {
                (Keyword::Reference, Value::String(reference)) => self.reference(reference, sense),
                (Keyword::Parameters | Keyword::Conditional | Keyword::Dependencies, Value::Object(map)) => {
                    map.iter().for_each(|(_, schema)| self.schema(schema, sense));
                }
                (Keyword::Schema | Keyword::AllOf | Keyword::AnyOf, Value::Array(schemas)) => {
                    let sense = self.of_list(key, schemas, sense);
                    schemas.iter().for_each(|schema| self.schema(schema, sense));
                }
                (Keyword::Schema | Keyword::Additional, value) => self.schema(value, of_schema(object, key, sense)),
                (Keyword::Not, value) => self.schema(value, sense.opposite()),
                (Keyword::If, value) => self.schema(value, Sense::UNCLEAR),
                _ => {}
            }
        }
    }

    fn of_list(&self, key: &str, schemas: &'v [Value], sense: Sense) -> Sense {
        if key == "oneOf" && !are_disjoint(self.documents, self.side, schemas) {
            sense.among_exclusive()
        } else {
            sense
        }
    }

    fn reference(&mut self, reference: &str, sense: Sense) {
        let place = self.documents.place(self.side, reference).or_else(|| self.named.get(reference).cloned());
        let Some((place, target)) = place else { return };
        let known = self.senses.places.get(&place).copied();
        let joined = known.map_or(sense, |known| known.and(sense));
        self.senses.places.insert(place.clone(), joined);
        if self.gone_through.insert((place, joined)) {
            self.queue.push((target, joined));
        }
    }
}

/// The sense of a schema under a key: of what may be contained only so often, nobody can tell.
fn of_schema(beside: &Object, key: &str, sense: Sense) -> Sense {
    if key == "contains" && beside.contains_key("maxContains") { Sense::UNCLEAR } else { sense }
}
