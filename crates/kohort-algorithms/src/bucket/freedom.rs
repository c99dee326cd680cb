//! Which buckets the next l rows may come from, so that the rest can still be dealt out.
//!
//! # Theorem
//! N rows are left, M = ⌊N/l⌋, ρ = N mod l; B₊ are the buckets with M + 1 rows, B₀ those with M. The rest
//! can be dealt out in sets of l rows with different values, with fewer than l rows over that differ in
//! value, if and only if no bucket has more than M + 1 rows and |B₊| ≤ ρ. Taking one row from each
//! bucket of a set S of l buckets keeps it so if and only if S ⊇ B₊ and |S ∩ B₀| ≥ max(0, |B₀| + |B₊| − ρ).

/// The choice of l buckets, one after another.
pub(crate) struct Freedom {
    // How many buckets are yet to be chosen, of which `over` must be in B₊ and `even` in B₀.
    open: usize,
    over: usize,
    even: usize,
    loads: Vec<Load>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// Empty, or chosen already.
    Closed,
    /// Fewer than M rows.
    Light,
    /// M rows: B₀.
    Even,
    /// M + 1 rows: B₊.
    Over,
}

impl Freedom {
    /// All choices of l buckets, given how many rows each has; at least l rows are left.
    pub(crate) fn new(counts: &[u32], l: usize) -> Self {
        let n: usize = counts.iter().map(|&count| count as usize).sum();
        let (m, rho) = (n / l, n % l);
        let load = |&count: &u32| match count as usize {
            0 => Load::Closed,
            count if count < m => Load::Light,
            count if count == m => Load::Even,
            _ => Load::Over,
        };
        let loads: Vec<Load> = counts.iter().map(load).collect();
        let number = |wanted| loads.iter().filter(|&&load| load == wanted).count();
        let (over, even) = (number(Load::Over), number(Load::Even));
        Self { open: l, over, even: (even + over).saturating_sub(rho), loads }
    }

    /// Whether all l are chosen.
    pub(crate) fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// Whether a bucket may be the next: enough choices remain for those that must come.
    #[inline]
    pub(crate) fn may_take(&self, bucket: u32) -> bool {
        match self.loads[bucket as usize] {
            Load::Closed => false,
            Load::Over => true,
            Load::Even => self.over + self.even.saturating_sub(1) < self.open,
            Load::Light => self.over + self.even < self.open,
        }
    }

    /// Chooses a bucket that may be the next.
    pub(crate) fn take(&mut self, bucket: u32) {
        let load = std::mem::replace(&mut self.loads[bucket as usize], Load::Closed);
        self.open -= 1;
        match load {
            Load::Over => self.over -= 1,
            Load::Even => self.even = self.even.saturating_sub(1),
            Load::Light | Load::Closed => {}
        }
    }
}
