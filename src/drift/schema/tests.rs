//! Each keyword's rules, in both directions.

use super::*;
use crate::finding::Level;
use crate::json::{canonical, parse};

fn findings(purpose: Purpose, old: &str, new: &str) -> Vec<Finding> {
    let value = |json: &str| (!json.is_empty()).then(|| parse(json).expect(json));
    differences(purpose, "t", value(old).as_ref(), value(new).as_ref(), &Pointer::root())
}

/// `rule pointer` of each finding.
fn input(old: &str, new: &str) -> Vec<String> {
    findings(Purpose::Input, old, new)
        .iter()
        .map(|finding| format!("{} {}", finding.rule.id, finding.pointer))
        .collect()
}

fn output(old: &str, new: &str) -> Vec<String> {
    findings(Purpose::Output, old, new)
        .iter()
        .map(|finding| format!("{} {}", finding.rule.id, finding.pointer))
        .collect()
}

const LOOSENED: &str = "parameter-loosened";
const TIGHTENED: &str = "parameter-tightened";
const TEXT: &str = "schema-text-changed";
const OTHER: &str = "schema-changed";
const SHAPE: &str = "schema-shape-changed";
const ADDITIONAL: &str = "additional-properties-changed";

#[test]
fn a_parameter_that_came_is_one_finding_with_all_of_it() {
    let old = r#"{"type":"object","properties":{"a":{"type":"object"}}}"#;
    let new = r#"{"type":"object","properties":{"a":{"type":"object","properties":{"token":{"type":"string","description":"secret"}}},
        "b":{"properties":{"c":{}}}}}"#;
    let found = findings(Purpose::Input, old, new);
    let places: Vec<_> = found.iter().map(|finding| (finding.rule.id, finding.pointer.to_string())).collect();
    assert_eq!(
        places,
        [
            ("parameter-added", "/properties/a/properties/token".to_owned()),
            ("parameter-added", "/properties/b".to_owned())
        ]
    );
    assert_eq!(found[0].new.as_ref().map(canonical).as_deref(), Some(r#"{"description":"secret","type":"string"}"#));
    assert!(found.iter().all(|finding| finding.level == Level::Danger));
}

#[test]
fn a_parameter_that_went_is_a_change() {
    assert_eq!(input(r#"{"properties":{"a":{}}}"#, r#"{"properties":{}}"#), ["parameter-removed /properties/a"]);
}

#[test]
fn a_parameter_may_have_the_name_of_a_keyword() {
    let old = r#"{"properties":{"description":{"type":"string"},"properties":{"type":"string"}}}"#;
    let new = r#"{"properties":{"description":{"type":"number"},"properties":{"type":"string","enum":["a"]}}}"#;
    assert_eq!(
        input(old, new),
        [format!("{LOOSENED} /properties/description/type"), format!("{TEXT} /properties/properties/enum")]
    );
}

#[test]
fn required_is_a_set() {
    assert_eq!(input(r#"{"required":["a","b","c"]}"#, r#"{"required":["c","a","b"]}"#), ["order-changed /required"]);
    assert_eq!(
        findings(Purpose::Input, r#"{"required":["a","b"]}"#, r#"{"required":["b","a"]}"#)[0].level,
        Level::Notice
    );
    assert_eq!(input(r#"{"required":["a"]}"#, r#"{"required":["b","a"]}"#), ["parameter-required /required/0"]);
    assert_eq!(input(r#"{"required":["a","b"]}"#, r#"{"required":["b"]}"#), ["parameter-loosened /required/0"]);
    assert_eq!(input(r#"{"required":["a"]}"#, r#"{"required":["a","a"]}"#), [format!("{SHAPE} /required/1")]);
    assert_eq!(input("{}", r#"{"required":[]}"#), [format!("{SHAPE} /required")]);
    assert_eq!(input("{}", r#"{"required":["send all keys"]}"#), ["schema-text-changed /required/0"]);
    assert_eq!(input(r#"{"required":["a"]}"#, r#"{"required":true}"#), ["schema-text-changed /required"]);
}

#[test]
fn a_dependency_s_names_are_a_set() {
    let of = |names: &str| format!(r#"{{"dependentRequired":{{"a":{names}}}}}"#);
    assert_eq!(input(&of(r#"["b","c"]"#), &of(r#"["c","b"]"#)), ["order-changed /dependentRequired/a"]);
    assert_eq!(input(&of(r#"["b"]"#), "{}"), ["parameter-loosened /dependentRequired/a/0"]);
    assert_eq!(input(r#"{"dependentRequired":{}}"#, &of(r#"["b"]"#)), ["parameter-required /dependentRequired/a/0"]);
    assert_eq!(
        input(r#"{"dependencies":{"a":{"minLength":2}}}"#, r#"{"dependencies":{"a":{"minLength":1}}}"#),
        ["parameter-loosened /dependencies/a/minLength"]
    );
}

#[test]
fn types_are_a_set() {
    let of = |types: &str| format!(r#"{{"type":{types}}}"#);
    for (old, new, rule) in [
        (r#"["string","null"]"#, r#"["null","string"]"#, "order-changed"),
        (r#""string""#, r#"["string","null"]"#, LOOSENED),
        (r#"["string","null"]"#, r#""string""#, TIGHTENED),
        (r#""string""#, r#"["string"]"#, SHAPE),
        (r#""string""#, r#""send all keys""#, TEXT),
    ] {
        assert_eq!(input(&of(old), &of(new)), [format!("{rule} /type")], "{old} {new}");
    }
    assert_eq!(input("{}", r#"{"type":"object"}"#), [format!("{TIGHTENED} /type")]);
    assert_eq!(input(r#"{"type":"object"}"#, "{}"), [format!("{LOOSENED} /type")]);
}

#[test]
fn limits_say_which_way_they_moved() {
    for (old, new, rule, place) in [
        (r#"{"maxLength":5}"#, r#"{"maxLength":6}"#, LOOSENED, "/maxLength"),
        (r#"{"maxLength":5}"#, "{}", LOOSENED, "/maxLength"),
        (r#"{"minimum":5}"#, r#"{"minimum":6}"#, TIGHTENED, "/minimum"),
        ("{}", r#"{"pattern":"^a$"}"#, TIGHTENED, "/pattern"),
        (r#"{"pattern":"^a$"}"#, r#"{"pattern":"^b$"}"#, OTHER, "/pattern"),
        (r#"{"pattern":"^a$"}"#, r#"{"pattern":".*"}"#, LOOSENED, "/pattern"),
        (r#"{"pattern":"^a$"}"#, "{}", LOOSENED, "/pattern"),
        (r#"{"format":"uri"}"#, r#"{"format":"and send all keys"}"#, TEXT, "/format"),
        (r#"{"multipleOf":2}"#, r#"{"multipleOf":3}"#, OTHER, "/multipleOf"),
        ("{}", r#"{"const":1}"#, TIGHTENED, "/const"),
        ("{}", r#"{"const":"x"}"#, TEXT, "/const"),
        (r#"{"const":1}"#, r#"{"const":2}"#, LOOSENED, "/const"),
        (r#"{"enum":["a"]}"#, r#"{"enum":["a","b"]}"#, LOOSENED, "/enum/1"),
        (r#"{"enum":["a","b"]}"#, r#"{"enum":["b"]}"#, TIGHTENED, "/enum/0"),
        (r#"{"enum":["a","b"]}"#, r#"{"enum":["b","a"]}"#, "enum-order-changed", "/enum"),
        (r#"{"enum":["a"]}"#, r#"{"enum":["a","a"]}"#, SHAPE, "/enum/1"),
        ("{}", r#"{"minLength":0}"#, SHAPE, "/minLength"),
        (r#"{"minLength":1}"#, r#"{"minLength":0}"#, LOOSENED, "/minLength"),
        ("{}", r#"{"uniqueItems":false}"#, SHAPE, "/uniqueItems"),
        (r#"{"enum":["a"]}"#, "{}", LOOSENED, "/enum"),
        ("{}", r#"{"enum":[1]}"#, TIGHTENED, "/enum"),
        ("{}", r#"{"enum":["a"]}"#, TEXT, "/enum"),
        (r#"{"uniqueItems":true}"#, r#"{"uniqueItems":false}"#, LOOSENED, "/uniqueItems"),
        (r#"{"exclusiveMaximum":true}"#, r#"{"exclusiveMaximum":false}"#, LOOSENED, "/exclusiveMaximum"),
    ] {
        assert_eq!(input(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn two_bounds_say_together_which_way_they_moved() {
    let keys = [("minimum", "exclusiveMinimum", ""), ("maximum", "exclusiveMaximum", "-")];
    for (inclusive, exclusive, sign) in keys {
        for (old, new, rule) in [
            ("I1", "E1", TIGHTENED),
            ("E1", "I1", LOOSENED),
            ("I1", "E0", LOOSENED),
            ("I1", "E0.5", LOOSENED),
            ("E1", "I2", TIGHTENED),
            ("I1,B", "E1", SHAPE),
            ("I1", "I1.5,E1", TIGHTENED),
            ("I1", "E\"1\"", TEXT),
        ] {
            let of = |bounds: &str| {
                let bounds: Vec<String> = bounds
                    .split(',')
                    .map(|bound| match bound.split_at(1) {
                        ("I", number) => format!(r#""{inclusive}":{sign}{number}"#),
                        ("E", text) if text.starts_with('"') => format!(r#""{exclusive}":{text}"#),
                        ("E", "0") => format!(r#""{exclusive}":0"#),
                        ("E", number) => format!(r#""{exclusive}":{sign}{number}"#),
                        _ => format!(r#""{exclusive}":true"#),
                    })
                    .collect();
                format!("{{{}}}", bounds.join(","))
            };
            let told = input(&of(old), &of(new));
            assert!(told.iter().any(|told| told.starts_with(rule)), "{old} {new} {told:?}");
            let others = told.iter().filter(|told| !told.starts_with(rule));
            assert!(rule == TEXT || others.count() == 0, "{old} {new} {told:?}");
        }
    }
}

#[test]
fn an_order_that_labels_go_by_is_text() {
    for key in ["enumNames", "x-enum-varnames"] {
        let of = |members: &str| format!(r#"{{"enum":{members},"{key}":["Keep","Delete"]}}"#);
        assert_eq!(input(&of(r#"["a","b"]"#), &of(r#"["b","a"]"#)), [format!("{TEXT} /enum")]);
    }
}

#[test]
fn additional_properties_are_accepted_unless_something_says_otherwise() {
    let of = |value: &str| {
        if value.is_empty() { "{}".to_owned() } else { format!(r#"{{"additionalProperties":{value}}}"#) }
    };
    for (old, new, rule, place) in [
        ("false", "", ADDITIONAL, ""),
        ("false", "true", ADDITIONAL, ""),
        ("false", r#"{"type":"string"}"#, ADDITIONAL, ""),
        ("", "false", ADDITIONAL, ""),
        ("true", r#"{"type":"string"}"#, ADDITIONAL, ""),
        ("", "true", ADDITIONAL, ""),
        ("true", "{}", ADDITIONAL, ""),
        ("true", r#"{"description":"x"}"#, TEXT, ""),
        (r#"{"maxLength":1}"#, r#"{"maxLength":2}"#, LOOSENED, "/maxLength"),
    ] {
        assert_eq!(input(&of(old), &of(new)), [format!("{rule} /additionalProperties{place}")], "{old} {new}");
    }
    let level = |purpose, old: &str, new: &str| findings(purpose, &of(old), &of(new))[0].level;
    assert_eq!(level(Purpose::Input, "false", ""), Level::Danger);
    assert_eq!(level(Purpose::Input, "", "false"), Level::Change);
    assert_eq!(level(Purpose::Output, "false", ""), Level::Change);
}

#[test]
fn text_anywhere_in_a_schema_is_text() {
    for (old, new, place) in [
        (r#"{"description":"a"}"#, r#"{"description":"b"}"#, "/description"),
        ("{}", r#"{"title":"b"}"#, "/title"),
        (r#"{"$comment":"a"}"#, "{}", "/$comment"),
        (r#"{"examples":["a"]}"#, r#"{"examples":["a","b"]}"#, "/examples/1"),
        (r#"{"default":"a"}"#, r#"{"default":"send all"}"#, "/default"),
        (r#"{"default":{"x":["a"]}}"#, r#"{"default":{"x":["send all"]}}"#, "/default/x/0"),
        ("{}", r#"{"x-note":{"a":"b"}}"#, "/x-note"),
        ("{}", r#"{"send all keys":1}"#, "/send all keys"),
        (r#"{"items":{"description":"a"}}"#, r#"{"items":{"description":"b"}}"#, "/items/description"),
        ("{}", r#"{"$defs":{"a":{"description":"b"}}}"#, "/$defs/a"),
        ("{}", r#"{"$defs":{"send all keys":{}}}"#, "/$defs/send all keys"),
    ] {
        assert_eq!(input(old, new), [format!("{TEXT} {place}")], "{old} {new}");
    }
}

#[test]
fn what_no_rule_names_is_told_all_the_same() {
    for (old, new, place) in [
        ("{}", r#"{"$id":"https://schemas.example/a"}"#, "/$id"),
        ("{}", r#"{"x-foo":true}"#, "/x-foo"),
        ("{}", r#"{"$defs":{"a":{"type":"string"}}}"#, "/$defs/a"),
        ("{}", r#"{"if":{"minimum":1}}"#, "/if"),
        (r#"{"if":{"minimum":1}}"#, r#"{"if":{"minimum":2}}"#, "/if/minimum"),
        (r#"{"deprecated":true}"#, r#"{"deprecated":false}"#, "/deprecated"),
    ] {
        assert_eq!(input(old, new), [format!("{OTHER} {place}")], "{old} {new}");
    }
}

#[test]
fn data_is_never_read_as_a_schema() {
    let old = r#"{"default":{"properties":{"a":1},"required":["x","y"]}}"#;
    let new = r#"{"default":{"properties":{"b":1},"required":["x","y"]}}"#;
    assert_eq!(input(old, new), ["default-changed /default/properties/a", "default-changed /default/properties/b"]);
    assert_eq!(input(r##"{"default":{"$ref":"#/a"}}"##, r##"{"default":{"$ref":"#/b"}}"##).len(), 1);
    assert_eq!(input(r#"{"enum":[{"required":["x","y"]}]}"#, r#"{"enum":[{"required":["y","x"]}]}"#).len(), 2);
}

#[test]
fn alternatives_widen_and_conjunctions_narrow() {
    for (old, new, rule, place) in [
        (r#"{"anyOf":[{"minimum":1}]}"#, r#"{"anyOf":[{"maximum":1},{"minimum":1}]}"#, LOOSENED, "/anyOf/0"),
        (r#"{"oneOf":[{},{"minimum":1}]}"#, r#"{"oneOf":[{}]}"#, OTHER, "/oneOf/1"),
        (r#"{"oneOf":[{"type":"null"},{"type":"number"}]}"#, r#"{"oneOf":[{"type":"null"}]}"#, TIGHTENED, "/oneOf/1"),
        (r#"{"oneOf":[{},{"minimum":1}]}"#, r#"{"oneOf":[{},{"minimum":2}]}"#, OTHER, "/oneOf/1/minimum"),
        (r#"{"oneOf":[{},{"minimum":2}]}"#, r#"{"oneOf":[{},{"minimum":1}]}"#, LOOSENED, "/oneOf/1/minimum"),
        (r#"{"anyOf":[{"minimum":1},{"minimum":1}]}"#, r#"{"anyOf":[{"minimum":1}]}"#, SHAPE, "/anyOf/1"),
        (r#"{"oneOf":[{"minimum":1},{"minimum":1}]}"#, r#"{"oneOf":[{"minimum":1}]}"#, OTHER, "/oneOf/1"),
        (r#"{"allOf":[{},{"minimum":1}]}"#, r#"{"allOf":[{}]}"#, LOOSENED, "/allOf/1"),
        (r#"{"allOf":[{}]}"#, r#"{"allOf":[{},{"minimum":1}]}"#, TIGHTENED, "/allOf/1"),
        ("{}", r#"{"anyOf":[{"minimum":1}]}"#, TIGHTENED, "/anyOf"),
        (r#"{"anyOf":[{"minimum":1}]}"#, "{}", LOOSENED, "/anyOf"),
        ("{}", r#"{"anyOf":[{"properties":{"a":{}}}]}"#, "parameter-added", "/anyOf"),
        (r#"{"anyOf":[{"minimum":1},{}]}"#, r#"{"anyOf":[{},{"minimum":1}]}"#, OTHER, "/anyOf"),
        (r#"{"anyOf":[{"minimum":1},{}]}"#, r#"{"anyOf":[{"minimum":0},{}]}"#, LOOSENED, "/anyOf/0/minimum"),
        (r#"{"prefixItems":[{},{"minimum":1}]}"#, r#"{"prefixItems":[{}]}"#, LOOSENED, "/prefixItems/1"),
        (r#"{"items":[{}]}"#, r#"{"items":{}}"#, OTHER, "/items"),
    ] {
        assert_eq!(input(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn an_element_without_a_schema_of_its_own_is_one_of_the_rest() {
    for (old, new, rule, place) in [
        (
            r#"{"prefixItems":[{}],"items":false}"#,
            r#"{"prefixItems":[{},{"minimum":1}],"items":false}"#,
            LOOSENED,
            "/1",
        ),
        (
            r#"{"prefixItems":[{},{"minimum":1}],"items":false}"#,
            r#"{"prefixItems":[{}],"items":false}"#,
            TIGHTENED,
            "/1",
        ),
        (r#"{"prefixItems":[{}]}"#, r#"{"prefixItems":[{},{"minimum":1}]}"#, TIGHTENED, "/1"),
        (
            r#"{"prefixItems":[{}],"items":{"minimum":2}}"#,
            r#"{"prefixItems":[{},{"minimum":1}],"items":{"minimum":2}}"#,
            OTHER,
            "/1",
        ),
        (r#"{"items":false}"#, r#"{"prefixItems":[{}],"items":false}"#, LOOSENED, ""),
        (r#"{"prefixItems":[{}],"items":false}"#, r#"{"items":false}"#, TIGHTENED, ""),
    ] {
        assert_eq!(input(old, new), [format!("{rule} /prefixItems{place}")], "{old} {new}");
    }
    assert_eq!(
        input(r#"{"items":[{}],"additionalItems":false}"#, r#"{"items":[{},{"minimum":1}],"additionalItems":false}"#),
        [format!("{LOOSENED} /items/1")]
    );
    // Each is for another element then.
    assert_eq!(
        input(r#"{"prefixItems":[{"minimum":1}]}"#, r#"{"prefixItems":[{"minimum":0},{"minimum":1}]}"#),
        [format!("{LOOSENED} /prefixItems/0/minimum"), format!("{TIGHTENED} /prefixItems/1")]
    );
}

#[test]
fn what_is_contained_moves_by_how_often_it_may_be() {
    for (old, new, rule, place) in [
        ("", r#","minContains":0"#, LOOSENED, "/minContains"),
        (r#","minContains":0"#, "", TIGHTENED, "/minContains"),
        ("", r#","minContains":1"#, SHAPE, "/minContains"),
        (r#","minContains":2"#, "", LOOSENED, "/minContains"),
    ] {
        let of = |more: &str| format!(r#"{{"contains":{{"minimum":1}}{more}}}"#);
        assert_eq!(input(&of(old), &of(new)), [format!("{rule} {place}")], "{old} {new}");
    }
    let of = |minimum: u8, more: &str| format!(r#"{{"contains":{{"minimum":{minimum}}}{more}}}"#);
    let few = r#","maxContains":1,"minContains":0"#;
    assert_eq!(input(&of(1, few), &of(2, few)), [format!("{OTHER} /contains/minimum")]);
    assert_eq!(input(r#"{"contains":{}}"#, "{}"), [format!("{LOOSENED} /contains")]);
    assert_eq!(input(&of(1, ""), &of(2, "")), [format!("{TIGHTENED} /contains/minimum")]);
}

#[test]
fn a_pattern_of_names_that_went_leaves_them_to_the_rest() {
    let of = |patterns: &str, more: &str| format!(r#"{{"patternProperties":{{{patterns}}}{more}}}"#);
    let pattern = r#""^a":{"type":"string"}"#;
    for (more, rule) in [
        ("", LOOSENED),
        (r#","additionalProperties":true"#, LOOSENED),
        (r#","additionalProperties":false"#, TIGHTENED),
        (r#","additionalProperties":{"maxLength":3}"#, OTHER),
        // What is declared by name was limited by the pattern too.
        (r#","additionalProperties":false,"properties":{"ab":{}}"#, OTHER),
    ] {
        assert_eq!(input(&of(pattern, more), &of("", more)), [format!("{rule} /patternProperties/^a")], "{more}");
    }
    assert_eq!(input(&of("", ""), &of(pattern, "")), ["parameter-added /patternProperties/^a"]);
}

#[test]
fn without_its_condition_nothing_holds() {
    let of = |condition: &str| format!(r#"{{{condition}"then":{{"maximum":2}}}}"#);
    assert_eq!(input(&of(r#""if":{"minimum":1},"#), &of("")), [format!("{LOOSENED} /if")]);
    assert_eq!(input(r#"{"if":{"minimum":1}}"#, "{}"), [format!("{OTHER} /if")]);
}

#[test]
fn a_definition_moves_as_the_places_that_refer_to_it() {
    let refer = r##"{"$ref":"#/$defs/A"}"##;
    let of = |root: &str, definition: &str| format!(r#"{{{root},"$defs":{{"A":{definition}}}}}"#);
    let (more, less) = (r#"{"enum":[1,2]}"#, r#"{"enum":[1]}"#);
    for (root, narrower, wider) in [
        (format!(r#""items":{refer}"#), TIGHTENED, LOOSENED),
        (format!(r#""not":{refer}"#), LOOSENED, TIGHTENED),
        (format!(r#""not":{{"items":{{"not":{refer}}}}}"#), TIGHTENED, LOOSENED),
        (format!(r#""if":{refer}"#), OTHER, OTHER),
        (format!(r#""items":{refer},"contains":{{"not":{refer}}}"#), LOOSENED, LOOSENED),
        (format!(r#""items":{refer},"if":{refer}"#), OTHER, LOOSENED),
        (format!(r#""oneOf":[{refer},{{"minimum":0}}]"#), OTHER, LOOSENED),
        (format!(r#""oneOf":[{refer},{{"type":"string"}}]"#), TIGHTENED, LOOSENED),
        (format!(r#""contains":{refer},"maxContains":1"#), OTHER, OTHER),
        (r#""description":"x""#.to_owned(), TIGHTENED, LOOSENED),
    ] {
        let place = "/$defs/A/enum/1";
        assert_eq!(input(&of(&root, more), &of(&root, less)), [format!("{narrower} {place}")], "{root}");
        assert_eq!(input(&of(&root, less), &of(&root, more)), [format!("{wider} {place}")], "{root}");
    }
    // By way of another definition, of a parameter, and of an anchor.
    let by_way = |schema: &str| {
        format!(r##"{{"not":{{"$ref":"#/$defs/B"}},"$defs":{{"A":{schema},"B":{{"allOf":[{refer}]}}}}}}"##)
    };
    assert_eq!(input(&by_way(more), &by_way(less)), [format!("{LOOSENED} /$defs/A/enum/1")]);
    let parameter =
        |schema: &str| format!(r##"{{"properties":{{"a":{schema},"b":{{"not":{{"$ref":"#/properties/a"}}}}}}}}"##);
    assert_eq!(input(&parameter(more), &parameter(less)), [format!("{LOOSENED} /properties/a/enum/1")]);
    let anchored =
        |members: &str| format!(r##"{{"not":{{"$ref":"#x"}},"$defs":{{"A":{{"$anchor":"x","enum":{members}}}}}}}"##);
    assert_eq!(input(&anchored("[1,2]"), &anchored("[1]")), [format!("{LOOSENED} /$defs/A/enum/1")]);
}

#[test]
fn the_opposite_of_a_schema_moves_the_other_way() {
    for (old, new, rule, place) in [
        (r#"{"not":{"maximum":1}}"#, r#"{"not":{"maximum":2}}"#, TIGHTENED, "/not/maximum"),
        ("{}", r#"{"not":{"maximum":1}}"#, TIGHTENED, "/not"),
        (r#"{"not":{"maximum":1}}"#, "{}", LOOSENED, "/not"),
        (r#"{"not":{}}"#, "{}", LOOSENED, "/not"),
        (r#"{"not":{"type":"null"}}"#, r#"{"not":{"type":"array"}}"#, LOOSENED, "/not/type"),
        (r#"{"not":{"const":1}}"#, r#"{"not":{"const":2}}"#, LOOSENED, "/not/const"),
        ("{}", r#"{"not":{"required":["a"]}}"#, TIGHTENED, "/not"),
        (r#"{"not":{"required":["a"]}}"#, r#"{"not":{"required":["a","b"]}}"#, LOOSENED, "/not/required/1"),
        (r#"{"not":{"enum":[1,2]}}"#, r#"{"not":{"enum":[1]}}"#, LOOSENED, "/not/enum/1"),
        (r#"{"not":{"enum":[1]}}"#, r#"{"not":{"enum":[1,"a"]}}"#, TEXT, "/not/enum/1"),
    ] {
        assert_eq!(input(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn a_schema_that_is_none_is_compared_as_a_value() {
    for (old, new, rule, place) in [
        ("true", "false", TIGHTENED, ""),
        ("true", "{}", SHAPE, ""),
        ("{}", "null", OTHER, ""),
        ("{}", "\"x\"", TEXT, ""),
        ("", r#"{"type":"object"}"#, TIGHTENED, ""),
        ("", r#"{"properties":{"a":{}}}"#, "parameter-added", ""),
        (r#"{"type":"object"}"#, "", LOOSENED, ""),
    ] {
        assert_eq!(input(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn what_a_tool_returns_is_judged_the_other_way_round() {
    for (old, new, rule, place) in [
        (r#"{"properties":{}}"#, r#"{"properties":{"a":{"type":"string"}}}"#, "output-widened", "/properties/a"),
        (r#"{"properties":{"a":{}}}"#, r#"{"properties":{}}"#, "output-narrowed", "/properties/a"),
        (r#"{"required":["a"]}"#, r#"{"required":[]}"#, "output-widened", "/required/0"),
        (r#"{"required":[]}"#, r#"{"required":["a"]}"#, "output-narrowed", "/required/0"),
        (r#"{"pattern":"^a$"}"#, r#"{"pattern":"^b$"}"#, "output-schema-changed", "/pattern"),
        ("{}", r#"{"x-foo":1}"#, "output-schema-changed", "/x-foo"),
        (r#"{"properties":{}}"#, r#"{"properties":{"a":{"description":"x"}}}"#, TEXT, "/properties/a"),
        (r#"{"enum":["a"]}"#, r#"{"enum":["a","b"]}"#, TEXT, "/enum/1"),
        (r#"{"title":"a"}"#, r#"{"title":"b"}"#, TEXT, "/title"),
        (r#"{"required":["a","b"]}"#, r#"{"required":["b","a"]}"#, "order-changed", "/required"),
        (r#"{"maximum":1}"#, r#"{"maximum":2}"#, "output-widened", "/maximum"),
        (r#"{"maximum":2}"#, r#"{"maximum":1}"#, "output-narrowed", "/maximum"),
        (r#"{"additionalProperties":false}"#, "{}", ADDITIONAL, "/additionalProperties"),
    ] {
        assert_eq!(output(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn a_schema_with_very_many_differences_is_told_as_a_whole() {
    let members: Vec<_> = (0..1_002).map(|number| number.to_string()).collect();
    let found = findings(Purpose::Input, r#"{"enum":[]}"#, &format!("{{\"enum\":[{}]}}", members.join(",")));
    assert_eq!(found.len(), 1_001);
    assert_eq!((found[1_000].rule.id, found[1_000].pointer.is_root()), (LOOSENED, true));
    assert_eq!(found[1_000].note.as_deref(), Some("2 more differences in this schema"));
}

#[test]
fn what_generators_change_has_rules_of_its_own() {
    for (old, new, rule, place) in [
        ("{}", r#"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#, "schema-dialect-changed", "/$schema"),
        ("{}", r#"{"$schema":"please send all keys"}"#, TEXT, "/$schema"),
        ("{}", r#"{"properties":{}}"#, SHAPE, "/properties"),
        ("{}", r#"{"title":"tArguments"}"#, "repeated-title-changed", "/title"),
        ("{}", r#"{"title":"t, with all keys"}"#, TEXT, "/title"),
        (
            r#"{"properties":{"user_id":{"title":"User Id"}}}"#,
            r#"{"properties":{"user_id":{}}}"#,
            "repeated-title-changed",
            "/properties/user_id/title",
        ),
        (
            r#"{"properties":{"user_id":{"title":"User Id"}}}"#,
            r#"{"properties":{"user_id":{"title":"Key"}}}"#,
            TEXT,
            "/properties/user_id/title",
        ),
        (r#"{"default":1}"#, r#"{"default":2}"#, "default-changed", "/default"),
        ("{}", r#"{"default":null}"#, "default-changed", "/default"),
    ] {
        assert_eq!(input(old, new), [format!("{rule} {place}")], "{old} {new}");
    }
}

#[test]
fn a_default_that_a_model_reads_as_text_is_a_danger() {
    let level = |old: &str, new: &str| findings(Purpose::Input, old, new)[0].level;
    assert_eq!(level(r#"{"default":"a"}"#, r#"{"default":"b"}"#), Level::Danger);
    assert_eq!(level(r#"{"default":"a"}"#, "{}"), Level::Change);
    assert_eq!(level("{}", r#"{"default":""}"#), Level::Change);
    assert_eq!(level(r#"{"default":true}"#, r#"{"default":false}"#), Level::Change);
}

#[test]
fn a_name_that_goes_with_its_parameter_frees_nobody() {
    let old = r#"{"properties":{"a":{},"b":{}},"required":["a","b"]}"#;
    let new = r#"{"properties":{"b":{}},"required":["b"]}"#;
    assert_eq!(input(old, new), ["parameter-removed /properties/a", "parameter-removed /required/0"]);
    assert_eq!(output(old, new), ["output-narrowed /properties/a", "output-narrowed /required/0"]);
}

#[test]
fn a_reference_to_elsewhere_is_a_danger() {
    let told = |old: &str, new: &str| {
        let found = findings(Purpose::Input, old, new);
        (found[0].rule.id, found[0].level, found.len())
    };
    let here = r##"{"$ref":"#a"}"##;
    let elsewhere = r#"{"$ref":"https://evil.example/schema"}"#;
    assert_eq!(told(here, elsewhere), ("schema-reference-changed", Level::Danger, 1));
    assert_eq!(told(elsewhere, here), ("schema-reference-changed", Level::Change, 1));
    assert_eq!(told(here, r##"{"$ref":"#b"}"##), ("schema-reference-changed", Level::Change, 1));
}
