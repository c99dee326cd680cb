//! `kohort series`: what the ledger has, whether it is what was written, erasure, and another secret.

use std::path::Path;

use kohort::series::{
    Books, Hash, check, check_text, forgotten_text, list_text, rekeyed_text, show_text, uses_text,
};

use super::secrets::{next_secret, now, secret};
use crate::args::SeriesCommand;
use crate::printer::{Failure, Outcome, Printer, usage};

pub(crate) fn run(command: &SeriesCommand, printer: &Printer) -> Result<Outcome, Failure> {
    let key = command.key();
    let ledger = Path::new(key.ledger.as_deref().unwrap_or("kohort.ledger"));
    let open = || -> Result<Books, Failure> {
        let books = Books::open(ledger, &secret(key, false)?, now())?;
        printer.notes(books.notes());
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
        SeriesCommand::Check { series, head, .. } => {
            let head = head.as_deref().map(read).transpose()?;
            let place = (ledger, &secret(key, false)?, now());
            let (answers, notes) = check(place, series.as_deref(), head.as_ref())?;
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
        SeriesCommand::Forget { series, person, .. } => {
            let forgotten = open()?.forget(series, person)?;
            printer.data(&forgotten, || forgotten_text(&forgotten))?;
        }
        SeriesCommand::Rekey { new_passphrase_file, new_key_file, .. } => {
            let mut books = open()?;
            let next = next_secret(new_passphrase_file.as_deref(), new_key_file.as_deref())?;
            let rekeyed = books.rekey(&next)?;
            printer.data(&rekeyed, || rekeyed_text(&rekeyed))?;
        }
    }
    Ok(Outcome::Done)
}

fn read(head: &str) -> Result<Hash, Failure> {
    head.parse().map_err(|_| {
        usage("`head` must be 64 hexadecimal digits", "take it from the receipt of a release")
    })
}
