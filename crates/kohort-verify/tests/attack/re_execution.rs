//! The attack that runs the method again, on methods of a few lines.

use kohort_core::{Error, Ratio};
use kohort_models::{ClassModel, FrequencyLDiversity};
use kohort_verify::attack::{Finding, Kinds, Method, Verdict};

use crate::lab::{Lab, close};

/// A method that puts people into classes by the kinds of their values alone.
struct Made {
    kinds: Kinds,
    truth: Vec<u32>,
    classes: fn(&[u32]) -> Option<Vec<u32>>,
    draws: bool,
}

impl Made {
    /// The values in each class, sorted; nobody is told from anybody else in it.
    fn shown(&self, kinds: &[u32]) -> Option<Vec<(u32, u32)>> {
        let mut shown: Vec<_> =
            (self.classes)(kinds)?.into_iter().zip(kinds.iter().copied()).collect();
        shown.sort_unstable();
        Some(shown)
    }
}

impl Method for Made {
    fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    fn classes(&self, kinds: &[u32], _: u32) -> Result<Option<Vec<u32>>, Error> {
        Ok((self.classes)(kinds))
    }

    fn leads_to_release(&self, kinds: &[u32], _: u32) -> Result<bool, Error> {
        let is_alike = (self.classes)(kinds) == (self.classes)(&self.truth);
        Ok(is_alike && self.shown(kinds) == self.shown(&self.truth))
    }

    fn most_runs(&self) -> usize {
        20_000
    }

    fn draws(&self) -> bool {
        self.draws
    }
}

fn found(lab: &Lab, made: &Made) -> Finding {
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())];
    lab.find("re-execution", |scene| {
        scene.declared.models = &models;
        scene.method = Ok(kohort_verify::attack::RunAgain::Once(made));
    })
}

fn notes(finding: &Finding) -> String {
    finding.weakest().notes.iter().map(ToString::to_string).collect()
}

/// The codes of the values of the release, in the order of its rows.
fn codes(lab: &Lab) -> Vec<u32> {
    lab.release.sensitive()[0].codes().iter().collect()
}

// The last two people are left out, unless the very last has what is not shown: then there is no release. Who
// sees that they are missing believes in each of their values with 1/2; who runs the method again knows both.
#[test]
fn people_who_were_left_out_are_found_out() {
    let lab = Lab::of(&["[20, 21];flu", "[20, 21];cold", "[30, 31];flu", "[30, 31];cold"])
        .with_original(&["20;flu", "21;cold", "30;cold", "31;flu", "60;hiv", "61;cold"]);
    let shown = codes(&lab);
    let (flu, cold) = (shown[0], shown[1]);
    let kinds =
        Kinds { codes: vec![vec![0], vec![1], vec![2]], of_row: shown, left: vec![cold, 2] };
    let classes = |kinds: &[u32]| (kinds[5] != 2).then(|| vec![0, 0, 1, 1, 9, 9]);
    let truth = vec![flu, cold, cold, flu, 2, cold];
    let made = Made { kinds, truth, classes, draws: false };
    let finding = found(&lab, &made);
    let weakest = finding.weakest();
    assert_eq!(weakest.verdict, Verdict::Refuted, "{}", notes(&finding));
    // The value that the release does not show cannot be named: five of six have one that can.
    assert_eq!(weakest.rate.targets, 6);
    assert!(close(weakest.rate.max_probability, 1.0));
    assert!(
        notes(&finding).contains("assignments that the release admits, 4 lead to it"),
        "{}",
        notes(&finding)
    );
}

/// Fifteen pairs of neighbors, each with two values.
fn pairs() -> (Lab, Vec<u32>) {
    let mut release = Vec::new();
    let mut original = Vec::new();
    for pair in 0..15 {
        let (low, high) = (20 + 2 * pair, 21 + 2 * pair);
        for value in ["cold", "flu"] {
            release.push(format!("[{low}, {high}];{value}"));
        }
        original.extend([format!("{low};cold"), format!("{high};flu")]);
    }
    let lines = |all: &[String]| -> Vec<&'static str> {
        all.iter().map(|line| &*Box::leak(line.clone().into_boxed_str())).collect()
    };
    let lab = Lab::of(&lines(&release)).with_original(&lines(&original));
    let truth = codes(&lab);
    (lab, truth)
}

