"""Taxonomies as values: what stands above the values of a column."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

Number = int | float


class Taxonomy:
    """The tree of values above a column, as a plan spells it."""

    def __init__(self, spelled: Any, *, rows: str | None = None, reason: str = "") -> None:
        self.spelled = spelled
        #: Every value with its groups, in ARX's layout, where it was built from a column.
        self.arx = rows
        #: Why this one is proposed.
        self.reason = reason

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Taxonomy) and self.spelled == other.spelled

    def __hash__(self) -> int:
        return hash(repr(self.spelled))

    def __repr__(self) -> str:
        return f"Taxonomy({self.spelled!r})"


def widths(*widths: Number, origin: Number | None = None) -> Taxonomy:
    """Ranges of equal width, from fine to coarse: `widths(5, 10, 20)`."""
    fields: dict[str, Any] = {"widths": list(widths)}
    if origin is not None:
        fields["origin"] = origin
    return Taxonomy(fields)


def mask(side: str = "right") -> Taxonomy:
    """Characters masked from one end: 02139, 0213*, 021**."""
    return Taxonomy("mask" if side == "right" else f"mask-{side}")


def ranges(*levels: Sequence[Sequence[Number]] | Sequence[Number]) -> Taxonomy:
    """Ranges written out: `ranges([0, 17], [18, 64], [65, 120])`, or levels of them from fine to coarse."""
    return Taxonomy({"ranges": [list(one) for one in levels]})


def calendar(*periods: str) -> Taxonomy:
    """Periods of the calendar, from fine to coarse: `calendar("month", "year")`."""
    return Taxonomy(list(periods))


def tree(groups: Mapping[str, Any]) -> Taxonomy:
    """Groups of values, as nested dicts whose ends are lists: `tree({"viral": ["flu", "HIV"]})`."""
    return Taxonomy({"tree": groups})


def arx_file(path: str | os.PathLike[str], separator: str | None = None) -> Taxonomy:
    """A file in ARX's layout: one line per value, leaf first, a column per level."""
    fields: dict[str, Any] = {"file": os.fspath(os.path.abspath(path))}
    if separator is not None:
        fields["separator"] = separator
    return Taxonomy(fields)


def flat() -> Taxonomy:
    """Nothing between a value and the root."""
    return Taxonomy("flat")
