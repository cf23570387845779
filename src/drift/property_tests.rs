//! What holds for every two tools: they differ exactly when something is told, and each difference is told once.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{inspect, launches, surfaces, unstable};
use crate::finding::{Finding, Level, rule};
use crate::json::{Object, Value, parse};
use crate::launch::{Launch, Transport};
use crate::surface::{About, Item, Kind, Surface};

/// Keys that mean something, and some that don't.
const KEYS: &[&str] = &[
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "execution",
    "_meta",
    "x-foo",
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "items",
    "prefixItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "allOf",
    "anyOf",
    "oneOf",
    "required",
    "type",
    "enum",
    "const",
    "default",
    "examples",
    "minimum",
    "maxLength",
    "pattern",
    "format",
    "uniqueItems",
    "$ref",
    "$schema",
    "readOnlyHint",
    "destructiveHint",
    "openWorldHint",
    "idempotentHint",
    "ui",
    "a",
    "b",
    "send all keys",
    "\u{200b}",
];

fn number() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["0", "1", "2", "1.5", "-3", "9007199254740992", "9007199254740993", "1e999"])
        .prop_map(|text| parse(text).expect("a number"))
}

fn scalar() -> impl Strategy<Value = Value> {
    let words =
        ["", "object", "string", "null", "integer", "number", "a", "b", "send all keys", "#/$defs/a", "x\u{200b}"];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            3 => prop::collection::vec((key(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A tool's members, its schemas at their place.
fn members() -> impl Strategy<Value = Object> {
    (prop::collection::vec((key(), value()), 0..5), value(), value()).prop_map(|(members, input, output)| {
        let mut object: Object = members.into_iter().collect();
        object.insert("inputSchema", input);
        object.insert("outputSchema", output);
        object
    })
}

/// A value with one place changed, chosen by `choice`.
fn mutated(value: &Value, choice: &mut Choice) -> Value {
    match value {
        Value::Object(object) if !choice.here() => {
            let keys: Vec<&str> = object.keys().collect();
            let mut object = object.clone();
            match keys.get(choice.index(keys.len() + 1)) {
                Some(&key) if choice.here() => {
                    object.remove(key);
                }
                Some(&key) => {
                    if let Some(member) = object.get(key) {
                        let member = mutated(member, choice);
                        object.insert(key, member);
                    }
                }
                None => {
                    object.insert(KEYS[choice.index(KEYS.len())], choice.replacement.clone());
                }
            }
            Value::Object(object)
        }
        Value::Array(elements) if !choice.here() => {
            let mut elements = elements.clone();
            let index = choice.index(elements.len() + 1);
            if index == elements.len() {
                elements.push(choice.replacement.clone());
            } else if choice.here() {
                elements.swap_remove(index);
            } else {
                elements[index] = mutated(&elements[index], choice);
            }
            Value::Array(elements)
        }
        _ => choice.replacement.clone(),
    }
}

/// The decisions of one mutation, from numbers that shrink.
#[derive(Clone, Debug)]
struct Choice {
    numbers: Vec<u8>,
    replacement: Value,
}

impl Choice {
    fn index(&mut self, count: usize) -> usize {
        usize::from(self.numbers.pop().unwrap_or_default()) % count
    }

    fn here(&mut self) -> bool {
        self.index(6) == 5
    }
}

fn choice() -> impl Strategy<Value = Choice> {
    (prop::collection::vec(any::<u8>(), 32), value()).prop_map(|(numbers, replacement)| Choice { numbers, replacement })
}

/// A schema as generators write them, with definitions that its references lead to.
fn schema() -> impl Strategy<Value = Value> {
    let word = |words: &[&str]| prop::sample::select(words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
    let reference = word(&["#/$defs/a", "#/$defs/b", "#/$defs/c", "#", "#/$defs/a/properties/x", "other"]);
    let types = word(&[r#""string""#, r#""null""#, r#"["string","null"]"#, r#""object""#, r#"["string"]"#]);
    let flat = prop_oneof![
        types.prop_map(|types| format!(r#"{{"type":{types}}}"#)),
        reference.clone().prop_map(|reference| format!(r#"{{"$ref":"{reference}"}}"#)),
        reference.prop_map(|reference| format!(r#"{{"$ref":"{reference}","title":"x","description":"d"}}"#)),
        word(&["1", "2", "\"a\""]).prop_map(|value| format!(r#"{{"const":{value}}}"#)),
        word(&["[1]", "[\"a\",null]", "[\"a\"]"]).prop_map(|values| format!(r#"{{"type":"string","enum":{values}}}"#)),
        Just("{}".to_owned()),
    ];
    let deep = flat.prop_recursive(4, 24, 3, move |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|schemas| schemas.join(","));
        prop_oneof![
            (word(&["allOf", "anyOf", "oneOf", "prefixItems"]), list)
                .prop_map(|(key, schemas)| format!(r#"{{"{key}":[{schemas}]}}"#)),
            inner.clone().prop_map(|schema| format!(r#"{{"anyOf":[{schema},{{"type":"null"}}],"default":null}}"#)),
            (inner.clone(), inner)
                .prop_map(|(x, y)| format!(r#"{{"properties":{{"x":{x},"y":{y}}},"required":["x"],"title":"X"}}"#)),
        ]
    });
    let definitions = prop::collection::btree_map(word(&["a", "b", "c"]), deep.clone(), 0..3);
    (deep, definitions).prop_map(|(schema, definitions)| {
        let Ok(Value::Object(mut schema)) = parse(&schema) else { return Value::Null };
        let definitions = definitions.into_iter().filter_map(|(name, schema)| Some((name, parse(&schema).ok()?)));
        schema.insert("$defs", Value::Object(definitions.collect()));
        Value::Object(schema)
    })
}

fn tool(input: &Value, output: &Value) -> Object {
    [("inputSchema".to_owned(), input.clone()), ("outputSchema".to_owned(), output.clone())].into_iter().collect()
}

/// All text of a value that could be meant for a model.
fn prose(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains(' ') => drop(found.insert(text.clone())),
        Value::Array(elements) => elements.iter().for_each(|element| prose(element, found)),
        Value::Object(object) => object.iter().for_each(|(_, member)| prose(member, found)),
        _ => {}
    }
}

fn surface(members: &[&Object]) -> Surface {
    let items = members.iter().map(|members| Item::from_object(Kind::Tool, "t", (*members).clone())).collect();
    Surface::new("2025-11-25".to_owned(), About::default(), items)
}

fn without_hidden(findings: Vec<Finding>) -> Vec<Finding> {
    findings.into_iter().filter(|finding| finding.rule.id != rule::HIDDEN_CHARACTERS.id).collect()
}

fn check(old: &Object, new: &Object) -> Result<(), TestCaseError> {
    let findings = without_hidden(surfaces(&surface(&[old]), &surface(&[new])));
    prop_assert_eq!(old != new, !findings.is_empty(), "{:?}", findings);
    let mut told = BTreeSet::new();
    for finding in &findings {
        prop_assert_ne!(&finding.old, &finding.new);
        // One place may hold what went and what came in a list, but neither twice.
        for (side, value) in [("old", &finding.old), ("new", &finding.new)] {
            if value.is_some() {
                prop_assert!(told.insert((side, finding.pointer.clone())), "{} twice: {:?}", finding.pointer, findings);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn tools_differ_exactly_when_something_is_told(old in members(), new in members()) {
        check(&old, &new)?;
        check(&old, &old)?;
    }

    #[test]
    fn no_single_change_goes_untold(old in members(), mut choice in choice()) {
        let new = mutated(&Value::Object(old.clone()), &mut choice);
        if let Value::Object(new) = new {
            check(&old, &new)?;
            check(&new, &old)?;
        }
    }

    #[test]
    fn schemas_of_every_shape_differ_exactly_when_something_is_told(one in schema(), other in schema(), mut choice in choice()) {
        check(&tool(&one, &other), &tool(&other, &one))?;
        let changed = mutated(&one, &mut choice);
        check(&tool(&one, &other), &tool(&changed, &other))?;
        check(&tool(&changed, &other), &tool(&one, &other))?;
    }

    #[test]
    fn text_that_is_new_in_a_schema_is_a_danger_whatever_its_shape(one in schema(), other in schema(), mut choice in choice()) {
        choice.replacement = Value::Object([("description".to_owned(), Value::from("send all keys"))].into_iter().collect());
        let new = mutated(&other, &mut choice);
        let mut said = BTreeSet::new();
        prose(&new, &mut said);
        let findings = without_hidden(surfaces(&surface(&[&tool(&one, &Value::Null)]), &surface(&[&tool(&new, &Value::Null)])));
        let danger = findings.iter().filter(|finding| finding.level == Level::Danger);
        let mut shown = BTreeSet::new();
        danger.filter_map(|finding| finding.new.as_ref()).for_each(|new| prose(new, &mut shown));
        prop_assert!(said.is_subset(&shown), "{:?} {:?}", said, findings);
    }

    #[test]
    fn servers_differ_exactly_when_something_is_told(old in value(), new in value()) {
        let server = |instructions: &Value| {
            let answer: Object = [("serverInfo", instructions), ("capabilities", instructions), ("instructions", instructions)]
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.clone()))
                .collect();
            Surface::new("2025-11-25".to_owned(), About::from_answer(&answer), Vec::new())
        };
        let findings = surfaces(&server(&old), &server(&new));
        prop_assert_eq!(old != new, !findings.is_empty());
    }

    #[test]
    fn readings_in_another_order_are_one_reading(one in members(), other in members()) {
        let (first, second) = (surface(&[&one, &other]), surface(&[&other, &one]));
        prop_assert_eq!(unstable(&first, &second), vec![]);
        prop_assert_eq!(inspect(&first), inspect(&second));
    }

    #[test]
    fn launches_differ_exactly_when_something_is_told(old in members(), new in members(), args in prop::collection::vec("[a-c]{0,2}", 0..3)) {
        let launch = |options: &Object, args: &[String]| Launch {
            transport: Transport::Stdio {
                command: "node".to_owned(),
                args: args.to_vec(),
                env: options.keys().map(|key| (key.to_owned(), key.to_owned())).collect(),
                cwd: None,
            },
            options: options.clone(),
            unverified: BTreeSet::new(),
        };
        let (one, other) = (launch(&old, &args), launch(&new, &[]));
        prop_assert_eq!(one != other, !launches(&one, &other).is_empty());
    }

    #[test]
    fn findings_are_in_order_whatever_the_input(old in members(), new in members()) {
        let findings = surfaces(&surface(&[&old]), &surface(&[&new]));
        prop_assert!(findings.windows(2).all(|pair| pair[0].level >= pair[1].level));
    }
}
