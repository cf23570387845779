//! The command that says what rules mean.

use clap::{Args, ValueEnum};

use super::Color;

/// `mcp-pin explain`
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The rule, as a report has it in brackets; without it, all of them
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
    /// How it is written
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: ExplainFormat,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: Color,
}

/// How rules are written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ExplainFormat {
    /// For people
    #[default]
    Human,
    /// One JSON document
    Json,
}
