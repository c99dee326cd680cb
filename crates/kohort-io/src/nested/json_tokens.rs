//! The tokens of JSON, from a stream: no more of it is kept than one token.

use super::position::Position;
use crate::lines::{RECORD_LIMIT, Window};
use crate::source::{Fault, Text};
use crate::{At, Error, Kind};

/// A cursor over a text of JSON.
pub(super) struct Tokens<'a> {
    window: Window<'a>,
    /// Where the cursor is.
    position: Position,
    /// The number of bytes before the cursor.
    pub(super) n_bytes: u64,
    /// A string without its escapes.
    unescaped: Vec<u8>,
    token: Token,
    /// The length of the token in the text.
    length: usize,
}

/// What the last token was.
enum Token {
    Plain,
    Unescaped,
    Bare,
}

/// What a number, `true`, `false` or `null` may be made of.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        Self {
            window: Window::new(text),
            position: Position::start(),
            n_bytes: 0,
            unescaped: Vec::new(),
            token: Token::Bare,
            length: 0,
        }
    }

    pub(super) fn text(&mut self) -> &mut Text<'a> {
        &mut self.window.text
    }

    /// The current line, from 1.
    pub(super) fn line(&self) -> u64 {
        self.position.line
    }

    /// Where the cursor is.
    pub(super) fn at(&self) -> At {
        self.position.at(&self.window.text.name, None)
    }

    /// The error for a fault of syntax at the cursor.
    pub(super) fn invalid(&self, problem: &str) -> Error {
        let (at, character) = (self.at(), self.position.character());
        Kind::Malformed { at, character, format: "JSON", problem: problem.to_owned() }.into()
    }

    /// Reads on; false at the end of the text.
    fn fill(&mut self) -> Result<bool, Error> {
        self.window.fill().map_err(|fault| self.position.not_filled(fault, &self.window))
    }

    /// The next byte that is no space; none at the end of the text.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let mut n = 0;
            let mut next = None;
            for &byte in self.window.bytes() {
                if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                    next = Some(byte);
                    break;
                }
                self.position.over(byte);
                n += 1;
            }
            self.window.drop_first(n);
            self.n_bytes += n as u64;
            if next.is_some() || !self.fill()? {
                return Ok(next);
            }
        }
    }

    /// The next byte that is no space after the one that `peek` found.
    pub(super) fn peek_second(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let rest = self.window.bytes().get(1..).unwrap_or_default();
            let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            if next.is_some() {
                return Ok(next.copied());
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Takes the byte that `peek` found.
    #[inline]
    pub(super) fn take(&mut self) {
        self.drop_first(1);
    }

    #[inline]
    fn drop_first(&mut self, n_bytes: usize) {
        self.position.over_line(&self.window.bytes()[..n_bytes]);
        self.window.drop_first(n_bytes);
        self.n_bytes += n_bytes as u64;
    }

    /// Takes this byte, or fails.
    pub(super) fn expect(&mut self, byte: u8, problem: &str) -> Result<(), Error> {
        if self.peek()? != Some(byte) {
            return Err(self.unexpected(problem));
        }
        self.take();
        Ok(())
    }

    /// The error for something else than what must stand at the cursor.
    pub(super) fn unexpected(&self, problem: &str) -> Error {
        if self.window.bytes().is_empty() {
            return self.invalid("the text ends too early");
        }
        self.invalid(problem)
    }

    /// Finds the string that begins at the cursor: it is the token until `finish`.
    #[inline]
    pub(super) fn string(&mut self) -> Result<(), Error> {
        let mut has_escapes = false;
        let mut at = 1;
        loop {
            let bytes = self.window.bytes();
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    at += 2;
                }
                Some(0..0x20) => {
                    self.drop_first(at);
                    return Err(self.invalid("a control character in a string"));
                }
                Some(_) => at += 1,
                None => {
                    if !self.fill()? {
                        return Err(self.invalid("a string opens here and is never closed"));
                    }
                }
            }
        }
        self.length = at + 1;
        self.check_length()?;
        self.token = if has_escapes { Token::Unescaped } else { Token::Plain };
        if has_escapes { self.unescape() } else { Ok(()) }
    }

    fn check_length(&self) -> Result<(), Error> {
        if self.length <= RECORD_LIMIT {
            return Ok(());
        }
        Err(self.position.not_filled(Fault::TooLong, &self.window))
    }

    /// The token, without quotes and escapes. Its bytes are not known to be UTF-8.
    #[inline]
    pub(super) fn token(&self) -> &[u8] {
        match self.token {
            Token::Plain => &self.window.bytes()[1..self.length - 1],
            Token::Unescaped => &self.unescaped,
            Token::Bare => &self.window.bytes()[..self.length],
        }
    }

    /// Takes the token.
    #[inline]
    pub(super) fn finish(&mut self) {
        self.drop_first(self.length);
    }

    fn unescape(&mut self) -> Result<(), Error> {
        let inner = &self.window.bytes()[1..self.length - 1];
        self.unescaped.clear();
        let mut rest = inner;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
            self.unescaped.extend_from_slice(&rest[..at]);
            let Some((c, length)) = escaped(&rest[at..]) else {
                let before = 1 + inner.len() - rest.len() + at;
                self.drop_first(before);
                return Err(self.invalid("an escape that is none"));
            };
            self.unescaped.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[at + length..];
        }
        self.unescaped.extend_from_slice(rest);
        Ok(())
    }

    /// Finds the number, `true`, `false` or `null` at the cursor: it is the token until `finish`.
    #[inline]
    pub(super) fn bare(&mut self) -> Result<(), Error> {
        let mut n = 0;
        loop {
            let bytes = self.window.bytes();
            n += bytes[n..].iter().take_while(|&&byte| is_bare(byte)).count();
            if n < bytes.len() || !self.fill()? {
                break;
            }
        }
        (self.token, self.length) = (Token::Bare, n);
        self.check_length()?;
        if n == 0 {
            return Err(self.unexpected("expected a value here"));
        }
        if !is_literal(&self.window.bytes()[..n]) {
            return Err(self.invalid("neither a number nor true, false or null"));
        }
        Ok(())
    }
}

