//! Somebody's release, read and judged against a plan.

use std::collections::BTreeMap;
use std::path::Path;

use kohort_core::{Column, Dataset, Message, Ratio, Role, Setting, Table, message};
use kohort_io::{Reading, is_file_there, read_table};
use kohort_models::{METRICS, Measured, Metric};
use kohort_verify::Truth;

use super::file::{ReadStrictly, ReleaseFile};
use super::judge::{Judgement, alone, joined, judge};
use super::receipt::{AS_THEY_WERE, figures, judged_sizes, starred, without_starred};
use super::render::GROUP;
use super::{Compared, Verdict, besides, sentences, values_file};
use crate::Error;
use crate::error::refused;
use crate::job::{Terms, weights};
use crate::load::Loaded;
use crate::people;
use crate::plan::Plan;
use crate::public::public;

/// Judges somebody's release against a plan, and where it is there against the original.
pub fn verify<'a>(
    plan: &Plan,
    release: impl Into<ReleaseFile<'a>>,
    original: Option<&Dataset>,
) -> Result<Verdict, Error> {
    let terms = Terms::new(plan)?;
    let (Loaded { value: table, notes }, metadata) = read(&terms, &release.into())?;
    judge_release(&terms, (table, &metadata), original, notes)
}

/// Judges a release that is in memory; of two tables, the first has the rows.
pub(super) fn verify_table(
    terms: &Terms,
    (table, values): (&Table, Option<&Table>),
    original: Option<&Dataset>,
) -> Result<Verdict, Error> {
    let table = values.map_or_else(|| Ok(table.clone()), |values| joined(table, values))?;
    let mut notes = Vec::new();
    let table = as_planned(terms, table, &mut notes)?;
    judge_release(terms, (table, &[]), original, notes)
}

fn judge_release(
    terms: &Terms,
    (table, metadata): (Table, &[String]),
    original: Option<&Dataset>,
    mut notes: Vec<Message>,
) -> Result<Verdict, Error> {
    match original {
        Some(original) => {
            check_columns(&table, original.table())?;
            notes.extend(people::check(&terms.roles, original.table())?);
        }
        None => notes.extend(people::untold(&terms.roles)),
    }
    let against = original.map(|original| (original, None));
    let public = public(terms, original)?;
    let judgement = judge(terms, &table, public.as_ref(), against)?;
    let findings = judgement.findings();
    let compared = original.zip(findings.truth());
    notes.extend(judgement.notes.iter().cloned());
    if original.is_none() && terms.suppression > Ratio::whole(0) {
        notes.push(message!(
            "without {} it is not known how many rows were dropped",
            Setting::Original
        ));
        if judgement.is_about_values {
            notes.push(message!(
                "without {} it is not known who was left out, nor their sensitive values",
                Setting::Original
            ));
        }
    }
    notes.extend(alone(terms, &judgement));
    notes.extend(
        super::insensitive::singled_out(&terms.roles, &table).into_iter().map(Message::from),
    );
    if original.is_some() && terms.is_anatomized {
        notes.push(AS_THEY_WERE.into());
    }
    let hidden: Vec<String> = beside_the_table(metadata).into_iter().collect();
    Ok(Verdict {
        verified: judgement.keeps() && hidden.is_empty(),
        goal: judgement.goal.clone(),
        rows: findings.n_rows() + judgement.n_blank,
        classes: findings.n_classes() - u64::from(starred(terms, findings) > 0),
        k: findings.k(),
        smallest_class: findings.sizes().k(),
        starred: findings.starred_rows(),
        blank: judgement.n_blank,
        reasons: sentences(&judgement).into_iter().chain(hidden.clone()).collect(),
        besides: besides(&judgement).into_iter().chain(hidden).collect(),
        original: compared.map(|(original, truth)| compare(terms, original, &judgement, truth)),
        notes,
    })
}

/// Why a file is no release that says more than its table does, by the names of what it says.
pub(crate) fn beside_the_table(metadata: &[String]) -> Option<String> {
    let shown = |name: &String| format!("`{}`", name.chars().take(40).collect::<String>());
    let names: Vec<String> = metadata.iter().take(5).map(shown).collect();
    let more = if metadata.len() > names.len() { " and others" } else { "" };
    (!names.is_empty()).then(|| {
        format!(
            "the file has metadata in addition to its table, which nobody judged: {}{more}; \
             write it without",
            names.join(", ")
        )
    })
}

