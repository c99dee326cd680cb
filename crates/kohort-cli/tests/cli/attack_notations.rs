//! `kohort attack` and `kohort verify`: how cells of a release are read.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::Folder;

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let attacks = answer["attacks"].as_array().expect("it is a list");
    attacks.iter().find(|attack| attack["id"] == id).unwrap_or(&Value::Null)
}

/// What two attacks over two releases say of 48 people with a ZIP code of five digits, written with these ten
/// characters. One release shows `label` of a code and the age, the other the code alone.
fn over_two_releases(digits: &str, label: fn(&str) -> String, plan: &str, with: &str) -> Value {
    let written = |number: usize| {
        let digit = |c: char| digits.chars().nth(c as usize - '0' as usize).expect("ten of them");
        format!("{number:05}").chars().map(digit).collect::<String>()
    };
    let [mut table, mut first, mut second, mut taxonomy] = ["zip,age,s\n"; 3]
        .map(str::to_owned)
        .into_iter()
        .chain([String::new()])
        .collect::<Vec<_>>()
        .try_into()
        .expect("four texts");
    for n in 0..48 {
        let (zip, age, value) = (written(2130 + n * 7 % 40), 20 + n * 5 % 9, n % 16);
        let _ = writeln!(table, "{zip},{age},v{value}");
        let _ = writeln!(first, "{},{age},v{value}", label(&zip));
        let _ = writeln!(second, "{zip},*,v{value}");
    }
    for n in 0..40 {
        let zip = written(2130 + n);
        let _ = writeln!(taxonomy, "{zip};{};*", label(&zip));
    }
    let folder = Folder::with(&[
        ("plan.toml", plan),
        ("t.csv", &table),
        ("r1.csv", &first),
        ("r2.csv", &second),
        ("zip.csv", &taxonomy),
    ]);
    let ask = "attack r1.csv --release2 r2.csv --plan plan.toml --only unsorted-matching --only";
    let answer = folder.json(&format!("{ask} complementary-release {with}"));
    let of = |id: &str| {
        let found = attack(&answer, id);
        let notes = found["notes"].as_array().expect("it is a list").clone();
        json!([found["verdict"], found["success"], found["baseline"], notes])
    };
    json!([of("complementary-release"), of("unsorted-matching")])
}

#[test]
fn labels_that_look_like_numbers_are_read_as_the_plan_declares_them() {
    let plan = |zip: &str| {
        format!(
            "[attributes]\nzip = {{ role = \"quasi\", {zip} }}\nage = \"quasi\"\ns = \"sensitive\"\n"
        )
    };
    let cut = |zip: &str| zip.chars().take(4).collect::<String>();
    let masked = |zip: &str| format!("{}*", zip.chars().take(4).collect::<String>());
    let labels: [fn(&str) -> String; 2] = [cut, masked];
    for label in labels {
        for zip in
            ["type = \"text\"", "type = \"text\", taxonomy = \"zip.csv\"", "taxonomy = \"zip.csv\""]
        {
            // Labels that nothing declares cannot be read as values of the original.
            let is_listed = zip.contains("zip.csv") || label("12345").contains('*');
            let ways: &[&str] = if is_listed { &["", "--original t.csv"] } else { &[""] };
            for with in ways {
                let of = |digits| over_two_releases(digits, label, &plan(zip), with);
                let letters = of("ABCDEFGHIJ");
                // Codes with a zero in front, and codes that might be numbers.
                assert_eq!(of("0123456789"), letters, "{zip} {with}");
                assert_eq!(of("9123456780"), letters, "{zip} {with}");
                if is_listed {
                    let narrowed = letters[0][3][0].as_str().expect("a note");
                    assert!(narrowed.contains("% of the rows are narrowed"), "{letters}");
                    assert!(!narrowed.contains(": 0.0 % of the rows"), "{letters}");
                    assert_eq!(letters[0][0], "succeeds", "{letters}");
                    assert_eq!(letters[1][0], "succeeds", "{letters}");
                }
            }
        }
    }
}

