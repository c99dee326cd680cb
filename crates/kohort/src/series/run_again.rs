//! The releases of a series made again in memory, by somebody who supposes which values people have.
//!
//! The ledger is not needed: what it says of a series whose values do not change follows from the tables and
//! the releases. What it hides (the numbers of people, and what releases are drawn from) is drawn anew.

use std::collections::BTreeMap;

use kohort_algorithms::{Draw, Space};
use kohort_core::{ABSENT, Ctx, Dataset, History, SeriesRelease, Table};
use kohort_ledger::{LastShown, Past as Books};
use kohort_series::{Next, Turn};
use kohort_verify::series::held_back_break;

use super::figures::Figures;
use super::held_back::takes_counterfeits;
use super::method::{Past, chosen, is_opaque, maker};
use super::people::{People, in_order_of_keys, key, texts};
use super::render::render;
use crate::job::Job;
use crate::plan::{SeriesPlan, SurplusName};
use crate::release::{GROUP, counted};
use crate::{Error, Stop};

/// A series that can be made again.
pub(crate) struct RunAgain<'a> {
    job: &'a Job,
    tables: Vec<TableOfSeries>,
    /// The quasi-identifiers, and the sensitive column last.
    columns: Vec<String>,
    /// The sensitive values in the order in which the series numbers them.
    pub(crate) domain: Vec<String>,
    /// How many people there are.
    pub(crate) n_people: usize,
}

/// A table of a series, in the order of its keys.
struct TableOfSeries {
    data: Dataset,
    space: Space,
    person_of_row: Vec<u32>,
    // How many values the series has up to this table.
    n_values: u32,
}

/// What everybody sees of a release: how many classes have these cells, values and rows of nobody.
pub(crate) type Seen = BTreeMap<(Vec<String>, Vec<String>, u32), u32>;

/// Nobody, or no value.
const NONE: u32 = u32::MAX;

/// The people as somebody who makes a series again numbers them, and what the releases so far say.
struct SoFar {
    number_of_person: Vec<u32>,
    n_people: u32,
    books: Books,
    figures: Vec<Figures>,
    method: Option<&'static str>,
}

impl<'a> RunAgain<'a> {
    /// The series of these tables, the oldest first, each with the person of every row; none where somebody's
    /// value changes, or the tables do not have the same columns.
    pub(crate) fn new(
        job: &'a Job,
        tables: &[(&Dataset, Vec<u32>)],
        n_people: usize,
    ) -> Result<Option<Self>, Error> {
        let (mut domain, mut columns): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut value_of_person = vec![NONE; n_people];
        let mut made = Vec::new();
        for (table, person_of_row) in tables {
            let keys = texts(key(&job.terms, table)?);
            let person_of_key: BTreeMap<&str, u32> =
                keys.zip(person_of_row.iter().copied()).collect();
            let data = in_order_of_keys(table, key(&job.terms, table)?)?;
            let keys = texts(key(&job.terms, &data)?);
            let person_of_row: Vec<u32> = keys.map(|key| person_of_key[key]).collect();
            let (quasi, sensitive) = (data.quasi(), data.sensitive());
            let [sensitive] = &sensitive[..] else { return Ok(None) };
            let names = quasi.iter().chain([sensitive]).map(|it| it.name().to_owned());
            let names: Vec<String> = names.collect();
            if !columns.is_empty() && columns != names {
                return Ok(None);
            }
            columns = names;
            let column = data.table().column(sensitive.name())?;
            add_new(&mut domain, texts(column));
            for (&person, text) in person_of_row.iter().zip(texts(column)) {
                let value = place(&domain, text);
                let known = &mut value_of_person[person as usize];
                if *known != NONE && *known != value {
                    return Ok(None);
                }
                *known = value;
            }
            let settings = job.on(&data, None, [0; 32])?.settings;
            let space = Space::new(&quasi, settings.metric.cells(), &settings.weights);
            let n_values = u32::try_from(domain.len()).unwrap_or(NONE);
            made.push(TableOfSeries { data, space, person_of_row, n_values });
        }
        let is_everybody_in = !value_of_person.contains(&NONE);
        Ok(is_everybody_in.then_some(Self { job, tables: made, columns, domain, n_people }))
    }

