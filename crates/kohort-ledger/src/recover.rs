//! What an interrupted process left behind: completed if anybody may have seen it, else undone.

use std::collections::BTreeSet;
use std::io::{self, Read};

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::book::{Book, states_of};
use crate::keys::Place;
use crate::records::SealedPerson;
use crate::{Error, Hash, Kind, StagedFile, What};

/// The files of releases, which this crate does not open itself.
pub trait Files {
    /// The bytes of a file, if there is one.
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Read>>>;
    /// Moves a staged file to its place, so that it is there after the machine stops.
    fn put_in_place(&self, staged: &str, target: &str) -> io::Result<()>;
    /// Removes a staged file.
    fn remove(&self, staged: &str) -> io::Result<()>;
}

/// A release that was interrupted, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The series.
    pub series: String,
    /// The number of the release.
    pub release: u32,
    /// Whether it is on the books. Otherwise it is not, and in no place.
    pub is_published: bool,
    /// Of a release that is published: targets whose files are neither in place nor staged. Somebody may
    /// have taken them away.
    pub missing: Vec<String>,
    /// Of a release that was undone: staged files that could not be removed.
    pub left: Vec<String>,
}

/// The note that a release is on the books and perhaps not in its place.
#[derive(Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) series: u32,
    pub(crate) name: String,
    pub(crate) release: u32,
    pub(crate) entry: Hash,
    pub(crate) files: Vec<StagedFile>,
}

impl Book<'_> {
    /// Notes that a release is pending.
    pub(crate) fn set_pending(&self, pending: &Pending) -> Result<(), Error> {
        let place = Place::Pending { record: self.head()?.n_records };
        let sealed = self.keys.seal(&place, pending)?;
        let sql = "INSERT OR REPLACE INTO pending VALUES (0, ?1)";
        self.connection.execute(sql, params![sealed])?;
        Ok(())
    }

    pub(crate) fn pending(&self) -> Result<Option<Pending>, Error> {
        let sql = "SELECT id, sealed FROM pending";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(i64, Vec<u8>)> = self.connection.query_row(sql, [], read).optional()?;
        let Some((id, sealed)) = found else { return Ok(None) };
        if id != 0 {
            return Err(Kind::altered("the release that was interrupted").into());
        }
        self.keys.unseal(&Place::Pending { record: self.head()?.n_records }, &sealed).map(Some)
    }

    /// The files of a pending release are in place: it is published.
    pub(crate) fn publish(
        &self,
        pending: &Pending,
        time: i64,
        outcome: &str,
    ) -> Result<Hash, Error> {
        let &Pending { series, release, entry, .. } = pending;
        let releases = self.releases(series)?;
        let replaced = states_of(&releases).into_iter().filter(|&(_, by, _)| by == release);
        let sql = "DELETE FROM state WHERE series = ?1 AND release < ?2 AND name = ?3";
        for (name, ..) in replaced {
            self.connection.execute(sql, params![series, release, name])?;
        }
        self.replace_people(series, release)?;
        self.connection.execute("DELETE FROM pending", [])?;
        self.log(time, What::Published { series: pending.name.clone(), release, entry }, outcome)
    }

    /// Removes the rows of people whom a release has again: what it says of them is what counts. What was
    /// erased from those rows before is in no root from here on.
    fn replace_people(&self, series: u32, release: u32) -> Result<(), Error> {
        let people = self.people(series)?;
        let new: BTreeSet<u32> = people
            .iter()
            .filter(|(row, _)| row.release == release)
            .map(|(row, _)| row.person)
            .collect();
        let is_replaced = |row: &&SealedPerson| row.release < release && new.contains(&row.person);
        self.remove_people(series, people.iter().map(|(row, _)| row).filter(is_replaced))?;
        let sql = "DELETE FROM erased WHERE series = ?1 AND release = 0";
        self.connection.execute(sql, [series])?;
        Ok(())
    }

    /// Nobody has seen a pending release: its rows go, and the people who appeared with it.
    fn undo(&self, pending: &Pending, time: i64) -> Result<(), Error> {
        let &Pending { series, release, .. } = pending;
        for table in ["entry", "member", "class", "state"] {
            let sql = format!("DELETE FROM {table} WHERE series = ?1 AND release = ?2");
            self.connection.execute(&sql, [series, release])?;
        }
        let people = self.people(series)?;
        let of_release = people.iter().map(|(row, _)| row).filter(|row| row.release == release);
        self.remove_people(series, of_release)?;
        if release == 1 {
            self.connection.execute("DELETE FROM series WHERE series = ?1", [series])?;
        }
        self.connection.execute("DELETE FROM pending", [])?;
        let what = What::RolledBack { series: pending.name.clone(), release };
        self.log(time, what, "all of its files were still staged")?;
        Ok(())
    }

    /// Settles a pending release of a process that is dead. Only where all its files are still staged has
    /// nobody seen it: one that is neither staged nor in place may have been taken from its place. Files
    /// are moved before the commit that says so, and removed after it; whoever is interrupted here does
    /// it again.
    pub(crate) fn settle(
        &self,
        pending: &Pending,
        files: &dyn Files,
        time: i64,
    ) -> Result<Recovered, Error> {
        let has = |path: &str, hash: Hash| -> Result<bool, Error> {
            let failed = |source| Error::from(Kind::Leftover { path: path.to_owned(), source });
            let Some(reader) = files.open(path).map_err(failed)? else { return Ok(false) };
            Ok(Hash::of_reader(reader).map_err(failed)? == hash)
        };
        let mut away = Vec::new();
        for file in &pending.files {
            if !has(&file.target, file.hash)? {
                away.push(file);
            }
        }
        let mut staged = Vec::new();
        let mut missing = Vec::new();
        for &file in &away {
            if has(&file.staged, file.hash)? {
                staged.push(file);
            } else {
                missing.push(file.target.clone());
            }
        }
        let is_published = staged.len() < pending.files.len();
        if is_published {
            for file in staged {
                files.put_in_place(&file.staged, &file.target).map_err(|source| {
                    Error::from(Kind::Leftover { path: file.target.clone(), source })
                })?;
            }
            self.publish(pending, time, "completed after an interruption")?;
        } else {
            self.undo(pending, time)?;
        }
        let (series, release) = (pending.name.clone(), pending.release);
        Ok(Recovered { series, release, is_published, missing, left: Vec::new() })
    }
}
