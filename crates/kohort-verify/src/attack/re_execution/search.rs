//! A search for assignments that lead to a release: all of them, or some by exchanges.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error};
use kohort_models::Draw;

use super::Method;
use super::every::every_assignment;
use super::found::{Found, Way};
use super::rows::{Deal, Rows};

/// Runs of a method that draws, over all assignments, and for one of them.
const DRAWN_RUNS: usize = 4_000;
pub(super) const MOST_DRAWS: usize = 200;

/// Runs of one search that starts at random.
const CLIMB: usize = 2_500;

/// The loss of nearness that an exchange may cost at the beginning of a search. It falls to nothing.
const HEAT: f64 = 3.0;

/// Searches that find assignments that lead to the release, after which no more are made.
const ENOUGH: f64 = 4.5;

/// Exchanges from an assignment that leads to the release to others that do.
const WALK: usize = 150;

/// Draws of an exchange before one is given up.
const DRAWS: usize = 1_000;

/// A search for assignments.
pub(super) struct Search<'s> {
    rows: &'s Rows,
    method: &'s dyn Method,
    draw: Draw,
    n_runs: usize,
}

/// An assignment, and what the method makes of it.
struct At {
    deal: Deal,
    kinds: Vec<u32>,
    // The class into which the method puts each person; none where it finds no release.
    made: Option<Vec<u32>>,
    nearness: f64,
    // Who is put with the same people.
    is_settled: Vec<bool>,
}

impl At {
    fn n_settled(&self) -> usize {
        self.is_settled.iter().filter(|is_settled| **is_settled).count()
    }
}

impl<'s> Search<'s> {
    pub(super) fn new(rows: &'s Rows, method: &'s dyn Method) -> Self {
        Self { rows, method, draw: Draw::new(7), n_runs: 0 }
    }

    /// Tries every assignment; where there are too many, some by exchanges.
    pub(super) fn run(&mut self, ctx: &Ctx<'_>) -> Result<Found, Error> {
        let draws = self.method.draws();
        match every_assignment(self.rows) {
            Some(all) => self.every(ctx, &all),
            None if draws => Ok(Found::nothing(self.rows.n_people(), Way::None)),
            None => self.by_exchanges(ctx),
        }
    }

    fn every(&mut self, ctx: &Ctx<'_>, all: &[Vec<u32>]) -> Result<Found, Error> {
        let draws = self.method.draws();
        let way = if draws { Way::EveryDrawn } else { Way::Every };
        let n_draws = if draws { (DRAWN_RUNS / all.len().max(1)).clamp(1, MOST_DRAWS) } else { 1 };
        let mut found = Found::nothing(self.rows.n_people(), way);
        for (done, kinds) in all.iter().enumerate() {
            ctx.progress(super::SPEC.id, done as u64, all.len() as u64);
            for _ in 0..n_draws {
                if self.leads(kinds)? {
                    found.add(kinds, 1.0);
                }
            }
        }
        found.n_runs = self.n_runs;
        Ok(found)
    }

    /// Whether the method makes the release of these kinds.
    fn leads(&mut self, kinds: &[u32]) -> Result<bool, Error> {
        self.n_runs += 1;
        let draw = self.draw.half_bits();
        self.method.leads_to_release(kinds, draw)
    }

    /// Searches from random starts. Where one ends at an assignment that leads to the release, a walk over
    /// others that do goes on from there. Else those that came nearest count.
    fn by_exchanges(&mut self, ctx: &Ctx<'_>) -> Result<Found, Error> {
        let most = self.method.most_runs();
        let mut found = Found::nothing(self.rows.n_people(), Way::Nearest);
        let mut nearest = 0.0;
        while self.n_runs < most && (found.way == Way::Nearest || found.n() < ENOUGH) {
            ctx.progress(super::SPEC.id, self.n_runs as u64, most as u64);
            let Some(deal) = self.rows.deal(&mut self.draw) else { break };
            let mut at = self.at(deal, None)?;
            if self.climb(&mut at, most)? {
                if found.way == Way::Nearest {
                    found = Found::nothing(self.rows.n_people(), Way::Exchanges);
                }
                self.walk(at, &mut found)?;
            } else if found.way == Way::Nearest && at.nearness >= nearest {
                if at.nearness > nearest {
                    found = Found::nothing(self.rows.n_people(), Way::Nearest);
                }
                nearest = at.nearness;
                found.n_settled = at.n_settled();
                found.add(&at.kinds, 1.0);
            }
        }
        found.n_runs = self.n_runs;
        Ok(found)
    }

