//! Our own default: near rows are clustered in small pools, then the rows of neighboring classes are
//! divided anew wherever that costs less.
//!
//! # Guarantee
//! Every class keeps every promise, at any moment of the search: it can be stopped whenever the caller
//! likes. The lower bound holds for every release that keeps the same promises.
//!
//! # Method
//! 1. Units: rows that agree on the quasi-identifiers (and on the sensitive values that promises look
//!    at) are one thing with a number of rows, which can be split.
//! 2. Starts: classes peeled off in the order of what they cost (`peel.rs`); and the classes of Mondrian, or of
//!    bucket clustering (and of Mondrian too) where sensitive values must be spread, whose neighbors are pooled, and the rows of each
//!    pool divided anew, greedily (`start.rs`). A small table is also searched from what other methods make of
//!    it, and from what is found for a stricter goal (`small.rs`). Those that lose far more than the best are left. Where a promise is not monotone and the
//!    table as one class does not keep it, sensitive values are told apart first (`apart.rs`).
//! 3. A pass (`pass.rs`) sorts the classes by their corners, the axes in random order, and cuts the line
//!    into blocks. In each block rows move to cheaper classes, classes dissolve into others, rows are
//!    exchanged, classes give up whole sides of their boxes (`shrink.rs`), and the rows of neighboring classes are pooled and divided anew (`pool.rs`, and `carve.rs`
//!    where the values of several sensitive attributes must be spread); what does not gain is undone. Blocks are independent: the result is the same with any number of threads.
//! 4. Passes are repeated as often as the number of rows allows and, up to eight times as often, as long as
//!    they gain. Where the caller says how long to search, passes go on after all of the steps until then
//!    (`longer`): what was found is never given up for what loses more.
//! 5. Where rows may be dropped, those are that cost their neighbors more than their own loss, one by one and
//!    several together (`drop.rs`, `outliers.rs`). Where the best full-domain generalization is found quickly
//!    and loses less, the search begins anew from it.
//! 6. Where LKC-privacy asks for less than all columns, the best full-domain generalization is taken if it
//!    loses less and is found quickly (`whole.rs`).
//! 7. The search knows costs of cells. Where another metric is asked for, what it finds is compared with what
//!    other methods make, and the best in that metric is taken (`sizes.rs`).
//! 8. The bound (`bound.rs`): a row in a class of k rows pays at least for the nearest rows that can
//!    make up such a class.
//!
//! # Cost
//! A pass is O(n · d) for fixed k; memory a few numbers per row and axis.
//!
//! # Deviations
//! none
//!
//! # References
//! The pools are clustered in the manner of Byun et al., DASFAA 2007; dividing pools anew is large
//! neighborhood search (Shaw, CP 1998).

mod bound;
mod carve;
mod class;
mod classes;
mod drop;
mod nonmonotone_start;
mod outliers;
mod pass;
mod peel;
mod pool;
mod shrink;
mod sizes;
mod small;
mod start;
#[cfg(test)]
mod tests;
mod units;
mod whole;

use kohort_core::{Ctx, Spec};

use self::bound::{limits, lower_bound};
use self::class::{Class, Entry, Ground};
use self::classes::Classes;
use self::drop::drop_rows;
use self::nonmonotone_start::told_apart;
use self::pass::pass;
use self::peel::peeled;
use self::pool::bring_back;
use self::sizes::of_least_size;
use self::small::{more_starts, of_stricter};
use self::start::{classes_of, is_boxed, pooled, start};
use self::whole::{better, dropping, loss, whole_domain};
use crate::merge_equal_cells::join_alike;
use crate::mondrian::Mondrian;
use crate::{Algorithm, Candidate, Facts, Failure, Metric, Problem, SUPPRESSED};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "auto",
    title: "auto",
    paper: "kohort",
    promise: "the smallest loss found in the available time, with a lower bound on what is \
              possible",
    parameters: &[],
};

/// The default algorithm.
pub(crate) struct Auto;

impl Algorithm for Auto {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let whole = whole_domain(ctx, problem);
        let ground = Ground::new(problem);
        let (mut states, sure) = started(ctx, &ground)?;
        if let Some(classes) = peeled(ctx, &ground) {
            states.push(State { classes, left: Vec::new() });
        }
        states.extend(more_starts(ctx, &ground));
        states.extend(of_mondrian(ctx, &ground));
        states.extend(of_stricter(ctx, &ground));
        let states = hopeful(&ground, states);
        let found = from_dropping(ctx, problem, improved(ctx, ground, states, true));
        let found = better(problem, longer(ctx, problem, found, true), whole);
        let found = of_least_size(ctx, problem, found);
        Ok(match sure {
            Some(sure) => joined_or(problem, found, sure),
            None => found,
        })
    }
}

