//! The rows that are left where the table is no multiple of blocks: a class drawn at random.

use crate::Draw;
use crate::Problem;
use crate::check::Check;

/// How often a set of some size is drawn before a larger one is.
const TRIES: usize = 64;

/// Takes rows away so that a multiple of `b` is left, in its order, and returns them; none where it already
/// is one. They are drawn uniformly among the sets that keep the promises and leave rows that do, and no
/// quasi-identifier is looked at. Where no such set is found, they are all rows.
pub(super) fn remainder(
    problem: &Problem<'_>,
    b: usize,
    rows: &mut Vec<u32>,
    draw: &mut Draw,
) -> Vec<u32> {
    let n = rows.len();
    let mut n_apart = if n.is_multiple_of(b) { 0 } else { b + n % b };
    if n_apart == 0 {
        return Vec::new();
    }
    let mut check = Check::new(problem);
    let mut places: Vec<usize> = (0..n).collect();
    while n_apart < n {
        for _ in 0..TRIES {
            draw.shuffle(&mut places);
            let of = |places: &[usize]| -> Vec<u32> { places.iter().map(|&at| rows[at]).collect() };
            let (apart, rest) = places.split_at(n_apart);
            if check.holds(&of(apart)) && check.holds(&of(rest)) {
                let apart = of(apart);
                let mut rest = rest.to_vec();
                rest.sort_unstable();
                *rows = rest.iter().map(|&at| rows[at]).collect();
                return apart;
            }
        }
        // A set that is large enough to keep the promises by chance, in few steps.
        n_apart += (n_apart / b) * b;
    }
    std::mem::take(rows)
}
