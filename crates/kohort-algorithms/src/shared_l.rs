//! The goal of the methods over several sensitive attributes: one l for all of them.

use kohort_core::Kind;
use kohort_models::{ClassModel, DistinctLDiversity, Promises};

use crate::{Failure, Problem};

/// The l that a goal asks of every sensitive attribute: that of l-mdiversity or l-pdiversity, or the
/// largest of goals for each attribute by itself.
pub(crate) fn l_of_all(problem: &Problem<'_>, method: &'static str) -> Result<usize, Failure> {
    let models = problem.promises().models();
    let of_all = models.iter().filter_map(|model| model.diversity_of_all()).max();
    let of_one = |attribute: usize| {
        let asked = models.iter().filter_map(|model| model.diversity());
        asked.filter(|&(of, _)| of == attribute).map(|(_, l)| l.num().div_ceil(l.den())).max()
    };
    let n_sensitive = problem.sensitive().len();
    let of_each: Option<Vec<u64>> = (0..n_sensitive).map(of_one).collect();
    let l = of_all.into_iter().chain(of_each.into_iter().flatten()).max();
    let Some(l) = l.filter(|_| n_sensitive > 0) else {
        let reason = "needs a goal of l-mdiversity or l-pdiversity, or one of l-diversity for every \
                      sensitive attribute";
        return Err(Kind::Unsuited { method, reason: reason.into() }.into());
    };
    Ok(usize::try_from(l).unwrap_or(usize::MAX))
}

/// The same problem with other promises in the place of the l of all sensitive attributes. What else
/// the goal asks for stays.
pub(crate) fn instead<'p>(
    problem: &'p Problem<'_>,
    own: Vec<Box<dyn ClassModel + 'p>>,
) -> Problem<'p> {
    let others = (problem.promises().models().iter())
        .map(AsRef::as_ref)
        .filter(|model| model.diversity_of_all().is_none() && model.diversity().is_none())
        .map(|model| -> Box<dyn ClassModel + 'p> { Box::new(model) });
    problem.with_promises(Promises::new(others.chain(own).collect(), problem.sensitive()))
}

/// Distinct l-diversity of every sensitive attribute by itself.
pub(crate) fn distinct_each<'p>(
    problem: &Problem<'_>,
    l: usize,
) -> Result<Vec<Box<dyn ClassModel + 'p>>, Failure> {
    let mut models: Vec<Box<dyn ClassModel + 'p>> = Vec::new();
    for attribute in 0..problem.sensitive().len() {
        models.push(Box::new(DistinctLDiversity::new(attribute, l as u64)?));
    }
    Ok(models)
}
