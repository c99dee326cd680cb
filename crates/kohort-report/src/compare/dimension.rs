//! What varies along a curve: k, l or the number of sensitive attributes.

use serde::{Deserialize, Serialize};

use super::{Level, Point};
use crate::wording::decimal;

/// What varies along a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// The k asked for.
    K,
    /// The l asked for.
    L,
    /// How many of the sensitive attributes are published.
    Attributes,
}

impl Dimension {
    /// All of them, in the order they are tried.
    pub const ALL: [Self; 3] = [Self::K, Self::L, Self::Attributes];

    /// What the curves of the balance go over: the first that varies, or k where nothing does.
    pub fn of_balance(points: &[Point]) -> Self {
        let varies = |along: &Self| along.values(points).len() > 1;
        Self::ALL.into_iter().find(varies).unwrap_or(Self::K)
    }

    /// The id, and what it is called.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::K => ("k", "k"),
            Self::L => ("l", "l"),
            Self::Attributes => ("attributes", "sensitive attributes"),
        }
    }

    /// A place along it, such as `k = 5`.
    pub fn spelled(self, at: f64) -> String {
        format!("{} = {}", self.names().0, decimal(at))
    }

    /// Where a level lies along it.
    pub fn of(self, level: &Level) -> Option<f64> {
        let real = |n| kohort_core::Ratio::whole(n).value();
        match self {
            Self::K => level.k.map(real),
            Self::L => level.l,
            Self::Attributes => level.attributes.map(real),
        }
    }

    /// The level whatever it is in this respect: what the points of one curve have in common.
    pub fn without(self, level: Level) -> Level {
        match self {
            Self::K => Level { k: None, ..level },
            Self::L => Level { l: None, ..level },
            Self::Attributes => Level { attributes: None, ..level },
        }
    }

    /// The values that were tried, ascending.
    pub fn values(self, points: &[Point]) -> Vec<f64> {
        let found = points.iter().filter_map(|point| self.of(&point.level));
        let mut values: Vec<f64> = found.collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }
}
