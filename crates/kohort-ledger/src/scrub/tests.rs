//! What scrubbing leaves in a file of SQLite, and what SQLite leaves there.

use super::*;

/// A file with a table, pages of 512 bytes and a cache so small that pages go to the file before the
/// commit.
fn small(path: &std::path::Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    let sql = "PRAGMA page_size = 512; PRAGMA cache_size = 4; PRAGMA secure_delete = ON;
               PRAGMA synchronous = OFF;
               CREATE TABLE log(record INTEGER PRIMARY KEY, sealed BLOB)";
    connection.execute_batch(sql).unwrap();
    connection
}

fn insert(connection: &Connection, n_rows: u32) {
    let sql = "INSERT INTO log(sealed) VALUES (randomblob(700))";
    for _ in 0..n_rows {
        connection.execute(sql, []).unwrap();
    }
}

fn is_scrubbed(connection: &Connection) -> bool {
    Walk::new(connection, Mode::Look).unwrap().all().is_ok()
}

/// The free pages on which something stands besides the list of them, and how many are free.
fn rubbish(connection: &Connection) -> (usize, u32) {
    let header = Walk::new(connection, Mode::Look).unwrap();
    let (mut trunk, mut n_found) = (header.number(32), 0);
    while trunk != 0 {
        let bytes = read(connection, trunk).unwrap().unwrap();
        let (next, leaves) = pages::trunk(&bytes).unwrap();
        let is_empty =
            |leaf: &u32| read(connection, *leaf).unwrap().unwrap().iter().all(|&byte| byte == 0);
        n_found += leaves.iter().filter(|leaf| !is_empty(leaf)).count();
        n_found += usize::from(bytes[8 + 4 * leaves.len()..].iter().any(|&byte| byte != 0));
        trunk = next;
    }
    (n_found, header.number(36))
}

/// What a rolled back transaction leaves on pages that were free before it.
fn after_rollback(is_scrubbed: bool) -> (usize, u32) {
    let folder = tempfile::tempdir().unwrap();
    let connection = small(&folder.path().join("file"));
    connection.execute_batch("BEGIN").unwrap();
    insert(&connection, 300);
    connection.execute_batch("COMMIT; BEGIN; DELETE FROM log WHERE record > 10").unwrap();
    if is_scrubbed {
        all(&connection).unwrap();
    }
    connection.execute_batch("COMMIT; BEGIN").unwrap();
    assert_eq!(rubbish(&connection).0, 0);
    insert(&connection, 200);
    connection.execute_batch("ROLLBACK").unwrap();
    rubbish(&connection)
}

#[test]
fn a_rollback_leaves_nothing_on_free_pages() {
    let (n_found, n_free) = after_rollback(true);
    assert!(n_found == 0 && n_free > 200, "{n_found} of {n_free}");
    // SQLite does without a journal for the leaves of the list.
    let (n_found, n_free) = after_rollback(false);
    assert!(n_found > 100 && n_free > 200, "{n_found} of {n_free}");
}

#[test]
fn free_pages_are_used_again_and_the_file_stays_sound() {
    let folder = tempfile::tempdir().unwrap();
    let connection = small(&folder.path().join("file"));
    let n_pages =
        || connection.pragma_query_value(None, "page_count", |row| row.get::<_, u32>(0)).unwrap();
    let mut n_before = 0;
    for turn in 0..6 {
        connection.execute_batch("BEGIN").unwrap();
        insert(&connection, 400);
        connection.execute_batch("DELETE FROM log WHERE record % 7 > 4").unwrap();
        all(&connection).unwrap();
        connection.execute_batch("COMMIT; BEGIN; DELETE FROM log").unwrap();
        all(&connection).unwrap();
        connection.execute_batch("COMMIT").unwrap();
        let found: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(found, "ok");
        assert!(is_scrubbed(&connection));
        assert!(turn == 0 || n_pages() == n_before, "{} pages, then {}", n_before, n_pages());
        n_before = n_pages();
    }
}

#[test]
fn the_end_of_a_long_log_is_scrubbed_after_each_row() {
    let folder = tempfile::tempdir().unwrap();
    let connection = small(&folder.path().join("file"));
    for row in 0_u32..3000 {
        connection.execute_batch("BEGIN").unwrap();
        let sql = "INSERT INTO log VALUES (?1, randomblob(?2))";
        let n_bytes = if row % 50 == 0 { 1200 } else { 20 + row * 31 % 180 };
        connection.execute(sql, [row, n_bytes]).unwrap();
        after_writing(&connection, &[]).unwrap();
        connection.execute_batch("COMMIT").unwrap();
        assert!(row % 20 != 0 || is_scrubbed(&connection), "after row {row}");
    }
}

#[test]
fn a_page_whose_bytes_do_not_add_up_is_not_wiped() {
    let folder = tempfile::tempdir().unwrap();
    let connection = small(&folder.path().join("file"));
    insert(&connection, 3);
    all(&connection).unwrap();
    assert!(is_scrubbed(&connection));
    let mut bytes = read(&connection, 2).unwrap().unwrap();
    assert!(Tree::read(&bytes, false, false).is_some());
    // One cell fewer: what it says is still there.
    bytes[4] -= 1;
    assert!(Tree::read(&bytes, false, false).is_none());
}

#[test]
fn this_build_shows_the_pages_of_a_file() {
    assert!(shows_pages(&Connection::open_in_memory().unwrap()).unwrap());
}
