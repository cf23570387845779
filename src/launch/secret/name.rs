//! What the name of a value says about it.
//!
//! English puts what a thing is at the end: `TOKEN_LIMIT` is a limit, `API_TOKEN` a token. A secret's word anywhere in a
//! name counts, for people add words after it (`API_TOKEN_PROD`), but not where the name ends in a word for something else.

/// What a name says of the value that stands under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The value is a secret.
    Secret,
    /// The value is a secret if it isn't a plain word: `SESSION`, `AUTH`, `STRIPE_KEY`.
    Perhaps,
    /// The value is something that looks random without being a secret: an id, a hash, a name.
    Harmless,
    /// Nothing.
    Nothing,
}

/// Words for secrets. `token` and the like are found at the end of longer words too; see [`ENDINGS`].
const SECRETS: &[&str] = &[
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "cred",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "mnemonic",
    "otp",
    "passcode",
    "passphrase",
    "passwd",
    "passwords",
    "pat",
    "pgpass",
    "pwd",
    "secrets",
    "tokens",
    "totp",
];
/// Ends of words for secrets, such as `authtoken` and `pgpassword`.
const ENDINGS: &[&str] =
    &["token", "secret", "password", "passwd", "apikey", "apikeys", "accesskey", "authkey", "secretkey", "privatekey"];
/// Words for secrets only where a name ends in them.
const LAST_SECRETS: &[&str] = &["pass", "pw"];
/// Words for what may be a secret, where a name ends in them.
const LAST_PERHAPS: &[&str] =
    &["auth", "hmac", "key", "keys", "salt", "seed", "session", "sessions", "sig", "signature", "signing"];
/// Whole names of what may be a secret: `?code=` of a signed address.
const ONLY_PERHAPS: &[&str] = &["code"];
/// Two words that together name a secret.
const PHRASES: &[[&str; 2]] = &[
    ["backup", "phrase"],
    ["encryption", "salt"],
    ["mnemonic", "phrase"],
    ["pass", "code"],
    ["pass", "phrase"],
    ["pass", "word"],
    ["recovery", "phrase"],
    ["seed", "phrase"],
    ["secret", "phrase"],
];
/// Whole names of secrets that no rule tells: LinkedIn's cookie.
const WHOLE_SECRETS: &[&[&str]] = &[&["li", "at"]];
/// What tokens are for when they are the marks of a language model, or are traded.
const HARMLESS_TOKEN_KINDS: &[&str] = &["bos", "cls", "eos", "mask", "pad", "sep", "special", "stop", "unk"];
/// What is done to all secrets of a text, by a switch whose name ends in them: `REDACT_TOKENS`, but not `SCAN_TOKEN`.
const DONE_TO_SECRETS: &[&str] = &["detect", "filter", "hide", "ignore", "mask", "redact", "sanitize", "scan", "scrub"];
/// What a key is for when it is certainly a secret: `api key`.
const KEY_KINDS: &[&str] =
    &["access", "admin", "api", "auth", "encryption", "license", "master", "private", "signing", "subscription"];
/// What a key is for when it is certainly none: `sort key`. The public half of a pair is there to be shown.
const HARMLESS_KEY_KINDS: &[&str] = &[
    "cache",
    "foreign",
    "group",
    "hot",
    "idempotency",
    "issue",
    "object",
    "partition",
    "project",
    "public",
    "publishable",
    "row",
    "shortcut",
    "sort",
    "space",
];
/// A name that begins so is a switch or a size.
const FIRST_HARMLESS: &[&str] = &[
    "allow", "allowed", "count", "disable", "enable", "has", "is", "max", "min", "no", "num", "public", "require",
    "should", "skip", "total",
];
/// A name that ends so is about a secret at most.
const LAST_HARMLESS: &str = "\
    address age alg algorithm arn audience backend bucket budget cache calendar chars characters charset class cmd command commit \
    consent contract cost count counter counting decimals digest dir directory disabled doc document domain drive email enabled \
    encoding endpoint env expiration expires expiry field file filename folder form format group handler hash header helper host \
    hostname httponly id identifier ids interval issuer jar kind label length level lifetime limit limits location manager \
    max message method min mint mode model name names namespace notebook page param parameter path paths pattern policy port prefix presentation price profile prompt \
    program project protocol provider rate realm ref region required role rotation samesite scheme scope scopes secure server \
    service sha sheet site size source spreadsheet standard storage store strategy suffix symbol timeout ttl type types uri url urls \
    usage user username uuid var variable vault version window";

