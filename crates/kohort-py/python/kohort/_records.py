"""Answers as objects: what the library serializes, with attributes."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from ._display import cell, paragraph, part_of, preformatted, table
from ._errors import PlanError, Rejected
from ._plan import Plan

Self = TypeVar("Self", bound="Record")


def _wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrap(item) for item in value]
    return value


class Record(Mapping[str, Any]):
    """Named values. They are attributes and items alike; `to_dict` and `to_json` give them plain."""

    __slots__ = ("_page", "_text", "_value")

    def __init__(self, value: dict[str, Any], text: str = "", page: str = "") -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_page", page)

    def __getattr__(self, name: str) -> Any:
        value = object.__getattribute__(self, "_value")
        if name in value:
            return _wrap(value[name])
        raise AttributeError(f"{type(self).__name__} has no `{name}`")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return _wrap(self._value[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(self) is type(other) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._value, self._text, self._page))

    def __repr__(self) -> str:
        if self._text:
            return str(self._text).rstrip("\n")
        inside = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"{type(self).__name__}({inside})"

    def to_dict(self) -> dict[str, Any]:
        """The values as dicts, lists, texts and numbers."""
        value: dict[str, Any] = json.loads(json.dumps(self._value))
        return value

    def to_json(self, indent: int | None = None) -> str:
        """The values as JSON, as the command line prints them."""
        return json.dumps(self._value, ensure_ascii=False, indent=indent)


class Answer(Record):
    """An answer with a page about it."""

    __slots__ = ()

    def _shown(self, title: str, *parts: str) -> str:
        """These parts of the page, or the text where there is no page."""
        return part_of(self._page, parts) if self._page else cell(title, preformatted(self._text))

    @overload
    def report(self, path: None = None) -> str: ...

    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...

    def report(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The full page as HTML: written to a file where one is named, else handed back."""
        if not self._page:
            raise PlanError("there is no page about this answer", "`str` and `to_json` have all of it")
        if path is None:
            return str(self._page)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._page)
        return None


class Inspection(Record):
    """The columns of a table, each with a proposed role and the reason."""

    __slots__ = ()
    table: str
    rows: int
    columns: list[Record]
    notes: list[str]

    @classmethod
    def of(cls, answer: str, starter: str) -> Inspection:
        """What JSON says of the columns, and the plan to start from."""
        value = json.loads(answer)
        lines = (f"{c['name']}: {c['role'] or 'left out'}, since {c['reason']}" for c in value["columns"])
        return cls(value, "\n".join(lines), starter)

    @property
    def starter_plan(self) -> str:
        """The text of a plan file to start from, with the reason behind each line."""
        return str(self._page)

    @property
    def plan(self) -> Plan:
        """The plan to start from: nothing in it is decided until you have read it."""
        value = Plan.from_toml(self.starter_plan).to_dict()
        return Plan.from_dict({name: one for name, one in value.items() if name != "input"})

    @property
    def roles(self) -> dict[str, str | None]:
        """The proposed role of each column."""
        return {column.name: column.role for column in self.columns}

    def _repr_html_(self) -> str:
        head = ("column", "type", "distinct", "missing", "proposed role", "why")
        rows = [
            (c.name, c.type, f"{c.distinct:,}", f"{c.missing:,}", c.role or "left out", c.reason)
            for c in self.columns
        ]
        notes = "".join(paragraph(note) for note in self._value.get("notes", []))
        return cell(f"{self.table}: {self.rows:,} rows, {len(rows)} columns", table(head, rows) + notes)


class Diagnosis(Answer):
    """What a table already guarantees and gives away."""

    __slots__ = ()
    k: int
    rows: int
    classes: int

    @property
    def holds(self) -> bool | None:
        """Whether what was asked for holds, where something was."""
        found: bool | None = self._value.get("holds")
        return found

    def __bool__(self) -> bool:
        """Whether what was asked for holds; true where nothing was."""
        return self.holds is not False

    def _repr_html_(self) -> str:
        return self._shown("diagnosis", "asked", "goal", "levels", "borders")


class Receipt(Answer):
    """The promises of a release with their evidence, and what it costs. Confidential, like the table itself."""

    __slots__ = ()
    verified: bool
    algorithm: str
    k: int
    rows_in: int
    rows_out: int
    suppressed: int
    classes: int
    metrics: dict[str, float]
    notes: list[str]

    def _repr_html_(self) -> str:
        return self._shown("release", "promised")


class NestedReceipt(Answer):
    """The promises of a release of nested records with their evidence. Confidential, like the records themselves."""

    __slots__ = ()
    verified: bool
    algorithm: str
    form: str
    records_in: int
    records_out: int
    suppressed: int
    metrics: dict[str, float]
    notes: list[str]

    def _repr_html_(self) -> str:
        return self._shown("release", "promised")


class Verdict(Record):
    """What the judge says about a release. It is true where every promise is kept."""

    __slots__ = ()
    verified: bool
    reasons: list[str]
    rows: int
    k: int | None

    def __bool__(self) -> bool:
        return bool(self._value["verified"])

    def require(self: Self) -> Self:
        """This, or :class:`Rejected` with the findings."""
        if not self:
            reasons = tuple(self._value["reasons"])
            raise Rejected("; ".join(["the release does not keep its promise", *reasons]), None, reasons)
        return self

    def _repr_html_(self) -> str:
        title = "verified" if self else "NOT verified"
        # The first line of the text says the same.
        return cell(title, preformatted(textwrap.dedent(self._text.partition("\n")[2]).strip("\n")))


class Attacked(Answer):
    """How far an adversary gets. `refuted` says whether a promise of the plan is broken."""

    __slots__ = ()
    refuted: bool

    def _repr_html_(self) -> str:
        return self._shown("attacks", "bars")


class Comparison(Answer):
    """Releases side by side. `frame` has a row for each."""

    __slots__ = ("_rows",)
    cells: list[Record]

    @property
    def frame(self) -> Any:
        """A row per release, as the kind of frame that went in."""
        return object.__getattribute__(self, "_rows")

    def __reduce__(self) -> tuple[Any, ...]:
        return (_comparison, (self._value, self._text, self._page, self.frame))

    def _repr_html_(self) -> str:
        return self._shown("comparison", "map", "figures")


def _comparison(value: dict[str, Any], text: str, page: str, rows: Any) -> Comparison:
    made = Comparison(value, text, page)
    object.__setattr__(made, "_rows", rows)
    return made
