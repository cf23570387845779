//! What is told, against what two schemas accept in fact.

use proptest::prelude::*;

use super::*;
use crate::json::{Object, canonical, parse};

/// Whether a value matches a schema of 2020-12, of the keywords that are made up here.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let keywords = match schema {
        Value::Bool(all) => return *all,
        Value::Object(keywords) => keywords,
        _ => return true,
    };
    keywords.iter().all(|(key, said)| holds(root, keywords, (key, said), value))
}

fn number(value: &Value) -> Option<f64> {
    if let Value::Number(number) = value { Some(number.to_f64()) } else { None }
}

fn holds(root: &Value, beside: &Object, (key, said): (&str, &Value), value: &Value) -> bool {
    let each = |schemas: &Value| schemas.as_array().unwrap_or_default().to_vec();
    let matching = |schemas: &Value| each(schemas).iter().filter(|schema| accepts(root, schema, value)).count();
    let bound = || number(said).unwrap_or_default();
    let has = |name: &Value| value.get(name.as_str().unwrap_or_default()).is_some();
    match (key, value) {
        ("type", _) => {
            let is = |word: &Value| match (word.as_str().unwrap_or_default(), value) {
                ("null", Value::Null) | ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
                ("number", Value::Number(_)) => true,
                ("integer", Value::Number(number)) => number.to_f64().fract() == 0.0,
                _ => false,
            };
            said.as_array().map_or_else(|| is(said), |words| words.iter().any(is))
        }
        ("enum", _) => each(said).contains(value),
        ("const", _) => said == value,
        ("minimum", Value::Number(number)) => number.to_f64() >= bound(),
        ("maximum", Value::Number(number)) => number.to_f64() <= bound(),
        ("exclusiveMinimum", Value::Number(number)) => number.to_f64() > bound(),
        ("minItems", Value::Array(elements)) => elements.len() as f64 >= bound(),
        ("maxItems", Value::Array(elements)) => elements.len() as f64 <= bound(),
        ("prefixItems", Value::Array(elements)) => {
            each(said).iter().zip(elements).all(|(schema, element)| accepts(root, schema, element))
        }
        ("items", Value::Array(elements)) => {
            let own = beside.get("prefixItems").and_then(Value::as_array).map_or(0, <[Value]>::len);
            elements.iter().skip(own).all(|element| accepts(root, said, element))
        }
        ("contains", Value::Array(elements)) => {
            let found = elements.iter().filter(|element| accepts(root, said, element)).count() as f64;
            let of = |key: &str, absent: f64| beside.get(key).and_then(number).unwrap_or(absent);
            of("minContains", 1.0) <= found && found <= of("maxContains", f64::INFINITY)
        }
        ("properties", Value::Object(members)) => said
            .as_object()
            .into_iter()
            .flat_map(Object::iter)
            .all(|(name, schema)| members.get(name).is_none_or(|member| accepts(root, schema, member))),
        ("patternProperties", Value::Object(members)) => {
            let schema = said.get("^a");
            let mut named = members.iter().filter(|(name, _)| name.starts_with('a'));
            schema.is_none_or(|schema| named.all(|(_, member)| accepts(root, schema, member)))
        }
        ("additionalProperties", Value::Object(members)) => members.iter().all(|(name, member)| {
            let is_named = beside.get("properties").is_some_and(|map| map.get(name).is_some());
            let pattern = beside.get("patternProperties").is_some_and(|map| map.get("^a").is_some());
            is_named || (pattern && name.starts_with('a')) || accepts(root, said, member)
        }),
        ("required", Value::Object(_)) => each(said).iter().all(has),
        ("dependentRequired", Value::Object(members)) => said
            .as_object()
            .into_iter()
            .flat_map(Object::iter)
            .all(|(name, names)| members.get(name).is_none() || each(names).iter().all(has)),
        ("not", _) => !accepts(root, said, value),
        ("if", _) => {
            let then = if accepts(root, said, value) { "then" } else { "else" };
            beside.get(then).is_none_or(|schema| accepts(root, schema, value))
        }
        ("allOf", _) => matching(said) == each(said).len(),
        ("anyOf", _) => matching(said) > 0,
        ("oneOf", _) => matching(said) == 1,
        ("$ref", _) => {
            let name = said.as_str().unwrap_or_default().trim_start_matches("#/$defs/");
            root.get("$defs").and_then(|map| map.get(name)).is_none_or(|schema| accepts(root, schema, value))
        }
        _ => true,
    }
}

fn object(members: Vec<(&str, Value)>) -> Value {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(key, value);
    }
    Value::Object(object)
}

fn json(text: &str) -> Value {
    parse(text).expect(text)
}

