//! Özalp 2017's patients, a plain reference for first fit, and laws on random schemas.

use kohort_core::{Ctx, Forest, Ratio};
use kohort_models::nested::OccurrenceRule;
use proptest::prelude::*;

use super::*;
use crate::tests::{Asked, forest, random};

const ALL: [TreeAnatomy; 4] = [
    TreeAnatomy::BY_TREE,
    TreeAnatomy::BY_VERTEX,
    TreeAnatomy::BY_TREE_FIRST_FIT,
    TreeAnatomy::BY_VERTEX_FIRST_FIT,
];

/// Figure 3.1, rebuilt from the text.
fn patients() -> Asked {
    let schema = "patient(age; blood)[visit(year; diagnosis)]";
    let older = "patient(47; O+)[visit(2001; Alcohol) visit(2003; Alcohol) visit(2005; Diarrhoea) \
                 visit(2006; AIDS)]";
    let younger = "patient(46; AB-)[visit(2000; AIDS) visit(2006; AIDS) visit(2006; Flu) \
                   visit(2007; Cold)]";
    Asked::diverse(forest(schema, &[], &[older, younger]), 2)
}

/// A rule about a value, wherever it is a sensitive one.
fn rule(forest: &Forest, value: &str, at_least: u32, probability: Ratio) -> OccurrenceRule {
    let code = |kind: &kohort_core::VertexKind| kind.sensitive.as_ref()?.code_of(value);
    let codes = forest.kinds().iter().map(code).collect();
    OccurrenceRule::new(codes, at_least, probability).unwrap()
}

/// How many vertices of each record are kept, and of how many.
fn kept(candidate: &NestedCandidate, forest: &Forest) -> Vec<(usize, usize)> {
    let published = |record: u32| {
        let class = candidate.classes.iter().find(|class| class.members.contains(&record));
        class.map_or(0, |class| class.positions().len())
    };
    (0..)
        .take(forest.n_records())
        .map(|record| (published(record), forest.vertices(record as usize).len()))
        .collect()
}

/// The sensitive codes at a position, in order.
fn values(candidate: &NestedCandidate, forest: &Forest, position: usize) -> Vec<u32> {
    let mut values: Vec<u32> = candidate.classes[0]
        .positions()
        .nth(position)
        .unwrap()
        .iter()
        .map(|&vertex| forest.sensitive(vertex))
        .collect();
    values.sort_unstable();
    values
}

#[test]
fn figure_3_2_without_rules_nothing_is_lost_and_everybody_has_aids() {
    let asked = patients();
    for method in [TreeAnatomy::BY_TREE, TreeAnatomy::BY_VERTEX] {
        let candidate = method.make(&Ctx::quiet(), &asked.problem()).unwrap();
        assert_eq!(kept(&candidate, &asked.forest), [(5, 5), (5, 5)]);
        let aids = rule(&asked.forest, "AIDS", 1, Ratio::new(1, 2));
        assert_eq!(by_trees(&aids, &candidate.classes[0], &asked.forest), Ratio::whole(1));
    }
}

#[test]
fn figures_3_3_and_3_4_suppression_accuracy_is_80_percent() {
    let asked = patients();
    let rules = [
        rule(&asked.forest, "AIDS", 1, Ratio::new(1, 2)),
        rule(&asked.forest, "Alcohol", 2, Ratio::new(1, 2)),
    ];
    let problem = NestedProblem { rules: &rules, ..asked.problem() };
    for method in ALL {
        let candidate = method.make(&Ctx::quiet(), &problem).unwrap();
        let class = &candidate.classes[0];
        class.assert_aligned(&asked.forest);
        if method.merging == Merging::Assignment {
            assert_eq!(kept(&candidate, &asked.forest), [(4, 5), (4, 5)], "{}", method.spec.id);
        }
        let probability = |rule| match method.form {
            NestedForm::TreeAnatomy => by_trees(rule, class, &asked.forest),
            _ => by_lists(rule, class, &asked.forest),
        };
        assert!(probability(&rules[0]) <= Ratio::new(1, 2));
        assert!(probability(&rules[1]) <= Ratio::new(1, 2));
    }
}

