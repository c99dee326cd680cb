//! Releases whose promises hold against an adversary who knows the method.
//!
//! # Definition
//! The adversary knows this program, the plan and the quasi-identifiers of everybody in the table; he sees
//! the release. The sensitive values are secret, and so are the random draws (`Secret`). Before he sees the
//! release, he takes every way to give the sensitive values of the table to its people to be equally likely.
//! A release is *transparent* when for every person the distribution of the sensitive value that he then
//! believes in (his posterior) is the share of the values in the person's equivalence class. Where every
//! class keeps a promise, so does the posterior: for frequency l-diversity, nobody's value is guessed with
//! probability above 1/l.
//!
//! # Why other methods are not
//! A method that looks for classes that are diverse and cheap tells by its choice that cheaper classes were
//! not diverse. Whoever makes the release again for every assignment of values rules most of them out.
//!
//! # Theorem
//! Let a method choose a partition π of the rows by sensitive values s and secret draws. Suppose that for each
//! class C of π there is a group of permutations σ of the rows that (a) maps every class of π to itself,
//! (b) moves any row of C to any other row of C, and (c) does not change how likely π is:
//! P(π | s) = P(π | s∘σ) for every s. Then the posterior of every person of C is the share of values in C.
//!
//! *Proof.* By (a) the release, which shows π and the values of each class, is the same for s and s∘σ as far
//! as values go; by (c) it is as likely. The prior is uniform, so s and s∘σ are equally likely afterwards, and
//! person i has in s∘σ the value that σ(i) has in s. By (b) all persons of C have the same posterior. The
//! mean of their posteriors is the share of values in C, which is published. ∎
//!
//! A group for each set of draws that leads to π will do instead of one for all: a mean of equal posteriors
//! is that posterior. Classes that show the same cells are seen as one; the posterior is then a mean of their
//! shares. Every promise that is kept by two distributions is kept by their means (bounds on shares,
//! entropy, recursive diversity, closeness, likeness), or is looked at again below.
//!
//! # Method
//! 1. *Blocks* (`blocks.rs`). The algorithm makes classes of b rows or more. It is given the quasi-identifiers
//!    and b, and no sensitive attribute; rows with equal quasi-identifiers are in an order drawn by the secret.
//!    Its classes are cut into blocks of b to 2b - 1 rows. Sizes that few blocks have are given up: their rows
//!    are clustered again, into blocks of exactly b.
//! 2. *Remainder* (`deal.rs`). Where these rows are no multiple of b, a random set of them is a class of its
//!    own, drawn again until it and the others keep the promises.
//! 3. *Trees* (`refine.rs`). The blocks of each size are dealt at random to trees of 2^j blocks, again until
//!    each tree as a whole keeps the promises. Where that does not happen, the smallest trees are one class;
//!    where the blocks of a size as one class break a promise, there is no release.
//! 4. *Refinement* (`refine.rs`, `near.rs`). A node is a set of 2^j columns, at first blocks. It is cut by
//!    quasi-identifiers into two halves of as many columns, so that near ones stay together. If both halves
//!    keep the promises, each is a node. Else each column of the left half joins the one of the right half
//!    that is nearest by quasi-identifiers; the node has half as many columns, twice as large, and is cut
//!    again. A node of one column is a class. Two blocks that fail are first cut into as many smaller columns
//!    of equal size as there can be.
//! 5. *Size* (`size.rs`). b is chosen by what refinement makes of values drawn from the table's: it depends on
//!    how often each value occurs in the table, which the release tells anyway, and on nothing else.
//!
//! *Why the theorem applies.* All draws of step 1 are independent of the sensitive values: take them to be
//! known. Step 2 draws uniformly among the sets of some rows, known by now, that pass a test of their values
//! and of the values of the other rows. How many sets pass depends only on the values of these rows together.
//! So P(set | s) does not change where values are exchanged within the set or among the other rows. Step 3
//! draws uniformly among the ways to deal the blocks of a size that pass a test of each tree as a whole. How
//! many pass does not change where the values of two blocks of that size are exchanged, nor within a block; so
//! P(trees | s) does not change where values are exchanged within a tree. The smallest trees as one class are
//! a random set of blocks, and any values within it can be exchanged. It remains to look at one tree.
//!
//! That two halves keep the promises follows from what the published classes show, as their values add up to
//! those of the halves: a successful cut tells nothing more. So P(π | s, trees) is 1 or 0, as all cuts that π
//! tells of as failed do fail for s. Let C be a class, and N₁ ⊇ … ⊇ N_c the nodes around it whose halves
//! failed. Let τᵢ exchange each column of the left half of Nᵢ with the column of the right half that it then
//! joined, so that the part of a column that came from a half of an earlier Nⱼ goes to the part that came from
//! the same half. τᵢ maps every column of Nᵢ that was made later to itself, so every class (a); it exchanges
//! the halves of Nᵢ, which fail as before; it leaves the halves of every earlier Nⱼ as they are, and those of
//! all later nodes, and those of nodes elsewhere (c). C is one column of 2^c parts of equal size. τ₁, …, τ_c
//! move any part to any other, and rows within a part can be exchanged, as no test looks inside a part (b). ∎
//!
//! # Recoding of the whole domain
//! A method that chooses one level for each column (`level.rs`) chooses it by quasi-identifiers and by how often
//! each value occurs in the table. Its classes all keep the promises, or there is no release. So P(π | s) is 1
//! where the published classes keep the promises, which they show, and any rows of a class can be exchanged:
//! the theorem applies with every permutation that maps each class to itself. To go on to a coarser level after a
//! failure would not do: that some class failed says something about a class that is small, or the only one
//! that could, and a class of another size cannot be exchanged for it.
//!
//! # What is assumed
//! The prior: people's values are exchangeable to the adversary, given how often each occurs. Whoever knows
//! that a value goes with a quasi-identifier (from other tables, or learned from this release) guesses
//! better, as with every release that keeps true values (`kohort attack`). One release: a second one of the
//! same table, or a choice of plans by what came out, is another method. That nothing is published when the
//! goal cannot be reached is no release.
//!
//! # Cost
//! One run of the algorithm, again for the rows left over, and O(n log² n) for the trees.
//!
//! # References
//! Wong, Fu, Wang, Pei: Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007. Kenthapadi,
//! Mishra, Nissim: Simulatable Auditing, PODS 2005. Xiao, Tao, Koudas: Transparent Anonymization: Thwarting
//! Adversaries Who Know the Algorithm, TODS 35(2), 2010. Cormode, Li, Li, Srivastava: Minimizing Minimality
//! and Maximizing Utility, VLDB 2010. Exchanging equal parts instead of computing what a failure tells is
//! ours.

