//! Whatever is done to the file without its secret is found.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kohort_core::ReleasedClass;
use kohort_ledger::{Broken, Class, Counterfeit, Entry, Error, Kind, Ledger, Member, Standing};
use rusqlite::Connection;

use crate::harness::{VALUES, create, entry, folder, key, open, publish, put_in_place, stage};

/// All that is read of a series, as text.
pub(crate) fn all(ledger: &mut Ledger) -> Result<String, Error> {
    let mut text = String::new();
    for series in ledger.series()? {
        let history = ledger.history(&series.name)?;
        let releases = ledger.releases(&series.name)?;
        let mut publishing = ledger.begin(&series.name)?;
        let keys: Vec<String> = (0..20).map(key).collect();
        let people = publishing.people(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        let last = publishing.past().last.clone();
        let state = publishing.state("union-find")?;
        let classes: Result<Vec<_>, _> =
            releases.iter().map(|(release, _)| publishing.classes(release.number)).collect();
        let domain = publishing.domain();
        let read = (&series, history, releases, people, last, state, classes?, domain);
        write!(text, "{read:?}").unwrap();
    }
    Ok(text)
}

/// Whether damage is found: when the file is opened, or when it is checked.
fn is_found(folder: &Path) -> bool {
    let mut ledger = match open(folder) {
        Ok(ledger) => ledger,
        Err(error) => {
            let is_clear = !matches!(error.kind(), Kind::Database { .. } | Kind::Busy);
            assert!(is_clear, "{error}: {:?}", error.kind());
            return true;
        }
    };
    let names = match ledger.names() {
        Ok(names) => names,
        Err(error) => {
            assert!(matches!(error.kind(), Kind::Altered { .. }), "{:?}", error.kind());
            return true;
        }
    };
    if names.is_empty() {
        return ledger.check_file().unwrap().is_err();
    }
    names.iter().any(|series| ledger.check(series).unwrap().is_err())
}

/// Whether this build covers bytes that nobody reads: see `Ledger::covers_unused_bytes`.
fn covers_unused_bytes() -> bool {
    create(folder().path()).covers_unused_bytes().unwrap()
}

/// What the books say: all that is read of every series, whatever else is in the file.
fn says(folder: &Path) -> String {
    all(&mut open(folder).unwrap()).unwrap()
}

/// Flips bits of every `stride`th byte, one byte at a time: the places of those that are not found. In a build
/// that does not cover bytes that nobody reads, those are found that change what the books say.
pub(crate) fn flip_each(bytes: &[u8], stride: usize) -> Vec<usize> {
    let home = folder();
    fs::write(home.path().join("ledger"), bytes).unwrap();
    assert!(!is_found(home.path()), "it was not altered");
    let covers_unused_bytes = covers_unused_bytes();
    let said = says(home.path());
    let (next, unfound) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let home = folder();
        loop {
            let place = next.fetch_add(stride, Ordering::Relaxed);
            let Some(&byte) = bytes.get(place) else { return };
            let mut altered = bytes.to_vec();
            // A single bit, another one from byte to byte.
            altered[place] = byte ^ (1 << (place / stride % 8));
            fs::write(home.path().join("ledger"), altered).unwrap();
            if !is_found(home.path()) && (covers_unused_bytes || says(home.path()) != said) {
                unfound.lock().unwrap().push(place);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    unfound.into_inner().unwrap()
}

/// The bytes of a ledger that has pages of 512 bytes: SQLite makes them so from outside, and the ledger
/// writes its file anew when it forgets somebody.
pub(crate) fn small_pages(ledger: Ledger, folder: &Path, forgotten: u32) -> Ledger {
    drop(ledger);
    let connection = Connection::open(folder.join("ledger")).unwrap();
    connection.execute_batch("PRAGMA page_size = 512; VACUUM").unwrap();
    drop(connection);
    let mut ledger = open(folder).unwrap();
    ledger.forget("hospital", &key(forgotten)).unwrap();
    ledger
}

pub(crate) fn bytes_of(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("ledger")).unwrap()
}

#[test]
fn every_flipped_byte_of_a_small_ledger_is_found() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    drop(small_pages(ledger, home.path(), 4));
    let bytes = bytes_of(home.path());
    assert_eq!(flip_each(&bytes, 1), []);
}

#[test]
fn flipped_bytes_of_a_new_ledger_are_found() {
    let home = folder();
    drop(create(home.path()));
    assert_eq!(flip_each(&bytes_of(home.path()), 5), []);
}

#[test]
fn flipped_bytes_of_a_larger_ledger_are_found() {
    let home = folder();
    let mut ledger = create(home.path());
    for release in 0..5 {
        let people: Vec<u32> = (release * 20..release * 20 + 200).collect();
        publish(&mut ledger, "hospital", &people, home.path());
    }
    drop(ledger);
    assert_eq!(flip_each(&bytes_of(home.path()), 397), []);
}

/// Trees of several levels, two series, somebody who was forgotten, and free pages of a release that was
/// undone.
#[test]
fn flipped_bytes_of_a_used_ledger_are_found() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &(0..40).collect::<Vec<_>>(), home.path());
    let mut ledger = small_pages(ledger, home.path(), 4);
    publish(&mut ledger, "clinic", &[1, 2, 3], home.path());
    for _ in 0..40 {
        ledger.series().unwrap();
    }
    let mut publishing = ledger.begin("hospital").unwrap();
    let undone = entry(&mut publishing, &(0..60).collect::<Vec<_>>(), home.path());
    publishing.commit(&undone, || Err("no".into())).unwrap_err();
    drop(ledger);
    let bytes = bytes_of(home.path());
    let n_free = u32::from_be_bytes(*bytes[36..].first_chunk().unwrap());
    assert!(n_free > 10, "{n_free} pages are free");
    assert_eq!(flip_each(&bytes, 7), []);
}

