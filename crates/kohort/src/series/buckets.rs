//! Buckets in a series: they are shown in the place of values.
//!
//! A single release may show every value and promise something of buckets: each row of a class is as likely as
//! any other. Over several releases that is not so. Classes with the same buckets may have one value alone in
//! common, and then it is known whose it is, and its bucket with it.

use std::borrow::Cow;

use kohort_core::{
    Attribute, Codes, Column, Dataset, Dictionary, Domain, Role, Table, ValueType, Values, message,
};
use kohort_ledger::{Hash, Release};

use super::warnings::begin_another;
use crate::Error;
use crate::error::refused;
use crate::job::Roles;
use crate::taxonomy::BucketsPlan;

/// Refuses quantiles, which are others in every table.
pub(super) fn refuse_quantiles(roles: &Roles) -> Result<(), Error> {
    let is_quantiles = |buckets: &BucketsPlan| matches!(buckets, BucketsPlan::Quantiles(_));
    let found = roles.iter().find(|(_, full)| full.buckets.as_ref().is_some_and(is_quantiles));
    let Some((name, _)) = found else { return Ok(()) };
    Err(refused(
        format!("`quantiles` of column `{name}` are others in every table of a series"),
        "say where buckets start with `cuts`, the same in every release",
    ))
}

/// The table as a series shows it: labels of buckets in the place of values.
pub(super) fn shown_in_buckets(dataset: &Dataset) -> Result<Cow<'_, Dataset>, Error> {
    let sensitive = dataset.sensitive();
    if sensitive.iter().all(|attribute| attribute.buckets().is_none()) {
        return Ok(Cow::Borrowed(dataset));
    }
    let table = dataset.table();
    let shown = |column: &Column| {
        let mut attributes = sensitive.iter().filter(|attribute| attribute.buckets().is_some());
        let found = attributes.find(|attribute| attribute.name() == column.name());
        found.map_or_else(|| column.clone(), |attribute| labels(table, column, attribute))
    };
    let columns = table.columns().iter().map(shown).collect();
    let missing = table.missing().clone();
    let table = Table::new(table.name().to_owned(), columns, true, missing);
    let mut attributes: Vec<Attribute> = dataset.quasi().into_iter().cloned().collect();
    for attribute in sensitive {
        let Some(rule) = attribute.buckets() else {
            attributes.push(attribute.clone());
            continue;
        };
        let column = table.column(attribute.name())?;
        let domain = Domain::new(&table, column, Some(ValueType::Text), &|_| false)?;
        let made = Attribute::new(&table, attribute.name(), Role::Sensitive, domain, None)?;
        attributes.push(made.in_buckets(&table, rule.clone().of_labels())?);
    }
    Ok(Cow::Owned(Dataset::new(table, attributes)?))
}

/// The column with the label of each row's bucket; what is missing stays as it is.
fn labels(table: &Table, column: &Column, attribute: &Attribute) -> Column {
    let Values::Text(labels) = attribute.values() else {
        unreachable!("buckets are told apart by their labels")
    };
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (entry, code) in column.codes().iter().zip(attribute.codes().iter()) {
        let label = labels.get(attribute.value_of_code()[code as usize] as usize);
        let text = label.map_or_else(|| column.dictionary().get(entry), String::as_str);
        codes.push(dictionary.intern(text.as_bytes(), 1).expect("labels are texts"));
    }
    Column::new(column.name().to_owned(), dictionary, codes, table.missing())
}

/// What the books say of the buckets, after the parameters of the promise.
const MARK: &str = ", in ";

/// The parameters of a promise as the books have them: with the buckets that it counts.
pub(super) fn recorded(parameters: String, dataset: &Dataset) -> String {
    match form(dataset) {
        Some(form) => format!("{parameters}{MARK}{form}"),
        None => parameters,
    }
}

/// What the buckets of the sensitive attribute are, where it has some.
pub(super) fn form(dataset: &Dataset) -> Option<&str> {
    dataset.sensitive().first()?.buckets().map(kohort_core::Buckets::form)
}

/// Refuses other buckets than those of the releases before: what two kinds of buckets have in common is
/// narrower than each.
pub(super) fn keep(
    releases: &[(Release, Hash)],
    figures: &[super::figures::Figures],
    columns: &[String],
    dataset: &Dataset,
) -> Result<(), Error> {
    let now = form(dataset);
    for ((release, _), earlier) in releases.iter().zip(figures) {
        let then = release.facts.parameters.split_once(MARK).map(|(_, form)| form);
        if earlier.columns.last() == columns.last() && then != now {
            let told = |form: Option<&str>| form.map_or("values".to_owned(), str::to_owned);
            return Err(refused(
                format!(
                    "release {} shows {}, and this one would show {}: what the two have in common is \
                     narrower than either",
                    release.number,
                    told(then),
                    told(now)
                ),
                message!("keep the buckets of the releases before, or {}", begin_another()),
            ));
        }
    }
    Ok(())
}

/// That labels are shown.
pub(super) fn note(dataset: &Dataset) -> Option<String> {
    let name = dataset.sensitive().first()?.name();
    form(dataset).map(|form| {
        format!(
            "`{name}` is shown in {form}: over several releases, single values would show whose \
             they are"
        )
    })
}
