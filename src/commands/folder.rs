//! Whether the folder that a run is about is the one that a revision has: a pull request can move it.

use std::path::{Component, Path, PathBuf};

use super::workspace::Workspace;
use crate::config;
use crate::git::{Repository, Revision};
use crate::invocation;
use crate::problem::Problem;
use crate::text;

const STEP: &str = "finding the project";

/// Refuses a start of the search that lies behind a link of a repository: the revision may have something else there.
///
/// # Errors
/// If it is such a one.
pub(super) fn refuse_links(workspace: &Workspace) -> Result<(), Problem> {
    let typed = invocation::start();
    for start in std::iter::once(&typed).chain(&workspace.starts) {
        if let Some(link) = link_within_repository(start) {
            let real = start.canonicalize().unwrap_or_else(|_| start.clone());
            let cause = format!("{} is a link, or spelled otherwise on the disk", link.display());
            return Err(Problem::new(
                STEP,
                cause,
                format!("name the folder itself, if it is meant: {}", real.display()),
            ));
        }
    }
    Ok(())
}

/// The first part of a path that leads elsewhere and lies in a repository.
fn link_within_repository(path: &Path) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(place.pop()),
            Component::Prefix(_) | Component::RootDir => place.push(component),
            Component::Normal(name) => {
                let next = place.join(name);
                let real = next.canonicalize().unwrap_or_else(|_| next.clone());
                if real != next && Repository::of(&place).is_ok() {
                    return Some(next);
                }
                place = real;
            }
        }
    }
    None
}

/// Refuses a repository that lies where another one holds something: there a pull request to the other one chooses what a
/// revision means.
///
/// # Errors
/// If it is such a one, or git fails.
pub(super) fn refuse_submodule(repository: &Repository, revision: &str) -> Result<(), Problem> {
    match repository.held_by(revision)? {
        None => Ok(()),
        Some(outer) => {
            let (root, outer) = (repository.root().display(), outer.display());
            let cause = format!("the repository {root} lies in another one, which decides what is there: {outer}");
            let help = "compare with a revision in a clone of its own, or start outside of it";
            Err(Problem::new(STEP, cause, help))
        }
    }
}

/// Refuses another project folder than the one that the revision has.
///
/// # Errors
/// If the revision has it elsewhere, or git fails.
pub(super) fn refuse_another(workspace: &Workspace, revision: &Revision) -> Result<(), Problem> {
    refuse(workspace, revision, |there, here| there != here)
}

/// Refuses a project folder if the revision has one that is nearer to where the search began.
///
/// # Errors
/// If the revision has such a one, or git fails.
pub(super) fn refuse_farther(workspace: &Workspace, revision: &Revision) -> Result<(), Problem> {
    refuse(workspace, revision, |there, here| there != here && there.starts_with(here))
}

fn refuse(workspace: &Workspace, revision: &Revision, is_wrong: impl Fn(&Path, &Path) -> bool) -> Result<(), Problem> {
    let root = real(revision.repository().root());
    let folder = real(&workspace.folder);
    for start in &workspace.starts {
        let Some(there) = nearest(revision, &root, &real(start))? else { continue };
        if is_wrong(&there, &folder) {
            let shown = |folder: &Path| match folder.strip_prefix(&root) {
                Ok(below) if below.as_os_str().is_empty() => "the repository's root".to_owned(),
                Ok(below) => text::terminal_line(&below.display().to_string()),
                Err(_) => text::terminal_line(&folder.display().to_string()),
            };
            let name = text::terminal_line(revision.name());
            let cause = format!("{name} has the project in {}, the work tree in {}", shown(&there), shown(&folder));
            let help =
                "read what became of its lockfile and configuration; to mean the other project, start in its folder";
            return Err(Problem::new(STEP, cause, help));
        }
    }
    Ok(())
}

/// The project folder that the revision has, upward from there.
fn nearest(revision: &Revision, root: &Path, start: &Path) -> Result<Option<PathBuf>, Problem> {
    let mut wanted = Vec::new();
    for folder in start.ancestors().take_while(|folder| folder.starts_with(root)) {
        for mark in config::marks() {
            let file = folder.join(mark);
            let path = file.strip_prefix(root).ok().and_then(Path::to_str).ok_or_else(|| {
                let cause = format!("{} is no name that a revision can have", file.display());
                Problem::new(STEP, cause, "start in a folder with another name")
            })?;
            wanted.push((folder, path.replace(std::path::MAIN_SEPARATOR, "/")));
        }
    }
    let paths: Vec<&str> = wanted.iter().map(|(_, path)| path.as_str()).collect();
    let held = revision.held(&paths)?;
    Ok(wanted.iter().find(|(_, path)| held.contains(path)).map(|(folder, _)| (*folder).to_owned()))
}

fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// A path without `.` and `..`, as if none of its folders were a link.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}
