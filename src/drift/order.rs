//! The order in which findings are told.

use std::cmp::Reverse;

use crate::finding::{Finding, RULES, Rule};

/// How far a finding reaches, the farthest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Whatever the server offers.
    Server,
    /// A whole item.
    Item,
    /// A place in one.
    Place,
}

impl Reach {
    fn of(finding: &Finding) -> Self {
        match &finding.item {
            None => Reach::Server,
            Some(_) if finding.pointer.is_root() => Reach::Item,
            Some(_) => Reach::Place,
        }
    }
}

/// Sorts findings: the worst level first, then what reaches farthest, then as the table of rules has them, then by item
/// and place.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let reach = Reach::of(finding);
        (Reverse(finding.level), reach, position(finding.rule), finding.item.clone(), finding.pointer.clone())
    });
}

fn position(rule: &Rule) -> usize {
    RULES.iter().position(|listed| listed.id == rule.id).unwrap_or(RULES.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Level, rule};
    use crate::json::Pointer;
    use crate::surface::Kind;

    #[test]
    fn the_worst_comes_first_then_the_reach_then_the_table_then_the_item() {
        let mut findings = vec![
            Finding::new(&rule::HIDDEN_CHARACTERS).of_item(Kind::Tool, "a").at(Pointer::of(["name"])),
            Finding::new(&rule::TOOL_ADDED).of_item(Kind::Tool, "a"),
            Finding::new(&rule::INSTRUCTIONS_CHANGED).at(Pointer::of(["instructions"])),
            Finding::new(&rule::ORDER_CHANGED),
            Finding::new(&rule::TITLE_CHANGED).of_item(Kind::Tool, "b"),
            Finding::new(&rule::TITLE_CHANGED).of_item(Kind::Tool, "a"),
            Finding::new(&rule::READ_ONLY_HINT_CHANGED).at_level(Level::Danger),
            Finding::new(&rule::LAUNCH_CHANGED),
        ];
        sort(&mut findings);
        let told: Vec<_> = findings
            .iter()
            .map(|finding| (finding.rule.id, finding.item.as_ref().map_or("", |item| item.name.as_str())))
            .collect();
        assert_eq!(
            told,
            [
                ("launch-changed", ""),
                ("read-only-hint-changed", ""),
                ("instructions-changed", ""),
                ("tool-added", "a"),
                ("hidden-characters", "a"),
                ("title-changed", "a"),
                ("title-changed", "b"),
                ("order-changed", "")
            ]
        );
    }
}
