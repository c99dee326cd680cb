//! Ledgers of versions 1 and 2, read to be written anew.
//!
//! There the number of a person stood in plain beside each row, in the order of first appearance, sealed rows
//! had lengths that depended on what they said, the value of everybody in every release was kept, and an old
//! lock could be put back. Nothing is taken over that does not fit what the entries commit to.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::Deserialize;

use crate::book::{Book, Head, count};
use crate::contents::{Contents, ReleaseContents, SeriesContents, states};
use crate::keys::{Keys, Place};
use crate::records::{SealedMember, SealedPerson, Value};
use crate::{Class, Counterfeit, Error, Facts, Hash, Kind, Release, Standing};

/// The end of the log as version 2 wrote it.
#[derive(Deserialize)]
struct Head2 {
    n_records: u64,
    hash: Hash,
    version: u32,
    is_vacuum_due: bool,
    schema_cookie: u32,
    sqlite_version: u32,
}

/// The end of the log as version 1 wrote it.
#[derive(Deserialize)]
struct Head1 {
    n_records: u64,
    hash: Hash,
    version: u32,
    is_vacuum_due: bool,
}

/// The head of an earlier version.
pub(crate) fn head(keys: &Keys, sealed: &[u8]) -> Result<Head, Error> {
    let head = keys.unseal::<Head2>(&Place::Head, sealed).or_else(|_| {
        let Head1 { n_records, hash, version, is_vacuum_due } =
            keys.unseal(&Place::Head, sealed)?;
        Ok::<_, Error>(Head2 {
            n_records,
            hash,
            version,
            is_vacuum_due,
            schema_cookie: 0,
            sqlite_version: 0,
        })
    })?;
    let Head2 { n_records, hash, version, is_vacuum_due, schema_cookie, sqlite_version } = head;
    let lock = Hash::default();
    Ok(Head { n_records, hash, version, is_vacuum_due, schema_cookie, sqlite_version, lock })
}

#[derive(Deserialize)]
struct Release2 {
    number: u32,
    time: i64,
    facts: Facts,
    files: Vec<(String, Hash)>,
    previous: Hash,
    n_shown: u32,
    n_held_back: u32,
    n_suppressed: u32,
    n_classes: u32,
    n_counterfeits: u32,
    n_people: u32,
    values: Vec<String>,
    members: Hash,
    classes: Hash,
    states: Vec<(String, Hash)>,
    salt: [u8; 16],
}

#[derive(Deserialize)]
struct Member2 {
    standing: Standing,
    value: u32,
    #[serde(rename = "state")]
    _state: Vec<u8>,
}

#[derive(Deserialize)]
struct Class2 {
    cells: Vec<String>,
    values: Vec<u32>,
    n_counterfeits: u32,
    counterfeits: Vec<Counterfeit>,
}

/// All that a ledger of an earlier version has.
pub(crate) fn contents(book: &Book<'_>) -> Result<Contents, Error> {
    let pending = book.pending()?;
    let mut series = Vec::new();
    for (number, name) in book.series()? {
        let is_pending = pending.as_ref().is_some_and(|pending| pending.series == number);
        let read = Read { book, series: number };
        series.push(read.contents(name, is_pending)?);
    }
    Ok(Contents { uses: book.uses()?, series, pending })
}

/// A series that is read.
struct Read<'a> {
    book: &'a Book<'a>,
    series: u32,
}

/// Who is in a release, with the true value of each.
type Members2 = BTreeMap<u32, Member2>;

