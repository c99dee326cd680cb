//! The privacy diagnosis centre: a question about a table, answered in one object.
//!
//! The twelve questions of Zare Mirakabad 2010 are the combinations of k given or open, one attribute set or
//! all subsets, and no suppression, a given share, or the share asked for.
//!
//! ```
//! use kohort::diagnose::{Question, text};
//! use kohort::plan::Plan;
//! use kohort::{Cx, Table};
//!
//! let rows = [["31", "02139", "flu"], ["31", "02139", "gout"], ["52", "02139", "flu"]];
//! let table = Table::from_rows(["age", "zip", "disease"], rows)?;
//! let plan = Plan::new().quasi(["age", "zip"]).sensitive(["disease"]);
//!
//! // Which sets of columns keep k = 2, and which do not?
//! let question = Question { subsets: true, k: Some(2), ..Question::default() };
//! let found = kohort::diagnose(&table, &plan, &question, &Cx::default())?;
//! assert_eq!(found.k, 1, "the third person is unique");
//! let borders = found.borders.as_ref().expect("a k was asked for");
//! assert_eq!(borders.positive_border, [["zip"]]);
//! println!("{}", text(&found));
//! # Ok::<(), kohort::Stop>(())
//! ```

mod people;
mod promise;
mod question;
mod repeated_question;
mod subsets;

use kohort_core::{Attribute, Codes, Ctx, Dataset, Ratio, Setting, Table, group, message};
use kohort_models::Distribution;
use kohort_verify::{
    AttributeSet, Borders, ClassSizes, Levels, Linking, Projection, Promise, Search, Uniques,
    Violations, borders, check, disclosure, levels, linking, linking_bound, match_public, uniques,
};

pub use kohort_report::diagnose::*;
pub use kohort_report::wording::{visible_json, visible_text};

pub(crate) use self::promise::levels_asked;
pub use self::question::Question;
pub(crate) use self::subsets::subset_of_sizes;
pub use crate::goal::Principle;

use crate::wording::{given_share, grouped};

use crate::Error;
use crate::error::refused;
use crate::error::suggestion;
use crate::goal::{About, Asked};
use crate::load::refuse_stars;

/// Answers a question about a dataset, with `public` as the population where given. `goal` has further
/// promises to judge: the plan's.
pub fn diagnose(
    dataset: &Dataset,
    question: &Question,
    goal: &[Principle],
    public: Option<&Table>,
    ctx: &Ctx<'_>,
) -> Result<Diagnosis, Error> {
    let run = Run { dataset, question, quasi: dataset.quasi(), sensitive: dataset.sensitive() };
    question.check(run.quasi.len(), public.is_some())?;
    refuse_stars(dataset)?;
    let chosen = run.chosen()?;
    let found = levels(dataset.n_rows(), &run.quasi, &run.sensitive, &chosen);
    let mut answer = run.levels(&found)?;
    if question.person.is_some() && !goal.is_empty() {
        answer
            .left_out
            .push("the goal was not judged: it counts rows, and rows are not people".into());
    } else {
        answer.goal = run.judge(goal)?;
    }
    let of_people = |column: &String| people::people(dataset, column);
    answer.people = question.person.as_ref().map(of_people).transpose()?;
    if goal.iter().any(|principle| matches!(principle, Principle::DeltaPresence(_))) {
        answer.left_out.push("`delta-presence` of the goal was not judged".into());
    }
    let is_counted =
        |asked: &Principle| matches!(asked, Principle::KMap(k_map) if k_map.public.is_some());
    if goal.iter().any(is_counted) {
        answer.left_out.push("`k-map` of the goal was not judged".into());
    }
    if let Some(public) = public {
        let presence = match_public(dataset.n_rows(), &run.quasi, public)?;
        answer.presence = presence.range().map(|(min, max)| PresenceAnswer {
            delta_min: min.into(),
            delta_min_value: min.value(),
            delta_max: max.into(),
            delta_max_value: max.value(),
            rows_not_covered: presence.rows_not_covered(),
        });
        note_not_covered(&mut answer, presence.rows_not_covered());
        add_linking(&mut answer.risk, linking(&presence).as_ref());
    } else if let Some(fraction) = question.sampling_fraction {
        add_sampled(&mut answer, &found.sizes, fraction);
    }
    if question.subsets {
        run.subsets(&mut answer, ctx)?;
    } else {
        run.one_set(&mut answer, &found.sizes, ctx)?;
    }
    Ok(answer)
}

#[derive(Clone)]
struct Run<'a> {
    dataset: &'a Dataset,
    question: &'a Question,
    quasi: Vec<&'a Attribute>,
    sensitive: Vec<&'a Attribute>,
}

