//! A table worked by hand: the numbers printed there, and every other subset against a plain
//! grouping of its twelve rows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::Folder;

/// `V W X Y Z s`.
pub(crate) const ROWS: [&str; 12] = [
    "a1pm01", "a1pm02", "a1pf13", "a1qf11", "a2qm02", "a2qm12", "b2qf13", "b2qf01", "b2pf01",
    "b1pm13", "b1pm12", "b1pf01",
];
const ALL: &str = "VWXYZ";
const ASK_ALL: &str = "diagnose t.csv --quasi V,W,X,Y,Z --sensitive s";

/// The table as CSV, with `prefix` before the sensitive value: with none it is a number.
pub(crate) fn csv<'a>(rows: impl IntoIterator<Item = &'a &'a str>, prefix: &str) -> String {
    let lines = rows.into_iter().map(|row| {
        let cells: Vec<String> = row.chars().map(String::from).collect();
        format!("{},{prefix}{}", cells[..5].join(","), cells[5])
    });
    let header = "V,W,X,Y,Z,s".to_owned();
    std::iter::once(header).chain(lines).collect::<Vec<_>>().join("\n") + "\n"
}

pub(crate) fn table() -> Folder {
    Folder::with(&[("t.csv", &csv(&ROWS, "s"))])
}

/// The sensitive values of each class of a set of columns.
fn classes(set: &str) -> Vec<String> {
    let mut classes: BTreeMap<String, String> = BTreeMap::new();
    for row in ROWS {
        let key = ALL.char_indices().filter(|(_, name)| set.contains(*name));
        let key = key.map(|(at, _)| &row[at..=at]).collect();
        *classes.entry(key).or_default() += &row[5..];
    }
    classes.into_values().collect()
}

fn k(set: &str) -> usize {
    classes(set).iter().map(String::len).min().unwrap_or(0)
}

/// The rows in classes smaller than k.
fn too_small(set: &str, k: usize) -> usize {
    classes(set).iter().map(String::len).filter(|&size| size < k).sum()
}

/// The k reached by dropping at most this many rows, with the rows it takes.
fn reached(set: &str, budget: usize) -> Option<(usize, usize)> {
    let k =
        (1..=12).rev().find(|&k| too_small(set, k) <= budget && too_small(set, k + 1) > budget)?;
    Some((k, too_small(set, k)))
}

fn curve(set: &str) -> Value {
    let mut sizes: Vec<usize> = classes(set).iter().map(String::len).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|k| json!({"k": k, "suppressed": too_small(set, k)})).collect()
}

/// How often each of s1, s2, s3 occurs in a class.
fn counts(class: &str) -> [usize; 3] {
    ["1", "2", "3"].map(|value| class.matches(value).count())
}

/// All 32 sets in the order of an answer: by size, then by name.
fn all_sets() -> Vec<String> {
    let set = |mask: usize| {
        ALL.char_indices().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, c)| c).collect()
    };
    let mut sets: Vec<String> = (0..32).map(set).collect();
    sets.sort_by_key(|set| (set.len(), set.clone()));
    sets
}

fn names(set: &str) -> Value {
    set.chars().map(String::from).collect()
}

/// Sets written as words, in the order of an answer.
fn sets(words: &str) -> Value {
    let mut sets: Vec<&str> = words.split_whitespace().collect();
    sets.sort_by_key(|set| (set.len(), *set));
    sets.into_iter().map(names).collect()
}

/// Asserts that an answer has the borders of a property, and that no set was tested in vain.
fn check_borders(flags: &str, holds: impl Fn(&str) -> bool) -> Value {
    let answer = table().json(&format!("{ASK_ALL} --subsets {flags}"));
    let is_within = |a: &str, b: &str| a != b && a.chars().all(|c| b.contains(c));
    let (safe, unsafe_): (Vec<String>, Vec<String>) =
        all_sets().into_iter().partition(|set| holds(set));
    let most = safe.iter().filter(|a| !safe.iter().any(|b| is_within(a, b)));
    let least = unsafe_.iter().filter(|a| !unsafe_.iter().any(|b| is_within(b, a)));
    let (most, least): (Vec<_>, Vec<_>) = (most.collect(), least.collect());
    let as_names = |sets: &[&String]| sets.iter().map(|set| names(set)).collect::<Value>();
    assert_eq!(answer["positive_border"], as_names(&most), "{flags}");
    assert_eq!(answer["negative_border"], as_names(&least), "{flags}");
    assert_eq!(answer["evaluated"], safe.len() + least.len(), "{flags}");
    assert_eq!(answer["complete"], true, "{flags}");
    answer
}

