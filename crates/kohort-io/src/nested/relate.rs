//! Related tables: from tables joined by keys to nested records, and back.
//!
//! Keys join rows and say nothing else about people: they are left out of the records, and a release
//! gets its own.

use kohort_core::{
    Branch, Codes, Column, Dictionary, Inside, Layout, Missing, Nested, Place, Scalar, Table,
    alive, alive_at,
};

use super::path::{self, Step, split};
use crate::write_table::is_number_column;
use crate::{At, Error, Kind};

/// A table among related ones.
#[derive(Clone, Debug)]
pub struct Related {
    /// Its place: empty for the people, `visits[]` for a table whose rows each belong to one of them,
    /// `visits[].diagnoses[]` for one below that. Without `[]`, no two rows belong to the same.
    pub path: String,
    /// The table.
    pub table: Table,
    /// The column that tells its rows apart, where a table stands below it.
    pub key: Option<String>,
    /// The column that names a key of the table one step up the path.
    pub foreign_key: Option<String>,
}

/// Joins tables into records. Rows stand in the order of the rows that they belong to; the columns of
/// keys are left out, and the layout tells of keys that are more than the numbers of their rows.
pub fn relate(tables: Vec<Related>) -> Result<Nested, Error> {
    let mut tables = tables;
    tables.sort_by_key(|related| depth(&related.path));
    check_paths(&tables)?;
    let mut branches: Vec<Branch> = Vec::with_capacity(tables.len());
    // The row of each table that each row of its branch was.
    let mut rows_of: Vec<Vec<u32>> = Vec::with_capacity(tables.len());
    for (index, related) in tables.iter().enumerate() {
        alive();
        let n_rows = u32::try_from(related.table.n_rows()).unwrap_or(u32::MAX);
        let mut rows: Vec<u32> = (0..n_rows).collect();
        let mut inside = None;
        if let Some((above, _)) = split(&related.path) {
            let parent = tables[..index].iter().position(|other| other.path == above);
            let Some(branch) = parent else {
                return Err(related.wrong(format!("there is no table at `{above}`")));
            };
            let above = join(related, &tables[branch], &rows_of[branch])?;
            rows.sort_by_key(|&row| above[row as usize]);
            let above = rows.iter().map(|&row| above[row as usize]).collect();
            inside = Some(Inside { branch, rows: above });
        }
        branches.push(related.branch(inside, &rows));
        rows_of.push(rows);
    }
    let left_out = tables.iter().filter_map(Related::telling_key).collect();
    let layout = Layout { left_out, ..Layout::default() };
    Ok(Nested::new(tables[0].table.name().to_owned(), branches).with_layout(layout))
}

/// The number of steps of a path.
fn depth(path: &str) -> usize {
    std::iter::successors(split(path), |(above, _)| split(above)).count()
}

fn check_paths(tables: &[Related]) -> Result<(), Error> {
    for (index, related) in tables.iter().enumerate() {
        let path = &related.path;
        if !path.is_empty() && split(path).is_none() {
            return Err(related.wrong("must be a path such as `visits[]`".to_owned()));
        }
        if tables[..index].iter().any(|other| other.path == *path) {
            return Err(related.wrong("two tables have this place".to_owned()));
        }
        let mut names = tables.iter().flat_map(Related::columns);
        if names.any(|(name, _)| name == *path) {
            return Err(related.wrong("a column has the name of this table".to_owned()));
        }
    }
    match tables.first() {
        Some(people) if people.path.is_empty() => match people.foreign_key {
            Some(_) => Err(people.wrong("must have no foreign key".to_owned())),
            None => Ok(()),
        },
        _ => {
            let problem = "must be there, with an empty path".to_owned();
            Err(Kind::Relation { path: String::new(), problem }.into())
        }
    }
}