impl Run<'_> {
    /// The codes of the chosen values, per sensitive attribute.
    fn chosen(&self) -> Result<Vec<Vec<u32>>, Error> {
        let mut chosen = vec![Vec::new(); self.sensitive.len()];
        for (name, value) in &self.question.values {
            let index = self.sensitive_index(name)?;
            // A chosen value is a parameter, so it may be quoted.
            let code = self.sensitive[index].code_of(value).ok_or_else(|| {
                refused(
                    format!("column `{name}` has no value `{value}`"),
                    "spell it as in the table; a value that does not occur has share 0",
                )
            })?;
            chosen[index].push(code);
        }
        for codes in &mut chosen {
            codes.sort_unstable();
        }
        Ok(chosen)
    }

    fn sensitive_index(&self, name: &str) -> Result<usize, Error> {
        self.sensitive.iter().position(|attribute| attribute.name() == name).ok_or_else(|| {
            let names = self.sensitive.iter().map(|attribute| attribute.name());
            let likely = suggestion(kohort_core::nearest(name, names));
            refused(
                format!("`{name}` is not a sensitive attribute{likely}"),
                message!("name it with {}", Setting::Sensitive.to(name)),
            )
        })
    }

    fn names(&self, set: AttributeSet) -> Vec<String> {
        set.iter().map(|attribute| self.quasi[attribute].name().to_owned()).collect()
    }

    fn levels(&self, found: &Levels) -> Result<Diagnosis, Error> {
        let sensitive = self.sensitive.iter().zip(&found.sensitive).map(sensitive_answer).collect();
        let quasi = self.quasi.iter().map(|attribute| attribute.name().to_owned()).collect();
        let columns = (self.dataset.table().name().to_owned(), quasi);
        let answer = of_levels(columns, self.question, &found.sizes, sensitive)?;
        Ok(Diagnosis { disclosure: self.disclosure(), ..answer })
    }

    /// What several sensitive attributes together give away.
    fn disclosure(&self) -> Option<DisclosureAnswer> {
        if self.sensitive.len() < 2 {
            return None;
        }
        let classes = group(self.dataset.n_rows(), self.columns());
        disclosure(&classes, &self.sensitive).as_ref().map(Into::into)
    }

    /// The codes of each quasi-identifier, and their number.
    fn columns(&self) -> Vec<(&Codes, u32)> {
        self.quasi.iter().map(|attribute| (attribute.codes(), attribute.n_codes())).collect()
    }

    /// How each of these promises stands for the whole quasi-identifier.
    fn judge(&self, principles: &[Principle]) -> Result<Vec<GoalAnswer>, Error> {
        let asked = Asked::new(principles, &self.sensitive)?;
        let quasi = self.columns();
        let classes = group(self.dataset.n_rows(), quasi.iter().copied());
        let found = check(&classes, &quasi, &self.sensitive, asked.models());
        let about = asked.about().iter().zip(found);
        let sizes: ClassSizes = classes.sizes().into_iter().map(u64::from).collect();
        let sizes: Vec<(u64, u64)> = sizes.iter().collect();
        let of_all = asked.sizes().iter().map(|model| {
            let (classes, rows) = model.in_the_way(&sizes);
            Violations { classes, rows, masked: 0 }
        });
        let about = about.chain(asked.about_all().iter().zip(of_all));
        Ok(about.map(|(about, found)| goal_answer(about, found)).collect())
    }

    /// Questions 1, 3, 5, 7, 9 and 11.
    fn one_set(
        &self,
        answer: &mut Diagnosis,
        sizes: &ClassSizes,
        ctx: &Ctx<'_>,
    ) -> Result<(), Error> {
        let question = self.question;
        answer.suppression = suppression(question, sizes);
        let asked = self.judge(&self.question.asked())?;
        if let (Some(k), Some(share)) = (question.k, question.suppress) {
            answer.holds = Some(sizes.suppressed_for(k) <= share.floor_of(sizes.n_rows()));
        } else if !asked.is_empty() && !question.find_suppression {
            answer.holds = Some(asked.iter().all(|asked| asked.holds));
        }
        if question.suppress.is_none() && !question.find_suppression {
            answer.goal.splice(0..0, asked);
        }
        if self.quasi.len() > AttributeSet::LIMIT {
            let limit = AttributeSet::LIMIT;
            answer.left_out.push(format!(
                "unique rows and borders were not searched: that takes at most {limit} \
                 quasi-identifiers"
            ));
            return Ok(());
        }
        let projection = Projection::new(self.dataset.n_rows(), &self.quasi, &[]);
        let found = uniques(&projection, question.riskiest)?;
        answer.uniques = Some(self.uniques(&found));
        if let Some(k) = question.border_k {
            let asked = Question { k: Some(k), ..Question::default() };
            Run { question: &asked, ..self.clone() }.borders(answer, ctx)?;
        }
        Ok(())
    }

    fn uniques(&self, found: &Uniques) -> UniquesAnswer {
        let count = |set: AttributeSet, rows| UniqueCount { attributes: self.names(set), rows };
        UniquesAnswer {
            by_column: (found.single.iter().enumerate())
                .map(|(attribute, &rows)| count(AttributeSet::EMPTY.with(attribute), rows))
                .collect(),
            by_pair: found.pairs.iter().map(|&(set, rows)| count(set, rows)).collect(),
            by_smallest_set: found.by_size.clone(),
            riskiest: (found.riskiest.iter())
                .map(|singled| Riskiest {
                    row: singled.row,
                    sets: singled.sets.iter().map(|&set| self.names(set)).collect(),
                    limited: singled.looked_up_to < self.quasi.len(),
                    looked_up_to: singled.looked_up_to,
                    score: singled.score,
                })
                .collect(),
        }
    }

    /// Questions 2, 4, 6, 8, 10 and 12.
    fn subsets(&self, answer: &mut Diagnosis, ctx: &Ctx<'_>) -> Result<(), Error> {
        let question = self.question;
        if question.find_suppression || question.asked().is_empty() {
            self.every_subset(answer, ctx)
        } else {
            self.borders(answer, ctx)
        }
    }

    fn borders(&self, answer: &mut Diagnosis, ctx: &Ctx<'_>) -> Result<(), Error> {
        let question = self.question;
        let asked = question.asked();
        let n_rows = self.dataset.n_rows();
        let asked = Asked::new(&asked, &self.sensitive)?;
        let mut promise_text = asked.describe();
        let found = if let (Some(share), Some(k)) = (question.suppress, question.k) {
            promise_text.push_str(" after dropping at most ");
            promise_text.push_str(&given_share(share.value()));
            let projection = Projection::new(n_rows, &self.quasi, &[]);
            let promise = Promise::Suppressing { k, budget: share.floor_of(n_rows as u64) };
            borders(&projection, &promise, question.max_size, ctx)?
        } else {
            // A promise about k alone needs no sensitive values in the rows.
            let sensitive = if question.principles.is_empty() { &[][..] } else { &self.sensitive };
            let projection = Projection::new(n_rows, &self.quasi, sensitive);
            let distributions: Vec<Distribution<'_>> =
                sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
            let promise =
                Promise::EveryClass { models: asked.into_models(), distributions: &distributions };
            borders(&projection, &promise, question.max_size, ctx)?
        };
        if !found.is_complete {
            answer.left_out.push(left_out_of(&found));
        }
        let names = |sets: &[AttributeSet]| {
            let mut named: Vec<Vec<String>> = sets.iter().map(|&set| self.names(set)).collect();
            named.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            named
        };
        answer.borders = Some(BordersAnswer {
            promise: promise_text,
            positive_border: names(&found.positive),
            negative_border: names(&found.negative),
            evaluated: found.evaluated,
            complete: found.is_complete,
            complete_to: found.complete_to,
            search: match found.search {
                Search::LevelWise => "level-wise",
                Search::DualizeAndAdvance => "dualize-and-advance",
            },
        });
        Ok(())
    }
}

