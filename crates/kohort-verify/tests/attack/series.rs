//! Attacks on series: the tables of Abdalaal 2012, releases where each must win, and releases where a model bounds it.

use kohort_core::{Dataset, Ratio};
use kohort_models::series::BcfAnonymity;
use kohort_verify::attack::{Correlated, Facts, Finding, Knowledge, Scene, Scored, Verdict};

use crate::lab::{Lab, close, of_records, of_values, released, table};

/// What one attack finds in releases, the oldest first, when it is known who is not in which.
fn find(
    id: &str,
    releases: &[&[&str]],
    people: &[&str],
    absent: &[(usize, u32)],
    prepare: impl FnOnce(&mut Scene<'_>),
) -> Finding {
    let (newest, others) = releases.split_last().unwrap();
    let others: Vec<Dataset> = others.iter().map(|lines| table(lines)).collect();
    let lab = Lab::of(newest).with_people(people);
    // The lab outlives the scene, and so do the releases.
    find_in(&lab, &others, id, absent, prepare)
}

fn find_in<'a>(
    lab: &'a Lab,
    others: &'a [Dataset],
    id: &str,
    absent: &[(usize, u32)],
    prepare: impl FnOnce(&mut Scene<'_>),
) -> Finding {
    lab.find(id, |scene: &mut Scene<'a>| {
        scene.others.extend(others.iter().map(released));
        scene.knowledge.add_presence(absent.iter().map(|&at| (at, false)));
        prepare(scene);
    })
}

fn way<'f>(found: &'f Finding, way: &str) -> &'f Scored {
    found.scored.iter().find(|scored| scored.way.as_deref() == Some(way)).unwrap()
}

// Bob, Ken, Sam, Jane, Linda, Alice, Mandy, David, Tom, Carol by their ages.
const PEOPLE: [&str; 10] = ["10", "12", "20", "21", "32", "30", "11", "31", "40", "41"];
const KEN: u32 = 1;
const JANE: u32 = 3;
const LINDA: u32 = 4;
const MANDY: u32 = 6;
const DAVID: u32 = 7;
const TABLE_33: [&str; 6] =
    ["[10,12];a", "[10,12];b", "[20,21];a", "[20,21];b", "[30,32];a", "[30,32];c"];
const TABLE_35: [&str; 8] = [
    "[10,11];a",
    "[10,11];b",
    "[20,21];a",
    "[20,21];b",
    "[30,31];a",
    "[30,31];c",
    "[40,41];a",
    "[40,41];c",
];
/// Who is not in R1, and who is not in R2.
const ABSENT: [(usize, u32); 5] = [(0, MANDY), (0, DAVID), (1, KEN), (1, JANE), (1, LINDA)];

#[test]
fn tables_33_and_35_keep_m_invariance_and_show_who_is_whose_equal() {
    let releases: [&[&str]; 2] = [&TABLE_33, &TABLE_35];
    let found = find("value-association", &releases, &PEOPLE, &ABSENT, |_| {});
    let weakest = found.weakest();
    assert_eq!((weakest.rate.targets, weakest.rate.above), (10, [0; 3]));
    assert!(close(weakest.rate.max_probability, 0.5) && close(weakest.rate.advantage(), 0.0));
    assert_eq!(
        weakest.notes,
        [
            "exact, by every world, for 10 people; bounded for 0 people of larger components or several \
             classes: no other value is possible, how likely each is is estimated",
            "the fewest values that anybody may have: 2",
        ]
    );
    // Ken is Mandy's equal, Linda David's; the counterfeit that is Jane's is nobody.
    let found = find("value-equivalence", &releases, &PEOPLE, &ABSENT, |_| {});
    assert_eq!(
        found.weakest().notes,
        [
            "2 blocks of people must have equal values, of 4 people; the largest has 2",
            "two people drawn at random must have equal values with probability 0.044444",
        ]
    );
    assert!(close(found.weakest().rate.max_probability, 0.5));
}

