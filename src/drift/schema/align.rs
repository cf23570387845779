//! Two lists matched by their elements, wherever those stand.

use std::collections::{HashMap, HashSet};

use crate::json::{Value, canonical};

/// Two lists, element matched to equal element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    /// Places in the old list whose element the new one has not, or not as often.
    pub(super) gone: Vec<Place>,
    /// Places in the new list whose element the old one had not, or not as often.
    pub(super) come: Vec<Place>,
    /// Whether the elements that both have stand in another order.
    pub(super) reordered: bool,
}

/// An element without a partner.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where it stands in its list.
    pub(super) index: usize,
    /// Whether the other list has an equal element all the same, though not as often.
    pub(super) repeated: bool,
}

impl Alignment {
    /// Whether every element has a partner: the lists differ in order at most.
    pub(super) fn is_complete(&self) -> bool {
        self.gone.is_empty() && self.come.is_empty()
    }
}

/// The places of one element in the new list.
#[derive(Default)]
struct Places {
    /// Those without a partner, the last first.
    free: Vec<usize>,
    /// How many have one.
    matched: usize,
}

/// Matches every element to an equal one of the other list, the first to the first.
pub(super) fn align(old: &[Value], new: &[Value]) -> Alignment {
    let mut places: HashMap<&Value, Places> = HashMap::new();
    for (index, element) in new.iter().enumerate().rev() {
        places.entry(element).or_default().free.push(index);
    }
    let mut gone = Vec::new();
    let mut kept = Vec::new();
    for (index, element) in old.iter().enumerate() {
        let known = places.get_mut(element);
        let repeated = known.is_some();
        match known.and_then(|places| places.free.pop().inspect(|_| places.matched += 1)) {
            Some(partner) => kept.push(partner),
            None => gone.push(Place { index, repeated }),
        }
    }
    let mut come: Vec<Place> = Vec::new();
    for places in places.into_values() {
        let repeated = places.matched > 0;
        come.extend(places.free.into_iter().map(|index| Place { index, repeated }));
    }
    come.sort_by_key(|place| place.index);
    Alignment { gone, come, reordered: !kept.is_sorted() }
}

/// An element of the old list and one of the new that take each other's place; of one that has no counterpart, one alone.
pub(super) type Partners = (Option<usize>, Option<usize>);

/// Matches the schemas that no equal one was found for: by what they are called, the surest sign first, then by order.
pub(super) fn partners(old: &[Value], new: &[Value], gone: &[usize], come: &[usize]) -> Vec<Partners> {
    let (mut gone, mut come) = (gone.to_vec(), come.to_vec());
    let mut partners: Vec<Partners> = Vec::new();
    for sign in [reference, title, constants, parameters, types] {
        if gone.is_empty() || come.is_empty() {
            break;
        }
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for &index in come.iter().rev() {
            if let Some(sign) = sign(&new[index]) {
                known.entry(sign).or_default().push(index);
            }
        }
        let mut taken = HashSet::new();
        gone.retain(|&index| {
            let partner = sign(&old[index]).and_then(|sign| known.get_mut(&sign)?.pop());
            if let Some(partner) = partner {
                partners.push((Some(index), Some(partner)));
                taken.insert(partner);
            }
            partner.is_none()
        });
        come.retain(|index| !taken.contains(index));
    }
    for place in 0..gone.len().max(come.len()) {
        partners.push((gone.get(place).copied(), come.get(place).copied()));
    }
    partners.sort_by_key(|&(gone, come)| (come.or(gone), gone));
    partners
}

/// What a schema refers to.
fn reference(schema: &Value) -> Option<String> {
    schema.get("$ref")?.as_str().map(str::to_owned)
}

/// What a schema is called.
fn title(schema: &Value) -> Option<String> {
    schema.get("title")?.as_str().map(str::to_owned)
}

/// The members by whose one accepted value a schema is told from its neighbours.
fn constants(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let constant = |schema: &Value| match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(value), _) | (None, Some([value])) => Some(canonical(value)),
        _ => None,
    };
    let constants: Vec<String> =
        properties.iter().filter_map(|(name, schema)| Some(format!("{name}={}", constant(schema)?))).collect();
    (!constants.is_empty()).then(|| constants.join("\n"))
}

/// The names of a schema's parameters.
fn parameters(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    Some(properties.keys().collect::<Vec<_>>().join("\n"))
}

/// What type of value a schema accepts.
fn types(schema: &Value) -> Option<String> {
    schema.get("type").map(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn of(old: &str, new: &str) -> Alignment {
        let (old, new) = (parse(old).expect(old), parse(new).expect(new));
        align(old.as_array().expect("an array"), new.as_array().expect("an array"))
    }

    #[test]
    fn equal_elements_match_wherever_they_stand() {
        let alone = |index| vec![Place { index, repeated: false }];
        assert_eq!(of("[1,2,3]", "[3,1,4]"), Alignment { gone: alone(1), come: alone(2), reordered: true });
        assert_eq!(of("[1,2]", "[0,1,2]"), Alignment { gone: vec![], come: alone(0), reordered: false });
    }

    #[test]
    fn a_repeated_element_counts() {
        let repeated = vec![Place { index: 1, repeated: true }];
        assert_eq!(of("[1]", "[1,1]"), Alignment { gone: vec![], come: repeated, reordered: false });
        assert_eq!(of("[1,1]", "[1]").gone, [Place { index: 1, repeated: true }]);
    }

    #[test]
    fn equal_lists_align_without_a_rest() {
        assert_eq!(of("[1,2,1]", "[1,2,1]"), Alignment { gone: vec![], come: vec![], reordered: false });
    }

    #[test]
    fn schemas_are_matched_by_what_they_are_called() {
        let list = |json: &str| parse(json).expect(json).as_array().expect("an array").to_vec();
        let old = list(r#"[{"title":"A","minimum":1},{"properties":{"kind":{"const":"b"}}},{"type":"string"}]"#);
        let new = list(
            r#"[{"type":"string","maxLength":1},{"properties":{"kind":{"enum":["b"]},"x":{}}},{"title":"A"},{"type":"null"}]"#,
        );
        assert_eq!(
            partners(&old, &new, &[0, 1, 2], &[0, 1, 2, 3]),
            [(Some(2), Some(0)), (Some(1), Some(1)), (Some(0), Some(2)), (None, Some(3))]
        );
    }
}
