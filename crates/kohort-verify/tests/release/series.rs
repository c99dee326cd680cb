//! The next release of a series: what the judge rejects, and why.

use kohort_core::{Dataset, History, Role, Table};
use kohort_models::series::{MInvariance, SeriesModel};
use kohort_verify::series::{
    SeriesClaims, SeriesEvidence, SeriesReason, SeriesRejected, SeriesVerified, verify,
};

use super::given::{dataset, rows, table};

// The certificate is the order of the rows; the last row of the release is a counterfeit.
const ORIGINAL: &[&str] = &["21;flu", "24;gout", "35;flu"];
const RELEASE: &[&str] = &["[21, 24];flu;1", "[21, 24];gout;1", "35;flu;2", "35;gout;2"];
const COUNTERFEITS: &[&str] = &["2;1"];

struct Given {
    release: Vec<Vec<String>>,
    counterfeits: Option<Vec<Vec<String>>>,
    certificate: Vec<Option<u32>>,
    names: Vec<&'static str>,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            release: rows(RELEASE),
            counterfeits: Some(rows(COUNTERFEITS)),
            certificate: vec![Some(0), Some(1), Some(2), None],
            names: vec!["age", "disease", "group"],
        }
    }
}

fn original() -> Dataset {
    let columns = [("age", Role::Quasi, None), ("disease", Role::Sensitive, None)];
    dataset(&columns, &rows(ORIGINAL))
}

impl Given {
    fn judge(&self, history: &History) -> Result<SeriesVerified, SeriesRejected> {
        let claims = SeriesClaims {
            model: SeriesModel::MInvariance(MInvariance::new(2).unwrap()),
            history,
            is_history_broken: false,
            believed: None,
            boxes: &[],
            sensitive: &vec!["disease".to_owned(); history.releases.len() + 1],
            correlations: None,
        };
        let evidence = SeriesEvidence {
            original: &original(),
            person_of_row: &[0, 1, 2],
            value_of_row: &[0, 1, 0],
            domain: &["flu".into(), "gout".into()],
            certificate: &self.certificate,
        };
        let release = table(&self.names, &self.release);
        let counted: Option<Table> =
            self.counterfeits.as_ref().map(|rows| table(&["group", "count"], rows));
        verify((&release, counted.as_ref()), &claims, &evidence).unwrap()
    }

    fn reason(&self) -> SeriesReason {
        self.judge(&empty()).unwrap_err().reason().clone()
    }

    fn without_row(mut self, at: usize) -> Self {
        self.release.remove(at);
        self.certificate.remove(at);
        self
    }
}

fn empty() -> History {
    History { n_values: 2, releases: Vec::new() }
}

#[test]
fn a_release_that_keeps_the_promise_is_verified_with_the_highest_belief() {
    let findings = Given::default().judge(&empty()).unwrap().into_findings();
    assert_eq!(findings.belief().highest.to_string(), "0.5");
    assert_eq!(findings.classes().release.class_of, [0, 0, 1]);
    assert_eq!(findings.classes().release.classes[1].n_counterfeits, 1);
}

#[test]
fn what_does_not_say_what_the_original_says_is_rejected() {
    let cell = |row: usize, column: usize, text: &str| {
        let mut given = Given::default();
        given.release[row][column] = text.into();
        given.reason()
    };
    // Two people exchange their values; a class covers none of them; a value is nobody's.
    let mut exchanged = Given::default();
    exchanged.certificate.swap(0, 1);
    assert_eq!(exchanged.reason(), SeriesReason::Uncovered { rows: 2 });
    let mut moved = Given::default();
    moved.release.iter_mut().take(2).for_each(|row| row[0] = "[22, 24]".into());
    assert_eq!(moved.reason(), SeriesReason::Uncovered { rows: 1 });
    // A row that is said to be somebody's who has one already.
    let mut doubled = Given::default();
    doubled.release.push(doubled.release[0].clone());
    doubled.certificate.push(Some(0));
    assert!(matches!(doubled.reason(), SeriesReason::Uncovered { rows: 1.. }));
    assert_eq!(cell(0, 1, "cough"), SeriesReason::UnknownValue);
    assert_eq!(cell(0, 0, "[21, 25]"), SeriesReason::DifferentCells);
    assert_eq!(cell(0, 2, "2"), SeriesReason::DifferentCells);
}

#[test]
fn counterfeits_are_counted_as_they_are() {
    let counted = |lines: Option<&[&str]>| {
        Given { counterfeits: lines.map(rows), ..Given::default() }.reason()
    };
    for wrong in [None, Some(&["2;2"][..]), Some(&["1;1"]), Some(&["2;1", "3;1"])] {
        assert_eq!(counted(wrong), SeriesReason::MiscountedCounterfeits, "{wrong:?}");
    }
}

#[test]
fn a_release_has_the_rows_and_columns_of_its_certificate() {
    let mut doubled = Given::default();
    doubled.release.push(doubled.release[0].clone());
    assert_eq!(doubled.reason(), SeriesReason::OtherShape);
    let mut wider = Given::default();
    wider.names.push("more");
    wider.release.iter_mut().for_each(|row| row.push("x".into()));
    assert_eq!(wider.reason(), SeriesReason::OtherShape);
}

#[test]
fn a_class_that_does_not_keep_the_promise_is_rejected() {
    // Without its counterfeit the second class shows one value.
    let given = Given { counterfeits: None, ..Given::default() }.without_row(3);
    assert!(matches!(given.reason(), SeriesReason::Model(_)));
}

#[test]
fn people_held_back_with_one_value_are_the_reason_and_the_classes_are_known() {
    let given = Given { counterfeits: None, ..Given::default() }.without_row(3).without_row(2);
    let rejected = given.judge(&empty()).unwrap_err();
    let one = kohort_core::Ratio::whole(1);
    assert_eq!(*rejected.reason(), SeriesReason::HeldBack { share: one, people: 1 });
    // The belief counts the person who waits.
    assert_eq!(rejected.into_findings().unwrap().belief().highest.to_string(), "1");
}

#[test]
fn what_earlier_releases_say_is_taken_into_account() {
    // The first person was in a class of two other values: what both have in common is one value.
    let mut earlier = Given::default().judge(&empty()).unwrap().into_findings();
    let mut first = earlier.classes().release.clone();
    first.classes[0].values = vec![0, 2];
    let history = History { n_values: 3, releases: vec![first] };
    let rejected = Given::default().judge(&history).unwrap_err();
    assert!(matches!(rejected.reason(), SeriesReason::Model(_)), "{:?}", rejected.reason());
    // The same release again says nothing new.
    let history = History { n_values: 2, releases: vec![earlier.classes().release.clone()] };
    earlier = Given::default().judge(&history).unwrap().into_findings();
    assert_eq!(earlier.belief().highest.to_string(), "0.5");
}
