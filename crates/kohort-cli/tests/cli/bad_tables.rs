//! Tables that cannot be read, each met through `inspect`, through flags and through a plan.

use insta::assert_snapshot;

use crate::harness::Folder;

const PLAN: &str = "[attributes]\nage = 'quasi'\ndisease = 'sensitive'\n";

/// What is said about this file, which is the same whichever command reads it.
fn said(name: &str, content: impl AsRef<[u8]>) -> String {
    said_in(&Folder::new().and(name, content), name)
}

fn said_in(folder: &Folder, name: &str) -> String {
    let inspected = folder.refused(&format!("inspect {name}"));
    let diagnosed = folder.refused(&format!("diagnose {name} --quasi age --sensitive disease"));
    let plan = format!("input = '{name}'\n{PLAN}");
    let folder = Folder::with(&[("plan.toml", &plan)]).and_same(folder, name);
    let planned = folder.refused("diagnose plan.toml");
    assert_eq!(inspected, diagnosed);
    assert_eq!(inspected, planned);
    inspected
}

impl Folder {
    /// The same folder with a file or empty folder of another, if it is there.
    fn and_same(self, other: &Self, name: &str) -> Self {
        let (from, to) = (other.path(name), self.path(name));
        if from.is_dir() {
            std::fs::create_dir(to).expect("a folder can be made");
        } else if from.exists() {
            std::fs::copy(from, to).expect("a file can be copied");
        }
        self
    }
}

