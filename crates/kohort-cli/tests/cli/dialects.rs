//! How a release is written: a judge does not guess, and what reads in two ways is refused.

use crate::harness::Folder;

const PLAN: &str = "[attributes]\nage = \"quasi\"\ndis = \"sensitive\"\nnote = \"insensitive\"\n[goal]\n\
                    k-anonymity = 2\n";

/// Eight rows of which six are unique, or two rows of one class to a reader that takes apostrophes for
/// quotes.
const SWALLOWED: &str = "age,dis,note\n1,flu,'\n7,HIV,c\n8,HIV,d\n1,gout,'\n1,gout,'\n9,HIV,e\n10,HIV,f\n\
                         1,flu,'\n";

#[test]
fn rows_cannot_be_hidden_from_the_judge_by_a_quote() {
    let folder = Folder::with(&[("p.toml", PLAN), ("r.csv", SWALLOWED)]);
    for ask in ["verify r.csv --plan p.toml", "attack r.csv --plan p.toml"] {
        let said = folder.refused(ask);
        assert!(said.contains("has 8 rows of 3 cells"), "{said}");
        assert!(said.contains("but 2 rows of 3 cells"), "{said}");
        assert!(said.contains("`--quote`"), "{said}");
    }
    let judged = |quote: &str| folder.json(&format!("verify r.csv --plan p.toml --quote {quote}"));
    assert_eq!((&judged("\"")["rows"], &judged("\"")["verified"]), (&8.into(), &false.into()));
    assert_eq!(judged("'")["rows"], 2);
    folder.put("q.toml", format!("{PLAN}[read]\nquote = '\"'\n"));
    assert_eq!(folder.json("verify r.csv --plan q.toml")["rows"], 8);
}

#[test]
fn rows_that_a_quote_would_swallow_are_an_error_on_input() {
    let plan = format!("input = \"t.csv\"\n{PLAN}");
    let folder = Folder::with(&[("p.toml", &plan), ("t.csv", SWALLOWED)]);
    for ask in ["inspect t.csv", "diagnose p.toml", "anonymize p.toml -o r.csv"] {
        assert!(folder.refused(ask).contains("`--quote`"));
    }
    assert_eq!(folder.run("diagnose p.toml --quote \" --k 2").code, 1);
}

#[test]
fn another_separator_is_said_or_planned_and_never_guessed() {
    let release = "age;dis;note\n1;flu;a\n1;gout;b\n";
    let folder = Folder::with(&[("p.toml", PLAN), ("r.csv", release)]);
    let said = folder.refused("verify r.csv --plan p.toml");
    assert!(said.contains("`--separator`"), "{said}");
    assert!(folder.refused("attack r.csv --plan p.toml").contains("`--separator`"));
    assert_eq!(folder.json("verify r.csv --plan p.toml --separator ;")["rows"], 2);
    folder.put("q.toml", format!("{PLAN}[read]\nseparator = \";\"\n"));
    assert_eq!(folder.json("verify r.csv --plan q.toml")["rows"], 2);
    assert!(folder.run("attack r.csv --plan q.toml").code < 2);
    // Two columns by either.
    folder.put("r.csv", "age,dis;note\n1,flu;a\n1,gout;b\n");
    assert!(folder.refused("verify r.csv --plan p.toml").contains("`--separator`"));
}

#[test]
fn what_kohort_writes_is_read_under_a_plan_whose_input_is_written_otherwise() {
    let rows = "21;flu;1\n29;cold;2\n30;flu;3\n38;gout;4\n55;'a;b';5\n66;cold;6\n";
    let named = |read: &str| format!("input = \"t.csv\"\n{PLAN}[read]\n{read}");
    let unnamed = named("header = false\nseparator = \";\"\nquote = \"'\"\n")
        .replace("age =", "column1 =")
        .replace("dis =", "column2 =")
        .replace("note =", "column3 =");
    let inputs = [
        (named("separator = \";\"\nquote = \"'\"\n"), format!("age;dis;note\n{rows}")),
        (
            named("separator = \";\"\nskip-lines = 1\n"),
            format!("title\nage;dis;note\n{}", rows.replace('\'', "\"")),
        ),
        (unnamed, rows.to_owned()),
    ];
    for (plan, input) in inputs {
        let folder = Folder::with(&[("p.toml", &plan), ("t.csv", &input)]);
        let output = folder.run("anonymize p.toml -o r.csv");
        assert_eq!(output.code, 0, "{plan}{output}");
        let output = folder.run("verify r.csv --plan p.toml --original t.csv");
        assert_eq!(output.code, 0, "{plan}{output}");
        assert!(folder.run("attack r.csv --plan p.toml --original t.csv").code < 2);
    }
}
