#!/usr/bin/env python3
"""The figures of Özalp 2017 as tables, from made-up students: see benches/README.md.

Usage: scripts/thesis-figures.py KOHORT [RECORDS] [PART,…]
KOHORT is the program, RECORDS the number of students (1,000), and the parts are those of PARTS (all).
"""
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from itertools import count
from math import comb
from pathlib import Path

KOHORT = str(Path(sys.argv[1]).resolve())
RECORDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
GENERALIZED = "clustree,clustree-greedy,ctoff,ctoff-greedy,dmiracle"
QUICK = "ctoff,ctoff-greedy,dmiracle"
ANATOMY = "tree-anatomy,vertex-anatomy"
GRADES = ["A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F"]


def students(folder, depth, records):
    """Makes students, and gives the plan."""
    name = f"s{depth}-{records}"
    plan = folder / name / "plan.toml"
    if not plan.exists():
        output = str(folder / name / "students.json")
        words = ["demo", "--data", "students", "--depth", str(depth), "--rows", str(records)]
        subprocess.run([KOHORT, *words, "-o", output], check=True, stderr=subprocess.DEVNULL)
    return plan


def with_rules(plan, m, p, grades=GRADES):
    """A plan in which every grade, or some, are discriminatory."""
    path = plan.with_name(f"rules-{m}-{p.replace('/', '-')}-{'-'.join(grades)}.toml")
    rule = '\n[[rules]]\nvalue = "{}"\nattribute = "courses[].grade"\nat-least = {}\nprobability = "{}"\n'
    path.write_text(plan.read_text() + "".join(rule.format(grade, m, p) for grade in grades))
    return path


