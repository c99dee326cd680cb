//! The next release of a series: made against the books, written beside its target, read back, judged
//! against everything published before, and only then there and on the books.

use std::path::{Path, PathBuf};

use kohort_algorithms::Space;
use kohort_core::{Ctx, Dataset, History, Message, Setting, message, to_the_end, until_cancelled};
use kohort_io::{Format, Options, Staged, read_table, uninterrupted};
use kohort_ledger::{Counterfeit, Entry, Ledger, Published, Publishing, Secret};
use kohort_models::series::{ClassBox, Correlations, SeriesModel};
use kohort_series::{Changed, Choice, Failure, Next, Turn, refusal};
use kohort_verify::series::{
    self as judge, SeriesClaims, SeriesEvidence, SeriesFindings, SeriesReason, SeriesRejected,
    SeriesVerified,
};

use super::SeriesReceipt;
use super::books::found_at_opening;
use super::buckets::{self, refuse_quantiles, shown_in_buckets};
use super::correlations::correlations;
use super::figures::Figures;
use super::files::{DiskFiles, keep, keep_report, stage, targets};
use super::held_back::{counterfeits_instead, no_held_back, takes_counterfeits};
use super::kept_head::KeptHead;
use super::method::{Past, chosen, is_opaque, maker};
use super::parameters::{self, parameters};
use super::past_boxes::earlier;
use super::people::{People, in_order_of_keys, key};
use super::promise::Earlier;
use super::promise_change::changed_promise;
use super::reasons::worded;
use super::record::{entry, receipt};
use super::render::{Rendered, render};
use super::warnings::{self, refuse_others};
use crate::error::refused;
use crate::job::{Job, Terms};
use crate::load::{missing_in_series, refuse_stars};
use crate::permit::{AllowUnsafe, Permit, publish_recorded};
use crate::plan::{Plan, SeriesPlan, SurplusName};
use crate::release::{GROUP, No};
use crate::{Error, Kind, Stop};

/// What is asked for.
pub struct SeriesOrder<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The series.
    pub series: &'a str,
    /// The ledger, which is made where there is none: an absolute path.
    pub ledger: &'a Path,
    /// What opens it.
    pub secret: &'a Secret,
    /// Where its head is kept outside of it.
    pub head: &'a KeptHead,
    /// Where the release with this number goes: an absolute path.
    pub target: &'a (dyn Fn(u32) -> PathBuf + Sync),
    /// Where the report about the release with this number goes, where one is asked for.
    pub report: &'a (dyn Fn(u32) -> Option<PathBuf> + Sync),
    /// Whether files that are there are overwritten.
    pub force: bool,
    /// Files that are read, and never overwritten; the ledger is another.
    pub inputs: &'a [PathBuf],
    /// The time: seconds since 1970.
    pub now: i64,
}

/// What the release is made of and judged with, as the books have it.
pub(super) struct Books {
    pub(super) people: People,
    pub(super) history: History,
    pub(super) figures: Vec<Figures>,
    pub(super) correlations: Option<Correlations>,
    pub(super) changed: Changed,
    pub(super) choice: Choice,
    /// What was promised so far and what holds from here on, where that is less or something else.
    pub(super) promise_changed: Option<String>,
    pub(super) columns: Vec<String>,
    /// The sensitive column of each release, that of the next one last.
    pub(super) sensitive: Vec<String>,
    /// Whether an earlier release does not keep the promise, and that was accepted.
    pub(super) is_weak: bool,
    /// Whether people are held back whose values do not keep the promise, and that was allowed.
    pub(super) is_unsafe: bool,
    pub(super) next_id: u32,
    pub(super) notes: Vec<Message>,
}

/// A release that was made, staged, read back and judged.
struct Made {
    next: Next,
    rendered: Rendered,
    staged: Vec<Staged>,
    verdict: Result<SeriesVerified, SeriesRejected>,
}

/// A release that may be published.
pub(super) struct Judged {
    pub(super) next: Next,
    pub(super) rendered: Rendered,
    pub(super) staged: Vec<Staged>,
    pub(super) findings: SeriesFindings,
    permit: Permit,
}

/// An order whose plan was resolved.
pub(super) struct SeriesJob<'a> {
    pub(super) order: &'a SeriesOrder<'a>,
    pub(super) job: Job,
}