#[test]
fn one_known_value_opens_its_equals_of_tables_33_and_35() {
    let releases: [&[&str]; 2] = [&TABLE_33, &TABLE_35];
    // Ken has b: so has Mandy, so Bob has a. Of the others nothing follows.
    let ken_has_b = |scene: &mut Scene<'_>| {
        let code = scene.release.sensitive()[0].code_of("b").unwrap();
        let facts = Facts { has: vec![(0, code)], ..Facts::default() };
        let presence = std::mem::take(&mut scene.knowledge);
        scene.knowledge = Knowledge::new([(KEN, facts)].into());
        for &at in &ABSENT {
            assert_eq!(presence.is_in_release(at.1, at.0), Some(false));
            scene.knowledge.add_presence([(at, false)]);
        }
    };
    let found = find("tuple-equivalence", &releases, &PEOPLE, &ABSENT, ken_has_b);
    let rate = found.weakest().rate;
    assert_eq!((rate.targets, rate.above), (9, [2; 3]), "{:?}", found.weakest().notes);
}

#[test]
fn table_36_with_ken_as_jane_opens_all_of_its_class() {
    // R1 {Bob, Ken, Sam, Jane} = {a, a, b, b}, R2 {Bob, Mandy, Sam, c3}.
    let people = ["10", "11", "12", "13", "14"];
    let r1 = ["[10,14];a", "[10,14];a", "[10,14];b", "[10,14];b"];
    let absent = [(0, 4), (1, 1), (1, 3)];
    let same = |scene: &mut Scene<'_>| scene.knowledge.add_same([(1, 3)]);
    let found = find("tuple-equivalence", &[&r1, &r1], &people, &absent, same);
    let notes = &found.weakest().notes;
    // Bob ≡ Sam, Mandy ≡ Ken ≡ Jane.
    assert_eq!(
        notes[0],
        "2 blocks of people must have equal values, of 5 people; the largest has 3"
    );
    assert_eq!(
        notes[1],
        "the value of one person, learned later, opens that of another with probability 1.000000, \
         where 0.000000 are open without it: exact, by every world"
    );
    assert!(close(found.weakest().rate.max_probability, 0.5));
    // Without it nobody is anybody's equal.
    let found = find("value-equivalence", &[&r1, &r1], &people, &absent, |_| {});
    assert!(found.weakest().notes[0].starts_with("0 blocks"), "{:?}", found.weakest().notes);
    // One known value opens all.
    let found = find("tuple-equivalence", &[&r1, &r1], &people, &absent, |scene| {
        let code = scene.release.sensitive()[0].code_of("a").unwrap();
        let facts = Facts { has: vec![(0, code)], ..Facts::default() };
        scene.knowledge = Knowledge::new([(4, facts)].into());
        scene.knowledge.add_presence(absent.map(|at| (at, false)));
        scene.knowledge.add_same([(1, 3)]);
    });
    assert_eq!((found.weakest().rate.targets, found.weakest().rate.above), (4, [4; 3]));
}

/// Twelve people in a ring of classes of two: too many to go through every world, and one value opens all.
#[test]
fn one_value_opens_a_ring_too_large_for_worlds() {
    let people: Vec<String> = (0..12).map(|n| format!("{};{}", n / 2, (n + 1) % 12 / 2)).collect();
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    let release = |shown: fn(u32) -> String| -> Vec<String> {
        (0..12).map(|row| format!("{};{}", shown(row / 2), ["a", "b"][row as usize % 2])).collect()
    };
    let (first, second) =
        (release(|class| format!("{class};*")), release(|class| format!("*;{class}")));
    let [first, second]: [Vec<&str>; 2] =
        [&first, &second].map(|lines| lines.iter().map(String::as_str).collect());
    let same = |scene: &mut Scene<'_>| scene.knowledge.add_same([(0, 2)]);
    let found = find("tuple-equivalence", &[&first, &second], &people, &[], same);
    assert_eq!(
        found.weakest().notes[1],
        "the value of one person, learned later, opens that of another with probability 1.000000, \
         where 0.000000 are open without it: at least; bounded for 12 people, by what is certain"
    );
}

