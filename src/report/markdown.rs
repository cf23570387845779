//! The report as Markdown, for a comment on a pull request or the summary of a job.
//!
//! Whatever is foreign stands in a code span or a fenced block (`text::markdown_code`, `text::markdown_fence`), where nothing
//! links, loads or mentions anybody. All HTML is ours and holds no foreign text. A comment has room for 65,536 characters;
//! what doesn't fit is counted.

use super::group::{Group, groups};
use super::notice;
use super::plain::{difference, problem_lines, proposed};
use super::style::{Detail, count, counted, own_words};
use super::{Report, ServerReport, State, summary};
use crate::exit::Outcome;
use crate::finding::{Finding, Level};
use crate::problem::Problem;
use crate::text::{self, markdown_code, markdown_fence};

/// The most characters of a page: GitHub takes 65,536 in a comment, and a caller may want to add a line.
const MOST: usize = 65_000;
/// The most characters of the table and of what failed, so that there is room for findings.
const MOST_AT_THE_TOP: usize = 30_000;
/// Kept for the words that say what was left out and what to type next.
const KEPT_FOR_THE_END: usize = 6_000;
/// The most characters of a name, a place or a note.
const MOST_OF_A_NAME: usize = 120;
/// The most characters of what shows one difference.
const MOST_OF_A_DIFFERENCE: usize = 6_000;

/// After so many findings of a server that had no room, no further one is tried.
const MOST_MISSES: usize = 20;

/// The page, ending with a line feed.
pub fn render(report: &Report, detail: Detail) -> String {
    let mut page = Page { out: String::new(), length: 0, most: MOST_AT_THE_TOP };
    page.add(&format!("### {}\n\n", heading(report)));
    page.add(&format!("{}\n", summary::counts(report)));
    page.table(report);
    page.problems(report);
    page.most = MOST - KEPT_FOR_THE_END;
    let mut left_out = 0;
    for server in &report.servers {
        left_out += page.findings(server, detail);
    }
    page.most = MOST;
    if left_out > 0 {
        page.add(&format!("\n{} more, which had no room here.\n", counted(left_out, "finding")));
    }
    page.next(&report.next);
    page.out
}

fn heading(report: &Report) -> &'static str {
    let failed = report.servers.iter().any(|server| server.state == State::NotChecked || server.problem.is_some());
    match report.outcome {
        Outcome::Drift if report.command == "pin" => "MCP tools: the lockfile would change",
        Outcome::Drift if failed || !report.problems.is_empty() => {
            "MCP tools differ from the lockfile, and not all could be checked"
        }
        Outcome::Drift => "MCP tools differ from the lockfile",
        Outcome::NotChecked if report.is_only_unwritten() => "MCP tools: not all reports could be written",
        Outcome::NotChecked => "MCP tools could not be checked",
        Outcome::InSync if report.command == "pin" => "MCP tools are pinned",
        Outcome::InSync if report.command == "inspect" => "MCP tools, compared with nothing",
        Outcome::InSync if report.totals().in_sync == 0 => "MCP tools: nothing was compared",
        Outcome::InSync => "MCP tools are in sync with the lockfile",
    }
}

/// A page that doesn't grow beyond its bound.
struct Page {
    out: String,
    length: usize,
    most: usize,
}

impl Page {
    /// Adds a piece if it fits, whole or not at all.
    fn add(&mut self, piece: &str) -> bool {
        let length = piece.chars().count();
        let fits = self.length + length <= self.most;
        if fits {
            self.out.push_str(piece);
            self.length += length;
        }
        fits
    }

    /// A row for each server.
    fn table(&mut self, report: &Report) {
        if report.servers.is_empty() {
            return;
        }
        self.add("\n| server | state | danger | change | notice |\n|---|---|--:|--:|--:|\n");
        let mut left_out = 0;
        for server in &report.servers {
            let of_level = |level: Level| server.findings.iter().filter(|finding| finding.level == level).count();
            let [danger, change, notice] = [Level::Danger, Level::Change, Level::Notice].map(of_level);
            let row = format!(
                "| {} | {} | {} | {} | {} |\n",
                code(&server.name),
                server.state.as_str(),
                count(danger),
                count(change),
                count(notice)
            );
            // A table has no gap: after the first row that doesn't fit there is none.
            left_out += usize::from(left_out > 0 || !self.add(&row));
        }
        if left_out > 0 {
            self.most += 100;
            self.add(&format!("\n{} more, which had no room here.\n", counted(left_out, "server")));
        }
    }

    /// What could not be checked, and why.
    fn problems(&mut self, report: &Report) {
        let of_servers = report.servers.iter().filter_map(|server| Some((Some(server), server.problem.as_ref()?)));
        let others = report.problems.iter().map(|problem| (None, problem));
        let mut left_out = 0;
        for (server, problem) in of_servers.chain(others) {
            left_out += usize::from(!self.add(&told_problem(server, problem)));
        }
        if left_out > 0 {
            self.most += 100;
            self.add(&format!("\n{} more, which had no room here.\n", counted(left_out, "problem")));
        }
    }

