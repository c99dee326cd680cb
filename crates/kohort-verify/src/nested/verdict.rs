//! The verdict about a nested release: every promise recomputed from the trees that were read back.

use kohort_core::{Error, Kind, Ratio, Role};
use kohort_models::nested::OccurrenceRule;

use super::claims::{GROUP, NestedClaims, NestedOriginal, NestedRelease, group_path};
use super::left_out::{CutValues, broken_by_cut, cut_values};
use super::models::ModelFinding;
use super::truth::{NestedTruth, truth};
use super::{generalized, tree_anatomy, vertex_anatomy};
use crate::ClassSizes;

/// What was found out about a nested release, whatever the verdict.
#[derive(Clone, Debug)]
pub struct NestedFindings {
    /// The people of the original, where it is known.
    pub records_in: Option<u64>,
    /// The people of the release.
    pub records_out: u64,
    /// The vertices of the original, where it is known.
    pub vertices_in: Option<u64>,
    /// The vertices of the released trees.
    pub vertices_out: u64,
    /// The number of classes of each size: people with equal trees, or of one group.
    pub sizes: ClassSizes,
    /// How many people show the same quasi-identifiers in the same structure: in an anatomized release
    /// not everybody of a group does.
    pub alike: ClassSizes,
    /// What is known of each sensitive attribute that the release has.
    pub sensitive: Vec<SensitiveFinding>,
    /// What each model of the claims came to, in their order.
    pub models: Vec<ModelFinding>,
    /// What each rule of the claims came to, in their order.
    pub rules: Vec<RuleFinding>,
    /// The groups whose trees differ in structure, or whose two files do not agree.
    pub broken_groups: u64,
    /// The comparison with the original, where there was one.
    pub truth: Option<NestedTruth>,
    /// The sensitive values of the original that are not in the release, of each attribute that something
    /// is promised about; nothing where the original is not known.
    pub cut: Vec<CutValues>,
    /// The share of the original people who were left out.
    pub suppression: Option<Ratio>,
}

/// How diverse a sensitive attribute is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitiveFinding {
    /// Its path.
    pub path: String,
    /// The vertices that have it.
    pub n_values: u64,
    /// The least of: values over the most frequent one, among vertices nobody can tell apart; and the
    /// size of their class. None without a vertex.
    pub l: Option<Ratio>,
    /// The sets of vertices nobody can tell apart.
    pub n_orbits: u64,
    /// Those that keep less than what was asked.
    pub broken_orbits: u64,
}

/// What a rule came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleFinding {
    /// The largest probability of the disclosing number of occurrences.
    pub reached: Ratio,
    /// What is allowed.
    pub allowed: Ratio,
    /// How often the value occurs in the release.
    pub occurrences: u64,
    /// The classes that break it.
    pub broken_classes: u64,
    /// The people in them.
    pub people: u64,
}

impl NestedFindings {
    /// How many people show the same quasi-identifiers as somebody at least; none without a record.
    pub fn k(&self) -> Option<u64> {
        self.alike.k()
    }

    /// The least l of all sensitive attributes; none without a sensitive value.
    pub fn l(&self) -> Option<Ratio> {
        self.sensitive.iter().filter_map(|finding| finding.l).min()
    }
}

/// A nested release that keeps everything it was to keep.
#[derive(Clone, Debug)]
pub struct NestedVerified {
    findings: Box<NestedFindings>,
}

impl NestedVerified {
    /// What was found out.
    pub fn findings(&self) -> &NestedFindings {
        &self.findings
    }
}

/// A nested release that does not.
#[derive(Clone, Debug)]
pub struct NestedRejected {
    findings: Box<NestedFindings>,
    // Invariant: not empty.
    reasons: Vec<NestedReason>,
}

impl NestedRejected {
    /// What was found out.
    pub fn findings(&self) -> &NestedFindings {
        &self.findings
    }

    /// Why it was rejected; at least one reason.
    pub fn reasons(&self) -> &[NestedReason] {
        &self.reasons
    }
}

