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
    /// The state after all releases of the model of whoever takes each of these paths; `None` for who is in
    /// none of them. Beliefs that can never be above `rho` while all others are within it are left out.
    /// Where the correlations rule a path out, all sums are 0. Paths that begin alike and are next to one
    /// another share the work.
    pub fn of_each(
        smoothing: &Smoothing<'_>,
        paths: &[&[(u32, u32)]],
        rho: f64,
    ) -> Vec<Option<Self>> {
        let ruled_out =
            || Self { values: vec![0], forward: vec![0.0], rows: Vec::new(), is_shown: true };
        let mut before: &[(u32, u32)] = &[];
        // The state after each place of the path; none from where it is ruled out.
        let mut states: Vec<Option<Self>> = Vec::new();
        let mut found = Vec::with_capacity(paths.len());
        for &path in paths {
            states.truncate(path.iter().zip(before).take_while(|(a, b)| a == b).count());
            for at in states.len()..path.len() {
                let state = match at.checked_sub(1) {
                    None => Self::start(smoothing, path[0]),
                    Some(last) => states[last]
                        .as_ref()
                        .and_then(|state| state.through(smoothing, path[last].0, path[at], rho)),
                };
                states.push(state);
            }
            before = path;
            found.push(path.last().map(|&(last, _)| {
                let state = states[path.len() - 1].as_ref();
                let stages = &smoothing.stages[last as usize + 1..];
                state.and_then(|state| state.waited(stages, rho)).unwrap_or_else(ruled_out)
            }));
        }
        found
    }

    /// The state after the first release of a path.
    fn start(smoothing: &Smoothing<'_>, (release, class): (u32, u32)) -> Option<Self> {
        let stage = &smoothing.stages[release as usize];
        let start = stage.candidates(class).iter();
        let mut start: Vec<(u32, f64)> =
            start.map(|&(value, says)| (value, stage.share(value) * says)).collect();
        normalize(&mut start)?;
        let (values, forward) = start.into_iter().unzip();
        Some(Self { values, forward, rows: Vec::new(), is_shown: true })
    }

    /// The state after the next release of a path, which is `last` at the time.
    fn through(
        &self,
        smoothing: &Smoothing<'_>,
        last: u32,
        (release, class): (u32, u32),
        rho: f64,
    ) -> Option<Self> {
        let stage = &smoothing.stages[release as usize];
        let absent = &smoothing.stages[last as usize + 1..release as usize];
        if absent.is_empty() {
            return self.followed(stage, stage.candidates(class), true, rho);
        }
        self.waited(absent, rho)?.followed(stage, stage.candidates(class), true, rho)
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

    /// The state after releases without the person.
    fn waited(&self, stages: &[Stage<'_>], rho: f64) -> Option<Self> {
        let mut state = self.clone();
        for stage in stages {
            let every: Vec<(u32, f64)> =
                (0..stage.transition.n_values()).map(|value| (value, 1.0)).collect();
            state = state.followed(stage, &every, false, rho)?;
        }
        Some(state)
    }

    /// The state after a release whose class says this of its values, with or without the person.
    fn followed(
        &self,
        stage: &Stage<'_>,
        class: &[(u32, f64)],
        is_shown: bool,
        rho: f64,
    ) -> Option<Self> {
        let step = Step::new(stage, &self.values, class);
        let mut forward = Vec::with_capacity(class.len());
        step.push(&self.forward, 1.0, &mut forward);
        let all: f64 = forward.iter().sum();
        if all <= 0.0 {
            return None;
        }
        for weight in &mut forward {
            *weight /= all;
        }
        let mut bound = Bound::new(rho, is_shown, &forward);
        let mut rows = Vec::new();
        for row in self.rows.chunks_exact(self.values.len()) {
            let start = rows.len();
            step.push(row, 1.0 / all, &mut rows);
            if bound.covers(&rows[start..]) {
                rows.truncate(start);
            }
        }
        let said = step.to.iter().zip(&forward).filter(|(_, weight)| **weight > 0.0);
        let unlisted = said.map(|(to, weight)| to.share * to.says / weight).fold(0.0, f64::max);
        let last = self.values.iter().zip(&self.forward).filter(|_| self.is_shown);
        for (&value, &weight) in last {
            let weight = weight / all;
            let listed = stage.transition.listed_from(value);
            let shares = listed.filter_map(|(later, chance)| {
                let at = class.binary_search_by_key(&later, |&(value, _)| value).ok()?;
                (forward[at] > 0.0).then(|| weight * chance * class[at].1 / forward[at])
            });
            let others = weight * stage.transition.unlisted_rate(value) * unlisted;
            if bound.covers_few(shares, others) {
                continue;
            }
            let start = rows.len();
            let values = class.iter().map(|&(value, _)| value);
            let chances = stage.transition.steps(value, values).zip(class);
            rows.extend(chances.map(|(chance, (_, says))| weight * chance * says));
            if bound.covers(&rows[start..]) {
                rows.truncate(start);
            }
        }
        let values = class.iter().map(|&(value, _)| value).collect();
        Some(Self { values, forward, rows, is_shown })
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
            To { share: stage.share(value), says, end: listed.len() }
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

impl<'a> Bound<'a> {
    fn new(rho: f64, is_shown: bool, forward: &'a [f64]) -> Self {
        Self { rho, is_shown, forward, highest: Vec::new() }
    }

    /// Whether the mean of some shares, with no other above this, surely stays within rho.
    fn covers_few(&self, shares: impl Iterator<Item = f64>, others: f64) -> bool {
        if !self.is_shown {
            return others.max(shares.fold(0.0, f64::max)) <= self.rho;
        }
        let (mut mean, mut left) = (0.0, 1.0_f64);
        for share in shares {
            mean += self.rho * share.max(others);
            left -= self.rho;
        }
        mean + left.max(0.0) * others <= self.rho
    }

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
