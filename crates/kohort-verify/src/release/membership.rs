//! delta-presence of a release: how likely each person of a public table is to be in it.
//!
//! # Method
//! 1. A class of the release is the box of its texts, with f rows; F people of the public table lie in it.
//!    Each of them is a member with probability f / F.
//! 2. Who lies in several boxes has the sum of their shares, at most 1: by the union bound no less than
//!    the probability to be behind a row of one of them. Boxes of a full-domain release are disjoint.
//! 3. Who lies in none has 0. Rows that show `*` everywhere are a class that everybody lies in.
//!
//! Texts are read over the values of both tables: a value of the public table that the original does not
//! have lies in a range or under a node as others do; a text that is no value lies under the root alone.
//! A missing cell stands for a missing value where there is one, and else for anything. A text that may be
//! several cells covers them all.
//!
//! # Exact
//! A sum of shares is a fraction in lowest terms while that fits into 64 bits. Beyond, it is added up in
//! units of 2⁻⁶⁴ rounded down for the lower bound and up for the upper one, against the release.
//!
//! # Cost
//! A search in a k-d tree of the distinct people for each class, and time for each person found.
//!
//! # References
//! Nergiz, Atzori and Clifton, SIGMOD 2007.

use kohort_core::{Attribute, Cell, Codes, Error, Public, Ratio, Table, group};
use kohort_models::{DeltaPresence, KMap};

use super::cells::{Interval, Published};
use super::index::{Index, Then};
use crate::Violations;

/// What the people of a public table are promised.
#[derive(Clone, Copy)]
pub struct Membership<'a> {
    /// The promise.
    pub model: DeltaPresence,
    /// The people; the columns are the quasi-identifiers.
    pub public: &'a Public,
    /// The rows that show nothing, beside those that are judged: everybody lies in them.
    pub n_blank: u64,
}

/// How likely the people of a public table are members of a release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Members {
    /// The people.
    pub people: u64,
    /// Those whose probability is below the promised range.
    pub below: u64,
    /// Those whose probability is above it.
    pub above: u64,
    /// The distinct people, by their quasi-identifiers, outside of the range.
    pub kinds: u64,
    /// The smallest probability.
    pub lowest: f64,
    /// The largest probability.
    pub highest: f64,
    /// The released rows that may be nobody of the public table: it does not list everybody.
    pub rows_not_covered: u64,
}

impl Members {
    /// Whether everybody is in the range.
    pub fn holds(&self) -> bool {
        self.below + self.above == 0
    }

    /// What breaks the promise: alike people as classes, people as rows.
    pub(super) fn violations(&self) -> Violations {
        Violations { classes: self.kinds, rows: self.below + self.above, masked: 0 }
    }
}

/// Judges the classes of a release, which are rows with equal texts on the quasi-identifiers.
pub(super) fn members(release: &Table, membership: &Membership<'_>) -> Result<Members, Error> {
    let people = People::new(membership.public);
    let mut shares = vec![Share::NONE; people.counts.len()];
    let mut rows_not_covered = 0;
    each_class(release, (membership.public, &people), Reading::Any, |rows, inside| {
        let covered: u64 = inside.iter().map(|&point| people.counts[point]).sum();
        if covered == 0 {
            rows_not_covered += rows;
            return;
        }
        let share = Share::new(rows, covered);
        for &point in inside {
            shares[point] = shares[point].plus(&share);
        }
    })?;
    let n_people: u64 = people.counts.iter().sum();
    if membership.n_blank > 0 && n_people > 0 {
        let share = Share::new(membership.n_blank, n_people);
        for sum in &mut shares {
            *sum = sum.plus(&share);
        }
    }
    Ok(tell(&membership.model, &people.counts, &shares, rows_not_covered))
}

