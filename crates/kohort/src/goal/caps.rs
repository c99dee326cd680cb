//! What dropping rows can do about frequent values: cutting every count above a cap down to it.

use kohort_core::Ratio;

/// The lowest cap to which these counts can be cut by dropping at most this many rows.
pub(super) fn lowest_cap(counts: &[u64], droppable: u64) -> u64 {
    let (mut low, mut high) = (0, counts.iter().copied().max().unwrap_or(0));
    while low < high {
        let middle = low.midpoint(high);
        if above(counts, middle) <= droppable {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The rows above a cap.
fn above(counts: &[u64], cap: u64) -> u64 {
    counts.iter().map(|count| count.saturating_sub(cap)).sum()
}

/// The smallest share that the most frequent of these values can have of what is left of `n_rows` rows.
pub(super) fn least_share(counts: &[u64], n_rows: u64, droppable: u64) -> Ratio {
    let cap = lowest_cap(counts, droppable);
    Ratio::new(cap, n_rows - above(counts, cap))
}

/// The largest entropy of what is left, when parts of rows can be dropped too.
#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
pub(super) fn most_entropy(mut counts: Vec<u64>, droppable: u64) -> f64 {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let (mut cap, mut cut) = (f64::INFINITY, 0);
    for (index, &count) in counts.iter().enumerate() {
        cut += count;
        cap = (cut as f64 - droppable as f64) / (index + 1) as f64;
        let next = counts.get(index + 1).copied().unwrap_or(0);
        if cap >= next as f64 {
            break;
        }
    }
    let left: Vec<f64> = counts.iter().map(|&count| (count as f64).min(cap.max(1.0))).collect();
    let size: f64 = left.iter().sum();
    size.ln() - left.iter().map(|count| count * count.ln()).sum::<f64>() / size
}
