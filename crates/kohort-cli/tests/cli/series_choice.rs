//! Which method is taken for what changed and what is given, and what is said where less or nothing is promised.

use serde_json::Value;

use crate::harness::Folder;
use crate::series::{DISEASES, KEY, folder, number, people, publish};

fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().expect("a list").iter();
    notes.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

fn three_tables() -> Folder {
    folder()
        .and("1.csv", people(0..40, &DISEASES))
        .and("2.csv", people(0..60, &DISEASES))
        .and("3.csv", people(5..60, &DISEASES))
}

#[test]
fn of_the_methods_for_what_changed_the_one_is_taken_whose_parameters_are_given() {
    let folder = three_tables();
    for (flags, method) in [
        ("--m 2 --e 2", "e-equivalence"),
        ("--k 3", "bcf-anonymity"),
        ("--l 2 --horizon 2", "global-guarantee"),
        ("--m 2 --k 3 --l 3 --horizon 4", "m-invariance"),
    ] {
        let more = format!("{flags} --series {method} -o {method}-{{release}}.csv");
        for table in ["1.csv", "2.csv"] {
            let answer = publish(&folder, table, &more);
            assert_eq!((&answer["method"], &answer["verified"]), (&method.into(), &true.into()));
            let unused = notes(&answer).contains("given, and not used by `m-invariance`: `k` (a");
            assert_eq!(unused, method == "m-invariance", "{answer}");
        }
    }
}

#[test]
fn a_missing_parameter_says_which_method_was_picked_and_why() {
    let folder = three_tables().and("4.csv", people(0..40, &["gout"]));
    let ask = |table: &str, more: &str| {
        folder.run(&format!("publish plan.toml --input {table} {KEY} {more}"))
    };
    let refused = |table: &str, more: &str, words: &[&str]| {
        let output = ask(table, more);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{more}\n{output}");
        assert!(words.iter().all(|word| output.stderr.contains(word)), "{words:?}\n{output}");
    };
    let picked = "it was picked because people joined and values did not change";
    let without =
        "`rho` is for `rho-different`, which does not apply: it needs to know how values follow";
    refused("1.csv", "--rho 0.5", &["`m-invariance` needs `m`", picked, "say `--m 3`", without]);
    publish(&folder, "1.csv", "--m 2");
    let so_far = "not `m-invariance` as before: it is for values that do not change";
    let needs = "`global-guarantee` needs `l` and `horizon`";
    refused("4.csv", "--m 2", &[needs, "sensitive values changed", so_far, "--l 3 --horizon 4"]);
    // The same after people left a series that they only joined.
    let bcf = "--series joined -o joined-{release}.csv --k 3";
    assert_eq!(publish(&folder, "2.csv", bcf)["method"], "bcf-anonymity");
    let left = "not `bcf-anonymity` as before: it is for series that people only join";
    refused("3.csv", bcf, &["`m-invariance` needs `m`", left]);
}

#[test]
fn less_than_was_promised_is_told() {
    let folder = three_tables();
    let page = "--report page.html --force";
    assert!(publish(&folder, "1.csv", "--m 3").get("promise_changed").is_none());
    let same = publish(&folder, "2.csv", "--m 3 --surplus counterfeits");
    assert!(same.get("promise_changed").is_none(), "{same}");
    let told = "less is promised than before: release 1 promised `m-invariance` (m = 3), and from here on \
                `m-invariance` (m = 2) holds, also for the people of that release";
    let third = publish(&folder, "2.csv", &format!("--m 2 {page}"));
    assert_eq!(third["promise_changed"], told);
    assert!(notes(&third).contains(told), "{third}");
    let html = folder.text("page.html").expect("a page");
    assert!(html.contains("Not as before.") && html.contains("(m = 2) holds"), "{html}");
    let text = folder.run(&format!("publish plan.toml --input 2.csv {KEY} --m 2")).stdout;
    assert!(text.contains(&format!("NOT AS BEFORE: {told}")), "{text}");
}

#[test]
fn e_adds_to_what_is_promised_and_without_it_less_is() {
    let folder = three_tables();
    let series = "--series e -o e-{release}.csv";
    let first = publish(&folder, "1.csv", &format!("{series} --m 2 --e 2"));
    let second = publish(&folder, "2.csv", &format!("{series} --m 2 --e 2"));
    assert_eq!((number(&second, "release"), second.get("promise_changed")), (2, None), "{first}");
    let third = publish(&folder, "2.csv", &format!("{series} --m 2 --method m-invariance"));
    let told = "release 1 promised `e-equivalence` (e = 2, m = 2), and from here on `m-invariance` (m = 2)";
    let found = third["promise_changed"].as_str().expect("less is promised");
    assert!(found.contains(told), "{found}");
}

#[test]
fn another_promise_is_told() {
    let folder =
        three_tables().and("4.csv", people(0..40, &["cold", "burn", "gout", "acne", "colic"]));
    publish(&folder, "1.csv", "--m 2");
    let second = publish(&folder, "4.csv", "--l 2 --horizon 3 --method global-guarantee");
    let told = second["promise_changed"].as_str().expect("it is another promise");
    for word in ["with `m-invariance` (m = 2)", "`global-guarantee` (horizon = 3, l = 2) is"] {
        assert!(told.contains(word), "{told}");
    }
}

#[test]
fn e_beside_an_m_invariant_series_says_what_was_kept() {
    let folder = three_tables().and("some.csv", people((0..40).filter(|n| n % 4 != 1), &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    publish(&folder, "some.csv", "--m 2");
    let text = folder.says_no(&format!("publish plan.toml --input 1.csv {KEY} --m 2 --e 2"), &[]);
    assert!(text.contains("does not keep the promise of `e-equivalence` (m = 2, e = 2)"), "{text}");
    assert!(text.contains("kept (m-invariance: m = 2, without `e`)"), "{text}");
    assert_eq!(number(&publish(&folder, "1.csv", "--m 2"), "release"), 3);
}

#[test]
fn another_series_is_suggested_with_what_it_costs() {
    let folder = three_tables();
    publish(&folder, "2.csv", "--method bcf-anonymity --k 3");
    let text = folder.says_no(&format!("publish plan.toml --input 3.csv {KEY} --m 5"), &[]);
    let cost = "begin another series with `--series`, at a cost: what was published of the same people in \
                this one is not looked at any more";
    assert!(text.contains(cost), "{text}");
}

#[test]
fn a_table_of_nobody_who_was_there_is_refused() {
    let folder = three_tables().and("others.csv", people(100..140, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    let ask = format!("publish plan.toml --input others.csv {KEY} --m 2");
    for more in ["", "--force"] {
        let text = folder.refused(&format!("{ask} {more}"));
        let told =
            "nobody of the release before is in the table, and all 40 keys are new to the series";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("--key") && text.contains("a series of their own"), "{text}");
    }
    let other = publish(&folder, "others.csv", "--m 2 --series other -o other.csv");
    assert_eq!(number(&other, "release"), 1);
    // One who was there is enough for a note.
    folder.put("some.csv", people((39..40).chain(100..140), &DISEASES));
    let second = publish(&folder, "some.csv", "--m 2");
    assert!(notes(&second).contains("40 of 41 keys are new to the series"), "{second}");
}
