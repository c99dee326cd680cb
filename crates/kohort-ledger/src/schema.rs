//! The file: one SQLite database, its schema and the steps from one version of it to the next.
//!
//! # Durability
//! A rollback journal and not a write-ahead log: between uses the ledger is one file. `synchronous` is
//! `EXTRA`: with `FULL` the removal of the journal may not be on the disk when a commit returns, and a
//! machine that stops then comes back without the commit, after the files of the release have been put
//! in place. What is deleted is overwritten with zeros.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::{Error, Kind, scrub};

/// Tells a ledger from any other SQLite file: "kohl".
const APPLICATION: i32 = 0x6b6f_686c;

/// The tables about people, since version 3.
macro_rules! about_people {
    () => {
        "
    CREATE TABLE person(series INTEGER, name BLOB, sealed BLOB NOT NULL,
        PRIMARY KEY(series, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE member(series INTEGER, release INTEGER, name BLOB, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, name)) STRICT, WITHOUT ROWID;
"
    };
}

/// The schema that is written.
///
/// In plain stand the numbers of series, releases and classes and the program's own names of states; all
/// else is sealed and padded, or a keyed hash. The name of a row about a person is a keyed hash of the
/// person's number and of a release, so that rows of one person do not look alike. `member` is who is in
/// which class of a release; `person` is what is known of a person since the last release that shows them;
/// where a person was forgotten, what is left of a row is its commitment in `erased`, under release 0 that of
/// a row of `person`.
const SCHEMA: &str = concat!(
    "
    CREATE TABLE lock(id INTEGER PRIMARY KEY, lock BLOB NOT NULL) STRICT;
    CREATE TABLE head(id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE log(record INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE pending(id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE series(series INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE entry(series INTEGER, release INTEGER, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release)) STRICT, WITHOUT ROWID;
    CREATE TABLE erased(series INTEGER, release INTEGER, commitment BLOB,
        PRIMARY KEY(series, release, commitment)) STRICT, WITHOUT ROWID;
    CREATE TABLE class(series INTEGER, release INTEGER, class INTEGER, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, class)) STRICT, WITHOUT ROWID;
    CREATE TABLE state(series INTEGER, release INTEGER, name TEXT, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, name)) STRICT, WITHOUT ROWID;
",
    about_people!()
);

/// The steps: the first makes version 2 out of 1. The last is taken between reading what is there and
/// writing it again: see `legacy`.
const STEPS: &[&str] = &[
    "
    -- Bytes of the file that say nothing are zero from here on: see `scrub`.
",
    concat!(
        "
    -- What is in plain tells nothing of anybody from here on.
    DROP TABLE person;
    DROP TABLE member;
",
        about_people!()
    ),
];

/// The version that is written.
pub(crate) const VERSION: u32 = version(STEPS);

#[expect(clippy::cast_possible_truncation, reason = "there are few steps")]
const fn version(steps: &[&str]) -> u32 {
    steps.len() as u32 + 1
}

/// A connection to a file that is there.
pub(crate) fn connect(path: &Path, wait: Duration) -> Result<Connection, Error> {
    look_at_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| not_opened(path, error))?;
    connection.busy_timeout(wait)?;
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = ON; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -65536;",
    )?;
    Ok(connection)
}

/// Refuses a file that is not there or has nothing in it, and whatever is no file: SQLite takes one without
/// bytes for a new database, and the journal beside it for one that is not needed, and it waits for somebody
/// who writes to a pipe. Beside it may stand the journal of a process that was killed, and nothing else.
fn look_at_file(path: &Path) -> Result<(), Error> {
    for (suffix, may_be) in [("-journal", true), ("-wal", false), ("-shm", false)] {
        let mut beside = OsString::from(path);
        beside.push(suffix);
        let Ok(found) = std::fs::symlink_metadata(&beside) else { continue };
        if !(may_be && found.is_file() && is_of_same_owner(path, &found)) {
            return Err(Kind::Planted { suffix }.into());
        }
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(Kind::NotALedger.into()),
        Ok(found) if !found.is_file() => Err(Kind::NotAFile.into()),
        Ok(found) if found.len() == 0 => Err(Kind::Empty.into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Kind::NotFound.into()),
        Err(source) => Err(Kind::Open { source }.into()),
    }
}

