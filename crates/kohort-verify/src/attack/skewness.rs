//! Skewness: learns that a value is likelier in a target's class than in the table.
//!
//! # Adversary
//! Knows that the target is in the table, the target's quasi-identifiers, and how the sensitive values are
//! distributed in the table.
//!
//! # Method
//! 1. The gain of a value is p(v)/q(v): its share among the target's candidates over its share in the table.
//! 2. Where the largest gain is at least 2, the guess is that value; elsewhere nothing is said.
//!
//! # Success
//! The share of guesses that are right. The blind guess says the same value, and is right as often as the
//! table has it.
//!
//! # References
//! Li, Li and Venkatasubramanian, ICDE 2007.

use kohort_core::{Ctx, Error, Message, Spec, message};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene};

const SPEC: Spec = Spec {
    id: "skewness",
    title: "Skewness",
    paper: "Li, Li and Venkatasubramanian 2007",
    promise: "a value is much likelier in a class than in the table",
    parameters: &[],
};

/// A gain from which on a value is guessed.
const LEAST_GAIN: f64 = 2.0;

/// The skewness attack.
pub(super) struct Skewness;

impl Attack for Skewness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        scene.needs_sensitive()
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let attributes = 0..scene.release.sensitive().len();
        Ok(attributes.map(|attribute| of_attribute(scene, attribute)).collect())
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "{} targets are where some value is at least {LEAST_GAIN} times as likely as in the table; \
             guessing it is right for {:.1} % of them, against {:.1} %",
            rate.targets,
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

fn of_attribute(scene: &Scene<'_>, attribute: usize) -> Guesses {
    let (who, sight) = scene.targets();
    let table = scene.prior(attribute);
    // What no cell shows is rarer than anything that one does.
    let rarest = 1.0 / scene.release.n_rows().max(1) as f64;
    let mut guesses = Guesses::new(who, Some(attribute), (Says::Nothing, 0.0));
    let mut priors = Vec::new();
    let mut largest = 1.0_f64;
    for view in sight.views() {
        let posterior = scene.posterior(view, attribute);
        let prior = |code: u32| {
            let at = table.binary_search_by_key(&code, |&(code, _)| code);
            at.map_or(rarest, |at| table[at].1)
        };
        let Some((gain, code, probability)) = most_gained(&posterior, prior) else { continue };
        largest = largest.max(gain);
        if gain >= LEAST_GAIN - 1e-9 {
            guesses.say(view, Says::Value(code, code), probability);
            priors.extend(view.targets.iter().map(|_| prior(code)));
        }
    }
    guesses.priors = Some(priors);
    guesses.notes.push(message!("the largest gain is {largest:.2}"));
    guesses
}

/// The value whose share grew most, with its gain and its probability; ties to the lowest code.
fn most_gained(posterior: &[(u32, f64)], prior: impl Fn(u32) -> f64) -> Option<(f64, u32, f64)> {
    let mut best: Option<(f64, u32, f64)> = None;
    for &(code, probability) in posterior {
        let gain = probability / prior(code);
        if best.is_none_or(|(most, _, _)| gain > most) {
            best = Some((gain, code, probability));
        }
    }
    best
}
