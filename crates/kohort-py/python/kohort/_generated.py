"""Goals, ids and settings. Made from the registries of the library by `generate.py`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._goals import Goal

#: Algorithms that make a release.
Algorithm = Literal["auto", "samarati", "datafly", "incognito", "optimal", "mondrian", "mondrian-relaxed", "top-down", "k-member", "oka", "two-phase-a", "two-phase-b", "hilbert", "bucket", "l-member", "anatomy", "msa-hilbert", "msa-search", "mdav", "sensitive-split", "additive-noise", "randomized-response", "rank-swapping", "msa-naive", "msa-as-quasi", "li-ye", "gal", "mmdcf", "mbf", "msdcf", "decomposition", "codip"]
#: What each of them promises.
ALGORITHMS: dict[str, str] = {
    "auto": "the smallest loss found in the available time, with a lower bound on what is possible",
    "samarati": "no combination of levels of smaller height keeps the promises",
    "datafly": "a combination of levels keeps the promises; a quick one, not the best",
    "incognito": "no level of the release can be lowered, and no minimal combination loses less",
    "optimal": "no combination of levels keeps the promises at a smaller loss",
    "mondrian": "classes are disjoint boxes, and rows with equal quasi-identifiers stay together",
    "mondrian-relaxed": "classes are of nearly equal size, and boxes may touch",
    "top-down": "each value of a column is published as the same cell in every row",
    "k-member": "small clusters of similar rows, grown one by one; slow on large tables",
    "oka": "clusters around centroids, made in one pass and then balanced; slow on large tables",
    "two-phase-a": "classes of k to 2k − 1 rows; large clusters are clustered again",
    "two-phase-b": "classes of k to 2k − 1 rows; large clusters are split in two",
    "hilbert": "classes are pieces of a line through the rows, cut at the least loss",
    "bucket": "no sensitive value fills more than 1/l of a class, at a small loss",
    "l-member": "no sensitive value fills more than 1/l of a class",
    "anatomy": "in no group has a sensitive value more than 1/l of the rows (an adversary who learns how values correlate with quasi-identifiers may guess better, as the attack `definetti` measures); membership in the table is not hidden",
    "msa-hilbert": "no value of any sensitive attribute fills more than 1/l of a class",
    "msa-search": "no value of any sensitive attribute fills more than 1/l of a class, at a small loss",
    "mdav": "every published row represents at least k rows; values are averages",
    "sensitive-split": "rows with a value declared high are in classes of at least k rows; all others are unprotected",
    "additive-noise": "numbers move by random amounts and keep their correlations; gives no k",
    "randomized-response": "any category may be random, and counts can be estimated; gives no k",
    "rank-swapping": "values of similar rank are swapped, and every column keeps its values; gives no k",
    "msa-naive": "every sensitive attribute by itself has l values in a class; no bound on a probability, and ruling out one value may disclose another attribute",
    "msa-as-quasi": "an adversary who knows all other sensitive values of a person is left with l values; no bound on a probability, and nearly all sensitive cells are masked",
    "li-ye": "the sensitive cells of a class cover l values, and are masked where they would not; no bound on a probability, and masked values are lost",
    "gal": "l sensitive values must be ruled out before a class discloses anything for certain; no bound on a probability",
    "mmdcf": "rows of a group share no sensitive value, which keeps l-mdiversity; membership in the table is not hidden",
    "mbf": "rows of a group share no sensitive value, which keeps l-mdiversity; membership in the table is not hidden",
    "msdcf": "rows of a group share no sensitive value, which keeps l-mdiversity; membership in the table is not hidden",
    "decomposition": "a group shows l values of each sensitive attribute, some of them noise; no bound on the probability of a true value, links between attributes are lost, and membership in the table is not hidden",
    "codip": "sensitive attributes that are not correlated are shuffled separately, with l values of each in a class; no bound on a probability, and links between attributes are lost",
}
#: Algorithms for nested records.
NestedAlgorithm = Literal["auto", "clustree", "clustree-greedy", "ctoff", "ctoff-greedy", "tree-anatomy", "vertex-anatomy", "tree-anatomy-first-fit", "vertex-anatomy-first-fit", "dmiracle", "each-table-alone", "universal-relation"]
#: What each of them promises.
NESTEDALGORITHMS: dict[str, str] = {
    "auto": "records of a class are published as one tree; the least loss found; with rules, the anatomy by tree or by vertex that keeps more vertices",
    "clustree": "records of a class are published as one tree, and expensive classes are tried again",
    "clustree-greedy": "records of a class are published as one tree, and expensive classes are tried again",
    "ctoff": "records of a class are published as one tree; one pass, in which every class is accepted",
    "ctoff-greedy": "records of a class are published as one tree; one pass, in which every class is accepted",
    "tree-anatomy": "nobody's sensitive values can be linked to the person with probability above 1/l, and the rules about occurrences hold; membership and the quasi-identifiers are not hidden",
    "vertex-anatomy": "nobody's sensitive values can be linked to the person or to one another with probability above 1/l, and the rules about occurrences hold; membership and the quasi-identifiers are not hidden",
    "tree-anatomy-first-fit": "nobody's sensitive values can be linked to the person with probability above 1/l, and the rules about occurrences hold; membership and the quasi-identifiers are not hidden",
    "vertex-anatomy-first-fit": "nobody's sensitive values can be linked to the person or to one another with probability above 1/l, and the rules about occurrences hold; membership and the quasi-identifiers are not hidden",
    "dmiracle": "records of a class are published as one tree, l-diverse at each of its vertices",
    "each-table-alone": "the rows of each table are k-anonymous and l-diverse without the others; people are not",
    "universal-relation": "the rows of the join of all tables are k-anonymous and l-diverse; people are not",
}
#: Methods for series.
Method = Literal["m-invariance", "rho-different", "e-equivalence", "bcf-anonymity", "xy-anonymity", "xy-linkability", "global-guarantee"]
#: What each of them promises.
METHODS: dict[str, str] = {
    "m-invariance": "over all releases, nobody's value is guessed with a probability above 1/m",
    "rho-different": "given all releases and how values follow one another, nobody's value at any release is believed with probability above rho; nor by any class of a single release",
    "e-equivalence": "over all releases, nobody's value is guessed with a probability above 1/m, and no two releases show that fewer than e people have the values of as many others",
    "bcf-anonymity": "where people only join, the forward, cross and backward counts of any two releases, class by class, leave at least k rows for everybody",
    "xy-anonymity": "in the join of the releases, whoever is looked up has at least k possible values",
    "xy-linkability": "in the join of the releases, nobody's value is found with more than the stated confidence",
    "global-guarantee": "over a planned number of releases, nobody is linked to having ever had a value with a probability above 1/l, where values change independently",
}
#: Measures of loss and utility.
Metric = Literal["ncp", "lm", "byun-il", "dm", "c-avg", "prec", "whd", "whd-beta", "kl", "kl-attribute", "suppressed", "class-size", "avre", "accuracy-majority", "accuracy-stump", "accuracy-cart", "accuracy-naive-bayes", "accuracy-logistic", "normalized-accuracy", "pmse", "correlation-difference", "total-variation", "jensen-shannon", "privacy-percent"]
#: What each of them promises.
METRICS: dict[str, str] = {
    "ncp": "the average share of its column that a published cell leaves open",
    "lm": "the average share of the other values of its column that a published cell admits",
    "byun-il": "the number of cells that, blanked completely, would lose as much",
    "dm": "for each row, the number of rows it cannot be distinguished from, summed",
    "c-avg": "how many times larger than necessary a class is, on average",
    "prec": "the share of the steps up the taxonomies that were not taken",
    "whd": "the number of cells that, blanked completely, would be as far from their values",
    "whd-beta": "the number of cells that, blanked completely, would be as far from their values",
    "kl": "how surprising the original is to somebody who believes the release, in nats per row",
    "kl-attribute": "how wrong counts of a column are when cells are read as evenly spread",
    "suppressed": "the share of people the release says nothing about",
    "class-size": "the median class size",
    "avre": "the relative error of counts of a few percent of the rows",
    "accuracy-majority": "how often a model trained on the release is right about people it has not seen",
    "accuracy-stump": "how often a model trained on the release is right about people it has not seen",
    "accuracy-cart": "how often a model trained on the release is right about people it has not seen",
    "accuracy-naive-bayes": "how often a model trained on the release is right about people it has not seen",
    "accuracy-logistic": "how often a model trained on the release is right about people it has not seen",
    "normalized-accuracy": "the share of what can be learned from the original that can be learned from the release",
    "pmse": "how well a simple model tells rows of the release from rows of the original",
    "correlation-difference": "how far correlations computed from the release are off",
    "total-variation": "the share of rows counted for a wrong value when cells are read as evenly spread",
    "jensen-shannon": "how many bits a value reveals about coming from the original or the release",
    "privacy-percent": "the percentage of taxonomy cells that were generalized away completely",
}
#: Attacks on a release.
Attack = Literal["prosecutor", "journalist", "marketer", "insensitive-columns", "homogeneity", "membership", "background-knowledge", "skewness", "similarity", "non-membership", "minimality", "re-execution", "suppression", "definetti", "elimination", "inference", "unsorted-matching", "complementary-release", "temporal", "record-linking", "value-association", "correspondence", "value-equivalence", "tuple-equivalence", "correlation"]
#: What each of them promises.
ATTACKS: dict[str, str] = {
    "prosecutor": "the record of a person who is known to be in the table is picked out",
    "journalist": "the record of a person of the population is picked out, without knowing whether the person is in the table",
    "marketer": "many records are linked with the right people at once",
    "insensitive-columns": "the record of a person is picked out by an adversary who also knows the columns published as they are",
    "homogeneity": "a sensitive value is read off a class that has little else",
    "membership": "whether a person of the population is in the table is found out",
    "background-knowledge": "a sensitive value is found by ruling out others",
    "skewness": "a value is much likelier in a class than in the table",
    "similarity": "the values of a class differ, but mean nearly the same",
    "non-membership": "ruling out a value of one sensitive attribute gives another away",
    "minimality": "knowing that rows had to be merged discloses what is in them",
    "re-execution": "running the method again tells which values lead to this release",
    "suppression": "people who are missing from the release have a value that is too frequent",
    "definetti": "patterns learned from all classes tell the members of one class apart",
    "elimination": "people who are not among the exact rows have a value of the others",
    "inference": "what is hidden is recovered from published columns by rules of a public table",
    "unsorted-matching": "the order of the rows shows which rows of two releases belong together",
    "complementary-release": "two releases of one table, joined, show more than either",
    "temporal": "the values that all releases over time allow are fewer than those of each",
    "record-linking": "releases with different columns, joined on what they share, single people out",
    "value-association": "the values that all releases allow a person are fewer than those that each allows",
    "correspondence": "rows of a person's class are ruled out by comparing releases",
    "value-equivalence": "people who join and leave between releases are shown to have equal values",
    "tuple-equivalence": "known equal values of some people show that others have equal values, too",
    "correlation": "knowing how values follow one another discloses more than any release alone",
}

def k_anonymity(k: int) -> Goal:
    """k-anonymity: nobody can be narrowed down to fewer than k rows by the quasi-identifiers

    k: the smallest class allowed (k ≥ 2)

    Sweeney 2002
    """
    return Goal("k-anonymity", k)


def distinct_l_diversity(l: float, *, of: str | None = None) -> Goal:
    """distinct l-diversity: every class has at least l different sensitive values

    l: the smallest number of different values (l ≥ 2)
    of: The sensitive attribute; all by default.

    Machanavajjhala et al. 2007
    """
    return Goal("distinct-l-diversity", {"l": l, "attribute": of})


def frequency_l_diversity(l: float, *, of: str | None = None) -> Goal:
    """frequency l-diversity: whoever finds a person's class guesses the sensitive value with probability at most 1/l

    l: one over the largest share a value may have in a class (l > 1, whole or decimal)
    of: The sensitive attribute; all by default.

    Xiao and Tao 2006
    """
    return Goal("frequency-l-diversity", {"l": l, "attribute": of})


def entropy_l_diversity(l: float, *, of: str | None = None) -> Goal:
    """entropy l-diversity: the sensitive values of every class are as uncertain as l equally likely ones

    l: the number of equally likely values to be as uncertain as (l > 1, whole or decimal)
    of: The sensitive attribute; all by default.

    Machanavajjhala et al. 2007
    """
    return Goal("entropy-l-diversity", {"l": l, "attribute": of})


def recursive_cl_diversity(c: float, l: int, *, of: str | None = None) -> Goal:
    """recursive (c,l)-diversity: no value is c times as frequent as the ones from the l-th on together

    c: how much the most frequent value may dominate the rest (c > 0)
    l: the rank of the value from which the rest is counted (l ≥ 2)
    of: The sensitive attribute; all by default.

    Machanavajjhala et al. 2007
    """
    return Goal("recursive-cl-diversity", {"c": c, "l": l, "attribute": of})


def alpha_k_anonymity(alpha: float, k: int, *, of: str, values: Sequence[str] | None = None) -> Goal:
    """(alpha,k)-anonymity: nobody is found to have a chosen value with probability above alpha

    alpha: the largest share allowed (0 < alpha ≤ 1)
    k: the smallest class allowed (k ≥ 1)
    values: the values to protect (values of the attribute)
    of: The sensitive attribute.

    Wong et al. 2006
    """
    return Goal("alpha-k-anonymity", {"alpha": alpha, "k": k, "values": values, "attribute": of})


def p_sensitive_k_anonymity(p: int, k: int) -> Goal:
    """p-sensitive k-anonymity: every class has k rows and p different values of every sensitive attribute

    p: the smallest number of different values (p ≥ 2)
    k: the smallest class allowed (k ≥ p)

    Truta and Vinay 2006
    """
    return Goal("p-sensitive-k-anonymity", {"p": p, "k": k})


def l_pdiversity(l: int) -> Goal:
    """l-pdiversity: whoever finds a person's class guesses each sensitive value with probability at most 1/l

    l: one over the largest share a value of any sensitive attribute may have in a class (l ≥ 2)

    Abdalaal 2012, Definition 3
    """
    return Goal("l-pdiversity", l)


def l_mdiversity(l: int) -> Goal:
    """l-mdiversity: an adversary who can rule out i sensitive values in a class guesses none with probability above 1/(l − i)

    l: one over the largest probability of a value when nothing is ruled out (l ≥ 2)

    Abdalaal 2012, Definition 5
    """
    return Goal("l-mdiversity", l)


def lkc_privacy(l: int, k: int, c: float, *, of: str, values: Sequence[str] | None = None) -> Goal:
    """LKC-privacy: an adversary who knows at most l columns finds at least k rows, and no listed value with probability above c

    l: the most columns that the adversary knows (l ≥ 1)
    k: the smallest class allowed (k ≥ 1)
    c: the largest share allowed (0 < c ≤ 1)
    values: the values to protect (values of the attribute; every one when left out)
    of: The sensitive attribute.

    Mohammed et al. 2009
    """
    return Goal("lkc-privacy", {"l": l, "k": k, "c": c, "values": values, "attribute": of})


def sensitivity_classes(high: Sequence[str], alpha: float, *, of: str, l: float | None = None, l_low: float | None = None, low: Sequence[str] | None = None) -> Goal:
    """sensitivity classes: nobody is found to have a highly sensitive value with probability above alpha

    high: the highly sensitive values (values of the attribute)
    alpha: the largest share of high values together (0 < alpha ≤ 1)
    l: one over the largest share of one high value (l > 1, may be left out)
    l_low: one over the largest share of one low value (l-low > 1, may be left out)
    low: The values that are not highly sensitive. Where they are named, every other value counts as high;
        where they are left out, every value that is not high is low.
    of: The sensitive attribute.

    after Sharma et al.
    """
    return Goal("sensitivity-classes", {"high": high, "alpha": alpha, "l": l, "l-low": l_low, "low": low, "attribute": of})


def personalized_privacy(p: float, *, of: str, guards: Mapping[str, Any] | None = None, guard_column: str | None = None) -> Goal:
    """personalized privacy: nobody's value is found to lie under their guarding node with probability above p

    p: the largest share allowed (0 < p ≤ 1)
    guards: the node that must not be guessed for a person with that value (a node for each value to protect)
    guard_column: the column that names each row's guarding node (a sensitive column, instead of guards)
    of: The sensitive attribute.

    Xiao and Tao 2006
    """
    return Goal("personalized-privacy", {"p": p, "guards": guards, "guard-column": guard_column, "attribute": of})


def ke_anonymity(k: int, e: float, *, of: str) -> Goal:
    """(k,e)-anonymity: every class has at least k different numbers, and their range is at least e

    k: the smallest number of different values (k ≥ 2)
    e: the smallest range allowed (e ≥ 0)
    of: The sensitive attribute.

    Zhang et al. 2007
    """
    return Goal("ke-anonymity", {"k": k, "e": e, "attribute": of})


def epsilon_m_anonymity(epsilon: float, m: int, *, of: str, relative: bool | None = None) -> Goal:
    """(epsilon,m)-anonymity: nobody's number can be guessed to within epsilon with probability above 1/m

    epsilon: numbers at most this far apart count as the same; with `relative`, a share of the number (epsilon
        ≥ 0)
    m: one over the largest share that such numbers may have in a class (m ≥ 2)
    relative: Whether `epsilon` is a share of the number itself.
    of: The sensitive attribute.

    Li, Tao and Xiao 2008
    """
    return Goal("epsilon-m-anonymity", {"epsilon": epsilon, "m": m, "relative": relative, "attribute": of})


def t_closeness(t: float, *, of: str | None = None, distance: Literal["equal", "ordered", "hierarchical"] | None = None) -> Goal:
    """t-closeness: the values of every class are distributed as in the whole table, up to a distance of t

    t: the largest distance allowed (0 ≤ t ≤ 1)
    distance: how far apart two values are (equal, ordered or hierarchical)
    of: The sensitive attribute; all by default.

    Li, Li and Venkatasubramanian 2007
    """
    return Goal("t-closeness", {"t": t, "distance": distance, "attribute": of})


def basic_beta_likeness(beta: float, *, of: str | None = None) -> Goal:
    """basic beta-likeness: no value is more likely in a class than in the table by a factor above 1 + beta

    beta: the largest relative gain in probability allowed (beta > 0)
    of: The sensitive attribute; all by default.

    Cao and Karras 2012
    """
    return Goal("basic-beta-likeness", {"beta": beta, "attribute": of})


def enhanced_beta_likeness(beta: float, *, of: str | None = None) -> Goal:
    """enhanced beta-likeness: no value is more likely in a class than in the table by a factor above 1 + beta, and none becomes certain

    beta: the largest relative gain in probability allowed (beta > 0)
    of: The sensitive attribute; all by default.

    Cao and Karras 2012
    """
    return Goal("enhanced-beta-likeness", {"beta": beta, "attribute": of})


def delta_disclosure_privacy(delta: float, *, of: str | None = None) -> Goal:
    """delta-disclosure privacy: no class changes the probability of a value by a factor of 2^delta or more

    delta: the bound on the binary logarithm of the change in probability (delta > 0)
    of: The sensitive attribute; all by default.

    Brickell and Shmatikov 2008
    """
    return Goal("delta-disclosure-privacy", {"delta": delta, "attribute": of})


def delta_presence(min: float, max: float, public: str) -> Goal:
    """delta-presence: membership of the table stays uncertain for everyone in the public table

    min: the smallest share of members (0 ≤ min ≤ max)
    max: the largest share of members (min ≤ max ≤ 1)
    public: the people membership is judged among (a table)

    Nergiz, Atzori and Clifton 2007
    """
    return Goal("delta-presence", {"min": min, "max": max, "public": public})


def k_map(k: int, *, public: str | None = None, sampling_fraction: float | None = None, significance: float | None = None) -> Goal:
    """k-map: every released row is like at least k people of the population

    k: the fewest people of the population (k ≥ 2)
    public: the population (a table)
    sampling_fraction: in place of `public`: the share of the population that is in the table (0 < fraction ≤
        1)
    significance: the probability with which a class of fewer than k people may pass; 0.05 by default (0 <
        significance < 1)

    Sweeney 2002; El Emam and Dankar 2008
    """
    return Goal("k-map", {"k": k, "public": public, "sampling-fraction": sampling_fraction, "significance": significance})


def average_risk(p: float) -> Goal:
    """average re-identification risk: at most a share p of all people is linked with the right row

    p: the largest average risk (0 < p ≤ 1)

    Dankar and El Emam 2010
    """
    return Goal("average-risk", p)


def sample_uniqueness(p: float) -> Goal:
    """sample uniqueness: at most a share p of the rows are alone in their class

    p: the largest share of rows (0 ≤ p ≤ 1)

    Bethlehem, Keller and Pannekoek 1990
    """
    return Goal("sample-uniqueness", p)


def population_uniqueness(p: float, sampling_fraction: float) -> Goal:
    """population uniqueness: an estimated share of at most p of the population is alone in its class

    p: the largest estimated share of people (0 ≤ p ≤ 1)
    sampling_fraction: the share of the population that is in the table (0 < fraction ≤ 1)

    Dankar, El Emam, Neisa and Roffey 2012
    """
    return Goal("population-uniqueness", {"p": p, "sampling-fraction": sampling_fraction})


class MethodFields(TypedDict, total=False):
    """How a release is made: the `[method]` of a plan."""

    algorithm: Algorithm
    """The algorithm's id; `auto` by default."""
    allow_unsafe: bool
    """Whether to allow a method that does not keep the goal for everybody."""
    bounds: Literal["rounded", "exact"]
    """Whether the bounds of ranges are rounded outward to readable numbers and calendar units, or are the exact least and greatest value of a class; `rounded` by default."""
    budget: str
    """How long to search, such as `10s`; a time proportional to the table by default."""
    center: Literal["mean", "median"]
    """What replaces the numbers of a group in a microaggregated release."""
    form: Literal["generalized", "anatomized"]
    """Whether classes are generalized, or published with exact quasi-identifiers and sensitive values by group; depends on the algorithm by default."""
    keep: float
    """The share of cells that `randomized-response` keeps."""
    metric: str
    """The loss to minimize; `ncp` by default."""
    noise: float
    """The noise of `additive-noise`, as a share of each column's standard deviation."""
    numeric: Literal["exact", "taxonomy"]
    """Whether numeric columns are published as ranges, with exact bounds unless `bounds` says otherwise, or as nodes of their taxonomies."""
    partitions: int
    """The number of partitions for anatomies of nested records."""
    policy: Literal["least-loss", "relative-distance", "fewest-suppressed"]
    """Which combination of least height `samarati` takes; `least-loss` by default."""
    seed: int
    """The seed for randomness that hides nothing."""
    swap: float
    """The largest distance in rank of a swap by `rank-swapping`, as a share of all ranks."""
    tau: float
    """How much a row may enlarge a class in the relaxed phase of two-phase clustering."""
    transparent: bool
    """Whether promises about sensitive values hold against an adversary who knows the method; by default where the algorithm and the goal allow it."""


