//! What a candidate looks like as records: texts in the place of cells, in an order that tells nothing.
//!
//! # Method
//! 1. A published person is a tree of objects made of aligned vertices alone. Siblings are sorted by what
//!    they show, below as well.
//! 2. People are ordered by a number made from what they show and the seed. Where two show the same, by a
//!    number made from what their groups show.
//! 3. Anatomy publishes quasi-identifiers and sensitive values apart, each in an order of its own. Groups
//!    are numbered as they appear.

mod object;
mod sheet;
mod spelling;

use std::collections::BTreeMap;

use kohort_core::Nested;
use kohort_nested::{NestedCandidate, NestedForm};

use self::object::{Objects, Part, Person};
use self::sheet::{Sheets, list};
use super::Described;
use crate::release::mix;

/// The records of a release, and which record of the original each of them is.
pub(crate) struct Rendered {
    /// The trees of people.
    pub(crate) trees: Nested,
    /// The sensitive values, where they are published apart.
    pub(crate) values: Option<Nested>,
    /// For each tree the record of the original.
    pub(crate) records: Vec<u32>,
}

/// Renders a candidate. The seed is for the order of people.
pub(crate) fn render(described: &Described, candidate: &NestedCandidate, seed: u64) -> Rendered {
    let (part, apart) = match candidate.form {
        NestedForm::Generalized | NestedForm::Apart => (Part::Whole, None),
        NestedForm::TreeAnatomy => (Part::Quasi, Some(Part::Sensitive)),
        NestedForm::VertexAnatomy => (Part::Grouped, None),
    };
    let objects = Objects::new(described, candidate, part, seed);
    let apart = apart.map(|part| Objects::new(described, candidate, part, seed));
    let mut sheets = Sheets::new(&objects);
    let mut apart_sheets = apart.as_ref().map(Sheets::new);
    let mut groups = Groups::default();
    let mut records = Vec::new();
    let marks = marks_of_people(&objects, &mut sheets, candidate);
    let of_values = apart.as_ref().zip(apart_sheets.as_mut());
    let marks_of_values =
        of_values.map(|(objects, sheets)| marks_of_people(objects, sheets, candidate));
    let marks_of_classes = marks_of_classes(candidate, &marks, marks_of_values.as_deref());
    for person in ordered(candidate, &marks, &marks_of_classes) {
        kohort_core::alive();
        let object = objects.of(person);
        sheets.add(&object, person.class, &mut groups);
        records.push(candidate.classes[person.class].members[person.member]);
    }
    if let (Some(objects), Some(sheets), Some(marks)) =
        (&apart, &mut apart_sheets, &marks_of_values)
    {
        for person in ordered(candidate, marks, &marks_of_classes) {
            kohort_core::alive();
            sheets.add(&objects.of(person), person.class, &mut groups);
        }
    }
    let values = match candidate.form {
        NestedForm::VertexAnatomy => Some(list(&objects, &groups)),
        _ => apart_sheets.map(Sheets::finish),
    };
    Rendered { trees: sheets.finish(), values, records }
}

/// The numbers of groups, given as they appear: of a class, or of one of its positions.
#[derive(Default)]
struct Groups(BTreeMap<(usize, usize), u32>);

impl Groups {
    fn number(&mut self, class: usize, position: usize) -> u32 {
        let next = u32::try_from(self.0.len() + 1).expect("groups are fewer than vertices");
        *self.0.entry((class, position)).or_insert(next)
    }
}

/// A number for each person, made from what is shown of them.
fn marks_of_people(
    objects: &Objects<'_>,
    sheets: &mut Sheets<'_>,
    candidate: &NestedCandidate,
) -> Vec<Vec<u64>> {
    let classes = candidate.classes.iter().enumerate();
    let mut mark = |class, member| {
        kohort_core::alive();
        sheets.mark(&objects.of(Person { class, member }))
    };
    classes
        .map(|(class, found)| (0..found.members.len()).map(|member| mark(class, member)).collect())
        .collect()
}

/// A number for each class, made from what is shown of its members, whatever their order.
fn marks_of_classes(
    candidate: &NestedCandidate,
    marks: &[Vec<u64>],
    of_values: Option<&[Vec<u64>]>,
) -> Vec<u64> {
    let sum = |marks: &[u64]| marks.iter().fold(0_u64, |sum, &mark| sum.wrapping_add(mix(mark)));
    (0..candidate.classes.len())
        .map(|class| sum(&marks[class]) ^ of_values.map_or(0, |marks| mix(sum(&marks[class]))))
        .collect()
}

/// The people in the order of their numbers.
fn ordered(candidate: &NestedCandidate, marks: &[Vec<u64>], of_classes: &[u64]) -> Vec<Person> {
    let classes = candidate.classes.iter().enumerate();
    let mut people: Vec<Person> = classes
        .flat_map(|(class, found)| {
            (0..found.members.len()).map(move |member| Person { class, member })
        })
        .collect();
    people.sort_by_key(|person| {
        (marks[person.class][person.member], of_classes[person.class], person.class)
    });
    people
}
