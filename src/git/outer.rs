//! A repository within another one.

use std::path::{Path, PathBuf};

use super::{Repository, run};
use crate::problem::Problem;

impl Repository {
    /// The repository further up whose index, or whose revision of that name, holds something where this one is: a
    /// submodule, or what was there before. Nothing is held of a clone that it ignores, nor of its own work trees.
    ///
    /// # Errors
    /// When git fails.
    pub fn held_by(&self, revision: &str) -> Result<Option<PathBuf>, Problem> {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let Some(outer) = root.parent().and_then(|parent| Self::of(parent).ok()) else { return Ok(None) };
        let below = root.strip_prefix(&outer.root).ok().and_then(Path::to_str);
        let below = below.ok_or_else(|| run::failed("the folder's name is no text"))?;
        let below = below.replace(std::path::MAIN_SEPARATOR, "/");
        let output = run::git(&outer.root, &["ls-files", "-z", "--stage", "--", &below], &[])?;
        let in_index = match output.success() {
            Ok(listed) => !listed.is_empty(),
            // A folder that only looks like one.
            Err(complaint) if complaint.contains("not a git repository") => return Ok(None),
            Err(complaint) => return Err(run::failed(&complaint)),
        };
        let in_revision =
            || outer.revision(revision).is_ok_and(|there| there.held(&[&below]).is_ok_and(|held| !held.is_empty()));
        Ok((in_index || in_revision()).then_some(outer.root.clone()))
    }
}
