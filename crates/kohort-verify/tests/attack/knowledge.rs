//! Attacks by what is known of people and of values: background knowledge, skewness, similarity,
//! non-membership.

use std::collections::BTreeMap;

use kohort_core::Role;
use kohort_models::{ClassModel, LMdiversity};
use kohort_verify::attack::{Facts, Knowledge, Known, People, Released, Scene, Truth, Verdict};

use crate::given::{dataset, rows};
use crate::lab::{Lab, close, find};

/// Four people of whom one is known not to have the flu.
const CLASS: [&str; 4] = ["1;flu", "1;flu", "1;cold", "1;hiv"];

#[test]
fn a_value_that_is_ruled_out_makes_the_others_likelier() {
    let lab = Lab::of(&CLASS).with_original(&CLASS);
    let found = lab.find("background-knowledge", |scene| {
        let flu = scene.release.sensitive()[0].code_of("flu").unwrap();
        let facts = Facts { lacks: vec![(0, flu)], ..Facts::default() };
        scene.knowledge = Knowledge::new(BTreeMap::from([(2, facts)]));
    });
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.known), (1, Known::Measured));
    assert!(close(rate.max_probability, 0.5), "{rate:?}");
    // The guess is cold, the lower code of two, and the third person has it.
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.0), "{rate:?}");
}

#[test]
fn the_worst_case_keeps_the_most_frequent_value_and_strikes_the_next() {
    // r = (3, 2, 1): 3/6, then 3/4, then 3/3.
    let release = ["1;a", "1;a", "1;a", "1;b", "1;b", "1;c"];
    let found = Lab::of(&release).find("background-knowledge", |_| {});
    let scored = found.weakest();
    assert!(close(scored.rate.max_probability, 0.75), "{scored:?}");
    assert_eq!(scored.rate.known, Known::Expected);
    assert!(
        scored.notes.contains(&"2 excluded values: probability 1.000 at most, 6 certain".into())
    );
}

#[test]
fn skewness_of_001_a_gain_of_5_for_the_rare_value() {
    // 90:10 in the table, 50:50 in a class of ten.
    let mut release = vec!["1;no"; 5];
    release.extend(["1;yes"; 5]);
    release.extend(["2;no"; 85]);
    release.extend(["2;yes"; 5]);
    let found = Lab::of(&release).find("skewness", |_| {});
    let scored = found.weakest();
    assert!(scored.notes.contains(&"the largest gain is 5.00".into()), "{scored:?}");
    assert_eq!(scored.rate.targets, 10);
    assert!(close(scored.rate.success, 0.5) && close(scored.rate.baseline, 0.1), "{scored:?}");
}

#[test]
fn classes_like_the_table_gain_nothing() {
    let release = ["1;a", "1;b", "2;a", "2;b", "3;a", "3;b"];
    let found = Lab::of(&release).try_find("skewness", |_| {});
    assert_eq!(found.err().as_deref(), Some("a target it applies to"));
}

#[test]
fn similarity_of_004_table_2_3_stomach_and_low_salary_are_certain() {
    let diseases: &[&str] = &[
        "gastric ulcer;stomach;*",
        "gastritis;stomach;*",
        "stomach cancer;stomach;*",
        "flu;lung;*",
        "bronchitis;lung;*",
        "pneumonia;lung;*",
    ];
    let lines = rows(&[
        "1;gastric ulcer;3000",
        "1;gastritis;4000",
        "1;stomach cancer;5000",
        "2;gastritis;6000",
        "2;flu;11000",
        "2;bronchitis;8000",
        "3;bronchitis;7000",
        "3;pneumonia;9000",
        "3;stomach cancer;30000",
    ]);
    let columns = [
        ("a", Role::Quasi, None),
        ("disease", Role::Sensitive, Some(diseases)),
        ("salary", Role::Sensitive, None),
    ];
    let release = dataset(&columns, &lines);
    let read = Released::new(release.table(), &["a"], None, release.sensitive()).unwrap();
    let scene = Scene::new(read, None).unwrap();
    let truth = Truth::of_release(&scene.release);
    let found = find("similarity", &scene, &truth);
    // Three people are certain by the disease, and the same three by a window of a tenth of the salaries.
    for attribute in [0, 1] {
        let scored = found.scored.iter().find(|s| s.attribute == Some(attribute)).unwrap();
        assert_eq!(scored.rate.above[2], 3, "{scored:?}");
    }
}

/// Classes of several sensitive attributes, under a promise of l.
fn worst(lines: &[&str], l: u64) -> (Verdict, f64, u64) {
    let columns =
        [("a", Role::Quasi, None), ("s", Role::Sensitive, None), ("t", Role::Sensitive, None)];
    let release = dataset(&columns, &rows(lines));
    let read = Released::new(release.table(), &["a"], None, release.sensitive()).unwrap();
    let mut scene = Scene::new(read, None).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(LMdiversity::new(l).unwrap())];
    scene.declared.models = &models;
    let truth = Truth::of_release(&scene.release);
    let found = find("non-membership", &scene, &truth);
    let scored = found.weakest();
    (scored.verdict, scored.rate.max_probability, scored.rate.above[2])
}

#[test]
fn spec_04_one_bit_makes_a_half_of_a_third() {
    let distinct = ["1;a;x", "1;b;y", "1;c;z", "2;a;y", "2;b;z", "2;d;x"];
    assert_eq!(worst(&distinct, 3), (Verdict::NotRefuted, 0.5, 0));
}

#[test]
fn spec_04_values_that_go_together_are_pinned_by_one_bit() {
    // Diverse on each attribute alone, but c and w go together.
    let naive = ["1;a;w", "1;b;w", "1;c;x", "1;c;y"];
    let (verdict, probability, certain) = worst(&naive, 3);
    assert_eq!((verdict, certain), (Verdict::Refuted, 4));
    assert!(close(probability, 1.0));
}

#[test]
fn table_2_a_bit_about_one_attribute_gives_another_away() {
    // Of Amy it is known that she did not say c on the first issue: she said w on the second.
    let lines = ["1;b;w", "2;c;x", "3;a;w", "4;c;y"];
    let released = ["*;b;w", "*;c;x", "*;a;w", "*;c;y"];
    let columns =
        [("a", Role::Quasi, None), ("s", Role::Sensitive, None), ("t", Role::Sensitive, None)];
    let (original, release) =
        (dataset(&columns, &rows(&lines)), dataset(&columns, &rows(&released)));
    let read = Released::new(release.table(), &["a"], None, release.sensitive()).unwrap();
    let mut scene = Scene::new(read, Some(People::new(&original, true))).unwrap();
    let c = release.sensitive()[0].code_of("c").unwrap();
    let facts = Facts { lacks: vec![(0, c)], ..Facts::default() };
    scene.knowledge = Knowledge::new(BTreeMap::from([(0, facts)]));
    let members: Vec<Option<u32>> = (0..4).map(Some).collect();
    let truth = Truth::of_release(&scene.release).with_people(&scene.release, &original, &members);
    let found = find("non-membership", &scene, &truth);
    let of = |attribute| found.scored.iter().find(|s| s.attribute == Some(attribute)).unwrap();
    let second = of(1).rate;
    assert_eq!((second.targets, second.above[2]), (4, 1));
    // The others share what is left: two of three worlds give each of them something else than w.
    let first = of(0).rate;
    assert!(close(first.max_probability, 2.0 / 3.0), "{first:?}");
}
