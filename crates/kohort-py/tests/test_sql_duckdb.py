"""The statements of `kohort.sql` on DuckDB: every figure is that of the diagnosis."""

from __future__ import annotations

import math
import random
from typing import Any

import duckdb
import polars as pl
import pytest

import kohort as kh

QUASI = ["a", "select", "q1"]
NAMES = {"text": "ill'ness", "number": "v"}


def drawn(seed: int) -> pl.DataFrame:
    """A small table with missing values below its first row, and names that the statements use themselves."""
    rng = random.Random(seed)
    rows = rng.randrange(60)

    def column(values: list[Any]) -> list[Any]:
        below = [None if rng.randrange(6) == 0 else rng.choice(values) for _ in range(rows)]
        return [rng.choice(values), *below]

    return pl.DataFrame(
        {
            "a": column(["red", "it's", "\\x"]),
            "select": column([1, 2, 10][: rng.randrange(1, 4)]),
            "q1": column(["x", "y"]),
            "ill'ness": column(["flu", "o'hara", "cold", "gout"]),
            "v": column([9, 10, -3, 0]),
        },
        schema={"a": pl.String, "select": pl.Int64, "q1": pl.String, "ill'ness": pl.String, "v": pl.Int64},
    )


def answers(frame: pl.DataFrame, **asked: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    """What DuckDB gives for each statement, by its comment."""
    text = kh.sql(frame, dialect="duckdb", table="people", quasi=QUASI, sensitive=list(NAMES.values()), **asked)
    database = duckdb.connect()
    database.execute("""CREATE TABLE people ("a" TEXT, "select" BIGINT, "q1" TEXT, "ill'ness" TEXT, "v" BIGINT)""")
    database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", frame.rows())
    found = []
    for block in text.strip().split("\n\n"):
        about, _, statement = block.partition("\n")
        if not statement:
            continue
        result = database.execute(statement)
        names = [column[0] for column in result.description or []]
        found.append((about.removeprefix("-- "), [dict(zip(names, row, strict=True)) for row in result.fetchall()]))
    return found


def close(found: Any, expected: Any) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_levels_of_a_table(seed: int) -> None:
    frame = drawn(seed)
    levels = [kh.k_anonymity(2), kh.distinct_l_diversity(2, of="v"), kh.t_closeness(0.3, of="ill'ness")]
    expected = kh.diagnose(frame, levels=levels, quasi=QUASI, sensitive=list(NAMES.values())).to_dict()
    known = {"k": "k", "classes": "classes", "distinct_ratio": "distinct_ratio", "separation_ratio": "separation_ratio"}
    judged = []
    for about, rows in answers(frame, levels=levels):
        if about.startswith("whether "):
            judged.append((rows[0]["holds"], rows[0]["violating_classes"], rows[0]["violating_rows"]))
        elif about.startswith("k, the number"):
            assert all(close(rows[0][name], expected[field]) for name, field in known.items())
        elif about.startswith("the number of classes"):
            assert rows == expected["class_sizes"]
        elif about.startswith("rows that each column"):
            uniques = expected["uniques"]["by_column"] + expected["uniques"]["by_pair"]
            counts = {", ".join(one["attributes"]): one["rows"] for one in uniques}
            assert {row["attributes"]: row["rows_unique"] for row in rows} == counts
        elif " of `" in about:
            name = about.split(" of `")[1].rstrip("`")
            [sensitive] = [one for one in expected["sensitive"] if one["attribute"] == name]
            [row] = rows
            for column, value in row.items():
                if column == "values_in_table":
                    assert value == sensitive["values"]
                elif column.startswith("c_for_l_") and column[-1].isdigit():
                    assert close(value, sensitive["recursive"][column[-1]])
                elif column.startswith("l_for_c_"):
                    assert value == sensitive["recursive_l"][column[-1]]
                elif column == "frequency_l":
                    assert close(value, sensitive["frequency_l_value"])
                elif not column.endswith(("_num", "_den")):
                    assert close(value, sensitive[column]), (about, column)
    goal = [(one["holds"], one["violating_classes"], one["violating_rows"]) for one in expected["goal"]]
    assert judged == goal


@pytest.mark.parametrize("seed", range(4))
def test_the_levels_of_every_subset(seed: int) -> None:
    frame = drawn(seed)
    expected = kh.diagnose(frame, subsets=True, quasi=QUASI, sensitive=list(NAMES.values())).to_dict()
    subsets = {", ".join(one["attributes"]): one for one in expected["subsets"]}
    seen = 0
    for about, rows in answers(frame, subsets=True):
        if about.startswith("k, the number") and about.endswith("every subset"):
            found = {row["attributes"]: (row["k"], row["classes"]) for row in rows}
            assert found == {name: (one["k"], one["classes"]) for name, one in subsets.items()}
            seen += 1
    assert seen == 1
