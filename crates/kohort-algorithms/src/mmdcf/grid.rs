//! The grid of sensitive values, and groups taken from it.
//!
//! Cells that have a row are the leaves of a tree, with a level for each attribute. What a cell is compared
//! by is bounded by the values on the way to a node, the largest capacity that is not blocked on each level
//! below, and the largest cell below. Capacities only ever get less, so what was found below a node when it
//! was last looked at is a bound, too. Few nodes are looked at before nothing better can follow.

use std::ops::Range;

use kohort_core::{Codes, group};
use smallvec::SmallVec;

use super::Capacity;
use crate::Problem;

/// The cells that have a row, as a tree.
pub(super) struct Grid {
    capacity: Capacity,
    // For each attribute the nodes with its values, in the order of the values on the way to them.
    levels: Vec<Vec<Node>>,
    // For each node of the last level its rows that are left, the next one last.
    rows: Vec<Vec<u32>>,
    // For each value, numbered over all attributes, the number of rows left with it, and the group for
    // which it is blocked.
    left_of_value: Vec<u32>,
    blocked: Vec<u32>,
    // The values of each attribute.
    values: Vec<Range<usize>>,
}

/// A value of one attribute, after those of the attributes before it.
struct Node {
    value: u32,
    parent: u32,
    // The first node below it, and the one after the last.
    below: Range<u32>,
    // How many rows the largest cell below it has.
    largest: u32,
    // No cell below it is compared by more.
    bound: u32,
}

/// The search for the next cell to take a row from.
struct Search<'g> {
    grid: &'g mut Grid,
    number: u32,
    // What the attributes from each level on can add at most.
    rest: Vec<u32>,
    // What the best cell is compared by, and the cell.
    best: Option<((u32, u32), usize)>,
    n_looks: usize,
}

impl Grid {
    /// The grid of these rows.
    pub(super) fn new(problem: &Problem<'_>, rows: &[u32], capacity: Capacity) -> Self {
        let sensitive = problem.sensitive();
        let codes: Vec<Codes> = sensitive.iter().map(|a| a.codes().select(rows)).collect();
        let columns = codes.iter().zip(sensitive).map(|(codes, a)| (codes, a.n_codes()));
        let grouping = group(rows.len(), columns);
        let mut cells: Vec<Vec<u32>> = vec![Vec::new(); grouping.n_classes as usize];
        for (&cell, &row) in grouping.ids.iter().zip(rows).rev() {
            cells[cell as usize].push(row);
        }
        let mut values = Vec::with_capacity(sensitive.len());
        for attribute in sensitive {
            let first = values.last().map_or(0, |last: &Range<usize>| last.end);
            values.push(first..first + attribute.n_codes() as usize);
        }
        let tuple = |rows: &Vec<u32>| -> SmallVec<[u32; 8]> {
            sensitive.iter().map(|a| a.codes().get(rows[0] as usize)).collect()
        };
        cells.sort_by_cached_key(tuple);
        let n_values = values.last().map_or(0, |last| last.end);
        let mut grid = Self {
            capacity,
            levels: sensitive.iter().map(|_| Vec::new()).collect(),
            rows: Vec::with_capacity(cells.len()),
            left_of_value: vec![0; n_values],
            blocked: vec![0; n_values],
            values,
        };
        let mut last: Option<SmallVec<[u32; 8]>> = None;
        for rows in cells {
            let tuple = tuple(&rows);
            let shared =
                last.map_or(0, |last| last.iter().zip(&tuple).take_while(|(a, b)| a == b).count());
            grid.push(&tuple, shared, rows);
            last = Some(tuple);
        }
        grid
    }

    /// Adds the next cell, which shares its first values with the last one.
    fn push(&mut self, tuple: &[u32], shared: usize, rows: Vec<u32>) {
        let size = count(rows.len());
        for (level, &code) in tuple.iter().enumerate() {
            let value = count(self.values[level].start) + code;
            self.left_of_value[value as usize] += size;
            if level >= shared {
                let parent = if level == 0 { 0 } else { count(self.levels[level - 1].len() - 1) };
                let next = self.levels.get(level + 1).map_or(self.rows.len(), Vec::len);
                let below = count(next)..count(next);
                self.levels[level].push(Node {
                    value,
                    parent,
                    below,
                    largest: size,
                    bound: u32::MAX,
                });
            }
            let node = self.levels[level].last_mut().expect("there is one for this cell");
            node.largest = node.largest.max(size);
            if level + 1 < tuple.len() && level + 1 >= shared {
                node.below.end += 1;
            }
        }
        self.rows.push(rows);
    }

