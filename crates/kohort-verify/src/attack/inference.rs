//! Inference: recovers what a release hides from what it shows, by rules that hold in a public table.
//!
//! # Adversary
//! Has a public table in which people stand with quasi-identifiers and with columns that the release also
//! publishes, though not as quasi-identifiers: a city beside the zip code, the year of a degree beside that
//! of birth, the sensitive value itself. Knows that the target is in the released table.
//!
//! # Method
//! 1. From the public table: for each value x of such a column, and each quasi-identifier, the fewest values
//!    that 95 % of the people with x have, where there are five or more.
//! 2. A record that shows x belongs to somebody with one of those values: it is no candidate of a target who
//!    has another.
//! 3. Linking and homogeneity are made with the candidates that are left. What they say is as sure as the
//!    rules that were used; where the release alone says something surer, that is said.
//! 4. Where 95 % of the people with a value of a quasi-identifier, or with values of two of them where there
//!    are twenty or more, have the same sensitive value, and a candidate of the target has it, that is said
//!    if it is surer still.
//!
//! Rules among quasi-identifiers tell nothing more about a target whose quasi-identifiers are all known:
//! rows of a class look the same by them, before and after.
//!
//! # Success
//! The expected share of targets whose record is drawn, and the share whose value is guessed. The baseline
//! is the same without rules.
//!
//! # References
//! Farkas and Jajodia, SIGKDD Explorations 4(2), 2002 (the inference problem).

use std::collections::BTreeMap;

use kohort_core::{Attribute, Codes, Column, Ctx, Error, Message, Setting, Spec, message};

use super::evidence::refinement::alone;
use super::evidence::released::Values;
use super::evidence::rules::{Evidence, Rule, learn};
use super::evidence::scene::{Sight, Told, View};
use super::guess::likeliest_value;
use super::score::{NONE, codes_in};
use super::{Attack, Criterion, Guesses, People, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "inference",
    title: "Inference by rules",
    paper: "Farkas and Jajodia 2002",
    promise: "what is hidden is recovered from published columns by rules of a public table",
    parameters: &[],
};

/// The inference attack.
pub(super) struct Inference;

