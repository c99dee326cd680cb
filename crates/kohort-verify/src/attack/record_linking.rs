//! Record linking: joins releases of the same people on what they share, and looks at the rows of the join.
//!
//! # Adversary
//! Has releases of the same people that may show different columns; knows some quasi-identifiers of the
//! target, of one release or of another.
//!
//! # Method
//! 1. In each release, the rows that cover the target by the columns that are known of the target.
//! 2. Rows of the newest and of another release are about one person only where their boxes meet on the
//!    quasi-identifiers that both show, and where they agree on the sensitive value that both show.
//! 3. A row of the newest release stands in as many rows of the join as there are ways to go on from it to
//!    the other releases. Where these are of other people, every row of the join is as likely; where they
//!    are of the same, the release with the fewest rows of a value counts, for no more can be one person's in
//!    both. A value is taken to be as likely as the smaller of these shares.
//! 4. Where a series keeps signatures (see `signatures`), only classes whose values recur count, and each as
//!    it is. Elsewhere a share of the join is an estimate: people are taken one by one.
//!
//! A release that covers the target nowhere is left out.
//!
//! # Success
//! The expected share of targets whose record is drawn from those in the join, and the share whose value is
//! guessed. The baseline is the newest release alone. X is what is known of a target, Y the sensitive value:
//! the fewest values beside an X and the highest share of one are the k of (X,Y)-anonymity and the
//! confidence of (X,Y)-linkability.
//!
//! # References
//! Wang and Fung, KDD 2006.

use kohort_core::{Ctx, Error, Message, Spec, message};
use rayon::prelude::*;

use super::evidence::axes::Axes;
use super::evidence::released::Released;
use super::evidence::scene::{Sight, View, summed};
use super::evidence::series::{self, meet_by, normalize};
use super::guess::likeliest_value;
use super::score::NONE;
use super::temporal::{RECURRING, codes_in, recurring};
use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "record-linking",
    title: "Record linking",
    paper: "Wang and Fung 2006",
    promise: "releases with different columns, joined on what they share, single people out",
    parameters: &[],
};

/// The record linking attack.
pub(super) struct RecordLinking;

impl Attack for RecordLinking {
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
        series::needs(scene)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let (Some(people), Some(crowd)) = (&scene.people, scene.crowd()) else {
            return Ok(Vec::new());
        };
        let mut joins = Vec::new();
        for (number, other) in scene.others.iter().enumerate() {
            let Some(sight) = scene.crowd_of_other(number)? else { continue };
            let axes = Axes::new(&scene.release, other, scene)?;
            let mut view_of = vec![None; people.len()];
            for (index, view) in sight.views().enumerate().filter(|(_, v)| !v.shapes.is_empty()) {
                let is_there = |&&p: &&u32| scene.knowledge.is_in_release(p, number) != Some(false);
                for &person in view.targets.iter().filter(is_there) {
                    view_of[person as usize] = Some(index);
                }
            }
            let is_known = |name: &str| people.quasi().iter().any(|a| a.name() == name);
            let is_axis = |name: &&&str| other.quasi().contains(name);
            let is_decided =
                scene.release.quasi().iter().filter(is_axis).all(|name| is_known(name));
            let attributes = 0..scene.release.sensitive().len();
            let twin = |at| Twin::new(&scene.release, other, at, is_decided.then_some(&sight));
            let twins = attributes.map(twin).collect();
            let sight = (!is_decided).then_some(sight);
            joins.push(Join { other, axes, sight, view_of, twins });
        }
        let attributes = (0..scene.release.sensitive().len()).map(Some);
        [None].into_iter().chain(attributes).map(|a| said(scene, crowd, &joins, a)).collect()
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who joins the releases is right for {:.1} % of the targets, against \
             {:.1} % with the newest alone",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Another release, and how it is joined.
struct Join<'s, 'a> {
    other: &'s Released<'a>,
    axes: Axes<'a>,
    // Which shapes cover whom; none where all axes are known of people: rows that cover a person meet where
    // the person is.
    sight: Option<Sight>,
    // The view of each person, where a row covers the person.
    view_of: Vec<Option<usize>>,
    // For each sensitive attribute, the one of the other release.
    twins: Vec<Option<Twin>>,
}

/// A sensitive attribute in another release: its index, for each of its codes the one in this release, how
/// many this has, and where all axes are known of people, the rows of each view.
struct Twin {
    index: usize,
    codes: Vec<u32>,
    n_values: u32,
    rows_of_view: Vec<Rows>,
}

/// Rows by value, values ascending.
type Rows = Vec<(u32, f64)>;

impl Twin {
    fn new(
        this: &Released<'_>,
        other: &Released<'_>,
        attribute: usize,
        sight: Option<&Sight>,
    ) -> Option<Self> {
        let name = this.sensitive()[attribute].name();
        let index = other.sensitive().iter().position(|a| a.name() == name)?;
        let codes = codes_in(this, other, attribute, index);
        let n_values = this.sensitive()[attribute].n_codes();
        let mut twin = Self { index, codes, n_values, rows_of_view: Vec::new() };
        if let Some(sight) = sight {
            let of_view = |view| twin.rows(other, sight.view(view).shapes.iter().copied());
            twin.rows_of_view = (0..sight.len()).into_par_iter().map(of_view).collect();
        }
        Some(twin)
    }

