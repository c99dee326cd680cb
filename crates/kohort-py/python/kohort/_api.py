"""What can be asked of frames."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _frames, _kohort, _nested
from ._errors import DataError, Infeasible, PlanError
from ._goals import Goal, goal_fields
from ._nested import NestedRelease
from ._notes import tell
from ._plan import Plan, PlanFields
from ._progress import Progress
from ._records import Answer, Attacked, Comparison, Diagnosis, Inspection, Receipt, Record, Verdict, _comparison
from ._series import SeriesRelease
from ._values import json_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Release:
    """A release that was made and judged."""

    def __init__(self, native: _kohort.Release, plan: Plan, original: Any, ranges: str) -> None:
        self._native: _kohort.Release | None = native
        self.plan = plan
        self.kind = _frames.kind_of(original)
        shown = native.table
        if ranges == "struct":
            shown = shown.with_ranges([name for name, role in plan.attributes.items() if role == "quasi"])
        elif ranges != "text":
            raise PlanError(f"ranges are published as `text` or `struct`, not as `{ranges}`")
        self._ranges = ranges
        # What `frame` is with its ranges as texts, once the native half is gone.
        self._plain: Any = None
        #: The rows, in an order that tells nothing, as the kind of frame that went in.
        self.frame: Any = _frames.give(shown, self.kind, original)
        values = native.values
        #: The sensitive values by group, where an anatomized release publishes them apart.
        self.values: Any = None if values is None else _frames.give(values, self.kind, original)
        #: The promises with their evidence. Confidential: its figures are made of the whole original.
        self.receipt = Receipt(json.loads(native.receipt), _summary(native.text), native.page)

    @property
    def verified(self) -> bool:
        """Whether the judge found every promise kept."""
        return self.receipt.verified

    def _tables(self) -> tuple[_kohort.Table, _kohort.Table | None]:
        if self._native is not None:
            return self._native.table, self._native.values
        return _tables_of(self._plain, self.values, self.plan)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._tables()[0].__arrow_c_stream__(requested_schema)

    def to_polars(self) -> Any:
        """The release as a polars frame."""
        return _frames.give(self._tables()[0], "polars")

    def to_pandas(self) -> Any:
        """The release as a pandas frame."""
        return _frames.give(self._tables()[0], "pandas")

    def to_arrow(self) -> Any:
        """The release as a pyarrow table."""
        return _frames.give(self._tables()[0], "pyarrow")

    def write(self, path: str | os.PathLike[str]) -> Receipt:
        """Writes a file, whose ending says the format. It is read back and judged again before it appears."""
        if self._native is None:
            raise DataError("a release that was pickled cannot be written", "write it before, or use its frame")
        answer, text, page = self._native.write(os.fspath(path))
        return Receipt(json.loads(answer), text, page)

    @overload
    def report(self, path: None = None) -> str: ...

    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...

    def report(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The page about the release, which may be shown around: written to a file where one is named, else handed back."""
        return self.receipt.report(path)

    def to_dict(self) -> dict[str, Any]:
        """The receipt, plain."""
        return self.receipt.to_dict()

    def to_json(self, indent: int | None = None) -> str:
        """The receipt as JSON."""
        return self.receipt.to_json(indent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release) or self.receipt != other.receipt or self.plan != other.plan:
            return False
        if hasattr(self.frame, "equals"):
            return bool(self.frame.equals(other.frame))
        return bool(self.to_arrow().equals(other.to_arrow()))

    __hash__ = None  # type: ignore[assignment]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            receipt = self.__dict__.get("receipt")
            message = f"a Release has no `{name}`"
            if receipt is not None and name in receipt:
                message += f": see `release.receipt.{name}`"
            elif not name.startswith("_") and hasattr(self.__dict__.get("frame"), name):
                message += f": see `release.frame.{name}`"
            raise AttributeError(message)

    def __getstate__(self) -> dict[str, Any]:
        tables = self._tables()[0]
        plain = self.frame if self._ranges == "text" else _frames.give(tables, self.kind)
        state = {**self.__dict__, "_native": None, "_plain": plain}
        if self.kind == "arrow":
            state["frame"], state["values"], state["kind"] = self.to_arrow(), None, "pyarrow"
            state["_plain"] = state["frame"]
        return state

    def __repr__(self) -> str:
        return repr(self.receipt)

    def _repr_html_(self) -> str:
        return self.receipt._repr_html_()


def _summary(text: str) -> str:
    """The text of a receipt without files and seconds: a release in memory has none."""
    lines = ("release" + text if text.startswith(":") else text).splitlines()
    return "\n".join(line for line in lines if not line.startswith("  made by "))


