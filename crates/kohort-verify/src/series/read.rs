//! The classes of a release that is about to be published, as they were read back.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Cells, Column, Error, ReleasedClass, SeriesRelease, Table};

use super::reason::SeriesReason;
use super::verdict::SeriesEvidence;
use super::{COUNT, GROUP, texts};
use crate::truth;

/// The classes of a release.
#[derive(Clone, Debug)]
pub struct ReadClasses {
    /// Who is in which class, and the values each class shows. Classes are in the order of the first person
    /// of each: the order of the released rows is drawn, and what is remembered is not.
    pub release: SeriesRelease,
    /// What each class shows for each quasi-identifier.
    pub cells: Vec<Vec<String>>,
    /// The class of each group, in the order in which groups appear.
    pub class_of_group: Vec<u32>,
    /// What sets of rows that look the same show, one cell for each quasi-identifier.
    pub shown: Cells,
    /// The people in each of these sets.
    pub sizes: Vec<u64>,
}

/// Reads the classes of a release, and checks that it says what the original says.
pub(super) fn read(
    release: &Table,
    counterfeits: Option<&Table>,
    evidence: &SeriesEvidence<'_>,
    counts_counterfeits: bool,
) -> Result<Result<ReadClasses, SeriesReason>, Error> {
    let SeriesEvidence { original, person_of_row, certificate, domain, .. } = *evidence;
    let quasi: Vec<&Column> =
        original.quasi().iter().map(|a| release.column(a.name())).collect::<Result<_, _>>()?;
    let name = original.sensitive()[0].name();
    let (sensitive, group) = (release.column(name)?, release.column(GROUP)?);
    if release.columns().len() != quasi.len() + 2 || release.n_rows() != certificate.len() {
        return Ok(Err(SeriesReason::OtherShape));
    }
    let number_of: BTreeMap<&str, u32> = domain.iter().map(String::as_str).zip(0..).collect();
    let n_classes = group.dictionary().len() as usize;
    let empty = ReleasedClass { values: Vec::new(), n_counterfeits: 0 };
    let n_people = person_of_row.iter().map(|&person| person as usize + 1).max().unwrap_or(0);
    let mut found =
        SeriesRelease { class_of: vec![ABSENT; n_people], classes: vec![empty; n_classes] };
    let mut cells: Vec<Option<Vec<u32>>> = vec![None; n_classes];
    let mut nobody = vec![0; n_classes];
    for (at, (class, text)) in group.codes().iter().zip(texts(sensitive)).enumerate() {
        let Some(&value) = number_of.get(text) else {
            return Ok(Err(SeriesReason::UnknownValue));
        };
        found.classes[class as usize].values.push(value);
        let entries: Vec<u32> = quasi.iter().map(|column| column.codes().get(at)).collect();
        if *cells[class as usize].get_or_insert_with(|| entries.clone()) != entries {
            return Ok(Err(SeriesReason::DifferentCells));
        }
        match certificate[at] {
            Some(row) => found.class_of[person_of_row[row as usize] as usize] = class,
            None => nobody[class as usize] += 1,
        }
    }
    for (class, nobody) in found.classes.iter_mut().zip(&nobody) {
        class.values.sort_unstable();
        class.n_counterfeits = if counts_counterfeits { *nobody } else { 0 };
    }
    if counts_counterfeits && !are_counted(group, &nobody, counterfeits)? {
        return Ok(Err(SeriesReason::MiscountedCounterfeits));
    }
    let (shown, sizes) = match covered(release, evidence)? {
        Ok(covered) => covered,
        Err(reason) => return Ok(Err(reason)),
    };
    let text = |entries: Vec<u32>| {
        let texts = quasi.iter().zip(entries);
        texts.map(|(column, entry)| column.dictionary().get(entry).to_owned()).collect()
    };
    let cells = cells.into_iter().flatten().map(text).collect();
    let classes = ReadClasses { release: found, cells, class_of_group: Vec::new(), shown, sizes };
    Ok(Ok(classes.in_order()))
}

impl ReadClasses {
    /// The same with classes in the order of the first person of each.
    fn in_order(self) -> Self {
        let Self { mut release, mut cells, .. } = self;
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
        Self { release, cells, class_of_group, ..self }
    }
}

/// Whether the table of counterfeits says how many rows of each class belong to nobody.
fn are_counted(group: &Column, nobody: &[u32], counted: Option<&Table>) -> Result<bool, Error> {
    let mut counts: BTreeMap<String, String> = BTreeMap::new();
    if let Some(counted) = counted {
        let (groups, numbers) = (counted.column(GROUP)?, counted.column(COUNT)?);
        let pairs = texts(groups).zip(texts(numbers));
        counts.extend(pairs.map(|(group, count)| (group.to_owned(), count.to_owned())));
    }
    let expected = group.dictionary().iter().zip(nobody).filter(|&(_, &n)| n > 0);
    let expected = expected.map(|(group, n)| (group.to_owned(), n.to_string()));
    Ok(counts == expected.collect())
}

/// What rows show, if every row that is somebody's covers the original row it is said to be, and shows its
/// sensitive value.
fn covered(
    release: &Table,
    evidence: &SeriesEvidence<'_>,
) -> Result<Result<(Cells, Vec<u64>), SeriesReason>, Error> {
    let of_somebody = (0..).zip(evidence.certificate).filter(|(_, row)| row.is_some());
    let at: Vec<u32> = of_somebody.map(|(at, _)| at).collect();
    let claimed: Vec<u32> = evidence.certificate.iter().flatten().copied().collect();
    let columns = release.columns().iter().filter(|column| column.name() != GROUP);
    let columns: Vec<Column> = columns.map(|column| column.select(&at)).collect();
    let name = release.name().to_owned();
    let people = Table::new(name, columns, true, release.missing().clone()).as_read();
    let found = truth(&people, evidence.original, Some(&claimed), None)?;
    if !found.holds() {
        return Ok(Err(SeriesReason::Uncovered { rows: found.uncovered_rows() }));
    }
    Ok(Ok((found.cells().clone(), found.sizes().to_vec())))
}
