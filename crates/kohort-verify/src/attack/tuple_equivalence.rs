//! Tuple equivalence: people who are known to have equal values show that others have, too.
//!
//! # Adversary
//! As value equivalence; and knows of some people that they have the same value (`same-as`), or which value
//! somebody has.
//!
//! # Method
//! 1. Blocks of people with equal values: those known, and those of value equivalence.
//! 2. What follows from them class by class (see `deduction`), which makes blocks larger.
//! 3. Components of ten people or fewer: every world is gone through; who has the same value as another in
//!    all of them is of one block, and a value is as likely as the worlds in which the target has it.
//!
//! # Success
//! The share of targets whose value is guessed. The baseline is the newest release that the target is in,
//! alone. The notes say how many blocks there are, how large the largest is, and how likely one value that is
//! learned later opens another (see `opening`): no model in this box limits these.
//!
//! # References
//! Abdalaal 2012 §4.1.

use std::collections::BTreeSet;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::evidence::chained_disclosure::Opening;
use super::evidence::deduction::Deduction;
use super::evidence::equal_values::{Blocks, about};
use super::evidence::series::{self, Series, value_guesses};
use super::guess::likeliest_value;
use super::value_association::Beliefs;
use super::value_equivalence::equivalences;
use super::{Attack, Criterion, Guesses, Rate, Scene};

const SPEC: Spec = Spec {
    id: "tuple-equivalence",
    title: "Tuple equivalence",
    paper: "Abdalaal 2012",
    promise: "known equal values of some people show that others have equal values, too",
    parameters: &[],
};

/// The tuple equivalence attack.
pub(super) struct TupleEquivalence;

impl Attack for TupleEquivalence {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn compares_releases(&self) -> bool {
        true
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let knows = |facts: &super::Facts| !facts.has.is_empty();
        let is_known = !scene.knowledge.same().is_empty()
            || scene.knowledge.iter().any(|(_, facts)| knows(facts));
        series::needs(scene).or((!is_known).then(|| {
            message!(
                "people with equal values, or with a known one (`same-as` in {})",
                Setting::Knowledge
            )
        }))
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let each = scene.series()?.iter();
        Ok(each.map(|(attribute, series)| of_series(scene, series, *attribute)).collect())
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who knows that some people have equal values guesses the value of \
             {:.1} % of the other targets, against {:.1} % with the newest release",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

fn of_series(scene: &Scene<'_>, series: &Series, attribute: usize) -> Guesses {
    let mut blocks = equivalences(series);
    for &(a, b) in scene.knowledge.same() {
        blocks.join(a, b);
    }
    let mut deduction = Deduction::new(series, blocks);
    let (mut known, mut is_possible) = (BTreeSet::new(), true);
    for (person, facts) in scene.knowledge.iter() {
        for &(_, code) in facts.has.iter().filter(|(index, _)| *index == attribute) {
            is_possible &= deduction.learn(person, &[code]);
            known.insert(person);
        }
    }
    deduction.run_with_joins();
    let beliefs = Beliefs::new(series, &mut deduction, likeliest_value);
    let is_contradiction = !is_possible || (beliefs.n_unexplained > 0 && has_worlds(series));
    let mut guesses = value_guesses(scene, series, attribute, |person| {
        // Nothing follows from a contradiction.
        if is_contradiction {
            likeliest_value(&series.alone(person))
        } else {
            beliefs.of_person[person as usize]
        }
    });
    // Whose value is known is no target.
    let is_target = |guess: &super::Guess| !known.contains(&guess.target);
    guesses.guesses.retain(is_target);
    guesses.without.retain(is_target);
    if is_contradiction {
        guesses.notes.push(
            "what is known contradicts the releases: no world explains both, as far as people are in the \
             releases that cover them; nothing is concluded from it"
                .into(),
        );
        return guesses;
    }
    guesses.notes.push(about(&deduction.blocks().clone().of_many()).into());
    guesses.notes.push(Opening::new(scene, series, &mut deduction, &beliefs).note().into());
    guesses.notes.extend(beliefs.notes());
    guesses
}

/// Whether the releases alone leave a world for everybody whose worlds can be gone through.
fn has_worlds(series: &Series) -> bool {
    let mut deduction = Deduction::new(series, Blocks::new(series.n_people()));
    deduction.run();
    Beliefs::new(series, &mut deduction, likeliest_value).n_unexplained == 0
}
