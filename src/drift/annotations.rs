//! What differs between two tools' annotations (2025-11-25, Server Features, Tools, `ToolAnnotations`).

use std::collections::BTreeSet;

use super::values::leaves;
use crate::finding::{Finding, Level, Rule, rule};
use crate::json::{Object, Pointer, Value};

/// A hint by which clients decide how freely they call a tool.
struct Hint {
    key: &'static str,
    rule: &'static Rule,
    /// What it means when it is absent.
    default: bool,
    /// The value at which clients ask less; `None` if neither does.
    weak: Option<bool>,
}

static HINTS: [Hint; 4] = [
    Hint { key: "readOnlyHint", rule: &rule::READ_ONLY_HINT_CHANGED, default: false, weak: Some(true) },
    Hint { key: "destructiveHint", rule: &rule::DESTRUCTIVE_HINT_CHANGED, default: true, weak: Some(false) },
    Hint { key: "openWorldHint", rule: &rule::OPEN_WORLD_HINT_CHANGED, default: true, weak: Some(false) },
    Hint { key: "idempotentHint", rule: &rule::IDEMPOTENT_HINT_CHANGED, default: false, weak: None },
];

/// The keys of the hints that are booleans.
pub(super) fn hints() -> impl Iterator<Item = &'static str> {
    HINTS.iter().map(|hint| hint.key)
}

/// Names every difference between two values of `annotations`.
pub(super) fn differences(old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let members = |side: Option<&Value>| match side {
        Some(Value::Object(members)) => Some(members.clone()),
        Some(_) => None,
        None => Some(Object::new()),
    };
    match (members(old), members(new)) {
        (Some(before), Some(after)) if before != after => members_differ(&before, &after, at),
        // An empty object came or went, or one side is no object.
        (before, after) => {
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            let weakened = HINTS.iter().any(|hint| hint.weakens(before.get(hint.key), after.get(hint.key)));
            let level = if weakened { Level::Danger } else { Level::Change };
            vec![
                Finding::new(&rule::ANNOTATION_CHANGED)
                    .at(at.clone())
                    .between(old.cloned(), new.cloned())
                    .at_level(level),
            ]
        }
    }
}

fn members_differ(old: &Object, new: &Object, at: &Pointer) -> Vec<Finding> {
    let mut findings = Vec::new();
    let keys: BTreeSet<&str> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        match HINTS.iter().find(|hint| hint.key == key) {
            Some(hint) => findings.push(hint.difference(before, after, at.join(key))),
            None => findings.extend(leaves(before, after, &at.join(key)).into_iter().map(|leaf| {
                Finding::new(&rule::ANNOTATION_CHANGED).at(leaf.pointer).between(leaf.old.cloned(), leaf.new.cloned())
            })),
        }
    }
    findings
}

impl Hint {
    fn difference(&self, old: Option<&Value>, new: Option<&Value>, at: Pointer) -> Finding {
        let finding = Finding::new(self.rule).at(at).between(old.cloned(), new.cloned());
        let finding = if self.weakens(old, new) { finding.at_level(Level::Danger) } else { finding };
        match (self.note(old, new), finding.level) {
            (Some(note), _) => finding.noting(note),
            (None, Level::Danger) => finding.noting("a safety hint is weaker than what was approved"),
            (None, _) => finding,
        }
    }

    /// Whether a client may ask less after this change. A value of another type counts as whatever some client would
    /// make of it.
    fn weakens(&self, old: Option<&Value>, new: Option<&Value>) -> bool {
        let Some(weak) = self.weak else { return false };
        let was_weak = old.map_or(Some(self.default), Value::as_bool) == Some(weak);
        let may_be_weak = match new {
            None => self.default == weak,
            Some(value) => may_read_as(value, weak),
        };
        may_be_weak && !was_weak
    }

    fn note(&self, old: Option<&Value>, new: Option<&Value>) -> Option<String> {
        match (old, new) {
            (_, Some(value)) if value.as_bool().is_none() => {
                let read = match (may_read_as(value, true), may_read_as(value, false)) {
                    (true, true) => "`true` or `false`",
                    (true, false) => "`true`",
                    (false, _) => "`false`",
                };
                Some(format!("not a boolean; a lenient client may read it as {read}"))
            }
            (Some(Value::Bool(value)), None) | (None, Some(Value::Bool(value))) if *value == self.default => {
                Some(format!("`{value}` is the specification's default, so clients see no difference"))
            }
            (None, Some(_)) | (Some(_), None) => Some(format!("the specification's default is `{}`", self.default)),
            _ => None,
        }
    }
}

