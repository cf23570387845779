//! `mcp-pin schema`: the published shape of what programs read.

use super::output;
use crate::cli::{SchemaArguments, SchemaSubject};
use crate::exit::Outcome;
use crate::policy;
use crate::report::json;

/// Runs the command.
pub(super) fn run(arguments: &SchemaArguments) -> Outcome {
    output::result(&match arguments.subject {
        SchemaSubject::Policy => policy::schema(),
        SchemaSubject::Report => json::SCHEMA.to_owned(),
    })
}
