//! Bucket clustering against its oracle, brute force and a plain row-by-row version.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Ctx, Dataset, Ratio, Role};
use kohort_models::{CellMetric, ClassModel, DistinctLDiversity, FrequencyLDiversity, KAnonymity};
use proptest::prelude::*;

use super::{Bucket, cluster, freedom::Freedom};
use crate::Draw;
use crate::diversity::Diversity;
use crate::repair::repair;
use crate::tests::tables::{Given, dataset, groups_of, judge, nine, problem, settings};
use crate::{Algorithm, Candidate, Failure, Metric, Problem, Settings};

fn frequency(l: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(l)).unwrap())]
}

fn byun(seed: u64) -> Settings {
    Settings { metric: Metric::Cells(CellMetric::Byun), seed, ..settings(2) }
}

#[test]
fn nine_tuples_of_001_cluster_at_48_over_7() {
    let data = nine("abdabacbc");
    for seed in 0..20 {
        let problem = problem(&data, frequency(3), byun(seed));
        let candidate = Bucket.anonymize(&Ctx::quiet(), &problem).unwrap();
        let expected = [vec![0, 1, 2], vec![3, 4, 6], vec![5, 7, 8]];
        assert_eq!(groups_of(&candidate), expected.into());
        let loss = judge(&problem, &candidate) * 18.0;
        assert!((loss - 48.0 / 7.0).abs() < 1e-9, "{loss}");
    }
}

// The same tuples when only the l largest buckets may be taken, from the first row of a largest one.
#[test]
fn nine_tuples_of_001_lose_12_without_the_freedom() {
    let data = nine("abdabacbc");
    let problem = problem(&data, frequency(3), byun(0));
    let largest = |counts: &[u32], chosen: &BTreeSet<u32>| {
        let mut order: Vec<u32> = (0..4).collect();
        order.sort_by_key(|&value| std::cmp::Reverse(counts[value as usize]));
        order.truncate(3);
        order.into_iter().filter(|value| !chosen.contains(value)).collect()
    };
    let seed = |plain: &Plain<'_, '_>, may: &BTreeSet<u32>| {
        let counts = plain.counts();
        let most = may.iter().map(|&value| counts[value as usize]).max().unwrap();
        let is = |&&row: &&u32| counts[plain.value(row) as usize] == most;
        *plain.left.iter().find(is).unwrap()
    };
    let mut plain = Plain::new(&problem);
    let mut loss = 0.0;
    while plain.left.len() >= 3 {
        let class = plain.class(3, &largest, &seed);
        loss += 3.0 * 2.0 * plain.cost(&class);
    }
    assert!((loss - 12.0).abs() < 1e-9, "{loss}");
}

#[test]
fn nine_tuples_of_001_as_table_4_prints_them_are_infeasible() {
    let data = nine("abdabacac");
    let problem = problem(&data, frequency(3), byun(0));
    let Err(Failure::Infeasible { reason }) = Bucket.anonymize(&Ctx::quiet(), &problem) else {
        panic!("a occurs 4 times in 9 rows")
    };
    assert_eq!(
        reason,
        "1 value of `i1` is too frequent for l = 3: the largest share is 4 of 9 rows, so that l is \
         at most 9/4 with these rows"
    );
}

#[test]
fn what_the_buckets_cannot_deal_out_is_joined_where_the_goal_allows_it() {
    let data = nine("abdabacac");
    let decimal: Vec<Box<dyn ClassModel>> =
        vec![Box::new(FrequencyLDiversity::new(0, Ratio::new(9, 4)).unwrap())];
    let distinct: Vec<Box<dyn ClassModel>> = vec![Box::new(DistinctLDiversity::new(0, 4).unwrap())];
    for models in [decimal, distinct] {
        let problem = problem(&data, models, byun(0));
        judge(&problem, &Bucket.anonymize(&Ctx::quiet(), &problem).unwrap());
    }
}

