//! Microaggregated releases: means and medians instead of quasi-identifiers, all else as it was.

use kohort_core::{Dataset, Place, Ratio, Role};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::{Against, Claims, Reason, Shows, verify};
use proptest::prelude::*;

use super::given::{dataset, rows, table};

const NAMES: [&str; 4] = ["age", "sex", "disease", "note"];
const MEANS: Shows = Shows::Centers { is_mean: true };
const MEDIANS: Shows = Shows::Centers { is_mean: false };

fn people(lines: &[&str]) -> Dataset {
    let roles = [Role::Quasi, Role::Quasi, Role::Sensitive, Role::Insensitive];
    let columns: Vec<_> =
        NAMES.into_iter().zip(roles).map(|(name, role)| (name, role, None)).collect();
    dataset(&columns, &rows(lines))
}

/// Why a release is rejected, besides its classes.
fn reasons(shows: Shows, original: &[&str], release: &[&str]) -> Vec<Reason> {
    let data = people(original);
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["age", "sex"],
        group: None,
        sensitive: &[],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(1),
        shows,
    };
    let against = Some(Against { original: &data, certificate: None, models: &models });
    let verdict = verify(&table(&NAMES, &rows(release)), &claims, against).unwrap();
    let reasons = verdict.map_or_else(|rejected| rejected.reasons().to_vec(), |_| Vec::new());
    reasons.into_iter().filter(|reason| !matches!(reason, Reason::Model { .. })).collect()
}

const ORIGINAL: [&str; 4] = ["20;f;flu;x", "25;f;cold;y", "40;m;flu;y", "60;m;cough;x"];

#[test]
fn means_with_all_else_as_it_was_are_accepted() {
    let release = ["22.5;f;cold;y", "50;m;cough;x", "22.5;f;flu;x", "50;m;flu;y"];
    assert_eq!(reasons(MEANS, &ORIGINAL, &release), []);
    assert_eq!(reasons(MEDIANS, &ORIGINAL, &release), []);
    // Rows may be dropped, and cells suppressed.
    assert_eq!(reasons(MEANS, &ORIGINAL, &release[..3]), []);
    assert_eq!(reasons(MEANS, &ORIGINAL, &["*;*;cold;y", "50;m;cough;x"]), []);
}

#[test]
fn other_cells_than_quasi_identifiers_are_those_of_the_original() {
    let check = |release: &[&str], expected: u64| {
        for shows in [MEANS, MEDIANS] {
            let expected = [Reason::Others { rows: expected }];
            assert_eq!(reasons(shows, &ORIGINAL, release), expected, "{release:?}");
        }
        assert_eq!(reasons(Shows::Anything, &ORIGINAL, release), []);
    };
    check(&["22.5;f;cold;y", "22.5;f;flu;x", "50;m;flu;y", "50;m;flu;x"], 1);
    check(&["22.5;f;cold;y", "22.5;f;flu;x", "50;m;flu;y", "50;m;*;x"], 1);
    // Each column is as it was, and not each row.
    check(&["22.5;f;cold;x", "22.5;f;flu;x", "50;m;flu;y", "50;m;cough;y"], 2);
}

#[test]
fn what_stands_for_a_class_is_no_less_and_no_more_than_its_column() {
    let check = |shows: Shows, release: &[&str], column: &str, line: u64| {
        let (table, place) = ("release.csv".to_owned(), Place::Line(line));
        let expected = [Reason::NoCenter { table, place, column: column.into() }];
        assert_eq!(reasons(shows, &ORIGINAL, release), expected, "{release:?}");
    };
    for shows in [MEANS, MEDIANS] {
        check(shows, &["99;f;cold;y", "99;f;flu;x", "99;m;flu;y", "99;m;cough;x"], "age", 2);
        check(shows, &["20.5;f;cold;y", "19.9;f;flu;x", "50;m;flu;y", "50;m;cough;x"], "age", 3);
        check(shows, &["22.5;f;cold;y", "22.5;f;flu;x", "[40, 60];m;flu;y"], "age", 4);
        check(shows, &["22.5;f;cold;y", "22.5;d;flu;x", "50;m;flu;y", "50;m;cough;x"], "sex", 3);
    }
}

#[test]
fn means_have_the_mean_of_their_column() {
    let no_means = [Reason::NoMeans { column: "age".into() }];
    let check = |ages: [&str; 4], shows: Shows, expected: &[Reason]| {
        let others = ["f;flu;x", "f;cold;y", "m;flu;y", "m;cough;x"];
        let lines: Vec<String> =
            ages.iter().zip(others).map(|(age, others)| format!("{age};{others}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(reasons(shows, &ORIGINAL, &lines), expected, "{ages:?}");
    };
    // The mean is 36.25.
    check(["36.25", "36.25", "36.25", "36.25"], MEANS, &[]);
    check(["36.3", "36.3", "36.3", "36.3"], MEANS, &[]);
    check(["36", "36", "36", "36"], MEANS, &[]);
    check(["36.26", "36.26", "36.26", "36.26"], MEANS, &no_means);
    check(["50", "50", "50", "50"], MEANS, &no_means);
    check(["50", "50", "50", "50"], MEDIANS, &[]);
    // The mean of all is right, and two have no mean of 55.
    check(
        ["17.5", "17.5", "55", "55"],
        MEDIANS,
        &[Reason::NoCenter {
            table: "release.csv".into(),
            place: Place::Line(2),
            column: "age".into(),
        }],
    );
    check(["20.0", "20.0", "50.0", "55.0"], MEANS, &no_means);
}

#[test]
fn means_of_days_are_days_and_what_is_missing_has_no_mean() {
    let days = ["01.02.1980;f;a;x", "04.02.1980;f;b;x", "20.03.1990;m;a;x", "21.03.1990;m;b;x"];
    let release = ["1980-02-02;f;a;x", "1980-02-02;f;b;x", "1990-03-20;m;a;x", "1990-03-20;m;b;x"];
    assert_eq!(reasons(MEANS, &days, &release), []);
    let later = ["1980-02-02;f;a;x", "1980-02-02;f;b;x", "1990-03-23;m;a;x"];
    assert!(matches!(&reasons(MEANS, &days, &later)[..], [Reason::NoCenter { .. }]));
    // A class shows the mean of the numbers that it has, also for who lacks one.
    let original = ["20;f;a;x", ";f;b;x", "60;m;a;x", "62;m;b;x"];
    let release = ["20;f;a;x", "20;f;b;x", "61;m;a;x", "61;m;b;x"];
    assert_eq!(reasons(MEANS, &original, &release), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn means_of_groups_are_accepted_however_they_are_rounded(
        people in prop::collection::vec((-99_i32..99, 0_usize..4), 1..20),
        n_decimals in 0_usize..5,
        n_dropped in 0_usize..3,
    ) {
        let mean = |group: usize| {
            let ages = || people.iter().filter(|person| person.1 == group).map(|person| person.0);
            f64::from(ages().sum::<i32>()) / f64::from(u32::try_from(ages().count()).unwrap())
        };
        let original: Vec<String> = people.iter().map(|(age, _)| format!("{age};f;a;x")).collect();
        let release: Vec<String> = (people.iter())
            .map(|&(_, group)| format!("{:.n_decimals$};f;a;x", mean(group)))
            .skip(n_dropped)
            .collect();
        let found = reasons(
            MEANS,
            &original.iter().map(String::as_str).collect::<Vec<_>>(),
            &release.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        prop_assert_eq!(found, []);
    }
}
