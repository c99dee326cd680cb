//! Promises that compare a class with the whole table, judged by the table that a release was made from.
//!
//! The release alone tells what is left of a table. Where rows were dropped, a class may be like what is left
//! and unlike the table: it must be like both.

use kohort_core::{Attribute, Codes, Dataset, Error, Grouping, Table};
use kohort_models::{ClassModel, Distribution};

use super::masked_cells;
use super::verdict::{Claims, Shows};
use crate::Violations;
use crate::check::check_classes;

/// The violations of each promise where classes are compared with the original; masked cells are filled in
/// every way. None where nothing is compared, and where values are made up that the original lacks.
pub(super) fn by_original(
    release: &Table,
    classes: &Grouping,
    claims: &Claims<'_>,
    original: &Dataset,
) -> Result<Option<Vec<Violations>>, Error> {
    if !claims.models.iter().any(|model| model.compares()) {
        return Ok(None);
    }
    let of_original = original.sensitive();
    let mut sensitive: Vec<(Attribute, &Attribute)> = Vec::new();
    for attribute in claims.sensitive {
        let twin = of_original.iter().find(|twin| twin.name() == attribute.name());
        let Some(&twin) = twin else { return Ok(None) };
        let shown = masked_cells::by_original(release, original, twin)?;
        if claims.shows == Shows::Anything && shown.masked().is_some() {
            return Ok(None);
        }
        sensitive.push((shown, twin));
    }
    let distributions: Vec<Distribution<'_>> =
        sensitive.iter().map(|(shown, twin)| Distribution::of(shown, twin.counts())).collect();
    let sensitive: Vec<&Attribute> = sensitive.iter().map(|(shown, _)| shown).collect();
    // Only these: what else is promised may be about codes of the release.
    let compares = claims.models.iter().map(|model| &**model);
    let compares: Vec<&dyn ClassModel> =
        compares.filter(|model| ClassModel::compares(*model)).collect();
    let mut found = check_classes(classes, (&sensitive, &distributions), &compares).into_iter();
    let mut of_each = Vec::new();
    for model in claims.models {
        let of_model = if model.compares() { found.next() } else { None };
        of_each.push(of_model.unwrap_or_default());
    }
    Ok(Some(of_each))
}

/// What the original calls the values of a released column; none where a cell is none of its values.
pub(super) fn codes(release: &Table, twin: &Attribute) -> Result<Option<Codes>, Error> {
    let column = release.column(twin.name())?;
    let code_of_entry: Vec<Option<u32>> = column
        .dictionary()
        .iter()
        .map(|text| match twin.code_of(text) {
            None if release.missing().is(text) => twin.missing(),
            code => code,
        })
        .collect();
    let shown: Option<Vec<u32>> =
        column.codes().iter().map(|entry| code_of_entry[entry as usize]).collect();
    Ok(shown.map(|shown| Codes::below(twin.n_codes(), shown.into_iter())))
}
