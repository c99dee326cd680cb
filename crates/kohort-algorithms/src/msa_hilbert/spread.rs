//! The sensitive attributes whose values must be spread, and how far.

use kohort_core::{Attribute, Kind, Ratio};

use crate::{Failure, Problem};

/// What every class must keep: no value of an attribute fills more than 1/l of it.
pub(crate) struct Spread<'a> {
    // Invariant: not empty, and every l is above 1.
    pub(crate) asked: Vec<(&'a Attribute, Ratio)>,
    /// As many rows of which no two agree keep it.
    pub(crate) l: usize,
}

impl<'a> Spread<'a> {
    /// The l of every sensitive attribute, of whichever goal asks for most.
    ///
    /// A table may keep a distinct l although some value has more than n/l rows: then it is spread as far
    /// as the table allows, and classes are joined afterwards.
    pub(crate) fn of(problem: &Problem<'a>, method: &'static str) -> Result<Self, Failure> {
        let n_rows = problem.n_rows() as u64;
        if n_rows == 0 {
            return Err(Failure::infeasible("the table has no rows"));
        }
        let mut asked = Vec::new();
        for (index, &attribute) in problem.sensitive().iter().enumerate() {
            let goals = problem.promises().models().iter().filter_map(|model| {
                let alone = model.diversity().filter(|(of, _)| *of == index).map(|(_, l)| l);
                let most = Ratio::new(n_rows, u64::from(largest(attribute)));
                let is_strict = model.largest_share().is_some();
                let alone = alone.map(|l| if is_strict { l } else { l.min(most) });
                alone.max(model.diversity_of_all().map(Ratio::whole))
            });
            asked.extend(goals.max().filter(|&l| l > Ratio::whole(1)).map(|l| (attribute, l)));
        }
        let Some(l) = asked.iter().map(|&(_, l)| l.num().div_ceil(l.den())).max() else {
            let reason = "needs a goal of l-pdiversity or l-mdiversity, or of frequency-l-diversity (or \
                          distinct) on a sensitive attribute";
            return Err(Kind::Unsuited { method, reason: reason.into() }.into());
        };
        let spread = Self { asked, l: usize::try_from(l).unwrap_or(usize::MAX) };
        spread.require_feasible(problem)?;
        Ok(spread)
    }

    /// Refuses a table where more rows with a value that is too frequent must go than may.
    fn require_feasible(&self, problem: &Problem<'_>) -> Result<(), Failure> {
        let (n, may_go) = (problem.n_rows() as u64, problem.settings().suppression);
        let may_go = may_go.min(n - 1);
        let must_go = |&(attribute, l): &(&Attribute, Ratio)| n_too_many(attribute, l, n);
        let worst = self.asked.iter().max_by_key(|asked| must_go(asked));
        let Some((attribute, l)) = worst.filter(|asked| must_go(asked) > may_go) else {
            return Ok(());
        };
        let works = |l: &u64| {
            let at_most = |given: Ratio| given.min(Ratio::whole(*l));
            self.asked.iter().all(|&(attribute, l)| n_too_many(attribute, at_most(l), n) <= may_go)
        };
        let most = (2..=l.num() / l.den()).rev().find(works);
        let most =
            most.map_or("no l works".into(), |most| format!("the largest l that works is {most}"));
        Err(Failure::infeasible(format!(
            "`{}` prevents l = {l}: one value has {} of {n} rows; {most}",
            attribute.name(),
            largest(attribute),
        )))
    }
}

fn largest(attribute: &Attribute) -> u32 {
    values(attribute).max().unwrap_or(1).max(1)
}

/// How often each value occurs that could be learned.
fn values(attribute: &Attribute) -> impl Iterator<Item = u32> {
    let told = (0..).zip(attribute.counts()).filter(|&(code, _)| attribute.silent() != Some(code));
    told.map(|(_, &count)| count)
}

/// How many rows must go, at least, until no value has more than 1/l of the rest.
fn n_too_many(attribute: &Attribute, l: Ratio, n: u64) -> u64 {
    let mut gone = 0;
    loop {
        let most = (n - gone) * l.den() / l.num();
        let above = |count: u32| u64::from(count).saturating_sub(most);
        let too_many: u64 = values(attribute).map(above).sum();
        if too_many <= gone {
            return gone;
        }
        gone = too_many;
    }
}
