//! Attacks on a nested release: by structure and labels of trees, and by values that occur more than once; on
//! the release and, where the original is known, on the raw records beside it.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Ctx, Forest, Message, NO_VALUE, Nested, Ratio, Setting, Spec, message, nearest,
};
use kohort_models::nested::{OccurrenceRule, ReleasedTrees, ReleasedValues};
use kohort_nested::NestedForm;
use kohort_verify::attack::{Criterion, Known, Rate, Scored, Verdict, wilson};
use kohort_verify::nested::attack::{
    INSENSITIVE_PATHS, KnownValue, MOST_ASSIGNMENTS, MULTI_OCCURRENCE, NestedPeople, NestedScene,
    RE_EXECUTION, STRUCTURAL, SUPPRESSION, TreeKnowledge, TruePeople, ValuesOfKinds,
    insensitive_paths, multi_occurrence, re_execution, score, score_occurrences,
    score_re_execution, structural, suppression,
};
use kohort_verify::nested::{
    CutValues, NestedClaims, NestedFindings, NestedOriginal, NestedRelease, NestedTruth, measured,
};

use super::Described;
use super::again::Again;
use super::answer::form as form_of_path;
use super::files::read_release;
use super::goal::NestedGoal;
use super::in_memory::HeldRelease;
use super::job::{NestedJob, NestedTerms};
use super::judge::{Files, Judgement, judge};
use crate::attack::{Answer, AttackAnswer, NotRun, Targets, guessed_in};
use crate::error::refused;
use crate::error::suggestion;
use crate::job::Roles;
use crate::plan::Plan;
use crate::release::ReleaseFile;
use crate::wording::{count, grouped, percent};
use crate::{Cx, Error, Stop};
use kohort_report::attack::criteria;

/// The attacks on nested releases, and which of the three risks each measures.
pub const NESTED_ATTACKS: [(&Spec, Criterion); 5] = [
    (&STRUCTURAL, Criterion::SinglingOut),
    (&MULTI_OCCURRENCE, Criterion::Inference),
    (&INSENSITIVE_PATHS, Criterion::SinglingOut),
    (&SUPPRESSION, Criterion::Inference),
    (&RE_EXECUTION, Criterion::Inference),
];

/// An attack with the risk that it measures.
fn listed(attack: &Spec) -> (&'static Spec, Criterion) {
    let found = NESTED_ATTACKS.into_iter().find(|(spec, _)| spec.id == attack.id);
    found.expect("it is in the list")
}

/// What the structural adversary may know, with what it is called.
const KNOWLEDGE: [(TreeKnowledge, &str); 5] = [
    (TreeKnowledge::Degrees, "by child counts"),
    (TreeKnowledge::Labels(1), "by 1 label"),
    (TreeKnowledge::Labels(2), "by 2 labels"),
    (TreeKnowledge::Labels(3), "by 3 labels"),
    (TreeKnowledge::Whole, WHOLE),
];
const WHOLE: &str = "by the whole tree";

/// Attacks somebody's nested release. `only` has the ids of the attacks to run; none for all.
pub fn attack<'a>(
    plan: &Plan,
    release: impl Into<ReleaseFile<'a>>,
    original: Option<&Described>,
    only: &[String],
    ctx: &Ctx<'_>,
) -> Result<Answer, Error> {
    check(only)?;
    let terms = NestedTerms::new(plan)?;
    let files = read_release(&terms.schema, &release.into())?;
    attack_files((&terms, repeatable(plan)), files, original, only, ctx)
}

/// The same for a release that a program holds.
pub fn attack_held(
    plan: &Plan,
    release: &HeldRelease,
    original: Option<&Described>,
    only: &[String],
    cx: &Cx,
) -> Result<Answer, Stop> {
    check(only)?;
    let terms = NestedTerms::new(plan)?;
    cx.run(None, |ctx| {
        let (files, form) = release.files(plan)?;
        let files = (files, form, Vec::new());
        let found = attack_files((&terms, repeatable(plan)), files, original, only, ctx);
        ctx.check()?;
        Ok(found?)
    })
}

