//! The linear sum assignment problem: to each row a column of its own, at least total cost.
//!
//! # Method
//! 1. Rows are assigned one after the other. Each looks for the shortest path, by reduced cost, to a
//!    column that nobody has; rows on the path change their columns.
//! 2. The prices of rows and columns follow the path, so that reduced costs never fall below zero and the
//!    total of the rows assigned so far is least.
//! 3. That total and the least cost of each row to come bound the whole from below: a search that cannot
//!    end within the limit ends there.
//!
//! # Cost
//! O(rows² · columns) at worst; in the order of the matrix where rows agree about their columns.
//!
//! # References
//! Kuhn, Naval Research Logistics Quarterly 2, 1955; Jonker and Volgenant, Computing 38, 1987.

use crate::costs::Cost;

/// A column that nobody has, or a path's beginning.
const NOBODY: usize = usize::MAX;

/// Working space, used again for each problem.
#[derive(Default)]
pub(crate) struct Assignment {
    price_of_row: Vec<Cost>,
    price_of_column: Vec<Cost>,
    row_of_column: Vec<usize>,
    // Of the search for one row: the least reduced cost of a path to each column, the column before it,
    // and the columns that are settled.
    distance: Vec<Cost>,
    before: Vec<usize>,
    is_settled: Vec<bool>,
}

impl Assignment {
    /// The least total of a row-major matrix with no more rows than columns, if it is within `limit`.
    pub(crate) fn solve(&mut self, costs: &[Cost], n_columns: usize, limit: Cost) -> Option<Cost> {
        let n_rows = costs.len() / n_columns;
        debug_assert!(n_rows <= n_columns, "each row has a column of its own");
        let least = |row: &[Cost]| row.iter().copied().min().unwrap_or(0);
        let mut to_come: Cost = costs.chunks_exact(n_columns).map(least).sum();
        if limit < to_come {
            return None;
        }
        self.price_of_row.clear();
        self.price_of_row.resize(n_rows, 0);
        self.price_of_column.clear();
        self.price_of_column.resize(n_columns, 0);
        self.row_of_column.clear();
        self.row_of_column.resize(n_columns, NOBODY);
        let mut total = 0;
        for (row, of_row) in costs.chunks_exact(n_columns).enumerate() {
            to_come -= least(of_row);
            total += self.assign(costs, n_columns, row);
            if limit < total + to_come {
                return None;
            }
        }
        Some(total)
    }

    /// The least total alone, if it is within `limit`: few rows need no search.
    pub(crate) fn least(&mut self, costs: &[Cost], n_columns: usize, limit: Cost) -> Option<Cost> {
        let total = match costs.len() / n_columns {
            1 => two_least(costs).0.0,
            2 => {
                let (first, second) = costs.split_at(n_columns);
                let ((a, at), (next_a, _)) = two_least(first);
                let ((b, bt), (next_b, _)) = two_least(second);
                if at == bt {
                    a.saturating_add(next_b).min(next_a.saturating_add(b))
                } else {
                    a + b
                }
            }
            _ => return self.solve(costs, n_columns, limit),
        };
        (total <= limit).then_some(total)
    }

    /// The total when each row in turn takes the cheapest column that is left, and the columns that are
    /// never taken are lost. The matrix is what pairs cost beyond the loss of their columns.
    pub(crate) fn greedy(&mut self, costs: &[Cost], lost: &[Cost]) -> Cost {
        self.row_of_column.clear();
        self.row_of_column.resize(lost.len(), NOBODY);
        let mut total = lost.iter().sum();
        for (row, of_row) in costs.chunks_exact(lost.len()).enumerate() {
            let left = (0..lost.len()).filter(|&column| self.row_of_column[column] == NOBODY);
            let column = left
                .min_by_key(|&column| of_row[column] + lost[column])
                .expect("there are no more rows than columns");
            self.row_of_column[column] = row;
            total += of_row[column];
        }
        total
    }

    /// The column of a row in the problem solved last.
    pub(crate) fn column_of_row(&self, row: usize) -> usize {
        let found = self.row_of_column.iter().position(|&other| other == row);
        found.expect("every row has a column")
    }

