//! What the judge found of nested releases, as answers have it.

use kohort_core::Ratio;
use kohort_report::nested::{AttributeLevel, PromiseAnswer, Promised, RuleAnswer};
use kohort_verify::nested::{NestedClaims, NestedFindings};

use super::judge::Judgement;
use crate::diagnose::SizeCount;

/// What the judge found of every promise.
pub(super) fn promised(judgement: &Judgement) -> Promised {
    let (claims, findings) = (&judgement.claims, judgement.findings());
    let level = |found: &kohort_verify::nested::SensitiveFinding| AttributeLevel {
        attribute: found.path.clone(),
        values: found.n_values,
        l: found.l.map(floor),
        l_exact: found.l.map(Into::into),
    };
    Promised {
        goal: goal(claims, findings),
        rules: rules(claims, findings),
        records_out: findings.records_out,
        vertices_out: findings.vertices_out,
        classes: findings.sizes.n_classes(),
        k: findings.k(),
        l: findings.l().map(floor),
        l_exact: findings.l().map(Into::into),
        sensitive: findings.sensitive.iter().map(level).collect(),
        class_sizes: SizeCount::all(&findings.sizes),
    }
}

/// The whole part of a level.
fn floor(level: Ratio) -> u64 {
    level.num() / level.den()
}

/// What the buckets of a path are, where it has some.
pub(super) fn form(claims: &NestedClaims, path: &str) -> Option<String> {
    let entry = claims.roles.iter().find(|entry| entry.path == path)?;
    entry.buckets.as_ref().map(|buckets| buckets.form().to_owned())
}

fn goal(claims: &NestedClaims, findings: &NestedFindings) -> Vec<PromiseAnswer> {
    let below = findings.alike.iter().filter(|&(size, _)| size < u64::from(claims.k));
    let violating: u64 = below.map(|(_, n)| n).sum();
    let of_classes = (claims.k > 1).then(|| PromiseAnswer {
        model: "k-anonymity",
        parameters: format!("k = {}", claims.k),
        attribute: None,
        buckets: None,
        holds: violating == 0,
        violating,
    });
    let of_values = claims.l.iter().map(|(path, l)| {
        let found = findings.sensitive.iter().find(|found| found.path == *path);
        let violating = found.map_or(0, |found| found.broken_orbits);
        PromiseAnswer {
            model: "frequency-l-diversity",
            parameters: format!("l = {l}"),
            attribute: Some(path.clone()),
            buckets: form(claims, path),
            holds: violating == 0,
            violating,
        }
    });
    let of_models =
        claims.models.iter().zip(&findings.models).map(|(asked, found)| PromiseAnswer {
            model: asked.id,
            parameters: asked.parameters.clone(),
            attribute: Some(asked.path.clone()),
            buckets: form(claims, &asked.path),
            holds: found.holds(),
            violating: found.broken_orbits + u64::from(found.broken_cut.is_some()),
        });
    of_classes.into_iter().chain(of_values).chain(of_models).collect()
}

fn rules(claims: &NestedClaims, findings: &NestedFindings) -> Vec<RuleAnswer> {
    let rules = (1..).zip(claims.rules.iter().zip(&findings.rules));
    rules
        .map(|(rule, (asked, found))| RuleAnswer {
            rule,
            attribute: asked.attribute.clone(),
            at_least: asked.at_least,
            probability: asked.probability.value(),
            probability_exact: asked.probability.into(),
            reached: found.reached.value(),
            reached_exact: found.reached.into(),
            holds: found.broken_classes == 0,
            people: found.people,
        })
        .collect()
}
