//! What insensitive columns give away: rows that they tell from all others of their class.

use kohort_core::{Grouping, Role, Table, group};

use crate::job::Roles;
use crate::wording::{count, grouped};

/// Says how many rows of a release are told from all others by their insensitive columns, and are not by
/// their quasi-identifiers alone. The promises of a plan do not look at these columns.
pub(super) fn singled_out(roles: &Roles, release: &Table) -> Option<String> {
    let there = |role| {
        let names = roles.names(role).into_iter();
        names.filter(|name| release.column(name).is_ok()).collect::<Vec<_>>()
    };
    let insensitive = there(Role::Insensitive);
    let looks = |names: &[String]| {
        let columns = names.iter().filter_map(|name| release.column(name).ok());
        columns.map(kohort_core::Column::looks).collect::<Vec<_>>()
    };
    let quasi = looks(&there(Role::Quasi));
    let mut rows = group(release.n_rows(), quasi.iter().map(|(codes, n)| (&**codes, *n)));
    let before = n_alone(&rows);
    for (codes, n_codes) in looks(&insensitive) {
        rows = rows.refine(&codes, n_codes);
    }
    let n = n_alone(&rows) - before;
    (n > 0).then(|| told(&insensitive, n, (release.n_rows() as u64, "row", "rows")))
}

/// That insensitive columns single out this many of all.
pub(crate) fn told(columns: &[String], n: u64, (all, one, many): (u64, &str, &str)) -> String {
    let is_one = columns.len() == 1;
    let (column, whose) = if is_one { ("column", "it") } else { ("columns", "them") };
    let single = if is_one { "singles" } else { "single" };
    format!(
        "the insensitive {column} `{}` {single} out {} of {}: no promise covers {whose}, and \
         anybody who knows {whose} of a person picks out the record; make {whose} quasi, or \
         leave {whose} out",
        columns.join("`, `"),
        grouped(n),
        count(all, one, many)
    )
}

/// The rows that no other is like.
fn n_alone(rows: &Grouping) -> u64 {
    rows.sizes().iter().filter(|&&size| size == 1).count() as u64
}
