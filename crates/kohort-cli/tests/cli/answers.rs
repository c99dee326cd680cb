//! What the commands answer in JSON is a value: a program that reads it back has what was written.

use std::collections::BTreeSet;

use kohort::attack::Answer;
use kohort::compare::Comparison;
use kohort::diagnose::Diagnosis;
use kohort::nested::{NestedAnswer, NestedComparison, NestedReceipt, NestedVerdict};
use kohort::release::{No, Receipt, Verdict};
use kohort::series::{CheckAnswer, ReleaseAnswer, SeriesAnswer, SeriesReceipt, SeriesVerdict};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::harness::Folder;

/// Runs a command and reads its answer back: what that is written as is the answer, to the last digit.
fn read_back<Item: Serialize + DeserializeOwned>(folder: &Folder, words: &str) -> Item {
    let written = folder.json(words);
    let read = serde_json::from_value::<Item>(written.clone());
    let error = read.as_ref().err().map(ToString::to_string);
    assert_eq!(error, None, "{words}");
    let item = read.expect("it was read");
    assert_eq!(serde_json::to_value(&item).expect("it is JSON"), written, "{words}");
    let text = serde_json::to_string(&item).expect("it is JSON");
    let again: Item = serde_json::from_str(&text).expect("it was just written");
    assert_eq!(serde_json::to_string(&again).expect("it is JSON"), text, "{words}");
    item
}

fn folder_of(data: &str) -> Folder {
    let folder = Folder::new();
    let output = folder.run(&format!("demo --data {data}"));
    assert_eq!(output.code, 0, "{output}");
    folder
}

#[test]
fn answers_about_tables_are_read_back_as_they_were_written() {
    for data in ["hospital --rows 150", "census --rows 150", "poll --rows 100"] {
        let folder = folder_of(&format!("{data} -o t.csv"));
        let found: Diagnosis = read_back(&folder, "diagnose plan.toml");
        assert!(found.rows > 0);
        read_back::<Diagnosis>(&folder, "diagnose plan.toml --k 3 --suppress 0.1");
        let receipt: Receipt = read_back(&folder, "anonymize plan.toml -o r.csv");
        assert!(receipt.verified);
        read_back::<Verdict>(&folder, "verify r.csv --plan plan.toml");
        read_back::<Verdict>(&folder, "verify r.csv --plan plan.toml --original t.csv");
        let answer: Answer = read_back(&folder, "attack r.csv --plan plan.toml --original t.csv");
        assert!(!answer.attacks.is_empty());
        let compared: Comparison = read_back(&folder, "compare plan.toml --k 2,5");
        assert!(!compared.points.is_empty());
    }
}

#[test]
fn receipts_of_every_form_and_a_no_are_read_back_as_they_were_written() {
    let folder = folder_of("hospital --rows 150 -o t.csv");
    let mut forms = BTreeSet::new();
    for algorithm in ["optimal", "mdav", "additive-noise", "anatomy"] {
        let goal = if algorithm == "anatomy" { "--distinct-l 2" } else { "--k 3" };
        let words = format!(
            "anonymize t.csv --quasi age,zip --sensitive disease --algorithm {algorithm} {goal} \
             --allow-unsafe -o {algorithm}.csv"
        );
        forms.insert(read_back::<Receipt>(&folder, &words).form);
    }
    assert_eq!(forms.len(), 4, "{forms:?}");
    let no: No = read_back(&folder, "anonymize plan.toml --distinct-l 99 -o n.csv");
    assert!(!no.problem.is_empty());
}

#[test]
fn answers_about_nested_records_are_read_back_as_they_were_written() {
    for (data, release) in
        [("students --rows 40 -o t.json", "r.json"), ("patients --rows 40 -o t.json", "r.json")]
    {
        let folder = folder_of(data);
        read_back::<NestedAnswer>(&folder, "diagnose plan.toml");
        read_back::<NestedReceipt>(&folder, &format!("anonymize plan.toml -o {release}"));
        read_back::<NestedVerdict>(&folder, &format!("verify {release} --plan plan.toml"));
        let words = format!("verify {release} --plan plan.toml --original t.json");
        read_back::<NestedVerdict>(&folder, &words);
        let words = format!("attack {release} --plan plan.toml --original t.json");
        read_back::<Answer>(&folder, &words);
        read_back::<NestedComparison>(&folder, "compare plan.toml --l 2,3");
    }
}

#[test]
fn answers_about_series_are_read_back_as_they_were_written() {
    let folder = folder_of("hospital --releases 2 --rows 100 -o s");
    folder.secret("ledger.key", 1);
    for release in 1..=2 {
        let words =
            format!("publish s/plan.toml --input s/stays-{release}.csv --key-file ledger.key");
        let receipt: SeriesReceipt = read_back(&folder, &words);
        assert_eq!(receipt.release, release);
    }
    let opened = "--ledger s/kohort.ledger --key-file ledger.key";
    read_back::<Vec<SeriesAnswer>>(&folder, &format!("series list {opened}"));
    read_back::<Vec<ReleaseAnswer>>(&folder, &format!("series show stays {opened}"));
    read_back::<Vec<CheckAnswer>>(&folder, &format!("series check {opened}"));
    let words = "verify s/release-1.csv s/release-2.csv --plan s/plan.toml";
    read_back::<SeriesVerdict>(&folder, words);
}
