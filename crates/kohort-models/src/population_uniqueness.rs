//! Population uniqueness: few people of the population are alone in their class, as estimated from the release.
//!
//! # Definition
//! The share of people of the population whose quasi-identifiers, as the release shows them, are theirs alone
//! is estimated by the rule of Dankar et al. (2012) between the models of Pitman, Zayatz, and Chen and
//! Keller-McNulty; the estimate is at most p. A sample of everybody is the population, and is counted.
//!
//! # Promise
//! None that is proved: an estimate from a simple random sample is at most p.
//!
//! # What it does not promise
//! Nothing where the rows are no random sample of the population, and nothing about those who are alone.
//!
//! # Deviations
//! The population has (released rows) / (sampling fraction) people: rows that were dropped are in neither.
//!
//! # References
//! Dankar, El Emam, Neisa and Roffey 2012, "Estimating the re-identification risk of clinical data sets",
//! BMC Medical Informatics and Decision Making 12:66.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::population::{Sample, estimates};
use crate::size_model::n_rows;
use crate::{SampleUniqueness, SizeModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "population-uniqueness",
    title: "population uniqueness",
    paper: "Dankar, El Emam, Neisa and Roffey 2012",
    promise: "an estimated share of at most p of the population is alone in its class",
    parameters: &[
        Parameter {
            name: "p", range: "0 ≤ p ≤ 1", doc: "the largest estimated share of people"
        },
        Parameter {
            name: "sampling-fraction",
            range: "0 < fraction ≤ 1",
            doc: "the share of the population that is in the table",
        },
    ],
};

/// The condition on the estimated share of people who are alone.
#[derive(Clone, Copy, Debug)]
pub struct PopulationUniqueness {
    // Invariant: p ≤ 1, 0 < fraction ≤ 1.
    p: Ratio,
    fraction: Ratio,
}

impl PopulationUniqueness {
    /// Asks for an estimate of at most `p`, from a sample of this fraction of the population.
    pub fn new(p: Ratio, fraction: Ratio) -> Result<Self, Error> {
        SampleUniqueness::new(p)?;
        if fraction.num() == 0 || fraction > Ratio::whole(1) {
            let (name, found) = ("sampling-fraction", fraction.to_string());
            return Err(Kind::Parameter { name, found, expected: "above 0, at most 1" }.into());
        }
        Ok(Self { p, fraction })
    }
}

impl SizeModel for PopulationUniqueness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Where no row is alone in the sample, nobody of the sample is alone in the population: all estimates are 0.
    fn enough(&self) -> u64 {
        2
    }

    fn holds(&self, sizes: &[(u64, u64)]) -> bool {
        if self.fraction == Ratio::whole(1) {
            return SampleUniqueness::new(self.p).is_ok_and(|counted| counted.holds(sizes));
        }
        if n_rows(sizes) == 0 {
            return true;
        }
        let sample = Sample::new(sizes.iter().copied(), self.fraction);
        // A population too large to count is not estimated.
        sample.is_some_and(|sample| estimates(&sample).uniques.value <= self.p.value() + 1e-9)
    }
}
