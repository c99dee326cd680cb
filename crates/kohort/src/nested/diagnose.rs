//! What nested records give away before anything is done to them, in one object.

use std::fmt::Write;

use kohort_core::Ratio;
use kohort_verify::ClassSizes;
use kohort_verify::nested::{NestedDiagnosis, SensitiveFinding};
use serde::{Deserialize, Serialize};

use super::Described;
use crate::diagnose::{Fraction, SizeCount};
use crate::wording::{count, grouped, share};
use crate::words::Words;

/// What nested records give away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NestedAnswer {
    /// What was read.
    pub table: String,
    /// The number of people.
    pub records: u64,
    /// The objects, elements or rows at the places that have roles.
    pub vertices: u64,
    /// How many people look alike at least, by structure and labels.
    pub k: u64,
    /// The classes by structure and labels.
    pub classes: u64,
    /// How many classes there are of each size, ascending.
    pub class_sizes: Vec<SizeCount>,
    /// The people who stand alone.
    pub uniques: Uniques,
    /// The largest l for which no sensitive value is guessed with more than 1/l; none without one.
    pub l: Option<u64>,
    /// The sensitive attributes.
    pub sensitive: Vec<SensitiveAnswer>,
    /// The levels that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedAnswer>,
    /// Whether all of them hold; none when nothing was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

/// The people who stand alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Uniques {
    /// By the number of things of each kind that stand in one another.
    pub shape: u64,
    /// By the labels of everything that is theirs, whatever stands in which.
    pub labels: u64,
    /// By both.
    pub both: u64,
}

/// What a sensitive attribute gives away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SensitiveAnswer {
    /// Its path.
    pub attribute: String,
    /// The buckets that are counted instead of values, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<String>,
    /// The number of its values.
    pub values: u64,
    /// The largest l; none without a value.
    pub l: Option<u64>,
    /// The same as a fraction.
    pub l_exact: Option<Fraction>,
    /// The people who have a value at least twice.
    pub twice: u64,
    /// The people who have a value at least three times.
    pub thrice: u64,
    /// The most that a person has one value.
    pub largest: u64,
}

/// A level that was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskedAnswer {
    /// The model's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub model: Words,
    /// Its parameters.
    pub parameters: String,
    /// Whether it holds.
    pub holds: bool,
}

/// Measures what nested records give away, and whether they have the levels asked for: k, and l.
pub fn diagnose(described: &Described, k: Option<u64>, l: Option<Ratio>) -> NestedAnswer {
    let found = kohort_verify::nested::diagnose(described.forest());
    let level = found.sensitive.iter().filter_map(|finding| finding.l).min();
    let smallest = found.by_both.k().unwrap_or(0);
    let of_k = k.map(|k| AskedAnswer {
        model: "k-anonymity",
        parameters: format!("k = {k}"),
        holds: k <= smallest,
    });
    let of_l = l.map(|l| AskedAnswer {
        model: "frequency-l-diversity",
        parameters: format!("l = {}", l.value()),
        holds: level.is_none_or(|level| l <= level),
    });
    let asked: Vec<AskedAnswer> = of_k.into_iter().chain(of_l).collect();
    let [shape, labels, both] = found.uniques();
    NestedAnswer {
        table: described.nested().name().to_owned(),
        records: found.n_records,
        vertices: found.n_vertices,
        k: smallest,
        classes: found.by_both.n_classes(),
        class_sizes: sizes(&found.by_both),
        uniques: Uniques { shape, labels, both },
        l: level.map(floor),
        sensitive: sensitive(described, &found),
        holds: (!asked.is_empty()).then(|| asked.iter().all(|asked| asked.holds)),
        asked,
    }
}

fn sizes(sizes: &ClassSizes) -> Vec<SizeCount> {
    SizeCount::all(sizes)
}

fn floor(level: Ratio) -> u64 {
    level.num() / level.den()
}

fn sensitive(described: &Described, found: &NestedDiagnosis) -> Vec<SensitiveAnswer> {
    let kinds = || described.forest().kinds().iter().filter_map(|kind| kind.sensitive.as_ref());
    let answer = |finding: &SensitiveFinding| {
        let often = found.occurrences.iter().find(|often| often.path == finding.path);
        SensitiveAnswer {
            attribute: finding.path.clone(),
            buckets: (kinds().find(|attribute| attribute.name() == finding.path))
                .and_then(|attribute| Some(attribute.buckets()?.form().to_owned())),
            values: finding.n_values,
            l: finding.l.map(floor),
            l_exact: finding.l.map(Into::into),
            twice: often.map_or(0, |often| often.twice),
            thrice: often.map_or(0, |often| often.thrice),
            largest: often.map_or(0, |often| often.largest),
        }
    };
    found.sensitive.iter().map(answer).collect()
}

/// What nested records give away, for people.
pub fn diagnosis_text(answer: &NestedAnswer) -> String {
    let mut out = String::new();
    let people = |n: u64| format!("{} ({})", grouped(n), share(n, answer.records));
    let _ = writeln!(
        out,
        "{}: {} with {}\n",
        answer.table,
        count(answer.records, "record", "records"),
        count(answer.vertices, "vertex", "vertices")
    );
    let Uniques { shape, labels, both } = answer.uniques;
    let classes = count(answer.classes, "class", "classes");
    let _ = writeln!(out, "  k = {}: {classes} by structure and labels", grouped(answer.k));
    let _ = writeln!(out, "  {} are unique by the shape of their records", people(shape));
    let _ = writeln!(out, "  {} are unique by what is in them", people(labels));
    let _ = writeln!(out, "  {} are unique by both", people(both));
    for found in &answer.sensitive {
        let level = found.l.map_or_else(|| "none".to_owned(), |l| l.to_string());
        let _ = writeln!(
            out,
            "\n  {}: l = {level}, {}\n    {} have one value twice or more, {} three times or more; \
             {} at most",
            match &found.buckets {
                Some(form) => format!("{} (in {form})", found.attribute),
                None => found.attribute.clone(),
            },
            count(found.values, "value", "values"),
            people(found.twice),
            people(found.thrice),
            count(found.largest, "time", "times"),
        );
    }
    for asked in &answer.asked {
        let stands = if asked.holds { "holds" } else { "FAILS" };
        let _ = writeln!(out, "\n  {}, {}: {stands}", asked.model, asked.parameters);
    }
    out
}
