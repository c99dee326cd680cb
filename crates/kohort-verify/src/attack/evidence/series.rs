//! A series of releases as an adversary reads it: who may be in which class, and what the classes show.
//!
//! People are placed by their quasi-identifiers (see `placing`), unless it is known that a person is not in
//! the release. The rows of people who are not placed belong to nobody in particular, and such people have
//! the values of all classes that cover them.

use std::collections::BTreeMap;

use kohort_core::{
    ABSENT, Command, Error, History, Message, ReleasedClass, SeriesRelease, Setting, message,
};

use super::super::{Guess, Guesses, Says, Scene, Who};
use super::candidates::{Seen, Told, ToldView};
use super::class_assignment::place;
use super::released::Released;
use super::signatures::Signatures;

/// What a series shows of one sensitive attribute.
pub(in crate::attack) struct Series {
    /// Who is placed in which class, and the values of the classes; the release under attack is the last.
    pub(in crate::attack) history: History,
    /// The place of each release among all that are given, from 0: one that lacks the attribute is left
    /// out.
    pub(in crate::attack) numbers: Vec<usize>,
    /// Whether classes keep their values over releases.
    pub(in crate::attack) signatures: Signatures,
    told: Vec<Told>,
    n_people: u32,
    // The values that the release under attack does not show, with the numbers they have.
    foreign: BTreeMap<Option<String>, u32>,
}

/// What an attack on a series needs.
pub(in crate::attack) fn needs(scene: &Scene<'_>) -> Option<Message> {
    if scene.others.is_empty() {
        return Some(message!("releases of other times ({})", Command::Attack.on("R1 R2 …")));
    }
    let nobody = scene
        .people
        .is_none()
        .then(|| message!("people ({} or {})", Setting::Public, Setting::Original));
    nobody.or_else(|| scene.needs_sensitive())
}

/// The series of each sensitive attribute that it shows, by its index.
pub(in crate::attack) fn each(scene: &Scene<'_>) -> Result<Vec<(usize, Series)>, Error> {
    let attributes = 0..scene.release.sensitive().len();
    let of_each = attributes.map(|at| Ok(Series::new(scene, at)?.map(|series| (at, series))));
    let several = |made: &Result<(usize, Series), Error>| {
        made.as_ref().map_or(true, |(_, series)| series.numbers.len() > 1)
    };
    of_each.filter_map(Result::transpose).filter(several).collect()
}

impl Series {
    /// The series of a scene, for a sensitive attribute of the release under attack, which may be the only
    /// one; none where there are no people.
    pub(in crate::attack) fn new(
        scene: &Scene<'_>,
        attribute: usize,
    ) -> Result<Option<Self>, Error> {
        let Some(people) = &scene.people else { return Ok(None) };
        let n_people = u32::try_from(people.len()).expect("people are rows, numbered by u32");
        let mut series = Self::of_nobody(scene, attribute, n_people);
        let name = scene.release.sensitive()[attribute].name();
        for (number, release) in scene.others.iter().chain([&scene.release]).enumerate() {
            let twin = release.sensitive().iter().position(|a| a.name() == name);
            let Some(twin) = twin else { continue };
            let is_newest = number == scene.others.len();
            let other = if is_newest { None } else { scene.crowd_of_other(number)? };
            let sight = other.as_ref().or(scene.crowd()).expect("people have a sight");
            let is_absent = |person| scene.knowledge.is_in_release(person, number) == Some(false);
            let seen = Seen::new(release, sight, n_people, is_absent);
            drop(other);
            series.add(scene, attribute, (number, release, twin), seen);
        }
        Ok(Some(series))
    }

    /// The series of another release and the one under attack, for people of whom it is known which rows
    /// of either may be theirs: for each person a view of each release, for each view classes with the
    /// number of rows that cover the person.
    pub(in crate::attack) fn of_two(
        scene: &Scene<'_>,
        attribute: usize,
        (number, twin): (usize, usize),
        [of_other, of_this]: [Seen; 2],
    ) -> Self {
        let n_people = u32::try_from(of_this.view_of.len()).expect("people are numbered by u32");
        let mut series = Self::of_nobody(scene, attribute, n_people);
        let newest = (scene.others.len(), &scene.release, attribute);
        series.add(scene, attribute, (number, &scene.others[number], twin), of_other);
        series.add(scene, attribute, newest, of_this);
        series
    }

    fn of_nobody(scene: &Scene<'_>, attribute: usize, n_people: u32) -> Self {
        let n_values = scene.release.sensitive()[attribute].n_codes();
        Self {
            history: History { n_values, releases: Vec::new() },
            numbers: Vec::new(),
            signatures: Signatures::default(),
            told: Vec::new(),
            n_people,
            foreign: BTreeMap::new(),
        }
    }

