//! A public table in terms of a table that is published: the people among whom somebody may be a member.

use crate::{Attribute, Codes};

/// The people of a public table.
#[derive(Clone, Debug)]
pub struct Public {
    columns: Vec<PublicColumn>,
    n_people: usize,
}

/// A quasi-identifier of a public table.
#[derive(Clone, Debug)]
pub struct PublicColumn {
    /// The values of both tables under one taxonomy. It has no rows.
    pub attribute: Attribute,
    /// The code of each person. Who has a text that is no value has the number of codes: only the root
    /// stands for it.
    pub codes: Codes,
    /// For each code of the original's attribute, the code of the same value here; empty where the
    /// original is not known.
    pub code_of_original: Vec<u32>,
}

impl Public {
    /// The people with these columns, in the order of the original's quasi-identifiers.
    ///
    /// # Panics
    /// When the columns differ in length.
    pub fn new(columns: Vec<PublicColumn>) -> Self {
        let n_people = columns.first().map_or(0, |column| column.codes.len());
        assert!(columns.iter().all(|column| column.codes.len() == n_people), "ragged columns");
        Self { columns, n_people }
    }

    /// The columns, in the order of the original's quasi-identifiers.
    pub fn columns(&self) -> &[PublicColumn] {
        &self.columns
    }

    /// The number of people.
    pub fn n_people(&self) -> usize {
        self.n_people
    }
}
