//! The diagnosis on a terminal: the verdict first, every answer with its question, and no word that
//! says more than was tested.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::fmt::Write as _;

use kohort::diagnose::{Diagnosis, Principle, Question, diagnose, text};
use kohort::goal::{DistinctLDiversity, KAnonymity};
use kohort::load::{assign_roles, load_table};
use kohort::plan::Plan;
use kohort::{Ctx, Ratio, write_atomically};

const PATIENTS: &str = "\
age,sex,zip,disease
39,F,10115,flu
39,F,10115,flu
40,M,10117,cold
40,M,10117,flu
41,M,10119,gout
42,M,10119,flu
";

/// The answer about the columns whose name is in `quasi`; the last column is sensitive.
fn ask(table: &str, quasi: &str, question: &Question, goal: &[Principle]) -> Diagnosis {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    write_atomically(&file, &mut |out| out.write_all(table.as_bytes())).unwrap();
    let mut plan = String::from("input = 't.csv'\n[attributes]\n");
    for column in quasi.split(',') {
        writeln!(plan, "{column} = 'quasi'").unwrap();
    }
    if table.starts_with("age,sex,zip,disease") {
        plan.push_str("disease = 'sensitive'\n");
    }
    let plan = Plan::parse("plan.toml", &plan).unwrap().in_folder(folder.path());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    let dataset = assign_roles(&plan, table).unwrap().value;
    diagnose(&dataset, question, goal, None, &Ctx::quiet()).unwrap()
}

fn asked(quasi: &str, question: &Question) -> Diagnosis {
    ask(PATIENTS, quasi, question, &[])
}

/// A section of the text, from its title to the next blank line.
fn section(answer: &Diagnosis, title: &str) -> String {
    let text = text(answer);
    text.split("\n\n").find(|part| part.starts_with(title)).unwrap_or_default().to_owned()
}

#[test]
fn the_verdict_comes_first() {
    let first = |answer: &Diagnosis| text(answer).lines().next().unwrap_or_default().to_owned();
    let question = Question::default();
    assert_eq!(
        first(&asked("age,sex,zip", &question)),
        "2 of 6 people can be singled out by these 3 columns"
    );
    // Those aged 39 share their disease, and nobody stands alone by sex.
    assert_eq!(
        first(&asked("sex", &question)),
        "2 of 6 people give away their disease: everybody like them has the same value"
    );
    assert_eq!(
        first(&ask("a\n1\n1\n", "a", &question, &[])),
        "Nobody is unique: everybody looks like at least 1 other in this one column"
    );
}

#[test]
fn what_is_given_away_in_many_columns_is_said_once() {
    let mut answer = asked("sex", &Question::default());
    let one = answer.sensitive[0].clone();
    for (name, rows) in [("cost", 2), ("ward", 1), ("a", 1), ("b", 1), ("c", 1)] {
        let mut other = one.clone();
        (other.attribute, other.rows_disclosed) = (name.into(), rows);
        answer.sensitive.push(other);
    }
    assert_eq!(
        text(&answer).lines().next(),
        Some(
            "2 of 6 people give away their disease and cost, 1 their ward and a, and so in 2 more \
             columns: everybody like them has the same value"
        )
    );
}

#[test]
fn a_class_with_one_value_says_so_once() {
    assert_eq!(
        section(&asked("age,sex,zip", &Question::default()), "Sensitive"),
        "\
Sensitive: disease (3 values)
  l-diversity  l = 1   distinct, frequency and entropy l are 1: 4 people (66.7 %) share one value with everybody like them, so finding the class discloses it
  t, equal     0.8333  the most distinctive class is 0.8333 away from the whole table, all values equally distant"
    );
}

#[test]
fn more_than_one_value_has_every_level_with_its_reason() {
    let table = "age,sex,zip,disease\n1,F,1,a\n1,F,1,b\n1,F,1,b\n1,F,1,c\n";
    let found = section(&ask(table, "age", &Question::default(), &[]), "Sensitive");
    assert!(
        found.contains("distinct l       3             an adversary who finds a person's class"),
        "{found}"
    );
    assert!(found.contains("(l = 3 is the largest l up to 5 that can hold)"), "{found}");
}

#[test]
fn a_search_that_is_not_finished_calls_nothing_safe() {
    let question = Question { subsets: true, k: Some(2), max_size: Some(1), ..Question::default() };
    let mut answer = asked("age,sex,zip", &question);
    let found = text(&answer);
    assert!(found.contains(
        "\
Which sets of columns keep k-anonymity with k = 2
  Not finished: sets of more than 1 column were not all tested

Safe sets found (larger ones may be safe too): 2
  sex
  zip

Unsafe sets found (there may be more): 1
  age
"
    ));
    answer.borders.as_mut().unwrap().negative_border.clear();
    let found = text(&answer);
    assert!(found.contains("none among sets of up to 1 column; larger ones were not all tested"));
    let borders = answer.borders.as_mut().unwrap();
    borders.positive_border.clear();
    borders.complete_to = 0;
    let found = found + &text(&answer);
    assert!(found.contains("none among the sets tested; larger ones"));
    for never in ["every set is safe", "the whole table fails", "Largest", "Smallest"] {
        assert!(!found.contains(never), "{never}");
    }
}

