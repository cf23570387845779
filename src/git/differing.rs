//! Which files of the work tree differ from a revision.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::{Revision, TreeEntry, lines, run};
use crate::problem::Problem;

impl Revision {
    /// The paths that `wanted` chooses and that differ: changed, removed, or new, whether tracked, staged or untracked, but
    /// for untracked files that git ignores. A file that may be run now and couldn't before differs. Bytes are compared as they lie on the disk, so a file that git converts
    /// (line ends, large files) differs too. Paths count from the repository's root, with `/`.
    ///
    /// # Errors
    /// When git fails, or a file can't be read.
    pub fn differing(&self, wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<String>, Problem> {
        let root = &self.repository.root;
        let before: BTreeMap<Vec<u8>, TreeEntry> = by_path(self.entries(None)?);
        let index = self.listed(&["ls-files", "-z", "--stage"])?;
        let index: Option<Vec<TreeEntry>> = lines(&index).map(TreeEntry::of_index).collect();
        let index = by_path(index.ok_or_else(|| run::failed("git ls-files gave something else than an index"))?);
        let untracked = self.listed(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        let now = index.keys().cloned().chain(lines(&untracked).map(<[u8]>::to_vec));
        let has_modes = self.has_modes()?;
        let paths: BTreeSet<Vec<u8>> = before.keys().cloned().chain(now).collect();
        let (mut differing, mut files) = (BTreeSet::new(), Vec::new());
        for path in paths {
            let shown = String::from_utf8_lossy(&path).into_owned();
            if !wanted(&shown) {
                continue;
            }
            let same = match before.get(&path) {
                None => false,
                // A name that can't be handed to git by line isn't compared.
                Some(_) if shown.as_bytes() != path || shown.contains('\n') || shown.starts_with('"') => false,
                Some(entry) if entry.is_file() => {
                    let same_kind = plain_file(root, &shown)
                        .is_some_and(|found| !has_modes || runs(&found) == Some(entry.mode == "100755"));
                    if same_kind {
                        files.push((shown, entry.object.clone()));
                        continue;
                    }
                    false
                }
                Some(entry) if entry.mode == "120000" => self.is_same_link(&shown, entry)?,
                // A repository within: its commit is what the index names.
                Some(entry) => index.get(&path) == Some(entry),
            };
            if !same {
                differing.insert(shown);
            }
        }
        let objects = self.objects_of(&files)?;
        let changed = files.into_iter().zip(objects).filter(|((_, before), now)| before != now);
        differing.extend(changed.map(|((path, _), _)| path));
        Ok(differing)
    }

    /// Whether the disk knows which files may be run, as git has found out.
    fn has_modes(&self) -> Result<bool, Problem> {
        let output = run::git(&self.repository.root, &["config", "--type=bool", "--get", "core.fileMode"], &[])?;
        Ok(cfg!(unix) && output.success().map_or(true, |said| said.trim_ascii() != b"false"))
    }

    fn listed(&self, words: &[&str]) -> Result<Vec<u8>, Problem> {
        let output = run::git(&self.repository.root, words, &[])?;
        output.success().map(<[u8]>::to_vec).map_err(|complaint| run::failed(&complaint))
    }

    /// The objects that the files would be, as they lie on the disk.
    fn objects_of(&self, files: &[(String, String)]) -> Result<Vec<String>, Problem> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let input: String = files.iter().map(|(path, _)| format!("{path}\n")).collect();
        let words = ["hash-object", "--no-filters", "--stdin-paths"];
        let output = run::git(&self.repository.root, &words, input.as_bytes())?;
        let text = output.success().map_err(|complaint| run::failed(&complaint))?;
        let objects: Vec<String> = String::from_utf8_lossy(text).lines().map(str::to_owned).collect();
        if objects.len() == files.len() { Ok(objects) } else { Err(run::failed("git hash-object left out a file")) }
    }

    fn is_same_link(&self, path: &str, entry: &TreeEntry) -> Result<bool, Problem> {
        let Ok(target) = std::fs::read_link(self.repository.root.join(path)) else { return Ok(false) };
        let Some(target) = target.to_str() else { return Ok(false) };
        let output = run::git(&self.repository.root, &["cat-file", "blob", &entry.object], &[])?;
        Ok(output.success().map_err(|complaint| run::failed(&complaint))? == target.as_bytes())
    }
}

fn by_path(entries: Vec<TreeEntry>) -> BTreeMap<Vec<u8>, TreeEntry> {
    entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect()
}

/// The file itself that lies there, and no link to one, in none but real folders.
fn plain_file(root: &Path, path: &str) -> Option<Metadata> {
    let mut place = PathBuf::from(root);
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        place.push(name);
        let found = place.symlink_metadata().ok()?;
        match names.peek() {
            Some(_) if found.is_dir() => {}
            None if found.is_file() => return Some(found),
            _ => return None,
        }
    }
    None
}

/// Whether its owner may run a file, which is what git keeps of its mode; `None` where the system knows no such thing.
#[cfg(unix)]
fn runs(file: &Metadata) -> Option<bool> {
    Some(std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o100 != 0)
}

/// Whether its owner may run a file; the system knows no such thing.
#[cfg(not(unix))]
fn runs(_: &Metadata) -> Option<bool> {
    None
}
