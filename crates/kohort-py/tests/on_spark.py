"""kohort on Spark, with two workers on this machine: `scripts/test-spark`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import kohort as kh
import kohort.spark as ks
from kohort.spark import _boxes

SECRET = bytes(range(32))
# Workers are of the environment of the tests.
os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(os.environ.get("KOHORT_SPARK", "local[2]")).appName("kohort")
    for name, value in {
        "spark.sql.shuffle.partitions": 4, "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1", "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.log.level": "ERROR",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def local() -> pl.DataFrame:
    return kh.demo("hospital", rows=12_000).frame.with_columns(pl.col("zip").cast(pl.String))


@pytest.fixture(scope="session")
def table(spark: SparkSession, local: pl.DataFrame) -> DataFrame:
    frame = spark.createDataFrame(local.to_arrow())
    return frame.repartition(5).persist()


@pytest.fixture(scope="session")
def plan() -> kh.Plan:
    return kh.Plan(
        quasi={"age": kh.widths(5, 10, 20), "zip": kh.mask(), "sex": None}, sensitive="disease", identifiers="name",
        goal=[kh.k_anonymity(5), kh.frequency_l_diversity(2, of="disease")], suppression=0.02, seed=7,
    )


@pytest.fixture(scope="session")
def release(table: DataFrame, plan: kh.Plan) -> ks.Release:
    return ks.anonymize(table, plan, rows_per_box=3_000, secret=SECRET)


def levels(release: Any) -> tuple[int, float]:
    """k and the frequency l, counted by another engine."""
    (found,) = duckdb.sql(
        "select min(n), min(n / m) from (select sum(c) n, max(c) m from "
        "(select age, zip, sex, count(*) c from release group by age, zip, sex, disease) group by age, zip, sex)"
    ).fetchall()
    return found


def test_a_release_keeps_its_promises(release: ks.Release, local: pl.DataFrame, plan: kh.Plan) -> None:
    shown = release.frame.toArrow()
    assert release.verified and release.boxes >= 4
    assert shown.column_names == ["age", "sex", "zip", "disease"]
    assert shown.num_rows == release.rows_out and local.height - release.rows_out <= 0.02 * local.height
    k, l = levels(shown)  # noqa: E741
    assert k >= 5 and l >= 2
    # The judge of one machine looks at every cell.
    verdict = kh.verify(shown, plan, original=local.with_columns(pl.col("age").cast(pl.Int64)))
    assert verdict, verdict


def test_boxes_lose_little_more_than_the_whole(spark: SparkSession) -> None:
    quasi = ["age", "education", "marital-status", "sex", "race", "workclass"]
    local = kh.demo("census", rows=20_000).frame.select(*quasi, "salary-class")
    whole = kh.anonymize(local, quasi=quasi, insensitive="salary-class", k=5)
    made = ks.anonymize(spark.createDataFrame(local.to_arrow()), whole.plan, rows_per_box=5_000)
    loss = kh.verify(made.frame.toArrow(), whole.plan, original=local).original.metrics["ncp"]
    assert made.boxes >= 4 and loss <= 1.03 * whole.receipt.loss, (made.boxes, loss, whole.receipt.loss)


def test_the_same_rows_in_any_order_give_the_same_bytes(table: DataFrame, release: ks.Release, plan: kh.Plan) -> None:
    other = table.orderBy(F.rand()).repartition(3)
    again = ks.anonymize(other, plan, rows_per_box=3_000, secret=SECRET)
    assert again.frame.toArrow().equals(release.frame.toArrow())


def test_an_order_tells_nothing_of_boxes(release: ks.Release) -> None:
    ages = release.frame.toArrow()["age"].to_pylist()
    runs = 1 + sum(a != b for a, b in zip(ages, ages[1:]))
    assert runs > len(ages) / 3


def test_a_diagnosis_has_the_local_figures(table: DataFrame, local: pl.DataFrame) -> None:
    roles: dict[str, Any] = {"quasi": ["age", "sex", "zip"], "sensitive": "disease"}
    found = ks.diagnose(table, levels=kh.k_anonymity(2), **roles)
    expected = kh.diagnose(local, **roles)
    assert (found.k, found.classes, found.n_rows) == (expected.k, expected.classes, expected.rows)
    assert [row.to_dict() for row in found.class_sizes] == [row.to_dict() for row in expected.class_sizes]
    own, local_own = found.sensitive["disease"], expected.sensitive[0]
    assert own.values_in_table == local_own["values"] and own.distinct_l == local_own.distinct_l
    assert own.entropy_l == pytest.approx(local_own.entropy_l) and own.t_equal == pytest.approx(local_own.t_equal)
    assert found.holds["2-anonymity"].holds is False


def test_the_judge_finds_what_an_engine_did(table: DataFrame, release: ks.Release, plan: kh.Plan) -> None:
    assert ks.verify(release.frame, plan, original=table)
    doubled = release.frame.union(release.frame.limit(2000))
    assert not ks.verify(doubled, plan, original=table)
    lost = release.frame.limit(release.rows_out - 600)
    assert any("suppressed" in reason for reason in ks.verify(lost, plan, original=table).reasons)
    raw = table.select("age", "sex", "zip", "disease")
    assert any("5-anonymity" in reason for reason in ks.verify(raw, plan).reasons)
    named = ks.verify(table.select("name", "age", "sex", "zip", "disease"), plan)
    assert any("names people" in reason for reason in named.reasons)
    made_up = release.frame.withColumn("disease", F.lit("no such disease"))
    assert any("of no row of the original" in reason for reason in ks.verify(made_up, plan, original=table).reasons)


def test_a_folder_appears_when_it_was_judged(spark: SparkSession, table: DataFrame, plan: kh.Plan, tmp_path: Any) -> None:
    output = tmp_path / "release"
    made = ks.anonymize(table, plan, rows_per_box=3_000, output=str(output))
    assert made.verified and pl.read_parquet(output / "*.parquet").height == made.rows_out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release"]
    with pytest.raises(kh.DataError, match="exists"):
        ks.anonymize(table, plan, rows_per_box=3_000, output=str(output))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release"]
    assert not spark.sparkContext._jsc.getPersistentRDDs().size() > 4  # type: ignore[attr-defined]


def test_skew_nulls_and_types(spark: SparkSession) -> None:
    n = 4_000
    rows = {
        "age": [None if i % 97 == 0 else 20 + i % 60 if i % 2 else 40 for i in range(n)],
        "weight": [float("nan") if i % 101 == 0 else 50 + (i * 7 % 400) / 10 for i in range(n)],
        "job": ["clerk" if i % 3 else ["nurse", "?", ""][i // 3 % 3] for i in range(n)],
        "ward": [i % 5 for i in range(n)],
    }
    local = pl.DataFrame(rows, strict=False)
    table = spark.createDataFrame(local.to_arrow())
    jobs = kh.tree({"office": ["clerk"], "clinic": ["nurse"]})
    made = ks.anonymize(table, quasi={"age": None, "weight": None, "job": jobs}, insensitive="ward", k=4, rows_per_box=500)
    shown = made.frame.toArrow()
    assert made.rows_out == n and str(shown.schema.field("ward").type) == "int64"
    assert kh.verify(shown, made.plan, original=local), kh.verify(shown, made.plan, original=local)


def test_names_and_times(spark: SparkSession) -> None:
    rows = spark.range(400).select(
        (F.col("id") % 40).alias("age {now}"), F.timestamp_seconds("id").alias("seen"), F.lit("x").alias("a.b")
    )
    made = ks.anonymize(rows, quasi="age {now}", k=5)
    assert made.verified and made.frame.columns == ["age {now}"]
    with pytest.raises(kh.DataError, match="`a.b` has a point"):
        ks.anonymize(rows, quasi="age {now}", insensitive="a.b", k=5)
    with pytest.raises(kh.DataError, match="`seen` is a time"):
        ks.anonymize(rows, quasi=["age {now}", "seen"], k=5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"k": 5, "goal": kh.t_closeness(0.3, of="disease")}, "t-closeness"),
        ({"k": 5, "budget": "5s"}, "budget"),
        ({"k": 5, "algorithm": "incognito"}, "incognito"),
        ({"k": 5, "quasi": "agee"}, "agee"),
        ({}, "nothing is promised"),
        ({"k": 5, "rows_per_box": 10}, "rows_per_box"),
    ],
)
def test_what_boxes_do_not_keep_is_refused(table: DataFrame, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(kh.KohortError, match=message):
        ks.anonymize(table, **{"quasi": "age", "sensitive": "disease", **fields})


def test_what_is_out_of_reach_is_infeasible(table: DataFrame) -> None:
    with pytest.raises(kh.Infeasible):
        ks.anonymize(table, quasi=["age"], sensitive="disease", frequency_l=1000)


def test_the_guide_runs(spark: SparkSession, tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "guide" / "spark.md"
    (block,) = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.S)
    # Relative paths are Spark's, not those of this process.
    block = block.replace('"release"', repr(str(tmp_path / "release")))
    exec(compile(block, str(guide), "exec"), {})  # noqa: S102
    assert list((tmp_path / "release").glob("*.parquet"))


def test_boxes_are_joined_until_each_is_enough() -> None:
    import numpy as np

    places = np.asarray([[at % 16, at // 16] for at in range(256)])
    tree = _boxes.cut(places, np.full(256, 10), most=100, least=40)
    numbers = _boxes.boxes_of(tree, places)
    sizes = np.bincount(numbers) * 10
    assert len(sizes) > 20 and sizes.min() >= 40 and sizes.max() <= 100
    for leaf in tree.leaves():
        leaf.counts = {("", None): int(sizes[leaf.number])}
    _boxes.join(tree, lambda counts: counts[("", None)] >= 150)
    joined = np.bincount(_boxes.boxes_of(tree, places)) * 10
    assert joined.min() >= 150 and joined.sum() == 2560 and len(joined) < len(sizes)


def test_places_keep_the_order_of_values() -> None:
    order = _boxes.Order.of({value: 1 for value in range(10_000)})
    places = order.places([None, *range(10_000), -5, 20_000, float("nan")])
    assert places[0] == 0 and places[-1] == 0 and len(set(places)) <= _boxes.PLACES + 1
    assert list(places[1:10_001]) == sorted(places[1:10_001]) and places[-3] == 1 and places[-2] == places[10_000]
    tree = _boxes.Order.of({"b": 3, "a": 1, "z": 2}, ["z", "a", "b"])
    assert [tree.place(value) for value in "zab"] == [1, 2, 3] and tree.place("unknown") >= 3
