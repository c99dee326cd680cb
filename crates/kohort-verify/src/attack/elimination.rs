//! Elimination: in a release of which a part is published as it is, who is not in that part is in the
//! other.
//!
//! # Adversary
//! Knows that the target is in the table, and the target's quasi-identifiers.
//!
//! # Method
//! 1. A row is exact where every quasi-identifier is one value.
//! 2. A target whose own exact row is there has the value that most of the equal rows have.
//! 3. Every other target is in the generalized part, and has the value that most of the generalized rows
//!    have that cover the target.
//! 4. Where it is declared which values are high, the same rows give the probability of having one: the
//!    likelier of "high" and "low" is said, ties to "high".
//!
//! # Success
//! The share of targets of whom the right thing was said; the blind guess is the most frequent value of
//! all, and the likelier of "high" and "low" in the whole release.
//!
//! # References
//! Sharma et al., Tables 5 and 6.

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::evidence::scene::View;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Who};
use crate::release::cells::Published;

const SPEC: Spec = Spec {
    id: "elimination",
    title: "Elimination",
    paper: "against Sharma et al.",
    promise: "people who are not among the exact rows have a value of the others",
    parameters: &[],
};

/// The elimination attack.
pub(super) struct Elimination;

impl Attack for Elimination {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        if let Some(needs) = scene.needs_sensitive() {
            return Some(needs);
        }
        let are_members = scene.people.as_ref().is_some_and(super::People::are_members);
        let knows_one = || scene.knowledge.iter().any(|(_, facts)| facts.is_member == Some(true));
        if scene.people.is_none() {
            return Some(message!(
                "people who are known to be in the table ({}, or {})",
                Setting::Original,
                Setting::Knowledge
            ));
        }
        if !are_members && !knows_one() {
            return Some(message!(
                "people of the public table who are known to be in the released one ({}), or {} alone",
                Setting::Knowledge,
                Setting::Original
            ));
        }
        // A text that cannot be read shows when the attack is made.
        let is_mixed =
            exact_shapes(scene).is_ok_and(|exact| exact.contains(&true) && exact.contains(&false));
        (!is_mixed).then(|| "a release with some rows as they are and some generalized".into())
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let is_exact = exact_shapes(scene)?;
        let mut all = Vec::new();
        for attribute in 0..scene.release.sensitive().len() {
            let blind = scene.blind_value(attribute);
            let mut values = Guesses::new(Who::People, Some(attribute), blind);
            each_view(scene, &is_exact, attribute, |view, posterior| {
                let (says, probability) = likeliest_value(posterior);
                values.say(view, says, probability);
            });
            all.push(values);
        }
        if let Some((attribute, high)) = scene.declared.high {
            all.push(high_or_low(scene, &is_exact, attribute, high));
        }
        Ok(all)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who looks where a person's row is missing is right about {:.1} % of \
             the targets, and certain about {}",
            100.0 * rate.success,
            rate.above[2]
        )
    }
}

/// Whether each shape shows one value for every quasi-identifier that is known of people.
fn exact_shapes(scene: &Scene<'_>) -> Result<Vec<bool>, Error> {
    let (release, table) = (&scene.release, scene.release.table());
    let mut is_exact = vec![true; release.n_shapes() as usize];
    let Some(people) = &scene.people else { return Ok(is_exact) };
    for attribute in people.quasi() {
        let column = table.column(attribute.name())?;
        let published = Published::read_attacked(table, people.table(), attribute)?;
        // A range that covers the value of one person only is a range for all that.
        let is_value = |(entry, text): (u32, &str)| {
            let code = attribute.code_of_foreign(text, column.date_format());
            code.is_some_and(|code| published.covered(entry) == [(code, code)])
        };
        let of_entry: Vec<bool> = (0..).zip(column.dictionary().iter()).map(is_value).collect();
        for (shape, is_exact) in (0..).zip(&mut is_exact) {
            let row = release.row_of_shape(shape) as usize;
            *is_exact &= of_entry[column.codes().get(row) as usize];
        }
    }
    Ok(is_exact)
}

/// Says "high" or "low" of every target.
fn high_or_low(scene: &Scene<'_>, is_exact: &[bool], attribute: usize, high: &[u32]) -> Guesses {
    let is_high = |code: u32| high.binary_search(&code).is_ok();
    let codes = 0..scene.release.sensitive()[attribute].n_codes();
    let low = codes.filter(|&code| !is_high(code)).collect();
    let said = |share: f64| (Says::Among(usize::from(share < 0.5)), share.max(1.0 - share));
    let prior = scene.prior(attribute);
    let blind = said(prior.iter().filter(|&&(code, _)| is_high(code)).map(|&(_, p)| p).sum());
    let mut guesses = Guesses::new(Who::People, Some(attribute), blind);
    guesses.way = Some("by high or low".to_owned());
    guesses.sets = vec![high.to_vec(), low];
    each_view(scene, is_exact, attribute, |view, posterior| {
        let share = posterior.iter().filter(|&&(code, _)| is_high(code)).map(|&(_, p)| p).sum();
        let (says, probability) =
            if posterior.is_empty() { (Says::Nothing, 0.0) } else { said(share) };
        guesses.say(view, says, probability);
    });
    guesses.notes.push("it says whether the value is a high one, not which".into());
    guesses
}

/// Calls `say` with the targets of each view and the probability of each value for them.
fn each_view(
    scene: &Scene<'_>,
    is_exact: &[bool],
    attribute: usize,
    mut say: impl FnMut(View<'_>, &[(u32, f64)]),
) {
    let (Some(people), Some(crowd)) = (&scene.people, scene.crowd()) else { return };
    let is_member = |person: &u32| {
        let facts = scene.knowledge.of(*person);
        facts.and_then(|facts| facts.is_member).unwrap_or(people.are_members())
    };
    for view in crowd.views() {
        let targets: Vec<u32> = view.targets.iter().copied().filter(is_member).collect();
        let is_exact = |shape: &u32| is_exact[*shape as usize];
        let own: Vec<u32> = view.shapes.iter().copied().filter(is_exact).collect();
        let shapes = if own.is_empty() { view.shapes } else { &own };
        let view = View { targets: &targets, shapes };
        say(view, &scene.posterior(view, attribute));
    }
}
