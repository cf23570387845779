//! How reports are written and where, and what shape they have.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How results are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// How the report is written
    #[arg(long, value_enum, default_value_t, env = "MCP_PIN_FORMAT")]
    pub format: Format,
    /// Write the report to a file as well, such as sarif=mcp-pin.sarif (repeatable)
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = report_file)]
    pub files: Vec<(Format, PathBuf)>,
    /// Show long values whole
    #[arg(long)]
    pub full: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// Show only what is wrong
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show notices, what was done, and how long each server took
    #[arg(short, long)]
    pub verbose: bool,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON document; `mcp-pin schema report` prints its schema
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub Actions workflow
    Github,
    /// JUnit XML, a case for each tool
    Junit,
    /// Markdown, for a comment on a pull request or a job's summary
    Markdown,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR or CLICOLOR_FORCE says otherwise
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

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
    /// Reports, as `--format json` writes them
    Report,
}

/// `FORMAT=FILE`.
fn report_file(text: &str) -> Result<(Format, PathBuf), String> {
    let formats = Format::value_variants().iter().filter_map(Format::to_possible_value);
    let names: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
    let wrong = || format!("write it as FORMAT=FILE, with one of {}", names.join(", "));
    let (format, file) = text.split_once('=').ok_or_else(wrong)?;
    if file.is_empty() {
        return Err("the file has no name".to_owned());
    }
    Ok((Format::from_str(format, false).map_err(|_| wrong())?, PathBuf::from(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_any_name_but_none() {
        assert_eq!(report_file("junit=a=b.xml"), Ok((Format::Junit, PathBuf::from("a=b.xml"))));
        for wrong in ["a.xml", "xml=a", "junit="] {
            assert!(report_file(wrong).is_err(), "{wrong}");
        }
    }
}
