//! The methods in the box: what each needs, what else it takes, and what it is not for.

use kohort_core::Spec;
use kohort_models::series::{
    BcfAnonymity, EEquivalence, GlobalGuarantee, MInvariance, RHO_DIFFERENT, XyAnonymity,
    XyLinkability,
};

use crate::Changed;

/// What a method declares.
pub struct SeriesKind {
    /// What it is.
    pub spec: &'static Spec,
    /// The parameters that it cannot do without, by name.
    pub needs: &'static [&'static str],
    /// What else it uses.
    pub takes: &'static [&'static str],
    /// Why it is not for what changed, as a sentence without a closing stop; none where it is.
    pub refusal: fn(&Changed) -> Option<&'static str>,
}

/// Every method, in the order they are listed.
const KINDS: [SeriesKind; 7] = [
    SeriesKind {
        spec: &MInvariance::SPEC,
        needs: &["m"],
        takes: &["surplus"],
        refusal: unless_values_stay,
    },
    SeriesKind {
        spec: &RHO_DIFFERENT,
        needs: &["rho"],
        takes: &["horizon", "slack", "most-counterfeits"],
        refusal: |changed| {
            of_other_columns(changed).or((!changed.has_correlations).then_some(
                "it needs to know how values follow one another: no correlations were given",
            ))
        },
    },
    SeriesKind {
        spec: &EEquivalence::SPEC,
        needs: &["m", "e"],
        takes: &["surplus"],
        refusal: unless_values_stay,
    },
    SeriesKind {
        spec: &BcfAnonymity::SPEC,
        needs: &["k"],
        takes: &[],
        refusal: |changed| {
            unless_values_stay(changed).or((changed.deleted + changed.returned > 0)
                .then_some("it is for series that people only join: here people left or came back"))
        },
    },
    SeriesKind {
        spec: &XyAnonymity::SPEC,
        needs: &["k"],
        takes: &["surplus"],
        refusal: of_the_same_columns,
    },
    SeriesKind {
        spec: &XyLinkability::SPEC,
        needs: &["confidence"],
        takes: &["surplus"],
        refusal: of_the_same_columns,
    },
    SeriesKind {
        spec: &GlobalGuarantee::SPEC,
        needs: &["l", "horizon"],
        takes: &["surplus"],
        refusal: |changed| {
            of_other_columns(changed).or(changed.has_correlations.then_some(
                "it is for values that change independently: here it is known how they follow one another",
            ))
        },
    },
];

/// Every method, in the order they are listed.
pub static SERIES_KINDS: &[SeriesKind] = &KINDS;

/// What each method is, in the order they are listed.
pub static SERIES_METHODS: &[&Spec] = &specs();

const fn specs() -> [&'static Spec; KINDS.len()] {
    let mut specs = [KINDS[0].spec; KINDS.len()];
    let mut at = 1;
    while at < KINDS.len() {
        specs[at] = KINDS[at].spec;
        at += 1;
    }
    specs
}

fn of_the_same_columns(changed: &Changed) -> Option<&'static str> {
    (!changed.has_other_columns)
        .then_some("it is for releases of other columns: here the same columns are published again")
}

fn of_other_columns(changed: &Changed) -> Option<&'static str> {
    changed.has_other_columns.then_some(
        "it is for releases of the same columns: here other columns of the same people are \
         published",
    )
}

fn unless_values_stay(changed: &Changed) -> Option<&'static str> {
    of_other_columns(changed).or((changed.updated > 0)
        .then_some("it is for values that do not change: here sensitive values did"))
}

/// The method with this id.
pub fn series_method(id: &str) -> Option<&'static Spec> {
    series_kind(id).map(|kind| kind.spec)
}

/// What the method with this id declares.
pub fn series_kind(id: &str) -> Option<&'static SeriesKind> {
    SERIES_KINDS.iter().find(|kind| kind.spec.id == id)
}

/// The methods that use a parameter: those that need it first.
pub fn users(parameter: &str) -> Vec<&'static str> {
    let of = |uses: fn(&SeriesKind) -> &'static [&'static str]| {
        let users = SERIES_KINDS.iter().filter(move |kind| uses(kind).contains(&parameter));
        users.map(|kind| kind.spec.id)
    };
    of(|kind| kind.needs).chain(of(|kind| kind.takes)).collect()
}
