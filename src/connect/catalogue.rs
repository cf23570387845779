//! The lists that servers give, one for each kind of item.

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams,
};

use crate::surface::{About, Kind};

/// A list that a server gives page by page (2025-11-25, Server Features).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// What its entries are.
    pub(super) kind: Kind,
    /// The request that asks for a page.
    pub(super) method: &'static str,
    /// The member of a result that holds the entries.
    pub(super) member: &'static str,
    /// The capability of a server that has such a list.
    pub(super) capability: &'static str,
    /// The notification that the list has changed.
    pub(super) changed: &'static str,
    /// What the entries are called.
    pub(super) called: &'static str,
}

pub(super) const TOOLS: List = List {
    kind: Kind::Tool,
    method: "tools/list",
    member: "tools",
    capability: "tools",
    changed: "notifications/tools/list_changed",
    called: "tools",
};
pub(super) const PROMPTS: List = List {
    kind: Kind::Prompt,
    method: "prompts/list",
    member: "prompts",
    capability: "prompts",
    changed: "notifications/prompts/list_changed",
    called: "prompts",
};
pub(super) const RESOURCES: List = List {
    kind: Kind::Resource,
    method: "resources/list",
    member: "resources",
    capability: "resources",
    changed: "notifications/resources/list_changed",
    called: "resources",
};
/// No notification is about templates alone.
pub(super) const TEMPLATES: List = List {
    kind: Kind::Template,
    method: "resources/templates/list",
    member: "resourceTemplates",
    capability: "resources",
    changed: "notifications/resources/list_changed",
    called: "resource templates",
};

impl List {
    /// The request for its first page, or for the page that a cursor leads to.
    pub(super) fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        match self.kind {
            Kind::Prompt => {
                ClientRequest::ListPromptsRequest(ListPromptsRequest { params, ..ListPromptsRequest::default() })
            }
            Kind::Resource => {
                ClientRequest::ListResourcesRequest(ListResourcesRequest { params, ..ListResourcesRequest::default() })
            }
            Kind::Template => ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
                params,
                ..ListResourceTemplatesRequest::default()
            }),
            Kind::Tool | Kind::Interface => {
                ClientRequest::ListToolsRequest(ListToolsRequest { params, ..ListToolsRequest::default() })
            }
        }
    }

    /// Whether a server that says this of itself declares the list.
    pub(super) fn is_declared(self, about: &About) -> bool {
        about.declares(self.capability)
    }

    /// Whether a server that declares the list's capability may still not know the request: templates have none of their
    /// own, and prompts and resources are declared by servers that never got any.
    pub(super) fn may_be_unknown(self, about: &About) -> bool {
        self.kind != Kind::Tool || !self.is_declared(about)
    }
}
