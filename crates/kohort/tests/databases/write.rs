//! Releases into databases.

use std::path::Path;

use kohort::load::{assign_roles, load_table};
use kohort::plan::{Input, Plan};
use kohort::release::{Receipt, anonymize_into_database};
use kohort::{Address, Ctx, Cx, DatabaseError, DatabaseKind, DatabaseTarget, Missing, Stop, Table};

use crate::postgres::Postgres;

const PLAN: &str = "[attributes]\nage = { role = \"quasi\", type = \"integer\" }\nzip = { role = \"quasi\", type = \
                    \"text\", taxonomy = \"mask\" }\ndisease = \"sensitive\"\nvisit = \"insensitive\"\nnote = \
                    \"insensitive\"\ncost = \"insensitive\"\n";

/// People whose notes hold everything that a text may.
fn people() -> Table {
    let notes = ["", "tab\there", "line\nbreak", "back\\slash \\N", "quote \" ' ,", "ünï 🦀", "\r"];
    let rows = (0..140_u32).map(|i| {
        [
            (20 + i * 7 % 60).to_string(),
            format!("0{}", 1000 + i * 13 % 90),
            ["flu", "cold", "HIV"][i as usize % 3].to_owned(),
            format!("2024-0{}-1{}", 1 + i % 9, i % 10),
            notes[i as usize % notes.len()].to_owned(),
            (u64::from(i) * 1_000_000_007).to_string(),
        ]
    });
    Table::from_rows(["age", "zip", "disease", "visit", "note", "cost"], rows).unwrap()
}

fn plan(goal: &str) -> Plan {
    Plan::parse("plan.toml", &format!("{PLAN}[goal]\n{goal}")).unwrap()
}

fn open(address: &str) -> Result<DatabaseTarget, DatabaseError> {
    DatabaseTarget::open(&Address::parse(address, Path::new("")).unwrap(), None)
}

fn refusal(address: &str) -> String {
    open(address).map(|_| ()).unwrap_err().to_string()
}

fn publish(target: DatabaseTarget, plan: &Plan) -> Result<Receipt, Stop> {
    let dataset = assign_roles(plan, people()).unwrap().value;
    anonymize_into_database(target, (plan, [7; 32]), &dataset, &Ctx::quiet())
}

fn read(address: &str) -> Table {
    let plan = Plan { input: Some(Input::from(address)), ..Plan::default() };
    load_table(&plan, &|_, _| {}).unwrap().value
}

fn rows(table: &Table) -> Vec<Vec<String>> {
    let cells = |row: usize| {
        let columns = table.columns().iter();
        columns.map(|one| one.dictionary().get(one.codes().get(row)).to_owned()).collect()
    };
    (0..table.n_rows()).map(cells).collect()
}

/// The release of the same plan in memory.
fn in_memory(plan: &Plan) -> Vec<Vec<String>> {
    rows(kohort::anonymize(&people(), plan, &Cx::default()).unwrap().table())
}

#[test]
fn a_release_in_postgresql() {
    let postgres = Postgres::start();
    postgres.run("CREATE SCHEMA ward;", &[]);
    a_release_is_that_of_the_library(&postgres);
    an_anatomized_release_is_two_tables(&postgres);
    an_earlier_release_hands_its_grants_on(&postgres);
    a_broken_connection_leaves_what_was_there(&postgres);
    two_writers_take_turns(&postgres);
    what_cannot_be_replaced_is_refused(&postgres);
    a_release_that_is_rejected_is_not_there(&postgres);
}

fn count(postgres: &Postgres, of: &str) -> String {
    let found = postgres.run("", &[&format!("SELECT count(*) FROM {of};")]);
    found[0].rows[0][0].clone().unwrap()
}

fn a_release_is_that_of_the_library(postgres: &Postgres) {
    let address = format!("{}#ward.Release", postgres.address("kohort"));
    let plan = plan("k-anonymity = 4\n");
    let receipt = publish(open(&address).unwrap(), &plan).unwrap();
    assert!(receipt.verified);
    assert!(receipt.files[0].ends_with("/postgres#ward.Release"), "{:?}", receipt.files);
    // Every text comes back, in the order of the release.
    assert_eq!(rows(&read(&address)), in_memory(&plan));
    let types = postgres.run(
        "",
        &["SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'Release' ORDER BY 1;"],
    );
    let types: Vec<String> = types[0].rows.iter().map(|row| row[1].clone().unwrap()).collect();
    assert_eq!(types, ["text", "bigint", "text", "text", "date", "text"]);
    assert_eq!(count(postgres, "pg_class WHERE relname LIKE 'kohort%'"), "0");
}

