//! How far a text has been read, for messages.

use kohort_core::Place;

use crate::lines::{RECORD_LIMIT_MIB, Window};
use crate::source::Fault;
use crate::{At, Error, Kind};

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// The line, from 1.
    pub(super) line: u64,
    /// The number of characters before it on its line.
    n_characters: u64,
    after_return: bool,
}

impl Position {
    pub(super) fn start() -> Self {
        Self { line: 1, n_characters: 0, after_return: false }
    }

    /// The character, from 1.
    pub(super) fn character(self) -> u64 {
        self.n_characters + 1
    }

    /// The place for a message.
    pub(super) fn at(self, name: &str, path: Option<String>) -> At {
        let place = Place::Line(self.line);
        At { name: name.to_owned(), place, column: None, column_name: path }
    }

    /// Goes over a byte; a line ends with LF, CRLF or a lone CR.
    #[inline]
    pub(super) fn over(&mut self, byte: u8) {
        if byte == b'\r' || byte == b'\n' {
            self.line += u64::from(byte == b'\r' || !self.after_return);
            self.n_characters = 0;
            self.after_return = byte == b'\r';
        } else {
            self.n_characters += u64::from(byte & 0xc0 != 0x80);
            self.after_return = false;
        }
    }

    /// Goes over bytes without the end of a line.
    #[inline]
    pub(super) fn over_line(&mut self, bytes: &[u8]) {
        self.n_characters += bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
        self.after_return = false;
    }

    /// The error for a window that could not be filled.
    pub(super) fn not_filled(self, fault: Fault, window: &Window<'_>) -> Error {
        let at = self.at(&window.text.name, None);
        let kind = match fault {
            Fault::Error(error) => return error,
            Fault::TooLong => Kind::LongRecord { at, limit_mib: RECORD_LIMIT_MIB },
            Fault::Malformed => Kind::BadByte { at, encoding: window.text.encoding },
        };
        kind.into()
    }
}
