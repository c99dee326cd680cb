//! Every reader with arbitrary bytes: whatever they are, it answers or refuses them, and what it read it
//! writes and reads again as the same. `KOHORT_FUZZ` names the target: the ending of a table (`csv`, `tsv`,
//! `csv.gz`, `csv.zst`, `jsonl`, `parquet`, `arrow`) or of nested records (`json`, `xml`), `plan`,
//! `taxonomy`, `knowledge.toml` or `knowledge.csv`.

#![no_main]
#![allow(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kohort::attack::check_knowledge;
use kohort::load::assign_roles;
use kohort::plan::Plan;
use kohort::{Format, Options, Table, read_table, write_table};
use kohort_io::{NestedOptions, read_nested};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// The target, and a folder in memory for what is read.
static TARGET: LazyLock<(String, TempDir)> = LazyLock::new(|| {
    let target = std::env::var("KOHORT_FUZZ").unwrap_or_else(|_| "csv".into());
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    (target, folder.expect("a folder can be made"))
});

fuzz_target!(|bytes: &[u8]| {
    let (target, folder) = &*TARGET;
    let folder = folder.path();
    match target.as_str() {
        "plan" => plan(bytes),
        "taxonomy" => taxonomy(bytes, folder),
        "json" | "xml" => {
            let path = put(folder, &format!("t.{target}"), bytes);
            let _ = read_nested(&path.to_string_lossy(), &NestedOptions::default(), &|_, _| {});
        }
        knowledge if knowledge.starts_with("knowledge.") => {
            let _ = check_knowledge(&put(folder, knowledge, bytes));
        }
        format => table(bytes, folder, format),
    }
});

fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("the file can be written");
    path
}

fn read(path: &Path, options: &Options) -> Option<Table> {
    read_table(&path.to_string_lossy(), options, &|_, _| {}).ok().map(|read| read.table)
}

/// A table that was read is written, and read again as it is written: the same cells.
fn table(bytes: &[u8], folder: &Path, format: &str) {
    let path = put(folder, &format!("t.{format}"), bytes);
    let Some(table) = read(&path, &Options::default()) else { return };
    let format = Format::Csv(None);
    let mut written = Vec::new();
    if write_table(&table, format, &mut written).is_err() {
        return;
    }
    let again = put(folder, "again.csv", &written);
    let again = read(&again, &Options::as_written(format)).expect("what is written is read");
    assert_eq!(table.n_rows(), again.n_rows(), "rows");
    assert_eq!(cells(&table), cells(&again), "cells");
}

/// The cells by column, a missing one as the empty text, without the blanks around them.
fn cells(table: &Table) -> Vec<(String, Vec<String>)> {
    let of_column = |column: &kohort::Column| {
        let cell = |row: usize| {
            let text = column.dictionary().get(column.codes().get(row));
            if table.missing().is(text) { String::new() } else { text.trim().to_owned() }
        };
        (column.name().to_owned(), (0..table.n_rows()).map(cell).collect())
    };
    table.columns().iter().map(of_column).collect()
}

fn plan(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let _ = Plan::parse("plan.toml", text);
}

/// A taxonomy for a column of a small table.
fn taxonomy(bytes: &[u8], folder: &Path) {
    put(folder, "tree.csv", bytes);
    let data = put(folder, "t.csv", b"a,b\nred,1\ngreen,2\nblue,3\n02130,4\n");
    let Some(table) = read(&data, &Options::default()) else { return };
    let text = "[attributes]\na = { role = \"quasi\", type = \"text\", taxonomy = \"tree.csv\" }\nb = \
                { role = \"quasi\", type = \"integer\", taxonomy = \"tree.csv\" }\n";
    let plan = Plan::parse("plan.toml", text).expect("it is a plan").in_folder(folder);
    let _ = assign_roles(&plan, table);
}
