//! Whether reports may be written where they shall be: not over each other, nor over what the run reads.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use super::workspace::Workspace;
use super::{diff, inspect, output};
use crate::cli::{Command, OutputArguments};
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::report::Report;

/// Refuses a run that would write two of its files to one place, before anything starts: a report that is overwritten tells
/// nobody, and what it is written over may be what it is about.
pub(super) fn refuse(command: &Command) -> Option<Outcome> {
    let reporting = Reporting::of(command)?;
    let problems = reporting.problems();
    if problems.is_empty() {
        return None;
    }
    let report = Report::failed(reporting.command, String::new(), problems);
    Some(report.outcome.and(output::print(&report, &[], reporting.output)))
}

/// A command that writes reports.
struct Reporting<'a> {
    command: &'static str,
    output: &'a OutputArguments,
    /// What it reads and what each file is, as far as that is known before it runs.
    read: Vec<(&'static str, PathBuf)>,
}

impl<'a> Reporting<'a> {
    /// None for a command that writes no report to a file.
    fn of(command: &'a Command) -> Option<Self> {
        let (command, output, project, mut read) = match command {
            Command::Check(check) => ("check", &check.output, check.project.clone(), saved(check.from.as_deref())),
            Command::Pin(pin) => ("pin", &pin.output, pin.project.clone(), saved(pin.from.as_deref())),
            Command::Review(review) => ("review", &review.output, review.project.clone(), Vec::new()),
            Command::Verify(verify) => ("verify", &verify.output, verify.project.clone(), Vec::new()),
            Command::Inspect(inspect) => ("inspect", &inspect.output, inspect::project(inspect), Vec::new()),
            Command::Diff(diff) => {
                let compared = [&diff.old, &diff.new].map(|word| ("one of the lockfiles", PathBuf::from(word)));
                ("diff", &diff.output, diff::project(diff), Vec::from(compared))
            }
            Command::List(_)
            | Command::Export(_)
            | Command::Show(_)
            | Command::Explain(_)
            | Command::Fmt(_)
            | Command::Schema(_)
            | Command::MergeDriver(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Demo(_)
            | Command::Watchdog
            | Command::DemoServer(_) => return None,
        };
        if output.files.is_empty() {
            return None;
        }
        // What is wrong with the project is told by the command itself.
        read.extend(Workspace::open(&project).iter().flat_map(Workspace::files));
        Some(Self { command, output, read })
    }

    /// All that is wrong with the places, in the order of the command line.
    fn problems(&self) -> Vec<Problem> {
        let known = self.read.iter().filter_map(|(what, path)| Some((place(path)?, format!("is {what}"))));
        let mut known: BTreeMap<PathBuf, String> = known.collect();
        let mut problems = Vec::new();
        for (_, path) in &self.output.files {
            let Some(place) = place(path) else { continue };
            match known.entry(place) {
                Entry::Occupied(taken) => {
                    let cause = format!("{} {}", path.display(), taken.get());
                    let help = "name another file with --output";
                    problems.push(Problem::new("reading the command line", cause, help));
                }
                Entry::Vacant(vacant) => {
                    vacant.insert(format!("is the file of another report: {}", path.display()));
                }
            }
        }
        problems
    }
}

fn saved(path: Option<&Path>) -> Vec<(&'static str, PathBuf)> {
    path.map(|path| ("the saved listing", path.to_owned())).into_iter().collect()
}

/// Where a file lies or would lie, the same for every way to write its name. None for what takes any number of texts, such as
/// a pipe or a device.
fn place(path: &Path) -> Option<PathBuf> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) => std::fs::canonicalize(path).ok(),
        Err(_) => {
            let absolute = std::path::absolute(path).ok()?;
            let folder = std::fs::canonicalize(absolute.parent()?).ok();
            Some(
                folder.map_or_else(|| absolute.clone(), |folder| folder.join(absolute.file_name().unwrap_or_default())),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_however_it_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| place(&folder.path().join(path));
        let new = at("new.json").expect("a place");
        std::fs::create_dir(folder.path().join("inner")).expect("a folder");
        assert_eq!(at("./inner/../new.json").as_ref(), Some(&new));
        std::fs::write(&new, "old").expect("written");
        assert_eq!(at("inner/../new.json").as_ref(), Some(&new));
        assert_ne!(at("inner/new.json").as_ref(), Some(&new));
        assert!(at("none/new.json").is_some());
        assert_eq!(at("inner"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_what_it_leads_to_and_a_device_is_no_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "x").expect("written");
        std::os::unix::fs::symlink("file", &link).expect("a link");
        assert_eq!(place(&link), place(&file));
        assert_eq!(place(Path::new("/dev/null")), None);
    }
}
