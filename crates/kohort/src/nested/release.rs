//! From a plan to a nested release: made, written beside its target, read back, judged, and only then
//! there.

use std::path::Path;

use kohort_core::{Branch, Command, Ctx, Message, Nested, Role, Setting, message, nearest};
use kohort_models::nested::OccurrenceRule;
use kohort_nested::{
    BetterAnatomy, Failure, NESTED_ALGORITHMS, NestedAlgorithm, NestedCandidate, NestedForm,
    NestedProblem, nested_algorithm,
};
use kohort_verify::nested::attack::insensitive_paths;
use kohort_verify::nested::{GROUP, NestedOriginal, alike_by, group_path};

use super::Described;
use super::answer::promised;
use super::cells::check_paths;
use super::files::InFiles;
use super::goal::NestedGoal;
use super::job::{NestedJob, NestedTerms};
use super::judge::{Files, Judgement, judge};
use super::kept_shares::kept_shares;
use super::metrics::figures;
use super::render::render;
use super::sink::Sink;
use super::{KeptShares, NestedReceipt, PlaceAnswer};
use crate::error::refused;
use crate::error::suggestion;
use crate::job::Roles;
use crate::permit::Permit;
use crate::plan::Plan;
use crate::release::{No, mix, or_opaque, rounding, singled_out_told};
use crate::{Error, Stop};

/// What losing a vertex with a sensitive value counts, beside its quasi-identifiers.
const SENSITIVE_WEIGHT: f64 = 1.0;

const LEAVES_NOBODY_OUT: &str = "the transparent mode leaves nobody out: `suppression` is not used";

const HAS_NO_PARTITIONS: &str =
    "the transparent mode makes groups by what trees look like: `partitions` is not used";

/// The algorithm that a plan names.
pub fn algorithm(plan: &Plan) -> Result<&'static dyn NestedAlgorithm, Error> {
    let asked = plan.method.algorithm.as_deref().unwrap_or("auto");
    let found: Option<&'static dyn NestedAlgorithm> = match asked {
        // Generalized classes keep no rule.
        "auto" if !plan.rules.is_empty() => Some(&BetterAnatomy),
        id => nested_algorithm(id),
    };
    let Some(found) = found else {
        let ids = NESTED_ALGORITHMS.iter().map(|algorithm| algorithm.spec().id);
        let is_flat = kohort_algorithms::algorithm(asked).is_some();
        let problem = if is_flat {
            format!("`{asked}` is for tables, and the input is nested records")
        } else {
            let likely = suggestion(nearest(asked, ids.clone()));
            format!("there is no algorithm `{asked}`{likely}")
        };
        let listed = ids.collect::<Vec<_>>().join("`, `");
        return Err(refused(problem, format!("for nested records there are `{listed}`")));
    };
    if !found.is_safe() && !plan.method.allow_unsafe {
        return Err(refused(
            format!("`{asked}` does not keep the goal for everybody"),
            message!(
                "say {}, if that is what you want; `auto` keeps it",
                Setting::AllowUnsafe.or_in_plan()
            ),
        ));
    }
    partitions(plan, found)?;
    Ok(found)
}

/// The number of partitions that a plan names, for an algorithm that has some.
pub(super) fn partitions(
    plan: &Plan,
    algorithm: &dyn NestedAlgorithm,
) -> Result<Option<usize>, Error> {
    let Some(partitions) = plan.method.partitions else { return Ok(None) };
    let spec = algorithm.spec();
    if !spec.parameters.iter().any(|parameter| parameter.name == "partitions") {
        return Err(refused(
            format!("`partitions` is for anatomies, and `{}` is not one here", spec.id),
            "leave it out, or name `tree-anatomy` or `vertex-anatomy`",
        ));
    }
    if partitions == 0 {
        return Err(refused("`partitions` must be at least 1, but is 0", "try `partitions = 5`"));
    }
    Ok(Some(usize::try_from(partitions).unwrap_or(usize::MAX)))
}

