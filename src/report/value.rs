//! A finding's values as the lines that show what differs.

use super::difference::{Line, Part, Sign, between, whole};
use crate::finding::{Finding, rule};
use crate::json::{Object, Value, canonical};
use crate::text;

/// The lines of one finding, none where its heading says it all.
pub(super) fn lines(finding: &Finding) -> Vec<Line> {
    let id = finding.rule.id;
    if id == rule::HIDDEN_CHARACTERS.id {
        finding.new.as_ref().and_then(Value::as_str).map(excerpt).into_iter().collect()
    } else if id == rule::DUPLICATE_NAME.id {
        duplicates(finding.new.as_ref().or(finding.old.as_ref()))
    } else if id == rule::TOOL_ADDED.id || id == rule::TOOL_REMOVED.id {
        definitions(finding.old.as_ref(), finding.new.as_ref())
    } else {
        values(finding.old.as_ref(), finding.new.as_ref())
    }
}

/// Two values, texts as texts and anything else as canonical JSON.
fn values(old: Option<&Value>, new: Option<&Value>) -> Vec<Line> {
    let sides: Vec<&Value> = old.into_iter().chain(new).collect();
    let show = if sides.iter().all(|side| side.as_str().is_some()) && sides.iter().any(|side| is_prose(side)) {
        |value: &Value| value.as_str().unwrap_or_default().to_owned()
    } else {
        canonical
    };
    texts(old.map(show).as_deref(), new.map(show).as_deref())
}

/// Whether a value reads as a text rather than as a word or a name.
fn is_prose(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(char::is_whitespace))
}

fn texts(old: Option<&str>, new: Option<&str>) -> Vec<Line> {
    match (old, new) {
        (Some(old), Some(new)) => between(old, new),
        (Some(old), None) => whole(Sign::Old, old),
        (None, Some(new)) => whole(Sign::New, new),
        (None, None) => Vec::new(),
    }
}

/// Two definitions, member by member as the lockfile has them: the texts, then the rest.
fn definitions(old: Option<&Value>, new: Option<&Value>) -> Vec<Line> {
    let mut lines = Vec::new();
    for key in ["name", "title", "description"] {
        let (before, after) = (member(old, key), member(new, key));
        if before != after {
            // One member's value is shown as its type demands, whatever its words.
            let show = |value: &Value| value.as_str().map_or_else(|| canonical(value), str::to_owned);
            let texts = texts(before.map(show).as_deref(), after.map(show).as_deref());
            lines.extend(texts.into_iter().map(|line| labelled(key, line)));
        }
    }
    let (before, after) = (old.map(rest), new.map(rest));
    if before != after {
        lines.extend(texts(before.as_deref(), after.as_deref()));
    }
    lines
}

fn member<'a>(definition: Option<&'a Value>, key: &str) -> Option<&'a Value> {
    definition?.get(key)
}

fn labelled(key: &str, mut line: Line) -> Line {
    line.parts.insert(0, Part::Own(format!("{key}: ")));
    line
}

/// The canonical text of what a definition has beside its texts.
fn rest(definition: &Value) -> String {
    let members = definition.as_object().into_iter().flat_map(Object::iter);
    let rest = members.filter(|(key, _)| !["name", "title", "description"].contains(key));
    canonical(&Value::Object(rest.map(|(key, value)| (key.to_owned(), value.clone())).collect()))
}

/// Several definitions of one name: the first, and how each further one differs from it.
fn duplicates(definitions_of_one_name: Option<&Value>) -> Vec<Line> {
    let Some(Value::Array(all)) = definitions_of_one_name else { return values(None, definitions_of_one_name) };
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let own = |words: &str| Line { sign: Sign::Both, parts: vec![Part::Own(words.to_owned())] };
    let mut lines = Vec::new();
    for other in others {
        if first == other {
            lines.push(own("the same definition twice:"));
            lines.extend(definitions(None, Some(first)));
        } else {
            lines.push(own("one of them (-) beside the other (+):"));
            lines.extend(definitions(Some(first), Some(other)));
        }
    }
    lines
}

/// The part of a text around its first invisible character.
fn excerpt(text: &str) -> Line {
    const BESIDE: usize = 30;
    let place = text.chars().position(text::is_invisible).unwrap_or_default();
    let start = place.saturating_sub(BESIDE);
    let shown: String = text.chars().skip(start).take(2 * BESIDE).collect();
    let own = |words: &str| Part::Own(words.to_owned());
    let mut parts = Vec::new();
    parts.extend((start > 0).then(|| own("… ")));
    parts.push(Part::Same(shown));
    parts.extend((text.chars().nth(start + 2 * BESIDE).is_some()).then(|| own(" …")));
    Line { sign: Sign::Both, parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn signs(finding: &Finding) -> Vec<(Sign, usize)> {
        lines(finding).into_iter().map(|line| (line.sign, line.parts.len())).collect()
    }

    fn value(json: &str) -> Option<Value> {
        (!json.is_empty()).then(|| parse(json).expect(json))
    }

    #[test]
    fn texts_are_shown_as_texts_and_other_values_as_json() {
        let shown = |old: &str, new: &str| -> Vec<String> {
            let finding = Finding::new(&rule::META_CHANGED).between(value(old), value(new));
            let text = |part: Part| match part {
                Part::Own(text) | Part::Same(text) | Part::Changed(text) | Part::Alike(text) | Part::Whole(text) => {
                    text
                }
            };
            lines(&finding).into_iter().map(|line| line.parts.into_iter().map(text).collect()).collect()
        };
        assert_eq!(shown("", r#""two words\nand a line""#), ["two words", "and a line"]);
        assert_eq!(shown("", r#""word""#), [r#""word""#]);
        assert_eq!(shown("5", r#""5 a""#), ["5", r#""5 a""#]);
    }

    #[test]
    fn a_renamed_tool_shows_what_else_differs() {
        let finding = Finding::new(&rule::TOOL_ADDED).between(
            value(r#"{"name":"a","description":"same text","inputSchema":{}}"#),
            value(r#"{"name":"b","description":"same text","inputSchema":{}}"#),
        );
        assert_eq!(signs(&finding), [(Sign::Old, 2), (Sign::New, 2)]);
    }

    #[test]
    fn two_definitions_of_one_name_are_shown_beside_each_other() {
        let both = |other: &str| {
            let all = format!(r#"[{{"name":"t","description":"one text"}},{other}]"#);
            lines(&Finding::new(&rule::DUPLICATE_NAME).between(None, value(&all)))
        };
        assert_eq!(both(r#"{"name":"t","description":"one other text"}"#).len(), 3);
        assert_eq!(both(r#"{"name":"t","description":"one text"}"#)[1].sign, Sign::New);
    }

    #[test]
    fn hidden_characters_are_shown_where_they_stand() {
        let text = format!("{}\u{200b}{}", "a".repeat(100), "b".repeat(100));
        let finding = Finding::new(&rule::HIDDEN_CHARACTERS).between(None, Some(Value::from(text)));
        assert_eq!(
            lines(&finding)[0].parts,
            [
                Part::Own("… ".to_owned()),
                Part::Same(format!("{}\u{200b}{}", "a".repeat(30), "b".repeat(29))),
                Part::Own(" …".to_owned())
            ]
        );
    }
}
