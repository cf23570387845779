//! Which files of a checkout a launch can reach, as far as its words tell.
//!
//! Where it can't be told, it is all of them: `node server.mjs` can import anything. Whoever only asks a package runner or
//! a container for something from elsewhere, and names nothing of the checkout, reaches what those read by themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::normal;
use super::{manifest, runner};
use crate::config::ConfiguredServer;
use crate::launch::Transport;

/// What a launch can reach of a checkout. Paths count from the repository's root, with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing: no process is started.
    Nothing,
    /// What package managers read in these folders, and what its words name, should it have been there. Of `modules` any
    /// extension is meant.
    Packages { folders: BTreeSet<String>, named: BTreeSet<String>, modules: BTreeSet<String> },
    /// Everything but what no program reads by itself, unless its words name it. Of documents that are those in the root,
    /// and in these folders.
    Everything { root: PathBuf, folders: BTreeSet<String>, named: BTreeSet<String> },
}

/// All that a server's launch says: as written, with its variables filled in, and what is passed to it.
pub(super) struct Said {
    launches: Vec<Transport>,
    /// The values of variables of ours.
    passed: Vec<String>,
}

impl Said {
    /// What the launch of a server says, with these variables of ours.
    pub(super) fn of(server: &ConfiguredServer, passed: &BTreeSet<String>) -> Self {
        // A variable that nobody sets keeps the server from being started anyway.
        let resolved = server.launch.resolve(&|name| std::env::var(name).ok()).ok();
        let launches = std::iter::once(server.launch.transport.clone())
            .chain(resolved.map(|resolved| resolved.transport))
            .collect();
        Self { launches, passed: passed.iter().filter_map(|name| std::env::var(name).ok()).collect() }
    }

    /// All of its texts.
    fn texts(&self) -> Vec<&String> {
        let mut texts: Vec<&String> = self.passed.iter().collect();
        for launch in &self.launches {
            if let Transport::Stdio { command, args, env, cwd } = launch {
                texts.extend(std::iter::once(command).chain(args).chain(env.values()).chain(cwd));
            }
        }
        texts
    }

    /// The values of all variables that it is given.
    fn values(&self) -> Vec<&String> {
        let given = self.launches.iter().filter_map(|launch| match launch {
            Transport::Stdio { env, .. } => Some(env.values()),
            _ => None,
        });
        self.passed.iter().chain(given.flatten()).collect()
    }

    /// The folders that it may start in.
    fn folders(&self, server: &ConfiguredServer) -> Vec<PathBuf> {
        let of_launch = |launch: &Transport| match launch {
            Transport::Stdio { cwd, .. } => cwd.as_ref().map(|cwd| server.folder.join(cwd)),
            _ => None,
        };
        std::iter::once(server.folder.clone()).chain(self.launches.iter().filter_map(of_launch)).collect()
    }
}

/// Files by which package and tool managers decide what they run, and the files of variables.
#[rustfmt::skip]
const PACKAGE_FILES: &[&str] = &[
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml",
    ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "bun.lock", "bun.lockb", "bunfig.toml", ".bunfig.toml", "tsconfig.json",
    "pyproject.toml", "uv.toml", "uv.lock", "pip.conf", ".python-version", ".python-versions", ".node-version", ".nvmrc",
    ".tool-versions", ".prototools",
];
/// The same by how their names begin.
const PACKAGE_PREFIXES: &[&str] = &[".env", ".yarnrc", ".pnp.", "requirements", "mise.", ".mise."];
/// Folders in which they look for programs and settings.
const PACKAGE_FOLDERS: &[&str] = &["node_modules", "__pypackages__", ".venv", ".mise", "mise", ".config", ".yarn"];

/// Documents of a project, whether with `.md`, with `.txt` or without an extension.
#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "readme", "changelog", "changes", "history", "license", "licence", "copying", "security", "contributing", "code_of_conduct",
    "authors", "notice", "codeowners", "maintainers", "support", "governance",
];
/// Files of forges, jobs and editors.
#[rustfmt::skip]
const IDLE_FILES: &[&str] = &[
    ".editorconfig", ".gitlab-ci.yml", ".travis.yml", ".woodpecker.yml", "azure-pipelines.yml", "appveyor.yml", ".appveyor.yml",
    "bitbucket-pipelines.yml", ".drone.yml", ".cirrus.yml", "license-mit", "license-apache",
];
/// Folders whose YAML describes jobs and forms.
const JOB_FOLDERS: &[&str] = &[".github", ".gitlab", ".forgejo", ".gitea", ".circleci", ".buildkite", ".woodpecker"];
/// Templates in a forge's folder.
const TEMPLATES: &[&str] = &["issue_template", "pull_request_template"];

