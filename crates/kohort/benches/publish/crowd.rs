//! Made-up people who are published again and again.

use std::fmt::Write;

/// How a crowd changes from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// One in ten leaves, one in four of those who left returns, others come; values stay.
    ComeAndGo,
    /// The same, and values follow one another as [`CORRELATIONS`] says.
    Values,
    /// Half of the people at first, and a twentieth more each time.
    Come,
    /// The same people, other columns.
    Columns,
}

/// The columns of a table of people, without the key and the disease.
pub(crate) const COLUMNS: [&str; 5] = ["age", "zip", "sex", "work", "region"];

const N_VALUES: u64 = 40;

/// A crowd as it is.
pub(crate) struct Crowd {
    n: u64,
    change: Change,
    /// The releases each person was in so far.
    presence: Vec<Vec<bool>>,
    values: Vec<u64>,
}

impl Crowd {
    pub(crate) fn new(n: u64, change: Change) -> Self {
        Self { n, change, presence: Vec::new(), values: Vec::new() }
    }

    /// Goes on to a release, from 1.
    pub(crate) fn pass(&mut self, release: u64) {
        let before = release as usize - 1;
        for (person, was) in (0..).zip(&mut self.presence) {
            let draw = mix(person * 1000 + release) % 100;
            let is_here = match self.change {
                Change::ComeAndGo | Change::Values if was[before - 1] => draw >= 10,
                Change::ComeAndGo | Change::Values => draw < 25,
                Change::Come | Change::Columns => true,
            };
            was.push(is_here);
        }
        if self.change == Change::Values {
            for (person, value) in (0..).zip(&mut self.values) {
                *value = follow(*value, mix(person * 1000 + release + 500));
            }
        }
        let wanted = match self.change {
            Change::Come => self.n / 2 + self.n * (release - 1) / 20,
            _ => self.n,
        };
        let n_here = self.presence.iter().filter(|was| was[before]).count() as u64;
        for _ in n_here..wanted {
            let mut presence = vec![false; before];
            presence.push(true);
            self.values.push(disease(self.values.len() as u64));
            self.presence.push(presence);
        }
    }

    /// The people who are in the table, in the order of its rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u64> {
        let is_here = |was: &Vec<bool>| was.last().copied().unwrap_or(false);
        (0..).zip(&self.presence).filter(move |(_, was)| is_here(was)).map(|(person, _)| person)
    }

    /// The table as it is.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("person,{},disease\n", COLUMNS.join(","));
        for person in self.rows() {
            let value = self.values[person as usize];
            let _ = writeln!(text, "p{person:07},{},d{value:02}", quasi(person));
        }
        text
    }

    /// Everybody who was ever in a table, and in which.
    pub(crate) fn people(&self) -> String {
        let n_releases = self.presence.first().map_or(0, Vec::len);
        let names: Vec<String> = (1..=n_releases).map(|release| format!("in{release}")).collect();
        let mut text = format!("person,{},{}\n", COLUMNS.join(","), names.join(","));
        for (person, was) in (0..).zip(&self.presence) {
            let there: Vec<&str> = was.iter().map(|&is| if is { "1" } else { "0" }).collect();
            let _ = writeln!(text, "p{person:07},{},{}", quasi(person), there.join(","));
        }
        text
    }
}

fn quasi(person: u64) -> String {
    let draw = mix(person);
    let (age, zip) = (18 + draw % 70, 10_000 + (draw >> 8) % 900);
    let sex = if draw >> 20 & 1 == 0 { "F" } else { "M" };
    format!("{age},{zip},{sex},w{:02},r{:02}", (draw >> 24) % 12, (draw >> 32) % 20)
}

/// Low numbers are more frequent.
fn disease(draw: u64) -> u64 {
    let draw = mix(draw ^ 0xd15e);
    (draw % N_VALUES).min((draw >> 16) % N_VALUES)
}

/// A value after a value: the same with 0.6, the next with 0.2, any with 0.2.
fn follow(value: u64, draw: u64) -> u64 {
    match draw % 10 {
        0..6 => value,
        6..8 => (value + 1) % N_VALUES,
        _ => disease(draw),
    }
}

/// What is known of how values follow one another.
pub(crate) fn correlations() -> String {
    let mut text = String::from("from,to,probability\n");
    for value in 0..N_VALUES {
        let next = (value + 1) % N_VALUES;
        let _ = writeln!(text, "d{value:02},d{value:02},0.6\nd{value:02},d{next:02},0.2");
    }
    text
}

pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
