//! What only a build knows, for `mcp-pin --version`: the target, and the git commit of a release build.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=MCP_PIN_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    // Only where it matters: development would compile everything anew after every commit.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if is_release { commit() } else { None };
    println!("cargo:rustc-env=MCP_PIN_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// The commit of this folder, if it is the top of a repository: a package that was unpacked below somebody's home must
/// not tell of theirs.
fn commit() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let same = Path::new(&top).canonicalize().ok()? == Path::new(".").canonicalize().ok()?;
    if !same {
        return None;
    }
    // What moves with every commit and every checkout.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
