//! Lists of near records, by the distance of their sketches.
//!
//! # Method
//! 1. Few records: everybody is compared with everybody.
//! 2. Many: each is compared with those that stand beside it in several orders, by sums of the sketch with signs.
//! 3. Then rounds: whoever is near somebody near, in either direction, is compared as well.
//!
//! # Cost
//! O(n · (window + listed²)) comparisons where there are many.
//!
//! # References
//! Dong, Charikar and Li, WWW 2011 (neighbors of neighbors are likely neighbors).

use rayon::prelude::*;

use super::sketch::{SLOTS, Sketch, distance};

/// Up to so many records, everybody is compared with everybody.
const ALL: usize = 6_000;

/// Beyond that, each with so many on either side of it, in each of the orders.
const WINDOW: usize = 128;

/// The orders: by the sum of the sketch, and by sums of its slots with signs that are drawn.
pub(super) const ORDERS: usize = 4;

/// The rounds in which those near somebody near are compared.
const ROUNDS: usize = 2;

/// The near records of a record, for each member of the smallest class: more of them where everybody was compared.
/// Large classes lose much, so that the loss of labels, which is what sketches tell, tells less.
const MANY: usize = 8;
const FEW: usize = 4;

/// The fewest and the most of them, where everybody was compared and where not.
const MANY_WITHIN: (usize, usize) = (24, 64);
const FEW_WITHIN: (usize, usize) = (16, 24);

/// The near records of a record with their distances, the nearest first.
type Listed = Vec<(u32, u32)>;

/// The near records of each record, the nearest first, for classes of at least `size`.
pub(super) fn lists(sketches: &[Sketch], size: usize) -> Vec<Vec<u32>> {
    let times = |n: usize, (least, most)| size.saturating_mul(n).clamp(least, most);
    if sketches.len() <= ALL {
        return among_all(sketches, times(MANY, MANY_WITHIN));
    }
    among_some(sketches, times(FEW, FEW_WITHIN))
}

/// The near records of each record, of all.
pub(super) fn among_all(sketches: &[Sketch], n: usize) -> Vec<Vec<u32>> {
    let all = || 0..number(sketches.len());
    let of_record = |compared: &mut Listed, record| nearest(sketches, compared, record, all(), n);
    let lists: Vec<Listed> =
        (0..sketches.len()).into_par_iter().map_init(Vec::new, of_record).collect();
    stripped(&lists)
}

/// The near records of each record, of some that are likely near.
pub(super) fn among_some(sketches: &[Sketch], n: usize) -> Vec<Vec<u32>> {
    let mut lists = beside(sketches, n);
    for _ in 0..ROUNDS {
        lists = around(sketches, &lists, n);
    }
    stripped(&lists)
}

fn stripped(lists: &[Listed]) -> Vec<Vec<u32>> {
    lists.iter().map(|list| list.iter().map(|&(_, other)| other).collect()).collect()
}

/// The nearest of some records, each of which is named once.
fn nearest(
    sketches: &[Sketch],
    compared: &mut Listed,
    record: usize,
    others: impl Iterator<Item = u32>,
    n: usize,
) -> Listed {
    kohort_core::alive();
    let sketch = &sketches[record];
    compared.clear();
    compared.extend(
        others
            .filter(|&other| other as usize != record)
            .map(|other| (distance(sketch, &sketches[other as usize]), other)),
    );
    if compared.len() > n {
        compared.select_nth_unstable(n);
        compared.truncate(n);
    }
    compared.sort_unstable();
    // Those that were compared are many more: a list has room for itself alone.
    compared.as_slice().to_vec()
}

/// The near records of each record, of those that stand beside it in one of the orders.
fn beside(sketches: &[Sketch], n: usize) -> Vec<Listed> {
    let orders: Vec<Vec<u32>> = (0..ORDERS).map(|order| ordered(sketches, order)).collect();
    let places: Vec<Vec<u32>> = orders
        .iter()
        .map(|order| {
            let mut places = vec![0; sketches.len()];
            for (place, &record) in order.iter().enumerate() {
                places[record as usize] = number(place);
            }
            places
        })
        .collect();
    let of_record = |(others, compared): &mut (Vec<u32>, Listed), record: usize| {
        others.clear();
        for (order, places) in orders.iter().zip(&places) {
            let place = places[record] as usize;
            let window = place.saturating_sub(WINDOW)..(place + WINDOW).min(sketches.len());
            others.extend_from_slice(&order[window]);
        }
        others.sort_unstable();
        others.dedup();
        nearest(sketches, compared, record, others.iter().copied(), n)
    };
    (0..sketches.len()).into_par_iter().map_init(Default::default, of_record).collect()
}

/// The records by the sum of their slots, each with a sign; in the first order all signs are plus.
pub(super) fn ordered(sketches: &[Sketch], order: usize) -> Vec<u32> {
    let sign = |slot: usize| {
        let mixed = ((order * SLOTS + slot) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63;
        if order == 0 || mixed == 0 { 1 } else { -1 }
    };
    let sums: Vec<i64> = (sketches.iter())
        .map(|sketch| {
            sketch.iter().enumerate().map(|(slot, &share)| sign(slot) * i64::from(share)).sum()
        })
        .collect();
    let mut records: Vec<u32> = (0..).take(sketches.len()).collect();
    records.sort_by_key(|&record| (sums[record as usize], record));
    records
}

/// The near records of each record, of those listed and of those near them; lists are read in both directions.
fn around(sketches: &[Sketch], lists: &[Listed], n: usize) -> Vec<Listed> {
    let mut linked: Vec<Vec<u32>> = stripped(lists);
    for (record, list) in (0..).zip(lists) {
        for &(_, other) in list {
            // Who is near very many is not compared with all of them.
            if linked[other as usize].len() < 2 * n {
                linked[other as usize].push(record);
            }
        }
    }
    let of_record = |(others, compared): &mut (Vec<u32>, Listed), record: usize| {
        others.clear();
        for &near in &linked[record] {
            others.push(near);
            others.extend_from_slice(&linked[near as usize]);
        }
        others.sort_unstable();
        others.dedup();
        nearest(sketches, compared, record, others.iter().copied(), n)
    };
    (0..sketches.len()).into_par_iter().map_init(Default::default, of_record).collect()
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("records are numbered by u32")
}
