//! Complementary release.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Dataset, Role};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::attack::{Declared, Finding, Released, Scene, Truth, Verdict};

use crate::given::{dataset, rows};
use crate::lab::{Lab, close, of_records, of_values, released, table};

fn find(lab: &Lab, other: &Dataset) -> Finding {
    lab.find_with("complementary-release", other)
}

const BY_AGE: [&str; 4] = ["30;*;flu", "30;*;cold", "40;*;cough", "40;*;hiv"];
const BY_ZIP: [&str; 4] = ["*;1;flu", "*;2;cold", "*;1;cough", "*;2;hiv"];
const ORIGINAL: [&str; 4] = ["30;1;flu", "30;2;cold", "40;1;cough", "40;2;hiv"];

#[test]
fn two_generalizations_with_distinct_values_make_the_table_again() {
    let other = table(&BY_ZIP);
    let found = find(&Lab::of(&BY_AGE), &other);
    for rate in [of_records(&found), of_values(&found)] {
        assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    }
    let notes = &found.weakest().notes;
    assert!(
        notes[0].starts_with("with release.csv: 100.0 % of the rows are narrowed"),
        "{notes:?}"
    );
    assert!(notes[1].contains("release.csv has classes of 1 or more"), "{notes:?}");
}

#[test]
fn who_is_known_is_found_in_both() {
    let other = table(&BY_ZIP);
    let found = find(&Lab::of(&BY_AGE).with_original(&ORIGINAL), &other);
    for rate in [of_records(&found), of_values(&found)] {
        assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    }
}

#[test]
fn a_promise_of_two_is_refuted_by_the_join() {
    fn check<'a>(lab: &'a Lab, other: &'a Dataset, models: &'a [Box<dyn ClassModel>]) -> Verdict {
        let found = lab.find("complementary-release", |scene: &mut Scene<'a>| {
            scene.others.push(released(other));
            scene.declared = Declared { models, ..Declared::default() };
        });
        found.weakest().verdict
    }
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let lab = Lab::of(&BY_AGE);
    assert_eq!(check(&lab, &table(&BY_ZIP), &models), Verdict::Refuted);
    assert_eq!(check(&lab, &table(&BY_AGE), &models), Verdict::NotRefuted);
}

#[test]
fn equal_values_leave_two_candidates_each_and_gain_nothing() {
    let other = table(&["*;1;flu", "*;2;flu", "*;1;flu", "*;2;flu"]);
    let found = find(&Lab::of(&["30;*;flu", "30;*;flu", "40;*;flu", "40;*;flu"]), &other);
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
        assert!(scored.notes[0].contains(" 0.0 % of the rows are narrowed"), "{scored:?}");
    }
}

#[test]
fn the_same_release_twice_and_a_coarser_one_gain_nothing() {
    let lab = Lab::of(&["[30,39];x;1", "[30,39];x;2", "[40,49];y;1", "[40,49];y;2"]);
    let coarser = table(&["[30,49];*;1", "[30,49];*;2", "[30,49];*;1", "[30,49];*;2"]);
    for other in [&coarser, &lab.release] {
        for scored in &find(&lab, other).scored {
            assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
        }
    }
}

#[test]
fn a_kind_that_fits_in_one_place_only_takes_its_rows_there() {
    let lab = Lab::of(&["[30,39];flu", "[30,39];flu", "[30,39];flu", "[20,34];cold"]);
    let other = table(&["[30,33];flu", "[30,33];flu", "[34,39];flu", "20;cold"]);
    let rate = of_records(&find(&lab, &other));
    // Two candidates for the first two, one for the third, and one for who has a cold, as before.
    assert!(close(rate.success, (0.5 + 0.5 + 1.0 + 1.0) / 4.0), "{rate:?}");
    assert!(close(rate.baseline, 2.0 / 4.0), "{rate:?}");
}

#[test]
fn masks_are_read_by_what_they_show() {
    let lab = Lab::of(&["130**;1", "130**;2", "148**;3", "148**;4"]);
    let other = table(&["1305*;1", "13063;2", "14***;3", "14***;4"]);
    let found = find(&lab, &other);
    let notes = &found.weakest().notes;
    assert!(notes[0].contains(": 50.0 % of the rows are narrowed"), "{notes:?}");
    // A mask that does not fit is no candidate.
    let other = table(&["1485*;1", "13063;2", "14***;3", "14***;4"]);
    let found = find(&lab, &other);
    let notes = &found.weakest().notes;
    assert!(notes[0].contains(": 25.0 % of the rows are narrowed"), "{notes:?}");
}

