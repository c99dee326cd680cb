//! What releases of the same people say together of those who are in them.
//!
//! # Definition
//! X is the class of a person in each of some releases, as far as the person is in them: who knows all that
//! these show of a person has no other rows left. Y is a sensitive value that all these classes show. A row
//! of one class may be the person's together with any row of the other with the same value: rows multiply,
//! as they do in a join of tables.
//!
//! All releases show the same sensitive column. Of releases that show different ones, every row of one class
//! may stand beside every row of the other: what is beside X is what each class shows alone.

use std::collections::BTreeMap;

use kohort_core::{Ratio, ReleasedClass, SeriesRelease};

/// One X, or several.
pub(super) const KINDS: [&str; 2] = ["kind of people occurs", "kinds of people occur"];

/// The values beside an X in ascending order, each with its number of rows.
type Beside = Vec<(u32, u64)>;

/// A release joined with others.
struct Join {
    // The people of the release, and the X of each.
    people: Vec<u32>,
    x_of: Vec<usize>,
    beside: Vec<Beside>,
}

impl Join {
    fn new(release: &SeriesRelease, others: &[&SeriesRelease]) -> Self {
        let placed = (0..).zip(&release.class_of);
        let placed = placed.filter_map(|(person, _)| Some((person, release.class_of(person)?)));
        let (people, x_of) = placed.map(|(person, class)| (person, class as usize)).unzip();
        let mut join = Self { people, x_of, beside: counted(release) };
        for other in others {
            join.with(other);
        }
        join
    }

    /// Tells people apart by their classes in one more release, as well.
    fn with(&mut self, other: &SeriesRelease) {
        let shown = counted(other);
        let mut numbers: BTreeMap<(usize, Option<u32>), usize> = BTreeMap::new();
        let mut beside = Vec::new();
        for (x, &person) in self.x_of.iter_mut().zip(&self.people) {
            let (before, class) = (*x, other.class_of(person));
            *x = *numbers.entry((before, class)).or_insert_with(|| {
                let before = &self.beside[before];
                beside.push(
                    class.map_or_else(|| before.clone(), |c| meet(before, &shown[c as usize])),
                );
                beside.len() - 1
            });
        }
        self.beside = beside;
    }
}

/// A release alone, joined with each earlier one, and with all of them.
fn joins<'a>(
    earlier: &'a [&'a SeriesRelease],
    next: &'a SeriesRelease,
) -> impl Iterator<Item = Join> + 'a {
    let alone = std::iter::once(&earlier[..0]);
    let all = (earlier.len() > 1).then_some(earlier);
    alone.chain(earlier.chunks(1)).chain(all).map(|others| Join::new(next, others))
}

/// How many X fail: in a release alone, in its join with each earlier one, or in that with all of them. The
/// first of these joins with any counts.
pub(super) fn n_failing(
    earlier: &[&SeriesRelease],
    next: &SeriesRelease,
    holds: impl Fn(&[(u32, u64)]) -> bool,
) -> usize {
    let n_failing = |join: Join| join.beside.iter().filter(|beside| !holds(beside)).count();
    joins(earlier, next).map(n_failing).find(|&n| n > 0).unwrap_or(0)
}

