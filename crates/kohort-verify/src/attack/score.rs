//! Whether guesses are right. The release is not looked at here.

use kohort_core::{Attribute, Codes, Dataset, MissingAs, Table};

use super::evidence::released::Released;
use super::evidence::scene::Who;
use super::guess::{Guess, Guesses, Says, Scoring};

/// The code of a value that the release does not have, or of a person of whom nothing is known.
pub(super) const NONE: u32 = u32::MAX;

/// The code of a target who has no value that could be learned, or whose own cell is masked: such targets
/// are left out.
const LEFT_OUT: u32 = u32::MAX - 1;

/// What is true of the targets. Adversaries never see it.
pub struct Truth {
    // For each sensitive attribute, the code of each released row, where a row is one person's.
    rows: Option<Vec<Codes>>,
    people: Option<TruePeople>,
}

struct TruePeople {
    // `None` where nobody knows.
    is_member: Vec<Option<bool>>,
    // For each sensitive attribute, the code of each person, in the codes of the release.
    values: Vec<Vec<u32>>,
    // The same of who is in the table of an earlier release alone: whether, and the values at the last.
    was_member: Vec<bool>,
    earlier: Vec<Vec<u32>>,
}

impl Truth {
    /// Nothing is known, not even of released rows: in an anatomized release a row has no value of its own.
    pub fn unknown() -> Self {
        Self { rows: None, people: None }
    }

    /// The truth about released rows: their own sensitive values.
    pub fn of_release(release: &Released<'_>) -> Self {
        let code = |attribute: &Attribute, (row, code): (u32, u32)| {
            let is_masked = attribute.masked().is_some_and(|masked| masked.kind(row).is_some());
            if is_masked || Some(code) == attribute.silent() { LEFT_OUT } else { code }
        };
        let rows = release.sensitive().iter().map(|&attribute| {
            if attribute.masked().is_none() && attribute.silent().is_none() {
                return attribute.codes().clone();
            }
            let codes = (0..).zip(attribute.codes().iter());
            Codes::U32(codes.map(|cell| code(attribute, cell)).collect())
        });
        Self { rows: Some(rows.collect()), people: None }
    }

    /// Adds the truth about people. `row_of_person` is the row of each in the original, where the person
    /// is in it.
    #[must_use]
    pub fn with_people(
        mut self,
        release: &Released<'_>,
        original: &Dataset,
        row_of_person: &[Option<u32>],
    ) -> Self {
        let values = release.sensitive().iter().map(|attribute| {
            let codes = told_in(original.table(), attribute);
            row_of_person.iter().map(|row| row.map_or(NONE, |row| codes[row as usize])).collect()
        });
        let is_member = row_of_person.iter().map(|row| Some(row.is_some())).collect();
        let n_people = row_of_person.len();
        self.people = Some(TruePeople {
            is_member,
            values: values.collect(),
            was_member: vec![false; n_people],
            earlier: vec![vec![NONE; n_people]; release.sensitive().len()],
        });
        self
    }

    /// Adds the truth about people whom no later original has, from the original of an earlier release of a
    /// series: those are given the newest first.
    #[must_use]
    pub fn with_earlier(
        mut self,
        release: &Released<'_>,
        original: &Dataset,
        row_of_person: &[Option<u32>],
    ) -> Self {
        let Some(people) = &mut self.people else { return self };
        let codes: Vec<Vec<u32>> =
            release.sensitive().iter().map(|a| told_in(original.table(), a)).collect();
        for (person, row) in row_of_person.iter().enumerate() {
            let is_later = people.is_member[person] == Some(true) || people.was_member[person];
            if let Some(row) = row.filter(|_| !is_later) {
                people.was_member[person] = true;
                for (earlier, codes) in people.earlier.iter_mut().zip(&codes) {
                    earlier[person] = codes[row as usize];
                }
            }
        }
        self
    }

    /// Forgets the truth about these people: nobody can tell which row is theirs, and whether one is.
    #[must_use]
    pub fn without(mut self, people: impl IntoIterator<Item = u32>) -> Self {
        if let Some(known) = &mut self.people {
            for person in people {
                known.is_member[person as usize] = None;
            }
        }
        self
    }

    /// Whether the target is in the released table; `None` where nobody knows.
    fn is_member(&self, who: Who, target: u32) -> Option<bool> {
        match who {
            Who::Rows => Some(true),
            Who::People => {
                self.people.as_ref().and_then(|people| people.is_member[target as usize])
            }
        }
    }

    /// Whether the target is no more in the released table, and guesses are about such people, too.
    fn has_left(&self, guesses: &Guesses, target: u32) -> bool {
        let people = self.people.as_ref().filter(|_| guesses.of_any_release);
        people.is_some_and(|people| people.was_member[target as usize])
    }

    fn value(&self, guesses: &Guesses, target: u32) -> u32 {
        let attribute = guesses.attribute.expect("values are of an attribute");
        match (guesses.who, &self.rows, &self.people) {
            (Who::Rows, Some(rows), _) => rows[attribute].get(target as usize),
            (Who::People, _, Some(people)) if self.has_left(guesses, target) => {
                people.earlier[attribute][target as usize]
            }
            (Who::People, _, Some(people)) => people.values[attribute][target as usize],
            _ => NONE,
        }
    }

    /// Whether the truth about targets is known.
    fn knows(&self, who: Who) -> bool {
        match who {
            Who::Rows => self.rows.is_some(),
            Who::People => self.people.is_some(),
        }
    }

