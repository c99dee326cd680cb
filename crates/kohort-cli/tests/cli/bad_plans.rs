//! Plans and flags that do not fit the table, or are no plans.

use insta::assert_snapshot;

use crate::harness::Folder;

const TABLE: &str = "age,sex,disease\n39,F,SECRETCELL\n40,M,flu\n41,F,flu\n";

/// What is said about this plan.
fn said(plan: &str) -> String {
    Folder::with(&[("t.csv", TABLE), ("plan.toml", plan)]).refused("diagnose plan.toml")
}

/// What is said about these flags.
fn said_of_flags(flags: &str) -> String {
    Folder::with(&[("t.csv", TABLE)]).refused(&format!("diagnose t.csv {flags}"))
}

#[test]
fn a_column_of_the_plan_that_is_not_there_is_named_with_the_nearest() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\nagee = 'quasi'\n"), @r"
    error: no column `agee` in t.csv; did you mean `age`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn a_column_of_a_flag_that_is_not_there_is_named_with_the_nearest() {
    assert_snapshot!(said_of_flags("--quasi age,sexe"), @r"
    error: no column `sexe` in t.csv; did you mean `sex`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn a_sensitive_column_that_is_not_there_is_named_with_the_nearest() {
    assert_snapshot!(said_of_flags("--quasi age --sensitive desease"), @r"
    error: no column `desease` in t.csv; did you mean `disease`?

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn a_column_unlike_any_other_gets_no_suggestion() {
    assert_snapshot!(said_of_flags("--quasi profession"), @r"
    error: no column `profession` in t.csv

    hint: `kohort inspect DATA` lists the columns
    ");
}

#[test]
fn a_cell_that_is_no_number_in_a_number_column_is_named_by_line_and_column() {
    let plan = "input = 't.csv'\n[attributes]\ndisease = { role = 'quasi', type = 'integer' }\n";
    let said = said(plan);
    assert_eq!(said, said_of_flags("--quasi disease --type disease=integer"));
    assert_snapshot!(said, @r"
    error: t.csv, line 2, column `disease`: not an integer

    hint: set another type with `--type disease=text` or in the plan, or name the text that means a missing value with `--missing`
    ");
}

#[test]
fn a_cell_that_is_no_date_in_a_date_column_is_refused() {
    assert_snapshot!(said_of_flags("--quasi age --sensitive disease --type disease=date"), @r"
    error: t.csv, line 2, column `disease`: not a date

    hint: set another type with `--type disease=text` or in the plan, or name the text that means a missing value with `--missing`
    ");
}

#[test]
fn a_type_that_does_not_exist_is_refused() {
    assert_snapshot!(said_of_flags("--quasi age --type age=whole"), @r"
    error: `type` of column `age` must be integer, decimal, date, boolean or text, but is `whole`

    hint: write `--type age=TYPE` with integer, decimal, date, boolean or text for TYPE
    ");
}

#[test]
fn an_unknown_field_is_named_with_the_nearest() {
    assert_snapshot!(said("input = 't.csv'\n[atributes]\nage = 'quasi'\n"), @r"
    error: plan.toml, line 2, column 2: unknown field `atributes`, expected one of `input`, `key`, `preset`, `unit`, `read`, `tables`, `attributes`, `goal`, `rules`, `method`, `series`, `output`; did you mean `attributes`?

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn an_unknown_goal_is_named_with_the_nearest() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\nage = 'quasi'\n[goal]\nk-anonimity = 5\n"), @r"
    error: plan.toml, line 5, column 1: unknown field `k-anonimity`, expected one of `k-anonymity`, `distinct-l-diversity`, `frequency-l-diversity`, `entropy-l-diversity`, `recursive-cl-diversity`, `alpha-k-anonymity`, `p-sensitive-k-anonymity`, `l-pdiversity`, `l-mdiversity`, `lkc-privacy`, `sensitivity-classes`, `personalized-privacy`, `ke-anonymity`, `epsilon-m-anonymity`, `t-closeness`, `basic-beta-likeness`, `enhanced-beta-likeness`, `delta-disclosure-privacy`, `delta-presence`, `k-map`, `average-risk`, `sample-uniqueness`, `population-uniqueness`, `suppression`; did you mean `k-anonymity`?

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn an_unknown_field_of_a_column_is_refused() {
    let plan = "input = 't.csv'\n[attributes]\nage = { role = 'quasi', typ = 'integer' }\n";
    assert_snapshot!(said(plan), @r"
    error: plan.toml, line 3, column 25: unknown field `typ`, expected one of `role`, `type`, `taxonomy`, `buckets`, `weight`, `missing`; did you mean `type`?

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn an_unknown_role_is_refused() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\nage = 'quasy'\n"), @r"
    error: plan.toml, line 3, column 7: `role` of the column must be identifier, quasi, sensitive or insensitive, but is `quasy`; did you mean `quasi`?

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn toml_that_does_not_parse_is_refused_with_line_and_column() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\nage = 'quasi\n"), @r"
    error: plan.toml, line 3, column 13: invalid literal string, expected `'`

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn a_column_with_two_roles_in_the_plan_is_refused() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\nage = 'quasi'\nage = 'sensitive'\n"), @r"
    error: plan.toml, line 4, column 1: duplicate key

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn a_column_with_two_roles_in_the_flags_is_refused() {
    assert_snapshot!(said_of_flags("--quasi age,sex --sensitive sex"), @r"
    error: column `sex` is given two roles: quasi and sensitive

    hint: name it once
    ");
}

#[test]
fn a_plan_without_a_table_is_refused() {
    assert_snapshot!(said("[attributes]\nage = 'quasi'\n"), @r"
    error: no table is named

    hint: set `input` in the plan, or name the table on the command line
    ");
}

#[test]
fn a_plan_without_a_quasi_identifier_is_refused() {
    assert_snapshot!(said("input = 't.csv'\n[attributes]\ndisease = 'sensitive'\n"), @r"
    error: no quasi-identifier is named

    hint: name them with `--quasi age,sex,zip`, or write a plan to start from with `kohort inspect DATA --plan plan.toml`
    ");
}

#[test]
fn a_table_without_a_named_quasi_identifier_is_refused() {
    assert_snapshot!(said_of_flags(""), @r"
    error: no quasi-identifier is named

    hint: name them with `--quasi age,sex,zip`, or write a plan to start from with `kohort inspect DATA --plan plan.toml`
    ");
}

#[test]
fn a_plan_that_is_not_there_is_refused() {
    assert_snapshot!(Folder::new().refused("diagnose plan.toml"), @r"
    error: plan.toml: no such file

    hint: check the path; `-` reads from standard input
    ");
}

#[test]
fn an_empty_plan_is_refused() {
    assert_snapshot!(said(""), @r"
    error: no table is named

    hint: set `input` in the plan, or name the table on the command line
    ");
}

#[test]
fn a_goal_about_a_column_that_is_not_sensitive_is_refused() {
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\ndisease = 'sensitive'\n\
                [goal]\ndistinct-l-diversity = { l = 2, attribute = 'sex' }\n";
    assert_snapshot!(said(plan), @r#"
    error: the goal names `sex`, which is not a sensitive attribute

    hint: give column `sex` the role "sensitive" in the plan
    "#);
}

#[test]
fn a_goal_outside_its_range_is_refused() {
    let goal = |goal: &str| {
        said(&format!(
            "input = 't.csv'\n[attributes]\nage = 'quasi'\ndisease = 'sensitive'\n[goal]\n{goal}\n"
        ))
    };
    assert_snapshot!(goal("k-anonymity = 1"), @r"
    error: plan.toml, line 6, column 15: `k-anonymity` must be a whole number of at least 2, but is 1

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
    assert_snapshot!(goal("distinct-l-diversity = 2.5"), @r"
    error: plan.toml, line 6, column 24: `l` must be a whole number of at least 2, but is 2.5

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
    assert_snapshot!(goal("t-closeness = { t = 2 }"), @r"
    error: plan.toml, line 6, column 21: `t` must be a number from 0 to 1, but is 2

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn a_taxonomy_file_that_is_not_there_is_refused() {
    let plan = "input = 't.csv'\n[attributes]\nsex = { role = 'quasi', taxonomy = 'sexes.csv' }\n";
    let said = said(plan);
    assert_eq!(said, said_of_flags("--quasi sex --taxonomy sex=sexes.csv"));
    assert_snapshot!(said, @r"
    error: sexes.csv: no such file

    hint: check the path; `-` reads from standard input
    ");
}

#[test]
fn widths_on_text_are_refused() {
    let plan = "input = 't.csv'\n[attributes]\n\
                disease = { role = 'quasi', taxonomy = { widths = [5, 10] } }\n";
    assert_snapshot!(said(plan), @"error: taxonomy of column `disease`: `widths` is for numbers, but the column is read as text");
}

#[test]
fn widths_that_do_not_rise_are_refused() {
    let plan = "input = 't.csv'\n[attributes]\n\
                age = { role = 'quasi', taxonomy = { widths = [7, 5] } }\n";
    assert_snapshot!(said(plan), @r"
    error: plan.toml, line 3, column 36: `widths` must be positive numbers, each larger than the one before, but is [7, 5]

    hint: `kohort schema` prints what a plan may hold, for your editor
    ");
}

#[test]
fn calendar_levels_on_numbers_are_refused() {
    let plan =
        "input = 't.csv'\n[attributes]\nage = { role = 'quasi', taxonomy = ['month', 'year'] }\n";
    assert_snapshot!(said(plan), @"error: taxonomy of column `age`: `levels` is for dates, but the column is read as integer");
}

#[test]
fn a_taxonomy_flag_without_a_column_is_refused() {
    assert_snapshot!(said_of_flags("--quasi age --taxonomy mask"), @r"
    error: `taxonomy` must be COLUMN=…, but names no column

    hint: write `--taxonomy age=…`
    ");
}

#[test]
fn a_plan_cut_at_any_byte_is_read_or_refused() {
    let whole = "input = 't.csv'\n[attributes]\nage = { role = 'quasi', taxonomy = { widths = [5] } }\n\
                 disease = 'sensitive'\n[goal]\nt-closeness = { t = 0.5 }\n";
    for end in 0..whole.len() {
        let folder = Folder::with(&[("t.csv", TABLE), ("plan.toml", &whole[..end])]);
        let output = folder.run("diagnose plan.toml --quiet");
        assert_eq!(output.code == 0, output.stderr.is_empty(), "{end} bytes\n{output}");
    }
}

#[test]
fn a_taxonomy_flag_is_refused_in_the_words_of_the_flag() {
    let said = |setting: &str| {
        let folder = Folder::with(&[("t.csv", TABLE)]);
        let output = folder.run_with("diagnose t.csv --quasi age --taxonomy", &[setting]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output}");
        output.stderr
    };
    assert_snapshot!(said("age={ width = [5] }"), @r"
    error: `taxonomy` of column `age`: unknown field `width`, expected one of `widths`, `origin`, `ranges`, `tree`, `file`, `separator`, `labels`, `mask`, `levels`; did you mean `widths`?

    hint: write `--taxonomy age=FILE`, `--taxonomy age=mask` or `--taxonomy 'age={ widths = [5, 10] }'`
    ");
    assert_snapshot!(said("age={ widths = [7, 5] }"), @r"
    error: `taxonomy` of column `age`: `widths` must be positive numbers, each larger than the one before, but is [7, 5]

    hint: write `--taxonomy age=FILE`, `--taxonomy age=mask` or `--taxonomy 'age={ widths = [5, 10] }'`
    ");
    assert_snapshot!(said("age="), @r"
    error: `taxonomy` of column `age`: `file` must be a path, but is empty

    hint: write `--taxonomy age=FILE`, `--taxonomy age=mask` or `--taxonomy 'age={ widths = [5, 10] }'`
    ");
}

#[test]
fn a_column_with_spaces_gets_a_hint_that_can_be_pasted() {
    let folder = Folder::with(&[("t.csv", "the age,sex\n39,F\nold,M\n")]);
    let more = ["--quasi", "the age", "--type", "the age=integer"];
    assert_snapshot!(folder.run_with("diagnose t.csv", &more).stderr, @r"
    error: t.csv, line 3, column `the age`: not an integer

    hint: set another type with `--type 'the age=text'` or in the plan, or name the text that means a missing value with `--missing`
    ");
}

#[test]
fn an_empty_name_is_refused_plainly() {
    let said = |more: &[&str]| {
        let output = Folder::with(&[("t.csv", TABLE)]).run_with("diagnose t.csv", more);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output}");
        output.stderr
    };
    let text = said(&["--quasi", "age,,sex"]);
    assert_eq!(text, said(&["--quasi", ""]));
    assert_eq!(text, said(&["--quasi", "age, "]));
    assert_snapshot!(text, @r"
    error: `quasi` must be names of columns, but one is empty

    hint: write `--quasi age,sex`, and `\,` for a comma in a name
    ");
}