/// One keyword.
fn keyword(schema: BoxedStrategy<Value>, names: &'static [&'static str]) -> BoxedStrategy<(&'static str, Value)> {
    let list = prop::collection::vec(schema.clone(), 1..4).prop_map(Value::Array);
    let one = |key: &'static str| schema.clone().prop_map(move |schema| (key, schema));
    let several = |key: &'static str| list.clone().prop_map(move |list| (key, list));
    let data = |key: &'static str, texts: &'static [&'static str]| {
        prop::sample::select(texts).prop_map(move |text| (key, json(text)))
    };
    let map = |key: &'static str, names: &'static [&'static str]| {
        prop::collection::btree_map(prop::sample::select(names), schema.clone(), 1..3)
            .prop_map(move |map| (key, object(map.into_iter().collect())))
    };
    let reference = prop::sample::select(names).prop_map(|name| ("$ref", Value::String(format!("#/$defs/{name}"))));
    let few: &'static [&'static str] = &["0", "1", "2"];
    let values = prop_oneof![
        data(
            "type",
            &[
                r#""null""#,
                r#""number""#,
                r#""integer""#,
                r#""array""#,
                r#""object""#,
                r#"["null","number"]"#,
                r#"["object","null"]"#
            ]
        ),
        data("enum", &["[0,1]", "[1]", "[null,1]", "[1,2]", "[0,1,2]"]),
        data("const", few),
        data("minimum", few),
        data("maximum", few),
        data("exclusiveMinimum", few),
        data("minItems", few),
        data("maxItems", few),
        data("minContains", few),
        data("maxContains", few),
        data("required", &[r#"["a"]"#, r#"["b"]"#, r#"["a","b"]"#]),
        data("dependentRequired", &[r#"{"a":["b"]}"#, r#"{"b":["a"]}"#]),
    ];
    let lists = prop_oneof![several("prefixItems"), several("allOf"), several("anyOf"), several("oneOf")];
    let schemas = prop_oneof![
        one("items"),
        one("contains"),
        one("additionalProperties"),
        Just(("additionalProperties", Value::Bool(false))),
        Just(("items", Value::Bool(false))),
        one("not"),
        one("if"),
        one("then"),
        one("else"),
        map("properties", &["a", "b"]),
        map("patternProperties", &["^a"]),
    ];
    prop_oneof![4 => values, 2 => lists, 3 => schemas, 2 => reference].boxed()
}

fn schema(names: &'static [&'static str]) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Bool(false)),
        1 => Just(object(Vec::new())),
        8 => prop::sample::select(&[
            r#"{"type":"null"}"#, r#"{"type":"number"}"#, r#"{"minimum":1}"#, r#"{"maximum":1}"#, r#"{"const":1}"#,
            r#"{"enum":[0,1]}"#, r#"{"type":"object","properties":{"a":{"const":1}},"required":["a"]}"#,
            r#"{"type":"object","properties":{"a":{"const":2}},"required":["a"]}"#, r#"{"maxItems":1}"#,
        ][..]).prop_map(json),
    ]
    .boxed();
    leaf.prop_recursive(2, 12, 3, move |inner| {
        prop::collection::vec(keyword(inner.boxed(), names), 1..4).prop_map(object)
    })
    .boxed()
}

/// A change of one of the schemas of which a schema consists.
#[derive(Clone, Debug)]
enum Edit {
    /// A keyword comes, or has another value.
    Set((&'static str, Value)),
    /// A keyword goes.
    Drop(usize),
    /// What `$ref` or `allOf` holds goes beside them.
    Merge,
    /// A keyword goes into an `allOf`.
    Wrap(usize),
    /// `oneOf` becomes `anyOf`, or the other way round.
    Swap,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => keyword(schema(&["A", "B"]), &["A", "B"]).prop_map(Edit::Set),
        4 => any::<usize>().prop_map(Edit::Drop),
        2 => Just(Edit::Merge),
        2 => any::<usize>().prop_map(Edit::Wrap),
        1 => Just(Edit::Swap),
    ]
}

/// Applies an edit to one of the schemas, counted through.
fn edited(value: &Value, edit: &Edit, left: &mut usize, definitions: &Value) -> Value {
    match value {
        Value::Object(keywords) => {
            if *left == 0 {
                *left = usize::MAX;
                return apply(keywords, edit, definitions);
            }
            *left -= 1;
            let mut changed = Object::new();
            for (key, value) in keywords.iter() {
                let is_map = matches!(key, "properties" | "patternProperties" | "$defs");
                let value = match value {
                    Value::Object(map) if is_map => {
                        let mut changed = Object::new();
                        for (name, schema) in map.iter() {
                            changed.insert(name, edited(schema, edit, left, definitions));
                        }
                        Value::Object(changed)
                    }
                    _ if matches!(key, "enum" | "const" | "dependentRequired" | "required" | "type") => value.clone(),
                    other => edited(other, edit, left, definitions),
                };
                changed.insert(key, value);
            }
            Value::Object(changed)
        }
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| edited(element, edit, left, definitions)).collect())
        }
        other => other.clone(),
    }
}

