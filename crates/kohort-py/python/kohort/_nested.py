"""Records inside records: a list of dicts, the text of JSON, or frames joined by keys; the same comes out."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

from . import _frames, _kohort
from ._errors import DataError, PlanError
from ._notes import tell
from ._plan import Plan
from ._progress import Progress
from ._records import Attacked, Comparison, Diagnosis, Inspection, NestedReceipt, Verdict, _comparison
from ._values import json_of

#: Records as the native half takes them.
Given = str | tuple[_kohort.Table, list[tuple[str, _kohort.Table]]]


def is_nested(given: Any, plan: Plan | None) -> bool:
    """Whether this is records inside records, and not a table. The rows of one frame are, where a plan nests them."""
    if isinstance(given, NestedRelease):
        return True
    if plan is not None and plan.tables and hasattr(given, "__arrow_c_stream__"):
        return True
    if isinstance(given, (str, bytes)):
        text = given.lstrip()[:1]
        return text in ("[", "{", b"[", b"{")
    if isinstance(given, Mapping):
        return bool(given) and all(hasattr(one, "__arrow_c_stream__") for one in given.values())
    return isinstance(given, list) and bool(given) and all(isinstance(one, Mapping) for one in given)


def given(records: Any, plan: Plan, name: str = "records") -> Given:
    """Records as the native half takes them."""
    if isinstance(records, NestedRelease):
        return given(records.frame, plan, "release")
    if isinstance(records, bytes):
        try:
            return records.decode("utf-8")
        except UnicodeDecodeError:
            # The message of Python shows the bytes.
            raise DataError(f"{name} are not in UTF-8", "decode them with the encoding that they are in") from None
    if isinstance(records, str):
        return records
    if isinstance(records, Mapping):
        return _tables(records, plan)
    if hasattr(records, "__arrow_c_stream__"):
        return _frames.read(records, name, plan.missing), []
    try:
        return json.dumps(list(records), ensure_ascii=False, allow_nan=False, default=_plain)
    except DataError:
        raise
    except ValueError:
        raise DataError(f"{name} have a NaN, which JSON has not", "write None for a missing value") from None


def _plain(value: Any) -> Any:
    # Only what needs them imports them: `import kohort` is quick.
    import datetime
    import decimal

    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    raise DataError(
        f"records are made of dicts, lists, texts, numbers, booleans and None, not of {type(value).__name__}"
    )


def people_of(records: Mapping[str, Any], plan: Plan) -> str:
    """The name of the frame of people: the one that no entry of `tables` is about."""
    tables = plan.to_dict().get("tables", {})
    found = [name for name in records if name not in tables]
    if len(found) != 1:
        raise PlanError(
            f"one frame is that of the people, and {len(found)} have no entry in `tables`",
            'say how the others are joined: tables={"visits": {"foreign-key": "patient"}}, key="patient"',
        )
    return found[0]


def _tables(records: Mapping[str, Any], plan: Plan) -> Given:
    own = people_of(records, plan)
    read = {name: _frames.read(frame, name, plan.missing) for name, frame in records.items()}
    return read.pop(own), list(read.items())


def _handed(handed: tuple[str | None, list[tuple[str, _kohort.Table]]], like: Any, plan: Plan) -> Any:
    """Records as the kind that went in."""
    text, tables = handed
    if text is not None:
        return text if isinstance(like, (str, bytes)) else json.loads(text)
    if not isinstance(like, Mapping):
        # One frame whose rows the plan nests: its people are a frame of their own.
        return {name or "people": _frames.give(table, _frames.kind_of(like), like) for name, table in tables}
    people = people_of(like, plan)
    kind = _frames.kind_of(like[people])
    return {name or people: _frames.give(table, kind, like.get(name or people)) for name, table in tables}


class NestedRelease:
    """A release of nested records that was made and judged."""

    def __init__(self, plan: Plan, receipt: NestedReceipt, frame: Any, values: Any) -> None:
        self.plan = plan
        #: The promises with their evidence. Confidential: its figures are made of the whole original.
        self.receipt = receipt
        #: The records, in an order that tells nothing: dicts, a text of JSON or frames, as went in.
        self.frame = frame
        #: The sensitive values by group, where an anatomized release publishes them apart.
        self.values = values

    @property
    def verified(self) -> bool:
        """Whether the judge found every promise kept."""
        return self.receipt.verified

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
        if not isinstance(other, NestedRelease):
            return False
        return self.receipt == other.receipt and self.plan == other.plan and _is_same(self.frame, other.frame)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.receipt)

    def _repr_html_(self) -> str:
        return self.receipt._repr_html_()


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(bool(one[name].equals(other[name])) for name in one)
    return bool(one == other)


def anonymize(records: Any, plan: Plan, progress: bool | None) -> NestedRelease:
    with Progress(progress) as told:
        (answer, text, page), notes, trees, values = _kohort.nested_anonymize(
            given(records, plan), plan.to_json(), plan.folder, told
        )
    tell(notes)
    receipt = NestedReceipt(json.loads(answer), text, page)
    apart = None if values is None else _handed(values, records, plan)
    return NestedRelease(plan, receipt, _handed(trees, records, plan), apart)


def _shown(release: Any, values: Any, plan: Plan) -> tuple[Given, Given | None]:
    if isinstance(release, NestedRelease):
        release, values = release.frame, release.values
    return given(release, plan, "release"), None if values is None else given(values, plan, "values")


def verify(release: Any, values: Any, plan: Plan, original: Any, progress: bool | None) -> Verdict:
    shown, apart = _shown(release, values, plan)
    before = None if original is None else given(original, plan, "original")
    with Progress(progress) as told:
        answer, text = _kohort.nested_verify(shown, apart, plan.to_json(), plan.folder, before, told)
    return Verdict(json.loads(answer), text)


def attack(release: Any, plan: Plan, original: Any, only: Sequence[str], progress: bool | None) -> Attacked:
    shown, apart = _shown(release, None, plan)
    before = None if original is None else given(original, plan, "original")
    with Progress(progress) as told:
        answer = _kohort.nested_attack(shown, apart, plan.to_json(), plan.folder, before, list(only), told)
    return Attacked(json.loads(answer[0]), answer[1], answer[2])


def diagnose(records: Any, plan: Plan, k: int | None, l: str | None) -> Diagnosis:  # noqa: E741
    answer, text = _kohort.nested_diagnose(given(records, plan), plan.to_json(), plan.folder, k, l)
    return Diagnosis(json.loads(answer), text)


def inspect(records: Any, plan: Plan) -> Inspection:
    answer, starter = _kohort.nested_inspect(given(records, plan), plan.to_json())
    return Inspection.of(answer, starter)


def compare(records: Any, plan: Plan, grid: dict[str, Any], progress: bool | None) -> Comparison:
    with Progress(progress) as told:
        (answer, text, page), rows = _kohort.nested_compare(
            given(records, plan), plan.to_json(), plan.folder, json_of(grid), told
        )
    kind = _frames.kind_of(next(iter(records.values()))) if isinstance(records, Mapping) else _frames.kind_in_use()
    return _comparison(json.loads(answer), text, page, _frames.give(rows, kind))
