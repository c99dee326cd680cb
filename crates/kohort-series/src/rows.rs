//! The quasi-identifiers of the rows, side by side.

use crate::Turn;

/// The codes of every row, one per quasi-identifier.
pub(crate) struct Rows {
    n_axes: usize,
    codes: Vec<u32>,
}

impl Rows {
    pub(crate) fn new(turn: &Turn<'_>) -> Self {
        let quasi = turn.data.quasi();
        let n_rows = turn.data.n_rows();
        let mut codes = vec![0; n_rows * quasi.len()];
        for (axis, attribute) in quasi.iter().enumerate() {
            for row in 0..n_rows {
                codes[row * quasi.len() + axis] = attribute.codes().get(row);
            }
        }
        Self { n_axes: quasi.len(), codes }
    }

    /// The codes of one row.
    pub(crate) fn codes(&self, row: u32) -> &[u32] {
        &self.codes[row as usize * self.n_axes..][..self.n_axes]
    }
}
