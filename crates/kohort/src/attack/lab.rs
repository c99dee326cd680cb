//! The tables of an attack with their roles, who is who in them, and the scenes they make.

mod columns;
mod declared;
mod originals;

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Column, Ctx, Dataset, Message, Ratio, Role, Setting, Table, group, message,
};
use kohort_verify::attack::{
    Attack, Correlated, Declared, Findings, People, Released, Scene, Truth, View, Whole, run,
};
use kohort_verify::fill_likeliest;

use self::columns::{require, without_role};
use super::knowledge::{self, Bound, Known};
use super::people::{self, Matched};
use super::series_knowledge;
use super::warnings;
use super::{Given, Groups, Publication, Targets};
use crate::error::refused;
use crate::job::{Roles, Terms};
use crate::load::{Loaded, Quantiles, assign_roles_by};
use crate::preset::coarser_table;
use crate::release::{GROUP, read_sensitive};
use crate::wording::{count, grouped};
use crate::{Error, Kind};

/// Every table with its roles, and what the people of one are in the other.
pub(super) struct Lab {
    pub(super) terms: Terms,
    pub(super) quasi: Vec<String>,
    // Releases have their sensitive attributes alone: what they show of the others are cells.
    pub(super) release: Dataset,
    pub(super) shown: Shown,
    pub(super) others: Vec<(Dataset, Shown)>,
    pub(super) public: Option<Dataset>,
    pub(super) original: Option<Dataset>,
    matched: Option<Matched>,
    // The originals of earlier releases, the oldest first, and who of the people is in each.
    earlier: Vec<(Dataset, Matched)>,
    // Whether the people are those of all originals, and `public` has them.
    pub(super) has_all_originals: bool,
    is_series: bool,
    key: Option<String>,
    known: Option<Known>,
    presence: Vec<String>,
    pub(super) correlated: Option<Correlated>,
    // What the plan declares of quasi-identifiers: which are texts, and the values that taxonomies list.
    pub(super) texts: Vec<String>,
    pub(super) taxonomies: Vec<Dataset>,
    sampled: Option<Ratio>,
    pub(super) notes: Vec<Message>,
}

/// A release as an adversary completes it: what its masked cells are likely to be.
fn completed(release: Dataset, quasi: &[String], groups: Groups) -> Result<Dataset, Error> {
    let is_masked = |attribute: &&Attribute| attribute.masked().is_some();
    if !release.sensitive().iter().any(is_masked) {
        return Ok(release);
    }
    let table = release.table();
    let by: Vec<&Column> = match groups {
        Groups::None => quasi.iter().filter_map(|name| table.column(name).ok()).collect(),
        Groups::Anatomized | Groups::Classes => vec![table.column(GROUP)?],
    };
    let looks: Vec<_> = by.into_iter().map(Column::looks).collect();
    let classes = group(table.n_rows(), looks.iter().map(|(codes, n_codes)| (&**codes, *n_codes)));
    let sensitive = release.sensitive().into_iter();
    let filled = sensitive.map(|attribute| fill_likeliest(attribute, &classes)).collect();
    Ok(Dataset::new(table.clone(), filled)?)
}

/// How a release shows its classes, and how many of their rows belong to nobody.
pub(super) struct Shown {
    pub(super) groups: Groups,
    counterfeits: BTreeMap<String, u32>,
}

