//! What a promise about single values is worth where the values are measured on a scale.

use kohort_core::{Attribute, Role, ValueType};

use super::Principle;
use crate::taxonomy::tenth;

/// Fewer different numbers are taken for a scale of grades, on which each means something.
const FEWEST: u32 = 20;

/// Whether the values of an attribute are so many numbers or dates that neighbors mean the same.
pub(crate) fn is_continuous(attribute: &Attribute) -> bool {
    let n_values = attribute.n_codes() - u32::from(attribute.missing().is_some());
    attribute.buckets().is_none() && attribute.value_type().is_ordered() && n_values > FEWEST
}

/// What a promise is worth that counts single values of a continuous attribute.
pub(crate) fn warning(principle: &Principle, attribute: &Attribute) -> Option<String> {
    let is_sensitive = attribute.role() == Role::Sensitive;
    if !is_sensitive || !principle.meaning().counts_values() || !is_continuous(attribute) {
        return None;
    }
    let name = attribute.name();
    let (what, buckets) = if attribute.value_type() == ValueType::Date {
        ("date", "`taxonomy = [\"month\"], buckets = { level = 1 }`".to_owned())
    } else {
        let width = tenth(attribute).map_or("1000".to_owned(), |width| width.to_string());
        ("number", format!("`buckets = {{ widths = {width} }}`"))
    };
    Some(format!(
        "diversity of `{name}` counts every {what} as a value of its own: only the exact {what} of a person \
         is protected, and a class in which all are nearly the same counts as diverse; {buckets} for \
         `{name}` in the plan protects the range that it lies in"
    ))
}
