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
        "size" => places(&rule::RESOURCE_UPDATED, old, new, at),
        "annotations" => annotations(old, new, at),
        _ => places(&rule::UNKNOWN_MEMBER_CHANGED, old, new, at),
    }
}

fn annotations(old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let modified = at.join("lastModified");
    let mut findings = places(&rule::ANNOTATION_CHANGED, old, new, at);
    for finding in findings.iter_mut().filter(|finding| finding.pointer == modified) {
        *finding = Finding { rule: &rule::RESOURCE_UPDATED, level: rule::RESOURCE_UPDATED.change, ..finding.clone() };
    }
    findings
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
            told("annotations", r#"{"lastModified":"a","priority":1}"#, r#"{"lastModified":"b","priority":0}"#),
            ["resource-updated /annotations/lastModified", "annotation-changed /annotations/priority"]
        );
    }

    #[test]
    fn what_a_client_sees_of_a_resource_is_a_change() {
        assert_eq!(told("name", "\"a\"", "\"b\""), ["title-changed /name"]);
        assert_eq!(told("mimeType", "\"a\"", "\"b\""), ["content-type-changed /mimeType"]);
        assert_eq!(told("x", "1", "2"), ["unknown-member-changed /x"]);
    }
}
