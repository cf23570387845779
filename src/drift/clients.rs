//! Whether a server tells two clients the same.

use super::compare::surfaces;
use crate::finding::{Finding, Level, rule};
use crate::surface::Surface;

/// What says that a client isn't told of an item at all.
static WHOLE_ITEMS: [&str; 5] = [
    rule::TOOL_REMOVED.id,
    rule::PROMPT_REMOVED.id,
    rule::RESOURCE_REMOVED.id,
    rule::TEMPLATE_REMOVED.id,
    rule::INTERFACE_REMOVED.id,
];

/// Names what `other`, what one client is told, has that `pinned`, what the pinned client is told, hasn't. Each note says
/// what differs, for the caller to go on with the client's name.
///
/// A client that isn't told of a whole item is a notice: it declared less. Anything else that it alone is told nobody has
/// approved, and a limit that it isn't told of is reach.
pub fn clients(pinned: &Surface, other: &Surface) -> Vec<Finding> {
    let differences = surfaces(pinned, other).into_iter().filter(|inner| inner.level.fails());
    let findings = differences.map(|inner| {
        let less = WHOLE_ITEMS.contains(&inner.rule.id);
        let level = if less { Level::Notice } else { rule::CLIENT_DIFFERS.change };
        let note = if less { "not told" } else { "told" };
        let note = format!("{}, {note}", inner.rule.id);
        Finding { rule: &rule::CLIENT_DIFFERS, level, ..inner }.noting(note)
    });
    let mut findings: Vec<Finding> = findings.collect();
    super::order::sort(&mut findings);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{About, Item, Kind};

    fn surface(protocol: &str, items: &[&str]) -> Surface {
        let items = items.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        Surface::new(protocol.to_owned(), About::default(), items)
    }

    #[test]
    fn a_client_that_is_told_less_is_a_notice_and_one_that_is_told_more_a_danger() {
        let (a, b) = (r#"{"name":"a"}"#, r#"{"name":"b"}"#);
        let told = |pinned: &[&str], other: &[&str]| -> Vec<(Level, String)> {
            clients(&surface("2025-11-25", pinned), &surface("2025-06-18", other))
                .into_iter()
                .map(|finding| (finding.level, finding.note.unwrap_or_default()))
                .collect()
        };
        assert_eq!(told(&[a, b], &[a, b]), []);
        assert_eq!(told(&[a, b], &[a]), [(Level::Notice, "tool-removed, not told".to_owned())]);
        assert_eq!(told(&[a], &[a, b]), [(Level::Danger, "tool-added, told".to_owned())]);
        assert_eq!(
            told(&[a], &[r#"{"name":"a","description":"x"}"#]),
            [(Level::Danger, "description-changed, told".to_owned())]
        );
        let limited = r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":{"enum":["a"]}}}}"#;
        let loose = r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":{}}}}"#;
        assert_eq!(
            told(&[limited], &[loose]),
            [(Level::Danger, "parameter-loosened, told".to_owned())],
            "a limit that is missing"
        );
    }
}
