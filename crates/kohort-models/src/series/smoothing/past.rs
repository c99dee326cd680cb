//! What the releases so far say of a person, in the form in which the next class is tried.
//!
//! Every belief about an earlier release is a quotient of sums over the value z at the last release:
//! Pr(x at k | class) = Σ_z D_k(x, z) b(z) / Σ_z α(z) b(z), where α is the forward message, D_k(x, z) is
//! Pr(x at k, z at the last release) and b(z) is what the class says of whoever has z. So a class is tried
//! with a few sums, and no release is gone through again. A row D_k(x, ·) that is nowhere above rho · α
//! stays below rho whatever follows: it is left out for good.

use super::{Smoothing, Stage, normalize};

/// The state of whoever takes one path, ready for the next release.
#[derive(Clone, Debug)]
pub struct Past {
    // The candidates at the last release.
    values: Vec<u32>,
    // The forward message α, then the rows D that count, each with an entry per candidate.
    rows: Vec<f64>,
}

impl Past {
    /// The state after all releases of the model; `None` for who is in none of them. Beliefs that can
    /// never be above `rho` are left out. Where the correlations rule the path out, all sums are 0.
    pub fn of(smoothing: &Smoothing<'_>, path: &[(u32, u32)], rho: f64) -> Option<Self> {
        let (&first, later) = path.split_first()?;
        let ruled_out = || Self { values: vec![0], rows: vec![0.0] };
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
        let (values, rows) = start.into_iter().unzip();
        let mut past = Self { values, rows };
        past.remember(rho);
        let mut at = first + 1;
        for &(release, class) in later {
            past.wait(&smoothing.stages[at as usize..release as usize])?;
            let stage = &smoothing.stages[release as usize];
            past.follow(stage, stage.candidates(class))?;
            past.remember(rho);
            at = release + 1;
        }
        past.wait(&smoothing.stages[at as usize..])?;
        Some(past)
    }

    /// The candidates at the last release, with the forward message.
    pub fn candidates(&self) -> impl Iterator<Item = (u32, f64)> {
        self.values.iter().copied().zip(self.rows.iter().copied())
    }

    /// The number of sums that a class is tried with: the first is the weight of all.
    pub fn n_sums(&self) -> usize {
        self.rows.len() / self.values.len()
    }

    /// What each sum hands on into a release to values that no row lists, for each unit of their share.
    pub fn unlisted(&self, next: &Stage<'_>) -> Vec<f64> {
        let rates: Vec<f64> =
            self.values.iter().map(|&earlier| next.transition.unlisted_rate(earlier)).collect();
        self.rows.chunks_exact(self.values.len()).map(|row| dot(row, &rates)).collect()
    }

    /// What one row with the value adds to each sum: to the first, the weight of the person's having it.
    /// `unlisted` is that of the same release.
    pub fn column(&self, next: &Stage<'_>, unlisted: &[f64], value: u32) -> Vec<f64> {
        let says = next.said_by_one(value);
        let arriving = Arriving::new(next, &self.values, value);
        let rows = self.rows.chunks_exact(self.values.len()).zip(unlisted);
        rows.map(|(row, &unlisted)| says * arriving.weight(row, unlisted)).collect()
    }

    /// The rows of the last release join, and those that can never be above `rho` go.
    fn remember(&mut self, rho: f64) {
        let n = self.values.len();
        let forward = self.rows[..n].to_vec();
        let mut rows = forward.clone();
        for row in self.rows.chunks_exact(n).skip(1) {
            if row.iter().zip(&forward).any(|(weight, all)| *weight > rho * all) {
                rows.extend_from_slice(row);
            }
        }
        for (value, weight) in forward.into_iter().enumerate().filter(|&(_, weight)| weight > 0.0) {
            let start = rows.len();
            rows.resize(start + n, 0.0);
            rows[start + value] = weight;
        }
        self.rows = rows;
    }

    /// Goes through releases without the person.
    fn wait(&mut self, stages: &[Stage<'_>]) -> Option<()> {
        for stage in stages {
            let every: Vec<(u32, f64)> =
                (0..stage.transition.n_values()).map(|value| (value, 1.0)).collect();
            self.follow(stage, &every)?;
        }
        Some(())
    }

    /// Goes into a release whose class says this of its values.
    fn follow(&mut self, stage: &Stage<'_>, class: &[(u32, f64)]) -> Option<()> {
        let arriving: Vec<Arriving> =
            class.iter().map(|&(value, _)| Arriving::new(stage, &self.values, value)).collect();
        let mut rows = Vec::with_capacity(self.n_sums() * class.len());
        for (row, unlisted) in self.rows.chunks_exact(self.values.len()).zip(self.unlisted(stage)) {
            let said = arriving.iter().zip(class);
            rows.extend(said.map(|(to, (_, says))| says * to.weight(row, unlisted)));
        }
        let all: f64 = rows[..class.len()].iter().sum();
        if all <= 0.0 {
            return None;
        }
        for weight in &mut rows {
            *weight /= all;
        }
        self.values = class.iter().map(|&(value, _)| value).collect();
        self.rows = rows;
        Some(())
    }
}

/// How one value is arrived at from each of some candidates. Most candidates do not list it, and hand on
/// in proportion to its share: these are added up once for all values.
struct Arriving {
    share: f64,
    // The candidates that list the value: place, chance, and what they hand on where nothing is listed.
    listed: Vec<(usize, f64, f64)>,
}

impl Arriving {
    fn new(stage: &Stage<'_>, candidates: &[u32], value: u32) -> Self {
        let step = &stage.transition;
        let of_candidate = |(place, &earlier): (usize, &u32)| {
            let chance = step.listed(earlier, value)?;
            Some((place, chance, step.unlisted_rate(earlier)))
        };
        let listed = candidates.iter().enumerate().filter_map(of_candidate).collect();
        Self { share: stage.share(value), listed }
    }

    /// The weight that arrives of these weights of the candidates.
    fn weight(&self, row: &[f64], unlisted: f64) -> f64 {
        let (mut arrived, mut others) = (0.0, unlisted);
        for &(place, chance, rate) in &self.listed {
            arrived += row[place] * chance;
            others -= row[place] * rate;
        }
        // What is left of a difference of equals is not a weight.
        if others > unlisted * 1e-14 { arrived + self.share * others } else { arrived }
    }
}

fn dot(row: &[f64], rates: &[f64]) -> f64 {
    row.iter().zip(rates).map(|(weight, rate)| weight * rate).sum()
}
