//! Tables of Abdalaal 2012, cuts by brute force, and what random histories show.

use std::collections::BTreeSet;

use kohort_core::{ABSENT, ReleasedClass};
use proptest::prelude::*;

use super::equivalences::Cuts;
use super::*;

/// A release of classes of people, with values, and with so many values that belong to nobody.
fn release(classes: &[(&[u32], &[u32])]) -> SeriesRelease {
    let n_people =
        classes.iter().flat_map(|(people, _)| *people).max().map_or(0, |&p| p as usize + 1);
    let mut release = SeriesRelease { class_of: vec![ABSENT; n_people], classes: Vec::new() };
    for (class, (people, values)) in (0..).zip(classes) {
        for &person in *people {
            release.class_of[person as usize] = class;
        }
        let n_counterfeits = u32::try_from(values.len() - people.len()).unwrap();
        release.classes.push(ReleasedClass { values: values.to_vec(), n_counterfeits });
    }
    release
}

const BOB: u32 = 0;
const KEN: u32 = 1;
const SAM: u32 = 2;
const JANE: u32 = 3;
const LINDA: u32 = 4;
const ALICE: u32 = 5;
const MANDY: u32 = 6;
const DAVID: u32 = 7;
const TOM: u32 = 8;
const CAROL: u32 = 9;
const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

#[test]
fn tables_33_and_35_show_ken_as_mandy_and_linda_as_david() {
    let table_33 =
        release(&[(&[BOB, KEN], &[A, B]), (&[SAM, JANE], &[A, B]), (&[LINDA, ALICE], &[A, C])]);
    let table_35 = release(&[
        (&[BOB, MANDY], &[A, B]),
        (&[SAM], &[A, B]),
        (&[ALICE, DAVID], &[A, C]),
        (&[TOM, CAROL], &[A, C]),
    ]);
    let history = History { n_values: 3, releases: vec![table_33.clone(), table_35.clone()] };
    assert_eq!(Equivalences::of(&history).blocks(), [[KEN, MANDY], [LINDA, DAVID]]);
    let only = History { n_values: 3, releases: vec![table_33] };
    assert!(super::super::MInvariance::new(2).unwrap().check(&only, &table_35).is_ok());
    assert!(EEquivalence::new(2, 2).unwrap().check(&only, &table_35).is_err());
}

#[test]
fn table_36_keeps_2_equivalence_with_one_bucket_per_signature() {
    let table_36_a =
        release(&[(&[BOB, KEN, SAM, JANE], &[A, A, B, B]), (&[LINDA, ALICE], &[A, A, C, C])]);
    // (b) as one bucket per signature: printed split, against the method.
    let table_36_b = release(&[
        (&[BOB, MANDY, SAM], &[A, A, B, B]),
        (&[ALICE, DAVID, TOM, CAROL], &[A, A, C, C]),
    ]);
    let model = EEquivalence::new(2, 2).unwrap();
    let mut history = History { n_values: 3, releases: vec![] };
    assert_eq!(model.check(&history, &table_36_a), Ok(()));
    history.releases.push(table_36_a);
    assert_eq!(model.check(&history, &table_36_b), Ok(()));
    history.releases.push(table_36_b);
    assert!(Equivalences::of(&history).blocks().is_empty());
}

#[test]
fn a_value_that_is_shown_more_often_than_another_is_refused() {
    let model = EEquivalence::new(2, 2).unwrap();
    let uneven = release(&[(&[0, 1, 2, 3], &[A, A, A, B])]);
    let broken = model.check(&History::default(), &uneven).unwrap_err();
    assert_eq!(broken.0, "1 class without 4 or more rows that show 2 or more values equally often");
}

/// Every D and D' by looking at all sets of classes, as rows of the pair.
fn plain_differences(pair: &Pair) -> Vec<(Vec<Who>, Vec<Who>)> {
    let mut found = Vec::new();
    for set in 0_u32..1 << pair.n_classes {
        let is_in = |vertex: u32| vertex < pair.n_classes && set >> vertex & 1 == 1;
        let (mut only_u, mut only_w) = (Vec::new(), Vec::new());
        for row in &pair.rows {
            let mut inside = row.ends.into_iter().filter(|&end| is_in(end));
            if let (Some(end), None) = (inside.next(), inside.next()) {
                let side = if end < pair.n_earlier { &mut only_u } else { &mut only_w };
                side.push(row.who);
            }
        }
        // As many rows in U as in W.
        if only_u.len() == only_w.len() && !only_u.is_empty() {
            found.push((only_u, only_w));
        }
    }
    found
}

/// Two releases of people of one signature {0, 1}: where each person is, if anywhere.
fn two_releases() -> impl Strategy<Value = [SeriesRelease; 2]> {
    let place = || prop::option::weighted(0.8, 0_u32..3);
    prop::collection::vec((place(), place()), 1..14).prop_map(|places| {
        let of = |place: &dyn Fn(usize) -> Option<u32>| {
            let class_of: Vec<u32> =
                (0..places.len()).map(|person| place(person).unwrap_or(ABSENT)).collect();
            let mut classes = Vec::new();
            let mut renamed = [ABSENT; 3];
            let mut numbered = Vec::new();
            for &class in &class_of {
                if class != ABSENT && renamed[class as usize] == ABSENT {
                    renamed[class as usize] = u32::try_from(classes.len()).unwrap();
                    let n = class_of.iter().filter(|&&other| other == class).count();
                    // Counterfeits make both values as frequent.
                    let each = n.div_ceil(2);
                    let values = [vec![0; each], vec![1; each]].concat();
                    let n_counterfeits = u32::try_from(2 * each - n).unwrap();
                    classes.push(ReleasedClass { values, n_counterfeits });
                }
                numbered.push(if class == ABSENT { ABSENT } else { renamed[class as usize] });
            }
            SeriesRelease { class_of: numbered, classes }
        };
        [of(&|person| places[person].0), of(&|person| places[person].1)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_passes_shows_no_small_difference(releases in two_releases(), e in 2_u32..4) {
        let [first, second] = releases;
        let model = EEquivalence::new(2, e).unwrap();
        let pair = Pair::new(&first, &second);
        let history = History { n_values: 2, releases: vec![first] };
        let is_first_fine = model.is_balanced(&history.releases[0]).is_ok();
        if is_first_fine && model.check(&history, &second).is_ok() {
            for (only_u, _) in plain_differences(&pair) {
                prop_assert!(only_u.len() >= e as usize, "{} rows", only_u.len());
            }
        }
    }

    #[test]
    fn single_differences_are_found_as_by_brute_force(releases in two_releases()) {
        let pair = Pair::new(&releases[0], &releases[1]);
        let plain: BTreeSet<(Who, Who)> = plain_differences(&pair)
            .into_iter()
            .filter(|(only_u, _)| only_u.len() == 1)
            .map(|(u, w)| (u[0].min(w[0]), u[0].max(w[0])))
            .collect();
        let who = |edge: u32| pair.rows[edge as usize].who;
        let found: BTreeSet<(Who, Who)> = (Cuts::new(&pair).equal().into_iter())
            .map(|(x, y)| (who(x).min(who(y)), who(x).max(who(y))))
            .collect();
        prop_assert!(found == plain, "{} found, {} there are", found.len(), plain.len());
    }
}
