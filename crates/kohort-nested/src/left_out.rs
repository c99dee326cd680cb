//! What may be cut from trees: values that, taken together, say nothing.
//!
//! # Guarantee
//! Of each kind that l is asked of, the values that are in no class are as diverse as those of a position: none
//! is more than one in l of them. Who knows a tree sees what is missing of it, and does not learn its value.
//!
//! # Method
//! 1. Count the values of each kind that are at no position. While one is too frequent, cut the position of
//!    that kind where it has the smallest share, with everything below it: positions are diverse, so that what
//!    is cut comes nearer to what is asked. A root is cut with its whole class, while people may be left out.
//! 2. Where no position is left that helps, there is no such release. If what is cut and what is shown keep
//!    l, so does the whole forest: where it does not, nothing is tried.
//! 3. Where nothing of a kind is shown, nothing is told about it. What only some of those who look the same would
//!    show is cut from all (`even.rs`).

use std::collections::BTreeMap;

use kohort_core::{Ctx, Forest, NO_VALUE, Ratio};

use crate::even::uneven;
use crate::models::{Values, join};
use crate::{
    AlignedClass, Failure, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem, transparent,
};

/// Makes a release of which nothing is cut that tells something, unless `may_tell`.
pub fn make(
    algorithm: &dyn NestedAlgorithm,
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    may_tell: bool,
) -> Result<NestedCandidate, Failure> {
    if let Some(secret) = problem.transparent
        && algorithm.can_be_transparent()
        && problem.needs_values()
    {
        let values = Values::new(problem);
        values.refuse()?;
        // Which l is asked for depends on how often each value occurs in the whole forest, and on nothing else.
        let can_be = |l: &Vec<u32>| {
            let asked = NestedProblem { l, ..*problem };
            (0..l.len()).all(|kind| refuse_frequent(&asked, kind).is_ok())
        };
        let l = values.frequency(problem.l).filter(can_be);
        let problem = &NestedProblem { l: l.as_deref().unwrap_or(problem.l), ..*problem };
        let made = transparent::make(algorithm.form(), ctx, problem, secret);
        if made.is_err() && !may_tell {
            // Where no release can be, the reason is how often a value occurs.
            (0..problem.l.len()).try_for_each(|kind| refuse_frequent(problem, kind))?;
        }
        let candidate = made?;
        if !may_tell {
            require_told_by_nothing(problem, &candidate)?;
        }
        return Ok(candidate);
    }
    let mut candidate = made(algorithm, ctx, problem)?;
    if algorithm.is_safe() {
        join(ctx, problem, &mut candidate)?;
        even(problem, &mut candidate);
    }
    if algorithm.is_safe() && !may_tell && candidate.form != NestedForm::Apart {
        settle(problem, &mut candidate)?;
    }
    Ok(candidate)
}

/// What an algorithm makes. Of models that it does not know it keeps what frequency l-diversity does of them, where
/// there is such a release.
fn made(
    algorithm: &dyn NestedAlgorithm,
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
) -> Result<NestedCandidate, Failure> {
    if problem.models.is_empty() || !algorithm.is_safe() {
        return algorithm.make(ctx, problem);
    }
    let values = Values::new(problem);
    values.refuse()?;
    let more = values.frequency(problem.l);
    let of_more = more.map(|l| algorithm.make(ctx, &NestedProblem { l: &l, ..*problem }));
    match of_more {
        Some(Ok(candidate)) if !candidate.classes.is_empty() => Ok(candidate),
        _ => algorithm.make(ctx, problem),
    }
}

/// Cuts what only some of those who look the same would show (`even.rs`), where something is promised of values;
/// the vertices that are cut.
fn even(problem: &NestedProblem<'_>, candidate: &mut NestedCandidate) -> Vec<u32> {
    let mut gone = Vec::new();
    if problem.needs_values() {
        let found = uneven(problem.forest, &candidate.classes, candidate.form);
        // What is further back first: places before it stay.
        for (class, position) in found.into_iter().rev() {
            gone.extend(candidate.classes[class].without(problem.forest, position));
        }
    }
    gone
}