/// Makes a nested release that keeps the goal of a plan, verifies the files written, and puts them in
/// place. The answer is no when the goal cannot be reached or the
/// release that was made does not keep it: then nothing is written. A transparent release is drawn from the
/// secret.
pub fn anonymize(
    (plan, secret): (&Plan, [u8; 32]),
    target: &Path,
    described: &Described,
    ctx: &Ctx<'_>,
) -> Result<NestedReceipt, Stop> {
    let job = NestedJob::new(plan, secret)?;
    let files = InFiles::new(&job.terms.schema, target)?;
    let (receipt, files) = release(&job, described, files, ctx)?;
    Ok(NestedReceipt { files, ..receipt })
}

/// Makes a release, puts it aside, judges what anybody will read there, and hands it out.
pub(super) fn release<S: Sink>(
    job: &NestedJob,
    described: &Described,
    mut sink: S,
    ctx: &Ctx<'_>,
) -> Result<(NestedReceipt, S::Published), Stop> {
    let NestedTerms { schema, goal } = &job.terms;
    let (layout, algorithm) = (sink.layout(), job.algorithm);
    check_goal(goal, algorithm)?;
    check_names(described, algorithm.form())?;
    check_paths(&schema.roles, layout, described, algorithm.form())?;
    ctx.step("anonymize");
    let candidate = make(job, described, (None, job.secret), ctx);
    ctx.check()?;
    let (candidate, is_transparent) = candidate?;
    check_names(described, candidate.form)?;
    check_paths(&schema.roles, layout, described, candidate.form)?;
    ctx.step("write");
    let rendered = render(described, &candidate, job.seed);
    if rendered.values.as_ref().is_some_and(|values| values.n_records() == 0) {
        let problem = no_release(algorithm.spec().id);
        return Err(out_of_reach(&problem, "every sensitive value would be pruned".into()).into());
    }
    sink.stage((&rendered, candidate.form))?;
    ctx.step("verify");
    let files = sink.read(described.nested())?;
    let original = NestedOriginal {
        nested: described.nested(),
        forest: described.forest(),
        certificate: Some(&rendered.records),
    };
    let judgement = judge(&job.terms, &files, candidate.form, Some(original))?;
    let permit = match &judgement.verdict {
        Ok(verified) => Some(Permit::of_records(verified)),
        Err(rejected) => {
            let may_be = !algorithm.is_safe() || judgement.is_unsafe_by_what_is_cut();
            Permit::of_unsafe_records(rejected, job.allow_unsafe).filter(|_| may_be)
        }
    };
    let permit = permit.ok_or_else(|| rejected(&judgement))?;
    ctx.check()?;
    ctx.step("measure");
    let mut receipt = receipt(job, described, (&candidate, is_transparent), &judgement);
    (receipt.metrics, receipt.undefined) = figures(&judgement, &files, candidate.form, original)?;
    receipt.places = places(described, &files);
    (receipt.values_in, receipt.values_cut) = values(described, &judgement, &files);
    receipt.kept_shares = kept_shares(&schema.roles, described, &files);
    receipt
        .notes
        .extend(receipt.kept_shares.iter().filter_map(KeptShares::warning).map(Message::from));
    if matches!(candidate.form, NestedForm::Generalized | NestedForm::Apart) {
        let kinds = described.forest().kinds();
        receipt.notes.extend(rounding(kinds.iter().flat_map(|kind| &kind.quasi)));
    }
    receipt.notes.extend(judgement.without_values());
    receipt.notes.extend(
        singled_out(&schema.roles, &judgement, &files.trees).into_iter().map(Message::from),
    );
    Ok((receipt, sink.publish(permit)?))
}

