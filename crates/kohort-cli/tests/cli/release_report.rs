//! `kohort anonymize --report`: written where it is asked for, after the release, and over nothing else.

use insta::assert_snapshot;

use crate::harness::Folder;

const TABLE: &str =
    "age,sex,disease\n30,F,flu\n31,F,gout\n32,M,flu\n60,M,gout\n61,F,flu\n62,M,gout\n";
const PLAN: &str = "input = 't.csv'\n[attributes]\nage = 'quasi'\nsex = 'quasi'\n\
                    disease = 'sensitive'\n[goal]\nk-anonymity = 3\n[method]\nalgorithm = 'mondrian'\n\
                    [output]\nrelease = 'r.csv'\nreport = 'r.html'\n";
const FLAGS: &str =
    "anonymize t.csv --quasi age,sex --sensitive disease --algorithm mondrian --quiet";

fn folder() -> Folder {
    Folder::with(&[("t.csv", TABLE), ("deep/t.csv", TABLE), ("deep/plan.toml", PLAN)])
}

#[test]
fn a_plan_and_a_flag_name_the_report() {
    let folder = folder();
    assert_snapshot!(folder.run("anonymize deep/plan.toml").stderr, @"note: report written to deep/r.html");
    assert!(folder.text("deep/r.html").is_some_and(|page| page.contains("Release of <bdi>t.csv")));
    assert_eq!(folder.run("anonymize deep/plan.toml --report mine.html").code, 0);
    assert_eq!(folder.text("mine.html"), folder.text("deep/r.html"));
    // A report, of a release or of a diagnosis, gives way to the next one.
    for words in ["anonymize deep/plan.toml", "diagnose t.csv --quasi age --report deep/r.html"] {
        assert_eq!(folder.run(words).code, 0, "{words}");
        assert_eq!(folder.run("anonymize deep/plan.toml").code, 0);
    }
}

#[test]
fn no_release_no_report() {
    let folder = folder();
    let output = folder.run(&format!("{FLAGS} --k 7 -o r.csv --report r.html"));
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!((folder.text("r.csv"), folder.text("r.html")), (None, None));
}

#[test]
fn a_report_over_another_file_is_refused_before_anything_is_made() {
    let folder = Folder::with(&[("t.csv", TABLE), ("mine.html", "mine")]);
    let words = |report: &str| format!("{FLAGS} --k 3 -o r.csv --report {report}");
    assert_snapshot!(folder.refused(&words("mine.html")), @r"
    error: mine.html already exists and is not a kohort report

    hint: name another file, or overwrite it with `--force`
    ");
    assert_snapshot!(folder.refused(&words("t.csv")), @r"
    error: t.csv is an input of this command, and inputs are not overwritten

    hint: name another file
    ");
    assert_snapshot!(folder.refused(&words("r.csv")), @r"
    error: r.csv is where the release goes

    hint: name another file with `--report release.html`
    ");
    assert_eq!(folder.text("r.csv"), None);
    assert_eq!(folder.run(&format!("{} --force", words("mine.html"))).code, 0);
    assert_ne!(folder.text("mine.html").as_deref(), Some("mine"));
}

#[test]
fn a_column_without_a_role_is_left_out_and_named() {
    let folder = folder();
    let words = FLAGS.replace("--quasi age,sex ", "--quasi age ").replace(" --quiet", "");
    let output = folder.run(&format!("{words} --k 3 -o r.csv"));
    assert_snapshot!(output.stderr, @"note: columns without a role are left out of the release: `sex`");
    assert!(folder.text("r.csv").is_some_and(|text| text.starts_with("age,disease\n")));
}
