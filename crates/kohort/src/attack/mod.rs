//! Attacks on a release: every one that what is at hand allows, on the release and, where the original is
//! known, on the raw table beside it.

mod answer;
mod knowledge;
mod people;
mod text;

use std::path::{Path, PathBuf};

use kohort_core::{Ctx, Dataset, Ratio, Role, Table, nearest};
use kohort_io::read_table;
use kohort_verify::attack::{
    ATTACKS, Attack, Declared, Findings, People, Released, Scene, Truth, run,
};

pub use self::answer::{Above, Answer, AttackAnswer, CriterionAnswer, NotRun, Score, Targets};
use self::knowledge::{Bound, Known};
use self::people::Matched;
pub use self::text::text;
pub(crate) use self::text::{NOT_SHOWN, headline, targets};
use crate::diagnose::{count, grouped};
use crate::error::suggestion;
use crate::goal::{Asked, principles};
use crate::load::{Loaded, assign_roles, options, refused};
use crate::plan::Plan;
use crate::release::{GROUP, is_truthful, joined, names, values_file};
use crate::{Error, Kind};

/// What is attacked, and with what.
pub struct Given<'a> {
    /// The roles, taxonomies, promises and algorithm of the release.
    pub plan: &'a Plan,
    /// The folder the plan's paths are relative to.
    pub base: &'a Path,
    /// The release, as `read` reads it.
    pub release: Table,
    /// Other releases about the same people, the oldest first.
    pub others: Vec<Table>,
    /// People of a population with their quasi-identifiers.
    pub public: Option<Table>,
    /// The table the release was made from: the truth that guesses are compared with.
    pub original: Option<Table>,
    /// The column that names people in all of these tables.
    pub key: Option<String>,
    /// A file of what is known of some people.
    pub knowledge: Option<PathBuf>,
    /// The share of the population that is in the released table.
    pub sampled: Option<Ratio>,
    /// The ids of the attacks to run; none for all.
    pub only: Vec<String>,
}

