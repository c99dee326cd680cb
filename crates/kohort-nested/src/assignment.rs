//! The linear sum assignment problem: to each row a column of its own, at least total cost, where costs may be
//! told late.
//!
//! # Method
//! 1. Rows are assigned one after the other. Each looks for the shortest path, by reduced cost, to a
//!    column that nobody has; rows on the path change their columns.
//! 2. The prices of rows and columns follow the path, so that reduced costs never fall below zero and the
//!    total of the rows assigned so far is least.
//! 3. Of a cost it is enough to know what it is at least, until a path would go that way: then it is told. Costs
//!    only rise, so prices stay right, and every path is made of costs that were told.
//! 4. That total and the least cost of each row to come bound the whole from below: a search that cannot
//!    end within the limit ends there. Of rows whose cheapest column is the same, all but one pay for their
//!    second: where that alone is above the limit, no search begins.
//!
//! # Cost
//! O(rows² · columns) at worst; in the order of the matrix where rows agree about their columns. As many costs
//! are told as paths look at: few more than there are rows.
//!
//! # References
//! Kuhn, Naval Research Logistics Quarterly 2, 1955; Jonker and Volgenant, Computing 38, 1987.

use crate::costs::Cost;

/// A column that nobody has, or a path's beginning.
const NOBODY: usize = usize::MAX;

/// A problem and its working space, used again for each problem.
#[derive(Default)]
pub(crate) struct Assignment {
    // What each column costs that nobody has.
    lost: Vec<Cost>,
    // Row by row, what each pair costs beyond the loss of its column, and whether that is known or the least
    // that it can be.
    costs: Vec<Cost>,
    is_known: Vec<bool>,
    least_of_row: Vec<Cost>,
    price_of_row: Vec<Cost>,
    price_of_column: Vec<Cost>,
    row_of_column: Vec<usize>,
    // Of the search for one row: the least reduced cost of a path to each column, the stop before it, and the
    // columns that are settled.
    distance: Vec<Cost>,
    before: Vec<usize>,
    is_settled: Vec<bool>,
    stops: Vec<Stop>,
}

/// A row that a search went through.
struct Stop {
    row: usize,
    // The column that the row has, through which it was reached.
    from: usize,
    // What a path through the row costs, before the column after it.
    base: Cost,
}

impl Assignment {
    /// Begins a problem of so many rows, whose columns cost this when nobody has them.
    pub(crate) fn begin(&mut self, n_rows: usize, lost: impl Iterator<Item = Cost>) {
        self.lost.clear();
        self.lost.extend(lost);
        self.costs.resize(n_rows * self.lost.len(), 0);
        self.is_known.resize(self.costs.len(), true);
    }

    /// Sets what a row costs with each column, or what it costs at least.
    #[inline]
    pub(crate) fn set_row(&mut self, row: usize, costs: impl Iterator<Item = (Cost, bool)>) {
        let first = row * self.lost.len();
        let places = self.costs[first..].iter_mut().zip(&mut self.is_known[first..]);
        for ((place, lost), (cost, is_known)) in places.zip(&self.lost).zip(costs) {
            (*place.0, *place.1) = (cost - lost, is_known);
        }
    }

    /// Sets what each row costs with a column, or what it costs at least.
    #[inline]
    pub(crate) fn set_column(&mut self, column: usize, costs: impl Iterator<Item = (Cost, bool)>) {
        let (n_columns, lost) = (self.lost.len(), self.lost[column]);
        let rows = self.costs.chunks_exact_mut(n_columns);
        let rows = rows.zip(self.is_known.chunks_exact_mut(n_columns));
        for ((of_row, is_known_of_row), (cost, is_known)) in rows.zip(costs) {
            (of_row[column], is_known_of_row[column]) = (cost - lost, is_known);
        }
    }

    /// The least total of all rows and columns, if it is within `limit`. There are no more rows than columns. What
    /// a row costs with a column is told where it is not known.
    pub(crate) fn least(
        &mut self,
        limit: Cost,
        mut tell: impl FnMut(usize, usize) -> Cost,
    ) -> Option<Cost> {
        let (n_columns, n_rows) = (self.lost.len(), self.costs.len() / self.lost.len());
        debug_assert!(n_rows <= n_columns, "each row has a column of its own");
        let mut total = self.lost.iter().sum::<Cost>();
        let mut to_come = self.regrets(limit - total)?;
        self.price_of_row.clear();
        self.price_of_row.resize(n_rows, 0);
        self.price_of_column.clear();
        self.price_of_column.resize(n_columns, 0);
        self.row_of_column.clear();
        self.row_of_column.resize(n_columns, NOBODY);
        for row in 0..n_rows {
            to_come -= self.least_of_row[row];
            total += self.assign(row, &mut tell);
            if limit < total + to_come {
                return None;
            }
        }
        Some(total)
    }

