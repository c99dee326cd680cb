//! Small forests, and what is asked of them.

use kohort_core::Forest;
use proptest::prelude::*;

use super::given::{GivenColumn, GivenKind, build};
use crate::NestedProblem;

/// A vertex as it is written, such as `course(301; A)[book(Databases)]`: a name, the values of the
/// quasi-identifiers, the sensitive value after a semicolon, and the vertices below.
struct Written {
    name: String,
    quasi: Vec<String>,
    sensitive: Option<String>,
    below: Vec<Written>,
}

/// The forest of these records. The schema is written like a record, with the attributes' names for
/// values; a taxonomy has the name of its kind and attribute, such as `course.id`, and a line for each
/// leaf with its levels between semicolons.
pub(crate) fn forest(schema: &str, taxonomies: &[(&str, &[&str])], records: &[&str]) -> Forest {
    let mut kinds = Vec::new();
    declare(&parse(schema), None, taxonomies, &mut kinds);
    for record in records {
        push(&parse(record), 0, 0, &mut kinds);
    }
    build(&kinds, records.len())
}

fn parse(text: &str) -> Written {
    let mut rest = text;
    let vertex = parse_vertex(&mut rest);
    assert!(rest.trim().is_empty(), "nothing stands after the root, but `{rest}` does");
    vertex
}

fn parse_vertex(rest: &mut &str) -> Written {
    let (name, after) = rest.split_once('(').expect("values in parentheses");
    let (values, after) = after.split_once(')').expect("a closing parenthesis");
    let (quasi, sensitive) = values.split_once(';').unwrap_or((values, ""));
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut vertex = Written {
        name: name.trim().to_owned(),
        quasi: quasi.split(',').filter_map(text).collect(),
        sensitive: text(sensitive),
        below: Vec::new(),
    };
    *rest = after.trim_start();
    if let Some(inside) = rest.strip_prefix('[') {
        *rest = inside.trim_start();
        while !rest.starts_with(']') {
            vertex.below.push(parse_vertex(rest));
            *rest = rest.trim_start();
        }
        *rest = &rest[1..];
    }
    vertex
}

fn declare(
    written: &Written,
    parent: Option<usize>,
    taxonomies: &[(&str, &[&str])],
    kinds: &mut Vec<GivenKind>,
) {
    let column = |attribute: &String| {
        let name = format!("{}.{attribute}", written.name);
        let lines = taxonomies.iter().find(|(of, _)| *of == name).map(|(_, lines)| lines);
        let split = |line: &&str| line.split(';').map(str::to_owned).collect();
        let taxonomy = lines.map(|lines| lines.iter().map(split).collect());
        GivenColumn { name: attribute.clone(), texts: Vec::new(), taxonomy }
    };
    kinds.push(GivenKind {
        name: written.name.clone(),
        parent,
        quasi: written.quasi.iter().map(column).collect(),
        sensitive: written.sensitive.as_ref().map(column),
        inside: Vec::new(),
    });
    let kind = kinds.len() - 1;
    written.below.iter().for_each(|below| declare(below, Some(kind), taxonomies, kinds));
}

fn push(written: &Written, kind: usize, above: u32, kinds: &mut [GivenKind]) {
    let of = &mut kinds[kind];
    assert_eq!(of.quasi.len(), written.quasi.len(), "a value for each quasi-identifier");
    assert_eq!(of.sensitive.is_some(), written.sensitive.is_some(), "a sensitive value or none");
    let row = u32::try_from(of.inside.len()).unwrap();
    of.inside.push(above);
    of.quasi.iter_mut().zip(&written.quasi).for_each(|(of, text)| of.texts.push(text.clone()));
    of.sensitive.iter_mut().zip(&written.sensitive).for_each(|(of, t)| of.texts.push(t.clone()));
    for below in &written.below {
        let is_below = |given: &GivenKind| given.parent == Some(kind) && given.name == below.name;
        push(below, kinds.iter().position(is_below).expect("a kind of the schema"), row, kinds);
    }
}

/// A forest and what its classes must keep.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) forest: Forest,
    pub(crate) k: u32,
    pub(crate) l: Vec<u32>,
    pub(crate) sensitive_weight: f64,
}

impl Asked {
    /// A forest whose classes must be l-diverse wherever there is a sensitive value.
    pub(crate) fn diverse(forest: Forest, l: u32) -> Self {
        let l = vec![l; forest.kinds().len()];
        Self { forest, k: 1, l, sensitive_weight: 0.0 }
    }

