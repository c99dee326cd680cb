//! Suppression: learns the values of people whom no released row covers.
//!
//! # Adversary
//! Knows who is in the table and everybody's quasi-identifiers, how often each sensitive value occurs in the
//! whole table, and that rows were dropped. Where rows were dropped because their value was too frequent, to
//! know the method tells as much as to know the whole table: the dropped ones have that value.
//!
//! # Method
//! 1. Who is in the table and covered by no released row was left out.
//! 2. The values of all who were left out are those of the whole table less those of the release.
//! 3. The guess is the most frequent of these, for each person who is seen to be left out.
//!
//! A release with counterfeits does not tell the values of the rows that are somebody's: it is not attacked.
//!
//! # Success
//! The share of those people whose value was guessed; the blind guess is the most frequent value of the
//! release.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007: what an adversary learns who knows why a method changed some rows and
//! not others.

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use super::{Attack, Criterion, Guess, Guesses, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "suppression",
    title: "Suppression",
    paper: "Wong et al. 2007",
    promise: "people who are missing from the release have a value that is too frequent",
    parameters: &[],
};

/// The attack on who was left out.
pub(super) struct Suppression;

impl Attack for Suppression {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        if scene.whole.is_none() || scene.crowd().is_none() {
            return Some(message!(
                "the table that the release was made of ({})",
                Setting::Original
            ));
        }
        let counterfeits =
            scene.release.has_counterfeits().then(|| "a release without counterfeits".into());
        scene.needs_sensitive().or(counterfeits)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let attributes = 0..scene.release.sensitive().len();
        Ok(attributes.map(|attribute| of_attribute(scene, attribute)).collect())
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound_of_series(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "no released row covers {} people of the table; the most frequent value of those who were left \
             out is the right one for {:.1} % of them",
            rate.targets,
            100.0 * rate.success
        )
    }
}

fn of_attribute(scene: &Scene<'_>, attribute: usize) -> Guesses {
    let mut guesses = Guesses::new(Who::People, Some(attribute), scene.blind_value(attribute));
    let (Some(whole), Some(crowd)) = (&scene.whole, scene.crowd()) else { return guesses };
    let released = scene.release.sensitive()[attribute].counts();
    let left = whole.values[attribute].iter().map(|&(code, count)| {
        let shown = code.map_or(0, |code| u64::from(released[code as usize]));
        (code, count.saturating_sub(shown))
    });
    let left: Vec<(Option<u32>, u64)> = left.collect();
    let n_left: u64 = left.iter().map(|&(_, count)| count).sum();
    let probability = |count: u64| count as f64 / n_left.max(1) as f64;
    let is_member = |person: &&u32| whole.is_member(**person);
    let seen: Vec<u32> = (crowd.views())
        .filter(|view| view.shapes.is_empty())
        .flat_map(|view| view.targets.iter().filter(is_member))
        .copied()
        .collect();
    if n_left == 0 || seen.is_empty() {
        return guesses;
    }
    let most = |best: (u32, u64), next: (u32, u64)| if next.1 > best.1 { next } else { best };
    let named = left.iter().filter_map(|&(code, count)| Some((code?, count)));
    let (says, likely) = match named.reduce(most) {
        Some((code, count)) if count > 0 => (Says::Value(code, code), probability(count)),
        _ => (Says::Nothing, 0.0),
    };
    let guess = |&target: &u32| Guess { target, says, probability: likely };
    guesses.guesses.extend(seen.iter().map(guess));
    // A value that the release does not show at all may be the one that was dropped.
    guesses.ceiling = left.iter().map(|&(_, count)| probability(count)).fold(0.0, f64::max);
    guesses.notes.push(message!(
        "{n_left} people were left out, and {} of them are covered by no row",
        seen.len()
    ));
    guesses
}
