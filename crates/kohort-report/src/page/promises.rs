//! What was asked for and what the plan wants, and whether it holds.

use maud::{Markup, html};

use super::markup::{Table, of, paragraph, section, text};
use crate::diagnose::{Diagnosis, GoalAnswer};
use crate::wording::{count, decimal, grouped, share};

/// The promises asked for, or nothing where none was.
pub(super) fn asked(answer: &Diagnosis) -> Markup {
    let (asked, _) = answer.promises();
    if asked.is_empty() && answer.holds.is_none() {
        return Markup::default();
    }
    let said = answer.suppression_verdict().map_or(String::new(), |said| format!(": {said}"));
    let said = format!("{said}.").replace("k = ", "k\u{a0}=\u{a0}");
    let body = html! {
        @if let Some(holds) = answer.holds {
            p {
                "Answer to the question asked: "
                @if holds { span class="holds" { "It holds" } }
                @else { span class="fails" { "It does not hold" } }
                " for this table and these columns" (text(&said))
            }
        }
        @if !asked.is_empty() { (table(answer, "Promises asked for", asked)) }
    };
    section("asked", "What was asked for", &body)
}

/// How the table stands against the plan's goal, or nothing where there is none.
pub(super) fn goal(answer: &Diagnosis) -> Markup {
    let (_, goal) = answer.promises();
    if goal.is_empty() {
        return Markup::default();
    }
    let body = html! {
        (paragraph("A goal is for a release: the raw table need not keep it."))
        (table(answer, "Promises of the plan's goal", goal))
    };
    section("goal", "The plan's goal, judged on the table as it is", &body)
}

fn table(answer: &Diagnosis, caption: &str, items: &[GoalAnswer]) -> Markup {
    let head = ["Promise", "Wanted", "Answer", "Reached", "Nearest miss"];
    let mut table = Table::new(caption, "asked", &head);
    for item in items {
        let promise = html! {
            (text(&item.model)) (of(item.attribute.as_ref())) (text(&item.in_buckets()))
        };
        let holds = html! {
            @if item.holds { span class="holds" { "holds" } }
            @else { span class="fails" { "does not hold" } }
        };
        let reached = reached(answer, item).unwrap_or_else(|| "–".into());
        let parameters = text(&item.parameters);
        table.row(&[&promise, &parameters, &holds, &reached, &miss(answer, item)]);
    }
    table.finish()
}

/// The level that the table has, of the kind asked for.
fn reached(answer: &Diagnosis, item: &GoalAnswer) -> Option<String> {
    if item.model == "k-anonymity" {
        return Some(format!("k = {}", grouped(answer.k)));
    }
    if let "l-pdiversity" | "l-mdiversity" = item.model.as_str() {
        return Some(format!("l = {}", grouped(answer.disclosure.as_ref()?.m_diversity.l)));
    }
    let attribute = item.attribute.as_ref()?;
    let levels = answer.sensitive.iter().find(|one| one.attribute == *attribute)?;
    match item.model.as_str() {
        "distinct-l-diversity" => Some(format!("l = {}", grouped(levels.distinct_l))),
        "frequency-l-diversity" => Some(format!("l = {}", decimal(levels.frequency_l_value))),
        "entropy-l-diversity" => Some(format!("l = {}", decimal(levels.entropy_l))),
        "t-closeness" => {
            let distance = match item.distance {
                Some("ordered") => levels.t_ordered?,
                Some("hierarchical") => levels.t_hierarchical?,
                _ => levels.t_equal,
            };
            Some(format!("t = {}", decimal(distance)))
        }
        _ => None,
    }
}

fn miss(answer: &Diagnosis, item: &GoalAnswer) -> String {
    if item.holds {
        return "none: no class breaks it".into();
    }
    format!(
        "{} of {} break it, with {} ({})",
        grouped(item.violating_classes),
        count(answer.classes, "class", "classes"),
        count(item.violating_rows, "row", "rows"),
        share(item.violating_rows, answer.rows)
    )
}
