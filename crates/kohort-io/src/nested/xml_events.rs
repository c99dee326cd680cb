//! The events of XML, from a stream: no more of it is kept than one tag or text.

use std::io::{self, BufRead, Read};

use quick_xml::Reader;
use quick_xml::errors::{IllFormedError, SyntaxError};
use quick_xml::events::Event;

use super::position::Position;
use crate::lines::{RECORD_LIMIT, RECORD_LIMIT_MIB, Window};
use crate::source::Text;
use crate::{At, Error, Kind};

/// A text of XML, event by event.
pub(super) struct Events<'a> {
    reader: Reader<Source<'a>>,
    buffer: Vec<u8>,
}

impl<'a> Events<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        let source = Source {
            window: Window::new(text),
            position: Position::start(),
            n_bytes: 0,
            event_begins: 0,
            fault: None,
        };
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new() }
    }

    /// Where the next event begins, and the number of bytes before it.
    pub(super) fn position(&self) -> (Position, u64) {
        let source = self.reader.get_ref();
        (source.position, source.n_bytes)
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Result<Event<'_>, Error> {
        let source = self.reader.get_mut();
        let begins = source.position;
        source.event_begins = source.n_bytes;
        self.buffer.clear();
        match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => Ok(event),
            Err(error) => Err(failed(self.reader.get_mut(), begins, &error)),
        }
    }
}

/// The error for a fault of syntax.
pub(super) fn invalid(at: At, position: Position, problem: &str) -> Error {
    let (character, problem) = (position.character(), problem.to_owned());
    Kind::Malformed { at, character, format: "XML", problem }.into()
}

/// The parser's own words may quote the file.
fn failed(source: &mut Source<'_>, begins: Position, error: &quick_xml::Error) -> Error {
    if let Some(fault) = source.fault.take() {
        return fault;
    }
    let at = begins.at(&source.window.text.name, None);
    let problem = match error {
        quick_xml::Error::Encoding(_) => {
            return Kind::BadByte { at, encoding: source.window.text.encoding }.into();
        }
        quick_xml::Error::Syntax(SyntaxError::UnclosedComment) => "a comment is never closed",
        quick_xml::Error::Syntax(SyntaxError::UnclosedCData) => "a CDATA section is never closed",
        quick_xml::Error::Syntax(_) => "a tag is never closed, or is none",
        quick_xml::Error::IllFormed(IllFormedError::UnclosedReference) => {
            "a `&` that begins no entity"
        }
        quick_xml::Error::IllFormed(_) => "an end tag that does not match its start tag",
        _ => "not well-formed",
    };
    invalid(at, begins, problem)
}

/// What the parser reads from; counts lines as it goes.
struct Source<'a> {
    window: Window<'a>,
    position: Position,
    n_bytes: u64,
    event_begins: u64,
    /// Why there are no more bytes; the parser would only tell that there are none.
    fault: Option<Error>,
}

impl Source<'_> {
    fn fail(&mut self, fault: Error) -> io::Error {
        self.fault = Some(fault);
        io::Error::other("no more bytes")
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.n_bytes - self.event_begins > RECORD_LIMIT as u64 {
            let at = self.position.at(&self.window.text.name, None);
            let fault = Kind::LongRecord { at, limit_mib: RECORD_LIMIT_MIB };
            return Err(self.fail(fault.into()));
        }
        if self.window.bytes().is_empty()
            && let Err(fault) = self.window.fill()
        {
            let fault = self.position.not_filled(fault, &self.window);
            return Err(self.fail(fault));
        }
        Ok(self.window.bytes())
    }

    fn consume(&mut self, n: usize) {
        self.window.bytes()[..n].iter().for_each(|&byte| self.position.over(byte));
        self.window.drop_first(n);
        self.n_bytes += n as u64;
    }
}
