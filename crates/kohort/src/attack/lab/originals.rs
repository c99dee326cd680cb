//! What the tables of all releases of a series say: who the people are, and who may be in which release.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Codes, Column, Dataset, Dictionary, Error, Role, Table};
use kohort_verify::attack::{Knowledge, People, Scene};

use super::super::people::Matched;
use super::super::series_knowledge::Presence;
use super::Lab;
use crate::job::Roles;
use crate::plan::SeriesPlan;

/// The columns that may name people: the key of a series, then identifiers.
pub(super) fn keys(series: &SeriesPlan, roles: &Roles) -> Vec<String> {
    series.key.iter().cloned().chain(roles.names(Role::Identifier)).collect()
}

/// The people to look for and the column that names them: those who were asked for, or else everybody of the
/// tables of all releases; and whether it is these.
pub(super) fn gathered(
    keys: &[String],
    (public, key, presence): (Option<Table>, Option<String>, &[String]),
    (earlier, original): (&[Table], Option<&Table>),
    quasi: &[String],
) -> Result<(Option<Table>, Option<String>, bool), Error> {
    let tables: Vec<&Table> = earlier.iter().chain(original).collect();
    // Columns of presence are those of one table.
    if public.is_some() || earlier.is_empty() || !presence.is_empty() {
        return Ok((public, key, false));
    }
    let Some(found) = self::key(keys, key.as_deref(), &tables) else {
        return Ok((public, key, false));
    };
    let everybody = everybody(&tables, &found, quasi)?;
    let is_found = everybody.is_some();
    Ok((everybody, Some(found), is_found))
}

/// The column that names people in all of these tables: the key of the plan's series, or the identifier with
/// the most different cells. Everybody has one of their own.
fn key(keys: &[String], asked: Option<&str>, tables: &[&Table]) -> Option<String> {
    let is_key = |name: &String| {
        tables.iter().all(|table| {
            table.column(name).is_ok_and(|column| {
                let mut texts = column.dictionary().iter();
                let is_text = texts.all(|text| !table.missing().is(text) && !text.is_empty());
                is_text && column.counts().iter().all(|&n| n <= 1)
            })
        })
    };
    match asked {
        Some(name) => Some(name.to_owned()).filter(is_key),
        None => keys.iter().find(|name| is_key(name)).cloned(),
    }
}

/// Everybody of these tables, the newest last, with these columns as the newest table has them that has the
/// column and the person. A column that some person has in no table is left out.
fn everybody(tables: &[&Table], key: &str, quasi: &[String]) -> Result<Option<Table>, Error> {
    let Some(newest) = tables.last() else { return Ok(None) };
    let mut people: Vec<&str> = Vec::new();
    let mut rows: Vec<(&Table, BTreeMap<&str, usize>)> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for table in tables.iter().rev() {
        let column = table.column(key)?;
        let mut of_table = BTreeMap::new();
        for (row, entry) in column.codes().iter().enumerate() {
            let person = column.dictionary().get(entry);
            of_table.insert(person, row);
            people.extend(seen.insert(person).then_some(person));
        }
        rows.push((table, of_table));
    }
    let text_of = |name: &str, person: &str| {
        rows.iter().find_map(|(table, row_of)| {
            let (column, &row) = (table.column(name).ok()?, row_of.get(person)?);
            Some(column.dictionary().get(column.codes().get(row)))
        })
    };
    let mut columns = Vec::new();
    for name in std::iter::once(key).chain(quasi.iter().map(String::as_str)) {
        let texts: Option<Vec<&str>> = people.iter().map(|person| text_of(name, person)).collect();
        let Some(texts) = texts else { continue };
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (1..).zip(texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).expect("a text of a table"));
        }
        columns.push(Column::new(name.to_owned(), dictionary, codes, newest.missing()));
    }
    let files: Vec<&str> = tables.iter().map(|table| table.name()).collect();
    let missing = newest.missing().clone();
    Ok(Some(Table::new(files.join(", "), columns, false, missing)))
}

/// How people are found, as a sentence without a closing stop.
pub(super) fn found(file: &str, by: &str, are_all: bool) -> String {
    if are_all {
        format!(
            "people are followed through {file} by {by}; people who are not in a table are not \
             in its release"
        )
    } else {
        format!("the people of {file} are found in the original by {by}")
    }
}

