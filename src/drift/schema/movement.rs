//! Which way a limit moved.

use std::cmp::Ordering;

use super::keyword::is_type;
use crate::json::{Number, Value};

/// What a change of a limit does to the set of accepted values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Move {
    /// Something is accepted that was not.
    Wider,
    /// Less is accepted.
    Narrower,
    /// Something is accepted that was not, and something else isn't any more.
    Aside,
    /// The same is accepted.
    Same,
    /// Nobody can tell.
    Unknown,
}

/// What a schema's own movement is for the whole: within `not` it is the opposite, within `if` nobody can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sense {
    narrower: Move,
    wider: Move,
}

impl Sense {
    /// Narrower is narrower.
    pub(super) const SAME: Self = Self { narrower: Move::Narrower, wider: Move::Wider };
    /// Narrower is wider.
    #[cfg(test)]
    pub(super) const OPPOSITE: Self = Self { narrower: Move::Wider, wider: Move::Narrower };
    /// Nobody can tell.
    pub(super) const UNCLEAR: Self = Self { narrower: Move::Unknown, wider: Move::Unknown };

    /// The sense within a `not`.
    pub(super) fn opposite(self) -> Self {
        Self { narrower: self.wider, wider: self.narrower }
    }

    /// The sense within one of several schemas of which just one may match: what it refuses another one may let in. That
    /// a wider one accepts more is supposed all the same, for it is the rule and the danger.
    pub(super) fn among_exclusive(self) -> Self {
        let wider = if self.wider == Move::Wider { Move::Wider } else { Move::Unknown };
        Self { narrower: Move::Unknown, wider }
    }

    /// The sense of what stands in two places. That one of them accepts more outweighs whatever the other does, or else
    /// a second place would hide it.
    pub(super) fn and(self, other: Self) -> Self {
        let both = |one: Move, other: Move| match (one, other) {
            (Move::Wider, _) | (_, Move::Wider) => Move::Wider,
            (one, other) if one == other => one,
            _ => Move::Unknown,
        };
        Self { narrower: both(self.narrower, other.narrower), wider: both(self.wider, other.wider) }
    }