/// The people whose X fails in any of these joins, in ascending order.
pub(super) fn failing(
    earlier: &[&SeriesRelease],
    next: &SeriesRelease,
    holds: impl Fn(&[(u32, u64)]) -> bool,
) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for join in joins(earlier, next) {
        let is_failing: Vec<bool> = join.beside.iter().map(|beside| !holds(beside)).collect();
        let people = join.people.iter().zip(&join.x_of);
        found.extend(people.filter(|&(_, &x)| is_failing[x]).map(|(person, _)| person));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The largest share that a value has beside anybody of a release: in the release alone, or in its join with
/// all of these earlier ones. Where the releases allow somebody no value, the value has changed, and the
/// join says nothing.
pub fn largest_share(earlier: &[&SeriesRelease], next: &SeriesRelease) -> Ratio {
    let joins = [Join::new(next, &[]), Join::new(next, earlier)];
    let shares = joins.iter().flat_map(|join| &join.beside).filter_map(|beside| share(beside));
    shares.max().unwrap_or(Ratio::whole(0))
}

/// The largest share of a value; none where there is no value.
pub(super) fn share(beside: &[(u32, u64)]) -> Option<Ratio> {
    let total: u64 = beside.iter().map(|(_, n_rows)| n_rows).sum();
    beside.iter().map(|&(_, n_rows)| Ratio::new(n_rows, total)).max()
}

/// What each class shows.
fn counted(release: &SeriesRelease) -> Vec<Beside> {
    let of = |class: &ReleasedClass| {
        class.values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
    };
    release.classes.iter().map(of).collect()
}

/// The values that stand in both, each with the pairs of its rows. Where these are too many, they are told in
/// larger units, the most frequent rounded up and the others down: no share seems smaller than it is.
fn meet(a: &[(u32, u64)], b: &[(u32, u64)]) -> Beside {
    /// The sum of this many is not too large.
    const MOST: u128 = 1 << 40;
    let other = |value: u32| b.binary_search_by_key(&value, |&(value, _)| value).ok();
    let both =
        |&(value, n): &(u32, u64)| Some((value, u128::from(n) * u128::from(b[other(value)?].1)));
    let pairs: Vec<(u32, u128)> = a.iter().filter_map(both).collect();
    let most = pairs.iter().map(|&(_, n)| n).max().unwrap_or(0);
    let unit = most.div_ceil(MOST).max(1);
    let told = |n: u128| if n == most { n.div_ceil(unit) } else { (n / unit).max(1) };
    pairs.iter().map(|&(value, n)| (value, u64::try_from(told(n)).unwrap_or(u64::MAX))).collect()
}

#[cfg(test)]
mod tests {
    use kohort_core::ABSENT;

    use super::*;

    fn release(class_of: &[u32], classes: &[&[u32]]) -> SeriesRelease {
        let class = |values: &&[u32]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
        SeriesRelease { class_of: class_of.to_vec(), classes: classes.iter().map(class).collect() }
    }

    // Ages with diseases, zips with diseases: each class has two, and everybody's two have one in common.
    #[test]
    fn what_two_classes_have_in_common_is_left() {
        let ages = release(&[0, 0, 1, 1], &[&[0, 1], &[2, 3]]);
        let zips = release(&[0, 1, 0, 1], &[&[0, 2], &[1, 3]]);
        assert_eq!(n_failing(&[], &zips, |beside| beside.len() > 1), 0);
        assert_eq!(n_failing(&[&ages], &zips, |beside| beside.len() > 1), 4);
        assert_eq!(largest_share(&[], &zips), Ratio::new(1, 2));
        assert_eq!(largest_share(&[&ages], &zips), Ratio::whole(1));
    }

    // Three of flu, one of cold; then one of each: three pairs of rows to one, and not one to one.
    #[test]
    fn rows_multiply_as_in_a_join() {
        let [first, second] = [&[0, 0, 0, 1][..], &[0, 1]].map(|values| release(&[0], &[values]));
        assert_eq!(largest_share(&[&first], &second), Ratio::new(3, 4));
        let many: Vec<SeriesRelease> = vec![first; 60];
        let many: Vec<&SeriesRelease> = many.iter().collect();
        assert!(largest_share(&many, &second) > Ratio::new(999_999, 1_000_000));
    }

    // Each two releases leave two values, all three leave one.
    #[test]
    fn all_releases_are_joined_at_once() {
        let [a, b, c] = [[0, 1, 2], [0, 1, 3], [0, 2, 3]].map(|values| release(&[0], &[&values]));
        let two = |earlier: &[&SeriesRelease], next| n_failing(earlier, next, |b| b.len() > 1);
        assert_eq!([two(&[&a], &b), two(&[&a], &c), two(&[&b], &c)], [0; 3]);
        assert_eq!(two(&[&a, &b], &c), 1);
    }

    #[test]
    fn who_is_absent_is_not_told_apart() {
        let first = release(&[0, 0, 0, ABSENT], &[&[0, 0, 1]]);
        let second = release(&[0, 0, ABSENT, 0], &[&[0, 1, 1]]);
        // Alone and joined: {0, 1, 1} for the last person; two pairs of each for the others.
        let (alone, joined) = ([(0, 1), (1, 2)], [(0, 2), (1, 2)]);
        assert_eq!(n_failing(&[&first], &second, |b| b == alone), 1);
        assert_eq!(n_failing(&[&first], &second, |b| b == alone || b == joined), 0);
        assert_eq!(largest_share(&[&first], &second), Ratio::new(2, 3));
        // Nothing in common: no value stands beside the person, and no share is said of it.
        let other = release(&[0], &[&[2, 3]]);
        assert_eq!(n_failing(&[&first], &other, |beside| !beside.is_empty()), 1);
        assert_eq!(largest_share(&[&first], &other), Ratio::new(1, 2));
    }
}
