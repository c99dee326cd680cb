//! What the releases so far say of a person, in the form in which the next class is tried.
//!
//! Every belief about an earlier release is a quotient of sums over the value z at the last release:
//! Pr(x at k | class) = Σ_z D_k(x, z) b(z) / Σ_z α(z) b(z), where α is the forward message, D_k(x, z) is
//! Pr(x at k, z at the last release) and b(z) is what the class says of whoever has z. So a class is tried
//! with a few sums, and no release is gone through again.
//!
//! With α'(z) for what is believed of z after the class, the quotient is the mean of D_k(x, z) / α(z) with
//! the weights α'. Where these are nowhere above rho, the mean never is. Where the person is in the last
//! release, α'(z) is a belief that must stay within rho itself: then the mean is at most that of the
//! ⌈1/rho⌉ highest, with the weights rho and what is left of 1. Rows that stay within rho in any case are
//! left out for good, and few are kept.

use super::{Smoothing, Stage, normalize};

/// The state of whoever takes one path, ready for the next release.
#[derive(Clone, Debug)]
pub struct Past {
    // The candidates at the last release, ascending.
    values: Vec<u32>,
    // The forward message α.
    forward: Vec<f64>,
    // The rows D that count, each with an entry per candidate, those of the last release aside.
    rows: Vec<f64>,
    // Whether the person is in the last release, and beliefs about it count.
    is_shown: bool,
}

impl Past {
    /// The state after all releases of the model; `None` for who is in none of them. Beliefs that can
    /// never be above `rho` while all others are within it are left out. Where the correlations rule the
    /// path out, all sums are 0.
    pub fn of(smoothing: &Smoothing<'_>, path: &[(u32, u32)], rho: f64) -> Option<Self> {
        let (&first, later) = path.split_first()?;
        let ruled_out =
            || Self { values: vec![0], forward: vec![0.0], rows: Vec::new(), is_shown: true };
        Some(Self::through(smoothing, first, later, rho).unwrap_or_else(ruled_out))
    }

    fn through(
        smoothing: &Smoothing<'_>,
        (first, class): (u32, u32),
        later: &[(u32, u32)],
        rho: f64,
    ) -> Option<Self> {
        let stage = &smoothing.stages[first as usize];
        let start = stage.candidates(class).iter();
        let mut start: Vec<(u32, f64)> =
            start.map(|&(value, says)| (value, stage.share(value) * says)).collect();
        normalize(&mut start)?;
        let (values, forward) = start.into_iter().unzip();
        let mut past = Self { values, forward, rows: Vec::new(), is_shown: true };
        let mut at = first + 1;
        for &(release, class) in later {
            past.wait(&smoothing.stages[at as usize..release as usize], rho)?;
            let stage = &smoothing.stages[release as usize];
            past.follow(stage, stage.candidates(class), true, rho)?;
            at = release + 1;
        }
        past.wait(&smoothing.stages[at as usize..], rho)?;
        Some(past)
    }

    /// The weight of each of these values for the person, given what the next release shows in all.
    pub fn arriving(
        &self,
        next: &Stage<'_>,
        values: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = f64> {
        let from: Vec<(u32, f64)> =
            self.values.iter().copied().zip(self.forward.iter().copied()).collect();
        next.transition
            .push(&from, values)
            .map(|(_, weight)| weight)
            .collect::<Vec<f64>>()
            .into_iter()
    }

    /// The highest belief about an earlier release, and the weight it and others are to be divided by,
    /// after a class in which whoever has a value expects this.
    pub fn highest(&self, expected: &[f64]) -> (f64, f64) {
        let expected = || self.values.iter().map(|&value| expected[value as usize]);
        let (mut all, mut highest) = (0.0, 0.0_f64);
        for (weight, expected) in self.forward.iter().zip(expected()) {
            all += weight * expected;
            highest = highest.max(weight * expected);
        }
        if !self.is_shown {
            highest = 0.0;
        }
        for row in self.rows.chunks_exact(self.values.len()) {
            let sum: f64 = row.iter().zip(expected()).map(|(weight, e)| weight * e).sum();
            highest = highest.max(sum);
        }
        (highest, all)
    }

    /// Goes through releases without the person.
    fn wait(&mut self, stages: &[Stage<'_>], rho: f64) -> Option<()> {
        for stage in stages {
            let every: Vec<(u32, f64)> =
                (0..stage.transition.n_values()).map(|value| (value, 1.0)).collect();
            self.follow(stage, &every, false, rho)?;
        }
        Some(())
    }

    /// Goes into a release whose class says this of its values, with or without the person.
    fn follow(
        &mut self,
        stage: &Stage<'_>,
        class: &[(u32, f64)],
        is_shown: bool,
        rho: f64,
    ) -> Option<()> {
        let values = || class.iter().map(|&(value, _)| value);
        let arrive = |from: &[(u32, f64)]| -> Vec<f64> {
            let arrived = stage.transition.push(from, values()).zip(class);
            arrived.map(|((_, weight), (_, says))| weight * says).collect()
        };
        let from = |row: &[f64]| -> Vec<(u32, f64)> {
            self.values.iter().copied().zip(row.iter().copied()).collect()
        };
        let mut forward = arrive(&from(&self.forward));
        let all: f64 = forward.iter().sum();
        if all <= 0.0 {
            return None;
        }
        forward.iter_mut().for_each(|weight| *weight /= all);
        let mut rows = Vec::new();
        let mut keep = |row: Vec<f64>| {
            let start = rows.len();
            rows.extend(row.into_iter().map(|weight| weight / all));
            if stays_within(rho, &rows[start..], &forward, is_shown) {
                rows.truncate(start);
            }
        };
        for row in self.rows.chunks_exact(self.values.len()) {
            keep(arrive(&from(row)));
        }
        if self.is_shown {
            for (&value, &weight) in self.values.iter().zip(&self.forward) {
                let steps = stage.transition.steps(value, values()).zip(class);
                keep(steps.map(|(chance, (_, says))| weight * chance * says).collect());
            }
        }
        (self.forward, self.rows) = (forward, rows);
        (self.values, self.is_shown) = (values().collect(), is_shown);
        Some(())
    }
}

/// Whether the mean of a row's shares of all cannot be above rho, whatever follows; where the person is
/// shown, no candidate has more than rho of the weight.
fn stays_within(rho: f64, row: &[f64], all: &[f64], is_shown: bool) -> bool {
    if !row.iter().zip(all).any(|(weight, all)| *weight > rho * all) {
        return true;
    }
    if !is_shown {
        return false;
    }
    let shares = row.iter().zip(all).filter(|(_, all)| **all > 0.0);
    let mut shares: Vec<f64> = shares.map(|(weight, all)| weight / all).collect();
    shares.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut mean, mut left) = (0.0, 1.0_f64);
    for share in shares {
        let weight = left.min(rho);
        mean += weight * share;
        left -= weight;
    }
    mean <= rho
}
