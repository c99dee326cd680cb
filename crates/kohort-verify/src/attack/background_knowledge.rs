//! Background knowledge: rules out values that a target cannot have.
//!
//! # Adversary
//! Knows that the target is in the table, the target's quasi-identifiers, and values the target does not
//! have.
//!
//! # Method
//! 1. With knowledge about people: the excluded values X are struck from the target's candidates, and the
//!    others grow by 1/(1 − p(X)). A value that is known to be the target's is not guessed again.
//! 2. Without: the worst a single excluded value can do. The most frequent value is kept and the next one
//!    struck: r₁ / (n − r₂).
//!
//! The notes say what two and three excluded values can do, and how many make somebody certain.
//!
//! # Success
//! The share of targets of whom something is known whose value was guessed; in the worst case the
//! adversary's own probability, since the knowledge must be true of the target.
//!
//! # References
//! Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, ICDE 2006.

use kohort_core::{Ctx, Error, Message, Spec};

use super::guess::likeliest_value;
use super::{Attack, Criterion, Facts, Guess, Guesses, Rate, Scene, Scoring, View, Who};

const SPEC: Spec = Spec {
    id: "background-knowledge",
    title: "Background knowledge",
    paper: "Machanavajjhala et al. 2006",
    promise: "a sensitive value is found by ruling out others",
    parameters: &[],
};

/// How many excluded values the notes go up to.
const MOST_EXCLUDED: usize = 3;

/// The attack with background knowledge.
pub(super) struct BackgroundKnowledge;

impl Attack for BackgroundKnowledge {
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
        let guesses = attributes.filter_map(|attribute| {
            let guesses = given(scene, attribute).unwrap_or_else(|| worst(scene, attribute));
            (!guesses.guesses.is_empty()).then_some(guesses)
        });
        Ok(guesses.collect())
    }

    // Values that fill at most 1/l each leave at most 1/(l − j) when j of them are struck.
    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        let attribute = attribute?;
        let l = 1.0 / scene.declared.value_bound(attribute)?;
        let excluded = scene.knowledge.iter().map(|(_, facts)| lacking(facts, attribute).count());
        let left = l - excluded.max().unwrap_or(1) as f64;
        (left >= 1.0).then(|| 1.0 / left)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who can rule out a value is right for {:.1} % of the targets, with a \
             probability of at most {:.3}; certain: {}",
            100.0 * rate.success,
            rate.max_probability,
            rate.above[2]
        )
    }
}

/// The values of an attribute that a person is known to lack.
fn lacking(facts: &Facts, attribute: usize) -> impl Iterator<Item = u32> {
    facts.lacks.iter().filter(move |&&(of, _)| of == attribute).map(|&(_, code)| code)
}

/// Guesses about the people of whom something is known; none when there is no such knowledge.
fn given(scene: &Scene<'_>, attribute: usize) -> Option<Guesses> {
    let crowd = scene.crowd()?;
    if scene.knowledge.is_empty() {
        return None;
    }
    let blind = scene.blind_value(attribute);
    let mut guesses = Guesses::new(Who::People, Some(attribute), blind);
    for view in crowd.views() {
        for &person in view.targets {
            let Some(facts) = scene.knowledge.of(person) else { continue };
            if lacking(facts, attribute).next().is_none() {
                continue;
            }
            let mut posterior = scene.posterior(view, attribute);
            posterior.retain(|&(code, _)| lacking(facts, attribute).all(|lacked| lacked != code));
            let left: f64 = posterior.iter().map(|&(_, probability)| probability).sum();
            for (_, probability) in &mut posterior {
                *probability /= left;
            }
            let (says, probability) = likeliest_value(&posterior);
            guesses.guesses.push(Guess { target: person, says, probability });
        }
    }
    guesses.notes =
        worst_cases(scene, attribute, |_, _, _| {}).into_iter().map(Message::from).collect();
    Some(guesses)
}

/// The worst that one excluded value can do to everybody.
fn worst(scene: &Scene<'_>, attribute: usize) -> Guesses {
    let (who, _) = scene.targets();
    let mut guesses = Guesses::new(who, Some(attribute), scene.blind_value(attribute));
    guesses.scoring = Scoring::ByExpectation;
    let cases = worst_cases(scene, attribute, |view, posterior, worst| {
        guesses.say(view, likeliest_value(posterior).0, worst);
    });
    let of_class = |view| with_excluded(&scene.posterior(view, attribute), 1);
    guesses.add_ceiling(scene.rows().views().map(of_class));
    guesses
        .notes
        .push("the worst case: for everybody, the value that says most is ruled out".into());
    guesses.notes.extend(cases.into_iter().map(Message::from));
    guesses
}

/// The probability of the likeliest value once the next `excluded` ones are ruled out.
fn with_excluded(posterior: &[(u32, f64)], excluded: usize) -> f64 {
    let mut shares: Vec<f64> = posterior.iter().map(|&(_, probability)| probability).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let largest = shares.first().copied().unwrap_or(0.0);
    // What is left is summed, so that a class without another value gives exactly 1.
    let left: f64 = shares.iter().skip(1 + excluded).sum::<f64>() + largest;
    if left > 0.0 { largest / left } else { 0.0 }
}

/// What excluded values can do, in words. Calls `say` with each view, what its targets may have, and the
/// worst of one excluded value.
fn worst_cases(
    scene: &Scene<'_>,
    attribute: usize,
    mut say: impl FnMut(View<'_>, &[(u32, f64)], f64),
) -> Vec<String> {
    let (_, sight) = scene.targets();
    let mut largest = [0.0_f64; MOST_EXCLUDED];
    let mut certain = [0_u64; MOST_EXCLUDED];
    for view in sight.views() {
        let posterior = scene.posterior(view, attribute);
        let worst: [f64; MOST_EXCLUDED] =
            std::array::from_fn(|at| with_excluded(&posterior, at + 1));
        for (at, &worst) in worst.iter().enumerate() {
            largest[at] = largest[at].max(worst);
            certain[at] += if worst >= 1.0 { view.targets.len() as u64 } else { 0 };
        }
        say(view, &posterior, worst[0]);
    }
    let cases = (1..).zip(largest.iter().zip(certain)).map(|(excluded, (largest, certain))| {
        let values = if excluded == 1 { "value" } else { "values" };
        format!("{excluded} excluded {values}: probability {largest:.3} at most, {certain} certain")
    });
    cases.collect()
}
