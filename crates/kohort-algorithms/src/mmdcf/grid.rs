//! The grid of sensitive values, and groups taken from it.

use kohort_core::{Codes, group};

use super::Capacity;
use crate::Problem;

/// The cells that have a row, in the order of their first rows.
pub(super) struct Grid {
    d: usize,
    // For each cell its values, numbered over all attributes: row-major.
    tuples: Vec<u32>,
    // For each cell its rows that are left, the next one last.
    rows: Vec<Vec<u32>>,
    // For each value its cells, and the number of rows left with it.
    cells_of_value: Vec<Vec<u32>>,
    left_of_value: Vec<u32>,
    // For each cell what it is compared by, where a row is left.
    keys: Vec<u32>,
    // The group for which a cell is blocked.
    blocked: Vec<u32>,
}

impl Grid {
    /// The grid of these rows.
    pub(super) fn new(problem: &Problem<'_>, rows: &[u32]) -> Self {
        let sensitive = problem.sensitive();
        let codes: Vec<Codes> = sensitive.iter().map(|a| a.codes().select(rows)).collect();
        let columns = codes.iter().zip(sensitive).map(|(codes, a)| (codes, a.n_codes()));
        let grouping = group(rows.len(), columns);
        let n_cells = grouping.n_classes as usize;
        let mut rows_of_cell: Vec<Vec<u32>> = vec![Vec::new(); n_cells];
        for (&cell, &row) in grouping.ids.iter().zip(rows).rev() {
            rows_of_cell[cell as usize].push(row);
        }
        let d = sensitive.len();
        let n_values: u32 = sensitive.iter().map(|attribute| attribute.n_codes()).sum();
        let mut tuples = Vec::with_capacity(n_cells * d);
        let mut cells_of_value = vec![Vec::new(); n_values as usize];
        let mut left_of_value = vec![0; n_values as usize];
        for (cell, rows) in (0..).zip(&rows_of_cell) {
            let mut first = 0;
            for attribute in sensitive {
                let value = first + attribute.codes().get(rows[0] as usize);
                tuples.push(value);
                cells_of_value[value as usize].push(cell);
                left_of_value[value as usize] += u32::try_from(rows.len()).unwrap_or(u32::MAX);
                first += attribute.n_codes();
            }
        }
        let (keys, blocked) = (vec![0; n_cells], vec![0; n_cells]);
        Self { d, tuples, rows: rows_of_cell, cells_of_value, left_of_value, keys, blocked }
    }

    /// The number of cells.
    pub(super) fn n_cells(&self) -> usize {
        self.rows.len()
    }

    /// Steps 2 and 3: groups of l rows, and the rows that are left when no further group is found.
    pub(super) fn groups(mut self, capacity: Capacity, l: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
        for cell in 0..self.n_cells() {
            self.keys[cell] = self.key(capacity, cell);
        }
        let mut groups = Vec::new();
        for number in 1.. {
            let mut taken = Vec::with_capacity(l);
            while taken.len() < l
                && let Some(cell) = self.largest(number)
            {
                taken.push(self.take(capacity, cell, number));
            }
            if taken.len() < l {
                let left = self.rows.into_iter().flat_map(|rows| rows.into_iter().rev());
                return (groups, taken.into_iter().chain(left).collect());
            }
            groups.push(taken);
        }
        unreachable!("rows run out")
    }

    /// The cell that comes first among those that are not blocked and have a row.
    fn largest(&self, number: u32) -> Option<usize> {
        let mut best: Option<(u32, usize, usize)> = None;
        for (cell, (&key, &blocked)) in self.keys.iter().zip(&self.blocked).enumerate() {
            if blocked == number || best.is_some_and(|(most, _, _)| key < most) {
                continue;
            }
            let size = self.rows[cell].len();
            if size > 0 && best.is_none_or(|(most, larger, _)| (key, size) > (most, larger)) {
                best = Some((key, size, cell));
            }
        }
        best.map(|(_, _, cell)| cell)
    }

    /// Takes a row of a cell, and blocks the cells that share a value with it.
    fn take(&mut self, capacity: Capacity, cell: usize, number: u32) -> u32 {
        let row = self.rows[cell].pop().expect("the cell has a row");
        for at in cell * self.d..(cell + 1) * self.d {
            let value = self.tuples[at] as usize;
            self.left_of_value[value] -= 1;
            for &other in &self.cells_of_value[value] {
                self.blocked[other as usize] = number;
                if capacity == Capacity::Sum {
                    self.keys[other as usize] -= 1;
                }
            }
        }
        match capacity {
            Capacity::Sum => {}
            Capacity::Cell => self.keys[cell] -= 1,
            Capacity::Largest => {
                for at in cell * self.d..(cell + 1) * self.d {
                    for index in 0..self.cells_of_value[self.tuples[at] as usize].len() {
                        let other = self.cells_of_value[self.tuples[at] as usize][index] as usize;
                        self.keys[other] = self.key(capacity, other);
                    }
                }
            }
        }
        row
    }

    /// What a cell is compared by.
    fn key(&self, capacity: Capacity, cell: usize) -> u32 {
        let values = self.tuples[cell * self.d..(cell + 1) * self.d].iter();
        let left = values.map(|&value| self.left_of_value[value as usize]);
        match capacity {
            Capacity::Sum => left.sum(),
            Capacity::Cell => u32::try_from(self.rows[cell].len()).unwrap_or(u32::MAX),
            Capacity::Largest => left.max().unwrap_or(0),
        }
    }
}