/// Where a search starts. Classes may keep a promise that is not monotone though the whole table as one does
/// not. What a search makes of such classes may look alike and be no release: there is one that is.
fn started(
    ctx: &Ctx<'_>,
    ground: &Ground<'_, '_>,
) -> Result<(Vec<State>, Option<Candidate>), Failure> {
    let failure = match start(ctx, ground) {
        Ok(classes) => return Ok((vec![State { classes, left: Vec::new() }], None)),
        Err(failure) => failure,
    };
    let problem = ground.problem;
    if problem.promises().is_monotone() || problem.n_rows() < problem.smallest() {
        return Err(failure);
    }
    let made: Vec<Candidate> =
        told_apart(ground).into_iter().chain(whole::best(ctx, problem)).collect();
    let states = made.iter().map(|made| State::of(ground, made)).collect();
    match made.into_iter().next() {
        Some(sure) => Ok((states, Some(sure))),
        None => Err(Failure::infeasible(nonmonotone_start::NONE)),
    }
}

/// Mondrian's classes with their rows divided anew, where the start is not from them.
fn of_mondrian(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Option<State> {
    if !ground.needs_values || ground.problem.n_sets() > 0 {
        return None;
    }
    let made = Mondrian { is_relaxed: false }.anonymize(ctx, ground.problem).ok()?;
    let State { classes, left } = State::of(ground, &made);
    Some(State { classes: pooled(ctx, ground, &classes), left })
}

/// The starts from which a search may still end below all others: those that lose little more than the best.
fn hopeful(ground: &Ground<'_, '_>, states: Vec<State>) -> Vec<State> {
    let losses: Vec<f64> = states.iter().map(|state| state.loss(ground)).collect();
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let is_hopeful = |(_, loss): &(State, f64)| *loss <= HOPE * least;
    states.into_iter().zip(losses).filter(is_hopeful).map(|(state, _)| state).collect()
}

/// What was found with classes that look alike joined, or the release that is sure where that loses less.
fn joined_or(problem: &Problem<'_>, found: Candidate, sure: Candidate) -> Candidate {
    let lower_bound = found.lower_bound;
    match join_alike(problem, found) {
        Ok(joined) if loss(problem, &joined) <= loss(problem, &sure) => joined,
        _ => Candidate { lower_bound, ..sure },
    }
}

/// What was found, or the search from the best full-domain generalization that drops rows, where that loses
/// less.
fn from_dropping(ctx: &Ctx<'_>, problem: &Problem<'_>, found: Candidate) -> Candidate {
    if ctx.should_stop() {
        return found;
    }
    match dropping(ctx, problem) {
        Some(whole) if loss(problem, &whole) < loss(problem, &found) => {
            let ground = Ground::new(problem);
            let state = State::of(&ground, &whole);
            improved(ctx, ground, vec![state], true)
        }
        _ => found,
    }
}

/// The search from a release, and from the start of `auto` where it has one: after some passes the one
/// that loses less goes on. It drops no row that the start did not.
pub(crate) fn search_from(ctx: &Ctx<'_>, problem: &Problem<'_>, given: &Candidate) -> Candidate {
    let ground = Ground::new(problem);
    let State { classes, left } = State::of(&ground, given);
    let mut states = vec![State { classes: pooled(ctx, &ground, &classes), left }];
    if let Ok(classes) = start(ctx, &ground) {
        states.push(State { classes, left: Vec::new() });
    }
    let found = improved(ctx, ground, states, false);
    longer(ctx, problem, found, false)
}

/// What was found, or what further passes make of it until the caller says stop, where that is asked for. The
/// search up to here is the one without a time limit: with one that is long enough, no release loses more.
fn longer(ctx: &Ctx<'_>, problem: &Problem<'_>, found: Candidate, may_drop: bool) -> Candidate {
    if !problem.settings().until_stopped || ctx.should_stop() {
        return found;
    }
    let ground = Ground::new(problem);
    let mut state = State::of(&ground, &found);
    let mut number = FURTHER;
    while !ctx.should_stop() {
        ctx.progress("searching", 0, 0);
        state.bring_back(&ground);
        state.classes = pass(ctx, &ground, &state.classes, number);
        number += 1;
    }
    state.bring_back(&ground);
    if may_drop {
        let n_left = state.n_left();
        state.classes = drop_rows(ctx, &ground, state.classes, n_left, number);
    }
    let group_of_row = group_of_row(&ground, &state.classes);
    let made = Candidate::of_numbered(problem, group_of_row, state.classes.len());
    // What a reader takes for one class may break a promise that is not monotone.
    let is_release = problem.promises().is_monotone() || join_alike(problem, made.clone()).is_ok();
    if is_release && loss(problem, &made) < loss(problem, &found) {
        Candidate { lower_bound: found.lower_bound, notes: found.notes, ..made }
    } else {
        found
    }
}

/// Where a search stands: its classes, and the rows in none.
struct State {
    classes: Classes,
    left: Vec<Entry>,
}

impl State {
    /// The classes of a release and the rows it suppresses.
    fn of(ground: &Ground<'_, '_>, given: &Candidate) -> Self {
        let (classes, left) = classes_of(ground, &given.group_of_row);
        Self { classes, left }
    }

    /// The number of rows in no class.
    fn n_left(&self) -> u32 {
        self.left.iter().map(|entry| entry.n_rows).sum()
    }

    /// A row in no class loses 1.
    fn loss(&self, ground: &Ground<'_, '_>) -> f64 {
        self.classes.loss(ground) + f64::from(self.n_left())
    }

    /// Rows in no class come back where they lose less than 1.
    fn bring_back(&mut self, ground: &Ground<'_, '_>) {
        if self.left.is_empty() {
            return;
        }
        let mut classes: Vec<Class> = self.classes.iter(ground).collect();
        self.left = bring_back(ground, &mut classes, std::mem::take(&mut self.left));
        self.classes = classes.into_iter().collect();
    }
}

/// What is said where there was no time for a pass.
const TOO_SHORT: &str =
    "the time was over before the search began: this is the release that it starts from";

/// What is said where there was no time for all of the search that is made without a limit.
const SHORT: &str = "the time was over before the search ended that is made without a time limit, which may lose \
                     less";

/// The number of the first pass after those that are made without a time limit: others have looked at other
/// neighbors.
const FURTHER: u64 = 1 << 20;

/// A start that loses this many times what the best does is left.
const HOPE: f64 = 1.05;

/// Searches from several starts go on together for this many passes, or half of all.
const RACE: u64 = 8;

/// At most this many times the passes that are made in any case are made while they gain.
const MORE: u64 = 8;

/// So many passes more are made while they gain this share of the loss: what they gain decides, not a clock.
const WINDOW: u64 = 4;
const LEAST_GAIN: f64 = 0.0012;

/// Steps 3 to 5 and 8, from one start or several; step 5 only where rows may be dropped.
fn improved(
    ctx: &Ctx<'_>,
    ground: Ground<'_, '_>,
    mut states: Vec<State>,
    may_drop: bool,
) -> Candidate {
    let problem = ground.problem;
    // What may drop no row has to find more by searching.
    let n_passes = n_passes(problem).saturating_mul(if may_drop { 1 } else { 2 });
    let race = RACE.min(n_passes / 2);
    let most = n_passes.saturating_mul(MORE);
    let mut before = f64::INFINITY;
    let mut notes = Vec::new();
    for number in 0..most {
        if number >= n_passes && number % WINDOW == 0 {
            let now = best_loss(&ground, &states);
            if before - now < LEAST_GAIN * now {
                break;
            }
            before = now;
        }
        if ctx.should_stop() {
            notes.push(if number == 0 { TOO_SHORT } else { SHORT }.to_owned());
            break;
        }
        ctx.progress("searching", number, n_passes);
        if number == race {
            states = vec![best(&ground, states)];
        }
        for state in &mut states {
            state.bring_back(&ground);
            state.classes = pass(ctx, &ground, &state.classes, number);
        }
    }
    let mut state = best(&ground, states);
    state.bring_back(&ground);
    if may_drop {
        let n_left = state.n_left();
        state.classes = drop_rows(ctx, &ground, state.classes, n_left, n_passes);
    }
    let classes = state.classes;
    let group_of_row = group_of_row(&ground, &classes);
    let costs: Vec<f64> = classes.iter(&ground).map(|class| class.extent.cost).collect();
    // What the search knew is not needed any more: the bound needs memory of its own.
    let k = ground.k;
    drop((ground, classes));
    let lower_bound = match problem.settings().metric {
        Metric::Cells(_) => {
            let limits = limits(problem, &group_of_row, &costs);
            Some(lower_bound(ctx, problem, k, &limits))
        }
        _ => None,
    };
    let n_groups = costs.len();
    Candidate { lower_bound, notes, ..Candidate::of_numbered(problem, group_of_row, n_groups) }
}

fn best_loss(ground: &Ground<'_, '_>, states: &[State]) -> f64 {
    states.iter().map(|state| state.loss(ground)).fold(f64::INFINITY, f64::min)
}

fn best(ground: &Ground<'_, '_>, states: Vec<State>) -> State {
    let losses = states.into_iter().map(|state| (state.loss(ground), state));
    let best = losses.min_by(|(a, _), (b, _)| a.total_cmp(b));
    best.expect("a search has a start").1
}

/// How often to go over a table: less often the larger it is, so that time grows with its rows.
fn n_passes(problem: &Problem<'_>) -> u64 {
    // A pass takes longer the larger the classes are.
    let cost_of_pass = problem.n_rows() as u64 * (3 + problem.promises().smallest() / 5);
    let n_passes = 1_600_000 / cost_of_pass.max(1);
    // A start from boxes takes as long as two passes, and is worth more.
    n_passes.saturating_sub(if is_boxed(problem) { 2 } else { 0 }).clamp(1, 60)
}

/// The class of each row.
fn group_of_row(ground: &Ground<'_, '_>, classes: &Classes) -> Vec<u32> {
    let mut group_of_row = vec![SUPPRESSED; ground.problem.n_rows()];
    let mut used = vec![0_u32; ground.units.len()];
    for (group, at) in (0..).zip(0..classes.len()) {
        for entry in classes.entries(at) {
            let from = &mut used[entry.unit as usize];
            let to = *from + entry.n_rows;
            for &row in &ground.units.rows(entry.unit)[*from as usize..to as usize] {
                group_of_row[row as usize] = group;
            }
            *from = to;
        }
    }
    group_of_row
}
