//! Complementary release: joins two generalizations of one table and keeps what both of them allow.
//!
//! # Adversary
//! Has two releases of the same table, and knows that they are; knows the target's quasi-identifiers.
//!
//! # Method
//! 1. Rows of a release that look the same are a kind: one shape, and the same values in the columns
//!    that both releases publish beside the quasi-identifiers.
//! 2. Two kinds may be about the same people when those values are equal and their boxes overlap.
//! 3. A kind with one such kind in the other release is narrowed to what both boxes cover; so are as many
//!    rows as a kind of the other release has that may be in one kind only.
//! 4. Linking and homogeneity are made on the narrowed boxes.
//!
//! Texts that only one release has are compared as `axes` says: a public table or the original brings the
//! taxonomies to read them by.
//!
//! # Success
//! The expected share of targets whose record is drawn, and the share whose value is guessed. The baseline
//! is the same attack on the release alone. Overlaps with a kind are searched in a k-d tree and only up to
//! the second, so that the work is nearly linear.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002, §4.2. specs/07 §5.

use kohort_core::{Ctx, Error, Spec};

use super::axes::{Axes, Side, links};
use super::pieces::Pieces;
use super::released::Released;
use super::{Attack, Criterion, Guesses, Rate, Scene};
use crate::release::index::Then;

const SPEC: Spec = Spec {
    id: "complementary-release",
    title: "Complementary release",
    paper: "Sweeney 2002",
    promise: "two releases of one table, joined, show more than either",
    parameters: &[],
};

/// The complementary release attack.
pub(super) struct ComplementaryRelease;

impl Attack for ComplementaryRelease {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<&'static str> {
        let is_one = |other: &Released<'_>| !other.is_anatomized();
        if scene.release.is_anatomized() || !scene.others.iter().any(is_one) {
            return Some("two releases of the table that show a value in each row (`--release2`)");
        }
        None
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let this = &scene.release;
        let mut all = Vec::new();
        for other in scene.others.iter().filter(|other| !other.is_anatomized()) {
            let name = other.table().name();
            let axes = Axes::new(this, other, scene.people.as_ref())?;
            let (n_links, of_this, of_other) = links(this, other);
            let (mine, theirs) = (kinds(this, &of_this), kinds(other, &of_other));
            let partner_of_row = partners(&axes, &mine, &theirs, this.n_rows());
            let pieces = Pieces::new(this, other, &axes, &partner_of_row);
            let note = format!(
                "with {name}: {:.1} % of the rows are narrowed, joined by {n_links} columns \
                 beside {} quasi-identifiers",
                100.0 * pieces.share_narrowed(),
                axes.len(),
            );
            let smallest = theirs.iter().map(|kind| kind.rows.len()).min().unwrap_or(0);
            let sound = format!(
                "with every column they share as a quasi-identifier, {name} has classes of \
                 {smallest} or more; Sweeney asks that this be no less than k"
            );
            let differ = (this.n_rows() != other.n_rows()).then(|| {
                "the releases differ in rows: who is in one only may be mistaken".to_owned()
            });
            for mut guesses in pieces.guesses(scene, other)? {
                guesses.notes.extend([note.clone(), sound.clone()]);
                guesses.notes.extend(differ.clone());
                all.push(guesses);
            }
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "who joins the releases is right for {:.1} % of the targets, with one of them for {:.1} %",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Rows that look the same: a shape, and a class of rows that agree on what links the releases.
struct Kind {
    link: u32,
    shape: u32,
    rows: Vec<u32>,
}

/// The kinds of a release, by link and then by shape.
fn kinds(release: &Released<'_>, link_of_row: &[u32]) -> Vec<Kind> {
    let key = |row: u32| (link_of_row[row as usize], release.shapes().ids[row as usize]);
    let mut rows: Vec<u32> = (0..).take(release.n_rows()).collect();
    rows.sort_by_key(|&row| key(row));
    let kinds = rows.chunk_by(|&a, &b| key(a) == key(b)).map(|rows| {
        let (link, shape) = key(rows[0]);
        Kind { link, shape, rows: rows.to_vec() }
    });
    kinds.collect()
}

/// The shape that each row of this release has in the other, where it is known.
fn partners(axes: &Axes<'_>, mine: &[Kind], theirs: &[Kind], n_rows: usize) -> Vec<Option<u32>> {
    let forth = only_kinds(axes, Side::This, mine, theirs);
    let back = only_kinds(axes, Side::Other, theirs, mine);
    let mut sure: Vec<Vec<usize>> = vec![Vec::new(); mine.len()];
    for (kind, found) in back.into_iter().enumerate() {
        sure[found.unwrap_or(0)].extend(found.map(|_| kind));
    }
    let mut partner_of_row = vec![None; n_rows];
    for ((kind, only), sure) in mine.iter().zip(forth).zip(sure) {
        let partners = only.map_or(sure, |only| vec![only]);
        let each =
            partners.iter().flat_map(|&partner| theirs[partner].rows.iter().map(move |_| partner));
        for (&row, partner) in kind.rows.iter().zip(each) {
            partner_of_row[row as usize] = Some(theirs[partner].shape);
        }
    }
    partner_of_row
}

/// For each kind of one release, the kind of the other that alone may be about the same people.
fn only_kinds(axes: &Axes<'_>, side: Side, from: &[Kind], to: &[Kind]) -> Vec<Option<usize>> {
    let mut all = Vec::with_capacity(from.len());
    let first_rows = |kinds: &[Kind]| kinds.iter().map(|kind| kind.rows[0]).collect::<Vec<u32>>();
    for linked in from.chunk_by(|a, b| a.link == b.link) {
        let link = linked[0].link;
        let first = to.partition_point(|kind| kind.link < link);
        let candidates = &to[first..to.partition_point(|kind| kind.link <= link)];
        let mut only = vec![(0, None); linked.len()];
        axes.each_overlap(side, &first_rows(linked), &first_rows(candidates), |at, candidate| {
            let (n_found, found) = &mut only[at];
            *n_found += 1;
            *found = Some(first + candidate);
            if *n_found == 2 { Then::Stop } else { Then::Keep }
        });
        all.extend(only.into_iter().map(|(n_found, found)| found.filter(|_| n_found == 1)));
    }
    all
}