    /// How right a statement about a target is: 0 or 1, or the chance of a draw.
    fn right(&self, guesses: &Guesses, target: u32, says: Says, probability: f64) -> f64 {
        let is_member = self.is_member(guesses.who, target) == Some(true);
        let is_right = match says {
            Says::Nothing => false,
            // Where the target is in the table, the target's record is among those drawn from.
            Says::Record => return if is_member { probability } else { 0.0 },
            Says::Member(said) => said == is_member,
            Says::Value(first, last) => {
                let value = self.value(guesses, target);
                value != NONE && (first..=last).contains(&value)
            }
            Says::Among(set) => {
                guesses.sets[set].binary_search(&self.value(guesses, target)).is_ok()
            }
        };
        f64::from(u8::from(is_right))
    }
}

/// The codes of a column of another table, in the codes of an attribute.
pub(super) fn codes_in(table: &Table, attribute: &Attribute) -> Vec<u32> {
    let Ok(column) = table.column(attribute.name()) else { return vec![NONE; table.n_rows()] };
    let to: Vec<u32> = (column.dictionary().iter())
        .map(|text| attribute.code_of_foreign(text, column.date_format()).unwrap_or(NONE))
        .collect();
    column.codes().iter().map(|entry| to[entry as usize]).collect()
}

/// The same, where who has no value that could be learned is left out.
fn told_in(table: &Table, attribute: &Attribute) -> Vec<u32> {
    let mut codes = codes_in(table, attribute);
    if let (true, Ok(column)) =
        (attribute.missing_as() != MissingAs::Value, table.column(attribute.name()))
    {
        for (code, entry) in codes.iter_mut().zip(column.codes().iter()) {
            if table.missing().is(column.dictionary().get(entry)) {
                *code = LEFT_OUT;
            }
        }
    }
    codes
}

/// Fewer guesses than this are right or wrong by luck.
pub(super) const FEW: u64 = 10;

/// How a rate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Guesses were compared with the truth.
    Measured,
    /// The adversary's own probabilities were taken for it.
    Expected,
}

/// How well guesses did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The targets: for values and records, those who are in the released table, or were in that of an
    /// earlier release of a series; where guesses are compared with the truth, those of whom it is known.
    pub targets: u64,
    /// The share that was guessed right.
    pub success: f64,
    /// The share that a blind guess gets right, or the guess of who lacks what the attack adds.
    pub baseline: f64,
    /// The 95 % interval of the success (Wilson).
    pub interval: (f64, f64),
    /// The largest probability that was given.
    pub max_probability: f64,
    /// The targets with a probability above 0.5, above 0.8, and of 1.
    pub above: [u64; 3],
    /// How the success is known.
    pub known: Known,
}

impl Rate {
    /// What the attack gained over its baseline.
    pub fn advantage(&self) -> f64 {
        self.success - self.baseline
    }

    /// Whether guesses that were compared with the truth are right more often than that, by twice the interval.
    pub(super) fn is_shown_above(&self, bound: f64) -> bool {
        let is_measured = self.known == Known::Measured && self.targets >= FEW;
        is_measured && 2.0 * self.interval.0 - self.success > bound
    }
}

/// Scores guesses by what is true.
pub fn score(guesses: &Guesses, truth: &Truth) -> Rate {
    let is_known = guesses.scoring == Scoring::ByTruth && truth.knows(guesses.who);
    let (mut targets, mut success, mut baseline) = (0_u64, 0.0, 0.0);
    let (mut max_probability, mut above) = (0.0_f64, [0; 3]);
    for (index, &Guess { target, says, probability }) in guesses.guesses.iter().enumerate() {
        let is_about_members = !matches!(says, Says::Member(_));
        let is_left_out = match truth.is_member(guesses.who, target) {
            None => true,
            Some(is_member) => is_about_members && !is_member && !truth.has_left(guesses, target),
        };
        let is_about_value = matches!(says, Says::Value(..) | Says::Among(_) | Says::Nothing);
        let has_none = || {
            let is_about_one = guesses.attribute.is_some() && is_about_value;
            is_about_one && truth.value(guesses, target) == LEFT_OUT
        };
        if is_known && (is_left_out || has_none()) {
            continue;
        }
        targets += 1;
        // A sum of shares may be a little more than the whole.
        let probability = probability.min(1.0);
        max_probability = max_probability.max(probability);
        let reached = [probability > 0.5, probability > 0.8, probability >= 1.0 - 1e-9];
        for (count, reached) in above.iter_mut().zip(reached) {
            *count += u64::from(reached);
        }
        let without = guesses.without.get(index).map(|guess| (guess.says, guess.probability));
        let (blind, blind_probability) = without.unwrap_or(guesses.blind);
        success +=
            if is_known { truth.right(guesses, target, says, probability) } else { probability };
        baseline += match &guesses.priors {
            Some(priors) => priors[index],
            None if is_known => truth.right(guesses, target, blind, blind_probability),
            None => blind_probability,
        };
    }
    let n = targets.max(1) as f64;
    let (success, baseline) = (success / n, baseline / n);
    let known = if is_known { Known::Measured } else { Known::Expected };
    let interval = wilson(success, targets);
    Rate { targets, success, baseline, interval, max_probability, above, known }
}

/// The 95 % interval of a share that was seen in `n` trials, after Wilson.
pub fn wilson(share: f64, n: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 {
        return (0.0, 1.0);
    }
    let n = n as f64;
    let center = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // Where nothing is right, or nothing wrong, the end is known: rounding must not move it.
    let low = if share > 0.0 { ((center - spread) / scale).max(0.0) } else { 0.0 };
    let high = if share < 1.0 { ((center + spread) / scale).min(1.0) } else { 1.0 };
    (low, high)
}
