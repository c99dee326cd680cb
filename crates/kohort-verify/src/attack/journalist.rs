//! Journalist: links a person of a population with a record, to show that it can be done.
//!
//! # Adversary
//! Has a table of a population and its quasi-identifiers; who of it is in the released table is unknown.
//!
//! # Method
//! 1. A record of a shape that covers F people of the population is one of theirs: 1/F each. Where the table
//!    of people lacks some of the released ones, F is the number of records of the shape.
//! 2. A person covered by several shapes draws a record from all of them.
//!
//! Without a population, F is at least f, whatever share of it was sampled: 1/f is then an upper bound.
//!
//! # Success
//! The expected share of people in the table whose record is drawn.
//!
//! # References
//! El Emam and Dankar 2008.

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Scoring, Who};

const SPEC: Spec = Spec {
    id: "journalist",
    title: "Linking a person of the population (journalist)",
    paper: "El Emam and Dankar 2008",
    promise: "the record of a person of the population is picked out, without knowing whether \
              the person is in the table",
    parameters: &[],
};

/// The journalist's attack.
pub(super) struct Journalist;

impl Attack for Journalist {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let is_population = scene.people.as_ref().is_some_and(|people| !people.are_members());
        (!is_population && scene.sampled.is_none()).then(|| {
            message!(
                "a public table ({}), or the share of the population in the table ({})",
                Setting::Public,
                Setting::Sampled
            )
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let is_population = scene.people.as_ref().is_some_and(|people| !people.are_members());
        let Some(crowd) = scene.crowd().filter(|_| is_population) else {
            return Ok(bounded(scene));
        };
        let blind = (Says::Record, 1.0 / crowd.n_targets() as f64);
        let mut guesses = Guesses::new(Who::People, None, blind);
        for view in crowd.views() {
            let records = scene.n_records(view);
            if records == 0 {
                guesses.say(view, Says::Nothing, 0.0);
                continue;
            }
            let right = |&shape: &u32| {
                let records = f64::from(scene.release.size_of_shape(shape));
                // A shape has no fewer people than records, whoever is not in the table of people.
                records / records.max(crowd.n_covered(shape) as f64)
            };
            // A person has one record at most, whatever the shapes that cover them promise.
            let right: f64 = view.shapes.iter().map(right).sum::<f64>().min(1.0);
            guesses.say(view, Says::Record, right / records as f64);
        }
        // Which people are in the table is what nobody knows: the probability has it in it.
        guesses.scoring = Scoring::ByExpectation;
        Ok(vec![guesses])
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who looks for somebody of the population picks out the record with \
             probability {:.3} on average, and at most {:.3}",
            rate.success, rate.max_probability
        )
    }
}

/// Without a population: a shape of f records covers f people or more.
fn bounded(scene: &Scene<'_>) -> Vec<Guesses> {
    let share = scene.sampled.map_or(1.0, kohort_core::Ratio::value);
    let sight = scene.rows();
    let blind = (Says::Record, share / scene.release.n_rows() as f64);
    let mut guesses = Guesses::new(Who::Rows, None, blind);
    for view in sight.views() {
        guesses.say(view, Says::Record, 1.0 / scene.n_records(view) as f64);
    }
    guesses.scoring = Scoring::ByExpectation;
    guesses.notes.push(
        "an upper bound: nothing is known of the population but the share that was sampled, and a class \
         may have no other people there"
            .into(),
    );
    vec![guesses]
}
