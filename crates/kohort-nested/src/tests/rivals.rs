//! What the rivals publish, and why it is not enough.

use kohort_core::{Ctx, Forest, Ratio};
use kohort_models::nested::OccurrenceRule;

use super::{Asked, forest};
use crate::{NestedCandidate, NestedForm, NestedProblem, ONE, TreeCosts, nested_algorithm};

fn make(id: &str, asked: &Asked) -> NestedCandidate {
    nested_algorithm(id).unwrap().make(&Ctx::quiet(), &asked.problem()).unwrap()
}

/// The lowest and the highest value that the vertices of a group show in their first quasi-identifier,
/// for each vertex of a record.
fn shown(forest: &Forest, candidate: &NestedCandidate, record: u32) -> Vec<(String, String)> {
    let groups = &candidate.group_of_vertex;
    let class = candidate.classes.iter().find(|class| class.members == [record]).unwrap();
    let mut shown: Vec<(String, String)> = (class.vertices.iter())
        .map(|&vertex| {
            let group = groups[vertex as usize];
            let same = (0..).take(forest.n_vertices()).filter(|&v| groups[v as usize] == group);
            let codes: Vec<u32> = same.map(|v| forest.labels(v)[0]).collect();
            let attribute = &forest.kinds()[forest.kind(vertex)].quasi[0];
            let text = |code: Option<&u32>| {
                let rank = attribute.value_of_code()[*code.unwrap() as usize] as usize;
                match attribute.values() {
                    kohort_core::Values::Integer(values) => values[rank].to_string(),
                    _ => unreachable!("years and courses are numbers here"),
                }
            };
            (text(codes.iter().min()), text(codes.iter().max()))
        })
        .collect();
    shown.sort();
    shown
}

fn ranges(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given.iter().map(|&(lo, hi)| (lo.to_owned(), hi.to_owned())).collect()
}

const SCHEMA: &str = "student(born; gpa)[course(id; grade)]";

#[test]
fn figure_1_4_each_table_alone_bundles_the_courses_of_one_student() {
    let records = [
        "student(1992; 3.25)[course(201; A) course(202; A-)]",
        "student(1993; 2.67)[course(401; B) course(404; B+)]",
    ];
    let asked = Asked::diverse(forest(SCHEMA, &[], &records), 2);
    let candidate = make("each-table-alone", &asked);
    assert_eq!(candidate.form, NestedForm::Apart);
    let of = |record| shown(&asked.forest, &candidate, record);
    // The students show the same; whoever took a 200-series course is the first.
    assert_eq!(of(0), ranges(&[("1992", "1993"), ("201", "202"), ("201", "202")]));
    assert_eq!(of(1), ranges(&[("1992", "1993"), ("401", "404"), ("401", "404")]));
    // One year of two is all that is lost at the roots; of four courses, 1 and 3 of 203.
    let lost = TreeCosts::new(&asked.problem()).of_candidate(&candidate);
    assert_eq!(lost, 2 * ONE + 2 * units(1.0 / 203.0) + 2 * units(3.0 / 203.0));
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "far below 2^53")]
fn units(share: f64) -> i64 {
    (share * ONE as f64).round() as i64
}

#[test]
fn figure_1_6_the_universal_relation_shows_who_has_two_courses() {
    let records = [
        "student(1993; 2.17)[course(301; C+)]",
        "student(1995; 3.78)[course(305; A) course(306; A-)]",
        "student(1994; 2.96)[course(301; B)]",
    ];
    let asked = Asked::diverse(forest(SCHEMA, &[], &records), 2);
    let candidate = make("universal-relation", &asked);
    let of = |record| shown(&asked.forest, &candidate, record);
    let (born, course) = (("1993", "1995"), ("301", "306"));
    assert_eq!(of(0), ranges(&[born, course]));
    assert_eq!(of(1), ranges(&[born, course, course]));
    assert_eq!(of(2), ranges(&[born, course]));
}

#[test]
fn rivals_over_flat_tables_are_not_safe_and_the_others_are() {
    let is_safe = |id| nested_algorithm(id).unwrap().is_safe();
    assert!(!is_safe("each-table-alone") && !is_safe("universal-relation"));
    assert!(is_safe("dmiracle") && is_safe("tree-anatomy") && is_safe("vertex-anatomy"));
}

/// Two pairs of students who differ little, one after the other.
fn pairs_of_students() -> Asked {
    let records = [
        "student(1980; a)[course(101; A) course(102; B)]",
        "student(1999; b)[course(901; A)]",
        "student(1981; c)[course(101; C) course(102; D)]",
        "student(1998; d)[course(901; B) course(902; B)]",
    ];
    Asked::diverse(forest(SCHEMA, &[], &records), 2)
}

#[test]
fn dmiracle_joins_whoever_is_near_with_the_best_threshold() {
    let asked = pairs_of_students();
    let candidate = make("dmiracle", &asked);
    let mut members: Vec<Vec<u32>> = candidate.classes.iter().map(|c| c.members.clone()).collect();
    members.sort();
    assert_eq!(members, [[0, 2], [1, 3]]);
    // One of the four has a second course, which is lost.
    let kept: usize = candidate.classes.iter().map(|class| class.vertices.len()).sum();
    assert_eq!((kept, asked.forest.n_vertices()), (10, 11));
}

#[test]
fn dmiracle_says_that_it_keeps_no_rules() {
    let asked = pairs_of_students();
    let rules = [OccurrenceRule::new(vec![None, Some(0)], 1, Ratio::new(1, 2)).unwrap()];
    let problem = NestedProblem { rules: &rules, ..asked.problem() };
    let made = nested_algorithm("dmiracle").unwrap().make(&Ctx::quiet(), &problem);
    let crate::Failure::Infeasible { reason } = made.unwrap_err();
    assert_eq!(reason, "dMiRaCle keeps no rule about how often a value occurs: anatomy does");
}
