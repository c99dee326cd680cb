//! Cuts of a bucket: every slot is sorted by one quasi-identifier and cut at the same place.

use kohort_algorithms::Space;

use crate::buckets::NOBODY;
use crate::rows::Rows;

/// Slots of equal length in two: for each slot its rows on either side.
pub(crate) struct Cut {
    pub(crate) sides: [Vec<Vec<u32>>; 2],
    loss: f64,
}

/// Where slots are no longer than this, every place is tried.
const SHORT: usize = 16;

/// The best cut along each quasi-identifier, that of the least loss first. Each side has at least `least`
/// rows of each slot; of longer slots it has a quarter, so that cuts do not go on for too long.
///
/// Counterfeits fit anywhere: they are tried at either end of the order.
pub(crate) fn cuts(space: &Space, rows: &Rows, slots: &[Vec<u32>], least: usize) -> Vec<Cut> {
    let n = slots[0].len();
    let least = if n > SHORT { least.max(n / 4) } else { least };
    if n < 2 * least {
        return Vec::new();
    }
    let has_counterfeits = slots.iter().flatten().any(|&row| row == NOBODY);
    let mut found = Vec::new();
    for axis in 0..space.n_axes() {
        let best = |is_last: bool| best(space, rows, sorted(rows, slots, axis, is_last), least);
        let mut cut = best(true);
        if has_counterfeits {
            let other = best(false);
            if other.loss < cut.loss {
                cut = other;
            }
        }
        found.push(cut);
    }
    found.retain(|cut| cut.loss.is_finite());
    found.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    found
}

/// The slots along one quasi-identifier, with counterfeits at one end.
fn sorted(rows: &Rows, slots: &[Vec<u32>], axis: usize, is_last: bool) -> Vec<Vec<u32>> {
    let key = |&row: &u32| {
        let code = if row == NOBODY { 0 } else { rows.codes(row)[axis] };
        ((row == NOBODY) == is_last, code, row)
    };
    let mut slots = slots.to_vec();
    for slot in &mut slots {
        slot.sort_unstable_by_key(key);
    }
    slots
}

/// The cut of these slots with the least loss; the one nearest to the middle of several.
fn best(space: &Space, rows: &Rows, mut slots: Vec<Vec<u32>>, least: usize) -> Cut {
    let n = slots[0].len();
    let before = losses(space, rows, &slots, 0..n);
    let after = losses(space, rows, &slots, (0..n).rev());
    let loss = |at: usize| before[at - 1] + after[n - at - 1];
    let from_middle = |at: usize| n.abs_diff(2 * at);
    let order = |&a: &usize, &b: &usize| {
        loss(a).total_cmp(&loss(b)).then(from_middle(a).cmp(&from_middle(b)))
    };
    let at = (least..=n - least).min_by(order).expect("there is a place to cut");
    let right = slots.iter_mut().map(|slot| slot.split_off(at)).collect();
    Cut { loss: loss(at), sides: [slots, right] }
}

/// The loss of the rows at the first of these places, at the first two, and so on. Counterfeits alone are
/// no class: there is no box to show them in.
fn losses(
    space: &Space,
    rows: &Rows,
    slots: &[Vec<u32>],
    places: impl Iterator<Item = usize>,
) -> Vec<f64> {
    let mut lo = vec![u32::MAX; space.n_axes()];
    let mut hi = vec![0; space.n_axes()];
    let mut n_rows = 0.0;
    let mut losses = Vec::with_capacity(slots[0].len());
    for place in places {
        for slot in slots.iter().filter(|slot| slot[place] != NOBODY) {
            n_rows += 1.0;
            for ((lo, hi), &code) in lo.iter_mut().zip(&mut hi).zip(rows.codes(slot[place])) {
                *lo = code.min(*lo);
                *hi = code.max(*hi);
            }
        }
        losses.push(if n_rows > 0.0 { n_rows * space.cost(&lo, &hi) } else { f64::INFINITY });
    }
    losses
}
