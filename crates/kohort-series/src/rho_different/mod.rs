//! The maker of rho-different releases: classes of near rows in which nobody's value, at this release or
//! an earlier one, is believed with more than rho.
//!
//! # Guarantee
//! After every release that is made, for everybody it shows, every value and every release so far,
//! Pr(value | all releases, the correlations) ≤ rho by smoothing, and no class shows a value in more than
//! rho of its rows: the model judges the whole history last. In a series of a few people the same is so of
//! everybody in any release over every world, where the model goes through these.
//!
//! # Method
//! 1. Put the rows on the Hilbert curve, with the counterfeits of the last release, which take a step as
//!    people do. Smooth what was published of everybody into sums with which a class is tried. What is
//!    believed of anybody in a class is never less than the share of its most frequent value.
//! 2. Cut the line into classes of one size: large enough for the slack, and for showing most values about
//!    as often as chance has it. They are made anew each time: whoever stays meets other values, and too
//!    much is believed of one person here and there, not of a class at once.
//! 3. Where a belief is above what this release aims at, let those go without whom it is lowest.
//! 4. Where it still is above rho, start counterfeits with the values that help most; then those about
//!    whom it is leave the class, the worst first, or those who show a value that is too frequent. If these
//!    are many, join with the near class with which the belief is lowest instead.
//! 5. Whoever has no class joins a near one that stays within rho, and is held back where none does.
//! 6. Counterfeits and who is held back have changed how often values are shown: try all classes again,
//!    and let those go who are above rho, until nobody is.
//! 7. Where many are held back, do it again with larger classes, and keep what holds the fewest back.
//! 8. Where counterfeits have the values of just those who are held back, hold back one more: who has the
//!    table would take the release for one of everybody, and believe of people what it does not say.
//! 9. Where the model goes through worlds and a belief is above rho in these, try all classes as one, one
//!    more counterfeit, and without one more person; where none of these will do, hold back the person
//!    without whom the highest belief is lowest, and try again.
//!
//! # Notation
//! ρ → `rho`, α and the smoothed marginals → `Past`, f → `most_counterfeits`.
//!
//! # Cost
//! Smoothing is O(releases · (sums + values)) for each path and each of its candidates; few sums are kept.
//! A class is tried with O(paths · sums · candidates), and most classes are tried once.
//!
//! # Deviations
//! - Classes are cut from the line and mended, not grown one row at a time, and are larger than the
//!   spec's: a class of s rows shows a value of share p at least 1/(s · p) times as often as chance has it,
//!   and a value that lasts with a is given away by showing it again and again unless s > a/p (ours). For
//!   those who have it, each release multiplies the odds by c/(s · p), where the class shows it c times:
//!   they are one of the c, so that this is above 1 in the mean, by 1/(2 · s · p) as a logarithm. Values
//!   that last therefore need classes that grow with the releases; others do not.
//! - The slack and the horizon are ours: without them a release uses up what later ones need.
//! - A counterfeit stands where the first person of its class stands, and leaves with the last of them:
//!   it has no quasi-identifiers of its own, because it is only ever shown in a box.
//! - Counterfeits that no class can take within rho leave; the notes say how many.
//!
//! # References
//! Abdalaal 2012 §4.3.

mod around;
mod class;
mod growing;
mod line;
mod settling;
#[cfg(test)]
mod tests;
mod together;

use kohort_core::{ABSENT, Ctx, Error, History, Kind, Ratio, Spec};
use kohort_models::series::{
    Completion, Correlations, Past, RHO_DIFFERENT, Reading, RhoDifferent, RhoDifferentFinding,
    Smoothing, Stage,
};

use crate::{Counterfeit, Failure, Next, SeriesMethod, Turn};
use class::Beliefs;
use growing::{Growing, Plan};
use line::Line;

/// The maker with its parameters and what it needs of earlier releases.
#[derive(Clone, Debug)]
pub struct RhoDifferentMaker {
    model: RhoDifferent,
    correlations: Correlations,
    // Above 0 and at most 1, where one is asked for.
    slack: Option<Ratio>,
    // At least 1.
    horizon: Option<u32>,
    most_counterfeits: usize,
    standing: Vec<Counterfeit>,
    next_id: u32,
}

