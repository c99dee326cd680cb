//! Cells of a sensitive column that do not show one value.

/// What a missing cell of a sensitive attribute says about a person.
///
/// The default of a plan is `Ignored`. Nobody is hurt by an unknown value, so it needs no protection; and
/// it protects nobody else, since an adversary often knows who was asked, so it must not make a class
/// diverse. It is the strictest reading of what is known of people: what it accepts, shares among those
/// who have a value accept. Where a missing value tells something by itself (who refused a test), it is a
/// `Value`; where nobody can know who was asked, those without a value hide the others (`Unprotected`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingAs {
    /// It is a value like any other: it counts in every class, and is protected.
    #[default]
    Value,
    /// It says nothing: classes are judged by the rows that have a value.
    Ignored,
    /// It needs no protection, and hides others: it counts in the size of a class, and never as a value.
    Unprotected,
}

/// The masked cells of a sensitive attribute: each may be one of several values, and does not say which.
#[derive(Clone, Debug, Default)]
pub struct Masked {
    // The codes that each kind of masked cell allows: not empty, ascending.
    allowed: Vec<Vec<u32>>,
    // The kind of each row's cell, or `NOT`.
    kind_of_row: Vec<u32>,
}

/// The kind of a cell that shows its value.
const NOT: u32 = u32::MAX;

impl Masked {
    /// Masked cells: the codes that each kind allows, and the kind of each row that has one.
    pub fn new(allowed: Vec<Vec<u32>>, kind_of_row: impl Iterator<Item = Option<u32>>) -> Self {
        Self { allowed, kind_of_row: kind_of_row.map(|kind| kind.unwrap_or(NOT)).collect() }
    }

    /// The kind of a row's cell, where it is masked.
    pub fn kind(&self, row: u32) -> Option<u32> {
        let kind = self.kind_of_row.get(row as usize).copied();
        kind.filter(|&kind| kind != NOT)
    }

    /// The codes that a kind of cell allows, ascending.
    pub fn allowed(&self, kind: u32) -> &[u32] {
        &self.allowed[kind as usize]
    }

    /// Whether no cell is masked.
    pub fn is_empty(&self) -> bool {
        self.kind_of_row.iter().all(|&kind| kind == NOT)
    }

    /// The masked cells of these rows only, in the order given.
    pub(crate) fn select(&self, rows: &[u32]) -> Self {
        Self::new(self.allowed.clone(), rows.iter().map(|&row| self.kind(row)))
    }
}