    /// What a movement here is for the whole.
    pub(super) fn of(self, movement: Move) -> Move {
        match movement {
            Move::Narrower => self.narrower,
            Move::Wider => self.wider,
            Move::Aside if self.narrower == Move::Wider => Move::Wider,
            Move::Aside => self.wider,
            Move::Same | Move::Unknown => movement,
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

/// The movement of `minContains`, which is 1 where it isn't given (2020-12 validation, section 6.4.5).
pub(super) fn least_contained(old: Option<&Value>, new: Option<&Value>) -> Move {
    let number = |side: Option<&Value>| match side {
        None => Some(1.0),
        Some(Value::Number(number)) => Some(number.to_f64()),
        Some(_) => None,
    };
    match (number(old), number(new)) {
        (Some(old), Some(new)) if old < new => Move::Narrower,
        (Some(old), Some(new)) if old > new => Move::Wider,
        (Some(1.0), Some(1.0)) if old.is_none() || new.is_none() => Move::Same,
        _ => Move::Unknown,
    }
}

/// A bound of numbers and the one that excludes its value; or, in draft 4, whether the first one does.
type Bounds<'v> = (Option<&'v Value>, Option<&'v Value>);

/// The movement of two bounds together, under the key of the first of them.
pub(super) fn bounds(key: &str, old: Bounds<'_>, new: Bounds<'_>) -> Move {
    let sign = if key == "minimum" { 1.0 } else { -1.0 };
    let (Some(old), Some(new)) = (strictest(sign, old), strictest(sign, new)) else { return Move::Unknown };
    match old.partial_cmp(&new) {
        Some(Ordering::Less) => Move::Narrower,
        Some(Ordering::Greater) => Move::Wider,
        Some(Ordering::Equal) => Move::Same,
        None => Move::Unknown,
    }
}

/// How far a value must go, and whether it must go beyond; `None` where doubles don't hold that, or it isn't a number.
fn strictest(sign: f64, (inclusive, exclusive): Bounds<'_>) -> Option<(f64, bool)> {
    let unlimited = (f64::NEG_INFINITY, false);
    let number = |side: Option<&Value>| match side {
        None => Some(f64::NEG_INFINITY),
        Some(Value::Number(number)) if number.as_double().as_ref() == Some(number) => Some(sign * number.to_f64()),
        Some(_) => None,
    };
    let limit = number(inclusive)?;
    let first = if inclusive.is_some() { (limit, false) } else { unlimited };
    match exclusive {
        Some(Value::Bool(excludes)) => Some((limit, *excludes && inclusive.is_some())),
        None => Some(first),
        exclusive => {
            let second = (number(exclusive)?, true);
            Some(if first < second { second } else { first })
        }
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
        (Some(Value::Number(old)), Some(Value::Number(new))) => match (divides(new, old), divides(old, new)) {
            (true, false) => Move::Wider,
            (false, true) => Move::Narrower,
            _ => Move::Unknown,
        },
        _ => lower_bound(old, new),
    }
}

/// Whether the second number is a multiple of the first, by their exact decimal values; numbers of very different size
/// aren't looked into.
fn divides(one: &Number, other: &Number) -> bool {
    let (Some((one, places)), Some((other, other_places))) = (decimal(one), decimal(other)) else { return false };
    let most = places.max(other_places);
    let scaled = |digits: u128, places: i32| {
        let zeros = u32::try_from(most.checked_sub(places)?).ok()?;
        digits.checked_mul(10_u128.checked_pow(zeros)?)
    };
    match (scaled(one, places), scaled(other, other_places)) {
        (Some(one), Some(other)) => one > 0 && other > 0 && other % one == 0,
        _ => false,
    }
}

/// The digits of a number that isn't negative, and how many of them stand behind the point.
fn decimal(number: &Number) -> Option<(u128, i32)> {
    let (mantissa, exponent) = number.as_str().split_once('e').unwrap_or((number.as_str(), "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent.parse().ok()?)?;
    Some(([whole, fraction].concat().parse().ok()?, places))
}

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
        (Some(_), Some(_)) => Move::Aside,
        (Some(_), None) => Move::Wider,
        (None, _) => Move::Narrower,
    }
}

/// The movement from one set of types to another. A type that the specification doesn't know accepts nobody knows what.
pub(super) fn types(old: &[&str], new: &[&str]) -> Move {
    let covers = |types: &[&str], word: &str| types.contains(&word) || (word == "integer" && types.contains(&"number"));
    if !old.iter().chain(new).all(|word| is_type(word)) {
        Move::Unknown
    } else {
        let widens = new.iter().any(|word| !covers(old, word));
        let narrows = old.iter().any(|word| !covers(new, word));
        match (widens, narrows) {
            (true, true) => Move::Aside,
            (true, false) => Move::Wider,
            (false, true) => Move::Narrower,
            (false, false) => Move::Same,
        }
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
        assert_eq!(types(&["string"], &["object"]), Move::Aside);
        assert_eq!(types(&["string"], &["string", "string"]), Move::Same);
        assert_eq!(types(&["string"], &["file"]), Move::Unknown);
    }

    #[test]
    fn multiples_and_patterns_move_where_anybody_can_tell() {
        let of = |moves: fn(Option<&Value>, Option<&Value>) -> Move, old: &str, new: &str| {
            moves(value(old).as_ref(), value(new).as_ref())
        };
        assert_eq!([of(limit, "10", "5"), of(limit, "5", "10")], [Move::Wider, Move::Narrower]);
        assert_eq!([of(limit, "2", "3"), of(limit, "0.3", "0.2")], [Move::Unknown, Move::Unknown]);
        assert_eq!([of(limit, "0.1", "0.01"), of(limit, "0.01", "0.1")], [Move::Wider, Move::Narrower]);
        assert_eq!([of(limit, "1", "0.5"), of(limit, "1e-7", "1")], [Move::Wider, Move::Narrower]);
        assert_eq!([of(limit, "1e300", "1"), of(limit, "-2", "-4")], [Move::Unknown, Move::Unknown]);
        assert_eq!([of(limit, "0", "0"), of(limit, "1e300", "1e299")], [Move::Unknown, Move::Wider]);
        assert_eq!([of(pattern, "\"^a$\"", "\".*\""), of(pattern, "", "\"^a$\"")], [Move::Wider, Move::Narrower]);
        assert_eq!(of(pattern, "\"^a$\"", "\"^[ab]$\""), Move::Unknown);
    }

    #[test]
    fn the_opposite_of_narrower_is_wider() {
        assert_eq!(Sense::SAME.opposite(), Sense::OPPOSITE);
        assert_eq!(Sense::OPPOSITE.of(Move::Narrower), Move::Wider);
        assert_eq!([Sense::SAME, Sense::OPPOSITE].map(|sense| sense.of(Move::Aside)), [Move::Wider, Move::Wider]);
        assert_eq!(Sense::UNCLEAR.of(Move::Wider), Move::Unknown);
        let [both, unclear] = [Sense::OPPOSITE, Sense::UNCLEAR].map(|other| Sense::SAME.and(other));
        assert_eq!([both.of(Move::Narrower), both.of(Move::Wider)], [Move::Wider, Move::Wider]);
        assert_eq!([unclear.of(Move::Narrower), unclear.of(Move::Wider)], [Move::Unknown, Move::Wider]);
    }

    #[test]
    fn of_exclusive_schemas_a_narrower_one_may_accept_more() {
        let sense = Sense::SAME.among_exclusive();
        assert_eq!([sense.of(Move::Narrower), sense.of(Move::Wider)], [Move::Unknown, Move::Wider]);
        assert_eq!(Sense::OPPOSITE.among_exclusive(), Sense::UNCLEAR);
    }

    #[test]
    fn one_is_contained_unless_something_says_otherwise() {
        for (old, new, movement) in [
            ("", "0", Move::Wider),
            ("0", "", Move::Narrower),
            ("2", "", Move::Wider),
            ("", "2", Move::Narrower),
            ("", "1", Move::Same),
            ("1", "0", Move::Wider),
            ("", "true", Move::Unknown),
        ] {
            assert_eq!(least_contained(value(old).as_ref(), value(new).as_ref()), movement, "{old} {new}");
        }
    }
}
