//! Questions that have no answer, refused with the reason and a way on.

use insta::assert_snapshot;

use crate::harness::Folder;
use crate::oracle::table;

/// What is said about this question.
fn said(flags: &str) -> String {
    table().refused(&format!("diagnose t.csv --quasi V,W --sensitive s {flags}"))
}

#[test]
fn l_with_suppression() {
    let text = said("--distinct-l 2 --suppress 0.1");
    assert_eq!(text, said("--t 0.2 --find-suppression"));
    assert_eq!(text, said("--subsets --entropy-l 2 --suppress 0.1"));
    assert_eq!(text, said("--k 2 --recursive 3,2 --find-suppression"));
    assert_snapshot!(text, @r"
    error: l-diversity and t-closeness are not offered with suppression: fewer columns can need more rows dropped there, so that the answer for a set of columns says nothing about its subsets

    hint: ask for them without suppression, or for k with it
    ");
}

#[test]
fn hierarchical_t_without_a_taxonomy() {
    assert_snapshot!(said("--t 0.2 --distance hierarchical"), @r"
    error: the hierarchical distance needs a taxonomy, and column `s` has none

    hint: give it one with `--taxonomy s=FILE`, or use the distance `equal`
    ");
}

#[test]
fn ordered_t_on_text() {
    assert_snapshot!(said("--t 0.2 --distance ordered"), @r"
    error: column `s` is a text: its values have no order

    hint: use the distance `equal`, or `hierarchical` with a taxonomy
    ");
}

#[test]
fn a_share_given_and_asked_for() {
    assert_snapshot!(said("--suppress 0.1 --find-suppression"), @r"
    error: `--suppress` gives a share and `--find-suppression` asks for one

    hint: leave one of them out
    ");
}

#[test]
fn l_without_a_sensitive_attribute() {
    assert_snapshot!(table().refused("diagnose t.csv --quasi V --distinct-l 2"), @r"
    error: `distinct-l-diversity` is about a sensitive attribute, and none is named

    hint: name it with `--sensitive disease`
    ");
}

#[test]
fn every_subset_of_more_than_twenty_attributes() {
    let names: Vec<String> = (1..=21).map(|i| format!("c{i:02}")).collect();
    let row = vec!["1"; 21].join(",");
    let folder = Folder::with(&[("t.csv", &format!("{}\n{row}\n{row}\n", names.join(",")))]);
    let ask = format!("diagnose t.csv --quasi {} --subsets", names.join(","));
    assert_snapshot!(folder.refused(&ask), @r"
    error: 21 quasi-identifiers have more subsets than the 1048576 that are listed

    hint: limit their size with `--max-size 3`, or ask for the borders of a k with `--subsets --k 5`, which does not visit every subset
    ");
    assert_eq!(folder.refused(&ask), folder.refused(&format!("{ask} --find-suppression")));
    assert_eq!(folder.run(&format!("{ask} --k 2")).code, 0);
}

#[test]
fn a_public_table_and_a_sampling_fraction() {
    assert_snapshot!(said("--public t.csv --sampling-fraction 0.1"), @r"
    error: `--public` counts the population and `--sampling-fraction` estimates it

    hint: leave one of them out
    ");
}

#[test]
fn shares_outside_their_range() {
    assert_snapshot!(said("--suppress 2"), @r"
    error: invalid value '2' for '--suppress <SHARE>': a share is at most 1; did you mean 2%?

    For more information, try '--help'.
    ");
    assert!(said("--suppress 1.5").contains("did you mean 1.5%?"));
    assert!(said("--sampling-fraction 200%").contains("a share is at most 1, which is 100%"));
    assert_snapshot!(said("--sampling-fraction 0"), @"error: `sampling-fraction` must be above 0, but is 0");
    assert_snapshot!(said("--suppress -0.1"), @r"
    error: invalid value '-0.1' for '--suppress <SHARE>': expected a share such as 0.02, 2% or 1/50

    For more information, try '--help'.
    ");
    assert_snapshot!(said("--suppress ten"), @r"
    error: invalid value 'ten' for '--suppress <SHARE>': expected a share such as 0.02, 2% or 1/50

    For more information, try '--help'.
    ");
}

#[test]
fn numbers_that_are_none() {
    assert_snapshot!(said("--k abc"), @r"
    error: invalid value 'abc' for '--k <K>': expected a whole number

    For more information, try '--help'.
    ");
    for flags in ["--k 2.5", "--k -3", "--distinct-l two", "--riskiest x", "--threads x"] {
        assert!(said(flags).contains(": expected a whole number\n"), "{flags}");
    }
    for more in ["demo --rows many", "demo --seed x", "taxonomy show f.csv --depth x"] {
        assert!(table().refused(more).contains(": expected a whole number\n"), "{more}");
    }
}

#[test]
fn levels_outside_their_range() {
    assert_snapshot!(said("--k 1"), @"error: `k` must be at least 2, but is 1");
    assert_snapshot!(said("--distinct-l 1"), @"error: `l` must be at least 2, but is 1");
    assert_snapshot!(said("--frequency-l 0.5"), @"error: `l` must be above 1, but is 1/2");
    assert_snapshot!(said("--entropy-l 0"), @"error: `l` must be above 1, but is 0");
    assert_snapshot!(said("--recursive 0,2"), @"error: `c` must be above 0, but is 0");
    assert_snapshot!(said("--recursive 3"), @r"
    error: invalid value '3' for '--recursive <C,L>': expected c and l, such as `3,2`

    For more information, try '--help'.
    ");
    assert_snapshot!(said("--t 1.5"), @"error: `t` must be at most 1, but is 3/2");
}

#[test]
fn a_k_of_1_in_a_search_over_subsets_or_with_suppression() {
    let text = said("--k 1");
    for more in ["--subsets", "--suppress 0.1", "--find-suppression"] {
        assert_eq!(said(&format!("--k 1 {more}")), text, "{more}");
    }
}

#[test]
fn flags_that_need_another() {
    assert_snapshot!(said("--distance ordered"), @r"
    error: the following required arguments were not provided:
      --t <T>

    Usage: kohort diagnose --t <T> --quasi <COLUMN,…> --sensitive <COLUMN,…> --distance <DISTANCE> <DATA|PLAN>

    For more information, try '--help'.
    ");
    assert_snapshot!(said("--max-size 2"), @r"
    error: the following required arguments were not provided:
      --subsets

    Usage: kohort diagnose --subsets --quasi <COLUMN,…> --sensitive <COLUMN,…> --max-size <N> <DATA|PLAN>

    For more information, try '--help'.
    ");
}

#[test]
fn a_chosen_value_that_does_not_occur() {
    assert_snapshot!(said("--values s9"), @r"
    error: column `s` has no value `s9`

    hint: spell it as in the table; a value that does not occur has share 0
    ");
}

#[test]
fn chosen_values_of_a_column_that_is_not_sensitive() {
    assert_snapshot!(said("--values S=s1"), @r"
    error: `S` is not a sensitive attribute; did you mean `s`?

    hint: name it with `--sensitive S`
    ");
}

#[test]
fn chosen_values_without_a_column_when_there_are_two() {
    assert_snapshot!(table().refused("diagnose t.csv --quasi V --sensitive s,Z --values s1"), @r"
    error: `values` must name its column when there is not exactly one sensitive one

    hint: write `--values disease=flu,cold`
    ");
}

#[test]
fn a_time_that_is_none() {
    assert_snapshot!(said("--budget soon"), @r"
    error: invalid value 'soon' for '--budget <TIME>': expected a time such as `500ms`, `0.5s`, `60s` or `5m`

    For more information, try '--help'.
    ");
}
