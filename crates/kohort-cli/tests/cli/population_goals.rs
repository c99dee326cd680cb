//! Goals about all classes together, and about the population behind each class.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::harness::Folder;

/// The people of a made-up population; every fourth is in the table.
fn people() -> impl Iterator<Item = (u32, u32)> {
    (0..240_u32).map(|person| (20 + person * person % 41, person * 7 % 11))
}

fn folder(goal: &str) -> Folder {
    let mut population = String::from("age,shoe\n");
    let mut table = String::from("age,shoe,disease\n");
    for (number, (age, shoe)) in people().enumerate() {
        let _ = writeln!(population, "{age},{shoe}");
        if number % 4 == 0 {
            let _ = writeln!(table, "{age},{shoe},{}", ["flu", "cold", "gout"][number % 3]);
        }
    }
    let plan = format!(
        "input = 't.csv'\n[attributes]\nage = 'quasi'\nshoe = 'quasi'\ndisease = 'sensitive'\n[goal]\n\
         {goal}\n[output]\nrelease = 'r.csv'\n"
    );
    Folder::with(&[("population.csv", &population), ("t.csv", &table), ("plan.toml", &plan)])
}

/// A cell of numbers: the first and the last that it covers.
fn range(cell: &str) -> (u32, u32) {
    let number = |text: &str| text.trim().parse::<u32>().expect("a number");
    match cell.trim_matches(['[', ']']) {
        "*" => (0, u32::MAX),
        text => match text.split_once(',') {
            Some((first, last)) => (number(first), number(last)),
            None => (number(text), number(text)),
        },
    }
}

/// The classes of a release, with their sizes.
fn classes(release: &str) -> BTreeMap<(String, String), u64> {
    let mut classes = BTreeMap::new();
    for line in release.lines().skip(1) {
        let mut cells = Vec::new();
        let mut rest = line;
        while cells.len() < 2 {
            let (cell, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once("\",").expect("a quote ends"),
                None => rest.split_once(',').expect("a column follows"),
            };
            cells.push(cell.to_owned());
            rest = after;
        }
        *classes.entry((cells[0].clone(), cells[1].clone())).or_default() += 1;
    }
    classes
}

/// How many people of the population each class is like.
fn behind(classes: &BTreeMap<(String, String), u64>) -> Vec<usize> {
    let is_in = |cell: &str, value: u32| (range(cell).0..=range(cell).1).contains(&value);
    let like = |(age, shoe): &(String, String)| {
        people().filter(|person| is_in(age, person.0) && is_in(shoe, person.1)).count()
    };
    classes.keys().map(like).collect()
}

const ALGORITHMS: [&str; 5] = ["auto", "mondrian", "optimal", "k-member", "samarati"];

/// Makes a release with each algorithm, and looks at its classes.
fn each(goal: &str, is_kept: impl Fn(&BTreeMap<(String, String), u64>) -> bool) {
    let folder = folder(goal);
    for algorithm in ALGORITHMS {
        let receipt = folder.json(&format!("anonymize plan.toml --algorithm {algorithm}"));
        assert_eq!(receipt["verified"], true, "{algorithm} {receipt}");
        let release = folder.text("r.csv").expect("it was written");
        assert!(is_kept(&classes(&release)), "{algorithm}\n{release}");
        let verdict = folder.json("verify r.csv --plan plan.toml --original t.csv");
        assert_eq!(verdict["verified"], true, "{algorithm} {verdict}");
    }
    // The table as it is does not keep the goal.
    let output = folder.run("verify t.csv --plan plan.toml");
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stdout.contains("FAILS"), "{output}");
    let answer = folder.json("diagnose plan.toml");
    if !goal.contains("public") {
        assert_eq!(answer["goal"][0]["holds"], false, "{answer}");
    }
}

#[test]
fn the_average_risk_is_at_most_p() {
    each("average-risk = 0.25", |classes| {
        classes.len() as u64 * 4 <= classes.values().sum::<u64>()
    });
    // Some classes may be smaller than one over p: that is what k-anonymity would ask for.
    let folder = folder("average-risk = 0.1");
    assert_eq!(folder.run("anonymize plan.toml --algorithm mondrian").code, 0);
    let release = folder.text("r.csv").expect("it was written");
    assert!(classes(&release).len() <= 6, "{release}");
    assert!(classes(&release).values().any(|&size| size < 10), "{release}");
}

