//! Every release of a series made again, for every way to give the people values that do not change.
//!
//! Before he sees the releases, each way to give everybody one of the values that occur is equally likely to the
//! adversary. How often each occurs he does not know: rows of nobody and people who wait hide it.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message};
use kohort_models::Draw;

use super::super::evidence::series::{Series, value_guesses};
use super::super::guess::likeliest_value;
use super::super::{Guesses, Scene};
use super::every::{MOST, MOST_STEPS};
use super::found::{Found, Way};
use super::search::MOST_DRAWS;

/// Runs over all ways.
const RUNS: usize = 8_000;

/// The methods that made the releases of a series, as somebody runs them who knows them.
pub trait MethodOfSeries: Sync {
    /// The sensitive values that people have, each once, as texts.
    fn domain(&self) -> &[String];

    /// How many people there are in all tables.
    fn n_people(&self) -> usize;

    /// Whether everybody of the table of a release is in the release, by its number from 0.
    fn has_everybody(&self, release: usize) -> bool;

    /// Makes all releases of people with these values, and says whether those that were published come out again.
    /// `draw` numbers the secrets from which it may draw.
    fn lead_to_releases(&self, value_of_person: &[u32], draw: u32) -> Result<bool, Error>;
}

/// What is missing to attack a series so.
pub(super) fn needs(
    scene: &Scene<'_>,
    method: &dyn MethodOfSeries,
    most: usize,
) -> Option<Message> {
    let n_people = scene.people.as_ref().map_or(0, super::super::People::len);
    if n_people != method.n_people() {
        return Some(
            "nobody else among the people than those of the tables of all releases".into(),
        );
    }
    (n_people > most)
        .then(|| "tables of at most 200 people: it runs the method for every guess".into())
}

/// What is believed of everybody.
pub(super) fn guess(
    ctx: &Ctx<'_>,
    scene: &Scene<'_>,
    method: &dyn MethodOfSeries,
) -> Result<Vec<Guesses>, Error> {
    let Some(series) = Series::new(scene, 0)? else { return Ok(Vec::new()) };
    let number_of: Vec<u32> = (0..)
        .zip(method.domain())
        .map(|(at, text)| {
            let shown = series.number_of_text(scene, 0, text);
            shown.unwrap_or(series.history.n_values + at)
        })
        .collect();
    let found = run(ctx, &Ways::new(scene, &series, method, &number_of), method)?;
    // A value that no release shows cannot be named.
    let is_named = |&(value, _): &(u32, f64)| value < series.history.n_values;
    let posterior = |person: u32| {
        let alone: BTreeMap<u32, f64> = series.alone(person).into_iter().collect();
        let mut shares: Vec<(u32, f64)> = (number_of.iter())
            .map(|value| (*value, alone.get(value).copied().unwrap_or(0.0)))
            .collect();
        shares.sort_unstable_by_key(|&(value, _)| value);
        found.posterior(person as usize, &shares, |value| number_of[value as usize])
    };
    let mut ceiling: f64 = 0.0;
    for person in 0..series.n_people() {
        let hidden = posterior(person).into_iter().filter(|one| !is_named(one));
        ceiling = hidden.map(|(_, probability)| probability).fold(ceiling, f64::max);
    }
    let mut guesses = value_guesses(scene, &series, 0, |person| {
        let named: Vec<(u32, f64)> = posterior(person).into_iter().filter(is_named).collect();
        likeliest_value(&named)
    });
    guesses.ceiling = ceiling;
    guesses.notes.push(found.told().into());
    Ok(vec![guesses])
}

/// Runs the methods for every way, where there are not too many.
fn run(ctx: &Ctx<'_>, ways: &Ways<'_>, method: &dyn MethodOfSeries) -> Result<Found, Error> {
    let n_people = ways.allowed.len();
    let Some(all) = ways.all() else { return Ok(Found::nothing(n_people, Way::None)) };
    let mut found = Found::nothing(n_people, Way::EveryDrawn);
    let n_draws = (RUNS / all.len().max(1)).clamp(1, MOST_DRAWS);
    let mut draw = Draw::new(7);
    for (done, way) in all.iter().enumerate() {
        ctx.progress(super::SPEC.id, done as u64, all.len() as u64);
        for _ in 0..n_draws {
            found.n_runs += 1;
            if method.lead_to_releases(way, draw.half_bits())? {
                found.add(way, 1.0);
            }
        }
    }
    Ok(found)
}

