//! The records of a CSV text one after the other, each with its line and its raw bytes.

use csv_core::ReadRecordResult;
use kohort_core::{BadText, Place};

use crate::builder::bad_text;
use crate::lines::{RECORD_LIMIT, RECORD_LIMIT_MIB, Window, count_line_ends};
use crate::source::Fault;
use crate::{At, Error, Kind};

use super::cache::{Cached, SLACK};
use super::dialect::{Dialect, scan};
use super::doubt::Doubts;
use super::formula::is_escaped;

/// A reader that stands on one record.
pub(super) struct Records<'a> {
    pub(super) names: Vec<String>,
    window: Window<'a>,
    dialect: Dialect,
    doubts: Doubts,
    parser: csv_core::Reader,
    // The window begins with the current record, of which `n_raw` bytes are parsed.
    n_raw: usize,
    output: Vec<u8>,
    n_output: usize,
    ends: Vec<usize>,
    n_ends: usize,
    // Where the record begins; line ends before it have been dropped from the window.
    line: u64,
    next_line: u64,
    after_return: bool,
}

impl<'a> Records<'a> {
    /// The records of a text of which the next line is `line`.
    pub(super) fn new(window: Window<'a>, dialect: Dialect, doubts: Doubts, line: u64) -> Self {
        let output = vec![0; window.capacity() + SLACK];
        Self {
            names: Vec::new(),
            window,
            dialect,
            doubts,
            parser: dialect.parser(),
            n_raw: 0,
            output,
            n_output: 0,
            ends: vec![0; 64],
            n_ends: 0,
            line,
            next_line: line,
            after_return: false,
        }
    }

    /// Goes to the next record; false at the end of the text.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        self.window.drop_first(self.n_raw);
        (self.n_raw, self.n_output, self.n_ends) = (0, 0, 0);
        self.line = self.next_line;
        loop {
            if self.n_raw == self.window.bytes().len() {
                self.fill()?;
            }
            let (result, n_read, n_written, n_ended) = self.parser.read_record(
                &self.window.bytes()[self.n_raw..],
                &mut self.output[self.n_output..],
                &mut self.ends[self.n_ends..],
            );
            self.n_raw += n_read;
            self.n_output += n_written;
            self.n_ends += n_ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.output.resize(self.output.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    self.finish()?;
                    return Ok(true);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Drops the line ends before the record: blank lines, and the LF of the CRLF that the parser
    /// left when it ended the record before on its CR.
    fn drop_line_ends(&mut self) {
        let parsed = self.raw();
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let n = parsed.iter().take_while(is_end).count();
        if n == 0 {
            return;
        }
        let both = self.after_return && parsed[0] == b'\n';
        let lines = count_line_ends(&parsed[..n]) - u64::from(both);
        self.after_return = parsed[n - 1] == b'\r';
        self.line += lines;
        self.window.drop_first(n);
        self.n_raw -= n;
    }

    #[inline]
    fn finish(&mut self) -> Result<(), Error> {
        self.drop_line_ends();
        self.doubts.see(&self.window.bytes()[..self.n_raw], self.n_ends);
        // Without quotes the raw record is its fields, the separators between and one line end. At
        // the end of the text a quote that is never closed can stand for that line end.
        if self.n_raw == self.n_output + self.n_ends && !self.is_last() {
            self.next_line = self.line + 1;
            self.after_return = self.raw().last() == Some(&b'\r');
            if self.n_raw > RECORD_LIMIT { Err(self.too_long()) } else { Ok(()) }
        } else {
            self.finish_carefully()
        }
    }

    /// What is parsed of the record, as it stands in the text.
    #[inline]
    fn raw(&self) -> &[u8] {
        &self.window.bytes()[..self.n_raw]
    }

    fn is_last(&self) -> bool {
        self.window.ended() && self.n_raw == self.window.bytes().len()
    }

    #[inline(never)]
    fn finish_carefully(&mut self) -> Result<(), Error> {
        self.next_line = self.line + count_line_ends(self.raw());
        self.after_return = self.raw().last() == Some(&b'\r');
        if self.n_raw > RECORD_LIMIT {
            return Err(self.too_long());
        }
        if self.is_last()
            && let Some((lines, column)) = scan(self.raw(), self.dialect, &mut |_| {}).open
        {
            return Err(
                Kind::OpenQuote { at: self.at_line(self.line + lines, Some(column)) }.into()
            );
        }
        Ok(())
    }

    #[cold]
    fn fill(&mut self) -> Result<(), Error> {
        if self.n_ends == 0 && self.n_output == 0 {
            self.drop_line_ends();
        }
        let filled = self.window.fill();
        if self.output.len() < self.window.capacity() + SLACK {
            self.output.resize(self.window.capacity() + SLACK, 0);
        }
        match filled {
            Ok(_) => Ok(()),
            Err(Fault::Error(error)) => Err(error),
            Err(Fault::TooLong) => Err(self.too_long()),
            Err(Fault::Malformed) => {
                let line = self.line + count_line_ends(self.raw());
                let at = self.at_line(line, Some(self.n_ends));
                Err(Kind::BadByte { at, encoding: self.window.text.encoding }.into())
            }
        }
    }

    fn too_long(&self) -> Error {
        let open = scan(self.raw(), self.dialect, &mut |_| {}).open;
        let at = match open {
            Some((lines, column)) => self.at_line(self.line + lines, Some(column)),
            None => self.at(None),
        };
        Kind::LongRecord { at, limit_mib: RECORD_LIMIT_MIB }.into()
    }

    /// The fields of the record.
    pub(super) fn cells(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.n_ends].iter().map(move |&end| {
            let cell = &self.output[self.text_start(start, end)..end];
            start = end;
            cell
        })
    }

    /// Where the text of the field `start..end` begins: after the apostrophe that keeps it from being
    /// a formula.
    #[inline]
    fn text_start(&self, start: usize, end: usize) -> usize {
        start + usize::from(is_escaped(&self.output[start..end]))
    }

    /// The number of fields of the record.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.n_ends
    }

