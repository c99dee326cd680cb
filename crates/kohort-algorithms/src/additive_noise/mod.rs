//! Additive noise: every number moves by a random amount, correlated as the columns are.
//!
//! # Guarantee
//! None that a class could be judged by: every row is published, and there is no k. The noise places a
//! number in an interval of 2·1.96·σ standard deviations of its column with confidence 95 %; who knows more
//! than the noise places it better. Means stay the same and covariances grow by the factor 1 + σ², so that
//! correlations stay the same, all in expectation.
//!
//! # Method
//! 1. Standardize the numeric and date columns: z = (x − mean) / deviation.
//! 2. Take the correlations of the standardized columns and their Cholesky factor L.
//! 3. For each row draw g from N(0, I); the noise of column j is σ·deviation·(L·g)ⱼ, which makes the noise
//!    of a row N(0, σ²Σ).
//! 4. Publish x plus noise: whole numbers rounded to whole numbers, dates to days.
//!
//! # Notation
//! σ → `noise`; Σ → the covariance of the columns: `correlations` times their deviations; z → `scores`;
//! L → `factor`.
//!
//! # Cost
//! O(n·d²) time for d columns, 8·n·d bytes.
//!
//! # Deviations
//! - A missing value stays missing, and stands at the mean for the correlations: those of the pairs that
//!   are present need not be correlations of anything, and then have no factor.
//! - Dates stay within the years 0 to 9999, which is what a table can spell.
//! - Columns of other types stay as they are.
//!
//! # References
//! Kim, A method for limiting disclosure in microdata based on random noise and transformation,
//! 1986. Intervals: Agrawal and Srikant, SIGMOD 2000. Spectral filtering, which takes part of the noise
//! away again: Kargupta et al., ICDM 2003; Huang, Du and Chen, SIGMOD 2005.

#[cfg(test)]
mod tests;

use kohort_core::{Attribute, Ctx, DAY, Kind, Parameter, Spec, ValueType};

use crate::Draw;
use crate::{Algorithm, Candidate, Facts, Failure, Perturbed, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "additive-noise",
    title: "additive noise",
    paper: "Kim 1986",
    promise: "numbers move by random amounts and keep their correlations; gives no k",
    parameters: &[Parameter {
        name: "noise",
        range: "σ > 0",
        doc: "the standard deviation of the noise, as a share of each column's standard deviation",
    }],
};

/// Additive noise.
pub(crate) struct AdditiveNoise;

impl Algorithm for AdditiveNoise {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PERTURBED
    }

    fn anonymize(&self, _ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let noise = problem.settings().noise;
        if noise <= 0.0 || !noise.is_finite() {
            let found = noise.to_string();
            return Err(Kind::Parameter { name: "noise", found, expected: "above 0" }.into());
        }
        let is_noisy = |attribute: &&&Attribute| attribute.value_type().is_ordered();
        let quasi = problem.quasi().iter().filter(is_noisy);
        let columns: Vec<Standardized<'_>> = quasi.map(|a| Standardized::new(a)).collect();
        if columns.is_empty() {
            let reason = "needs a quasi-identifier of numbers or dates".into();
            return Err(Kind::Unsuited { method: SPEC.id, reason }.into());
        }
        let factor = cholesky(&correlations(&columns));
        let noisy = add_noise(problem, &columns, &factor);
        let notes = notes(noise, &columns, &noisy);
        let mut noisy = columns.iter().zip(noisy).map(|(column, numbers)| column.shown(numbers));
        let shown = problem.quasi().iter().map(|a| is_noisy(&a).then(|| noisy.next()).flatten());
        let mut candidate = Candidate::perturbed(problem, shown.collect());
        candidate.notes.extend(notes);
        Ok(candidate)
    }
}

/// Step 1: a column and its z by code; missing is at the mean.
struct Standardized<'a> {
    attribute: &'a Attribute,
    n_present: f64,
    deviation: f64,
    scores: Vec<f64>,
}

impl<'a> Standardized<'a> {
    fn new(attribute: &'a Attribute) -> Self {
        let codes = || (0..attribute.n_codes()).zip(attribute.counts());
        let numbers = || codes().filter_map(|(c, &n)| Some((attribute.number(c)?, f64::from(n))));
        let n_present: f64 = numbers().map(|(_, n)| n).sum();
        let mean: f64 = numbers().map(|(x, n)| x * (n / n_present)).sum();
        // Differences are measured by the largest, so that no square is too large for a float.
        let largest = numbers().map(|(x, _)| (x - mean).abs()).fold(0.0, f64::max);
        let is_constant = numbers().count() < 2 || largest == 0.0;
        let square = |x: f64| ((x - mean) / largest).powi(2);
        let variance: f64 = numbers().map(|(x, n)| square(x) * (n / n_present)).sum();
        let deviation = if is_constant { 0.0 } else { largest * variance.sqrt() };
        let score = |code| match attribute.number(code) {
            Some(x) if !is_constant => (x - mean) / deviation,
            _ => 0.0,
        };
        let scores = (0..attribute.n_codes()).map(score).collect();
        Self { attribute, n_present, deviation, scores }
    }

