//! A class that has become large, cut in two along a quasi-identifier, and so on.

use kohort_algorithms::Space;

use super::class::{Beliefs, Class};

/// The parts of a class: each has at least `size` items, no belief is above `most` in them, and their boxes
/// cost less than the one they are cut from.
pub(super) fn divided(
    space: &Space,
    beliefs: Beliefs<'_>,
    class: Class,
    size: usize,
    most: f64,
) -> Vec<Class> {
    let n = class.items.len();
    if n < 2 * size || !class.started.is_empty() {
        return vec![class];
    }
    let cost = class.cost(space);
    let mut cuts: Vec<(f64, [Class; 2])> = Vec::new();
    for axis in 0..space.n_axes() {
        let mut items = class.items.clone();
        items.sort_by_key(|&item| (beliefs.line.codes(item)[axis], item));
        let right = items.split_off(n / 2);
        let [left, right] = [items, right].map(|items| Class::of(beliefs, items, Vec::new()));
        let found = (left.cost(space) + right.cost(space)) / 2.0;
        if found < cost {
            cuts.push((found, [left, right]));
        }
    }
    cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let holds = |part: &Class| beliefs.has_people(&part.items) && part.worst(beliefs) <= most;
    let found = cuts.into_iter().find(|(_, parts)| parts.iter().all(holds));
    let Some((_, parts)) = found else { return vec![class] };
    parts.into_iter().flat_map(|part| divided(space, beliefs, part, size, most)).collect()
}