mod blocks;
mod deal;
mod level;
mod near;
mod refine;
mod size;
#[cfg(test)]
mod tests;

use kohort_core::Ctx;
use kohort_models::KAnonymity;

use self::blocks::{Ground, blocks, kept_whole};
use self::deal::remainder;
use self::refine::refine;
use self::size::block_size;
use crate::Draw;
use crate::check::{Check, require_feasible};
use crate::merge_equal_cells::classes;
use crate::problem::Part;
use crate::{Algorithm, Candidate, Failure, Form, Problem, algorithm, anatomy};

/// Whether a method has a transparent mode: it publishes classes of rows, and shows the true sensitive values
/// of each.
pub fn can_be_transparent(algorithm: &dyn Algorithm) -> bool {
    let facts = algorithm.facts();
    facts.is_safe && !facts.masks_sensitive && !facts.is_averaged
}

/// Makes a transparent release of all rows, with blocks made by `algorithm`, in the form it publishes.
pub(crate) fn anonymize(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
) -> Result<Candidate, Failure> {
    require_feasible(problem)?;
    if algorithm.spec().id == anatomy::SPEC.id {
        // It looks at no quasi-identifier: any two rows of a group can be exchanged.
        return algorithm.anonymize(ctx, problem);
    }
    if algorithm.facts().is_full_domain {
        return level::anonymize(algorithm, ctx, problem);
    }
    in_blocks(algorithm, ctx, problem, (block_size(problem), MANY))
}