/// Who is in a release by its table. Who is not in the table is not in the release; who is may have been held
/// back, unless the release has as many rows that are somebody's as the table has.
fn presence(
    release: usize,
    matched: &Matched,
    is_everybody_in: bool,
) -> impl Iterator<Item = ((usize, u32), bool)> {
    let is_unknown: BTreeSet<u32> = matched.unknown.iter().copied().collect();
    let people = (0..).zip(&matched.rows).filter(move |(person, _)| !is_unknown.contains(person));
    let known: Presence = people
        .filter(|(_, row)| row.is_none() || is_everybody_in)
        .map(|(person, row)| ((release, person), row.is_some()))
        .collect();
    known.into_iter()
}

/// A table with the person of every row.
type WithPeople<'a> = (&'a Dataset, Vec<u32>);

impl Lab {
    /// The tables of all releases, the oldest first, each with the person of every row, and the number of
    /// people; none where one is not given, or somebody is not found.
    pub(in super::super) fn tables(&self) -> Option<(Vec<WithPeople<'_>>, usize)> {
        let (original, matched) = (self.original.as_ref()?, self.matched.as_ref()?);
        let earlier = self.earlier.iter().map(|(table, matched)| (table, matched));
        let all: Vec<(&Dataset, &Matched)> = earlier.chain([(original, matched)]).collect();
        if all.len() != self.others.len() + 1 {
            return None;
        }
        let person_of_row = |(table, matched): &(&'_ Dataset, &Matched)| {
            let mut people = vec![None; table.n_rows()];
            for (person, row) in (0..).zip(&matched.rows) {
                if let Some(row) = row {
                    people[*row as usize] = Some(person);
                }
            }
            people.into_iter().collect::<Option<Vec<u32>>>()
        };
        let people: Option<Vec<Vec<u32>>> = all.iter().map(person_of_row).collect();
        let tables = all.iter().map(|(table, _)| *table).zip(people?).collect();
        Some((tables, matched.rows.len()))
    }

    /// The releases, the oldest first, with how many rows of each group belong to nobody.
    pub(in super::super) fn releases_in_order(
        &self,
    ) -> impl Iterator<Item = (&Table, &BTreeMap<String, u32>)> {
        let others = self.others.iter().map(|(release, shown)| (release, shown));
        let all = others.chain([(&self.release, &self.shown)]);
        all.map(|(release, shown)| (release.table(), &shown.counterfeits))
    }

    /// Adds who is in which release by the tables of all releases, where nothing else is known.
    pub(super) fn add_presence_by_tables(&self, knowledge: &mut Knowledge) {
        let mut known = self.presence_by_tables();
        known.retain(|&((release, person), _)| knowledge.is_in_release(person, release).is_none());
        knowledge.add_presence(known);
    }

    /// Who is in which release, as far as its table says, where every release has one.
    fn presence_by_tables(&self) -> Presence {
        let (Some(original), Some(matched)) = (&self.original, &self.matched) else {
            return Vec::new();
        };
        if self.others.is_empty() || self.earlier.len() != self.others.len() {
            return Vec::new();
        }
        let tables =
            self.earlier.iter().map(|(table, matched): &(Dataset, Matched)| (table, matched));
        let tables = tables.chain([(original, matched)]);
        let releases = self.others.iter().map(|(release, shown)| (release, shown));
        let releases = releases.chain([(&self.release, &self.shown)]);
        let of_each = tables.zip(releases).enumerate().flat_map(|(at, (table, release))| {
            let ((table, matched), (release, shown)) = (table, release);
            let n_counterfeits: usize = shown.counterfeits.values().map(|&n| n as usize).sum();
            let is_whole = table.n_rows() + n_counterfeits == release.n_rows();
            presence(at, matched, is_whole && self.tells_counterfeits())
        });
        of_each.collect()
    }

    /// Whether the releases of the series say how many rows are nobody's.
    fn tells_counterfeits(&self) -> bool {
        let series = &self.terms.series;
        match series.method.as_deref() {
            None | Some("auto") => series.rho.is_none() && series.correlations.is_none(),
            Some(method) => method != "rho-different",
        }
    }

    /// Whether people are taken to be in releases of a series only because these cover them.
    pub(in super::super) fn is_presence_assumed(&self, scene: &Scene<'_>) -> bool {
        let n_people = scene.people.as_ref().map_or(0, People::len);
        let n_people = u32::try_from(n_people).expect("rows are numbered by u32");
        self.is_series && !scene.knowledge.knows_presence(n_people, self.others.len() + 1)
    }
}