/// Reads a release; one of two files as one table. Also the names of what its files say beside it.
fn read(terms: &Terms, release: &ReleaseFile<'_>) -> Result<(Loaded<Table>, Vec<String>), Error> {
    let _reading = Reading::new(release.path, &[values_file(release.path)])?;
    let expected: Vec<String> = terms.roles.iter().map(|(name, _)| name.clone()).collect();
    let planned = &terms.roles.reading;
    let ReadStrictly { read: found, options } = release.read(planned, &expected, &|_, _| {})?;
    let (mut table, mut metadata) = (found.table, found.metadata);
    if terms.is_anatomized && !has_sensitive(terms, &table) {
        let values = values_file(release.path);
        check_values(&values)?;
        let read = read_table(&values.to_string_lossy(), &options, &|_, _| {})?;
        metadata.extend(read.metadata);
        table = joined(&table, &read.table)?;
    }
    let mut notes = found.notes;
    let table = as_planned(terms, table, &mut notes)?;
    Ok((Loaded { value: table, notes }, metadata))
}

/// Whether a release has every sensitive column of a plan.
fn has_sensitive(terms: &Terms, table: &Table) -> bool {
    terms.roles.names(Role::Sensitive).iter().all(|name| table.column(name).is_ok())
}

/// Refuses a release that has another form than the plan says, and leaves out identifiers that show nothing.
fn as_planned(terms: &Terms, table: Table, notes: &mut Vec<Message>) -> Result<Table, Error> {
    let has_groups = table.column(GROUP).is_ok() && !terms.roles.has(GROUP);
    let is_apart = has_groups && !has_sensitive(terms, &table);
    if !terms.is_anatomized && is_apart {
        return Err(refused(
            format!(
                "this release has a column `{GROUP}` and lacks sensitive ones: it is anatomized"
            ),
            "say so in the plan: `form = \"anatomized\"` in its `[method]`",
        ));
    }
    if terms.is_anatomized && table.column(GROUP).is_err() {
        return Err(refused(
            format!(
                "the plan asks for an anatomized release, and this one has no column `{GROUP}`"
            ),
            "name the algorithm and the `form` of the release in the plan, or leave them out",
        ));
    }
    let masked = masked_identifiers(terms, &table);
    if masked.is_empty() {
        return Ok(table);
    }
    notes.push(message!("identifiers that are masked in every cell: `{}`", masked.join("`, `")));
    Ok(table.only(|name| !masked.contains(&name)))
}

/// Refuses one file of two: what a process leaves that is killed while it puts them in place.
fn check_values(values: &Path) -> Result<(), Error> {
    if is_file_there(values)? {
        return Ok(());
    }
    Err(refused(
        format!(
            "{}: no such file, and the plan's release has its sensitive values there",
            values.display()
        ),
        "one file of two is not a release: make it again, or get the other one",
    ))
}

/// The identifiers of which nothing is shown: other tools keep their columns, with `*` in every row.
fn masked_identifiers<'a>(terms: &Terms, table: &'a Table) -> Vec<&'a str> {
    let identifiers = terms.roles.names(Role::Identifier);
    let is_masked = |column: &&Column| {
        let mut texts = column.dictionary().iter();
        identifiers.iter().any(|name| name == column.name())
            && texts.all(|text| matches!(text, "*" | ""))
    };
    table.columns().iter().filter(is_masked).map(Column::name).collect()
}

/// Refuses a release that was read as one column which the original has not.
fn check_columns(release: &Table, original: &Table) -> Result<(), Error> {
    let [column] = release.columns() else { return Ok(()) };
    if original.column(column.name()).is_ok() {
        return Ok(());
    }
    Err(refused(
        format!("the original has no column `{}`, and the release has", column.name()),
        message!(
            "the release was read as one column: {} is about the release, and how the original is written is \
             said in the plan's `[read]`",
            Setting::Separator
        ),
    ))
}

fn compare(terms: &Terms, original: &Dataset, judgement: &Judgement, truth: &Truth) -> Compared {
    let (findings, smallest) = (judgement.findings(), judgement.smallest);
    let quasi = original.quasi();
    let groups = judged_sizes(findings);
    let n_starred = starred(terms, findings);
    let (cells, sizes) = without_starred(truth.cells(), truth.sizes(), n_starred);
    let measured = Measured {
        quasi: &quasi,
        weights: &weights(&terms.roles, original),
        n_rows: original.n_rows() as u64,
        cells: &cells,
        sizes: &sizes,
        groups: if terms.is_anatomized { &groups } else { &sizes },
        n_suppressed: truth.n_dropped() + n_starred,
        k: smallest,
    };
    let (metrics, undefined) = if terms.facts.is_truthful {
        figures(&measured)
    } else {
        let made_up = "needs cells that cover values, and these cells were made up or averaged";
        let why = |metric: &Metric| (metric.id.replace('-', "_"), made_up);
        (BTreeMap::new(), METRICS.iter().map(why).collect())
    };
    Compared {
        rows: original.n_rows() as u64,
        dropped: truth.n_dropped(),
        truthful: truth.holds(),
        uncovered: truth.uncovered_rows(),
        changed: truth.changed().iter().cloned().collect(),
        metrics,
        undefined,
    }
}
