//! Which way a limit moved.

use std::cmp::Ordering;

use super::keyword::is_type;
use crate::json::Value;

/// What a change of a limit does to the set of accepted values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Something is accepted that was not.
    Wider,
    /// Less is accepted.
    Narrower,
    /// The same is accepted.
    Same,
    /// Nobody can tell.
    Unknown,
}

/// Whether a schema's own movement is that of the whole: within `not` it is the opposite, within `if` nobody can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// Narrower is narrower.
    Same,
    /// Narrower is wider.
    Opposite,
    /// Nobody can tell.
    Unclear,
}

impl Sense {
    /// The sense within a `not`.
    pub(super) fn opposite(self) -> Self {
        match self {
            Sense::Same => Sense::Opposite,
            Sense::Opposite => Sense::Same,
            Sense::Unclear => Sense::Unclear,
        }
    }

    /// What a movement here is for the whole.
    pub(super) fn of(self, movement: Move) -> Move {
        match (self, movement) {
            (Sense::Same, movement) => movement,
            (Sense::Opposite, Move::Wider) => Move::Narrower,
            (Sense::Opposite, Move::Narrower) => Move::Wider,
            (_, Move::Same) => Move::Same,
            (Sense::Unclear, _) | (_, Move::Unknown) => Move::Unknown,
        }
    }
}

/// The movement of a bound that narrows as it grows, a number or, as in draft 4, a boolean. An absent bound is no limit.
pub(super) fn lower_bound(old: Option<&Value>, new: Option<&Value>) -> Move {
    match compare(old, new) {
        Some(Ordering::Less) => Move::Narrower,
        Some(Ordering::Greater) => Move::Wider,
        // Doubles can't tell all numbers apart.
        Some(Ordering::Equal) if old.is_none() || new.is_none() => Move::Same,
        _ => Move::Unknown,
    }
}

/// The movement of the lower bound under a key, where some have a value that limits nothing.
pub(super) fn smallest(key: &str, old: Option<&Value>, new: Option<&Value>) -> Move {
    let counts = matches!(key, "minLength" | "minItems" | "minProperties");
    let limits = |side: &&Value| !counts || !matches!(side, Value::Number(number) if number.to_f64() == 0.0);
    match (old.filter(limits), new.filter(limits)) {
        (None, None) => Move::Same,
        (old, new) => lower_bound(old, new),
    }
}

/// The movement of a bound that narrows as it shrinks.
pub(super) fn upper_bound(old: Option<&Value>, new: Option<&Value>) -> Move {
    match (old, new) {
        // The boolean of draft 4 narrows as it becomes true, whichever bound it belongs to.
        (Some(Value::Number(_)), Some(Value::Number(_))) => match lower_bound(old, new) {
            Move::Narrower => Move::Wider,
            Move::Wider => Move::Narrower,
            movement => movement,
        },
        _ => lower_bound(old, new),
    }
}

/// How much more the new value limits than the old.
fn compare(old: Option<&Value>, new: Option<&Value>) -> Option<Ordering> {
    let limits = |value: &Value| !matches!(value, Value::Bool(false));
    match (old, new) {
        (None, Some(new)) if limits(new) => Some(Ordering::Less),
        (Some(old), None) if limits(old) => Some(Ordering::Greater),
        (None, Some(_)) | (Some(_), None) => Some(Ordering::Equal),
        (Some(Value::Number(old)), Some(Value::Number(new))) => old.to_f64().partial_cmp(&new.to_f64()),
        (Some(Value::Bool(old)), Some(Value::Bool(new))) => Some(old.cmp(new)),
        _ => None,
    }
}

/// The movement of a limit that narrows by being there. How it moves when it changes, nobody can tell but of numbers
/// whose multiples are accepted.
pub(super) fn limit(old: Option<&Value>, new: Option<&Value>) -> Move {
    match (old, new) {
        (Some(Value::Number(old)), Some(Value::Number(new))) => {
            // Whole numbers only: of others, doubles can't tell what divides what.
            let divides = |one: f64, other: f64| one >= 1.0 && one.fract() == 0.0 && other % one == 0.0;
            let (old, new) = (old.to_f64(), new.to_f64());
            let exact = old.max(new) <= MOST_EXACT;
            match (exact && divides(new, old), exact && divides(old, new)) {
                (true, false) => Move::Wider,
                (false, true) => Move::Narrower,
                _ => Move::Unknown,
            }
        }
        _ => lower_bound(old, new),
    }
}

