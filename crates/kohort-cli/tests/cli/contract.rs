//! The JSON contract: the fields other programs rely on, and what may not change them.

use serde_json::{Value, json};

use crate::harness::Folder;
use crate::oracle::{ROWS, csv, table};

const ASK: &str = "diagnose t.csv --quasi V,W,X --sensitive s";

fn is_count(value: &Value) -> bool {
    value.is_u64()
}

fn is_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| {
        names.iter().all(Value::is_string) && names.is_sorted_by_key(|name| name.as_str())
    })
}

fn are_sets(value: &Value) -> bool {
    value.as_array().is_some_and(|sets| sets.iter().all(is_names))
}

#[test]
fn levels_have_their_fields() {
    let answer = table().json(ASK);
    for field in ["rows", "k", "classes"] {
        assert!(is_count(&answer[field]), "{field}");
    }
    assert_eq!(answer["quasi"], json!(["V", "W", "X"]));
    let levels = &answer["sensitive"][0];
    assert_eq!(levels["attribute"], "s");
    assert!(is_count(&levels["distinct_l"]));
    assert!(is_count(&levels["frequency_l"]["num"]) && is_count(&levels["frequency_l"]["den"]));
    for field in ["frequency_l_value", "entropy_l", "t_equal"] {
        assert!(levels[field].is_number(), "{field}");
    }
    let recursive = levels["recursive"].as_object().expect("it is an object");
    assert_eq!(recursive.keys().collect::<Vec<_>>(), ["2", "3", "4", "5"]);
    assert!(recursive.values().all(|c| c.is_null() || c.is_number()));
    for field in ["t_ordered", "t_hierarchical"] {
        assert_eq!(levels.get(field), Some(&Value::Null), "{field}");
    }
}

#[test]
fn subsets_have_their_fields_and_begin_with_the_empty_set() {
    let answer = table().json(&format!("{ASK} --subsets"));
    let subsets = answer["subsets"].as_array().expect("it is a list");
    assert_eq!(
        (subsets.len(), &subsets[0]["attributes"], &subsets[0]["k"]),
        (8, &json!([]), &json!(12))
    );
    assert!(subsets.iter().all(|subset| is_names(&subset["attributes"]) && is_count(&subset["k"])));
    assert!(answer.get("positive_border").is_none());
}

#[test]
fn borders_have_their_fields() {
    for promise in ["--k 2", "--distinct-l 2", "--t 0.5", "--k 2 --suppress 0.1"] {
        let flags = match promise {
            "--k 2 --suppress 0.1" => format!("diagnose t.csv --quasi V,W,X --subsets {promise}"),
            _ => format!("{ASK} --subsets {promise}"),
        };
        let answer = table().json(&flags);
        assert!(are_sets(&answer["positive_border"]), "{promise}");
        assert!(are_sets(&answer["negative_border"]), "{promise}");
        assert!(is_count(&answer["evaluated"]), "{promise}");
        assert!(answer.get("subsets").is_none(), "{promise}");
    }
}

#[test]
fn a_share_to_drop_gives_k_after_and_suppressed() {
    let answer = table().json(&format!("{ASK} --suppress 0.2"));
    assert!(is_count(&answer["k_after"]) && is_count(&answer["suppressed"]));
    let answer = table().json(&format!("{ASK} --subsets --suppress 0.2"));
    let subsets = answer["subsets"].as_array().expect("it is a list");
    assert!(subsets.iter().all(|s| is_count(&s["k_after"]) && is_count(&s["suppressed"])));
}

#[test]
fn a_share_asked_for_gives_suppression_or_a_curve() {
    let with_k = table().json(&format!("{ASK} --find-suppression --k 2"));
    assert!(with_k["suppression"].is_number() && is_count(&with_k["suppressed"]));
    assert!(with_k.get("curve").is_none());
    let without = table().json(&format!("{ASK} --find-suppression"));
    let curve = without["curve"].as_array().expect("it is a list");
    assert!(curve.iter().all(|point| is_count(&point["k"]) && is_count(&point["suppressed"])));
    assert!(without.get("suppression").is_none());
    let each = table().json(&format!("{ASK} --subsets --find-suppression --k 2"));
    let subsets = each["subsets"].as_array().expect("it is a list");
    assert!(subsets.iter().all(|s| s["suppression"].is_number() && is_count(&s["suppressed"])));
}

