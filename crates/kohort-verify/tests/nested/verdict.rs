//! Verdicts about hand-made nested releases.

use kohort_core::{Empty, Layout, Nested, Ratio, Role};
use kohort_verify::nested::{
    NestedClaims, NestedOriginal, NestedReason, NestedRejected, NestedRelease, NestedRule,
    NestedVerified, verify,
};

use super::given::{BORN, COURSES, Schema, Spot, Vertex, students, vertex};

/// Why a release is rejected, beside what is missing in it: that of two students must be all alike.
fn reasons(verdict: Result<NestedVerified, NestedRejected>) -> Vec<NestedReason> {
    let reasons = verdict.err().map_or(Vec::new(), |rejected| rejected.reasons().to_vec());
    reasons.into_iter().filter(|reason| !matches!(reason, NestedReason::Cut { .. })).collect()
}

/// Two students in a class of 2: the original and the release.
pub(crate) fn two_students() -> [Vec<Vertex>; 2] {
    let original = vec![
        vertex(
            0,
            "CS;1994;3.2",
            &[vertex(1, "CS301;A", &[]), vertex(1, "CS305;B", &[vertex(2, "b1", &[])])],
        ),
        vertex(
            0,
            "CS;1995;2.5",
            &[vertex(1, "CS303;C", &[]), vertex(1, "CS202;B", &[]), vertex(1, "CS306;D", &[])],
        ),
    ];
    let released = vec![
        vertex(0, "CS;199*;3.2", &[vertex(1, "CS3**;A", &[]), vertex(1, "CS3**;B", &[])]),
        vertex(0, "CS;199*;2.5", &[vertex(1, "CS3**;D", &[]), vertex(1, "CS3**;C", &[])]),
    ];
    [original, released]
}

fn judge(
    schema: &Schema,
    original: &[Vertex],
    released: &[Vertex],
    claims: &NestedClaims,
    certificate: Option<&[u32]>,
) -> Result<NestedVerified, NestedRejected> {
    let nested = schema.nested(original);
    let forest = schema.forest(&nested, &[("courses[].course", COURSES), ("born", BORN)]);
    let against = NestedOriginal { nested: &nested, forest: &forest, certificate };
    let released = schema.nested(released);
    verify(NestedRelease::Generalized(&released), claims, Some(against)).unwrap()
}

#[test]
pub(crate) fn two_students_are_a_class_of_two() {
    let [original, released] = two_students();
    let (schema, claims) = (students(), students().claims(2, 2));
    for certificate in [None, Some(&[0, 1][..])] {
        let verdict = judge(&schema, &original, &released, &claims, certificate);
        let findings =
            verdict.as_ref().map_or_else(NestedRejected::findings, NestedVerified::findings);
        // One course was cut, and it has one grade.
        let cut: Vec<(&str, u64)> =
            findings.cut.iter().map(|cut| (&*cut.path, cut.values)).collect();
        assert_eq!(cut, [("courses[].grade", 1)]);
        assert_eq!((findings.records_in, findings.records_out), (Some(2), 2));
        assert_eq!((findings.vertices_in, findings.vertices_out), (Some(8), 6));
        assert_eq!((findings.k(), findings.l()), (Some(2), Some(Ratio::whole(2))));
        assert_eq!(findings.truth.as_ref().unwrap().originals(), [Some(0), Some(1)]);
    }
}

#[test]
fn siblings_that_nobody_tells_apart_are_counted_together() {
    // CS3** twice in each tree: A, B and D, B. B is half of four values, and l is 2.
    let [original, mut released] = two_students();
    released[1].below[1].cells[1] = "B".into();
    let released = students().nested(&released);
    let verdict = verify(NestedRelease::Generalized(&released), &students().claims(2, 2), None);
    let findings = verdict.unwrap().unwrap();
    let grades = &findings.findings().sensitive[1];
    assert_eq!((grades.l, grades.n_orbits, grades.n_values), (Some(Ratio::whole(2)), 1, 4));
    // One person alone with two values is no class of 2, whatever the shares.
    let alone = students().nested(&original[..1]);
    let verdict = verify(NestedRelease::Generalized(&alone), &students().claims(1, 2), None);
    assert_eq!(reasons(verdict.unwrap()).len(), 2);
}

