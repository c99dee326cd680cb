//! The decision rule between the models, and what all of them say.
//!
//! # Definition
//! The population uniques are told
//! 1. by Pitman's formula where the sampling fraction is at most 0.1, and by Zayatz's model where it does not
//!    fit;
//! 2. else by the slide negative binomial model or by Zayatz's, whichever tells fewer, and by Zayatz's where
//!    the other has no solution.
//!
//! Where no row is alone in its class no row is alone in the population: all models say 0.
//!
//! # Deviations
//! The rule is about uniques. Of classes, and so of the marketer's risk, Zayatz's model says nothing: they are
//! told by Pitman's formula where the fraction is at most 0.1 and it fits, else by the Shlosser estimate that
//! the slide negative binomial model rests on.
//!
//! # References
//! Dankar, El Emam, Neisa and Roffey 2012, "Estimating the re-identification risk of clinical data sets",
//! BMC Medical Informatics and Decision Making 12:66.

use super::pitman::pitman;
use super::shlosser::shlosser;
use super::slide_negative_binomial::slide_negative_binomial;
use super::zayatz::zayatz;
use super::{Fitted, Sample, Unfitted};

/// A figure with the model that tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// The share, from 0 to 1.
    pub value: f64,
    /// The id of the model.
    pub model: &'static str,
}

/// What the models say of the population of a sample.
#[derive(Clone, Debug)]
pub struct Estimates {
    /// The people of the population.
    pub n_people: u64,
    /// The share of people who are alone in their class: as expected, that of rows of the sample, too.
    pub uniques: Estimated,
    /// The marketer's risk.
    pub marketer: Estimated,
    /// What each model says, with its id and its paper.
    pub models: [(&'static str, &'static str, Result<Fitted, Unfitted>); 3],
}

const ZAYATZ: &str = "zayatz";
const SLIDE_NEGATIVE_BINOMIAL: &str = "slide-negative-binomial";
const PITMAN: &str = "pitman";

/// What the models say of the population, and what the rule takes.
pub fn estimates(sample: &Sample) -> Estimates {
    let (mut zayatz, mut pitman) = (zayatz(sample), pitman(sample));
    let snb = slide_negative_binomial(sample);
    if sample.n_unique() == 0 {
        zayatz.uniques = 0.0;
        pitman = pitman.map(|fitted| Fitted { uniques: 0.0, ..fitted });
    }
    // π ≤ 1/10, in whole numbers.
    let is_small = u128::from(sample.n_rows) * 10 <= u128::from(sample.n_people);
    let by_zayatz = (zayatz.uniques, ZAYATZ);
    let uniques = match (is_small, pitman, snb) {
        (true, Ok(fitted), _) => (fitted.uniques, PITMAN),
        (false, _, Ok(fitted)) if fitted.uniques <= zayatz.uniques => {
            (fitted.uniques, SLIDE_NEGATIVE_BINOMIAL)
        }
        _ => by_zayatz,
    };
    let classes = match pitman.ok().and_then(|fitted| fitted.classes).filter(|_| is_small) {
        Some(classes) => (classes, PITMAN),
        None => (shlosser(sample), SLIDE_NEGATIVE_BINOMIAL),
    };
    let share = |(count, model): (f64, &'static str)| {
        let value = (count / sample.n_people as f64).clamp(0.0, 1.0);
        Estimated { value, model }
    };
    let mut marketer = share(classes);
    // What is proved comes first.
    marketer.value = marketer.value.min(sample.n_classes as f64 / sample.n_rows as f64);
    Estimates {
        n_people: sample.n_people,
        uniques: share(uniques),
        marketer,
        models: [
            (ZAYATZ, "Zayatz 1991", Ok(zayatz)),
            (SLIDE_NEGATIVE_BINOMIAL, "Chen and Keller-McNulty 1998", snb),
            (PITMAN, "Hoshino 2001", pitman),
        ],
    }
}
