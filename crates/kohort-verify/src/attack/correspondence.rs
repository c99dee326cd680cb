//! Correspondence: rows that cannot be those of a target because of what another release shows.
//!
//! # Adversary
//! Has all releases of a table to which people are only added; knows the target's quasi-identifiers, and
//! which releases the target is in; knows that values do not change.
//!
//! # Method
//! For releases R1 and R2, with n_g(s) rows of value s in class g:
//! 1. F and C: a target in both has a row of s in g1 and in g2, so no more than the smaller of n_g1(s) and
//!    n_g2(s) rows of either class may be the target's. Over a chain of releases it is the smallest.
//! 2. B: a target who came after R1 has none of the rows of g2 that were in R1. At least
//!    max(0, G1(s) − (G2(s) − n_g2(s))) of them were: G1(s) rows are in the classes of R1 that are
//!    comparable to g2, and G2(s) in the classes of R2 that are comparable to any of those.
//! 3. The rows of the newest release that are left are as likely, and so are their values. What is ruled out
//!    is the least that is certain, so that this is an estimate. Where a series keeps signatures (see
//!    `signatures`), every value that is left is as likely as its class shows it: nothing is likelier.
//!
//! Classes are comparable when their boxes meet. Of a class that meets more than 256 others B rules
//! nothing out; neither where somebody who was in R1 is not in R2, or a row of R1 is nobody's.
//!
//! # Success
//! The expected share of targets whose record is drawn, and the share whose value is guessed. The baseline
//! is the newest release alone. FA, CA and BA are the fewest rows that F, C and B leave for anybody, over
//! all pairs of releases.
//!
//! # References
//! Fung, Wang, Fu and Pei, EDBT 2008; Abdalaal 2012 §4.1, Tables 31 and 32.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message, Spec, message};

use super::evidence::axes::{Axes, Side};
use super::evidence::released::Released;
use super::evidence::series::{self, Series, normalize};
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guess, Guesses, Rate, Says, Scene, Who};
use crate::release::index::Then;

const SPEC: Spec = Spec {
    id: "correspondence",
    title: "Correspondence (F, C, B)",
    paper: "Fung et al. 2008",
    promise: "rows of a person's class are ruled out by comparing releases",
    parameters: &[],
};

/// A class that meets more than this many others rules nothing out.
const MOST_NEAR: usize = 256;

/// The correspondence attack.
pub(super) struct Correspondence;

impl Attack for Correspondence {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn compares_releases(&self) -> bool {
        true
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        series::needs(scene)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let n_attributes = scene.release.sensitive().len();
        let mut all = Vec::new();
        for &(attribute, ref series) in scene.series()? {
            let run = Run::new(scene, series)?;
            let keeps_signatures = scene.with_signatures(attribute)?.is_some();
            let mut found = run.guesses(scene, attribute, keeps_signatures);
            if n_attributes > 1 {
                let name = scene.release.sensitive()[attribute].name();
                found[0].way = Some(format!("by {name}"));
            }
            all.extend(found);
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who rules rows out by the other releases is right for {:.1} % of the \
             targets, against {:.1} % with the newest alone",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Rows by value.
type Rows = BTreeMap<u32, u32>;

struct Run<'s> {
    series: &'s Series,
    // The rows of each class of each release.
    rows: Vec<Vec<Rows>>,
    // For a pair of releases to which people were only added, the rows that each class of the later one
    // has from the earlier one.
    old: BTreeMap<(usize, usize), Vec<Rows>>,
    n_pairs: usize,
    n_wide: usize,
}

impl<'s> Run<'s> {
    fn new(scene: &Scene<'_>, series: &'s Series) -> Result<Self, Error> {
        let rows = series.history.releases.iter().map(|release| {
            let of_class = release.classes.iter().map(|class| {
                let mut rows = Rows::new();
                class.values.iter().for_each(|&value| *rows.entry(value).or_default() += 1);
                rows
            });
            of_class.collect()
        });
        let (rows, old) = (rows.collect(), BTreeMap::new());
        let mut run = Self { series, rows, old, n_pairs: 0, n_wide: 0 };
        let released: Vec<&Released<'_>> = scene.others.iter().chain([&scene.release]).collect();
        for later in 1..series.numbers.len() {
            for earlier in 0..later {
                run.n_pairs += 1;
                // A counterfeit is nobody who is there again.
                let is_whole = !released[series.numbers[earlier]].has_counterfeits();
                if is_whole && run.only_grows(earlier, later) {
                    let [first, second] = [earlier, later].map(|at| released[series.numbers[at]]);
                    let axes = Axes::new(second, first, scene)?;
                    let old = run.old_rows(&axes, [first, second], earlier, later);
                    run.old.insert((earlier, later), old);
                }
            }
        }
        Ok(run)
    }

