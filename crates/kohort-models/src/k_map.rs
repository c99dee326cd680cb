//! k-map: every released row is like at least k people of the population.
//!
//! # Definition
//! For every class E of the release, at least k people of the population have quasi-identifiers that its cells
//! cover. The population is a table, and is counted; or the release is a random sample of it, and a class is
//! large enough where it refutes, at a significance level, that fewer than k people of the population share
//! it: with sampling fraction π, the class has f rows and P(X ≥ f) ≤ significance for X ~ Binomial(k − 1, π).
//!
//! # Promise
//! Who knows that a person is in the population, and not that the person is in the table, cannot narrow a row
//! down to fewer than k people. Where the population is estimated, no class of fewer than k people is taken
//! for one of k with a probability above the significance level; a class of k rows is always large enough.
//!
//! # What it does not promise
//! Nothing against somebody who knows that the person is in the table: a class may have a single row.
//!
//! # References
//! Sweeney 2002, IJUFKS 10(5). El Emam and Dankar 2008, "Protecting privacy using k-anonymity", JAMIA 15(5):
//! the test of a class of the sample, there with the Poisson distribution in place of the binomial.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "k-map",
    title: "k-map",
    paper: "Sweeney 2002; El Emam and Dankar 2008",
    promise: "every released row is like at least k people of the population",
    parameters: &[
        Parameter { name: "k", range: "k ≥ 2", doc: "the fewest people of the population" },
        Parameter { name: "public", range: "a table", doc: "the population" },
        Parameter {
            name: "sampling-fraction",
            range: "0 < fraction ≤ 1",
            doc: "in place of `public`: the share of the population that is in the table",
        },
        Parameter {
            name: "significance",
            range: "0 < significance < 1",
            doc: "the probability with which a class of fewer than k people may pass; 0.05 by \
                  default",
        },
    ],
};

/// The k-map condition on a population that is counted.
#[derive(Clone, Copy, Debug)]
pub struct KMap {
    // Invariant: 2 ≤ k.
    k: u64,
}

impl KMap {
    /// What the model is.
    pub const SPEC: &'static Spec = &SPEC;

    /// Asks for at least `k` people of the population behind every class.
    pub fn new(k: u64) -> Result<Self, Error> {
        if k < 2 {
            let found = k.to_string();
            return Err(Kind::Parameter { name: "k", found, expected: "at least 2" }.into());
        }
        Ok(Self { k })
    }

    /// The fewest people.
    pub fn k(&self) -> u64 {
        self.k
    }
}

/// The k-map condition on a population that a sample tells of.
#[derive(Clone, Copy, Debug)]
pub struct EstimatedKMap {
    // The rows of a class that refute that fewer than k people share it. Invariant: 1 ≤ rows ≤ k.
    rows: u64,
}

impl EstimatedKMap {
    /// Asks for classes that refute, at this significance level, that fewer than `k` people share them.
    pub fn new(k: u64, fraction: Ratio, significance: Ratio) -> Result<Self, Error> {
        KMap::new(k)?;
        let one = Ratio::whole(1);
        for (name, share, is_in) in [
            ("sampling-fraction", fraction, fraction.num() > 0 && fraction <= one),
            ("significance", significance, significance.num() > 0 && significance < one),
        ] {
            if !is_in {
                let (found, expected) = (share.to_string(), "a share above 0 and below 1");
                return Err(Kind::Parameter { name, found, expected }.into());
            }
        }
        Ok(Self { rows: rows_for(k, fraction.value(), significance.value()) })
    }

    /// The fewest rows of a class.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// The smallest f with P(X ≥ f) ≤ significance, X ~ Binomial(k − 1, fraction); at most k.
fn rows_for(k: u64, fraction: f64, significance: f64) -> u64 {
    let n = k - 1;
    if fraction >= 1.0 {
        return k;
    }
    // From the largest outcome down: the tail is a sum of positive terms, each from the one before.
    let odds = fraction.ln() - (1.0 - fraction).ln();
    let mut term = n as f64 * fraction.ln();
    let mut tail = 0.0;
    for x in (1..=n).rev() {
        tail += term.exp();
        // A tail that is the significance level itself is not above it, whatever rounding says.
        if tail > significance * (1.0 + 1e-9) {
            return x + 1;
        }
        // P(x − 1) = P(x) · x / (n − x + 1) · (1 − π) / π.
        term += (x as f64).ln() - ((n - x + 1) as f64).ln() - odds;
    }
    1
}

impl ClassModel for EstimatedKMap {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Merging two classes adds their sizes.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.rows
    }

    fn needs_values(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.rows <= class.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by the definition: every outcome with its probability, in exact fractions of integers.
    fn plain(k: u64, (num, den): (u128, u128), significance: (u128, u128)) -> u64 {
        let n = u32::try_from(k - 1).unwrap();
        let choose = |x: u32| (0..x).fold(1_u128, |c, i| c * u128::from(n - i) / u128::from(i + 1));
        let ways = |x: u32| choose(x) * num.pow(x) * (den - num).pow(n - x);
        let tail = |f: u64| (0..=n).filter(|&x| u64::from(x) >= f).map(ways).sum::<u128>();
        let is_enough = |f: &u64| tail(*f) * significance.1 <= den.pow(n) * significance.0;
        (1..=k).find(is_enough).unwrap()
    }

    #[test]
    fn the_rows_of_a_class_follow_the_definition() {
        for k in 2..=14 {
            for fraction in [(1, 10), (1, 4), (1, 2), (9, 10)] {
                for significance in [(1, 100), (1, 20), (3, 10)] {
                    let of = |(num, den): (u128, u128)| {
                        Ratio::new(num.try_into().unwrap(), den.try_into().unwrap())
                    };
                    let model = EstimatedKMap::new(k, of(fraction), of(significance)).unwrap();
                    let expected = plain(k, fraction, significance);
                    assert_eq!(model.rows(), expected, "{k} {fraction:?} {significance:?}");
                }
            }
        }
    }

    #[test]
    fn a_sample_of_everybody_needs_k_rows() {
        let model = EstimatedKMap::new(7, Ratio::whole(1), Ratio::new(1, 20)).unwrap();
        assert_eq!(model.rows(), 7);
    }
}
