//! Small tables as datasets, and what is promised about a candidate, recomputed plainly.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{
    Attribute, Cell, Codes, Column, Dataset, Dictionary, Domain, Labels, Level, Missing, Role,
    Table, Taxonomy, Tree,
};
use kohort_models::{ClassModel, Costs, LkcPrivacy, Promises};

use crate::{Candidate, Form, Perturbed, Problem, SUPPRESSED, Settings};

/// One column: name, role, one text per row, and the lines of a taxonomy, leaf first, if it has one.
pub(crate) struct Given {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) texts: Vec<String>,
    pub(crate) taxonomy: Option<Vec<Vec<String>>>,
    pub(crate) labels: Labels,
}

impl Given {
    /// A column without a taxonomy.
    pub(crate) fn flat<T: ToString>(name: &'static str, role: Role, values: &[T]) -> Self {
        let texts = values.iter().map(ToString::to_string).collect();
        Self { name, role, texts, taxonomy: None, labels: Labels::Names }
    }

    /// The same column with a taxonomy: one line per leaf, its levels between semicolons.
    pub(crate) fn with_taxonomy(self, lines: &[&str]) -> Self {
        let split = |line: &&str| line.split(';').map(str::to_owned).collect();
        Self { taxonomy: Some(lines.iter().map(split).collect()), ..self }
    }

    /// The same with labels that are intervals.
    pub(crate) fn with_intervals(self, lines: &[&str]) -> Self {
        Self { labels: Labels::Intervals, ..self.with_taxonomy(lines) }
    }
}

/// The dataset of these columns.
pub(crate) fn dataset(given: &[Given]) -> Dataset {
    let missing = Missing::default();
    let columns = given.iter().map(|given| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (2..).zip(&given.texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
        }
        Column::new(given.name.into(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), columns.collect(), true, missing.clone());
    let attributes = given.iter().filter(|given| given.role != Role::Insensitive).map(|given| {
        let column = table.column(given.name).unwrap();
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        let taxonomy = given.taxonomy.as_deref().map(|lines| {
            let (tree, positions) = tree(lines, &domain, column);
            (tree.with_labels(given.labels), positions)
        });
        Attribute::new(&table, given.name, given.role, domain, taxonomy).unwrap()
    });
    let attributes = attributes.collect();
    Dataset::new(table, attributes).unwrap()
}

fn tree(lines: &[Vec<String>], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(&line[0], column)).collect();
    let levels: Vec<Level> = (1..lines[0].len())
        .map(|level| {
            let mut labels: Vec<String> = Vec::new();
            let group_of_leaf = lines.iter().map(|line| {
                let found = labels.iter().position(|label| *label == line[level]);
                let group = found.unwrap_or_else(|| {
                    labels.push(line[level].clone());
                    labels.len() - 1
                });
                u32::try_from(group).unwrap()
            });
            let group_of_leaf = group_of_leaf.collect();
            Level { group_of_leaf, labels }
        })
        .collect();
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].clone(),
        levels: &levels,
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: domain.missing().is_some(),
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}

/// Settings that ask for nothing special.
pub(crate) fn settings(n_axes: usize) -> Settings {
    Settings::plain(n_axes, 1)
}

/// The problem of making a dataset keep these models.
pub(crate) fn problem<'a>(
    dataset: &'a Dataset,
    models: Vec<Box<dyn ClassModel + 'a>>,
    settings: Settings,
) -> Problem<'a> {
    let promises = Promises::new(models, &dataset.sensitive());
    Problem::new(dataset, promises, settings)
}

/// The nine tuples of Abdalaal 2012 (age and zip), with these values, one letter per row, as sensitive `i1`.
pub(crate) fn nine(values: &str) -> Dataset {
    let values: Vec<char> = values.chars().collect();
    dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
        Given::flat("i1", Role::Sensitive, &values),
    ])
}

/// The rows of each group, sorted.
pub(crate) fn groups_of(candidate: &Candidate) -> BTreeSet<Vec<u32>> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, &group) in (0..).zip(&candidate.group_of_row) {
        groups.entry(group).or_default().push(row);
    }
    groups.into_values().collect()
}

