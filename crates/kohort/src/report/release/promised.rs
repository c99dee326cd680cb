//! What was promised, and with which evidence it stands.

use kohort_models::SPECS;

use super::super::figures::is_within;
use super::super::markup::{Table, escape, name, paragraph, section};
use crate::diagnose::GoalAnswer;
use crate::release::{Receipt, VACUOUS};
use crate::wording::{count, grouped, percent, share};

/// Models with a logarithm or a distance in their definition.
const WITHIN: [&str; 4] =
    ["entropy-l-diversity", "t-closeness", "enhanced-beta-likeness", "ke-anonymity"];

/// Every promise with its answer.
pub(super) fn promised(receipt: &Receipt) -> String {
    let class = if receipt.is_anatomized() {
        "of published rows whose sensitive values are told together, and not apart"
    } else {
        "of published rows that are alike in all quasi-identifiers"
    };
    let mut body = paragraph(&format!(
        "A <dfn>class</dfn> is a group {class}. <dfn>Decided</dfn> means that every class of the file \
         was looked at; nothing was estimated."
    ));
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("Promises of the plan", "promises", &head);
    for promise in &receipt.goal {
        let of =
            promise.attribute.as_ref().map_or(String::new(), |one| format!(" of {}", name(one)));
        let of = format!("{of}{}", escape(&promise.in_buckets()));
        let spec = SPECS.iter().find(|spec| spec.id == promise.model);
        let meaning = spec.map_or("", |spec| spec.promise);
        table.row([
            &*format!("{}{of}", escape(&promise.model)),
            &*escape(&promise.parameters),
            &*answer(receipt, promise),
            &*escape(meaning),
        ]);
    }
    let dropped = receipt.rows_in.saturating_sub(receipt.rows_out);
    let kept = is_within(dropped, receipt.rows_in, receipt.suppression);
    table.row([
        "suppression",
        &*format!("at most {}", percent(receipt.suppression)),
        &*mark(kept, &format!("{} dropped", share(dropped, receipt.rows_in))),
        "no more people than this are missing from the release",
    ]);
    if receipt.truthful {
        table.row([
            "truthfulness",
            "every row",
            &*mark(true, "decided"),
            "every published row covers a row of the original of its own",
        ]);
    }
    body.push_str(&table.finish());
    if let Some(against) = receipt.against() {
        let against = escape(against);
        body.push_str(&paragraph(&format!(
            "Promises about sensitive values hold against {against}."
        )));
    }
    section("promised", "What was promised, and the evidence", &body)
}

fn answer(receipt: &Receipt, promise: &GoalAnswer) -> String {
    if let Some(members) = &promise.members {
        let range = format!("{} to {}", percent(members.lowest), percent(members.highest));
        let people = count(members.people, "person", "people");
        let outside = match promise.violating_rows {
            0 => "decided".to_owned(),
            outside => format!("for {} of them", grouped(outside)),
        };
        let evidence = format!("{people} are members with {range}: {outside}");
        return mark(promise.holds, &evidence);
    }
    if promise.holds {
        if promise.vacuous {
            return mark(true, VACUOUS);
        }
        if promise.known() == "estimated" {
            return mark(true, "estimated from the sampling fraction");
        }
        if let Some(found) = promise.evidence {
            return mark(true, &format!("decided: {}", found.words()));
        }
        let is_within = WITHIN.contains(&promise.model.as_str());
        return mark(true, if is_within { "decided, within 1e-9" } else { "decided" });
    }
    if let Some(people) = promise.left_out.filter(|_| promise.violating_classes == 0) {
        let people = count(people, "person", "people");
        return mark(false, &format!("for the {people} left out, taken as a class"));
    }
    mark(
        false,
        &format!(
            "in {} with {} ({})",
            count(promise.violating_classes, "class", "classes"),
            count(promise.violating_rows, "row", "rows"),
            share(promise.violating_rows, receipt.rows_out)
        ),
    )
}

pub(in crate::report) fn mark(holds: bool, evidence: &str) -> String {
    let (class, word) = if holds { ("holds", "holds") } else { ("fails", "does not hold") };
    format!("<span class=\"{class}\">{word}</span> <span class=\"aside\">{evidence}</span>")
}
