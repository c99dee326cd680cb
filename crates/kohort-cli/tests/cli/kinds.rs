//! How values stand in a file of JSON, Parquet or Arrow: as it was in a release, and a no when it changed.

use crate::harness::Folder;

/// The sensitive and the insensitive value of each row, as JSON has them.
const VALUES: [(&str, &str); 16] = [
    ("\"flu\"", "\"\""),
    ("\"\"", "null"),
    ("null", "1"),
    ("\"gut\"", "\"1\""),
    ("1", "1.50"),
    ("\"1\"", "\"1.50\""),
    ("\"flu\"", "1e3"),
    ("\"\"", "true"),
    ("null", "\"true\""),
    ("\"gut\"", "false"),
    ("1", "\"null\""),
    ("\"1\"", "-0"),
    ("\"flu\"", "\"é\""),
    ("\"\"", "\"\""),
    ("null", "null"),
    ("\"gut\"", "1"),
];

fn lines(values: &[(&str, &str)]) -> String {
    let line = |(at, (sensitive, note)): (usize, &(&str, &str))| {
        let (age, zip) = (20 + at * 7 % 16, ["02138", "02139"][at % 2]);
        let quasi = format!("\"all\":0,\"age\":{age},\"zip\":\"{zip}\"");
        format!("{{{quasi},\"s\":{sensitive},\"note\":{note}}}\n")
    };
    values.iter().enumerate().map(line).collect()
}

fn folder() -> Folder {
    Folder::with(&[("t.jsonl", &lines(&VALUES))])
}

const ASK: &str = "--quasi age,zip --sensitive s --insensitive note --seed 1";

/// What stands in each line between `from` and `to`, sorted.
fn parts(text: &str, from: &str, to: &str) -> Vec<String> {
    let part = |line: &str| {
        let (_, rest) = line.split_once(from)?;
        rest.split_once(to).map(|(part, _)| part.to_owned())
    };
    let mut parts: Vec<String> = text.lines().filter_map(part).collect();
    parts.sort();
    parts
}

/// The table in another format: everybody is in one class, and every other column is as it was.
fn copied(folder: &Folder, file: &str) {
    let ask = "anonymize t.jsonl --quasi all --insensitive age,zip,s,note --k 2";
    assert_eq!(folder.run(&format!("{ask} -o {file}")).code, 0, "{file}");
}

/// Makes a release and its plan, and verifies it; the text of its file.
fn released(folder: &Folder, from: &str, file: &str, options: &str) -> String {
    folder.secret("secret.key", 7);
    let ask =
        format!("anonymize {from} {ASK} {options} -o {file} --force --secret-file secret.key");
    let output = folder.run(&ask);
    assert_eq!(output.code, 0, "{ask}: {}", output.stderr);
    folder.put("p.toml", folder.run(&format!("{ask} --print-plan")).stdout);
    verify(folder, file, from, true);
    folder.text(file).unwrap_or_default()
}

fn verify(folder: &Folder, file: &str, original: &str, expected: bool) {
    let found = folder.json(&format!("verify {file} --plan p.toml --original {original}"));
    assert_eq!(found["verified"], expected, "{file} {original}: {found}");
}

#[test]
fn cells_of_json_lines_stay_the_json_they_were() {
    let folder = folder();
    let text = released(&folder, "t.jsonl", "r.jsonl", "--k 4 --distinct-l 2");
    assert_eq!(parts(&text, "\"s\":", "}"), parts(&lines(&VALUES), "\"s\":", "}"));
    // Cells that were made coarser are texts, as the zip codes were.
    assert!(text.contains("\"age\":\"[") && text.contains("\"zip\":\""));
}

#[test]
fn anatomized_values_stay_the_json_they_were() {
    // All of one age and place: a group has values that say the same and stand otherwise.
    let ages = 20..36;
    let alike = |text: String, age: i32| text.replace(&format!("\"age\":{age},"), "\"age\":40,");
    let expected = ages.fold(lines(&VALUES), alike).replace("02139", "02138");
    let folder = Folder::with(&[("t.jsonl", &expected)]);
    let sensitive = parts(&expected, "\"s\":", ",");
    let options = "--algorithm mondrian --form anatomized --frequency-l 2 --anatomy";
    let text = released(&folder, "t.jsonl", "one.jsonl", &format!("{options} one-file"));
    assert_eq!(parts(&text, "\"s\":", "}"), sensitive);
    assert_eq!(parts(&text, "\"note\":", ","), parts(&expected, "\"note\":", "}"));
    let text = released(&folder, "t.jsonl", "r.jsonl", &format!("{options} two-files"));
    assert_eq!(parts(&text, "\"note\":", ","), parts(&expected, "\"note\":", "}"));
    let values = folder.text("r.sensitive.jsonl").unwrap_or_default();
    let mut found = Vec::new();
    for line in values.lines() {
        let count = parts(line, "\"count\":", "}")[0].parse().unwrap_or(0);
        found.extend(std::iter::repeat_n(parts(line, "\"s\":", ",").remove(0), count));
    }
    found.sort();
    assert_eq!(found, sensitive);
    let swapped = values.replacen("\"s\":\"\"", "\"s\":null", 1);
    assert_ne!(swapped, values);
    folder.put("r.sensitive.jsonl", swapped);
    verify(&folder, "r.jsonl", "t.jsonl", false);
}

