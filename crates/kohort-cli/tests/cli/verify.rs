//! `kohort verify`: releases that keep their promise, releases that somebody changed, and those of
//! other tools.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Folder, SECRET};

const PLAN: &str = "[attributes]\nage = \"quasi\"\nzip = { role = \"quasi\", taxonomy = \"mask\" }\n\
                    disease = \"sensitive\"\nnote = \"insensitive\"\n[goal]\nk-anonymity = 2\n\
                    frequency-l-diversity = 2\n";

const ORIGINAL: &str = "name,age,zip,disease,note\nA,21,123,flu,1\nB,29,124,cold,2\nC,30,125,flu,3\n\
                        D,38,126,gout,4\nE,55,227,flu,5\nF,66,228,cold,6\n";

const RELEASE: &str = "age,zip,disease,note\n\"[21, 29]\",12*,flu,1\n\"[30, 38]\",12*,gout,4\n\
                       \"[55, 66]\",22*,cold,6\n\"[21, 29]\",12*,cold,2\n\"[55, 66]\",22*,flu,5\n\
                       \"[30, 38]\",12*,flu,3\n";

fn folder(release: &str) -> Folder {
    Folder::with(&[("p.toml", PLAN), ("t.csv", ORIGINAL), ("r.csv", release)])
}

/// Whether the release alone is accepted, and why it is rejected with the original.
fn judged(release: &str) -> (bool, Vec<String>) {
    let folder = folder(release);
    let alone = folder.json("verify r.csv --plan p.toml");
    let output = folder.run("verify r.csv --plan p.toml --original t.csv --format json");
    let compared = output.json();
    assert_eq!(output.code, i32::from(compared["verified"] != true));
    let reasons = compared["reasons"].as_array().cloned().unwrap_or_default();
    let reasons = reasons.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    (alone["verified"] == true, reasons)
}

