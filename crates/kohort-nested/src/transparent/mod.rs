//! Nested releases whose promises hold against an adversary who knows the method.
//!
//! # Definition
//! The adversary knows this program, the plan, and everybody's tree without its sensitive values; he sees the
//! release. The sensitive values are secret, and so are the random draws. Before he sees the release, he knows
//! how often each value occurs at each kind of vertex, and takes every way to give the values of a kind to its
//! vertices to be equally likely. A release is *transparent* when for every vertex at a position of a class the
//! distribution of the value that he then believes in (his posterior) is the share of the values at that position
//! of the class, and for every vertex that is not published the share among those of its kind that are not
//! published. So l-diversity of positions, and of what is pruned, holds for what he believes, too.
//!
//! # Method
//! 1. *Shape* (`blind.rs`). Children of a vertex are put in order by the number of vertices below, then, where
//!    labels are generalized, by labels; what looks the same is in an order drawn by the secret. Records are *laid on one another*: their
//!    roots, and of each kind of children as many as the record with the fewest has, those with most below; and so
//!    on down. Everything else is pruned.
//! 2. *Groups* (`groups.rs`). Records are cut into groups by numbers of vertices, where both parts laid by
//!    themselves keep more than together. A group has so many records that one of values drawn at random is
//!    diverse almost always. That depends on how often each value occurs in the whole original, and on nothing
//!    else about values.
//! 3. *Pruning* (`groups.rs`). Where some vertices of a kind are pruned, but so few that they may well not be
//!    diverse, whole positions of groups are pruned with them, by the number of vertices alone.
//! 4. *Classes*. A group is a table: a row for each record, a quasi-identifier for each label of each position,
//!    and a sensitive attribute for each position whose values are promised something. Its classes are made by
//!    the transparent mode of tables (`kohort_algorithms`), with a secret of its own. Where it finds none, there
//!    is no release; nor is there where what is pruned is not diverse (`left_out`).
//!
//! # Theorem
//! The release is transparent.
//!
//! *Proof.* Steps 1 to 3 look at no sensitive value but at how often each occurs at a kind, which the adversary
//! knows. Their draws are independent of the values: take them to be known. Then it is known which vertices stand
//! at which position of which group, and which vertices are pruned; let the values of the pruned vertices be any.
//! Step 4 sees of a group the rows, each with the values of a record at the positions. By the theorem of
//! `kohort_algorithms::transparent`, for each class C of the partition π of a group there are permutations σ of
//! its records that (a) map every class of π to itself, (b) move any record of C to any other of C, and (c) leave
//! P(π | s) as it is when whole rows are exchanged by σ: all values of a record at positions of the group
//! together. Whole rows exchanged within classes leave every class the same trees of values, so the release is the
//! same: of generalized trees, of trees of values apart from quasi-identifiers, and of lists of values. They
//! leave the values of pruned vertices, and of other groups, as they are; so the last test, of how often each
//! value occurs among the pruned vertices of a kind, is passed as before. The prior is uniform over the
//! ways to give the values of a kind to its vertices, and an exchange of vertices of one position is one of
//! vertices of one kind: s and s∘σ are equally likely before, and so afterwards. By (b) all vertices of a position
//! of C have the same posterior. The mean of these is the share of values at that position, which the release
//! shows (of positions that look the same, together: the mean of their shares).
//!
//! Two pruned vertices of one kind can be exchanged: step 4 sees neither, and the last test counts both. So all
//! pruned vertices of a kind have the same posterior. How often each value occurs in the original is known and in
//! the release is seen, so the mean is the share among the pruned. ∎
//!
//! Whoever does not know how often each value occurs knows less: his posterior is a mean of those above, and bounds
//! on shares that all of them keep, their mean keeps.
//!
//! # What is assumed
//! The prior, as for tables: whoever knows that a value goes with a label, with another value of the same
//! person, or with the number of visits, guesses better. The values of one record stand together in generalized trees and
//! in trees of values: whoever knows some of a person's finds the others, as in every such release. One release; a
//! second one of the same records is another method. That nothing is published is no release.
//!
//! # What it does not do
//! It leaves nobody out, and keeps no rules about occurrences. Only vertices at the same position of a whole group
//! are published, and a class is diverse at all of these at once: the more vertices trees have, the larger are
//! classes. Mending one position alone, or pruning where a class is not diverse, would tell which.
//!
//! # References
//! Those of `kohort_algorithms::transparent`. That records laid on one another are a table, and so the proof for
//! tables holds, is ours.

mod blind;
mod groups;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_algorithms::{Problem, Secret, Settings, algorithm, anonymize};
use kohort_core::{Attribute, Ctx, NO_VALUE, Ratio};
use kohort_models::{ClassModel, Draw, FrequencyLDiversity, KAnonymity, OfAttribute, Promises};

use self::blind::{Blind, Position};
use self::groups::{Group, groups};
use crate::cut::is_diverse;
use crate::even::uneven;
use crate::models::Values;
use crate::{AlignedClass, Failure, NestedCandidate, NestedForm, NestedProblem};

