//! Complementary release.

use kohort_core::{Dataset, Role};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::attack::{ATTACKS, Declared, Finding, Released, Scene, Verdict};

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

#[test]
fn an_anatomized_release_is_refused_in_words() {
    let data = table(&["1;g;x"]);
    let release = Released::new(data.table(), &["a"], Some("b"), data.sensitive()).unwrap();
    let scene = Scene::new(release, None).unwrap();
    let attack = ATTACKS.iter().find(|a| a.spec().id == "complementary-release").unwrap();
    assert!(attack.needs(&scene).unwrap().contains("--release2"));
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
