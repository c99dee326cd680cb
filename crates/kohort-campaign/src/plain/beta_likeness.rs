//! beta-likeness: where a value's share p in a class is above its share q in the table, (p − q) / q ≤ beta;
//! enhanced, also ≤ −ln q (Cao and Karras 2012).

use super::{counts, share};

pub(crate) fn holds(class: &[&str], table: &[&str], beta: f64, is_enhanced: bool) -> bool {
    let of_table = counts(table);
    counts(class).into_iter().all(|(value, count)| {
        let n_of_table = of_table.get(value).copied().unwrap_or(0);
        let (p, q) = (share(count, class.len()), share(n_of_table, table.len()));
        let bound = if is_enhanced { beta.min(-q.ln()) } else { beta };
        p <= q || (p - q) / q <= bound + 1e-9
    })
}
