//! Prosecutor, journalist and marketer.

use kohort_core::{Ctx, Ratio};
use kohort_verify::attack::{ATTACKS, Known, People, Released, Scene, Truth, run};

use crate::lab::{Lab, close, table};

/// Three classes of 2, 2 and 5 records that cover 4, 10 and 5 people.
fn spec_07() -> Lab {
    let release = ["1;x", "1;y", "2;x", "2;y", "3;x", "3;y", "3;x", "3;y", "3;z"];
    let mut people = vec!["1"; 4];
    people.extend(["2"; 10]);
    people.extend(["3"; 5]);
    Lab::of(&release).with_people(&people)
}

#[test]
fn spec_07_prosecutor_half_at_most_and_a_third_on_average() {
    let lab = Lab { people: None, ..spec_07() };
    let rate = lab.rate("prosecutor");
    assert!(close(rate.max_probability, 0.5) && close(rate.success, 1.0 / 3.0), "{rate:?}");
    assert_eq!((rate.targets, rate.above), (9, [0, 0, 0]));
    assert!(close(rate.baseline, 1.0 / 9.0));
}

#[test]
fn spec_07_journalist_a_quarter_at_most() {
    let rate = spec_07().rate("journalist");
    assert!(close(rate.max_probability, 0.25), "{rate:?}");
}

#[test]
fn spec_07_marketer_is_right_for_19_percent() {
    let rate = spec_07().rate("marketer");
    assert!(close(rate.success, (2.0 / 4.0 + 2.0 / 10.0 + 5.0 / 5.0) / 9.0), "{rate:?}");
}

// The people of a class may be all that the population has of their kind, whatever share was sampled.
#[test]
fn a_sample_bounds_the_journalist_by_its_own_classes() {
    let lab = Lab { people: None, ..spec_07() };
    let found = lab.find("journalist", |scene| scene.sampled = Some(Ratio::new(1, 10)));
    let weakest = found.weakest();
    assert!(close(weakest.rate.max_probability, 0.5), "{:?}", weakest.rate);
    assert!(close(weakest.rate.success, 1.0 / 3.0), "{:?}", weakest.rate);
    assert!(weakest.notes.iter().any(|note| note.starts_with("an upper bound")));
}

#[test]
fn everybody_is_found_in_the_raw_table() {
    let raw = ["30;x;1", "31;x;2", "32;y;1", "30;y;2"];
    let rate = Lab::of(&raw).with_original(&raw).rate("prosecutor");
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.25), "{rate:?}");
    assert_eq!(rate.above, [4, 4, 4]);
}

#[test]
fn overlapping_boxes_add_up_and_who_is_in_none_is_not_found() {
    let release = ["[20,29];1", "[20,29];2", "[25,34];1", "[25,34];2"];
    let original = ["20;1", "29;2", "25;1", "34;2", "50;3"];
    let lab = Lab::of(&release).with_original(&original);
    let rate = lab.rate("prosecutor");
    // 20 and 34 have two candidates, 25 and 29 four, 50 none.
    assert!(close(rate.success, (0.5 + 0.5 + 0.25 + 0.25) / 5.0), "{rate:?}");
}

#[test]
fn a_table_of_fewer_people_than_records_is_not_the_population() {
    let release = ["1;x", "1;y", "1;x", "2;y", "2;x"];
    let lab = Lab::of(&release).with_people(&["1", "2", "2"]);
    // One person may have any of three records, whoever has the other two.
    assert!(close(lab.rate("journalist").max_probability, 1.0 / 2.0));
    assert!(close(lab.rate("marketer").max_probability, 1.0 / 2.0));
}

#[test]
fn one_person_is_not_each_of_several_records() {
    // Three shapes cover the one person, and each covers nobody else.
    let release = ["[1,5];x", "[2,6];x", "[3,7];x"];
    let rate = Lab::of(&release).with_people(&["4"]).rate("journalist");
    assert!(close(rate.max_probability, 1.0 / 3.0), "{rate:?}");
}

#[test]
fn people_of_whom_nobody_knows_are_no_targets() {
    let release = table(&["1;x", "1;y", "2;x", "2;x"]);
    let original = table(&["1;x", "1;y", "2;x", "2;x"]);
    let released = || Released::new(release.table(), &["a"], None, release.sensitive()).unwrap();
    let scene = Scene::new(released(), Some(People::new(&original, true))).unwrap();
    let rows: Vec<Option<u32>> = (0..4).map(Some).collect();
    let truth = Truth::of_release(&scene.release).with_people(&scene.release, &original, &rows);
    let attack = *ATTACKS.iter().find(|attack| attack.spec().id == "homogeneity").unwrap();
    let rate = |truth: &Truth| {
        let findings = run(&Ctx::quiet(), &[attack], &scene, truth).unwrap();
        findings.found.first().map(|found| found.weakest().rate)
    };
    assert_eq!(rate(&truth).unwrap().targets, 4);
    let truth = truth.without([0, 1]);
    let known = rate(&truth).unwrap();
    assert!(known.targets == 2 && close(known.success, 1.0), "{known:?}");
    assert!(rate(&truth.without([2, 3])).is_none());
    assert_eq!(rate(&Truth::unknown()).unwrap().known, Known::Expected);
}
