//! The adversary who makes the release again, on every table that it may have come from.

mod every_algorithm;

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Ctx, Dataset, Ratio, Role};
use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity};

use super::can_be_transparent;
use super::in_blocks;
use super::level::in_classes_of;
use super::size::block_size;
use crate::Draw;
use crate::tests::tables::{Given, dataset, judge, problem, settings};
use crate::{
    ALGORITHMS, Algorithm, Candidate, Failure, Problem, Secret, Settings, algorithm, anonymize,
};

/// A small table: ages and zips, and how often each of the letters from `a` on occurs.
struct Small {
    ages: Vec<usize>,
    zips: Vec<usize>,
    counts: Vec<usize>,
    /// Whether ages are from 0 to 7, with a taxonomy.
    has_levels: bool,
}

/// Ages from 0 to 7, by two and by four.
const LEVELS: &[&str] =
    &["0;a;x;*", "1;a;x;*", "2;b;x;*", "3;b;x;*", "4;c;y;*", "5;c;y;*", "6;d;y;*", "7;d;y;*"];

impl Small {
    fn draw(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let n = 6 + draw.below(2);
        let ages = (0..n).map(|_| 20 + 5 * draw.below(8)).collect();
        let zips = (0..n).map(|_| 3000 + 500 * draw.below(6)).collect();
        let mut counts = vec![0; 3 + draw.below(2)];
        let n_values = counts.len();
        (0..n).for_each(|_| counts[draw.below(n_values)] += 1);
        Self { ages, zips, counts, has_levels: false }
    }

    /// Six to nine people whose ages have a taxonomy.
    fn with_levels(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let n = 6 + draw.below(4);
        let ages = (0..n).map(|_| draw.below(8)).collect();
        let zips = (0..n).map(|_| 3000 + 1000 * draw.below(2)).collect();
        let counts = if n < 8 { vec![n - 4, 2, 1, 1] } else { vec![n / 2, n - n / 2 - 2, 2] };
        Self { ages, zips, counts, has_levels: true }
    }

    fn data(&self, values: &[usize]) -> Dataset {
        let letter = |&value: &usize| ["a", "b", "c", "d"][value];
        let values: Vec<&str> = values.iter().map(letter).collect();
        let ages = Given::flat("age", Role::Quasi, &self.ages);
        dataset(&[
            if self.has_levels { ages.with_taxonomy(LEVELS) } else { ages },
            Given::flat("zip", Role::Quasi, &self.zips),
            Given::flat("ill", Role::Sensitive, &values),
        ])
    }

