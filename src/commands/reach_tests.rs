//! What launches can reach of a checkout.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::reach::*;
use crate::config::{ConfiguredServer, State};
use crate::launch::samples::{http, stdio};
use crate::launch::{Launch, Transport};

/// A checkout with these files.
fn checkout(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, "").expect("a file");
    }
    folder
}

fn reach(launch: Launch, root: &Path, folder: &str) -> Reach {
    let folder = root.join(folder);
    let (name, config) = ("crm".to_owned(), Some(".mcp.json".to_owned()));
    let server = ConfiguredServer { name, config, folder, launch, state: State::Enabled };
    Reach::of(&server, &Said::of(&server, &BTreeSet::new()), root)
}

fn reaches_everything(words: &[&str], files: &[&str]) -> bool {
    let root = checkout(files);
    let mut launch = stdio(words[0], [], []);
    if let Transport::Stdio { args, .. } = &mut launch.transport {
        *args = words[1..].iter().map(|&word| word.to_owned()).collect();
    }
    matches!(reach(launch, root.path(), ""), Reach::Everything { .. })
}

#[test]
fn whoever_runs_a_file_reaches_everything_and_a_package_runner_does_not() {
    for (words, everything) in [
        (&["node", "server.mjs"][..], true),
        (&["sh", "-c", "true"], true),
        (&["uv", "run", "pkg"], true),
        (&["docker", "compose", "run", "x"], true),
        (&["npx", "-y", "pkg@1"], false),
        (&["npx", "-c", "pkg *"], true),
        (&["uvx", "pkg"], false),
        (&["pipx", "run", "pkg"], false),
        (&["/usr/bin/uvx", "pkg"], false),
        (&["docker", "run", "-i", "--rm", "org/image:1"], false),
        (&["docker", "run", "-i", "--rm", "-e", "TOKEN", "node:20", "node", "-e", "x"], false),
        (&["npx", "-y", "@scope/pkg@1", "--flag", "value", "https://go.example/x"], false),
        (&["npx", "--package=@scope/pkg", "--", "prog", "-p", "80"], false),
        (&["uvx", "mcp-server-time", "--local-timezone", "UTC"], false),
        (&["uvx", "--from", "mcp-server-time", "-p", "3.12", "mcp-server-time"], false),
        (&["uvx", "--with", "six", "python", "-m", "srv"], true),
        (&["uvx", "--from", "x", "Python3.12.exe"], true),
        (&["uvx", "--from", "x", "prog", "-m", "srv"], true),
        (&["uvx", "--unheard-of", "prog"], true),
        (&["uvx", "--with-editable", "prog", "x"], true),
        (&["uvx"], true),
        (&["pipx", "install", "pkg"], true),
        (&["npx", "-y", "tsx", "server"], true),
        (&["npx", "-y", "tsx@4", "server"], true),
        (&["npx", "-y", "ts-node@10"], true),
        (&["npx", "-y", "/usr/bin/node18"], true),
        (&["npx", "-y", "gateway", "--stdio", "python -m srv"], true),
        (&["npx", "-y", "gateway", "--stdio=deno"], true),
        (&["npx", "-y", "pkg", "--eval=1"], true),
        (&["bunx", "pkg", "a"], true),
        (&["npx", "pkg", "a"], true),
        (&["npx", "a"], false),
        (&["npx", "pkg", "--files", "lib/*.js"], true),
        (&["npx", "pkg", "--allow", "*"], false),
    ] {
        assert_eq!(reaches_everything(words, &["a.txt"]), everything, "{words:?}");
    }
    // An empty manifest is none that could be read.
    assert!(reaches_everything(&["npx", "-y", "pkg@1"], &["package.json"]));
    for words in [&["npx", "-y", "@playwright/mcp@latest"][..], &["npx", "@scope/node"], &["bunx", "@scope/mcp"]] {
        assert!(!reaches_everything(words, &["a.txt"]), "{words:?}");
    }
    assert!(reaches_everything(&["npx", "mcp"], &["a.txt"]));
    assert!(!reaches_everything(&["uvx", "pkg"], &["package.json"]));
}

