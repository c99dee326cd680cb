"""Boxes: how the rows of a large table are shared out, so that each part is made into a release by itself.

Columns become places in an order, boxes are cut at medians of the columns with the fewest places, and a row is in the
box that its places fall into. Nothing here knows of Spark.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: The most places of a column: cuts need no finer ones, since a box has many rows.
PLACES = 256


@dataclass(frozen=True)
class Order:
    """The places of a column's values. A missing value has the first place."""

    #: The first value of each place but the first, in order.
    starts: tuple[Any, ...]
    #: The rank of each value where values have no order of their own.
    ranks: Mapping[Any, int] | None = None
    #: From the least to the greatest number or time; none of texts.
    span: float | None = None

    @classmethod
    def of(cls, counts: Mapping[Any, int], order: Sequence[Any] | None = None) -> Order:
        """Places of about as many rows each. `order` are the values in the order of a taxonomy."""
        present = {value: n for value, n in counts.items() if value is not None}
        ranks = None
        if order is not None:
            ranks = {value: rank for rank, value in enumerate(order)}
            present_ranks: dict[Any, int] = {}
            for value, n in present.items():
                rank = ranks.get(value, len(ranks))
                present_ranks[rank] = present_ranks.get(rank, 0) + n
            present = present_ranks
        values = sorted(present)
        total, before = sum(present.values()), 0
        starts: list[Any] = []
        place = 0
        for value in values:
            # A value that begins beyond the share of the last place begins one of its own.
            if not starts or before * PLACES >= (place + 1) * total or len(values) < PLACES:
                starts.append(value)
                place = before * PLACES // max(total, 1)
            before += present[value]
        return cls(tuple(starts), ranks, None if ranks is not None or not values else span(values[0], values[-1]))

    def place(self, value: Any) -> int:
        """The place of a value: 0 is that of a missing one."""
        if value is None or value != value:
            return 0
        if self.ranks is not None:
            value = self.ranks.get(value, len(self.ranks))
        return max(1, bisect_right(self.starts, value))

    def places(self, values: Sequence[Any]) -> Any:
        """Those of the values of a column; each value is looked up once."""
        known: dict[Any, int] = {}
        found = np.empty(len(values), dtype=np.int32)
        for row, value in enumerate(values):
            place = known.get(value)
            if place is None:
                place = known[value] = self.place(value)
            found[row] = place
        return found


def span(low: Any, high: Any) -> float | None:
    """How far two numbers or times are from one another."""
    if isinstance(low, (str, bool)):
        return None
    found = high - low
    return float(found.total_seconds() if hasattr(found, "total_seconds") else found)


@dataclass
class Box:
    """A box, or two halves of one: rows below `cut` in `column` are in the first."""

    column: int = -1
    cut: int = 0
    halves: tuple[Box, Box] | None = None
    #: The number of a box that is not cut.
    number: int = -1
    #: How often each value of the sensitive columns stands in it, and its rows under the empty name.
    counts: dict[tuple[str, Any], int] = field(default_factory=dict)

    def leaves(self) -> list[Box]:
        """The boxes that are not cut."""
        if self.halves is None:
            return [self]
        return [leaf for half in self.halves for leaf in half.leaves()]


def cut(places: Any, weights: Any, most: int, least: int) -> Box:
    """Boxes of at most `most` rows where they can be cut so, each of at least `least`.

    `places` has a line for each point and a column for each column, and `weights` are the rows of each point.
    """
    root = Box()
    todo = [(root, np.arange(len(places)))]
    while todo:
        box, points = todo.pop()
        found = None
        if weights[points].sum() > most:
            found = _cut_of(places[points], weights[points], least)
        if found is None:
            continue
        box.column, box.cut = found
        is_first = places[points, box.column] < box.cut
        box.halves = (Box(), Box())
        todo += [(box.halves[0], points[is_first]), (box.halves[1], points[~is_first])]
    number(root)
    return root


def _cut_of(places: Any, weights: Any, least: int) -> tuple[int, int] | None:
    """The column and the place where these points are cut, nearest to the median of the column.

    The column with the fewest places that can be cut: rows with different ones of few values would rarely have been in
    one class. On 40,000 rows of six columns, boxes cut in the widest column lose 28 % more than the whole, and these
    lose 1 % less.
    """
    n_places = [(len(np.unique(places[:, at])), at) for at in range(places.shape[1])]
    total = int(weights.sum())
    for n, at in sorted(n_places):
        if n < 2:
            continue
        by_place = np.bincount(places[:, at], weights=weights).astype(np.int64)
        below = np.concatenate([[0], np.cumsum(by_place)])
        middle = int(np.argmin(np.abs(2 * below - total)))
        if least <= below[middle] <= total - least:
            return at, middle
    return None


def number(root: Box) -> None:
    """Numbers the boxes that are not cut."""
    for at, leaf in enumerate(root.leaves()):
        leaf.number = at


def boxes_of(root: Box, places: Any) -> Any:
    """The number of the box of each row."""
    found = np.empty(len(places), dtype=np.int32)
    todo = [(root, np.arange(len(places)))]
    while todo:
        box, rows = todo.pop()
        if box.halves is None:
            found[rows] = box.number
            continue
        is_first = places[rows, box.column] < box.cut
        todo += [(box.halves[0], rows[is_first]), (box.halves[1], rows[~is_first])]
    return found


def join(root: Box, is_enough: Callable[[Mapping[tuple[str, Any], int]], bool]) -> None:
    """Joins halves until each box is enough by its counts, or there is one box; then numbers them again."""
    if root.halves is not None:
        for half in root.halves:
            join(half, is_enough)
        first, second = root.halves
        root.counts = dict(first.counts)
        for value, n in second.counts.items():
            root.counts[value] = root.counts.get(value, 0) + n
        if not all(half.halves is not None or is_enough(half.counts) for half in root.halves):
            root.halves = None
    number(root)
