//! The folder that a run is about.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// The lockfile's name in the project folder.
pub const LOCKFILE: &str = "mcp-tools.lock";
/// The configurations that are looked for in a folder.
const CONFIGURATIONS: &[&str] = &[".mcp.json"];
/// What a repository's root holds: a folder, or in a worktree a file.
const REPOSITORY: &str = ".git";

/// What makes a folder a project's.
pub fn marks() -> impl Iterator<Item = &'static str> {
    std::iter::once(LOCKFILE).chain(CONFIGURATIONS.iter().copied())
}

/// The folder that a run is about, and its configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder, absolute: the lockfile sits in it, and paths in the lockfile are relative to it.
    pub folder: PathBuf,
    /// The configurations, in the order in which their servers are merged; may be empty.
    pub configs: Vec<PathBuf>,
}

/// Configurations of different projects, which one lockfile can only hold if it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentProjects {
    /// Two configurations of different projects, as they were given.
    pub configs: [PathBuf; 2],
}

/// The nearest folder upward from `start` that holds the lockfile or a known configuration, never past the root of the
/// repository; else `start` itself. Outside a repository only `start` is looked at: a folder further up may be anyone's,
/// such as one for temporary files, and a configuration there must not be taken for the project's.
pub fn find(start: &Path) -> Project {
    let start = absolute(start);
    let root = start.ancestors().find(|folder| holds(folder, REPOSITORY));
    let folder = start
        .ancestors()
        .take_while(|folder| root.is_some_and(|root| folder.starts_with(root)) || *folder == start)
        .find(|folder| marks().any(|name| holds(folder, name)))
        .unwrap_or(&start);
    let present = CONFIGURATIONS.iter().filter(|name| holds(folder, name));
    Project { folder: folder.to_owned(), configs: present.map(|name| folder.join(name)).collect() }
}

/// The project of configurations that were named: the one that each of them finds from its own folder.
///
/// # Errors
/// If they belong to different folders. Without any configuration there is nothing to differ, and the project is the
/// working folder's.
pub fn of_configs(configs: &[PathBuf]) -> Result<Project, DifferentProjects> {
    let Some(first) = configs.first() else { return Ok(find(Path::new("."))) };
    let folder = find(folder_of(first)).folder;
    match configs.iter().find(|config| !is_same_folder(&find(folder_of(config)).folder, &folder)) {
        Some(other) => Err(DifferentProjects { configs: [first.clone(), other.clone()] }),
        None => Ok(Project { folder, configs: configs.to_vec() }),
    }
}

/// The project of a lockfile that was named: its folder, whatever the configurations belong to.
pub fn beside_lockfile(lockfile: &Path, configs: Vec<PathBuf>) -> Project {
    Project { folder: absolute(folder_of(lockfile)), configs }
}

/// A file's path as hosts of repositories name it: from the repository's root, with `/`. Outside a repository it counts from
/// the working folder, and is the file's name alone where it isn't below that. Never absolute.
pub fn in_repository(file: &Path) -> String {
    let file = absolute(file);
    let root = file.ancestors().skip(1).find(|folder| holds(folder, REPOSITORY)).map(Path::to_owned);
    let root = root.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let below = file.strip_prefix(&root).ok().or(file.file_name().map(Path::new)).unwrap_or(&file);
    below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Whether a folder has an entry of this name. What can't be looked at counts: reading it says why.
fn holds(folder: &Path, name: &str) -> bool {
    match fs::symlink_metadata(folder.join(name)) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path from the root, without `..`: upward of `a/..` is not `a`.
fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let winding = absolute.components().any(|component| component == std::path::Component::ParentDir);
    if winding { fs::canonicalize(&absolute).unwrap_or(absolute) } else { absolute }
}

/// Whether two paths lead to one folder, by links or not.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

impl std::error::Error for DifferentProjects {}

impl fmt::Display for DifferentProjects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.configs;
        write!(formatter, "{} and {} belong to different projects", one.display(), other.display())
    }
}

