//! What a run comes to, on one line.

use super::style::{count, counted};
use super::{Report, Totals};

/// How many servers there are, in which states, and how many findings fail: words and numbers of ours only.
pub(super) fn counts(report: &Report) -> String {
    if report.counts_for_nothing() {
        let servers = counted(report.servers.len(), "server");
        return format!("{}: {servers} compared, but none of it counts", report.command);
    }
    let totals = report.totals();
    let mut line = format!("{}: {}", report.command, counted(report.servers.len(), "server"));
    if totals.in_sync > 0 && totals.in_sync == report.servers.len() {
        line.push_str(" in sync");
    } else {
        let states = states(&totals).into_iter().filter(|(servers, _)| *servers > 0);
        line.push_str(&states.map(|(servers, words)| format!(", {} {words}", count(servers))).collect::<String>());
    }
    if totals.danger + totals.change > 0 {
        line.push_str(&format!(": {}", levels(totals.danger, totals.change)));
    }
    if totals.softened > 0 {
        line.push_str(&format!(", {} softened by the policy", counted(totals.softened, "difference")));
    }
    line
}

fn states(totals: &Totals) -> [(usize, &'static str); 6] {
    [
        (totals.in_sync, "in sync"),
        (totals.new, "new"),
        (totals.read, "read"),
        (totals.drift, "drifted"),
        (totals.not_checked, "not checked"),
        (totals.skipped, "skipped"),
    ]
}

/// How many findings fail, by level.
pub(super) fn levels(danger: usize, change: usize) -> String {
    match (danger, change) {
        (0, 0) => "nothing that fails".to_owned(),
        (danger, 0) => format!("{} danger", count(danger)),
        (0, change) => format!("{} change", count(change)),
        (danger, change) => format!("{} danger, {} change", count(danger), count(change)),
    }
}
