"""Frames in and out, by the Arrow PyCapsule interface. No frame library is imported that was not used already."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import _kohort
from ._errors import DataError, PlanError


def kind_of(frame: Any) -> str:
    """`polars`, `pandas`, `pyarrow` or `arrow`."""
    for cls in type(frame).__mro__:
        root = cls.__module__.partition(".")[0]
        if root in ("polars", "pandas", "pyarrow"):
            return root
    return "arrow"


def read(frame: Any, name: str, missing: Sequence[str] | None, roles: set[str] | None = None) -> _kohort.Table:
    """The table of a frame. `roles` are the columns that a plan names."""
    if isinstance(frame, _kohort.Table):
        return frame
    kind = kind_of(frame)
    if kind == "polars":
        frame = _of_polars(frame)
    if kind == "pandas":
        frame = _of_pandas(frame, roles)
    if isinstance(frame, (str, os.PathLike)):
        raise DataError(
            f"a frame is needed, but this is {type(frame).__name__}", "read the file first, as with `polars.read_csv`"
        )
    if not hasattr(frame, "__arrow_c_stream__"):
        raise DataError(
            f"a frame is needed, but this is {type(frame).__name__}",
            "pass a polars, pandas or pyarrow table, or anything that has `__arrow_c_stream__`",
        )
    return _kohort.Table(frame, name, None if missing is None else list(missing))


def _of_polars(frame: Any) -> Any:
    """A polars frame whose types Arrow has."""
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        kind = type(frame).__name__
        raise DataError(f"a frame is needed, but this is a polars {kind}", "use `to_frame()`" if kind == "Series" else None)
    for name, dtype in frame.schema.items():
        if dtype == pl.Object:
            raise DataError(f"column `{name}` has Python objects, which are not read", "make them texts or numbers first")
    for name in _without_arrow(frame.schema):
        try:
            frame = frame.with_columns(pl.col(name).cast(pl.String))
        except pl.exceptions.PolarsError:
            raise DataError(
                f"column `{name}` is of type {frame.schema[name]}, which is not read", "make it a smaller type, or a text"
            ) from None
    return frame


def _without_arrow(schema: Mapping[str, Any]) -> list[str]:
    """The columns whose type crosses as texts."""
    import polars as pl

    types = [getattr(pl, name) for name in ("Null", "Int128", "UInt128") if hasattr(pl, name)]
    return [name for name, dtype in schema.items() if dtype in types]


def _of_pandas(frame: Any, roles: set[str] | None) -> Any:
    """An Arrow table of a pandas frame, with the index where it has a role."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        kind = type(frame).__name__
        way = "use `series.to_frame()`" if isinstance(frame, pd.Series) else None
        raise DataError(f"a frame is needed, but this is a pandas {kind}", way)
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(
            "pandas hands over its tables by pyarrow, which is not installed", "pip install pyarrow"
        ) from None
    named = [name for name in frame.index.names if name is not None]
    if named and roles is not None:
        without = [str(name) for name in named if name not in roles]
        if without:
            raise PlanError(
                f"the index `{without[0]}` has no role",
                "give it one like a column, or leave it out with `df.reset_index(drop=True)`",
            )
    frame = frame.reset_index() if named else frame.reset_index(drop=True)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"two columns are named `{twice}`")
    columns = {}
    for column in frame.columns:
        if not isinstance(column, str):
            raise DataError(
                f"column names are texts, but `{column}` is {type(column).__name__}", "df.columns = df.columns.map(str)"
            )
        dtype = frame[column].dtype
        if isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype, pd.SparseDtype)) or dtype.kind == "m":
            # Arrow has none of them, or not as pandas shows them.
            raise DataError(f"column `{column}` is of type {dtype}, which is not read", f"df[{column!r}].astype(str)")
        try:
            columns[column] = pa.Array.from_pandas(frame[column])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, OverflowError):
            # The message of pyarrow shows a cell.
            raise DataError(
                f"column `{column}` has values of several kinds", f"make them one: df[{column!r}].astype(str)"
            ) from None
    return pa.table(columns)


def give(table: _kohort.Table, kind: str, like: Any = None) -> Any:
    """The table as a frame of a kind; untouched columns have the type that they have in `like`."""
    if kind == "polars":
        return _to_polars(table, like)
    if kind == "pandas":
        return _to_pandas(table, like)
    if kind == "pyarrow":
        import pyarrow as pa

        return pa.table(table)
    return table


def _to_polars(table: _kohort.Table, like: Any) -> Any:
    import polars as pl

    frame = pl.DataFrame(table)
    schema = like.collect_schema() if kind_of(like) == "polars" else {}
    for name in frame.columns:
        asked = schema.get(name)
        if isinstance(asked, pl.Enum) and frame.schema[name] != asked:
            # No category that stands in no row: it may be of somebody who was left out.
            shown = set(frame[name].cast(pl.String).unique())
            if shown - {None} <= set(asked.categories):
                kept = [category for category in asked.categories if category in shown]
                frame = frame.with_columns(pl.col(name).cast(pl.String).cast(pl.Enum(kept)))
    for name in _without_arrow({name: schema[name] for name in frame.columns if name in schema}):
        try:
            frame = frame.with_columns(pl.col(name).cast(schema[name]))
        except pl.exceptions.PolarsError:
            # It shows ranges.
            continue
    return frame


def _to_pandas(table: _kohort.Table, like: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    arrow = pa.table(table)
    frame = arrow.to_pandas()
    if kind_of(like) != "pandas":
        return frame
    index = [name for name in like.index.names if name is not None]
    source = like.reset_index() if index else like
    for name in frame.columns:
        if name not in source.columns:
            continue
        dtype = source[name].dtype
        if frame[name].dtype == dtype:
            continue
        if dtype == object:
            cells = arrow.column(name).to_pylist()
            frame[name] = pd.Series(cells, dtype=object)
            continue
        if isinstance(dtype, pd.CategoricalDtype):
            # No category that stands in no row: it may be of somebody who was left out.
            shown = set(frame[name].dropna().astype(dtype.categories.dtype, errors="ignore"))
            if shown <= set(dtype.categories):
                kept = [category for category in dtype.categories if category in shown]
                frame[name] = frame[name].astype(pd.CategoricalDtype(kept, dtype.ordered))
        elif _is_same_type(arrow.schema.field(name).type, source[name]):
            frame[name] = frame[name].astype(dtype)
    kept = [name for name in index if name in frame.columns]
    return frame.set_index(kept) if kept else frame


def _is_same_type(shown: Any, column: Any) -> bool:
    import pyarrow as pa

    return bool(shown == pa.Array.from_pandas(column.head(0)).type) or pa.types.is_large_string(shown)


def kind_in_use() -> str:
    """The frame library that the program has imported."""
    return next((name for name in ("polars", "pandas", "pyarrow") if name in sys.modules), "arrow")
