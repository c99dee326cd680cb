//! A moving window over a text that keeps the whole of the current record, up to a limit.

use kohort_core::Place;

use crate::source::{Fault, Text};
use crate::{At, Error, Kind};

/// The longest record: beyond it a quote is probably not closed.
pub(crate) const RECORD_LIMIT: usize = 4 << 20;
pub(crate) const RECORD_LIMIT_MIB: usize = RECORD_LIMIT >> 20;
const BUFFER: usize = 128 << 10;
const ROOM: usize = 16 << 10;

/// The bytes from the start of the current record on.
pub(crate) struct Window<'a> {
    pub(crate) text: Text<'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
}

impl<'a> Window<'a> {
    pub(crate) fn new(text: Text<'a>) -> Self {
        Self { text, buffer: vec![0; BUFFER], start: 0, end: 0, ended: false }
    }

    /// What has been read and not dropped.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether `bytes` goes on to the end of the text.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// The number of bytes the window can hold as it is.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.len()
    }

    /// Drops the first `n` bytes.
    #[inline]
    pub(crate) fn drop_first(&mut self, n: usize) {
        self.start += n;
    }

    /// Appends more bytes; false at the end of the text.
    pub(crate) fn fill(&mut self) -> Result<bool, Fault> {
        if self.ended {
            return Ok(false);
        }
        if self.end - self.start > RECORD_LIMIT {
            return Err(Fault::TooLong);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() - self.end < ROOM {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let n = self.text.read(&mut self.buffer[self.end..])?;
        self.end += n;
        self.ended = n == 0;
        Ok(n > 0)
    }

    /// Fills the window with at least `n` bytes, or up to the end or the first malformed byte.
    pub(crate) fn peek(&mut self, n: usize) -> Result<(), Error> {
        while self.bytes().len() < n {
            match self.fill() {
                Ok(true) => {}
                Ok(false) | Err(Fault::Malformed | Fault::TooLong) => return Ok(()),
                Err(Fault::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Drops the first `n` lines, which must not be all.
    pub(crate) fn skip_lines(&mut self, n: u64) -> Result<(), Error> {
        for line in 1..=n {
            let fault = match self.skip_line() {
                Ok(true) => continue,
                Ok(false) => {
                    let (found, expected) = (n.to_string(), "less than the number of lines");
                    Error::new(Kind::Parameter { name: "skip-lines", found, expected })
                }
                Err(Fault::Error(error)) => error,
                Err(Fault::Malformed | Fault::TooLong) => {
                    let (name, place) = (self.text.name.clone(), Place::Line(line));
                    let at = At { name, place, column: None, column_name: None };
                    Error::new(Kind::BadByte { at, encoding: self.text.encoding })
                }
            };
            return Err(fault);
        }
        Ok(())
    }

    /// Drops one line, however long; false if none follows.
    fn skip_line(&mut self) -> Result<bool, Fault> {
        loop {
            let bytes = self.bytes();
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let is_return = end.is_some_and(|end| bytes[end] == b'\r');
            self.drop_first(end.map_or(bytes.len(), |end| end + 1));
            let more = !self.bytes().is_empty() || self.fill()?;
            if end.is_some() || !more {
                if is_return && self.bytes().first() == Some(&b'\n') {
                    self.drop_first(1);
                    return Ok(!self.bytes().is_empty() || self.fill()?);
                }
                return Ok(more);
            }
        }
    }
}

/// The number of line ends: LF, CRLF or a lone CR.
pub(crate) fn count_line_ends(bytes: &[u8]) -> u64 {
    let mut after_return = false;
    let mut n = 0;
    for &byte in bytes {
        n += u64::from(byte == b'\r' || byte == b'\n' && !after_return);
        after_return = byte == b'\r';
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_every_kind_count_once() {
        assert_eq!(count_line_ends(b"a\nb\r\nc\rd\n\n\r\r\n"), 7);
    }
}