/// Why a nested release was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedReason {
    /// An attribute that must not be there: an identifier, one without a role, or one that belongs in the
    /// other file of an anatomized release.
    Path {
        /// The attribute.
        path: String,
        /// Its role, where it has one.
        role: Option<Role>,
    },
    /// More than records stands in a file: something beside them, or keys that tell who is who.
    LeftOut {
        /// What, in words.
        what: String,
    },
    /// Fewer people than promised show the same quasi-identifiers.
    Size {
        /// How many at least.
        k: u64,
        /// What was promised.
        expected: u32,
    },
    /// A value is too frequent among vertices that nobody can tell apart.
    Diversity {
        /// The attribute.
        path: String,
        /// The least l that was found.
        l: Ratio,
        /// What was promised.
        expected: u32,
    },
    /// A value is too frequent among those that are not in the release.
    Cut {
        /// What they are.
        found: CutValues,
    },
    /// A model of the claims is broken.
    Model {
        /// Its place in the claims.
        index: usize,
        /// The model.
        id: &'static str,
        /// The attribute.
        path: String,
        /// What it came to.
        finding: ModelFinding,
    },
    /// A value occurs too often with too high a probability.
    Rule {
        /// The index of the rule in the claims.
        index: usize,
        /// What it came to.
        finding: RuleFinding,
    },
    /// Groups of one person: the values are that person's.
    Alone {
        /// How many.
        groups: u64,
    },
    /// Groups whose trees differ in structure, or whose two files do not agree.
    Groups {
        /// How many.
        broken: u64,
    },
    /// More people were left out than may be.
    Suppression {
        /// The share that was left out.
        share: Ratio,
        /// The share that may be.
        allowed: Ratio,
    },
    /// Trees that are no pruned and generalized trees of people of the original, one for each.
    Untruthful {
        /// How many.
        records: u64,
    },
    /// Sensitive values of an anatomized release that the original does not have there.
    Values {
        /// How many.
        values: u64,
    },
    /// A place of the schema that the original does not have.
    Schema {
        /// Its path.
        path: String,
    },
}

/// What the trees and groups of a release say, before it is compared with anything.
pub(super) struct Judged {
    pub(super) sizes: ClassSizes,
    pub(super) alike: ClassSizes,
    pub(super) sensitive: Vec<SensitiveFinding>,
    pub(super) models: Vec<ModelFinding>,
    pub(super) rules: Vec<RuleFinding>,
    pub(super) broken_groups: u64,
}

/// Judges a nested release by its own files, and where there is one by its original.
///
/// # Errors
/// Without a promise, for one about an attribute that is not sensitive, without a member that tells the
/// groups, and for a range that cannot be compared.
pub fn verify(
    release: NestedRelease<'_>,
    claims: &NestedClaims,
    original: Option<NestedOriginal<'_>>,
) -> Result<Result<NestedVerified, NestedRejected>, Error> {
    check_claims(claims)?;
    let judged = match release {
        NestedRelease::Generalized(trees) => generalized::judge(trees, claims, original)?,
        NestedRelease::TreeAnatomy { quasi, sensitive } => {
            tree_anatomy::judge(quasi, sensitive, claims, original)?
        }
        NestedRelease::VertexAnatomy { quasi, sensitive } => {
            vertex_anatomy::judge(quasi, sensitive, claims, original)?
        }
    };
    let records_out = release.trees().n_records() as u64;
    let share = |original: NestedOriginal<'_>| {
        let records_in = original.nested.n_records() as u64;
        Ratio::new(records_in.saturating_sub(records_out), records_in.max(1))
    };
    let mut models = judged.models;
    if let Some(original) = original {
        for (index, values) in broken_by_cut(release, claims, original)? {
            models[index].broken_cut = Some(values);
        }
    }
    let findings = Box::new(NestedFindings {
        records_in: original.map(|original| original.nested.n_records() as u64),
        records_out,
        vertices_in: original.map(|original| original.nested.n_vertices() as u64),
        vertices_out: release.trees().n_vertices() as u64,
        sizes: judged.sizes,
        alike: judged.alike,
        sensitive: judged.sensitive,
        models,
        rules: judged.rules,
        broken_groups: judged.broken_groups,
        truth: original.map(|original| truth(release, claims, original)).transpose()?,
        cut: original
            .map(|original| cut_values(release, claims, original))
            .transpose()?
            .unwrap_or_default(),
        suppression: original.map(share),
    });
    let mut reasons = left_out(release);
    reasons.extend(original.and_then(|original| undeclared(release, original)));
    reasons.extend(paths(release, claims));
    reasons.extend(alone(release, &findings));
    reasons.extend(broken(claims, &findings));
    Ok(if reasons.is_empty() {
        Ok(NestedVerified { findings })
    } else {
        Err(NestedRejected { findings, reasons })
    })
}

fn check_claims(claims: &NestedClaims) -> Result<(), Error> {
    let is_about_values = claims.l.iter().any(|&(_, l)| l > 1) || !claims.models.is_empty();
    if claims.k <= 1 && !is_about_values && claims.rules.is_empty() {
        let (name, found) = ("goal", "none".to_owned());
        return Err(Kind::Parameter { name, found, expected: "at least one promise" }.into());
    }
    for rule in &claims.rules {
        OccurrenceRule::new(Vec::new(), rule.at_least, rule.probability)?;
    }
    let of_rules = claims.rules.iter().filter_map(|rule| rule.attribute.as_ref());
    let of_models = claims.models.iter().map(|model| &model.path);
    let mut named = claims.l.iter().map(|(path, _)| path).chain(of_models).chain(of_rules);
    match named.find(|path| claims.role(path) != Some(Role::Sensitive)) {
        None => Ok(()),
        Some(path) => Err(Kind::Parameter {
            name: "attribute",
            found: format!("`{path}`"),
            expected: "the path of a sensitive attribute",
        }
        .into()),
    }
}