impl Read<'_> {
    fn contents(&self, name: String, is_pending: bool) -> Result<SeriesContents, Error> {
        let entries = self.entries()?;
        let mut members = Vec::new();
        let mut releases = Vec::new();
        let texts: Vec<String> =
            entries.iter().flat_map(|(entry, _)| entry.values.iter().cloned()).collect();
        let mut is_published = vec![false; texts.len()];
        for (entry, hash) in &entries {
            let erased = self.book.erased(self.series, entry.number)?;
            let of_release = self.members(entry, &erased)?;
            let classes = self.classes(entry)?;
            for value in classes.iter().flat_map(|class| &class.released.values) {
                if let Some(found) = is_published.get_mut(*value as usize) {
                    *found = true;
                }
            }
            let sealed = of_release
                .iter()
                .map(|(&person, row)| SealedMember { person, standing: row.standing });
            releases.push((*hash, sealed.collect(), erased, classes));
            members.push(of_release);
        }
        let people = self.people(&entries, &members, is_pending)?;
        let mut values = texts.into_iter().zip(is_published).map(|(text, is_published)| {
            if is_published {
                Value::Published(text)
            } else {
                Value::Hidden(self.book.keys.value_tag(self.series, &text))
            }
        });
        let mut contents = Vec::new();
        for ((entry, _), (hash, members, erased, classes)) in entries.into_iter().zip(releases) {
            let of_release = values.by_ref().take(entry.values.len()).collect();
            let entry = entry.into_release(of_release);
            let states = states(self.book, self.series, &entry)?;
            contents.push(ReleaseContents { entry, hash, members, erased, classes, states });
        }
        let number = self.series;
        Ok(SeriesContents { number, name, releases: contents, people, erased: Vec::new() })
    }

    fn entries(&self) -> Result<Vec<(Release2, Hash)>, Error> {
        let sql = "SELECT sealed FROM entry WHERE series = ?1 ORDER BY release";
        let mut statement = self.book.connection.prepare(sql)?;
        let mut rows = statement.query([self.series])?;
        let mut entries: Vec<(Release2, Hash)> = Vec::new();
        while let Some(row) = rows.next()? {
            let sealed: Vec<u8> = row.get(0)?;
            let place = Place::Entry { series: self.series, release: count(entries.len()) + 1 };
            let entry: Release2 = self.book.keys.unseal(&place, &sealed)?;
            let previous = entries.last().map_or(Hash::default(), |(_, hash)| *hash);
            if entry.previous != previous {
                return Err(Kind::altered(format!("{place} does not follow the one before")).into());
            }
            entries.push((entry, self.book.keys.commitment(&place, &sealed)));
        }
        Ok(entries)
    }

    fn members(&self, entry: &Release2, erased: &[Hash]) -> Result<Members2, Error> {
        let (series, release, keys) = (self.series, entry.number, self.book.keys);
        let sql = "SELECT person, sealed FROM member WHERE series = ?1 AND release = ?2";
        let mut statement = self.book.connection.prepare_cached(sql)?;
        let mut rows = statement.query([series, release])?;
        let (mut members, mut hashes) = (BTreeMap::new(), erased.to_vec());
        while let Some(row) = rows.next()? {
            let (person, sealed): (u32, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let place = Place::NumberedMember { series, release, person };
            members.insert(person, keys.unseal(&place, &sealed)?);
            hashes.push(keys.commitment(&place, &sealed));
        }
        if self.book.root_of_all(hashes) != entry.members {
            let what = format!("release {release}: its people are not those of the entry");
            return Err(Kind::altered(what).into());
        }
        Ok(members)
    }

    fn classes(&self, entry: &Release2) -> Result<Vec<Class>, Error> {
        let (series, release, keys) = (self.series, entry.number, self.book.keys);
        let sql = "SELECT sealed FROM class WHERE series = ?1 AND release = ?2 ORDER BY class";
        let mut statement = self.book.connection.prepare_cached(sql)?;
        let mut rows = statement.query([series, release])?;
        let (mut classes, mut hashes) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let sealed: Vec<u8> = row.get(0)?;
            let place = Place::Class { series, release, class: count(classes.len()) };
            let Class2 { cells, values, n_counterfeits, counterfeits } =
                keys.unseal(&place, &sealed)?;
            let released = kohort_core::ReleasedClass { values, n_counterfeits };
            classes.push(Class { cells, released, counterfeits });
            hashes.push(keys.commitment(&place, &sealed));
        }
        if keys.root(&hashes) != entry.classes {
            let what = format!("release {release}: its classes are not those of the entry");
            return Err(Kind::altered(what).into());
        }
        Ok(classes)
    }

    /// What is known of everybody since the last release that shows them, and while a release is pending also
    /// since the one before it.
    fn people(
        &self,
        entries: &[(Release2, Hash)],
        members: &[Members2],
        is_pending: bool,
    ) -> Result<Vec<SealedPerson>, Error> {
        let sql = "SELECT person, tag, binding FROM person WHERE series = ?1 ORDER BY person";
        let mut statement = self.book.connection.prepare(sql)?;
        let mut rows = statement.query(params![self.series])?;
        let mut people = Vec::new();
        while let Some(row) = rows.next()? {
            let (person, tag, found): (u32, [u8; 16], Vec<u8>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let first = entries.iter().find(|(entry, _)| person < entry.n_people);
            let binding = first
                .map(|(entry, _)| self.book.keys.binding(self.series, person, &tag, &entry.salt));
            let Some((first, _)) = first.filter(|_| binding.is_some_and(|it| it[..] == found))
            else {
                return Err(Kind::altered(format!("person {person}")).into());
            };
            let shown = |release: u32| {
                let row = members[release as usize - 1].get(&person)?;
                matches!(row.standing, Standing::Shown { .. }).then_some(row.value)
            };
            let last = count(entries.len());
            let of_pending = (is_pending && (shown(last).is_some() || first.number == last))
                .then(|| SealedPerson { person, tag, release: last, value: shown(last) });
            let n_before = if is_pending { last - 1 } else { last };
            let before = (1..=n_before).rev().find_map(|release| Some((release, shown(release)?)));
            let standing = before.map(|(release, value)| (release, Some(value)));
            let standing = standing.or((first.number <= n_before).then_some((first.number, None)));
            people.extend(standing.map(|(release, value)| SealedPerson {
                person,
                tag,
                release,
                value,
            }));
            people.extend(of_pending);
        }
        Ok(people)
    }
}

impl Release2 {
    fn into_release(self, values: Vec<Value>) -> Release {
        Release {
            number: self.number,
            time: self.time,
            facts: self.facts,
            files: self.files,
            previous: self.previous,
            n_shown: self.n_shown,
            n_held_back: self.n_held_back,
            n_suppressed: self.n_suppressed,
            n_classes: self.n_classes,
            n_counterfeits: self.n_counterfeits,
            n_people: self.n_people,
            values,
            revealed: Vec::new(),
            members: self.members,
            classes: self.classes,
            states: self.states,
            people: Hash::default(),
        }
    }
}
