//! Nested records out: from the rows of branches back to one record after another.

use std::io::{self, Write};

use kohort_core::{Column, Empty, Nested, Scalar};

use super::path::{Step, split};
use super::{NestedFormat, write_json, write_xml};
use crate::write_table::packed;
use crate::{Error, Kind};

/// How many bytes are handed on at once.
const CHUNK: usize = 64 << 10;

/// Writes records in a format.
///
/// JSON is an array with a record on each line, or a record on each line alone. In XML the names of the
/// elements around the records are those of the source, or else `records` and `record`. A column is
/// an element, or an attribute where its name begins with `@`; `#text` is the text of its element; an
/// array is its name again and again, and an array in an array has elements `item`. What is no name in
/// XML has `_x0020_` for a space, and so on. XML has neither numbers nor null: a null is an empty element,
/// an array without items is nothing.
pub fn write_nested(
    nested: &Nested,
    format: NestedFormat,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if matches!(format, NestedFormat::Xml(_)) {
        write_xml::check(nested)?;
    }
    let written = packed(format.compression(), out, &mut |out| match format {
        NestedFormat::Json(_) => write_json::write(nested, true, out),
        NestedFormat::JsonLines(_) => write_json::write(nested, false, out),
        NestedFormat::Xml(_) => write_xml::write(nested, out),
    });
    let written = written.and_then(|()| out.flush());
    written.map_err(|source| Kind::Write { path: nested.name().to_owned(), source }.into())
}

/// What the objects at one place have, in the order in which it is written.
pub(super) struct Shape<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The column whose cells are the items themselves, where they are scalars.
    pub(super) own: Option<Cells<'a>>,
    /// The branch of the items of items, where they are arrays.
    pub(super) items: Option<usize>,
}

/// A member of an object.
pub(super) struct Member<'a> {
    pub(super) name: String,
    pub(super) value: Value<'a>,
}

/// What a member is.
pub(super) enum Value<'a> {
    Scalar(Cells<'a>),
    Object(usize),
    Array(usize),
}

/// The cells of a column and what they were.
pub(super) struct Cells<'a> {
    column: &'a Column,
    scalars: &'a [Scalar],
}

impl<'a> Cells<'a> {
    /// The column.
    pub(super) fn column(&self) -> &'a Column {
        self.column
    }

    /// The entry of a row in the dictionary, and what it was; none if it was not there.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<(u32, Scalar)> {
        match self.scalars[row] {
            Scalar::Absent => None,
            scalar => Some((self.column.codes().get(row), scalar)),
        }
    }
}

/// The shapes of all branches.
pub(super) fn shapes(nested: &Nested) -> Vec<Shape<'_>> {
    let mut shapes: Vec<Shape<'_>> = Vec::with_capacity(nested.branches().len());
    // Members with where they stood in the source.
    let mut members: Vec<Vec<(usize, Member<'_>)>> = Vec::new();
    let order: std::collections::BTreeMap<&str, usize> =
        nested.layout().order.iter().map(String::as_str).zip(0..).collect();
    let stood = |path: &str| order.get(path).copied().unwrap_or(usize::MAX);
    for (index, branch) in nested.branches().iter().enumerate() {
        shapes.push(Shape { members: Vec::new(), own: None, items: None });
        members.push(Vec::new());
        for (position, column) in branch.table().columns().iter().enumerate() {
            let cells = Cells { column, scalars: branch.scalars(position) };
            if column.name() == branch.path() {
                shapes[index].own = Some(cells);
                continue;
            }
            let value = Value::Scalar(cells);
            let name = last_name(column.name()).unwrap_or_else(|| column.name().to_owned());
            members[index].push((stood(column.name()), Member { name, value }));
        }
        let Some(inside) = branch.inside() else { continue };
        let (name, value) = match split(branch.path()) {
            Some((_, Step::Items)) => {
                shapes[inside.branch].items = Some(index);
                continue;
            }
            Some((_, Step::Member(name))) => (name, Value::Object(index)),
            Some((_, Step::MemberItems(name))) => (name, Value::Array(index)),
            None => (branch.path().to_owned(), Value::Array(index)),
        };
        members[inside.branch].push((stood(branch.path()), Member { name, value }));
    }
    for (shape, mut members) in shapes.iter_mut().zip(members) {
        members.sort_by_key(|&(stood, _)| stood);
        shape.members = members.into_iter().map(|(_, member)| member).collect();
    }
    shapes
}

fn last_name(path: &str) -> Option<String> {
    Some(split(path)?.1.name()?.to_owned())
}

/// How far the rows of each branch have been written. Every row is visited once and in order, so that
/// the rows in the current one are always the next.
pub(super) struct Walk<'a> {
    nested: &'a Nested,
    next: Vec<usize>,
    next_empty: Vec<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(nested: &'a Nested) -> Self {
        let n_branches = nested.branches().len();
        Self { nested, next: vec![0; n_branches], next_empty: vec![0; n_branches] }
    }

    /// Takes the next row of a branch, if it stands in this row.
    #[inline]
    pub(super) fn next_in(&mut self, branch: usize, row: usize) -> Option<usize> {
        let inside = self.nested.branches()[branch].inside()?;
        let next = self.next[branch];
        if *inside.rows.get(next)? as usize != row {
            return None;
        }
        self.next[branch] += 1;
        Some(next)
    }

    /// What stands in this row in the place of the rows of a branch, other than nothing.
    pub(super) fn empty_in(&mut self, branch: usize, row: usize) -> Option<Empty> {
        let empty = self.nested.branches()[branch].empty();
        while let Some(&(at, what)) = empty.get(self.next_empty[branch]) {
            if at as usize > row {
                return None;
            }
            self.next_empty[branch] += 1;
            if at as usize == row {
                return Some(what);
            }
        }
        None
    }
}

/// Hands a buffer on once it is large.
pub(super) fn hand_on(buffer: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    if buffer.len() >= CHUNK {
        out.write_all(buffer)?;
        buffer.clear();
    }
    Ok(())
}