/// What a release of a plan is made by, if it can be made again: no clock decides.
fn repeatable(plan: &Plan) -> Option<NestedJob> {
    let job = || NestedJob::new(plan, [0; 32]).ok();
    if plan.method.budget.is_some() { None } else { job() }
}

fn attack_files(
    (terms, job): (&NestedTerms, Option<NestedJob>),
    (files, form, mut notes): (Files, NestedForm, Vec<Message>),
    original: Option<&Described>,
    only: &[String],
    ctx: &Ctx<'_>,
) -> Result<Answer, Error> {
    let is_asked = |spec: &Spec| only.is_empty() || only.iter().any(|id| id == spec.id);
    let judgement = judge(terms, &files, form, original.map(against))?;
    let mut raw = None;
    let attacks = if let Some(original) = original {
        let rules = rules(&terms.goal, original)?;
        let (claims, is_asked) = (&judgement.claims, &is_asked);
        let lab = Lab { original, claims, rules: &rules, again: None, ctx, is_asked };
        let again = job.as_ref().and_then(|job| Again::new(job, original, &files));
        let again = again.filter(|_| terms.goal.is_about_values());
        let originals = judgement.findings().truth.as_ref().map_or(&[][..], NestedTruth::originals);
        let cut = &judgement.findings().cut[..];
        let made = Lab { again: again.as_ref(), ..lab };
        let attacks = made.run(files.release(form), &files.trees, (originals, cut), true)?;
        let own: Vec<Option<u32>> = (0..).take(original.nested().n_records()).map(Some).collect();
        let trees = original.nested();
        raw = Some(lab.run(NestedRelease::Generalized(trees), trees, (&own, &[]), false)?);
        notes.extend(uncovered(original, &judgement));
        attacks
    } else {
        let structural = by_sizes(&judgement).filter(|_| is_asked(&STRUCTURAL));
        let found = [
            (listed(&STRUCTURAL), structural.into_iter().collect()),
            (listed(&INSENSITIVE_PATHS), insensitive(&is_asked, &files.trees, &judgement.claims)),
        ];
        ranked(found.into(), &[])
    };
    let not_run = not_run(&attacks, &is_asked, original.is_some());
    let roles = &terms.schema.roles;
    let buckets = buckets(roles, &judgement.claims);
    notes.extend(buckets.iter().map(|(name, form)| guessed_in(name, form)));
    Ok(Answer {
        release: files.trees.name().to_owned(),
        rows: files.trees.n_records() as u64,
        public: None,
        original: original.map(|original| original.nested().name().to_owned()),
        targets: if original.is_some() { Targets::Original } else { Targets::Rows },
        quasi: roles.names(kohort_core::Role::Quasi),
        sensitive: roles.names(kohort_core::Role::Sensitive),
        buckets,
        promised: promised(&judgement.claims),
        refuted: attacks.iter().any(|attack: &AttackAnswer| attack.score.is_refuted()),
        criteria: criteria(&attacks),
        attacks,
        not_run,
        raw,
        notes,
        unit: ("record", "records"),
    })
}

/// The attacks that are asked for and were not run, each with what it needs.
fn not_run(
    attacks: &[AttackAnswer],
    is_asked: &dyn Fn(&Spec) -> bool,
    has_original: bool,
) -> Vec<NotRun> {
    let ways = grouped(MOST_ASSIGNMENTS as u64);
    let needs_original = || message!("the records it was made from ({})", Setting::Original);
    let of_values: [(&Spec, Message); 3] = [
        (&MULTI_OCCURRENCE, needs_original()),
        (&SUPPRESSION, "a value that is not in the release".into()),
        (
            &RE_EXECUTION,
            message!(
                "a release by the method of its plan, with a promise about sensitive values, and so few \
                 records that there are at most {ways} ways to give the values to them"
            ),
        ),
    ];
    let of_values = of_values.into_iter().filter_map(|(spec, needs)| {
        // Values that occur twice are looked for wherever the original is known.
        let is_told = !has_original || spec.id != MULTI_OCCURRENCE.id;
        is_told.then(|| (spec, if has_original { needs } else { needs_original() }))
    });
    let of_paths = (&INSENSITIVE_PATHS, Message::from("an insensitive path in the release"));
    let has_run = |spec: &Spec| attacks.iter().any(|attack| attack.id == spec.id);
    let of_all = of_values.chain([of_paths]);
    let of_all = of_all.filter(|(spec, _)| is_asked(spec) && !has_run(spec));
    of_all.map(|(spec, needs)| NotRun { id: spec.id, needs }).collect()
}