def schema() -> dict[str, Any]:
    """The JSON Schema of a plan: what its fields may hold."""
    value: dict[str, Any] = json.loads(_kohort.schema())
    return value


def _plan(plan: Plan | None, fields: dict[str, Any]) -> Plan:
    if plan is None:
        return Plan(**fields)
    if not isinstance(plan, Plan):
        way = "make it one: `kohort.Plan(**fields)`" if isinstance(plan, Mapping) else "name columns as `quasi=[...]`"
        raise PlanError(f"a Plan is needed, but this is {type(plan).__name__}", way)
    return plan.replace(**fields) if fields else plan


def _read(frame: Any, plan: Plan, name: str = "frame") -> _kohort.Table:
    table = _frames.read(frame, name, plan.missing, set(plan.attributes))
    tell(table.notes)
    return table


def _tables_of(release: Any, values: Any, plan: Plan) -> tuple[_kohort.Table, _kohort.Table | None]:
    table = _frames.read(release, "release", plan.missing, set(plan.attributes))
    return table, None if values is None else _frames.read(values, "values", plan.missing)


def _shown(release: Any, values: Any, plan: Plan) -> tuple[_kohort.Table, _kohort.Table | None]:
    if isinstance(release, (Release, SeriesRelease)):
        return release._tables()
    return _tables_of(release, values, plan)


def _share(value: float | str | None) -> str | None:
    return None if value is None else str(value)


def inspect(frame: Any, **fields: Unpack[PlanFields]) -> Inspection:
    """The type and the proposed role of each column, with the reason. Shows no cell.

    Of the fields of a plan, `key` and `tables` say how frames are joined, and `missing` what means a missing value.
    """
    plan = Plan(**fields)
    if _nested.is_nested(frame, plan):
        return _nested.inspect(frame, plan)
    found = Inspection.of(*_kohort.inspect(_frames.read(frame, "frame", plan.missing), plan.to_json()))
    tell(found.notes)
    return found


def _refuse_for_records(asked: dict[str, Any]) -> None:
    for name, value in asked.items():
        if value is not None and value is not False and len(value if hasattr(value, "__len__") else "x") > 0:
            raise PlanError(f"`{name}` is about tables, and cannot be asked about nested records")


def _levels_of_records(levels: Goal | Sequence[Goal] | None) -> tuple[int | None, str | None]:
    """The k and the l that are asked for."""
    k, l = None, None  # noqa: E741
    for goal in [levels] if isinstance(levels, Goal) else list(levels or []):
        level = next(iter(goal.level.values())) if isinstance(goal.level, dict) else goal.level
        if goal.model == "k-anonymity":
            k = int(level)
        elif goal.model == "frequency-l-diversity":
            l = str(level)  # noqa: E741
        else:
            raise PlanError(f"`{goal.model}` cannot be asked about nested records")
    return k, l


def _asked(
    levels: Goal | Sequence[Goal] | None,
    subsets: bool,
    suppress: float | str | None,
    find_suppression: bool,
    max_size: int | None,
    sampling_fraction: float | str | None,
    values: Mapping[str, str | Sequence[str]] | None,
    riskiest: int,
    borders: int | None,
) -> str:
    goals = [levels] if isinstance(levels, Goal) else list(levels or [])
    chosen = [
        (column, str(value))
        for column, given in (values or {}).items()
        for value in ([given] if isinstance(given, str) else given)
    ]
    return json_of(
        {
            "levels": {"goal": goal_fields(goals)} if goals else None,
            "subsets": subsets,
            "suppress": _share(suppress),
            "find_suppression": find_suppression,
            "max_size": max_size,
            "sampling_fraction": _share(sampling_fraction),
            "values": chosen,
            "riskiest": riskiest,
            "borders": borders,
        }
    )


