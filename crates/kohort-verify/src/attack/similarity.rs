//! Similarity: reads off a class what its sensitive values have in common.
//!
//! # Adversary
//! Knows that the target is in the table, the target's quasi-identifiers, and what the sensitive values
//! mean: which of them are alike.
//!
//! # Method
//! 1. Values with a taxonomy: on each level below the root, the likeliest node.
//! 2. Numbers: the likeliest window of a tenth of the range.
//!
//! # Success
//! The share of targets whose value is under the node or in the window that was guessed. The blind guess is
//! the node or the window that is likeliest in the whole release.
//!
//! # References
//! Li, Li and Venkatasubramanian, ICDE 2007. specs/07 §9.

use kohort_core::{Attribute, Ctx, Error, Spec};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene};

const SPEC: Spec = Spec {
    id: "similarity",
    title: "Similarity",
    paper: "Li, Li and Venkatasubramanian 2007",
    promise: "the values of a class differ, but are alike",
    parameters: &[],
};

/// The width of a window of numbers, as a share of the range.
const WINDOW: f64 = 0.1;

/// The similarity attack.
pub(super) struct Similarity;

impl Attack for Similarity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<&'static str> {
        let can = scene.release.sensitive().iter().any(|attribute| !alike(attribute).is_empty());
        (!can).then_some(
            "a sensitive attribute of numbers, or one with a taxonomy (`--taxonomy COLUMN=FILE`)",
        )
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let mut all = Vec::new();
        for (index, attribute) in scene.release.sensitive().iter().enumerate() {
            for alike in alike(attribute) {
                all.push(of_attribute(scene, index, &alike));
            }
        }
        Ok(all)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "what the values of a class have in common is true of {:.1} % of the targets, and certain for \
             {}",
            100.0 * rate.success,
            rate.above[2]
        )
    }
}

/// A way in which values are alike.
struct Alike<'a> {
    attribute: &'a Attribute,
    by: By,
}

enum By {
    /// The same node on a level of the taxonomy.
    Level(u32),
    /// Numbers at most this far apart.
    Window(f64),
}

/// The ways in which values of an attribute are alike. Windows are of codes that ascend with the numbers.
fn alike(attribute: &Attribute) -> Vec<Alike<'_>> {
    let mut ways = Vec::new();
    if !attribute.is_flat() {
        let levels = 1..attribute.taxonomy().n_levels();
        ways.extend(levels.map(|level| Alike { attribute, by: By::Level(level) }));
    }
    let numbers: Vec<f64> =
        (0..attribute.n_codes()).filter_map(|code| attribute.number(code)).collect();
    if let (Some(&first), Some(&last)) = (numbers.first(), numbers.last())
        && numbers.is_sorted()
        && first < last
    {
        ways.push(Alike { attribute, by: By::Window((last - first) * WINDOW) });
    }
    ways
}

impl Alike<'_> {
    /// The likeliest set of like values, as an interval of codes, and its probability; ties to the
    /// lowest.
    fn likeliest(&self, posterior: &[(u32, f64)]) -> Option<((u32, u32), f64)> {
        match self.by {
            By::Level(level) => self.likeliest_node(posterior, level),
            By::Window(width) => self.likeliest_window(posterior, width),
        }
    }

    fn likeliest_node(&self, posterior: &[(u32, f64)], level: u32) -> Option<((u32, u32), f64)> {
        let taxonomy = self.attribute.taxonomy();
        let interval = |code: u32| match taxonomy.ancestor(code, level) {
            Some(node) => {
                let node = &taxonomy.nodes()[node as usize];
                (node.first, node.last)
            }
            None => (code, code),
        };
        let together = posterior.chunk_by(|a, b| interval(a.0) == interval(b.0));
        largest(together.map(|same| (interval(same[0].0), same.iter().map(|&(_, p)| p).sum())))
    }

    fn likeliest_window(&self, posterior: &[(u32, f64)], width: f64) -> Option<((u32, u32), f64)> {
        let numbers: Vec<(u32, f64, f64)> = (posterior.iter())
            .filter_map(|&(code, p)| Some((code, self.attribute.number(code)?, p)))
            .collect();
        let windows = numbers.iter().enumerate().map(|(at, &(first, low, _))| {
            let inside = || numbers[at..].iter().take_while(|&&(_, n, _)| n <= low + width);
            let last = inside().last().map_or(first, |&(code, _, _)| code);
            ((first, last), inside().map(|&(_, _, p)| p).sum())
        });
        largest(windows)
    }
}

fn largest(sets: impl Iterator<Item = ((u32, u32), f64)>) -> Option<((u32, u32), f64)> {
    sets.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn of_attribute(scene: &Scene<'_>, index: usize, alike: &Alike<'_>) -> Guesses {
    let n_rows = scene.release.n_rows() as f64;
    let table: Vec<(u32, f64)> = (0..)
        .zip(alike.attribute.counts())
        .filter(|&(_, &count)| count > 0)
        .map(|(code, &count)| (code, f64::from(count) / n_rows))
        .collect();
    let blind = alike
        .likeliest(&table)
        .map_or((Says::Nothing, 0.0), |((first, last), share)| (Says::Value(first, last), share));
    let (who, sight) = scene.targets();
    let mut guesses = Guesses::new(who, Some(index), blind);
    for view in sight.views() {
        match alike.likeliest(&scene.posterior(view, index)) {
            Some(((first, last), probability)) => {
                // Sums of shares may end a hair above one.
                guesses.say(view, Says::Value(first, last), probability.min(1.0));
            }
            None => guesses.say(view, Says::Nothing, 0.0),
        }
    }
    guesses.notes.push(match alike.by {
        By::Level(level) => format!("values under one node of level {level} are alike"),
        By::Window(_) => "numbers within a tenth of the range are alike".into(),
    });
    guesses
}
