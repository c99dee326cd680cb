//! Whether a release promises less, or something else, than the series did so far.

use std::collections::BTreeMap;

use kohort_core::Ratio;
use kohort_ledger::{Hash, Release};

/// What a promise says, by the name of each parameter that is part of it.
type Promise = BTreeMap<String, Ratio>;

/// The parameters of which more is promised where they are larger.
const LARGER: [&str; 5] = ["m", "e", "k", "l", "horizon"];

/// The parameters of which more is promised where they are smaller.
const SMALLER: [&str; 2] = ["rho", "confidence"];

/// What was promised so far and what holds from here on, where that is less or something else: a sentence
/// without a closing stop. The promise that is made now is that of this method with these parameters; `why` is
/// why the method of the release before was left, where it was.
pub(super) fn changed_promise(
    releases: &[(Release, Hash)],
    (method, parameters): (&str, &str),
    why: Option<&str>,
) -> Option<String> {
    let now = promise(parameters);
    let mut more: Option<(&Release, Promise)> = None;
    for (release, _) in releases {
        let then = promise(&release.facts.parameters);
        if includes(&release.facts.principle, method)
            && is_less(&now, &then)
            && more.as_ref().is_none_or(|(_, most)| is_less(most, &then))
        {
            more = Some((release, then));
        }
    }
    if let Some((release, then)) = more {
        let (number, principle) = (release.number, &release.facts.principle);
        return Some(format!(
            "less is promised than before: release {number} promised `{principle}` ({}), and from here on \
             `{method}` ({}) holds, also for the people of that release",
            told(&then),
            told(&now)
        ));
    }
    let last = &releases.last()?.0.facts;
    (!includes(&last.principle, method)).then(|| {
        format!(
            "something else is promised than before: the release before was made with `{}` ({}), which is not \
             promised any more ({}), and from here on `{method}` ({}) is",
            last.principle,
            told(&promise(&last.parameters)),
            why.unwrap_or("another was asked for"),
            told(&now)
        )
    })
}

/// Whether promises of two methods can be compared by their parameters: e-equivalence is m-invariance, and
/// more.
fn includes(then: &str, now: &str) -> bool {
    let family = |method: &str| match method {
        "e-equivalence" => "m-invariance".to_owned(),
        other => other.to_owned(),
    };
    family(then) == family(now)
}

/// The parameters of a promise, from the text that the books have.
fn promise(parameters: &str) -> Promise {
    let pairs = parameters.split(", ").filter_map(|pair| pair.split_once(" = "));
    let is_promise = |name: &str| LARGER.contains(&name) || SMALLER.contains(&name);
    let pairs = pairs.filter(|(name, _)| is_promise(name));
    pairs.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// Whether a promise says less than another in any of its parameters.
fn is_less(now: &Promise, then: &Promise) -> bool {
    then.iter().any(|(name, then)| match now.get(name) {
        None => true,
        Some(now) if LARGER.contains(&name.as_str()) => now < then,
        Some(now) => now > then,
    })
}

fn told(promise: &Promise) -> String {
    let text = |(name, value): (&String, &Ratio)| format!("{name} = {}", value.value());
    promise.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_says_less_where_any_of_its_parameters_does() {
        let check = |now: &str, then: &str, expected| {
            assert_eq!(is_less(&promise(now), &promise(then)), expected, "{now} after {then}");
        };
        check("m = 2", "m = 3, surplus = hold-back", true);
        check("m = 3", "m = 3, surplus = counterfeits", false);
        check("m = 4", "m = 3", false);
        check("rho = 0.95, slack = 1", "rho = 0.5", true);
        check("rho = 0.4", "rho = 0.5, slack = 0.2", false);
        check("m = 2", "m = 2, e = 2", true);
        check("m = 2, e = 2", "m = 2", false);
        check("l = 3, horizon = 3", "l = 3, horizon = 4", true);
        check("l = 2, horizon = 5", "l = 3, horizon = 4", true);
        check("confidence = 0.6", "confidence = 0.5", true);
    }
}
