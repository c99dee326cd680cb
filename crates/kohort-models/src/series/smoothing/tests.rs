//! Forward-backward, the incremental form and the passes that forbid a value, against every sequence of
//! values.

use kohort_core::{ABSENT, Ratio, ReleasedClass, SeriesRelease};
use proptest::prelude::*;

use super::*;
use crate::series::{NoBeliefs, worlds_posterior};

/// The weight of every sequence of values from the first release of a path to its last.
fn sequences(smoothing: &Smoothing<'_>, path: &[(u32, u32)]) -> Vec<(Vec<u32>, f64)> {
    let (first, last) = (path[0].0, path[path.len() - 1].0);
    let mut found = vec![(Vec::new(), 1.0)];
    for release in first..=last {
        let stage = &smoothing.stages[release as usize];
        let class = path.iter().find(|(at, _)| *at == release).map(|&(_, class)| class);
        let mut longer = Vec::new();
        for (values, weight) in &found {
            for value in 0..smoothing.history.n_values {
                let step = match values.last() {
                    None => stage.share(value),
                    Some(&before) => stage.transition.probability(before, value),
                };
                let says = class.map_or(1.0, |class| {
                    let shown = stage.candidates(class).iter().find(|(shown, _)| *shown == value);
                    shown.map_or(0.0, |&(_, says)| says)
                });
                let values: Vec<u32> = values.iter().copied().chain([value]).collect();
                longer.push((values, weight * step * says));
            }
        }
        found = longer;
    }
    found
}

/// Releases in which each of six people has a class and a value, or is absent, with a counterfeit.
fn histories() -> impl Strategy<Value = (History, Correlations)> {
    let person = (0_u32..4, 0_u32..4);
    let release = (prop::collection::vec(person, 6), (0_u32..3, 0_u32..4));
    let pairs = prop::collection::btree_map((0_u32..4, 0_u32..4), 0_u64..=5, 0..9);
    (prop::collection::vec(release, 1..5), pairs).prop_map(|(releases, pairs)| {
        let releases = releases.into_iter().map(|(people, (class, value))| {
            let mut classes = vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; 3];
            let class_of = people.into_iter().map(|(class, value)| {
                let Some(found) = classes.get_mut(class as usize) else { return ABSENT };
                found.values.push(value);
                class
            });
            let class_of = class_of.collect();
            classes[class as usize].values.push(value);
            for class in &mut classes {
                class.values.sort_unstable();
            }
            SeriesRelease { class_of, classes }
        });
        let pairs: Vec<(u32, u32, Ratio)> =
            pairs.into_iter().map(|((x, y), p)| (x, y, Ratio::new(p, 20))).collect();
        let history = History { n_values: 4, releases: releases.collect() };
        (history, Correlations::new(&pairs).unwrap())
    })
}