class OutputFields(TypedDict, total=False):
    """What a release looks like: the `[output]` of a plan."""

    anatomy: Literal["two-files", "one-file"]
    """Whether an anatomized release is two files or one."""
    suppressed: Literal["drop", "keep", "keep-values"]
    """Whether suppressed rows are dropped, kept with `*` in every column, or kept with their other values."""


class SeriesFields(TypedDict, total=False):
    """How a series goes on: the `[series]` of a plan."""

    confidence: float
    """The largest share that a value may have in a join (xy-linkability)."""
    correlations: str
    """How values follow one another: a CSV file with the columns `from`, `to` and `probability`, relative to the plan file."""
    e: int
    """The smallest number of people who may be shown to have the same values as equally many others (e-equivalence)."""
    horizon: int
    """The planned number of releases (global-guarantee; rho-different assumes ten by default, and makes smaller classes for fewer)."""
    k: int
    """The smallest number of rows (bcf-anonymity) or values (xy-anonymity) that comparing releases leaves."""
    key: str
    """The column that identifies people, the same for a person in every release."""
    l: int
    """1/l is the largest probability of ever having had a value (global-guarantee)."""
    ledger: str
    """The ledger, relative to the plan file; `kohort.ledger` by default."""
    m: int
    """The smallest number of values among which anybody's value is hidden (m-invariance, e-equivalence)."""
    method: Method | Literal["auto"]
    """The method's id; by default `auto`, which looks at what changed."""
    most_counterfeits: int
    """The most counterfeits that rho-different puts into a class; none by default. With the originals, `verify` rejects rows that belong to nobody unless this allows them."""
    name: str
    """The name of the series."""
    rho: float
    """The highest belief allowed (rho-different)."""
    slack: float
    """The share of rho that rho-different aims at, so that later releases have room; one sixth by default."""
    surplus: Literal["hold-back", "counterfeits"]
    """What happens to people with a value that is too frequent among the new ones; by default they are held back."""


