//! What a plan declares of quasi-identifiers: it comes before what the texts of a release look like.

use kohort_core::{Attribute, Codes, Column, Dataset, Dictionary, Role, Table, ValueType};

use crate::Error;
use crate::job::Roles;
use crate::load::{build, listed, options};
use crate::taxonomy::Source;

/// The columns that are of texts: by their type, or by a taxonomy that masks characters.
pub(super) fn texts(roles: &Roles, quasi: &[String]) -> Vec<String> {
    let is_text = |name: &&String| {
        roles.get(name).is_some_and(|full| {
            full.value_type.map(ValueType::from) == Some(ValueType::Text)
                || matches!(full.taxonomy, Some(Source::Mask(_)))
        })
    };
    quasi.iter().filter(is_text).cloned().collect()
}

/// For each column whose taxonomy lists its values, a table of these.
pub(super) fn taxonomies(roles: &Roles, quasi: &[String]) -> Result<Vec<Dataset>, Error> {
    let missing = options(&roles.reading)?.missing;
    let mut all = Vec::new();
    for name in quasi {
        let Some(full) = roles.get(name) else { continue };
        let Some(listed) = listed(roles, full)? else { continue };
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (1..).zip(&listed.values) {
            codes.push(dictionary.intern(text.as_bytes(), line).expect("a text of a taxonomy"));
        }
        let column = Column::new(name.clone(), dictionary, codes, &missing);
        let table =
            Table::new(format!("taxonomy of `{name}`"), vec![column], false, missing.clone());
        let value_type = full.value_type.map(Into::into);
        // A value that is listed and does not occur need not be of the column's type.
        let Ok((built, _)) = build(roles, full, (&table, table.column(name)?), value_type) else {
            continue;
        };
        let attribute = Attribute::new(&table, name, Role::Quasi, built.domain, built.taxonomy)?;
        all.push(Dataset::new(table, vec![attribute])?);
    }
    Ok(all)
}