/// Says how many records are told from all others by their insensitive values alone.
fn singled_out(roles: &Roles, judgement: &Judgement, trees: &Nested) -> Option<String> {
    let rate = insensitive_paths(trees, &judgement.claims)?;
    let quasi = roles.names(Role::Quasi);
    let before = alike_by(trees, |path| quasi.iter().any(|name| name == path));
    let before: u64 = before.iter().filter(|&(size, _)| size == 1).map(|(_, n)| n).sum();
    let n = rate.above[2] - before;
    let paths = roles.names(Role::Insensitive);
    (n > 0).then(|| singled_out_told(&paths, n, (rate.targets, "record", "records")))
}

/// Refuses k of a release that shows quasi-identifiers as they are.
pub(super) fn check_goal(goal: &NestedGoal, algorithm: &dyn NestedAlgorithm) -> Result<(), Error> {
    if goal.k == 1 || !is_anatomized(algorithm.form()) {
        return Ok(());
    }
    let id = algorithm.spec().id;
    let hint = if goal.rules.is_empty() {
        "ask for `frequency-l-diversity` alone, or choose an algorithm that generalizes, such as `auto`"
    } else {
        "rules are kept by anatomy, by `auto` as well: ask for `frequency-l-diversity` instead \
         of `k-anonymity`, or leave the rules out"
    };
    let problem =
        format!("`{id}` shows quasi-identifiers as they are: `k-anonymity` cannot be promised");
    Err(refused(problem, hint))
}

/// Whether quasi-identifiers are shown as they are, and sensitive values apart.
fn is_anatomized(form: NestedForm) -> bool {
    matches!(form, NestedForm::TreeAnatomy | NestedForm::VertexAnatomy)
}

/// Makes a candidate of everybody in the order of what they are; with a number, in another, which that number draws.
/// A transparent one is drawn from the secret; it is told whether this one is.
pub(super) fn make(
    job: &NestedJob,
    described: &Described,
    (shuffled, secret): (Option<u64>, [u8; 32]),
    ctx: &Ctx<'_>,
) -> Result<(NestedCandidate, bool), Stop> {
    let (goal, algorithm) = (&job.terms.goal, job.algorithm);
    let rules = goal.occurrence_rules(described)?;
    check_rules(goal, &rules, described)?;
    // Where people stand in the source decides nothing.
    let mut order = described.forest().by_content();
    if let Some(number) = shuffled {
        shuffle(&mut order, number);
    }
    let (forest, which) = described.forest().reordered(&order);
    let problem = NestedProblem {
        forest: &forest,
        k: goal.k,
        l: &goal.l_of_kinds(described)?,
        models: &goal.models_of_kinds(described)?,
        rules: &rules,
        sensitive_weight: SENSITIVE_WEIGHT,
        may_leave_out: goal.may_leave_out(described.forest().n_records()),
        seed: job.seed,
        partitions: job.partitions,
        transparent: job.mode().is_transparent().then_some(secret),
    };
    let id = algorithm.spec().id;
    let records = described.forest().n_records();
    let smallest = problem.smallest();
    if records < smallest {
        let reason = format!("a class needs {smallest} records, and there are {records}");
        return Err(out_of_reach("no release reaches the goal", reason).into());
    }
    // What is unsafe is done where it is allowed, and only if nothing else is found; in the opaque mode where the
    // plan asks for no other.
    let mut is_transparent = problem.transparent.is_some();
    let made = match kohort_nested::make(algorithm, ctx, &problem, false) {
        Err(_) if job.allow_unsafe.is_given() => {
            is_transparent &= job.is_asked_to_be_transparent();
            let transparent = problem.transparent.filter(|_| is_transparent);
            kohort_nested::make(algorithm, ctx, &NestedProblem { transparent, ..problem }, true)
        }
        made => made,
    };
    let mut made = match made {
        Ok(candidate) if candidate.classes.is_empty() => {
            let reason = "no two records can be in one class".into();
            return Err(out_of_reach(&no_release(id), reason).into());
        }
        Ok(candidate) => candidate,
        Err(Failure::Infeasible { reason }) => {
            let mut no = out_of_reach(&no_release(id), reason);
            if problem.transparent.is_some() && problem.needs_values() {
                no.hint = or_opaque(&no.hint);
            }
            return Err(no.into());
        }
    };
    put_back(&mut made, &order, &which);
    Ok((made, is_transparent))
}

