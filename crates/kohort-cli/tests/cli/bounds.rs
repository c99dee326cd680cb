//! The bounds of published ranges, and what the preset of a regulation shows.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Folder;

/// People with weights and times of admission that nobody else has.
fn patients() -> String {
    let row = |n: u32| {
        let (age, weight) = (18 + n * 37 % 77, 45.0 + f64::from(n * 7919 % 9001) / 97.0);
        let (month, day, hour, minute) = (n * 5 % 12 + 1, n * 11 % 28 + 1, n * 7 % 24, n * 13 % 60);
        let year = 2019 + n % 5;
        let disease = ["flu", "gout", "asthma"][n as usize % 3];
        format!("{age},{weight:.5},{year}-{month:02}-{day:02}T{hour:02}:{minute:02},{disease}\n")
    };
    "age,weight,admitted,disease\n".to_owned() + &(0..200).map(row).collect::<String>()
}

const ASK: &str = "anonymize t.csv --quasi age,weight,admitted --sensitive disease --k 5 -o r.csv";

/// The bounds of the ranges of a release, and the values that it shows.
fn cells(release: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut bounds, mut values) = (BTreeSet::new(), BTreeSet::new());
    for line in release.lines().skip(1) {
        for (at, quoted) in line.split('"').enumerate() {
            let range = quoted.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            match range.and_then(|range| range.split_once(", ")) {
                Some((lo, hi)) => bounds.extend([lo.to_owned(), hi.to_owned()]),
                None if at % 2 == 0 => values.extend(quoted.split(',').map(str::to_owned)),
                None => {}
            }
        }
    }
    (bounds, values)
}

#[test]
fn no_bound_of_a_range_is_a_patients_own_value() {
    let table = patients();
    let folder = Folder::with(&[("t.csv", &table)]);
    let made = folder.json(ASK);
    let own: BTreeSet<&str> =
        table.lines().skip(1).flat_map(|line| line.split(',').skip(1)).collect();
    let (bounds, _) = cells(&folder.text("r.csv").unwrap());
    assert!(bounds.len() > 20, "{bounds:?}");
    assert!(bounds.iter().all(|bound| !own.contains(bound.as_str())), "{bounds:?}");
    let ages: Vec<u32> = bounds.iter().filter_map(|bound| bound.parse().ok()).collect();
    assert!(!ages.is_empty());
    let midnight = bounds.iter().filter(|bound| bound.contains('-'));
    assert!(midnight.clone().all(|bound| bound.ends_with("-01")), "{bounds:?}");
    assert_eq!(made["verified"], json!(true));
    assert!(made["notes"].to_string().contains("`admitted` to 3 months"), "{made}");
    assert!(made["lower_bound"].as_f64().unwrap() <= made["loss"].as_f64().unwrap());

    let exact = folder.json(&format!("{ASK} --bounds exact"));
    let (bounds, _) = cells(&folder.text("r.csv").unwrap());
    assert!(bounds.iter().filter(|bound| own.contains(bound.as_str())).count() > 20, "{bounds:?}");
    // What is rounded outward loses more, and says so.
    assert!(exact["loss"].as_f64().unwrap() < made["loss"].as_f64().unwrap());
}

#[test]
fn a_rounded_release_is_verified_and_costs_what_it_shows() {
    let plan = "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\ns = \"sensitive\"\n[goal]\nk-anonymity = 3\n\
                [output]\nrelease = \"r.csv\"\n";
    // The ages are rounded to fives.
    let table = "age,s\n1,a\n13,b\n47,a\n51,b\n77,a\n100,b\n";
    let shown = |low: &str, high: &str| {
        let row = |range: &str, s: &str| format!("\"{range}\",{s}\n");
        let rows = [(low, "a"), (low, "b"), (low, "a"), (high, "b"), (high, "a"), (high, "b")];
        "age,s\n".to_owned() + &rows.map(|(range, s)| row(range, s)).concat()
    };
    let folder = Folder::with(&[
        ("plan.toml", plan),
        ("t.csv", table),
        ("rounded.csv", &shown("[0, 49]", "[50, 104]")),
        ("exact.csv", &shown("[1, 47]", "[51, 100]")),
        ("false.csv", &shown("[0, 46]", "[50, 104]")),
    ]);
    let made = folder.json("anonymize plan.toml");
    assert_eq!(made["verified"], json!(true));
    let lm = |file: &str| {
        let answer = folder.json(&format!("verify {file} --plan plan.toml --original t.csv"));
        answer["original"]["metrics"]["lm"].as_f64().unwrap()
    };
    // Of 1 to 100, [1, 47] and [51, 100] are 46 and 49 of 99. Within these ages [0, 49] is 48, [50, 104] is 50.
    assert!((lm("exact.csv") - (46.0 + 49.0) / 198.0).abs() < 1e-9);
    assert!((lm("rounded.csv") - (48.0 + 50.0) / 198.0).abs() < 1e-9);
    assert!((lm("r.csv") - made["metrics"]["lm"].as_f64().unwrap()).abs() < 1e-9);
    let refused = folder.run("verify false.csv --plan plan.toml --original t.csv");
    assert_eq!(refused.code, 1, "{refused}");
}