/// Whether some client may read a value as this boolean: by truth as scripting languages have it, or by its word.
fn may_read_as(value: &Value, wanted: bool) -> bool {
    match value {
        Value::Bool(value) => *value == wanted,
        Value::Null => !wanted,
        Value::Number(number) => (number.as_str() != "0") == wanted,
        Value::String(word) if word.is_empty() => !wanted,
        Value::String(word) => wanted || matches!(word.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0"),
        // Empty containers are false to some languages and true to others.
        Value::Array(elements) => wanted || elements.is_empty(),
        Value::Object(members) => wanted || members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(old: &str, new: &str) -> Vec<(&'static str, Level, String)> {
        let value = |json: &str| (!json.is_empty()).then(|| parse(json).expect(json));
        differences(value(old).as_ref(), value(new).as_ref(), &Pointer::of(["annotations"]))
            .into_iter()
            .map(|finding| (finding.rule.id, finding.level, finding.pointer.to_string()))
            .collect()
    }

    fn one(rule: &'static str, level: Level, pointer: &str) -> Vec<(&'static str, Level, String)> {
        vec![(rule, level, format!("/annotations{pointer}"))]
    }

    #[test]
    fn a_weakened_hint_is_a_danger_and_a_strengthened_one_a_change() {
        for (key, weak) in [("readOnlyHint", true), ("destructiveHint", false), ("openWorldHint", false)] {
            let (weak, strong) = (format!(r#"{{"{key}":{weak}}}"#), format!(r#"{{"{key}":{}}}"#, !weak));
            assert_eq!(told(&strong, &weak)[0].1, Level::Danger, "{key}");
            assert_eq!(told(&weak, &strong)[0].1, Level::Change, "{key}");
        }
    }

    #[test]
    fn an_absent_hint_has_the_specification_s_default() {
        let destructive = "destructive-hint-changed";
        assert_eq!(told("", r#"{"destructiveHint":false}"#), one(destructive, Level::Danger, "/destructiveHint"));
        assert_eq!(told("{}", r#"{"destructiveHint":true}"#), one(destructive, Level::Change, "/destructiveHint"));
        assert_eq!(told(r#"{"destructiveHint":false}"#, ""), one(destructive, Level::Change, "/destructiveHint"));
        assert_eq!(told("", r#"{"readOnlyHint":true}"#)[0].1, Level::Danger);
        assert_eq!(told(r#"{"openWorldHint":true}"#, r#"{"openWorldHint":false}"#)[0].0, "open-world-hint-changed");
    }

    #[test]
    fn repeating_more_freely_is_a_change() {
        let idempotent = "idempotent-hint-changed";
        assert_eq!(told("", r#"{"idempotentHint":true}"#), one(idempotent, Level::Change, "/idempotentHint"));
    }

    #[test]
    fn a_mistyped_hint_is_judged_by_the_most_lenient_client() {
        assert_eq!(told("", r#"{"destructiveHint":"false"}"#)[0].1, Level::Danger);
        assert_eq!(told("", r#"{"destructiveHint":null}"#)[0].1, Level::Danger);
        assert_eq!(told("", r#"{"readOnlyHint":"yes"}"#)[0].1, Level::Danger);
        assert_eq!(told("", r#"{"readOnlyHint":0}"#)[0].1, Level::Change);
    }

    #[test]
    fn other_members_are_told_one_by_one() {
        assert_eq!(told(r#"{"title":"a"}"#, r#"{"title":"b"}"#), one("annotation-changed", Level::Change, "/title"));
        assert_eq!(told("", "{}"), one("annotation-changed", Level::Change, ""));
        assert_eq!(told("{}", "null"), one("annotation-changed", Level::Change, ""));
        assert_eq!(told("null", r#"{"readOnlyHint":true}"#), one("annotation-changed", Level::Danger, ""));
    }
}
