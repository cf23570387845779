//! server-everything, over both transports: everything that it lists.

use std::collections::BTreeMap;
use std::thread;

use serde_json::json;

use crate::capture::{Client, Kind, capture_http};
use crate::common::Project;
use crate::lockfile::Pinned;
use crate::serving::Serving;
use crate::{lockfile, processes, servers, skipped};

/// The tools that it shows only to a client that declares roots, elicitation and sampling.
const FOR_ABLE_CLIENTS: [&str; 3] = ["get-roots-list", "trigger-elicitation-request", "trigger-sampling-request"];

#[test]
fn over_stdio_and_http_all_that_it_lists_is_pinned_but_for_resources_that_change() {
    if skipped() {
        return;
    }
    let pinned = is_pinned_alike_over_both(
        &["pin", "--yes"],
        "16 tools, 4 prompts, 2 templates, which may change while an agent is connected; its resources change by themselves \
         and aren't pinned\n",
    );
    assert_eq!(pinned.counts(), BTreeMap::from([(Kind::Tool, 16), (Kind::Prompt, 4), (Kind::Template, 2)]));
}

#[test]
fn over_stdio_and_http_its_resources_are_pinned_one_by_one_where_the_user_wants_it() {
    if skipped() {
        return;
    }
    let pinned = is_pinned_alike_over_both(
        &["pin", "--yes", "--pin-resources"],
        "16 tools, 4 prompts, 7 resources, 2 templates, which may change while an agent is connected\n",
    );
    let counts = [(Kind::Tool, 16), (Kind::Prompt, 4), (Kind::Resource, 7), (Kind::Template, 2)];
    assert_eq!(pinned.counts(), BTreeMap::from(counts));
}

#[test]
fn a_client_that_declares_nothing_would_be_shown_three_tools_less() {
    if skipped() {
        return;
    }
    let server = servers::everything();
    let serving = Serving::start();
    let (able, plain, plain_over_http) = thread::scope(|scope| {
        let able = scope.spawn(|| server.capture(Client::FULL));
        let plain = scope.spawn(|| server.capture(Client::PLAIN));
        let plain_over_http = capture_http(&serving.url, Client::PLAIN).expect("captured");
        (able.join().expect("captured"), plain.join().expect("captured"), plain_over_http)
    });
    assert_eq!(plain.tools().len(), 13);
    assert_eq!(plain.items, plain_over_http.items);
    let mut able = able.items;
    for name in FOR_ABLE_CLIENTS {
        assert!(able.get_mut(&Kind::Tool).expect("tools").remove(name).is_some(), "{name}");
    }
    assert_eq!(able, plain.items);
}

/// Pins the server over both transports as it really is, and the same over each; it stays in sync, and pinning it again
/// changes nothing.
#[track_caller]
fn is_pinned_alike_over_both(pin: &[&str], in_sync: &str) -> Pinned {
    let server = servers::everything();
    let serving = Serving::start();
    let mut project = Project::new();
    project.configure("over-stdio", server.entry());
    project.configure("over-http", json!({ "type": "http", "url": serving.url }));
    let (over_stdio, over_http) = thread::scope(|scope| {
        let over_stdio = scope.spawn(|| server.capture(Client::FULL));
        let over_http = scope.spawn(|| capture_http(&serving.url, Client::FULL).expect("captured"));
        processes::expect_started_and_ended(&project, &server.program, || {
            project.run(pin).finish().expect_status(0);
        });
        (over_stdio.join().expect("captured"), over_http.join().expect("captured"))
    });
    let text = project.lockfile();
    let [stdio, http] = ["over-stdio", "over-http"].map(|name| lockfile::pinned(&text, name));
    stdio.expect(&over_stdio);
    http.expect(&over_http);
    assert_eq!(stdio.items, http.items);
    assert_eq!(stdio.digests, http.digests);

    let told = ["over-http", "over-stdio"].map(|name| format!("`{name}`, {in_sync}"));
    for _ in 0..3 {
        project.check().expect_status(0).expect_stdout(&[&told[0], &told[1]]).expect_stderr(&[]);
        processes::expect_none(&project);
    }
    for again in [&["pin"][..], pin] {
        project.run(again).finish().expect_status(0);
        processes::expect_none(&project);
        assert_eq!(project.lockfile(), text);
    }
    stdio
}
