//! Temporal: what a target may have by every release over time.
//!
//! # Adversary
//! Has releases of one table over time, and knows that the target is in all of them with the same values,
//! or in which of them the target is not; knows the target's quasi-identifiers.
//!
//! # Method
//! 1. By each release, the target has a value of one of the classes that cover the target.
//! 2. By all of them, the target has a value that occurs in every release: the values of the newest (the
//!    release under attack) that the others leave.
//! 3. These are as likely as the newest release says, and the likeliest is the guess.
//! 4. Where a series keeps signatures (see `signatures`), the newest release says it by the classes whose
//!    values recur alone: then nothing is likelier than in one of them. Elsewhere, of whom several classes
//!    cover, how likely a value is is estimated: people are taken one by one.
//!
//! A release in which nothing that the newest allows is possible says nothing: the target was not in it, or
//! has changed. Neither does one that the target is known not to be in; who is not in the newest is no
//! target. Without people, the boxes of the rows of the newest stand for them. Rows that were inserted
//! or deleted between releases are not looked for.
//!
//! # Success
//! The share of targets whose value is guessed. The baseline is homogeneity on the newest release alone.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002, §4.3; Xiao and Tao, SIGMOD 2007.

use std::collections::BTreeSet;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::evidence::axes::{Axes, Side};
use super::evidence::released::Released;
use super::evidence::scene::View;
use super::evidence::series::{Series, normalize};
use super::guess::likeliest_value;
use super::score::NONE;
use super::{Attack, Criterion, Guesses, Rate, Scene, Who};
use crate::release::index::Then;

const SPEC: Spec = Spec {
    id: "temporal",
    title: "Temporal",
    paper: "Sweeney 2002",
    promise: "the values that all releases over time allow are fewer than those of each",
    parameters: &[],
};

/// The temporal attack.
pub(super) struct Temporal;

impl Attack for Temporal {
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
        let is_alone = scene.others.is_empty();
        let needs_other =
            is_alone.then(|| message!("a release of another time ({})", Setting::OtherRelease));
        scene.needs_sensitive().or(needs_other)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        (0..scene.release.sensitive().len()).map(|a| of_attribute(scene, a)).collect()
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary with all releases guesses the value of {:.1} % of the targets, against \
             {:.1} % with the newest alone",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

fn of_attribute(scene: &Scene<'_>, attribute: usize) -> Result<Guesses, Error> {
    let (who, sight) = scene.targets();
    let others = scene.others.iter().enumerate();
    let pasts = others.map(|(number, other)| Past::new(scene, number, other, attribute));
    let pasts: Vec<Past> = pasts.collect::<Result<_, Error>>()?;
    let newest = scene.others.len();
    let mut guesses = Guesses::new(who, Some(attribute), scene.blind_value(attribute));
    let with_signatures = scene.with_signatures(attribute)?;
    let mut found = Found { is_recurring: with_signatures.is_some(), ..Found::default() };
    for view in sight.views() {
        let alone = scene.posterior(view, attribute);
        let points =
            |target: u32| pasts.iter().map(move |past| past.point_of_target[target as usize]);
        let mut targets = view.targets.to_vec();
        if who == Who::People {
            targets.retain(|&person| scene.knowledge.is_in_release(person, newest) != Some(false));
        }
        targets.sort_by(|&a, &b| points(a).cmp(points(b)));
        for targets in targets.chunk_by(|&a, &b| points(a).eq(points(b))) {
            let kept = with_signatures.map(|series| recurring(scene, series, view, targets[0]));
            let mut posterior = match &kept {
                Some(shapes) => scene.posterior(View { shapes, ..view }, attribute),
                None => alone.clone(),
            };
            for (past, point) in pasts.iter().zip(points(targets[0])) {
                let support = &past.supports[point as usize];
                if posterior.iter().any(|(code, _)| support.contains(code)) {
                    posterior.retain(|(code, _)| support.contains(code));
                } else if !support.is_empty() {
                    found.n_strangers += targets.len();
                }
            }
            normalize(&mut posterior);
            let is_estimated = kept.is_none() && who == Who::People && view.shapes.len() > 1;
            found.n_estimated += if is_estimated { targets.len() } else { 0 };
            found.n_narrowed += if posterior.len() < alone.len() { targets.len() } else { 0 };
            let view = View { targets, ..view };
            let (says, probability) = likeliest_value(&posterior);
            guesses.say(view, says, probability);
            let (says, probability) = likeliest_value(&alone);
            guesses.say_without(view, says, probability);
        }
    }
    guesses.notes = found.notes();
    Ok(guesses)
}

/// How many targets something holds for.
#[derive(Default)]
struct Found {
    n_narrowed: usize,
    n_estimated: usize,
    n_strangers: usize,
    is_recurring: bool,
}

impl Found {
    /// Sentences without a closing stop.
    fn notes(&self) -> Vec<Message> {
        let Self { n_narrowed, n_estimated, n_strangers, is_recurring } = self;
        let mut notes =
            vec![message!("targets with fewer values than by the newest release: {n_narrowed}")];
        if *n_strangers > 0 {
            notes.push(message!(
                "targets who share no value with another release, so that they were not in it or have \
                 changed: {n_strangers}"
            ));
        }
        if *n_estimated > 0 {
            notes.push(message!(
                "targets covered by several classes of the newest release, for whom probabilities are \
                 estimated one by one: {n_estimated}"
            ));
        }
        notes.extend(is_recurring.then(|| RECURRING.to_owned()).into_iter().map(Message::from));
        notes
    }
}

/// What is said where a series keeps signatures.
pub(super) const RECURRING: &str = "every class shows its values equally often, and everybody has classes \
     with the same values in all releases: no other class is taken for a person's";

/// The shapes of a view whose values recur in every release that covers a person.
pub(super) fn recurring(
    scene: &Scene<'_>,
    series: &Series,
    view: View<'_>,
    person: u32,
) -> Vec<u32> {
    let class = |shape: u32| scene.release.class_of_shape(shape);
    let shapes = view.shapes.iter().copied();
    shapes.filter(|&shape| series.signatures.allow(person, class(shape))).collect()
}

/// What another release says of the targets.
struct Past {
    // Targets of which it says the same have the same number.
    point_of_target: Vec<u32>,
    // By that number, the values that they may have, in codes of the release under attack.
    supports: Vec<BTreeSet<u32>>,
}

impl Past {
    fn new(
        scene: &Scene<'_>,
        number: usize,
        other: &Released<'_>,
        attribute: usize,
    ) -> Result<Self, Error> {
        let this = &scene.release;
        let name = this.sensitive()[attribute].name();
        let twin = other.sensitive().iter().position(|a| a.name() == name);
        let Some(twin) = twin else { return Ok(Self::silent(scene)) };
        let codes = codes_in(this, other, attribute, twin);
        let values = |shape: u32| {
            let values = other.values(twin, other.class_of_shape(shape)).iter();
            values.map(|&(code, _)| codes[code as usize])
        };
        let Some(sight) = scene.crowd_of_other(number)? else {
            return Self::of_rows(scene, other, attribute, values);
        };
        let n_codes = this.sensitive()[attribute].n_codes();
        // The last is for values that the newest does not have.
        let mut is_there = vec![false; n_codes as usize + 1];
        let mut point_of_target = vec![0; sight.n_targets()];
        let mut supports = Vec::with_capacity(sight.len());
        for (point, view) in (0..).zip(sight.views()) {
            view.targets.iter().for_each(|&target| point_of_target[target as usize] = point);
            let mut support: Vec<u32> = Vec::new();
            for code in view.shapes.iter().flat_map(|&shape| values(shape)) {
                if !std::mem::replace(&mut is_there[code.min(n_codes) as usize], true) {
                    support.push(code);
                }
            }
            for &code in &support {
                is_there[code.min(n_codes) as usize] = false;
            }
            supports.push(support.into_iter().collect());
        }
        // Of who is not in it, it says nothing.
        let silent = u32::try_from(supports.len()).expect("views are fewer than people");
        supports.push(BTreeSet::new());
        for (person, point) in (0..).zip(&mut point_of_target) {
            if scene.knowledge.is_in_release(person, number) == Some(false) {
                *point = silent;
            }
        }
        Ok(Self { point_of_target, supports })
    }

