//! Writing a million rows of fifteen columns in every format, to memory that is thrown away.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its own status")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use kohort_core::{Codes, Column, Dictionary, Missing, Table};
use kohort_io::{Format, write_table};

const N_ROWS: u64 = 1_000_000;
const ROUNDS: usize = 3;
/// What the values of a column begin with, and how many there are.
const DOMAINS: [(&str, u64); 5] =
    [("Married-status-", 7), ("", 73), ("[20, 29] ", 16), ("Country-name-", 41), ("", 100_000)];

/// Counts what is written.
struct Sink(u64);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let table = make();
    println!("{N_ROWS} rows of {} columns; {}", table.columns().len(), peak_memory()?);
    for name in ["t.csv", "t.jsonl", "t.arrow", "t.parquet", "t.csv.zst", "t.csv.gz"] {
        let format = Format::of(Path::new(name))?;
        let mut best = f64::MAX;
        let mut sink = Sink(0);
        for _ in 0..ROUNDS {
            sink = Sink(0);
            let start = cpu_seconds()?;
            write_table(&table, format, &mut sink)?;
            best = best.min(cpu_seconds()? - start);
        }
        println!("{name:10} {best:6.3} s of CPU  {:5} MB; {}", sink.0 / 1_000_000, peak_memory()?);
    }
    Ok(())
}

fn make() -> Table {
    let mut state = 1_u64;
    let column = |position: usize| {
        let (prefix, n) = DOMAINS[position % DOMAINS.len()];
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for row in 0..N_ROWS {
            // A linear congruential generator is random enough to spread values.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let text = format!("{prefix}{}", 17 + (state >> 33) % n);
            codes.push(dictionary.intern(text.as_bytes(), row).expect("digits are a text"));
        }
        Column::new(format!("column {position}"), dictionary, codes, &Missing::default())
    };
    Table::new("made".into(), (0..15).map(column).collect(), true, Missing::default())
}

/// The time that this process has been given, whoever else is at work.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = status.split(' ').next().ok_or("no time in /proc/self/schedstat")?;
    Ok(nanoseconds.parse::<f64>()? / 1e9)
}

fn peak_memory() -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(format!("peak memory so far {}", line.ok_or("no VmHWM in /proc/self/status")?.trim()))
}
