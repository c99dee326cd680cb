//! Counting people, where a person has several rows.

use kohort_core::{Attribute, Dataset, group};
use kohort_verify::{PeopleDiversity, people_levels};

use super::{PeopleAnswer, PeopleSensitive};
use crate::Error;
use crate::people::person_of_row;

/// Counts the people that a column tells apart.
pub(super) fn people(dataset: &Dataset, column: &str) -> Result<PeopleAnswer, Error> {
    let table = dataset.table();
    let people = person_of_row(table, table.column(column)?);
    let quasi = dataset.quasi();
    let codes = quasi.iter().map(|attribute| (attribute.codes(), attribute.n_codes()));
    let classes = group(dataset.n_rows(), codes.collect::<Vec<_>>());
    let sensitive = dataset.sensitive();
    let found = people_levels(&classes, &people, &sensitive);
    let each = sensitive.iter().zip(&found.sensitive);
    Ok(PeopleAnswer {
        column: column.to_owned(),
        people: found.n_people,
        k: found.k.unwrap_or(0),
        alone: found.alone,
        sensitive: each.map(|(attribute, found)| sensitive_answer(attribute, *found)).collect(),
    })
}

fn sensitive_answer(attribute: &Attribute, found: PeopleDiversity) -> PeopleSensitive {
    PeopleSensitive {
        attribute: attribute.name().to_owned(),
        frequency_l: found.frequency_l.into(),
        frequency_l_value: found.frequency_l.value(),
        people_disclosed: found.disclosed,
    }
}
