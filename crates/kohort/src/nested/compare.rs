//! Makers of nested releases and levels against each other: every release is made, judged, measured and
//! attacked in memory, and none is written.
//!
//! A cell of the grid is an algorithm at a k and an l, with everybody in one order; the same over several orders
//! is a point. The order of people decides between equals; a transparent release is drawn from a secret. A release that breaks a promise is measured all the
//! same, so that its failure can be seen; a cell without a release is a result too, with its reason.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Ratio, Setting, message};
use kohort_nested::{NESTED_ALGORITHMS, NestedAlgorithm, NestedForm};
use kohort_report::nested::{NestedCell, NestedComparison, NestedPoint, NestedSummary};
use kohort_verify::nested::{NestedOriginal, NestedTruth, measured};

use super::Described;
use super::attack::{against, by_whole_trees};
use super::cells::unmarked;
use super::job::{NestedJob, NestedTerms};
use super::judge::{Files, claims, judge};
use super::metrics::scores;
use super::release::{algorithm, check_goal, check_names, make};
use super::render::render;
use crate::compare::{Caller, Interval};
use crate::error::refused;
use crate::plan::{Diversity, Goal, OneOrMore, Plan};
use crate::{Error, Stop};

/// The algorithms that are compared when none is named; those that search long only with few records, and
/// those that do not keep a goal for everybody only where that is allowed.
const USUAL: [&str; 4] = ["ctoff", "tree-anatomy", "vertex-anatomy", "dmiracle"];
const LONG: [&str; 2] = ["auto", "clustree"];
const FEW_RECORDS: usize = 2000;
const UNSAFE: [&str; 2] = ["each-table-alone", "universal-relation"];
/// The levels of l, or where the goal has only k, of k, when none is named.
const LEVELS: [u64; 4] = [2, 3, 4, 5];

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct NestedGrid {
    /// The ids of the algorithms: `all` is every safe one, none the usual ones.
    pub algorithms: Vec<String>,
    /// The values of k; the goal's when empty.
    pub ks: Vec<u64>,
    /// The values of l of every sensitive attribute; when empty, 2 to 5 where the goal asks for one.
    pub ls: Vec<Ratio>,
    /// The numbers that draw the orders of people; none leaves them as they are.
    pub seeds: Vec<u64>,
    /// The seconds that a search may take, for a plan with a budget.
    pub budget: Option<f64>,
    /// What transparent releases are drawn from.
    pub secret: [u8; 32],
}

/// Compares makers and levels. The plan's rules hold for every release.
pub fn compare(
    plan: &Plan,
    described: &Described,
    grid: &NestedGrid,
    caller: Caller<'_>,
) -> Result<NestedComparison, Error> {
    let n_records = described.nested().n_records();
    let algorithms = chosen(&grid.algorithms, plan, n_records)?;
    let levels = levels(plan, grid)?;
    let terms = |goal: &Goal| NestedTerms::new(&Plan { goal: goal.clone(), ..plan.clone() });
    let terms: Vec<NestedTerms> = levels.iter().map(terms).collect::<Result<_, _>>()?;
    let orders: Vec<Option<u64>> = match &grid.seeds[..] {
        [] => vec![None],
        seeds => seeds.iter().copied().map(Some).collect(),
    };
    let total = (algorithms.len() * levels.len() * orders.len()) as u64;
    let mut cells = Vec::new();
    for maker in algorithms {
        for goal in &levels {
            let job =
                NestedJob::by(&Plan { goal: goal.clone(), ..plan.clone() }, grid.secret, maker)?;
            for order in &orders {
                (caller.progress)(cells.len() as u64, total);
                cells.push(cell(&job, described, (*order, grid.budget), caller)?);
            }
        }
    }
    (caller.progress)(total, total);
    Ok(NestedComparison {
        table: described.nested().name().to_owned(),
        records: described.nested().n_records() as u64,
        vertices: described.n_vertices(),
        rules: plan.rules.len() as u64,
        raw_linked: raw(&terms[0], described)?,
        seeds: grid.seeds.clone(),
        points: cells.chunks(orders.len()).map(point).collect(),
        cells,
        notes: Vec::new(),
    })
}

