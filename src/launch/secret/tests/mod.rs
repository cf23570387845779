//! Tables of what is a secret and what isn't. All values are made up, and split so that no scanner takes them for real.

use super::super::samples::{http, stdio};
use super::*;
use crate::json::parse;

mod texts;

/// Made-up texts with the looks of secrets.
const RANDOM: &str = concat!("q7Zt2Lw9", "Xb4Rk8Vn", "3Ms6Pc1Y");
const GITHUB: &str = concat!("gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
const OPENAI: &str = concat!("s", "k-", "a1B2c3D4e5F6g7H8i9J0k1L2");
const OPENAI_PROJECT: &str = concat!("s", "k-proj-", "a1B2c3D4e5F6-g7H8_i9J0");
const ANTHROPIC: &str = concat!("s", "k-ant-", "api03-a1B2c3D4e5F6g7H8");
const SLACK: &str = concat!("xo", "xb-", "123456789012-a1B2c3D4e5F6");
const AWS: &str = concat!("AK", "IA", "A1B2C3D4E5F6G7H8");
const GOOGLE: &str = concat!("AI", "za", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R");
const GITLAB: &str = concat!("gl", "pat-", "a1B2c3D4e5F6g7H8i9J0");
const NPM: &str = concat!("np", "m_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
const STRIPE: &str = concat!("s", "k_live_", "a1B2c3D4e5F6g7H8i9J0");
const NOTION: &str = concat!("nt", "n_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4");
const SENDGRID: &str = concat!("S", "G.", "a1B2c3D4e5F6g7H8i9J0", ".", "a1B2c3D4e5F6g7H8i9J0");
const JWT: &str = concat!("ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiJ4In0", ".c2lnbmF0dXJl");
const KEY: &str = concat!("-----BEGIN ", "PRIVATE KEY-----\nMIIEvQ\n-----END ", "PRIVATE KEY-----");
const HEX: &str = concat!("0123456789abcdef", "0123456789abcdef");

#[test]
fn values_under_these_names_are_secrets() {
    let mut missed = Vec::new();
    for (name, value) in [
        ("CRM_TOKEN", "abc"),
        ("CRM_TOKEN", HEX),
        ("API_TOKEN", "s3cr3t"),
        ("TOKEN", "12ab-34cd"),
        ("DB_PASSWORD", "postgres"),
        ("PGPASSWORD", "hunter2"),
        ("PASSWORD", "12345678"),
        ("DB_PASS", "1234"),
        ("BOT_TOKEN", "123456"),
        ("WEBHOOK_SIGNATURE", "abc12345xyz"),
        ("MYSQL_PWD", "root"),
        ("API_KEY", "test"),
        ("OPENAI_API_KEY", OPENAI),
        ("X-Api-Key", "abc-1"),
        ("Authorization", "Bearer abc"),
        ("Authorization", "Basic dXNlcjpwYXNz"),
        ("authorization", "abc"),
        ("Cookie", "session=abc"),
        ("clientSecret", "abc"),
        ("AWS_SECRET_ACCESS_KEY", "wJal/rXUt+nFEMI"),
        ("PRIVATE_KEY", KEY),
        ("CREDENTIALS", "me:pass"),
        ("JWT", JWT),
        ("PASSPHRASE", "correct horse battery staple"),
        ("TOKEN", "/9j4AAQSkZJRgABAQAAAQq7Zt2Lw9Xb4"),
        ("BASIC_AUTH", "admin:pa55word"),
        ("PROXY_AUTH", "Basic dXNlcjpwYXNz"),
        ("STRIPE_KEY", "a1b2c3d4e5"),
        ("SESSION", "7f3a9c1e5b"),
        ("CRM_TOKEN", "${CRM_TOKEN:-abc123}"),
        ("PASSWORD", "abc123xyz9${SUFFIX}"),
        ("Authorization", "Bearer ${A:-abc}"),
        ("PASSWORD", "19840712"),
        ("PASSWORD", "123456ab"),
        ("PASSWORD", "$ecretPassword"),
        ("PGPASS", "hunter2"),
        ("KEY_PASS_PHRASE", "hunter2"),
        ("SEED_PHRASE", "one two three"),
        ("WEBHOOK_HMAC", HEX),
        ("SLACK_SIGNING", HEX),
        ("SLACK_SIGNING_SECRET", HEX),
        ("ENCRYPTION_SALT", "hunter2"),
        ("LI_AT", "AQEDAR2x"),
        ("VERIFY_TOKEN", "hunter2"),
        ("SCAN_TOKEN", "hunter2"),
        ("API_TOKEN", "USDC"),
        ("QUOTE_TOKEN", "hunter2"),
        ("SSH_KEY", "id_ed25519xyz/${HOME}"),
        ("DB_PASSWORD", "${PASSWORD}/abc123xyz9"),
        ("BASIC_AUTH", "${USER}/me:abc123xyz9"),
        ("PASSWORD", "%ecret%word"),
    ] {
        if safe_to_show(name, value) {
            missed.push((name, value));
        }
    }
    assert_eq!(missed, []);
}

#[test]
fn these_are_no_secrets() {
    let mut alarms = Vec::new();
    for (name, value) in [
        ("TOKEN", ""),
        ("TOKEN", "${TOKEN}"),
        ("TOKEN", "${TOKEN:-}"),
        ("TOKEN", "$TOKEN"),
        ("TOKEN", "%TOKEN%"),
        ("TOKEN", "${input:token}"),
        ("TOKEN", "{{token}}"),
        ("TOKEN", "<your token>"),
        ("TOKEN", "xxxxxxxx"),
        ("API_KEY", "YOUR_API_KEY_HERE"),
        ("SLACK_TOKEN", concat!("xo", "xb-your-bot-token")),
        ("CACHE_KEY", "users:v1"),
        ("ALLOWED_TOKENS", "USDC,ETH"),
        ("TOKEN_SYMBOLS", "USDC"),
        ("X-Goog-User-Project", "my-project-123456"),
        ("Accept", "application/json, text/event-stream"),
        ("NODE_OPTIONS", "--max-old-space-size=4096"),
        ("TOKEN", "true"),
        ("TOKENS", "4096"),
        ("REFRESH_TOKEN", "1"),
        ("SEED", "20240101"),
        ("CODE", "main.py"),
        ("TOKEN", "30s"),
        ("TOKEN", "none"),
        ("TOKEN", "--flag"),
        ("TOKEN_FILE", "/run/secrets/token"),
        ("TOKEN", "/run/secrets/token"),
        ("TOKEN", "./token.txt"),
        ("TOKEN", "~/token"),
        ("TOKEN", "C:\\secrets\\token"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "keys/service.json"),
        ("AUTH", "https://auth.example/login"),
        ("AUTH", "oauth2-pkce"),
        ("AUTH_MODE", "device-code"),
        ("SESSION", "main"),
        ("SESSION_NAME", "team-standup-2"),
        ("PROJECT_KEY", "PROJ"),
        ("SORT_KEY", "created_at"),
        ("TOKENIZER", "cl100k_base"),
        ("TOKEN_LIMIT", "10k"),
        ("SECRET_NAME", "prod/db/main"),
        ("Authorization", "Bearer ${TOKEN}"),
        ("Authorization", "Bearer ${TOKEN:-}"),
        ("BASIC_AUTH", "${USER}:${PASS}"),
        ("Cookie", "session=${SID}; theme=dark"),
        ("SPREADSHEET_ID", RANDOM),
        ("SSH_PUBLIC_KEY", concat!("ssh-ed25519 AAAAC3Nz", "q7Zt2Lw9Xb4Rk8Vn3Ms6Pc1Y")),
        ("LOG_LEVEL", "info"),
        ("DATABASE_URL", "postgres://localhost:5432/db"),
        ("DATABASE_URL", "postgres://${USER}:${PW}@localhost/db"),
        ("MODEL", "claude-3-5-sonnet-20241022"),
        ("MODEL", "Meta-Llama-3.1-70B-Instruct-Q4_K_M"),
        ("MODEL", "Qwen2-VL-7B-Instruct-GPTQ-Int4"),
        ("COMMIT", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
        ("REGION", "eu-central-1"),
        ("CLASS", "MyVeryLongClassNameForTheServer2"),
        ("ARN", "arn:aws:iam::123456789012:role/MyLambdaExecutionRole"),
        ("SSH_KEY", "${HOME}/.ssh/id_ed25519"),
        ("SSH_KEY", "$HOME/.ssh/id_ed25519"),
        ("SSH_KEY", "${PWD}/id_ed25519xyz"),
        ("SSH_KEY", "%USERPROFILE%\\id_ed25519xyz"),
        ("SSH_KEY", "${HOME}/${USER}/id_ed25519xyz"),
        ("GIT_SSH_KEY", "${HOME}/.ssh/id_ed25519_2024"),
        ("COOKIES", "${workspaceFolder}/state/cookies2024"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "${HOME}/keys/my-proj-1a2b3c4d5e6f"),
        ("API_KEY_HEADER", "X-Api-Key"),
        ("API_KEY_PARAM", "key"),
        ("COOKIE_SAMESITE", "lax"),
        ("COOKIE_SAME_SITE", "lax"),
        ("COOKIE_SECURE", "strict"),
        ("PASSWORD_CHARS", "abcdefghijkmnpqrstuvwxyz23456789"),
        ("TOKEN_LIST", "USDC,ETH"),
        ("QUOTE_TOKEN", "USDC"),
        ("PAD_TOKEN", "[PAD]"),
        ("EOS_TOKEN", "im_end"),
        ("STOP_TOKENS", "</s>,[INST]"),
        ("TOKENS", "</s>,[INST]"),
        ("REDACT_TOKENS", "partial"),
        ("SCAN_SECRETS", "high"),
        ("MASK_SECRETS", "emails,phones"),
        ("KEYS", "ctrl+shift+p,F5"),
        ("PASSWORD_PROMPT", "Enter it:"),
        ("API_KEY", "op://vault/item/field"),
        ("AUTH", "oauth2+pkce"),
        ("AUTH", "Basic authentication"),
        ("PASSWORD", "keyring"),
        ("API_KEY", "$(pass show foo)"),
        ("API_KEY", "$apiKey"),
        ("API_KEY", "$env:API_KEY"),
        ("DESCRIPTION", "Token: see the docs"),
        ("DESCRIPTION", "Use --token to sign in; the password is never kept."),
        ("SPREADSHEET", RANDOM),
        ("GOOGLE_SHEET", RANDOM),
        ("NOTION_PAGE", RANDOM),
        ("DRIVE_FOLDER", RANDOM),
        ("TIMEOUT_TOKEN", "${TOKEN:-30s}"),
    ] {
        if !safe_to_show(name, value) {
            alarms.push((name, value));
        }
    }
    assert_eq!(alarms, []);
}

fn found(launch: &Launch) -> Vec<(String, String, String)> {
    literal_secrets(launch).into_iter().map(|secret| (secret.field, secret.name, secret.suggestion)).collect()
}

fn expected(field: &str, name: &str, suggestion: &str) -> Vec<(String, String, String)> {
    vec![(field.to_owned(), name.to_owned(), suggestion.to_owned())]
}

#[test]
fn the_variable_form_is_shown_as_it_would_be_written() {
    for (launch, field, name, suggestion) in [
        (stdio("x", [], [("CRM_TOKEN", "abc")]), "env.CRM_TOKEN", "CRM_TOKEN", "${CRM_TOKEN}"),
        (stdio("x", ["--token=abc"], []), "args[0]", "token", "--token=${TOKEN}"),
        (stdio("x", ["--api-key", "abc"], []), "args[1]", "api-key", "${API_KEY}"),
        (stdio("x", ["-e", "A_KEY=1a2b3c4d5e"], []), "args[1]", "A_KEY", "A_KEY=${A_KEY}"),
        (stdio("x", [RANDOM], []), "args[0]", "args[0]", "${SECRET}"),
        (stdio("x", ["-k=${API_KEY:-abc-1}!"], []), "args[0]", "API_KEY", "-k=${API_KEY}!"),
        (stdio("x", [], [("TOKEN", "${OTHER:-abc-1}")]), "env.TOKEN", "TOKEN", "${OTHER}"),
        (stdio("x", [], [("OTHER", GITHUB)]), "env.OTHER", "OTHER", "${OTHER}"),
        (
            http("https://h", [("Authorization", "Bearer abc")]),
            "headers.Authorization",
            "Authorization",
            "Bearer ${TOKEN}",
        ),
        (http("https://h", [("X-Api-Key", "abc")]), "headers.X-Api-Key", "X-Api-Key", "${API_KEY}"),
        (
            http("https://me:abc@h/?api_key=def&page=2", []),
            "url",
            "password",
            "https://…:${PASSWORD}@h/?api_key=${API_KEY}&page=…",
        ),
    ] {
        assert_eq!(found(&launch), expected(field, name, suggestion));
    }
}

#[test]
fn only_variables_and_headers_can_be_left_unverified() {
    let help = |launch: &Launch| Problem::from(&literal_secrets(launch)[0]).help;
    assert!(help(&stdio("x", [], [("CRM_TOKEN", "abc")])).ends_with("`--unverified CRM_TOKEN`"));
    assert!(help(&http("https://h", [("Cookie", "abc")])).ends_with("`--unverified Cookie`"));
    assert!(!help(&stdio("x", ["--token=abc"], [])).contains("--unverified"));
}

#[test]
fn no_problem_shows_the_secret() {
    let launch = stdio("x", ["--token", "abc-1", "-u=https://me:abc-1@h"], [("T", GITHUB), ("PASSWORD", "abc-1")]);
    for secret in literal_secrets(&launch) {
        let problem = Problem::from(&secret);
        let shown = format!("{secret:?} {problem:?}");
        assert!(!shown.contains("abc-1") && !shown.contains(GITHUB), "{shown}");
    }
}

#[test]
fn secrets_in_options_are_found_at_any_depth() {
    let mut launch = http("https://h", []);
    launch.options.insert("oauth", parse(r#"{"clientId":"a","nested":[{"clientSecret":"abc"}]}"#).expect("valid"));
    assert_eq!(found(&launch), expected("oauth.nested[0].clientSecret", "clientSecret", "${CLIENT_SECRET}"));
}

#[test]
fn an_option_s_name_counts_for_the_next_argument_only() {
    assert_eq!(found(&stdio("x", ["--token", "--verbose", "abc"], [])), []);
    assert_eq!(found(&stdio("x", ["--token=${T}", "abc"], [])), []);
    assert_eq!(found(&stdio("x", ["--token-file", "abc"], [])), []);
    assert_eq!(found(&stdio("docker", ["run", "-e", "API_KEY", "image"], [])), []);
}

#[test]
fn a_header_s_name_counts_in_the_value_of_an_option_that_sets_one() {
    for option in ["--header", "-H", "--extra-header"] {
        assert_eq!(found(&stdio("x", [option, "apikey:abc-1"], [])), expected("args[1]", "apikey", "apikey:${APIKEY}"));
        let launch = stdio("x", [option, "PRIVATE-TOKEN:abc-1"], []);
        assert_eq!(found(&launch), expected("args[1]", "PRIVATE-TOKEN", "PRIVATE-TOKEN:${PRIVATE_TOKEN}"));
        assert_eq!(found(&stdio("x", [option, "apikey:${KEY}"], [])), []);
        assert_eq!(found(&stdio("x", [option, "Accept:text/plain"], [])), []);
    }
    assert_eq!(found(&stdio("x", ["--image", "apikey:abc-1"], [])), []);
}

#[test]
fn options_and_assignments_in_a_shell_s_line_are_found() {
    let line = "export DB_PASSWORD=\"a b\"; npx -y srv --api-key abc-1 --port 3000";
    let shown = "export DB_PASSWORD=\"${DB_PASSWORD}\"; npx -y srv --api-key ${API_KEY} --port 3000";
    assert_eq!(found(&stdio("sh", ["-c", line], [])), expected("args[1]", "DB_PASSWORD", shown));
    let launch = stdio("x", [], [("EXTRA_ARGS", "--api-key abc-1")]);
    assert_eq!(found(&launch), expected("env.EXTRA_ARGS", "EXTRA_ARGS", "--api-key ${EXTRA_ARGS}"));
}

#[test]
fn a_launch_is_shown_without_its_secrets() {
    let launch = stdio("x", ["--token", "abc", "-v"], [("DB", "postgres://me:abc@h/db"), ("T", "${T}")]);
    let shown = stdio("x", ["--token", "[masked]", "-v"], [("DB", "postgres://me:[masked]@h/db"), ("T", "${T}")]);
    assert_eq!(launch.without_secrets(), shown);
}

#[test]
fn hostile_texts_take_no_time_and_no_stack() {
    for text in [
        "a=".repeat(100_000),
        "${A:-".repeat(50_000),
        "[".repeat(100_000),
        "x:".repeat(100_000),
        "x-a:".repeat(50_000),
        "?".repeat(100_000),
        "token:".repeat(10_000),
        "token=\"".repeat(10_000),
        "token=/".repeat(10_000),
        "token = ".repeat(10_000),
        "--token ".repeat(10_000),
        "--token \"-".repeat(10_000),
        "--header ".repeat(10_000),
        "machine a login b password ".repeat(10_000),
        "a://b:c".repeat(10_000),
        "a:b@".repeat(10_000),
        "a://b:c/@".repeat(10_000),
        "?token=%7B&".repeat(10_000),
        format!("https://h/?{}", "token=%7B&".repeat(10_000)),
        "jdbc:oracle:".repeat(10_000),
        "${A:-token=}".repeat(10_000),
        " ".repeat(100_000),
        format!("{}=", "a".repeat(100_000)),
    ] {
        safe_to_show("TOKEN_FILE", &text);
        safe_to_show("AUTH", &text);
    }
}
