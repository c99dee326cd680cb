//! What a maker of the next release is given, and what it makes.

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Cell, Dataset, History, ReleasedClass, SeriesRelease};

/// The table as it stands, and what was published about the same people before.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// A row for each person who is in the table.
    pub data: &'a Dataset,
    /// What boxes of quasi-identifiers cost.
    pub space: &'a Space,
    /// The person of each row, by the number the series gave.
    pub person_of_row: &'a [u32],
    /// The sensitive value of each row, by the number the series gave.
    pub value_of_row: &'a [u32],
    /// What everybody has seen so far.
    pub history: &'a History,
    /// What draws come from that depend on sensitive values: who fills a class, and what a counterfeit goes on
    /// to. Nobody knows it, it is another one for each release, and the same one where a release is asked for
    /// again.
    pub secret: [u8; 32],
}

/// The next release, before it is judged.
#[derive(Clone, Debug)]
pub struct Next {
    /// The class of each row, or `kohort_core::ABSENT` for a row that is held back.
    pub class_of_row: Vec<u32>,
    /// Rows that belong to nobody.
    pub counterfeits: Vec<Counterfeit>,
    /// What is published for each class, one cell per quasi-identifier: row-major. Empty where a class
    /// shows the smallest box around its rows.
    pub cells: Vec<Cell>,
    /// What a user should know about how it was made, in sentences without a closing stop.
    pub notes: Vec<String>,
}

impl Next {
    /// Everybody in these classes, each of which shows the smallest box around its rows; nobody else.
    pub fn of_classes(class_of_row: Vec<u32>) -> Self {
        Self { class_of_row, counterfeits: Vec::new(), cells: Vec::new(), notes: Vec::new() }
    }

    /// The number of rows that are held back.
    pub fn n_held_back(&self) -> usize {
        self.class_of_row.iter().filter(|&&class| class == ABSENT).count()
    }

    /// Notes that people are held back, and why, where any are.
    pub(crate) fn tell_held_back(&mut self, why: &str) {
        match self.n_held_back() {
            0 => {}
            1 => self.notes.push(format!("1 person is held back: {why}")),
            n => self.notes.push(format!("{n} people are held back: {why}")),
        }
    }

    /// What everybody sees of it: who is in which class, and the values each class shows.
    pub fn released(&self, turn: &Turn<'_>) -> SeriesRelease {
        let classes = self.class_of_row.iter().copied().filter(|&class| class != ABSENT);
        let n_classes = classes.max().map_or(0, |last| last as usize + 1);
        let mut released = SeriesRelease {
            class_of: Vec::new(),
            classes: vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; n_classes],
        };
        for (row, &class) in self.class_of_row.iter().enumerate() {
            if class != ABSENT {
                let person = turn.person_of_row[row] as usize;
                if released.class_of.len() <= person {
                    released.class_of.resize(person + 1, ABSENT);
                }
                released.class_of[person] = class;
                released.classes[class as usize].values.push(turn.value_of_row[row]);
            }
        }
        for counterfeit in &self.counterfeits {
            let class = &mut released.classes[counterfeit.class as usize];
            class.values.push(counterfeit.value);
            class.n_counterfeits += 1;
        }
        for class in &mut released.classes {
            class.values.sort_unstable();
        }
        released
    }
}

/// A row that belongs to nobody: it is shown with the box of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterfeit {
    /// The class it is in.
    pub class: u32,
    /// Its sensitive value, by the number the series gave.
    pub value: u32,
    /// Its own number, which a counterfeit that is shown again keeps; where none is, its place in the
    /// release.
    pub id: u32,
}

/// Why there is no release.
#[derive(Debug)]
pub enum Failure {
    /// The answer is no: the promise cannot be kept.
    Infeasible {
        /// Why not, as a sentence without a closing stop.
        reason: String,
    },
}

impl Failure {
    /// The promise cannot be kept, for this reason.
    pub fn infeasible(reason: impl Into<String>) -> Self {
        Self::Infeasible { reason: reason.into() }
    }
}
