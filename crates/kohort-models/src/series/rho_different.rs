//! rho-different: nobody's value at any release is believed with more than rho, whatever followed.
//!
//! # Definition
//! For every person, every release the person is in and every value y:
//! 1. Pr(y at that release | all releases, the correlations) ≤ rho, by smoothing ([`Smoothing`]) with
//!    shares of the population;
//! 2. the share of the rows of the person's class that show y ≤ rho;
//! 3. where at most eight people are in the series, Pr(y at that release | all releases, the correlations) ≤
//!    rho over every world ([`worlds_posterior`]), unless these are too many to go through.
//!
//! Smoothing weighs what a class shows by how often the whole release shows it: where values do not follow
//! the correlations, a class may be full of one value that smoothing does not believe. Who reads the
//! release alone believes the share, which is decided in whole numbers (ours).
//!
//! # Promise
//! Whoever knows everybody's quasi-identifiers and presence, all releases and how values follow one
//! another cannot tell anybody's value at any release with more than rho, as far as people are followed
//! one by one; nor can who reads one release alone. Where worlds were gone through, nor can who deals the
//! values of all classes to everybody at once.
//!
//! # What it does not promise
//! Nothing against correlations that the publisher does not know, nor, in larger series, against reasoning
//! about several people at once. Nothing about releases that a person is not in: there, time alone changes
//! beliefs.
//!
//! # Parameters
//! rho, above 0 and below 1. Smoothed beliefs are floats with an error far below 1e-12: what is above rho by
//! less than that is rho. The figure that is reported is rounded up to nine digits.
//!
//! # References
//! Abdalaal 2012 §4.3, Definition 1, read with ≤; the posterior is by smoothing over all releases.

use kohort_core::{Error, History, Kind, Parameter, Ratio, ReleasedClass, Spec};

use super::{NoBeliefs, Smoothing, worlds_posterior};

/// What the model is.
pub const SPEC: Spec = Spec {
    id: "rho-different",
    title: "rho-different",
    paper: "Abdalaal 2012",
    promise: "given all releases and how values follow one another, nobody's value at any \
              release is believed with probability above rho; nor by any class of a single \
              release",
    parameters: &[Parameter {
        name: "rho",
        range: "0 < rho < 1",
        doc: "the highest belief that is allowed",
    }],
};

/// Beliefs closer than this are equal.
const NOISE: f64 = 1e-12;

/// The most people of a series whose worlds are gone through, and the most steps between these: some
/// hundredths of a second.
const MOST_PEOPLE: usize = 8;
const MOST_STEPS: usize = 100_000;

/// The highest belief about somebody and its release; `None` for who is in no release.
type Highest = Option<(f64, u32)>;

/// The model with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RhoDifferent {
    // Above 0 and below 1.
    rho: Ratio,
}

/// What the model finds in a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RhoDifferentFinding {
    /// The highest belief about anybody, rounded up; 0 where nobody is in a release, 1 where the
    /// correlations rule out what was published about somebody.
    pub max_posterior: f64,
    /// The same where people are followed one by one, and by each release alone.
    pub one_by_one: f64,
    /// The same over every world; `None` where the series is too large for that.
    pub by_worlds: Option<f64>,
    /// The person and the release the highest belief is about.
    pub worst: Option<(u32, u32)>,
    /// How many people a belief above rho is about.
    pub n_people_above: usize,
}

impl RhoDifferentFinding {
    /// Whether the promise is kept.
    pub fn holds(&self) -> bool {
        self.n_people_above == 0
    }
}

impl RhoDifferent {
    /// The model with this threshold.
    pub fn new(rho: Ratio) -> Result<Self, Error> {
        if rho.num() == 0 || rho >= Ratio::whole(1) {
            let expected = "above 0 and below 1";
            return Err(Kind::Parameter { name: "rho", found: rho.to_string(), expected }.into());
        }
        Ok(Self { rho })
    }

    /// The threshold.
    pub fn rho(self) -> Ratio {
        self.rho
    }

    /// Whether a belief is allowed.
    #[inline]
    pub fn allows(self, belief: f64) -> bool {
        belief <= self.rho.value() + NOISE
    }

    /// What who reads a class alone believes of a value that so many of its rows show; above rho only if the
    /// share is, which is decided in whole numbers.
    pub fn belief_of_share(self, n_shown: u64, n_rows: u64) -> f64 {
        if n_rows == 0 {
            return 0.0;
        }
        let share = Ratio::new(n_shown, n_rows);
        let least = if share <= self.rho { 0.0 } else { self.rho.value() + 2.0 * NOISE };
        share.value().max(least)
    }

    /// What who reads a class alone believes at most.
    fn belief_of_class(self, class: &ReleasedClass) -> f64 {
        let runs = class.values.chunk_by(|a, b| a == b);
        let most = runs.map(<[u32]>::len).max().unwrap_or(0);
        self.belief_of_share(most as u64, class.values.len() as u64)
    }

