//! Tables joined by keys.

use std::fmt::Write as _;

use kohort_core::{Codes, Column, Dictionary, Missing, Nested, Table};
use kohort_io::{Error, NestedFormat, Related, relate, tables_of};
use proptest::prelude::*;

use super::{shown, written};

/// A table of these lines, the first of which holds the names.
fn table(name: &str, text: &str) -> Table {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |(position, name): (usize, &&str)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, row) in (2..).zip(&rows[1..]) {
            codes.push(dictionary.intern(row[position].as_bytes(), line).unwrap());
        }
        Column::new((*name).to_owned(), dictionary, codes, &Missing::default())
    };
    let columns = rows[0].iter().enumerate().map(column).collect();
    Table::new(name.to_owned(), columns, true, Missing::default())
}

fn related(path: &str, text: &str, key: &str, foreign_key: &str) -> Related {
    let named = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let name = if path.is_empty() { "people.csv" } else { "others.csv" };
    let table = table(name, text);
    Related { path: path.to_owned(), table, key: named(key), foreign_key: named(foreign_key) }
}

const PEOPLE: &str = "pid,birth_year\nB,1980\nA,1990";
const VISITS: &str = "vid,patient,day,ward\n1,A,mon,3\n2,B,tue,\n3,A,wed,4";
const DIAGNOSES: &str = "visit,diagnosis\n3,flu\n1,cold\n3,gout\n1,flu";

fn patients() -> Vec<Related> {
    vec![
        related("visits[].diagnoses[]", DIAGNOSES, "", "visit"),
        related("", PEOPLE, "pid", ""),
        related("visits[]", VISITS, "vid", "patient"),
    ]
}

#[test]
fn rows_follow_those_they_belong_to() {
    let nested = relate(patients()).unwrap();
    assert_eq!(
        shown(&nested),
        [
            "<> birth_year",
            "1980",
            "1990",
            "<visits[]> visits[].day|visits[].ward",
            "0: tue|",
            "1: mon|3",
            "1: wed|4",
            "<visits[].diagnoses[]> visits[].diagnoses[].diagnosis",
            "1: cold",
            "1: flu",
            "2: flu",
            "2: gout",
        ]
    );
    assert_eq!(
        written(&nested, NestedFormat::JsonLines(None)),
        "{\"birth_year\":1980,\"visits\":[{\"day\":\"tue\",\"ward\":null}]}\n\
         {\"birth_year\":1990,\"visits\":[{\"day\":\"mon\",\"ward\":3,\"diagnoses\":[{\"diagnosis\":\"cold\"},\
         {\"diagnosis\":\"flu\"}]},{\"day\":\"wed\",\"ward\":4,\"diagnoses\":[{\"diagnosis\":\"flu\"},\
         {\"diagnosis\":\"gout\"}]}]}\n"
    );
}

#[test]
fn keys_that_number_their_rows_say_nothing_else() {
    // The visits are numbered, the people are not.
    let told = "keys in `pid` that are not the numbers of their rows";
    assert_eq!(relate(patients()).unwrap().layout().left_out, [told]);
    let issued = tables_of(&relate(patients()).unwrap());
    assert!(relate(issued).unwrap().layout().left_out.is_empty());
}

#[test]
fn tables_have_keys_of_their_own() {
    let nested = relate(patients()).unwrap();
    let tables = tables_of(&nested);
    let names = |related: &Related| {
        let names = related.table.columns().iter().map(|column| column.name().to_owned());
        names.collect::<Vec<String>>().join(",")
    };
    assert_eq!(
        tables.iter().map(names).collect::<Vec<_>>(),
        ["id,birth_year", "id,person_id,day,ward", "visits_id,diagnosis",]
    );
    assert_eq!(tables[1].key.as_deref(), Some("id"));
    assert_eq!(tables[2].foreign_key.as_deref(), Some("visits_id"));
    let taken = relate(vec![
        related("", "k,id\n1,x", "k", ""),
        related("a[]", "f,person_id\n1,y", "", "f"),
    ]);
    let tables = tables_of(&taken.unwrap());
    assert_eq!(tables.iter().map(names).collect::<Vec<_>>(), ["id_2,id", "person_id_2,person_id"]);
}

