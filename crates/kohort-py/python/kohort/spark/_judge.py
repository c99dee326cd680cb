"""The judge of a release on Spark: it counts by SQL, and knows nothing of how the release was made."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .._api import sql
from .._errors import DataError, PlanError
from .._goals import Goal
from .._plan import Plan
from .._records import Record, Verdict
from ._types import one_row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VIEW = "kohort_frame"


def statements(frame: DataFrame, plan: Plan, goals: Sequence[Goal]) -> list[tuple[str, str]]:
    """The statements that answer a diagnosis, each with its title."""
    columns = [name for name, role in plan.attributes.items() if role in ("quasi", "sensitive")]
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise DataError(f"no column `{missing[0]}` in the frame", "`frame.columns` lists them")
    rows = one_row(frame.select(*(f"`{name}`" for name in columns)))
    text = sql(rows, _by_classes(plan), dialect="spark", table=VIEW, levels=list(goals) or None)
    found = []
    for part in text.split(";\n"):
        lines = [line for line in part.strip().splitlines() if line]
        titles = [line[3:] for line in lines if line.startswith("-- ")]
        body = "\n".join(line for line in lines if not line.startswith("-- "))
        if body:
            found.append((titles[-1], body))
    return found


def _by_classes(plan: Plan) -> Plan:
    """What counting needs of a plan: its roles. How values are generalized is of no account."""
    attributes = plan.to_dict().get("attributes", {})
    kept: dict[str, Any] = {}
    for name, attribute in attributes.items():
        found = attribute if isinstance(attribute, dict) else {"role": attribute}
        if "buckets" in found:
            raise PlanError(f"the buckets of `{name}` are not counted on Spark", "leave them out")
        if found["role"] in ("quasi", "sensitive"):
            kept[name] = {field: found[field] for field in ("role", "missing") if field in found}
    return Plan.from_dict({"attributes": kept})


def answers(frame: DataFrame, plan: Plan, goals: Sequence[Goal]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows that each statement gives: counts, and no cell of a quasi-identifier."""
    found = []
    for title, statement in statements(frame, plan, goals):
        # Spark reads a name in braces as one of its arguments.
        statement = statement.replace("{", "{{").replace("}", "}}").replace(f"`{VIEW}`", "{frame}")
        rows = frame.sparkSession.sql(statement, frame=frame).collect()
        found.append((title, [row.asDict() for row in rows]))
    return found


def goals_of(plan: Plan) -> list[Goal]:
    """The promises of a plan about classes."""
    levels = {model: level for model, level in plan.goal.items() if model != "suppression"}
    return [Goal(model, one) for model, level in levels.items() for one in (level if isinstance(level, list) else [level])]


def verdict(release: DataFrame, plan: Plan, original: DataFrame | None) -> Verdict:
    """Whether a release keeps the promises of a plan."""
    reasons, lines = [], []
    for name in release.columns:
        role = plan.attributes.get(name)
        if role is None:
            reasons.append(f"`{name}` is in the release but has no role in the plan, so nothing is promised about it")
        if role == "identifier":
            reasons.append(f"`{name}` is in the release, and it names people")
    found = answers(release, plan, goals_of(plan))
    sizes = found[0][1][0]
    rows, k = sizes["n_rows"] or 0, sizes["k"]
    for title, (first, *_) in found:
        if "holds" in first and title.startswith("whether "):
            promise = title.removeprefix("whether ").replace("`", "")
            lines.append(f"  {promise}" if first["holds"] else f"  FAILS: {promise}")
            if not first["holds"]:
                reasons.append(f"{promise.removesuffix(' holds')} fails in {first['violating_classes']} classes")
    if not lines:
        raise DataError("nothing is promised: the goal is empty", "ask for something, such as `k=5`")
    if original is not None:
        reasons += against(release, plan, original, rows)
    title = "rejected" if reasons else "verified"
    text = "\n".join([title, "", f"  {rows} rows, the smallest class of {k}", *lines, *(f"  {one}" for one in reasons)])
    value = {"verified": not reasons, "reasons": reasons, "rows": rows, "classes": sizes["classes"], "k": k}
    return Verdict(value, text)


def against(release: DataFrame, plan: Plan, original: DataFrame, rows: int) -> list[str]:
    """What is wrong beside the original: rows that it has not, twice the same, or too few."""
    from pyspark.sql import functions as F

    reasons = []
    n_original = original.count()
    if rows > n_original:
        reasons.append(f"{rows} rows are released, of {n_original}")
    share = plan.goal.get("suppression", 0)
    exact = Fraction(share.rstrip("% ")) / 100 if isinstance(share, str) and "%" in share else Fraction(str(share))
    if n_original - rows > exact * n_original:
        reasons.append(f"{n_original - rows} of {n_original} rows are suppressed, more than the share of {share}")
    columns = [name for name, role in plan.attributes.items() if role in ("sensitive", "insensitive") and name in release.columns]
    if columns:
        counted = [frame.groupBy(*(f"`{name}`" for name in columns)).count() for frame in (release, original)]
        condition = [F.col(f"r.`{name}`").eqNullSafe(F.col(f"o.`{name}`")) for name in columns]
        together = counted[0].alias("r").join(counted[1].alias("o"), condition, "left")
        more = F.col("r.count") - F.coalesce(F.col("o.count"), F.lit(0))
        n = together.where(more > 0).agg(F.sum(more)).collect()[0][0]
        if n:
            reasons.append(f"{n} rows have sensitive or insensitive cells of no row of the original of their own")
    return reasons
