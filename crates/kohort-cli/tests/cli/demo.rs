//! `kohort demo`: made-up data, and the first thing a newcomer runs.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;

use crate::harness::Folder;

#[test]
fn hospital_data_comes_with_taxonomies_and_a_plan_that_works() {
    let folder = Folder::new();
    assert_snapshot!(folder.run("demo --data hospital --rows 200 -o data/patients.csv"), @r"
    exit 0
    --- stderr
    note: wrote data/patients.csv
    note: wrote data/taxonomies/disease.csv
    note: wrote data/taxonomies/ward.csv
    note: wrote data/plan.toml
    ");
    let table = folder.text("data/patients.csv").unwrap_or_default();
    assert_eq!(table.lines().count(), 201);
    assert_snapshot!(table.lines().next().unwrap_or_default(), @"name,age,sex,zip,admission,ward,disease,cost");
    let answer = folder.json("diagnose data/plan.toml");
    assert_eq!(answer["rows"], 200);
    assert_eq!(answer["goal"].as_array().map(Vec::len), Some(2));
}

#[test]
fn census_data_comes_with_taxonomies_and_a_plan_that_works() {
    let folder = Folder::new();
    assert_snapshot!(folder.run("demo --data census --rows 200 -o people.csv"), @r"
    exit 0
    --- stderr
    note: wrote people.csv
    note: wrote taxonomies/education.csv
    note: wrote taxonomies/marital-status.csv
    note: wrote taxonomies/native-country.csv
    note: wrote taxonomies/occupation.csv
    note: wrote taxonomies/workclass.csv
    note: wrote plan.toml
    ");
    let table = folder.text("people.csv").unwrap_or_default();
    assert_snapshot!(table.lines().next().unwrap_or_default(), @"sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class");
    assert_eq!(folder.json("diagnose plan.toml")["rows"], 200);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for data in ["hospital", "census"] {
        let table = |seed: u64, place: &str| {
            let words = format!("demo --data {data} --rows 300 --seed {seed}{place}");
            let folder = Folder::new();
            let output = folder.run(&words);
            folder.text("t.csv").unwrap_or(output.stdout)
        };
        assert_eq!(table(7, " -o t.csv"), table(7, " -o t.csv"));
        assert_eq!(table(7, " -o t.csv"), table(7, ""));
        assert_ne!(table(7, ""), table(8, ""));
    }
}

#[test]
fn the_tour_leaves_a_verified_release_and_three_reports() {
    let folder = Folder::new();
    let output = folder.run("demo --rows 200");
    assert_eq!(output.code, 0);
    assert_snapshot!(output.stderr, @r"
    note: made 200 rows of a hospital that does not exist:
    note:   kohort-demo/patients.csv
    note:   kohort-demo/taxonomies/disease.csv
    note:   kohort-demo/taxonomies/ward.csv
    note:   kohort-demo/plan.toml
    note:
    note: What does the table give away?
    note: $ kohort diagnose kohort-demo/plan.toml --report kohort-demo/report.html
    note:
    note: report written to kohort-demo/report.html
    note:
    note: Make a release that keeps the promises of the plan:
    note: $ kohort anonymize kohort-demo/plan.toml
    note:
    note: the transparent mode drops no row: `suppression` is not used
    note: report written to kohort-demo/release.html
    note:
    note: Does it keep them? The judge does not know how it was made:
    note: $ kohort verify kohort-demo/release.csv --plan kohort-demo/plan.toml --original kohort-demo/patients.csv
    note:
    note:
    note: How far does an adversary get with the raw table, and how far with the release?
    note: $ kohort attack kohort-demo/release.csv --plan kohort-demo/plan.toml --original kohort-demo/patients.csv --report kohort-demo/attack.html
    note:
    note: report written to kohort-demo/attack.html
    note:
    note: open kohort-demo/report.html, kohort-demo/release.html and kohort-demo/attack.html in a browser, and compare
    note: kohort-demo/release.csv with kohort-demo/patients.csv; then try:
    note:   kohort inspect kohort-demo/patients.csv
    note:   kohort diagnose kohort-demo/plan.toml --subsets --k 5
    note:   kohort diagnose kohort-demo/plan.toml --find-suppression
    ");
    assert!(output.stdout.starts_with("All 200 people can be singled out by these 5 columns"));
    assert!(output.stdout.contains("\npatients.csv: 200 rows, quasi-identifiers admission, age"));
    assert!(output.stdout.contains("\nkohort-demo/release.csv: verified\n"));
    assert!(output.stdout.contains("\nverified\n\n  200 rows in "));
    assert!(output.stdout.contains("\n  against the original: every row covers a row of it\n"));
    assert!(output.stdout.contains("\nsingling out "), "{}", output.stdout);
    for page in ["report.html", "release.html", "attack.html"] {
        let page = folder.text(&format!("kohort-demo/{page}")).unwrap_or_default();
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    }
    let release = folder.text("kohort-demo/release.csv").unwrap_or_default();
    assert_snapshot!(release.lines().next().unwrap_or_default(), @"age,sex,zip,admission,ward,disease,cost");
    assert_eq!(folder.names(), ["kohort-demo"]);
}

#[test]
fn the_tour_can_be_repeated_and_goes_where_it_is_told() {
    let folder = Folder::new();
    for _ in 0..2 {
        assert_eq!(folder.run("demo --rows 50 -o here --quiet").code, 0);
    }
    assert!(folder.text("here/report.html").is_some());
}

#[test]
fn what_the_tour_suggests_works() {
    let folder = Folder::new();
    let output = folder.run("demo --rows 100");
    let suggested = output.stderr.lines().filter_map(|line| line.strip_prefix("note:   kohort "));
    let commands: Vec<&str> = suggested.filter(|words| words.contains(' ')).collect();
    assert_eq!(commands.len(), 3);
    for words in commands {
        let output = folder.run(words);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{words}");
    }
}

#[test]
fn a_hospital_too_small_for_its_plan_has_no_release() {
    let folder = Folder::new();
    let output = folder.run("demo --rows 4 --quiet");
    assert_eq!(output.code, 1);
    assert!(output.stderr.starts_with("error: no release reaches the goal\n"), "{}", output.stderr);
    assert!(folder.text("kohort-demo/report.html").is_some());
    assert!(folder.text("kohort-demo/release.csv").is_none());
}

#[test]
fn no_rows_are_refused() {
    assert_snapshot!(Folder::new().refused("demo --rows 0"), @r"
    error: `rows` must be at least 1, but is 0

    hint: leave it out for 1000 rows
    ");
}

#[test]
fn other_data_is_refused() {
    assert_snapshot!(Folder::new().refused("demo --data school"), @r"
    error: invalid value 'school' for '--data <hospital|census|poll|students|patients>': expected `hospital`, `census`, `poll`, `students` or `patients`

    For more information, try '--help'.
    ");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data census --rows 500 -o t.csv").code, 0);
    for words in [
        "demo --data census --rows 5000",
        "diagnose plan.toml --subsets --format json",
        "diagnose plan.toml --subsets",
        "taxonomy build t.csv --column age --quiet",
        "schema",
    ] {
        let mut command = folder.command(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let mut out = BufReader::with_capacity(16, child.stdout.take().expect("it is piped"));
        out.read_line(&mut line).expect("a line can be read");
        drop(out);
        let end = child.wait_with_output().expect("the program ends");
        assert_eq!(String::from_utf8_lossy(&end.stderr), "", "{words}");
        assert_eq!(end.status.code(), Some(0), "{words}");
        assert!(!line.is_empty(), "{words}");
    }
}

#[test]
fn files_that_hold_something_else_are_kept() {
    for (words, file) in [
        ("demo --rows 20", "kohort-demo/patients.csv"),
        ("demo --rows 20", "kohort-demo/plan.toml"),
        ("demo --rows 20", "kohort-demo/report.html"),
        ("demo --rows 20", "kohort-demo/release.csv"),
        ("demo --rows 20", "kohort-demo/release.html"),
        ("demo --rows 20 -o here", "here/taxonomies/ward.csv"),
        ("demo --data census --rows 20 -o t.csv", "t.csv"),
        ("demo --data census --rows 20 -o t.csv", "plan.toml"),
    ] {
        let folder = Folder::with(&[(file, "mine")]);
        let said = folder.refused(words);
        assert!(said.starts_with(&format!("error: {file} already exists and ")), "{said}");
        assert!(said.contains("`--force`"), "{said}");
        assert_eq!(folder.text(file).as_deref(), Some("mine"), "{words}");
        assert_eq!(folder.run(&format!("{words} --force --quiet")).code, 0, "{words}");
        assert_ne!(folder.text(file).as_deref(), Some("mine"), "{words}");
    }
    let folder = Folder::with(&[("kohort-demo/patients.csv", "mine")]);
    assert_snapshot!(folder.refused("demo"), @r"
    error: kohort-demo/patients.csv already exists and holds something else

    hint: name another place with `-o`, or overwrite with `--force`
    ");
}

#[test]
fn the_answers_of_the_tour_are_one_object() {
    let answer = Folder::new().json("demo --rows 60");
    assert_eq!(answer["diagnosis"]["rows"], 60);
    assert_eq!(answer["release"]["files"], serde_json::json!(["kohort-demo/release.csv"]));
    assert_eq!(answer["verdict"]["verified"], true);
    assert_eq!(answer["attack"]["refuted"], false);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(4));
}

#[test]
fn another_table_is_not_written_over_the_first() {
    let folder = Folder::new();
    let words = "demo --data hospital --rows 30 -o t.csv";
    assert_eq!(folder.run(words).code, 0);
    assert_eq!(folder.run(words).code, 0);
    folder.refused("demo --data hospital --rows 31 -o t.csv");
    folder.refused("demo --data hospital --rows 29 -o t.csv");
    folder.refused("demo --data hospital --rows 30 --seed 8 -o t.csv");
    assert_eq!(folder.text("t.csv").map(|text| text.lines().count()), Some(31));
}

#[test]
fn a_table_named_like_its_plan_is_refused() {
    assert_snapshot!(Folder::new().refused("demo --data hospital -o plan.toml"), @r"
    error: plan.toml is the name of the plan that goes with the table

    hint: give the table another name, such as `-o patients.csv`
    ");
}

#[test]
fn a_dash_writes_the_table_to_standard_output_only() {
    let folder = Folder::new();
    let expected = folder.run("demo --data hospital --rows 20");
    for words in ["demo --data hospital --rows 20 -o -", "demo --rows 20 -o -"] {
        let output = folder.run(words);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""));
        assert_eq!(output.stdout, expected.stdout);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn records_go_on_lines_of_their_own_where_the_name_says_so() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data patients --rows 30 -o a.json").code, 0);
    assert_eq!(folder.run("demo --data patients --rows 30 --force -o b.jsonl").code, 0);
    let [array, lines] = ["a.json", "b.jsonl"].map(|name| folder.text(name).expect("it is there"));
    let records: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let expected: Vec<serde_json::Value> = serde_json::from_str(&array).expect("an array");
    assert_eq!(records, expected);
    assert_eq!(folder.run("diagnose plan.toml").code, 0);
}
