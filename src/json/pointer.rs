//! Places in a JSON value.

use std::fmt;

/// A JSON Pointer (RFC 6901): the way from a value's root to one of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer {
    segments: Vec<String>,
}

impl Pointer {
    /// The whole value.
    pub fn root() -> Self {
        Self::default()
    }

    /// The part that `segments` lead to.
    pub fn of<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Self {
        Self { segments: segments.into_iter().map(Into::into).collect() }
    }

    /// The place of an RFC 6901 text, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::root());
        }
        let segments = text.strip_prefix('/')?.split('/').map(|segment| {
            let escapes =
                segment.match_indices('~').all(|(at, _)| matches!(segment.as_bytes().get(at + 1), Some(b'0' | b'1')));
            escapes.then(|| segment.replace("~1", "/").replace("~0", "~"))
        });
        Some(Self { segments: segments.collect::<Option<_>>()? })
    }

    /// This place's member or element of that name.
    pub fn join(&self, segment: impl fmt::Display) -> Self {
        let mut segments = self.segments.clone();
        segments.push(segment.to_string());
        Self { segments }
    }

    /// Puts a segment before all others: the place as seen from one level further out.
    pub(super) fn prepend(&mut self, segment: String) {
        self.segments.insert(0, segment);
    }

    /// Leaves the last step out.
    pub(super) fn shorten(&mut self) {
        self.segments.pop();
    }

    /// The steps, unescaped.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Whether this is the whole value.
    pub fn is_root(&self) -> bool {
        self.segments.is_empty()
    }
}

impl fmt::Display for Pointer {
    /// RFC 6901 text: the root is empty. Not safe for a terminal: keys are foreign text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            write!(formatter, "/{}", segment.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_and_tildes_in_keys_are_escaped() {
        assert_eq!(Pointer::root().to_string(), "");
        assert_eq!(Pointer::of(["a/b", "~", "0"]).to_string(), "/a~1b/~0/0");
        assert_eq!(Pointer::of(["a"]).join(3).to_string(), "/a/3");
    }

    #[test]
    fn a_text_is_a_place_where_it_begins_and_escapes_as_one() {
        for text in ["", "/", "/a~1b/~0/0", "/a//b", "/~01"] {
            assert_eq!(Pointer::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(Pointer::parse("/~01").expect("a place").segments(), ["~1"]);
        for text in ["a", "#/a", "/~", "/~2", "/a~"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }
}
