//! Taxonomies from every source, the exact words of every refusal, and laws against plain computations.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, outside a test function")]

use kohort::taxonomy::{
    Built, FileText, Limits, Source, build, check, load, propose, show, to_arx,
};
use kohort_core::{
    Attribute, Codes, Column, Dictionary, Kind, Missing, Role, Table, Taxonomy, ValueType, Values,
};
use proptest::prelude::*;

/// A table with one column `c`.
fn table(cells: &[&str]) -> Table {
    let mut dictionary = Dictionary::default();
    let mut codes = Codes::default();
    for (line, text) in (2..).zip(cells) {
        codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
    }
    let missing = Missing::default();
    let column = Column::new("c".into(), dictionary, codes, &missing);
    Table::new("t.csv".into(), vec![column], true, missing)
}

/// The source written in TOML.
fn source(text: &str) -> Source {
    try_source(text).unwrap_or_else(|error| panic!("{error}"))
}

fn try_source(text: &str) -> Result<Source, String> {
    #[derive(serde::Deserialize)]
    struct Plan {
        taxonomy: Source,
    }
    toml::from_str::<Plan>(&format!("taxonomy = {text}"))
        .map(|plan| plan.taxonomy)
        .map_err(|error| error.message().to_owned())
}

fn file(text: &str) -> FileText<'_> {
    FileText { name: "f.csv", text }
}

fn built(text: &str, cells: &[&str]) -> Built {
    let table = table(cells);
    build(&source(text), None, &table, &table.columns()[0], None).unwrap()
}

fn built_from_file(text: &str, cells: &[&str]) -> Built {
    let table = table(cells);
    build(&source("'f.csv'"), Some(file(text)), &table, &table.columns()[0], None).unwrap()
}

/// The labels above a cell, nearest first.
fn above(built: &Built, cells: &[&str], cell: &str) -> Vec<String> {
    let table = table(cells);
    let column = &table.columns()[0];
    let (taxonomy, positions) = built.taxonomy.as_ref().expect("not flat");
    let entry = column.dictionary().find(cell).unwrap();
    let value = built.domain.value_of_entry()[entry as usize];
    path(taxonomy, positions[value as usize])
}

/// The labels above a leaf, nearest first.
fn path(taxonomy: &Taxonomy, leaf: u32) -> Vec<String> {
    let mut labels = Vec::new();
    let mut next = Some(taxonomy.parent(leaf));
    while let Some(node) = next {
        let node = &taxonomy.nodes()[node as usize];
        labels.push(node.label.clone());
        next = node.parent;
    }
    labels
}

fn check_above(text: &str, cells: &[&str], cell: &str, expected: &[&str]) {
    let built = built(text, cells);
    assert_eq!(above(&built, cells, cell), expected, "{text} {cell}");
    Attribute::new(&table(cells), "c", Role::Quasi, built.domain, built.taxonomy).unwrap();
}

fn check_source_refused(text: &str, expected: &str) {
    assert_eq!(try_source(text).unwrap_err(), expected);
}