/// The character that an escape stands for, and the length of the escape.
fn escaped(text: &[u8]) -> Option<(char, usize)> {
    Some(match *text.get(1)? {
        b'u' => {
            let first = hexadecimal(text.get(2..6)?)?;
            if let Some(c) = char::from_u32(first) {
                return Some((c, 6));
            }
            // Two halves make a character beyond the first 65,536.
            let second = hexadecimal(text.get(6..12)?.strip_prefix(b"\\u")?)?;
            let both =
                char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]);
            (both.into_iter().next()?.ok()?, 12)
        }
        b'b' => ('\u{8}', 2),
        b'f' => ('\u{c}', 2),
        b'n' => ('\n', 2),
        b'r' => ('\r', 2),
        b't' => ('\t', 2),
        byte @ (b'"' | b'\\' | b'/') => (char::from(byte), 2),
        _ => return None,
    })
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let digit = |&byte: &u8| char::from(byte).to_digit(16);
    digits.iter().try_fold(0, |number, byte| Some(number * 16 + digit(byte)?))
}

/// What is wrong with a number that no double holds.
pub(crate) const TOO_LARGE: &str = "a number too large for a double, which programs read in different ways: \
                                    write it in quotes";

/// Whether a number is too large for a double: some readers take it for infinite, some for the largest double,
/// and some refuse it.
pub(crate) fn is_too_large(number: &str) -> bool {
    // No number of fewer digits is, unless it has an exponent.
    let may_be = number.len() > 300 || number.contains(['e', 'E']);
    may_be && number.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Whether JSON writes this without quotes, and other than null.
pub(super) fn is_literal(text: &[u8]) -> bool {
    matches!(text, b"true" | b"false" | b"null") || is_number(text)
}

fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let n_whole = digits(rest);
    if n_whole == 0 || n_whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[n_whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent =
            exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let n = digits(exponent);
        if n == 0 {
            return false;
        }
        rest = &exponent[n..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_grammar() {
        for text in ["0", "-0", "10", "1.50", "1e5", "1E+5", "-1.5e-10", "0.0", "true", "null"] {
            assert!(is_literal(text.as_bytes()), "{text}");
        }
        for text in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "NaN", "0x1", "1.5.5", "True"] {
            assert!(!is_literal(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn halves_of_characters_stand_in_pairs() {
        assert_eq!(escaped(b"\\ud83d\\ude00x"), Some(('\u{1f600}', 12)));
        assert_eq!(escaped(b"\\u00e9"), Some(('\u{e9}', 6)));
        assert_eq!(escaped(b"\\ud83dx"), None);
        assert_eq!(escaped(b"\\ude00\\ud83d"), None);
        assert_eq!(escaped(b"\\u00g0"), None);
        assert_eq!(escaped(b"\\x"), None);
    }
}