#[test]
fn a_byte_that_is_flipped_or_added_while_the_ledger_is_open_is_found() {
    let home = folder();
    let path = home.path().join("ledger");
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    ledger.check("hospital").unwrap().unwrap();
    let whole = bytes_of(home.path());
    let mut flipped = whole.clone();
    let unused = 32 + whole.windows(64).rposition(|window| window == [0; 64]).unwrap();
    flipped[unused] = 1;
    for altered in [flipped, [&whole[..], b"more"].concat()] {
        fs::write(&path, altered).unwrap();
        // And again: who looks does not put it right.
        for _ in 0..2 {
            match ledger.check("hospital").unwrap() {
                Err(broken) => assert!(broken.what.contains("of the file"), "{}", broken.what),
                Ok(_) => assert!(!covers_unused_bytes()),
            }
        }
        fs::write(&path, &whole).unwrap();
        ledger.check("hospital").unwrap().unwrap();
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn a_file_that_is_cut_short_is_refused_at_every_length() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    drop(small_pages(ledger, home.path(), 4));
    let bytes = bytes_of(home.path());
    let path = home.path().join("ledger");
    for length in (0..bytes.len()).step_by(512).flat_map(|page| [page, page + 100]) {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = open(home.path()).err().expect("its end is missing");
        let kind = error.kind();
        let is_clear =
            matches!(kind, Kind::NotALedger | Kind::Truncated { .. } | Kind::Altered { .. });
        assert!(is_clear || length == 0 && matches!(kind, Kind::Empty), "{length}: {error}");
        assert_eq!(fs::read(&path).unwrap(), bytes[..length]);
    }
}

/// What the check says after SQL was run on the file behind the ledger's back.
fn after(sql: &str) -> Broken {
    let home = folder();
    let mut ledger = create(home.path());
    for people in [[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]] {
        publish(&mut ledger, "hospital", &people, home.path());
    }
    ledger.check("hospital").unwrap().unwrap();
    drop(ledger);
    let connection = Connection::open(home.path().join("ledger")).unwrap();
    connection.execute_batch(sql).unwrap();
    assert!(connection.changes() > 0, "{sql}");
    drop(connection);
    let checked = open(home.path()).unwrap().check("hospital").unwrap();
    checked.expect_err(sql)
}

/// Swaps two sealed blobs of a table.
fn swap(table: &str, one: &str, other: &str) -> String {
    format!(
        "CREATE TEMP TABLE a AS SELECT sealed FROM {table} WHERE {one};
         UPDATE {table} SET sealed = (SELECT sealed FROM {table} WHERE {other}) WHERE {one};
         UPDATE {table} SET sealed = (SELECT sealed FROM a) WHERE {other};"
    )
}

#[test]
fn swapped_rows_are_found() {
    let check = |table: &str, one: &str, other: &str, release: Option<u32>| {
        let broken = after(&swap(table, one, other));
        assert_eq!(broken.release, release, "{table}: {}", broken.what);
    };
    // The first, second and third row of a release by their names.
    let row = |table: &str, release: u32, row: u32| {
        let rows = format!("SELECT name FROM {table} WHERE release = {release} ORDER BY name");
        format!("release = {release} AND name = ({rows} LIMIT 1 OFFSET {row})")
    };
    check("member", &row("member", 2, 0), &row("member", 2, 1), Some(2));
    check("member", &row("member", 1, 2), &row("member", 2, 2), Some(1));
    check("class", "release = 3 AND class = 0", "release = 3 AND class = 1", Some(3));
    check("entry", "release = 1", "release = 2", Some(1));
    check("log", "record = 1", "record = 2", None);
    let of_person = |row: u32| format!("name = (SELECT name FROM person LIMIT 1 OFFSET {row})");
    check("person", &of_person(0), &of_person(3), None);
}

#[test]
fn deleted_rows_are_found() {
    let check = |sql: &str, expected: &str| assert_eq!(after(sql).what, expected, "{sql}");
    let people = "its people are not those of the entry";
    let one = "name = (SELECT min(name) FROM member WHERE release = 2)";
    check(&format!("DELETE FROM member WHERE release = 2 AND {one}"), people);
    check(
        "DELETE FROM class WHERE release = 2 AND class = 1",
        "its classes are not those of the entry",
    );
    check("DELETE FROM class WHERE release = 2 AND class = 0", "class 0 of release 2 is missing");
    check("DELETE FROM entry WHERE release = 3", "its entry is not the one that was logged");
    check("DELETE FROM entry WHERE release = 2", "the entry of release 2 is missing");
    check("DELETE FROM log WHERE record = 1", "record 1 of the log is missing");
    check("DELETE FROM log WHERE record = 4", "the log does not end where its head says");
    let one = "DELETE FROM person WHERE name = (SELECT max(name) FROM person)";
    check(one, "a person is missing who was not forgotten");
    // And one whose erasure is noted, though nobody was forgotten.
    check(
        &format!("INSERT INTO erased VALUES (1, 0, randomblob(32)); {one}"),
        "a person is missing who was not forgotten",
    );
    check("DELETE FROM state", "the state `union-find` of release 3");
    // A row that looks as if its person had been forgotten.
    let more = "more or fewer people are erased from it than were forgotten";
    check(
        "INSERT INTO erased VALUES (1, 2, randomblob(32)); DELETE FROM member WHERE release = 2",
        more,
    );
}

/// The tables in which a series has rows.
const TABLES: [&str; 6] = ["entry", "member", "class", "state", "person", "series"];

/// A ledger with two releases of `hospital` and one of `clinic`, after SQL was run behind its back.
fn two_series(sql: &str) -> (tempfile::TempDir, Ledger) {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    publish(&mut ledger, "clinic", &[7, 8], home.path());
    drop(ledger);
    let connection = Connection::open(home.path().join("ledger")).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let ledger = open(home.path()).unwrap();
    (home, ledger)
}

#[test]
fn a_series_that_was_deleted_is_found_and_does_not_begin_again() {
    let whole = |of: &str| TABLES.map(|table| format!("DELETE FROM {table} {of};")).concat();
    let of_series = "WHERE series = 1";
    for (sql, left) in [
        (whole(of_series), 1),
        (format!("DELETE FROM series {of_series}"), 1),
        (whole(""), 0),
        ("DELETE FROM series".into(), 0),
    ] {
        let (_home, mut ledger) = two_series(&sql);
        let mut names = ledger.names().unwrap();
        names.sort();
        assert_eq!(names, ["clinic", "hospital"], "{sql}");
        let gone = "series `hospital` is gone: the log names its 2 entries";
        let broken = ledger.check("hospital").unwrap().expect_err(&sql);
        assert_eq!((broken.release, broken.what.as_str()), (Some(1), gone), "{sql}");
        // The rows of the other are as they were; the file is not.
        match ledger.check("clinic").unwrap() {
            Err(broken) => assert_eq!(broken.release.is_none(), left == 1, "{}", broken.what),
            Ok(_) => assert!(left == 1 && !covers_unused_bytes(), "{sql}"),
        }
        let altered = format!("the ledger was altered or damaged: {gone}");
        let error = ledger.begin("hospital").map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), altered);
        let error = ledger.forget("hospital", &key(1)).unwrap_err();
        assert_eq!(error.to_string(), altered);
        assert_eq!(ledger.series().unwrap().len(), left);
    }
}

