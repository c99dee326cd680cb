//! Homogeneity.

use crate::lab::{Lab, close};

#[test]
fn a_class_of_one_value_gives_it_away() {
    let release = ["1;flu", "1;flu", "2;flu", "2;cold"];
    let rate = Lab::of(&release).rate("homogeneity");
    assert_eq!((rate.targets, rate.above), (4, [2, 2, 2]));
    assert!(close(rate.success, 0.75) && close(rate.baseline, 0.75), "{rate:?}");
}

#[test]
fn the_raw_table_gives_everything_away() {
    let raw = ["30;x;flu", "31;x;cold", "32;y;flu", "30;y;hiv"];
    let rate = Lab::of(&raw).with_original(&raw).rate("homogeneity");
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
}

#[test]
fn candidates_of_all_covering_classes_are_weighed_by_their_records() {
    let release = ["[20,29];flu", "[20,29];flu", "[25,34];cold", "[25,34];cold", "[25,34];cold"];
    let original = ["20;flu", "26;flu", "25;cold", "34;cold", "30;cold"];
    let found = Lab::of(&release).with_original(&original).find("homogeneity", |_| {});
    let rate = found.weakest().rate;
    // 25 and 26 may have any of the five records: cold with 3/5.
    assert_eq!(rate.above, [5, 3, 3]);
    assert!(close(rate.success, 4.0 / 5.0), "{rate:?}");
}
