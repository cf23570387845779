//! The report as a person reads it, in a terminal or a log.
//!
//! Every foreign text is escaped, and no line begins with one: each begins with a word or a mark of ours, for continuous
//! integration obeys lines that begin with `::`, even after blanks. The worst stands first within a server, and the last
//! lines say what it comes to and what to type next.

use std::collections::BTreeSet;

use super::cut::cut;
use super::definitions::Definitions;
use super::group::{Group, groups};
use super::marked::{self, Spellings};
use super::plain::proposed;
use super::style::{Tone, count, name, note, own_words, place};
use super::summary::{self, levels};
use super::{Report, ServerReport, State, notice, value};
use crate::exit::Outcome;
use crate::finding::{Finding, ItemName, Level, Softened, Softening, rule};
use crate::invocation;
use crate::problem::Problem;
use crate::text;

pub use super::style::{Colour, Detail, Style, Values};

/// The most differences of one server that are shown unless everything is wanted.
const MOST_DIFFERENCES: usize = 50;
/// The most items that are named where one edit or notice is about many.
const MOST_NAMES: usize = 5;

/// The report's text, ending with a line feed.
pub fn render(report: &Report, style: &Style) -> String {
    render_with(report, &[], style)
}

/// The same with what servers say, between what was found and what it comes to.
pub fn render_with(report: &Report, definitions: &[Definitions], style: &Style) -> String {
    let mut page = Page::new(*style, report);
    page.servers();
    for problem in &report.problems {
        page.problem("", problem);
    }
    if style.detail != Detail::Quiet {
        page.definitions(definitions);
    }
    page.warnings();
    page.end();
    page.out
}

/// One difference as it stands in a report, without what its rule says of itself.
pub fn finding(server: &str, finding: &Finding, style: &Style) -> String {
    let report = Report::failed("", String::new(), Vec::new());
    let mut page = Page::new(*style, &report);
    page.explained.insert(finding.rule.id);
    page.finding(server, &Group { finding, others: Vec::new() });
    page.out
}

/// Some differences of a server, of any level, and what a policy softened, each with what its rule says of itself; the text
/// ends with a line feed.
pub fn differences(server: &str, findings: &[&Finding], softened: &[&Softened], style: &Style) -> String {
    let report = Report::failed("", String::new(), Vec::new());
    let mut page = Page::new(*style, &report);
    for finding in findings {
        page.finding(server, &Group { finding, others: Vec::new() });
    }
    for one in softened {
        page.gap();
        page.softened(server, one);
    }
    page.out
}

/// The text of a problem that is told by itself.
pub fn problem(problem: &Problem, colour: Colour) -> String {
    let report = Report::failed("", String::new(), Vec::new());
    let mut page = Page::new(Style { colour, ..Style::default() }, &report);
    page.problem("", problem);
    page.out
}

struct Page<'a> {
    style: Style,
    report: &'a Report,
    out: String,
    /// The rules that were explained above.
    explained: BTreeSet<&'static str>,
    /// Whether anything was left out that a reader must see before accepting.
    something_cut: bool,
}

impl<'a> Page<'a> {
    fn new(style: Style, report: &'a Report) -> Self {
        Self { style, report, out: String::new(), explained: BTreeSet::new(), something_cut: false }
    }
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn paint(&self, tone: Tone, text: &str) -> String {
        self.style.colour.paint(tone, text)
    }

    /// Those that are well first, so that what needs a reader stands next to the end.
    fn servers(&mut self) {
        let report = self.report;
        for server in report.servers.iter().filter(|server| is_well(server)) {
            if self.style.detail != Detail::Quiet {
                self.well(server);
            }
            server.softened.iter().for_each(|softened| self.softened(&server.name, softened));
        }
        for server in report.servers.iter().filter(|server| !is_well(server)) {
            self.unwell(server);
        }
    }