/// Why there is none.
const UNKEPT: &str = "rows that were chosen without a look at sensitive values do not keep every promise, and no \
                      others may be chosen after such a look";

/// Fewer blocks of a size than this are taken apart.
const MANY: usize = 64;

/// The share of the time that clustering all rows may take; the others are clustered again in the rest of it.
const FIRST: f64 = 0.85;

/// Steps 1 to 3, with blocks of `b` rows, and of other sizes that `many` blocks have.
fn in_blocks(
    algorithm: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    (b, many): (usize, usize),
) -> Result<Candidate, Failure> {
    let mut draw = Draw::hidden(problem.settings().secret.0);
    let rows = in_random_ties(problem, &mut draw);
    let ground = Ground::new(problem);
    let stop = || ctx.has_used(FIRST);
    let first = ctx.with_stop(&stop);
    let made = |part: &Part| made_blindly(algorithm, &first, problem, part, b);
    let (mut of_size, mut left) = kept_whole(&ground, &rows, (b, many), &mut draw, made)?;
    let apart = remainder(problem, b, &mut left, &mut draw);
    let made = |part: &Part| made_blindly(algorithm, ctx, problem, part, b);
    if !left.is_empty() {
        of_size.entry(b).or_default().extend(blocks(&ground, left, b, made)?);
    }
    let mut check = Check::new(problem);
    if !apart.is_empty() && !check.holds(&apart) {
        return Err(Failure::infeasible(UNKEPT));
    }
    let mut groups = Vec::new();
    for (_, blocks) in of_size {
        let Some(classes) = refine(problem, &ground, blocks, &mut draw) else {
            return Err(Failure::infeasible(UNKEPT));
        };
        groups.extend(classes);
    }
    groups.extend(Some(apart).filter(|apart| !apart.is_empty()));
    let candidate = Candidate::of_groups(problem, &groups);
    let is_monotone = problem.promises().is_monotone();
    if !is_monotone && !classes(problem, &candidate).iter().all(|rows| check.holds(rows)) {
        return Err(Failure::infeasible(
            "classes that show the same cells do not keep every promise together, and none may be mended \
             without telling something about its values",
        ));
    }
    Ok(if algorithm.facts().is_anatomized { candidate.anatomized() } else { candidate })
}

/// The rows in the order of their quasi-identifiers, equal ones in random order: the order of the table may
/// tell something about the sensitive values.
fn in_random_ties(problem: &Problem<'_>, draw: &mut Draw) -> Vec<u32> {
    let points = problem.points();
    let mut rows = Vec::with_capacity(problem.n_rows());
    for point in 0..points.len() {
        let mut equal = points.rows(point).to_vec();
        equal.sort_unstable();
        draw.shuffle(&mut equal);
        rows.extend(equal);
    }
    rows
}

/// The classes of b rows or more that the algorithm makes of these rows, or `auto` where it is for
/// sensitive values alone. There is no sensitive attribute in what it sees.
fn made_blindly(
    wanted: &dyn Algorithm,
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    part: &Part,
    b: usize,
) -> Result<Vec<u32>, Failure> {
    let promise = KAnonymity::new(b as u64)?;
    let blind = problem.blind(part, promise);
    let is_usable = |made: &Candidate| matches!(made.form, Form::Generalized);
    let made = wanted.anonymize(ctx, &blind).ok().filter(is_usable);
    match (made, algorithm("auto")) {
        (Some(made), _) => Ok(made.group_of_row),
        (None, Some(auto)) => Ok(auto.anonymize(ctx, &blind)?.group_of_row),
        (None, None) => Err(Failure::infeasible("no algorithm forms blocks")),
    }
}
