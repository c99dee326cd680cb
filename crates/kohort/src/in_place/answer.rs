//! The answer to a question, from the figures that a database gave.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Dataset, MissingAs, Ratio};
use kohort_verify::{ClassSizes, Violations};

use super::figures::{Figures, Given};
use crate::Error;
use crate::diagnose::{
    BordersAnswer, Diagnosis, GoalAnswer, PresenceAnswer, Principle, Question, RiskFigure,
    Sensitive, Subset, SubsetSensitive, UniqueCount, UniquesAnswer, add_sampled, goal_answer,
    note_not_covered, of_levels, subset_of_sizes, suppression,
};
use crate::error::refused;
use crate::goal::Asked;
use crate::sql::{Column, Figure, Names};
use crate::wording::given_share;

/// Puts the figures together, as the local answer has them.
pub(super) fn of(
    figures: &Figures,
    (dataset, names): (&Dataset, &Names<'_>),
    question: &Question,
    goal: &[Principle],
) -> Result<Diagnosis, Error> {
    let sizes = figures.get(Figure::Histogram, false)?.sizes()?;
    let sensitive = names.sensitive.iter().enumerate();
    let sensitive = sensitive.map(|(at, column)| of_sensitive(figures, at, column));
    let sensitive = sensitive.collect::<Result<Vec<_>, _>>()?;
    let quasi = names.quasi.iter().map(|name| (*name).to_owned()).collect();
    let columns = (dataset.table().name().to_owned(), quasi);
    let mut answer = of_levels(columns, question, &sizes, sensitive)?;
    let run = Run { figures, names, question, sensitive: dataset.sensitive(), sizes };
    run.refuse_values()?;
    let first = if question.subsets { 0 } else { question.asked().len() };
    answer.goal = run.judge(goal, question.asked().len(), &mut answer.left_out)?;
    run.linking(&mut answer)?;
    if question.subsets {
        run.subsets(&mut answer)?;
    } else {
        run.one_set(&mut answer, first)?;
    }
    run.name_what_is_left_out(&mut answer);
    Ok(answer)
}

struct Run<'a> {
    figures: &'a Figures,
    names: &'a Names<'a>,
    question: &'a Question,
    sensitive: Vec<&'a Attribute>,
    sizes: ClassSizes,
}

/// The levels of one sensitive attribute.
fn of_sensitive(figures: &Figures, at: usize, column: &Column<'_>) -> Result<Sensitive, Error> {
    let diversity = figures.get(Figure::Diversity(at), false)?;
    let recursive = figures.get(Figure::Recursive(at), false)?;
    let frequency_l = diversity.ratio(0, "frequency_l")?.unwrap_or(Ratio::whole(0));
    let mut exact = BTreeMap::new();
    for l in 2..=5_u64 {
        exact.insert(l.to_string(), recursive.ratio(0, &format!("c_for_l_{l}"))?);
    }
    let mut recursive_l = BTreeMap::new();
    for c in 1..=3_u64 {
        let l = recursive.count(0, &format!("l_for_c_{c}"))?;
        recursive_l.insert(c.to_string(), l.unwrap_or(0));
    }
    let alpha = figures.of(Figure::Alpha(at), false);
    let alpha = alpha.map(|given| given.ratio(0, "alpha")).transpose()?.flatten();
    let distance = |figure, name: &str| match figures.of(figure, false) {
        Some(given) => Ok::<_, Error>(Some(given.real(0, name)?.unwrap_or(0.0))),
        None => Ok(None),
    };
    Ok(Sensitive {
        attribute: column.name.to_owned(),
        buckets: None,
        values: figures.get(Figure::Values(at), false)?.whole(0, "values_in_table")?,
        distinct_l: diversity.count(0, "distinct_l")?.unwrap_or(0),
        frequency_l: frequency_l.into(),
        frequency_l_value: frequency_l.value(),
        entropy_l: diversity.real(0, "entropy_l")?.unwrap_or(1.0),
        recursive: exact.iter().map(|(l, c)| (l.clone(), c.map(Ratio::value))).collect(),
        recursive_exact: exact.into_iter().map(|(l, c)| (l, c.map(Into::into))).collect(),
        recursive_l,
        alpha: alpha.map(Into::into),
        alpha_value: alpha.map(Ratio::value),
        t_equal: distance(Figure::Equal(at), "t_equal")?.unwrap_or(0.0),
        t_ordered: distance(Figure::Ordered(at), "t_ordered")?,
        t_hierarchical: None,
        rows_disclosed: diversity.count(0, "rows_disclosed")?.unwrap_or(0),
    })
}

