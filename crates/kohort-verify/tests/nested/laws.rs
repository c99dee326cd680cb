//! Laws over random schemas: the judge against plain backtracking, and what must not matter.

use kohort_core::{Ratio, Role};
use kohort_verify::nested::{
    NestedClaims, NestedFindings, NestedOriginal, NestedReason, NestedRelease, NestedRule, verify,
};
use proptest::prelude::*;

use super::given::{Schema, Spot, Vertex};

/// Schemas of up to four places with up to two columns of each role.
pub(crate) fn schemas() -> impl Strategy<Value = Schema> {
    let spot = (any::<prop::sample::Index>(), 0_usize..3, 0_usize..3, 0_usize..2);
    prop::collection::vec(spot, 1..5).prop_map(|drawn| {
        let mut spots: Vec<Spot> = Vec::new();
        for (at, (above, n_quasi, n_sensitive, n_insensitive)) in drawn.into_iter().enumerate() {
            let above = if at == 0 { 0 } else { above.index(at) };
            let inside = |name: String| match spots.get(above) {
                Some(spot) if !spot.path.is_empty() => format!("{}.{name}", spot.path),
                _ => name,
            };
            let path = if at == 0 { String::new() } else { inside(format!("b{at}[]")) };
            let member = |name: String| if at == 0 { name } else { format!("{path}.{name}") };
            let roles = [
                (Role::Quasi, "q", n_quasi.max(usize::from(at == 0))),
                (Role::Sensitive, "s", n_sensitive),
                (Role::Insensitive, "i", n_insensitive),
            ];
            let columns = roles.iter().flat_map(|&(role, letter, n)| {
                (0..n).map(move |index| (format!("{letter}{index}"), role))
            });
            let columns = columns.map(|(name, role)| (member(name), role)).collect();
            spots.push(Spot { path, above, columns });
        }
        Schema(spots)
    })
}

/// Draws from a list, over and over.
pub(crate) struct Draws<'a>(pub(crate) std::iter::Cycle<std::slice::Iter<'a, u8>>);

impl Draws<'_> {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(*self.0.next().unwrap()) % n
    }
}

/// A tree of a schema whose places have up to two vertices in each vertex above.
pub(crate) fn tree(schema: &Schema, spot: usize, draws: &mut Draws<'_>) -> Vertex {
    let cells = (schema.0[spot].columns.iter())
        .map(|(_, role)| match role {
            Role::Quasi => format!("q{}", draws.below(2)),
            Role::Sensitive => format!("s{}", draws.below(3)),
            _ => format!("i{}", draws.below(2)),
        })
        .collect();
    let mut below = Vec::new();
    for next in 1..schema.0.len() {
        if schema.0[next].above == spot {
            for _ in 0..draws.below(3) {
                below.push(tree(schema, next, draws));
            }
        }
    }
    Vertex { spot, cells, below }
}

pub(crate) fn given() -> impl Strategy<Value = (Schema, Vec<u8>)> {
    (schemas(), prop::collection::vec(any::<u8>(), 40..80))
}

fn is_label(schema: &Schema, spot: usize, column: usize) -> bool {
    schema.0[spot].columns[column].1 == Role::Quasi
}

/// Whether a bijection keeps structure and labels: plain backtracking. Cells in `a` and `b` that are
/// `#` mark vertices that must be laid on one another.
pub(crate) fn are_isomorphic(schema: &Schema, a: &Vertex, b: &Vertex) -> bool {
    let mut labels = (0..schema.0[a.spot].columns.len()).filter(|&at| is_label(schema, a.spot, at));
    let is_marked = |vertex: &Vertex| vertex.cells.last().is_some_and(|cell| cell == "#");
    a.spot == b.spot
        && is_marked(a) == is_marked(b)
        && labels.all(|at| a.cells[at] == b.cells[at])
        && a.below.len() == b.below.len()
        && can_be_laid(&a.below, &b.below, &mut vec![false; b.below.len()], &|a, b| {
            are_isomorphic(schema, a, b)
        })
}