#[test]
fn ranges_that_touch_overlap_where_both_have_the_bound() {
    let share = |cells: [&str; 2]| {
        let lines = cells.map(|cell| format!("{cell};1"));
        let other = table(&[&lines[0], &lines[1]]);
        let found = find(&Lab::of(&["[20,30);1", "[20,30);1"]), &other);
        found.weakest().notes[0].clone()
    };
    // The second is out of reach, so both rows are where the first is, as many as it has.
    assert!(share(["20-24", "[30,40]"]).contains(": 50.0 % of the rows"));
    assert!(share(["20-24", "(29.5,40]"]).contains(": 100.0 % of the rows"));
    assert!(share(["20-24", "[20,40]"]).contains(": 50.0 % of the rows"));
    assert!(share(["*", "[20,40]"]).contains(": 0.0 % of the rows"));
}

#[test]
fn labels_are_read_by_the_taxonomy_of_people() {
    let tree: &[&str] = &["M;Person", "F;Person"];
    let columns = [("a", Role::Quasi, Some(tree)), ("s", Role::Sensitive, None)];
    let original = dataset(&columns, &rows(&["M;1", "F;2", "M;3", "F;3"]));
    let release = ["Person;1", "Person;2", "Person;3", "F;3"];
    let lab = Lab::of(&release).with_original(&["M;1", "F;2", "M;3", "F;3"]);
    let lab = Lab { original: Some(original), ..lab };
    // The third is a man or the fourth is: both may be, for all that both releases say.
    let other = table(&["M;1", "F;2", "Person;3", "Person;3"]);
    let found = find(&lab, &other);
    let notes = &found.weakest().notes;
    assert!(notes[0].contains(": 50.0 % of the rows are narrowed"), "{notes:?}");
    // A man may have the first and the third record, a woman the second, third and fourth.
    let rate = of_records(&found);
    assert!(close(rate.success, (0.5 + 1.0 / 3.0 + 0.5 + 1.0 / 3.0) / 4.0), "{rate:?}");
    assert!(close(rate.baseline, (1.0 / 3.0 + 0.25 + 1.0 / 3.0 + 0.25) / 4.0), "{rate:?}");
}

/// An anatomized release: the first column is the quasi-identifier, the second names the group.
fn anatomized(data: &Dataset) -> Released<'_> {
    Released::new(data.table(), &["a"], Some("b"), data.sensitive()).unwrap()
}

fn find_in(scene: &Scene<'_>) -> Finding {
    crate::lab::find("complementary-release", scene, &Truth::unknown())
}

#[test]
fn groups_of_two_anatomized_releases_are_joined_through_their_rows() {
    // Each release is 2-diverse. By both, 1 has the flu, then 2 the cold, and so on around.
    let one = table(&["1;g;flu", "2;g;cold", "3;h;cough", "4;h;gout"]);
    let two = table(&["1;x;flu", "3;x;cough", "2;y;cold", "4;y;gout"]);
    let mut scene = Scene::new(anatomized(&one), None).unwrap();
    scene.others.push(anatomized(&two));
    let found = find_in(&scene);
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.above), (4, [4, 4, 4]), "{rate:?}");
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    let notes = &found.weakest().notes;
    assert!(
        notes[0].to_string().ends_with("joined by 0 columns in addition to 1 quasi-identifiers"),
        "{notes:?}"
    );
    assert!(notes[1].starts_with("exact, by every world, for 4 people"), "{notes:?}");
    // The same groups tell nothing more, whatever they are called.
    let same = table(&["2;x;flu", "1;x;cold", "3;y;cough", "4;y;gout"]);
    scene.others[0] = anatomized(&same);
    let rate = find_in(&scene).weakest().rate;
    assert!(close(rate.advantage(), 0.0) && close(rate.max_probability, 0.5), "{rate:?}");
}

