//! From the places of a schema to branches.

use kohort_core::{
    BadText, Branch, Column, Empty, Inside, Layout, Message, Missing, Nested, Scalar, Table,
    message,
};

use super::ReadNested;
use super::grow::{Growth, Place};
use crate::builder::Builder;
use crate::notes::almost_numbers;

/// What is known of a source besides its places.
pub(super) struct About<'a> {
    pub(super) name: String,
    /// Whether what the dictionaries remember are lines, and not the numbers of records.
    pub(super) has_lines: bool,
    pub(super) missing: &'a Missing,
    pub(super) notes: Vec<Message>,
    pub(super) layout: Layout,
}

/// The records; the only fault is a table beyond what codes can number.
pub(super) fn finish(mut growth: Growth, mut about: About<'_>) -> Result<ReadNested, BadText> {
    about.notes.extend(changing(&growth));
    for place in 0..growth.places.len() {
        fold_nulls(&mut growth, place);
    }
    about.layout.order = order(&growth);
    let mut branches = Vec::with_capacity(growth.places.len());
    for (index, place) in growth.places.into_iter().enumerate() {
        kohort_core::alive();
        let branch = branch(index, place, &about)?;
        about.notes.extend(almost_numbers(branch.table()).map(Message::from));
        branches.push(branch);
    }
    let nested = Nested::new(about.name, branches).with_layout(about.layout);
    Ok(ReadNested { nested, notes: about.notes })
}

/// Tells of members that are not of one kind.
fn changing(growth: &Growth) -> Vec<Message> {
    let mut notes = Vec::new();
    for (index, place) in growth.places.iter().enumerate() {
        for (position, member) in place.members.iter().enumerate() {
            let has_value = |&column: &usize| {
                place.columns[column]
                    .scalars
                    .iter()
                    .any(|&s| matches!(s, Scalar::Text | Scalar::Bare))
            };
            let kinds = [
                member.column.filter(has_value).map(|_| "a value"),
                member.object.map(|_| "an object"),
                member.array.map(|_| "an array"),
            ];
            let kinds: Vec<&str> = kinds.into_iter().flatten().collect();
            if let [first, others @ ..] = kinds.as_slice()
                && !others.is_empty()
            {
                let path = growth.path(index, position);
                let others = others.join(" or ");
                notes.push(message!(
                    "`{path}` is {first} here and {others} there: each is kept apart"
                ));
            }
        }
    }
    notes
}

/// A null where other objects have an object or an array is no column of its own.
fn fold_nulls(growth: &mut Growth, place: usize) {
    for member in 0..growth.places[place].members.len() {
        kohort_core::alive();
        let at = &mut growth.places[place];
        let found = &mut at.members[member];
        let (Some(column), Some(child)) = (found.column, found.array.or(found.object)) else {
            continue;
        };
        let scalars = &at.columns[column].scalars;
        if !scalars.iter().all(|scalar| matches!(scalar, Scalar::Absent | Scalar::Null)) {
            continue;
        }
        found.column = None;
        let scalars = std::mem::take(&mut at.columns[column].scalars);
        let nulls = (0..).zip(scalars).filter(|&(_, scalar)| scalar == Scalar::Null);
        let empty = &mut growth.places[child].empty;
        empty.extend(nulls.map(|(row, _)| (row, Empty::Null)));
        empty.sort_unstable_by_key(|&(row, _)| row);
    }
}

/// The paths of the members that are left, place by place.
fn order(growth: &Growth) -> Vec<String> {
    let mut order = Vec::new();
    for place in &growth.places {
        for member in &place.members {
            // The cells of items have the path of their branch, which has its place already.
            let column = member.column.filter(|&column| place.columns[column].path != place.path);
            order.extend(column.map(|column| place.columns[column].path.clone()));
            let places = [member.object, member.array].into_iter().flatten();
            order.extend(places.map(|place| growth.places[place].path.clone()));
        }
    }
    order
}

fn branch(index: usize, mut place: Place, about: &About<'_>) -> Result<Branch, BadText> {
    let mut columns = Vec::new();
    let mut scalars = Vec::new();
    for member in &place.members {
        let Some(column) = member.column else { continue };
        let mut cells = std::mem::take(&mut place.columns[column]);
        // Where no cell stands, the place of the last is as good as any.
        let dictionary = &cells.builder.dictionary;
        let line = dictionary.len().checked_sub(1).map_or(1, |last| dictionary.first_line(last));
        cells.pad(place.n_rows, line)?;
        let Builder { dictionary, codes, .. } = cells.builder;
        columns.push(Column::new(cells.path, dictionary, codes, about.missing));
        scalars.push(cells.scalars);
    }
    let table = Table::new(about.name.clone(), columns, about.has_lines, about.missing.clone());
    let inside = (index > 0).then_some(Inside { branch: place.parent, rows: place.inside });
    let n_rows = place.n_rows as usize;
    Ok(Branch::new(place.path, inside, n_rows, table, scalars).with_empty(place.empty))
}
