//! One record of JSON.
//!
//! An object is a row of the branch at its path; its scalars are the cells of that row, and what it
//! contains stands in branches of their own.

use kohort_core::{BadText, Empty, Scalar};

use super::grow::{Growth, OWN, PEOPLE, Refused};
use super::json_tokens::{TOO_LARGE, Tokens, is_too_large};
use super::{MAX_DEPTH, RECORD_LIMIT, RECORD_LIMIT_MIB};
use crate::builder::bad_text;
use crate::{At, Encoding, Error, Kind};

/// Reads records into places of a schema.
pub(super) struct Reader<'a, 'b> {
    pub(super) tokens: Tokens<'a>,
    pub(super) growth: &'b mut Growth,
    /// The place and the member that are being read.
    here: (usize, usize),
    /// Whether the place of a cell is the number of its record, not its line.
    numbered: bool,
    /// The bytes before the current record.
    begins: u64,
}

impl<'a, 'b> Reader<'a, 'b> {
    pub(super) fn new(tokens: Tokens<'a>, growth: &'b mut Growth, numbered: bool) -> Self {
        Self { tokens, growth, here: (PEOPLE, OWN), numbered, begins: 0 }
    }

    /// Goes through the members of an object; the cursor of `value` stands before a value.
    pub(super) fn members(
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
                return Err(self.unexpected("expected the name of a member here, in quotes"));
            }
            let name = self.name()?;
            self.colon()?;
            value(self, name)?;
            if self.is_closed(b'}')? {
                return Ok(());
            }
        }
    }

    /// Goes through the items of an array; true if there are any.
    pub(super) fn items(
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
                "expected a comma or the end of the object here"
            } else {
                "expected a comma or the end of the array here"
            })),
        }
    }

    pub(super) fn record(&mut self) -> Result<(), Error> {
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
                return Err(self.unexpected("expected the name of a member here, in quotes"));
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
            return Err(bad_text(BadText::NotUtf8(0), self.at(), self.encoding()));
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
            return Err(bad_text(BadText::NotUtf8(0), self.at(), self.encoding()));
        };
        let name = name.to_owned();
        self.tokens.finish();
        Ok(name)
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Error> {
        self.tokens.expect(b':', "expected a colon here").map_err(|error| self.with_path(error))
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
            reader.check_size()?;
            let row = reader.growth.open(array, row).map_err(|refused| reader.refused(refused))?;
            reader.value((array, OWN, row), depth)
        })?;
        if !has_items {
            self.growth.places[array].empty.push((row, Empty::Array));
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
        if !is_string && str::from_utf8(token).is_ok_and(is_too_large) {
            let error = self.tokens.invalid(TOO_LARGE);
            return Err(self.with_path(error));
        }
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
    pub(super) fn skip(&mut self, depth: usize) -> Result<(), Error> {
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

    fn encoding(&mut self) -> Encoding {
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
