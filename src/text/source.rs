//! Where something stands in a text that a person has open.

/// A text and where its lines end, so that no line is counted from the start twice.
pub struct Source<'t> {
    text: &'t str,
    line_feeds: Vec<usize>,
}

impl<'t> Source<'t> {
    /// The text, looked through once.
    pub fn new(text: &'t str) -> Self {
        Self { text, line_feeds: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.line_feeds.partition_point(|&line_feed| line_feed < offset) + 1
    }

    /// The column of a byte in characters, from 1.
    pub fn column(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or(self.text);
        before.chars().rev().take_while(|&character| character != '\n').count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let source = Source::new("äb\n\nc");
        let places = [0, 2, 3, 4, 5, 99].map(|offset| (source.line(offset), source.column(offset)));
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2)]);
    }
}