/// Reads a release; one of two files as one table. `sensitive` are the columns that will be sensitive.
pub fn read(
    plan: &Plan,
    release: &Path,
    sensitive: &[String],
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Table>, Error> {
    let options = options(&plan.read)?;
    let read = |path: &Path| read_table(&path.to_string_lossy(), &options, progress);
    let found = read(release)?;
    let mut table = found.table;
    if plan.method.algorithm.as_deref() == Some("anatomy") && table.column(GROUP).is_err() {
        return Err(refused(
            format!("an anatomized release is asked for, and this one has no column `{GROUP}`"),
            "name the algorithm of the release, or leave it out",
        ));
    }
    let is_there = |name: &String| table.column(name).is_ok();
    if is_anatomized(plan, &table) && !sensitive.iter().all(is_there) {
        table = joined(&table, &read(&values_file(release))?.table)?;
    }
    Ok(Loaded { value: table, notes: found.notes })
}

/// Whether sensitive values are published by group: the plan says so, or says nothing, and there is a
/// column of groups that is nothing else.
fn is_anatomized(plan: &Plan, release: &Table) -> bool {
    let is_said = plan.method.algorithm.as_deref().is_none_or(|algorithm| algorithm == "anatomy");
    is_said && release.column(GROUP).is_ok() && !plan.attributes.contains_key(GROUP)
}

/// Runs the attacks that what is given allows.
pub fn attack(given: Given<'_>, ctx: &Ctx<'_>) -> Result<Answer, Error> {
    let attacks = chosen(&given.only)?;
    let lab = Lab::new(given)?;
    let sensitive = lab.release.sensitive();
    let asked = Asked::new(&principles(&lab.plan.goal)?, &sensitive)?;
    let mut notes = lab.notes.clone();
    notes.extend(asked.notes().iter().cloned());
    let known = lab.bind(&sensitive)?;
    notes.extend(known.notes.iter().cloned());
    let algorithm = lab.plan.method.algorithm.as_deref();
    let declared = Declared { algorithm, models: asked.models() };
    let others = lab.others.iter().map(|other| lab.released(other)).collect::<Result<_, _>>()?;
    let scene = lab.scene(lab.released(&lab.release)?, known, declared, others)?;
    notes.extend(lab.uncovered(&scene));
    let findings = lab.run(ctx, &attacks, &scene)?;
    let raw = match &lab.original {
        None => None,
        Some(original) => {
            let found = lab.run_raw(ctx, &attacks, original)?;
            Some(answer::weakest_first(&found, &original.sensitive()))
        }
    };
    let attacks = answer::weakest_first(&findings, &sensitive);
    let name = |table: Option<&Dataset>| table.map(|table| table.table().name().to_owned());
    Ok(Answer {
        release: lab.release.table().name().to_owned(),
        rows: lab.release.n_rows() as u64,
        public: name(lab.public.as_ref()),
        original: name(lab.original.as_ref()),
        targets: lab.targets(),
        quasi: lab.quasi.clone(),
        sensitive: sensitive.iter().map(|attribute| attribute.name().to_owned()).collect(),
        promised: asked.about().iter().map(|about| about.model().to_owned()).collect(),
        refuted: attacks.iter().any(|attack| attack.score.is_refuted()),
        criteria: answer::criteria(&attacks),
        not_run: answer::not_run(&findings),
        attacks,
        raw,
        notes,
    })
}

/// The attacks that are asked for.
fn chosen(only: &[String]) -> Result<Vec<&'static dyn Attack>, Error> {
    let find = |id: &String| {
        ATTACKS.iter().find(|attack| attack.spec().id == id).copied().ok_or_else(|| {
            let ids = ATTACKS.iter().map(|attack| attack.spec().id);
            let likely = suggestion(nearest(id, ids));
            refused(
                format!("there is no attack `{id}`{likely}"),
                "`kohort list attacks` lists them",
            )
        })
    };
    if only.is_empty() { Ok(ATTACKS.to_vec()) } else { only.iter().map(find).collect() }
}

/// Every table with its roles, and what the people of one are in the other.
struct Lab<'a> {
    plan: &'a Plan,
    quasi: Vec<String>,
    // Releases have their sensitive attributes alone: what they show of the others are cells.
    release: Dataset,
    others: Vec<Dataset>,
    public: Option<Dataset>,
    original: Option<Dataset>,
    matched: Option<Matched>,
    key: Option<String>,
    known: Option<Known>,
    sampled: Option<Ratio>,
    notes: Vec<String>,
}

