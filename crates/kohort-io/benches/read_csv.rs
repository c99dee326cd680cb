//! Reading a million rows of nine columns, against a bare loop of the `csv` crate on the same file.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its own files")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use kohort_io::{Options, read_table};

const N_ROWS: u64 = 1_000_000;
const ROUNDS: usize = 5;

/// Columns with the sizes and lengths of the Adult table.
const DOMAINS: [(&str, u64); 9] = [
    ("Sex-", 2),
    ("", 73),
    ("Race-of-", 5),
    ("Married-status-", 7),
    ("Education-", 16),
    ("Country-name-", 41),
    ("Self-emp-", 8),
    ("Occupation-", 14),
    ("<=5", 2),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("adult.csv");
    make(&path)?;
    let size = fs::metadata(&path)?.len();
    let source = path.to_str().ok_or("the path is not UTF-8")?;

    let kohort = best(|| {
        let read = read_table(source, &Options::default(), &|_, _| {})?;
        Ok(read.table.n_rows() as u64)
    })?;
    let peak = peak_memory()?;
    let bare = best(|| {
        let mut reader = csv::Reader::from_path(&path)?;
        let mut record = csv::ByteRecord::new();
        let mut n = 0;
        while reader.read_byte_record(&mut record)? {
            n += 1;
        }
        Ok(n)
    })?;

    #[expect(clippy::cast_precision_loss, reason = "megabytes for a person to read")]
    let megabytes = size as f64 / 1e6;
    println!("file        {megabytes:8.1} MB, {N_ROWS} rows of {} columns", DOMAINS.len());
    for (name, time) in [("read_table", kohort), ("bare csv", bare)] {
        let seconds = time.as_secs_f64();
        println!("{name:11} {seconds:8.3} s  {:8.1} MB/s", megabytes / seconds);
    }
    println!("ratio       {:8.2}", kohort.as_secs_f64() / bare.as_secs_f64());
    println!("peak memory {peak} (before the bare loop)");
    Ok(())
}

fn best(mut run: impl FnMut() -> Result<u64, Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let n_rows = run()?;
        best = best.min(start.elapsed());
        assert_eq!(n_rows, N_ROWS);
    }
    Ok(best)
}

fn make(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = BufWriter::new(File::create(path)?);
    writeln!(writer, "sex,age,race,marital-status,education,country,workclass,occupation,salary")?;
    let mut state = 1_u64;
    for _ in 0..N_ROWS {
        for (column, (prefix, n)) in DOMAINS.iter().enumerate() {
            // A linear congruential generator is random enough to spread values.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let separator = if column == 0 { "" } else { "," };
            write!(writer, "{separator}{prefix}{}", 17 + (state >> 33) % n)?;
        }
        writeln!(writer)?;
    }
    writer.flush()?;
    Ok(())
}

fn peak_memory() -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.ok_or("no VmHWM in /proc/self/status")?.trim().to_owned())
}
