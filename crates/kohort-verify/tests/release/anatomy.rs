//! Anatomized releases: groups as classes, sensitive values by group.

use kohort_core::{Attribute, Dataset, Domain, Ratio, Role, Table};
use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity};
use kohort_verify::{Against, Claims, Reason, Rejected, Verified, join_anatomized, truth, verify};

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
        membership: None,
        suppression: Ratio::whole(0),
        is_truthful: true,
    };
    let data = patients();
    verify(release, &claims, Some(Against { original: &data, certificate })).unwrap()
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
            membership: None,
            suppression: Ratio::whole(0),
            is_truthful: false,
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
fn values_that_moved_to_another_group_need_a_certificate_to_be_found() {
    let release =
        joined(&["20;1", "22;1", "80;2", "41;2"], &["1;flu;1", "1;cough;1", "2;cold;1", "2;flu;1"]);
    assert!(judge(&release, None).is_ok());
    let rejected = judge(&release, Some(&[0, 1, 3, 2])).unwrap_err();
    assert_eq!(rejected.reasons(), [Reason::Untruthful { rows: 2 }]);
    let changed = [("disease".to_owned(), 2)];
    assert_eq!(rejected.findings().truth().unwrap().changed(), changed);
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
