//! The published shape of a policy.

use crate::finding::RULES;

/// The JSON Schema (2020-12) of `mcp-pin.toml` as editors check TOML, ending with a line feed.
pub fn schema() -> String {
    let rules: Vec<String> = RULES.iter().map(|rule| format!("\"{}\"", rule.id)).collect();
    include_str!("policy.schema.json").replace("\"(every rule)\"", &rules.join(", "))
}