#[test]
fn a_cell_that_stands_otherwise_was_changed() {
    let folder = folder();
    let text = released(&folder, "t.jsonl", "r.jsonl", "--k 4 --distinct-l 2");
    let changes = [
        ("\"s\":\"\",", "\"s\":null,"),
        ("\"s\":null,", "\"s\":\"\","),
        ("\"s\":1,", "\"s\":\"1\","),
        ("\"s\":\"1\",", "\"s\":1,"),
        ("\"note\":\"\"}", "\"note\":null}"),
        ("\"note\":null}", "\"note\":\"\"}"),
        ("\"note\":true}", "\"note\":\"true\"}"),
        ("\"note\":\"1.50\"}", "\"note\":1.50}"),
        ("\"note\":-0}", "\"note\":\"-0\"}"),
    ];
    for (from, to) in changes {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        folder.put("r.jsonl", changed);
        verify(&folder, "r.jsonl", "t.jsonl", false);
    }
    folder.put("r.jsonl", text);
    verify(&folder, "r.jsonl", "t.jsonl", true);
}

#[test]
fn what_a_format_does_not_tell_is_not_compared() {
    let folder = folder();
    let options = "--k 4 --distinct-l 2";
    for file in ["r.csv", "r.parquet", "r.arrow"] {
        released(&folder, "t.jsonl", file, options);
    }
    // The same table without a word of how its values stand.
    copied(&folder, "t.csv");
    for (from, file) in [("t.csv", "r.jsonl"), ("t.csv", "r.parquet"), ("t.jsonl", "r.jsonl")] {
        released(&folder, from, file, options);
        verify(&folder, file, "t.csv", true);
    }
}

#[test]
fn strings_of_parquet_files_stay_empty_or_null() {
    let folder = folder();
    let mut expected: Vec<&str> = VALUES.iter().map(|values| values.0).collect();
    expected.iter_mut().filter(|value| **value == "1").for_each(|value| *value = "\"1\"");
    expected.sort_unstable();
    for file in ["t.parquet", "t.arrow"] {
        copied(&folder, file);
        let text = released(&folder, file, "r.jsonl", "--k 4 --distinct-l 2");
        assert_eq!(parts(&text, "\"s\":", ","), expected, "{file}");
        let changed = text.replacen("\"s\":\"\"", "\"s\":null", 1);
        assert_ne!(changed, text);
        folder.put("r.jsonl", changed);
        verify(&folder, "r.jsonl", file, false);
    }
}

#[test]
fn a_release_tells_no_more_of_its_order_than_of_its_values() {
    // Every value stands in another way, which CSV does not show: nor does the order of its rows.
    let turned = |value: &'static str| match value {
        "\"\"" => "null",
        "null" => "\"\"",
        "1" => "\"1\"",
        "\"1\"" => "1",
        other => other,
    };
    let others: Vec<(&str, &str)> = VALUES.iter().map(|&(s, n)| (turned(s), turned(n))).collect();
    let folder = folder().and("other.jsonl", lines(&others));
    for options in ["--k 4", "--algorithm anatomy --frequency-l 2 --anatomy one-file"] {
        let text = released(&folder, "t.jsonl", "r.csv", options);
        assert_eq!(released(&folder, "other.jsonl", "r.csv", options), text);
    }
    // Rows in another order are the same release.
    let table = lines(&VALUES);
    let mut backwards: Vec<&str> = table.lines().rev().collect();
    backwards.push("");
    folder.put("back.jsonl", backwards.join("\n"));
    for file in ["r.jsonl", "r.csv"] {
        let text = released(&folder, "t.jsonl", file, "--k 16");
        assert_eq!(released(&folder, "back.jsonl", file, "--k 16"), text, "{file}");
    }
}

#[test]
fn quasi_identifiers_that_show_values_alone_stand_as_they_stood() {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let made = |lines: &str| {
        let folder = Folder::with(&[("t.jsonl", lines)]);
        let ask = "anonymize t.jsonl --quasi a,b --k 2 --algorithm mondrian -o r.jsonl";
        assert_eq!(folder.run(ask).code, 0);
        sorted(&folder.text("r.jsonl").unwrap_or_default())
    };
    let line = |a: &str, b: &str| format!("{{\"a\":{a},\"b\":{b}}}\n").repeat(2);
    let table = [("1.50", "1"), ("\"x\"", "2"), ("true", "3"), ("null", "4")];
    let lines: String = table.iter().map(|(a, b)| line(a, b)).collect();
    assert_eq!(made(&lines), sorted(&lines));
    // Who stood otherwise is not told from the others of the class.
    let one = "{\"a\":1,\"b\":5}\n{\"a\":\"1\",\"b\":5}\n";
    let expected = line("\"1\"", "5");
    assert_eq!(made(one), sorted(&expected));
}

#[test]
fn rows_that_stand_otherwise_are_told_apart() {
    let plan = "input = \"t.jsonl\"\n[attributes]\na = \"quasi\"\nb = \"quasi\"\n[goal]\nk-anonymity = 2\n";
    let rows = |a: [&str; 4]| a.map(|a| format!("{{\"a\":{a},\"b\":5}}\n")).concat();
    let folder = Folder::with(&[("p.toml", plan)]);
    let judged = |a: [&str; 4]| {
        folder.put("r.jsonl", rows(a));
        let found = folder.json("verify r.jsonl --plan p.toml");
        (found["k"].as_u64(), found["verified"].as_bool())
    };
    assert_eq!(judged(["1", "1", "1", "1"]), (Some(4), Some(true)));
    assert_eq!(judged(["1", "\"1\"", "1", "\"1\""]), (Some(2), Some(true)));
    assert_eq!(judged(["1", "\"1\"", "1", "1"]), (Some(1), Some(false)));
    assert_eq!(judged(["\"\"", "null", "null", "null"]), (Some(1), Some(false)));
}
