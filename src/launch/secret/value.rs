//! What a value itself says about being a secret.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::name::{Says, says, words};
use crate::launch::template::{Part, is_name};

/// Prefixes that issuers give their secrets, and how many characters follow at least. Taken from the issuers' own pages on
/// token formats and secret scanning.
const ISSUED: &[(&str, usize)] = &[
    ("github_pat_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("glpat-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-or-", 16),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("whsec_", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xoxc-", 10),
    ("xoxd-", 10),
    ("xapp-", 10),
    ("AIza", 35),
    ("ya29.", 20),
    ("npm_", 20),
    ("pypi-AgE", 16),
    ("hf_", 20),
    ("dop_v1_", 20),
    ("shpat_", 20),
    ("lin_api_", 20),
    ("ntn_", 20),
    ("secret_", 40),
    ("figd_", 20),
    ("sntrys_", 20),
    ("sntryu_", 20),
    ("dckr_pat_", 16),
    ("tvly-", 20),
    ("pplx-", 20),
    ("gsk_", 20),
    ("xai-", 20),
    ("sbp_", 20),
    ("nvapi-", 20),
    ("ATATT3", 20),
    ("AGE-SECRET-KEY-", 20),
    ("dapi", 32),
    ("PMAK-", 24),
    ("shpss_", 20),
    ("shpca_", 20),
    ("lin_oauth_", 20),
    ("ops_eyJ", 16),
    ("phx_", 20),
    ("r8_", 20),
    ("fc-", 32),
    ("key-", 32),
    ("apify_api_", 20),
];

/// The shortest text that is called random.
const SHORTEST_RANDOM: usize = 20;
/// The shortest text of lower case and digits alone that is called random.
const SHORTEST_RANDOM_LOWER: usize = 32;

/// Whether a value is no secret whatever its name: empty, a switch, a number, a URL, a path, an option, a placeholder,
/// another tool's way to name a variable, or a reference.
pub(super) fn is_harmless(value: &str) -> bool {
    let value = value.trim();
    is_word_for_nothing(value)
        || is_number(value)
        || is_url(value)
        || is_path(value)
        || is_option(value)
        || is_placeholder(value)
        || is_reference(value)
}

/// `id=npm,src=/run/npmrc`: which of the secrets is meant, as container tools have it.
fn is_reference(value: &str) -> bool {
    ["id=", "type="].iter().any(|start| value.starts_with(start))
}

fn is_word_for_nothing(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    let words = [
        "",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "none",
        "null",
        "nil",
        "undefined",
        "default",
        "auto",
        "enabled",
        "disabled",
        "required",
        "optional",
        // Where else a program takes the secret from.
        "ask",
        "env",
        "environment",
        "external",
        "keychain",
        "keyring",
        "prompt",
        "stdin",
        "vault",
    ];
    words.contains(&word.as_str())
}

/// A number, with a unit: `4096`, `1e3`, `30s`, `10MB`.
fn is_number(value: &str) -> bool {
    const UNITS: &str = " % s ms us ns m h d w y b k kb kib mb mib g gb gib t tb tib px em pt hz v x ";
    let digits = value.trim_end_matches(|character: char| character.is_ascii_alphabetic() || character == '%');
    let unit = value[digits.len()..].to_ascii_lowercase();
    value.parse::<f64>().is_ok() || (UNITS.contains(&format!(" {unit} ")) && digits.parse::<f64>().is_ok())
}

/// Digits that are too many for a switch: somebody's password, where they stand under its name.
pub(super) fn is_long_number(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_digit).count() >= 4 && value.parse::<f64>().is_ok()
}

/// What goes by the name of tokens and is none of secrets: `USDC,ETH`, `[PAD]`, `</s>,[INST]`.
pub(super) fn are_symbols(value: &str) -> bool {
    value.split([',', ' ']).filter(|symbol| !symbol.is_empty()).all(|symbol| {
        let within = |start, end| symbol.len() > 2 && symbol.starts_with(start) && symbol.ends_with(end);
        let ticker = (2..=6).contains(&symbol.len()) && symbol.bytes().all(|byte| byte.is_ascii_uppercase());
        ticker || within('[', ']') || within('<', '>')
    })
}

/// A scheme, `://` and something (RFC 3986, section 3.1), the scheme of several parts in JDBC: `jdbc:postgresql://`.
pub(super) fn is_url(value: &str) -> bool {
    value.split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.:".contains(character))
    })
}