/// The buckets of sensitive attributes, in words.
fn buckets(roles: &Roles, claims: &NestedClaims) -> BTreeMap<String, String> {
    let form_of = |name: &String| Some((name.clone(), form_of_path(claims, name)?));
    roles.names(kohort_core::Role::Sensitive).iter().filter_map(form_of).collect()
}

/// How the adversary does who knows whole trees: the rate that a comparison shows.
pub(super) fn by_whole_trees(
    original: &Described,
    (trees, values): (&ReleasedTrees, &ReleasedValues),
    originals: &[Option<u32>],
) -> Rate {
    let people = NestedPeople::new(original.forest());
    let guesses = structural(&NestedScene { people, trees, values }, TreeKnowledge::Whole);
    score(&guesses, &TruePeople::new(original.forest(), originals)).link
}

pub(super) fn against(original: &Described) -> NestedOriginal<'_> {
    NestedOriginal { nested: original.nested(), forest: original.forest(), certificate: None }
}

/// Refuses an attack that is not there, or not for nested releases.
fn check(only: &[String]) -> Result<(), Error> {
    let ids = || NESTED_ATTACKS.iter().map(|(spec, _)| spec.id);
    let Some(id) = only.iter().find(|id| !ids().any(|known| known == *id)) else { return Ok(()) };
    let is_flat = kohort_verify::attack::ATTACKS.iter().any(|attack| attack.spec().id == id);
    let problem = if is_flat {
        format!("`{id}` is for tables, and the release is nested records")
    } else {
        format!("there is no attack `{id}`{}", suggestion(nearest(id, ids())))
    };
    let listed = ids().collect::<Vec<_>>().join("`, `");
    Err(refused(problem, format!("for nested records there are `{listed}`")))
}

/// A rule of the plan, or one about the most frequent value of an attribute: which sensitive attribute it is
/// about, what it is called, and whether it was promised.
struct Asked {
    rule: OccurrenceRule,
    attribute: Option<usize>,
    way: String,
    is_promised: bool,
}

/// The rules of a plan; where there is none, that the most frequent value of each sensitive attribute
/// occurs twice or more.
fn rules(goal: &NestedGoal, original: &Described) -> Result<Vec<Asked>, Error> {
    let forest = original.forest();
    let place = |path: &str| sensitive(forest).iter().position(|a| a.name() == path);
    if !goal.rules.is_empty() {
        let found = goal.occurrence_rules(original)?;
        let asked =
            (1..).zip(goal.rules.iter().zip(found)).map(|(number, (planned, rule))| Asked {
                rule,
                attribute: planned.attribute.as_deref().and_then(place),
                way: format!("by rule {number}"),
                is_promised: true,
            });
        return Ok(asked.collect());
    }
    let n_kinds = forest.kinds().len();
    let is_there = |kind: &usize| forest.kinds()[*kind].sensitive.is_some();
    let asked = (0..n_kinds).filter(is_there).enumerate().map(|(attribute, kind)| {
        let mut codes = vec![None; n_kinds];
        codes[kind] = most_frequent(forest, kind);
        let rule = OccurrenceRule::new(codes, 2, Ratio::whole(1))?;
        let way = "twice or more".to_owned();
        Ok(Asked { rule, attribute: Some(attribute), way, is_promised: false })
    });
    asked.collect()
}

