//! What an algorithm makes: a group for every row, and what is published for each group.

use kohort_core::Cell;

use crate::{Center, Problem};

/// The group of a row that is not published.
pub const SUPPRESSED: u32 = u32::MAX;

/// A release that has not been judged.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The group of each row of the table, or `SUPPRESSED`.
    pub group_of_row: Vec<u32>,
    /// What is published for each group, one cell per quasi-identifier: row-major. Empty when
    /// quasi-identifiers are published as they are (`Form::Anatomized`); the smallest box of each group
    /// when something made from its rows is (`Form::Microaggregated`).
    pub cells: Vec<Cell>,
    /// What kind of release it is.
    pub form: Form,
    /// No release that keeps the same promises has a smaller loss than this, in the metric asked for.
    pub lower_bound: Option<f64>,
    /// What a user should know about how it was made, in sentences without a closing stop.
    pub notes: Vec<String>,
}

/// What kind of release it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Cells of a group cover the values of its rows.
    Generalized,
    /// Quasi-identifiers as they are, sensitive values by group in a table of their own.
    Anatomized,
    /// Cells are the mean or the median of the group.
    Microaggregated(Center),
}

impl Candidate {
    /// A release that shows the smallest box of each group. Rows in no group are suppressed.
    ///
    /// # Panics
    /// When a group is empty or a row is in two.
    pub fn of_groups(problem: &Problem<'_>, groups: &[Vec<u32>]) -> Self {
        let mut group_of_row = vec![SUPPRESSED; problem.n_rows()];
        let mut cells = Vec::with_capacity(groups.len() * problem.quasi().len());
        for (id, rows) in (0..).zip(groups) {
            for &row in rows {
                let slot = &mut group_of_row[row as usize];
                assert!(*slot == SUPPRESSED, "a row is in one group");
                *slot = id;
            }
            for attribute in problem.quasi() {
                let codes = || rows.iter().map(|&row| attribute.codes().get(row as usize));
                let (lo, hi) = (codes().min(), codes().max());
                let (lo, hi) = lo.zip(hi).expect("a group has a row");
                cells.push(attribute.smallest_cell(lo, hi));
            }
        }
        Self::new(group_of_row, cells)
    }

    /// A generalized release with these cells for each group.
    pub fn new(group_of_row: Vec<u32>, cells: Vec<Cell>) -> Self {
        let form = Form::Generalized;
        Self { group_of_row, cells, form, lower_bound: None, notes: Vec::new() }
    }

    /// The same groups as another kind of release.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}
