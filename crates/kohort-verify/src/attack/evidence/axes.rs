//! Two releases on the same axes: what their texts cover, in codes that both share.
//!
//! A quasi-identifier that both releases have is an axis. What is declared of it comes before what its texts
//! look like; they are read by the first of these that fits:
//! 1. Cells of the column that the plan's taxonomy lists, or of the people's column where that is of texts or
//!    has a taxonomy: values, and nodes of the taxonomy by label.
//! 2. Numbers and ranges, by number: the codes are the bounds that occur and the gaps between them. Not where
//!    the plan says that the column is of texts, and not where a text has a zero in front, as codes do.
//! 3. Cells of the people's column.
//! 4. Masks such as `130**` by what stands before the stars; another text is a value where both releases
//!    have it, or a mask covers it.
//!
//! A text that says nothing on its axis, such as `*`, covers everything: it rules nothing out.

use kohort_core::{Attribute, Codes, Column, Error, Table, ValueType, group};

use super::released::Released;
use super::scene::Scene;
use crate::release::cells::{Interval, Published};
use crate::release::index::{Index, Then};
use crate::release::notation::{Range, says_nothing};

/// One of two releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::attack) enum Side {
    /// The release under attack.
    This,
    /// The release beside it.
    Other,
}

/// The axes that two releases share.
pub(in crate::attack) struct Axes<'a> {
    axes: Vec<[Axis<'a>; 2]>,
}

/// A column of one release, with what each dictionary entry covers.
struct Axis<'a> {
    column: &'a Column,
    covered: Vec<Vec<Interval>>,
}

impl<'a> Axes<'a> {
    /// The quasi-identifiers that both releases have, read by what the adversary knows of them.
    pub(in crate::attack) fn new(
        this: &Released<'a>,
        other: &Released<'a>,
        scene: &Scene<'a>,
    ) -> Result<Self, Error> {
        let is_shared = |name: &&&str| other.quasi().contains(name);
        let mut axes = Vec::new();
        for name in this.quasi().iter().filter(is_shared) {
            let columns = [this.table().column(name)?, other.table().column(name)?];
            let known = known(scene, name);
            let is_text = scene.declared.texts.iter().any(|text| text == name);
            let is_number = |(_, attribute): &(&Table, &Attribute)| {
                attribute.is_flat() && attribute.value_type() != ValueType::Text
            };
            let may_be_number = !is_text && known.as_ref().is_none_or(is_number);
            let by_number = if may_be_number { by_number(columns) } else { None };
            let [first, second] = match (by_number, known) {
                (Some(covered), _) => covered,
                (None, Some(known)) => by_column([this, other], known)?,
                (None, None) => by_text(columns),
            };
            axes.push([
                Axis { column: columns[0], covered: first },
                Axis { column: columns[1], covered: second },
            ]);
        }
        Ok(Self { axes })
    }

    /// The number of axes.
    pub(in crate::attack) fn len(&self) -> usize {
        self.axes.len()
    }

    /// What a row of a release covers on each axis.
    fn covers(&self, side: Side, row: u32) -> impl Iterator<Item = &[Interval]> {
        self.axes.iter().map(move |pair| {
            let axis = &pair[side as usize];
            &axis.covered[axis.column.codes().get(row as usize) as usize][..]
        })
    }

    /// Whether a row of this release and one of the other may be about one person.
    pub(in crate::attack) fn overlap(&self, this: u32, other: u32) -> bool {
        let pairs = self.covers(Side::This, this).zip(self.covers(Side::Other, other));
        pairs.into_iter().all(|(a, b)| meet(a, b).next().is_some())
    }

    /// What both rows cover, axis by axis; `None` where that is no less than what this release shows.
    pub(in crate::attack) fn narrowed(&self, this: u32, other: u32) -> Option<Vec<Vec<Interval>>> {
        let pairs = self.covers(Side::This, this).zip(self.covers(Side::Other, other));
        let both: Vec<Vec<Interval>> = pairs.map(|(a, b)| meet(a, b).collect()).collect();
        let is_same = both.iter().zip(self.covers(Side::This, this)).all(|(both, a)| both == a);
        (!is_same).then_some(both)
    }
}

