//! Complementary release: joins two generalizations of one table and keeps what both of them allow.
//!
//! # Adversary
//! Has two releases of the same table, and knows that they are; knows the target's quasi-identifiers.
//!
//! # Method
//! 1. Rows of a release that look the same are a kind: one shape, and the same values in the columns
//!    that both releases publish beside the quasi-identifiers.
//! 2. Two kinds may be about the same people when those values are equal and their boxes overlap. Where
//!    the other release is anatomized, its group must have the values of the row.
//! 3. A kind with one such kind in the other release is narrowed to what both boxes cover; so are as many
//!    rows as a kind of the other release has that may be in one kind only.
//! 4. Linking and homogeneity are made on the narrowed boxes.
//! 5. An anatomized release under attack shows who is there, and hides who has which value: its rows are
//!    the people, and the groups of both releases are joined through them. What both groups of a row allow
//!    is said as in value association: by every world where few rows hang together.
//!
//! Texts that only one release has are compared as `axes` says: a public table or the original brings the
//! taxonomies to read them by. Of who is known not to be in the other release, the join says nothing. Where
//! somebody is known to be in one release alone, or a row is nobody's, a row need not have a kind in the other:
//! then step 3 does not follow from there.
//!
//! # Success
//! The expected share of targets whose record is drawn, and the share whose value is guessed. The baseline
//! is the same attack on the release alone. Overlaps with a kind are searched in a k-d tree and only up to
//! the second, so that the work is nearly linear.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002, §4.2.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Ctx, Error, Message, Setting, Spec, message};