    /// What everybody sees of a release that shows these columns; none where it lacks one.
    pub(crate) fn seen(
        &self,
        release: &Table,
        counterfeits: &BTreeMap<String, u32>,
    ) -> Option<Seen> {
        let names = self.columns.iter().map(String::as_str).chain([GROUP]);
        let columns: Option<Vec<_>> = names.map(|name| release.column(name).ok()).collect();
        let columns = columns?;
        let mut classes: BTreeMap<&str, (Vec<String>, Vec<String>)> = BTreeMap::new();
        for row in 0..release.n_rows() {
            let text = |at: usize| columns[at].dictionary().get(columns[at].codes().get(row));
            let (sensitive, group) = (columns.len() - 2, columns.len() - 1);
            let cells = || (0..sensitive).map(|at| text(at).to_owned()).collect();
            let (_, values) = classes.entry(text(group)).or_insert_with(|| (cells(), Vec::new()));
            values.push(text(sensitive).to_owned());
        }
        let mut seen = Seen::new();
        for (group, (cells, mut values)) in classes {
            values.sort_unstable();
            let n_counterfeits = counterfeits.get(group).copied().unwrap_or(0);
            *seen.entry((cells, values, n_counterfeits)).or_default() += 1;
        }
        Some(seen)
    }

    /// Whether people with these values lead to these releases, by what is drawn from these bytes.
    pub(crate) fn leads(
        &self,
        value_of_person: &[u32],
        drawn: [u8; 32],
        published: &[Seen],
    ) -> bool {
        let mut draw = Draw::hidden(drawn);
        let mut so_far = SoFar {
            number_of_person: vec![NONE; value_of_person.len()],
            n_people: 0,
            books: Books::default(),
            figures: Vec::new(),
            method: None,
        };
        let mut tables = self.tables.iter().zip(published);
        tables.all(|(table, published)| {
            self.leads_on(table, value_of_person, (&mut so_far, &mut draw), published)
                .unwrap_or(false)
        })
    }

    /// The same of the next release.
    fn leads_on(
        &self,
        table: &TableOfSeries,
        value_of_person: &[u32],
        (so_far, draw): (&mut SoFar, &mut Draw),
        published: &Seen,
    ) -> Result<bool, Stop> {
        let n_before = so_far.n_people;
        let people = People {
            person_of_row: so_far.number(&table.person_of_row, draw),
            value_of_row: (table.person_of_row.iter())
                .map(|&person| value_of_person[person as usize])
                .collect(),
        };
        so_far.books.history.n_values = table.n_values;
        let books = (&so_far.books, n_before);
        let changed = people.changed(books, &so_far.figures, (&self.columns, false), so_far.method);
        let method = chosen(&self.job.terms.series, &changed)?.method;
        let secret = bytes(draw);
        let history = &so_far.books.history;
        let turn = Turn {
            data: &table.data,
            space: &table.space,
            person_of_row: &people.person_of_row,
            value_of_row: &people.value_of_row,
            history,
            secret,
        };
        let Some((next, released)) = self.next(&turn, method)? else { return Ok(false) };
        let values = (&self.domain[..], &people.value_of_row[..]);
        let rendered = render(&table.data, &next, values, true, bytes(draw));
        let counterfeits = rendered.counterfeits.as_ref().map(counted).transpose()?;
        if self.seen(&rendered.table, &counterfeits.unwrap_or_default()).as_ref() != Some(published)
        {
            return Ok(false);
        }
        so_far.add(&people, in_order(released), (method, &self.columns));
        Ok(true)
    }