fn assert_near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() < 5e-6, "found {found}, expected {expected}");
}

#[test]
fn question_1_is_k_reached() {
    let table = table();
    let ask = |words: &str| {
        let output = table.run(&format!("diagnose t.csv {words} --format json"));
        (output.code, output.json()["holds"].clone())
    };
    assert_eq!(ask("--quasi V,W --k 2"), (0, json!(true)));
    assert_eq!(ask("--quasi V,W --k 3"), (1, json!(false)));
    assert_eq!(ask("--quasi V,Z --k 3"), (0, json!(true)));
    assert_eq!(ask("--quasi W,X --k 2"), (1, json!(false)));
}

#[test]
fn question_2_which_sets_reach_k() {
    let three = check_borders("--k 3", |set| k(set) >= 3);
    assert_eq!(three["positive_border"], sets("VZ YZ W X"));
    assert_eq!(three["negative_border"], sets("VW VX VY WX WY WZ XY XZ"));
    let two = check_borders("--k 2", |set| k(set) >= 2);
    assert_eq!(two["positive_border"], sets("VW VX VY VZ WY WZ XY XZ YZ"));
    assert_eq!(two["negative_border"], sets("WX VWY VWZ VXY VXZ VYZ WYZ XYZ"));
}

#[test]
fn question_2_when_no_set_or_every_set_is_safe() {
    let none = check_borders("--k 13", |_| false);
    assert_eq!((&none["positive_border"], &none["negative_border"]), (&json!([]), &json!([[]])));
    let flags = "diagnose t.csv --quasi V,Z --subsets --k 3";
    let every = table().json(flags);
    assert_eq!((&every["positive_border"], &every["negative_border"]), (&sets("VZ"), &json!([])));
}

#[test]
fn question_3_which_k_has_a_set() {
    let table = table();
    for (set, k) in [
        ("V", 6),
        ("W", 5),
        ("X", 5),
        ("Y", 6),
        ("Z", 6),
        ("V,W", 2),
        ("V,X", 2),
        ("V,Y", 2),
        ("V,Z", 3),
        ("W,X", 1),
        ("W,Y", 2),
        ("W,Z", 2),
        ("X,Y", 2),
        ("X,Z", 2),
        ("Y,Z", 3),
        ("V,W,X", 1),
    ] {
        assert_eq!(table.json(&format!("diagnose t.csv --quasi {set}"))["k"], k, "{set}");
    }
}

#[test]
fn question_4_which_k_has_every_set() {
    let answer = table().json(&format!("{ASK_ALL} --subsets"));
    let found = answer["subsets"].as_array().cloned().unwrap_or_default();
    assert_eq!(found.len(), 32);
    for (subset, set) in found.iter().zip(all_sets()) {
        assert_eq!((&subset["attributes"], &subset["k"]), (&names(&set), &json!(k(&set))));
        assert_eq!(subset["classes"], classes(&set).len());
        assert!(set.len() < 3 || subset["k"] == 1, "all triples have k = 1");
        let distinct =
            classes(&set).iter().map(|c| counts(c).iter().filter(|&&n| n > 0).count()).min();
        assert_eq!(subset["sensitive"][0]["distinct_l"], json!(distinct), "{set}");
    }
}

#[test]
fn question_5_is_k_reached_by_dropping_a_share() {
    let table = table();
    let ask = |words: &str| {
        let output = table.run(&format!("diagnose t.csv --quasi V,W,X {words} --format json"));
        (output.code, output.json()["holds"].clone())
    };
    assert_eq!(ask("--k 2 --suppress 0.1"), (1, json!(false)));
    assert_eq!(ask("--k 2 --suppress 0.2"), (0, json!(true)));
    assert_eq!(ask("--k 3 --suppress 0.4"), (1, json!(false)));
    assert_eq!(ask("--k 3 --suppress 0.5"), (0, json!(true)));
    assert_eq!(ask("--k 3 --suppress 1/2"), (0, json!(true)));
}