/// The classes that are like fewer people of a population than k-map asks for.
pub(super) fn uncovered(
    release: &Table,
    model: KMap,
    public: &Public,
) -> Result<Violations, Error> {
    let people = People::new(public);
    let mut found = Violations::default();
    each_class(release, (public, &people), Reading::Narrowest, |rows, inside| {
        let covered: u64 = inside.iter().map(|&point| people.counts[point]).sum();
        if covered < model.k() {
            found.classes += 1;
            found.rows += rows;
        }
    })?;
    Ok(found)
}

/// What a text covers that can be read as several cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// What any of them covers.
    Any,
    /// What the narrowest covers: nobody is counted who may not be there.
    Narrowest,
}

/// Tells for each class of a release how many rows it has and which distinct people its box covers.
fn each_class(
    release: &Table,
    (public, people): (&Public, &People),
    reading: Reading,
    mut tell: impl FnMut(u64, &[usize]),
) -> Result<(), Error> {
    let columns = public.columns();
    let mut texts: Vec<Vec<Vec<Interval>>> = Vec::new();
    let mut released: Vec<(&Codes, u32)> = Vec::new();
    for column in columns {
        let of_release = release.column(column.attribute.name())?;
        let published = Published::read(release, None, &column.attribute)?;
        let covered = (0..).zip(of_release.dictionary().iter()).map(|(entry, text)| {
            let is_missing = release.missing().is(text);
            covered((&published, entry), is_missing, reading, &column.attribute)
        });
        texts.push(covered.collect());
        released.push((of_release.codes(), of_release.dictionary().len()));
    }
    let classes = group(release.n_rows(), released.iter().copied());
    let first = classes.first_rows();
    let of_class = |row: &u32| {
        let entries = released.iter().map(|(codes, _)| codes.get(*row as usize) as usize);
        texts.iter().zip(entries).map(|(texts, entry)| &texts[entry][..]).collect::<Vec<_>>()
    };
    let shapes: Vec<&[Interval]> = first.iter().flat_map(of_class).collect();
    let mut index = Index::new(&people.codes, people.counts.len(), columns.len(), &shapes);
    let mut inside = Vec::new();
    for (shape, rows) in shapes.chunks(columns.len().max(1)).zip(classes.sizes()) {
        inside.clear();
        index.search(shape, &mut |point| {
            inside.push(point as usize);
            Then::Keep
        });
        tell(u64::from(rows), &inside);
    }
    Ok(())
}

/// The codes that a text covers; the root covers also the code after the last.
fn covered(
    (published, entry): (&Published, u32),
    is_missing: bool,
    reading: Reading,
    attribute: &Attribute,
) -> Vec<Interval> {
    match published.cells(entry) {
        [narrowest, _, ..] if reading == Reading::Narrowest && *narrowest != Cell::ANY => {
            vec![attribute.codes_of(*narrowest)]
        }
        [narrowest, ..] if is_missing && *narrowest != Cell::ANY => {
            vec![attribute.codes_of(*narrowest)]
        }
        cells if cells.contains(&Cell::ANY) => vec![(0, attribute.n_codes())],
        _ => published.covered(entry).to_vec(),
    }
}

/// The distinct people and how many there are of each.
struct People {
    // Row-major codes.
    codes: Vec<u32>,
    counts: Vec<u64>,
}

impl People {
    fn new(public: &Public) -> Self {
        let columns = public.columns().iter();
        let coded = columns.map(|column| (&column.codes, column.attribute.n_codes() + 1));
        let grouping = group(public.n_people(), coded);
        let of_row =
            |row: u32| public.columns().iter().map(move |column| column.codes.get(row as usize));
        Self {
            codes: grouping.first_rows().into_iter().flat_map(of_row).collect(),
            counts: grouping.sizes().into_iter().map(u64::from).collect(),
        }
    }
}

