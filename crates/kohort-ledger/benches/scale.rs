//! What a ledger costs: people × releases, each step of a release timed, and the size of the file.
//!
//! `cargo bench -p kohort-ledger --bench scale -- [people] [releases]`, 100,000 and 10 unless said.
//! A tenth of the people change from release to release; classes have ten members.
//! Seconds of all threads on a processor, where the system tells, else by the clock.
//! A run in `cargo test` is a small one.
#![expect(clippy::disallowed_methods, reason = "a benchmark has a clock and files")]
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use kohort_core::ReleasedClass;
use kohort_ledger::{
    Class, Entry, Files, Hash, Ledger, Member, Publishing, Secret, StagedFile, Standing,
};

/// How often the series are listed: the clock has hundredths.
const N_LISTS: u32 = 50;

struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _: &str) -> io::Result<Option<Box<dyn Read>>> {
        Ok(None)
    }

    fn put_in_place(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let is_test = !std::env::args().any(|text| text == "--bench");
    let n_people = numbers.first().copied().unwrap_or(if is_test { 500 } else { 100_000 });
    let n_releases = numbers.get(1).copied().unwrap_or(if is_test { 2 } else { 10 });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let secret = Secret::passphrase("correct horse").expect("long enough");
    drop(Ledger::create(&path, &secret, Box::new(NoFiles), 0).expect("a ledger"));
    println!("release   open  people   past  commit  MiB");
    for release in 0..n_releases {
        publish(&path, &secret, n_people, release);
    }
    let mut ledger = Ledger::open(&path, &secret, Box::new(NoFiles), 0).expect("a ledger");
    let (checked, seconds) = timed(|| ledger.check("s").expect("it is read").expect("it holds"));
    println!("check: {seconds:.2} s, {} rows", checked.n_rows);
    let list = || (0..N_LISTS).map(|_| ledger.series().expect("it is read").len()).sum::<usize>();
    let (_, seconds) = timed(list);
    println!("list: {:.2} ms", seconds * 1000.0 / f64::from(N_LISTS));
    let (_, seconds) = timed(|| ledger.forget("s", "person-17").expect("somebody"));
    println!("forget: {seconds:.2} s, {:.1} MiB", size(&path));
}

fn publish(path: &Path, secret: &Secret, n_people: usize, release: usize) {
    let open = || Ledger::open(path, secret, Box::new(NoFiles), 0).expect("a ledger");
    let (mut ledger, opening) = timed(open);
    let (mut publishing, past) = timed(|| ledger.begin("s").expect("nobody else is there"));
    let first = release * n_people / 10;
    let keys: Vec<String> = (first..first + n_people).map(|it| format!("person-{it}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let (people, finding) = timed(|| publishing.people(&keys));
    let entry = entry(&mut publishing, &people);
    let (_, commit) = timed(|| publishing.commit(&entry, || Ok(())).expect("a release"));
    let size = size(path);
    println!(
        "{:>7} {opening:>6.2} {finding:>7.2} {past:>6.2} {commit:>7.2} {size:>6.1}",
        release + 1
    );
}

fn entry(publishing: &mut Publishing<'_>, people: &[u32]) -> Entry {
    let texts: Vec<String> = (0..50).map(|value| format!("value {value}")).collect();
    let values = publishing.values(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let member = |(row, &person): (usize, &u32)| Member {
        person,
        standing: Standing::Shown { class: u32::try_from(row / 10).expect("few classes") },
        value: values[row % 50],
    };
    let class = |rows: &[u32]| Class {
        cells: vec!["[20, 29]".into(), "4760*".into(), "*".into()],
        released: ReleasedClass { values: (0..).take(rows.len()).collect(), n_counterfeits: 0 },
        counterfeits: Vec::new(),
    };
    let file = StagedFile { staged: "/s".into(), target: "/t".into(), hash: Hash::of(b"") };
    Entry {
        members: people.iter().enumerate().map(member).collect(),
        classes: people.chunks(10).map(class).collect(),
        files: vec![file],
        ..Entry::default()
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (started, before) = (Instant::now(), on_processor());
    let answer = work();
    let by_clock = started.elapsed().as_secs_f64();
    let seconds = before.and_then(|before| Some(on_processor()? - before));
    (answer, seconds.unwrap_or(by_clock))
}

/// The seconds this process has had a processor, to a hundredth: what the kernel counts in ticks.
fn on_processor() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

#[expect(clippy::cast_precision_loss, reason = "a size to look at")]
fn size(path: &Path) -> f64 {
    fs::metadata(path).expect("the ledger").len() as f64 / f64::from(1 << 20)
}
