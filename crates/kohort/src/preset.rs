//! What a regulation asks of values before anything else is done with them.
//!
//! HIPAA's Safe Harbor (45 CFR 164.514(b)(2)(i)) removes all elements of dates but the year, and puts ages
//! above 89 into one category. The values are made coarser as the table is read: whatever is diagnosed, made,
//! judged or attacked under a plan with the preset is about years and about ages up to 90, and a release that
//! shows a day is not covered by its original. Safe Harbor asks for more than that, and notes say what.

use kohort_core::date::civil_from_days;
use kohort_core::{
    Attribute, Branch, Codes, Column, DAY, DateFormat, Dictionary, Message, Missing, Nested, Role,
    Scalar, Table, ValueType, message, parse_date,
};

use crate::classify::{is_age, is_birth, is_postal};
use crate::job::Roles;
use crate::plan::{FullAttribute, PresetName};
use crate::taxonomy::Source;

/// Ages from this one on are shown as it.
const OLDEST: f64 = 90.0;

/// What becomes of a column.
#[derive(Clone, Copy)]
enum Coarser {
    Year(DateFormat),
    Age,
}

/// The table with the values that the preset of a plan allows, and what to know about them.
pub(crate) fn coarser_table(roles: &Roles, table: Table) -> (Table, Vec<Message>) {
    if roles.preset.is_none() {
        return (table, Vec::new());
    }
    let mut notes = Notes::default();
    let columns = table.columns().iter().map(|column| {
        let Some(coarser) = coarser(roles, column) else { return column.clone() };
        notes.add(column.name(), coarser);
        coarser_column(column, table.missing(), coarser).0
    });
    let columns = columns.collect();
    let missing = table.missing().clone();
    notes.add_postal(roles, table.columns());
    (Table::new(table.name().to_owned(), columns, true, missing), notes.told())
}

/// The same of records inside records.
pub(crate) fn coarser_records(roles: &Roles, nested: Nested) -> (Nested, Vec<Message>) {
    if roles.preset.is_none() {
        return (nested, Vec::new());
    }
    let mut notes = Notes::default();
    let branches = nested.branches().iter().map(|branch| {
        notes.add_postal(roles, branch.table().columns());
        let (mut columns, mut scalars) = (Vec::new(), Vec::new());
        for (index, column) in branch.table().columns().iter().enumerate() {
            let own = branch.scalars(index);
            let Some(coarser) = coarser(roles, column) else {
                columns.push(column.clone());
                scalars.push(own.to_vec());
                continue;
            };
            notes.add(column.name(), coarser);
            let (changed, is_changed) = coarser_column(column, branch.table().missing(), coarser);
            // A year is a number, whatever its date was written as.
            let scalar = |(row, scalar): (usize, &Scalar)| {
                if is_changed[column.codes().get(row) as usize] { Scalar::Bare } else { *scalar }
            };
            scalars.push(own.iter().enumerate().map(scalar).collect());
            columns.push(changed);
        }
        let table = branch.table();
        let table = Table::new(table.name().to_owned(), columns, false, table.missing().clone());
        let (path, inside) = (branch.path().to_owned(), branch.inside().cloned());
        let changed = Branch::new(path, inside, branch.n_rows(), table, scalars);
        changed.with_empty(branch.empty().to_vec())
    });
    let branches = branches.collect();
    let changed = Nested::new(nested.name().to_owned(), branches);
    (changed.with_layout(nested.layout().clone()), notes.told())
}

/// What a plan says of a column whose dates are years by its preset: they are whole numbers.
pub(crate) fn as_coarser(roles: &Roles, full: &FullAttribute, column: &Column) -> FullAttribute {
    if roles.preset.is_none() || !is_date(full, column) {
        return full.clone();
    }
    let taxonomy = full.taxonomy.clone().filter(|source| !matches!(source, Source::Calendar(_)));
    FullAttribute { value_type: None, taxonomy, ..full.clone() }
}

fn is_date(full: &FullAttribute, column: &Column) -> bool {
    let value_type = full.value_type.map_or(column.value_type(), ValueType::from);
    value_type == ValueType::Date || matches!(full.taxonomy, Some(Source::Calendar(_)))
}

