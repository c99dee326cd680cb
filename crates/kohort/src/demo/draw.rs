//! Random draws whose results are the same on every machine: a stream cipher as the source, and
//! nothing but additions, multiplications and divisions after it.

/// A source of draws.
pub(super) struct Draw(kohort_models::Draw);

impl Draw {
    /// The source with this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(kohort_models::Draw::new(seed))
    }

    fn bits(&mut self) -> u32 {
        self.0.half_bits()
    }

    /// A number from 0 up to but not including 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// True with probability `p`.
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A number around 0 with variance 1, shaped like a bell: a sum of twelve uniform ones.
    pub(super) fn bell(&mut self) -> f64 {
        // Each 64 bits give four uniform numbers of 16 bits.
        let mut sum = 0;
        for _ in 0..3 {
            let bits = self.0.bits();
            sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        }
        let sum = u32::try_from(sum).expect("twelve numbers of 16 bits fit in 20");
        f64::from(sum) / 65_536.0 - 6.0
    }
}

/// Approximately e to the power `x`, for a `x` of a few units. The system's own function may differ
/// in the last digit from one machine to the next; this one does not.
pub(super) fn exp(x: f64) -> f64 {
    let mut power = 1.0 + x / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// A choice among `0..n` with given weights, in constant time: Walker's alias method, in Vose's form
/// (IEEE Transactions on Software Engineering 17(9), 1991).
pub(super) struct Weighted {
    /// For each slot, the share of the slot that is its own, in units of 2⁻³², and whose the rest is.
    slots: Vec<(u32, u32)>,
}

impl Weighted {
    /// A choice with these weights, at least one of them positive.
    pub(super) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let n = u32::try_from(weights.len()).expect("built-in lists are short");
        let mut shares: Vec<f64> = weights.iter().map(|w| w * f64::from(n) / total).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) =
            (0..n).partition(|&i| shares[i as usize] < 1.0);
        let mut slots: Vec<(u32, u32)> = (0..n).map(|i| (u32::MAX, i)).collect();
        while let (Some(&donor), Some(poor)) = (large.last(), small.pop()) {
            let share = shares[poor as usize];
            slots[poor as usize] = (threshold(share), donor);
            shares[donor as usize] -= 1.0 - share;
            if shares[donor as usize] < 1.0 {
                large.pop();
                small.push(donor);
            }
        }
        Self { slots }
    }

    /// A choice with whole weights.
    pub(super) fn of(weights: impl IntoIterator<Item = u32>) -> Self {
        Self::new(&weights.into_iter().map(f64::from).collect::<Vec<_>>())
    }

    /// A choice where the weight falls with the rank: 1 / (rank + `flat`).
    pub(super) fn zipf(n: usize, flat: f64) -> Self {
        let weights: Vec<f64> = (1_u32..).take(n).map(|r| 1.0 / (f64::from(r) + flat)).collect();
        Self::new(&weights)
    }

    /// Draws one.
    pub(super) fn draw(&self, draw: &mut Draw) -> usize {
        let slot = (u64::from(draw.bits()) * self.slots.len() as u64) >> 32;
        let slot = usize::try_from(slot).expect("below the number of slots");
        let (own, other) = self.slots[slot];
        // A weight of zero has a share of zero, and is never drawn.
        if draw.bits() < own { slot } else { other as usize }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 1, and the cast saturates"
)]
fn threshold(share: f64) -> u32 {
    (share * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_their_weights() {
        let weights = [0, 1, 5, 0, 94];
        let choice = Weighted::of(weights);
        let mut draw = Draw::new(1);
        let mut counts = [0_i32; 5];
        for _ in 0..100_000 {
            counts[choice.draw(&mut draw)] += 1;
        }
        for (count, weight) in counts.iter().zip([0, 1, 5, 0, 94]) {
            assert!((count - weight * 1000).abs() < 500, "{counts:?}");
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
    }

    #[test]
    fn the_bell_has_mean_0_and_variance_1() {
        let mut draw = Draw::new(2);
        let sample: Vec<f64> = (0..50_000).map(|_| draw.bell()).collect();
        let mean = sample.iter().sum::<f64>() / 50_000.0;
        let variance = sample.iter().map(|x| x * x).sum::<f64>() / 50_000.0;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn the_exponential_is_close() {
        for x in [-3.0, -0.5, 0.0, 1.0, 3.0] {
            assert!((exp(x) / f64::exp(x) - 1.0).abs() < 0.01);
        }
    }
}
