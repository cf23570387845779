//! How many items there are of each kind.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;

use super::{Item, Kind};
use crate::text::count;

/// How many items there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Kind, usize>);

impl Counts {
    /// Counts these items.
    pub fn of(items: &[Item]) -> Self {
        let mut counts = Self::default();
        for item in items {
            *counts.0.entry(item.kind).or_default() += 1;
        }
        counts
    }

    /// How many there are in all.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl FromIterator<(Kind, usize)> for Counts {
    fn from_iter<I: IntoIterator<Item = (Kind, usize)>>(counts: I) -> Self {
        Self(counts.into_iter().collect())
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        let mut sum = Self::default();
        for (kind, count) in counts.flat_map(|counts| counts.0) {
            *sum.0.entry(kind).or_default() += count;
        }
        sum
    }
}

impl fmt::Display for Counts {
    /// Tools are always told, the others where there are any.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |kind| self.0.get(&kind).copied().unwrap_or_default();
        let told = Kind::ALL.into_iter().filter(|&kind| kind == Kind::Tool || of(kind) > 0);
        let words = told.map(|kind| match of(kind) {
            1 => format!("1 {}", kind.noun()),
            number => format!("{} {}s", count(number), kind.noun()),
        });
        formatter.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_always_told_and_the_rest_where_there_is_any() {
        assert_eq!(Counts::default().to_string(), "0 tools");
        assert_eq!(Counts::from_iter([(Kind::Tool, 1234)]).to_string(), "1,234 tools");
        let raw = r#"{"name":"a","uri":"b","uriTemplate":"c"}"#;
        let items = [Kind::Interface, Kind::Tool, Kind::Template, Kind::Template]
            .map(|kind| Item::from_raw(kind, raw).expect(raw));
        let counts = Counts::of(&items);
        assert_eq!(counts.to_string(), "1 tool, 2 templates, 1 user interface");
        assert_eq!(counts.total(), 4);
        assert_eq!(
            [counts.clone(), counts].into_iter().sum::<Counts>().to_string(),
            "2 tools, 4 templates, 2 user interfaces"
        );
    }
}
