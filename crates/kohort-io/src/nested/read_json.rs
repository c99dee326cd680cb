//! JSON: an array of objects, an object around one, or one object per line.
//!
//! An object is a row of the branch at its path; its scalars are the cells of that row, and what it
//! contains stands in branches of their own. The file is read from front to back, one token at a time.

use kohort_core::Scalar;

use super::grow::{Growth, OWN, PEOPLE, Refused};
use super::json_tokens::Tokens;
use super::{MAX_DEPTH, RECORD_LIMIT, RECORD_LIMIT_MIB};
use crate::builder::bad_text;
use crate::source::Text;
use crate::{At, Error, Kind};

/// What a file of JSON has at its top.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    /// Records, or an object around them.
    Records,
    /// Records, or one of them.
    OneOrMore,
    /// A record on each line.
    Lines,
}

/// Reads a text into the records so far. `records` names the member that has them.
pub(super) fn read(
    text: Text<'_>,
    top: Top,
    records: Option<&str>,
    numbered: bool,
    growth: &mut Growth,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let tokens = Tokens::new(text);
    let here = (PEOPLE, OWN);
    let mut reader = Reader { tokens, growth, here, numbered, begins: 0, records, notes };
    match top {
        Top::Lines => reader.lines(),
        Top::Records | Top::OneOrMore => reader.file(top),
    }
}

/// Whether a record of the first of a text of lines has an object or an array in it.
pub(super) fn has_nested(text: Text<'_>) -> bool {
    const LOOKED_AT: u32 = 100;
    let mut growth = Growth::new();
    let tokens = Tokens::new(text);
    let (here, mut notes) = ((PEOPLE, OWN), Vec::new());
    let (records, growth) = (None, &mut growth);
    let mut reader =
        Reader { tokens, growth, here, numbered: false, begins: 0, records, notes: &mut notes };
    // Whoever reads the file tells what is wrong with it.
    while reader.growth.places[PEOPLE].n_rows < LOOKED_AT
        && reader.growth.places.len() == 1
        && reader.line().is_ok_and(|more| more)
    {}
    reader.growth.places.len() > 1
}

struct Reader<'a, 'b> {
    tokens: Tokens<'a>,
    growth: &'b mut Growth,
    /// The place and the member that are being read.
    here: (usize, usize),
    /// Whether the place of a cell is the number of its record, not its line.
    numbered: bool,
    /// The bytes before the current record.
    begins: u64,
    records: Option<&'b str>,
    notes: &'b mut Vec<String>,
}

impl Reader<'_, '_> {
    fn lines(&mut self) -> Result<(), Error> {
        while self.line()? {}
        Ok(())
    }

    /// Reads one line; false at the end.
    fn line(&mut self) -> Result<bool, Error> {
        let Some(first) = self.tokens.peek()? else { return Ok(false) };
        let line = self.tokens.line();
        if first != b'{' {
            return Err(Kind::NotAnObject { at: self.tokens.at() }.into());
        }
        self.record()?;
        if self.tokens.line() > line {
            let mut at = self.tokens.at();
            at.place = kohort_core::Place::Line(line);
            let problem = "the object does not end on its line".to_owned();
            return Err(Kind::Malformed { at, character: 1, format: "JSON", problem }.into());
        }
        if self.tokens.peek()?.is_some() && self.tokens.line() == line {
            return Err(self.tokens.invalid("something stands after the object"));
        }
        Ok(true)
    }

    fn file(&mut self, top: Top) -> Result<(), Error> {
        match self.tokens.peek()? {
            None => {
                let name = self.tokens.at().name;
                return Err(Kind::Empty { name }.into());
            }
            Some(b'[') if self.records.is_none() => self.array_of_records()?,
            Some(b'{') if self.records.is_some() || top == Top::Records => self.envelope()?,
            Some(b'{') => self.record()?,
            _ => {
                let what = if self.records.is_some() { "an object" } else { "an array of objects" };
                return Err(self.no_records(format!("must be {what}")));
            }
        }
        if self.tokens.peek()?.is_some() {
            return Err(self.tokens.invalid("something stands after the end of the records"));
        }
        Ok(())
    }

    fn no_records(&self, problem: String) -> Error {
        Kind::NoRecords { name: self.tokens.at().name, problem }.into()
    }

    fn array_of_records(&mut self) -> Result<(), Error> {
        self.items(&mut |reader| match reader.tokens.peek()? {
            Some(b'{') => reader.record(),
            None => Err(reader.tokens.unexpected("")),
            Some(_) => Err(Kind::NotAnObject { at: reader.tokens.at() }.into()),
        })
        .map(drop)
    }

