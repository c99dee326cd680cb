//! The Hilbert curve: a line through a grid of any number of axes whose neighbors are neighbors.

use crate::{Axis, Points, Space};

/// The bits of a key.
const KEY_BITS: u32 = u128::BITS;

/// The place of each point on the curve.
///
/// Along each axis codes stand as far apart as a box around both costs, in code order, and fill the
/// grid: near on the grid is cheap to publish together, and axes with few values count as much as others.
/// Beyond 128 axes the last ones are left out.
pub fn hilbert_keys(space: &Space, points: &Points) -> Vec<u128> {
    let axes = space.axes();
    let axes = &axes[..axes.len().min(KEY_BITS as usize)];
    let n_axes = u32::try_from(axes.len().max(1)).unwrap_or(KEY_BITS);
    let bits = 31.min(KEY_BITS / n_axes);
    let places: Vec<Vec<u32>> = axes.iter().map(|axis| places(axis, bits)).collect();
    let mut cell = Vec::with_capacity(axes.len());
    let place = |point: usize| {
        cell.clear();
        let codes = points.codes(point);
        cell.extend(places.iter().zip(codes).map(|(places, &code)| places[code as usize]));
        key(&mut cell, bits)
    };
    (0..points.len()).map(place).collect()
}

/// Where the codes of an axis stand on a grid with 2^bits cells along it.
fn places(axis: &Axis, bits: u32) -> Vec<u32> {
    let steps = (0..axis.n_codes()).map(|code| axis.cost(code.saturating_sub(1), code));
    let from_first: Vec<f64> = steps
        .scan(0.0, |sum, step| {
            *sum += step;
            Some(*sum)
        })
        .collect();
    let width = from_first.last().copied().filter(|&width| width > 0.0).unwrap_or(1.0);
    let side = f64::from((1_u32 << bits) - 1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the side of the grid"
    )]
    from_first.into_iter().map(|place| (place / width * side) as u32).collect()
}

/// The place on the curve of a cell of a grid with 2^bits cells along each axis (Skilling's transpose);
/// the cell is used up.
fn key(cell: &mut [u32], bits: u32) -> u128 {
    // From the coarsest grid to the finest, undo how each piece of the curve is turned and mirrored.
    for bit in (1..bits).rev() {
        let finer = (1 << bit) - 1;
        for axis in 0..cell.len() {
            if cell[axis] >> bit & 1 == 1 {
                cell[0] ^= finer;
            } else {
                let differs = (cell[0] ^ cell[axis]) & finer;
                cell[0] ^= differs;
                cell[axis] ^= differs;
            }
        }
    }
    // The order within each grid is a Gray code.
    for axis in 1..cell.len() {
        cell[axis] ^= cell[axis - 1];
    }
    let last = cell.last().copied().unwrap_or(0);
    let parity =
        (1..bits).filter(|bit| last >> bit & 1 == 1).fold(0, |sum, bit| sum ^ ((1 << bit) - 1));
    let mut place = 0;
    for bit in (0..bits).rev() {
        for &along in &*cell {
            place = place << 1 | u128::from((along ^ parity) >> bit & 1);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The usual formula for two axes.
    fn plane(mut x: u32, mut y: u32, bits: u32) -> u128 {
        let (n, mut place) = (1_u32 << bits, 0);
        for bit in (0..bits).rev() {
            let (rx, ry) = (x >> bit & 1, y >> bit & 1);
            place += u128::from((3 * rx) ^ ry) << (2 * bit);
            if ry == 0 {
                if rx == 1 {
                    (x, y) = (n - 1 - x, n - 1 - y);
                }
                (x, y) = (y, x);
            }
        }
        place
    }

    #[test]
    fn two_axes_follow_the_formula() {
        for bits in 1..6 {
            for x in 0..1 << bits {
                for y in 0..1 << bits {
                    assert_eq!(key(&mut [x, y], bits), plane(x, y, bits), "{x}, {y}");
                }
            }
        }
    }

    #[test]
    fn table_43_of_001() {
        let ages = [20, 25, 25, 30, 35, 40, 45, 50, 55];
        let zips = [3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500];
        let keys = zips
            .iter()
            .zip(ages)
            .map(|(zip, age)| 1 + key(&mut [(zip - 3000) / 500, (age - 20) / 5], 3));
        assert_eq!(keys.collect::<Vec<_>>(), [1, 3, 8, 50, 11, 34, 46, 37, 43]);
    }

    #[test]
    fn the_curve_takes_one_step_at_a_time_through_every_cell() {
        for (n_axes, bits) in [(1, 4), (2, 3), (3, 3), (4, 2), (7, 1)] {
            let n_cells = 1_u32 << (n_axes * bits);
            let cell = |index: u32| -> Vec<u32> {
                (0..n_axes).map(|axis| index >> (axis * bits) & ((1 << bits) - 1)).collect()
            };
            let mut cells: Vec<Vec<u32>> = (0..n_cells).map(cell).collect();
            cells.sort_by_key(|cell| key(&mut cell.clone(), bits));
            for pair in cells.windows(2) {
                let steps: u32 = pair[0].iter().zip(&pair[1]).map(|(&a, &b)| a.abs_diff(b)).sum();
                assert_eq!(steps, 1, "{pair:?}");
            }
        }
    }
}
