//! The borders between column sets that keep the promise asked for and sets that break it.

use maud::{Markup, html};

use super::lattice::{LARGEST, borders_lattice};
use super::markup::{chips, note, notice, paragraph, scrolling, section, text};
use crate::diagnose::Diagnosis;
use crate::wording::{count, grouped, visible};

/// How many sets of a border are listed.
const MOST: usize = 60;

/// Both borders as lists, and the lattice where it is small.
pub(super) fn borders(answer: &Diagnosis) -> Markup {
    let Some(found) = &answer.borders else { return Markup::default() };
    let both = [("holds", &found.positive_border), ("fails", &found.negative_border)];
    let both = both.into_iter().zip(found.titles());
    let complete = if found.complete {
        "all sets are decided".to_owned()
    } else {
        let most = count(found.complete_to as u64, "column", "columns");
        format!("sets of up to {most} are decided")
    };
    let body = html! {
        @if let Some(said) = found.unfinished() { (notice(&said)) }
        @if answer.borders_ignore_suppression() {
            (notice("Judged on the table as it is: dropping rows is not counted here"))
        }
        p {
            "An outsider may know some of the columns only. A set of columns is called " dfn { "safe" }
            " here when " (text(&found.promise)) " holds for it, and no more is meant by the word. Whatever \
             is inside a safe set is safe in this sense; whatever contains an unsafe set is not."
        }
        div class="pair" {
            @for ((class, sets), (title, none)) in both { (list(class, title, sets, &none)) }
        }
        @if answer.quasi.len() <= LARGEST { (borders_lattice(answer, found)) }
        p class="note" {
            (count(found.evaluated, "set", "sets")) " tested (" (text(found.searched())) "); " (complete) "."
        }
    };
    section("borders", &format!("Which sets of columns keep {}", visible(&found.promise)), &body)
}

fn list(mark: &str, title: &str, sets: &[Vec<String>], none: &str) -> Markup {
    let (class, hint) = scrolling(sets.len());
    html! {
        div {
            h3 {
                span class=(mark) { (title) } " " span class="aside" { (grouped(sets.len() as u64)) }
            }
            @if sets.is_empty() {
                (paragraph(text(&format!("{none}."))))
            } @else {
                ul class={ "sets " (class) } tabindex="0" aria-label=(title) {
                    @for set in sets.iter().take(MOST) { li { (chips(set)) } }
                }
                (hint)
                @if sets.len() > MOST {
                    (note(format!(
                        "{} more are in the JSON answer only.",
                        grouped((sets.len() - MOST) as u64)
                    )))
                }
            }
        }
    }
}
