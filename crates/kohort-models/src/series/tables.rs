//! Tables 37 to 41 of Abdalaal 2012, and what its rule and smoothing say of them.
//!
//! The values are b, c, d, f, g, m; the people t1 to t11, then n1 to n5. t11 has c in both releases, as the
//! printed releases do.

use kohort_core::{ABSENT, History, Ratio, ReleasedClass, SeriesRelease};

use super::{
    Completion, Correlations, Emission, NoBeliefs, Reading, RhoDifferent, Smoothing,
    thesis_posterior, thesis_rule, worlds_posterior,
};

const VALUES: &str = "bcdfgm";
const PLAIN: Reading = Reading { emission: Emission::Indicator, completion: Completion::Uniform };

fn value(letter: char) -> u32 {
    u32::try_from(VALUES.find(letter).unwrap()).unwrap()
}

/// A person by the name in Abdalaal 2012.
fn person(name: &str) -> u32 {
    let number: u32 = name[1..].parse().unwrap();
    if name.starts_with('t') { number - 1 } else { number + 10 }
}

/// A release of classes: the people between blanks, and the letters shown.
fn release(classes: &[(&str, &str)]) -> SeriesRelease {
    let mut found = SeriesRelease { class_of: vec![ABSENT; 16], classes: Vec::new() };
    for (class, (people, letters)) in (0..).zip(classes) {
        let people: Vec<u32> = people.split(' ').map(person).collect();
        let mut values: Vec<u32> = letters.chars().map(value).collect();
        values.sort_unstable();
        let n_counterfeits = u32::try_from(values.len() - people.len()).unwrap();
        for person in people {
            found.class_of[person as usize] = class;
        }
        found.classes.push(ReleasedClass { values, n_counterfeits });
    }
    found
}

fn table_39() -> SeriesRelease {
    release(&[
        ("t1 t2", "db"),
        ("t3 t4", "fg"),
        ("t5 t6", "fg"),
        ("t7 t8 t9", "dfg"),
        ("t10 t11", "dc"),
    ])
}

fn table_40() -> SeriesRelease {
    release(&[
        ("t1", "db"),
        ("n1 t4", "fg"),
        ("t7 t9", "dfg"),
        ("t5 n2", "fg"),
        ("n3 t11", "dc"),
        ("n4 n5", "gf"),
    ])
}

fn table_41() -> SeriesRelease {
    release(&[
        ("t1 n1", "df"),
        ("t4", "cg"),
        ("t7", "dm"),
        ("t9", "cg"),
        ("t5 n3", "fd"),
        ("n2 t11", "gc"),
        ("n4 n5", "gf"),
    ])
}

fn history(releases: Vec<SeriesRelease>) -> History {
    History { n_values: 6, releases }
}

/// Table 39 (iii).
fn correlations() -> Correlations {
    let listed = [('g', 1), ('d', 2), ('c', 1), ('m', 2)];
    let pairs = listed.map(|(letter, den)| (value(letter), value(letter), Ratio::new(1, den)));
    Correlations::new(&pairs).unwrap()
}

fn assert_near(found: &[(u32, f64)], expected: &[(char, f64)], within: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (&(found, belief), &(letter, probability)) in found.iter().zip(expected) {
        assert_eq!(found, value(letter));
        assert!((belief - probability).abs() < within, "{letter}: {belief}, not {probability}");
    }
}

/// What Abdalaal 2012's rule says of a person in the last release.
fn by_rule(history: &History, name: &str) -> Vec<(u32, f64)> {
    let classes: Vec<Option<&ReleasedClass>> = history
        .releases
        .iter()
        .map(|release| Some(&release.classes[release.class_of(person(name))? as usize]))
        .collect();
    thesis_posterior(&correlations(), classes[0], classes[1].unwrap())
}

#[test]
fn table_40_by_the_rule_of_the_thesis() {
    let history = history(vec![table_39(), table_40()]);
    let check = |name, expected: &[(char, f64)]| {
        assert_near(&by_rule(&history, name), expected, 0.000_05);
    };
    check("t1", &[('b', 0.5), ('d', 0.5)]);
    check("t4", &[('f', 0.25), ('g', 0.75)]);
    check("t7", &[('d', 0.2778), ('f', 0.1944), ('g', 0.5278)]);
    check("t9", &[('d', 0.2778), ('f', 0.1944), ('g', 0.5278)]);
    check("t5", &[('f', 0.25), ('g', 0.75)]);
    check("t11", &[('c', 0.75), ('d', 0.25)]);
    check("n4", &[('f', 0.5), ('g', 0.5)]);
    assert_eq!(thesis_rule(&correlations(), &history), Some((0.75, person("t4"))));
}

#[test]
fn the_figure_of_the_thesis_is_about_people_in_both_releases() {
    // n1 appears, in a class of one value.
    let later = release(&[("t1 t7", "db"), ("n1", "g")]);
    let found = thesis_rule(&correlations(), &history(vec![table_39(), later.clone()]));
    let of_t1 = by_rule(&history(vec![table_39(), later.clone()]), "t1");
    let of_t7 = by_rule(&history(vec![table_39(), later.clone()]), "t7");
    let highest = of_t1.iter().chain(&of_t7).map(|(_, belief)| *belief).fold(0.0, f64::max);
    assert!(found.is_some_and(|(belief, _)| (belief - highest).abs() < 1e-12 && belief < 1.0));
    assert_eq!(thesis_rule(&correlations(), &history(vec![later.clone()])), None);
    let strangers = release(&[("t2 t3", "db")]);
    assert_eq!(thesis_rule(&correlations(), &history(vec![strangers, later])), None);
}

