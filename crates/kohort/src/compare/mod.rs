//! Algorithms and levels against each other: every release is made, judged and measured in memory, and none
//! is written.
//!
//! A cell of the grid is an algorithm at a k, at an l, for a number of sensitive attributes, with a seed. A cell without a release is a result
//! too, with its reason. Cells run one after the other, so that their times can be compared.
//!
//! ```
//! use kohort::compare::{Grid, text};
//! use kohort::plan::{Goal, Plan};
//! use kohort::{Cx, Ratio, Table};
//!
//! let rows = (0..60).map(|n| [(20 + n % 30).to_string(), ["flu", "gout", "asthma"][n % 3].to_owned()]);
//! let table = Table::from_rows(["age", "disease"], rows)?;
//! let plan = Plan::new()
//!     .quasi(["age"])
//!     .sensitive(["disease"])
//!     .goal(Goal { k_anonymity: Some(2), ..Goal::default() });
//! let grid = Grid {
//!     algorithms: vec!["mondrian".into(), "hilbert".into()],
//!     ks: vec![2, 5],
//!     ls: Vec::new(),
//!     attributes: Vec::new(),
//!     seeds: Vec::new(),
//!     folds: None,
//!     target: None,
//!     utility: "ncp",
//!     risk: "prosecutor-max",
//!     risk_cap: Ratio::new(1, 5),
//!     budget: None,
//!     secret: [7; 32], // 32 random bytes, kept secret
//! };
//! let found = kohort::compare(&table, &plan, &grid, &Cx::default())?;
//! assert_eq!(found.points.len(), 4);
//! println!("{}", text(&found));
//! # Ok::<(), kohort::Stop>(())
//! ```

mod balanced;
mod folds;
mod levels;
mod measure;

use kohort_algorithms::{ALGORITHMS, Algorithm, algorithm as by_id};
use kohort_core::{Ctx, Dataset, Message, Public, Ratio, Setting, message};
use kohort_models::utility::PRIVACY_PERCENT_CAVEAT;

use self::folds::Training;
use self::levels::{Part, Tried, levels, parts, promised};
pub use kohort_report::compare::{
    Best, Cell, Choice, Comparison, Crossing, Curve, Dimension, Guess, Interval, Level, Point,
    RISKS, Release, UTILITIES, sheet, text,
};

use crate::Error;
use crate::error::refused;
use crate::job::{Job, Roles, Terms, metric, unknown};
use crate::people;
use crate::plan::Plan;
use crate::public::public;
use crate::release::{AS_THEY_WERE, forewarning_of_all, make, n_distinct};
use crate::wording::grouped;

/// The algorithms that are compared when none is named.
pub const USUAL: [&str; 5] = ["auto", "mondrian", "k-member", "optimal", "hilbert"];
/// Quadratic algorithms run on more distinct rows than this only when they are named.
const MANY: u64 = 20_000;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The ids of the algorithms: `all` is every safe one, none the usual ones.
    pub algorithms: Vec<String>,
    /// The values of k. When empty, 2 to 50; but where there are `ls`, or the goal asks for l-mdiversity or
    /// l-pdiversity, the goal's k if it has one.
    pub ks: Vec<u64>,
    /// The values of l for the plan's l-mdiversity, else for its l-pdiversity, else for frequency
    /// l-diversity, or for l-mdiversity where there are several sensitive attributes and the plan does not
    /// ask for frequency l-diversity; the plan's goal when empty.
    pub ls: Vec<Ratio>,
    /// How many of the sensitive attributes are published, the first ones; all when empty.
    pub attributes: Vec<u64>,
    /// The seeds; the plan's when empty.
    pub seeds: Vec<u64>,
    /// In how many folds rows are dealt for classification, each training fold with a release of its own;
    /// one release for all rows when left out.
    pub folds: Option<usize>,
    /// The column to predict; the sensitive one with the fewest values when left out.
    pub target: Option<String>,
    /// The utility of the balance: an id of `UTILITIES`.
    pub utility: &'static str,
    /// The risk of the balance: an id of `RISKS`.
    pub risk: &'static str,
    /// The largest risk that may be.
    pub risk_cap: Ratio,
    /// The seconds that a search may take, for a plan with a budget.
    pub budget: Option<f64>,
    /// Where what hides something is drawn from.
    pub secret: [u8; 32],
}

/// What a comparison asks of its caller.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The seconds since some moment.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Is told how many cells are behind us, of how many.
    pub progress: &'a dyn Fn(u64, u64),
    /// Is told before the work what a person should know by then.
    pub note: &'a dyn Fn(&str),
}