    /// The rows of some shapes of the other release, by the codes of this one.
    fn rows(&self, other: &Released<'_>, shapes: impl Iterator<Item = u32>) -> Rows {
        let mut found = Rows::new();
        for shape in shapes {
            for (code, n) in rows_of_shape(other, shape, self.index) {
                let own = self.codes[code as usize];
                found.extend((own != NONE).then_some((own, n)));
            }
        }
        summed(found, self.n_values)
    }
}

impl Join<'_, '_> {
    /// The shapes of the other release that cover these targets and meet a shape of this one.
    fn partners<'j>(
        &'j self,
        this: &Released<'_>,
        sight: &'j Sight,
        view: usize,
        shape: u32,
    ) -> impl Iterator<Item = u32> + 'j {
        let row = this.row_of_shape(shape);
        let shapes = sight.view(view).shapes.iter().copied();
        shapes.filter(move |&other| self.axes.overlap(row, self.other.row_of_shape(other)))
    }

    /// The ways to go on from a shape of the newest release: rows of the other one.
    fn n_rows(&self, this: &Released<'_>, sight: &Sight, view: usize, shape: u32) -> f64 {
        let partners = self.partners(this, sight, view, shape);
        partners.map(|other| f64::from(self.other.size_of_shape(other))).sum()
    }
}

/// What the join says of records, or of an attribute.
fn said(
    scene: &Scene<'_>,
    crowd: &Sight,
    joins: &[Join<'_, '_>],
    attribute: Option<usize>,
) -> Result<Guesses, Error> {
    let blind = attribute.map(|attribute| scene.blind_value(attribute));
    let blind = blind.unwrap_or((Says::Record, 1.0 / scene.release.n_rows().max(1) as f64));
    let mut guesses = Guesses::new(Who::People, attribute, blind);
    let (mut n_unique, mut n_strange, mut fewest, mut highest) = (0, 0, usize::MAX, 0.0_f64);
    let of_attribute = attribute.map(|attribute| scene.with_signatures(attribute));
    let with_signatures = of_attribute.transpose()?.flatten();
    for view in crowd.views().filter(|view| !view.shapes.is_empty()) {
        let alone = alone(scene, view, attribute);
        let views = |person: u32| joins.iter().map(move |join| join.view_of[person as usize]);
        let newest = scene.others.len();
        let is_there = |p: &u32| scene.knowledge.is_in_release(*p, newest) != Some(false);
        let mut targets: Vec<u32> = view.targets.iter().copied().filter(is_there).collect();
        targets.sort_by(|&a, &b| views(a).cmp(views(b)));
        for targets in targets.chunk_by(|&a, &b| views(a).eq(views(b))) {
            let views: Vec<Option<usize>> = views(targets[0]).collect();
            let kept = with_signatures.map(|series| recurring(scene, series, view, targets[0]));
            let view = View { targets, shapes: kept.as_deref().unwrap_or(view.shapes) };
            let met = joined(scene, view, joins, &views, (attribute, kept.is_some()));
            let (says, probability) = match met {
                None => {
                    n_strange += targets.len();
                    alone
                }
                Some(Joined::Records(n)) => {
                    n_unique += if n < 1.0 + 1e-9 { targets.len() } else { 0 };
                    (Says::Record, 1.0 / n)
                }
                Some(Joined::Values(shares, beliefs)) => {
                    fewest = fewest.min(shares.len());
                    highest = highest.max(likeliest_value(&shares).1);
                    likeliest_value(&beliefs)
                }
            };
            guesses.say(view, says, probability);
            guesses.say_without(view, alone.0, alone.1);
        }
    }
    guesses.notes.push(match attribute {
        None => message!("targets with one record of the newest release in the join: {n_unique}"),
        Some(_) if fewest == usize::MAX => "nobody is in the join".into(),
        Some(_) => message!(
            "in the join, a target has at least {fewest} possible values, and the highest share of one is \
             {highest:.3}"
        ),
    });
    if with_signatures.is_some() {
        guesses.notes.push(RECURRING.into());
    } else if attribute.is_some() && fewest < usize::MAX {
        guesses.notes.push(ONE_BY_ONE.into());
    }
    if n_strange > 0 {
        guesses.notes.push(message!(
            "targets whom no row of the join covers, so were not in a release or have changed: {n_strange}"
        ));
    }
    Ok(guesses)
}

