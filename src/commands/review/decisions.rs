//! What a person decides, one part after the other.

use std::collections::BTreeSet;

use super::dialogue::{self, Answer, Confirmation};
use super::subject::{Difference, Subject};
use crate::commands::output;
use crate::commands::parts;
use crate::commands::selection::shown;
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
/// pinned, or why it can't be. Nothing is accepted that wasn't shown.
pub(super) fn decide(
    subjects: &[Subject],
    show: impl Fn(&str, &Difference<'_>) -> String,
    accept: impl Fn(&Subject, &Accepted) -> Result<LockedServer, Problem>,
) -> Option<Vec<Decision>> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut subjects = subjects.iter();
    for subject in subjects.by_ref() {
        let show = |difference: &Difference<'_>| {
            output::message(&format!("\n{}\n", show(&subject.report.name, difference)));
        };
        let (decision, goes_on) = of_server(subject, show, |accepted| accept(subject, accepted))?;
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
    show: impl Fn(&Difference<'_>),
    accept: impl Fn(&Accepted) -> Result<LockedServer, Problem>,
) -> Option<(Decision, GoesOn)> {
    let (all, passing) = (subject.failing(), subject.passing());
    let name = shown(&subject.report.name);
    let mut decision = Decision::default();
    for (index, difference) in all.iter().enumerate() {
        show(difference);
        let part = &difference.part;
        let question = format!("{} of {name}, {} of {}", parts::name(part), index + 1, all.len());
        loop {
            let answer = dialogue::ask(&question)?;
            let mut these = decision.accepted.clone();
            let wanted = match answer {
                Answer::Accept => {
                    these.insert(part.clone());
                    Accepted::Parts(these.clone())
                }
                Answer::Whole => {
                    let rest = &all[index + 1..];
                    // Whoever has left nothing out takes what is no reason to ask, too.
                    let is_everything = decision.accepted.len() == index;
                    let besides = if is_everything { passing.as_slice() } else { &[] };
                    rest.iter().chain(besides).for_each(&show);
                    if rest.len() + besides.len() > 0 {
                        let count = 1 + rest.len() + besides.len();
                        match dialogue::confirm(&format!("accept all {count} parts above of {name}?"))? {
                            Confirmation::Given => {}
                            Confirmation::Withheld => continue,
                        }
                    }
                    these.extend(all[index..].iter().map(|difference| difference.part.clone()));
                    if is_everything { Accepted::Everything } else { Accepted::Parts(these.clone()) }
                }
                Answer::Reject => {
                    decision.rejected.insert(part.clone());
                    break;
                }
                Answer::Skip => break,
                Answer::Quit => return Some((decision, GoesOn::No)),
            };
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
