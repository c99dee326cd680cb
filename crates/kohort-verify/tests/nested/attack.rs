//! The structural and the multi-occurrence attack: where they must succeed, and what bounds them.

use kohort_core::{Forest, Nested, Ratio};
use kohort_models::nested::OccurrenceRule;
use kohort_verify::attack::Rate;
use kohort_verify::nested::attack::{
    KnownValue, NestedPeople, NestedRate, NestedScene, TreeKnowledge, TruePeople, multi_occurrence,
    score, score_occurrences, structural,
};
use kohort_verify::nested::{NestedClaims, NestedOriginal, NestedRelease, measured, verify};
use proptest::prelude::*;

use super::given::{BORN, COURSES, Schema, Vertex, students, vertex};
use super::laws::{Draws, given, tree};
use super::verdict::{patients, tree_anatomy, two_patients, vertex_anatomy};

const KNOWLEDGE: [TreeKnowledge; 4] = [
    TreeKnowledge::Degrees,
    TreeKnowledge::Labels(1),
    TreeKnowledge::Labels(2),
    TreeKnowledge::Whole,
];

struct Given {
    nested: Nested,
    forest: Forest,
    claims: NestedClaims,
}

impl Given {
    fn new(schema: &Schema, original: &[Vertex], taxonomies: &[(&str, &[&str])]) -> Self {
        let nested = schema.nested(original);
        let forest = schema.forest(&nested, taxonomies);
        Self { nested, forest, claims: schema.claims(2, 2) }
    }

    /// Released tree i is that of person i.
    fn structural(&self, release: NestedRelease<'_>, knowledge: TreeKnowledge) -> NestedRate {
        let Self { nested, forest, claims } = self;
        let against = NestedOriginal { nested, forest, certificate: None };
        let (trees, values) = measured(release, claims, against).unwrap();
        let people = NestedPeople::new(forest);
        let guesses =
            structural(&NestedScene { people, trees: &trees, values: &values }, knowledge);
        let own: Vec<Option<u32>> = (0..).take(trees.n_records()).map(Some).collect();
        score(&guesses, &TruePeople::new(forest, &own))
    }

