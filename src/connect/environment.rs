//! What a server's process finds in its environment.
//!
//! It gets a short list of ours, fixed values for what real servers print into their schemas, what `--pass-env` names
//! and what its configuration names, the later winning. That is hygiene, no sandbox: a process of the same user can
//! find much of the rest elsewhere.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables that are passed on by exact name: paths, proxies, certificates, and where package and tool managers keep
/// their registry, cache and home.
#[rustfmt::skip]
const PASSED: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TMP", "TEMP",
    "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    // Proxies and certificates.
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT",
    // npm, pnpm, corepack, bun, deno.
    "npm_config_registry", "npm_config_cache", "npm_config_prefix", "npm_config_userconfig", "npm_config_globalconfig",
    "npm_config_cafile", "npm_config_proxy", "npm_config_https_proxy", "npm_config_noproxy", "npm_config_yes",
    "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE", "NPM_CONFIG_PREFIX", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_CAFILE", "NPM_CONFIG_YES", "PNPM_HOME", "COREPACK_HOME", "COREPACK_NPM_REGISTRY",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT", "COREPACK_ENABLE_STRICT", "BUN_INSTALL", "BUN_CONFIG_REGISTRY",
    "BUN_INSTALL_CACHE_DIR", "DENO_DIR", "DENO_INSTALL", "DENO_INSTALL_ROOT", "DENO_CERT", "DENO_TLS_CA_STORE",
    "NPM_CONFIG_OFFLINE", "npm_config_offline",
    // uv, pip, pyenv, conda, virtual environments.
    "UV_CACHE_DIR", "UV_CONFIG_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",
    "UV_NATIVE_TLS", "UV_OFFLINE", "UV_PYTHON", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR", "UV_TOOL_BIN_DIR",
    "UV_PROJECT_ENVIRONMENT", "UV_LINK_MODE", "PIP_CACHE_DIR", "PIP_CONFIG_FILE", "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_TRUSTED_HOST", "PIP_NO_INDEX", "PIPX_HOME", "PIPX_BIN_DIR",
    "PYENV_ROOT", "PYENV_VERSION", "PYTHONUSERBASE", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE", "MAMBA_ROOT_PREFIX",
    "VIRTUAL_ENV",
    // nvm, volta, asdf, mise, cargo, rustup, Java, nix.
    "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "MISE_CACHE_DIR",
    "MISE_CONFIG_DIR", "FNM_DIR", "FNM_MULTISHELL_PATH", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME",
    "GOPATH", "GOCACHE", "GOMODCACHE", "GOROOT", "NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE", "NIX_REMOTE",
    "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "LD_LIBRARY_PATH", "PLAYWRIGHT_BROWSERS_PATH",
    // Windows' basics.
    "ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
    "PROGRAMFILES(X86)", "PUBLIC", "SYSTEMDRIVE", "SYSTEMROOT", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
];

/// Values that are the same on every machine, because servers print their locale, their time zone and the order of
/// Python's sets into their definitions.
const FIXED: &[(&str, &str)] = &[("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("PYTHONHASHSEED", "0")];

/// What each child gets of ours without being asked, by name and value.
pub fn passed_on() -> impl Iterator<Item = (&'static str, String)> {
    PASSED.iter().filter_map(|&name| Some((name, std::env::var(name).ok()?)))
}

/// A child's whole environment.
pub(super) fn for_child(
    ours: impl Fn(&OsStr) -> Option<OsString>,
    passed: &[String],
    configured: &BTreeMap<String, String>,
) -> BTreeMap<OsString, OsString> {
    let mut environment = BTreeMap::new();
    let by_name = |name: &str| ours(OsStr::new(name)).map(|value| (OsString::from(name), value));
    environment.extend(PASSED.iter().filter_map(|name| by_name(name)));
    environment.extend(FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    environment.extend(passed.iter().filter_map(|name| by_name(name)));
    environment.extend(configured.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    environment
}

/// The names of our variables that a server does not get, for a message when it fails to start.
pub(super) fn withheld(ours: impl Iterator<Item = String>, environment: &BTreeMap<OsString, OsString>) -> Vec<String> {
    let mut names: Vec<String> = ours
        .filter(|name| !environment.contains_key(OsStr::new(name)) && !UNINTERESTING.contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

/// Variables of shells and terminals that no server needs.
const UNINTERESTING: &[&str] = &["_", "SHLVL", "PWD", "OLDPWD", "PS1", "LS_COLORS", "COLORTERM", "CI", "LC_CTYPE"];

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(name: &OsStr) -> Option<OsString> {
        let value = match name.to_str()? {
            "PATH" => "/bin",
            "GITHUB_TOKEN" => "secret",
            "CI" => "true",
            "LANG" => "de_DE.UTF-8",
            "CRM_REGION" => "eu",
            _ => return None,
        };
        Some(value.into())
    }

    fn child(passed: &[&str], configured: &[(&str, &str)]) -> BTreeMap<String, String> {
        let passed: Vec<String> = passed.iter().map(|&name| name.to_owned()).collect();
        let configured = configured.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        for_child(ours, &passed, &configured)
            .into_iter()
            .map(|(name, value)| (name.into_string().expect("text"), value.into_string().expect("text")))
            .collect()
    }

    #[test]
    fn secrets_and_ci_stay_here_and_the_locale_is_fixed() {
        let child = child(&[], &[]);
        let expected =
            [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("PATH", "/bin"), ("PYTHONHASHSEED", "0"), ("TZ", "UTC")];
        assert_eq!(child, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }

    #[test]
    fn what_is_asked_for_is_passed_and_the_configuration_wins() {
        let child = child(&["CRM_REGION", "LANG", "UNSET"], &[("LANG", "fr"), ("NEW", "1")]);
        assert_eq!(child["CRM_REGION"], "eu");
        assert_eq!((child["LANG"].as_str(), child["NEW"].as_str()), ("fr", "1"));
        assert!(!child.contains_key("UNSET"));
    }

    #[test]
    fn no_name_in_the_list_says_secret() {
        for name in PASSED {
            let upper = name.to_uppercase();
            for word in ["TOKEN", "SECRET", "PASSWORD", "KEY", "AUTH", "CREDENTIAL", "COOKIE"] {
                assert!(!upper.contains(word), "{name}");
            }
        }
    }

    #[test]
    fn withheld_names_are_told() {
        let environment = for_child(ours, &[], &BTreeMap::new());
        let names = ["PATH", "GITHUB_TOKEN", "PWD"].map(str::to_owned);
        assert_eq!(withheld(names.into_iter(), &environment), ["GITHUB_TOKEN"]);
    }
}
