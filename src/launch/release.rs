//! Whether a launch says which release of a package it runs.

use super::{Launch, Transport};

impl Launch {
    /// Whether a package runner fetches whatever release is newest: `npx pkg`, `uvx pkg`, `docker run image`. A launch that
    /// runs a file, or contacts a host, names no package at all.
    pub fn runs_newest_release(&self) -> bool {
        let Transport::Stdio { args, .. } = &self.transport else { return false };
        let mut words = args.iter().map(String::as_str);
        match self.transport.program().unwrap_or_default() {
            "npx" | "bunx" | "pnpx" | "uvx" => package(words).is_some_and(|package| !names_release(package)),
            "npm" | "pnpm" | "yarn" | "bun" | "uv" => {
                let runs = words.by_ref().find(|word| !word.starts_with('-'));
                match runs {
                    Some("exec" | "dlx" | "x") => package(words).is_some_and(|package| !names_release(package)),
                    // `uv tool run pkg`
                    Some("tool") if words.next() == Some("run") => {
                        package(words).is_some_and(|package| !names_release(package))
                    }
                    _ => false,
                }
            }
            // Which word is the image depends on the options before it; a tag or digest shows in any case.
            "docker" | "podman" => {
                args.first().is_some_and(|word| word == "run")
                    && !args.iter().skip(1).any(|word| !word.starts_with('-') && names_image_release(word))
            }
            _ => false,
        }
    }
}

/// The first word that is no option.
fn package<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words.find(|word| !word.starts_with('-'))
}

/// `pkg@1.2.3`, `@scope/pkg@1.2.3`, `pkg==1.2.3`; a range or `latest` names none.
fn names_release(package: &str) -> bool {
    let release = match package.split_once("==") {
        Some((_, release)) => Some(release),
        None => package.get(1..).and_then(|rest| rest.split_once('@')).map(|(_, release)| release),
    };
    release.is_some_and(|release| release.starts_with(|character: char| character.is_ascii_digit()))
}

fn names_image_release(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    word.contains("@sha256:") || name.split_once(':').is_some_and(|(_, tag)| !tag.is_empty() && tag != "latest")
}

#[cfg(test)]
mod tests {
    use crate::launch::{Transport, samples};

    #[test]
    fn a_package_without_a_release_is_told() {
        for (command, args, newest) in [
            ("npx", &["-y", "pkg"][..], true),
            ("npx", &["-y", "@scope/pkg"], true),
            ("npx", &["-y", "@scope/pkg@latest"], true),
            ("npx", &["-y", "@scope/pkg@1.2.3"], false),
            ("/usr/bin/npx", &["pkg@1"], false),
            ("uvx", &["pkg"], true),
            ("uvx", &["pkg==1.2"], false),
            ("uv", &["tool", "run", "pkg"], true),
            ("pnpm", &["dlx", "pkg"], true),
            ("docker", &["run", "-i", "--rm", "org/image"], true),
            ("docker", &["run", "-i", "--rm", "org/image:1.2"], false),
            ("node", &["server.mjs"], false),
        ] {
            let mut launch = samples::stdio(command, [], []);
            if let Transport::Stdio { args: given, .. } = &mut launch.transport {
                *given = args.iter().map(|&arg| arg.to_owned()).collect();
            }
            assert_eq!(launch.runs_newest_release(), newest, "{command} {args:?}");
        }
    }
}
