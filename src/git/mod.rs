//! What a git repository holds at a revision, and what of the work tree differs from it.
//!
//! Beside `connect` this is the only place that starts a process: git itself. A pull request's repository is foreign data,
//! so git only names objects and copies them out: no hook, alias, filter, text conversion, pager, replacement or lazy fetch
//! runs, and a revision or a path that could be taken for an option never reaches it. What differs is found by comparing
//! bytes with objects, not by git's index, which trusts times and runs filters.

mod differing;
mod names;
mod outer;
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use differing::Differing;

use crate::problem::Problem;

/// The repository that a folder is in.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The folder that holds `.git`, absolute.
    root: PathBuf,
}

/// A commit of a repository, by its object: nothing that is fetched or committed meanwhile moves it.
#[derive(Clone, Debug)]
pub struct Revision {
    repository: Repository,
    /// As the user typed it.
    name: String,
    commit: String,
}

/// What stands at a path in a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Nothing,
    /// A file with these bytes.
    File(Vec<u8>),
}

const STEP: &str = "reading the revision";

impl Repository {
    /// The repository that a folder is in.
    ///
    /// # Errors
    /// When it is in none.
    pub fn of(folder: &Path) -> Result<Self, Problem> {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let root = absolute.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        root.map(|root| Self { root: root.to_owned() }).ok_or_else(|| {
            let cause = format!("{} is in no git repository", absolute.display());
            Problem::new(STEP, cause, "run it in a checkout")
        })
    }

    /// The folder that holds `.git`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commit that a revision means, such as `HEAD~1` or `refs/remotes/origin/main`.
    ///
    /// # Errors
    /// When it is no revision, could be taken for an option or mean another commit too, or git fails.
    pub fn revision(&self, name: &str) -> Result<Revision, Problem> {
        let unknown = || {
            let shown = crate::text::terminal_line(name);
            let help = "see `git log --oneline --all`; a shallow clone needs `git fetch` of that branch first";
            Problem::new(STEP, format!("\"{shown}\" is no commit of this repository"), help)
        };
        if !is_revision(name) {
            return Err(Problem {
                help: "name a commit, as in HEAD~1 or refs/remotes/origin/main".to_owned(),
                ..unknown()
            });
        }
        let wanted = format!("{name}^{{commit}}");
        let output = run::git(&self.root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], &[])?;
        match output.success() {
            // Without a word it is a name that git doesn't know; with words, such as of another owner's repository, not.
            Err(complaint) if !complaint.is_empty() => Err(run::failed(&complaint)),
            Err(_) => Err(unknown()),
            Ok(bytes) => {
                let commit = String::from_utf8_lossy(bytes).trim().to_owned();
                if !is_object(&commit) {
                    return Err(unknown());
                }
                self.refuse_unclear(name)?;
                Ok(Revision { repository: self.clone(), name: name.to_owned(), commit })
            }
        }
    }

    /// Whether git takes a text for a commit, be it clear which one or not.
    pub fn knows(&self, name: &str) -> bool {
        is_revision(name) && self.object(&format!("{name}^{{commit}}")).is_ok_and(|object| object.is_some())
    }

    /// A path of the work tree as revisions name it: from the root, with `/`. None if it leads out of the repository or
    /// through a link, for then the revision holds something else under that name.
    pub fn path(&self, path: &Path) -> Option<String> {
        let absolute = std::path::absolute(path).ok()?;
        let relative = absolute.strip_prefix(&self.root).ok()?;
        let mut names = Vec::new();
        let mut folder = self.root.clone();
        for component in relative.components() {
            let std::path::Component::Normal(name) = component else { return None };
            if folder != self.root && folder.is_symlink() {
                return None;
            }
            folder.push(name);
            names.push(name.to_str()?);
        }
        Some(names.join("/")).filter(|path| is_path(path))
    }
}

impl Revision {
    /// As the user typed it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The commit that it is, by its object.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Whether what is checked out descends from it, as far as this clone goes.
    pub fn is_within_head(&self) -> bool {
        let words = ["merge-base", "--is-ancestor", &self.commit, "HEAD"];
        // With words git has failed, and nothing is known.
        let output = run::git(&self.repository.root, &words, &[]);
        output.is_ok_and(|output| output.success().map_or_else(|complaint| !complaint.is_empty(), |_| true))
    }

