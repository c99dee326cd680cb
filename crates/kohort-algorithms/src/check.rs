//! Whether rows, taken as one class, keep the promises of a problem.

use kohort_models::tally;

use crate::hitting::needs_deletions;
use crate::{Failure, Problem};

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
        let deletions = self.problem.fewest_deletions();
        promises.holds(size, &self.cells)
            && deletions.is_none_or(|l| needs_deletions(self.problem.sensitive(), rows, l))
    }
}

/// Refuses a problem whose rows, all in one class, do not keep the promises.
pub(crate) fn require_feasible(problem: &Problem<'_>) -> Result<(), Failure> {
    let (n_rows, smallest) = (problem.n_rows(), problem.smallest());
    if n_rows < smallest {
        let reason = format!("the table has {n_rows} rows, but a class needs at least {smallest}");
        return Err(Failure::infeasible(reason));
    }
    let rows: Vec<u32> = (0..).take(n_rows).collect();
    if Check::new(problem).holds(&rows) {
        return Ok(());
    }
    Err(Failure::infeasible(if problem.promises().is_monotone() {
        "the table as one class does not keep every promise"
    } else {
        "the table as one class does not keep every promise; one of them is not monotone, so that classes may \
         keep it all the same: `auto` or a full-domain method (`optimal`, `samarati`) may find a release"
    }))
}
