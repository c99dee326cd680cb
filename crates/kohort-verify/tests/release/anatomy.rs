//! Anatomized releases: groups as classes, sensitive values by group.

use kohort_core::{Attribute, Dataset, Domain, Ratio, Role, Table};
use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity};
use kohort_verify::{
    Against, Claims, Reason, Rejected, Shows, Verified, join_anatomized, truth, verify,
};
use proptest::prelude::*;

use super::given::{dataset, rows, table};

fn patients() -> Dataset {
    let columns = [("age", Role::Quasi, None), ("disease", Role::Sensitive, None)];
    dataset(&columns, &rows(&["20;flu", "22;cold", "41;cough", "80;flu"]))
}

/// The table of the rows and that of the values, as one.
fn joined(quasi: &[&str], values: &[&str]) -> Table {
    let quasi = table(&["age", "group"], &rows(quasi));
    let values = table(&["group", "disease", "count"], &rows(values));
    join_anatomized(&quasi, &values, "group", "count").unwrap()
}

fn judge(release: &Table, certificate: Option<&[u32]>) -> Result<Verified, Rejected> {
    let column = release.column("disease").unwrap();
    let domain = Domain::new(release, column, None, &|_| false).unwrap();
    let disease = Attribute::new(release, "disease", Role::Sensitive, domain, None).unwrap();
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())];
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["age"],
        group: Some("group"),
        sensitive: &[&disease],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    let data = patients();
    verify(release, &claims, Some(Against { original: &data, certificate, models: &models }))
        .unwrap()
}

#[test]
fn groups_are_classes_and_values_belong_to_them() {
    let release =
        joined(&["20;1", "22;1", "80;2", "41;2"], &["2;cough;1", "1;flu;1", "1;cold;1", "2;flu;1"]);
    for certificate in [None, Some(&[0, 1, 3, 2][..])] {
        let verified = judge(&release, certificate).unwrap();
        assert_eq!(
            (verified.findings().sizes().k(), verified.findings().n_classes()),
            (Some(2), 2)
        );
        assert_eq!(verified.findings().k(), Some(1), "nobody has the same age as another");
    }
}

// Groups of two hide whose value is whose, not who is there: k is that of the ages as they are shown.
#[test]
fn k_is_that_of_the_rows_as_they_are_shown() {
    let values = ["1;flu;1", "1;cold;1", "2;cough;1", "2;flu;1"];
    let k_of = |ages: &[&str]| {
        let release = joined(ages, &values);
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
        let claims = Claims {
            identifiers: &[],
            without_role: &[],
            quasi: &["age"],
            group: Some("group"),
            sensitive: &[],
            models: &models,
            sizes: &[],
            population: None,
            membership: None,
            suppression: Ratio::whole(0),
            shows: Shows::Anything,
        };
        let judged = verify(&release, &claims, None).unwrap();
        let n_broken = judged.as_ref().map_or_else(
            |rejected| rejected.findings().models()[0].1.classes,
            |verified| verified.findings().models()[0].1.classes,
        );
        (judged.is_ok(), n_broken)
    };
    assert_eq!(k_of(&["20;1", "22;1", "80;2", "41;2"]), (false, 4));
    assert_eq!(k_of(&["20;1", "22;1", "20;2", "22;2"]), (true, 0));
}

#[test]
fn values_that_moved_to_another_group_are_found() {
    let release =
        joined(&["20;1", "22;1", "80;2", "41;2"], &["1;flu;1", "1;cough;1", "2;cold;1", "2;flu;1"]);
    for certificate in [None, Some(&[0, 1, 3, 2][..])] {
        let rejected = judge(&release, certificate).unwrap_err();
        assert_eq!(rejected.reasons(), [Reason::Untruthful { rows: 2 }]);
        let changed = [("disease".to_owned(), 2)];
        assert_eq!(rejected.findings().truth().unwrap().changed(), changed);
    }
}

#[test]
fn values_that_the_original_lacks_are_found() {
    let release =
        joined(&["20;1", "22;1", "80;2", "41;2"], &["1;flu;1", "1;cold;1", "2;cold;1", "2;flu;1"]);
    let rejected = judge(&release, None).unwrap_err();
    assert_eq!(rejected.reasons(), [Reason::Untruthful { rows: 1 }]);
    // So are rows that it lacks.
    let release =
        joined(&["20;1", "20;1", "80;2", "41;2"], &["1;flu;1", "1;cold;1", "2;cough;1", "2;flu;1"]);
    let found = truth(&release, &patients(), None, Some("group")).unwrap();
    assert_eq!(found.uncovered_rows(), 1);
}

