//! Every algorithm in both modes, against the adversary who makes the release again on every assignment.
//!
//! `KOHORT_DRAWS=12 cargo test -p kohort-algorithms every_algorithm -- --nocapture` draws more, and prints what
//! `docs/concepts/transparent.md` shows.

use std::fmt::Write;

use super::*;

/// How many secrets each assignment is released with, where releases are drawn, unless a person says so.
const FEW_DRAWS: u32 = 12;

/// Standard errors by which nothing is off by chance.
const ERRORS: f64 = 6.0;

#[expect(clippy::disallowed_methods, reason = "a person says how long to draw")]
fn asked() -> Option<u32> {
    std::env::var("KOHORT_DRAWS").ok().and_then(|draws| draws.parse().ok())
}

fn n_draws() -> u32 {
    asked().unwrap_or(FEW_DRAWS)
}

/// The releases of a method that draws, or of the transparent mode of another: what `beliefs` gathers. How large
/// blocks are is found once for a table, as it is the same for every assignment.
fn drawn(algorithm: &dyn Algorithm, small: &Small, l: u64, n_draws: u32) -> BTreeMap<Seen, Belief> {
    let facts = algorithm.facts();
    if facts.is_drawn || facts.is_full_domain {
        return beliefs(algorithm, small, l, (!facts.is_drawn, n_draws));
    }
    let data = small.data(&small.assignments()[0]);
    let b = block_size(&problem(&data, models(l), settings(2)));
    gathered(small, l, (true, n_draws), |problem| {
        in_blocks(algorithm, &Ctx::quiet(), problem, (b, 64))
    })
}

/// Safe methods that draw or have the transparent mode, with how many times as many draws they need: the groups
/// of an anatomy are drawn among many.
fn drawn_ones() -> impl Iterator<Item = (&'static dyn Algorithm, u32)> {
    let safe = ALGORITHMS.iter().copied().filter(|algorithm| algorithm.facts().is_safe);
    let drawn = safe.filter(|it| it.facts().is_drawn || can_be_transparent(*it));
    drawn.map(|algorithm| (algorithm, if algorithm.facts().is_drawn { 20 } else { 1 }))
}

impl Small {
    /// So many people, of whom at most one in l has the same value: as one class they keep the promise.
    fn eligible(seed: u64, n: usize, l: usize) -> Self {
        let mut draw = Draw::new(100 * seed + n as u64);
        let ages = (0..n).map(|_| 20 + 5 * draw.below(8)).collect();
        let zips = (0..n).map(|_| 3000 + 500 * draw.below(6)).collect();
        loop {
            let mut counts = vec![0; 3 + draw.below(2)];
            let n_values = counts.len();
            for _ in 0..n {
                counts[draw.below(n_values)] += 1;
            }
            if counts.iter().all(|&count| count > 0 && count * l <= n) {
                return Self { ages, zips, counts, has_levels: false };
            }
        }
    }
}

/// How far the posteriors are from the shares of classes in all: the mean of (x - n·p)² / (n·p·(1 - p)) over the
/// people and values of releases that were seen n times, x times with that value of that person. Where the
/// posterior is the share p, each of these has the mean 1. The number of releases comes with it.
fn spread(found: &BTreeMap<Seen, Belief>) -> (f64, usize) {
    let (mut sum, mut n_terms) = (0.0, 0.0_f64);
    for (seen, belief) in found {
        for (rows, counts) in seen {
            for &row in rows {
                for (&count, times) in counts.iter().zip(&belief.of_person[row as usize]) {
                    let share = count as f64 / rows.len() as f64;
                    if share > 0.0 && share < 1.0 {
                        let expected = belief.n * share;
                        sum += (times - expected).powi(2) / (expected * (1.0 - share));
                        n_terms += 1.0;
                    }
                }
            }
        }
    }
    (sum / n_terms.max(1.0), found.len())
}

/// What was found about one algorithm in one mode.
#[derive(Default)]
struct Breaches {
    n_tables: usize,
    n_broken: usize,
    n_certain: usize,
    worst: f64,
    /// How far the worst is above what was promised, in standard errors.
    excess: f64,
}

impl Breaches {
    fn add(&mut self, found: &BTreeMap<Seen, Belief>, l: u64, is_drawn: bool) {
        if found.is_empty() {
            return;
        }
        self.n_tables += 1;
        let bound = 1.0 / l as f64;
        let (mut is_breach, mut is_certain) = (false, false);
        for belief in found.values() {
            let error = if is_drawn { (bound * (1.0 - bound) / belief.n).sqrt() } else { 1e-9 };
            for &times in belief.of_person.iter().flatten() {
                let posterior = times / belief.n;
                let is_sure = posterior > bound + if is_drawn { ERRORS * error } else { error };
                is_breach |= is_sure;
                is_certain |= is_sure && posterior > 1.0 - 1e-9;
                self.worst = self.worst.max(posterior);
                self.excess = self.excess.max((posterior - bound) / error);
            }
        }
        self.n_broken += usize::from(is_breach);
        self.n_certain += usize::from(is_certain);
    }
}

