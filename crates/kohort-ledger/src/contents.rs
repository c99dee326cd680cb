//! All that a ledger has, to be sealed anew: under other keys, or in the form of a later version.
//!
//! Sealing anew changes every hash, as hashes are keyed and cover what is sealed. Those of before are noted in
//! the log, so that a head or an entry that a receipt names is recognized.

use std::collections::BTreeMap;

use crate::book::Book;
use crate::records::{SealedMember, SealedPerson};
use crate::recover::Pending;
use crate::{Class, Error, Hash, Release, Use, What};

/// All that a ledger has.
pub(crate) struct Contents {
    /// Every use with the head after it.
    pub(crate) uses: Vec<(Use, Hash)>,
    pub(crate) series: Vec<SeriesContents>,
    pub(crate) pending: Option<Pending>,
}

/// A series.
pub(crate) struct SeriesContents {
    pub(crate) number: u32,
    pub(crate) name: String,
    pub(crate) releases: Vec<ReleaseContents>,
    pub(crate) people: Vec<SealedPerson>,
    /// What committed to rows of people who were forgotten since the last release.
    pub(crate) erased: Vec<Hash>,
}

/// A release of a series.
pub(crate) struct ReleaseContents {
    pub(crate) entry: Release,
    pub(crate) hash: Hash,
    pub(crate) members: Vec<SealedMember>,
    /// What committed to rows of people who were forgotten.
    pub(crate) erased: Vec<Hash>,
    pub(crate) classes: Vec<Class>,
    /// The named states that count and that it set.
    pub(crate) states: Vec<(String, Vec<u8>)>,
}

impl Contents {
    /// Reads all of it. Whether it is what was written is asked by a check, before.
    pub(crate) fn read(book: &Book<'_>) -> Result<Self, Error> {
        let mut series = Vec::new();
        for (number, name) in book.series()? {
            let mut releases = Vec::new();
            for (entry, hash) in book.releases(number)? {
                let release = entry.number;
                let mut members = Vec::new();
                book.members(number, release, |member, _| {
                    members.push(member);
                    Ok(())
                })?;
                let classes = book.classes(number, release)?.into_iter().map(|(class, _)| class);
                releases.push(ReleaseContents {
                    classes: classes.collect(),
                    states: states(book, number, &entry)?,
                    erased: book.erased(number, release)?,
                    entry,
                    hash,
                    members,
                });
            }
            let people = book.people(number)?.into_iter().map(|(row, _)| row).collect();
            let erased = book.erased(number, 0)?;
            series.push(SeriesContents { number, name, releases, people, erased });
        }
        Ok(Self { uses: book.uses()?, series, pending: book.pending()? })
    }

    /// Writes all of it in the place of what is there, and logs what the hashes were and why it was done. The
    /// file is to be written anew.
    pub(crate) fn write(self, book: &Book<'_>, time: i64, why: What) -> Result<(), Error> {
        for table in ["log", "pending", "series", "person", "entry", "member", "erased", "class"] {
            book.connection.execute(&format!("DELETE FROM {table}"), [])?;
        }
        book.connection.execute("DELETE FROM state", [])?;
        book.create_head()?;
        let mut hash_of = BTreeMap::new();
        for series in &self.series {
            series.write(book, &mut hash_of)?;
        }
        let renamed = |hash: &Hash| hash_of.get(hash).copied().unwrap_or(*hash);
        let mut heads = Vec::new();
        for (mut logged, head) in self.uses {
            if let What::Published { entry, .. } = &mut logged.what {
                *entry = renamed(entry);
            }
            heads.push(head);
            book.log(logged.time, logged.what, &logged.outcome)?;
        }
        let entries = hash_of.keys().copied().collect();
        book.log(time, What::Resealed { heads, entries }, "done")?;
        book.log(time, why, "done")?;
        book.set_vacuum_due()?;
        // The note is valid as long as nothing more is logged.
        if let Some(mut pending) = self.pending {
            pending.entry = renamed(&pending.entry);
            book.set_pending(&pending)?;
        }
        Ok(())
    }
}

/// The named states that a release set and that no later one replaced.
pub(crate) fn states(
    book: &Book<'_>,
    series: u32,
    entry: &Release,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut states = Vec::new();
    for (name, _) in &entry.states {
        if let Some((state, _)) = book.state(series, entry.number, name)? {
            states.push((name.clone(), state));
        }
    }
    Ok(states)
}

impl SeriesContents {
    /// Writes the series, and adds what the hash of each entry becomes.
    fn write(&self, book: &Book<'_>, hash_of: &mut BTreeMap<Hash, Hash>) -> Result<(), Error> {
        let series = self.number;
        book.write_series(series, &self.name)?;
        let of_people = book.write_people(series, &self.people)?;
        for hash in &self.erased {
            book.add_erased(series, 0, hash)?;
        }
        let mut previous = Hash::default();
        for contents in &self.releases {
            let release = contents.entry.number;
            let mut entry = contents.entry.clone();
            for hash in &contents.erased {
                book.add_erased(series, release, hash)?;
            }
            let mut members = book.write_members((series, release), &contents.members)?;
            members.extend(&contents.erased);
            entry.members = book.root_of_all(members);
            entry.classes =
                book.keys.root(&book.write_classes((series, release), &contents.classes)?);
            for (name, state) in &contents.states {
                let hash = book.write_state(series, release, (name, state))?;
                let named = entry.states.iter_mut().filter(|(found, _)| found == name);
                named.for_each(|(_, old)| *old = hash);
            }
            entry.people = book.root_of_all(self.standing_after(release, &of_people));
            entry.previous = previous;
            previous = book.write_entry(series, &entry)?;
            hash_of.insert(contents.hash, previous);
        }
        Ok(())
    }

    /// What commits to the rows of people as they are after a release. Those that were replaced since are
    /// gone, so it is right for the last release, and for the one before where the last is pending.
    fn standing_after(&self, release: u32, of_people: &[Hash]) -> Vec<Hash> {
        let mut last: BTreeMap<u32, (u32, Hash)> = BTreeMap::new();
        for (row, hash) in self.people.iter().zip(of_people) {
            let known = last.get(&row.person).map_or(0, |(release, _)| *release);
            if known < row.release && row.release <= release {
                last.insert(row.person, (row.release, *hash));
            }
        }
        last.into_values().map(|(_, hash)| hash).chain(self.erased.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_rows_of_a_person_the_one_of_the_release_counts() {
        let row = |person, release| SealedPerson { person, tag: [0; 16], release, value: None };
        let people = vec![row(0, 1), row(0, 3), row(1, 2), row(2, 3)];
        let hashes: Vec<Hash> = (0_u8..4).map(|byte| Hash([byte; 32])).collect();
        let contents = SeriesContents {
            number: 1,
            name: String::new(),
            releases: Vec::new(),
            people,
            erased: vec![Hash([9; 32])],
        };
        let after = |release| {
            let found = contents.standing_after(release, &hashes);
            found.iter().map(|hash| hash.0[0]).collect::<Vec<_>>()
        };
        assert_eq!(after(2), [0, 2, 9]);
        assert_eq!(after(3), [1, 2, 3, 9]);
    }
}