/// The largest whole number up to which doubles hold every one, 2 to the power of 53.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The movement of `pattern`: one that matches everything is known, of two others nobody can tell.
pub(super) fn pattern(old: Option<&Value>, new: Option<&Value>) -> Move {
    let accepts_all = |side: Option<&Value>| {
        side.is_none_or(|pattern| matches!(pattern.as_str(), Some("" | "^" | "$" | ".*" | "^.*" | ".*$" | "^.*$")))
    };
    match (accepts_all(old), accepts_all(new)) {
        // `.` matches no line feed.
        (true, true) => Move::Unknown,
        (true, false) => Move::Narrower,
        (false, true) => Move::Wider,
        (false, false) => Move::Unknown,
    }
}

/// The movement of `const`: another value was not accepted before.
pub(super) fn constant(old: Option<&Value>, new: Option<&Value>) -> Move {
    match (old, new) {
        (Some(_), _) => Move::Wider,
        (None, _) => Move::Narrower,
    }
}

/// The movement from one set of types to another. A type that the specification doesn't know accepts nobody knows what.
pub(super) fn types(old: &[&str], new: &[&str]) -> Move {
    let covers = |types: &[&str], word: &str| types.contains(&word) || (word == "integer" && types.contains(&"number"));
    if !old.iter().chain(new).all(|word| is_type(word)) {
        Move::Unknown
    } else if new.iter().any(|word| !covers(old, word)) {
        Move::Wider
    } else if old.iter().any(|word| !covers(new, word)) {
        Move::Narrower
    } else {
        Move::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn value(json: &str) -> Option<Value> {
        (!json.is_empty()).then(|| parse(json).expect(json))
    }

    #[test]
    fn bounds_move_by_their_numbers() {
        for (old, new, lower, upper) in [
            ("1", "2", Move::Narrower, Move::Wider),
            ("2", "1", Move::Wider, Move::Narrower),
            ("", "1", Move::Narrower, Move::Narrower),
            ("1", "", Move::Wider, Move::Wider),
            ("false", "true", Move::Narrower, Move::Narrower),
            ("true", "false", Move::Wider, Move::Wider),
            ("", "false", Move::Same, Move::Same),
            ("1", "\"1\"", Move::Unknown, Move::Unknown),
            // Doubles can't tell these two apart, so neither do we.
            ("9007199254740992", "9007199254740993", Move::Unknown, Move::Unknown),
        ] {
            let (old, new) = (value(old), value(new));
            assert_eq!(lower_bound(old.as_ref(), new.as_ref()), lower, "{old:?} {new:?}");
            assert_eq!(upper_bound(old.as_ref(), new.as_ref()), upper, "{old:?} {new:?}");
        }
    }

    #[test]
    fn types_move_as_sets_do() {
        assert_eq!(types(&["string"], &["string", "null"]), Move::Wider);
        assert_eq!(types(&["string", "null"], &["string"]), Move::Narrower);
        assert_eq!(types(&["number"], &["integer"]), Move::Narrower);
        assert_eq!(types(&["integer"], &["number"]), Move::Wider);
        assert_eq!(types(&["string"], &["object"]), Move::Wider);
        assert_eq!(types(&["string"], &["string", "string"]), Move::Same);
        assert_eq!(types(&["string"], &["file"]), Move::Unknown);
    }

    #[test]
    fn multiples_and_patterns_move_where_anybody_can_tell() {
        let of = |moves: fn(Option<&Value>, Option<&Value>) -> Move, old: &str, new: &str| {
            moves(value(old).as_ref(), value(new).as_ref())
        };
        assert_eq!([of(limit, "10", "5"), of(limit, "5", "10")], [Move::Wider, Move::Narrower]);
        assert_eq!([of(limit, "2", "3"), of(limit, "0.2", "0.1")], [Move::Unknown, Move::Unknown]);
        assert_eq!([of(limit, "0", "0"), of(limit, "1e300", "1e299")], [Move::Unknown, Move::Unknown]);
        assert_eq!([of(pattern, "\"^a$\"", "\".*\""), of(pattern, "", "\"^a$\"")], [Move::Wider, Move::Narrower]);
        assert_eq!(of(pattern, "\"^a$\"", "\"^[ab]$\""), Move::Unknown);
    }

    #[test]
    fn the_opposite_of_narrower_is_wider() {
        assert_eq!(Sense::Same.opposite().of(Move::Narrower), Move::Wider);
        assert_eq!(Sense::Unclear.of(Move::Wider), Move::Unknown);
    }
}
