//! Rows of a release that another release tells apart further, and what that gains.

use std::collections::BTreeMap;

use kohort_core::{Codes, Error};

use super::super::guess::likeliest_value;
use super::super::{Guesses, Says, Scene};
use super::axes::Axes;
use super::released::{Released, Values};
use super::scene::{Sight, Told, View, summed};
use crate::release::cells::Interval;

/// Rows of one shape, cut into pieces by what another release shows of them.
pub(in crate::attack) struct Pieces {
    rows: Vec<u32>,
    ends: Vec<u32>,
    of_shape: Vec<OfShape>,
    // Of each sensitive attribute, the values in each piece, and how many there are.
    values: Vec<Values>,
    n_codes: Vec<u32>,
    told: Vec<Told>,
}

/// The pieces of a shape.
#[derive(Clone, Default)]
struct OfShape {
    // Those that are narrowed, each with a shape of the other release that does it.
    narrowed: Vec<(u32, u32)>,
    // The rows of which nothing more is known.
    rest: Option<u32>,
}

/// What another release adds to a shape: what both cover, and its own texts in columns that this one
/// does not have.
type Addition = (u32, Option<Vec<Vec<Interval>>>, Vec<u32>);

impl Pieces {
    /// The pieces of a release when the shape that each row has in another is known of some. Shapes that
    /// narrow a row alike make one piece.
    pub(in crate::attack) fn new(
        this: &Released<'_>,
        other: &Released<'_>,
        axes: &Axes<'_>,
        partner_of_row: &[Option<u32>],
    ) -> Self {
        let more: Vec<_> = (other.quasi().iter().filter(|name| !this.quasi().contains(name)))
            .filter_map(|name| other.table().column(name).ok())
            .collect();
        let shapes = &this.shapes().ids;
        let mut partner_of_addition: BTreeMap<Addition, u32> = BTreeMap::new();
        let mut partner_of_pair: BTreeMap<(u32, u32), Option<u32>> = BTreeMap::new();
        let mut partners = Codes::default();
        for (&shape, partner) in shapes.iter().zip(partner_of_row) {
            let first = partner.and_then(|partner| {
                *partner_of_pair.entry((shape, partner)).or_insert_with(|| {
                    let (a, b) = (this.row_of_shape(shape), other.row_of_shape(partner));
                    let narrowed = axes.narrowed(a, b);
                    let texts: Vec<u32> =
                        more.iter().map(|column| column.codes().get(b as usize)).collect();
                    let adds = narrowed.is_some() || !texts.is_empty();
                    let addition = (shape, narrowed, texts);
                    adds.then(|| *partner_of_addition.entry(addition).or_insert(partner))
                })
            });
            partners.push(first.map_or(0, |partner| partner + 1));
        }
        let pieces = this.shapes().clone().refine(&partners, other.n_shapes() + 1);
        let mut of_shape = vec![OfShape::default(); this.n_shapes() as usize];
        for (piece, row) in (0..).zip(pieces.first_rows()) {
            let of_shape = &mut of_shape[shapes[row as usize] as usize];
            match partners.get(row as usize).checked_sub(1) {
                Some(partner) => of_shape.narrowed.push((piece, partner)),
                None => of_shape.rest = Some(piece),
            }
        }
        let values = this.sensitive().iter().map(|a| Values::new(&pieces, a)).collect();
        let n_codes = this.sensitive().iter().map(|a| a.n_codes()).collect();
        let told = this.sensitive().iter().map(|a| Told::of(a)).collect();
        let (rows, ends) = pieces.members();
        Self { rows, ends, of_shape, values, n_codes, told }
    }

    /// The share of rows that are narrowed.
    pub(in crate::attack) fn share_narrowed(&self) -> f64 {
        let rest = self.of_shape.iter().filter_map(|pieces| pieces.rest);
        let rest: usize = rest.map(|piece| self.members(piece).len()).sum();
        1.0 - rest as f64 / self.rows.len().max(1) as f64
    }

    fn members(&self, piece: u32) -> &[u32] {
        let start = piece.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.rows[start as usize..self.ends[piece as usize] as usize]
    }

    /// What both releases together say of records, and of each sensitive attribute; what the release
    /// alone says is the baseline.
    /// The other release is that of a number, from 0: it says nothing of who is known not to be in it, and
    /// who is not in the newest is no target.
    pub(in crate::attack) fn guesses(
        &self,
        scene: &Scene<'_>,
        number: usize,
    ) -> Result<Vec<Guesses>, Error> {
        let (who, _) = scene.targets();
        let blind = (Says::Record, 1.0 / scene.release.n_rows().max(1) as f64);
        let mut all = vec![Guesses::new(who, None, blind)];
        let attributes = 0..scene.release.sensitive().len();
        all.extend(attributes.map(|a| Guesses::new(who, Some(a), scene.blind_value(a))));
        match (scene.crowd(), scene.crowd_of_other(number)?) {
            (Some(crowd), Some(sight)) => self.of_people(scene, crowd, (number, &sight), &mut all),
            _ => self.of_rows(scene, &mut all),
        }
        Ok(all)
    }