    /// Judges the people of a history who are named; as far as people are followed one by one, nothing has
    /// changed for those who are not in its last release.
    pub fn judge(self, smoothing: &Smoothing<'_>, people: &[u32]) -> RhoDifferentFinding {
        let by_worlds = by_worlds(smoothing, people);
        self.found(people, &self.one_by_one(smoothing, people), by_worlds.as_deref())
    }

    /// The same without worlds: where it is not known of everybody who is in which class, they say nothing.
    pub fn judge_one_by_one(
        self,
        smoothing: &Smoothing<'_>,
        people: &[u32],
    ) -> RhoDifferentFinding {
        self.found(people, &self.one_by_one(smoothing, people), None)
    }

    fn one_by_one(self, smoothing: &Smoothing<'_>, people: &[u32]) -> Vec<Highest> {
        let (worst_of_path, path_of) =
            smoothing.of_paths(people, |path| self.worst(smoothing, path));
        path_of.iter().map(|&path| worst_of_path[path as usize]).collect()
    }

    /// What these beliefs say in all.
    fn found(
        self,
        people: &[u32],
        one_by_one: &[Highest],
        by_worlds: Option<&[Highest]>,
    ) -> RhoDifferentFinding {
        let belief = |highest: &Highest| highest.map_or(0.0, |(belief, _)| belief);
        let most = |all: &[Highest]| rounded_up(all.iter().map(belief).fold(0.0, f64::max));
        let mut worst: Option<(f64, (u32, u32))> = None;
        let mut n_people_above = 0;
        for (at, &person) in people.iter().enumerate() {
            let both = [one_by_one[at], by_worlds.and_then(|by_worlds| by_worlds[at])];
            for (belief, release) in both.into_iter().flatten() {
                if worst.is_none_or(|(highest, _)| belief > highest) {
                    worst = Some((belief, (person, release)));
                }
            }
            n_people_above += usize::from(!both.iter().all(|one| self.allows(belief(one))));
        }
        let (one_by_one, by_worlds) = (most(one_by_one), by_worlds.map(most));
        RhoDifferentFinding {
            max_posterior: by_worlds.unwrap_or(0.0).max(one_by_one),
            one_by_one,
            by_worlds,
            worst: worst.map(|(_, place)| place),
            n_people_above,
        }
    }

    /// The highest belief about whoever takes a path, with its release; `None` for who is in no release.
    fn worst(self, smoothing: &Smoothing<'_>, path: &[(u32, u32)]) -> Option<(f64, u32)> {
        let &(last, _) = path.last()?;
        let Some(posteriors) = smoothing.posteriors(path) else { return Some((1.0, last)) };
        let smoothed = posteriors.iter().flat_map(|posterior| {
            posterior.of_value.iter().map(|&(_, belief)| (belief, posterior.release))
        });
        let alone = path.iter().map(|&(release, class)| {
            (self.belief_of_class(smoothing.class(release, class)), release)
        });
        let beliefs = smoothed.chain(alone);
        beliefs.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
    }
}

/// Everybody who is in a release of a history, where they are so few that worlds may be gone through.
pub fn few_people(history: &History) -> Option<Vec<u32>> {
    let is_in = |person: &u32| history.releases.iter().any(|at| at.class_of(*person).is_some());
    let people = (0..).take(history.n_people()).filter(is_in);
    let few: Vec<u32> = people.take(MOST_PEOPLE + 1).collect();
    (few.len() <= MOST_PEOPLE).then_some(few)
}

/// The highest belief about each of these people over every world; `None` where there are too many. Where no
/// world explains the releases, everything is possible: 1.
fn by_worlds(smoothing: &Smoothing<'_>, people: &[u32]) -> Option<Vec<Highest>> {
    let history = smoothing.history();
    let few = few_people(history)?;
    let found = match worlds_posterior(history, smoothing, &few, MOST_STEPS) {
        Ok(found) => found,
        Err(NoBeliefs::TooManySteps) => return None,
        Err(NoBeliefs::NoWorld) => {
            let last = |&person: &u32| Some((1.0, smoothing.path(person).last()?.0));
            return Some(people.iter().map(last).collect());
        }
    };
    let highest = |person: &u32| {
        let posteriors = &found[few.binary_search(person).ok()?];
        let beliefs = posteriors.iter().flat_map(|posterior| {
            posterior.of_value.iter().map(|&(_, belief)| (belief, posterior.release))
        });
        beliefs.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
    };
    Some(people.iter().map(highest).collect())
}