/// Whether each of `a` can be given one of `b` of its own.
fn can_be_laid(
    a: &[Vertex],
    b: &[Vertex],
    used: &mut Vec<bool>,
    fits: &dyn Fn(&Vertex, &Vertex) -> bool,
) -> bool {
    let Some((first, rest)) = a.split_first() else { return true };
    for at in 0..b.len() {
        if !used[at] && fits(first, &b[at]) {
            used[at] = true;
            if can_be_laid(rest, b, used, fits) {
                return true;
            }
            used[at] = false;
        }
    }
    false
}

/// The least l of a column by definition: vertices of a class that some bijection exchanges.
fn plain_l(schema: &Schema, trees: &[Vertex], path: &str) -> Option<Ratio> {
    let spot = schema.0.iter().position(|s| s.columns.iter().any(|c| c.0 == path)).unwrap();
    let column = schema.0[spot].columns.iter().position(|c| c.0 == path).unwrap();
    let mut lowest = None;
    for a in trees {
        let class: Vec<&Vertex> = trees.iter().filter(|b| are_isomorphic(schema, a, b)).collect();
        for at in 0..a.n_vertices() {
            let mut marked = a.clone();
            if marked.nth(at).spot != spot {
                continue;
            }
            marked.nth(at).cells.push("#".into());
            let mut values: Vec<String> = Vec::new();
            for b in &class {
                for other in 0..b.n_vertices() {
                    let mut twin = (*b).clone();
                    twin.nth(other).cells.push("#".into());
                    if are_isomorphic(schema, &marked, &twin) {
                        values.push(twin.nth(other).cells[column].clone());
                    }
                }
            }
            let most =
                values.iter().map(|v| values.iter().filter(|w| *w == v).count()).max().unwrap();
            let level = Ratio::new(values.len() as u64, most as u64);
            let level = level.min(Ratio::whole(class.len() as u64));
            lowest = Some(lowest.map_or(level, |lowest: Ratio| lowest.min(level)));
        }
    }
    lowest
}

/// Whether a released tree is a pruned tree of somebody, where `*` covers every label.
fn embeds(schema: &Schema, a: &Vertex, b: &Vertex) -> bool {
    let covers = |at: usize| {
        a.cells[at] == b.cells[at] || (a.cells[at] == "*" && is_label(schema, a.spot, at))
    };
    a.spot == b.spot
        && (0..a.cells.len()).all(covers)
        && can_be_laid(&a.below, &b.below, &mut vec![false; b.below.len()], &|a, b| {
            embeds(schema, a, b)
        })
}

fn findings(schema: &Schema, trees: &[Vertex], claims: &NestedClaims) -> NestedFindings {
    let nested = schema.nested(trees);
    match verify(NestedRelease::Generalized(&nested), claims, None).unwrap() {
        Ok(verified) => verified.findings().clone(),
        Err(rejected) => rejected.findings().clone(),
    }
}

