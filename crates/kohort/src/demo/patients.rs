//! Patients with their visits, diagnoses and treatments.
//!
//! # Method
//! 1. Age, sex and postal code are drawn alone; older people come more often.
//! 2. A visit has a month and one to three diagnoses, those of the patient's age; half of the time the
//!    first is one that the patient had before. The department is the one that treats the first.
//! 3. With four levels, a diagnosis has up to two treatments with what they cost.
//! 4. With two levels, a visit has one diagnosis itself.

use std::fmt::Write;

use super::File;
use super::draw::{Draw, Weighted};
use super::lists::Sheet;
use super::records::{Level, Object, People, path};

const PATIENT: Level = Level {
    array: "patients",
    key: "patient_id",
    fields: &[("birth_year", true), ("sex", false), ("zip", false)],
};
const VISIT: Level =
    Level { array: "visits", key: "visit_id", fields: &[("month", false), ("department", false)] };
const FLAT_VISIT: Level = Level {
    array: "visits",
    key: "visit_id",
    fields: &[("month", false), ("department", false), ("disease", false)],
};
const DIAGNOSIS: Level = Level {
    array: "diagnoses",
    key: "diagnosis_id",
    fields: &[("rank", false), ("disease", false)],
};
const TREATMENT: Level =
    Level { array: "treatments", key: "treatment_id", fields: &[("kind", false), ("cost", false)] };

const DISEASES: &str = include_str!("lists/disease.csv");
const WARDS: &str = include_str!("lists/ward.csv");
const KINDS: [(&str, &str); 8] = [
    ("blood test", "Diagnostics"),
    ("imaging", "Diagnostics"),
    ("biopsy", "Diagnostics"),
    ("medication", "Therapy"),
    ("infusion", "Therapy"),
    ("physiotherapy", "Therapy"),
    ("minor surgery", "Surgery"),
    ("major surgery", "Surgery"),
];
const COSTS: [&str; 5] =
    ["under 100", "100 to 499", "500 to 1999", "2000 to 9999", "10000 or more"];
/// The column of the disease list for ages from 16, 50 and 70 on.
const BANDS: [usize; 3] = [6, 7, 8];

/// Everything that is looked up while patients are made.
pub(super) struct Patients {
    levels: Vec<Level>,
    diseases: Vec<&'static str>,
    wards: Vec<&'static str>,
    // By band of age and sex, women first.
    by_band: [[Weighted; 2]; 3],
    zips: Weighted,
    kinds: Weighted,
    costs: Weighted,
}

impl Patients {
    /// Patients with this many levels, from 2 to 4.
    pub(super) fn new(depth: u32) -> Self {
        let sheet = Sheet::new(DISEASES);
        let levels = match depth {
            0..=2 => vec![PATIENT, FLAT_VISIT],
            3 => vec![PATIENT, VISIT, DIAGNOSIS],
            _ => vec![PATIENT, VISIT, DIAGNOSIS, TREATMENT],
        };
        Self {
            levels,
            diseases: sheet.texts(0),
            wards: sheet.texts(3),
            by_band: BANDS.map(|column| {
                [false, true].map(|is_man| {
                    let share = |female: u32| if is_man { 100 - female } else { female };
                    let of_sex = sheet.numbers(9).into_iter().map(share);
                    Weighted::of(sheet.numbers(column).into_iter().zip(of_sex).map(|(a, b)| a * b))
                })
            }),
            zips: Weighted::zipf(60, 6.0),
            kinds: Weighted::of([30, 18, 4, 26, 10, 8, 6, 3]),
            costs: Weighted::of([30, 34, 20, 12, 4]),
        }
    }