impl RhoDifferentMaker {
    /// A maker with this threshold, against whoever knows these correlations; a class has at most one
    /// counterfeit.
    pub fn new(rho: Ratio, correlations: Correlations) -> Result<Self, Error> {
        let model = RhoDifferent::new(rho)?;
        let (slack, horizon) = (None, None);
        let (most_counterfeits, standing, next_id) = (1, Vec::new(), 0);
        Ok(Self { model, correlations, slack, horizon, most_counterfeits, standing, next_id })
    }

    /// The same with at most so many counterfeits in a class.
    #[must_use]
    pub fn with_most_counterfeits(self, most_counterfeits: usize) -> Self {
        Self { most_counterfeits, ..self }
    }

    /// The same aiming at this share of rho where it can.
    pub fn with_slack(self, slack: Ratio) -> Result<Self, Error> {
        if slack.num() == 0 || slack > Ratio::whole(1) {
            let (found, expected) = (slack.to_string(), "above 0 and at most 1");
            return Err(Kind::Parameter { name: "slack", found, expected }.into());
        }
        Ok(Self { slack: Some(slack), ..self })
    }

    /// The same for so many releases: what is believed may come near to rho as the last comes near, and a
    /// series in which a value is expected to become more frequent than rho is refused at once.
    pub fn with_horizon(self, horizon: u32) -> Result<Self, Error> {
        if horizon == 0 {
            let (found, expected) = (horizon.to_string(), "at least 1");
            return Err(Kind::Parameter { name: "horizon", found, expected }.into());
        }
        Ok(Self { horizon: Some(horizon), ..self })
    }

    /// The same after a release with these counterfeits; the next to start gets the number `next_id`.
    #[must_use]
    pub fn with_standing(self, standing: Vec<Counterfeit>, next_id: u32) -> Self {
        Self { standing, next_id, ..self }
    }
}

impl SeriesMethod for RhoDifferentMaker {
    fn spec(&self) -> &'static Spec {
        &RHO_DIFFERENT
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let totals = self.require_feasible(turn)?;
        let warning = self.warning(turn.history, &totals);
        let smoothing = Smoothing::new(turn.history, &self.correlations, Reading::PROMISED);
        let (pasts, past_of_row) = self.pasts(turn, &smoothing);
        let stage = Stage::of_totals(&self.correlations, Completion::Population, totals.clone());
        let size = self.size(&stage);
        let line = Line::new(turn, &past_of_row, &self.standing, &stage.transition);
        let stage = self.stage(
            totals,
            line.items.iter().filter(|item| item.row.is_none()).map(|item| item.value),
        );
        let beliefs = Beliefs { model: self.model, line: &line, pasts: &pasts, stage: &stage };
        let mut plan = self.plan(ctx, turn, beliefs, size);
        self.look_incomplete(turn, beliefs, &mut plan);
        let mut next = self.next(turn, &line, &plan)?;
        let keeps_so_far = self.keeps_so_far(&smoothing, turn.history);
        let mut finding = self.finding(turn, &next, keeps_so_far);
        if !finding.holds() && finding.by_worlds.is_some() {
            (next, finding) = self.within_worlds(turn, beliefs, plan, keeps_so_far)?;
        }
        next.notes.extend(warning);
        self.judged(next, finding)
    }
}

impl RhoDifferentMaker {
    /// Steps 2 to 7: the classes of this size, or of the larger size that holds the fewest back.
    fn plan(&self, ctx: &Ctx<'_>, turn: &Turn<'_>, beliefs: Beliefs<'_>, size: usize) -> Plan {
        let aim = self.aim(turn.history);
        let planned = |size| {
            let mut plan = Growing::new(self, turn.space, beliefs, size, aim).grow(ctx);
            self.settle(turn.space, beliefs, &mut plan, aim);
            let free = plan.class_of.iter().filter(|&&class| class == ABSENT).count();
            (free, plan)
        };
        let n = turn.person_of_row.len();
        let (mut free, mut best) = planned(size);
        for size in [size * 3 / 2, size * 9 / 4, size * 27 / 8] {
            if free * growing::HELD_BACK_PART <= n || size > n {
                break;
            }
            let (found, plan) = planned(size);
            if found < free {
                (free, best) = (found, plan);
            }
        }
        best
    }