fn readings() -> impl Strategy<Value = Reading> {
    let emission = prop_oneof![Just(Emission::Share), Just(Emission::Indicator)];
    let completion = prop_oneof![Just(Completion::Population), Just(Completion::Uniform)];
    (emission, completion).prop_map(|(emission, completion)| Reading { emission, completion })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn smoothing_is_the_sum_over_all_sequences(
        (history, correlations) in histories(),
        reading in readings(),
    ) {
        let smoothing = Smoothing::new(&history, &correlations, reading);
        for person in 0..6 {
            let path = smoothing.path(person);
            let Some(&(first, _)) = path.first() else { continue };
            let every = sequences(&smoothing, &path);
            let all: f64 = every.iter().map(|(_, weight)| weight).sum();
            let Some(posteriors) = smoothing.posteriors(&path) else {
                prop_assert!(all == 0.0);
                continue;
            };
            for posterior in &posteriors {
                for &(value, belief) in &posterior.of_value {
                    let at = (posterior.release - first) as usize;
                    let with = every.iter().filter(|(values, _)| values[at] == value);
                    let expected = with.map(|(_, weight)| weight).sum::<f64>() / all;
                    prop_assert!((belief - expected).abs() < 1e-9, "{belief}, not {expected}");
                }
            }
            for value in 0..history.n_values {
                let had = |values: &[u32]| {
                    path.iter().any(|(at, _)| values[(at - first) as usize] == value)
                };
                let with = every.iter().filter(|(values, _)| had(values));
                let expected = with.map(|(_, weight)| weight).sum::<f64>() / all;
                let found = smoothing.ever_had(&path, value).unwrap();
                prop_assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_most_that_anybody_ever_had_is_that_of_each_person_by_itself(
        (history, correlations) in histories(),
    ) {
        let smoothing = Smoothing::new(&history, &correlations, Reading::PROMISED);
        let people: Vec<u32> = (0..6).collect();
        let found = smoothing.most_ever_had(&people, &[0, 2]);
        for (value, found) in [0, 2].into_iter().zip(found) {
            let paths = people.iter().map(|&person| smoothing.path(person));
            let ever = paths.filter(|path| !path.is_empty());
            let ever = ever.map(|path| smoothing.ever_had(&path, value).unwrap_or(1.0));
            let highest = ever.reduce(f64::max);
            prop_assert_eq!(found.map(|(_, highest)| highest), highest);
            if let Some((person, highest)) = found {
                let of_person = smoothing.ever_had(&smoothing.path(person), value);
                prop_assert!((of_person.unwrap_or(1.0) - highest).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_class_tried_from_the_past_is_the_whole_history_smoothed(
        (history, correlations) in histories(),
        rho in 0.05..0.95,
    ) {
        let Some((last, before)) = history.releases.split_last() else { return Ok(()) };
        let before = History { n_values: 4, releases: before.to_vec() };
        let smoothing = Smoothing::new(&before, &correlations, Reading::PROMISED);
        let whole = Smoothing::new(&history, &correlations, Reading::PROMISED);
        let next = &whole.stages[before.releases.len()];
        let (pasts, past_of) = smoothing.pasts(&[0, 1, 2, 3, 4, 5], rho);
        for person in 0..6 {
            let Some(class) = last.class_of(person) else { continue };
            let Some(past) = &pasts[past_of[person as usize] as usize] else { continue };
            let runs: Vec<&[u32]> = last.classes[class as usize].values.chunk_by(|a, b| a == b).collect();
            let says = |run: &[u32]| next.said_by_one(run[0]) * count(run);
            let mut expected = vec![0.0; 4];
            for run in &runs {
                next.transition.expect(run[0], says(run), &mut expected);
            }
            let (earlier, all) = past.highest(&expected);
            let values: Vec<u32> = runs.iter().map(|run| run[0]).collect();
            let arriving = past.arriving(next, &values).into_iter().zip(&runs);
            let highest = arriving.map(|(weight, run)| weight * count(run)).fold(earlier, f64::max);
            let Some(posteriors) = whole.posteriors(&whole.path(person)) else {
                prop_assert!(all == 0.0);
                continue;
            };
            let highest = highest / all;
            let beliefs = posteriors.iter().flat_map(|posterior| &posterior.of_value);
            let expected = beliefs.map(|&(_, belief)| belief).fold(0.0, f64::max);
            // What is left out is at most rho while all else is.
            prop_assert!(highest <= expected + 1e-9);
            let (is_within, may_be) = (highest <= rho - 1e-9, expected <= rho + 1e-9);
            prop_assert!(!is_within || may_be, "{highest}, not {expected}, of {rho}");
        }
    }

    #[test]
    fn alone_in_their_classes_people_are_the_same_in_every_world(
        (history, correlations) in histories(),
    ) {
        // One person among rows of nobody: following one by one leaves nothing out but the emission.
        let alone = |release: &SeriesRelease| SeriesRelease {
            class_of: release.class_of[..1].to_vec(),
            classes: release.classes.clone(),
        };
        let history = History {
            n_values: 4,
            releases: history.releases.iter().map(alone).collect(),
        };
        let reading = Reading { emission: Emission::Share, completion: Completion::Population };
        let smoothing = Smoothing::new(&history, &correlations, reading);
        let path = smoothing.path(0);
        let exact = worlds_posterior(&history, &smoothing, &[0], 100_000);
        match smoothing.posteriors(&path) {
            Some(posteriors) if !path.is_empty() => {
                let exact = exact.unwrap();
                for (smoothed, worlds) in posteriors.iter().zip(&exact[0]) {
                    prop_assert_eq!(smoothed.release, worlds.release);
                    for (value, belief) in &worlds.of_value {
                        let found = smoothed.of_value.iter().find(|(other, _)| other == value);
                        prop_assert!((found.unwrap().1 - belief).abs() < 1e-9);
                    }
                }
            }
            _ => prop_assert!(exact.map_or_else(|why| why == NoBeliefs::NoWorld, |found| found[0].is_empty())),
        }
    }
}

#[test]
fn people_of_one_path_share_a_result_and_the_order_of_people_does_not_matter() {
    let class = |values: &[u32]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    let history = History {
        n_values: 4,
        releases: vec![SeriesRelease {
            class_of: vec![0, 1, 0, 1],
            classes: vec![class(&[0, 1]), class(&[2, 3])],
        }],
    };
    let correlations = Correlations::default();
    let smoothing = Smoothing::new(&history, &correlations, Reading::PROMISED);
    let (results, result_of) = smoothing.of_paths(&[3, 0, 1, 2], <[(u32, u32)]>::to_vec);
    assert_eq!(results, [[(0, 0)], [(0, 1)]]);
    assert_eq!(result_of, [1, 0, 1, 0]);
}