impl From<DifferentProjects> for Problem {
    fn from(error: DifferentProjects) -> Self {
        let help = format!("say where the lockfile is: `--lockfile {LOCKFILE}`");
        Problem::new("finding the project folder", error.to_string(), help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A folder with these files and, with a slash at the end, folders.
    fn tree(entries: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for entry in entries {
            let path = folder.path().join(entry);
            if entry.ends_with('/') {
                fs::create_dir_all(&path).expect("a folder");
            } else {
                fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
                fs::write(&path, "").expect("a file");
            }
        }
        folder
    }

    fn found(entries: &[&str], start: &str) -> String {
        let tree = tree(entries);
        let folder = find(&tree.path().join(start)).folder;
        folder.strip_prefix(tree.path()).expect("within the tree").to_string_lossy().into_owned()
    }

    #[test]
    fn the_nearest_folder_with_a_lockfile_or_a_configuration_is_the_project() {
        assert_eq!(found(&[".git/", ".mcp.json", "a/b/"], "a/b"), "");
        assert_eq!(found(&[".git/", "mcp-tools.lock", "a/b/"], "a/b"), "");
        assert_eq!(found(&[".git/", ".mcp.json", "a/mcp-tools.lock", "a/b/"], "a/b"), "a");
        assert_eq!(found(&[".git/", ".mcp.json", "a/b/.mcp.json"], "a/b"), "a/b");
    }

    #[test]
    fn the_search_ends_at_the_repository_s_root() {
        assert_eq!(found(&[".mcp.json", "repository/.git/", "repository/a/"], "repository/a"), "repository/a");
        assert_eq!(found(&[".mcp.json", "worktree/.git", "worktree/a/"], "worktree/a"), "worktree/a");
        assert_eq!(found(&["repository/.git/", "repository/.mcp.json", "repository/a/"], "repository/a"), "repository");
    }

    #[test]
    fn a_file_is_named_from_the_root_of_its_repository() {
        let tree = tree(&["repository/.git/", "repository/a/", "other/"]);
        let named = |path: &str| in_repository(&tree.path().join(path));
        assert_eq!(named("repository/a/mcp-tools.lock"), "a/mcp-tools.lock");
        assert_eq!(named("repository/a/../mcp-tools.lock"), "mcp-tools.lock");
        assert_eq!(named("other/mcp-tools.lock"), "mcp-tools.lock");
    }

    #[test]
    fn outside_a_repository_only_the_start_is_looked_at() {
        assert_eq!(found(&[".mcp.json", "a/"], "a"), "a");
        assert_eq!(found(&[".mcp.json"], ""), "");
    }

    #[test]
    fn configurations_that_exist_are_listed() {
        let tree = tree(&[".git/", ".mcp.json", "a/mcp-tools.lock"]);
        assert_eq!(find(tree.path()).configs, [tree.path().join(".mcp.json")]);
        assert!(find(&tree.path().join("a")).configs.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nowhere_counts_so_that_reading_it_fails() {
        let tree = tree(&[]);
        std::os::unix::fs::symlink("nowhere", tree.path().join(".mcp.json")).expect("a link");
        assert_eq!(find(tree.path()).configs.len(), 1);
    }

    #[test]
    fn named_configurations_belong_to_the_project_above_them() {
        let tree = tree(&[".git/", "mcp-tools.lock", "configs/x.json", "configs/y.json", "other/.mcp.json"]);
        let file = |name: &str| tree.path().join(name);
        let two = [file("configs/x.json"), file("configs/y.json")];
        assert_eq!(of_configs(&two), Ok(Project { folder: tree.path().to_owned(), configs: two.to_vec() }));
        let winding = [file("other/.mcp.json"), file("configs/../other/.mcp.json")];
        assert!(of_configs(&winding).is_ok());
    }

    #[test]
    fn configurations_of_different_projects_need_a_named_lockfile() {
        let tree = tree(&[".git/", "a/.mcp.json", "b/.mcp.json"]);
        let configs = [tree.path().join("a/.mcp.json"), tree.path().join("b/.mcp.json")];
        let error = of_configs(&configs).expect_err("different");
        assert_eq!(error.configs, configs);
        assert!(Problem::from(error).help.contains("--lockfile"));
        let project = beside_lockfile(&tree.path().join("mcp-tools.lock"), configs.to_vec());
        assert_eq!(project, Project { folder: tree.path().to_owned(), configs: configs.to_vec() });
    }
}