impl Reach {
    /// What a server can reach in the checkout at `root`.
    pub(super) fn of(server: &ConfiguredServer, said: &Said, root: &Path) -> Self {
        let Transport::Stdio { command, .. } = &server.launch.transport else { return Reach::Nothing };
        let checkout = Checkout { root: root.to_owned(), canonical: fs::canonicalize(root).unwrap_or(root.to_owned()) };
        let (texts, starts) = (said.texts(), said.folders(server));
        let (mut named, mut modules) = (BTreeSet::new(), BTreeSet::new());
        let mut touches = checkout.finds(command) || texts.iter().any(|text| text.contains("file:"));
        for word in texts.iter().flat_map(|text| words(text)) {
            for start in &starts {
                let place = start.join(word);
                named.extend(checkout.path(&place));
                touches = touches || checkout.holds(&place);
            }
        }
        let folders: BTreeSet<String> = starts.iter().flat_map(|start| checkout.upward(start)).collect();
        // A manifest that differs is within reach itself, so the one here is that of the revision.
        let leads_inside = folders.iter().any(|folder| manifest::leads_inside(&root.join(folder)));
        named.extend(path_folders().iter().filter_map(|folder| checkout.path(folder)));
        touches = touches || path_folders().iter().any(|folder| normal(folder) == root);
        let mut arguments: Vec<&String> = said.values();
        for launch in &said.launches {
            match runner::asked(launch) {
                Some(asked) if !(asked.heeds_package_json && leads_inside) => arguments.extend(asked.arguments),
                _ => touches = true,
            }
        }
        for word in arguments.iter().flat_map(|argument| module_words(argument)) {
            for place in starts.iter().map(|start| start.join(&word)) {
                modules.extend(checkout.path(&place));
                touches = touches || checkout.holds(&place) || checkout.holds_as(&place);
            }
        }
        match touches {
            true => Reach::Everything { root: root.to_owned(), folders, named },
            false => Reach::Packages { folders, named, modules },
        }
    }

    /// Whether a file is within reach. `spared` are those that are compared by their meaning: lockfile, policy and
    /// configurations.
    pub(super) fn includes(&self, path: &str, spared: &BTreeSet<String>) -> bool {
        let begins = |names: &BTreeSet<String>, ends: &[char]| {
            names.iter().any(|name| {
                path.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
            })
        };
        match self {
            Reach::Nothing => false,
            Reach::Packages { folders, named, modules } => {
                begins(named, &['/'])
                    || begins(modules, &['/', '.'])
                    || folders.iter().any(|folder| is_package_file(path, folder))
            }
            Reach::Everything { root, folders, named } => {
                let is_idle = || is_idle(path, folders) && !root.join(path).is_symlink();
                begins(named, &['/']) || !(spared.contains(path) || is_idle())
            }
        }
    }
}

/// Whether no program reads a file unless it is told to: what people read beside the code, and what forges, their jobs,
/// editors and git read.
fn is_idle(path: &str, folders: &BTreeSet<String>) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (is_near, top) = (folder.is_empty() || folders.contains(folder), path.to_ascii_lowercase());
    let (top, file) = (top.split('/').next().unwrap_or_default(), file.to_ascii_lowercase());
    let (stem, extension) = file.rsplit_once('.').unwrap_or((&file, ""));
    let is_document = matches!(extension, "" | "md" | "txt") && DOCUMENTS.contains(&stem);
    let is_page = top == "docs" && !folder.is_empty() && extension == "md";
    let is_job = matches!(extension, "yml" | "yaml") && JOB_FOLDERS.contains(&top) && !folder.is_empty();
    let is_template =
        top == ".github" && extension == "md" && TEMPLATES.iter().any(|name| stem == *name || has(folder, name));
    is_near && (is_document || IDLE_FILES.contains(&file.as_str()))
        || is_page
        || is_job
        || is_template
        || file == ".gitignore"
        || file == ".gitattributes"
}

/// Whether a folder's path has a folder of that name in it.
fn has(folder: &str, name: &str) -> bool {
    folder.split('/').any(|one| one.eq_ignore_ascii_case(name))
}

fn is_package_file(path: &str, folder: &str) -> bool {
    let rest =
        if folder.is_empty() { Some(path) } else { path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) };
    let Some(rest) = rest.map(str::to_ascii_lowercase) else { return false };
    match rest.split_once('/') {
        Some((within, _)) => PACKAGE_FOLDERS.contains(&within) || within.starts_with(".env"),
        // A link may stand where a folder is looked for.
        None => {
            PACKAGE_FILES.contains(&rest.as_str())
                || PACKAGE_FOLDERS.contains(&rest.as_str())
                || PACKAGE_PREFIXES.iter().any(|prefix| rest.starts_with(prefix))
        }
    }
}