GOALS = ("k_anonymity", "distinct_l_diversity", "frequency_l_diversity", "entropy_l_diversity", "recursive_cl_diversity", "alpha_k_anonymity", "p_sensitive_k_anonymity", "l_pdiversity", "l_mdiversity", "lkc_privacy", "sensitivity_classes", "personalized_privacy", "ke_anonymity", "epsilon_m_anonymity", "t_closeness", "basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure_privacy", "delta_presence", "k_map", "average_risk", "sample_uniqueness", "population_uniqueness")
METHOD = frozenset(MethodFields.__annotations__)
OUTPUT = frozenset(OutputFields.__annotations__)

__all__ = [
    "ALGORITHMS",
    "ATTACKS",
    "Algorithm",
    "Attack",
    "METHODS",
    "METRICS",
    "Method",
    "Metric",
    "NESTEDALGORITHMS",
    "NestedAlgorithm",
    "alpha_k_anonymity",
    "average_risk",
    "basic_beta_likeness",
    "delta_disclosure_privacy",
    "delta_presence",
    "distinct_l_diversity",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "epsilon_m_anonymity",
    "frequency_l_diversity",
    "k_anonymity",
    "k_map",
    "ke_anonymity",
    "l_mdiversity",
    "l_pdiversity",
    "lkc_privacy",
    "p_sensitive_k_anonymity",
    "personalized_privacy",
    "population_uniqueness",
    "recursive_cl_diversity",
    "sample_uniqueness",
    "sensitivity_classes",
    "t_closeness",
]