/// The row of the parent's branch that each row belongs to.
fn join(related: &Related, parent: &Related, parent_rows: &[u32]) -> Result<Vec<u32>, Error> {
    let Some(foreign_key) = &related.foreign_key else {
        return Err(related.wrong("must name its foreign key".to_owned()));
    };
    let Some(key) = &parent.key else {
        let problem = format!("must name its key: `{}` is below it", related.path);
        return Err(parent.wrong(problem));
    };
    let (foreign_key, key) = (related.column(foreign_key)?, parent.column(key)?);
    let of_key = rows_by_key(parent, key, parent_rows)?;
    let row_of_entry = foreign_key.dictionary().iter().zip(foreign_key.counts());
    let row_of_entry = (0..).zip(row_of_entry).map(|(entry, (text, n_rows))| {
        let found = key.dictionary().find(text).and_then(|entry| of_key[entry as usize]);
        match found {
            Some(row) => Ok(row),
            None if n_rows == 0 => Ok(0),
            None => Err(related.bad_key(
                foreign_key,
                entry,
                if related.table.missing().is(text) {
                    "has no key of the table that it belongs to".to_owned()
                } else {
                    format!("names no row of {}", parent.table.name())
                },
            )),
        }
    });
    let row_of_entry = row_of_entry.collect::<Result<Vec<u32>, Error>>()?;
    let is_one = matches!(split(&related.path), Some((_, Step::Member(_))));
    let mut is_taken = vec![false; if is_one { parent_rows.len() } else { 0 }];
    let mut rows = Vec::with_capacity(foreign_key.codes().len());
    for entry in foreign_key.codes().iter() {
        alive_at(rows.len());
        let row = row_of_entry[entry as usize];
        if is_one && std::mem::replace(&mut is_taken[row as usize], true) {
            let problem = "two rows belong to the same, but the path has no `[]`".to_owned();
            return Err(related.bad_key(foreign_key, entry, problem));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The row of the branch that has each key.
fn rows_by_key(related: &Related, key: &Column, rows: &[u32]) -> Result<Vec<Option<u32>>, Error> {
    let mut of_key = vec![None; key.dictionary().len() as usize];
    for (position, &row) in (0..).zip(rows) {
        alive_at(row as usize);
        let entry = key.codes().get(row as usize);
        if related.table.missing().is(key.dictionary().get(entry)) {
            return Err(related.bad_key(key, entry, "a key must not be missing".to_owned()));
        }
        if of_key[entry as usize].replace(position).is_some() {
            let problem = format!("row {} has the same key", row + 1);
            return Err(related.bad_key(key, entry, problem));
        }
    }
    Ok(of_key)
}

impl Related {
    fn wrong(&self, problem: String) -> Error {
        Kind::Relation { path: self.path.clone(), problem }.into()
    }

    fn bad_key(&self, column: &Column, entry: u32, problem: String) -> Error {
        let at = At {
            name: self.table.name().to_owned(),
            place: self.table.place(column, entry),
            column: None,
            column_name: Some(column.name().to_owned()),
        };
        Kind::Key { at, problem }.into()
    }

    fn column(&self, name: &str) -> Result<&Column, Error> {
        self.table.column(name).map_err(|error| self.wrong(error.to_string()))
    }

    /// What a key is that does not number the rows as they stand, from 1. A foreign key names one of
    /// these.
    fn telling_key(&self) -> Option<String> {
        let key = self.table.column(self.key.as_ref()?).ok()?;
        let mut texts = (1_u64..).zip(key.codes().iter());
        let is_number =
            |(row, entry): (u64, u32)| key.dictionary().get(entry) == row.to_string().as_str();
        let what = || format!("keys in `{}` that are not the numbers of their rows", key.name());
        (!texts.all(is_number)).then(what)
    }

    /// The columns that are no keys, with their paths.
    fn columns(&self) -> impl Iterator<Item = (String, &Column)> {
        let is_key = |column: &&Column| {
            let keys = [&self.key, &self.foreign_key].into_iter().flatten();
            keys.into_iter().any(|key| key == column.name())
        };
        let columns = self.table.columns().iter().filter(move |column| !is_key(column));
        columns.map(|column| (path::member(&self.path, column.name()), column))
    }

    /// The branch of these rows.
    fn branch(&self, inside: Option<Inside>, rows: &[u32]) -> Branch {
        let table = &self.table;
        let mut columns = Vec::new();
        let mut scalars = Vec::new();
        for (path, column) in self.columns() {
            let codes = column.codes().select(rows);
            let written = if is_number_column(column) { Scalar::Bare } else { Scalar::Text };
            let scalar = |entry| match column.dictionary().get(entry) {
                "" => Scalar::Null,
                _ => written,
            };
            scalars.push(codes.iter().map(scalar).collect());
            columns.push(Column::new(path, column.dictionary().clone(), codes, table.missing()));
        }
        let first = table.columns().first().filter(|column| !column.dictionary().is_empty());
        let has_lines = first.is_none_or(|c| matches!(table.place(c, 0), Place::Line(_)));
        let missing = table.missing().clone();
        let table = Table::new(table.name().to_owned(), columns, has_lines, missing);
        Branch::new(self.path.clone(), inside, rows.len(), table, scalars)
    }
}

/// Records as related tables, one for each branch, people first, with keys that number the rows as they
/// stand: whoever publishes them has them shuffled before. An array without items is no row.
pub fn tables_of(nested: &Nested) -> Vec<Related> {
    let branches = nested.branches();
    let is_above = |index: usize| {
        branches.iter().any(|other| other.inside().is_some_and(|inside| inside.branch == index))
    };
    let mut tables = Vec::with_capacity(branches.len());
    for (index, branch) in branches.iter().enumerate() {
        let mut names: Vec<String> = Vec::new();
        for column in branch.table().columns() {
            let name = name_of(column.name()).unwrap_or_else(|| column.name().to_owned());
            names.push(fresh(name, &names));
        }
        let missing = branch.table().missing();
        let mut keys = Vec::new();
        let mut add_key = |base: String, rows: &mut dyn Iterator<Item = u32>| {
            let name = fresh(base, &names);
            names.push(name.clone());
            keys.push(numbers(name.clone(), rows, missing));
            name
        };
        let n_rows = u32::try_from(branch.n_rows()).unwrap_or(u32::MAX);
        let key =
            (index == 0 || is_above(index)).then(|| add_key("id".to_owned(), &mut (0..n_rows)));
        let foreign_key = branch.inside().map(|inside| {
            let above = name_of(branches[inside.branch].path());
            let base = format!("{}_id", above.unwrap_or_else(|| "person".to_owned()));
            add_key(base, &mut inside.rows.iter().copied())
        });
        let columns = branch.table().columns().iter().zip(names).map(|(column, name)| {
            Column::new(name, column.dictionary().clone(), column.codes().clone(), missing)
        });
        keys.extend(columns);
        let table = Table::new(nested.name().to_owned(), keys, false, missing.clone());
        tables.push(Related { path: branch.path().to_owned(), table, key, foreign_key });
    }
    tables
}

/// The last name of a path.
fn name_of(path: &str) -> Option<String> {
    let (above, step) = split(path)?;
    step.name().map_or_else(|| name_of(above), |name| Some(name.to_owned()))
}

/// A name like this one that no other has.
fn fresh(base: String, names: &[String]) -> String {
    let mut others = (2..).map(|number| format!("{base}_{number}"));
    let is_free = |name: &String| !names.contains(name);
    if is_free(&base) {
        return base;
    }
    others.find(is_free).expect("there are more numbers than names")
}

/// A column of row numbers, from 1.
fn numbers(name: String, rows: &mut dyn Iterator<Item = u32>, missing: &Missing) -> Column {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (position, row) in (1..).zip(rows) {
        alive_at(row as usize);
        let text = (u64::from(row) + 1).to_string();
        codes.push(dictionary.intern(text.as_bytes(), position).expect("digits are a text"));
    }
    Column::new(name, dictionary, codes, missing)
}
