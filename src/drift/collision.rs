//! Tools that clients can take for each other.
//!
//! A client gives the model one flat list of the tools of all its servers. Most call a tool `mcp__server__tool`, with every
//! character but letters, digits, `_` and `-` replaced and 64 characters at most, as models' interfaces demand; some leave
//! the server out.

use std::collections::BTreeMap;

use super::inspect::baseline;
use super::order;
use crate::finding::{Finding, Level, rule};
use crate::json::Pointer;
use crate::surface::{Kind, Surface};
use crate::text;

/// What one server offers beside the others.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The server's name in its configuration.
    pub server: &'a str,
    /// What it says now.
    pub surface: &'a Surface,
    /// What of it was approved; its tools were told when they were new.
    pub approved: Option<&'a Surface>,
}

/// For each offer the tools of it that are new and whose name a client can take for another's.
///
/// Two that become one name are danger, for a call or an approval of the one reaches the other. That two servers offer a
/// tool of one name is common and honest, and a notice; so are names that only their case tells apart.
pub fn collisions(offers: &[Offer<'_>]) -> Vec<Vec<Finding>> {
    let entries: Vec<Entry<'_>> = offers.iter().enumerate().flat_map(|(index, offer)| tools(index, offer)).collect();
    let called = Groups::by(&entries, |entry| entry.called.clone());
    let loosely = Groups::by(&entries, |entry| entry.called.to_ascii_lowercase());
    let bare = Groups::by(&entries, |entry| limited(&cleaned(entry.name)).to_ascii_lowercase());
    let mut findings = vec![Vec::new(); offers.len()];
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_new) {
        let (same, alike) = (called.of(index), loosely.of(index));
        let others = |group: &[usize]| names(offers, &entries, entry, group);
        let (level, note) = if same.len() > 1 {
            let called = &entry.called;
            (Level::Danger, format!("clients call it `{called}`, and so they call {}", others(same)))
        } else if alike.len() > 1 {
            (Level::Notice, format!("only the case of letters tells it from {}", others(alike)))
        } else if bare.of(index).len() > 1 {
            let others = others(bare.of(index));
            (Level::Notice, format!("clients that leave the server's name out take it for {others}"))
        } else {
            continue;
        };
        let finding = baseline(&rule::NAME_COLLISION).at_level(level).of_item(entry.kind, entry.name);
        findings[entry.offer].push(finding.at(Pointer::of(["name"])).noting(note));
    }
    findings.iter_mut().for_each(|findings| order::sort(findings));
    findings
}

/// One tool among those of all servers.
struct Entry<'a> {
    /// Which offer it is from.
    offer: usize,
    kind: Kind,
    name: &'a str,
    /// What a client calls it.
    called: String,
    is_new: bool,
}

/// The tools of an offer, each name once.
fn tools<'a>(index: usize, offer: &Offer<'a>) -> Vec<Entry<'a>> {
    let of = |surface: &'a Surface| surface.items.iter().filter(|item| item.kind == Kind::Tool);
    let approved: Vec<&str> = offer.approved.into_iter().flat_map(of).map(|item| item.name.as_str()).collect();
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for item in of(offer.surface) {
        if entries.last().is_some_and(|last| last.name == item.name) {
            continue;
        }
        entries.push(Entry {
            offer: index,
            kind: item.kind,
            name: &item.name,
            called: limited(&cleaned(&format!("mcp__{}__{}", offer.server, item.name))).to_owned(),
            // A surface's items are sorted by name.
            is_new: approved.binary_search(&item.name.as_str()).is_err(),
        });
    }
    entries
}

/// A name with every character that models' interfaces don't take replaced.
fn cleaned(name: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    name.chars().map(|character| if plain(character) { character } else { '_' }).collect()
}

/// The most characters of a name that they take.
const MOST: usize = 64;

fn limited(name: &str) -> &str {
    text::shorten(name, MOST).text
}

/// Entries that share something.
struct Groups {
    groups: Vec<Vec<usize>>,
    /// For each entry its group.
    places: Vec<usize>,
}

impl Groups {
    fn by(entries: &[Entry<'_>], key: impl Fn(&Entry<'_>) -> String) -> Self {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let (mut groups, mut places) = (Vec::<Vec<usize>>::new(), Vec::with_capacity(entries.len()));
        for (index, entry) in entries.iter().enumerate() {
            let place = *known.entry(key(entry)).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
            places.push(place);
        }
        Self { groups, places }
    }

    fn of(&self, entry: usize) -> &[usize] {
        &self.groups[self.places[entry]]
    }
}

