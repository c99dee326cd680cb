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
        let is_distinct = |model: &dyn ClassModel| model.largest_share().is_none();
        let spreads = || models.iter().filter(|model| model.diversity().is_some());
        let frequency = spreads().find(|model| !is_distinct(model.as_ref()));
        let found = frequency.or_else(|| spreads().next());
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
            let n = problem.n_rows() as u64;
            return Err(Failure::infeasible(if is_distinct(model.as_ref()) {
                too_few(attribute, l)
            } else {
                too_frequent(attribute, l, n)
            }));
        }
        let largest = attribute.counts().iter().max().map_or(1, |&count| count as usize);
        let l = usize::try_from(l.num().div_ceil(l.den())).unwrap_or(usize::MAX);
        let l = l.min(problem.n_rows() / largest);
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
        let all = (0..).zip(attribute.counts()).filter(|(_, count)| **count > 0);
        all.map(|(code, &count)| (code, u64::from(count))).collect()
    });
    let tallies: Vec<Vec<(u32, u64)>> = tallies.collect();
    let counts: Vec<Counts<'_>> = (problem.promises().distributions().iter().zip(&tallies))
        .map(|(table, cells)| Counts { table, cells })
        .collect();
    model.holds(&Class { size: problem.n_rows() as u64, sensitive: &counts })
}

fn too_frequent(attribute: &Attribute, l: Ratio, n: u64) -> String {
    let name = attribute.name();
    let largest = attribute.counts().iter().max().map_or(1, |&count| u64::from(count));
    let is_too_frequent = |&&count: &&u32| Ratio::new(n, u64::from(count)) < l;
    let (values, are) = match attribute.counts().iter().filter(is_too_frequent).count() {
        1 => ("1 value".to_owned(), "is"),
        several => (format!("{several} values"), "are"),
    };
    format!(
        "{values} of `{name}` {are} too frequent for l = {l}: the largest share is {largest} of {n} \
         rows, so that l is at most {} with these rows",
        Ratio::new(n, largest)
    )
}

fn too_few(attribute: &Attribute, l: Ratio) -> String {
    let (name, counts) = (attribute.name(), attribute.counts());
    let n_values = counts.iter().filter(|count| **count > 0).count();
    format!("`{name}` has too few values for l = {l}: there are {n_values}")
}

#[cfg(test)]
mod tests {
    use kohort_models::{DistinctLDiversity, FrequencyLDiversity, KAnonymity};

    use super::*;
    use crate::tests::tables::{nine, problem, settings};

    fn check(models: Vec<Box<dyn ClassModel>>, expected: &Result<usize, &str>) {
        let data = nine("abdabacac");
        let problem = problem(&data, models, settings(2));
        let found = Diversity::of(&problem, "bucket").map(|goal| goal.l);
        let found = found.map_err(|failure| match failure {
            Failure::Infeasible { reason } => reason,
            Failure::Error(error) => error.to_string(),
        });
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    fn frequency(num: u64, den: u64) -> Box<dyn ClassModel> {
        Box::new(FrequencyLDiversity::new(0, Ratio::new(num, den)).unwrap())
    }

    fn distinct(l: u64) -> Box<dyn ClassModel> {
        Box::new(DistinctLDiversity::new(0, l).unwrap())
    }

    // Of 9 rows 4 have one value, 2 each two others, 1 the last.
    #[test]
    fn the_goal_is_the_first_frequency_else_the_first_distinct() {
        check(vec![distinct(4), frequency(2, 1)], &Ok(2));
        // More than n/l rows have one value, and still the whole table is a class that holds.
        check(vec![distinct(4)], &Ok(2));
        check(vec![frequency(9, 4)], &Ok(2));
        check(
            vec![Box::new(KAnonymity::new(2).unwrap())],
            &Err(
                "`bucket` needs a goal of frequency-l-diversity (or distinct) on a sensitive attribute",
            ),
        );
    }

    #[test]
    fn an_infeasible_goal_says_what_the_rows_have() {
        check(
            vec![frequency(5, 1)],
            &Err(
                "3 values of `i1` are too frequent for l = 5: the largest share is 4 of 9 rows, so \
                  that l is at most 9/4 with these rows",
            ),
        );
        check(
            vec![frequency(5, 2)],
            &Err(
                "1 value of `i1` is too frequent for l = 5/2: the largest share is 4 of 9 rows, so \
                  that l is at most 9/4 with these rows",
            ),
        );
        check(vec![distinct(5)], &Err("`i1` has too few values for l = 5: there are 4"));
    }
}
