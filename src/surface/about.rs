//! What a server says of itself.

use crate::json::{Object, Value};

/// What a server says of itself when a session begins: the answer to `initialize` (2024-11-05 to 2025-11-25) or to
/// `server/discover` (2026-07-28).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The server's own version, where it is a string. It informs; it is no part of what is approved.
    pub release: Option<String>,
    /// Instructions to the model, where they are a string.
    pub instructions: Option<String>,
    /// `serverInfo` without that version, `capabilities`, and instructions that are no string.
    pub members: Object,
}

/// Where 2026-07-28 puts `serverInfo`, in `_meta` of an answer to `server/discover`.
const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";

impl About {
    /// From the `result` of the answer that opened the session.
    pub fn from_answer(result: &Object) -> Self {
        let mut about = Self::default();
        let info = result.get("serverInfo").or_else(|| result.get("_meta")?.get(SERVER_INFO_META));
        if let Some(info) = info {
            let mut info = info.clone();
            if let Value::Object(members) = &mut info
                && let Some(Value::String(version)) = members.get("version").cloned()
            {
                members.remove("version");
                about.release = Some(version);
            }
            about.members.insert("serverInfo", info);
        }
        if let Some(capabilities) = result.get("capabilities") {
            about.members.insert("capabilities", capabilities.clone());
        }
        match result.get("instructions") {
            Some(Value::String(text)) => about.instructions = Some(text.clone()),
            Some(other) => {
                about.members.insert("instructions", other.clone());
            }
            None => {}
        }
        about
    }

    /// All of it as one object, which [`About::from_answer`] takes apart again: the release beside the server's name, and
    /// the instructions where the protocol has them.
    pub fn whole(&self) -> Object {
        let mut whole = self.members.clone();
        if let Some(instructions) = &self.instructions {
            whole.insert("instructions", Value::from(instructions.as_str()));
        }
        if let Some(release) = &self.release {
            let mut info = whole.remove("serverInfo").unwrap_or(Value::Object(Object::new()));
            if let Value::Object(info) = &mut info {
                info.insert("version", Value::from(release.as_str()));
            }
            whole.insert("serverInfo", info);
        }
        whole
    }

    /// Whether the server declares this capability, such as `tools`.
    pub fn declares(&self, capability: &str) -> bool {
        self.capability(&[capability]).is_some()
    }

    /// Whether the server declares that its list of resources changes by itself: it announces changes of the list, or of
    /// single resources to those who subscribe (2025-11-25, Server Features, Resources, Capabilities).
    pub fn resources_change(&self) -> bool {
        ["listChanged", "subscribe"]
            .iter()
            .any(|flag| self.capability(&["resources", flag]) == Some(&Value::Bool(true)))
    }

    fn capability(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self.members.get("capabilities")?, |value, key| value.get(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{canonical, parse};

    fn about(json: &str) -> About {
        About::from_answer(parse(json).expect("valid").as_object().expect("an object"))
    }

    #[test]
    fn the_version_informs_and_the_rest_is_kept() {
        let about = about(
            r#"{"protocolVersion":"2025-11-25","serverInfo":{"name":"crm","version":"1","x":2},"capabilities":{"tools":{}},"instructions":"be kind"}"#,
        );
        assert_eq!(about.release.as_deref(), Some("1"));
        assert_eq!(about.instructions.as_deref(), Some("be kind"));
        assert_eq!(
            canonical(&Value::Object(about.members)),
            r#"{"capabilities":{"tools":{}},"serverInfo":{"name":"crm","x":2}}"#
        );
    }

    #[test]
    fn the_whole_can_be_taken_apart_again() {
        for json in [
            r#"{"serverInfo":{"name":"crm","version":"1"},"capabilities":{},"instructions":"be kind"}"#,
            r#"{"serverInfo":{"version":7},"instructions":null}"#,
            r#"{"serverInfo":"crm"}"#,
            "{}",
        ] {
            let about = about(json);
            assert_eq!(About::from_answer(&about.whole()), about, "{json}");
        }
    }

    #[test]
    fn a_list_of_resources_changes_by_itself_where_the_server_says_so() {
        for (resources, expected) in [
            ("{}", false),
            (r#"{"listChanged":false,"subscribe":"yes"}"#, false),
            (r#"{"listChanged":true}"#, true),
            (r#"{"subscribe":true}"#, true),
        ] {
            let about = about(&format!(r#"{{"capabilities":{{"resources":{resources}}}}}"#));
            assert!(about.declares("resources") && !about.declares("tools"));
            assert_eq!(about.resources_change(), expected, "{resources}");
        }
        assert!(!about("{}").resources_change());
    }

    #[test]
    fn mistyped_members_are_kept_as_they_are() {
        let about = about(r#"{"serverInfo":{"version":7},"instructions":null}"#);
        assert_eq!((about.release, about.instructions), (None, None));
        assert_eq!(canonical(&Value::Object(about.members)), r#"{"instructions":null,"serverInfo":{"version":7}}"#);
    }

    #[test]
    fn the_newest_revision_s_place_of_server_info_is_known() {
        let about = about(r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"crm","version":"2"}}}"#);
        assert_eq!(about.release.as_deref(), Some("2"));
        assert!(about.members.get("serverInfo").is_some());
    }
}