    pub(crate) fn problem(&self) -> NestedProblem<'_> {
        NestedProblem {
            forest: &self.forest,
            k: self.k,
            l: &self.l,
            models: &[],
            rules: &[],
            sensitive_weight: self.sensitive_weight,
            may_leave_out: 0,
            seed: 1,
            partitions: None,
            transparent: None,
        }
    }
}

/// What a random kind is made from.
#[derive(Clone, Debug)]
struct Shape {
    parent: prop::sample::Index,
    // The number of values and the sort of each quasi-identifier: 0 numbers, 1 texts, 2 texts with a
    // taxonomy.
    quasi: Vec<(u32, u32)>,
    sensitive: Option<u32>,
    l: u32,
    most_children: u32,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let quasi = prop::collection::vec((1_u32..6, 0_u32..3), 0..3);
    let sensitive = prop::option::weighted(0.7, 1_u32..6);
    (any::<prop::sample::Index>(), quasi, sensitive, 1_u32..4, 0_u32..4).prop_map(
        |(parent, quasi, sensitive, l, most_children)| {
            // A vertex has something to tell.
            let sensitive = if quasi.is_empty() { sensitive.or(Some(3)) } else { sensitive };
            Shape { parent, quasi, sensitive, l, most_children }
        },
    )
}

/// Random schemas of up to four kinds with up to `most` random records, and something asked of them:
/// l-diversity, k-anonymity alone or both.
pub(crate) fn random(most: usize) -> impl Strategy<Value = Asked> {
    let dice = prop::collection::vec(any::<u32>(), 997);
    let weight = prop::sample::select(vec![0.0, 0.5, 1.0]);
    (prop::collection::vec(shapes(), 1..5), 1..=most, 1_u32..5, any::<bool>(), weight, dice)
        .prop_map(|(shapes, n_records, k, is_diverse, sensitive_weight, dice)| {
            let mut rolled = dice.into_iter().cycle();
            let mut roll = |sides: u32| rolled.next().unwrap() % sides;
            let mut kinds: Vec<GivenKind> =
                shapes.iter().enumerate().map(|(kind, shape)| kind_of(kind, shape)).collect();
            for _ in 0..n_records {
                grow(0, 0, &shapes, &mut kinds, &mut roll);
            }
            let l = shapes.iter().map(|shape| if is_diverse { shape.l } else { 1 }).collect();
            Asked { forest: build(&kinds, n_records), k, l, sensitive_weight }
        })
}

fn kind_of(kind: usize, shape: &Shape) -> GivenKind {
    let quasi = |(at, &(n_values, sort)): (usize, &(u32, u32))| {
        // Pairs of values, and pairs of pairs.
        let line = |v: u32| vec![format!("v{v}"), format!("p{}", v / 2), format!("q{}", v / 4)];
        let taxonomy = (sort == 2).then(|| (0..n_values.next_multiple_of(2)).map(line).collect());
        GivenColumn { name: format!("q{at}"), texts: Vec::new(), taxonomy }
    };
    GivenKind {
        name: format!("kind{kind}"),
        parent: (kind > 0).then(|| shape.parent.index(kind.max(1))),
        quasi: shape.quasi.iter().enumerate().map(quasi).collect(),
        sensitive: (shape.sensitive)
            .map(|_| GivenColumn { name: "s".into(), ..GivenColumn::default() }),
        inside: Vec::new(),
    }
}

fn grow(
    kind: usize,
    above: u32,
    shapes: &[Shape],
    kinds: &mut [GivenKind],
    roll: &mut impl FnMut(u32) -> u32,
) {
    let (of, shape) = (&mut kinds[kind], &shapes[kind]);
    let row = u32::try_from(of.inside.len()).unwrap();
    of.inside.push(above);
    for (column, &(n_values, sort)) in of.quasi.iter_mut().zip(&shape.quasi) {
        let value = roll(n_values);
        column.texts.push(if sort == 0 { value.to_string() } else { format!("v{value}") });
    }
    if let (Some(column), Some(n_values)) = (&mut of.sensitive, shape.sensitive) {
        column.texts.push(format!("s{}", roll(n_values)));
    }
    for below in kind + 1..kinds.len() {
        if kinds[below].parent == Some(kind) {
            for _ in 0..roll(shapes[below].most_children + 1) {
                grow(below, row, shapes, kinds, roll);
            }
        }
    }
}