// Pairs whose first person has the second value are one class. Of 2¹⁵ assignments one leads to the release, and
// each exchange within a pair that is right brings it nearer.
#[test]
fn assignments_that_are_too_many_to_try_are_looked_for_by_exchanges() {
    let (lab, truth) = pairs();
    let classes = |kinds: &[u32]| -> Option<Vec<u32>> {
        let of = |person: usize| {
            let pair = person / 2;
            if kinds[2 * pair] < kinds[2 * pair + 1] { u32::try_from(pair).unwrap() } else { 99 }
        };
        Some((0..kinds.len()).map(of).collect())
    };
    let kinds = Kinds { codes: vec![vec![0], vec![1]], of_row: truth.clone(), left: Vec::new() };
    let made = Made { kinds, truth, classes, draws: false };
    let finding = found(&lab, &made);
    let weakest = finding.weakest();
    assert!(notes(&finding).contains("searches found assignments"), "{}", notes(&finding));
    assert!(close(weakest.rate.success, 1.0) && close(weakest.rate.baseline, 0.5));
    assert_eq!(weakest.verdict, Verdict::Refuted);
}

// A class for everybody who asks: nothing about values can be told from it.
#[test]
fn a_method_that_does_not_look_at_values_is_not_refuted() {
    let (lab, truth) = pairs();
    let classes =
        |kinds: &[u32]| Some((0..kinds.len()).map(|at| u32::try_from(at / 2).unwrap()).collect());
    let kinds = Kinds { codes: vec![vec![0], vec![1]], of_row: truth.clone(), left: Vec::new() };
    let made = Made { kinds, truth, classes, draws: false };
    let finding = found(&lab, &made);
    assert_eq!(finding.weakest().verdict, Verdict::NotRefuted, "{}", notes(&finding));
}

#[test]
fn what_was_not_tried_or_is_of_another_table_says_so() {
    let (lab, truth) = pairs();
    let classes =
        |kinds: &[u32]| Some((0..kinds.len()).map(|at| u32::try_from(at / 2).unwrap()).collect());
    let kinds = || Kinds { codes: vec![vec![0], vec![1]], of_row: truth.clone(), left: Vec::new() };
    let drawn = Made { kinds: kinds(), truth: truth.clone(), classes, draws: true };
    let finding = found(&lab, &drawn);
    assert!(notes(&finding).contains("nothing was tried"), "{}", notes(&finding));
    assert_eq!(finding.weakest().verdict, Verdict::NotRefuted);
    let lab = Lab::of(&["[20, 21];flu", "[20, 21];cold"]).with_original(&["20;flu", "21;cold"]);
    let kinds = Kinds { codes: vec![vec![0], vec![1]], of_row: vec![1, 0], left: Vec::new() };
    let nothing = Made { kinds, truth: vec![1, 0], classes: |_| None, draws: false };
    let finding = found(
        &lab,
        &Made {
            truth: vec![1, 1],
            classes: |kinds| (kinds[0] == kinds[1]).then(|| vec![0, 0]),
            ..nothing
        },
    );
    assert!(notes(&finding).contains("not made by this program"), "{}", notes(&finding));
}

#[test]
fn it_needs_a_promise_about_values_and_a_method() {
    let (lab, _) = pairs();
    let needs = lab.try_find("re-execution", |_| {}).err().unwrap();
    assert!(needs.contains("a plan with a promise"), "{needs}");
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())];
    let needs =
        lab.try_find("re-execution", |scene| scene.declared.models = &models).err().unwrap();
    assert!(needs.contains("a method that can be run again"), "{needs}");
}
