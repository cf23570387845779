//! Characters in a text that a reviewer can't see.

use std::collections::{BTreeMap, HashSet};

use crate::finding::{Finding, rule};
use crate::json::{Pointer, Value};
use crate::text;

/// Names every string and key of `new` that holds hidden characters which the old value did not hold in that place, nor
/// anywhere as the same text.
pub(super) fn differences(old: Option<&Value>, new: &Value, at: &Pointer) -> Vec<Finding> {
    let mut known = HashSet::new();
    if let Some(old) = old {
        collect_texts(old, &mut known);
    }
    let mut findings = Vec::new();
    walk(old, new, at, &known, &mut findings);
    findings
}

fn collect_texts<'v>(value: &'v Value, texts: &mut HashSet<&'v str>) {
    match value {
        Value::String(text) => {
            texts.insert(text);
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_texts(element, texts)),
        Value::Object(object) => {
            for (key, member) in object.iter() {
                texts.insert(key);
                collect_texts(member, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn walk(old: Option<&Value>, new: &Value, at: &Pointer, known: &HashSet<&str>, findings: &mut Vec<Finding>) {
    match new {
        Value::String(text) if !known.contains(text.as_str()) => {
            let before = old.and_then(Value::as_str);
            let count = counted(before.unwrap_or_default(), text);
            if !count.is_empty() {
                let finding = Finding::new(&rule::HIDDEN_CHARACTERS).at(at.clone()).noting(spelled(&count));
                findings.push(finding.between(before.map(Value::from), Some(new.clone())));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let old = old.and_then(Value::as_array).and_then(|elements| elements.get(index));
                walk(old, element, &at.join(index), known, findings);
            }
        }
        Value::Object(object) => {
            for (key, member) in object.iter() {
                let at = at.join(key);
                let count = if known.contains(key) { BTreeMap::new() } else { hidden(key) };
                if !count.is_empty() {
                    let note = format!("in the key: {}", spelled(&count));
                    let finding = Finding::new(&rule::HIDDEN_CHARACTERS).at(at.clone()).noting(note);
                    findings.push(finding.between(None, Some(Value::from(key))));
                }
                walk(old.and_then(|old| old.get(key)), member, &at, known, findings);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many more of each hidden character the new text has.
fn counted(old: &str, new: &str) -> BTreeMap<char, usize> {
    let before = hidden(old);
    let more = |(character, count): (char, usize)| {
        let rest = count.saturating_sub(before.get(&character).copied().unwrap_or_default());
        (rest > 0).then_some((character, rest))
    };
    hidden(new).into_iter().filter_map(more).collect()
}

/// The counts as a report has them: `2 × \u{200b} ZERO WIDTH SPACE`.
fn spelled(count: &BTreeMap<char, usize>) -> String {
    const MOST: usize = 5;
    let mut parts: Vec<_> =
        count.iter().take(MOST).map(|(character, count)| format!("{count} × {}", text::spelled(*character))).collect();
    if count.len() > MOST {
        parts.push(format!("{} more kinds", count.len() - MOST));
    }
    parts.join(", ")
}

/// The hidden characters of a text: those of the table that nothing ordinary explains.
fn hidden(text: &str) -> BTreeMap<char, usize> {
    let mut count = BTreeMap::new();
    let mut before = ['\0', '\0'];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or('\0');
        if text::is_invisible(character) && !is_ordinary(before, character, after) {
            *count.entry(character).or_default() += 1;
        }
        before = [before[1], character];
    }
    count
}

/// Whether an invisible character is what honest writing needs in this place, `before` being the two characters before
/// it: a tab, the end of a line, a part of an emoji, or the joiner between letters of a script that joins them.
fn is_ordinary(before: [char; 2], character: char, after: char) -> bool {
    match character {
        '\t' => true,
        '\r' => after == '\n',
        // The presentation of the emoji or the keycap right before it (UTS #51, 1.4.3 and 1.4.6).
        '\u{fe0f}' | '\u{fe0e}' => {
            is_emoji(before[1]) || (matches!(before[1], '0'..='9' | '#' | '*') && after == '\u{20e3}')
        }
        '\u{200d}' if is_emoji(after) => is_emoji(before[1]) || (before[1] == '\u{fe0f}' && is_emoji(before[0])),
        '\u{200c}' | '\u{200d}' => joins(before[1]) && joins(after),
        _ => false,
    }
}

/// Whether a character can be drawn as an emoji. Coarser than Unicode's own table: it only decides what is harmless.
fn is_emoji(character: char) -> bool {
    matches!(character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2934}' | '\u{2935}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a letter's script uses joiners in its spelling: Arabic and its neighbours, and the scripts of India.
fn joins(character: char) -> bool {
    matches!(character, '\u{620}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8c9}' | '\u{900}'..='\u{dff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn notes(old: &str, new: &str) -> Vec<String> {
        let old = (!old.is_empty()).then(|| parse(old).expect(old));
        differences(old.as_ref(), &parse(new).expect(new), &Pointer::root())
            .into_iter()
            .map(|finding| format!("{} {}", finding.pointer, finding.note.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn hidden_characters_are_counted_and_named() {
        assert_eq!(
            notes("", r#"{"a":"x\u200by\u200bz\udb40\udc41"}"#),
            ["/a 2 × \\u{200b} ZERO WIDTH SPACE, 1 × \\u{e0041} TAG CHARACTER"]
        );
    }

    #[test]
    fn keys_hide_as_well_as_values() {
        let found = notes(r#"{"ab":1}"#, r#"{"a\u2060b":1}"#);
        assert_eq!(found, ["/a\u{2060}b in the key: 1 × \\u{2060} WORD JOINER"]);
    }

    #[test]
    fn what_was_approved_is_not_named_again() {
        assert!(notes(r#"{"a":"x\u200b"}"#, r#"{"a":"x\u200b!"}"#).is_empty());
        assert!(notes(r#"["x\u200b"]"#, r#"["new","x\u200b"]"#).is_empty());
        assert_eq!(notes(r#"{"a":"x\u200b"}"#, r#"{"a":"x\u200b\u200b"}"#), ["/a 1 × \\u{200b} ZERO WIDTH SPACE"]);
    }

    #[test]
    fn ordinary_writing_hides_nothing() {
        for honest in [
            r#""a\tb\r\nc""#,
            "\"❤\u{fe0f} 1\u{fe0f}\u{20e3} 👩\u{200d}💻 👁\u{fe0f}\u{200d}🗨\u{fe0f}\"",
            "\"می\u{200c}خواهم\"",
        ] {
            assert_eq!(notes("", honest), Vec::<String>::new());
        }
        for hidden in [r#""a\rb""#, "\"a\u{fe0f}\"", "\"❤\u{fe0f}\u{fe0f}\"", "\"a\u{200d}b\"", "\"a\u{a0}b\""] {
            assert_eq!(notes("", hidden).len(), 1, "{hidden}");
        }
    }
}