#[test]
fn a_group_of_one_value_breaks_the_promise() {
    let release = joined(&["20;1", "80;1", "22;2", "41;2"], &["1;flu;2", "2;cold;1", "2;cough;1"]);
    let rejected = judge(&release, Some(&[0, 3, 1, 2])).unwrap_err();
    assert!(matches!(rejected.reasons(), [Reason::Model { id: "frequency-l-diversity", .. }]));
}

#[test]
fn tables_that_disagree_are_no_release() {
    let check = |values: &[&str], message: &str| {
        let quasi = table(&["age", "group"], &rows(&["20;1", "22;1"]));
        let values = table(&["group", "disease", "count"], &rows(values));
        let error = join_anatomized(&quasi, &values, "group", "count").unwrap_err();
        assert_eq!(error.to_string(), message);
    };
    let one = "`anatomy` has groups whose rows are not as many as their values: 1";
    check(&["1;flu;1"], one);
    check(&["1;flu;2", "9;cold;1"], one);
    check(&["1;flu;1", "1;cold;18446744073709551615"], one);
    check(&["1;flu;two"], "release.csv, line 2, column `count`: not an integer");
}

/// The rows of a release, with a group and a value in each line, that are not as in the original.
fn uncovered(original: &[&str], release: &[&str]) -> u64 {
    let columns = [("age", Role::Quasi, None), ("disease", Role::Sensitive, None)];
    let data = dataset(&columns, &rows(original));
    let release = table(&["age", "group", "disease"], &rows(release));
    truth(&release, &data, None, Some("group")).unwrap().uncovered_rows()
}

#[test]
fn people_who_swap_their_groups_are_found() {
    let original = ["20;a", "30;b", "40;c", "50;e"];
    assert_eq!(uncovered(&original, &["20;1;b", "30;1;a", "40;2;e", "50;2;c"]), 0);
    assert_eq!(uncovered(&original, &["20;2;e", "30;1;a", "40;1;b", "50;2;c"]), 2);
    assert_eq!(uncovered(&original, &["20;1;c", "30;1;e", "40;2;a", "50;2;b"]), 4);
    // Rows may be missing, their values elsewhere not.
    assert_eq!(uncovered(&original, &["20;1;b", "30;1;a", "40;2;c"]), 0);
    assert_eq!(uncovered(&original, &["20;1;b", "30;1;a", "40;2;e"]), 1);
}

#[test]
fn a_group_has_no_more_of_a_value_than_its_rows() {
    // Two are 20, and one of them has a: whichever of them is in group 1, b is not twice there.
    let original = ["20;a", "20;b", "30;b", "40;a"];
    assert_eq!(uncovered(&original, &["20;1;a", "30;1;b", "20;2;b", "40;2;a"]), 0);
    assert_eq!(uncovered(&original, &["20;1;b", "20;1;b", "30;2;a", "40;2;a"]), 2);
    assert_eq!(uncovered(&original, &["20;1;b", "20.0;1;b", "30;2;a", "40;2;a"]), 2);
    // Each group by itself is possible, and both would need the one who is 20 and has a.
    assert_eq!(
        uncovered(&["20;a", "20;b", "30;b", "40;c"], &["20;1;a", "30;1;b", "20;2;a", "40;2;c",]),
        1
    );
    let original = ["20;a", "20;b", "30;b", "40;c", "50;a"];
    let release = ["20;1;a", "30;1;b", "20;2;a", "40;2;c", "50;3;b"];
    assert_eq!(uncovered(&original, &release), 1);
    let release = ["20;1;a", "30;1;b", "20;2;a", "40;2;c"];
    assert_eq!(uncovered(&original, &release), 1, "as if the others were there");
}

#[test]
fn a_suppressed_row_has_a_value_of_anybody_and_others_do_not() {
    let original = ["20;a", "30;b", "40;c", "50;e"];
    assert_eq!(uncovered(&original, &["*;1;a", "30;1;b", "40;2;c", "*;2;e"]), 0);
    assert_eq!(uncovered(&original, &["*;1;c", "30;1;b", "40;2;e", "*;2;a"]), 1);
}

