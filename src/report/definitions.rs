//! What servers say, for a person who reads it before or after it is approved.
//!
//! All of it is foreign text. A line begins with two blanks and a word or a mark of ours, and what nobody sees is spelled.

use super::json::object;
use super::style::{Values, count, counted, name};
use crate::json::{Object, Value, pretty};
use crate::launch::Protected;
use crate::surface::{Client, Digest, Kind, Surface};
use crate::text;

/// The most items of one server that are shown unless everything is wanted.
const MOST_ITEMS: usize = 50;
/// The most lines of one text, and how many of those are from its end: padding must not push anything out of sight.
const LINES: usize = 16;
const LINES_END: usize = 4;
/// The most characters of one line.
const MOST: usize = 300;

/// What one server says of itself, and its items.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The server's name.
    pub server: String,
    /// Whom it said that to.
    pub client: String,
    /// The protocol version that was agreed on.
    pub protocol: String,
    /// The server's own version.
    pub release: Option<String>,
    /// What it says of itself, but for its version and its instructions.
    pub about: Object,
    /// Its instructions, where they are a string.
    pub instructions: Option<String>,
    /// Its items.
    pub items: Vec<Definition>,
}

/// One item.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The digest of the object as it was sent.
    pub digest: Digest,
    /// All of it.
    pub object: Object,
}

/// A text for a person.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Whole lines.
    pub text: String,
    /// Whether anything was left out of it.
    pub is_cut: bool,
}

impl Definitions {
    /// What a surface holds.
    pub fn of(server: &str, client: &Client, surface: &Surface) -> Self {
        let items = surface.items.iter().map(|item| Definition {
            kind: item.kind,
            name: item.name.clone(),
            digest: item.digest.clone(),
            object: item.object(),
        });
        Self {
            server: server.to_owned(),
            client: client.to_string(),
            protocol: surface.protocol.clone(),
            release: surface.about.release.clone(),
            about: surface.about.members.clone(),
            instructions: surface.about.instructions.clone(),
            items: items.collect(),
        }
    }

    /// The same without any protected value, wherever the server repeats one. Digests stay those of what was sent.
    #[must_use]
    pub fn masked(self, protected: &Protected) -> Self {
        let mask = |text: String| protected.mask(&text);
        let items = self.items.into_iter().map(|item| Definition {
            name: mask(item.name),
            object: masked_object(&item.object, protected),
            ..item
        });
        Self {
            server: self.server,
            client: self.client,
            protocol: mask(self.protocol),
            release: self.release.map(mask),
            about: masked_object(&self.about, protected),
            instructions: self.instructions.map(mask),
            items: items.collect(),
        }
    }

    /// All of it as a person reads it.
    pub fn text(&self, values: Values) -> Text {
        let mut page = Page::new(values);
        page.line(&format!("server {}", name(&self.server)));
        page.short("client", &self.client);
        page.short("protocol", &self.protocol);
        page.short("release", self.release.as_deref().unwrap_or("(none)"));
        if !self.about.is_empty() {
            page.json("about", &Value::Object(self.about.clone()));
        }
        if let Some(instructions) = &self.instructions {
            page.prose("instructions", instructions);
        }
        let most = if values == Values::Full { self.items.len() } else { MOST_ITEMS };
        for item in self.items.iter().take(most) {
            page.line("");
            page.item(item);
        }
        let more = self.items.len().saturating_sub(most);
        if more > 0 {
            page.line("");
            page.cut(&counted(more, "more item"));
        }
        page.text
    }

    /// All of it as programs read it: each item whole, as it was sent.
    pub fn value(&self) -> Value {
        let items = self.items.iter().map(|item| {
            object([
                ("kind", Some(item.kind.as_str().into())),
                ("name", Some(item.name.as_str().into())),
                ("digest", Some(item.digest.as_str().into())),
                ("definition", Some(Value::Object(item.object.clone()))),
            ])
        });
        object([
            ("client", Some(self.client.as_str().into())),
            ("protocol", Some(self.protocol.as_str().into())),
            ("release", self.release.as_deref().map(Value::from)),
            ("about", Some(Value::Object(self.about.clone()))),
            ("instructions", self.instructions.as_deref().map(Value::from)),
            ("items", Some(Value::Array(items.collect()))),
        ])
    }
}

impl Definition {
    /// The item as a person reads it.
    pub fn text(&self, values: Values) -> Text {
        let mut page = Page::new(values);
        page.item(self);
        page.text
    }
}

/// The definition's members by the words that a reader knows them by; the rest stands together.
const SCHEMAS: [(&str, &str); 2] = [("inputSchema", "parameters"), ("outputSchema", "result")];

struct Page {
    values: Values,
    text: Text,
}

impl Page {
    fn new(values: Values) -> Self {
        Self { values, text: Text::default() }
    }

