//! Attacks on a release: every one that what is at hand allows, on the release and, where the original is
//! known, on the raw table beside it.

pub(crate) mod answer;
mod doubts;
mod knowledge;
mod lab;
mod people;
mod text;

use std::path::{Path, PathBuf};

use kohort_core::{Ctx, Dataset, Ratio, Table, nearest};
use kohort_io::read_table;
use kohort_verify::attack::{ATTACKS, Attack, Declared};

pub use self::answer::{Above, Answer, AttackAnswer, CriterionAnswer, NotRun, Score, Targets};
use self::lab::Lab;
pub use self::text::text;
pub(crate) use self::text::{NOT_SHOWN, headline, targets};
use crate::Error;
use crate::error::suggestion;
use crate::goal::{Asked, principles};
use crate::load::{Loaded, options, refused};
use crate::plan::Plan;
use crate::release::{GROUP, high, is_anatomized, joined, values_file};

/// What is attacked, and with what.
pub struct Given<'a> {
    /// The roles, taxonomies, promises and algorithm of the release.
    pub plan: &'a Plan,
    /// The folder the plan's paths are relative to.
    pub base: &'a Path,
    /// The release, as `read` reads it.
    pub release: Publication,
    /// Other releases about the same people, the oldest first.
    pub others: Vec<Publication>,
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

/// A release that was read.
#[derive(Clone, Debug)]
pub struct Publication {
    /// Its rows; of two files, those of the first with the values of their groups.
    pub table: Table,
    /// Whether sensitive values are published by group.
    pub is_anatomized: bool,
}

/// Reads a release; one of two files as one table. `sensitive` are the columns that will be sensitive. It is
/// anatomized where the plan says so, or where its sensitive values stand in a second file.
pub fn read(
    plan: &Plan,
    release: &Path,
    sensitive: &[String],
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Publication>, Error> {
    let options = options(&plan.read)?;
    let read = |path: &Path| read_table(&path.to_string_lossy(), &options, progress);
    let found = read(release)?;
    let mut table = found.table;
    let is_asked = is_anatomized(plan);
    let has_groups = table.column(GROUP).is_ok() && !plan.attributes.contains_key(GROUP);
    if is_asked && !has_groups {
        return Err(refused(
            format!("an anatomized release is asked for, and this one has no column `{GROUP}`"),
            "name the algorithm of the release, or leave it out",
        ));
    }
    let is_apart = has_groups && !sensitive.iter().all(|name| table.column(name).is_ok());
    if is_apart {
        table = joined(&table, &read(&values_file(release))?.table)?;
    }
    let is_anatomized = is_asked || is_apart;
    let mut notes = found.notes;
    if has_groups && !is_anatomized {
        notes.push(format!(
            "`{GROUP}` is taken for a column like any other; where it has the groups of an anatomized \
             release, say `--algorithm anatomy`"
        ));
    }
    Ok(Loaded { value: Publication { table, is_anatomized }, notes })
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
    let high = high(lab.plan, &lab.release);
    let high = high.as_ref().map(|high| (high.attribute, &high.codes[..]));
    let declared = Declared { algorithm, models: asked.models(), high };
    let others =
        lab.others.iter().map(|(other, is_anatomized)| lab.released(other, *is_anatomized));
    let others = others.collect::<Result<_, _>>()?;
    ctx.progress("finding people in the release", 0, 1);
    let scene =
        lab.scene(lab.released(&lab.release, lab.is_anatomized)?, known, declared, others)?;
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
        unit: ("row", "rows"),
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