#[test]
fn a_series_does_not_take_over_the_rows_of_one_that_was_deleted() {
    let (home, mut ledger) = two_series("DELETE FROM series WHERE series = 2");
    let error = ledger.begin("office").map(|_| ()).unwrap_err();
    assert!(error.to_string().ends_with("there are rows of a series that is gone"), "{error}");
    drop(ledger);
    let connection = Connection::open(home.path().join("ledger")).unwrap();
    for table in &TABLES[..5] {
        connection.execute(&format!("DELETE FROM {table} WHERE series = 2"), []).unwrap();
    }
    drop(connection);
    let mut ledger = open(home.path()).unwrap();
    assert_eq!(publish(&mut ledger, "office", &[7, 8], home.path()).release, 1);
    ledger.check("office").unwrap().unwrap();
    ledger.check("clinic").unwrap().unwrap_err();
}

#[test]
fn added_rows_are_found() {
    let check = |sql: &str, expected: &str| assert_eq!(after(sql).what, expected, "{sql}");
    let double = "SELECT 1, 1, zeroblob(16), sealed FROM member WHERE release = 1 LIMIT 1";
    check(&format!("INSERT INTO member {double}"), "a person in release 1");
    let later = "SELECT 1, 4, name, sealed FROM member WHERE release = 3";
    check(&format!("INSERT INTO member {later}"), "there are rows of a release without an entry");
    let copy = "SELECT 1, 4, sealed FROM entry WHERE release = 3";
    check(&format!("INSERT INTO entry {copy}"), "the entry of release 4");
    let person = "SELECT 1, zeroblob(16), sealed FROM person LIMIT 1";
    check(&format!("INSERT INTO person {person}"), "the row of a person");
    let state = "SELECT 1, 1, 'another', sealed FROM state";
    check(&format!("INSERT INTO state {state}"), "there is a state that no entry has");
    check(
        "INSERT INTO log SELECT 9, sealed FROM log WHERE record = 3",
        "record 5 of the log is missing",
    );
}

