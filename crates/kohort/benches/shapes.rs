//! How the time of each step grows with the shape of a table.
//!
//! `cargo bench -p kohort --bench shapes` makes every table at two sizes and prints the CPU seconds of each step
//! and the exponent with which they grow: 1 is linear. `-- texts,mask` runs some shapes alone, `-- all 4` tables
//! four times as large. Steps below 0.1 s at the larger size have no exponent that means something. A step above
//! its limit (1.15 in rows, 2 in columns) is marked, and the benchmark fails in the end.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

#[expect(dead_code, reason = "the tables of other benchmarks")]
mod table;

use std::fmt::Write;

use kohort::diagnose::Question;
use kohort::plan::Plan;
use kohort::{Cx, Table};
use kohort_algorithms::{Problem, Settings, algorithm, anonymize};
use kohort_core::{Ctx, Dataset};
use kohort_models::{ClassModel, DistinctLDiversity, KAnonymity, Promises};

use table::cpu_seconds;

/// A table and the plan for it.
type Made = (Table, Plan);

/// A shape of data: what makes it at a size, the smaller size, and the methods that are run.
struct Shape {
    id: &'static str,
    grows_in_columns: bool,
    size: usize,
    make: fn(usize) -> Made,
    methods: &'static [&'static str],
}

const SHAPES: [Shape; 13] = [
    rows("texts", 50_000, texts, &["auto", "mondrian"]),
    rows("mask", 25_000, mask, &["auto", "mondrian"]),
    rows("numbers", 500_000, numbers, &["auto", "mondrian"]),
    rows("taxonomy", 100_000, taxonomy, &["auto", "mondrian"]),
    rows("skew", 200_000, skew, &["auto", "mondrian"]),
    rows("few-distinct", 500_000, few_distinct, &["auto", "mondrian", "optimal"]),
    rows("equal", 500_000, equal, &["auto", "mondrian", "optimal"]),
    rows("one-huge-class", 250_000, huge_class, &["auto", "mondrian"]),
    rows("census", 250_000, census, &["auto", "mondrian", "optimal"]),
    rows("diverse-16", 25_000, wide_rows, &["auto", "mondrian"]),
    columns("wide", 125, wide, &["auto", "mondrian"]),
    columns("very-wide", 50_000, very_wide, &[]),
    columns("incognito", 5, twelve, &["incognito"]),
];

const fn rows(
    id: &'static str,
    size: usize,
    make: fn(usize) -> Made,
    methods: &'static [&'static str],
) -> Shape {
    Shape { id, grows_in_columns: false, size, make, methods }
}

const fn columns(
    id: &'static str,
    size: usize,
    make: fn(usize) -> Made,
    methods: &'static [&'static str],
) -> Shape {
    Shape { id, grows_in_columns: true, size, make, methods }
}

/// Something like a random number for a cell, always the same.
fn drawn(row: usize, column: usize) -> usize {
    let mut x = (row as u64) << 20 ^ column as u64 ^ 0x9e37_79b9_7f4a_7c15;
    for _ in 0..3 {
        x ^= x >> 30;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 27;
    }
    usize::try_from(x >> 33).unwrap()
}

fn made(columns: &[&str], n: usize, cell: impl Fn(usize, usize) -> String, more: &str) -> Made {
    let rows = (0..n).map(|row| (0..columns.len()).map(|at| cell(row, at)).collect::<Vec<_>>());
    let table = Table::from_rows(columns.iter().copied(), rows).unwrap();
    let mut plan = String::from("[attributes]\n");
    for column in columns {
        let is_named = more.lines().any(|line| line.starts_with(column));
        if !is_named {
            let _ = writeln!(plan, "{column} = \"quasi\"");
        }
    }
    plan.push_str(more);
    (table, Plan::parse("bench", &plan).unwrap())
}

fn texts(n: usize) -> Made {
    let cell = |row, at| format!("t{}x{}", drawn(row, at) % 1000, row);
    made(&["name", "street"], n, cell, "")
}

fn mask(n: usize) -> Made {
    let plan = "zip = { role = \"quasi\", type = \"text\", taxonomy = \"mask\" }\n";
    let cell = |row, at| match at {
        0 => format!("{:07}", row * 13 % 10_000_000),
        _ => format!("{}", drawn(row, at) % 90),
    };
    made(&["zip", "age"], n, cell, plan)
}

fn numbers(n: usize) -> Made {
    made(&["amount"], n, |row, _| (row * 7 + drawn(row, 0) % 7).to_string(), "")
}

fn taxonomy(n: usize) -> Made {
    let path = std::env::temp_dir().join(format!("kohort-shapes-{}.csv", std::process::id()));
    let mut lines = String::new();
    for leaf in 0..n {
        let _ = writeln!(lines, "c{leaf};g{};h{};*", leaf / 20, leaf / 1000);
    }
    std::fs::write(&path, lines).unwrap();
    let plan = format!("code = {{ role = \"quasi\", taxonomy = '{}' }}\n", path.display());
    let cell = |row, at| match at {
        0 => format!("c{}", drawn(row, 0) % n),
        _ => format!("{}", drawn(row, at) % 90),
    };
    made(&["code", "age"], n, cell, &plan)
}

