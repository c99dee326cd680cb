//! Membership: tells whether a person is in the released table at all.
//!
//! # Adversary
//! Has a table of a population and its quasi-identifiers; who of it is in the released table is unknown.
//!
//! # Method
//! 1. The f records of a shape belong to f of the F people of the population that it covers.
//! 2. A shape is about a person whom it covers with probability f / F. The person is in the table unless
//!    no shape is about them: 1 − ∏ (1 − f / F) over the shapes that cover the person, which are taken to
//!    be independent, and 0 where there is none. It is 1 only where a shape has as many records as people
//!    whom it covers. An exact row is a shape like any other: it gives away who is alone with it in the
//!    population.
//! 3. The guess is the likelier of "in" and "not in", ties to "in"; its probability is that of what is
//!    said, so that a person who is not in the table for sure counts as much as one who is.
//!
//! People of whom it is known whether they are in the table are no targets.
//!
//! # Success
//! The share of people of whom the right thing was said; the blind guess says the likelier one of
//! everybody, from the size of the release alone.
//!
//! # References
//! Nergiz, Atzori and Clifton, SIGMOD 2007.

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::evidence::scene::{Sight, View};
use super::{Attack, Criterion, Guess, Guesses, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "membership",
    title: "Membership",
    paper: "Nergiz, Atzori and Clifton 2007",
    promise: "whether a person of the population is in the table is found out",
    parameters: &[],
};

/// The membership attack.
pub(super) struct Membership;

impl Attack for Membership {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let is_open = scene.people.as_ref().is_some_and(|people| !people.are_members());
        (!is_open).then(|| {
            message!("a public table that also has people who are not in it ({})", Setting::Public)
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let Some(crowd) = scene.crowd() else { return Ok(Vec::new()) };
        let share = scene.release.n_rows() as f64 / crowd.n_targets().max(1) as f64;
        let mut guesses = Guesses::new(Who::People, None, said(share.min(1.0)));
        let (mut lowest, mut highest) = (1.0_f64, 0.0_f64);
        for view in crowd.views() {
            let probability = probability(scene, crowd, view);
            lowest = lowest.min(probability);
            highest = highest.max(probability);
            let (says, sure) = said(probability);
            let is_open = |person: &&u32| {
                scene.knowledge.of(**person).is_none_or(|facts| facts.is_member.is_none())
            };
            let guess = |&target: &u32| Guess { target, says, probability: sure };
            guesses.guesses.extend(view.targets.iter().filter(is_open).map(guess));
        }
        guesses.notes.push(message!(
            "the probability of being in the table goes from {lowest:.3} to {highest:.3}"
        ));
        Ok(vec![guesses])
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "whether somebody is in the table is said rightly of {:.1} % of the people, and {} are sure \
             cases",
            100.0 * rate.success,
            rate.above[2]
        )
    }
}

/// The probability that the people of a view are in the table.
fn probability(scene: &Scene<'_>, crowd: &Sight, view: View<'_>) -> f64 {
    let share = |&shape: &u32| {
        f64::from(scene.release.size_of_shape(shape)) / crowd.n_covered(shape) as f64
    };
    1.0 - view.shapes.iter().map(share).map(|share| (1.0 - share).max(0.0)).product::<f64>()
}

/// The likelier of "in" and "not in", with its probability.
fn said(probability: f64) -> (Says, f64) {
    (Says::Member(probability >= 0.5), probability.max(1.0 - probability))
}