/// Thirty people of 20 to 49 with one of three values in each decade.
fn people() -> String {
    let mut text = String::from("age,s\n");
    for n in 0..30 {
        let _ = writeln!(text, "{},v{}", 20 + n, n % 10 / 4);
    }
    text
}

/// A release of these people that shows the cells of three decades.
fn decades(cells: [&str; 3]) -> String {
    let mut text = String::from("age,s\n");
    for n in 0..30 {
        let cell = cells[n / 10];
        let cell = if cell.contains(',') { format!("\"{cell}\"") } else { cell.to_owned() };
        let _ = writeln!(text, "{cell},v{}", n % 10 / 4);
    }
    text
}

#[test]
fn every_notation_is_attacked_and_verified_as_the_programs_own() {
    let plan = "[attributes]\nage = \"quasi\"\ns = \"sensitive\"\n[goal]\nk-anonymity = 10\n";
    let folder = Folder::with(&[("plan.toml", plan), ("t.csv", &people())]);
    let own = ["[20, 29]", "[30, 39]", "[40, 49]"];
    let found = |cells: [&str; 3]| {
        folder.put("r.csv", decades(cells));
        let verdict = folder.json("verify r.csv --plan plan.toml --original t.csv");
        assert_eq!(verdict["verified"], true, "{cells:?}: {verdict}");
        let answer = folder.json("attack r.csv --plan plan.toml --original t.csv");
        answer["attacks"].clone()
    };
    let expected = found(own);
    for cells in [
        ["<30", "30-39", ">=40"],
        ["<=29", "[30-39]", ">39"],
        ["≤29", "[30, 40[", "≥40"],
        ["[20, 30)", "]29, 39]", "(39, 49]"],
        ["2*", "3*", "4*"],
        ["{20, 21, 22, 23, 24, 25, 26, 27, 28, 29}", "3*", ">= 40"],
    ] {
        assert_eq!(found(cells), expected, "{cells:?}");
    }
}

#[test]
fn a_cell_that_cannot_be_read_is_refused_by_its_place() {
    let folder = Folder::with(&[("t.csv", &people())]);
    for cell in ["about SECRETCELL", "-5-3", "20 to 29", "1e", "[20; 29]"] {
        folder.put("r.csv", decades(["[20, 29]", cell, "[40, 49]"]));
        folder.put("r2.csv", decades(["[20, 29]", "[30, 39]", "[40, 49]"]));
        let ask = "--quasi age --sensitive s --original t.csv --quiet";
        let text = folder.refused(&format!("attack r.csv {ask}"));
        assert!(
            text.contains("r.csv, line 12, column `age`: a cell that cannot be read"),
            "{text}"
        );
        assert!(text.contains("hint: "), "{text}");
        let text = folder.refused(&format!("attack r2.csv --release2 r.csv {ask}"));
        assert!(
            text.contains("r.csv, line 12, column `age`: a cell that cannot be read"),
            "{text}"
        );
        let text = folder.refused(&format!("attack r.csv {ask} --public t.csv"));
        assert!(
            text.contains("r.csv, line 12, column `age`: a cell that cannot be read"),
            "{text}"
        );
    }
    // In a column of texts any text may be somebody's whom a public table does not have, but not the original.
    let text = |cell: &str| format!("job,s\nnurse,a\n{cell},b\n");
    folder.put("t.csv", text("cook"));
    folder.put("r.csv", text("kitchen"));
    let ask = "attack r.csv --quasi job --sensitive s --quiet";
    assert_eq!(folder.run(&format!("{ask} --public t.csv")).code, 0);
    let refused = folder.refused(&format!("{ask} --original t.csv"));
    assert!(
        refused.contains("r.csv, line 3, column `job`: a cell that cannot be read"),
        "{refused}"
    );
}
