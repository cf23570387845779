//! Which files of the work tree differ from a revision.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::{Revision, TreeEntry, lines, run};
use crate::problem::Problem;

/// Files that differ from a revision. Paths count from the repository's root, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// The files.
    paths: BTreeSet<String>,
    /// Links of the revision, and where they lead to.
    links: BTreeMap<String, String>,
}

impl Differing {
    /// The files that `wanted` chooses, and those that links which it chooses lead to: whoever reads a link reads that,
    /// whatever it is called.
    pub fn within(&self, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = self.paths.iter().filter(|path| wanted(path)).cloned().collect();
        let mut links: Vec<&String> = self.links.keys().filter(|path| wanted(path)).collect();
        let mut seen: BTreeSet<&String> = links.iter().copied().collect();
        while let Some(target) = links.pop().and_then(|link| self.links.get(link)) {
            let leads_to = |path: &&String| is_within(path.as_bytes(), target.as_bytes());
            found.extend(self.paths.iter().filter(leads_to).cloned());
            links.extend(self.links.keys().filter(leads_to).filter(|link| seen.insert(link)));
        }
        found
    }
}

impl Revision {
    /// The files that `wanted` chooses, and what links among them lead to, as far as they differ: changed, removed, or new,
    /// whether tracked, staged or untracked, but for untracked files that git ignores. Who may run a file counts. Bytes are
    /// compared as they lie on the disk, so a file that git converts (line ends, large files) differs too.
    ///
    /// # Errors
    /// When git fails, or a file can't be read.
    pub fn differing(&self, wanted: impl Fn(&str) -> bool) -> Result<Differing, Problem> {
        let root = &self.repository.root;
        let before: BTreeMap<Vec<u8>, TreeEntry> = by_path(self.entries(None)?);
        let index = self.listed(&["ls-files", "-z", "--stage"])?;
        let index: Option<Vec<TreeEntry>> = lines(&index).map(TreeEntry::of_index).collect();
        let index = by_path(index.ok_or_else(|| run::failed("git ls-files gave something else than an index"))?);
        let untracked = self.listed(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        let now = index.keys().cloned().chain(lines(&untracked).map(<[u8]>::to_vec));
        let has_modes = self.has_modes()?;
        let paths: BTreeSet<Vec<u8>> = before.keys().cloned().chain(now).collect();
        let (mut differing, mut files) = (Differing::default(), Vec::new());
        let mut wanted: VecDeque<&Vec<u8>> = paths.iter().filter(|path| wanted(&lossy(path))).collect();
        let mut seen: BTreeSet<&Vec<u8>> = wanted.iter().copied().collect();
        while let Some(path) = wanted.pop_front() {
            let shown = lossy(path);
            let same = match before.get(path) {
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
                Some(entry) if entry.mode == "120000" => {
                    if let Some(target) = target(root, &shown) {
                        let within = paths.iter().filter(|path| is_within(path, target.as_bytes()));
                        wanted.extend(within.filter(|path| seen.insert(path)));
                        differing.links.insert(shown.clone(), target);
                    }
                    self.is_same_link(&shown, entry)?
                }
                // A repository within: its commit is what the index names.
                Some(entry) => index.get(path) == Some(entry),
            };
            if !same {
                differing.paths.insert(shown);
            }
        }
        let objects = self.objects_of(&files)?;
        let changed = files.into_iter().zip(objects).filter(|((_, before), now)| before != now);
        differing.paths.extend(changed.map(|((path, _), _)| path));
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

fn lossy(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Where a link leads to, from the root, if it stays in the repository.
fn target(root: &Path, link: &str) -> Option<String> {
    let (to, root) = (std::fs::canonicalize(root.join(link)).ok()?, std::fs::canonicalize(root).ok()?);
    Some(to.strip_prefix(root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Whether a path is that of a file, or lies in that folder; all paths lie in the root, which is empty.
fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with(b"/"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_reaches_a_link_reaches_what_it_leads_to() {
        let pairs = [("l", "a.md"), ("m", "d"), ("d/k", "z"), ("top", "")];
        let links = pairs.map(|(link, target)| (link.to_owned(), target.to_owned())).into();
        let differing = Differing { paths: ["a.md", "d/x", "dd", "z"].map(str::to_owned).into(), links };
        let within = |wanted: &str| differing.within(|path| path == wanted).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(within("l"), "a.md");
        assert_eq!(within("m"), "d/x z");
        assert_eq!(within("top"), "a.md d/x dd z");
        assert_eq!(within("dd"), "dd");
        assert_eq!(within("other"), "");
    }
}
