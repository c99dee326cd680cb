//! Cuts of all items into classes of near rows, as Mondrian makes them.
//!
//! # Method
//! 1. Start with all items as one part.
//! 2. Numbers and dates: cut at the place with the least loss, with a quarter of the items or more on
//!    either side. Taxonomies: take the smallest node that covers the part; its children are the parts, and
//!    those with too few items stay together, with the smallest of the others where these are too few.
//! 3. Of the cuts along each axis take the one after which least is lost, and go on with each part. A part
//!    without a cut into parts of `size` items is a class.
//! 4. Do it again with the cut along the axis that costs most, and keep what loses less.
//!
//! # References
//! LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity, ICDE 2006. specs/03 §5.

use kohort_algorithms::{Branch, Space, branches};
use kohort_core::{Attribute, Cell};
use rayon::prelude::*;

use super::line::Line;
use crate::Turn;

/// Each side of a cut of numbers has at least one in so many of the items.
const LEAST_PART: usize = 4;
/// Parts of at least this many items are worth another thread.
const LARGE: usize = 4096;

/// The items in classes of `size` or more where there are as many; near ones follow one another.
pub(super) fn cut(turn: &Turn<'_>, line: &Line, size: usize) -> Vec<Vec<u32>> {
    let n = u32::try_from(line.items.len()).expect("rows fit u32");
    let quasi = turn.data.quasi();
    let children = quasi.iter().map(|attribute| {
        if attribute.is_ranged() { Vec::new() } else { branches(attribute.taxonomy()) }
    });
    let (space, children) = (turn.space, children.collect());
    let mut run = Run { space, line, size, quasi, children, takes_widest: false };
    let least = run.cut((0..n).collect());
    run.takes_widest = true;
    let widest = run.cut((0..n).collect());
    let loss = |classes: &[Vec<u32>]| -> f64 { classes.iter().map(|class| run.loss(class)).sum() };
    if loss(&widest) < loss(&least) - 1e-12 { widest } else { least }
}

struct Run<'a> {
    space: &'a Space,
    line: &'a Line,
    size: usize,
    quasi: Vec<&'a Attribute>,
    // For each axis and node, its children; nothing for numbers and dates published as ranges.
    children: Vec<Vec<Vec<Branch>>>,
    // Whether the axis that costs most is cut, not the one after which least is lost.
    takes_widest: bool,
}

