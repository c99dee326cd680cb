//! The record that costs least when it is laid on a class.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::costs::Cost;
use crate::own_costs::{OwnCosts, Sorts};
use crate::pairs::Laying;
use crate::{Pairs, Representative, Scratch};

/// The `n` candidates that add least to a class, with how much, least first; of equals the first record.
/// Fewer where fewer roots meet that of the class, or fewer add no more than `most`. Candidates are tried in the order of what they cost at
/// least, until that is above the n-th cost found.
pub fn nearest(
    pairs: &Pairs<'_>,
    sorts: &Sorts,
    class: &Representative,
    candidates: &[u32],
    n: usize,
    most: Cost,
) -> Vec<(Cost, u32)> {
    let known = OwnCosts::new(sorts, pairs, class);
    let laying = Laying { pairs, class };
    let members = &class.class().members;
    let mut bounded: Vec<(Cost, u32)> = candidates
        .par_iter()
        .with_min_len(512)
        .map_init(Vec::new, |scratch, &record| Some((known.at_least(record, scratch)?, record)))
        .flatten()
        .filter(|(_, record)| !members.contains(record))
        .collect();
    bounded.sort_unstable();
    let (limit, next) = (AtomicI64::new(most), AtomicUsize::new(0));
    let search = |_| {
        let (mut scratch, mut found) = (Scratch::default(), Vec::new());
        while let Some(&(bound, record)) = bounded.get(next.fetch_add(1, Ordering::Relaxed)) {
            kohort_core::alive();
            let within = limit.load(Ordering::Relaxed);
            if within < bound {
                break;
            }
            if let Some(cost) = laying.cost(record, within, &mut scratch) {
                insert(&mut found, (cost, record), n);
                if let Some(&(worst, _)) = found.get(n - 1) {
                    limit.fetch_min(worst, Ordering::Relaxed);
                }
            }
        }
        found
    };
    let threads = (0..rayon::current_num_threads()).into_par_iter();
    let mut found: Vec<(Cost, u32)> = threads.flat_map_iter(search).collect();
    found.sort_unstable();
    found.truncate(n);
    found
}

/// Keeps the `n` least.
fn insert(found: &mut Vec<(Cost, u32)>, one: (Cost, u32), n: usize) {
    found.insert(found.partition_point(|other| *other < one), one);
    found.truncate(n);
}
