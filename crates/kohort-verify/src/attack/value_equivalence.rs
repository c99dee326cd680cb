//! Value equivalence: who comes and who goes shows who has the same value as whom.
//!
//! # Adversary
//! Has all releases; knows everybody's quasi-identifiers, and who is in which release; knows that values do
//! not change, and that classes show each of their values equally often.
//!
//! # Method
//! 1. Two unions of classes of two releases that show the same values have the same number of rows: then
//!    the people who are in the one alone have the values of those who are in the other alone. Where that
//!    is one person each, they have the same value (see `Equivalences`); pairs of all releases make blocks.
//! 2. A block has a value that every class of each of its people shows; it is as likely as the fewest rows
//!    that any of these shows of it.
//!
//! Classes that show a value more often than another are left out. Somebody with classes of different
//! values in two releases is followed only through those with the same.
//!
//! # Success
//! The share of targets whose value is guessed. The baseline is the newest release that the target is in,
//! alone. That two people have the same value is itself a finding: who learns of one has learned of both.
//!
//! # References
//! He, Barman, Naughton, ICDE 2011; Abdalaal 2012 §4.1, Tables 33 to 36.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Ctx, Error, History, Message, ReleasedClass, SeriesRelease, Spec};
use kohort_models::series::Equivalences;

use super::evidence::deduction::Deduction;
use super::evidence::equal_values::{Blocks, about, about_two};
use super::evidence::series::{self, Series, value_guesses};
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Scene};

const SPEC: Spec = Spec {
    id: "value-equivalence",
    title: "Value equivalence",
    paper: "He et al. 2011",
    promise: "people who join and leave between releases are shown to have equal values",
    parameters: &[],
};

/// The value equivalence attack.
pub(super) struct ValueEquivalence;

impl Attack for ValueEquivalence {
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
        series::needs(scene)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let mut all = Vec::new();
        for &(attribute, ref series) in scene.series()? {
            let mut blocks = equivalences(series);
            let many = blocks.of_many();
            let notes = [about(&many), about_two(&many, u64::from(series.n_people()))];
            let deduction = Deduction::new(series, blocks);
            let mut guesses = value_guesses(scene, series, attribute, |person| {
                likeliest_value(&deduction.belief(person).0)
            });
            guesses.notes.extend(notes.into_iter().map(Message::from));
            all.push(guesses);
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who follows arrivals and departures guesses the value of {:.1} % of \
             the targets, against {:.1} % with the newest release",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// The people who are shown to have equal values.
pub(super) fn equivalences(series: &Series) -> Blocks {
    // Who has classes of different signatures counts as one person for each.
    let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut signatures: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut person_of: Vec<u32> = Vec::new();
    let mut history = History { n_values: series.history.n_values, releases: Vec::new() };
    for release in &series.history.releases {
        let mut kept =
            SeriesRelease { class_of: vec![ABSENT; person_of.len()], classes: Vec::new() };
        let mut number_of: Vec<Option<(u32, u32)>> = Vec::new();
        for class in &release.classes {
            number_of.push(is_balanced(class).then(|| {
                let next = u32::try_from(signatures.len()).expect("values are numbered by u32");
                let signature = *signatures.entry(class.signature()).or_insert(next);
                kept.classes.push(class.clone());
                (u32::try_from(kept.classes.len() - 1).expect("fewer than classes"), signature)
            }));
        }
        for person in 0..series.n_people() {
            let class = release.class_of(person);
            let Some((class, signature)) = class.and_then(|class| number_of[class as usize]) else {
                continue;
            };
            let number = *numbers.entry((person, signature)).or_insert_with(|| {
                person_of.push(person);
                kept.class_of.push(ABSENT);
                u32::try_from(person_of.len() - 1).expect("people are numbered by u32")
            });
            kept.class_of[number as usize] = class;
        }
        history.releases.push(kept);
    }
    let mut blocks = Blocks::new(series.n_people());
    for block in Equivalences::of(&history).blocks() {
        for &other in &block[1..] {
            blocks.join(person_of[block[0] as usize], person_of[other as usize]);
        }
    }
    blocks
}

/// Whether a class shows each of its values equally often.
pub(super) fn is_balanced(class: &ReleasedClass) -> bool {
    let mut sizes = class.values.chunk_by(|a, b| a == b).map(<[u32]>::len);
    let first = sizes.next();
    sizes.all(|size| Some(size) == first)
}
