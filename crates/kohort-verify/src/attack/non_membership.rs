//! Non-membership: rules out a value of one sensitive attribute to learn another.
//!
//! # Adversary
//! Knows who is in a class, sees its rows of sensitive values whole, and knows of some members that they do
//! not have some value.
//!
//! # Method
//! 1. Every way to give the rows to the members is a world, all equally likely; a bit of knowledge strikes
//!    the worlds that contradict it.
//! 2. For each class the worst single bit: the largest probability that any member has any value.
//! 3. The notes say what no bit and two bits can do, and how it is known.
//! 4. With knowledge about people: in every class of at most ten people who are all known, the worlds that
//!    it leaves are counted, and each member's likeliest value of each attribute is guessed. What is known
//!    of one member tells about the others.
//!
//! # Success
//! The adversary's own probability in the worst case, for each row of the class; with knowledge, the share
//! of members whose value was guessed, against the most frequent value of the class.
//!
//! # References
//! Definition 5 of Abdalaal 2012.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};
use kohort_models::{Evidence, Posterior, row_probabilities, worst_posterior_within};
use rayon::prelude::*;

use super::guess::likeliest_value;
use super::{Attack, Criterion, Facts, Guess, Guesses, Rate, Says, Scene, Scoring, Who};

const SPEC: Spec = Spec {
    id: "non-membership",
    title: "Non-membership of several sensitive attributes",
    paper: "Abdalaal 2012, chapter 3",
    promise: "ruling out a value of one sensitive attribute gives another away",
    parameters: &[],
};

/// The bits that the notes go up to.
const MOST_BITS: usize = 2;

/// The steps that trying sets of bits may take in all: a few seconds. Classes share them evenly, and what is
/// not tried is bounded.
const MOST_STEPS: u64 = 1_000_000_000;

/// The most people of a class whose worlds are counted.
const MOST_PEOPLE: usize = 10;

/// The attack by non-membership.
pub(super) struct NonMembership;

impl Attack for NonMembership {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let few = scene.release.sensitive().len() < 2;
        few.then(|| message!("two sensitive attributes or more ({})", Setting::Sensitive.to("a,b")))
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let classes = classes(scene);
        let n_attributes = scene.release.sensitive().len();
        let steps = MOST_STEPS / classes.len().max(1) as u64;
        let worst: Vec<[Posterior; MOST_BITS + 1]> = (classes.par_iter())
            .map(|class| {
                let worst = |bits| worst_posterior_within(&class.values, n_attributes, bits, steps);
                [0, 1, 2].map(worst)
            })
            .collect();
        let blind = (0..n_attributes).map(|attribute| scene.blind_value(attribute).1);
        let blind = blind.reduce(f64::max).unwrap_or(0.0);
        let mut guesses = Guesses::new(Who::Rows, None, (Says::Nothing, blind));
        guesses.scoring = Scoring::ByExpectation;
        for (class, worst) in classes.iter().zip(&worst) {
            let probability = worst[1].probability.value();
            let guess = |&target: &u32| Guess { target, says: Says::Nothing, probability };
            guesses.guesses.extend(class.rows.iter().map(guess));
        }
        for bits in 0..=MOST_BITS {
            guesses.notes.push(note(&worst, bits).into());
        }
        let mut all = vec![guesses];
        all.extend((0..n_attributes).filter_map(|attribute| given(scene, &classes, attribute)));
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        if attribute.is_some() {
            return None;
        }
        let models = scene.declared.models.iter();
        let l = models.filter_map(|model| model.diversity_of_all()).max()?;
        (l >= 2).then(|| 1.0 / (l - 1) as f64)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who can rule out one value of one member learns a value of somebody \
             with probability at most {:.3}; {} people are in classes where that is certain",
            rate.max_probability, rate.above[2]
        )
    }
}

/// A class: its rows, and their sensitive values, row-major.
struct Class {
    rows: Vec<u32>,
    values: Vec<u32>,
}