fn an_anatomized_release_is_two_tables(postgres: &Postgres) {
    let address = format!("{}#ward.apart", postgres.address("kohort"));
    let plan = plan(
        "distinct-l-diversity = { l = 2, attribute = \"disease\" }\n[method]\nalgorithm = \"anatomy\"\n",
    );
    let receipt = publish(open(&address).unwrap(), &plan).unwrap();
    assert!(receipt.verified);
    assert_eq!(receipt.files.len(), 2);
    assert_eq!(count(postgres, "ward.apart"), "140");
    assert_eq!(
        count(
            postgres,
            "(SELECT sum(count) = 140 AS whole FROM ward.apart_sensitive) AS s WHERE whole"
        ),
        "1"
    );
    let values = read(&kohort::values_table(&address));
    assert_eq!(values.columns().len(), 3);
    // Again, over the two that are there.
    let mut target = open(&address).unwrap();
    assert_eq!(target.earlier(&Missing::default()).unwrap().len(), 2);
    publish(target, &plan).unwrap();
    assert_eq!(count(postgres, "ward.apart"), "140");
}

fn an_earlier_release_hands_its_grants_on(postgres: &Postgres) {
    let address = format!("{}#ward.granted", postgres.address("kohort"));
    publish(open(&address).unwrap(), &plan("k-anonymity = 2\n")).unwrap();
    postgres.run(
        "CREATE ROLE reader; CREATE ROLE \"Some one\"; CREATE ROLE owner; CREATE ROLE newcomer;
         GRANT USAGE, CREATE ON SCHEMA ward TO owner;
         GRANT SELECT ON ward.granted TO reader WITH GRANT OPTION;
         GRANT SELECT (age), UPDATE (zip) ON ward.granted TO \"Some one\";
         GRANT TRIGGER ON ward.granted TO PUBLIC;
         COMMENT ON TABLE ward.granted IS 'it''s the release';
         COMMENT ON COLUMN ward.granted.age IS 'in years';
         ALTER TABLE ward.granted OWNER TO owner;
         ALTER DEFAULT PRIVILEGES IN SCHEMA ward GRANT ALL ON TABLES TO newcomer;",
        &[],
    );
    let state = "SELECT relowner::regrole, array(SELECT acl::text FROM unnest(relacl) AS acl ORDER BY 1)::text,
        obj_description(oid), col_description(oid, 1),
        array(SELECT attname || attacl::text FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL
        ORDER BY 1)::text FROM pg_class AS c WHERE oid = 'ward.granted'::regclass;";
    let before = postgres.run("", &[state]);
    publish(open(&address).unwrap(), &plan("k-anonymity = 5\n")).unwrap();
    let after = postgres.run("", &[state]);
    assert_eq!(after[0].rows, before[0].rows);
    assert_eq!(rows(&read(&address)), in_memory(&plan("k-anonymity = 5\n")));
    // What is new gets what the schema gives by default.
    let fresh = format!("{}#ward.fresh", postgres.address("kohort"));
    publish(open(&fresh).unwrap(), &plan("k-anonymity = 5\n")).unwrap();
    let granted =
        postgres.run("", &["SELECT has_table_privilege('newcomer', 'ward.fresh', 'SELECT');"]);
    assert_eq!(granted[0].rows[0][0].as_deref(), Some("t"));
}

fn a_broken_connection_leaves_what_was_there(postgres: &Postgres) {
    let address = format!("{}#ward.kept", postgres.address("kohort"));
    let plan = plan("k-anonymity = 4\n");
    publish(open(&address).unwrap(), &plan).unwrap();
    let before = rows(&read(&address));
    let end_all = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'kohort';";
    let release = kohort::anonymize(&people(), &plan, &Cx::default()).unwrap();
    for steps in 0..4 {
        let mut target = open(&address).unwrap();
        if steps > 0 {
            target.stage(release.table(), None).unwrap();
        }
        if steps > 1 {
            target.read(&Missing::default()).unwrap();
        }
        if steps == 3 {
            // Whoever gives up leaves nothing either.
            drop(target);
        } else {
            let ended = postgres.run("", &[end_all]);
            assert_eq!(ended[0].rows[0][0].as_deref(), Some("1"));
            let error = target.publish().unwrap_err().to_string();
            assert!(error.starts_with("postgres://"), "{error}");
        }
        assert_eq!(rows(&read(&address)), before);
        assert_eq!(count(postgres, "pg_class WHERE relname LIKE 'kohort%'"), "0");
    }
}

