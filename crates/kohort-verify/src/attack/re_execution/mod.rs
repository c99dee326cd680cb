//! Re-execution: runs the method again for every assignment of the sensitive values, and keeps those that lead
//! to the same release.
//!
//! # Adversary
//! Knows the program, the plan, and the quasi-identifiers of everybody in the table, who are all in the release.
//! He does not know the secret from which random choices are drawn. Before he sees the release, every
//! assignment of its values to the people is equally likely to him.
//!
//! # Method
//! Where there are at most 5,000 assignments that the release admits, each is tried, and the posterior of a
//! value is its share among those that lead to the release. A method that draws from a secret is run several
//! times for each; the posterior is then an estimate, and what is said is the lower end of an interval of four
//! standard errors around it.
//!
//! Beyond, assignments are looked for by exchanges (`search.rs`): the values of two people of a class are
//! exchanged, and the exchange is kept where no fewer rows of the release come out. Each search starts from a
//! random assignment. Of the assignments where searches end, those with most rows of the release count, and the
//! class counts as one more. What is believed so is an estimate, and refutes a promise only if the guesses turn
//! out to be right more often than it allows. A method that draws from a secret is not searched so.
//!
//! # Success
//! The share of people whose value was guessed; the baseline is the most frequent value of the class.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007, where one reason to merge rows is considered; Xiao, Tao and Koudas,
//! Transparent Anonymization, TODS 35(2), 2010; Cormode, Li, Li and Srivastava, VLDB 2010.

mod search;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};

use self::search::Search;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guess, Guesses, Rate, Scene, Who};

const SPEC: Spec = Spec {
    id: "re-execution",
    title: "Re-execution",
    paper: "Wong et al. 2007, Xiao et al. 2010",
    promise: "running the method again tells which values lead to this release",
    parameters: &[],
};

/// The largest table that is attacked: every guess is a run of the method.
const MOST_PEOPLE: usize = 200;

/// The method that made a release, as somebody runs it who knows it.
pub trait Method: Sync {
    /// Runs the method on the people with these sensitive values, codes of the release, and says of each row
    /// of the release whether it comes out again. `draw` numbers the secrets from which it may draw.
    fn run(&self, values: &[u32], draw: u32) -> Result<Vec<bool>, Error>;

    /// How often it may be run where not every assignment is tried.
    fn most_runs(&self) -> usize;

    /// Whether what comes out depends on the secret.
    fn draws(&self) -> bool;
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
        let is_about_values = scene.declared.models.iter().any(|model| model.needs_values());
        if scene.method.is_none() || !is_about_values || scene.release.sensitive().len() != 1 {
            return Some(message!(
                "a release by a method that can be run again, its plan with a promise about one sensitive \
                 attribute, and the table it was made of ({})",
                Setting::Original
            ));
        }
        let n_people = scene.people.as_ref().map_or(0, super::People::len);
        if n_people > MOST_PEOPLE {
            return Some(
                "a table of at most 200 people: it runs the method for every guess".into(),
            );
        }
        (n_people != scene.release.n_rows()).then(|| "a release of all people of the table".into())
    }

    fn guess(&self, ctx: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let (Some(crowd), Some(method)) = (scene.crowd(), scene.method) else {
            return Ok(Vec::new());
        };
        let mut guesses = Guesses::new(Who::People, Some(0), scene.blind_value(0));
        let mut by_class = vec![Vec::new(); scene.release.n_rows()];
        for view in crowd.views() {
            let posterior = scene.posterior(view, 0);
            let (says, probability) = likeliest_value(&posterior);
            guesses.say_without(view, says, probability);
            for &person in view.targets {
                by_class[person as usize].clone_from(&posterior);
            }
        }
        guesses.without.sort_by_key(|guess| guess.target);
        if by_class.iter().any(Vec::is_empty) {
            // Somebody is covered by no row: the release is not of these people.
            return Ok(Vec::new());
        }
        let mut search = Search::new(scene, crowd, method);
        let found = if let Some(found) = search.every_assignment()? {
            found
        } else {
            guesses.is_estimated = true;
            search.by_exchanges(ctx)?
        };
        for (target, shares) in (0..).zip(&by_class) {
            let posterior = found.posterior(target as usize, shares);
            let (says, probability) = likeliest_value(&posterior);
            guesses.guesses.push(Guess { target, says, probability });
        }
        guesses.notes.push(found.told().into());
        Ok(vec![guesses])
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
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
