//! Who is in which class, with quasi-identifiers as small numbers.

use kohort_core::{Attribute, Domain, Error, Role};

use super::super::{Scene, Who};

/// About how many bins a quasi-identifier of numbers is put into.
const BINS: u32 = 16;

/// A member of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The row of the release, or of the table of people.
    pub(super) target: u32,
    /// Where its quasi-identifiers are: equal rows share them.
    point: u32,
}

/// The members of the classes whose members are all known.
pub(super) struct Members {
    who: Who,
    n_axes: usize,
    // For each axis, how many values it has.
    n_codes: Vec<u32>,
    // Row-major codes of points.
    codes: Vec<u32>,
    // The classes, and where the members of each end.
    classes: Vec<u32>,
    ends: Vec<usize>,
    all: Vec<Member>,
}

impl Members {
    /// The members of the classes of a scene.
    pub(super) fn new(scene: &Scene<'_>) -> Result<Self, Error> {
        if scene.release.is_anatomized() {
            Self::of_anatomized(scene)
        } else {
            Ok(Self::of_people(scene))
        }
    }

    /// Members from given classes: for each, the quasi-identifiers of its members.
    #[cfg(test)]
    pub(super) fn of_points(n_codes: &[u32], classes: &[Vec<Vec<u32>>]) -> Self {
        let mut members = Self::empty(Who::Rows, n_codes.to_vec());
        for (class, points) in (0..).zip(classes) {
            let first = u32::try_from(members.all.len()).expect("a few members");
            members.codes.extend(points.iter().flatten());
            let added = (first..).take(points.len()).map(|point| Member { target: point, point });
            members.all.extend(added);
            members.end(class);
        }
        members
    }

    fn empty(who: Who, n_codes: Vec<u32>) -> Self {
        let (codes, classes, ends, all) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { who, n_axes: n_codes.len(), n_codes, codes, classes, ends, all }
    }

    fn end(&mut self, class: u32) {
        self.classes.push(class);
        self.ends.push(self.all.len());
    }

    /// The rows of an anatomized release.
    fn of_anatomized(scene: &Scene<'_>) -> Result<Self, Error> {
        let release = &scene.release;
        let attributes: Vec<Attribute> = (release.quasi_columns())
            .map(|column| {
                let table = release.table();
                let domain = Domain::new(table, column, None, &|_| false)?;
                Attribute::new(table, column.name(), Role::Quasi, domain, None)
            })
            .collect::<Result<_, Error>>()?;
        let attributes: Vec<&Attribute> = attributes.iter().collect();
        let first_rows = (0..release.n_shapes()).map(|shape| release.row_of_shape(shape));
        let (n_codes, codes) = binned(&attributes, &first_rows.collect::<Vec<_>>());
        let mut of_class = vec![Vec::new(); release.n_classes()];
        for (target, &shape) in (0..).zip(&release.shapes().ids) {
            let class = release.class_of_shape(shape) as usize;
            of_class[class].push(Member { target, point: shape });
        }
        Ok(Self::of_classes(scene, Self { codes, ..Self::empty(Who::Rows, n_codes) }, of_class))
    }

    /// The people of whom each is covered by one class.
    fn of_people(scene: &Scene<'_>) -> Self {
        let Some((people, crowd)) = scene.people.as_ref().zip(scene.crowd()) else {
            return Self::empty(Who::People, Vec::new());
        };
        let first_rows: Vec<u32> = crowd.views().map(|view| view.targets[0]).collect();
        let (n_codes, codes) = binned(people.quasi(), &first_rows);
        let mut of_class = vec![Vec::new(); scene.release.n_classes()];
        for (point, view) in (0..).zip(crowd.views()) {
            let &[shape] = view.shapes else { continue };
            let class = scene.release.class_of_shape(shape) as usize;
            of_class[class].extend(view.targets.iter().map(|&target| Member { target, point }));
        }
        Self::of_classes(scene, Self { codes, ..Self::empty(Who::People, n_codes) }, of_class)
    }

    /// Takes the classes of which as many members are known as they have rows.
    fn of_classes(scene: &Scene<'_>, mut empty: Self, of_class: Vec<Vec<Member>>) -> Self {
        for (class, members) in (0..).zip(of_class) {
            if !members.is_empty() && members.len() == scene.release.size_of_class(class) as usize {
                empty.all.extend(members);
                empty.end(class);
            }
        }
        empty
    }

    /// Whether no class has all its members known.
    pub(super) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Whom the members are.
    pub(super) fn who(&self) -> Who {
        self.who
    }

    /// The classes whose members are known.
    pub(super) fn classes(&self) -> impl Iterator<Item = u32> {
        self.classes.iter().copied()
    }

    /// The number of values of each quasi-identifier.
    pub(super) fn n_codes(&self) -> &[u32] {
        &self.n_codes
    }

    /// The members of each class that is known, numbered from 0.
    pub(super) fn by_class(&self) -> impl Iterator<Item = (usize, &[Member])> {
        (0..self.ends.len()).map(|class| (class, self.of_class(class)))
    }

    /// The members of one of those classes.
    pub(super) fn of_class(&self, class: usize) -> &[Member] {
        let start = class.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[class]]
    }

    /// The quasi-identifiers of a member.
    pub(super) fn codes(&self, member: Member) -> &[u32] {
        &self.codes[member.point as usize * self.n_axes..][..self.n_axes]
    }
}

/// The quasi-identifiers of some rows, row-major, with numbers of many values in bins.
fn binned(attributes: &[&Attribute], rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let bins: Vec<Vec<u32>> = attributes.iter().map(|attribute| bins(attribute)).collect();
    let n_codes = bins.iter().map(|bins| bins.iter().max().map_or(0, |&last| last + 1)).collect();
    let mut codes = Vec::with_capacity(rows.len() * attributes.len());
    for &row in rows {
        let of_row = attributes.iter().zip(&bins);
        codes.extend(of_row.map(|(a, bins)| bins[a.codes().get(row as usize) as usize]));
    }
    (n_codes, codes)
}

/// The bin of each code: itself, or where there are many numbers, the bins that all have as many rows.
fn bins(attribute: &Attribute) -> Vec<u32> {
    let n_codes = attribute.n_codes();
    if !attribute.value_type().is_ordered() || n_codes <= 2 * BINS {
        return (0..n_codes).collect();
    }
    let mut by_value: Vec<u32> = (0..n_codes).collect();
    by_value.sort_by_key(|&code| attribute.value_of_code()[code as usize]);
    let n_rows: u64 = attribute.counts().iter().map(|&count| u64::from(count)).sum();
    let mut bins = vec![0; n_codes as usize];
    let mut before = 0;
    for code in by_value {
        let bin = before * u64::from(BINS) / n_rows.max(1);
        bins[code as usize] = u32::try_from(bin).expect("at most the number of bins");
        before += u64::from(attribute.counts()[code as usize]);
    }
    bins
}