    fn item(&mut self, item: &Definition) {
        self.line(&format!("{} {}", item.kind, name(&item.name)));
        self.short("digest", item.digest.as_str());
        let mut rest = item.object.clone();
        rest.remove(item.kind.identity());
        if let Some(title) = take_string(&mut rest, "title") {
            self.prose("title", &title);
        }
        if let Some(description) = take_string(&mut rest, "description") {
            self.prose("description", &description);
        }
        for (member, label) in SCHEMAS {
            if let Some(schema) = rest.remove(member) {
                self.json(label, &schema);
            }
        }
        if !rest.is_empty() {
            self.json("rest", &Value::Object(rest));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.text.push_str(line);
        self.text.text.push('\n');
    }

    /// A word of a server's beside its label.
    fn short(&mut self, label: &str, value: &str) {
        let value = self.shortened(value);
        self.line(&format!("  {label:<13} {value}"));
    }

    /// A text that a model reads: beside its label if it is one line, else below it with its length.
    fn prose(&mut self, label: &str, value: &str) {
        let characters = counted(value.chars().count(), "character");
        if value.contains('\n') || value.chars().count() > MOST {
            self.line(&format!("  {label:<13} {characters}"));
            self.lines(value);
        } else {
            self.short(label, value);
        }
    }

    fn json(&mut self, label: &str, value: &Value) {
        self.line(&format!("  {label}"));
        self.lines(&pretty(value));
    }

    fn lines(&mut self, text: &str) {
        let lines: Vec<&str> = text.split('\n').collect();
        let more = lines.len().saturating_sub(LINES);
        // Cutting one line saves nothing.
        let cut = if self.values == Values::Full || more < 2 { 0 } else { more };
        let first = if cut > 0 { LINES - LINES_END } else { lines.len() };
        for (index, line) in lines.iter().enumerate() {
            if cut > 0 && index == first {
                self.cut(&counted(cut, "more line"));
            }
            if index < first || index >= first + cut {
                let line = self.shortened(line);
                self.line(&format!("    | {line}"));
            }
        }
    }

    fn shortened(&mut self, line: &str) -> String {
        let shown = text::shorten(line, if self.values == Values::Full { usize::MAX } else { MOST });
        self.text.is_cut |= shown.cut > 0;
        let cut = if shown.cut > 0 { format!("… {} more characters", count(shown.cut)) } else { String::new() };
        text::terminal_line(shown.text) + &cut
    }

    fn cut(&mut self, what: &str) {
        self.text.is_cut = true;
        self.line(&format!("    … {what}, --full shows all"));
    }
}

fn take_string(members: &mut Object, key: &str) -> Option<String> {
    let text = members.get(key)?.as_str()?.to_owned();
    members.remove(key);
    Some(text)
}

fn masked_object(object: &Object, protected: &Protected) -> Object {
    object.iter().map(|(key, member)| (protected.mask(key), masked(member, protected))).collect()
}

fn masked(value: &Value, protected: &Protected) -> Value {
    match value {
        Value::String(text) => Value::String(protected.mask(text)),
        Value::Array(elements) => Value::Array(elements.iter().map(|element| masked(element, protected)).collect()),
        Value::Object(object) => Value::Object(masked_object(object, protected)),
        scalar => scalar.clone(),
    }
}

/// A JSON text without `##`, by which build systems know a command; it stands only within strings.
pub fn without_commands(json: &str) -> String {
    json.replace("##", "#\\u0023")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::surface::{About, Item};

    fn definitions(items: &[&str]) -> Definitions {
        let items = items.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        let about = About { instructions: Some("Be kind.\nTwice.".to_owned()), ..About::default() };
        Definitions::of("crm", &Client::default(), &Surface::new("2025-11-25".to_owned(), about, items))
    }

    #[test]
    fn a_definition_reads_from_its_words_to_its_schemas() {
        let raw = r#"{"name":"t","title":"T","description":"One.\nTwo.","inputSchema":{"type":"object"},"x":1}"#;
        let digest = Digest::of(&parse(raw).expect(raw));
        let expected = format!(
            "tool `t`\n  digest        {digest}\n  title         T\n  description   9 characters\n    | One.\n    | Two.\n  \
             parameters\n    | {{\n    |   \"type\": \"object\"\n    | }}\n  rest\n    | {{\n    |   \"x\": 1\n    | }}\n"
        );
        assert_eq!(definitions(&[raw]).items[0].text(Values::Full).text, expected);
    }

    #[test]
    fn a_server_says_of_itself_before_its_items() {
        let text = definitions(&[]).text(Values::Short).text;
        let expected = "server `crm`\n  client        mcp-pin/1\n  protocol      2025-11-25\n  release       (none)\n  \
                        instructions  15 characters\n    | Be kind.\n    | Twice.\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_left_out_is_counted_and_its_end_is_kept() {
        let lines: Vec<String> = (0..40).map(|number| format!("line {number}")).collect();
        let raw = format!(r#"{{"name":"t","description":"{}"}}"#, lines.join("\\n"));
        let shown = definitions(&[&raw]).items[0].text(Values::Short);
        assert!(
            shown.is_cut && shown.text.contains("| line 11\n    … 24 more lines, --full shows all\n    | line 36\n")
        );
        assert!(!definitions(&[&raw]).items[0].text(Values::Full).is_cut);
        let raw = format!(r#"{{"name":"t","description":"{}"}}"#, "x".repeat(1_000));
        assert!(definitions(&[&raw]).items[0].text(Values::Short).text.contains("… 700 more characters\n"));
    }

    #[test]
    fn no_line_begins_with_a_server_s_text() {
        let raw =
            r#"{"name":"::a\n::b","title":"\n::c","description":"::d\r::e\n  ::f","::g":"\u202e","inputSchema":"::h"}"#;
        let text = definitions(&[raw]).text(Values::Full).text;
        for line in text.lines() {
            assert!(!line.trim_start().starts_with(':') && !line.chars().any(text::is_invisible), "{line:?}");
        }
    }

    #[test]
    fn protected_values_are_masked_in_keys_too() {
        let mut protected = Protected::default();
        protected.add_secret("tok-0123456789");
        let raw = r#"{"name":"tok-0123456789","a":{"tok-0123456789":["tok-0123456789"]}}"#;
        let masked = definitions(&[raw]).masked(&protected);
        assert!(!format!("{masked:?}").contains("tok-"), "{masked:?}");
        assert_eq!(masked.items[0].digest, definitions(&[raw]).items[0].digest);
    }
}
