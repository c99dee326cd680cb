//! The public table of a plan's delta-presence, in terms of the table that is published.
//!
//! Both tables are read as one column of values under one taxonomy: a number that only the public table has
//! lies in the same range, a category under the same node. A text that is no value of the column's type, or
//! that no leaf stands for, lies under the root alone.

use std::collections::BTreeSet;

use kohort_core::{
    Attribute, Codes, Column, Dataset, Kind, Missing, Public, PublicColumn, Role, Setting, Table,
    ValueType, message,
};
use kohort_io::read_table;

use crate::Error;
use crate::error::refused;
use crate::job::{Roles, Terms};
use crate::load::{build, options};
use crate::plan::{FullAttribute, Reading};

/// Reads the public table that a plan's goal names, if it names one. `original` is the table that is
/// published, where it is known.
pub(crate) fn public(terms: &Terms, original: Option<&Dataset>) -> Result<Option<Public>, Error> {
    let Some((model, file)) = &terms.public else { return Ok(None) };
    let roles = &terms.roles;
    let missing = roles.reading.missing.clone();
    let options = options(&Reading { missing, ..Reading::default() })?;
    let path = roles.path(file).to_string_lossy().into_owned();
    let table = read_table(&path, &options, &|_, _| {})?.table;
    if table.n_rows() == 0 {
        return Err(refused(
            format!("the public table of `{model}` has no rows"),
            "name a table of the people among whom somebody may be a member",
        ));
    }
    let quasi = roles.iter().filter(|(_, full)| Role::from(full.role) == Role::Quasi);
    let columns = quasi.map(|(name, full)| {
        let own = original.map(|data| {
            let attributes = data.quasi();
            let attribute = attributes.into_iter().find(|attribute| attribute.name() == name);
            Ok::<_, Error>((
                data.table().column(name)?,
                attribute.expect("it is a quasi-identifier"),
            ))
        });
        let own = own.transpose()?;
        // What stands for a missing value in the original does in both.
        let missing = original.map_or(table.missing(), |data| data.table().missing());
        let column = table.column(name)?;
        Joined { roles, table: &table, column, missing, full, own }.read()
    });
    let columns = columns.collect::<Result<_, Error>>().map_err(|error| {
        let is_taxonomy = matches!(error.kind(), crate::Kind::Core(core)
            if matches!(core.kind(), Kind::Taxonomy { .. }));
        if original.is_some() || !is_taxonomy {
            return error;
        }
        let hint = message!(
            "set the type of the column in the plan, or name the original with {}",
            Setting::Original
        );
        refused(format!("the public table: {error}"), hint)
    })?;
    Ok(Some(Public::new(columns)))
}

/// A column of both tables.
struct Joined<'a> {
    roles: &'a Roles,
    table: &'a Table,
    column: &'a Column,
    missing: &'a Missing,
    full: &'a FullAttribute,
    // The column of the original.
    own: Option<(&'a Column, &'a Attribute)>,
}

impl Joined<'_> {
    fn read(&self) -> Result<PublicColumn, Error> {
        let attribute = self.attribute()?;
        let code = |text| attribute.code_of(text).unwrap_or(attribute.n_codes());
        let to: Vec<u32> = self.column.dictionary().iter().map(code).collect();
        let mut code_of_original = Vec::new();
        if let Some((column, own)) = self.own {
            let same = |code| match own.entry_of_code(code) {
                Some(entry) => attribute.code_of(column.dictionary().get(entry)),
                None => attribute.missing(),
            };
            let codes: Option<Vec<u32>> = (0..own.n_codes()).map(same).collect();
            code_of_original = codes.expect("the values of the original are among the values");
        }
        Ok(PublicColumn { codes: self.column.codes().recode(&to), code_of_original, attribute })
    }

    /// The values of both tables under the taxonomy of the plan. What has no leaf is left out.
    fn attribute(&self) -> Result<Attribute, Error> {
        let mut left_out: BTreeSet<String> = BTreeSet::new();
        loop {
            let error = match self.without(&left_out) {
                Err(error) => error,
                built => return built,
            };
            let n_left_out = left_out.len();
            if let crate::Kind::Core(core) = error.kind()
                && let Kind::NoLeaf { values, .. } = core.kind()
            {
                left_out.extend(values.iter().cloned());
            }
            if left_out.len() == n_left_out {
                return Err(error);
            }
        }
    }

    /// The values of both tables, without some of the public one's.
    fn without(&self, left_out: &BTreeSet<String>) -> Result<Attribute, Error> {
        let (name, missing) = (self.column.name(), self.missing);
        let found = || self.full.value_type.map_or(self.column.value_type(), Into::into);
        let (value_type, format) = self.own.map_or_else(
            || (found(), self.column.date_format()),
            |(column, own)| (own.value_type(), column.date_format()),
        );
        let is_read = |text: &&str| {
            !left_out.contains(*text) && (missing.is(text) || value_type.reads(text, format))
        };
        let mut texts = self.own.map(|(own, _)| own.dictionary().clone()).unwrap_or_default();
        for text in self.column.dictionary().iter().filter(is_read) {
            texts.intern(text.as_bytes(), 0).expect("a text of a table is a text of a table");
        }
        let column = Column::new(name.to_owned(), texts, Codes::default(), missing);
        let differs = |column: &Column| {
            column.value_type() == ValueType::Date && column.date_format() != format
        };
        if value_type == ValueType::Date && (differs(self.column) || differs(&column)) {
            return Err(refused(
                format!("column `{name}` of the public table writes its dates in another order"),
                "write the dates of both tables as 2024-01-31",
            ));
        }
        let table = Table::new(self.table.name().to_owned(), vec![column], true, missing.clone());
        let column = table.column(name)?;
        let (built, _) = build(self.roles, self.full, (&table, column), Some(value_type))?;
        Ok(Attribute::new(&table, name, Role::Quasi, built.domain, built.taxonomy)?)
    }
}
