//! Which servers a project configures, and how each is reached.
//!
//! One file per format: [`parse`] chooses it by the content, so that a configuration may have any name. This version knows
//! `.mcp.json`. The stage reads files and nothing else: it starts nothing, contacts nothing and expands nothing, and what it
//! can't understand is an error with a place, never a server less.

mod command_line;
mod entry;
mod error;
mod jsonc;
mod mcp_json;
mod merge;
mod project;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::launch::Launch;
pub use error::{ConfigError, Fault, FaultKind};
pub use jsonc::Place;
pub use merge::merge;
pub use project::{DifferentProjects, LOCKFILE, Project, beside_lockfile, find, in_repository, marks, of_configs};

/// The largest configuration that is read, in bytes.
pub const LARGEST_FILE: u64 = 4 * 1024 * 1024;

/// A server as a configuration names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// Its name: foreign text.
    pub name: String,
    /// The configuration, relative to the project folder, with `/`; `None` for a launch given on the command line.
    pub config: Option<String>,
    /// The configuration's folder, absolute: relative commands and folders count from it.
    pub folder: PathBuf,
    /// How it is reached, as written.
    pub launch: Launch,
    /// Whether the configuration turns it off.
    pub state: State,
}

impl ConfiguredServer {
    /// Where its launch is written, as messages name it.
    pub fn origin(&self) -> &str {
        self.config.as_deref().unwrap_or("the command line")
    }
}

/// Whether a configuration turns a server off (`"disabled": true`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Clients use it.
    Enabled,
    /// Clients don't.
    Disabled,
}

/// Where a configuration comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, relative to the project folder, with `/`.
    pub config: String,
    /// Its folder, absolute.
    pub folder: PathBuf,
}

/// The servers of a configuration file, in the order of their names. `project` is the folder that paths in the lockfile are
/// relative to.
///
/// # Errors
/// If the file can't be read, and with everything that is wrong in it.
pub fn read(path: &Path, project: &Path) -> Result<Vec<ConfiguredServer>, ConfigError> {
    let shown = path.strip_prefix(project).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let failed = |kind| ConfigError::of_file(&shown, kind);
    let text = read_file(path).map_err(failed)?;
    let source = source(path, project).map_err(failed)?;
    parse(&text, &source)
}

/// The servers of a configuration's text.
///
/// # Errors
/// With everything that is wrong in it.
pub fn parse(text: &[u8], source: &Source) -> Result<Vec<ConfiguredServer>, ConfigError> {
    let failed = |faults| ConfigError { file: source.config.clone(), faults };
    let document = jsonc::Document::read(text).map_err(|fault| failed(vec![fault]))?;
    mcp_json::servers(document.root(), source).map_err(failed)
}

/// A configuration's path relative to the project folder, with `/`; its name alone where there is no such path.
pub fn shown(path: &Path, project: &Path) -> String {
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    source(path, project).map_or_else(|_| name(), |source| source.config)
}

fn read_file(path: &Path) -> Result<Vec<u8>, FaultKind> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => FaultKind::Missing,
        _ => FaultKind::Unreadable(error.kind().to_string()),
    };
    // A pipe could keep us waiting for ever, so the kind is asked before anything is opened.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(FaultKind::NotAFile);
    }
    let mut text = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?.take(LARGEST_FILE + 1);
    file.read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LARGEST_FILE { Err(FaultKind::TooLarge(LARGEST_FILE)) } else { Ok(text) }
}

fn source(path: &Path, project: &Path) -> Result<Source, FaultKind> {
    let unreadable = |error: std::io::Error| FaultKind::Unreadable(error.kind().to_string());
    let name = path.file_name().ok_or(FaultKind::NotAFile)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::path::absolute(parent).map_err(unreadable)?;
    // Two ways to one folder must not look like two folders, so both are compared without links.
    let from = fs::canonicalize(project).map_err(unreadable)?;
    let to = fs::canonicalize(&folder).map_err(unreadable)?;
    let config = relative(&to.join(name), &from).ok_or(FaultKind::NoRelativePath)?;
    Ok(Source { config, folder })
}

/// The way from a folder to a path, both absolute and without `..`, with `/`. None from one drive to another, or where a
/// name is no Unicode.
fn relative(path: &Path, from: &Path) -> Option<String> {
    let common = path.components().zip(from.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|component| match component {
        Component::Normal(_) => Some(".."),
        _ => None,
    });
    let down = path.components().skip(common).map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let names: Option<Vec<&str>> = up.chain(down).collect();
    names.map(|names| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"mcpServers": {"crm": {"command": "node", "args": ["server.mjs"]}}}"#;

    fn kind(path: &Path, project: &Path) -> FaultKind {
        read(path, project).expect_err("an error").faults.remove(0).kind
    }

    #[test]
    fn a_file_is_named_relative_to_the_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project");
        fs::create_dir_all(project.join("sub")).expect("folders");
        for (path, expected) in [
            (project.join(".mcp.json"), ".mcp.json"),
            (project.join("sub/my servers.json"), "sub/my servers.json"),
            (project.join("sub/../.mcp.json"), ".mcp.json"),
            (folder.path().join("other.json"), "../other.json"),
        ] {
            fs::write(&path, ONE).expect("written");
            let servers = read(&path, &project).expect("servers");
            assert_eq!(servers[0].origin(), expected);
            assert!(servers[0].folder.is_absolute());
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        assert_eq!(kind(&path, folder.path()), FaultKind::Missing);
        assert_eq!(kind(folder.path(), folder.path()), FaultKind::NotAFile);
        fs::write(&path, vec![b' '; LARGEST_FILE as usize + 1]).expect("written");
        assert_eq!(kind(&path, folder.path()), FaultKind::TooLarge(LARGEST_FILE));
        let error = read(&folder.path().join("sub/none.json"), folder.path()).expect_err("missing");
        assert_eq!(error.to_string(), "sub/none.json: there is no such file");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_configuration_counts_where_the_link_is() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("shared")).expect("a folder");
        fs::write(folder.path().join("shared/servers.json"), ONE).expect("written");
        std::os::unix::fs::symlink("shared/servers.json", folder.path().join(".mcp.json")).expect("a link");
        let servers = read(&folder.path().join(".mcp.json"), folder.path()).expect("servers");
        assert_eq!(servers[0].origin(), ".mcp.json");
    }

    #[test]
    fn a_way_between_folders_is_written_with_slashes() {
        let way = |path, from| relative(Path::new(path), Path::new(from));
        assert_eq!(way("/a/b/c", "/a"), Some("b/c".to_owned()));
        assert_eq!(way("/a/c", "/a/b/d"), Some("../../c".to_owned()));
        assert_eq!(way("/a", "/"), Some("a".to_owned()));
    }
}