/// What stands in the files and is no record.
fn left_out(release: NestedRelease<'_>) -> Vec<NestedReason> {
    let all = release.files().into_iter().flat_map(|file| &file.layout().left_out);
    all.map(|what| NestedReason::LeftOut { what: what.clone() }).collect()
}

/// Namespaces that the original does not declare: any text can stand there.
fn undeclared(release: NestedRelease<'_>, original: NestedOriginal<'_>) -> Option<NestedReason> {
    fn namespaces(nested: &kohort_core::Nested) -> &[(String, String)] {
        nested.layout().elements.as_ref().map_or(&[], |elements| &elements.namespaces)
    }
    let known = namespaces(original.nested);
    let mut found = release.files().into_iter().flat_map(namespaces);
    let what = "namespaces that the original does not declare".to_owned();
    found.any(|one| !known.contains(one)).then_some(NestedReason::LeftOut { what })
}

/// Attributes that must not be where they are.
fn paths(release: NestedRelease<'_>, claims: &NestedClaims) -> Vec<NestedReason> {
    let groups: Vec<String> = claims.sensitive().map(|entry| group_path(&entry.path)).collect();
    let is_plain = |role| matches!(role, Some(Role::Quasi | Role::Insensitive));
    let found = |trees: &kohort_core::Nested, may: &dyn Fn(&str, Option<Role>) -> bool| {
        let columns = trees.branches().iter().flat_map(|branch| branch.table().columns());
        let roles = columns.map(|column| (column.name(), claims.role(column.name())));
        let wrong = roles.filter(|&(path, role)| !may(path, role));
        let reason =
            |(path, role): (&str, Option<Role>)| NestedReason::Path { path: path.to_owned(), role };
        wrong.map(reason).collect::<Vec<_>>()
    };
    match release {
        NestedRelease::Generalized(trees) => {
            found(trees, &|_, role| is_plain(role) || role == Some(Role::Sensitive))
        }
        NestedRelease::TreeAnatomy { quasi, sensitive } => {
            let mut wrong = found(quasi, &|path, role| is_plain(role) || path == GROUP);
            let is_sensitive = |path: &str, role| role == Some(Role::Sensitive) || path == GROUP;
            wrong.extend(found(sensitive, &is_sensitive));
            wrong
        }
        NestedRelease::VertexAnatomy { quasi, sensitive } => {
            let is_group = |path: &str| groups.iter().any(|group| group == path);
            let mut wrong = found(quasi, &|path, role| is_plain(role) || is_group(path));
            wrong.extend(found(sensitive, &|path, _| vertex_anatomy::COLUMNS.contains(&path)));
            wrong
        }
    }
}

/// Groups of one person, whatever is promised: anatomy hides nothing but whose the values of a group are.
fn alone(release: NestedRelease<'_>, findings: &NestedFindings) -> Option<NestedReason> {
    let mut sizes = findings.sizes.iter();
    let alone = sizes.find(|&(size, _)| size == 1).map(|(_, groups)| groups);
    let is_anatomized = !matches!(release, NestedRelease::Generalized(_));
    alone.filter(|_| is_anatomized).map(|groups| NestedReason::Alone { groups })
}

/// The promises that are broken.
fn broken(claims: &NestedClaims, findings: &NestedFindings) -> Vec<NestedReason> {
    let mut reasons = Vec::new();
    if let Some(k) = findings.k().filter(|&k| k < u64::from(claims.k)) {
        reasons.push(NestedReason::Size { k, expected: claims.k });
    }
    for found in findings.sensitive.iter().filter(|found| found.broken_orbits > 0) {
        let (path, expected) = (found.path.clone(), claims.l_of(&found.path));
        reasons.extend(found.l.map(|l| NestedReason::Diversity { path, l, expected }));
    }
    for (index, (&finding, of)) in findings.models.iter().zip(&claims.models).enumerate() {
        if !finding.holds() {
            let (id, path) = (of.id, of.path.clone());
            reasons.push(NestedReason::Model { index, id, path, finding });
        }
    }
    for (index, &finding) in findings.rules.iter().enumerate() {
        if finding.broken_classes > 0 {
            reasons.push(NestedReason::Rule { index, finding });
        }
    }
    let cut = findings.cut.iter().filter(|found| !found.holds());
    reasons.extend(cut.map(|found| NestedReason::Cut { found: found.clone() }));
    if findings.broken_groups > 0 {
        reasons.push(NestedReason::Groups { broken: findings.broken_groups });
    }
    if let Some(share) = findings.suppression.filter(|&share| share > claims.suppression) {
        reasons.push(NestedReason::Suppression { share, allowed: claims.suppression });
    }
    let Some(truth) = &findings.truth else { return reasons };
    let schema = truth.unknown_paths().iter();
    reasons.extend(schema.map(|path| NestedReason::Schema { path: path.clone() }));
    if truth.uncovered_records() > 0 {
        reasons.push(NestedReason::Untruthful { records: truth.uncovered_records() });
    }
    if truth.foreign_values() > 0 {
        reasons.push(NestedReason::Values { values: truth.foreign_values() });
    }
    reasons
}