#[test]
fn a_row_with_a_field_too_few_is_refused() {
    assert_snapshot!(said("t.csv", "age,disease\n39,SECRETCELL\n40\n"), @r"
    error: t.csv, line 3: found 1 field, expected 2

    hint: a closing line, such as one of totals, must be removed; if every line looks wrong, say how fields are set apart with `--separator` and `--quote`
    ");
}

#[test]
fn a_row_with_a_field_too_many_is_refused() {
    assert_snapshot!(said("t.csv", "age,disease\n39,flu\n\n40,SECRETCELL,SECRETCELL\n"), @r"
    error: t.csv, line 4: found 3 fields, expected 2

    hint: a closing line, such as one of totals, must be removed; if every line looks wrong, say how fields are set apart with `--separator` and `--quote`
    ");
}

#[test]
fn two_columns_of_one_name_are_refused() {
    assert_snapshot!(said("t.csv", "age,disease,age\n39,SECRETCELL,39\n"), @r"
    error: t.csv, line 1: columns 1 and 3 have the same name

    hint: rename one of them, or, if the first line is already data, say `--header no`
    ");
}

#[test]
fn a_column_without_a_name_is_refused() {
    assert_snapshot!(said("t.csv", "age,,disease\n39,1,SECRETCELL\n"), @r"
    error: t.csv, line 1, column 2: the name is empty

    hint: name the column, or, if the first line is already data, say `--header no`
    ");
}

#[test]
fn a_quote_that_is_never_closed_is_refused_where_it_opens() {
    assert_snapshot!(said("t.csv", "age,disease\n38,flu\n39,\"SECRETCELL\n40,flu\n"), @r"
    error: t.csv, line 3, column 2 (`disease`): a quote opens here and is never closed

    hint: close the quote, or say which character quotes cells with `--quote`
    ");
}

#[test]
fn a_byte_that_is_not_utf_8_is_refused() {
    let table = b"age,disease\n39,flu\n40,SECRETCELL\xFF\n";
    assert_snapshot!(said("t.csv", table), @r"
    error: t.csv, line 3, column 2 (`disease`): a byte that is not UTF-8

    hint: if the file was saved by an older Windows program, say the encoding with `--encoding windows-1252`
    ");
}

#[test]
fn a_nul_byte_is_refused() {
    assert_snapshot!(said("t.csv", "age,disease\n39,SECRETCELL\0\n"), @r"
    error: t.csv, line 2, column 2 (`disease`): a NUL byte

    hint: if the file is UTF-16, say so with `--encoding utf-16le`
    ");
}

#[test]
fn a_line_of_ten_megabytes_is_refused() {
    let cell = "SECRETCELL".repeat(1 << 20);
    assert_snapshot!(said("t.csv", format!("age,disease\n39,flu\n40,{cell}\n")), @r"
    error: t.csv, line 3: a record must be at most 4 MiB, but is longer

    hint: maybe a quote is not closed, or the separator is wrong: see `--quote` and `--separator`
    ");
}

#[test]
fn a_table_without_rows_is_refused() {
    assert_snapshot!(said("t.csv", "age,disease\n"), @r"
    error: t.csv: has a header but no rows

    hint: if the first line is already data, say so with `--header no`
    ");
}

#[test]
fn an_empty_file_is_refused() {
    assert_snapshot!(said("t.csv", ""), @"error: t.csv: is empty");
}

#[test]
fn a_file_of_line_breaks_only_is_refused() {
    assert_snapshot!(said("t.csv", "\r\n\r\n"), @"error: t.csv: is empty");
}

#[test]
fn a_folder_is_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("patients")).expect("a folder can be made");
    assert_snapshot!(said_in(&folder, "patients"), @"error: patients: has no .json, .jsonl or .xml files in it");
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    assert_snapshot!(said_in(&Folder::new(), "patients.csv"), @r"
    error: patients.csv: no such file

    hint: check the path; `-` reads from standard input
    ");
}

#[test]
fn text_called_gzip_is_refused() {
    assert_snapshot!(said("t.csv.gz", "age,disease\n39,SECRETCELL\n"), @r"
    error: t.csv.gz: is damaged, or is not gzip
      caused by: invalid gzip header
    ");
}

#[test]
fn a_gzip_file_cut_short_is_refused() {
    let whole = crate::inspect::GZIPPED;
    assert_snapshot!(said("t.csv.gz", &whole[..whole.len() - 12]), @r"
    error: t.csv.gz: is damaged, or is not gzip
      caused by: incomplete deflate stream
    ");
}

#[test]
fn text_called_zstandard_is_refused() {
    assert_snapshot!(said("t.csv.zst", "age,disease\n39,SECRETCELL\n"), @r"
    error: t.csv.zst: is damaged, or is not Zstandard
      caused by: Unknown frame descriptor
    ");
}

#[test]
fn text_called_parquet_is_refused() {
    assert_snapshot!(said("t.parquet", "age,disease\n39,SECRETCELL\n"), @r"
    error: t.parquet: is damaged, or is not Parquet
      caused by: Parquet error: Invalid Parquet file. Corrupt footer
    ");
}

#[test]
fn a_parquet_file_with_a_damaged_footer_is_refused() {
    assert_snapshot!(said("t.parquet", b"PAR1SECRETCELL\xFF\xFF\xFF\x00PAR1"), @r"
    error: t.parquet: is damaged, or is not Parquet
      caused by: EOF: Parquet file too small. Size is 22 but need 16777223
    ");
}

#[test]
fn text_called_arrow_is_refused() {
    assert_snapshot!(said("t.arrow", "age,disease\n39,SECRETCELL\n"), @r"
    error: t.arrow: is damaged, or is not Arrow
      caused by: Ipc error: Unexpected End of Stream
    ");
}

#[test]
fn a_line_that_is_not_json_is_refused() {
    let table = "{\"age\": 39, \"disease\": \"flu\"}\n{\"age\": 40, \"disease\": SECRETCELL}\n";
    assert_snapshot!(said("t.jsonl", table), @r#"
    error: t.jsonl, line 2, character 24: invalid JSON: expected value

    hint: JSON Lines has one object on each line, such as {"age": 39, "sex": "F"}
    "#);
}

#[test]
fn a_json_line_that_is_no_object_is_refused() {
    assert_snapshot!(said("t.jsonl", "{\"age\": 39}\n\"SECRETCELL\"\n"), @r#"
    error: t.jsonl, line 2: must be a JSON object

    hint: JSON Lines has one object on each line, such as {"age": 39, "sex": "F"}
    "#);
}

#[test]
fn a_nested_json_record_is_taken_for_records_inside_records() {
    let table = "{\"age\": 39, \"disease\": {\"name\": \"SECRETCELL\"}}\n";
    let output = Folder::with(&[("t.jsonl", table)]).run("compare t.jsonl --quasi age --k 2");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("a class needs 2 records, and there are 1"), "{output}");
}

#[test]
fn a_member_twice_in_one_json_object_is_refused() {
    assert_snapshot!(said("t.jsonl", "{\"age\": 39, \"age\": \"SECRETCELL\"}\n"), @"error: t.jsonl, line 1, column `age`: occurs twice in one object");
}

#[test]
fn standard_input_is_named_in_what_is_said_about_it() {
    let output = Folder::new().pipe("inspect -", "age,disease\n39,SECRETCELL\n40\n");
    assert_snapshot!(output, @r"
    exit 2
    --- stderr
    error: stdin, line 3: found 1 field, expected 2

    hint: a closing line, such as one of totals, must be removed; if every line looks wrong, say how fields are set apart with `--separator` and `--quote`
    ");
}

#[test]
fn an_empty_standard_input_is_refused() {
    assert_snapshot!(Folder::new().pipe("diagnose - --quasi age", ""), @r"
    exit 2
    --- stderr
    error: stdin: is empty
    ");
}

#[test]
fn a_bad_public_table_is_named() {
    let folder = Folder::with(&[
        ("t.csv", "age,sex\n39,F\n"),
        ("public.csv", "age,sex\n39,F\n40\n"),
        ("other.csv", "age,seks\n39,F\n"),
    ]);
    let ask = "diagnose t.csv --quasi age,sex --public";
    assert_snapshot!(folder.refused(&format!("{ask} public.csv")), @r"
    error: public.csv, line 3: found 1 field, expected 2

    hint: a closing line, such as one of totals, must be removed; if every line looks wrong, say how fields are set apart with `--separator` and `--quote`
    ");
    assert_snapshot!(folder.refused(&format!("{ask} other.csv")), @r"
    error: no column `sex` in other.csv; did you mean `seks`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn an_unknown_encoding_is_refused() {
    let folder = Folder::with(&[("t.csv", "age\n39\n")]);
    assert_snapshot!(folder.refused("inspect t.csv --encoding latin-9"), @"error: `encoding` must be utf-8, utf-16le, utf-16be or windows-1252, but is `latin-9`");
}

#[test]
fn a_separator_beyond_ascii_is_refused() {
    let folder = Folder::with(&[("t.csv", "age\n39\n")]);
    assert_snapshot!(folder.refused("inspect t.csv --separator ·"), @"error: `separator` must be one ASCII character, but is `·`");
}

#[test]
fn bytes_of_windows_1252_are_read_when_asked_for() {
    let folder = Folder::new().and("t.csv", b"age,town\n39,K\xF6ln\n40,K\xF6ln\n");
    assert_eq!(folder.run("inspect t.csv --encoding windows-1252").code, 0);
}

#[test]
fn a_file_cut_at_any_byte_is_read_or_refused() {
    let csv = "age;\u{f6}rt\r\n39;\"SECRET\"\"CELL;\"\r\n\r\n?;x\r\n".as_bytes();
    let lines = "{\"age\": 1e3, \"a\\u00e4\": null}\n{\"age\": true}\n".as_bytes();
    for (name, whole) in [("t.csv", csv), ("t.jsonl", lines), ("t.csv.gz", crate::inspect::GZIPPED)]
    {
        for end in 0..whole.len() {
            let folder = Folder::new().and(name, &whole[..end]);
            let output = folder.run(&format!("inspect {name} --quiet"));
            assert_eq!(output.code == 0, output.stderr.is_empty(), "{name}, {end} bytes\n{output}");
        }
    }
}

#[test]
fn names_of_columns_and_files_do_not_reach_a_terminal_unseen() {
    let table = "a\u{1b}[31mge,s\u{202e}ex\n1,f\n2,m\n";
    let folder = Folder::with(&[("t.csv", table), ("e\u{9b}vil\u{200b}.csv", "a,a\n1,2\n")]);
    let outputs = [
        folder.run("inspect t.csv"),
        folder.run_with("diagnose", &["e\u{9b}vil\u{200b}.csv"]),
        folder.run_with("diagnose t.csv --k 2 --quasi", &["a\u{1b}[31mge,s\u{202e}ex"]),
    ];
    for output in outputs {
        let all = format!("{}{}", output.stdout, output.stderr);
        let is_hidden = |c: char| c != '\n' && c.is_control() || "\u{202e}\u{200b}".contains(c);
        assert!(!all.contains(is_hidden), "{all:?}");
        assert!(all.contains("\\u{"), "{all}");
    }
    // Arguments may be names of files as well, and JSON may be read on a terminal.
    let words = folder.run_with("inspect t.csv", &["e\u{9b}vil\u{202e}.csv"]);
    assert!(words.code == 2 && words.stderr.contains("e\\u{9b}vil\\u{202e}.csv"), "{words}");
    let json = folder.run("inspect t.csv --format json");
    assert!(!json.stdout.contains('\u{202e}') && json.stdout.contains("s\\u202eex"), "{json}");
    assert_eq!(json.json()["columns"][1]["name"], "s\u{202e}ex");
}
