//! Top-down refinement in which a failure tells nothing about anybody in particular.

use crate::Draw;
use crate::Problem;
use crate::check::Check;

/// Rows that stay together from here on.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) rows: Vec<u32>,
    /// The mean code on each axis.
    pub(super) center: Vec<u32>,
}

impl Column {
    /// A column of these rows, of which nothing else is known.
    pub(super) fn anywhere(rows: Vec<u32>) -> Self {
        Self { rows, center: Vec::new() }
    }

    /// Two columns as one.
    fn joined(mut self, other: Self) -> Self {
        let (n, m) = (self.rows.len() as u64, other.rows.len() as u64);
        for (mine, theirs) in self.center.iter_mut().zip(other.center) {
            let sum = u64::from(*mine) * n + u64::from(theirs) * m;
            *mine = u32::try_from(sum / (n + m)).unwrap_or(u32::MAX);
        }
        self.rows.extend(other.rows);
        self
    }
}

/// How columns are cut and joined, without a look at sensitive values.
pub(super) trait Order {
    /// Puts 2^j columns in order, so that near ones are in the same half, and in the same half of that half.
    fn arrange(&self, node: &mut [Column]);

    /// Puts the columns of both sides in an order in which those at the same place are near each other.
    fn align(&self, left: &mut [Column], right: &mut [Column]);

    /// Puts columns in order, so that the first half is apart from the second.
    fn sort(&self, node: &mut [Column]);

    /// Some rows as a column.
    fn column(&self, rows: Vec<u32>) -> Column;
}

/// How often blocks are dealt to trees before fewer trees are made.
const TRIES: usize = 64;

/// The classes of rows in blocks of equal size; none where the rows as one class break a promise.
pub(super) fn refine(
    problem: &Problem<'_>,
    order: &dyn Order,
    blocks: Vec<Vec<u32>>,
    draw: &mut Draw,
) -> Option<Vec<Vec<u32>>> {
    let mut blocks: Vec<Column> = blocks.into_iter().map(|rows| order.column(rows)).collect();
    let mut run = Run { check: Check::new(problem), problem, order, classes: Vec::new() };
    let n_roots = blocks.len().count_ones() as usize;
    let sizes: Vec<usize> = (0..usize::BITS).rev().map(|bit| blocks.len() & (1 << bit)).collect();
    let sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
    // Random blocks are in trees of 2^j; the last `n_joined` trees are one class where they must be.
    for n_joined in 1..=n_roots {
        let joined: usize = sizes[n_roots - n_joined..].iter().sum();
        let sizes = [&sizes[..n_roots - n_joined], &[joined]].concat();
        for _ in 0..if n_joined == n_roots { 1 } else { TRIES } {
            if sizes.len() > 1 {
                draw.shuffle(&mut blocks);
            }
            let mut ends = blocks.as_slice();
            let is_kept = sizes.iter().all(|&size| {
                let (root, rest) = ends.split_at(size);
                ends = rest;
                run.holds(&[root])
            });
            if !is_kept {
                continue;
            }
            for (at, &size) in sizes.iter().enumerate() {
                let rest = blocks.split_off(size);
                let mut root = std::mem::replace(&mut blocks, rest);
                if n_joined > 1 && at + 1 == sizes.len() {
                    run.classes.push(rows_of(&root));
                } else {
                    order.arrange(&mut root);
                    run.refine(root, true);
                }
            }
            return Some(run.classes);
        }
    }
    None
}

struct Run<'a, 'p, 'd> {
    check: Check<'a, 'p>,
    problem: &'p Problem<'a>,
    order: &'d dyn Order,
    classes: Vec<Vec<u32>>,
}

fn rows_of(columns: &[Column]) -> Vec<u32> {
    columns.iter().flat_map(|column| &column.rows).copied().collect()
}

impl Run<'_, '_, '_> {
    /// Cuts an arranged node of 2^j columns, which keeps the promises, while both halves do. Where they do not, each
    /// column of one half joins one of the other, and the node is cut in another direction. `are_blocks` is
    /// whether no column was joined yet.
    fn refine(&mut self, mut node: Vec<Column>, mut are_blocks: bool) {
        while node.len() > 1 {
            let mut right = node.split_off(node.len() / 2);
            let mut left = node;
            let is_too_small = rows_of(&left).len() < self.problem.smallest();
            if !is_too_small && self.holds(&[&left, &right]) {
                self.refine(left, are_blocks);
                node = right;
                continue;
            }
            if left.len() == 1 && are_blocks {
                (left, right) = (self.narrower(&left[0]), self.narrower(&right[0]));
            }
            are_blocks = false;
            self.order.align(&mut left, &mut right);
            node = left.into_iter().zip(right).map(|(a, b)| a.joined(b)).collect();
            self.order.arrange(&mut node);
        }
        self.classes.extend(node.into_iter().map(|column| column.rows));
    }

    /// Whether the rows of each part, as a class, keep the promises.
    fn holds(&mut self, parts: &[&[Column]]) -> bool {
        parts.iter().all(|part| self.check.holds(&rows_of(part)))
    }

    /// A column as 2^j columns of as many rows each, as many as there can be.
    fn narrower(&self, column: &Column) -> Vec<Column> {
        let mut parts = vec![column.rows.iter().map(|&row| self.order.column(vec![row])).collect()];
        loop {
            let of_one: &Vec<Column> = &parts[0];
            if !of_one.len().is_multiple_of(2) {
                break;
            }
            for part in &mut parts {
                self.order.sort(part);
            }
            let half = parts[0].len() / 2;
            parts = parts
                .iter()
                .flat_map(|part| [part[..half].to_vec(), part[half..].to_vec()])
                .collect();
        }
        parts.iter().map(|part| self.order.column(rows_of(part))).collect()
    }
}
