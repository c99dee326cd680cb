//! What a release does not promise, in sentences: always, and for each of its promises.

use crate::release::Receipt;

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

/// What each model does not promise.
const OF_MODELS: [(&str, &str); 23] = [
    (
        "k-anonymity",
        "k-anonymity says nothing about the sensitive value: everybody in a class may share it.",
    ),
    (
        "distinct-l-diversity",
        "Distinct l-diversity bounds no probability: one value may fill nearly the whole class.",
    ),
    (
        "frequency-l-diversity",
        "Frequency l-diversity promises nothing once an outsider can rule values out, and nothing \
             about similar values.",
    ),
    (
        "entropy-l-diversity",
        "Entropy l-diversity is about an average: one value may still be likely.",
    ),
    (
        "recursive-cl-diversity",
        "Recursive (c,l)-diversity says nothing about similar values, or about values the table \
             itself makes likely.",
    ),
    ("alpha-k-anonymity", "(alpha,k)-anonymity says nothing about values that were not chosen."),
    ("p-sensitive-k-anonymity", "p-sensitive k-anonymity bounds no probability of a value."),
    ("l-pdiversity", "l-pdiversity says nothing about similar values."),
    ("l-mdiversity", "l-mdiversity loses one l per row that somebody knows whole."),
    (
        "lkc-privacy",
        "LKC-privacy promises nothing against an outsider who knows more than l columns, and \
             nothing about values that are not listed.",
    ),
    (
        "sensitivity-classes",
        "Sensitivity classes promise nothing about values that are not called high, unless l-low is \
             asked for.",
    ),
    (
        "personalized-privacy",
        "Personalized privacy promises nothing for a row without a guarding node, and nothing \
         about values outside the node.",
    ),
    (
        "ke-anonymity",
        "(k,e)-anonymity bounds no probability, and most of a class may share a narrow range: one \
             value far away is enough for e.",
    ),
    (
        "epsilon-m-anonymity",
        "(epsilon,m)-anonymity promises nothing about ranges wider than epsilon, and nothing once \
             somebody can rule values out.",
    ),
    (
        "t-closeness",
        "t-closeness compares with the whole table, and what that says is public with the \
         release.",
    ),
    (
        "basic-beta-likeness",
        "Basic beta-likeness says nothing about values that become less likely, and sets no bound \
             for a frequent value.",
    ),
    (
        "enhanced-beta-likeness",
        "Enhanced beta-likeness says nothing about values that become less likely.",
    ),
    (
        "delta-disclosure-privacy",
        "Delta-disclosure privacy compares with the whole table, and what that says is public \
         with the release.",
    ),
    ("delta-presence", "Delta-presence says nothing about a person outside the public table used."),
    (
        "k-map",
        "k-map says nothing against somebody who knows that a person is in the table: a class may have a \
             single row.",
    ),
    ("average-risk", "An average risk is no bound for any one person: some may be alone."),
    (
        "sample-uniqueness",
        "Rows that are alone are not protected, and a class of two hides little.",
    ),
    (
        "population-uniqueness",
        "Population uniqueness is an estimate, good as far as the rows are a random sample.",
    ),
];

fn of_model(id: &str) -> Option<&'static str> {
    OF_MODELS.into_iter().find(|(model, _)| *model == id).map(|(_, sentence)| sentence)
}

/// What this release does not promise.
pub(super) fn sentences(receipt: &Receipt) -> Vec<&'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_says_what_it_does_not_promise() {
        for spec in kohort_models::SPECS {
            assert!(of_model(spec.id).is_some(), "{}", spec.id);
        }
    }
}
