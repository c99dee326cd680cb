//! Somebody's release, and how its text is read: as was said, by the plan's `[read]`, or as kohort writes.
//! Nothing is found by looking, and what reads in two ways is refused.

use std::path::{Path, PathBuf};

use kohort_core::{Setting, Table, message};
use kohort_io::{Options, Read, read_table};

use crate::Error;
use crate::error::refused;
use crate::load::options;
use crate::plan::Reading;

/// A release that is judged or attacked, and what was said about how it is written.
#[derive(Clone, Debug)]
pub struct ReleaseFile<'a> {
    /// The file.
    pub path: &'a Path,
    /// How this file is written, where that was said. It counts before the plan's `[read]`, which is about
    /// the plan's input.
    pub said: Reading,
}

impl<'a> From<&'a Path> for ReleaseFile<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, said: Reading::default() }
    }
}

impl<'a> From<&'a PathBuf> for ReleaseFile<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self::from(path.as_path())
    }
}

/// A release and how other files of it are read.
pub(crate) struct ReadStrictly {
    pub(crate) read: Read,
    pub(crate) options: Options,
}

impl ReleaseFile<'_> {
    /// What is said about reading this file, and else what the plan says.
    pub(crate) fn reading(&self, planned: &Reading) -> Reading {
        self.said.clone().or(planned)
    }

    /// Reads the release as kohort writes, or by the plan's `[read]`: whichever shows one of the columns
    /// `expected`. Where both do and their cells differ, the release is refused.
    pub(crate) fn read(
        &self,
        planned: &Reading,
        expected: &[String],
        progress: &dyn Fn(u64, u64),
    ) -> Result<ReadStrictly, Error> {
        let planned = Reading { records: None, ..self.reading(planned) };
        let missing = planned.missing.clone();
        let unpacked_limit = planned.unpacked_limit;
        let written = Reading { missing, unpacked_limit, records: None, ..self.said.clone() };
        let read = |reading: &Reading| {
            let options = Options { strict: true, ..options(reading)? };
            let read = read_table(&self.path.to_string_lossy(), &options, progress)?;
            Ok::<_, Error>(ReadStrictly { read, options })
        };
        let first = read(&written);
        if planned == written {
            return first;
        }
        let shows = |found: &Result<ReadStrictly, Error>| {
            let has = |table: &Table| expected.iter().any(|name| table.column(name).is_ok());
            found.as_ref().is_ok_and(|found| has(&found.read.table))
        };
        let second = read(&planned);
        match (first, second) {
            (first, second) if !shows(&second) => first,
            (first, second) if !shows(&first) => second,
            (Ok(first), Ok(second)) if second.names_nothing() || first.is_same(&second) => {
                Ok(first)
            }
            _ => Err(refused(
                format!(
                    "{}: has other cells when read by the plan's `[read]` than as kohort writes",
                    self.path.display()
                ),
                message!(
                    "say how the release is written with {} and {}",
                    Setting::Separator,
                    Setting::Quote
                ),
            )),
        }
    }
}

impl ReadStrictly {
    /// Whether the names of columns are no evidence: they are not from the file.
    fn names_nothing(&self) -> bool {
        self.options.header == Some(false)
    }

    /// Whether two readings show the same rows; what is valid UTF-8 is not taken for another encoding.
    fn is_same(&self, other: &Self) -> bool {
        let (table, others) = (&self.read.table, &other.read.table);
        if self.options.encoding != other.options.encoding {
            return table.n_rows() == others.n_rows();
        }
        let mut columns = table.columns().iter().zip(others.columns());
        table.columns().len() == others.columns().len()
            && table.n_rows() == others.n_rows()
            && columns.all(|(one, other)| {
                let texts = one.codes().iter().map(|code| one.dictionary().get(code));
                one.name() == other.name()
                    && texts.eq(other.codes().iter().map(|code| other.dictionary().get(code)))
            })
    }
}
