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

use std::path::{Path, PathBuf};
use std::time::Instant;

use kohort::load::assign_roles;
use kohort::plan::Plan;
use kohort_core::{Cell, Codes, Column, Dataset, Dictionary, Table};

/// The table of a folder with every column a quasi-identifier, or a made-up one.
fn load(folder: Option<&Path>, rows: Option<usize>, exact: bool) -> Dataset {
    let mut text = Vec::new();
    let mut plan = String::from("[attributes]\n");
    if let Some(folder) = folder {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let all = std::fs::read(folder.join(format!("{name}.csv"))).unwrap();
        let lines = all.split_inclusive(|&byte| byte == b'\n');
        let n = rows.map_or(usize::MAX, |rows| rows + 1);
        lines.take(n).for_each(|line| text.extend_from_slice(line));
        let header = text.split(|&byte| byte == b'\n').next().unwrap();
        for column in String::from_utf8_lossy(header).trim().split(';') {
            let file = folder.join(format!("hierarchies/{name}_hierarchy_{column}.csv"));
            let file = file.canonicalize().unwrap();
            let file = file.display();
            let entry = format!("'{column}' = {{ role = \"quasi\", taxonomy = \"{file}\" }}\n");
            plan.push_str(&entry);
        }
    } else {
        let rows = rows.unwrap_or(30_000) as u64;
        kohort::demo::write_csv(kohort::demo::Data::Census, rows, 7, &mut text).unwrap();
        for column in ["age", "sex", "race", "education", "occupation"] {
            plan.push_str(column);
            plan.push_str(" = \"quasi\"\n");
        }
    }
    let path = std::env::temp_dir().join(format!("kohort-bench-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let options = kohort::Options::default();
    let table = kohort::read_table(&path.to_string_lossy(), &options, &|_, _| {}).unwrap().table;
    std::fs::remove_file(&path).unwrap();
    let mut plan = Plan::parse("bench", &plan).unwrap();
    if exact {
        for (name, attribute) in &mut plan.attributes {
            if table.column(name).unwrap().value_type().is_ordered() {
                *attribute = kohort::plan::AttributePlan::Role(kohort::plan::RoleName::Quasi);
            }
        }
    }
    assign_roles(&plan, Path::new(""), table).unwrap().value
}

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The text of a cell.
fn text(dataset: &Dataset, axis: usize, cell: Cell) -> String {
    let attribute = dataset.quasi()[axis];
    let column = dataset.table().column(attribute.name()).unwrap();
    let value = |code| {
        attribute.entry_of_code(code).map_or("", |entry| column.dictionary().get(entry)).to_owned()
    };
    match cell {
        Cell::Leaf(code) => value(code),
        Cell::Range { lo, hi } => format!("[{}, {}]", value(lo), value(hi)),
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
    let dataset = load(folder.as_deref(), number("rows="), exact);
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
