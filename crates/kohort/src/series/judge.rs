//! A release of a series against the whole history: classes come from the bytes, promises from the plan.
//!
//! The maker says which row of the original each released row is, and nothing else; every claim is looked
//! at. What the release does not show as it is in the original is no release.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Cells, Column, Dataset, ReleasedClass, SeriesRelease, Table};
use kohort_io::{Format, Options, Staged, read_table};
use kohort_ledger::{Class, Publishing};
use kohort_models::series::{Broken, ClassBox};
use kohort_verify::truth;

use super::belief::{Belief, max_posterior};
use super::earlier::boxes;
use super::method::{Model, needs_boxes};
use super::people::{People, texts};
use super::promise::Case;
use super::publish::Books;
use super::render::Rendered;
use crate::release::{COUNT, GROUP, No, as_read};
use crate::{Error, Stop};

/// What sets of rows that look alike show, one cell per quasi-identifier, and the people in each.
type Sets = (Cells, Vec<u64>);

/// A release as it was read.
pub(super) struct Released {
    /// Who is in which class, and the values each class shows.
    pub(super) release: SeriesRelease,
    /// What each class shows for each quasi-identifier.
    pub(super) cells: Vec<Vec<String>>,
    /// The class of each group, in the order in which groups appear.
    pub(super) class_of_group: Vec<u32>,
    /// The same as cells.
    pub(super) shown: Sets,
}

/// What is given beside the bytes.
struct Evidence<'a> {
    dataset: &'a Dataset,
    people: &'a People,
    // For each released row the row of the original that it is said to be.
    rows: &'a [Option<u32>],
    // The sensitive values by number.
    domain: &'a [String],
    // Whether a table says how many rows belong to nobody.
    tells_counterfeits: bool,
}

/// Reads the files back as anybody would, and judges them.
pub(super) fn judge(
    dataset: &Dataset,
    publishing: &Publishing<'_>,
    books: &Books,
    (model, earlier): (Model, &[Vec<ClassBox>]),
    (staged, format, rendered): (&[Staged], Format, &Rendered),
) -> Result<(Released, Vec<Class>, Belief), Stop> {
    let missing = dataset.table().missing().clone();
    let options = Options { missing, ..Options::as_written(format) };
    let mut tables = Vec::new();
    for file in staged {
        tables.push(read_table(&file.path().to_string_lossy(), &options, &|_, _| {})?.table);
    }
    let evidence = Evidence {
        dataset,
        people: &books.people,
        rows: &rendered.rows,
        domain: publishing.domain(),
        tells_counterfeits: books.choice.method != "rho-different",
    };
    let released = match read(&tables[0], tables.get(1), &evidence)? {
        Ok(released) => released,
        Err(broken) => return Err(rejected(broken.0).into()),
    };
    let pairs = released.cells.iter().zip(&released.release.classes);
    let classes: Vec<Class> = pairs
        .map(|(cells, class)| Class {
            cells: cells.clone(),
            released: class.clone(),
            counterfeits: Vec::new(),
        })
        .collect();
    let mut all_boxes = earlier.to_vec();
    if needs_boxes(books.choice.method) {
        all_boxes.push(boxes(&classes, &books.columns, dataset)?);
    }
    let case = Case {
        history: &books.history,
        next: &released.release,
        boxes: &all_boxes,
        sensitive: &books.sensitive,
        correlations: books.correlations.as_ref(),
        is_exact: true,
    };
    let judged = case.judge(model, books.is_weak).and_then(|belief| match belief {
        Some(belief) => Ok(belief),
        None => max_posterior(&case, model, books.is_weak),
    });
    let belief = judged.map_err(|broken| rejected(broken.0))?;
    let before = books.figures.last();
    Ok((released, classes, before.map_or(belief, |before| belief.after(before))))
}

fn rejected(why: String) -> No {
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: vec![why],
        hint: "try another method, or ask for less".into(),
        ..No::default()
    }
}