#[test]
fn what_is_not_there_in_the_original_is_found() {
    let [original, released] = two_students();
    let (schema, claims) = (students(), students().claims(2, 2));
    let check = |change: &dyn Fn(&mut Vec<Vertex>), expected: &[NestedReason]| {
        let mut changed = released.clone();
        change(&mut changed);
        for certificate in [None, Some(&[0, 1][..])] {
            let verdict = judge(&schema, &original, &changed, &claims, certificate);
            assert_eq!(reasons(verdict), expected);
        }
    };
    check(&|_| {}, &[]);
    let lies = |records| NestedReason::Untruthful { records };
    // A grade that the other student has.
    check(&|trees| trees[0].below[0].cells[1] = "D".into(), &[lies(1)]);
    // A label that covers no course of the student, in both trees so that they stay a class.
    let moved = |trees: &mut Vec<Vertex>| {
        for tree in trees {
            tree.below[0].cells[0] = "CS4**".into();
        }
    };
    check(&moved, &[lies(2)]);
    // Vertices that are not there.
    let added = |trees: &mut Vec<Vertex>| {
        for (tree, title) in trees.iter_mut().zip(["b1", "b1"]) {
            tree.below[0].below.push(vertex(2, title, &[]));
        }
    };
    check(&added, &[lies(2)]);
    let twice = |trees: &mut Vec<Vertex>| trees.push(trees[0].clone());
    let gpa = NestedReason::Diversity { path: "gpa".into(), l: Ratio::new(3, 2), expected: 2 };
    check(&twice, &[gpa, lies(1)]);
}

#[test]
fn a_certificate_that_swaps_people_is_refused() {
    let [original, released] = two_students();
    let verdict = judge(&students(), &original, &released, &students().claims(2, 2), Some(&[1, 0]));
    assert_eq!(reasons(verdict), [NestedReason::Untruthful { records: 2 }]);
    let verdict = judge(&students(), &original, &released, &students().claims(2, 2), Some(&[0, 0]));
    assert_eq!(reasons(verdict), [NestedReason::Untruthful { records: 1 }]);
}

#[test]
fn absent_members_and_paths_without_a_role_are_seen() {
    let [_, mut released] = two_students();
    released[0].cells[0] = String::new();
    let seen = students().nested(&released);
    let verdict =
        verify(NestedRelease::Generalized(&seen), &students().claims(2, 1), None).unwrap();
    assert_eq!(reasons(verdict), [NestedReason::Size { k: 1, expected: 2 }]);
    let mut claims = students().claims(2, 1);
    claims.roles.retain(|entry| entry.path != "gpa");
    claims.l.clear();
    claims.roles[0].role = Role::Identifier;
    let verdict = verify(NestedRelease::Generalized(&seen), &claims, None).unwrap();
    assert_eq!(
        reasons(verdict),
        [
            NestedReason::Path { path: "major".into(), role: Some(Role::Identifier) },
            NestedReason::Path { path: "gpa".into(), role: None },
        ]
    );
}

#[test]
fn an_array_without_items_is_told_from_none() {
    let people = ["CS;1992;3.0", "CS;1992;2.0"].map(|cells| vertex(0, cells, &[]));
    let plain = students().nested(&people);
    let mut branches = plain.branches().to_vec();
    branches[1] = branches[1].clone().with_empty(vec![(1, Empty::Array)]);
    let marked = Nested::new("people.json".into(), branches);
    let judge = |trees: &Nested| {
        reasons(verify(NestedRelease::Generalized(trees), &students().claims(2, 2), None).unwrap())
    };
    assert_eq!(judge(&plain), []);
    assert_eq!(judge(&marked)[0], NestedReason::Size { k: 1, expected: 2 });
}

#[test]
fn a_plan_without_a_promise_is_refused() {
    let [_, released] = two_students();
    let seen = students().nested(&released);
    assert!(verify(NestedRelease::Generalized(&seen), &students().claims(1, 1), None).is_err());
    let mut claims = students().claims(2, 2);
    claims.l.push(("born".into(), 2));
    assert!(verify(NestedRelease::Generalized(&seen), &claims, None).is_err());
}