/// Makes the next release of a series, judges the bytes against the whole history, and puts it in place and
/// on the books. The answer is no when a promise cannot be kept: then nothing is written.
pub fn publish(
    order: &SeriesOrder<'_>,
    dataset: &Dataset,
    ctx: &Ctx<'_>,
) -> Result<SeriesReceipt, Stop> {
    let series = &SeriesJob { order, job: Job::new(order.plan)? };
    let terms = &series.job.terms;
    require(terms, dataset)?;
    let dataset = &shown_in_buckets(dataset)?;
    let dataset = &in_order_of_keys(dataset, key(terms, dataset)?)?;
    ctx.step("open");
    let mut ledger = open_or_create(order)?;
    if let Some(no) = order.head.older_copy(&ledger, order.ledger)? {
        return Err(no.into());
    }
    let mut found = found_at_opening(&ledger, order.ledger);
    if ledger.names()?.iter().any(|name| name == order.series) {
        found.extend(order.head.unknown(&ledger)?);
    }
    let mut publishing = ledger.begin(order.series)?;
    let recorded = || {
        let (books, judged, target) = prepare(series, dataset, &mut publishing, ctx)?;
        ctx.step("record");
        let receipt = receipt(series, dataset, (&publishing, &books), &judged);
        let files = targets(&target, judged.staged.len());
        let of_books = (&publishing, &books);
        let entry = entry(&series.job, dataset, of_books, &judged, (&files, &receipt))?;
        Ok::<_, Stop>((judged, receipt, files, entry))
    };
    // Whoever tries has seen what the books say of the table, also where it was cancelled.
    let answer = until_cancelled(recorded).unwrap_or(Err(Stop::Cancelled));
    let (judged, mut receipt, files, entry) = match answer {
        Ok(recorded) => recorded,
        Err(Stop::No(no)) => {
            publishing.abandon(&no.problem)?;
            return Err(no.into());
        }
        Err(stop) => {
            // The reason is what is returned.
            let _ = to_the_end(|| publishing.abandon(&stop.to_string()));
            return Err(stop);
        }
    };
    let published = put_on_the_books(publishing, &entry, judged.staged, judged.permit)?;
    let Published { release, entry, head } = published;
    receipt.release = release;
    (receipt.entry, receipt.head) = (entry.to_string(), head.to_string());
    receipt.files = files.iter().map(|file| file.display().to_string()).collect();
    receipt.notes.splice(0..0, found);
    let kept = to_the_end(|| order.head.keep(&ledger));
    receipt.notes.extend(not_kept(kept).into_iter().map(Message::from));
    Ok(receipt)
}

/// What to know where the head could not be kept: the release is published all the same.
pub(super) fn not_kept(kept: Result<(), Error>) -> Option<String> {
    let error = kept.err()?;
    Some(format!("the head of the ledger could not be kept outside of it ({error}): note it down"))
}

/// Records a release and puts its files in their places. Between the two the files are the ledger's to
/// settle, and neither a signal nor a failure removes them.
fn put_on_the_books(
    publishing: Publishing<'_>,
    entry: &Entry,
    mut staged: Vec<Staged>,
    permit: Permit,
) -> Result<Published, Error> {
    let _uninterrupted = uninterrupted();
    // Whoever completes this release finds files that can be read by whoever may.
    for file in &staged {
        file.set_permissions().map_err(|source| {
            kohort_io::Error::new(kohort_io::Kind::Write {
                path: file.path().display().to_string(),
                source,
            })
        })?;
    }
    let mut is_recorded = false;
    let published = publishing.commit(entry, || {
        is_recorded = true;
        publish_recorded(&mut staged, permit).map_err(Into::into)
    });
    if published.is_err() && is_recorded {
        staged.into_iter().for_each(Staged::leave);
    }
    Ok(published?)
}

/// Refuses what no release of a series can be made of, before the ledger is touched.
fn require(terms: &Terms, dataset: &Dataset) -> Result<(), Error> {
    key(terms, dataset)?;
    refuse_quantiles(&terms.roles)?;
    if terms.transparent == Some(true) {
        return Err(refused(
            "a release of a series has no transparent mode",
            "leave `transparent` out: its promises are about an adversary who does not make the release again",
        ));
    }
    if dataset.quasi().is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let n_sensitive = dataset.sensitive().len();
    if n_sensitive != 1 {
        return Err(refused(
            format!("a series has one sensitive attribute, but the plan names {n_sensitive}"),
            "give the others the role `identifier`, which leaves them out, or a series of their own",
        ));
    }
    missing_in_series(dataset.table(), dataset.sensitive()[0].name(), &terms.roles)?;
    refuse_stars(dataset)?;
    refuse_spellings(dataset)?;
    if dataset.table().column(GROUP).is_ok() {
        return Err(refused(
            format!(
                "a release of a series has a column `{GROUP}` of its own, and the table has one"
            ),
            "rename the column of the table",
        ));
    }
    Ok(())
}

