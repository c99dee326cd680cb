//! A release against a plan: what is claimed comes from the plan, what is found from the bytes.

use kohort_core::{
    Attribute, Column, Dataset, Message, Public, Ratio, Role, Setting, Table, message,
};
use kohort_verify::{
    Against, Claims, Findings, Members, Membership, Reason, Rejected, Shows, Verified,
    join_anatomized,
};

use super::render::{COUNT, GROUP};
use super::sensitive::read_sensitive;
use crate::diagnose::{GoalAnswer, MembersAnswer, goal_answer, levels_asked};
use crate::error::refused;
use crate::goal::{Asked, Principle};
use crate::job::Terms;
use crate::load::Quantiles;
use crate::wording::{count, grouped};
use crate::{Error, Kind};

/// What the judge says about a release.
pub(crate) struct Judgement {
    /// The verdict itself.
    pub(crate) verdict: Result<Verified, Rejected>,
    /// How each promise of the plan stands.
    pub(crate) goal: Vec<GoalAnswer>,
    /// Whether what is shown is made up in part, so that nothing follows for the true values.
    pub(super) is_made_up: bool,
    /// The rows that show nothing: they are judged as if they had been left out.
    pub(super) n_blank: u64,
    /// Whether something is promised about sensitive values.
    pub(super) is_about_values: bool,
    /// No class of fewer rows keeps the goal.
    pub(crate) smallest: u64,
    /// What is odd about the goal.
    pub(crate) notes: Vec<Message>,
}

impl Judgement {
    /// What was found out, whatever the verdict.
    pub(crate) fn findings(&self) -> &Findings {
        match &self.verdict {
            Ok(verified) => verified.findings(),
            Err(rejected) => rejected.findings(),
        }
    }

    /// Whether the release keeps every promise, about what is true.
    pub(crate) fn keeps(&self) -> bool {
        self.verdict.is_ok() && !self.is_made_up
    }

    /// Whether all that is wrong with the release is what is learned about people who are not in it.
    pub(super) fn is_unsafe_by_who_is_left_out(&self) -> bool {
        let is_about_them = |reason: &Reason| {
            matches!(reason, Reason::LeftOut { .. } | Reason::LeftOutUnknown { .. })
        };
        self.reasons().iter().all(is_about_them)
    }

    /// Why the release was rejected.
    pub(super) fn reasons(&self) -> &[Reason] {
        self.verdict.as_ref().map_or_else(Rejected::reasons, |_| &[])
    }
}

/// Judges a release by the promises of a plan. `public` is the public table of the goal, where it names
/// one. `against` is the original, with the row of it that each released row is said to be.
pub(super) fn judge(
    terms: &Terms,
    release: &Table,
    public: Option<&Public>,
    against: Option<(&Dataset, Option<&[u32]>)>,
) -> Result<Judgement, Error> {
    let Some(rows) = rows_that_show_something(terms, release) else {
        return judge_shown(terms, (release, 0), public, against);
    };
    let n_blank = (release.n_rows() - rows.len()) as u64;
    let certificate = against.and_then(|(_, certificate)| {
        let claimed = |row: &u32| certificate?.get(*row as usize).copied();
        rows.iter().map(claimed).collect::<Option<Vec<u32>>>()
    });
    let against = against.map(|(original, _)| (original, certificate.as_deref()));
    judge_shown(terms, (&release.among(&rows), n_blank), public, against)
}

/// Judges the rows of a release that show something, of which `n_blank` more show nothing.
fn judge_shown(
    terms: &Terms,
    (release, n_blank): (&Table, u64),
    public: Option<&Public>,
    against: Option<(&Dataset, Option<&[u32]>)>,
) -> Result<Judgement, Error> {
    let original = against.map(|(original, _)| original);
    let sensitive = sensitive(terms, release, original)?;
    let sensitive: Vec<&Attribute> = sensitive.sensitive();
    let principles = &terms.principles[..];
    if original.is_none() || terms.shows == Shows::Anything {
        check_masked(principles, &sensitive)?;
    }
    let asked = Asked::new(principles, &sensitive)?;
    if asked.is_empty() {
        return Err(nothing_promised());
    }
    check_form(terms)?;
    let quasi = terms.roles.names(Role::Quasi);
    let quasi: Vec<&str> = quasi.iter().map(String::as_str).collect();
    if quasi.is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let without_role = without_role(terms, release);
    let is_known = |name: &str| !without_role.iter().any(|other| other == name);
    let with_role = (!without_role.is_empty()).then(|| release.only(is_known));
    let release = with_role.as_ref().unwrap_or(release);
    let claims = Claims {
        identifiers: &terms.roles.names(Role::Identifier),
        without_role: &without_role,
        quasi: &quasi,
        group: terms.is_anatomized.then_some(GROUP),
        sensitive: &sensitive,
        models: asked.models(),
        sizes: asked.sizes(),
        population: asked.population().zip(public),
        membership: (asked.presence().zip(public)).map(|((_, model), public)| Membership {
            model: *model,
            public,
            n_blank,
        }),
        suppression: terms.suppression,
        shows: terms.shows,
    };
    let of_original = original.map(|original| Asked::new(principles, &original.sensitive()));
    let of_original = of_original.transpose()?.unwrap_or_default();
    let against = against.map(|(original, certificate)| Against {
        original,
        certificate,
        models: of_original.models(),
    });
    let verdict = kohort_verify::verify(release, &claims, against)?;
    let findings = match &verdict {
        Ok(verified) => verified.findings(),
        Err(rejected) => rejected.findings(),
    };
    let goal = answers(&asked, findings);
    let mut notes = asked.notes().to_vec();
    notes.extend(findings.members().filter(|found| found.rows_not_covered > 0).map(|found| {
        let rows = count(found.rows_not_covered, "released row is", "released rows are");
        message!("the public table does not list everybody: {rows} nobody there")
    }));
    let smallest = asked.models().iter().map(|model| model.smallest()).max().unwrap_or(1);
    let is_made_up = terms.is_made_up();
    let is_about_values = asked.models().iter().any(|model| model.needs_values());
    Ok(Judgement { verdict, goal, is_made_up, n_blank, is_about_values, smallest, notes })
}