fn check_refused(text: &str, cells: &[&str], expected: &str) {
    let table = table(cells);
    let error = build(&source(text), None, &table, &table.columns()[0], None).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

fn check_file_refused(text: &str, cells: &[&str], expected: &str) {
    let table = table(cells);
    let source = source("'f.csv'");
    let error = build(&source, Some(file(text)), &table, &table.columns()[0], None).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn sources_come_back_as_they_were_written() {
    for text in [
        "'flat'",
        "'mask'",
        "'mask-left'",
        "'taxonomies/disease.csv'",
        "['month', 'quarter', 'year']",
        "{ widths = [5, 10, 20] }",
        "{ widths = [0.25, 0.5], origin = -1 }",
        "{ ranges = [[0, 17], [18, 64]] }",
        "{ ranges = [[[0, 17], [18, 64]], [[0, 64]]] }",
        "{ tree = { a = { b = ['x', 1] }, c = ['z'] } }",
        "{ file = 'mask', separator = ';' }",
        "{ file = 'flat' }",
    ] {
        let written = source(text);
        let again = serde_json::from_value::<Source>(serde_json::to_value(&written).unwrap());
        assert_eq!(again.unwrap(), written, "{text}");
    }
    assert_eq!(source("'mask-right'"), source("{ mask = 'right' }"));
    assert_eq!(source("['month']"), source("{ levels = ['month'] }"));
}

#[test]
fn the_schema_names_every_field() {
    let schema = serde_json::to_string(&schemars::schema_for!(Source)).unwrap();
    for name in ["widths", "origin", "ranges", "tree", "file", "separator", "mask", "levels"] {
        assert!(schema.contains(&format!("\"{name}\"")), "{name}: {schema}");
    }
    assert!(schema.contains("\"additionalProperties\":false"));
}

#[test]
fn sources_that_make_no_sense_are_refused() {
    check_source_refused(
        "{ width = [5] }",
        "unknown field `width`, expected one of `widths`, `origin`, `ranges`, `tree`, `file`, \
         `separator`, `labels`, `mask`, `levels`",
    );
    check_source_refused(
        "{ widths = [5], mask = 'left' }",
        "`taxonomy` must be one of `widths`, `ranges`, `tree`, `file`, `mask` and `levels`, but is \
         `widths` and `mask`",
    );
    check_source_refused(
        "{}",
        "`taxonomy` must be one of `widths`, `ranges`, `tree`, `file`, `mask` and `levels`, but is \
         none of them",
    );
    check_source_refused(
        "{ mask = 'left', origin = 3 }",
        "`taxonomy` must be a complete table, but is `origin` without `widths`",
    );
    check_source_refused(
        "{ mask = 'left', separator = ';' }",
        "`taxonomy` must be a complete table, but is `separator` without `file`",
    );
    check_source_refused("''", "`file` must be a path, but is empty");
    check_source_refused(
        "{ file = 'a', separator = '\"' }",
        "`separator` must be a character other than a quote or a line break, but is '\"'",
    );
    check_source_refused(
        "3",
        "invalid type: integer `3`, expected a name or path, a list of calendar periods, or a table",
    );
}

#[test]
fn periods_that_do_not_nest_are_refused_by_name() {
    check_source_refused(
        "['week', 'month']",
        "`levels` must be periods that nest, the finest first, but is `week` before `month`",
    );
    check_source_refused(
        "['year', 'month']",
        "`levels` must be periods that nest, the finest first, but is `year` before `month`",
    );
    check_source_refused("[]", "`levels` must be at least one calendar period, but is []");
}

#[test]
fn narrower_ranges_end_where_a_wider_one_does() {
    let ages: Vec<String> = (-3..30).map(|age| age.to_string()).collect();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let check =
        |age, expected: &[&str]| check_above("{ widths = [2, 5, 10] }", &ages, age, expected);
    check("0", &["[0, 1]", "[0, 4]", "[0, 9]", "*"]);
    check("4", &["[0, 4]", "[0, 9]", "*"]);
    check("5", &["[5, 6]", "[5, 9]", "[0, 9]", "*"]);
    check("28", &["[27, 28]", "[25, 29]", "[20, 29]", "*"]);
    check("-1", &["[-5, -1]", "[-10, -1]", "*"]);
    check("-2", &["[-3, -2]", "[-5, -1]", "[-10, -1]", "*"]);
}

#[test]
fn widths_that_do_not_rise_are_refused() {
    let rule = "`widths` must be positive numbers, each larger than the one before, but is";
    check_source_refused("{ widths = [12, 5] }", &format!("{rule} [12, 5]"));
    check_source_refused("{ widths = [5, 5] }", &format!("{rule} [5, 5]"));
    check_source_refused("{ widths = [0] }", &format!("{rule} [0]"));
    check_source_refused("{ widths = [-5] }", &format!("{rule} [-5]"));
    check_source_refused("{ widths = [] }", &format!("{rule} []"));
    check_source_refused(
        "{ widths = [nan] }",
        "`widths` must be numbers below 10^18 with at most 12 decimals, but is [NaN]",
    );
}

#[test]
fn ranges_that_overlap_or_do_not_nest_are_refused() {
    check_source_refused(
        "{ ranges = [[0, 17], [15, 64]] }",
        "`ranges` must be without overlap, but is [0, 17] and [15, 64]",
    );
    check_source_refused(
        "{ ranges = [[9, 3]] }",
        "`ranges` must be pairs of a lower and an upper end, but is [9, 3]",
    );
    check_source_refused(
        "{ ranges = [] }",
        "`ranges` must be at least one range per level, but is []",
    );
    check_source_refused(
        "{ ranges = [[[0, 17], [18, 64]], [[0, 20], [21, 64]]] }",
        "`ranges` must be each within one range of the level above, but is [18, 64]",
    );
    check_source_refused(
        "{ ranges = [[0, inf]] }",
        "`ranges` must be numbers below 10^18 with at most 12 decimals, but is inf",
    );
}

#[test]
fn trees_with_a_name_in_two_places_are_refused() {
    check_source_refused(
        "{ tree = { a = { other = ['x'] }, b = { other = ['y'] } } }",
        "`tree`: group `other` occurs in two places",
    );
    check_source_refused(
        "{ tree = { a = ['secret'], b = ['secret'] } }",
        "`tree`: a value is listed in both `a` and `b`",
    );
    check_source_refused("{ tree = {} }", "`tree`: there is no value in it");
    check_source_refused("{ tree = { a = [' '] } }", "`tree`: a value of `a` is empty");
    check_source_refused("{ tree = { '' = ['x'] } }", "`tree`: a group has no name");
}

#[test]
fn flat_has_no_tree() {
    let built = built("'flat'", &["b", "a"]);
    assert!(built.taxonomy.is_none());
    assert_eq!(built.domain.values().len(), 2);
}

#[test]
fn widths_label_integers_and_decimals() {
    let ages = ["23", "-1", "24", "25", "NA"];
    check_above("{ widths = [5, 10] }", &ages, "23", &["[20, 24]", "[20, 29]", "*"]);
    check_above("{ widths = [5, 10] }", &ages, "-1", &["[-5, -1]", "[-10, -1]", "*"]);
    check_above("{ widths = [5], origin = 3 }", &ages, "23", &["[23, 27]", "*"]);
    check_above("{ widths = [5] }", &ages, "NA", &["*"]);
    // Width 1 is the value itself.
    check_above("{ widths = [1, 10] }", &ages, "23", &["[20, 29]", "*"]);
    let sizes = ["0.57", "1.5", "1.50", "24"];
    check_above("{ widths = [0.01, 0.1] }", &sizes, "0.57", &["[0.57, 0.58)", "[0.5, 0.6)", "*"]);
    check_above("{ widths = [5] }", &sizes, "24", &["[20, 25)", "*"]);
    check_refused(
        "{ widths = [2.5] }",
        &ages,
        "taxonomy of column `c`: `widths` must be whole numbers for integers, but is [2.5]",
    );
    check_refused(
        "{ widths = [2] }",
        &["x", "y"],
        "taxonomy of column `c`: `widths` is for numbers, but the column is read as text",
    );
    check_refused(
        "{ widths = [2] }",
        &["1e100", "0.5"],
        "taxonomy of column `c`: `widths` is for numbers below 10^24, but a value is larger",
    );
}

#[test]
fn ranges_group_numbers_and_their_gaps_are_refused() {
    let ages = ["5", "17", "18", "64"];
    let levels = "{ ranges = [[[0, 17], [18, 64], [65, 120]], [[0, 64], [65, 120]]] }";
    check_above(levels, &ages, "17", &["[0, 17]", "[0, 64]", "*"]);
    check_above(levels, &ages, "18", &["[18, 64]", "[0, 64]", "*"]);
    check_refused(
        "{ ranges = [[18, 20], [0, 10]] }",
        &ages,
        "taxonomy of column `c`: 2 values of column `c` have no leaf in this taxonomy",
    );
    check_refused(
        "{ ranges = [[0, 18], [18, 64]] }",
        &ages,
        "taxonomy of column `c`: `ranges` of integers must not share an end, but [0, 18] and \
         [18, 64] do",
    );
    let sizes = ["17.5", "18", "64"];
    check_above("{ ranges = [[0, 18], [18, 64]] }", &["17.5", "18"], "17.5", &["[0, 18)", "*"]);
    check_above("{ ranges = [[0, 18], [18, 64.0]] }", &["1.5", "18"], "18", &["[18, 64]", "*"]);
    check_refused(
        "{ ranges = [[0, 17], [18, 64]] }",
        &sizes,
        "taxonomy of column `c`: 1 value of column `c` has no leaf in this taxonomy",
    );
    check_refused(
        "{ ranges = [[0, 17]] }",
        &["x"],
        "taxonomy of column `c`: `ranges` is for numbers, but the column is read as text",
    );
    // The end of [10, 18] belongs to the second range of the level above.
    check_refused(
        "{ ranges = [[[10, 18]], [[0, 18], [18, 64]]] }",
        &["17.5", "18"],
        "taxonomy of column `c`: `[10, 18]` of level 1 has two parents",
    );
}

#[test]
fn dates_are_grouped_by_periods() {
    let dates = ["2024-03-05", "2024-12-30", "1969-07-20T20:17:00", ""];
    check_above(
        "['month', 'quarter', 'year', 'decade']",
        &dates,
        "2024-03-05",
        &["2024-03", "2024-Q1", "2024", "2020s", "*"],
    );
    check_above("['week']", &dates, "2024-12-30", &["2025-W01", "*"]);
    // A day without a time is the day itself.
    check_above("['day', 'year']", &dates[..2], "2024-03-05", &["2024", "*"]);
    check_above("['year']", &dates, "1969-07-20T20:17:00", &["1969", "*"]);
    check_above("['year']", &dates, "", &["*"]);
    check_refused(
        "['year']",
        &["1999"],
        "taxonomy of column `c`: `levels` is for dates, but the column is read as integer",
    );
}

#[test]
fn masks_count_characters_and_read_numbers_as_text() {
    let zips = ["47677", "47602", "4a", "é", "NA"];
    check_above("'mask'", &zips, "47677", &["4767*", "476**", "47***", "4****", "*"]);
    check_above("'mask-left'", &zips, "47677", &["*7677", "**677", "***77", "****7", "*"]);
    check_above("'mask'", &zips, "4a", &["4*", "*"]);
    check_above("'mask'", &zips, "é", &["*"]);
    check_above("'mask'", &["12", "13"], "12", &["1*", "*"]);
    check_above("'mask-left'", &["äb", "öb"], "öb", &["*b", "*"]);
    assert!(matches!(built("'mask'", &["12", "13"]).domain.values(), Values::Text(_)));
    check_refused(
        "'mask'",
        &["x".repeat(65).as_str()],
        "taxonomy of column `c`: `mask` is for codes of at most 64 characters, but a value has 65",
    );
}

#[test]
fn a_column_without_values_has_no_tree_to_build() {
    for text in ["{ widths = [5] }", "'mask'", "'flat'"] {
        let table = table(&[]);
        let column = &table.columns()[0];
        let built = build(&source(text), None, &table, column, Some(ValueType::Integer)).unwrap();
        assert!(built.taxonomy.is_none());
    }
    check_above("'mask'", &["", "NA"], "", &["*"]);
}

#[test]
fn trees_may_be_ragged() {
    let cells = ["flu", "ulcer", "asthma"];
    let tree = "{ tree = { resp = { deep = { inf = ['flu'] }, other = ['asthma'] }, dig = ['ulcer', 'gastritis'] } }";
    let built = built(tree, &cells);
    assert_eq!(above(&built, &cells, "flu"), ["inf", "deep", "resp", "*"]);
    assert_eq!(above(&built, &cells, "asthma"), ["other", "resp", "*"]);
    assert_eq!(above(&built, &cells, "ulcer"), ["dig", "*"]);
    let (taxonomy, _) = built.taxonomy.unwrap();
    assert_eq!(taxonomy.root().size, 4);
    check_refused(
        "{ tree = { a = ['flu'] } }",
        &cells,
        "taxonomy of column `c`: 2 values of column `c` have no leaf in this taxonomy",
    );
}

#[test]
fn odd_trees_warn() {
    let built = built("{ tree = { a = ['x', 'x'], b = [] } }", &["x"]);
    assert_eq!(built.warnings, ["a value is listed twice in `a`", "group `b` has no values"]);
}

#[test]
fn files_are_read_with_quotes_line_ends_and_either_separator() {
    let cells = ["12285", "13769", "40000"];
    let text = "\u{feff}12285;\"[12285; 20000[\";*\r\n\r\n 13769 ; \"[12285; 20000[\" ; *\r\n40000;\"a \"\"b\"\"\";*";
    let built = built_from_file(text, &cells);
    assert_eq!(above(&built, &cells, "13769"), ["[12285; 20000[", "*"]);
    assert_eq!(above(&built, &cells, "40000"), ["a \"b\"", "*"]);
    assert_eq!(built.warnings, [""; 0]);
    let cells = ["a", "b"];
    assert_eq!(above(&built_from_file("a,X,*\nb,Y,*\n", &cells), &cells, "a"), ["X", "*"]);
    // Labels with commas do not make the comma a separator, nor does a semicolon in one label.
    let text = "a;[0, 5[;*\nb;[5, 9[;*\n";
    assert_eq!(above(&built_from_file(text, &cells), &cells, "a"), ["[0, 5[", "*"]);
    let text = "a,X;Y,*\nb,Z,*\n";
    assert_eq!(above(&built_from_file(text, &cells), &cells, "a"), ["X;Y", "*"]);
}

#[test]
fn a_root_is_added_where_there_is_none() {
    let cells = ["a", "b"];
    let built = built_from_file("a;X\nb;Y\n", &cells);
    assert_eq!(above(&built, &cells, "a"), ["X", "*"]);
    assert_eq!(built.warnings, [""; 0]);
    assert_eq!(above(&built_from_file("a\nb\n", &cells), &cells, "a"), ["*"]);
    assert_eq!(above(&built_from_file("a;{a, b}\nb;{a, b}\n", &cells), &cells, "a"), ["{a, b}"]);
    let report = check(file("a;X\nb;Y\n"), None, None).unwrap();
    assert_eq!(
        report.notes,
        ["the last column has no single label, so a root `*` is added above it"]
    );
    assert_eq!(report.height, Some(2));
}

#[test]
fn short_rows_are_padded_with_a_warning() {
    let cells = ["a", "b", "c", "d"];
    let built = built_from_file("a;X;P;*\nb;Y;*\nc;Z\nd\n", &cells);
    assert_eq!(above(&built, &cells, "a"), ["X", "P", "*"]);
    assert_eq!(above(&built, &cells, "b"), ["Y", "*"]);
    assert_eq!(above(&built, &cells, "c"), ["Z", "*"]);
    assert_eq!(above(&built, &cells, "d"), ["*"]);
    assert_eq!(
        built.warnings,
        ["line 2: 3 lines are shorter than 4 columns; their last label is repeated up to the root"]
    );
    let cells = ["a", "b", "c"];
    let built = built_from_file("a;X;P\nb;Y;Q\nc;*\n", &cells);
    assert_eq!(above(&built, &cells, "a"), ["X", "P", "*"]);
    assert_eq!(above(&built, &cells, "c"), ["*"]);
    assert_eq!(
        built.warnings,
        ["line 3: 1 line is shorter than 3 columns; its last label is repeated up to the root"]
    );
}

#[test]
fn a_leaf_listed_twice_alike_warns() {
    let built = built_from_file("a;X;*\nb;X;*\na;X;*\n", &["a", "b"]);
    assert_eq!(built.warnings, ["lines 1 and 3: a value is listed twice, with the same groups"]);
    assert_eq!(built.taxonomy.unwrap().0.root().size, 2);
    let built = built_from_file("a;X;*\na;X;*\na;X;*\n", &["a"]);
    assert_eq!(
        built.warnings,
        ["lines 1 and 2: a value is listed twice, with the same groups; 1 more such lines"]
    );
}

#[test]
fn files_that_are_no_tree_are_refused_with_their_lines() {
    let cells = ["a", "b"];
    let check = |text: &str, expected| check_file_refused(text, &cells, expected);
    check("a;X;*\nb;X;*\na;Y;*\n", "f.csv, lines 1 and 3: a value has two parents at level 1");
    check(
        "a;X;P;*\n\nb;X;Q;*\n",
        "f.csv, lines 1 and 3: `X` of level 1 has two parents, `P` and `Q`",
    );
    check("a;X;*\nb; ;*\n", "f.csv, line 2: cell 2 is empty");
    check("", "f.csv: the file is empty");
    check("\n \r\n", "f.csv: the file is empty");
    check("a;X;*\nb;\"Y;*\nc;Y;*\n", "f.csv, line 2: a quote is never closed");
    check("a;\"X\"Y;*\nb;Y;*\n", "f.csv, line 1: text follows a closing quote");
    check("a;\"X;*\nb;\"Y\";*\n", "f.csv, lines 1 and 2: text follows a closing quote");
    check(
        &format!("a;X;*\nb;{}*\n", "X;".repeat(256)),
        "f.csv, line 2: a line must have at most 256 cells, but has 258",
    );
    check("a\0;X;*\nb;X;*\n", "f.csv, line 1: a value holds a NUL character");
    check("a;X\0;*\nb;X;*\n", "f.csv, line 1: a label holds a NUL character");
}

#[test]
fn a_label_that_repeats_a_leaf_is_not_quoted() {
    check_file_refused(
        "a;a;P;*\nb;a;Q;*\n",
        &["a", "b"],
        "f.csv, lines 1 and 2: a value of level 1 has two parents, `P` and `Q`",
    );
}

#[test]
fn leaves_meet_values_by_value() {
    let cells = ["1.5", "39", "1.50"];
    let built = built_from_file("1.50;low;*\n39.0;high;*\n", &cells);
    assert_eq!(above(&built, &cells, "1.5"), ["low", "*"]);
    assert_eq!(above(&built, &cells, "39"), ["high", "*"]);
    // Two spellings of one value with the same groups are one leaf.
    let built = built_from_file("1.50;low;*\n1.5;low;*\n39;high;*\n", &cells);
    assert_eq!(built.taxonomy.unwrap().0.root().size, 2);
}

#[test]
fn texts_meet_leaves_whatever_blanks_are_around_them() {
    let cells = [" Male", "Male", "Female "];
    let built = built_from_file("Male;M;*\nFemale;F;*\n", &cells);
    assert_eq!(above(&built, &cells, " Male"), ["M", "*"]);
    assert_eq!(above(&built, &cells, "Male"), ["M", "*"]);
    assert_eq!(above(&built, &cells, "Female "), ["F", "*"]);
    let table = table(&cells);
    let twice = file("\" Male\";M1;*\nMale;M2;*\nFemale;F;*\n");
    let error = build(&source("'f.csv'"), Some(twice), &table, &table.columns()[0], None);
    assert_eq!(
        error.unwrap_err().to_string(),
        "f.csv, lines 1 and 2: a value of column `c`, read as text, has two parents at level 1"
    );
}

#[test]
fn a_missing_token_that_is_a_leaf_is_a_value() {
    let cells = ["Yes", "No", "N/A", "?"];
    let built = built_from_file("N/A;{N/A};*\nNo;{No, Yes};*\nYes;{No, Yes};*\n", &cells);
    assert_eq!(above(&built, &cells, "N/A"), ["{N/A}", "*"]);
    assert_eq!(above(&built, &cells, "?"), ["*"]);
    assert_eq!(built.domain.values().value_type(), ValueType::Text);
    // What the file lists beyond the table does not change how the table is read.
    let cells = ["39", "?"];
    let built = built_from_file("39;30s;*\n90+;90s;*\n", &cells);
    assert_eq!(built.domain.values().value_type(), ValueType::Integer);
}

#[test]
fn leaves_that_differ_as_texts_only_make_the_column_text() {
    let cells = ["1", "2"];
    let text = "1;X;*\n01;Y;*\n2;Y;*\n";
    let built = built_from_file(text, &cells);
    assert_eq!(built.domain.values().value_type(), ValueType::Text);
    assert_eq!(above(&built, &cells, "1"), ["X", "*"]);
    let table = table(&cells);
    let asked = Some(ValueType::Integer);
    let error = build(&source("'f.csv'"), Some(file(text)), &table, &table.columns()[0], asked)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "f.csv, lines 1 and 2: a value of column `c`, read as integer, has two parents at level 1"
    );
}

#[test]
fn values_without_a_leaf_are_counted_and_kept_apart() {
    let table = table(&["a", "secret"]);
    let column = &table.columns()[0];
    let error = build(&source("'f.csv'"), Some(file("a;*\n")), &table, column, None).unwrap_err();
    assert_eq!(error.to_string(), "f.csv: 1 value of column `c` has no leaf in this taxonomy");
    let kohort::Kind::Core(error) = error.kind() else { panic!("{error}") };
    let Kind::NoLeaf { values, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(values.0, ["secret"]);
    let report = check(file("a;*\n"), None, Some((&table, column))).unwrap();
    assert_eq!(report.n_values_without_leaf, Some(1));
    assert_eq!(report.values_without_leaf, ["secret"]);
    assert!(!serde_json::to_string(&report).unwrap().contains("secret"));
}

#[test]
fn a_check_lists_all_problems() {
    let text = "a;X;P;*\nb;;Q;*\nc;X;Q;*\na;Y;Q;*\nd;\"";
    let report = check(file(text), None, None).unwrap();
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "line 2: cell 2 is empty",
            "lines 1 and 3: `X` of level 1 has two parents, `P` and `Q`",
            "lines 1 and 4: a value has two parents at level 1",
            "line 5: a quote is never closed",
        ]
    );
    assert!(!report.is_tree);
    assert_eq!(report.height, None);
    let many = "a;;*\n".repeat(50);
    assert_eq!(check(file(&many), None, None).unwrap().problems.len(), 20);
}