impl Axes<'_> {
    /// Calls `found` with the indices of rows `from` one release and rows `to` the other that overlap,
    /// one row of `from` after the other.
    pub(in crate::attack) fn each_overlap(
        &self,
        side: Side,
        from: &[u32],
        to: &[u32],
        mut found: impl FnMut(usize, usize) -> Then,
    ) {
        let across = if side == Side::This { Side::Other } else { Side::This };
        // A box is a point of its bounds; it overlaps another where it begins before the other ends, and
        // ends after the other begins.
        let bounds = to.iter().flat_map(|&row| self.hull(across, row));
        let codes: Vec<u32> = bounds.flat_map(|(lo, hi)| [lo, hi]).collect();
        let near: Vec<Interval> = (from.iter().flat_map(|&row| self.hull(side, row)))
            .flat_map(|(lo, hi)| [(0, hi), (lo, u32::MAX)])
            .collect();
        let near: Vec<&[Interval]> = near.iter().map(std::slice::from_ref).collect();
        let n_bounds = 2 * self.len();
        let mut index = Index::new(&codes, to.len(), n_bounds, &near);
        for (at, &row) in from.iter().enumerate() {
            index.search(&near[at * n_bounds..][..n_bounds], &mut |point| {
                let candidate = to[point as usize];
                let (a, b) = if side == Side::This { (row, candidate) } else { (candidate, row) };
                if self.overlap(a, b) { found(at, point as usize) } else { Then::Keep }
            });
        }
    }

    /// The lowest and the highest code that a row covers on each axis.
    fn hull(&self, side: Side, row: u32) -> impl Iterator<Item = Interval> {
        self.covers(side, row).map(|covered| {
            let lo = covered.first().map_or(0, |interval| interval.0);
            (lo, covered.last().map_or(lo, |interval| interval.1))
        })
    }
}

/// The codes that two sets of disjoint intervals share.
fn meet<'s>(a: &'s [Interval], b: &'s [Interval]) -> impl Iterator<Item = Interval> + 's {
    a.iter().flat_map(move |&(lo, hi)| {
        let both = b.iter().map(move |&(from, to)| (lo.max(from), hi.min(to)));
        both.filter(|(lo, hi)| lo <= hi)
    })
}

/// Texts of two columns that are all numbers, ranges, `*` or missing.
fn by_number(columns: [&Column; 2]) -> Option<[Vec<Vec<Interval>>; 2]> {
    let number = |text: &str| {
        let text = text.trim();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.filter(|_| !is_code(text))
    };
    // The bounds, and whether they are outside; none for what covers everything.
    let read = |text: &str| match number(text) {
        Some(number) => Some(Some((number, number, false, false))),
        None if says_nothing(text) => Some(None),
        None => Range::parse(text, number)
            .map(|range| Some((range.low, range.high, range.opens, !range.closes))),
    };
    let mut bounds: Vec<f64> = Vec::new();
    let mut read_all = |column: &Column| {
        let found: Option<Vec<_>> = column.dictionary().iter().map(read).collect();
        let found = found?;
        bounds.extend(found.iter().flatten().flat_map(|&(low, high, ..)| [low, high]));
        Some(found)
    };
    let found = [read_all(columns[0])?, read_all(columns[1])?];
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let code = |bound: f64| {
        let rank = bounds.partition_point(|&other| other < bound);
        2 * u32::try_from(rank).expect("no more bounds than texts")
    };
    let everything = (0, 2 * u32::try_from(bounds.len()).expect("no more bounds than texts"));
    let interval = |text: Option<(f64, f64, bool, bool)>| {
        let Some((low, high, opens, ends_before)) = text else { return vec![everything] };
        let lo = code(low) + u32::from(opens);
        let hi = code(high).saturating_sub(u32::from(ends_before));
        vec![if lo <= hi { (lo, hi) } else { everything }]
    };
    Some(found.map(|texts| texts.into_iter().map(interval).collect()))
}

/// The column that texts are looked up in: what the plan's taxonomy lists, else that of the people.
fn known<'a>(scene: &Scene<'a>, name: &str) -> Option<(&'a Table, &'a Attribute)> {
    let listed = scene.declared.taxonomies.iter().find_map(|listed| {
        let of_column = listed.quasi().into_iter().find(|attribute| attribute.name() == name);
        of_column.map(|attribute| (listed.table(), attribute))
    });
    listed.or_else(|| {
        let people = scene.people.as_ref()?;
        let attribute = people.quasi().iter().find(|attribute| attribute.name() == name)?;
        Some((people.table(), *attribute))
    })
}