#[test]
fn question_6_which_sets_reach_k_by_dropping_a_share() {
    let answer = check_borders("--k 3 --suppress 0.25", |set| too_small(set, 3) <= 3);
    assert_eq!(answer["positive_border"], sets("VW VX VZ WX WY WZ XY XZ YZ"));
    assert_eq!(answer["negative_border"], sets("VY VWX VWZ VXZ WXY WXZ WYZ XYZ"));
}

#[test]
fn question_7_which_k_a_share_reaches() {
    let table = table();
    for (share, k, suppressed) in [
        ("0.1", json!(1), 0),
        ("0.2", json!(2), 2),
        ("0.4", json!(2), 2),
        ("0.5", json!(3), 6),
        ("0.75", json!(3), 6),
        ("1", Value::Null, 12),
    ] {
        let answer = table.json(&format!("diagnose t.csv --quasi V,W,X --suppress {share}"));
        assert!(answer.as_object().is_some_and(|fields| fields.contains_key("k_after")));
        assert_eq!(
            (&answer["k_after"], &answer["suppressed"]),
            (&k, &json!(suppressed)),
            "{share}"
        );
    }
}

#[test]
fn question_8_which_k_a_share_reaches_for_every_set() {
    for (share, budget) in [("0.1", 1), ("0.25", 3), ("0.5", 6)] {
        let answer = table().json(&format!("{ASK_ALL} --subsets --suppress {share}"));
        let found = answer["subsets"].as_array().cloned().unwrap_or_default();
        assert_eq!(found.len(), 32);
        for (subset, set) in found.iter().zip(all_sets()) {
            let expected = reached(&set, budget).expect("some rows stay");
            assert_eq!(subset["attributes"], names(&set));
            assert_eq!(
                json!([subset["k_after"], subset["suppressed"]]),
                json!(expected),
                "{set} {share}"
            );
        }
    }
}

#[test]
fn question_9_which_share_k_takes() {
    let table = table();
    for (k, suppressed, share) in [(2, 2, 2.0 / 12.0), (3, 6, 0.5), (4, 12, 1.0)] {
        let output = table
            .run(&format!("diagnose t.csv --quasi V,W,X --k {k} --find-suppression --format json"));
        let answer = output.json();
        assert_eq!((output.code, &answer["suppressed"]), (0, &json!(suppressed)));
        assert_near(&answer["suppression"], share);
    }
}

#[test]
fn question_10_which_share_k_takes_for_every_set() {
    let answer = table().json(&format!("{ASK_ALL} --subsets --k 3 --find-suppression"));
    let found = answer["subsets"].as_array().cloned().unwrap_or_default();
    assert_eq!(found.len(), 32);
    for (subset, set) in found.iter().zip(all_sets()) {
        let suppressed = u32::try_from(too_small(&set, 3)).expect("it is at most 12");
        assert_eq!(
            (&subset["attributes"], &subset["suppressed"]),
            (&names(&set), &json!(suppressed))
        );
        assert_near(&subset["suppression"], f64::from(suppressed) / 12.0);
    }
}

#[test]
fn question_11_which_share_every_k_takes() {
    let answer = table().json("diagnose t.csv --quasi V,W,X --find-suppression");
    let steps = json!([
        {"k": 1, "suppressed": 0}, {"k": 2, "suppressed": 2}, {"k": 3, "suppressed": 6}
    ]);
    assert_eq!(answer["curve"], steps);
    assert_eq!(curve("VWX"), steps);
}

#[test]
fn question_12_which_share_every_k_takes_for_every_set() {
    let answer = table().json(&format!("{ASK_ALL} --subsets --find-suppression"));
    let found = answer["subsets"].as_array().cloned().unwrap_or_default();
    assert_eq!(found.len(), 32);
    for (subset, set) in found.iter().zip(all_sets()) {
        assert_eq!(subset["curve"], curve(&set), "{set}");
    }
}

#[test]
fn borders_of_distinct_l() {
    let distinct = |class: &String| counts(class).iter().filter(|&&n| n > 0).count();
    let answer =
        check_borders("--distinct-l 2", |set| classes(set).iter().all(|c| distinct(c) >= 2));
    assert_eq!(answer["positive_border"], sets("VX VY WZ XZ"));
    assert_eq!(answer["negative_border"], sets("VW VZ WX WY XY YZ"));
}