/// The belief rounded up to nine digits.
fn rounded_up(belief: f64) -> f64 {
    (((belief - NOISE) * 1e9).ceil() / 1e9).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use kohort_core::{History, SeriesRelease};

    use super::*;
    use crate::series::{Correlations, Reading};

    fn class(values: &[u32]) -> ReleasedClass {
        ReleasedClass { values: values.to_vec(), n_counterfeits: 0 }
    }

    #[test]
    fn a_class_full_of_what_the_correlations_do_not_expect_is_above_rho_for_who_reads_it_alone() {
        // Nearly nobody gets 3 by the correlations; in the second release it is that of 5 rows in 6.
        let mut pairs = Vec::new();
        for x in 0..4 {
            let of = |y| match (x, y) {
                (3, _) => 25,
                (_, 3) => 1,
                _ if x == y => 85,
                _ => 7,
            };
            pairs.extend((0..4).map(|y| (x, y, Ratio::new(of(y), 100))));
        }
        let correlations = Correlations::new(&pairs).unwrap();
        let first = SeriesRelease {
            class_of: vec![0; 12],
            classes: vec![class(&[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])],
        };
        let second = SeriesRelease {
            class_of: (0..12).map(|person| u32::from(person >= 6)).collect(),
            classes: vec![class(&[0, 0, 1, 1, 2, 2]), class(&[0, 3, 3, 3, 3, 3])],
        };
        let history = History { n_values: 4, releases: vec![first, second] };
        let smoothing = Smoothing::new(&history, &correlations, Reading::PROMISED);
        let smoothed = smoothing.posteriors(&smoothing.path(11)).unwrap();
        let beliefs = smoothed.iter().flat_map(|at| &at.of_value).map(|&(_, belief)| belief);
        assert!(beliefs.fold(0.0, f64::max) < 0.7, "smoothing alone believes less than is shown");
        let model = RhoDifferent::new(Ratio::new(3, 4)).unwrap();
        let finding = model.judge(&smoothing, &(0..12).collect::<Vec<u32>>());
        assert_eq!((finding.n_people_above, finding.worst), (6, Some((6, 1))));
        assert!((finding.max_posterior - 5.0 / 6.0).abs() < 2e-9, "{}", finding.max_posterior);
        let model = RhoDifferent::new(Ratio::new(5, 6)).unwrap();
        assert!(model.judge(&smoothing, &[0, 6, 11]).holds());
    }

    #[test]
    fn who_left_is_judged_by_what_is_left_of_the_others_while_they_are_few() {
        // Values last with 4/5, and the two who had 0 leave: each of them had it with 0.664 over all worlds.
        let pairs: Vec<(u32, u32, Ratio)> = (0..3).map(|v| (v, v, Ratio::new(4, 5))).collect();
        let correlations = Correlations::new(&pairs).unwrap();
        let release = |class_of: Vec<u32>, values: &[u32]| SeriesRelease {
            class_of,
            classes: vec![class(values)],
        };
        let absent = kohort_core::ABSENT;
        let later = release(vec![absent, absent, 0, 0, 0, 0], &[1, 1, 2, 2]);
        let mut history = History {
            n_values: 3,
            releases: vec![release(vec![0; 6], &[0, 0, 1, 1, 2, 2]), later],
        };
        let model = RhoDifferent::new(Ratio::new(3, 5)).unwrap();
        let judge = |history: &History, people: &[u32]| {
            let smoothing = Smoothing::new(history, &correlations, Reading::PROMISED);
            (model.judge(&smoothing, people), model.judge_one_by_one(&smoothing, people))
        };
        let (found, one_by_one) = judge(&history, &[0, 1, 2, 3, 4, 5]);
        assert_eq!((found.n_people_above, found.worst), (2, Some((0, 0))));
        assert!((found.max_posterior - 0.664_165_103).abs() < 2e-9, "{}", found.max_posterior);
        assert_eq!(found.by_worlds, Some(found.max_posterior));
        assert!(one_by_one.holds() && one_by_one.by_worlds.is_none());
        assert!((found.one_by_one - one_by_one.max_posterior).abs() < 1e-12);
        assert!(judge(&history, &[2, 3, 4, 5]).0.holds(), "nothing is said of the others");
        // Three more people, and the series is not a small one.
        history.releases[1].class_of.extend([0; 3]);
        history.releases[1].classes[0].values = vec![0, 0, 0, 1, 1, 2, 2];
        let (found, one_by_one) = judge(&history, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(found, one_by_one);
    }

    #[test]
    fn shares_are_compared_in_whole_numbers() {
        let third = RhoDifferent::new(Ratio::new(1, 3)).unwrap();
        assert!(third.allows(third.belief_of_share(5, 15)));
        // Below 1/3 by less than the noise of floats.
        let less =
            RhoDifferent::new(Ratio::new(333_333_333_333_333, 1_000_000_000_000_000)).unwrap();
        assert!(!less.allows(less.belief_of_share(5, 15)) && less.allows(1.0 / 3.0));
        assert!((third.belief_of_share(0, 0) - 0.0).abs() < 1e-12);
    }
}