#[test]
fn a_check_describes_the_levels() {
    let report = check(file("a,X,*\nb,Y,*\nc,Y,*\n"), None, None).unwrap();
    let levels: Vec<(&str, usize)> =
        report.levels.iter().map(|level| (level.name.as_str(), level.n_nodes)).collect();
    assert_eq!(levels, [("leaves", 3), ("level 1", 2), ("root", 1)]);
    assert_eq!((report.separator, report.n_leaves, report.height), (',', 3, Some(2)));
    assert!(report.is_tree);
}

#[test]
fn a_drawing_shows_groups_and_leaves_only_when_asked() {
    let loaded =
        load(file("US;North;*\nPeru;South;*\nMexico;North;*\nAtlantis;*\n"), None).unwrap();
    let limits = Limits { depth: 9, lines: 99 };
    assert_eq!(show(&loaded.taxonomy, None, limits), "* (4 values)\n  North (2)\n  South (1)\n");
    assert_eq!(
        show(&loaded.taxonomy, Some(&loaded.leaf_labels), limits),
        "* (4 values)\n  North (2)\n    US\n    Mexico\n  South (1)\n    Peru\n  Atlantis\n"
    );
    let limits = Limits { depth: 1, lines: 2 };
    assert_eq!(
        show(&loaded.taxonomy, Some(&loaded.leaf_labels), limits),
        "* (4 values)\n  North (2)\n… 2 more\n"
    );
}

