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
}
