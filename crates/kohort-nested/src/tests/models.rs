//! Classes that keep models which no maker knows by itself, by their plain definitions.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Forest, NO_VALUE, Ratio};
use kohort_models::{Distance, DistinctLDiversity, RecursiveClDiversity, TCloseness};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{Asked, random};
use crate::{NESTED_ALGORITHMS, NestedAlgorithm, NestedCandidate, NestedModel, NestedProblem};

type Counts = BTreeMap<u32, u32>;

fn counts(forest: &Forest, vertices: impl Iterator<Item = u32>) -> Counts {
    let mut counts = Counts::new();
    for value in vertices.map(|vertex| forest.sensitive(vertex)).filter(|&value| value != NO_VALUE)
    {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

/// Whether values are at most so far from those of the whole data, times 10.
fn are_close(own: &Counts, whole: &Counts, tenths: f64) -> bool {
    let total = |counts: &Counts| f64::from(counts.values().sum::<u32>());
    let share =
        |counts: &Counts, value| f64::from(*counts.get(value).unwrap_or(&0)) / total(counts);
    let apart: f64 = whole.keys().map(|v| (share(own, v) - share(whole, v)).abs()).sum();
    apart / 2.0 <= tenths / 10.0 + 1e-9
}

/// What is asked of the values of every sensitive kind.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Promise {
    Distinct,
    Recursive,
    Close,
}

impl Promise {
    const ALL: [Self; 3] = [Self::Distinct, Self::Recursive, Self::Close];

    fn models(self, forest: &Forest) -> Vec<NestedModel> {
        let kinds =
            (0..forest.kinds().len()).filter(|&kind| forest.kinds()[kind].sensitive.is_some());
        let model = |kind| NestedModel {
            kind,
            model: match self {
                Self::Distinct => Box::new(DistinctLDiversity::new(0, 2).unwrap()),
                Self::Recursive => {
                    Box::new(RecursiveClDiversity::new(0, Ratio::whole(2), 2).unwrap())
                }
                Self::Close => {
                    Box::new(TCloseness::new(0, Ratio::new(4, 10), Distance::Equal).unwrap())
                }
            },
        };
        kinds.map(model).collect()
    }

    fn holds(self, own: &Counts, whole: &Counts) -> bool {
        let most = own.values().max().copied().unwrap_or(0);
        let all: u32 = own.values().sum();
        own.is_empty()
            || match self {
                Self::Distinct => own.len() >= 2,
                Self::Recursive => most < 2 * (all - most),
                Self::Close => are_close(own, whole, 4.0),
            }
    }
}

/// Asserts that the values of every position keep a promise, and those that are not published.
fn judge(promise: Promise, forest: &Forest, candidate: &NestedCandidate) {
    let all = || (0..forest.n_records()).flat_map(|record| forest.vertices(record));
    let shown: std::collections::BTreeSet<u32> =
        candidate.classes.iter().flat_map(|class| class.vertices.iter().copied()).collect();
    let of_kind = |kind: usize| all().filter(move |&vertex| forest.kind(vertex) == kind);
    for kind in 0..forest.kinds().len() {
        let whole = counts(forest, of_kind(kind));
        for class in &candidate.classes {
            class.assert_aligned(forest);
            for vertices in class.positions().filter(|v| forest.kind(v[0]) == kind) {
                let own = counts(forest, vertices.iter().copied());
                assert!(promise.holds(&own, &whole), "{promise:?} fails at a position");
            }
        }
        let cut = counts(forest, of_kind(kind).filter(|vertex| !shown.contains(vertex)));
        let is_shown = cut.values().sum::<u32>() < whole.values().sum();
        assert!(!is_shown || promise.holds(&cut, &whole), "{promise:?} fails for what is cut");
    }
}

fn made(
    algorithm: &dyn NestedAlgorithm,
    asked: &Asked,
    promise: Promise,
    transparent: Option<[u8; 32]>,
) -> Option<NestedCandidate> {
    let models = promise.models(&asked.forest);
    let may_leave_out = asked.forest.n_records();
    let problem = NestedProblem { models: &models, transparent, may_leave_out, ..asked.problem() };
    crate::make(algorithm, &Ctx::quiet(), &problem, false).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_class_keeps_the_models(mut asked in random(30), secret: [u8; 32]) {
        asked.l.fill(1);
        let all = NESTED_ALGORITHMS.iter().filter(|algorithm| algorithm.is_safe());
        for (algorithm, promise) in all.flat_map(|of| Promise::ALL.map(|promise| (*of, promise))) {
            for transparent in [None, Some(secret)] {
                if let Some(candidate) = made(algorithm, &asked, promise, transparent) {
                    judge(promise, &asked.forest, &candidate);
                }
            }
        }
    }
}

#[test]
fn close_classes_are_found_where_values_are_spread() {
    let mut found = [0; 3];
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..12 {
        let mut asked = random(40).new_tree(&mut runner).unwrap().current();
        asked.l.fill(1);
        asked.k = 2;
        for (promise, found) in Promise::ALL.into_iter().zip(&mut found) {
            let auto = crate::nested_algorithm("auto").unwrap();
            *found += usize::from(made(auto, &asked, promise, None).is_some());
        }
    }
    assert!(found.iter().all(|&found| found >= 3), "{found:?}");
}
