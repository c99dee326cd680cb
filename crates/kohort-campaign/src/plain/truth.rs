//! Truth: every released row covers an original row, a different one for each.

use std::collections::BTreeMap;

use super::cells::{Column, Role, covers, is_missing};
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
        Role::Sensitive if cell != value => match covers(column, cell, value) {
            Some(true) if column.value(cell) == column.value(value) => None,
            Some(false) if is_missing(cell) => None,
            other => other,
        },
        _ => Some(cell == value),
    }
}

/// Whether an anatomized release, its two tables put together, may be one of the original: necessary
/// conditions alone, so that a no is right.
pub(crate) fn anatomized(columns: &[Column], release: &Rows, original: &Rows) -> Answer {
    let names = |role: Role| -> Vec<&str> {
        let of_role = columns.iter().filter(|column| column.role == role);
        of_role.map(|column| column.name.as_str()).collect()
    };
    let (sensitive, mut shown) = (names(Role::Sensitive), names(Role::Quasi));
    shown.extend(names(Role::Insensitive));
    let is_known = |name: &String| {
        name == "group" || sensitive.contains(&name.as_str()) || shown.contains(&name.as_str())
    };
    if !release.header.iter().all(is_known) {
        return Answer::Broken;
    }
    let [quasi, values] =
        [&shown, &sensitive].map(|names| [release, original].map(|table| table.only(names).rows));
    // Masked values are no lies.
    let may_be = |shown: &[String], row: usize| {
        let cells = sensitive.iter().zip(shown).zip(&values[1][row]);
        cells.into_iter().all(|((name, cell), value)| {
            let column = columns.iter().find(|column| column.name == **name);
            column.is_some_and(|column| covered(column, cell, value) != Some(false))
        })
    };
    let n = original.rows.len();
    let owners = |row: &Vec<String>| (0..n).filter(|&other| quasi[1][other] == *row).collect();
    let holders = |row: &Vec<String>| (0..n).filter(|&other| may_be(row, other)).collect();
    let everybody = matching::is_complete(&quasi[0].iter().map(owners).collect::<Vec<_>>(), n)
        && matching::is_complete(&values[0].iter().map(holders).collect::<Vec<_>>(), n);
    let Some(groups) = release.column("group") else { return Answer::Broken };
    let mut of_group: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, group) in groups.into_iter().enumerate() {
        of_group.entry(group).or_default().push(row);
    }
    let is_somebody = |shown: &Vec<String>, value: &Vec<String>| {
        (0..n).any(|row| quasi[1][row] == *shown && may_be(value, row))
    };
    let each_group = of_group.values().all(|rows| {
        let candidates = |&row: &usize| -> Vec<usize> {
            let found = rows
                .iter()
                .enumerate()
                .filter(|&(_, &other)| is_somebody(&quasi[0][row], &values[0][other]));
            found.map(|(place, _)| place).collect()
        };
        let partners: Vec<Vec<usize>> = rows.iter().map(candidates).collect();
        matching::is_complete(&partners, rows.len())
    });
    if everybody && each_group { Answer::Open } else { Answer::Broken }
}
