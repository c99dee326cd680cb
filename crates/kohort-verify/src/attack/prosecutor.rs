//! Prosecutor: links a person who is known to be in the table with a record.
//!
//! # Adversary
//! Knows that the target is in the table, and the target's quasi-identifiers.
//!
//! # Method
//! 1. The candidates are the records whose cells cover the target, f of them.
//! 2. One of them is drawn: the target's with probability 1/f.
//!
//! Without people everybody in the release is a target.
//!
//! # Success
//! The expected share of targets whose record is drawn. In a release without people it is the number of
//! shapes over the number of records.
//!
//! # References
//! El Emam and Dankar 2008.

use kohort_core::{Ctx, Error, Message, Spec};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene};

const SPEC: Spec = Spec {
    id: "prosecutor",
    title: "Linking a person who is in the table (prosecutor)",
    paper: "El Emam and Dankar 2008",
    promise: "the record of a person who is known to be in the table is picked out",
    parameters: &[],
};

/// The prosecutor's attack.
pub(super) struct Prosecutor;

impl Attack for Prosecutor {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        (scene.release.n_rows() == 0).then(|| "a release with a row".into())
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let (who, sight) = scene.targets();
        let blind = (Says::Record, 1.0 / scene.release.n_rows() as f64);
        let mut guesses = Guesses::new(who, None, blind);
        for view in sight.views() {
            match scene.n_records(view) {
                0 => guesses.say(view, Says::Nothing, 0.0),
                records => guesses.say(view, Says::Record, 1.0 / records as f64),
            }
        }
        let largest = |view| 1.0 / scene.n_records(view) as f64;
        guesses.add_ceiling(scene.rows().views().map(largest));
        Ok(vec![guesses])
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who knows that somebody is in the table picks out the record with \
             probability {:.3} on average, and at most {:.3}",
            rate.success, rate.max_probability
        )
    }
}