/// What becomes of a column that is published.
fn coarser(roles: &Roles, column: &Column) -> Option<Coarser> {
    let Some(PresetName::Hipaa) = roles.preset else { return None };
    let full = roles.get(column.name())?;
    if Role::from(full.role) == Role::Identifier {
        return None;
    }
    if is_date(full, column) {
        return Some(Coarser::Year(column.date_format()));
    }
    let value_type = full.value_type.map_or(column.value_type(), ValueType::from);
    (value_type.is_numeric() && is_age(column.name())).then_some(Coarser::Age)
}

/// The age that stands for every older one in an attribute, where the preset of a plan asks for that.
pub(crate) fn oldest(roles: &Roles, attribute: &Attribute) -> Option<f64> {
    let Some(PresetName::Hipaa) = roles.preset else { return None };
    (attribute.value_type().is_numeric() && is_age(attribute.name())).then_some(OLDEST)
}

/// The column with coarser texts, and for each text it had whether that changed.
fn coarser_column(column: &Column, missing: &Missing, coarser: Coarser) -> (Column, Vec<bool>) {
    let mut dictionary = Dictionary::default();
    let texts: Vec<Option<String>> = (column.dictionary().iter())
        .map(|text| if missing.is(text) { None } else { coarser.text(text) })
        .collect();
    let mut entries = vec![None; texts.len()];
    let mut codes = Codes::default();
    // Texts are numbered as they appear, so that places in messages are those of the input.
    for (line, entry) in (2..).zip(column.codes().iter()) {
        let code = *entries[entry as usize].get_or_insert_with(|| {
            let changed = texts[entry as usize].as_deref();
            let text = changed.unwrap_or(column.dictionary().get(entry));
            dictionary.intern(text.as_bytes(), line).expect("a text of a table, or a number")
        });
        codes.push(code);
    }
    let changed = Column::new(column.name().to_owned(), dictionary, codes, missing);
    (changed, texts.iter().map(Option::is_some).collect())
}

impl Coarser {
    /// The text that takes the place of another, where one does.
    fn text(self, text: &str) -> Option<String> {
        match self {
            Self::Year(format) => {
                let day = parse_date(text, format)?.div_euclid(DAY);
                let day = i32::try_from(day).expect("a date has four digits");
                Some(civil_from_days(day).0.to_string())
            }
            Self::Age => {
                let age: f64 = text.trim().parse().ok()?;
                (age >= OLDEST).then(|| OLDEST.to_string())
            }
        }
    }
}

/// What a preset did, and what it left to do.
#[derive(Default)]
struct Notes {
    years: Vec<String>,
    ages: Vec<String>,
    births: Vec<String>,
    postal: Vec<String>,
}

impl Notes {
    fn add(&mut self, name: &str, coarser: Coarser) {
        match coarser {
            Coarser::Year(_) => {
                self.years.push(name.to_owned());
                self.births.extend(is_birth(name).then(|| name.to_owned()));
            }
            Coarser::Age => self.ages.push(name.to_owned()),
        }
    }

    fn add_postal(&mut self, roles: &Roles, columns: &[Column]) {
        let is_published =
            |name: &str| roles.role(name).is_some_and(|role| role != Role::Identifier);
        let names = columns.iter().map(Column::name).filter(|name| is_postal(name));
        self.postal.extend(names.filter(|name| is_published(name)).map(str::to_owned));
    }

    fn told(self) -> Vec<Message> {
        let told = |names: &[String], what: &str| {
            (!names.is_empty()).then(|| message!("preset `hipaa`: `{}` {what}", names.join("`, `")))
        };
        let notes = [
            told(&self.years, "shows years instead of dates"),
            told(&self.ages, "shows 90 for every age of 90 and above"),
            told(
                &self.births,
                "may disclose an age above 89 by its year: Safe Harbor groups such years as well",
            ),
            told(
                &self.postal,
                "is left as it is: Safe Harbor allows the first three digits of a postal code, \
                 and 000 where fewer than 20,000 people live",
            ),
        ];
        let nothing = self.years.is_empty() && self.ages.is_empty();
        let nothing = nothing.then(|| {
            "preset `hipaa`: no published column is a date, and none with numbers is named for an age".into()
        });
        notes.into_iter().flatten().chain(nothing).collect()
    }
}