#[test]
fn figure_3_4_the_lists_are_those_of_the_thesis() {
    let asked = patients();
    let rules = [
        rule(&asked.forest, "AIDS", 1, Ratio::new(1, 2)),
        rule(&asked.forest, "Alcohol", 2, Ratio::new(1, 4)),
    ];
    let problem = NestedProblem { rules: &rules, ..asked.problem() };
    let candidate = TreeAnatomy::BY_VERTEX.make(&Ctx::quiet(), &problem).unwrap();
    let diagnosis = asked.forest.kinds()[1].sensitive.as_ref().unwrap();
    let code = |value| diagnosis.code_of(value).unwrap();
    let pair = |a, b| [code(a).min(code(b)), code(a).max(code(b))];
    let mut found: Vec<Vec<u32>> =
        (1..4).map(|position| values(&candidate, &asked.forest, position)).collect();
    found.sort();
    // Which of the younger one's diagnoses stands beside which of the older one's is free.
    let olders = [code("Alcohol"), code("Alcohol"), code("Diarrhoea")];
    let youngers = [code("AIDS"), code("Flu"), code("Cold")];
    let mut all: Vec<u32> = found.concat();
    all.sort_unstable();
    let mut expected = [olders, youngers].concat();
    expected.sort_unstable();
    assert_eq!(all, expected);
    assert!(!found.contains(&pair("Flu", "Cold").to_vec()));
    let [aids, alcohol] = &rules;
    assert_eq!(by_lists(aids, &candidate.classes[0], &asked.forest), Ratio::new(1, 2));
    assert_eq!(by_lists(alcohol, &candidate.classes[0], &asked.forest), Ratio::new(1, 4));
}

/// The share of the members whose trees have a value often.
fn by_trees(rule: &OccurrenceRule, class: &AlignedClass, forest: &Forest) -> Ratio {
    let n = class.members.len();
    let often = (0..n).filter(|&member| {
        let occurrences = class.positions().filter(|vertices| {
            let vertex = vertices[member];
            rule.is_occurrence(forest.kind(vertex), forest.sensitive(vertex))
        });
        occurrences.count() >= rule.at_least() as usize
    });
    Ratio::new(often.count() as u64, n as u64)
}

/// The share of all ways to draw a value from each list that have a value often.
fn by_lists(rule: &OccurrenceRule, class: &AlignedClass, forest: &Forest) -> Ratio {
    let n = class.members.len() as u64;
    let counts: Vec<u64> = class
        .positions()
        .map(|vertices| {
            let of = |&&v: &&u32| rule.is_occurrence(forest.kind(v), forest.sensitive(v));
            vertices.iter().filter(of).count() as u64
        })
        .filter(|&count| count > 0)
        .collect();
    let often = (0..1_u32 << counts.len()).filter(|drawn| drawn.count_ones() >= rule.at_least());
    let ways = often.map(|drawn| {
        let ways = (0..)
            .zip(&counts)
            .map(|(list, count)| if drawn >> list & 1 == 1 { *count } else { n - count });
        ways.product::<u64>()
    });
    Ratio::new(ways.sum(), n.pow(u32::try_from(counts.len()).unwrap()))
}

/// Algorithms 6 to 8 as they are written, every rule recomputed from the whole tree at each step.
mod plain {
    use super::*;

    #[derive(Clone)]
    struct Vertex {
        i: Vec<u32>,
        children: Vec<usize>,
        is_suppressed: bool,
    }

    #[derive(Clone)]
    struct Tree {
        vertices: Vec<Vertex>,
        members: Vec<u32>,
    }

    impl Tree {
        fn size(&self, at: usize) -> usize {
            let vertex = &self.vertices[at];
            let below: usize = vertex.children.iter().map(|&child| self.size(child)).sum();
            if vertex.is_suppressed { 0 } else { 1 + below }
        }

        fn class(&self) -> AlignedClass {
            let alive = self.vertices.iter().filter(|vertex| !vertex.is_suppressed);
            let vertices = alive.flat_map(|vertex| vertex.i.clone()).collect();
            AlignedClass { members: self.members.clone(), vertices }
        }

        fn suppress(&mut self, at: usize) {
            self.vertices[at].is_suppressed = true;
            for child in self.vertices[at].children.clone() {
                self.suppress(child);
            }
        }
    }