#[test]
fn proposals_follow_the_values() {
    let check = |cells: &[&str], expected: &str| {
        let table = table(cells);
        let proposal = propose(&table, &table.columns()[0], None).unwrap();
        assert_eq!(proposal.source, source(expected), "{cells:?}: {}", proposal.reason);
    };
    let check_numbers = |numbers: &mut dyn Iterator<Item = f64>, expected: &str| {
        let cells: Vec<String> = numbers.map(|number| number.to_string()).collect();
        check(&cells.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    };
    check_numbers(&mut (17..=90).map(f64::from), "{ widths = [5, 10, 20] }");
    check_numbers(&mut (0..=100).map(|n| f64::from(n) / 100.0), "{ widths = [0.05, 0.1, 0.2] }");
    check_numbers(
        &mut (0..=100).map(|n| 4000.0 * f64::from(n)),
        "{ widths = [20000, 100000, 200000] }",
    );
    // Seven incomes: a narrower width would leave each alone.
    check_numbers(&mut (1..=7).map(|n| 1000.0 * f64::from(n)), "{ widths = [2000] }");
    check(&["1", "2", "3", "4", "5"], "{ widths = [2] }");
    check(&["yes", "no"], "'flat'");
    check(&["01234", "12345", "91326"], "'mask'");
    check(&["CS101", "CS102", "MA1001"], "'flat'");
    check(&["CS101", "CS102", "CS103", "MA1001"], "'mask'");
    check(&["CA", "FL", "NY"], "'flat'");
    check(&["flu", "cold", "ulcer"], "'flat'");
    check(&["2024-01-01", "2024-01-05", "2024-01-20"], "['week']");
    check(&["2024-01-01", "2024-05-05", "2024-02-20"], "['month', 'quarter']");
    check(
        &["1950-01-01T10:00", "1984-05-05", "2024-02-20"],
        "['day', 'month', 'quarter', 'year', 'decade']",
    );
}

#[test]
fn rows_are_written_with_quotes_where_needed() {
    let rows = [["a;b", " c", "d\"e", "[1, 2]"].map(String::from).to_vec()];
    assert_eq!(to_arx(&rows), "\"a;b\";\" c\";\"d\"\"e\";[1, 2]\n");
}

/// Rows of a random tree of depth 3: leaf `v…`, group of tens, group of groups, root; shuffled.
fn random_rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1_usize..5, proptest::collection::vec((0_usize..12, any::<bool>()), 1..40))
        .prop_map(|(n_top, groups)| {
            let row = |(leaf, (group, is_repeated)): (usize, (usize, bool))| {
                let value = format!("v{leaf}");
                let top = format!("T, {}", group % n_top);
                let group = if is_repeated { value.clone() } else { format!("G{group}") };
                vec![value, group, top, "all; of it".to_owned()]
            };
            groups.into_iter().enumerate().map(row).collect::<Vec<_>>()
        })
        .prop_shuffle()
}

