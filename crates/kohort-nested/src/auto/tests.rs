//! Auto against the makers of Özalp 2017, and its steps by themselves.

use kohort_core::{Ctx, Forest};
use proptest::prelude::*;

use super::classes::Classes;
use super::dissolve::dissolve;
use super::exchange::Search;
use super::{near, sketch, start};
use crate::tests::{Asked, random, students};
use crate::{Cost, NestedCandidate, NestedProblem, TreeCosts, nested_algorithm};

fn asked(forest: Forest, k: u32, l: u32) -> Asked {
    let l = vec![l; forest.kinds().len()];
    Asked { forest, k, l, sensitive_weight: 0.0 }
}

fn made(id: &str, asked: &Asked) -> (NestedCandidate, Cost) {
    let problem = asked.problem();
    let candidate = nested_algorithm(id).unwrap().make(&Ctx::quiet(), &problem).unwrap();
    let cost = TreeCosts::new(&problem).of_candidate(&candidate);
    (candidate, cost)
}

// Fixed data: what was measured stays true.
#[test]
fn loses_less_than_ctoff_and_clustree_on_60_students() {
    for is_tall in [false, true] {
        for l in [2, 3] {
            let asked = asked(students(60, is_tall), 1, l);
            let (_, cost) = made("auto", &asked);
            for id in ["ctoff", "clustree"] {
                assert!(cost < made(id, &asked).1, "l = {l}, {id}");
            }
        }
    }
}

// Fixed data: what was measured stays true.
#[test]
fn loses_less_than_clustree_at_l_5_and_leaves_out_no_more_than_may_be() {
    let asked = Asked { sensitive_weight: 1.0, ..asked(students(100, false), 1, 5) };
    let of = |id: &str, may_leave_out: usize| {
        let problem = NestedProblem { may_leave_out, ..asked.problem() };
        let candidate = nested_algorithm(id).unwrap().make(&Ctx::quiet(), &problem).unwrap();
        let members: usize = candidate.classes.iter().map(|class| class.members.len()).sum();
        (TreeCosts::new(&problem).of_candidate(&candidate), 100 - members)
    };
    let ((cost, n_out), (of_fewer, fewer)) = (of("auto", 100), of("auto", 3));
    assert!(cost < of("clustree", 100).0);
    assert!(3 < n_out && fewer <= 3, "{n_out} {fewer}");
    assert!(cost < of_fewer, "to leave out {n_out} rather than {fewer} is worth it");
}

#[test]
fn loses_less_than_ctoff_where_k_alone_is_asked() {
    let asked = asked(students(60, false), 4, 1);
    let (candidate, cost) = made("auto", &asked);
    assert!(cost < made("ctoff", &asked).1);
    assert!(candidate.classes.iter().all(|class| 4 <= class.members.len()));
}

#[test]
fn whoever_is_left_over_joins_a_larger_class() {
    let (candidate, _) = made("auto", &asked(students(50, false), 4, 1));
    let sizes = candidate.classes.iter().map(|class| class.members.len());
    assert_eq!(sizes.clone().sum::<usize>(), 50);
    assert!(sizes.max() > Some(4));
}

#[test]
fn near_records_are_in_order_and_nobody_is_near_itself() {
    let asked = asked(students(60, false), 2, 1);
    let sketches = sketch::sketches(&asked.problem());
    for (record, near) in near::lists(&sketches, 2).iter().enumerate() {
        let distances = near
            .iter()
            .map(|&other| sketch::distance(&sketches[record], &sketches[other as usize]));
        assert!(distances.is_sorted());
        assert!(near.iter().all(|&other| other as usize != record));
    }
}

// Fixed data: what was measured stays true.
#[test]
fn most_near_records_are_found_without_comparing_all() {
    let sketches = sketch::sketches(&asked(students(1500, false), 2, 1).problem());
    let (all, some) = (near::among_all(&sketches, 16), near::among_some(&sketches, 16));
    let found = all
        .iter()
        .zip(&some)
        .map(|(all, some)| all.iter().filter(|&other| some.contains(other)).count());
    let share = 100 * found.sum::<usize>() / (16 * all.len());
    assert!(90 < share, "{share} %");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_step_after_the_start_worsens(asked in random(40)) {
        let problem = asked.problem();
        let (costs, size) = (TreeCosts::new(&problem), problem.smallest());
        prop_assume!(size <= problem.forest.n_records());
        let sketches = sketch::sketches(&problem);
        let near = near::lists(&sketches, size);
        let mut classes = Classes::new(&costs, &problem, size);
        start::fill(&Ctx::quiet(), &mut classes, &sketches, &near);
        let started = classes.cost();
        Search::new(&classes).improve(&Ctx::quiet(), &mut classes, &near, 1);
        let exchanged = classes.cost();
        prop_assert!(exchanged <= started);
        let is_dissolved = !dissolve(&mut classes, &near).is_empty();
        let dissolved = classes.cost();
        prop_assert_eq!(dissolved < exchanged, is_dissolved);
        prop_assert!(dissolved <= exchanged);
        let is_laid_again = !classes.lay_again().is_empty();
        prop_assert_eq!(classes.cost() < dissolved, is_laid_again);
        let lost = (0..).take(classes.n_records()).filter(|&record| classes.is_out(record));
        let lost: Cost = lost.map(|record| classes.of_lost(record)).sum();
        let told = classes.cost();
        let finished: Cost = classes.finish().iter().map(|class| costs.of_class(class)).sum();
        prop_assert_eq!(finished + lost, told);
    }
}
