//! Random draws whose results are the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of draws.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The source with this seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// The source of draws that hide something, from 32 bytes that nobody knows.
    pub fn hidden(secret: [u8; 32]) -> Self {
        Self(ChaCha8Rng::from_seed(secret))
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Thirty-two random bits.
    pub fn half_bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        let product = u128::from(self.0.next_u64()) * (n as u128);
        usize::try_from(product >> 64).expect("it is below n")
    }

    /// Puts items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Puts the first `n` of a random order of the items in front.
    pub fn shuffle_first<T>(&mut self, items: &mut [T], n: usize) {
        for first in 0..n.min(items.len()) {
            let other = first + self.below(items.len() - first);
            items.swap(first, other);
        }
    }

    /// A number from 0 to 1, and never 1: one of 2³² at equal distances.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.half_bits()) / 4_294_967_296.0
    }

    /// A number from 0 to 1, and never 1: one of 2⁵³ at equal distances.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn uniform(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 / STEPS
    }

    /// A number from N(0, 1), by comparing uniform numbers alone: logarithms differ between machines
    /// (Karney, Sampling exactly from the normal distribution, 2016, algorithm N).
    pub fn normal(&mut self) -> f64 {
        loop {
            let mut whole: u32 = 0;
            while self.decays(0.5) {
                whole += 1;
            }
            if !(0..whole * whole.saturating_sub(1)).all(|_| self.decays(0.5)) {
                continue;
            }
            let (k, x) = (f64::from(whole), self.uniform());
            if (0..=whole).all(|_| self.decays(x * (2.0 * k + x) / (2.0 * k + 2.0))) {
                return if self.below(2) == 0 { k + x } else { -(k + x) };
            }
        }
    }

    /// Yes with probability exp(−gamma), for gamma from 0 to 1 (von Neumann): a run of draws below
    /// gamma/1, gamma/2, … has length n or more with probability gammaⁿ/n!.
    fn decays(&mut self, gamma: f64) -> bool {
        let mut tried = 1.0;
        let mut is_odd = true;
        while self.uniform() < gamma / tried {
            tried += 1.0;
            is_odd = !is_odd;
        }
        is_odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn normal_draws_have_the_shares_of_the_normal_distribution() {
        let mut draw = Draw::hidden([7; 32]);
        let draws: Vec<f64> = (0..200_000).map(|_| draw.normal()).collect();
        // From a table of the normal distribution; four standard errors of a share are below 0.0045.
        for (z, below) in [
            (-1.96, 0.025),
            (-1.0, 0.1587),
            (0.0, 0.5),
            (0.5, 0.6915),
            (1.0, 0.8413),
            (2.5, 0.9938),
        ] {
            let share = draws.iter().filter(|draw| **draw < z).count() as f64 / 200_000.0;
            assert!((share - below).abs() < 0.0045, "{share} below {z}");
        }
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / 200_000.0;
        assert!((variance - 1.0).abs() < 0.0127, "{variance}"); // 4·√(2/n)
    }
}
