//! The printed releases of Sharma et al., read as they stand.

use kohort_core::{Dataset, Ratio};
use kohort_models::{ClassModel, KAnonymity, METRICS, Measured};
use kohort_verify::{Against, Claims, Findings, Reason, Rejected, Shows, Verified, verify};

use super::given::{rows, table};
use super::paper_002::{TABLE_6, table_2};

const NAMES: [&str; 4] = ["zip", "age", "gender", "disease"];

fn judge(data: &Dataset, lines: &[&str]) -> Result<Verified, Rejected> {
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["zip", "age", "gender"],
        group: None,
        sensitive: &[],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    let against = Against { original: data, certificate: None, models: &models };
    verify(&table(&NAMES, &rows(lines)), &claims, Some(against)).unwrap()
}

fn ncp(data: &Dataset, findings: &Findings) -> f64 {
    let truth = findings.truth().unwrap();
    let measured = Measured {
        quasi: &data.quasi(),
        weights: &[1.0; 3],
        n_rows: data.n_rows() as u64,
        cells: truth.cells(),
        sizes: truth.sizes(),
        groups: truth.sizes(),
        n_suppressed: truth.n_dropped(),
        k: 2,
    };
    let metric = METRICS.iter().find(|metric| metric.id == "ncp").unwrap();
    (metric.measure)(&measured).unwrap().value
}

// The paper writes the root of gender in two ways.
#[test]
fn table_5_is_2_anonymous_and_truthful() {
    let data = table_2(NAMES);
    let verified = judge(
        &data,
        &[
            "130**;[20-30];*;Flu",
            "130**;[20-30];*;Cancer",
            "130**;[31-40];Person;Viral",
            "130**;[31-40];Person;HIV+",
            "148**;[41-50];*;Cancer",
            "148**;[41-50];*;Headache",
            "148**;[51-60];Person;HIV+",
            "148**;[51-60];Person;Viral",
        ],
    )
    .unwrap();
    assert_eq!(verified.findings().k(), Some(2));
    assert!((ncp(&data, verified.findings()) - 0.5811).abs() < 5e-5);
}

#[test]
fn table_6_is_truthful_but_1_anonymous() {
    let data = table_2(NAMES);
    let rejected = judge(&data, &TABLE_6).unwrap_err();
    assert!(matches!(rejected.reasons(), [Reason::Model { id: "k-anonymity", .. }]));
    assert_eq!(rejected.findings().k(), Some(1));
    assert!((ncp(&data, rejected.findings()) - 0.3355).abs() < 5e-5);
}

// Errata: the genders of rows 2 and 3 are exchanged. The ages are written as in Table 5, since `>20` and
// `3*` are nodes of no hierarchy of the paper.
#[test]
fn table_4_is_no_generalization_of_table_2() {
    let data = table_2(NAMES);
    let rejected = judge(
        &data,
        &[
            "130**;[20-30];M;Flu",
            "130**;[20-30];M;Cancer",
            "130**;[31-40];F;Viral",
            "130**;[31-40];F;HIV+",
            "148**;[41-50];*;Cancer",
            "148**;[41-50];*;Headache",
            "148**;[51-60];Person;HIV+",
            "148**;[51-60];Person;Viral",
        ],
    )
    .unwrap_err();
    assert_eq!(rejected.reasons(), [Reason::Untruthful { rows: 2 }]);
}