/// The ways to give values to people that the classes of all releases admit.
struct Ways<'w> {
    series: &'w Series,
    /// The values that each person may have, by their places in the domain.
    allowed: Vec<Vec<u32>>,
    /// The releases in which each person is known to be.
    known_in: Vec<Vec<usize>>,
    number_of: &'w [u32],
}

/// How often each value is left.
type Left = BTreeMap<u32, u32>;

/// A way that is being put together, and what is left of each value in each release, and in each of its classes.
struct Open {
    given: Vec<u32>,
    shown: Vec<Left>,
    rows: Vec<Vec<Left>>,
    all: Vec<Vec<u32>>,
    n_steps: usize,
}

impl<'w> Ways<'w> {
    fn new(
        scene: &Scene<'_>,
        series: &'w Series,
        method: &dyn MethodOfSeries,
        number_of: &'w [u32],
    ) -> Self {
        let is_known = |person: u32, at: usize| {
            let release = series.numbers[at];
            method.has_everybody(release)
                || scene.knowledge.is_in_release(person, release) == Some(true)
        };
        let known_in: Vec<Vec<usize>> = (0..series.n_people())
            .map(|person| series.seen_in(person).filter(|&at| is_known(person, at)).collect())
            .collect();
        let may_have = |person: u32, value: u32| {
            known_in[person as usize].iter().all(|&at| {
                let shown = series.rows_by_value(at, person);
                shown.iter().any(|&(one, _)| one == number_of[value as usize])
            })
        };
        let values = || (0..).take(number_of.len());
        let allowed = (0..series.n_people())
            .map(|person| values().filter(|&value| may_have(person, value)).collect())
            .collect();
        Self { series, allowed, known_in, number_of }
    }

    /// Each of them; none where there are too many.
    fn all(&self) -> Option<Vec<Vec<u32>>> {
        let mut open = Open {
            given: Vec::new(),
            shown: Vec::new(),
            rows: Vec::new(),
            all: Vec::new(),
            n_steps: 0,
        };
        for release in &self.series.history.releases {
            let mut shown = Left::new();
            let mut rows = vec![Left::new(); release.classes.len()];
            for (class, left) in release.classes.iter().zip(&mut rows) {
                for &value in &class.values {
                    *shown.entry(value).or_default() += 1;
                    *left.entry(value).or_default() += 1;
                }
            }
            open.shown.push(shown);
            open.rows.push(rows);
        }
        self.extend(&mut open).then_some(open.all)
    }

    /// Adds every way to go on; false where there are too many.
    fn extend(&self, open: &mut Open) -> bool {
        let person = open.given.len();
        if person == self.allowed.len() {
            open.all.push(open.given.clone());
            return open.all.len() <= MOST;
        }
        open.n_steps += 1;
        if open.n_steps > MOST_STEPS {
            return false;
        }
        let number = u32::try_from(person).expect("people are numbered by u32");
        let releases = self.series.history.releases.iter().enumerate();
        let places: Vec<(usize, usize)> = releases
            .filter_map(|(at, release)| Some((at, release.class_of(number)? as usize)))
            .collect();
        for &value in &self.allowed[person] {
            let shown = self.number_of[value as usize];
            let is_left = |left: &Left| left.get(&shown).is_some_and(|&n| n > 0);
            let has_rows = self.known_in[person].iter().all(|&at| is_left(&open.shown[at]))
                && places.iter().all(|&(at, class)| is_left(&open.rows[at][class]));
            if !has_rows {
                continue;
            }
            self.count(open, (person, &places), |left| *left.entry(shown).or_default() -= 1);
            open.given.push(value);
            let goes_on = self.extend(open);
            open.given.pop();
            self.count(open, (person, &places), |left| *left.entry(shown).or_default() += 1);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Counts what is left in the releases and classes in which a person is known to be.
    fn count(
        &self,
        open: &mut Open,
        (person, places): (usize, &[(usize, usize)]),
        step: impl Fn(&mut Left),
    ) {
        for &at in &self.known_in[person] {
            step(&mut open.shown[at]);
        }
        for &(at, class) in places {
            step(&mut open.rows[at][class]);
        }
    }
}
