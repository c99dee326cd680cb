//! `kohort inspect`: types, domains, proposed roles, a starter plan.

use insta::assert_snapshot;

use crate::harness::Folder;

/// `age,disease`, two rows, compressed.
pub(crate) const GZIPPED: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x4c, 0x4f, 0xd5, 0x49, 0xc9,
    0x2c, 0x4e, 0x4d, 0x2c, 0x4e, 0xe5, 0x32, 0xb6, 0xd4, 0x49, 0xcb, 0x29, 0xe5, 0x32, 0x31, 0x00,
    0x53, 0x00, 0x89, 0x78, 0x6c, 0xbe, 0x1a, 0x00, 0x00, 0x00,
];

const PATIENTS: &str = "\
name,email,age,sex,zip,admission,disease,cost
Ada SECRETCELL,a@SECRETCELL.org,39,F,10115,2024-01-03,flu,100.50
Ben SECRETCELL,b@SECRETCELL.org,40,M,10117,2024-02-11,cold,?
Cyd SECRETCELL,c@SECRETCELL.org,40,F,10115,2024-02-12,SECRETCELL,99.99
Dan SECRETCELL,d@SECRETCELL.org,,M,10119,2024-03-30,flu,1200.00
";

fn patients() -> Folder {
    Folder::with(&[("patients.csv", PATIENTS)])
}