    /// Reads an object with the records in one of its members.
    fn envelope(&mut self) -> Result<(), Error> {
        let mut found: Option<String> = None;
        let mut left_out = Vec::new();
        self.members(&mut |reader, name| {
            let is_array = reader.tokens.peek()? == Some(b'[');
            let is_it = match reader.records {
                Some(records) => records == name,
                None => is_array,
            };
            if !is_it {
                left_out.push(name);
                return reader.skip(1);
            }
            if let Some(first) = &found {
                let problem = if *first == name {
                    format!("`{name}` occurs twice")
                } else {
                    format!("both `{first}` and `{name}` are arrays: say which has the records")
                };
                return Err(reader.no_records(problem));
            }
            if !is_array {
                return Err(reader.no_records(format!("`{name}` must be an array of objects")));
            }
            found = Some(name);
            reader.array_of_records()
        })?;
        if found.is_none() {
            let problem = match self.records {
                Some(records) => format!("has no member `{records}`"),
                None => "must be an array of objects, or an object with one".to_owned(),
            };
            return Err(self.no_records(problem));
        }
        if let [first, others @ ..] = left_out.as_slice() {
            let more = if others.is_empty() { "" } else { " and what else stands" };
            self.notes.push(format!("`{first}`{more} beside the records is left out"));
        }
        Ok(())
    }