/// Texts of two columns as cells of a column of another table.
fn by_column(
    releases: [&Released<'_>; 2],
    (table, attribute): (&Table, &Attribute),
) -> Result<[Vec<Vec<Interval>>; 2], Error> {
    let read = |release: &Released<'_>| {
        let published = Published::read_attacked(release.table(), table, attribute)?;
        let n_entries = release.table().column(attribute.name())?.dictionary().len();
        let covered = (0..n_entries).map(|entry| match published.covered(entry) {
            [] => vec![(0, attribute.n_codes())],
            covered => covered.to_vec(),
        });
        Ok::<_, Error>(covered.collect())
    };
    Ok([read(releases[0])?, read(releases[1])?])
}

/// Texts of two columns as masks and values. The codes are the stems in order, so that those that begin
/// alike lie side by side.
fn by_text(columns: [&Column; 2]) -> [Vec<Vec<Interval>>; 2] {
    let texts = || columns.into_iter().flat_map(|column| column.dictionary().iter());
    let mut stems: Vec<&str> = texts().filter(|text| !says_nothing(text)).map(stem).collect();
    stems.sort_unstable();
    stems.dedup();
    let code = |rank: usize| u32::try_from(rank).expect("no more stems than texts");
    let everything = (0, code(stems.len()));
    let mut masks: Vec<&str> = texts().filter(|text| is_mask(text)).map(stem).collect();
    masks.sort_unstable();
    masks.dedup();
    let is_masked = |text: &str| {
        let mut cuts = text.char_indices().map(|(at, _)| at).skip(1);
        cuts.any(|at| masks.binary_search(&&text[..at]).is_ok())
    };
    let is_shared =
        |text: &str| columns.iter().all(|column| column.dictionary().find(text).is_some());
    let interval = |text: &str| {
        let stem = stem(text);
        let first = stems.partition_point(|&other| other < stem);
        if is_mask(text) {
            let n = stems[first..].partition_point(|other| other.starts_with(stem));
            (code(first), code(first + n - 1))
        } else if !says_nothing(text) && (is_shared(text) || is_masked(text)) {
            (code(first), code(first))
        } else {
            everything
        }
    };
    columns.map(|column| column.dictionary().iter().map(|text| vec![interval(text)]).collect())
}

/// Whether digits have a zero in front: `007` is a code, not a number.
fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.")
}

/// Whether a text ends in stars that hide a part of it.
fn is_mask(text: &str) -> bool {
    text.ends_with('*') && !says_nothing(text)
}

/// What a text shows before its stars.
fn stem(text: &str) -> &str {
    text.trim_end_matches('*')
}

/// Which rows of two releases agree on every column besides the quasi-identifiers that both have: the
/// number of such columns, and the class of each row of one and of the other. Groups have names of their
/// own in each release; where one is anatomized, sensitive columns are no part of a row.
pub(in crate::attack) fn links(
    this: &Released<'_>,
    other: &Released<'_>,
) -> (usize, Vec<u32>, Vec<u32>) {
    let n_rows = this.n_rows() + other.n_rows();
    let are_rows = !this.is_anatomized() && !other.is_anatomized();
    let is_left_out = |release: &Released<'_>, name: &str| {
        release.quasi().contains(&name)
            || release.is_group(name)
            || (!are_rows && release.sensitive().iter().any(|a| a.name() == name))
    };
    let is_linked =
        |column: &&Column| !is_left_out(this, column.name()) && !is_left_out(other, column.name());
    let mut both: Vec<(Codes, u32)> = Vec::new();
    for column in this.table().columns().iter().filter(is_linked) {
        let Ok(twin) = other.table().column(column.name()) else { continue };
        let (mut codes, mut next) = (Codes::default(), column.dictionary().len());
        let to: Vec<u32> = (twin.dictionary().iter())
            .map(|text| {
                column.dictionary().find(text).unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        column.codes().for_each(|code| codes.push(code));
        twin.codes().for_each(|entry| codes.push(to[entry as usize]));
        both.push((codes, next));
    }
    let mut ids = group(n_rows, both.iter().map(|(codes, n)| (codes, *n))).ids;
    let of_other = ids.split_off(this.n_rows());
    (both.len(), ids, of_other)
}