#[test]
fn a_note_of_another_time_is_refused() {
    // The only note that can be put there is an old one: its seal holds for a shorter log.
    let home = folder();
    let mut ledger = create(home.path());
    let mut publishing = ledger.begin("hospital").unwrap();
    let first = entry(&mut publishing, &[1, 2], home.path());
    let path = home.path().join("ledger");
    let seen = || fs::copy(&path, home.path().join("between")).map(|_| ()).map_err(Into::into);
    publishing.commit(&first, || seen().and_then(|()| put_in_place(&first.files))).unwrap();
    drop(ledger);
    let between = home.path().join("between").display().to_string();
    let connection = Connection::open(&path).unwrap();
    let sql = format!("ATTACH '{between}' AS b; INSERT INTO pending SELECT * FROM b.pending");
    connection.execute_batch(&sql).unwrap();
    drop(connection);
    let error = open(home.path()).err().expect("the note is not of this time");
    assert!(matches!(error.kind(), Kind::Altered { .. }), "{error}");
}

#[test]
fn an_older_copy_is_told_by_a_head_that_was_kept() {
    let home = folder();
    let mut ledger = create(home.path());
    let first = publish(&mut ledger, "hospital", &[1, 2], home.path());
    let path = home.path().join("ledger");
    let old = fs::read(&path).unwrap();
    let second = publish(&mut ledger, "hospital", &[1, 2, 3], home.path());
    drop(ledger);
    fs::write(&path, old).unwrap();
    let mut ledger = open(home.path()).unwrap();
    assert_eq!(ledger.check("hospital").unwrap().unwrap().entries, [first.entry]);
    assert!(ledger.has_been_at(&first.head).unwrap());
    assert!(!ledger.has_been_at(&second.head).unwrap());
}

