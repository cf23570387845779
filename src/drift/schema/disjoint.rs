//! Whether no value matches two schemas at once, as far as anybody can tell from their types and listed values.

use std::collections::HashSet;

use super::keyword::is_type;
use super::reference::{Documents, Side};
use crate::json::{Object, Value};

/// The most schemas that are compared with each other.
const MOST: usize = 100;
/// How many references lead from one to the next at most.
const DEEPEST: usize = 8;

/// Whether no value matches two of these schemas.
pub(super) fn are_disjoint<'v>(documents: &Documents<'v>, side: Side, schemas: &'v [Value]) -> bool {
    documents.are_exclusive(schemas, || {
        if schemas.len() > MOST {
            return false;
        }
        let followed: Option<Vec<&Object>> = schemas.iter().map(|schema| target(documents, side, schema)).collect();
        let Some(schemas) = followed else { return false };
        let effort: usize = schemas.iter().map(|schema| effort(schema)).sum();
        documents.can_afford(effort * schemas.len())
            && schemas
                .iter()
                .enumerate()
                .all(|(index, one)| schemas[index + 1..].iter().all(|other| exclude(one, other)))
    })
}

/// How much of a schema is looked at.
fn effort(schema: &Object) -> usize {
    let own = |schema: &Object| 1 + members(schema).map_or(0, |members| members.len());
    let required = schema.get("required").and_then(Value::as_array).map_or(0, <[Value]>::len);
    let below = properties(schema).map_or(0, |map| {
        let schemas = map.iter().filter_map(|(_, schema)| schema.as_object());
        schemas.map(|schema| own(schema) + required).sum()
    });
    own(schema) + below
}

/// The schema, or what its reference leads to: beside that, what a schema says itself may mean nothing.
fn target<'v>(documents: &Documents<'v>, side: Side, schema: &'v Value) -> Option<&'v Object> {
    let mut schema = schema.as_object()?;
    for _ in 0..DEEPEST {
        match schema.get("$ref") {
            None => return Some(schema),
            Some(reference) => schema = documents.place(side, reference.as_str()?)?.1.as_object()?,
        }
    }
    None
}

fn exclude(one: &Object, other: &Object) -> bool {
    match (types(one), types(other)) {
        (Some(ones), Some(others)) if ones.is_disjoint(&others) => true,
        _ => exclude_by_value(one, other) || exclude_by_member(one, other),
    }
}

/// Whether both list what they accept, and that is never the same.
fn exclude_by_value(one: &Object, other: &Object) -> bool {
    match (members(one), members(other)) {
        (Some(ones), Some(others)) => {
            let ones: HashSet<&Value> = ones.into_iter().collect();
            !others.into_iter().any(|member| ones.contains(member))
        }
        _ => false,
    }
}

/// Whether both accept only objects with a member that never has the same value in both.
fn exclude_by_member(one: &Object, other: &Object) -> bool {
    let only_objects = |schema: &Object| schema.get("type").and_then(Value::as_str) == Some("object");
    let requires = |schema: &Object, name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    };
    let (Some(ones), Some(others)) = (properties(one), properties(other)) else { return false };
    only_objects(one)
        && only_objects(other)
        && ones.iter().any(|(name, schema)| {
            let (Some(schema), Some(opposed)) = (schema.as_object(), others.get(name).and_then(Value::as_object))
            else {
                return false;
            };
            requires(one, name)
                && requires(other, name)
                && [schema, opposed].iter().all(|schema| !schema.contains_key("$ref"))
                && exclude_by_value(schema, opposed)
        })
}

fn properties(schema: &Object) -> Option<&Object> {
    schema.get("properties").and_then(Value::as_object)
}

/// The values that a schema lists.
fn members(schema: &Object) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(member), _) => Some(vec![member]),
        (None, members) => members.map(|members| members.iter().collect()),
    }
}

/// The types of what a schema accepts, an integer being a number; `None` where that may be any.
fn types(schema: &Object) -> Option<HashSet<&str>> {
    if let Some(members) = members(schema) {
        return Some(members.into_iter().map(type_of).collect());
    }
    let words: Vec<&str> = match schema.get("type")? {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    let known = words.iter().all(|word| is_type(word));
    known.then(|| words.into_iter().map(|word| if word == "integer" { "number" } else { word }).collect())
}

/// The type of a value (2020-12 validation, section 6.1.1), in which every number is one of the same type.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
