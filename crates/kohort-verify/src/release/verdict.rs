//! The verdict about a release: every promise recomputed from the rows that were read back.

use std::borrow::Cow;

use kohort_core::{
    Attribute, Codes, Column, Dataset, Error, Kind, Place, Public, Ratio, Spec, Table, group,
};
use kohort_models::{ClassModel, KMap, SizeModel};

use super::centers::broken;
use super::left_out::{LeftOut, left_out};
use super::membership::{Members, Membership, members, uncovered};
use super::original::by_original;
use super::truth::{Truth, truth};
use crate::check::is_undecided;
use crate::{ClassSizes, Disclosure, Guessing, Violations, check, disclosure, guessing};

/// What a release must keep. It comes from the plan, never from the maker.
#[derive(Clone, Copy)]
pub struct Claims<'a> {
    /// Columns that must not be in a release.
    pub identifiers: &'a [String],
    /// Columns that are in the release and that the plan says nothing about: nothing is promised of them.
    pub without_role: &'a [String],
    /// The quasi-identifiers: rows with equal texts on them are a class.
    pub quasi: &'a [&'a str],
    /// The column of groups of an anatomized release: its rows are a class where they share a group,
    /// whatever their quasi-identifiers. What is promised of the size of a class alone is about who looks
    /// alike: it is judged by the quasi-identifiers as they are shown.
    pub group: Option<&'a str>,
    /// The sensitive attributes, read from the release, with what their masked cells may be.
    pub sensitive: &'a [&'a Attribute],
    /// The promises; each names a sensitive attribute by its index in `sensitive`.
    pub models: &'a [Box<dyn ClassModel + 'a>],
    /// The promises about the sizes of all classes together: rows with equal quasi-identifiers as shown.
    pub sizes: &'a [Box<dyn SizeModel>],
    /// The promise that every class is like enough people of a population, and these.
    pub population: Option<(KMap, &'a Public)>,
    /// The promise to the people of a public table.
    pub membership: Option<Membership<'a>>,
    /// The share of the original rows that may be dropped.
    pub suppression: Ratio,
    /// What a release must have to do with the original.
    pub shows: Shows,
}

impl Claims<'_> {
    fn promises_nothing(&self) -> bool {
        let has_none = self.models.is_empty() && self.sizes.is_empty();
        has_none && self.membership.is_none() && self.population.is_none()
    }
}

/// What a release must have to do with the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Every released row covers a row of the original.
    Rows,
    /// Quasi-identifiers are means or medians of several rows; all other cells are those of the original.
    Centers {
        /// Whether they are means.
        is_mean: bool,
    },
    /// Nothing: values are made up.
    Anything,
}

/// What a release is compared with.
#[derive(Clone, Copy)]
pub struct Against<'a> {
    /// The table the release was made from.
    pub original: &'a Dataset,
    /// For each released row the original row it is said to stand for.
    pub certificate: Option<&'a [u32]>,
    /// The promises of the claims, in their order, over the sensitive attributes of the original: people
    /// who are not in the release may have values that it does not show.
    pub models: &'a [Box<dyn ClassModel + 'a>],
}

/// What was found out about a release, whatever the verdict.
#[derive(Clone, Debug)]
pub struct Findings {
    k: Option<u64>,
    sizes: ClassSizes,
    guessing: Vec<Guessing>,
    disclosure: Option<Disclosure>,
    models: Vec<(&'static Spec, Violations)>,
    members: Option<Members>,
    starred_rows: u64,
    truth: Option<Truth>,
    left_out: Option<LeftOut>,
    suppression: Option<Ratio>,
    allowed: Ratio,
}

impl Findings {
    /// The released rows.
    pub fn n_rows(&self) -> u64 {
        self.sizes.n_rows()
    }

    /// The classes: rows with equal texts on the quasi-identifiers, or of one group.
    pub fn n_classes(&self) -> u64 {
        self.sizes.n_classes()
    }

    /// The fewest rows with equal texts on the quasi-identifiers, in whatever group; `None` without a row.
    pub fn k(&self) -> Option<u64> {
        self.k
    }

