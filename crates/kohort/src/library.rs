//! What a program asks about tables in memory, each in one call. Making and judging releases is in
//! [`crate::release`].

use kohort_core::Table;

use crate::attack::{Answer, Given, Publication};
use crate::compare::{Caller, Comparison, Grid};
use crate::context::clock;
use crate::diagnose::{Diagnosis, Question};
use crate::goal::principles;
use crate::load::{Loaded, assign_roles, load_table};
use crate::nested::{Described, NestedComparison, NestedGrid};
use crate::plan::Plan;
use crate::release::Published;
use crate::series::{SeriesOrder, SeriesReceipt};
use crate::{Cx, Stop};

/// Reads the table of a plan: a file, or rows of a database.
///
/// # Errors
/// When it is not there or is no table, or the context was cancelled.
pub fn read(plan: &Plan, cx: &Cx) -> Result<Loaded<Table>, Stop> {
    cx.run(None, |ctx| Ok(load_table(plan, &|done, total| ctx.progress("reading", done, total))?))
}

/// Which k, l and t a table has already, and whatever else is asked about it.
///
/// ```
/// use kohort::diagnose::Question;
/// use kohort::plan::Plan;
/// use kohort::{Cx, Table};
///
/// let rows = [["31", "flu"], ["31", "gout"], ["52", "flu"]];
/// let table = Table::from_rows(["age", "disease"], rows)?;
/// let plan = Plan::new().quasi(["age"]).sensitive(["disease"]);
/// let found = kohort::diagnose(&table, &plan, &Question::default(), &Cx::default())?;
/// assert_eq!(found.k, 1);
/// # Ok::<(), kohort::Stop>(())
/// ```
///
/// # Errors
/// When the plan does not fit the table, the question has no answer, or the context was cancelled.
pub fn diagnose(
    table: &Table,
    plan: &Plan,
    question: &Question,
    cx: &Cx,
) -> Result<Diagnosis, Stop> {
    diagnose_in(table, plan, question, None, cx)
}

/// The same for a table whose people are some of a population: who else looks like them?
///
/// # Errors
/// As [`diagnose`]; and where the population lacks a quasi-identifier.
pub fn diagnose_in(
    table: &Table,
    plan: &Plan,
    question: &Question,
    population: Option<&Table>,
    cx: &Cx,
) -> Result<Diagnosis, Stop> {
    let goal = principles(&plan.goal)?;
    cx.run(plan.method.budget()?, |ctx| {
        let dataset = assign_roles(plan, table.clone())?.value;
        let found = crate::diagnose::diagnose(&dataset, question, &goal, population, ctx);
        ctx.check()?;
        Ok(found?)
    })
}

/// Runs every attack that a release and the table it was made from allow: what an adversary learns, and
/// whether a promise of the plan is refuted.
///
/// # Errors
/// When the plan does not fit the tables, or the context was cancelled.
pub fn attack<'a>(
    release: impl Into<Published<'a>>,
    plan: &Plan,
    original: Option<&Table>,
    cx: &Cx,
) -> Result<Answer, Stop> {
    let Published { table, values } = release.into();
    cx.within(|| {
        let Loaded { value: release, notes } = Publication::of_tables(plan, table, values)?;
        let given = Given { original: original.cloned(), ..Given::new(plan, release) };
        let mut answer = attack_with(given, cx)?;
        answer.notes.splice(0..0, notes);
        Ok(answer)
    })
}

/// Runs every attack that what is given allows: other releases, a public table, what an adversary knows.
///
/// # Errors
/// As [`attack`].
pub fn attack_with(given: Given<'_>, cx: &Cx) -> Result<Answer, Stop> {
    cx.run(None, |ctx| {
        let found = crate::attack::attack(given, ctx);
        ctx.check()?;
        Ok(found?)
    })
}

/// Makes a release by each algorithm and each level, and measures them side by side.
///
/// # Errors
/// When the plan does not fit the table, or the context was cancelled.
pub fn compare(table: &Table, plan: &Plan, grid: &Grid, cx: &Cx) -> Result<Comparison, Stop> {
    let clock = clock();
    cx.run(None, |ctx| {
        let dataset = assign_roles(plan, table.clone())?.value;
        let progress = |done, total| ctx.progress("compare", done, total);
        let caller = Caller { clock: &clock, progress: &progress, note: &|_| {} };
        let found = crate::compare::compare(plan, &dataset, grid, caller);
        ctx.check()?;
        Ok(found?)
    })
}

/// The same for records inside records. The secret is the context's.
///
/// # Errors
/// When the plan does not fit the records, or the context was cancelled.
pub fn compare_nested(
    records: &Described,
    plan: &Plan,
    grid: &NestedGrid,
    cx: &Cx,
) -> Result<NestedComparison, Stop> {
    let clock = clock();
    let grid = NestedGrid { secret: cx.secret()?, ..grid.clone() };
    cx.run(None, |ctx| {
        let progress = |done, total| ctx.progress("compare", done, total);
        let caller = Caller { clock: &clock, progress: &progress, note: &|_| {} };
        let found = crate::nested::compare(plan, records, &grid, caller);
        ctx.check()?;
        Ok(found?)
    })
}

/// Makes the next release of a series, judges it against everything published before, and puts it in place
/// and on the books. Who cancels after that has a release all the same, and its receipt.
///
/// # Errors
/// When the plan does not fit the table or the ledger, or the context was cancelled: then nothing is written.
pub fn publish(order: &SeriesOrder<'_>, table: &Table, cx: &Cx) -> Result<SeriesReceipt, Stop> {
    cx.run(None, |ctx| {
        let Loaded { value: dataset, notes } = assign_roles(order.plan, table.clone())?;
        let mut receipt = crate::series::publish(order, &dataset, ctx)?;
        receipt.notes.splice(0..0, notes);
        Ok(receipt)
    })
}