#[test]
fn a_finished_search_says_in_words_how_it_went() {
    let question = Question { subsets: true, k: Some(2), ..Question::default() };
    let found = text(&asked("sex,zip", &question));
    assert!(found.contains("Largest safe sets (1)\n  sex, zip\n"), "{found}");
    assert!(found.contains("Smallest unsafe sets (0)\n  none: every set is safe\n"), "{found}");
    assert!(found.contains("sets tested (smallest sets first)"), "{found}");
}

#[test]
fn an_answer_about_dropping_rows_has_its_question() {
    let question = |k, suppress| Question { k: Some(k), suppress, ..Question::default() };
    let check = |question: &Question, asked_for: &str, dropped: &str| {
        let answer = asked("age,sex,zip", question);
        assert_eq!(section(&answer, "Asked for"), format!("Asked for\n  {asked_for}"));
        assert_eq!(section(&answer, "With"), format!("With suppression\n  {dropped}"));
    };
    check(
        &question(2, Some(Ratio::new(1, 2))),
        "k = 2 with at most 50 % of the rows dropped: yes, 2 rows are enough",
        "at most 50 % may be dropped: 3 rows\n  dropping 2 rows (33.3 %) gives k = 2",
    );
    check(
        &question(2, Some(Ratio::new(1, 4))),
        "k = 2 with at most 25 % of the rows dropped: no, 2 rows must be dropped, and only 1 may be",
        "at most 25 % may be dropped: 1 row\n  too few to raise k above 1\n  k = 2 takes 2 rows \
         (33.3 %)",
    );
    check(
        &question(5_000, Some(Ratio::new(1, 2000))),
        "k = 5,000 with at most 0.05 % of the rows dropped: no, nothing would be left",
        "at most 0.05 % may be dropped: 0 rows\n  too few to raise k above 1\n  k = 5,000 would \
         leave nothing: no class is that large",
    );
}

#[test]
fn rows_to_drop_are_for_a_k() {
    let find = |k| Question { k, find_suppression: true, ..Question::default() };
    let found = |k| section(&asked("age,sex,zip", &find(k)), "With");
    assert_eq!(found(Some(2)), "With suppression\n  2 rows (33.3 %) must be dropped for k = 2");
    assert_eq!(
        found(Some(3)),
        "With suppression\n  6 rows (100 %) must be dropped for k = 3: nothing would be left"
    );
    assert_eq!(
        found(None),
        "\
With suppression
           k  rows dropped
           1             0  (0.0 %)
           2             2  (33.3 %)
  any k above 2: nothing would be left"
    );
    let alone = section(&ask("a\n1\n2\n", "a", &find(None), &[]), "With");
    assert!(alone.ends_with("(0 %)\n  any k above 1: nothing would be left"), "{alone}");
}

#[test]
fn borders_of_the_table_as_it_is_say_that_no_row_is_dropped() {
    let not_counted = "Judged on the table as it is: dropping rows is not counted here";
    let dropping = Question { k: Some(2), suppress: Some(Ratio::new(1, 2)), ..Question::default() };
    let found = |question| text(&asked("age,sex", &question));
    assert!(found(Question { border_k: Some(2), ..dropping.clone() }).contains(not_counted));
    assert!(!found(Question { subsets: true, ..dropping }).contains(not_counted));
    assert!(!found(Question { border_k: Some(2), ..Question::default() }).contains(not_counted));
}

#[test]
fn the_goal_of_a_plan_is_not_what_was_asked() {
    let goal = [KAnonymity { k: 5 }.into()];
    let question = Question { k: Some(2), ..Question::default() };
    let answer = ask(PATIENTS, "sex", &question, &goal);
    assert_eq!(
        section(&answer, "Asked for"),
        "Asked for\n  k-anonymity  k = 2  holds\n  answer: yes"
    );
    assert_eq!(
        section(&answer, "The plan's goal"),
        "\
The plan's goal, judged on the table as it is
  A goal is for a release: the raw table need not keep it.
  k-anonymity  k = 5  does not hold: 2 of 2 classes break it, with 6 rows (100 %)"
    );
    let answer = ask(PATIENTS, "sex", &Question::default(), &goal);
    assert_eq!(section(&answer, "Asked for"), "");
    // One level asked of every sensitive column, and k: the goal comes after both.
    let question = Question {
        principles: vec![DistinctLDiversity { l: 2, attribute: None }.into()],
        ..question
    };
    let answer = ask(PATIENTS, "sex", &question, &goal);
    assert_eq!(section(&answer, "Asked for").lines().count(), 4);
    assert_eq!(section(&answer, "The plan's goal").lines().count(), 3);
}

