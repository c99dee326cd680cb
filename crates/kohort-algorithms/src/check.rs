//! Whether rows, taken as one class, keep the promises of a problem.

use kohort_models::tally;

use crate::Problem;

/// Asks about one class after another without allocating for each.
pub(crate) struct Check<'a, 'p> {
    problem: &'p Problem<'a>,
    cells: Vec<Vec<(u32, u64)>>,
}

impl<'a, 'p> Check<'a, 'p> {
    pub(crate) fn new(problem: &'p Problem<'a>) -> Self {
        Self { problem, cells: vec![Vec::new(); problem.sensitive().len()] }
    }

    /// Whether these rows of the table keep every promise as a class.
    pub(crate) fn holds(&mut self, rows: &[u32]) -> bool {
        let promises = self.problem.promises();
        let size = rows.len() as u64;
        if size < promises.smallest() {
            return false;
        }
        if promises.needs_values() {
            for (attribute, cells) in self.problem.sensitive().iter().zip(&mut self.cells) {
                let codes = rows.iter().map(|&row| (attribute.codes().get(row as usize), 1));
                tally(codes, attribute.n_codes() as usize, cells);
            }
        }
        promises.holds(size, &self.cells)
    }
}