#[test]
fn nothing_private_stands_in_the_file() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital-of-mercy", &(0..20).collect::<Vec<_>>(), home.path());
    ledger.forget("hospital-of-mercy", &key(3)).unwrap();
    drop(ledger);
    let bytes = fs::read(home.path().join("ledger")).unwrap();
    let mut private: Vec<String> = (0..20).map(key).collect();
    private.extend(VALUES.map(str::to_owned));
    let more = ["hospital-of-mercy", "[1, 99]", "m-invariance", "release-1.csv", "forgot"];
    private.extend(more.map(str::to_owned));
    for text in private {
        let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!is_there, "{text}");
    }
}

#[test]
fn nobody_publishes_against_books_from_which_a_row_was_taken() {
    for (sql, expected) in [
        (
            "DELETE FROM member WHERE name = (SELECT min(name) FROM member WHERE release = 1)",
            "release 1: its people are not those of the entry",
        ),
        (
            "DELETE FROM person WHERE name = (SELECT min(name) FROM person)",
            "a person is missing who was not forgotten",
        ),
        ("DELETE FROM class WHERE class = 1", "release 1: its classes are not those of the entry"),
        (
            "DELETE FROM entry WHERE release = 2",
            "release 2: its entry is not the one that was logged",
        ),
        ("DELETE FROM state", "the state `union-find` of release 2"),
    ] {
        let home = folder();
        let mut ledger = create(home.path());
        publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
        publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
        drop(ledger);
        let connection = Connection::open(home.path().join("ledger")).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0);
        drop(connection);
        let mut ledger = open(home.path()).unwrap();
        let error = ledger.begin("hospital").map(|_| ()).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{sql}: {error}");
    }
}

/// What stands in a ledger in plain: every column but the sealed ones and keyed hashes, and of these their
/// lengths.
fn in_plain(folder: &Path) -> String {
    let connection = Connection::open(folder.join("ledger")).unwrap();
    let mut text = String::new();
    for (table, columns) in [
        ("log", "record, length(sealed)"),
        ("series", "series, length(sealed)"),
        ("entry", "series, release, length(sealed)"),
        ("person", "series, length(name), length(sealed)"),
        ("member", "series, release, length(name), length(sealed)"),
        ("erased", "series, release, length(commitment)"),
        ("class", "series, release, class, length(sealed)"),
        ("state", "series, release, name, length(sealed)"),
    ] {
        let sql = format!("SELECT concat_ws(' ', {columns}) AS row FROM {table} ORDER BY row");
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        for row in rows.map(Result::unwrap) {
            writeln!(text, "{table}: {row}").unwrap();
        }
    }
    text
}

