"""Every type of a column, in and out: what is not generalized comes back as it was."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kohort as kh

N = 12
DAYS = [datetime.date(2020, 1, 1 + i) for i in range(N)]
TIMES = [datetime.datetime(2020, 1, 1, i) for i in range(N)]
NUMBERS = [None, *range(1, N)]
TEXTS = ["a", None, "b"] * 4

ARROW = {
    **{str(t): pa.array(NUMBERS, t) for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{str(t): pa.array(NUMBERS, t) for t in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
    "ends of int64": pa.array([2**63 - 1, -(2**63)] * 6),
    "end of uint64": pa.array([2**64 - 1, 0] * 6, pa.uint64()),
    "float": pa.array([0.1, float("nan"), None] * 4, pa.float32()),
    "double": pa.array([0.1, float("nan"), None, -0.0, float("inf"), 1e300] * 2),
    "decimal128": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal(-2)] * 4, pa.decimal128(10, 2)),
    "decimal256": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal(-2)] * 4, pa.decimal256(50, 2)),
    "string": pa.array(["", *TEXTS[1:]]),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "dictionary of large strings": pa.array(TEXTS).cast(pa.dictionary(pa.int8(), pa.large_string())),
    "dictionary of numbers": pa.array([1, 2, 2] * 4).dictionary_encode(),
    "bool": pa.array([True, False, None] * 4),
    "date32": pa.array(DAYS, pa.date32()),
    "date64": pa.array(DAYS, pa.date64()),
    "time32": pa.array([datetime.time(i) for i in range(N)], pa.time32("s")),
    "time64": pa.array([datetime.time(i, 0, 0, 1) for i in range(N)], pa.time64("us")),
    **{f"timestamp {unit}": pa.array(TIMES, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    "timestamp with a zone": pa.array(TIMES, pa.timestamp("us", "Europe/Rome")),
    "timestamp with an offset": pa.array(TIMES, pa.timestamp("ms", "+05:30")),
    "null": pa.nulls(N),
}


def published(column: Any, frame: Any) -> Any:
    """The column `x` of a release in which it is insensitive."""
    release = kh.anonymize(frame, quasi="age", insensitive="x", k=3)
    assert kh.verify(release.frame, release.plan, original=frame), column
    return release.frame


def cells(values: Any) -> list[str]:
    return sorted(map(str, values))


@pytest.mark.parametrize("name", ARROW)
def test_arrow(name: str) -> None:
    table = pa.table({"age": list(range(N)), "x": ARROW[name]})
    shown = published(name, table)
    assert shown.schema.field("x").type == table.schema.field("x").type
    assert cells(shown["x"].to_pylist()) == cells(table["x"].to_pylist())
    # In pieces, and pieces of pieces.
    chunked = pa.concat_tables([table.slice(1, 5), table.slice(0, 7)])
    assert cells(published(name, chunked)["x"].to_pylist()) == cells(chunked["x"].to_pylist())


PANDAS: dict[str, Any] = {
    **{t: pd.Series(range(N), dtype=t) for t in ("int8", "int64", "uint64", "float32")},
    **{t: pd.array(NUMBERS, dtype=t) for t in ("Int8", "Int64", "UInt32", "Float64")},
    "float with NaN": [float("nan"), *[i / 3 for i in range(1, N)]],
    "bool": [True, False] * 6,
    "boolean": pd.array([True, None] * 6, dtype="boolean"),
    "texts": pd.Series(TEXTS),
    "texts as objects": pd.Series(TEXTS, dtype=object),
    "string": pd.array(TEXTS, dtype="string"),
    "categories": pd.Categorical(TEXTS),
    "ordered categories": pd.Categorical(["b", "a", None] * 4, categories=["b", "a"], ordered=True),
    "categories of numbers": pd.Categorical([1, 2] * 6),
    "datetime64": pd.Series(TIMES).astype("datetime64[s]"),
    "datetime64 with a zone": pd.Series(TIMES).astype("datetime64[ns]").dt.tz_localize("Europe/Rome"),
    "NaT": pd.Series([*TIMES[1:], None]),
    "dates": pd.Series(DAYS, dtype=object),
    "decimals": pd.Series([decimal.Decimal(i).quantize(decimal.Decimal("0.01")) for i in range(N)], dtype=object),
    "numbers as objects": pd.Series([1, None] * 6, dtype=object),
    "Arrow's int16": pd.array(NUMBERS, dtype=pd.ArrowDtype(pa.int16())),
    "Arrow's date32": pd.array(DAYS, dtype=pd.ArrowDtype(pa.date32())),
    "nothing": pd.Series([None] * N, dtype=object),
}


@pytest.mark.parametrize("name", PANDAS)
def test_pandas(name: str) -> None:
    frame = pd.DataFrame({"age": range(N), "x": PANDAS[name]})
    shown = published(name, frame)
    assert shown["x"].dtype == frame["x"].dtype
    assert cells(shown["x"].tolist()) == cells(frame["x"].tolist())


POLARS: dict[str, pl.Series] = {
    **{str(t): pl.Series(NUMBERS, dtype=t) for t in (pl.Int8, pl.Int64, pl.UInt8, pl.UInt64, pl.Float32, pl.Float64)},
    "NaN": pl.Series([float("nan"), None, 0.1] * 4),
    "Decimal": pl.Series([decimal.Decimal("1.50")] * N, dtype=pl.Decimal(10, 2)),
    "String": pl.Series(TEXTS),
    "Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "Enum": pl.Series(TEXTS, dtype=pl.Enum(["b", "a"])),
    "Boolean": pl.Series([True, None] * 6),
    "Date": pl.Series(DAYS),
    "Time": pl.Series([datetime.time(i) for i in range(N)]),
    "Datetime ms": pl.Series(TIMES, dtype=pl.Datetime("ms")),
    "Datetime with a zone": pl.Series(TIMES, dtype=pl.Datetime("ns", "UTC")),
    "Null": pl.Series([None] * N),
}


@pytest.mark.parametrize("name", POLARS)
def test_polars(name: str) -> None:
    frame = pl.DataFrame({"age": range(N), "x": POLARS[name]})
    shown = published(name, frame)
    assert shown.schema["x"] == frame.schema["x"]
    assert cells(shown["x"].to_list()) == cells(frame["x"].to_list())


def test_integers_of_128_bits() -> None:
    frame = pl.DataFrame({"age": range(N), "x": pl.Series([2**100 + i for i in range(N)], dtype=pl.Int128)})
    try:
        frame["x"].cast(pl.String)
    except pl.exceptions.InvalidOperationError:
        # Older releases of polars have no texts for them.
        with pytest.raises(kh.DataError, match="column `x` is of type Int128"):
            kh.anonymize(frame, quasi="age", insensitive="x", k=3)
        return
    shown = published("x", frame)
    assert shown.schema["x"] == pl.Int128 and cells(shown["x"].to_list()) == cells(frame["x"].to_list())


REFUSED: dict[str, Any] = {
    "a list": pl.DataFrame({"age": range(N), "x": [[1]] * N}),
    "a struct": pl.DataFrame({"age": range(N), "x": [{"a": 1}] * N}),
    "bytes": pl.DataFrame({"age": range(N), "x": [b"secret-cell"] * N}),
    "a duration": pl.DataFrame({"age": range(N), "x": [datetime.timedelta(1)] * N}),
    "a timedelta": pd.DataFrame({"age": range(N), "x": pd.to_timedelta(range(N), unit="s")}),
    "a period": pd.DataFrame({"age": range(N), "x": pd.period_range("2020", periods=N, freq="M")}),
    "an interval": pd.DataFrame({"age": range(N), "x": pd.interval_range(0, N)}),
    "a sparse column": pd.DataFrame({"age": range(N), "x": pd.arrays.SparseArray([0, 1] * 6)}),
    "objects": pd.DataFrame({"age": range(N), "x": [1, "secret-cell", object()] * 4}),
    "Arrow's list": pa.table({"age": list(range(N)), "x": [[1]] * N}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_text_is_refused_with_the_columns_name(name: str) -> None:
    with pytest.raises(kh.DataError, match="column `x`") as caught:
        kh.anonymize(REFUSED[name], quasi="age", insensitive="x", k=3)
    assert "secret-cell" not in str(caught.value) and caught.value.__cause__ is None


def test_a_quasi_identifier_keeps_its_type_where_nothing_was_generalized() -> None:
    frame = pl.DataFrame({"age": pl.Series([30, 40] * 6, dtype=pl.Int16), "sex": pl.Series(["f", "m"] * 6, dtype=pl.Enum(["f", "m"]))})
    assert kh.anonymize(frame, quasi=["age", "sex"], k=3).frame.schema == frame.schema


def test_an_index_of_pandas() -> None:
    days = pd.date_range("2020", periods=N, name="day")
    frame = pd.DataFrame({"age": range(N)}, index=days)
    shown = kh.anonymize(frame, quasi="age", insensitive="day", k=3).frame
    assert shown.index.name == "day" and shown.index.dtype == days.dtype
    several = frame.set_index(pd.MultiIndex.from_product([[1, 2], range(6)], names=["ward", "bed"]))
    assert kh.anonymize(several, quasi="age", insensitive=["ward", "bed"], k=3).frame.index.names == ["ward", "bed"]
    with pytest.raises(kh.PlanError, match="index `bed` has no role"):
        kh.anonymize(several, quasi="age", insensitive="ward", k=3)
    left_out = kh.anonymize(several, quasi="age", identifiers=["ward", "bed"], unit="row", k=3).frame
    assert list(left_out.columns) == ["age"] and left_out.index.names == [None]