#[test]
fn tables_31_and_32_leave_two_rows_for_everybody() {
    let table_31 = ["35;*;a", "35;*;a", "35;*;b"];
    let table_32 =
        ["[30,39];F;a", "[30,39];F;b", "[30,39];F;b", "[30,39];M;a", "[30,39];M;a", "[30,39];M;b"];
    // A woman and a man who are in both, a man and a woman who came.
    let people = ["35;F", "35;M", "35;M", "35;F"];
    let absent = [(0, 2), (0, 3)];
    let found = find("correspondence", &[&table_31, &table_32], &people, &absent, |_| {});
    assert_eq!(
        found.weakest().notes,
        ["the fewest rows that are left for anybody: FA 2, CA 2, BA 2"]
    );
    // The woman: two rows of three, the man three; who came: 2 for a man, 3 for a woman.
    let rate = of_records(&found);
    assert_eq!(rate.targets, 4);
    assert!(close(rate.success, (0.5 + 1.0 / 3.0 + 0.5 + 1.0 / 3.0) / 4.0), "{rate:?}");
    assert!(close(rate.baseline, 1.0 / 3.0) && close(rate.max_probability, 0.5));
    assert!(BcfAnonymity::new(2).is_ok());
    // The woman has a or b as likely, where her class alone says b.
    assert!(close(of_values(&found).max_probability, 2.0 / 3.0));
}

#[test]
fn independent_releases_let_correspondence_single_people_out() {
    let found = find("correspondence", &[&BY_ZIP, &BY_AGE], &FOUR, &[], |_| {});
    let rate = of_records(&found);
    assert_eq!(rate.above, [4; 3], "{:?}", found.weakest().notes);
    assert!(close(rate.baseline, 0.5), "{rate:?}");
    assert_eq!(
        found.weakest().notes[0],
        "the fewest rows that are left for anybody: FA 1, CA 1, BA –"
    );
}

/// A class of everybody after `n` classes of one row each, when somebody came with the only b.
fn everybody_in_one(n: u32) -> Finding {
    let first: Vec<String> = (0..n).map(|age| format!("{age};a")).collect();
    let second = (0..n).map(|_| format!("[0,{n}];a")).chain([format!("[0,{n}];b")]);
    let second: Vec<String> = second.collect();
    let [first, second] = [&first, &second].map(|lines| lines.iter().map(String::as_str).collect());
    let (first, second): (Vec<&str>, Vec<&str>) = (first, second);
    let came = n.to_string();
    find("correspondence", &[&first, &second], &[&came], &[(0, 0)], |_| {})
}

#[test]
fn a_class_that_meets_too_many_others_rules_nothing_out_and_says_so() {
    let found = everybody_in_one(200);
    assert_eq!(of_records(&found).above[2], 1, "{:?}", found.weakest().notes);
    // Above 256 the rows are not counted, and above 512 not all classes are looked at.
    for n in [300, 600] {
        let found = everybody_in_one(n);
        assert!(close(of_records(&found).max_probability, 1.0 / f64::from(n + 1)));
        let note = "B rules nothing out for 1 classes that meet more than 256 others: bounded";
        assert_eq!(found.weakest().notes[1..], [note]);
    }
}

#[test]
fn rows_that_may_have_moved_to_a_wide_class_are_not_ruled_out() {
    let first: Vec<String> = (6..606).map(|age| format!("{age};c")).collect();
    let wide = vec!["[3,606];c"; 600];
    let old: Vec<&str> = first.iter().map(String::as_str).chain(["[0,5];a"]).collect();
    // Somebody of 0 came, somebody of 4 has a: in the class of [0,5], unless the wide one has an a, too.
    let check = |more: &[&'static str], highest: f64| {
        let new = [&wide[..], &["[0,5];a", "[0,5];b"], more].concat();
        let found = find("correspondence", &[&old, &new], &["0", "4"], &[(0, 0)], |_| {});
        let rate = of_records(&found);
        assert!(close(rate.max_probability, highest), "{rate:?}: {:?}", found.weakest().notes);
    };
    check(&[], 1.0);
    check(&["[3,606];a"], 0.5);
}

// Two releases, each 2-diverse: one has classes by age, the other by zip.
const FOUR: [&str; 4] = ["20;1", "20;2", "30;1", "30;2"];
const BY_ZIP: [&str; 4] = ["*;1;a", "*;1;c", "*;2;b", "*;2;d"];
const BY_AGE: [&str; 4] = ["20;*;a", "20;*;b", "30;*;c", "30;*;d"];

/// Table 39 and Table 40 with a column that names the class, and with exact places of people: t1 … t11 and
/// n1 … n5 as numbers.
const TABLE_39: [&str; 11] = [
    "[1,2];d",
    "[1,2];b",
    "[3,4];f",
    "[3,4];g",
    "[5,6];f",
    "[5,6];g",
    "[7,9];d",
    "[7,9];f",
    "[7,9];g",
    "[10,11];d",
    "[10,11];c",
];