#[test]
fn a_manifest_that_leads_nowhere_else_leaves_a_package_runner_where_it_is() {
    let root = checkout(&["package.json", "sub/x"]);
    let launch = || stdio("npx", ["-y", "@scope/server@1.2.3", "--flag", "v"], []);
    for (manifest, everything) in
        [(r#"{"name":"p","dependencies":{"a":"^1"}}"#, false), (r#"{"workspaces":["a"]}"#, true)]
    {
        fs::write(root.path().join("package.json"), manifest).expect("written");
        for folder in ["", "sub"] {
            let reach = reach(launch(), root.path(), folder);
            assert_eq!(matches!(reach, Reach::Everything { .. }), everything, "{manifest}");
            assert!(reach.includes("package.json", &BTreeSet::new()));
        }
    }
}

#[test]
fn a_word_that_names_something_of_the_checkout_reaches_everything() {
    for words in [
        &["uvx", "--from", "./pkg", "x"][..],
        &["uvx", "--from=pkg", "x"],
        &["uvx", "-cpkg/x.txt", "x"],
        &["uvx", "--with", "other,pkg", "x"],
        &["uvx", "--repository", ".", "x"],
        &["uvx", "--repository", "..", "x"],
        &["docker", "run", "-v", "./pkg:/y", "image"],
        &["docker", "run", "-v./pkg:/y", "image"],
        &["docker", "run", "--mount", "type=bind,src=pkg,dst=/y", "image"],
        &["docker", "run", "-v", "/:/host", "image"],
        &["docker", "run", "--env-file=pkg/x.txt", "image"],
        &["npx", "file:other"],
        &["npx", "${DIR:-pkg}"],
        &["./pkg/uvx", "x"],
    ] {
        assert!(reaches_everything(words, &["pkg/x.txt"]), "{words:?}");
    }
    for words in
        [["uvx", "prog", "srv"], ["uvx", "prog", "a.srv:app"], ["npx", "pkg", "--main=a/srv"], ["uvx", "prog", "-asrv"]]
    {
        assert!(reaches_everything(&words, &["srv.py", "a/srv.ts"]), "{words:?}");
        assert!(!reaches_everything(&words, &["srv_of/x.txt", "asrv.py", "srv2.py"]), "{words:?}");
    }
    assert!(!reaches_everything(&["uvx", "--from", "./gone", "x"], &["pkg/x.txt"]));
}

#[test]
fn what_is_within_reach_follows_from_the_words() {
    let root = checkout(&["sub/x"]);
    let spared = BTreeSet::from(["mcp-tools.lock".to_owned(), ".mcp.json".to_owned()]);
    let runs = reach(stdio("node", ["server.mjs", "docs"], []), root.path(), "");
    for (path, within) in [
        ("lib/x.mjs", true),
        ("README.md", false),
        ("license", false),
        ("NOTICE.txt", false),
        ("sub/README.md", true),
        ("README.mjs", true),
        ("notes.md", true),
        ("lib/x.md", true),
        ("docs/x.md", true),
        (".github/workflows/x.yml", false),
        (".github/ISSUE_TEMPLATE/bug.md", false),
        (".github/prompts/x.md", true),
        (".github/workflows/x.js", true),
        (".github", true),
        ("lib/.github/x.yml", true),
        (".gitlab-ci.yml", false),
        ("sub/.gitignore", false),
        (".gitattributes", false),
        ("mcp-tools.lock", false),
        (".mcp.json", false),
        ("sub/.mcp.json", true),
    ] {
        assert_eq!(runs.includes(path, &spared), within, "{path}");
    }
    let runs = reach(stdio("node", ["server.mjs"], []), root.path(), "sub");
    assert!(!runs.includes("docs/a/x.md", &spared) && runs.includes("docs/x.txt", &spared));
    assert!(!runs.includes("sub/README.md", &spared) && runs.includes("other/README.md", &spared));
    assert!(reach(stdio("x", [".github"], []), root.path(), "").includes(".github/a.yml", &spared));
    assert!(reach(stdio("x", [".mcp.json"], []), root.path(), "").includes(".mcp.json", &spared));
    let asks = reach(stdio("npx", ["pkg", "gone/x"], [("A", "b/c")]), root.path(), "sub");
    for (path, within) in [
        ("lib/x.mjs", false),
        ("package.json", true),
        ("sub/package.json", true),
        ("sub/deeper/package.json", false),
        ("other/package.json", false),
        ("sub/.env.local", true),
        ("node_modules/.bin/pkg", true),
        ("sub/node_modules", true),
        ("requirements-dev.txt", true),
        ("sub/gone/x", true),
        ("sub/gone/x/y", true),
        ("sub/gone/xy", false),
        ("sub/b/c", true),
    ] {
        assert_eq!(asks.includes(path, &spared), within, "{path}");
    }
    let asks = reach(stdio("uvx", ["prog", "srv", "a.b"], []), root.path(), "");
    for (path, within) in
        [("srv.py", true), ("srv/index.js", true), ("a/b.py", true), ("a/b/c.py", true), ("srvx.py", false)]
    {
        assert_eq!(asks.includes(path, &spared), within, "{path}");
    }
    for (name, value, everything) in [
        ("NODE_OPTIONS", "--max-old-space-size=9", true),
        ("PYTHONPATH", "/opt/x", true),
        ("PATH", "/bin:", true),
        ("PATH", "/bin:/usr/bin", false),
        ("PYTHONUNBUFFERED", "1", false),
        ("RUNS", "python -m srv", true),
        ("SHELL", "/bin/bash", false),
        ("MODULE", "sub.x", true),
        ("MODULE", "sub.y", false),
    ] {
        let reach = reach(stdio("uvx", ["prog"], [(name, value)]), root.path(), "");
        assert_eq!(matches!(reach, Reach::Everything { .. }), everything, "{name}");
    }
    let contacts = reach(http("https://h/sub", []), root.path(), "");
    assert_eq!(contacts, Reach::Nothing);
    assert!(!contacts.includes(".env", &spared));
}