/// All parts of a text that could be a path: whole, between what separates lists, options and their values, and behind the
/// letters of an option.
fn words(text: &str) -> BTreeSet<&str> {
    const SEPARATORS: &[char] = &[
        '=', ':', ',', ';', '"', '\'', '`', '(', ')', '[', ']', '{', '}', '|', '&', '<', '>', '@', '?', '#', '$', '+',
    ];
    let behind = ['=', ':'].into_iter().filter_map(|mark| text.split_once(mark)).map(|(_, rest)| rest);
    let pieces = text.split(|character: char| character.is_whitespace() || SEPARATORS.contains(&character));
    let mut words = BTreeSet::new();
    for piece in std::iter::once(text).chain(behind).chain(pieces) {
        let option = piece.trim_start_matches('-');
        let value = piece.strip_prefix('-').and_then(|rest| rest.char_indices().nth(1).map(|(at, _)| &rest[at..]));
        let words_of_piece = [Some(piece), Some(option), value, Some(piece.trim_start_matches('/'))];
        words.extend(words_of_piece.into_iter().flatten().filter(|word| !word.is_empty()));
    }
    words
}

/// What an argument could name without its extension, or as a module: `server`, `crm.server`, `server:app`.
fn module_words(argument: &str) -> BTreeSet<String> {
    // As in `--main=server` and `-mserver`.
    let value = match (argument.strip_prefix('-'), argument.split_once('=')) {
        (None, _) => argument,
        (Some(_), Some((_, value))) => value,
        (Some(option), None) if option.starts_with('-') => "",
        (Some(option), None) => option.char_indices().nth(1).map_or("", |(at, _)| &option[at..]),
    };
    let words = words(value).into_iter().map(|word| word.trim_end_matches('/')).filter(|word| !word.is_empty());
    let is_dotted = |word: &str| {
        let mut names = word.split('.');
        names.all(|name| !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_'))
    };
    let forms = |word: &str| [Some(word.to_owned()), is_dotted(word).then(|| word.replace('.', "/"))];
    // A pattern could mean any file.
    let pattern = (value.contains("*.") || value.contains("/*") || value.contains("**")).then(|| ".".to_owned());
    words.flat_map(forms).flatten().chain(pattern).collect()
}

/// The folder that a repository is checked out in, as it was found and without links.
struct Checkout {
    root: PathBuf,
    canonical: PathBuf,
}

impl Checkout {
    /// A place's path from the root; none for the root itself, and outside of it.
    fn path(&self, place: &Path) -> Option<String> {
        let normal = normal(place);
        let path = normal.strip_prefix(&self.root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        Some(path).filter(|path| !path.is_empty())
    }

    /// Whether something stands there that is of the checkout, or that the checkout lies in.
    fn holds(&self, place: &Path) -> bool {
        let normal = normal(place);
        let lies_there = self.root.starts_with(&normal)
            || normal.strip_prefix(&self.root).is_ok() && normal.symlink_metadata().is_ok();
        let leads_there = || {
            fs::canonicalize(place).is_ok_and(|to| to.starts_with(&self.canonical) || self.canonical.starts_with(&to))
        };
        lies_there || leads_there()
    }

    /// Whether a file stands there under that name with any extension.
    fn holds_as(&self, place: &Path) -> bool {
        let (Some(folder), Some(name)) = (place.parent(), place.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        let is_within = normal(folder).starts_with(&self.root)
            || fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with(&self.canonical));
        let is_it = |file: &str| {
            let stem = file.get(..name.len()).filter(|stem| stem.eq_ignore_ascii_case(name));
            stem.is_some() && file[name.len()..].starts_with('.')
        };
        is_within
            && fs::read_dir(folder)
                .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_str().is_some_and(is_it)))
    }

    /// Whether a command is a path that counts from the configuration's folder, or a name that is found in a folder of the
    /// checkout.
    fn finds(&self, command: &str) -> bool {
        if command.contains(['/', std::path::MAIN_SEPARATOR]) {
            return !Path::new(command).is_absolute();
        }
        let mut files = path_folders().into_iter().map(|folder| folder.join(command));
        files.find(|file| file.is_file()).is_some_and(|file| self.holds(&file))
    }

    /// A folder and those above it, up to the root, which is empty.
    fn upward(&self, folder: &Path) -> Vec<String> {
        let normal = normal(folder);
        let within = normal.ancestors().take_while(|folder| folder.starts_with(&self.root));
        within.map(|folder| self.path(folder).unwrap_or_default()).collect()
    }
}

/// The folders of PATH. Those that count from where a process starts are nobody's business but the user's.
fn path_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}
