//! `kohort taxonomy`, and taxonomies that do not fit.

use insta::assert_snapshot;

use crate::harness::Folder;

const TABLE: &str = "age,disease\n39,flu\n40,cold\n41,SECRETCELL\n42,ulcer\n";
const GOOD: &str = "flu;airways;*\ncold;airways;*\nulcer;stomach;*\nSECRETCELL;stomach;*\n";
const TWO_PARENTS: &str =
    "flu;airways;*\nSECRETCELL;airways;*\nulcer;stomach;*\nSECRETCELL;stomach;*\n";
const SPLITS_AGAIN: &str = "flu;airways;chest;*\ncold;airways;head;*\nulcer;stomach;head;*\n";
const RAGGED: &str = "flu;airways;*\ncold;airways\nulcer;stomach;*\nSECRETCELL;stomach;*\n";
const NO_LEAF: &str = "flu;airways;*\ncold;airways;*\nulcer;stomach;*\n";

fn folder(taxonomy: &str) -> Folder {
    Folder::with(&[("t.csv", TABLE), ("disease.csv", taxonomy)])
}

const DIAGNOSE: &str =
    "diagnose t.csv --quasi age --sensitive disease --taxonomy disease=disease.csv";
const CHECK: &str = "taxonomy check disease.csv --data t.csv --column disease";

