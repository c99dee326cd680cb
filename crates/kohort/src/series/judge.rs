//! A release of a series against the whole history: classes come from the bytes, promises from the plan.
//!
//! The maker says which row of the original each released row is, and nothing else; every claim is looked
//! at. What the release does not show as it is in the original is no release.

use std::collections::BTreeMap;

use kohort_core::{
    ABSENT, Cell, Column, Dataset, History, Ratio, ReleasedClass, SeriesRelease, Table,
};
use kohort_ledger::Class;
use kohort_models::series::{
    Broken, ClassBox, Correlations, Joined, Reading, RhoDifferent, Shown, Smoothing, join,
};
use kohort_verify::truth;

use super::earlier::boxes;
use super::method::Model;
use super::people::{People, texts};
use crate::Error;
use crate::release::{COUNT, GROUP, as_read};

/// What sets of rows that look alike show, one cell per quasi-identifier, and the people in each.
type Sets = (Vec<Cell>, Vec<u64>);

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
pub(super) struct Evidence<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) people: &'a People,
    /// For each released row the row of the original that it is said to be.
    pub(super) rows: &'a [Option<u32>],
    /// The sensitive values by number.
    pub(super) domain: &'a [String],
    /// Whether a table says how many rows belong to nobody.
    pub(super) tells_counterfeits: bool,
}

/// Reads the classes of a release, and looks whether it says what the original says.
pub(super) fn read(
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
    Ok(Ok((found.cells().to_vec(), found.sizes().to_vec())))
}

/// What everybody has seen, and what it is judged with.
pub(super) struct Case<'a> {
    /// The releases so far.
    pub(super) history: &'a History,
    /// The boxes of their classes, where the model needs them.
    pub(super) earlier: &'a [Vec<ClassBox>],
    pub(super) correlations: Option<&'a Correlations>,
    /// The release that was read, and the names of its columns.
    pub(super) next: &'a SeriesRelease,
    pub(super) classes: &'a [Class],
    pub(super) columns: &'a [String],
}

impl Case<'_> {
    /// Whether the whole history with the release keeps the promise.
    pub(super) fn judge(
        &self,
        model: Model,
        dataset: &Dataset,
        all: &History,
    ) -> Result<Result<(), Broken>, Error> {
        let own = || boxes(self.classes, self.columns, dataset);
        Ok(match model {
            Model::MInvariance(model) => model.check(self.history, self.next),
            Model::EEquivalence(model) => model.check(self.history, self.next),
            Model::Global(model) => model.check(self.history, self.next),
            Model::RhoDifferent(model) => {
                rho_different(model, all, self.correlations.unwrap_or(&Correlations::default()))
            }
            Model::Bcf(model) => {
                let own = own()?;
                model.check(&self.shown(), Shown { release: self.next, boxes: &own })
            }
            Model::XyAnonymity(model) => self.joined(&own()?, &|joined| model.check(joined)),
            Model::XyLinkability(model) => self.joined(&own()?, &|joined| model.check(joined)),
        })
    }

    fn shown(&self) -> Vec<Shown<'_>> {
        let releases = self.history.releases.iter().zip(self.earlier);
        releases.map(|(release, boxes)| Shown { release, boxes }).collect()
    }

    /// Whether the release alone and its join with every earlier one, in both directions, pass a test.
    fn joined(
        &self,
        own: &[ClassBox],
        check: &dyn Fn(&[Joined]) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let next = Shown { release: self.next, boxes: own };
        let classes = (0..).zip(&self.next.classes);
        let alone: Vec<Joined> = classes
            .flat_map(|(x, class)| {
                let runs = class.values.chunk_by(|a, b| a == b);
                runs.map(move |run| Joined { x, y: run[0], n_rows: run.len() as u64 })
            })
            .collect();
        check(&alone)?;
        self.shown().into_iter().try_for_each(|earlier| {
            check(&join(next, earlier)).and_then(|()| check(&join(earlier, next)))
        })
    }
}

/// Whether nobody's value at any release of a history is believed with more than rho.
fn rho_different(
    model: RhoDifferent,
    all: &History,
    correlations: &Correlations,
) -> Result<(), Broken> {
    let smoothing = Smoothing::new(all, correlations, Reading::PROMISED);
    let finding = model.judge(&smoothing, &everybody(all));
    if finding.holds() {
        return Ok(());
    }
    let (n, rho, worst) = (finding.n_people_above, model.rho(), finding.max_posterior);
    Err(Broken(format!(
        "{n} people are believed to have a value with more than {rho}, for one with {worst}"
    )))
}

