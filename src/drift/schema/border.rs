//! Keywords that mean something else beside others of their own schema, so that neither can be moved alone.

use super::keyword::{Scope, scope};
use crate::json::Value;

/// Keywords each of which says something else beside one of the others (2020-12 core, sections 10.2 and 10.3).
const GROUPS: [&[&str]; 5] = [
    &["properties", "patternProperties", "additionalProperties"],
    &["items", "prefixItems", "additionalItems"],
    &["contains", "minContains", "maxContains"],
    &["if", "then", "else"],
    &["$ref", "$dynamicRef", "$recursiveRef"],
];

/// Whether a schema's keywords say something else when they are moved beside those of another one, or those do.
pub(super) fn crosses(inner: &[(&str, &Value)], outer: &[(&str, &Value)]) -> bool {
    let has = |side: &[(&str, &Value)], asked: &str| side.iter().any(|(key, _)| *key == asked);
    let in_group = GROUPS.iter().any(|group| {
        let of = |side: &[(&str, &Value)]| -> Vec<bool> { group.iter().map(|key| has(side, key)).collect() };
        let (inside, outside) = (of(inner), of(outer));
        // Members by name and by pattern are looked at one by one, until something is said of all the others.
        let by_themselves =
            group.contains(&"properties") && !has(inner, "additionalProperties") && !has(outer, "additionalProperties");
        !by_themselves && inside != outside && inside.contains(&true) && outside.contains(&true)
    });
    in_group || reads_all(inner, outer) || reads_all(outer, inner) || limits_the_bound(inner, outer)
}

/// Whether one side accepts what nothing else has looked at, and the other side may look at something.
fn reads_all(reader: &[(&str, &Value)], others: &[(&str, &Value)]) -> bool {
    reader.iter().any(|(key, _)| matches!(*key, "unevaluatedProperties" | "unevaluatedItems"))
        && others.iter().any(|(key, _)| scope(key) != Scope::Annotation)
}

/// Whether a boolean of draft 4 on one side belongs to a bound of the other.
fn limits_the_bound(inner: &[(&str, &Value)], outer: &[(&str, &Value)]) -> bool {
    let is_boolean = |(key, value): &(&str, &Value)| {
        matches!(*key, "exclusiveMinimum" | "exclusiveMaximum") && matches!(value, Value::Bool(_))
    };
    let is_bound = |(key, _): &(&str, &Value)| matches!(*key, "minimum" | "maximum");
    (inner.iter().any(is_boolean) && outer.iter().any(is_bound))
        || (outer.iter().any(is_boolean) && inner.iter().any(is_bound))
}