def diagnose(
    frame: Any,
    plan: Plan | None = None,
    *,
    levels: Goal | Sequence[Goal] | None = None,
    subsets: bool = False,
    suppress: float | str | None = None,
    find_suppression: bool = False,
    max_size: int | None = None,
    values: Mapping[str, str | Sequence[str]] | None = None,
    riskiest: int = 10,
    borders: int | None = None,
    public: Any = None,
    sampling_fraction: float | str | None = None,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Diagnosis:
    """What a table already guarantees and gives away.

    The twelve questions combine three choices: `levels` given or asked for; all quasi-identifiers together, or
    `subsets=True`; no suppression, `suppress=0.02`, or `find_suppression=True`. With levels and no subsets, the
    answer is true or false. With both it has the borders: the largest safe and the smallest dangerous sets.
    `borders=5` draws those of k = 5 in the report. A search over sets ends after the `budget` of the plan, by default
    a minute, and `left_out` says what it left out.
    """
    plan = _plan(plan, {**fields})
    if "budget" not in plan.method:
        plan = plan.replace(budget="60s")
    if _nested.is_nested(frame, plan):
        beyond = {
            "subsets": subsets, "suppress": suppress, "find_suppression": find_suppression, "max_size": max_size,
            "values": values, "borders": borders, "public": public, "sampling_fraction": sampling_fraction,
        }
        _refuse_for_records(beyond)
        return _nested.diagnose(frame, plan, *_levels_of_records(levels))
    asked = _asked(
        levels, subsets, suppress, find_suppression, max_size, sampling_fraction, values, riskiest, borders
    )
    population = None if public is None else _frames.read(public, "public", plan.missing)
    table = _read(frame, plan)
    with Progress(progress) as told:
        answer, text, page = _kohort.diagnose(table, plan.to_json(), plan.folder, asked, population, told)
    return Diagnosis(json.loads(answer), text, page)


def sql(
    frame: Any,
    plan: Plan | None = None,
    *,
    dialect: str = "postgres",
    table: str = "frame",
    levels: Goal | Sequence[Goal] | None = None,
    subsets: bool = False,
    public: str | None = None,
    **fields: Unpack[PlanFields],
) -> str:
    """SQL that answers the same question as `diagnose` inside a database.

    `dialect` is `postgres`, `datafusion`, `sqlite`, `duckdb` or `spark`.
    """
    plan = _plan(plan, {**fields})
    asked = _asked(levels, subsets, None, False, None, None, None, 10, None)
    return _kohort.sql(_read(frame, plan, table), plan.to_json(), plan.folder, asked, dialect, public)


@overload
def anonymize(  # pyright: ignore[reportOverlappingOverload]
    frame: str | bytes | list[Any] | Mapping[str, Any],
    plan: Plan | None = None,
    *,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> NestedRelease: ...


@overload
def anonymize(
    frame: Any,
    plan: Plan | None = None,
    *,
    ranges: Literal["text", "struct"] = "text",
    secret: bytes | None = None,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Release: ...


def anonymize(
    frame: Any,
    plan: Plan | None = None,
    *,
    ranges: Literal["text", "struct"] = "text",
    secret: bytes | None = None,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Release | NestedRelease:
    """Makes a release that keeps the goal of a plan, judges it, and hands it out.

    Of nested records (a list of dicts, the text of JSON, or a dict of frames that `tables` joins by keys) it is a
    :class:`NestedRelease` of the same kind. With `ranges="struct"` the ranges in `frame` are structs of their bounds,
    `low` and `high` in the type of the column, and whether both ends are `closed` or the `left` one alone.

    `secret` are 32 random bytes, for methods that draw random values; by default from the system. Raises
    :class:`Infeasible` where no release keeps the goal. Ctrl-C stops it, and nothing is left behind.
    """
    plan = _plan(plan, {**fields})
    if _nested.is_nested(frame, plan):
        _refuse_for_records({"ranges": None if ranges == "text" else ranges, "secret": secret})
        return _nested.anonymize(frame, plan, progress)
    table = _read(frame, plan)
    with Progress(progress) as told:
        try:
            native = _kohort.anonymize(table, plan.to_json(), plan.folder, secret, told)
        except Infeasible as no:
            raise no.of(plan.goal) from None
    release = Release(native, plan, frame, ranges)
    tell(release.receipt.notes)
    return release


def verify(
    release: Any,
    plan: Plan | None = None,
    *,
    original: Any = None,
    values: Any = None,
    others: Sequence[Any] = (),
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Verdict:
    """Judges a release: anybody's, made by whatever tool. The verdict is true where every promise is kept.

    A list of releases, the oldest first, is judged as a series; `original` is then a list with a table for each.
    `others` are other releases of the same table that somebody may have: do they keep the promises together?
    """
    is_list = isinstance(release, (list, tuple)) and not _nested.is_nested(release, None)
    releases = list(release) if is_list else [release]
    if plan is None and releases and isinstance(releases[-1], (Release, SeriesRelease, NestedRelease)) and not fields:
        plan = releases[-1].plan
    plan = _plan(plan, {**fields})
    if _nested.is_nested(release, plan):
        _refuse_for_records({"others": others})
        return _nested.verify(release, values, plan, original, progress)
    shown = [_shown(one, values, plan) for one in releases]
    beside = [_shown(one, None, plan) for one in others]
    if is_list:
        if beside:
            raise PlanError("`others` are laid beside one release", "name the releases of a series in order, without it")
        originals = [_read(one, plan, "original") for one in original or ()]
        with Progress(progress) as told:
            answer, text = _kohort.verify_series(shown, plan.to_json(), plan.folder, originals, told)
        return Verdict(json.loads(answer), text)
    before = None if original is None else _read(original, plan, "original")
    with Progress(progress) as told:
        answer, text = _kohort.verify(shown[0], plan.to_json(), plan.folder, before, beside, told)
    return Verdict(json.loads(answer), text)


def attack(
    release: Any,
    plan: Plan | None = None,
    *,
    original: Any = None,
    public: Any = None,
    others: Sequence[Any] = (),
    in_series: bool = False,
    person: str | None = None,
    knowledge: str | os.PathLike[str] | None = None,
    correlations: str | os.PathLike[str] | None = None,
    presence: Sequence[str] = (),
    sampled: float | str | None = None,
    secret: bytes | None = None,
    only: Sequence[str] = (),
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Attacked:
    """Attacks a release as an adversary would, and measures how far that gets.

    `others` are earlier releases, `original` is one table or a list with one per release, the newest last. `person` is the column that
    tells people apart across releases. `secret` are the 32 bytes that the release was drawn from, for an adversary who
    has them.
    """
    if plan is None and isinstance(release, (Release, SeriesRelease, NestedRelease)) and not fields:
        plan = release.plan
    plan = _plan(plan, {**fields})
    if _nested.is_nested(release, plan):
        beyond = {
            "public": public, "others": others, "person": person, "knowledge": knowledge, "sampled": sampled,
            "secret": secret,
        }
        _refuse_for_records(beyond)
        return _nested.attack(release, plan, original, [only] if isinstance(only, str) else only, progress)
    shown = [_shown(one, None, plan) for one in [*others, release]]
    given = [] if original is None else list(original) if isinstance(original, (list, tuple)) else [original]
    originals = [_read(one, plan, "original") for one in given]
    background = {
        "key": person,
        "knowledge": None if knowledge is None else os.fspath(knowledge),
        "correlations": None if correlations is None else os.fspath(correlations),
        "presence": list(presence),
        "sampled": _share(sampled),
        "secret": None if secret is None else list(secret),
        "only": [only] if isinstance(only, str) else list(only),
        "is_series": in_series,
    }
    population = None if public is None else _frames.read(public, "public", plan.missing)
    with Progress(progress) as told:
        answer, text, page = _kohort.attack(
            shown, plan.to_json(), plan.folder, json_of(background), originals, population, told
        )
    return Attacked(json.loads(answer), text, page)


def compare(
    frame: Any,
    plan: Plan | None = None,
    *,
    algorithms: Sequence[str] = (),
    ks: Sequence[int] = (),
    ls: Sequence[float | str] = (),
    attributes: Sequence[int] = (),
    seeds: Sequence[int] = (),
    folds: int | None = None,
    target: str | None = None,
    utility: str | None = None,
    risk: str | None = None,
    risk_cap: float | str = 0.2,
    progress: bool | None = None,
    **fields: Unpack[PlanFields],
) -> Comparison:
    """Makes a release by each algorithm at each level, and measures them side by side; `frame` has a row for each."""
    plan = _plan(plan, {**fields})
    grid = {
        "algorithms": [algorithms] if isinstance(algorithms, str) else list(algorithms),
        "ks": list(ks),
        "ls": [str(one) for one in ls],
        "attributes": list(attributes),
        "seeds": list(seeds),
        "folds": folds,
        "target": target,
        "utility": utility,
        "risk": risk,
        "risk_cap": _share(risk_cap),
        "secret": list(os.urandom(32)),
    }
    if _nested.is_nested(frame, plan):
        _refuse_for_records(
            {"attributes": attributes, "target": target, "folds": folds, "utility": utility, "risk": risk}
        )
        return _nested.compare(frame, plan, grid, progress)
    table = _read(frame, plan)
    with Progress(progress) as told:
        (answer, text, page), rows = _kohort.compare(table, plan.to_json(), plan.folder, json_of(grid), told)
    return _comparison(json.loads(answer), text, page, _frames.give(rows, _frames.kind_of(frame)))


__all__ = ["Answer", "Record", "Release", "anonymize", "attack", "compare", "diagnose", "inspect", "schema", "sql", "verify"]