/// Asserts what every perturbed candidate has. Nothing covers the original values and no class keeps a
/// promise: each row shows values of its own in place of the true ones, which is why no k is given.
fn assert_perturbed(problem: &Problem<'_>, candidate: &Candidate) {
    assert!(candidate.cells.is_empty() && !candidate.group_of_row.contains(&SUPPRESSED));
    assert_eq!(candidate.perturbed.len(), problem.quasi().len());
    for (attribute, perturbed) in problem.quasi().iter().zip(&candidate.perturbed) {
        let is_missing = |code: u32| attribute.missing() == Some(code);
        let is_shown_missing: Vec<bool> = match perturbed {
            Perturbed::Codes(codes) => codes.iter().map(is_missing).collect(),
            Perturbed::Numbers(numbers) => numbers.iter().map(|number| number.is_nan()).collect(),
        };
        let was_missing: Vec<bool> = attribute.codes().iter().map(is_missing).collect();
        assert_eq!(is_shown_missing, was_missing, "missing values stay missing, and only they");
    }
}

/// The voters of Abdalaal 2012 (Table 4, where t8 is (b, x)), with both issues.
pub(crate) fn voters() -> Dataset {
    dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
        Given::flat("i1", Role::Sensitive, &["a", "b", "d", "a", "b", "a", "c", "b", "c"]),
        Given::flat("i2", Role::Sensitive, &["w", "z", "x", "x", "y", "y", "z", "x", "w"]),
    ])
}

/// The sensitive codes of these rows, row-major.
pub(crate) fn tuples(problem: &Problem<'_>, rows: &[u32]) -> Vec<u32> {
    let of = |&row: &u32| problem.sensitive().iter().map(move |a| a.codes().get(row as usize));
    rows.iter().flat_map(of).collect()
}

/// The classes of a candidate, and the number of suppressed rows.
type Classes = (BTreeMap<(Option<u32>, Vec<Cell>), Vec<usize>>, u64);

/// The rows of each class: those with equal cells, or of one group where cells are not what is
/// published.
pub(crate) fn classes_of(problem: &Problem<'_>, candidate: &Candidate) -> Vec<Vec<u32>> {
    let rows = |rows: Vec<usize>| rows.into_iter().map(|row| u32::try_from(row).unwrap()).collect();
    covering(problem, candidate).0.into_values().map(rows).collect()
}

/// Asserts that a candidate covers its rows and that rows with equal cells keep every promise, and
/// gives its mean loss per row: what the algorithm was to keep small. Where cells are not what is
/// published, the classes are the groups, and nothing need be covered.
pub(crate) fn judge(problem: &Problem<'_>, candidate: &Candidate) -> f64 {
    if candidate.form == Form::Perturbed {
        assert_perturbed(problem, candidate);
        return 0.0;
    }
    // What is compared with the whole table is compared with what is published of it. Suppressed rows that
    // stay are published, and a class.
    let is_suppressed = |row: &u32| candidate.group_of_row[*row as usize] == SUPPRESSED;
    let keeps_suppressed = problem.settings().keeps_suppressed;
    let is_published = |row: &u32| keeps_suppressed || !is_suppressed(row);
    let published: Vec<u32> = (0..).take(problem.n_rows()).filter(is_published).collect();
    let sensitive: Vec<Attribute> =
        problem.sensitive().iter().map(|attribute| attribute.select(&published)).collect();
    let sensitive: Vec<&Attribute> = sensitive.iter().collect();
    let (promises, few) = by_definition(problem);
    let promises = promises.among(&sensitive);
    let mut classes = covering(problem, candidate).0;
    if keeps_suppressed {
        let starred = (0..).take(problem.n_rows()).filter(is_suppressed).map(|row| row as usize);
        let starred: Vec<usize> = starred.collect();
        if !starred.is_empty() {
            let cells = vec![Cell::ANY; problem.quasi().len()];
            classes.entry((None, cells)).or_default().extend(starred);
        }
    }
    for rows in classes.values() {
        let counts = counted(problem, rows);
        assert!(promises.holds(rows.len() as u64, &counts), "a class breaks a promise");
    }
    let d = problem.quasi().len();
    for model in few {
        for set in (0_u32..1 << d).filter(|set| set.count_ones() as usize <= model.l()) {
            let mut known: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
            for ((_, cells), rows) in &classes {
                let shown = (0..d).filter(|axis| set >> axis & 1 == 1).map(|axis| cells[axis]);
                known.entry(shown.collect()).or_default().extend(rows);
            }
            let holds = |rows: &Vec<usize>| rows.is_empty() || keeps(problem, model, rows);
            assert!(known.values().all(holds), "a class of few columns breaks a promise");
        }
    }
    loss(problem, candidate)
}