fn tell(model: &DeltaPresence, counts: &[u64], shares: &[Share], rows_not_covered: u64) -> Members {
    let mut found = Members {
        people: counts.iter().sum(),
        below: 0,
        above: 0,
        kinds: 0,
        lowest: shares.iter().map(Share::value).reduce(f64::min).unwrap_or(0.0),
        highest: shares.iter().map(Share::value).reduce(f64::max).unwrap_or(0.0),
        rows_not_covered,
    };
    for (share, &count) in shares.iter().zip(counts) {
        let (is_below, is_above) = (share.is_below(model.min()), share.is_above(model.max()));
        found.below += if is_below { count } else { 0 };
        found.above += if is_above { count } else { 0 };
        found.kinds += u64::from(is_below || is_above);
    }
    found
}

/// A sum of shares, at most 1.
#[derive(Clone, Copy)]
struct Share {
    exact: Option<Ratio>,
    // In units of 2⁻⁶⁴, rounded down and up.
    low: u128,
    high: u128,
}

/// 1 in units of 2⁻⁶⁴.
const ONE: u128 = 1 << 64;

impl Share {
    const NONE: Self = Self { exact: None, low: 0, high: 0 };

    fn new(rows: u64, people: u64) -> Self {
        let rows = rows.min(people);
        let units = u128::from(rows) << 64;
        let people_units = u128::from(people);
        Self {
            exact: Some(Ratio::new(rows, people)),
            low: units / people_units,
            high: units.div_ceil(people_units),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let exact = match (self.exact, other.exact) {
            _ if self.low == 0 && self.high == 0 => other.exact,
            (Some(a), Some(b)) => sum(a, b),
            _ => None,
        };
        Self {
            exact,
            low: (self.low + other.low).min(ONE),
            high: (self.high + other.high).min(ONE),
        }
    }

    fn is_below(&self, min: Ratio) -> bool {
        match self.exact {
            Some(share) => share < min,
            None => self.low * u128::from(min.den()) < u128::from(min.num()) << 64,
        }
    }

    fn is_above(&self, max: Ratio) -> bool {
        match self.exact {
            Some(share) => share > max,
            None => self.high * u128::from(max.den()) > u128::from(max.num()) << 64,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    fn value(&self) -> f64 {
        self.exact.map_or(self.high as f64 / ONE as f64, Ratio::value)
    }
}

/// The sum of two shares, at most 1; `None` when it does not fit.
fn sum(a: Ratio, b: Ratio) -> Option<Ratio> {
    let [a_num, a_den, b_num, b_den] = [a.num(), a.den(), b.num(), b.den()].map(u128::from);
    let (num, den) = (a_num * b_den + b_num * a_den, a_den * b_den);
    if num >= den {
        return Some(Ratio::whole(1));
    }
    let common = gcd(num, den);
    Some(Ratio::new(u64::try_from(num / common).ok()?, u64::try_from(den / common).ok()?))
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_add_up_to_the_bound_are_not_above_it() {
        let half = Ratio::new(1, 2);
        let share = Share::new(1, 3).plus(&Share::new(1, 6));
        assert!(!share.is_above(half) && !share.is_below(half));
        assert!(Share::NONE.is_below(half) && !Share::NONE.is_above(Ratio::whole(0)));
        let all = share.plus(&share).plus(&share);
        assert!(!all.is_above(Ratio::whole(1)) && all.is_above(Ratio::new(999, 1000)));
    }

    #[test]
    fn sums_too_long_for_a_fraction_are_rounded_against_the_release() {
        // Five coprime denominators near 2^20.
        let people = [1_048_573, 1_048_571, 1_048_559, 1_048_549, 1_048_517];
        let share = people.iter().fold(Share::NONE, |sum, &n| sum.plus(&Share::new(n / 10, n)));
        assert!(share.exact.is_none());
        // Each is below a tenth by less than a millionth.
        assert!(share.is_below(Ratio::new(1, 2)) && !share.is_above(Ratio::new(1, 2)));
        assert!(share.is_above(Ratio::new(499_995, 1_000_000)));
        assert!((share.value() - 0.5).abs() < 1e-5);
    }
}
