//! Patients of a hospital who are published again and again.
//!
//! # Method
//! 1. A patient has a number, a year of birth, a sex and a postal code that stay, and a disease.
//! 2. From one release to the next one in twelve leaves, as many come, and of those who left one in four
//!    comes back.
//! 3. A disease stays with 60 %, becomes the next one of its system with 20 %, and otherwise any by its
//!    frequency: what the table of correlations lists, completed as a publisher's is.

use std::fmt::Write;

use super::File;
use super::draw::{Draw, Weighted};
use super::lists::{Sheet, push_number};

const DISEASES: &str = include_str!("lists/disease.csv");
const PLAN: &str = include_str!("series.toml");

/// In how many parts of a hundred a disease stays, and becomes the one that follows.
const STAYS: u32 = 60;
const FOLLOWS: u32 = 20;

struct Patient {
    number: u32,
    born: u32,
    sex: &'static str,
    zip: u32,
    disease: usize,
    is_here: bool,
}

struct Clinic {
    diseases: Vec<&'static str>,
    // The disease that follows each one.
    following: Vec<usize>,
    disease: Weighted,
    patients: Vec<Patient>,
    draw: Draw,
}

/// The tables of this many releases of `rows` people or nearly, the correlations, and a plan.
pub fn series(rows: u64, releases: u32, seed: u64) -> Vec<File> {
    let mut clinic = Clinic::new(seed);
    for _ in 0..rows {
        clinic.appear();
    }
    let mut files = Vec::new();
    for release in 1..=releases {
        if release > 1 {
            clinic.pass();
        }
        files.push(File::new(&format!("stays-{release}.csv"), clinic.table()));
    }
    files.push(File::new("follows.csv", clinic.correlations()));
    files.push(File::new("plan.toml", PLAN.to_owned()));
    files
}

impl Clinic {
    fn new(seed: u64) -> Self {
        let sheet = Sheet::new(DISEASES);
        let systems = sheet.texts(2);
        let next = |at: usize| {
            let others = (at + 1..systems.len()).chain(0..at);
            others.into_iter().find(|&other| systems[other] == systems[at]).unwrap_or(at)
        };
        let bands = sheet.number_rows(4, 5);
        Self {
            diseases: sheet.texts(0),
            following: (0..systems.len()).map(next).collect(),
            disease: Weighted::of(bands.iter().map(|bands| bands.iter().sum::<u32>())),
            patients: Vec::new(),
            draw: Draw::new(seed),
        }
    }

    /// Somebody comes for the first time.
    fn appear(&mut self) {
        let draw = &mut self.draw;
        let number = u32::try_from(self.patients.len() + 1).expect("a clinic is small");
        let born = 1930 + up_to(draw, 90);
        let sex = if draw.chance(0.53) { "F" } else { "M" };
        let zip = 10_000 + 100 * up_to(draw, 24) + up_to(draw, 10);
        let disease = self.disease.draw(draw);
        self.patients.push(Patient { number, born, sex, zip, disease, is_here: true });
    }

    /// Half a year passes.
    fn pass(&mut self) {
        let mut n_left = 0;
        for patient in &mut self.patients {
            let chance = self.draw.unit() * 100.0;
            if chance < f64::from(FOLLOWS) {
                patient.disease = self.following[patient.disease];
            } else if chance >= f64::from(STAYS + FOLLOWS) {
                patient.disease = self.disease.draw(&mut self.draw);
            }
            if !patient.is_here {
                patient.is_here = self.draw.chance(0.25);
            } else if self.draw.chance(1.0 / 12.0) {
                patient.is_here = false;
                n_left += 1;
            }
        }
        for _ in 0..n_left {
            self.appear();
        }
    }

    fn table(&self) -> String {
        let mut text = String::from("patient,born,sex,zip,disease\n");
        for patient in self.patients.iter().filter(|patient| patient.is_here) {
            text.push('P');
            push_number(&mut text, 100_000 + patient.number);
            text.push(',');
            push_number(&mut text, patient.born);
            text.push(',');
            text.push_str(patient.sex);
            text.push(',');
            push_number(&mut text, patient.zip);
            text.push(',');
            text.push_str(self.diseases[patient.disease]);
            text.push('\n');
        }
        text
    }

    /// What is listed: that a disease stays, and what follows it.
    fn correlations(&self) -> String {
        let mut text = String::from("from,to,probability\n");
        for (disease, &following) in self.diseases.iter().zip(&self.following) {
            let following = self.diseases[following];
            if *disease == following {
                let _ = writeln!(text, "{disease},{disease},0.{}", STAYS + FOLLOWS);
            } else {
                let _ = writeln!(text, "{disease},{disease},0.{STAYS}");
                let _ = writeln!(text, "{disease},{following},0.{FOLLOWS}");
            }
        }
        text
    }
}

/// A number from 0 up to but not including this one.
fn up_to(draw: &mut Draw, end: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below `end`")]
    let number = (draw.unit() * f64::from(end)) as u32;
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_come_leave_return_and_change() {
        let files = series(200, 3, 7);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            ["stays-1.csv", "stays-2.csv", "stays-3.csv", "follows.csv", "plan.toml"]
        );
        let of = |at: usize| -> Vec<(&str, &str)> {
            let lines = files[at].text.lines().skip(1);
            lines.map(|line| (&line[..7], line.rsplit_once(',').unwrap().1)).collect()
        };
        let [first, second, third] = [of(0), of(1), of(2)];
        let has = |table: &[(&str, &str)], key: &str| table.iter().any(|(found, _)| *found == key);
        assert_eq!(first.len(), 200);
        assert!(first.iter().any(|(key, _)| !has(&second, key)), "somebody leaves");
        assert!(second.iter().any(|(key, _)| !has(&first, key)), "somebody comes");
        let is_back = |key: &str| has(&first, key) && !has(&second, key);
        assert!(third.iter().any(|(key, _)| is_back(key)), "somebody comes back");
        let kept = first.iter().filter(|stay| second.contains(stay)).count();
        assert!((80..180).contains(&kept), "{kept} have the same disease");
        assert_eq!(series(200, 3, 7), files);
    }
}