    struct Plain<'a> {
        problem: &'a NestedProblem<'a>,
        is_by_tree: bool,
        size: usize,
    }

    /// The members of each group with their vertices, one position after the other.
    pub(super) fn anatomize(problem: &NestedProblem<'_>, form: NestedForm) -> Vec<AlignedClass> {
        let n = problem.smallest();
        let plain = |size| Plain { problem, is_by_tree: form == NestedForm::TreeAnatomy, size };
        let mut left: Vec<u32> = (0..).take(problem.forest.n_records()).collect();
        let mut groups = Vec::new();
        let mut before = usize::MAX;
        let mut is_first = true;
        while is_first || n <= left.len() && left.len() <= before / 2 {
            before = if is_first { usize::MAX } else { left.len() };
            is_first = false;
            left.sort_by_key(|&record| problem.forest.vertices(record as usize).len());
            let mut next = Vec::new();
            while n <= left.len() {
                let first = left.remove(0);
                match plain(n).group(first, &left) {
                    Some(group) => {
                        left.retain(|record| !group.members.contains(record));
                        groups.push(group);
                    }
                    None => next.push(first),
                }
            }
            left.splice(0..0, next);
        }
        // Whoever is left over joins the group that loses the fewest, as a larger one.
        let mut before = usize::MAX;
        while left.len() < before {
            before = left.len();
            left.retain(|&record| {
                let joined = groups.iter().enumerate().filter_map(|(at, tree): (usize, &Tree)| {
                    let (lost, _, joined) = plain(tree.members.len() + 1).merge(tree, record)?;
                    Some((lost, at, joined))
                });
                let Some((_, at, joined)) = joined.min_by_key(|&(lost, at, _)| (lost, at)) else {
                    return true;
                };
                groups[at] = joined;
                false
            });
        }
        groups.iter().map(Tree::class).collect()
    }

    impl Plain<'_> {
        fn group(&self, first: u32, left: &[u32]) -> Option<Tree> {
            let mut left = left.to_vec();
            let mut tree = self.trimmed(first)?;
            while tree.members.len() < self.problem.smallest() {
                let merged = left.iter().filter_map(|&record| self.merge(&tree, record));
                let (_, record, best) = merged.min_by_key(|&(lost, record, _)| (lost, record))?;
                tree = best;
                left.retain(|&other| other != record);
            }
            Some(tree)
        }

        fn trimmed(&self, record: u32) -> Option<Tree> {
            let forest = self.problem.forest;
            let range = forest.vertices(record as usize);
            let vertices = range.clone().map(|vertex| Vertex {
                i: vec![vertex],
                children: forest.children(vertex).map(|c| (c - range.start) as usize).collect(),
                is_suppressed: false,
            });
            let mut tree = Tree { vertices: vertices.collect(), members: vec![record] };
            while let Some(rule) = self.problem.rules.iter().find(|rule| !self.holds(&tree, rule)) {
                let occurrences = (1..tree.vertices.len()).filter(|&at| {
                    let v = tree.vertices[at].i[0];
                    !tree.vertices[at].is_suppressed
                        && rule.is_occurrence(forest.kind(v), forest.sensitive(v))
                });
                let cut = occurrences.rev().min_by_key(|&at| tree.size(at))?;
                tree.suppress(cut);
            }
            Some(tree)
        }

        fn merge(&self, tree: &Tree, record: u32) -> Option<(usize, u32, Tree)> {
            let mut clone = tree.clone();
            let root = self.problem.forest.root(record as usize);
            self.merge_vertices(&mut clone, &[0], &[root]);
            let n = tree.members.len();
            let alive = clone.size(0);
            let lost = n * (tree.size(0) - alive)
                + self.problem.forest.vertices(record as usize).len()
                - alive;
            clone.members.push(record);
            (alive > 0).then_some((lost, record, clone))
        }

        fn merge_vertices(&self, tree: &mut Tree, positions: &[usize], vertices: &[u32]) {
            let forest = self.problem.forest;
            let n = tree.members.len();
            let mut is_matched = vec![false; vertices.len()];
            for &at in positions {
                if tree.vertices[at].is_suppressed {
                    continue;
                }
                let mut found = false;
                for (v, &vertex) in vertices.iter().enumerate() {
                    let sag: Vec<u32> =
                        tree.vertices[at].i.iter().map(|&other| forest.sensitive(other)).collect();
                    let kind = forest.kind(vertex);
                    let value = forest.sensitive(vertex);
                    let same = sag.iter().filter(|&&other| other == value).count() + 1;
                    let l = self.problem.l[kind] as usize;
                    let is_diverse = value == kohort_core::NO_VALUE || same * l <= self.size;
                    if is_matched[v] || kind != forest.kind(tree.vertices[at].i[0]) || !is_diverse {
                        continue;
                    }
                    tree.vertices[at].i.push(vertex);
                    if self.problem.rules.iter().all(|rule| self.holds(tree, rule)) {
                        let children = tree.vertices[at].children.clone();
                        let below: Vec<u32> = forest.children(vertex).collect();
                        self.merge_vertices(tree, &children, &below);
                        is_matched[v] = true;
                        found = true;
                        break;
                    }
                    tree.vertices[at].i.pop();
                }
                if !found {
                    assert_eq!(tree.vertices[at].i.len(), n);
                    tree.suppress(at);
                }
            }
        }

        /// Whether a rule holds for the group as it is, were it full.
        fn holds(&self, tree: &Tree, rule: &OccurrenceRule) -> bool {
            let forest = self.problem.forest;
            let size = self.size as u64;
            let alive = tree.vertices.iter().filter(|vertex| !vertex.is_suppressed);
            let has = |v: u32| rule.is_occurrence(forest.kind(v), forest.sensitive(v));
            if self.is_by_tree {
                let member = |at: usize| {
                    let at_it =
                        alive.clone().filter(|vertex| vertex.i.get(at).is_some_and(|&v| has(v)));
                    at_it.count() >= rule.at_least() as usize
                };
                let often = (0..=tree.members.len()).filter(|&at| member(at)).count() as u64;
                return Ratio::new(often, size) <= rule.probability();
            }
            let counts: Vec<u64> =
                alive.map(|vertex| vertex.i.iter().filter(|&&v| has(v)).count() as u64).collect();
            // ways[j]: in how many draws from all lists there are j occurrences.
            let (mut ways, mut all) = (vec![1_u128], 1);
            for count in counts.into_iter().filter(|&count| count > 0) {
                ways.push(0);
                all *= u128::from(size);
                for at in (0..ways.len()).rev() {
                    let less = if at == 0 { 0 } else { ways[at - 1] };
                    ways[at] = ways[at] * u128::from(size - count) + less * u128::from(count);
                }
            }
            let often: u128 = ways.iter().skip(rule.at_least() as usize).sum();
            let p = rule.probability();
            often * u128::from(p.den()) <= all * u128::from(p.num())
        }
    }
}

