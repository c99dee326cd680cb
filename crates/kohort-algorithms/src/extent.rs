//! A box that grows: the codes of a class from the lowest to the highest, on every axis.

use smallvec::SmallVec;

use crate::Space;

/// A code per axis; ten of them need no memory of their own.
type Corner = SmallVec<[u32; 10]>;

/// The smallest box around some points, with its cost per row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extent {
    pub(crate) lo: Corner,
    pub(crate) hi: Corner,
    pub(crate) cost: f64,
}

impl Extent {
    /// The box of one point.
    pub(crate) fn of(point: &[u32]) -> Self {
        let corner = Corner::from_slice(point);
        Self { lo: corner.clone(), hi: corner, cost: 0.0 }
    }

    /// The box around several points; there is at least one.
    pub(crate) fn around<'a>(space: &Space, points: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut points = points.into_iter();
        let mut found = Self::of(points.next().expect("a class has a row"));
        for point in points {
            for ((lo, hi), &code) in found.lo.iter_mut().zip(&mut found.hi).zip(point) {
                *lo = code.min(*lo);
                *hi = code.max(*hi);
            }
        }
        found.cost = space.cost(&found.lo, &found.hi);
        found
    }

    /// Takes in a point.
    pub(crate) fn grow(&mut self, space: &Space, point: &[u32]) {
        self.join(space, point, point);
    }

    /// Takes in another box, its cost aside.
    pub(crate) fn widen(&mut self, other_lo: &[u32], other_hi: &[u32]) {
        for (lo, &other) in self.lo.iter_mut().zip(other_lo) {
            *lo = other.min(*lo);
        }
        for (hi, &other) in self.hi.iter_mut().zip(other_hi) {
            *hi = other.max(*hi);
        }
    }

    /// Takes in another box.
    pub(crate) fn join(&mut self, space: &Space, other_lo: &[u32], other_hi: &[u32]) {
        self.widen(other_lo, other_hi);
        self.cost = space.cost(&self.lo, &self.hi);
    }

    /// The cost per row after taking in a box, which is a point when `lo` is `hi`.
    pub(crate) fn cost_with(&self, space: &Space, lo: &[u32], hi: &[u32]) -> f64 {
        self.cost_below(space, lo, hi, f64::INFINITY)
    }

    /// The same where it is below `limit`, and else anything that is not.
    #[inline]
    pub(crate) fn cost_below(&self, space: &Space, lo: &[u32], hi: &[u32], limit: f64) -> f64 {
        let (mut sum, own_lo, own_hi) = (0.0, &self.lo[..], &self.hi[..]);
        for (at, axis) in space.in_order() {
            sum += axis.cost(own_lo[at].min(lo[at]), own_hi[at].max(hi[at]));
            if sum >= limit {
                break;
            }
        }
        sum
    }

    /// The cost per row after taking in a point where that is below `limit`, and else anything that is
    /// not.
    #[inline]
    pub(crate) fn cost_with_point(&self, space: &Space, point: &[u32], limit: f64) -> f64 {
        // A box that grows never costs less.
        if self.cost >= limit {
            return self.cost;
        }
        let (mut sum, lo, hi) = (0.0, &self.lo[..], &self.hi[..]);
        for (at, axis) in space.in_order() {
            sum += axis.cost(lo[at].min(point[at]), hi[at].max(point[at]));
            if sum >= limit {
                break;
            }
        }
        sum
    }
}
