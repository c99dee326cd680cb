//! rho-different by whole commands: the tables of Abdalaal 2012, and values that do not follow the correlations.

use std::fmt::Write;

use crate::harness::Folder;
use crate::series::{KEY, PLAN, TABLE_39, TABLE_39_III, TABLE_40, folder, number, publish};

/// The plan with a promise of one half, and counterfeits as in Abdalaal 2012.
fn half() -> String {
    let promise = "method = \"rho-different\"\nrho = 0.5\nmost-counterfeits = 1\ncorrelations = \"follows.csv\"";
    PLAN.replace("key = \"patient\"\n", &format!("key = \"patient\"\n{promise}\n"))
}

/// A release: for each class its cells and the values of its rows.
fn release(classes: &[(&str, &str)]) -> String {
    let mut text = String::from("age,zip,disease,group\n");
    for (group, (cells, values)) in (1..).zip(classes) {
        for value in values.chars() {
            let _ = writeln!(text, "{cells},{value},{group}");
        }
    }
    text
}

/// Tables 39, 40 and 41 as published.
fn thesis() -> Folder {
    let first = release(&[
        ("\"[21, 22]\",\"[12, 14]\"", "db"),
        ("\"[23, 24]\",\"[18, 25]\"", "fg"),
        ("\"[36, 41]\",\"[20, 27]\"", "fg"),
        ("\"[37, 43]\",\"[26, 35]\"", "dfg"),
        ("\"[52, 56]\",\"[33, 34]\"", "dc"),
    ]);
    let table_40 = release(&[
        ("\"[21, 22]\",\"[12, 14]\"", "db"),
        ("\"[23, 25]\",\"[21, 25]\"", "fg"),
        ("\"[37, 43]\",\"[26, 33]\"", "dfg"),
        ("\"[41, 46]\",\"[20, 30]\"", "fg"),
        ("\"[54, 56]\",\"[31, 34]\"", "dc"),
        ("\"[60, 65]\",\"[36, 37]\"", "gf"),
    ]);
    let table_41 = release(&[
        ("\"[21, 25]\",\"[12, 21]\"", "df"),
        ("23,25", "cg"),
        ("37,33", "dm"),
        ("43,26", "cg"),
        ("\"[41, 54]\",\"[20, 31]\"", "fd"),
        ("\"[46, 56]\",\"[30, 34]\"", "gc"),
        ("\"[60, 65]\",\"[36, 37]\"", "gf"),
    ]);
    folder()
        .and("promise.toml", half())
        .and("follows.csv", TABLE_39_III)
        .and("1.csv", TABLE_39)
        .and("2.csv", TABLE_40)
        .and("R1.csv", first)
        .and("R40.csv", table_40)
        .and("R41.csv", table_41)
}

const ASK: &str = "verify --plan promise.toml R1.csv --original 1.csv";

// Abdalaal 2012, Tables 40 and 41: both reach more than one half.
#[test]
fn tables_40_and_41_are_rejected_at_one_half_by_their_files() {
    let folder = thesis();
    for (release, n_placed) in [("R40.csv", 3), ("R41.csv", 3)] {
        let asked = format!("{ASK} {release} --original 2.csv");
        let verdict = folder.json(&asked);
        assert_eq!(
            (folder.run(&asked).code, &verdict["verified"]),
            (1, &false.into()),
            "{verdict}"
        );
        let reason = verdict["reasons"][0].as_str().expect("there is a reason");
        let expected = "release 2: after those before it, 3 people are believed to have a value with more \
                        than 1/2";
        assert!(reason.starts_with(expected), "{reason}");
        // Who shares a class with a possible counterfeit may have been held back.
        assert_eq!(number(&verdict["releases"][1]["original"], "placed"), n_placed, "{verdict}");
        assert_eq!(number(&verdict["releases"][0]["original"], "placed"), 11, "{verdict}");
    }
}