/// A ledger of three releases of 300 people with 250 values. `shift` says who has which value, and every
/// third person is held back, beginning with `held`.
fn of_many(shift: u32, held: u32) -> tempfile::TempDir {
    let home = folder();
    let mut ledger = create(home.path());
    let names: Vec<String> = (0..250).map(|value| format!("value {value:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for release in 0..3 {
        let mut publishing = ledger.begin("hospital").unwrap();
        let keys: Vec<String> = (0..300).map(key).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let people = publishing.people(&keys);
        publishing.values(&names);
        let mut classes = vec![Vec::new(); 100];
        let mut members = Vec::new();
        for (row, &person) in (0_u32..).zip(&people) {
            // Who is held back has a value of their own.
            let is_held = (row + held + release).is_multiple_of(3);
            let value = if is_held { 249 } else { (row * 7 + shift) % 249 };
            let class = row / 3;
            let standing = if is_held { Standing::HeldBack } else { Standing::Shown { class } };
            if !is_held {
                classes[class as usize].push(value);
            }
            members.push(Member { person, standing, value });
        }
        // A class has two people and a counterfeit, or three rows of people: nobody can tell.
        let class = |(class, mut values): (usize, Vec<u32>)| {
            let is_odd = (class + shift as usize) % 2 == 1;
            values.push(if is_odd { 3 } else { 200 });
            let counterfeits =
                if is_odd { vec![Counterfeit { id: 300, value: 3 }] } else { vec![] };
            let released = ReleasedClass { values, n_counterfeits: 0 };
            Class { cells: vec!["[1, 99]".into()], released, counterfeits }
        };
        let classes = classes.into_iter().enumerate().map(class).collect();
        let files = stage(home.path(), release + 1);
        let entry = Entry { members, classes, files, ..Entry::default() };
        publishing.commit(&entry, || put_in_place(&entry.files)).unwrap();
    }
    drop(ledger);
    home
}

#[test]
fn who_has_the_file_without_its_secret_cannot_tell_values_nor_who_was_held_back() {
    let homes = [of_many(0, 0), of_many(131, 1), of_many(77, 2)];
    let seen = homes.each_ref().map(|home| in_plain(home.path()));
    assert!(seen[0].lines().count() > 900, "{}", seen[0].lines().count());
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    // Every row about a person has one length, and no name is there twice: not from release to release either.
    let connection = Connection::open(homes[0].path().join("ledger")).unwrap();
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    let rows = "SELECT name, sealed FROM person UNION ALL SELECT name, sealed FROM member";
    assert_eq!(number(&format!("SELECT count(DISTINCT length(sealed)) FROM ({rows})")), 1);
    assert_eq!(number(&format!("SELECT count(DISTINCT name) FROM ({rows})")), 300 + 3 * 300);
}

#[test]
fn a_value_that_was_never_published_is_known_again_without_its_text() {
    let home = folder();
    let mut ledger = create(home.path());
    for (release, is_shown) in [(1, false), (2, false), (3, true), (4, true)] {
        let mut publishing = ledger.begin("hospital").unwrap();
        let people = publishing.people(&["ann", "bob", "eve"]);
        let values = publishing.values(&["anthrax", "flu", "gastritis"]);
        assert_eq!(values, [0, 1, 2]);
        assert_eq!(publishing.domain(), ["anthrax", "flu", "gastritis"]);
        // Ann is held back at first.
        let member = |row: usize| {
            let is_shown = is_shown || row > 0;
            let standing = if is_shown { Standing::Shown { class: 0 } } else { Standing::HeldBack };
            Member { person: people[row], standing, value: values[row] }
        };
        let shown = values.iter().copied().skip(usize::from(!is_shown)).collect();
        let released = ReleasedClass { values: shown, n_counterfeits: 0 };
        let classes = vec![Class { cells: vec!["*".into()], released, counterfeits: Vec::new() }];
        let members = (0..3).map(member).collect();
        let files = stage(home.path(), release);
        let entry = Entry { members, classes, files, ..Entry::default() };
        publishing.commit(&entry, || put_in_place(&entry.files)).unwrap();
        drop(ledger);
        ledger = open(home.path()).unwrap();
        ledger.check("hospital").unwrap().unwrap();
        let mut publishing = ledger.begin("hospital").unwrap();
        assert_eq!(publishing.domain()[0] == "anthrax", is_shown, "release {release}");
        let ann = publishing.people(&["ann"])[0];
        let value = publishing.past().last[ann as usize].map(|last| last.value);
        assert_eq!(value, is_shown.then_some(0));
    }
}
