//! Keeps what is promised of all classes together, or of the people of a population behind each class.
//!
//! # Guarantee
//! What is made keeps every promise of the problem: those of each class, those about the sizes of all classes
//! (`SizeModel`), and k-map over a public table.
//!
//! # Method
//! Where every class has at least a certain number of rows the promise is kept (`SizeModel::enough`; for k-map
//! over a public table k rows, as far as the table lists everybody). So releases with classes of at least m
//! rows are made, the smallest m by bisection, and the first that keeps the promise is taken.
//!
//! # Cost
//! The algorithm runs log₂ of that number times.
//!
//! # Deviations
//! The loss is that of the algorithm for the smallest m that was found: a release with smaller classes in
//! other places may keep the promise as well and lose less.

use kohort_core::{Cell, CellColumn, Ctx, Public};
use kohort_models::{ClassModel, KAnonymity, Promises};

use crate::candidate::Form;
use crate::merge_equal_cells::classes;
use crate::{Algorithm, Candidate, Failure, Problem};

/// Makes a release as `made` does, that also keeps what is promised of all classes together.
pub(crate) fn kept_together(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    made: impl Fn(&dyn Algorithm, &Ctx<'_>, &Problem<'_>) -> Result<Candidate, Failure>,
) -> Result<Candidate, Failure> {
    let of_sizes = problem.sizes().iter().map(|model| model.enough());
    let of_population = problem.population().map(|(model, _)| model.k());
    let enough = of_sizes.chain(of_population).max().unwrap_or(1).max(1);
    let attempt = |rows: u64| {
        let candidate = made(algorithm, ctx, &problem.with_promises(at_least(problem, rows)))?;
        let is_kept = candidate.form == Form::Perturbed || holds(problem, &candidate);
        Ok::<_, Failure>(is_kept.then_some(candidate))
    };
    let mut found: Option<Candidate> = None;
    let (mut low, mut high) = (1, enough);
    while low < high {
        let middle = low.midpoint(high);
        match attempt(middle) {
            Ok(Some(candidate)) => (found, high) = (Some(candidate), middle),
            Ok(None) => low = middle + 1,
            // Larger classes are no easier to make.
            Err(Failure::Infeasible { .. }) if middle > 1 => high = middle,
            Err(failure) => return Err(failure),
        }
    }
    if let Some(candidate) = found {
        return Ok(Candidate { lower_bound: None, ..candidate });
    }
    // Where the public table does not list everybody, all rows as one class may be like enough of its people.
    let last =
        attempt(high)?.map_or_else(|| attempt(problem.n_rows() as u64), |made| Ok(Some(made)))?;
    let last = last.map(|candidate| Candidate { lower_bound: None, ..candidate });
    last.ok_or_else(|| {
        Failure::infeasible(
            "classes of k rows are like fewer than k people of the public table: it does not list everybody",
        )
    })
}

/// The promises of a problem, and that every class has at least so many rows.
fn at_least<'p>(problem: &'p Problem<'_>, rows: u64) -> Promises<'p> {
    let models = problem.promises().models().iter();
    let mut models: Vec<Box<dyn ClassModel + 'p>> =
        models.map(|model| Box::new(&**model) as Box<dyn ClassModel + 'p>).collect();
    if let Ok(model) = KAnonymity::new(rows) {
        models.push(Box::new(model));
    }
    Promises::new(models, problem.sensitive())
}

/// Whether the classes of a release, as a reader sees them, keep what is promised of them together.
fn holds(problem: &Problem<'_>, candidate: &Candidate) -> bool {
    let classes = classes(problem, candidate);
    let mut sizes: Vec<u64> = classes.iter().map(|rows| rows.len() as u64).collect();
    sizes.sort_unstable();
    let sizes: Vec<(u64, u64)> =
        sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
    if !problem.sizes().iter().all(|model| model.holds(&sizes)) {
        return false;
    }
    let Some((model, public)) = problem.population() else { return true };
    let crowd = Crowd::new(public);
    let n_groups = candidate.cells.n_classes();
    (0..n_groups).all(|group| crowd.covered(problem, candidate, group, model.k()) >= model.k())
}

/// The people of a public table, by each of their columns.
struct Crowd<'a> {
    public: &'a Public,
    // For each column, people in the order of their codes, with these.
    by_column: Vec<Vec<(u32, u32)>>,
}

impl<'a> Crowd<'a> {
    fn new(public: &'a Public) -> Self {
        let sorted = |column: &kohort_core::PublicColumn| {
            let mut people: Vec<(u32, u32)> = column.codes.iter().zip(0..).collect();
            people.sort_unstable();
            people
        };
        Self { public, by_column: public.columns().iter().map(sorted).collect() }
    }

    /// How many people the cells of a group cover, counted up to `most`.
    fn covered(
        &self,
        problem: &Problem<'_>,
        candidate: &Candidate,
        group: usize,
        most: u64,
    ) -> u64 {
        let boxed: Vec<(u32, u32)> = (candidate.cells.columns().iter())
            .enumerate()
            .map(|(at, column)| self.interval(problem, at, column, group))
            .collect();
        // Only those are looked at whom the most telling column leaves.
        let of_column = |(at, &(lo, hi)): (usize, &(u32, u32))| {
            let people = &self.by_column[at];
            let first = people.partition_point(|&(code, _)| code < lo);
            let last = people.partition_point(|&(code, _)| code <= hi);
            &people[first..last]
        };
        let fewest = boxed.iter().enumerate().map(of_column).min_by_key(|people| people.len());
        let is_inside = |&&(_, person): &&(u32, u32)| {
            let mut columns = self.public.columns().iter().zip(&boxed);
            columns
                .all(|(column, (lo, hi))| (lo..=hi).contains(&&column.codes.get(person as usize)))
        };
        let inside = fewest.unwrap_or_default().iter().filter(is_inside);
        inside.take(usize::try_from(most).unwrap_or(usize::MAX)).count() as u64
    }

    /// The codes of the public table that a cell covers for certain: a value that only the public table has
    /// may lie beside them and not be counted.
    fn interval(
        &self,
        problem: &Problem<'_>,
        at: usize,
        column: &CellColumn,
        group: usize,
    ) -> (u32, u32) {
        let cell = column.get(group);
        let of_public = &self.public.columns()[at];
        if cell == Cell::ANY {
            return (0, of_public.attribute.n_codes());
        }
        let (lo, hi) = problem.quasi()[at].codes_of(cell);
        let to = |code: u32| of_public.code_of_original[code as usize];
        (to(lo), to(hi))
    }
}
