//! The speed of diagnosis, as ratios measured in one run: `cargo bench -p kohort --bench diagnose`.
//!
//! Uses the real tables in `../shared/data` where they are there, and generated ones otherwise.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and the environment")]
#![expect(clippy::disallowed_types, reason = "the baseline is a plain hash map")]
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kohort::demo::{Data, write_csv};
use kohort::load::load;
use kohort::plan::{AttributePlan, Plan, RoleName};
use kohort::{Ctx, Dataset};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::{ClassSizes, Projection, Promise, all_subsets, borders, levels, uniques};

fn main() {
    let folder = std::env::temp_dir().join(format!("kohort-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    one_thread(|| nine_columns(&folder));
    fifteen_columns(&folder);
    borders_of_thirty(&folder);
    a_million_rows(&folder);
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
}

fn shared(path: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    file.exists().then_some(file)
}

fn generated(folder: &Path, rows: u64) -> PathBuf {
    let path = folder.join(format!("census-{rows}.csv"));
    let mut bytes = Vec::new();
    write_csv(Data::Census, rows, 1, &mut bytes).expect("memory can be written");
    std::fs::write(&path, bytes).expect("the temporary folder can be written");
    path
}

/// A table with these columns (all when none are named) as quasi-identifiers and sensitive ones.
fn read(path: &Path, quasi: &[&str], sensitive: &[&str]) -> Dataset {
    let mut plan = Plan { input: Some(path.display().to_string().into()), ..Plan::default() };
    let table = kohort::load::load_table(&plan, &|_, _| {}).expect("readable").value;
    let all: Vec<&str> = table.columns().iter().map(kohort::Column::name).collect();
    let quasi = if quasi.is_empty() { &all[..] } else { quasi };
    for name in quasi.iter().filter(|name| !sensitive.contains(name)) {
        plan.attributes.insert((*name).into(), AttributePlan::Role(RoleName::Quasi));
    }
    for name in sensitive {
        plan.attributes.insert((*name).into(), AttributePlan::Role(RoleName::Sensitive));
    }
    load(&plan, &|_, _| {}).expect("readable").value
}

fn one_thread(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool").install(work);
}

/// The best of several runs.
fn best<T>(runs: u32, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut fastest = None;
    for _ in 0..runs {
        let start = Instant::now();
        let value = work();
        let time = start.elapsed();
        if fastest.as_ref().is_none_or(|(other, _)| time < *other) {
            fastest = Some((time, value));
        }
    }
    fastest.expect("at least one run")
}

fn ratio(slow: Duration, fast: Duration) -> f64 {
    slow.as_secs_f64() / fast.as_secs_f64()
}

/// Groups every subset from scratch with a hash map over code rows, and sums the k found.
fn plain<S: std::hash::BuildHasher + Default>(columns: &[Vec<u32>]) -> u64 {
    let n_rows = columns[0].len();
    let mut sum = 0;
    for choice in 0..1_u64 << columns.len() {
        let chosen: Vec<&Vec<u32>> =
            (0..columns.len()).filter(|i| choice >> i & 1 == 1).map(|i| &columns[i]).collect();
        let mut classes: HashMap<Box<[u32]>, u64, S> = HashMap::default();
        let mut key = Vec::new();
        for row in 0..n_rows {
            key.clear();
            key.extend(chosen.iter().map(|column| column[row]));
            match classes.get_mut(&key[..]) {
                Some(count) => *count += 1,
                None => {
                    classes.insert(key.clone().into_boxed_slice(), 1);
                }
            }
        }
        sum += classes.values().min().expect("rows");
    }
    sum
}

fn nine_columns(folder: &Path) {
    let path = shared("adult/adult.csv").unwrap_or_else(|| generated(folder, 30_162));
    let dataset = read(&path, &[], &[]);
    let quasi = dataset.quasi();
    println!(
        "\n2^{} subsets, {} rows, one thread ({})",
        quasi.len(),
        dataset.n_rows(),
        path.display()
    );
    let columns: Vec<Vec<u32>> = quasi.iter().map(|a| a.codes().iter().collect()).collect();
    let (slow, expected) = best(1, || plain::<std::hash::RandomState>(&columns));
    let (fold, _) = best(1, || plain::<foldhash::fast::FixedState>(&columns));
    let (fast, found) = best(5, || {
        let projection = Projection::new(dataset.n_rows(), &quasi, &[]);
        let subsets = all_subsets(&projection, 9, &Ctx::quiet(), &Clone::clone);
        subsets
            .expect("nine attributes")
            .iter()
            .map(|(_, sizes)| sizes.k().expect("rows"))
            .sum::<u64>()
    });
    let (merging, _) = best(5, || Projection::new(dataset.n_rows(), &quasi, &[]).len());
    assert_eq!(found, expected, "the walk and the plain count agree");
    println!("  from scratch, hash map over code rows   {slow:>10.1?}");
    println!("  the same with a fast hash function      {fold:>10.1?}");
    println!(
        "  walk, merging and settling              {fast:>10.1?} ({merging:.1?} to merge equal rows)"
    );
    println!(
        "  ratio                                   {:>9.0}x ({:.0}x)",
        ratio(slow, fast),
        ratio(fold, fast)
    );
}

fn fifteen_columns(folder: &Path) {
    let path = shared("adult_full/adult_full.csv").unwrap_or_else(|| generated(folder, 32_000));
    let dataset = read(&path, &[], &[]);
    let quasi = dataset.quasi();
    let (time, found) = best(1, || {
        let projection = Projection::new(dataset.n_rows(), &quasi, &[]);
        let k = all_subsets(&projection, 15, &Ctx::quiet(), &ClassSizes::k);
        k.expect("fifteen attributes").len()
    });
    println!("\n2^{} subsets ({found}), {} rows, all cores", quasi.len(), dataset.n_rows());
    println!("  walk  {time:>10.1?}, peak memory {} MB", peak_memory());
}

fn borders_of_thirty(folder: &Path) {
    let path = shared("ss13acs_full/ss13acs_full.csv").unwrap_or_else(|| generated(folder, 68_725));
    let dataset = read(&path, &[], &[]);
    let quasi = dataset.quasi();
    println!("\nborders for k = 5, {} columns, {} rows, all cores", quasi.len(), dataset.n_rows());
    let projection = Projection::new(dataset.n_rows(), &quasi, &[]);
    for max_size in [Some(3), Some(4), Some(5), None] {
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(5).expect("5 > 1"))];
        let promise = Promise::EveryClass { models, distributions: &[] };
        let start = Instant::now();
        let stop = || max_size.is_none() && start.elapsed() > Duration::from_mins(2);
        let ctx = Ctx::new(&stop, &|_, _, _| {});
        let found = borders(&projection, &promise, max_size, &ctx).expect("thirty attributes");
        println!(
            "  up to {:<9} {:>10.1?}  {} sets tested, {} largest safe, {} smallest unsafe, complete to {} ({:?})",
            max_size.map_or("any size".into(), |size| format!("{size} columns")),
            start.elapsed(),
            found.evaluated,
            found.positive.len(),
            found.negative.len(),
            found.complete_to,
            found.search,
        );
    }
    println!("  peak memory {} MB", peak_memory());
}

fn a_million_rows(folder: &Path) {
    println!("\nlevels of eight quasi-identifiers and one sensitive attribute, generated census");
    for rows in [100_000, 1_000_000] {
        let start = Instant::now();
        let dataset = read(&generated(folder, rows), &[], &["occupation"]);
        let loaded = start.elapsed();
        let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
        let (time, k) =
            best(3, || levels(dataset.n_rows(), &quasi, &sensitive, &[vec![]]).sizes.k());
        let (alone, _) = best(1, || {
            let projection = Projection::new(dataset.n_rows(), &quasi, &[]);
            uniques(&projection, 10).expect("eight attributes").riskiest.len()
        });
        println!(
            "  {rows:>9} rows: generated and read in {loaded:.1?}, levels {time:.1?} (k = {k:?}), standing alone {alone:.1?}"
        );
    }
}

/// The peak resident memory of this process.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes: Option<u64> = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kilobytes.unwrap_or(0) / 1024
}
