//! What stands in the ledger, read and written row by row within a transaction.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::keys::{Keys, Place};
use crate::records::SealedClass;
use crate::{Class, Error, Hash, Kind, Member, Release, Use, What, schema};

/// The end of the log.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) n_records: u64,
    /// It covers every record.
    pub(crate) hash: Hash,
    pub(crate) version: u32,
    /// Rows were erased or the schema was changed: the file is to be written anew.
    pub(crate) is_vacuum_due: bool,
    /// What SQLite writes in the header of the file: how often the schema was changed.
    pub(crate) schema_cookie: u32,
    /// And the version of SQLite that wrote it last.
    pub(crate) sqlite_version: u32,
}

/// The end of the log as version 1 wrote it.
#[derive(Deserialize)]
struct HeadOfVersion1 {
    n_records: u64,
    hash: Hash,
    version: u32,
    is_vacuum_due: bool,
}

impl From<HeadOfVersion1> for Head {
    fn from(head: HeadOfVersion1) -> Self {
        let HeadOfVersion1 { n_records, hash, version, is_vacuum_due } = head;
        Self { n_records, hash, version, is_vacuum_due, schema_cookie: 0, sqlite_version: 0 }
    }
}

/// How many rows are unsealed at once, on all cores.
const BLOCK: usize = 8192;

/// A release with the hash of its entry.
pub(crate) type Chained = (Release, Hash);

/// The rows of the ledger, sealed and unsealed.
#[derive(Clone, Copy)]
pub(crate) struct Book<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) keys: &'a Keys,
}

