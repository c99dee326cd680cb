//! Worked components, and laws against every world of few people.

use kohort_core::{ABSENT, ReleasedClass};
use proptest::prelude::*;

use super::*;
use crate::attack::evidence::worlds::{self, Known};

fn release(class_of: &[u32], classes: &[&[u32]]) -> SeriesRelease {
    let class = |values: &&[u32]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    SeriesRelease { class_of: class_of.to_vec(), classes: classes.iter().map(class).collect() }
}

fn highest(releases: &[SeriesRelease]) -> Highest {
    highest_by_worlds(&History { n_values: 9, releases: releases.to_vec() })
}

#[test]
fn a_single_release_is_believed_by_its_shares() {
    let found = highest(&[release(&[0, 0, 0, 1, 1], &[&[0, 0, 1], &[2, 3]])]);
    assert_eq!(
        found,
        Highest { belief: 2.0 / 3.0, fraction: Some(Ratio::new(2, 3)), is_exact: true }
    );
}

// 60 people in rings of two releases: too many to count, and one signature.
#[test]
fn a_large_component_of_one_signature_is_exact() {
    let first: Vec<u32> = (0..60).map(|person| person / 3).collect();
    let second: Vec<u32> = (0..60).map(|person| (person + 1) % 60 / 3).collect();
    let classes = [&[0_u32, 1, 2][..]; 20];
    let found = highest(&[release(&first, &classes), release(&second, &classes)]);
    assert_eq!(
        found,
        Highest { belief: 1.0 / 3.0, fraction: Some(Ratio::new(1, 3)), is_exact: true }
    );
}

// The same rings with another value in one class: nothing is alike any more.
#[test]
fn a_large_component_without_symmetry_is_bounded() {
    let first: Vec<u32> = (0..60).map(|person| person / 3).collect();
    let second: Vec<u32> = (0..60).map(|person| (person + 1) % 60 / 3).collect();
    let mut shown: Vec<&[u32]> = vec![&[0, 1, 2]; 20];
    let whole = release(&first, &shown);
    shown[7] = &[0, 1, 1];
    let found = highest(&[whole, release(&second, &shown)]);
    assert!(!found.is_exact && found.belief >= 2.0 / 3.0, "{found:?}");
}

/// Releases of people with values, in classes that are drawn, with some more rows.
fn histories(n: usize) -> impl Strategy<Value = History> {
    let person = (0_u32..4, prop::collection::vec(0_u32..4, 3));
    let more = prop::collection::vec((0_usize..3, 0_u32..3, 0_u32..4), 0..3);
    (prop::collection::vec(person, 1..n), more).prop_map(|(people, more)| {
        let of = |at: usize| {
            let empty = ReleasedClass { values: Vec::new(), n_counterfeits: 0 };
            let mut release = SeriesRelease { class_of: Vec::new(), classes: vec![empty; 3] };
            for (value, classes) in &people {
                let class = classes[at];
                release.class_of.push(if class == 3 { ABSENT } else { class });
                if class < 3 {
                    release.classes[class as usize].values.push(*value);
                }
            }
            for &(_, class, value) in more.iter().filter(|it| it.0 == at) {
                release.classes[class as usize].values.push(value);
                release.classes[class as usize].n_counterfeits += 1;
            }
            release.classes.iter_mut().for_each(|class| class.values.sort_unstable());
            release
        };
        History { n_values: 4, releases: (0..3).map(of).collect() }
    })
}

/// The highest belief by going through every world.
fn plain(history: &History) -> f64 {
    let n_people = u32::try_from(history.n_people()).unwrap();
    let known = Known { blocks: &Blocks::new(n_people), allows: &|_, _| true };
    let found = worlds::components(history, &known);
    let beliefs = found.iter().flat_map(|component| component.beliefs.as_ref().unwrap());
    beliefs.flatten().map(|&(_, belief)| belief).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_counted_is_what_all_worlds_say(history in histories(9)) {
        let found = highest_by_worlds(&history);
        prop_assert!(found.is_exact);
        prop_assert!((found.belief - plain(&history)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn no_world_is_believed_more_than_the_bound(history in histories(9)) {
        let bounds = components(&history).iter().map(Component::bound).collect::<Vec<_>>();
        let [exact, bound] = [0, 1].map(|at| bounds.iter().map(|it| it[at].value()).fold(0.0, f64::max));
        let plain = plain(&history);
        prop_assert!(exact <= plain + 1e-9, "{exact} is not exact: {plain}");
        prop_assert!(f64::max(exact, bound) >= plain - 1e-9, "{bound} is no bound: {plain}");
    }
}