    /// The number of classes of each size: rows with equal texts, or of one group.
    pub fn sizes(&self) -> &ClassSizes {
        &self.sizes
    }

    /// The risk that each sensitive value is guessed by who finds a class.
    pub fn guessing(&self) -> &[Guessing] {
        &self.guessing
    }

    /// What the sensitive attributes together give away: where there are several, or something is
    /// promised of all of them.
    pub fn disclosure(&self) -> Option<&Disclosure> {
        self.disclosure.as_ref()
    }

    /// Each promised model with the classes that break it.
    pub fn models(&self) -> &[(&'static Spec, Violations)] {
        &self.models
    }

    /// How likely the people of a public table are members, where that was promised.
    pub fn members(&self) -> Option<&Members> {
        self.members.as_ref()
    }

    /// The rows whose every quasi-identifier is `*`. They are a class like any other.
    pub fn starred_rows(&self) -> u64 {
        self.starred_rows
    }

    /// The comparison with the original, where there was one.
    pub fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }

    /// The people of the original who are not in the release, where there are any and the original is
    /// known.
    pub fn left_out(&self) -> Option<&LeftOut> {
        self.left_out.as_ref()
    }

    /// The share of the original rows that were dropped, where the original is known.
    pub fn suppression(&self) -> Option<Ratio> {
        self.suppression
    }

    /// The share that may be dropped.
    pub fn allowed_suppression(&self) -> Ratio {
        self.allowed
    }
}

/// A release that keeps everything it was to keep.
#[derive(Clone, Debug)]
pub struct Verified {
    findings: Box<Findings>,
}

impl Verified {
    /// What was found out.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }
}

/// A release that does not.
#[derive(Clone, Debug)]
pub struct Rejected {
    findings: Box<Findings>,
    // Invariant: not empty.
    reasons: Vec<Reason>,
}

impl Rejected {
    /// What was found out.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Why it was rejected; at least one reason.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }
}

/// Why a release was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An identifier is among the columns.
    Identifier {
        /// The column.
        column: String,
    },
    /// A column is there of which nothing is promised.
    WithoutRole {
        /// The column.
        column: String,
    },
    /// A promised model is broken. For delta-presence the rows are people of the public table, and a
    /// class those who are alike.
    Model {
        /// The model.
        id: &'static str,
        /// By how much.
        violations: Violations,
    },
    /// More rows were dropped than may be.
    Suppression {
        /// The share that was dropped.
        share: Ratio,
        /// The share that may be.
        allowed: Ratio,
    },
    /// The people who are not in the release do not keep a promise as a class.
    LeftOut {
        /// The model.
        id: &'static str,
        /// The place of the promise among those of the claims.
        promise: usize,
        /// How many people the class has.
        people: u64,
        /// Whether they are those whom no released row covers, and not all who were left out.
        are_uncovered: bool,
    },
    /// Which values the people have who are not in the release cannot be told.
    LeftOutUnknown {
        /// How many people that are.
        people: u64,
    },
    /// A cell covers no value of the original: the first of its column.
    Nowhere {
        /// The release.
        table: String,
        /// Where the cell is.
        place: Place,
        /// The column.
        column: String,
    },
    /// Rows say what the original does not.
    Untruthful {
        /// The rows that cover no original row of their own.
        rows: u64,
    },
    /// A cell of a microaggregated release is no center of values of the original: the first of its column.
    NoCenter {
        /// The release.
        table: String,
        /// Where the cell is.
        place: Place,
        /// The column.
        column: String,
    },
    /// The numbers of a microaggregated column are no means of the original's.
    NoMeans {
        /// The column.
        column: String,
    },
    /// Rows of a microaggregated release have other cells, besides the quasi-identifiers, than the original.
    Others {
        /// The rows that no original row is left for.
        rows: u64,
    },
}