#[test]
fn few_rows_are_alone() {
    each("sample-uniqueness = 0.1", |classes| {
        let alone = classes.values().filter(|&&size| size == 1).count() as u64;
        alone * 10 <= classes.values().sum::<u64>()
    });
    // A table that keeps it as it is is published as it is.
    let folder = folder("sample-uniqueness = 1");
    assert_eq!(folder.run("anonymize plan.toml").code, 0);
    let n_classes = classes(&folder.text("r.csv").expect("it was written")).len();
    assert_eq!(n_classes, classes(&folder.text("t.csv").expect("it is there")).len());
}

#[test]
fn few_people_of_the_population_are_estimated_to_be_alone() {
    // The estimate itself is tested where it is made; here no row is alone, and so nobody is.
    each("population-uniqueness = { p = 0, sampling-fraction = 0.25 }", |classes| {
        classes.values().all(|&size| size > 1)
    });
}

#[test]
fn every_row_is_like_k_people_of_a_population_that_is_counted() {
    each("k-map = { k = 6, public = 'population.csv' }", |classes| {
        behind(classes).iter().all(|&people| people >= 6)
    });
    let folder = folder("k-map = { k = 6, public = 'population.csv' }");
    assert_eq!(folder.run("anonymize plan.toml --algorithm mondrian").code, 0);
    let release = folder.text("r.csv").expect("it was written");
    assert!(classes(&release).values().any(|&size| size < 6), "{release}");
    // One row less general, and a class is like fewer people.
    let narrow = release.lines().next().map(|head| format!("{head}\n20,0,flu\n"));
    folder.put("narrow.csv", narrow.expect("there is a header"));
    let text = folder.run("verify narrow.csv --plan plan.toml").stdout;
    assert!(text.contains("k-map, k = 6, public population.csv: FAILS in 1 of 1 class"), "{text}");
    // A table that lists too few people makes no release.
    folder.put("population.csv", "age,shoe\n20,0\n");
    assert_eq!(folder.run("anonymize plan.toml -o other.csv").code, 1);
}

#[test]
fn classes_are_large_enough_for_k_people_of_a_population_that_is_estimated() {
    // Binomial(19, 1/4): P(X ≥ 9) = 0.029 and P(X ≥ 8) = 0.077.
    each("k-map = { k = 20, sampling-fraction = 0.25 }", |classes| {
        classes.values().all(|&size| size >= 9)
    });
    let folder = folder("k-map = { k = 20, sampling-fraction = 0.25 }");
    let receipt = folder.json("anonymize plan.toml");
    assert_eq!(
        receipt["goal"][0]["parameters"],
        "k = 20, sampling fraction 0.25, significance 0.05"
    );
    assert!(receipt["k"].as_u64() < Some(20), "{receipt}");
    let text = folder.run("anonymize plan.toml --report r.html").stdout;
    assert!(text.contains("significance 0.05: holds (estimated)"), "{text}");
    let page = folder.text("r.html").expect("it was written");
    assert!(page.contains("estimated from the sampling fraction"), "{page}");
}

#[test]
fn goals_that_say_too_little_or_too_much_are_refused() {
    for goal in [
        "k-map = { k = 5 }",
        "k-map = { k = 5, public = 'population.csv', sampling-fraction = 0.1 }",
    ] {
        let text = folder(goal).refused("anonymize plan.toml");
        assert!(text.contains("`k-map` must have `public`, or `sampling-fraction`"), "{text}");
    }
    for (goal, told) in [
        ("average-risk = 0", "`average-risk` must be a share above 0, at most 1, but is 0"),
        ("sample-uniqueness = 2", "`sample-uniqueness` must be a share from 0 to 1, but is 2"),
        ("population-uniqueness = { p = 0.1 }", "missing field `sampling-fraction`"),
    ] {
        let text = folder(goal).refused("anonymize plan.toml");
        assert!(text.contains(told), "{text}");
    }
    let anatomized = folder("average-risk = 0.25").run("anonymize plan.toml --algorithm anatomy");
    assert_eq!(anatomized.code, 1, "{anatomized}");
}
