//! The report as annotations of a GitHub Actions workflow, one workflow command a line.
//!
//! A step may have ten errors, ten warnings and ten notices (GitHub Actions, Workflow commands and their limits); where
//! there are more, the last one of that sort says how many. Each line is a command of ours or begins with a word of ours,
//! so no foreign text can begin one.

use super::group::{Group, groups};
use super::plain::{difference, lines, subject_of_group};
use super::style::{Detail, count, name, note};
use super::{Report, notice, summary};
use crate::finding::{Finding, Level};
use crate::invocation;
use crate::problem::Problem;
use crate::text::{self, workflow_message, workflow_property};

/// The most annotations of one sort.
const MOST: usize = 10;
/// The most characters of a message; GitHub takes 64 KB, and nobody reads them in an annotation.
const MOST_CHARACTERS: usize = 4_000;
/// The most characters of a title; GitHub takes 255.
const MOST_IN_TITLE: usize = 200;

/// The annotations, then what it comes to and what to type next. Notices are those that a person is shown.
pub fn render(report: &Report, detail: Detail) -> String {
    let (mut errors, mut warnings, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    for server in &report.servers {
        for group in groups(server.findings.iter().filter(|finding| finding.level.fails())) {
            let of_level = if group.finding.level == Level::Danger { &mut errors } else { &mut warnings };
            of_level.push((server.name.as_str(), group));
        }
        let shown = server.findings.iter().filter(|finding| notice::is_shown(finding, server.state, detail));
        notices.extend(groups(shown).into_iter().map(|group| (server.name.as_str(), group)));
    }
    let mut out = String::new();
    // What could not be checked comes first: no flood of findings may push it out.
    for (command, problems, groups) in
        [("error", problems(report), errors), ("warning", Vec::new(), warnings), ("notice", Vec::new(), notices)]
    {
        for annotation in bounded(problems, &groups, report.command) {
            out.push_str(&annotation.line(command, &report.record.artifact));
        }
    }
    for server in &report.servers {
        for softened in &server.softened {
            out.push_str(&format!("policy: {}: {}\n", name(&server.name), notice::softened(softened)));
        }
    }
    out.push_str(&format!("{}\n", summary::counts(report)));
    for next in &report.next {
        out.push_str(&format!("next: {}\n", text::terminal_line(next)));
    }
    out
}

/// One annotation. Its texts are safe for a terminal.
struct Annotation {
    title: String,
    lines: Vec<String>,
    /// The line of the lockfile that it points at.
    line: Option<usize>,
}

impl Annotation {
    /// The command, with its line feed.
    fn line(&self, command: &str, file: &str) -> String {
        let title = text::shorten(&self.title, MOST_IN_TITLE);
        let ellipsis = if title.cut > 0 { "…" } else { "" };
        let mut properties = format!("title={}", workflow_property(&format!("{}{ellipsis}", title.text)));
        if let Some(line) = self.line.filter(|_| !file.is_empty()) {
            properties = format!("file={},line={line},{properties}", workflow_property(&text::terminal_line(file)));
        }
        let message = self.lines.join("\n");
        let shown = text::shorten(&message, MOST_CHARACTERS);
        let cut = if shown.cut > 0 { format!("… {} more characters", count(shown.cut)) } else { String::new() };
        format!("::{command} {properties}::{}\n", workflow_message(&format!("{}{cut}", shown.text)))
    }
}

fn of_group(server: &str, group: &Group<'_>) -> Annotation {
    let finding: &Finding = group.finding;
    let subject = subject_of_group(server, group);
    let mut lines = vec![subject.clone()];
    lines.extend(difference(finding));
    lines.extend(finding.note.as_deref().map(|words| format!("= note: {}", note(words))));
    lines.push(format!("= why: {}", finding.rule.why));
    lines.push(format!("= do: {}", finding.rule.todo));
    let title = format!("{}[{}] {subject}", finding.level.as_str(), finding.rule.id);
    Annotation { title, lines, line: finding.line }
}

fn problems(report: &Report) -> Vec<Annotation> {
    let of_servers = report.servers.iter().filter_map(|server| {
        let what = format!("could not check {}: ", name(&server.name));
        Some(of_problem(&what, server.problem.as_ref()?, server.line))
    });
    of_servers.chain(report.problems.iter().map(|problem| of_problem("", problem, None))).collect()
}

fn of_problem(what: &str, problem: &Problem, line: Option<usize>) -> Annotation {
    let title = format!("{what}{}", text::terminal_line(&problem.step));
    let help = lines(&problem.help).into_iter().map(|help| format!("help: {help}"));
    let mut told = lines(&problem.cause);
    told.extend(help);
    // A message that is empty is no annotation.
    if told.is_empty() {
        told.push(title.clone());
    }
    Annotation { title, lines: told, line }
}

/// As many as GitHub takes of one sort; only for those it is worked out what differs.
fn bounded(problems: Vec<Annotation>, groups: &[(&str, Group<'_>)], command: &str) -> Vec<Annotation> {
    let all = problems.len() + groups.len();
    let kept = if all > MOST { MOST - 1 } else { all };
    let of_groups = groups.iter().map(|(server, group)| of_group(server, group));
    let mut annotations: Vec<Annotation> = problems.into_iter().chain(of_groups).take(kept).collect();
    if all > kept {
        let more = count(all - kept);
        let lines = vec![format!("{more} more like these: {} {command} shows them all", invocation::words("mcp-pin"))];
        annotations.push(Annotation { title: format!("and {more} more"), lines, line: None });
    }
    annotations
}

#[cfg(test)]
mod tests {
    use super::super::{ServerReport, State};
    use super::*;
    use crate::finding::rule;
    use crate::json::Value;
    use crate::surface::Kind;

    fn report(findings: Vec<Finding>) -> Report {
        let server = ServerReport { findings, ..ServerReport::new("crm", State::Drift) };
        let mut report = Report::new("check", "mcp-tools.lock".to_owned(), vec![server], Vec::new());
        report.record.artifact = "sub/mcp-tools.lock".to_owned();
        report.next.clear();
        report
    }

    fn changed(item: &str, old: &str, new: &str) -> Finding {
        Finding::new(&rule::DESCRIPTION_CHANGED)
            .of_item(Kind::Tool, item)
            .between(Some(Value::from(old)), Some(Value::from(new)))
    }

    #[test]
    fn an_annotation_is_one_line_that_points_at_the_lockfile() {
        let finding = Finding { line: Some(7), ..changed("a", "50% it", "1,: it") };
        let out = render(&report(vec![finding]), Detail::Normal);
        let rule = &rule::DESCRIPTION_CHANGED;
        let message =
            format!("`crm` tool `a`%0A- {{-50%25-}} it%0A+ {{+1,:+}} it%0A= why: {}%0A= do: {}", rule.why, rule.todo);
        assert_eq!(
            out,
            format!(
                "::error file=sub/mcp-tools.lock,line=7,title=danger[description-changed] `crm` tool `a`::{message}\n\
                 check: 1 server, 1 drifted: 1 danger\n"
            )
        );
    }

    #[test]
    fn eleven_of_one_sort_are_nine_and_a_count() {
        let findings = |many: usize| (0..many).map(|n| changed(&format!("t{n}"), "a", &format!("b{n}"))).collect();
        let errors = |many: usize| -> Vec<String> {
            let out = render(&report(findings(many)), Detail::Normal);
            out.lines().filter(|line| line.starts_with("::error ")).map(str::to_owned).collect()
        };
        assert_eq!(errors(10).len(), 10);
        let errors = errors(11);
        assert_eq!(errors.len(), 10);
        assert_eq!(errors[9], "::error title=and 2 more::2 more like these: mcp-pin check shows them all");
    }
}
