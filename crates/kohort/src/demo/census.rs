//! People of a census, in the shape of the UCI Adult table (Becker and Kohavi, 1996).
//!
//! # Method
//! 1. Sex, age and race follow the table's shares; the country depends on race.
//! 2. Education depends on age, marital status on age and sex.
//! 3. The occupation depends on education and sex, the class of worker on the occupation.
//! 4. The odds of a high salary are a product over education, occupation, marital status and age.
//! 5. Some have neither occupation nor class of worker (`?`), most of them young or old.
//!
//! The weights are shares of the table rounded to two digits; the rows are drawn from these alone.

use super::File;
use super::draw::{Draw, Weighted};
use super::lists::{Sheet, push_number};

pub(super) const HEADER: &str =
    "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class\n";

const EDUCATION: &str = include_str!("lists/education.csv");
const MARITAL: &str = include_str!("lists/marital.csv");
const OCCUPATION: &str = include_str!("lists/occupation.csv");
const COUNTRY: &str = include_str!("lists/country.csv");
const WORKCLASS: &str = include_str!("lists/workclass.csv");

const RACES: [(&str, u32); 5] = [
    ("White", 8600),
    ("Black", 930),
    ("Asian-Pac-Islander", 300),
    ("Amer-Indian-Eskimo", 95),
    ("Other", 77),
];
const YOUNGEST: u32 = 17;
/// The relative number of people at each age from 17 to 90; ages above 90 count as 90.
const AGES: [u32; 74] = [
    33, 45, 59, 63, 62, 67, 82, 75, 80, 75, 79, 81, 77, 81, 85, 79, 84, 84, 83, 85, 83, 79, 79, 77,
    77, 74, 74, 70, 71, 71, 68, 52, 56, 58, 57, 46, 45, 39, 39, 34, 34, 34, 33, 28, 26, 21, 19, 17,
    14, 11, 11, 9, 8, 6, 5, 4, 5, 4, 3, 3, 2, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4,
];
/// The ages at which a new band of the lists starts.
const BANDS: [u32; 7] = [17, 23, 30, 40, 50, 60, 70];
/// The levels of education that the list of occupations tells apart, with their odds of a high salary.
const TIERS: [(&str, f64); 5] =
    [("below", 0.35), ("school", 0.8), ("college", 1.15), ("bachelor", 2.4), ("graduate", 4.2)];
/// The odds of a high salary in each band of age.
const ODDS_OF_AGE: [f64; 7] = [0.06, 0.45, 0.9, 1.35, 1.45, 0.95, 0.6];
/// The share of each band of age that has neither occupation nor class of worker.
const NO_WORK: [f64; 7] = [0.11, 0.035, 0.025, 0.025, 0.04, 0.11, 0.2];
const BASE_ODDS: f64 = 0.62;

/// Everything that is looked up while rows are made.
pub(super) struct Census {
    ages: Weighted,
    races: Weighted,
    /// By race.
    countries: (Vec<&'static str>, Vec<Weighted>),
    /// By band of age.
    educations: (Vec<&'static str>, Vec<Weighted>),
    /// The tier of each education.
    tiers: Vec<usize>,
    /// By sex and band of age.
    maritals: (Vec<&'static str>, Vec<Weighted>),
    /// By sex and tier.
    occupations: (Vec<&'static str>, Vec<Weighted>),
    /// By occupation.
    workclasses: (Vec<&'static str>, Vec<Weighted>),
    odds_of_marital: Vec<f64>,
    odds_of_occupation: Vec<f64>,
}

impl Census {
    pub(super) fn new() -> Self {
        let (education, marital) = (Sheet::new(EDUCATION), Sheet::new(MARITAL));
        let (occupation, country) = (Sheet::new(OCCUPATION), Sheet::new(COUNTRY));
        let tier = |name| TIERS.iter().position(|tier| tier.0 == name).expect("a listed tier");
        let percent = |numbers: Vec<u32>| numbers.into_iter().map(|n| f64::from(n) / 100.0);
        Self {
            ages: Weighted::of(AGES),
            races: Weighted::of(RACES.map(|race| race.1)),
            countries: by_column(&country, 3, RACES.len()),
            educations: by_column(&education, 4, BANDS.len()),
            tiers: education.texts(3).into_iter().map(tier).collect(),
            maritals: by_column(&marital, 4, 2 * BANDS.len()),
            occupations: by_column(&occupation, 4, 2 * TIERS.len()),
            workclasses: (
                Sheet::new(WORKCLASS).texts(0),
                occupation.number_rows(14, 7).into_iter().map(Weighted::of).collect(),
            ),
            odds_of_marital: percent(marital.numbers(3)).collect(),
            odds_of_occupation: percent(occupation.numbers(3)).collect(),
        }
    }

    /// Adds one row to `row`.
    pub(super) fn row(&self, draw: &mut Draw, row: &mut String) {
        let male = usize::from(draw.chance(0.67));
        let age = YOUNGEST + u32::try_from(self.ages.draw(draw)).expect("an age is small");
        let band = BANDS.iter().filter(|&&start| start <= age).count() - 1;
        let race = self.races.draw(draw);
        let country = self.countries.1[race].draw(draw);
        let education = self.educations.1[band].draw(draw);
        let tier = self.tiers[education];
        let marital = self.maritals.1[male * BANDS.len() + band].draw(draw);
        let occupation = self.occupations.1[male * TIERS.len() + tier].draw(draw);
        let workclass = self.workclasses.1[occupation].draw(draw);
        let works = !draw.chance(NO_WORK[band]);
        let odds = BASE_ODDS
            * TIERS[tier].1
            * ODDS_OF_AGE[band]
            * self.odds_of_marital[marital]
            * if works { self.odds_of_occupation[occupation] } else { 0.4 };
        let high = draw.chance(odds / (1.0 + odds));

        row.push_str(if male == 1 { "Male," } else { "Female," });
        push_number(row, age);
        let country = self.countries.0[country];
        let (workclass, occupation) = match (works, draw.chance(0.002)) {
            (true, _) => (self.workclasses.0[workclass], self.occupations.0[occupation]),
            (false, true) => ("Never-worked", "?"),
            (false, false) => ("?", "?"),
        };
        for text in [
            RACES[race].0,
            self.maritals.0[marital],
            self.educations.0[education],
            if draw.chance(0.018) { "?" } else { country },
            workclass,
            occupation,
            if high { ">50K\n" } else { "<=50K\n" },
        ] {
            row.push(',');
            row.push_str(text);
        }
    }
}

/// The values of a list, and a choice among them for each of `n` columns of weights.
fn by_column(sheet: &Sheet, first: usize, n: usize) -> (Vec<&'static str>, Vec<Weighted>) {
    let choices = (first..first + n).map(|column| Weighted::of(sheet.numbers(column))).collect();
    (sheet.texts(0), choices)
}

pub(super) fn taxonomies() -> Vec<File> {
    let file = |name, text, levels| File::new(name, Sheet::new(text).taxonomy(levels));
    vec![
        file("taxonomies/education.csv", EDUCATION, 3),
        file("taxonomies/marital-status.csv", MARITAL, 3),
        file("taxonomies/native-country.csv", COUNTRY, 3),
        file("taxonomies/occupation.csv", OCCUPATION, 3),
        file("taxonomies/workclass.csv", WORKCLASS, 2),
    ]
}
