//! Suppression: learns the sensitive values that are missing in a person's tree.
//!
//! # Adversary
//! Knows people's trees, and so which of them, and which vertices of the others, are not in the release; and
//! how often each value of an attribute occurs in the whole original.
//!
//! # Method
//! The values that are not in the release are those of the original less those of the release. The guess is
//! the most frequent of them, for each.
//!
//! # Success
//! The share of those values that are guessed. The blind guess says the same value, and is right as often as
//! the release has it.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007: what an adversary learns who knows why a method changed some rows and
//! not others.

use kohort_core::Spec;

use super::super::left_out::CutValues;
use crate::attack::{Known, Rate, wilson};

/// The attack on what was cut.
pub const SUPPRESSION: Spec = Spec {
    id: "suppression",
    title: "Suppression",
    paper: "Wong et al. 2007",
    promise: "the pruned parts of a record have a value that is too frequent",
    parameters: &[],
};

/// How well it does on the values of one attribute that are not in a release.
pub fn suppression(cut: &CutValues) -> Rate {
    let success = cut.share().value();
    let reached = |least: f64| if success >= least { cut.values } else { 0 };
    Rate {
        targets: cut.values,
        success,
        baseline: cut.shown.value(),
        interval: wilson(success, cut.values),
        max_probability: success,
        above: [reached(0.5 + 1e-9), reached(0.8 + 1e-9), reached(1.0 - 1e-9)],
        known: Known::Measured,
    }
}
