//! Tables of what is a secret and what isn't. All values are made up, and split so that no scanner takes them for real.

use super::super::samples::{http, stdio};
use super::*;
use crate::json::parse;

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
        ("PASSWORD", "%ecret%word"),
    ] {
        if safe_to_show(name, value) {
            missed.push((name, value));
        }
    }
    assert_eq!(missed, []);
}

#[test]
fn these_look_like_secrets_anywhere() {
    let mut missed = Vec::new();
    for value in [
        GITHUB,
        OPENAI,
        OPENAI_PROJECT,
        ANTHROPIC,
        SLACK,
        AWS,
        GOOGLE,
        GITLAB,
        NPM,
        STRIPE,
        NOTION,
        SENDGRID,
        JWT,
        KEY,
        RANDOM,
        concat!("--header=X-Thing: ", "Bearer a1B2c3D4e5F6"),
        "Authorization: Bearer a1B2c3D4e5F6",
        "authorization:abc-1",
        "X-Api-Key:abc-1",
        "curl https://host -H 'Authorization: Bearer abc' -s",
        "--token=abc",
        "--api-key=abc",
        "API_KEY=abc",
        "--env=API_KEY=abc",
        "-eAPI_TOKEN=abc",
        "export API_TOKEN=abc; node server.mjs",
        "Server=db;User Id=sa;Password=abc;",
        "postgres://me:hunter2@localhost:5432/db",
        "--url=postgres://me:hunter2@localhost/db",
        "redis://:hunter2@cache",
        "postgres://${USER}:hunter2@localhost/db",
        "https://host/mcp?api_key=abc",
        "https://host/mcp?x=1&token=abc#top",
        "https://host/mcp#access_token=abc",
        "https://host/api?code=abcd1234efgh",
        "https://host/c?sp=r&sig=abc%2Bdef123456%3D",
        "https://host/k?X-Amz-Signature=0123456789abcdef0123456789abcdef",
        concat!("da", "pi0123456789abcdef0123456789abcdef"),
        concat!("f", "c-0123456789abcdef0123456789abcdef"),
        concat!("https://", "q7Zt2Lw9Xb4Rk8Vn3Ms6", "@host/mcp"),
        concat!("https://host/s/", "q7Zt2Lw9Xb4Rk8Vn3Ms6Pc1Y", "/mcp"),
        r#"{"Authorization": "Bearer abc", "Version": "2022-06-28"}"#,
        r#"{"a": [{"password": "abc"}]}"#,
        r#"{"password": "a\u0062c"}"#,
        concat!("k3j5h2g9f1d7s4a8", "p6o2i9u4y7t1r5e3"),
        concat!("${TOKEN:-gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3}"),
        concat!("sb", "p_01020304050607080910111213141516"),
        "jdbc:postgresql://localhost:5432/db?user=postgres&password=hunter2secret",
        "jdbc:postgresql://postgres:hunter2secret@localhost:5432/db",
        "jdbc:sqlserver://h:1433;databaseName=d;user=sa;password=hunter2secret",
        "jdbc:oracle:thin:scott/Tiger99xx@//db.example:1521/x",
        "--dsn=jdbc:oracle:oci:scott/tiger@db",
        "root:hunter2secret@tcp(127.0.0.1:3306)/app",
        "root:hunter@tcp(127.0.0.1:3306)/app?parseTime=true",
        "--dsn=root:p;w,d@unix(/run/mysqld.sock)/app",
        "user:hunter2secret@host:/path",
        "u:hunter2secret@proxy:8080",
        "u:hunter@proxy:8080",
        "u:hunter2secret@proxy.example",
        "me:12345678@proxy.example",
        "postgres://u:hunt/er2secret@host/db",
        "postgres://u:hunt#er2secret@host/db",
        "postgres://u:hunt;er2secret@host/db",
        "postgres://u:hunt,er2@secret@host/db?a=b@c",
        "https://host/?config=%7B%22apiKey%22%3A%22hunter2secret%22%7D",
        "https://host/?config=%7B%22apiKey%22:+%22hunter2secret%22%7D",
        "npx -y srv --api-key hunter2secret",
        "npx -y srv --api-key 'correct horse battery'",
        "--api-key hunter2secret",
        "srv --password hunter && true",
        "srv --password 19840712",
        "srv --token \\\n  hunter2secret",
        "curl -H 'apikey:hunter2secret' https://host",
        "-Hapikey:hunter2secret",
        "--header=apikey:hunter2secret",
        "--header=PRIVATE-TOKEN:hunter2secret",
        "export API_TOKEN=\"hunter2secret\"; npx x",
        "API_TOKEN='hunter2secret' npx x",
        "API_TOKEN='correct horse' npx x",
        "export API_TOKEN=\\\"hunter2secret\\\"; npx x",
        "${API_KEY:-hunter2secret}",
        "${DB_PASSWORD:-hunter2secret}",
        "--password=19840712",
        "--password=123456ab",
        r#"{"password":1234567890123}"#,
        r#"{"a":[{"password":19840712}]}"#,
        "--password=$ecretPassword",
        "password: hunter2secret",
        "db:\n  user: me\n  password: hunter\n",
        "users:\n- name: me\n  user:\n    token: hunter2secret # made up",
        "- token: hunter2secret",
        "user = \"me\"\npassword = \"hunter2secret\"",
        "Server = db; User Id = sa; Pwd = hunter2secret; Encrypt = yes",
        "Server = db; Pwd = hunter",
        "machine host login me password hunter",
        "default login me password hunter2secret",
        "--password:hunter2secret",
        "/password=hunter2secret",
        "/user:me /password:hunter2secret",
        "{'password': 'hunter2secret'}",
        "{password: hunter2secret}",
    ] {
        if safe_to_show("", value) {
            missed.push(value);
        }
    }
    assert_eq!(missed, [""; 0]);
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
        ("KEYS", "ctrl+shift+p"),
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

#[test]
fn these_do_not_look_like_secrets() {
    let mut alarms = Vec::new();
    for value in [
        "-y",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@scope/auth-token-server@1.2.3-beta.4",
        "ghcr.io/github/github-mcp-server:v0.4.0",
        "mcp/postgres@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "sha512-q7Zt2Lw9Xb4Rk8Vn3Ms6Pc1YAAAA==",
        "123e4567-e89b-12d3-a456-426614174000",
        "123E4567-E89B-12D3-A456-426614174000",
        "0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
        "0123456789abcdef0123456789abcdef01234567",
        "https://github.com/org/repo/archive/9fceb02d0ae598e95dc970b74767f19372d61af8.tar.gz",
        "git+https://github.com/org/repo.git@main",
        "git+ssh://git@github.com/org/repo.git",
        "https://mcp.example/mcp?version=2&readonly=true",
        "http://localhost:3000/sse",
        "https://abcdefghijklmnopqrst.supabase.co",
        "/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-glibc-2.37/bin/node",
        "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/server",
        "/home/me/Projects/MyServer2/dist/index.js",
        "C:\\Program Files\\My App 2\\server.exe",
        "type=bind,src=/srv/data,dst=/data,readonly",
        "--max-tokens=4096",
        "--token-file=/run/token",
        "--auth=oauth",
        "--no-auth",
        "--allowed-hosts=a.example,b.example",
        "-e",
        "GITHUB_PERSONAL_ACCESS_TOKEN",
        "--env=API_KEY",
        "API_KEY=${API_KEY}",
        "Authorization: Bearer ${TOKEN}",
        "Authorization:${AUTH_HEADER}",
        "--header=Authorization: Bearer ${TOKEN}",
        "Content-Type: application/json",
        "Never show the token: it is none of your business",
        "X-Request-Source: mcp-pin",
        "sk-learn-extra-models-2024",
        "npm_config_registry_proxy",
        "secret_santa_planner",
        "ghp_placeholder",
        "claude-3-5-sonnet-20241022",
        "com.example.server.AuthTokenProviderFactoryImpl",
        "org.apache.kafka.common.security.scram.ScramLoginModule",
        "--extra-index-url=https://download.pytorch.org/whl/cu121",
        "python3.12",
        "--python=3.12",
        "2026-08-31T12:00:00Z",
        "exec node server.mjs --port 3000",
        r#"{"Authorization": "Bearer ${NOTION_TOKEN}", "Notion-Version": "2022-06-28"}"#,
        r#"["read","write"]"#,
        "localhost:5432",
        "image:latest",
        "user@host.example",
        "Bearer of good news",
        "a=b=c=d",
        "",
        "=",
        "http://localhost:3000/@scope/pkg",
        "http://${HOST}:${PORT}/@scope/pkg",
        "http://a.example:80,http://b.example:81,me@c.example",
        "https://registry.example/@scope/pkg/-/pkg-1.2.3.tgz",
        "jdbc:postgresql://localhost:5432/db?user=postgres&ssl=true",
        "jdbc:oracle:thin:@//db.example:1521/x",
        "root:${V}@tcp(127.0.0.1:3306)/app",
        "root@tcp(127.0.0.1:3306)/app",
        "npm:@scope/pkg2x@1.2.3-beta4",
        "alias@npm:pkg@1.2.3",
        "mailto:jane.doe1985@example.com",
        "user:jane.doe1985x@example.com",
        "serviceAccount:robot1985x@project.iam.gserviceaccount.com",
        "python:3.12-slim@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "git@github.com:org/repo.git",
        "org/repo@v1.2.3",
        "arn:aws:iam::123456789012:role/x1y2z3@host",
        "pkg:npm/foo1x2@1.0.0",
        "https://host/?config=%7B%22mode%22%3A%22fast%22%7D",
        "npx -y srv --api-key $API_KEY --verbose",
        "npx -y srv --api-key \"$API_KEY\"",
        "srv --token-file /run/token --tokens 4096",
        "srv --token ${TOKEN}",
        "Use --token to sign in, or --password with a keyring.",
        "export API_TOKEN=\"$(cat /run/token)\"; npx x",
        "export API_TOKEN=`cat /run/token` && npx x",
        "API_TOKEN=$(pass show foo) npx x",
        "API_TOKEN='${API_TOKEN}' npx x",
        "if (token == null) return",
        "const token = process.env.TOKEN;",
        "${API_KEY:-}",
        "${API_KEY_FILE:-/run/key}",
        r#"{"maxTokens":1234567890123,"tokens":4096,"token":1}"#,
        "--password=$PASSWORD",
        "--password=$db_password",
        "password: ${PASSWORD}",
        "db:\n  user: me\n  password: ${PASSWORD}\n  tokens: 4096",
        "Token: see the docs",
        "The password: ask your administrator",
        "-H",
        "tcp://localhost:2375",
        "/secrets:/run/secrets:ro",
        "my-token:1.2.3",
        "oauth-token:latest",
        "the machine has no login and password prompts",
        "/auth/token:refresh",
        "https://host/v1/token:refresh",
    ] {
        if !safe_to_show("", value) {
            alarms.push((value, secrets_in(None, value)));
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
