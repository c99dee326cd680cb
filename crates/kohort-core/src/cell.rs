//! What a release shows in place of a value.

/// One published cell of a quasi-identifier, as codes of the original column. Which codes it covers is
/// [`crate::Attribute::codes_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// The value itself.
    Leaf(u32),
    /// A range of values of a column that is published as ranges.
    Range {
        /// The lowest code.
        lo: u32,
        /// The highest code, which is not the missing one.
        hi: u32,
    },
    /// The values between two lines of a column whose ranges are rounded outward. It is shown from the line at
    /// or below the lowest code to the line at or above the highest.
    Rounded {
        /// The lowest code at or above the first line.
        lo: u32,
        /// The highest code at or below the last line.
        hi: u32,
    },
    /// An inner node of the taxonomy; 0 is the root.
    Node(u32),
}

impl Cell {
    /// The root: every value.
    pub const ANY: Self = Self::Node(0);
}