    fn occurrences(
        &self,
        release: NestedRelease<'_>,
        rule: &OccurrenceRule,
        known: KnownValue,
    ) -> Rate {
        let Self { nested, forest, claims } = self;
        let against = NestedOriginal { nested, forest, certificate: None };
        let (trees, values) = measured(release, claims, against).unwrap();
        let people = NestedPeople::new(forest);
        let guesses =
            multi_occurrence(&NestedScene { people, trees: &trees, values: &values }, rule, known);
        let own: Vec<Option<u32>> = (0..).take(trees.n_records()).map(Some).collect();
        score_occurrences(&guesses, rule, &TruePeople::new(forest, &own))
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn figure_1_4_each_table_alone_gives_a_student_away() {
    let courses = |of: [(&str, &str); 2]| -> Vec<Vertex> {
        of.iter().map(|(course, grade)| vertex(1, &format!("{course};{grade}"), &[])).collect()
    };
    let original = [
        vertex(0, "CS;1992;3.25", &courses([("CS201", "A"), ("CS202", "A-")])),
        vertex(0, "CS;1993;2.67", &courses([("CS401", "B"), ("CS404", "B+")])),
    ];
    // Each table is 2-diverse by itself.
    let released = [
        vertex(0, "CS;199*;3.25", &courses([("CS2**", "A"), ("CS2**", "A-")])),
        vertex(0, "CS;199*;2.67", &courses([("CS4**", "B"), ("CS4**", "B+")])),
    ];
    let given =
        Given::new(&students(), &original, &[("courses[].course", COURSES), ("born", BORN)]);
    let released = students().nested(&released);
    let release = NestedRelease::Generalized(&released);
    // Who knows that somebody took CS201 learns the GPA.
    let rate = given.structural(release, TreeKnowledge::Labels(2));
    assert_eq!((rate.link.targets, rate.link.above[2], rate.values[0].above[2]), (2, 2, 2));
    assert!(close(rate.link.success, 1.0) && close(rate.link.baseline, 0.5));
    // Structure alone, and the labels of the students alone, tell nothing.
    for knowledge in [TreeKnowledge::Degrees, TreeKnowledge::Labels(1)] {
        let rate = given.structural(release, knowledge);
        assert!(close(rate.link.max_probability, 0.5) && rate.values[0].above[2] == 0);
    }
    assert!(verify(release, &given.claims, None).unwrap().is_err());
}

#[test]
fn figure_1_6_the_universal_relation_gives_a_student_away() {
    let course = |course: &str, grade: &str| vertex(1, &format!("{course};{grade}"), &[]);
    let original = [
        vertex(0, "CS;1993;2.17", &[course("CS301", "C+")]),
        vertex(0, "CS;1995;3.78", &[course("CS305", "A"), course("CS306", "A-")]),
        vertex(0, "CS;1994;2.96", &[course("CS301", "B")]),
    ];
    let released = [
        vertex(0, "CS;199*;2.17", &[course("CS3**", "C+")]),
        vertex(0, "CS;199*;3.78", &[course("CS3**", "A"), course("CS3**", "A-")]),
        vertex(0, "CS;199*;2.96", &[course("CS3**", "B")]),
    ];
    let given =
        Given::new(&students(), &original, &[("courses[].course", COURSES), ("born", BORN)]);
    let released = students().nested(&released);
    let release = NestedRelease::Generalized(&released);
    // S4 is the only one with two courses: the number is enough to learn the GPA.
    let rate = given.structural(release, TreeKnowledge::Degrees);
    assert_eq!((rate.link.above[2], rate.values[0].above[2]), (1, 1));
    assert!(close(rate.link.max_probability, 1.0) && close(rate.link.success, 2.0 / 3.0));
    // Raw, everybody is alone.
    let raw = given.structural(NestedRelease::Generalized(&given.nested), TreeKnowledge::Whole);
    let [gpa, grade] = [raw.values[0].above[2], raw.values[1].above[2]];
    assert_eq!((raw.link.above[2], gpa, grade), (3, 3, 3));
}

#[test]
fn pruned_parts_leave_the_class_as_candidates() {
    let [original, released] = super::verdict::two_students();
    let given =
        Given::new(&students(), &original, &[("courses[].course", COURSES), ("born", BORN)]);
    let released = students().nested(&released);
    for knowledge in KNOWLEDGE {
        let rate = given.structural(NestedRelease::Generalized(&released), knowledge);
        assert!(close(rate.link.max_probability, 0.5), "{knowledge:?}: {rate:?}");
        assert!(
            rate.values.iter().all(|of| of.max_probability < 0.5 + 1e-9),
            "{knowledge:?}: {rate:?}"
        );
    }
}

/// Quasi-identifiers and values of the two patients, anatomized by tree and by vertex.
fn anatomized() -> [[Nested; 2]; 2] {
    let (quasi_schema, [quasi, sensitive], schema) = tree_anatomy();
    let (vertex_schema, trees, list_schema, rows) = vertex_anatomy();
    [
        [quasi_schema.nested(&quasi), schema.nested(&sensitive)],
        [vertex_schema.nested(&trees), list_schema.nested(&rows)],
    ]
}

fn releases([tree, vertex]: &[[Nested; 2]; 2]) -> [NestedRelease<'_>; 2] {
    [
        NestedRelease::TreeAnatomy { quasi: &tree[0], sensitive: &tree[1] },
        NestedRelease::VertexAnatomy { quasi: &vertex[0], sensitive: &vertex[1] },
    ]
}

#[test]
fn whoever_is_found_is_linked_with_a_tree_of_the_group_or_with_a_value_of_every_list() {
    let given = Given::new(&patients(), &two_patients(), &[]);
    let files = anatomized();
    let [tree_anatomy, vertex_anatomy] = releases(&files);
    // Two trees of values; four lists of two.
    for (release, expected) in [(tree_anatomy, 0.5), (vertex_anatomy, 1.0 / 16.0)] {
        let rate = given.structural(release, TreeKnowledge::Whole);
        assert_eq!(rate.link.targets, 2);
        assert!(close(rate.link.max_probability, expected), "{rate:?}");
        assert!(close(rate.link.success, expected), "{rate:?}");
    }
}

#[test]
fn figures_3_1_to_3_4_anatomy_under_attack() {
    let given = Given::new(&patients(), &two_patients(), &[]);
    let files = anatomized();
    let [tree_anatomy, vertex_anatomy] = releases(&files);
    for release in [tree_anatomy, vertex_anatomy] {
        for knowledge in KNOWLEDGE {
            let rate = given.structural(release, knowledge);
            assert!(rate.link.max_probability < 0.5 + 1e-9 && rate.link.above[2] == 0, "{rate:?}");
            assert!(rate.values.iter().all(|of| of.max_probability < 0.5 + 1e-9), "{rate:?}");
            assert_eq!(rate.link.targets, 2);
        }
    }
    let codes = |value: &str| {
        let kinds = given.forest.kinds().iter();
        kinds.map(|kind| kind.sensitive.as_ref().unwrap().code_of(value)).collect::<Vec<_>>()
    };
    let check = |release, (value, at_least): (&str, u32), known, expected: f64| {
        let rule = OccurrenceRule::new(codes(value), at_least, Ratio::new(1, 2)).unwrap();
        let rate = given.occurrences(release, &rule, known);
        assert!(close(rate.max_probability, expected), "{value} {at_least}: {rate:?}");
        rate
    };
    check(tree_anatomy, ("AIDS", 1), KnownValue::Nothing, 0.5);
    check(tree_anatomy, ("Alcohol", 2), KnownValue::Nothing, 0.5);
    check(vertex_anatomy, ("AIDS", 1), KnownValue::Nothing, 0.5);
    check(vertex_anatomy, ("Alcohol", 2), KnownValue::Nothing, 0.25);
    check(vertex_anatomy, ("Alcohol", 1), KnownValue::Nothing, 0.75);
    // One known value opens the tree.
    check(tree_anatomy, ("AIDS", 1), KnownValue::One, 1.0);
    check(vertex_anatomy, ("AIDS", 1), KnownValue::One, 0.5);
    let raw = NestedRelease::Generalized(&given.nested);
    let rate = check(raw, ("Alcohol", 2), KnownValue::Nothing, 1.0);
    assert_eq!((rate.targets, rate.above[2]), (2, 1));
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_the_judge_finds_bounds_the_attack((schema, draws) in given(), n in 1_usize..4, copies in 1_usize..4) {
        let mut draws = Draws(draws.iter().cycle());
        let mut original: Vec<Vertex> = Vec::new();
        let mut released: Vec<Vertex> = Vec::new();
        for _ in 0..n {
            let base = tree(&schema, 0, &mut draws);
            let (at, change) = (draws.below(base.n_vertices()), draws.below(3));
            for _ in 0..copies {
                let mut person = base.clone();
                for vertex in 0..base.n_vertices() {
                    let vertex = person.nth(vertex);
                    for cell in &mut vertex.cells {
                        if cell.starts_with('s') {
                            *cell = format!("s{}", draws.below(3));
                        }
                    }
                }
                original.push(person.clone());
                // The same is pruned or generalized in all copies.
                let vertex = person.nth(at);
                match change {
                    0 => drop(vertex.below.pop()),
                    1 => vertex.cells.iter_mut().filter(|cell| cell.starts_with('q')).for_each(|cell| *cell = "*".into()),
                    _ => {}
                }
                released.push(person);
            }
        }
        let given = Given::new(&schema, &original, &[]);
        let released = schema.nested(&released);
        let release = NestedRelease::Generalized(&released);
        let findings = match verify(release, &given.claims, None).unwrap() {
            Ok(verified) => verified.findings().clone(),
            Err(rejected) => rejected.findings().clone(),
        };
        for knowledge in KNOWLEDGE {
            let rate = given.structural(release, knowledge);
            let k = findings.sizes.k().unwrap();
            prop_assert!(rate.link.max_probability <= 1.0 / f64::from(u32::try_from(k).unwrap()) + 1e-9);
            let kinds = given.forest.kinds().iter();
            let paths = kinds.filter_map(|kind| Some(kind.sensitive.as_ref()?.name()));
            let rates: Vec<_> = paths.zip(&rate.values).collect();
            for found in &findings.sensitive {
                let of = rates.iter().find(|(path, _)| *path == found.path).unwrap().1;
                let Some(l) = found.l else { continue };
                prop_assert!(of.max_probability <= 1.0 / l.value() + 1e-9, "{:?} {:?}", knowledge, of);
            }
        }
    }
}