#[test]
fn borders_of_frequency_l_and_entropy_l() {
    let most = |class: &String| counts(class).into_iter().max().unwrap_or(0);
    let answer = check_borders("--frequency-l 2", |set| {
        classes(set).iter().all(|class| most(class) * 2 <= class.len())
    });
    assert_eq!(answer["positive_border"], sets("V W X"));
    assert_eq!(answer["negative_border"], sets("Y Z VW VX WX"));
    let entropy = table().json(&format!("{ASK_ALL} --subsets --entropy-l 2"));
    assert_eq!(entropy["positive_border"], sets("V W X"));
    assert_eq!(entropy["negative_border"], sets("Y Z VW VX WX"));
    check_borders("--frequency-l 1.5", |set| {
        classes(set).iter().all(|class| most(class) * 3 <= class.len() * 2)
    });
}

#[test]
fn borders_of_recursive_cl() {
    let holds = |class: &String, c: usize, l: usize| {
        let mut counts = counts(class);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts[0] < c * counts[l - 1..].iter().sum::<usize>()
    };
    for (c, l) in [(2, 2), (3, 2), (1, 2), (4, 3)] {
        let every = |set: &str| classes(set).iter().all(|class| holds(class, c, l));
        check_borders(&format!("--recursive {c},{l}"), every);
    }
}

#[test]
fn borders_of_t_closeness() {
    // Of the twelve rows s1 has 5, s2 has 4, s3 has 3; 24 |e| times the distance is a whole number.
    let distance = |class: &String| {
        let n = class.len();
        counts(class).iter().zip([5, 4, 3]).map(|(c, q)| (12 * c).abs_diff(q * n)).sum::<usize>()
    };
    for (t, num, den) in [("0.25", 1, 4), ("0.5", 1, 2), ("1/3", 1, 3)] {
        let every = |set: &str| {
            classes(set).iter().all(|class| distance(class) * den <= 24 * class.len() * num)
        };
        check_borders(&format!("--t {t}"), every);
    }
}

#[test]
fn borders_of_two_promises_at_once() {
    let distinct = |class: &String| counts(class).iter().filter(|&&n| n > 0).count();
    check_borders("--k 3 --distinct-l 2", |set| {
        classes(set).iter().all(|class| class.len() >= 3 && distinct(class) >= 2)
    });
}

#[test]
fn levels_of_v_and_x() {
    let answer = table().json("diagnose t.csv --quasi V,X --sensitive s");
    let levels = &answer["sensitive"][0];
    assert_eq!(levels["distinct_l"], 2);
    assert_eq!(levels["frequency_l"], json!({"num": 3, "den": 2}));
    assert_near(&levels["frequency_l_value"], 1.5);
    assert_near(&levels["entropy_l"], 1.88988);
    assert_near(&levels["recursive"]["2"], 2.0);
}

#[test]
fn levels_of_v_and_w() {
    let answer = table().json("diagnose t.csv --quasi V,W --sensitive s --values s1");
    assert_near(&answer["distinct_ratio"], 1.0 / 3.0);
    assert_near(&answer["separation_ratio"], 0.80303);
    let levels = &answer["sensitive"][0];
    assert_near(&levels["t_equal"], 2.0 / 3.0);
    assert_eq!((&levels["t_ordered"], &levels["t_hierarchical"]), (&Value::Null, &Value::Null));
    assert_eq!(levels["alpha"], json!({"num": 2, "den": 3}));
    assert_near(&levels["alpha_value"], 2.0 / 3.0);
}

#[test]
fn ordered_t_of_v_and_w() {
    let folder = Folder::with(&[("t.csv", &csv(&ROWS, ""))]);
    let answer = folder.json("diagnose t.csv --quasi V,W --sensitive s");
    assert_near(&answer["sensitive"][0]["t_ordered"], 1.0 / 3.0);
    let holds = |t: &str| {
        let words = "diagnose t.csv --quasi V,W --sensitive s --distance ordered --t";
        folder.run(&format!("{words} {t}")).code
    };
    assert_eq!((holds("1/3"), holds("0.34"), holds("0.33")), (0, 0, 1));
}

