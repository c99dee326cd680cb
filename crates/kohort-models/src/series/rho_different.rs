//! rho-different: nobody's value at any release is believed with more than rho, whatever followed.
//!
//! # Definition
//! For every person, every release the person is in and every value y:
//! Pr(y at that release | all releases, the correlations) ≤ rho, by smoothing
//! ([`Smoothing`]) with shares of the population.
//!
//! # Promise
//! Whoever knows everybody's quasi-identifiers and presence, all releases and how values follow one
//! another cannot tell anybody's value at any release with more than rho, as far as people are followed
//! one by one.
//!
//! # What it does not promise
//! Nothing against correlations that the publisher does not know, nor against reasoning about several
//! people at once. Nothing about releases that a person is not in: there, time alone changes beliefs.
//!
//! # Parameters
//! rho, above 0 and below 1. Probabilities are floats with an error far below 1e-12: what is above rho by
//! less than that is rho. The figure that is reported is rounded up to nine digits.
//!
//! # References
//! 001 §4.3, Definition 1, read with ≤ (specs/05 §6, 09); the posterior is that of specs/05 §6.2.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use super::Smoothing;

/// What the model is.
pub const SPEC: Spec = Spec {
    id: "rho-different",
    title: "rho-different",
    paper: "001 §4.3, Definition 1",
    promise: "nobody's value at any release is believed with more than rho, given all releases and how \
              values follow one another",
    parameters: &[Parameter {
        name: "rho",
        range: "0 < rho < 1",
        doc: "the highest belief that is allowed",
    }],
};

/// Beliefs closer than this are equal.
const NOISE: f64 = 1e-12;

/// The model with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RhoDifferent {
    // Above 0 and below 1.
    rho: Ratio,
}

/// What the model finds in a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RhoDifferentFinding {
    /// The highest belief about anybody, rounded up; 0 where nobody is in a release, 1 where the
    /// correlations rule out what was published about somebody.
    pub max_posterior: f64,
    /// The person and the release it is about.
    pub worst: Option<(u32, u32)>,
    /// How many people a belief above rho is about.
    pub n_people_above: usize,
}

impl RhoDifferentFinding {
    /// Whether the promise is kept.
    pub fn holds(&self) -> bool {
        self.n_people_above == 0
    }
}

impl RhoDifferent {
    /// The model with this threshold.
    pub fn new(rho: Ratio) -> Result<Self, Error> {
        if rho.num() == 0 || rho >= Ratio::whole(1) {
            let expected = "above 0 and below 1";
            return Err(Kind::Parameter { name: "rho", found: rho.to_string(), expected }.into());
        }
        Ok(Self { rho })
    }

    /// The threshold.
    pub fn rho(self) -> Ratio {
        self.rho
    }

    /// Whether a belief is allowed.
    #[inline]
    pub fn allows(self, belief: f64) -> bool {
        belief <= self.rho.value() + NOISE
    }

    /// Judges the people of a history who are named; of those who are not in its last release nothing
    /// has changed since the release before.
    pub fn judge(self, smoothing: &Smoothing<'_>, people: &[u32]) -> RhoDifferentFinding {
        let (worst_of_path, path_of) = smoothing.of_paths(people, |path| worst(smoothing, path));
        let mut finding =
            RhoDifferentFinding { max_posterior: 0.0, worst: None, n_people_above: 0 };
        for (&person, &path) in people.iter().zip(&path_of) {
            let Some((belief, release)) = worst_of_path[path as usize] else { continue };
            finding.n_people_above += usize::from(!self.allows(belief));
            if belief > finding.max_posterior {
                finding.max_posterior = belief;
                finding.worst = Some((person, release));
            }
        }
        finding.max_posterior = rounded_up(finding.max_posterior);
        finding
    }
}

/// The highest belief about whoever takes a path, with its release; `None` for who is in no release.
fn worst(smoothing: &Smoothing<'_>, path: &[(u32, u32)]) -> Option<(f64, u32)> {
    let &(last, _) = path.last()?;
    let Some(posteriors) = smoothing.posteriors(path) else { return Some((1.0, last)) };
    let beliefs = posteriors.iter().flat_map(|posterior| {
        posterior.of_value.iter().map(|&(_, belief)| (belief, posterior.release))
    });
    beliefs.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
}

/// The belief rounded up to nine digits.
fn rounded_up(belief: f64) -> f64 {
    (((belief - NOISE) * 1e9).ceil() / 1e9).clamp(0.0, 1.0)
}