    /// Steps 2 and 3: groups of l rows, and the rows that are left when no further group is found. A
    /// search that has found a cell ends after so many looks.
    pub(super) fn groups(mut self, l: usize, most_looks: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
        let mut groups = Vec::new();
        for number in 1.. {
            let mut taken = Vec::with_capacity(l);
            while taken.len() < l
                && let Some(cell) = Search::new(&mut self, number).cell(most_looks)
            {
                taken.push(self.take(cell, number));
            }
            if taken.len() < l {
                let left = self.rows.into_iter().flat_map(|rows| rows.into_iter().rev());
                return (groups, taken.into_iter().chain(left).collect());
            }
            groups.push(taken);
        }
        unreachable!("rows run out")
    }

    /// Takes a row of a cell, and blocks the cells that share a value with it.
    fn take(&mut self, cell: usize, number: u32) -> u32 {
        let row = self.rows[cell].pop().expect("the cell has a row");
        let mut at = cell;
        for level in (0..self.levels.len()).rev() {
            let node = &self.levels[level][at];
            let largest = match self.levels.get(level + 1) {
                None => count(self.rows[cell].len()),
                Some(below) => {
                    let below = &below[node.below.start as usize..node.below.end as usize];
                    below.iter().map(|node| node.largest).max().unwrap_or(0)
                }
            };
            let (value, parent) = (node.value as usize, node.parent as usize);
            self.left_of_value[value] -= 1;
            self.blocked[value] = number;
            self.levels[level][at].largest = largest;
            at = parent;
        }
        row
    }
}

impl<'g> Search<'g> {
    fn new(grid: &'g mut Grid, number: u32) -> Self {
        let mut rest = vec![0; grid.levels.len() + 1];
        for (level, values) in grid.values.iter().enumerate().rev() {
            let free = values.clone().filter(|&value| grid.blocked[value] != number);
            let most = free.map(|value| grid.left_of_value[value]).max().unwrap_or(0);
            rest[level] = with(grid.capacity, rest[level + 1], most);
        }
        Self { grid, number, rest, best: None, n_looks: 0 }
    }

    /// The cell that comes first among those that are not blocked and have a row.
    fn cell(mut self, most_looks: usize) -> Option<usize> {
        self.look(0, 0..self.grid.levels[0].len(), 0, most_looks);
        self.best.map(|(_, cell)| cell)
    }

    /// Looks at some nodes of a level, those with the largest capacity first, and at what is below them.
    /// `so_far` is what the values before them make. Gives what no cell below them is compared by more than.
    fn look(&mut self, level: usize, nodes: Range<usize>, so_far: u32, most_looks: usize) -> u32 {
        let grid = &*self.grid;
        let mut free: SmallVec<[(u32, usize); 16]> = SmallVec::new();
        for at in nodes.clone() {
            let (node, key) = (&grid.levels[level][at], self.key(level, at, so_far));
            if grid.blocked[node.value as usize] != self.number && self.is_better(key, node) {
                free.push((u32::MAX - grid.left_of_value[node.value as usize], at));
            }
        }
        free.sort_unstable();
        for (_, at) in free {
            let (node, key) = (&self.grid.levels[level][at], self.key(level, at, so_far));
            let is_late = self.best.is_some() && self.n_looks >= most_looks;
            if is_late || !self.is_better(key, node) {
                continue;
            }
            self.n_looks += 1;
            let bound = if level + 1 == self.grid.levels.len() {
                self.best = Some(((key, node.largest), at));
                key
            } else {
                let left = self.grid.left_of_value[node.value as usize];
                let so_far = with(self.grid.capacity, so_far, left);
                let below = node.below.start as usize..node.below.end as usize;
                self.look(level + 1, below, so_far, most_looks)
            };
            self.grid.levels[level][at].bound = bound;
        }
        self.grid.levels[level][nodes].iter().map(|node| node.bound).max().unwrap_or(0)
    }

    /// What no cell below a node that is not blocked is compared by more than; of a cell what it is.
    fn key(&self, level: usize, at: usize, so_far: u32) -> u32 {
        let (grid, node) = (&self.grid, &self.grid.levels[level][at]);
        match grid.capacity {
            Capacity::Cell => node.largest,
            capacity => {
                let so_far = with(capacity, so_far, grid.left_of_value[node.value as usize]);
                with(capacity, so_far, self.rest[level + 1]).min(node.bound)
            }
        }
    }

    /// Whether a cell may be below a node that comes before the best.
    fn is_better(&self, key: u32, node: &Node) -> bool {
        node.largest > 0 && self.best.is_none_or(|(best, _)| (key, node.largest) > best)
    }
}

/// What capacities make together.
fn with(capacity: Capacity, a: u32, b: u32) -> u32 {
    match capacity {
        Capacity::Sum => a + b,
        Capacity::Cell | Capacity::Largest => a.max(b),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("rows and values are counted in u32")
}
