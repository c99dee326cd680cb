//! What databases say about their tables: names, rows, comments and security labels.

use kohort::catalog::{Listed, proposals, tables};
use kohort::load::load_table;
use kohort::plan::{Input, Plan};

use crate::postgres::Postgres;

/// The labels are put where PostgreSQL keeps those of PostgreSQL Anonymizer, which need not be installed.
const WARD: &str = "
    CREATE SCHEMA ward;
    CREATE TABLE ward.people (c1 text, c2 int, c3 text, c4 text, c5 text, salary int, mail text, tags int[]);
    INSERT INTO ward.people SELECT 'a' || i % 7, i % 9, 'b' || i % 5, 'c' || i % 4, 'd' || i % 3, i % 11,
        'person' || i || '@example.org', ARRAY[i] FROM generate_series(1, 200) AS i;
    COMMENT ON COLUMN ward.people.c1 IS 'kohort: sensitive';
    COMMENT ON COLUMN ward.people.c2 IS 'year of birth in the old register';
    COMMENT ON COLUMN ward.people.c5 IS 'kohort: sensitive';
    COMMENT ON COLUMN ward.people.salary IS 'insensitive';
    COMMENT ON COLUMN ward.people.mail IS 'quasi';
    SET allow_system_table_mods = on;
    INSERT INTO pg_seclabel (objoid, classoid, objsubid, provider, label) VALUES
        ('ward.people'::regclass, 'pg_class'::regclass, 3, 'anon', 'MASKED WITH FUNCTION anon.fake_city()'),
        ('ward.people'::regclass, 'pg_class'::regclass, 4, 'anon', 'NOT MASKED'),
        ('ward.people'::regclass, 'pg_class'::regclass, 5, 'k_anonymity', 'INDIRECT IDENTIFIER');
    CREATE TABLE ward.\"no rows\" (a int);
    CREATE TABLE public.other (a int); INSERT INTO public.other VALUES (1);
    CREATE VIEW public.broken AS SELECT 1 / (a - 1) AS b FROM public.other;
    CREATE TABLE ward.hidden (a text); INSERT INTO ward.hidden VALUES ('HIV');
    CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA ward TO guest; GRANT SELECT ON ward.people TO guest;
";

fn plan(input: &str) -> Plan {
    Plan { input: Some(Input::from(input)), ..Plan::default() }
}

fn listed(input: &str) -> Vec<Listed> {
    tables(&plan(input), &|_, _| {}).unwrap().unwrap()
}

fn names(listed: &[Listed]) -> Vec<&str> {
    listed.iter().map(|one| one.name.as_str()).collect()
}

#[test]
fn a_schema_and_what_it_declares() {
    let postgres = Postgres::start();
    postgres.run(WARD, &[]);
    let own = postgres.address("kohort");
    declared_roles_are_proposals(&own);
    declarations_follow_the_columns_of_a_query(&own);
    every_table_is_listed(&own);
    what_may_not_be_read_is_listed_and_shows_nothing(&postgres.address("guest"));
}

fn declared_roles_are_proposals(own: &str) {
    let mut plan = plan(own);
    let input = plan.input.as_mut().unwrap();
    input.query = Some("SELECT c1, c2, c3, c4, c5, salary, mail FROM ward.people".into());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    let found = proposals(&plan, &table).unwrap();
    let told: Vec<(String, &str)> = found
        .iter()
        .map(|one| {
            let role = one.role.map_or("left out".to_owned(), |role| role.to_string());
            (format!("{} {role}", one.column), one.reason.as_str())
        })
        .collect();
    let expected = [
        ("c1 sensitive", "the comment of the column says `sensitive`"),
        (
            "c2 quasi",
            "the comment of the column says `birth`: acquaintances and other files know it",
        ),
        ("c3 identifier", "a label of PostgreSQL Anonymizer masks it with `fake_city`"),
        ("c4 left out", "neither the header nor the values say what it is"),
        // A label counts before a comment.
        ("c5 quasi", "a label of PostgreSQL Anonymizer calls it an indirect identifier"),
        (
            "salary left out",
            "the comment of the column says `insensitive`; but the header says `salary`: money, which nobody \
             should learn about a person",
        ),
    ];
    for (found, (role, reason)) in told.iter().zip(expected) {
        assert_eq!((found.0.as_str(), found.1), (role, reason));
    }
    // What singles people out is never proposed because somebody wrote so.
    assert_eq!(told[6].0, "mail left out");
    assert!(told[6].1.starts_with("the comment of the column says `quasi`; but "), "{}", told[6].1);
    assert_eq!(found.len(), 7);
}

fn declarations_follow_the_columns_of_a_query(own: &str) {
    let mut plan = plan(own);
    let query = "SELECT c1 AS renamed, c1 || '' AS computed FROM ward.people";
    plan.input.as_mut().unwrap().query = Some(query.into());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    let found = proposals(&plan, &table).unwrap();
    assert_eq!(found[0].role, Some(kohort::Role::Sensitive));
    assert_eq!(found[1].role, None);
}

fn every_table_is_listed(own: &str) {
    let all = listed(own);
    let expected = ["public.broken", "public.other", "ward.hidden", "ward.no rows", "ward.people"];
    assert_eq!(names(&all), expected);
    // What goes wrong with one table hides no other.
    let problem = all[0].seen.as_ref().unwrap_err().to_string();
    assert!(problem.ends_with("the query failed on the data (SQLSTATE 22012)"), "{problem}");
    let rows: Vec<u64> = all[1..].iter().map(|one| one.seen.as_ref().unwrap().n_rows).collect();
    assert_eq!(rows, [1, 1, 0, 200]);
    let people = all[4].seen.as_ref().unwrap();
    assert_eq!(people.proposals.len(), 7);
    assert_eq!(people.unread, [("tags".to_owned(), "int4".to_owned())]);
    assert_eq!(names(&listed(&format!("{own}#ward.*"))).len(), 3);
    let nowhere = tables(&plan(&format!("{own}#nowhere.*")), &|_, _| {}).unwrap_err();
    assert!(nowhere.to_string().ends_with("there are no tables that you may see"), "{nowhere}");
    assert!(tables(&plan(&format!("{own}#ward.people")), &|_, _| {}).unwrap().is_none());
}

fn what_may_not_be_read_is_listed_and_shows_nothing(guest: &str) {
    let all = listed(&format!("{guest}#ward.*"));
    assert_eq!(names(&all), ["ward.hidden", "ward.no rows", "ward.people"]);
    let problem = all[0].seen.as_ref().unwrap_err().to_string();
    assert!(problem.ends_with("permission denied for table hidden"), "{problem}");
    assert_eq!(all[2].seen.as_ref().unwrap().n_rows, 200);
}
