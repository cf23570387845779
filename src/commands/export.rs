//! `mcp-pin export`: the pinned tools in the form of another program. No server is asked.

use super::output;
use super::selection::{Selection, shown};
use super::workspace::Workspace;
use crate::cli::{ExportArguments, ExportFormat};
use crate::exit::Outcome;
use crate::export::{self, Form};
use crate::json::{Object, Value};
use crate::lock::Lockfile;
use crate::problem::Problem;
use crate::report::json;
use crate::text;

/// Runs the command. A tool that the form has no place for is no failure: nothing was to be checked, and whoever compares
/// misses the tool. It is told on standard error.
pub(super) fn run(arguments: &ExportArguments) -> Outcome {
    match exported(arguments) {
        Ok((document, warnings)) => {
            output::message(&warnings);
            output::result(&json::text(&document))
        }
        Err(problems) => {
            problems.iter().for_each(output::problem);
            Outcome::NotChecked
        }
    }
}

/// The document, and a line for each tool that isn't in it.
fn exported(arguments: &ExportArguments) -> Result<(Value, String), Vec<Problem>> {
    let workspace = Workspace::open(&arguments.project)?;
    let (lockfile, _) = workspace.load()?;
    let selection = Selection::named(arguments.server.as_slice());
    selection.apply(Vec::new(), &lockfile)?;
    let mut warnings = String::new();
    let mut servers = maps(&lockfile, &selection, form(arguments.format), &mut warnings);
    // The shape is what was asked for, not what happens to be pinned.
    let document = match &arguments.server {
        Some(name) => servers.remove(name).unwrap_or(Value::Object(Object::new())),
        None => Value::Object(servers),
    };
    Ok((document, warnings))
}

/// A map of tools for each server that is meant.
fn maps(lockfile: &Lockfile, selection: &Selection, form: Form, warnings: &mut String) -> Object {
    let meant = lockfile.servers.iter().filter(|(name, _)| selection.includes(name));
    meant
        .map(|(name, server)| {
            let exported = export::tools(server, form);
            for left_out in &exported.left_out {
                let (tool, why) = (shown(&left_out.tool), text::terminal_line(&left_out.why));
                warnings.push_str(&format!("warning: `{}` tool `{tool}` is left out: {why}\n", shown(name)));
            }
            (name.clone(), Value::Object(exported.tools))
        })
        .collect()
}

fn form(format: ExportFormat) -> Form {
    match format {
        ExportFormat::AiSdk => Form::AiSdk,
        ExportFormat::Jcs => Form::Jcs,
        ExportFormat::Json => Form::Definitions,
    }
}