def compare(plan, algorithms, levels, *more):
    """The cells of a comparison, by algorithm and l."""
    words = ["compare", str(plan), "--algorithms", algorithms, "--l", levels, "--suppression", "1", *more]
    run = subprocess.run(
        [KOHORT, *words, "--format", "json"], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    cells = json.loads(run.stdout)["cells"]
    return {(cell["algorithm"], cell["l"]): cell for cell in cells}


def figure(cell, name):
    """A figure of a cell as text."""
    if name == "seconds":
        return f"{cell['seconds']:.2f}"
    if cell["release"] is None:
        return "–"
    value = cell["release"]["metrics"].get(name)
    if value is None:
        return "–"
    return f"{value:.3f}" if name == "lm" else f"{value:.4f}" if name == "kl" else f"{value:.1f}"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def against_l(folder, title, depth, algorithms, figures):
    """Algorithms against l: a row for each algorithm and figure."""
    cells = compare(students(folder, depth, RECORDS), algorithms, "2,3,4,5")
    print(f"{title}\n")
    rows = []
    for name in figures:
        for algorithm in algorithms.split(","):
            rows.append([name, algorithm] + [figure(cells[algorithm, l], name) for l in (2, 3, 4, 5)])
    table(["figure", "algorithm", "l = 2", "3", "4", "5"], rows)


def figure_2_3(folder):
    figures = ["lm", "query_accuracy", "kl", "seconds"]
    against_l(folder, "Figures 2.3 and 2.6, *syntheticS* (three levels)", 3, QUICK, figures)


def clustree(folder):
    figures = ["lm", "query_accuracy", "kl", "seconds"]
    against_l(folder, "Figures 2.3 and 2.6, ClusTree as well", 3, GENERALIZED, figures)


def figure_2_4(folder):
    figures = ["lm", "query_accuracy", "kl", "seconds"]
    against_l(folder, "Figure 2.4, *syntheticT* (four levels)", 4, QUICK, figures)


def figure_2_5(folder):
    figures = ["lm", "query_accuracy", "kl", "seconds"]
    against_l(folder, "Figure 2.5, two levels as in the *real* data", 2, QUICK, figures)


def sizes(folder):
    """Against the number of records at l = 3."""
    counts = [RECORDS // 4, RECORDS // 2, RECORDS]
    found = [compare(students(folder, 3, n), QUICK, "3") for n in counts]
    print("Against the number of students, l = 3, three levels\n")
    rows = []
    for name in ["lm", "query_accuracy", "kl", "seconds"]:
        for algorithm in QUICK.split(","):
            rows.append([name, algorithm] + [figure(cells[algorithm, 3], name) for cells in found])
    table(["figure", "algorithm"] + [f"{n:,}" for n in counts], rows)


def rules(folder):
    """Suppression and query accuracy under rules about grades."""
    plan = students(folder, 3, RECORDS)
    names = ["suppression_accuracy", "query_accuracy", "kl", "seconds"]
    everything = {}
    for m, p in [(3, "1/4"), (3, "1/2"), (3, "3/4"), (3, "1"), (2, "3/4"), (4, "3/4"), (2, "1/2"), (4, "1/2")]:
        everything[m, p] = compare(with_rules(plan, m, p), ANATOMY, "2,3,4,5")
    by_p = [(3, p) for p in ("1/4", "1/2", "3/4", "1")]
    by_m = [(m, "3/4") for m in (2, 3, 4)]
    for title, settings in [("Figures 3.5 and 3.8: m = 3", by_p), ("Figures 3.6 and 3.9: p = 3/4", by_m)]:
        print(f"{title}\n")
        rows = []
        for name in names:
            for algorithm in ANATOMY.split(","):
                for m, p in settings:
                    cells = everything[m, p]
                    values = [figure(cells[algorithm, l], name) for l in (2, 3, 4, 5)]
                    rows.append([name, algorithm, f"{m}", p, *values])
        table(["figure", "algorithm", "m", "p", "l = 2", "3", "4", "5"], rows)
    print("Figures 3.7 and 3.10: l = 3\n")
    rows = []
    for name in names[:2]:
        for algorithm in ANATOMY.split(","):
            for m in (2, 3, 4):
                values = [figure(everything[m, p][algorithm, 3], name) for p in ("1/2", "3/4")]
                rows.append([name, algorithm, str(m), *values])
    table(["figure", "algorithm", "m", "p = 1/2", "3/4"], rows)


def families(folder):
    """Accuracy of the ten families of queries."""
    plan = students(folder, 3, RECORDS)
    columns = []
    for l, p in [(2, "1/2"), (3, "0.33"), (4, "1/4")]:
        cells = compare(with_rules(plan, 2, p), ANATOMY, str(l))
        columns += [(f"{kind}, l = {l}, p = {p}", cells[algorithm, l])
                    for algorithm, kind in (("tree-anatomy", "t-t"), ("vertex-anatomy", "v-v"))]
    print("Figures 3.11 to 3.13: query accuracy by family, m = 2\n")
    ids = sorted({key for _, cell in columns if cell["release"] for key in cell["release"]["metrics"]
                  if key.startswith("query_accuracy.")})
    rows = [[key.split(".", 1)[1], *(figure(cell, key) for _, cell in columns)] for key in ids]
    table(["family"] + [name for name, _ in columns], rows)


def one_rule(folder):
    """Suppression accuracy under a rule about one grade: a rare one, and a frequent one."""
    plan = students(folder, 3, RECORDS)
    people = [[course["grade"] for course in person["courses"]]
              for person in json.loads(plan.with_name("students.json").read_text())]
    grades = sorted(GRADES, key=lambda grade: sum(person.count(grade) for person in people))
    print("Suppression accuracy under a rule about one grade\n")
    rows = []
    for grade in (grades[len(grades) // 3], grades[-1]):
        mean = sum(person.count(grade) for person in people) / len(people)
        for m, p in [(2, "1/4"), (2, "1/2"), (3, "1/4"), (3, "1/2"), (3, "3/4")]:
            cells = compare(with_rules(plan, m, p, [grade]), ANATOMY, "2,3,4")
            for algorithm in ANATOMY.split(","):
                values = [figure(cells[algorithm, l], "suppression_accuracy") for l in (2, 3, 4)]
                rows.append([f"{grade} ({mean:.1f} each)", str(m), p, algorithm, *values])
    table(["grade", "m", "p", "algorithm", "l = 2", "3", "4"], rows)


def most_lists(l, m, p):
    """The most lists of l values that may have a value once: eta."""
    tail = lambda n: sum(comb(n, j) * (l - 1) ** (n - j) for j in range(m, n + 1))
    return next(n for n in count(1) if Fraction(tail(n), l**n) > p) - 1


def bounds(folder):
    """What groups of l can keep of the courses at most, whichever they are, when every grade has a rule."""
    plan = students(folder, 3, RECORDS)
    people = [[course["grade"] for course in person["courses"]]
              for person in json.loads(plan.with_name("students.json").read_text())]
    n, total = len(people), sum(map(len, people))
    print("The most courses that any groups of l keep under the rules, in %\n")
    rows = []
    for m, p in [(3, "1/4"), (3, "1/2"), (3, "3/4"), (2, "3/4"), (4, "3/4")]:
        of_trees, of_lists = [], []
        for l in (2, 3, 4, 5):
            eta, free = most_lists(l, m, Fraction(p)), int(Fraction(p) * l)
            trees = lists = 0
            for grade in GRADES:
                counts = sorted((person.count(grade) for person in people), reverse=True)
                lists += min(sum(counts), eta * n // l)
                free_people = free * n // l
                trees += sum(counts[:free_people]) + sum(min(c, m - 1) for c in counts[free_people:])
            of_trees.append(f"{100 * trees / total:.1f}")
            of_lists.append(f"{100 * lists / total:.1f}")
        rows += [["t-t", str(m), p, *of_trees], ["v-v", str(m), p, *of_lists]]
    table(["form", "m", "p", "l = 2", "3", "4", "5"], rows)


def partitions(folder):
    """Time and what is kept by the number of partitions, without rules."""
    plan = students(folder, 3, RECORDS)
    numbers = (1, 2, 5, 10, 20)
    found = [compare(plan, ANATOMY, "3", "--partitions", str(n)) for n in numbers]
    print("Figures 3.15 and 3.16: by number of partitions, l = 3, without rules\n")
    rows = []
    for name in ["suppression_accuracy", "query_accuracy", "seconds"]:
        for algorithm in ANATOMY.split(","):
            rows.append([name, algorithm] + [figure(cells[algorithm, 3], name) for cells in found])
    table(["figure", "algorithm"] + [str(n) for n in numbers], rows)


def gain(folder):
    """Anatomy against generalization, without rules."""
    cells = compare(students(folder, 3, RECORDS), f"ctoff,{ANATOMY}", "2,3,4,5")
    print("Figure 3.14: query accuracy gained over generalization (ctoff), in points, without rules\n")
    rows = []
    for algorithm in ANATOMY.split(","):
        gains = []
        for l in (2, 3, 4, 5):
            value = lambda name: cells[name, l]["release"]["metrics"]["query_accuracy"]
            gains.append(f"{value(algorithm) - value('ctoff'):+.1f}")
        rows.append([algorithm, *gains])
    table(["algorithm", "l = 2", "3", "4", "5"], rows)


PARTS = {"gain": gain, "rules": rules, "one-rule": one_rule, "bounds": bounds, "families": families,
         "partitions": partitions, "2.5": figure_2_5, "2.4": figure_2_4,
         "sizes": sizes, "2.3": figure_2_3, "clustree": clustree}

if __name__ == "__main__":
    chosen = sys.argv[3].split(",") if len(sys.argv) > 3 else list(PARTS)
    with tempfile.TemporaryDirectory() as place:
        for part in chosen:
            PARTS[part](Path(place))