#[test]
fn where_every_row_is_somebodys_nothing_is_a_guess() {
    let folder = thesis();
    // The three counterfeits of Table 41 as people.
    folder.put("all.csv", format!("{TABLE_40}c01,23,25,c\nc02,43,26,c\nc03,37,33,m\n"));
    let verdict = folder.json(&format!("{ASK} R41.csv --original all.csv"));
    assert_eq!(number(&verdict["releases"][1]["original"], "placed"), 14, "{verdict}");
    let reason = verdict["reasons"][0].as_str().expect("there is a reason");
    assert!(
        reason
            .ends_with("6 people are believed to have a value with more than 1/2, for one with 1")
    );
    let notes = verdict["notes"].to_string();
    assert!(notes.contains("releases 1, 2 have a row for everybody of their table"), "{notes}");
    assert_eq!(verdict["not_judged"], serde_json::json!([]));
    // The first release alone says nothing of later ones.
    let first = folder.json(ASK);
    assert_eq!(first["reasons"].to_string(), "[]", "{first}");
}

/// Forty people by age, with values in turn; from this age on all have the last.
fn town(last_from: u32) -> String {
    let mut text = String::from("patient,age,zip,disease\n");
    for (person, age) in (20..60).enumerate() {
        let disease = if age >= last_from { "d" } else { ["a", "b", "c", "d"][person % 4] };
        let _ = writeln!(text, "p{person:02},{age},1,{disease}");
    }
    text
}

/// Values that last, and one that nearly nobody gets.
fn follows() -> String {
    let mut text = String::from("from,to,probability\n");
    for from in ["a", "b", "c", "d"] {
        for to in ["a", "b", "c", "d"] {
            let share = match (from, to) {
                ("d", _) => "0.25",
                (_, "d") => "0.01",
                _ if from == to => "0.85",
                _ => "0.07",
            };
            let _ = writeln!(text, "{from},{to},{share}");
        }
    }
    text
}

#[test]
fn a_value_that_fills_a_part_of_the_table_fills_no_class_and_publish_and_verify_agree() {
    let folder = folder()
        .and("plan.toml", half())
        .and("follows.csv", follows())
        .and("1.csv", town(60))
        .and("2.csv", town(48));
    publish(&folder, "1.csv", "");
    let second = publish(&folder, "2.csv", "");
    let release = folder.text("release-2.csv").expect("it was published");
    let mut most = 0.0_f64;
    for group in 1..=number(&second, "classes") {
        let end = format!(",{group}");
        let rows: Vec<&str> = release.lines().filter(|line| line.ends_with(&end)).collect();
        let n = rows.iter().filter(|line| line.ends_with(&format!(",d,{group}"))).count();
        assert!(2 * n <= rows.len(), "{n} of {}", rows.len());
        let [n, all] = [n, rows.len()].map(|n| f64::from(u32::try_from(n).expect("few")));
        most = most.max(n / all);
    }
    let told = second["max_posterior"].as_f64().expect("it is a number");
    assert!(told >= most && told <= 0.5, "{told}, {most}");
    let judged = folder.run(
        "verify release-1.csv release-2.csv --plan plan.toml --original 1.csv --original 2.csv",
    );
    assert_eq!(judged.code, 0, "{judged}");
}

