//! `kohort attack R1 R2 …`: series of releases.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::Folder;
use crate::series::{self, PLAN, TABLES_33_AND_34, publish};

const R1: &str = "age,s\n\"[10, 12]\",a\n\"[10, 12]\",b\n\"[20, 21]\",a\n\"[20, 21]\",b\n\
                  \"[30, 32]\",a\n\"[30, 32]\",c\n";
const R2: &str = "age,s\n\"[10, 11]\",a\n\"[10, 11]\",b\n\"[20, 21]\",a\n\"[20, 21]\",b\n\
                  \"[30, 31]\",a\n\"[30, 31]\",c\n\"[40, 41]\",a\n\"[40, 41]\",c\n";
/// Tables 33 and 35 of Abdalaal 2012: who is in which release.
const PEOPLE: &str = "name,age,in1,in2\nBob,10,1,yes\nKen,12,1,no\nSam,20,1,yes\nJane,21,1,no\n\
                      Linda,32,1,no\nAlice,30,1,yes\nMandy,11,0,yes\nDavid,31,0,yes\nTom,40,0,yes\n\
                      Carol,41,0,yes\n";
const ASK: &str = "attack r1.csv r2.csv --quasi age --sensitive s --public people.csv";

fn folder() -> Folder {
    Folder::with(&[("r1.csv", R1), ("r2.csv", R2), ("people.csv", PEOPLE)])
}

fn attack<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let attacks = answer["attacks"].as_array().expect("it is a list");
    attacks.iter().find(|attack| attack["id"] == id).unwrap_or(&Value::Null)
}

