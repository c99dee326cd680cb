//! What goes wrong with a database: a clear error, nothing half-written, and no secret in it.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kohort::load::{assign_roles, load_table};
use kohort::plan::{Input, Plan};
use kohort::release::anonymize_into_database;
use kohort::{Address, Ctx, Cx, DatabaseTarget, Password, Stop, Table};

use crate::postgres::Postgres;

/// What no message may hold: a cell, and a password.
const SECRETS: [&str; 2] = ["SECRETCELL", "s3cret"];

/// Rows that take a while to send.
const MANY: &str =
    "SELECT i, 'SECRETCELL' || i AS name, md5(i::text) AS s FROM generate_series(1, 3000000) AS i";

fn plan(address: &str, query: &str) -> Plan {
    let mut input = Input::from(address);
    input.query = Some(query.to_owned());
    input.password = Some(Password::new("s3cret"));
    Plan { input: Some(input), ..Plan::default() }
}

/// Why a query cannot be read, where something happens once rows have begun to come.
fn fault(plan: &Plan, happens: &dyn Fn()) -> String {
    let has_happened = AtomicBool::new(false);
    let progress = |n_bytes: u64, _: u64| {
        if n_bytes > 0 && !has_happened.swap(true, Ordering::Relaxed) {
            happens();
        }
    };
    let error = load_table(plan, &progress).map(|read| read.value.n_rows()).unwrap_err();
    told(&error)
}

/// All that a person may see of an error.
fn told(error: &kohort::Error) -> String {
    let told = format!("{error}\n{:?}", error.hint());
    let all = format!("{told}\n{error:?}");
    for secret in SECRETS {
        assert!(!all.contains(secret), "{all}");
    }
    told
}

fn people() -> Table {
    let rows = (0..400_u32).map(|i| {
        [
            (20 + i * 7 % 60).to_string(),
            ["flu", "cold", "HIV"][i as usize % 3].to_owned(),
            format!("SECRETCELL{i}"),
        ]
    });
    Table::from_rows(["age", "disease", "note"], rows).unwrap()
}

fn goal(k: u32) -> Plan {
    let text = format!(
        "[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\nnote = \"insensitive\"\n[goal]\nk-anonymity = {k}\n"
    );
    Plan::parse("plan.toml", &text).unwrap()
}

fn open(address: &str) -> DatabaseTarget {
    DatabaseTarget::open(&Address::parse(address, Path::new("")).unwrap(), None).unwrap()
}

fn publish(target: DatabaseTarget, k: u32) -> Result<(), Stop> {
    let plan = goal(k);
    let dataset = assign_roles(&plan, people()).unwrap().value;
    anonymize_into_database(target, (&plan, [7; 32]), &dataset, &Ctx::quiet()).map(|_| ())
}

/// The error of a release that could not be published.
fn stopped(answer: Result<(), Stop>) -> String {
    match answer {
        Err(Stop::Error(error)) => told(&error),
        Err(other) => panic!("an error is expected, not {other:?}"),
        Ok(()) => panic!("an error is expected"),
    }
}

#[test]
fn faults_of_postgresql() {
    let postgres = Postgres::start();
    postgres.run("CREATE SCHEMA ward;", &[]);
    let address = postgres.address("kohort");
    rows_that_change_while_they_are_read_are_those_of_one_moment(&postgres, &address);
    a_cancelled_query_gives_no_table(&postgres, &address);
    missing_rights_are_told(&postgres);
    a_full_disk_leaves_what_was_there(&postgres, &address);
    a_cancelled_release_leaves_what_was_there(&postgres, &address);
    a_table_that_came_meanwhile_is_not_replaced(&postgres, &address);
    a_connection_that_is_cut_gives_no_table(&postgres);
    a_connection_that_is_cut_leaves_a_whole_release(&postgres, &address);
    a_server_that_is_restarted_gives_no_table(&postgres, &address);
    a_server_that_is_restarted_leaves_what_was_there(&postgres, &address);
}

/// The rows of the release, and that nothing of another is there.
fn released(postgres: &Postgres) -> Vec<Vec<Option<String>>> {
    let found = postgres.run(
        "",
        &[
            "SELECT * FROM ward.release ORDER BY 1, 2, 3;",
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'kohort%';",
        ],
    );
    assert_eq!(found[1].rows[0][0].as_deref(), Some("0"));
    found[0].rows.clone()
}

fn rows_that_change_while_they_are_read_are_those_of_one_moment(
    postgres: &Postgres,
    address: &str,
) {
    postgres
        .run("CREATE TABLE ward.changing AS SELECT i FROM generate_series(1, 200000) AS i;", &[]);
    let has_changed = AtomicBool::new(false);
    let change = |n_bytes: u64, _: u64| {
        if n_bytes > 0 && !has_changed.swap(true, Ordering::Relaxed) {
            postgres.run(
                "DELETE FROM ward.changing WHERE i % 2 = 0; INSERT INTO ward.changing VALUES (0), (0);",
                &[],
            );
        }
    };
    let read = load_table(&plan(address, "SELECT i FROM ward.changing"), &change).unwrap().value;
    assert!(has_changed.load(Ordering::Relaxed));
    assert_eq!(read.n_rows(), 200_000);
    assert_eq!(read.columns()[0].dictionary().len(), 200_000);
    assert!(read.columns()[0].dictionary().find("0").is_none());
}

