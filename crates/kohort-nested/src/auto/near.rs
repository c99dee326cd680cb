//! Lists of near records, by the distance of their sketches.

use rayon::prelude::*;

use super::sketch::{SLOTS, Sketch, distance};

/// Up to so many records, everybody is compared with everybody.
const ALL: usize = 6_000;

/// Beyond that, each with so many on either side of it, in each of the orders.
const WINDOW: usize = 400;

/// The orders: by the sum of the sketch, and by sums of its slots with signs that are drawn.
const ORDERS: usize = 4;

/// The near records of a record: more of them where everybody was compared.
const MANY: usize = 24;
const FEW: usize = 16;

/// The near records of each record, the nearest first.
pub(super) fn lists(sketches: &[Sketch]) -> Vec<Vec<u32>> {
    let n = sketches.len();
    let number = |at: usize| u32::try_from(at).expect("records are numbered by u32");
    let nearest = |record: usize, others: &mut dyn Iterator<Item = u32>, n_near: usize| {
        let sketch = &sketches[record];
        let mut found: Vec<(u32, u32)> = others
            .filter(|&other| other as usize != record)
            .map(|other| (distance(sketch, &sketches[other as usize]), other))
            .collect();
        if found.len() > n_near {
            found.select_nth_unstable(n_near);
            found.truncate(n_near);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|(_, other)| other).collect::<Vec<u32>>()
    };
    if n <= ALL {
        return (0..n).into_par_iter().map(|r| nearest(r, &mut (0..number(n)), MANY)).collect();
    }
    let orders: Vec<Vec<u32>> = (0..ORDERS).map(|order| ordered(sketches, order)).collect();
    let places: Vec<Vec<u32>> = orders
        .iter()
        .map(|order| {
            let mut places = vec![0; n];
            for (place, &record) in order.iter().enumerate() {
                places[record as usize] = number(place);
            }
            places
        })
        .collect();
    let of_record = |record: usize| {
        let mut others = orders.iter().zip(&places).flat_map(|(order, places)| {
            let place = places[record] as usize;
            order[place.saturating_sub(WINDOW)..(place + WINDOW).min(n)].iter().copied()
        });
        // Somebody may be near in several orders.
        let mut near = nearest(record, &mut others, ORDERS * FEW);
        near.truncate(FEW);
        near
    };
    (0..n).into_par_iter().map(of_record).collect()
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