impl Run<'_> {
    fn cut(&self, items: Vec<u32>) -> Vec<Vec<u32>> {
        if items.len() < 2 * self.size {
            return vec![items];
        }
        let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
        for axis in 0..self.space.n_axes() {
            let mut sorted = items.clone();
            sorted.sort_by_key(|&item| self.code(item, axis));
            let (lo, hi) = (self.code(sorted[0], axis), self.code(sorted[items.len() - 1], axis));
            let parts = match self.quasi[axis].smallest_cell(lo, hi) {
                Cell::Node(node) if !self.children[axis].is_empty() => {
                    self.below(&sorted, axis, &self.children[axis][node as usize])
                }
                _ => self.halves(sorted, axis),
            };
            let Some(parts) = parts else { continue };
            let score = if self.takes_widest {
                -self.space.axes()[axis].cost(lo, hi)
            } else {
                parts.iter().map(|part| self.loss(part)).sum::<f64>()
            };
            if best.as_ref().is_none_or(|(least, _)| score < least - 1e-12) {
                best = Some((score, parts));
            }
        }
        let Some((_, parts)) = best else { return vec![items] };
        if items.len() < LARGE {
            return parts.into_iter().flat_map(|part| self.cut(part)).collect();
        }
        let cut: Vec<Vec<Vec<u32>>> = parts.into_par_iter().map(|part| self.cut(part)).collect();
        cut.into_iter().flatten().collect()
    }

    fn code(&self, item: u32, axis: usize) -> u32 {
        self.line.codes(item)[axis]
    }

    /// Step 2 for numbers: items in the order of the axis, cut in two between different codes.
    fn halves(&self, mut sorted: Vec<u32>, axis: usize) -> Option<Vec<Vec<u32>>> {
        let n = sorted.len();
        let before = self.losses(sorted.iter());
        let after = self.losses(sorted.iter().rev());
        let loss = |at: usize| before[at - 1] + after[n - at - 1];
        let least = self.size.max(n / LEAST_PART);
        let is_place = |&at: &usize| self.code(sorted[at - 1], axis) < self.code(sorted[at], axis);
        let from_middle = |at: usize| n.abs_diff(2 * at);
        let at = (least..=n - least).filter(is_place).min_by(|&a, &b| {
            loss(a).total_cmp(&loss(b)).then(from_middle(a).cmp(&from_middle(b)))
        })?;
        let right = sorted.split_off(at);
        Some(vec![sorted, right])
    }

    /// Step 2 for taxonomies: items in the order of the axis, parted among the children of a node.
    fn below(&self, sorted: &[u32], axis: usize, children: &[Branch]) -> Option<Vec<Vec<u32>>> {
        let (mut parts, mut rest) = (Vec::new(), Vec::new());
        for child in children {
            let start = sorted.partition_point(|&item| self.code(item, axis) < child.first);
            let end = sorted.partition_point(|&item| self.code(item, axis) <= child.last);
            if end - start >= self.size {
                parts.push(sorted[start..end].to_vec());
            } else {
                rest.extend(&sorted[start..end]);
            }
        }
        while !rest.is_empty() && rest.len() < self.size {
            let smallest = parts.iter().enumerate().min_by_key(|(_, part)| part.len());
            let (at, _) = smallest?;
            rest.extend(parts.remove(at));
        }
        parts.extend((!rest.is_empty()).then_some(rest));
        (parts.len() > 1).then_some(parts)
    }

    fn loss(&self, items: &[u32]) -> f64 {
        self.losses(items.iter()).last().copied().unwrap_or(0.0)
    }

    /// The loss of the first of these items, of the first two, and so on.
    fn losses<'i>(&self, items: impl Iterator<Item = &'i u32>) -> Vec<f64> {
        let mut lo = vec![u32::MAX; self.space.n_axes()];
        let mut hi = vec![0; self.space.n_axes()];
        let mut n_items = 0.0;
        let add = |&item: &u32| {
            n_items += 1.0;
            for ((lo, hi), &code) in lo.iter_mut().zip(&mut hi).zip(self.line.codes(item)) {
                (*lo, *hi) = (code.min(*lo), code.max(*hi));
            }
            n_items * self.space.cost(&lo, &hi)
        };
        items.map(add).collect()
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::History;
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{Person, histories, with_turn};

    /// The people of each class of a table.
    fn classes(people: &[Person], size: usize) -> Vec<Vec<u32>> {
        let present: Vec<u32> = (0..u32::try_from(people.len()).unwrap()).collect();
        with_turn(people, &present, &History::default(), |turn| {
            let correlations = kohort_models::series::Correlations::default();
            let step = correlations.complete(vec![1.0]);
            let line = Line::new(turn, &vec![None; people.len()], &[], &step);
            let row = |&item: &u32| line.items[item as usize].row.unwrap();
            cut(turn, &line, size).iter().map(|class| class.iter().map(row).collect()).collect()
        })
    }

    #[test]
    fn who_is_near_is_together() {
        let places = [[0, 0], [9, 0], [9, 8], [0, 8], [1, 0], [8, 0], [8, 8], [1, 8]];
        let people = places.map(|quasi| Person { quasi, value: 0 });
        let mut found = classes(&people, 2);
        for class in &mut found {
            class.sort_unstable();
        }
        found.sort();
        assert_eq!(found, [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(classes(&people, 5).len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // A table without columns of text has no part that can be cut no further but by its size and ties.
        #[test]
        fn everybody_is_in_one_class_of_the_size((people, _) in histories(1..60, 3), size in 1_usize..9) {
            let found = classes(&people, size);
            let mut all: Vec<u32> = found.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..u32::try_from(people.len()).unwrap()));
            for class in &found {
                prop_assert!(class.len() >= size.min(people.len()));
                for axis in 0..2 {
                    // No place with a quarter on either side is left to cut at.
                    let mut codes: Vec<u32> =
                        class.iter().map(|&person| people[person as usize].quasi[axis]).collect();
                    codes.sort_unstable();
                    let least = size.max(codes.len() / LEAST_PART);
                    let mut places = least..(codes.len() + 1).saturating_sub(least);
                    prop_assert!(!places.any(|at| codes[at - 1] < codes[at]));
                }
            }
        }
    }
}
