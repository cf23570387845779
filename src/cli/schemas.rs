//! The shapes that are published.

use clap::{Args, ValueEnum};

/// `mcp-pin schema`
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Of what
    #[arg(value_enum)]
    pub subject: SchemaSubject,
}

/// What has a published schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaSubject {
    /// The policy, mcp-pin.toml
    Policy,
}