#[test]
fn the_riskiest_rows_are_numbers_and_column_names() {
    let answer = table().json(ASK);
    let riskiest = answer["uniques"]["riskiest"].as_array().expect("it is a list");
    let rows: Vec<&Value> = riskiest.iter().map(|singled| &singled["row"]).collect();
    assert_eq!(rows, [4, 9]);
    assert!(riskiest.iter().all(|singled| singled["sets"] == json!([["W", "X"]])));
}

/// The questions whose answers may not depend on how the table is written down.
const QUESTIONS: [&str; 7] = [
    "--riskiest 0",
    "--riskiest 0 --k 2",
    "--riskiest 0 --suppress 0.2",
    "--riskiest 0 --find-suppression",
    "--subsets",
    "--subsets --k 2",
    "--subsets --entropy-l 2",
];

fn answers(table: &str, quasi: &str, more: &str) -> Vec<String> {
    let folder = Folder::with(&[("t.csv", table)]);
    let ask = format!("diagnose t.csv --quasi {quasi} --sensitive s --format json {more}");
    QUESTIONS.iter().map(|flags| folder.run(&format!("{ask} {flags}")).stdout).collect()
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let expected = answers(&csv(&ROWS, "s"), "V,W,X,Y,Z", "");
    let backwards = csv(ROWS.iter().rev(), "s");
    let mixed = csv((0..12).map(|i| &ROWS[i * 5 % 12]), "s");
    assert_eq!(answers(&backwards, "V,W,X,Y,Z", ""), expected);
    assert_eq!(answers(&mixed, "V,W,X,Y,Z", ""), expected);
}

#[test]
fn the_order_of_rows_moves_row_numbers_only() {
    let singled = |rows: String, number: &dyn Fn(u64) -> u64| {
        let answer = Folder::with(&[("t.csv", &rows)]).json("diagnose t.csv --quasi V,W,X,Y,Z");
        let riskiest = answer["uniques"]["riskiest"].as_array().cloned().unwrap_or_default();
        let mut found: Vec<(u64, String)> = riskiest
            .iter()
            .map(|one| (number(one["row"].as_u64().unwrap_or(0)), one["sets"].to_string()))
            .collect();
        found.sort();
        found
    };
    let there = singled(csv(&ROWS, "s"), &|row| row);
    let back = singled(csv(ROWS.iter().rev(), "s"), &|row| 13 - row);
    assert!(!there.is_empty());
    assert_eq!(there, back);
}

#[test]
fn the_order_of_columns_changes_nothing() {
    let text = csv(&ROWS, "s");
    let backwards: String = text
        .lines()
        .map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let expected = answers(&text, "V,W,X,Y,Z", "");
    assert_eq!(answers(&backwards, "V,W,X,Y,Z", ""), expected);
    assert_eq!(answers(&text, "Z,X,V,Y,W", ""), expected);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let text = csv(&ROWS, "s");
    let expected = answers(&text, "V,W,X,Y,Z", "");
    assert_eq!(answers(&text, "V,W,X,Y,Z", "--threads 1"), expected);
    assert_eq!(answers(&text, "V,W,X,Y,Z", "--threads 2"), expected);
}

#[test]
fn the_number_of_threads_changes_nothing_on_a_larger_table() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data census --rows 1500 -o t.csv").code, 0);
    for flags in ["", "--subsets --k 3", "--subsets --max-size 3", "--subsets --entropy-l 1.5"] {
        let ask = |threads: u8| {
            folder
                .run(&format!("diagnose plan.toml {flags} --format json --threads {threads}"))
                .stdout
        };
        assert_eq!(ask(1), ask(2), "{flags}");
    }
}