/// Patients with a blood group and what they had, after figures 3.1 to 3.4 of Özalp 2017.
pub(crate) fn patients() -> Schema {
    let column = |path: &str, role| (path.to_owned(), role);
    let spot = |path: &str, columns: &[(String, Role)]| Spot {
        path: path.into(),
        above: 0,
        columns: columns.to_vec(),
    };
    Schema(vec![
        spot("", &[column("age", Role::Quasi), column("blood", Role::Sensitive)]),
        spot(
            "visits[]",
            &[column("visits[].year", Role::Quasi), column("visits[].diagnosis", Role::Sensitive)],
        ),
    ])
}

pub(crate) fn two_patients() -> Vec<Vertex> {
    let visits = |of: [(&str, &str); 4]| -> Vec<Vertex> {
        of.iter().map(|(year, diagnosis)| vertex(1, &format!("{year};{diagnosis}"), &[])).collect()
    };
    vec![
        vertex(
            0,
            "30;O+",
            &visits([("1", "Alcohol"), ("2", "Alcohol"), ("3", "Diarrhoea"), ("4", "Flu")]),
        ),
        vertex(0, "40;AB-", &visits([("5", "AIDS"), ("6", "Flu"), ("7", "Cold"), ("8", "Broken")])),
    ]
}

pub(crate) fn rule(value: &str, at_least: u32, num: u64, den: u64) -> NestedRule {
    NestedRule { attribute: None, value: value.into(), at_least, probability: Ratio::new(num, den) }
}

/// Both files of a t-t anatomized release of one group, without the last visit of each.
pub(crate) fn tree_anatomy() -> (Schema, [Vec<Vertex>; 2], Schema) {
    let mut trees = two_patients();
    for tree in &mut trees {
        tree.below.pop();
    }
    let (mut quasi_schema, mut quasi) = patients().project(&trees, |_, role| role == Role::Quasi);
    let (mut schema, mut sensitive) = patients().project(&trees, |_, role| role == Role::Sensitive);
    sensitive.reverse();
    for (schema, trees) in [(&mut quasi_schema, &mut quasi), (&mut schema, &mut sensitive)] {
        schema.0[0].columns.push(("group".into(), Role::Insensitive));
        for tree in trees {
            tree.cells.push("7".into());
        }
    }
    (quasi_schema, [quasi, sensitive], schema)
}

#[test]
fn figures_3_1_to_3_4_tree_anatomy() {
    let (quasi_schema, [quasi, sensitive], schema) = tree_anatomy();
    let original = patients().nested(&two_patients());
    let forest = patients().forest(&original, &[]);
    let check = |sensitive: &[Vertex], rules: Vec<NestedRule>, certificate: Option<&[u32]>| {
        let claims = NestedClaims { rules, ..patients().claims(1, 2) };
        let (quasi, sensitive) = (quasi_schema.nested(&quasi), schema.nested(sensitive));
        let release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
        let against = NestedOriginal { nested: &original, forest: &forest, certificate };
        verify(release, &claims, Some(against)).unwrap()
    };
    for certificate in [None, Some(&[0, 1][..])] {
        let rules = || vec![rule("AIDS", 1, 1, 2), rule("Alcohol", 2, 1, 2), rule("Flu", 1, 1, 2)];
        let verdict = check(&sensitive, rules(), certificate);
        let findings =
            verdict.as_ref().map_or_else(NestedRejected::findings, NestedVerified::findings);
        let reached: Vec<Ratio> = findings.rules.iter().map(|rule| rule.reached).collect();
        assert_eq!(reached, [Ratio::new(1, 2); 3]);
        // Alcohol is two of six visits that nobody tells apart, in a group of two.
        assert_eq!(findings.sensitive[1].l, Some(Ratio::whole(2)));
        assert_eq!(reasons(verdict), []);
        // A third of p forbids every tree.
        let verdict = check(&sensitive, vec![rule("AIDS", 1, 33, 100)], certificate);
        assert!(matches!(reasons(verdict)[..], [NestedReason::Rule { index: 0, .. }]));
        let mut other = sensitive.clone();
        other[0].below[1].cells[0] = "Cancer".into();
        let verdict = check(&other, rules(), certificate);
        assert_eq!(reasons(verdict), [NestedReason::Values { values: 1 }]);
        let mut smaller = sensitive.clone();
        smaller[0].below.pop();
        let verdict = check(&smaller, rules(), certificate);
        assert!(reasons(verdict).contains(&NestedReason::Groups { broken: 1 }));
    }
}

