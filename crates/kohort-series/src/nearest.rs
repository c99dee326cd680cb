//! Classes of one row of each value, put together by what is nearest: where quasi-identifiers have no order,
//! cuts do not bring together those who agree.
//!
//! # Method
//! 1. Every row of the first value begins a class, in the order of codes.
//! 2. Value after value, every class gets a row: of all pairs of a class and a row, that with the smallest
//!    loss of the class comes first. Ties: first class, first row. Classes of counterfeits so far get the
//!    rows that are left, and counterfeits go where no row is left.
//!
//! # Cost
//! O(v d c² + v c² log c), c classes of v values.

use kohort_algorithms::Space;

use crate::buckets::NOBODY;
use crate::rows::Rows;

/// As many classes as each slot has rows; each has one row of every slot, in the order of slots. One of the
/// slots has no counterfeits, so that no class is of counterfeits alone.
pub(crate) fn nearest(space: &Space, rows: &Rows, slots: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut first = slots[0].clone();
    // Counterfeits stand last.
    let codes = |row: u32| (row != NOBODY).then(|| rows.codes(row));
    first.sort_by(|&a, &b| (a == NOBODY, codes(a)).cmp(&(b == NOBODY, codes(b))));
    let mut classes: Vec<Vec<u32>> = first.into_iter().map(|row| vec![row]).collect();
    for slot in &slots[1..] {
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (at, class) in classes.iter().enumerate() {
            let edges = edges(space, rows, class);
            for (place, &row) in slot.iter().enumerate().filter(|(_, row)| **row != NOBODY) {
                pairs.push((loss(space, rows, &edges, row), at, place));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut is_taken = vec![false; slot.len()];
        let mut row_of = vec![NOBODY; classes.len()];
        for (_, at, place) in pairs {
            if row_of[at] == NOBODY && !is_taken[place] {
                (row_of[at], is_taken[place]) = (slot[place], true);
            }
        }
        classes.iter_mut().zip(row_of).for_each(|(class, row)| class.push(row));
    }
    classes
}

/// The box of a class; nothing where it is of counterfeits alone.
fn edges(space: &Space, rows: &Rows, class: &[u32]) -> Vec<(u32, u32)> {
    let mut edges = vec![(u32::MAX, 0); space.axes().len()];
    for &row in class.iter().filter(|&&row| row != NOBODY) {
        for ((lo, hi), &code) in edges.iter_mut().zip(rows.codes(row)) {
            (*lo, *hi) = ((*lo).min(code), (*hi).max(code));
        }
    }
    edges
}

/// The loss of a row of a box with one more row.
fn loss(space: &Space, rows: &Rows, edges: &[(u32, u32)], row: u32) -> f64 {
    if edges.first().is_some_and(|(lo, hi)| lo > hi) {
        return f64::INFINITY;
    }
    let axes = space.axes().iter().zip(edges).zip(rows.codes(row));
    axes.map(|((axis, &(lo, hi)), &code)| axis.cost(lo.min(code), hi.max(code))).sum()
}

#[cfg(test)]
mod tests {
    use kohort_core::History;
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{Person, histories, with_turn};

    #[test]
    fn who_agrees_is_put_together() {
        let places = [[1, 5], [9, 0], [4, 3], [9, 0], [1, 5], [4, 3]];
        let people: Vec<Person> = places.map(|quasi| Person { quasi, value: 0 }).to_vec();
        with_turn(&people, &[0, 1, 2, 3, 4, 5], &History::default(), |turn| {
            let rows = Rows::new(turn);
            let classes = nearest(turn.space, &rows, &[vec![0, 1, 2], vec![3, 4, 5]]);
            assert_eq!(classes, [[0, 4], [2, 5], [1, 3]]);
            let classes = nearest(turn.space, &rows, &[vec![0, NOBODY, 2], vec![3, 4, 5]]);
            assert_eq!(classes, [[0, 4], [2, 5], [NOBODY, 3]]);
            let classes = nearest(turn.space, &rows, &[vec![0, 1, 2], vec![3, NOBODY, 5]]);
            assert_eq!(classes, [[0, NOBODY], [2, 5], [1, 3]]);
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_row_is_in_one_class((people, _) in histories(6..60, 3)) {
            let present: Vec<u32> = (0..u32::try_from(people.len()).unwrap()).collect();
            with_turn(&people, &present, &History::default(), |turn| {
                let n = present.len() / 3;
                let slots: Vec<Vec<u32>> = present.chunks_exact(n).take(3).map(<[u32]>::to_vec).collect();
                let classes = nearest(turn.space, &Rows::new(turn), &slots);
                for (at, slot) in slots.iter().enumerate() {
                    let mut rows: Vec<u32> = classes.iter().map(|class| class[at]).collect();
                    rows.sort_unstable();
                    assert_eq!(&rows, slot);
                }
            });
        }
    }
}