/// Whether what stands beside a ledger belongs to whom the ledger belongs, or to who runs the program.
#[cfg(unix)]
fn is_of_same_owner(path: &Path, beside: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).is_ok_and(|ledger| ledger.uid() == beside.uid()) || beside.uid() == 0
}

#[cfg(not(unix))]
fn is_of_same_owner(_: &Path, _: &Metadata) -> bool {
    true
}

/// Why a file could not be opened: the database does not say what the system said.
fn not_opened(path: &Path, error: rusqlite::Error) -> Error {
    match std::fs::OpenOptions::new().read(true).open(path) {
        Ok(_) => error.into(),
        Err(source) => Kind::Open { source }.into(),
    }
}

/// Refuses what is no ledger, is not all there, was written by a later version or cannot be written.
pub(crate) fn examine(connection: &Connection, path: &Path) -> Result<(), Error> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != i64::from(APPLICATION) {
        return Err(Kind::NotALedger.into());
    }
    let found = u32::try_from(number("user_version")?).unwrap_or(0);
    match found {
        0 => return Err(Kind::altered("the version of the schema").into()),
        found if found > VERSION => {
            return Err(Kind::NewerSchema { found, known: VERSION }.into());
        }
        _ => {}
    }
    let expected = (number("page_count")? * number("page_size")?).unsigned_abs();
    let found = std::fs::metadata(path).map_err(|_| Kind::NotFound)?.len();
    if found < expected {
        return Err(Kind::Truncated { expected, found }.into());
    }
    let journal: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if journal != "delete" {
        return Err(Kind::altered("the header of the file").into());
    }
    if !scrub::has_plain_header(connection)? {
        return Err(Kind::altered("the header of the file").into());
    }
    if connection.is_readonly("main")? {
        return Err(Kind::ReadOnly.into());
    }
    Ok(())
}

/// Makes the schema in an empty database, in the transaction that is open.
pub(crate) fn create(connection: &Connection) -> Result<(), Error> {
    let n_tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if n_tables > 0 {
        return Err(Kind::Exists.into());
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    make(connection)
}

fn make(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// The version of the schema of a file.
pub(crate) fn version_of(connection: &Connection) -> Result<u32, Error> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Takes the schema to the last version, in the transaction that is open. What the file has then must be what
/// is made out of nothing: no table, index or trigger is other.
pub(crate) fn update(connection: &Connection) -> Result<(), Error> {
    migrate(connection, STEPS)?;
    is_as_made(connection)
}

fn migrate(connection: &Connection, steps: &[&str]) -> Result<(), Error> {
    let from = version_of(connection)?;
    for step in steps.iter().skip((from as usize).saturating_sub(1)) {
        connection.execute_batch(step)?;
    }
    if from != version(steps) {
        connection.pragma_update(None, "user_version", version(steps))?;
    }
    Ok(())
}

fn is_as_made(connection: &Connection) -> Result<(), Error> {
    let fresh = Connection::open_in_memory()?;
    make(&fresh)?;
    if objects(connection)? != objects(&fresh)? {
        return Err(Kind::altered("the schema").into());
    }
    Ok(())
}

fn objects(connection: &Connection) -> Result<Vec<[Option<String>; 4]>, Error> {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let rows =
        statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_an_earlier_version_is_taken_to_the_last_and_keeps_its_rows() {
        let connection = Connection::open_in_memory().unwrap();
        make(&connection).unwrap();
        connection.execute("INSERT INTO series VALUES (1, x'0a')", []).unwrap();
        let later = &[STEPS[0], STEPS[1], "ALTER TABLE series ADD COLUMN remark BLOB;"];
        for _ in 0..2 {
            migrate(&connection, later).unwrap();
            assert_eq!(version_of(&connection).unwrap(), VERSION + 1);
        }
        let row = connection.query_row("SELECT sealed, remark FROM series", [], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
        });
        assert_eq!(row.unwrap(), (vec![10], None));
        assert!(is_as_made(&connection).is_err());
    }

    #[test]
    fn a_trigger_that_nobody_made_is_found() {
        let connection = Connection::open_in_memory().unwrap();
        make(&connection).unwrap();
        is_as_made(&connection).unwrap();
        let trigger = "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM member; END";
        connection.execute_batch(trigger).unwrap();
        assert!(is_as_made(&connection).is_err());
    }
}
