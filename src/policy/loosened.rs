//! What one policy lets pass that another doesn't.
//!
//! Sound before precise: whoever loosens a policy is always told, and of a few changes that only tighten it something is
//! told too, such as an entry that was written anew in other words.

use std::collections::BTreeSet;

use super::model::{Effect, Effects, Ignore, Policy, Presence, is_softenable};
use super::pattern::Items;
use crate::finding::{RULES, Rule};
use crate::json::{Object, Value};

/// The most entries of both policies that are compared one by one. Beyond, whoever changes any of them has to say why.
const MOST_ENTRIES: usize = 400;

/// One way in which a policy lets more pass than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loosened {
    /// The server that is concerned; `None` for every one.
    pub server: Option<String>,
    /// The block of the policy: `rule`, `ignore` or `server`.
    pub block: &'static str,
    /// The entry as it was, if it was there.
    pub old: Option<Value>,
    /// The entry as it is, if it is there.
    pub new: Option<Value>,
    /// What happened to it, in words that name its line: they may hold foreign text.
    pub how: String,
}

/// What `after` lets pass that `before` doesn't.
pub fn loosened(before: &Policy, after: &Policy) -> Vec<Loosened> {
    let mut found = of_rules(before, after);
    found.extend(of_ignores(before, after));
    for (name, said) in before.servers.iter().filter(|(_, said)| said.presence == Presence::Required) {
        if after.servers.get(name).is_some_and(|said| said.presence == Presence::Required) {
            continue;
        }
        let required = object([("required", Some(Value::Bool(true)))]);
        let how = format!("{} requires it, {} doesn't", before.place(said.line), after.file);
        found.push(Loosened { server: Some(name.clone()), block: "server", old: Some(required), new: None, how });
    }
    found
}

fn of_ignores(before: &Policy, after: &Policy) -> Vec<Loosened> {
    if before.ignores.len() + after.ignores.len() > MOST_ENTRIES {
        let same = |old: &Ignore, new: &Ignore| covers(old, new) && covers(new, old);
        return too_many("ignore", &before.ignores, &after.ignores, same, after).into_iter().collect();
    }
    let mut found = Vec::new();
    for ignore in &after.ignores {
        if before.ignores.iter().any(|known| covers(known, ignore)) {
            continue;
        }
        let same_place = |known: &&Ignore| Ignore { until: known.until, line: known.line, ..ignore.clone() } == **known;
        let known = before.ignores.iter().find(same_place);
        // The same entry with another pattern, where there is no other that it could have been.
        let is_near = |known: &&Ignore| {
            let (one, other) =
                ((&known.server, &known.items, &known.pointer), (&ignore.server, &ignore.items, &ignore.pointer));
            one == other && !after.ignores.iter().any(|now| covers(now, known))
        };
        let edited = before.ignores.iter().find(is_near);
        let place = after.place(ignore.line);
        let how = match (known, edited) {
            (Some(_), _) => "counts for longer",
            (None, Some(_)) => "covers other text; whether it is more can't be told",
            (None, None) => "is new, and ignores more",
        };
        let known = known.or(edited);
        found.push(Loosened {
            server: Some(ignore.server.clone()),
            block: "ignore",
            old: known.map(ignore_value),
            new: Some(ignore_value(ignore)),
            how: format!("{place}: this entry {how}"),
        });
    }
    found
}

/// What is told of lists that are too long to be compared entry by entry, unless they say the same in the same order.
fn too_many<T>(
    block: &'static str,
    old: &[T],
    new: &[T],
    same: impl Fn(&T, &T) -> bool,
    after: &Policy,
) -> Option<Loosened> {
    let is_same = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new));
    let count = |entries: &[T]| Some(Value::from(format!("{} entries", entries.len())));
    let how = format!("{}: its entries differ, and are more than {MOST_ENTRIES}: too many to be compared", after.file);
    (!is_same).then_some(Loosened { server: None, block, old: count(old), new: count(new), how })
}

/// Whether all that the one ignores the other does too, for at least as long.
fn covers(wider: &Ignore, ignore: &Ignore) -> bool {
    let items = match (&wider.items, &ignore.items) {
        (Some(wider), Some(items)) => wider.kind == items.kind && (wider.names == "*" || wider.names == items.names),
        (None, None) => true,
        _ => false,
    };
    items
        && wider.server == ignore.server
        && ignore.pointer.segments().starts_with(wider.pointer.segments())
        && (wider.pattern.is_none() || wider.pattern == ignore.pattern)
        && wider.until.is_none_or(|last| ignore.until.is_some_and(|until| until <= last))
}

/// The entries that decide about the findings of one rule and one server, in order.
type Chain<'p> = Vec<&'p Effects>;