/// Rules about the codes of all kinds: a code, m, and p in twelfths.
fn rules() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    prop::collection::vec((0_u32..4, 1_u32..4, 2_u64..12), 0..3)
}

fn rules_of(forest: &Forest, given: &[(u32, u32, u64)]) -> Vec<OccurrenceRule> {
    let of = |&(code, at_least, twelfths): &(u32, u32, u64)| {
        let codes = forest.kinds().iter().map(|kind| {
            kind.sensitive.as_ref().filter(|attribute| code < attribute.n_codes()).map(|_| code)
        });
        OccurrenceRule::new(codes.collect(), at_least, Ratio::new(twelfths, 12)).unwrap()
    };
    given.iter().map(of).collect()
}

/// The most vertices that a group of one and a record without one vertex can keep, over all ways to match
/// children.
fn most_kept(problem: &NestedProblem<'_>, a: u32, b: u32, without: Option<u32>) -> usize {
    fn best(worths: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
        let Some((row, rest)) = worths.split_first() else { return 0 };
        let mut most = best(rest, taken);
        for (column, &worth) in row.iter().enumerate() {
            if !taken.contains(&column) {
                taken.push(column);
                most = most.max(worth + best(rest, taken));
                taken.pop();
            }
        }
        most
    }
    let forest = problem.forest;
    let value = forest.sensitive(a);
    let is_alone = problem.smallest().max(2) / problem.l[forest.kind(a)] as usize <= 1;
    let is_same = value != kohort_core::NO_VALUE && value == forest.sensitive(b);
    if forest.kind(a) != forest.kind(b) || is_same && is_alone || without == Some(b) {
        return 0;
    }
    let worths: Vec<Vec<usize>> = (forest.children(a))
        .map(|a| forest.children(b).map(|b| most_kept(problem, a, b, without)).collect())
        .collect();
    1 + best(&worths, &mut Vec::new())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_group_is_aligned_diverse_and_keeps_the_rules(asked in random(24), given in rules()) {
        let forest = &asked.forest;
        let rules = rules_of(forest, &given);
        let problem = NestedProblem { rules: &rules, ..asked.problem() };
        for method in ALL {
            let Ok(candidate) = method.make(&Ctx::quiet(), &problem) else { continue };
            let mut is_in = vec![false; forest.n_records()];
            for class in &candidate.classes {
                class.assert_aligned(forest);
                let n = class.members.len();
                prop_assert!(problem.smallest() <= n);
                for &member in &class.members {
                    prop_assert!(!std::mem::replace(&mut is_in[member as usize], true));
                }
                for vertices in class.positions() {
                    let l = problem.l[forest.kind(vertices[0])] as usize;
                    for &vertex in vertices {
                        let value = forest.sensitive(vertex);
                        let same = vertices.iter().filter(|&&v| forest.sensitive(v) == value);
                        prop_assert!(value == kohort_core::NO_VALUE || same.count() * l <= n);
                    }
                }
                for rule in &rules {
                    let reached = match candidate.form {
                        NestedForm::TreeAnatomy => by_trees(rule, class, forest),
                        _ => by_lists(rule, class, forest),
                    };
                    prop_assert!(reached <= rule.probability());
                }
            }
        }
    }

    #[test]
    fn whoever_asks_for_k_alone_loses_fewer_than_k_people(mut asked in random(24)) {
        asked.l.fill(1);
        for method in ALL {
            let made = method.make(&Ctx::quiet(), &asked.problem());
            let classes = made.map_or(Vec::new(), |candidate| candidate.classes);
            let published: usize = classes.iter().map(|class| class.members.len()).sum();
            prop_assert!(asked.forest.n_records() - published < asked.k as usize);
        }
    }

    #[test]
    fn first_fit_is_the_plain_one(asked in random(14), given in rules()) {
        let rules = rules_of(&asked.forest, &given);
        let problem = NestedProblem { rules: &rules, ..asked.problem() };
        for method in [TreeAnatomy::BY_TREE_FIRST_FIT, TreeAnatomy::BY_VERTEX_FIRST_FIT] {
            let made = method.make(&Ctx::quiet(), &problem);
            let classes = made.map_or(Vec::new(), |candidate| candidate.classes);
            prop_assert_eq!(classes, plain::anatomize(&problem, method.form));
        }
    }

    #[test]
    fn more_partitions_than_records_leave_them_to_the_last(mut asked in random(12)) {
        asked.l.fill(1);
        let problem = NestedProblem { partitions: Some(100), ..asked.problem() };
        let made = TreeAnatomy::BY_TREE.make(&Ctx::quiet(), &problem);
        let classes = made.map_or(Vec::new(), |candidate| candidate.classes);
        let published: usize = classes.iter().map(|class| class.members.len()).sum();
        prop_assert!(asked.forest.n_records() - published < asked.k as usize);
    }

    #[test]
    fn for_a_pair_assignment_keeps_the_most(asked in random(2), cut in 1_u32..9) {
        let problem = asked.problem();
        prop_assume!(asked.forest.n_records() == 2);
        let counts = Counts::new(&problem);
        let host = pair_host(&problem, &counts, NestedForm::VertexAnatomy).unwrap();
        let mut by_assignment = Merge::new(&problem, Merging::Assignment);
        let lost = |pairs: Vec<(u32, u32)>| host.group().lost(1, pairs.len());
        let (a, b) = (asked.forest.root(0), asked.forest.root(1));
        let cut = b + cut % u32::try_from(asked.forest.vertices(1).len()).unwrap();
        for without in [None, Some(cut).filter(|&cut| cut > b)] {
            let most = most_kept(&problem, a, b, without);
            let found = by_assignment.pairs(&host, 1, without.as_slice()).map(lost);
            prop_assert_eq!(found, (most > 0).then(|| host.group().lost(1, most)));
        }
        let first_fit = Merge::new(&problem, Merging::FirstFit).pairs(&host, 1, &[]).map(lost);
        let found = by_assignment.pairs(&host, 1, &[]).map(lost);
        prop_assert!(found.is_some() == first_fit.is_some() && found <= first_fit);
    }

    #[test]
    fn nobody_loses_less_than_the_bound(asked in random(2), given in rules()) {
        let rules = rules_of(&asked.forest, &given);
        let problem = NestedProblem { rules: &rules, ..asked.problem() };
        prop_assume!(asked.forest.n_records() == 2);
        let counts = Counts::new(&problem);
        for form in [NestedForm::TreeAnatomy, NestedForm::VertexAnatomy] {
            let Some(host) = pair_host(&problem, &counts, form) else { continue };
            for merging in [Merging::Assignment, Merging::FirstFit] {
                let pairs = Merge::new(&problem, merging).pairs(&host, 1, &[]);
                let lost = pairs.map(|pairs| host.group().lost(1, pairs.len()));
                prop_assert!(lost.is_none_or(|lost| host.least_lost(1) <= lost));
            }
        }
    }

    #[test]
    fn whoever_is_left_out_fits_in_no_group(asked in random(14), given in rules()) {
        let rules = rules_of(&asked.forest, &given);
        let problem = NestedProblem { rules: &rules, ..asked.problem() };
        let counts = Counts::new(&problem);
        for method in ALL {
            let Ok(candidate) = method.make(&Ctx::quiet(), &problem) else { continue };
            let is_in = |record: &u32| candidate.classes.iter().any(|c| c.members.contains(record));
            let left = (0..).take(asked.forest.n_records()).filter(|record| !is_in(record));
            for (record, class) in left.flat_map(|r| candidate.classes.iter().map(move |c| (r, c))) {
                let judge = Rc::new(Judge::new(&problem, method.form, class.members.len() + 1));
                let group = Augmented::new(&asked.forest, class.clone());
                let host = Host::new(&judge, &counts, group);
                prop_assert_eq!(Merge::new(&problem, method.merging).pairs(&host, record, &[]), None);
            }
        }
    }
}