#[test]
fn a_release_is_judged_alone() {
    assert_snapshot!(folder(RELEASE).run("verify r.csv --plan p.toml"), @r"
    exit 0
    --- stdout
    verified

      6 rows in 3 classes, the smallest of 2
      k-anonymity, k = 2: holds (decided)
      frequency-l-diversity of disease, l = 2: holds (decided)
    --- stderr
    note: the insensitive column `note` singles out 6 of 6 rows: no promise covers it, and anybody who knows it of a person picks out the record; make it quasi, or leave it out
    ");
}

#[test]
fn a_release_is_compared_with_its_original() {
    assert_snapshot!(folder(RELEASE).run("verify r.csv --plan p.toml --original t.csv"), @r"
    exit 0
    --- stdout
    verified

      6 rows in 3 classes, the smallest of 2
      k-anonymity, k = 2: holds (decided)
      frequency-l-diversity of disease, l = 2: holds (decided)

      against the original: every row covers a row of it
      0 of 6 rows are not in the release
      NCP: information lost per cell             37.8 %
      LM: information lost per cell              33.3 %
      DM: rows that look alike, summed           12
      C_AVG: average class over the smallest     1.000
      KL: distance from the original             1.155
    --- stderr
    note: the insensitive column `note` singles out 6 of 6 rows: no promise covers it, and anybody who knows it of a person picks out the record; make it quasi, or leave it out
    ");
}

#[test]
fn the_verdict_has_its_fields() {
    let answer = folder(RELEASE).json("verify r.csv --plan p.toml --original t.csv");
    assert_eq!(answer["verified"], true);
    for field in ["rows", "classes", "k", "starred"] {
        assert!(answer[field].is_u64(), "{field}");
    }
    assert_eq!(answer["reasons"], json!([]));
    let original = &answer["original"];
    assert_eq!((&original["truthful"], &original["changed"]), (&json!(true), &json!({})));
    for metric in ["ncp", "lm", "dm", "c_avg"] {
        assert!(original["metrics"][metric].is_number(), "{metric}");
    }
    assert!(answer["goal"][1]["holds"] == true && answer["goal"][1]["attribute"] == "disease");
}

#[test]
fn a_changed_cell_is_found() {
    let (alone, reasons) = judged(&RELEASE.replacen("\"[21, 29]\"", "\"[21, 38]\"", 1));
    assert!(!alone);
    assert_snapshot!(reasons.join("\n"), @r"
    `k-anonymity` with k = 2 fails in 2 classes of 4, with 2 rows
    `frequency-l-diversity` of `disease` with l = 2 fails in 2 classes of 4, with 2 rows
    ");
    // A class as a whole can lie without any promise being broken.
    let (alone, reasons) = judged(&RELEASE.replace("\"[21, 29]\"", "\"[40, 50]\""));
    assert!(alone);
    assert_eq!(reasons[1], "2 released rows cover no available row of the original");
}

#[test]
fn a_dropped_row_is_found() {
    let (alone, reasons) = judged(&RELEASE.replacen("\"[21, 29]\",12*,flu,1\n", "", 1));
    assert!(!alone);
    assert_snapshot!(reasons.join("\n"), @r"
    `k-anonymity` with k = 2 fails in 1 class of 3, with 1 row
    `frequency-l-diversity` of `disease` with l = 2 fails in 1 class of 3, with 1 row
    16.7 % of the rows are missing, but `suppression` is 0 %
    `frequency-l-diversity` of `disease` with l = 2 fails for the 1 person who is not in the release, taken as a class: anybody who can tell that somebody is missing learns more than was promised
    ");
    let two: Vec<&str> = RELEASE.lines().filter(|line| !line.contains("[55, 66]")).collect();
    let (alone, reasons) = judged(&(two.join("\n") + "\n"));
    assert!(alone);
    assert_snapshot!(reasons.join("\n"), @"33.3 % of the rows are missing, but `suppression` is 0 %");
}

#[test]
fn an_added_row_is_found() {
    let (alone, reasons) = judged(&format!("{RELEASE}\"[21, 29]\",12*,gout,7\n"));
    assert!(alone);
    assert_snapshot!(reasons.join("\n"), @"1 released row covers no available row of the original");
    let (_, reasons) = judged(&format!("{RELEASE}\"[30, 38]\",12*,cold,2\n"));
    assert_eq!(reasons.len(), 1, "a row of another class, a second time");
}

#[test]
fn a_moved_sensitive_cell_is_found() {
    let moved =
        RELEASE.replacen("12*,flu,1", "12*,gout,1", 1).replacen("12*,gout,4", "12*,cold,4", 1);
    let (alone, reasons) = judged(&moved.replacen("12*,cold,2", "12*,flu,2", 1));
    assert!(alone);
    assert_snapshot!(reasons.join("\n"), @"3 released rows cover no available row of the original");
}

#[test]
fn a_cell_changed_by_one_byte_is_found() {
    for (from, to) in
        [("flu,1", "flu,01"), ("flu,1", "Flu,1"), ("flu,1", "\" flu\",1"), ("flu,1", "\"{flu}\",1")]
    {
        let (_, reasons) = judged(&RELEASE.replacen(from, to, 1));
        assert_eq!(reasons, ["1 released row covers no available row of the original"], "{to}");
    }
}

#[test]
fn an_identifier_is_found() {
    let plan = PLAN.replace("[goal]", "name = \"identifier\"\n[goal]");
    let folder = Folder::with(&[("p.toml", &plan), ("t.csv", ORIGINAL)]);
    let answer = folder.json("verify t.csv --plan p.toml");
    assert_eq!(answer["reasons"][0], "the identifier `name` is in the release");
}

#[test]
fn a_column_that_the_plan_says_nothing_about_is_found() {
    // One of the original, and one that is in no other table.
    for (header, cell) in [("name", "A"), ("ssn", "111")] {
        let mut lines: Vec<String> = RELEASE.lines().map(|line| format!("{line},{cell}")).collect();
        lines[0] = format!("age,zip,disease,note,{header}");
        let (is_accepted, reasons) = judged(&(lines.join("\n") + "\n"));
        let expected = format!(
            "`{header}` is in the release but has no role in the plan, so nothing is promised about it"
        );
        assert_eq!((is_accepted, reasons), (false, vec![expected]));
    }
}

#[test]
fn a_missing_cell_is_one_however_it_is_written() {
    let original = ORIGINAL.replace(",flu,1\n", ",flu,\n").replace(",cold,6\n", ",cold,\n");
    let release = RELEASE.replace(",flu,1\n", ",flu,NA\n").replace(",cold,6\n", ",cold,NA\n");
    let folder = Folder::with(&[("p.toml", PLAN), ("t.csv", &original), ("r.csv", &release)]);
    let ask = "verify r.csv --plan p.toml --original t.csv";
    assert_eq!(folder.run(ask).code, 0);
    folder.put("r.csv", release.replacen("NA", "7", 1));
    assert_eq!(folder.run(ask).code, 1);
}

#[test]
fn a_release_of_another_tool_is_read() {
    // Separators, stars, half-open and bare ranges, and missing cells as ARX and sdcMicro write them.
    let release = "age;zip;disease\n[20, 30[;*;flu\n[20, 30[;*;cold\n30-40;NA;flu\n30-40;NA;gout\n\
                   *;*;flu\n*;*;cold\n";
    let folder = folder(release);
    assert_snapshot!(folder.run("verify r.csv --plan p.toml --original t.csv --separator ;"), @r"
    exit 0
    --- stdout
    verified

      6 rows in 3 classes, the smallest of 2
      2 rows show `*` for every quasi-identifier; they are judged as a class
      k-anonymity, k = 2: holds (decided)
      frequency-l-diversity of disease, l = 2: holds (decided)

      against the original: every row covers a row of it
      0 of 6 rows are not in the release
      NCP: information lost per cell             72.6 %
      LM: information lost per cell              72.6 %
      DM: rows that look alike, summed           12
      C_AVG: average class over the smallest     1.000
      KL: distance from the original             1.966
    ");
    // One row of a range that the original has not.
    folder.put("r.csv", release.replacen("30-40", "30-41", 1));
    assert_snapshot!(folder.run("verify r.csv --plan p.toml --separator ;"), @r"
    exit 1
    --- stdout
    rejected

      6 rows in 4 classes, the smallest of 1
      2 rows show `*` for every quasi-identifier; they are judged as a class
      k-anonymity, k = 2: FAILS in 2 of 4 classes, with 2 rows
      frequency-l-diversity of disease, l = 2: FAILS in 2 of 4 classes, with 2 rows
    ");
}

#[test]
fn how_the_release_is_written_can_be_said() {
    let release = RELEASE.replace(", ", "-").replace(',', "|").replace(['"', '[', ']'], "");
    let folder = folder(&format!("made by hand\n{release}"));
    let ask = "verify r.csv --plan p.toml --original t.csv";
    assert_eq!(folder.run(&format!("{ask} --separator | --skip-lines 1")).code, 0);
    let output = folder.run(&format!("{ask} --separator ; --skip-lines 1"));
    assert_eq!(output.code, 2, "{output}");
}

#[test]
fn a_cell_that_stands_for_nothing_is_a_no_with_its_place() {
    let (alone, reasons) = judged(&RELEASE.replace("\"[30, 38]\"", SECRET));
    assert!(alone);
    assert_snapshot!(reasons.join("\n"), @r"
    r.csv, line 3, column `age`: neither a value of the original nor a node of the plan's taxonomy nor a range that holds one
    2 released rows cover no available row of the original
    ");
    let (_, the_same) = judged(&RELEASE.replace("\"[30, 38]\"", "\"[70, 90]\""));
    assert_eq!(the_same, reasons);
}

#[test]
fn a_rejection_says_each_thing_once() {
    let release = format!("{RELEASE}\"[21, 29]\",,gout,7\n").replace("[30, 38]", "[70, 90]");
    let folder = folder(&release);
    assert_snapshot!(folder.run("verify r.csv --plan p.toml --original t.csv"), @r"
    exit 1
    --- stdout
    rejected

      7 rows in 4 classes, the smallest of 1
      k-anonymity, k = 2: FAILS in 1 of 4 classes, with 1 row
      frequency-l-diversity of disease, l = 2: FAILS in 1 of 4 classes, with 1 row
      FAILS: r.csv, line 3, column `age`: neither a value of the original nor a node of the plan's taxonomy nor a range that holds one

      against the original: FAILS: 3 released rows cover no available row of the original
      0 of 6 rows are not in the release
      column `age`: 2 cells cannot come from the original
      column `disease`: 1 cell cannot come from the original
      column `note`: 1 cell cannot come from the original
      NCP: information lost per cell             61.3 %
      LM: information lost per cell              56.9 %
      DM: rows that look alike, summed           13
      C_AVG: average class over the smallest     0.750
      KL: distance from the original             1.351
    --- stderr
    note: the insensitive column `note` singles out 6 of 7 rows: no promise covers it, and anybody who knows it of a person picks out the record; make it quasi, or leave it out
    ");
}

#[test]
fn two_attributes_that_fail_are_both_named() {
    let plan = "[attributes]\na = \"quasi\"\ns = \"sensitive\"\nu = \"sensitive\"\n\
                [goal]\ndistinct-l-diversity = 2\n";
    let folder = Folder::with(&[("p.toml", plan), ("r.csv", "a,s,u\n1,x,y\n1,x,y\n")]);
    let reasons = folder.json("verify r.csv --plan p.toml")["reasons"].to_string();
    assert!(reasons.contains("of `s`") && reasons.contains("of `u`"), "{reasons}");
}

#[test]
fn what_cannot_be_judged_is_an_error_with_its_place() {
    let lacking = folder("age,disease,note\n1,flu,2\n");
    assert_snapshot!(lacking.refused("verify r.csv --plan p.toml"), @r"
    error: no column `zip` in r.csv

    hint: `kohort inspect DATA` lists the columns
    ");
    let folder = folder(RELEASE);
    assert!(folder.refused("verify none.csv --plan p.toml").contains("no such file"));
    assert!(folder.refused("verify r.csv --plan none.toml").contains("no such file"));
    folder.put("p.toml", "[attributes]\nage = \"quasi\"\n");
    assert_snapshot!(folder.refused("verify r.csv --plan p.toml"), @r"
    error: nothing is promised: the goal is empty

    hint: ask for something, such as `--k 5`, or `k-anonymity = 5` in the plan's `[goal]`
    ");
    folder.put("p.toml", "[goal]\nk-anonymity = 2\n");
    assert!(folder.refused("verify r.csv --plan p.toml").contains("no quasi-identifier is named"));
}

#[test]
fn the_answer_about_the_raw_table_is_no() {
    assert_snapshot!(folder(ORIGINAL).run("verify t.csv --plan p.toml"), @r"
    exit 1
    --- stdout
    rejected

      6 rows in 6 classes, the smallest of 1
      k-anonymity, k = 2: FAILS in 6 of 6 classes, with 6 rows
      frequency-l-diversity of disease, l = 2: FAILS in 6 of 6 classes, with 6 rows
      FAILS: `name` is in the release but has no role in the plan, so nothing is promised about it
    ");
}

#[test]
fn lkc_privacy_is_judged_by_sets_of_few_columns() {
    let plan = |l: u8| {
        format!(
            "[attributes]\nage = 'quasi'\narea = 'quasi'\ns = 'sensitive'\n[goal]\n\
             lkc-privacy = {{ l = {l}, k = 2, c = 0.7, attribute = 's' }}\n"
        )
    };
    // One row alone is in the thirties and the south; who knows one of the two finds three.
    let release = "age,area,s\n20-29,n,x\n20-29,n,y\n20-29,s,x\n20-29,s,y\n30-39,n,x\n30-39,n,y\n\
                   30-39,s,x\n";
    let folder = Folder::with(&[("r.csv", release), ("1.toml", &plan(1)), ("2.toml", &plan(2))]);
    let accepted = folder.json("verify r.csv --plan 1.toml");
    assert_eq!((&accepted["verified"], &accepted["k"]), (&json!(true), &json!(1)));
    let rejected = folder.run("verify r.csv --plan 2.toml --format json");
    assert_eq!(rejected.code, 1);
    let reason =
        "`lkc-privacy` of `s` with l = 2, k = 2, c = 0.7, every value fails in 1 class, with 1 row";
    assert_eq!(rejected.json()["reasons"], json!([reason]));
}

#[test]
fn identifiers_of_which_every_cell_is_masked_are_none() {
    // As ARX writes them: the column stays, with `*` in every row.
    let masked = |line: &str| format!("*,{line}\n");
    let (head, rows) = RELEASE.split_once('\n').unwrap_or_default();
    let release = format!("name,{head}\n") + &rows.lines().map(masked).collect::<String>();
    let plan = PLAN.replace("[attributes]", "[attributes]\nname = \"identifier\"");
    let files = [("p.toml", plan.as_str()), ("t.csv", ORIGINAL), ("r.csv", &release)];
    let folder = Folder::with(&files);
    let output = folder.run("verify r.csv --plan p.toml --original t.csv");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("note: identifiers that are masked in every cell: `name`"));
    assert!(output.stdout.contains("every row covers a row of it"), "{output}");
    folder.put("r.csv", release.replacen("*,\"", "A,\"", 1));
    let output = folder.run("verify r.csv --plan p.toml --original t.csv");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("the identifier `name` is in the release"), "{output}");
}

// Issue 3: flags are about the release.
#[test]
fn how_the_original_was_written_is_said_in_the_plan() {
    let folder = folder(RELEASE);
    let bytes: Vec<u8> =
        ORIGINAL.bytes().map(|byte| if byte == b'A' { 0xE9 } else { byte }).collect();
    folder.put("latin.csv", bytes);
    let ask = "verify r.csv --plan p.toml --original latin.csv --encoding windows-1252";
    let said = folder.refused(ask);
    assert!(said.contains("`encoding = \"windows-1252\"` in its `[read]`"), "{said}");
    folder.put("l.toml", format!("{PLAN}\n[read]\nencoding = \"windows-1252\"\n"));
    let output = folder.run("verify r.csv --plan l.toml --original latin.csv");
    assert_eq!(output.code, 0, "{output}");
    let said = folder.refused("verify r.csv --plan p.toml --original t.csv --separator ;");
    assert!(said.contains("`--separator` is about the release"), "{said}");
    let ask = "attack r.csv --plan p.toml --original latin.csv";
    assert!(folder.refused(ask).contains("in its `[read]`"));
}

/// A plan for four people of whom an anatomized release hides which disease is whose.
const ANATOMY: &str = "input = \"t.csv\"\n[attributes]\nage = \"quasi\"\nd = \"sensitive\"\n[goal]\n\
                       frequency-l-diversity = 2\n[method]\nalgorithm = \"anatomy\"\n";

#[test]
fn groups_with_the_values_of_other_people_are_found() {
    let folder = Folder::with(&[
        ("p.toml", ANATOMY),
        ("t.csv", "age,d\n20,a\n30,b\n40,c\n50,e\n"),
        ("r.csv", "age,group\n20,1\n30,1\n40,2\n50,2\n"),
        ("r.sensitive.csv", "group,d,count\n1,a,1\n1,b,1\n2,c,1\n2,e,1\n"),
        ("one.csv", "age,group,d\n20,1,c\n30,1,e\n40,2,a\n50,2,b\n"),
    ]);
    let ask = |file: &str| folder.run(&format!("verify {file} --plan p.toml --original t.csv"));
    let (told, said) =
        ("4 released rows cover no available row", "2 released rows cover no available row");
    assert_eq!(ask("r.csv").code, 0);
    let swapped = ask("one.csv");
    assert!(swapped.code == 1 && swapped.stdout.contains(told), "{swapped}");
    // Values of the other group, then people in the other group.
    folder.put("r.sensitive.csv", "group,d,count\n1,c,1\n1,e,1\n2,a,1\n2,b,1\n");
    let swapped = ask("r.csv");
    assert!(swapped.code == 1 && swapped.stdout.contains(told), "{swapped}");
    folder.put("r.sensitive.csv", "group,d,count\n1,a,1\n1,b,1\n2,c,1\n2,e,1\n");
    folder.put("r.csv", "age,group\n20,2\n30,1\n40,1\n50,2\n");
    let swapped = ask("r.csv");
    assert!(swapped.code == 1 && swapped.stdout.contains(said), "{swapped}");
}

// What a process that is killed leaves of a release of two files.
#[test]
fn one_file_of_two_is_no_release() {
    let folder = Folder::with(&[("p.toml", ANATOMY), ("r.csv", "age,group\n20,1\n30,1\n")]);
    assert_snapshot!(folder.run("verify r.csv --plan p.toml"), @r"
    exit 2
    --- stderr
    error: r.sensitive.csv: no such file, and the plan's release has its sensitive values there

    hint: one file of two is not a release: make it again, or get the other one
    ");
}

#[test]
fn changed_cells_of_means_are_found() {
    let plan = "input = \"t.csv\"\n[attributes]\nname = \"identifier\"\nage = \"quasi\"\n\
                zip = \"quasi\"\ndisease = \"sensitive\"\nnote = \"insensitive\"\n[goal]\n\
                k-anonymity = 2\n[method]\nalgorithm = \"mdav\"\n";
    let folder = Folder::with(&[("p.toml", plan), ("t.csv", ORIGINAL)]);
    assert_eq!(folder.run("anonymize p.toml -o r.csv --quiet").code, 0);
    let release = folder.text("r.csv").expect("it was written");
    let fails = |release: &str| {
        folder.put("r.csv", release);
        let output = folder.run("verify r.csv --plan p.toml --original t.csv");
        let found = output.stdout.lines().filter(|line| line.contains("FAILS")).collect::<Vec<_>>();
        assert_eq!(output.code, i32::from(!found.is_empty()), "{output}");
        found.join("\n")
    };
    assert_snapshot!(fails(&release), @"");
    assert_snapshot!(fails(&release.replacen("flu", "gout", 1)), @"  FAILS: 1 released row has other values than the rows of the original in columns that are not quasi-identifiers");
    let aged = |age: &str| {
        let mut lines = release.lines().map(str::to_owned);
        let header = lines.next().expect("there is a header");
        let lines = lines.map(|line| line.replacen(line.split(',').next().unwrap(), age, 1));
        std::iter::once(header).chain(lines).map(|line| line + "\n").collect::<String>()
    };
    assert_snapshot!(fails(&aged("99")), @"  FAILS: r.csv, line 2, column `age`: not a mean, median or value of the original's column");
    assert_snapshot!(fails(&aged("64")), @"  FAILS: column `age`: its numbers are not means of the original's");
}