/// The most frequent sensitive code of a kind that is no missing value, ties to the lowest.
fn most_frequent(forest: &Forest, kind: usize) -> Option<u32> {
    let missing = forest.kinds()[kind].sensitive.as_ref().and_then(Attribute::missing);
    let mut counts = BTreeMap::new();
    for vertex in (0..forest.n_records()).flat_map(|record| forest.vertices(record)) {
        let code = forest.sensitive(vertex);
        if forest.kind(vertex) == kind && code != NO_VALUE && Some(code) != missing {
            *counts.entry(code).or_insert(0_u64) += 1;
        }
    }
    counts.into_iter().max_by_key(|&(code, n)| (n, std::cmp::Reverse(code))).map(|(code, _)| code)
}

/// The sensitive attributes, in the order of the kinds.
fn sensitive(forest: &Forest) -> Vec<&Attribute> {
    forest.kinds().iter().filter_map(|kind| kind.sensitive.as_ref()).collect()
}

/// What attacks need beside the release.
struct Lab<'a> {
    original: &'a Described,
    claims: &'a NestedClaims,
    rules: &'a [Asked],
    /// The method of the release, where it can be run again.
    again: Option<&'a Again<'a>>,
    ctx: &'a Ctx<'a>,
    is_asked: &'a dyn Fn(&Spec) -> bool,
}

impl Lab<'_> {
    /// What each attack found, the weakest point first. Nothing is promised of raw records.
    fn run(
        &self,
        release: NestedRelease<'_>,
        shown: &Nested,
        (originals, cut): (&[Option<u32>], &[CutValues]),
        is_promised: bool,
    ) -> Result<Vec<AttackAnswer>, Error> {
        let forest = self.original.forest();
        let (trees, values) = measured(release, self.claims, against(self.original))?;
        let scene =
            NestedScene { people: NestedPeople::new(forest), trees: &trees, values: &values };
        let truth = TruePeople::new(forest, originals);
        let found = vec![
            (listed(&STRUCTURAL), self.structural(&scene, &truth, is_promised)),
            (listed(&MULTI_OCCURRENCE), self.multi_occurrence(&scene, &truth, is_promised)),
            (listed(&INSENSITIVE_PATHS), insensitive(self.is_asked, shown, self.claims)),
            (listed(&SUPPRESSION), self.suppression(cut, is_promised)),
            (listed(&RE_EXECUTION), self.re_execution(&truth)?),
        ];
        Ok(ranked(found, &sensitive(forest)))
    }

    fn structural(
        &self,
        scene: &NestedScene<'_>,
        truth: &TruePeople<'_>,
        is_promised: bool,
    ) -> Vec<Scored> {
        if !(self.is_asked)(&STRUCTURAL) {
            return Vec::new();
        }
        let sensitive = sensitive(self.original.forest());
        let mut scored = Vec::new();
        for (done, (knowledge, way)) in (0..).zip(KNOWLEDGE) {
            self.ctx.progress(STRUCTURAL.id, done, KNOWLEDGE.len() as u64);
            let rate = score(&structural(scene, knowledge), truth);
            let bound = link_bound(self.claims).filter(|_| is_promised);
            scored.push(judged(None, way.to_owned(), rate.link, bound));
            for (at, rate) in rate.values.into_iter().enumerate() {
                let bound = l_of(self.claims, sensitive[at].name()).filter(|_| is_promised);
                scored.push(judged(Some(at), way.to_owned(), rate, bound));
            }
        }
        scored
    }

    /// What who runs the method again believes, where that was tried.
    fn re_execution(&self, truth: &TruePeople<'_>) -> Result<Vec<Scored>, Error> {
        let Some(again) = self.again.filter(|_| (self.is_asked)(&RE_EXECUTION)) else {
            return Ok(Vec::new());
        };
        let forest = self.original.forest();
        let (people, values) = (NestedPeople::new(forest), ValuesOfKinds::new(forest));
        let Some(found) = re_execution(self.ctx, people, &values, again)? else {
            return Ok(Vec::new());
        };
        let sensitive = sensitive(forest);
        let scored = score_re_execution(&found, truth).into_iter().enumerate().map(|(at, rate)| {
            let bound = l_of(self.claims, sensitive[at].name());
            let scored = judged(Some(at), "by running the method again".to_owned(), rate, bound);
            Scored { notes: vec![found.told.clone().into()], ..scored }
        });
        Ok(scored.collect())
    }

    fn suppression(&self, cut: &[CutValues], is_promised: bool) -> Vec<Scored> {
        let sensitive = sensitive(self.original.forest());
        let cut = cut.iter().filter(|_| (self.is_asked)(&SUPPRESSION));
        let scored = |cut: &CutValues| {
            let bound = l_of(self.claims, &cut.path).filter(|_| is_promised);
            let attribute = sensitive.iter().position(|of| of.name() == cut.path);
            judged(attribute, "by what is missing".to_owned(), suppression(cut), bound)
        };
        cut.map(scored).collect()
    }

    fn multi_occurrence(
        &self,
        scene: &NestedScene<'_>,
        truth: &TruePeople<'_>,
        is_promised: bool,
    ) -> Vec<Scored> {
        if !(self.is_asked)(&MULTI_OCCURRENCE) {
            return Vec::new();
        }
        // Who knows a value learns more where the values of one person stay together.
        let is_linked = matches!(scene.values, ReleasedValues::Trees { .. });
        let mut scored = Vec::new();
        for asked in self.rules {
            let rate = |known| {
                score_occurrences(&multi_occurrence(scene, &asked.rule, known), &asked.rule, truth)
            };
            let is_bounded = is_promised && asked.is_promised;
            let bound = is_bounded.then(|| asked.rule.probability().value());
            let way = asked.way.clone();
            scored.push(judged(asked.attribute, way.clone(), rate(KnownValue::Nothing), bound));
            if is_linked {
                let way = format!("{way}, one value known");
                scored.push(judged(asked.attribute, way, rate(KnownValue::One), None));
            }
        }
        scored
    }
}