/// Compares algorithms and levels on a dataset. The plan's goal holds for every release, with another k
/// and l each. Refused for what no cell could answer.
pub fn compare(
    plan: &Plan,
    dataset: &Dataset,
    grid: &Grid,
    caller: Caller<'_>,
) -> Result<Comparison, Error> {
    let terms = Terms::new(plan)?;
    let unit = people::check(&terms.roles, dataset.table())?;
    let (algorithms, mut notes) = chosen(&grid.algorithms, &terms, dataset)?;
    notes.extend(unit);
    let seeds = if grid.seeds.is_empty() { vec![plan.method.seed()] } else { grid.seeds.clone() };
    let parts = parts(plan, dataset, grid)?;
    let target = target(grid, dataset, &parts)?;
    let levels = levels(dataset, &parts, grid)?;
    for id in &algorithms {
        Job::new(&with_algorithm(plan, id))?.on(dataset, None, grid.secret)?;
    }
    if grid.folds.is_some() && target.is_none() {
        notes.push("`folds` is not used: there is no column to predict".into());
    }
    let public = public(&terms, Some(dataset))?;
    let public = public.as_ref();
    let is_several = dataset.sensitive().len() > 1;
    let run = Run { dataset, public, grid, target: target.as_deref(), is_several, caller };
    run.forewarn(&algorithms, &levels, seeds.len() as u64);
    let cells = run.cells(&parts, &algorithms, &levels, &seeds)?;
    let is_shown = |cell: &&Cell| cell.release.as_ref().is_some_and(|found| found.anatomized);
    let mut as_they_were: Vec<&str> =
        cells.iter().filter(is_shown).map(|cell| cell.algorithm).collect();
    as_they_were.dedup();
    if !as_they_were.is_empty() {
        notes.push(message!("`{}`: {AS_THEY_WERE}", as_they_were.join("`, `")));
    }
    let names = |attributes: Vec<&kohort_core::Attribute>| {
        attributes.iter().map(|attribute| attribute.name().to_owned()).collect()
    };
    let mut comparison = Comparison {
        table: dataset.table().name().to_owned(),
        rows: dataset.n_rows() as u64,
        quasi: names(dataset.quasi()),
        sensitive: names(dataset.sensitive()),
        promised: promised(plan, dataset, grid)?,
        suppression: plan.goal.suppression.unwrap_or(0.0),
        metric: metric(&plan.method)?.0.to_owned(),
        folds: grid.folds.filter(|_| target.is_some()),
        target,
        seeds,
        utility: grid.utility,
        risk: grid.risk,
        risk_cap: grid.risk_cap.value(),
        cells,
        points: Vec::new(),
        curves: Vec::new(),
        best: None,
        privacy_percent_caveat: PRIVACY_PERCENT_CAVEAT,
        notes,
    };
    balanced::weigh(&mut comparison);
    Ok(comparison)
}

/// What a cell needs besides its plan.
#[derive(Clone, Copy)]
struct Run<'a> {
    dataset: &'a Dataset,
    public: Option<&'a Public>,
    grid: &'a Grid,
    target: Option<&'a str>,
    // Whether the whole table has several sensitive attributes.
    is_several: bool,
    caller: Caller<'a>,
}