/// What this name says.
pub(super) fn says(name: &str) -> Says {
    let mut words = words(name);
    while words.last().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
        words.pop();
    }
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Says::Nothing };
    let first_of_several = words.len() > 1 && FIRST_HARMLESS.contains(&first.as_str());
    let singular = last.strip_suffix('s').unwrap_or(last);
    let before_last = words.len().checked_sub(2).map_or("", |index| words[index].as_str());
    let marks = singular == "token" && HARMLESS_TOKEN_KINDS.contains(&before_last);
    let done_to = singular != last && words.len() > 1 && DONE_TO_SECRETS.contains(&first.as_str());
    let harmless_last = LAST_HARMLESS.split(' ').any(|word| word == last || word == singular);
    if first_of_several || harmless_last || marks || done_to {
        Says::Harmless
    } else if words.iter().any(|word| is_secret(word))
        || names_a_key(&words)
        || words.windows(2).any(|pair| PHRASES.iter().any(|phrase| phrase == pair))
        || WHOLE_SECRETS.iter().any(|whole| *whole == words)
        || LAST_SECRETS.contains(&last.as_str())
    {
        Says::Secret
    } else if LAST_PERHAPS.contains(&last.as_str()) || (words.len() == 1 && ONLY_PERHAPS.contains(&last.as_str())) {
        let harmless = words.iter().any(|word| HARMLESS_KEY_KINDS.contains(&word.as_str()));
        if harmless { Says::Harmless } else { Says::Perhaps }
    } else {
        Says::Nothing
    }
}

/// Whether a number under this name may be an amount: `TOKENS` are counted, a `PASSWORD` isn't.
pub(super) fn may_count(name: &str) -> bool {
    words(name).last().is_some_and(|last| last.ends_with('s') && !last.ends_with("pass"))
}

/// Whether what is called tokens here may be symbols of what is traded, or marks of a language model: nothing in the name
/// speaks of access.
pub(super) fn counts_symbols(name: &str) -> bool {
    let words = words(name);
    let is_token = |word: &str| matches!(word, "token" | "tokens");
    words.iter().any(|word| is_token(word))
        && !words.iter().any(|word| (is_secret(word) && !is_token(word)) || KEY_KINDS.contains(&word.as_str()))
}

/// Whether an option takes a header: `-H`, `--header`, `--extra-headers`.
pub(super) fn sets_header(option: &str) -> bool {
    option == "H" || words(option).last().is_some_and(|last| matches!(last.as_str(), "header" | "headers"))
}

/// Whether an option takes a user and a password: `curl -u me:secret`.
pub(super) fn takes_login(option: &str) -> bool {
    matches!(option, "u" | "user" | "proxy-user" | "login")
}

fn is_secret(word: &str) -> bool {
    SECRETS.contains(&word) || ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn names_a_key(words: &[String]) -> bool {
    words.windows(2).any(|pair| matches!(pair[1].as_str(), "key" | "keys") && KEY_KINDS.contains(&pair[0].as_str()))
}

/// The words of a name in lower case, however it joins them: `apiKey`, `API_KEY`, `api-key`, `APIKey2`.
pub(super) fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        if let Some(&before) = index.checked_sub(1).and_then(|before| characters.get(before)) {
            let next_is_lower = characters.get(index + 1).is_some_and(|next| next.is_lowercase());
            let hump = character.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_lower));
            if hump || before.is_numeric() != character.is_numeric() {
                words.push(std::mem::take(&mut word));
            }
        }
        word.extend(character.to_lowercase());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The variable that a value under this name would be kept in.
