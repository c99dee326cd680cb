//! Figures that say what they are about, and notes about what is written otherwise than it was read.

use serde_json::{Value, json};

use crate::harness::Folder;

/// One sensitive column that classes leave open, and one that they give away.
fn two_sensitive() -> String {
    let row = |n: u32| format!("{},{},{}\n", 20 + n % 10, ["a", "b"][n as usize % 2], n % 7);
    "age,open,told\n".to_owned() + &(0..70).map(row).collect::<String>()
}

#[test]
fn the_figures_of_an_attack_are_those_of_the_attribute_it_names() {
    let folder = Folder::with(&[("t.csv", &two_sensitive())]);
    let answer = folder.json(
        "attack t.csv --quasi age --sensitive open,told --original t.csv --only homogeneity,skewness",
    );
    let attacks = answer["attacks"].as_array().unwrap();
    assert!(!attacks.is_empty());
    for attack in attacks {
        let all = attack["per_attribute"].as_array().unwrap();
        assert!(all.len() > 1, "{attack}");
        let named = |score: &&Value| {
            score["attribute"] == attack["attribute"] && score["way"] == attack["way"]
        };
        let own = all.iter().find(named).unwrap();
        for figure in ["above", "max_probability", "success", "targets", "interval", "verdict"] {
            assert_eq!(attack[figure], own[figure], "{figure} of {attack}");
        }
    }
}

#[test]
fn a_weighted_loss_is_told_from_one_that_is_not() {
    let plan = "input = \"t.csv\"\n[attributes]\nage = { role = \"quasi\", weight = 5 }\ntold = \"quasi\"\n\
                open = \"sensitive\"\n[goal]\nk-anonymity = 4\n[method]\nmetric = \"lm\"\n[output]\n\
                release = \"r.csv\"\n";
    let folder = Folder::with(&[("t.csv", &two_sensitive()), ("plan.toml", plan)]);
    let text = folder.run("anonymize plan.toml").stdout;
    assert!(text.contains("  loss (lm, columns weighted): "), "{text}");
    assert!(text.contains("  LM: information lost per cell, columns alike "), "{text}");
    assert_eq!(folder.json("anonymize plan.toml")["weighted"], json!(true));
    let alike = "anonymize t.csv --quasi age,told --sensitive open --k 4 --metric lm -o a.csv";
    assert!(folder.run(alike).stdout.contains("  loss (lm): "));
    assert_eq!(folder.json(alike)["weighted"], Value::Null);
}

#[test]
fn a_harmless_value_that_is_certain_is_told_from_a_broken_promise() {
    let row = |n: u32| {
        let disease = if n.is_multiple_of(10) { "hiv" } else { "flu" };
        format!("{},{disease},{}\n", 20 + n / 5, n % 3)
    };
    let table = "age,disease,ward\n".to_owned() + &(0..50).map(row).collect::<String>();
    let plan = "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n\
                ward = \"sensitive\"\n[goal]\nalpha-k-anonymity = { alpha = 0.5, k = 5, attribute = \"disease\", \
                values = [\"hiv\"] }\n[output]\nrelease = \"r.csv\"\n";
    let folder = Folder::with(&[("t.csv", &table), ("plan.toml", plan)]);
    let output = folder.run("anonymize plan.toml");
    let text = &output.stdout;
    assert!(
        text.contains("the most likely value of a class, harmless or not, is guessed"),
        "{output}"
    );
    let promise =
        "alpha-k-anonymity bounds the probability of the values that it names, not of others";
    assert!(text.contains(promise), "{output}");
}

/// A release of people of whom one in this many has a second visit, for a stroke; and how many strokes there were.
fn strokes(every: u32, k: u32) -> (Folder, Value, u32) {
    const VALUES: [&str; 3] = ["gout", "flu", "asthma"];
    let record = |n: u32| {
        let mut visits = vec![json!({ "d": VALUES[n as usize % 3] })];
        visits.extend(n.is_multiple_of(every).then(|| json!({"d": "stroke"})));
        json!({"age": 20 + n % 8, "sex": n % 2, "visits": visits})
    };
    let records: Vec<Value> = (0..120).map(record).collect();
    let plan = format!(
        "input = \"p.json\"\n[attributes]\nage = \"quasi\"\nsex = \"quasi\"\n\"visits[].d\" = \
         \"sensitive\"\n[goal]\nk-anonymity = {k}\n[output]\nrelease = \"r.json\"\n"
    );
    let records = Value::from(records).to_string();
    let folder = Folder::with(&[("p.json", &records), ("plan.toml", &plan)]);
    let made = folder.json("anonymize plan.toml");
    (folder, made, 120 / every)
}

#[test]
fn what_is_cut_by_value_is_told() {
    let (folder, made, before) = strokes(3, 3);
    let least = &made["kept_shares"][0]["values"][0];
    let after = folder.text("r.json").unwrap().matches("\"stroke\"").count();
    let after = f64::from(u32::try_from(after).unwrap());
    assert_eq!(least["value"], json!("stroke"), "{made}");
    let share = least["share"].as_f64().unwrap();
    assert!(share < 1.0 && (share - after / f64::from(before)).abs() < 1e-9, "{made}");

    // A value that the release does not show is not named, and yet it is said that one is gone.
    let (folder, made, _) = strokes(5, 8);
    assert!(!folder.text("r.json").unwrap().contains("stroke"));
    let kept = &made["kept_shares"][0];
    assert_eq!((&kept["gone"], &kept["uneven"]), (&json!(1), &json!(true)), "{made}");
    let notes = made["notes"].to_string();
    assert!(notes.contains("how much of `visits[].d` is kept depends on the value"), "{notes}");
    assert!(notes.contains("1 value is not in the release at all"), "{notes}");
    assert!(!made.to_string().contains("stroke"), "{made}");
}

#[test]
fn spellings_of_one_number_are_one_value() {
    let table = "a,b,s\n1,0,x\n1.0,-0,y\n1.00,0,x\n2,-0,y\n2.0,0,x\n2,0,=1+1\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let found = folder.json("inspect t.csv");
    let distinct: Vec<&Value> =
        found["columns"].as_array().unwrap().iter().map(|column| &column["distinct"]).collect();
    assert_eq!(distinct, [&json!(2), &json!(1), &json!(3)]);
    let made = folder.json("anonymize t.csv --quasi a,b --sensitive s --k 3 -o r.csv");
    let release = folder.text("r.csv").unwrap();
    assert!(!release.contains("-0"), "{release}");
    // What a spreadsheet would run is not written as it was read, and that is said.
    assert!(release.contains("\"'=1+1\""), "{release}");
    let note = "cells of `s` that a spreadsheet would run as a formula";
    assert!(made["notes"].to_string().contains(note), "{made}");
    let plain = folder.json("anonymize t.csv --quasi a,b --sensitive s --k 3 -o r.jsonl");
    assert!(!plain["notes"].to_string().contains("spreadsheet"), "{plain}");
}

#[test]
fn a_budget_may_be_a_part_of_a_second() {
    let folder = Folder::with(&[("t.csv", &two_sensitive())]);
    for budget in ["0.5s", "500ms", "0.01m"] {
        let ask = format!("anonymize t.csv --quasi age --k 5 --budget {budget} -o r.csv");
        let output = folder.run(&ask);
        assert_eq!(output.code, 0, "{output}");
    }
    for budget in [".", "1.5.2s", "s", "1e3s"] {
        let ask = format!("anonymize t.csv --quasi age --k 5 --budget {budget} -o r.csv");
        assert_eq!(folder.run(&ask).code, 2, "{budget}");
    }
}
