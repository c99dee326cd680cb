//! How exposed people were, how exposed they are, and how many look alike.

use maud::{Markup, html};

use super::super::classes::{ROWS, histogram};
use super::super::headline::people;
use super::super::markup::{Table, paragraph, section};
use crate::diagnose::ProsecutorAnswer;
use crate::release::Receipt;
use crate::wording::{count, decimal, grouped, percent, share};

/// The risk of being linked to a row, before and after.
pub(in crate::page) fn risk(receipt: &Receipt) -> Markup {
    let Some(before) = &receipt.risk.original else { return Markup::default() };
    let Some(after) = &receipt.risk.release else {
        let body = paragraph(unhidden(receipt, before));
        return section("risk", "The risk of being linked, before and after", &body);
    };
    let dots = |id: &str, rows: u64, risk: &ProsecutorAnswer| {
        let below_five = risk.above.iter().find(|above| above.one_in == 5).map_or(0, |a| a.rows);
        people(id, rows, risk.unique, below_five)
    };
    let body = html! {
        (paragraph(
            "The risk that somebody who knows a person's quasi-identifiers, and that they are in the \
             table, picks the right row: one over the size of their class."
        ))
        div class="pair" {
            div class="pair dots-pair" {
                div { h3 { "Before" } (dots("people-before", receipt.rows_in, before)) }
                div { h3 { "After" } (dots("people-after", receipt.rows_out, after)) }
            }
            div { (table(receipt, before, after)) }
        }
    };
    section("risk", "The risk of being linked, before and after", &body)
}

/// Why there is no risk after.
fn unhidden(receipt: &Receipt, before: &ProsecutorAnswer) -> String {
    if receipt.is_anatomized() {
        return format!(
            "The quasi-identifiers are published as they are, so anybody who knows them finds a \
             row as easily as before: the highest risk of being linked stays {}. What the \
             release hides is which sensitive value of its group belongs to the row.",
            percent(before.max_value)
        );
    }
    format!(
        "Before, the highest risk of being linked was {}. Values were drawn at random or \
         swapped, so counting the rows that look alike says nothing about the risk afterward: it \
         is not known.",
        percent(before.max_value)
    )
}

fn table(receipt: &Receipt, before: &ProsecutorAnswer, after: &ProsecutorAnswer) -> Markup {
    let mut table = Table::new(
        "Before and after",
        "before-after",
        &["Against a prosecutor", "#before", "#after"],
    );
    table.row(&[&"k, the smallest class", &grouped(before.max.den), &grouped(after.max.den)]);
    let (alone, still) =
        (share(before.unique, receipt.rows_in), share(after.unique, receipt.rows_out));
    table.row(&[&"unique rows", &alone, &still]);
    table.row(&[&"highest risk", &percent(before.max_value), &percent(after.max_value)]);
    table.row(&[&"mean risk", &percent(before.mean_value), &percent(after.mean_value)]);
    for (was, is) in before.above.iter().zip(&after.above) {
        let title = format!("rows with a risk above 1/{}", was.one_in);
        table.row(&[&title, &percent(was.share), &percent(is.share)]);
    }
    table.finish()
}

/// The parts of the metric of class sizes, in words.
const SIZES: [(&str, &str); 5] = [
    ("smallest", "the smallest class"),
    ("quarter", "a quarter of the classes have at most"),
    ("median", "half of the classes have at most"),
    ("three-quarters", "three quarters of the classes have at most"),
    ("largest", "the largest class"),
];

/// The sizes of the classes, and the rows that are in none.
pub(in crate::page) fn class_sizes(receipt: &Receipt) -> Markup {
    if receipt.is_perturbed() {
        return Markup::default();
    }
    let sizes: Vec<(u64, u64)> =
        receipt.class_sizes.iter().map(|count| (count.size, count.classes)).collect();
    let mut table = Table::new("Sizes of the classes", "sizes", &["", "#rows"]);
    for (part, title) in SIZES {
        if let Some(size) = receipt.metrics.get(&format!("class_size.{part}")) {
            table.row(&[&title, &decimal(*size)]);
        }
    }
    let rows = receipt.suppressed;
    let body = html! {
        div class="pair" {
            (histogram(&sizes, ROWS))
            div {
                (table.finish())
                p {
                    @if rows == 0 {
                        "No row is suppressed: everybody of the original is in the release."
                    } @else {
                        (count(rows, "row is", "rows are"))
                        " suppressed (" (share(rows, receipt.rows_in)) "): left out, or shown with "
                        code { "*" } " for every quasi-identifier."
                    }
                }
            }
        }
    };
    section("sizes", "How many look alike", &body)
}