/// Judges a release by its own rows, and where there is one by its original.
///
/// # Errors
/// Without a promise, without a column that was promised something, and for a range that cannot be compared.
pub fn verify(
    release: &Table,
    claims: &Claims<'_>,
    against: Option<Against<'_>>,
) -> Result<Result<Verified, Rejected>, Error> {
    if claims.promises_nothing() {
        let (name, found) = ("models", "none".to_owned());
        return Err(Kind::Parameter { name, found, expected: "at least one promise" }.into());
    }
    // What the classes need in memory is gone before the original is looked at.
    let group_name = claims.group.as_ref().map(std::slice::from_ref);
    let columns = shown(release, group_name.unwrap_or(claims.quasi))?;
    let quasi = by_reference(&columns);
    let grouping = group(release.n_rows(), quasi.iter().copied());
    let mut violations = check(&grouping, &quasi, claims.sensitive, claims.models);
    let sizes: ClassSizes = grouping.sizes().into_iter().map(u64::from).collect();
    let mut guessing = guessing(&grouping, claims.sensitive);
    let is_together = claims.sensitive.len() > 1
        || claims.models.iter().any(|model| model.diversity_of_all().is_some());
    let mut disclosure = is_together.then(|| disclosure(&grouping, claims.sensitive)).flatten();
    let alike = match claims.group {
        Some(_) => judge_as_shown(release, claims, &mut violations)?,
        None => sizes.clone(),
    };
    if let Some(against) = against
        && let Some(compared) = by_original(release, &grouping, claims, against.original)?
    {
        for ((found, compared), model) in violations.iter_mut().zip(compared).zip(claims.models) {
            if compared.classes > found.classes || is_undecided(&**model, claims.sensitive) {
                *found = compared;
            }
        }
    }
    drop(grouping);
    let truth =
        against.map(|a| truth(release, a.original, a.certificate, claims.group)).transpose()?;
    let left_out = against.map(|against| left_out(release, claims, against)).transpose()?.flatten();
    if let Some(left_out) = &left_out {
        count_left_out(left_out, &mut guessing, disclosure.as_mut());
    }
    let share = |(truth, against): (&Truth, Against<'_>)| {
        Ratio::new(truth.n_dropped(), against.original.n_rows().max(1) as u64)
    };
    let findings = Box::new(Findings {
        k: alike.k(),
        sizes,
        guessing,
        disclosure,
        models: judged(release, claims, violations, &alike)?,
        members: claims.membership.map(|asked| members(release, &asked)).transpose()?,
        starred_rows: starred_rows(release, claims.quasi)?,
        suppression: truth.as_ref().zip(against).map(share),
        truth,
        left_out,
        allowed: claims.suppression,
    });
    let mut reasons = reasons(release, claims, &findings);
    if let (Shows::Centers { is_mean }, Some(against)) = (claims.shows, against) {
        reasons.extend(broken(release, against.original, is_mean)?);
    }
    Ok(if reasons.is_empty() {
        Ok(Verified { findings })
    } else {
        Err(Rejected { findings, reasons })
    })
}

/// How each promise stands: those of each class, about all classes together, and about the population behind
/// each.
fn judged(
    release: &Table,
    claims: &Claims<'_>,
    violations: Vec<Violations>,
    alike: &ClassSizes,
) -> Result<Vec<(&'static Spec, Violations)>, Error> {
    let of_classes = claims.models.iter().map(|model| model.spec()).zip(violations);
    let sizes: Vec<(u64, u64)> = alike.iter().collect();
    let of_sizes = claims.sizes.iter().map(|model| {
        let (classes, rows) = model.in_the_way(&sizes);
        (model.spec(), Violations { classes, rows, masked: 0 })
    });
    let mut found: Vec<_> = of_classes.chain(of_sizes).collect();
    if let Some((model, public)) = claims.population {
        found.push((KMap::SPEC, uncovered(release, model, public)?));
    }
    Ok(found)
}