    /// Whether nobody is known to have left, and rows are no fewer.
    fn only_grows(&self, earlier: usize, later: usize) -> bool {
        let n_rows = |at: usize| self.rows[at].iter().flat_map(Rows::values).sum::<u32>();
        let series = self.series;
        n_rows(earlier) <= n_rows(later)
            && (0..series.n_people()).all(|p| !series.is_in(earlier, p) || series.is_in(later, p))
    }

    /// Step 2 for every class of the later release.
    fn old_rows(
        &mut self,
        axes: &Axes<'_>,
        [first, second]: [&Released<'_>; 2],
        earlier: usize,
        later: usize,
    ) -> Vec<Rows> {
        let shapes = |release: &Released<'_>| -> Vec<u32> {
            (0..release.n_shapes()).map(|shape| release.row_of_shape(shape)).collect()
        };
        let number = |at: usize| u32::try_from(at).expect("shapes are numbered by u32");
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); second.n_classes()];
        axes.each_overlap(Side::This, &shapes(second), &shapes(first), |shape, found| {
            let near = &mut near[second.class_of_shape(number(shape)) as usize];
            near.push(first.class_of_shape(number(found)));
            if near.len() > 2 * MOST_NEAR { Then::Stop } else { Then::Keep }
        });
        let mut near_first: Vec<Vec<u32>> = vec![Vec::new(); first.n_classes()];
        // What a class with more neighbors than were looked at shows may come from any class.
        let mut of_wide = Rows::new();
        for (class, near) in (0..).zip(&mut near) {
            if near.len() > 2 * MOST_NEAR {
                for (&value, &n) in &self.rows[later][class as usize] {
                    *of_wide.entry(value).or_default() += n;
                }
                continue;
            }
            near.sort_unstable();
            near.dedup();
            for &old in &*near {
                near_first[old as usize].push(class);
            }
        }
        let mut all = Vec::with_capacity(near.len());
        for (class, of_first) in (0_u32..).zip(&near) {
            let reached = of_first.iter().map(|&old| near_first[old as usize].len()).sum::<usize>();
            if of_first.len() > MOST_NEAR || reached > 8 * MOST_NEAR {
                self.n_wide += 1;
                all.push(Rows::new());
                continue;
            }
            let mut others: Vec<u32> =
                of_first.iter().flat_map(|&old| near_first[old as usize].iter().copied()).collect();
            others.sort_unstable();
            others.dedup();
            let sum = |classes: &[u32], at: usize, value: u32| -> u32 {
                let rows = |&class: &u32| self.rows[at][class as usize].get(&value);
                classes.iter().filter_map(rows).sum()
            };
            let own = &self.rows[later][class as usize];
            let old = own.iter().map(|(&value, &n)| {
                let outside =
                    sum(&others, later, value).saturating_sub(n) + rows_of(&of_wide, value);
                (value, sum(of_first, earlier, value).saturating_sub(outside).min(n))
            });
            all.push(old.collect());
        }
        all
    }

    /// The rows of a class of the newest release that may be a person's.
    fn left(&self, person: u32, class: u32) -> Rows {
        let newest = self.rows.len() - 1;
        let mut left = self.rows[newest][class as usize].clone();
        for at in 0..newest {
            if let Some(other) = self.series.history.releases[at].class_of(person) {
                let other = &self.rows[at][other as usize];
                for (value, n) in &mut left {
                    *n = (*n).min(rows_of(other, *value));
                }
            } else if !self.series.is_in(at, person)
                && let Some(old) = self.old.get(&(at, newest))
            {
                let (all, old) = (&self.rows[newest][class as usize], &old[class as usize]);
                for (value, n) in &mut left {
                    *n = (*n).min(all[value] - rows_of(old, *value));
                }
            }
        }
        left.retain(|_, n| *n > 0);
        left
    }

