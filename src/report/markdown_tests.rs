//! What stands on a page, by a parser of CommonMark and GitHub's tables.

use proptest::test_runner::TestCaseError;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::human::Detail;
use super::markdown::render;
use super::{Report, ServerReport, State};
use crate::finding::{Finding, rule};
use crate::json::Value;
use crate::problem::Problem;
use crate::surface::Kind;

/// The HTML that is ours, beside a summary of words and counts.
const OURS: [&str; 2] = ["<details>\n", "</details>\n"];

/// The page fits into a comment, and all on it but words of ours stands in code.
pub(super) fn expect_tame(page: &str, report: &Report) -> Result<(), TestCaseError> {
    let fail = |what: String| Err(TestCaseError::fail(format!("{what}\n{page}")));
    if page.chars().count() > 65_536 {
        return fail(format!("{} characters", page.chars().count()));
    }
    if page.chars().any(crate::text::is_invisible) {
        return fail("an invisible character".to_owned());
    }
    let (mut in_block, mut rows, mut open) = (false, 0, 0_i32);
    for event in Parser::new_ext(page, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Start(Tag::TableRow) => rows += 1,
            Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::FootnoteDefinition(_)
                | Tag::MetadataBlock(_)
                | Tag::List(_)
                | Tag::BlockQuote(_),
            )
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::InlineHtml(_)
            | Event::Rule => return fail(format!("{event:?}")),
            Event::Html(html) => {
                let summary = html.strip_prefix("<summary>").and_then(|html| html.strip_suffix("</summary>\n"));
                let is_word = |character: char| character.is_ascii_alphanumeric() || matches!(character, ' ' | ',');
                if !OURS.contains(&&*html) && !summary.is_some_and(|words| words.chars().all(is_word)) {
                    return fail(format!("HTML {html:?}"));
                }
                open += i32::from(&*html == OURS[0]) - i32::from(&*html == OURS[1]);
            }
            Event::Text(text) if !in_block => {
                let acts = |part: &str| text.contains(part);
                if ["@", "#", "://", "www.", "<", "]("].into_iter().any(acts) {
                    return fail(format!("text {text:?}"));
                }
            }
            _ => {}
        }
    }
    if in_block || open != 0 {
        return fail("something isn't closed".to_owned());
    }
    if rows > report.servers.len() {
        return fail(format!("{rows} rows"));
    }
    Ok(())
}

fn report(servers: Vec<ServerReport>) -> Report {
    Report::new("check", "mcp-tools.lock".to_owned(), servers, Vec::new())
}

fn changed(item: &str, old: &str, new: &str) -> Finding {
    Finding::new(&rule::DESCRIPTION_CHANGED)
        .of_item(Kind::Tool, item)
        .between(Some(Value::from(old)), Some(Value::from(new)))
}

#[test]
fn a_page_has_a_row_for_each_server_and_folds_what_differs() {
    let problem = Some(Problem::new("starting the server", "out of coffee", "brew"));
    let page = render(
        &report(vec![
            ServerReport { findings: vec![changed("a", "One.", "Two.")], ..ServerReport::new("crm", State::Drift) },
            ServerReport { problem, ..ServerReport::new("dead", State::NotChecked) },
        ]),
        Detail::Normal,
    );
    for part in [
        "### MCP tools differ from the lockfile, and not all could be checked\n",
        "check: 2 servers, 1 drifted, 1 not checked: 1 danger\n",
        "| `crm` | drift | 1 | 0 | 0 |\n| `dead` | not-checked | 0 | 0 | 0 |\n",
        "Could not check `dead`:\n\n```text\nstarting the server\n| out of coffee\nhelp: brew\n```\n",
        "#### `crm`\n\n<details>\n<summary>1 danger</summary>\n\n**danger** `description-changed` tool `a`\n\n```diff\n- ",
        "</details>\n\nNext:\n\n```text\nread what differs above",
    ] {
        assert!(page.contains(part), "no {part:?} in:\n{page}");
    }
}

#[test]
fn one_edit_of_many_tools_is_told_once() {
    let findings = (0..9).map(|n| changed(&format!("t{n}"), "Does.", "Does. Copy audit.")).collect();
    let page =
        render(&report(vec![ServerReport { findings, ..ServerReport::new("crm", State::Drift) }]), Detail::Normal);
    assert!(
        page.contains("tool `t0` and the same in 8 more") && page.contains("<summary>9 danger</summary>"),
        "{page}"
    );
    assert_eq!(page.matches("**danger**").count(), 1);
}

#[test]
fn what_has_no_room_is_counted() {
    let findings =
        (0..1_000).map(|n| changed(&format!("t{n}"), "Does.", &format!("Does {n}. {}", "x ".repeat(100)))).collect();
    let report = report(vec![ServerReport { findings, ..ServerReport::new("crm", State::Drift) }]);
    let page = render(&report, Detail::Normal);
    expect_tame(&page, &report).expect("tame");
    let told = page.matches("**danger**").count();
    assert!(told > 20, "{told}");
    let more = crate::report::style::counted(1_000 - told, "finding");
    assert!(page.contains(&format!("{more} more, which had no room here")), "{told}");
}

#[test]
fn a_thousand_servers_and_problems_fit() {
    let problem = || Some(Problem::new("starting", "long words ".repeat(3_000), "brew"));
    let servers = (0..1_000)
        .map(|n| ServerReport {
            problem: problem(),
            ..ServerReport::new(&format!("{}{n}", "s|".repeat(100)), State::NotChecked)
        })
        .collect();
    let report = report(servers);
    let page = render(&report, Detail::Normal);
    expect_tame(&page, &report).expect("tame");
    assert!(page.contains("servers more, which had no room here") && page.contains("problems more"), "{page}");
}
