//! Small series against who deals the values of all classes to everybody at once.

use kohort_algorithms::Draw;
use kohort_models::series::{NoBeliefs, Posterior, few_people, worlds_posterior};

use super::*;

/// Every world of a history, one after the other, by the definition alone.
struct Worlds<'a> {
    history: &'a History,
    listed: &'a [(u32, u32, Ratio)],
    // Who gets a row of which class of which release, in the order of releases.
    deals: Vec<(usize, u32, u32)>,
    // How many rows of each value each class of each release has left.
    left: Vec<Vec<Vec<u32>>>,
    // The value of each deal so far.
    world: Vec<u32>,
    // The weight of the worlds in which a deal has a value.
    found: Vec<Vec<f64>>,
}

impl<'a> Worlds<'a> {
    fn new(history: &'a History, listed: &'a [(u32, u32, Ratio)]) -> Self {
        let n_values = history.n_values as usize;
        let mut deals = Vec::new();
        for (release, shown) in history.releases.iter().enumerate() {
            for person in 0..u32::try_from(history.n_people()).unwrap() {
                deals.extend(shown.class_of(person).map(|class| (release, person, class)));
            }
        }
        let counted = |class: &ReleasedClass| {
            let mut counts = vec![0; n_values];
            class.values.iter().for_each(|&value| counts[value as usize] += 1);
            counts
        };
        let of_release = |r: &SeriesRelease| r.classes.iter().map(counted).collect();
        let left = history.releases.iter().map(of_release).collect();
        let found = vec![vec![0.0; n_values]; deals.len()];
        Self { history, listed, deals, left, world: Vec::new(), found }
    }

    /// The share of a value in a release.
    fn share(&self, release: usize, value: u32) -> f64 {
        let shown = self.history.releases[release].classes.iter().flat_map(|class| &class.values);
        let n: f64 = shown.clone().map(|_| 1.0).sum();
        shown.filter(|other| **other == value).map(|_| 1.0).sum::<f64>() / n
    }

    /// The chance of a step into a release.
    fn step(&self, release: usize, x: u32, y: u32) -> f64 {
        let pair = |y: u32| self.listed.iter().find(|pair| (pair.0, pair.1) == (x, y));
        let sum: f64 = self.listed.iter().filter(|pair| pair.0 == x).map(|p| p.2.value()).sum();
        let others = (0..self.history.n_values).filter(|&y| pair(y).is_none());
        let unlisted: f64 = others.map(|y| self.share(release, y)).sum();
        match pair(y) {
            Some(pair) if unlisted > 0.0 || sum == 0.0 => pair.2.value(),
            Some(pair) => pair.2.value() / sum,
            None if unlisted > 0.0 => (1.0 - sum).max(0.0) * self.share(release, y) / unlisted,
            None => 0.0,
        }
    }

    /// The chance of getting from a value at one release to another at a later one.
    fn way(&self, (from, x): (usize, u32), (to, y): (usize, u32)) -> f64 {
        if from + 1 == to {
            return self.step(to, x, y);
        }
        let every = 0..self.history.n_values;
        every.map(|z| self.step(from + 1, x, z) * self.way((from + 1, z), (to, y))).sum()
    }

    /// Deals from here on, in every way; the weight of all worlds.
    fn deal(&mut self, weight: f64) -> f64 {
        let at = self.world.len();
        if at == self.deals.len() {
            let mut weight = weight;
            for (release, shown) in self.history.releases.iter().enumerate() {
                for class in 0..shown.classes.len() {
                    for value in 0..self.history.n_values {
                        let n = self.left[release][class][value as usize];
                        weight *= self.share(release, value).powi(n.try_into().unwrap());
                    }
                }
            }
            for (found, &value) in self.found.iter_mut().zip(&self.world) {
                found[value as usize] += weight;
            }
            return weight;
        }
        let (release, person, class) = self.deals[at];
        let mut all = 0.0;
        for value in 0..self.history.n_values {
            let left = self.left[release][class as usize][value as usize];
            let before = self.deals[..at].iter().zip(&self.world).rev();
            let before = before.map(|(deal, &value)| (deal.1, (deal.0, value)));
            let before = before.filter(|before| before.0 == person).map(|before| before.1).next();
            let chance = match before {
                None => self.share(release, value),
                Some(before) => self.way(before, (release, value)),
            };
            if left > 0 && chance > 0.0 {
                self.left[release][class as usize][value as usize] -= 1;
                self.world.push(value);
                all += self.deal(weight * chance * f64::from(left));
                self.world.pop();
                self.left[release][class as usize][value as usize] += 1;
            }
        }
        all
    }
}