    /// Step 3: about records, then about values.
    fn guesses(&self, scene: &Scene<'_>, attribute: usize, keeps_signatures: bool) -> [Guesses; 2] {
        let blind = (Says::Record, 1.0 / scene.release.n_rows().max(1) as f64);
        let mut records = Guesses::new(Who::People, None, blind);
        let mut values = Guesses::new(Who::People, Some(attribute), scene.blind_value(attribute));
        let newest = self.rows.len() - 1;
        let mut n_strange = 0;
        for target in 0..self.series.n_people() {
            let n_alone = self.series.n_rows(newest, target);
            if n_alone == 0 {
                continue;
            }
            let mut alone = self.series.rows_by_value(newest, target);
            normalize(&mut alone);
            let placed = self.series.history.releases[newest].class_of(target);
            let left = placed.map(|class| self.left(target, class));
            n_strange += u32::from(left.as_ref().is_some_and(Rows::is_empty));
            let left = left.filter(|left| !left.is_empty());
            let (n_left, said) = match left {
                None => (n_alone, alone.clone()),
                Some(left) => {
                    let shown = placed.map(|class| &self.rows[newest][class as usize]);
                    let shown = shown.filter(|_| keeps_signatures).unwrap_or(&left);
                    let rows = |&value: &u32| (value, f64::from(rows_of(shown, value)));
                    let mut said: Vec<(u32, f64)> = left.keys().map(rows).collect();
                    normalize(&mut said);
                    (left.values().sum(), said)
                }
            };
            let draw = |n: u32| (Says::Record, 1.0 / f64::from(n));
            let guess = |(says, probability)| Guess { target, says, probability };
            records.guesses.push(guess(draw(n_left)));
            records.without.push(guess(draw(n_alone)));
            values.guesses.push(guess(likeliest_value(&said)));
            values.without.push(guess(likeliest_value(&alone)));
        }
        let mut notes = self.levels();
        if n_strange > 0 {
            notes.push(message!(
                "people for whom no row is left, so were not in a release or have changed: {n_strange}"
            ));
        }
        records.notes.clone_from(&notes);
        values.notes = notes;
        [records, values]
    }

    /// FA, CA and BA, and what B was not asked about.
    fn levels(&self) -> Vec<Message> {
        let (mut both, mut back): (Option<u32>, Option<u32>) = (None, None);
        let lower = |level: &mut Option<u32>, n: u32| *level = Some(level.map_or(n, |l| l.min(n)));
        let class_of = |at: usize, person| self.series.history.releases[at].class_of(person);
        for person in 0..self.series.n_people() {
            for later in 1..self.rows.len() {
                let Some(class) = class_of(later, person) else { continue };
                let own = &self.rows[later][class as usize];
                for earlier in 0..later {
                    if let Some(other) = class_of(earlier, person) {
                        let other = &self.rows[earlier][other as usize];
                        let rows = own.iter().map(|(&value, &n)| n.min(rows_of(other, value)));
                        lower(&mut both, rows.sum());
                    } else if !self.series.is_in(earlier, person)
                        && let Some(old) = self.old.get(&(earlier, later))
                    {
                        let old: u32 = old[class as usize].values().sum();
                        lower(&mut back, own.values().sum::<u32>() - old);
                    }
                }
            }
        }
        let show = |level: Option<u32>| level.map_or("–".to_owned(), |level| level.to_string());
        let both = show(both);
        let mut notes = vec![message!(
            "the fewest rows that are left for anybody: FA {both}, CA {both}, BA {}",
            show(back)
        )];
        let n_without = self.n_pairs - self.old.len();
        if n_without > 0 {
            notes.push(message!(
                "B is left out for {n_without} of {} pairs of releases: people left, rows are fewer, or some \
                 of the earlier are nobody's",
                self.n_pairs
            ));
        }
        if self.n_wide > 0 {
            notes.push(message!(
                "B rules nothing out for {} classes that meet more than {MOST_NEAR} others: bounded",
                self.n_wide
            ));
        }
        notes
    }
}

fn rows_of(rows: &Rows, value: u32) -> u32 {
    rows.get(&value).copied().unwrap_or(0)
}