/// The promises about classes, and those about classes of fewer columns than there are.
pub(crate) fn by_definition<'p>(problem: &'p Problem<'_>) -> (Promises<'p>, Vec<&'p LkcPrivacy>) {
    let d = problem.quasi().len();
    let is_few = |model: &dyn ClassModel| model.over_subsets().is_some_and(|lkc| lkc.l() < d);
    let promises = problem.promises().only(problem.sensitive(), |model| !is_few(model));
    let few = problem.promises().models().iter().filter(|model| is_few(&***model));
    (promises, few.filter_map(|model| model.over_subsets()).collect())
}

/// How often each sensitive value occurs in some rows.
pub(crate) fn counted(problem: &Problem<'_>, rows: &[usize]) -> Vec<Vec<(u32, u64)>> {
    let counts = |attribute: &&Attribute| {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in rows {
            *counts.entry(attribute.codes().get(row)).or_default() += 1;
        }
        counts.into_iter().collect::<Vec<_>>()
    };
    problem.sensitive().iter().map(counts).collect()
}

/// Whether some rows keep the bounds of LKC-privacy as one class.
pub(crate) fn keeps(problem: &Problem<'_>, model: &LkcPrivacy, rows: &[usize]) -> bool {
    let promises = Promises::new(vec![Box::new(model)], problem.sensitive());
    promises.holds(rows.len() as u64, &counted(problem, rows))
}

/// What a group shows: nothing where quasi-identifiers are as they are, or the group is none.
pub(crate) fn shown(candidate: &Candidate, group: u32) -> Vec<Cell> {
    let group = group as usize;
    let is_there = group < candidate.cells.n_classes();
    if is_there { candidate.cells.class(group).collect() } else { Vec::new() }
}

/// Asserts that a candidate covers its rows, and gives its classes.
fn covering(problem: &Problem<'_>, candidate: &Candidate) -> Classes {
    assert_eq!(candidate.group_of_row.len(), problem.n_rows());
    let is_generalized = candidate.form == Form::Generalized;
    let mut classes: BTreeMap<(Option<u32>, Vec<Cell>), Vec<usize>> = BTreeMap::new();
    let mut suppressed = 0;
    for (row, &group) in candidate.group_of_row.iter().enumerate() {
        if group == SUPPRESSED {
            suppressed += 1;
            continue;
        }
        if !is_generalized {
            classes.entry((Some(group), shown(candidate, group))).or_default().push(row);
            continue;
        }
        let cells = shown(candidate, group);
        for (attribute, &cell) in problem.quasi().iter().zip(&cells) {
            let (lo, hi) = attribute.codes_of(cell);
            let code = attribute.codes().get(row);
            assert!(lo <= code && code <= hi, "row {row} lies outside of {cell:?}");
        }
        classes.entry((None, cells)).or_default().push(row);
    }
    assert!(suppressed <= problem.settings().suppression, "{suppressed} rows suppressed");
    (classes, suppressed)
}

/// The mean loss per row of a candidate that covers its rows, whatever promises it keeps.
pub(crate) fn loss(problem: &Problem<'_>, candidate: &Candidate) -> f64 {
    let (classes, suppressed) = covering(problem, candidate);
    let costs: Vec<Costs> = (problem.quasi().iter())
        .map(|attribute| Costs::new(attribute, problem.settings().metric.cells()))
        .collect();
    let weights = &problem.settings().weights;
    let total: f64 = weights.iter().sum();
    let loss = |cells: &[Cell]| -> f64 {
        costs.iter().zip(weights).zip(cells).map(|((c, w), &cell)| w / total * c.of(cell)).sum()
    };
    let published: f64 =
        classes.iter().map(|((_, cells), rows)| rows.len() as f64 * loss(cells)).sum();
    (published + suppressed as f64) / problem.n_rows() as f64
}