/// The belief in each value of each person at each release the person is in, by person and release; `None`
/// without a world.
fn every_world(
    history: &History,
    listed: &[(u32, u32, Ratio)],
) -> Option<Vec<(u32, usize, Vec<f64>)>> {
    let mut worlds = Worlds::new(history, listed);
    let all = worlds.deal(1.0);
    let beliefs = worlds.deals.iter().zip(&worlds.found).map(|(&(release, person, _), found)| {
        (person, release, found.iter().map(|weight| weight / all).collect())
    });
    let mut beliefs: Vec<(u32, usize, Vec<f64>)> = beliefs.collect();
    beliefs.sort_by_key(|found| (found.0, found.1));
    (all > 0.0).then_some(beliefs)
}

fn below(draw: &mut Draw, n: u32) -> u32 {
    (0..n).find(|&at| draw.uniform() * f64::from(n - at) < 1.0).unwrap_or(0)
}

/// A few people, who come, go and come back, and whose values change, mostly as listed.
struct Small {
    pairs: Vec<(u32, u32, Ratio)>,
    rho: Ratio,
    maker: RhoDifferentMaker,
    tables: Vec<Vec<Row>>,
}

fn small(seed: u64) -> Small {
    let mut draw = Draw::new(seed);
    let n_values = 2 + below(&mut draw, 2);
    let last = 1 + u64::from(below(&mut draw, 5));
    let mut pairs: Vec<(u32, u32, Ratio)> =
        (0..n_values).map(|value| (value, value, Ratio::new(last, 6))).collect();
    pairs.retain(|_| draw.uniform() < 0.8);
    let rho = [Ratio::new(1, 2), Ratio::new(3, 5), Ratio::new(2, 3)][below(&mut draw, 3) as usize];
    let correlations = Correlations::new(&pairs).unwrap();
    let matrix = correlations.complete(vec![1.0 / f64::from(n_values); n_values as usize]);
    let maker = RhoDifferentMaker::new(rho, correlations.clone()).unwrap();
    let maker = maker.with_most_counterfeits(below(&mut draw, 3) as usize);
    let slack = [Ratio::new(1, 6), Ratio::whole(1)][below(&mut draw, 2) as usize];
    let maker = maker.with_slack(slack).unwrap();
    let n_people = 3 + below(&mut draw, 4);
    let first = below(&mut draw, n_values);
    let mut people: Vec<Row> = (0..n_people)
        .map(|p| (p, [below(&mut draw, 9), below(&mut draw, 9)], (first + p) % n_values))
        .collect();
    let mut tables = Vec::new();
    for _ in 0..2 + below(&mut draw, 2) {
        tables.push(people.iter().filter(|_| draw.uniform() < 0.8).copied().collect());
        for person in &mut people {
            let drawn = draw.uniform();
            let any = below(&mut draw, n_values);
            person.2 = if draw.uniform() < 0.9 { step(&matrix, person.2, drawn) } else { any };
        }
    }
    Small { pairs, rho, maker, tables }
}

/// The history after each release of a small series, with how many of its table are held back.
fn published(small: &Small) -> Vec<(History, usize)> {
    let mut history = History { n_values: 3, releases: Vec::new() };
    let (mut found, mut standing, mut next_id) = (Vec::new(), Vec::new(), 0);
    for (rows, seed) in small.tables.iter().zip(0..) {
        let maker = small.maker.clone().with_standing(standing.clone(), next_id);
        let Ok((next, released)) = made(&maker, &history, rows, seed) else { continue };
        history.releases.push(released);
        standing.clone_from(&next.counterfeits);
        next_id = standing.iter().map(|one| one.id + 1).max().unwrap_or(0).max(next_id);
        found.push((history.clone(), next.n_held_back()));
    }
    found
}

/// The same by the model.
fn by_the_model(
    history: &History,
    listed: &[(u32, u32, Ratio)],
) -> Result<Vec<Vec<Posterior>>, NoBeliefs> {
    let correlations = Correlations::new(listed).unwrap();
    let smoothing = Smoothing::new(history, &correlations, Reading::PROMISED);
    worlds_posterior(history, &smoothing, &few_people(history).unwrap(), 1_000_000)
}