    /// Adds a release that shows the attribute as its own of number `twin`.
    fn add(
        &mut self,
        scene: &Scene<'_>,
        attribute: usize,
        (number, release, twin): (usize, &Released<'_>, usize),
        seen: Seen,
    ) {
        let n_foreign = self.foreign.len();
        let number_of = self.numbers_of(scene, attribute, release, twin);
        let n_more = u32::try_from(self.foreign.len() - n_foreign).expect("fewer than codes");
        self.history.n_values += n_more;
        let placed = placed(release, twin, &seen, self.n_people, &number_of);
        self.signatures.add(&seen, &placed);
        self.told.push(Told::new(seen, &placed, self.history.n_values));
        self.history.releases.push(placed);
        self.numbers.push(number);
    }

    /// For each code of a release, the number of its value in the series.
    fn numbers_of(
        &mut self,
        scene: &Scene<'_>,
        attribute: usize,
        release: &Released<'_>,
        twin: usize,
    ) -> Vec<u32> {
        let (mine, theirs) = (scene.release.sensitive()[attribute], release.sensitive()[twin]);
        let column = release.table().column(theirs.name()).expect("an attribute is of a column");
        let mut number = |code: u32| {
            let text = theirs.entry_of_code(code).map(|entry| column.dictionary().get(entry));
            let own = match text {
                Some(text) => mine.code_of_foreign(text, column.date_format()),
                None => mine.missing(),
            };
            own.unwrap_or_else(|| self.foreign_number(mine.n_codes(), text))
        };
        (0..theirs.n_codes()).map(&mut number).collect()
    }

    fn foreign_number(&mut self, n_own: u32, text: Option<&str>) -> u32 {
        let next = n_own + u32::try_from(self.foreign.len()).expect("values are numbered by u32");
        *self.foreign.entry(text.map(str::to_owned)).or_insert(next)
    }

    /// The number of a value that stands in a file, where a release shows it.
    pub(in crate::attack) fn number_of_text(
        &self,
        scene: &Scene<'_>,
        attribute: usize,
        text: &str,
    ) -> Option<u32> {
        let own = scene.release.sensitive()[attribute].code_of(text);
        own.or_else(|| self.foreign.get(&Some(text.to_owned())).copied())
    }

    /// Everybody in the only class that covers the person, also where it covers more people than it has
    /// rows: for who follows people one by one.
    pub(in crate::attack) fn followed(&self) -> History {
        let mut history = self.history.clone();
        for (at, release) in history.releases.iter_mut().enumerate() {
            for (person, class) in (0..).zip(&mut release.class_of) {
                if let Some(view) = self.view(at, person).filter(|view| view.n_classes == 1) {
                    *class = view.first_class;
                }
            }
        }
        history
    }

    /// The number of people.
    pub(in crate::attack) fn n_people(&self) -> u32 {
        self.n_people
    }

    fn view(&self, release: usize, person: u32) -> Option<&ToldView> {
        let Told { view_of, views, .. } = &self.told[release];
        match view_of[person as usize] {
            ABSENT => None,
            view => Some(&views[view as usize]),
        }
    }

    /// The rows of a release that cover a person; none where the person is not in it.
    pub(in crate::attack) fn n_rows(&self, release: usize, person: u32) -> u32 {
        self.view(release, person).map_or(0, |view| view.n_rows)
    }

    /// Whether a person may be in a release.
    pub(in crate::attack) fn is_in(&self, release: usize, person: u32) -> bool {
        self.told[release].view_of[person as usize] != ABSENT
    }

    /// The releases in which somebody may be, the newest first.
    pub(in crate::attack) fn seen_in(&self, person: u32) -> impl Iterator<Item = usize> {
        (0..self.told.len()).rev().filter(move |&release| self.is_in(release, person))
    }

    /// What one release says of a person: values ascending, each with the number of rows that it expects
    /// to have it among those that cover the person.
    pub(in crate::attack) fn rows_by_value(&self, release: usize, person: u32) -> Vec<(u32, f64)> {
        let shown = &self.history.releases[release];
        let Some(class) = shown.class_of(person) else {
            let view = self.view(release, person);
            return view.map_or(Vec::new(), |view| self.told[release].by_value(view));
        };
        let values = &shown.classes[class as usize].values;
        let n_rows = self.told[release].n_own_rows[person as usize];
        let share = f64::from(n_rows) / values.len() as f64;
        let runs = values.chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], share * run.len() as f64)).collect()
    }

    /// Whether the class of a person is known in every release that covers the person.
    pub(in crate::attack) fn is_placed(&self, person: u32) -> bool {
        self.seen_in(person).all(|at| self.history.releases[at].class_of(person).is_some())
    }

    /// Gives each of these values the smallest share that any release gives it among those that it allows
    /// a person, of the releases that allow it.
    pub(in crate::attack) fn least_shares(&self, person: u32, values: &mut [(u32, f64)]) {
        for (_, share) in &mut *values {
            *share = 1.0;
        }
        for release in self.seen_in(person) {
            let mut rows = self.rows_by_value(release, person);
            normalize(&mut rows);
            for (value, share) in &mut *values {
                if let Ok(at) = rows.binary_search_by_key(value, |&(other, _)| other) {
                    *share = share.min(rows[at].1);
                }
            }
        }
    }

    /// What the newest release that a person is in says alone.
    pub(in crate::attack) fn alone(&self, person: u32) -> Vec<(u32, f64)> {
        let newest = self.seen_in(person).next();
        let mut rows = newest.map_or(Vec::new(), |release| self.rows_by_value(release, person));
        normalize(&mut rows);
        rows
    }

    /// The values that a person may have by all releases, as long as values do not change: each with the
    /// fewest rows that any release shows of it. A release that allows none of the values which newer ones
    /// allow says nothing; how many these are comes with it.
    pub(in crate::attack) fn in_common(&self, person: u32) -> (Vec<(u32, f64)>, usize) {
        let mut kept: Option<Vec<(u32, f64)>> = None;
        let mut n_strange = 0;
        for release in self.seen_in(person) {
            let rows = self.rows_by_value(release, person);
            let both = match &kept {
                None => rows,
                Some(kept) => meet(kept, &rows),
            };
            if both.is_empty() {
                n_strange += 1;
            } else {
                kept = Some(both);
            }
        }
        (kept.unwrap_or_default(), n_strange)
    }
}

