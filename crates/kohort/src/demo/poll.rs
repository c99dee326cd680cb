//! Answers to a poll: people with an age, a sex and a place, and how they stand on several issues.
//!
//! # Method
//! 1. Ages are those of the census; places are postal codes of a few towns, the larger ones likelier.
//! 2. Everybody has two leanings, shaped like bells; older people lean a little to the right.
//! 3. The stand on an issue is a mixture of the leanings and of chance, with weights of the issue, on a
//!    scale from 0 to 10. Issues next to each other go together more than others.
//!
//! No answer is given by more than a sixth of the people or so: with eleven answers, l up to 6 can be had.

use std::fmt::Write;

use super::draw::{Draw, Weighted};
use super::lists::push_number;

/// The most issues of a poll.
pub const MOST_ISSUES: u32 = 40;

/// The number of towns.
const TOWNS: usize = 25;
/// The streets of a town that have a postal code of their own.
const CODES: usize = 40;
/// The relative number of people in each span of ten years from 18 on.
const SPANS: [u32; 7] = [16, 19, 18, 17, 15, 10, 5];

/// Everything that is looked up while rows are made.
pub(super) struct Poll {
    issues: u32,
    spans: Weighted,
    towns: Weighted,
    codes: Weighted,
}

impl Poll {
    pub(super) fn new(issues: u32) -> Self {
        Self {
            issues,
            spans: Weighted::of(SPANS),
            towns: Weighted::zipf(TOWNS, 3.0),
            codes: Weighted::zipf(CODES, 8.0),
        }
    }

    pub(super) fn header(&self) -> String {
        let issues = (1..=self.issues).map(|issue| format!(",i{issue}"));
        format!("voter,age,sex,zip{}\n", issues.collect::<String>())
    }

    /// Adds one row to `row`; `number` counts the people.
    pub(super) fn row(&self, number: u64, draw: &mut Draw, row: &mut String) {
        let span = u32::try_from(self.spans.draw(draw)).expect("a few spans");
        let age = 18 + 10 * span + below(10, draw.unit());
        let woman = draw.chance(0.51);
        let town = u32::try_from(self.towns.draw(draw)).expect("a few towns");
        let code = u32::try_from(self.codes.draw(draw)).expect("a few streets");
        let right = 0.25 * (f64::from(age) - 48.0) / 18.0 + draw.bell();
        let modern = draw.bell();
        let (sex, zip) = (if woman { 'F' } else { 'M' }, 10_000 + town * 400 + code);
        write!(row, "V{number:07},{age},{sex},{zip}").expect("a string takes every text");
        for issue in 0..self.issues {
            let stand = stand(issue, right, modern, draw.bell());
            row.push(',');
            push_number(row, stand);
        }
        row.push('\n');
    }
}

/// A whole number below `n`, of a number below 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below a small number")]
fn below(n: u32, unit: f64) -> u32 {
    (unit * f64::from(n)) as u32
}

/// The stand of somebody with these leanings on an issue.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10")]
fn stand(issue: u32, right: f64, modern: f64, chance: f64) -> u32 {
    // How much of a stand comes from the leanings differs by issue, in a cycle of seven.
    let turn = f64::from(issue % 7) / 6.0;
    let (of_right, of_modern) = (0.65 - 0.5 * turn, 0.15 + 0.5 * turn);
    let rest = (1.0 - of_right * of_right - of_modern * of_modern).sqrt();
    let opinion = of_right * right + of_modern * modern + rest * chance;
    let (middle, spread) = (5.0 + 0.8 * (turn - 0.5), 2.7 + 0.3 * turn);
    (middle + spread * opinion).round().clamp(0.0, 10.0) as u32
}

/// The plan of a poll with this many issues; `{input}` stands for its file.
pub(super) fn plan(issues: u32) -> String {
    let names: Vec<String> =
        (1..=issues).map(|issue| format!("i{issue} = \"sensitive\"\n")).collect();
    include_str!("poll.toml").replacen("{issues}", &names.concat(), 1)
}