/// What the sizes of classes and the levels of the sensitive attributes say.
pub(crate) fn of_levels(
    (table, quasi): (String, Vec<String>),
    question: &Question,
    sizes: &ClassSizes,
    sensitive: Vec<Sensitive>,
) -> Result<Diagnosis, Error> {
    let no_rows = || refused("the table has no rows", "give a table with rows");
    Ok(Diagnosis {
        table,
        rows: sizes.n_rows(),
        people: None,
        quasi,
        asked: Some(question.into()),
        k: sizes.k().ok_or_else(no_rows)?,
        classes: sizes.n_classes(),
        class_sizes: SizeCount::all(sizes),
        distinct_ratio: sizes.distinct_ratio().value(),
        separation_ratio: sizes.separation_ratio(),
        p_sensitivity: sensitive.iter().map(|s| s.distinct_l).min(),
        disclosure: None,
        sensitive,
        presence: None,
        risk: Risk {
            prosecutor: ProsecutorAnswer::new(sizes).ok_or_else(no_rows)?,
            journalist: None,
            marketer: None,
            population: None,
        },
        uniques: None,
        holds: None,
        goal: Vec::new(),
        suppression: SuppressionAnswer::default(),
        subsets: None,
        borders: None,
        left_out: Vec::new(),
    })
}