#[test]
fn table_38_aids_is_91_of_240_by_the_rule_of_the_thesis() {
    // Aids, Cancer, Diarrhea, Fever, GI of Table 37.
    let pair = |from, to, percent| (from, to, Ratio::new(percent, 100));
    let listed = [pair(2, 3, 70), pair(4, 2, 50), pair(0, 0, 100), pair(1, 1, 100)];
    let class = |values: &[u32]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    let table = Correlations::new(&listed).unwrap();
    let found = thesis_posterior(&table, Some(&class(&[0, 2, 3, 4])), &class(&[0, 1, 2, 3]));
    assert!((found[0].1 - 91.0 / 240.0).abs() < 1e-12);
    assert!((found.iter().map(|(_, belief)| belief).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn table_40_by_smoothing() {
    let (history, correlations) = (history(vec![table_39(), table_40()]), correlations());
    let smoothing = Smoothing::new(&history, &correlations, PLAIN);
    let posteriors = |name| smoothing.posteriors(&smoothing.path(person(name))).unwrap();
    let t4 = posteriors("t4");
    assert_near(&t4[0].of_value, &[('f', 0.25), ('g', 0.75)], 1e-12);
    assert_near(&t4[1].of_value, &[('f', 0.125), ('g', 0.875)], 1e-12);
    let t7 = posteriors("t7");
    assert_near(&t7[1].of_value, &[('d', 0.303), ('f', 0.121), ('g', 0.576)], 0.0005);
}

#[test]
fn table_40_by_every_world() {
    // The class of t7 and t9 alone, with d, f and g as all values: then the rows are those of the rule.
    let class = ReleasedClass { values: vec![0, 1, 2], n_counterfeits: 0 };
    let release = |class_of: Vec<u32>| SeriesRelease { class_of, classes: vec![class.clone()] };
    let history = History {
        n_values: 3,
        releases: vec![release(vec![0, 0, 0]), release(vec![0, ABSENT, 0])],
    };
    let listed = [(0, 0, Ratio::new(1, 2)), (2, 2, Ratio::whole(1))];
    let correlations = Correlations::new(&listed).unwrap();
    let smoothing = Smoothing::new(&history, &correlations, PLAIN);
    let found = worlds_posterior(&history, &smoothing, &[0, 1, 2], 10_000).unwrap();
    let t7 = &found[0][1].of_value;
    for ((_, found), expected) in t7.iter().zip([0.32, 0.24, 0.44]) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
    let few = worlds_posterior(&history, &smoothing, &[0, 1, 2], 5);
    assert_eq!(few, Err(NoBeliefs::TooManySteps));
}

#[test]
fn table_41_is_rejected_at_one_half() {
    let (history, correlations) = (history(vec![table_39(), table_41()]), correlations());
    let likeliest = |name| {
        let beliefs = by_rule(&history, name);
        beliefs.iter().map(|(_, belief)| *belief).fold(0.0, f64::max)
    };
    for (name, belief) in [("t4", 0.75), ("t9", 2.0 / 3.0), ("t11", 0.75)] {
        assert!((likeliest(name) - belief).abs() < 1e-12, "{name}");
    }
    let model = RhoDifferent::new(Ratio::new(1, 2)).unwrap();
    for reading in [PLAIN, Reading::PROMISED] {
        let smoothing = Smoothing::new(&history, &correlations, reading);
        let finding = model.judge(&smoothing, &(0..16).collect::<Vec<u32>>());
        assert!(!finding.holds());
        assert!((finding.max_posterior - 1.0).abs() < 1e-12);
        // g is permanent and not in the later class: t5 had f, for certain.
        assert_eq!(finding.worst, Some((person("t5"), 0)));
        let t5 = smoothing.posteriors(&smoothing.path(person("t5"))).unwrap();
        assert_near(&t5[0].of_value, &[('f', 1.0), ('g', 0.0)], 1e-12);
        for name in ["t4", "t9", "t11"] {
            let found = model.judge(&smoothing, &[person(name)]);
            assert!(!found.holds(), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_first_release_shows_the_frequencies_of_its_classes_and_one_half_is_at_most_one_half() {
    let (history, correlations) = (history(vec![table_39()]), correlations());
    let smoothing = Smoothing::new(&history, &correlations, Reading::PROMISED);
    let half = RhoDifferent::new(Ratio::new(1, 2)).unwrap();
    let finding = half.judge(&smoothing, &(0..11).collect::<Vec<u32>>());
    assert!(finding.holds() && (finding.max_posterior - 0.5).abs() < 1e-12, "{finding:?}");
    let less = RhoDifferent::new(Ratio::new(49, 100)).unwrap();
    assert_eq!(less.judge(&smoothing, &(0..11).collect::<Vec<u32>>()).n_people_above, 8);
    assert!(
        RhoDifferent::new(Ratio::whole(1)).is_err() && RhoDifferent::new(Ratio::whole(0)).is_err()
    );
}