    fn well(&mut self, server: &ServerReport) {
        let mut line = format!("{}: {}", self.paint(Tone::Fine, server.state.words()), name(&server.name));
        if let Some(items) = &server.items {
            line.push_str(&format!(", {items}"));
        }
        // Each of them at every check would be noise; the whole notices are for those who ask.
        if server.state == State::InSync && self.style.detail == Detail::Normal {
            if has(server, rule::LISTING_DYNAMIC.id) {
                line.push_str(", which may change while an agent is connected");
            }
            if has(server, rule::RESOURCES_UNPINNED.id) {
                line.push_str("; its resources change by themselves and aren't pinned");
            }
        }
        match server.context.as_slice() {
            [] => self.line(&line),
            [reason] if server.state == State::Skipped => self.line(&format!("{line}, {}", own_words(reason))),
            context => {
                self.line(&line);
                self.context(context);
            }
        }
        self.notices(server, |_| true);
    }

    fn unwell(&mut self, server: &ServerReport) {
        self.gap();
        let failing = |level: Level| server.findings.iter().filter(|finding| finding.level == level).count();
        let (danger, change) = (failing(Level::Danger), failing(Level::Change));
        if server.state != State::NotChecked {
            let tone = Tone::Level(if danger > 0 { Level::Danger } else { Level::Change });
            let heading = self.paint(tone, server.state.words());
            self.line(&format!("{heading}: {}, {}", name(&server.name), levels(danger, change)));
        }
        match &server.problem {
            Some(problem) => self.problem(&format!("could not check {}: ", name(&server.name)), problem),
            None if server.state == State::NotChecked => {
                let heading = self.paint(Tone::Failed, "error");
                self.line(&format!("{heading}: could not check {}", name(&server.name)));
            }
            None => {}
        }
        self.context(&server.context);
        // Another release explains what follows.
        let explains =
            |finding: &Finding| [rule::RELEASE_CHANGED.id, rule::PROTOCOL_CHANGED.id].contains(&finding.rule.id);
        self.notices(server, explains);
        self.findings(server);
        if danger + change > 0 {
            self.gap();
        }
        self.notices(server, |finding| !explains(finding));
        server.softened.iter().for_each(|softened| self.softened(&server.name, softened));
    }

    /// What a policy softened, whatever the reader asked for: a warning with its difference, the rest on a line each unless
    /// everything is wanted.
    fn softened(&mut self, server: &str, softened: &Softened) {
        let finding = &softened.finding;
        let heading = self.paint(Tone::Quiet, &format!("{}[{}]", softened.effect.as_str(), finding.rule.id));
        let item = finding.item.as_ref().map(|item| format!(" {} {}", item.kind, name(&item.name)));
        let line = format!("{heading} {}{}", name(server), item.unwrap_or_default());
        let is_whole = softened.effect == Softening::Warned || self.style.values == Values::Full;
        if is_whole && self.style.detail != Detail::Quiet {
            self.line(&format!("{line}{}", place(&finding.pointer)));
            self.difference(finding);
            if let Some(words) = &finding.note {
                self.remark("note", &note(words));
            }
        } else {
            self.line(&format!("{line}{}", notice::brief(finding)));
        }
        self.remark("by", &notice::by(softened));
    }

    fn context(&mut self, context: &[String]) {
        for words in context {
            self.line(&format!("  | {}", own_words(words)));
        }
    }

    fn findings(&mut self, server: &ServerReport) {
        let mut groups = groups(server.findings.iter().filter(|finding| finding.level.fails()));
        if groups.len() > MOST_DIFFERENCES && self.style.values == Values::Short {
            // A flood of one rule must not push the others out of sight.
            let mut seen = BTreeSet::new();
            groups.sort_by_cached_key(|group| !seen.insert(group.finding.rule.id));
        }
        let most = if self.style.values == Values::Full { groups.len() } else { MOST_DIFFERENCES };
        for group in groups.iter().take(most) {
            self.finding(&server.name, group);
        }
        let rest = groups.get(most..).unwrap_or_default();
        if !rest.is_empty() {
            self.something_cut = true;
            let of_level = |level: Level| {
                rest.iter().filter(|group| group.finding.level == level).map(|group| 1 + group.others.len()).sum()
            };
            let counts = levels(of_level(Level::Danger), of_level(Level::Change));
            self.gap();
            self.line(&format!(
                "  … and {counts} more of {}; --full shows all, and so does --format json",
                name(&server.name)
            ));
        }
    }

