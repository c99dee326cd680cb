//! Several files that are one table, and folders that appear whole or not at all.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use kohort_io::{
    Options, Read, StagedFolder, looks_nested, parts_of, read_table, would_be_part,
    write_parquet_rows,
};
use parquet::arrow::ArrowWriter;

use crate::{shown, table};

fn parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn integers(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn read(source: &Path) -> Result<Read, String> {
    let read = read_table(&source.to_string_lossy(), &Options::default(), &|_, _| {});
    read.map_err(|error| error.to_string())
}

fn rows_of(source: &Path) -> Vec<String> {
    shown(&read(source).unwrap().table)
}

#[test]
fn a_folder_of_parquet_files_is_one_table() {
    let home = tempfile::tempdir().unwrap();
    let lake = home.path().join("lake");
    fs::create_dir(&lake).unwrap();
    parquet(&lake.join("part-1.parquet"), vec![("a", integers(&[3, 1])), ("b", texts(&["z", ""]))]);
    // The order of columns is that of the first part; a part may have no rows.
    parquet(&lake.join("part-2.parquet"), vec![("b", texts(&["x"])), ("a", integers(&[1]))]);
    parquet(&lake.join("part-3.parquet"), vec![("a", integers(&[])), ("b", texts(&[]))]);
    fs::write(lake.join("_SUCCESS"), "").unwrap();
    fs::write(lake.join(".part-1.parquet.crc"), "x").unwrap();
    assert_eq!(rows_of(&lake), ["a|b", "3|z", "1|", "1|x"]);
    assert!(!looks_nested(&lake.to_string_lossy()).unwrap());
    assert_eq!(rows_of(&lake.join("part-*.parquet")), rows_of(&lake));
    assert_eq!(rows_of(&home.path().join("l*e/part-?.parquet")), rows_of(&lake));
    assert_eq!(rows_of(&lake.join("*-2.parquet")), ["b|a", "x|1"]);
    // An empty text is no null, in any part.
    let found = read(&lake).unwrap().table;
    assert_eq!(found.column("b").unwrap().written(1), Some(kohort_core::Written::Text));
    let parts = parts_of(&lake.to_string_lossy()).unwrap().unwrap();
    assert_eq!(parts.len(), 3);
}

#[test]
fn texts_are_one_table_by_a_pattern() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("a-1.csv"), "x,y\n1,a\n").unwrap();
    fs::write(home.path().join("a-2.csv"), "y;x\nb;2\n").unwrap();
    fs::write(home.path().join("b.csv"), "z\n1\n").unwrap();
    assert_eq!(rows_of(&home.path().join("a-*.csv")), ["x|y", "1|a", "2|b"]);
    let none = read(&home.path().join("c-*.csv")).unwrap_err();
    assert!(none.ends_with("c-*.csv: no file has such a name"), "{none}");
    let mixed = read(&home.path().join("*.csv")).unwrap_err();
    assert!(mixed.ends_with("b.csv, column `x`: is in a-1.csv, and not here"), "{mixed}");
    // A file whose name is the pattern is that file.
    fs::write(home.path().join("c-*.csv"), "w\n7\n").unwrap();
    assert_eq!(rows_of(&home.path().join("c-*.csv")), ["w", "7"]);
}

#[test]
fn parts_that_differ_are_refused_by_file_and_column() {
    let home = tempfile::tempdir().unwrap();
    let check = |name: &str, columns: Vec<(&str, ArrayRef)>, expected: &str| {
        let lake = home.path().join(name);
        fs::create_dir(&lake).unwrap();
        parquet(&lake.join("1.parquet"), vec![("a", integers(&[1])), ("b", texts(&["SECRET"]))]);
        parquet(&lake.join("2.parquet"), columns);
        let found = read(&lake).unwrap_err();
        assert_eq!(found, format!("{}/2.parquet, column {expected}", lake.display()));
    };
    check(
        "type",
        vec![("a", texts(&["1"])), ("b", texts(&["x"]))],
        "`a`: is of type Utf8, but of type Int64 in 1.parquet",
    );
    check("less", vec![("a", integers(&[1]))], "`b`: is in 1.parquet, and not here");
    check(
        "more",
        vec![("a", integers(&[1])), ("b", texts(&["x"])), ("c", texts(&["x"]))],
        "`c`: is here, and not in 1.parquet",
    );
    let lake = home.path().join("type");
    fs::write(lake.join("notes.txt"), "x").unwrap();
    let found = read(&lake).unwrap_err();
    assert!(
        found.ends_with("notes.txt: is no Parquet file, but others in its folder are"),
        "{found}"
    );
    fs::create_dir(home.path().join("by")).unwrap();
    fs::create_dir(home.path().join("by/year=2024")).unwrap();
    let found = read(&home.path().join("by")).unwrap_err();
    assert!(found.ends_with("values in names of folders are not read"), "{found}");
}