    /// How often the table has each value, where none is too frequent.
    fn require_feasible(&self, turn: &Turn<'_>) -> Result<Vec<u32>, Failure> {
        let n_values = turn.value_of_row.iter().map(|value| value + 1).max().unwrap_or(0);
        let n_values = n_values.max(turn.history.n_values).max(self.correlations.n_values());
        let mut totals = vec![0_u32; n_values as usize];
        turn.value_of_row.iter().for_each(|&value| totals[value as usize] += 1);
        let rho = self.model.rho();
        let allowed = rho.floor_of(turn.value_of_row.len() as u64);
        let Some(value) = (0..n_values).find(|&value| u64::from(totals[value as usize]) > allowed)
        else {
            self.require_feasible_later(turn.history, &totals)?;
            return Ok(totals);
        };
        let kind = if self.correlations.is_permanent(value) { "permanent " } else { "" };
        let (count, n) = (totals[value as usize], turn.value_of_row.len());
        Err(Failure::infeasible(format!(
            "a {kind}value is that of {count} of {n} rows, and `rho` allows at most {rho} of them"
        )))
    }

    /// Refuses a planned series in which a value is expected to have more than rho of the rows in some
    /// release: whatever the classes, it would be believed of somebody.
    fn require_feasible_later(&self, history: &History, totals: &[u32]) -> Result<(), Failure> {
        let Some(horizon) = self.horizon else { return Ok(()) };
        let Some((release, kind)) = self.first_too_frequent(history, totals, horizon) else {
            return Ok(());
        };
        let rho = self.model.rho();
        Err(Failure::infeasible(format!(
            "a {kind}value is expected to be that of more than `rho` {rho} of the rows in release \
             {release} of {horizon}: values flow into it, and no class hides it then"
        )))
    }

    /// The first release up to a last one in which a value is expected to have more than rho of the rows, as
    /// people become what the correlations say, and which kind of value it is.
    fn first_too_frequent(
        &self,
        history: &History,
        totals: &[u32],
        last: u32,
    ) -> Option<(u32, &'static str)> {
        let n: f64 = totals.iter().copied().map(f64::from).sum();
        let mut shares: Vec<f64> = totals.iter().map(|&total| f64::from(total) / n).collect();
        let next = u32::try_from(history.releases.len()).unwrap_or(u32::MAX).saturating_add(1);
        for release in next + 1..=last {
            let step = self.correlations.complete(shares.clone());
            let before: Vec<(u32, f64)> = (0..).zip(shares).collect();
            let pushed: Vec<(u32, f64)> = step.push(&before, 0..step.n_values()).collect();
            shares = pushed.iter().map(|&(_, share)| share).collect();
            if let Some(&(value, _)) = pushed.iter().find(|(_, share)| !self.model.allows(*share)) {
                let is_permanent = self.correlations.is_permanent(value);
                return Some((release, if is_permanent { "permanent " } else { "" }));
            }
        }
        None
    }

    /// What is to be said of releases that cannot be made, where no horizon is planned.
    fn warning(&self, history: &History, totals: &[u32]) -> Option<String> {
        let n_releases = u32::try_from(history.releases.len()).unwrap_or(u32::MAX);
        let last = n_releases.saturating_add(1 + growing::USUAL_HORIZON);
        let (release, kind) = self.first_too_frequent(history, totals, last)?;
        let rho = self.model.rho();
        self.horizon.is_none().then(|| {
            format!(
                "a {kind}value is expected to be that of more than `rho` {rho} of the rows from release \
                 {release} on: unless others appear, the series ends there"
            )
        })
    }

    /// What the highest belief is to be: the slack in the first release, later more with each.
    fn aim(&self, history: &History) -> f64 {
        let n_releases = u32::try_from(history.releases.len()).unwrap_or(u32::MAX);
        let horizon = self.horizon.unwrap_or(growing::USUAL_HORIZON);
        let over = f64::from(n_releases.min(horizon)) / f64::from(horizon);
        let share = match n_releases {
            0 => growing::ENOUGH * self.slack(),
            _ => growing::FIRST_AIM + (growing::LAST_AIM - growing::FIRST_AIM) * over,
        };
        self.model.rho().value() * share
    }