#[test]
fn who_is_left_in_a_group_has_what_is_left_of_it() {
    // The first has the flu by both, so the second has the cold, although both releases allow the flu.
    let one = table(&["1;g;flu", "2;g;cold"]);
    let two = table(&["1;x;flu", "9;x;gout", "2;y;flu", "8;y;cold"]);
    let mut scene = Scene::new(anatomized(&one), None).unwrap();
    scene.others.push(anatomized(&two));
    assert_eq!(find_in(&scene).weakest().rate.above, [2, 2, 2]);
}

#[test]
fn an_anatomized_release_opens_a_generalized_one() {
    // Who has the flu is 1 or 2 by the one and 1 or 3 by the other.
    let groups = table(&["1;x;flu", "3;x;cough", "2;y;cold", "4;y;gout"]);
    let boxes = table(&["[1,2];*;flu", "[1,2];*;cold", "[3,4];*;cough", "[3,4];*;gout"]);
    let mut scene = Scene::new(released(&boxes), None).unwrap();
    scene.others.push(anatomized(&groups));
    let found = find_in(&scene);
    for rate in [of_records(&found), of_values(&found)] {
        assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    }
    let mut scene = Scene::new(anatomized(&groups), None).unwrap();
    scene.others.push(released(&boxes));
    let found = find_in(&scene);
    assert_eq!(found.scored.len(), 1, "which record is whose is no secret");
    assert_eq!(of_values(&found).above, [4, 4, 4]);
}

#[test]
fn numbers_of_classes_are_no_link() {
    // Class 1 of one release is not class 1 of the other.
    let one = table(&["30;1;flu", "30;1;cold", "40;2;cough", "40;2;hiv"]);
    let two = table(&["[30,40];2;flu", "[30,40];1;cold", "[30,40];2;cough", "[30,40];1;hiv"]);
    let of_classes = |data| {
        Released::of_classes(Dataset::table(data), &["a"], "b", &BTreeMap::new(), data.sensitive())
    };
    let mut scene = Scene::new(of_classes(&two).unwrap(), None).unwrap();
    scene.others.push(of_classes(&one).unwrap());
    let found = find_in(&scene);
    assert!(close(of_records(&found).success, 1.0), "{:?}", of_records(&found));
}

#[test]
fn of_who_is_not_in_the_other_release_it_says_nothing() {
    let other = table(&BY_ZIP);
    let lab = Lab::of(&BY_AGE).with_original(&ORIGINAL);
    let found = lab.find("complementary-release", |scene| {
        scene.others.push(released(&other));
        scene.knowledge.add_presence([((0, 0), false), ((1, 3), false)]);
    });
    // The last is not in the release under attack, so no target.
    let rate = of_values(&found);
    assert_eq!((rate.targets, rate.above), (3, [2, 2, 2]), "{rate:?}");
}

#[test]
fn several_releases_are_told_apart() {
    let (first, second) = (table(&BY_ZIP), table(&BY_AGE));
    let found = Lab::of(&BY_AGE).find("complementary-release", |scene| {
        scene.others.extend([released(&first), released(&second)]);
    });
    let ways: BTreeSet<_> = found.scored.iter().filter_map(|s| s.way.as_deref()).collect();
    let named = ["with release.csv (release 1)", "with release.csv (release 2)"];
    assert_eq!((found.scored.len(), ways), (4, named.into()));
}

#[test]
fn it_needs_another_release() {
    let needs = Lab::of(&BY_AGE).try_find("complementary-release", |_| {}).err().unwrap();
    assert_eq!(needs, "another release of the table (`--release2`)");
}

#[test]
fn thousands_of_overlapping_boxes_of_two_values_are_joined() {
    // Squares of 50 by 50, which the other release has half a side further on.
    let lines = |offset: i32| -> Vec<String> {
        let cell = |v: i32| {
            let low = (v + offset) / 50 * 50 - offset;
            format!("[{low},{}]", low + 49)
        };
        let line = |i: i32| {
            let (a, b) = (i * 7919 % 1000, i * 104_729 % 997);
            format!("{};{};{}", cell(a), cell(b), i * 31 % 50)
        };
        (0..5_000).map(line).collect()
    };
    let (first, second) = (lines(0), lines(25));
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    let other = table(&second);
    let found = find(&Lab::of(&first), &other);
    assert!(of_records(&found).advantage() > 0.0);
}