/// What each attack found, the weakest point first.
fn ranked(
    found: Vec<((&'static Spec, Criterion), Vec<Scored>)>,
    sensitive: &[&Attribute],
) -> Vec<AttackAnswer> {
    let mut ranked = Vec::new();
    for (attack, mut scored) in found {
        scored.retain(|scored| scored.rate.targets > 0);
        scored.sort_by(|a, b| b.weakness().total_cmp(&a.weakness()));
        if let Some(weakest) = scored.first() {
            let meaning = meaning(attack.0, weakest, sensitive);
            let weakness = weakest.weakness();
            ranked.push((weakness, AttackAnswer::new(attack, &scored, meaning, sensitive)));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, answer)| answer).collect()
}

/// How who also knows insensitive values does, where that is asked for and there are any.
fn insensitive(
    is_asked: &dyn Fn(&Spec) -> bool,
    shown: &Nested,
    claims: &NestedClaims,
) -> Vec<Scored> {
    let rate = is_asked(&INSENSITIVE_PATHS).then(|| insensitive_paths(shown, claims)).flatten();
    let way = "by the whole tree and its insensitive values";
    rate.map(|rate| judged(None, way.to_owned(), rate, None)).into_iter().collect()
}

fn judged(attribute: Option<usize>, way: String, rate: Rate, bound: Option<f64>) -> Scored {
    let verdict = Verdict::new(&rate, 0.0, bound);
    Scored { attribute, way: Some(way), rate, bound, verdict, notes: Vec::new() }
}

/// The largest probability with which somebody may be linked with their values: one in k, or in l where
/// every sensitive attribute has one.
fn link_bound(claims: &NestedClaims) -> Option<f64> {
    let sensitive = claims.roles.iter().filter(|role| role.role == kohort_core::Role::Sensitive);
    let l = sensitive
        .map(|role| l_of(claims, &role.path))
        .try_fold(0.0, |most: f64, share| Some(most.max(share?)));
    let l = l.filter(|&share| share > 0.0);
    let k = (claims.k > 1).then(|| 1.0 / f64::from(claims.k));
    k.into_iter().chain(l).reduce(f64::min)
}

/// The largest probability with which a value of an attribute may be guessed.
fn l_of(claims: &NestedClaims, path: &str) -> Option<f64> {
    let l = claims.l.iter().filter(|(of, _)| of == path).map(|&(_, l)| l).max()?;
    (l > 1).then(|| 1.0 / f64::from(l))
}

fn promised(claims: &NestedClaims) -> Vec<String> {
    let told = [
        (claims.k > 1, "k-anonymity"),
        (!claims.l.is_empty(), "frequency-l-diversity"),
        (!claims.rules.is_empty(), "rules"),
    ];
    let told = told.iter().filter(|(is, _)| *is).map(|(_, id)| (*id).to_owned());
    let mut ids: Vec<String> =
        told.chain(claims.models.iter().map(|model| model.id.to_owned())).collect();
    ids.dedup();
    ids
}

/// What is expected without people to look for: who knows a whole tree draws one of its class.
fn by_sizes(judgement: &Judgement) -> Option<Scored> {
    let NestedFindings { records_out: targets, sizes, .. } = judgement.findings();
    let largest = 1.0 / lossy(sizes.k()?);
    let success = lossy(sizes.n_classes()) / lossy(*targets);
    let alone = sizes.iter().filter(|&(size, _)| size == 1).map(|(_, n)| n).sum();
    let rate = Rate {
        targets: *targets,
        success,
        baseline: 1.0 / lossy(*targets),
        interval: wilson(success, *targets),
        max_probability: largest,
        above: [alone; 3],
        known: Known::Expected,
    };
    Some(judged(None, WHOLE.to_owned(), rate, link_bound(&judgement.claims)))
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53, and risks are shown")]
fn lossy(count: u64) -> f64 {
    count as f64
}

/// What a rate means, as a sentence without a closing stop.
fn meaning(spec: &Spec, scored: &Scored, sensitive: &[&Attribute]) -> String {
    let Rate { targets, success, max_probability, above, .. } = &scored.rate;
    let way = scored.way.as_deref().unwrap_or_default();
    let share = percent(*success);
    let surest = percent(*max_probability);
    let certain = match above[2] {
        0 => format!("with a probability of {surest} at most"),
        n => format!("for certain of {} of {} targets", grouped(n), grouped(*targets)),
    };
    let attribute = scored.attribute.map(|at| sensitive[at].name());
    match attribute {
        _ if spec.id == MULTI_OCCURRENCE.id => format!(
            "whether somebody has the value that often is guessed correctly for {share} of {}; \
             that they do is known {certain}",
            count(*targets, "person", "people")
        ),
        Some(path) if spec.id == SUPPRESSION.id => format!(
            "{} of {path} not in the release; guessing the most frequent of them is right for \
             {share}",
            count(*targets, "value is", "values are")
        ),
        None if spec.id == INSENSITIVE_PATHS.id => format!(
            "an adversary who knows people {way} picks out the record of {share} of them, as \
             expected from a random draw, {certain}"
        ),
        None => format!(
            "an adversary who knows people {way} links {share} of them with their own values, as \
             expected from a random draw, {certain}"
        ),
        Some(path) if spec.id == RE_EXECUTION.id => format!(
            "an adversary who knows people's trees and runs the method again guesses a value of {path} \
             correctly for {share} of the places that have one; it is known {certain}"
        ),
        Some(path) => format!(
            "an adversary who knows people {way} guesses a value of {path} correctly for {share} \
             of them; it is known {certain}"
        ),
    }
}

/// Says how many released records nobody has: an attack that does not find them shows nothing.
fn uncovered(original: &Described, judgement: &Judgement) -> Option<Message> {
    let truth = judgement.findings().truth.as_ref()?;
    let n = truth.uncovered_records();
    let name = original.nested().name();
    (n > 0).then(|| {
        message!(
            "{} no record of {name}",
            count(n, "released record covers", "released records cover")
        )
    })
}
