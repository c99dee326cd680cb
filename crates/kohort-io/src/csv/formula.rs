//! Cells that a spreadsheet would run: written behind an apostrophe, and read without it.
//!
//! # Rule
//! A formula begins with `=`, `+`, `-` or `@`. A text that begins with one of these, after any number
//! of apostrophes, is written with one apostrophe more; a cell of one or more apostrophes before one
//! of these is read with one less. Numbers such as `-5` are harmless and stand as they are. What is
//! written is thus read back unchanged.

use crate::notes::is_number;

/// Whether a text is written with one apostrophe more.
pub(crate) fn needs_escape(text: &str) -> bool {
    begins_formula(text.as_bytes()) && !is_number(text)
}

/// Whether a cell is read with one apostrophe less.
#[inline]
pub(super) fn is_escaped(cell: &[u8]) -> bool {
    cell.first() == Some(&b'\'') && begins_formula(cell)
}

fn begins_formula(cell: &[u8]) -> bool {
    let first = cell.iter().find(|&&byte| byte != b'\'');
    first.is_some_and(|byte| b"=+-@".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_escaped_and_numbers_are_not() {
        for text in ["=1", "+49 30", "-", "--5", "-5-5", "-1e999", "@SUM(A1)", "'=1", "''-5", "=\n"]
        {
            assert!(needs_escape(text), "{text}");
        }
        for text in ["", "'", "''", "-5", "+5", "-1.5e3", "-.5", "5", "a=1", " =1", "'a", "[-5, 5]"]
        {
            assert!(!needs_escape(text), "{text}");
        }
    }

    #[test]
    fn only_an_apostrophe_before_a_formula_is_taken_away() {
        for cell in ["'=1", "''=1", "'-5", "'+", "'@"] {
            assert!(is_escaped(cell.as_bytes()), "{cell}");
        }
        for cell in ["", "'", "''", "'a", "=1", "'s-Hertogenbosch", " '=1"] {
            assert!(!is_escaped(cell.as_bytes()), "{cell}");
        }
    }
}