/// The highest belief about anybody's value at any release: by smoothing where it is known how values follow
/// one another, otherwise what the model of the method reckons with.
pub(super) fn max_posterior(
    all: &History,
    model: Model,
    correlations: Option<&Correlations>,
) -> Result<f64, Error> {
    if let Some(correlations) = correlations {
        let smoothing = Smoothing::new(all, correlations, Reading::PROMISED);
        let any = RhoDifferent::new(Ratio::new(1, 2))?;
        return Ok(any.judge(&smoothing, &everybody(all)).max_posterior);
    }
    if matches!(model, Model::Global(_)) {
        return Ok(ever_had(all));
    }
    let shares = all.releases.iter().flat_map(|release| &release.classes).map(worst_share);
    Ok(shares.max().map_or(0.0, Ratio::value))
}

/// Everybody who is in a release.
fn everybody(all: &History) -> Vec<u32> {
    let n = u32::try_from(all.n_people()).expect("people are numbered in u32");
    (0..n).filter(|&person| all.releases.iter().any(|r| r.class_of(person).is_some())).collect()
}

/// The largest share of a value in a class.
fn worst_share(class: &ReleasedClass) -> Ratio {
    let runs = class.values.chunk_by(|a, b| a == b);
    let largest = runs.map(<[u32]>::len).max().unwrap_or(0);
    Ratio::new(largest as u64, class.values.len().max(1) as u64)
}

/// The highest probability that somebody ever had a value, where values change independently.
fn ever_had(all: &History) -> f64 {
    let mut worst: f64 = 0.0;
    for person in everybody(all) {
        let mut never: BTreeMap<u32, f64> = BTreeMap::new();
        for release in &all.releases {
            let Some(class) = release.class_of(person) else { continue };
            let values = &release.classes[class as usize].values;
            for run in values.chunk_by(|a, b| a == b) {
                #[expect(clippy::cast_precision_loss, reason = "numbers of rows")]
                let share = run.len() as f64 / values.len() as f64;
                *never.entry(run[0]).or_insert(1.0) *= 1.0 - share;
            }
        }
        worst = never.values().fold(worst, |worst, never| worst.max(1.0 - never));
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release of classes: the people, and the letters shown of b, c, d, f, g, m.
    fn release(classes: &[(&[usize], &str)]) -> SeriesRelease {
        let mut found = SeriesRelease { class_of: vec![ABSENT; 16], classes: Vec::new() };
        for (class, (people, letters)) in (0..).zip(classes) {
            people.iter().for_each(|&person| found.class_of[person - 1] = class);
            let number = |letter| u32::try_from("bcdfgm".find(letter).unwrap()).unwrap();
            let mut values: Vec<u32> = letters.chars().map(number).collect();
            values.sort_unstable();
            found.classes.push(ReleasedClass { values, n_counterfeits: 0 });
        }
        found
    }

    // Tables 39 and 41 of 001; n1 to n5 are 12 to 16.
    #[test]
    fn table_41_is_rejected_at_one_half() {
        let first = release(&[
            (&[1, 2], "db"),
            (&[3, 4], "fg"),
            (&[5, 6], "fg"),
            (&[7, 8, 9], "dfg"),
            (&[10, 11], "dc"),
        ]);
        let second = release(&[
            (&[1, 12], "df"),
            (&[4], "cg"),
            (&[7], "dm"),
            (&[9], "cg"),
            (&[5, 14], "fd"),
            (&[13, 11], "gc"),
            (&[15, 16], "gf"),
        ]);
        let half = Ratio::new(1, 2);
        let listed = [(4, Ratio::whole(1)), (2, half), (1, Ratio::whole(1)), (5, half)];
        let correlations =
            Correlations::new(&listed.map(|(value, share)| (value, value, share))).unwrap();
        let model = RhoDifferent::new(half).unwrap();
        let mut all = History { n_values: 6, releases: vec![first] };
        assert_eq!(rho_different(model, &all, &correlations), Ok(()));
        all.releases.push(second);
        let broken = rho_different(model, &all, &correlations).unwrap_err();
        assert!(broken.0.ends_with("with more than 1/2, for one with 1"), "{}", broken.0);
    }
}