fn check_is_tree(taxonomy: &Taxonomy) {
    for (id, node) in (0..).zip(taxonomy.nodes()) {
        let below: Vec<u32> = (0..taxonomy.n_leaves())
            .filter(|&leaf| {
                let mut next = Some(taxonomy.parent(leaf));
                while let Some(found) = next.filter(|&found| found != id) {
                    next = taxonomy.nodes()[found as usize].parent;
                }
                next == Some(id)
            })
            .collect();
        assert_eq!(below, (node.first..=node.last).collect::<Vec<u32>>(), "{}", node.label);
    }
}

/// The path that a row of a file means: neighbors with the same label are one node.
fn path_of_row(row: &[String]) -> Vec<String> {
    let mut labels = row.to_vec();
    labels.dedup();
    labels.remove(0);
    labels
}

proptest! {
    #[test]
    fn ancestors_are_those_of_the_row(rows in random_rows(), n_absent in 0_usize..3) {
        let text = to_arx(&rows);
        let cells: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        let cells = &cells[n_absent.min(cells.len() - 1)..];
        let table = table(cells);
        let column = &table.columns()[0];
        let built = build(&source("'f.csv'"), Some(file(&text)), &table, column, None).unwrap();
        let (taxonomy, positions) = built.taxonomy.unwrap();
        check_is_tree(&taxonomy);
        for row in rows.iter().filter(|row| cells.contains(&row[0].as_str())) {
            let leaf = positions[built.domain.find(&row[0], column).unwrap() as usize];
            prop_assert_eq!(path(&taxonomy, leaf), path_of_row(row));
            for level in 1_u32..=3 {
                let label = taxonomy
                    .ancestor(leaf, level)
                    .map_or(&row[0], |node| &taxonomy.nodes()[node as usize].label);
                prop_assert_eq!(label, &row[level as usize]);
            }
        }
        prop_assert_eq!(taxonomy.root().size as usize, rows.len());
    }

    #[test]
    fn proposals_come_back_from_their_file(
        numbers in proptest::collection::btree_set(-2000_i64..2000, 1..60),
        shape in 0_usize..5,
    ) {
        let cells: Vec<String> = numbers
            .iter()
            .map(|number| match shape {
                0 => number.to_string(),
                1 => format!("{number}.25"),
                2 => format!("{:04}-01-{:02}", 4000 + number, 1 + number.rem_euclid(28)),
                3 => format!("A{:05}", number + 2000),
                _ => format!("; {number}, \"x\"\n"),
            })
            .collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let table = table(&cells);
        let column = &table.columns()[0];
        let proposal = propose(&table, column, None).unwrap();
        let text = to_arx(&proposal.rows);
        let again = build(&source("'f.csv'"), Some(file(&text)), &table, column, None).unwrap();
        let direct = build(&proposal.source, None, &table, column, None).unwrap();
        let (taxonomy, positions) = again.taxonomy.unwrap();
        for cell in &cells {
            let leaf = positions[again.domain.find(cell, column).unwrap() as usize];
            let expected = match &direct.taxonomy {
                None => vec!["*".to_owned()],
                Some((direct_taxonomy, positions)) => {
                    let value = direct.domain.find(cell, column).unwrap();
                    path(direct_taxonomy, positions[value as usize])
                }
            };
            prop_assert_eq!(path(&taxonomy, leaf), expected);
        }
    }

    #[test]
    fn widths_equal_a_plain_computation(
        numbers in proptest::collection::vec(-500_i64..500, 1..50),
        width in 2_i64..20,
        factor in 2_i64..5,
        origin in -30_i64..30,
    ) {
        let cells: Vec<String> = numbers.iter().map(i64::to_string).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let text = format!("{{ widths = [{width}, {}], origin = {origin} }}", width * factor);
        let built = built(&text, &cells);
        check_is_tree(&built.taxonomy.as_ref().unwrap().0);
        for (number, cell) in numbers.iter().zip(&cells) {
            let label = |width: i64| {
                let start = (-1000..1000).map(|step| origin + step * width).find(|start| number < &(start + width)).unwrap();
                format!("[{start}, {}]", start + width - 1)
            };
            prop_assert_eq!(
                above(&built, &cells, cell),
                [label(width), label(width * factor), "*".into()]
            );
        }
    }

    #[test]
    fn decimal_widths_hold_their_values(hundredths in proptest::collection::vec(-900_i64..900, 1..50)) {
        let mut cells: Vec<String> = hundredths
            .iter()
            .map(|n| format!("{}{}.{:02}", if *n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100))
            .collect();
        cells.push("0.5".into());
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let built = built("{ widths = [0.07] }", &cells);
        for (&number, cell) in hundredths.iter().zip(&cells) {
            let start = number.div_euclid(7) * 7;
            let text = |n: i64| {
                let number = format!("{}{}.{:02}", if n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100);
                number.trim_end_matches('0').trim_end_matches('.').to_owned()
            };
            let label = format!("[{}, {})", text(start), text(start + 7));
            prop_assert_eq!(above(&built, &cells, cell), [label, "*".into()]);
        }
    }

    #[test]
    fn ranges_equal_a_plain_search(
        borders in proptest::collection::btree_set(-100_i64..100, 2..8),
        numbers in proptest::collection::vec(-110_i64..110, 1..30),
    ) {
        let borders: Vec<i64> = borders.into_iter().collect();
        let ranges: Vec<(i64, i64)> = borders.windows(2).map(|pair| (pair[0], pair[1] - 1)).collect();
        let listed: Vec<String> = ranges.iter().map(|(lo, hi)| format!("[{lo}, {hi}]")).collect();
        let text = format!("{{ ranges = [{}] }}", listed.join(", "));
        let find = |number: i64| ranges.iter().position(|&(lo, hi)| (lo..=hi).contains(&number));
        let (inside, outside): (Vec<i64>, Vec<i64>) =
            numbers.into_iter().partition(|&number| find(number).is_some());
        let cells: Vec<String> = inside.iter().map(i64::to_string).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if !cells.is_empty() {
            let built = built(&text, &cells);
            for (&number, cell) in inside.iter().zip(&cells) {
                let expected = [listed[find(number).unwrap()].clone(), "*".into()];
                prop_assert_eq!(above(&built, &cells, cell), expected);
            }
        }
        if let Some(number) = outside.first() {
            let table = table(&[&number.to_string()]);
            prop_assert!(build(&source(&text), None, &table, &table.columns()[0], None).is_err());
        }
    }

    #[test]
    fn masks_equal_a_plain_computation(
        texts in proptest::collection::btree_set("[ab*é]{1,5}", 1..40),
        is_left in any::<bool>(),
    ) {
        let cells: Vec<&str> = texts.iter().map(String::as_str).collect();
        let built = built(if is_left { "'mask-left'" } else { "'mask'" }, &cells);
        let Some((taxonomy, positions)) = &built.taxonomy else { panic!("a mask is no flat") };
        check_is_tree(taxonomy);
        let longest = cells.iter().map(|cell| cell.chars().count()).max().unwrap();
        let masked = |cell: &str, level: usize| -> String {
            let n = cell.chars().count();
            let n_masked = level.min(n - 1);
            let is_masked = |at: usize| if is_left { at < n_masked } else { at >= n - n_masked };
            cell.chars().enumerate().map(|(at, c)| if is_masked(at) { '*' } else { c }).collect()
        };
        for (value, cell) in cells.iter().enumerate() {
            for level in 1..longest {
                let node = taxonomy.ancestor(positions[value], u32::try_from(level).unwrap());
                let label = node.map_or(*cell, |node| &taxonomy.nodes()[node as usize].label);
                prop_assert_eq!(label, masked(cell, level));
                let group: Vec<&&str> = cells.iter().filter(|c| {
                    c.chars().count() == cell.chars().count() && masked(c, level) == masked(cell, level)
                }).collect();
                let size = node.map_or(1, |node| taxonomy.nodes()[node as usize].size as usize);
                prop_assert_eq!(size, group.len());
            }
        }
    }

    #[test]
    fn months_equal_the_text_of_the_date(days in proptest::collection::vec((1900_u32..2100, 1_u32..13, 1_u32..29), 1..40)) {
        let cells: Vec<String> = days.iter().map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let built = built("['month', 'quarter', 'year', 'decade']", &cells);
        check_is_tree(&built.taxonomy.as_ref().unwrap().0);
        for ((year, month, _), cell) in days.iter().zip(&cells) {
            let expected = [
                cell[..7].to_owned(),
                format!("{year}-Q{}", month.div_ceil(3)),
                cell[..4].to_owned(),
                format!("{}0s", &cell[..3]),
                "*".to_owned(),
            ];
            prop_assert_eq!(above(&built, &cells, cell), expected);
        }
    }
}
