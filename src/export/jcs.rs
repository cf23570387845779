//! SHA-256 over RFC 8785 (JSON Canonicalization Scheme), as any library for it computes.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{place_of, shown};
use crate::json::{Value, canonical};

/// The digest in hexadecimal digits.
///
/// # Errors
/// When a number isn't exactly a double's: RFC 8785 takes all numbers for doubles, so that this digest would be the same
/// for other definitions too. The lockfile's own digest tells them apart.
pub(super) fn digest(definition: &Value) -> Result<String, String> {
    if let Some(place) = place_of(definition, &is_beyond_a_double) {
        return Err(format!("RFC 8785 can't represent the number at {} exactly", shown(&place)));
    }
    let mut digits = String::with_capacity(64);
    // Where every number is a double's, our canonical text is that of RFC 8785.
    for byte in Sha256::digest(canonical(definition)) {
        // Writing to a String can't fail.
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(digits)
}

/// Whether this is a number that reading it as a double would change.
fn is_beyond_a_double(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.as_double().as_ref() != Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn of(json: &str) -> Result<String, String> {
        digest(&parse(json).expect("valid JSON"))
    }

    #[test]
    fn the_digest_is_that_of_any_library_for_rfc_8785() {
        for json in [
            r#"{"name":"a"}"#,
            "{\"\u{fb33}\":1,\"\u{1f600}\":[0.1,1e21,-0.0,5e-324,1.7976931348623157e308],\"1\":\"\\u007f\\u2028\\b\"}",
            "[9007199254740992,1e-7,123456789012345680000]",
        ] {
            let value: serde_json::Value = serde_json::from_str(json).expect("valid JSON");
            let oracle = Sha256::digest(serde_json_canonicalizer::to_vec(&value).expect("serializable"));
            let digits: String = oracle.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(of(json), Ok(digits), "{json}");
        }
    }

    #[test]
    fn a_number_that_is_no_double_has_no_digest_and_a_place() {
        for number in ["9007199254740993", "0.1000000000000000055511151231257827", "1e400", "1e-400"] {
            let told = of(&format!(r#"{{"a":[1,{{"b/c":{number}}}]}}"#));
            assert_eq!(told, Err("RFC 8785 can't represent the number at /a/1/b~1c exactly".to_owned()), "{number}");
        }
    }

    #[test]
    fn a_long_place_is_cut() {
        let told = of(&format!(r#"{{"{}":1e400}}"#, "k".repeat(5_000))).expect_err("no double");
        assert!(told.len() < 300 && told.contains("kkk… exactly"), "{told}");
    }
}
