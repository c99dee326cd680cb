//! The methods in the box.

use kohort_core::Spec;

/// What each method is, in the order they are listed.
pub static SERIES_METHODS: &[&Spec] = &[&kohort_models::series::RHO_DIFFERENT];

/// The method with this id.
pub fn series_method(id: &str) -> Option<&'static Spec> {
    SERIES_METHODS.iter().copied().find(|spec| spec.id == id)
}