fn first_note(answer: &Value, id: &str) -> String {
    attack(answer, id)["notes"][0].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_last_release_is_attacked_with_all_before_it() {
    let answer = folder().json(&format!("{ASK} --presence in1,in2"));
    assert_eq!((&answer["release"], &answer["rows"]), (&json!("r2.csv"), &json!(8)));
    let equal = "2 blocks of people must have equal values, of 4 people; the largest has 2";
    assert_eq!(first_note(&answer, "value-equivalence"), equal);
    let association = attack(&answer, "value-association");
    assert_eq!(
        (&association["targets"], &association["max_probability"]),
        (&json!(10), &json!(0.5))
    );
    assert!(attack(&answer, "correspondence").is_object());
    assert!(attack(&answer, "record-linking").is_object());
}

#[test]
fn who_is_in_which_release_counts_in_every_join() {
    let folder = folder();
    let targets = |answer: &Value, id: &str| attack(answer, id)["targets"].clone();
    let (all, there) = (folder.json(ASK), folder.json(&format!("{ASK} --presence in1,in2")));
    for id in ["temporal", "complementary-release", "record-linking"] {
        // Ken, Jane and Linda have left.
        assert_eq!(targets(&there, id), json!(7), "{id}");
        assert!(targets(&all, id).as_u64() > Some(7), "{id}");
    }
}

#[test]
fn knowledge_says_who_is_there_and_who_is_equal() {
    let folder = folder();
    let absent = [("Mandy", 1), ("David", 1), ("Ken", 2), ("Jane", 2), ("Linda", 2)];
    let lines =
        absent.map(|(name, release)| format!("{name},,not-in-release,{release}\n")).concat();
    let known = format!("person,attribute,relation,value\n{lines}Ken,s,is,b\nTom,,same-as,Bob\n");
    folder.put("k.csv", &known);
    let answer = folder.json(&format!("{ASK} --key name --knowledge k.csv"));
    let found = attack(&answer, "tuple-equivalence");
    // Ken has b, so Mandy has; Bob has a, and so have Tom and not Carol.
    assert_eq!((&found["targets"], &found["above"]["1.0"]), (&json!(9), &json!(4)), "{found}");
    let people = absent.map(|(name, release)| {
        format!("[[person]]\nkey = '{name}'\nnot-in-release = [{release}]\n")
    });
    let more =
        "[[person]]\nkey = 'Ken'\nis = { s = 'b' }\n[[person]]\nkey = 'Tom'\nsame-as = 'Bob'\n";
    folder.put("k.toml", people.concat() + more);
    let same = folder.json(&format!("{ASK} --key name --knowledge k.toml"));
    assert_eq!(attack(&same, "tuple-equivalence"), found);
    folder.put("k.csv", "person,relation,value\nBob,in-release,3\n");
    let refused = folder.refused(&format!("{ASK} --key name --knowledge k.csv"));
    assert!(
        refused.contains("k.csv, row 1: must be the number of a release, from 1 to 2"),
        "{refused}"
    );
}

#[test]
fn knowledge_that_no_world_explains_is_said_to_contradict_the_releases() {
    let folder = folder();
    let ask = format!("{ASK} --key name --presence in1,in2 --knowledge k.csv");
    // Alice and Linda are all of {a, c}; and Bob and Tom cannot be equal with two values.
    for known in ["Alice,,same-as,Linda\n", "Tom,,same-as,Bob\nBob,s,is,a\nTom,s,is,c\n"] {
        folder.put("k.csv", format!("person,attribute,relation,value\n{known}"));
        let answer = folder.json(&ask);
        let found = attack(&answer, "tuple-equivalence");
        let note = first_note(&answer, "tuple-equivalence");
        assert!(note.starts_with("what is known contradicts the releases"), "{found}");
        assert_eq!((&found["max_probability"], &found["above"]["1.0"]), (&json!(0.5), &json!(0)));
    }
    folder.put("k.csv", "person,attribute,relation,value\nTom,,same-as,Bob\n");
    let note = first_note(&folder.json(&ask), "tuple-equivalence");
    assert!(!note.contains("contradicts"), "{note}");
}

/// Attacks releases 1 and another with these tables; whether a promise is refuted, and value association.
fn by_tables(folder: &Folder, second: &str, tables: &[&str]) -> (Value, Value) {
    let tables: Vec<String> = tables.iter().map(|table| format!(" --original {table}")).collect();
    let tables = tables.concat();
    let only = "--only value-association";
    let asked = format!("attack release-1.csv {second} --plan promise.toml{tables} {only}");
    let answer = folder.json(&asked);
    assert_eq!(folder.run(&asked).code == 1, answer["refuted"] == true);
    (answer["refuted"].clone(), attack(&answer, "value-association").clone())
}

// Abdalaal 2012: Tables 33 and 35.
#[test]
fn the_tables_of_all_releases_say_who_is_in_which() {
    let [first, second] = TABLES_33_AND_34;
    let promise = "key = \"patient\"\nmethod = \"m-invariance\"\nm = 2\n";
    let published = || {
        let folder = series::folder()
            .and("promise.toml", PLAN.replace("key = \"patient\"\n", promise))
            .and("1.csv", first)
            .and("2.csv", second);
        publish(&folder, "1.csv", "--m 2");
        publish(&folder, "2.csv", "--m 2");
        let (refuted, found) = by_tables(&folder, "release-2.csv", &["1.csv", "2.csv"]);
        assert_eq!((refuted, &found["verdict"]), (json!(false), &json!("not refuted")), "{found}");
        assert_eq!((&found["targets"], &found["max_probability"]), (&json!(10), &json!(0.5)));
        folder
    };
    // By the last table alone David, who came, may be taken to have been there: that refutes nothing. Whether he
    // is depends on who was with whom, which is another draw for each ledger.
    let found = (0..40).find_map(|_| {
        let folder = published();
        let (refuted, found) = by_tables(&folder, "release-2.csv", &["2.csv"]);
        assert_eq!(refuted, json!(false), "{found}");
        (found["verdict"] == "succeeds").then_some((folder, found))
    });
    let (folder, found) = found.expect("in one of forty draws");
    let notes = found["notes"].to_string();
    assert!(notes.contains("which is not known: this refutes nothing"), "{notes}");
    assert!(notes.contains("`--presence`") && notes.contains("`--original`"), "{notes}");
    let text =
        folder.run("attack release-1.csv release-2.csv --plan promise.toml --original 2.csv");
    let expected =
        "1 attack goes further than was promised if people are in every release that covers";
    assert!(text.stdout.lines().next().is_some_and(|line| line.contains(expected)), "{text}");
    // A series that breaks the promise is refuted by its tables: Bob has a or b, and then a or c.
    let of = |classes: &[(&str, &str)]| {
        let mut text = String::from("age,zip,disease\n");
        for (box_, values) in classes {
            for value in values.chars() {
                let _ = writeln!(text, "{box_},{value}");
            }
        }
        text
    };
    let first = [
        ("\"[20, 25]\",\"[3000, 3500]\"", "ab"),
        ("\"[30, 35]\",\"[4500, 6500]\"", "ab"),
        ("\"[40, 45]\",\"[5500, 6000]\"", "ac"),
    ];
    let second = [
        ("\"[20, 45]\",\"[3000, 6000]\"", "ac"),
        ("\"[30, 50]\",\"[5000, 6500]\"", "ab"),
        ("\"[40, 55]\",\"[5000, 6500]\"", "aac"),
    ];
    folder.put("release-1.csv", of(&first));
    folder.put("broken.csv", of(&second));
    let (refuted, found) = by_tables(&folder, "broken.csv", &["1.csv", "2.csv"]);
    assert_eq!((refuted, &found["verdict"]), (json!(true), &json!("refuted")), "{found}");
    assert_eq!(found["max_probability"], json!(1.0));
    let (refuted, found) = by_tables(&folder, "broken.csv", &["2.csv"]);
    assert_eq!((refuted, &found["verdict"]), (json!(false), &json!("succeeds")), "{found}");
}

/// R1 {Bob, Ken, Sam, Jane} = {a, a, b, b}, R2 {Bob, Mandy, Sam} and a counterfeit.
#[test]
fn one_known_value_opens_all_where_two_are_equal() {
    let class = |box_| ["a", "a", "b", "b"].map(|s| format!("\"{box_}\",{s},1\n")).concat();
    let folder = Folder::with(&[
        ("r1.csv", &format!("age,s,group\n{}", class("[21, 24]"))),
        ("r2.csv", &format!("age,s,group\n{}", class("[21, 25]"))),
        ("r2.counterfeits.csv", "group,count\n1,1\n"),
        (
            "people.csv",
            "name,age,in1,in2\nBob,21,1,1\nKen,22,1,0\nSam,24,1,1\nJane,23,1,0\nMandy,25,0,1\n",
        ),
        ("k.csv", "person,attribute,relation,value\nKen,,same-as,Jane\n"),
    ]);
    let ask = format!("{ASK} --key name --presence in1,in2 --knowledge k.csv");
    let answer = folder.json(&ask);
    let found = attack(&answer, "tuple-equivalence");
    assert_eq!(
        found["notes"][0],
        "2 blocks of people must have equal values, of 5 people; the largest has 3"
    );
    let opens = "the value of one person, learned later, opens that of another with probability \
                 1.000000, where 0.000000 are open without it: exact, by every world";
    assert_eq!(found["notes"][1], opens);
    // So it is: with Ken's the values of all four others are certain.
    folder.put("k.csv", "person,attribute,relation,value\nKen,,same-as,Jane\nKen,s,is,a\n");
    let answer = folder.json(&ask);
    let found = attack(&answer, "tuple-equivalence");
    assert_eq!((&found["targets"], &found["above"]["1.0"]), (&json!(4), &json!(4)), "{found}");
}

#[test]
fn correlations_are_read_and_refused_by_line() {
    let folder = folder();
    folder.put("c.csv", "from,to,probability\na,a,1\n");
    let answer = folder.json(&format!("{ASK} --presence in1,in2 --correlations c.csv"));
    let ways = attack(&answer, "correlation")["per_attribute"].as_array().map(Vec::len);
    assert_eq!(ways, Some(4));
    folder.put("c.csv", "from,to,probability\na,a,1\na,b,1\n");
    let refused = folder.refused(&format!("{ASK} --correlations c.csv"));
    assert!(refused.contains("c.csv, line 3: the probabilities of one `from`"), "{refused}");
}

#[test]
fn classes_by_group_and_counterfeits_beside_a_release() {
    let folder = folder();
    // Equal boxes: only the number tells the classes apart.
    let one =
        "age,group,s\n\"[10, 21]\",1,a\n\"[10, 21]\",1,b\n\"[10, 21]\",2,a\n\"[10, 21]\",2,c\n";
    let two = "age,group,s\n\"[10, 21]\",7,a\n\"[10, 21]\",7,b\n";
    folder.put("r1.csv", one);
    folder.put("r2.csv", two);
    folder.put("r2.counterfeits.csv", "group,count\n7,1\n");
    folder.json(ASK);
    folder.put("r2.counterfeits.csv", "group,count\n7,many\n");
    let refused = folder.refused(ASK);
    assert!(refused.contains("row 1, column `count`: not a number of rows"), "{refused}");
}

/// Two releases of different columns, people by a column of the first, and a plan that names all.
fn of_different_columns() -> Folder {
    Folder::with(&[
        ("r1.csv", "age,job,s\n20-29,cook,a\n20-29,cook,a\n30-39,nurse,b\n30-39,nurse,c\n"),
        ("r2.csv", "age,place,s\n20-29,x,a\n20-29,x,b\n30-39,y,b\n30-39,y,c\n"),
        ("people.csv", "name,job\nAnn,cook\nBea,nurse\n"),
        (
            "plan.toml",
            "[attributes]\nage = 'quasi'\njob = 'quasi'\nplace = 'quasi'\ns = 'sensitive'\n",
        ),
    ])
}

#[test]
fn releases_of_different_columns_are_attacked_together() {
    let folder = of_different_columns();
    let answer = folder.json("attack r1.csv r2.csv --plan plan.toml --public people.csv");
    assert_eq!(answer["quasi"], json!(["age", "job", "place"]));
    // A cook is of 20 to 29, by the first release alone, and has the value that both show there.
    let found = attack(&answer, "record-linking");
    assert_eq!((&found["targets"], &found["above"]["1.0"]), (&json!(2), &json!(1)), "{found}");
    // A column that no release has is none.
    folder.put(
        "plan.toml",
        "[attributes]\nage = 'quasi'\nshoe = 'quasi'\nplace = 'quasi'\ns = 'sensitive'\n",
    );
    let refused = folder.refused("attack r1.csv r2.csv --plan plan.toml --public people.csv");
    assert!(refused.contains("`shoe`"), "{refused}");
}

#[test]
fn a_flag_may_name_a_column_of_any_release() {
    let folder = of_different_columns();
    folder.put("less.toml", "[attributes]\nage = 'quasi'\nplace = 'quasi'\ns = 'sensitive'\n");
    let by_plan = folder.json("attack r1.csv r2.csv --plan plan.toml --public people.csv");
    // The job is in the first release alone.
    for plan in ["--sensitive s", "--plan less.toml"] {
        let ask = format!("attack r1.csv r2.csv {plan} --quasi age,job,place --public people.csv");
        let by_flags = folder.json(&ask);
        assert_eq!(by_flags["attacks"], by_plan["attacks"], "{plan}");
        let refused = folder.refused(&ask.replace("job", "jobs"));
        let expected = "no column `jobs` in any of the releases; did you mean `job`?";
        assert!(refused.contains(expected), "{refused}");
    }
    // Of one release it must be the column.
    let refused = folder.refused("attack r2.csv --sensitive s --quasi age,job --public people.csv");
    assert!(refused.contains("no column `job` in r2.csv"), "{refused}");
}

#[test]
fn a_second_release_may_have_columns_of_its_own() {
    // By age in the one, by zip code in the other.
    let ages = [21, 25, 24, 38, 31, 33, 52, 58, 55, 67, 61, 64];
    let zips = [11, 21, 12, 22, 13, 23, 14, 24, 15, 25, 16, 26];
    let row = |at: usize| format!("{},{},d{at}\n", ages[at], zips[at]);
    let all = |header: &str, row: &dyn Fn(usize) -> String| {
        (0..ages.len()).fold(format!("{header}\n"), |text, at| text + &row(at))
    };
    let folder = Folder::new();
    folder.put("t.csv", all("age,zip,s", &row));
    folder.put("a.csv", all("age,s", &|at| format!("{}0-{0}9,d{at}\n", ages[at] / 10)));
    folder.put("b.csv", all("zip,s", &|at| format!("{}0-{0}9,d{at}\n", zips[at] / 10)));
    folder.put("p.toml", "[attributes]\nage = 'quasi'\nzip = 'quasi'\ns = 'sensitive'\n");
    let by_plan = folder.json("attack a.csv --release2 b.csv --plan p.toml --original t.csv");
    let ask = "attack a.csv --release2 b.csv --sensitive s --original t.csv --quasi age";
    let by_flags = folder.json(&format!("{ask},zip"));
    assert_eq!(by_flags["attacks"], by_plan["attacks"]);
    let joined = |answer: &Value| attack(answer, "complementary-release")["success"].as_f64();
    assert!(joined(&by_flags) > Some(0.5), "{by_flags}");
    // What has no role is not used, and that is said.
    let less = folder.json(ask);
    assert!(joined(&less) < Some(0.5), "{less}");
    let note = "`zip` of b.csv has no role and is not used";
    assert_eq!(less["notes"][0], note);
    assert!(!by_flags["notes"].to_string().contains("no role"));
}

#[test]
fn an_original_for_each_release_tells_of_who_has_left() {
    let folder = folder();
    folder.put(
        "t1.csv",
        "name,age,s\nBob,10,a\nKen,12,b\nSam,20,a\nJane,21,b\nLinda,32,a\nAlice,30,c\n",
    );
    let t2 = "name,age,s\nBob,10,a\nMandy,11,b\nSam,20,a\nAlice,30,c\nDavid,31,a\nTom,40,a\nCarol,41,c\n";
    folder.put("t2.csv", t2);
    let ask = format!("{ASK} --presence in1,in2 --key name");
    let newest = folder.json(&format!("{ask} --original t2.csv"));
    let both = folder.json(&format!("{ask} --original t1.csv --original t2.csv"));
    let targets = |answer: &Value, id: &str| attack(answer, id)["targets"].clone();
    // Ken, Jane and Linda are in the first table alone.
    for id in ["value-association", "value-equivalence"] {
        assert_eq!((targets(&newest, id), targets(&both, id)), (json!(7), json!(10)), "{id}");
    }
    // What is about the newest release is about the people in it; the raw table is the newest.
    for id in ["homogeneity", "temporal", "correspondence"] {
        assert_eq!(targets(&newest, id), targets(&both, id), "{id}");
    }
    assert_eq!((&newest["raw"], &newest["original"]), (&both["raw"], &both["original"]));
    let refused = folder.refused(&format!("{ask}{}", " --original t2.csv".repeat(3)));
    assert!(refused.contains("once for each release, but is given 3 times"), "{refused}");
}

#[test]
fn what_does_not_fit_a_series_is_refused() {
    let folder = folder();
    let refused = folder.refused(&format!("{ASK} --release2 r1.csv"));
    assert!(
        refused.contains("`--release2` is for one release, and several are named"),
        "{refused}"
    );
    let refused = folder.refused(&format!("{ASK} --presence in1"));
    assert!(refused.contains("`presence` must have 2 columns, one for each release"), "{refused}");
    let refused = folder.refused(&format!("{ASK} --presence in1,age"));
    assert!(refused.contains("column `age`: must be yes or no, 1 or 0"), "{refused}");
}
