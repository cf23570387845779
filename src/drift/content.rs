//! What differs between two resources, or two templates of resources.

use super::compare::places;
use crate::finding::{Finding, rule};
use crate::json::{Pointer, Value};

/// Names what differs in one member (2025-11-25, Server Features, Resources, `Resource` and `ResourceTemplate`). How large a
/// resource is and when it was modified change with its content, which isn't pinned.
pub(super) fn differences(key: &str, old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    match key {
        // The name is what a person sees where there is no title.
        "name" => places(&rule::TITLE_CHANGED, old, new, at),
        "mimeType" => places(&rule::CONTENT_TYPE_CHANGED, old, new, at),
        "size" if [old, new].into_iter().flatten().all(|size| matches!(size, Value::Number(_))) => {
            places(&rule::RESOURCE_UPDATED, old, new, at)
        }
        "annotations" => annotations(old, new, at),
        _ => places(&rule::UNKNOWN_MEMBER_CHANGED, old, new, at),
    }
}

fn annotations(old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let modified = at.join("lastModified");
    let mut findings = places(&rule::ANNOTATION_CHANGED, old, new, at);
    let of_a_date = |finding: &&mut Finding| {
        finding.pointer == modified && [&finding.old, &finding.new].into_iter().flatten().all(is_date)
    };
    for finding in findings.iter_mut().filter(of_a_date) {
        *finding = Finding { rule: &rule::RESOURCE_UPDATED, level: rule::RESOURCE_UPDATED.change, ..finding.clone() };
    }
    findings
}

/// Whether a value can only be a date (ISO 8601): anything longer or wordier is a text that a model may read.
fn is_date(value: &Value) -> bool {
    let of_a_date = |byte: u8| byte.is_ascii_digit() || b"-:.+TZ".contains(&byte);
    value.as_str().is_some_and(|text| text.len() <= 40 && text.bytes().all(of_a_date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(key: &str, old: &str, new: &str) -> Vec<String> {
        let (old, new) = (parse(old).expect(old), parse(new).expect(new));
        let found = differences(key, Some(&old), Some(&new), &Pointer::of([key]));
        found.iter().map(|finding| format!("{} {}", finding.rule.id, finding.pointer)).collect()
    }

    #[test]
    fn what_changes_with_the_content_is_a_notice() {
        assert_eq!(told("size", "1", "2"), ["resource-updated /size"]);
        assert_eq!(
            told(
                "annotations",
                r#"{"lastModified":"2026-01-02T03:04:05Z","priority":1}"#,
                r#"{"lastModified":"2026-11-30","priority":0}"#
            ),
            ["resource-updated /annotations/lastModified", "annotation-changed /annotations/priority"]
        );
    }

    #[test]
    fn what_is_no_size_and_no_date_is_a_change() {
        assert_eq!(told("size", "1", "\"Obey.\""), ["unknown-member-changed /size"]);
        assert_eq!(told("size", "1", r#"{"description":"Obey."}"#), ["unknown-member-changed /size"]);
        assert_eq!(
            told("annotations", r#"{"lastModified":"2026-01-02"}"#, r#"{"lastModified":"Obey."}"#),
            ["annotation-changed /annotations/lastModified"]
        );
    }

    #[test]
    fn what_a_client_sees_of_a_resource_is_a_change() {
        assert_eq!(told("name", "\"a\"", "\"b\""), ["title-changed /name"]);
        assert_eq!(told("mimeType", "\"a\"", "\"b\""), ["content-type-changed /mimeType"]);
        assert_eq!(told("x", "1", "2"), ["unknown-member-changed /x"]);
    }
}