/// Refuses a sensitive value that is written in several ways: a series counts texts.
fn refuse_spellings(dataset: &Dataset) -> Result<(), Error> {
    let (table, attribute) = (dataset.table(), dataset.sensitive()[0].exact());
    let texts = table.column(attribute.name())?.dictionary().iter();
    let n_texts = texts.filter(|text| !table.missing().is(text)).count();
    let n_values = attribute.n_codes() as usize - usize::from(attribute.missing().is_some());
    // The labels of buckets are written in one way.
    if n_texts == n_values || dataset.sensitive()[0].buckets().is_some() {
        return Ok(());
    }
    Err(refused(
        format!("column `{}` writes one value in several ways", attribute.name()),
        "write every sensitive value in one way: what looks the same must not count as two",
    ))
}

fn open_or_create(order: &SeriesOrder<'_>) -> Result<Ledger, Error> {
    let SeriesOrder { ledger, secret, now, .. } = *order;
    if kohort_io::is_there(ledger) {
        return Ok(Ledger::open(ledger, secret, Box::new(DiskFiles), now)?);
    }
    // For an instant a new ledger has a second name, which no signal may leave behind.
    let _uninterrupted = uninterrupted();
    match Ledger::create(ledger, secret, Box::new(DiskFiles), now) {
        // Somebody else was faster.
        Err(error) if matches!(error.kind(), kohort_ledger::Kind::Exists) => {
            Ok(Ledger::open(ledger, secret, Box::new(DiskFiles), now)?)
        }
        created => Ok(created?),
    }
}

type Prepared = (Books, Judged, PathBuf);

/// Everything up to the moment at which the release is recorded.
fn prepare(
    series: &SeriesJob<'_>,
    dataset: &Dataset,
    publishing: &mut Publishing<'_>,
    ctx: &Ctx<'_>,
) -> Result<Prepared, Stop> {
    let (order, asked) = (series.order, &series.job.terms.series);
    let target = (order.target)(publishing.number());
    let format = Format::of(&target)?;
    keep(&target, order)?;
    keep_report((order.report)(publishing.number()).as_deref(), &target, order)?;
    ctx.step("history");
    let mut books = books(&series.job, dataset, publishing)?;
    let method = books.choice.method;
    let past_of = |boxes: &[Vec<ClassBox>]| past(publishing, &books, boxes);
    let (_, model) = maker((asked, is_opaque(&series.job.terms)), method, past_of(&[])?)?;
    let boxes = if model.compares_boxes() {
        earlier(publishing, &books.figures, dataset)?
    } else {
        Vec::new()
    };
    match accepted(asked, publishing, &books, (model, &boxes)) {
        Ok(weakness) => {
            books.is_weak = weakness.is_some();
            books.notes.extend(weakness.into_iter().map(Message::from));
        }
        Err(no) => return Err(no.into()),
    }
    let workshop =
        Workshop { series, dataset, publishing, boxes: &boxes, model, target: (&target, format) };
    let mut made = workshop.made(&books, asked, ctx)?;
    let discloses_held_back = made
        .verdict
        .as_ref()
        .is_err_and(|rejected| matches!(rejected.reason(), SeriesReason::HeldBack { .. }));
    // Nobody asked for people to be held back: they are published beside counterfeits.
    if discloses_held_back && asked.surplus.is_none() && takes_counterfeits(method) {
        let surplus = Some(SurplusName::Counterfeits);
        let plan = SeriesPlan { surplus, ..asked.clone() };
        drop(made);
        made = workshop.made(&books, &plan, ctx)?;
        books.notes.push(counterfeits_instead());
    }
    let judged = permitted(made, series.job.terms.allow_unsafe, &mut books)?;
    Ok((books, judged, target))
}

/// The release, where the judge or the plan allows to publish it.
fn permitted(made: Made, allowed: AllowUnsafe, books: &mut Books) -> Result<Judged, Stop> {
    let Made { next, rendered, staged, verdict } = made;
    let (findings, permit) = match verdict {
        Ok(verified) => {
            let permit = Permit::of_series(&verified);
            (verified.into_findings(), permit)
        }
        Err(rejected) => {
            let why = worded(rejected.reason());
            let permit = Permit::of_unsafe_series(&rejected, allowed);
            match (rejected.into_findings(), permit) {
                (Some(findings), Some(permit)) => {
                    books.notes.push(message!("not safe: {why}"));
                    books.is_unsafe = true;
                    (findings, permit)
                }
                (Some(_), None) => return Err(no_held_back(why).into()),
                (None, _) => {
                    return Err(No {
                        problem:
                            "the release that was made does not keep its promise, and nothing \
                                  was written"
                                .into(),
                        causes: vec![why],
                        hint: "try another method, or ask for less".into(),
                        ..No::default()
                    }
                    .into());
                }
            }
        }
    };
    Ok(Judged { next, rendered, staged, findings, permit })
}

