//! Verdicts on small releases.

use kohort_core::{Dataset, Kind, Ratio, Role};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::{Against, Claims, Reason, Shows, truth, verify};

use super::given::{dataset, rows, table};

fn patients() -> Dataset {
    let columns = [
        ("name", Role::Identifier, None),
        ("age", Role::Quasi, None),
        ("disease", Role::Sensitive, None),
    ];
    dataset(&columns, &rows(&["ann;20;flu", "bob;22;flu", "cid;41;cough", "dan;80;cold"]))
}

fn models(k: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(KAnonymity::new(k).unwrap())]
}

#[test]
fn stars_are_a_class_like_any_other() {
    let release = table(&["age", "disease"], &rows(&["[20, 22];flu", "[20, 22];flu", "*;cough"]));
    let models = models(2);
    let claims = Claims {
        identifiers: &["name".into()],
        without_role: &[],
        quasi: &["age"],
        group: None,
        sensitive: &[],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::new(1, 4),
        shows: Shows::Rows,
    };
    let rejected = verify(&release, &claims, None).unwrap().unwrap_err();
    assert_eq!(rejected.findings().starred_rows(), 1);
    assert_eq!(rejected.findings().k(), Some(1));
    assert_eq!(rejected.findings().n_classes(), 2);
    assert!(matches!(rejected.reasons(), [Reason::Model { id: "k-anonymity", .. }]));
    let release = table(&["age", "disease"], &rows(&["[20, 22];flu", "[20, 22];flu"]));
    assert!(verify(&release, &claims, None).unwrap().is_ok());
    let data = patients();
    let against = Some(Against { original: &data, certificate: None, models: &models });
    let rejected = verify(&release, &claims, against).unwrap().unwrap_err();
    let (share, allowed) = (Ratio::new(1, 2), Ratio::new(1, 4));
    assert_eq!(rejected.reasons(), [Reason::Suppression { share, allowed }]);
}

#[test]
fn identifiers_reject_and_lost_columns_are_errors() {
    let data = patients();
    let models = models(2);
    let claims = Claims {
        identifiers: &["name".into()],
        without_role: &[],
        quasi: &["age"],
        group: None,
        sensitive: &[],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    let lines = rows(&["ann;*;flu", "bob;*;flu", "cid;*;cough", "dan;*;cold"]);
    let against =
        Some(Against { original: &data, certificate: Some(&[0, 1, 2, 3]), models: &models });
    let verdict = verify(&table(&["name", "age", "disease"], &lines), &claims, against);
    let column = "name".to_owned();
    assert_eq!(verdict.unwrap().unwrap_err().reasons(), [Reason::Identifier { column }]);
    for names in [["name", "disease"], ["name", "age"]] {
        let lines: Vec<Vec<String>> = vec![vec!["ann".into(), "*".into()]];
        let error = truth(&table(&names, &lines), &data, None, None).unwrap_err();
        assert!(matches!(error.kind(), Kind::UnknownColumn { .. }));
    }
}

#[test]
fn without_a_promise_there_is_no_verdict() {
    let release = table(&["age"], &rows(&["*"]));
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["age"],
        group: None,
        sensitive: &[],
        models: &[],
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    let error = verify(&release, &claims, None).unwrap_err();
    assert_eq!(error.to_string(), "`models` must be at least one promise, but is none");
}

#[test]
fn a_row_claimed_twice_or_out_of_range_is_no_cover() {
    let data = patients();
    let release = table(&["age", "disease"], &rows(&["*;flu", "*;flu", "*;cold"]));
    let uncovered =
        |claimed: &[u32]| truth(&release, &data, Some(claimed), None).unwrap().uncovered_rows();
    assert_eq!(uncovered(&[0, 1, 3]), 0);
    assert_eq!(uncovered(&[0, 0, 3]), 1);
    assert_eq!(uncovered(&[0, 1, 9]), 1);
    assert_eq!(uncovered(&[0, 1]), 1);
    assert_eq!(uncovered(&[1, 2, 3]), 1);
}

#[test]
fn tables_without_rows_or_quasi_identifiers_are_compared_too() {
    let data = patients();
    let nothing = truth(&table(&["age", "disease"], &[]), &data, None, None).unwrap();
    assert!(nothing.holds());
    assert_eq!((nothing.n_dropped(), nothing.sizes().len()), (4, 0));
    let columns = [("disease", Role::Sensitive, None)];
    let data = dataset(&columns, &rows(&["flu", "flu", "cold"]));
    let release = table(&["disease"], &rows(&["flu", "cold", "cold"]));
    let found = truth(&release, &data, None, None).unwrap();
    assert_eq!(found.uncovered_rows(), 1);
    assert_eq!(found.changed(), [("disease".to_owned(), 1)]);
    let data = dataset(&columns, &[]);
    assert_eq!(truth(&release, &data, None, None).unwrap().uncovered_rows(), 3);
}