/// The first of a group beside an entry, and how many more there are.
fn names(offers: &[Offer<'_>], entries: &[Entry<'_>], entry: &Entry<'_>, group: &[usize]) -> String {
    const MOST: usize = 3;
    let short = |name: &str| format!("`{}`", text::identifier(text::shorten(name, 100).text));
    let others = group.iter().map(|&other| &entries[other]);
    let others = others.filter(|other| (other.offer, other.name) != (entry.offer, entry.name));
    let mut names: Vec<String> = others
        .take(MOST)
        .map(|other| match offers.get(other.offer) {
            Some(offer) if other.offer != entry.offer => format!("{} of {}", short(other.name), short(offer.server)),
            _ => short(other.name),
        })
        .collect();
    let more = (group.len() - 1).saturating_sub(MOST);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{About, Item};

    fn surface(names: &[&str]) -> Surface {
        let item = |name: &&str| Item::from_object(Kind::Tool, name, crate::json::Object::new());
        Surface::new("2025-11-25".to_owned(), About::default(), names.iter().map(item).collect())
    }

    /// What is told of servers with these tools, as `server tool level note`.
    fn told(servers: &[(&str, &[&str])]) -> Vec<String> {
        let surfaces: Vec<Surface> = servers.iter().map(|(_, names)| surface(names)).collect();
        let offers: Vec<Offer<'_>> = servers
            .iter()
            .zip(&surfaces)
            .map(|((server, _), surface)| Offer { server, surface, approved: None })
            .collect();
        lines(&offers)
    }

    fn lines(offers: &[Offer<'_>]) -> Vec<String> {
        let line = |server: &str, finding: &Finding| {
            let name = finding.item.as_ref().map_or("", |item| &item.name);
            let note = finding.note.as_deref().unwrap_or_default();
            format!("{server} {name} {}: {note}", finding.level.as_str())
        };
        let findings = collisions(offers);
        offers.iter().zip(&findings).flat_map(|(offer, told)| told.iter().map(|one| line(offer.server, one))).collect()
    }

    #[test]
    fn different_names_are_not_told() {
        assert_eq!(told(&[("a", &["search", "find"]), ("b", &["lookup", "search_all"])]), Vec::<String>::new());
    }

    #[test]
    fn names_of_one_server_that_become_one_are_danger() {
        assert_eq!(
            told(&[("crm", &["get.user", "get_user"])]),
            [
                "crm get.user danger: clients call it `mcp__crm__get_user`, and so they call `get_user`",
                "crm get_user danger: clients call it `mcp__crm__get_user`, and so they call `get.user`"
            ]
        );
    }

    #[test]
    fn one_name_on_two_servers_is_a_notice() {
        assert_eq!(
            told(&[("a", &["search"]), ("b", &["search"])]),
            [
                "a search notice: clients that leave the server's name out take it for `search` of `b`",
                "b search notice: clients that leave the server's name out take it for `search` of `a`"
            ]
        );
    }

    #[test]
    fn a_server_s_name_can_run_into_a_tool_s() {
        let found = told(&[("a", &["b__c"]), ("a__b", &["c"])]);
        assert_eq!(found[0], "a b__c danger: clients call it `mcp__a__b__c`, and so they call `c` of `a__b`");
        assert!(told(&[("my crm", &["x"]), ("my_crm", &["x"])])[0].contains(" danger: "));
    }

    #[test]
    fn names_that_are_cut_to_one_are_danger() {
        let (one, other) = (format!("{}_read", "x".repeat(60)), format!("{}_delete", "x".repeat(60)));
        assert_eq!(told(&[("crm", &[&one, &other])]).len(), 2);
        assert_eq!(told(&[("crm", &[&one[50..], &other[50..]])]), Vec::<String>::new());
    }

    #[test]
    fn names_that_only_their_case_tells_apart_are_a_notice() {
        assert_eq!(
            told(&[("crm", &["getUser", "getuser"])])[0],
            "crm getUser notice: only the case of letters tells it from `getuser`"
        );
    }

    #[test]
    fn what_was_approved_is_not_told_again() {
        let (approved, now, other) = (surface(&["a.b"]), surface(&["a.b", "a_b"]), surface(&["a.b"]));
        let offers = [
            Offer { server: "crm", surface: &now, approved: Some(&approved) },
            Offer { server: "files", surface: &other, approved: Some(&other) },
        ];
        assert_eq!(lines(&offers), ["crm a_b danger: clients call it `mcp__crm__a_b`, and so they call `a.b`"]);
    }

    #[test]
    fn a_flood_of_names_is_counted_and_costs_little() {
        let names: Vec<String> = (0..50_000).map(|number| format!("{}{number:05}", "x".repeat(64))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = told(&[("crm", &names)]);
        assert_eq!(found.len(), 50_000);
        assert!(found[0].ends_with("49996 more"), "{}", found[0]);
    }
}
