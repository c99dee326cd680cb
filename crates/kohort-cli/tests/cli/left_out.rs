//! People who are not in a release: what they have says nothing about them.

use std::fmt::Write;

use crate::harness::Folder;

/// 300 people of whom 58 % have one disease, a few of them far from everybody.
fn top_heavy(seed: usize) -> String {
    let row = |at: usize| {
        let drawn = at * 7919 + seed * 104_729;
        let disease = if drawn / 7 % 100 < 58 { 0 } else { 1 + drawn % 6 };
        format!("p{at},{},{},d{disease}\n", 20 + drawn % 61, 10_000 + drawn / 13 % 53 * 37)
    };
    let rows: String = (0..300).map(row).collect();
    format!("name,age,income,disease\n{rows}")
}

const ASK: &str = "anonymize t.csv --identifier name --quasi age,income --sensitive disease \
                   --frequency-l 2 --suppression 30% -o r.csv";

const ALGORITHMS: [&str; 8] =
    ["anatomy", "bucket", "auto", "msa-search", "hilbert", "mondrian", "optimal", "l-member"];

// Each of these dropped people of the frequent value alone.
#[test]
fn nobody_is_dropped_for_a_value_that_is_too_frequent() {
    for seed in 0..3 {
        let folder = Folder::with(&[("t.csv", &top_heavy(seed))]);
        for algorithm in ALGORITHMS {
            let no = folder.says_no(&format!("{ASK} --algorithm {algorithm}"), &[]);
            assert!(no.contains("leaving people out does not help"), "{algorithm}\n{no}");
            assert!(no.contains("is feasible"), "{algorithm}: the nearest goal is named\n{no}");
        }
    }
}

#[test]
fn what_is_unsafe_is_done_by_name_alone_and_says_so() {
    let folder = Folder::with(&[("t.csv", &top_heavy(1))]);
    for algorithm in ["auto", "mondrian", "anatomy"] {
        let ask = format!("{ASK} --algorithm {algorithm} --allow-unsafe --force --report r.html");
        let output = folder.run(&ask);
        assert_eq!(output.code, 0, "{output}");
        assert!(output.stdout.contains("NOT SAFE"), "{output}");
        assert!(output.stdout.contains("left out"), "{output}");
        let page = folder.text("r.html").unwrap_or_default();
        assert!(page.contains("does not keep the promise"), "the page says it");
        assert!(page.contains("not in the release") || page.contains("no released row covers"));
        let plan = folder.run(&format!("{ask} --print-plan")).stdout;
        folder.put("plan.toml", plan);
        // The judge who knows the original finds it, and so does the attack.
        let verdict = folder.json("verify r.csv --plan plan.toml --original t.csv");
        assert_eq!(verdict["verified"], false, "{verdict}");
        let attacked =
            folder.json("attack r.csv --plan plan.toml --original t.csv --only suppression");
        let found = &attacked["attacks"][0];
        assert_eq!(found["verdict"], "refuted", "{attacked}");
    }
}

#[test]
fn without_the_original_the_judge_says_that_it_does_not_know() {
    let folder = Folder::with(&[("t.csv", &top_heavy(2))]);
    let ask = ASK.replace("--frequency-l 2", "--frequency-l 1.5");
    assert_eq!(folder.run(&ask).code, 0);
    let plan = folder.run(&format!("{ask} --print-plan")).stdout;
    folder.put("plan.toml", plan);
    let output = folder.run("verify r.csv --plan plan.toml");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("it is not known who was left out"), "{output}");
}

/// A hundred people, one of them as old and as rich as nobody else.
fn with_outlier() -> String {
    let row = |at: usize| {
        let (age, income) = (20 + at * 7 % 40, 20_000 + at * 131 % 60 * 500);
        format!("{age},{income},d{}\n", at % 4)
    };
    let rows: String = (0..100).map(row).collect();
    format!("age,income,disease\n{rows}97,5213000,d1\n")
}