impl<'a> Lab<'a> {
    fn new(given: Given<'a>) -> Result<Self, Error> {
        let Given { plan, base, release, others, public, original, .. } = given;
        let quasi = names(plan, Role::Quasi);
        if quasi.is_empty() {
            return Err(Kind::NothingAsked.into());
        }
        for name in &quasi {
            release.column(name)?;
        }
        let sensitive = names(plan, Role::Sensitive);
        let mut notes = Vec::new();
        let mut coded = |table: Table, columns: &[String]| {
            let Loaded { value, notes: odd } = assign_roles(&only(plan, columns), base, table)?;
            for note in odd {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            Ok::<_, Error>(value)
        };
        let there = |table: &Table, columns: &[String]| -> Vec<String> {
            columns.iter().filter(|name| table.column(name).is_ok()).cloned().collect()
        };
        let release = coded(release, &sensitive)?;
        let others = others
            .into_iter()
            .map(|other| {
                let columns = there(&other, &sensitive);
                coded(other, &columns)
            })
            .collect::<Result<_, _>>()?;
        let both: Vec<String> = quasi.iter().chain(&sensitive).cloned().collect();
        let original = original.map(|table| coded(table, &both)).transpose()?;
        let public = match public {
            None => None,
            Some(table) => {
                let columns = there(&table, &quasi);
                Some(coded(table, &columns)?)
            }
        };
        let known = given.knowledge.as_deref().map(knowledge::read).transpose()?;
        let (key, sampled, matched) = (given.key, given.sampled, None);
        let mut lab = Self {
            plan,
            quasi,
            release,
            others,
            public,
            original,
            matched,
            key,
            known,
            sampled,
            notes,
        };
        lab.check_public()?;
        lab.find_key()?;
        lab.match_people()?;
        lab.say_what_is_odd();
        Ok(lab)
    }

    /// The people to look for, and whether they are known to be in the released table.
    fn people(&self) -> Option<(&Dataset, bool)> {
        let own = self.original.as_ref().map(|original| (original, true));
        self.public.as_ref().map(|public| (public, false)).or(own)
    }

    fn targets(&self) -> Targets {
        match self.people() {
            None => Targets::Rows,
            Some((_, false)) => Targets::Public,
            Some((_, true)) => Targets::Original,
        }
    }

    /// Says which quasi-identifiers the public table lacks; refused where it lacks all.
    fn check_public(&mut self) -> Result<(), Error> {
        let Some(public) = &self.public else { return Ok(()) };
        let has = |name: &&String| public.quasi().iter().any(|a| a.name() == name.as_str());
        let lacking: Vec<&str> =
            self.quasi.iter().filter(|name| !has(name)).map(String::as_str).collect();
        let file = public.table().name();
        if lacking.len() == self.quasi.len() {
            return Err(refused(
                format!("{file} has no quasi-identifier, and people are found by them"),
                "name a table with columns of the same names as in the release",
            ));
        }
        if !lacking.is_empty() {
            self.notes.push(format!(
                "{file} lacks `{}`: people are looked for by the other quasi-identifiers",
                lacking.join("`, `")
            ));
        }
        Ok(())
    }

    /// Finds the column that names people: the one that is asked for, or an identifier of the plan that
    /// every table of people has.
    fn find_key(&mut self) -> Result<(), Error> {
        let tables: Vec<&Table> =
            self.public.iter().chain(&self.original).map(Dataset::table).collect();
        let is_used = tables.len() == 2 || self.known.is_some();
        if let Some(key) = &self.key {
            for table in tables {
                table.column(key)?;
            }
        } else if is_used && let Some(first) = tables.first() {
            let in_all = |name: &String| tables.iter().all(|table| table.column(name).is_ok());
            let names = names(self.plan, Role::Identifier).into_iter().filter(in_all);
            let distinct = |name: &String| {
                let column = first.column(name);
                std::cmp::Reverse(column.map_or(0, |column| column.dictionary().len()))
            };
            self.key = names.min_by_key(distinct);
        }
        if self.known.is_some() && (self.key.is_none() || self.people().is_none()) {
            return Err(refused(
                "`--knowledge` is about people, and nothing tells who they are",
                "give a table of people with `--public` or `--original`, and the column that names them \
                 with `--key COLUMN`",
            ));
        }
        Ok(())
    }

    /// Finds the people in the original.
    fn match_people(&mut self) -> Result<(), Error> {
        let Some(original) = &self.original else { return Ok(()) };
        let Some(public) = &self.public else {
            self.matched = Some(Matched::same(original));
            return Ok(());
        };
        let (matched, by) = match &self.key {
            Some(key) => {
                let (people, rows) = (public.table().column(key)?, original.table().column(key)?);
                (people::by_key(people, rows, public.table()), format!("`{key}`"))
            }
            None => (people::by_quasi(public, original), "equal quasi-identifiers".to_owned()),
        };
        let (file, n) = (public.table().name(), matched.unknown.len() as u64);
        self.notes.push(format!("the people of {file} are found in the original by {by}"));
        if matched.knows_nothing() {
            self.notes.push(format!(
                "no person of {file} can be told from others so: success is what the adversary expects"
            ));
            return Ok(());
        }
        if n > 0 {
            self.notes.push(format!(
                "{} cannot be told from others so, and {} left out of what is measured",
                count(n, "person", "people"),
                if n == 1 { "is" } else { "are" }
            ));
        }
        self.matched = Some(matched);
        Ok(())
    }

    fn say_what_is_odd(&mut self) {
        if !is_truthful(self.plan) {
            self.notes.push(
                "cells of this release need not cover the original values: people are found in it by \
                 chance only, and that they are not found says nothing"
                    .into(),
            );
        }
    }

    fn bind(&self, sensitive: &[&kohort_core::Attribute]) -> Result<Bound, Error> {
        match (&self.known, &self.key, self.people()) {
            (Some(known), Some(key), Some((people, _))) => {
                known.bind(people.table(), key, sensitive)
            }
            _ => Ok(Bound::default()),
        }
    }

    /// A release as an adversary reads it, by the quasi-identifiers it has.
    fn released<'s>(&'s self, release: &'s Dataset) -> Result<Released<'s>, Error> {
        let table = release.table();
        let quasi = self.quasi.iter().map(String::as_str);
        let quasi: Vec<&str> = quasi.filter(|name| table.column(name).is_ok()).collect();
        let group = is_anatomized(self.plan, table).then_some(GROUP);
        Ok(Released::new(table, &quasi, group, release.sensitive())?)
    }

    fn scene<'s>(
        &'s self,
        release: Released<'s>,
        known: Bound,
        declared: Declared<'s>,
        others: Vec<Released<'s>>,
    ) -> Result<Scene<'s>, Error> {
        let people = self.people().map(|(people, members)| People::new(people, members));
        let mut scene = Scene::new(release, people)?;
        scene.knowledge = known.knowledge;
        scene.declared = declared;
        scene.others = others;
        scene.sampled = self.sampled;
        Ok(scene)
    }

    fn run(
        &self,
        ctx: &Ctx<'_>,
        attacks: &[&'static dyn Attack],
        scene: &Scene<'_>,
    ) -> Result<Findings, Error> {
        let release = &scene.release;
        let mut truth =
            if release.is_anatomized() { Truth::unknown() } else { Truth::of_release(release) };
        if let (Some(original), Some(matched)) = (&self.original, &self.matched) {
            truth = truth.with_people(release, original, &matched.rows);
            truth = truth.without(matched.unknown.iter().copied());
        }
        Ok(run(ctx, attacks, scene, &truth)?)
    }

    /// The same attacks on the raw table, of which nothing is promised.
    fn run_raw(
        &self,
        ctx: &Ctx<'_>,
        attacks: &[&'static dyn Attack],
        original: &Dataset,
    ) -> Result<Findings, Error> {
        let sensitive = original.sensitive();
        let known = self.bind(&sensitive)?;
        let quasi: Vec<&str> = self.quasi.iter().map(String::as_str).collect();
        let raw = Released::new(original.table(), &quasi, None, sensitive)?;
        let scene = self.scene(raw, known, Declared::default(), Vec::new())?;
        self.run(ctx, attacks, &scene)
    }

    /// Says how many people no record covers: an attack that does not find them shows nothing.
    fn uncovered(&self, scene: &Scene<'_>) -> Option<String> {
        let crowd = scene.crowd()?;
        let (people, are_members) = self.people()?;
        let is_nowhere = |view: &kohort_verify::attack::View<'_>| view.shapes.is_empty();
        let n: usize = crowd.views().filter(is_nowhere).map(|view| view.targets.len()).sum();
        let (file, all) = (people.table().name(), crowd.n_targets());
        if n == all && n > 0 {
            return Some(format!(
                "no record of the release covers anybody of {file}: are the taxonomies those it was made \
                 with?"
            ));
        }
        let tell = are_members && n > 0;
        tell.then(|| {
            let (n, all) = (grouped(n as u64), grouped(all as u64));
            format!(
                "no record covers {n} of {all} people of {file}: their rows were dropped, or changed"
            )
        })
    }
}

/// The plan with these columns alone.
fn only(plan: &Plan, columns: &[String]) -> Plan {
    let mut plan = plan.clone();
    plan.attributes.retain(|name, _| columns.contains(name));
    plan
}