fn chain<'p>(policy: &'p Policy, rule: &Rule, server: Option<&str>) -> Chain<'p> {
    let means = |entry: &&Effects| {
        (entry.rules.is_empty() || entry.rules.contains(rule.id))
            && entry.server.as_deref().is_none_or(|name| Some(name) == server)
    };
    policy.rules.iter().filter(means).collect()
}

fn of_rules(before: &Policy, after: &Policy) -> Vec<Loosened> {
    if before.rules.len() + after.rules.len() > MOST_ENTRIES {
        let same = |old: &Effects, new: &Effects| {
            (&old.rules, &old.server, &old.items, old.effect) == (&new.rules, &new.server, &new.items, new.effect)
        };
        return too_many("rule", &before.rules, &after.rules, same, after).into_iter().collect();
    }
    let entries = || before.rules.iter().chain(&after.rules);
    // A server that no entry names stands for all those, and so does a rule.
    let named: BTreeSet<&str> = entries().filter_map(|entry| entry.server.as_deref()).collect();
    let servers: Vec<Option<&str>> = std::iter::once(None).chain(named.into_iter().map(Some)).collect();
    let (mut added, mut gone, mut moved) = (BTreeSet::new(), BTreeSet::new(), false);
    // Most rules have the same entries.
    let mut compared = BTreeSet::new();
    for rule in RULES.iter().filter(|rule| is_softenable(rule)) {
        for server in &servers {
            let (old, new) = (chain(before, rule, *server), chain(after, rule, *server));
            let lines = |chain: &Chain<'_>| chain.iter().map(|entry| entry.line).collect::<Vec<usize>>();
            if !compared.insert((lines(&old), lines(&new))) {
                continue;
            }
            if tightens(&old, &new) {
                continue;
            }
            let softens: Vec<&&Effects> =
                new.iter().filter(|entry| entry.effect != Effect::Deny && !has_as_lax(&old, entry)).collect();
            let allows = new.iter().any(|entry| entry.effect == Effect::Allow);
            let mattered = |entry: &Effects| entry.effect == Effect::Deny || (entry.effect == Effect::Warn && allows);
            let lost: Vec<&&Effects> =
                old.iter().filter(|entry| mattered(entry) && !has_as_strict(&new, entry)).collect();
            moved |= softens.is_empty() && lost.is_empty();
            added.extend(softens.into_iter().map(|entry| entry.line));
            gone.extend(lost.into_iter().map(|entry| entry.line));
        }
    }
    let of = |policy: &Policy, lines: &BTreeSet<usize>| -> Vec<Effects> {
        policy.rules.iter().filter(|entry| lines.contains(&entry.line)).cloned().collect()
    };
    let mut found: Vec<Loosened> = Vec::new();
    let mut gone = of(before, &gone);
    for entry in of(after, &added) {
        let same = |old: &Effects| (&old.rules, &old.server, &old.items) == (&entry.rules, &entry.server, &entry.items);
        let old = gone.iter().position(same).map(|at| effects_value(&gone.remove(at)));
        let how = format!("{}: this entry is new, or milder than before", after.place(entry.line));
        let (new, server) = (Some(effects_value(&entry)), entry.server);
        found.push(Loosened { server, block: "rule", old, new, how });
    }
    for entry in gone {
        let how = format!("{}: this entry is gone, or milder now", before.place(entry.line));
        let (old, server) = (Some(effects_value(&entry)), entry.server);
        found.push(Loosened { server, block: "rule", old, new: None, how });
    }
    // Beside an entry that is new or gone the order says nothing more.
    if moved && found.is_empty() {
        let value = |policy: &Policy| Some(Value::Array(policy.rules.iter().map(effects_value).collect()));
        let how =
            format!("{}: its entries stand in another order, and of those that apply the last one counts", after.file);
        found.push(Loosened { server: None, block: "rule", old: value(before), new: value(after), how });
    }
    found
}

fn has_as_lax(chain: &[&Effects], entry: &Effects) -> bool {
    chain.iter().any(|known| known.items == entry.items && strictness(known) <= strictness(entry))
}

fn has_as_strict(chain: &[&Effects], entry: &Effects) -> bool {
    chain.iter().any(|known| known.items == entry.items && strictness(known) >= strictness(entry))
}

fn strictness(entry: &Effects) -> u8 {
    match entry.effect {
        Effect::Allow => 0,
        Effect::Warn => 1,
        Effect::Deny => 2,
    }
}

