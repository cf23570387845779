//! What a package runner or a container is asked for: only what is plainly from elsewhere.
//!
//! The rule names what is known. An option that it doesn't know, an interpreter, or a program that runs others: what such a
//! launch runs can't be told.

use crate::launch::Transport;

/// What comes from elsewhere, and what it is told.
pub(super) struct Asked<'a> {
    /// The words that the program gets which runs where the checkout is. A container's program sees what is mounted.
    pub(super) arguments: &'a [String],
    /// Whether a `package.json` in or above its folder has a say; see [`super::manifest`].
    pub(super) heeds_package_json: bool,
}

/// How a runner is told what to run.
struct Runner {
    name: &'static str,
    /// The command that asks for a package, where it has several.
    command: Option<&'static str>,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    heeds_package_json: bool,
}

#[rustfmt::skip]
const RUNNERS: &[Runner] = &[
    Runner {
        name: "npx", command: None, heeds_package_json: true,
        flags: &["-y", "--yes", "-q", "--quiet", "--silent", "--prefer-online", "--prefer-offline"],
        valued: &["-p", "--package", "--registry", "--loglevel"],
    },
    Runner {
        name: "bunx", command: None, heeds_package_json: true,
        flags: &["-y", "--yes", "--bun", "--silent", "--verbose"],
        valued: &["-p", "--package"],
    },
    Runner {
        name: "uvx", command: None, heeds_package_json: false,
        flags: &[
            "-q", "--quiet", "-v", "--verbose", "-n", "--no-cache", "--isolated", "--refresh", "--offline", "-U", "--upgrade",
            "--reinstall", "--native-tls", "--no-config", "--no-progress", "--no-env-file", "--no-python-downloads",
            "--managed-python", "--no-managed-python", "--no-build", "--no-sources",
        ],
        valued: &[
            "--from", "--with", "-p", "--python", "-i", "--index-url", "--index", "--default-index", "--extra-index-url",
            "--index-strategy", "--keyring-provider", "--prerelease", "--resolution", "--exclude-newer", "--refresh-package",
            "--upgrade-package", "-P", "--color", "--link-mode", "--allow-insecure-host",
        ],
    },
    Runner {
        name: "pipx", command: Some("run"), heeds_package_json: false,
        flags: &["--no-cache", "-q", "--quiet", "-v", "--verbose"],
        valued: &["--spec", "--python", "-i", "--index-url"],
    },
];

/// Programs that run what they are told, by their names without a version: whatever follows may be theirs.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "python", "pythonw", "pypy", "ipython", "bpython", "jython", "graalpy", "micropython", "node", "nodejs", "tsx", "ts-node",
    "ts-node-esm", "ts-node-script", "ts-node-transpile-only", "ts-node-dev", "tsnd", "tsimp", "vite-node", "esno", "esr",
    "babel-node", "swc-node", "jiti", "zx", "nodemon", "electron", "deno", "bun", "ruby", "jruby", "irb", "perl", "php", "lua",
    "luajit", "julia", "rscript", "elixir", "escript", "erl", "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh",
    "tcsh", "nu", "xonsh", "busybox", "cmd", "pwsh", "powershell", "cscript", "wscript", "osascript", "java", "javaw",
    "jshell", "jbang", "kotlin", "groovy", "scala", "clojure", "clj", "dotnet", "mono", "go", "cargo", "swift", "zig", "nim",
    "npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "corepack", "bunx", "uv", "uvx", "pip", "pipx", "poetry", "pdm", "hatch", "rye",
    "pixi", "conda", "mamba", "pipenv", "make", "gmake", "cmake", "rake", "env", "xargs", "sudo", "doas", "nohup", "setsid",
    "fastmcp", "uvicorn", "gunicorn", "hypercorn",
];