    /// A release that has nothing to say.
    fn silent(scene: &Scene<'_>) -> Self {
        let point_of_target = vec![0; scene.targets().1.n_targets()];
        Self { point_of_target, supports: vec![BTreeSet::new()] }
    }

    /// What it says of the rows of the release under attack, by their boxes.
    fn of_rows<V: Iterator<Item = u32>>(
        scene: &Scene<'_>,
        other: &Released<'_>,
        attribute: usize,
        values: impl Fn(u32) -> V,
    ) -> Result<Self, Error> {
        let this = &scene.release;
        let axes = Axes::new(this, other, scene)?;
        let rows = |release: &Released<'_>| -> Vec<u32> {
            (0..release.n_shapes()).map(|shape| release.row_of_shape(shape)).collect()
        };
        let mut supports = vec![BTreeSet::new(); this.n_shapes() as usize];
        axes.each_overlap(Side::This, &rows(this), &rows(other), |shape, found| {
            let number = |at: usize| u32::try_from(at).expect("shapes are numbered by u32");
            supports[shape].extend(values(number(found)));
            let class = this.class_of_shape(number(shape));
            let own = this.values(attribute, class);
            let is_all_there = own.iter().all(|(code, _)| supports[shape].contains(code));
            if is_all_there { Then::Stop } else { Then::Keep }
        });
        Ok(Self { point_of_target: this.shapes().ids.clone(), supports })
    }
}

/// For each value of a sensitive attribute of another release, its code in this one.
pub(super) fn codes_in(
    this: &Released<'_>,
    other: &Released<'_>,
    attribute: usize,
    twin: usize,
) -> Vec<u32> {
    let (mine, theirs) = (this.sensitive()[attribute], other.sensitive()[twin]);
    let column = other.table().column(theirs.name()).expect("a sensitive attribute is a column");
    let code = |code: u32| match theirs.entry_of_code(code) {
        Some(entry) => mine.code_of_foreign(column.dictionary().get(entry), column.date_format()),
        None => mine.missing(),
    };
    (0..theirs.n_codes()).map(|value| code(value).unwrap_or(NONE)).collect()
}
