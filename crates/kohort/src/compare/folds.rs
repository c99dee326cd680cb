//! Training folds with releases of their own: what is learned from a release is tested on people it was
//! made without.
//!
//! # References
//! Tandon and Jain, Balancing between Data Utility and Privacy Preservation in Data Mining, 2010.

use kohort_algorithms::{Form, SUPPRESSED};
use kohort_core::{Cells, Dataset, Table};
use kohort_models::utility::View;
use kohort_models::utility::learn::{Fold, Learning, folds};

use super::Run;
use crate::Error;
use crate::job::{Job, Roles};
use crate::load::{Quantiles, assign_roles_by};
use crate::release::make;

/// Rows to learn from as a table of their own, and rows to be tested on.
pub(super) struct Training {
    dataset: Dataset,
    train: Vec<u32>,
    test: Vec<u32>,
}

/// What a release of training rows shows, over the rows of the whole table.
pub(super) struct Trained<'a> {
    training: &'a Training,
    cells: Cells,
    group_of_row: Vec<u32>,
}

/// Deals the rows of a dataset into folds.
pub(super) fn training(
    roles: &Roles,
    dataset: &Dataset,
    n_folds: usize,
    seed: u64,
) -> Result<Vec<Training>, Error> {
    let learning = Learning { n_folds, ..Learning::default() };
    let dealt = folds(dataset.n_rows(), &learning, seed);
    let of_fold = |(train, test): (Vec<u32>, Vec<u32>)| {
        let original = dataset.table();
        // A column knows its values also where no row has them: codes mean the same in every fold.
        let columns = original.columns().iter().map(|column| column.select(&train)).collect();
        let table =
            Table::new(original.name().to_owned(), columns, true, original.missing().clone());
        let quantiles = Quantiles::Of(Some(dataset));
        let dataset = assign_roles_by(roles, table, quantiles)?.value;
        Ok(Training { dataset, train, test })
    };
    dealt.into_iter().map(of_fold).collect()
}

impl Run<'_> {
    /// A release of each training fold; nothing when one of them has none.
    pub(super) fn trained<'a>(
        &self,
        job: &Job,
        training: &'a [Training],
    ) -> Option<Vec<Trained<'a>>> {
        let of_fold = |training: &'a Training| {
            let task = job.on(&training.dataset, self.public, self.grid.secret).ok()?;
            let made = self.with_ctx(|ctx| make(&task, ctx)).ok()?;
            let mut group_of_row = vec![SUPPRESSED; self.dataset.n_rows()];
            for (&row, &group) in training.train.iter().zip(&made.candidate.group_of_row) {
                group_of_row[row as usize] = group;
            }
            let is_shown =
                made.candidate.form == Form::Generalized && made.candidate.sensitive.is_empty();
            is_shown.then_some(Trained { training, cells: made.candidate.cells, group_of_row })
        };
        training.iter().map(of_fold).collect()
    }
}

impl Trained<'_> {
    /// The fold as learners see it; the release of all rows shows those it is tested on.
    pub(super) fn fold<'a>(&'a self, shown: View<'a>) -> Fold<'a> {
        let Training { train, test, .. } = self.training;
        let view = View { cells: &self.cells, group_of_row: &self.group_of_row, ..shown };
        Fold { view, shown, train: train.clone(), test: test.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load;
    use crate::plan::Plan;

    const PLAN: &str = "\
        input = 't.csv'\n[attributes]\nage = { role = 'quasi', taxonomy = { widths = [5, 10] } }\n\
        zip = { role = 'quasi', type = 'text', taxonomy = 'mask' }\nsex = 'quasi'\n";

    #[test]
    fn codes_mean_the_same_in_every_fold() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = Vec::new();
        crate::demo::write_csv(crate::demo::Data::Hospital, 60, 3, &mut rows).unwrap();
        let file = folder.path().join("t.csv");
        kohort_io::write_atomically(&file, &mut |out| out.write_all(&rows)).unwrap();
        let plan = Plan::parse("plan", PLAN).unwrap().in_folder(folder.path());
        let dataset = load(&plan, &|_, _| {}).unwrap().value;
        let folds = training(&Roles::new(&plan), &dataset, 4, 1).unwrap();
        assert_eq!(folds.len(), 4);
        let mut tested: Vec<u32> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..60).collect::<Vec<u32>>());
        for fold in &folds {
            for (part, whole) in fold.dataset.quasi().iter().zip(dataset.quasi()) {
                let of_whole = fold.train.iter().map(|&row| whole.codes().get(row as usize));
                assert!(part.codes().iter().eq(of_whole), "{}", whole.name());
                let labels = |attribute: &kohort_core::Attribute| {
                    let nodes = attribute.taxonomy().nodes().iter();
                    nodes
                        .map(|node| (node.label.clone(), node.first, node.last))
                        .collect::<Vec<_>>()
                };
                assert_eq!(labels(part), labels(whole));
            }
        }
    }
}
