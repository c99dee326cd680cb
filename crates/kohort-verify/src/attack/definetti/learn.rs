//! Learning which members of a class have which of its values.

use kohort_core::Ctx;
use rayon::prelude::*;

use super::classes::Members;

/// Weights that change by less than this have settled.
const SETTLED: f64 = 1e-4;

/// The most ways to use up the values of a class that are counted one by one.
const MOST_STATES: usize = 1 << 10;

/// The most rounds of scaling a large class.
const SCALINGS: usize = 100;

/// For each class, the probability of each of its values for each member: row-major, one row per member.
/// `values` has the values of each class with their counts.
pub(super) fn learn(
    ctx: &Ctx<'_>,
    members: &Members,
    values: &[&[(u32, u32)]],
    n_values: u32,
    smoothing: f64,
    rounds: usize,
) -> Vec<Vec<f64>> {
    let mut weights: Vec<Vec<f64>> = (members.by_class())
        .map(|(class, members)| shares(values[class]).repeat(members.len()))
        .collect();
    for round in 0..rounds {
        ctx.progress("definetti", round as u64, rounds as u64);
        let likely = Likely::new(members, values, &weights, n_values, smoothing);
        let next: Vec<Vec<f64>> = (0..weights.len())
            .into_par_iter()
            .map(|class| marginals(&likely.of_class(members, class, values[class]), values[class]))
            .collect();
        let pairs = weights.iter().flatten().zip(next.iter().flatten());
        let change = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        if change < SETTLED {
            break;
        }
    }
    weights
}

fn shares(values: &[(u32, u32)]) -> Vec<f64> {
    let size: u32 = values.iter().map(|&(_, count)| count).sum();
    values.iter().map(|&(_, count)| f64::from(count) / f64::from(size)).collect()
}

/// How likely each value of each quasi-identifier is for each sensitive value.
struct Likely {
    // For each axis and sensitive value, the logarithm for each code.
    of_axis: Vec<Vec<f64>>,
    n_values: usize,
}

impl Likely {
    fn new(
        members: &Members,
        values: &[&[(u32, u32)]],
        weights: &[Vec<f64>],
        n_values: u32,
        smoothing: f64,
    ) -> Self {
        let n_values = n_values as usize;
        let mut of_axis: Vec<Vec<f64>> = (members.n_codes().iter())
            .map(|&n_codes| vec![smoothing; n_codes as usize * n_values])
            .collect();
        let mut of_value = vec![0.0; n_values];
        for (class, of_class) in members.by_class() {
            let rows = weights[class].chunks(values[class].len());
            for (member, weights) in of_class.iter().zip(rows) {
                for (&(value, _), weight) in values[class].iter().zip(weights) {
                    of_value[value as usize] += weight;
                    for (axis, &code) in of_axis.iter_mut().zip(members.codes(*member)) {
                        axis[code as usize * n_values + value as usize] += weight;
                    }
                }
            }
        }
        for (axis, &n_codes) in of_axis.iter_mut().zip(members.n_codes()) {
            let imagined = smoothing * f64::from(n_codes);
            for (at, weight) in axis.iter_mut().enumerate() {
                *weight = (*weight / (of_value[at % n_values] + imagined)).ln();
            }
        }
        Self { of_axis, n_values }
    }

    /// Π P(q(t) | v) for each member of a class and each of its values, up to a factor for each member.
    fn of_class(&self, members: &Members, class: usize, values: &[(u32, u32)]) -> Vec<f64> {
        let mut likely = Vec::new();
        for member in members.of_class(class) {
            let start = likely.len();
            likely.extend(values.iter().map(|&(value, _)| {
                let axes = self.of_axis.iter().zip(members.codes(*member));
                axes.map(|(axis, &code)| axis[code as usize * self.n_values + value as usize])
                    .sum::<f64>()
            }));
            let most = likely[start..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for one in &mut likely[start..] {
                *one = (*one - most).exp();
            }
        }
        likely
    }
}

/// The probability that each member has each value, when the values are given out in proportion to the
/// product of `likely`.
fn marginals(likely: &[f64], values: &[(u32, u32)]) -> Vec<f64> {
    let mut n_states = 1_usize;
    for &(_, count) in values {
        n_states = n_states.saturating_mul(count as usize + 1);
    }
    let exact = (n_states <= MOST_STATES).then(|| counted(likely, values, n_states)).flatten();
    exact.unwrap_or_else(|| scaled(likely, values))
}

/// By counting: a state is how many of each value the first members have used up.
fn counted(likely: &[f64], values: &[(u32, u32)], n_states: usize) -> Option<Vec<f64>> {
    let n = values.len();
    // The place of each value in the number of a state.
    let mut places = vec![1_usize; n];
    for at in 1..n {
        places[at] = places[at - 1] * (values[at - 1].1 as usize + 1);
    }
    let used = |state: usize, at: usize| state / places[at] % (values[at].1 as usize + 1);
    let n_used = |state: usize| (0..n).map(|at| used(state, at)).sum::<usize>();
    let has_more = |state: usize, at: usize| used(state, at) < values[at].1 as usize;
    let n_members: usize = values.iter().map(|&(_, count)| count as usize).sum();
    let (mut forward, mut backward) = (vec![0.0; n_states], vec![0.0; n_states]);
    forward[0] = 1.0;
    backward[n_states - 1] = 1.0;
    for state in 0..n_states - 1 {
        let member = n_used(state);
        for at in (0..n).filter(|&at| has_more(state, at)) {
            forward[state + places[at]] += forward[state] * likely[member * n + at];
        }
    }
    let mut marginals = vec![0.0; n_members * n];
    let total: f64 = forward[n_states - 1];
    if total <= 0.0 || !total.is_finite() {
        return None;
    }
    for state in (0..n_states - 1).rev() {
        let member = n_used(state);
        for at in (0..n).filter(|&at| has_more(state, at)) {
            let after = backward[state + places[at]] * likely[member * n + at];
            backward[state] += after;
            marginals[member * n + at] += forward[state] * after / total;
        }
    }
    Some(marginals)
}

/// By scaling: every member has one value, every value is had as often as it occurs.
fn scaled(likely: &[f64], values: &[(u32, u32)]) -> Vec<f64> {
    // No weight is nothing, so that the sums can be reached.
    let mut weights: Vec<f64> = likely.iter().map(|&one| one.max(1e-12)).collect();
    let n = values.len();
    for _ in 0..SCALINGS {
        let mut change = 0.0_f64;
        for (at, &(_, count)) in values.iter().enumerate() {
            let sum: f64 = weights.iter().skip(at).step_by(n).sum();
            let factor = f64::from(count) / sum;
            change = change.max((factor - 1.0).abs());
            weights.iter_mut().skip(at).step_by(n).for_each(|weight| *weight *= factor);
        }
        for row in weights.chunks_mut(n) {
            let sum: f64 = row.iter().sum();
            for weight in row {
                *weight /= sum;
            }
        }
        if change < SETTLED / 10.0 {
            break;
        }
    }
    weights
}
