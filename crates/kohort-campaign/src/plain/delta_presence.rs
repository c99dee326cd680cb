//! delta-presence: everybody in a public table is behind one of the rows of the release with a probability
//! from min to max (Nergiz, Atzori and Clifton 2007).

use super::cells::{Column, Role, covers};
use super::classes::{Shown, alike};
use super::fillings::Answer;
use super::share;
use crate::files::Rows;

/// The people of the public table have a column for each quasi-identifier.
pub(crate) fn holds(
    columns: &[Column],
    shown: &Shown,
    people: &Rows,
    min: f64,
    max: f64,
) -> Answer {
    let quasi: Vec<&Column> = columns.iter().filter(|column| column.role == Role::Quasi).collect();
    let places: Option<Vec<usize>> =
        quasi.iter().map(|column| people.place(&column.name)).collect();
    let Some(places) = places else { return Answer::Open };
    let mut membership = vec![0.0; people.rows.len()];
    for class in alike(&shown.quasi) {
        let box_of_class = &shown.quasi[class[0]];
        let is_inside = |person: &Vec<String>| {
            let cells = quasi.iter().zip(&places).zip(box_of_class);
            cells
                .map(|((column, &place), cell)| covers(column, cell, &person[place]))
                .try_fold(true, |all, covered| covered.map(|covered| all && covered))
        };
        let inside: Option<Vec<bool>> = people.rows.iter().map(is_inside).collect();
        let Some(inside) = inside else { return Answer::Open };
        let n_inside = inside.iter().filter(|&&is_inside| is_inside).count();
        for (person, _) in inside.iter().enumerate().filter(|(_, is_inside)| **is_inside) {
            membership[person] += share(class.len(), n_inside);
        }
    }
    let near = |p: f64, bound: f64| (p - bound).abs() < 1e-9;
    let is_open = |p: f64| near(p, min) || near(p, max);
    let within = |p: f64| min <= p && p.min(1.0) <= max;
    match membership.iter().any(|&p| !is_open(p) && !within(p)) {
        true => Answer::Broken,
        false if membership.iter().any(|&p| is_open(p)) => Answer::Open,
        false => Answer::Holds,
    }
}