/// The widths that a loss is a share of, calculated from a figure, the release and the rows: nothing else
/// is known to anyone who reads the page.
fn width(release: &str, column: usize, loss: f64, (rows, suppressed): (f64, f64)) -> f64 {
    let mut wide = 0.0;
    for cells in release.lines().skip(1).map(cells) {
        let ends: Vec<f64> = (cells[column].trim_matches(['[', ']']).split(", "))
            .filter_map(|end| end.parse().ok())
            .collect();
        wide += ends.last().unwrap_or(&0.0) - ends.first().unwrap_or(&0.0);
    }
    wide / (loss * rows - suppressed)
}

fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().expect("one is there").push(other),
        }
    }
    cells
}

// From the loss of each column, the rows and the release the age and the income came out: 97 and 5,213,000.
#[test]
fn a_page_to_show_around_says_nothing_about_who_was_left_out() {
    let folder = Folder::with(&[("t.csv", &with_outlier())]);
    let ask = "anonymize t.csv --quasi age,income --sensitive disease --k 5 --suppression 1% -o r.csv \
               --report r.html";
    let receipt = folder.json(ask);
    assert_eq!(receipt["suppressed"], 1, "{receipt}");
    assert_eq!(receipt["confidential"], true);
    let release = folder.text("r.csv").unwrap_or_default();
    let loss = |column: &str| receipt["metrics"][format!("ncp.{column}")].as_f64().unwrap_or(0.0);
    // The receipt, which is for the owner alone, does tell.
    let income = width(&release, 1, loss("income"), (101.0, 1.0));
    assert!((income - (5_213_000.0 - 20_000.0)).abs() < 1.0, "{income}");
    // The page does not: its figures are those of the published rows.
    let page = folder.text("r.html").unwrap_or_default();
    let shown = page.split("income: ").nth(1).and_then(|rest| rest.split(" %").next());
    let shown: f64 = shown.and_then(|text| text.parse().ok()).expect("the page has the loss");
    let income = width(&release, 1, shown / 100.0, (100.0, 0.0));
    assert!(income < 40_000.0, "{income}");
    let text = folder.run(&format!("{ask} --force")).stdout;
    assert!(text.contains("confidential: "), "{text}");
}

// `+2` is how the person who was left out wrote it.
#[test]
fn values_are_spelled_as_published_rows_spell_them() {
    let mut table = String::from("visits,age,disease\n+2,900,d0\n");
    for at in 0..20 {
        let _ = writeln!(table, "{},{},d{}", 2 + at % 2, 20 + at % 3, at % 4);
    }
    let folder = Folder::with(&[("t.csv", &table)]);
    let ask =
        "anonymize t.csv --quasi visits,age --sensitive disease --k 3 --suppression 5% -o r.csv";
    let receipt = folder.json(ask);
    assert_eq!(receipt["suppressed"], 1, "{receipt}");
    let release = folder.text("r.csv").unwrap_or_default();
    assert!(!release.contains("+2"), "{release}");
    assert!(release.contains('2'));
}

#[test]
fn another_release_in_the_same_place_gets_a_note() {
    let folder = Folder::with(&[("t.csv", &with_outlier())]);
    let ask = "anonymize t.csv --quasi age,income --sensitive disease -o r.csv";
    assert_eq!(folder.run(&format!("{ask} --k 5")).code, 0);
    let again = folder.run(&format!("{ask} --k 5"));
    assert!(!again.stderr.contains("kohort publish"), "the same release again\n{again}");
    let other = folder.run(&format!("{ask} --k 9"));
    assert!(other.stderr.contains("`kohort publish` makes releases"), "{other}");
}

const NESTED: &str = "input = \"o.json\"\n[attributes]\nage = \"quasi\"\n\
    \"visits[].dept\" = \"quasi\"\n\"visits[].dx\" = \"sensitive\"\n[goal]\n\
    frequency-l-diversity = 2\n";

/// Sixty people with one to three visits; this many in a hundred of these are for the flu.
fn visitors(flu: usize) -> String {
    let person = |at: usize| {
        let visit = |number: usize| {
            let drawn = at * 7919 + number * 104_729;
            let dx = if drawn % 100 < flu { 0 } else { 1 + drawn % 5 };
            serde_json::json!({ "dept": format!("w{}", drawn % 3), "dx": format!("d{dx}") })
        };
        let visits: Vec<serde_json::Value> = (0..=at % 3).map(visit).collect();
        serde_json::json!({ "age": 20 + at * 13 % 60, "visits": visits })
    };
    serde_json::Value::from((0..60).map(person).collect::<Vec<_>>()).to_string()
}

