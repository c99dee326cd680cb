//! Verdicts about whose sensitive values are in anatomized releases, and about values that are missing.

use kohort_core::Role;
use kohort_verify::nested::{NestedOriginal, NestedReason, NestedRelease, verify};

use super::given::{BORN, COURSES, Schema, Spot, Vertex, students, vertex};
use super::verdict::{patients, two_students};

/// Four patients of two visits each, in two groups of two.
fn four_patients() -> Vec<Vertex> {
    let of =
        |root: &str, visits: [&str; 2]| vertex(0, root, &visits.map(|cells| vertex(1, cells, &[])));
    vec![
        of("30;O+", ["1;Alcohol", "2;Flu"]),
        of("40;AB-", ["5;AIDS", "6;Cold"]),
        of("50;A+", ["3;Gout", "4;Burn"]),
        of("60;B-", ["7;Acne", "8;Colic"]),
    ]
}

const GROUPS: [&str; 4] = ["1", "1", "2", "2"];

/// The reasons about a t-t anatomized release of trees whose values are those of other trees.
fn of_trees(
    people: &[Vertex],
    shown: &[Vertex],
    values: &[Vertex],
    certificate: Option<&[u32]>,
) -> Vec<NestedReason> {
    let (mut schema, mut quasi) = patients().project(shown, |_, role| role == Role::Quasi);
    let (mut of_values, mut sensitive) =
        patients().project(values, |_, role| role == Role::Sensitive);
    for (schema, trees) in [(&mut schema, &mut quasi), (&mut of_values, &mut sensitive)] {
        schema.0[0].columns.push(("group".into(), Role::Insensitive));
        for (tree, group) in trees.iter_mut().zip(GROUPS) {
            tree.cells.push(group.into());
        }
    }
    let (quasi, sensitive) = (schema.nested(&quasi), of_values.nested(&sensitive));
    let release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
    reasons(people, release, certificate)
}

/// The same about a v-v anatomized release whose places have the values of these in their stead.
fn of_lists(
    people: &[Vertex],
    shown: &[Vertex],
    stead: impl Fn(&'static str) -> &'static str,
    certificate: Option<&[u32]>,
) -> Vec<NestedReason> {
    const PLACES: [[&str; 3]; 2] = [["1", "2", "3"], ["4", "5", "6"]];
    let (mut schema, mut trees) = patients().project(shown, |_, role| role == Role::Quasi);
    schema.0[0].columns.push(("blood_group".into(), Role::Insensitive));
    schema.0[1].columns.push(("visits[].diagnosis_group".into(), Role::Insensitive));
    let mut rows = Vec::new();
    for (at, (tree, person)) in trees.iter_mut().zip(shown).enumerate() {
        let places = PLACES[at / 2];
        tree.cells.push(places[0].into());
        rows.push(format!("{};blood;{}", stead(places[0]), person.cells[1]));
        let visits = tree.below.iter_mut().zip(&person.below).zip(&places[1..]);
        for ((visit, own), place) in visits {
            visit.cells.push((*place).into());
            rows.push(format!("{};visits[].diagnosis;{}", stead(place), own.cells[1]));
        }
    }
    let columns = ["group", "attribute", "value"].map(|name| (name.into(), Role::Insensitive));
    let lists = Schema(vec![Spot { path: String::new(), above: 0, columns: columns.to_vec() }]);
    let rows: Vec<Vertex> = rows.iter().map(|row| vertex(0, row, &[])).collect();
    let (quasi, sensitive) = (schema.nested(&trees), lists.nested(&rows));
    let release = NestedRelease::VertexAnatomy { quasi: &quasi, sensitive: &sensitive };
    reasons(people, release, certificate)
}

fn reasons(
    people: &[Vertex],
    release: NestedRelease<'_>,
    certificate: Option<&[u32]>,
) -> Vec<NestedReason> {
    let original = patients().nested(people);
    let forest = patients().forest(&original, &[]);
    let against = NestedOriginal { nested: &original, forest: &forest, certificate };
    let verdict = verify(release, &patients().claims(1, 2), Some(against)).unwrap();
    {
        let reasons = verdict.err().map_or(Vec::new(), |rejected| rejected.reasons().to_vec());
        let is_cut = |reason: &NestedReason| matches!(reason, NestedReason::Cut { .. });
        reasons.into_iter().filter(|reason| !is_cut(reason)).collect::<Vec<_>>()
    }
}

const CERTIFICATES: [Option<&[u32]>; 2] = [None, Some(&[0, 1, 2, 3])];

fn values(values: u64) -> [NestedReason; 1] {
    [NestedReason::Values { values }]
}

#[test]
fn trees_of_values_of_another_group_are_found() {
    let people = four_patients();
    for certificate in CERTIFICATES {
        let mut own = people.clone();
        own.swap(0, 1);
        assert_eq!(of_trees(&people, &people, &own, certificate), []);
        let mut other = people.clone();
        other.swap(0, 2);
        assert_eq!(of_trees(&people, &people, &other, certificate), values(2));
    }
}

#[test]
fn values_of_what_was_cut_off_are_found() {
    let people = four_patients();
    let cut = |at: usize| {
        let mut trees = people.clone();
        for tree in &mut trees {
            tree.below.remove(at);
        }
        trees
    };
    for certificate in CERTIFICATES {
        assert_eq!(of_trees(&people, &cut(0), &cut(0), certificate), []);
        assert_eq!(of_trees(&people, &cut(0), &cut(1), certificate), values(4));
    }
}

#[test]
fn lists_of_other_people_or_other_places_are_found() {
    let people = four_patients();
    let swapped = |a: &'static str, b: &'static str| {
        move |place: &'static str| match place {
            _ if place == a => b,
            _ if place == b => a,
            _ => place,
        }
    };
    for certificate in CERTIFICATES {
        assert_eq!(of_lists(&people, &people, |place| place, certificate), []);
        assert_eq!(of_lists(&people, &people, swapped("2", "5"), certificate), values(4));
        assert_eq!(of_lists(&people, &people, swapped("2", "3"), certificate), values(4));
    }
}