/// Whether the second chain comes from the first one by steps of which none lets more pass, whatever the items are called:
/// a `deny` is put in anywhere, an effect becomes stricter, an `allow` goes, or a `warn` goes before which no `allow` stays.
fn tightens(before: &[&Effects], after: &[&Effects]) -> bool {
    // How much of `after` is accounted for, and whether an `allow` is among that.
    let mut states = BTreeSet::from([(0, false)]);
    for entry in before {
        let mut next = BTreeSet::new();
        for (at, allows) in with_denials(&states, after) {
            let same = after.get(at).filter(|new| new.items == entry.items && strictness(new) >= strictness(entry));
            next.extend(same.map(|new| (at + 1, allows || new.effect == Effect::Allow)));
            let may_go = match entry.effect {
                Effect::Allow => true,
                Effect::Warn => !allows,
                Effect::Deny => false,
            };
            next.extend(may_go.then_some((at, allows)));
        }
        states = next;
    }
    with_denials(&states, after).into_iter().any(|(at, _)| at == after.len())
}

/// The states, and those after each `deny` that follows.
fn with_denials(states: &BTreeSet<(usize, bool)>, after: &[&Effects]) -> BTreeSet<(usize, bool)> {
    let mut all = states.clone();
    for &(mut at, allows) in states {
        while after.get(at).is_some_and(|entry| entry.effect == Effect::Deny) {
            at += 1;
            // From a state that is known already, the rest is too.
            if !all.insert((at, allows)) {
                break;
            }
        }
    }
    all
}

fn effects_value(entry: &Effects) -> Value {
    let rules = entry.rules.iter().map(|id| Value::from(*id)).collect();
    let effect = Effect::ALL.iter().find(|(_, effect)| *effect == entry.effect).map(|(word, _)| Value::from(*word));
    let mut value = object([
        ("rules", (!entry.rules.is_empty()).then_some(Value::Array(rules))),
        ("server", entry.server.as_deref().map(Value::from)),
        ("effect", effect),
    ]);
    put_items(&mut value, entry.items.as_ref());
    value
}

fn ignore_value(entry: &Ignore) -> Value {
    let mut value = object([
        ("server", Some(entry.server.as_str().into())),
        ("pointer", (!entry.pointer.is_root()).then(|| entry.pointer.to_string().as_str().into())),
        ("pattern", entry.pattern.as_ref().map(|pattern| pattern.as_str().into())),
        ("reason", Some(entry.reason.as_str().into())),
        ("until", entry.until.map(|until| until.to_string().as_str().into())),
    ]);
    put_items(&mut value, entry.items.as_ref());
    value
}

fn put_items(value: &mut Value, items: Option<&Items>) {
    if let (Value::Object(object), Some(items)) = (value, items) {
        object.insert(items.kind.as_str(), items.names.as_str().into());
    }
}

fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Object>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finding::{Finding, Level, rule};
    use crate::policy::{apply, parse};
    use crate::surface::Kind;

    fn told(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (parse(before, "old").expect(before), parse(after, "new").expect(after));
        loosened(&before, &after).into_iter().map(|one| one.how).collect()
    }

    fn rule_entry(filter: &str, effect: &str) -> String {
        format!("[[rule]]\n{filter}\neffect = \"{effect}\"\n")
    }

    const IGNORE: &str = "[[ignore]]\nserver = \"s\"\ntool = \"t\"\npointer = \"/a\"\nreason = \"r\"\n";

    #[test]
    fn what_tightens_or_says_the_same_is_nothing() {
        let (warn, deny) = (rule_entry("", "warn"), rule_entry("tool = \"x\"", "deny"));
        let split =
            rule_entry("rules = [\"title-changed\"]", "warn") + &rule_entry("rules = [\"icons-changed\"]", "warn");
        let joined = rule_entry("rules = [\"icons-changed\", \"title-changed\"]", "warn");
        for (before, after) in [
            ("", ""),
            (warn.as_str(), ""),
            ("", deny.as_str()),
            (&warn, &format!("{warn}{deny}")),
            (&rule_entry("", "allow"), &format!("# a note\n\n{warn}")),
            (&split, &joined),
            (&joined, &split),
            (IGNORE, ""),
            (IGNORE, &IGNORE.replace("\"/a\"", "\"/a/b\"").replace("\"r\"", "\"another\"")),
            (IGNORE, &format!("{IGNORE}pattern = 'x'\nuntil = 2027-01-01\n")),
            ("", "[server.s]\nrequired = true\nstart_timeout = 3\n"),
        ] {
            assert_eq!(told(before, after), Vec::<String>::new(), "{before}\n->\n{after}");
        }
    }

    #[test]
    fn each_way_to_let_more_pass_is_told() {
        let (warn, allow) = (rule_entry("", "warn"), rule_entry("tool = \"x\"", "allow"));
        let deny = rule_entry("tool = \"x\"", "deny");
        for (before, after, expected) in [
            ("", warn.as_str(), "new:1: this entry is new, or milder than before"),
            (&warn, &rule_entry("", "allow"), "new:1: this entry is new, or milder than before"),
            (&format!("{warn}{deny}"), &warn, "old:4: this entry is gone, or milder now"),
            (&format!("{deny}{warn}"), &format!("{warn}{deny}"), ""),
            (&format!("{warn}{deny}"), &format!("{deny}{warn}"), "new: its entries stand in another order"),
            (&format!("{allow}{warn}"), &allow, "old:4: this entry is gone, or milder now"),
            ("", IGNORE, "new:1: this entry is new, and ignores more"),
            (IGNORE, &IGNORE.replace("\"t\"", "\"*\""), "new:1: this entry is new, and ignores more"),
            (&format!("{IGNORE}pattern = 'x'\n"), IGNORE, "new:1: this entry is new"),
            (&format!("{IGNORE}until = 2027-01-01\n"), IGNORE, "new:1: this entry counts for longer"),
            ("[server.s]\nrequired = true\n", "", "old:1 requires it, new doesn't"),
        ] {
            let told = told(before, after);
            let fits =
                if expected.is_empty() { told.len() <= 1 } else { told.len() == 1 && told[0].contains(expected) };
            assert!(fits, "{before}\n->\n{after}\n{told:?}");
        }
    }

    #[test]
    fn any_change_of_very_many_entries_is_told_at_once() {
        let rules = |count: usize, effect: &str| -> String {
            (0..count).map(|n| rule_entry(&format!("server = \"s{n}\""), effect)).collect()
        };
        let tools =
            |count: usize| -> String { (0..count).map(|n| rule_entry(&format!("tool = \"t{n}\""), "deny")).collect() };
        let ignores =
            |count: usize| -> String { (0..count).map(|n| IGNORE.replace("\"/a\"", &format!("\"/a{n}\""))).collect() };
        let began = std::time::Instant::now();
        for (before, after) in [
            (rules(4000, "deny"), rules(4000, "warn")),
            (rules(4000, "deny"), rules(4001, "deny")),
            (String::new(), ignores(4000)),
            (ignores(4000), ignores(3999)),
        ] {
            let told = told(&before, &after);
            assert!(
                told.len() == 1 && told[0].starts_with("new: its entries differ, and are more than 400"),
                "{told:?}"
            );
        }
        let noted = |policy: String| format!("# a note\n{policy}");
        for policy in [rules(4000, "warn"), ignores(4000), tools(200), rules(200, "warn")] {
            assert_eq!(told(&policy, &noted(policy.clone())), Vec::<String>::new());
        }
        let many = rules(100, "warn") + &tools(99);
        assert_eq!(told(&many, &(tools(1) + &many)), Vec::<String>::new());
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    }

    fn policies() -> impl Strategy<Value = String> {
        let rule = prop::sample::select(vec!["", "rules = [\"title-changed\"]\n", "rules = [\"release-changed\"]\n"]);
        let server = prop::sample::select(vec!["", "server = \"crm\"\n"]);
        let tool = prop::sample::select(vec!["", "tool = \"a*\"\n", "tool = \"*b\"\n", "tool = \"ab\"\n"]);
        let effect = prop::sample::select(vec!["deny", "warn", "allow"]);
        let entry = (rule, server, tool, effect)
            .prop_map(|(rule, server, tool, effect)| format!("[[rule]]\n{rule}{server}{tool}effect = \"{effect}\"\n"));
        prop::collection::vec(entry, 0..4).prop_map(|entries| entries.concat())
    }

    /// 0 where a finding is only listed, 1 where it is shown, 2 where it fails.
    fn strength(policy: &str, finding: &Finding) -> u8 {
        let applied = apply(&parse(policy, "p").expect("valid"), "crm", vec![finding.clone()]);
        match (applied.findings.as_slice(), applied.softened.as_slice()) {
            ([finding], []) if finding.level.fails() => 2,
            ([], [softened]) if softened.effect == crate::finding::Softening::Allowed => 0,
            _ => 1,
        }
    }

    proptest! {
        #[test]
        fn whoever_lets_more_pass_is_always_told(before in policies(), after in policies()) {
            if told(&before, &after).is_empty() {
                for rule in [&rule::TITLE_CHANGED, &rule::RELEASE_CHANGED, &rule::TOOL_ADDED] {
                    for name in [None, Some("a"), Some("b"), Some("ab"), Some("axb"), Some("c")] {
                        let finding = Finding::new(rule).at_level(if name.is_none() { Level::Danger } else { rule.change });
                        let finding = name.into_iter().fold(finding, |finding, name| finding.of_item(Kind::Tool, name));
                        prop_assert!(strength(&after, &finding) >= strength(&before, &finding), "{before}->{after}");
                    }
                }
            }
        }
    }
}