#[test]
fn several_sensitive_columns_are_taken_together() {
    let columns = [
        ("age", Role::Quasi, None),
        ("x", Role::Sensitive, None),
        ("y", Role::Sensitive, None),
        ("note", Role::Insensitive, None),
    ];
    let data = dataset(&columns, &rows(&["20;a;1;n", "20;b;2;m", "40;a;2;n", "50;b;1;m"]));
    let check = |lines: &[&str], expected: u64| {
        let release = table(&["age", "group", "x", "y", "note"], &rows(lines));
        let found = truth(&release, &data, None, Some("group")).unwrap();
        assert_eq!(found.uncovered_rows(), expected, "{lines:?}");
    };
    check(&["20;1;b;2;n", "20;1;a;1;m", "40;2;a;2;n", "50;2;b;1;m"], 0);
    // The values of each column are there, and not in one row.
    check(&["20;1;a;2;n", "20;1;b;1;m", "40;2;b;2;n", "50;2;a;1;m"], 4);
    // What is not sensitive tells two who are 20 apart.
    check(&["20;1;b;2;n", "50;1;b;1;m", "40;2;a;2;n", "20;2;a;1;m"], 2);
}

/// Whether every row can be given an original row of its own so that each group has its values, by trying.
fn is_possible(original: &[(u8, u8)], release: &[(u8, u8, u8)]) -> bool {
    fn place(
        at: usize,
        original: &[(u8, u8)],
        release: &[(u8, u8, u8)],
        is_used: &mut [bool],
        left: &mut Vec<(u8, u8)>,
    ) -> bool {
        let Some(&(age, group, _)) = release.get(at) else { return true };
        for row in 0..original.len() {
            if is_used[row] || original[row].0 != age {
                continue;
            }
            let value = (group, original[row].1);
            let Some(found) = left.iter().position(|other| *other == value) else { continue };
            is_used[row] = true;
            left.swap_remove(found);
            if place(at + 1, original, release, is_used, left) {
                return true;
            }
            left.push(value);
            is_used[row] = false;
        }
        false
    }
    let mut left = release.iter().map(|row| (row.1, row.2)).collect();
    place(0, original, release, &mut vec![false; original.len()], &mut left)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // What is possible is never rejected, and the other way round where people are told apart.
    #[test]
    fn groups_with_the_values_of_their_rows_are_those_found_by_trying(
        people in prop::collection::vec((0_u8..5, 0_u8..3, 0_u8..3), 1..8),
        is_told_apart in any::<bool>(),
        n_dropped in 0_usize..3,
        swaps in prop::collection::vec((0_usize..8, 0_usize..8), 0..3),
    ) {
        let person = |(at, &(age, group, value)): (usize, &(u8, u8, u8))| {
            (if is_told_apart { u8::try_from(at / 2).unwrap() } else { age }, group, value)
        };
        let mut release: Vec<(u8, u8, u8)> = people.iter().enumerate().map(person).collect();
        if is_told_apart {
            // Who looks alike is in one group.
            for at in 1..release.len() {
                release[at].1 = if at % 2 == 1 { release[at - 1].1 } else { release[at].1 };
            }
        }
        let original: Vec<(u8, u8)> = release.iter().map(|row| (row.0, row.2)).collect();
        release.truncate(original.len().saturating_sub(n_dropped));
        for (a, b) in swaps {
            if let (Some(&one), Some(&other)) = (release.get(a), release.get(b)) {
                (release[a].2, release[b].2) = (other.2, one.2);
            }
        }
        let of_original: Vec<String> = original.iter().map(|(age, value)| format!("{age};d{value}")).collect();
        let of_release: Vec<String> =
            release.iter().map(|(age, group, value)| format!("{age};g{group};d{value}")).collect();
        let found = uncovered(
            &of_original.iter().map(String::as_str).collect::<Vec<_>>(),
            &of_release.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let possible = is_possible(&original, &release);
        if possible {
            prop_assert_eq!(found, 0);
        } else if is_told_apart {
            prop_assert!(found > 0);
        }
    }
}
