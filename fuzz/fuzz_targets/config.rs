//! The configuration reader, and what is done with a launch before anything is started.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use mcp_pin::config::{self, ConfiguredServer, Source};
use mcp_pin::launch::{self, Transport};
use mcp_pin::lock::{self, LockedServer, Lockfile};
use mcp_pin::surface::{About, Client, Surface};
use mcp_pin::{json, text};

fuzz_target!(|bytes: &[u8]| {
    let source = Source { config: ".mcp.json".to_owned(), folder: PathBuf::from("/project") };
    match config::parse(bytes, &source) {
        Ok(servers) => {
            servers.iter().for_each(server);
            let merged = config::merge(vec![servers.clone(), servers.clone()]);
            assert_eq!(merged, servers, "a configuration merged with itself is itself");
            pinned(&servers);
        }
        Err(error) => {
            assert!(!error.faults.is_empty());
            let _ = text::terminal(&error.to_string());
        }
    }
    // Strict JSON means here what it means everywhere: comments are all that may be added.
    if let (Ok(value), Ok(source_text)) = (json::parse_bytes(bytes), std::str::from_utf8(bytes)) {
        let commented = format!("// first\n{source_text}/* last */");
        assert_eq!(
            config::parse(bytes, &source).ok(),
            config::parse(commented.as_bytes(), &source).ok(),
            "{}",
            json::canonical(&value)
        );
    }
});

fn server(server: &ConfiguredServer) {
    let launch = &server.launch;
    let secrets = launch::literal_secrets(launch);
    for secret in &secrets {
        let _ = text::terminal(&secret.to_string());
    }
    let shown = launch.without_secrets();
    if secrets.is_empty() {
        let mut shown = shown;
        // What an address has in its query is never shown.
        if let (Transport::Http { url: shown, .. }, Transport::Http { url, .. }) =
            (&mut shown.transport, &launch.transport)
        {
            shown.clone_from(url);
        }
        assert_eq!(shown, *launch, "nothing is masked where no secret is");
    }
    let (names, texts) = match &launch.transport {
        Transport::Stdio { env, args, .. } => (env, args.clone()),
        Transport::Http { headers, url } => (headers, vec![url.clone()]),
        Transport::Saved => unreachable!("no configuration names a saved listing"),
    };
    let withheld = launch.withhold(&names.keys().cloned().collect());
    for (name, value) in names {
        assert!(launch.can_withhold(name) && withheld.unverified.contains(name));
        let _ = launch::safe_to_show(name, value);
    }
    assert_eq!(launch.withhold(&BTreeSet::new()), *launch);
    let _ = (launch.runs_newest_release(), launch.is_legacy_sse());

    let variables = launch.variables();
    match launch.resolve(&|_| None) {
        Ok(resolved) => {
            for text in &texts {
                let _ = resolved.protected.mask(text);
            }
        }
        Err(missing) => {
            for variable in missing {
                assert!(variables.contains(&variable.variable));
                let _ = variable.to_string();
            }
        }
    }
    let value = "Zx8-secret/Value+09";
    let resolved = launch.resolve(&|name| {
        assert!(variables.contains(name), "{name} is no variable of the launch");
        Some(value.to_owned())
    });
    let resolved = resolved.ok().expect("every variable is set");
    if !variables.is_empty() {
        for text in texts.iter().chain(names.values()) {
            let message = format!("{text} {value} {text}");
            assert!(!resolved.protected.mask(&message).contains(value), "{message}");
        }
    }
}

/// Whatever a configuration says can be stored, and says the same when it is read back.
fn pinned(servers: &[ConfiguredServer]) {
    let locked = |server: &ConfiguredServer| LockedServer {
        config: server.config.clone(),
        launch: server.launch.clone(),
        client: Client::default(),
        pass_env: BTreeSet::new(),
        surface: Surface::new("2025-11-25".to_owned(), About::default(), Vec::new()),
    };
    let servers: BTreeMap<_, _> = servers.iter().map(|server| (server.name.clone(), locked(server))).collect();
    let lockfile = Lockfile { servers };
    let written = lock::to_text(&lockfile);
    assert_eq!(lock::parse(&written, "mcp-tools.lock").as_ref(), Ok(&lockfile), "{written}");
}
