//! The file: one SQLite database, its schema and the steps from one version of it to the next.
//!
//! # Durability
//! A rollback journal and not a write-ahead log: between uses the ledger is one file. `synchronous` is
//! `EXTRA`: with `FULL` the removal of the journal may not be on the disk when a commit returns, and a
//! machine that stops then comes back without the commit, after the files of the release have been put
//! in place. What is deleted is overwritten with zeros.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::{Error, Kind, scrub};

/// Tells a ledger from any other SQLite file: "kohl".
const APPLICATION: i32 = 0x6b6f_686c;

/// The steps: the first makes version 1 out of nothing, the next makes version 2 out of 1.
///
/// Numbers, times of nothing and names of the program's own stand in plain; all else is sealed, or a
/// keyed hash. `member.sealed` is what a person's row in a release says; where a person was forgotten,
/// what is left of it is its commitment in `erased`.
const STEPS: &[&str] = &[
    "
    CREATE TABLE lock(id INTEGER PRIMARY KEY, lock BLOB NOT NULL) STRICT;
    CREATE TABLE head(id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE log(record INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE pending(id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE series(series INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
    CREATE TABLE person(series INTEGER, person INTEGER, tag BLOB NOT NULL, binding BLOB NOT NULL,
        PRIMARY KEY(series, person)) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX person_by_tag ON person(series, tag);
    CREATE TABLE entry(series INTEGER, release INTEGER, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release)) STRICT, WITHOUT ROWID;
    CREATE TABLE member(series INTEGER, release INTEGER, person INTEGER, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, person)) STRICT, WITHOUT ROWID;
    CREATE TABLE erased(series INTEGER, release INTEGER, commitment BLOB,
        PRIMARY KEY(series, release, commitment)) STRICT, WITHOUT ROWID;
    CREATE TABLE class(series INTEGER, release INTEGER, class INTEGER, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, class)) STRICT, WITHOUT ROWID;
    CREATE TABLE state(series INTEGER, release INTEGER, name TEXT, sealed BLOB NOT NULL,
        PRIMARY KEY(series, release, name)) STRICT, WITHOUT ROWID;
",
    "
    -- Bytes of the file that say nothing are zero from here on: see `scrub`.
",
];

/// The version that is written.
pub(crate) const VERSION: u32 = version(STEPS);

#[expect(clippy::cast_possible_truncation, reason = "there are few steps")]
const fn version(steps: &[&str]) -> u32 {
    steps.len() as u32
}

/// A connection to a file that is there.
pub(crate) fn connect(path: &Path, wait: Duration) -> Result<Connection, Error> {
    look_at_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| not_opened(path, error))?;
    connection.busy_timeout(wait)?;
    if !scrub::is_possible(&connection)? {
        return Err(Kind::NoPages.into());
    }
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = ON; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -65536;",
    )?;
    Ok(connection)
}

/// Refuses a file that is not there or has nothing in it. SQLite takes one without bytes for a new database,
/// and the journal beside it for one that is not needed.
fn look_at_file(path: &Path) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() == 0 => Err(Kind::Empty.into()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Kind::NotFound.into()),
        Err(source) => Err(Kind::Open { source }.into()),
    }
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
    migrate(connection, STEPS)?;
    Ok(())
}

/// Takes the schema to the last version, in the transaction that is open, and says from which. What the
/// file has then must be what the steps make out of nothing: no table, index or trigger is other.
pub(crate) fn update(connection: &Connection) -> Result<u32, Error> {
    let from = migrate(connection, STEPS)?;
    is_as_made(connection, STEPS)?;
    Ok(from)
}

fn migrate(connection: &Connection, steps: &[&str]) -> Result<u32, Error> {
    let from: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in steps.iter().skip(from as usize) {
        connection.execute_batch(step)?;
    }
    if from != version(steps) {
        connection.pragma_update(None, "user_version", version(steps))?;
    }
    Ok(from)
}

fn is_as_made(connection: &Connection, steps: &[&str]) -> Result<(), Error> {
    let fresh = Connection::open_in_memory()?;
    migrate(&fresh, steps)?;
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

    const LATER: &[&str] = &[STEPS[0], STEPS[1], "ALTER TABLE series ADD COLUMN remark BLOB;"];

    #[test]
    fn a_file_of_an_earlier_version_is_taken_to_the_last_and_keeps_its_rows() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(migrate(&connection, STEPS).unwrap(), 0);
        connection.execute("INSERT INTO series VALUES (1, x'0a')", []).unwrap();
        assert_eq!(migrate(&connection, LATER).unwrap(), 2);
        assert_eq!(migrate(&connection, LATER).unwrap(), 3);
        is_as_made(&connection, LATER).unwrap();
        let row = connection.query_row("SELECT sealed, remark FROM series", [], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
        });
        assert_eq!(row.unwrap(), (vec![10], None));
        assert!(is_as_made(&connection, STEPS).is_err());
    }

    #[test]
    fn a_trigger_that_nobody_made_is_found() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, STEPS).unwrap();
        is_as_made(&connection, STEPS).unwrap();
        let trigger = "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM member; END";
        connection.execute_batch(trigger).unwrap();
        assert!(is_as_made(&connection, STEPS).is_err());
    }
}
