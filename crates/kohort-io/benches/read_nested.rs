//! Reading and writing 100,000 patients of 40 vertices each, as JSON and XML, in seconds of the processor.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its own files")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use kohort_io::{NestedFormat, NestedOptions, read_nested, write_nested};

const N_RECORDS: u64 = 100_000;
/// A person, thirteen visits, and two diagnoses in each.
const N_VISITS: u64 = 13;
const N_VERTICES: usize = 4_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let json = folder.path().join("patients.json");
    make(&json)?;
    let nested = time("read JSON", &json, || read(&json))?;
    for (name, file) in [("JSON", "again.jsonl"), ("XML", "again.xml")] {
        let path = folder.path().join(file);
        let format = NestedFormat::of(&path)?;
        let mut out = BufWriter::new(File::create(&path)?);
        let start = processor_seconds()?;
        write_nested(&nested, format, &mut out)?;
        report(&format!("write {name}"), &path, start)?;
    }
    drop(nested);
    for (name, file) in [("read JSON Lines", "again.jsonl"), ("read XML", "again.xml")] {
        let path = folder.path().join(file);
        time(name, &path, || read(&path))?;
    }
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("unknown");
    println!("peak memory {peak}");
    Ok(())
}

fn read(path: &Path) -> Result<kohort_core::Nested, Box<dyn Error>> {
    let source = path.to_str().ok_or("the path is not UTF-8")?;
    let nested = read_nested(source, &NestedOptions::default(), &|_, _| {})?.nested;
    assert_eq!(nested.n_vertices(), N_VERTICES);
    Ok(nested)
}

fn time<T>(
    name: &str,
    path: &Path,
    run: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let start = processor_seconds()?;
    let result = run()?;
    report(name, path, start)?;
    Ok(result)
}

fn report(name: &str, path: &Path, start: f64) -> Result<(), Box<dyn Error>> {
    let seconds = processor_seconds()? - start;
    #[expect(clippy::cast_precision_loss, reason = "megabytes for a person to read")]
    let megabytes = fs::metadata(path)?.len() as f64 / 1e6;
    println!("{name:16} {megabytes:8.1} MB {seconds:8.3} s {:8.1} MB/s", megabytes / seconds);
    Ok(())
}

/// How long this process has run on a processor: others may be busy on the machine.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 =
        text.split(' ').next().ok_or("no time in /proc/self/schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}

fn make(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut state = 1_u64;
    // A linear congruential generator is random enough to spread values.
    let mut draw = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % n
    };
    for record in 0..N_RECORDS {
        out.write_all(if record == 0 { b"[\n" } else { b",\n" })?;
        let (year, zip) = (1920 + draw(100), 10_000 + draw(5000));
        write!(out, "{{\"birth_year\": {year}, \"zip\": \"{zip}\", \"sex\": \"F\", \"visits\": [")?;
        for visit in 0..N_VISITS {
            let (month, doctor) = (draw(24), draw(300));
            out.write_all(if visit == 0 { b"" } else { b", " })?;
            write!(out, "{{\"month\": {month}, \"doctor\": \"Doctor-{doctor}\", \"diagnoses\": [")?;
            let (first, second) = (draw(800), draw(800));
            write!(out, "{{\"code\": \"ICD-{first}\", \"severity\": {}}}, ", draw(5))?;
            write!(out, "{{\"code\": \"ICD-{second}\", \"severity\": {}}}]}}", draw(5))?;
        }
        out.write_all(b"]}")?;
    }
    out.write_all(b"\n]\n")?;
    out.flush()?;
    Ok(())
}
