//! Who the people of a public table are in the original: the truth that attacks are scored by.

use kohort_core::{Codes, Column, Dataset, Error, Grouping, Table};

/// The rows of people in the original.
#[derive(Default)]
pub(super) struct Matched {
    /// The row of each person who is in the original.
    pub(super) rows: Vec<Option<u32>>,
    /// The people of whom nobody can tell.
    pub(super) unknown: Vec<u32>,
}

impl Matched {
    /// The people are the original's own.
    pub(super) fn same(original: &Dataset) -> Self {
        Self { rows: (0..).take(original.n_rows()).map(Some).collect(), unknown: Vec::new() }
    }

    /// Whether nothing is known of anybody.
    pub(super) fn knows_nothing(&self) -> bool {
        self.unknown.len() == self.rows.len()
    }

    fn push(&mut self, found: Found) {
        let person = u32::try_from(self.rows.len()).expect("rows are numbered by u32");
        self.rows.push(match found {
            Found::Row(row) => Some(row),
            Found::Nowhere | Found::Ambiguous => None,
        });
        self.unknown.extend(matches!(found, Found::Ambiguous).then_some(person));
    }
}

#[derive(Clone, Copy)]
enum Found {
    Row(u32),
    Nowhere,
    Ambiguous,
}

/// Finds people by the column that names them, where there is one, else by equal quasi-identifiers.
pub(super) fn find(
    public: &Dataset,
    original: &Dataset,
    key: Option<&str>,
) -> Result<Matched, Error> {
    Ok(match key {
        Some(key) => {
            let (people, rows) = (public.table().column(key)?, original.table().column(key)?);
            by_key(people, rows, public.table())
        }
        None => by_quasi(public, original),
    })
}

/// Finds people by a column that names them. A name that several rows have, or none, tells nothing.
fn by_key(people: &Column, original: &Column, public: &Table) -> Matched {
    let mut row_of_entry = vec![0; original.dictionary().len() as usize];
    for (row, entry) in (0..).zip(original.codes().iter()) {
        row_of_entry[entry as usize] = row;
    }
    let (counts, namesakes) = (original.counts(), people.counts());
    let mut matched = Matched { rows: Vec::new(), unknown: Vec::new() };
    let find = |(entry, text): (usize, &str)| {
        if public.missing().is(text) {
            return Found::Ambiguous;
        }
        match original.dictionary().find(text).map(|entry| entry as usize) {
            None => Found::Nowhere,
            Some(found) if counts[found] == 1 && namesakes[entry] == 1 => {
                Found::Row(row_of_entry[found])
            }
            Some(_) => Found::Ambiguous,
        }
    };
    let of_entry: Vec<Found> = people.dictionary().iter().enumerate().map(find).collect();
    for entry in people.codes().iter() {
        matched.push(of_entry[entry as usize]);
    }
    matched
}

/// Finds people by equal quasi-identifiers. Where several rows or several people have the same, nobody can
/// tell who is who.
fn by_quasi(public: &Dataset, original: &Dataset) -> Matched {
    let (n_original, n_people) = (original.n_rows(), public.n_rows());
    let mut classes = Grouping::trivial(n_original + n_people);
    for attribute in original.quasi() {
        let Ok(column) = public.table().column(attribute.name()) else { continue };
        // A value that the original has not is one more code: whoever has it is not in the original.
        let other = attribute.n_codes();
        let to: Vec<u32> = (column.dictionary().iter())
            .map(|text| attribute.code_of_foreign(text, column.date_format()).unwrap_or(other))
            .collect();
        let mut codes = Codes::default();
        attribute.codes().for_each(|code| codes.push(code));
        column.codes().for_each(|entry| codes.push(to[entry as usize]));
        classes = classes.refine(&codes, other + 1);
    }
    let (ids_of_rows, ids_of_people) = classes.ids.split_at(n_original);
    let n_classes = classes.n_classes as usize;
    let (mut rows, mut people, mut last) =
        (vec![0_u32; n_classes], vec![0_u32; n_classes], vec![0; n_classes]);
    for (row, &class) in (0..).zip(ids_of_rows) {
        rows[class as usize] += 1;
        last[class as usize] = row;
    }
    for &class in ids_of_people {
        people[class as usize] += 1;
    }
    let mut matched = Matched { rows: Vec::new(), unknown: Vec::new() };
    for &class in ids_of_people {
        let class = class as usize;
        matched.push(match (rows[class], people[class]) {
            (0, _) => Found::Nowhere,
            (1, 1) => Found::Row(last[class]),
            _ => Found::Ambiguous,
        });
    }
    matched
}
