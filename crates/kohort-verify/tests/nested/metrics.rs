//! Metrics of nested releases, measured from what is read back.

use kohort_models::nested::{NESTED_METRICS, NestedMeasured};
use kohort_models::{Score, Undefined};
use kohort_verify::nested::{NestedOriginal, NestedRelease, measured, truth};
use proptest::prelude::*;

use super::given::{BORN, COURSES, Schema, Vertex, students};
use super::laws::{Draws, given, tree};
use super::verdict::{patients, tree_anatomy, two_patients, two_students, vertex_anatomy};

fn measure(
    schema: &Schema,
    original: &[Vertex],
    release: NestedRelease<'_>,
    taxonomies: &[(&str, &[&str])],
    id: &str,
) -> Result<Score, Undefined> {
    let nested = schema.nested(original);
    let forest = schema.forest(&nested, taxonomies);
    let claims = schema.claims(2, 2);
    let against = NestedOriginal { nested: &nested, forest: &forest, certificate: None };
    let (trees, values) = measured(release, &claims, against).unwrap();
    let found = truth(release, &claims, against).unwrap();
    let metric = NESTED_METRICS.iter().find(|metric| metric.id == id).unwrap();
    (metric.measure)(&NestedMeasured {
        original: &forest,
        trees: &trees,
        values: &values,
        originals: found.originals(),
    })
}

#[track_caller]
fn check(found: Result<Score, Undefined>, expected: f64) {
    let value = found.unwrap().value;
    assert!((value - expected).abs() < 1e-9, "{value} and not {expected}");
}

#[test]
fn two_students_lose_what_their_labels_and_pruned_parts_lose() {
    let [original, released] = two_students();
    let released = students().nested(&released);
    let release = NestedRelease::Generalized(&released);
    let taxonomies: &[(&str, &[&str])] = &[("courses[].course", COURSES), ("born", BORN)];
    let lm = |id| measure(&students(), &original, release, taxonomies, id);
    // Ten labels: two of each person, five courses, a book. 199* has 4 of 5 leaves, CS3** 4 of 9; a course and
    // the book are pruned.
    let years = 2.0 * 3.0 / 4.0;
    let courses = 4.0 * 3.0 / 8.0;
    check(lm("lm"), (years + courses + 2.0) / 10.0);
    check(lm("suppression-accuracy"), 100.0 * f64::midpoint(3.0 / 4.0, 3.0 / 4.0));
}

#[test]
fn figures_3_1_to_3_4_four_fifths_are_left() {
    let (quasi_schema, [quasi, sensitive], schema) = tree_anatomy();
    let (quasi, sensitive) = (quasi_schema.nested(&quasi), schema.nested(&sensitive));
    let tree_release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
    let (schema, trees, list_schema, rows) = vertex_anatomy();
    let (quasi, sensitive) = (schema.nested(&trees), list_schema.nested(&rows));
    let vertex_release = NestedRelease::VertexAnatomy { quasi: &quasi, sensitive: &sensitive };
    for release in [tree_release, vertex_release] {
        let of = |id| measure(&patients(), &two_patients(), release, &[], id);
        check(of("suppression-accuracy"), 80.0);
        // Two of ten labels are pruned, the others are exact.
        check(of("lm"), 0.2);
        // Blood groups are as they were; of eight diagnoses Flu and Broken are gone once each.
        let [two, one] = [(2.0 / 6.0, 2.0 / 8.0), (1.0 / 6.0, 1.0 / 8.0)]
            .map(|(p, q): (f64, f64)| p * (p / q).ln());
        let flu = 1.0 / 6.0 * (1.0_f64 / 6.0 / (2.0 / 8.0)).ln();
        check(of("kl"), f64::midpoint(0.0, two + 3.0 * one + flu));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_unchanged_release_loses_nothing((schema, draws) in given(), n in 1_usize..7) {
        let mut draws = Draws(draws.iter().cycle());
        let trees: Vec<Vertex> = (0..n).map(|_| tree(&schema, 0, &mut draws)).collect();
        let released = schema.nested(&trees);
        let release = NestedRelease::Generalized(&released);
        let of = |id| measure(&schema, &trees, release, &[], id);
        prop_assert!(of("lm").unwrap().value.abs() < 1e-12);
        prop_assert!((of("suppression-accuracy").unwrap().value - 100.0).abs() < 1e-9);
        prop_assert!((of("query-accuracy").unwrap().value - 100.0).abs() < 1e-9);
        prop_assert!(of("kl").is_err() || of("kl").unwrap().value < 1e-12);
    }
}