fn message(result: Result<Nested, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let check = |people: &str, visits: &str, expected: &str| {
        let tables =
            vec![related("", people, "pid", ""), related("visits[]", visits, "", "patient")];
        assert_eq!(message(relate(tables)), expected);
    };
    let twice = "people.csv, line 2, column `pid`: row 3 has the same key";
    check("pid,a\nA,1\nB,2\nA,3", "patient,b\nA,1", twice);
    let missing = "people.csv, line 3, column `pid`: a key must not be missing";
    check("pid,a\nA,1\n,2", "patient,b\nA,1", missing);
    let nobody = "others.csv, line 3, column `patient`: names no row of people.csv";
    check("pid,a\nA,1", "patient,b\nA,1\nsecret,2", nobody);
    let nothing =
        "others.csv, line 2, column `patient`: has no key of the table that it belongs to";
    check("pid,a\nA,1", "patient,b\n,1\nA,2", nothing);
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let people = || related("", PEOPLE, "pid", "");
    let check = |tables: Vec<Related>, expected: &str| {
        assert_eq!(message(relate(tables)), expected);
    };
    let nobody = "table of people: must be there, with an empty path";
    check(vec![], nobody);
    check(vec![related("visits[]", VISITS, "vid", "patient")], nobody);
    let orphan = "table `visits[].diagnoses[]`: there is no table at `visits[]`";
    check(vec![people(), related("visits[].diagnoses[]", DIAGNOSES, "", "visit")], orphan);
    check(vec![people(), people()], "table of people: two tables have this place");
    let no_key = "table of people: must name its key: `visits[]` is below it";
    let visits = || related("visits[]", VISITS, "vid", "patient");
    check(vec![related("", PEOPLE, "", ""), visits()], no_key);
    let no_foreign = "table `visits[]`: must name its foreign key";
    check(vec![people(), related("visits[]", VISITS, "vid", "")], no_foreign);
    check(
        vec![related("", PEOPLE, "pid", "birth_year")],
        "table of people: must have no foreign key",
    );
    check(
        vec![people(), related("x[", VISITS, "", "vid")],
        "table `x[`: must be a path such as `visits[]`",
    );
    let unknown = message(relate(vec![people(), related("v[]", VISITS, "", "patent")]));
    assert!(unknown.starts_with("table `v[]`: ") && unknown.contains("`patent`"), "{unknown}");
    let two = "others.csv, line 2, column `patient`: two rows belong to the same, but the path has no `[]`";
    check(vec![people(), related("visit", VISITS, "", "patient")], two);
    let named = "table `birth_year`: a column has the name of this table";
    check(vec![people(), related("birth_year", VISITS, "", "patient")], named);
}

/// For each level, a value and the row above for each row.
fn levels() -> impl Strategy<Value = Vec<Vec<(u8, usize)>>> {
    prop::collection::vec(prop::collection::vec((0..4_u8, 0..100_usize), 1..20), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn tables_of_records_give_the_records_again(levels in levels()) {
        let mut tables = Vec::new();
        let mut path = String::new();
        for (depth, rows) in levels.iter().enumerate() {
            let mut text = "key,above,value".to_owned();
            for (row, (value, above)) in rows.iter().enumerate() {
                let above = if depth == 0 { 0 } else { above % levels[depth - 1].len() };
                write!(text, "\nk{row},k{above},{value}").unwrap();
            }
            tables.push(related(&path, &text, "key", if depth == 0 { "" } else { "above" }));
            path = if depth == 0 { "c[]".to_owned() } else { format!("{path}.c[]") };
        }
        let nested = relate(tables).unwrap();
        let again = relate(tables_of(&nested)).unwrap();
        prop_assert_eq!(shown(&again), shown(&nested));
        let n_rows: usize = levels.iter().map(Vec::len).sum();
        prop_assert_eq!(nested.n_vertices(), n_rows);
    }
}
