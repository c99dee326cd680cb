//! Whether a table keeps models for one quasi-identifier, and by how much it misses.

use kohort_core::{Attribute, Codes, Grouping};
use kohort_models::{ClassModel, Distribution};

use crate::lkc;
use crate::release::masked_cells::Fillings;

/// How far a table is from keeping a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The classes that break it.
    pub classes: u64,
    /// The rows in those classes.
    pub rows: u64,
    /// Those of the classes that have masked cells: some filling of them breaks it, or it cannot be
    /// decided.
    pub masked: u64,
}

/// The violations of each model by these classes. LKC-privacy is judged by its definition: the classes of
/// every set of at most L of these columns (codes and their number), which are rows of equal codes. Of a
/// release whose codes are its texts, two ranges that overlap are different values, as they are for every
/// other model. Masked cells are filled in every way; what compares a class with a table whose cells are masked
/// is undecided in every class.
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
    let is_open = |model: &dyn ClassModel| is_undecided(model, sensitive);
    let decided: Vec<&dyn ClassModel> =
        models.iter().map(|model| &**model).filter(|model| !is_open(*model)).collect();
    let mut found = check_classes(classes, (sensitive, &distributions), &decided).into_iter();
    let n_classes = u64::from(classes.n_classes);
    let undecided =
        Violations { classes: n_classes, rows: classes.ids.len() as u64, masked: n_classes };
    let mut violations = Vec::new();
    for model in models {
        let found = if is_open(&**model) { undecided } else { found.next().unwrap_or_default() };
        // What every class of all columns keeps, the classes of fewer columns keep too.
        violations.push(match model.over_subsets() {
            Some(model) if found.classes > 0 => lkc(classes.ids.len(), quasi, sensitive, model),
            _ => found,
        });
    }
    violations
}

/// Whether a model compares classes with a table of which not every cell is known.
pub(crate) fn is_undecided(model: &dyn ClassModel, sensitive: &[&Attribute]) -> bool {
    model.compared().is_some_and(|attribute| sensitive[attribute].masked().is_some())
}

/// The violations of each model by classes alone, where the whole table has these distributions.
pub(crate) fn check_classes(
    classes: &Grouping,
    (sensitive, distributions): (&[&Attribute], &[Distribution<'_>]),
    models: &[&dyn ClassModel],
) -> Vec<Violations> {
    let mut fillings = Fillings::new(sensitive, distributions);
    let mut violations = vec![Violations::default(); models.len()];
    let (rows, ends) = classes.members();
    let mut start = 0;
    for end in ends {
        kohort_core::alive();
        let members = &rows[start as usize..end as usize];
        start = end;
        fillings.read(members);
        for (model, violations) in models.iter().zip(&mut violations) {
            if !fillings.holds(*model) {
                violations.classes += 1;
                violations.rows += members.len() as u64;
                violations.masked += u64::from(fillings.is_masked());
            }
        }
    }
    violations
}