    /// Every way to give the values to the people.
    fn assignments(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new()];
        for _ in 0..self.ages.len() {
            found = found
                .iter()
                .flat_map(|given: &Vec<usize>| {
                    let is_left = |value: &usize| {
                        given.iter().filter(|other| *other == value).count() < self.counts[*value]
                    };
                    let values = (0..self.counts.len()).filter(is_left);
                    values.map(|value| [&given[..], &[value]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        found
    }
}

/// What is promised: k = 2 and a share of at most 1/l.
fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
    vec![
        Box::new(KAnonymity::new(2).unwrap()),
        Box::new(FrequencyLDiversity::new(0, Ratio::whole(l)).unwrap()),
    ]
}

/// What the adversary sees: the rows of each class, which he finds by their quasi-identifiers, and how often
/// each value occurs in it. (Classes of equal cells, which he could not tell apart, are told apart: he knows
/// more here.)
type Seen = BTreeSet<(Vec<u32>, Vec<usize>)>;

fn seen(candidate: &Candidate, values: &[usize], n_values: usize) -> Seen {
    let mut classes: BTreeMap<u32, (Vec<u32>, Vec<usize>)> = BTreeMap::new();
    for (row, &group) in (0..).zip(&candidate.group_of_row) {
        let class = classes.entry(group).or_insert((Vec::new(), vec![0; n_values]));
        class.0.push(row);
        class.1[values[row as usize]] += 1;
    }
    classes.into_values().collect()
}

/// How likely each value of each person is, given what is seen; with the number of releases it is made of.
struct Belief {
    n: f64,
    of_person: Vec<Vec<f64>>,
}

/// Makes a release of each assignment with each secret. Those of which none can be made are left out.
fn gathered(
    small: &Small,
    l: u64,
    (transparent, n_secrets): (bool, u32),
    made: impl Fn(&Problem<'_>) -> Result<Candidate, Failure>,
) -> BTreeMap<Seen, Belief> {
    let mut found = BTreeMap::new();
    let n_values = small.counts.len();
    for (number, values) in (0_u32..).zip(small.assignments()) {
        let data = small.data(&values);
        for secret in 0..n_secrets {
            let mut bytes = [3; 32];
            bytes[..4].copy_from_slice(&secret.to_le_bytes());
            bytes[4..8].copy_from_slice(&number.to_le_bytes());
            let settings = Settings { transparent, secret: Secret::new(bytes), ..settings(2) };
            let problem = problem(&data, models(l), settings);
            let candidate = match made(&problem) {
                Ok(candidate) => candidate,
                Err(Failure::Infeasible { .. }) => continue,
                Err(Failure::Error(error)) => panic!("{error}"),
            };
            judge(&problem, &candidate);
            let belief = found.entry(seen(&candidate, &values, n_values)).or_insert_with(|| {
                Belief { n: 0.0, of_person: vec![vec![0.0; n_values]; values.len()] }
            });
            belief.n += 1.0;
            for (shares, &value) in belief.of_person.iter_mut().zip(&values) {
                shares[value] += 1.0;
            }
        }
    }
    found
}

fn beliefs(
    algorithm: &dyn Algorithm,
    small: &Small,
    l: u64,
    made: (bool, u32),
) -> BTreeMap<Seen, Belief> {
    gathered(small, l, made, |problem| anonymize(algorithm, &Ctx::quiet(), problem))
}

/// The largest excess of somebody's posterior over the share of the value in the class, and the largest
/// posterior. The excess is in standard errors of a share that was drawn so often.
fn worst(found: &BTreeMap<Seen, Belief>) -> (f64, f64) {
    let (mut excess, mut posterior) = (0.0_f64, 0.0_f64);
    for (seen, belief) in found {
        for (rows, counts) in seen {
            for &row in rows {
                for (&count, times) in counts.iter().zip(&belief.of_person[row as usize]) {
                    let (share, found) = (count as f64 / rows.len() as f64, times / belief.n);
                    let error = (share * (1.0 - share) / belief.n).sqrt().max(1e-12);
                    excess = excess.max((found - share) / error);
                    posterior = posterior.max(found);
                }
            }
        }
    }
    (excess, posterior)
}

fn transparent_ones() -> impl Iterator<Item = &'static dyn Algorithm> {
    ALGORITHMS.iter().copied().filter(|algorithm| can_be_transparent(*algorithm))
}

/// Whether a share above 1/l was found, and what it was, over the releases seen.
fn breach(found: &BTreeMap<Seen, Belief>, l: u64) -> Option<f64> {
    let (_, posterior) = worst(found);
    (posterior * l as f64 > 1.0 + 1e-9).then_some(posterior)
}

// Where no coin is tossed the posterior is exact: eight people with different quasi-identifiers are in two or
// four blocks, and none is left over. Every assignment is a table, and the posterior is the share, to the last
// digit, also in classes that are larger than a block because some halves failed.
#[test]
fn without_coins_the_posterior_is_the_share_exactly() {
    let (mut n_coarse, mut n_fine) = (0, 0);
    for seed in 0..6 {
        let mut draw = Draw::new(1000 + seed);
        let ages = (0..8).map(|at| 20 + 5 * at + draw.below(4)).collect();
        let zips = (0..8).map(|_| 3000 + draw.below(2000)).collect();
        let counts = [vec![4, 2, 2], vec![3, 3, 2], vec![4, 3, 1]];
        let small = Small { ages, zips, counts: counts[draw.below(3)].clone(), has_levels: false };
        for (id, b) in [("auto", 2), ("auto", 4), ("mondrian", 2), ("hilbert", 4)] {
            let algorithm = algorithm(id).unwrap();
            let found = gathered(&small, 2, (true, 1), |problem| {
                in_blocks(algorithm, &Ctx::quiet(), problem, (b, 64))
            });
            let (excess, _) = worst(&found);
            assert!(excess < 1e-6, "{id}, table {seed}: {excess}");
            let is_fine = |seen: &&Seen| seen.iter().all(|(rows, _)| rows.len() == b);
            n_coarse += found.keys().filter(|seen| !is_fine(seen)).count();
            n_fine += found.keys().filter(is_fine).count();
        }
    }
    assert!(n_coarse > 100 && n_fine > 100, "{n_coarse} and {n_fine}");
}

#[test]
fn the_size_of_blocks_is_the_same_for_every_assignment_of_the_values() {
    for seed in 0..8 {
        let small = Small::draw(seed);
        let size = |values: &Vec<usize>| {
            let data = small.data(values);
            block_size(&problem(&data, models(2), settings(2)))
        };
        let sizes: BTreeSet<usize> = small.assignments().iter().step_by(7).map(size).collect();
        assert_eq!(sizes.len(), 1);
    }
}

// With coins the posterior is found by making many releases. A share that was seen n times is taken to be too
// large when it is more than six standard errors above the share of the class: of the some 10⁵ shares that
// are compared here, none is by chance but in one of a thousand runs.
#[test]
fn with_coins_the_posterior_is_the_share_within_the_error_of_the_draws() {
    let mut n_compared = 0;
    for algorithm in transparent_ones() {
        let small = Small::draw(1);
        let mut found = beliefs(algorithm, &small, 2, (true, 12));
        // The error of a share is normal where it was seen often enough.
        found.retain(|_, belief| belief.n >= 25.0);
        n_compared += found.len();
        let (excess, _) = worst(&found);
        assert!(excess < 6.0, "{}: {excess}", algorithm.spec().id);
    }
    assert!(n_compared > 20, "{n_compared}");
}

// Methods that recode the whole domain toss no coin: over every assignment of the values of tables of six to
// nine people, the posterior is the share to the last digit. The same methods, as they are without the mode, are
// found out on these tables.
#[test]
fn a_level_that_is_chosen_beforehand_tells_nothing_exactly() {
    let (mut n_cut, mut n_opaque) = (0, 0);
    for seed in 0..12 {
        let small = Small::with_levels(seed);
        for algorithm in transparent_ones().filter(|algorithm| algorithm.facts().is_full_domain) {
            for m in [2, 3, 4] {
                let found = gathered(&small, 2, (true, 1), |problem| {
                    in_classes_of(algorithm, &Ctx::quiet(), problem, m)
                });
                let (excess, _) = worst(&found);
                assert!(excess < 1e-6, "{}, table {seed}: {excess}", algorithm.spec().id);
                n_cut += found.keys().filter(|seen| seen.len() > 1).count();
            }
            let found = beliefs(algorithm, &small, 2, (false, 1));
            n_opaque += usize::from(breach(&found, 2).is_some());
        }
    }
    assert!(n_cut > 200 && n_opaque > 10, "{n_cut} and {n_opaque}");
}

// Blocks of several sizes, which larger tables have: here two blocks of a size are many. Each release is made
// again with many secrets.
#[test]
fn blocks_of_several_sizes_tell_no_more() {
    let (mut n_compared, mut n_sizes) = (0, 0);
    for (seed, id) in [(3, "auto"), (5, "mondrian")] {
        let mut draw = Draw::new(seed);
        let ages = [20, 21, 40, 41, 60, 61, 62, 80, 81, 82].map(|age| age + draw.below(2));
        let zips = (0..10).map(|_| 3000 + draw.below(100)).collect();
        let small = Small { ages: ages.to_vec(), zips, counts: vec![4, 4, 2], has_levels: false };
        let algorithm = algorithm(id).unwrap();
        let mut found = gathered(&small, 2, (true, 3), |problem| {
            in_blocks(algorithm, &Ctx::quiet(), problem, (2, 2))
        });
        found.retain(|_, belief| belief.n >= 25.0);
        // Two blocks of three rows are two classes, or one.
        let has_triples = |seen: &Seen| seen.iter().any(|(rows, _)| [3, 6].contains(&rows.len()));
        n_sizes += found.keys().filter(|seen| has_triples(seen)).count();
        n_compared += found.len();
        let (excess, _) = worst(&found);
        assert!(excess < 6.0, "{id}: {excess}");
    }
    assert!(n_compared > 20 && n_sizes > 10, "{n_compared} and {n_sizes}");
}

// The same adversary against the methods as they are published: what the law above would find.
#[test]
fn the_opaque_mode_is_found_out() {
    let auto = algorithm("auto").unwrap();
    let breaches = (0..12)
        .filter(|&seed| breach(&beliefs(auto, &Small::draw(seed), 2, (false, 1)), 2).is_some());
    assert!(breaches.count() >= 4);
}
