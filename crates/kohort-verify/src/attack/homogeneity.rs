//! Homogeneity: reads a target's sensitive value off the records that may be the target's.
//!
//! # Adversary
//! Knows that the target is in the table, and the target's quasi-identifiers.
//!
//! # Method
//! 1. Every record that covers the target is as likely as any other.
//! 2. The guess is the value that most of them have, ties to the lowest code.
//!
//! Without people everybody in the release is a target.
//!
//! # Success
//! The share of targets whose value was guessed; the blind guess is the most frequent value of all.
//!
//! # References
//! Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, ICDE 2006.

use kohort_core::{Ctx, Error, Message, Spec};

use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Scene};

const SPEC: Spec = Spec {
    id: "homogeneity",
    title: "Homogeneity",
    paper: "Machanavajjhala et al. 2006",
    promise: "a sensitive value is read off a class that has little else",
    parameters: &[],
};

/// The homogeneity attack.
pub(super) struct Homogeneity;

impl Attack for Homogeneity {
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

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "the most frequent value of the matching records is right for {:.1} % of the \
             targets, and {} have no other possible value",
            100.0 * rate.success,
            rate.above[2]
        )
    }
}

fn of_attribute(scene: &Scene<'_>, attribute: usize) -> Guesses {
    let (who, sight) = scene.targets();
    let mut guesses = Guesses::new(who, Some(attribute), scene.blind_value(attribute));
    for view in sight.views() {
        let (says, probability) = likeliest_value(&scene.posterior(view, attribute));
        guesses.say(view, says, probability);
    }
    let of_class = |view| likeliest_value(&scene.posterior(view, attribute)).1;
    guesses.add_ceiling(scene.rows().views().map(of_class));
    guesses
}
