//! A column while it is being read.

use kohort_core::{
    BadText, Codes, Column, Dictionary, Message, Missing, Table, Told, Writing, Written,
};

use crate::notes::almost_numbers;
use crate::{At, Encoding, Error, Kind, Read};

/// The distinct texts so far and the code of each row.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) dictionary: Dictionary,
    pub(crate) codes: Codes,
    pub(crate) writing: Writing,
}

impl Builder {
    /// A column of a format that tells so much of a value besides its text.
    pub(crate) fn new(told: Told) -> Self {
        Self { writing: Writing::new(told), ..Self::default() }
    }

    #[inline]
    pub(crate) fn push(&mut self, cell: &[u8], line: u64) -> Result<(), BadText> {
        let code = self.dictionary.intern(cell, line)?;
        self.codes.push(code);
        Ok(())
    }

    /// Adds a cell with a text that is known already.
    #[inline]
    pub(crate) fn push_code(&mut self, code: u32, written: Written) {
        if self.writing.told() != Told::Nothing {
            self.writing.push(&self.codes, code, written);
        }
        self.codes.push(code);
    }

    /// Adds a row for each of `numbers`: the code and the way that stand there in `known`, which are in the order
    /// of their first rows.
    pub(crate) fn push_known(&mut self, numbers: &[u32], known: &[(u32, Written)]) {
        if self.writing.told() != Told::Nothing {
            if !self.writing.is_one_way(known) {
                for &number in numbers {
                    let (code, written) = known[number as usize];
                    self.push_code(code, written);
                }
                return;
            }
            for &(code, written) in known {
                self.writing.push(&self.codes, code, written);
            }
        }
        let codes: Vec<u32> = known.iter().map(|&(code, _)| code).collect();
        self.codes.extend_recoded(numbers, &codes);
    }

    /// Adds a cell that stood like this.
    #[inline]
    pub(crate) fn push_as(
        &mut self,
        cell: &[u8],
        written: Written,
        line: u64,
    ) -> Result<(), BadText> {
        let code = self.dictionary.intern(cell, line)?;
        self.writing.push(&self.codes, code, written);
        self.codes.push(code);
        Ok(())
    }
}

/// The error for a text that is none.
pub(crate) fn bad_text(problem: BadText, at: At, encoding: Encoding) -> Error {
    Error::new(match problem {
        BadText::NotUtf8(_) => Kind::BadByte { at, encoding },
        BadText::Nul(_) => Kind::Nul { at },
        BadText::TooMany => Kind::TooMany { at, what: "distinct values" },
    })
}

/// Refuses the row after the last that a code can number.
#[inline]
pub(crate) fn check_rows(n_rows: u64, at: impl Fn() -> At) -> Result<(), Error> {
    if n_rows < u64::from(u32::MAX) {
        return Ok(());
    }
    Err(Kind::TooMany { at: at(), what: "rows" }.into())
}

/// Refuses empty names, names with a NUL byte and names that occur twice; `header` is the line where they stand.
pub(crate) fn check_names(file: &str, header: Option<u64>, names: &[String]) -> Result<(), Error> {
    let mut sorted: Vec<(&str, usize)> = names.iter().map(String::as_str).zip(1..).collect();
    if let Some(&(_, column)) = sorted.iter().find(|(name, _)| name.trim().is_empty()) {
        let name = file.to_owned();
        return Err(Kind::UnnamedColumn { name, header, column, value: None }.into());
    }
    if let Some(&(_, column)) = sorted.iter().find(|(name, _)| name.contains('\0')) {
        return Err(Kind::NulInName { name: file.to_owned(), header, column }.into());
    }
    sorted.sort_unstable();
    let twins = sorted.array_windows().filter(|[a, b]| a.0 == b.0).min_by_key(|[_, b]| b.1);
    match twins {
        None => Ok(()),
        Some(&[(_, first), (_, second)]) => {
            Err(Kind::DuplicateColumn { name: file.to_owned(), header, first, second }.into())
        }
    }
}

/// The finished table.
pub(crate) fn finish(
    name: String,
    names: Vec<String>,
    builders: Vec<Builder>,
    has_lines: bool,
    missing: &Missing,
    mut notes: Vec<Message>,
) -> Read {
    let columns = names
        .into_iter()
        .zip(builders)
        .map(|(name, Builder { dictionary, codes, writing })| {
            kohort_core::alive();
            Column::new(name, dictionary, codes, missing).with_writing(writing)
        })
        .collect();
    let table = Table::new(name, columns, has_lines, missing.clone());
    notes.extend(almost_numbers(&table).map(Message::from));
    Read { table, notes, metadata: Vec::new() }
}
