//! Truth: every released row covers an original row, a different one for each.

use super::cells::{Column, Role, bare, covers, is_missing};
use super::classes::alike;
use super::fillings::Answer;
use super::matching;
use crate::files::Rows;

/// Whether a generalized release says nothing that the original does not.
pub(crate) fn generalized(columns: &[Column], release: &Rows, original: &Rows) -> Answer {
    let Some(pairs) = pairs(columns, release, original) else { return Answer::Broken };
    let partners = |is_lenient: bool| -> Vec<Vec<usize>> {
        let may_be = |shown: &Vec<String>, person: &Vec<String>| {
            pairs.iter().all(|&(column, here, there)| {
                covered(column, &shown[here], &person[there]).unwrap_or(is_lenient)
            })
        };
        let of_row = |shown: &Vec<String>| {
            (0..original.rows.len()).filter(|&row| may_be(shown, &original.rows[row])).collect()
        };
        release.rows.iter().map(of_row).collect()
    };
    if !matching::is_complete(&partners(true), original.rows.len()) {
        Answer::Broken
    } else if matching::is_complete(&partners(false), original.rows.len()) {
        Answer::Holds
    } else {
        Answer::Open
    }
}

/// The columns of the release with their places in both tables; none where one has no business there.
fn pairs<'a>(
    columns: &'a [Column],
    release: &Rows,
    original: &Rows,
) -> Option<Vec<(&'a Column, usize, usize)>> {
    let pair = |(here, name): (usize, &String)| {
        let column = columns.iter().find(|column| column.name == *name)?;
        (column.role != Role::Identifier).then_some((column, here, original.place(name)?))
    };
    release.header.iter().enumerate().map(pair).collect()
}

fn covered(column: &Column, cell: &str, value: &str) -> Option<bool> {
    match column.role {
        Role::Quasi => covers(column, cell, value),
        // Masked values are no lies; other texts are shown as they are.
        Role::Sensitive if bare(cell) != bare(value) => match covers(column, cell, value) {
            Some(true) if column.value(cell) == column.value(value) => None,
            Some(false) if is_missing(cell) => None,
            other => other,
        },
        Role::Sensitive => Some(true),
        _ if cell.trim() == value.trim() => Some(true),
        _ => (bare(cell) != bare(value)).then_some(false),
    }
}

/// Whether an anatomized release, its two tables put together, may be one of the original: necessary
/// conditions alone, so that a no is right.
pub(crate) fn anatomized(columns: &[Column], release: &Rows, original: &Rows) -> Answer {
    let Some(group) = release.place("group") else { return Answer::Broken };
    let mut rest = release.clone();
    rest.header.remove(group);
    let groups: Vec<String> = rest.rows.iter_mut().map(|row| row.remove(group)).collect();
    let Some(pairs) = pairs(columns, &rest, original) else { return Answer::Broken };
    let (of_values, of_people): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|(column, ..)| column.role == Role::Sensitive);
    // Whether a released row may show this of a person. Masked values are no lies.
    let may_be = |pairs: &[(&Column, usize, usize)], shown: usize, person: usize| {
        pairs.iter().all(|&(column, here, there)| {
            let (cell, value) = (&rest.rows[shown][here], &original.rows[person][there]);
            covered(column, cell, value) != Some(false)
        })
    };
    let n = original.rows.len();
    let everybody = [&of_people, &of_values].into_iter().all(|pairs| {
        let owners = |row: usize| (0..n).filter(|&person| may_be(pairs, row, person)).collect();
        matching::is_complete(&(0..rest.rows.len()).map(owners).collect::<Vec<_>>(), n)
    });
    let each_group = alike(&groups).iter().all(|rows| {
        let is_somebody = |row: usize, other: usize| {
            (0..n)
                .any(|person| may_be(&of_people, row, person) && may_be(&of_values, other, person))
        };
        let candidates = |&row: &usize| -> Vec<usize> {
            (0..rows.len()).filter(|&place| is_somebody(row, rows[place])).collect()
        };
        let partners: Vec<Vec<usize>> = rows.iter().map(candidates).collect();
        matching::is_complete(&partners, rows.len())
    });
    if everybody && each_group { Answer::Open } else { Answer::Broken }
}
