//! The report as JUnit XML, for what shows test results: a suite for each server, in it a case for the server itself and
//! one for each item.
//!
//! What differs is a failure, what could not be checked an error. Texts are safe for a terminal before they become XML, so
//! none of the characters that XML 1.0 forbids is left in them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::plain::{difference, problem_lines, proposed};
use super::style::{note, own_words, place};
use super::{Contact, Report, ServerReport, State, notice};
use crate::finding::{Finding, ItemName};
use crate::problem::Problem;
use crate::text;

/// The document, ending with a line feed.
pub fn render(report: &Report) -> String {
    let mut document = quick_junit::Report::new(format!("mcp-pin {}", report.command));
    document.add_test_suites(report.servers.iter().map(suite));
    if !report.problems.is_empty() {
        let mut suite = TestSuite::new(format!("mcp-pin {}", report.command));
        suite.add_test_cases(report.problems.iter().enumerate().map(|(index, problem)| {
            // Two problems can have the same step, and two cases can't have the same name.
            let title = format!("{} ({})", text::terminal_line(&problem.step), index + 1);
            case("mcp-pin", &title, error(problem))
        }));
        document.add_test_suite(suite);
    }
    // Texts and counts can always be written.
    let xml = document.to_string().unwrap_or_default();
    if xml.ends_with('\n') { xml } else { xml + "\n" }
}

fn suite(server: &ServerReport) -> TestSuite {
    let class = text::identifier(&server.name);
    let mut suite = TestSuite::new(class.as_str());
    for (key, value) in properties(server) {
        suite.add_property(Property::new(key, text::terminal_line(&value)));
    }
    let mut of_items: BTreeMap<&ItemName, Vec<&Finding>> = server.names.iter().map(|item| (item, Vec::new())).collect();
    let mut of_server = Vec::new();
    for finding in &server.findings {
        match &finding.item {
            Some(item) => of_items.entry(item).or_default().push(finding),
            None => of_server.push(finding),
        }
    }
    suite.add_test_cases(cases_of_server(server, &class, &of_server));
    for (item, findings) in of_items {
        let title = format!("{} {}", item.kind, text::identifier(&item.name));
        let status = failure(&findings).unwrap_or_else(|| untold(server));
        suite.add_test_case(case(&class, &title, status));
    }
    suite
}

/// What a reader may want to know of the run.
fn properties(server: &ServerReport) -> Vec<(&'static str, String)> {
    let mut properties = vec![("state", server.state.as_str().to_owned())];
    if let Contact::Made { client, .. } = &server.contact {
        properties.push(("client", client.clone()));
    }
    properties.extend(server.softened.iter().map(|softened| ("softened", notice::softened(softened))));
    properties.extend(server.surface.as_ref().map(|digest| ("surface", digest.to_string())));
    properties
}

/// The server's own case, and a second one where it both differs and could not be read to the end.
fn cases_of_server(server: &ServerReport, class: &str, findings: &[&Finding]) -> Vec<TestCase> {
    let differs = failure(findings);
    let failed = match &server.problem {
        Some(problem) => Some(error(problem)),
        None if server.state == State::NotChecked => Some(error(&Problem::new("checking", "no reason is known", ""))),
        None => None,
    };
    match (failed, differs) {
        (Some(failed), Some(differs)) => {
            vec![case(class, "server", differs), case(class, "server, read to the end", failed)]
        }
        (Some(status), None) | (None, Some(status)) => vec![case(class, "server", status)],
        (None, None) => vec![case(class, "server", untold(server))],
    }
}

/// The status of what nothing fails of.
fn untold(server: &ServerReport) -> TestCaseStatus {
    match server.state {
        State::Skipped => {
            let mut status = TestCaseStatus::skipped();
            let context: Vec<String> = server.context.iter().map(|words| own_words(words)).collect();
            status.set_message(context.join("; "));
            status
        }
        // Of a server that wasn't read to its end nothing is known, whatever it has listed.
        State::NotChecked => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("not checked");
            status
        }
        State::InSync | State::Drift | State::New | State::Read => TestCaseStatus::success(),
    }
}

fn case(class: &str, title: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(title, status);
    case.set_classname(class);
    case
}

/// All that fails of one item, as one failure: the worst by its name, and each in the text.
fn failure(findings: &[&Finding]) -> Option<TestCaseStatus> {
    let failing: Vec<&&Finding> = findings.iter().filter(|finding| finding.level.fails()).collect();
    let worst = failing.iter().min_by_key(|finding| Reverse(finding.level))?;
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(worst.rule.id);
    status.set_message(failing.iter().map(|finding| heading(finding)).collect::<Vec<_>>().join("; "));
    let mut told = Vec::new();
    for finding in &failing {
        told.push(heading(finding));
        told.extend(difference(finding).into_iter().map(|line| format!("  {line}")));
        told.extend(finding.note.as_deref().map(|words| format!("  = note: {}", note(words))));
        told.push(format!("  = why: {}", finding.rule.why));
        told.push(format!("  = do: {}", finding.rule.todo));
    }
    status.set_description(told.join("\n"));
    Some(status)
}

fn heading(finding: &Finding) -> String {
    format!("{}[{}]{}{}", finding.level.as_str(), finding.rule.id, place(&finding.pointer), proposed(finding))
}

fn error(problem: &Problem) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    let step = text::terminal_line(&problem.step);
    status.set_type("not-checked");
    let cause = problem.cause.lines().next().unwrap_or_default();
    status.set_message(format!("{step}: {}", text::terminal_line(cause)));
    status.set_description(problem_lines(problem).join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::rule;
    use crate::surface::Kind;

    fn rendered(server: ServerReport) -> String {
        render(&Report::new("check", "mcp-tools.lock".to_owned(), vec![server], Vec::new()))
    }

    fn tool(name: &str) -> ItemName {
        ItemName { kind: Kind::Tool, name: name.to_owned() }
    }

    #[test]
    fn there_is_a_case_for_the_server_and_one_for_each_item() {
        let findings = vec![Finding::new(&rule::TOOL_REMOVED).of_item(Kind::Tool, "gone")];
        let names = vec![tool("a"), tool("b")];
        let xml = rendered(ServerReport { findings, names, ..ServerReport::new("crm", State::Drift) });
        for part in [
            r#"<testsuite name="crm" tests="4" skipped="0" errors="0" failures="1">"#,
            r#"<testcase name="server" classname="crm""#,
            r#"<testcase name="tool a" classname="crm""#,
            r#"<testcase name="tool gone" classname="crm""#,
            r#"type="tool-removed""#,
        ] {
            assert!(xml.contains(part), "no {part} in:\n{xml}");
        }
    }

    #[test]
    fn what_was_not_checked_is_an_error_and_never_a_success() {
        let problem = Some(Problem::new("reading", "]]>&<\u{0}\u{fffe}", "x"));
        let xml = rendered(ServerReport { problem, ..ServerReport::new("crm", State::NotChecked) });
        assert!(xml.contains(r#"errors="1" failures="0""#), "{xml}");
        assert!(xml.contains("\\u{0}\\u{fffe}") && !xml.contains("]]>&<"), "{xml}");
    }

    #[test]
    fn a_skipped_server_is_skipped() {
        let xml =
            rendered(ServerReport { context: vec!["off".to_owned()], ..ServerReport::new("crm", State::Skipped) });
        assert!(xml.contains(r#"<skipped message="off"/>"#), "{xml}");
    }
}
