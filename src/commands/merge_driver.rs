//! `mcp-pin merge-driver`: merges two lockfiles for git, block by block. No server is asked.

use std::fs;
use std::path::Path;

use super::output;
use crate::cli::MergeDriverArguments;
use crate::exit::Outcome;
use crate::lock::{self, Lockfile};
use crate::problem::Problem;

/// Runs the command. Git takes 0 for a clean merge and 1 for conflicts, which then stand in our side's file.
pub(super) fn run(arguments: &MergeDriverArguments) -> Outcome {
    match merged(arguments) {
        Ok(0) => Outcome::InSync,
        Ok(conflicts) => {
            let counted = if conflicts == 1 { "1 block".to_owned() } else { format!("{conflicts} blocks") };
            output::problem(&Problem::new(
                "merging the lockfile",
                format!("both sides changed {counted}"),
                "choose a side of each conflict, or take either file and run `mcp-pin pin` for that server",
            ));
            Outcome::Drift
        }
        Err(problems) => {
            problems.iter().for_each(output::problem);
            Outcome::NotChecked
        }
    }
}

fn merged(arguments: &MergeDriverArguments) -> Result<usize, Vec<Problem>> {
    let base = read(&arguments.base, "the common ancestor");
    let ours = read(&arguments.ours, "our side");
    let theirs = read(&arguments.theirs, "the other side");
    let (base, ours, theirs) = match (base, ours, theirs) {
        (Ok(base), Ok(ours), Ok(theirs)) => (base, ours, theirs),
        (base, ours, theirs) => {
            return Err([base.err(), ours.err(), theirs.err()].into_iter().flatten().flatten().collect());
        }
    };
    if let Some(problems) = lost(arguments) {
        return Err(problems);
    }
    let merged = lock::merge(&base, &ours, &theirs);
    // Git reads the result from our side's temporary file; the lockfile itself is git's to write.
    fs::write(&arguments.ours, merged.text).map_err(|error| {
        vec![Problem::new("merging the lockfile", error.to_string(), "free some disk space and merge again")]
    })?;
    Ok(merged.conflicts)
}

/// A problem for each side whose file is empty although the common ancestor's isn't: an empty ancestor means that both sides
/// added the file, but nobody empties a lockfile, and a file that was lost must not be taken for a wish to remove everything.
fn lost(arguments: &MergeDriverArguments) -> Option<Vec<Problem>> {
    let is_empty = |path: &Path| fs::metadata(path).is_ok_and(|file| file.len() == 0);
    if is_empty(&arguments.base) {
        return None;
    }
    let sides = [(&arguments.ours, "our side"), (&arguments.theirs, "the other side")];
    let empty = sides.iter().filter(|(path, _)| is_empty(path));
    let help = "nothing was written: restore that side's lockfile, or take the other side whole, then pin again";
    let problems: Vec<Problem> =
        empty.map(|(_, side)| Problem::new("merging the lockfile", format!("{side} is empty"), help)).collect();
    (!problems.is_empty()).then_some(problems)
}

/// One side; an empty file is a side without a lockfile.
fn read(path: &Path, side: &str) -> Result<Lockfile, Vec<Problem>> {
    let bytes = fs::read(path).map_err(|error| {
        let cause = format!("{side}: {error}");
        vec![Problem::new("merging the lockfile", cause, "git calls this command: mcp-pin merge-driver %O %A %B")]
    })?;
    if bytes.is_empty() {
        return Ok(Lockfile::default());
    }
    lock::parse_bytes(&bytes, side).map_err(|error| {
        let help = "our side was left as it is: take one side whole, then pin again";
        error.problems().into_iter().map(|problem| Problem { help: help.to_owned(), ..problem }).collect()
    })
}
