//! What attacks found, for people: the three risks, every attack, what it means, and what was not tried.

use std::fmt::Write;

use super::{Answer, Score, Targets};
use crate::wording::align;
use crate::wording::{count, grouped, percent, visible};

/// What no run of attacks shows.
pub const NOT_SHOWN: [&str; 5] = [
    "Not refuted does not mean safe: these attacks, with what was given to them, stay within the \
     promises or gain nothing over a blind guess.",
    "An adversary who knows a column that is not named here, another release of the same people, \
     or more about a person, can do better.",
    "Without the truth to compare with, a success is what the adversary expects (marked ~), not \
     a measurement.",
    "The largest probability is that of the most exposed person; the success is an average over \
     all targets.",
    "An attack report shows where a release is weak: store it like the microdata.",
];

/// Sums of shares may be that much more than they are.
const ROUNDING: f64 = 1e-9;

/// How wide a line of sentences is at most.
const WIDTH: usize = 96;

/// What attacks found, for people.
pub fn text(answer: &Answer) -> String {
    let mut out = format!("{}: {}\n\n", visible(&answer.release), headline(answer));
    sentence(&mut out, "  ", &targets(answer));
    out.push('\n');
    risks(&mut out, answer);
    attacks(&mut out, answer);
    meanings(&mut out, answer);
    not_run(&mut out, answer);
    let _ = writeln!(out, "\nWhat this does not show");
    for told in NOT_SHOWN {
        sentence(&mut out, "  ", told);
    }
    out
}

/// The answer in one line.
pub fn headline(answer: &Answer) -> String {
    let n_refuting =
        answer.attacks.iter().filter(|attack| attack.score.is_refuted()).count() as u64;
    let gaining = answer.attacks.iter().filter(|attack| attack.score.verdict == "succeeds");
    // What goes further than a promise and does not refute it compares classes, or rests on what is assumed.
    let is_beyond = |score: &Score| {
        score
            .bound
            .is_some_and(|bound| score.success > bound && score.max_probability <= bound + ROUNDING)
    };
    let n_beyond = gaining.clone().filter(|attack| is_beyond(&attack.score)).count() as u64;
    let n_bounded = gaining.clone().filter(|attack| attack.score.bound.is_some()).count() as u64;
    let n_assuming = n_bounded - n_beyond;
    // Where nothing at all was promised, that is said once.
    let place = if answer.promised.is_empty() { "" } else { " where nothing was promised" };
    let mut also = match gaining.count() as u64 - n_bounded {
        0 => String::new(),
        n => format!("; {}{place}", count(n, "attack succeeds", "attacks succeed")),
    };
    if n_beyond > 0 {
        let attacks = count(n_beyond, "attack is", "attacks are");
        let _ =
            write!(also, "; {attacks} right more often than a promise about single classes allows");
    }
    if n_assuming > 0 {
        let attacks = count(n_assuming, "attack goes", "attacks go");
        let _ = write!(
            also,
            "; {attacks} further than was promised if people are in every release that covers them"
        );
    }
    match (answer.attacks.len(), n_refuting) {
        (0, _) => "no attack could run".into(),
        (_, 0) if answer.promised.is_empty() => format!("nothing was promised{also}"),
        (_, 0) => format!("no attack refutes a promise{also}"),
        (_, n) => format!("{} a promise{also}", count(n, "attack refutes", "attacks refute")),
    }
}

/// Who is looked for, and in what.
pub fn targets(answer: &Answer) -> String {
    let rows = count(answer.rows, answer.unit.0, answer.unit.1);
    let ran = count(answer.attacks.len() as u64, "attack", "attacks");
    let name = |table: &Option<String>| visible(table.as_deref().unwrap_or_default());
    let who = match answer.targets {
        Targets::Rows => "whoever is in the release".into(),
        Targets::Public => format!("the people of {}", name(&answer.public)),
        Targets::AllOriginals => "the people of the tables of all releases".into(),
        Targets::Original => {
            format!("the people of {}, known to be in the table", name(&answer.original))
        }
    };
    let beside = match answer.raw {
        Some(_) => " Before is the raw table without its identifiers, after is the release.",
        None => "",
    };
    format!("{rows}, {ran}. Targets: {who}.{beside}")
}

