"""Spark's types as kohort reads them."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

from .._errors import DataError
from .._plan import Plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The texts that mean a missing value where a plan does not say which.
MISSING = ("NA", "N/A", "n/a", "?", "NULL", "null", "NaN")

#: The type of a column in a plan, and a value of it, by the name of Spark's type.
_TYPES: dict[str, tuple[str | None, Any]] = {
    **{name: ("integer", 1) for name in ("byte", "short", "integer", "long")},
    "float": ("decimal", 1.5),
    "double": ("decimal", 1.5),
    "decimal": ("decimal", decimal.Decimal("1.5")),
    "string": ("text", "a"),
    "boolean": (None, True),
    "date": ("date", datetime.date(2000, 1, 1)),
    "timestamp": (None, datetime.datetime(2000, 1, 1)),
    "timestamp_ntz": (None, datetime.datetime(2000, 1, 1)),
}


def _type(frame: DataFrame, column: str) -> tuple[str | None, Any]:
    name = frame.schema[column].dataType.typeName()
    if name not in _TYPES:
        raise DataError(f"column `{column}` is of type {name}, which is not read", "make it a text or a number first")
    return _TYPES[name]


def one_row(frame: DataFrame) -> Any:
    """A table of made-up values with the types of a frame."""
    import pyarrow as pa

    return pa.table({name: [_type(frame, name)[1]] for name in frame.columns})


def typed(frame: DataFrame, plan: Plan) -> Plan:
    """The plan with the types that Spark says: each part of the rows is read alike."""
    given = plan.to_dict().get("attributes", {})
    types = {}
    for column, attribute in given.items():
        found = _type(frame, column)[0]
        if found is not None and not (isinstance(attribute, dict) and "type" in attribute):
            types[column] = found
    return plan.replace(types=types) if types else plan


def with_nulls(frame: DataFrame, plan: Plan) -> DataFrame:
    """The frame with NULL for whatever means a missing value."""
    from pyspark.sql import functions as F

    tokens = ["", *(MISSING if plan.missing is None else plan.missing)]
    columns = []
    for name in frame.columns:
        column, kind = F.col(f"`{name}`"), frame.schema[name].dataType.typeName()
        if kind == "string":
            column = F.when(~F.trim(column).isin(tokens), column)
        elif kind in ("float", "double"):
            column = F.when(~F.isnan(column), column)
        columns.append(column.alias(name))
    return frame.select(*columns)


def refuse_missing(frame: DataFrame, plan: Plan) -> None:
    """Refuses a plan with a column that the frame has not."""
    import difflib

    for name in plan.attributes:
        if name not in frame.columns:
            near = difflib.get_close_matches(name, frame.columns, 1)
            hint = f"did you mean `{near[0]}`?" if near else "`frame.columns` lists them"
            raise DataError(f"no column `{name}` in the frame", hint)
