//! The figures of a receipt, from what was made and judged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kohort_algorithms::{Candidate, Form};
use kohort_core::{Cell, Cells, Dataset, Labels, Ratio, Role, group};
use kohort_models::{METRICS, Measured, Undefined};
use kohort_report::release::{Columns, Figures, LevelAnswer, RiskChange};
use kohort_verify::{ClassSizes, Findings};

use crate::diagnose::ProsecutorAnswer;
use crate::job::{Roles, Terms};

/// The level of each quasi-identifier.
pub(super) fn levels(dataset: &Dataset, levels: &[u32]) -> Vec<LevelAnswer> {
    let of_axis = |(attribute, &level): (&&kohort_core::Attribute, &u32)| LevelAnswer {
        attribute: attribute.name().to_owned(),
        level,
        highest: attribute.taxonomy().n_levels() - 1,
    };
    dataset.quasi().iter().zip(levels).map(of_axis).collect()
}

/// The risk before and after.
pub(super) fn risk(dataset: &Dataset, form: Form, findings: &Findings) -> RiskChange {
    let quasi = dataset.quasi();
    let classes = group(dataset.n_rows(), quasi.iter().map(|a| (a.codes(), a.n_codes())));
    let sizes: ClassSizes = classes.sizes().into_iter().map(u64::from).collect();
    let has_classes = !matches!(form, Form::Anatomized | Form::Perturbed);
    let release = has_classes.then(|| ProsecutorAnswer::new(findings.sizes()));
    RiskChange { original: ProsecutorAnswer::new(&sizes), release: release.flatten() }
}

/// What becomes of the columns of a dataset.
pub(crate) fn columns(roles: &Roles, dataset: &Dataset) -> Columns {
    let name = |attribute: &&kohort_core::Attribute| attribute.name().to_owned();
    let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
    Columns {
        quasi: quasi.iter().map(name).collect(),
        taxonomies: quasi.iter().filter(|a| !a.is_flat()).map(name).collect(),
        intervals: quasi
            .iter()
            .filter(|a| a.taxonomy().labels() == Labels::Intervals)
            .map(name)
            .collect(),
        sensitive: sensitive.iter().map(name).collect(),
        insensitive: roles.names(Role::Insensitive),
        left_out: left_out(roles, dataset),
    }
}

/// The columns that a release does not have: identifiers, and those that nobody gave a role.
pub(super) fn left_out(roles: &Roles, dataset: &Dataset) -> Vec<String> {
    let is_out = |name: &&str| roles.role(name).is_none_or(|role| role == Role::Identifier);
    let columns = dataset.table().columns().iter().map(kohort_core::Column::name);
    columns.filter(is_out).map(str::to_owned).collect()
}

/// The name of a kind of release.
pub(super) fn form(candidate: &Candidate) -> &'static str {
    match candidate.form {
        Form::Generalized => "generalized",
        Form::Anatomized => "anatomized",
        Form::Microaggregated(_) => "microaggregated",
        Form::Perturbed => "perturbed",
    }
}

/// Measures a release by every metric in the box.
pub(crate) fn figures(measured: &Measured<'_>) -> Figures {
    let (mut values, mut undefined) = (BTreeMap::new(), BTreeMap::new());
    for metric in METRICS {
        kohort_core::alive();
        let id = metric.id.replace('-', "_");
        match (metric.measure)(measured) {
            Ok(score) => {
                for (part, value) in &score.parts {
                    values.insert(format!("{id}.{part}"), *value);
                }
                values.insert(id, score.value);
            }
            Err(Undefined(reason)) => {
                undefined.insert(id, reason);
            }
        }
    }
    (values, undefined)
}

/// How many rows are suppressed and stay: they show `*` for every quasi-identifier, and are no more than may
/// be suppressed. More of them are a class that was made as coarse as can be; who made the release does not
/// matter, since nobody who reads it can tell.
pub(super) fn starred(terms: &Terms, findings: &Findings) -> u64 {
    let (n_starred, n_rows) = (findings.starred_rows(), findings.n_rows());
    let is_kept = terms.keeps_values();
    let may_be = n_starred < n_rows
        && Ratio::new(n_starred, n_rows.max(1)) <= findings.allowed_suppression();
    if is_kept && may_be { n_starred } else { 0 }
}

/// What classes show, and their sizes, but for the rows that are suppressed and stay: what they cost does not
/// hang on whether they do.
pub(super) fn without_starred<'a>(
    cells: &'a Cells,
    sizes: &'a [u64],
    n_starred: u64,
) -> (Cow<'a, Cells>, Cow<'a, [u64]>) {
    if n_starred == 0 {
        return (Cow::Borrowed(cells), Cow::from(sizes));
    }
    let mut classes = (0..).zip(cells.classes()).zip(sizes);
    // Other texts may cover everything as well.
    let starred = classes.find(|((_, cells), size)| {
        **size == n_starred && cells.clone().all(|cell| cell == Cell::ANY)
    });
    let starred = starred.map(|((class, _), _)| class);
    let shown = (0..).zip(sizes).filter(|&(class, _)| Some(class) != starred);
    let (shown, sizes): (Vec<u32>, Vec<u64>) = shown.unzip();
    (Cow::Owned(cells.select(&shown)), Cow::from(sizes))
}

/// The size of each class that the judge saw: rows that look alike, or groups.
pub(super) fn judged_sizes(findings: &Findings) -> Vec<u64> {
    let sizes = findings.sizes().iter();
    sizes.flat_map(|(size, n)| (0..n).map(move |_| size)).collect()
}

/// Why an anatomized release costs nothing by its cells.
pub(crate) const AS_THEY_WERE: &str = "the quasi-identifiers are as they were, so figures of \
                                       cells (NCP, LM, Prec, KL) see no loss: what is lost is \
                                       which sensitive value belongs to whom, within the groups \
                                       that DM and C_AVG count";

/// The classes of a candidate, as the metrics see them: for releases that cover nothing.
pub(super) fn sizes_of(group_of_row: &[u32], cells: &Cells) -> Vec<u64> {
    let mut sizes = vec![0; cells.n_classes()];
    for &group in group_of_row {
        if let Some(size) = sizes.get_mut(group as usize) {
            *size += 1;
        }
    }
    sizes
}
