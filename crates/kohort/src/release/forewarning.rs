//! What a quadratic method will cost, said before it starts.

use kohort_algorithms::Algorithm;
use kohort_core::{Dataset, Ratio, group};

use crate::Error;
use crate::job::Job;
use crate::plan::Plan;
use crate::wording::{count, grouped};

/// Nothing is said about less time than this.
const PATIENCE: f64 = 1.0;

/// What a person should know before a release is made: that the method of the plan compares every
/// distinct row with every other, and about how long that takes. Nothing where it does not, or where
/// that takes no time worth mentioning.
pub fn forewarning(plan: &Plan, dataset: &Dataset) -> Result<Option<String>, Error> {
    let job = Job::new(plan)?;
    let (algorithm, k) = (job.algorithm, job.terms.k().unwrap_or(2));
    if !algorithm.facts().is_quadratic {
        return Ok(None);
    }
    let n_distinct = n_distinct(dataset);
    let seconds = algorithm.seconds(n_distinct, dataset.quasi().len() as u64, k);
    Ok((seconds >= PATIENCE).then(|| {
        format!(
            "`{}` compares every distinct row with every other: {}, {} distinct, about {}",
            algorithm.spec().id,
            count(dataset.n_rows() as u64, "row", "rows"),
            grouped(n_distinct),
            spelled(seconds)
        )
    }))
}

/// The same of many releases; each is an algorithm, a k, and how many releases.
pub(crate) fn forewarning_of_all(
    releases: &[(&dyn Algorithm, u64, u64)],
    dataset: &Dataset,
) -> Option<String> {
    let is_quadratic = |release: &&(&dyn Algorithm, u64, u64)| release.0.facts().is_quadratic;
    let releases: Vec<_> = releases.iter().filter(is_quadratic).collect();
    if releases.is_empty() {
        return None;
    }
    let (n_distinct, n_quasi) = (n_distinct(dataset), dataset.quasi().len() as u64);
    let seconds = |&&(algorithm, k, n): &&(&dyn Algorithm, u64, u64)| {
        algorithm.seconds(n_distinct, n_quasi, k) * Ratio::whole(n).value()
    };
    let sum: f64 = releases.iter().map(seconds).sum();
    let mut ids: Vec<&str> = releases.iter().map(|release| release.0.spec().id).collect();
    ids.dedup();
    (sum >= PATIENCE).then(|| {
        format!(
            "quadratic in the distinct rows, of which there are {}: `{}`, about {} together",
            grouped(n_distinct),
            ids.join("`, `"),
            spelled(sum)
        )
    })
}

/// The rows that differ on the quasi-identifiers.
pub(crate) fn n_distinct(dataset: &Dataset) -> u64 {
    let quasi = dataset.quasi();
    let codes = quasi.iter().map(|attribute| (attribute.codes(), attribute.n_codes()));
    u64::from(group(dataset.n_rows(), codes).n_classes)
}

/// Seconds as somebody would say them.
fn spelled(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_a_unit_that_fits() {
        assert_eq!([1.4, 89.0, 200.0, 7000.0].map(spelled), ["1 s", "89 s", "3 min", "2 h"]);
    }
}