    /// A column of one value has no noise, and is published in its own spelling.
    fn shown(&self, numbers: Vec<f64>) -> Perturbed {
        if self.deviation == 0.0 {
            return Perturbed::Codes(self.attribute.codes().clone());
        }
        Perturbed::Numbers(numbers)
    }

    /// A number as the type of the column has it.
    fn rounded(&self, number: f64) -> f64 {
        const DAYS: (f64, f64) = (-719_528.0, 2_932_896.0);
        match self.attribute.value_type() {
            ValueType::Integer => number.round() + 0.0,
            ValueType::Date => (number / DAY as f64).round().clamp(DAYS.0, DAYS.1) * DAY as f64,
            _ => number.clamp(f64::MIN, f64::MAX),
        }
    }
}

/// Step 2: the correlations of the columns. Every entry is made from the same rows, so that the matrix is
/// positive semidefinite.
fn correlations(columns: &[Standardized<'_>]) -> Vec<Vec<f64>> {
    let correlation = |a: &Standardized<'_>, b: &Standardized<'_>| {
        let codes = a.attribute.codes().iter().zip(b.attribute.codes().iter());
        let products =
            codes.map(|(code_a, code_b)| a.scores[code_a as usize] * b.scores[code_b as usize]);
        products.sum::<f64>() / (a.n_present * b.n_present).sqrt().max(1.0)
    };
    columns.iter().map(|a| columns.iter().map(|b| correlation(a, b)).collect()).collect()
}

/// The lower triangle L with L·Lᵀ equal to a positive semidefinite matrix. A column that others determine
/// adds nothing of its own.
fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    const ZERO: f64 = 1e-12;
    let mut lower = vec![vec![0.0; matrix.len()]; matrix.len()];
    for row in 0..matrix.len() {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = matrix[row][column] - known;
            let pivot: f64 = lower[column][column];
            lower[row][column] = match row == column {
                true if rest > ZERO => rest.sqrt(),
                false if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    lower
}

/// Steps 3 and 4: the numbers of each column with noise; a missing one is NaN.
fn add_noise(
    problem: &Problem<'_>,
    columns: &[Standardized<'_>],
    factor: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let noise = problem.settings().noise;
    let mut draw = Draw::hidden(problem.settings().secret.0);
    let mut noisy: Vec<Vec<f64>> =
        columns.iter().map(|_| Vec::with_capacity(problem.n_rows())).collect();
    let mut drawn = vec![0.0; columns.len()];
    for row in 0..problem.n_rows() {
        drawn.fill_with(|| draw.normal());
        for ((column, factor), noisy) in columns.iter().zip(factor).zip(&mut noisy) {
            let correlated: f64 = factor.iter().zip(&drawn).map(|(l, g)| l * g).sum();
            let number = column.attribute.number(column.attribute.codes().get(row));
            noisy.push(
                number.map_or(f64::NAN, |x| {
                    column.rounded(x + noise * column.deviation * correlated)
                }),
            );
        }
    }
    noisy
}

/// What a user should know.
fn notes(noise: f64, columns: &[Standardized<'_>], noisy: &[Vec<f64>]) -> Vec<String> {
    let width = 2.0 * 1.96 * noise;
    let mut notes = vec![
        format!(
            "with confidence 95 % a number lies in an interval that is {width:.3} standard deviations \
             of its column wide"
        ),
        "spectral filtering can take away part of the noise where columns are correlated"
            .to_owned(),
    ];
    for (column, noisy) in columns.iter().zip(noisy) {
        let attribute = column.attribute;
        if attribute.value_type() == ValueType::Decimal || column.deviation == 0.0 {
            continue;
        }
        let is_same = |(code, noisy): &(u32, &f64)| {
            attribute.number(*code).is_some_and(|x| (x - *noisy).abs() < 0.5)
        };
        let same = attribute.codes().iter().zip(noisy).filter(is_same).count() as f64;
        let (share, name) = (100.0 * same / column.n_present, attribute.name());
        notes.push(format!("rounding leaves {share:.0} % of `{name}` as it was"));
    }
    notes
}
