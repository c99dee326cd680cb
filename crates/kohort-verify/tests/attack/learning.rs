//! Attacks that learn from how a release was made, and from all its classes: minimality, deFinetti.

use kohort_core::Ratio;
use kohort_models::{AlphaKAnonymity, ClassModel, KAnonymity};
use kohort_verify::attack::{People, Released, Scene, Truth, Verdict};

use crate::lab::{Lab, close, find, table};

/// Two people of one kind and four of another in one class with two cases of HIV: at most half may have it.
#[test]
fn spec_07_minimality_both_cases_are_among_the_two() {
    let original = ["1;hiv", "1;hiv", "2;a", "2;b", "2;c", "2;d"];
    let release = ["*;hiv", "*;hiv", "*;a", "*;b", "*;c", "*;d"];
    let lab = Lab::of(&release).with_original(&original);
    let hiv = lab.release.sensitive()[0].code_of("hiv").unwrap();
    let half = AlphaKAnonymity::new(0, Ratio::new(1, 2), 1, vec![hiv]).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(half)];
    let found = lab.find_promised("minimality", &models);
    let rate = found.weakest().rate;
    // The two have HIV for sure; each of the four has one of four other values.
    assert_eq!(rate.above, [2, 2, 2]);
    assert!(close(rate.max_probability, 1.0), "{rate:?}");
    assert!(close(rate.success, 3.0 / 6.0) && close(rate.baseline, 2.0 / 6.0), "{rate:?}");
}

#[test]
fn minimality_learns_nothing_where_k_was_the_reason() {
    let original = ["1;hiv", "2;hiv", "3;a", "4;b", "5;c", "6;d"];
    let release = ["*;hiv", "*;hiv", "*;a", "*;b", "*;c", "*;d"];
    let lab = Lab::of(&release).with_original(&original);
    let hiv = lab.release.sensitive()[0].code_of("hiv").unwrap();
    let half = AlphaKAnonymity::new(0, Ratio::new(1, 2), 2, vec![hiv]).unwrap();
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(half), Box::new(KAnonymity::new(2).unwrap())];
    let found = lab.find_promised("minimality", &models);
    let rate = found.weakest().rate;
    assert!(
        close(rate.max_probability, 1.0 / 3.0) && close(rate.success, rate.baseline),
        "{rate:?}"
    );
    assert_eq!(found.weakest().verdict, Verdict::NotRefuted);
}

/// An anatomized release in which smokers have cancer and others the flu, with the truth.
#[test]
fn definetti_finds_the_smokers_in_an_anatomized_release() {
    let mut original = Vec::new();
    let mut released = Vec::new();
    for group in 0..30 {
        original.extend(["smoker;cancer".to_owned(), "other;flu".to_owned()]);
        released.extend([format!("smoker;{group};flu"), format!("other;{group};cancer")]);
    }
    // A few groups with a third value break the tie between the two explanations.
    for group in 30..36 {
        original.extend(["smoker;cancer".to_owned(), "smoker;cold".to_owned()]);
        released.extend([format!("smoker;{group};cancer"), format!("smoker;{group};cold")]);
    }
    let lines: Vec<&str> = original.iter().map(String::as_str).collect();
    let original = table(&lines);
    let lines: Vec<&str> = released.iter().map(String::as_str).collect();
    let release = table(&lines);
    let read = Released::new(release.table(), &["a"], Some("b"), release.sensitive()).unwrap();
    let scene = Scene::new(read, None).unwrap();
    let truth = Truth::of_release(&scene.release);
    let rate = find("definetti", &scene, &truth).weakest().rate;
    assert!(rate.max_probability > 0.95 && close(rate.baseline, 0.5), "{rate:?}");
    // A smoker may be in any group with a smoker: what is learned is said of people too.
    let read = Released::new(release.table(), &["a"], Some("b"), release.sensitive()).unwrap();
    let scene = Scene::new(read, Some(People::new(&original, true))).unwrap();
    let rows: Vec<Option<u32>> = (0..).take(original.n_rows()).map(Some).collect();
    let truth = Truth::of_release(&scene.release).with_people(&scene.release, &original, &rows);
    let rate = find("definetti", &scene, &truth).weakest().rate;
    // 36 of 42 smokers have cancer, and all 30 others the flu.
    assert!(close(rate.success, 66.0 / 72.0), "{rate:?}");
}
