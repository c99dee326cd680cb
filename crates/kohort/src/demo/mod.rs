//! Realistic made-up tables, so that nothing depends on a download.
//!
//! Names, places and values are combined at random: no row describes a person. The same seed gives
//! the same bytes on every machine.
//!
//! ```
//! use kohort::demo::{Data, write_csv};
//!
//! let mut bytes = Vec::new();
//! write_csv(Data::Hospital, 100, 1, &mut bytes)?;
//! let text = String::from_utf8(bytes).expect("made-up names are UTF-8");
//! assert_eq!(text.lines().count(), 101, "a header and a line for each patient");
//! # Ok::<(), std::io::Error>(())
//! ```

mod census;
mod draw;
mod hospital;
mod lists;
mod patients;
mod poll;
mod records;
mod series;
mod students;

use std::io::{self, Write};

use draw::Draw;
pub use poll::MOST_ISSUES;
use records::{People, plan_of_tables};
pub use series::series;

/// The tables that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Patients of a hospital: names, dates, places, a disease and its cost.
    Hospital,
    /// People of a census, in the shape of the UCI Adult table.
    Census,
    /// Answers to a poll: people, and how they stand on this many issues, at most `MOST_ISSUES`.
    Poll(u32),
    /// Students with courses and books, with this many levels of records inside records.
    Students(u32),
    /// Patients with visits and diagnoses, with this many levels of records inside records.
    Patients(u32),
}

impl Data {
    /// The tables in the order they are listed.
    pub const ALL: [Self; 5] = [
        Self::Hospital,
        Self::Census,
        Self::Poll(Self::ISSUES),
        Self::Students(Self::DEPTH),
        Self::Patients(Self::DEPTH),
    ];

    /// Those that are one table.
    pub const TABLES: [Self; 3] = [Self::Hospital, Self::Census, Self::Poll(Self::ISSUES)];

    /// The issues of a poll when nobody says otherwise.
    pub const ISSUES: u32 = 7;

    /// The levels of records inside records when nobody says otherwise.
    pub const DEPTH: u32 = 3;

    /// The levels that there can be.
    pub const DEPTHS: std::ops::RangeInclusive<u32> = 2..=4;

    /// The name used on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Hospital => "hospital",
            Self::Census => "census",
            Self::Poll(_) => "poll",
            Self::Students(_) => "students",
            Self::Patients(_) => "patients",
        }
    }

    /// The same kind of table with this many issues, where it has any.
    #[must_use]
    pub fn with_issues(self, issues: u32) -> Self {
        match self {
            Self::Poll(_) => Self::Poll(issues),
            other => other,
        }
    }

    /// The same kind of records with this many levels, where it has any.
    #[must_use]
    pub fn with_depth(self, depth: u32) -> Self {
        match self {
            Self::Students(_) => Self::Students(depth),
            Self::Patients(_) => Self::Patients(depth),
            other => other,
        }
    }

    /// Who makes people with records inside records; nobody where there is one table.
    fn people(self) -> Option<Box<dyn People>> {
        match self {
            Self::Students(depth) => Some(Box::new(students::Students::new(depth))),
            Self::Patients(depth) => Some(Box::new(patients::Patients::new(depth))),
            _ => None,
        }
    }

    /// Whether it is records inside records.
    pub fn is_nested(self) -> bool {
        self.people().is_some()
    }

    /// The table of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data| data.id() == id)
    }
}

/// A file that goes with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it goes, relative to the table: `taxonomies/disease.csv`.
    pub name: String,
    /// What it says.
    pub text: String,
}

impl File {
    fn new(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text }
    }
}

/// The size at which a block of finished rows is handed on.
const BLOCK: usize = 1 << 16;