fn skew(n: usize) -> Made {
    // Half of the rows have value 0, a quarter value 1, and so on; one in eight has a value of its own.
    let cell = |row, at| match drawn(row, at) {
        x if x % 8 == 7 => format!("{}", 100 + x % n),
        x => format!("{}", (x / 8).trailing_zeros()),
    };
    made(&["a", "b", "c", "d"], n, cell, "")
}

fn few_distinct(n: usize) -> Made {
    made(&["a", "b", "c"], n, |row, at| format!("v{}", drawn(row, at) % 4), "")
}

fn equal(n: usize) -> Made {
    made(&["a", "b", "c"], n, |_, at| format!("v{at}"), "")
}

fn huge_class(n: usize) -> Made {
    let cell = |row: usize, at| match row % 10 {
        0 => format!("{}", drawn(row, at) % 5000),
        _ => "1".to_owned(),
    };
    made(&["a", "b", "c"], n, cell, "")
}

fn census(n: usize) -> Made {
    let spans = [75, 2, 5, 16, 14, 40];
    let cell = |row: usize, at: usize| {
        let (one, two) = (drawn(row, at) % spans[at], drawn(row, at + 10) % spans[at]);
        one.min(two).to_string()
    };
    made(&["age", "sex", "race", "education", "work", "country"], n, cell, "")
}

fn wide_rows(n: usize) -> Made {
    let names: Vec<String> = (0..17).map(|at| format!("q{at}x")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cell = |row, at| {
        // What people are explains half of the cells.
        let kind = if drawn(row, at).is_multiple_of(2) {
            drawn(drawn(row, 99) % 50, at)
        } else {
            drawn(row, at) / 2
        };
        (kind % (3 + 3 * at)).to_string()
    };
    made(&names, n, cell, "q16x = \"sensitive\"\n")
}

fn wide(n: usize) -> Made {
    let names: Vec<String> = (0..n).map(|at| format!("q{at}x")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    made(&names, 1000, |row, at| (drawn(row, at) % 20).to_string(), "")
}

fn very_wide(n: usize) -> Made {
    let names: Vec<String> = (0..n).map(|at| format!("q{at}")).collect();
    let rows = (0..4).map(|row| (0..n).map(move |at| (drawn(row, at) % 3).to_string()));
    let table = Table::from_rows(names.iter().cloned(), rows).unwrap();
    (table, Plan::new().quasi(names))
}

fn twelve(n: usize) -> Made {
    let names: Vec<String> = (0..n).map(|at| format!("q{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    made(&names, 50, |row, at| (drawn(row, at) % 20).to_string(), "")
}

/// What a step takes at each of two sizes.
struct Times {
    step: String,
    seconds: Vec<f64>,
}

fn timed<T>(times: &mut Vec<Times>, step: &str, run: impl FnOnce() -> T) -> T {
    let cpu = cpu_seconds();
    let made = run();
    let cpu = cpu_seconds() - cpu;
    match times.iter_mut().find(|times| times.step == step) {
        Some(times) => times.seconds.push(cpu),
        None => times.push(Times { step: step.to_owned(), seconds: vec![cpu] }),
    }
    made
}

fn measure(shape: &Shape, size: usize, times: &mut Vec<Times>) {
    let (table, plan) = (shape.make)(size);
    let load = || kohort::load::assign_roles(&plan, table.clone()).unwrap().value;
    let dataset: Dataset = timed(times, "load", load);
    timed(times, "diagnose", || {
        kohort::diagnose(&table, &plan, &Question::default(), &Cx::default()).unwrap()
    });
    for id in shape.methods {
        timed(times, id, || {
            let mut models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(5).unwrap())];
            if !dataset.sensitive().is_empty() {
                models.push(Box::new(DistinctLDiversity::new(0, 3).unwrap()));
            }
            let promises = Promises::new(models, &dataset.sensitive());
            let settings = Settings::plain(dataset.quasi().len(), 7);
            let problem = Problem::new(&dataset, promises, settings);
            anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem).unwrap()
        });
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let chosen = args.first().map_or("all", String::as_str);
    let factor: usize = args.get(1).map_or(1, |factor| factor.parse().unwrap());
    let is_chosen = |id: &str| chosen == "all" || chosen.split(',').any(|name| name == id);
    println!("shape           step              size     CPU s      size     CPU s  exponent");
    let mut n_above = 0;
    for shape in SHAPES.iter().filter(|shape| is_chosen(shape.id)) {
        let sizes = [shape.size * factor, 2 * shape.size * factor];
        let mut times = Vec::new();
        for size in sizes {
            measure(shape, size, &mut times);
        }
        let limit = if shape.grows_in_columns { 2.0 } else { 1.15 };
        for Times { step, seconds } in times {
            let exponent = (seconds[1] / seconds[0].max(0.01)).log2();
            // Half a tick and what else the machine does is a tenth at 0.1 s.
            let (says, is_above) = if seconds[1] >= 0.1 {
                (format!("{exponent:.2}"), exponent > limit + 0.1)
            } else {
                ("-".to_owned(), false)
            };
            n_above += usize::from(is_above);
            let mark = if is_above { "  above" } else { "" };
            let ([a, b], [x, y]) = (sizes, [seconds[0], seconds[1]]);
            println!("{:15} {step:12} {a:>9} {x:9.2} {b:>9} {y:9.2} {says:>9}{mark}", shape.id);
        }
    }
    assert!(n_above == 0, "{n_above} steps grow faster than they should");
}
