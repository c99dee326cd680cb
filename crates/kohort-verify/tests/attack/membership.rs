//! Membership.

use std::collections::BTreeMap;

use kohort_verify::attack::{Facts, Knowledge};

use crate::lab::{Lab, close};

#[test]
fn the_share_of_records_among_the_people_covered_is_the_probability() {
    // Class 1: 2 records of 4 people; class 2: 1 of 10; nobody of 3 is in the table.
    let release = ["1;x", "1;y", "2;x"];
    let mut people = vec!["1"; 4];
    people.extend(["2"; 10]);
    people.extend(["3"; 5]);
    let mut rows = vec![None; 19];
    (rows[0], rows[3], rows[4]) = (Some(0), Some(1), Some(2));
    let lab = Lab::of(&release).with_people(&people).with_truth(&release, &rows);
    let found = lab.find("membership", |_| {});
    let rate = found.weakest().rate;
    // "In" for the four of class 1, of whom two are; "not in" for the 15 others, of whom one is.
    assert!(close(rate.success, 16.0 / 19.0) && close(rate.baseline, 16.0 / 19.0), "{rate:?}");
    assert_eq!((rate.targets, rate.above), (19, [15, 15, 5]));
    assert_eq!(
        found.weakest().notes,
        ["the probability of being in the table goes from 0.000 to 0.500"]
    );
}

#[test]
fn raw_rows_tell_who_is_in_the_table() {
    let raw = ["30;x;1", "31;x;2"];
    let people = ["30;x", "31;x", "32;y", "30;y", "33;y", "34;y"];
    let rows = [Some(0), Some(1), None, None, None, None];
    let lab = Lab::of(&raw).with_people(&people).with_truth(&raw, &rows);
    let rate = lab.rate("membership");
    assert!(close(rate.success, 1.0) && close(rate.baseline, 4.0 / 6.0), "{rate:?}");
    assert_eq!(rate.above, [6, 6, 6]);
}

#[test]
fn a_release_that_covers_everybody_alike_says_nothing() {
    let release = ["[30,39];1", "[30,39];2"];
    let people = ["30", "31", "32", "33", "34", "39"];
    let rows = [Some(0), None, None, None, None, Some(1)];
    let original = ["30;1", "39;2"];
    let lab = Lab::of(&release).with_people(&people).with_truth(&original, &rows);
    let rate = lab.rate("membership");
    assert!(close(rate.advantage(), 0.0) && close(rate.max_probability, 2.0 / 3.0), "{rate:?}");
}

#[test]
fn overlapping_shapes_add_up_to_one_at_most_and_the_known_are_no_targets() {
    let release = ["[20,29];1", "[20,29];2", "[25,34];1"];
    let lab = Lab::of(&release).with_people(&["26", "20", "50"]);
    let facts = Facts { is_member: Some(false), ..Facts::default() };
    let found = lab.find("membership", |scene| {
        scene.knowledge = Knowledge::new(BTreeMap::from([(2, facts)]));
    });
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.above), (2, [2, 2, 2]));
    assert!(close(rate.max_probability, 1.0), "{rate:?}");
}

#[test]
fn where_everybody_is_known_to_be_in_the_table_there_is_nothing_to_find_out() {
    let raw = ["30;x;1", "31;x;2"];
    let lab = Lab::of(&raw).with_original(&raw);
    assert!(lab.try_find("membership", |_| {}).err().unwrap().contains("--public"));
}
