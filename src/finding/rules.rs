//! The table of rules. An identifier, once released, keeps its meaning.

use super::Level;

/// What a finding is an instance of.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name in reports and policies, in kebab case.
    pub id: &'static str,
    /// The level when something differs from the lockfile.
    pub change: Level,
    /// The level when there is nothing to compare with; `None` if the rule needs a baseline.
    pub baseline: Option<Level>,
    /// Why it matters, one sentence.
    pub why: &'static str,
    /// What to do about it.
    pub todo: &'static str,
}

macro_rules! rules {
    ($($name:ident: $id:literal, $change:ident, $baseline:expr, $why:literal, $todo:literal;)*) => {
        /// The rules by name.
        pub mod rule {
            use super::super::Level::{Change, Danger, Notice};
            use super::Rule;
            $(
                #[doc = $why]
                pub static $name: Rule =
                    Rule { id: $id, change: $change, baseline: $baseline, why: $why, todo: $todo };
            )*
        }

        /// Every rule, in the order in which a report lists findings of one level.
        pub static RULES: &[&Rule] = &[$(&rule::$name),*];
    };
}

rules! {
    LAUNCH_CHANGED: "launch-changed", Danger, None,
        "The configuration would start or contact something else than what was approved.",
        "Read the change of the configuration; nothing was started. If it is meant, pin the server again.";
    SERVER_UNPINNED: "server-unpinned", Danger, None,
        "The configuration names a server that nobody has approved.",
        "Review what it says, then pin it, or take it out of the configuration.";
    SERVER_REMOVED: "server-removed", Change, None,
        "The lockfile holds a server that no configuration names any more.",
        "Drop it with `mcp-pin pin --prune`, or put it back into the configuration.";
    AMBIGUOUS_ANSWER: "ambiguous-answer", Danger, Some(Danger),
        "The server answered one request twice with different bytes, so that two clients can believe two things.",
        "Treat the server as hostile or broken until its author explains it.";
    UNSTABLE_LISTING: "unstable-listing", Danger, Some(Danger),
        "Two readings of the same server differ, so what was reviewed is not what an agent will be told.",
        "Find out what the listing depends on; a listing that changes by itself can't be pinned.";
    CLIENT_DIFFERS: "client-differs", Danger, None,
        "The server tells another client something else than the client that it is pinned with.",
        "Pin it with the client that your agent is (`--client`), and ask its author about the difference.";
    DUPLICATE_NAME: "duplicate-name", Danger, Some(Danger),
        "Two items share one name, and each client keeps another of the two.",
        "Ask the server's author to rename one; such a server can't be pinned.";
    NAME_COLLISION: "name-collision", Danger, Some(Danger),
        "Clients clean and cut names until two tools have the same one, and then a call or an approval of one can reach the other.",
        "Make sure which of them your clients call, or have one renamed.";
    IDENTITY_CHANGED: "identity-changed", Danger, None,
        "The server calls itself something else than when it was approved.",
        "Make sure that it is still the same server.";
    HIDDEN_CHARACTERS: "hidden-characters", Danger, Some(Danger),
        "The text holds characters that a reviewer can't see and a model reads.",
        "Ask why they are there; nothing honest needs most of them.";
    READ_ONLY_HINT_CHANGED: "read-only-hint-changed", Change, None,
        "Clients ask less often before they call a tool that says it only reads.",
        "Make sure that the tool deserves the hint.";
    DESTRUCTIVE_HINT_CHANGED: "destructive-hint-changed", Change, None,
        "Clients ask less often before they call a tool that says it destroys nothing.",
        "Make sure that the tool deserves the hint.";
    OPEN_WORLD_HINT_CHANGED: "open-world-hint-changed", Change, None,
        "Clients trust a tool more that says it reaches nothing outside.",
        "Make sure that the tool deserves the hint.";
    IDEMPOTENT_HINT_CHANGED: "idempotent-hint-changed", Change, None,
        "Clients repeat a call more freely when the tool says that repeating does no harm.",
        "Make sure that the tool deserves the hint.";
    TOOL_ADDED: "tool-added", Danger, None,
        "The agent can do something that nobody has approved.",
        "Review the new tool's definition.";
    TEMPLATE_ADDED: "template-added", Danger, None,
        "The agent can read a family of resources that nobody has approved.",
        "Review the new template's definition.";
    INTERFACE_ADDED: "interface-added", Danger, None,
        "A tool brings a user interface that nobody has approved, which the client shows and runs.",
        "Review its content security policy, and look at its body where it can do no harm before you approve it.";
    INTERFACE_CHANGED: "interface-changed", Danger, None,
        "The user interface of a tool has changed behind its address: its body, what it may load, or its permissions.",
        "Review its content security policy, and look at the new body where it can do no harm before you approve it.";
    PARAMETER_ADDED: "parameter-added", Danger, None,
        "A new parameter can carry data out that the approved tool never asked for.",
        "Ask what the parameter is for and what a model would put into it.";
    PARAMETER_LOOSENED: "parameter-loosened", Danger, None,
        "The tool accepts more than what was approved.",
        "Ask why the limit was taken away.";
    META_CHANGED: "meta-changed", Danger, None,
        "Clients act on `_meta`: it can name a user interface or carry text to the model.",
        "Read what was added or changed.";
    INSTRUCTIONS_CHANGED: "instructions-changed", Danger, None,
        "Instructions go to the model as they are.",
        "Read the new text as if it were code that your agent runs.";
    DESCRIPTION_CHANGED: "description-changed", Danger, None,
        "The description tells the model when and how to use it, and can tell it anything else.",
        "Read the new text as if it were code that your agent runs.";
    SCHEMA_TEXT_CHANGED: "schema-text-changed", Danger, None,
        "Text inside a schema goes to the model like any description.",
        "Read the new text as if it were code that your agent runs.";
    PROMPT_ADDED: "prompt-added", Change, None,
        "The server offers a prompt that nobody has approved, which a user may send to the model.",
        "Review the new prompt's definition.";
    RESOURCE_ADDED: "resource-added", Change, None,
        "The server offers content that nobody has approved, which a client may give to the model.",
        "Review the new resource's definition; its content isn't pinned.";
    ICONS_CHANGED: "icons-changed", Change, None,
        "Icons are how a person recognises a tool, and their addresses are fetched by clients.",
        "Look at the new addresses.";
    EXECUTION_CHANGED: "execution-changed", Change, None,
        "How a client runs the tool has changed.",
        "Read the new member.";
    UNKNOWN_MEMBER_CHANGED: "unknown-member-changed", Change, None,
        "A member that the specification doesn't know may mean something to a client.",
        "Ask the server's author what it does.";
    OUTPUT_SCHEMA_CHANGED: "output-schema-changed", Change, None,
        "What the tool says it returns has changed.",
        "Make sure that whoever uses the result expects it.";
    TITLE_CHANGED: "title-changed", Change, None,
        "The title is what a person sees when asked to approve a call.",
        "Make sure that it still says what the tool does.";
    ANNOTATION_CHANGED: "annotation-changed", Change, None,
        "Clients may decide by annotations how a tool is treated.",
        "Read the new value.";
    ARGUMENT_CHANGED: "argument-changed", Change, None,
        "What a prompt asks of its user has changed.",
        "Ask what the server does with the argument.";
    CONTENT_TYPE_CHANGED: "content-type-changed", Change, None,
        "Clients treat content by the type that a server gives it.",
        "Make sure that the new type is meant.";
    PARAMETER_REMOVED: "parameter-removed", Change, None,
        "A parameter that was approved is gone.",
        "Make sure that nothing depends on it.";
    PARAMETER_REQUIRED: "parameter-required", Change, None,
        "Which parameters must be given has changed.",
        "Ask what a model would put into a parameter that it must now give.";
    PARAMETER_TIGHTENED: "parameter-tightened", Change, None,
        "The tool accepts less than what was approved.",
        "Make sure that existing calls still work.";
    SCHEMA_CHANGED: "schema-changed", Change, None,
        "The schema differs in a way that no other rule names.",
        "Read the change.";
    TOOL_REMOVED: "tool-removed", Change, None,
        "A tool that was approved is gone.",
        "Make sure that nothing depends on it.";
    PROMPT_REMOVED: "prompt-removed", Change, None,
        "A prompt that was approved is gone.",
        "Make sure that nothing depends on it.";
    RESOURCE_REMOVED: "resource-removed", Change, None,
        "A resource that was approved is gone.",
        "Make sure that nothing depends on it.";
    TEMPLATE_REMOVED: "template-removed", Change, None,
        "A template of resources that was approved is gone.",
        "Make sure that nothing depends on it.";
    INTERFACE_REMOVED: "interface-removed", Change, None,
        "No tool points to a user interface any more that was approved.",
        "Make sure that this is meant.";
    ORDER_CHANGED: "order-changed", Notice, None,
        "A list whose order means nothing was written in another order.",
        "Nothing needs to be done; pin again to keep the new order.";
    RELEASE_CHANGED: "release-changed", Notice, None,
        "The server says that it is another release.",
        "If other things changed too, this is why.";
    PROTOCOL_CHANGED: "protocol-changed", Notice, None,
        "The server agreed on another revision of the protocol.",
        "Nothing needs to be done.";
    CAPABILITIES_CHANGED: "capabilities-changed", Notice, None,
        "The server declares other capabilities.",
        "Nothing needs to be done unless it surprises you.";
    LISTING_GREW: "listing-grew", Notice, Some(Notice),
        "The server's first listing was incomplete; a later one agreed.",
        "Nothing needs to be done; the server registers its items late.";
    LISTING_DYNAMIC: "listing-dynamic", Notice, Some(Notice),
        "The server declares that its list can change while an agent is connected.",
        "Only what is listed at the start of a session is compared.";
    MALFORMED_MEMBER: "malformed-member", Notice, Some(Notice),
        "A member hasn't the type that the specification gives it; it is pinned as it is.",
        "Tell the server's author.";
    REMOTE_REFERENCE: "remote-reference", Notice, Some(Notice),
        "A schema points to another document, whose content isn't pinned and is never fetched.",
        "Ask the server's author to put the schema inline.";
    UNPINNED_CONTENT: "unpinned-content", Notice, Some(Notice),
        "The tool points to a user interface whose content isn't pinned.",
        "Know that only the pointer is compared.";
    NONCONFORMING_NAME: "nonconforming-name", Notice, Some(Notice),
        "The name isn't 1 to 128 letters, digits, `_`, `-` or `.` of ASCII, so that clients rewrite, cut or refuse it.",
        "Ask the server's author for a plain name.";
    HEADER_MISUSE: "header-misuse", Notice, Some(Notice),
        "This `x-mcp-header` breaks the specification's rules, and clients over HTTP have to leave such a tool out.",
        "Tell the server's author; know that your clients may not offer the tool.";
    LONG_INSTRUCTIONS: "long-instructions", Notice, Some(Notice),
        "Some clients cut instructions of this length and others don't, so models are told different things.",
        "Read them to the end, then ask the server's author for less.";
    ODD_TRAFFIC: "odd-traffic", Notice, Some(Notice),
        "The server sent something beside the protocol, which was skipped.",
        "Tell the server's author; some clients fail on it.";
    RESOURCES_UNPINNED: "resources-unpinned", Notice, Some(Notice),
        "The server declares that its resources change by themselves, so none of them is pinned.",
        "If they should be, pin the server with `--pin-resources`.";
    RESOURCE_UPDATED: "resource-updated", Notice, None,
        "The size or date of a resource has changed, as they do with its content.",
        "Nothing needs to be done; what a resource holds isn't pinned.";
    NO_TOOLS: "no-tools", Notice, Some(Notice),
        "The server offers no tools.",
        "Nothing needs to be done if that is meant.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_kebab_case_and_different() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(rule.id.chars().all(|character| character.is_ascii_lowercase() || character == '-'), "{}", rule.id);
            assert!(RULES[..index].iter().all(|other| other.id != rule.id), "{} twice", rule.id);
        }
    }

    #[test]
    fn every_rule_says_why_and_what_to_do() {
        for rule in RULES {
            assert!(rule.why.ends_with('.') && rule.todo.ends_with('.'), "{}", rule.id);
        }
    }
}
