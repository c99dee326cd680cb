//! Why a release of a series is rejected.

use kohort_core::{Place, Ratio};
use kohort_models::series::Broken;

/// Why a release of a series is rejected.
#[derive(Clone, Debug, PartialEq)]
pub enum SeriesReason {
    /// The model's own reason.
    Model(Broken),
    /// People are believed to have a value with more than rho.
    Believed {
        /// How many.
        people: u64,
        /// What was promised.
        rho: Ratio,
        /// The highest belief.
        highest: f64,
    },
    /// Classes in which a value is believed with more than rho, whatever came before.
    BelievedInClasses {
        /// How many.
        classes: u64,
        /// What was promised.
        rho: Ratio,
    },
    /// All releases together let somebody's value be believed with more than 1/m.
    BelievedTogether {
        /// What was promised.
        m: u32,
    },
    /// One value fills more of the people held back than the promise allows.
    HeldBack {
        /// The share that it fills.
        share: Ratio,
        /// The people held back.
        people: u64,
    },
    /// The release has other columns or rows than the certificate says.
    OtherShape,
    /// It shows a value that the series does not have.
    UnknownValue,
    /// Rows of one class show different cells.
    DifferentCells,
    /// The table of counterfeits does not count the rows that are nobody's.
    MiscountedCounterfeits,
    /// Rows that do not cover the original rows they are said to be.
    Uncovered {
        /// How many.
        rows: u64,
    },
    /// Classes that show different cells in different rows.
    UnevenClasses {
        /// How many.
        classes: u64,
    },
    /// Classes of which every row is counted as a counterfeit.
    OnlyCounterfeits {
        /// How many.
        classes: u64,
    },
    /// Counterfeits are counted of groups that the release does not have.
    UnknownGroups {
        /// How many.
        groups: u64,
    },
    /// Rows that cover nobody of the original with that value, more than there may be counterfeits.
    Nobodys {
        /// How many.
        rows: u64,
        /// What the number of counterfeits is known from.
        counterfeits: Uncounted,
    },
    /// A cell that covers nobody of the original.
    CoversNobody {
        /// Its column.
        column: String,
        /// Where it stands.
        place: Place,
    },
    /// The reason holds once the releases before it are taken into account.
    AfterEarlier(Box<SeriesReason>),
}

/// What the number of counterfeits that a release may have is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// The release counts them.
    ByRelease,
    /// The plan allows at most so many in a class.
    ByPlan {
        /// The most in a class.
        most: u32,
    },
}

impl From<Broken> for SeriesReason {
    fn from(broken: Broken) -> Self {
        Self::Model(broken)
    }
}