fn no_release(id: &str) -> String {
    format!("`{id}` finds no release that reaches the goal")
}

/// Puts people in an order that a number draws.
fn shuffle(order: &mut Vec<u32>, number: u64) {
    let mut drawn: Vec<(u64, u32)> =
        (0..).zip(&*order).map(|(at, &of)| (mix(number ^ mix(at)), of)).collect();
    drawn.sort_unstable();
    *order = drawn.into_iter().map(|(_, record)| record).collect();
}

/// Names people and vertices as they were before they were put in another order.
fn put_back(candidate: &mut NestedCandidate, order: &[u32], which: &[u32]) {
    for class in &mut candidate.classes {
        for member in &mut class.members {
            *member = order[*member as usize];
        }
        for vertex in &mut class.vertices {
            *vertex = which[*vertex as usize];
        }
    }
    let groups = candidate.group_of_vertex.clone();
    for (group, &vertex) in groups.iter().zip(which) {
        candidate.group_of_vertex[vertex as usize] = *group;
    }
}

/// Refuses a rule about a value that nobody has: it would hold, whatever is published. The value is not
/// told, nor one that is like it: they may be somebody's.
fn check_rules(
    goal: &NestedGoal,
    rules: &[OccurrenceRule],
    described: &Described,
) -> Result<(), Error> {
    let n_kinds = described.forest().kinds().len();
    let is_nowhere =
        |rule: &OccurrenceRule| !(0..n_kinds).any(|kind| rule.code_of_kind(kind).is_some());
    let Some(index) = rules.iter().position(is_nowhere) else { return Ok(()) };
    let of = goal.rules[index].attribute.as_deref();
    let of = of.map_or("a sensitive attribute".to_owned(), |path| format!("`{path}`"));
    Err(refused(
        format!("rule {} is about a value that does not occur in {of}", index + 1),
        "spell the value as the records do, or leave the rule out",
    ))
}

/// Refuses an anatomized release of people with members that it has for itself, and of people about whom
/// nothing is sensitive.
pub(super) fn check_names(described: &Described, form: NestedForm) -> Result<(), Error> {
    if is_anatomized(form) && described.forest().kinds().iter().all(|kind| kind.sensitive.is_none())
    {
        return Err(refused(
            "the release would be anatomized, but no path is sensitive: nothing would be hidden",
            "name the sensitive paths, or choose another algorithm",
        ));
    }
    let sensitive = described.forest().kinds().iter().filter_map(|kind| kind.sensitive.as_ref());
    let own: Vec<String> = match form {
        NestedForm::TreeAnatomy => vec![GROUP.to_owned()],
        // Items of arrays give their places to their groups.
        NestedForm::VertexAnatomy => {
            let groups =
                sensitive.map(|attribute| (attribute.name(), group_path(attribute.name())));
            groups.filter(|(path, group)| path != group).map(|(_, group)| group).collect()
        }
        NestedForm::Generalized | NestedForm::Apart => Vec::new(),
    };
    let nested = described.nested();
    let is_taken = |name: &&String| {
        let is_branch = |branch: &Branch| branch.path().trim_end_matches("[]") == name.as_str();
        nested.find(name).is_some() || nested.branches().iter().any(is_branch)
    };
    let Some(name) = own.iter().find(is_taken) else { return Ok(()) };
    Err(refused(
        format!("an anatomized release has a member `{name}` of its own, and the input has one"),
        "rename it in the input, or choose another algorithm",
    ))
}

fn out_of_reach(problem: &str, reason: String) -> No {
    No {
        problem: problem.to_owned(),
        causes: vec![reason],
        hint: message!("ask for less, or see what the records have: {}", Command::Diagnose),
        ..No::default()
    }
}

