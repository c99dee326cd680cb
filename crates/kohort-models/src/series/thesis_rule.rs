//! the rule of Abdalaal 2012 for the belief after two releases: a figure to report, not a promise.
//!
//! # Formula
//! Pr(Y) = Σ_X P(X) P(Y | X): P(X) is the frequency of X in the class of the earlier release; P(Y | X) is
//! what is listed for the values Y of the class of the later one, and the mass that is left goes to the
//! unlisted values of that class by their frequency; a row without a listed Y of the class is the class's
//! frequencies. Somebody who appears has the frequencies of the class.
//!
//! # Range
//! 0 to 1; lower is better. It looks at two releases only and never back: there are releases that
//! pass it and give values away.
//!
//! # Deviations
//! Abdalaal 2012 has classes of different values: there frequencies are all equal. A row whose listed
//! values are all there is in the class is scaled to a sum of 1.
//!
//! # References
//! Abdalaal 2012 §4.3, Tables 38 and 40.

use std::collections::BTreeMap;

use kohort_core::{History, ReleasedClass};

use super::Correlations;
use super::smoothing::count;

/// The belief about each value of the later class, ascending, of somebody who was in the earlier one
/// (if in any).
pub fn thesis_posterior(
    correlations: &Correlations,
    earlier: Option<&ReleasedClass>,
    later: &ReleasedClass,
) -> Vec<(u32, f64)> {
    let later = frequencies(later);
    let Some(earlier) = earlier else { return later };
    let mut beliefs: Vec<(u32, f64)> = later.iter().map(|&(value, _)| (value, 0.0)).collect();
    for (before, frequency) in frequencies(earlier) {
        let listed = |value| correlations.listed(before, value);
        let sum: f64 = later.iter().filter_map(|&(value, _)| listed(value)).sum();
        let unlisted = later.iter().filter(|&&(value, _)| listed(value).is_none());
        let unlisted: f64 = unlisted.map(|(_, share)| share).sum();
        let has_listed = later.iter().any(|&(value, _)| listed(value).is_some());
        for (belief, &(value, share)) in beliefs.iter_mut().zip(&later) {
            belief.1 += frequency
                * match listed(value) {
                    _ if !has_listed => share,
                    Some(probability) if unlisted > 0.0 => probability,
                    Some(probability) if sum > 0.0 => probability / sum,
                    Some(_) => share,
                    None => (1.0 - sum).max(0.0) * share / unlisted,
                };
        }
    }
    beliefs
}

/// The highest belief by the rule over the people who are in both of the last two releases, with the first
/// of them. Who appears has the frequencies of the class, which the release shows by itself.
pub fn thesis_rule(correlations: &Correlations, history: &History) -> Option<(f64, u32)> {
    let [.., before, last] = &history.releases[..] else { return None };
    let mut first_of: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for person in (0..).take(last.class_of.len()) {
        if let (Some(earlier), Some(later)) = (before.class_of(person), last.class_of(person)) {
            first_of.entry((earlier, later)).or_insert(person);
        }
    }
    let mut worst: Option<(f64, u32)> = None;
    for ((earlier, later), person) in first_of {
        let (earlier, later) = (&before.classes[earlier as usize], &last.classes[later as usize]);
        for (_, belief) in thesis_posterior(correlations, Some(earlier), later) {
            let is_higher = worst.is_none_or(|(highest, first)| {
                belief > highest || belief >= highest && person < first
            });
            if is_higher {
                worst = Some((belief, person));
            }
        }
    }
    worst
}

/// The share of each value of a class.
fn frequencies(class: &ReleasedClass) -> Vec<(u32, f64)> {
    let n = count(&class.values);
    class.values.chunk_by(|a, b| a == b).map(|run| (run[0], count(run) / n)).collect()
}
