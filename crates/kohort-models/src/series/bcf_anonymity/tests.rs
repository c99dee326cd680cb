//! Tables 31 and 32 of Abdalaal 2012, and correspondences by brute force.

use kohort_core::{ABSENT, ReleasedClass, SeriesRelease};
use proptest::prelude::*;

use super::super::ClassBox;
use super::*;

fn release(class_of: Vec<u32>, classes: &[&[u32]]) -> SeriesRelease {
    let class = |values: &&[u32]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    SeriesRelease { class_of, classes: classes.iter().map(class).collect() }
}

fn boxed(lo: [u32; 2], hi: [u32; 2]) -> ClassBox {
    ClassBox { lo: lo.to_vec(), hi: hi.to_vec() }
}

/// Tables 31 and 32: ages [20-40] and 35 as codes 0, 1, 2 with 35 in the middle; women 0, men 1. The
/// victims are women and men who are in one or both.
fn levels(class_of_1: Vec<u32>, class_of_2: Vec<u32>) -> BcfLevels {
    let table_31 = release(class_of_1, &[&[0, 0, 1]]);
    let table_32 = release(class_of_2, &[&[0, 1, 1], &[0, 0, 1]]);
    let boxes_31 = [boxed([1, 0], [1, 1])];
    let boxes_32 = [boxed([0, 0], [2, 0]), boxed([0, 1], [2, 1])];
    let earlier = Shown { release: &table_31, boxes: &boxes_31 };
    BcfLevels::of(earlier, Shown { release: &table_32, boxes: &boxes_32 })
}

#[test]
fn tables_31_and_32_are_bcf_2_anonymous() {
    let [f, c, b] = [|l: BcfLevels| l.f, |l: BcfLevels| l.c, |l: BcfLevels| l.b];
    // (35*, F), and (35*, M).
    let (woman, man) = (levels(vec![0], vec![0]), levels(vec![0], vec![1]));
    assert_eq!([f(woman), c(woman), b(woman)], [Some(2), Some(2), None]);
    assert_eq!([f(man), c(man), b(man)], [Some(3), Some(3), None]);
    assert_eq!(b(levels(vec![], vec![1])), Some(2));
    assert_eq!(b(levels(vec![], vec![0])), Some(3));
    // Three of each in R2; of R1 one is a woman and two are men.
    let all = levels(vec![0, 0, 0], vec![0, 1, 1, 0, 0, 1]);
    assert_eq!(all, BcfLevels { f: Some(2), c: Some(2), b: Some(2) });
}

#[test]
fn a_series_that_somebody_leaves_is_refused() {
    let first = release(vec![0, 0], &[&[0, 1]]);
    let second = release(vec![0, ABSENT, 0], &[&[0, 1]]);
    let boxes = [boxed([0, 0], [0, 0])];
    let earlier = [Shown { release: &first, boxes: &boxes }];
    let next = Shown { release: &second, boxes: &boxes };
    let broken = BcfAnonymity::new(2).unwrap().check(&earlier, next).unwrap_err();
    assert_eq!(broken.0, "1 person is in an earlier release and not in this one");
}

// A region is all that is known of people. Those with the first value moved from the first region to the
// second, and by the boxes more rows of that value should be in the first than it shows.
#[test]
fn of_a_class_no_more_rows_are_old_than_it_shows() {
    let region: &[u32] = &[0, 0, 0, 0, 0, 1, 2, 2];
    let first = release([[0; 8], [1; 8]].concat(), &[region, region]);
    let moved = [1, 1, 1, 1, 1, 0, 0, 0];
    let newcomers: &[u32] = &[0, 1, 1];
    let second = release(
        [&moved[..], &[1; 8], newcomers].concat(),
        &[&[0, 1, 2, 2], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2]],
    );
    let boxes = [0, 1].map(|at| ClassBox { lo: vec![at], hi: vec![at] });
    let earlier = Shown { release: &first, boxes: &boxes };
    let next = Shown { release: &second, boxes: &boxes };
    assert_eq!(BcfLevels::of(earlier, next).b, Some(0));
    assert!(BcfAnonymity::new(2).unwrap().check(&[earlier], next).is_err());
}

// One might think that all three can only fall. Here one class of all six leaves 4 of them; cut after the
// first code, the rows of R1 could both have become the one row of the other class by the formula, which
// looks at one class at a time: 5 are left.
#[test]
fn backward_may_leave_more_in_a_finer_release() {
    let people = [(0, 0), (4, 0), (0, 0), (0, 0), (0, 0), (0, 0)];
    let (first, first_boxes) = on_a_line(&people[..2], &[false, false, false, true, false]);
    let level = |is_cut: bool| {
        let (second, boxes) = on_a_line(&people, &[is_cut, false, false, false, false]);
        let earlier = Shown { release: &first, boxes: &first_boxes };
        BcfLevels::of(earlier, Shown { release: &second, boxes: &boxes }).b
    };
    assert_eq!([level(false), level(true)], [Some(4), Some(5)]);
}

