//! The examples run, and say what they should.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::process::Command;

/// What an example prints. `cargo test` builds the examples of a package beside its tests.
fn run(name: &str) -> String {
    let tests = std::env::current_exe().unwrap();
    let example = tests.parent().unwrap().with_file_name("examples").join(name);
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(&example).env("TMPDIR", folder.path()).output();
    let output = output.expect("`cargo test`, or `cargo build --examples`, builds the examples");
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {errors}");
    text
}

#[test]
fn rows_in_memory_are_anonymized() {
    let text = run("anonymize_rows");
    assert_eq!(text.lines().take(6).filter(|line| line.contains('\t')).count(), 6);
    assert!(!text.contains("Ann") && text.contains("k-anonymity"), "{text}");
}

#[test]
fn a_csv_file_is_anonymized() {
    let text = run("anonymize_csv");
    assert!(text.contains("release.csv"), "{text}");
}

#[test]
fn borders_are_found() {
    let text = run("diagnose_borders");
    assert!(text.contains("largest safe sets: [["), "{text}");
    assert!(text.contains("smallest dangerous sets: [["), "{text}");
}

#[test]
fn a_release_of_somebody_is_judged() {
    let text = run("verify_release");
    assert!(text.contains("because"), "{text}");
}

#[test]
fn a_release_is_attacked() {
    let text = run("attack_release");
    assert!(text.starts_with("the raw table: refuted\nthe release: not refuted\n"), "{text}");
}

#[test]
fn a_series_is_published() {
    let text = run("publish_series");
    assert_eq!(text.matches("verified: true").count(), 2, "{text}");
}
