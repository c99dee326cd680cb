//! Nested records while they are being read: the places of the schema found so far, with their rows.

use std::collections::BTreeMap;

use kohort_core::{BadText, Empty, Scalar};

use super::path;
use super::read_xml::TEXT;
use crate::builder::{Builder, bad_text};
use crate::{At, Encoding, Error, Kind};

/// The most members, objects and arrays that a schema may have.
pub(super) const MAX_PATHS: usize = 1000;

/// The member that stands for an item of an array itself: a scalar, or an array, without a name.
pub(super) const OWN: usize = 0;

/// The place of the people.
pub(super) const PEOPLE: usize = 0;

/// Every place of the schema, each after the one it is in.
pub(super) struct Growth {
    pub(super) places: Vec<Place>,
    n_paths: usize,
}

/// A place of the schema: what becomes a branch.
pub(super) struct Place {
    pub(super) path: String,
    pub(super) parent: usize,
    /// The row of the parent that each row stands in.
    pub(super) inside: Vec<u32>,
    pub(super) n_rows: u32,
    pub(super) columns: Vec<Cells>,
    /// In the order in which they first stood; the first is `OWN`.
    pub(super) members: Vec<Member>,
    by_name: BTreeMap<String, usize>,
    pub(super) empty: Vec<(u32, Empty)>,
}

/// What a member was found to be; it may be something else in each object.
#[derive(Default)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) column: Option<usize>,
    pub(super) object: Option<usize>,
    pub(super) array: Option<usize>,
    /// One more than the last row that has it.
    seen: u32,
}

/// The cells of a column; those of the last rows may be missing.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) path: String,
    pub(super) builder: Builder,
    pub(super) scalars: Vec<Scalar>,
}

/// Why something has no place.
pub(super) enum Refused {
    /// There are too many paths.
    Paths,
    /// There are too many rows.
    Rows,
    /// A cell is no text.
    Text(BadText),
}

impl Refused {
    /// The error at this place.
    pub(super) fn error(self, at: At, encoding: Encoding) -> Error {
        match self {
            // The path, as far as it is known, may be longer than the message.
            Self::Paths => {
                let at = At { column_name: None, ..at };
                Kind::TooManyPaths { at, limit: MAX_PATHS }.into()
            }
            Self::Rows => Kind::TooMany { at, what: "rows" }.into(),
            Self::Text(problem) => bad_text(problem, at, encoding),
        }
    }
}

impl Growth {
    /// No records yet.
    pub(super) fn new() -> Self {
        Self { places: vec![Place::new(String::new(), PEOPLE)], n_paths: 0 }
    }

    /// The path of a member, for messages and names.
    pub(super) fn path(&self, place: usize, member: usize) -> String {
        let Place { path, members, .. } = &self.places[place];
        if member == OWN { path.clone() } else { path::member(path, &members[member].name) }
    }

    /// One more row, in a row of the place above.
    pub(super) fn open(&mut self, place: usize, inside: u32) -> Result<u32, Refused> {
        let place = &mut self.places[place];
        let row = place.n_rows;
        if row == u32::MAX - 1 {
            return Err(Refused::Rows);
        }
        place.inside.push(inside);
        place.n_rows += 1;
        Ok(row)
    }

    /// The member of this name; `expected` or the one after it is a guess, since most objects have their
    /// members in one order.
    #[inline]
    pub(super) fn member(&mut self, place: usize, name: &str, expected: usize) -> usize {
        let place = &mut self.places[place];
        for guess in [expected, expected + 1] {
            if place.members.get(guess).is_some_and(|member| guess != OWN && member.name == name) {
                return guess;
            }
        }
        if let Some(&member) = place.by_name.get(name) {
            return member;
        }
        place.members.push(Member { name: name.to_owned(), ..Member::default() });
        place.by_name.insert(name.to_owned(), place.members.len() - 1);
        place.members.len() - 1
    }

    /// Marks a member as present in a row; false if it was already.
    #[inline]
    pub(super) fn mark(&mut self, place: usize, member: usize, row: u32) -> bool {
        let seen = &mut self.places[place].members[member].seen;
        std::mem::replace(seen, row + 1) != row + 1
    }

    /// The place of the objects that a member is.
    pub(super) fn object(&mut self, place: usize, member: usize) -> Result<usize, Refused> {
        if let Some(object) = self.places[place].members[member].object {
            return Ok(object);
        }
        let object = self.add(self.path(place, member), place)?;
        self.places[place].members[member].object = Some(object);
        Ok(object)
    }

    /// The place of the items of the arrays that a member is.
    pub(super) fn array(&mut self, place: usize, member: usize) -> Result<usize, Refused> {
        if let Some(array) = self.places[place].members[member].array {
            return Ok(array);
        }
        let array = self.add(path::items(&self.path(place, member)), place)?;
        self.places[place].members[member].array = Some(array);
        Ok(array)
    }

    fn add(&mut self, path: String, parent: usize) -> Result<usize, Refused> {
        self.count_path()?;
        self.places.push(Place::new(path, parent));
        Ok(self.places.len() - 1)
    }

    fn count_path(&mut self) -> Result<(), Refused> {
        self.n_paths += 1;
        if self.n_paths > MAX_PATHS { Err(Refused::Paths) } else { Ok(()) }
    }

    /// Puts a scalar into a row.
    #[inline]
    pub(super) fn cell(
        &mut self,
        (place, member, row): (usize, usize, u32),
        text: &[u8],
        scalar: Scalar,
        line: u64,
    ) -> Result<(), Refused> {
        let column = match self.places[place].members[member].column {
            Some(column) => column,
            None => self.add_column(place, member)?,
        };
        let cells = &mut self.places[place].columns[column];
        cells.pad(row, line).map_err(Refused::Text)?;
        cells.builder.push(text, line).map_err(Refused::Text)?;
        cells.scalars.push(scalar);
        Ok(())
    }

    #[cold]
    fn add_column(&mut self, place: usize, member: usize) -> Result<usize, Refused> {
        // An element that is only text is one path, not two.
        if self.places[place].members[member].name != TEXT {
            self.count_path()?;
        }
        let path = self.path(place, member);
        let place = &mut self.places[place];
        place.columns.push(Cells { path, ..Cells::default() });
        place.members[member].column = Some(place.columns.len() - 1);
        Ok(place.columns.len() - 1)
    }
}

impl Place {
    fn new(path: String, parent: usize) -> Self {
        Self {
            path,
            parent,
            inside: Vec::new(),
            n_rows: 0,
            columns: Vec::new(),
            members: vec![Member::default()],
            by_name: BTreeMap::new(),
            empty: Vec::new(),
        }
    }
}

impl Cells {
    /// Rows up to this one that have no cell have none in the source.
    pub(super) fn pad(&mut self, row: u32, line: u64) -> Result<(), BadText> {
        while self.scalars.len() < row as usize {
            self.builder.push(b"", line)?;
            self.scalars.push(Scalar::Absent);
        }
        Ok(())
    }
}
