//! All sets of a few columns, by size, each with the sets it grows into.

use maud::{Markup, html};

use super::figures::real;
use super::markup::{figure, legend, name, note};
use super::svg::Svg;
use crate::diagnose::{BordersAnswer, Diagnosis, Subset};
use crate::wording::grouped;

/// The most columns whose sets are drawn.
pub(super) const LARGEST: usize = 6;
const LETTERS: [char; LARGEST] = ['A', 'B', 'C', 'D', 'E', 'F'];
const GUTTER: f64 = 44.0;
const LINE: f64 = 78.0;
const HEIGHT: f64 = 46.0;

/// How a set stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Keeps,
    Breaks,
    Unknown,
}

/// What is drawn for a set.
struct Node {
    stands: Stands,
    /// Whether the set is on a border.
    edge: bool,
    /// A figure under the letters, instead of a mark.
    figure: Option<String>,
}

/// The positions of some columns among the quasi-identifiers, one bit each.
fn mask(answer: &Diagnosis, set: &[String]) -> usize {
    let position = |column: &String| answer.quasi.iter().position(|other| other == column);
    set.iter().filter_map(position).fold(0, |mask, at| mask | 1 << at)
}

/// The sets that keep or break what was asked for.
pub(super) fn borders_lattice(answer: &Diagnosis, found: &BordersAnswer) -> Markup {
    let masks =
        |sets: &[Vec<String>]| -> Vec<usize> { sets.iter().map(|set| mask(answer, set)).collect() };
    let (positive, negative) = (masks(&found.positive_border), masks(&found.negative_border));
    let nodes: Vec<Node> = (0..1_usize << answer.quasi.len())
        .map(|set| {
            let stands = if positive.iter().any(|large| set & large == set) {
                Stands::Keeps
            } else if negative.iter().any(|small| set & small == *small) {
                Stands::Breaks
            } else {
                Stands::Unknown
            };
            let edge = positive.contains(&set) || negative.contains(&set);
            Node { stands, edge, figure: None }
        })
        .collect();
    let kept = nodes.iter().filter(|node| node.stands == Stands::Keeps).count();
    let said = format!("{kept} of {} sets keep what was asked for", nodes.len());
    let mut marks = vec![
        ("keeps", "keeps the promise (tick)"),
        ("breaks", "breaks it (cross, hatched)"),
        ("border", "heavy outline: on a border"),
    ];
    if nodes.iter().any(|node| node.stands == Stands::Unknown) {
        marks.push(("unknown", "not decided (question mark)"));
    }
    draw(answer, &nodes, ["lattice", "All sets of the columns", &said], &marks)
}

/// The k of every set.
pub(super) fn subsets_lattice(answer: &Diagnosis, subsets: &[Subset]) -> Markup {
    let mut nodes: Vec<Node> = (0..1_usize << answer.quasi.len())
        .map(|_| Node { stands: Stands::Unknown, edge: false, figure: None })
        .collect();
    for subset in subsets {
        let node = &mut nodes[mask(answer, &subset.attributes)];
        node.stands = if subset.k == 1 { Stands::Breaks } else { Stands::Keeps };
        node.figure = Some(format!("k {}", grouped(subset.k)));
    }
    let alone = subsets.iter().filter(|subset| subset.k == 1).count();
    let said = format!("{alone} of {} sets single somebody out", subsets.len());
    let mut marks =
        vec![("keeps", "k of 2 or more"), ("breaks", "k = 1, hatched: somebody is unique")];
    if nodes.iter().any(|node| node.stands == Stands::Unknown) {
        marks.push(("unknown", "not looked at"));
    }
    draw(answer, &nodes, ["lattice-k", "k of all sets of the columns", &said], &marks)
}

