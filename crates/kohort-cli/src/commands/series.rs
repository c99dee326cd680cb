//! `kohort series`: what the ledger has, whether it is what was written, erasure, and another secret.

use std::io;
use std::path::Path;

use kohort::series::{
    Books, KeptHead, check, check_text, forgotten_text, list_text, rekeyed_text, show_text,
    uses_text,
};

use super::secrets::{kept_head, next_secret, now, secret};
use crate::args::SeriesCommand;
use crate::printer::{Failure, Outcome, Printer, usage};

pub(crate) fn run(command: &SeriesCommand, printer: &Printer) -> Result<Outcome, Failure> {
    let key = command.key();
    let ledger = Path::new(key.ledger.as_deref().unwrap_or("kohort.ledger"));
    let head = kept_head(key);
    if let KeptHead::File(file) = &head
        && !file.exists()
    {
        return Err(usage(
            format!("{}: neither a file nor a head of 64 digits", file.display()),
            "name the file that `publish --head` keeps up to date, or the head of the last receipt",
        ));
    }
    let open = || -> Result<Books, Failure> {
        let books = Books::open(ledger, &secret(key, false)?, now())?;
        printer.notes(books.notes());
        if let Some(older) = books.older_copy(&head, ledger)? {
            printer.note(&format!("{}: {}", older.problem, older.causes.join("; ")));
        }
        Ok(books)
    };
    match command {
        SeriesCommand::List { .. } => {
            let series = open()?.list()?;
            printer.data(&series, || list_text(&series))?;
        }
        SeriesCommand::Show { series, .. } => {
            let releases = open()?.show(series)?;
            printer.data(&releases, || show_text(series, &releases))?;
        }
        // A ledger that cannot be opened may be one that was altered: that is an answer here.
        SeriesCommand::Check { series, .. } => {
            let place = (ledger, &secret(key, false)?, now());
            let (answers, notes) = check(place, series.as_deref(), &head)?;
            printer.notes(&notes);
            printer.data(&answers, || check_text(&answers))?;
            if !answers.iter().all(|answer| answer.holds) {
                return Ok(Outcome::No);
            }
        }
        SeriesCommand::History { .. } => {
            let uses = open()?.uses()?;
            printer.data(&uses, || uses_text(&uses))?;
        }
        SeriesCommand::Forget { series, person, person_file, .. } => {
            let person = match (person, person_file.as_deref()) {
                (Some(person), _) => person.clone(),
                (None, file) => first_line(file.unwrap_or("-"))?,
            };
            let mut books = open()?;
            let forgotten = books.forget(series, &person)?;
            printer.data(&forgotten, || forgotten_text(&forgotten))?;
            printer.notes(books.keep_head(&head).as_slice());
        }
        SeriesCommand::Rekey { new_passphrase_file, new_key_file, reseal, .. } => {
            let mut books = open()?;
            let next = next_secret(new_passphrase_file.as_deref(), new_key_file.as_deref())?;
            let rekeyed = books.rekey(&next, *reseal)?;
            printer.data(&rekeyed, || rekeyed_text(&rekeyed))?;
            printer.notes(books.keep_head(&head).as_slice());
        }
    }
    Ok(Outcome::Done)
}

/// The first line of a file, or of standard input.
fn first_line(file: &str) -> Result<String, Failure> {
    let text = if file == "-" {
        io::read_to_string(io::stdin()).map_err(Failure::Output)?
    } else {
        kohort::read_text(Path::new(file))?
    };
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(usage(
            format!("{file}: the first line must be the key of a person, but is empty"),
            "write the key into a file, or pipe it to `--person-file -`",
        ));
    }
    Ok(line.to_owned())
}