    fn visit(&self, draw: &mut Draw, disease: &Weighted, had: &mut Vec<usize>) -> Object {
        let known = had.last().copied().filter(|_| draw.chance(0.5));
        let first = known.unwrap_or_else(|| disease.draw(draw));
        had.push(first);
        let month = whole(draw.unit() * 24.0);
        let month = format!("{}-{:02}", 2023 + month / 12, month % 12 + 1);
        let mut cells = vec![month, self.wards[first].to_owned()];
        if self.levels.len() == 2 {
            cells.push(self.diseases[first].to_owned());
            return Object { cells, below: Vec::new() };
        }
        let n = 1 + usize::from(draw.chance(0.45)) + usize::from(draw.chance(0.15));
        let diagnoses = (0..n).map(|index| {
            let found = if index == 0 { first } else { disease.draw(draw) };
            let rank = if index == 0 { "primary" } else { "secondary" };
            let cells = vec![rank.to_owned(), self.diseases[found].to_owned()];
            Object { cells, below: self.treatments(draw) }
        });
        Object { cells, below: diagnoses.collect() }
    }

    fn treatments(&self, draw: &mut Draw) -> Vec<Object> {
        let n = if self.levels.len() < 4 { 0 } else { whole(draw.unit() * 3.0) };
        let treatment = |_| {
            let (kind, _) = KINDS[self.kinds.draw(draw)];
            let cells = vec![kind.to_owned(), COSTS[self.costs.draw(draw)].to_owned()];
            Object { cells, below: Vec::new() }
        };
        (0..n).map(treatment).collect()
    }
}

impl People for Patients {
    fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn draw(&self, draw: &mut Draw) -> Object {
        let age = 18 + whole(draw.unit() * 75.0);
        let band = usize::from(age >= 50) + usize::from(age >= 70);
        let is_man = draw.chance(0.48);
        let disease = &self.by_band[band][usize::from(is_man)];
        let sex = if is_man { "M" } else { "F" };
        let zip = self.zips.draw(draw);
        let zip = format!("{}", 10_100 + zip / 10 * 700 + zip % 10 * 11);
        let most = [3.0, 5.0, 7.0][band];
        let n_visits = 1 + whole(draw.unit() * most);
        let mut had = Vec::new();
        let below = (0..n_visits).map(|_| self.visit(draw, disease, &mut had)).collect();
        Object { cells: vec![(2024 - age).to_string(), sex.to_owned(), zip], below }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of at least 0"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

pub(super) fn taxonomies(depth: u32) -> Vec<File> {
    let mut month = String::new();
    for year in [2023, 2024] {
        for number in 1..=12 {
            let quarter = (number - 1) / 3 + 1;
            let _ = writeln!(month, "{year}-{number:02};{year} Q{quarter};{year};*");
        }
    }
    let mut files = vec![
        File::new("taxonomies/department.csv", Sheet::new(WARDS).taxonomy(2)),
        File::new("taxonomies/disease.csv", Sheet::new(DISEASES).taxonomy(3)),
        File::new("taxonomies/month.csv", month),
    ];
    if depth > 3 {
        let kinds = KINDS.map(|(kind, group)| format!("{kind};{group};*\n")).concat();
        files.push(File::new("taxonomies/treatment.csv", kinds));
    }
    files
}

/// What a plan says about the attributes.
pub(super) fn attributes(depth: u32) -> String {
    let patients = Patients::new(depth);
    let levels = patients.levels();
    let mut plan = String::from(
        "# What an outsider may know: it is generalized where people are aligned.\nbirth_year = \
         { role = \"quasi\", type = \"integer\", taxonomy = { widths = [5, 10, 20] } }\nsex = \
         \"quasi\"\nzip = { role = \"quasi\", type = \"text\", taxonomy = \"mask\" }\n",
    );
    let mut add = |at: usize, field: &str, value: &str| {
        let _ = writeln!(plan, "{} = {value}", path(levels, at, field));
    };
    add(1, "month", "{ role = \"quasi\", taxonomy = \"taxonomies/month.csv\" }");
    add(1, "department", "{ role = \"quasi\", taxonomy = \"taxonomies/department.csv\" }");
    let last = levels.len().min(3) - 1;
    if last == 2 {
        add(2, "rank", "\"quasi\"");
    }
    add(last, "disease", "{ role = \"sensitive\", taxonomy = \"taxonomies/disease.csv\" }");
    if levels.len() > 3 {
        add(3, "kind", "{ role = \"quasi\", taxonomy = \"taxonomies/treatment.csv\" }");
        add(3, "cost", "\"sensitive\"");
    }
    plan
}