impl<'a> Run<'a> {
    /// Says what quadratic algorithms will cost.
    fn forewarn(&self, algorithms: &[&'static str], levels: &[Tried], n_seeds: u64) {
        let n_folds = self.grid.folds.filter(|_| self.target.is_some()).unwrap_or(0) as u64;
        let found = algorithms.iter().filter_map(|id| by_id(id));
        let releases: Vec<_> = found
            .flat_map(|algorithm| {
                let n = n_seeds * (1 + n_folds);
                levels.iter().map(move |tried| (algorithm, tried.smallest_class(), n))
            })
            .collect();
        if let Some(note) = forewarning_of_all(&releases, self.dataset) {
            (self.caller.note)(&note);
        }
    }

    /// Every cell of the grid.
    fn cells(
        &self,
        parts: &'a [Part],
        algorithms: &[&'static str],
        levels: &[Tried],
        seeds: &[u64],
    ) -> Result<Vec<Cell>, Error> {
        let total = (algorithms.len() * levels.len() * seeds.len()) as u64;
        let mut runs: Vec<(Self, Vec<Vec<Training>>)> = Vec::new();
        for part in parts {
            let run = Self { dataset: part.dataset(self.dataset), ..*self };
            let roles = Roles::new(&part.plan);
            let training = seeds.iter().map(|&seed| run.training(&roles, seed));
            runs.push((run, training.collect::<Result<_, _>>()?));
        }
        let mut cells = Vec::new();
        for id in algorithms {
            for tried in levels {
                let (run, training) = &runs[tried.part];
                for (&seed, training) in seeds.iter().zip(training) {
                    (self.caller.progress)(cells.len() as u64, total);
                    let mut plan = with_algorithm(&parts[tried.part].plan, id);
                    plan.goal = tried.goal.clone();
                    plan.method.seed = Some(seed);
                    let (seconds, found) = run.cell(&Job::new(&plan)?, training);
                    let (release, reason) = match found {
                        Ok(release) => (Some(release), None),
                        Err(reason) => (None, Some(reason)),
                    };
                    let level = tried.level;
                    cells.push(Cell { algorithm: id, level, seed, seconds, release, reason });
                }
            }
        }
        (self.caller.progress)(total, total);
        Ok(cells)
    }

    /// The training folds of a seed, where classification asks for releases of their own.
    fn training(&self, roles: &Roles, seed: u64) -> Result<Vec<Training>, Error> {
        match (self.grid.folds, self.target) {
            (Some(n_folds), Some(_)) => folds::training(roles, self.dataset, n_folds, seed),
            _ => Ok(Vec::new()),
        }
    }

    /// Makes, judges and measures the release of a job: the seconds it took, and what it is like or why
    /// there is none.
    fn cell(&self, job: &Job, training: &[Training]) -> (f64, Result<Release, String>) {
        let start = (self.caller.clock)();
        let task = match job.on(self.dataset, self.public, self.grid.secret) {
            Ok(task) => task,
            Err(error) => return (0.0, Err(error.to_string())),
        };
        let made = self.with_ctx(|ctx| make(&task, ctx));
        let seconds = (self.caller.clock)() - start;
        let found = made.and_then(|made| self.measured(&task, &made, training));
        (seconds, found.map_err(|stop| stop.to_string()))
    }

    /// Runs a search that ends when the budget is used up.
    fn with_ctx<T>(&self, search: impl FnOnce(&Ctx<'_>) -> T) -> T {
        let (clock, budget) = (self.caller.clock, self.grid.budget);
        let start = clock();
        let stop = || budget.is_some_and(|budget| clock() - start > budget);
        search(&Ctx::new(&stop, &|_, _, _| {}))
    }
}

fn with_algorithm(plan: &Plan, id: &str) -> Plan {
    let mut plan = plan.clone();
    plan.method.algorithm = Some(id.to_owned());
    plan
}

/// The ids of the algorithms that are compared, each once, and which were left out.
/// Of those that nobody named, only such as keep delta-presence where that is asked for.
fn chosen(
    names: &[String],
    terms: &Terms,
    dataset: &Dataset,
) -> Result<(Vec<&'static str>, Vec<Message>), Error> {
    let is_large = || n_distinct(dataset) > MANY;
    let is_presence = terms.has_presence;
    let keeps =
        |a: &&&dyn Algorithm| a.facts().is_safe && (!is_presence || a.facts().is_full_domain);
    let safe = || ALGORITHMS.iter().filter(keeps).map(|a| a.spec().id);
    let (mut ids, mut left_out): (Vec<&'static str>, Vec<&'static str>) = (Vec::new(), Vec::new());
    let is_all = |name: &String| name == "all";
    if names.is_empty() || names.iter().any(is_all) {
        let is_usual = names.is_empty() && !is_presence;
        ids = if is_usual { USUAL.to_vec() } else { safe().collect() };
        // The plan's own algorithm is what the others are compared with.
        let own = terms.algorithm.as_deref().and_then(by_id).map(|own| own.spec().id);
        ids.extend(own.filter(|own| is_usual && !USUAL.contains(own)));
        if is_large() {
            let is_quadratic = |id: &&str| by_id(id).is_some_and(|a| a.facts().is_quadratic);
            (left_out, ids) = ids.into_iter().partition(|id| is_quadratic(id));
        }
    }
    for name in names.iter().filter(|name| !is_all(name)) {
        let id = by_id(name).ok_or_else(|| unknown(name))?.spec().id;
        left_out.retain(|other| *other != id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let note = format!(
        "left out above {} distinct rows, because their time grows with the square: `{}`; name them to \
         run them",
        grouped(MANY),
        left_out.join("`, `")
    );
    Ok((ids, (!left_out.is_empty()).then(|| note.into()).into_iter().collect()))
}

/// The column that is predicted, where there is one, in as many folds as were asked for. Every part has it.
fn target(grid: &Grid, dataset: &Dataset, parts: &[Part]) -> Result<Option<String>, Error> {
    let n_rows = dataset.n_rows();
    if let Some(folds) = grid.folds.filter(|&folds| folds < 2 || folds > n_rows) {
        return Err(refused(
            format!("`folds` must be 2 to {n_rows}, the number of rows, but is {folds}"),
            message!("try {}", Setting::Folds.to(5)),
        ));
    }
    let parts = parts.iter().map(|part| part.dataset(dataset).sensitive());
    let sensitive = parts.min_by_key(Vec::len).unwrap_or_default();
    let Some(name) = &grid.target else {
        let fewest = sensitive.iter().min_by_key(|attribute| attribute.n_codes());
        return Ok(fewest.map(|attribute| attribute.name().to_owned()));
    };
    dataset.table().column(name)?;
    let is_named = |attribute: &&kohort_core::Attribute| attribute.name() == name;
    if dataset.sensitive().iter().any(is_named) && !sensitive.iter().any(is_named) {
        let n = sensitive.len();
        return Err(refused(
            format!("`target` must be in every release, but `{name}` is not among the first {n}"),
            message!(
                "name one of the first sensitive attributes, or leave out {}",
                Setting::Attributes
            ),
        ));
    }
    if dataset.quasi().iter().any(|attribute| attribute.name() == name) {
        return Err(refused(
            format!("`target` must not be a quasi-identifier, but `{name}` is one"),
            "name a column that is published as it is: once values are generalized completely, \
             every guess is right",
        ));
    }
    Ok(Some(name.clone()))
}
