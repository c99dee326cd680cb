//! XML: records under the root element, or at a named element.
//!
//! An element is a row of the branch `parent.name[]`, its attributes are columns `@name` and its text is
//! the column `#text`. What turns out to be only text is put right once everything is read.

use std::borrow::Cow;

use kohort_core::{Elements, Scalar, alive_at};
use quick_xml::XmlVersion;
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::grow::{Growth, OWN, PEOPLE, Refused};
use super::position::Position;
use super::xml_events::{Events, invalid};
use super::xml_names::{is_name, is_text};
use super::{MAX_DEPTH, RECORD_LIMIT, RECORD_LIMIT_MIB};
use crate::source::Text;
use crate::{At, Encoding, Error, Kind};

/// The name of the column of the text of an element.
pub(super) const TEXT: &str = "#text";

/// Which elements are records, for all files of a source.
#[derive(Default)]
pub(super) struct Wanted {
    /// The name that was asked for.
    pub(super) asked: Option<String>,
    /// Whether the root is a record, where no name was asked for.
    pub(super) is_root: bool,
    /// Whether the place of a cell is the number of its record, not its line.
    pub(super) numbered: bool,
    /// The elements found.
    pub(super) found: Option<Elements>,
    /// What was left out.
    pub(super) left_out: Vec<&'static str>,
}

impl Wanted {
    fn leave_out(&mut self, what: &'static str) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }
}

/// Reads a text into the records so far.
pub(super) fn read(text: Text<'_>, wanted: &mut Wanted, growth: &mut Growth) -> Result<(), Error> {
    let (name, encoding) = (text.name.clone(), text.encoding);
    let mut events = Events::new(text);
    let mut reader = Reader {
        name,
        encoding,
        growth,
        wanted,
        position: Position::start(),
        n_bytes: 0,
        begins: 0,
        open: Vec::new(),
        outside: Vec::new(),
        is_over: false,
        scratch: String::new(),
    };
    let mut n_events = 0;
    loop {
        (reader.position, reader.n_bytes) = events.position();
        match events.next()? {
            Event::Eof => return reader.finish(),
            event => {
                alive_at(n_events);
                n_events += 1;
                reader.event(&event)?;
            }
        }
    }
}

struct Reader<'a> {
    name: String,
    encoding: Encoding,
    growth: &'a mut Growth,
    wanted: &'a mut Wanted,
    /// Where the event begins, and the bytes before it.
    position: Position,
    n_bytes: u64,
    /// The bytes before the current record.
    begins: u64,
    /// The elements of the current record that are open.
    open: Vec<Element>,
    /// The elements around it that are open, each with the namespaces that it declares.
    outside: Vec<Vec<(String, String)>>,
    /// Whether the root is closed.
    is_over: bool,
    scratch: String,
}

struct Element {
    place: usize,
    row: u32,
    /// The member of the last child, as a guess for the next.
    last: usize,
    text: String,
    line: u64,
    /// Where the text since the last tag begins.
    since_tag: usize,
    /// Whether that is more than spaces between tags.
    is_content: bool,
}

