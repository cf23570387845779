//! Keywords that later drafts spell differently (2019-09 and 2020-12, release notes): compared in the later spelling.

use super::change::Change;
use super::fact::What;
use super::reference::{Documents, Side};
use super::walk::Walk;
use crate::json::{Object, Value};

/// A keyword as earlier drafts spell it and as later ones do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spelling {
    earlier: &'static str,
    later: &'static str,
}

/// A list of schemas by position, and what is said of the other elements.
const ITEMS: [Spelling; 2] =
    [Spelling { earlier: "items", later: "prefixItems" }, Spelling { earlier: "additionalItems", later: "items" }];
/// Names by the parameter that makes them hold.
const NAMES: [Spelling; 1] = [Spelling { earlier: "dependencies", later: "dependentRequired" }];
/// Schemas by the parameter that makes them hold.
const SCHEMAS: [Spelling; 1] = [Spelling { earlier: "dependencies", later: "dependentSchemas" }];

impl<'v> Walk<'_, 'v> {
    /// Compares the keywords that just one of two schemas spells as earlier drafts do; returns their names.
    pub(super) fn spellings(&mut self, (old, new): (&'v Object, &'v Object), change: &Change<'v>) -> Vec<&'static str> {
        let Some(earlier) = earlier_side(self.documents, old, new) else { return Vec::new() };
        let schema = |side: Side| if side == Side::Old { old } else { new };
        let spellings = match earlier {
            Side::Old => spelled_earlier(old, new),
            Side::New => spelled_earlier(new, old),
        };
        let get = |side: Side, key: &str| -> Option<&'v Value> {
            if side != earlier {
                return schema(side).get(key);
            }
            match spellings.iter().find(|spelling| spelling.later == key) {
                Some(spelling) => schema(side).get(spelling.earlier),
                None if spellings.iter().any(|spelling| spelling.earlier == key) => None,
                None => schema(side).get(key),
            }
        };
        for spelling in &spellings {
            let (old, new) = (get(Side::Old, spelling.later), get(Side::New, spelling.later));
            if old.is_some() && new.is_some() {
                let here = Change { old, new, at: change.at.join(spelling.later), sense: change.sense };
                self.tell(here.fact(What::Shape));
            }
            self.keyword(spelling.later, &get, &change.at, change.sense);
        }
        spellings.iter().flat_map(|spelling| [spelling.earlier, spelling.later]).collect()
    }
}

/// The side that spells anything as earlier drafts do where the other one doesn't. A spelling that the dialect of what is
/// said now may not know limits nothing any more, so that it isn't the same.
fn earlier_side(documents: &Documents<'_>, old: &Object, new: &Object) -> Option<Side> {
    let now_is_early = documents.is_of_an_early_draft(Side::New);
    if !now_is_early && !spelled_earlier(old, new).is_empty() {
        Some(Side::Old)
    } else if now_is_early && !spelled_earlier(new, old).is_empty() {
        Some(Side::New)
    } else {
        None
    }
}

/// What one schema spells as earlier drafts do and the other one doesn't.
fn spelled_earlier(earlier: &Object, later: &Object) -> Vec<Spelling> {
    let is_list = |schema: &Object, key: &str| schema.get(key).is_some_and(|value| value.as_array().is_some());
    let mut found = Vec::new();
    if is_list(earlier, "items")
        && is_list(later, "prefixItems")
        && !is_list(later, "items")
        && !earlier.contains_key("prefixItems")
        && !later.contains_key("additionalItems")
    {
        found.extend(ITEMS);
    }
    let map = earlier.get("dependencies").and_then(Value::as_object).filter(|map| !map.is_empty());
    if let Some(map) = map.filter(|_| !later.contains_key("dependencies")) {
        let instead = |key: &str| !earlier.contains_key(key) && later.contains_key(key);
        if instead("dependentRequired") && map.iter().all(|(_, names)| names.as_array().is_some()) {
            found.extend(NAMES);
        } else if instead("dependentSchemas") && map.iter().all(|(_, schema)| schema.as_array().is_none()) {
            found.extend(SCHEMAS);
        }
    }
    found
}
