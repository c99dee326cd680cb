//! delta-disclosure privacy: |log2(p / q)| < delta for every value of the table, p its share in a class and
//! q in the table (Brickell and Shmatikov 2008). A value that is absent from a class breaks it.

use super::{counts, share};

pub(crate) fn holds(class: &[&str], table: &[&str], delta: f64) -> bool {
    let of_class = counts(class);
    counts(table).into_iter().all(|(value, count)| {
        let p = share(of_class.get(value).copied().unwrap_or(0), class.len());
        let q = share(count, table.len());
        p > 0.0 && f64::abs((p / q).log2()) < delta
    })
}
