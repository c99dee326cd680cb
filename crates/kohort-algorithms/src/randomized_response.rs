//! Randomized response: every category is kept with probability p, and otherwise drawn at random.
//!
//! # Guarantee
//! None that a class could be judged by: every row is published, and there is no k. Every published value
//! may be a random one: seeing it changes the odds between two true values by at most the factor
//! 1 + p·m / (1 − p). Counts of a value can be estimated without bias ([`unbiased_count`]).
//!
//! # Method
//! 1. For each cell of a column of categories: keep it with probability p.
//! 2. Otherwise publish one of the m values of the column, each with probability 1/m.
//!
//! # Notation
//! p → `keep`; m → `domain.len()`, the number of values that occur.
//!
//! # Cost
//! O(n·d) time and memory.
//!
//! # Deviations
//! A missing value stays missing and is no value of the domain. Numbers and dates stay as they are: a
//! random one says nothing about its neighbors.
//!
//! # References
//! Warner, Randomized response, JASA 1965.

use kohort_core::{Attribute, Codes, Ctx, Kind, Parameter, Spec};

use crate::Draw;
use crate::{Algorithm, Candidate, Facts, Failure, Perturbed, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "randomized-response",
    title: "randomized response",
    paper: "Warner 1965",
    promise: "any category may be random, and counts can be estimated; gives no k",
    parameters: &[Parameter {
        name: "keep",
        range: "0 < p < 1",
        doc: "the probability with which a value is kept",
    }],
};

/// Randomized response.
pub(crate) struct RandomizedResponse;

impl Algorithm for RandomizedResponse {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PERTURBED
    }

    fn anonymize(&self, _ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let keep = problem.settings().keep;
        if !(keep > 0.0 && keep < 1.0) {
            let (found, expected) = (keep.to_string(), "above 0 and below 1");
            return Err(Kind::Parameter { name: "keep", found, expected }.into());
        }
        let is_category = |attribute: &Attribute| !attribute.value_type().is_ordered();
        if !problem.quasi().iter().any(|attribute| is_category(attribute)) {
            let reason = "needs a quasi-identifier of categories".into();
            return Err(Kind::Unsuited { method: SPEC.id, reason }.into());
        }
        let mut draw = Draw::hidden(problem.settings().secret.0);
        let mut respond = |attribute| Perturbed::Codes(respond(attribute, keep, &mut draw));
        let shown = problem.quasi().iter().map(|a| is_category(a).then(|| respond(a)));
        let mut candidate = Candidate::perturbed(problem, shown.collect());
        candidate.notes.push(format!(
            "each category was kept with probability {keep}: estimate a count by \
             (observed − n·(1 − {keep})/m)/{keep}, for n present values of m kinds"
        ));
        Ok(candidate)
    }
}

/// The codes of a column, each kept or drawn.
fn respond(attribute: &Attribute, keep: f64, draw: &mut Draw) -> Codes {
    let missing = attribute.missing();
    let domain: Vec<u32> = (0..attribute.n_codes()).filter(|&c| missing != Some(c)).collect();
    let mut codes = Codes::default();
    attribute.codes().for_each(|code| {
        let is_kept = missing == Some(code) || draw.uniform() < keep;
        codes.push(if is_kept { code } else { domain[draw.below(domain.len())] });
    });
    codes
}

/// How often a value occurred before randomized response, estimated without bias: it was observed this
/// often among `n` published values of `m` kinds, each kept with probability `keep`.
pub fn unbiased_count(observed: u64, n: u64, m: u64, keep: f64) -> f64 {
    (observed as f64 - n as f64 * (1.0 - keep) / m as f64) / keep
}

#[cfg(test)]
mod tests {
    use kohort_core::{Dataset, Role};

    use super::*;
    use crate::Settings;
    use crate::tests::laws::models;
    use crate::tests::tables::{Given, dataset, problem, settings};

    fn candidate(data: &Dataset, keep: f64) -> Result<Candidate, Failure> {
        let settings = Settings { keep, ..settings(data.quasi().len()) };
        RandomizedResponse.anonymize(&Ctx::quiet(), &problem(data, models(2, None), settings))
    }

    fn codes(candidate: &Candidate, axis: usize) -> Vec<u32> {
        match &candidate.perturbed[axis] {
            Perturbed::Codes(codes) => codes.iter().collect(),
            Perturbed::Numbers(_) => panic!("categories are codes"),
        }
    }

    /// Ten thousand rows: a tenth a, the rest b, c and d, and a hundred missing.
    fn towns() -> Vec<&'static str> {
        let town = |row: usize| match row % 10 {
            0 if row % 100 == 50 => "",
            0 => "a",
            1..4 => "b",
            4..7 => "c",
            _ => "d",
        };
        (0..10_000).map(town).collect()
    }

    #[test]
    fn about_p_of_the_cells_are_kept_and_counts_are_estimated_without_bias() {
        let towns = towns();
        let data = dataset(&[
            Given::flat("town", Role::Quasi, &towns),
            Given::flat("age", Role::Quasi, &(0..10_000).collect::<Vec<u32>>()),
        ]);
        let candidate = candidate(&data, 0.8).unwrap();
        let quasi = data.quasi();
        let before: Vec<u32> = quasi[0].codes().iter().collect();
        let after = codes(&candidate, 0);
        assert_eq!(codes(&candidate, 1), quasi[1].codes().iter().collect::<Vec<u32>>());
        let missing = quasi[0].missing().unwrap();
        assert!(before.iter().zip(&after).all(|(b, a)| (*b == missing) == (*a == missing)));
        // A value is kept, or drawn again: 0.8 + 0.2/4, plus or minus four standard errors.
        let present = || before.iter().zip(&after).filter(|(b, _)| **b != missing);
        let same = present().filter(|(b, a)| b == a).count() as f64 / 9_900.0;
        assert!((same - 0.85).abs() < 0.0144, "{same}");
        for code in 0..4 {
            let count = |codes: &[u32]| codes.iter().filter(|c| **c == code).count() as u64;
            let estimate = unbiased_count(count(&after), 9_900, 4, 0.8);
            // Four standard errors for b: 4·√(3000·0.85·0.15 + 6900·0.05·0.95)/0.8.
            let truth = count(&before) as f64;
            assert!((estimate - truth).abs() < 134.0, "{estimate} for {truth}");
        }
    }

    #[test]
    fn the_estimate_of_an_expected_count_is_the_true_count() {
        // 250 of 1000 rows with 5 values; 0.8·250 + 0.2·1000/5 = 240 are expected.
        assert!((unbiased_count(240, 1000, 5, 0.8) - 250.0).abs() < 1e-9);
        assert!((unbiased_count(40, 1000, 5, 0.8)).abs() < 1e-9);
    }

    #[test]
    fn a_column_of_one_value_stays() {
        let data = dataset(&[Given::flat("sex", Role::Quasi, &["f"; 20])]);
        assert_eq!(codes(&candidate(&data, 0.1).unwrap(), 0), [0; 20]);
    }

    #[test]
    fn certainty_and_numbers_alone_are_refused() {
        let data = dataset(&[Given::flat("age", Role::Quasi, &[1, 2])]);
        let check = |keep, message: &str| {
            let Err(Failure::Error(error)) = candidate(&data, keep) else {
                panic!("it is refused")
            };
            assert_eq!(error.to_string(), message);
        };
        check(1.0, "`keep` must be above 0 and below 1, but is 1");
        check(0.0, "`keep` must be above 0 and below 1, but is 0");
        check(0.5, "`randomized-response` needs a quasi-identifier of categories");
    }
}