    fn finding(&mut self, server: &str, group: &Group<'_>) {
        let finding = group.finding;
        let mut line = format!("{} {}", self.heading(finding), name(server));
        if let Some(item) = &finding.item {
            line.push_str(&format!(" {} {}", item.kind, name(&item.name)));
            if !group.others.is_empty() {
                line.push_str(&format!(" and {} more", count(group.others.len())));
            }
        }
        line.push_str(&place(&finding.pointer));
        line.push_str(proposed(finding));
        if self.style.detail == Detail::Quiet {
            return self.line(&line);
        }
        self.gap();
        self.line(&line);
        self.difference(finding);
        if let Some(words) = &finding.note {
            self.remark("note", &note(words));
        }
        if !group.others.is_empty() {
            let names = self.names(group.others.iter().copied());
            self.remark("also", &format!("the same edit in {names}"));
        }
        if self.explained.insert(finding.rule.id) {
            self.remark("why", finding.rule.why);
            self.remark("do", finding.rule.todo);
        }
    }

    fn heading(&self, finding: &Finding) -> String {
        let words = format!("{}[{}]", finding.level.as_str(), finding.rule.id);
        self.paint(Tone::Level(finding.level), &words)
    }

    fn remark(&mut self, label: &str, words: &str) {
        let line = self.paint(Tone::Quiet, &format!("  = {label}: {words}"));
        self.line(&line);
    }

    fn difference(&mut self, finding: &Finding) {
        // A tool that went has nothing to be read unless its text is wanted.
        if finding.rule.id == rule::TOOL_REMOVED.id && self.style.values == Values::Short {
            return;
        }
        let lines = value::lines(finding);
        let spellings = Spellings::of(&lines);
        let lines = if self.style.values == Values::Full {
            lines
        } else {
            let whole = lines.clone();
            let lines = cut(lines);
            self.something_cut |= lines != whole;
            lines
        };
        for line in &lines {
            self.line(&marked::line(line, &spellings, self.style.colour));
        }
    }

    /// The notices that the reader is here for and that are wanted in this place, each rule on one line.
    fn notices(&mut self, server: &ServerReport, wanted: impl Fn(&Finding) -> bool) {
        let shown = |finding: &&Finding| notice::is_shown(finding, server.state, self.style.detail) && wanted(finding);
        for of_one_rule in notice::by_rule(server.findings.iter().filter(shown)) {
            let Some(first) = of_one_rule.first() else { continue };
            let items: BTreeSet<&ItemName> = of_one_rule.iter().filter_map(|finding| finding.item.as_ref()).collect();
            let names = match items.iter().next() {
                Some(item) => format!(" {} {}", item.kind, self.names(items.iter().copied())),
                None => String::new(),
            };
            let words = notice::words(&of_one_rule);
            self.line(&format!("{} {}{names}{words}", self.heading(first), name(&server.name)));
        }
    }

