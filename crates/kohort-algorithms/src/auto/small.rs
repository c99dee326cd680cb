//! More starts for a small table: what other methods make of it.
//!
//! A small table leaves few releases to choose from, and which method is nearest to the best is chance. A
//! search never ends with more loss than it started with, so that none of these methods loses less.

use kohort_core::Ctx;
use kohort_models::{ClassModel, FrequencyLDiversity, Promises};

use super::class::Ground;
use super::whole::best;
use super::{Auto, State};
use crate::bucket::Bucket;
use crate::hilbert::Hilbert;
use crate::k_member::KMember;
use crate::l_member::LMember;
use crate::mondrian::Mondrian;
use crate::msa_hilbert::MsaHilbert;
use crate::oka::Oka;
use crate::problem::Part;
use crate::top_down::TopDown;
use crate::two_phase::TwoPhase;
use crate::{Algorithm, Problem};

/// Up to this many rows there is time to search twice.
const FEW: usize = 2000;

/// Up to this many rows a table is small.
const SMALL: usize = 1000;

pub(super) const METHODS: [&dyn Algorithm; 11] = [
    &Mondrian { is_relaxed: false },
    &Mondrian { is_relaxed: true },
    &TopDown,
    &KMember,
    &Oka,
    &TwoPhase::A,
    &TwoPhase::B,
    &Hilbert,
    &Bucket,
    &LMember,
    &MsaHilbert,
];

/// What `auto` makes where frequency l-diversity is promised as well, which is stricter than one of the promises:
/// what is promised less must not lose more.
pub(super) fn of_stricter(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Option<State> {
    let problem = ground.problem;
    let models = problem.promises().models();
    let is_frequent = |model: &dyn ClassModel| model.largest_share().is_some();
    if problem.n_rows() > FEW || models.iter().any(|model| is_frequent(&**model)) {
        return None;
    }
    let (attribute, l) = models.iter().find_map(|model| model.implied_by_frequency())?;
    let stricter = FrequencyLDiversity::new(attribute, l).ok()?;
    let mut promised: Vec<Box<dyn ClassModel + '_>> = vec![Box::new(stricter)];
    for model in models {
        promised.push(Box::new(&**model));
    }
    let stricter = problem.with_promises(Promises::new(promised, problem.sensitive()));
    // The time that a caller gives is for what was asked.
    let stricter = stricter.of_usual_length();
    let made = Auto.anonymize(ctx, &stricter).ok()?;
    Some(State::of(ground, &made))
}

/// The releases of other methods that drop no row.
pub(super) fn more_starts(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Vec<State> {
    let problem = ground.problem;
    // Other methods keep a promise about few columns in ways that a search by classes does not know.
    if problem.n_rows() > SMALL || problem.n_sets() > 0 {
        return Vec::new();
    }
    let rows: Vec<u32> = (0..).take(problem.n_rows()).collect();
    let part = Part::new(problem, &rows);
    let all: Problem<'_> = problem.among(&part, 0);
    let in_time = METHODS.iter().take_while(|_| !ctx.should_stop());
    let made = in_time.filter_map(|method| method.anonymize(ctx, &all).ok());
    let whole = if ctx.should_stop() { None } else { best(ctx, &all) };
    made.chain(whole).map(|candidate| State::of(ground, &candidate)).collect()
}
