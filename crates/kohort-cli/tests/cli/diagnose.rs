//! `kohort diagnose`: text, plans, SQL and reports.

use insta::assert_snapshot;

use crate::harness::{Folder, SECRET};
use crate::oracle::table;

const PATIENTS: &str = "\
age,sex,zip,disease
39,F,10115,SECRETCELL
39,F,10115,flu
40,M,10117,cold
40,M,10117,cold
41,M,10119,SECRETCELL
42,M,10119,flu
";
const ASK: &str = "diagnose t.csv --quasi age,sex,zip --sensitive disease";

fn patients() -> Folder {
    Folder::with(&[("t.csv", PATIENTS)])
}

#[test]
fn levels_come_with_a_sentence_each() {
    let output = patients().run(ASK);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let levels = output.stdout.split("\nNot promised").next().unwrap_or_default();
    assert_snapshot!(levels, @r"
    2 of 6 people can be singled out by these 3 columns

    t.csv: 6 rows, quasi-identifiers age, sex, zip

    Levels
      k-anonymity  k = 1   2 people (33.3 %) are unique: anybody who knows these columns finds their row
      classes      4       a row shares its columns with 0.67 others on average
      separation   0.8667  of all pairs of people, 86.7 % differ in at least one of these columns

    Sensitive: disease (3 values)
      l-diversity  l = 1   distinct, frequency and entropy l are 1: 4 people (66.7 %) share one value with everybody like them, so finding the class discloses it
      t, equal     0.6667  the most distinctive class is 0.6667 away from the whole table, all values equally distant

    Risk of being linked
      prosecutor, highest  100.0 %  against somebody who knows that the person is in the table
      prosecutor, mean      66.7 %  the same, on average over all rows
      above 1/5            100.0 %  6 rows in classes of fewer than 5
      above 1/10           100.0 %  6 rows in classes of fewer than 10
      above 1/20           100.0 %  6 rows in classes of fewer than 20

    Unique rows
                 2 rows by 1 column
      columns and pairs that make most rows unique:
                 2  age
                 2  age + sex
                 2  age + zip
      riskiest rows (numbered without the header), by what singles them out:
      row        5  age
      row        6  age
    ");
}

/// A section of the answer, from its title to the next blank line.
fn section(text: &str, title: &str) -> String {
    let parts = text.split("\n\n").filter(|part| part.starts_with(title));
    parts.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_no_says_by_how_much_and_exits_with_1() {
    let output = patients().run(&format!("{ASK} --k 2 --distinct-l 2"));
    assert_eq!((output.code, output.stderr.as_str()), (1, ""));
    assert_snapshot!(section(&output.stdout, "Asked for"), @r"
    Asked for
      k-anonymity                      k = 2  does not hold: 2 of 4 classes break it, with 2 rows (33.3 %)
      distinct-l-diversity of disease  l = 2  does not hold: 3 of 4 classes break it, with 4 rows (66.7 %)
      answer: no
    ");
}

#[test]
fn a_yes_says_so() {
    let output = patients().run("diagnose t.csv --quasi sex --k 2");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_snapshot!(section(&output.stdout, "Asked for"), @r"
    Asked for
      k-anonymity  k = 2  holds
      answer: yes
    ");
}

#[test]
fn borders_read_as_lists_of_columns() {
    let output = table().run("diagnose t.csv --quasi V,W,X --subsets --k 2");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let found = output.stdout.split("\nNot promised").next().unwrap_or_default();
    assert_snapshot!(found, @r"
    2 of 12 people can be singled out by these 3 columns

    t.csv: 12 rows, quasi-identifiers V, W, X

    Levels
      k-anonymity  k = 1   2 people (16.7 %) are unique: anybody who knows these columns finds their row
      classes      6       a row shares its columns with 1.33 others on average
      separation   0.8788  of all pairs of people, 87.9 % differ in at least one of these columns

    Risk of being linked
      prosecutor, highest  100 %  against somebody who knows that the person is in the table
      prosecutor, mean      50 %  the same, on average over all rows
      above 1/5            100 %  12 rows in classes of fewer than 5
      above 1/10           100 %  12 rows in classes of fewer than 10
      above 1/20           100 %  12 rows in classes of fewer than 20

    Which sets of columns keep k-anonymity with k = 2

    Largest safe sets (2)
      V, W
      V, X

    Smallest unsafe sets (1)
      W, X

    7 sets tested (smallest sets first)
    ");
}

#[test]
fn suppression_reads_as_rows_and_shares() {
    let found = |flags: &str| {
        let output = table().run(&format!("diagnose t.csv --quasi V,W,X {flags}"));
        assert!(output.code < 2 && output.stderr.is_empty(), "{output}");
        section(&output.stdout, "With suppression")
    };
    assert_snapshot!(found("--suppress 0.2"), @r"
    With suppression
      at most 20 % may be dropped: 2 rows
      dropping 2 rows (16.7 %) gives k = 2
    ");
    assert_snapshot!(found("--suppress 1"), @r"
    With suppression
      at most 100 % may be dropped: 12 rows
      every row may be dropped: nothing is left
    ");
    assert_snapshot!(found("--find-suppression --k 3"), @r"
    With suppression
      6 rows (50 %) must be dropped for k = 3
    ");
    assert_snapshot!(found("--find-suppression"), @r"
    With suppression
               k  rows dropped
               1             0  (0.0 %)
               2             2  (16.7 %)
               3             6  (50.0 %)
      any k above 3: nothing would be left
    ");
}

#[test]
fn a_question_about_suppression_is_answered_first() {
    let of = |quasi: &str, flags: &str| {
        let output = table().run(&format!("diagnose t.csv --quasi {quasi} {flags}"));
        assert!(output.code < 2 && output.stderr.is_empty(), "{output}");
        output.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let first = |flags: &str| of("V,W,X", flags);
    assert_eq!(first("--k 3 --find-suppression"), "6 of 12 rows (50 %) must be dropped for k = 3");
    assert_eq!(of("V", "--k 6 --find-suppression"), "No row must be dropped for k = 6");
    assert_eq!(
        first("--k 9 --find-suppression"),
        "Every row must be dropped for k = 9: nothing would be left"
    );
    assert_eq!(
        first("--k 3 --suppress 0.2"),
        "k = 3 with at most 20 % of the rows dropped: no, 6 rows must be dropped, and only 2 may be"
    );
    // Without a k there is no one answer.
    assert_eq!(first("--find-suppression"), first(""));
    let folder = table();
    folder.run("diagnose t.csv --quasi V,W,X --k 3 --find-suppression --report r.html");
    let page = folder.text("r.html").unwrap_or_default();
    assert!(page.contains("<h1>6 of 12 rows (50 %) must be dropped for k = 3</h1>"));
}

#[test]
fn subsets_read_as_a_list() {
    let output = table().run("diagnose t.csv --quasi V,W --subsets");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_snapshot!(section(&output.stdout, "Subsets"), @r"
    Subsets (4)
      (none): k = 12
      V: k = 6
      W: k = 5
      V, W: k = 2
    ");
}

#[test]
fn flags_and_the_plan_they_print_give_the_same_answer() {
    let folder = patients().and("disease.csv", "flu;a;*\ncold;a;*\nSECRETCELL;b;*\n");
    let flags = "--quasi age,sex,zip --sensitive disease --type zip=text --taxonomy zip=mask \
                 --taxonomy disease=disease.csv --missing NA,-";
    let plan = folder.run(&format!("diagnose t.csv {flags} --print-plan"));
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    assert_snapshot!(plan.stdout, @r#"
    input = "t.csv"

    [read]
    missing = ["NA", "-"]

    [attributes.age]
    role = "quasi"

    [attributes.disease]
    role = "sensitive"
    taxonomy = "disease.csv"

    [attributes.sex]
    role = "quasi"

    [attributes.zip]
    role = "quasi"
    type = "text"
    taxonomy = "mask"
    "#);
    let expected = folder.run(&format!("diagnose t.csv {flags} --format json"));
    let folder = folder.and("plan.toml", &plan.stdout);
    let found = folder.run("diagnose plan.toml --format json");
    assert_eq!((found.code, &found.stdout), (0, &expected.stdout));
    assert_eq!(folder.run("diagnose plan.toml --print-plan").stdout, plan.stdout);
}

#[test]
fn a_taxonomy_flag_in_toml_survives_the_printed_plan() {
    let folder = patients();
    let more = ["--taxonomy", "age={ widths = [5, 10] }", "--print-plan"];
    let plan = folder.run_with("diagnose t.csv --quasi age", &more);
    assert_snapshot!(plan, @r#"
    exit 0
    --- stdout
    input = "t.csv"

    [attributes.age]
    role = "quasi"

    [attributes.age.taxonomy]
    widths = [5, 10]
    "#);
    assert_eq!(folder.and("plan.toml", plan.stdout).run("diagnose plan.toml").code, 0);
}

#[test]
fn a_star_is_every_column_that_is_not_sensitive() {
    let folder = patients();
    let star = folder.run_with("diagnose t.csv --sensitive disease --format json --quasi", &["*"]);
    assert_eq!(star.stdout, folder.run(&format!("{ASK} --format json")).stdout);
    let plan = folder.run_with("diagnose t.csv --sensitive disease --print-plan --quasi", &["*"]);
    let folder = folder.and("plan.toml", &plan.stdout);
    assert_eq!(folder.run("diagnose plan.toml --format json").stdout, star.stdout);
}

#[test]
fn flags_replace_the_roles_of_a_plan() {
    let plan =
        "input = 't.csv'\n[attributes]\nage = 'quasi'\nzip = 'quasi'\ndisease = 'sensitive'\n";
    let folder = patients().and("plan.toml", plan);
    let answer = folder.json("diagnose plan.toml --quasi sex");
    assert_eq!(answer["quasi"], serde_json::json!(["sex"]));
    assert_eq!(answer["sensitive"][0]["attribute"], "disease");
}

/// A plan with a goal of each kind that no flag asks for, and its table.
fn with_other_goals() -> Folder {
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\n\
        disease = { role = 'sensitive', taxonomy = { tree = { viral = ['flu', 'HIV'], other = ['gout'] } } }\n\
        [goal]\n\
        alpha-k-anonymity = { alpha = 0.3, k = 2, values = ['plague'], attribute = 'disease' }\n\
        personalized-privacy = { p = 0.5, attribute = 'disease', guards = { HIV = 'viral' } }\n\
        lkc-privacy = { l = 1, k = 2, c = 0.5, attribute = 'disease' }\n\
        basic-beta-likeness = { beta = 0.5 }\n\
        delta-presence = { min = 0, max = 0.5, public = 'people.csv' }\n";
    let table = "age,disease\n30,flu\n30,HIV\n30,gout\n50,flu\n50,gout\n";
    Folder::with(&[("t.csv", table), ("plan.toml", plan)])
}

#[test]
fn goals_that_no_flag_asks_for_are_judged_and_what_is_odd_is_said() {
    let output = with_other_goals().run("diagnose plan.toml --format json");
    assert_eq!(output.code, 0, "{output}");
    assert!(
        output.stderr.contains("the goal names `plague`, which does not occur in column `disease`"),
        "{output}"
    );
    let answer = output.json();
    let goals = answer["goal"].as_array().cloned().unwrap_or_default();
    let said: Vec<String> = goals
        .iter()
        .map(|goal| format!("{} with {}: {}", goal["model"], goal["parameters"], goal["holds"]))
        .collect();
    assert_snapshot!(said.join("\n"), @r#"
    "alpha-k-anonymity" with "alpha = 0.3, k = 2, 1 value": true
    "lkc-privacy" with "l = 1, k = 2, c = 0.5, every value": true
    "personalized-privacy" with "p = 0.5, 1 value guarded": false
    "basic-beta-likeness" with "beta = 0.5": false
    "#);
    assert_eq!(answer["left_out"][0], "`delta-presence` of the goal was not judged");
}

#[test]
fn a_goal_without_a_statement_says_so_in_the_sql() {
    let output = with_other_goals().run("diagnose plan.toml --sql postgres --quiet");
    assert_eq!(output.code, 0, "{output}");
    for id in ["alpha-k-anonymity", "basic-beta-likeness", "delta-presence"] {
        let line = format!("-- `{id}` has no SQL yet: ask kohort without --sql\n");
        assert!(output.stdout.contains(&line), "{output}");
    }
}

#[test]
fn columns_that_a_plan_does_not_name_fail_where_they_must_not_be() {
    let plan = "input = 't.csv'\n[attributes]\nsex = 'quasi'\n";
    let folder = patients().and("plan.toml", plan);
    assert_eq!(folder.run("diagnose plan.toml").code, 0);
    let output = folder.run("diagnose plan.toml --fail-on-new-columns");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stderr.contains("columns without a role are not looked at"), "{output}");
    let header = PATIENTS.lines().next().unwrap_or_default();
    let roles = header.split(',').map(|name| format!("{name} = 'insensitive'\n"));
    let roles = roles.collect::<String>().replace("sex = 'insensitive'", "sex = 'quasi'");
    let folder = folder.and("whole.toml", format!("input = 't.csv'\n[attributes]\n{roles}"));
    assert_eq!(folder.run("diagnose whole.toml --fail-on-new-columns").code, 0);
    assert_eq!(folder.run("diagnose t.csv --quasi sex --fail-on-new-columns").code, 2);
}

#[test]
fn a_database_counts_what_its_rows_say() {
    let folder = patients();
    let file = rusqlite::Connection::open(folder.path("ward.db"));
    let file = file.expect("a new file");
    let header = PATIENTS.lines().next().unwrap_or_default();
    file.execute_batch(&format!("CREATE TABLE t ({header})")).expect("a table");
    for line in PATIENTS.lines().skip(1) {
        let cells = line.split(',').map(|cell| format!("'{cell}'")).collect::<Vec<_>>().join(", ");
        file.execute_batch(&format!("INSERT INTO t VALUES ({cells})")).expect("a row");
    }
    let asked = "--quasi age,sex,zip --sensitive disease --k 2 --format json";
    let local = folder.run(&format!("diagnose sqlite:ward.db#t {asked}"));
    let counted = folder.run(&format!("diagnose sqlite:ward.db#t {asked} --in-place"));
    assert_eq!(counted.code, local.code, "{counted}");
    let (local, counted) = (local.json(), counted.json());
    for field in ["table", "k", "class_sizes", "risk", "goal", "holds", "asked"] {
        assert_eq!(counted[field], local[field], "{field}");
    }
    let refused = folder.run("diagnose t.csv --quasi age --in-place");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("there is no database to count in"), "{refused}");
}

#[test]
fn a_goal_of_a_plan_is_judged() {
    let plan = "input = 't.csv'\n[attributes]\nsex = 'quasi'\ndisease = 'sensitive'\n\
                [goal]\nk-anonymity = 2\ndistinct-l-diversity = 3\n";
    let answer = patients().and("plan.toml", plan).json("diagnose plan.toml");
    let held: Vec<String> = (0..2)
        .map(|i| format!("{} {}", answer["goal"][i]["model"], answer["goal"][i]["holds"]))
        .collect();
    assert_eq!(held, ["\"k-anonymity\" true", "\"distinct-l-diversity\" false"]);
}

#[test]
fn standard_input_and_other_separators_give_the_same_levels() {
    let folder = patients().and("semicolons.csv", PATIENTS.replace(',', ";"));
    let ask = "--quasi age,sex,zip --sensitive disease --format json";
    let mut expected = folder.run(&format!("diagnose t.csv {ask}")).json();
    let mut piped = folder.pipe(&format!("diagnose - {ask}"), PATIENTS).json();
    let mut other = folder.run(&format!("diagnose semicolons.csv {ask}")).json();
    for answer in [&mut expected, &mut piped, &mut other] {
        answer["table"].take();
    }
    assert_eq!(piped, expected);
    assert_eq!(other, expected);
}

#[test]
fn sql_is_printed_for_every_engine_without_a_cell() {
    for engine in ["postgres", "datafusion", "sqlite", "duckdb", "spark"] {
        let output = patients().run(&format!("{ASK} --k 2 --sql {engine}"));
        assert_eq!((output.code, output.stderr.as_str()), (0, ""));
        let quote = |text: &str| text.replace('|', if engine == "spark" { "`" } else { "\"" });
        assert!(output.stdout.contains(&quote("GROUP BY |age|, |sex|, |zip|")), "{output}");
        let from = if engine == "sqlite" { "FROM main.|t|" } else { "FROM |t|" };
        assert!(output.stdout.contains(&quote(from)), "{output}");
        let statements = output.stdout.lines().filter(|line| line.ends_with(';')).count();
        assert!(statements > 5, "{output}");
    }
}

#[test]
fn an_unknown_engine_is_refused() {
    assert_snapshot!(patients().refused(&format!("{ASK} --sql oracle")), @r"
    error: invalid value 'oracle' for '--sql <postgres|datafusion|sqlite|duckdb|spark>': expected `postgres`, `datafusion`, `sqlite`, `duckdb` or `spark`

    For more information, try '--help'.
    ");
}

#[test]
fn a_report_is_one_file_without_a_cell() {
    let folder = patients();
    let output = folder.run(&format!("{ASK} --report report.html"));
    assert_eq!(output.code, 0);
    assert_eq!(output.stderr, "note: report written to report.html\n");
    let report = folder.text("report.html").unwrap_or_default();
    assert!(report.starts_with("<!doctype html>") && report.trim_end().ends_with("</html>"));
    for never in [SECRET, "10115", "http://", "https://", "<script src", "<link"] {
        assert!(!report.replace("http://www.w3.org", "").contains(never), "{never}");
    }
    assert_eq!(folder.names(), ["report.html", "t.csv"]);
}

#[test]
fn a_report_changes_the_written_answer_by_its_borders_only() {
    let folder = patients();
    let plain = folder.json(ASK);
    let with = folder.json(&format!("{ASK} --report report.html"));
    for (field, value) in plain.as_object().into_iter().flatten() {
        assert_eq!(with.get(field), Some(value), "{field}");
    }
}

#[test]
fn a_report_in_a_folder_that_is_not_there_is_an_error() {
    let output = patients().run(&format!("{ASK} --report none/report.html"));
    assert_eq!(output.code, 2);
    assert_snapshot!(output.stderr, @r"
    error: none/report.html: cannot be written
      caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn a_report_is_written_for_every_kind_of_question() {
    for flags in [
        "--k 2",
        "--subsets",
        "--subsets --k 2",
        "--suppress 0.2",
        "--find-suppression",
        "--find-suppression --k 3",
        "--subsets --find-suppression",
        "--subsets --suppress 0.2 --k 2",
    ] {
        let folder = table();
        let ask = "diagnose t.csv --quasi V,W,X --sensitive s --report r.html";
        let output = folder.run(&format!("{ask} {flags}"));
        assert!(output.code < 2, "{flags}\n{output}");
        assert!(folder.text("r.html").is_some(), "{flags}");
    }
}

#[test]
fn quiet_silences_notes_and_nothing_else() {
    let folder = patients();
    let loud = folder.run(&format!("{ASK} --report a.html"));
    let quiet = folder.run(&format!("{ASK} --report b.html --quiet"));
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &loud.stdout));
    assert!(folder.refused("diagnose none.csv --quasi a --quiet").starts_with("error: none.csv"));
}

#[test]
fn show_values_shows_no_cell_in_an_answer() {
    let output = patients().run(&format!("{ASK} --show-values"));
    assert_eq!(output.code, 0);
    assert!(!output.stdout.contains(SECRET));
}

#[test]
fn one_row_has_levels_too() {
    let answer = Folder::with(&[("t.csv", "age,disease\n39,flu\n")])
        .json("diagnose t.csv --quasi age --sensitive disease");
    assert_eq!((&answer["k"], &answer["separation_ratio"]), (&1.into(), &serde_json::Value::Null));
}

#[test]
fn missing_cells_are_a_value_of_their_own() {
    let folder = Folder::with(&[("t.csv", "age,sex\n39,F\n39,F\n,F\nNA,F\n")]);
    let answer = folder.json("diagnose t.csv --quasi age,sex");
    assert_eq!((&answer["k"], &answer["classes"]), (&2.into(), &2.into()));
}

#[test]
fn a_size_limit_says_what_was_left_out() {
    let answer = table().json("diagnose t.csv --quasi V,W,X,Y,Z --subsets --k 2 --max-size 1");
    assert_eq!((&answer["complete"], &answer["complete_to"]), (&false.into(), &1.into()));
    assert_snapshot!(answer["left_out"][0].as_str().unwrap_or_default(), @"sets of more than 1 attributes were not all tested: larger smallest unsafe sets may be missing, and safe sets that are listed may have safe supersets");
}

#[test]
fn no_time_says_what_was_left_out() {
    let ask = "diagnose t.csv --quasi V,W,X,Y,Z --subsets --budget 0s";
    let every = table().json(ask);
    assert_snapshot!(every["left_out"][0].as_str().unwrap_or_default(), @"31 of 32 subsets: the time was up");
    let borders = table().json(&format!("{ask} --k 2"));
    assert_eq!(borders["complete"], false);
}

#[test]
fn a_report_never_overwrites_what_is_read() {
    let plan = "input = 't.csv'\n[attributes]\nage = 'quasi'\n";
    let folder = patients().and("plan.toml", plan).and("public.csv", PATIENTS);
    assert_snapshot!(folder.refused(&format!("{ASK} --report t.csv")), @r"
    error: t.csv is an input of this command, and inputs are not overwritten

    hint: name another file
    ");
    folder.refused("diagnose plan.toml --report plan.toml");
    folder.refused("diagnose plan.toml --report ./t.csv");
    folder.refused("diagnose plan.toml --public public.csv --report public.csv");
    assert_eq!(folder.text("t.csv").as_deref(), Some(PATIENTS));
}

#[test]
fn chosen_values_need_no_column_when_the_plan_has_one_sensitive_one() {
    let plan = "input = 't.csv'\n[attributes]\nsex = 'quasi'\ndisease = 'sensitive'\n";
    let answer = patients().and("plan.toml", plan).json("diagnose plan.toml --values flu");
    assert_eq!(answer["sensitive"][0]["alpha"], serde_json::json!({"num": 1, "den": 2}));
}

#[test]
fn a_value_that_holds_an_equals_sign_is_given_with_its_column() {
    let folder = Folder::with(&[("t.csv", "a,b\n1,x=1\n1,y\n")]);
    let answer = folder.json("diagnose t.csv --quasi a --sensitive b --values b=x=1");
    assert_eq!(answer["sensitive"][0]["alpha_value"], 0.5);
}

#[test]
fn more_columns_than_a_set_can_hold_still_have_levels() {
    let line = |cell: &dyn Fn(usize) -> String| (0..70).map(cell).collect::<Vec<_>>().join(",");
    let row = line(&|_| "1".to_owned());
    let text = format!("{}\n{row}\n{row}\n", line(&|i| format!("c{i}")));
    let folder = Folder::with(&[("t.csv", &text)]);
    let answer = folder.run_with("diagnose t.csv --format json --quasi", &["*"]).json();
    assert_eq!(answer["k"], 2);
    assert_snapshot!(answer["left_out"][0].as_str().unwrap_or_default(), @"unique rows and borders were not searched: that takes at most 64 quasi-identifiers");
}

const PLAN: &str = "input = 't.csv'\n[attributes]\nsex = 'quasi'\nage = 'insensitive'\n\
                    zip = 'insensitive'\ndisease = 'sensitive'\n";

#[test]
fn the_printed_plan_has_the_levels_asked_for_as_its_goal() {
    let flags = "--k 5 --distinct-l 2 --frequency-l 2.5 --entropy-l 1.5 --recursive 3,2 --t 0.2 \
                 --distance equal --suppress 2%";
    let plan = patients().run(&format!("{ASK} {flags} --print-plan"));
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    let (_, goal) = plan.stdout.split_once("[goal]").expect("there is a goal");
    assert_snapshot!(goal, @r#"
    k-anonymity = 5
    distinct-l-diversity = 2
    frequency-l-diversity = 2.5
    entropy-l-diversity = 1.5
    suppression = 0.02

    [goal.recursive-cl-diversity]
    c = 3
    l = 2

    [goal.t-closeness]
    t = 0.2
    distance = "equal"
    "#);
    let output = patients().and("plan.toml", &plan.stdout).run("diagnose plan.toml");
    assert_eq!(output.code, 0, "{output}");
}

#[test]
fn flags_are_merged_over_the_goal_of_the_plan() {
    let goal = "[goal]\nk-anonymity = 2\nentropy-l-diversity = 1.5\nsuppression = 0.02\n";
    let folder = patients().and("plan.toml", format!("{PLAN}{goal}"));
    let plan = folder.run("diagnose plan.toml --k 3 --suppress 0.1 --print-plan").stdout;
    let (_, goal) = plan.split_once("[goal]").expect("there is a goal");
    assert_snapshot!(goal, @r"
    k-anonymity = 3
    entropy-l-diversity = 1.5
    suppression = 0.1
    ");
}

#[test]
fn a_level_that_no_plan_can_hold_is_not_printed() {
    assert_snapshot!(patients().refused(&format!("{ASK} --k 1 --print-plan")), @r"
    error: `k-anonymity` must be a whole number of at least 2, but is 1

    hint: ask for a level that a plan can hold
    ");
    patients().refused("diagnose t.csv --quasi agee --print-plan");
}

#[test]
fn columns_without_a_role_in_a_plan_are_pointed_out() {
    let plan = "input = 't.csv'\n[attributes]\nsex = 'quasi'\ndisease = 'sensitive'\n";
    let folder = patients().and("plan.toml", plan);
    assert_snapshot!(folder.run("diagnose plan.toml").stderr, @"note: columns without a role are not looked at: `age`, `zip`");
    assert_eq!(folder.run("diagnose t.csv --quasi sex").stderr, "");
    assert_eq!(folder.and("plan.toml", PLAN).run("diagnose plan.toml").stderr, "");
}

#[test]
fn a_goal_that_is_asked_for_too_is_judged_once() {
    let goal = "[goal]\nk-anonymity = 4\n\
                distinct-l-diversity = [{ l = 2, attribute = 'disease' }, 3]\n";
    let folder = patients().and("plan.toml", format!("{PLAN}{goal}"));
    let judged = |flags: &str| {
        let answer = folder.json(&format!("diagnose plan.toml {flags}"));
        let goal = answer["goal"].as_array().cloned().unwrap_or_default();
        let item = |item: &serde_json::Value| item["parameters"].as_str().map(str::to_owned);
        goal.iter().filter_map(item).collect::<Vec<_>>()
    };
    assert_eq!(judged(""), ["k = 4", "l = 2", "l = 3"]);
    assert_eq!(judged("--k 4"), ["k = 4", "l = 2", "l = 3"]);
    assert_eq!(judged("--distinct-l 2"), ["l = 2", "k = 4", "l = 3"]);
    assert_eq!(judged("--k 3"), ["k = 3", "k = 4", "l = 2", "l = 3"]);
}

#[test]
fn only_a_level_that_a_flag_asks_for_can_be_answered_with_no() {
    let folder = patients().and("plan.toml", format!("{PLAN}[goal]\nk-anonymity = 4\n"));
    assert_eq!(folder.run("diagnose plan.toml").code, 0);
    assert_eq!(folder.run("diagnose plan.toml --k 2").code, 0);
    assert_eq!(folder.run("diagnose plan.toml --k 4").code, 1);
}

#[test]
fn a_report_keeps_the_taxonomies_of_a_plan_and_the_files_of_others() {
    let plan = PLAN.replace("'sensitive'", "{ role = 'sensitive', taxonomy = 'd.csv' }");
    let folder = patients()
        .and("plans/plan.toml", plan.replace("'t.csv'", "'../t.csv'"))
        .and("plans/d.csv", "flu;a;*\ncold;a;*\nSECRETCELL;b;*\n")
        .and("notes.html", "<!doctype html>\n<p>mine</p>\n")
        .and("empty.html", "");
    let ask = "diagnose plans/plan.toml --report";
    let said = folder.refused(&format!("{ask} plans/d.csv"));
    assert!(said.starts_with("error: plans/d.csv is an input of this command"), "{said}");
    assert_eq!(said, folder.refused(&format!("{ask} plans/d.csv --force")));
    assert_snapshot!(folder.refused(&format!("{ask} notes.html")), @r"
    error: notes.html already exists and is not a kohort report

    hint: name another file, or overwrite it with `--force`
    ");
    assert!(folder.text("notes.html").is_some_and(|text| text.contains("mine")));
    for file in ["notes.html --force", "notes.html", "empty.html", "empty.html", "new.html"] {
        assert_eq!(folder.run(&format!("{ask} {file}")).code, 0, "{file}");
    }
}

#[test]
fn names_are_trimmed_and_may_hold_commas() {
    let table = "\"name, first\",age,sex\nAda,39,F\nBen,39,F\n";
    let folder = Folder::with(&[("t.csv", table)]);
    let quasi = |texts: &[&str]| {
        let more: Vec<&str> = texts.iter().flat_map(|text| ["--quasi", text]).collect();
        let output = folder.run_with("diagnose t.csv --format json", &more);
        assert_eq!(output.code, 0, "{output}");
        output.json()["quasi"].to_string()
    };
    assert_eq!(quasi(&[" age , sex "]), r#"["age","sex"]"#);
    assert_eq!(quasi(&["name, first"]), r#"["name, first"]"#);
    assert_eq!(quasi(&[" name, first ", "sex"]), r#"["name, first","sex"]"#);
    assert_eq!(quasi(&[r"sex, name\, first"]), r#"["name, first","sex"]"#);
}

#[test]
fn chosen_values_are_trimmed() {
    let folder = patients();
    let alpha = |values: &str| {
        let output = folder.run_with(&format!("{ASK} --format json --values"), &[values]);
        output.json()["sensitive"][0]["alpha_value"].clone()
    };
    assert_eq!(alpha("disease=flu, cold"), alpha("disease=flu,cold"));
    assert_eq!(alpha(" disease = flu"), alpha("flu"));
    assert!(alpha("flu").is_number());
}

#[test]
fn a_share_may_be_a_percentage() {
    let share =
        |share: &str| table().run(&format!("diagnose t.csv --quasi V,W,X --suppress {share}"));
    assert_eq!(share("20%").stdout, share("0.2").stdout);
}

#[test]
fn a_report_of_many_columns_leaves_out_what_cannot_be_drawn() {
    let line = |cell: &dyn Fn(usize) -> String| (0..70).map(cell).collect::<Vec<_>>().join(",");
    let row = line(&|_| "1".to_owned());
    let text = format!("{}\n{row}\n{row}\n", line(&|i| format!("c{i}")));
    let folder = Folder::with(&[("t.csv", &text)]);
    let output = folder.run_with("diagnose t.csv --report r.html --quasi", &["*"]);
    assert_eq!(output.code, 0, "{output}");
    assert!(folder.text("r.html").is_some());
}

#[test]
fn the_budget_does_not_run_while_the_table_is_read() {
    use std::io::Write;
    let folder = table();
    let mut command = folder.command("diagnose - --quasi V,W,X --subsets --budget 1s");
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    std::thread::sleep(std::time::Duration::from_millis(1200));
    input.write_all(b"V,W,X\n1,1,1\n1,1,2\n").expect("the table is read");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Subsets (8)"));
}