#[test]
fn classes_of_k_above_l_are_no_worse_than_those_by_rounds_or_by_joining() {
    let data = nine("abcabcabc");
    for k in [3, 4, 5] {
        let mut models = frequency(2);
        models.push(Box::new(KAnonymity::new(k).unwrap()));
        let problem = problem(&data, models, byun(0));
        let candidate = Bucket.anonymize(&Ctx::quiet(), &problem).unwrap();
        let found = judge(&problem, &candidate);
        let goal = Diversity::of(&problem, "bucket").unwrap();
        for size in [2, usize::try_from(k).unwrap()] {
            let groups = cluster(&|_| true, &problem, &goal, size).unwrap();
            let groups = repair(&problem, groups).unwrap();
            assert!(found <= judge(&problem, &Candidate::of_groups(&problem, &groups)) + 1e-12);
        }
    }
}

#[test]
fn tables_that_tell_rows_apart_by_nothing_are_dealt_out() {
    let constant = dataset(&[
        Given::flat("x", Role::Quasi, &[""; 7]),
        Given::flat("y", Role::Quasi, &["1"; 7]),
        Given::flat("s", Role::Sensitive, &["", "", "a", "a", "b", "b", "b"]),
    ]);
    let problem = problem(&constant, frequency(2), settings(2));
    let candidate = Bucket.anonymize(&Ctx::quiet(), &problem).unwrap();
    assert!(judge(&problem, &candidate).abs() < f64::EPSILON);
    assert_eq!(groups_of(&candidate).len(), 3);
}

/// Whether sets of l different buckets can be taken until fewer than l rows are left, which differ in
/// bucket: by trying.
fn completable(counts: &[u32], l: usize, known: &mut BTreeMap<Vec<u32>, bool>) -> bool {
    let mut key = counts.to_vec();
    key.sort_unstable();
    if let Some(&found) = known.get(&key) {
        return found;
    }
    let found = if key.iter().sum::<u32>() < u32::try_from(l).unwrap() {
        key.iter().all(|&count| count <= 1)
    } else {
        choices(&key, l).into_iter().any(|chosen| completable(&after(&key, &chosen), l, known))
    };
    known.insert(key, found);
    found
}

/// All sets of l buckets that are not empty.
fn choices(counts: &[u32], l: usize) -> Vec<BTreeSet<u32>> {
    let there: Vec<u32> = (0..).zip(counts).filter(|(_, c)| **c > 0).map(|(b, _)| b).collect();
    let subsets = (0_u32..1 << there.len()).filter(|set| set.count_ones() as usize == l);
    let chosen = |set: u32| {
        let is_in = |&(at, _): &(u32, &u32)| set >> at & 1 == 1;
        (0..).zip(&there).filter(is_in).map(|(_, &bucket)| bucket).collect()
    };
    subsets.map(chosen).collect()
}

fn after(counts: &[u32], chosen: &BTreeSet<u32>) -> Vec<u32> {
    let left = |(bucket, &count): (u32, &u32)| count - u32::from(chosen.contains(&bucket));
    (0..).zip(counts).map(left).collect()
}

/// All sets of buckets that can be chosen one after another.
fn reachable(counts: &[u32], l: usize, chosen: &[u32], found: &mut BTreeSet<BTreeSet<u32>>) {
    let mut freedom = Freedom::new(counts, l);
    for &bucket in chosen {
        freedom.take(bucket);
    }
    if freedom.is_complete() {
        found.insert(chosen.iter().copied().collect());
        return;
    }
    let buckets = 0..u32::try_from(counts.len()).unwrap();
    for bucket in buckets.filter(|&bucket| freedom.may_take(bucket)) {
        reachable(counts, l, &[chosen, &[bucket]].concat(), found);
    }
}

