//! `mcp-pin explain`: what the rules mean. Nothing is read or asked.

use super::output;
use crate::cli::{ExplainArguments, ExplainFormat};
use crate::exit::Outcome;
use crate::explain;
use crate::finding::Rule;
use crate::problem::Problem;
use crate::report::{human, json};
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &ExplainArguments) -> Outcome {
    match arguments.rule.as_deref().map(find).transpose() {
        Ok(rule) => output::result(&document(rule, arguments)),
        Err(problem) => {
            output::problem(&problem);
            Outcome::NotChecked
        }
    }
}

fn document(rule: Option<&'static Rule>, arguments: &ExplainArguments) -> String {
    let style = human::Style { colour: output::colour(arguments.color), ..human::Style::default() };
    match (rule, arguments.format) {
        (None, ExplainFormat::Json) => json::text(&explain::table_as_value()),
        (Some(rule), ExplainFormat::Json) => json::text(&explain::page_as_value(rule)),
        (None, ExplainFormat::Human) => explain::table(),
        (Some(rule), ExplainFormat::Human) => explain::page(rule, &style),
    }
}

/// The rule of that name, as it stands in a report too: `danger[parameter-added]`.
fn find(word: &str) -> Result<&'static Rule, Problem> {
    let id = word.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).unwrap_or(word);
    explain::find(id).map_err(|nearest| {
        let cause = format!("there is no rule `{}`", text::identifier(text::shorten(id, 100).text));
        let help = match nearest {
            Some(nearest) => format!("did you mean `mcp-pin explain {nearest}`?"),
            None => "`mcp-pin explain` lists them all".to_owned(),
        };
        Problem::new("explaining a rule", cause, help)
    })
}