impl Run<'_> {
    /// Refuses chosen values of which none is there.
    fn refuse_values(&self) -> Result<(), Error> {
        for (at, column) in self.names.sensitive.iter().enumerate() {
            let Some(given) = self.figures.of(Figure::Alpha(at), false) else { continue };
            let mut chosen = self.question.values.iter().filter(|(name, _)| name == column.name);
            if chosen.all(|(_, value)| !self.names.missing.is(value))
                && given.count(0, "alpha_num")?.unwrap_or(0) == 0
            {
                return Err(refused(
                    format!(
                        "column `{}` has none of the values whose share is asked for",
                        column.name
                    ),
                    "spell them as in the table; a value that does not occur has share 0",
                ));
            }
        }
        Ok(())
    }

    /// How each of these promises stands; the first has this place among all that are judged. Those that have no
    /// statement are left out.
    fn judge(
        &self,
        promises: &[Principle],
        first: usize,
        left_out: &mut Vec<String>,
    ) -> Result<Vec<GoalAnswer>, Error> {
        let mut answers = Vec::new();
        let mut of_all = Vec::new();
        let sizes: Vec<(u64, u64)> = self.sizes.iter().collect();
        for (principle, asked) in (first..).zip(promises) {
            let models = Asked::new(std::slice::from_ref(asked), &self.sensitive)?;
            for about in models.about() {
                let sensitive = about.index();
                let figure = Figure::Judged { principle, sensitive };
                let Some(given) = self.figures.of(figure, false) else {
                    let of =
                        about.attribute().map_or(String::new(), |name| format!(" of `{name}`"));
                    left_out.push(format!(
                        "`{}`{of} was not judged: it has no statement",
                        about.model()
                    ));
                    continue;
                };
                // Where no row says anything of the attribute there is no class to count.
                let count = |name| Ok::<_, Error>(given.count(0, name)?.unwrap_or(0));
                let (classes, rows) = (count("violating_classes")?, count("violating_rows")?);
                answers.push(goal_answer(about, Violations { classes, rows, masked: 0 }));
            }
            for (about, model) in models.about_all().iter().zip(models.sizes()) {
                let (classes, rows) = model.in_the_way(&sizes);
                of_all.push(goal_answer(about, Violations { classes, rows, masked: 0 }));
            }
            if models.presence().is_some() || models.population().is_some() {
                left_out.push(format!("`{}` of the goal was not judged", asked.id()));
            }
        }
        answers.append(&mut of_all);
        Ok(answers)
    }

    /// What somebody learns who knows a population.
    fn linking(&self, answer: &mut Diagnosis) -> Result<(), Error> {
        if let Some(given) = self.figures.of(Figure::Presence, false) {
            let rows_not_covered = given.whole(0, "rows_not_covered")?;
            let range = (given.ratio(0, "delta_min")?, given.ratio(0, "delta_max")?);
            answer.presence = match range {
                (Some(min), Some(max)) => Some(PresenceAnswer {
                    delta_min: min.into(),
                    delta_min_value: min.value(),
                    delta_max: max.into(),
                    delta_max_value: max.value(),
                    rows_not_covered,
                }),
                _ => None,
            };
            note_not_covered(answer, rows_not_covered);
            let bound = rows_not_covered > 0;
            let figure = |value| RiskFigure { value, estimate: false, bound };
            answer.risk.journalist = given.real(0, "journalist")?.map(figure);
            answer.risk.marketer = given.real(0, "marketer")?.map(figure);
        } else if let Some(fraction) = self.question.sampling_fraction {
            add_sampled(answer, &self.sizes, fraction);
        }
        Ok(())
    }

    /// Questions 1, 3, 5, 7, 9 and 11.
    fn one_set(&self, answer: &mut Diagnosis, n_asked: usize) -> Result<(), Error> {
        let question = self.question;
        answer.suppression = suppression(question, &self.sizes);
        let suppresses = question.suppress.is_some() || question.find_suppression;
        if let (Some(k), Some(share)) = (question.k, question.suppress) {
            answer.holds = Some(drops_enough(&self.sizes, (k, share)));
        } else if n_asked > 0 && !suppresses {
            let mut unjudged = Vec::new();
            let asked = self.judge(&question.asked(), 0, &mut unjudged)?;
            refuse_unjudged(&unjudged)?;
            answer.holds = Some(asked.iter().all(|asked| asked.holds));
            answer.goal.splice(0..0, asked);
        }
        let Some(given) = self.figures.of(Figure::Uniques, false) else {
            answer
                .left_out
                .push("the rows that columns make unique: there are too many pairs".into());
            return Ok(());
        };
        let found = given.rows_of_sets()?;
        let quasi = &self.names.quasi;
        let count = |attributes: Vec<&str>| -> Result<UniqueCount, Error> {
            let rows =
                found.get(&attributes.join(", ")).map(|&row| given.whole(row, "rows_unique"));
            let attributes = attributes.into_iter().map(str::to_owned).collect();
            Ok(UniqueCount { attributes, rows: rows.transpose()?.unwrap_or(0) })
        };
        let pairs = (1..quasi.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        answer.uniques = Some(UniquesAnswer {
            by_column: quasi.iter().map(|name| count(vec![*name])).collect::<Result<_, Error>>()?,
            by_pair: pairs
                .map(|(a, b)| count(vec![quasi[a], quasi[b]]))
                .collect::<Result<_, Error>>()?,
            by_smallest_set: Vec::new(),
            riskiest: Vec::new(),
        });
        Ok(())
    }

    /// Questions 2, 4, 6, 8, 10 and 12.
    fn subsets(&self, answer: &mut Diagnosis) -> Result<(), Error> {
        if self.question.find_suppression || self.question.asked().is_empty() {
            self.every_subset(answer)
        } else {
            self.borders(answer)
        }
    }

    fn every_subset(&self, answer: &mut Diagnosis) -> Result<(), Error> {
        let found = self.figures.get(Figure::Histogram, true)?.sizes_of_sets()?;
        let mut levels: Vec<(&str, &Given, BTreeMap<String, usize>)> = Vec::new();
        for (at, column) in self.names.sensitive.iter().enumerate() {
            if let Some(given) = self.figures.of(Figure::Diversity(at), true) {
                levels.push((column.name, given, given.rows_of_sets()?));
            }
        }
        let mut subsets = Vec::new();
        for set in self.sets() {
            let name = set.join(", ");
            let sizes = found.get(&name).cloned().unwrap_or_default();
            let sensitive = levels.iter().map(|(attribute, given, rows)| {
                of_subset(attribute, given, rows.get(&name).copied())
            });
            let sensitive = sensitive.collect::<Result<_, _>>()?;
            let subset = subset_of_sizes(self.question, &sizes);
            subsets.push(Subset { attributes: set, sensitive, ..subset });
        }
        subsets.sort_by(Subset::by_names);
        answer.subsets = Some(subsets);
        Ok(())
    }

    fn borders(&self, answer: &mut Diagnosis) -> Result<(), Error> {
        let question = self.question;
        let asked = question.asked();
        let mut promise = Asked::new(&asked, &self.sensitive)?.describe();
        let sets = self.sets();
        let safe: Vec<bool> = if let (Some(share), Some(k)) = (question.suppress, question.k) {
            promise.push_str(" after dropping at most ");
            promise.push_str(&given_share(share.value()));
            let found = self.figures.get(Figure::Histogram, true)?.sizes_of_sets()?;
            let holds = |set: &Vec<String>| {
                found.get(&set.join(", ")).is_some_and(|sizes| drops_enough(sizes, (k, share)))
            };
            sets.iter().map(holds).collect()
        } else {
            self.holding(&asked, &sets)?
        };
        let is_within =
            |a: &[String], b: &[String]| a.len() < b.len() && a.iter().all(|name| b.contains(name));
        let listed = |wanted: bool, beats: &dyn Fn(&[String], &[String]) -> bool| {
            let of_kind: Vec<&Vec<String>> = sets
                .iter()
                .zip(&safe)
                .filter(|&(_, &is)| is == wanted)
                .map(|(set, _)| set)
                .collect();
            let is_extreme = |set: &&&Vec<String>| !of_kind.iter().any(|other| beats(other, set));
            let mut border: Vec<Vec<String>> =
                of_kind.iter().filter(is_extreme).map(|set| (*set).clone()).collect();
            border.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            border
        };
        let n = self.names.quasi.len();
        let complete_to = question.max_size.unwrap_or(n).min(n);
        if complete_to < n {
            answer.left_out.push(format!(
                "sets of more than {complete_to} attributes were not tested: larger smallest unsafe sets may \
                 be missing, and safe sets that are listed may have safe supersets"
            ));
        }
        answer.borders = Some(BordersAnswer {
            promise,
            positive_border: listed(true, &|other, set| is_within(set, other)),
            negative_border: listed(false, &|other, set| is_within(other, set)),
            evaluated: sets.len() as u64,
            complete: complete_to == n,
            complete_to,
            search: "every-set",
        });
        Ok(())
    }

    /// Which of the sets keep all that is asked.
    fn holding(&self, asked: &[Principle], sets: &[Vec<String>]) -> Result<Vec<bool>, Error> {
        let mut safe = vec![true; sets.len()];
        let mut unjudged = Vec::new();
        for (principle, one) in asked.iter().enumerate() {
            let models = Asked::new(std::slice::from_ref(one), &self.sensitive)?;
            if models.about().is_empty() {
                unjudged.push(one.id().to_owned());
            }
            for about in models.about() {
                let figure = Figure::Judged { principle, sensitive: about.index() };
                let Some(given) = self.figures.of(figure, true) else {
                    unjudged.push(one.id().to_owned());
                    continue;
                };
                let rows = given.rows_of_sets()?;
                for (safe, set) in safe.iter_mut().zip(sets) {
                    // A set without a row is one whose classes say nothing of the attribute.
                    *safe &= match rows.get(&set.join(", ")) {
                        Some(&row) => given.holds(row)?,
                        None => true,
                    };
                }
            }
        }
        refuse_unjudged(&unjudged)?;
        Ok(safe)
    }

    /// The sets that are asked about, the smallest first.
    fn sets(&self) -> Vec<Vec<String>> {
        let quasi = &self.names.quasi;
        let most = self.question.max_size.unwrap_or(quasi.len());
        let chosen = |bits: u64| {
            let is_in = move |(at, _): &(usize, &&str)| bits >> at & 1 == 1;
            quasi.iter().enumerate().filter(is_in).map(|(_, name)| (*name).to_owned())
        };
        let all = (0..1_u64 << quasi.len()).filter(|bits| bits.count_ones() as usize <= most);
        let mut sets: Vec<Vec<String>> = all.map(|bits| chosen(bits).collect()).collect();
        sets.sort_by_key(Vec::len);
        sets
    }

    /// Says what the local answer has and this one has not.
    fn name_what_is_left_out(&self, answer: &mut Diagnosis) {
        for column in &self.names.sensitive {
            let name = column.name;
            if column.has_taxonomy {
                answer.left_out.push(format!(
                    "t-closeness of `{name}` by the hierarchical distance: the database does not have the \
                     taxonomy"
                ));
            }
            if column.value_type.is_numeric() && column.missing_as == MissingAs::Value {
                answer.left_out.push(format!(
                    "t-closeness of `{name}` by the ordered distance, where missing is a value without a rank"
                ));
            }
        }
        if self.names.sensitive.len() > 1 {
            answer.left_out.push("what several sensitive attributes together give away".into());
        }
        if answer.uniques.is_some() {
            answer.left_out.push(
                "the riskiest rows and the smallest sets that single rows out: only counts leave the database"
                    .into(),
            );
        }
    }
}