fn draw(
    answer: &Diagnosis,
    nodes: &[Node],
    [id, title, said]: [&str; 3],
    marks: &[(&str, &str)],
) -> Markup {
    let n = answer.quasi.len();
    let (width, class) = if n == LARGEST { (1040.0, "lattice wide") } else { (680.0, "lattice") };
    let places = places(n, width);
    let mut svg = Svg::new(width, class);
    for set in 0..nodes.len() {
        for attribute in (0..n).filter(|attribute| set & (1 << attribute) == 0) {
            let larger = set | 1 << attribute;
            let crosses =
                nodes[set].stands == Stands::Keeps && nodes[larger].stands == Stands::Breaks;
            let (from, to) = (places[set], places[larger]);
            let ends = ((from.0, from.1 - HEIGHT / 2.0), (to.0, to.1 + HEIGHT / 2.0));
            svg.line(ends.0, ends.1, if crosses { "edge cross" } else { "edge" });
        }
    }
    for size in 0..=n {
        let y = 30.0 + LINE * real((n - size) as u64);
        svg.text((0.0, y + 5.0), "soft", &size.to_string());
    }
    for (set, node) in nodes.iter().enumerate() {
        let room = room(n, set.count_ones() as usize, width);
        draw_node(&mut svg, answer, (set, node), places[set], room - 8.0);
    }
    let height = 60.0 + LINE * real(n as u64);
    let drawing = svg.finish(height, id, title, said);
    let drawing = html! { div class="scroll" tabindex="0" { (drawing) } };
    let below = html! {
        (legend(marks))
        ul class="letters" {
            @for (letter, column) in LETTERS.iter().zip(&answer.quasi) {
                li { strong { (letter) } " " (name(column)) }
            }
        }
        (note("The number at the left is the number of columns known."))
    };
    figure(title, &drawing, &below)
}

fn draw_node(
    svg: &mut Svg,
    answer: &Diagnosis,
    (set, node): (usize, &Node),
    (x, y): (f64, f64),
    width: f64,
) {
    let inside = |at: &usize| set & (1 << at) != 0;
    let letters: String = (0..answer.quasi.len()).filter(inside).map(|at| LETTERS[at]).collect();
    let columns: Vec<&str> =
        (0..answer.quasi.len()).filter(inside).map(|at| answer.quasi[at].as_str()).collect();
    let (class, word) = match node.stands {
        Stands::Keeps => ("keeps", "keeps"),
        Stands::Breaks => ("breaks", "breaks"),
        Stands::Unknown => ("unknown", "not decided"),
    };
    let hint = match &node.figure {
        Some(figure) => format!("{}: {figure}", columns.join(" + ")),
        None => format!("{}: {word}", columns.join(" + ")),
    };
    let class = format!("node {class}{}", if node.edge { " border" } else { "" });
    svg.rect((x - width / 2.0, y - HEIGHT / 2.0), (width, HEIGHT), &class, &hint);
    if node.stands == Stands::Breaks {
        hatch(svg, (x - width / 2.0, y - HEIGHT / 2.0), width);
    }
    let label = if letters.is_empty() { "∅" } else { &letters };
    svg.text((x, y - 3.0), "middle label", label);
    match (&node.figure, node.stands) {
        (Some(figure), _) => svg.text((x, y + 16.0), "middle", figure),
        (None, Stands::Keeps) => {
            svg.path(&[(x - 6.0, y + 11.0), (x - 2.0, y + 16.0), (x + 7.0, y + 5.0)], "tick");
        }
        (None, Stands::Breaks) => {
            svg.path(&[(x - 5.0, y + 6.0), (x + 5.0, y + 16.0)], "cross-mark");
            svg.path(&[(x - 5.0, y + 16.0), (x + 5.0, y + 6.0)], "cross-mark");
        }
        (None, Stands::Unknown) => svg.text((x, y + 16.0), "middle", "?"),
    }
}

/// Slanted lines in the two lower corners, clear of the text.
fn hatch(svg: &mut Svg, (x, y): (f64, f64), width: f64) {
    let bottom = y + HEIGHT;
    for step in 1..=3 {
        let length = 5.0 * real(step);
        svg.line((x, bottom - length), (x + length, bottom), "hatch");
        svg.line((x + width, bottom - length), (x + width - length, bottom), "hatch");
    }
}

/// The width that a set of this size has for itself.
fn room(n: usize, size: usize, width: f64) -> f64 {
    let sets = (0..1_usize << n).filter(|set| set.count_ones() as usize == size).count();
    ((width - GUTTER) / real(sets as u64)).min(104.0)
}

/// The middle of each set: the whole set at the top, sets of a size on one line.
fn places(n: usize, width: f64) -> Vec<(f64, f64)> {
    let mut places = vec![(0.0, 0.0); 1 << n];
    for size in 0..=n {
        let mut sets: Vec<usize> =
            (0..1_usize << n).filter(|set| set.count_ones() as usize == size).collect();
        // In the order of the letters: A before B.
        sets.sort_by_key(|set| std::cmp::Reverse(set.reverse_bits()));
        let room = room(n, size, width);
        let start = GUTTER + (width - GUTTER - room * real(sets.len() as u64)) / 2.0;
        for (index, set) in (0_u64..).zip(sets) {
            places[set] =
                (start + room * (real(index) + 0.5), 30.0 + LINE * real((n - size) as u64));
        }
    }
    places
}