// Whose visit is missing in a release had the flu: it was cut where there were too many of it.
#[test]
fn nothing_is_cut_from_records_for_a_value_that_is_too_frequent() {
    let folder = Folder::with(&[("o.json", &visitors(60)), ("plan.toml", NESTED)]);
    for algorithm in ["auto", "clustree", "tree-anatomy", "vertex-anatomy"] {
        let ask = format!(
            "anonymize plan.toml --algorithm {algorithm} --transparent no --force -o r.json"
        );
        let no = folder.says_no(&ask, &[]);
        assert!(no.contains("at most l = 1 is feasible"), "{algorithm}\n{no}");
        let made = folder.run(&format!("{ask} --suppression 50% --allow-unsafe"));
        assert_eq!(made.code, 0, "{algorithm}\n{made}");
        assert!(made.stdout.contains("not in the release"), "{algorithm}\n{made}");
        folder.put(
            "made.toml",
            NESTED.replace("[goal]\n", "[goal]\nsuppression = 0.5\n")
                + &format!("[method]\nalgorithm = \"{algorithm}\"\n"),
        );
        let verdict = folder.json("verify r.json --plan made.toml --original o.json");
        assert_eq!(verdict["verified"], false, "{algorithm}\n{verdict}");
        let found =
            folder.json("attack r.json --plan made.toml --original o.json --only suppression");
        assert_eq!(found["attacks"][0]["verdict"], "refuted", "{algorithm}\n{found}");
    }
}

#[test]
fn what_is_cut_from_records_keeps_the_promise() {
    let folder = Folder::with(&[("o.json", &visitors(30)), ("plan.toml", NESTED)]);
    for algorithm in ["auto", "clustree", "ctoff", "tree-anatomy", "vertex-anatomy"] {
        let ask = format!(
            "anonymize plan.toml --algorithm {algorithm} --transparent no --force -o r.json"
        );
        let made = folder.json(&ask);
        assert_eq!(made["verified"], true, "{algorithm}\n{made}");
        folder.put("made.toml", format!("{NESTED}[method]\nalgorithm = \"{algorithm}\"\n"));
        let found =
            folder.json("attack r.json --plan made.toml --original o.json --only suppression");
        let verdict = &found["attacks"][0]["verdict"];
        assert_ne!(verdict, "refuted", "{algorithm}\n{found}");
    }
}

// Two releases of one table, each of which keeps its promise: together they show who is who.
#[test]
fn another_release_of_the_same_table_is_laid_beside_one_that_is_judged() {
    let table = "age,zip,disease\n20,1,flu\n20,2,gout\n30,1,cold\n30,2,acne\n";
    let by_age = "age,zip,disease\n20,\"[1, 2]\",flu\n20,\"[1, 2]\",gout\n30,\"[1, 2]\",cold\n30,\"[1, 2]\",acne\n";
    let by_zip = "age,zip,disease\n\"[20, 30]\",1,flu\n\"[20, 30]\",2,gout\n\"[20, 30]\",1,cold\n\"[20, 30]\",2,acne\n";
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\nzip = 'quasi'\ndisease = 'sensitive'\n\
                [goal]\nk-anonymity = 2\nfrequency-l-diversity = 2\n";
    let folder = Folder::with(&[
        ("t.csv", table),
        ("age.csv", by_age),
        ("zip.csv", by_zip),
        ("plan.toml", plan),
    ]);
    for release in ["age.csv", "zip.csv"] {
        let ask = format!("verify {release} --plan plan.toml --original t.csv");
        assert_eq!(folder.json(&ask)["verified"], true);
    }
    let output = folder.run("verify age.csv --plan plan.toml --original t.csv --release2 zip.csv");
    assert_eq!(output.code, 1, "{output}");
    assert!(
        output
            .stdout
            .contains("together with the other release, a value of `disease` is known with 100 %"),
        "{output}"
    );
    // Beside itself it says no more.
    let output = folder.run("verify age.csv --plan plan.toml --original t.csv --release2 age.csv");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("which is not a proof"), "{output}");
}
