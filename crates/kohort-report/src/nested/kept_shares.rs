//! How much of each sensitive value is left in a nested release: what is cut may depend on the value.
//!
//! A value is named only where the release shows it, and its share of the original is rounded as all shares are.

use serde::{Deserialize, Serialize};

use crate::wording::{count, percent};

/// Shares that are further apart are uneven.
pub const UNEVEN: f64 = 0.1;

/// How much is left of the values of a sensitive attribute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptShares {
    /// The path of the attribute.
    pub path: String,
    /// Its values that ten vertices have or more, and that the release shows; the share of which least is left
    /// first.
    pub values: Vec<KeptShare>,
    /// The values of the original that the release does not show at all.
    pub gone: u64,
    /// Whether what is left depends on the value: the shares are more than ten points apart, or such a value is
    /// gone.
    pub uneven: bool,
}

/// How much is left of a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptShare {
    /// The value, as the release shows it.
    pub value: String,
    /// The share of its occurrences in the original that the release shows.
    pub share: f64,
}

impl KeptShares {
    /// What to know about it, where it is uneven.
    pub fn warning(&self) -> Option<String> {
        let (least, most) = self.values.first().zip(self.values.last()).filter(|_| self.uneven)?;
        let shares = if most.share - least.share > UNEVEN {
            let (of_least, of_most) = (percent(least.share), percent(most.share));
            format!("{of_least} of `{}`, but {of_most} of `{}`", least.value, most.value)
        } else {
            format!("{} or more of each value that it shows", percent(least.share))
        };
        let gone = match self.gone {
            0 => String::new(),
            n => format!("; {} not in the release at all", count(n, "value is", "values are")),
        };
        Some(format!("how much of `{}` is kept depends on the value: {shares}{gone}", self.path))
    }
}