/// A table with the roles of those of some columns that it has.
fn coded(
    roles: &Roles,
    (table, names, quantiles): (Table, &[String], Quantiles<'_>),
    notes: &mut Vec<Message>,
) -> Result<Dataset, Error> {
    let is_there = |name: &str| table.column(name).is_ok();
    let roles = roles.only(|name| is_there(name) && names.iter().any(|one| one == name));
    let Loaded { value, notes: odd } = assign_roles_by(&roles, table, quantiles)?;
    add_new(notes, odd);
    Ok(value)
}

/// Adds the notes that are not there yet.
fn add_new(notes: &mut Vec<Message>, more: Vec<Message>) {
    for note in more {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

impl Lab {
    #[expect(clippy::too_many_lines, reason = "every part of what is given is read once, in order")]
    pub(super) fn new(given: Given<'_>) -> Result<Self, Error> {
        let Given { plan, release, others, public, original, earlier, .. } = given;
        let Publication { table: release, groups, counterfeits, .. } = release;
        let terms = Terms::new(plan)?;
        let roles = &terms.roles;
        let quasi = roles.names(Role::Quasi);
        if quasi.is_empty() {
            return Err(Kind::NothingAsked.into());
        }
        let sensitive = roles.names(Role::Sensitive);
        let both: Vec<String> = quasi.iter().chain(&sensitive).cloned().collect();
        require(&both, &release, &others)?;
        let mut notes = without_role(roles, &release, &others);
        let tables = (&earlier[..], original.as_ref());
        let asked = originals::keys(&plan.series, roles);
        let (public, key, has_all_originals) =
            originals::gathered(&asked, (public, given.key, &given.presence), tables, &quasi)?;
        let mut coded = |table: Table, names: &[String], quantiles: Quantiles<'_>| {
            coded(roles, (table, names, quantiles), &mut notes)
        };
        let own = Quantiles::Own;
        let original = original.map(|table| coded(table, &both, own)).transpose()?;
        let quantiles = Quantiles::Of(original.as_ref());
        let unmatched = |table| {
            let table = coarser_table(roles, table).0;
            Ok::<_, Error>((coded(table, &both, quantiles)?, Matched::default()))
        };
        let earlier = earlier.into_iter().map(unmatched).collect::<Result<_, _>>()?;
        let public = public.map(|table| coded(table, &quasi, own)).transpose()?;
        let values = original.as_ref().filter(|_| terms.facts.is_truthful);
        let mut completed = |table: Table, groups: Groups, values: Option<&Dataset>| {
            let is_there = |name: &str| table.column(name).is_ok();
            let shown =
                roles.only(|name| is_there(name) && sensitive.iter().any(|one| one == name));
            let asked = (&shown, &terms.principles[..]);
            let read = read_sensitive(asked, table, values, quantiles)?;
            add_new(&mut notes, read.notes);
            completed(read.value, &quasi, groups)
        };
        let release = completed(release, groups, values)?;
        let others =
            others.into_iter().map(|Publication { table, groups, counterfeits, .. }| {
                let shown = Shown { groups, counterfeits };
                Ok::<_, Error>((completed(table, groups, None)?, shown))
            });
        let others: Vec<_> = others.collect::<Result<_, _>>()?;
        let known = given.knowledge.as_deref().map(knowledge::read).transpose()?;
        let correlated =
            given.correlations.as_deref().map(series_knowledge::read_correlations).transpose()?;
        // They are needed to lay releases beside one another.
        let compared = if others.is_empty() { &[] } else { &quasi[..] };
        let taxonomies = declared::taxonomies(roles, compared)?;
        Self {
            texts: declared::texts(roles, &quasi),
            terms,
            taxonomies,
            quasi,
            release,
            shown: Shown { groups, counterfeits },
            others,
            public,
            original,
            matched: None,
            earlier,
            has_all_originals,
            is_series: given.is_series,
            key,
            known,
            presence: given.presence,
            correlated,
            sampled: given.sampled,
            notes,
        }
        .looked_over()
    }

    /// The same with its people found, and what is odd about it noted.
    fn looked_over(mut self) -> Result<Self, Error> {
        self.check_public()?;
        self.find_key()?;
        self.match_people()?;
        self.say_what_is_odd()?;
        Ok(self)
    }

    /// The people to look for, and whether they are known to be in the released table.
    fn people(&self) -> Option<(&Dataset, bool)> {
        let own = self.original.as_ref().map(|original| (original, true));
        self.public.as_ref().map(|public| (public, false)).or(own)
    }

    pub(super) fn targets(&self) -> Targets {
        match self.people() {
            None => Targets::Rows,
            Some(_) if self.has_all_originals => Targets::AllOriginals,
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
                format!("{file} has no quasi-identifier by which to find people"),
                "name a table with columns of the same names as in the release",
            ));
        }
        if !lacking.is_empty() {
            self.notes.push(message!(
                "{file} lacks `{}`: people are looked up by the other quasi-identifiers",
                lacking.join("`, `")
            ));
        }
        Ok(())
    }

    /// Finds the column that names people: the one that is asked for, or an identifier of the plan that
    /// every table of people has.
    fn find_key(&mut self) -> Result<(), Error> {
        let earlier = self.earlier.iter().map(|(original, _)| original);
        let people = self.public.iter().chain(&self.original);
        let tables: Vec<&Table> = people.chain(earlier).map(Dataset::table).collect();
        let is_used = tables.len() > 1 || self.known.is_some();
        if let Some(key) = &self.key {
            for table in tables {
                table.column(key)?;
            }
        } else if is_used && let Some(first) = tables.first() {
            let in_all = |name: &String| tables.iter().all(|table| table.column(name).is_ok());
            let names = self.terms.roles.names(Role::Identifier).into_iter().filter(in_all);
            let distinct = |name: &String| {
                let column = first.column(name);
                std::cmp::Reverse(column.map_or(0, |column| column.dictionary().len()))
            };
            self.key = names.min_by_key(distinct);
        }
        if self.known.is_some() && (self.key.is_none() || self.people().is_none()) {
            return Err(refused(
                message!("{} is about people, but nothing says who they are", Setting::Knowledge),
                message!(
                    "give a table of people with {} or {}, and the column that names them with {}",
                    Setting::Public,
                    Setting::Original,
                    Setting::Key.to("COLUMN")
                ),
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
        let key = self.key.as_deref();
        let matched = people::find(public, original, key)?;
        for (earlier, matched) in &mut self.earlier {
            *matched = people::find(public, earlier, key)?;
        }
        let by = key.map_or("equal quasi-identifiers".to_owned(), |key| format!("`{key}`"));
        let (file, n) = (public.table().name(), matched.unknown.len() as u64);
        self.notes.push(originals::found(file, &by, self.has_all_originals).into());
        if n == 0 && matched.rows.iter().all(Option::is_none) {
            self.notes.push(message!(
                "nobody of {file} is found in the original that way: nothing is measured"
            ));
        }
        if matched.knows_nothing() {
            self.notes.push(message!(
                "no person of {file} can be distinguished from others that way: success is what the \
                 adversary expects"
            ));
            return Ok(());
        }
        if n > 0 {
            self.notes.push(message!(
                "{} cannot be distinguished from others that way, and {} left out of the measurement",
                count(n, "person", "people"),
                if n == 1 { "is" } else { "are" }
            ));
        }
        self.matched = Some(matched);
        Ok(())
    }

    fn say_what_is_odd(&mut self) -> Result<(), Error> {
        if let (Some(original), Some(matched)) = (&self.original, &self.matched) {
            let known = self.bind(&original.sensitive())?;
            self.notes.extend(
                warnings::contradicted(&known.knowledge, original, matched)
                    .into_iter()
                    .map(Message::from),
            );
        }
        if self.public.is_some() && self.original.is_none() {
            self.notes.push(
                message!(
                    "without {} it is not known which people of the public table are in the release: all of \
                     them count as targets",
                    Setting::Original
                ),
            );
        }
        if !self.terms.facts.is_truthful {
            self.notes.push(
                "cells of this release need not cover the original values: people are found in \
                 it only by chance, and not finding them says nothing"
                    .into(),
            );
        } else if let Some(original) = self.original.as_ref().filter(|_| !self.hides_counterfeits())
        {
            let n_counterfeits = self.shown.counterfeits.values().map(|&n| n as usize).sum();
            self.notes.extend(
                warnings::not_its_original(&self.release, n_counterfeits, original)
                    .into_iter()
                    .map(Message::from),
            );
        }
        Ok(())
    }

    /// Whether the release may have rows of nobody that are not counted: rho-different does not tell them.
    fn hides_counterfeits(&self) -> bool {
        let series = &self.terms.series;
        series.rho.is_some() || series.method.as_deref() == Some("rho-different")
    }

    pub(super) fn bind(&self, sensitive: &[&Attribute]) -> Result<Bound, Error> {
        let n_releases = self.others.len() + 1;
        let mut bound = match (&self.known, &self.key, self.people()) {
            (Some(known), Some(key), Some((people, _))) => {
                known.bind(people.table(), key, sensitive, n_releases)?
            }
            _ => Bound::default(),
        };
        if let Some((people, _)) = self.people() {
            let presence = series_knowledge::presence(people.table(), &self.presence, n_releases)?;
            bound.knowledge.add_presence(presence);
        }
        self.add_presence_by_tables(&mut bound.knowledge);
        Ok(bound)
    }

    /// A release as an adversary reads it, by the quasi-identifiers it has.
    pub(super) fn released<'s>(
        &'s self,
        release: &'s Dataset,
        shown: &Shown,
    ) -> Result<Released<'s>, Error> {
        let table = release.table();
        let quasi = self.quasi.iter().map(String::as_str);
        let quasi: Vec<&str> = quasi.filter(|name| table.column(name).is_ok()).collect();
        let sensitive = release.sensitive();
        Ok(match shown.groups {
            Groups::None => Released::new(table, &quasi, None, sensitive),
            Groups::Anatomized => Released::new(table, &quasi, Some(GROUP), sensitive),
            Groups::Classes => {
                Released::of_classes(table, &quasi, GROUP, &shown.counterfeits, sensitive)
            }
        }?)
    }

    pub(super) fn scene<'s>(
        &'s self,
        release: Released<'s>,
        known: Bound,
        declared: Declared<'s>,
        others: Vec<Released<'s>>,
    ) -> Result<Scene<'s>, Error> {
        let people = self.people().map(|(people, members)| People::new(people, members));
        // Whoever has the release sees every column of it, also one that nobody gave a role.
        let table = release.table();
        let names = table.columns().iter().map(Column::name);
        let insensitive: Vec<&str> = names.filter(|name| self.is_insensitive(name)).collect();
        let mut scene = Scene::new(release, people)?;
        scene.insensitive = insensitive;
        scene.knowledge = known.knowledge;
        scene.declared = declared;
        scene.others = others;
        scene.sampled = self.sampled;
        scene.whole = self.whole(&scene.release);
        Ok(scene)
    }

    /// What is known of the whole table: who is in it, and how often each sensitive value occurs.
    fn whole(&self, release: &Released<'_>) -> Option<Whole> {
        let (original, matched) = self.original.as_ref().zip(self.matched.as_ref())?;
        let values = release.sensitive().iter().map(|shown| {
            let own = original.sensitive().into_iter().find(|own| own.name() == shown.name())?;
            let column = original.table().column(own.name()).ok()?;
            let mut counts: BTreeMap<(Option<u32>, u32), u64> = BTreeMap::new();
            for entry in column.codes().iter() {
                let text = column.dictionary().get(entry);
                let code = shown.code_of_foreign(text, column.date_format());
                // Spellings of one value are one, also where the release does not show it.
                let own_code = own.code_of(text).unwrap_or(entry);
                let key = if code.is_some() { (code, 0) } else { (None, own_code) };
                *counts.entry(key).or_default() += 1;
            }
            Some(counts.into_iter().map(|((code, _), count)| (code, count)).collect())
        });
        let values: Option<Vec<_>> = values.collect();
        let members = matched.rows.iter().map(Option::is_some).collect();
        Some(Whole { members, values: values? })
    }

    /// Whether a column is published as it is, and nobody calls it sensitive.
    fn is_insensitive(&self, name: &str) -> bool {
        let role = self.terms.roles.role(name);
        let is_group = name == GROUP && self.shown.groups != Groups::None;
        let is_key = self.key.as_deref() == Some(name);
        matches!(role, None | Some(Role::Insensitive)) && !is_group && !is_key
    }

    pub(super) fn run(
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
            for (earlier, matched) in self.earlier.iter().rev() {
                truth = truth.with_earlier(release, earlier, &matched.rows);
            }
            truth = truth.without(matched.unknown.iter().copied());
        }
        Ok(run(ctx, attacks, scene, &truth)?)
    }

    /// The same attacks on the raw table, of which nothing is promised.
    pub(super) fn run_raw(
        &self,
        ctx: &Ctx<'_>,
        attacks: &[&'static dyn Attack],
        original: &Dataset,
    ) -> Result<Findings, Error> {
        let sensitive = original.sensitive();
        let known = self.bind(&sensitive)?;
        let quasi: Vec<&str> = original.quasi().iter().map(|attribute| attribute.name()).collect();
        let raw = Released::new(original.table(), &quasi, None, sensitive)?;
        let mut scene = self.scene(raw, known, Declared::default(), Vec::new())?;
        scene.insensitive.retain(|name| self.release.table().column(name).is_ok());
        self.run(ctx, attacks, &scene)
    }

    /// Says how many people no record covers: an attack that does not find them shows nothing.
    pub(super) fn uncovered(&self, scene: &Scene<'_>) -> Option<Message> {
        let crowd = scene.crowd()?;
        let (people, are_members) = self.people()?;
        let is_nowhere = |view: &View<'_>| view.shapes.is_empty();
        let n: usize = crowd.views().filter(is_nowhere).map(|view| view.targets.len()).sum();
        let (file, all) = (people.table().name(), crowd.n_targets());
        if n == all && n > 0 {
            return Some(message!(
                "no record of the release covers anybody of {file}: are the taxonomies those it was made \
                 with?"
            ));
        }
        let tell = are_members && n > 0;
        tell.then(|| {
            let odd = if 2 * n > all { ", or the taxonomies are not those of the release" } else { "" };
            let (n, all) = (grouped(n as u64), grouped(all as u64));
            message!(
                "no record covers {n} of {all} people of {file}: their rows were dropped, or changed{odd}"
            )
        })
    }
}