/// Both files of the v-v anatomized release of the same group.
pub(crate) fn vertex_anatomy() -> (Schema, Vec<Vertex>, Schema, Vec<Vertex>) {
    let (mut schema, mut trees) =
        patients().project(&two_patients(), |_, role| role == Role::Quasi);
    schema.0[0].columns.push(("blood_group".into(), Role::Insensitive));
    schema.0[1].columns.push(("visits[].diagnosis_group".into(), Role::Insensitive));
    for tree in &mut trees {
        tree.below.pop();
        tree.cells.push("1".into());
        for (visit, group) in tree.below.iter_mut().zip(["2", "3", "4"]) {
            visit.cells.push(group.into());
        }
    }
    let column = |name: &str| (name.to_owned(), Role::Insensitive);
    let columns = ["group", "attribute", "value"].map(column).to_vec();
    let lists = Schema(vec![Spot { path: String::new(), above: 0, columns }]);
    let rows = [
        "4;visits[].diagnosis;Cold",
        "1;blood;O+",
        "1;blood;AB-",
        "2;visits[].diagnosis;AIDS",
        "2;visits[].diagnosis;Alcohol",
        "3;visits[].diagnosis;Flu",
        "3;visits[].diagnosis;Alcohol",
        "4;visits[].diagnosis;Diarrhoea",
    ];
    (schema, trees, lists, rows.iter().map(|row| vertex(0, row, &[])).collect())
}

#[test]
fn figures_3_1_to_3_4_vertex_anatomy() {
    let (schema, trees, list_schema, rows) = vertex_anatomy();
    let original = patients().nested(&two_patients());
    let forest = patients().forest(&original, &[]);
    let check =
        |trees: &[Vertex], rows: &[Vertex], rules: Vec<NestedRule>, certificate: Option<&[u32]>| {
            let claims = NestedClaims { rules, ..patients().claims(1, 2) };
            let (quasi, sensitive) = (schema.nested(trees), list_schema.nested(rows));
            let release = NestedRelease::VertexAnatomy { quasi: &quasi, sensitive: &sensitive };
            let against = NestedOriginal { nested: &original, forest: &forest, certificate };
            verify(release, &claims, Some(against)).unwrap()
        };
    for certificate in [None, Some(&[0, 1][..])] {
        let rules = vec![rule("AIDS", 1, 1, 2), rule("Alcohol", 2, 1, 4), rule("Alcohol", 1, 3, 4)];
        let verified = check(&trees, &rows, rules, certificate).unwrap();
        let reached: Vec<Ratio> =
            verified.findings().rules.iter().map(|rule| rule.reached).collect();
        assert_eq!(reached, [Ratio::new(1, 2), Ratio::new(1, 4), Ratio::new(3, 4)]);
        assert_eq!(verified.findings().l(), Some(Ratio::whole(2)));
        assert_eq!(verified.findings().sizes.k(), Some(2));
        let verdict = check(&trees, &rows, vec![rule("Alcohol", 1, 1, 2)], certificate);
        assert!(
            matches!(reasons(verdict)[..], [NestedReason::Rule { index: 0, finding }] if finding.people == 2)
        );
        // A value more than its group has places, a value of nobody, a group twice in a tree.
        let mut more = rows.clone();
        more.push(rows[0].clone());
        let expected = [NestedReason::Groups { broken: 1 }, NestedReason::Values { values: 1 }];
        let found = reasons(check(&trees, &more, Vec::new(), certificate));
        assert!(expected.iter().all(|reason| found.contains(reason)), "{found:?}");
        let mut other = rows.clone();
        other[0].cells[2] = "Cancer".into();
        let found = reasons(check(&trees, &other, Vec::new(), certificate));
        assert_eq!(found, [NestedReason::Values { values: 1 }]);
        let mut twice = trees.clone();
        for tree in &mut twice {
            tree.below[1].cells[1] = "2".into();
        }
        let found = reasons(check(&twice, &rows, Vec::new(), certificate));
        assert!(found.contains(&NestedReason::Groups { broken: 2 }), "{found:?}");
        // A rule about one attribute sees no other.
        let of_blood = NestedRule { attribute: Some("blood".into()), ..rule("AIDS", 1, 1, 2) };
        let verified = check(&trees, &rows, vec![of_blood], certificate).unwrap();
        assert_eq!(verified.findings().rules[0].reached, Ratio::whole(0));
    }
}

