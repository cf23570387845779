//! What findings come to under a policy: findings in, findings and what was softened out.

use super::model::{Effect, Policy, is_softenable};
use crate::finding::{Finding, Level, Softened, Softening};

/// A server's findings under a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The findings that stay, raised to a level that fails where the policy denies what usually doesn't.
    pub findings: Vec<Finding>,
    /// The findings that no longer fail or are no longer told, and by what.
    pub softened: Vec<Softened>,
}

/// Applies the effects to the findings of a server. Each finding is in the result exactly once.
pub fn apply(policy: &Policy, server: &str, findings: Vec<Finding>) -> Applied {
    let mut applied = Applied::default();
    for finding in findings {
        let Some(entry) = policy.rules.iter().rev().find(|entry| entry.mean(server, &finding)) else {
            applied.findings.push(finding);
            continue;
        };
        let softening = match entry.effect {
            Effect::Deny => None,
            Effect::Warn => finding.level.fails().then_some(Softening::Warned),
            Effect::Allow => Some(Softening::Allowed),
        };
        let by = policy.place(entry.line);
        match softening.filter(|_| is_softenable(finding.rule)) {
            Some(effect) => {
                applied.softened.push(Softened { finding, effect, by, reason: entry.reason.clone(), until: None });
            }
            None if entry.effect == Effect::Deny && !finding.level.fails() => {
                let denied = format!("{by} denies what is a notice otherwise");
                let note = finding.note.clone().map_or(denied.clone(), |note| format!("{note}; {denied}"));
                applied.findings.push(finding.at_level(Level::Change).noting(note));
            }
            None => applied.findings.push(finding),
        }
    }
    applied
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finding::{RULES, rule};
    use crate::policy::parse;
    use crate::surface::Kind;

    fn told(policy: &str, finding: Finding) -> String {
        let applied = apply(&parse(policy, "mcp-pin.toml").expect(policy), "crm", vec![finding]);
        match (applied.findings.as_slice(), applied.softened.as_slice()) {
            ([finding], []) => finding.level.as_str().to_owned(),
            ([], [softened]) => format!("{} by {}", softened.effect.as_str(), softened.by),
            other => panic!("{other:?}"),
        }
    }

    fn title() -> Finding {
        Finding::new(&rule::TITLE_CHANGED).of_item(Kind::Tool, "debug_dump")
    }

    #[test]
    fn the_last_entry_that_applies_counts() {
        let warn = "[[rule]]\neffect = \"warn\"\n";
        let deny_tools = "[[rule]]\ntool = \"debug_*\"\neffect = \"deny\"\n";
        assert_eq!(told("", title()), "change");
        assert_eq!(told(warn, title()), "warned by mcp-pin.toml:1");
        assert_eq!(told(&format!("{warn}{deny_tools}"), title()), "change");
        assert_eq!(told(&format!("{deny_tools}{warn}"), title()), "warned by mcp-pin.toml:4");
    }

    #[test]
    fn an_entry_is_about_its_rule_its_server_and_its_items_only() {
        for (filter, expected) in [
            ("rules = [\"title-changed\"]", "allowed by mcp-pin.toml:1"),
            ("rules = [\"icons-changed\"]", "change"),
            ("server = \"crm\"", "allowed by mcp-pin.toml:1"),
            ("server = \"other\"", "change"),
            ("tool = \"debug_*\"", "allowed by mcp-pin.toml:1"),
            ("tool = \"dump\"", "change"),
            ("prompt = \"*\"", "change"),
        ] {
            assert_eq!(told(&format!("[[rule]]\n{filter}\neffect = \"allow\"\n"), title()), expected, "{filter}");
        }
    }

    #[test]
    fn a_notice_fails_where_it_is_denied() {
        let policy = "[[rule]]\nrules = [\"release-changed\"]\neffect = \"deny\"\n";
        assert_eq!(told(policy, Finding::new(&rule::RELEASE_CHANGED)), "change");
        let warned = policy.replace("deny", "warn");
        assert_eq!(told(&warned, Finding::new(&rule::RELEASE_CHANGED)), "notice");
    }

    fn findings() -> impl Strategy<Value = Vec<Finding>> {
        let rule = prop::sample::select(RULES.to_vec());
        let finding = (rule, prop::option::of(prop::sample::select(vec!["a", "b"])));
        prop::collection::vec(
            finding.prop_map(|(rule, name)| {
                let finding = Finding::new(rule);
                if let Some(name) = name { finding.of_item(Kind::Tool, name) } else { finding }
            }),
            0..8,
        )
    }

    fn policies() -> impl Strategy<Value = String> {
        let rule =
            prop::option::of(prop::sample::select(RULES.iter().filter(|rule| is_softenable(rule)).collect::<Vec<_>>()));
        let tool = prop::option::of(prop::sample::select(vec!["a", "*", "c"]));
        let effect = prop::sample::select(vec!["deny", "warn", "allow"]);
        let entry = (rule, tool, effect).prop_map(|(rule, tool, effect)| {
            let rule = rule.map(|rule| format!("rules = [\"{}\"]\n", rule.id)).unwrap_or_default();
            let tool = tool.map(|tool| format!("tool = \"{tool}\"\n")).unwrap_or_default();
            format!("[[rule]]\n{rule}{tool}effect = \"{effect}\"\n")
        });
        prop::collection::vec(entry, 0..6).prop_map(|entries| entries.concat())
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_some_rules_are_never_softened(findings in findings(), policy in policies()) {
            let applied = apply(&parse(&policy, "p").expect("valid"), "crm", findings.clone());
            prop_assert_eq!(applied.findings.len() + applied.softened.len(), findings.len());
            for finding in &findings {
                if !is_softenable(finding.rule) {
                    prop_assert!(applied.findings.contains(finding));
                }
                let kept = applied.findings.iter().any(|other| other.rule == finding.rule && other.item == finding.item);
                prop_assert!(kept || applied.softened.iter().any(|softened| softened.finding == *finding));
            }
        }

        #[test]
        fn a_policy_without_entries_changes_nothing(findings in findings()) {
            let applied = apply(&Policy::default(), "crm", findings.clone());
            prop_assert_eq!(applied, Applied { findings, softened: Vec::new() });
        }
    }
}