/// Packages that find what they run in the folder they start in; as an argument each is a word like any other.
#[rustfmt::skip]
const FINDERS: &[&str] = &[
    "mcp", "py", "r", "mix", "just", "task", "bundle", "gem", "composer", "nix", "direnv", "mise", "asdf", "volta", "nvm", "fnm",
    "timeout", "nice", "exec", "concurrently", "cross-env", "dotenv", "dotenv-cli", "dotenvx", "env-cmd", "pm2", "forever",
    "npm-run-all", "run-p", "run-s", "wireit", "turbo", "nx", "lerna", "gulp", "grunt", "jest", "vitest", "mocha", "vite", "webpack",
    "rollup", "wrangler", "next", "nuxt", "astro", "pytest", "tox", "nox", "invoke", "fab", "doit", "scons", "daphne", "flask",
    "django-admin", "streamlit", "gradio", "celery", "docker", "podman", "docker-compose", "ssh", "git", "find", "awk",
];

/// Options after which stands code, a module, or another command.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "-m", "--module", "-c", "--call", "--command", "-e", "--eval", "--exec", "--print", "--require", "--import",
    "--loader",
];

/// Variables by which a program of a language, or any at all, loads code.
#[rustfmt::skip]
const LOADING: &[&str] = &[
    "NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "RUBYOPT", "RUBYLIB",
    "PERL5OPT", "PERL5LIB", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH",
];

/// What a launch asks for, if that is plainly from elsewhere.
pub(super) fn asked(launch: &Transport) -> Option<Asked<'_>> {
    let Transport::Stdio { args, env, .. } = launch else { return None };
    let loads = |name: &str, value: &str| match name.to_ascii_uppercase().as_str() {
        // An empty folder is the one that a process starts in.
        "PATH" => !std::env::split_paths(value).all(|folder| folder.is_absolute()),
        // A command in a variable.
        _ if value.contains(char::is_whitespace) && names_one(value, INTERPRETERS) => true,
        name => LOADING.contains(&name),
    };
    if env.iter().any(|(name, value)| loads(name, value)) {
        return None;
    }
    let program = launch.program()?;
    if ["docker", "podman"].contains(&program) {
        let runs = args.first().is_some_and(|word| word == "run");
        return runs.then_some(Asked { arguments: &[], heeds_package_json: false });
    }
    let runner = RUNNERS.iter().find(|runner| runner.name == program)?;
    let words = match (runner.command, args.split_first()) {
        (None, _) => args.as_slice(),
        (Some(command), Some((first, rest))) if first == command => rest,
        _ => return None,
    };
    let (package, arguments) = words[package_at(words, runner)?..].split_first()?;
    let gives_code = |word: &String| CODE.contains(&word.split('=').next().unwrap_or(word));
    // A scope is somebody's: `@scope/mcp` isn't `mcp`.
    let is_scoped = package.starts_with('@') && package.contains('/');
    let is_plain = (is_scoped || !names_one(package, &[INTERPRETERS, FINDERS].concat()))
        && !arguments.iter().any(|word| names_one(word, INTERPRETERS) || gives_code(word));
    is_plain.then_some(Asked { arguments, heeds_package_json: runner.heeds_package_json })
}

/// Where the word stands that says what is run; none behind an option that isn't known.
fn package_at(words: &[String], runner: &Runner) -> Option<usize> {
    let mut at = 0;
    loop {
        let word = words.get(at)?.as_str();
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        at += match word {
            "--" => return Some(at + 1).filter(|&at| at < words.len()),
            _ if !word.starts_with('-') => return Some(at),
            _ if runner.flags.contains(&word) => 1,
            _ if runner.valued.contains(&word) => 2,
            _ if option.starts_with("--") && runner.valued.contains(&option) => 1,
            _ => return None,
        };
    }
}

/// Whether a part of a word is one of these programs, with or without a version.
fn names_one(word: &str, programs: &[&str]) -> bool {
    let separates = |character: char| character.is_whitespace() || "=:,;\"'`()[]{}|&<>@$?#".contains(character);
    let is_version = |character: char| character.is_ascii_digit() || ".-".contains(character);
    word.split(separates).any(|part| {
        let name = part.rsplit(['/', '\\']).next().unwrap_or(part).to_ascii_lowercase();
        let extensions = [".exe", ".cmd", ".bat", ".ps1", ".com"];
        let name = extensions.iter().find_map(|extension| name.strip_suffix(extension)).unwrap_or(&name);
        // As in python3.13t, without a lock.
        let names = [name, name.trim_end_matches(is_version), name.trim_end_matches('t').trim_end_matches(is_version)];
        names.iter().any(|name| programs.contains(name))
    })
}