#[test]
fn people_who_changed_as_the_correlations_rule_out_are_counted_and_no_value_is_told() {
    let lasts = "from,to,probability\na,a,1\nb,b,1\nc,c,1\nd,d,1\n";
    let folder = folder()
        .and("plan.toml", half())
        .and("follows.csv", lasts)
        .and("1.csv", town(60))
        .and("2.csv", town(48));
    let told = |answer: &serde_json::Value| {
        let notes = answer["notes"].as_array().cloned().unwrap_or_default();
        let found = notes.iter().filter_map(|note| note.as_str());
        found.filter(|note| note.contains("rule out")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(told(&publish(&folder, "1.csv", "")).is_empty());
    let second = publish(&folder, "2.csv", "");
    let found = told(&second);
    assert_eq!((found.len(), number(&second, "updated")), (1, 9), "{second}");
    assert!(
        found[0].starts_with("9 people have a value that the correlations rule out"),
        "{found:?}"
    );
    let again = folder.json(&format!("publish plan.toml --input 2.csv {KEY}"));
    assert!(told(&again).is_empty(), "{again}");
}

#[test]
fn an_anatomized_series_is_refused_and_not_judged_by_its_rows() {
    let folder = thesis()
        .and("A1.csv", "age,zip,group\n21,12,1\n22,14,1\n")
        .and("A1.sensitive.csv", "group,disease,count\n1,d,1\n1,b,1\n");
    let text = folder.refused("verify A1.csv A1.csv --plan promise.toml");
    assert!(text.contains("A1.csv is anatomized"), "{text}");
}

/// People by number, each with a disease.
fn few(people: &[(u32, &str)]) -> String {
    let mut text = String::from("patient,age,zip,disease\n");
    for (person, disease) in people {
        let _ = writeln!(text, "p{person},{},1,{disease}", 20 + person);
    }
    text
}

#[test]
fn a_small_series_is_judged_over_every_world_and_a_larger_one_says_that_it_is_not() {
    // Both who had a leave, and nobody else changes: over every world each of them had it with 0.664.
    let first = [(0, "a"), (1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "c")];
    let larger: Vec<_> =
        (0..12).map(|person| (person, ["a", "b", "c"][person as usize / 2 % 3])).collect();
    // What counterfeits go on to is another draw for each ledger: for some there is no third release.
    let published = || {
        let folder = folder()
            .and("plan.toml", half().replace("0.5", "0.6"))
            .and("follows.csv", "from,to,probability\na,a,0.8\nb,b,0.8\nc,c,0.8\n")
            .and("1.csv", few(&first))
            .and("2.csv", few(&first[2..]))
            .and("3.csv", few(&larger));
        let receipts = ["1.csv", "2.csv"].map(|table| publish(&folder, table, ""));
        let third = folder.run(&format!("publish plan.toml --input 2.csv {KEY}"));
        let large = folder.run(&format!("publish plan.toml --input 3.csv {KEY} --format json"));
        let large = serde_json::from_str::<serde_json::Value>(&large.stdout).ok();
        (third.code == 0).then_some(())?;
        Some((folder, receipts, third.stdout, large?))
    };
    let (folder, receipts, shown, large) =
        (0..40).find_map(|_| published()).expect("one of forty draws");
    for receipt in &receipts {
        let told = receipt["max_posterior"].as_f64().expect("it is a number");
        assert!(told <= 0.6 && receipt["max_posterior_is"] != "one-by-one", "{receipt}");
        assert!(!receipt["not_promised"].to_string().contains("several people"), "{receipt}");
    }
    let n_hiding = number(&receipts[1], "held_back") + number(&receipts[1], "counterfeits");
    assert!(n_hiding > 0, "{}", receipts[1]);
    let ask =
        "verify release-1.csv release-2.csv --plan plan.toml --original 1.csv --original 2.csv";
    let judged = folder.json(ask);
    assert_eq!(
        (&judged["verified"], judged["not_judged"].to_string()),
        (&true.into(), "[]".into())
    );
    // As it would be without: everybody who is left, in one class.
    let bare = |values: &str, cells: &str| release(&[(cells, values)]);
    folder.put("R1.csv", bare("aabbcc", "\"[20, 25]\",1"));
    folder.put("R2.csv", bare("bbcc", "\"[22, 25]\",1"));
    let ask = "verify R1.csv R2.csv --plan plan.toml --original 1.csv --original 2.csv";
    let judged = folder.json(ask);
    let expected =
        "release 2: after those before it, 2 people are believed to have a value with more than";
    let reason = judged["reasons"][0].as_str().expect("there is a reason");
    assert!(reason.starts_with(expected) && reason.contains("for one with 0.66416"), "{reason}");
    // Two classes that look alike: who is in which does not follow.
    let alike = ("\"[20, 25]\",1", "abc");
    folder.put("R1.csv", release(&[alike, alike]));
    let judged = folder.json(ask);
    assert_eq!(judged["verified"], true, "{judged}");
    assert!(judged["not_judged"].to_string().contains("to everybody at once"), "{judged}");
    assert!(shown.contains("one by one or all at once, nobody's value"), "{shown}");
    assert_eq!(large["max_posterior_is"], "one-by-one", "{large}");
    assert!(large["not_promised"].to_string().contains("several people at once"), "{large}");
}