fn classes(scene: &Scene<'_>) -> Vec<Class> {
    let release = &scene.release;
    let mut classes: Vec<Class> =
        (0..release.n_classes()).map(|_| Class { rows: Vec::new(), values: Vec::new() }).collect();
    for (row, &shape) in (0..).zip(&release.shapes().ids) {
        let class = &mut classes[release.class_of_shape(shape) as usize];
        class.rows.push(row);
        let codes = release.sensitive().iter().map(|a| a.codes().get(row as usize));
        class.values.extend(codes);
    }
    classes
}

/// What is guessed of an attribute in the classes with a member of whom something is known.
fn given(scene: &Scene<'_>, classes: &[Class], attribute: usize) -> Option<Guesses> {
    let crowd = scene.crowd().filter(|_| !scene.knowledge.is_empty())?;
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    for view in crowd.views() {
        if let &[shape] = view.shapes {
            members[scene.release.class_of_shape(shape) as usize].extend(view.targets);
        }
    }
    let n_attributes = scene.release.sensitive().len();
    let mut guesses = Guesses::new(Who::People, Some(attribute), (Says::Nothing, 0.0));
    for ((number, class), people) in (0..).zip(classes).zip(&members) {
        let is_known = people.iter().any(|&person| scene.knowledge.of(person).is_some());
        if !is_known || people.len() != class.rows.len() || people.len() > MOST_PEOPLE {
            continue;
        }
        let allowed: Vec<u32> = people
            .iter()
            .map(|&person| class.allowed(scene.knowledge.of(person), n_attributes))
            .collect();
        let Some(with_row) = row_probabilities(&allowed) else { continue };
        let alone = likeliest_value(
            &scene
                .release
                .values(attribute, number)
                .iter()
                .map(|&(code, count)| (code, f64::from(count) / people.len() as f64))
                .collect::<Vec<_>>(),
        );
        for (&person, of_rows) in people.iter().zip(with_row.chunks(people.len())) {
            let mut posterior: BTreeMap<u32, f64> = BTreeMap::new();
            for (row, probability) in of_rows.iter().enumerate() {
                *posterior.entry(class.values[row * n_attributes + attribute]).or_insert(0.0) +=
                    probability;
            }
            let (says, probability) = likeliest_value(&posterior.into_iter().collect::<Vec<_>>());
            guesses.guesses.push(Guess { target: person, says, probability });
            guesses.without.push(Guess { target: person, says: alone.0, probability: alone.1 });
        }
    }
    guesses.notes.push("by what is known of people, in classes whose members are all known".into());
    (!guesses.guesses.is_empty()).then_some(guesses)
}

impl Class {
    /// The rows that a member may have of whom this is known, as a set of bits.
    fn allowed(&self, facts: Option<&Facts>, n_attributes: usize) -> u32 {
        let fits = |row: usize| {
            let value = |attribute: usize| self.values[row * n_attributes + attribute];
            facts.is_none_or(|facts| {
                facts.lacks.iter().all(|&(attribute, code)| value(attribute) != code)
                    && facts.has.iter().all(|&(attribute, code)| value(attribute) == code)
            })
        };
        (0..self.rows.len()).filter(|&row| fits(row)).fold(0, |rows, row| rows | 1 << row)
    }
}

/// The worst of all classes under so many bits, in words.
fn note(worst: &[[Posterior; MOST_BITS + 1]], bits: usize) -> String {
    let of_bits = || worst.iter().map(|class| class[bits]);
    let largest = of_bits().map(|posterior| posterior.probability.value()).fold(0.0, f64::max);
    let of =
        |evidence: Evidence| of_bits().filter(|posterior| posterior.evidence == evidence).count();
    let said = match bits {
        0 => "no knowledge".to_owned(),
        1 => "1 value ruled out".to_owned(),
        _ => format!("{bits} values ruled out"),
    };
    format!(
        "{said}: probability {largest:.3} at most ({} classes by construction, {} decided, {} bounded)",
        of(Evidence::ByConstruction),
        of(Evidence::Decided),
        of(Evidence::Bounded),
    )
}