/// Writes data of `rows` people to a file of this name: JSON for records inside records (one on each line
/// where the name says `.jsonl` or `.ndjson`), XML where it says `.xml`, or the table of people alone where it
/// says `.csv`; else a table.
pub fn write(data: Data, name: &str, rows: u64, seed: u64, out: &mut dyn Write) -> io::Result<()> {
    match data.people() {
        None => write_csv(data, rows, seed, out),
        Some(people) if is_table(name) => {
            let tables = records::tables(people.as_ref(), rows, seed);
            out.write_all(tables[0].text.as_bytes())
        }
        Some(people) if has_extension(name, "xml") => {
            records::write_xml(people.as_ref(), rows, seed, out)
        }
        Some(people) => {
            let is_lines = has_extension(name, "jsonl") || has_extension(name, "ndjson");
            records::write_json(people.as_ref(), rows, seed, is_lines, out)
        }
    }
}

/// Whether a name is that of a table.
fn is_table(name: &str) -> bool {
    has_extension(name, "csv")
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

/// Writes a table of `rows` rows as CSV: a header, commas, one line feed after each row. Of records inside
/// records, the table of people.
pub fn write_csv(data: Data, rows: u64, seed: u64, out: &mut dyn Write) -> io::Result<()> {
    if data.is_nested() {
        return write(data, "people.csv", rows, seed, out);
    }
    let mut draw = Draw::new(seed);
    match data {
        Data::Hospital => {
            let maker = hospital::Hospital::new();
            write_rows(hospital::HEADER, rows, out, |block| maker.row(&mut draw, block))
        }
        Data::Census => {
            let maker = census::Census::new();
            write_rows(census::HEADER, rows, out, |block| maker.row(&mut draw, block))
        }
        Data::Poll(issues) => {
            let maker = poll::Poll::new(issues);
            let mut number = 0;
            write_rows(&maker.header(), rows, out, |block| {
                number += 1;
                maker.row(number, &mut draw, block);
            })
        }
        Data::Students(_) | Data::Patients(_) => Ok(()),
    }
}

fn write_rows(
    header: &str,
    rows: u64,
    out: &mut dyn Write,
    mut row: impl FnMut(&mut String),
) -> io::Result<()> {
    let mut block = String::with_capacity(BLOCK + 1024);
    block.push_str(header);
    for _ in 0..rows {
        row(&mut block);
        if block.len() >= BLOCK {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
    }
    out.write_all(block.as_bytes())
}

/// The files that go with data of `rows` people whose file is named `input`: taxonomies, a plan, and
/// the tables that belong to the people's, where the name says that they are tables.
pub fn companions(data: Data, input: &str, rows: u64, seed: u64) -> Vec<File> {
    let quoted = serde_json::Value::from(input).to_string();
    let (plan, mut files) = match data {
        Data::Hospital => (include_str!("hospital.toml").to_owned(), hospital::taxonomies()),
        Data::Census => (include_str!("census.toml").to_owned(), census::taxonomies()),
        Data::Poll(issues) => (poll::plan(issues), Vec::new()),
        Data::Students(depth) => {
            (nested_plan(data, input, &students::attributes(depth)), students::taxonomies(depth))
        }
        Data::Patients(depth) => {
            (nested_plan(data, input, &patients::attributes(depth)), patients::taxonomies(depth))
        }
    };
    if let Some(people) = data.people().filter(|_| is_table(input)) {
        files.extend(records::tables(people.as_ref(), rows, seed).into_iter().skip(1));
    }
    files.push(File::new("plan.toml", plan.replacen("{input}", &quoted, 1)));
    files
}

/// The plan of records inside records.
fn nested_plan(data: Data, input: &str, attributes: &str) -> String {
    let people = data.people().expect("it is nested records");
    let (levels, is_table) = (people.levels(), is_table(input));
    let key = levels[0].key;
    let (keys, tables, identifier, release) = if is_table {
        (format!("key = \"{key}\"\n"), plan_of_tables(levels), String::new(), "release.csv")
    } else {
        let identifier = format!(
            "# Names a person by itself: dropped from every release.\n{key} = \"identifier\"\n"
        );
        let release = if has_extension(input, "xml") { "release.xml" } else { "release.json" };
        (String::new(), String::new(), identifier, release)
    };
    format!(
        include_str!("nested.toml"),
        keys = keys,
        tables = tables,
        identifier = identifier,
        attributes = attributes,
        release = release,
        input = "{input}",
    )
}
