//! Re-execution: runs the method again for every assignment of the sensitive values, and keeps those that lead
//! to the same release.
//!
//! # Adversary
//! Knows the program, the plan, the quasi-identifiers of everybody in the table, and how often each combination
//! of sensitive values occurs in it. He does not know the secret from which random choices are drawn, unless it
//! is given. Before he sees the release, every assignment of the values to the people is equally likely to him.
//!
//! # Method
//! An assignment gives everybody the values of a row of the release that covers the person, or of a row that
//! was left out of it (`rows.rs`); where the release is anatomized, those of a row of the group.
//!
//! Where there are at most 5,000 assignments (`every.rs`), each is tried, and the posterior of a value is its
//! share among those that lead to the release. A method that draws from a secret is run several times for each;
//! the posterior is then an estimate, and what is said is the lower end of an interval of four standard errors
//! around it.
//!
//! Beyond, assignments are looked for by exchanges (`search.rs`): two people exchange their rows, and the
//! exchange is kept where the classes that the method makes are no less like those of the release, or not much
//! less (threshold accepting). Each search starts from a random assignment. Where one ends at an assignment that
//! leads to the release, exchanges go on as long as that stays so: a walk over such assignments, each as likely as any.
//! Where none does, those that came nearest count. The class counts as one more search. What is believed so
//! is an estimate, and refutes a promise only if the guesses turn out to be right more often than it allows.
//! A method that draws from a secret is not searched so.
//!
//! Of a series (`of_series.rs`) all releases are made again, one after the other, for every way to give
//! everybody a value that does not change, each of them equally likely beforehand. Who fills a class is drawn from
//! a secret that he does not know, so each way is run several times.
//!
//! # Success
//! The share of people whose value was guessed; the baseline is the most frequent value of the class, for those
//! who were left out of all of them.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007, where one reason to merge rows is considered; Xiao, Tao and Koudas,
//! Transparent Anonymization, TODS 35(2), 2010; Cormode, Li, Li and Srivastava, VLDB 2010. Dueck and Scheuer,
//! Threshold Accepting, Journal of Computational Physics 90, 1990.

mod every;
mod found;
mod of_series;
mod rows;
mod search;

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message, Spec};

use self::found::Found;
pub use self::of_series::MethodOfSeries;
use self::rows::Rows;
use self::search::Search;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guess, Guesses, Rate, Scene, Sight, Who};

const SPEC: Spec = Spec {
    id: "re-execution",
    title: "Re-execution",
    paper: "Wong et al. 2007, Xiao et al. 2010",
    promise: "running the method again tells which values lead to this release",
    parameters: &[],
};

/// The largest table that is attacked: every guess is a run of the method.
const MOST_PEOPLE: usize = 200;