pub(super) fn variable_for(name: &str) -> String {
    let mut words = words(name);
    words.retain(|word| word.is_ascii());
    if words.len() > 1 && words[0] == "x" {
        words.remove(0);
    }
    let joined = words.join("_").to_uppercase();
    match joined.as_str() {
        "" => "SECRET".to_owned(),
        "AUTHORIZATION" => "TOKEN".to_owned(),
        _ if joined.starts_with(|first: char| first.is_ascii_digit()) => format!("SECRET_{joined}"),
        _ => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_style() {
        for (name, expected) in [
            ("API_KEY", "api key"),
            ("apiKey", "api key"),
            ("x-api-key", "x api key"),
            ("APIKey2", "api key 2"),
            ("GITHUBToken", "github token"),
            ("oauth.clientSecret", "oauth client secret"),
            ("__", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn names_of_secrets_say_so() {
        for name in [
            "TOKEN",
            "token",
            "CRM_TOKEN",
            "GITHUB_PERSONAL_ACCESS_TOKEN",
            "API_TOKEN_PROD",
            "TOKEN_2",
            "TOKEN2",
            "authToken",
            "_authToken",
            "NPM_AUTHTOKEN",
            "API_TOKENS",
            "SECRET",
            "clientSecret",
            "CLIENT_SECRETS",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "PASSWORD",
            "db-password",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SMTP_PASSWD",
            "DB_PASS",
            "DB_PW",
            "PASSPHRASE",
            "API_KEY",
            "apikey",
            "OPENAI_API_KEY",
            "X-Api-Key",
            "x-goog-api-key",
            "Ocp-Apim-Subscription-Key",
            "ACCESS_KEY",
            "PRIVATE_KEY",
            "privateKey",
            "ENCRYPTION_KEY",
            "COOKIE",
            "Set-Cookie",
            "SESSION_COOKIE",
            "SERVICE_CREDENTIALS",
            "CREDS",
            "Authorization",
            "Proxy-Authorization",
            "BEARER",
            "JWT",
            "AZURE_DEVOPS_PAT",
            "X-Auth-Token",
            "NEXT_PUBLIC_TOKEN",
            "TOTP",
            "WALLET_MNEMONIC",
        ] {
            assert_eq!(says(name), Says::Secret, "{name}");
        }
    }

    #[test]
    fn names_of_what_may_be_a_secret_say_perhaps() {
        for name in [
            "AUTH",
            "BASIC_AUTH",
            "SESSION",
            "STRIPE_KEY",
            "key",
            "PRIMARY_KEY",
            "DD-APPLICATION-KEY",
            "sig",
            "X-Amz-Signature",
            "code",
        ] {
            assert_eq!(says(name), Says::Perhaps, "{name}");
        }
    }

    #[test]
    fn names_about_secrets_do_not_say_secret() {
        for name in [
            "TOKENIZER",
            "TOKENIZERS_PARALLELISM",
            "MAX_TOKENS",
            "MAX_OUTPUT_TOKENS",
            "TOKEN_LIMIT",
            "TOKEN_BUDGET",
            "TOKEN_TYPE",
            "TOKEN_FILE",
            "TOKEN_ADDRESS",
            "AUTH_MODE",
            "AUTH_URL",
            "AUTH_TYPE",
            "OAUTH_SCOPES",
            "AUTHOR",
            "AUTHORITY",
            "SECRET_NAME",
            "SECRETS_PROVIDER",
            "SECRET_ARN",
            "PASSWORD_STORE_DIR",
            "PASSWORD_MIN_LENGTH",
            "password-file",
            "API_KEY_NAME",
            "API_KEY_ENV",
            "AWS_ACCESS_KEY_ID",
            "SESSION_ID",
            "SESSION_NAME",
            "COOKIE_DOMAIN",
            "CREDENTIAL_HELPER",
            "GIT_CREDENTIAL_STORE",
            "JWT_ALGORITHM",
            "JWT_ISSUER",
            "KEYCLOAK_REALM",
            "KEYBOARD",
            "MONKEY",
            "SSH_PUBLIC_KEY",
            "PROJECT_KEY",
            "SORT_KEY",
            "TOKEN_SYMBOLS",
            "ALLOWED_TOKENS",
            "no-auth",
            "REQUIRE_TOKEN",
            "PATH",
            "PATTERN",
            "BYPASS",
            "COMPASS",
            "PASSENGER",
            "PASSWORDLESS",
            "LOG_LEVEL",
            "TOKENIZATION_MODEL",
            "SPREADSHEET_ID",
            "COUNTRY_CODE",
            "SIGNATURE_VERSION",
            "",
            "2",
        ] {
            assert!(matches!(says(name), Says::Harmless | Says::Nothing), "{name}");
        }
    }

    #[test]
    fn variables_are_named_after_what_they_hold() {
        for (name, expected) in [
            ("X-Api-Key", "API_KEY"),
            ("api-key", "API_KEY"),
            ("clientSecret", "CLIENT_SECRET"),
            ("Authorization", "TOKEN"),
            ("2fa", "SECRET_2_FA"),
            ("é", "SECRET"),
        ] {
            assert_eq!(variable_for(name), expected, "{name}");
        }
    }
}
