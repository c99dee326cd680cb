//! What stands in the ledger, read and written row by row within a transaction.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::keys::{Keys, Place, RowName, RowOf};
use crate::records::{SealedClass, SealedMember, SealedPerson};
use crate::{Class, Error, Hash, Kind, Release, Use, What, legacy, schema, scrub};

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
    /// And the version of SQLite that wrote it last; 0 where that does not show the pages of a file, so that
    /// what nobody reads was not scrubbed.
    pub(crate) sqlite_version: u32,
    /// The hash of the lock: the lock of an earlier secret does not open the ledger again.
    pub(crate) lock: Hash,
}

impl Head {
    /// Whether the last to write has set the bytes that nobody reads to zero.
    pub(crate) fn is_scrubbed(&self) -> bool {
        self.sqlite_version != 0
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
        let head: Head = self
            .keys
            .unseal(&Place::Head, &sealed)
            .or_else(|_| legacy::head(self.keys, &sealed))?;
        if head.version > schema::VERSION {
            return Err(Kind::altered("the version of the schema").into());
        }
        Ok(head)
    }

    /// Every commit of a ledger that has nothing to be settled sets the head.
    fn set_head(&self, head: Head) -> Result<(), Error> {
        let sqlite_version = if scrub::shows_pages(self.connection)? {
            rusqlite::version_number().unsigned_abs()
        } else {
            0
        };
        let head = Head { sqlite_version, ..head };
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
            lock: Hash::of(&self.lock()?),
        })
    }

    /// What opens the ledger, as it stands there.
    pub(crate) fn lock(&self) -> Result<Vec<u8>, Error> {
        let sql = "SELECT lock FROM lock WHERE id = 0";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Replaces what opens the ledger.
    pub(crate) fn set_lock(&self, lock: &[u8]) -> Result<(), Error> {
        self.connection.execute("UPDATE lock SET lock = ?1 WHERE id = 0", params![lock])?;
        self.set_head(Head { lock: Hash::of(lock), ..self.head()? })
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

    /// Writes the classes of a release, and says what commits to each.
    pub(crate) fn write_classes(
        &self,
        (series, release): (u32, u32),
        classes: &[Class],
    ) -> Result<Vec<Hash>, Error> {
        let mut statement =
            self.connection.prepare_cached("INSERT INTO class VALUES (?1, ?2, ?3, ?4)")?;
        let mut commitments = Vec::with_capacity(classes.len());
        for (class, row) in (0..).zip(classes) {
            let place = Place::Class { series, release, class };
            let sealed = SealedClass::new(row).ok_or_else(|| Kind::Entry {
                what: "a counterfeit has a value that its class does not show".to_owned(),
            })?;
            let sealed = self.keys.seal(&place, &sealed)?;
            statement.execute(params![series, release, class, sealed])?;
            commitments.push(self.keys.commitment(&place, &sealed));
        }
        Ok(commitments)
    }

    /// Calls with everybody in a release who was not forgotten, and what commits to the row.
    pub(crate) fn members(
        &self,
        series: u32,
        release: u32,
        mut each: impl FnMut(SealedMember, Hash) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sql = "SELECT name, sealed FROM member WHERE series = ?1 AND release = ?2 ORDER BY 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows =
            statement.query_map([series, release], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let keys = self.keys;
        let unseal = |(name, sealed): &(RowName, Vec<u8>)| {
            let place = Place::Member { series, release, name: *name };
            let member: SealedMember = keys.unseal(&place, sealed)?;
            if *name != keys.row_name(RowOf::Member, series, release, member.person) {
                return Err(Kind::altered(place.to_string()).into());
            }
            Ok((member, keys.commitment(&place, sealed)))
        };
        in_blocks(&mut rows, unseal, |(member, hash)| each(member, hash))
    }

    /// A person in a release.
    pub(crate) fn member(
        &self,
        series: u32,
        release: u32,
        person: u32,
    ) -> Result<Option<(SealedMember, Hash)>, Error> {
        let name = self.keys.row_name(RowOf::Member, series, release, person);
        let sql = "SELECT sealed FROM member WHERE series = ?1 AND release = ?2 AND name = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let sealed: Option<Vec<u8>> =
            statement.query_row(params![series, release, name], |row| row.get(0)).optional()?;
        let Some(sealed) = sealed else { return Ok(None) };
        let place = Place::Member { series, release, name };
        Ok(Some((self.keys.unseal(&place, &sealed)?, self.keys.commitment(&place, &sealed))))
    }

    /// Writes the people of a release, and says what commits to each.
    pub(crate) fn write_members(
        &self,
        (series, release): (u32, u32),
        members: &[SealedMember],
    ) -> Result<Vec<Hash>, Error> {
        let keys = self.keys;
        let seal = |member: &SealedMember| -> Result<_, Error> {
            let name = keys.row_name(RowOf::Member, series, release, member.person);
            let place = Place::Member { series, release, name };
            let sealed = keys.seal(&place, member)?;
            let hash = keys.commitment(&place, &sealed);
            Ok((name, sealed, hash))
        };
        let sql = "INSERT INTO member VALUES (?1, ?2, ?3, ?4)";
        let mut statement = self.connection.prepare_cached(sql)?;
        in_order_of_names(members, seal, |name, sealed| {
            statement.execute(params![series, release, name, sealed])?;
            Ok(())
        })
    }

    /// The rows of everybody whom a series has had and who was not forgotten, and what commits to each. While
    /// a release is pending, who is in it has two.
    pub(crate) fn people(&self, series: u32) -> Result<Vec<(SealedPerson, Hash)>, Error> {
        let sql = "SELECT name, sealed FROM person WHERE series = ?1 ORDER BY name";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query_map([series], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let keys = self.keys;
        let unseal = |(name, sealed): &(RowName, Vec<u8>)| {
            let place = Place::Person { series, name: *name };
            let row: SealedPerson = keys.unseal(&place, sealed)?;
            if *name != keys.row_name(RowOf::Person, series, row.release, row.person) {
                return Err(Kind::altered(place.to_string()).into());
            }
            Ok((row, keys.commitment(&place, sealed)))
        };
        let mut people = Vec::new();
        in_blocks(&mut rows, unseal, |row| {
            people.push(row);
            Ok(())
        })?;
        Ok(people)
    }

    /// Writes what the books have of people, and says what commits to each.
    pub(crate) fn write_people(
        &self,
        series: u32,
        people: &[SealedPerson],
    ) -> Result<Vec<Hash>, Error> {
        let keys = self.keys;
        let seal = |row: &SealedPerson| -> Result<_, Error> {
            let name = keys.row_name(RowOf::Person, series, row.release, row.person);
            let place = Place::Person { series, name };
            let sealed = keys.seal(&place, row)?;
            let hash = keys.commitment(&place, &sealed);
            Ok((name, sealed, hash))
        };
        let mut statement =
            self.connection.prepare_cached("INSERT INTO person VALUES (?1, ?2, ?3)")?;
        in_order_of_names(people, seal, |name, sealed| {
            statement.execute(params![series, name, sealed])?;
            Ok(())
        })
    }

    /// Removes rows of people.
    pub(crate) fn remove_people<'b>(
        &self,
        series: u32,
        people: impl IntoIterator<Item = &'b SealedPerson>,
    ) -> Result<(), Error> {
        let sql = "DELETE FROM person WHERE series = ?1 AND name = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        for row in people {
            let name = self.keys.row_name(RowOf::Person, series, row.release, row.person);
            statement.execute(params![series, name])?;
        }
        Ok(())
    }

    /// What commits to rows that were erased from a release; from those of people where it is 0.
    pub(crate) fn erased(&self, series: u32, release: u32) -> Result<Vec<Hash>, Error> {
        let sql = "SELECT commitment FROM erased WHERE series = ?1 AND release = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([series, release], |row| row.get(0).map(Hash))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes what committed to a row that is erased.
    pub(crate) fn add_erased(&self, series: u32, release: u32, hash: &Hash) -> Result<(), Error> {
        let sql = "INSERT INTO erased VALUES (?1, ?2, ?3)";
        self.connection.execute(sql, params![series, release, hash.0])?;
        Ok(())
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

    /// Writes a named state, and says what commits to it.
    pub(crate) fn write_state(
        &self,
        series: u32,
        release: u32,
        (name, state): (&str, &[u8]),
    ) -> Result<Hash, Error> {
        let place = Place::State { series, release, name };
        let sealed = self.keys.seal(&place, &state)?;
        let sql = "INSERT INTO state VALUES (?1, ?2, ?3, ?4)";
        self.connection.execute(sql, params![series, release, name, sealed])?;
        Ok(self.keys.commitment(&place, &sealed))
    }

    /// Writes the entry of a release, and says what its hash is.
    pub(crate) fn write_entry(&self, series: u32, entry: &Release) -> Result<Hash, Error> {
        let place = Place::Entry { series, release: entry.number };
        let sealed = self.keys.seal(&place, entry)?;
        let sql = "INSERT INTO entry VALUES (?1, ?2, ?3)";
        self.connection.execute(sql, params![series, entry.number, sealed])?;
        Ok(self.keys.commitment(&place, &sealed))
    }

    /// Writes the name of a series.
    pub(crate) fn write_series(&self, series: u32, name: &str) -> Result<(), Error> {
        let sealed = self.keys.seal(&Place::Series { series }, &name)?;
        self.connection.execute("INSERT INTO series VALUES (?1, ?2)", params![series, sealed])?;
        Ok(())
    }

    /// What commits to rows whose order tells nothing.
    pub(crate) fn root_of_all(&self, mut hashes: Vec<Hash>) -> Hash {
        hashes.sort_unstable();
        self.keys.root(&hashes)
    }
}

/// Unseals rows on all cores, a block at a time, and calls with each in order.
fn in_blocks<R: Send + Sync, T: Send>(
    rows: &mut impl Iterator<Item = rusqlite::Result<R>>,
    unseal: impl Fn(&R) -> Result<T, Error> + Send + Sync,
    mut each: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    loop {
        let block: Vec<R> = rows.by_ref().take(BLOCK).collect::<Result<_, _>>()?;
        if block.is_empty() {
            return Ok(());
        }
        let unsealed: Vec<Result<T, Error>> = block.par_iter().map(&unseal).collect();
        for row in unsealed {
            each(row?)?;
        }
    }
}

/// Seals rows on all cores and writes them in the order of their names, so that where a row stands in the
/// file tells nothing of it. What commits to each is in the order of `rows`.
fn in_order_of_names<R: Sync>(
    rows: &[R],
    seal: impl Fn(&R) -> Result<(RowName, Vec<u8>, Hash), Error> + Send + Sync,
    mut write: impl FnMut(&RowName, &[u8]) -> Result<(), Error>,
) -> Result<Vec<Hash>, Error> {
    let sealed: Result<Vec<_>, Error> = rows.par_iter().map(seal).collect();
    let sealed = sealed?;
    let hashes = sealed.iter().map(|(_, _, hash)| *hash).collect();
    let mut order: Vec<usize> = (0..sealed.len()).collect();
    order.sort_unstable_by_key(|&row| sealed[row].0);
    for row in order {
        write(&sealed[row].0, &sealed[row].1)?;
    }
    Ok(hashes)
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
