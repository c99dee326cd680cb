//! Anybody's release of a series, read by the plan: its roles, and what no series can show.

use std::borrow::Cow;

use kohort_core::{Column, Message, Role, Table, message};
use kohort_verify::masked_texts;
use kohort_verify::series::{PublishedRelease, ReleaseFiles, SeriesValues};

use super::super::buckets::shown_in_buckets;
use super::Made;
use crate::error::refused;
use crate::job::{Roles, Terms};
use crate::load::{Quantiles, assign_roles_by, missing_in_series};
use crate::plan::RoleName;
use crate::release::{GROUP, Groups, Publication};
use crate::{Error, Kind};

/// The columns of a release, but for that of its groups.
pub(super) fn columns(release: &Publication) -> Vec<&str> {
    let names = release.table.columns().iter().map(Column::name);
    names.filter(|&name| release.groups == Groups::None || name != GROUP).collect()
}

/// Reads a release and its original by the plan.
pub(super) fn read<'a>(
    terms: &Terms,
    made: &'a Made,
    values: &mut SeriesValues,
    notes: &mut Vec<Message>,
) -> Result<PublishedRelease<'a>, Error> {
    let Made { release: publication, original } = made;
    let (own, sensitive) = own_roles(&terms.roles, publication, notes)?;
    let quasi: Vec<String> = (columns(publication).into_iter())
        .filter(|name| own.role(name) == Some(Role::Quasi))
        .map(str::to_owned)
        .collect();
    if quasi.is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let table = &publication.table;
    missing_in_series(table, &sensitive, &own)?;
    refuse_masked(table, &sensitive, &own, original.as_ref())?;
    check_labels(table, &sensitive, &own)?;
    let files = ReleaseFiles {
        table,
        has_groups: publication.groups == Groups::Classes,
        counterfeits: &publication.counterfeits,
        most_counterfeits: terms.series.most_counterfeits.unwrap_or(0),
        quasi,
        sensitive,
    };
    let release = PublishedRelease::read(files, values)?;
    let Some(original) = original else { return Ok(release) };
    let mut loaded = assign_roles_by(&own, original.clone(), Quantiles::Own)?;
    notes.extend(loaded.notes);
    let shown = match shown_in_buckets(&loaded.value)? {
        Cow::Owned(shown) => Some(shown),
        Cow::Borrowed(_) => None,
    };
    loaded.value = shown.unwrap_or(loaded.value);
    Ok(release.with_original(loaded.value, values)?)
}

/// Refuses a release with sensitive cells that do not show one value.
fn refuse_masked(
    table: &Table,
    sensitive: &str,
    own: &Roles,
    original: Option<&Table>,
) -> Result<(), Error> {
    let full = own.get(sensitive);
    let column = table.column(sensitive)?;
    let of_original = original.map(|original| original.column(sensitive)).transpose()?;
    let is_known = |text: &str| of_original.is_some_and(|of| of.dictionary().find(text).is_some());
    let has_buckets = full.is_some_and(|full| full.buckets.is_some());
    let declared = full.and_then(|full| full.value_type).filter(|_| !has_buckets);
    let is_masked = masked_texts(table, column, declared.map(Into::into), &|text| {
        is_known(text).then_some(true)
    });
    let Some(masked) = (0..).zip(is_masked).find_map(|(entry, is)| is.then_some(entry)) else {
        return Ok(());
    };
    let (table, place) = (table.name().to_owned(), table.place(column, masked));
    let (column, what) = (sensitive.to_owned(), "a series");
    Err(kohort_core::Error::new(kohort_core::Kind::Masked { table, place, column, what }).into())
}

/// Refuses a release that shows something else than labels where the plan promises buckets.
fn check_labels(table: &Table, sensitive: &str, own: &Roles) -> Result<(), Error> {
    if own.get(sensitive).is_none_or(|full| full.buckets.is_none()) {
        return Ok(());
    }
    let only = own.only(|name| name == sensitive);
    let only_column = table.only(|name| name == sensitive);
    let shown = assign_roles_by(&only, only_column, Quantiles::Of(None))?.value;
    let rule = shown.sensitive()[0].buckets().cloned();
    let column = shown.table().column(sensitive)?;
    let is_shown = |text: &&str| !shown.table().missing().is(text);
    let is_label =
        |text: &str| rule.as_ref().is_some_and(|rule| rule.is_label(text, column.date_format()));
    if column.dictionary().iter().filter(is_shown).all(is_label) {
        return Ok(());
    }
    Err(refused(
        format!(
            "{} shows values of `{}`, and the plan promises buckets: over several releases, \
             single values show whose they are",
            table.name(),
            sensitive
        ),
        "a series shows buckets instead of values",
    ))
}

/// The roles of one release: of its own columns, those that have none as quasi-identifiers.
fn own_roles(
    roles: &Roles,
    release: &Publication,
    notes: &mut Vec<Message>,
) -> Result<(Roles, String), Error> {
    // Columns of the plan that this release does not show are no part of it.
    let shown = columns(release);
    let is_identifier = |name: &str| roles.role(name) == Some(Role::Identifier);
    let mut own = roles.only(|name| is_identifier(name) || shown.contains(&name));
    let mut sensitive = Vec::new();
    for &name in &shown {
        match roles.role(name) {
            Some(Role::Identifier) => {
                return Err(refused(
                    format!("{} shows the identifier `{name}`", release.table.name()),
                    "a release of a series has no identifier: take the column out, or judge it by \
                     another plan",
                ));
            }
            Some(Role::Sensitive) => sensitive.push(name),
            Some(Role::Quasi) => {}
            Some(Role::Insensitive) => notes.push(message!(
                "{} shows `{name}`, which may lead from a row of one release to a row of another",
                release.table.name()
            )),
            None => {
                own = own.with(name, RoleName::Quasi.into());
                notes.push(message!(
                    "{} shows `{name}`, of which the plan says nothing: it is taken for a quasi-identifier",
                    release.table.name()
                ));
            }
        }
    }
    let &[name] = &sensitive[..] else {
        return Err(refused(
            format!(
                "a release of a series shows one sensitive attribute, but {} shows {}",
                release.table.name(),
                sensitive.len()
            ),
            "give every column of all releases its role in the plan, the sensitive one of each included: \
             one plan judges the whole series",
        ));
    };
    Ok((own, name.to_owned()))
}