#[test]
fn the_limit_is_for_all_parts_together() {
    let home = tempfile::tempdir().unwrap();
    let long = "x".repeat(600_000);
    for name in ["1.parquet", "2.parquet"] {
        parquet(&home.path().join(name), vec![("a", texts(&[&long]))]);
    }
    let read = |limit| {
        let options = Options { unpacked_limit: Some(limit), ..Options::default() };
        read_table(&home.path().to_string_lossy(), &options, &|_, _| {})
    };
    let refused = read(1 << 20).unwrap_err().to_string();
    assert!(refused.ends_with("unpacks to more than 1 MiB"), "{refused}");
    assert!(read(2 << 20).is_ok());
}

#[test]
fn what_would_be_read_again_is_known() {
    let home = tempfile::tempdir().unwrap();
    let lake = home.path().join("lake");
    fs::create_dir(&lake).unwrap();
    parquet(&lake.join("1.parquet"), vec![("a", integers(&[1]))]);
    assert!(would_be_part(&lake, &lake.join("release.parquet")));
    assert!(would_be_part(&lake, &lake));
    assert!(!would_be_part(&lake, &home.path().join("release.parquet")));
    let pattern = home.path().join("l*/r*.parquet");
    assert!(would_be_part(&pattern, &lake.join("release.parquet")));
    assert!(!would_be_part(&pattern, &lake.join("other.parquet")));
    assert!(!would_be_part(&lake.join("1.parquet"), &lake.join("2.parquet")));
}

/// A folder with the rows of this table from here to there.
fn staged(target: &Path, rows: std::ops::Range<usize>) -> StagedFolder {
    let table = table(&[vec!["a".into()], vec!["1".into()], vec!["2".into()], vec!["3-4".into()]]);
    let folder = StagedFolder::create(target).unwrap();
    for (part, row) in rows.enumerate() {
        folder
            .write(&format!("part-{part}.parquet"), &mut |out| {
                write_parquet_rows(&table, row..row + 1, out)
            })
            .unwrap();
    }
    folder
}

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("release");
    let names = || {
        let entries = fs::read_dir(home.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let folder = staged(&target, 0..3);
    assert!(!target.exists());
    // Every part has the types of the whole table.
    assert_eq!(rows_of(folder.path()), ["a", "1", "2", "3-4"]);
    drop(folder);
    assert!(names().is_empty());
    staged(&target, 0..3).commit().unwrap();
    assert_eq!(names(), ["release"]);
    // Another takes its place, with fewer parts; given up, it takes nothing.
    drop(staged(&target, 1..2));
    assert_eq!(rows_of(&target).len(), 4);
    staged(&target, 1..2).commit().unwrap();
    assert_eq!(rows_of(&target), ["a", "2"]);
    assert_eq!(names(), ["release"]);
    // What a killed process left behind goes; what another one still writes stays.
    let hidden = home.path().join(".kohort-tmp-1-0-release");
    fs::create_dir(&hidden).unwrap();
    let other = staged(&target, 0..1);
    assert!(!hidden.exists());
    drop(staged(&target, 0..1));
    assert!(other.path().exists());
}

#[test]
fn only_a_folder_of_parts_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let refused = |target: &Path| StagedFolder::create(target).unwrap_err().to_string();
    let file = home.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(refused(&file).ends_with("is a file, and a release in parts is a folder"));
    let mine = home.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("letter.txt"), "x").unwrap();
    let found = refused(&mine);
    assert!(
        found
            .ends_with("letter.txt: is no part of a release, and would be deleted with its folder")
    );
    // Also where it comes later.
    fs::remove_file(mine.join("letter.txt")).unwrap();
    let folder = staged(&mine, 0..1);
    fs::create_dir(mine.join("photos")).unwrap();
    assert!(folder.commit().is_err());
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_folder_is_for_its_owner_alone_until_it_is_there() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("release");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = staged(&target, 0..1);
    assert_eq!(mode(folder.path()), 0o700);
    folder.commit().unwrap();
    fs::create_dir(home.path().join("other")).unwrap();
    assert_eq!(mode(&target), mode(&home.path().join("other")));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o750)).unwrap();
    staged(&target, 0..1).commit().unwrap();
    assert_eq!(mode(&target), 0o750);
}
