//! What differs between two launches.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, rule};
use crate::json::{Pointer, Value};
use crate::launch::{Launch, Transport, hidden_values};

/// Names every member in which a configuration's launch differs from the approved one, both as written.
///
/// A value that may be a secret is compared but never put into a finding.
pub fn launches(old: &Launch, new: &Launch) -> Vec<Finding> {
    let (before, after) = (members(old), members(new));
    let (shown_before, shown_after) = (members(&old.without_secrets()), members(&new.without_secrets()));
    let places: BTreeSet<&Pointer> = before.keys().chain(after.keys()).collect();
    let mut findings = Vec::new();
    for place in places {
        if before.get(place) == after.get(place) {
            continue;
        }
        let (shown_before, shown_after) = (shown_before.get(place).cloned(), shown_after.get(place).cloned());
        let finding = Finding::new(&rule::LAUNCH_CHANGED).at(place.clone());
        let finding = if *place == Pointer::of(["url"]) && hidden_in(old) != hidden_in(new) {
            finding.noting("a value in its credentials, its query or its fragment differs; such values are not shown")
        } else if shown_before == shown_after {
            finding.noting("the values differ; they may be secrets and are not shown")
        } else {
            finding
        };
        findings.push(finding.between(shown_before, shown_after));
    }
    super::order::sort(&mut findings);
    findings
}

/// The parts of the launch's address that are compared and not shown.
fn hidden_in(launch: &Launch) -> Vec<&str> {
    match &launch.transport {
        Transport::Http { url, .. } => hidden_values(url),
        Transport::Stdio { .. } | Transport::Saved => Vec::new(),
    }
}

/// The launch's members by place.
fn members(launch: &Launch) -> BTreeMap<Pointer, Value> {
    let mut members = BTreeMap::new();
    let mut put = |place: Pointer, value: Value| {
        members.insert(place, value);
    };
    let texts =
        |texts: &mut dyn Iterator<Item = &String>| Value::Array(texts.map(|text| text.as_str().into()).collect());
    match &launch.transport {
        Transport::Stdio { command, args, env, cwd } => {
            put(Pointer::of(["command"]), Value::from(command.as_str()));
            if !args.is_empty() {
                put(Pointer::of(["args"]), texts(&mut args.iter()));
            }
            for (name, value) in env {
                put(Pointer::of(["env", name]), Value::from(value.as_str()));
            }
            if let Some(cwd) = cwd {
                put(Pointer::of(["cwd"]), Value::from(cwd.as_str()));
            }
        }
        Transport::Saved => put(Pointer::of(["saved_listing"]), Value::Bool(true)),
        Transport::Http { url, headers } => {
            put(Pointer::of(["url"]), Value::from(url.as_str()));
            for (name, value) in headers {
                put(Pointer::of(["headers", name]), Value::from(value.as_str()));
            }
        }
    }
    for (name, value) in launch.options.iter() {
        put(Pointer::of(["options", name]), value.clone());
    }
    if !launch.unverified.is_empty() {
        put(Pointer::of(["unverified"]), texts(&mut launch.unverified.iter()));
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Object, canonical, parse};

    fn stdio(command: &str, args: &[&str], env: &[(&str, &str)]) -> Launch {
        Launch {
            transport: Transport::Stdio {
                command: command.to_owned(),
                args: args.iter().map(|&text| text.to_owned()).collect(),
                env: env.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
                cwd: None,
            },
            options: Object::new(),
            unverified: BTreeSet::new(),
        }
    }

    fn told(old: &Launch, new: &Launch) -> Vec<String> {
        let text = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), canonical);
        launches(old, new)
            .iter()
            .map(|finding| format!("{} {} {}", finding.pointer, text(&finding.old), text(&finding.new)))
            .collect()
    }

    #[test]
    fn each_differing_member_of_a_launch_is_told() {
        let old = stdio("node", &["server.mjs"], &[("LEVEL", "info"), ("TOKEN", "${TOKEN}")]);
        let mut new = stdio("sh", &["-c", "x"], &[("LEVEL", "debug")]);
        new.options.insert("tools", parse(r#"["*"]"#).expect("valid"));
        new.unverified.insert("TOKEN".to_owned());
        assert_eq!(
            told(&old, &new),
            [
                r#"/args ["server.mjs"] ["-c","x"]"#,
                r#"/command "node" "sh""#,
                r#"/env/LEVEL "info" "debug""#,
                r#"/env/TOKEN "${TOKEN}" -"#,
                r#"/options/tools - ["*"]"#,
                r#"/unverified - ["TOKEN"]"#,
            ]
        );
        assert!(told(&old, &old.clone()).is_empty());
        assert!(launches(&old, &new).iter().all(|finding| finding.rule.id == "launch-changed"));
    }

    #[test]
    fn another_transport_is_told_by_both_addresses() {
        let old = stdio("node", &[], &[]);
        let transport = Transport::Http {
            url: "https://a.example/mcp".to_owned(),
            headers: BTreeMap::from([("X-Team".to_owned(), "${TEAM}".to_owned())]),
        };
        let new = Launch { transport, ..old.clone() };
        assert_eq!(
            told(&old, &new),
            [r#"/command "node" -"#, r#"/headers/X-Team - "${TEAM}""#, r#"/url - "https://a.example/mcp""#]
        );
    }

    #[test]
    fn another_value_in_a_query_is_told_and_not_shown() {
        let http = |url: &str| Launch {
            transport: Transport::Http { url: url.to_owned(), headers: BTreeMap::new() },
            ..stdio("", &[], &[])
        };
        let old = http("https://h/mcp?x=hunter2&y=${Y}");
        for (new, shown) in [
            ("https://h/mcp?x=hunter3&y=${Y}", "https://h/mcp?x=…&y=${Y}"),
            ("https://g/mcp?x=hunter3&y=${Y}", "https://g/mcp?x=…&y=${Y}"),
        ] {
            let findings = launches(&old, &http(new));
            assert_eq!(findings.len(), 1);
            assert_eq!(findings[0].new, Some(Value::from(shown)));
            assert!(findings[0].note.as_ref().is_some_and(|note| note.contains("query")), "{findings:?}");
            assert!(!format!("{findings:?}").contains("hunter"), "{findings:?}");
        }
        assert_eq!(launches(&old, &http("https://h/mcp2?x=hunter2&y=${Y}"))[0].note, None);
    }

    #[test]
    fn a_value_that_may_be_a_secret_is_compared_and_not_shown() {
        let one = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
        let other = "ghp_zyxwvutsrqponmlkjihgfedcba9876543210";
        let (old, new) = (stdio("node", &[], &[("API_TOKEN", one)]), stdio("node", &[], &[("API_TOKEN", other)]));
        let findings = launches(&old, &new);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].new, Some(Value::from("[masked]")));
        assert!(!format!("{findings:?}").contains("ghp_"));
        assert!(findings[0].note.is_some());
    }
}
