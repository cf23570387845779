//! Lockfiles with everything in them that a hostile server or a careless configuration may send.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Client, LockedServer, Lockfile};
use crate::json::{self, Object, Value};
use crate::launch::{Launch, Transport};
use crate::surface::{About, Item, Kind, Resources, Surface};

/// Texts of characters that some part of the way treats specially, and of arbitrary ones.
pub(super) fn text() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "\"",
        "\"\"",
        "\"\"\"",
        "'",
        "''",
        "'''",
        "\\",
        "\\u0041",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "  \n",
        "<<<<<<< ours",
        "\n=======",
        "\n=======\n",
        ">>>>>>>",
        "\n||||||| base",
        "\n[[tool]]\nname = \"x\"\n",
        "# comment",
        "{",
        "}",
        ", ",
        "=",
        "\0",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{ad}",
        "\u{200b}",
        "\u{2028}",
        "\u{202e}",
        "\u{3164}",
        "\u{e000}",
        "\u{feff}",
        "\u{fdd0}",
        "\u{e0041}",
        "\u{10ffff}",
        "é",
        "e\u{301}",
        "日本",
        "😀",
        "${TOKEN}",
    ]);
    prop::collection::vec(prop_oneof![4 => special.prop_map(str::to_owned), 1 => any::<String>()], 0..6)
        .prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let number = prop::sample::select(vec![
        "0".to_owned(),
        "-1.5".to_owned(),
        "9007199254740993".to_owned(),
        "1e999".to_owned(),
        "-2e-1000000".to_owned(),
        "9".repeat(1_000),
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(|number| json::parse(&number).expect("a number")),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Object> {
    prop::collection::vec((text(), value()), 0..4).prop_map(|members| members.into_iter().collect())
}

fn item() -> impl Strategy<Value = Item> {
    let optional = || prop::option::of(prop_oneof![3 => text().prop_map(Value::String), 1 => value()]);
    let kind = prop::sample::select(Kind::ALL.to_vec());
    (kind, text(), optional(), optional(), object()).prop_map(|(kind, name, title, description, mut members)| {
        for (key, value) in [("title", title), ("description", description)] {
            if let Some(value) = value {
                members.insert(key, value);
            }
        }
        Item::from_object(kind, &name, members)
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

fn table() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map(prop_oneof![text(), Just("PLAIN_key-1".to_owned())], text(), 0..4)
}

fn launch() -> impl Strategy<Value = Launch> {
    let stdio = (text(), texts(), table(), prop::option::of(text()))
        .prop_map(|(command, args, env, cwd)| Transport::Stdio { command, args, env, cwd });
    let http = (text(), table()).prop_map(|(url, headers)| Transport::Http { url, headers });
    (prop_oneof![stdio, http], object(), texts()).prop_map(|(transport, options, unverified)| Launch {
        transport,
        options,
        unverified: unverified.into_iter().collect(),
    })
}

/// What a server may say of itself, parted as every answer is.
fn about() -> impl Strategy<Value = About> {
    let info = prop_oneof![
        value(),
        (object(), value()).prop_map(|(mut info, version)| {
            info.insert("version", version);
            Value::Object(info)
        })
    ];
    let instructions = prop_oneof![text().prop_map(Value::String), value()];
    let changing = r#"{"resources":{"subscribe":true}}"#;
    let capabilities = prop_oneof![3 => value(), 1 => Just(json::parse(changing).expect("valid"))];
    (prop::option::of(info), prop::option::of(capabilities), prop::option::of(instructions)).prop_map(
        |(info, capabilities, instructions)| {
            let members = [("serverInfo", info), ("capabilities", capabilities), ("instructions", instructions)];
            let answer = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
            About::from_answer(&answer.collect())
        },
    )
}

fn server() -> impl Strategy<Value = LockedServer> {
    let client = (text(), prop::option::of(text()), prop::option::of(object()))
        .prop_map(|(profile, name, capabilities)| Client { profile, name, capabilities });
    let items = prop::collection::vec(item(), 0..4);
    let pass_env = prop::collection::btree_set(text(), 0..3);
    let resources = prop::sample::select(vec![Resources::Pinned, Resources::Changing]);
    (prop::option::of(text()), launch(), client, pass_env, "[0-9]{4}-[0-9]{2}-[0-9]{2}", about(), items, resources)
        .prop_map(|(config, launch, client, pass_env, protocol, about, items, resources)| {
            // A server with two items of one name isn't pinned.
            let items: BTreeMap<(Kind, String), Item> =
                items.into_iter().map(|item| ((item.kind, item.name.clone()), item)).collect();
            // Only what changes by itself may be left out.
            let resources = if about.resources_change() { resources } else { Resources::Pinned };
            LockedServer {
                config,
                launch,
                client,
                pass_env,
                surface: Surface::new(protocol, about, items.into_values().collect()).with_resources(resources),
            }
        })
}

/// Any lockfile.
pub(super) fn lockfile() -> impl Strategy<Value = Lockfile> {
    prop::collection::btree_map(text(), server(), 0..4).prop_map(|servers| Lockfile { servers })
}
