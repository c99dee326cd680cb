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

    /// What one row of each of these values would say, times the chance that the person has it, given what the next release shows in all.
    pub fn arriving(&self, next: &Stage<'_>, values: &[u32]) -> Vec<f64> {
        let class: Vec<(u32, f64)> =
            values.iter().map(|&value| (value, next.said_by_one(value))).collect();
        let mut arriving = Vec::with_capacity(values.len());
        Step::new(next, &self.values, &class).push(&self.forward, 1.0, &mut arriving);
        arriving
    }

    /// The highest belief about an earlier release, and the weight it and others are to be divided by,
    /// after a class in which whoever has a value expects this.
    pub fn highest(&self, expected: &[f64]) -> (f64, f64) {
        let expected: Vec<f64> =
            self.values.iter().map(|&value| expected[value as usize]).collect();
        let (mut all, mut highest) = (0.0, 0.0_f64);
        for (weight, expected) in self.forward.iter().zip(&expected) {
            all += weight * expected;
            highest = highest.max(weight * expected);
        }
        if !self.is_shown {
            highest = 0.0;
        }
        for row in self.rows.chunks_exact(self.values.len()) {
            let sum: f64 = row.iter().zip(&expected).map(|(weight, e)| weight * e).sum();
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
        let step = Step::new(stage, &self.values, class);
        let mut forward = Vec::with_capacity(class.len());
        step.push(&self.forward, 1.0, &mut forward);
        let all: f64 = forward.iter().sum();
        if all <= 0.0 {
            return None;
        }
        forward.iter_mut().for_each(|weight| *weight /= all);
        let mut bound = Bound { rho, is_shown, forward: &forward, highest: Vec::new() };
        let mut rows = Vec::new();
        for row in self.rows.chunks_exact(self.values.len()) {
            let start = rows.len();
            step.push(row, 1.0 / all, &mut rows);
            if bound.covers(&rows[start..]) {
                rows.truncate(start);
            }
        }
        if self.is_shown {
            for (&value, &weight) in self.values.iter().zip(&self.forward) {
                let start = rows.len();
                let values = class.iter().map(|&(value, _)| value);
                let chances = stage.transition.steps(value, values).zip(class);
                rows.extend(chances.map(|(chance, (_, says))| weight / all * chance * says));
                if bound.covers(&rows[start..]) {
                    rows.truncate(start);
                }
            }
        }
        (self.forward, self.rows) = (forward, rows);
        (self.values, self.is_shown) = (step.to.iter().map(|to| to.value).collect(), is_shown);
        Some(())
    }
}

/// A step from some candidates to those of a class. Most candidates do not list a value, and hand on in
/// proportion to its share: these are added up once for all values.
struct Step {
    // What each candidate hands on to values it does not list, for each unit of their share.
    rates: Vec<f64>,
    to: Vec<To>,
    // The candidates that list a value, for one value after the other: place and chance.
    listed: Vec<(usize, f64)>,
}

/// A value that is arrived at.
struct To {
    value: u32,
    share: f64,
    says: f64,
    // The end of its part of the listed candidates.
    end: usize,
}

/// Where no more than this part of a sum is left after others were taken from it, it is added up again.
const SMALL: f64 = 0.125;

impl Step {
    fn new(stage: &Stage<'_>, candidates: &[u32], class: &[(u32, f64)]) -> Self {
        let step = &stage.transition;
        let rates = candidates.iter().map(|&earlier| step.unlisted_rate(earlier)).collect();
        let mut listed = Vec::new();
        let to = class.iter().map(|&(value, says)| {
            for (earlier, chance) in step.listing(value) {
                listed.extend(candidates.binary_search(&earlier).ok().map(|at| (at, chance)));
            }
            To { value, share: stage.share(value), says, end: listed.len() }
        });
        Self { to: to.collect(), rates, listed }
    }

    /// Appends the weights that arrive of these weights of the candidates, times a factor.
    fn push(&self, row: &[f64], factor: f64, arrived: &mut Vec<f64>) {
        let unlisted: f64 = row.iter().zip(&self.rates).map(|(weight, rate)| weight * rate).sum();
        let mut start = 0;
        for to in &self.to {
            let listed = &self.listed[start..to.end];
            start = to.end;
            let (mut sum, mut others) = (0.0, unlisted);
            for &(place, chance) in listed {
                sum += row[place] * chance;
                others -= row[place] * self.rates[place];
            }
            if others < SMALL * unlisted {
                let is_listed = |at: usize| listed.iter().any(|&(place, _)| place == at);
                let weights = row.iter().zip(&self.rates).enumerate();
                let weights = weights.filter(|&(at, _)| !is_listed(at));
                others = weights.map(|(_, (weight, rate))| weight * rate).sum();
            }
            arrived.push((sum + to.share * others) * to.says * factor);
        }
    }
}

/// What tells of a row whether the mean of its shares of all can be above rho, whatever follows.
struct Bound<'a> {
    rho: f64,
    // Whether the person is shown: then no candidate gets more than rho of the weight.
    is_shown: bool,
    forward: &'a [f64],
    // The highest shares, descending.
    highest: Vec<f64>,
}

impl Bound<'_> {
    /// Whether the mean stays within rho.
    fn covers(&mut self, row: &[f64]) -> bool {
        let rho = self.rho;
        let shares = || row.iter().zip(self.forward);
        if !shares().any(|(weight, all)| *weight > rho * all) {
            return true;
        }
        if !self.is_shown {
            return false;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above 1")]
        let n = (1.0 / rho).ceil() as usize;
        self.highest.clear();
        for (weight, all) in row.iter().zip(self.forward).filter(|(_, all)| **all > 0.0) {
            let share = weight / all;
            if self.highest.len() < n || self.highest.last().is_some_and(|&last| last < share) {
                self.highest.truncate(n - 1);
                let at = self.highest.partition_point(|&higher| higher >= share);
                self.highest.insert(at, share);
            }
        }
        let (mut mean, mut left) = (0.0, 1.0_f64);
        for share in &self.highest {
            let weight = left.min(rho);
            mean += weight * share;
            left -= weight;
        }
        mean <= rho
    }
}