/// The values that both allow, ascending as theirs are, each with the fewer rows.
pub(in crate::attack) fn meet(a: &[(u32, f64)], b: &[(u32, f64)]) -> Vec<(u32, f64)> {
    meet_by(a, b, f64::min)
}

/// The values that both allow, ascending as theirs are, each with what is made of the rows of both.
pub(in crate::attack) fn meet_by(
    a: &[(u32, f64)],
    b: &[(u32, f64)],
    rows_of: impl Fn(f64, f64) -> f64,
) -> Vec<(u32, f64)> {
    let mut b = b.iter().peekable();
    let both = |&(value, rows): &(u32, f64)| {
        while b.next_if(|&&(other, _)| other < value).is_some() {}
        let &(_, others) = b.next_if(|&&(other, _)| other == value)?;
        Some((value, rows_of(rows, others)))
    };
    a.iter().filter_map(both).collect()
}

/// Scales weights to a sum of 1, where there are any.
pub(in crate::attack) fn normalize(weights: &mut [(u32, f64)]) {
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    if sum > 0.0 {
        for (_, weight) in weights {
            *weight /= sum;
        }
    }
}

/// The people who are in one class for certain, and what the classes show.
fn placed(
    release: &Released<'_>,
    attribute: usize,
    seen: &Seen,
    n_people: u32,
    number_of: &[u32],
) -> SeriesRelease {
    let options = |person: u32| match seen.view_of[person as usize] {
        ABSENT => &[][..],
        view => &seen.options[view as usize][..],
    };
    let n_classes = u32::try_from(release.n_classes()).expect("classes are fewer than rows");
    let capacity: Vec<u32> = (0..n_classes).map(|class| release.n_people_of_class(class)).collect();
    let class_of = place(n_people, &options, &capacity);
    let mut n_placed = vec![0_u32; release.n_classes()];
    for &class in class_of.iter().filter(|&&class| class != ABSENT) {
        n_placed[class as usize] += 1;
    }
    let shown = |(class, &n): (u32, &u32)| {
        let mut values = Vec::with_capacity(release.size_of_class(class) as usize);
        for &(code, count) in release.values(attribute, class) {
            values.extend(std::iter::repeat_n(number_of[code as usize], count as usize));
        }
        values.sort_unstable();
        // Rows of people who are not placed count as nobody's.
        let n_counterfeits = release.size_of_class(class).saturating_sub(n);
        ReleasedClass { values, n_counterfeits }
    };
    SeriesRelease { class_of, classes: (0..).zip(&n_placed).map(shown).collect() }
}

/// Guesses about the values of people in a series: what is said of each, and what the newest release that
/// the person is in says alone.
pub(in crate::attack) fn value_guesses(
    scene: &Scene<'_>,
    series: &Series,
    attribute: usize,
    belief: impl Fn(u32) -> (Says, f64),
) -> Guesses {
    let mut guesses = Guesses::new(Who::People, Some(attribute), scene.blind_value(attribute));
    guesses.of_any_release = true;
    for target in 0..series.n_people() {
        let alone = series.alone(target);
        if !alone.is_empty() {
            let (says, probability) = belief(target);
            guesses.guesses.push(Guess { target, says, probability });
            let (says, probability) = super::super::guess::likeliest_value(&alone);
            guesses.without.push(Guess { target, says, probability });
        }
    }
    guesses
}