/// Reads the classes of a release, and looks whether it says what the original says.
fn read(
    release: &Table,
    counterfeits: Option<&Table>,
    evidence: &Evidence<'_>,
) -> Result<Result<Released, Broken>, Error> {
    let Evidence { dataset, people, rows, domain, .. } = *evidence;
    let quasi: Vec<&Column> =
        dataset.quasi().iter().map(|a| release.column(a.name())).collect::<Result<_, _>>()?;
    let name = dataset.sensitive()[0].name();
    let (sensitive, group) = (release.column(name)?, release.column(GROUP)?);
    if release.columns().len() != quasi.len() + 2 || release.n_rows() != rows.len() {
        return Ok(Err(Broken("the release has other columns or rows than it must have".into())));
    }
    let number_of: BTreeMap<&str, u32> = domain.iter().map(String::as_str).zip(0..).collect();
    let n_classes = group.dictionary().len() as usize;
    let empty = ReleasedClass { values: Vec::new(), n_counterfeits: 0 };
    let n_people = people.person_of_row.iter().map(|&p| p as usize + 1).max().unwrap_or(0);
    let mut found =
        SeriesRelease { class_of: vec![ABSENT; n_people], classes: vec![empty; n_classes] };
    let mut cells: Vec<Option<Vec<u32>>> = vec![None; n_classes];
    let mut nobody = vec![0; n_classes];
    for (at, (class, text)) in group.codes().iter().zip(texts(sensitive)).enumerate() {
        let Some(&value) = number_of.get(text) else {
            return Ok(Err(Broken(
                "the release shows a value that the series does not have".into(),
            )));
        };
        found.classes[class as usize].values.push(value);
        let entries: Vec<u32> = quasi.iter().map(|column| column.codes().get(at)).collect();
        if *cells[class as usize].get_or_insert_with(|| entries.clone()) != entries {
            return Ok(Err(Broken("rows of one class show different cells".into())));
        }
        match rows[at] {
            Some(row) => found.class_of[people.person_of_row[row as usize] as usize] = class,
            None => nobody[class as usize] += 1,
        }
    }
    for (class, nobody) in found.classes.iter_mut().zip(&nobody) {
        class.values.sort_unstable();
        class.n_counterfeits = if evidence.tells_counterfeits { *nobody } else { 0 };
    }
    if evidence.tells_counterfeits && !are_told(group, &nobody, counterfeits)? {
        return Ok(Err(Broken("counterfeits are not counted as they are".into())));
    }
    let shown = match shown(release, evidence)? {
        Ok(shown) => shown,
        Err(broken) => return Ok(Err(broken)),
    };
    let text = |entries: Vec<u32>| {
        let texts = quasi.iter().zip(entries);
        texts.map(|(column, entry)| column.dictionary().get(entry).to_owned()).collect()
    };
    let cells = cells.into_iter().flatten().map(text).collect();
    Ok(Ok(Released { release: found, cells, class_of_group: Vec::new(), shown }.in_order()))
}

impl Released {
    /// The same with classes in the order of the first person of each: the order of the released rows is
    /// drawn, and what is remembered is not.
    fn in_order(self) -> Self {
        let Self { mut release, mut cells, shown, .. } = self;
        let mut first = vec![u32::MAX; cells.len()];
        for (person, &class) in (0..).zip(&release.class_of) {
            if class != ABSENT {
                first[class as usize] = first[class as usize].min(person);
            }
        }
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&group| first[group]);
        let mut class_of_group = vec![0; order.len()];
        for (class, &group) in (0..).zip(&order) {
            class_of_group[group] = class;
        }
        for class in release.class_of.iter_mut().filter(|class| **class != ABSENT) {
            *class = class_of_group[*class as usize];
        }
        release.classes = order.iter().map(|&group| release.classes[group].clone()).collect();
        cells = order.iter().map(|&group| std::mem::take(&mut cells[group])).collect();
        Self { release, cells, class_of_group, shown }
    }
}

/// Whether the table of counterfeits says how many rows of each class belong to nobody.
fn are_told(group: &Column, nobody: &[u32], told: Option<&Table>) -> Result<bool, Error> {
    let mut counts: BTreeMap<String, String> = BTreeMap::new();
    if let Some(told) = told {
        let (groups, numbers) = (told.column(GROUP)?, told.column(COUNT)?);
        let pairs = texts(groups).zip(texts(numbers));
        counts.extend(pairs.map(|(group, count)| (group.to_owned(), count.to_owned())));
    }
    let expected = group.dictionary().iter().zip(nobody).filter(|&(_, &n)| n > 0);
    let expected = expected.map(|(group, n)| (group.to_owned(), n.to_string()));
    Ok(counts == expected.collect())
}

/// What classes show, if every row that is somebody's covers the original row it is said to be, and shows
/// its sensitive value.
fn shown(release: &Table, evidence: &Evidence<'_>) -> Result<Result<Sets, Broken>, Error> {
    let of_somebody = (0..).zip(evidence.rows).filter(|(_, row)| row.is_some());
    let at: Vec<u32> = of_somebody.map(|(at, _)| at).collect();
    let claimed: Vec<u32> = evidence.rows.iter().flatten().copied().collect();
    let columns = release.columns().iter().filter(|column| column.name() != GROUP);
    let columns: Vec<Column> = columns.map(|column| column.select(&at)).collect();
    let name = release.name().to_owned();
    let people = as_read(&Table::new(name, columns, true, release.missing().clone()));
    let found = truth(&people, evidence.dataset, Some(&claimed), None)?;
    if !found.holds() {
        let rows = found.uncovered_rows();
        return Ok(Err(Broken(format!("{rows} released rows do not cover the original rows"))));
    }
    Ok(Ok((found.cells().clone(), found.sizes().to_vec())))
}
