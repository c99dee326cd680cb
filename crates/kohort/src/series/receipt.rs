//! What a receipt has of the releases before it, and what its method does not promise.

use kohort_ledger::Release;
use kohort_report::series::EarlierRelease;
use kohort_verify::series::Counted;

use super::figures::Figures;

/// What the books have of a release.
pub(super) fn on_the_books(release: &Release, figures: &Figures) -> EarlierRelease {
    let counterfeits = u64::from(release.n_counterfeits);
    EarlierRelease {
        release: release.number,
        method: release.facts.principle.clone(),
        rows: u64::from(release.n_shown) + counterfeits,
        held_back: release.n_held_back.into(),
        counterfeits,
        loss: figures.loss,
        max_posterior: figures.max_posterior,
    }
}

/// What a method does not promise where beliefs were found so, after this many people were forgotten, and with
/// this many held back.
pub(super) fn not_promised(
    method: &str,
    counted: Counted,
    n_forgotten: u32,
    n_held_back: u64,
) -> Vec<&'static str> {
    let of_method = match method {
        "m-invariance" => {
            "where two classes of equal signatures differ by one person, those two people are seen to \
             have the same value (e-equivalence hides that)"
        }
        "e-equivalence" => "three or more releases together may say more than any two of them",
        "rho-different" if counted != Counted::OneByOne => {
            "nothing against somebody who knows more of how values follow one another than the \
             correlations that were given"
        }
        "rho-different" => {
            "nothing against somebody who knows more of how values follow one another than the \
             correlations that were given, nor against reasoning about several people at once"
        }
        "bcf-anonymity" => {
            "nothing about the sensitive value: rows that look alike may share it, and reasoning about many \
             people at once may say more of it than the highest belief here; and an attacker who follows all \
             correspondences at once, or compares three or more releases, may be left with fewer than k rows"
        }
        "global-guarantee" => {
            "nothing where values follow one another in ways that somebody knows, nor after the planned \
             releases"
        }
        _ => {
            "people are looked up one by one: an adversary who reasons about many at once may be \
             more certain"
        }
    };
    let forgotten = "nothing about people who were forgotten: what earlier releases say about them is not taken into account, and those who are published again may be recognized";
    let mut all = vec![of_method, "what was published before this series is not in its ledger"];
    all.extend((method != "bcf-anonymity").then_some(RUN_AGAIN));
    let waits = matches!(method, "m-invariance" | "e-equivalence" | "global-guarantee");
    all.extend((waits && n_held_back > 0).then_some(WAITING));
    all.extend((n_forgotten > 0).then_some(forgotten));
    all
}

/// What an adversary who knows the method learns.
const RUN_AGAIN: &str = "nothing against somebody who knows the method and everybody's quasi-identifiers, runs \
    it again on values that fit, and keeps those that lead to the same releases";

/// What is seen of people who are held back.
const WAITING: &str = "nothing about people who are held back: whoever knows that somebody is in the table and \
    in no class sees that they wait, and who waits is likely to have a value that is too frequent (with m = 2 \
    only one value can be); `surplus = counterfeits` avoids it";