/// What a release is made and judged with.
struct Workshop<'a, 'p> {
    series: &'a SeriesJob<'a>,
    dataset: &'a Dataset,
    publishing: &'a Publishing<'p>,
    boxes: &'a [Vec<ClassBox>],
    model: SeriesModel,
    target: (&'a Path, Format),
}

impl Workshop<'_, '_> {
    /// Makes a release by a plan, reads its files back as anybody would, and judges them.
    fn made(&self, books: &Books, plan: &SeriesPlan, ctx: &Ctx<'_>) -> Result<Made, Stop> {
        let Self { series, dataset, publishing, boxes, model, target: (target, format) } = *self;
        let method = books.choice.method;
        let plan = (plan, is_opaque(&series.job.terms));
        let (maker, _) = maker(plan, method, past(publishing, books, boxes)?)?;
        ctx.step("make");
        let next = made(series, dataset, (books, publishing.secret(DRAWS)), ctx, &*maker)?;
        ctx.step("write");
        let values = (publishing.domain(), &books.people.value_of_row[..]);
        let counts = model.counts_counterfeits();
        let rendered = render(dataset, &next, values, counts, publishing.secret(ORDER));
        let staged = stage(target, format, &rendered)?;
        ctx.step("verify");
        let missing = dataset.table().missing().clone();
        let options = Options { missing, ..Options::as_written(format) };
        let mut tables = Vec::new();
        for file in &staged {
            tables.push(read_table(&file.path().to_string_lossy(), &options, &|_, _| {})?.table);
        }
        let claims = SeriesClaims {
            model,
            history: &books.history,
            is_history_broken: books.is_weak,
            believed: books.figures.last().map(Figures::belief),
            boxes,
            sensitive: &books.sensitive,
            correlations: books.correlations.as_ref(),
        };
        let evidence = SeriesEvidence {
            original: dataset,
            person_of_row: &books.people.person_of_row,
            value_of_row: &books.people.value_of_row,
            domain: publishing.domain(),
            certificate: &rendered.rows,
        };
        let verdict = judge::verify((&tables[0], tables.get(1)), &claims, &evidence)?;
        Ok(Made { next, rendered, staged, verdict })
    }
}

/// Reads what the books say, and chooses the method for what changed.
fn books(job: &Job, dataset: &Dataset, publishing: &mut Publishing<'_>) -> Result<Books, Stop> {
    let (terms, table) = (&job.terms, dataset.table());
    let sensitive = dataset.sensitive()[0].name();
    let people = People::number(publishing, key(terms, dataset)?, table.column(sensitive)?);
    let found = correlations(terms, publishing, sensitive)?;
    let (correlations, found) = found.map_or((None, Vec::new()), |(c, n)| (Some(c), n));
    let mut notes: Vec<Message> = found.into_iter().map(Message::from).collect();
    let past = publishing.past();
    let figures = Figures::all(publishing)?;
    let quasi = dataset.quasi().into_iter().map(kohort_core::Attribute::name);
    let columns: Vec<String> = quasi.chain([sensitive]).map(str::to_owned).collect();
    Figures::keep_roles(&figures, &columns)?;
    buckets::keep(publishing.releases(), &figures, &columns, dataset)?;
    let given = (&columns[..], correlations.is_some());
    let so_far = publishing.releases().last().map(|(release, _)| release);
    let n_before = so_far.map_or(0, |release| release.n_people);
    let method_so_far = so_far.map(|release| &*release.facts.principle);
    let changed = people.changed((past, n_before), &figures, given, method_so_far);
    let choice = chosen(&terms.series, &changed)?;
    parameters::require(&terms.series, &choice, &changed)?;
    refuse_others(dataset, past, &changed)?;
    let now = (choice.method, &*parameters(&terms.series, choice.method));
    let why = changed.method_so_far.and_then(|so_far| refusal(so_far, &changed));
    let promise_changed = changed_promise(publishing.releases(), now, why);
    notes.extend(promise_changed.clone().map(Message::from));
    notes.extend(parameters::unused(&terms.series, choice.method).map(Message::from));
    notes.extend(warnings::notes(&terms.roles, dataset, past, &changed));
    notes.extend(buckets::note(dataset).map(Message::from));
    if let (Some(correlations), "rho-different") = (&correlations, choice.method) {
        notes.extend(people.ruled_out(correlations, past, publishing.number()).map(Message::from));
    }
    let next_id: Option<[u8; 4]> = publishing.state(NEXT_ID)?.and_then(|s| s.try_into().ok());
    let of_release = |columns: &[String]| columns.last().cloned().unwrap_or_default();
    let all = figures.iter().map(|it| &it.columns).chain([&columns]);
    Ok(Books {
        sensitive: all.map(|columns| of_release(columns)).collect(),
        is_weak: false,
        is_unsafe: false,
        people,
        history: past.history.clone(),
        figures,
        correlations,
        changed,
        choice,
        promise_changed,
        columns,
        next_id: next_id.map_or(0, u32::from_le_bytes),
        notes,
    })
}

/// What the maker needs of the earlier releases.
fn past<'b>(
    publishing: &Publishing<'_>,
    books: &'b Books,
    boxes: &[Vec<ClassBox>],
) -> Result<Past<'b>, Error> {
    let own = books.sensitive.last();
    let earlier = books.sensitive.iter().take(books.figures.len());
    Ok(Past {
        correlations: books.correlations.as_ref(),
        earlier: boxes.to_vec(),
        is_alike: earlier.map(|name| Some(name) == own).collect(),
        standing: standing(publishing, books.choice.method)?,
        next_id: books.next_id,
    })
}