fn rule() -> NestedRule {
    NestedRule { attribute: None, value: "s0".into(), at_least: 2, probability: Ratio::new(1, 2) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_judge_equals_plain_backtracking((schema, draws) in given(), n in 1_usize..6) {
        let mut draws = Draws(draws.iter().cycle());
        let trees: Vec<Vertex> = (0..n)
            .map(|_| tree(&schema, 0, &mut draws))
            .filter(|tree| tree.n_vertices() < 9)
            .collect();
        let claims = NestedClaims { rules: vec![rule()], ..schema.claims(2, 2) };
        let found = findings(&schema, &trees, &claims);
        let class = |a: &Vertex| trees.iter().filter(|b| are_isomorphic(&schema, a, b)).count() as u64;
        prop_assert_eq!(found.k(), trees.iter().map(class).min());
        for sensitive in &found.sensitive {
            prop_assert_eq!(sensitive.l, plain_l(&schema, &trees, &sensitive.path), "{}", &sensitive.path);
        }
        let count = |tree: &Vertex| {
            let mut tree = tree.clone();
            let mut cells = (0..tree.n_vertices()).flat_map(|at| tree.nth(at).cells.clone()).collect::<Vec<_>>();
            cells.retain(|cell| cell == "s0");
            cells.len()
        };
        let share = |a: &Vertex| {
            let class = trees.iter().filter(|b| are_isomorphic(&schema, a, b));
            let (all, many) = (class.clone().count(), class.filter(|b| count(b) >= 2).count());
            Ratio::new(many as u64, all as u64)
        };
        prop_assert_eq!(found.rules[0].reached, trees.iter().map(share).max().unwrap_or(Ratio::whole(0)));
    }

    #[test]
    fn the_order_of_rows_and_siblings_does_not_matter((schema, draws) in given(), n in 1_usize..9) {
        fn turn(vertex: &mut Vertex) {
            vertex.below.reverse();
            vertex.below.iter_mut().for_each(turn);
        }
        let mut draws = Draws(draws.iter().cycle());
        let mut trees: Vec<Vertex> = (0..n).map(|_| tree(&schema, 0, &mut draws)).collect();
        let claims = NestedClaims { rules: vec![rule()], ..schema.claims(2, 2) };
        let before = findings(&schema, &trees, &claims);
        trees.rotate_left(n / 2);
        trees.iter_mut().for_each(turn);
        let after = findings(&schema, &trees, &claims);
        prop_assert_eq!((before.sizes, before.sensitive, before.rules), (after.sizes, after.sensitive, after.rules));
    }

    #[test]
    fn equal_trees_with_different_values_pass_and_changed_ones_do_not(
        (schema, draws) in given(),
        copies in 2_u32..4,
        change in 0_usize..3,
        at in any::<prop::sample::Index>(),
    ) {
        fn set(schema: &Schema, vertex: &mut Vertex, value: u32) {
            for (at, cell) in vertex.cells.iter_mut().enumerate() {
                if schema.0[vertex.spot].columns[at].1 == Role::Sensitive {
                    *cell = format!("s{value}");
                }
            }
            vertex.below.iter_mut().for_each(|below| set(schema, below, value));
        }
        let mut draws = Draws(draws.iter().cycle());
        let base = tree(&schema, 0, &mut draws);
        let trees: Vec<Vertex> = (0..copies)
            .map(|copy| {
                let mut tree = base.clone();
                set(&schema, &mut tree, copy);
                tree
            })
            .collect();
        let original = schema.nested(&trees);
        let forest = schema.forest(&original, &[]);
        let claims = schema.claims(copies, copies);
        let certificate: Vec<u32> = (0..copies).collect();
        let judge = |trees: &[Vertex], certificate: Option<&[u32]>| {
            let released = schema.nested(trees);
            let against = NestedOriginal { nested: &original, forest: &forest, certificate };
            let verdict = verify(NestedRelease::Generalized(&released), &claims, Some(against));
            verdict.unwrap().err().map_or(Vec::new(), |rejected| rejected.reasons().to_vec())
        };
        prop_assert_eq!(judge(&trees, None), []);
        prop_assert_eq!(judge(&trees, Some(&certificate)), []);
        let mut changed = trees.clone();
        let vertex = changed[0].nth(at.index(base.n_vertices()));
        let is_lie = match change {
            0 => {
                let column = (0..vertex.cells.len()).find(|&at| is_label(&schema, vertex.spot, at));
                prop_assume!(column.is_some());
                vertex.cells[column.unwrap()] = "elsewhere".into();
                true
            }
            1 => {
                prop_assume!(vertex.below.pop().is_some());
                false
            }
            _ => {
                prop_assume!(!vertex.below.is_empty());
                vertex.below.push(vertex.below[0].clone());
                true
            }
        };
        for certificate in [None, Some(&certificate[..])] {
            let reasons = judge(&changed, certificate);
            let size = NestedReason::Size { k: 1, expected: copies };
            prop_assert!(reasons.contains(&size), "{:?}", reasons);
            let lie = NestedReason::Untruthful { records: 1 };
            prop_assert_eq!(reasons.contains(&lie), is_lie, "{:?}", reasons);
        }
    }

    #[test]
    fn trees_are_found_as_plain_backtracking_finds_them((schema, draws) in given(), n in 1_usize..5) {
        let mut draws = Draws(draws.iter().cycle());
        let originals: Vec<Vertex> = (0..n).map(|_| tree(&schema, 0, &mut draws)).collect();
        // Some pruned, some with a label that covers all, some of somebody else.
        let mut released: Vec<Vertex> = originals.clone();
        released.rotate_left(1);
        for tree in &mut released {
            let at = draws.below(tree.n_vertices());
            let vertex = tree.nth(at);
            match draws.below(4) {
                0 => drop(vertex.below.pop()),
                1 => {
                    let column = (0..vertex.cells.len()).find(|&at| is_label(&schema, vertex.spot, at));
                    if let Some(column) = column {
                        vertex.cells[column] = "*".into();
                    }
                }
                2 => vertex.cells.iter_mut().take(1).for_each(|cell| *cell = "q1".into()),
                _ => {}
            }
        }
        let is_true = can_be_laid(&released, &originals, &mut vec![false; n], &|a, b| embeds(&schema, a, b));
        let nested = schema.nested(&originals);
        let forest = schema.forest(&nested, &[]);
        let against = NestedOriginal { nested: &nested, forest: &forest, certificate: None };
        let released = schema.nested(&released);
        let truth = kohort_verify::nested::truth(NestedRelease::Generalized(&released), &schema.claims(2, 2), against);
        prop_assert_eq!(truth.unwrap().holds(), is_true);
    }

    #[test]
    fn trees_of_values_are_found_as_plain_backtracking_finds_them(
        (schema, draws) in given(),
        order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let mut draws = Draws(draws.iter().cycle());
        let mut people: Vec<Vertex> = (0..4).map(|_| tree(&schema, 0, &mut draws)).collect();
        // Nobody looks like anybody else, so that everything is decided.
        for (index, person) in people.iter_mut().enumerate() {
            person.cells[0] = format!("person {index}");
        }
        let values: Vec<Vertex> = order.iter().map(|&at| people[at].clone()).collect();
        let (of_values, own) = schema.project(&people, |_, role| role == Role::Sensitive);
        let (_, values) = schema.project(&values, |_, role| role == Role::Sensitive);
        let is_true = [0, 2].into_iter().all(|at| {
            can_be_laid(&values[at..at + 2], &own[at..at + 2], &mut vec![false; 2], &|a, b| {
                embeds(&of_values, a, b)
            })
        });
        let (quasi_schema, quasi) = schema.project(&people, |_, role| role != Role::Sensitive);
        let in_groups = |schema: &Schema, trees: &[Vertex]| {
            let (mut schema, mut trees) = (schema.clone(), trees.to_vec());
            schema.0[0].columns.push(("group".into(), Role::Insensitive));
            for (tree, group) in trees.iter_mut().zip(["1", "1", "2", "2"]) {
                tree.cells.push(group.into());
            }
            schema.nested(&trees)
        };
        let (quasi, sensitive) = (in_groups(&quasi_schema, &quasi), in_groups(&of_values, &values));
        let release = NestedRelease::TreeAnatomy { quasi: &quasi, sensitive: &sensitive };
        let nested = schema.nested(&people);
        let forest = schema.forest(&nested, &[]);
        for certificate in [None, Some(&[0, 1, 2, 3][..])] {
            let against = NestedOriginal { nested: &nested, forest: &forest, certificate };
            let truth = kohort_verify::nested::truth(release, &schema.claims(2, 2), against);
            prop_assert_eq!(truth.unwrap().holds(), is_true, "{:?}", &order);
        }
    }
}