    /// Exchanges rows until the release comes out; false where it does not.
    fn climb(&mut self, at: &mut At, most: usize) -> Result<bool, Error> {
        let start = self.n_runs;
        loop {
            let done = self.n_runs - start;
            if at.n_settled() == at.is_settled.len() && self.leads(&at.kinds)? {
                return Ok(true);
            }
            if done >= CLIMB || self.n_runs >= most {
                return Ok(false);
            }
            let Some(next) = self.next(at)? else { return Ok(false) };
            let cooled = 1.0 - done as f64 / CLIMB as f64;
            let may_lose = HEAT * cooled * cooled * self.draw.unit();
            if next.nearness + may_lose >= at.nearness {
                *at = next;
            }
        }
    }

    /// Goes from an assignment that leads to the release to others that do, each as likely as any.
    fn walk(&mut self, mut at: At, found: &mut Found) -> Result<(), Error> {
        for _ in 0..WALK {
            let mut deal = at.deal.clone();
            if let Some((one, other)) = self.exchange(&deal, None) {
                deal.exchange(one, other);
                let kinds = self.rows.kinds_in(&deal);
                if kinds == at.kinds || self.leads(&kinds)? {
                    (at.deal, at.kinds) = (deal, kinds);
                }
            }
            found.add(&at.kinds, 1.0 / WALK as f64);
        }
        Ok(())
    }

    /// The assignment after an exchange, mostly of somebody who is not put with the same people.
    fn next(&mut self, at: &At) -> Result<Option<At>, Error> {
        let mut deal = at.deal.clone();
        let Some((one, other)) = self.exchange(&deal, Some(&at.is_settled)) else {
            return Ok(None);
        };
        deal.exchange(one, other);
        self.at(deal, Some(at)).map(Some)
    }

    /// Two people who may exchange rows that differ.
    fn exchange(&mut self, deal: &Deal, is_settled: Option<&[bool]>) -> Option<(usize, usize)> {
        let n = self.rows.n_people();
        for _ in 0..DRAWS {
            let one = self.draw.below(n);
            let is_passed = is_settled.is_some_and(|is_settled| is_settled[one]);
            if is_passed && self.draw.below(8) > 0 {
                continue;
            }
            if let Some(other) = self.rows.partner(deal, one, &mut self.draw)
                && self.rows.differ(deal, one, other)
            {
                return Some((one, other));
            }
        }
        None
    }

    fn at(&mut self, deal: Deal, before: Option<&At>) -> Result<At, Error> {
        let kinds = self.rows.kinds_in(&deal);
        let made = if let Some(before) = before.filter(|before| before.kinds == kinds) {
            before.made.clone()
        } else {
            self.n_runs += 1;
            let draw = self.draw.half_bits();
            self.method.classes(&kinds, draw)?
        };
        let ours = self.rows.classes_in(&deal);
        let (nearness, is_settled) = match &made {
            Some(made) => near(&ours, made),
            None => (0.0, vec![false; ours.len()]),
        };
        Ok(At { deal, kinds, made, nearness, is_settled })
    }
}

/// How alike two partitions of people are: for each person the people of both classes among those of either;
/// and for whom these are the same.
fn near(ours: &[u32], made: &[u32]) -> (f64, Vec<bool>) {
    let mut size_of_ours: BTreeMap<u32, u32> = BTreeMap::new();
    let mut size_of_made: BTreeMap<u32, u32> = BTreeMap::new();
    let mut size_of_both: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (&one, &other) in ours.iter().zip(made) {
        *size_of_ours.entry(one).or_default() += 1;
        *size_of_made.entry(other).or_default() += 1;
        *size_of_both.entry((one, other)).or_default() += 1;
    }
    let of_person = ours.iter().zip(made).map(|(&one, &other)| {
        let both = size_of_both[&(one, other)];
        let either = size_of_ours[&one] + size_of_made[&other] - both;
        (f64::from(both) / f64::from(either), both == either)
    });
    let (shares, is_settled): (Vec<f64>, Vec<bool>) = of_person.unzip();
    (shares.iter().sum(), is_settled)
}
