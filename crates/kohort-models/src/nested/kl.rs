//! KL of nested releases: how far the shares of sensitive values are from the original's.
//!
//! # Formula
//! For each sensitive attribute Σ P ln(P / Q) over its values; P is a value's share of the release, Q of
//! the original. The value is the mean over the attributes, the parts are the attributes.
//!
//! # Range
//! 0 (the same shares) upward; lower is better.
//!
//! # Reads as
//! How much pruning changed the shares of sensitive values.
//!
//! # Undefined when
//! There is no sensitive attribute, or one has vanished from the release, or has a value that the original
//! does not have.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §2.4.

use kohort_core::NO_VALUE;

use super::{NestedMeasured, NestedMetric, ReleasedValues};
use crate::metrics::real;
use crate::{Better, Score, Undefined};

pub(super) const METRIC: NestedMetric = NestedMetric {
    id: "kl",
    title: "Kullback-Leibler divergence of sensitive values",
    paper: "Özalp et al. 2016",
    reads_as: "how far pruning moved the shares of sensitive values",
    better: Better::Lower,
    measure,
};

fn measure(measured: &NestedMeasured<'_>) -> Result<Score, Undefined> {
    let kinds = measured.original.kinds();
    let before: Vec<Vec<u64>> = (kinds.iter())
        .map(|kind| kind.sensitive.as_ref().map_or(Vec::new(), |a| widened(a.counts())))
        .collect();
    let after = released(measured)?;
    let mut parts = Vec::new();
    for (kind, (before, after)) in kinds.iter().zip(before.iter().zip(&after)) {
        if let Some(attribute) = &kind.sensitive {
            parts.push((attribute.name().to_owned(), divergence(after, before)?));
        }
    }
    if parts.is_empty() {
        return Err(Undefined("means nothing without a sensitive attribute"));
    }
    let value = parts.iter().map(|part| part.1).sum::<f64>() / real(parts.len() as u64);
    Ok(Score { value, bounds: (0.0, f64::MAX), parts })
}

fn widened(counts: &[u32]) -> Vec<u64> {
    counts.iter().map(|&count| u64::from(count)).collect()
}

/// How often each value occurs in the release, by kind.
fn released(measured: &NestedMeasured<'_>) -> Result<Vec<Vec<u64>>, Undefined> {
    let n_codes = |kind: &kohort_core::VertexKind| {
        kind.sensitive.as_ref().map_or(0, |attribute| attribute.n_codes() as usize)
    };
    let mut counts: Vec<Vec<u64>> =
        measured.original.kinds().iter().map(|kind| vec![0; n_codes(kind)]).collect();
    let mut add = |kind: usize, code: u32| match counts[kind].get_mut(code as usize) {
        // Cut off by itself: the object is there, its value is not.
        _ if code == NO_VALUE => Ok(()),
        Some(count) => {
            *count += 1;
            Ok(())
        }
        None => Err(Undefined("means nothing for values that the original does not have")),
    };
    match measured.values {
        ReleasedValues::Own(values) => {
            for (vertex, &code) in measured.trees.vertices().zip(values) {
                let kind = measured.trees.kind(vertex);
                if measured.original.kinds()[kind].sensitive.is_some() {
                    add(kind, code)?;
                }
            }
        }
        ReleasedValues::Trees { sensitive, .. } => {
            for &(_, kind, code) in sensitive.iter().flatten().flatten() {
                add(kind as usize, code)?;
            }
        }
        ReleasedValues::Lists { lists, .. } => {
            for (kind, codes) in lists {
                codes.iter().try_for_each(|&code| add(*kind as usize, code))?;
            }
        }
    }
    Ok(counts)
}

/// Σ P ln(P / Q), both given as counts.
pub(super) fn divergence(after: &[u64], before: &[u64]) -> Result<f64, Undefined> {
    let (n_after, n_before) = (after.iter().sum::<u64>(), before.iter().sum::<u64>());
    if n_after == 0 {
        return Err(Undefined("means nothing for a sensitive attribute that has vanished"));
    }
    let share = |count: &u64, n: u64| real(*count) / real(n);
    let terms = after.iter().zip(before).filter(|(after, _)| **after > 0).map(|(after, before)| {
        let p = share(after, n_after);
        p * (p / share(before, n_before)).ln()
    });
    // Rounding may leave a little less than nothing.
    Ok(terms.sum::<f64>().max(0.0))
}
