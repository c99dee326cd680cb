//! Tables out of databases.

use std::fmt::Write;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::time::{Duration, Instant};

use kohort::load::load_table;
use kohort::plan::{Input, Plan};
use kohort::{Address, Cancelled, Cx, DatabaseKind, Password, Table};

use crate::postgres::Postgres;

const TYPES: &str = "
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE DOMAIN years AS int CHECK (VALUE >= 0);
    CREATE SCHEMA ward;
    CREATE TABLE ward.\"Every type\" (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric,
        t text, v varchar(9), c char(4), d date, ts timestamp, tz timestamptz, u uuid, e mood, y years, m inet);
    INSERT INTO ward.\"Every type\" VALUES
        (true, -32768, 2147483647, -9223372036854775808, 0.1, 1e-7, 1.10, 'a,\"b\"', '', 'x', '1969-12-31',
         '2024-02-29 23:59:59.5', '2024-02-29 23:59:59+02', '00112233-4455-6677-8899-aabbccddeeff', 'glad', 5,
         '10.0.0.1'),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
";

fn plan(address: &str, table: Option<&str>, query: Option<&str>) -> Plan {
    let mut input: Input = address.into();
    input.table = table.map(str::to_owned);
    input.query = query.map(str::to_owned);
    Plan { input: Some(input), ..Plan::default() }
}

fn read(plan: &Plan) -> Result<Table, kohort::Error> {
    load_table(plan, &|_, _| {}).map(|loaded| loaded.value)
}

fn refusal(plan: &Plan) -> String {
    read(plan).map(|table| table.n_rows()).unwrap_err().to_string()
}

fn row(table: &Table, row: usize) -> Vec<&str> {
    table.columns().iter().map(|column| column.dictionary().get(column.codes().get(row))).collect()
}

#[test]
fn postgresql() {
    let postgres = Postgres::start();
    postgres.run(TYPES, &[]);
    types_keep_their_values(&postgres);
    what_is_no_table_is_refused(&postgres);
    passwords_open_and_stay_secret(&postgres);
    queries_only_read_and_show_no_cell(&postgres);
    a_cancel_does_not_wait_for_the_rows(&postgres);
    a_release_is_that_of_the_file(&postgres);
}

fn types_keep_their_values(postgres: &Postgres) {
    let address = postgres.address("kohort");
    let table = read(&plan(&address, Some("ward.Every type"), None)).unwrap();
    assert_eq!(table.name(), "ward.Every type");
    let expected = [
        "true",
        "-32768",
        "2147483647",
        "-9223372036854775808",
        "0.1",
        "1e-7",
        "1.10",
        "a,\"b\"",
        "",
        "x",
        "1969-12-31",
        "2024-02-29T23:59:59.500",
        "2024-02-29T21:59:59Z",
        "00112233-4455-6677-8899-aabbccddeeff",
        "glad",
        "5",
        "10.0.0.1/32",
    ];
    assert_eq!(row(&table, 0), expected);
    assert!(row(&table, 1).iter().all(|text| text.is_empty()));
    // NULL is no empty text.
    let varchar = table.column("v").unwrap();
    assert_ne!(varchar.written(0), varchar.written(1));
    // The address names the table, too.
    let named = read(&plan(&format!("{address}#ward.Every type"), None, None)).unwrap();
    assert_eq!(row(&named, 0), expected);
}

