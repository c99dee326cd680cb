//! A person is forgotten: what identifies the person goes, what protects the others stays.
//!
//! # What goes
//! What the person's key becomes, by which the person is found, with the value that was last published, and
//! in every release the row that says in which class the person is. Their bytes are overwritten, also where
//! the file no longer uses them.
//!
//! # What stays
//! The classes as they were published, and of each row what committed to it, without the person's number:
//! a keyed hash over a random nonce that is gone, so that not even who has the secret can tell whose it
//! was. The number stays unused. It says in which release somebody appeared first, and nothing of who it
//! was: the people of a release are numbered in an order that depends on the ledger's key alone.

use rusqlite::params;

use crate::keys::RowOf;
use crate::{Error, Kind, Ledger, Standing, What};

/// What forgetting a person costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// The releases in which the person was, shown or not.
    pub releases: Vec<u32>,
    /// By release, the class that shows a member whom nobody can follow. Later releases cannot be
    /// checked against it for this person, who counts as somebody else on coming back.
    pub classes: Vec<(u32, u32)>,
}

impl Ledger {
    /// Forgets a person of a series, by the person's key. A key that nobody has is a use that is logged,
    /// without the key.
    pub fn forget(&mut self, series: &str, person: &str) -> Result<Forgotten, Error> {
        let now = self.now();
        let answer = self.use_(|book| {
            let number = book.find_series(series)?;
            let tag = book.keys.tag(number, person);
            let found = book.people(number)?.into_iter().find(|(row, _)| row.tag == tag);
            let (row, hash) =
                found.ok_or_else(|| Kind::UnknownPerson { series: series.to_owned() })?;
            let mut forgotten = Forgotten { releases: Vec::new(), classes: Vec::new() };
            for (release, _) in book.releases(number)? {
                let release = release.number;
                let found = book.member(number, release, row.person)?;
                let Some((member, hash)) = found else { continue };
                forgotten.releases.push(release);
                if let Standing::Shown { class } = member.standing {
                    forgotten.classes.push((release, class));
                }
                let name = book.keys.row_name(RowOf::Member, number, release, row.person);
                let erase = "DELETE FROM member WHERE series = ?1 AND release = ?2 AND name = ?3";
                book.connection.execute(erase, params![number, release, name])?;
                book.add_erased(number, release, &hash)?;
            }
            book.remove_people(number, [&row])?;
            book.add_erased(number, 0, &hash)?;
            let releases = forgotten.releases.clone();
            book.log(now, What::Forgot { series: series.to_owned(), releases }, "done")?;
            book.set_vacuum_due()?;
            Ok(forgotten)
        });
        // No `Forgot`: the check counts these.
        let asked = What::Read { what: format!("whom to forget of `{series}`") };
        let forgotten = self.log_failed(asked, answer)?;
        // What was erased may have left copies on pages that were rearranged.
        self.settle()?;
        Ok(forgotten)
    }
}
