//! What an algorithm makes: a group for every row, and what is published for each group.

use std::fmt;

use kohort_core::{Cell, Cells, Codes};

use crate::{Center, Problem};

/// The group of a row that is not published.
pub const SUPPRESSED: u32 = u32::MAX;

/// A release that has not been judged.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The group of each row of the table, or `SUPPRESSED`. Where values are perturbed there are no
    /// groups, and all rows have the same number.
    pub group_of_row: Vec<u32>,
    /// What is published for each group. Empty when
    /// quasi-identifiers are published as they are (`Form::Anatomized`) or row by row
    /// (`Form::Perturbed`); the smallest box of each group when something made from its rows is
    /// (`Form::Microaggregated`).
    pub cells: Cells,
    /// The level of its taxonomy that each quasi-identifier is published on, where one level is chosen for
    /// all rows (full-domain generalization); empty otherwise.
    pub levels: Vec<u32>,
    /// What is published for each quasi-identifier, row by row; empty in every other form.
    pub perturbed: Vec<Perturbed>,
    /// What is published for each sensitive attribute, row by row; empty where the values of every row
    /// are published as they are. What a row shows need not be about it where the links between
    /// attributes are cut: then it is one of the values of its group.
    pub sensitive: Vec<Vec<Cell>>,
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
    /// Each row has other values in place of its own: there are no groups, and no k.
    Perturbed,
}

/// What a perturbed release shows of one quasi-identifier, for each row of the table.
#[derive(Clone)]
pub enum Perturbed {
    /// Values of the column, as codes.
    Codes(Codes),
    /// Numbers, or dates in microseconds; a missing one is NaN.
    Numbers(Vec<f64>),
}

// Numbers come from cells: a debug print must not show them.
impl fmt::Debug for Perturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codes(codes) => write!(f, "{} codes", codes.len()),
            Self::Numbers(numbers) => write!(f, "{} numbers", numbers.len()),
        }
    }
}

impl Candidate {
    /// A release that shows the smallest box of each group. Rows in no group are suppressed.
    ///
    /// # Panics
    /// When a group is empty or a row is in two.
    pub fn of_groups(problem: &Problem<'_>, groups: &[Vec<u32>]) -> Self {
        let mut group_of_row = vec![SUPPRESSED; problem.n_rows()];
        for (id, rows) in (0..).zip(groups) {
            for &row in rows {
                let slot = &mut group_of_row[row as usize];
                assert!(*slot == SUPPRESSED, "a row is in one group");
                *slot = id;
            }
        }
        Self::of_numbered(problem, group_of_row, groups.len())
    }

    /// The same from the number of each row's group, or `SUPPRESSED`.
    ///
    /// # Panics
    /// When a group is empty.
    pub(crate) fn of_numbered(
        problem: &Problem<'_>,
        group_of_row: Vec<u32>,
        n_groups: usize,
    ) -> Self {
        let mut ends = Vec::new();
        let cells = problem.quasi().iter().map(|attribute| {
            ends.clear();
            ends.resize(n_groups, (u32::MAX, 0));
            let mut groups = group_of_row.iter();
            attribute.codes().for_each(|code| {
                if let Some(&group) = groups.next().filter(|group| **group != SUPPRESSED) {
                    let (lo, hi): &mut (u32, u32) = &mut ends[group as usize];
                    *lo = code.min(*lo);
                    *hi = code.max(*hi);
                }
            });
            let cell = |&(lo, hi): &(u32, u32)| {
                assert!(lo <= hi, "a group has a row");
                attribute.smallest_cell(lo, hi)
            };
            ends.iter().map(cell).collect::<Vec<Cell>>()
        });
        let cells = Cells::from_columns(cells);
        Self::new(group_of_row, cells)
    }

    /// A generalized release with these cells for each group.
    pub fn new(group_of_row: Vec<u32>, cells: Cells) -> Self {
        let form = Form::Generalized;
        Self {
            group_of_row,
            cells,
            levels: vec![],
            perturbed: vec![],
            sensitive: vec![],
            form,
            lower_bound: None,
            notes: vec![],
        }
    }

    /// A release of every row with other values of some quasi-identifiers, one entry for each; a
    /// quasi-identifier without is published as it is.
    pub(crate) fn perturbed(problem: &Problem<'_>, columns: Vec<Option<Perturbed>>) -> Self {
        let (mut perturbed, mut notes) = (Vec::new(), Vec::new());
        for (attribute, column) in problem.quasi().iter().zip(columns) {
            perturbed.push(column.unwrap_or_else(|| {
                let name = attribute.name();
                notes.push(format!(
                    "`{name}` is published as it is: the method is not for its type"
                ));
                Perturbed::Codes(attribute.codes().clone())
            }));
        }
        let candidate = Self::new(vec![0; problem.n_rows()], Cells::default());
        Self { perturbed, notes, form: Form::Perturbed, ..candidate }
    }

    /// The same release with masked sensitive cells, and a note that says how many are.
    pub(crate) fn with_masked(mut self, sensitive: Vec<Vec<Cell>>) -> Self {
        let all = || sensitive.iter().flatten();
        let n_masked = all().filter(|cell| !matches!(cell, Cell::Leaf(_))).count();
        let share = 100.0 * n_masked as f64 / all().count().max(1) as f64;
        self.notes.push(format!("sensitive cells that are masked: {share:.0} %"));
        Self { sensitive, ..self }
    }

    /// The same release of a table of which these rows were all: the others are suppressed.
    pub(crate) fn among(mut self, kept: &[u32], n_rows: usize) -> Self {
        let mut group_of_row = vec![SUPPRESSED; n_rows];
        for (&row, &group) in kept.iter().zip(&self.group_of_row) {
            group_of_row[row as usize] = group;
        }
        self.group_of_row = group_of_row;
        self
    }

    /// The same groups as another kind of release.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same groups with quasi-identifiers published as they are, and sensitive values by group.
    #[must_use]
    pub fn anatomized(mut self) -> Self {
        let note = "quasi-identifiers are published as they are: who is in the table is not hidden";
        self.notes.push(note.into());
        self.cells = Cells::default();
        self.levels.clear();
        // Nothing of the quasi-identifiers is lost.
        self.lower_bound = None;
        self.with_form(Form::Anatomized)
    }
}