/// One line for each of the three risks.
fn risks(out: &mut String, answer: &Answer) {
    let mut head = vec!["risk", "weakest attack"];
    head.extend(answer.raw.as_ref().map(|_| "before"));
    head.extend([after(answer), "blind", "  verdict"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    for risk in &answer.criteria {
        let weakest = risk.weakest.and_then(|id| answer.attack(id));
        let mut row = vec![risk.title.to_owned()];
        row.push(weakest.map_or("none ran".into(), |attack| attack.name(&attack.score)));
        let score = weakest.map(|attack| &attack.score);
        row.extend(answer.raw.as_ref().map(|_| {
            let before = weakest.and_then(|attack| answer.before(attack.id, &attack.score));
            before.map_or("–".into(), success)
        }));
        row.push(score.map_or("–".into(), success));
        row.push(score.map_or("–".into(), |score| percent(score.baseline)));
        row.push(format!("  {}", score.map_or("–", |score| score.verdict)));
        rows.push(row);
    }
    aligned(out, rows);
}

/// Every attack on every attribute.
fn attacks(out: &mut String, answer: &Answer) {
    if answer.attacks.is_empty() {
        return;
    }
    out.push('\n');
    let mut head = vec!["attack"];
    head.extend(answer.raw.as_ref().map(|_| "before"));
    head.extend([after(answer), "blind", "gain", "largest", "allowed", "  verdict"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    for (attack, score) in answer.scores() {
        let mut row = vec![attack.name(score)];
        row.extend(answer.raw.as_ref().map(|_| {
            let before = answer.before(attack.id, score);
            before.map_or("–".into(), success)
        }));
        row.extend([success(score), percent(score.baseline), gain(score)]);
        row.push(percent(score.max_probability));
        row.push(score.bound.map_or("–".into(), percent));
        row.push(format!("  {}", score.verdict));
        rows.push(row);
    }
    aligned(out, rows);
    out.push('\n');
    let figures = format!(
        "{}: the share of targets guessed right; blind: the same without what the attack adds; \
         gain: the difference in percentage points; largest: the highest probability of a guess; \
         allowed: the highest that the promises allow.",
        after(answer)
    );
    sentence(out, "", &figures);
}

fn after(answer: &Answer) -> &'static str {
    if answer.raw.is_some() { "after" } else { "success" }
}

/// A success; one that is not measured is marked.
fn success(score: &Score) -> String {
    let mark = if score.known == "expected" { "~" } else { "" };
    format!("{mark}{}", percent(score.success))
}

/// What an attack gains over a blind guess, in points.
pub fn gain(score: &Score) -> String {
    // Next to nothing is nothing, in neither direction.
    let points = (1000.0 * score.advantage).round() / 10.0;
    format!("{:+.1}", points + 0.0)
}

/// The 95 % interval of a success.
pub fn interval(score: &Score) -> String {
    let [low, high] = score.interval;
    format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high)
}

/// How many were looked for, and of how many the adversary is how sure.
fn figures(score: &Score) -> String {
    let above = &score.above;
    format!(
        "{}, success from {} with 95 % confidence; probability above 0.5 for {}, above 0.8 for {}, 1 for {}",
        count(score.targets, "target", "targets"),
        interval(score),
        grouped(above.half),
        grouped(above.most),
        grouped(above.certain)
    )
}

/// Columns side by side: the first of them and the last texts, the others numbers.
fn aligned(out: &mut String, mut rows: Vec<Vec<String>>) {
    let n_texts = if rows[0][0] == "risk" { 2 } else { 1 };
    let last = rows[0].len() - 1;
    let width = rows.iter().map(|row| row[last].chars().count()).max().unwrap_or_default();
    for row in &mut rows {
        row[last] = format!("{:<width$}", row[last]);
    }
    align(out, &rows, n_texts);
}

/// What each attack means.
fn meanings(out: &mut String, answer: &Answer) {
    if answer.attacks.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nWhat it means");
    for attack in &answer.attacks {
        sentence(out, "  ", &format!("{}: {}.", attack.name(&attack.score), attack.meaning));
        sentence(out, "    ", &format!("{}.", figures(&attack.score)));
        for note in &attack.score.notes {
            sentence(out, "    ", &format!("{note}."));
        }
    }
}

fn not_run(out: &mut String, answer: &Answer) {
    if answer.not_run.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nNot run");
    let width = answer.not_run.iter().map(|attack| attack.id.len()).max().unwrap_or_default();
    for attack in &answer.not_run {
        let _ = writeln!(out, "  {:<width$}  needs {}", attack.id, attack.needs);
    }
}

/// A sentence on lines of at most `WIDTH`, all but the first of them indented once more.
fn sentence(out: &mut String, indent: &str, text: &str) {
    let mut line = indent.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{line}");
            line = if indent.is_empty() { String::new() } else { format!("{indent}  ") };
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(out, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        let mut out = String::new();
        sentence(&mut out, "  ", &["word"; 40].join(" "));
        assert!(out.lines().all(|line| line.chars().count() <= WIDTH), "{out}");
        assert_eq!(out.split_whitespace().count(), 40);
        assert!(out.lines().skip(1).all(|line| line.starts_with("    word")), "{out}");
    }
}