/// Both anatomized releases of two patients, as files.
fn anatomized() -> [[Nested; 2]; 2] {
    let (quasi_schema, [quasi, sensitive], schema) = tree_anatomy();
    let (trees_schema, trees, list_schema, rows) = vertex_anatomy();
    [
        [quasi_schema.nested(&quasi), schema.nested(&sensitive)],
        [trees_schema.nested(&trees), list_schema.nested(&rows)],
    ]
}

fn release(files: &[[Nested; 2]; 2]) -> [NestedRelease<'_>; 2] {
    let [[quasi, sensitive], [trees, lists]] = files;
    [
        NestedRelease::TreeAnatomy { quasi, sensitive },
        NestedRelease::VertexAnatomy { quasi: trees, sensitive: lists },
    ]
}

#[test]
fn groups_are_not_k_anonymous_where_labels_are_shown_as_they_are() {
    let files = anatomized();
    for release in release(&files) {
        let verdict = verify(release, &patients().claims(2, 2), None).unwrap();
        let rejected = verdict.unwrap_err();
        assert_eq!(rejected.reasons(), [NestedReason::Size { k: 1, expected: 2 }]);
        let findings = rejected.findings();
        assert_eq!((findings.k(), findings.sizes.k()), (Some(1), Some(2)));
    }
    // Two people with the same labels, in one group.
    let (quasi_schema, [mut quasi, sensitive], schema) = tree_anatomy();
    quasi[1] = quasi[0].clone();
    let (quasi, sensitive) = (quasi_schema.nested(&quasi), schema.nested(&sensitive));
    let release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
    let verified = verify(release, &patients().claims(2, 2), None).unwrap().unwrap();
    assert_eq!(verified.findings().k(), Some(2));
}

#[test]
fn a_group_of_one_is_rejected_whatever_is_promised() {
    let claims = NestedClaims { rules: vec![rule("HIV", 1, 1, 2)], ..patients().claims(1, 1) };
    let (quasi_schema, [quasi, sensitive], schema) = tree_anatomy();
    let (quasi, sensitive) = (quasi_schema.nested(&quasi[..1]), schema.nested(&sensitive[1..]));
    let release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
    let found = reasons(verify(release, &claims, None).unwrap());
    assert_eq!(found, [NestedReason::Alone { groups: 1 }]);
    let (trees_schema, trees, list_schema, rows) = vertex_anatomy();
    let rows: Vec<Vertex> = [1, 4, 6, 0].map(|at: usize| rows[at].clone()).to_vec();
    let (trees, rows) = (trees_schema.nested(&trees[..1]), list_schema.nested(&rows));
    let release = NestedRelease::VertexAnatomy { quasi: &trees, sensitive: &rows };
    let found = reasons(verify(release, &claims, None).unwrap());
    assert_eq!(found, [NestedReason::Alone { groups: 1 }]);
}

#[test]
fn what_was_left_out_of_a_file_is_a_reason() {
    for at in [0, 1] {
        let mut files = anatomized();
        for release in &mut files {
            let left_out = vec!["comments".to_owned()];
            release[at] = release[at].clone().with_layout(Layout { left_out, ..Layout::default() });
        }
        for release in release(&files) {
            let found = reasons(verify(release, &patients().claims(1, 2), None).unwrap());
            assert_eq!(found, [NestedReason::LeftOut { what: "comments".into() }]);
        }
    }
}

#[test]
fn how_often_the_value_of_a_rule_occurs_is_told() {
    let files = anatomized();
    let rules = vec![rule("Alcohol", 2, 1, 1), rule("Ebola", 1, 1, 2)];
    let claims = NestedClaims { rules, ..patients().claims(1, 2) };
    for release in release(&files) {
        let verified = verify(release, &claims, None).unwrap().unwrap();
        let found: Vec<u64> =
            verified.findings().rules.iter().map(|rule| rule.occurrences).collect();
        assert_eq!(found, [2, 0]);
    }
}
