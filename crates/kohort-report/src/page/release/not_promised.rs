//! What a release does not promise, in sentences: always, and for each of its promises.

use crate::release::Receipt;

/// What a model does not promise, by its id.
pub type OfModel = fn(&str) -> Option<&'static str>;

/// What no release promises.
const ALWAYS: [&str; 6] = [
    "The promises hold for the quasi-identifiers named here only: a column that an outsider knows and \
     that is not among them can undo every one of them.",
    "They say nothing about another release of the same people: two tables that keep their promises \
     alone can break them together.",
    "They do not hide that somebody is in the table, nor what the whole table says about everybody.",
    "An outsider who learns from the release how values go together can do better than these figures.",
    "A missing cell counts as a value of its own, though an outsider may know what is missing.",
    "The risk is that of a single outsider without further help; that no attack succeeds is not shown \
     here.",
];

/// What this release does not promise; `of_model` tells it of a model.
pub(super) fn sentences(receipt: &Receipt, of_model: OfModel) -> Vec<&'static str> {
    let mut told: Vec<&str> = Vec::new();
    for promise in &receipt.goal {
        told.extend(of_model(&promise.model).filter(|sentence| !told.contains(sentence)));
    }
    let protected = |promise: &crate::diagnose::GoalAnswer| promise.model != "k-anonymity";
    if !receipt.columns.sensitive.is_empty() && !receipt.goal.iter().any(protected) {
        told.push("Nothing is promised about the sensitive attributes: only k was asked for.");
    }
    told.extend(ALWAYS);
    told
}
