//! Patients of a hospital, one row for each stay.
//!
//! # Method
//! 1. The day of admission: more on weekdays and in winter.
//! 2. Age: newborns, few children, adults, many elderly. Sex: more women among the elderly.
//! 3. The disease depends on age, sex and season; children and emergencies have wards of their own,
//!    other wards follow the disease.
//! 4. The cost is log-normal around what the disease costs, and grows with age.
//! 5. Name and postal code are drawn alone, with a few common and many rare ones. Some cells of sex,
//!    postal code and cost are left empty.

use kohort_core::date::{civil_from_days, days_from_civil};

use super::File;
use super::draw::{Draw, Weighted, exp};
use super::lists::{Sheet, push_number};

pub(super) const HEADER: &str = "name,age,sex,zip,admission,ward,disease,cost\n";

const DISEASES: &str = include_str!("lists/disease.csv");
const WARDS: &str = include_str!("lists/ward.csv");
const FEMALE_NAMES: &str = include_str!("lists/names_female.txt");
const MALE_NAMES: &str = include_str!("lists/names_male.txt");
const LAST_NAMES: &str = include_str!("lists/names_last.txt");

/// The relative number of patients at some ages; between them it changes evenly.
const AGES: [(u32, u32); 12] = [
    (0, 500),
    (1, 90),
    (5, 50),
    (15, 55),
    (20, 90),
    (30, 125),
    (45, 110),
    (60, 165),
    (75, 240),
    (83, 215),
    (91, 90),
    (100, 6),
];
/// The ages at which a new band of the disease list starts.
const BANDS: [usize; 5] = [0, 1, 16, 50, 70];
/// The relative number of patients admitted on each day of the week, Monday first.
const WEEK: [u32; 7] = [120, 115, 110, 108, 100, 62, 58];
/// The relative number of patients admitted in each month.
const YEAR: [u32; 12] = [116, 115, 108, 100, 97, 95, 92, 90, 95, 99, 104, 110];
/// The first two digits of each region's postal codes, and its share of the patients.
const REGIONS: [(u32, u32); 6] = [(1, 46), (2, 21), (4, 14), (9, 9), (10, 6), (80, 4)];
const CODES_PER_REGION: u32 = 24;