fn apply(keywords: &Object, edit: &Edit, definitions: &Value) -> Value {
    let mut changed = keywords.clone();
    match edit {
        Edit::Set((key, value)) => {
            changed.insert(*key, value.clone());
        }
        Edit::Drop(index) => {
            let keys: Vec<String> = keywords.keys().filter(|key| *key != "$defs").map(str::to_owned).collect();
            if !keys.is_empty() {
                changed.remove(&keys[index % keys.len()]);
            }
        }
        Edit::Wrap(index) => {
            let keys: Vec<&str> = keywords.keys().filter(|key| *key != "$defs").collect();
            if let Some(key) = keys.get(index % keys.len().max(1)).filter(|_| !keywords.contains_key("allOf")) {
                let inner: Vec<(&str, Value)> = changed.remove(key).map(|value| (*key, value)).into_iter().collect();
                changed.insert("allOf", Value::Array(vec![object(inner)]));
            }
        }
        Edit::Merge => {
            let inner = match (keywords.get("$ref").and_then(Value::as_str), keywords.get("allOf")) {
                (Some(reference), _) => {
                    changed.remove("$ref");
                    definitions.get(reference.trim_start_matches("#/$defs/")).cloned()
                }
                (None, Some(Value::Array(schemas))) if schemas.len() == 1 => {
                    changed.remove("allOf");
                    schemas.first().cloned()
                }
                _ => None,
            };
            for (key, value) in inner.as_ref().and_then(Value::as_object).into_iter().flat_map(Object::iter) {
                changed.insert(key, value.clone());
            }
        }
        Edit::Swap => {
            for (one, other) in [("anyOf", "oneOf"), ("oneOf", "anyOf")] {
                if let Some(list) = keywords.get(one).filter(|_| !keywords.contains_key(other)) {
                    changed.remove(one);
                    changed.insert(other, list.clone());
                }
            }
        }
    }
    Value::Object(changed)
}

fn values() -> Vec<Value> {
    [
        "null",
        "-1",
        "0",
        "0.5",
        "1",
        "1.5",
        "2",
        "3",
        "[]",
        "[null]",
        "[0]",
        "[1]",
        "[2]",
        "[0,1]",
        "[1,1]",
        "[1,2]",
        "[0,0]",
        "[2,0]",
        "[1,null]",
        "[0,1,2]",
        "[1,1,1]",
        "[3,3,3]",
        "[[]]",
        "[{}]",
        "{}",
        r#"{"a":0}"#,
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"a":null}"#,
        r#"{"b":0}"#,
        r#"{"b":1}"#,
        r#"{"b":2}"#,
        r#"{"a":1,"b":1}"#,
        r#"{"a":2,"b":0}"#,
        r#"{"a":0,"b":2}"#,
        r#"{"c":1}"#,
        r#"{"ab":1}"#,
        r#"{"ab":0}"#,
        r#"{"a":1,"c":1}"#,
        r#"{"a":1,"ab":0}"#,
        r#"{"a":[]}"#,
        r#"{"a":{}}"#,
        r#"{"a":{"a":1}}"#,
        r#"{"b":{"a":2}}"#,
    ]
    .map(json)
    .to_vec()
}

/// How many changes are made up.
const CASES: u32 = 1_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, max_global_rejects: CASES, ..ProptestConfig::default() })]

    #[test]
    fn what_accepts_more_is_never_told_as_less_or_the_same(
        root in schema(&["A", "B"]), a in schema(&["B"]), b in schema(&["B"]), edit in edit(), place in 0_usize..12,
    ) {
        let b = if canonical(&b).contains("$ref") { json(r#"{"minimum":1}"#) } else { b };
        let definitions = object(vec![("A", a), ("B", b)]);
        let old = match &root {
            Value::Object(keywords) => {
                let mut keywords = keywords.clone();
                keywords.insert("$defs", definitions.clone());
                Value::Object(keywords)
            }
            _ => object(vec![("$defs", definitions.clone()), ("not", root.clone())]),
        };
        let mut left = place;
        let new = edited(&old, &edit, &mut left, &definitions);
        let leads = |name: &str, target: &str| {
            let schema = new.get("$defs").and_then(|map| map.get(name)).map(canonical).unwrap_or_default();
            schema.contains(&format!("#/$defs/{target}"))
        };
        // Of a schema that is its own condition, nothing says what it accepts.
        prop_assume!(!leads("A", "A") && !leads("B", "A") && !leads("B", "B"));
        for (old, new) in [(&old, &new), (&new, &old)] {
            let accepted = |schema: &Value| -> Vec<bool> {
                values().iter().map(|value| accepts(schema, schema, value)).collect()
            };
            let (before, after) = (accepted(old), accepted(new));
            let found = differences(Purpose::Input, "t", Some(old), Some(new), &Pointer::root());
            let all_are = |rules: &[&str]| found.iter().all(|finding| rules.contains(&finding.rule.id));
            let same = ["schema-shape-changed", "order-changed"];
            prop_assert!(before == after || !all_are(&same), "{} {} differ", canonical(old), canonical(new));
            let is_wider = before.iter().zip(&after).any(|(before, after)| !before && *after);
            let less = [&same[..], &["parameter-tightened", "parameter-required"]].concat();
            prop_assert!(!is_wider || !all_are(&less), "{} {} is wider", canonical(old), canonical(new));
        }
    }
}