/// All ways to fill exactly `buckets` buckets with at most `most` rows each, largest first.
fn states(buckets: usize, most: u32) -> Vec<Vec<u32>> {
    let mut states = vec![Vec::new()];
    for _ in 0..buckets {
        let longer = |state: &Vec<u32>| {
            let most = state.last().copied().unwrap_or(most);
            let state = state.clone();
            (1..=most).map(move |count| [&state[..], &[count]].concat())
        };
        states = states.iter().flat_map(longer).collect();
    }
    states
}

#[test]
fn the_freedom_is_exactly_what_brute_force_allows() {
    let mut n_checked = 0;
    for l in 2..=4 {
        let mut known = BTreeMap::new();
        for state in (l..=6).flat_map(|buckets| states(buckets, 4)) {
            if !completable(&state, l, &mut known) {
                continue;
            }
            let mut found = BTreeSet::new();
            reachable(&state, l, &[], &mut found);
            let allowed: BTreeSet<_> = choices(&state, l)
                .into_iter()
                .filter(|chosen| completable(&after(&state, chosen), l, &mut known))
                .collect();
            assert_eq!(found, allowed, "l = {l}, {state:?}");
            n_checked += 1;
        }
    }
    assert!(n_checked > 300, "{n_checked}");
}

/// The first row of the least cost.
fn first_least(rows: &[u32], cost: impl Fn(u32) -> f64) -> u32 {
    let least = rows.iter().map(|&row| cost(row)).fold(f64::INFINITY, f64::min);
    *rows.iter().find(|&&row| cost(row) < least + 1e-12).unwrap()
}

/// The values that may come next, given the rows left of each and the values chosen.
type May<'m> = &'m dyn Fn(&[u32], &BTreeSet<u32>) -> BTreeSet<u32>;

/// The algorithm row by row, with every cost computed from the rows.
pub(crate) struct Plain<'a, 'p> {
    problem: &'p Problem<'a>,
    // In the order of quasi-identifiers, then of values.
    left: Vec<u32>,
    from: u32,
}

impl<'a, 'p> Plain<'a, 'p> {
    pub(crate) fn new(problem: &'p Problem<'a>) -> Self {
        let points = problem.points();
        let left: Vec<u32> = (0..points.len()).flat_map(|p| points.rows(p).to_vec()).collect();
        let mut items = left.clone();
        let same = |a: u32, b: u32| {
            let mut all = problem.quasi().iter().chain(problem.sensitive());
            all.all(|x| x.codes().get(a as usize) == x.codes().get(b as usize))
        };
        items.dedup_by(|a, b| same(*a, *b));
        let from = items[Draw::new(problem.settings().seed).below(items.len())];
        Self { problem, left, from }
    }

