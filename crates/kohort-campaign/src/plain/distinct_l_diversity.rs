//! Distinct l-diversity: every class has at least l different values (Machanavajjhala et al. 2007).

use super::counts;

pub(crate) fn holds(class: &[&str], l: usize) -> bool {
    l <= counts(class).len()
}
