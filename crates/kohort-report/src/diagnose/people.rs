//! What is said of people, where a person has several rows.

use serde::{Deserialize, Serialize};

use super::sentences::line;
use super::{Fraction, Line, count, decimal, grouped, percent, share};
use crate::wording::Sentence;

/// The levels of a table, counting people: rows with the same value of a column are one person's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeopleAnswer {
    /// The column that tells people apart.
    pub column: String,
    /// The number of people.
    pub people: u64,
    /// The fewest people in a class.
    pub k: u64,
    /// The people who are alone in one of their classes.
    pub alone: u64,
    /// The levels of each sensitive attribute.
    pub sensitive: Vec<PeopleSensitive>,
}

/// The levels of one sensitive attribute, counting people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeopleSensitive {
    /// The attribute.
    pub attribute: String,
    /// One over the largest share of the people of a class who have one value.
    pub frequency_l: Fraction,
    /// The same as a decimal.
    pub frequency_l_value: f64,
    /// The people in a class in which everybody has the same value.
    pub people_disclosed: u64,
}

impl PeopleAnswer {
    /// Who can be singled out, the first thing to say.
    pub fn singled_out(&self, columns: &str) -> Option<String> {
        let who = self.who(self.alone);
        let told = format!("{who} can be singled out by {columns}, in at least one of their rows");
        (self.alone > 0).then_some(told)
    }

    /// So many of the people.
    fn who(&self, n: u64) -> String {
        let people = grouped(self.people);
        match n {
            1 => format!("One of {people} people"),
            n if n == self.people => format!("All {people} people"),
            n => format!("{} of {people} people", grouped(n)),
        }
    }

    /// Whose values are known once their class is.
    pub fn given_away(&self) -> Option<Sentence> {
        let worst = self.sensitive.iter().max_by_key(|one| one.people_disclosed)?;
        let verb = if worst.people_disclosed == 1 { "gives" } else { "give" };
        (worst.people_disclosed > 0).then(|| {
            Sentence::from(format!("{} {verb} away their ", self.who(worst.people_disclosed)))
                .names([&worst.attribute])
                .and(": everybody like them has the same value")
        })
    }

    /// The levels, each with what it means.
    pub fn lines(&self) -> Vec<Line> {
        let k = match self.k {
            1 => format!(
                "{} ({}) {} alone in at least one of their rows",
                count(self.alone, "person", "people"),
                share(self.alone, self.people),
                if self.alone == 1 { "is" } else { "are" }
            ),
            k => format!("nobody can be narrowed down to fewer than {} people", grouped(k)),
        };
        let mut lines = vec![line("k, counting people", format!("k = {}", grouped(self.k)), k)];
        for one in &self.sensitive {
            let likely = percent(1.0 / one.frequency_l_value);
            lines.push(line(
                &format!("frequency l of {}", super::visible(&one.attribute)),
                decimal(one.frequency_l_value),
                format!("up to {likely} of the people of a class have one value"),
            ));
        }
        lines
    }

    /// What the other figures count.
    pub fn caveat(&self) -> String {
        format!(
            "rows with the same `{}` are one person's; all other figures here count rows",
            super::visible(&self.column)
        )
    }
}