    /// The least total of what is known, if it is within `limit`.
    pub(crate) fn least_known(&mut self, limit: Cost) -> Option<Cost> {
        self.is_known.fill(true);
        self.least(limit, |_, _| 0)
    }

    /// The least total of a row-major matrix, with columns that cost nothing where nobody has them.
    pub(crate) fn solve(&mut self, costs: &[Cost], n_columns: usize) -> Cost {
        self.begin(costs.len() / n_columns, std::iter::repeat_n(0, n_columns));
        self.costs.copy_from_slice(costs);
        self.least_known(Cost::MAX).expect("there is no limit")
    }

    /// The sum of the least costs of the rows, if the least total can be within the limit.
    fn regrets(&mut self, limit: Cost) -> Option<Cost> {
        // The most that a row with this cheapest column would pay beyond it.
        self.distance.clear();
        self.distance.resize(self.lost.len(), 0);
        self.least_of_row.clear();
        let (mut least_of_all, mut regrets) = (0, 0);
        for of_row in self.costs.chunks_exact(self.lost.len()) {
            let ((least, column), next) = two_least(of_row);
            let regret = if next == Cost::MAX { 0 } else { next - least };
            self.least_of_row.push(least);
            least_of_all += least;
            regrets += regret.min(self.distance[column]);
            self.distance[column] = regret.max(self.distance[column]);
        }
        (least_of_all + regrets <= limit).then_some(least_of_all)
    }