/// What the releases of one algorithm at one level have in common.
fn point(cells: &[NestedCell]) -> NestedPoint {
    let releases = || cells.iter().filter_map(|cell| cell.release.as_ref());
    let mut figures: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut add = |name: &str, figure| figures.entry(name.to_owned()).or_default().push(figure);
    for release in releases() {
        for (name, &figure) in &release.metrics {
            add(name, figure);
        }
        add("vertices_kept", release.vertices_kept);
        add("records_kept", release.records_kept);
        add("linked", release.linked);
    }
    for cell in cells {
        add("seconds", cell.seconds);
    }
    let mut fails: Vec<String> = Vec::new();
    for cell in cells {
        let broken = cell.release.iter().flat_map(|release| &release.fails);
        fails.extend(broken.chain(&cell.reason).cloned());
    }
    fails.sort_unstable();
    fails.dedup();
    let spans = figures.into_iter().filter_map(|(name, all)| Some((name, Interval::of(all)?)));
    NestedPoint {
        algorithm: cells[0].algorithm,
        k: cells[0].k,
        l: cells[0].l,
        releases: releases().count(),
        verified: releases().all(|release| release.verified),
        figures: spans.collect(),
        fails,
        transparent: releases().find_map(|release| release.transparent),
    }
}

/// The makers that are compared, each once.
fn chosen(
    names: &[String],
    plan: &Plan,
    n_records: usize,
) -> Result<Vec<&'static dyn NestedAlgorithm>, Error> {
    let mut ids: Vec<&str> = Vec::new();
    let all = || NESTED_ALGORITHMS.iter().filter(|maker| maker.is_safe()).map(|a| a.spec().id);
    for name in names {
        if name == "all" { ids.extend(all()) } else { ids.push(name) }
    }
    if names.is_empty() {
        ids.extend(LONG.iter().filter(|_| n_records <= FEW_RECORDS));
        ids.extend(USUAL);
        ids.extend(UNSAFE.iter().filter(|_| plan.method.allow_unsafe));
    }
    let mut found: Vec<&'static dyn NestedAlgorithm> = Vec::new();
    for id in ids {
        let mut named = plan.clone();
        named.method.algorithm = Some(id.to_owned());
        let maker = algorithm(&named)?;
        if !found.iter().any(|other| other.spec().id == maker.spec().id) {
            found.push(maker);
        }
    }
    Ok(found)
}

/// The goals that are tried.
fn levels(plan: &Plan, grid: &NestedGrid) -> Result<Vec<Goal>, Error> {
    if let Some(l) = grid.ls.iter().find(|l| l.den() != 1) {
        let problem = format!("`l` must be a whole number for nested records, but is {l}");
        return Err(refused(problem, message!("try {}", Setting::Ls.to("2,3,4"))));
    }
    let is_free = grid.ks.is_empty() && grid.ls.is_empty();
    let has_l = plan.goal.frequency_l_diversity.is_some();
    let usual = |is_asked: bool| if is_asked { LEVELS.to_vec() } else { Vec::new() };
    let some = |levels: Vec<u64>| -> Vec<Option<u64>> {
        if levels.is_empty() { vec![None] } else { levels.into_iter().map(Some).collect() }
    };
    let has_k = plan.goal.k_anonymity.is_some();
    let ks = if is_free { usual(!has_l && has_k) } else { grid.ks.clone() };
    let ls = if is_free { usual(has_l) } else { grid.ls.iter().map(|l| l.num()).collect() };
    let (ks, ls) = (some(ks), some(ls));
    let goal = |k: Option<u64>, l: Option<u64>| {
        let every = |l| OneOrMore::One(Diversity::Every(Ratio::whole(l)));
        let l = l.map(every).or_else(|| plan.goal.frequency_l_diversity.clone());
        let k_anonymity = k.or(plan.goal.k_anonymity);
        Goal { k_anonymity, frequency_l_diversity: l, ..plan.goal.clone() }
    };
    Ok(ls.iter().flat_map(|&l| ks.iter().map(move |&k| (k, l))).map(|(k, l)| goal(k, l)).collect())
}