/// Up to five people in classes as drawn, with rows of nobody here and there.
fn any_history(seed: u64) -> History {
    let mut draw = Draw::new(seed);
    let n_people = 1 + below(&mut draw, 5);
    let mut releases = Vec::new();
    for _ in 0..=below(&mut draw, 3) {
        let empty = ReleasedClass { values: Vec::new(), n_counterfeits: 0 };
        let mut release = SeriesRelease { class_of: Vec::new(), classes: vec![empty; 2] };
        for _ in 0..n_people {
            let class = [0, 0, 1, ABSENT][below(&mut draw, 4) as usize];
            release.class_of.push(class);
            if let Some(class) = release.classes.get_mut(class as usize) {
                class.values.push(below(&mut draw, 3));
            }
        }
        for class in &mut release.classes {
            class.values.extend((0..below(&mut draw, 3) / 2).map(|_| below(&mut draw, 3)));
            class.values.sort_unstable();
        }
        releases.push(release);
    }
    // No release shows nothing.
    releases.retain(|release| release.classes.iter().any(|class| !class.values.is_empty()));
    History { n_values: 3, releases }
}

#[test]
fn what_every_world_says_is_the_sum_over_worlds() {
    let (mut n_beliefs, mut n_without) = (0, 0);
    for seed in 0..400 {
        let (history, mut pairs) = (any_history(seed), small(seed).pairs);
        if seed % 4 == 0 {
            // Steps that never happen, so that some histories have no world.
            pairs = vec![(0, 0, Ratio::whole(1)), (1, 2, Ratio::whole(0)), (2, 1, Ratio::whole(0))];
        }
        let found = by_the_model(&history, &pairs);
        let Some(expected) = every_world(&history, &pairs) else {
            assert_eq!(found, Err(NoBeliefs::NoWorld), "{history:?}");
            n_without += 1;
            continue;
        };
        let people = few_people(&history).unwrap();
        let mut found: Vec<(u32, Posterior)> = people
            .into_iter()
            .zip(found.unwrap())
            .flat_map(|(person, all)| all.into_iter().map(move |one| (person, one)))
            .collect();
        for (person, release, beliefs) in expected.iter().rev() {
            let (who, posterior) = found.pop().unwrap();
            assert_eq!((who, posterior.release as usize), (*person, *release));
            let sum: f64 = posterior.of_value.iter().map(|(_, belief)| belief).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            for (value, belief) in posterior.of_value {
                let expected = beliefs[value as usize];
                assert!((belief - expected).abs() < 1e-9, "{belief}, not {expected}: {history:?}");
                n_beliefs += 1;
            }
        }
        assert!(found.is_empty());
    }
    assert!(n_beliefs > 3000 && n_without > 10, "{n_beliefs} beliefs, {n_without} without a world");
}

// Issue 6: a posterior of at most rho by brute force over worlds.
#[test]
fn who_deals_all_values_to_everybody_at_once_is_within_rho() {
    let (mut n_tables, mut n_published, mut n_later, mut n_held_back) = (0, 0, 0, 0);
    for seed in 0..600 {
        let small = small(seed);
        n_tables += small.tables.len();
        let model = RhoDifferent::new(small.rho).unwrap();
        for (history, held_back) in published(&small) {
            let found = by_the_model(&history, &small.pairs).unwrap();
            let of_value = found.iter().flatten().flat_map(|posterior| &posterior.of_value);
            let by_model = of_value.map(|&(_, belief)| belief).fold(0.0, f64::max);
            assert!(model.allows(by_model), "{by_model} of {}, {seed}: {history:?}", small.rho);
            let worlds = every_world(&history, &small.pairs).unwrap();
            let plain = worlds.iter().flat_map(|(_, _, beliefs)| beliefs).copied();
            let plain = plain.fold(0.0, f64::max);
            assert!((plain - by_model).abs() < 1e-9, "{by_model}, not {plain}");
            n_published += 1;
            n_later += usize::from(history.releases.len() > 1);
            n_held_back += held_back;
        }
    }
    // The tables that are not published mostly have a value that is too frequent.
    assert!(n_published * 5 > n_tables * 2 && n_later > 200, "{n_published} and {n_later}");
    assert!(n_held_back < n_published / 4, "{n_held_back} of {n_published} releases");
}