#[test]
fn table_40_by_correlations() {
    // By class: t1; t4, n1; t7, t9; t5, n2; t11, n3; n4, n5.
    let first: [&str; 11] = [
        "[1,2];*;d",
        "[1,2];*;b",
        "[3,4];*;f",
        "[3,4];*;g",
        "[5,6];*;f",
        "[5,6];*;g",
        "[7,9];*;d",
        "[7,9];*;f",
        "[7,9];*;g",
        "[10,11];*;d",
        "[10,11];*;c",
    ];
    assert_eq!(first.map(|line| line.replace(";*", "")), TABLE_39);
    let second = [
        "*;1;d", "*;1;b", "*;2;f", "*;2;g", "*;3;d", "*;3;f", "*;3;g", "*;4;f", "*;4;g", "*;5;d",
        "*;5;c", "*;6;g", "*;6;f",
    ];
    // Everybody's class of the second release; 0 for who left.
    let classes = [1, 0, 0, 2, 4, 0, 3, 0, 3, 0, 5, 2, 4, 5, 6, 6];
    let people: Vec<String> =
        (1..).zip(classes).map(|(number, class): (u32, u32)| format!("{number};{class}")).collect();
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    let lines = [["g", "g", "1"], ["d", "d", "1/2"], ["c", "c", "1"], ["m", "m", "1/2"]];
    let lines = (2..).zip(lines).map(|(line, texts)| (line, texts.map(str::to_owned))).collect();
    let known = |scene: &mut Scene<'_>| {
        scene.correlated = Some(Correlated { source_name: "c.csv".into(), lines });
    };
    let found = find("correlation", &[&first, &second], &people, &[], known);
    // t4 and t5: g with 0.875 in R2; t7 and t9: g with 0.576; t1: d with 5/7, t11: c with 11/16 by the
    // same rule. Whoever came or left has what one release says.
    let end = way(&found, "at the end, as sets");
    assert!(close(end.rate.max_probability, 0.875), "{:?}", end.rate);
    assert_eq!(end.rate.above, [6, 2, 0]);
    let followed = 2.0 * 0.875 + 2.0 * 19.0 / 33.0 + 5.0 / 7.0 + 11.0 / 16.0;
    assert!((19.0_f64 / 33.0 - 0.576).abs() < 0.0005);
    assert!(close(end.rate.success, (followed + 9.0 / 2.0 + 1.0 / 3.0) / 16.0), "{:?}", end.rate);
    let any = way(&found, "at any time, as sets");
    assert!(any.rate.success > any.rate.baseline && close(any.rate.max_probability, 0.875));
    assert_eq!(found.scored.len(), 4);
}

#[test]
fn values_that_never_follow_tell_of_the_past() {
    // g never ends: who is in {f, d} later had f (t5 of Table 41).
    let first = ["[1,2];f", "[1,2];g"];
    let second = ["[1,2];f", "[1,2];d"];
    let known = |scene: &mut Scene<'_>| {
        let lines = vec![(2, ["g", "g", "1"].map(str::to_owned))];
        scene.correlated = Some(Correlated { source_name: "c.csv".into(), lines });
    };
    let found = find("correlation", &[&first, &second], &["1", "2"], &[], known);
    for name in ["at any time", "at any time, as sets"] {
        assert_eq!(way(&found, name).rate.above, [2; 3], "{name}");
    }
    assert!(close(way(&found, "at the end").rate.baseline, 0.5));
}

#[test]
fn a_bad_table_of_correlations_is_refused_by_line() {
    let lines = vec![(7, ["a", "a", "2"].map(str::to_owned))];
    let lab = Lab::of(&TABLE_35).with_people(&PEOPLE);
    let other = table(&TABLE_33);
    let crowd = kohort_verify::attack::People::new(lab.people.as_ref().unwrap(), false);
    let mut scene = Scene::new(released(&lab.release), Some(crowd)).unwrap();
    scene.others.push(released(&other));
    scene.correlated = Some(Correlated { source_name: "c.csv".into(), lines });
    let attacks = kohort_verify::attack::ATTACKS;
    let attack = attacks.iter().find(|attack| attack.spec().id == "correlation").unwrap();
    let error = attack.guess(&kohort_core::Ctx::quiet(), &scene).unwrap_err();
    assert_eq!(error.to_string(), "c.csv, line 7: `probability` must be at most 1");
}