use super::evidence::axes::{Axes, Side, links};
use super::evidence::candidates::Seen;
use super::evidence::deduction::Deduction;
use super::evidence::equal_values::Blocks;
use super::evidence::refinement::Pieces;
use super::evidence::released::Released;
use super::evidence::scene::View;
use super::evidence::series::Series;
use super::guess::likeliest_value;
use super::temporal::codes_in;
use super::value_association::Beliefs;
use super::{Attack, Criterion, Guesses, People, Rate, Scene, Who};
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

    fn compares_releases(&self) -> bool {
        true
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let is_alone = scene.others.is_empty();
        let needs_other =
            is_alone.then(|| message!("another release of the table ({})", Setting::OtherRelease));
        needs_other.or_else(|| scene.needs_sensitive().filter(|_| scene.release.is_anatomized()))
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let mut all = Vec::new();
        for number in 0..scene.others.len() {
            let join = Join::new(scene, number)?;
            let found = if scene.release.is_anatomized() {
                (0..scene.release.sensitive().len())
                    .filter_map(|attribute| join.of_groups(attribute))
                    .collect()
            } else {
                join.of_rows()?
            };
            let name = scene.name_of_other(number);
            all.extend(found.into_iter().map(|mut guesses| {
                guesses.way = (scene.others.len() > 1).then(|| format!("with {name}"));
                guesses
            }));
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who joins the releases is right for {:.1} % of the targets, against \
             {:.1} % with one of them",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Rows that look the same: a shape, a class of rows that agree on what links the releases, and where the
/// other release is anatomized, the sensitive values that both have.
struct Kind {
    link: u32,
    shape: u32,
    values: Vec<u32>,
    rows: Vec<u32>,
}

/// The release under attack and another one.
struct Join<'j, 'a> {
    scene: &'j Scene<'a>,
    number: usize,
    other: &'j Released<'a>,
    axes: Axes<'a>,
    n_links: usize,
    // The sensitive attributes of both by their index, where the other release alone is anatomized.
    grouped: Vec<(usize, usize)>,
    mine: Vec<Kind>,
    theirs: Vec<Kind>,
}

impl<'j, 'a> Join<'j, 'a> {
    fn new(scene: &'j Scene<'a>, number: usize) -> Result<Self, Error> {
        let (this, other) = (&scene.release, &scene.others[number]);
        let axes = Axes::new(this, other, scene)?;
        let (n_links, of_this, of_other) = links(this, other);
        let is_grouped = other.is_anatomized() && !this.is_anatomized();
        let attributes = (0..this.sensitive().len()).filter(|_| is_grouped);
        let grouped: Vec<(usize, usize)> =
            attributes.filter_map(|a| Some((a, twin(this, other, a)?))).collect();
        let own: Vec<Vec<u32>> = (grouped.iter())
            .map(|&(attribute, twin)| codes_in(other, this, twin, attribute))
            .collect();
        let values = |row: u32| {
            let each = grouped.iter().zip(&own);
            let code = |a: usize| this.sensitive()[a].codes().get(row as usize) as usize;
            each.map(|(&(attribute, _), codes)| codes[code(attribute)]).collect()
        };
        let mine = kinds(this, &of_this, values);
        let theirs = kinds(other, &of_other, |_| Vec::new());
        Ok(Self { scene, number, other, axes, n_links, grouped, mine, theirs })
    }

    /// How the releases are joined, as the end of a sentence.
    fn by(&self) -> String {
        let (n_links, n_axes) = (self.n_links, self.axes.len());
        format!("joined by {n_links} columns in addition to {n_axes} quasi-identifiers")
    }

    /// Steps 1 to 4.
    fn of_rows(&self) -> Result<Vec<Guesses>, Error> {
        let (this, other) = (&self.scene.release, self.other);
        let name = self.scene.name_of_other(self.number);
        let pieces = Pieces::new(this, other, &self.axes, &self.partners());
        let narrowed = 100.0 * pieces.share_narrowed();
        let mut notes =
            vec![message!("with {name}: {narrowed:.1} % of the rows are narrowed, {}", self.by())];
        let smallest = self.theirs.iter().map(|kind| kind.rows.len()).min().unwrap_or(0);
        if !other.is_anatomized() {
            notes.push(message!(
                "with every column they share as a quasi-identifier, {name} has classes of {smallest} or \
                 more; Sweeney asks that this be no less than k"
            ));
        }
        if this.n_rows() != other.n_rows() {
            notes.push(
                "the releases have different rows: people who are in only one may be mistaken \
                 for others"
                    .into(),
            );
        }
        let mut all = pieces.guesses(self.scene, self.number)?;
        for guesses in &mut all {
            guesses.notes.extend(notes.iter().cloned());
        }
        Ok(all)
    }

    /// The shape that each row of this release has in the other, where it is known.
    fn partners(&self) -> Vec<Option<u32>> {
        let Self { mine, theirs, .. } = self;
        let newest = self.scene.others.len();
        let mut forth = self.only_kinds(Side::This, mine, theirs);
        if self.is_known_apart(newest, self.number) {
            forth.fill(None);
        }
        let mut back = self.only_kinds(Side::Other, theirs, mine);
        if self.is_known_apart(self.number, newest) || self.other.has_counterfeits() {
            back.fill(None);
        }
        let mut sure: Vec<Vec<usize>> = vec![Vec::new(); mine.len()];
        for (kind, found) in back.into_iter().enumerate() {
            sure[found.unwrap_or(0)].extend(found.map(|_| kind));
        }
        let mut partner_of_row = vec![None; self.scene.release.n_rows()];
        for ((kind, only), sure) in mine.iter().zip(forth).zip(sure) {
            let partners = only.map_or(sure, |only| vec![only]);
            let each = partners
                .iter()
                .flat_map(|&partner| theirs[partner].rows.iter().map(move |_| partner));
            for (&row, partner) in kind.rows.iter().zip(each) {
                partner_of_row[row as usize] = Some(theirs[partner].shape);
            }
        }
        partner_of_row
    }

    /// Whether somebody is known to be in the first of these releases and not in the second.
    fn is_known_apart(&self, first: usize, second: usize) -> bool {
        let n_people = self.scene.people.as_ref().map_or(0, People::len);
        let is_in = |person, release| self.scene.knowledge.is_in_release(person, release);
        let is_apart = |p| is_in(p, first) == Some(true) && is_in(p, second) == Some(false);
        (0..).take(n_people).any(is_apart)
    }

    /// For each kind of one release, the kind of the other that alone may be about the same people.
    fn only_kinds(&self, side: Side, from: &[Kind], to: &[Kind]) -> Vec<Option<usize>> {
        let mut only = vec![(0, None); from.len()];
        self.each_pair(side, from, to, |at, found| {
            let (n_found, kind) = &mut only[at];
            *n_found += 1;
            *kind = Some(found);
            if *n_found == 2 { Then::Stop } else { Then::Keep }
        });
        only.into_iter().map(|(n_found, found)| found.filter(|_| n_found == 1)).collect()
    }

    /// Calls `found` with the indices of kinds that may be about the same people.
    fn each_pair(
        &self,
        side: Side,
        from: &[Kind],
        to: &[Kind],
        mut found: impl FnMut(usize, usize) -> Then,
    ) {
        let rows = |kinds: &[Kind]| kinds.iter().map(|kind| kind.rows[0]).collect::<Vec<u32>>();
        let mut before = 0;
        for linked in from.chunk_by(|a, b| a.link == b.link) {
            let link = linked[0].link;
            let first = to.partition_point(|kind| kind.link < link);
            let candidates = &to[first..to.partition_point(|kind| kind.link <= link)];
            self.axes.each_overlap(side, &rows(linked), &rows(candidates), |at, candidate| {
                let (a, b) = (&linked[at], &candidates[candidate]);
                let (mine, theirs) = if side == Side::This { (a, b) } else { (b, a) };
                if !self.fits(mine, theirs) {
                    return Then::Keep;
                }
                found(before + at, first + candidate)
            });
            before += linked.len();
        }
    }

    /// Whether the group of their kind has the values of mine.
    fn fits(&self, mine: &Kind, theirs: &Kind) -> bool {
        let class = self.other.class_of_shape(theirs.shape);
        self.grouped.iter().zip(&mine.values).all(|(&(_, twin), code)| {
            let values = self.other.values(twin, class);
            values.binary_search_by_key(code, |&(code, _)| code).is_ok()
        })
    }

    /// Step 5; none where the other release does not show the attribute.
    fn of_groups(&self, attribute: usize) -> Option<Guesses> {
        let (scene, this, other) = (self.scene, &self.scene.release, self.other);
        let twin = twin(this, other, attribute)?;
        let series =
            Series::of_two(scene, attribute, (self.number, twin), [self.seen(), own_groups(this)]);
        let mut deduction = Deduction::new(&series, Blocks::new(series.n_people()));
        deduction.run();
        let beliefs = Beliefs::new(&series, &mut deduction, <[(u32, f64)]>::to_vec);
        let (who, sight) = scene.targets();
        let mut guesses = Guesses::new(who, Some(attribute), scene.blind_value(attribute));
        let (rows, ends) = this.shapes().members();
        let rows_of = |shape: u32| {
            let start = shape.checked_sub(1).map_or(0, |before| ends[before as usize]);
            &rows[start as usize..ends[shape as usize] as usize]
        };
        let is_in = |&person: &u32, number| {
            who == Who::Rows || scene.knowledge.is_in_release(person, number) != Some(false)
        };
        for view in sight.views().filter(|view| !view.shapes.is_empty()) {
            let mut of_value: BTreeMap<u32, f64> = BTreeMap::new();
            let share = 1.0 / scene.n_records(view) as f64;
            for &row in view.shapes.iter().flat_map(|&shape| rows_of(shape)) {
                for &(value, probability) in &beliefs.of_person[row as usize] {
                    *of_value.entry(value).or_default() += share * probability;
                }
            }
            let joined = likeliest_value(&of_value.into_iter().collect::<Vec<_>>());
            let alone = likeliest_value(&scene.posterior(view, attribute));
            let there = view.targets.iter().copied().filter(|p| is_in(p, scene.others.len()));
            let (both, one): (Vec<u32>, Vec<u32>) = there.partition(|p| is_in(p, self.number));
            for (targets, (says, probability)) in [(&both, joined), (&one, alone)] {
                let view = View { targets, ..view };
                guesses.say(view, says, probability);
                guesses.say_without(view, alone.0, alone.1);
            }
        }
        let name = scene.name_of_other(self.number);
        guesses.notes.push(message!("with {name}: groups are {}", self.by()));
        guesses.notes.extend(beliefs.notes());
        Some(guesses)
    }

    /// Which classes of the other release may be those of the rows of this one.
    fn seen(&self) -> Seen {
        let mut options: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); self.mine.len()];
        self.each_pair(Side::This, &self.mine, &self.theirs, |at, found| {
            let kind = &self.theirs[found];
            let n_rows = u32::try_from(kind.rows.len()).expect("rows are numbered by u32");
            *options[at].entry(self.other.class_of_shape(kind.shape)).or_default() += n_rows;
            Then::Keep
        });
        let mut view_of = vec![ABSENT; self.scene.release.n_rows()];
        for (view, kind) in (0..).zip(&self.mine) {
            let is_there = !options[view as usize].is_empty();
            for &row in kind.rows.iter().filter(|_| is_there) {
                view_of[row as usize] = view;
            }
        }
        let options = options.into_iter().map(|of_class| of_class.into_iter().collect());
        Seen { view_of, options: options.collect() }
    }
}

