"""Against other packages: `pip install anjana pycanon anonypy`, then `python benches/peers.py adult.csv FOLDER`.

Adult at k = 5 with all nine columns of ARX's copy of it (`;` between cells), `occupation` being sensitive. FOLDER has
the taxonomies in ARX's layout, `*_COLUMN.csv`. The loss is the average share of its column that a published cell leaves
open (NCP), counted here from the cells that each package shows: the same way for all. anonypy shows sets of values, which
no taxonomy has: it is counted by its sets, and by the smallest group of the taxonomy around each of them, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import kohort as kh

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
SENSITIVE = "occupation"
K = 5


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = run()
    return time.perf_counter() - wall, time.process_time() - cpu, answer


def levels(folder: Path, column: str) -> pd.DataFrame:
    """A taxonomy: a row per value, a column per level."""
    file = next(folder.glob(f"*{column}.csv"))
    return pd.read_csv(file, sep=";", header=None, dtype=str)


class Loss:
    """The share of its column that a cell leaves open."""

    def __init__(self, df: pd.DataFrame, folder: Path) -> None:
        self.values = {name: set(df[name].astype(str)) for name in QUASI}
        self.low, self.high = float(df["age"].min()), float(df["age"].max())
        self.under: dict[str, dict[str, set[str]]] = {}
        for name in QUASI:
            groups: dict[str, set[str]] = {}
            for _, row in levels(folder, name).iterrows():
                for label in row[1:]:
                    groups.setdefault(str(label), set()).add(str(row[0]))
            self.under[name] = groups

    def cell(self, name: str, text: str) -> float:
        if text == "*":
            return 1.0
        if name == "age":
            bounds = text.strip("[]() ").replace(", ", "-").split("-")
            if len(bounds) == 2:
                close = 1.0 if text.endswith((")", "[")) else 0.0
                low, high = max(float(bounds[0]), self.low), min(float(bounds[1]) - close, self.high)
                return max(0.0, high - low) / (self.high - self.low)
            if text.replace(".", "").isdigit():
                return 0.0
        shown = set(text.strip("{}").replace(", ", ",").split(",")) if text not in self.under[name] else self.under[name][text]
        n = len(shown & self.values[name])
        return max(0, n - 1) / (len(self.values[name]) - 1)

    def in_groups(self, name: str, text: str) -> str:
        """The smallest group of the taxonomy around a set."""
        if name == "age" or "," not in text:
            return text
        values = set(text.split(","))
        around = [(len(group & self.values[name]), label) for label, group in self.under[name].items() if values <= group]
        return min(around)[1]

    def of(self, shown: pd.DataFrame, rows: int) -> float:
        """Over all rows of the original: what is left out is lost."""
        total = 0.0
        for name in QUASI:
            counts = shown[name].astype(str).value_counts()
            total += sum(n * self.cell(name, str(text)) for text, n in counts.items()) + (rows - len(shown))
        return total / (rows * len(QUASI))


def taxonomies_of(folder: Path) -> dict[str, kh.Taxonomy | None]:
    """Ages are published as ranges, as anonypy does."""
    found = {name: kh.arx_file(next(folder.glob(f"*{name}.csv")), ";") for name in QUASI}
    return {**found, "age": None}


def by_kohort(df: pd.DataFrame, folder: Path, **method: Any) -> pd.DataFrame:
    release = kh.anonymize(df, quasi=taxonomies_of(folder), sensitive=SENSITIVE, k=K, suppression=0.0, progress=False, **method)
    assert release.verified
    return release.to_pandas()


def by_kohort_mondrian(df: pd.DataFrame, folder: Path) -> pd.DataFrame:
    return by_kohort(df, folder, algorithm="mondrian")


def by_kohort_quickly(df: pd.DataFrame, folder: Path) -> pd.DataFrame:
    return by_kohort(df, folder, budget="0.2s")


def by_anonypy(df: pd.DataFrame, _: Path) -> pd.DataFrame:
    import anonypy

    given = df.copy()
    for name in df.columns:
        if name != "age":
            given[name] = given[name].astype("category")
    rows = pd.DataFrame(anonypy.Preserver(given, QUASI, SENSITIVE).anonymize_k_anonymity(k=K))
    # It shows a cell as a list of one text.
    rows[QUASI] = rows[QUASI].map(lambda cell: cell[0] if isinstance(cell, list) else str(cell))
    return rows.loc[rows.index.repeat(rows["count"])]


def by_anjana(df: pd.DataFrame, folder: Path) -> pd.DataFrame:
    from anjana.anonymity import k_anonymity

    given = df.astype({"age": str})
    hierarchies = {}
    for name in QUASI:
        table = levels(folder, name).set_index(0, drop=False)
        at = table.loc[given[name]]
        hierarchies[name] = {level: at[level].to_numpy() for level in table.columns}
    return k_anonymity(given, [], QUASI, K, 0, hierarchies)


def main() -> None:
    path, folder = Path(sys.argv[1]), Path(sys.argv[2])
    df = pd.read_csv(path, sep=";", dtype=str).astype({"age": int})[[*QUASI, SENSITIVE]]
    loss = Loss(df, folder)
    by_kohort_mondrian(df.head(500), folder)
    print(f"Adult, {len(df):,} rows, k = {K}, nothing left out by kohort and anjana\n")
    print(f"{'':22}{'wall s':>9}{'CPU s':>9}{'loss':>9}{'rows':>9}{'k':>5}")
    found = {}
    for name, run in [
        ("kohort, mondrian", by_kohort_mondrian), ("kohort, auto in 0.2 s", by_kohort_quickly), ("kohort, auto", by_kohort),
        ("anonypy, mondrian", by_anonypy), ("anjana", by_anjana),
    ]:
        try:
            wall, cpu, shown = timed(lambda run=run: run(df, folder))  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001
            print(f"{name:22} {type(error).__name__}: {str(error)[:120]}")
            continue
        k = int(shown.groupby(QUASI, observed=True).size().min())
        found[name] = (wall, loss.of(shown, len(df)))
        print(f"{name:22}{wall:9.2f}{cpu:9.2f}{found[name][1]:9.4f}{len(shown):9,}{k:5}", flush=True)
        if name.startswith("anonypy"):
            grouped = shown.copy()
            for column in QUASI:
                grouped[column] = grouped[column].map(lambda text, column=column: loss.in_groups(column, str(text)))
            print(f"{'  its sets in groups':22}{'':18}{loss.of(grouped, len(df)):9.4f}")
    from pycanon import anonymity

    small = ["sex", "age", "race"]
    wall, cpu, k = timed(lambda: (anonymity.k_anonymity(df, small), anonymity.l_diversity(df, small, [SENSITIVE]), anonymity.t_closeness(df, small, [SENSITIVE])))
    print(f"\n{'levels by pycanon':22}{wall:9.2f}{cpu:9.2f}   k, l, t = {k}")
    wall, cpu, answer = timed(lambda: kh.diagnose(df, quasi=small, sensitive=SENSITIVE, progress=False))
    own = answer.sensitive[0]
    print(f"{'levels by kohort':22}{wall:9.2f}{cpu:9.2f}   k, l, t = {(answer.k, own.distinct_l, own.t_equal)}")


if __name__ == "__main__":
    main()
