//! What nested data gives away before anything is done to it: who stands alone by the shape of the tree, by
//! its labels, by both; and whose values occur more than once.

use kohort_core::{Codes, Forest, Grouping, NO_VALUE};

use super::generalized::sizes;
use super::shape::{Shape, take_in};
use super::values::diversity;
use super::verdict::SensitiveFinding;
use crate::ClassSizes;

/// What nested data gives away.
#[derive(Clone, Debug)]
pub struct NestedDiagnosis {
    /// The number of people.
    pub n_records: u64,
    /// The number of vertices, members of a vertex not counted.
    pub n_vertices: u64,
    /// People by the structure of their trees alone: how many of each kind stand in which.
    pub by_shape: ClassSizes,
    /// People by the labels of their vertices alone, whatever stands in which.
    pub by_labels: ClassSizes,
    /// People by structure and labels: k is that of this.
    pub by_both: ClassSizes,
    /// How diverse each sensitive attribute is where people are equal by both; broken is what has no
    /// two equally frequent values.
    pub sensitive: Vec<SensitiveFinding>,
    /// How often values of each sensitive attribute occur in one tree.
    pub occurrences: Vec<Occurrences>,
}

/// How often values of a sensitive attribute occur in one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// The path of the attribute.
    pub path: String,
    /// The people with a value at least twice.
    pub twice: u64,
    /// The people with a value at least three times.
    pub thrice: u64,
    /// The most that a value occurs in one tree.
    pub largest: u64,
}

impl NestedDiagnosis {
    /// The people who stand alone: by shape, by labels, by both.
    pub fn uniques(&self) -> [u64; 3] {
        [&self.by_shape, &self.by_labels, &self.by_both].map(|sizes| sizes.suppressed_for(2))
    }
}

/// Measures what the trees give away.
pub fn diagnose(forest: &Forest) -> NestedDiagnosis {
    let (shape, vertices) = Shape::of_forest(forest);
    let labels: Vec<Vec<u32>> = (forest.kinds().iter().zip(&vertices))
        .map(|(kind, vertices)| {
            let rows: Vec<u32> = vertices.iter().map(|&vertex| forest.row(vertex)).collect();
            let columns = kind.quasi.iter().map(|a| (a.codes().select(&rows), a.n_codes()));
            columns.fold(Grouping::trivial(rows.len()), refine).ids
        })
        .collect();
    let records = shape.records();
    let by_labels = by_labels(forest.n_records(), &labels, &records);
    let forms = shape.forms(labels);
    let classes = &forms[0];
    let class_sizes = sizes(classes);
    let orbits = shape.orbits(classes, &forms);
    let mut sensitive = Vec::new();
    let mut occurrences = Vec::new();
    for (kind, of_kind) in forest.kinds().iter().enumerate() {
        let Some(attribute) = &of_kind.sensitive else { continue };
        let of_row: Vec<u32> = vertices[kind].iter().map(|&v| forest.sensitive(v)).collect();
        let size = |row: usize| class_sizes[classes[records[kind][row] as usize] as usize];
        sensitive.push(diversity(attribute.name(), &of_row, &orbits[kind], size, 2));
        let present = records[kind].iter().copied().zip(of_row);
        let is_missing = |code: u32| code == NO_VALUE || Some(code) == attribute.missing();
        let present = present.filter(|&(_, code)| !is_missing(code));
        occurrences.push(repeated(attribute.name(), present.collect()));
    }
    let is_counted = |kind: &usize| !forest.kinds()[*kind].is_member;
    let counted = (0..vertices.len()).filter(is_counted).map(|kind| vertices[kind].len() as u64);
    NestedDiagnosis {
        n_records: forest.n_records() as u64,
        n_vertices: counted.sum(),
        by_shape: class_sizes_of(&shape.forms(shape.unlabeled())[0]),
        by_labels: class_sizes_of(&by_labels),
        by_both: class_sizes_of(classes),
        sensitive,
        occurrences,
    }
}

fn refine(grouping: Grouping, (codes, n_codes): (Codes, u32)) -> Grouping {
    grouping.refine(&codes, n_codes)
}

/// People by the labels of their vertices, whatever stands in which.
fn by_labels(n_records: usize, labels: &[Vec<u32>], records: &[Vec<u32>]) -> Vec<u32> {
    let mut people = vec![0; n_records];
    for (labels, records) in labels.iter().zip(records) {
        take_in(&mut people, records, labels);
    }
    people
}

fn class_sizes_of(classes: &[u32]) -> ClassSizes {
    sizes(classes).into_iter().filter(|&size| size > 0).collect()
}

/// How often values occur, given records and values.
fn repeated(path: &str, mut values: Vec<(u32, u32)>) -> Occurrences {
    values.sort_unstable();
    let mut found = Occurrences { path: path.to_owned(), twice: 0, thrice: 0, largest: 0 };
    for person in values.chunk_by(|a, b| a.0 == b.0) {
        let times = person.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
        found.twice += u64::from(times >= 2);
        found.thrice += u64::from(times >= 3);
        found.largest = found.largest.max(times as u64);
    }
    found
}