// Opaque methods that draw nothing, on tables of six or seven people: each assignment is released once, so the
// posteriors are exact.
#[test]
fn opaque_ones_have_breaches() {
    let n_tables = if asked().is_some() { 12 } else { 2 };
    let mut found_out = Vec::new();
    let safe = ALGORITHMS.iter().copied().filter(|algorithm| algorithm.facts().is_safe);
    for algorithm in safe.filter(|algorithm| !algorithm.facts().is_drawn) {
        let mut told = String::new();
        for l in [2, 3] {
            let mut breaches = Breaches::default();
            for seed in 0..n_tables {
                let n = 6 + usize::try_from(seed).unwrap() % 2;
                let small = Small::eligible(seed, n, usize::try_from(l).unwrap());
                breaches.add(&beliefs(algorithm, &small, l, (false, 1)), l, false);
            }
            let Breaches { n_tables, n_broken, n_certain, worst, .. } = breaches;
            let _ =
                write!(told, " | {n_broken} of {n_tables}, {n_certain} certain, worst {worst:.3}");
            found_out.extend((n_broken > 0 && l == 2).then_some(algorithm.spec().id));
        }
        println!("{}{told}", algorithm.spec().id);
    }
    for id in ["auto", "l-member", "mmdcf"] {
        assert!(found_out.contains(&id), "{id}: {found_out:?}");
    }
}

// Methods that draw, and every method in the transparent mode: a posterior is above what was promised only if it is
// so by six standard errors of a share that was seen so often.
#[test]
fn drawn_ones_have_none() {
    for (algorithm, times) in drawn_ones() {
        let mut told = String::new();
        for l in [2, 3] {
            let mut breaches = Breaches::default();
            for seed in 0..if asked().is_some() { 3 } else { 1 } {
                let mut small = Small::eligible(seed, 6, usize::try_from(l).unwrap());
                small.counts = vec![2, 2, 2];
                let mut found = drawn(algorithm, &small, l, n_draws() * times);
                found.retain(|_, belief| belief.n >= 60.0);
                breaches.add(&found, l, true);
            }
            let Breaches { n_tables, n_broken, worst, excess, .. } = breaches;
            let _ =
                write!(told, " | {n_broken} of {n_tables}, worst {worst:.3} ({excess:.1} errors)");
            assert!(n_tables > 0 && n_broken == 0, "{}, l = {l}:{told}", algorithm.spec().id);
        }
        println!("{}{told}", algorithm.spec().id);
    }
}

// The law of the transparent mode on tables of six to nine people: the posterior is the share of the class. Each
// deviation is within six standard errors, where a release was seen 25 times; and all together are as large as
// chance makes them: their mean square, which is 1 or less, is at most 1 + 6·√(2/n) for n releases.
#[test]
fn the_posterior_is_the_share_on_tables_of_six_to_nine_people() {
    let mut n_compared = 0;
    for (algorithm, _) in drawn_ones() {
        for n in 6..=9 {
            let mut small = Small::eligible(n as u64, n, 2);
            small.counts = vec![n / 2, n - n / 2 - 1, 1];
            if n % 2 == 1 {
                small.counts = vec![n / 2, n / 2, 1];
            }
            let few = u32::try_from(small.assignments().len()).unwrap();
            let mut found = drawn(algorithm, &small, 2, (n_draws() * 100 / few).max(1));
            found.retain(|_, belief| belief.n >= 2.0);
            let (mean, n_releases) = spread(&found);
            found.retain(|_, belief| belief.n >= 25.0);
            let (excess, _) = worst(&found);
            n_compared += n_releases;
            let id = algorithm.spec().id;
            println!("{id}, {n} people: {n_releases} releases, {excess:.1} errors, mean {mean:.2}");
            assert!(excess < ERRORS, "{id}, {n} people: {excess}");
            let most = 1.0 + ERRORS * (2.0 / n_releases.max(1) as f64).sqrt();
            assert!(mean < most, "{id}, {n} people: {mean} of at most {most}");
        }
    }
    assert!(n_compared > 100, "{n_compared}");
    // What an opaque release leaves is far from that, also where it is made again and again.
    let small = (0..12).map(|seed| Small::eligible(seed, 6, 2));
    let auto = algorithm("auto").unwrap();
    let opaque = small.map(|small| spread(&beliefs(auto, &small, 2, (false, 12))).0);
    assert!(opaque.fold(0.0, f64::max) > 2.0);
}
