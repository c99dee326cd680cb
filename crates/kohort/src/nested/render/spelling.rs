//! How cells are spelled in nested records: the text, and what it is in the source beside that.
//!
//! Two people of one class must not differ in how the same label is spelled: every value has one text, and
//! is bare where it was bare throughout. A value that all of them lack is null where it was null for all of
//! them, and else not there. What is sensitive or insensitive is as it was read.

use kohort_core::{Attribute, Branch, Cell, Scalar, Table};

use crate::release::text_of;

/// What the values of a quasi-identifier were in their source.
pub(super) struct Spelling {
    // By code.
    is_bare: Vec<bool>,
}

impl Spelling {
    /// Looks at all values of a quasi-identifier.
    pub(super) fn new(branch: &Branch, attribute: &Attribute) -> Self {
        let mut is_bare = vec![true; attribute.n_codes() as usize];
        for (code, scalar) in attribute.codes().iter().zip(scalars(branch, attribute)) {
            is_bare[code as usize] &= *scalar == Scalar::Bare;
        }
        Self { is_bare }
    }

    /// The text of a cell, and what it is.
    pub(super) fn of(&self, table: &Table, attribute: &Attribute, cell: Cell) -> (String, Scalar) {
        let scalar = match cell {
            Cell::Leaf(code) if self.is_bare[code as usize] => Scalar::Bare,
            _ => Scalar::Text,
        };
        (text_of(table, attribute, cell), scalar)
    }
}

/// What the cells of a quasi-identifier were in their source.
pub(super) fn scalars<'a>(branch: &'a Branch, attribute: &Attribute) -> &'a [Scalar] {
    let columns = branch.table().columns();
    let column = columns.iter().position(|column| column.name() == attribute.name());
    branch.scalars(column.expect("an attribute is a column"))
}

/// The cells of a column that is published as it was read.
pub(super) struct AsRead {
    // The distinct cells in the order of their texts, and which of them each row has.
    cells: Vec<(String, Scalar)>,
    rank_of_row: Vec<u32>,
}

impl AsRead {
    /// Every cell, whatever it was.
    pub(super) fn new(branch: &Branch, column: usize) -> Self {
        let texts = &branch.table().columns()[column];
        let cell = |row: usize| {
            let text = texts.dictionary().get(texts.codes().get(row)).to_owned();
            let scalar = branch.scalars(column)[row];
            (text, order(scalar), scalar)
        };
        let of_row: Vec<_> = (0..branch.n_rows()).map(cell).collect();
        let mut distinct: Vec<_> = of_row.iter().map(|(text, order, _)| (text, order)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let rank = |(text, order, _): &(String, u8, Scalar)| {
            let at = distinct.binary_search(&(text, order)).expect("every cell is among them");
            u32::try_from(at).expect("cells are counted in u32")
        };
        let rank_of_row: Vec<u32> = of_row.iter().map(rank).collect();
        let mut cells = vec![(String::new(), Scalar::Absent); distinct.len()];
        for ((text, _, scalar), &rank) in of_row.iter().zip(&rank_of_row) {
            cells[rank as usize] = (text.clone(), *scalar);
        }
        Self { cells, rank_of_row }
    }

    pub(super) fn rank(&self, row: u32) -> u32 {
        self.rank_of_row[row as usize]
    }

    pub(super) fn of(&self, rank: u32) -> (&str, Scalar) {
        let (text, scalar) = &self.cells[rank as usize];
        (text, *scalar)
    }
}

fn order(scalar: Scalar) -> u8 {
    match scalar {
        Scalar::Absent => 0,
        Scalar::Null => 1,
        Scalar::Text => 2,
        Scalar::Bare => 3,
    }
}
