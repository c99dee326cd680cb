"""Tables that are too large for one machine: kohort on a Spark DataFrame.

`diagnose` and `verify` count by Spark SQL. `anonymize` cuts the rows into boxes by their quasi-identifiers, makes a
release of each box in a worker, and judges them together. No call brings rows to the driver; places of columns and
counts come there, as does each value of a quasi-identifier without the others.

It needs pyspark 4 with classic sessions, pyarrow and numpy, and this package on the workers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._api import _plan
from .._errors import DataError, PlanError, Rejected
from .._goals import Goal
from .._plan import Plan, PlanFields
from .._records import Record, Verdict
from . import _judge, _release
from ._types import refuse_missing, typed, with_nulls

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack


class Release:
    """A release that was made on Spark and judged."""

    def __init__(self, frame: DataFrame, plan: Plan, verdict: Verdict, made: _release.Made) -> None:
        #: The rows, in an order that tells nothing. Quasi-identifiers are texts. Without an `output`, Spark keeps them,
        #: or makes the same rows again where it has lost them.
        self.frame = frame
        self.plan = plan
        #: What the judge says, who does not know how the release was made.
        self.verdict = verdict
        self.rows_in: int = made.rows_in
        self.rows_out: int = made.rows_out
        #: How many parts the rows were cut into.
        self.boxes: int = made.boxes

    @property
    def verified(self) -> bool:
        """Whether the judge found every promise kept."""
        return bool(self.verdict)

    @property
    def suppressed(self) -> int:
        """The rows that are not in the release."""
        return self.rows_in - self.rows_out

    def __repr__(self) -> str:
        return f"{self.verdict!r}\n\n  {self.rows_out} of {self.rows_in} rows, made in {self.boxes} boxes"


def diagnose(
    frame: DataFrame, plan: Plan | None = None, *, levels: Goal | Sequence[Goal] = (), **fields: Unpack[PlanFields]
) -> Record:
    """What a table already guarantees and gives away, counted by Spark SQL.

    The figures have the names of the statements' columns: `k`, `classes`, `risk_max` and so on; those of a sensitive
    column are in `sensitive[column]`, and `holds` has an answer for each of the `levels` asked for.
    """
    plan = _plan(plan, {**fields})
    refuse_missing(frame, plan)
    goals = [levels] if isinstance(levels, Goal) else list(levels)
    sensitive = [name for name, role in plan.attributes.items() if role == "sensitive"]
    value: dict[str, Any] = {"sensitive": {name: {} for name in sensitive}, "holds": {}}
    for title, rows in _judge.answers(with_nulls(frame, plan), plan, goals):
        if title.startswith("whether "):
            value["holds"][title.removeprefix("whether ").removesuffix(" holds")] = rows[0]
        elif title.startswith("the number of classes of each size"):
            value["class_sizes"] = rows
        elif title.startswith("rows that each column"):
            value["uniques"] = rows
        else:
            about = next((name for name in sensitive if title.endswith(f"`{name}`")), None)
            (value if about is None else value["sensitive"][about]).update(rows[0])
    return Record(value)


def anonymize(
    frame: DataFrame,
    plan: Plan | None = None,
    *,
    output: str | None = None,
    rows_per_box: int = 50_000,
    secret: bytes | None = None,
    **fields: Unpack[PlanFields],
) -> Release:
    """Makes a release box by box, judges it as a whole, and hands it out.

    A box has at most some `rows_per_box`, and a worker needs memory for one box at a time. With an `output`, a folder
    of Parquet files appears there once it has been read back and judged. Tasks can be tried again: the same rows give
    the same bytes. Raises :class:`kohort.Rejected` where the judge refuses, and :class:`kohort.Infeasible` where a box
    cannot keep the goal.
    """
    plan = _plan(plan, {**fields})
    refuse_missing(frame, plan)
    _release.refuse(plan)
    if rows_per_box < 100:
        raise PlanError(f"`rows_per_box` must be at least 100, but is {rows_per_box}")
    columns = [f"`{name}`" for name in frame.columns if plan.attributes.get(name, "identifier") != "identifier"]
    for name in columns:
        if "." in name:
            raise DataError(f"column {name} has a point in its name, and pyspark gives no such column to a worker", "rename it")
    plan = typed(frame, plan)
    rows = with_nulls(frame.select(*columns), plan)
    made = _release.make(rows, plan, rows_per_box, os.urandom(32) if secret is None else secret)
    try:
        lost = _release.accounts(made)
        if lost:
            raise Rejected("; ".join(lost), None, tuple(lost))
        if output is None:
            verdict = _judge.verdict(made.public(), plan, rows).require()
            made.keep_released()
            return Release(made.public(), plan, verdict, made)
        with _release.staged(made.public(), output) as written:
            verdict = _judge.verdict(written, plan, rows).require()
        made.drop()
        return Release(frame.sparkSession.read.parquet(output), plan, verdict, made)
    except BaseException:
        made.drop()
        raise


def verify(
    release: DataFrame, plan: Plan | None = None, *, original: DataFrame | None = None, **fields: Unpack[PlanFields]
) -> Verdict:
    """Judges a release by counting: every promise about classes, and beside the `original` that no row is there twice,
    none was made up, and no more were suppressed than the plan allows.

    Whether a generalized cell covers the cell that it stands for is judged for each box when it is made, not here.
    """
    plan = _plan(plan, {**fields})
    rows = None
    if original is not None:
        refuse_missing(original, plan)
        rows = with_nulls(original, plan)
    return _judge.verdict(release, plan, rows)


__all__ = ["Release", "anonymize", "diagnose", "verify"]
