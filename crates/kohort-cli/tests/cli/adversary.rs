//! What is said about an adversary who knows the method.

use std::fmt::Write;

use crate::harness::Folder;

/// 60 people with an age, a zip code and one of four diseases.
fn people() -> String {
    let mut table = "age,zip,disease\n".to_owned();
    for at in 0..60_usize {
        let drawn = at * 7919 + 13;
        let _ =
            writeln!(table, "{},{},d{}", 20 + drawn % 61, 1000 + drawn / 7 % 40, drawn / 11 % 4);
    }
    table
}

const ASK: &str = "anonymize t.csv --quasi age,zip --sensitive disease --k 2 -o r.csv --force";

#[test]
fn a_receipt_and_a_page_say_against_whom_promises_hold() {
    let folder = Folder::with(&[("t.csv", &people())]);
    let opaque = "an adversary who finds a person&#39;s class, not against one who also runs the method again";
    let transparent =
        "an adversary who knows the program, the plan and everybody&#39;s quasi-identifiers";
    for (flags, is_transparent, against) in [
        ("--frequency-l 2", serde_json::json!(false), Some(opaque)),
        ("--frequency-l 2 --transparent no", serde_json::json!(false), Some(opaque)),
        ("--frequency-l 2 --transparent yes", serde_json::json!(true), Some(transparent)),
        ("", serde_json::Value::Null, None),
    ] {
        let receipt = folder.json(&format!("{ASK} {flags} --report r.html"));
        assert_eq!(receipt["transparent"], is_transparent, "{flags}");
        let text = folder.run(&format!("{ASK} {flags}")).stdout;
        let page = folder.text("r.html").expect("a page was written");
        let Some(against) = against else {
            assert!(!text.contains("hold against") && !page.contains("hold against"), "{text}");
            continue;
        };
        let told = format!("promises about sensitive values hold against {against}");
        assert!(text.contains(&told.replace("&#39;", "'")), "{flags}: {text}");
        assert!(page.to_lowercase().contains(&told.to_lowercase()), "{flags}");
    }
}