    fn of_rows(&self, scene: &Scene<'_>, all: &mut [Guesses]) {
        for (shape, pieces) in (0..).zip(&self.of_shape) {
            let shapes = [shape];
            let view = |targets| View { targets, shapes: &shapes };
            let alone = alone(scene, view(&[]), all);
            let narrowed = || pieces.narrowed.iter().map(|&(piece, _)| piece);
            // A row that is narrowed is one of its own piece, or one of which nothing more is known.
            for piece in narrowed() {
                let candidates: Vec<u32> = pieces.rest.into_iter().chain([piece]).collect();
                self.say(view(self.members(piece)), &candidates, &alone, all);
            }
            if let Some(piece) = pieces.rest {
                let candidates: Vec<u32> = narrowed().chain([piece]).collect();
                self.say(view(self.members(piece)), &candidates, &alone, all);
            }
        }
    }

    fn of_people(
        &self,
        scene: &Scene<'_>,
        crowd: &Sight,
        (number, sight): (usize, &Sight),
        all: &mut [Guesses],
    ) {
        // Which shapes of the other release cover the targets at hand.
        let mut covers = vec![false; sight.n_shapes()];
        let is_in = |person: u32, number| scene.knowledge.is_in_release(person, number);
        let mut view_of_person = vec![None; sight.n_targets()];
        for (index, view) in sight.views().enumerate() {
            for &person in view.targets.iter().filter(|&&p| is_in(p, number) != Some(false)) {
                view_of_person[person as usize] = Some(index);
            }
        }
        for view in crowd.views() {
            let alone = alone(scene, view, all);
            let in_other = |person: u32| view_of_person[person as usize];
            let mut targets = view.targets.to_vec();
            targets.retain(|&person| is_in(person, scene.others.len()) != Some(false));
            targets.sort_by_key(|&person| in_other(person));
            for targets in targets.chunk_by(|&a, &b| in_other(a) == in_other(b)) {
                let Some(in_other) = in_other(targets[0]) else {
                    self.say(View { targets, ..view }, &[], &alone, all);
                    continue;
                };
                let partners = sight.view(in_other).shapes;
                for &partner in partners {
                    covers[partner as usize] = true;
                }
                let mut candidates: Vec<u32> = Vec::new();
                for &shape in view.shapes {
                    let OfShape { narrowed, rest } = &self.of_shape[shape as usize];
                    let pieces = narrowed.iter().filter(|&&(_, partner)| covers[partner as usize]);
                    candidates.extend(pieces.map(|&(piece, _)| piece).chain(*rest));
                }
                for &partner in partners {
                    covers[partner as usize] = false;
                }
                self.say(View { targets, ..view }, &candidates, &alone, all);
            }
        }
    }

    /// Says what follows when the record of these targets is in one of these pieces.
    fn say(&self, view: View<'_>, candidates: &[u32], alone: &[(Says, f64)], all: &mut [Guesses]) {
        let records: usize = candidates.iter().map(|&piece| self.members(piece).len()).sum();
        for (guesses, &alone) in all.iter_mut().zip(alone) {
            let (says, probability) = match guesses.attribute {
                // Where no record is left, the other release says nothing of them.
                _ if records == 0 => alone,
                None => (Says::Record, 1.0 / records as f64),
                Some(attribute) => {
                    let counts = candidates.iter().flat_map(|&p| self.values[attribute].of(p));
                    let counts = counts.map(|&(code, count)| (code, f64::from(count))).collect();
                    let mut posterior = summed(counts, self.n_codes[attribute]);
                    for (_, share) in &mut posterior {
                        *share /= records as f64;
                    }
                    likeliest_value(&self.told[attribute].keep(posterior))
                }
            };
            guesses.say(view, says, probability);
            guesses.say_without(view, alone.0, alone.1);
        }
    }
}

/// What the release alone says of the targets of a view: for each set of guesses.
pub(in crate::attack) fn alone(
    scene: &Scene<'_>,
    view: View<'_>,
    all: &[Guesses],
) -> Vec<(Says, f64)> {
    let said = |guesses: &Guesses| match (guesses.attribute, scene.n_records(view)) {
        (_, 0) => (Says::Nothing, 0.0),
        (None, records) => (Says::Record, 1.0 / records as f64),
        (Some(attribute), _) => likeliest_value(&scene.posterior(view, attribute)),
    };
    all.iter().map(said).collect()
}