/// Refuses what no release can keep together with what is not in it.
fn refuse_frequent(problem: &NestedProblem<'_>, kind: usize) -> Result<(), Failure> {
    let l = u64::from(problem.l[kind]);
    let (most, all) = Counts::of_forest(problem.forest, kind).most();
    if most * l <= all {
        return Ok(());
    }
    let attribute = problem.forest.kinds()[kind].sensitive.as_ref();
    let path = attribute.map_or("", |attribute| attribute.name());
    let nearest = all / most.max(1);
    let reason = format!(
        "one value fills {:.1} % of `{path}`, and l is {l}: what is pruned or left out would \
         have that value, and anybody who sees that it is missing would know it; at most l = \
         {nearest} is feasible",
        Ratio::new(100 * most, all.max(1)).value()
    );
    Err(Failure::Infeasible { reason })
}

/// Refuses a transparent release of which more would have to be cut: that would tell something about values.
fn require_told_by_nothing(
    problem: &NestedProblem<'_>,
    candidate: &NestedCandidate,
) -> Result<(), Failure> {
    let cut = Cut::new(problem, candidate);
    let values = Values::new(problem);
    let Some((kind, of_l)) = cut.broken(problem, &values) else { return Ok(()) };
    refuse_frequent(problem, kind)?;
    let path = problem.forest.kinds()[kind].sensitive.as_ref().map_or("", |of| of.name());
    let found = if of_l { "one value is too frequent in" } else { "a promise fails for" };
    Err(Failure::Infeasible {
        reason: format!(
            "what is pruned was chosen without a look at sensitive values, and {found} what is pruned of \
             `{path}`; nothing else may be chosen after such a look"
        ),
    })
}

/// The values of each kind that are at no position.
struct Cut {
    counts: Vec<Counts>,
    // How many values there are of each kind.
    all: Vec<u64>,
}

impl Cut {
    fn new(problem: &NestedProblem<'_>, candidate: &NestedCandidate) -> Self {
        let forest = problem.forest;
        let kinds = 0..problem.l.len();
        let mut counts: Vec<Counts> = kinds.map(|kind| Counts::of_forest(forest, kind)).collect();
        let all = counts.iter().map(|counts| counts.most().1).collect();
        for &vertex in candidate.classes.iter().flat_map(|class| &class.vertices) {
            counts[forest.kind(vertex)].without(forest, vertex);
        }
        Self { counts, all }
    }

    /// The first kind of which some values are shown, and the others do not keep what is promised of it; and
    /// whether one of them is too frequent.
    fn broken(&self, problem: &NestedProblem<'_>, values: &Values<'_>) -> Option<(usize, bool)> {
        let is_broken = |kind: usize| {
            let (most, n_cut) = self.counts[kind].most();
            let l = u64::from(problem.l[kind]);
            let is_some = 0 < n_cut && n_cut < self.all[kind];
            let of_l = is_some && l > 1 && most * l > n_cut;
            let is_broken = of_l || is_some && !values.cut_keep(kind, &self.counts[kind].cells());
            is_broken.then_some((kind, of_l))
        };
        (0..problem.l.len()).find_map(is_broken)
    }
}

/// How often each value of a kind occurs.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<u32, u64>);

impl Counts {
    /// The values of a kind.
    pub(crate) fn of_forest(forest: &Forest, kind: usize) -> Self {
        let mut counts = Self::default();
        let all = (0..forest.n_records()).flat_map(|record| forest.vertices(record));
        all.filter(|&vertex| forest.kind(vertex) == kind)
            .for_each(|vertex| counts.add(forest, vertex));
        counts
    }

    fn add(&mut self, forest: &Forest, vertex: u32) {
        let code = forest.sensitive(vertex);
        if code != NO_VALUE {
            *self.0.entry(code).or_default() += 1;
        }
    }

    fn without(&mut self, forest: &Forest, vertex: u32) {
        if let Some(count) = self.0.get_mut(&forest.sensitive(vertex)) {
            *count -= 1;
        }
    }

    /// How often each occurs, in no order that says which it is.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.0.values().copied().collect();
        sizes.sort_unstable();
        sizes
    }

    /// The values that are there, with their counts.
    fn cells(&self) -> Vec<(u32, u64)> {
        self.0.iter().filter(|entry| *entry.1 > 0).map(|(&code, &count)| (code, count)).collect()
    }

    /// The count of the most frequent value, and that of all.
    fn most(&self) -> (u64, u64) {
        (self.0.values().copied().max().unwrap_or(0), self.0.values().sum())
    }

    /// The most frequent value; the first of several.
    fn top(&self) -> Option<u32> {
        let (most, _) = self.most();
        self.0.iter().find(|entry| *entry.1 == most).map(|(&code, _)| code)
    }
}