#[test]
fn a_good_taxonomy_passes() {
    let folder = folder(GOOD);
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 0
    --- stdout
    disease.csv: 4 leaves; 4 leaves, 2 level 1, 1 root
      a tree
    ");
    assert_snapshot!(folder.run(CHECK), @r"
    exit 0
    --- stdout
    disease.csv: 4 leaves; 4 leaves, 2 level 1, 1 root
      every value of the column has a leaf
      a tree
    ");
    assert_eq!(folder.run(DIAGNOSE).code, 0);
}

#[test]
fn a_value_with_two_parents_is_refused_with_its_lines() {
    let folder = folder(TWO_PARENTS);
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 1
    --- stdout
    disease.csv: 3 leaves; 3 leaves, 2 level 1, 1 root
      problem: lines 2 and 4: a value has two parents at level 1
      not a tree
    ");
    assert_snapshot!(folder.refused(DIAGNOSE), @"error: disease.csv, lines 2 and 4: a value has two parents at level 1");
    assert_eq!(folder.refused("taxonomy show disease.csv"), folder.refused(DIAGNOSE));
}

#[test]
fn levels_that_split_again_are_refused_with_their_lines() {
    let folder = folder(SPLITS_AGAIN);
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 1
    --- stdout
    disease.csv: 3 leaves; 3 leaves, 2 level 1, 2 level 2, 1 root
      problem: lines 1 and 2: `airways` of level 1 has two parents, `chest` and `head`
      not a tree
    ");
    assert_snapshot!(folder.refused(DIAGNOSE), @"error: disease.csv, lines 1 and 2: `airways` of level 1 has two parents, `chest` and `head`");
}

#[test]
fn rows_of_different_depth_are_padded_with_a_warning() {
    let folder = folder(RAGGED);
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 0
    --- stdout
    disease.csv: 4 leaves; 4 leaves, 2 level 1, 1 root
      warning: line 2: 1 line is shorter than 3 columns; its last label is repeated up to the root
      a tree
    ");
    let output = folder.run(DIAGNOSE);
    assert_eq!(output.code, 0);
    assert_snapshot!(output.stderr, @"note: disease.csv, line 2: 1 line is shorter than 3 columns; its last label is repeated up to the root");
    assert_eq!(folder.run(&format!("{DIAGNOSE} --quiet")).stderr, "");
}

#[test]
fn a_value_without_a_leaf_is_counted_and_named_only_when_asked_for() {
    let folder = folder(NO_LEAF);
    assert_snapshot!(folder.run(CHECK), @r"
    exit 1
    --- stdout
    disease.csv: 3 leaves; 3 leaves, 2 level 1, 1 root
      problem: 1 value of the column has no leaf
        (`--show-values` lists them on your terminal)
      a tree
    ");
    assert_snapshot!(folder.run(&format!("{CHECK} --show-values")), @r"
    exit 1
    --- stdout
    disease.csv: 3 leaves; 3 leaves, 2 level 1, 1 root
      problem: 1 value of the column has no leaf
        SECRETCELL
      a tree
    ");
    assert_snapshot!(folder.refused(DIAGNOSE), @r"
    error: disease.csv: 1 value of column `disease` has no leaf in this taxonomy

    hint: add them to the taxonomy; `kohort taxonomy check FILE --data DATA --column NAME --show-values` lists them
    ");
    assert_snapshot!(folder.refused(&format!("{DIAGNOSE} --show-values")), @r"
    error: disease.csv: 1 value of column `disease` has no leaf in this taxonomy
      SECRETCELL

    hint: add them to the taxonomy; `kohort taxonomy check FILE --data DATA --column NAME --show-values` lists them
    ");
}

#[test]
fn json_never_names_a_value_without_a_leaf() {
    let output = folder(NO_LEAF).run(&format!("{CHECK} --show-values --format json"));
    assert_eq!((output.code, output.stderr.as_str()), (1, ""));
    assert_eq!(output.json()["n_values_without_leaf"], 1);
    assert!(!output.stdout.contains(crate::harness::SECRET));
}

#[test]
fn problems_are_listed_in_json() {
    let output = folder(TWO_PARENTS).run("taxonomy check disease.csv --format json");
    assert_snapshot!(output, @r#"
    exit 1
    --- stdout
    {
      "file": "disease.csv",
      "separator": ";",
      "levels": [
        {
          "name": "leaves",
          "n_nodes": 3
        },
        {
          "name": "level 1",
          "n_nodes": 2
        },
        {
          "name": "root",
          "n_nodes": 1
        }
      ],
      "n_leaves": 3,
      "height": null,
      "is_tree": false,
      "problems": [
        {
          "lines": [
            2,
            4
          ],
          "problem": "a value has two parents at level 1"
        }
      ],
      "warnings": [],
      "notes": [],
      "n_values_without_leaf": null
    }
    "#);
}

#[test]
fn a_column_to_check_against_that_is_not_there_is_refused() {
    let said = folder(GOOD).refused("taxonomy check disease.csv --data t.csv --column diseas");
    assert_snapshot!(said, @r"
    error: no column `diseas` in t.csv; did you mean `disease`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn a_taxonomy_file_that_is_not_there_is_refused() {
    let folder = Folder::new();
    assert_snapshot!(folder.refused("taxonomy check none.csv"), @r"
    error: none.csv: no such file

    hint: check the path; `-` reads from standard input
    ");
    assert_eq!(folder.refused("taxonomy show none.csv"), folder.refused("taxonomy check none.csv"));
}

#[test]
fn an_empty_taxonomy_file_is_refused() {
    let folder = folder("");
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 1
    --- stdout
    disease.csv: 0 leaves; 0 leaves, 1 root
      problem: the file is empty
      not a tree
    ");
    assert_snapshot!(folder.refused(DIAGNOSE), @"error: disease.csv: the file is empty");
}

#[test]
fn a_taxonomy_with_commas_is_the_same() {
    let folder = folder(GOOD).and("commas.csv", GOOD.replace(';', ","));
    assert_eq!(
        folder.run("taxonomy check disease.csv --format json").json()["levels"],
        folder.run("taxonomy check commas.csv --format json").json()["levels"],
    );
}

#[test]
fn show_draws_a_tree() {
    let folder = Folder::with(&[("disease.csv", NO_LEAF)]);
    assert_snapshot!(folder.run("taxonomy show disease.csv"), @r"
    exit 0
    --- stdout
    * (3 values)
      airways (2)
        flu
        cold
      stomach (1)
        ulcer
    ");
    assert_snapshot!(folder.run("taxonomy show disease.csv --depth 1"), @r"
    exit 0
    --- stdout
    * (3 values)
      airways (2)
      stomach (1)
    ");
    assert_snapshot!(folder.run("taxonomy show disease.csv --lines 2"), @r"
    exit 0
    --- stdout
    * (3 values)
      airways (2)
    … 4 more
    ");
}

#[test]
fn build_proposes_ranges_for_numbers() {
    let ages: Vec<String> = (20..80).map(|age| age.to_string()).collect();
    let folder = Folder::new().and("t.csv", format!("age\n{}\n", ages.join("\n")));
    let output = folder.run("taxonomy build t.csv --column age");
    assert_eq!(output.code, 0);
    assert_eq!(output.stdout.lines().count(), 60);
    assert_snapshot!(output.stdout.lines().next().unwrap_or_default(), @"20;[20, 24];[20, 29];[20, 39];*");
    assert_snapshot!(output.stderr, @r#"
    note: numbers: ranges whose widths follow from their span and how many there are
    note: in a plan:
    [attributes.age]
    role = "quasi"

    [attributes.age.taxonomy]
    widths = [5, 10, 20]
    "#);
}

#[test]
fn ranges_in_a_file_are_said_to_be_intervals() {
    let ages: Vec<String> = (20..80).map(|age| age.to_string()).collect();
    let folder = Folder::new().and("t.csv", format!("age\n{}\n", ages.join("\n")));
    let output = folder.run("taxonomy build t.csv --column age -o age.csv");
    assert!(output.stderr.contains("file = \"age.csv\"\nlabels = \"intervals\""), "{output}");
}

#[test]
fn build_writes_a_file_that_check_passes() {
    let zips: Vec<String> = (0..40).map(|i| (10_115 + 37 * i).to_string()).collect();
    let folder = Folder::new().and("t.csv", format!("zip\n{}\n", zips.join("\n")));
    let output = folder.run("taxonomy build t.csv --column zip -o zip.csv");
    assert_snapshot!(output, @r#"
    exit 0
    --- stderr
    note: wrote zip.csv
    note: the name says postal code: digits are masked from the right
    note: in a plan:
    [attributes.zip]
    role = "quasi"
    taxonomy = "zip.csv"
    "#);
    let check = folder.run("taxonomy check zip.csv --data t.csv --column zip");
    assert_eq!(check.code, 0, "{check}");
}

#[test]
fn build_refuses_a_column_that_is_not_there() {
    let folder = Folder::with(&[("t.csv", TABLE)]);
    assert_snapshot!(folder.refused("taxonomy build t.csv --column ages"), @r"
    error: no column `ages` in t.csv; did you mean `age`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn build_never_overwrites_the_table() {
    let folder = Folder::with(&[("t.csv", TABLE)]);
    assert_snapshot!(folder.refused("taxonomy build t.csv --column age -o t.csv"), @r"
    error: t.csv is an input of this command, and inputs are not overwritten

    hint: name another file
    ");
    assert_eq!(folder.text("t.csv").as_deref(), Some(TABLE));
}

#[test]
fn show_names_the_file_of_a_warning() {
    let folder = Folder::with(&[("disease.csv", "flu;airways;*\ncold;airways\n")]);
    assert_snapshot!(folder.run("taxonomy show disease.csv"), @r"
    exit 0
    --- stdout
    * (2 values)
      airways (2)
        flu
        cold
    --- stderr
    note: disease.csv, line 2: 1 line is shorter than 3 columns; its last label is repeated up to the root
    ");
}

#[test]
fn a_group_that_is_only_a_padded_value_is_not_named() {
    let folder = folder("SECRETCELL\nflu;SECRETCELL;other;*\n");
    assert_snapshot!(folder.run("taxonomy check disease.csv"), @r"
    exit 1
    --- stdout
    disease.csv: 2 leaves; 2 leaves, 1 level 1, 2 level 2, 1 root
      problem: lines 1 and 2: a value of level 1 has two parents, a value and `other`
      warning: line 1: 1 line is shorter than 4 columns; its last label is repeated up to the root
      not a tree
    ");
}

#[test]
fn show_gives_the_tree_as_json() {
    let folder = Folder::with(&[("disease.csv", NO_LEAF)]);
    let shown = folder.json("taxonomy show disease.csv");
    assert_eq!((&shown["file"], &shown["height"]), (&"disease.csv".into(), &2.into()));
    assert_eq!(shown["levels"], folder.json("taxonomy check disease.csv")["levels"]);
    assert_snapshot!(serde_json::to_string(&shown["nodes"]).expect("it is JSON"), @r#"[{"label":"*","leaves":3,"level":2,"parent":null},{"label":"airways","leaves":2,"level":1,"parent":0},{"label":"stomach","leaves":1,"level":1,"parent":0}]"#);
    assert_snapshot!(serde_json::to_string(&shown["leaves"]).expect("it is JSON"), @r#"[{"label":"flu","parent":1},{"label":"cold","parent":1},{"label":"ulcer","parent":2}]"#);
}

#[test]
fn a_taxonomy_that_is_not_used_is_pointed_out() {
    let folder = folder(GOOD);
    let flags = "--taxonomy disease=disease.csv --type disease=text";
    let output = folder.run(&format!("diagnose t.csv --quasi age {flags}"));
    assert_eq!(output.code, 0);
    assert_snapshot!(output.stderr, @r"
    note: `--type` of column `disease` is not used: the column is neither a quasi-identifier nor sensitive
    note: `--taxonomy` of column `disease` is not used: the column is neither a quasi-identifier nor sensitive
    ");
    folder.refused("diagnose t.csv --quasi age --taxonomy diseas=disease.csv");
}

#[test]
fn build_to_a_dash_prints_the_file() {
    let folder = Folder::with(&[("t.csv", TABLE)]);
    let expected = folder.run("taxonomy build t.csv --column age");
    let output = folder.run("taxonomy build t.csv --column age -o -");
    assert_eq!((output.code, output.stdout), (0, expected.stdout));
    assert_eq!(folder.names(), ["t.csv"]);
}

#[test]
fn a_taxonomy_is_not_overwritten() {
    let folder = Folder::with(&[("t.csv", "zip\n01234\n01235\n"), ("mine.csv", "my own work\n")]);
    assert_snapshot!(folder.refused("taxonomy build t.csv --column zip -o mine.csv"), @r"
    error: mine.csv already exists, and a taxonomy is not overwritten

    hint: name another file, or move this one
    ");
    assert_eq!(folder.text("mine.csv").as_deref(), Some("my own work\n"));
}

#[test]
fn a_taxonomy_that_a_flag_names_is_looked_for_from_here() {
    let plan = "input = 't.csv'\n[attributes]\nzip = 'quasi'\ns = 'sensitive'\n";
    let folder = Folder::with(&[("s.csv", "a;X;*\nb;X;*\n")])
        .and("plans/t.csv", "zip,s\n01,a\n02,b\n")
        .and("plans/plan.toml", plan);
    let output = folder.run("diagnose plans/plan.toml --taxonomy s=s.csv --format json");
    assert_eq!(output.code, 0, "{output}");
    assert!(!output.stdout.contains("\"t_hierarchical\": null"));
}
