//! What an adversary sees: a release, a background, and which records each target may have.

use std::sync::OnceLock;

use kohort_core::{Attribute, Error, Message, MissingAs, Ratio, Setting, group, message};
use rayon::prelude::*;

use super::super::guess::Says;
use super::super::re_execution::RunAgain;
use super::background::{Correlated, Declared, Knowledge, People, Whole};
use super::released::Released;
use super::series::{self, Series};
use crate::release::cells::{Interval, Published};
use crate::release::index::Index;

/// Everything an adversary has. The truth is no part of it.
pub struct Scene<'a> {
    /// The release under attack.
    pub release: Released<'a>,
    /// The people an adversary looks for.
    pub people: Option<People<'a>>,
    /// What is known of some of them.
    pub knowledge: Knowledge,
    /// How the release says it was made.
    pub declared: Declared<'a>,
    /// The columns that the release shows as they are, beside its sensitive attributes.
    pub insensitive: Vec<&'a str>,
    /// Other releases about the same people, the oldest first.
    pub others: Vec<Released<'a>>,
    /// How values follow one another from release to release, where the adversary knows.
    pub correlated: Option<Correlated>,
    /// The share of a population that is in the released table, where that is known.
    pub sampled: Option<Ratio>,
    /// What is known of the whole table that the release was made of.
    pub whole: Option<Whole>,
    /// The method that made the release, or what is needed to run it again.
    pub method: Result<RunAgain<'a>, Message>,
    /// Whether it is not known who is in which of several releases: everybody whom one covers is taken to be
    /// in it, and what follows from that refutes nothing.
    pub is_presence_assumed: bool,
    rows: Sight,
    crowd: Option<Sight>,
    // Made when the first attack asks for them.
    series: OnceLock<Vec<(usize, Series)>>,
}

/// Which shapes of a release each target may have. Targets that see the same are one view.
pub struct Sight {
    // Targets by view, and where each view ends.
    targets: Vec<u32>,
    target_ends: Vec<u32>,
    // Shapes by view, and where each view ends.
    shapes: Vec<u32>,
    shape_ends: Vec<usize>,
    // How many targets each shape covers.
    covered: Vec<u64>,
}

/// Targets that cannot be told apart by what is known of them, and the shapes that cover them.
#[derive(Clone, Copy, Debug)]
pub struct View<'s> {
    /// The targets: people, or released rows.
    pub targets: &'s [u32],
    /// The shapes of the release that any of them may have, ascending.
    pub shapes: &'s [u32],
}

impl<'a> Scene<'a> {
    /// A release and the people to look for in it; the rest is empty.
    pub fn new(release: Released<'a>, people: Option<People<'a>>) -> Result<Self, Error> {
        let rows = Sight::of_rows(&release);
        let crowd = people.as_ref().map(|people| Sight::of_people(&release, people)).transpose()?;
        for people in people.iter().filter(|people| people.are_members()) {
            for attribute in people.quasi().iter().filter(|a| release.quasi().contains(&a.name())) {
                Published::refuse_unknown_texts(release.table(), people.table(), attribute)?;
            }
        }
        Ok(Self {
            release,
            people,
            knowledge: Knowledge::default(),
            declared: Declared::default(),
            insensitive: Vec::new(),
            others: Vec::new(),
            correlated: None,
            sampled: None,
            whole: None,
            method: Err(message!(
                "a release by a method that can be run again, with its plan and the table it was made of ({})",
                Setting::Original
            )),
            is_presence_assumed: false,
            rows,
            crowd,
            series: OnceLock::new(),
        })
    }

    /// What another release is called: its file, and its number from 1 where several are called so.
    pub(in crate::attack) fn name_of_other(&self, number: usize) -> String {
        let name = self.others[number].table().name();
        let others = self.others.iter().filter(|other| other.table().name() == name);
        if others.count() > 1 {
            format!("{name} (release {})", number + 1)
        } else {
            name.to_owned()
        }
    }