/// A place in a file system. Base64 can begin with a slash, so a path has no random part; a relative path without `./` needs
/// the ending of a file.
fn is_path(value: &str) -> bool {
    let within_folder = after_shell_variable(value);
    let value = within_folder.unwrap_or(value);
    let drive = value.as_bytes().get(1) == Some(&b':') && value.as_bytes()[0].is_ascii_alphabetic();
    let rooted = within_folder.is_some()
        || ["/", "./", "../", "~/", "~\\", ".\\", "..\\", "\\\\"].iter().any(|start| value.starts_with(start))
        || (drive && value[2..].starts_with(['/', '\\']));
    let ending = value.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let endings = [
        "json", "jsonl", "pem", "key", "crt", "cert", "p12", "pfx", "jks", "txt", "env", "yaml", "yml", "toml", "ini",
        "cfg", "conf", "db", "sqlite", "sqlite3", "js", "mjs", "cjs", "ts", "py", "sh", "enc", "gpg", "age", "kdbx",
        "netrc",
    ];
    let file = ending.is_some_and(|ending| endings.contains(&ending.as_str())) && !value.contains(char::is_whitespace);
    (rooted || file) && !value.split(['/', '\\']).any(looks_random)
}

/// What follows the variable that a path begins with: `$HOME/key`, `%APPDATA%\key`.
fn after_shell_variable(value: &str) -> Option<&str> {
    let begins = |rest: &str| rest.starts_with(['/', '\\']);
    if let Some(rest) = value.strip_prefix('%') {
        let (name, rest) = rest.split_once('%')?;
        return (is_name(name) && begins(rest)).then_some(rest);
    }
    let rest = value.strip_prefix('$')?;
    let name = rest.find(['/', '\\'])?;
    is_shell_variable(&rest[..name]).then_some(&rest[name..])
}

/// Whether a text is a path that begins with a variable for a folder, as in `${HOME}/.ssh/id_ed25519`.
pub(super) fn is_path_below_variable(parts: &[Part<'_>]) -> bool {
    let [Part::Variable { .. }, Part::Literal(first), ..] = parts else { return false };
    first.text.starts_with(['/', '\\'])
        && parts.iter().all(|part| match part {
            Part::Variable { name, .. } => {
                matches!(*name, "PWD" | "OLDPWD") || !matches!(says(name), Says::Secret | Says::Perhaps)
            }
            Part::Literal(piece) => {
                !piece.text.contains(|character: char| character.is_whitespace() || "=:;,&@?".contains(character))
                    && !piece.text.split(['/', '\\']).any(looks_random)
            }
        })
}

/// A name after `$` that nobody takes for the rest of a password: in capitals, or of words for what a variable holds.
fn is_shell_variable(name: &str) -> bool {
    const WORDS: &str =
        " access api apikey auth client db env key my pass passwd password private pwd secret token user value var ";
    let powershell = name.strip_prefix("env:").is_some_and(is_name);
    let capitals = is_name(name) && !name.contains(|character: char| character.is_ascii_lowercase());
    let clear = is_name(name) && words(name).iter().all(|word| WORDS.contains(&format!(" {word} ")));
    powershell || capitals || clear
}

/// `-x`, `--token`, but not the first line of a key.
fn is_option(value: &str) -> bool {
    let name = value.trim_start_matches('-');
    (1..=2).contains(&(value.len() - name.len()))
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !looks_random(name)
}

/// `<your token>`, `YOUR_TOKEN_HERE`, `***`, `$TOKEN`, `%TOKEN%`, `$(pass token)`, `{{token}}`, `${input:token}`: a reader sees
/// that it is no value.
fn is_placeholder(value: &str) -> bool {
    let within = |start: &str, end: &str| value.len() > start.len() && value.starts_with(start) && value.ends_with(end);
    let shell = value.strip_prefix('$').is_some_and(is_shell_variable);
    let command =
        value.strip_prefix("$(").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()));
    let windows =
        value.len() > 2 && value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')).is_some_and(is_name);
    let blanked = value.chars().all(|character| matches!(character, 'x' | 'X' | '*' | '.' | '-' | '_'));
    let braced = within("${", "}") && !value[2..value.len() - 1].contains(['$', '{', '}']);
    let letters = value.chars().all(|character| character.is_ascii_alphabetic() || "-_".contains(character));
    let yours = letters && value.to_ascii_lowercase().split(['-', '_']).any(|word| word == "your");
    yours || within("<", ">") || within("{{", "}}") || shell || command || windows || blanked || braced
}