    /// The first names of many, and how many more there are.
    fn names<'i>(&self, items: impl Iterator<Item = &'i ItemName>) -> String {
        let items: Vec<&ItemName> = items.collect();
        let most = if self.style.values == Values::Full { items.len() } else { MOST_NAMES };
        let mut names: Vec<String> = items.iter().take(most).map(|item| name(&item.name)).collect();
        if items.len() > most {
            names.push(format!("{} more", count(items.len() - most)));
        }
        names.join(", ")
    }

    fn definitions(&mut self, definitions: &[Definitions]) {
        for server in definitions {
            self.gap();
            let text = server.text(self.style.values);
            self.out.push_str(&text.text);
            self.something_cut |= text.is_cut;
        }
    }

    fn problem(&mut self, what: &str, problem: &Problem) {
        let heading = self.paint(Tone::Failed, "error");
        let step = text::terminal_line(&problem.step);
        let causes: Vec<&str> = problem.cause.lines().collect();
        match causes.as_slice() {
            [] => self.line(&format!("{heading}: {what}{step}")),
            [cause] => self.line(&format!("{heading}: {what}{step}: {}", text::terminal_line(cause))),
            causes => {
                self.line(&format!("{heading}: {what}{step}"));
                for cause in causes {
                    self.line(&format!("  | {}", text::terminal_line(cause)));
                }
            }
        }
        for help in problem.help.lines() {
            self.line(&format!("  help: {}", text::terminal_line(help)));
        }
    }

    fn warnings(&mut self) {
        if self.style.detail != Detail::Quiet && !self.report.warnings.is_empty() {
            self.gap();
            for words in &self.report.warnings {
                let heading = self.paint(Tone::Level(Level::Change), "warning");
                self.line(&format!("{heading}: {}", own_words(words)));
            }
        }
    }

    /// What it comes to, and what to type next.
    fn end(&mut self) {
        let report = self.report;
        if self.style.detail == Detail::Quiet && report.outcome == Outcome::InSync {
            return;
        }
        self.gap();
        let totals = report.totals();
        let mut lockfile = text::terminal_line(&report.lockfile);
        if let Some(base) = &report.record.base {
            lockfile.push_str(&format!(" (commit {})", text::terminal_line(text::shorten(&base.commit, 10).text)));
        }
        let mut line = summary::counts(report);
        match report.outcome {
            _ if ["pin", "review"].contains(&report.command) => {
                let done = report.done.as_deref().unwrap_or("nothing was written");
                line.push_str(&format!("; {}", text::terminal_line(done)));
            }
            Outcome::InSync if report.command == "inspect" => line.push_str("; nothing was compared or written"),
            Outcome::InSync if report.command == "verify" && totals.in_sync > 0 => {
                line.push_str(&format!("; launches match {lockfile}, no server was asked"));
            }
            Outcome::InSync if totals.in_sync == 0 => line.push_str("; nothing was compared"),
            Outcome::InSync if totals.softened > 0 => {
                line.push_str(&format!("; definitions otherwise match {lockfile}, behaviour isn't checked"));
            }
            Outcome::InSync => line.push_str(&format!("; definitions match {lockfile}, behaviour isn't checked")),
            Outcome::Drift if totals.not_checked == 0 && !report.problems.is_empty() => {
                line.push_str(&format!("; compared with {lockfile}, but see the error above"));
            }
            Outcome::Drift => line.push_str(&format!("; compared with {lockfile}")),
            Outcome::NotChecked if totals.in_sync == 0 && totals.not_checked == 0 => {
                line.push_str("; nothing was compared");
            }
            // All were compared, but what failed concerns them all: the lockfile changed meanwhile, say.
            Outcome::NotChecked if report.counts_for_nothing() => line.push_str(": see the error above"),
            Outcome::NotChecked if report.is_only_unwritten() => line.push_str("; not all reports could be written"),
            Outcome::NotChecked => line.push_str("; nothing is known of what could not be checked"),
        }
        self.line(&line);
        if self.something_cut && !report.next.is_empty() {
            let base = report.record.base.as_ref();
            let base = base.map(|base| format!(" --base {}", text::shell_word(&base.revision))).unwrap_or_default();
            let command = format!("{} {}{base}", invocation::words("mcp-pin"), report.command);
            self.line(&format!("next: {} --full shows what was left out above", text::terminal_line(&command)));
        }
        for next in &report.next {
            self.line(&format!("next: {}", text::terminal_line(next)));
        }
    }

    /// An empty line, unless nothing stands above or one is there already.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") && self.style.detail != Detail::Quiet {
            self.out.push('\n');
        }
    }
}

impl State {
    /// The state as a heading.
    fn words(self) -> &'static str {
        match self {
            State::InSync => "in sync",
            State::Drift => "drift",
            State::New => "new",
            State::Read => "read",
            State::NotChecked => "not checked",
            State::Skipped => "skipped",
        }
    }
}

/// Whether there is nothing to be read of a server, by its findings too: none that fails is ever left out.
fn is_well(server: &ServerReport) -> bool {
    matches!(server.state, State::InSync | State::New | State::Read | State::Skipped)
        && server.problem.is_none()
        && server.findings.iter().all(|finding| !finding.level.fails())
}

fn has(server: &ServerReport, rule: &str) -> bool {
    server.findings.iter().any(|finding| finding.rule.id == rule)
}
