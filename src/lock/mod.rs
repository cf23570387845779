//! The lockfile: what a project has approved.
//!
//! [`Lockfile`] is the model. Reading parses and proves a text, writing gives the one spelling of the model, and storing
//! puts it on the disk whole or not at all. Nothing in a lockfile is executed, contacted or expanded here.

mod model;

pub use model::{Client, LockedServer, Lockfile};