    /// Goes through the members of an object; the cursor of `value` stands before a value.
    fn members(
        &mut self,
        value: &mut dyn FnMut(&mut Self, String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.tokens.take();
        if self.tokens.peek()? == Some(b'}') {
            self.tokens.take();
            return Ok(());
        }
        loop {
            if self.tokens.peek()? != Some(b'"') {
                return Err(self.unexpected("the name of a member must stand here, in quotes"));
            }
            let name = self.name()?.to_owned();
            self.colon()?;
            value(self, name)?;
            if self.is_closed(b'}')? {
                return Ok(());
            }
        }
    }

    /// Goes through the items of an array; true if there are any.
    fn items(
        &mut self,
        item: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        self.tokens.take();
        if self.tokens.peek()? == Some(b']') {
            self.tokens.take();
            return Ok(false);
        }
        loop {
            item(self)?;
            if self.is_closed(b']')? {
                return Ok(true);
            }
        }
    }

    /// Takes a comma, or the end of an object or array.
    #[inline]
    fn is_closed(&mut self, close: u8) -> Result<bool, Error> {
        match self.tokens.peek()? {
            Some(byte) if byte == close => {
                self.tokens.take();
                Ok(true)
            }
            Some(b',') => {
                self.tokens.take();
                Ok(false)
            }
            _ => Err(self.unexpected(if close == b'}' {
                "a comma or the end of the object must stand here"
            } else {
                "a comma or the end of the array must stand here"
            })),
        }
    }

    fn record(&mut self) -> Result<(), Error> {
        self.here = (PEOPLE, OWN);
        self.begins = self.tokens.n_bytes;
        let row = self.growth.open(PEOPLE, 0).map_err(|refused| self.refused(refused))?;
        self.object(PEOPLE, row, 1)
    }

    fn object(&mut self, place: usize, row: u32, depth: usize) -> Result<(), Error> {
        self.check_depth(depth)?;
        self.tokens.take();
        if self.tokens.peek()? == Some(b'}') {
            self.tokens.take();
            return Ok(());
        }
        let mut member = OWN;
        loop {
            self.here = (place, OWN);
            if self.tokens.peek()? != Some(b'"') {
                return Err(self.unexpected("the name of a member must stand here, in quotes"));
            }
            member = self.member(place, member + 1)?;
            self.here = (place, member);
            if !self.growth.mark(place, member, row) {
                return Err(Kind::DuplicateMember { at: self.at() }.into());
            }
            self.colon()?;
            self.value((place, member, row), depth)?;
            self.here = (place, OWN);
            if self.is_closed(b'}')? {
                return Ok(());
            }
        }
    }

    /// Takes the name of a member of the objects at a place.
    #[inline]
    fn member(&mut self, place: usize, expected: usize) -> Result<usize, Error> {
        self.tokens.string()?;
        let Ok(name) = str::from_utf8(self.tokens.token()) else {
            return Err(bad_text(kohort_core::BadText::NotUtf8(0), self.at(), self.encoding()));
        };
        let known = self.growth.places[place].members.len();
        let member = self.growth.member(place, name, expected);
        if member == known && name.trim().is_empty() {
            return Err(self.tokens.invalid("the name of a member is empty"));
        }
        if member == known && name.contains('\0') {
            return Err(Kind::Nul { at: self.at() }.into());
        }
        self.tokens.finish();
        Ok(member)
    }

    fn name(&mut self) -> Result<String, Error> {
        self.tokens.string()?;
        let Ok(name) = str::from_utf8(self.tokens.token()) else {
            return Err(bad_text(kohort_core::BadText::NotUtf8(0), self.at(), self.encoding()));
        };
        let name = name.to_owned();
        self.tokens.finish();
        Ok(name)
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Error> {
        self.tokens.expect(b':', "a colon must stand here").map_err(|error| self.with_path(error))
    }

    /// Reads a value into its place: the member of an object, or an item of an array.
    fn value(&mut self, slot: (usize, usize, u32), depth: usize) -> Result<(), Error> {
        let (place, member, row) = slot;
        match self.tokens.peek()? {
            Some(b'{') if member == OWN => self.object(place, row, depth + 1),
            Some(b'{') => {
                let object =
                    self.growth.object(place, member).map_err(|refused| self.refused(refused))?;
                let row = self.growth.open(object, row).map_err(|refused| self.refused(refused))?;
                self.object(object, row, depth + 1)
            }
            Some(b'[') => self.array(slot, depth + 1),
            _ => self.scalar(slot),
        }
    }

    fn array(&mut self, slot: (usize, usize, u32), depth: usize) -> Result<(), Error> {
        self.check_depth(depth)?;
        let (place, member, row) = slot;
        let array = self.growth.array(place, member).map_err(|refused| self.refused(refused))?;
        let has_items = self.items(&mut |reader| {
            reader.here = (array, OWN);
            let row = reader.growth.open(array, row).map_err(|refused| reader.refused(refused))?;
            reader.value((array, OWN, row), depth)
        })?;
        if !has_items {
            self.growth.places[array].empty.push((row, kohort_core::Empty::Array));
        }
        Ok(())
    }

    fn scalar(&mut self, slot: (usize, usize, u32)) -> Result<(), Error> {
        let line = self.place_of_cell();
        let is_string = self.tokens.peek()? == Some(b'"');
        let read = if is_string { self.tokens.string() } else { self.tokens.bare() };
        if let Err(error) = read {
            return Err(self.with_path(error));
        }
        let token = self.tokens.token();
        let (text, scalar): (&[u8], _) = match token {
            token if is_string => (token, Scalar::Text),
            b"null" => (b"", Scalar::Null),
            token => (token, Scalar::Bare),
        };
        if let Err(refused) = self.growth.cell(slot, text, scalar, line) {
            return Err(self.refused(refused));
        }
        self.tokens.finish();
        self.check_size()
    }

    /// Reads over a value.
    fn skip(&mut self, depth: usize) -> Result<(), Error> {
        self.check_depth(depth)?;
        match self.tokens.peek()? {
            Some(b'{') => self.members(&mut |reader, _| reader.skip(depth + 1)),
            Some(b'[') => self.items(&mut |reader| reader.skip(depth + 1)).map(drop),
            Some(b'"') => self.name().map(drop),
            _ => {
                self.tokens.bare()?;
                self.tokens.finish();
                Ok(())
            }
        }
    }

    fn place_of_cell(&self) -> u64 {
        if self.numbered {
            u64::from(self.growth.places[PEOPLE].n_rows)
        } else {
            self.tokens.line()
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), Error> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        // The path is as long as it is deep.
        Err(Kind::TooDeep { at: self.tokens.at(), limit: MAX_DEPTH }.into())
    }

    fn check_size(&self) -> Result<(), Error> {
        if self.tokens.n_bytes - self.begins <= RECORD_LIMIT {
            return Ok(());
        }
        Err(Kind::LongRecord { at: self.at(), limit_mib: RECORD_LIMIT_MIB }.into())
    }

    fn encoding(&mut self) -> crate::Encoding {
        self.tokens.text().encoding
    }

    fn at(&self) -> At {
        let path = self.growth.path(self.here.0, self.here.1);
        At { column_name: Some(path).filter(|path| !path.is_empty()), ..self.tokens.at() }
    }

    fn unexpected(&self, problem: &str) -> Error {
        self.with_path(self.tokens.unexpected(problem))
    }

    /// The same error with the path of what was being read.
    fn with_path(&self, error: Error) -> Error {
        match error.kind() {
            Kind::Malformed { character, format, problem, .. } => {
                let (at, problem) = (self.at(), problem.clone());
                Kind::Malformed { at, character: *character, format, problem }.into()
            }
            _ => error,
        }
    }

    fn refused(&mut self, refused: Refused) -> Error {
        let at = self.at();
        refused.error(at, self.encoding())
    }
}
