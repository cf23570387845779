//! Whether two readings of one server agree.

use super::compare::surfaces;
use crate::finding::{Finding, rule};
use crate::surface::Surface;

/// Names what differs between two readings of the same server; `old` is the first reading, `new` the second.
///
/// What would be a notice against a lockfile is none here either: another order of names that have no order is the same
/// listing.
pub fn unstable(first: &Surface, second: &Surface) -> Vec<Finding> {
    let mut findings = Vec::new();
    for inner in surfaces(first, second) {
        // Two equal pairs of one name are no difference between the readings; hidden characters accompany one.
        let same = inner.rule.id == rule::DUPLICATE_NAME.id && inner.old == inner.new;
        if same || inner.rule.id == rule::HIDDEN_CHARACTERS.id || !inner.level.fails() {
            continue;
        }
        let note = match &inner.note {
            Some(note) => format!("between two readings: {}; {note}", inner.rule.id),
            None => format!("between two readings: {}", inner.rule.id),
        };
        findings.push(
            Finding { rule: &rule::UNSTABLE_LISTING, level: rule::UNSTABLE_LISTING.change, ..inner }.noting(note),
        );
    }
    super::order::sort(&mut findings);
    findings
}

/// Whether the second reading has all that the first had, unchanged, and more: a server that registers its items late.
pub fn grew(first: &Surface, second: &Surface) -> bool {
    let mut later = second.items.iter();
    // Both lists are sorted alike, so one pass finds each item of the first.
    let kept = first.items.iter().all(|item| {
        later.any(|other| (other.kind, &other.name, &other.digest) == (item.kind, &item.name, &item.digest))
    });
    kept && second.items.len() > first.items.len() && first.protocol == second.protocol && first.about == second.about
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::surface::{About, Item, Kind};

    fn surface(items: &[&str]) -> Surface {
        let items = items.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        Surface::new("2025-11-25".to_owned(), About::default(), items)
    }

    const A: &str = r#"{"name":"a","inputSchema":{"required":["x","y"]}}"#;

    #[test]
    fn readings_that_differ_are_unstable_whatever_differs() {
        let second = surface(&[r#"{"name":"a","description":"x","inputSchema":{"required":["x","y"]}}"#]);
        let found = unstable(&surface(&[A]), &second);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].rule.id, found[0].level), ("unstable-listing", Level::Danger));
        assert_eq!(found[0].pointer.to_string(), "/description");
        assert_eq!(found[0].note.as_deref(), Some("between two readings: description-changed"));
    }

    #[test]
    fn readings_that_agree_are_stable() {
        let reordered = surface(&[r#"{"name":"a","inputSchema":{"required":["y","x"]}}"#]);
        assert!(unstable(&surface(&[A]), &surface(&[A])).is_empty());
        assert!(unstable(&surface(&[A]), &reordered).is_empty());
        let twice = surface(&[A, r#"{"name":"a"}"#]);
        assert!(unstable(&twice, &twice).is_empty());
        assert_eq!(unstable(&twice, &surface(&[A])).len(), 1);
    }

    #[test]
    fn a_listing_grew_when_it_only_got_more() {
        let b = r#"{"name":"b"}"#;
        assert!(grew(&surface(&[]), &surface(&[A])));
        assert!(grew(&surface(&[b]), &surface(&[A, b])));
        assert!(!grew(&surface(&[A]), &surface(&[A])));
        assert!(!grew(&surface(&[A]), &surface(&[b])));
        assert!(!grew(&surface(&[A]), &surface(&[r#"{"name":"a"}"#, b])));
    }
}
