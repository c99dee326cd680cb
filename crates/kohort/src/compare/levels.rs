//! The levels of a grid: each k, l and number of sensitive attributes, with the plan of its releases.

use kohort_core::{Dataset, Ratio, Role, Setting, message};

use super::{Grid, Level};
use crate::Error;
use crate::error::refused;
use crate::goal::{Asked, Principle, principles};
use crate::load::assign_roles;
use crate::plan::{Diversity, Goal, OneOrMore, Plan};

/// The values of k when nothing else is asked for.
const KS: [u64; 5] = [2, 5, 10, 20, 50];

/// The table with some of its sensitive attributes.
pub(super) struct Part {
    /// How many, where the grid says so.
    attributes: Option<u64>,
    /// The plan without the others.
    pub(super) plan: Plan,
    // None where it is the whole.
    own: Option<Dataset>,
}

impl Part {
    /// The dataset, where this is the one of all attributes.
    pub(super) fn dataset<'a>(&'a self, whole: &'a Dataset) -> &'a Dataset {
        self.own.as_ref().unwrap_or(whole)
    }
}

/// The table with each number of sensitive attributes that the grid names: the first ones, in the order
/// of their names.
pub(super) fn parts(plan: &Plan, dataset: &Dataset, grid: &Grid) -> Result<Vec<Part>, Error> {
    if grid.attributes.is_empty() {
        return Ok(vec![Part { attributes: None, plan: plan.clone(), own: None }]);
    }
    let mut parts: Vec<Part> = Vec::new();
    for &n in &grid.attributes {
        if parts.iter().any(|part| part.attributes == Some(n)) {
            continue;
        }
        let sensitive = dataset.sensitive();
        let kept = usize::try_from(n).unwrap_or(usize::MAX);
        if kept == 0 || kept > sensitive.len() {
            let problem = format!(
                "`attributes` must be 1 to {}, the number of sensitive attributes, but is {n}",
                sensitive.len()
            );
            return Err(refused(
                problem,
                message!("name sensitive attributes with {}", Setting::Sensitive.to("a,b,c")),
            ));
        }
        let mut plan = plan.clone();
        let left_out = &sensitive[kept..];
        plan.attributes.retain(|name, attribute| {
            Role::from(attribute.full().role) != Role::Sensitive
                || left_out.iter().all(|other| other.name() != name)
        });
        let own = assign_roles(&plan, dataset.table().clone())?.value;
        parts.push(Part { attributes: Some(n), plan, own: Some(own) });
    }
    Ok(parts)
}

/// A level with its goal, and which of the parts it is about.
pub(super) struct Tried {
    pub(super) level: Level,
    pub(super) goal: Goal,
    pub(super) part: usize,
}

impl Tried {
    /// The smallest class that the goal allows, as far as k and the l of all attributes say.
    pub(super) fn smallest_class(&self) -> u64 {
        let Goal { k_anonymity, l_mdiversity, l_pdiversity, .. } = self.goal;
        k_anonymity.max(l_mdiversity).max(l_pdiversity).unwrap_or(2)
    }
}

/// Every level of the grid, none of which is refused.
pub(super) fn levels(whole: &Dataset, parts: &[Part], grid: &Grid) -> Result<Vec<Tried>, Error> {
    let ls: Vec<Option<Ratio>> =
        if grid.ls.is_empty() { vec![None] } else { grid.ls.iter().copied().map(Some).collect() };
    let mut levels: Vec<Tried> = Vec::new();
    for (part, Part { attributes, plan, .. }) in parts.iter().enumerate() {
        let sensitive = parts[part].dataset(whole).sensitive();
        for &l in &ls {
            let mut goal = plan.goal.clone();
            if let Some(l) = l {
                vary(&mut goal, l, whole)?;
            }
            for k in ks(grid, &goal) {
                let goal = Goal { k_anonymity: k, ..goal.clone() };
                Asked::new(&principles(&goal)?, &sensitive)?;
                let level = Level { k, l: l.map(Ratio::value), attributes: *attributes };
                if !levels.iter().any(|other| other.level == level) {
                    levels.push(Tried { level, goal, part });
                }
            }
        }
    }
    Ok(levels)
}

/// The values of k for a goal. Where l is varied, or asked of all sensitive attributes together, and
/// nobody names a k, the goal's own, or none: l says how large classes are.
fn ks(grid: &Grid, goal: &Goal) -> Vec<Option<u64>> {
    let is_of_all = goal.l_mdiversity.or(goal.l_pdiversity).is_some();
    match &grid.ks[..] {
        [] if is_of_all || !grid.ls.is_empty() => vec![goal.k_anonymity],
        [] => KS.map(Some).to_vec(),
        ks => ks.iter().copied().map(Some).collect(),
    }
}

/// Asks for an l, of the model whose l the grid varies.
fn vary(goal: &mut Goal, l: Ratio, whole: &Dataset) -> Result<(), Error> {
    let id = varied(goal, whole);
    if id == "frequency-l-diversity" {
        goal.frequency_l_diversity = Some(OneOrMore::One(Diversity::Every(l)));
        return Ok(());
    }
    if l.den() != 1 {
        let problem = format!("`l` of `{id}` must be a whole number, but is {l}");
        return Err(refused(problem, message!("try {}", Setting::Ls.to("2,3,4"))));
    }
    let level = if id == "l-mdiversity" { &mut goal.l_mdiversity } else { &mut goal.l_pdiversity };
    *level = Some(l.num());
    Ok(())
}

/// The id of the model whose l the grid varies.
fn varied(goal: &Goal, whole: &Dataset) -> &'static str {
    let is_several = whole.sensitive().len() > 1 && goal.frequency_l_diversity.is_none();
    match (goal.l_mdiversity, goal.l_pdiversity) {
        (Some(_), _) => "l-mdiversity",
        (None, Some(_)) => "l-pdiversity",
        (None, None) if is_several => "l-mdiversity",
        (None, None) => "frequency-l-diversity",
    }
}

/// What the plan promises besides what the grid asks for.
pub(super) fn promised(plan: &Plan, whole: &Dataset, grid: &Grid) -> Result<Vec<String>, Error> {
    let is_of_grid = |principle: &Principle| {
        principle.id() == "k-anonymity"
            || (principle.id() == varied(&plan.goal, whole) && !grid.ls.is_empty())
    };
    let others = principles(&plan.goal)?.into_iter().filter(|principle| !is_of_grid(principle));
    Ok(others.map(|one| format!("{}, {}", one.id(), one.parameters())).collect())
}
