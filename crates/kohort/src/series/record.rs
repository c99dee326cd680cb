//! What goes on the books about a release, and what its publisher is told.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use kohort_core::{ABSENT, Dataset, History, Message, group};
use kohort_ledger::{
    Class, Counterfeit, Entry, Facts, Hash, Member, Publishing, StagedFile, Standing,
};
use kohort_models::Measured;
use kohort_models::series::thesis_rule;
use kohort_verify::ClassSizes;

use super::SeriesReceipt;
use super::buckets::{form, recorded};
use super::figures::{self, Figures};
use super::parameters::parameters;
use super::publish::{Books, Judged, NEXT_ID, SeriesJob};
use super::receipt::{not_promised, on_the_books};
use crate::Error;
use crate::diagnose::{GoalAnswer, ProsecutorAnswer, SizeCount};
use crate::job::{Job, Roles, Terms, weights};
use crate::release::{self, RiskChange, columns};

/// The entry of a release.
pub(super) fn entry(
    job: &Job,
    dataset: &Dataset,
    (publishing, books): (&Publishing<'_>, &Books),
    judged: &Judged,
    (targets, receipt): (&[PathBuf], &SeriesReceipt),
) -> Result<Entry, Error> {
    let read = judged.findings.classes();
    let pairs = read.cells.iter().zip(&read.release.classes);
    let mut classes: Vec<Class> = pairs
        .map(|(cells, class)| Class {
            cells: cells.clone(),
            released: class.clone(),
            counterfeits: Vec::new(),
        })
        .collect();
    for counterfeit in &judged.next.counterfeits {
        // Groups are numbered from 1 in the order in which they appear.
        let group = judged.rendered.number_of[&counterfeit.class] as usize - 1;
        let class = read.class_of_group[group] as usize;
        let (id, value) = (counterfeit.id, counterfeit.value);
        classes[class].counterfeits.push(Counterfeit { id, value });
    }
    let release = &read.release;
    let people = books.people.person_of_row.iter().zip(&books.people.value_of_row);
    let members = people.map(|(&person, &value)| {
        let class = release.class_of(person);
        let standing = class.map_or(Standing::HeldBack, |class| Standing::Shown { class });
        Member { person, standing, value }
    });
    let started = judged.next.counterfeits.iter().map(|it| it.id + 1).max().unwrap_or(0);
    let figures = Figures {
        columns: books.columns.clone(),
        inserted: receipt.inserted,
        deleted: receipt.deleted,
        returned: receipt.returned,
        updated: receipt.updated,
        loss: receipt.loss,
        max_posterior: receipt.max_posterior,
        max_posterior_exact: receipt.max_posterior_exact,
        max_posterior_is: receipt.max_posterior_is,
        max_posterior_one_by_one: receipt.max_posterior_one_by_one,
    };
    let next_id = started.max(books.next_id).to_le_bytes().to_vec();
    Ok(Entry {
        facts: facts(job, dataset, books),
        members: members.collect(),
        classes,
        states: vec![
            (figures::name(publishing.number()), figures.state()),
            (NEXT_ID.to_owned(), next_id),
        ],
        files: files(judged, targets)?,
    })
}

fn files(judged: &Judged, targets: &[PathBuf]) -> Result<Vec<StagedFile>, Error> {
    let mut files = Vec::new();
    for (staged, target) in judged.staged.iter().zip(targets) {
        let path = staged.path();
        let failed = |source| kohort_io::Kind::Read { name: path.display().to_string(), source };
        let file =
            kohort_io::open_if_there(path).map_err(failed).map_err(kohort_io::Error::from)?;
        let hash = file.map(Hash::of_reader).transpose();
        let hash = hash.map_err(failed).map_err(kohort_io::Error::from)?.unwrap_or_default();
        files.push(StagedFile {
            staged: path.to_string_lossy().into_owned(),
            target: target.to_string_lossy().into_owned(),
            hash,
        });
    }
    Ok(files)
}

fn facts(job: &Job, dataset: &Dataset, books: &Books) -> Facts {
    let mut trees = String::new();
    for attribute in dataset.quasi() {
        for node in attribute.taxonomy().nodes() {
            let _ = writeln!(trees, "{}\t{:?}", node.label, node.parent);
        }
    }
    let method = books.choice.method;
    Facts {
        schema: Hash::of(books.columns.join("\n").as_bytes()),
        taxonomies: Hash::of(trees.as_bytes()),
        principle: method.to_owned(),
        parameters: recorded(parameters(&job.terms.series, method), dataset),
        algorithm: method.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: Some(job.seed),
    }
}

/// What the publisher is told; the hashes and files are added once it is on the books.
pub(super) fn receipt(
    series: &SeriesJob<'_>,
    dataset: &Dataset,
    (publishing, books): (&Publishing<'_>, &Books),
    judged: &Judged,
) -> SeriesReceipt {
    let SeriesJob { order, job } = series;
    let (terms, choice) = (&job.terms, &books.choice);
    let classes = &judged.findings.classes().release.classes;
    let sizes: Vec<u64> = classes.iter().map(|class| class.values.len() as u64).collect();
    let (mut metrics, undefined) =
        measured(&terms.roles, dataset, judged, &sizes, release::figures);
    let loss = metrics.get(&job.metric_id.replace('-', "_")).copied();
    metrics.retain(|_, value| value.is_finite());
    let class_sizes: ClassSizes = sizes.iter().copied().collect();
    let held_back = judged.next.n_held_back() as u64;
    let (belief, n_forgotten) = (judged.findings.belief(), publishing.past().n_forgotten);
    let earlier = publishing.releases().iter().zip(&books.figures);
    SeriesReceipt {
        table: dataset.table().name().to_owned(),
        series: order.series.to_owned(),
        release: 0,
        method: choice.method,
        why: choice.why,
        algorithm: choice.method,
        goal: vec![goal(terms, dataset, books)],
        promise_changed: books.promise_changed.clone(),
        inserted: books.changed.inserted,
        deleted: books.changed.deleted,
        returned: books.changed.returned,
        updated: books.changed.updated,
        held_back,
        counterfeits: judged.next.counterfeits.len() as u64,
        max_posterior: belief.highest,
        max_posterior_exact: belief.fraction.map(Into::into),
        max_posterior_is: belief.counted,
        max_posterior_one_by_one: belief.one_by_one,
        is_smoothed: books.correlations.is_some(),
        thesis_rule: by_the_thesis(books, judged),
        history_checked: true,
        rows_in: dataset.n_rows() as u64,
        rows_out: sizes.iter().sum(),
        suppressed: held_back,
        classes: sizes.len() as u64,
        k: sizes.iter().copied().min().unwrap_or(0),
        class_sizes: SizeCount::all(&class_sizes),
        risk: risk(dataset, &class_sizes),
        columns: columns(&terms.roles, dataset).without_insensitive(),
        form: "generalized",
        metric: job.metric_id.to_owned(),
        loss,
        metrics,
        undefined,
        verified: !books.is_weak && !books.is_unsafe,
        truthful: judged.next.counterfeits.is_empty(),
        seed: job.seed,
        ledger: order.ledger.display().to_string(),
        entry: String::new(),
        previous_entry: publishing.releases().last().map(|(_, hash)| hash.to_string()),
        head: String::new(),
        files: Vec::new(),
        notes: notes(books, judged),
        not_promised: not_promised(choice.method, belief.counted, n_forgotten, held_back),
        seconds: BTreeMap::new(),
        earlier: earlier.map(|((one, _), it)| on_the_books(one, it)).collect(),
    }
}

/// What a person should know: what the books say, then what the method says.
fn notes(books: &Books, judged: &Judged) -> Vec<Message> {
    let made = judged.next.notes.iter().map(|note| note.as_str().into());
    books.notes.iter().cloned().chain(made).collect()
}

/// The figure of Abdalaal 2012, where its rule is about the method.
fn by_the_thesis(books: &Books, judged: &Judged) -> Option<f64> {
    let correlations =
        books.correlations.as_ref().filter(|_| books.choice.method == "rho-different")?;
    let before = books.history.releases.last()?.clone();
    let releases = vec![before, judged.findings.classes().release.clone()];
    let two = History { n_values: books.history.n_values, releases };
    thesis_rule(correlations, &two).map(|(highest, _)| highest)
}

fn goal(terms: &Terms, dataset: &Dataset, books: &Books) -> GoalAnswer {
    let method = books.choice.method;
    GoalAnswer {
        model: method.to_owned(),
        parameters: parameters(&terms.series, method),
        levels: BTreeMap::new(),
        vacuous: false,
        attribute: Some(dataset.sensitive()[0].name().to_owned()),
        buckets: form(dataset).map(str::to_owned),
        distance: None,
        holds: !books.is_weak,
        evidence: None,
        left_out: None,
        violating_classes: 0,
        violating_rows: 0,
        masked_classes: 0,
        members: None,
    }
}

fn risk(dataset: &Dataset, classes: &ClassSizes) -> RiskChange {
    let quasi = dataset.quasi();
    let groups = group(dataset.n_rows(), quasi.iter().map(|a| (a.codes(), a.n_codes())));
    let sizes: ClassSizes = groups.sizes().into_iter().map(u64::from).collect();
    RiskChange { original: ProsecutorAnswer::new(&sizes), release: ProsecutorAnswer::new(classes) }
}

/// Measures the release from what the judge read.
fn measured<T>(
    roles: &Roles,
    dataset: &Dataset,
    judged: &Judged,
    groups: &[u64],
    measure: impl FnOnce(&Measured<'_>) -> T,
) -> T {
    let (quasi, weights) = (dataset.quasi(), weights(roles, dataset));
    let read = judged.findings.classes();
    let of_rows = judged.next.class_of_row.iter();
    measure(&Measured {
        quasi: &quasi,
        weights: &weights,
        n_rows: dataset.n_rows() as u64,
        cells: &read.shown,
        sizes: &read.sizes,
        groups,
        n_suppressed: of_rows.filter(|&&class| class == ABSENT).count() as u64,
        k: groups.iter().copied().min().unwrap_or(1),
    })
}
