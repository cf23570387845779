//! One change of a schema, before anybody judges it.

use super::movement::Move;
use crate::json::{Pointer, Value};

/// What differs at one place of two schemas, and which way it moves what is accepted.
#[derive(Clone, Debug)]
pub(super) struct Fact<'v> {
    /// What changed.
    pub(super) what: What,
    /// Whether more or less is accepted afterwards, by the schema as a whole.
    pub(super) movement: Move,
    /// What the new side brings with it that matters by itself.
    pub(super) brings: Option<Brings>,
    /// The place.
    pub(super) at: Pointer,
    /// What stood there.
    pub(super) old: Option<&'v Value>,
    /// What stands there.
    pub(super) new: Option<&'v Value>,
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The schema of a parameter came or went.
    Parameter,
    /// A whole schema came, went, or became one of another type.
    Schema,
    /// A limit that is a value: a bound, a type, an accepted value.
    Limit,
    /// The name of a parameter that must be given.
    Required,
    /// Whether members that no name or pattern declares are accepted.
    Additional,
    /// The order of a list that is a set.
    SetOrder,
    /// The order of the accepted values.
    MemberOrder,
    /// The order of schemas in a list.
    SchemaOrder,
    /// The value of a parameter that isn't given.
    Default,
    /// Where a schema points to.
    Reference,
    /// The dialect that the schema is written in.
    Dialect,
    /// A title that repeats the name of what it stands for.
    RepeatedTitle,
    /// A text for whoever reads the schema.
    Text,
    /// The same in another shape.
    Shape,
    /// Anything else.
    Other,
}

/// What the new side of a change brings with it that matters wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brings {
    /// Parameters.
    Parameters,
    /// Text that a model reads.
    Text,
}

impl<'v> Fact<'v> {
    /// A fact of which nobody can tell which way it moves anything, and that brings nothing.
    pub(super) fn new(what: What, at: &Pointer, old: Option<&'v Value>, new: Option<&'v Value>) -> Self {
        Self { what, movement: Move::Unknown, brings: None, at: at.clone(), old, new }
    }

    /// The same fact, moving what is accepted.
    pub(super) fn moving(self, movement: Move) -> Self {
        Self { movement, ..self }
    }

    /// The same fact, bringing something.
    pub(super) fn bringing(self, brings: Option<Brings>) -> Self {
        Self { brings, ..self }
    }
}
