//! What a policy says.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::date::Date;
use super::pattern::{Items, Volatile};
use crate::finding::{Finding, ItemName, Rule, rule};
use crate::json::Pointer;

/// What a project tolerates, and how its servers are read. Without any entry it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The file, as the user would type it.
    pub file: String,
    /// What findings come to; of those that apply the last one counts.
    pub rules: Vec<Effects>,
    /// What doesn't count at all.
    pub ignores: Vec<Ignore>,
    /// What is said of single servers, by name.
    pub servers: BTreeMap<String, ServerPolicy>,
}

/// What a finding comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It fails, whatever its level.
    Deny,
    /// It is shown and doesn't fail.
    Warn,
    /// It is only listed.
    Allow,
}

impl Effect {
    /// The effects by their words.
    pub const ALL: [(&'static str, Effect); 3] =
        [("deny", Effect::Deny), ("warn", Effect::Warn), ("allow", Effect::Allow)];
}

/// One `[[rule]]`: what these findings come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// The line, from 1.
    pub line: usize,
    /// The identifiers of the rules; empty for every rule.
    pub rules: BTreeSet<&'static str>,
    /// The server; `None` for every one.
    pub server: Option<String>,
    /// The items; `None` for all, and the server itself.
    pub items: Option<Items>,
    /// The effect.
    pub effect: Effect,
    /// Why, in the words of whoever wrote it.
    pub reason: Option<String>,
}

impl Effects {
    /// Whether a finding of that server is meant.
    pub fn mean(&self, server: &str, finding: &Finding) -> bool {
        let of_item = |items: &Items| finding.item.as_ref().is_some_and(|item| items.include(item));
        (self.rules.is_empty() || self.rules.contains(finding.rule.id))
            && self.server.as_ref().is_none_or(|name| name == server)
            && self.items.as_ref().is_none_or(of_item)
    }
}

/// One `[[ignore]]`: a part of what a server says that may be anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The line, from 1.
    pub line: usize,
    /// The server.
    pub server: String,
    /// The items; `None` for what the server says of itself.
    pub items: Option<Items>,
    /// The place, with all beneath it.
    pub pointer: Pointer,
    /// The part of each text in that place; `None` for the whole place.
    pub pattern: Option<Volatile>,
    /// Why, in the words of whoever wrote it.
    pub reason: String,
    /// The last day on which it counts.
    pub until: Option<Date>,
}

impl Ignore {
    /// Whether it counts on that day.
    pub fn counts_on(&self, today: Date) -> bool {
        self.until.is_none_or(|until| today <= until)
    }

    /// Whether it is about this item, or about the server itself.
    pub(super) fn is_about(&self, item: Option<&ItemName>) -> bool {
        match (&self.items, item) {
            (Some(items), Some(item)) => items.include(item),
            (None, None) => true,
            _ => false,
        }
    }
}

/// One `[server.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerPolicy {
    /// The line, from 1.
    pub line: usize,
    /// Whether its absence fails.
    pub presence: Presence,
    /// The client that it is read as.
    pub client: Option<String>,
    /// Variables of ours that it gets.
    pub pass_env: BTreeSet<String>,
    /// How long it may take to start.
    pub start_timeout: Option<Duration>,
    /// How long it may take for one answer.
    pub request_timeout: Option<Duration>,
    /// How long it may take in all.
    pub server_timeout: Option<Duration>,
}

/// Whether a server may be missing or disabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// It may.
    #[default]
    Optional,
    /// That fails.
    Required,
}

impl Policy {
    /// The ignores of a server that count on that day.
    pub fn ignores_of(&self, server: &str, today: Date) -> Vec<&Ignore> {
        self.ignores.iter().filter(|ignore| ignore.server == server && ignore.counts_on(today)).collect()
    }

    /// Where an entry stands, as reports name it.
    pub fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.file)
    }

    /// The servers that it names, each with the first line that does.
    pub fn named_servers(&self) -> BTreeMap<&str, usize> {
        let of_rules = self.rules.iter().filter_map(|entry| Some((entry.server.as_deref()?, entry.line)));
        let of_ignores = self.ignores.iter().map(|entry| (entry.server.as_str(), entry.line));
        let of_servers = self.servers.iter().map(|(name, entry)| (name.as_str(), entry.line));
        let mut named = BTreeMap::new();
        for (name, line) in of_rules.chain(of_ignores).chain(of_servers) {
            let first = named.entry(name).or_insert(line);
            *first = line.min(*first);
        }
        named
    }
}

/// Whether a policy may soften findings of a rule. Some say that something else runs than what was approved, that nobody
/// approved it, or that nobody can know what is approved; to soften them would be to have no lockfile.
pub fn is_softenable(rule: &Rule) -> bool {
    let never = [
        rule::LAUNCH_CHANGED.id,
        rule::SERVER_UNPINNED.id,
        rule::AMBIGUOUS_ANSWER.id,
        rule::DUPLICATE_NAME.id,
        rule::REQUIRED_SERVER.id,
        rule::POLICY_LOOSENED.id,
    ];
    !never.contains(&rule.id)
}
