//! Series: the next release, and what their ledger says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use kohort::attack::Publication;
use kohort::report::series_html;
use kohort::series::{
    Books, KeptHead, Made, Secret, SeriesOrder, check, check_text, forgotten_text, list_text,
    rekeyed_text, series_text, series_verdict_text, show_text, uses_text,
};
use kohort::{Error, Format, Message, Options, Writers};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::failure::plan_error;
use crate::frame::Table;
use crate::job::{self, json_of};
use crate::planned;
use crate::questions::Shown;

/// A passphrase, or the bytes of a key file: exactly one of them.
type Opens = (Option<String>, Option<Vec<u8>>);

fn secret((passphrase, key): &Opens) -> Result<Secret, Error> {
    Ok(match (passphrase, key) {
        (_, Some(key)) => Secret::key_file(key)?,
        (passphrase, None) => Secret::passphrase(passphrase.as_deref().unwrap_or_default())?,
    })
}

/// A ledger: where it is, where its head is kept, and what time it is.
#[derive(Deserialize)]
struct Place {
    ledger: PathBuf,
    head: Option<String>,
    heads: Option<PathBuf>,
    now: i64,
}

impl Place {
    fn head(&self) -> KeptHead {
        match (&self.head, &self.heads) {
            (Some(head), _) => {
                head.parse().map_or_else(|_| KeptHead::File(head.into()), KeptHead::Known)
            }
            (None, Some(folder)) => KeptHead::Folder(folder.clone()),
            (None, None) => KeptHead::Nowhere,
        }
    }
}

/// Where a release goes.
#[derive(Deserialize)]
struct Asked {
    series: String,
    output: String,
    force: bool,
    trust_folder: bool,
}

fn read<'a, T: Deserialize<'a>>(py: Python<'_>, text: &'a str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| plan_error(py, &error.to_string(), None))
}

/// What was published: the receipt, a text and a page about it, and the tables.
type Told = (String, String, String, Vec<Table>);

/// Publishes the next release of a series.
#[pyfunction]
#[pyo3(signature = (table, plan, folder, place, opens, asked, progress=None))]
#[expect(clippy::too_many_arguments, reason = "as Python gives them")]
pub(crate) fn publish(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    place: &str,
    opens: Opens,
    asked: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Told> {
    let plan = planned::read(py, plan, folder)?;
    let (place, asked): (Place, Asked) = (read(py, place)?, read(py, asked)?);
    let target =
        move |release: u32| PathBuf::from(asked.output.replace("{release}", &release.to_string()));
    if !asked.trust_folder {
        refuse_open_folders(py, [&place.ledger, &target(1)])?;
    }
    let (original, like) = (Arc::clone(&table.table), table.like.clone());
    job::run_to_its_end(py, progress, move |cx| {
        let order = SeriesOrder {
            plan: &plan,
            series: &asked.series,
            ledger: &place.ledger,
            secret: &secret(&opens)?,
            head: &place.head(),
            target: &target,
            report: &|_| None,
            force: asked.force,
            inputs: &[],
            now: place.now,
        };
        let receipt = kohort::publish(&order, &original, cx)?;
        let tables = shown(&receipt.files, &original, like.as_ref())?;
        Ok((json_of(&receipt), series_text(&receipt), series_html(&receipt), tables))
    })
}

/// Refuses a folder in which others can put files that look like those of the library.
fn refuse_open_folders<'a>(
    py: Python<'_>,
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> PyResult<()> {
    let mut open = files.into_iter().filter_map(|file| kohort::other_writers(file));
    match open.find(|(_, writers)| matches!(writers, Writers::Others)) {
        None => Ok(()),
        Some((folder, _)) => Err(plan_error(
            py,
            &format!(
                "others may write to {}, and put files there that look like kohort's",
                folder.display()
            ),
            Some("write to a folder of your own, or say `trust_folder=True`"),
        )),
    }
}

/// The files of a release, read as anybody would.
fn shown(
    files: &[String],
    original: &kohort::Table,
    like: Option<&SchemaRef>,
) -> Result<Vec<Table>, Error> {
    let read = |file: &String| {
        let format = Format::of(Path::new(file))?;
        let missing = original.missing().clone();
        let options = Options { missing, ..Options::as_written(format) };
        let table = kohort::read_table(file, &options, &|_, _| {})?.table;
        Ok(Table::out(table, like.cloned()))
    };
    files.iter().map(read).collect()
}

/// What is asked of a ledger.
#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum Question {
    Series,
    Show { series: String },
    Check { series: Option<String> },
    History,
    Forget { series: String, person: String },
    Rekey { reseal: bool },
}

