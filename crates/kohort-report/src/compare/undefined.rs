//! Why utilities that were asked for are missing.

use super::{Comparison, LEARNERS, Release, UTILITIES};

/// Why the utility of the balance, the answers to queries and what was to be learned are missing, as
/// sentences without a closing stop: releases with the same reason are named together, and not at all
/// where it is that of every release.
pub(crate) fn undefined(comparison: &Comparison) -> Vec<String> {
    let mut told: Vec<(Vec<&'static str>, &str, Vec<String>)> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    for cell in &comparison.cells {
        let Some(release) = &cell.release else { continue };
        let name = format!("{}{}", cell.algorithm, cell.level.words());
        if !all.contains(&name) {
            all.push(name.clone());
        }
        for (reason, ids) in reasons(comparison, release) {
            let found = told.iter_mut().find(|one| one.0 == ids && one.1 == reason);
            match found {
                Some((.., names)) if names.contains(&name) => {}
                Some((.., names)) => names.push(name.clone()),
                None => told.push((ids, reason, vec![name.clone()])),
            }
        }
    }
    let sentence = |(ids, reason, names): (Vec<&'static str>, &str, Vec<String>)| {
        let of = if names.len() == all.len() {
            String::new()
        } else {
            format!(" of {}", names.join("; "))
        };
        format!("{}{of}: {reason}", ids.join(", "))
    };
    told.into_iter().map(sentence).collect()
}

/// The reasons of a release, each with the ids of the utilities that it is about.
fn reasons<'a>(comparison: &Comparison, release: &'a Release) -> Vec<(&'a str, Vec<&'static str>)> {
    let is_learner = |id: &str| LEARNERS.contains(&id);
    // One learner stands in for all where nobody asks what can be learned.
    let is_tried =
        |id: &str| release.learned.contains_key(id) || release.undefined.contains_key(id);
    let asks_learners = LEARNERS.iter().filter(|id| is_tried(id)).count() > 1;
    let is_asked = |id: &'static str| {
        id == comparison.utility
            || (id == "queries" && comparison.sensitive.len() > 1)
            || (is_learner(id) && asks_learners && !release.learned.contains_key(id))
    };
    let mut reasons: Vec<(&str, Vec<&'static str>)> = Vec::new();
    for (id, _) in UTILITIES.into_iter().filter(|(id, _)| is_asked(id)) {
        let Some(reason) = release.undefined.get(id) else { continue };
        match reasons.iter_mut().find(|(other, _)| other == reason) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((reason, vec![id])),
        }
    }
    reasons
}
