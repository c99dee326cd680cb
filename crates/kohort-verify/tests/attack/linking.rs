//! Prosecutor, journalist and marketer.

use crate::lab::{Lab, close};

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
