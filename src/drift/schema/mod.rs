//! What differs between two schemas.
//!
//! Facts first, judgement after. A [`walk::Walk`] goes over both schemas at once and puts down what changed where, and
//! whether more or less is accepted afterwards; [`judge`] gives each fact its rule and its level, by what the schema is
//! for. Schemas of different [`shape`]s, as generators write them, are compared in one shape and told as one difference.
//!
//! 2020-12 and the drafts before it at once: servers mix them, and a keyword of a draft that isn't declared is still read
//! by a model. References to elsewhere aren't followed; what one within the document points to is compared where it
//! stands, unless only one side has the reference.

mod align;
mod border;
mod change;
mod disjoint;
mod fact;
mod fold;
mod judge;
mod keyword;
mod limit;
mod lists;
mod movement;
mod reference;
mod sense;
mod shape;
mod spelling;
mod title;
mod walk;

#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth_tests;

use change::Change;
pub(super) use keyword::visit;
use movement::Sense;
use reference::Documents;
use sense::Senses;
use walk::{Role, Walk};

use crate::finding::Finding;
use crate::json::{Pointer, Value};

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// What a tool takes.
    Input,
    /// What a tool returns.
    Output,
}

/// Names every difference between two schemas of the item of that name, either of which may be missing or no schema at
/// all; none exactly when they are equal. Those beyond [`walk::MOST`] are one finding of the worst rule among them, with both
/// schemas whole.
pub(super) fn differences(
    purpose: Purpose,
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    at: &Pointer,
) -> Vec<Finding> {
    let documents = Documents::new(old, new);
    let mut walk = Walk::new(purpose, name, &documents, at);
    let senses = Senses::of(&documents);
    walk.senses = Some(&senses);
    walk.schema(&Change { old, new, at: at.clone(), sense: Sense::SAME }, Role::Limit);
    let (told, more) = walk.finish();
    let mut findings: Vec<Finding> = told
        .into_iter()
        .map(|told| Finding {
            note: told.note,
            ..Finding::new(told.judgement.rule)
                .at_level(told.judgement.level)
                .at(told.fact.at)
                .between(told.fact.old.cloned(), told.fact.new.cloned())
        })
        .collect();
    if let Some(more) = more {
        let rest = Finding::new(more.worst.rule).at_level(more.worst.level).at(at.clone());
        findings.push(
            rest.between(old.cloned(), new.cloned()).noting(format!("{} more differences in this schema", more.count)),
        );
    }
    findings
}