/// The levels of one sensitive attribute for one set. Where no row has a value of it, there is no row of the set.
fn of_subset(attribute: &str, given: &Given, row: Option<usize>) -> Result<SubsetSensitive, Error> {
    let Some(row) = row else {
        return Ok(SubsetSensitive {
            attribute: attribute.to_owned(),
            distinct_l: 0,
            frequency_l: Ratio::whole(0).into(),
            frequency_l_value: 0.0,
            entropy_l: 0.0,
        });
    };
    let frequency_l = given.ratio(row, "frequency_l")?.unwrap_or(Ratio::whole(0));
    Ok(SubsetSensitive {
        attribute: attribute.to_owned(),
        distinct_l: given.count(row, "distinct_l")?.unwrap_or(0),
        frequency_l: frequency_l.into(),
        frequency_l_value: frequency_l.value(),
        entropy_l: given.real(row, "entropy_l")?.unwrap_or(1.0),
    })
}

/// Whether k is reached by dropping at most a share of the rows.
fn drops_enough(sizes: &ClassSizes, (k, share): (u64, Ratio)) -> bool {
    sizes.suppressed_for(k) <= share.floor_of(sizes.n_rows())
}

/// Refuses a question about a promise that no statement judges.
fn refuse_unjudged(unjudged: &[String]) -> Result<(), Error> {
    match unjudged.first() {
        None => Ok(()),
        Some(first) => Err(refused(
            format!("this cannot be answered in the database: {first}"),
            "let kohort read the table, or leave the level out",
        )),
    }
}