    /// The share of rho that a release aims at. Fewer releases than usual leave each of them more room.
    fn slack(&self) -> f64 {
        let usual = f64::from(growing::USUAL_HORIZON);
        let more = self.horizon.map_or(1.0, |horizon| (usual / f64::from(horizon)).max(1.0));
        let planned = (growing::SLACK * more).min(growing::MOST_SLACK);
        self.slack.map_or(planned, Ratio::value)
    }

    /// What was published of the person of each row, for every different path.
    fn pasts(&self, turn: &Turn<'_>, smoothing: &Smoothing<'_>) -> (Vec<Past>, Vec<Option<u32>>) {
        let rho = self.model.rho().value();
        let (found, past_of_row) = smoothing.pasts(turn.person_of_row, rho);
        let mut pasts = Vec::new();
        let numbers: Vec<Option<u32>> = found
            .into_iter()
            .map(|past| {
                pasts.push(past?);
                u32::try_from(pasts.len() - 1).ok()
            })
            .collect();
        let past_of_row = past_of_row.iter().map(|&path| numbers[path as usize]).collect();
        (pasts, past_of_row)
    }

    /// How many rows a class of people who appear has: enough for the slack, and for values that last. A
    /// class of s rows shows a value with share p at least 1/(s · p) times as often as chance has it; where
    /// it lasts with a, showing it again and again stays below chance only with s > a/p, which over all
    /// rows is the trace of the matrix in the mean. Fewer releases than usual add less up.
    fn size(&self, stage: &Stage<'_>) -> usize {
        let step = &stage.transition;
        let shown = (0..step.n_values()).filter(|&value| stage.share(value) > 0.0);
        let trace: f64 = shown.map(|value| step.probability(value, value)).sum();
        let least = 1.0 / (self.model.rho().value() * self.slack());
        let usual = f64::from(growing::USUAL_HORIZON);
        let planned = self.horizon.map_or(1.0, |horizon| (f64::from(horizon) / usual).min(1.0));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above 1")]
        let size = least.max(2.0 * trace * planned).ceil() as usize;
        size
    }

    /// The step into a release with these values and counterfeits besides.
    fn stage(&self, mut totals: Vec<u32>, counterfeits: impl Iterator<Item = u32>) -> Stage<'_> {
        counterfeits.for_each(|value| totals[value as usize] += 1);
        Stage::of_totals(&self.correlations, Completion::Population, totals)
    }

    /// The release that the plan describes.
    fn next(&self, turn: &Turn<'_>, line: &Line, plan: &Plan) -> Result<Next, Failure> {
        let mut next = Next::of_classes(vec![ABSENT; turn.person_of_row.len()]);
        let mut id = self.next_id;
        let filled = plan.classes.iter().filter(|class| !class.items.is_empty());
        for (class, filled) in (0..).zip(filled) {
            for &item in &filled.items {
                let item = &line.items[item as usize];
                match (item.row, item.counterfeit) {
                    (Some(row), _) => next.class_of_row[row as usize] = class,
                    (None, Some(id)) => {
                        next.counterfeits.push(Counterfeit { class, value: item.value, id });
                    }
                    (None, None) => {}
                }
            }
            for &value in &filled.started {
                next.counterfeits.push(Counterfeit { class, value, id });
                id += 1;
            }
        }
        let n_held_back = next.n_held_back();
        if n_held_back == next.class_of_row.len() {
            let rho = self.model.rho();
            return Err(Failure::infeasible(format!(
                "nobody can be shown: what was published before leaves no class within `rho` {rho}"
            )));
        }
        if n_held_back > 0 {
            next.notes
                .push(format!("{n_held_back} rows are held back: no class keeps them within rho"));
        }
        let n_standing = next.counterfeits.iter().filter(|found| found.id < self.next_id).count();
        let n_left = self.standing.len() - n_standing;
        if n_left > 0 {
            next.notes
                .push(format!("{n_left} counterfeits of the last release are not shown again"));
        }
        Ok(next)
    }

    /// The release, if the model says that the history with it keeps the promise.
    fn judged(&self, mut next: Next, finding: RhoDifferentFinding) -> Result<Next, Failure> {
        if !finding.holds() {
            return Err(Failure::infeasible(format!(
                "{} people are believed to have a value with more than `rho` {}, for one with {}",
                finding.n_people_above,
                self.model.rho(),
                finding.max_posterior
            )));
        }
        next.notes.push(format!("no value is believed with more than {}", finding.max_posterior));
        Ok(next)
    }
}
