//! The printed figures of the nested metrics, and what queries come to by hand.

use kohort_core::{
    Attribute, Cell, Codes, Column, Dictionary, Domain, Forest, Level, Missing, NO_VALUE, Role,
    Table, Taxonomy, Tree, VertexKind,
};

use super::query_accuracy::{Step, estimate};
use super::{NESTED_METRICS, NestedMeasured, ReleasedTrees, ReleasedValues, kl};

/// A column of texts; with `(first, last)` a taxonomy that has a node above these values.
fn attribute(texts: &[&str], values: &[&str], node: Option<(usize, usize)>) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (line, text) in (2..).zip(texts) {
        codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
    }
    let column = Column::new("c".into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let column = &table.columns()[0];
    let domain = Domain::new(&table, column, None, &|_| false).unwrap();
    let leaves: Vec<Option<u32>> = values.iter().map(|text| domain.find(text, column)).collect();
    let group_of_leaf = |at: usize| match node {
        Some((first, last)) if (first..=last).contains(&at) => 0,
        _ => u32::try_from(at).unwrap() + 1,
    };
    let labels = (0..=values.len()).map(|at| format!("g{at}")).collect();
    let level = Level { group_of_leaf: (0..values.len()).map(group_of_leaf).collect(), labels };
    let top = Level { group_of_leaf: vec![0; values.len()], labels: vec!["*".into()] };
    let taxonomy = Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| values[leaf].to_owned(),
        levels: &[level, top],
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: false,
        is_ordered: false,
    });
    Attribute::new(&table, "c", Role::Quasi, domain, Some(taxonomy.unwrap())).unwrap()
}

fn kind(branch: usize, quasi: Vec<Attribute>, sensitive: Option<Attribute>) -> VertexKind {
    VertexKind { branch, parent: branch.checked_sub(1), quasi, sensitive, is_member: false }
}

fn measure(id: &str, measured: &NestedMeasured<'_>) -> f64 {
    let metric = NESTED_METRICS.iter().find(|metric| metric.id == id).unwrap();
    (metric.measure)(measured).unwrap().value
}

/// The cell of the node above a value.
fn above(attribute: &Attribute, code: u32) -> Cell {
    Cell::Node(attribute.taxonomy().parent(code))
}