/// How each promise stands.
fn answers(asked: &Asked, findings: &Findings) -> Vec<GoalAnswer> {
    let found = findings.models().iter().map(|&(_, violations)| violations);
    let about = asked.about().iter().chain(asked.about_all());
    let goal = about.zip(found).map(|(about, found)| GoalAnswer {
        evidence: findings
            .disclosure()
            .filter(|_| about.model() == "l-mdiversity")
            .map(|disclosure| disclosure.classes.into()),
        ..goal_answer(about, found)
    });
    let broken = findings.left_out().map_or(&[][..], |left_out| &left_out.broken);
    let goal = goal.enumerate().map(|(promise, goal)| {
        let left_out = broken.iter().find(|broken| broken.promise == promise);
        let left_out = left_out.map(|broken| broken.people);
        GoalAnswer { holds: goal.holds && left_out.is_none(), left_out, ..goal }
    });
    let presence = asked.presence().zip(findings.members());
    goal.chain(presence.map(|((asked, _), found)| presence_answer(asked, found))).collect()
}

/// The rows but those with `*` in every column, where there are some: they tell no more than that somebody is
/// left out, and count as suppressed. Where they are more than may be suppressed they are a class like any
/// other.
fn rows_that_show_something(terms: &Terms, release: &Table) -> Option<Vec<u32>> {
    let rows = without_blank_rows(terms, release)?;
    let n_rows = release.n_rows() as u64;
    let share = Ratio::new(n_rows - rows.len() as u64, n_rows);
    (share <= terms.suppression).then_some(rows)
}

/// The rows but those with `*` in every column, where there are both. Where a release has nothing but
/// quasi-identifiers and the plan does not say that such rows are suppressed, they are none: a class that is
/// as coarse as can be looks the same.
pub(crate) fn without_blank_rows(terms: &Terms, release: &Table) -> Option<Vec<u32>> {
    let quasi = terms.roles.names(Role::Quasi);
    let shows_more = release.columns().iter().any(|it| !quasi.iter().any(|name| name == it.name()));
    let may_be = terms.keeps_blank_rows() || shows_more && !terms.keeps_values();
    if !may_be || terms.is_anatomized || release.columns().is_empty() {
        return None;
    }
    let mut is_blank = vec![true; release.n_rows()];
    for column in release.columns() {
        let star = column.dictionary().find("*");
        for (is_blank, entry) in is_blank.iter_mut().zip(column.codes().iter()) {
            *is_blank &= Some(entry) == star;
        }
    }
    let shown = (0..).zip(&is_blank).filter(|(_, blank)| !**blank);
    let rows: Vec<u32> = shown.map(|(row, _)| row).collect();
    (!rows.is_empty() && rows.len() < is_blank.len()).then_some(rows)
}

/// The columns of a release that the plan says nothing about.
fn without_role(terms: &Terms, release: &Table) -> Vec<String> {
    let has_role = |name: &str| terms.roles.has(name) || (terms.is_anatomized && name == GROUP);
    let names = release.columns().iter().map(Column::name);
    names.filter(|name| !has_role(name)).map(str::to_owned).collect()
}

fn presence_answer(asked: &Principle, found: &Members) -> GoalAnswer {
    GoalAnswer {
        model: asked.id().to_owned(),
        parameters: asked.parameters(),
        levels: levels_asked(asked),
        vacuous: false,
        attribute: None,
        buckets: None,
        distance: None,
        evidence: None,
        left_out: None,
        holds: found.holds(),
        violating_classes: found.kinds,
        violating_rows: found.below + found.above,
        masked_classes: 0,
        members: Some(MembersAnswer {
            people: found.people,
            lowest: found.lowest,
            highest: found.highest,
            below: found.below,
            above: found.above,
            rows_not_covered: found.rows_not_covered,
        }),
    }
}