fn rejected(judgement: &Judgement) -> No {
    let hint = match judgement.suppressed() {
        Some(share) => {
            message!(
                "try another algorithm, or allow as much with {}",
                Setting::Suppression.to(share)
            )
        }
        None => "ask for less, or try another algorithm".into(),
    };
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: judgement.reasons(),
        hint,
        ..No::default()
    }
}

fn receipt(
    job: &NestedJob,
    described: &Described,
    (candidate, is_transparent): (&NestedCandidate, bool),
    judgement: &Judgement,
) -> NestedReceipt {
    let findings = judgement.findings();
    let records_in = described.nested().n_records() as u64;
    let promised = promised(judgement);
    let is_about_values = job.terms.goal.is_about_values();
    let transparent = is_about_values.then_some(is_transparent);
    let mut notes: Vec<Message> = candidate.notes.iter().cloned().map(Message::from).collect();
    notes.extend(job.mode().note().filter(|_| is_about_values && job.algorithm.is_safe()));
    let is_unused = transparent == Some(true) && judgement.claims.suppression.value() > 0.0;
    notes.extend(is_unused.then(|| LEAVES_NOBODY_OUT.into()));
    let is_unused = transparent == Some(true) && job.partitions.is_some();
    notes.extend(is_unused.then(|| HAS_NO_PARTITIONS.into()));
    NestedReceipt {
        table: described.nested().name().to_owned(),
        algorithm: job.algorithm.spec().id,
        form: form_id(candidate.form),
        records_in,
        vertices_in: described.n_vertices(),
        suppressed: records_in.saturating_sub(findings.records_out),
        values_in: 0,
        values_out: findings.sensitive.iter().map(|found| found.n_values).sum(),
        values_cut: 0,
        kept_shares: Vec::new(),
        promised,
        transparent,
        suppression: judgement.claims.suppression.value(),
        places: Vec::new(),
        metrics: std::collections::BTreeMap::new(),
        undefined: std::collections::BTreeMap::new(),
        verified: judgement.verdict.is_ok(),
        truthful: findings.truth.as_ref().is_some_and(kohort_verify::nested::NestedTruth::holds),
        warnings: judgement.reasons(),
        seed: job.seed,
        files: Vec::new(),
        notes,
        seconds: std::collections::BTreeMap::new(),
    }
}

/// What is kept of each place.
fn places(described: &Described, files: &Files) -> Vec<PlaceAnswer> {
    let place = |branch: &Branch| {
        let kept = files.trees.branches().iter().find(|kept| kept.path() == branch.path());
        PlaceAnswer {
            path: branch.path().to_owned(),
            vertices_in: branch.n_rows() as u64,
            vertices_out: kept.map_or(0, |kept| kept.n_rows() as u64),
        }
    };
    described.places().map(place).collect()
}

/// The sensitive values of the original, and those that were cut from vertices that are kept.
fn values(described: &Described, judgement: &Judgement, files: &Files) -> (u64, u64) {
    let (mut all, mut cut) = (0, 0);
    for branch in described.places() {
        let kept = files.trees.branches().iter().find(|kept| kept.path() == branch.path());
        let n_kept = kept.map_or(0, |kept| kept.n_rows() as u64);
        for column in branch.table().columns() {
            let roles = &judgement.claims.roles;
            if roles.iter().any(|of| of.path == column.name() && of.role == Role::Sensitive) {
                let found = judgement.findings().sensitive.iter();
                let of_path = found.filter(|found| found.path == column.name());
                all += branch.n_rows() as u64;
                cut += n_kept.saturating_sub(of_path.map(|found| found.n_values).sum());
            }
        }
    }
    (all, cut)
}

/// The name of a form.
fn form_id(form: NestedForm) -> &'static str {
    match form {
        NestedForm::Generalized => "generalized",
        NestedForm::Apart => "apart",
        NestedForm::TreeAnatomy => "tree-anatomy",
        NestedForm::VertexAnatomy => "vertex-anatomy",
    }
}