/// Counts the people who are not in the release among those whose values are guessed.
fn count_left_out(
    left_out: &LeftOut,
    guessing: &mut [Guessing],
    disclosure: Option<&mut Disclosure>,
) {
    let highest = left_out.shares.iter().map(|&(_, share)| share).max();
    if let (Some(disclosure), Some(share)) = (disclosure, highest) {
        disclosure.count_left_out(left_out.people, share);
    }
    for (name, share) in &left_out.shares {
        if let Some(found) = guessing.iter_mut().find(|found| found.attribute == *name) {
            found.max = found.max.max(*share);
        }
    }
}

/// The classes of quasi-identifiers as they are shown, whatever the groups; the promises of a size alone are
/// judged by them.
fn judge_as_shown(
    release: &Table,
    claims: &Claims<'_>,
    violations: &mut [Violations],
) -> Result<ClassSizes, Error> {
    let columns = shown(release, claims.quasi)?;
    let quasi = by_reference(&columns);
    let alike = group(release.n_rows(), quasi.iter().copied());
    for (model, found) in claims.models.iter().zip(violations) {
        if !model.needs_values() {
            *found = check(&alike, &quasi, &[], std::slice::from_ref(model))[0];
        }
    }
    Ok(alike.sizes().into_iter().map(u64::from).collect())
}

/// Columns as a reader sees them.
pub(crate) fn shown<'a>(
    release: &'a Table,
    names: &[&str],
) -> Result<Vec<(Cow<'a, Codes>, u32)>, Error> {
    names.iter().map(|name| release.column(name).map(Column::looks)).collect()
}

pub(crate) fn by_reference<'a>(columns: &'a [(Cow<'_, Codes>, u32)]) -> Vec<(&'a Codes, u32)> {
    columns.iter().map(|(codes, n_codes)| (&**codes, *n_codes)).collect()
}

fn starred_rows(release: &Table, quasi: &[&str]) -> Result<u64, Error> {
    let mut is_starred = vec![!quasi.is_empty(); release.n_rows()];
    for name in quasi {
        let column = release.column(name)?;
        let star = column.dictionary().find("*");
        let mut rows = is_starred.iter_mut();
        column.codes().for_each(|entry| {
            let row = rows.next().expect("columns of a table have one length");
            *row &= Some(entry) == star;
        });
    }
    Ok(is_starred.into_iter().filter(|&starred| starred).count() as u64)
}

fn reasons(release: &Table, claims: &Claims<'_>, findings: &Findings) -> Vec<Reason> {
    let is_there = |name: &&String| release.columns().iter().any(|column| column.name() == *name);
    let mut reasons: Vec<Reason> = (claims.identifiers.iter().filter(is_there))
        .map(|name| Reason::Identifier { column: name.clone() })
        .collect();
    let without_role = claims.without_role.iter().cloned();
    reasons.extend(without_role.map(|column| Reason::WithoutRole { column }));
    let broken = findings.models.iter().filter(|(_, violations)| violations.classes > 0);
    reasons.extend(broken.map(|&(spec, violations)| Reason::Model { id: spec.id, violations }));
    let members = findings.members.as_ref().filter(|members| !members.holds());
    reasons.extend(
        members.map(|members| Reason::Model {
            id: "delta-presence",
            violations: members.violations(),
        }),
    );
    if let Some(share) = findings.suppression.filter(|&share| share > claims.suppression) {
        reasons.push(Reason::Suppression { share, allowed: claims.suppression });
    }
    if let Some(left_out) = &findings.left_out {
        reasons.extend(left_out.broken.iter().map(|broken| Reason::LeftOut {
            id: broken.id,
            promise: broken.promise,
            people: broken.people,
            are_uncovered: broken.are_uncovered,
        }));
        let people = left_out.people;
        reasons.extend(left_out.is_unknown.then_some(Reason::LeftOutUnknown { people }));
    }
    let lies = |truth: &&Truth| claims.shows == Shows::Rows && !truth.holds();
    if let Some(truth) = findings.truth.as_ref().filter(lies) {
        reasons.extend(truth.nowhere().iter().map(|(column, place)| Reason::Nowhere {
            table: release.name().to_owned(),
            place: *place,
            column: column.clone(),
        }));
        reasons.push(Reason::Untruthful { rows: truth.uncovered_rows() });
    }
    reasons
}
