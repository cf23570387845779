//! What differs between what a server says of itself then and now.

use super::hidden;
use super::values::leaves;
use crate::finding::{Finding, Rule, rule};
use crate::json::{Pointer, Value};
use crate::surface::{About, Surface};

/// Names every difference that isn't in the items.
pub(super) fn differences(old: &Surface, new: &Surface) -> Vec<Finding> {
    let mut findings = Vec::new();
    if old.protocol != new.protocol {
        let (before, after) = (Value::from(old.protocol.as_str()), Value::from(new.protocol.as_str()));
        let finding = Finding::new(&rule::PROTOCOL_CHANGED).at(Pointer::of(["protocolVersion"]));
        findings.push(finding.between(Some(before), Some(after)));
    }
    if old.about == new.about {
        return findings;
    }
    if old.about.release != new.about.release {
        let release = |about: &About| about.release.clone().map(Value::from);
        let finding = Finding::new(&rule::RELEASE_CHANGED).at(Pointer::of(["serverInfo", "version"]));
        findings.push(finding.between(release(&old.about), release(&new.about)));
    }
    let (before, after) = (members(&old.about), members(&new.about));
    for leaf in leaves(Some(&before), Some(&after), &Pointer::root()) {
        let rule = rule_of(&leaf.pointer);
        findings.push(Finding::new(rule).at(leaf.pointer).between(leaf.old.cloned(), leaf.new.cloned()));
    }
    let before = whole(&old.about);
    findings.extend(hidden::differences(Some(&before), &whole(&new.about), &Pointer::root()));
    findings
}

fn rule_of(at: &Pointer) -> &'static Rule {
    match at.segments().first().map(String::as_str) {
        Some("instructions") => &rule::INSTRUCTIONS_CHANGED,
        Some("capabilities") => &rule::CAPABILITIES_CHANGED,
        _ => &rule::IDENTITY_CHANGED,
    }
}

/// Everything but the release, the instructions where the protocol has them.
fn members(about: &About) -> Value {
    let mut members = about.members.clone();
    if let Some(instructions) = &about.instructions {
        members.insert("instructions", Value::from(instructions.as_str()));
    }
    Value::Object(members)
}

/// Everything, with the release beside the server's name.
pub(super) fn whole(about: &About) -> Value {
    Value::Object(about.whole())
}