/// Whether a value reads as words: each part between `-`, `_`, `.`, `+`, `,`, `@`, `/` and blanks is letters, digits, or letters and at
/// most two digits (`oauth2`, `v2`). A colon is no part of words, for it stands between a user and a password.
pub(super) fn is_plain_words(value: &str) -> bool {
    value.split(['-', '_', '.', '+', ',', ' ', '@', '/']).all(|part| {
        let letters = part.trim_end_matches(|character: char| character.is_ascii_digit());
        let digits = part.len() - letters.len();
        let all_letters = letters.chars().all(char::is_alphabetic);
        letters.is_empty() || (all_letters && digits <= 2 && !looks_random(letters))
    })
}

/// Whether a word has the form that an issuer gives its secrets, or of a JSON Web Token (RFC 7519).
pub(super) fn is_issued(word: &str) -> bool {
    let issued = ISSUED.iter().any(|(prefix, least)| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            let length =
                rest.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)).count();
            let digits = rest.bytes().filter(u8::is_ascii_digit).count();
            length >= *least && (!is_plain_words(rest) || digits >= 8)
        })
    });
    issued || is_openai_key(word) || is_aws_key_id(word) || is_json_web_token(word) || is_sendgrid_key(word)
}

/// `sk-` is short and begins honest names too, so more is asked of the rest.
fn is_openai_key(word: &str) -> bool {
    word.strip_prefix("sk-").is_some_and(|rest| {
        rest.len() >= 20 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !is_plain_words(rest)
    })
}

fn is_aws_key_id(word: &str) -> bool {
    ["AKIA", "ASIA"].iter().any(|prefix| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
    })
}

fn is_json_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() >= 3 && parts[0].starts_with("eyJ") && parts[1].starts_with("eyJ") && word.len() >= 30
}

fn is_sendgrid_key(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() == 3 && parts[0] == "SG" && parts[1].len() >= 16 && parts[2].len() >= 16
}

/// The user and the password that RFC 7617 joins in Base64, such as `me:secret`.
pub(super) fn basic_login(credential: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&alphabet::STANDARD, config).decode(credential.trim()).ok()?;
    String::from_utf8(bytes).ok().filter(|login| login.contains(':'))
}

/// Whether a text holds a private key (RFC 7468).
pub(super) fn is_private_key(text: &str) -> bool {
    text.split("-----BEGIN ").skip(1).any(|rest| rest.split("-----").next().is_some_and(|l| l.ends_with("PRIVATE KEY")))
}

/// Whether a word of letters, digits, `-`, `_` and `+` can only have come from a random generator.
///
/// Words that people make change from one class of character to another where a new word or number begins. Random ones do at
/// every other character; a capital before small letters isn't counted, for every word can begin so. Hexadecimal text is
/// never called random: commits, digests and UUIDs are shown every day.
pub(super) fn looks_random(word: &str) -> bool {
    if word.len() < SHORTEST_RANDOM || !word.is_ascii() || is_hexadecimal(word) || is_integrity(word) {
        return false;
    }
    let bytes = word.as_bytes();
    let has = |class: Class| bytes.iter().any(|&byte| Class::of(byte) == class);
    let all_classes = has(Class::Upper) && has(Class::Lower) && has(Class::Digit);
    let long_lower = word.len() >= SHORTEST_RANDOM_LOWER
        && has(Class::Lower)
        && has(Class::Digit)
        && !has(Class::Upper)
        && !has(Class::Other);
    let changes = bytes
        .windows(2)
        .filter(|pair| {
            let (before, after) = (Class::of(pair[0]), Class::of(pair[1]));
            let word_begins = before == Class::Upper && after == Class::Lower;
            before != Class::Other && after != Class::Other && before != after && !word_begins
        })
        .count();
    (all_classes || long_lower) && changes * 10 >= (word.len() - 1) * 3
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Other,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        }
    }
}

fn is_hexadecimal(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-' || byte == b'_')
}

/// `sha512-…` as Subresource Integrity and lockfiles write it.
fn is_integrity(word: &str) -> bool {
    word.strip_prefix("sha").is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('-'))
}
