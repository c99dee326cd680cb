//! Insensitive columns: that they single people out is warned of and attacked.

use std::fmt::Write as _;

use crate::harness::Folder;

/// Sixty made-up people: a date, a probability and a score that differ from row to row, beside two
/// quasi-identifiers and a sensitive attribute.
fn scored() -> Folder {
    let mut text = String::from("age,sex,disease,seen,probability,score\n");
    for row in 0..60_u32 {
        let age = 20 + row * 7 % 40;
        let sex = ["f", "m"][row as usize % 2];
        let disease = ["flu", "cold", "gout"][row as usize % 3];
        let date = format!("2021-{:02}-{:02}", row % 12 + 1, row % 28 + 1);
        let _ =
            writeln!(text, "{age},{sex},{disease},{date},0.{},{}", 1000 + row * 37, row * row % 61);
    }
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\nsex = 'quasi'\ndisease = 'sensitive'\n\
                seen = 'insensitive'\nprobability = 'insensitive'\nscore = 'insensitive'\n\
                [goal]\nk-anonymity = 5\n[output]\nrelease = 'r.csv'\n";
    Folder::with(&[("t.csv", &text), ("plan.toml", plan)])
}

const WARNING: &str =
    "the insensitive columns `probability`, `score`, `seen` single out 60 of 60 rows";

#[test]
fn a_release_whose_insensitive_columns_make_rows_unique_is_warned_of() {
    let folder = scored();
    let output = folder.run("anonymize plan.toml --report r.html");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains(WARNING), "{output}");
    assert!(folder.text("r.html").expect("it was written").contains("single out 60 of 60 rows"));
    let receipt = folder.json("anonymize plan.toml -o again.csv");
    assert!(receipt["notes"].to_string().contains(WARNING), "{receipt}");
    let verdict = folder.json("verify r.csv --plan plan.toml --original t.csv");
    assert_eq!(verdict["verified"], true);
    assert!(verdict["notes"].to_string().contains(WARNING), "{verdict}");
}

#[test]
fn insensitive_columns_are_the_weak_point_of_such_a_release() {
    let folder = scored();
    assert_eq!(folder.run("anonymize plan.toml").code, 0);
    for words in ["", " --original t.csv"] {
        let output = folder.run(&format!("attack r.csv --plan plan.toml --format json{words}"));
        let answer = output.json();
        // Nobody promised anything about them: the attack succeeds, and refutes nothing.
        assert_eq!((output.code, &answer["refuted"]), (0, &false.into()), "{output}");
        let weakest = &answer["attacks"][0];
        assert_eq!(weakest["id"], "insensitive-columns", "{answer}");
        assert_eq!((&weakest["verdict"], &weakest["success"]), (&"succeeds".into(), &1.0.into()));
        assert_eq!((&weakest["targets"], &weakest["above"]["1.0"]), (&60.into(), &60.into()));
    }
    let text = folder.run("attack r.csv --plan plan.toml --original t.csv").stdout;
    assert!(text.contains("insensitive-columns"), "{text}");
}

#[test]
fn insensitive_values_of_nested_records_are_warned_of_and_attacked() {
    let record = |row: u32| {
        let age = 20 + row % 2;
        format!(
            "{{\"age\": {age}, \"visits\": [{{\"score\": {}, \"disease\": \"flu\"}}]}}",
            row * 3
        )
    };
    let records: Vec<String> = (0..20).map(record).collect();
    let plan = "input = 'o.json'\n[attributes]\nage = 'quasi'\n'visits[].score' = 'insensitive'\n\
                'visits[].disease' = 'sensitive'\n[goal]\nk-anonymity = 5\n[output]\nrelease = 'r.json'\n";
    let folder =
        Folder::with(&[("o.json", &format!("[{}]", records.join(","))), ("plan.toml", plan)]);
    let output = folder.run("anonymize plan.toml");
    assert_eq!(output.code, 0, "{output}");
    let warning = "the insensitive column `visits[].score` singles out 20 of 20 records";
    assert!(output.stderr.contains(warning), "{output}");
    for words in ["", " --original o.json"] {
        let answer = folder.json(&format!("attack r.json --plan plan.toml{words}"));
        let weakest = &answer["attacks"][0];
        assert_eq!(weakest["id"], "insensitive-paths", "{answer}");
        assert_eq!((&weakest["verdict"], &weakest["success"]), (&"succeeds".into(), &1.0.into()));
    }
}
