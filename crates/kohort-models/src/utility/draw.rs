//! Random draws of the measures that need some, the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of draws.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// The source with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let product = u128::from(self.0.next_u64()) * (n as u128);
        usize::try_from(product >> 64).expect("it is below n")
    }

    /// A number from 0 up to but not including 1.
    pub(super) fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 4_294_967_296.0
    }

    /// Puts the first `n` of a random order of the items in front.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T], n: usize) {
        for first in 0..n.min(items.len()) {
            let other = first + self.below(items.len() - first);
            items.swap(first, other);
        }
    }
}
