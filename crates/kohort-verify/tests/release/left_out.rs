//! The people who are not in a release, judged as a class.

use kohort_core::{Attribute, Dataset, Domain, Ratio, Role};
use kohort_models::{ClassModel, DistinctLDiversity, FrequencyLDiversity, KAnonymity};
use kohort_verify::{Against, Claims, Reason, Rejected, Shows, Verified, verify};

use super::given::{dataset, rows, table};

type Models = Vec<Box<dyn ClassModel>>;

fn people(lines: &[&str]) -> Dataset {
    dataset(&[("age", Role::Quasi, None), ("disease", Role::Sensitive, None)], &rows(lines))
}

fn judge(
    original: &[&str],
    release: &[&str],
    models: impl Fn() -> Models,
    certificate: Option<&[u32]>,
) -> Result<Verified, Rejected> {
    let data = people(original);
    let release = table(&["age", "disease"], &rows(release));
    let column = release.column("disease").unwrap();
    let domain = Domain::new(&release, column, None, &|_| false).unwrap();
    let disease = Attribute::new(&release, "disease", Role::Sensitive, domain, None).unwrap();
    let (own, of_original) = (models(), models());
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["age"],
        group: None,
        sensitive: &[&disease],
        models: &own,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(1),
        shows: Shows::Rows,
    };
    let against = Against { original: &data, certificate, models: &of_original };
    verify(&release, &claims, Some(against)).unwrap()
}

fn two_of_each() -> Models {
    vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())]
}

const CLASS: [&str; 4] = ["[20, 30];flu", "[20, 30];hiv", "[20, 30];flu", "[20, 30];cold"];
const IN_IT: [&str; 4] = ["20;flu", "22;hiv", "25;flu", "30;cold"];

fn with<'a>(others: &[&'a str]) -> Vec<&'a str> {
    IN_IT.iter().chain(others).copied().collect()
}

#[test]
fn people_who_are_all_alike_may_not_be_left_out() {
    let rejected = judge(&with(&["60;hiv", "70;hiv"]), &CLASS, two_of_each, None).unwrap_err();
    let id = "frequency-l-diversity";
    let expected = Reason::LeftOut { id, promise: 0, people: 2, are_uncovered: false };
    assert_eq!(rejected.reasons(), [expected]);
    // Who is guessed rightly for certain is counted.
    assert_eq!(rejected.findings().guessing()[0].max, Ratio::whole(1));
    let left_out = rejected.findings().left_out().unwrap();
    assert_eq!((left_out.people, left_out.uncovered), (2, 2));
}

#[test]
fn people_whose_values_keep_the_promise_may_be() {
    let verified = judge(&with(&["60;hiv", "70;cold"]), &CLASS, two_of_each, None).unwrap();
    assert_eq!(verified.findings().left_out().unwrap().people, 2);
    assert_eq!(verified.findings().guessing()[0].max, Ratio::new(1, 2));
}

// One of them is covered by the published box: only of the other can anybody tell.
#[test]
fn those_whom_no_row_covers_are_a_class_of_their_own() {
    let original = with(&["28;cold", "70;hiv"]);
    let rejected = judge(&original, &CLASS, two_of_each, None).unwrap_err();
    let id = "frequency-l-diversity";
    let expected = Reason::LeftOut { id, promise: 0, people: 1, are_uncovered: true };
    assert_eq!(rejected.reasons(), [expected]);
    assert_eq!(rejected.findings().left_out().unwrap().uncovered, 1);
}

#[test]
fn a_promise_about_sizes_says_nothing_about_them() {
    let k_alone = || vec![Box::new(KAnonymity::new(4).unwrap()) as Box<dyn ClassModel>];
    judge(&with(&["70;hiv"]), &CLASS, k_alone, None).unwrap();
    let distinct = || vec![Box::new(DistinctLDiversity::new(0, 2).unwrap()) as Box<dyn ClassModel>];
    assert!(judge(&with(&["70;hiv"]), &CLASS, distinct, None).is_err());
    judge(&with(&["70;hiv", "80;flu"]), &CLASS, distinct, None).unwrap();
}

// A value that no released row has is a value all the same.
#[test]
fn a_value_that_is_not_in_the_release_is_counted() {
    let rejected = judge(&with(&["60;ebola", "70;ebola"]), &CLASS, two_of_each, None).unwrap_err();
    assert!(matches!(rejected.reasons(), [Reason::LeftOut { people: 2, .. }]));
}

// Where a sensitive cell is masked nobody knows whose it is, unless somebody says so.
#[test]
fn what_is_not_known_of_them_is_refused() {
    let masked = ["[20, 30];flu", "[20, 30];hiv", "[20, 30];*", "[20, 30];cold"];
    let original = with(&["60;hiv", "70;cold"]);
    let rejected = judge(&original, &masked, two_of_each, None).unwrap_err();
    assert!(rejected.reasons().contains(&Reason::LeftOutUnknown { people: 2 }));
    let known = judge(&original, &masked, two_of_each, Some(&[0, 1, 2, 3]));
    let reasons = known.map_or_else(|rejected| rejected.reasons().to_vec(), |_| Vec::new());
    assert!(!reasons.iter().any(|reason| matches!(reason, Reason::LeftOutUnknown { .. })));
}
