//! Whether a table keeps models for one quasi-identifier, and by how much it misses.

use kohort_core::{Attribute, Codes, Grouping};
use kohort_models::{Class, ClassModel, Counts, Distribution, tally};

use crate::lkc;

/// How far a table is from keeping a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The classes that break it.
    pub classes: u64,
    /// The rows in those classes.
    pub rows: u64,
}

/// The violations of each model by these classes. LKC-privacy is judged by its definition: the classes of
/// every set of at most L of these columns (codes and their number), which are rows of equal codes. Of a
/// release whose codes are its texts, two ranges that overlap are different values, as they are for every
/// other model.
pub fn check(
    classes: &Grouping,
    quasi: &[(&Codes, u32)],
    sensitive: &[&Attribute],
    models: &[Box<dyn ClassModel + '_>],
) -> Vec<Violations> {
    if models.is_empty() {
        return Vec::new();
    }
    let distributions: Vec<Distribution<'_>> =
        sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
    let all: Vec<&dyn ClassModel> = models.iter().map(|model| &**model).collect();
    let mut violations = check_classes(classes, (sensitive, &distributions), &all);
    for (model, found) in models.iter().zip(&mut violations) {
        // What every class of all columns keeps, the classes of fewer columns keep too.
        if let Some(model) = model.over_subsets().filter(|_| found.classes > 0) {
            *found = lkc(classes.ids.len(), quasi, sensitive, model);
        }
    }
    violations
}

/// The violations of each model by classes alone, where the whole table has these distributions.
pub(crate) fn check_classes(
    classes: &Grouping,
    (sensitive, distributions): (&[&Attribute], &[Distribution<'_>]),
    models: &[&dyn ClassModel],
) -> Vec<Violations> {
    let mut cells: Vec<Vec<(u32, u64)>> = vec![Vec::new(); sensitive.len()];
    let mut violations = vec![Violations::default(); models.len()];
    let (rows, ends) = classes.members();
    let mut start = 0;
    for end in ends {
        let members = &rows[start as usize..end as usize];
        start = end;
        for ((attribute, table), cells) in sensitive.iter().zip(distributions).zip(&mut cells) {
            let codes = members.iter().map(|&row| (attribute.codes().get(row as usize), 1));
            tally(codes, table.n_values(), cells);
        }
        let counts: Vec<Counts<'_>> = (distributions.iter().zip(&cells))
            .map(|(table, cells)| Counts { table, cells })
            .collect();
        let class = Class { size: members.len() as u64, sensitive: &counts };
        for (model, violations) in models.iter().zip(&mut violations) {
            if !model.holds(&class) {
                violations.classes += 1;
                violations.rows += class.size;
            }
        }
    }
    violations
}