fn a_cancelled_query_gives_no_table(postgres: &Postgres, address: &str) {
    let cancel = || {
        postgres.run(
            "",
            &["SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name = 'kohort';"],
        );
    };
    let told = fault(&plan(address, MANY), &cancel);
    assert!(told.contains("canceling statement due to user request"), "{told}");
}

fn missing_rights_are_told(postgres: &Postgres) {
    postgres.run(
        "CREATE TABLE ward.secret AS SELECT 'SECRETCELL' AS a; CREATE ROLE nobody LOGIN;",
        &[],
    );
    let nobody = postgres.address("nobody");
    let told = fault(&plan(&nobody, "SELECT a FROM ward.secret"), &|| {});
    assert!(told.contains("permission denied for schema ward"), "{told}");
    postgres.run("GRANT USAGE ON SCHEMA ward TO nobody;", &[]);
    let told = fault(&plan(&nobody, "SELECT a FROM ward.secret"), &|| {});
    assert!(told.contains("permission denied for table secret"), "{told}");
}

/// PostgreSQL tells of a full disk with an error of class 53 in the middle of a statement. A trigger on the table
/// that is being written does the same.
fn a_full_disk_leaves_what_was_there(postgres: &Postgres, address: &str) {
    let target = format!("{address}#ward.release");
    publish(open(&target), 4).unwrap();
    let before = released(postgres);
    assert_eq!(before.len(), 400);
    postgres.run(
        "CREATE SEQUENCE public.written;
         CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('public.written') > 300 THEN
                 RAISE EXCEPTION 'could not extend file \"base/5/16384\": No space left on device'
                     USING ERRCODE = 'disk_full';
             END IF; RETURN NEW; END $$;
         CREATE FUNCTION public.fill() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE made record; BEGIN
             FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' LOOP
                 EXECUTE format('CREATE TRIGGER full_disk BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION
                     public.full()', made.object_identity);
             END LOOP; END $$;
         CREATE EVENT TRIGGER filling ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.fill();",
        &[],
    );
    let told = stopped(publish(open(&target), 5));
    assert!(told.contains("No space left on device"), "{told}");
    assert_eq!(released(postgres), before);
    // It came in the middle of the rows.
    let written = postgres.run("", &["SELECT last_value FROM public.written;"]);
    assert_eq!(written[0].rows[0][0].as_deref(), Some("301"));
    postgres.run("DROP EVENT TRIGGER filling;", &[]);
}

fn a_cancelled_release_leaves_what_was_there(postgres: &Postgres, address: &str) {
    let before = released(postgres);
    let release = kohort::anonymize(&people(), &goal(6), &Cx::default()).unwrap();
    let mut target = open(&format!("{address}#ward.release"));
    target.stage(release.table(), None).unwrap();
    // Somebody reads the earlier release for so long that whoever looks after the server loses patience.
    let reader = "BEGIN; LOCK TABLE ward.release IN ACCESS SHARE MODE; DO $$ BEGIN PERFORM pg_sleep(3); END $$; COMMIT;";
    thread::scope(|scope| {
        scope.spawn(|| postgres.run(reader, &[]));
        let is_waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO $$ BEGIN PERFORM%';";
        wait_until(postgres, is_waiting);
        let publishing = scope.spawn(|| target.publish().unwrap_err());
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kohort' AND wait_event_type = \
                     'Lock';";
        wait_until(postgres, waits);
        postgres.run(
            "",
            &["SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'kohort';"],
        );
        let error = publishing.join().unwrap();
        assert!(error.to_string().contains("canceling statement due to user request"), "{error}");
    });
    assert_eq!(released(postgres), before);
}

/// One once no program of ours is connected.
const NOBODY: &str =
    "SELECT (count(*) = 0)::int FROM pg_stat_activity WHERE application_name = 'kohort';";

/// Waits until a count is not zero.
fn wait_until(postgres: &Postgres, count: &str) {
    let is_there = || {
        let found = postgres.run("", &[count]);
        found[0].rows[0][0].as_deref() != Some("0") || {
            thread::sleep(Duration::from_millis(20));
            false
        }
    };
    assert!((0..500).any(|_| is_there()), "{count}");
}

fn a_table_that_came_meanwhile_is_not_replaced(postgres: &Postgres, address: &str) {
    let place = format!("{address}#ward.moving");
    for before in ["", "CREATE TABLE ward.moving (age int, disease text, note text);"] {
        postgres.run(&format!("DROP TABLE IF EXISTS ward.moving; {before}"), &[]);
        let release = kohort::anonymize(&people(), &goal(4), &Cx::default()).unwrap();
        let mut target = open(&place);
        target.stage(release.table(), None).unwrap();
        postgres.run(
            "DROP TABLE IF EXISTS ward.moving; CREATE TABLE ward.moving AS SELECT 'mine' AS a;",
            &[],
        );
        let error = target.publish().unwrap_err();
        let problem = "table `ward.moving`: somebody else has put another table there meanwhile";
        assert!(error.to_string().ends_with(problem), "{error}");
        let found = postgres.run("", &["SELECT a FROM ward.moving;"]);
        assert_eq!(found[0].rows[0][0].as_deref(), Some("mine"));
    }
}

/// A socket that passes on what is said to a server and by it, and breaks both ways after so many bytes from one
/// side.
struct Cut {
    folder: tempfile::TempDir,
}

#[derive(Clone, Copy)]
enum Side {
    Client(usize),
    Server(usize),
}

impl Cut {
    fn after(postgres: &Postgres, side: Side) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let server = postgres.socket();
        thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, UnixStream::connect(&server)) else {
                    return;
                };
                let (of_client, of_server) = match side {
                    Side::Client(n) => (n, usize::MAX),
                    Side::Server(n) => (usize::MAX, n),
                };
                let both = [(&client, &server, of_client), (&server, &client, of_server)];
                for (from, to, most) in both {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    thread::spawn(move || pass_on(from, to, most));
                }
            }
        });
        Self { folder }
    }

    fn address(&self) -> String {
        format!("postgres://kohort@/postgres?host={}", self.folder.path().display())
    }
}