fn what_is_no_table_is_refused(postgres: &Postgres) {
    let address = postgres.address("kohort");
    let asked = |query: &str| refusal(&plan(&address, None, Some(query)));
    let shown = Address::parse(&address, Path::new("")).unwrap().to_string();
    for (query, problem) in [
        (
            "SELECT ARRAY[1] AS a",
            ", column `a`: a column of type int4 is not one value for each row",
        ),
        (
            "SELECT '\\x00'::bytea AS a",
            ", column `a`: a column of type bytea is not one value for each row",
        ),
        ("SELECT 1 AS a, 2 AS a", ": column reference \"a\" is ambiguous"),
        ("SELECT 'infinity'::date AS a", ", row 1, column `a`: an infinite date"),
        ("SELECT * FROM nowhere", ": relation \"nowhere\" does not exist"),
        ("SELECT 1; SELECT 2", ": cannot insert multiple commands into a prepared statement"),
        ("SELEC 1", ": syntax error at or near \"SELEC\""),
    ] {
        let found = asked(query);
        assert_eq!(found, format!("{shown}{problem}"));
    }
    assert_eq!(
        refusal(&plan(&address, None, None)),
        format!("{shown}: no table and no query is named")
    );
    let here = plan("table.csv", Some("a"), None);
    assert_eq!(refusal(&here), "a table or query is named, and the input is no database");
    let nobody = plan("postgres://me@127.0.0.1:1/d?connect_timeout=2#a", None, None);
    assert!(refusal(&nobody).starts_with("postgres://127.0.0.1:1/d: "), "{}", refusal(&nobody));
}

fn passwords_open_and_stay_secret(postgres: &Postgres) {
    postgres.ask_for_password("secured", "s3cret");
    let address = postgres.address("secured");
    let mut plan = plan(&address, None, Some("SELECT 1 AS a"));
    let wanted = |plan: &Plan| {
        let error = read(plan).map(|table| table.n_rows()).unwrap_err();
        let kohort::Kind::Database(found) = error.kind() else { panic!("{error}") };
        assert!(matches!(found.kind(), DatabaseKind::Password { .. }), "{error}");
        let all = format!("{error} {error:?} {:?} {plan:?}", error.hint());
        assert!(!all.contains("s3cret") && !all.contains("wrong one"), "{all}");
    };
    wanted(&plan);
    plan.input.as_mut().unwrap().password = Some(Password::new("wrong one"));
    wanted(&plan);
    plan.input.as_mut().unwrap().password = Some(Password::new("s3cret"));
    assert_eq!(read(&plan).unwrap().n_rows(), 1);
    let written = toml::to_string(&plan).unwrap();
    assert!(written.contains("SELECT 1 AS a") && !written.contains("s3cret"), "{written}");
    let inside = address.replace("secured@", "secured:s3cret@");
    let found = refusal(&Plan { input: Some(inside.as_str().into()), ..Plan::default() });
    assert_eq!(found, "there is a password in the address of the database");
}

fn queries_only_read_and_show_no_cell(postgres: &Postgres) {
    let address = postgres.address("kohort");
    postgres.run("CREATE TABLE ill (a text); INSERT INTO ill VALUES ('HIV'), ('7'); CREATE SEQUENCE counter;", &[]);
    let asked = |query: &str| refusal(&plan(&address, None, Some(query)));
    assert!(asked("DELETE FROM ill RETURNING a").contains("syntax error"));
    assert!(asked("WITH d AS (DELETE FROM ill RETURNING a) SELECT * FROM d").contains("top level"));
    assert!(asked("SELECT setval('counter', 9) AS a").contains("does not only read"));
    assert!(asked("DROP TABLE ill").ends_with("does not only read, or gives no columns"));
    let cell = asked("SELECT a::int FROM ill");
    assert!(cell.ends_with("the query failed on the data (SQLSTATE 22P02)"), "{cell}");
    let limited = format!("{address}&statement_timeout=1s");
    let started = Instant::now();
    let late = refusal(&plan(&limited, None, Some("SELECT pg_sleep(30)::text AS a")));
    assert!(late.ends_with("canceling statement due to statement timeout"), "{late}");
    assert!(started.elapsed() < Duration::from_secs(10));
    let rows = postgres.run("", &["SELECT count(*) FROM ill;"]);
    assert_eq!(rows[0].rows[0][0].as_deref(), Some("2"));
}

