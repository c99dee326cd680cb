//! Diagnosis that the database counts: the answer is that of the rows when they are read.

use std::fmt::Write;

use kohort::diagnose::{Question, diagnose};
use kohort::in_place::InPlace;
use kohort::load::{assign_roles, load_table};
use kohort::plan::{
    AttributePlan, FullAttribute, Input, MissingName, Plan, RoleName, TypeName, set_role,
};
use kohort::{Ctx, Table};
use kohort_core::MissingAs;
use serde_json::Value;

use crate::postgres::Postgres;
use crate::sql::{Drawn, Random, questions};

/// What the local answer has and a database does not count, or does in another way.
const NOT_IN_PLACE: [&str; 4] =
    ["/uniques/by_smallest_set", "/uniques/riskiest", "/evaluated", "/search"];

#[test]
fn the_answer_of_postgresql_is_the_local_one() {
    let postgres = Postgres::start();
    every_answer_is_the_local_one(&postgres.address("kohort"), &|setup| {
        postgres.run(setup, &[]);
    });
    texts_that_look_the_same_are_one_value(&postgres.address("kohort"), &|setup| {
        postgres.run(setup, &[]);
    });
    what_shows_nothing_is_left_out(&postgres);
}

#[test]
fn the_answer_of_sqlite_is_the_local_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ward.db");
    let run = |setup: &str| {
        rusqlite::Connection::open(&file).unwrap().execute_batch(setup).unwrap();
    };
    let address = format!("sqlite:{}", file.display());
    every_answer_is_the_local_one(&address, &run);
    texts_that_look_the_same_are_one_value(&address, &run);
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn plan_of(address: &str, drawn: &Drawn) -> Plan {
    let mut input = Input::from(address);
    match drawn.names[0].as_str() {
        "cell" => input.table = Some("cell".into()),
        name => input.query = Some(format!("SELECT * FROM {}", quoted(name))),
    }
    let mut plan = Plan { input: Some(input), ..Plan::default() };
    let missing = (drawn.missing_text == MissingAs::Value).then_some(MissingName::Value);
    let columns = drawn.quasi.iter().map(|name| (*name, RoleName::Quasi));
    for (name, role) in
        columns.chain(drawn.sensitive.iter().map(|name| (*name, RoleName::Sensitive)))
    {
        // What a column without values is, only its declaration says.
        let value_type = match name {
            "n" | "cell" => TypeName::Integer,
            "v" => TypeName::Date,
            _ => TypeName::Text,
        };
        let full = FullAttribute { value_type: Some(value_type), ..FullAttribute::from(role) };
        let is_text = role == RoleName::Sensitive && value_type == TypeName::Text;
        let full = if is_text { FullAttribute { missing, ..full } } else { full };
        plan.attributes.insert(name.to_owned(), AttributePlan::Full(full));
    }
    plan
}

fn read(plan: &Plan) -> Table {
    load_table(plan, &|_, _| {}).unwrap().value
}

fn every_answer_is_the_local_one(address: &str, run: &dyn Fn(&str)) {
    let mut random = Random(23);
    let mut n_compared = 0;
    for number in 0..16 {
        let drawn = Drawn::new(number, &mut random);
        let mut setup = String::new();
        drawn.create(&mut setup);
        run(&setup);
        let plan = plan_of(address, &drawn);
        let public = quoted(&drawn.names[1]);
        let mut population = Input::from(address);
        population.query = Some(format!("SELECT * FROM {public}"));
        let population = read(&Plan { input: Some(population), ..Plan::default() });
        let dataset = assign_roles(&plan, read(&plan)).unwrap().value;
        let mut place = InPlace::open(&plan).unwrap();
        for question in questions(&mut random, &drawn) {
            let goal = random.goal();
            let goal = if drawn.sensitive.is_empty() { &goal[..1] } else { &goal };
            let has_public = question.sampling_fraction.is_none();
            let people = has_public.then_some(&population);
            let expected = diagnose(&dataset, &question, goal, people, &Ctx::quiet()).unwrap();
            let public = has_public.then_some(public.as_str());
            let found = place.diagnose(&plan, (&question, goal), public, &Ctx::quiet()).unwrap();
            same(&found, &expected, &format!("table {number}, {question:?}"));
            n_compared += 1;
        }
    }
    assert!(n_compared > 200, "only {n_compared} answers were compared");
}

