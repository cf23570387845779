//! JSON Schema's keywords: what the value of each one is, and where a schema holds other schemas.
//!
//! Draft 4 to 2020-12 at once: servers mix them, and a keyword of a draft that isn't declared is still read by a model.

use crate::json::{Object, Pointer, Value};

/// What a keyword's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// Parameters by name, each a schema.
    Parameters,
    /// Schemas by name that others refer to.
    Definitions,
    /// Schemas by the name of the parameter that makes them hold.
    Conditional,
    /// A schema that narrows, or several by position; absent, it accepts everything.
    Schema,
    /// A schema for the members that no name or pattern declares; absent, it accepts everything.
    Additional,
    /// A schema whose opposite narrows.
    Not,
    /// A schema that only decides which other one holds.
    If,
    /// Schemas that all narrow.
    AllOf,
    /// Schemas that each widen, once there is one.
    AnyOf,
    /// Names in an order that means nothing.
    Names,
    /// Such names, or a schema, by the name of the parameter that makes them hold.
    Dependencies,
    /// A type, or several in an order that means nothing.
    Type,
    /// The accepted values.
    Members,
    /// The only accepted value.
    Const,
    /// A number, or a boolean in draft 4, that narrows as it grows.
    LowerBound,
    /// A number, or a boolean in draft 4, that narrows as it shrinks.
    UpperBound,
    /// Anything else that narrows by being there.
    Limit,
    /// Another place.
    Reference,
    /// The dialect that the schema is written in.
    Dialect,
    /// A word for machines, such as an address.
    Token,
    /// The value of a parameter that isn't given.
    Default,
    /// A name for people.
    Title,
    /// A text, an example, or unknown.
    Other,
}

impl Keyword {
    /// What the value under this key of a schema is.
    pub(super) fn of(key: &str) -> Self {
        match key {
            "properties" | "patternProperties" => Keyword::Parameters,
            "$defs" | "definitions" => Keyword::Definitions,
            "dependentSchemas" => Keyword::Conditional,
            "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "contains" | "propertyNames"
            | "contentSchema" | "then" | "else" => Keyword::Schema,
            "additionalProperties" | "unevaluatedProperties" => Keyword::Additional,
            "not" => Keyword::Not,
            "if" => Keyword::If,
            "allOf" => Keyword::AllOf,
            "anyOf" | "oneOf" => Keyword::AnyOf,
            "required" => Keyword::Names,
            "dependentRequired" | "dependencies" => Keyword::Dependencies,
            "type" => Keyword::Type,
            "enum" => Keyword::Members,
            "const" => Keyword::Const,
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains" => {
                Keyword::LowerBound
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" | "maxContains" => {
                Keyword::UpperBound
            }
            "multipleOf" | "divisibleBy" | "pattern" | "format" | "uniqueItems" | "contentEncoding"
            | "contentMediaType" => Keyword::Limit,
            "$ref" | "$dynamicRef" | "$recursiveRef" => Keyword::Reference,
            "$schema" => Keyword::Dialect,
            "$id" | "id" | "$anchor" | "$dynamicAnchor" => Keyword::Token,
            "default" => Keyword::Default,
            "title" => Keyword::Title,
            _ => Keyword::Other,
        }
    }
}

/// What a keyword says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Nothing is refused by it.
    Annotation,
    /// Values of some types, of which null isn't one.
    Others,
    /// Null among others.
    Null,
}

/// What a keyword says something about (2020-12 validation, sections 6 and 9; core, section 10.3).
pub(super) fn scope(key: &str) -> Scope {
    match key {
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "$comment" => {
            Scope::Annotation
        }
        "dependentRequired" | "dependentSchemas" | "dependencies" | "uniqueItems" | "multipleOf" | "pattern"
        | "format" | "contentEncoding" | "contentMediaType" | "contentSchema" | "items" | "prefixItems"
        | "additionalItems" | "unevaluatedItems" | "contains" | "propertyNames" => Scope::Others,
        _ => match Keyword::of(key) {
            Keyword::Parameters | Keyword::Additional | Keyword::Names => Scope::Others,
            Keyword::LowerBound | Keyword::UpperBound => Scope::Others,
            _ => Scope::Null,
        },
    }
}

/// The types of JSON Schema (2020-12 validation, section 6.1.1).
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Whether a type's word is one of the specification's.
pub(super) fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
}

/// Whether a word for machines may as well be prose: those words hold no white space.
pub(super) fn is_prose(word: &str) -> bool {
    word.contains(char::is_whitespace)
}

/// Whether the last step of a place is prose.
pub(super) fn ends_in_prose(at: &Pointer) -> bool {
    at.segments().last().is_some_and(|segment| is_prose(segment))
}

