//! What a pin writes, once all servers were read.

use std::collections::BTreeMap;

use super::{Plans, Read};
use crate::cli::PinArguments;
use crate::commands::approval;
use crate::exit::Outcome;
use crate::finding::rule;
use crate::invocation;
use crate::lock::{self, LockedServer, store};
use crate::report::{Report, State};

/// Writes what was read, unless something forbids it.
pub(super) fn finish(arguments: &PinArguments, plans: Plans, read: Vec<Read>) -> (Report, Outcome) {
    let Plans { path, shown, mut lockfile, seen, others, warnings, .. } = plans;
    let before = seen.as_ref().map(|_| lock::to_text(&lockfile));
    let mut servers = others;
    let mut failed = servers.iter().any(|server| server.state == State::NotChecked);
    if arguments.prune {
        let gone: Vec<String> = servers
            .iter()
            .filter(|server| server.findings.iter().any(|finding| finding.rule == &rule::SERVER_REMOVED))
            .map(|server| server.name.clone())
            .collect();
        lockfile.servers.retain(|name, _| !gone.contains(name));
    }
    let mut pins: BTreeMap<String, LockedServer> = BTreeMap::new();
    for Read { report, pin } in read {
        match pin {
            Some(pin) => drop(pins.insert(report.name.clone(), pin)),
            None => failed = true,
        }
        servers.push(report);
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut report = Report { warnings, ..Report::new("pin", shown.clone(), servers, Vec::new()) };
    if let Some(problem) = approval::unexpected(&report, arguments) {
        report.problems.push(problem);
        report.outcome = Outcome::Drift;
        return (report, Outcome::Drift);
    }
    if failed && !arguments.keep_going {
        report.outcome = Outcome::NotChecked;
        report.next = vec!["correct what failed, or write the rest with --keep-going".to_owned()];
        return (report, Outcome::NotChecked);
    }
    lockfile.servers.extend(pins);
    let new = lock::to_text(&lockfile);
    let same = before.as_ref() == Some(&new);
    let outcome = if failed { Outcome::NotChecked } else { Outcome::InSync };
    let (outcome, done) = if arguments.dry_run {
        let changes = if same { Outcome::InSync } else { Outcome::Drift };
        let done = if same {
            format!("{shown} would stay as it is")
        } else {
            format!("{shown} would change, nothing was written")
        };
        (outcome.and(changes), done)
    } else if same {
        (outcome, format!("{shown} is unchanged"))
    } else {
        match store::save(&path, &new, seen.as_ref()) {
            Ok(_) => {
                let read = if seen.is_some() {
                    format!("review it ({} diff {shown})", invocation::words("git"))
                } else {
                    format!("read {shown}")
                };
                report.next = vec![format!("{read}, then commit it")];
                (outcome, format!("wrote {shown}"))
            }
            Err(problem) => {
                report.problems.push(problem);
                (Outcome::NotChecked, "nothing was written".to_owned())
            }
        }
    };
    report.outcome = outcome;
    report.done = Some(done);
    (report, outcome)
}
