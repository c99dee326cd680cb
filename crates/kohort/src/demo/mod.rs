//! Realistic made-up tables, so that nothing depends on a download.
//!
//! Names, places and values are combined at random: no row describes a person. The same seed gives
//! the same bytes on every machine.

mod census;
mod draw;
mod hospital;
mod lists;
mod poll;

use std::io::{self, Write};

use draw::Draw;
pub use poll::MOST_ISSUES;

/// The tables that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Patients of a hospital: names, dates, places, a disease and its cost.
    Hospital,
    /// People of a census, in the shape of the UCI Adult table.
    Census,
    /// Answers to a poll: people, and how they stand on this many issues, at most `MOST_ISSUES`.
    Poll(u32),
}

impl Data {
    /// The tables in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Hospital, Self::Census, Self::Poll(Self::ISSUES)];

    /// The issues of a poll when nobody says otherwise.
    pub const ISSUES: u32 = 7;

    /// The name used on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Hospital => "hospital",
            Self::Census => "census",
            Self::Poll(_) => "poll",
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

    /// The table of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data| data.id() == id)
    }
}

/// A file that goes with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it goes, relative to the table: `taxonomies/disease.csv`.
    pub name: &'static str,
    /// What it says.
    pub text: String,
}

/// The size at which a block of finished rows is handed on.
const BLOCK: usize = 1 << 16;

/// Writes a table of `rows` rows as CSV: a header, commas, one line feed after each row.
pub fn write_csv(data: Data, rows: u64, seed: u64, out: &mut dyn Write) -> io::Result<()> {
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

/// The files that go with a table whose file is named `input`: its taxonomies and a plan.
pub fn companions(data: Data, input: &str) -> Vec<File> {
    let (plan, mut files) = match data {
        Data::Hospital => (include_str!("hospital.toml").to_owned(), hospital::taxonomies()),
        Data::Census => (include_str!("census.toml").to_owned(), census::taxonomies()),
        Data::Poll(issues) => (poll::plan(issues), Vec::new()),
    };
    let input = serde_json::Value::from(input).to_string();
    files.push(File { name: "plan.toml", text: plan.replacen("{input}", &input, 1) });
    files
}