/// The first record, as a group of one.
fn pair_host<'a>(
    problem: &'a NestedProblem<'a>,
    counts: &'a Counts,
    form: NestedForm,
) -> Option<Host<'a>> {
    let judge = Rc::new(Judge::new(problem, form, problem.smallest().max(2)));
    Host::of_record(&judge, counts, problem.forest, 0)
}

#[test]
fn the_better_of_both_is_the_one_that_keeps_more_vertices() {
    let asked = patients();
    let made = |rule: OccurrenceRule| {
        let rules = [rule];
        let problem = NestedProblem { rules: &rules, ..asked.problem() };
        let candidate = BetterAnatomy.make(&Ctx::quiet(), &problem).unwrap();
        (candidate.form, candidate.notes)
    };
    // As trees, one of the two may have AIDS as often as it does; as lists, once in all.
    let (form, notes) = made(rule(&asked.forest, "AIDS", 2, Ratio::new(1, 2)));
    assert_eq!(form, NestedForm::VertexAnatomy, "{notes:?}");
    let (form, notes) = made(rule(&asked.forest, "Alcohol", 1, Ratio::new(1, 2)));
    assert_eq!(form, NestedForm::TreeAnatomy);
    let told = "anatomy by tree keeps 10 vertices, by vertex 8: by tree is published";
    assert_eq!(notes, [told]);
}