/// Each row of an anatomized release in its own group.
fn own_groups(this: &Released<'_>) -> Seen {
    let own = |shape| vec![(this.class_of_shape(shape), this.size_of_shape(shape))];
    Seen { view_of: this.shapes().ids.clone(), options: (0..this.n_shapes()).map(own).collect() }
}

/// The index of a sensitive attribute in another release.
fn twin(this: &Released<'_>, other: &Released<'_>, attribute: usize) -> Option<usize> {
    let name = this.sensitive()[attribute].name();
    other.sensitive().iter().position(|a| a.name() == name)
}

/// The kinds of a release, by link, then by shape and values.
fn kinds(
    release: &Released<'_>,
    link_of_row: &[u32],
    values: impl Fn(u32) -> Vec<u32>,
) -> Vec<Kind> {
    let key =
        |row: u32| (link_of_row[row as usize], release.shapes().ids[row as usize], values(row));
    let mut rows: Vec<u32> = (0..).take(release.n_rows()).collect();
    rows.sort_by_cached_key(|&row| key(row));
    let kinds = rows.chunk_by(|&a, &b| key(a) == key(b)).map(|rows| {
        let (link, shape, values) = key(rows[0]);
        Kind { link, shape, values, rows: rows.to_vec() }
    });
    kinds.collect()
}