    /// The repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// What stands at a path, which counts from the repository's root. At most so many bytes are read.
    ///
    /// # Errors
    /// When something stands there that is no file, it is larger, or git fails. A link is no file: it could lead anywhere.
    pub fn entry(&self, path: &str, most: u64) -> Result<Entry, Problem> {
        let shown = crate::text::terminal_line(&format!("{}:{path}", self.name));
        if !is_path(path) {
            let cause = format!("{shown} names no path of the repository");
            return Err(Problem::new(STEP, cause, "write it from the repository's root, with `/` and without `..`"));
        }
        let Some(entry) = self.entries(Some(path))?.into_iter().find(|entry| entry.path == path.as_bytes()) else {
            return Ok(Entry::Nothing);
        };
        if !entry.is_file() {
            let help = "name a file; a link or a folder isn't followed";
            return Err(Problem::new(STEP, format!("{shown} is no ordinary file there"), help));
        }
        let output = run::git_within(&self.repository.root, &["cat-file", "blob", &entry.object], &[], most)?;
        let bytes = output.success().map_err(|complaint| run::failed(&complaint))?;
        if bytes.len() as u64 > most {
            return Err(Problem::new(STEP, format!("{shown} has more than {most} bytes"), "name another file"));
        }
        Ok(Entry::File(bytes.to_vec()))
    }

    /// Which of these paths it holds, whatever stands there.
    ///
    /// # Errors
    /// When git fails.
    pub fn held(&self, paths: &[&str]) -> Result<BTreeSet<String>, Problem> {
        let words = [&["ls-tree", "-z", "--full-tree", "--name-only", &self.commit, "--"], paths].concat();
        let output = run::git(&self.repository.root, &words, &[])?;
        let bytes = output.success().map_err(|complaint| run::failed(&complaint))?;
        Ok(lines(bytes).map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// The entries of the whole tree, or the one at a path.
    fn entries(&self, path: Option<&str>) -> Result<Vec<TreeEntry>, Problem> {
        let mut words = vec!["ls-tree", "-z", "--full-tree"];
        if path.is_none() {
            words.push("-r");
        }
        words.push(&self.commit);
        words.extend(path.into_iter().flat_map(|path| ["--", path]));
        let output = run::git(&self.repository.root, &words, &[])?;
        let bytes = output.success().map_err(|complaint| run::failed(&complaint))?;
        let entries: Option<Vec<TreeEntry>> = lines(bytes).map(TreeEntry::of_tree).collect();
        entries.ok_or_else(|| run::failed("git ls-tree gave something else than a tree"))
    }
}

/// One path of a tree or of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TreeEntry {
    mode: String,
    object: String,
    path: Vec<u8>,
}

impl TreeEntry {
    /// From `MODE TYPE OBJECT<tab>PATH`.
    fn of_tree(line: &[u8]) -> Option<Self> {
        Self::of(line, 2)
    }

    /// From `MODE OBJECT STAGE<tab>PATH`.
    fn of_index(line: &[u8]) -> Option<Self> {
        Self::of(line, 1)
    }

    fn of(line: &[u8], object: usize) -> Option<Self> {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let words: Vec<&str> = std::str::from_utf8(&line[..tab]).ok()?.split(' ').collect();
        let [mode, _, _] = words.as_slice() else { return None };
        let object = (*words.get(object)?).to_owned();
        is_object(&object).then(|| Self { mode: (*mode).to_owned(), object, path: line[tab + 1..].to_vec() })
    }

    fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// The pieces that NUL ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == 0).filter(|line| !line.is_empty())
}

/// Whether a text can be a revision and nothing else: no option, no range, no path in a tree.
fn is_revision(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 1_000
        && !name.starts_with('-')
        && !name.contains("..")
        && !name.chars().any(|character| character.is_control() || character == ' ' || character == ':')
}

/// Whether a path is one within a repository, written as git does.
fn is_path(path: &str) -> bool {
    !path.is_empty()
        && !path.chars().any(|character| character.is_control() || character == '\\')
        && path.split('/').all(|name| !name.is_empty() && name != "." && name != "..")
}

fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_an_option_or_another_object_is_no_revision() {
        for name in ["HEAD", "HEAD~1", "origin/main", "v1.0^{commit}", "main@{1}", "0123abcd"] {
            assert!(is_revision(name), "{name}");
        }
        for name in ["", "-p", "--upload-pack=x", "a..b", "HEAD:file", "a b", "a\nb", ":/text", "a\0"] {
            assert!(!is_revision(name), "{name:?}");
        }
    }

    #[test]
    fn a_path_stays_in_the_repository() {
        for path in ["mcp-tools.lock", "a/b", "a b/-c", ".mcp.json"] {
            assert!(is_path(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a\\b", "a\nb"] {
            assert!(!is_path(path), "{path:?}");
        }
    }

    #[test]
    fn an_entry_of_a_tree_has_mode_object_and_path() {
        let object = "a".repeat(40);
        let entry = TreeEntry::of_tree(format!("100644 blob {object}\ta b\n").as_bytes()).expect("an entry");
        assert_eq!((entry.mode.as_str(), entry.path.as_slice()), ("100644", b"a b\n".as_slice()));
        let entry = TreeEntry::of_index(format!("120000 {object} 0\tlink").as_bytes()).expect("an entry");
        assert!(!entry.is_file());
        assert_eq!(TreeEntry::of_tree(b"100644 blob --help\tx"), None);
    }
}
