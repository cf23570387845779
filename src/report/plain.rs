//! A finding in words that every format but the two for programs shares: safe for a terminal, without colour, cut.

use super::cut::cut;
use super::group::Group;
use super::marked;
use super::marked::Spellings;
use super::style::{Colour, count, name, place};
use super::value;
use crate::finding::{Finding, rule};
use crate::problem::Problem;
use crate::text;

/// Which server and item a finding is about, and where: `` `crm` tool `lookup` at /description ``.
pub(super) fn subject(server: &str, finding: &Finding) -> String {
    let mut words = name(server);
    if let Some(item) = &finding.item {
        words.push_str(&format!(" {} {}", item.kind, name(&item.name)));
    }
    words + &place(&finding.pointer) + proposed(finding)
}

/// The same for one edit of many items.
pub(super) fn subject_of_group(server: &str, group: &Group<'_>) -> String {
    let mut words = subject(server, group.finding);
    if !group.others.is_empty() {
        words.push_str(&format!(", and the same in {} more", count(group.others.len())));
    }
    words
}

/// What stands behind a finding that the lockfile of the work tree already holds.
pub(super) fn proposed(finding: &Finding) -> &'static str {
    if finding.proposed { " (proposed)" } else { "" }
}

/// The lines that show what differs, each with a mark of ours first: `| `, `- ` or `+ `. None where the heading says it
/// all, as of a tool that went.
pub(super) fn difference(finding: &Finding) -> Vec<String> {
    if finding.rule.id == rule::TOOL_REMOVED.id {
        return Vec::new();
    }
    let lines = value::lines(finding);
    let spellings = Spellings::of(&lines);
    let marked = cut(lines).into_iter().map(|line| marked::line(&line, &spellings, Colour::Plain));
    marked.map(|line| line.trim_start().to_owned()).collect()
}

/// A text's lines, safe for a terminal.
pub(super) fn lines(text_of_many_lines: &str) -> Vec<String> {
    text_of_many_lines.lines().map(text::terminal_line).collect()
}

/// A problem's cause and help, each line with a mark or a word of ours first: the cause may be a server's last words, and a
/// workflow obeys lines that begin with `::`.
pub(super) fn problem_lines(problem: &Problem) -> Vec<String> {
    let marked = |mark: &str, words: &str| -> Vec<String> {
        words.lines().map(|line| format!("{mark} {}", text::terminal_line(line))).collect()
    };
    let mut lines = marked("|", &problem.cause);
    lines.extend(marked("help:", &problem.help));
    lines
}
