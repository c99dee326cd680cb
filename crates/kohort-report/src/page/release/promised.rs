//! What was promised, and with which evidence it stands.

use kohort_models::SPECS;
use maud::{Markup, html};

use super::super::figures::is_within;
use super::super::markup::{Table, of, section, text};
use crate::diagnose::GoalAnswer;
use crate::release::{Receipt, VACUOUS};
use crate::wording::{count, grouped, percent, share};

/// Models with a logarithm or a distance in their definition.
const WITHIN: [&str; 4] =
    ["entropy-l-diversity", "t-closeness", "enhanced-beta-likeness", "ke-anonymity"];

/// Every promise with its answer.
pub(super) fn promised(receipt: &Receipt) -> Markup {
    let class = if receipt.is_anatomized() {
        "of published rows whose sensitive values are published as one list"
    } else {
        "of published rows that are alike in all quasi-identifiers"
    };
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("Promises of the plan", "promises", &head);
    for promise in &receipt.goal {
        let spec = SPECS.iter().find(|spec| spec.id == promise.model);
        let meaning = spec.map_or("", |spec| spec.promise);
        let about = html! {
            (text(&promise.model)) (of(promise.attribute.as_ref())) (text(&promise.in_buckets()))
        };
        let answer = answer(receipt, promise);
        table.row(&[&about, &text(&promise.parameters), &answer, &text(meaning)]);
    }
    let dropped = receipt.rows_in.saturating_sub(receipt.rows_out);
    let kept = is_within(dropped, receipt.rows_in, receipt.suppression);
    table.row(&[
        &"suppression",
        &format!("at most {}", percent(receipt.suppression)),
        &mark(kept, &format!("{} dropped", share(dropped, receipt.rows_in))),
        &"no more people than this are missing from the release",
    ]);
    if receipt.truthful {
        table.row(&[
            &"truthfulness",
            &"every row",
            &mark(true, "decided"),
            &"every published row covers a row of the original of its own",
        ]);
    }
    let body = html! {
        (what_a_class_is(class, "file"))
        (table.finish())
        @if let Some(against) = receipt.against() {
            p { "Promises about sensitive values hold against " (text(against)) "." }
        }
    };
    section("promised", "What was promised, and the evidence", &body)
}

/// What a class is here, and what is meant by decided.
pub(in crate::page) fn what_a_class_is(class: &str, of: &str) -> Markup {
    html! {
        p {
            "A " dfn { "class" } " is a group " (class) ". " dfn { "Decided" } " means that every class of \
             the " (of) " was checked; nothing was estimated."
        }
    }
}

fn answer(receipt: &Receipt, promise: &GoalAnswer) -> Markup {
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

/// Whether something holds, and what is known of it.
pub(in crate::page) fn mark(holds: bool, evidence: &str) -> Markup {
    let (class, word) = if holds { ("holds", "holds") } else { ("fails", "does not hold") };
    html! { span class=(class) { (word) } " " span class="aside" { (evidence) } }
}
