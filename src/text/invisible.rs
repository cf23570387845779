//! The characters that a reviewer can't see, or can't tell from others.

/// Whether a character is spelled as an escape wherever we show or store text. Line feed isn't: it is shown as a line.
///
/// The table is part of version 1 of the lockfile: a character that moves in or out of it changes how committed files
/// must be spelled. It holds the controls but line feed, every code point with the Unicode property
/// Default_Ignorable_Code_Point, blanks that no font draws (Hangul, Braille, Khitan and musical ones), spaces other than U+0020, line and
/// paragraph separators, format controls for interlinear text, shorthand, music and hieroglyphs, private use and
/// non-characters (Unicode 16.0, `DerivedCoreProperties.txt` and `UnicodeData.txt`).
pub fn is_invisible(character: char) -> bool {
    match character {
        '\n' | ' '..='~' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Spaces and separators.
        '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => true,
        // Soft hyphen, joiners, marks and bidirectional controls.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        // Fillers and blanks.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{16fe4}' | '\u{1d159}' => true,
        // Variation selectors, the Mongolian ones too.
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' => true,
        // Interlinear annotation and its unassigned neighbours.
        '\u{fff0}'..='\u{fffb}' => true,
        // Format controls of hieroglyphs, shorthand and music.
        '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Tags and the variation selectors' supplement, with the code points reserved around them.
        '\u{e0000}'..='\u{e0fff}' => true,
        // Private use.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => true,
        other => is_non_character(other),
    }
}

fn is_non_character(character: char) -> bool {
    let code = u32::from(character);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

/// What an invisible character is called, by its Unicode name where it has one that reviewers know.
pub fn name(character: char) -> &'static str {
    match character {
        '\t' => "TAB",
        '\r' => "CARRIAGE RETURN",
        '\u{8}' => "BACKSPACE",
        '\u{1b}' => "ESCAPE",
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => "CONTROL CHARACTER",
        '\u{a0}' => "NO-BREAK SPACE",
        '\u{ad}' => "SOFT HYPHEN",
        '\u{34f}' => "COMBINING GRAPHEME JOINER",
        '\u{61c}' => "ARABIC LETTER MARK",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "HANGUL FILLER",
        '\u{180b}'..='\u{180f}' => "MONGOLIAN VARIATION SELECTOR",
        '\u{200b}' => "ZERO WIDTH SPACE",
        '\u{200c}' => "ZERO WIDTH NON-JOINER",
        '\u{200d}' => "ZERO WIDTH JOINER",
        '\u{200e}' => "LEFT-TO-RIGHT MARK",
        '\u{200f}' => "RIGHT-TO-LEFT MARK",
        '\u{2028}' => "LINE SEPARATOR",
        '\u{2029}' => "PARAGRAPH SEPARATOR",
        '\u{202a}' => "LEFT-TO-RIGHT EMBEDDING",
        '\u{202b}' => "RIGHT-TO-LEFT EMBEDDING",
        '\u{202c}' => "POP DIRECTIONAL FORMATTING",
        '\u{202d}' => "LEFT-TO-RIGHT OVERRIDE",
        '\u{202e}' => "RIGHT-TO-LEFT OVERRIDE",
        '\u{2060}' => "WORD JOINER",
        '\u{2061}'..='\u{2064}' => "INVISIBLE OPERATOR",
        '\u{2066}' => "LEFT-TO-RIGHT ISOLATE",
        '\u{2067}' => "RIGHT-TO-LEFT ISOLATE",
        '\u{2068}' => "FIRST STRONG ISOLATE",
        '\u{2069}' => "POP DIRECTIONAL ISOLATE",
        '\u{2800}' => "BRAILLE PATTERN BLANK",
        '\u{3000}' => "IDEOGRAPHIC SPACE",
        '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => "SPACE",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "VARIATION SELECTOR",
        '\u{feff}' => "ZERO WIDTH NO-BREAK SPACE",
        '\u{fff0}'..='\u{fffb}' => "INTERLINEAR ANNOTATION",
        '\u{e0000}'..='\u{e007f}' => "TAG CHARACTER",
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}' => "PRIVATE USE CHARACTER",
        other if is_non_character(other) => "NON-CHARACTER",
        _ => "INVISIBLE CHARACTER",
    }
}

/// A character as reports spell it out: `\u{200b} ZERO WIDTH SPACE`.
pub fn spelled(character: char) -> String {
    format!("\\u{{{:x}}} {}", u32::from(character), name(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_see_is_not_in_the_table() {
        for character in "\n aZ~é日本語ñЖאب😀—“”…|#`".chars() {
            assert!(!is_invisible(character), "{}", spelled(character));
        }
    }

    #[test]
    fn what_readers_cannot_see_is_in_the_table() {
        for character in "\0\t\r\u{1b}\u{7f}\u{85}\u{9b}\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200d}\u{2028}\u{202e}\
            \u{2066}\u{2800}\u{3000}\u{3164}\u{e000}\u{fdd0}\u{fe0f}\u{feff}\u{fff9}\u{fffe}\u{1d173}\u{1fffe}\u{e0041}\u{e0100}\u{f0000}\u{10ffff}"
            .chars()
        {
            assert!(is_invisible(character), "{:x}", u32::from(character));
        }
    }

    #[test]
    fn characters_are_spelled_with_their_name() {
        assert_eq!(spelled('\u{200b}'), "\\u{200b} ZERO WIDTH SPACE");
        assert_eq!(spelled('\u{e0041}'), "\\u{e0041} TAG CHARACTER");
    }
}
