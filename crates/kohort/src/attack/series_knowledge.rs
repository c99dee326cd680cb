//! What is known of a series beside its releases: who is in which, and how values follow one another.

use std::path::Path;

use kohort_core::{Column, Message, Missing, Setting, Table, message};
use kohort_io::{Options, read_table};
use kohort_verify::attack::Correlated;

use crate::Error;
use crate::error::refused;

/// The place of a release and a row of the table of people, and whether that person is in it.
pub(super) type Presence = Vec<((usize, u32), bool)>;

/// Who is in which release, by columns of the table of people, one for each release in order, where the
/// cell says.
pub(super) fn presence(
    people: &Table,
    columns: &[String],
    n_releases: usize,
) -> Result<Presence, Error> {
    fn hint() -> Message {
        message!(
            "name a column for each release, in their order: {}",
            Setting::Presence.to("in1,in2,in3")
        )
    }
    if !columns.is_empty() && columns.len() != n_releases {
        let found = columns.len();
        return Err(refused(
            format!(
                "`presence` must have {n_releases} columns, one for each release, but has {found}"
            ),
            hint(),
        ));
    }
    let mut presence = Vec::new();
    for (release, name) in columns.iter().enumerate() {
        let column = people.column(name)?;
        let says = |(entry, text): (u32, &str)| match text.trim().to_ascii_lowercase().as_str() {
            _ if people.missing().is(text) => Ok(None),
            "1" | "true" | "yes" | "y" | "x" => Ok(Some(true)),
            "0" | "false" | "no" | "n" => Ok(Some(false)),
            _ => {
                let place = people.place(column, entry);
                let file = people.name();
                let problem =
                    format!("{file}, {place}, column `{name}`: must be yes or no, 1 or 0");
                Err(refused(problem, hint()))
            }
        };
        let of_entry: Vec<Option<bool>> =
            (0..).zip(column.dictionary().iter()).map(says).collect::<Result<_, _>>()?;
        let rows = (0..).zip(column.codes().iter());
        presence.extend(
            rows.filter_map(|(row, entry)| Some(((release, row), of_entry[entry as usize]?))),
        );
    }
    Ok(presence)
}

/// Reads how values follow one another: the columns `from`, `to` and `probability`.
pub(super) fn read_correlations(path: &Path) -> Result<Correlated, Error> {
    let missing = Missing::new(Vec::new());
    let options = Options { header: Some(true), missing, ..Options::default() };
    let table = read_table(&path.to_string_lossy(), &options, &|_, _| {})?.table;
    let [from, to, probability] = ["from", "to", "probability"].map(|name| table.column(name));
    let columns = [from?, to?, probability?];
    let text = |column: &Column, row: usize| {
        column.dictionary().get(column.codes().get(row)).trim().to_owned()
    };
    let line = |row: usize| (row as u64 + 2, columns.map(|column| text(column, row)));
    let lines = (0..table.n_rows()).map(line).collect();
    Ok(Correlated { source_name: table.name().to_owned(), lines })
}
