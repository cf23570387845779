//! What differs between two surfaces, each difference named by a rule.
//!
//! Pure functions from values to findings: this stage knows JSON Schema and what the specification says of the
//! members of items, and nothing of processes, files or formats. Two promises hold it together. Two values that differ always
//! yield a finding, whatever the member; and one difference falls under one rule, except that text with invisible
//! characters is named a second time, for a reviewer can't see them.
//!
//! Values under `enum`, `const`, `default` and `examples` are data and never read as schemas; a parameter called
//! `description` is a parameter.

mod about;
mod annotations;
mod clients;
mod collision;
mod compare;
#[cfg(test)]
mod compare_tests;
mod content;
mod headers;
mod hidden;
mod inspect;
mod launch;
mod malformed;
mod order;
mod prompt;
mod rename;
mod schema;
mod unstable;
mod unusual;
mod values;

#[cfg(test)]
mod property_tests;

pub use clients::clients;
pub use collision::{Offer, collisions};
pub use compare::surfaces;
pub use inspect::{inspect, notices};
pub use launch::launches;
pub use order::sort;
pub use unstable::{grew, unstable};
pub use unusual::novelties;