/// What is said of shares in the join.
const ONE_BY_ONE: &str =
    "people are taken one by one: a share of the join is an estimate of how likely a value is";

/// What is left in the join for some targets.
enum Joined {
    /// So many records of the newest release.
    Records(f64),
    /// The share of each value in its rows, and how likely it is.
    Values(Rows, Rows),
}

/// The rows of a shape of a release, by value.
fn rows_of_shape(
    this: &Released<'_>,
    shape: u32,
    attribute: usize,
) -> impl Iterator<Item = (u32, f64)> {
    let class = this.class_of_shape(shape);
    let share = f64::from(this.size_of_shape(shape)) / f64::from(this.size_of_class(class));
    this.values(attribute, class).iter().map(move |&(code, n)| (code, share * f64::from(n)))
}

/// The rows of the shapes of a view that go on to other releases, shape by shape: by value, as many as there
/// are ways.
fn through<'j, J: Iterator<Item = (&'j Join<'j, 'j>, &'j Sight, usize)>>(
    this: &Released<'_>,
    view: View<'_>,
    attribute: usize,
    open: impl Fn() -> J,
    of_both: fn(f64, f64) -> f64,
) -> Rows {
    let mut of_shapes = Rows::new();
    for &shape in view.shapes {
        let mut of_shape: Rows = rows_of_shape(this, shape, attribute).collect();
        for (join, sight, view) in open() {
            if let Some(twin) = &join.twins[attribute] {
                let partners = join.partners(this, sight, view, shape);
                of_shape = meet_by(&of_shape, &twin.rows(join.other, partners), of_both);
            } else {
                let n_rows = join.n_rows(this, sight, view, shape);
                for (_, n) in &mut of_shape {
                    *n *= n_rows;
                }
            }
        }
        of_shapes.extend(of_shape.into_iter().filter(|&(_, n)| n > 0.0));
    }
    summed(of_shapes, this.sensitive()[attribute].n_codes())
}

/// The rows of the join that cover the targets of a view; none where there are none. Where shapes are those
/// whose values recur, releases with the same columns leave them as they are.
fn joined(
    scene: &Scene<'_>,
    view: View<'_>,
    joins: &[Join<'_, '_>],
    views: &[Option<usize>],
    (attribute, is_recurring): (Option<usize>, bool),
) -> Option<Joined> {
    let this = &scene.release;
    let joins = || joins.iter().zip(views).filter_map(|(join, view)| Some((join, (*view)?)));
    let open = || joins().filter_map(|(join, view)| Some((join, join.sight.as_ref()?, view)));
    let Some(attribute) = attribute else {
        let is_in = |&&shape: &&u32| {
            open().all(|(join, sight, view)| join.n_rows(this, sight, view, shape) > 0.0)
        };
        let records = view.shapes.iter().filter(is_in).map(|&shape| this.size_of_shape(shape));
        let n = records.map(f64::from).sum();
        return (n > 0.0).then_some(Joined::Records(n));
    };
    let shares = |of_both: fn(f64, f64) -> f64| {
        let mut rows = match open().next() {
            None => own_rows(this, view, attribute),
            Some(_) => through(this, view, attribute, open, of_both),
        };
        // Every row that covers a target is a partner of every other: the values count, not the shapes.
        for (join, other) in joins().filter(|(join, _)| join.sight.is_none() && !is_recurring) {
            if let Some(twin) = &join.twins[attribute] {
                rows = meet_by(&rows, &twin.rows_of_view[other], of_both);
            }
        }
        normalize(&mut rows);
        rows
    };
    let [joined, of_fewest] = [shares(|a, b| a * b), shares(f64::min)];
    let beliefs = meet_by(&joined, &of_fewest, f64::min);
    (!joined.is_empty()).then_some(Joined::Values(joined, beliefs))
}

/// The rows of a view in the newest release, by value.
fn own_rows(this: &Released<'_>, view: View<'_>, attribute: usize) -> Rows {
    let rows = view.shapes.iter().flat_map(|&shape| rows_of_shape(this, shape, attribute));
    summed(rows.collect(), this.sensitive()[attribute].n_codes())
}

/// What the newest release says alone.
fn alone(scene: &Scene<'_>, view: View<'_>, attribute: Option<usize>) -> (Says, f64) {
    match attribute {
        None => (Says::Record, 1.0 / scene.n_records(view).max(1) as f64),
        Some(attribute) => likeliest_value(&scene.posterior(view, attribute)),
    }
}
