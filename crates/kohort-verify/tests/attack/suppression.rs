//! The attack on people who were left out.

use kohort_core::Ratio;
use kohort_models::{ClassModel, FrequencyLDiversity};
use kohort_verify::attack::{Verdict, Whole};

use crate::lab::{Lab, close};

const RELEASE: [&str; 4] = ["[20, 30];flu", "[20, 30];hiv", "[20, 30];flu", "[20, 30];cold"];

fn promised() -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())]
}

/// What it finds where two more people were in the table, of whom no row is released.
fn found(others: [&str; 2]) -> (f64, f64, Verdict) {
    let mut original = vec!["20;flu", "22;hiv", "25;flu", "30;cold"];
    original.extend(others);
    let lab = Lab::of(&RELEASE).with_original(&original);
    let models = promised();
    let found = lab.find("suppression", |scene| {
        scene.declared.models = &models;
        let shown = scene.release.sensitive()[0];
        let mut values: Vec<(Option<u32>, u64)> = Vec::new();
        for line in &original {
            let code = shown.code_of(line.split(';').nth(1).unwrap());
            match values.iter_mut().find(|value| value.0 == code) {
                Some(value) => value.1 += 1,
                None => values.push((code, 1)),
            }
        }
        scene.whole = Some(Whole { members: Vec::new(), values: vec![values] });
    });
    let weakest = found.weakest();
    (weakest.rate.success, weakest.rate.max_probability, weakest.verdict)
}

#[test]
fn people_with_one_value_are_found_out() {
    let (success, probability, verdict) = found(["60;hiv", "70;hiv"]);
    assert!(close(success, 1.0) && close(probability, 1.0));
    assert_eq!(verdict, Verdict::Refuted);
}

#[test]
fn people_of_two_values_are_not() {
    let (success, probability, verdict) = found(["60;hiv", "70;cold"]);
    assert!(close(success, 0.5) && close(probability, 0.5));
    assert_eq!(verdict, Verdict::NotRefuted);
}

// Nobody in the release has the value: it cannot be named by its code, and is known all the same.
#[test]
fn a_value_that_the_release_does_not_show_is_known() {
    let (_, _, verdict) = found(["60;ebola", "70;ebola"]);
    assert_eq!(verdict, Verdict::Refuted);
}

#[test]
fn it_needs_the_table_and_somebody_who_is_not_covered() {
    let lab = Lab::of(&RELEASE);
    assert!(lab.try_find("suppression", |_| {}).is_err());
    let lab = Lab::of(&RELEASE).with_original(&["20;flu", "22;hiv", "25;flu", "30;cold"]);
    let whole = |scene: &mut kohort_verify::attack::Scene<'_>| {
        scene.whole = Some(Whole { members: Vec::new(), values: vec![vec![(Some(0), 4)]] });
    };
    assert_eq!(lab.try_find("suppression", whole).err().as_deref(), Some("a target it applies to"));
}
