//! How likely the value of one person, learned later, opens that of another.
//!
//! # Definition
//! Two people of the series are drawn at random. The value of the first is learned, and is as likely as the
//! worlds in which the person has it (see `worlds`). The second is open where these worlds give the second
//! one value; whoever has one in every world is open without it.
//!
//! # Method
//! 1. In a component whose worlds were gone through: exact.
//! 2. Elsewhere each value that the first may have is tried (see `Deduction::opened_by`); the one from which
//!    least follows counts, so that as much follows from any. Where a class is not known, likewise. That is a
//!    lower bound.
//! 3. Of more than `MOST_TRIED` people these are taken, evenly by what is known of them.
//!
//! # Cost
//! `MOST_TRIED` people times the values they may have, each a trial of bounded cost.
//!
//! # References
//! Tuple equivalence.

use super::super::value_association::{Beliefs, Opens};
use super::super::{People, Scene};
use super::deduction::Deduction;
use super::series::Series;

/// The most people of large components whose values are tried.
const MOST_TRIED: usize = 300;

/// What one value that is learned opens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::attack) struct Opening {
    // The people of the series, and of these, those whose value is certain.
    n_people: usize,
    n_certain: usize,
    // Of the others, those of whom it is exact.
    n_exact: usize,
    // Of the others, those who stand in large components, and those of them who were tried.
    n_large: usize,
    n_tried: usize,
    // Pairs of one who is learned and one who is opened by that.
    pairs: f64,
}

impl Opening {
    pub(in crate::attack) fn new<T>(
        scene: &Scene<'_>,
        series: &Series,
        deduction: &mut Deduction<'_>,
        beliefs: &Beliefs<T>,
    ) -> Self {
        let mut opening = Self::default();
        let mut large = Vec::new();
        let is_open = &beliefs.is_open;
        for (person, opens) in (0..).zip(&beliefs.opens) {
            let is_there = series.seen_in(person).next().is_some();
            opening.n_people += usize::from(is_there);
            if !is_open[person as usize] {
                opening.n_certain += usize::from(is_there);
                continue;
            }
            match opens {
                Some(Opens::Expected(n)) => {
                    opening.n_exact += 1;
                    opening.pairs += n;
                }
                Some(Opens::AtLeast(n)) => opening.pairs += f64::from(*n),
                None => large.push(person),
            }
        }
        let tried = spread(scene, series, &large);
        (opening.n_large, opening.n_tried) = (large.len(), tried.len());
        let opens = |&person: &u32| f64::from(least(deduction, person, is_open));
        let found: f64 = tried.iter().map(opens).sum();
        opening.pairs += found * large.len() as f64 / tried.len().max(1) as f64;
        opening
    }

    /// As a sentence without a closing stop.
    pub(in crate::attack) fn note(&self) -> String {
        let Self { n_people, n_certain, n_exact, n_large, n_tried, pairs } = *self;
        let without = n_certain as f64 / n_people.max(1) as f64;
        let all = n_people * n_people.saturating_sub(1);
        let probability = without + pairs / all.max(1) as f64;
        let n_bounded = n_people - n_certain - n_exact;
        let how = match (n_bounded, n_tried < n_large) {
            (0, _) => "exact, by every world".to_owned(),
            (_, false) => format!("at least; bounded for {n_bounded} people, by what is certain"),
            (_, true) => format!(
                "at least; bounded for {n_bounded} people, by what is certain with the values of \
                 {n_tried} of them"
            ),
        };
        format!(
            "the value of one person, learned later, opens that of another with probability \
             {probability:.6}, where {without:.6} are open without it: {how}"
        )
    }
}

/// Some of these people, evenly by what is known of them: the order of rows does not matter.
fn spread(scene: &Scene<'_>, series: &Series, people: &[u32]) -> Vec<u32> {
    if people.len() <= MOST_TRIED {
        return people.to_vec();
    }
    let known = |person: u32| {
        let quasi = scene.people.iter().flat_map(People::quasi);
        let codes: Vec<u32> = quasi.map(|quasi| quasi.codes().get(person as usize)).collect();
        (codes, series.seen_in(person).collect::<Vec<usize>>(), person)
    };
    let mut sorted: Vec<(Vec<u32>, Vec<usize>, u32)> = people.iter().map(|&p| known(p)).collect();
    sorted.sort_unstable();
    (0..MOST_TRIED).map(|at| sorted[at * sorted.len() / MOST_TRIED].2).collect()
}

/// How many others whatever value of a person opens.
fn least(deduction: &mut Deduction<'_>, person: u32, is_open: &[bool]) -> u32 {
    let values = deduction.candidates(person).to_vec();
    let mut fewest: Option<u32> = None;
    for value in values {
        if let Some(n) = deduction.opened_by(person, value, is_open) {
            fewest = Some(fewest.map_or(n, |fewest| fewest.min(n)));
            if n == 0 {
                break;
            }
        }
    }
    fewest.unwrap_or(0)
}