/// Makes a transparent release of all records, in this form.
pub(crate) fn make(
    form: NestedForm,
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    secret: [u8; 32],
) -> Result<NestedCandidate, Failure> {
    if !problem.rules.is_empty() {
        return Err(infeasible(
            "the transparent mode keeps no rule about how often a value occurs",
        ));
    }
    if problem.forest.n_records() < problem.smallest() {
        return Err(infeasible(&format!("a class has at least {} records", problem.smallest())));
    }
    let mut draw = Draw::hidden(secret);
    let blind = Blind::new(problem.forest, form, &mut draw);
    let groups = groups(problem, &blind);
    let n_groups = groups.len() as u64;
    let mut classes = Vec::new();
    for (done, group) in (0..).zip(groups) {
        ctx.progress("classes", done, n_groups);
        classes.extend(classes_of(ctx, problem, &group, &mut draw)?);
    }
    if !uneven(problem.forest, &classes, form).is_empty() {
        return Err(infeasible(
            "some of those who look the same would show a value, and others none",
        ));
    }
    Ok(NestedCandidate { classes, form, group_of_vertex: Vec::new(), notes: Vec::new() })
}

/// Why the transparent mode does not keep t-closeness.
const COMPARES: &str = "the transparent mode compares no class with the whole data";

fn infeasible(reason: &str) -> Failure {
    Failure::Infeasible { reason: reason.to_owned() }
}

/// The classes of a group, as of a table.
fn classes_of(
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    group: &Group,
    draw: &mut Draw,
) -> Result<Vec<AlignedClass>, Failure> {
    let forest = problem.forest;
    let unexpected = |error: kohort_core::Error| infeasible(&error.to_string());
    let (mut quasi, mut sensitive): (Vec<Attribute>, Vec<Attribute>) = (Vec::new(), Vec::new());
    let mut models: Vec<Box<dyn ClassModel + '_>> = Vec::new();
    models.push(Box::new(KAnonymity::new(problem.smallest() as u64).map_err(unexpected)?));
    for position in &group.positions {
        let kind = forest.kind(position.vertices[0]);
        let of_kind = &forest.kinds()[kind];
        let rows: Vec<u32> = position.vertices.iter().map(|&vertex| forest.row(vertex)).collect();
        quasi.extend(of_kind.quasi.iter().map(|attribute| attribute.select(&rows)));
        if let Some(attribute) = of_kind.sensitive.as_ref().filter(|_| problem.l[kind] > 1) {
            let l = Ratio::whole(problem.l[kind].into());
            let model = FrequencyLDiversity::new(sensitive.len(), l).map_err(unexpected)?;
            models.push(Box::new(model));
            sensitive.push(attribute.select(&rows));
        }
        let about = problem.models.iter().filter(|of| of.kind == kind);
        let attribute = of_kind.sensitive.as_ref();
        for (of, attribute) in about.zip(attribute.into_iter().cycle()) {
            if of.model.compares() {
                return Err(infeasible(COMPARES));
            }
            models.push(Box::new(OfAttribute::new(&*of.model, sensitive.len())));
            sensitive.push(attribute.select(&rows));
        }
    }
    if quasi.is_empty() {
        return as_one(problem, group);
    }
    let (quasi, sensitive): (Vec<&Attribute>, Vec<&Attribute>) =
        (quasi.iter().collect(), sensitive.iter().collect());
    let mut secret = [0; 32];
    secret.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&draw.bits().to_le_bytes()));
    let settings = Settings {
        seed: problem.seed,
        secret: Secret::new(secret),
        transparent: true,
        ..Settings::plain(quasi.len(), 0)
    };
    let promises = Promises::new(models, &sensitive);
    let n = group.members.len();
    let table = Problem::of((quasi, sensitive), n, promises, settings);
    let auto = algorithm("auto").ok_or_else(|| infeasible("no algorithm forms classes"))?;
    let made = anonymize(auto, ctx, &table).map_err(|failure| match failure {
        kohort_algorithms::Failure::Infeasible { reason, .. } => infeasible(&reason),
        kohort_algorithms::Failure::Error(error) => unexpected(error),
    })?;
    let mut rows_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (row, &class) in made.group_of_row.iter().enumerate() {
        rows_of.entry(class).or_default().push(row);
    }
    Ok(rows_of.values().map(|rows| group.class(rows)).collect())
}

/// A group of which nobody can be told from anybody, as one class.
fn as_one(problem: &NestedProblem<'_>, group: &Group) -> Result<Vec<AlignedClass>, Failure> {
    let (forest, n) = (problem.forest, group.members.len());
    let models = Values::new(problem);
    let keeps = |position: &Position| {
        if !models.position_keeps(&position.vertices, &mut Vec::new()) {
            return false;
        }
        let values = position.vertices.iter().map(|&vertex| forest.sensitive(vertex));
        let told = values.filter(|&value| value != NO_VALUE).collect();
        is_diverse(told, n, problem.l[forest.kind(position.vertices[0])])
    };
    if !group.positions.iter().all(keeps) {
        return Err(infeasible("people who look the same do not keep every promise as one class"));
    }
    Ok(vec![group.class(&(0..n).collect::<Vec<usize>>())])
}