/// The most rows of `from` that have a row of their own, of the same value, in `to`.
fn most_pairs(from: &[u32], to: &[u32]) -> u64 {
    let Some((&value, rest)) = from.split_first() else { return 0 };
    let mut most = most_pairs(rest, to);
    if let Some(at) = to.iter().position(|&other| other == value) {
        let mut left = to.to_vec();
        left.remove(at);
        most = most.max(1 + most_pairs(rest, &left));
    }
    most
}

/// The fewest rows of `inside` that are among the rows which `old` rows became, each one of the same value
/// inside or `outside`.
fn fewest_taken(old: &[u32], inside: &[u32], outside: &[u32]) -> u64 {
    let Some((&value, rest)) = old.split_first() else { return 0 };
    let without = |rows: &[u32]| {
        let at = rows.iter().position(|&other| other == value)?;
        let mut left = rows.to_vec();
        left.remove(at);
        Some(left)
    };
    let taken_inside = without(inside).map(|left| 1 + fewest_taken(rest, &left, outside));
    let taken_outside = without(outside).map(|left| fewest_taken(rest, inside, &left));
    taken_inside.into_iter().chain(taken_outside).min().expect("everybody is still there")
}

/// A release over a line of codes that is cut after some of them.
fn on_a_line(people: &[(u32, u32)], cuts: &[bool]) -> (SeriesRelease, Vec<ClassBox>) {
    let mut edges = vec![0];
    edges.extend((1..).zip(cuts).filter(|(_, is_cut)| **is_cut).map(|(code, _)| code));
    let class = |code: u32| edges.partition_point(|&edge| edge <= code) - 1;
    let boxes = edges.iter().enumerate().map(|(at, &lo)| {
        let hi = edges.get(at + 1).map_or(9, |next| next - 1);
        ClassBox { lo: vec![lo], hi: vec![hi] }
    });
    let mut classes = vec![ReleasedClass { values: vec![], n_counterfeits: 0 }; edges.len()];
    for &(code, value) in people {
        classes[class(code)].values.push(value);
    }
    for class in &mut classes {
        class.values.sort_unstable();
    }
    let class_of = people.iter().map(|&(code, _)| u32::try_from(class(code)).unwrap()).collect();
    (SeriesRelease { class_of, classes }, boxes.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_left_is_what_brute_force_leaves(
        people in prop::collection::vec((0_u32..6, 0_u32..3), 1..9),
        n_first in 0_usize..6,
        first_cuts in prop::collection::vec(any::<bool>(), 5),
        second_cuts in prop::collection::vec(any::<bool>(), 5),
    ) {
        let n_first = n_first.min(people.len());
        let (first, first_boxes) = on_a_line(&people[..n_first], &first_cuts);
        let (second, second_boxes) = on_a_line(&people, &second_cuts);
        let levels = BcfLevels::of(
            Shown { release: &first, boxes: &first_boxes },
            Shown { release: &second, boxes: &second_boxes },
        );
        let values = |release: &SeriesRelease, class: usize| release.classes[class].values.clone();
        let pair = |person: usize| {
            let (g1, g2) = (first.class_of[person] as usize, second.class_of[person] as usize);
            most_pairs(&values(&first, g1), &values(&second, g2))
        };
        prop_assert_eq!(levels.f, (0..n_first).map(pair).min());
        prop_assert_eq!(levels.c, (0..n_first).map(pair).min());
        let back = |person: usize| {
            let g2 = second.class_of[person] as usize;
            let near = |at: &ClassBox, boxes: &[ClassBox]| -> Vec<usize> {
                (0..boxes.len()).filter(|&other| boxes[other].meets(at)).collect()
            };
            let of_first = near(&second_boxes[g2], &first_boxes);
            let is_outside = |other: usize| {
                other != g2 && of_first.iter().any(|&g1| second_boxes[other].meets(&first_boxes[g1]))
            };
            let all = |release: &SeriesRelease, classes: &[usize]| -> Vec<u32> {
                classes.iter().flat_map(|&class| values(release, class)).collect()
            };
            let outside: Vec<usize> = (0..second_boxes.len()).filter(|&o| is_outside(o)).collect();
            let inside = values(&second, g2);
            let taken = fewest_taken(&all(&first, &of_first), &inside, &all(&second, &outside));
            inside.len() as u64 - taken
        };
        prop_assert_eq!(levels.b, (n_first..people.len()).map(back).min());
    }

    #[test]
    fn forward_and_cross_leave_no_more_in_a_finer_release(
        people in prop::collection::vec((0_u32..6, 0_u32..3), 1..9),
        n_first in 0_usize..6,
        first_cuts in prop::collection::vec(any::<bool>(), 5),
        second_cuts in prop::collection::vec(any::<bool>(), 5),
        at in 0_usize..5,
    ) {
        let (first, first_boxes) = on_a_line(&people[..n_first.min(people.len())], &first_cuts);
        let of = |cuts: &[bool]| {
            let (release, boxes) = on_a_line(&people, cuts);
            BcfLevels::of(
                Shown { release: &first, boxes: &first_boxes },
                Shown { release: &release, boxes: &boxes },
            )
        };
        let coarse = of(&second_cuts);
        let mut finer = second_cuts.clone();
        finer[at] = true;
        let fine = of(&finer);
        prop_assert!(fine.f <= coarse.f && fine.c <= coarse.c);
    }
}
