//! Marketer: links every record with somebody, to be right as often as possible.
//!
//! # Adversary
//! Has a table of a population and its quasi-identifiers.
//!
//! # Method
//! Each record is given to one of the F people that its shape covers, at random; F is at least the number
//! of records of the shape.
//!
//! # Success
//! The expected share of right links: (1/n) Σ over shapes of f / F.
//!
//! # References
//! El Emam and Dankar 2008.

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Scoring, Who};

const SPEC: Spec = Spec {
    id: "marketer",
    title: "Linking every record (marketer)",
    paper: "El Emam and Dankar 2008",
    promise: "many records are linked with the right people at once",
    parameters: &[],
};

/// The marketer's attack.
pub(super) struct Marketer;

impl Attack for Marketer {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        scene.crowd().is_none().then(|| message!("a public table ({})", Setting::Public))
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let Some(crowd) = scene.crowd() else { return Ok(Vec::new()) };
        let blind = (Says::Record, 1.0 / crowd.n_targets().max(1) as f64);
        let mut guesses = Guesses::new(Who::Rows, None, blind);
        for view in scene.rows().views() {
            match view.shapes.iter().map(|&shape| crowd.n_covered(shape)).sum::<u64>() {
                0 => guesses.say(view, Says::Nothing, 0.0),
                // A shape has no fewer people than records, whoever is not in the table of people.
                people => {
                    let people = people.max(scene.n_records(view));
                    guesses.say(view, Says::Record, 1.0 / people as f64);
                }
            }
        }
        guesses.scoring = Scoring::ByExpectation;
        Ok(vec![guesses])
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who links every record with somebody is right for {:.1} % of them",
            100.0 * rate.success
        )
    }
}
