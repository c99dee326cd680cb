//! Tables in several files, and releases in parts.

use insta::assert_snapshot;

use crate::harness::Folder;

/// A hospital cut into Parquet files, its plan reading all of them.
fn lake() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data hospital --rows 300 --seed 9 -o whole.csv").code, 0);
    let whole = folder.text("whole.csv").expect("it was written");
    let (header, rows) = whole.split_once('\n').expect("a header");
    let rows: Vec<&str> = rows.lines().collect();
    for (part, rows) in rows.chunks(120).enumerate() {
        folder.put(&format!("csv/part-{part}.csv"), format!("{header}\n{}\n", rows.join("\n")));
    }
    folder
}

const ASKED: &str = "--quasi age,sex,zip --sensitive disease --k 3";

#[test]
fn a_release_of_several_files_is_that_of_one() {
    let folder = lake();
    let made = |data: &str, release: &str| {
        let output = folder.run(&format!("anonymize {data} {ASKED} -o {release}"));
        assert_eq!(output.code, 0, "{output}");
        folder.text(release).expect("it was written")
    };
    let of_parts = made("csv/part-*.csv", "parts.csv");
    assert_eq!(of_parts, made("whole.csv", "one.csv"));
}

#[test]
fn a_release_in_parts_is_judged_and_read_as_one_table() {
    let folder = lake();
    let anonymize = |more: &str| {
        folder.run(&format!("anonymize whole.csv {ASKED} --seed 3 {more} --format json"))
    };
    let output = anonymize("-o release --parts 3");
    assert_eq!(output.code, 0, "{output}");
    let receipt = output.json();
    assert_eq!(receipt["verified"], true);
    assert_eq!(receipt["files"][0], "release");
    for part in 0..3 {
        assert!(folder.path(&format!("release/part-0000{part}.parquet")).is_file());
    }
    assert!(!folder.names().iter().any(|name| name.starts_with('.')));
    assert_eq!(anonymize("-o one.parquet").code, 0);
    let looked = |release: &str| folder.json(&format!("inspect {release}"))["columns"].clone();
    assert_eq!(looked("release"), looked("one.parquet"));
    folder
        .put("asked.toml", folder.run(&format!("anonymize whole.csv {ASKED} --print-plan")).stdout);
    assert_eq!(folder.run("verify release --plan asked.toml --original whole.csv").code, 0);
    // Again, with fewer parts: nothing of the earlier release stays.
    let output = anonymize("-o release --parts 2");
    assert_eq!(output.code, 0, "{output}");
    assert!(!folder.path("release/part-00002.parquet").exists());
}

#[test]
fn parts_have_their_place() {
    let folder = lake();
    let refused = |asked: &str| folder.refused(&format!("anonymize --quiet {asked}"));
    assert_snapshot!(refused(&format!("whole.csv {ASKED} -o release.csv --parts 2")), @"
    error: release.csv: a release in parts is a folder of Parquet files

    hint: name a folder, or leave `parts` out
    ");
    assert_snapshot!(refused(&format!("whole.csv {ASKED} -o release --parts 0")), @"
    error: `parts` must be from 1 to 10000, but is 0

    hint: leave it out for a release that is one file
    ");
    assert_snapshot!(refused(&format!("whole.csv {ASKED} -o sqlite:r.db#r --parts 2")), @"
    error: a release in a database is one table, and has no parts

    hint: leave `--parts` out
    ");
    assert_snapshot!(refused(&format!("csv/*.csv {ASKED} -o csv/release.csv")), @"
    error: csv/release.csv would be a part of csv/*.csv, which is an input

    hint: name a file in another folder
    ");
    folder.put("mine/letter.txt", "x");
    assert_snapshot!(refused(&format!("whole.csv {ASKED} -o mine --parts 2 --force")), @"
    error: mine/letter.txt: is no part of a release, and would be deleted with its folder

    hint: name the files of the table by a pattern, such as `lake/part-*.parquet`, or another folder
    ");
    assert_eq!(folder.text("mine/letter.txt").as_deref(), Some("x"));
}
