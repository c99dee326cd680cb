//! delta-presence from a plan to a release: made, judged, refused and out of reach.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::Folder;

const PEOPLE: &str = "age,sex\n20,f\n21,f\n22,m\n25,m\n31,f\n33,f\n34,m\n38,m\n41,f\n45,m\n";
const TABLE: &str = "age,sex,disease\n20,f,flu\n22,m,cold\n31,f,flu\n34,m,gout\n45,m,cold\n";

/// In ranges of ten years, whatever the sex, every second person is a member. With the sex, who is 45 is.
fn folder() -> Folder {
    let plan = "input = 't.csv'\n[attributes]\n\
        age = { role = 'quasi', taxonomy = { widths = [10, 20] } }\nsex = 'quasi'\n\
        disease = 'sensitive'\n[goal]\n\
        delta-presence = { min = 0.45, max = 0.5, public = 'people.csv' }\n";
    Folder::with(&[("plan.toml", plan), ("t.csv", TABLE), ("people.csv", PEOPLE)])
}

/// The release of the plan.
fn release(folder: &Folder) -> String {
    assert_eq!(folder.run("anonymize plan.toml -o r.csv").code, 0);
    folder.text("r.csv").unwrap_or_default()
}

#[test]
fn a_release_is_made_and_verified() {
    let folder = folder();
    let receipt = folder.json("anonymize plan.toml -o r.csv");
    assert_eq!(receipt["algorithm"], "optimal");
    let members = json!({"people": 10, "lowest": 0.5, "highest": 0.5, "below": 0, "above": 0,
        "rows_not_covered": 0});
    assert_eq!(receipt["goal"][0]["members"], members);
    let note = "`delta-presence` is kept by recoding the whole domain: `auto` is `optimal`";
    let alone = "rows that are unique by their quasi-identifiers: 1 (k = 1); nothing in the goal hides people among others, `--k 5` does";
    assert_eq!(receipt["notes"], json!([note, alone]));
    let text = folder.text("r.csv").unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    assert_snapshot!(lines.join("\n"), @r#"
    "[20, 29]",*,cold
    "[20, 29]",*,flu
    "[30, 39]",*,flu
    "[30, 39]",*,gout
    "[40, 49]",*,cold
    "#);
    assert_snapshot!(folder.run("verify r.csv --plan plan.toml"), @r"
    exit 0
    --- stdout
    verified

      5 rows in 3 classes, the smallest of 1
      delta-presence, min = 0.45, max = 0.5, public people.csv: holds (decided), 10 people are members with 50 % to 50 %
    --- stderr
    note: rows that are unique by their quasi-identifiers: 1 (k = 1); nothing in the goal hides people among others, `--k 5` does
    ");
    assert_eq!(folder.run("verify r.csv --plan plan.toml --original t.csv").code, 0);
    for id in ["samarati", "datafly", "incognito"] {
        let made = folder.json(&format!("anonymize plan.toml -o r.csv --force --algorithm {id}"));
        assert_eq!(made["verified"], true, "{id}");
    }
}

#[test]
fn a_release_that_somebody_changed_is_rejected() {
    let folder = folder();
    let release = release(&folder);
    let rejected = |text: String| -> Value {
        folder.put("x.csv", text);
        let output = folder.run("verify x.csv --plan plan.toml --format json");
        assert_eq!(output.code, 1);
        output.json()
    };
    let narrowed = rejected(release.replace("\"[40, 49]\"", "45"));
    let reason = "`delta-presence` fails for 2 of 10 people of the public table";
    assert_eq!(narrowed["reasons"], json!([reason]));
    assert_eq!(narrowed["goal"][0]["members"]["below"], 1);
    assert_eq!(narrowed["goal"][0]["members"]["highest"], 1.0);
    let dropped: Vec<&str> = release.lines().filter(|line| !line.contains("49")).collect();
    assert_eq!(rejected(dropped.join("\n"))["goal"][0]["members"]["below"], 2);
    let told: String = release.replacen(",*,", ",f,", 5);
    assert_eq!(rejected(told)["goal"][0]["holds"], false);
}

#[test]
fn what_the_public_table_does_not_list_is_noted() {
    let folder = folder();
    release(&folder);
    folder.put("people.csv", PEOPLE.replace("41,f\n45,m\n", "unknown,x\n"));
    // Nobody is in their forties; one person is under the root alone.
    let verdict = folder.run("verify r.csv --plan plan.toml --original t.csv --format json").json();
    let members = json!({"people": 9, "lowest": 0.0, "highest": 0.5, "below": 1, "above": 0,
        "rows_not_covered": 1});
    assert_eq!(verdict["goal"][0]["members"], members);
    let note = "the public table does not list everybody: 1 released row is nobody there";
    assert_eq!(verdict["notes"], json!([note]));
    assert_snapshot!(folder.run("verify r.csv --plan plan.toml"), @r"
    exit 2
    --- stderr
    error: the public table: taxonomy of column `age`: `widths` is for numbers, but the column is read as text

    hint: set the type of the column in the plan, or name the original with `--original`
    ");
}

#[test]
fn other_algorithms_are_refused_before_any_work() {
    let folder = folder();
    assert_snapshot!(folder.run("anonymize plan.toml -o r.csv --algorithm mondrian"), @r"
    exit 2
    --- stderr
    error: `mondrian` does not keep `delta-presence`: it recodes class by class

    hint: try `--algorithm optimal`, which recodes the whole domain, or leave `delta-presence` out of the goal
    ");
    assert_eq!(folder.text("r.csv"), None);
    let cells = folder.json("compare plan.toml --k 2")["cells"].clone();
    let ids: Vec<&str> = cells
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|cell| cell["algorithm"].as_str())
        .collect();
    assert_eq!(ids, ["samarati", "datafly", "incognito", "optimal"]);
}

#[test]
fn a_range_that_the_share_of_the_table_is_not_in_is_out_of_reach() {
    let folder = folder();
    let range = "{ min = 0, max = 0.3, public = \"people.csv\" }";
    let output = folder.run_with("anonymize plan.toml -o r.csv --delta-presence", &[range]);
    assert_snapshot!(output, @r"
    exit 1
    --- stderr
    error: no release reaches the goal
      caused by: `delta-presence` with min = 0, max = 0.3 cannot be reached: with 5 rows for 10 people of the public table, the share of members is 50 % on average
      caused by: a range that holds 1/2 is feasible

    hint: ask for less, allow more suppression (`--suppression`), or see what the table has: `kohort diagnose`
    ");
    // Two of five rows may go, but a class goes as a whole.
    let range = "{ min = 0.31, max = 0.4, public = \"people.csv\" }";
    let output = folder
        .run_with("anonymize plan.toml -o r.csv --suppression 0.4 --delta-presence", &[range]);
    assert_snapshot!(output, @r"
    exit 1
    --- stderr
    error: `optimal` finds no release that reaches the goal
      caused by: no combination of levels keeps every promise
      caused by: at the top of all levels everybody is a member with 1/2

    hint: ask for less, allow more suppression (`--suppression`), or see what the table has: `kohort diagnose`
    ");
    assert_eq!(folder.text("r.csv"), None);
}

#[test]
fn suppressed_rows_that_are_kept_may_be_anybody() {
    let folder = folder();
    let run = |more: &str, max: &str| {
        let range = format!("{{ min = 0, max = {max}, public = \"people.csv\" }}");
        let words =
            format!("anonymize plan.toml -o r.csv --format json --force {more} --delta-presence");
        folder.run_with(&words, &[&range]).json()
    };
    // By age and sex, who is 45 is a member for sure: the row goes, and the others are one of two.
    let dropped = run("--suppression 0.2", "0.5");
    assert_eq!((&dropped["suppressed"], &dropped["rows_out"]), (&json!(1), &json!(4)));
    assert_eq!(dropped["goal"][0]["members"]["highest"], 0.5);
    // As `*` it adds a tenth for everybody.
    let kept = run("--suppression 0.2 --suppressed keep", "0.6");
    assert_eq!((&kept["suppressed"], &kept["rows_out"]), (&json!(1), &json!(5)));
    assert_eq!(kept["goal"][0]["members"]["highest"], 0.6);
    assert_eq!(kept["goal"][0]["members"]["lowest"], 0.1);
}
