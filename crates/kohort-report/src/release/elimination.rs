//! Elimination: what a release tells about people who are not in it under their own quasi-identifiers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::wording::{count, percent};

/// How many people are found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elimination {
    /// The sensitive attribute.
    pub attribute: String,
    /// The people in the release.
    pub people: u64,
    /// Those whose exact value is disclosed: all who look like them have it.
    pub disclosed: u64,
    /// Those of the others who have a high value for sure: all who look like them have one.
    pub surely_high: u64,
}

impl fmt::Display for Elimination {
    #[expect(clippy::cast_precision_loss, reason = "shares for people to read")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |n: u64| percent(n as f64 / self.people.max(1) as f64);
        write!(
            f,
            "{} ({}) show their exact `{}`; {} ({}) certainly have a high value",
            count(self.disclosed, "person", "people"),
            share(self.disclosed),
            self.attribute,
            count(self.surely_high, "other", "others"),
            share(self.surely_high),
        )
    }
}