    /// The first field with a value among those after the first `n`.
    pub(super) fn value_after(&self, n: usize) -> Option<usize> {
        let cells = self.cells().enumerate().skip(n);
        cells.filter(|(_, cell)| !cell.trim_ascii().is_empty()).map(|(column, _)| column).next()
    }

    /// Adds each field to its column; fields after the last column are left out.
    #[inline]
    pub(super) fn push(&self, columns: &mut [Cached]) -> Result<(), Error> {
        let mut start = 0;
        for (column, (cached, &end)) in columns.iter_mut().zip(&self.ends).enumerate() {
            let text_start = self.text_start(start, end);
            if let Err(problem) = cached.push(&self.output, text_start, end, self.line) {
                return Err(self.bad_cell(column, problem));
            }
            start = end;
        }
        Ok(())
    }

    /// The line on which the record begins.
    #[inline]
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The record, or one of its fields, for a message.
    pub(super) fn at(&self, column: Option<usize>) -> At {
        self.at_line(self.line, column)
    }

    fn at_line(&self, line: u64, column: Option<usize>) -> At {
        At {
            name: self.name(),
            place: Place::Line(line),
            column: column.map(|column| column + 1),
            column_name: column.and_then(|column| self.names.get(column).cloned()),
        }
    }

    /// The error for a field that is not a text: a quoted one may have it lines further down.
    #[cold]
    pub(super) fn bad_cell(&self, column: usize, problem: BadText) -> Error {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        let start = self.text_start(start, self.ends[column]);
        let offset = match problem {
            BadText::NotUtf8(offset) | BadText::Nul(offset) => offset,
            BadText::TooMany => 0,
        };
        let lines = count_line_ends(&self.output[..start + offset]);
        let at = self.at_line(self.line + lines, Some(column));
        bad_text(problem, at, self.window.text.encoding)
    }

    /// Refuses the text, of which all `n_records` were read, if another dialect reads another table.
    pub(super) fn settle(self, n_records: u64, width: usize) -> Result<(), Error> {
        let name = self.name();
        self.doubts.settle(name, n_records, width)
    }

    /// The file's name.
    pub(super) fn name(&self) -> String {
        self.window.text.name.clone()
    }
}