    fn value(&self, row: u32) -> u32 {
        self.problem.sensitive()[0].codes().get(row as usize)
    }

    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.problem.sensitive()[0].n_codes() as usize];
        self.left.iter().for_each(|&row| counts[self.value(row) as usize] += 1);
        counts
    }

    fn cost(&self, rows: &[u32]) -> f64 {
        let edge = |pick: fn(u32, u32) -> u32| -> Vec<u32> {
            let of = |a: &&kohort_core::Attribute| {
                rows.iter().map(|&row| a.codes().get(row as usize)).reduce(pick).unwrap()
            };
            self.problem.quasi().iter().map(of).collect()
        };
        self.problem.space().cost(&edge(u32::min), &edge(u32::max))
    }

    fn furthest(&self, may: &BTreeSet<u32>) -> u32 {
        let rows: Vec<u32> =
            self.left.iter().copied().filter(|&row| may.contains(&self.value(row))).collect();
        first_least(&rows, |row| -self.cost(&[row, self.from]))
    }

    fn class(
        &mut self,
        l: usize,
        may: May<'_>,
        seed: &dyn Fn(&Self, &BTreeSet<u32>) -> u32,
    ) -> Vec<u32> {
        let counts = self.counts();
        let mut chosen = BTreeSet::new();
        let mut rows: Vec<u32> = Vec::new();
        while rows.len() < l {
            let may = may(&counts, &chosen);
            let taken = if rows.is_empty() {
                self.from = seed(self, &may);
                self.from
            } else {
                let there = self.left.iter().copied().filter(|&row| may.contains(&self.value(row)));
                let there: Vec<u32> = there.collect();
                first_least(&there, |row| self.cost(&[&rows[..], &[row]].concat()))
            };
            self.left.retain(|&row| row != taken);
            chosen.insert(self.value(taken));
            rows.push(taken);
        }
        rows
    }

    /// With every choice of values that can be completed; or with every choice.
    pub(crate) fn run(mut self, l: usize, can_be_completed: bool) -> BTreeSet<Vec<u32>> {
        let mut known = BTreeMap::new();
        let mut classes: Vec<Vec<u32>> = Vec::new();
        loop {
            let counts = self.counts();
            let mut allowed = choices(&counts, l);
            if can_be_completed {
                allowed.retain(|chosen| completable(&after(&counts, chosen), l, &mut known));
            }
            if allowed.is_empty() {
                break;
            }
            let may = |_: &[u32], chosen: &BTreeSet<u32>| {
                let fits = allowed.iter().filter(|allowed| chosen.is_subset(allowed));
                fits.flatten().copied().filter(|value| !chosen.contains(value)).collect()
            };
            classes.push(self.class(l, &may, &Self::furthest));
        }
        for &row in &self.left {
            let value = self.value(row);
            let mut best: Option<(f64, usize)> = None;
            for (at, class) in classes.iter().enumerate() {
                let count = class.iter().filter(|&&other| self.value(other) == value).count();
                if (count + 1) * l > class.len() + 1 {
                    continue;
                }
                let n = class.len() as f64;
                let added =
                    (n + 1.0) * self.cost(&[&class[..], &[row]].concat()) - n * self.cost(class);
                if best.is_none_or(|(least, _)| added < least - 1e-12) {
                    best = Some((added, at));
                }
            }
            match best {
                Some((_, at)) => classes[at].push(row),
                None => classes.push(vec![row]),
            }
        }
        for class in &mut classes {
            class.sort_unstable();
        }
        classes.into_iter().collect()
    }
}

/// Tables of up to 19 rows, whose sensitive column has up to 5 values.
pub(crate) fn few_rows() -> impl Strategy<Value = Dataset> {
    prop::collection::vec((0_u32..9, prop::option::of(0_u32..4), 0_u32..5), 2..20).prop_map(
        |rows| {
            let text = |code: Option<u32>| code.map_or(String::new(), |code| format!("c{code}"));
            let ages: Vec<u32> = rows.iter().map(|row| row.0).collect();
            let towns: Vec<String> = rows.iter().map(|row| text(row.1)).collect();
            let values: Vec<String> = rows.iter().map(|row| text(Some(row.2))).collect();
            dataset(&[
                Given::flat("age", Role::Quasi, &ages),
                Given::flat("town", Role::Quasi, &towns),
                Given::flat("value", Role::Sensitive, &values),
            ])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(data in few_rows(), l in 2_u64..4, seed in 0_u64..4) {
        let problem = problem(&data, frequency(l), Settings { seed, ..settings(2) });
        let n = data.n_rows() as u64;
        let largest = data.sensitive()[0].counts().iter().copied().max().unwrap_or(0);
        match Bucket.anonymize(&Ctx::quiet(), &problem) {
            Ok(candidate) => {
                let plain = Plain::new(&problem).run(usize::try_from(l).unwrap(), true);
                prop_assert_eq!(groups_of(&candidate), plain);
            }
            Err(failure) => {
                let is_infeasible = matches!(failure, Failure::Infeasible { .. });
                prop_assert!(is_infeasible && u64::from(largest) * l > n, "{:?}", failure);
            }
        }
    }
}