#[test]
fn example_of_003_loss_0_4967() {
    // Labels that lose 1/10, 1/3, 2/7 and 1/2: nodes with 2 of 11, 3 of 7, 3 of 8 and 2 of 3 leaves.
    let names: Vec<String> = (0..11).map(|at| format!("v{at:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let of = |n: usize, node: usize| attribute(&names[..2], &names[..n], Some((0, node - 1)));
    let people = vec![of(11, 2), of(7, 3), of(8, 3), of(3, 2)];
    let courses = attribute(&["x"; 11], &["x", "y"], None);
    let inside = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
    let forest =
        Forest::new(vec![kind(0, people, None), kind(1, vec![courses], None)], 2, &[&[], &inside]);
    let mut trees = ReleasedTrees::default();
    for person in 0..2 {
        let attributes = forest.kinds()[0].quasi.iter();
        let root = trees.open(0, true, attributes.map(|attribute| above(attribute, person)));
        // Two of the eleven courses are left with each, as they were.
        for _ in 0..2 {
            trees.open(1, false, [Cell::Leaf(0)].into_iter());
        }
        trees.close(root);
    }
    let values = ReleasedValues::Own(vec![NO_VALUE; 6]);
    let measured = NestedMeasured {
        original: &forest,
        trees: &trees,
        values: &values,
        originals: &[Some(0), Some(1)],
    };
    assert!((measure("lm", &measured) - 991.0 / 1995.0).abs() < 1e-12);
    let accuracy = 100.0 * f64::midpoint(3.0 / 7.0, 3.0 / 6.0);
    assert!((measure("suppression-accuracy", &measured) - accuracy).abs() < 1e-12);
}

#[test]
fn example_of_003_divergence_0_03137() {
    let found = kl::divergence(&[25, 15, 60], &[20, 25, 55]).unwrap();
    assert!((found - 0.03137).abs() < 5e-6, "{found}");
    assert!(kl::divergence(&[0, 0], &[1, 1]).is_err());
}

/// Two people with a label each and two visits with a diagnosis each.
fn patients() -> Forest {
    let ages = attribute(&["30", "40"], &["30", "40"], Some((0, 1)));
    let years = attribute(&["1", "2", "1", "2"], &["1", "2"], None);
    let diagnoses = attribute(&["Flu", "Cold", "Cold", "Cough"], &["Cold", "Cough", "Flu"], None);
    Forest::new(
        vec![kind(0, vec![ages], None), kind(1, vec![years], Some(diagnoses))],
        2,
        &[&[], &[0, 0, 1, 1]],
    )
}

/// Both trees; labels as `cells` says for people.
fn shown(forest: &Forest, cells: [Cell; 2]) -> ReleasedTrees {
    let mut trees = ReleasedTrees::default();
    for (person, cell) in cells.into_iter().enumerate() {
        let root = trees.open(0, true, [cell].into_iter());
        for visit in forest.children(forest.root(person)) {
            trees.open(1, false, [Cell::Leaf(forest.labels(visit)[0])].into_iter());
        }
        trees.close(root);
    }
    trees
}

/// People of 30 with a cold in year 1.
fn asked(age: bool) -> Vec<Step> {
    let label = |is_asked: bool| is_asked.then_some((0, 0, 0));
    vec![
        Step { kind: 0, label: label(age), values: None },
        Step { kind: 1, label: label(true), values: Some(vec![0]) },
    ]
}

#[test]
fn queries_are_expected_by_what_each_form_tells() {
    let forest = patients();
    let exact = shown(&forest, [Cell::Leaf(0), Cell::Leaf(1)]);
    let check = |trees: &ReleasedTrees, values: &ReleasedValues, query: &[Step], expected: f64| {
        let originals = [Some(0), Some(1)];
        let found = estimate(
            &NestedMeasured { original: &forest, trees, values, originals: &originals },
            query,
        );
        assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
    };
    // Year 1 of the first is Flu, of the second Cold.
    let own = ReleasedValues::Own(vec![NO_VALUE, 2, 0, NO_VALUE, 0, 1]);
    check(&exact, &own, &asked(false), 1.0);
    check(&exact, &own, &asked(true), 0.0);
    let generalized = shown(&forest, [Cell::ANY, Cell::ANY]);
    check(&generalized, &own, &asked(true), 0.5);
    // Lists of year 1: Flu, Cold; of year 2: Cold, Cough.
    let lists = ReleasedValues::Lists {
        list: vec![NO_VALUE, 0, 1, NO_VALUE, 0, 1],
        lists: vec![(1, vec![0, 2]), (1, vec![0, 1])],
    };
    check(&exact, &lists, &asked(false), 1.0);
    check(&exact, &lists, &asked(true), 0.5);
    // Trees of values whose visits cannot be told apart: a cold is half of each.
    let trees = ReleasedValues::Trees {
        group: vec![0, 0],
        place: vec![0, 1, 1, 0, 1, 1],
        sensitive: vec![vec![vec![(1, 1, 0), (1, 1, 2)], vec![(1, 1, 0), (1, 1, 1)]]],
    };
    check(&exact, &trees, &asked(false), 1.0);
    // Where they can: the first has a cold in one of two worlds.
    let trees = ReleasedValues::Trees {
        group: vec![0, 0],
        place: vec![0, 1, 2, 0, 1, 2],
        sensitive: vec![vec![vec![(1, 1, 2), (2, 1, 0)], vec![(1, 1, 0), (2, 1, 1)]]],
    };
    check(&exact, &trees, &asked(true), 0.5);
}
