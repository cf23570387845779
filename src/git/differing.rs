//! Which files of the work tree differ from a revision.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::{Revision, TreeEntry, lines, run};
use crate::problem::Problem;

/// The largest file that is compared line by line.
const MOST_CONVERTED: u64 = 16 << 20;
/// How many of them git gives at once: all of the largest size stay below the limit of an answer.
const MOST_AT_ONCE: usize = 15;

/// Files that differ from a revision. Paths count from the repository's root, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// The files.
    paths: BTreeSet<String>,
    /// Links of the revision, and where they lead to.
    links: BTreeMap<String, String>,
    /// Those that are in neither the revision nor the index.
    untracked: BTreeSet<String>,
    /// Those that the index holds as the revision does: what differs is on the disk only.
    on_disk: BTreeSet<String>,
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

    /// Whether neither the revision nor the index has a file that differs.
    pub fn is_untracked(&self, path: &str) -> bool {
        self.untracked.contains(path)
    }

    /// Whether a file that differs is in the index as it is in the revision: somebody has edited it and not added it, or git
    /// has converted it or left it out.
    pub fn is_on_disk_only(&self, path: &str) -> bool {
        self.on_disk.contains(path)
    }
}

impl Revision {
    /// The files that `wanted` chooses, and what links among them lead to, as far as they differ: changed, removed, or new,
    /// whether tracked, staged or untracked, but for untracked files that git ignores. Who may run a file counts. Bytes are
    /// compared as they lie on the disk, so a file that git converts differs too, but for line ends: where no
    /// `.gitattributes` differs, a text with CRLF for each LF of what is committed is the same.
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
        let as_committed = |path: &Vec<u8>| before.get(path).is_some_and(|entry| index.get(path) == Some(entry));
        let is_attributes = |path: &&Vec<u8>| path.split(|&byte| byte == b'/').next_back() == Some(b".gitattributes");
        let may_convert = before.keys().chain(index.keys()).filter(is_attributes).all(as_committed);
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
                if as_committed(path) {
                    differing.on_disk.insert(shown.clone());
                } else if !before.contains_key(path) && !index.contains_key(path) {
                    differing.untracked.insert(shown.clone());
                }
                differing.paths.insert(shown);
            }
        }
        let objects = self.objects_of(&files)?;
        let changed = files.into_iter().zip(objects).filter(|((_, before), now)| before != now).map(|(file, _)| file);
        let (on_disk, changed): (Vec<_>, Vec<_>) =
            changed.partition(|(path, _)| as_committed(&path.as_bytes().to_vec()));
        let converted = if may_convert { self.with_other_line_ends(&on_disk)? } else { BTreeSet::new() };
        let on_disk: BTreeSet<String> =
            on_disk.into_iter().map(|(path, _)| path).filter(|path| !converted.contains(path)).collect();
        differing.paths.extend(on_disk.iter().cloned().chain(changed.into_iter().map(|(path, _)| path)));
        differing.on_disk.extend(on_disk);
        Ok(differing)
    }

    /// The files that are their object's text with CRLF for each LF.
    fn with_other_line_ends(&self, files: &[(String, String)]) -> Result<BTreeSet<String>, Problem> {
        let mut found = BTreeSet::new();
        let sizes = self.batch("--batch-check", files)?;
        // What is missing here, in a partial clone, has no size.
        let size = |line: &[u8]| std::str::from_utf8(line).ok()?.rsplit_once(' ')?.1.parse::<u64>().ok();
        let sizes = sizes.split(|&byte| byte == b'\n').map(|line| size(line).unwrap_or(u64::MAX));
        let place = |path: &str| self.repository.root.join(path);
        let longer = files.iter().zip(sizes).filter(|((path, _), size)| {
            plain_file(&self.repository.root, path)
                .is_some_and(|file| file.len() > *size && file.len() <= MOST_CONVERTED)
        });
        let longer: Vec<(String, String)> = longer.map(|(file, _)| file.clone()).collect();
        for files in longer.chunks(MOST_AT_ONCE) {
            let objects = self.batch("--batch", files)?;
            let mut rest = objects.as_slice();
            for (path, _) in files {
                let header = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                let (line, after) = rest.split_at(header);
                let Some(length) = size(line).and_then(|size| usize::try_from(size).ok()) else { break };
                let Some(committed) = after.get(1..).and_then(|after| after.get(..length)) else { break };
                if std::fs::read(place(path)).is_ok_and(|bytes| has_crlf_for_lf(&bytes, committed)) {
                    found.insert(path.clone());
                }
                rest = after.get(length + 2..).unwrap_or_default();
            }
        }
        Ok(found)
    }

    /// What git says of the objects of files, in their order.
    fn batch(&self, how: &str, files: &[(String, String)]) -> Result<Vec<u8>, Problem> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let input: String = files.iter().map(|(_, object)| format!("{object}\n")).collect();
        let output = run::git(&self.repository.root, &["cat-file", how], input.as_bytes())?;
        output.success().map(<[u8]>::to_vec).map_err(|complaint| run::failed(&complaint))
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

/// Whether the one text is the other one with CRLF for each LF. What holds NUL, or a CR already, git doesn't convert.
fn has_crlf_for_lf(bytes: &[u8], committed: &[u8]) -> bool {
    let lines = committed.iter().filter(|&&byte| byte == b'\n').count();
    if committed.contains(&0) || committed.contains(&b'\r') || bytes.len() != committed.len() + lines {
        return false;
    }
    let mut left = bytes.iter();
    committed.iter().all(|byte| match byte {
        b'\n' => left.next() == Some(&b'\r') && left.next() == Some(byte),
        _ => left.next() == Some(byte),
    })
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
        let paths = ["a.md", "d/x", "dd", "z"].map(str::to_owned).into();
        let differing = Differing { paths, links, ..Differing::default() };
        let within = |wanted: &str| differing.within(|path| path == wanted).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(within("l"), "a.md");
        assert_eq!(within("m"), "d/x z");
        assert_eq!(within("top"), "a.md d/x dd z");
        assert_eq!(within("dd"), "dd");
        assert_eq!(within("other"), "");
    }

    #[test]
    fn only_crlf_at_each_line_end_is_another_spelling() {
        for (bytes, committed, same) in [
            ("a\r\nb\r\n", "a\nb\n", true),
            ("a\r\nb", "a\nb", true),
            ("a\r\nb\n", "a\nb\n", false),
            ("a\r\nb\r\n", "a\nc\n", false),
            ("a\r\n", "a\n\n", false),
            ("\ra\r\n", "a\n", false),
            ("a\r\r\n", "a\r\n", false),
            ("\0\r\n", "\0\n", false),
            ("a\n", "a\r\n", false),
        ] {
            assert_eq!(has_crlf_for_lf(bytes.as_bytes(), committed.as_bytes()), same, "{bytes:?}");
        }
    }
}
