//! Personalized privacy: of each class at most a share p lies under the guarding node of one of its rows
//! (Xiao and Tao 2006).

use std::collections::BTreeMap;

use super::Fraction;

/// `guards` has the node that guards a value, `above` the nodes above a value.
pub(crate) fn holds<'a>(
    class: &[&str],
    p: Fraction,
    guards: &BTreeMap<String, String>,
    above: impl Fn(&str) -> &'a [String],
) -> bool {
    let is_under =
        |value: &str, node: &str| value == node || above(value).iter().any(|n| n == node);
    class.iter().filter_map(|&value| guards.get(value)).all(|guard| {
        let n_under = class.iter().filter(|value| is_under(value, guard)).count();
        n_under * p.den <= p.num * class.len()
    })
}