impl Element {
    /// Spaces between two tags are no text.
    fn at_tag(&mut self) {
        if !self.is_content {
            self.text.truncate(self.since_tag);
        }
        self.since_tag = self.text.len();
        self.is_content = false;
    }
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Error> {
        match event {
            Event::Start(start) => return self.start(start),
            Event::End(_) => return self.end(),
            Event::Text(text) => return self.text(&text.xml10_content(), false),
            Event::CData(text) => return self.text(&text.xml10_content(), true),
            Event::GeneralRef(reference) => {
                let character = self.resolve(reference)?;
                return self.text(character.encode_utf8(&mut [0; 4]), true);
            }
            Event::DocType(text) if text.contains('[') => {
                return Err(self.invalid("a DOCTYPE with declarations is not read"));
            }
            Event::DocType(_) => self.wanted.leave_out("the DOCTYPE"),
            Event::Comment(_) => self.wanted.leave_out("comments"),
            Event::PI(_) => self.wanted.leave_out("processing instructions"),
            Event::Decl(_) | Event::Empty(_) | Event::Eof => {}
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Error> {
        if self.outside.len() + self.open.len() > 0 {
            return Err(self.invalid("the text ends before its elements do"));
        }
        if !self.is_over {
            return Err(Kind::Empty { name: self.name.clone() }.into());
        }
        Ok(())
    }

    fn resolve(&self, reference: &BytesRef<'_>) -> Result<char, Error> {
        let known = match &**reference {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "apos" => Some('\''),
            "quot" => Some('"'),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        known.ok_or_else(|| self.invalid("an entity that is not known"))
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), Error> {
        let name = start.name().into_inner();
        if self.is_over {
            return Err(self.invalid("an element after the end of the root element"));
        }
        if self.outside.len() + self.open.len() == MAX_DEPTH {
            // The path is as long as it is deep.
            let at = self.position.at(&self.name, None);
            return Err(Kind::TooDeep { at, limit: MAX_DEPTH }.into());
        }
        let (place, above) = if let Some(parent) = self.open.last_mut() {
            parent.at_tag();
            let (place, row) = (parent.place, parent.row);
            let n_known = self.growth.places[place].members.len();
            let member = self.growth.member(place, name, parent.last);
            parent.last = member;
            if member == n_known {
                self.check_name(name)?;
            }
            let child = self.growth.array(place, member);
            (child.map_err(|refused| self.refused(refused))?, row)
        } else if self.is_record(name)? {
            self.begins = self.n_bytes;
            (PEOPLE, 0)
        } else {
            return self.start_outside(name, start);
        };
        let row = self.growth.open(place, above).map_err(|refused| self.refused(refused))?;
        self.open.push(Element {
            place,
            row,
            last: OWN,
            text: String::new(),
            line: self.position.line,
            since_tag: 0,
            is_content: false,
        });
        self.attributes(start)
    }

    /// Whether an element that is in no record is one.
    fn is_record(&mut self, name: &str) -> Result<bool, Error> {
        let is_wanted = match &self.wanted.asked {
            Some(asked) => asked == name,
            None => self.outside.len() == usize::from(!self.wanted.is_root),
        };
        if !is_wanted {
            return Ok(false);
        }
        let found = self.wanted.found.get_or_insert_with(|| Elements {
            root: "records".to_owned(),
            namespaces: Vec::new(),
            record: String::new(),
        });
        if found.record.is_empty() {
            name.clone_into(&mut found.record);
            // What is declared farther inside is what holds for the records.
            for (key, value) in self.outside.iter().flatten() {
                found.namespaces.retain(|(other, _)| other != key);
                found.namespaces.push((key.clone(), value.clone()));
            }
            self.check_name(name)?;
            return Ok(true);
        }
        if found.record != name {
            let first = &found.record;
            let problem = format!("has records `{first}` and `{name}`: say which of them is one");
            return Err(Kind::NoRecords { name: self.name.clone(), problem }.into());
        }
        Ok(true)
    }

    /// Opens an element around records.
    fn start_outside(&mut self, name: &str, start: &BytesStart<'_>) -> Result<(), Error> {
        self.check_name(name)?;
        let mut namespaces = Vec::new();
        for attribute in start.attributes() {
            let (key, value) = self.attribute(attribute)?;
            if key == "xmlns" || key.starts_with("xmlns:") {
                namespaces.push((key.to_owned(), value.into_owned()));
            } else {
                self.wanted.leave_out("attributes of elements around the records");
            }
        }
        if self.outside.is_empty() && self.wanted.found.is_none() {
            let (root, record) = (name.to_owned(), String::new());
            self.wanted.found = Some(Elements { root, namespaces: Vec::new(), record });
        }
        if !self.outside.is_empty() {
            self.wanted.leave_out("elements beside the records");
        }
        self.outside.push(namespaces);
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), Error> {
        if is_name(name) { Ok(()) } else { Err(self.invalid("a tag whose name is none")) }
    }

    fn end(&mut self) -> Result<(), Error> {
        if let Some(mut element) = self.open.pop() {
            element.at_tag();
            if !element.text.is_empty() {
                let Element { place, row, text, line, .. } = element;
                let member = self.growth.member(place, TEXT, OWN);
                self.cell((place, member, row), &text, line)?;
            }
        } else {
            self.outside.pop();
        }
        self.is_over = self.open.is_empty() && self.outside.is_empty();
        self.check_size()
    }

    fn text(&mut self, text: &str, is_content: bool) -> Result<(), Error> {
        let is_content = is_content || !text.bytes().all(|byte| byte.is_ascii_whitespace());
        if !is_text(text) {
            return Err(self.invalid("a character that XML does not allow"));
        }
        if let Some(element) = self.open.last_mut() {
            element.is_content |= is_content;
            element.text.push_str(text);
            if is_content && element.last != OWN {
                self.wanted.leave_out("the places of texts between elements");
            }
        } else if is_content && self.outside.is_empty() {
            return Err(self.invalid("text outside of the root element"));
        } else if is_content {
            self.wanted.leave_out("text beside the records");
        }
        self.check_size()
    }

    fn attributes(&mut self, start: &BytesStart<'_>) -> Result<(), Error> {
        let Some(&Element { place, row, line, .. }) = self.open.last() else { return Ok(()) };
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut expected = OWN + 1;
        for attribute in start.attributes() {
            let (key, value) = self.attribute(attribute)?;
            scratch.clear();
            scratch.push('@');
            scratch.push_str(key);
            let member = self.growth.member(place, &scratch, expected);
            self.cell((place, member, row), &value, line)?;
            expected = member + 1;
        }
        self.scratch = scratch;
        Ok(())
    }

    fn attribute<'e>(
        &self,
        attribute: Result<Attribute<'e>, AttrError>,
    ) -> Result<(&'e str, Cow<'e, str>), Error> {
        let attribute = attribute.map_err(|error| {
            self.invalid(match error {
                AttrError::Duplicated(..) => "an attribute occurs twice in one element",
                _ => "an attribute must be a name, `=` and a value in quotes",
            })
        })?;
        let key = attribute.key.into_inner();
        if !is_name(key) {
            return Err(self.invalid("an attribute whose name is none"));
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|_| self.invalid("an entity that is not known"))?;
        if !is_text(&value) {
            return Err(self.invalid("a character that XML does not allow"));
        }
        Ok((key, value))
    }

    fn cell(&mut self, slot: (usize, usize, u32), text: &str, line: u64) -> Result<(), Error> {
        let numbered = u64::from(self.growth.places[PEOPLE].n_rows);
        let line = if self.wanted.numbered { numbered } else { line };
        let put = self.growth.cell(slot, text.as_bytes(), Scalar::Text, line);
        put.map_err(|refused| self.refused(refused))
    }

    fn check_size(&self) -> Result<(), Error> {
        if self.open.is_empty() || self.n_bytes - self.begins <= RECORD_LIMIT {
            return Ok(());
        }
        Err(Kind::LongRecord { at: self.at(), limit_mib: RECORD_LIMIT_MIB }.into())
    }

    fn at(&self) -> At {
        let path = self.open.last().map(|element| self.growth.path(element.place, OWN));
        self.position.at(&self.name, path.filter(|path| !path.is_empty()))
    }

    fn invalid(&self, problem: &str) -> Error {
        invalid(self.at(), self.position, problem)
    }

    fn refused(&self, refused: Refused) -> Error {
        refused.error(self.at(), self.encoding)
    }
}