    /// What differs of a server, folded away; how many findings had no room is given back.
    fn findings(&mut self, server: &ServerReport, detail: Detail) -> usize {
        let failing = groups(server.findings.iter().filter(|finding| finding.level.fails()));
        let shown = server.findings.iter().filter(|finding| notice::is_shown(finding, server.state, detail));
        let notices = groups(shown);
        let all: Vec<&Group<'_>> = failing.iter().chain(&notices).collect();
        if all.is_empty() && server.context.is_empty() && server.softened.is_empty() {
            return 0;
        }
        let size = |group: &Group<'_>| 1 + group.others.len();
        let of_level = |level: Level| -> usize {
            all.iter().filter(|group| group.finding.level == level).map(|group| size(group)).sum()
        };
        let [danger, change, notice] = [Level::Danger, Level::Change, Level::Notice].map(of_level);
        let mut words = Vec::new();
        if danger + change > 0 {
            words.push(summary::levels(danger, change));
        }
        if notice > 0 {
            words.push(counted(notice, "notice"));
        }
        let words = if words.is_empty() { "what to know of it".to_owned() } else { words.join(", ") };
        let softened = server.softened.iter().map(notice::softened);
        let context: Vec<String> = server.context.iter().map(|words| own_words(words)).chain(softened).collect();
        let context = if context.is_empty() { String::new() } else { markdown_fence("text", &context) + "\n" };
        let opening = format!(
            "\n#### {}\n\n<details>\n<summary>{words}</summary>\n\n{}",
            code(&server.name),
            if context.chars().count() > MOST_OF_A_DIFFERENCE { "" } else { &context }
        );
        const CLOSING: &str = "</details>\n";
        let everything = all.iter().map(|group| size(group)).sum();
        self.most -= CLOSING.len();
        let mut left_out = 0;
        if self.add(&opening) {
            let mut misses = 0;
            for group in &all {
                // Smaller ones that follow may still fit, but a flood isn't worked out to its end.
                if misses == MOST_MISSES || !self.add(&told(group)) {
                    misses = MOST_MISSES.min(misses + 1);
                    left_out += size(group);
                }
            }
            self.most += CLOSING.len();
            self.add(CLOSING);
        } else {
            self.most += CLOSING.len();
            left_out = everything;
        }
        left_out
    }

    fn next(&mut self, next: &[String]) {
        let lines: Vec<String> = next.iter().map(|line| text::terminal_line(line)).collect();
        if lines.is_empty() {
            return;
        }
        if !self.add(&format!("\nNext:\n\n{}", markdown_fence("text", &lines))) {
            self.add("\nNext: what to type stands in the log of the run.\n");
        }
    }
}

fn told_problem(server: Option<&ServerReport>, problem: &Problem) -> String {
    let mut told = vec![text::terminal_line(&problem.step)];
    told.extend(problem_lines(problem));
    let what = match server {
        Some(server) => format!("\nCould not check {}:\n\n", code(&server.name)),
        None => "\nFailed:\n\n".to_owned(),
    };
    what + &bounded_fence("text", told)
}

/// One finding, and the further items that have the same one.
fn told(group: &Group<'_>) -> String {
    let finding: &Finding = group.finding;
    let mut out = format!("**{}** {}", finding.level.as_str(), code(finding.rule.id));
    if let Some(item) = &finding.item {
        out.push_str(&format!(" {} {}", item.kind, code(&item.name)));
        if !group.others.is_empty() {
            out.push_str(&format!(" and the same in {} more", count(group.others.len())));
        }
    }
    if !finding.pointer.is_root() {
        out.push_str(&format!(" at {}", code(&finding.pointer.to_string())));
    }
    out.push_str(proposed(finding));
    out.push_str("\n\n");
    let mut lines = difference(finding);
    lines.extend(finding.note.as_deref().map(|words| format!("= note: {}", super::style::note(words))));
    if !lines.is_empty() {
        out.push_str(&bounded_fence("diff", lines));
        out.push('\n');
    }
    out + &format!("{} {}\n\n", finding.rule.why, finding.rule.todo)
}

/// A fenced block without the lines that have no room.
fn bounded_fence(language: &str, lines: Vec<String>) -> String {
    let mut length = 0;
    let (all, mut kept) = (lines.len(), Vec::new());
    for line in lines {
        length += line.chars().count() + 1;
        if length <= MOST_OF_A_DIFFERENCE {
            kept.push(line);
        }
    }
    let cut = all - kept.len();
    if cut > 0 {
        kept.push(format!("… {} had no room here", counted(cut, "line")));
    }
    markdown_fence(language, &kept)
}

/// A name or a place as code, cut to what a line can bear.
fn code(name: &str) -> String {
    let shown = text::shorten(name, MOST_OF_A_NAME);
    let span = markdown_code(shown.text);
    if shown.cut > 0 { format!("{span} and {} more", counted(shown.cut, "character")) } else { span }
}
