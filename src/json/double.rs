//! The text of a double as ECMAScript writes it.

/// The fewest digits that lead back to a double, as ECMAScript wants them: of those the closest to it, and of two that are
/// as close the even ones (ECMA-262, 6.1.6.1.20, note 2; RFC 8785 asks for it).
pub(super) fn shortest(double: f64) -> String {
    // Rust takes the greater of two that are as close.
    let upper = format!("{double:e}");
    let even = || {
        let (digits, exponent) = upper.split_once('e')?;
        let last = digits.chars().last()?.to_digit(10).filter(|digit| digit % 2 == 1)?;
        let lower = format!("{}{}", &digits[..digits.len() - 1], last - 1);
        let between = if digits.contains('.') { format!("{lower}5") } else { format!("{lower}.5") };
        let candidate = format!("{lower}e{exponent}");
        (candidate.parse() == Ok(double) && is_exactly(double, &between, exponent)).then_some(candidate)
    };
    even().unwrap_or(upper)
}

/// Whether a double's exact value is `digits` (one before the point) times ten to the `exponent`.
fn is_exactly(double: f64, digits: &str, exponent: &str) -> bool {
    // Nearly always the first digits tell; all of them are at most 767.
    [digits.len() - 2, 767].into_iter().all(|precision| {
        let written = format!("{double:.precision$e}");
        written.split_once('e').is_some_and(|(exact, power)| exact.trim_end_matches('0') == digits && power == exponent)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Value, canonical, parse};

    /// What a library for RFC 8785 writes.
    fn oracle(double: f64) -> String {
        serde_json_canonicalizer::to_string(&double).expect("finite")
    }

    #[track_caller]
    fn agrees(double: f64) {
        let Ok(Value::Number(number)) = parse(&format!("{double:e}")) else { panic!("no number: {double:e}") };
        let written = number.as_double().map(Value::Number).expect("finite");
        assert_eq!(canonical(&written), oracle(double), "{double:e}");
    }

    #[test]
    fn of_two_texts_that_are_as_close_the_even_one_is_written() {
        for (exact, text) in [
            ("1087470425559857.25", "1.0874704255598572e15"),
            ("-1046679330452513.25", "-1.0466793304525132e15"),
            ("11949781134863.5625", "1.1949781134863562e13"),
            ("1087470425559857.75", "1.0874704255598578e15"),
            // Not as close: there are digits after the five.
            ("0.3", "3e-1"),
            ("5e-324", "5e-324"),
            ("9.5", "9.5e0"),
        ] {
            let double: f64 = exact.parse().expect("a number");
            assert_eq!(shortest(double), text);
            agrees(double);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn every_double_is_written_as_rfc_8785_wants_it(bits: u64, whole in 1_u64 << 50..1 << 53, halvings in 0..60_i32) {
            for double in [f64::from_bits(bits), whole as f64 * 0.5_f64.powi(halvings)] {
                if double.is_finite() {
                    agrees(double);
                }
            }
        }
    }
}
