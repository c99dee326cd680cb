//! Releases of a series judged after one another, as far as it is known who is in which class.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, History, SeriesRelease};
use kohort_models::series::{Broken, ClassBox, Correlations, few_people, signatures_are_kept};
use kohort_verify::Whereabouts;

use super::super::method::Model;
use super::super::people::{key, texts};
use super::super::promise::Case;
use super::ReleaseVerdict;
use super::alone::{One, tells};
use crate::Error;
use crate::diagnose::count;
use crate::plan::Plan;

/// What releases show together.
#[derive(Default)]
pub(super) struct Together {
    /// Releases, from 0, that break the promise after those before, and why.
    pub(super) broken: Vec<(usize, String)>,
    /// How many people of each original are in a class for certain.
    pub(super) placed: Vec<u64>,
    pub(super) not_judged: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Judges releases after one another. One that is broken by itself is not gone on with.
pub(super) fn judge(
    plan: &Plan,
    ones: &[One<'_>],
    model: Model,
    correlations: Option<&Correlations>,
    n_values: u32,
    alone: &[ReleaseVerdict],
) -> Result<Together, Error> {
    let mut found = Together::default();
    if ones.len() < 2 {
        found.not_judged.push(
            "what the release says together with others of its series: name all in their order, \
             `kohort verify R1 R2 … --plan PLAN`"
                .into(),
        );
        return Ok(found);
    }
    let originals: Option<Vec<_>> = ones.iter().map(|one| one.original.as_ref()).collect();
    let Some(originals) = originals else {
        found.not_judged.push(format!(
            "{}: the files do not show who is in which class; give the table of each release, in \
             their order, with `--original`",
            of_people(model)
        ));
        return Ok(found);
    };
    if alone.iter().any(|release| !release.reasons.is_empty()) {
        found.not_judged.push(format!("{}: a release fails by itself", of_people(model)));
        return Ok(found);
    }
    let mut people = Followed::default();
    for ((one, original), alone) in ones.iter().zip(&originals).zip(alone) {
        let keys: Vec<&str> = texts(key(plan, original)?).collect();
        let is_matched = alone
            .original
            .as_ref()
            .is_some_and(|found| found.uncovered == 0 && found.rows == alone.rows);
        people.add(one, &keys, model, is_matched)?;
    }
    found.placed = people.n_placed();
    let last = originals[originals.len() - 1];
    let boxes: Vec<Vec<ClassBox>> = match model {
        Model::Bcf(_) => ones.iter().map(|one| one.boxes(last)).collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    let broken = people.judge(model, &boxes, (correlations, n_values));
    found.not_judged.extend(people.left_open(model));
    if broken.is_some() && !tells(model) {
        found.notes.extend(people.taken_whole());
    }
    found.broken.extend(broken);
    found.notes.extend(people.changed(model));
    Ok(found)
}

/// What a model asks of people over releases.
fn of_people(model: Model) -> &'static str {
    match model {
        Model::MInvariance(_) => "whether everybody keeps the signature of the first release",
        Model::EEquivalence(_) => {
            "whether everybody keeps the signature, and which people must have equal values"
        }
        Model::RhoDifferent(_) => "what all releases and the correlations say of a person",
        Model::Bcf(_) => "which rows of two releases correspond",
        Model::XyAnonymity(_) | Model::XyLinkability(_) => "what the join of releases leaves",
        Model::Global(_) => "what somebody ever had by all releases",
    }
}

/// People who are followed through releases.
#[derive(Default)]
struct Followed {
    number_of: BTreeMap<String, u32>,
    releases: Vec<SeriesRelease>,
    // The sensitive attribute of each release.
    sensitive: Vec<String>,
    // In the original of each release: the person and the value of each row, and whether a class follows.
    rows: Vec<Vec<(u32, u32, bool)>>,
    // Whether each class, and not only what it shows, is known.
    is_exact: bool,
    // The releases, from 1, in which every row is somebody's and everybody has one.
    whole: Vec<usize>,
}

impl Followed {
    fn add(
        &mut self,
        one: &One<'_>,
        keys: &[&str],
        model: Model,
        is_matched: bool,
    ) -> Result<(), Error> {
        let found = one.whereabouts(model, is_matched)?;
        self.whole.extend(is_matched.then_some(self.releases.len() + 1));
        let of = |kinds: &[u32]| {
            let class_of = |found: &Whereabouts| found.class_of(kinds);
            found.as_ref().map(class_of).unwrap_or_default()
        };
        let identity: Vec<u32> = (0..).zip(&one.classes).map(|(class, _)| class).collect();
        let exact = of(&identity);
        let is_exact = !exact.contains(&ABSENT);
        self.is_exact = is_exact && (self.is_exact || self.releases.is_empty());
        let class_of_row = match model {
            Model::Bcf(_) => exact,
            Model::MInvariance(_) | Model::EEquivalence(_) => {
                of(&one.kinds(kohort_core::ReleasedClass::signature))
            }
            _ => of(&one.kinds(|class| class.values.clone())),
        };
        let mut class_of = vec![ABSENT; self.number_of.len()];
        let mut rows = Vec::with_capacity(keys.len());
        for ((key, &value), &class) in keys.iter().zip(&one.values).zip(&class_of_row) {
            let next = u32::try_from(self.number_of.len()).expect("people are fewer than rows");
            let person = *self.number_of.entry((*key).to_owned()).or_insert(next);
            class_of.resize(class_of.len().max(person as usize + 1), ABSENT);
            class_of[person as usize] = class;
            rows.push((person, value, class != ABSENT));
        }
        self.rows.push(rows);
        self.sensitive.push(one.sensitive.clone());
        self.releases.push(SeriesRelease { class_of, classes: one.classes.clone() });
        Ok(())
    }

    fn n_placed(&self) -> Vec<u64> {
        self.rows.iter().map(|rows| rows.iter().filter(|row| row.2).count() as u64).collect()
    }

    /// The people of whom a class does not follow somewhere.
    fn open(&self) -> Vec<bool> {
        let mut is_open = vec![false; self.number_of.len()];
        for &(person, _, is_placed) in self.rows.iter().flatten() {
            is_open[person as usize] |= !is_placed;
        }
        is_open
    }

    /// Each release after those before it; what is broken ends it.
    fn judge(
        &self,
        model: Model,
        boxes: &[Vec<ClassBox>],
        (correlations, n_values): (Option<&Correlations>, u32),
    ) -> Option<(usize, String)> {
        let is_open = self.open();
        // Of who is somewhere unknown, less than all that is known may say more, or something else.
        let is_left_out =
            !matches!(model, Model::MInvariance(_) | Model::EEquivalence(_) | Model::Global(_));
        let mut history = History { n_values, releases: Vec::new() };
        for (at, release) in self.releases.iter().enumerate() {
            let mut next = release.clone();
            for (class, &is_open) in next.class_of.iter_mut().zip(&is_open) {
                if is_open && is_left_out {
                    *class = ABSENT;
                }
            }
            let judged = match model {
                Model::EEquivalence(_) if !self.is_exact => signatures_are_kept(&history, &next),
                _ => {
                    let case = Case {
                        history: &history,
                        next: &next,
                        boxes,
                        sensitive: &self.sensitive,
                        correlations,
                        is_exact: self.is_exact,
                    };
                    case.judge(model, false).map(|_| ())
                }
            };
            if let Err(Broken(why)) = judged {
                return Some((at, format!("after those before it, {why}")));
            }
            history.releases.push(next);
        }
        None
    }

    /// What is not decided, because it does not follow who is where.
    fn left_open(&self, model: Model) -> Vec<String> {
        let mut open = Vec::new();
        let n = self.open().into_iter().filter(|&is_open| is_open).count() as u64;
        if n > 0 {
            let (people, all) = (count(n, "person", "people"), self.number_of.len());
            let nobody = if tells(model) {
                ""
            } else {
                ", or the row is a counterfeit, which `rho-different` does not disclose"
            };
            open.push(format!(
                "{} for {people} of {all}: several classes of a release may be theirs, or they were held \
                 back{nobody}",
                of_people(model)
            ));
        }
        if matches!(model, Model::EEquivalence(_)) && !self.is_exact {
            let people = "which people must have equal values: several classes may be somebody's";
            open.push(people.into());
        }
        if matches!(model, Model::RhoDifferent(_)) && !self.is_exact && self.has_few_people() {
            open.push(
                "what dealing the values of all classes to everybody at once says: several classes may be \
                 somebody's"
                    .into(),
            );
        }
        open
    }

    /// Whether worlds would be gone through if it were known who is in which class.
    fn has_few_people(&self) -> bool {
        few_people(&History { n_values: 0, releases: self.releases.clone() }).is_some()
    }

    /// Which releases are taken to have no counterfeits, where nobody counts them.
    fn taken_whole(&self) -> Option<String> {
        let whole: Vec<String> = self.whole.iter().map(usize::to_string).collect();
        let (releases, have, their) = match whole.len() {
            0 => return None,
            1 => ("release", "has", "its"),
            _ => ("releases", "have", "their"),
        };
        Some(format!(
            "{releases} {} {have} a row for everybody of {their} table: no counterfeit is taken to be there, \
             and nobody to be held back",
            whole.join(", ")
        ))
    }

    /// That values changed, where the promise is about those that do not.
    fn changed(&self, model: Model) -> Option<String> {
        if matches!(model, Model::RhoDifferent(_) | Model::Global(_)) {
            return None;
        }
        let mut last: BTreeMap<(&str, u32), u32> = BTreeMap::new();
        let mut n = 0;
        for (attribute, rows) in self.sensitive.iter().zip(&self.rows) {
            for &(person, value, _) in rows {
                let before = last.insert((attribute, person), value);
                n += u64::from(before.is_some_and(|before| before != value));
            }
        }
        let people = count(n, "time", "times");
        (n > 0).then(|| {
            format!("a value changed {people} from one table to the next: nothing is promised of those who have it")
        })
    }
}
