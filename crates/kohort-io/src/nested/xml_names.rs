//! What XML takes for a name, and for a character.

use std::fmt::Write as _;

/// Whether XML can hold a text; it has no escape for some characters.
pub(super) fn is_text(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r'))
        && (text.is_ascii() || !text.contains(['\u{fffe}', '\u{ffff}']))
}

/// Whether a text is the name of an element or an attribute, with a prefix or without.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(is_start) && text.chars().all(is_part)
}

// XML 1.0, fifth edition, production 4.
fn is_start(c: char) -> bool {
    matches!(c, ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}')
        || matches!(c, '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}')
        || matches!(c, '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}')
        || matches!(c, '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}')
        || matches!(c, '\u{10000}'..='\u{effff}')
}

// Production 4a.
fn is_part(c: char) -> bool {
    is_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// A name for XML: `first name` is `first_x0020_name`.
pub(super) fn name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        if if name.is_empty() { is_start(c) } else { is_part(c) } {
            name.push(c);
        } else {
            write!(name, "_x{:04X}_", u32::from(c)).expect("a string can be written to");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_what_xml_allows() {
        for text in ["a", "x:visit-1", "_a.b", "é"] {
            assert!(is_name(text), "{text}");
            assert_eq!(name(text), text);
        }
        for (text, expected) in
            [("first name", "first_x0020_name"), ("1a", "_x0031_a"), ("a@", "a_x0040_")]
        {
            assert!(!is_name(text), "{text}");
            assert_eq!(name(text), expected);
        }
        assert!(!is_name(""));
    }
}