#[test]
fn people_who_look_alike_may_have_each_other_s_values() {
    let mut people = four_patients();
    people[2].cells[0] = "30".into();
    for (visit, year) in people[2].below.iter_mut().zip(["1", "2"]) {
        visit.cells[0] = year.into();
    }
    let mut other = people.clone();
    other.swap(0, 2);
    assert_eq!(of_trees(&people, &people, &other, None), []);
    assert_eq!(of_trees(&people, &people, &other, CERTIFICATES[1]), values(2));
    // The values of one of them twice are too many.
    other[2] = other[0].clone();
    assert_eq!(of_trees(&people, &people, &other, None), values(1));
    let lists = |certificate| of_lists(&people, &other, |place| place, certificate);
    assert_eq!(lists(None), values(3));
    // Nor may they have those of somebody who looks different.
    let mut other = people.clone();
    other.swap(0, 3);
    assert_eq!(of_trees(&people, &people, &other, None), values(2));
}

#[test]
fn a_value_that_is_said_to_be_missing_is_not_one_that_is_there() {
    let judge = |original: &[Vertex], released: &[Vertex], certificate| {
        let schema = students();
        let nested = schema.nested(original);
        let forest = schema.forest(&nested, &[("courses[].course", COURSES), ("born", BORN)]);
        let against = NestedOriginal { nested: &nested, forest: &forest, certificate };
        let released = schema.nested(released);
        let release = NestedRelease::Generalized(&released);
        let verdict = verify(release, &schema.claims(2, 2), Some(against)).unwrap();
        {
            let reasons = verdict.err().map_or(Vec::new(), |rejected| rejected.reasons().to_vec());
            let is_cut = |reason: &NestedReason| matches!(reason, NestedReason::Cut { .. });
            reasons.into_iter().filter(|reason| !is_cut(reason)).collect::<Vec<_>>()
        }
    };
    let with_major = |trees: &[Vertex], majors: [&str; 2]| {
        let mut trees = trees.to_vec();
        for (tree, major) in trees.iter_mut().zip(majors) {
            tree.cells[0] = major.into();
        }
        trees
    };
    let [original, released] = two_students();
    let others = [["CS", "CS"], ["", ""], ["", "CS"]].map(|majors| with_major(&original, majors));
    let lies = |records| vec![NestedReason::Untruthful { records }];
    for certificate in [None, Some(&[0, 1][..])] {
        let check = |original: &[Vertex], major: &str, expected: Vec<NestedReason>| {
            let released = with_major(&released, [major, major]);
            assert_eq!(judge(original, &released, certificate), expected, "{major}");
        };
        check(&others[0], "*", vec![]);
        check(&others[0], "", lies(2));
        check(&others[1], "", vec![]);
        check(&others[1], "CS", lies(2));
        check(&others[2], "*", vec![]);
        check(&others[2], "", lies(1));
    }
}
