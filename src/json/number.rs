//! Numbers by their exact decimal value.

use super::double::shortest;

/// How large the text of a number may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most characters.
    characters: usize,
    /// The greatest exponent in either direction.
    exponent: i64,
}

impl Limits {
    /// For what others write.
    pub(super) const SENT: Self = Self { characters: 1_000, exponent: 1_000_000 };
    /// For canonical texts: the layout of a number that was sent may add a sign, a point, zeros and an exponent, and each
    /// of its digits may move the point by one.
    pub(super) const STORED: Self = Self { characters: 1_020, exponent: 1_001_000 };
}

/// A number, held as its canonical text: the exact decimal value that was written, in the layout of ECMAScript's
/// `Number::toString` (ECMA-262, 6.1.6.1.20). For every value that a double's own text can express this is the text
/// that RFC 8785 asks for; any other keeps all its digits, so that no two different numbers share a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    canonical: String,
}

/// Why a number's text isn't accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    TooLong,
    ExponentTooLarge,
}

impl Number {
    /// From a text that already has JSON's number grammar (RFC 8259, section 6).
    pub(super) fn from_json(text: &str, limits: Limits) -> Result<Self, NumberError> {
        if text.len() > limits.characters {
            return Err(NumberError::TooLong);
        }
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent, limits.exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: String = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        // Where the decimal point stands, counted from the first significant digit.
        let point = whole.len() as i64 - (all.len() - significant.len()) as i64 + exponent;
        let digits = significant.trim_end_matches('0');
        let mut canonical = String::new();
        if digits.is_empty() {
            canonical.push('0');
        } else {
            if negative {
                canonical.push('-');
            }
            lay_out(digits, point, &mut canonical);
        }
        Ok(Self { canonical })
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// The nearest double; infinite beyond its range. For judging, never for comparing.
    pub fn to_f64(&self) -> f64 {
        self.canonical.parse().unwrap_or(f64::NAN)
    }

    /// The number that a reader which knows only doubles takes this one for, JavaScript's for example; `None` beyond their
    /// range. Equal to this one exactly when RFC 8785 can represent it.
    pub fn as_double(&self) -> Option<Self> {
        let double = Some(self.to_f64()).filter(|double| double.is_finite())?;
        Self::from_json(&shortest(double), Limits::SENT).ok()
    }
}

fn parse_exponent(text: &str, greatest: i64) -> Result<i64, NumberError> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = digits.trim_start_matches('0');
    let size = if digits.is_empty() { Ok(0) } else { digits.parse::<i64>() };
    match size {
        Ok(size) if size <= greatest => Ok(if negative { -size } else { size }),
        _ => Err(NumberError::ExponentTooLarge),
    }
}

/// Writes `0.digits × 10^point` as ECMAScript would.
fn lay_out(digits: &str, point: i64, out: &mut String) {
    let count = digits.len() as i64;
    if count <= point && point <= 21 {
        out.push_str(digits);
        push_zeros(point - count, out);
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        out.push_str(whole);
        out.push('.');
        out.push_str(fraction);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        push_zeros(-point, out);
        out.push_str(digits);
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let exponent = point - 1;
        out.push('e');
        out.push(if exponent < 0 { '-' } else { '+' });
        out.push_str(&exponent.abs().to_string());
    }
}

fn push_zeros(count: i64, out: &mut String) {
    for _ in 0..count {
        out.push('0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(json: &str) -> Result<Number, NumberError> {
        Number::from_json(json, Limits::SENT)
    }

    fn text(json: &str) -> String {
        sent(json).expect("within the limits").as_str().to_owned()
    }

    #[test]
    fn spellings_of_one_value_agree() {
        for spelling in ["1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "100e-2"] {
            assert_eq!(text(spelling), "1", "{spelling}");
        }
        for zero in ["0", "-0", "0.000", "-0.0e5", "0e-7"] {
            assert_eq!(text(zero), "0", "{zero}");
        }
    }

    #[test]
    fn layout_is_that_of_ecmascript() {
        for (json, expected) in [
            ("1000", "1000"),
            ("1e3", "1000"),
            ("100000000000000000000", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-123.4500", "-123.45"),
            ("1.5e300", "1.5e+300"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
        ] {
            assert_eq!(text(json), expected, "{json}");
        }
    }

    #[test]
    fn numbers_beyond_a_double_stay_apart() {
        assert_ne!(text("9007199254740993"), text("9007199254740992"));
        assert_ne!(text("1e998"), text("1e999"));
        assert_ne!(text("0.1"), text("0.1000000000000000055511151231257827"));
        assert_eq!(text("1e999"), "1e+999");
    }

    #[test]
    fn a_number_is_a_double_s_where_rfc_8785_can_write_it() {
        let double = |json| sent(json).expect("within the limits").as_double().map(|double| double.as_str().to_owned());
        for (json, expected) in [
            ("9007199254740993", "9007199254740992"),
            ("-0.1000000000000000055511151231257827", "-0.1"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("333333333.33333329", "333333333.3333333"),
            ("-1e-400", "0"),
            ("295147905179352830000", "295147905179352830000"),
        ] {
            assert_eq!(double(json).as_deref(), Some(expected), "{json}");
        }
        assert_eq!((double("1e309"), double("-1e1000000")), (None, None));
    }

    #[test]
    fn sizes_beyond_the_limits_are_refused() {
        assert_eq!(sent(&"9".repeat(1_001)), Err(NumberError::TooLong));
        assert!(sent(&"9".repeat(1_000)).is_ok());
        assert_eq!(sent("1e1000001"), Err(NumberError::ExponentTooLarge));
        assert_eq!(sent("1e-1000001"), Err(NumberError::ExponentTooLarge));
        assert!(sent("1e0001000000").is_ok());
        assert_eq!(sent("0e99999999999999999999999"), Err(NumberError::ExponentTooLarge));
    }

    #[test]
    fn the_canonical_text_of_every_number_that_may_be_sent_may_be_stored() {
        let nines = |count| "9".repeat(count);
        for json in [
            nines(1_000),
            format!("-{}", nines(999)),
            format!("-0.00000{}", nines(992)),
            format!("0.{}e-1000000", nines(988)),
            format!("-{}e1000000", nines(991)),
            format!("0.{}1e-1000000", "0".repeat(987)),
        ] {
            let number = sent(&json).expect("within the limits");
            assert_eq!(Number::from_json(number.as_str(), Limits::STORED), Ok(number), "{json}");
        }
    }
}
