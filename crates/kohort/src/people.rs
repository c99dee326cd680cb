//! Whether the rows of a table are people.
//!
//! Promises about a table count rows. Where a person has several rows, a class of k rows can be fewer than k
//! people, so such a table is refused until the plan decides: nest the rows of each person (`[tables]`
//! without `input`), name another column that tells people apart (`key`), or protect rows (`unit = "row"`).
//!
//! ```
//! use kohort::Table;
//! use kohort::people::repeated;
//! use kohort::plan::Plan;
//!
//! let rows = [["p1", "31"], ["p1", "31"], ["p2", "52"]];
//! let table = Table::from_rows(["patient", "age"], rows)?;
//! let plan = Plan::parse("plan.toml", "key = \"patient\"")?.identifiers(["patient"]).quasi(["age"]);
//! let found = repeated(&plan, &table)?.expect("a patient has two rows");
//! assert_eq!((found.column.as_str(), found.people), ("patient", 2));
//! # Ok::<(), kohort::Error>(())
//! ```

use kohort_core::{Codes, Column, Message, Role, Setting, Table, group, message};

use crate::Error;
use crate::classify::seems_identifier;
use crate::error::refused;
use crate::job::Roles;
use crate::plan::{Plan, UnitName};
use crate::wording::{count, grouped};

/// A column that tells people apart and has the same value in several rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedPeople {
    /// The column.
    pub column: String,
    /// Its different values; a row without one is a person of its own.
    pub people: u64,
    /// The rows of the table.
    pub rows: u64,
}

impl RepeatedPeople {
    /// What the column shows, where it shows that people have several rows.
    fn of(table: &Table, column: &Column) -> Option<Self> {
        let entries = column.dictionary().iter().zip(column.counts());
        let of_entry =
            |(text, n): (&str, u32)| u64::from(if table.missing().is(text) { n } else { n.min(1) });
        let people = entries.map(of_entry).sum();
        let rows = table.n_rows() as u64;
        (people < rows).then(|| Self { column: column.name().to_owned(), people, rows })
    }

    /// How many people have how many rows, and which column says so.
    pub(crate) fn counted(&self) -> String {
        let people = count(self.people, "person", "people");
        format!("`{}` names {people} in {} rows", self.column, grouped(self.rows))
    }
}

/// The column that shows that people have several rows: the `key` of the plan, or else an identifier whose
/// values are numbers or codes. Two people can have the same name, so names alone show nothing.
pub fn repeated(plan: &Plan, table: &Table) -> Result<Option<RepeatedPeople>, Error> {
    repeated_in(&Roles::new(plan), table)
}

fn repeated_in(roles: &Roles, table: &Table) -> Result<Option<RepeatedPeople>, Error> {
    if let Some(key) = &roles.key {
        return Ok(RepeatedPeople::of(table, keyed(roles, table, key)?));
    }
    Ok(most_people(table, &roles.names(Role::Identifier), has_codes))
}

/// The column that a plan names people by.
fn keyed<'t>(roles: &Roles, table: &'t Table, key: &str) -> Result<&'t Column, Error> {
    let column = table.column(key)?;
    match roles.role(key) {
        None | Some(Role::Identifier) => Ok(column),
        Some(role) => Err(refused(
            format!("`key` must be an identifier, but column `{key}` is {role}"),
            "`key` names the column that identifies people, and no release shows it",
        )),
    }
}

/// Of these columns that repeat, the one with the most people.
fn most_people(
    table: &Table,
    names: &[String],
    is_asked: impl Fn(&Table, &Column) -> bool,
) -> Option<RepeatedPeople> {
    let columns = names.iter().filter_map(|name| table.column(name).ok());
    let found = columns.filter(|column| is_asked(table, column));
    let found = found.filter_map(|column| RepeatedPeople::of(table, column));
    found.max_by(|a, b| a.people.cmp(&b.people).then_with(|| b.column.cmp(&a.column)))
}

/// Whether most of the values are numbers or codes: they have a digit.
fn has_codes(table: &Table, column: &Column) -> bool {
    let texts = column.dictionary().iter().filter(|text| !table.missing().is(text));
    let (mut with, mut all) = (0_u64, 0_u64);
    for text in texts {
        all += 1;
        with += u64::from(text.bytes().any(|byte| byte.is_ascii_digit()));
    }
    2 * with > all
}

/// The columns that may show that people have several rows: the `key` of the plan, or else the identifiers.
pub(crate) fn columns_of_people(plan: &Plan) -> Vec<String> {
    match &plan.key {
        Some(key) => vec![key.clone()],
        None => Roles::new(plan).names(Role::Identifier),
    }
}

/// Refuses rows that are not people where they can only be counted.
pub(crate) fn refuse_repeated(plan: &Plan, found: &RepeatedPeople) -> Error {
    undecided(&Roles::new(plan), found)
}

/// Refuses a table in which people have several rows, unless the plan says that rows are what it protects.
/// What a person should know otherwise is returned.
pub(crate) fn check(roles: &Roles, table: &Table) -> Result<Option<Message>, Error> {
    match repeated_in(roles, table)? {
        Some(found) if roles.unit != Some(UnitName::Row) => Err(undecided(roles, &found)),
        found => Ok(note_in(roles, table, found.as_ref())),
    }
}

