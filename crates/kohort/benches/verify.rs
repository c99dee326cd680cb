//! Judging releases without a certificate: how long the search for a matching takes.
//!
//! `cargo bench -p kohort --bench verify -- ../shared/data/adult` judges releases of a folder's table
//! (see the bench `anonymize`); without a folder the table is the made-up census. Further arguments:
//! `exact`, `rows=N`, `k=N`. The releases are groups of k rows in three orders: by their codes (boxes
//! that overlap on the last columns), by their codes from the last column, and as they come (boxes
//! that overlap everywhere); and a lie, for which the search must try everything.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and the folder")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

mod table;

use std::path::{Path, PathBuf};
use std::time::Instant;

use kohort_core::{Cell, Codes, Column, Dataset, Dictionary, Table};

use table::{Wanted, cpu_seconds, load};

/// The text of a cell.
fn text(dataset: &Dataset, axis: usize, cell: Cell) -> String {
    let attribute = dataset.quasi()[axis];
    let column = dataset.table().column(attribute.name()).unwrap();
    let value = |code| {
        attribute.entry_of_code(code).map_or("", |entry| column.dictionary().get(entry)).to_owned()
    };
    match cell {
        Cell::Leaf(code) => value(code),
        Cell::Range { lo, hi } | Cell::Rounded { lo, hi } => {
            format!("[{}, {}]", value(lo), value(hi))
        }
        Cell::Node(node) => attribute.taxonomy().nodes()[node as usize].label.clone(),
    }
}

/// The release of groups of k rows in this order; a lie shows the first column of other rows.
fn release(dataset: &Dataset, order: &[usize], k: usize, is_lie: bool) -> Table {
    let missing = dataset.table().missing();
    let columns = dataset.quasi().into_iter().enumerate().map(|(axis, attribute)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        let mut order = order.to_vec();
        let shift = if is_lie && axis == 0 { order.len() / 3 } else { 0 };
        order.rotate_left(shift);
        for rows in order.chunks(k) {
            let members = || rows.iter().map(|&row| attribute.codes().get(row));
            let (lo, hi) = (members().min().unwrap(), members().max().unwrap());
            let shown = text(dataset, axis, attribute.smallest_cell(lo, hi));
            let entry = dictionary.intern(shown.as_bytes(), 2).unwrap();
            for _ in rows {
                codes.push(entry);
            }
        }
        Column::new(attribute.name().into(), dictionary, codes, missing)
    });
    Table::new("release".into(), columns.collect(), true, missing.clone())
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(name)?.parse().ok());
    let folder = args.iter().find(|arg| Path::new(arg).is_dir()).map(PathBuf::from);
    let exact = args.iter().any(|arg| arg == "exact");
    let census = &["age", "sex", "race", "education", "occupation"];
    let (folder, rows) = (folder.as_deref(), number("rows="));
    let dataset = load(&Wanted { folder, census, rows, exact, sensitive: None });
    let k = number("k=").unwrap_or(6);
    println!("{} rows, {} quasi-identifiers", dataset.n_rows(), dataset.quasi().len());
    println!("groups             uncovered     wall      CPU  certified");
    let codes = |row: usize| dataset.quasi().iter().map(|a| a.codes().get(row)).collect::<Vec<_>>();
    let mut order: Vec<usize> = (0..dataset.n_rows()).collect();
    for name in ["as they come", "by codes", "by codes, reversed", "a lie"] {
        match name {
            "by codes" => order.sort_by_cached_key(|&row| codes(row)),
            "by codes, reversed" => {
                order.sort_by_cached_key(|&row| codes(row).into_iter().rev().collect::<Vec<_>>());
            }
            _ => {}
        }
        let release = release(&dataset, &order, k, name == "a lie");
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let truth = kohort_verify::truth(&release, &dataset, None, None).unwrap();
        let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let claimed: Vec<u32> = order.iter().map(|&row| u32::try_from(row).unwrap()).collect();
        let started = Instant::now();
        let certified = kohort_verify::truth(&release, &dataset, Some(&claimed), None).unwrap();
        assert!(certified.holds() == (name != "a lie"), "a generalization is truthful");
        let certified = started.elapsed().as_secs_f64();
        println!("{name:18} {:9} {wall:8.3} {cpu:8.2} {certified:10.3}", truth.uncovered_rows());
    }
}