    /// The released rows themselves as targets: everybody who is in the release, whoever they are.
    pub fn rows(&self) -> &Sight {
        &self.rows
    }

    /// The people as targets, where there are any.
    pub fn crowd(&self) -> Option<&Sight> {
        self.crowd.as_ref()
    }

    /// The targets of an attack on values: the people where there are any, else the released rows.
    pub fn targets(&self) -> (Who, &Sight) {
        match &self.crowd {
            Some(crowd) => (Who::People, crowd),
            None => (Who::Rows, &self.rows),
        }
    }

    /// The series of each sensitive attribute that other releases show too, by its index.
    pub(in crate::attack) fn series(&self) -> Result<&[(usize, Series)], Error> {
        match self.series.get() {
            Some(made) => Ok(made),
            None => series::each(self).map(|made| &self.series.get_or_init(|| made)[..]),
        }
    }

    /// The series of a sensitive attribute, where it keeps signatures: classes that may be a person's by
    /// their boxes may not be by what they show.
    pub(in crate::attack) fn with_signatures(
        &self,
        attribute: usize,
    ) -> Result<Option<&Series>, Error> {
        if self.people.is_none() {
            return Ok(None);
        }
        let of_attribute = self.series()?.iter().find(|(index, _)| *index == attribute);
        let series = of_attribute.map(|(_, series)| series);
        Ok(series.filter(|series| series.signatures.are_kept()))
    }

    /// The people as targets in another release; none where there are no people. Large, and quickly made:
    /// nobody keeps those of all releases.
    pub(in crate::attack) fn crowd_of_other(&self, number: usize) -> Result<Option<Sight>, Error> {
        let people = self.people.as_ref();
        people.map(|people| Sight::of_people(&self.others[number], people)).transpose()
    }

    /// The number of records that a view may have.
    pub fn n_records(&self, view: View<'_>) -> u64 {
        view.shapes.iter().map(|&shape| u64::from(self.release.size_of_shape(shape))).sum()
    }

    /// The largest probability that the promises allow: of one value of a sensitive attribute, or of one
    /// record. An anatomized release hides in its groups what a record has, not which it is.
    pub fn bound(&self, attribute: Option<usize>) -> Option<f64> {
        match attribute {
            Some(attribute) => self.declared.value_bound(attribute),
            None => self.declared.record_bound().filter(|_| !self.release.is_anatomized()),
        }
    }

    /// The largest probability of a value that all releases together may give, where a series promised
    /// that: what each release promises alone says nothing of them together.
    pub fn bound_of_series(&self, attribute: Option<usize>) -> Option<f64> {
        self.declared.series.or_else(|| self.bound(attribute))
    }

    /// What an attack on values needs where nothing is sensitive.
    pub fn needs_sensitive(&self) -> Option<Message> {
        self.release
            .sensitive()
            .is_empty()
            .then(|| message!("a sensitive attribute ({})", Setting::Sensitive))
    }

    /// What is guessed of a sensitive attribute by who does not look at classes.
    pub fn blind_value(&self, attribute: usize) -> (Says, f64) {
        super::super::guess::likeliest_value(&self.prior(attribute))
    }

    /// The probability of each value of a sensitive attribute for anybody, codes ascending: its share of
    /// the cells that the release shows.
    pub(in crate::attack) fn prior(&self, attribute: usize) -> Vec<(u32, f64)> {
        let attribute = self.release.sensitive()[attribute];
        let n_shown: u64 = attribute.counts().iter().map(|&count| u64::from(count)).sum();
        let shown = (0..).zip(attribute.counts()).filter(|&(_, &count)| count > 0);
        let shares = shown.map(|(code, &count)| (code, f64::from(count) / n_shown as f64));
        Told::of(attribute).keep(shares.collect())
    }

