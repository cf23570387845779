//! What a JSON text means.

use super::Number;

/// A JSON value; equal values have equal canonical texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, kept exactly.
    Number(Number),
    /// A string of Unicode scalar values, not normalised.
    String(String),
    /// An array; its order matters.
    Array(Vec<Value>),
    /// An object without repeated keys.
    Object(Object),
}

impl Value {
    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of that name, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

/// The members of a JSON object, sorted by the UTF-16 code units of their keys (RFC 8785, section 3.2.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Object {
    members: Vec<(String, Value)>,
}

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// From members in any order, whose keys the caller knows to differ.
    pub(super) fn from_distinct(mut members: Vec<(String, Value)>) -> Self {
        members.sort_by(|(a, _), (b, _)| utf16_order(a, b));
        Self { members }
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(probe, _)| utf16_order(probe, key))
    }

    /// The member of that name.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.find(key).ok().map(|index| &self.members[index].1)
    }

    /// Sets a member and gives back the value that it replaces.
    pub fn insert(&mut self, key: impl Into<String>, value: Value) -> Option<Value> {
        let key = key.into();
        match self.find(&key) {
            Ok(index) => Some(std::mem::replace(&mut self.members[index].1, value)),
            Err(index) => {
                self.members.insert(index, (key, value));
                None
            }
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.find(key).ok().map(|index| self.members.remove(index).1)
    }

    /// Whether there is a member of that name.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// The members in canonical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.members.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The keys in canonical order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(key, _)| key.as_str())
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl FromIterator<(String, Value)> for Object {
    /// Of two members with one key the later stays.
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut object = Object::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        object
    }
}

fn utf16_order(a: &str, b: &str) -> std::cmp::Ordering {
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_sort_by_utf16_units_not_by_code_points() {
        let object: Object =
            ["\u{fb33}", "\u{1f600}", "a"].into_iter().map(|key| (key.to_owned(), Value::Null)).collect();
        assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "\u{1f600}", "\u{fb33}"]);
    }

    #[test]
    fn members_are_found_replaced_and_removed() {
        let mut object = Object::new();
        assert_eq!(object.insert("b", Value::Null), None);
        assert_eq!(object.insert("a", Value::Bool(true)), None);
        assert_eq!(object.insert("b", Value::Bool(false)), Some(Value::Null));
        assert_eq!(object.get("b"), Some(&Value::Bool(false)));
        assert_eq!(object.remove("a"), Some(Value::Bool(true)));
        assert!(!object.contains_key("a"));
        assert_eq!(object.len(), 1);
    }
}