    /// The total when each row in turn takes the cheapest column that is left, by what the pair costs.
    pub(crate) fn greedy(&mut self) -> Cost {
        let (n_columns, lost) = (self.lost.len(), &self.lost);
        self.row_of_column.clear();
        self.row_of_column.resize(n_columns, NOBODY);
        let mut total = lost.iter().sum();
        for (row, of_row) in self.costs.chunks_exact(n_columns).enumerate() {
            let left = (0..n_columns).filter(|&column| self.row_of_column[column] == NOBODY);
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
    fn assign(&mut self, row: usize, tell: &mut impl FnMut(usize, usize) -> Cost) -> Cost {
        loop {
            let reduced = self.costs[row * self.lost.len()..].iter().zip(&self.price_of_column);
            let reduced = reduced.map(|(cost, price)| cost - price).enumerate();
            let nearest = reduced.min_by_key(|&(_, cost)| cost);
            let (column, length) = nearest.expect("there is a column for each row");
            if self.is_told(row, column, tell) {
                continue;
            }
            if self.row_of_column[column] != NOBODY {
                return self.search(row, tell);
            }
            self.row_of_column[column] = row;
            self.price_of_row[row] = length;
            return length;
        }
    }

    /// Asks for a cost that is not known; whether it was told.
    #[inline]
    fn is_told(
        &mut self,
        row: usize,
        column: usize,
        tell: &mut impl FnMut(usize, usize) -> Cost,
    ) -> bool {
        let at = row * self.lost.len() + column;
        if self.is_known[at] {
            return false;
        }
        self.costs[at] = tell(row, column) - self.lost[column];
        self.is_known[at] = true;
        true
    }

    /// Gives a row a column where the nearest is taken.
    fn search(&mut self, row: usize, tell: &mut impl FnMut(usize, usize) -> Cost) -> Cost {
        let n_columns = self.lost.len();
        self.distance.clear();
        self.distance.resize(n_columns, Cost::MAX);
        self.before.clear();
        self.before.resize(n_columns, NOBODY);
        self.is_settled.clear();
        self.is_settled.resize(n_columns, false);
        self.stops.clear();
        let (mut at, mut from, mut length) = (row, NOBODY, 0);
        let last = loop {
            self.stops.push(Stop { row: at, from, base: length - self.price_of_row[at] });
            self.relax();
            let nearest = self.nearest(tell);
            length = self.distance[nearest];
            if self.row_of_column[nearest] == NOBODY {
                break nearest;
            }
            self.is_settled[nearest] = true;
            (at, from) = (self.row_of_column[nearest], nearest);
        };
        self.follow(row, last, length);
        length
    }

    /// Shortens the paths to columns by those through the last stop.
    fn relax(&mut self) {
        let last = self.stops.len() - 1;
        let Stop { row, base, .. } = self.stops[last];
        let of_row = &self.costs[row * self.lost.len()..];
        let columns = of_row.iter().zip(&self.price_of_column).zip(&self.is_settled);
        let paths = self.distance.iter_mut().zip(&mut self.before);
        for (((cost, price), is_settled), (distance, before)) in columns.zip(paths) {
            let through = base + cost - price;
            if through < *distance && !is_settled {
                (*distance, *before) = (through, last);
            }
        }
    }

    /// The column to which the path is shortest, of those that are not settled.
    fn nearest(&mut self, tell: &mut impl FnMut(usize, usize) -> Cost) -> usize {
        loop {
            let (mut nearest, mut least) = (NOBODY, Cost::MAX);
            for (column, (&distance, is_settled)) in
                self.distance.iter().zip(&self.is_settled).enumerate()
            {
                if distance < least && !is_settled {
                    (nearest, least) = (column, distance);
                }
            }
            if !self.is_told(self.stops[self.before[nearest]].row, nearest, tell) {
                return nearest;
            }
            let (n_columns, price) = (self.lost.len(), self.price_of_column[nearest]);
            let through =
                |stop: &Stop| stop.base + self.costs[stop.row * n_columns + nearest] - price;
            let paths = self.stops.iter().map(through).enumerate();
            let (before, distance) = paths.min_by_key(|&(_, length)| length).expect("it was near");
            (self.before[nearest], self.distance[nearest]) = (before, distance);
        }
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
        while column != NOBODY {
            let Stop { row, from, .. } = self.stops[self.before[column]];
            self.row_of_column[column] = row;
            column = from;
        }
    }
}

/// The least cost of a row with its column, and the least of the other columns.
fn two_least(of_row: &[Cost]) -> ((Cost, usize), Cost) {
    let (mut least, mut at, mut next) = (Cost::MAX, NOBODY, Cost::MAX);
    for (column, &cost) in of_row.iter().enumerate() {
        next = next.min(cost.max(least));
        if cost < least {
            (least, at) = (cost, column);
        }
    }
    ((least, at), next)
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
            less in prop::collection::vec(0_i64..5, 40),
            limit in -20_i64..40,
            is_by_rows: bool,
        ) {
            let n_columns = (n_rows + more).min(6);
            let n_rows = n_rows.min(n_columns);
            let costs = &dice[..n_rows * n_columns];
            let lost = &less[less.len() - n_columns..];
            let beyond: Vec<Cost> = costs.chunks_exact(n_columns)
                .flat_map(|of_row| of_row.iter().zip(lost).map(|(cost, lost)| cost - lost))
                .collect();
            let least = by_trying(&beyond, n_columns, &mut Vec::new()) + lost.iter().sum::<Cost>();
            let mut assignment = Assignment::default();
            let mut solve = |limit: Cost| {
                assignment.begin(n_rows, lost.iter().copied());
                let told: Vec<(Cost, bool)> =
                    costs.iter().zip(&less).map(|(cost, &less)| (cost - less, less == 0)).collect();
                for (row, of_row) in told.chunks_exact(n_columns).enumerate() {
                    if is_by_rows {
                        assignment.set_row(row, of_row.iter().copied());
                    }
                }
                for column in (0..n_columns).filter(|_| !is_by_rows) {
                    assignment.set_column(column, told[column..].iter().copied().step_by(n_columns));
                }
                let found = assignment.least(limit, |row, column| costs[row * n_columns + column]);
                let columns = |row: usize| beyond[row * n_columns + assignment.column_of_row(row)];
                if found.is_some() {
                    let total: Cost = (0..n_rows).map(columns).sum();
                    assert_eq!(Some(total + lost.iter().sum::<Cost>()), found);
                }
                found
            };
            prop_assert_eq!(solve(Cost::MAX), Some(least));
            prop_assert_eq!(solve(limit), (least <= limit).then_some(least));
        }
    }
}