/// What a person should know about rows that may not be people, where `found` are those who have several.
pub fn note(plan: &Plan, table: &Table, found: Option<&RepeatedPeople>) -> Option<Message> {
    note_in(&Roles::new(plan), table, found)
}

fn note_in(roles: &Roles, table: &Table, found: Option<&RepeatedPeople>) -> Option<Message> {
    match (found, roles.unit) {
        (Some(found), Some(UnitName::Row)) => Some(message!(
            "promises count rows, as the plan says: {}, so k rows can be fewer than k people",
            found.counted()
        )),
        (Some(_), _) | (None, Some(UnitName::Row)) => None,
        (None, _) => doubtful(roles, table),
    }
}

fn undecided(roles: &Roles, found: &RepeatedPeople) -> Error {
    let column = &found.column;
    let nest = format!(
        "if rows with the same `{column}` are one person, nest them: `key = \"{column}\"`, and \
         `[tables.rows]` with `foreign-key = \"{column}\"`"
    );
    let other = match &roles.key {
        Some(_) => String::new(),
        None => "; if another column identifies people, name it with `key`".into(),
    };
    refused(
        format!(
            "rows are not people: {}, and promises about a table count rows, so a class of k rows can be \
             fewer than k people",
            found.counted()
        ),
        format!("{nest}{other}; to protect rows instead of people, say `unit = \"row\"`"),
    )
}

/// That rows may not be people: names that most rows share, or a column without a role that seems to name
/// people.
fn doubtful(roles: &Roles, table: &Table) -> Option<Message> {
    if roles.key.is_some() {
        return None;
    }
    let identifiers = roles.names(Role::Identifier);
    let are_few = |found: &RepeatedPeople| 2 * found.people <= found.rows;
    let is_any = |_: &Table, _: &Column| true;
    let is_one_own = |name: &String| {
        let column = table.column(name);
        column.is_ok_and(|column| RepeatedPeople::of(table, column).is_none())
    };
    if !identifiers.iter().any(is_one_own)
        && let Some(found) = most_people(table, &identifiers, is_any).filter(are_few)
    {
        return Some(doubt(&found, "an identifier"));
    }
    let is_none = |name: &&str| identifiers.iter().all(|identifier| identifier != name);
    let others = table.columns().iter().map(Column::name).filter(is_none).map(str::to_owned);
    let others: Vec<String> = others.collect();
    let seems = |table: &Table, column: &Column| {
        has_codes(table, column) && seems_identifier(table, column)
    };
    let found = most_people(table, &others, seems)?;
    let role = roles.role(&found.column);
    let what = role.map_or("a column without a role".to_owned(), |role| format!("which is {role}"));
    Some(doubt(&found, &what))
}

fn doubt(found: &RepeatedPeople, what: &str) -> Message {
    let RepeatedPeople { column, people, rows } = found;
    message!(
        "`{column}`, {what}, has {} in {} rows: if rows with the same `{column}` are one person, promises \
         that count rows are no promises about people; say so with `key = \"{column}\"` ({key})",
        count(*people, "value", "values"),
        grouped(*rows),
        key = Setting::Key.to(column)
    )
}

/// How few people a class of a release has, where the plan says that rows are what it protects. `rows` says
/// which row of the original each released row is.
pub(crate) fn fewest(
    roles: &Roles,
    (release, rows): (&Table, &[u32]),
    original: &Table,
) -> Result<Option<String>, Error> {
    let Some(found) = repeated_in(roles, original)? else { return Ok(None) };
    let quasi = roles.names(Role::Quasi);
    let shown = quasi.iter().filter_map(|name| release.column(name).ok());
    let shown: Vec<(&Codes, u32)> = shown.map(|c| (c.codes(), c.dictionary().len())).collect();
    let classes = group(release.n_rows(), shown);
    let person_of_row = person_of_row(original, original.column(&found.column)?);
    let people: Vec<u32> = rows.iter().map(|&row| person_of_row[row as usize]).collect();
    let fewest = kohort_verify::people_of_classes(&classes, &people).into_iter().min();
    Ok(fewest.map(|fewest| {
        format!("the class with the fewest people has {}", count(fewest, "person", "people"))
    }))
}

/// The person of each row: rows with the same value are one person's, and a row without one is a person of
/// its own.
pub(crate) fn person_of_row(table: &Table, column: &Column) -> Vec<u32> {
    let is_missing: Vec<bool> =
        column.dictionary().iter().map(|text| table.missing().is(text)).collect();
    let n_values = column.dictionary().len();
    let person = |(entry, row): (u32, u32)| {
        if is_missing[entry as usize] { n_values + row } else { entry }
    };
    column.codes().iter().zip(0..).map(person).collect()
}

/// What a judge says who has no original: nobody can tell from a release whether its rows are people.
pub(crate) fn untold(roles: &Roles) -> Option<Message> {
    let has_identifier = roles.key.is_some() || !roles.names(Role::Identifier).is_empty();
    let told: Message = match roles.unit {
        Some(UnitName::Row) => "promises count rows, as the plan says".into(),
        _ if has_identifier => {
            message!(
                "promises count rows; without {} it is not known whether a person has several",
                Setting::Original
            )
        }
        _ => return None,
    };
    Some(told)
}