    /// The probability of each value of a sensitive attribute for the targets of a view, codes
    /// ascending: each record is as likely as any other, and a record of an anatomized release has the
    /// values of its group. A missing value that says nothing is none of them.
    pub fn posterior(&self, view: View<'_>, attribute: usize) -> Vec<(u32, f64)> {
        kohort_core::alive();
        let release = &self.release;
        let records = self.n_records(view) as f64;
        let mut found: Vec<(u32, f64)> = Vec::new();
        for &shape in view.shapes {
            let class = release.class_of_shape(shape);
            let share =
                f64::from(release.size_of_shape(shape)) / f64::from(release.size_of_class(class));
            let values = release.values(attribute, class).iter();
            found.extend(values.map(|&(code, count)| (code, f64::from(count) * share / records)));
        }
        let attribute = release.sensitive()[attribute];
        let found = match view.shapes.len() {
            0 | 1 => found,
            _ => summed(found, attribute.n_codes()),
        };
        Told::of(attribute).keep(found)
    }
}

/// What adversaries say of who has no value: nothing.
#[derive(Clone, Copy, Debug)]
pub(in crate::attack) struct Told {
    silent: Option<u32>,
    // Whether they know who has one.
    is_ignored: bool,
}

impl Told {
    pub(in crate::attack) fn of(attribute: &Attribute) -> Self {
        let is_ignored = attribute.missing_as() == MissingAs::Ignored;
        Self { silent: attribute.silent(), is_ignored }
    }

    /// The probabilities of values that could be learned, of those of all cells.
    pub(in crate::attack) fn keep(self, mut posterior: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
        let at = posterior.iter().position(|&(code, _)| Some(code) == self.silent);
        let Some(at) = at else { return posterior };
        posterior.remove(at);
        if self.is_ignored {
            let left: f64 = posterior.iter().map(|&(_, probability)| probability).sum();
            for (_, probability) in &mut posterior {
                *probability /= left;
            }
        }
        posterior
    }
}

/// Adds up the weights of each code, of which there are `n_codes`; codes ascending, weights above 0.
pub(in crate::attack) fn summed(mut found: Vec<(u32, f64)>, n_codes: u32) -> Vec<(u32, f64)> {
    // Both ways add up the weights of a code in the order in which they come.
    if n_codes as usize <= found.len() {
        let mut of_code = vec![0.0; n_codes as usize];
        for (code, weight) in found {
            of_code[code as usize] += weight;
        }
        return (0..).zip(of_code).filter(|&(_, weight)| weight > 0.0).collect();
    }
    found.sort_by_key(|&(code, _)| code);
    found.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    found
}

/// Whom guesses are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Rows of the release.
    Rows,
    /// People of the background.
    People,
}

impl Sight {
    fn of_rows(release: &Released<'_>) -> Self {
        let (targets, target_ends) = release.shapes().members();
        let n_shapes = release.n_shapes();
        let covered = (0..n_shapes).map(|shape| u64::from(release.size_of_shape(shape))).collect();
        let shape_ends = (1..=n_shapes as usize).collect();
        Self { targets, target_ends, shapes: (0..n_shapes).collect(), shape_ends, covered }
    }

