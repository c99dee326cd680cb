//! Who is not in a release: their rows are a class of their own.

use super::cells::{Column, Role};
use crate::files::Rows;

/// The rows of the original that are not in a release, by their sensitive values alone, with nothing shown of
/// their quasi-identifiers. None where the release shows values that the original does not have, so that
/// nobody knows whose rows are missing.
pub(crate) fn rows(columns: &[Column], release: &Rows, original: &Rows) -> Option<Rows> {
    let sensitive = || columns.iter().filter(|column| column.role == Role::Sensitive);
    let places = |rows: &Rows| -> Option<Vec<usize>> {
        sensitive().map(|column| rows.place(&column.name)).collect()
    };
    let (here, there) = (places(release)?, places(original)?);
    let mut left = original.rows.clone();
    for shown in &release.rows {
        let is_it = |person: &Vec<String>| {
            here.iter().zip(&there).all(|(&a, &b)| shown[a].trim() == person[b].trim())
        };
        left.remove(left.iter().position(is_it)?);
    }
    for column in columns.iter().filter(|column| column.role == Role::Quasi) {
        let place = original.place(&column.name)?;
        for row in &mut left {
            row[place] = "*".into();
        }
    }
    Some(Rows { rows: left, ..original.clone() })
}
