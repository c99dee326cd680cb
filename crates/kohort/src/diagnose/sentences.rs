//! What each level means for a person in the table, in one plain sentence.

use kohort_core::Ratio;

use super::{Diagnosis, Sensitive};

/// What no level promises; every report says so.
pub const NOT_PROMISED: &[&str] = &[
    "These levels hold for this table and these quasi-identifiers only: a column that an outsider \
     knows and that is not among them can lower every one of them.",
    "They say nothing about a second release of the same people: two tables that are safe alone can \
     be unsafe together.",
    "k alone does not protect a sensitive value: everybody in a class may share it.",
    "Distinct l counts values and bounds no probability; an outsider who can rule values out needs \
     fewer guesses.",
    "Entropy l cannot be reached when the table itself is skewed, and hides one likely value among \
     many rare ones.",
    "t compares with the whole table, which is public once it is released.",
    "An outsider who knows how a release was made, or learns from it how values go together, can do \
     better than these figures.",
];

/// A figure with its name and what it means.
#[derive(Clone, Debug)]
pub struct Line {
    /// The figure's name.
    pub name: String,
    /// The figure.
    pub value: String,
    /// What it means for a person in the table.
    pub meaning: String,
}

fn line(name: &str, value: impl Into<String>, meaning: impl Into<String>) -> Line {
    Line { name: name.into(), value: value.into(), meaning: meaning.into() }
}

/// The levels that concern the quasi-identifiers.
pub fn level_lines(answer: &Diagnosis) -> Vec<Line> {
    let unique = answer.risk.prosecutor.unique;
    let k = match (answer.k, unique) {
        (1, 1) => "one person stands alone: who knows these columns finds that row".to_owned(),
        (1, n) => format!(
            "{} people ({}) stand alone: who knows these columns finds their row",
            grouped(n),
            share(n, answer.rows)
        ),
        (k, _) => format!("nobody can be narrowed down to fewer than {} rows", grouped(k)),
    };
    let mut lines = vec![
        line("k-anonymity", format!("k = {}", grouped(answer.k)), k),
        line(
            "classes",
            grouped(answer.classes),
            format!("a row shares its columns with {} others on average", others(answer)),
        ),
    ];
    if let Some(separation) = answer.separation_ratio {
        lines.push(line(
            "separation",
            decimal(separation),
            format!("{} of all pairs of people can be told apart", percent(separation)),
        ));
    }
    if let Some(p) = answer.p_sensitivity.filter(|_| answer.sensitive.len() > 1) {
        let meaning = "the fewest different values of any sensitive column in a class";
        lines.push(line("p-sensitivity", format!("p = {p}"), meaning));
    }
    if let Some(presence) = &answer.presence {
        let (min, max) = (presence.delta_min_value, presence.delta_max_value);
        lines.push(line(
            "delta-presence",
            format!("{} to {}", decimal(min), decimal(max)),
            format!(
                "of somebody in the public table an outsider can be up to {} sure that they are in \
                 this one",
                percent(max)
            ),
        ));
    }
    lines
}

/// The levels of one sensitive attribute.
pub fn sensitive_lines(answer: &Diagnosis, sensitive: &Sensitive) -> Vec<Line> {
    let mut lines = vec![
        line("distinct l", sensitive.distinct_l.to_string(), distinct(answer, sensitive)),
        line(
            "frequency l",
            decimal(sensitive.frequency_l_value),
            format!(
                "the value of the most exposed person is guessed with probability {}",
                percent(1.0 / sensitive.frequency_l_value)
            ),
        ),
        line(
            "entropy l",
            decimal(sensitive.entropy_l),
            format!(
                "the value is at least as uncertain as {} equally likely ones",
                decimal(sensitive.entropy_l)
            ),
        ),
        recursive(sensitive),
    ];
    if let Some(alpha) = sensitive.alpha_value {
        lines.push(line(
            "alpha",
            decimal(alpha),
            format!("somebody is found to have a chosen value with probability {}", percent(alpha)),
        ));
    }
    let distances = [
        ("t, equal", Some(sensitive.t_equal), "all values equally far apart"),
        ("t, ordered", sensitive.t_ordered, "values far apart when ranks between them are many"),
        ("t, hierarchical", sensitive.t_hierarchical, "values far apart by the taxonomy"),
    ];
    for (name, t, how) in distances {
        if let Some(t) = t {
            let meaning = format!(
                "the most telling class is {} away from the whole table, {how}",
                decimal(t)
            );
            lines.push(line(name, decimal(t), meaning));
        }
    }
    lines
}

/// How many other rows are in the class of a row, on average over the rows.
fn others(answer: &Diagnosis) -> String {
    let pairs = |class: &super::SizeCount| {
        let size = Ratio::whole(class.size).value();
        size * (size - 1.0) * Ratio::whole(class.classes).value()
    };
    let total: f64 = answer.class_sizes.iter().map(pairs).sum();
    decimal(total / Ratio::whole(answer.rows.max(1)).value())
}

fn distinct(answer: &Diagnosis, sensitive: &Sensitive) -> String {
    match sensitive.distinct_l {
        1 => format!(
            "{} people ({}) share one value with everybody like them: who finds the class knows it",
            grouped(sensitive.rows_disclosed),
            share(sensitive.rows_disclosed, answer.rows)
        ),
        l => format!("who finds a person's class has at least {l} values to choose from"),
    }
}

fn recursive(sensitive: &Sensitive) -> Line {
    let name = "recursive (c,l)";
    let reached = sensitive.recursive.iter().filter_map(|(l, c)| c.map(|c| (l, c))).next_back();
    match reached {
        Some((l, c)) => line(
            name,
            format!("l = {l}, c > {}", decimal(c)),
            format!("the top value is {} times the ones from number {l} on together", decimal(c)),
        ),
        None => line(name, "none", "some class has a single value, so no c will do"),
    }
}

/// 1234567 as 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A figure with at most four digits behind the point.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share as a percentage. What is not quite none or all is not rounded to it.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share > 0.0 && percent < 0.1 {
        "under 0.1 %".into()
    } else if share < 1.0 && percent > 99.9 {
        "over 99.9 %".into()
    } else if percent.fract().abs() < 0.05 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A count as a share of another.
pub(crate) fn share(part: u64, whole: u64) -> String {
    percent(Ratio::new(part, whole.max(1)).value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
        assert_eq!(decimal(0.803_030_3), "0.803");
        assert_eq!(decimal(2.0), "2");
        assert_eq!(percent(0.999_96), "over 99.9 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_01), "under 0.1 %");
        assert_eq!(percent(1.0 / 3.0), "33.3 %");
    }
}