fn cell(
    job: &NestedJob,
    described: &Described,
    (seed, budget): (Option<u64>, Option<f64>),
    caller: Caller<'_>,
) -> Result<NestedCell, Error> {
    let (goal, maker) = (&job.terms.goal, job.algorithm);
    let l = goal.l.iter().map(|&(_, l)| u64::from(l)).max();
    let k = (goal.k > 1).then_some(u64::from(goal.k));
    let id = maker.spec().id;
    if let Err(error) = check_goal(goal, maker) {
        let reason = Some(error.to_string());
        return Ok(NestedCell { algorithm: id, k, l, seed, seconds: 0.0, release: None, reason });
    }
    let start = (caller.clock)();
    let stop = || budget.is_some_and(|budget| (caller.clock)() - start > budget);
    let made = make(job, described, (seed, job.secret), &Ctx::new(&stop, &|_, _, _| {}));
    let seconds = (caller.clock)() - start;
    let (release, reason) = match made {
        Ok((candidate, is_transparent)) => match check_names(described, candidate.form) {
            Ok(()) => (Some(summary(job, described, (&candidate, is_transparent))?), None),
            Err(error) => (None, Some(error.to_string())),
        },
        Err(Stop::No(no)) => (None, Some(no.causes.join("; "))),
        Err(Stop::Error(error)) => return Err(error),
        Err(stop @ Stop::Cancelled) => (None, Some(stop.to_string())),
    };
    Ok(NestedCell { algorithm: id, k, l, seed, seconds, release, reason })
}

/// Judges, measures and attacks what was made.
fn summary(
    job: &NestedJob,
    described: &Described,
    (candidate, is_transparent): (&kohort_nested::NestedCandidate, bool),
) -> Result<NestedSummary, Error> {
    let rendered = render(described, candidate, job.seed);
    let roles = &job.terms.schema.roles;
    let original = NestedOriginal { certificate: Some(&rendered.records), ..against(described) };
    let values = rendered.values.as_ref().map(|values| match candidate.form {
        NestedForm::VertexAnatomy => values.clone(),
        _ => unmarked(roles, values),
    });
    let files = Files { trees: unmarked(roles, &rendered.trees), values };
    let judgement = judge(&job.terms, &files, candidate.form, Some(original))?;
    let findings = judgement.findings();
    let read = measured(files.release(candidate.form), &judgement.claims, original)?;
    let originals = findings.truth.as_ref().map_or(&[][..], NestedTruth::originals);
    let (metrics, _) = scores(described.forest(), (&read.0, &read.1), originals);
    let link = by_whole_trees(described, (&read.0, &read.1), originals);
    let share = |n: u64, of: u64| Ratio::new(n, of.max(1)).value();
    let (records_out, vertices_out) = (findings.records_out, findings.vertices_out);
    Ok(NestedSummary {
        verified: judgement.verdict.is_ok(),
        fails: judgement.reasons(),
        records_out,
        records_kept: share(records_out, described.nested().n_records() as u64),
        vertices_out,
        vertices_kept: share(vertices_out, described.n_vertices()),
        classes: findings.sizes.n_classes(),
        smallest_class: findings.sizes.k(),
        metrics,
        transparent: job.terms.goal.is_about_values().then_some(is_transparent),
        linked: link.success,
        linked_max: link.max_probability,
    })
}

/// How surely people are linked in the raw records.
fn raw(terms: &NestedTerms, described: &Described) -> Result<f64, Error> {
    let trees = described.nested().clone();
    let files = Files { trees, values: None };
    let form = NestedForm::Generalized;
    let claims = claims(terms, Some(described.forest()))?;
    let (trees, values) = measured(files.release(form), &claims, against(described))?;
    let own: Vec<Option<u32>> = (0..).take(described.nested().n_records()).map(Some).collect();
    Ok(by_whole_trees(described, (&trees, &values), &own).success)
}
