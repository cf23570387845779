//! What a mistyped word was meant to be.

/// The candidate that is most like a word, if any is alike: at most a third of the longer one's characters are wrong.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let length = word.chars().count();
    let alike = candidates.into_iter().filter_map(|candidate| {
        let other = candidate.chars().count();
        let farthest = (length.max(other) / 3).max(1);
        // So many are wrong at least, and words may be foreign and very long.
        if length.abs_diff(other) > farthest {
            return None;
        }
        let distance = strsim::damerau_levenshtein(word, candidate);
        (distance <= farthest).then_some((distance, candidate))
    });
    alike.min().map(|(_, candidate)| candidate)
}

/// The nearest word as the end of a message about a mistyped one; empty if there is none.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean \"{nearest}\"?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_gets_the_nearest() {
        let names = ["crm", "github", "filesystem"];
        assert_eq!(nearest("githup", names), Some("github"));
        assert_eq!(nearest("fielsystem", names), Some("filesystem"));
        assert_eq!(nearest("cm", names), Some("crm"));
        for other in ["postgres", "", "file", &"x".repeat(1_000_000)] {
            assert_eq!(nearest(other, names), None);
        }
    }
}