impl Book<'_> {
    pub(crate) fn head(&self) -> Result<Head, Error> {
        let sealed: Vec<u8> =
            self.connection
                .query_row("SELECT sealed FROM head WHERE id = 0", [], |row| row.get(0))?;
        let head: Head = self.keys.unseal(&Place::Head, &sealed).or_else(|_| {
            self.keys.unseal::<HeadOfVersion1>(&Place::Head, &sealed).map(Head::from)
        })?;
        if head.version > schema::VERSION {
            return Err(Kind::altered("the version of the schema").into());
        }
        Ok(head)
    }

    /// Every commit of a ledger that has nothing to be settled sets the head.
    fn set_head(&self, head: Head) -> Result<(), Error> {
        let head = Head { sqlite_version: rusqlite::version_number().unsigned_abs(), ..head };
        let sealed = self.keys.seal(&Place::Head, &head)?;
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (0, ?1)", params![sealed])?;
        Ok(())
    }

    /// The head of a log without records.
    pub(crate) fn create_head(&self) -> Result<(), Error> {
        self.set_head(Head {
            n_records: 0,
            hash: Hash::default(),
            version: schema::VERSION,
            is_vacuum_due: false,
            schema_cookie: self.schema_cookie()?,
            sqlite_version: 0,
        })
    }

    /// Notes that the file is to be written anew.
    pub(crate) fn set_vacuum_due(&self) -> Result<(), Error> {
        self.set_head(Head { is_vacuum_due: true, ..self.head()? })
    }

    /// Notes that the file was written anew, which SQLite counts as a change of the schema.
    pub(crate) fn set_vacuumed(&self) -> Result<(), Error> {
        let schema_cookie = self.schema_cookie()?;
        self.set_head(Head { is_vacuum_due: false, schema_cookie, ..self.head()? })
    }

    fn schema_cookie(&self) -> Result<u32, Error> {
        Ok(self.connection.pragma_query_value(None, "schema_version", |row| row.get(0))?)
    }

    /// Adds a use to the log, and says what its head is then.
    pub(crate) fn log(&self, time: i64, what: What, outcome: &str) -> Result<Hash, Error> {
        let mut head = self.head()?;
        let place = Place::Log { record: head.n_records };
        let sealed = self.keys.seal(&place, &Use { time, what, outcome: outcome.to_owned() })?;
        let sql = "INSERT INTO log VALUES (?1, ?2)";
        self.connection.execute(sql, params![head.n_records.cast_signed(), sealed])?;
        head.hash = self.next_hash(&head.hash, &place, &sealed);
        head.n_records += 1;
        head.version = schema::VERSION;
        self.set_head(head)?;
        Ok(head.hash)
    }

    /// The hash of a link of a chain: it covers all links before.
    fn next_hash(&self, previous: &Hash, place: &Place<'_>, sealed: &[u8]) -> Hash {
        self.keys.root([previous, &self.keys.commitment(place, sealed)])
    }

    /// Every use with the head after it, of a log whose chain holds.
    pub(crate) fn uses(&self) -> Result<Vec<(Use, Hash)>, Error> {
        let head = self.head()?;
        let mut statement =
            self.connection.prepare("SELECT record, sealed FROM log ORDER BY record")?;
        let mut rows = statement.query([])?;
        let (mut uses, mut hash) = (Vec::new(), Hash::default());
        for record in 0.. {
            let Some(row) = rows.next()? else { break };
            let (found, sealed): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let place = Place::Log { record };
            if found != record.cast_signed() {
                return Err(Kind::altered(format!("{place} is missing")).into());
            }
            hash = self.next_hash(&hash, &place, &sealed);
            uses.push((self.keys.unseal(&place, &sealed)?, hash));
        }
        if (uses.len() as u64, hash) != (head.n_records, head.hash) {
            return Err(Kind::altered("the log does not end where its head says").into());
        }
        Ok(uses)
    }

    /// The series by number, with their names.
    pub(crate) fn series(&self) -> Result<Vec<(u32, String)>, Error> {
        let mut statement =
            self.connection.prepare("SELECT series, sealed FROM series ORDER BY 1")?;
        let mut rows = statement.query([])?;
        let mut series = Vec::new();
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            let sealed: Vec<u8> = row.get(1)?;
            series.push((number, self.keys.unseal(&Place::Series { series: number }, &sealed)?));
        }
        Ok(series)
    }

    /// The number of a series. One that is not there and of which the log names releases was deleted.
    pub(crate) fn find_series(&self, name: &str) -> Result<u32, Error> {
        let found = self.series()?.into_iter().find(|(_, found)| found == name);
        if let Some((series, _)) = found {
            return Ok(series);
        }
        let n_logged = self.logged_series()?.get(name).copied().unwrap_or(0);
        Err(match n_logged {
            0 => Kind::UnknownSeries { series: name.to_owned() },
            1 => Kind::altered(format!("series `{name}` is gone: the log names its entry")),
            n => Kind::altered(format!("series `{name}` is gone: the log names its {n} entries")),
        }
        .into())
    }

    /// The series whose releases the log names, each with their number.
    pub(crate) fn logged_series(&self) -> Result<BTreeMap<String, usize>, Error> {
        let mut logged = BTreeMap::new();
        for (logged_use, _) in self.uses()? {
            if let What::Published { series, .. } = logged_use.what {
                *logged.entry(series).or_default() += 1;
            }
        }
        Ok(logged)
    }

    /// The releases of a series, whose chain holds.
    pub(crate) fn releases(&self, series: u32) -> Result<Vec<Chained>, Error> {
        let mut releases = Vec::new();
        self.read_releases(series, &mut releases)?;
        Ok(releases)
    }

    /// Adds the releases of a series, as far as their chain holds.
    pub(crate) fn read_releases(
        &self,
        series: u32,
        releases: &mut Vec<Chained>,
    ) -> Result<(), Error> {
        let sql = "SELECT release, sealed FROM entry WHERE series = ?1 ORDER BY release";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([series])?;
        for release in 1.. {
            let Some(row) = rows.next()? else { break };
            let (found, sealed): (u32, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let place = Place::Entry { series, release };
            if found != release {
                return Err(Kind::altered(format!("{place} is missing")).into());
            }
            let entry: Release = self.keys.unseal(&place, &sealed)?;
            let previous = releases.last().map_or(Hash::default(), |(_, hash)| *hash);
            if entry.previous != previous || entry.number != release {
                return Err(Kind::altered(format!("{place} does not follow the one before")).into());
            }
            releases.push((entry, self.keys.commitment(&place, &sealed)));
        }
        Ok(())
    }

    /// The classes of a release, and what commits to each.
    pub(crate) fn classes(&self, series: u32, release: u32) -> Result<Vec<(Class, Hash)>, Error> {
        let sql = "SELECT class, sealed FROM class WHERE series = ?1 AND release = ?2 ORDER BY 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([series, release], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(u32, Vec<u8>)> = rows.collect::<Result<_, _>>()?;
        let keys = self.keys;
        let unseal = |(class, (found, sealed)): (usize, &(u32, Vec<u8>))| {
            let class = count(class);
            let place = Place::Class { series, release, class };
            if *found != class {
                return Err(Kind::altered(format!("{place} is missing")).into());
            }
            let unsealed: SealedClass = keys.unseal(&place, sealed)?;
            Ok((unsealed.into(), keys.commitment(&place, sealed)))
        };
        // The first that is wrong is the one to name, whatever the number of threads.
        let classes: Vec<Result<_, Error>> = rows.par_iter().enumerate().map(unseal).collect();
        classes.into_iter().collect()
    }

    /// Calls with everybody in a release who was not forgotten, by number, and what commits to the row.
    pub(crate) fn members(
        &self,
        series: u32,
        release: u32,
        mut each: impl FnMut(Member, Hash) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sql = "SELECT person, sealed FROM member WHERE series = ?1 AND release = ?2 ORDER BY 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows =
            statement.query_map([series, release], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let keys = self.keys;
        let unseal = |(person, sealed): &(u32, Vec<u8>)| {
            let place = Place::Member { series, release, person: *person };
            let member: Member = keys.unseal(&place, sealed)?;
            Ok((Member { person: *person, ..member }, keys.commitment(&place, sealed)))
        };
        loop {
            let block: Vec<(u32, Vec<u8>)> = rows.by_ref().take(BLOCK).collect::<Result<_, _>>()?;
            if block.is_empty() {
                return Ok(());
            }
            let members: Vec<Result<_, Error>> = block.par_iter().map(unseal).collect();
            for member in members {
                let (member, hash) = member?;
                each(member, hash)?;
            }
        }
    }

    /// A person in a release.
    pub(crate) fn member(
        &self,
        series: u32,
        release: u32,
        person: u32,
    ) -> Result<Option<(Member, Hash)>, Error> {
        let sql = "SELECT sealed FROM member WHERE series = ?1 AND release = ?2 AND person = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let sealed: Option<Vec<u8>> =
            statement.query_row([series, release, person], |row| row.get(0)).optional()?;
        let Some(sealed) = sealed else { return Ok(None) };
        let place = Place::Member { series, release, person };
        let member: Member = self.keys.unseal(&place, &sealed)?;
        Ok(Some((Member { person, ..member }, self.keys.commitment(&place, &sealed))))
    }

    /// A named state and what commits to it.
    pub(crate) fn state(
        &self,
        series: u32,
        release: u32,
        name: &str,
    ) -> Result<Option<(Vec<u8>, Hash)>, Error> {
        let sql = "SELECT sealed FROM state WHERE series = ?1 AND release = ?2 AND name = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let sealed: Option<Vec<u8>> =
            statement.query_row(params![series, release, name], |row| row.get(0)).optional()?;
        let Some(sealed) = sealed else { return Ok(None) };
        let place = Place::State { series, release, name };
        let commitment = self.keys.commitment(&place, &sealed);
        Ok(Some((self.keys.unseal(&place, &sealed)?, commitment)))
    }

    /// The number of a person, by the key.
    pub(crate) fn find_person(
        &self,
        series: u32,
        tag: &[u8; 16],
    ) -> Result<Option<(u32, Vec<u8>)>, Error> {
        let sql = "SELECT person, binding FROM person WHERE series = ?1 AND tag = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row(params![series, tag], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(found.optional()?)
    }
}

/// The names of the states that count, each with the release that set it and what commits to it.
pub(crate) fn states_of(releases: &[Chained]) -> Vec<(&str, u32, Hash)> {
    let mut seen = BTreeSet::new();
    let by_release = releases.iter().rev().flat_map(|(release, _)| {
        release.states.iter().map(|(name, hash)| (name.as_str(), release.number, *hash))
    });
    by_release.filter(|(name, ..)| seen.insert(*name)).collect()
}

/// A number of rows as the ledger counts them.
pub(crate) fn count(n: usize) -> u32 {
    u32::try_from(n).expect("a series has fewer than four billion rows")
}