#[test]
fn cuts_are_shared_out_where_all_have_a_value_often() {
    // Nobody may have B three times with a probability above 1/2: five of the eight may stay.
    let schema = "student(born; gpa)[course(id; grade)]";
    let student = |gpa: &str, others: &str| {
        let others = others.chars().map(|grade| format!("course(1; {grade})"));
        let courses: Vec<String> =
            std::iter::repeat_n("course(1; B)".to_owned(), 4).chain(others).collect();
        format!("student(1990; {gpa})[{}]", courses.join(" "))
    };
    let (one, two) = (student("x", "ACDEFG"), student("y", "ACDEFG"));
    let asked = Asked::diverse(forest(schema, &[], &[&one, &two]), 2);
    let rules = [rule(&asked.forest, "B", 3, Ratio::new(1, 2))];
    let problem = NestedProblem { rules: &rules, ..asked.problem() };
    // By vertex, two of the one's and one of the other's must go, and with them a vertex each.
    let made = |method: TreeAnatomy| method.make(&Ctx::quiet(), &problem).unwrap();
    assert_eq!(kept(&made(TreeAnatomy::BY_VERTEX), &asked.forest), [(9, 11), (9, 11)]);
    // By tree, two of one of them.
    assert_eq!(kept(&made(TreeAnatomy::BY_TREE), &asked.forest), [(9, 11), (9, 11)]);
}