fn a_cancel_does_not_wait_for_the_rows(postgres: &Postgres) {
    let many = "SELECT i, i::text AS t, md5(i::text) AS s FROM generate_series(1, 30000000) AS i";
    let plan = plan(&postgres.address("kohort"), None, Some(many));
    let started = Instant::now();
    let cancel = |_, _| std::panic::resume_unwind(Box::new(Cancelled));
    let unwound = std::panic::catch_unwind(AssertUnwindSafe(|| load_table(&plan, &cancel).is_ok()));
    assert!(unwound.unwrap_err().is::<Cancelled>());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A table with the texts of a file gives the release of the file.
fn a_release_is_that_of_the_file(postgres: &Postgres) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.csv");
    let mut rows = String::from("age,zip,disease\n");
    let mut values = Vec::new();
    for i in 0..200_u32 {
        let (age, zip, disease) =
            (20 + i * 7 % 60, 1000 + i * 13 % 90, ["flu", "cold", "HIV"][i as usize % 3]);
        let _ = writeln!(rows, "{age},0{zip},{disease}");
        values.push(format!("({age}, '0{zip}', '{disease}')"));
    }
    std::fs::write(&file, &rows).unwrap();
    let create = "CREATE TABLE people (age int, zip text, disease text);";
    postgres.run(&format!("{create} INSERT INTO people VALUES {};", values.join(", ")), &[]);
    let lite = folder.path().join("people.db");
    let sqlite = rusqlite::Connection::open(&lite).unwrap();
    sqlite
        .execute_batch(&format!("{create} INSERT INTO people VALUES {};", values.join(", ")))
        .unwrap();
    let release = |input: &str| {
        let text = "[attributes]\nage = \"quasi\"\nzip = { role = \"quasi\", type = \"text\", taxonomy = \
                    \"mask\" }\ndisease = \"sensitive\"\n[goal]\nk-anonymity = 4\n";
        let mut plan = Plan::parse("plan.toml", text).unwrap();
        plan.input = Some(input.into());
        let table = read(&plan).unwrap();
        let release = kohort::anonymize(&table, &plan, &Cx::default()).unwrap();
        let table = release.table();
        (0..table.n_rows()).map(|at| row(table, at).join(",")).collect::<Vec<String>>()
    };
    let of_file = release(&file.to_string_lossy());
    assert_eq!(release(&format!("{}#people", postgres.address("kohort"))), of_file);
    assert_eq!(release(&format!("sqlite:{}#people", lite.display())), of_file);
}

#[test]
fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ward.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE t (a, b TEXT, c REAL); INSERT INTO t VALUES (1, '', 0.5), ('x', NULL, 1e300), \
             (NULL, 'é', 2); CREATE TABLE bytes (a); INSERT INTO bytes VALUES (x'00');",
        )
        .unwrap();
    let in_folder = |mut plan: Plan| {
        plan.folder = folder.path().to_owned();
        plan
    };
    let table = read(&in_folder(plan("sqlite:ward.db", Some("t"), None))).unwrap();
    let rows: Vec<Vec<&str>> = (0..3).map(|at| row(&table, at)).collect();
    assert_eq!(rows, [["1", "", "0.5"], ["x", "", "1e300"], ["", "é", "2.0"]]);
    let texts = table.column("b").unwrap();
    assert_ne!(texts.written(0), texts.written(1));
    let asked = |query: &str| refusal(&in_folder(plan("sqlite:ward.db", None, Some(query))));
    assert_eq!(
        asked("SELECT a FROM bytes"),
        "sqlite:ward.db, row 1, column `a`: bytes, and no value"
    );
    assert_eq!(asked("SELECT a FROM nowhere"), "sqlite:ward.db: no such table: nowhere");
    assert!(asked("DELETE FROM t").ends_with("does not only read, or gives no columns"));
    assert!(asked("SELECT CAST(x'ff' AS TEXT) AS a").ends_with("column `a`: not a text in UTF-8"));
    assert!(asked("SELECT 1; DROP TABLE t").contains("several statements"));
    let missing = refusal(&in_folder(plan("sqlite:other.db", Some("t"), None)));
    assert!(missing.ends_with("other.db: no such file"), "{missing}");
    let count: u32 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 3);
}
