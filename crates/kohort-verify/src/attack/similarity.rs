//! Similarity: reads off a class what its sensitive values have in common.
//!
//! # Adversary
//! Knows that the target is in the table, the target's quasi-identifiers, and what the sensitive values
//! mean: which of them are alike.
//!
//! # Method
//! 1. Values with a taxonomy: on each level below the root, the likeliest node.
//! 2. Numbers: the likeliest window of a tenth of the range.
//! 3. Values in buckets: the likeliest bucket, which is what promises about the attribute bound.
//!
//! # Success
//! The share of targets whose value is under the node or in the window that was guessed. The blind guess is
//! the node or the window that is likeliest in the whole release.
//!
//! # References
//! Li, Li and Venkatasubramanian, ICDE 2007.

use kohort_core::{Attribute, Ctx, Error, Message, Setting, Spec, message};

use super::{Attack, Criterion, Guesses, Rate, Says, Scene};

const SPEC: Spec = Spec {
    id: "similarity",
    title: "Similarity",
    paper: "Li, Li and Venkatasubramanian 2007",
    promise: "the values of a class differ, but mean nearly the same",
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

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let can = scene.release.sensitive().iter().any(|attribute| !alike(attribute).is_empty());
        (!can).then(|| {
            message!(
                "a sensitive attribute of numbers, or one with a taxonomy ({})",
                Setting::Taxonomy.to("COLUMN=FILE")
            )
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let attributes = scene.release.sensitive().iter().enumerate();
        Ok(attributes
            .flat_map(|(index, attribute)| of_attribute(scene, index, attribute))
            .collect())
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        // Promises are about buckets, where there are some, and about nothing else that values share.
        let has_buckets =
            attribute.is_some_and(|index| scene.release.sensitive()[index].buckets().is_some());
        scene.bound(attribute).filter(|_| has_buckets)
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
    /// The same bucket.
    Bucket,
    /// The same node on a level of the taxonomy.
    Level(u32),
    /// Numbers at most this far apart.
    Window(f64),
}

/// The ways in which values of an attribute are alike. Windows are of codes that ascend with the numbers.
fn alike(attribute: &Attribute) -> Vec<Alike<'_>> {
    let mut ways = Vec::new();
    if attribute.buckets().is_some() {
        ways.push(Alike { attribute, by: By::Bucket });
    }
    if !attribute.is_flat() {
        // A level on which all values are alike tells nothing.
        let taxonomy = attribute.taxonomy();
        let tells = |level: &u32| {
            (0..attribute.n_codes())
                .any(|code| taxonomy.ancestor(code, *level) != taxonomy.ancestor(0, *level))
        };
        let levels = (1..taxonomy.n_levels()).filter(tells);
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
            By::Bucket => largest(posterior.iter().map(|&(code, p)| ((code, code), p))),
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
        // The end of the window that starts at a number only moves on as the number grows.
        let (mut end, mut sum) = (0, 0.0);
        let mut best: Option<((u32, u32), f64)> = None;
        for &(first, low, probability) in &numbers {
            while end < numbers.len() && numbers[end].1 <= low + width {
                sum += numbers[end].2;
                end += 1;
            }
            if best.is_none_or(|(_, most)| sum > most + 1e-12) {
                best = Some(((first, numbers[end - 1].0), sum));
            }
            sum -= probability;
        }
        best
    }
}

fn largest(sets: impl Iterator<Item = ((u32, u32), f64)>) -> Option<((u32, u32), f64)> {
    sets.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn of_attribute(scene: &Scene<'_>, index: usize, attribute: &Attribute) -> Vec<Guesses> {
    let table = scene.prior(index);
    // Sums of shares may end a hair above one.
    let said = |alike: &Alike<'_>, posterior: &[(u32, f64)]| {
        alike.likeliest(posterior).map_or((Says::Nothing, 0.0), |((first, last), probability)| {
            (Says::Value(first, last), probability.min(1.0))
        })
    };
    let (who, sight) = scene.targets();
    let ways = alike(attribute);
    let new = |alike: &Alike<'_>| Guesses::new(who, Some(index), said(alike, &table));
    let mut all: Vec<Guesses> = ways.iter().map(new).collect();
    for view in sight.views() {
        let posterior = scene.posterior(view, index);
        for (guesses, alike) in all.iter_mut().zip(&ways) {
            let (says, probability) = said(alike, &posterior);
            guesses.say(view, says, probability);
        }
    }
    for (guesses, alike) in all.iter_mut().zip(&ways) {
        let (way, note) = match alike.by {
            By::Bucket => ("by bucket".into(), "values in one bucket are alike".into()),
            By::Level(level) => (
                format!("by level {level}"),
                format!("values under one node of level {level} are alike"),
            ),
            By::Window(_) => {
                ("by window".into(), "numbers within a tenth of the range are alike".into())
            }
        };
        guesses.way = Some(way);
        guesses.notes.push(note.into());
        guesses.is_unbounded = !matches!(alike.by, By::Bucket);
        if !guesses.is_unbounded {
            let of_class = |view| said(alike, &scene.posterior(view, index)).1;
            guesses.add_ceiling(scene.rows().views().map(of_class));
        }
    }
    all
}
