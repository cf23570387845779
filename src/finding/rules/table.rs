//! The table of rules. An identifier, once released, keeps its meaning.

rules! {
    LAUNCH_CHANGED: "launch-changed", Danger, None,
        "what the configuration starts or contacts isn't what was approved",
        "The configuration would start or contact something else than what was approved.",
        "Read the change of the configuration; nothing was started. If it is meant, pin the server again.";
    SERVER_UNPINNED: "server-unpinned", Danger, None,
        "a configured server isn't in the lockfile",
        "The configuration names a server that nobody has approved.",
        "Review what it says, then pin it, or take it out of the configuration.";
    SERVER_REMOVED: "server-removed", Change, None,
        "a pinned server isn't configured any more",
        "The lockfile holds a server that no configuration names any more.",
        "Drop it with `mcp-pin pin --prune`, or put it back into the configuration.";
    READING_CHANGED: "reading-changed", Change, None,
        "a server is pinned in another way",
        "The server is pinned in another way than before: as another client, in another revision of the protocol, with other variables, or without its resources.",
        "Make sure that the pin still tells what your agents are told.";
    REQUIRED_SERVER: "required-server", Danger, None,
        "the policy requires a server that isn't there",
        "The policy requires this server, and it isn't configured or is disabled.",
        "Put it back into the configuration, or take `required` out of the policy.";
    SERVER_DISABLED: "server-disabled", Change, None,
        "a pinned server was disabled since the revision that is compared with",
        "What was approved of the server isn't checked any more once it is disabled, and some clients start it all the same.",
        "Make sure that it is meant; a server that is gone for good is taken out of the configuration and the lockfile.";
    POLICY_LOOSENED: "policy-loosened", Danger, None,
        "the policy lets more pass than that of the revision that is compared with",
        "Once this policy is merged, differences pass that fail today.",
        "Read the entry and its reason; it counts only after somebody has approved it.";
    AMBIGUOUS_ANSWER: "ambiguous-answer", Danger, Some(Danger),
        "one request was answered twice, with different bytes",
        "The server answered one request twice with different bytes, so that two clients can believe two things.",
        "Treat the server as hostile or broken until its author explains it.";
    UNSTABLE_LISTING: "unstable-listing", Danger, Some(Danger),
        "two readings of one server differ",
        "Two readings of the same server differ, so what was reviewed is not what an agent will be told.",
        "Find out what the listing depends on; a listing that changes by itself can't be pinned.";
    CLIENT_DIFFERS: "client-differs", Danger or Notice if "the other client is told less", None,
        "another client is told something else than the pinned one",
        "The server tells another client something else than the client that it is pinned with.",
        "Pin it with the client that your agent is (`--client`), and ask its author about the difference.";
    DUPLICATE_NAME: "duplicate-name", Danger, Some(Danger),
        "two items of one kind have one name",
        "Two items share one name, and each client keeps another of the two.",
        "Ask the server's author to rename one; such a server can't be pinned.";
    NAME_COLLISION: "name-collision", Danger or Notice if "only another server, or the case of letters, is concerned", Some(Danger),
        "clients can take a tool's name for another's",
        "Clients clean and cut names until two tools have the same one, and then a call or an approval of one can reach the other.",
        "Make sure which of them your clients call, or have one renamed.";
    IDENTITY_CHANGED: "identity-changed", Danger, None,
        "the server's account of itself differs, beside its release",
        "The server calls itself something else than when it was approved.",
        "Make sure that it is still the same server.";
    HIDDEN_CHARACTERS: "hidden-characters", Danger, Some(Danger),
        "a text or a key holds characters that nobody sees",
        "The text holds characters that a reviewer can't see and a model reads.",
        "Ask why they are there; nothing honest needs most of them.";
    READ_ONLY_HINT_CHANGED: "read-only-hint-changed", Change or Danger if "a hint is weaker than what was approved", None,
        "a tool's readOnlyHint differs",
        "The hint tells clients whether the tool only reads, and so how often they ask before they call it.",
        "Make sure that what the hint says now is true of the tool.";
    DESTRUCTIVE_HINT_CHANGED: "destructive-hint-changed", Change or Danger if "a hint is weaker than what was approved", None,
        "a tool's destructiveHint differs",
        "The hint tells clients whether the tool may destroy something, and so how often they ask before they call it.",
        "Make sure that what the hint says now is true of the tool.";
    OPEN_WORLD_HINT_CHANGED: "open-world-hint-changed", Change or Danger if "a hint is weaker than what was approved", None,
        "a tool's openWorldHint differs",
        "The hint tells clients whether the tool reaches outside, and so how far they trust it.",
        "Make sure that what the hint says now is true of the tool.";
    IDEMPOTENT_HINT_CHANGED: "idempotent-hint-changed", Change, None,
        "a tool's idempotentHint differs",
        "The hint tells clients whether repeating a call does harm, and so how freely they repeat it.",
        "Make sure that what the hint says now is true of the tool.";
    TOOL_ADDED: "tool-added", Danger, None,
        "a tool is there that wasn't approved",
        "The agent can do something that nobody has approved.",
        "Review the new tool's definition.";
    TEMPLATE_ADDED: "template-added", Danger, None,
        "a template of resources is there that wasn't approved",
        "The agent can read a family of resources that nobody has approved.",
        "Review the new template's definition.";
    INTERFACE_ADDED: "interface-added", Danger, None,
        "a tool names a user interface that wasn't approved",
        "A tool brings a user interface that nobody has approved, which the client shows and runs.",
        "Review its content security policy, and look at its body where it can do no harm before you approve it.";
    INTERFACE_CHANGED: "interface-changed", Danger, None,
        "a user interface differs: body, policy or permissions",
        "The user interface of a tool has changed behind its address: its body, what it may load, or its permissions.",
        "Review its content security policy, and look at the new body where it can do no harm before you approve it.";
    PARAMETER_ADDED: "parameter-added", Danger, None,
        "a tool takes a parameter that it didn't",
        "A new parameter can carry data out that the approved tool never asked for.",
        "Ask what the parameter is for and what a model would put into it.";
    PARAMETER_LOOSENED: "parameter-loosened", Danger, None,
        "a tool takes values that it didn't: a limit was widened or dropped",
        "The tool accepts more than what was approved.",
        "Ask why the limit was taken away.";
    META_CHANGED: "meta-changed", Danger, None,
        "an item's _meta differs",
        "Clients act on `_meta`: it can name a user interface or carry text to the model.",
        "Read what was added or changed.";
    INSTRUCTIONS_CHANGED: "instructions-changed", Danger, None,
        "the server's instructions differ",
        "Instructions go to the model as they are.",
        "Read the new text as if it were code that your agent runs.";
    DESCRIPTION_CHANGED: "description-changed", Danger, None,
        "an item's description differs",
        "The description tells the model when and how to use it, and can tell it anything else.",
        "Read the new text as if it were code that your agent runs.";
    SCHEMA_TEXT_CHANGED: "schema-text-changed", Danger, None,
        "a text inside a schema differs",
        "Text inside a schema goes to the model like any description.",
        "Read the new text as if it were code that your agent runs.";
    DEFAULT_CHANGED: "default-changed", Change or Danger if "a model reads the new value as text", None,
        "the value of a parameter that isn't given differs",
        "A default is what a call does where it says nothing, and a model reads it.",
        "Make sure that calls which leave the parameter out still do what was approved.";
    ADDITIONAL_PROPERTIES_CHANGED: "additional-properties-changed", Change or Danger if "a tool takes members that it refused", None,
        "whether undeclared members are accepted differs",
        "A schema that is open to members which it doesn't declare can carry anything; one that is closed refuses calls that were fine.",
        "Where it was opened, ask what the server does with what it didn't declare; where it was closed, make sure that existing calls still work.";
    SCHEMA_REFERENCE_CHANGED: "schema-reference-changed", Change or Danger if "it points out of the schema", None,
        "a schema points elsewhere",
        "What a schema points to is a part of it, and what lies outside isn't pinned.",
        "Read what it points to now.";
    PROMPT_ADDED: "prompt-added", Change, None,
        "a prompt is there that wasn't approved",
        "The server offers a prompt that nobody has approved, which a user may send to the model.",
        "Review the new prompt's definition.";
    RESOURCE_ADDED: "resource-added", Change, None,
        "a resource is there that wasn't approved",
        "The server offers content that nobody has approved, which a client may give to the model.",
        "Review the new resource's definition; its content isn't pinned.";
    ICONS_CHANGED: "icons-changed", Change, None,
        "an item's icons differ",
        "Icons are how a person recognises a tool, and their addresses are fetched by clients.",
        "Look at the new addresses.";
    EXECUTION_CHANGED: "execution-changed", Change, None,
        "a tool's execution differs",
        "How a client runs the tool has changed.",
        "Read the new member.";
    UNKNOWN_MEMBER_CHANGED: "unknown-member-changed", Change, None,
        "a member that no specification names differs",
        "A member that the specification doesn't know may mean something to a client.",
        "Ask the server's author what it does.";
    OUTPUT_SCHEMA_CHANGED: "output-schema-changed", Change, None,
        "a result's schema differs in a way that no other rule names",
        "What the tool says it returns has changed.",
        "Make sure that whoever uses the result expects it.";
    TITLE_CHANGED: "title-changed", Change, None,
        "an item's title differs",
        "The title is the name that a person sees and decides by.",
        "Make sure that it still says what the item is for.";
    ANNOTATION_CHANGED: "annotation-changed", Change or Danger if "all annotations went or came with a hint that is weaker than what was approved", None,
        "an annotation that is no hint differs",
        "Clients may decide by annotations how a tool is treated.",
        "Read the new value.";
    ARGUMENT_CHANGED: "argument-changed", Change, None,
        "an argument of a prompt differs, came or went",
        "What a prompt asks of its user has changed.",
        "Ask what the server does with the argument.";
    CONTENT_TYPE_CHANGED: "content-type-changed", Change, None,
        "a resource's content type differs",
        "Clients treat content by the type that a server gives it.",
        "Make sure that the new type is meant.";
    PARAMETER_REMOVED: "parameter-removed", Change, None,
        "a parameter that was approved is gone",
        "A parameter that was approved is gone.",
        "Make sure that nothing depends on it.";
    PARAMETER_REQUIRED: "parameter-required", Change, None,
        "a parameter must be given that needn't be before",
        "Which parameters must be given has changed.",
        "Ask what a model would put into a parameter that it must now give.";
    PARAMETER_TIGHTENED: "parameter-tightened", Change, None,
        "a tool refuses values that it took",
        "The tool accepts less than what was approved.",
        "Make sure that existing calls still work.";
    OUTPUT_WIDENED: "output-widened", Change, None,
        "a tool may return what it said it wouldn't",
        "Whoever uses the result can meet a field, a type or a value that was never approved, or miss one that was always there.",
        "Make sure that what uses the result, a model among others, should see it.";
    OUTPUT_NARROWED: "output-narrowed", Change, None,
        "a tool returns less, or promises more of it",
        "A field that was approved is gone, or the result is limited where it wasn't.",
        "Make sure that nothing depends on what is gone.";
    SCHEMA_CHANGED: "schema-changed", Change, None,
        "a schema differs in a way that no other rule names",
        "The schema differs in a way that no other rule names.",
        "Read the change.";
    REPEATED_TITLE_CHANGED: "repeated-title-changed", Change, None,
        "a title that only repeats a name came, went or is spelled differently",
        "Generators of schemas write such titles; they say nothing that the name doesn't, but models read them too.",
        "Nothing needs to be done but to pin it, unless the name itself surprises you.";
    SCHEMA_DIALECT_CHANGED: "schema-dialect-changed", Change, None,
        "a schema names another dialect of JSON Schema",
        "The dialect decides what keywords mean, and some clients refuse or drop a tool whose dialect they don't know.",
        "Make sure that your clients know the new dialect; most of the time it is the server's generator that was updated.";
    SCHEMA_SHAPE_CHANGED: "schema-shape-changed", Change, None,
        "a schema says the same in another shape",
        "Generators write one schema in several shapes, but some clients refuse a shape, and a model sees another text.",
        "Glance at both; most of the time it is the server's generator that was updated.";
    TOOL_REMOVED: "tool-removed", Change, None,
        "a tool that was approved is gone",
        "A tool that was approved is gone.",
        "Make sure that nothing depends on it.";
    PROMPT_REMOVED: "prompt-removed", Change, None,
        "a prompt that was approved is gone",
        "A prompt that was approved is gone.",
        "Make sure that nothing depends on it.";
    RESOURCE_REMOVED: "resource-removed", Change, None,
        "a resource that was approved is gone",
        "A resource that was approved is gone.",
        "Make sure that nothing depends on it.";
    TEMPLATE_REMOVED: "template-removed", Change, None,
        "a template of resources that was approved is gone",
        "A template of resources that was approved is gone.",
        "Make sure that nothing depends on it.";
    INTERFACE_REMOVED: "interface-removed", Change, None,
        "a user interface that was approved is gone",
        "No tool points to a user interface any more that was approved.",
        "Make sure that this is meant.";
    ORDER_CHANGED: "order-changed", Notice, None,
        "a set was written in another order",
        "A list whose order means nothing was written in another order.",
        "Nothing needs to be done; pin again to keep the new order.";
    ENUM_ORDER_CHANGED: "enum-order-changed", Notice, None,
        "accepted values are listed in another order",
        "The same values are accepted; the order of an `enum` says nothing about them.",
        "Nothing needs to be done; pin again to keep the new order.";
    RELEASE_CHANGED: "release-changed", Notice, None,
        "the server names another release of itself",
        "The server says that it is another release.",
        "If other things changed too, this is why.";
    PROTOCOL_CHANGED: "protocol-changed", Notice, None,
        "another revision of the protocol was agreed on",
        "The server agreed on another revision of the protocol.",
        "Nothing needs to be done.";
    CAPABILITIES_CHANGED: "capabilities-changed", Notice, None,
        "the server declares other capabilities",
        "The server declares other capabilities.",
        "Nothing needs to be done unless it surprises you.";
    LISTING_GREW: "listing-grew", Notice, Some(Notice),
        "a first listing was incomplete, and a later one agreed",
        "The server's first listing was incomplete; a later one agreed.",
        "Nothing needs to be done; the server registers its items late.";
    LISTING_DYNAMIC: "listing-dynamic", Notice, Some(Notice),
        "the server declares that its tools change by themselves",
        "The server declares that its list can change while an agent is connected.",
        "Only what is listed at the start of a session is compared.";
    MALFORMED_MEMBER: "malformed-member", Notice, Some(Notice),
        "a member hasn't the type that the specification gives it",
        "A member hasn't the type that the specification gives it; it is pinned as it is.",
        "Tell the server's author.";
    REMOTE_REFERENCE: "remote-reference", Notice, Some(Notice),
        "a schema points to another document",
        "A schema points to another document, whose content isn't pinned and is never fetched.",
        "Ask the server's author to put the schema inline.";
    UNPINNED_CONTENT: "unpinned-content", Notice, Some(Notice),
        "a tool names a user interface that isn't pinned",
        "The tool points to a user interface whose content isn't pinned.",
        "Know that only the pointer is compared.";
    NONCONFORMING_NAME: "nonconforming-name", Notice, Some(Notice),
        "a tool's name isn't as the specification asks",
        "The name isn't 1 to 128 letters, digits, `_`, `-` or `.` of ASCII, so that clients rewrite, cut or refuse it.",
        "Ask the server's author for a plain name.";
    HEADER_MISUSE: "header-misuse", Notice, Some(Notice),
        "an x-mcp-header breaks the specification's rules",
        "This `x-mcp-header` breaks the specification's rules, and clients over HTTP have to leave such a tool out.",
        "Tell the server's author; know that your clients may not offer the tool.";
    LONG_INSTRUCTIONS: "long-instructions", Notice, Some(Notice),
        "the instructions are longer than every client tells",
        "Some clients cut instructions of this length and others don't, so models are told different things.",
        "Read them to the end, then ask the server's author for less.";
    ODD_TRAFFIC: "odd-traffic", Notice, Some(Notice),
        "the server sent something beside the protocol",
        "The server sent something beside the protocol, which was skipped.",
        "Tell the server's author; some clients fail on it.";
    RESOURCES_UNPINNED: "resources-unpinned", Notice, Some(Notice),
        "the server's resources change by themselves and aren't pinned",
        "The server declares that its resources change by themselves, so none of them is pinned.",
        "If they should be, pin the server with `--pin-resources`.";
    RESOURCE_UPDATED: "resource-updated", Notice, None,
        "a resource's size or date differs",
        "The size or date of a resource has changed, as they do with its content.",
        "Nothing needs to be done; what a resource holds isn't pinned.";
    NO_TOOLS: "no-tools", Notice, Some(Notice),
        "the server offers no tools",
        "The server offers no tools.",
        "Nothing needs to be done if that is meant.";
}