#[test]
fn each_column_gets_a_type_and_a_proposed_role_with_the_reason() {
    assert_snapshot!(patients().run("inspect patients.csv"), @r"
    exit 0
    --- stdout
    patients.csv: 4 rows, 8 columns

    column     type    distinct  missing  proposed     why
    name       text           4    0.0 %  identifier   the header says only `name`: it may name a person
    email      text           4    0.0 %  identifier   the header says `email`, which leads to a person
    age        integer        2   25.0 %  quasi        the header says `age`: acquaintances and other files know it
    sex        text           2    0.0 %  quasi        the header says `sex`: acquaintances and other files know it
    zip        integer        3    0.0 %  quasi        the header says `zip`: where a person lives or was is known to others
    admission  date           4    0.0 %  quasi        the header says `admission`: when something happened is known to others
    disease    text           3    0.0 %  sensitive    the header says `disease`: health, which nobody should learn about a person
    cost       decimal        3   25.0 %  sensitive    the header says `cost`: money, which nobody should learn about a person

    These are proposals: nothing is decided until your plan says so.
    ");
}

#[test]
fn the_same_is_there_as_json() {
    let answer = patients().json("inspect patients.csv");
    assert_eq!(answer["table"], "patients.csv");
    assert_eq!(answer["rows"], 4);
    assert_snapshot!(serde_json::to_string_pretty(&answer["columns"][2]).expect("it is JSON"), @r#"
    {
      "distinct": 2,
      "missing": 1,
      "missing_share": 0.25,
      "name": "age",
      "reason": "the header says `age`: acquaintances and other files know it",
      "role": "quasi",
      "type": "integer"
    }
    "#);
}

#[test]
fn a_starter_plan_is_written_and_diagnose_accepts_it() {
    let folder = patients();
    let output = folder.run("inspect patients.csv --plan plan.toml");
    assert_eq!(output.code, 0);
    assert_snapshot!(output.stderr, @"note: starter plan written to plan.toml: read every line, then `kohort diagnose plan.toml`");
    assert_snapshot!(folder.text("plan.toml").unwrap_or_default(), @r#"
    # A starter plan. The roles below are proposals, made by looking at headers and values: read each
    # line, correct what is wrong, and then it is your plan. Nothing has been promised yet.
    #   identifier   names a person: dropped from every release
    #   quasi        may be known to an outsider: made coarser
    #   sensitive    must not be learned about a person
    #   insensitive  neither: published as it is
    # A line that starts with # is a column without a role: no release has it until you give it one.

    input = "patients.csv"

    [attributes]
    name = "identifier"  # the header says only `name`: it may name a person
    email = "identifier"  # the header says `email`, which leads to a person
    age = { role = "quasi", type = "integer", taxonomy = { widths = [5, 10, 20] } }  # the header says `age`: acquaintances and other files know it
    sex = "quasi"  # the header says `sex`: acquaintances and other files know it
    zip = { role = "quasi", type = "text", taxonomy = "mask" }  # the header says `zip`: where a person lives or was is known to others
    admission = { role = "quasi", type = "date", taxonomy = ["month", "quarter", "year"] }  # the header says `admission`: when something happened is known to others
    disease = "sensitive"  # the header says `disease`: health, which nobody should learn about a person
    cost = "sensitive"  # the header says `cost`: money, which nobody should learn about a person

    [goal]
    # A suggestion: every person looks like at least four others.
    k-anonymity = 5
    # To keep a sensitive value from being learned where people look alike, add:
    # frequency-l-diversity = { l = 3, attribute = "disease" }
    # At most this share of the rows may be dropped.
    suppression = 0.02

    [method]
    algorithm = "auto"
    metric = "ncp"
    seed = 7

    [output]
    release = "release.csv"
    report = "release.html"
    "#);
    let output = folder.run("diagnose plan.toml --format json");
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(output.json()["rows"], 4);
}

#[test]
fn a_starter_plan_in_another_folder_finds_its_table() {
    let folder = patients().and("plans/keep", "");
    assert_eq!(folder.run("inspect patients.csv --plan plans/plan.toml").code, 0);
    assert_eq!(folder.json("diagnose plans/plan.toml")["rows"], 4);
}

#[test]
fn a_plan_is_not_overwritten() {
    let folder = patients().and("plan.toml", "mine");
    assert_snapshot!(folder.refused("inspect patients.csv --plan plan.toml"), @r"
    error: plan.toml already exists, and a plan is not overwritten

    hint: name another file, or move this one
    ");
    assert_eq!(folder.text("plan.toml").as_deref(), Some("mine"));
}

#[test]
fn a_plan_in_a_folder_that_is_not_there_is_an_error() {
    let output = patients().run("inspect patients.csv --plan none/plan.toml");
    assert_eq!(output.code, 2);
    assert_snapshot!(output.stderr, @r"
    error: none/plan.toml: cannot be written
      caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn a_compressed_table_is_read() {
    let answer = Folder::new().and("t.csv.gz", GZIPPED).json("inspect t.csv.gz");
    assert_eq!((&answer["rows"], &answer["columns"][1]["name"]), (&2.into(), &"disease".into()));
}

#[test]
fn a_table_compressed_with_zstandard_is_read() {
    // One frame with one raw block: magic number, single segment, its size, the block's header.
    let text = b"age,disease\n39,flu\n40,flu\n";
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, 26, 26 << 3 | 1, 0, 0];
    frame.extend(text);
    let folder = Folder::new().and("t.csv.zst", frame).and("t.csv", text);
    assert_eq!(
        folder.json("inspect t.csv.zst")["columns"],
        folder.json("inspect t.csv")["columns"]
    );
}

#[test]
fn standard_input_is_read() {
    assert_snapshot!(Folder::new().pipe("inspect -", "age,sex\n39,F\n40,M\n40,M\n"), @r"
    exit 0
    --- stdout
    stdin: 3 rows, 2 columns

    column  type    distinct  missing  proposed     why
    age     integer        2    0.0 %  quasi        the header says `age`: acquaintances and other files know it
    sex     text           2    0.0 %  quasi        the header says `sex`: acquaintances and other files know it

    These are proposals: nothing is decided until your plan says so.
    ");
}

#[test]
fn other_separators_line_ends_and_a_byte_order_mark_change_nothing() {
    let plain = "age,sex\n39,F\n40,M\n40,M\n";
    let expected = Folder::with(&[("t.csv", plain)]).run("inspect t.csv").stdout;
    for text in [
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        plain.replace(',', "|"),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain.replace('F', "\"F\""),
    ] {
        let output = Folder::with(&[("t.csv", &text)]).run("inspect t.csv");
        assert_eq!((output.code, &output.stdout), (0, &expected), "{text:?}");
    }
}

#[test]
fn utf_16_is_read() {
    let plain = "age,sex\n39,F\n40,M\n";
    let bytes: Vec<u8> =
        format!("\u{feff}{plain}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let expected = Folder::with(&[("t.csv", plain)]).run("inspect t.csv").stdout;
    assert_eq!(Folder::new().and("t.csv", bytes).run("inspect t.csv").stdout, expected);
}

#[test]
fn json_lines_give_the_same_columns() {
    let lines = "{\"age\": 39, \"sex\": \"F\"}\n{\"age\": 40, \"sex\": null}\n";
    let table = Folder::with(&[("t.jsonl", lines), ("t.csv", "age,sex\n39,F\n40,\n")]);
    assert_eq!(table.json("inspect t.jsonl")["columns"], table.json("inspect t.csv")["columns"],);
}

#[test]
fn a_file_without_a_header_gets_column_names() {
    let folder = Folder::with(&[("t.csv", "39,F\n40,M\n40,M\n")]);
    assert_snapshot!(folder.run("inspect t.csv --header no"), @r"
    exit 0
    --- stdout
    t.csv: 3 rows, 2 columns

    column   type    distinct  missing  proposed     why
    column1  integer        2    0.0 %  left out     neither the header nor the values say what it is
    column2  text           2    0.0 %  left out     neither the header nor the values say what it is

    These are proposals: nothing is decided until your plan says so.
    ");
}

#[test]
fn a_date_that_could_be_read_both_ways_is_pointed_out() {
    let folder = Folder::with(&[("t.csv", "visit\n03/04/2024\n05/06/2024\n03/04/2024\n")]);
    assert_snapshot!(folder.run("inspect t.csv").stderr, @"note: column `visit`: day and month cannot be distinguished; read as day first");
    assert_eq!(folder.run("inspect t.csv --quiet").stderr, "");
}

#[test]
fn missing_tokens_can_be_set() {
    let folder = Folder::with(&[("t.csv", "age\n39\n-\n40\n")]);
    assert_eq!(folder.json("inspect t.csv")["columns"][0]["type"], "text");
    let column = &folder.json("inspect t.csv --missing -")["columns"][0];
    assert_eq!((&column["type"], &column["missing"]), (&"integer".into(), &1.into()));
}

#[test]
fn a_dash_prints_the_plan_instead_of_the_proposals() {
    let folder = patients();
    let printed = folder.run("inspect patients.csv --plan -");
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    assert_eq!(folder.names(), ["patients.csv"]);
    assert_eq!(folder.run("inspect patients.csv --plan plan.toml").code, 0);
    assert_eq!(Some(printed.stdout), folder.text("plan.toml"));
}

#[test]
fn lines_before_the_header_can_be_skipped() {
    let folder = Folder::with(&[("t.csv", "A title\n\nage,sex\n39,F\n40,M\n")]);
    let answer = folder.json("inspect t.csv --skip-lines 2");
    assert_eq!((&answer["rows"], &answer["columns"][0]["name"]), (&2.into(), &"age".into()));
    let folder = folder.and(
        "plan.toml",
        "input = 't.csv'\n[read]\nskip-lines = 2\n[attributes]\nage = 'quasi'\nsex = 'quasi'\n",
    );
    assert_eq!(folder.json("diagnose plan.toml")["rows"], 2);
}

/// A file of SQLite with two tables, a view and a column of bytes.
fn ward() -> Folder {
    let folder = Folder::new();
    let file = rusqlite::Connection::open(folder.path("ward.db")).expect("a new file");
    file.execute_batch(
        "CREATE TABLE patients (name TEXT, age INTEGER, disease TEXT, photo BLOB);
         INSERT INTO patients VALUES ('Ada SECRETCELL', 39, 'flu', x'00'), ('Ben SECRETCELL', 40, 'cold', x'01'),
             ('Cyd SECRETCELL', 41, 'flu', x'02');
         CREATE TABLE beds (number INTEGER);
         CREATE VIEW old AS SELECT age FROM patients WHERE age > 39;",
    )
    .expect("statements");
    folder
}

#[test]
fn a_database_without_a_table_is_listed() {
    assert_snapshot!(ward().run("inspect sqlite:ward.db"), @r"
    exit 0
    --- stdout
    beds: 0 rows

    old: 2 rows
      age  integer  quasi        the header says `age`: acquaintances and other files know it

    patients: 3 rows
      name     text     identifier   the header says only `name`: it may name a person
      age      integer  quasi        the header says `age`: acquaintances and other files know it
      disease  text     sensitive    the header says `disease`: health, which nobody should learn about a person
      photo    blob     left out     its values are no single values: leave it out, or turn it into text in a query

    These are proposals from the first 10000 rows of each table: nothing is decided until your plan says so.
    ");
    let answer = ward().json("inspect sqlite:ward.db");
    assert_eq!(answer["looked_at"], 10_000);
    assert_eq!(answer["tables"][1]["table"], "old");
    assert_eq!(answer["tables"][2]["rows"], 3);
    assert_eq!(answer["tables"][2]["columns"][1]["role"], "quasi");
    assert!(answer["tables"][2]["columns"][3]["role"].is_null());
}

#[test]
fn a_plan_is_for_one_table() {
    assert_snapshot!(ward().refused("inspect sqlite:ward.db --plan plan.toml"), @"
    error: a plan is about one table, and none is named

    hint: name a table after `#`, such as `beds`
    ");
}