    /// What a method publishes, where it may.
    fn next(
        &self,
        turn: &Turn<'_>,
        method: &'static str,
    ) -> Result<Option<(Next, SeriesRelease)>, Stop> {
        let asked = &self.job.terms.series;
        let made = |plan: &SeriesPlan| -> Result<_, Stop> {
            let past = Past {
                correlations: None,
                earlier: Vec::new(),
                is_alike: vec![true; turn.history.releases.len()],
                standing: Vec::new(),
                next_id: 0,
            };
            let plan = (plan, is_opaque(&self.job.terms));
            let (maker, model) = maker(plan, method, past)?;
            let Ok(next) = maker.make(&Ctx::quiet(), turn) else { return Ok(None) };
            let released = next.released(turn);
            let rows = (turn.person_of_row, turn.value_of_row);
            let breaks = held_back_break(model, &released, rows);
            Ok(Some((next, released, breaks)))
        };
        let Some((next, released, breaks)) = made(asked)? else { return Ok(None) };
        if !breaks {
            return Ok(Some((next, released)));
        }
        if asked.surplus.is_none() && takes_counterfeits(method) {
            let surplus = Some(SurplusName::Counterfeits);
            let again = made(&SeriesPlan { surplus, ..asked.clone() })?;
            return Ok(again.filter(|it| !it.2).map(|(next, released, _)| (next, released)));
        }
        Ok(self.job.terms.allow_unsafe.is_given().then_some((next, released)))
    }
}

impl SoFar {
    /// Numbers the people of the rows of a table; who is new gets a number at random.
    fn number(&mut self, person_of_row: &[u32], draw: &mut Draw) -> Vec<u32> {
        let is_new = |person: &u32| self.number_of_person[*person as usize] == NONE;
        let mut new: Vec<u32> = person_of_row.iter().copied().filter(is_new).collect();
        draw.shuffle(&mut new);
        for person in new {
            self.number_of_person[person as usize] = self.n_people;
            self.n_people += 1;
        }
        person_of_row.iter().map(|&person| self.number_of_person[person as usize]).collect()
    }

    /// Adds a release.
    fn add(
        &mut self,
        people: &People,
        released: SeriesRelease,
        (method, columns): (&'static str, &[String]),
    ) {
        let Books { history: History { releases, .. }, last, .. } = &mut self.books;
        last.resize(self.n_people as usize, None);
        let release = u32::try_from(releases.len() + 1).unwrap_or(NONE);
        for (&person, &value) in people.person_of_row.iter().zip(&people.value_of_row) {
            if released.class_of(person).is_some() {
                last[person as usize] = Some(LastShown { release, value });
            }
        }
        releases.push(released);
        self.figures.push(Figures { columns: columns.to_vec(), ..Figures::default() });
        self.method = Some(method);
    }
}

/// Adds the texts that are not there yet, in their order.
fn add_new<'t>(domain: &mut Vec<String>, found: impl Iterator<Item = &'t str>) {
    let mut new: Vec<&str> = found.filter(|text| !domain.iter().any(|one| one == text)).collect();
    new.sort_unstable();
    new.dedup();
    domain.extend(new.into_iter().map(str::to_owned));
}

fn place(domain: &[String], text: &str) -> u32 {
    let found = domain.iter().position(|one| one == text);
    found.and_then(|at| u32::try_from(at).ok()).unwrap_or(NONE)
}

/// Thirty-two bytes to draw from.
fn bytes(draw: &mut Draw) -> [u8; 32] {
    let mut secret = [0; 32];
    for part in secret.chunks_exact_mut(8) {
        part.copy_from_slice(&draw.bits().to_le_bytes());
    }
    secret
}

/// The same with classes in the order of the first person of each, as the books have them.
fn in_order(mut release: SeriesRelease) -> SeriesRelease {
    let mut number_of: BTreeMap<u32, u32> = BTreeMap::new();
    let mut classes = Vec::new();
    for class in release.class_of.iter_mut().filter(|class| **class != ABSENT) {
        let next = u32::try_from(number_of.len()).unwrap_or(NONE);
        *class = *number_of.entry(*class).or_insert_with_key(|class| {
            classes.push(release.classes[*class as usize].clone());
            next
        });
    }
    // Classes of nobody but counterfeits come last.
    for (class, shown) in (0..).zip(&release.classes) {
        if !number_of.contains_key(&class) {
            classes.push(shown.clone());
        }
    }
    release.classes = classes;
    release
}
