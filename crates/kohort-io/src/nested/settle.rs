//! What elements of XML turn out to be once all are read: some are only text.

use kohort_core::{BadText, Scalar};

use super::grow::{Cells, Growth, OWN, Place};
use super::path;
use crate::builder::Builder;

/// Turns elements that are never more than text, and never two in one parent, into columns, and names
/// the text of those that are repeated by their path. What is known to be otherwise stays so.
pub(super) fn settle(growth: &mut Growth, known: &[String]) -> Result<(), BadText> {
    let mut has_children = vec![false; growth.places.len()];
    growth.places.iter().skip(1).for_each(|place| has_children[place.parent] = true);
    let mut is_column = vec![false; growth.places.len()];
    for index in 1..growth.places.len() {
        let place = &growth.places[index];
        // A place without children and attributes has at most the column of its text.
        let is_attribute = |cells: &Cells| cells.path != path::member(&place.path, super::TEXT);
        if has_children[index] || place.columns.iter().any(is_attribute) {
            continue;
        }
        let after = |column: &String| column.strip_prefix(&place.path).map(str::to_owned);
        let after: Vec<String> = known.iter().filter_map(after).collect();
        if after.iter().any(|rest| rest.starts_with(['.', '['])) {
            continue;
        }
        let is_known = after.iter().any(String::is_empty);
        let is_single = !is_known && place.inside.array_windows().all(|[a, b]| a < b);
        let cells = all_texts(&mut growth.places[index])?;
        if is_single {
            put_into_parent(growth, index, cells)?;
            is_column[index] = true;
        } else {
            let place = &mut growth.places[index];
            let path = place.path.clone();
            place.members.iter_mut().for_each(|member| member.column = None);
            place.columns = vec![Cells { path, ..cells }];
            place.members[OWN].column = Some(0);
        }
    }
    remove(growth, &is_column);
    Ok(())
}

/// The texts of the elements at a place; one without any is empty, not absent.
fn all_texts(place: &mut Place) -> Result<Cells, BadText> {
    let mut cells = place.columns.pop().unwrap_or_default();
    cells.pad(place.n_rows, 1)?;
    cells.scalars.fill(Scalar::Text);
    Ok(cells)
}

fn put_into_parent(growth: &mut Growth, index: usize, cells: Cells) -> Result<(), BadText> {
    let Place { parent, inside, .. } = &mut growth.places[index];
    let (parent, inside) = (*parent, std::mem::take(inside));
    let parent = &mut growth.places[parent];
    let Builder { mut dictionary, codes: of_child, .. } = cells.builder;
    let member = parent.members.iter_mut().find(|member| member.array == Some(index));
    let member = member.expect("the parent has a member for each place in it");
    let mut column = Cells { path: path::member(&parent.path, &member.name), ..Cells::default() };
    member.column = Some(parent.columns.len());
    let mut next = 0;
    let absent =
        if inside.len() < parent.n_rows as usize { dictionary.intern(b"", 1)? } else { 0 };
    for row in 0..parent.n_rows {
        kohort_core::alive_at(row as usize);
        if inside.get(next) == Some(&row) {
            column.builder.codes.push(of_child.get(next));
            column.scalars.push(Scalar::Text);
            next += 1;
        } else {
            column.builder.codes.push(absent);
            column.scalars.push(Scalar::Absent);
        }
    }
    column.builder.dictionary = dictionary;
    parent.columns.push(column);
    Ok(())
}

/// Removes places and numbers the others anew.
fn remove(growth: &mut Growth, is_removed: &[bool]) {
    let mut n_kept = 0;
    let mut number: Vec<Option<usize>> = Vec::with_capacity(is_removed.len());
    for &is_removed in is_removed {
        number.push((!is_removed).then_some(n_kept));
        n_kept += usize::from(!is_removed);
    }
    let mut index = 0;
    growth.places.retain(|_| {
        index += 1;
        !is_removed[index - 1]
    });
    for place in &mut growth.places {
        place.parent = number[place.parent].expect("a place with others in it stays");
        for member in &mut place.members {
            member.array = member.array.and_then(|array| number[array]);
        }
    }
}