fn pass_on(mut from: UnixStream, mut to: UnixStream, most: usize) {
    let (mut left, mut bytes) = (most, [0; 4096]);
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        let n = n.min(left);
        left -= n;
        if to.write_all(&bytes[..n]).is_err() || left == 0 {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

fn a_connection_that_is_cut_gives_no_table(postgres: &Postgres) {
    for n in [1, 100, 600, 5_000, 200_000] {
        let cut = Cut::after(postgres, Side::Server(n));
        let told = fault(&plan(&cut.address(), MANY), &|| {});
        assert!(told.starts_with("postgres://localhost:5432/postgres: "), "{n}: {told}");
    }
}

/// Wherever the connection breaks, the earlier release is there, or the next one whole.
fn a_connection_that_is_cut_leaves_a_whole_release(postgres: &Postgres, address: &str) {
    let before = released(postgres);
    let release = kohort::anonymize(&people(), &goal(9), &Cx::default()).unwrap();
    let steps = |address: &str| -> Result<(), kohort::DatabaseError> {
        let place = Address::parse(&format!("{address}#ward.release"), Path::new(""))?;
        let mut target = DatabaseTarget::open(&place, None)?;
        target.stage(release.table(), None)?;
        target.read(&kohort::Missing::default())?;
        target.publish().map(|_| ())
    };
    let says_so = "either all of it is there, or what was there before";
    let (mut n_broken, mut n) = (0, 40);
    loop {
        let cut = Cut::after(postgres, Side::Client(n));
        let Err(error) = steps(&cut.address()) else { break };
        let told = told(&error.into());
        n_broken += 1;
        // A server may still be undoing what it was told.
        wait_until(postgres, NOBODY);
        if released(postgres) != before {
            // It was cut right behind the last word.
            assert!(told.contains(says_so), "cut after {n} bytes: {told}");
            break;
        }
        n += n / 3;
    }
    assert!(n_broken > 10, "{n_broken}");
    let after = released(postgres);
    assert!(after.len() == 400 && after != before);
    // The server's last words are lost: the release is there, and the error says that it may be.
    let cut_after = |n: usize| {
        let answer = steps(&Cut::after(postgres, Side::Server(n)).address());
        wait_until(postgres, NOBODY);
        answer
    };
    let (mut too_few, mut enough) = (0, 1 << 20);
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if cut_after(middle).is_ok() { enough = middle } else { too_few = middle }
    }
    // With all of its words but no connection after them, a client may or may not have heard them in time.
    for n in [too_few - 1, too_few - 13] {
        publish(open(&format!("{address}#ward.release")), 4).unwrap();
        let told = told(&cut_after(n).unwrap_err().into());
        assert!(told.contains(says_so), "{told}");
        assert_eq!(released(postgres), after, "cut after {n} bytes");
    }
}

fn a_server_that_is_restarted_gives_no_table(postgres: &Postgres, address: &str) {
    let told = fault(&plan(address, MANY), &|| postgres.restart());
    assert!(told.starts_with("postgres://localhost:5432/postgres: "), "{told}");
}

fn a_server_that_is_restarted_leaves_what_was_there(postgres: &Postgres, address: &str) {
    publish(open(&format!("{address}#ward.release")), 4).unwrap();
    let before = released(postgres);
    let release = kohort::anonymize(&people(), &goal(8), &Cx::default()).unwrap();
    let mut target = open(&format!("{address}#ward.release"));
    target.stage(release.table(), None).unwrap();
    postgres.restart();
    told(&target.publish().unwrap_err().into());
    assert_eq!(released(postgres), before);
    publish(open(&format!("{address}#ward.release")), 8).unwrap();
    assert_ne!(released(postgres), before);
}