/// Refuses what is asked of rows that look alike and of their values together, where groups have the
/// values and look alike in nothing. k-anonymity alone can be judged by the rows.
fn check_form(terms: &Terms) -> Result<(), Error> {
    let is_unkept = |asked: &&Principle| {
        let is_of_rows = asked.hides_rows() && !matches!(asked, Principle::KAnonymity(_));
        terms.is_anatomized && (is_of_rows || asked.is_of_all_classes())
    };
    let Some(unkept) = terms.principles.iter().find(is_unkept) else { return Ok(()) };
    Err(refused(shows_all(unkept), "an anatomized release can promise the diversity of its groups"))
}

/// Refuses to judge masked cells that may have a value which nobody named, where that would be a high one.
fn check_masked(principles: &[Principle], sensitive: &[&Attribute]) -> Result<(), Error> {
    let is_masked = |asked: &&Principle| {
        let mut masked = sensitive.iter().filter(|attribute| attribute.masked().is_some());
        asked.fears_unnamed() && masked.any(|attribute| asked.attribute() == Some(attribute.name()))
    };
    let Some(open) = principles.iter().find(is_masked) else { return Ok(()) };
    let name = open.attribute().unwrap_or_default();
    Err(refused(
        format!(
            "column `{name}` has masked cells, and `{}` calls every value high that it does not name: \
             they may be such values",
            open.id()
        ),
        "give the original, which shows what values there are, or leave out the list of low \
         values",
    ))
}

/// Why an anatomized release does not keep a promise about rows that look alike.
pub(super) fn shows_all(asked: &Principle) -> String {
    format!(
        "an anatomized release shows quasi-identifiers as they are: `{}` cannot be promised",
        asked.id()
    )
}

/// Refuses a bound on highly sensitive values where nothing hides who is who: rows with low values could be
/// published as they are.
pub(super) fn check_hidden(principles: &[Principle]) -> Result<(), Error> {
    let is_bound = |asked: &Principle| matches!(asked, Principle::SensitivityClasses(_));
    if !principles.iter().any(is_bound) || principles.iter().any(Principle::hides_rows) {
        return Ok(());
    }
    Err(refused(
        "`sensitivity-classes` bounds the high values of a class, and without a k rows with low values \
         would be published as they are",
        message!("ask for a k as well, such as {}", Setting::K.to(5).or_in_plan()),
    ))
}

/// What is to be said of a release that leaves people alone with their quasi-identifiers and keeps its goal.
pub(super) fn alone(terms: &Terms, judgement: &Judgement) -> Option<Message> {
    let n_alone = judgement.findings().sizes().iter().find(|&(size, _)| size == 1)?.1;
    let is_told = terms.is_anatomized
        || !judgement.keeps()
        || terms.principles.iter().any(Principle::hides_rows);
    (!is_told).then(|| {
        message!(
            "rows that are unique by their quasi-identifiers: {} (k = 1); nothing in the goal hides people \
             among others, {k} does",
            grouped(n_alone),
            k = Setting::K.to(5)
        )
    })
}

pub(super) fn nothing_promised() -> Error {
    refused(
        "nothing is promised: the goal is empty",
        message!("ask for something, such as {}", Setting::K.to(5).or_in_plan()),
    )
}

/// The release with its sensitive attributes alone.
fn sensitive(terms: &Terms, release: &Table, original: Option<&Dataset>) -> Result<Dataset, Error> {
    // Values that are made up need not be those of the original.
    let values = original.filter(|_| terms.shows != Shows::Anything);
    let roles = terms.roles.only(|name| terms.roles.role(name) == Some(Role::Sensitive));
    // One that is not there is missed by name, beside all that are.
    let is_complete = roles.iter().all(|(name, _)| release.column(name).is_ok());
    let wanted = release.only(|name| !is_complete || roles.has(name));
    let asked = (&roles, &terms.principles[..]);
    Ok(read_sensitive(asked, wanted, values, Quantiles::Of(original))?.value)
}

/// That a method whose releases do not show every sensitive value as it is cannot count buckets.
pub(super) fn changes_values(algorithm: &str) -> Error {
    refused(
        format!(
            "`{algorithm}` does not show every sensitive value in its row, and buckets need \
             values that are shown"
        ),
        "leave the buckets out, or choose an algorithm such as `auto`",
    )
}

/// A release of two tables as one.
pub(crate) fn joined(rows: &Table, values: &Table) -> Result<Table, Error> {
    Ok(join_anatomized(rows, values, GROUP, COUNT)?)
}