/// Cuts more until what is cut says nothing.
fn settle(problem: &NestedProblem<'_>, candidate: &mut NestedCandidate) -> Result<(), Failure> {
    let forest = problem.forest;
    let mut cut = Cut::new(problem, candidate);
    let values = Values::new(problem);
    loop {
        kohort_core::alive();
        let Some((kind, of_l)) = cut.broken(problem, &values) else { return Ok(()) };
        refuse_frequent(problem, kind)?;
        let n_in: usize = candidate.classes.iter().map(|class| class.members.len()).sum();
        let room = problem.may_leave_out.saturating_sub(forest.n_records() - n_in);
        let counts = &cut.counts[kind];
        let best = if of_l {
            counts.top().and_then(|code| rarest(forest, candidate, (kind, code), room))
        } else {
            mending(forest, candidate, (kind, counts), room, &values)
        };
        let Some((class, position)) = best else {
            let reason = "people who are left out, or parts pruned from trees, would have a \
                          value that is too frequent, and no more can be left out with them";
            return Err(Failure::Infeasible { reason: reason.into() });
        };
        let mut gone = candidate.classes[class].without(forest, position);
        candidate.classes.retain(|class| !class.vertices.is_empty());
        gone.extend(even(problem, candidate));
        for vertex in gone {
            cut.counts[forest.kind(vertex)].add(forest, vertex);
        }
    }
}

/// The class and the position of a kind where a value has the smallest share: the first of several. Roots
/// stay where their class has more members than there is room to leave out.
fn rarest(
    forest: &Forest,
    candidate: &NestedCandidate,
    (kind, code): (usize, u32),
    room: usize,
) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize, (usize, usize))> = None;
    for (at, class) in candidate.classes.iter().enumerate() {
        for (position, vertices) in class.positions().enumerate() {
            let is_root = position == 0;
            if forest.kind(vertices[0]) != kind || is_root && vertices.len() > room {
                continue;
            }
            let has = |vertex: &&u32| forest.sensitive(**vertex) == code;
            let share = (vertices.iter().filter(has).count(), vertices.len());
            // a/b < c/d by a · d < c · b.
            if best.is_none_or(|(_, _, least)| share.0 * least.1 < least.0 * share.1) {
                best = Some((at, position, share));
            }
        }
    }
    best.map(|(class, position, _)| (class, position))
}

/// The smallest position of a kind whose values keep every model together with those that are cut already; the
/// largest one where there is none. Roots stay as in `rarest`.
fn mending(
    forest: &Forest,
    candidate: &NestedCandidate,
    (kind, counts): (usize, &Counts),
    room: usize,
    values: &Values<'_>,
) -> Option<(usize, usize)> {
    // With their numbers of vertices.
    let mut smallest: Option<(usize, At)> = None;
    let mut largest: Option<(usize, At)> = None;
    for (at, class) in candidate.classes.iter().enumerate() {
        for (position, vertices) in class.positions().enumerate() {
            let n = vertices.len();
            if forest.kind(vertices[0]) != kind || position == 0 && n > room {
                continue;
            }
            if largest.is_none_or(|(most, _)| n > most) {
                largest = Some((n, (at, position)));
            }
            if smallest.is_none_or(|(least, _)| n < least) {
                let mut both = Counts(counts.0.clone());
                for &vertex in vertices {
                    both.add(forest, vertex);
                }
                if values.cut_keep(kind, &both.cells()) {
                    smallest = Some((n, (at, position)));
                }
            }
        }
    }
    smallest.or(largest).map(|(_, at)| at)
}

/// A class, and a position of it.
type At = (usize, usize);

impl AlignedClass {
    /// Cuts a position and everything below it; the vertices that are cut.
    pub(crate) fn without(&mut self, forest: &Forest, position: usize) -> Vec<u32> {
        let n = self.members.len();
        let (mut kept, mut cut) = (Vec::new(), Vec::new());
        let mut is_cut = std::collections::BTreeSet::new();
        for (at, vertices) in self.vertices.chunks_exact(n).enumerate() {
            // Parents stand before their children.
            if at == position || is_cut.contains(&forest.parent(vertices[0])) && at > 0 {
                is_cut.insert(vertices[0]);
                cut.extend_from_slice(vertices);
            } else {
                kept.extend_from_slice(vertices);
            }
        }
        self.vertices = kept;
        cut
    }
}