fn same(found: &kohort::diagnose::Diagnosis, expected: &kohort::diagnose::Diagnosis, about: &str) {
    // Several sensitive attributes together are not counted in place, and that is said.
    if expected.disclosure.is_some() {
        assert!(found.left_out.iter().any(|one| one.contains("together")), "{about}");
    }
    let mut expected = expected.clone();
    expected.disclosure = None;
    let (mut found, mut expected) =
        (serde_json::to_value(found).unwrap(), serde_json::to_value(&expected).unwrap());
    for answer in [&mut found, &mut expected] {
        for place in NOT_IN_PLACE {
            if let Some(part) = answer.pointer_mut(place) {
                part.take();
            }
        }
        if let Some(object) = answer.as_object_mut() {
            object.remove("left_out");
        }
    }
    let mut differences = String::new();
    compare("", &found, &expected, &mut differences);
    assert_eq!(differences, "", "{about}");
}

/// Whole numbers and texts are equal; decimals up to rounding.
fn compare(place: &str, found: &Value, expected: &Value, out: &mut String) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (name, value) in a {
                compare(&format!("{place}/{name}"), value, &b[name], out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{place}/{at}"), a, b, out);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() > 1e-9 * a.abs().max(b.abs()).max(1e-3) {
                let _ = writeln!(out, "{place}: {a}, not {b}");
            }
        }
        _ if found == expected => {}
        _ => {
            let _ = writeln!(out, "{place}: {found}, not {expected}");
        }
    }
}

/// Texts with blanks, signs that show nothing and letters in two compositions; what stands for missing; numbers.
fn texts_that_look_the_same_are_one_value(address: &str, run: &dyn Fn(&str)) {
    run("CREATE TABLE looks (place text, note text, cost integer);
         INSERT INTO looks VALUES ('bad', 'fi\u{e8}vre', 1), (' bad ', 'fie\u{300}vre', 2), ('b\u{200b}ad', 'fi\u{e8}vre\u{2800}', 10),
         ('\u{a0}bad', 'NA', NULL), ('', 'fi\u{e8}vre', 3), (NULL, 'toux', 3), ('?', ' ', 999), ('Ort', 'toux ', 5);");
    let mut plan =
        Plan { input: Some(Input::from(format!("{address}#looks").as_str())), ..Plan::default() };
    set_role(&mut plan, &["place".to_owned()], RoleName::Quasi);
    set_role(&mut plan, &["note".to_owned(), "cost".to_owned()], RoleName::Sensitive);
    plan.read.missing = Some(vec!["NA".into(), "?".into(), "999".into()]);
    let dataset = assign_roles(&plan, read(&plan)).unwrap().value;
    let question = Question::default();
    let expected = diagnose(&dataset, &question, &[], None, &Ctx::quiet()).unwrap();
    assert_eq!((expected.k, expected.classes), (1, 3));
    let mut place = InPlace::open(&plan).unwrap();
    let found = place.diagnose(&plan, (&question, &[]), None, &Ctx::quiet()).unwrap();
    same(&found, &expected, "texts that look the same");
}

/// Every character of Unicode shows something to PostgreSQL where it shows something to us.
fn what_shows_nothing_is_left_out(postgres: &Postgres) {
    let all = (1..=0x0010_ffff_u32).filter_map(char::from_u32).filter(|c| *c != '\u{fffe}');
    let shown = |c: char| kohort_core::visible(&format!("a{c}b")).chars().count() > 2;
    let hidden: Vec<char> = all.filter(|&c| !shown(c)).collect();
    assert!(hidden.len() > 4000);
    let mut setup = String::from("CREATE TABLE signs (sign text, seen text);");
    for sign in hidden.chunks(64) {
        for c in sign {
            let _ =
                write!(setup, "INSERT INTO signs VALUES ('a' || chr({}) || 'b', 'x');", *c as u32);
        }
    }
    for c in ['\u{85}', '\u{200a}', '\u{3000}', 'v', '\u{2027}', '\u{fffc}', '\u{fffd}'] {
        let _ = write!(setup, "INSERT INTO signs VALUES (chr({}) || 'c', 'x');", c as u32);
    }
    postgres.run(&setup, &[]);
    let address = format!("{}#signs", postgres.address("kohort"));
    let mut plan = Plan { input: Some(Input::from(address.as_str())), ..Plan::default() };
    set_role(&mut plan, &["sign".to_owned()], RoleName::Quasi);
    let mut place = InPlace::open(&plan).unwrap();
    let question = Question::default();
    let found = place.diagnose(&plan, (&question, &[]), None, &Ctx::quiet()).unwrap();
    let dataset = assign_roles(&plan, read(&plan)).unwrap().value;
    let expected = diagnose(&dataset, &question, &[], None, &Ctx::quiet()).unwrap();
    assert_eq!(found.class_sizes.len(), expected.class_sizes.len());
    same(&found, &expected, "signs that show nothing");
}
