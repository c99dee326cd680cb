//! The record that costs least when it is laid on a class.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::costs::Cost;
use crate::own_costs::{OwnCosts, Sorts};
use crate::pairs::Laying;
use crate::{Pairs, Representative, Scratch};

/// Which of the candidates adds least to a class, and how much; of equals the first record. None where
/// nobody's root meets that of the class, or nobody is within the limit. Candidates are tried in the order
/// of what they cost at least, until that is above the best cost found.
pub fn nearest(
    pairs: &Pairs<'_>,
    sorts: &Sorts,
    class: &Representative,
    candidates: &[u32],
    limit: Cost,
) -> Option<(Cost, u32)> {
    let known = OwnCosts::new(sorts, pairs, class);
    let laying = Laying { pairs, class, known: Some(&known) };
    let members = &class.class().members;
    let mut bounded: Vec<(Cost, u32)> = candidates
        .par_iter()
        .with_min_len(512)
        .map_init(Vec::new, |scratch, &record| Some((known.at_least(record, scratch)?, record)))
        .flatten()
        .filter(|&(bound, record)| bound <= limit && !members.contains(&record))
        .collect();
    bounded.sort_unstable();
    let (best, next) = (AtomicI64::new(limit), AtomicUsize::new(0));
    let search = || {
        let (mut scratch, mut found) = (Scratch::default(), None);
        while let Some(&(bound, record)) = bounded.get(next.fetch_add(1, Ordering::Relaxed)) {
            let within = best.load(Ordering::Relaxed);
            if within < bound {
                break;
            }
            if let Some(cost) = laying.cost(record, within, &mut scratch) {
                best.fetch_min(cost, Ordering::Relaxed);
                found = found.into_iter().chain([(cost, record)]).min();
            }
        }
        found
    };
    let searches = (0..rayon::current_num_threads()).into_par_iter().map(|_| search());
    searches.flatten().min()
}