/// Whether an earlier release does not keep the promise, where that was accepted.
fn accepted(
    asked: &SeriesPlan,
    publishing: &Publishing<'_>,
    books: &Books,
    (model, boxes): (SeriesModel, &[Vec<ClassBox>]),
) -> Result<Option<String>, No> {
    Earlier {
        plan: asked,
        method: books.choice.method,
        model,
        releases: publishing.releases(),
        history: &books.history,
        boxes,
        sensitive: &books.sensitive,
        correlations: books.correlations.as_ref(),
    }
    .weakness()
}

/// The name under which the ledger has the number of the next counterfeit.
pub(super) const NEXT_ID: &str = "next counterfeit";

/// The counterfeits of the last release, for the method that shows them again.
fn standing(
    publishing: &Publishing<'_>,
    method: &str,
) -> Result<Vec<kohort_series::Counterfeit>, Error> {
    let last = publishing.number() - 1;
    if method != "rho-different" || last == 0 {
        return Ok(Vec::new());
    }
    let mut standing = Vec::new();
    for (class, row) in (0..).zip(publishing.classes(last)?) {
        let of_class = row.counterfeits.iter();
        standing.extend(of_class.map(|&Counterfeit { id, value }| kohort_series::Counterfeit {
            class,
            value,
            id,
        }));
    }
    Ok(standing)
}

/// What the secrets of a release are for: its draws, and the order of its rows.
const DRAWS: &str = "draws";
const ORDER: &str = "order";

/// Makes the release.
fn made(
    series: &SeriesJob<'_>,
    dataset: &Dataset,
    (books, secret): (&Books, [u8; 32]),
    ctx: &Ctx<'_>,
    maker: &dyn kohort_series::SeriesMethod,
) -> Result<Next, Stop> {
    let settings = series.job.on(dataset, None, secret)?.settings;
    let space = Space::new(&dataset.quasi(), settings.metric.cells(), &settings.weights);
    let turn = Turn {
        data: dataset,
        space: &space,
        person_of_row: &books.people.person_of_row,
        value_of_row: &books.people.value_of_row,
        history: &books.history,
        secret,
    };
    let made = maker.make(ctx, &turn);
    ctx.check()?;
    match made {
        Ok(mut next) => {
            if maker.spec().id != "rho-different" {
                next.counterfeits.iter_mut().for_each(|it| it.id += books.next_id);
            }
            Ok(next)
        }
        Err(Failure::Infeasible { reason }) => Err(No {
            problem: format!("`{}` finds no release, and nothing was written", maker.spec().id),
            causes: vec![reason],
            hint: hint(maker.spec().id),
            ..No::default()
        }
        .into()),
    }
}

/// What may help where a method finds no release.
fn hint(method: &str) -> Message {
    if matches!(method, "m-invariance" | "e-equivalence" | "global-guarantee") {
        message!(
            "ask for less, or for people whose value is too frequent try {}",
            Setting::Surplus.to("counterfeits")
        )
    } else {
        "ask for less".into()
    }
}
