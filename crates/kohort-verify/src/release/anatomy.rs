//! Anatomized releases of two tables: rows with a group, and for each group its sensitive values with
//! their counts.
//!
//! The two are judged as one table in which every row has a group and some sensitive values of it; which
//! row of a group has which values says nothing.
//!
//! # References
//! Xiao and Tao, VLDB 2006.

use kohort_core::{Error, Kind, Table, ValueType};

/// The one table that says what the two say. `group` is a column of both, `count` one of `values`.
///
/// # Errors
/// For a count that is no whole number, a column of both besides `group`, and groups whose rows are not
/// as many as their values.
pub fn join_anatomized(
    rows: &Table,
    values: &Table,
    group: &str,
    count: &str,
) -> Result<Table, Error> {
    let (group_of_row, group_of_value) = (rows.column(group)?, values.column(group)?);
    let counts = counts(values, count)?;
    let groups: Vec<Option<u32>> = (group_of_value.dictionary().iter())
        .map(|name| group_of_row.dictionary().find(name))
        .collect();
    let of_value = || group_of_value.codes().iter().map(|entry| groups[entry as usize]);
    let mut totals = vec![0_u64; group_of_row.dictionary().len() as usize];
    for (group, &times) in of_value().zip(&counts) {
        if let Some(group) = group {
            totals[group as usize] = totals[group as usize].saturating_add(times);
        }
    }
    let differ = |(total, n): (&u64, u32)| *total != u64::from(n);
    let n_wrong = totals.iter().zip(group_of_row.counts()).filter(|&pair| differ(pair)).count()
        + groups.iter().filter(|group| group.is_none()).count();
    if n_wrong > 0 {
        let reason = format!("has groups whose rows are not as many as their values: {n_wrong}");
        return Err(Kind::Unsuited { method: "anatomy", reason }.into());
    }
    let mut values_of_group: Vec<Vec<u32>> = vec![Vec::new(); totals.len()];
    for (value, (group, &times)) in (0..).zip(of_value().zip(&counts)) {
        let group = group.expect("every group of the values is one of the rows") as usize;
        values_of_group[group].extend((0..times).map(|_| value));
    }
    // In the order they stand in: whether it gives rows away is for who attacks the release to see.
    for values in &mut values_of_group {
        values.reverse();
    }
    let value_of_row: Vec<u32> = (group_of_row.codes().iter())
        .map(|group| values_of_group[group as usize].pop().expect("as many values as rows"))
        .collect();
    let mut columns = rows.columns().to_vec();
    for column in values.columns().iter().filter(|c| c.name() != group && c.name() != count) {
        if rows.columns().iter().any(|other| other.name() == column.name()) {
            let (first, second) = ("quasi".to_owned(), "sensitive".to_owned());
            return Err(Kind::TwoRoles { name: column.name().to_owned(), first, second }.into());
        }
        columns.push(column.select(&value_of_row));
    }
    Ok(Table::new(rows.name().to_owned(), columns, true, rows.missing().clone()))
}

/// How often each row of the values counts.
fn counts(values: &Table, count: &str) -> Result<Vec<u64>, Error> {
    let column = values.column(count)?;
    let mut of_entry: Vec<u64> = Vec::new();
    for (entry, text) in (0..).zip(column.dictionary().iter()) {
        of_entry.push(text.trim().parse().map_err(|_| {
            Error::new(Kind::Value {
                table: values.name().to_owned(),
                place: values.place(column, entry),
                column: count.to_owned(),
                expected: ValueType::Integer,
            })
        })?);
    }
    Ok(column.codes().iter().map(|entry| of_entry[entry as usize]).collect())
}