/// What is run again.
#[derive(Clone, Copy)]
pub enum RunAgain<'a> {
    /// The method of a release.
    Once(&'a dyn Method),
    /// The methods of all releases of a series.
    Series(&'a dyn MethodOfSeries),
}

/// The method that made a release, as somebody runs it who knows it.
pub trait Method: Sync {
    /// The sensitive values of the table, and where the release shows them.
    fn kinds(&self) -> &Kinds;

    /// Runs the method on the people with these kinds of values, and says in which class it puts each of them,
    /// those in none into one of their own; none where it finds no release. `draw` numbers the secrets from
    /// which it may draw.
    fn classes(&self, kinds: &[u32], draw: u32) -> Result<Option<Vec<u32>>, Error>;

    /// Runs the method, and says whether the release comes out again.
    fn leads_to_release(&self, kinds: &[u32], draw: u32) -> Result<bool, Error>;

    /// How often it may be run where not every assignment is tried.
    fn most_runs(&self) -> usize;

    /// Whether what comes out depends on a secret that is not known.
    fn draws(&self) -> bool;
}

/// The combinations of sensitive values that occur in a table, by number.
pub struct Kinds {
    /// The code of each sensitive attribute of the release. Codes from the number of its codes on are values that the
    /// release does not show.
    pub codes: Vec<Vec<u32>>,
    /// The kind of each row of the release.
    pub of_row: Vec<u32>,
    /// The kinds of the rows of the table that were left out of it.
    pub left: Vec<u32>,
}

/// The attack of who runs the method again.
pub(super) struct ReExecution;

impl Attack for ReExecution {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let is_promised = scene.declared.models.iter().any(|model| model.needs_values());
        if !is_promised && scene.declared.series.is_none() {
            return Some("a plan with a promise about a sensitive attribute".into());
        }
        let method = match &scene.method {
            Ok(RunAgain::Once(method)) => method,
            Ok(RunAgain::Series(method)) => return of_series::needs(scene, *method, MOST_PEOPLE),
            Err(needs) => return Some(needs.clone()),
        };
        let people = scene.people.as_ref().filter(|people| people.are_members());
        let n_people = people.map_or(0, super::People::len);
        let kinds = method.kinds();
        if n_people != kinds.of_row.len() + kinds.left.len() {
            return Some("nobody else among the people than those of the original table".into());
        }
        (n_people > MOST_PEOPLE)
            .then(|| "a table of at most 200 people: it runs the method for every guess".into())
    }

    fn guess(&self, ctx: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let (crowd, method) = match (scene.crowd(), &scene.method) {
            (Some(crowd), Ok(RunAgain::Once(method))) => (crowd, method),
            (_, Ok(RunAgain::Series(method))) => return of_series::guess(ctx, scene, *method),
            _ => return Ok(Vec::new()),
        };
        let rows = Rows::new(scene, crowd, method.kinds());
        let found = Search::new(&rows, *method).run(ctx)?;
        let attributes = 0..scene.release.sensitive().len();
        Ok(attributes
            .map(|attribute| of_attribute(scene, (crowd, method.kinds()), &found, attribute))
            .collect())
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        match scene.method {
            Ok(RunAgain::Series(_)) => scene.bound_of_series(attribute),
            _ => scene.bound(attribute),
        }
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "running the method again guesses {:.1} % of {} people right, against {:.1} % from the class alone",
            100.0 * rate.success,
            rate.targets,
            100.0 * rate.baseline
        )
    }
}

/// What was found about one attribute.
fn of_attribute(
    scene: &Scene<'_>,
    (crowd, kinds): (&Sight, &Kinds),
    found: &Found,
    attribute: usize,
) -> Guesses {
    let mut guesses = Guesses::new(Who::People, Some(attribute), scene.blind_value(attribute));
    let n_codes = scene.release.sensitive()[attribute].n_codes();
    let code_of_kind = |kind: u32| kinds.codes[kind as usize][attribute];
    let left_out = shares(kinds.left.iter().map(|&kind| code_of_kind(kind)));
    // A value that the release does not show cannot be named.
    let is_named = |&(code, _): &(u32, f64)| code < n_codes;
    for view in crowd.views() {
        let by_class = match view.shapes {
            [] => left_out.clone(),
            _ if left_out.is_empty() => scene.posterior(view, attribute),
            _ => with_others(scene.posterior(view, attribute), &left_out),
        };
        let named: Vec<(u32, f64)> = by_class.iter().copied().filter(is_named).collect();
        let (says, probability) = likeliest_value(&named);
        guesses.say_without(view, says, probability);
        for &target in view.targets {
            let posterior = found.posterior(target as usize, &by_class, code_of_kind);
            let (named, hidden): (Vec<_>, Vec<_>) = posterior.iter().copied().partition(is_named);
            let (says, probability) = likeliest_value(&named);
            guesses.guesses.push(Guess { target, says, probability });
            let of_hidden = hidden.into_iter().map(|(_, probability)| probability);
            guesses.ceiling = of_hidden.fold(guesses.ceiling, f64::max);
        }
    }
    guesses.is_estimated = found.is_estimated();
    guesses.notes.push(found.told().into());
    guesses
}

/// The share of each code, ascending.
fn shares(codes: impl Iterator<Item = u32>) -> Vec<(u32, f64)> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    codes.for_each(|code| *counts.entry(code).or_default() += 1);
    let n: u32 = counts.values().sum();
    counts.into_iter().map(|(code, count)| (code, f64::from(count) / f64::from(n))).collect()
}

/// The shares of a class, and those of whoever was left out as values that are not believed in so far.
fn with_others(mut shares: Vec<(u32, f64)>, others: &[(u32, f64)]) -> Vec<(u32, f64)> {
    for &(code, _) in others {
        if let Err(at) = shares.binary_search_by_key(&code, |&(code, _)| code) {
            shares.insert(at, (code, 0.0));
        }
    }
    shares
}
