//! Temporal.

use kohort_core::Dataset;
use kohort_core::Ratio;
use kohort_models::{ClassModel, FrequencyLDiversity};
use kohort_verify::attack::{Declared, Finding, Scene, Verdict};

use crate::lab::{Lab, close, released, table};

fn find<'a>(lab: &'a Lab, others: &'a [&'a Dataset]) -> Finding {
    lab.find("temporal", |scene: &mut Scene<'a>| {
        scene.others.extend(others.iter().map(|other| released(other)));
    })
}

// Who had cold left; who has hiv came.
const OLD: [&str; 4] = ["[20,29];flu", "[20,29];cold", "[30,39];cough", "[30,39];cancer"];
const NEW: [&str; 4] = ["[20,29];flu", "[20,29];hiv", "[30,39];cough", "[30,39];cancer"];

#[test]
fn one_value_in_common_is_the_value() {
    let (old, lab) =
        (table(&OLD), Lab::of(&NEW).with_original(&["21;flu", "25;hiv", "31;cough", "35;cancer"]));
    let found = find(&lab, &[&old]);
    let rate = found.weakest().rate;
    // The two in [20,29] have flu by both; who came is mistaken for one who was there.
    assert_eq!(rate.above, [2, 2, 2]);
    assert!(close(rate.max_probability, 1.0), "{rate:?}");
    assert_eq!(found.weakest().notes, ["targets with fewer values than by the newest release: 2"]);
}

#[test]
fn it_wins_where_everybody_was_there_before() {
    // Both releases are 2-diverse; one has classes by age, the other by zip.
    let old = table(&["*;1;flu", "*;1;hiv", "*;2;cold", "*;2;cough"]);
    let lab = Lab::of(&["20;*;flu", "20;*;cold", "30;*;hiv", "30;*;cough"]);
    let lab = lab.with_original(&["20;1;flu", "20;2;cold", "30;1;hiv", "30;2;cough"]);
    let rate = find(&lab, &[&old]).weakest().rate;
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
}

#[test]
fn rows_stand_for_people_where_nobody_is_known() {
    let old = table(&OLD);
    let found = find(&Lab::of(&NEW), &[&old]);
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.above), (4, [2, 2, 2]));
}

#[test]
fn the_same_values_in_each_class_give_nothing_away() {
    let old = table(&["[20,29];hiv", "[20,29];flu", "[30,39];cough", "[30,39];cancer"]);
    for lab in [Lab::of(&NEW), Lab::of(&NEW).with_original(&["21;flu", "25;hiv"])] {
        let rate = find(&lab, &[&old]).weakest().rate;
        assert!(close(rate.advantage(), 0.0) && close(rate.max_probability, 0.5), "{rate:?}");
    }
}

#[test]
fn who_has_no_value_in_common_was_not_there() {
    let old = table(&["[20,29];ulcer", "[20,29];cold", "[30,39];cough", "[30,39];cancer"]);
    let found = find(&Lab::of(&NEW), &[&old]);
    assert!(close(found.weakest().rate.advantage(), 0.0));
    assert!(close(found.weakest().rate.max_probability, 0.5));
    let notes = &found.weakest().notes;
    assert!(notes[1].to_string().ends_with("or have changed: 2"), "{notes:?}");
}

#[test]
fn a_promise_of_two_is_refuted_by_the_past() {
    fn verdict<'a>(lab: &'a Lab, old: &'a Dataset, models: &'a [Box<dyn ClassModel>]) -> Verdict {
        let found = lab.find("temporal", |scene: &mut Scene<'a>| {
            scene.others.push(released(old));
            scene.declared = Declared { models, ..Declared::default() };
        });
        found.weakest().verdict
    }
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())];
    assert_eq!(verdict(&Lab::of(&NEW), &table(&OLD), &models), Verdict::Refuted);
    assert_eq!(verdict(&Lab::of(&NEW), &table(&NEW), &models), Verdict::NotRefuted);
}

#[test]
fn a_release_says_nothing_of_who_is_not_in_it() {
    let old = table(&OLD);
    let lab = Lab::of(&NEW).with_original(&["21;flu", "25;hiv", "31;cough", "35;cancer"]);
    let found = lab.find("temporal", |scene| {
        scene.others.push(released(&old));
        // The second came later; the last has left.
        scene.knowledge.add_presence([((0, 1), false), ((1, 3), false)]);
    });
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.above), (3, [1, 1, 1]), "{rate:?}");
}

#[test]
fn it_needs_another_release() {
    assert!(Lab::of(&NEW).try_find("temporal", |_| {}).err().unwrap().contains("--release2"));
}