    /// Gives a row a column, and tells what that adds to the total.
    fn assign(&mut self, costs: &[Cost], n_columns: usize, row: usize) -> Cost {
        self.distance.clear();
        self.distance.resize(n_columns, Cost::MAX);
        self.before.clear();
        self.before.resize(n_columns, NOBODY);
        self.is_settled.clear();
        self.is_settled.resize(n_columns, false);
        let (mut at, mut from, mut length) = (row, NOBODY, 0);
        let last = loop {
            let of_row = &costs[at * n_columns..][..n_columns];
            let base = length - self.price_of_row[at];
            let (mut nearest, mut least) = (NOBODY, Cost::MAX);
            for (column, &cost) in of_row.iter().enumerate() {
                if self.is_settled[column] {
                    continue;
                }
                let distance = base + cost - self.price_of_column[column];
                if distance < self.distance[column] {
                    self.distance[column] = distance;
                    self.before[column] = from;
                }
                if self.distance[column] < least {
                    (nearest, least) = (column, self.distance[column]);
                }
            }
            length = least;
            if self.row_of_column[nearest] == NOBODY {
                break nearest;
            }
            self.is_settled[nearest] = true;
            (at, from) = (self.row_of_column[nearest], nearest);
        };
        self.follow(row, last, length);
        length
    }

    /// Moves prices by what the path was shorter to each settled column, and the rows along the path.
    fn follow(&mut self, row: usize, last: usize, length: Cost) {
        self.price_of_row[row] += length;
        for column in 0..self.distance.len() {
            if self.is_settled[column] {
                let shorter = length - self.distance[column];
                self.price_of_column[column] -= shorter;
                self.price_of_row[self.row_of_column[column]] += shorter;
            }
        }
        let mut column = last;
        while self.before[column] != NOBODY {
            self.row_of_column[column] = self.row_of_column[self.before[column]];
            column = self.before[column];
        }
        self.row_of_column[column] = row;
    }
}

/// The least cost of a row with its column, and the least of the other columns.
fn two_least(of_row: &[Cost]) -> ((Cost, usize), (Cost, usize)) {
    let (mut least, mut next) = ((Cost::MAX, NOBODY), (Cost::MAX, NOBODY));
    for (column, &cost) in of_row.iter().enumerate() {
        if cost < least.0 {
            next = least;
            least = (cost, column);
        } else if cost < next.0 {
            next = (cost, column);
        }
    }
    (least, next)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The least total over all ways to give the rows columns.
    fn by_trying(costs: &[Cost], n_columns: usize, taken: &mut Vec<usize>) -> Cost {
        let Some(of_row) = costs.get(..n_columns) else { return 0 };
        let mut least = Cost::MAX;
        for (column, &cost) in of_row.iter().enumerate() {
            if !taken.contains(&column) {
                taken.push(column);
                least = least.min(cost + by_trying(&costs[n_columns..], n_columns, taken));
                taken.pop();
            }
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn no_other_assignment_costs_less(
            n_rows in 1_usize..6,
            more in 0_usize..3,
            dice in prop::collection::vec(-9_i64..10, 40),
            limit in -20_i64..40,
        ) {
            let n_columns = (n_rows + more).min(6);
            let n_rows = n_rows.min(n_columns);
            let costs = &dice[..n_rows * n_columns];
            let least = by_trying(costs, n_columns, &mut Vec::new());
            let mut assignment = Assignment::default();
            prop_assert_eq!(assignment.solve(costs, n_columns, Cost::MAX), Some(least));
            let columns = (0..n_rows).map(|row| (row, assignment.column_of_row(row)));
            let total: Cost = columns.map(|(row, column)| costs[row * n_columns + column]).sum();
            prop_assert_eq!(total, least);
            let within = assignment.solve(costs, n_columns, limit);
            prop_assert_eq!(within, (least <= limit).then_some(least));
            prop_assert_eq!(assignment.least(costs, n_columns, limit), within);
        }
    }
}
