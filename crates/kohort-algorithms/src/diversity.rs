//! The sensitive attribute that the methods over buckets spread, and over how many rows.

use kohort_core::{Attribute, Kind, Ratio};
use kohort_models::{Class, ClassModel, Counts};

use crate::{Failure, Problem};

/// What the methods over buckets work for: l rows with different values in every class.
pub(crate) struct Diversity<'a> {
    pub(crate) attribute: &'a Attribute,
    // Invariant: 1 ≤ l, and no value has more than n / l rows.
    pub(crate) l: usize,
}

impl<'a> Diversity<'a> {
    /// The first goal of frequency l-diversity, else the first of distinct l-diversity.
    ///
    /// A table may keep a decimal l, or a distinct l, although some value has more than n / l rows: the
    /// buckets are then taken for the largest l that they allow, and the classes joined afterwards.
    pub(crate) fn of(problem: &Problem<'a>, method: &'static str) -> Result<Self, Failure> {
        let models = problem.promises().models();
        let of_id = |id| models.iter().find(|m| m.spec().id == id && m.diversity().is_some());
        let found = of_id("frequency-l-diversity").or_else(|| of_id("distinct-l-diversity"));
        let Some((model, (index, l))) = found.and_then(|model| Some((model, model.diversity()?)))
        else {
            let reason =
                "needs a goal of frequency-l-diversity (or distinct) on a sensitive attribute";
            return Err(Kind::Unsuited { method, reason: reason.into() }.into());
        };
        if problem.n_rows() == 0 {
            return Err(Failure::infeasible("the table has no rows"));
        }
        let attribute = problem.sensitive()[index];
        if !holds_for_all(problem, model.as_ref()) {
            return Err(Failure::infeasible(too_frequent(attribute, l, problem.n_rows())));
        }
        let largest = attribute.counts().iter().max().map_or(1, |&count| count as usize);
        let l = usize::try_from(l).unwrap_or(usize::MAX).min(problem.n_rows() / largest);
        Ok(Self { attribute, l })
    }

    /// The value of a row.
    pub(crate) fn value(&self, row: u32) -> u32 {
        self.attribute.codes().get(row as usize)
    }

    /// Whether one more row may join `size` rows of which `count` have its value: the class stays
    /// frequency-l-diverse.
    pub(crate) fn is_loyal(&self, count: usize, size: usize) -> bool {
        (count + 1) * self.l <= size + 1
    }
}

/// Whether the whole table keeps the promise as one class; if not, no release does.
fn holds_for_all(problem: &Problem<'_>, model: &dyn ClassModel) -> bool {
    let tallies = problem.sensitive().iter().map(|attribute| {
        (0..).zip(attribute.counts()).map(|(code, &count)| (code, u64::from(count))).collect()
    });
    let tallies: Vec<Vec<(u32, u64)>> = tallies.collect();
    let counts: Vec<Counts<'_>> = (problem.promises().distributions().iter().zip(&tallies))
        .map(|(table, cells)| Counts { table, cells })
        .collect();
    model.holds(&Class { size: problem.n_rows() as u64, sensitive: &counts })
}

fn too_frequent(attribute: &Attribute, l: u64, n_rows: usize) -> String {
    let (n, name) = (n_rows as u64, attribute.name());
    let counts = || attribute.counts().iter().map(|&count| u64::from(count));
    let largest = counts().max().unwrap_or(1);
    let (values, are) = match counts().filter(|count| count * l > n).count() {
        1 => ("1 value".to_owned(), "is"),
        several => (format!("{several} values"), "are"),
    };
    format!(
        "{values} of `{name}` {are} too frequent for l = {l}: the largest share is {largest} of {n} \
         rows, so the largest l that is feasible is {}",
        Ratio::new(n, largest)
    )
}