#[test]
fn hierarchical_t_needs_its_taxonomy_and_lies_below_equal() {
    let folder = table().and("s.csv", "s1;g;*\ns2;g;*\ns3;h;*\n");
    let answer = folder.json("diagnose t.csv --quasi V,W --sensitive s --taxonomy s=s.csv");
    // Class (a,2) has s2 only: 5/12 moves from s1 at 1/2, 3/12 from s3 at 1. Class (b,2) has 2/3 s1
    // and 1/3 s3: 1/12 moves from s2 to s3 at 1, 1/4 from s2 to s1 at 1/2.
    assert_near(&answer["sensitive"][0]["t_hierarchical"], 11.0 / 24.0);
}

#[test]
fn presence_against_a_public_table() {
    let people = ROWS.iter().map(|row| &row[..2]).chain(["a1", "b2", "b2"]);
    let lines: Vec<String> = people.map(|row| format!("{},{}", &row[..1], &row[1..])).collect();
    let folder = table().and("public.csv", format!("V,W\n{}\n", lines.join("\n")));
    let answer = folder.json("diagnose t.csv --quasi V,W --public public.csv");
    let presence = &answer["presence"];
    assert_eq!(presence["delta_min"], json!({"num": 3, "den": 5}));
    assert_eq!(presence["delta_max"], json!({"num": 1, "den": 1}));
    assert_near(&presence["delta_min_value"], 0.6);
    assert_near(&presence["delta_max_value"], 1.0);
    assert_eq!(presence["rows_not_covered"], 0);
    // The smallest public class has 2 rows.
    assert_near(&answer["risk"]["journalist"]["value"], 0.5);
    assert_eq!(answer["risk"]["journalist"]["estimate"], false);
    // (4/5 + 2/2 + 3/5 + 3/3) / 12.
    assert_near(&answer["risk"]["marketer"]["value"], 3.4 / 12.0);
}

#[test]
fn a_sampling_fraction_gives_bounds_and_beside_them_estimates() {
    let answer = table().json("diagnose t.csv --quasi V,W --sampling-fraction 0.5");
    let prosecutor = &answer["risk"]["prosecutor"];
    // Nobody else of the population need be like a person of the table.
    for (risk, figure) in [("journalist", "max_value"), ("marketer", "mean_value")] {
        let bounded = &answer["risk"][risk];
        assert_eq!((&bounded["estimate"], &bounded["bound"]), (&json!(false), &json!(true)));
        assert_eq!(bounded["value"], prosecutor[figure], "{risk}");
    }
    let population = &answer["risk"]["population"];
    assert_eq!(population["people"], 24);
    // Nobody is alone in the table.
    assert_near(&population["uniques"]["value"], 0.0);
    let models = population["models"].as_array().unwrap();
    let ids: Vec<&str> = models.iter().filter_map(|model| model["model"].as_str()).collect();
    assert_eq!(ids, ["zayatz", "slide-negative-binomial", "pitman"]);
    let whole = table().json("diagnose t.csv --quasi V,W --sampling-fraction 1");
    assert_near(&whole["risk"]["marketer"]["value"], 4.0 / 12.0);
    assert_eq!(whole["risk"]["marketer"]["bound"], false);
    assert_eq!(whole["risk"]["population"], json!(null));
}

#[test]
fn prosecutor_risk_of_v_w_and_x() {
    let risk = &table().json("diagnose t.csv --quasi V,W,X")["risk"]["prosecutor"];
    assert_eq!(risk["max"], json!({"num": 1, "den": 1}));
    assert_eq!(risk["mean"], json!({"num": 1, "den": 2}));
    assert_eq!(risk["unique"], 2);
}

#[test]
fn a_question_about_a_level_exits_with_1_for_no() {
    let table = table();
    let code =
        |flags: &str| table.run(&format!("diagnose t.csv --quasi V,X --sensitive s {flags}")).code;
    for (yes, no) in [
        ("--k 2", "--k 3"),
        ("--distinct-l 2", "--distinct-l 3"),
        ("--frequency-l 1.5", "--frequency-l 1.51"),
        ("--entropy-l 1.88", "--entropy-l 1.9"),
        ("--recursive 2.1,2", "--recursive 2,2"),
        ("--t 0.5", "--t 0.1"),
        ("--k 2 --distinct-l 2", "--k 2 --distinct-l 3"),
    ] {
        assert_eq!((code(yes), code(no)), (0, 1), "{yes}, {no}");
    }
}