    /// Which shapes of a release cover each of these people, by the quasi-identifiers that both have.
    pub fn of_people(release: &Released<'_>, people: &People<'_>) -> Result<Self, Error> {
        let is_there = |attribute: &&&Attribute| release.quasi().contains(&attribute.name());
        let quasi: Vec<&Attribute> = people.quasi().iter().filter(is_there).copied().collect();
        let points = group(people.len(), quasi.iter().map(|a| (a.codes(), a.n_codes())));
        let first = points.first_rows();
        let mut codes = Vec::with_capacity(first.len() * quasi.len());
        for &row in &first {
            codes.extend(quasi.iter().map(|a| a.codes().get(row as usize)));
        }
        let read = |a: &&Attribute| {
            let published = Published::read_attacked(release.table(), people.table(), a)?;
            Ok((release.table().column(a.name())?, published))
        };
        let published: Vec<_> = quasi.iter().map(read).collect::<Result<_, Error>>()?;
        let mut covers = Vec::with_capacity(release.n_shapes() as usize * quasi.len());
        for shape in 0..release.n_shapes() {
            let row = release.row_of_shape(shape) as usize;
            covers.extend(
                published.iter().map(|(column, cells)| cells.covered(column.codes().get(row))),
            );
        }
        let pairs = match (first.is_empty(), quasi.is_empty()) {
            (true, _) => Vec::new(),
            // Where nothing is known of people, everybody may have every record.
            (false, true) => vec![(0..release.n_shapes()).map(|shape| (0, shape)).collect()],
            (false, false) => {
                pairs(&Index::new(&codes, first.len(), quasi.len(), &covers), &covers, quasi.len())
            }
        };
        let sizes = points.sizes();
        let mut covered = vec![0; release.n_shapes() as usize];
        for part in &pairs {
            kohort_core::alive();
            for &(point, shape) in part {
                covered[shape as usize] += u64::from(sizes[point as usize]);
            }
        }
        let (targets, target_ends) = points.members();
        let (shapes, shape_ends) = by_point(&pairs, first.len());
        Ok(Self { targets, target_ends, shapes, shape_ends, covered })
    }

    /// The number of views.
    pub fn len(&self) -> usize {
        self.target_ends.len()
    }

    /// Whether there is no target.
    pub fn is_empty(&self) -> bool {
        self.target_ends.is_empty()
    }

    /// The number of targets.
    pub fn n_targets(&self) -> usize {
        self.targets.len()
    }

    /// A view.
    pub fn view(&self, index: usize) -> View<'_> {
        let start = index.checked_sub(1).map_or(0, |before| self.target_ends[before] as usize);
        let first = index.checked_sub(1).map_or(0, |before| self.shape_ends[before]);
        View {
            targets: &self.targets[start..self.target_ends[index] as usize],
            shapes: &self.shapes[first..self.shape_ends[index]],
        }
    }

    /// Every view. Attacks that look at one after the other can be cancelled between them.
    pub fn views(&self) -> impl Iterator<Item = View<'_>> {
        (0..self.len()).map(|index| {
            kohort_core::alive();
            self.view(index)
        })
    }

    /// The number of shapes of the release.
    pub fn n_shapes(&self) -> usize {
        self.covered.len()
    }

    /// How many targets a shape covers.
    pub fn n_covered(&self, shape: u32) -> u64 {
        self.covered[shape as usize]
    }
}

/// Every point in every shape, in the order of shapes, in parts.
fn pairs(index: &Index<'_>, covers: &[&[Interval]], n_axes: usize) -> Vec<Vec<(u32, u32)>> {
    /// How many shapes one thread looks up at a time.
    const AT_ONCE: usize = 1024;
    let of_some = |(at, some): (usize, &[&[Interval]])| {
        let first = u32::try_from(at * AT_ONCE).expect("shapes are rows, numbered by u32");
        let mut pairs = Vec::new();
        for (shape, cells) in (first..).zip(some.chunks(n_axes)) {
            kohort_core::alive();
            index.scan(cells, &mut |point| pairs.push((point, shape)));
        }
        pairs
    };
    covers.par_chunks(AT_ONCE * n_axes).enumerate().map(of_some).collect()
}

/// The shapes of each point, ascending, and where each point's end; pairs come in the order of shapes.
fn by_point(pairs: &[Vec<(u32, u32)>], n_points: usize) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0_usize; n_points];
    for part in pairs {
        kohort_core::alive();
        for &(point, _) in part {
            ends[point as usize] += 1;
        }
    }
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    let mut shapes = vec![0; total];
    for part in pairs {
        kohort_core::alive();
        for &(point, shape) in part {
            let slot = &mut ends[point as usize];
            shapes[*slot] = shape;
            *slot += 1;
        }
    }
    (shapes, ends)
}