#[test]
fn a_plan_can_ask_for_exact_bounds() {
    let plan = "input = \"t.csv\"\n[attributes]\nweight = \"quasi\"\ndisease = \"sensitive\"\n[goal]\n\
                k-anonymity = 5\n[method]\nbounds = \"exact\"\n[output]\nrelease = \"r.csv\"\n";
    let folder = Folder::with(&[("t.csv", &patients()), ("plan.toml", plan)]);
    let bounds = || cells(&folder.text("r.csv").unwrap()).0;
    let is_exact =
        |bound: &String| bound.split_once('.').is_some_and(|(_, digits)| digits.len() > 3);
    folder.json("anonymize plan.toml");
    assert!(bounds().iter().any(is_exact));
    folder.json("anonymize plan.toml --bounds rounded");
    assert!(!bounds().iter().any(is_exact), "{:?}", bounds());
}

#[test]
fn ranges_of_nested_records_are_rounded() {
    let record = |n: u32| {
        let disease = ["x", "y", "z"][n as usize % 3];
        json!({
            "weight": 50.0 + f64::from(n * 7919 % 997) / 31.0,
            "visits": [{"score": 1000 + n * 613 % 4001, "d": disease}],
        })
    };
    let records: Vec<Value> = (0..60).map(record).collect();
    let plan = "input = \"p.json\"\n[attributes]\nweight = \"quasi\"\n\"visits[].score\" = \"quasi\"\n\
                \"visits[].d\" = \"sensitive\"\n[goal]\nk-anonymity = 3\n[output]\nrelease = \"r.json\"\n";
    let folder =
        Folder::with(&[("p.json", &Value::from(records).to_string()), ("plan.toml", plan)]);
    let made = folder.json("anonymize plan.toml");
    assert_eq!(made["verified"], json!(true), "{made}");
    let release: Value = serde_json::from_str(&folder.text("r.json").unwrap()).unwrap();
    let ranges: Vec<&str> = (release.as_array().unwrap().iter())
        .filter_map(|record| record["visits"][0]["score"].as_str())
        .filter(|text| text.starts_with('['))
        .collect();
    assert!(ranges.len() > 10, "{release}");
    for range in ranges {
        let (lo, hi) = range[1..range.len() - 1].split_once(", ").unwrap();
        let (lo, hi): (u32, u32) = (lo.parse().unwrap(), hi.parse().unwrap());
        assert!(lo % 100 == 0 && (hi + 1) % 100 == 0, "{range}");
    }
}

const HIPAA: &str = "age,born,zip,disease\n34,1990-05-17,02139,flu\n34,1990-11-02,02139,gout\n\
                     92,1931-01-20,02139,flu\n97,1931-10-30,02139,gout\n90,1931-06-06,02139,flu\n";

#[test]
fn the_preset_for_hipaa_shows_years_and_one_age_above_89() {
    let folder = Folder::with(&[("t.csv", HIPAA)]);
    let ask =
        "anonymize t.csv --quasi age,born,zip --sensitive disease --k 2 --preset hipaa -o r.csv";
    let made = folder.json(ask);
    assert_eq!(made["verified"], json!(true));
    let release = folder.text("r.csv").unwrap();
    let mut lines: Vec<&str> = release.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "34,1990,02139,flu",
            "34,1990,02139,gout",
            "90,1931,02139,flu",
            "90,1931,02139,flu",
            "90,1931,02139,gout"
        ]
    );
    let said = folder.run(ask).stderr;
    for part in [
        "`born` shows years instead of dates",
        "`age` shows 90 for every age of 90 and above",
        "`born` may disclose an age above 89 by its year",
        "`zip` is left as it is: Safe Harbor allows the first three digits of a postal code, and 000 where",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_range_that_holds_the_oldest_ends_with_the_age_that_stands_for_them() {
    let ages = (0..200).map(|row| (row * 7 % 101, row % 3));
    let rows: Vec<String> = ages.map(|(age, disease)| format!("{age},d{disease}\n")).collect();
    let folder = Folder::with(&[("t.csv", &format!("age,disease\n{}", rows.concat()))]);
    let ask = "anonymize t.csv --quasi age --sensitive disease --k 30 --preset hipaa -o r.csv";
    assert_eq!(folder.json(ask)["verified"], json!(true));
    let release = folder.text("r.csv").unwrap();
    assert!(release.contains(", 90]"), "{release}");
    assert!(!release.contains(", 94]"), "{release}");
}

#[test]
fn a_release_that_shows_more_than_the_preset_allows_is_refused() {
    let plan = "input = \"t.csv\"\npreset = \"hipaa\"\n[attributes]\nage = \"quasi\"\n\
                born = { role = \"insensitive\", type = \"date\" }\ndisease = \"sensitive\"\n[goal]\n\
                k-anonymity = 2\n";
    let coarse =
        "age,born,disease\n34,1990,flu\n34,1990,gout\n90,1931,flu\n90,1931,gout\n90,1931,flu\n";
    let folder = Folder::with(&[
        ("t.csv", HIPAA),
        ("plan.toml", plan),
        ("coarse.csv", coarse),
        ("day.csv", &coarse.replacen("1990", "1990-05-17", 1)),
        ("old.csv", &coarse.replacen("90,1931", "92,1931", 1)),
    ]);
    let verified =
        |file: &str| folder.run(&format!("verify {file} --plan plan.toml --original t.csv"));
    assert_eq!(verified("coarse.csv").code, 0, "{}", verified("coarse.csv"));
    assert_eq!(verified("day.csv").code, 1, "{}", verified("day.csv"));
    assert_eq!(verified("old.csv").code, 1, "{}", verified("old.csv"));
}
