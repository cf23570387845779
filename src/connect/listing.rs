//! All that a server lists, read in one session.

use rmcp::model::{ClientRequest, ReadResourceRequest, ReadResourceRequestParams};

use super::catalogue::{List, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
use super::limits::Limits;
use super::page::Page;
use super::session::{NoResult, Session};
use super::tap::METHOD_NOT_FOUND;
use super::{Again, Failure, ReadResources, excerpt};
use crate::problem::Problem;
use crate::surface::{Item, Kind, Resources, Surface, interface};

/// Errors that say that there is no such resource, rather than that something failed just now: method not found and
/// invalid parameters (JSON-RPC 2.0, section 5.1), and resource not found (2025-11-25, Server Features, Resources).
const DEFINITE: [i64; 3] = [METHOD_NOT_FOUND, -32602, -32002];

impl Session<'_> {
    /// Reads every list that the server declares, every page of it, and the user interfaces that its tools point to.
    pub(super) async fn list(&mut self) -> Result<Surface, Failure> {
        let resources = self.resources();
        let lists = self.lists(resources);
        self.tap.begin_listing(&lists);
        let mut items = Vec::new();
        for list in lists {
            items.extend(self.read_pages(list).await?);
        }
        let addresses = interface::addresses(&items);
        // A host takes from the list what the interface itself doesn't say, so these entries count even where the list
        // changes by itself.
        let listed = match resources {
            Resources::Changing if !addresses.is_empty() && RESOURCES.is_declared(&self.about) => {
                self.read_pages(RESOURCES).await?
            }
            _ => Vec::new(),
        };
        for uri in addresses {
            let entries: Vec<&Item> = listed.iter().filter(|entry| entry.name == uri).collect();
            items.push(self.read_interface(&uri, &entries).await?);
        }
        Ok(Surface::new(self.protocol.clone(), self.about.clone(), items).with_resources(resources))
    }

    /// Whether this server's resources are items.
    fn resources(&self) -> Resources {
        match self.target.resources {
            ReadResources::Always => Resources::Pinned,
            ReadResources::UnlessChanging if self.about.resources_change() => Resources::Changing,
            ReadResources::UnlessChanging => Resources::Pinned,
        }
    }

    /// What there is to list. Tools are asked for whatever the server declares: some clients do the same.
    fn lists(&self, resources: Resources) -> Vec<List> {
        let mut lists = vec![TOOLS, PROMPTS, RESOURCES, TEMPLATES];
        lists.retain(|list| match list.kind {
            Kind::Tool => true,
            Kind::Resource => resources == Resources::Pinned && list.is_declared(&self.about),
            _ => list.is_declared(&self.about),
        });
        lists
    }

    async fn read_pages(&mut self, list: List) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        let mut previous: Option<String> = None;
        loop {
            let number = cursors.len() + 1;
            let cursor = cursors.last().cloned();
            let step = format!("listing {}, page {number}", list.called);
            let raw = match self.ask(list.request(cursor.clone()), &step).await {
                Ok(raw) => raw,
                Err(NoResult::Refused(refusal))
                    if refusal.code == METHOD_NOT_FOUND && number == 1 && list.may_be_unknown(&self.about) =>
                {
                    if list.kind != Kind::Template && list.is_declared(&self.about) {
                        self.tap.odd(format!("no answer to {}, which it declares", list.method).as_bytes());
                    }
                    return Ok(Vec::new());
                }
                Err(without) => return Err(self.failure(without, step)),
            };
            // Older servers mean the end by an empty cursor: then the page that it leads to is the one before it again.
            if cursor.as_deref() == Some("") && previous.as_deref() == Some(raw.as_str()) {
                self.tap.odd(b"an empty cursor, which led to the same page again and was taken for the end");
                return Ok(items);
            }
            let page = Page::read(list, &raw).map_err(|cause| {
                Failure::new(Problem::new(
                    step,
                    format!("the server's list can't be used: {cause}"),
                    "report this to the server's author; nothing was taken for removed",
                ))
            })?;
            items.extend(page.items);
            let Some(next) = page.next else { return Ok(items) };
            if cursors.contains(&next) || cursors.len() + 1 >= Limits::PAGES {
                let cause = if cursors.contains(&next) {
                    format!("the listing does not end: page {number} leads back to an earlier one")
                } else {
                    format!("the listing does not end: it has more than {} pages", Limits::PAGES)
                };
                let step = format!("listing {}", list.called);
                return Err(Failure::new(Problem::new(step, cause, "report this to the server's author")));
            }
            cursors.push(next);
            previous = Some(raw);
        }
    }

    /// Reads a user interface that a tool points to. That the server refuses it is an answer too.
    async fn read_interface(&mut self, uri: &str, listed: &[&Item]) -> Result<Item, Failure> {
        let step = format!("reading the user interface {}", excerpt(self.target, uri));
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        match self.ask(ClientRequest::ReadResourceRequest(request), &step).await {
            Ok(raw) if self.target.launch.protected.find(&raw) => {
                let help = "this text differs on each machine or tells a secret; ask the server's author, or start it with another value";
                Err(Failure::new(Problem::new(step, "it repeats a value that came from a variable", help)))
            }
            Ok(raw) => interface::from_answer(uri, &raw, listed).map_err(|error| {
                let cause = format!("the server's answer can't be used: {error}");
                Failure::new(Problem::new(step, cause, "report this to the server's author"))
            }),
            Err(NoResult::Refused(refusal)) if DEFINITE.contains(&refusal.code) => {
                Ok(interface::refused(uri, refusal.code, listed))
            }
            Err(without) => Err(self.failure(without, step)),
        }
    }

    /// What it means that a request has no result.
    fn failure(&self, without: NoResult, step: String) -> Failure {
        match without {
            NoResult::Failed(problem) => Failure::new(problem),
            NoResult::SessionLost(problem) => Failure { problem, again: Again::Fresh },
            NoResult::Refused(refusal) => {
                let message = excerpt(self.target, &refusal.message);
                let cause = format!("the server answered with error {}: {message}", refusal.code);
                let help = "look at the server's own log; nothing was taken for removed";
                Failure::new(Problem::new(step, cause, help))
            }
        }
    }
}
