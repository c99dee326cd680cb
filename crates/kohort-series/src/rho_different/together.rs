//! What is done where who deals the values of all classes to everybody at once believes more than rho.
//!
//! Only the series of a few people are judged so, and each step tries every change of its kind.

use kohort_core::{ABSENT, History};
use kohort_models::series::{Reading, RhoDifferentFinding, Smoothing, few_people};

use super::class::{Beliefs, Class};
use super::growing::Plan;
use super::settling::looks_complete;
use super::{Failure, Next, RhoDifferentMaker, Turn};

/// The items of a class, and the values of counterfeits that it starts.
type Parts = (Vec<u32>, Vec<u32>);

impl RhoDifferentMaker {
    /// Whether everybody's value is believed with rho at most before this release; false where the series
    /// is too large for worlds.
    pub(super) fn keeps_so_far(&self, smoothing: &Smoothing<'_>, history: &History) -> bool {
        few_people(history).is_some_and(|few| self.model.judge(smoothing, &few).holds())
    }

    /// What the model finds after a release: about everybody where worlds are gone through and no belief
    /// was above rho before it, since what a release shows of some says something of others; otherwise
    /// about those it shows.
    pub(super) fn finding(
        &self,
        turn: &Turn<'_>,
        next: &Next,
        keeps_so_far: bool,
    ) -> RhoDifferentFinding {
        let mut history = turn.history.clone();
        history.releases.push(next.released(turn));
        let values = turn.value_of_row.iter().chain(next.counterfeits.iter().map(|c| &c.value));
        history.n_values = history.n_values.max(values.max().map_or(0, |value| value + 1));
        let smoothing = Smoothing::new(&history, &self.correlations, Reading::PROMISED);
        let people = few_people(&history).filter(|_| keeps_so_far).unwrap_or_else(|| {
            let shown = turn.person_of_row.iter().zip(&next.class_of_row);
            shown.filter(|&(_, &class)| class != ABSENT).map(|(&person, _)| person).collect()
        });
        self.model.judge(&smoothing, &people)
    }

    /// Step 9: all classes as one, or one more counterfeit, or one more person who is held back; and again
    /// without the person whom it helps most to hold back, until no belief is above rho or nobody is left.
    pub(super) fn within_worlds(
        &self,
        turn: &Turn<'_>,
        beliefs: Beliefs<'_>,
        mut plan: Plan,
        keeps_so_far: bool,
    ) -> Result<(Next, RhoDifferentFinding), Failure> {
        loop {
            let mut lowest: Option<(f64, Plan)> = None;
            let kinds: [Vec<Vec<Parts>>; 3] = [
                self.joined(beliefs, &plan).into_iter().collect(),
                self.with_a_counterfeit(turn, beliefs, &plan),
                with_one_fewer(beliefs, &plan),
            ];
            for kind in kinds {
                let mut best: Option<(Next, RhoDifferentFinding)> = None;
                lowest = None;
                for parts in kind {
                    let tried = plan_of(beliefs, parts);
                    let Ok(next) = self.next(turn, beliefs.line, &tried) else { continue };
                    let found = self.finding(turn, &next, keeps_so_far);
                    let belief = found.max_posterior;
                    let is_best = best.as_ref().is_none_or(|(_, b)| belief < b.max_posterior);
                    if found.by_worlds.is_some()
                        && found.holds()
                        && is_best
                        && !looks_complete(beliefs, &tried)
                    {
                        best = Some((next, found));
                    }
                    if lowest.as_ref().is_none_or(|(lowest, _)| belief < *lowest) {
                        lowest = Some((belief, tried));
                    }
                }
                if let Some(best) = best {
                    return Ok(best);
                }
            }
            // Of the last kind: each time one person fewer is left.
            let Some((_, fewer)) = lowest else {
                let rho = self.model.rho();
                return Err(Failure::infeasible(format!(
                    "nobody can be shown: an adversary who reasons about everybody at once would \
                     believe somebody's value with more than `rho` {rho}"
                )));
            };
            plan = fewer;
        }
    }

    /// All classes as one, where there are several; counterfeits beyond the most that it may have leave.
    fn joined(&self, beliefs: Beliefs<'_>, plan: &Plan) -> Option<Vec<Parts>> {
        let classes: Vec<Parts> = parts_of(plan);
        let several = classes.len() > 1;
        let (items, started): (Vec<Vec<u32>>, Vec<Vec<u32>>) = classes.into_iter().unzip();
        let mut left = self.most_counterfeits;
        let mut items = items.concat();
        items.sort_unstable();
        items.retain(|&item| {
            let is_person = beliefs.item(item).row.is_some();
            let may_stay = is_person || left > 0;
            left -= usize::from(may_stay && !is_person);
            may_stay
        });
        let started = started.into_iter().flatten().take(left).collect();
        several.then(|| vec![(items, started)])
    }

    /// One more counterfeit in a class that may have it, with a value that the table or an earlier release
    /// has: where all who had a value have left, it is that value that hides them.
    fn with_a_counterfeit(
        &self,
        turn: &Turn<'_>,
        beliefs: Beliefs<'_>,
        plan: &Plan,
    ) -> Vec<Vec<Parts>> {
        let classes = turn.history.releases.iter().flat_map(|release| &release.classes);
        let shown = classes.flat_map(|class| class.values.iter().copied());
        let mut values: Vec<u32> = beliefs.line.items.iter().map(|item| item.value).collect();
        values.extend(shown);
        values.sort_unstable();
        values.dedup();
        let all = parts_of(plan);
        let mut found = Vec::new();
        let filled = plan.classes.iter().filter(|class| !class.items.is_empty());
        for (at, class) in filled.enumerate() {
            if class.n_counterfeits(beliefs) < self.most_counterfeits {
                for &value in &values {
                    let mut parts = all.clone();
                    parts[at].1.push(value);
                    found.push(parts);
                }
            }
        }
        found
    }
}

/// Without one of the people; a class of nobody else leaves with its counterfeits.
fn with_one_fewer(beliefs: Beliefs<'_>, plan: &Plan) -> Vec<Vec<Parts>> {
    let all = parts_of(plan);
    let people = all.iter().flat_map(|(items, _)| items).copied();
    let people = people.filter(|&item| beliefs.item(item).row.is_some());
    let without = |gone: u32| {
        let mut parts = all.clone();
        for (items, _) in &mut parts {
            items.retain(|&item| item != gone);
        }
        parts.retain(|(items, _)| beliefs.has_people(items));
        parts
    };
    people.map(without).filter(|parts| !parts.is_empty()).collect()
}

/// The classes that somebody is in.
fn parts_of(plan: &Plan) -> Vec<Parts> {
    let filled = plan.classes.iter().filter(|class| !class.items.is_empty());
    filled.map(|class| (class.items.clone(), class.started.clone())).collect()
}

/// The plan of these classes; whoever is in none is held back.
fn plan_of(beliefs: Beliefs<'_>, parts: Vec<Parts>) -> Plan {
    let mut plan = Plan { classes: Vec::new(), class_of: vec![ABSENT; beliefs.line.items.len()] };
    for (number, (items, started)) in (0..).zip(parts) {
        for &item in &items {
            plan.class_of[item as usize] = number;
        }
        plan.classes.push(Class::of(beliefs, items, started));
    }
    plan
}
