//! What a person decides, one part after the other.

use std::collections::BTreeSet;

use super::dialogue::{self, Answer};
use super::subject::Subject;
use crate::commands::output;
use crate::commands::parts;
use crate::commands::selection::shown;
use crate::finding::Finding;
use crate::lock::{Accepted, LockedServer, Part};
use crate::problem::Problem;

/// What was decided about one server.
#[derive(Debug, Default)]
pub(super) struct Decision {
    /// The server as the lockfile will hold it, if anything of it was accepted.
    pub(super) pin: Option<LockedServer>,
    /// The parts that were accepted.
    pub(super) accepted: BTreeSet<Part>,
    /// The parts that aren't meant.
    pub(super) rejected: BTreeSet<Part>,
}

/// Asks about each part of each server; `None` if there is nobody to ask any more. `accept` gives the server as it would be
/// pinned, or why it can't be.
pub(super) fn decide(
    subjects: &[Subject],
    show: impl Fn(&str, &[&Finding]) -> String,
    accept: impl Fn(&Subject, &Accepted) -> Result<LockedServer, Problem>,
) -> Option<Vec<Decision>> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut subjects = subjects.iter();
    for subject in subjects.by_ref() {
        let (decision, goes_on) = of_server(subject, &show, |accepted| accept(subject, accepted))?;
        decisions.push(decision);
        if goes_on == GoesOn::No {
            break;
        }
    }
    decisions.extend(subjects.map(|_| Decision::default()));
    Some(decisions)
}

/// Whether there are more questions after those about a server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GoesOn {
    Yes,
    No,
}

fn of_server(
    subject: &Subject,
    show: impl Fn(&str, &[&Finding]) -> String,
    accept: impl Fn(&Accepted) -> Result<LockedServer, Problem>,
) -> Option<(Decision, GoesOn)> {
    let all = subject.parts();
    let name = subject.report.name.as_str();
    let mut decision = Decision::default();
    for (index, (part, findings)) in all.iter().enumerate() {
        output::message(&format!("\n{}\n", show(name, findings)));
        let question = format!("{} of {}, {} of {}", parts::name(part), shown(name), index + 1, all.len());
        loop {
            let answer = dialogue::ask(&question)?;
            let these: BTreeSet<Part> = match answer {
                Answer::Accept => [part.clone()].into(),
                Answer::Whole => all[index..].iter().map(|(part, _)| part.clone()).collect(),
                Answer::Reject => {
                    decision.rejected.insert(part.clone());
                    break;
                }
                Answer::Skip => break,
                Answer::Quit => return Some((decision, GoesOn::No)),
            };
            // Whoever takes the whole server and has left nothing out takes what is no reason to ask, too.
            let is_everything = answer == Answer::Whole && decision.accepted.len() == index;
            let these: BTreeSet<Part> = decision.accepted.union(&these).cloned().collect();
            let wanted = if is_everything { Accepted::Everything } else { Accepted::Parts(these.clone()) };
            match accept(&wanted) {
                Ok(pin) => (decision.pin, decision.accepted) = (Some(pin), these),
                Err(problem) => {
                    output::problem(&problem);
                    continue;
                }
            }
            match answer {
                Answer::Whole => return Some((decision, GoesOn::Yes)),
                _ => break,
            }
        }
    }
    Some((decision, GoesOn::Yes))
}
