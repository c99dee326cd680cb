//! Inference by rules.

use kohort_core::{Dataset, Role};

use crate::given::{dataset, rows};
use crate::lab::{Lab, close, of_records, of_values};

/// A release or an original: a zip code, a city that is no quasi-identifier, and a sensitive value.
fn with_values(lines: &[&str]) -> Dataset {
    let columns = [
        ("zip", Role::Quasi, None),
        ("city", Role::Insensitive, None),
        ("s", Role::Sensitive, None),
    ];
    dataset(&columns, &rows(lines))
}

/// A public table of zip codes and cities, each line a number of times.
fn public(lines: &[(&str, usize)]) -> Dataset {
    let columns = [("zip", Role::Quasi, None), ("city", Role::Insensitive, None)];
    dataset(&columns, &repeated(lines))
}

fn repeated(lines: &[(&str, usize)]) -> Vec<Vec<String>> {
    lines.iter().flat_map(|&(line, times)| rows(&vec![line; times])).collect()
}

/// People of the original are those with these rows in the public table.
fn lab(release: &[&str], people: Dataset, original: &[&str], members: &[u32]) -> Lab {
    let mut row_of_person = vec![None; people.n_rows()];
    for (row, &person) in (0..).zip(members) {
        row_of_person[person as usize] = Some(row);
    }
    Lab {
        release: with_values(release),
        people: Some(people),
        are_members: false,
        original: Some(with_values(original)),
        row_of_person,
    }
}

const HIDDEN: [&str; 4] = ["*;x;flu", "*;x;cold", "*;y;hiv", "*;y;cough"];
const ORIGINAL: [&str; 4] = ["11;x;flu", "12;x;cold", "21;y;hiv", "22;y;cough"];

#[test]
fn a_published_city_gives_the_zip_code_back() {
    let people = public(&[("11;x", 5), ("12;x", 5), ("21;y", 5), ("22;y", 5)]);
    let found = lab(&HIDDEN, people, &ORIGINAL, &[0, 5, 10, 15]).find("inference", |_| {});
    // Two records are left of four: of x for who lives in 11 or 12, of y for the others.
    let rate = of_records(&found);
    assert_eq!(rate.targets, 4);
    assert!(close(rate.success, 0.5) && close(rate.baseline, 0.25), "{rate:?}");
    let rate = of_values(&found);
    assert!(close(rate.success, 0.5) && close(rate.baseline, 0.25), "{rate:?}");
    assert!(close(rate.max_probability, 0.5), "{rate:?}");
}

#[test]
fn a_rule_with_exceptions_is_as_sure_as_it_is_often_right() {
    let people = public(&[("11;x", 19), ("12;x", 1), ("21;y", 20)]);
    let found = lab(&HIDDEN, people, &ORIGINAL, &[0, 19, 20, 21]).find("inference", |_| {});
    // 39 of 40 people follow the rules. The records of x are not for 12, says the rule, nor those of y.
    let rate = of_records(&found);
    let sure = 39.0 / 40.0 / 2.0;
    assert!(close(rate.max_probability, sure), "{rate:?}");
    assert!(close(rate.success, (3.0 * sure + 0.25) / 4.0), "{rate:?}");
}

#[test]
fn columns_that_say_nothing_of_each_other_gain_nothing() {
    let people = public(&[("11;x", 5), ("12;x", 5), ("11;y", 5), ("12;y", 5)]);
    let original = ["11;x;flu", "12;x;cold", "11;y;hiv", "12;y;cough"];
    let found = lab(&HIDDEN, people, &original, &[0, 5, 10, 15]).find("inference", |_| {});
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
    }
}

#[test]
fn few_people_make_no_rule() {
    let people = public(&[("11;x", 2), ("12;x", 2), ("21;y", 2), ("22;y", 2)]);
    let found = lab(&HIDDEN, people, &ORIGINAL, &[0, 2, 4, 6]).find("inference", |_| {});
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
    }
}

/// Zip codes with a sensitive value in the public table.
fn with_disease(lines: &[(&str, usize)]) -> Dataset {
    let columns = [("zip", Role::Quasi, None), ("s", Role::Insensitive, None)];
    dataset(&columns, &repeated(lines))
}

#[test]
fn a_quasi_identifier_that_foretells_the_value_is_used() {
    let people = with_disease(&[("11;flu", 5), ("12;flu", 3), ("12;cold", 3)]);
    let release = ["[11,12];x;flu", "[11,12];x;cold"];
    let original = ["11;x;flu", "12;x;cold"];
    let found = lab(&release, people, &original, &[0, 8]).find("inference", |_| {});
    let rate = of_values(&found);
    // The release alone says cold of both. Who lives in 11 has flu for sure; in 12 both are had.
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    assert!(close(rate.max_probability, 1.0), "{rate:?}");
    let values = found.scored.iter().find(|scored| scored.attribute == Some(0)).unwrap();
    assert_eq!(values.notes, ["targets whose value the public table alone foretells: 5"]);
}

#[test]
fn a_value_that_only_some_can_have_is_no_record_of_the_others() {
    // A sensitive value that is had in 21 only: its record is nobody's in 11.
    let people = with_disease(&[
        ("11;flu", 6),
        ("11;cold", 6),
        ("21;hiv", 6),
        ("21;flu", 6),
        ("21;cold", 6),
    ]);
    let release = ["*;x;flu", "*;x;cold", "*;y;hiv"];
    let original = ["11;x;flu", "21;x;cold", "21;y;hiv"];
    let found = lab(&release, people, &original, &[0, 24, 12]).find("inference", |_| {});
    let rate = of_records(&found);
    assert!(close(rate.success, (1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 3.0) / 3.0), "{rate:?}");
    assert!(close(rate.baseline, 1.0 / 3.0), "{rate:?}");
}

#[test]
fn the_original_is_no_source_of_rules() {
    let raw = ["11;x;flu", "12;x;cold"];
    let lab = Lab::of(&raw).with_original(&raw);
    assert!(lab.try_find("inference", |_| {}).err().unwrap().contains("--public"));
}

#[test]
fn two_quasi_identifiers_together_foretell_what_neither_does_alone() {
    // The value is the exclusive or of two columns: half of the people with either have each value.
    let columns =
        [("a", Role::Quasi, None), ("b", Role::Quasi, None), ("s", Role::Sensitive, None)];
    let lines = ["0;0;flu", "0;1;cold", "1;0;cold", "1;1;flu"];
    let people = |times| dataset(&columns, &repeated(&lines.map(|line| (line, times))));
    let find = |times: usize| {
        let release = dataset(&columns, &rows(&["*;*;flu", "*;*;cold", "*;*;cold", "*;*;flu"]));
        let mut row_of_person = vec![None; 4 * times];
        (0..4).for_each(|row| row_of_person[row as usize * times] = Some(row));
        let lab = Lab {
            release,
            people: Some(people(times)),
            are_members: false,
            original: Some(dataset(&columns, &rows(&lines))),
            row_of_person,
        };
        lab.find("inference", |_| {})
    };
    let rate = of_values(&find(20));
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    // Nineteen people are too few to learn from.
    assert!(close(of_values(&find(19)).advantage(), 0.0));
}