/// Everything that is looked up while rows are made.
pub(super) struct Hospital {
    // Women first.
    first_names: [(Vec<&'static str>, Weighted); 2],
    last_names: (Vec<&'static str>, Weighted),
    ages: Weighted,
    zips: (Vec<String>, Weighted),
    days: Vec<Day>,
    day: Weighted,
    diseases: Vec<&'static str>,
    /// By season, band of age and sex.
    disease: Vec<Weighted>,
    /// The ward that treats each disease, and its usual cost.
    treatment: Vec<(&'static str, f64)>,
}

struct Day {
    text: String,
    season: usize,
}

impl Hospital {
    pub(super) fn new() -> Self {
        let sheet = Sheet::new(DISEASES);
        let (days, day) = days();
        let costs = sheet.numbers(14).into_iter().map(f64::from);
        Self {
            first_names: [names(FEMALE_NAMES), names(MALE_NAMES)],
            last_names: names(LAST_NAMES),
            ages: ages(),
            zips: zips(),
            days,
            day,
            diseases: sheet.texts(0),
            disease: diseases(&sheet),
            treatment: sheet.texts(3).into_iter().zip(costs).collect(),
        }
    }

    /// Adds one row to `row`.
    pub(super) fn row(&self, draw: &mut Draw, row: &mut String) {
        let day = &self.days[self.day.draw(draw)];
        let age = self.ages.draw(draw);
        let male = usize::from(draw.chance(if age < 75 { 0.5 } else { 0.41 }));
        let band = BANDS.iter().filter(|&&start| start <= age).count() - 1;
        let disease = self.disease[(day.season * BANDS.len() + band) * 2 + male].draw(draw);
        let (ward, usual_cost) = self.treatment[disease];

        self.push_name(draw, male, row);
        push_number(row, u32::try_from(age).expect("an age is small"));
        row.push(',');
        if !draw.chance(0.02) {
            row.push_str(if male == 1 { "M" } else { "F" });
        }
        row.push(',');
        let zip = self.zips.1.draw(draw);
        if !draw.chance(0.03) {
            row.push_str(&self.zips.0[zip]);
        }
        for text in [&day.text, ward_of(draw, age, ward), self.diseases[disease]] {
            row.push(',');
            row.push_str(text);
        }
        row.push(',');
        let age = u32::try_from(age).expect("an age is small");
        let cost = usual_cost * (0.8 + f64::from(age) / 200.0) * exp(0.55 * draw.bell());
        if !draw.chance(0.035) {
            push_cost(row, cost);
        }
        row.push('\n');
    }

    fn push_name(&self, draw: &mut Draw, male: usize, row: &mut String) {
        let (first, choice) = &self.first_names[male];
        row.push_str(first[choice.draw(draw)]);
        row.push(' ');
        let (last, choice) = &self.last_names;
        let one = choice.draw(draw);
        row.push_str(last[one]);
        let other = choice.draw(draw);
        // One in twelve has a double name.
        if other != one && draw.chance(1.0 / 12.0) {
            row.push('-');
            row.push_str(last[other]);
        }
        row.push(',');
    }
}

/// Most patients lie where their disease is treated.
fn ward_of(draw: &mut Draw, age: usize, ward: &'static str) -> &'static str {
    if ward == "Neonatology" || ward == "Obstetrics" {
        return ward;
    }
    let chance = draw.unit();
    if age < 16 {
        return if chance < 0.85 { "Pediatrics" } else { ward };
    }
    let intensive = if age < 70 { 0.03 } else { 0.06 };
    if chance < intensive {
        "Intensive care"
    } else if chance < intensive + 0.06 {
        "Emergency"
    } else {
        ward
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cost is positive and below 40 million, so its cents fit"
)]
fn push_cost(row: &mut String, cost: f64) {
    let cents = (cost * 100.0) as u32;
    push_number(row, cents / 100);
    row.push('.');
    push_number(row, cents / 10 % 10);
    push_number(row, cents % 10);
}

fn names(text: &'static str) -> (Vec<&'static str>, Weighted) {
    let names: Vec<&str> = text.split_whitespace().collect();
    let choice = Weighted::zipf(names.len(), 10.0);
    (names, choice)
}

fn ages() -> Weighted {
    let mut weights = vec![AGES[0].1];
    for pair in AGES.windows(2) {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        let steps = to - from;
        weights.extend((1..=steps).map(|step| (low * (steps - step) + high * step) / steps));
    }
    Weighted::of(weights)
}

/// Five digits each, the frequent codes of a region first.
fn zips() -> (Vec<String>, Weighted) {
    let mut codes = Vec::new();
    let mut weights = Vec::new();
    for (region, share) in REGIONS {
        for rank in 0..CODES_PER_REGION {
            // Neighbors share their leading digits, so that dropping digits merges near places.
            codes.push(format!("{region:02}{:03}", 67 + rank * 31));
            weights.push(f64::from(share) / f64::from(rank + 3));
        }
    }
    (codes, Weighted::new(&weights))
}

/// The days of two years and how many patients come on each.
fn days() -> (Vec<Day>, Weighted) {
    let first = days_from_civil(2023, 1, 1).expect("a day of the calendar");
    let end = days_from_civil(2025, 1, 1).expect("a day of the calendar");
    let mut days = Vec::new();
    let mut weights = Vec::new();
    for number in first..end {
        let (year, month, day) = civil_from_days(number);
        // 1970-01-01 was a Thursday.
        let weekday = (number.unsigned_abs() as usize + 3) % 7;
        let month_index = month as usize - 1;
        weights.push(WEEK[weekday] * YEAR[month_index]);
        // December counts as winter.
        let season = month as usize % 12 / 3;
        days.push(Day { text: format!("{year}-{month:02}-{day:02}"), season });
    }
    (days, Weighted::of(weights))
}

fn diseases(sheet: &Sheet) -> Vec<Weighted> {
    let female = sheet.numbers(9);
    let male = female.iter().map(|percent| 100 - percent).collect();
    let sexes = [female, male];
    let choice = |season: usize, band: usize, sex: usize| {
        let (seasons, bands) = (sheet.numbers(10 + season), sheet.numbers(4 + band));
        let of_band = bands.into_iter().zip(seasons).zip(&sexes[sex]);
        Weighted::of(of_band.map(|((band, season), sex)| band * season * sex))
    };
    let n = BANDS.len();
    (0..4 * n * 2).map(|index| choice(index / 2 / n, index / 2 % n, index % 2)).collect()
}

pub(super) fn taxonomies() -> Vec<File> {
    vec![
        File::new("taxonomies/disease.csv", Sheet::new(DISEASES).taxonomy(3)),
        File::new("taxonomies/ward.csv", Sheet::new(WARDS).taxonomy(2)),
    ]
}
