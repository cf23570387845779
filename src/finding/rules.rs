//! What a rule is. Which there are stands in the [`table`].

use super::Level;

/// What a finding is an instance of.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name in reports and policies, in kebab case.
    pub id: &'static str,
    /// The level when something differs from the lockfile.
    pub change: Level,
    /// The other level that it can have, where a case is known to be worse, or milder.
    pub otherwise: Option<Otherwise>,
    /// The level when there is nothing to compare with; `None` if the rule needs a baseline.
    pub baseline: Option<Level>,
    /// What was found, in a few words that begin in lower case.
    pub means: &'static str,
    /// Why it matters, one sentence.
    pub why: &'static str,
    /// What to do about it.
    pub todo: &'static str,
}

/// A level that a rule has in some cases.
#[derive(Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// The level.
    pub level: Level,
    /// In which cases: words that go on after "where".
    pub when: &'static str,
}

impl Rule {
    /// The levels that a finding of this rule can have, the worst first.
    pub fn levels(&self) -> Vec<Level> {
        let otherwise = self.otherwise.as_ref().map(|otherwise| otherwise.level);
        let mut levels: Vec<Level> = [Some(self.change), otherwise, self.baseline].into_iter().flatten().collect();
        levels.sort_by(|one, other| other.cmp(one));
        levels.dedup();
        levels
    }
}

macro_rules! rules {
    ($($name:ident: $id:literal, $change:ident $(or $otherwise:ident if $when:literal)?, $baseline:expr,
        $means:literal, $why:literal, $todo:literal;)*) => {
        /// The rules by name.
        pub mod rule {
            use crate::finding::Level::{Change, Danger, Notice};
            use crate::finding::Rule;
            $(
                #[doc = $why]
                pub static $name: Rule = Rule {
                    id: $id,
                    change: $change,
                    otherwise: rules!(@otherwise $($otherwise $when)?),
                    baseline: $baseline,
                    means: $means,
                    why: $why,
                    todo: $todo,
                };
            )*
        }

        /// Every rule, in the order in which a report lists findings of one level.
        pub static RULES: &[&$crate::finding::Rule] = &[$(&rule::$name),*];
    };
    (@otherwise) => { None };
    (@otherwise $level:ident $when:literal) => { Some($crate::finding::Otherwise { level: $level, when: $when }) };
}

mod table;

pub use table::{RULES, rule};

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
            let begins_low = rule.means.starts_with(|character: char| !character.is_uppercase());
            assert!(begins_low && !rule.means.ends_with('.'), "{}", rule.id);
            assert!(rule.means.chars().count() <= 80, "{}", rule.id);
        }
    }
}