/// Whether a value holds a text of several words.
pub(super) fn holds_prose(value: &Value) -> bool {
    match value {
        Value::String(text) => is_prose(text),
        Value::Array(elements) => elements.iter().any(holds_prose),
        Value::Object(object) => object.iter().any(|(key, member)| is_prose(key) || holds_prose(member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a value holds text that a model would read as such: a string, or a key that is prose.
pub(super) fn holds_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(elements) => elements.iter().any(holds_text),
        Value::Object(object) => object.iter().any(|(key, member)| is_prose(key) || holds_text(member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether any schema within this one, itself included, declares parameters.
pub(super) fn declares_parameters(schema: &Value) -> bool {
    let mut found = false;
    visit(schema, &Pointer::root(), &mut |object, _| {
        found |= object.iter().any(|(key, value)| {
            Keyword::of(key) == Keyword::Parameters && value.as_object().is_some_and(|map| !map.is_empty())
        });
    });
    found
}

/// Whether any schema within this one, itself included, holds text beside the words that make it a schema.
pub(super) fn schema_holds_text(schema: &Value) -> bool {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return holds_text(schema);
    }
    let mut found = false;
    visit(schema, &Pointer::root(), &mut |object, _| {
        found |= object.iter().any(|(key, value)| keyword_holds_text(key, value));
    });
    found
}

/// Whether a keyword's value holds text, the schemas below it left aside.
fn keyword_holds_text(key: &str, value: &Value) -> bool {
    match (Keyword::of(key), value) {
        (Keyword::Parameters | Keyword::Definitions | Keyword::Conditional, Value::Object(map)) => {
            map.iter().any(|(name, schema)| is_prose(name) || not_a_schema_but_text(schema))
        }
        (Keyword::Dependencies, Value::Object(map)) => map.iter().any(|(name, value)| {
            is_prose(name)
                || match value {
                    Value::Array(names) => names.iter().any(name_is_text),
                    other => not_a_schema_but_text(other),
                }
        }),
        (Keyword::Schema | Keyword::AllOf | Keyword::AnyOf, Value::Array(schemas)) => {
            schemas.iter().any(not_a_schema_but_text)
        }
        (Keyword::Schema | Keyword::Additional | Keyword::Not | Keyword::If, other) => not_a_schema_but_text(other),
        (Keyword::Names, Value::Array(names)) => names.iter().any(name_is_text),
        (Keyword::Type, Value::String(word)) => !is_type(word),
        (Keyword::Type, Value::Array(words)) => words.iter().any(|word| !word.as_str().is_some_and(is_type)),
        (Keyword::Limit | Keyword::Reference | Keyword::Dialect | Keyword::Token, Value::String(word)) => {
            is_prose(word)
        }
        (_, other) => is_prose(key) || holds_text(other),
    }
}

fn not_a_schema_but_text(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Bool(_)) && holds_text(value)
}

fn name_is_text(name: &Value) -> bool {
    match name {
        Value::String(name) => is_prose(name),
        other => holds_text(other),
    }
}

/// Shows every schema that is an object to the visitor, outermost first. Values that are data are not entered.
pub(in crate::drift) fn visit<'v>(schema: &'v Value, at: &Pointer, visitor: &mut dyn FnMut(&'v Object, &Pointer)) {
    let Value::Object(object) = schema else { return };
    visitor(object, at);
    for (key, value) in object.iter() {
        let at = at.join(key);
        match (Keyword::of(key), value) {
            (
                Keyword::Parameters | Keyword::Definitions | Keyword::Conditional | Keyword::Dependencies,
                Value::Object(map),
            ) => {
                for (name, schema) in map.iter() {
                    visit(schema, &at.join(name), visitor);
                }
            }
            (Keyword::Schema | Keyword::AllOf | Keyword::AnyOf, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    visit(schema, &at.join(index), visitor);
                }
            }
            (Keyword::Schema | Keyword::Additional | Keyword::Not | Keyword::If, schema) => visit(schema, &at, visitor),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn value(json: &str) -> Value {
        parse(json).expect(json)
    }

    #[test]
    fn data_is_not_visited_as_schemas() {
        let schema = value(
            r#"{"default":{"properties":{}},"enum":[{"not":{}}],"properties":{"default":{"items":[{},{"not":{}}]}},
                "allOf":[{}],"dependencies":{"a":["b"],"c":{}}}"#,
        );
        let mut seen = Vec::new();
        visit(&schema, &Pointer::root(), &mut |_, at| seen.push(at.to_string()));
        assert_eq!(
            seen,
            [
                "",
                "/allOf/0",
                "/dependencies/c",
                "/properties/default",
                "/properties/default/items/0",
                "/properties/default/items/1",
                "/properties/default/items/1/not"
            ]
        );
    }

    #[test]
    fn the_words_that_make_a_schema_are_no_text() {
        for plain in [
            r#"{"type":"object","properties":{"description":{"type":["string","null"]}},"required":["description"]}"#,
            r##"{"$ref":"#/$defs/a","format":"uri","pattern":"^a+$","minimum":1,"additionalProperties":false}"##,
        ] {
            assert!(!schema_holds_text(&value(plain)), "{plain}");
        }
        for text in [
            r#"{"items":{"description":"x"}}"#,
            r#"{"enum":["x"]}"#,
            r#"{"const":"x"}"#,
            r#"{"x-note":{"a":["x"]}}"#,
            r#"{"type":"please send"}"#,
            r#"{"format":"please send"}"#,
            r#"{"required":["please send"]}"#,
            r#"{"properties":{"please send":{}}}"#,
            r#"{"properties":{"a":"x"}}"#,
            r#"{"please send":1}"#,
        ] {
            assert!(schema_holds_text(&value(text)), "{text}");
        }
    }
}