impl Attack for Inference {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        // The original has what is to be found out: rules from it would see the truth.
        let public = scene.people.as_ref().filter(|people| !people.are_members());
        let has = public.is_some_and(|people| has_rules(scene, people));
        (!has).then(|| {
            message!(
                "a public table ({}) that shares a column with the release other than the quasi-identifiers",
                Setting::Public
            )
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let (Some(people), Some(crowd)) = (&scene.people, scene.crowd()) else {
            return Ok(Vec::new());
        };
        Ok(Run::new(scene, people, crowd).guesses())
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who knows the rules of the public table is right for {:.1} % of the \
             targets, against {:.1} % without them",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// The columns that release and public table share beside the quasi-identifiers, each in both.
fn shared<'a>(scene: &Scene<'a>, people: &People<'a>) -> Vec<(&'a Column, &'a Column)> {
    let is_quasi = |name: &str| people.quasi().iter().any(|attribute| attribute.name() == name);
    // Which row of a group has which value says nothing.
    let is_hidden = |name: &str| {
        scene.release.is_anatomized() && scene.release.sensitive().iter().any(|a| a.name() == name)
    };
    let columns = scene.release.table().columns().iter();
    let columns = columns.filter(|column| !is_quasi(column.name()) && !is_hidden(column.name()));
    let twin = |column: &'a Column| Some((column, people.table().column(column.name()).ok()?));
    columns.filter_map(twin).collect()
}

fn has_rules(scene: &Scene<'_>, people: &People<'_>) -> bool {
    let has = |a: &&Attribute| people.table().column(a.name()).is_ok();
    !shared(scene, people).is_empty() || scene.release.sensitive().iter().any(has)
}

/// People with values of two quasi-identifiers from whom a rule is learned.
const PAIR_SUPPORT: usize = 20;

/// What follows from two quasi-identifiers, or from one that stands for both.
struct Follows {
    axes: (usize, usize),
    // By their codes, ascending: the one sensitive value that people with them have, and how surely.
    value_of_codes: Vec<((u32, u32), (u32, f64))>,
}

impl Follows {
    /// What follows for somebody with these codes.
    fn find(&self, codes: &[u32]) -> Option<(u32, f64)> {
        let codes = (codes[self.axes.0], codes[self.axes.1]);
        let found = self.value_of_codes.binary_search_by_key(&codes, |&(codes, _)| codes);
        found.ok().map(|at| self.value_of_codes[at].1)
    }
}

struct Run<'a, 's> {
    scene: &'s Scene<'a>,
    crowd: &'s Sight,
    quasi: &'s [&'a Attribute],
    evidence: Vec<Evidence>,
    // Rows of one shape of which the evidence says the same.
    saying_of_piece: Vec<Vec<u32>>,
    size_of_piece: Vec<u32>,
    pieces_of_shape: Vec<Vec<u32>>,
    values: Vec<Values>,
    // What follows for each sensitive attribute.
    follows: Vec<Vec<Follows>>,
}

impl<'a, 's> Run<'a, 's> {
    fn new(scene: &'s Scene<'a>, people: &'s People<'a>, crowd: &'s Sight) -> Self {
        let (release, quasi) = (&scene.release, people.quasi());
        let mut pieces = release.shapes().clone();
        let (mut evidence, mut sayings) = (Vec::new(), Vec::new());
        for (published, public) in shared(scene, people) {
            let found = Evidence::learn(published, public, quasi);
            let said = published.codes().recode(&found.saying_of_entry);
            let n_sayings = u32::try_from(found.sayings.len()).expect("no more sayings than texts");
            pieces = pieces.refine(&said, n_sayings);
            evidence.push(found);
            sayings.push(said);
        }
        let first_rows = pieces.first_rows();
        let of_row = |&row: &u32| sayings.iter().map(|s: &Codes| s.get(row as usize)).collect();
        let mut pieces_of_shape = vec![Vec::new(); release.n_shapes() as usize];
        for (piece, &row) in (0..).zip(&first_rows) {
            pieces_of_shape[release.shapes().ids[row as usize] as usize].push(piece);
        }
        let sensitive = release.sensitive().iter();
        Self {
            scene,
            crowd,
            quasi,
            evidence,
            saying_of_piece: first_rows.iter().map(of_row).collect(),
            size_of_piece: pieces.sizes(),
            pieces_of_shape,
            values: sensitive.clone().map(|a| Values::new(&pieces, a)).collect(),
            follows: sensitive.map(|a| follows(people, a)).collect(),
        }
    }

    fn guesses(&self) -> Vec<Guesses> {
        let scene = self.scene;
        let blind = (Says::Record, 1.0 / scene.release.n_rows().max(1) as f64);
        let mut all = vec![Guesses::new(Who::People, None, blind)];
        let attributes = 0..scene.release.sensitive().len();
        all.extend(attributes.map(|a| Guesses::new(Who::People, Some(a), scene.blind_value(a))));
        let mut by_public_alone = vec![0; all.len()];
        for view in self.crowd.views() {
            let alone = alone(scene, view, &all);
            let codes: Vec<u32> =
                self.quasi.iter().map(|a| a.codes().get(view.targets[0] as usize)).collect();
            let (candidates, confidence) = self.candidates(view, &codes);
            for (index, guesses) in all.iter_mut().enumerate() {
                let mut said = alone[index];
                let sure = |said: (Says, f64)| (said.0, said.1 * confidence);
                let refined = sure(self.said(&candidates, guesses.attribute));
                said = if refined.1 > said.1 { refined } else { said };
                let rule = guesses.attribute.and_then(|a| self.rule(view, a, &codes));
                if let Some((code, confidence)) = rule.filter(|rule| rule.1 > said.1) {
                    said = (Says::Value(code, code), confidence);
                    by_public_alone[index] += view.targets.len();
                }
                guesses.say(view, said.0, said.1);
                guesses.say_without(view, alone[index].0, alone[index].1);
            }
        }
        for (guesses, count) in all.iter_mut().zip(by_public_alone).filter(|(_, count)| *count > 0)
        {
            let note = format!("targets whose value the public table alone foretells: {count}");
            guesses.notes.push(note.into());
        }
        all
    }

