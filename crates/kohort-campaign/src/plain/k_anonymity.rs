//! k-anonymity: every class has at least k rows (Sweeney 2002).

pub(crate) fn holds(rows: usize, k: usize) -> bool {
    k <= rows
}