/// Linking against a population of which a sampling fraction is known.
pub(crate) fn add_sampled(answer: &mut Diagnosis, sizes: &ClassSizes, fraction: Ratio) {
    // A sample of everybody is the population.
    let is_bound = fraction < Ratio::whole(1);
    let known = linking_bound(sizes).map(|known| Linking { is_bound, ..known });
    add_linking(&mut answer.risk, known.as_ref());
    answer.risk.population = PopulationAnswer::new(sizes, fraction);
}

/// Says that the public table lacks people.
pub(crate) fn note_not_covered(answer: &mut Diagnosis, rows: u64) {
    if rows > 0 {
        answer.left_out.push(format!(
            "the public table does not list everybody in the table ({} rows are in classes with \
             fewer people there): until it does, presence is too low or too high, and journalist and \
             marketer risk are upper bounds",
            grouped(rows)
        ));
    }
}

/// What suppression buys in classes of these sizes.
pub(crate) fn suppression(question: &Question, sizes: &ClassSizes) -> SuppressionAnswer {
    let n = sizes.n_rows();
    if let Some(share) = question.suppress {
        let reached = sizes.k_with_budget(share.floor_of(n));
        return SuppressionAnswer {
            k_after: Some(Reached(reached.map(|(k, _)| k))),
            suppressed: Some(reached.map_or(n, |(_, suppressed)| suppressed)),
            ..SuppressionAnswer::default()
        };
    }
    if !question.find_suppression {
        return SuppressionAnswer::default();
    }
    if let Some(k) = question.k {
        let suppressed = sizes.suppressed_for(k);
        return SuppressionAnswer {
            suppression: Some(Ratio::new(suppressed, n.max(1)).value()),
            suppressed: Some(suppressed),
            ..SuppressionAnswer::default()
        };
    }
    let point = |(k, suppressed)| CurvePoint { k, suppressed };
    SuppressionAnswer {
        curve: Some(sizes.curve().into_iter().map(point).collect()),
        ..SuppressionAnswer::default()
    }
}

/// What an unfinished search over attribute sets leaves open.
fn left_out_of(found: &Borders) -> String {
    let mut text = format!(
        "sets of more than {} attributes were not all tested: larger smallest unsafe sets may be \
         missing",
        found.complete_to
    );
    match (found.search, found.unlisted) {
        (Search::DualizeAndAdvance, _) => {
            text.push_str("; the listed sets are proved, and there may be more of either kind");
        }
        (_, 0) => text.push_str(", and safe sets that are listed may have safe supersets"),
        (_, unlisted) => {
            text.push_str("; ");
            text.push_str(&grouped(unlisted));
            text.push_str(" safe sets that may have safe supersets are not listed");
        }
    }
    text
}

/// How a promise stands, given the classes that break it.
pub(crate) fn goal_answer(about: &About, violations: Violations) -> GoalAnswer {
    GoalAnswer {
        model: about.model().to_owned(),
        parameters: about.parameters(),
        levels: levels_asked(about.principle()),
        vacuous: about.is_vacuous(),
        attribute: about.attribute().map(str::to_owned),
        buckets: about.buckets().map(str::to_owned),
        distance: about.distance(),
        holds: violations.classes == 0,
        evidence: None,
        left_out: None,
        violating_classes: violations.classes,
        violating_rows: violations.rows,
        masked_classes: violations.masked,
        members: None,
    }
}

fn add_linking(risk: &mut Risk, found: Option<&Linking>) {
    if let Some(&Linking { journalist_max, marketer, is_bound: bound }) = found {
        let figure = |value| Some(RiskFigure { value, estimate: false, bound });
        risk.journalist = figure(journalist_max);
        risk.marketer = figure(marketer);
    }
}

fn sensitive_answer(
    (attribute, found): (&&Attribute, &kohort_verify::SensitiveLevels),
) -> Sensitive {
    let recursive = || (2..).zip(found.recursive_c);
    Sensitive {
        attribute: attribute.name().to_owned(),
        buckets: attribute.buckets().map(|buckets| buckets.form().to_owned()),
        values: u64::from(attribute.n_codes()),
        distinct_l: found.distinct_l,
        frequency_l: found.frequency_l.into(),
        frequency_l_value: found.frequency_l.value(),
        entropy_l: found.entropy_l,
        recursive: recursive().map(|(l, c)| (l.to_string(), c.map(Ratio::value))).collect(),
        recursive_exact: recursive().map(|(l, c)| (l.to_string(), c.map(Into::into))).collect(),
        recursive_l: (1..).zip(found.recursive_l).map(|(c, l)| (c.to_string(), l)).collect(),
        alpha: found.alpha.map(Into::into),
        alpha_value: found.alpha.map(Ratio::value),
        t_equal: found.t_equal,
        t_ordered: found.t_ordered,
        t_hierarchical: found.t_hierarchical,
        rows_disclosed: found.rows_disclosed,
    }
}