#[test]
fn one_row_is_alone_without_any_column() {
    let question = Question { riskiest: 3, ..Question::default() };
    let answer = ask("a,b\n1,2\n", "a,b", &question, &[]);
    let found = section(&answer, "Unique rows");
    assert!(found.starts_with("Unique rows\n             1 row alone in the table\n"), "{found}");
    assert!(found.ends_with("  row        1  alone in the table"), "{found}");
    assert!(text(&answer).starts_with("The only person in the table is unique"));
    assert!(text(&answer).contains("t.csv: 1 row, quasi-identifiers a, b\n"));
}

#[test]
fn rows_are_counted_by_the_fewest_columns() {
    let question = Question { riskiest: 1, ..Question::default() };
    let mut answer = asked("age,sex,zip", &question);
    let lines = |answer: &Diagnosis| section(answer, "Unique rows");
    assert!(lines(&answer).contains("             2 rows by 1 column\n"));
    let uniques = answer.uniques.as_mut().unwrap();
    uniques.by_smallest_set = vec![0, 1];
    uniques.riskiest[0].sets.clear();
    (uniques.riskiest[0].limited, uniques.riskiest[0].looked_up_to) = (true, 4);
    let found = lines(&answer);
    assert!(found.contains("             1 row by 2 columns\n"), "{found}");
    assert!(found.contains("             1 row by all 3 columns\n"), "{found}");
    assert!(found.ends_with("only by more than 4 columns"), "{found}");
    assert!(!found.contains(" 0 row"), "{found}");
    answer.quasi.push("more".into());
    assert!(lines(&answer).contains("             1 row by 3 columns or more\n"));
    assert!(lines(&asked("sex", &question)).contains("no row is unique"));
}

#[test]
fn levels_of_subsets_are_named_and_numbers_grouped() {
    let mut answer = asked("sex", &Question { subsets: true, ..Question::default() });
    let subset = &mut answer.subsets.as_mut().unwrap()[0];
    subset.suppression.k_after = Some(kohort::diagnose::Reached(Some(12_345)));
    let found = section(&answer, "Subsets");
    assert!(found.contains("k after = 12,345;"), "{found}");
    assert!(found.contains("; l of disease: distinct 1, frequency 1, entropy 1"), "{found}");
    answer.left_out = vec!["1 of 2 subsets: the time was up".into()];
    assert!(
        section(&answer, "Subsets").starts_with("Subsets (2)\n  left out: 1 of 2 subsets"),
        "a notice stands at the top"
    );
}

#[test]
fn percentages_of_a_column_have_the_same_digits() {
    let found = section(&asked("age,sex,zip", &Question::default()), "Risk");
    assert!(found.contains("  100.0 %  against somebody"), "{found}");
    assert!(found.contains("   66.7 %  the same, on average over all rows"), "{found}");
    assert!(found.contains("6 rows in classes of fewer than 5\n"), "{found}");
}

#[test]
fn a_name_hides_nothing_from_the_terminal() {
    let question = Question { subsets: true, k: Some(2), ..Question::default() };
    let mut answer = asked("age,sex", &question);
    let name = "a\u{1b}[31m\nb";
    answer.table = name.into();
    answer.quasi[0] = name.into();
    answer.sensitive[0].attribute = name.into();
    answer.left_out = vec![name.into()];
    let borders = answer.borders.as_mut().unwrap();
    borders.positive_border = vec![vec![name.into()]];
    borders.promise = name.into();
    let found = text(&answer);
    assert!(!found.contains('\u{1b}') && !found.contains("\nb"), "{found}");
    assert_eq!(found.matches("a\\u{1b}[31m\\nb").count(), 6, "{found}");
}

#[test]
fn a_missing_cell_is_said_to_be_a_value() {
    let found = text(&asked("age", &Question::default()));
    assert!(found.contains("A missing cell counts as a value of its own"));
}

#[test]
fn the_question_is_in_the_answer_without_a_chosen_value() {
    let question = Question {
        k: Some(5),
        suppress: Some(Ratio::new(1, 50)),
        values: vec![("disease".into(), "flu".into())],
        ..Question::default()
    };
    let asked = asked("age", &question).asked.unwrap();
    assert_eq!((asked.k, asked.suppress_value), (Some(5), Some(0.02)));
    assert_eq!(asked.values_of, ["disease"]);
}