    /// The pieces that the rules leave to targets with these codes, and how sure the rules are.
    fn candidates(&self, view: View<'_>, codes: &[u32]) -> (Vec<u32>, f64) {
        let mut is_used = vec![vec![false; codes.len()]; self.evidence.len()];
        let mut is_left = |&piece: &u32| {
            let mut is_left = true;
            for (column, &saying) in self.saying_of_piece[piece as usize].iter().enumerate() {
                let allowed = &self.evidence[column].sayings[saying as usize];
                for (axis, (allowed, code)) in allowed.iter().zip(codes).enumerate() {
                    if allowed.as_ref().is_some_and(|allowed| allowed.binary_search(code).is_err())
                    {
                        is_used[column][axis] = true;
                        is_left = false;
                    }
                }
            }
            is_left
        };
        let pieces = view.shapes.iter().flat_map(|&shape| &self.pieces_of_shape[shape as usize]);
        let left: Vec<u32> = pieces.copied().filter(|piece| is_left(piece)).collect();
        let used = self.evidence.iter().zip(&is_used).flat_map(|(evidence, used)| {
            let both = evidence.confidence.iter().zip(used);
            both.filter(|(_, used)| **used).map(|(confidence, _)| confidence)
        });
        (left, used.product())
    }

    /// What follows when the record is in one of these pieces.
    fn said(&self, candidates: &[u32], attribute: Option<usize>) -> (Says, f64) {
        let size = |piece: u32| f64::from(self.size_of_piece[piece as usize]);
        let records: f64 = candidates.iter().map(|&piece| size(piece)).sum();
        // Which row of a group has which value says nothing.
        let is_silent = attribute.is_some() && self.scene.release.is_anatomized();
        if candidates.is_empty() || is_silent {
            return (Says::Nothing, 0.0);
        }
        let Some(attribute) = attribute else { return (Says::Record, 1.0 / records) };
        let mut shares = BTreeMap::new();
        for &piece in candidates {
            for &(code, count) in self.values[attribute].of(piece) {
                *shares.entry(code).or_insert(0.0) += f64::from(count) / records;
            }
        }
        let told = Told::of(self.scene.release.sensitive()[attribute]);
        likeliest_value(&told.keep(shares.into_iter().collect()))
    }

    /// The surest value that follows from quasi-identifiers and that a candidate of the targets has.
    fn rule(&self, view: View<'_>, attribute: usize, codes: &[u32]) -> Option<(u32, f64)> {
        let rules = self.follows[attribute].iter().filter_map(|follows| follows.find(codes));
        let rule = rules.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        let posterior = self.scene.posterior(view, attribute);
        posterior.iter().any(|&(code, _)| code == rule.0).then_some(rule)
    }
}

/// The sensitive values that follow from one quasi-identifier, then from two.
fn follows(people: &People<'_>, attribute: &Attribute) -> Vec<Follows> {
    let values = codes_in(people.table(), attribute);
    let quasi = people.quasi();
    let of_axes = |axes: (usize, usize)| {
        let codes = quasi[axes.0].codes().iter().zip(quasi[axes.1].codes().iter());
        let rules = learn(codes.zip(values.iter().copied()).collect());
        let is_one = axes.0 == axes.1;
        let rules = rules
            .into_iter()
            .filter(|rule| rule.allowed.len() == 1 && (is_one || PAIR_SUPPORT <= rule.support));
        // A value that the release does not have is a value for all that.
        let known = rules.filter(|rule: &Rule<(u32, u32)>| rule.allowed[0] != NONE);
        let value = |rule: Rule<_>| (rule.given, (rule.allowed[0], rule.confidence()));
        Follows { axes, value_of_codes: known.map(value).collect() }
    };
    let ones = (0..quasi.len()).map(|axis| (axis, axis));
    let twos = (0..quasi.len()).flat_map(|a| (a + 1..quasi.len()).map(move |b| (a, b)));
    ones.chain(twos).map(of_axes).collect()
}
