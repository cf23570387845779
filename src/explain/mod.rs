//! What the rules mean: the table, and a page for each.
//!
//! It stands beside the flow: a page shows what a check would say of the rule's [`Pair`].

mod pair;
#[cfg(test)]
mod tests;

pub use pair::{PAIRS, Pair};

use crate::finding::{Finding, Level, Otherwise, RULES, Rule};
use crate::json::{Object, Value};
use crate::report::human;
use crate::text;

/// The version of the shape of the JSON documents. It grows when a member changes its meaning or goes.
const VERSION: &str = "1";

/// The rule of that identifier.
///
/// # Errors
/// Where there is none: the identifier that was probably meant, if one is near.
pub fn find(id: &str) -> Result<&'static Rule, Option<&'static str>> {
    if let Some(rule) = RULES.iter().find(|rule| rule.id == id) {
        return Ok(rule);
    }
    let ids = || RULES.iter().map(|rule| rule.id);
    // A word that is a part of one identifier means that one.
    let part = || ids().find(|known| id.len() > 3 && known.contains(id));
    Err(text::nearest(id, ids()).or_else(part))
}

/// All rules, one on a line: identifier, levels, what was found.
pub fn table() -> String {
    let ids = width(RULES.iter().map(|rule| rule.id.to_owned()));
    let levels = width(RULES.iter().map(|rule| levels(rule)));
    let mut lines = vec![format!("{:ids$}  {:levels$}  what was found", "rule", "level")];
    lines.extend(RULES.iter().map(|rule| format!("{:ids$}  {:levels$}  {}", rule.id, self::levels(rule), rule.means)));
    lines.push(String::new());
    lines.push(
        "danger and change fail a check, a notice never does; `mcp-pin explain RULE` says why and what to do".into(),
    );
    lines.join("\n") + "\n"
}

fn width(words: impl Iterator<Item = String>) -> usize {
    words.map(|word| word.chars().count()).max().unwrap_or_default()
}

fn levels(rule: &Rule) -> String {
    rule.levels().into_iter().map(Level::as_str).collect::<Vec<_>>().join(", ")
}

/// The page of one rule, its example in the colours of a report.
pub fn page(rule: &'static Rule, style: &human::Style) -> String {
    let mut page = format!("{}: {}\n\n", rule.id, rule.means);
    page.push_str(&format!("level  {}\n", when(rule)));
    page.push_str(&format!("why    {}\n", rule.why));
    page.push_str(&format!("do     {}\n", rule.todo));
    match example(rule) {
        Some(finding) => {
            page.push_str("\nfor example:\n\n");
            page.push_str(&human::finding("crm", &finding, style));
        }
        None => page.push_str("\nNo example: it shows only where servers are configured, started or read.\n"),
    }
    page
}

/// The levels of a rule in a sentence.
fn when(rule: &Rule) -> String {
    let mut words = rule.change.as_str().to_owned();
    if let Some(otherwise) = &rule.otherwise {
        words.push_str(&format!(", or {} where {}", otherwise.level.as_str(), otherwise.when));
    }
    match rule.baseline {
        Some(baseline) if baseline == rule.change => words.push_str("; at a first look too"),
        Some(baseline) => words.push_str(&format!("; {} at a first look", baseline.as_str())),
        None => {}
    }
    words
}

/// What a check would say of the rule's pair.
fn example(rule: &Rule) -> Option<Finding> {
    Pair::of(rule)?.findings().ok()?.into_iter().find(|finding| finding.rule.id == rule.id)
}

/// The table as a JSON document.
pub fn table_as_value() -> Value {
    let rules = RULES.iter().map(|rule| value(rule)).collect();
    object([("version", Some(number(VERSION))), ("rules", Some(Value::Array(rules)))])
}

/// A rule's page as a JSON document.
pub fn page_as_value(rule: &'static Rule) -> Value {
    let Value::Object(mut page) = value(rule) else { return Value::Null };
    page.insert("version", number(VERSION));
    if let Some(Ok((before, after))) = Pair::of(rule).map(Pair::values) {
        page.insert("example", object([("before", Some(before)), ("after", Some(after))]));
    }
    Value::Object(page)
}

fn value(rule: &Rule) -> Value {
    let level = |level: Level| Value::from(level.as_str());
    object([
        ("id", Some(rule.id.into())),
        ("level", Some(level(rule.change))),
        ("otherwise", rule.otherwise.as_ref().map(otherwise)),
        ("baseline", rule.baseline.map(level)),
        ("means", Some(rule.means.into())),
        ("why", Some(rule.why.into())),
        ("todo", Some(rule.todo.into())),
    ])
}

fn otherwise(otherwise: &Otherwise) -> Value {
    object([("level", Some(otherwise.level.as_str().into())), ("when", Some(otherwise.when.into()))])
}

fn object<const COUNT: usize>(members: [(&str, Option<Value>); COUNT]) -> Value {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect::<Object>())
}

fn number(digits: &str) -> Value {
    crate::json::parse(digits).unwrap_or(Value::Null)
}