#[test]
fn releases_of_different_columns_are_joined() {
    // The job is in one release, the place in the other; both show the age. Who knows only the job finds
    // the value through the age.
    let first = ["[20,29];cook;a", "[20,29];cook;a", "[30,39];nurse;b", "[30,39];nurse;c"];
    let second = ["[20,29];x;a", "[20,29];x;b", "[30,39];y;b", "[30,39];y;c"];
    let (first, second) = (named(&first, ["a", "b"]), named(&second, ["a", "c"]));
    let job = [("b", kohort_core::Role::Quasi, None)];
    let people = crate::given::dataset(&job, &crate::given::rows(&["cook", "nurse"]));
    let known = kohort_verify::attack::People::new(&people, false);
    let mut scene = Scene::new(released(&second), Some(known)).unwrap();
    scene.others.push(released(&first));
    let truth = kohort_verify::attack::Truth::of_release(&scene.release);
    let found = crate::lab::find("record-linking", &scene, &truth);
    let rate = of_values(&found);
    // A cook is in [20,29] and has a.
    assert_eq!((rate.targets, rate.above[2]), (2, 1), "{:?}", found.weakest().notes);
    let note = "in the join, a target has at least 1 possible values, and the highest share of one is 1.000";
    let values = found.scored.iter().find(|scored| scored.attribute.is_some()).unwrap();
    let estimate =
        "people are taken one by one: a share of the join is an estimate of how likely a value is";
    assert_eq!(values.notes, [note, estimate]);
}

/// A table with these quasi-identifiers and the sensitive column `s`.
fn named(lines: &[&str], quasi: [&str; 2]) -> Dataset {
    use kohort_core::Role::{Quasi, Sensitive};
    let columns = [(quasi[0], Quasi, None), (quasi[1], Quasi, None), ("s", Sensitive, None)];
    crate::given::dataset(&columns, &crate::given::rows(lines))
}

#[test]
fn equal_classes_over_and_over_tell_no_more_than_one() {
    let lines = ["[1,3];a", "[1,3];a", "[1,3];b", "[4,5];b", "[4,5];c"];
    let people = ["1", "2", "3", "4", "5"];
    for id in ["record-linking", "value-association", "correspondence", "value-equivalence"] {
        let found = find(id, &[&lines, &lines, &lines], &people, &[], |_| {});
        for scored in &found.scored {
            assert!(close(scored.rate.advantage(), 0.0), "{id}: {:?}", scored.rate);
            assert!(scored.rate.max_probability < 2.0 / 3.0 + 1e-9, "{id}: {:?}", scored.rate);
        }
    }
}

#[test]
fn a_promise_of_each_release_is_refuted_by_all_of_them() {
    let models: Vec<Box<dyn kohort_models::ClassModel>> =
        vec![Box::new(kohort_models::FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap())];
    let (old, lab) = ([table(&BY_ZIP)], Lab::of(&BY_AGE).with_people(&FOUR));
    let found = lab.find("value-association", |scene| {
        scene.others.extend(old.iter().map(released));
        scene.declared.models = &models;
    });
    assert_eq!(found.weakest().verdict, Verdict::Refuted);
}

#[test]
fn series_attacks_say_what_they_need() {
    let lab = Lab::of(&TABLE_35);
    let other = table(&TABLE_33);
    let series = [
        "record-linking",
        "value-association",
        "correspondence",
        "value-equivalence",
        "tuple-equivalence",
        "correlation",
    ];
    for id in series {
        assert!(lab.try_find(id, |_| {}).err().unwrap().contains("R1 R2"), "{id}");
        let needs = lab.try_find(id, |scene| scene.others.push(released(&other))).err().unwrap();
        assert!(needs.contains("--public"), "{id}");
    }
    let lab = lab.with_people(&PEOPLE);
    let needs = |id| lab.try_find(id, |scene| scene.others.push(released(&other))).err().unwrap();
    assert!(needs("tuple-equivalence").contains("same-as"));
    assert!(needs("correlation").contains("--correlations"));
}