/// The answer of a ledger as JSON and as a text, and what to know beside it.
#[pyfunction]
#[pyo3(signature = (place, opens, question, next=None))]
pub(crate) fn ledger(
    py: Python<'_>,
    place: &str,
    opens: Opens,
    question: &str,
    next: Option<Opens>,
) -> PyResult<(String, String, Vec<String>)> {
    let (place, question): (Place, Question) = (read(py, place)?, read(py, question)?);
    job::run_to_its_end(py, None, move |_| Ok(answer(&place, &opens, &question, next.as_ref())?))
}

type Answered = (String, String, Vec<String>);

fn answer(
    place: &Place,
    opens: &Opens,
    question: &Question,
    next: Option<&Opens>,
) -> Result<Answered, Error> {
    let (head, secret_of_ledger) = (place.head(), secret(opens)?);
    // A ledger that cannot be opened may be one that was altered: that is an answer here.
    if let Question::Check { series } = question {
        let asked = (&*place.ledger, &secret_of_ledger, place.now);
        let (answers, notes) = check(asked, series.as_deref(), &head)?;
        return Ok((json_of(&answers), check_text(&answers), told(&notes)));
    }
    let mut books = Books::open(&place.ledger, &secret_of_ledger, place.now)?;
    let mut notes = books.notes().to_vec();
    if let Some(older) = books.older_copy(&head, &place.ledger)? {
        notes.push(format!("{}: {}", older.problem, older.causes.join("; ")).into());
    }
    let (value, text) = match question {
        Question::Series | Question::Check { .. } => {
            let series = books.list()?;
            (json_of(&series), list_text(&series))
        }
        Question::Show { series } => {
            let releases = books.show(series)?;
            (json_of(&releases), show_text(series, &releases))
        }
        Question::History => {
            let uses = books.uses()?;
            (json_of(&uses), uses_text(&uses))
        }
        Question::Forget { series, person } => {
            let forgotten = books.forget(series, person)?;
            notes.extend(books.keep_head(&head).map(Message::from));
            (json_of(&forgotten), forgotten_text(&forgotten))
        }
        Question::Rekey { reseal } => {
            let rekeyed = books.rekey(&secret(next.unwrap_or(&(None, None)))?, *reseal)?;
            notes.extend(books.keep_head(&head).map(Message::from));
            (json_of(&rekeyed), rekeyed_text(&rekeyed))
        }
    };
    Ok((value, text, told(&notes)))
}

fn told(notes: &[Message]) -> Vec<String> {
    notes.iter().map(Message::to_string).collect()
}

/// Judges the releases of a series, the oldest first: the verdict as JSON and as a text.
#[pyfunction]
#[pyo3(signature = (releases, plan, folder, originals, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn verify_series(
    py: Python<'_>,
    releases: Vec<Shown<'_>>,
    plan: &str,
    folder: &str,
    originals: Vec<PyRef<'_, Table>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, folder)?;
    let of = |table: &Table| Arc::clone(&table.table);
    let shown: Vec<_> = (releases.iter())
        .map(|(table, values)| (of(table), values.as_ref().map(|values| of(values))))
        .collect();
    let originals: Vec<_> = originals.iter().map(|table| of(table)).collect();
    job::run(py, progress, move |_| {
        let mut made = Vec::new();
        for (at, (table, values)) in shown.iter().enumerate() {
            let release = Publication::of_series(&plan, table, values.as_deref())?.value;
            made.push(Made { release, original: originals.get(at).map(|table| (**table).clone()) });
        }
        let verdict = kohort::series::verify(&plan, &made)?;
        Ok((json_of(&verdict), series_verdict_text(&verdict)))
    })
}