fn two_writers_take_turns(postgres: &Postgres) {
    let address = format!("{}#ward.shared", postgres.address("kohort"));
    let first = open(&address).unwrap();
    let second = open(&address).map(|_| ()).unwrap_err();
    assert!(matches!(second.kind(), DatabaseKind::Busy { .. }), "{second}");
    open(&format!("{}#ward.other", postgres.address("kohort"))).unwrap();
    publish(first, &plan("k-anonymity = 4\n")).unwrap();
    open(&address).unwrap();
}

fn what_cannot_be_replaced_is_refused(postgres: &Postgres) {
    let own = postgres.address("kohort");
    postgres.run(
        "CREATE VIEW ward.seen AS SELECT age FROM ward.kept; CREATE ROLE stranger LOGIN;
         GRANT USAGE ON SCHEMA ward TO stranger; CREATE SCHEMA own AUTHORIZATION stranger;
         CREATE TABLE own.taken (a int); CREATE TABLE ward.locked (a int);
         ALTER TABLE ward.locked ENABLE ROW LEVEL SECURITY;",
        &[],
    );
    let of = |table: &str| refusal(&format!("{own}#{table}"));
    assert!(of("nowhere.release").ends_with("table `nowhere.release`: there is no such schema"));
    assert!(of("ward.seen").ends_with("is no ordinary table"));
    assert!(of("ward.locked").contains("has row security"));
    assert!(of(&"x".repeat(60)).ends_with("the name is too long"));
    assert!(refusal(&own).ends_with("no table is named for the release"));
    let stranger = postgres.address("stranger");
    let not_allowed = refusal(&format!("{stranger}#ward.mine"));
    assert!(not_allowed.ends_with("you may not create tables in this schema"), "{not_allowed}");
    let taken = refusal(&format!("{stranger}#own.taken"));
    assert!(taken.ends_with("belongs to somebody else"), "{taken}");
    // A view on the earlier release: PostgreSQL refuses to drop it, and everything stays.
    let before = rows(&read(&format!("{own}#ward.kept")));
    let answer = publish(open(&format!("{own}#ward.kept")).unwrap(), &plan("k-anonymity = 7\n"));
    let Err(Stop::Error(error)) = answer else { panic!("a view hangs on the table") };
    assert!(error.to_string().contains("cannot drop table"), "{error}");
    assert_eq!(rows(&read(&format!("{own}#ward.kept"))), before);
}

fn a_release_that_is_rejected_is_not_there(postgres: &Postgres) {
    let address = format!("{}#ward.never", postgres.address("kohort"));
    let answer = publish(open(&address).unwrap(), &plan("k-anonymity = 141\n"));
    assert!(matches!(answer, Err(Stop::No(_))));
    assert_eq!(count(postgres, "pg_class WHERE relname IN ('never', 'never_sensitive')"), "0");
}

#[test]
fn a_release_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ward.db");
    let address = format!("sqlite:{}#release", file.display());
    let four = plan("k-anonymity = 4\n");
    // What is not published leaves no file.
    let mut target = open(&address).unwrap();
    let release = kohort::anonymize(&people(), &four, &Cx::default()).unwrap();
    target.stage(release.table(), None).unwrap();
    drop(target);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);

    assert!(publish(open(&address).unwrap(), &four).unwrap().verified);
    assert_eq!(rows(&read(&address)), in_memory(&four));
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("CREATE VIEW seen AS SELECT age FROM release;").unwrap();
    let mut target = open(&address).unwrap();
    target.stage(release.table(), None).unwrap();
    let busy = open(&address).map(|_| ()).unwrap_err();
    assert!(matches!(busy.kind(), DatabaseKind::Busy { .. }), "{busy}");
    drop(target);
    assert_eq!(rows(&read(&address)), in_memory(&four));
    let five = plan("k-anonymity = 5\n");
    publish(open(&address).unwrap(), &five).unwrap();
    assert_eq!(rows(&read(&address)), in_memory(&five));
    let seen: u32 = other.query_row("SELECT count(*) FROM seen", [], |row| row.get(0)).unwrap();
    assert_eq!(seen, 140);
    let names: u32 =
        other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(names, 2);
    assert!(
        refusal(&format!("sqlite:{}#seen", file.display())).ends_with("table `seen`: is no table")
    );
    let apart = plan(
        "distinct-l-diversity = { l = 2, attribute = \"disease\" }\n[method]\nalgorithm = \"anatomy\"\n",
    );
    let receipt =
        publish(open(&format!("sqlite:{}#apart", file.display())).unwrap(), &apart).unwrap();
    assert_eq!(receipt.files.len(), 2);
}
